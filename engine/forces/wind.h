/* Wind: F = drag (u - v), linear (Stokes) drag relative to moving air. */
#ifndef MOTE_FORCES_WIND_H
#define MOTE_FORCES_WIND_H

#include "forces/table.h"

extern const mote_force_row mote_wind_row;

#endif
