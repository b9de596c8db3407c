/* One particle under the forces of a setup, in double: evaluations, maps and energy. */
#include <math.h>
#include <string.h>

#include "verify.h"

/* a = constant + damping v + stiffness x */
typedef struct affine_term {
    double constant[3], damping, stiffness;
} affine_term;

static bool affine_of(const bench_setup *s, uint32_t i, affine_term *term) {
    const mote_force_def *def = &s->forces[i];
    memset(term, 0, sizeof *term);
    for (int axis = 0; axis < 3; axis++) switch (def->kind) {
        case MOTE_FORCE_GRAVITY:
            term->constant[axis] = (double)def->as.gravity.acceleration[axis];
            break;
        case MOTE_FORCE_THRUST:
            term->constant[axis] = (double)def->as.thrust.force[axis] / s->mass;
            break;
        case MOTE_FORCE_WIND:
            term->damping = -(double)def->drag / s->mass;
            term->constant[axis] = -term->damping * (double)def->as.wind.velocity[axis];
            break;
        case MOTE_FORCE_ANCHOR_SPRING:
            term->damping = -(double)def->as.anchor_spring.damping / s->mass;
            term->stiffness = -(double)def->as.anchor_spring.stiffness / s->mass;
            term->constant[axis] = -term->stiffness * (double)def->as.anchor_spring.anchor[axis];
            break;
        default:
            return false;
        }
    return true;
}

