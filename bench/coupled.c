/* Coupled bodies in double: every integrator once more, from its formula. */
#include "coupled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contenders.h"

#define SCRATCHES 10u

static double *scratch(const coupled_bodies *b, uint32_t i) { return b->scratch + i * b->numbers; }

/* --- Forces --- */

typedef struct link {
    double direction[3], length, approach; /* of b from a; m; m/s, positive: they part */
} link;

static link link_of(const mote_spring *s, const double *x, const double *v) {
    link l = {{0}, 0, 0};
    for (int axis = 0; axis < 3; axis++) l.direction[axis] = x[3 * s->b + axis] - x[3 * s->a + axis];
    l.length = sqrt(l.direction[0] * l.direction[0] + l.direction[1] * l.direction[1] +
                    l.direction[2] * l.direction[2]);
    for (int axis = 0; axis < 3; axis++) {
        if (l.length > 0) l.direction[axis] /= l.length;
        l.approach += l.direction[axis] * (v[3 * s->b + axis] - v[3 * s->a + axis]);
    }
    return l;
}

static double pull_of(const mote_spring *s, const coupled_bodies *b, const double *x, const double *v,
                      link *l) {
    *l = link_of(s, x, v);
    l->length = noise_rounded(b->noise, noise_rounded(b->noise, l->length));
    return noise_rounded(
        b->noise, noise_rounded(b->noise, (double)s->stiffness * (l->length - (double)s->rest_length)) +
                      noise_rounded(b->noise, (double)s->damping * l->approach));
}

/* a = gravity + the springs' pull; pinned bodies have none. */
static void accelerate(const coupled_bodies *b, bool gravity, const double *x, const double *v, double *a) {
    memset(a, 0, b->numbers * sizeof *a);
    for (uint32_t i = 0; i < b->shape->spring_count; i++) {
        const mote_spring *s = &b->shape->springs[i];
        link l;
        double pull = pull_of(s, b, x, v, &l);
        for (int axis = 0; axis < 3; axis++) {
            double force = noise_rounded(b->noise, pull * l.direction[axis]);
            a[3 * s->a + axis] = noise_rounded(b->noise, a[3 * s->a + axis] + force);
            a[3 * s->b + axis] = noise_rounded(b->noise, a[3 * s->b + axis] - force);
        }
    }
    for (uint32_t i = 0; i < b->numbers; i++) {
        a[i] = noise_rounded(b->noise, a[i] * b->inverse_mass[i]);
        if (gravity && i % 3 == 1 && b->inverse_mass[i] > 0)
            a[i] = noise_rounded(b->noise, a[i] - b->gravity);
    }
}

/* to = base + factor add, where that moves. */
static void advance(const coupled_bodies *b, double *to, const double *base, double factor,
                    const double *add) {
    for (uint32_t i = 0; i < b->numbers; i++)
        to[i] = b->inverse_mass[i] > 0
                    ? noise_rounded(b->noise, base[i] + noise_rounded(b->noise, factor * add[i]))
                    : base[i];
}

/* --- Splittings --- */

static void splitting(coupled_bodies *b, const double *drift, const double *kick, int kicks) {
    double *a = scratch(b, 0);
    for (int i = 0; i <= kicks; i++) {
        if (drift[i] != 0)
            advance(b, b->x, b->x, noise_stored(b->noise, 100 + (uint32_t)i, drift[i] * b->h), b->v);
        if (i == kicks) break;
        accelerate(b, true, b->x, b->v, a);
        advance(b, b->v, b->v, noise_stored(b->noise, 110 + (uint32_t)i, kick[i] * b->h), a);
    }
}

static void yoshida(coupled_bodies *b) {
    const double w1 = 1 / (2 - cbrt(2)), w0 = 1 - 2 * w1, ends = w1 / 2, middle = (w0 + w1) / 2;
    splitting(b, (const double[]){ends, middle, middle, ends}, (const double[]){w1, w0, w1}, 3);
}

static void pefrl(coupled_bodies *b) {
    const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.6626458266981849e-1;
    splitting(b, (const double[]){xi, chi, 1 - 2 * (chi + xi), chi, xi},
              (const double[]){(1 - 2 * lambda) / 2, lambda, lambda, (1 - 2 * lambda) / 2}, 4);
}

/* a' at the new position and v + h a. */
static void velocity_verlet(coupled_bodies *b) {
    double *a = scratch(b, 0), *a2 = scratch(b, 1), *ahead = scratch(b, 2), *mean = scratch(b, 3);
    accelerate(b, true, b->x, b->v, a);
    advance(b, ahead, b->v, b->h, a);
    advance(b, mean, b->v, b->h / 2, a);
    advance(b, b->x, b->x, b->h, mean);
    accelerate(b, true, b->x, ahead, a2);
    for (uint32_t i = 0; i < b->numbers; i++) mean[i] = noise_rounded(b->noise, (a[i] + a2[i]) / 2);
    advance(b, b->v, b->v, b->h, mean);
}

