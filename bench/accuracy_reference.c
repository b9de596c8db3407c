/* Every integrator once more, in double, one particle, from its formula. */
#include <math.h>
#include <string.h>

#include "accuracy.h"
#include "random.h"

/* Uniform in [-1, 1). */
static double draw(bench_noise *noise) {
    return (double)(int64_t)random_bits(noise->seed, (uint32_t)(noise->draws++ & 0xffffffff)) * 0x1p-63;
}

/* What is rounded to a float on the way. */
double noise_rounded(bench_noise *noise, double value) {
    return noise ? value * (1 + FLOAT_ROUNDING * draw(noise)) : value;
}

/* A coefficient stored as float: errs by the same part in every step. Number: which one. */
double noise_stored(const bench_noise *noise, uint32_t number, double value) {
    bench_noise fixed = {noise ? ~noise->seed : 0, number};
    return noise ? value * (1 + FLOAT_ROUNDING * draw(&fixed)) : value;
}

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
static void add_other(const bench_setup *s, const mote_force_def *def, double time, const bench_state *at,
                      double a[3]) {
    double d[3] = {0}, value[3] = {0};
    const float *centre =
        def->kind == MOTE_FORCE_ATTRACTOR ? def->as.attractor.centre : def->as.quadratic_drag.velocity;
    if (def->kind == MOTE_FORCE_ATTRACTOR || def->kind == MOTE_FORCE_QUADRATIC_DRAG)
        for (int axis = 0; axis < 3; axis++)
            d[axis] = (double)centre[axis] - (def->kind == MOTE_FORCE_ATTRACTOR ? at->x : at->v)[axis];
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
        ((const accuracy_field *)def->as.callback.user)->evaluate(time, at->x, at->v, value);
    }
    for (int axis = 0; axis < 3; axis++) a[axis] += value[axis];
}

/* affine, other: which forces. Four roundings stand for those inside a force: they are relative to its
 * value. */
static void acceleration(const bench_setup *s, double time, const bench_state *at, bool affine, bool other,
                         double a[3], bench_noise *noise) {
    memset(a, 0, 3 * sizeof *a);
    for (uint32_t i = 0; i < s->force_count; i++) {
        affine_term term;
        bool is_affine = affine_of(s, i, &term);
        if (!is_affine && other) add_other(s, &s->forces[i], time, at, a);
        if (!is_affine || !affine) continue;
        for (int axis = 0; axis < 3; axis++)
            a[axis] += noise_rounded(noise, noise_stored(noise, 3 * i, term.constant[axis])) +
                       noise_rounded(noise, noise_stored(noise, 3 * i + 1, term.damping) * at->v[axis]) +
                       noise_rounded(noise, noise_stored(noise, 3 * i + 2, term.stiffness) * at->x[axis]);
    }
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 4; i++) a[axis] = noise_rounded(noise, a[axis]);
}

static void add_scaled(double to[3], const double base[3], double factor, const double add[3],
                       bench_noise *noise) {
    for (int axis = 0; axis < 3; axis++)
        to[axis] = noise_rounded(noise, base[axis] + noise_rounded(noise, factor * add[axis]));
}

/* --- Splittings --- */

/* Drifts and kicks in turn, beginning and ending with a drift. */
static void splitting(const bench_setup *s, double time, double h, const double *drift, const double *kick,
                      int kicks, bench_state *y, bench_noise *noise) {
    double part = 0, a[3];
    for (int i = 0; i <= kicks; i++) {
        if (drift[i] != 0)
            add_scaled(y->x, y->x, noise_stored(noise, 100 + (uint32_t)i, drift[i] * h), y->v, noise);
        part += drift[i];
        if (i == kicks) break;
        acceleration(s, time + part * h, y, true, true, a, noise);
        add_scaled(y->v, y->v, noise_stored(noise, 110 + (uint32_t)i, kick[i] * h), a, noise);
    }
}

/* Semi-implicit Euler kicks at the start of the step, before any drift. */
static void semi_implicit(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    splitting(s, time, h, (const double[]){0, 1}, (const double[]){1}, 1, y, noise);
}

/* Yoshida's triple jump with w1 = 1 / (2 - 2^(1/3)), w0 = 1 - 2 w1. */
static void yoshida(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    const double w1 = 1 / (2 - cbrt(2)), w0 = 1 - 2 * w1, ends = w1 / 2, middle = (w0 + w1) / 2;
    splitting(s, time, h, (const double[]){ends, middle, middle, ends}, (const double[]){w1, w0, w1}, 3, y,
              noise);
}

/* Omelyan, Mryglod & Folk (2002), section 4: xi, lambda, chi. */
static void pefrl(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.6626458266981849e-1;
    splitting(s, time, h, (const double[]){xi, chi, 1 - 2 * (chi + xi), chi, xi},
              (const double[]){(1 - 2 * lambda) / 2, lambda, lambda, (1 - 2 * lambda) / 2}, 4, y, noise);
}

