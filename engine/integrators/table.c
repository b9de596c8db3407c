/* Table of integrators: coefficients, order, properties and source. One row per integrator. */
#include "integrators/scheme.h"

#include <math.h>

/* Yoshida's coefficients: 1 / (2 - 2^(1/3)) and 1 - 2 / (2 - 2^(1/3)), three leapfrog steps whose third-order
 * errors cancel. */
#define YOSHIDA_1 1.3512071919596578
#define YOSHIDA_0 (-1.7024143839193153)

/* PEFRL coefficients: Omelyan et al., equation (22). */
#define PEFRL_XI       0.1786178958448091
#define PEFRL_LAMBDA   (-0.2123418310626054)
#define PEFRL_CHI      (-0.06626458266981849)
#define PEFRL_STABLE_Z 2.9894495459067291 /* trace of one substep = -2, by bisection with 50 digits */

/* Tableaux that Runge-Kutta methods and advection have in common. */
#define EULER_TABLEAU    .stages = 1, .kick = {1}, .weight = {1}
#define MIDPOINT_TABLEAU .stages = 2, .time = {0, 0.5}, .kick = {1, 1}, .next = {0.5}, .weight = {0, 1}
#define RK4_TABLEAU                                                                                          \
    .stages = 4, .time = {0, 0.5, 0.5, 1}, .kick = {1, 1, 1, 1}, .next = {0.5, 0.5, 1},                      \
    .weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}

