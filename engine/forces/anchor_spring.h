/* Anchor spring: F = -k (x - anchor) - b v. */
#ifndef MOTE_FORCES_ANCHOR_SPRING_H
#define MOTE_FORCES_ANCHOR_SPRING_H

#include "forces/table.h"

extern const mote_force_row mote_anchor_spring_row;

#endif
