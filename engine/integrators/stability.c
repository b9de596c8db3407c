/* Stability on the damped anchor spring m x'' = -k x - b v. Computes the matrix of one substep, less the unit
 * matrix, stage by stage in double, and the first h at which its spectral radius exceeds 1. */
#include "integrators/scheme.h"

#include <math.h>

#include "base/fpu.h"

typedef struct state {
    double x, v;
} state;

typedef struct spring {
    double stiffness, damping; /* a = stiffness x + damping v, both <= 0 */
} spring;

static state sum(state y, state change) { return (state){y.x + change.x, y.v + change.v}; }

static double acceleration(const spring *s, state y) { return s->stiffness * y.x + s->damping * y.v; }

/* --- The change of the state y in one substep --- */

static state splitting(const mote_scheme *scheme, const spring *s, double h, state y) {
    state change = {scheme->drift_first * h * y.v, 0};
    for (uint32_t i = 0; i < scheme->stages; i++) {
        change.v += scheme->kick[i] * h * acceleration(s, sum(y, change));
        change.x += scheme->drift[i] * h * (y.v + change.v);
    }
    return change;
}

static state verlet(const spring *s, double h, state y) {
    const double a = acceleration(s, y);
    const state predicted = {h * (y.v + 0.5 * h * a), h * a};
    return (state){predicted.x, 0.5 * h * (a + acceleration(s, sum(y, predicted)))};
}

static state runge_kutta(const mote_scheme *scheme, const spring *s, double h, state y) {
    state at = y, change = {0, 0};
    for (uint32_t i = 0; i < scheme->stages; i++) {
        const state slope = {at.v, acceleration(s, at)};
        change.x += scheme->weight[i] * h * slope.x;
        change.v += scheme->weight[i] * h * slope.v;
        at = (state){y.x + scheme->next[i] * h * slope.x, y.v + scheme->next[i] * h * slope.v};
    }
    return change;
}

static state substep(const mote_scheme *scheme, const spring *s, double h, state y) {
    if (scheme->family == MOTE_FAMILY_SPLITTING) return splitting(scheme, s, h, y);
    if (scheme->family == MOTE_FAMILY_VERLET) return verlet(s, h, y);
    if (scheme->family == MOTE_FAMILY_RUNGE_KUTTA) return runge_kutta(scheme, s, h, y);
    const mote_exact_map m = mote_map_make(scheme->map, 0, s->damping, s->stiffness, h);
    return (state){m.xx * y.x + m.xv * y.v, m.vx * y.x + m.vv * y.v};
}

/* Jury's criterion (1962): both eigenvalues of a 2 x 2 matrix are in the unit disc exactly if |det| <= 1 and
 * |trace| <= 1 + det. Of the matrix I + D, det = 1 + tr D + det D: this gain is computed without the 1, so
 * that damping far below the stiffness is seen. The slack allows for rounding, in parts of the size of the
 * terms that cancel: a symplectic method has det = 1. */
bool mote_scheme_is_stable(const mote_scheme *scheme, double stiffness, double damping, double h) {
    const double slack = 1e-12;
    const spring s = {-stiffness, -damping};
    const state a = substep(scheme, &s, h, (state){1, 0}), b = substep(scheme, &s, h, (state){0, 1});
    const double trace = a.x + b.v, determinant = a.x * b.v - a.v * b.x;
    const double size = h * (h * stiffness + damping), rounding = slack * (size < 1 ? size : 1);
    return trace + determinant <= rounding && trace + determinant >= -2 - rounding &&
           determinant >= -rounding && 4 + 2 * trace + determinant >= -rounding;
}

/* --- Searches --- */

double mote_bisect_step(mote_step_check *is_stable, const void *context, double good, double bad,
                        int halvings) {
    for (int i = 0; i < halvings; i++) {
        const double middle = 0.5 * (good + bad);
        if (middle == good || middle == bad) break;
        if (is_stable(context, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* With damping far below the stiffness the limit may be any part of the resolution that a double holds. */
#define HALVINGS 1100

double mote_first_growth(mote_step_check *is_stable, const void *context, double resolution, int steps) {
    for (int i = 1; i <= steps; i++)
        if (!is_stable(context, i * resolution))
            return mote_bisect_step(is_stable, context, (i - 1) * resolution, i * resolution, HALVINGS);
    return HUGE_VAL;
}

#define SEARCH_STEPS 20000
#define RESOLUTION   0.01 /* step of the search, in h times the rate */

typedef struct damped_spring {
    const mote_scheme *scheme;
    double stiffness, damping;
} damped_spring;

static bool spring_is_stable(const void *context, double h) {
    const damped_spring *s = context;
    return mote_scheme_is_stable(s->scheme, s->stiffness, s->damping, h);
}

static double stable_step(mote_integrator integrator, double stiffness, double damping, double mass) {
    bool valid = (unsigned)integrator < MOTE_INTEGRATOR_COUNT;
    if (!valid || !(stiffness >= 0) || !(damping >= 0) || !(mass > 0) || !isfinite(stiffness) ||
        !isfinite(damping) || !isfinite(mass))
        return NAN;
    const mote_scheme *scheme = &mote_scheme_table[integrator];
    /* Rates per unit of time, of which one is short enough for any arguments. */
    static const double units[] = {1, 0x1p-500, 0x1p-1074}; /* s */
    double root = 0, drag = 0, rate = HUGE_VAL, unit = 1;
    for (int i = 0; i < 3 && !isfinite(rate); i++) {
        unit = units[i];
        root = __builtin_sqrt(stiffness) * unit / __builtin_sqrt(mass), drag = damping * unit / mass;
        rate = root + drag;
    }
    if (scheme->family == MOTE_FAMILY_ADVECTION || rate == 0) return HUGE_VAL;
    /* Scales time by the rate, so that the search does not depend on the units of the arguments. */
    const damped_spring s = {scheme, (root / rate) * (root / rate), drag / rate};
    /* With damping, every method is stable for some h: b / k for explicit Euler. */
    if (scheme->info.stable_z == 0 && damping == 0) return 0;
    return mote_first_growth(spring_is_stable, &s, RESOLUTION, SEARCH_STEPS) / rate * unit;
}

double mote_integrator_stable_step(mote_integrator integrator, double stiffness, double damping,
                                   double mass) {
    const mote_fpu_state saved = mote_fpu_enter();
    MOTE_FPU_COMPUTED(stiffness); /* nothing of the search is computed before */
    MOTE_FPU_COMPUTED(damping);
    MOTE_FPU_COMPUTED(mass);
    double step = stable_step(integrator, stiffness, damping, mass);
    MOTE_FPU_COMPUTED(step);
    mote_fpu_leave(saved);
    return step;
}
