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
    MOTE_VELOCITY_VERLET,     /* x += h v + h^2 a / 2; a' at x and v + h a; v += h (a + a') / 2 */
    MOTE_RK4,                 /* the classic fourth-order Runge-Kutta, all particles of a block at each stage */
    MOTE_EXACT_FLOW,          /* affine forces in closed form for any h; others as kicks of h / 2 around it */
    MOTE_INTEGRATOR_COUNT
} mote_integrator;

/* What is known of an integrator. */
typedef struct mote_integrator_info {
    const char *name;      /* "semi-implicit-euler", ... */
    uint32_t order;        /* of the global error, for forces of position and time */
    uint32_t order_damped; /* the same where a force reads velocity (exact flow: an affine force) */
    bool symplectic;       /* for forces that come from a potential */
    uint32_t evaluations;  /* of the forces, per substep (exact flow: of the forces that are not affine) */
    double stable_z;       /* largest h sqrt(k / m) of an undamped spring; 0: none, HUGE_VAL: any */
    const char *note;      /* one sentence on its use */
    const char *source;    /* where it comes from */
} mote_integrator_info;

/* Static, never NULL for a member of the enumeration, NULL for anything else. Any thread. */
MOTE_API const mote_integrator_info *mote_integrator_describe(mote_integrator integrator);

#ifdef __cplusplus
}
#endif
#endif
