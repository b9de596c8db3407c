/* Bodies that turn, and their quantities in double, for the tests of orientation. */
#ifndef MOTE_TESTS_ORIENTATION_SCENE_H
#define MOTE_TESTS_ORIENTATION_SCENE_H

#include <math.h>

#include "systems.h"

#define PI 3.14159265358979323846

/* 60 steps a second, three principal moments, torques, no interpolation. */
static inline mote_system_def turning_def(uint32_t capacity) {
    mote_system_def def = mote_default_system_def();
    def.capacity = capacity, def.interpolation = MOTE_INTERPOLATE_NONE;
    def.orientation = def.principal_moments = def.external_torques = true;
    return def;
}

static inline void spin(const mote_range_view *view, uint32_t i, double x, double y, double z) {
    view->angular_velocity.x[i] = (float)x, view->angular_velocity.y[i] = (float)y;
    view->angular_velocity.z[i] = (float)z;
}

static inline void turn_to(const mote_range_view *view, uint32_t i, double x, double y, double z, double w) {
    view->orientation.x[i] = (float)x, view->orientation.y[i] = (float)y;
    view->orientation.z[i] = (float)z, view->orientation.w[i] = (float)w;
}

static inline double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static inline void product(const double a[4], const double b[4], double out[4]) {
    const double p[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                         a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                         a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                         a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(out, p, sizeof p);
}

static inline void orientation_of(const mote_range_view *view, uint32_t i, double q[4]) {
    q[0] = (double)view->orientation.x[i], q[1] = (double)view->orientation.y[i];
    q[2] = (double)view->orientation.z[i], q[3] = (double)view->orientation.w[i];
}

/* Turns a vector of the body into the world: q v q* / |q|^2. */
static inline void out_of(const double q[4], const double v[3], double out[3]) {
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const double pure[4] = {v[0], v[1], v[2], 0}, back[4] = {-q[0], -q[1], -q[2], q[3]};
    double turned[4];
    product(q, pure, turned);
    product(turned, back, turned);
    for (int k = 0; k < 3; k++) out[k] = turned[k] / square;
}

/* Angle (rad) between two orientations of any length. */
static inline double angle_of(const double a[4], const double b[4]) {
    const double back[4] = {-a[0], -a[1], -a[2], a[3]};
    double turn[4];
    product(back, b, turn);
    return 2 * atan2(length(turn), fabs(turn[3]));
}

static inline double angle_between(const mote_range_view *view, uint32_t i, const double want[4]) {
    double q[4];
    orientation_of(view, i, q);
    return angle_of(q, want);
}

typedef struct body {
    double energy, momentum[3]; /* J; kg m^2/s in the world */
} body;

static inline body body_of(const mote_range_view *view, uint32_t i, const float inertia[3]) {
    const double w[3] = {(double)view->angular_velocity.x[i], (double)view->angular_velocity.y[i],
                         (double)view->angular_velocity.z[i]};
    double q[4], own[3];
    body b = {0};
    for (int k = 0; k < 3; k++) {
        own[k] = (double)inertia[k] * w[k];
        b.energy += own[k] * w[k] / 2;
    }
    orientation_of(view, i, q);
    out_of(q, own, b.momentum);
    return b;
}

#endif
