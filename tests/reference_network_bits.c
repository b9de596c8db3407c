/* The plain reference of networks in float: the step in the order of operations that the kernels promise,
 * particle by particle and spring by spring in ascending number. */
#define REAL float
#include "integrator_template.h"

#include <math.h>

#include "reference_network.h"

typedef struct run {
    reference_network *n;
    const reference_surroundings *w;
    bodies bodies;
    uint32_t substep;
    reference_row *force, *shift, *none; /* by springs; kinematic: impulses and displacements; 0 */
} run;

/* --- Forces --- */

static void add_spring(const run *r, const reference_spring *k, uint32_t self, uint32_t other, float rest) {
    const reference_network *n = r->n;
    const reference_line line = reference_line_of(n->x[self], n->v[self], n->x[other], n->v[other]);
    const double both = (double)n->mass[self] + (double)n->mass[other];
    if (!is_kinematic(&r->bodies))
        reference_spring_force(&line, rest, (float)k->stiffness, (float)k->damping, r->force[self]);
    else if (both > 0)
        reference_uncoupled_force(&line, &(reference_spring_force_of){rest, k->stiffness, k->damping, both},
                                  r->w->integrator, r->bodies.h, r->force[self], r->shift[self]);
}

static void sum_springs(const run *r, double at) {
    memset(r->force, 0, r->n->count * sizeof *r->force);
    memset(r->shift, 0, r->n->count * sizeof *r->shift);
    for (uint32_t i = 0; i < r->n->spring_end; i++) {
        const reference_spring *k = &r->n->spring[i];
        if (!k->alive) continue;
        const float rest = (float)reference_length(r->n, k, r->w, at);
        add_spring(r, k, k->a, k->b, rest);
        add_spring(r, k, k->b, k->a, rest);
    }
}

static void accelerate(const bodies *b, double time, float weight, row *a) {
    const run *r = b->user;
    const double at = (double)r->substep + time;
    reference_others others = {.forces = b->forces,
                               .force_count = b->force_count,
                               .n = b->count,
                               .time = reference_seconds(r->w, at),
                               .drag_rate = drag_rate(b, 0),
                               .x = b->x,
                               .v = b->v,
                               .inverse_mass = b->inverse_mass};
    reference_place_pins(r->n, r->w, at);
    sum_springs(r, at);
    reference_accelerate(&others, is_kinematic(b) ? r->none : r->force, a);
    for (uint32_t i = 0; i < b->count; i++)
        for (int axis = 0; axis < 3 && b->inverse_mass[i] == 0; axis++)
            r->n->reaction[i][axis] += is_kinematic(b) ? r->force[i][axis] : weight * r->force[i][axis];
}

/* --- The step --- */

/* Islands with a value that is not finite, and those that had one earlier, stand where the step began and
 * exert no force. */
static void commit(reference_network *n, reference_row *x, reference_row *v) {
    bool *lost = calloc(n->count, sizeof *lost); /* by the island's sign */
    if (!lost) abort();
    for (uint32_t i = 0; i < n->count; i++)
        for (int axis = 0; axis < 3; axis++)
            lost[n->island[i]] |= n->frozen[i] || !isfinite(n->x[i][axis]) || !isfinite(n->v[i][axis]);
    for (uint32_t i = 0; i < n->count; i++) {
        n->frozen[i] = lost[n->island[i]];
        if (!n->frozen[i]) continue;
        memcpy(n->x[i], x[i], sizeof *x);
        memcpy(n->v[i], v[i], sizeof *v);
        memset(n->reaction[i], 0, sizeof *n->reaction);
    }
    free(lost);
}

/* Position Verlet: to v(t - h / 2) from v(t), or from that of half a substep as the last step had them. */
static void half_step(const run *r) {
    const double before =
        r->n->started ? (double)r->w->substeps / (double)r->n->last_substeps : 0; /* in substeps */
    row *start = copy_state(&r->bodies, 2);
    kick(&r->bodies, 0, -0.5 * (1 - before) * r->w->timestep / (double)r->w->substeps);
    commit(r->n, start, start + r->n->count);
    free(start);
}

static void substep(const run *r) {
    reference_network *n = r->n;
    reference_move_pins(n, r->w, r->substep);
    take_substep(&r->bodies);
    for (uint32_t i = 0; i < n->count && is_kinematic(&r->bodies); i++)
        for (int axis = 0; axis < 3 && n->mass[i] > 0; axis++) {
            n->x[i][axis] += n->mass[i] * r->shift[i][axis];
            n->v[i][axis] += n->mass[i] * r->force[i][axis];
        }
    reference_place_pins(n, r->w, (double)r->substep + 1);
}

void reference_float_network_step(reference_network *n, const reference_surroundings *w) {
    row *springs = calloc(3 * (size_t)n->count, sizeof *springs);
    run r = {.n = n,
             .w = w,
             .force = springs,
             .shift = springs + n->count,
             .none = springs + 2 * (size_t)n->count,
             .bodies = {.integrator = w->integrator,
                        .count = n->count,
                        .x = n->x,
                        .v = n->v,
                        .inverse_mass = n->mass,
                        .h = w->timestep / (double)w->substeps,
                        .forces = w->forces,
                        .force_count = w->force_count,
                        .user = &r,
                        .accelerate = accelerate}};
    bodies *b = &r.bodies;
    if (!springs) abort();
    reference_fold(w->forces, w->force_count, &b->acceleration, &b->newtons);
    if (n->uniform_mass > 0) {
        b->same_mass = 1.0 / (1.0 / (double)n->uniform_mass);
        b->acceleration = reference_over_mass(&b->acceleration, &b->newtons, b->same_mass);
        b->newtons = (reference_affine){{0}, {0}, {0}};
    }
    if (w->integrator == MOTE_POSITION_VERLET && (!n->started || n->last_substeps != w->substeps))
        half_step(&r);
    row *start = copy_state(b, 2);
    memset(n->reaction, 0, n->count * sizeof *n->reaction);
    for (; r.substep < w->substeps; r.substep++) substep(&r);
    commit(n, start, start + n->count);
    free(start), free(springs);
}
