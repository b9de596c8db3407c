/* Depth of points in colliders. */
#include "contacts/depth.h"

#include <math.h>

/* Computes R^T d for the rotation of a unit quaternion (v, w): d - 2 w (v x d) + 2 v x (v x d). */
static void turn_back(const float rotation[4], const double d[3], double to[3]) {
    const double v[3] = {(double)rotation[0], (double)rotation[1], (double)rotation[2]},
                 w = (double)rotation[3];
    const double t[3] = {2 * (v[1] * d[2] - v[2] * d[1]), 2 * (v[2] * d[0] - v[0] * d[2]),
                         2 * (v[0] * d[1] - v[1] * d[0])};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = d[i] - w * t[i] + (v[j] * t[k] - v[k] * t[j]);
    }
}

/* Returns the distance of q from the surface of a box of half edges e; negative inside. */
static double distance_from_box(const float e[3], const double q[3]) {
    double outside = 0, nearest = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const double beyond = fabs(q[i]) - (double)e[i];
        if (beyond > 0) outside += beyond * beyond;
        if (beyond > nearest) nearest = beyond;
    }
    return outside > 0 ? __builtin_sqrt(outside) : nearest;
}

double mote_collider_depth(const mote_collider_def *def, const mote_transform *at, const double x[3]) {
    double d[3], q[3];
    for (int i = 0; i < 3; i++) d[i] = x[i] - (double)at->position[i];
    turn_back(at->rotation, d, q);
    const double half = (double)def->half_length, radius = (double)def->radius;
    switch (def->kind) {
    case MOTE_COLLIDER_PLANE:
        return -q[1];
    case MOTE_COLLIDER_BOX:
        return radius - distance_from_box(def->extent, q);
    case MOTE_COLLIDER_CAPSULE:
        q[1] -= q[1] < -half ? -half : q[1] > half ? half : q[1];
        break;
    default:
        break;
    }
    return radius - __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
}
