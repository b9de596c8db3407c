/* Gravity: a = g, the same for every mass. */
#ifndef MOTE_FORCES_GRAVITY_H
#define MOTE_FORCES_GRAVITY_H

#include "forces/table.h"

extern const mote_force_row mote_gravity_row;

#endif
