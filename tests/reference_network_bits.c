/* The plain reference of networks in float: the step in the order of operations that the kernels promise,
 * particle by particle and spring by spring in ascending number. Affine maps in double are taken from the
 * engine, whose propagator is tested by itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrators/scheme.h"
#include "reference.h"
#include "reference_network.h"

typedef struct run {
    reference_network *n;
    const reference_surroundings *w;
    double h;
    reference_affine acceleration, newtons; /* of all forces; newtons: 0 where the mass is uniform */
    bool inlined, callbacks;
    reference_row *force, *shift; /* of springs; shift, and force as impulse: kinematic */
    reference_row *called[2];     /* sums of callbacks: m/s^2, N */
    reference_row *dv;
} run;

/* Runs the loop body for each particle that may move, and axis. */
#define FOR_EACH_FREE(n)                                                                                     \
    for (uint32_t i = 0; i < (n)->count; i++)                                                                \
        for (int axis = 0; axis < 3 && (n)->mass[i] > 0; axis++)

static reference_row *rows(const reference_network *n) {
    reference_row *r = calloc(n->count, sizeof *r);
    if (!r) abort();
    return r;
}

static reference_row *copied(const reference_network *n, reference_row *from) {
    reference_row *r = rows(n);
    memcpy(r, from, n->count * sizeof *r);
    return r;
}

static bool uncoupled(const run *r) {
    return r->w->integrator == MOTE_KINEMATIC || r->w->integrator == MOTE_KINEMATIC_AVERAGE;
}

/* --- What is on its way --- */

static void place(const run *r, double at) {
    for (uint32_t i = 0; i < r->n->pin_count; i++) {
        const reference_pin *p = &r->n->pin[i];
        const float f = (float)reference_journey(p->from_tick, p->to_tick, r->w, reference_ticks(r->w, at));
        for (int axis = 0; axis < 3; axis++) {
            const float from = (float)p->from[axis], to = (float)p->to[axis];
            r->n->x[p->particle][axis] = f < 1 ? from + f * (to - from) : to;
        }
    }
}

/* From where they stand at the start of the substep to its end, over h. */
static void move_pins(const run *r, uint32_t substep) {
    const float rate = (float)(1.0 / r->h);
    reference_row *start = copied(r->n, r->n->x);
    place(r, (double)substep + 1);
    for (uint32_t i = 0; i < r->n->pin_count; i++) {
        const uint32_t at = r->n->pin[i].particle;
        for (int axis = 0; axis < 3; axis++) r->n->v[at][axis] = rate * (r->n->x[at][axis] - start[at][axis]);
        memcpy(r->n->x[at], start[at], sizeof *start);
    }
    free(start);
}

static float length_at(const run *r, const reference_spring *k, double at) {
    if (!k->reels) return k->rest_length;
    const float f = (float)reference_journey(k->from_tick, k->to_tick, r->w, reference_ticks(r->w, at));
    return f < 1 ? k->from + f * (k->to - k->from) : k->to;
}

/* --- Springs --- */

static float dot(const float a[3], const float b[3]) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

typedef struct line {
    float d[3], speed[3], length, inverse;
} line;

/* As its end `self` sees it. */
static line line_of(const reference_network *n, uint32_t self, uint32_t other) {
    line l;
    for (int axis = 0; axis < 3; axis++) {
        l.d[axis] = n->x[other][axis] - n->x[self][axis];
        l.speed[axis] = n->v[other][axis] - n->v[self][axis];
    }
    l.length = sqrtf(dot(l.d, l.d));
    l.inverse = 1 / (l.length < 1e-18f ? 1e-18f : l.length);
    return l;
}

static void add_pull(const run *r, const reference_spring *k, uint32_t self, uint32_t other, float rest) {
    const line l = line_of(r->n, self, other);
    float tension = (float)k->stiffness * (l.length - rest);
    if (k->damping != 0) tension += (float)k->damping * (dot(l.d, l.speed) * l.inverse);
    for (int axis = 0; axis < 3; axis++) r->force[self][axis] += (tension * l.inverse) * l.d[axis];
}

