/* Callback: the host's own force over a block of particles. */
#ifndef MOTE_FORCES_CALLBACK_H
#define MOTE_FORCES_CALLBACK_H

#include "forces/table.h"

extern const mote_force_row mote_callback_row;

#endif
