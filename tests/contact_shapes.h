/* Rotations and the distances of colliders' shapes in double, from their definitions. Include after
 * cmocka.h. */
#ifndef MOTE_TESTS_CONTACT_SHAPES_H
#define MOTE_TESTS_CONTACT_SHAPES_H

#include <float.h>
#include <math.h>

#include "support.h"

/* v turned by q or back, by q v q* with q of any length. */
static inline void turn(const float rotation[4], bool back, const double v[3], double to[3]) {
    double q[4], s = 0, t[3];
    for (int i = 0; i < 4; i++) q[i] = rotation[i], s += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= sqrt(s);
    for (int i = 0; i < 3 && back; i++) q[i] = -q[i];
    for (int i = 0; i < 3; i++)
        t[i] = 2 * (q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        to[i] = v[i] + q[3] * t[i] + (q[(i + 1) % 3] * t[(i + 2) % 3] - q[(i + 2) % 3] * t[(i + 1) % 3]);
}

static inline void localise(const mote_transform *at, const double x[3], double q[3]) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = x[k] - at->position[k];
    turn(at->rotation, true, d, q);
}

static inline double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double box_distance(const double q[3], const double half[3]) {
    double v[3], most = -DBL_MAX;
    for (int k = 0; k < 3; k++) {
        double beyond = fabs(q[k]) - half[k];
        v[k] = fmax(beyond, 0), most = fmax(most, beyond);
    }
    return most > 0 ? length(v) : most;
}

/* From the local point q to the surface of the shape, grown by the point's radius; negative inside. */
static inline double distance(const mote_collider_def *def, double radius, const double q[3]) {
    const double r = def->radius + radius, half[3] = {def->extent[0], def->extent[1], def->extent[2]};
    double v[3] = {q[0], q[1] - fmax(-def->half_length, fmin(def->half_length, q[1])), q[2]};
    switch (def->kind) {
    case MOTE_COLLIDER_SPHERE:
        return length(q) - r;
    case MOTE_COLLIDER_CAPSULE:
        return length(v) - r;
    case MOTE_COLLIDER_PLANE:
        return q[1] - radius;
    default:
        return box_distance(q, half) - r;
    }
}

/* A path must be stopped where this gets negative: three hundredths of the radius deep, or into the inner
 * half of a box's rounding. */
static inline double depth(const mote_collider_def *def, double radius, const double q[3]) {
    const double r = def->radius + radius,
                 half[3] = {def->extent[0] + r / 2, def->extent[1] + r / 2, def->extent[2] + r / 2};
    if (def->kind == MOTE_COLLIDER_BOX) return box_distance(q, half);
    return distance(def, radius, q) + (def->kind == MOTE_COLLIDER_PLANE ? 0 : r * (1 - sqrt(0.9375)));
}

typedef double measure(const mote_collider_def *def, double radius, const double q[3]);

/* The least of a function that is convex along the segment, by thirds: (2/3)^64 of the segment is left. */
static inline double least(measure *f, const mote_collider_def *def, double radius, const double a[3],
                           const double b[3]) {
    double low = 0, high = 1, value[2];
    for (int i = 0; i < 64; i++) {
        double s[2] = {low + (high - low) / 3, high - (high - low) / 3}, q[3];
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 3; k++) q[k] = a[k] + s[j] * (b[k] - a[k]);
            value[j] = f(def, radius, q);
        }
        if (value[0] < value[1])
            high = s[1];
        else
            low = s[0];
    }
    return fmin(value[0], value[1]);
}

static inline double between(random_source *random, double low, double high) {
    return random_between(random, (float)low, (float)high);
}

static inline mote_transform random_transform(random_source *random, double spread) {
    mote_transform t;
    for (int k = 0; k < 3; k++) t.position[k] = (float)between(random, -spread, spread);
    for (int k = 0; k < 4; k++) t.rotation[k] = (float)between(random, -1, 1);
    return t;
}

/* The kinds of convex shapes come first. */
enum { CONVEX_KINDS = MOTE_COLLIDER_BOX + 1 };

static inline mote_collider_def random_collider(random_source *random, mote_collider_kind kind) {
    static const double thickness[] = {1, 1, 0.3, 0.02};
    const double thin = thickness[random_below(random, 4)];
    mote_collider_def def = {.kind = kind, .transform = random_transform(random, 1), .friction = 0.5f};
    def.radius = (float)between(random, 0.1, 1) * (float)thin;
    def.half_length = random_below(random, 8) ? (float)between(random, 0, 1) : 0;
    for (int k = 0; k < 3; k++) def.extent[k] = (float)between(random, 0, 1);
    def.extent[random_below(random, 3)] *= random_below(random, 4) ? (float)thin : 0;
    if (kind == MOTE_COLLIDER_BOX && random_below(random, 2)) def.radius = 0;
    return def;
}

#endif
