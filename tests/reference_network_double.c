/* The reference of networks in double: springs and the integrators with the equations of mote/integrator.h,
 * DESIGN 6 and PHYSICS 5 to 8. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "reference_network.h"

/* A substep that is being taken. */
typedef struct substep {
    reference_network *n;
    const reference_surroundings *w;
    uint32_t number;
    double h;
    reference_triple *a; /* m/s^2, of the last evaluation */
} substep;

/* Runs the loop body for each particle that may move, and axis. */
#define FOR_EACH_FREE(n)                                                                                     \
    for (uint32_t i = 0; i < (n)->count; i++)                                                                \
        for (int axis = 0; axis < 3 && (n)->mass[i] > 0; axis++)

static reference_triple *triples(const reference_network *n) {
    reference_triple *t = calloc(n->count, sizeof *t);
    if (!t) abort();
    return t;
}

static reference_triple *copied(const reference_network *n, reference_triple *from) {
    reference_triple *t = triples(n);
    memcpy(t, from, n->count * sizeof *t);
    return t;
}

/* --- What is on its way --- */

/* Pins stand where they are at fraction `time` of the substep. */
static void place(const substep *s, double time) {
    for (uint32_t i = 0; i < s->n->pin_count; i++) {
        const reference_pin *p = &s->n->pin[i];
        const double f =
            reference_journey(p->from_tick, p->to_tick, s->w, reference_ticks(s->w, s->number + time));
        for (int axis = 0; axis < 3; axis++)
            s->n->dx[p->particle][axis] = p->from[axis] + f * (p->to[axis] - p->from[axis]);
    }
}

/* They travel at (end - start) / h. */
static void move_pins(const substep *s) {
    place(s, 1);
    for (uint32_t i = 0; i < s->n->pin_count; i++) {
        const uint32_t at = s->n->pin[i].particle;
        memcpy(s->n->dv[at], s->n->dx[at], sizeof *s->n->dv);
    }
    place(s, 0);
    for (uint32_t i = 0; i < s->n->pin_count; i++) {
        const uint32_t at = s->n->pin[i].particle;
        for (int axis = 0; axis < 3; axis++)
            s->n->dv[at][axis] = (s->n->dv[at][axis] - s->n->dx[at][axis]) / s->h;
    }
}

static double length_at(const substep *s, const reference_spring *k, double time) {
    if (!k->reels) return (double)k->rest_length;
    const double f =
        reference_journey(k->from_tick, k->to_tick, s->w, reference_ticks(s->w, s->number + time));
    return (double)k->from + f * ((double)k->to - (double)k->from);
}

/* --- Forces --- */

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

/* Adds a force of `size` along the line on both ends to a, and its impulse over `seconds` to what pins
 * feel. */
static void pull(const substep *s, const reference_spring *k, const line *l, double size, double seconds) {
    reference_network *n = s->n;
    for (int axis = 0; axis < 3; axis++) {
        const double force = size * l->n[axis];
        s->a[k->a][axis] += (double)n->mass[k->a] * force;
        s->a[k->b][axis] -= (double)n->mass[k->b] * force;
        if (n->mass[k->a] == 0) n->dreaction[k->a][axis] += seconds * force;
        if (n->mass[k->b] == 0) n->dreaction[k->b][axis] -= seconds * force;
    }
}

/* F = k (|d| - L) + c d'.n */
static void add_springs(const substep *s, double time, double weight) {
    for (uint32_t i = 0; i < s->n->spring_end; i++) {
        const reference_spring *k = &s->n->spring[i];
        if (!k->alive) continue;
        const line l = line_of(s->n, k);
        pull(s, k, &l, k->stiffness * (l.length - length_at(s, k, time)) + k->damping * l.rate, weight);
    }
}

static reference_affine affine_of(const substep *s, double mass, uint32_t first, uint32_t end) {
    reference_affine sum = {{0}, {0}, {0}}, newtons = {{0}, {0}, {0}};
    for (uint32_t i = first; i < end; i++)
        if (reference_folds(&s->w->forces[i])) reference_fold(&s->w->forces[i], &sum, &newtons);
    reference_add_over_mass(&sum, &newtons, mass);
    return sum;
}

