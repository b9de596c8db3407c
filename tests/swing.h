/* A small nonlinear swing of strands that stretch, in the engine and plainly in double. */
#ifndef MOTE_TESTS_SWING_H
#define MOTE_TESTS_SWING_H

#include "rope.h"

enum { STRANDS = 16, POINTS = 7 };

/* 0.6 m of 0.1 kg points that start in different directions with different velocities. */
typedef struct swing {
    mote_strands_def def;
    float positions[3 * STRANDS * POINTS];
    chain chain[STRANDS];
    chain_state start[STRANDS];
} swing;

static inline void make_chain(swing *s, uint32_t strand, bool free) {
    chain *c = &s->chain[strand];
    *c = (chain){.points = POINTS,
                 .mass = (double)s->def.mass / POINTS,
                 .gravity = GRAVITY,
                 .stiffness = 1 / (double)s->def.compliance,
                 .damping = s->def.damping};
    c->pinned[0] = !free;
    for (uint32_t k = 0; k + 1 < POINTS; k++)
        c->length[k] = apart(s->start[strand].x[k], s->start[strand].x[k + 1]);
}

static inline void make_swing(swing *s, bool damped, bool free) {
    random_source random = {11};
    s->def = mote_default_strands_def();
    s->def.substeps = 0; /* the system's */
    s->def.solver = MOTE_STRAND_SPRINGS;
    s->def.strand_count = STRANDS;
    s->def.points = POINTS;
    s->def.positions = s->positions;
    s->def.mass = 0.1f * POINTS;
    s->def.compliance = 1 / 64.0f;
    s->def.damping = damped ? 0.5f : 0;
    s->def.free_roots = free;
    memset(s->start, 0, sizeof s->start);
    for (uint32_t i = 0; i < STRANDS; i++) {
        double at[3] = {0};
        for (uint32_t k = 0; k < POINTS; k++) {
            double d[3] = {0.8 + 0.4 * sin(k + i), 0.3 * cos(2.0 * i), 0.4 * sin(3.0 * k + i)};
            const double scale = k ? 0.1 / sqrt(dot(d, d)) : 0;
            for (int a = 0; a < 3; a++) {
                at[a] += scale * d[a];
                s->positions[3 * (i * POINTS + k) + (uint32_t)a] = (float)at[a];
                s->start[i].x[k][a] = (float)at[a];
                s->start[i].v[k][a] = k || free ? (double)random_between(&random, -1, 1) : 0;
            }
        }
        make_chain(s, i, free);
    }
}

/* The engine's swing at its end. 16 steps a second of `substeps` each. */
static inline void run_swing(const swing *s, mote_integrator integrator, uint32_t steps, uint32_t substeps,
                             chain_state *end) {
    rope r = make_rope(&s->def, integrator, (mote_rate){16, 1}, substeps, GRAVITY);
    for (uint32_t i = 0; i < STRANDS; i++)
        for (uint32_t k = 0; k < POINTS; k++) store_point(&r, i, k, NULL, s->start[i].v[k]);
    step_rope(&r, steps);
    for (uint32_t i = 0; i < STRANDS; i++)
        for (uint32_t k = 0; k < POINTS; k++) load_point(&r, i, k, end[i].x[k], end[i].v[k]);
    destroy_rope(&r);
}

static inline void run_plainly(const swing *s, uint32_t strand, mote_integrator integrator, uint32_t steps,
                               uint32_t substeps, chain_state *end) {
    const double h = 1 / (16.0 * substeps);
    *end = s->start[strand];
    if (integrator == MOTE_POSITION_VERLET) chain_kick(&s->chain[strand], end, -h / 2);
    for (uint32_t n = 0; n < steps * substeps; n++) chain_step(&s->chain[strand], integrator, h, end);
}

/* The greatest distance of two states, in positions or velocities. */
static inline double worst_of(const chain_state *a, const chain_state *b, bool velocities) {
    double worst = 0;
    for (int k = 0; k < POINTS; k++)
        worst = fmax(worst, velocities ? apart(a->v[k], b->v[k]) : apart(a->x[k], b->x[k]));
    return worst;
}

/* Root of the mean square of the errors of positions, against RK4 in double with 16 times as many steps as
 * the finest. */
static inline double error_of(const swing *s, const chain_state *exact, mote_integrator integrator,
                              uint32_t substeps) {
    chain_state got[STRANDS];
    run_swing(s, integrator, 8, substeps, got);
    double sum = 0;
    for (int i = 0; i < STRANDS; i++)
        for (int k = 0; k < POINTS; k++) sum += pow(apart(got[i].x[k], exact[i].x[k]), 2);
    return sqrt(sum / (STRANDS * POINTS));
}

#endif
