/* Coupled bodies in double precision: see coupled.h. */
#include "coupled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contenders.h"

/* --- Forces --- */

typedef struct link {
    double direction[3], length, approach; /* from a to b; m; m/s, positive: the ends part */
} link;

static link link_of(const mote_spring *s, const double *x, const double *v) {
    link l = {{0}, 0, 0};
    for (int axis = 0; axis < 3; axis++) l.direction[axis] = x[3 * s->b + axis] - x[3 * s->a + axis];
    for (int axis = 0; axis < 3; axis++) l.length += l.direction[axis] * l.direction[axis];
    l.length = sqrt(l.length);
    for (int axis = 0; axis < 3; axis++) {
        if (l.length > 0) l.direction[axis] /= l.length;
        l.approach += l.direction[axis] * (v[3 * s->b + axis] - v[3 * s->a + axis]);
    }
    return l;
}

static double force_of(bench_noise *noise, const mote_spring *s, const link *l) {
    const double length = noise_rounded(noise, noise_rounded(noise, l->length));
    const double elastic = noise_rounded(noise, (double)s->stiffness * (length - (double)s->rest_length));
    return noise_rounded(noise, elastic + noise_rounded(noise, (double)s->damping * l->approach));
}

/* Gravity is mapped; springs are mapped by the kinematic integrators alone. Pinned bodies stay at rest. */
static void accelerate(const reference_motion *m, double time, const double *x, const double *v, bool mapped,
                       bool others, double *a) {
    const coupled_bodies *b = m->forces;
    bench_noise *noise = m->noise;
    const bool kinematic = m->integrator == MOTE_KINEMATIC || m->integrator == MOTE_KINEMATIC_AVERAGE;
    (void)time;
    memset(a, 0, m->numbers * sizeof *a);
    for (uint32_t i = 0; i < b->shape->spring_count && others && !kinematic; i++) {
        const mote_spring *s = &b->shape->springs[i];
        const link l = link_of(s, x, v);
        const double magnitude = force_of(noise, s, &l);
        for (int axis = 0; axis < 3; axis++) {
            double force = noise_rounded(noise, magnitude * l.direction[axis]);
            a[3 * s->a + axis] = noise_rounded(noise, a[3 * s->a + axis] + force);
            a[3 * s->b + axis] = noise_rounded(noise, a[3 * s->b + axis] - force);
        }
    }
    for (uint32_t i = 0; i < m->numbers; i++) {
        a[i] = noise_rounded(noise, a[i] * m->inverse_mass[i]);
        if (mapped && i % 3 == 1 && m->inverse_mass[i] > 0) a[i] = noise_rounded(noise, a[i] - b->gravity);
    }
}

/* --- Maps --- */

/* x'' = -k x - c x' over t, from (x, v). */
static void swing(double k, double c, double t, double *x, double *v) {
    double half = c / 2, square = half * half - k, root = sqrt(fabs(square)), x0 = *x, v0 = *v;
    double even = square < 0 ? cos(root * t) : cosh(root * t);
    double odd = root * t < 1e-8 ? t : (square < 0 ? sin(root * t) : sinh(root * t)) / root,
           fade = exp(-half * t);
    *x = fade * (even * x0 + odd * (v0 + half * x0));
    *v = fade * (even * v0 - odd * (half * v0 + k * x0));
}

/* Adds the motion that spring `s` alone makes along its direction at the start of the step: the changes of
 * the ends' distance and of its rate, shared by inverse mass. */
