/* Depth of points in colliders. */
#include "contacts/depth.h"

#include <math.h>

#include "contacts/distance_grid.h"
#include "contacts/height_field.h"

/* Computes R^T d for the rotation of a quaternion (v, w) of length 1: d - 2 w (v x d) + 2 v x (v x d). */
static void turn_back(const double rotation[4], const double d[3], double to[3]) {
    const double *v = rotation, w = rotation[3];
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

/* Returns the height of q above a height field along its normal; infinite beyond the samples. */
static double above_field(const mote_height_field *field, double radius, const double q[3]) {
    const double x = q[0] / (double)field->spacing[0], z = q[2] / (double)field->spacing[1];
    const uint32_t nx = field->count[0], nz = field->count[1];
    if (!(x >= 0 && z >= 0 && x <= nx - 1 && z <= nz - 1)) return INFINITY;
    const size_t i = x < nx - 1 ? (size_t)x : nx - 2, j = z < nz - 1 ? (size_t)z : nz - 2;
    const double a = x - (double)i, b = z - (double)j;
    double h[2][2];
    for (size_t n = 0; n < 4; n++) {
        const float *sample = field->samples + 2 * (i + n % 2 + nx * (j + n / 2));
        h[n / 2][n % 2] = (double)sample[0] + radius * (double)sample[1];
    }
    const double p = a < b ? h[1][1] - h[1][0] : h[0][1] - h[0][0],
                 s = a < b ? h[1][0] - h[0][0] : h[1][1] - h[0][1];
    const double px = p / (double)field->spacing[0], pz = s / (double)field->spacing[1];
    return (q[1] - (h[0][0] + a * p + b * s)) / __builtin_sqrt(1 + px * px + pz * pz);
}

/* Returns the distance of q in a distance grid; infinite beyond the samples. */
static double grid_distance(const mote_distance_grid *grid, const double q[3]) {
    size_t first = 0, step = 1, steps[3];
    double t[3], distance = 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t count = grid->count[axis];
        const double at = (q[axis] - (double)grid->origin[axis]) / (double)grid->spacing;
        if (!(at >= 0 && at <= count - 1)) return INFINITY;
        const size_t cell = at < count - 1 ? (size_t)at : count - 2;
        t[axis] = at - (double)cell;
        first += step * cell, steps[axis] = step, step *= count;
    }
    for (int n = 0; n < 8; n++) {
        double share = 1;
        size_t at = first;
        for (int axis = 0; axis < 3; axis++) {
            const bool far = n >> axis & 1;
            share *= far ? t[axis] : 1 - t[axis];
            at += far ? steps[axis] : 0;
        }
        distance += share * (double)grid->samples[at];
    }
    return distance;
}

double mote_collider_depth(const mote_collider_def *def, const mote_placement *at, const double x[3]) {
    const double half = (double)def->half_length, radius = (double)def->radius;
    double d[3], q[3];
    for (int i = 0; i < 3; i++) d[i] = x[i] - at->position[i];
    if (def->kind == MOTE_COLLIDER_SPHERE)
        return radius - __builtin_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    turn_back(at->rotation, d, q);
    switch (def->kind) {
    case MOTE_COLLIDER_PLANE:
        return -q[1];
    case MOTE_COLLIDER_BOX:
        return radius - distance_from_box(def->extent, q);
    case MOTE_COLLIDER_HEIGHT_FIELD:
        return -above_field(def->height_field, radius, q);
    case MOTE_COLLIDER_DISTANCE_GRID:
        return radius - grid_distance(def->distance_grid, q);
    case MOTE_COLLIDER_CAPSULE:
        q[1] -= q[1] < -half ? -half : q[1] > half ? half : q[1];
        break;
    default:
        break;
    }
    return radius - __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
}