/* Springs as kicks of half a step around the exact flow under gravity. */
static void exact_flow(coupled_bodies *b) {
    double *a = scratch(b, 0);
    accelerate(b, false, b->x, b->v, a);
    advance(b, b->v, b->v, b->h / 2, a);
    for (uint32_t i = 0; i < b->numbers; i++) a[i] = i % 3 == 1 ? -b->gravity : 0;
    advance(b, b->x, b->x, b->h, b->v);
    advance(b, b->x, b->x, b->h * b->h / 2, a);
    advance(b, b->v, b->v, b->h, a);
    accelerate(b, false, b->x, b->v, a);
    advance(b, b->v, b->v, b->h / 2, a);
}

/* --- Runge-Kutta --- */

/* Weights of the stages and how far on the next one lies, in h. */
typedef struct tableau {
    int stages;
    double weight[4], next[4];
} tableau;

static void runge_kutta(coupled_bodies *b, const tableau *t) {
    double *a = scratch(b, 0), *at_x = scratch(b, 1), *at_v = scratch(b, 2), *sum_x = scratch(b, 3),
           *sum_v = scratch(b, 4);
    memcpy(at_x, b->x, b->numbers * sizeof *at_x);
    memcpy(at_v, b->v, b->numbers * sizeof *at_v);
    memset(sum_x, 0, b->numbers * sizeof *sum_x);
    memset(sum_v, 0, b->numbers * sizeof *sum_v);
    for (int stage = 0; stage < t->stages; stage++) {
        accelerate(b, true, at_x, at_v, a);
        for (uint32_t i = 0; i < b->numbers; i++) {
            sum_x[i] =
                noise_rounded(b->noise, sum_x[i] + noise_rounded(b->noise, t->weight[stage] * at_v[i]));
            sum_v[i] = noise_rounded(b->noise, sum_v[i] + noise_rounded(b->noise, t->weight[stage] * a[i]));
        }
        advance(b, at_x, b->x, t->next[stage] * b->h, at_v);
        advance(b, at_v, b->v, t->next[stage] * b->h, a);
    }
    advance(b, b->x, b->x, b->h, sum_x);
    advance(b, b->v, b->v, b->h, sum_v);
}

/* --- Kinematic: each spring as if alone --- */

/* x'' = -k x - c x' over t, from (x, v). */
static void swing(double k, double c, double t, double *x, double *v) {
    double half = c / 2, square = half * half - k, root = sqrt(fabs(square)), x0 = *x, v0 = *v;
    double even = square < 0 ? cos(root * t) : cosh(root * t);
    double odd = root * t < 1e-8 ? t : (square < 0 ? sin(root * t) : sinh(root * t)) / root,
           fade = exp(-half * t);
    *x = fade * (even * x0 + odd * (v0 + half * x0));
    *v = fade * (even * v0 - odd * (half * v0 + k * x0));
}

/* Adds what spring s alone does along its direction at the start of the step: the change of the ends'
 * distance and of its rate, shared by inverse mass. */
static void add_alone(coupled_bodies *b, const mote_spring *s, bool average, double *dx, double *dv) {
    link l = link_of(s, b->x, b->v);
    double wa = b->inverse_mass[3 * s->a], wb = b->inverse_mass[3 * s->b], w = wa + wb;
    if (w == 0 || l.length == 0) return;
    double e = l.length - (double)s->rest_length, e1 = e, rate = l.approach;
    swing((double)s->stiffness * w, (double)s->damping * w, b->h, &e1, &rate);
    double kick = noise_rounded(b->noise, rate - l.approach), shift = e1 - e - b->h * l.approach;
    if (average) shift = b->h * kick / 2;
    shift = noise_rounded(b->noise, shift);
    for (int axis = 0; axis < 3; axis++) {
        double n = l.direction[axis];
        dv[3 * s->a + axis] -= noise_rounded(b->noise, kick * n * wa / w);
        dv[3 * s->b + axis] += noise_rounded(b->noise, kick * n * wb / w);
        dx[3 * s->a + axis] -= noise_rounded(b->noise, shift * n * wa / w);
        dx[3 * s->b + axis] += noise_rounded(b->noise, shift * n * wb / w);
    }
}