/* The exact or average motion of a spring as if it were alone, for the inverse mass that it feels. */
static void add_lone(const run *r, const reference_spring *k, uint32_t self, uint32_t other, float rest) {
    const double both = (double)r->n->mass[self] + (double)r->n->mass[other];
    const mote_map_kind kind =
        r->w->integrator == MOTE_KINEMATIC ? MOTE_MAP_KINEMATIC : MOTE_MAP_KINEMATIC_AVERAGE;
    const mote_exact_map m = mote_map_make(kind, 0, -k->damping * both, -k->stiffness * both, r->h);
    if (both == 0) return;
    const float vx = (float)(m.vx / both), vv = (float)(m.vv / both), xx = (float)(m.xx / both);
    const float xv = (float)((m.xv - r->h) / both);
    const line l = line_of(r->n, self, other);
    const float e = l.length - rest, rate = dot(l.d, l.speed) * l.inverse;
    const float impulse = 0 - (vx * e + vv * rate), path = 0 - (xx * e + xv * rate);
    for (int axis = 0; axis < 3; axis++) {
        r->force[self][axis] += (impulse * l.inverse) * l.d[axis];
        r->shift[self][axis] += (path * l.inverse) * l.d[axis];
    }
}

static void sum_springs(const run *r, double at) {
    memset(r->force, 0, r->n->count * sizeof *r->force);
    memset(r->shift, 0, r->n->count * sizeof *r->shift);
    for (uint32_t i = 0; i < r->n->spring_end; i++) {
        const reference_spring *k = &r->n->spring[i];
        if (!k->alive) continue;
        const float rest = length_at(r, k, at);
        for (int end = 0; end < 2; end++)
            (uncoupled(r) ? add_lone : add_pull)(r, k, end ? k->b : k->a, end ? k->a : k->b, rest);
    }
}

/* --- Forces of the system --- */

static void read_forces(run *r) {
    for (uint32_t i = 0; i < r->w->force_count; i++) {
        const mote_force_def *f = &r->w->forces[i];
        if (reference_folds(f)) reference_fold(f, &r->acceleration, &r->newtons);
        r->inlined |= reference_is_inline(f);
        r->callbacks |= f->kind == MOTE_FORCE_CALLBACK;
    }
    if (r->n->uniform_mass == 0) return;
    reference_add_over_mass(&r->acceleration, &r->newtons, 1.0 / (1.0 / (double)r->n->uniform_mass));
    memset(&r->newtons, 0, sizeof r->newtons);
}

static bool any(const double value[3]) { return value[0] != 0 || value[1] != 0 || value[2] != 0; }
static bool present(const reference_affine *a) {
    return any(a->constant) || any(a->damping) || any(a->stiffness);
}

static float affine_dv(const reference_affine *a, int axis, double seconds, float x, float v) {
    const float dv = (float)(a->constant[axis] * seconds) + (float)(a->damping[axis] * seconds) * v;
    return any(a->stiffness) ? dv + (float)(a->stiffness[axis] * seconds) * x : dv;
}

static float *column(const reference_network *n, reference_row *from, int axis) {
    float *c = calloc(n->count, sizeof *c);
    if (!c) abort();
    for (uint32_t i = 0; i < n->count && from; i++) c[i] = from[i][axis];
    return c;
}

static void revert_diverged(const run *r, double time) {
    const reference_network *n = r->n;
    float *c[12];
    for (int i = 0; i < 12; i++) c[i] = column(n, i < 3 ? n->x : i < 6 ? n->v : NULL, i % 3);
    const mote_stage_view view = {.time = time,
                                  .count = n->count,
                                  .x = c[0],
                                  .y = c[1],
                                  .z = c[2],
                                  .velocity_x = c[3],
                                  .velocity_y = c[4],
                                  .velocity_z = c[5],
                                  .inverse_mass = n->mass};
    for (uint32_t i = 0; i < r->w->force_count; i++) {
        const mote_force_def *f = &r->w->forces[i];
        if (f->kind != MOTE_FORCE_CALLBACK || f->as.callback.reach == MOTE_REACH_RANGE) continue;
        float **to = c + (f->as.callback.unit == MOTE_NEWTONS ? 9 : 6);
        f->as.callback.function(f->as.callback.user, &view, to[0], to[1], to[2]);
    }
    for (uint32_t i = 0; i < n->count; i++)
        for (int axis = 0; axis < 3; axis++)
            for (int unit = 0; unit < 2; unit++) r->called[unit][i][axis] = c[6 + 3 * unit + axis][i];
    for (int i = 0; i < 12; i++) free(c[i]);
}