static void velocity_verlet(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    double a[3], b[3];
    bench_state ahead;
    acceleration(s, time, y, true, true, a, noise);
    for (int axis = 0; axis < 3; axis++) {
        ahead.v[axis] = noise_rounded(noise, y->v[axis] + h * a[axis]);
        ahead.x[axis] =
            noise_rounded(noise, y->x[axis] + noise_stored(noise, 100, h) * (y->v[axis] + 0.5 * h * a[axis]));
    }
    acceleration(s, time + h, &ahead, true, true, b, noise);
    for (int axis = 0; axis < 3; axis++)
        y->v[axis] = noise_rounded(noise, y->v[axis] + noise_stored(noise, 110, h) *
                                                           noise_rounded(noise, 0.5 * (a[axis] + b[axis])));
    memcpy(y->x, ahead.x, sizeof y->x);
}

/* --- Runge-Kutta --- */

typedef struct slope {
    double x[3], v[3];
} slope;

static slope slope_at(const bench_setup *s, double time, const bench_state *y, bool advection,
                      bench_noise *noise) {
    slope k;
    memset(&k, 0, sizeof k);
    if (advection)
        acceleration(s, time, y, false, true, k.x, noise);
    else {
        memcpy(k.x, y->v, sizeof k.x);
        acceleration(s, time, y, true, true, k.v, noise);
    }
    return k;
}

static bench_state ahead_by(const bench_state *y, double h, const slope *k, bench_noise *noise) {
    bench_state to;
    add_scaled(to.x, y->x, noise_stored(noise, 100, h), k->x, noise);
    add_scaled(to.v, y->v, noise_stored(noise, 101, h), k->v, noise);
    return to;
}