static void kinematic(coupled_bodies *b, bool average) {
    double *dx = scratch(b, 0), *dv = scratch(b, 1), h = b->h;
    for (uint32_t i = 0; i < b->numbers; i++) {
        bool falls = i % 3 == 1 && b->inverse_mass[i] > 0;
        dx[i] = h * b->v[i] - (falls ? h * h / 2 * b->gravity : 0);
        dv[i] = falls ? -h * b->gravity : 0;
    }
    for (uint32_t i = 0; i < b->shape->spring_count; i++)
        add_alone(b, &b->shape->springs[i], average, dx, dv);
    advance(b, b->x, b->x, 1, dx);
    advance(b, b->v, b->v, 1, dv);
}

/* --- The table --- */

/* Position Verlet carries v(t - h/2): what comes after a step, and what comes before the first. */
static void true_velocity(const coupled_bodies *b, const double *x, const double *v, double *to) {
    double *a = scratch(b, SCRATCHES - 1);
    memcpy(to, v, b->numbers * sizeof *to);
    if (b->integrator != MOTE_POSITION_VERLET) return;
    accelerate(b, true, x, v, a);
    for (uint32_t i = 0; i < b->numbers; i++) to[i] += b->h / 2 * a[i];
}

static void start_half_step(coupled_bodies *b) {
    double *a = scratch(b, 0);
    accelerate(b, true, b->x, b->v, a);
    advance(b, b->v, b->v, -b->h / 2, a);
}

coupled_bodies *coupled_create(const network_shape *shape, mote_integrator integrator, double gravity,
                               double h, bench_noise *noise) {
    coupled_bodies *b = allocate_or_fail(sizeof *b);
    *b = (coupled_bodies){shape, integrator, gravity, h,   noise, 3 * shape->particle_count,
                          NULL,  NULL,       NULL,    NULL};
    b->scratch = allocate_or_fail((SCRATCHES + 3) * b->numbers * sizeof *b->scratch);
    b->inverse_mass = b->scratch + SCRATCHES * b->numbers;
    b->x = b->inverse_mass + b->numbers;
    b->v = b->x + b->numbers;
    for (uint32_t i = 0; i < b->numbers; i++) {
        b->inverse_mass[i] = noise_stored(noise, 1000 + i / 3, 1 / (double)shape->masses[i / 3]);
        b->x[i] = (double)shape->positions[i / 3][i % 3];
        b->v[i] = (double)shape->velocities[i / 3][i % 3];
    }
    for (uint32_t i = 0; i < 3 * shape->pin_count; i++) b->inverse_mass[3 * shape->pins[i / 3] + i % 3] = 0;
    if (integrator == MOTE_POSITION_VERLET) start_half_step(b);
    return b;
}

void coupled_destroy(coupled_bodies *b) {
    free(b->scratch);
    free(b);
}

void coupled_step(coupled_bodies *b) {
    static const tableau euler = {1, {1}, {0}}, midpoint = {2, {0, 1}, {0.5, 0}};
    static const tableau rk4 = {4, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0.5, 0.5, 1, 0}};
    // clang-format off
    switch (b->integrator) {
    case MOTE_EXPLICIT_EULER: runge_kutta(b, &euler); break;
    case MOTE_MIDPOINT: runge_kutta(b, &midpoint); break;
    case MOTE_RK4: runge_kutta(b, &rk4); break;
    case MOTE_VELOCITY_VERLET: velocity_verlet(b); break;
    case MOTE_YOSHIDA4: yoshida(b); break;
    case MOTE_PEFRL: pefrl(b); break;
    case MOTE_KINEMATIC: kinematic(b, false); break;
    case MOTE_KINEMATIC_AVERAGE: kinematic(b, true); break;
    case MOTE_EXACT_FLOW: exact_flow(b); break;
    /* Implicit Euler's springs are kicks; gravity is the same at either end of a step. */
    default: splitting(b, (const double[]){0, 1}, (const double[]){1}, 1); break;
    }
    // clang-format on
}

double coupled_energy_at(const coupled_bodies *b, const double *x, const double *v) {
    double *velocity = scratch(b, SCRATCHES - 2), sum = 0;
    coupled_bodies quiet = *b;
    quiet.noise = NULL;
    true_velocity(&quiet, x, v, velocity);
    for (uint32_t i = 0; i < b->numbers; i++) {
        double mass = b->inverse_mass[i] > 0 ? (double)b->shape->masses[i / 3] : 0;
        sum += mass * velocity[i] * velocity[i] / 2 + (i % 3 == 1 ? mass * b->gravity * x[i] : 0);
    }
    for (uint32_t i = 0; i < b->shape->spring_count; i++) {
        double e = link_of(&b->shape->springs[i], x, v).length - (double)b->shape->springs[i].rest_length;
        sum += (double)b->shape->springs[i].stiffness * e * e / 2;
    }
    return sum;
}

double coupled_energy(const coupled_bodies *b) { return coupled_energy_at(b, b->x, b->v); }