/* The inline forces on particle i by unit: m/s^2, N. */
static void sum_inline(const run *r, double time, uint32_t i, float push[2][3]) {
    for (uint32_t k = 0; k < r->w->force_count; k++) {
        const mote_force_def *f = &r->w->forces[k];
        float value[3];
        if (!reference_is_inline(f) || f->kind == MOTE_FORCE_PARTICLE_ANCHORS) continue;
        reference_force(f, time, r->n->x[i], r->n->v[i], (float[3]){0}, value);
        for (int axis = 0; axis < 3; axis++) push[reference_gives_newtons(f)][axis] += value[axis];
    }
}

/* dv of every particle over `seconds` at the fraction `part` of the substep; maps: without what is affine.
 * weight: the seconds for which the springs' forces count for what is pinned. */
static void evaluate(const run *r, uint32_t substep, double part, double seconds, float weight, bool maps) {
    const reference_network *n = r->n;
    const double time = reference_seconds(r->w, substep, part);
    place(r, (double)substep + part);
    sum_springs(r, (double)substep + part);
    if (r->callbacks) revert_diverged(r, time);
    for (uint32_t i = 0; i < n->count; i++) {
        float push[2][3] = {{0}};
        if (r->inlined) sum_inline(r, time, i, push);
        for (int axis = 0; axis < 3; axis++) {
            float force = uncoupled(r) ? 0 : r->force[i][axis], sum;
            if (r->callbacks) force += r->called[1][i][axis];
            sum = r->inlined ? push[0][axis] + n->mass[i] * (push[1][axis] + force) : n->mass[i] * force;
            if (r->callbacks) sum += r->called[0][i][axis];
            r->dv[i][axis] = (float)seconds * sum;
            if (n->mass[i] == 0)
                n->reaction[i][axis] += uncoupled(r) ? r->force[i][axis] : weight * r->force[i][axis];
            if (maps) continue;
            float affine = affine_dv(&r->acceleration, axis, seconds, n->x[i][axis], n->v[i][axis]);
            if (present(&r->newtons))
                affine += n->mass[i] * affine_dv(&r->newtons, axis, seconds, n->x[i][axis], n->v[i][axis]);
            r->dv[i][axis] = affine + r->dv[i][axis];
        }
    }
}

/* The map of one axis over h for an inverse mass, of all affine forces together or of each alone and then
 * summed. */
static mote_map map_of(const run *r, mote_map_kind kind, double mass, int axis) {
    mote_exact_map sum = {0, r->h, 0, 0, 0, 0};
    reference_affine all = r->acceleration;
    reference_add_over_mass(&all, &r->newtons, mass);
    if (kind == MOTE_MAP_EXACT_FLOW || kind == MOTE_MAP_IMPLICIT_EULER)
        sum = mote_map_make(kind, all.constant[axis], all.damping[axis], all.stiffness[axis], r->h);
    for (uint32_t i = 0; i < r->w->force_count && uncoupled(r); i++) {
        reference_affine one = {{0}, {0}, {0}}, newtons = {{0}, {0}, {0}};
        if (!reference_folds(&r->w->forces[i])) continue;
        reference_fold(&r->w->forces[i], &one, &newtons);
        reference_add_over_mass(&one, &newtons, mass);
        const mote_exact_map m =
            mote_map_make(kind, one.constant[axis], one.damping[axis], one.stiffness[axis], r->h);
        sum.xx += m.xx, sum.xv += m.xv - r->h, sum.xc += m.xc;
        sum.vx += m.vx, sum.vv += m.vv, sum.vc += m.vc;
    }
    return mote_map_round(&sum);
}

