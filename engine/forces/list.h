/* List of forces: X(kind, name, mote_force_gives). A new force needs a file NAME.h, its include and its line
 * here, and its declaration in mote/force.h. Callbacks are not in the list: they have no inline
 * evaluation. */
#ifndef MOTE_FORCES_LIST_H
#define MOTE_FORCES_LIST_H

#include "forces/anchor_spring.h"
#include "forces/attractor.h"
#include "forces/callback.h"
#include "forces/curl_noise.h"
#include "forces/gravity.h"
#include "forces/grid.h"
#include "forces/linear_field.h"
#include "forces/particle_anchors.h"
#include "forces/quadratic_drag.h"
#include "forces/thrust.h"
#include "forces/timed_thrust.h"
#include "forces/vortex.h"
#include "forces/wind.h"

#define MOTE_FORCE_LIST(X)                                                                                   \
    X(GRAVITY, gravity, ACCELERATION)                                                                        \
    X(THRUST, thrust, FORCE)                                                                                 \
    X(WIND, wind, FORCE)                                                                                     \
    X(ANCHOR_SPRING, anchor_spring, FORCE)                                                                   \
    X(ATTRACTOR, attractor, ACCELERATION)                                                                    \
    X(TIMED_THRUST, timed_thrust, FORCE)                                                                     \
    X(QUADRATIC_DRAG, quadratic_drag, FORCE)                                                                 \
    X(PARTICLE_ANCHORS, particle_anchors, FORCE)                                                             \
    X(LINEAR_FIELD, linear_field, FIELD)                                                                     \
    X(VORTEX, vortex, FIELD)                                                                                 \
    X(CURL_NOISE, curl_noise, FIELD)                                                                         \
    X(GRID, grid, FIELD)

#endif
