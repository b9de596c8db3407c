/* The integrators in double precision: see reference.h. */
#include "reference.h"

#include <math.h>
#include <string.h>

#include "integrators.h"
#include "random.h"

/* --- Noise --- */

bench_noise noise_of_run(uint32_t i) { return (bench_noise){(uint64_t)(i + 1) << 40, 0}; }

/* Uniform in [-1, 1). */
static double draw(bench_noise *noise) {
    return (double)(int64_t)random_bits(noise->seed, (uint32_t)(noise->draws++ & 0xffffffff)) * 0x1p-63;
}

double noise_rounded(bench_noise *noise, double value) {
    return noise ? value * (1 + FLOAT_ROUNDING * draw(noise)) : value;
}

double noise_stored(const bench_noise *noise, uint32_t number, double value) {
    bench_noise fixed = {noise ? ~noise->seed : 0, number};
    return noise ? value * (1 + FLOAT_ROUNDING * draw(&fixed)) : value;
}

/* --- Steps --- */

static double *scratch(const reference_motion *m, uint32_t i) { return m->scratch + i * m->numbers; }

/* to = base + factor add, for the coordinates that move. */
static void advance(const reference_motion *m, double *to, const double *base, double factor,
                    const double *add) {
    for (uint32_t i = 0; i < m->numbers; i++) {
        const bool held = m->inverse_mass && m->inverse_mass[i] == 0;
        to[i] = held ? base[i] : noise_rounded(m->noise, base[i] + noise_rounded(m->noise, factor * add[i]));
    }
}

/* Drifts and kicks in turn, beginning and ending with a drift; coefficients in steps. */
static void splitting(reference_motion *m, double time, int kicks, const double *drift, const double *kick) {
    double part = 0, *a = scratch(m, 0);
    for (int i = 0; i <= kicks; i++) {
        if (drift[i] != 0)
            advance(m, m->x, m->x, noise_stored(m->noise, 100 + (uint32_t)i, drift[i] * m->h), m->v);
        part += drift[i];
        if (i == kicks) break;
        m->accelerate(m, time + part * m->h, m->x, m->v, true, true, a);
        advance(m, m->v, m->v, noise_stored(m->noise, 110 + (uint32_t)i, kick[i] * m->h), a);
    }
}

/* Semi-implicit Euler kicks at the start of the step, before any drift. */
static void semi_implicit(reference_motion *m, double time) {
    splitting(m, time, 1, (const double[]){0, 1}, (const double[]){1});
}

/* Yoshida's triple jump with w1 = 1 / (2 - 2^(1/3)), w0 = 1 - 2 w1. */
static void yoshida(reference_motion *m, double time) {
    const double w1 = 1 / (2 - cbrt(2)), w0 = 1 - 2 * w1, ends = w1 / 2, middle = (w0 + w1) / 2;
    splitting(m, time, 3, (const double[]){ends, middle, middle, ends}, (const double[]){w1, w0, w1});
}

/* Omelyan, Mryglod & Folk, Computer Physics Communications 146 (2002) 188, section 4: xi, lambda, chi. */
static void pefrl(reference_motion *m, double time) {
    const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.6626458266981849e-1;
    splitting(m, time, 4, (const double[]){xi, chi, 1 - 2 * (chi + xi), chi, xi},
              (const double[]){(1 - 2 * lambda) / 2, lambda, lambda, (1 - 2 * lambda) / 2});
}

/* The second evaluation is at the new position and at v + h a. */
static void velocity_verlet(reference_motion *m, double time) {
    double *a = scratch(m, 0), *b = scratch(m, 1), *ahead = scratch(m, 2), *mean = scratch(m, 3);
    m->accelerate(m, time, m->x, m->v, true, true, a);
    advance(m, ahead, m->v, m->h, a);
    advance(m, mean, m->v, m->h / 2, a);
    advance(m, m->x, m->x, noise_stored(m->noise, 100, m->h), mean);
    m->accelerate(m, time + m->h, m->x, ahead, true, true, b);
    for (uint32_t i = 0; i < m->numbers; i++) mean[i] = noise_rounded(m->noise, (a[i] + b[i]) / 2);
    advance(m, m->v, m->v, noise_stored(m->noise, 110, m->h), mean);
}

/* Weights of the stages, and how far ahead the next stage is evaluated, in steps. */
typedef struct tableau {
    int stages;
    double weight[4], ahead[4];
} tableau;

static void add_slope(bench_noise *noise, uint32_t numbers, double weight, const double *slope, double *sum) {
    for (uint32_t i = 0; i < numbers && weight != 0; i++)
        sum[i] = noise_rounded(noise, sum[i] + noise_rounded(noise, weight * slope[i]));
}