static void runge_kutta(const bench_setup *s, int order, bool advection, double time, double h,
                        bench_state *y, bench_noise *noise) {
    slope k1 = slope_at(s, time, y, advection, noise), sum = k1;
    bench_state at = ahead_by(y, h / 2, &k1, noise);
    if (order > 1) sum = slope_at(s, time + h / 2, &at, advection, noise);
    if (order == 4) {
        slope k2 = sum, k3, k4;
        at = ahead_by(y, h / 2, &k2, noise);
        k3 = slope_at(s, time + h / 2, &at, advection, noise);
        at = ahead_by(y, h, &k3, noise);
        k4 = slope_at(s, time + h, &at, advection, noise);
        for (int axis = 0; axis < 3; axis++) {
            sum.x[axis] = (k1.x[axis] + 2 * k2.x[axis] + 2 * k3.x[axis] + k4.x[axis]) / 6;
            sum.v[axis] = (k1.v[axis] + 2 * k2.v[axis] + 2 * k3.v[axis] + k4.v[axis]) / 6;
        }
    }
    *y = ahead_by(y, h, &sum, noise);
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

void accuracy_exact_flow(const bench_setup *s, double time, bench_state *y) {
    *y = s->start;
    reference_flow(s, time, y);
}

/* A map of the state whose coefficients the engine stores as floats: the differences that x, v and the
 * constant each make, by linearity, each with its own error. */
typedef void map_function(const affine_term *term, int axis, double h, double *x, double *v);

static void apply_map(map_function *map, const affine_term *term, double h, const bench_state *y,
                      bench_state *change, bench_noise *noise, uint32_t number) {
    for (int axis = 0; axis < 3; axis++) {
        affine_term homogeneous = {{0}, term->damping, term->stiffness};
        double x[3] = {y->x[axis], 0, 0}, v[3] = {0, y->v[axis], 0};
        for (uint32_t i = 0; i < 3; i++) {
            double x0 = x[i], v0 = v[i];
            map(i == 2 ? term : &homogeneous, axis, h, &x[i], &v[i]);
            change->x[axis] += noise_rounded(noise, noise_stored(noise, number + i, x[i] - x0));
            change->v[axis] += noise_rounded(noise, noise_stored(noise, number + 3 + i, v[i] - v0));
        }
    }
}

static void map_flow(const affine_term *term, int axis, double h, double *x, double *v) {
    flow_axis(term->constant[axis], term->damping, term->stiffness, h, x, v);
}

static void map_average(const affine_term *term, int axis, double h, double *x, double *v) {
    double x0 = *x, v0 = *v;
    flow_axis(term->constant[axis], term->damping, term->stiffness, h, x, v);
    *x = x0 + h * (v0 + *v) / 2;
}

/* v1 = v + h (c + b v1 + k x1), x1 = x + h v1 */
static void map_implicit(const affine_term *term, int axis, double h, double *x, double *v) {
    *v = (*v + h * (term->constant[axis] + term->stiffness * *x)) /
         (1 - h * term->damping - h * h * term->stiffness);
    *x += h * *v;
}

static void apply_change(bench_state *y, const bench_state *change, bench_noise *noise) {
    add_scaled(y->x, y->x, 1, change->x, noise);
    add_scaled(y->v, y->v, 1, change->v, noise);
}

static void kick_other(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    double a[3];
    acceleration(s, time, y, false, true, a, noise);
    add_scaled(y->v, y->v, noise_stored(noise, 110, h), a, noise);
}

static void exact_flow(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    affine_term sum = sum_of_affine(s);
    bench_state change = {{0}, {0}};
    kick_other(s, time, h / 2, y, noise);
    apply_map(map_flow, &sum, h, y, &change, noise, 200);
    apply_change(y, &change, noise);
    kick_other(s, time + h, h / 2, y, noise);
}

static void implicit_euler(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    affine_term sum = sum_of_affine(s);
    bench_state change = {{0}, {0}};
    kick_other(s, time, h, y, noise);
    apply_map(map_implicit, &sum, h, y, &change, noise, 200);
    apply_change(y, &change, noise);
}

/* Each force alone from the old state; x + h v is common to all. */
static void kinematic(const bench_setup *s, bool average, double time, double h, bench_state *y,
                      bench_noise *noise) {
    bench_state sum = {{0}, {0}};
    double a[3];
    for (int axis = 0; axis < 3; axis++) sum.x[axis] = h * y->v[axis];
    for (uint32_t i = 0; i < s->force_count; i++) {
        affine_term term;
        bench_state change = {{0}, {0}};
        if (!affine_of(s, i, &term)) continue;
        apply_map(average ? map_average : map_flow, &term, h, y, &change, noise, 200 + 10 * i);
        for (int axis = 0; axis < 3; axis++) {
            sum.x[axis] += change.x[axis] - h * y->v[axis];
            sum.v[axis] += change.v[axis];
        }
    }
    acceleration(s, time, y, false, true, a, noise);
    add_scaled(sum.x, sum.x, average ? h * h / 2 : h * h, a, noise);
    add_scaled(sum.v, sum.v, h, a, noise);
    apply_change(y, &sum, noise);
}

/* --- The table --- */

void reference_step(const bench_setup *s, mote_integrator integrator, double time, double h, bench_state *y,
                    bench_noise *noise) {
    switch (integrator) {
    case MOTE_SEMI_IMPLICIT_EULER:
    case MOTE_POSITION_VERLET:
        semi_implicit(s, time, h, y, noise);
        break; /* of the half-step velocity */
    case MOTE_EXPLICIT_EULER:
        runge_kutta(s, 1, false, time, h, y, noise);
        break;
    case MOTE_MIDPOINT:
        runge_kutta(s, 2, false, time, h, y, noise);
        break;
    case MOTE_RK4:
        runge_kutta(s, 4, false, time, h, y, noise);
        break;
    case MOTE_VELOCITY_VERLET:
        velocity_verlet(s, time, h, y, noise);
        break;
    case MOTE_YOSHIDA4:
        yoshida(s, time, h, y, noise);
        break;
    case MOTE_PEFRL:
        pefrl(s, time, h, y, noise);
        break;
    case MOTE_IMPLICIT_EULER:
        implicit_euler(s, time, h, y, noise);
        break;
    case MOTE_KINEMATIC:
        kinematic(s, false, time, h, y, noise);
        break;
    case MOTE_KINEMATIC_AVERAGE:
        kinematic(s, true, time, h, y, noise);
        break;
    case MOTE_EXACT_FLOW:
        exact_flow(s, time, h, y, noise);
        break;
    case MOTE_ADVECT_EULER:
        runge_kutta(s, 1, true, time, h, y, noise);
        break;
    case MOTE_ADVECT_MIDPOINT:
        runge_kutta(s, 2, true, time, h, y, noise);
        break;
    case MOTE_ADVECT_RK4:
        runge_kutta(s, 4, true, time, h, y, noise);
        break;
    default:
        break;
    }
}

static void kick_half(const bench_setup *s, double time, double h, bench_state *y, bench_noise *noise) {
    double a[3];
    acceleration(s, time, y, true, true, a, noise);
    add_scaled(y->v, y->v, h / 2, a, noise);
}

void reference_start(const bench_setup *s, mote_integrator integrator, double time, double h, bench_state *y,
                     bench_noise *noise) {
    for (int axis = 0; axis < 3; axis++) {
        y->x[axis] = noise_rounded(noise, y->x[axis]);
        y->v[axis] = noise_rounded(noise, y->v[axis]);
    }
    if (integrator == MOTE_POSITION_VERLET) kick_half(s, time, -h, y, noise);
}

bench_state reference_reported(const bench_setup *s, mote_integrator integrator, double time, double h,
                               bench_state y) {
    if (integrator == MOTE_POSITION_VERLET) kick_half(s, time, h, &y, NULL);
    return y;
}

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
