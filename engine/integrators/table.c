/* The table of integrators: coefficients with order, properties and source. One row a member. */
#include "integrators/scheme.h"

#include <math.h>

const mote_scheme mote_scheme_table[MOTE_INTEGRATOR_COUNT] = {
    [MOTE_SEMI_IMPLICIT_EULER] = {
        .info = {.name = "semi-implicit-euler", .order = 1, .order_damped = 1, .symplectic = true, .evaluations = 1,
                 .stable_z = 2,
                 .note = "Kick, then drift: one evaluation, bounded energy; only its one-step error is h^2.",
                 .source = "Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), I.1.2"},
        .family = MOTE_FAMILY_SPLITTING, .stages = 1, .time = {0}, .kick = {1}, .drift = {1}},
    [MOTE_EXPLICIT_EULER] = {
        .info = {.name = "explicit-euler", .order = 1, .order_damped = 1, .symplectic = false, .evaluations = 1,
                 .stable_z = 0,
                 .note = "Gains energy on every undamped spring; for comparison.",
                 .source = "Hairer, Norsett & Wanner, Solving ODEs I (1993), I.7"},
        .family = MOTE_FAMILY_RUNGE_KUTTA, .stages = 1, .time = {0}, .kick = {1}, .weight = {1}},
    [MOTE_VELOCITY_VERLET] = {
        .info = {.name = "velocity-verlet", .order = 2, .order_damped = 2, .symplectic = true, .evaluations = 2,
                 .stable_z = 2,
                 .note = "Evaluates at the predicted velocity, so forces that read velocity keep order 2; one evaluation "
                         "a substep where none does.",
                 .source = "Swope, Andersen, Berens & Wilson, J. Chem. Phys. 76 (1982) 637"},
        .family = MOTE_FAMILY_VERLET, .stages = 2, .time = {0, 1}, .kick = {1, 1}},
    [MOTE_RK4] = {
        .info = {.name = "rk4", .order = 4, .order_damped = 4, .symplectic = false, .evaluations = 4,
                 .stable_z = 2.8284271247461903,
                 .note = "All coupled particles go through each stage together; slowly loses energy and phase.",
                 .source = "Kutta, Z. Math. Phys. 46 (1901) 435"},
        .family = MOTE_FAMILY_RUNGE_KUTTA, .stages = 4, .time = {0, 0.5, 0.5, 1}, .kick = {1, 1, 1, 1},
        .next = {0.5, 0.5, 1}, .weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
    [MOTE_EXACT_FLOW] = {
        .info = {.name = "exact-flow", .order = 2, .order_damped = 2, .symplectic = true, .evaluations = 2,
                 .stable_z = HUGE_VAL,
                 .note = "All affine forces together, exact for any h; every other force is a kick of h / 2 on both sides "
                         "(order 1 if such a force reads velocity).",
                 .source = "Strang, SIAM J. Numer. Anal. 5 (1968) 506; Higham, Functions of Matrices (2008), 10"},
        .family = MOTE_FAMILY_MAP, .stages = 2, .time = {0, 1}, .kick = {0.5, 0.5}},
};

const mote_integrator_info *mote_integrator_describe(mote_integrator integrator) {
    return (unsigned)integrator < MOTE_INTEGRATOR_COUNT ? &mote_scheme_table[integrator].info : NULL;
}

void mote_scheme_coefficients(const mote_scheme *scheme, double h, mote_coefficients *coefficients) {
    coefficients->h = (float)h;
    for (uint32_t i = 0; i < MOTE_MAX_STAGES; i++) {
        coefficients->drift[i] = (float)(scheme->drift[i] * h);
        coefficients->next[i] = (float)scheme->next[i];
        coefficients->weight[i] = (float)scheme->weight[i];
    }
}

mote_map mote_map_exact_flow(double constant, double damping, double stiffness, double h) {
    mote_propagator p = mote_propagator_make(damping, stiffness, h);
    return (mote_map){(float)p.xx, (float)p.xv, (float)(p.xc * constant),
                      (float)p.vx, (float)p.vv, (float)(p.vc * constant)};
}