static void apply_map(const run *r, mote_map_kind kind) {
    const double same = r->n->uniform_mass > 0 ? 1.0 / (1.0 / (double)r->n->uniform_mass) : 0;
    FOR_EACH_FREE(r->n) {
        const mote_map m = map_of(r, kind, same > 0 ? same : (double)r->n->mass[i], axis);
        const float x = r->n->x[i][axis], v = r->n->v[i][axis];
        r->n->x[i][axis] = x + ((m.xx * x + m.xv * v) + m.xc);
        r->n->v[i][axis] = v + ((m.vx * x + m.vv * v) + m.vc);
    }
}

/* --- Stages --- */

static void drift(const run *r, double seconds) {
    FOR_EACH_FREE(r->n) r->n->x[i][axis] += (float)seconds * r->n->v[i][axis];
}

static void kick(const run *r, uint32_t substep, double time, double seconds) {
    evaluate(r, substep, time, seconds, (float)seconds, false);
    FOR_EACH_FREE(r->n) r->n->v[i][axis] += r->dv[i][axis];
}

/* Three leapfrogs, drift first; drifts that meet are one. */
static void yoshida4(const run *r, uint32_t substep) {
    const double w1 = 1.3512071919596578, w0 = -1.7024143839193153, h = r->h;
    drift(r, w1 / 2 * h);
    kick(r, substep, w1 / 2, w1 * h);
    drift(r, (w0 + w1) / 2 * h);
    kick(r, substep, 0.5, w0 * h);
    drift(r, (w0 + w1) / 2 * h);
    kick(r, substep, 1 - w1 / 2, w1 * h);
    drift(r, w1 / 2 * h);
}

static void pefrl(const run *r, uint32_t substep) {
    const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.06626458266981849, h = r->h;
    drift(r, xi * h);
    kick(r, substep, xi, (0.5 - lambda) * h);
    drift(r, chi * h);
    kick(r, substep, xi + chi, lambda * h);
    drift(r, (1 - 2 * (chi + xi)) * h);
    kick(r, substep, 1 - xi - chi, lambda * h);
    drift(r, chi * h);
    kick(r, substep, 1 - xi, (0.5 - lambda) * h);
    drift(r, xi * h);
}

static void velocity_verlet(const run *r, uint32_t substep) {
    const float h = (float)r->h;
    evaluate(r, substep, 0, r->h, 0.5f * h, false);
    reference_row *v = copied(r->n, r->n->v), *first = copied(r->n, r->dv);
    FOR_EACH_FREE(r->n) {
        r->n->x[i][axis] += h * (v[i][axis] + 0.5f * first[i][axis]);
        r->n->v[i][axis] = v[i][axis] + first[i][axis];
    }
    evaluate(r, substep, 1, r->h, 0.5f * h, false);
    FOR_EACH_FREE(r->n) r->n->v[i][axis] = v[i][axis] + 0.5f * (first[i][axis] + r->dv[i][axis]);
    free(v), free(first);
}

typedef struct tableau {
    int stages;
    double time[4], next[4], weight[4];
} tableau;

