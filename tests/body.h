/* A single body in a world of forces, stepped by the engine through arrays of one. */
#ifndef MOTE_TESTS_BODY_H
#define MOTE_TESTS_BODY_H

#include "support.h"

/* The largest relative error of one float32 rounding. n roundings of either sign on a value a have a spread
 * of at most sqrt(n) UNIT a; four spreads are the bound. */
static const double UNIT = 0x1p-24;
static const double PI = 3.14159265358979323846;

typedef struct body {
    float position[3], velocity[3];
} body;

/* One integrator on one set of forces. */
typedef struct world {
    mote_integrator integrator;
    const mote_force_def *forces;
    uint32_t force_count;
    float mass;
    double timestep, time;
} world;

static inline mote_columns columns_of(const world *w, body *b) {
    return (mote_columns){.count = 1,
                          .position = {&b->position[0], &b->position[1], &b->position[2]},
                          .velocity = {&b->velocity[0], &b->velocity[1], &b->velocity[2]},
                          .uniform_mass = w->mass};
}

static inline mote_columns_def def_of(const world *w) {
    mote_columns_def def = mote_default_columns_def();
    def.integrator = w->integrator;
    def.forces = w->forces;
    def.force_count = w->force_count;
    def.timestep = w->timestep;
    def.time = w->time;
    return def;
}

/* The column as it is: position Verlet carries half-step velocities. */
static inline void advance_column(world *w, uint32_t steps, body *b) {
    mote_columns columns = columns_of(w, b);
    mote_columns_def def = def_of(w);
    def.steps = steps;
    assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
    w->time += steps * w->timestep;
}

/* v += fraction h a: between true velocities and those that position Verlet carries. Nothing for the
 * others. */
static inline void kick(const world *w, double fraction, body *b) {
    if (w->integrator != MOTE_POSITION_VERLET) return;
    mote_columns columns = columns_of(w, b);
    mote_columns_def def = def_of(w);
    assert_int_equal(mote_columns_kick(&columns, &def, fraction), MOTE_OK);
}

/* True velocities before and after. */
static inline void advance_truly(world *w, uint32_t steps, body *b) {
    kick(w, -0.5, b);
    advance_column(w, steps, b);
    kick(w, 0.5, b);
}

#endif