/* Members that are not given are 0. */
const mote_scheme mote_scheme_table[MOTE_INTEGRATOR_COUNT] = {
    [MOTE_SEMI_IMPLICIT_EULER] =
        {.info = {.name = "semi-implicit-euler",
                  .order = 1,
                  .order_damped = 1,
                  .symplectic = true,
                  .evaluations = 1,
                  .stable_z = 2,
                  .note = "Kick, then drift: one evaluation, bounded energy; only its one-step error is h^2.",
                  .source = "Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), I.1.2"},
         .family = MOTE_FAMILY_SPLITTING,
         .stages = 1,
         .kick = {1},
         .drift = {1}},
    [MOTE_EXPLICIT_EULER] = {.info = {.name = "explicit-euler",
                                      .order = 1,
                                      .order_damped = 1,
                                      .evaluations = 1,
                                      .stable_z = 0,
                                      .note = "Gains energy on every undamped spring; for comparison.",
                                      .source = "Hairer, Norsett & Wanner, Solving ODEs I (1993), I.7"},
                             .family = MOTE_FAMILY_RUNGE_KUTTA,
                             EULER_TABLEAU},
    [MOTE_MIDPOINT] = {.info = {.name = "midpoint",
                                .order = 2,
                                .order_damped = 2,
                                .evaluations = 2,
                                .stable_z = 0,
                                .note = "Gains energy on undamped springs, slowly; good with damping and for "
                                        "velocity that depends on time.",
                                .source = "Runge, Math. Ann. 46 (1895) 167"},
                       .family = MOTE_FAMILY_RUNGE_KUTTA,
                       MIDPOINT_TABLEAU},
    [MOTE_POSITION_VERLET] = {.info = {.name = "position-verlet",
                                       .order = 2,
                                       .order_damped = 1,
                                       .symplectic = true,
                                       .evaluations = 1,
                                       .stable_z = 2,
                                       .note = "Stormer's two-point form; the velocity column holds v(t - "
                                               "h/2), which damping forces then read.",
                                       .source = "Stormer (1907); Verlet, Phys. Rev. 159 (1967) 98"},
                              .family = MOTE_FAMILY_SPLITTING,
                              .stages = 1,
                              .kick = {1},
                              .drift = {1},
                              .half_step_velocity = true},
    [MOTE_YOSHIDA4] =
        {.info = {.name = "yoshida4",
                  .order = 4,
                  .order_damped = 1,
                  .symplectic = true,
                  .evaluations = 3,
                  .stable_z = 1.5734019474347446,
                  .note = "Triple jump, drift first; order 1 where a force reads velocity.",
                  .source = "Yoshida, Phys. Lett. A 150 (1990) 262; Forest & Ruth, Physica D 43 (1990) 105"},
         .family = MOTE_FAMILY_SPLITTING,
         .stages = 3,
         .time = {YOSHIDA_1 / 2, 0.5, 1 - YOSHIDA_1 / 2},
         .kick = {YOSHIDA_1, YOSHIDA_0, YOSHIDA_1},
         .drift_first = YOSHIDA_1 / 2,
         .drift = {(YOSHIDA_0 + YOSHIDA_1) / 2, (YOSHIDA_0 + YOSHIDA_1) / 2, YOSHIDA_1 / 2}},
    [MOTE_PEFRL] = {.info = {.name = "pefrl",
                             .order = 4,
                             .order_damped = 1,
                             .symplectic = true,
                             .evaluations = 4,
                             .stable_z = PEFRL_STABLE_Z,
                             .note = "An error constant 26 times smaller than Forest-Ruth's for one "
                                     "evaluation more; order 1 where a force reads velocity.",
                             .source = "Omelyan, Mryglod & Folk, Comput. Phys. Commun. 146 (2002) 188"},
                    .family = MOTE_FAMILY_SPLITTING,
                    .stages = 4,
                    .time = {PEFRL_XI, PEFRL_XI + PEFRL_CHI, 1 - PEFRL_XI - PEFRL_CHI, 1 - PEFRL_XI},
                    .kick = {0.5 - PEFRL_LAMBDA, PEFRL_LAMBDA, PEFRL_LAMBDA, 0.5 - PEFRL_LAMBDA},
                    .drift_first = PEFRL_XI,
                    .drift = {PEFRL_CHI, 1 - 2 * (PEFRL_CHI + PEFRL_XI), PEFRL_CHI, PEFRL_XI}},
    [MOTE_IMPLICIT_EULER] = {.info = {.name = "implicit-euler",
                                      .order = 1,
                                      .order_damped = 1,
                                      .evaluations = 1,
                                      .stable_z = HUGE_VAL,
                                      .note = "Affine forces in closed form, stable for any h and strongly "
                                              "damping; others as a kick before.",
                                      .source = "Hairer & Wanner, Solving ODEs II (1996), IV.3"},
                             .family = MOTE_FAMILY_MAP,
                             .stages = 1,
                             .kick = {1},
                             .map = MOTE_MAP_IMPLICIT_EULER},
    [MOTE_KINEMATIC] =
        {.info = {.name = "kinematic",
                  .order = 1,
                  .order_damped = 1,
                  .evaluations = 1,
                  .stable_z = HUGE_VAL,
                  .note = "One affine force alone is exact; several lose order 2 to their coupling and two "
                          "springs slowly diverge. Other forces are semi-implicit, order 1.",
                  .source = "the exact solution of each force, summed; determinant of two springs 1 + z^4/6"},
         .family = MOTE_FAMILY_MAP,
         .stages = 1,
         .kick = {1},
         .map = MOTE_MAP_KINEMATIC,
         .kick_after = true,
         .push = 1},
    [MOTE_KINEMATIC_AVERAGE] =
        {
            .info = {.name = "kinematic-average",
                     .order = 1,
                     .order_damped = 1,
                     .evaluations = 1,
                     .stable_z = 3.1415926535897932, /* trace - 1 - determinant = -z sin z */
                     .note = "The exact dv of each force with the average velocity for dx: better than "
                             "kinematic where several affine forces depend on position or velocity. "
                             "Springs and orbits of other forces gain energy at every step.",
                     .source =
                         "the exact solution of each force, summed; determinant of two springs 1 - z^4/12"},
            .family = MOTE_FAMILY_MAP,
            .stages = 1,
            .kick = {1},
            .map = MOTE_MAP_KINEMATIC_AVERAGE,
            .kick_after = true,
            .push = 0.5},
    [MOTE_ADVECT_EULER] = {.info = {.name = "advect-euler",
                                    .order = 1,
                                    .order_damped = 1,
                                    .evaluations = 1,
                                    .stable_z = HUGE_VAL,
                                    .note = "Velocity fields; for comparison.",
                                    .source = "Hairer, Norsett & Wanner, Solving ODEs I (1993), I.7"},
                           .family = MOTE_FAMILY_ADVECTION,
                           EULER_TABLEAU},
    [MOTE_ADVECT_MIDPOINT] = {.info = {.name = "advect-midpoint",
                                       .order = 2,
                                       .order_damped = 2,
                                       .evaluations = 2,
                                       .stable_z = HUGE_VAL,
                                       .note = "Velocity fields; the usual choice for smoke and flow.",
                                       .source = "Runge, Math. Ann. 46 (1895) 167"},
                              .family = MOTE_FAMILY_ADVECTION,
                              MIDPOINT_TABLEAU},
    [MOTE_ADVECT_RK4] = {.info = {.name = "advect-rk4",
                                  .order = 4,
                                  .order_damped = 4,
                                  .evaluations = 4,
                                  .stable_z = HUGE_VAL,
                                  .note = "Velocity fields that are smooth, over long steps.",
                                  .source = "Kutta, Z. Math. Phys. 46 (1901) 435"},
                         .family = MOTE_FAMILY_ADVECTION,
                         RK4_TABLEAU},
    [MOTE_VELOCITY_VERLET] = {.info = {.name = "velocity-verlet",
                                       .order = 2,
                                       .order_damped = 2,
                                       .symplectic = true,
                                       .evaluations = 2,
                                       .stable_z = 2,
                                       .note = "Evaluates at the predicted velocity, so forces that read "
                                               "velocity keep order 2; 1 + 1 / substeps evaluations a "
                                               "substep where none does.",
                                       .source =
                                           "Swope, Andersen, Berens & Wilson, J. Chem. Phys. 76 (1982) 637"},
                              .family = MOTE_FAMILY_VERLET,
                              .stages = 2,
                              .time = {0, 1},
                              .kick = {1, 1}},
    [MOTE_RK4] =
        {.info = {.name = "rk4",
                  .order = 4,
                  .order_damped = 4,
                  .evaluations = 4,
                  .stable_z = 2.8284271247461903,
                  .note =
                      "All coupled particles go through each stage together; slowly loses energy and phase.",
                  .source = "Kutta, Z. Math. Phys. 46 (1901) 435"},
         .family = MOTE_FAMILY_RUNGE_KUTTA,
         RK4_TABLEAU},
    [MOTE_EXACT_FLOW] =
        {.info =
             {.name = "exact-flow",
              .order = 2,
              .order_damped = 2,
              .symplectic = true,
              .evaluations = 2,
              .stable_z = HUGE_VAL,
              .note =
                  "All affine forces together, exact for any h; every other force is a kick of h / 2 on both "
                  "sides (order 1 if such a force reads velocity).",
              .source =
                  "Strang, SIAM J. Numer. Anal. 5 (1968) 506; Higham, Functions of Matrices (2008), 10"},
         .family = MOTE_FAMILY_MAP,
         .stages = 2,
         .time = {0, 1},
         .kick = {0.5, 0.5}},
};

