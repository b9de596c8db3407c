/* A single body in a world of forces, stepped by the engine and by the double reference: what the physics
 * tests run. */
#ifndef MOTE_TESTS_WORLD_H
#define MOTE_TESTS_WORLD_H

#include <math.h>
#include <stdbool.h>

#include "body.h"
#include "reference.h"

/* The velocity of a body is the true one. */
static inline void advance(world *w, uint32_t steps, body *b) { advance_truly(w, steps, b); }

static inline void add_double_attractor(const mote_force_def *f, const double x[3], double a[3]) {
    double d[3], r2 = (double)f->as.attractor.softening * f->as.attractor.softening;
    for (int k = 0; k < 3; k++) d[k] = (double)f->as.attractor.centre[k] - x[k], r2 += d[k] * d[k];
    for (int k = 0; k < 3; k++) a[k] += f->as.attractor.strength * d[k] / pow(r2, 1.5);
}

static inline void add_double_force(const mote_force_def *f, const double x[3], const double v[3],
                                    double mass, double a[3]) {
    if (f->kind == MOTE_FORCE_ATTRACTOR) add_double_attractor(f, x, a);
    for (int k = 0; k < 3; k++) switch (f->kind) {
        case MOTE_FORCE_GRAVITY:
            a[k] += f->as.gravity.acceleration[k];
            break;
        case MOTE_FORCE_THRUST:
            a[k] += f->as.thrust.force[k] / mass;
            break;
        case MOTE_FORCE_WIND:
            a[k] += f->drag * (f->as.wind.velocity[k] - v[k]) / mass;
            break;
        case MOTE_FORCE_ANCHOR_SPRING:
            a[k] += (f->as.anchor_spring.stiffness * (f->as.anchor_spring.anchor[k] - x[k]) -
                     f->as.anchor_spring.damping * v[k]) /
                    mass;
            break;
        default:
            break;
        }
}

/* Quadratic drag F = -c |v| v and, for the orders, a force that swings in time: the engine's callbacks and
 * their twins in double stand together. */
static const float quadratic_drag = 0.05f;

static inline void drag_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    for (uint32_t i = 0; i < stage->count; i++) {
        float u = stage->velocity_x[i], v = stage->velocity_y[i], w = stage->velocity_z[i];
        float f = -quadratic_drag * sqrtf(u * u + v * v + w * w);
        x[i] += f * u, y[i] += f * v, z[i] += f * w;
    }
}

static inline void swing_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user, (void)z;
    float swing = (float)sin(3 * stage->time);
    for (uint32_t i = 0; i < stage->count; i++) x[i] += swing, y[i] += swing * stage->x[i];
}

static inline void double_forces(const void *context, double time, const double x[3], const double v[3],
                                 double a[3]) {
    const world *w = context;
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    a[0] = a[1] = a[2] = 0;
    for (uint32_t i = 0; i < w->force_count; i++) {
        const mote_force_def *f = &w->forces[i];
        add_double_force(f, x, v, w->mass, a);
        if (f->kind != MOTE_FORCE_CALLBACK) continue;
        for (int k = 0; k < 3 && f->as.callback.function == drag_callback; k++)
            a[k] -= quadratic_drag * speed * v[k] / w->mass;
        if (f->as.callback.function == swing_callback) a[0] += sin(3 * time), a[1] += sin(3 * time) * x[0];
    }
}

static inline reference_body widen(const body *b) {
    reference_body wide;
    for (int k = 0; k < 3; k++) wide.position[k] = b->position[k], wide.velocity[k] = b->velocity[k];
    return wide;
}

static inline void kick_double(const world *w, double fraction, reference_body *b) {
    double a[3];
    double_forces(w, w->time, b->position, b->velocity, a);
    for (int k = 0; k < 3; k++) b->velocity[k] += fraction * w->timestep * a[k];
}

/* The same integrator in double precision. */
static inline void advance_double(world *w, uint32_t steps, reference_body *b) {
    bool half_steps = w->integrator == MOTE_POSITION_VERLET;
    if (half_steps) kick_double(w, -0.5, b);
    for (uint32_t n = 0; n < steps; n++) {
        reference_double_step(w->integrator, double_forces, w, w->time, w->timestep, b);
        w->time += w->timestep;
    }
    if (half_steps) kick_double(w, 0.5, b);
}

/* The solution itself: RK4 in double with steps far below any that is tested. */
static inline reference_body solve(const world *w, double seconds, const body *start) {
    world fine = *w;
    fine.integrator = MOTE_RK4;
    fine.timestep = seconds / 20000;
    reference_body b = widen(start);
    advance_double(&fine, 20000, &b);
    return b;
}

static inline double distance(const body *b, const reference_body *to) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += pow(b->position[k] - to->position[k], 2);
        sum += pow(b->velocity[k] - to->velocity[k], 2);
    }
    return sqrt(sum);
}

static inline void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g within %.3g", got, want, tolerance);
}

#endif