static void runge_kutta(reference_motion *m, double time, const tableau *t) {
    const size_t bytes = m->numbers * sizeof(double);
    bench_noise *noise = t->stages == 4 ? m->noise : NULL; /* the sums of the others have one term */
    double *x = scratch(m, 0), *v = scratch(m, 1), *slope_x = scratch(m, 2), *slope_v = scratch(m, 3),
           *sum_x = scratch(m, 4), *sum_v = scratch(m, 5), at = time;
    memcpy(x, m->x, bytes), memcpy(v, m->v, bytes);
    memset(sum_x, 0, bytes), memset(sum_v, 0, bytes), memset(slope_v, 0, bytes);
    for (int stage = 0; stage < t->stages; stage++) {
        if (advects(m->integrator)) {
            m->accelerate(m, at, x, v, false, true, slope_x);
        } else {
            memcpy(slope_x, v, bytes);
            m->accelerate(m, at, x, v, true, true, slope_v);
        }
        add_slope(noise, m->numbers, t->weight[stage], slope_x, sum_x);
        add_slope(noise, m->numbers, t->weight[stage], slope_v, sum_v);
        at = time + t->ahead[stage] * m->h;
        advance(m, x, m->x, noise_stored(m->noise, 100, t->ahead[stage] * m->h), slope_x);
        advance(m, v, m->v, noise_stored(m->noise, 101, t->ahead[stage] * m->h), slope_v);
    }
    advance(m, m->x, m->x, noise_stored(m->noise, 100, m->h), sum_x);
    advance(m, m->v, m->v, noise_stored(m->noise, 101, m->h), sum_v);
}

static void kick_others(reference_motion *m, double time, double h) {
    double *a = scratch(m, 2);
    m->accelerate(m, time, m->x, m->v, false, true, a);
    advance(m, m->v, m->v, noise_stored(m->noise, 110, h), a);
}

/* A map of the affine forces; the others are kicks for parts of a step before and after. */
static void mapped(reference_motion *m, double time, reference_map kind, double before, double after) {
    double *dx = scratch(m, 0), *dv = scratch(m, 1);
    kick_others(m, time, before * m->h);
    memset(dx, 0, 2 * m->numbers * sizeof *dx);
    m->map(m, kind, dx, dv);
    advance(m, m->x, m->x, 1, dx);
    advance(m, m->v, m->v, 1, dv);
    if (after > 0) kick_others(m, time + m->h, after * m->h);
}

/* Every force alone from the state at the start; forces that have no map are taken as constant over h. */
static void kinematic(reference_motion *m, double time, bool average) {
    double *dx = scratch(m, 0), *dv = scratch(m, 1), *a = scratch(m, 2);
    memset(dx, 0, 2 * m->numbers * sizeof *dx);
    m->map(m, average ? MAP_EACH_AVERAGE : MAP_EACH, dx, dv);
    m->accelerate(m, time, m->x, m->v, false, true, a);
    advance(m, dx, dx, average ? m->h * m->h / 2 : m->h * m->h, a);
    advance(m, dv, dv, m->h, a);
    advance(m, m->x, m->x, 1, dx);
    advance(m, m->v, m->v, 1, dv);
}

void reference_advance(reference_motion *m, double time) {
    static const tableau euler = {1, {1}, {0}}, midpoint = {2, {0, 1}, {0.5, 0}};
    static const tableau rk4 = {4, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0.5, 0.5, 1, 0}};
    // clang-format off
    switch (m->integrator) {
    case MOTE_SEMI_IMPLICIT_EULER:
    case MOTE_POSITION_VERLET: semi_implicit(m, time); break;
    case MOTE_EXPLICIT_EULER:
    case MOTE_ADVECT_EULER: runge_kutta(m, time, &euler); break;
    case MOTE_MIDPOINT:
    case MOTE_ADVECT_MIDPOINT: runge_kutta(m, time, &midpoint); break;
    case MOTE_RK4:
    case MOTE_ADVECT_RK4: runge_kutta(m, time, &rk4); break;
    case MOTE_VELOCITY_VERLET: velocity_verlet(m, time); break;
    case MOTE_YOSHIDA4: yoshida(m, time); break;
    case MOTE_PEFRL: pefrl(m, time); break;
    case MOTE_IMPLICIT_EULER: mapped(m, time, MAP_IMPLICIT, 1, 0); break;
    case MOTE_KINEMATIC: kinematic(m, time, false); break;
    case MOTE_KINEMATIC_AVERAGE: kinematic(m, time, true); break;
    case MOTE_EXACT_FLOW: mapped(m, time, MAP_FLOW, 0.5, 0.5); break;
    default: break;
    }
    // clang-format on
}

void reference_begin(reference_motion *m, double time) {
    double *a = scratch(m, 0);
    if (m->integrator != MOTE_POSITION_VERLET) return;
    m->accelerate(m, time, m->x, m->v, true, true, a);
    advance(m, m->v, m->v, -m->h / 2, a);
}

void reference_true_velocity(const reference_motion *m, double time, const double *x, const double *v,
                             double *to) {
    double *a = scratch(m, REFERENCE_SCRATCHES - 1);
    reference_motion exact = *m;
    exact.noise = NULL;
    memcpy(to, v, m->numbers * sizeof *to);
    if (m->integrator != MOTE_POSITION_VERLET) return;
    exact.accelerate(&exact, time, x, v, true, true, a);
    for (uint32_t i = 0; i < m->numbers; i++) to[i] += m->h / 2 * a[i];
}