const mote_integrator_info *mote_integrator_describe(mote_integrator integrator) {
    return (unsigned)integrator < MOTE_INTEGRATOR_COUNT ? &mote_scheme_table[integrator].info : NULL;
}

void mote_scheme_coefficients(const mote_scheme *scheme, double h, mote_coefficients *coefficients) {
    coefficients->h = (float)h;
    coefficients->drift_first = (float)(scheme->drift_first * h);
    coefficients->kick_after = scheme->kick_after;
    coefficients->push = (float)(scheme->push * h);
    for (uint32_t i = 0; i < MOTE_MAX_STAGES; i++) {
        coefficients->drift[i] = (float)(scheme->drift[i] * h);
        coefficients->next[i] = (float)scheme->next[i];
        coefficients->weight[i] = (float)scheme->weight[i];
    }
}

/* Returns s, the displacement by a constant acceleration over h^2 a. */
static double displacement(const mote_scheme *scheme) {
    double sum = 0, v = 0; /* v: over h a */
    if (scheme->family == MOTE_FAMILY_VERLET) return 0.5;
    if (scheme->kick_after) return scheme->push;
    for (uint32_t i = 0; i < scheme->stages; i++) {
        v += scheme->kick[i];
        sum += scheme->family == MOTE_FAMILY_SPLITTING     ? scheme->drift[i] * v
               : scheme->family == MOTE_FAMILY_RUNGE_KUTTA ? scheme->weight[i] * scheme->time[i]
                                                           : scheme->kick[i] * (1 - scheme->time[i]);
    }
    return sum;
}

double mote_scheme_held_time(const mote_scheme *scheme) { return 1 - displacement(scheme); }