static void add_outside(const substep *s, double time, bool affine) {
    reference_network *n = s->n;
    for (uint32_t i = 0; i < n->count; i++) {
        const reference_affine all = affine_of(s, (double)n->mass[i], 0, s->w->force_count);
        for (int axis = 0; axis < 3 && affine; axis++)
            s->a[i][axis] += all.constant[axis] + all.damping[axis] * n->dv[i][axis] +
                             all.stiffness[axis] * n->dx[i][axis];
        if (s->w->push)
            s->w->push(s->w->user, reference_seconds(s->w, s->number, time), (double)n->mass[i], n->dx[i],
                       n->dv[i], s->a[i]);
    }
}

enum { SPRINGS = 1, AFFINE = 2 };

/* Accelerations of all particles at the fraction `time` of the substep; weight: the seconds for which they
 * count. */
static void evaluate(const substep *s, int parts, double time, double weight) {
    place(s, time);
    memset(s->a, 0, s->n->count * sizeof *s->a);
    if (parts & SPRINGS) add_springs(s, time, weight);
    add_outside(s, time, parts & AFFINE);
}

/* --- Kicks and drifts --- */

static void kick(const substep *s, int parts, double time, double seconds) {
    evaluate(s, parts, time, seconds);
    FOR_EACH_FREE(s->n) s->n->dv[i][axis] += seconds * s->a[i][axis];
}

static void drift(const substep *s, double seconds) {
    FOR_EACH_FREE(s->n) s->n->dx[i][axis] += seconds * s->n->dv[i][axis];
}

/* Half a drift, a kick, half a drift: one leapfrog over `share` of h from `time` on. */
static void leapfrog(const substep *s, double time, double share) {
    drift(s, share * s->h / 2);
    kick(s, SPRINGS | AFFINE, time + share / 2, share * s->h);
    drift(s, share * s->h / 2);
}

/* Yoshida, Physics Letters A 150 (1990) 262: three leapfrogs of w1, w0, w1. */
static void yoshida4(const substep *s) {
    const double w1 = 1 / (2 - cbrt(2.0)), w0 = 1 - 2 * w1;
    leapfrog(s, 0, w1);
    leapfrog(s, w1, w0);
    leapfrog(s, w1 + w0, w1);
}

/* Omelyan, Mryglod and Folk, Computer Physics Communications 146 (2002) 188: position extended
 * Forest-Ruth-like. */
static void pefrl(const substep *s) {
    const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.06626458266981849;
    const double shares[5] = {xi, chi, 1 - 2 * (chi + xi), chi, xi};
    const double kicks[4] = {(1 - 2 * lambda) / 2, lambda, lambda, (1 - 2 * lambda) / 2};
    double time = 0;
    for (int i = 0; i < 5; i++) {
        drift(s, shares[i] * s->h);
        time += shares[i];
        if (i < 4) kick(s, SPRINGS | AFFINE, time, kicks[i] * s->h);
    }
}

/* x += h v + h^2 a / 2; a' at x and v + h a; v += h (a + a') / 2. */
static void velocity_verlet(const substep *s) {
    const double h = s->h;
    evaluate(s, SPRINGS | AFFINE, 0, h / 2);
    reference_triple *v = copied(s->n, s->n->dv), *a = copied(s->n, s->a);
    FOR_EACH_FREE(s->n) {
        s->n->dx[i][axis] += h * v[i][axis] + h * h * a[i][axis] / 2;
        s->n->dv[i][axis] = v[i][axis] + h * a[i][axis];
    }
    evaluate(s, SPRINGS | AFFINE, 1, h / 2);
    FOR_EACH_FREE(s->n) s->n->dv[i][axis] = v[i][axis] + h * (a[i][axis] + s->a[i][axis]) / 2;
    free(v), free(a);
}

/* --- Runge and Kutta --- */