static double length(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/* One force that is not affine, in m/s^2 or, for advection, m/s. */
static void add_other(const bench_setup *s, const mote_force_def *def, double time, const double x[3],
                      const double v[3], double a[3]) {
    double d[3] = {0}, value[3] = {0};
    const float *centre =
        def->kind == MOTE_FORCE_ATTRACTOR ? def->as.attractor.centre : def->as.quadratic_drag.velocity;
    if (def->kind == MOTE_FORCE_ATTRACTOR || def->kind == MOTE_FORCE_QUADRATIC_DRAG)
        for (int axis = 0; axis < 3; axis++)
            d[axis] = (double)centre[axis] - (def->kind == MOTE_FORCE_ATTRACTOR ? x : v)[axis];
    if (def->kind == MOTE_FORCE_ATTRACTOR) {
        double r = hypot(length(d), (double)def->as.attractor.softening);
        for (int axis = 0; axis < 3; axis++)
            value[axis] = (double)def->as.attractor.strength * d[axis] / (r * r * r);
    } else if (def->kind == MOTE_FORCE_QUADRATIC_DRAG) {
        for (int axis = 0; axis < 3; axis++)
            value[axis] = (double)def->as.quadratic_drag.coefficient * length(d) * d[axis] / s->mass;
    } else if (def->kind == MOTE_FORCE_TIMED_THRUST) { /* used with two keys */
        const float *t = def->as.timed_thrust.time;
        double part = fmin(fmax((time - (double)t[0]) / ((double)t[1] - (double)t[0]), 0), 1);
        for (int axis = 0; axis < 3; axis++)
            value[axis] = ((1 - part) * (double)def->as.timed_thrust.force[0][axis] +
                           part * (double)def->as.timed_thrust.force[1][axis]) /
                          s->mass;
    } else if (def->kind == MOTE_FORCE_CALLBACK) {
        ((const verify_field *)def->as.callback.user)->evaluate(time, x, v, value);
    }
    for (int axis = 0; axis < 3; axis++) a[axis] += value[axis];
}

/* Four roundings stand for those inside a force: they are relative to its value. */
static void accelerate(const reference_motion *m, double time, const double *x, const double *v, bool mapped,
                       bool others, double *a) {
    const bench_setup *s = m->forces;
    bench_noise *noise = m->noise;
    memset(a, 0, 3 * sizeof *a);
    for (uint32_t i = 0; i < s->force_count; i++) {
        affine_term term;
        bool is_affine = affine_of(s, i, &term);
        if (!is_affine && others) add_other(s, &s->forces[i], time, x, v, a);
        for (int axis = 0; axis < 3 && is_affine && mapped; axis++)
            a[axis] += noise_rounded(noise, noise_stored(noise, 3 * i, term.constant[axis])) +
                       noise_rounded(noise, noise_stored(noise, 3 * i + 1, term.damping) * v[axis]) +
                       noise_rounded(noise, noise_stored(noise, 3 * i + 2, term.stiffness) * x[axis]);
    }
    for (int i = 0; i < 12; i++) a[i % 3] = noise_rounded(noise, a[i % 3]);
}

/* --- Closed forms --- */

/* e^(b t) - 1 - b t over b^2, without loss at small b t. */
static double second_integral(double b, double t) {
    double z = b * t, sum = 0.5, term = 0.5;
    if (fabs(z) > 0.5) return (expm1(z) / b - t) / b;
    for (int n = 3; n < 20; n++) sum += term *= z / n;
    return t * t * sum;
}

/* x'' = constant + damping x' + stiffness x over t, by the roots of its characteristic polynomial. */
static void flow_axis(double constant, double damping, double stiffness, double t, double *x, double *v) {
    double half = damping / 2, square = half * half + stiffness, x0 = *x, v0 = *v;
    if (stiffness == 0) {
        double first = damping == 0 ? t : expm1(damping * t) / damping;
        *x = x0 + v0 * first + constant * second_integral(damping, t);
        *v = v0 + (damping * v0 + constant) * first;
        return;
    }
    double rest = -constant / stiffness, y = x0 - rest, root = sqrt(fabs(square)), c, s;
    if (square < 0) {
        c = exp(half * t) * cos(root * t);
        s = exp(half * t) * (root * t > 1e-8 ? sin(root * t) / root : t);
    } else if (root * t < 1) {
        c = exp(half * t) * cosh(root * t);
        s = exp(half * t) * (root * t > 1e-8 ? sinh(root * t) / root : t);
    } else {
        c = (exp((half + root) * t) + exp((half - root) * t)) / 2;
        s = (exp((half + root) * t) - exp((half - root) * t)) / (2 * root);
    }
    *x = rest + (c - half * s) * y + s * v0;
    *v = stiffness * s * y + (c + half * s) * v0;
}

static affine_term sum_of_affine(const bench_setup *s) {
    affine_term sum, term;
    memset(&sum, 0, sizeof sum);
    for (uint32_t i = 0; i < s->force_count; i++) {
        if (!affine_of(s, i, &term)) continue;
        for (int axis = 0; axis < 3; axis++) sum.constant[axis] += term.constant[axis];
        sum.damping += term.damping;
        sum.stiffness += term.stiffness;
    }
    return sum;
}

void reference_flow(const bench_setup *s, double time, bench_state *y) {
    affine_term sum = sum_of_affine(s);
    for (int axis = 0; axis < 3; axis++)
        flow_axis(sum.constant[axis], sum.damping, sum.stiffness, time, &y->x[axis], &y->v[axis]);
}

void verify_exact_flow(const bench_setup *s, double time, bench_state *y) {
    *y = s->start;
    reference_flow(s, time, y);
}

/* --- Maps --- */

/* x and v after h under one force, along an axis. */
static void map_axis(reference_map kind, const affine_term *term, int axis, double h, double *x, double *v) {
    const double x0 = *x, v0 = *v, constant = term->constant[axis];
    if (kind == MAP_IMPLICIT) { /* v1 = v + h (c + b v1 + k x1), x1 = x + h v1 */
        *v = (v0 + h * (constant + term->stiffness * x0)) / (1 - h * term->damping - h * h * term->stiffness);
        *x += h * *v;
        return;
    }
    flow_axis(constant, term->damping, term->stiffness, h, x, v);
    if (kind == MAP_EACH_AVERAGE) *x = x0 + h * (v0 + *v) / 2;
}

/* The engine stores the coefficients of a map as floats: by linearity the change is the sum of those by x, by
 * v and by the constant, each with an error of its own. */
static void add_map(const reference_motion *m, reference_map kind, const affine_term *term, uint32_t number,
                    double *dx, double *dv) {
    for (int axis = 0; axis < 3; axis++) {
        const affine_term homogeneous = {{0}, term->damping, term->stiffness};
        const double x0[3] = {m->x[axis], 0, 0}, v0[3] = {0, m->v[axis], 0};
        for (uint32_t i = 0; i < 3; i++) {
            double x = x0[i], v = v0[i];
            map_axis(kind, i == 2 ? term : &homogeneous, axis, m->h, &x, &v);
            dx[axis] += noise_rounded(m->noise, noise_stored(m->noise, number + i, x - x0[i]));
            dv[axis] += noise_rounded(m->noise, noise_stored(m->noise, number + 3 + i, v - v0[i]));
        }
    }
}

/* The maps of single forces each contain h v: it counts once. */
static void map(const reference_motion *m, reference_map kind, double *dx, double *dv) {
    const bench_setup *s = m->forces;
    affine_term term = sum_of_affine(s);
    if (kind == MAP_FLOW || kind == MAP_IMPLICIT) {
        add_map(m, kind, &term, 200, dx, dv);
        return;
    }
    double parts = -1;
    for (uint32_t i = 0; i < s->force_count; i++) {
        if (!affine_of(s, i, &term)) continue;
        add_map(m, kind, &term, 200 + 10 * i, dx, dv);
        parts++;
    }
    for (int axis = 0; axis < 3; axis++) dx[axis] -= parts * m->h * m->v[axis];
}

/* --- Steps --- */

typedef struct particle_motion {
    reference_motion motion;
    double scratch[3 * REFERENCE_SCRATCHES];
} particle_motion;

static reference_motion *motion_of(particle_motion *p, const bench_setup *s, mote_integrator integrator,
                                   double h, bench_state *y, bench_noise *noise) {
    p->motion = (reference_motion){integrator, 3, h, y->x, y->v, NULL, noise, p->scratch, accelerate, map, s};
    return &p->motion;
}

void reference_step(const bench_setup *s, mote_integrator integrator, double time, double h, bench_state *y,
                    bench_noise *noise) {
    particle_motion p;
    reference_advance(motion_of(&p, s, integrator, h, y, noise), time);
}

void reference_start(const bench_setup *s, mote_integrator integrator, double time, double h, bench_state *y,
                     bench_noise *noise) {
    particle_motion p;
    for (int axis = 0; axis < 3; axis++) {
        y->x[axis] = noise_rounded(noise, y->x[axis]);
        y->v[axis] = noise_rounded(noise, y->v[axis]);
    }
    reference_begin(motion_of(&p, s, integrator, h, y, noise), time);
}

bench_state reference_reported(const bench_setup *s, mote_integrator integrator, double time, double h,
                               bench_state y) {
    particle_motion p;
    bench_state reported = y;
    reference_true_velocity(motion_of(&p, s, integrator, h, &y, NULL), time, y.x, y.v, reported.v);
    return reported;
}

step_matrix reference_matrix(const bench_setup *s, mote_integrator integrator, double h, bool carried) {
    bench_state column[2] = {{{1, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {1, 0, 0}}};
    for (int k = 0; k < 2; k++) {
        if (!carried) reference_start(s, integrator, 0, h, &column[k], NULL);
        reference_step(s, integrator, 0, h, &column[k], NULL);
        if (!carried) column[k] = reference_reported(s, integrator, h, h, column[k]);
    }
    return (step_matrix){column[0].x[0], column[1].x[0], column[0].v[0], column[1].v[0]};
}

double matrix_determinant(const step_matrix *m) { return m->xx * m->vv - m->vx * m->xv; }

double reference_energy(const bench_setup *s, const bench_state *y) {
    double sum = s->mass * (y->v[0] * y->v[0] + y->v[1] * y->v[1] + y->v[2] * y->v[2]) / 2;
    for (uint32_t i = 0; i < s->force_count; i++) {
        const mote_force_def *def = &s->forces[i];
        double d[3];
        for (int axis = 0; axis < 3; axis++) {
            if (def->kind == MOTE_FORCE_GRAVITY)
                sum -= s->mass * (double)def->as.gravity.acceleration[axis] * y->x[axis];
            if (def->kind == MOTE_FORCE_THRUST) sum -= (double)def->as.thrust.force[axis] * y->x[axis];
            if (def->kind == MOTE_FORCE_ANCHOR_SPRING) {
                d[axis] = y->x[axis] - (double)def->as.anchor_spring.anchor[axis];
                sum += (double)def->as.anchor_spring.stiffness * d[axis] * d[axis] / 2;
            }
            if (def->kind == MOTE_FORCE_ATTRACTOR)
                d[axis] = y->x[axis] - (double)def->as.attractor.centre[axis];
        }
        if (def->kind == MOTE_FORCE_ATTRACTOR)
            sum -= s->mass * (double)def->as.attractor.strength /
                   hypot(length(d), (double)def->as.attractor.softening);
    }
    return sum;
}
