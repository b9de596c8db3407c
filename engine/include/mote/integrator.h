/* Integrators: how a state is carried over one substep h. */
#ifndef MOTE_INTEGRATOR_H
#define MOTE_INTEGRATOR_H

#include <stdbool.h>
#include <stdint.h>

#include <mote/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_integrator {
    MOTE_SEMI_IMPLICIT_EULER, /* v += h a(x, v); x += h v. The default */
    MOTE_EXPLICIT_EULER,      /* x += h v; v += h a(x, v), both from the old state */
    MOTE_MIDPOINT,            /* Runge's second-order method */
    MOTE_RK4,             /* the classic fourth-order Runge-Kutta, all particles of a block at each stage */
    MOTE_VELOCITY_VERLET, /* x += h v + h^2 a / 2; a' at x and v + h a; v += h (a + a') / 2 */
    MOTE_POSITION_VERLET, /* Stormer's two-point method; the velocity column holds (x_n - x_(n-1)) / h, see
                             below */
    MOTE_YOSHIDA4,        /* fourth-order splitting, drift first */
    MOTE_PEFRL,           /* fourth-order splitting with a small error constant, drift first */
    MOTE_IMPLICIT_EULER,  /* affine forces at the end of the substep, in closed form; others as a kick before
                           */
    MOTE_KINEMATIC, /* each force's own exact dv and dx, summed; dx = h dv where there is no closed form */
    MOTE_KINEMATIC_AVERAGE, /* each force's exact dv, and dx = h dv / 2 */
    MOTE_EXACT_FLOW,        /* affine forces in closed form for any h; others as kicks of h / 2 around it */
    MOTE_ADVECT_EULER,      /* velocity fields: x' = u(x, t), particles without momentum. The velocity column
                               receives */
    MOTE_ADVECT_MIDPOINT,   /* the mean velocity of the last substep */
    MOTE_ADVECT_RK4,
    MOTE_INTEGRATOR_COUNT
} mote_integrator;

/* Position Verlet carries x_(n-1) as the half-step velocity v(t - h/2) in the velocity column; its step is
 * then that of semi-implicit Euler, and what makes it second order is the start. A system kicks new particles
 * by -h a / 2 before their first step, so the host spawns them with their true velocity; what it reads from
 * the column afterwards is v(t - h/2). Energies, momenta and presented velocities add h a / 2. On arrays of
 * one's own, mote_columns_kick does both. With damping the two half kicks differ by (h/2)^2 (b/m) a, the
 * error of the method. */

/* What is known of an integrator. */
typedef struct mote_integrator_info {
    const char *name;      /* "semi-implicit-euler", ... */
    uint32_t order;        /* of the global error, for forces of position and time */
    uint32_t order_damped; /* the same where a force reads velocity (exact flow: an affine force) */
    bool symplectic;       /* for forces that come from a potential */
    uint32_t evaluations;  /* of the forces, per substep (exact flow, implicit Euler and kinematic: of the
                            * forces that are  not affine) */
    double stable_z;       /* largest h sqrt(k / m) of an undamped anchor spring; 0: none, HUGE_VAL: any */
    const char *note;      /* one sentence on its use */
    const char *source;    /* where it comes from */
} mote_integrator_info;

/* Static, never NULL for a member of the enumeration, NULL for anything else. Any thread. */
MOTE_API const mote_integrator_info *mote_integrator_describe(mote_integrator integrator);

/* The largest h (s) at which an anchor spring of `stiffness` (N/m), `damping` (kg/s) and `mass` (kg) does not
 * grow: the spectral radius of one substep stays at or below 1 for all smaller h. 0: grows at any h;
 * HUGE_VAL: never grows; NaN for values that are negative, not finite or for mass 0. Advection has no
 * momentum: HUGE_VAL. */
MOTE_API double mote_integrator_stable_step(mote_integrator integrator, double stiffness, double damping,
                                            double mass);

#ifdef __cplusplus
}
#endif
#endif