/* k_i at y + c_i h k_(i-1), then y + h sum b_i k_i: all particles together at each stage. */
static void runge_kutta(const substep *s, int stages, const double *c, const double *b) {
    reference_network *n = s->n;
    reference_triple *x = copied(n, n->dx), *v = copied(n, n->dv), *sum_x = triples(n), *sum_v = triples(n);
    for (int stage = 0; stage < stages; stage++) {
        evaluate(s, SPRINGS | AFFINE, c[stage], b[stage] * s->h);
        const double next = stage + 1 < stages ? c[stage + 1] * s->h : 0;
        FOR_EACH_FREE(n) {
            const double slope_x = n->dv[i][axis], slope_v = s->a[i][axis];
            sum_x[i][axis] += b[stage] * slope_x;
            sum_v[i][axis] += b[stage] * slope_v;
            n->dx[i][axis] = x[i][axis] + next * slope_x;
            n->dv[i][axis] = v[i][axis] + next * slope_v;
        }
    }
    FOR_EACH_FREE(n) {
        n->dx[i][axis] = x[i][axis] + s->h * sum_x[i][axis];
        n->dv[i][axis] = v[i][axis] + s->h * sum_v[i][axis];
    }
    free(x), free(v), free(sum_x), free(sum_v);
}

/* --- Maps --- */

/* v1 = v0 + h (C + B v1 + K x1), x1 = x0 + h v1. */
static void implicit_map(const substep *s) {
    FOR_EACH_FREE(s->n) {
        const reference_affine f = affine_of(s, (double)s->n->mass[i], 0, s->w->force_count);
        double *x = &s->n->dx[i][axis], *v = &s->n->dv[i][axis];
        const double rest = 1 - s->h * f.damping[axis] - s->h * s->h * f.stiffness[axis];
        *v = (*v + s->h * (f.constant[axis] + f.stiffness[axis] * *x)) / rest;
        *x += s->h * *v;
    }
}

static void flow_over(const reference_affine *f, int axis, double h, double state[2]) {
    reference_flow((long double)f->constant[axis], (long double)f->damping[axis],
                   (long double)f->stiffness[axis], (long double)h, state);
}

static void exact_flow(const substep *s) {
    kick(s, SPRINGS, 0, s->h / 2);
    FOR_EACH_FREE(s->n) {
        const reference_affine f = affine_of(s, (double)s->n->mass[i], 0, s->w->force_count);
        double state[2] = {s->n->dx[i][axis], s->n->dv[i][axis]};
        flow_over(&f, axis, s->h, state);
        s->n->dx[i][axis] = state[0], s->n->dv[i][axis] = state[1];
    }
    kick(s, SPRINGS, 1, s->h / 2);
}

/* --- Each force alone --- */

/* What affine forces, each alone, and all that have no closed form do to free flight: dx and dv. */
static void lone_forces(const substep *s, bool average, reference_triple *dx, reference_triple *dv) {
    evaluate(s, 0, 0, 0);
    FOR_EACH_FREE(s->n) {
        const double x = s->n->dx[i][axis], v = s->n->dv[i][axis], h = s->h;
        for (uint32_t k = 0; k < s->w->force_count; k++) {
            const reference_affine f = affine_of(s, (double)s->n->mass[i], k, k + 1);
            double state[2] = {x, v};
            flow_over(&f, axis, h, state);
            dv[i][axis] += state[1] - v;
            dx[i][axis] += average ? h * (state[1] - v) / 2 : state[0] - x - h * v;
        }
        dv[i][axis] += h * s->a[i][axis];
        dx[i][axis] += (average ? h / 2 : h) * (h * s->a[i][axis]);
    }
}

/* Each spring alone along n at the start, e'' = -(wa + wb) (k e + c e'): the elongation's dx and dv, shared
 * by inverse mass. */
