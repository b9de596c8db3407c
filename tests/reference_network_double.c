/* The reference of networks in double: springs and their sums by the equations, for physics. */
#define REAL double
#include "integrator_template.h"

#include <math.h>

#include "reference_network.h"

typedef struct run {
    reference_network *n;
    const reference_surroundings *w;
    bodies bodies;
    uint32_t substep;
    reference_triple *dx, *dv; /* by kinematic springs, each alone */
} run;

/* --- Springs --- */

typedef struct line {
    double n[3], length, rate; /* direction from a to b, |d|, d'.n */
} line;

static line line_of(const reference_network *n, const reference_spring *k) {
    line l = {.length = 0};
    for (int axis = 0; axis < 3; axis++) {
        l.n[axis] = n->dx[k->b][axis] - n->dx[k->a][axis];
        l.length += l.n[axis] * l.n[axis];
    }
    l.length = sqrt(l.length);
    for (int axis = 0; axis < 3; axis++) {
        l.n[axis] = l.length > 0 ? l.n[axis] / l.length : 0;
        l.rate += l.n[axis] * (n->dv[k->b][axis] - n->dv[k->a][axis]);
    }
    return l;
}

/* F = k (|d| - L) + c d'.n along the line on both ends, and its impulse over `seconds` on pins. */
static void add_spring_force(const run *r, const reference_spring *k, double rest, double seconds, row *a) {
    reference_network *n = r->n;
    const line l = line_of(n, k);
    for (int axis = 0; axis < 3; axis++) {
        const double force = (k->stiffness * (l.length - rest) + k->damping * l.rate) * l.n[axis];
        a[k->a][axis] += (double)n->mass[k->a] * force;
        a[k->b][axis] -= (double)n->mass[k->b] * force;
        if (n->mass[k->a] == 0) n->dreaction[k->a][axis] += seconds * force;
        if (n->mass[k->b] == 0) n->dreaction[k->b][axis] -= seconds * force;
    }
}

/* Each spring alone along n at the start, e'' = -(wa + wb) (k e + c e'): the elongation's dx and dv, shared
 * by inverse mass. */
static void add_uncoupled_force(const run *r, const reference_spring *k, double rest) {
    reference_network *n = r->n;
    const double wa = (double)n->mass[k->a], wb = (double)n->mass[k->b], both = wa + wb, h = r->bodies.h;
    if (both == 0) return;
    const line l = line_of(n, k);
    const double e = l.length - rest;
    double state[2] = {e, l.rate};
    reference_flow(0, -(long double)both * k->damping, -(long double)both * k->stiffness, h, state);
    const bool average = r->w->integrator == MOTE_KINEMATIC_AVERAGE;
    const double gain = state[1] - l.rate, shift = average ? h * gain / 2 : state[0] - e - h * l.rate;
    for (int axis = 0; axis < 3; axis++) {
        const double impulse = -gain / both * l.n[axis], path = -shift / both * l.n[axis];
        r->dv[k->a][axis] += wa * impulse, r->dx[k->a][axis] += wa * path;
        r->dv[k->b][axis] -= wb * impulse, r->dx[k->b][axis] -= wb * path;
        if (wa == 0) n->dreaction[k->a][axis] += impulse;
        if (wb == 0) n->dreaction[k->b][axis] -= impulse;
    }
}

static void accelerate(const bodies *b, double time, double weight, row *a) {
    const run *r = b->user;
    const double at = r->substep + time;
    reference_place_pins(r->n, r->w, at);
    for (uint32_t i = 0; i < r->n->spring_end; i++) {
        const reference_spring *k = &r->n->spring[i];
        if (!k->alive) continue;
        const double rest = reference_length(r->n, k, r->w, at);
        if (is_kinematic(b))
            add_uncoupled_force(r, k, rest);
        else
            add_spring_force(r, k, rest, weight, a);
    }
    for (uint32_t i = 0; i < b->count && r->w->force; i++)
        r->w->force(r->w->user, reference_seconds(r->w, at), (double)b->inverse_mass[i], b->x[i], b->v[i],
                    a[i]);
}

/* --- The step --- */

static void substep(const run *r) {
    const bodies *b = &r->bodies;
    reference_move_pins(r->n, r->w, r->substep);
    memset(r->dx, 0, 2 * b->count * sizeof *r->dx);
    take_substep(b);
    FOR_EACH_FREE(b) b->x[i][axis] += r->dx[i][axis], b->v[i][axis] += r->dv[i][axis];
    reference_place_pins(r->n, r->w, r->substep + 1);
}

void reference_double_network_step(reference_network *n, const reference_surroundings *w) {
    run r = {.n = n,
             .w = w,
             .dx = calloc(2 * n->count, sizeof *r.dx),
             .bodies = {.integrator = w->integrator,
                        .count = n->count,
                        .x = n->dx,
                        .v = n->dv,
                        .inverse_mass = n->mass,
                        .h = w->timestep / (double)w->substeps,
                        .forces = w->forces,
                        .force_count = w->force_count,
                        .user = &r,
                        .accelerate = accelerate}};
    if (!r.dx) abort();
    r.dv = r.dx + n->count;
    reference_fold(w->forces, w->force_count, &r.bodies.acceleration, &r.bodies.newtons);
    /* Position Verlet: from v(t - before / 2) to v(t - h / 2). Pins have the velocity of the step before. */
    const double before = n->started ? w->timestep / (double)n->last_substeps : 0;
    if (w->integrator == MOTE_POSITION_VERLET && before != r.bodies.h)
        kick(&r.bodies, 0, (before - r.bodies.h) / 2);
    memset(n->dreaction, 0, n->count * sizeof *n->dreaction);
    for (; r.substep < w->substeps; r.substep++) substep(&r);
    free(r.dx);
}
