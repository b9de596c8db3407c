/* Depth of points in colliders, in double. */
#ifndef MOTE_CONTACTS_DEPTH_H
#define MOTE_CONTACTS_DEPTH_H

#include <mote/collider.h>

#include "contacts/motion.h"

/* Returns the depth (m) of x (m, world) below the surface of a collider at a placement whose rotation has
 * length 1: the distance to the nearest surface, negative outside. */
double mote_collider_depth(const mote_collider_def *def, const mote_placement *at, const double x[3]);

#endif