static void add_alone(const reference_motion *m, const mote_spring *s, bool average, double *dx, double *dv) {
    const link l = link_of(s, m->x, m->v);
    const double wa = m->inverse_mass[3 * s->a], wb = m->inverse_mass[3 * s->b], w = wa + wb;
    if (w == 0 || l.length == 0) return;
    double e = l.length - (double)s->rest_length, e1 = e, rate = l.approach;
    swing((double)s->stiffness * w, (double)s->damping * w, m->h, &e1, &rate);
    const double kick = noise_rounded(m->noise, rate - l.approach);
    const double shift = noise_rounded(m->noise, average ? m->h * kick / 2 : e1 - e - m->h * l.approach);
    for (int axis = 0; axis < 3; axis++) {
        double n = l.direction[axis];
        dv[3 * s->a + axis] -= noise_rounded(m->noise, kick * n * wa / w);
        dv[3 * s->b + axis] += noise_rounded(m->noise, kick * n * wb / w);
        dx[3 * s->a + axis] -= noise_rounded(m->noise, shift * n * wa / w);
        dx[3 * s->b + axis] += noise_rounded(m->noise, shift * n * wb / w);
    }
}

/* The fall under gravity, and for the kinematic integrators every spring alone. */
static void map(const reference_motion *m, reference_map kind, double *dx, double *dv) {
    const coupled_bodies *b = m->forces;
    const double h = m->h, fall = kind == MAP_IMPLICIT ? h * h : h * h / 2;
    for (uint32_t i = 0; i < m->numbers; i++) {
        const bool falls = i % 3 == 1 && m->inverse_mass[i] > 0;
        dx[i] = h * m->v[i] - (falls ? fall * b->gravity : 0);
        dv[i] = falls ? -h * b->gravity : 0;
    }
    for (uint32_t i = 0; i < b->shape->spring_count && kind >= MAP_EACH; i++)
        add_alone(m, &b->shape->springs[i], kind == MAP_EACH_AVERAGE, dx, dv);
}

/* --- Bodies --- */

coupled_bodies *coupled_create(const network_shape *shape, mote_integrator integrator, double gravity,
                               double h, bench_noise *noise) {
    const uint32_t numbers = 3 * shape->particle_count;
    coupled_bodies *b = allocate_or_fail(sizeof *b);
    double *memory = allocate_or_fail((REFERENCE_SCRATCHES + 3) * numbers * sizeof *memory);
    double *inverse_mass = memory + REFERENCE_SCRATCHES * numbers, *x = inverse_mass + numbers;
    *b = (coupled_bodies){.motion = {.integrator = integrator,
                                     .numbers = numbers,
                                     .h = h,
                                     .x = x,
                                     .v = x + numbers,
                                     .inverse_mass = inverse_mass,
                                     .noise = noise,
                                     .scratch = memory,
                                     .accelerate = accelerate,
                                     .map = map,
                                     .forces = b},
                          .shape = shape,
                          .gravity = gravity};
    for (uint32_t i = 0; i < numbers; i++) {
        inverse_mass[i] = noise_stored(noise, 1000 + i / 3, 1 / (double)shape->masses[i / 3]);
        x[i] = (double)shape->positions[i / 3][i % 3];
        b->motion.v[i] = (double)shape->velocities[i / 3][i % 3];
    }
    for (uint32_t i = 0; i < 3 * shape->pin_count; i++) inverse_mass[3 * shape->pins[i / 3] + i % 3] = 0;
    reference_begin(&b->motion, 0);
    return b;
}

void coupled_destroy(coupled_bodies *b) {
    free(b->motion.scratch);
    free(b);
}

void coupled_step(coupled_bodies *b) { reference_advance(&b->motion, 0); }

double coupled_energy(const coupled_bodies *b) {
    const reference_motion *m = &b->motion;
    double *velocity = m->scratch, sum = 0;
    reference_true_velocity(m, 0, m->x, m->v, velocity);
    for (uint32_t i = 0; i < m->numbers; i++) {
        double mass = m->inverse_mass[i] > 0 ? (double)b->shape->masses[i / 3] : 0;
        sum += mass * velocity[i] * velocity[i] / 2 + (i % 3 == 1 ? mass * b->gravity * m->x[i] : 0);
    }
    for (uint32_t i = 0; i < b->shape->spring_count; i++) {
        const mote_spring *s = &b->shape->springs[i];
        double e = link_of(s, m->x, m->v).length - (double)s->rest_length;
        sum += (double)s->stiffness * e * e / 2;
    }
    return sum;
}