static const tableau euler = {1, {0}, {0}, {1}}, midpoint = {2, {0, 0.5}, {0.5, 0}, {0, 1}},
                     rk4 = {4, {0, 0.5, 0.5, 1}, {0.5, 0.5, 1, 0}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

static void runge_kutta(const run *r, uint32_t substep, const tableau *t) {
    reference_row *x = copied(r->n, r->n->x), *v = copied(r->n, r->n->v), *sum_x = rows(r->n),
                  *sum_v = rows(r->n);
    for (int stage = 0; stage < t->stages; stage++) {
        const float weight = (float)t->weight[stage], next = (float)t->next[stage], h = (float)r->h;
        const bool last = stage + 1 == t->stages;
        evaluate(r, substep, t->time[stage], r->h, weight * h, false);
        FOR_EACH_FREE(r->n) {
            const float dx = h * r->n->v[i][axis], dv = r->dv[i][axis];
            sum_x[i][axis] = stage ? sum_x[i][axis] + weight * dx : weight * dx;
            sum_v[i][axis] = stage ? sum_v[i][axis] + weight * dv : weight * dv;
            r->n->x[i][axis] = last ? x[i][axis] + sum_x[i][axis] : x[i][axis] + next * dx;
            r->n->v[i][axis] = last ? v[i][axis] + sum_v[i][axis] : v[i][axis] + next * dv;
        }
    }
    free(x), free(v), free(sum_x), free(sum_v);
}

/* What is not affine as kicks before the map, for the exact flow half of it behind the map too. */
static void kick_and_map(const run *r, uint32_t substep, bool exact) {
    const double seconds = exact ? 0.5 * r->h : r->h;
    evaluate(r, substep, 0, seconds, (float)seconds, true);
    FOR_EACH_FREE(r->n) r->n->v[i][axis] += r->dv[i][axis];
    apply_map(r, exact ? MOTE_MAP_EXACT_FLOW : MOTE_MAP_IMPLICIT_EULER);
    if (!exact) return;
    evaluate(r, substep, 1, seconds, (float)seconds, true);
    FOR_EACH_FREE(r->n) r->n->v[i][axis] += r->dv[i][axis];
}

/* The map of the affine forces, then all others with dx = push h dv, then the springs. */
static void kinematic(const run *r, uint32_t substep, double push) {
    evaluate(r, substep, 0, r->h, (float)r->h, true);
    apply_map(r, push == 1 ? MOTE_MAP_KINEMATIC : MOTE_MAP_KINEMATIC_AVERAGE);
    FOR_EACH_FREE(r->n) {
        r->n->x[i][axis] += (float)(push * r->h) * r->dv[i][axis];
        r->n->v[i][axis] += r->dv[i][axis];
        r->n->x[i][axis] += r->n->mass[i] * r->shift[i][axis];
        r->n->v[i][axis] += r->n->mass[i] * r->force[i][axis];
    }
}

static void stages(const run *r, uint32_t substep) {
    switch (r->w->integrator) {
    case MOTE_POSITION_VERLET:
    case MOTE_SEMI_IMPLICIT_EULER:
        kick(r, substep, 0, r->h);
        drift(r, r->h);
        break;
    case MOTE_EXPLICIT_EULER:
        runge_kutta(r, substep, &euler);
        break;
    case MOTE_MIDPOINT:
        runge_kutta(r, substep, &midpoint);
        break;
    case MOTE_RK4:
        runge_kutta(r, substep, &rk4);
        break;
    case MOTE_VELOCITY_VERLET:
        velocity_verlet(r, substep);
        break;
    case MOTE_YOSHIDA4:
        yoshida4(r, substep);
        break;
    case MOTE_PEFRL:
        pefrl(r, substep);
        break;
    case MOTE_IMPLICIT_EULER:
        kick_and_map(r, substep, false);
        break;
    case MOTE_EXACT_FLOW:
        kick_and_map(r, substep, true);
        break;
    case MOTE_KINEMATIC:
        kinematic(r, substep, 1);
        break;
    case MOTE_KINEMATIC_AVERAGE:
        kinematic(r, substep, 0.5);
        break;
    default:
        abort();
    }
}

/* --- The step --- */

/* Islands with a value that is not finite, and those that had one earlier, stand where the step began and
 * pull at nothing. */
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
    reference_row *x = copied(r->n, r->n->x), *v = copied(r->n, r->n->v);
    place(r, 0);
    kick(r, 0, 0, -0.5 * (1 - before) * r->w->timestep / (double)r->w->substeps);
    commit(r->n, x, v);
    free(x), free(v);
}

void reference_float_network_step(reference_network *n, const reference_surroundings *w) {
    run r = {.n = n,
             .w = w,
             .h = w->timestep / (double)w->substeps,
             .force = rows(n),
             .shift = rows(n),
             .called = {rows(n), rows(n)},
             .dv = rows(n)};
    read_forces(&r);
    if (w->integrator == MOTE_POSITION_VERLET && (!n->started || n->last_substeps != w->substeps))
        half_step(&r);
    reference_row *x = copied(n, n->x), *v = copied(n, n->v);
    memset(n->reaction, 0, n->count * sizeof *n->reaction);
    place(&r, 0);
    for (uint32_t i = 0; i < w->substeps; i++) {
        move_pins(&r, i);
        stages(&r, i);
        place(&r, (double)i + 1);
    }
    commit(n, x, v);
    free(x), free(v), free(r.force), free(r.shift), free(r.called[0]), free(r.called[1]), free(r.dv);
}
