/* Thrust: F = f, a constant force. */
#ifndef MOTE_FORCES_THRUST_H
#define MOTE_FORCES_THRUST_H

#include "forces/table.h"

extern const mote_force_row mote_thrust_row;

#endif