static void lone_springs(const substep *s, bool average, reference_triple *dx, reference_triple *dv) {
    reference_network *n = s->n;
    for (uint32_t i = 0; i < n->spring_end; i++) {
        const reference_spring *k = &n->spring[i];
        const double wa = (double)n->mass[k->a], wb = (double)n->mass[k->b], both = wa + wb;
        if (!k->alive || both == 0) continue;
        const line l = line_of(n, k);
        const double e = l.length - length_at(s, k, 0);
        double state[2] = {e, l.rate};
        reference_flow(0, -(long double)both * k->damping, -(long double)both * k->stiffness, s->h, state);
        const double gain = state[1] - l.rate,
                     shift = average ? s->h * gain / 2 : state[0] - e - s->h * l.rate;
        for (int axis = 0; axis < 3; axis++) {
            const double impulse = -gain / both * l.n[axis], path = -shift / both * l.n[axis];
            dv[k->a][axis] += wa * impulse, dx[k->a][axis] += wa * path;
            dv[k->b][axis] -= wb * impulse, dx[k->b][axis] -= wb * path;
            if (wa == 0) n->dreaction[k->a][axis] += impulse;
            if (wb == 0) n->dreaction[k->b][axis] -= impulse;
        }
    }
}

static void kinematic(const substep *s, bool average) {
    reference_triple *dx = triples(s->n), *dv = triples(s->n);
    lone_forces(s, average, dx, dv);
    lone_springs(s, average, dx, dv);
    FOR_EACH_FREE(s->n) {
        s->n->dx[i][axis] += s->h * s->n->dv[i][axis] + dx[i][axis];
        s->n->dv[i][axis] += dv[i][axis];
    }
    free(dx), free(dv);
}

/* --- The step --- */

static void take(const substep *s) {
    static const double euler_c[1] = {0}, euler_b[1] = {1}, midpoint_c[2] = {0, 0.5}, midpoint_b[2] = {0, 1};
    static const double rk4_c[4] = {0, 0.5, 0.5, 1}, rk4_b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    switch (s->w->integrator) {
    case MOTE_POSITION_VERLET: /* with the half-step velocity as its velocity */
    case MOTE_SEMI_IMPLICIT_EULER:
        kick(s, SPRINGS | AFFINE, 0, s->h);
        drift(s, s->h);
        break;
    case MOTE_EXPLICIT_EULER:
        runge_kutta(s, 1, euler_c, euler_b);
        break;
    case MOTE_MIDPOINT:
        runge_kutta(s, 2, midpoint_c, midpoint_b);
        break;
    case MOTE_RK4:
        runge_kutta(s, 4, rk4_c, rk4_b);
        break;
    case MOTE_VELOCITY_VERLET:
        velocity_verlet(s);
        break;
    case MOTE_YOSHIDA4:
        yoshida4(s);
        break;
    case MOTE_PEFRL:
        pefrl(s);
        break;
    case MOTE_IMPLICIT_EULER:
        kick(s, SPRINGS, 0, s->h);
        implicit_map(s);
        break;
    case MOTE_EXACT_FLOW:
        exact_flow(s);
        break;
    case MOTE_KINEMATIC:
        kinematic(s, false);
        break;
    case MOTE_KINEMATIC_AVERAGE:
        kinematic(s, true);
        break;
    default:
        abort();
    }
}

/* Position Verlet: from v(t - before / 2) to v(t - h / 2). Pins have the velocity of the step before. */
static void shift_half_step(const substep *s, double before) {
    if (s->w->integrator != MOTE_POSITION_VERLET || before == s->h) return;
    kick(s, SPRINGS | AFFINE, 0, (before - s->h) / 2);
}

void reference_double_network_step(reference_network *n, const reference_surroundings *w) {
    substep s = {n, w, 0, w->timestep / (double)w->substeps, triples(n)};
    shift_half_step(&s, n->started ? w->timestep / (double)n->last_substeps : 0);
    memset(n->dreaction, 0, n->count * sizeof *n->dreaction);
    for (; s.number < w->substeps; s.number++) {
        move_pins(&s);
        take(&s);
        place(&s, 1);
    }
    free(s.a);
}
