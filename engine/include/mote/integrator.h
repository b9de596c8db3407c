/** @file
 * Integrators: methods that advance a state over one substep h. */
#ifndef MOTE_INTEGRATOR_H
#define MOTE_INTEGRATOR_H

#include <stdbool.h>
#include <stdint.h>

#include <mote/result.h>

/** The integrators.
 *
 * Position Verlet stores x_(n-1) as the half-step velocity v(t - h/2) in the velocity column. Its step is
 * then that of semi-implicit Euler; its second order comes from the start. A system kicks new particles by -h
 * a / 2 before their first step, so the host spawns them with their true velocity; the column holds v(t -
 * h/2) afterwards. Energies, momenta and presented velocities of loose particles add h a / 2; those of the
 * springs of networks and strands do not, and their energies swing by a share of h w / 2. For arrays without
 * a system, mote_columns_kick does both. With damping the two half kicks differ by (h/2)^2 (b/m) a, the error
 * of the method. The half kick before the first step knows the forces of that time, without external ones.
 * Forces that are added, set or removed later and change the acceleration by da leave an error of h da / 2 in
 * the velocity, and external forces f take a particle h f t / (2 m) too far in the time t for which they act:
 * the order is 1 then (10 m/s^2 for 2 s as an external force: 0.62 m at 16 steps a second, 0.31 m at 32; as a
 * gravity that is added: half of that after 1 s). A host that subtracts h da / 2 from the velocity column at
 * each such change keeps order 2, as velocity Verlet does by itself.
 *
 * The advecting integrators solve x' = u(x, t) for velocity fields; particles have no momentum, and the
 * velocity column receives the mean velocity of the last substep. */
typedef enum mote_integrator {
    MOTE_SEMI_IMPLICIT_EULER, /**< v += h a(x, v); x += h v. The default */
    MOTE_EXPLICIT_EULER,      /**< x += h v; v += h a(x, v), both from the old state */
    MOTE_MIDPOINT,            /**< Runge's second-order method */
    MOTE_RK4,                 /**< classic fourth-order Runge-Kutta, all particles of a block at each stage */
    MOTE_VELOCITY_VERLET,     /**< x += h v + h^2 a / 2; a' at x and v + h a; v += h (a + a') / 2 */
    MOTE_POSITION_VERLET, /**< Stormer's two-point method; the velocity column holds (x_n - x_(n-1)) / h */
    MOTE_YOSHIDA4,        /**< fourth-order splitting, drift first */
    MOTE_PEFRL,           /**< fourth-order splitting with a small error constant, drift first */
    /** Affine forces at the end of the substep, in closed form; other forces as a kick before. */
    MOTE_IMPLICIT_EULER,
    /** The exact dv and dx of each force by itself, summed; dx = h dv where there is no closed form. */
    MOTE_KINEMATIC,
    /** The exact dv of each force by itself, and dx = h dv / 2. Springs and orbits of forces that are not
     * affine, which are kicks, gain energy at every step: by the factor 1 + z^2 / 2 a substep. */
    MOTE_KINEMATIC_AVERAGE,
    MOTE_EXACT_FLOW,      /**< affine forces in closed form for any h; others as kicks of h / 2 around it */
    MOTE_ADVECT_EULER,    /**< velocity fields: Euler's method */
    MOTE_ADVECT_MIDPOINT, /**< velocity fields: the midpoint method */
    MOTE_ADVECT_RK4,      /**< velocity fields: classic Runge-Kutta */
    MOTE_INTEGRATOR_COUNT
} mote_integrator;

/** Properties of an integrator. */
typedef struct mote_integrator_info {
    const char *name;      /**< "semi-implicit-euler", ... */
    uint32_t order;        /**< of the global error, for forces of position and time */
    uint32_t order_damped; /**< the same where a force reads velocity (exact flow: an affine force) */
    bool symplectic;       /**< for forces that come from a potential */
    /** Evaluations of the forces per substep (exact flow, implicit Euler and kinematic: of the forces that
     * are not affine; velocity Verlet of loose particles: at most 1 + 1 / substeps where no force reads
     * velocity). */
    uint32_t evaluations;
    double stable_z;    /**< largest h sqrt(k / m) of an undamped anchor spring; 0: none, HUGE_VAL: any */
    const char *note;   /**< one sentence on its use */
    const char *source; /**< publication */
} mote_integrator_info;

/** Returns the properties of an integrator: static, never NULL for a member of the enumeration, NULL for
 * anything else. Any thread. */
MOTE_API const mote_integrator_info *mote_integrator_describe(mote_integrator integrator);

/** Returns the largest h (s) at which an anchor spring of the given stiffness (N/m), damping (kg/s) and mass
 * (kg) does not grow: the spectral radius of one substep is at most 1 for all smaller h. 0: grows at any h,
 * or at any that a double holds; HUGE_VAL: never grows; NaN for values that are negative, not finite or for
 * mass 0. Advection has no momentum: HUGE_VAL. */
MOTE_API double mote_integrator_stable_step(mote_integrator integrator, double stiffness, double damping,
                                            double mass);

/** The dead zone of float32 at a state: mote_integrator_dead_zone. */
typedef struct mote_dead_zone {
    double still_speed,     /**< m/s: below it no drift of a substep changes the coordinate */
        full_speed,         /**< m/s: above it every drift of a substep changes the coordinate */
        still_acceleration, /**< m/s^2: below it no kick of a substep changes the velocity */
        full_acceleration;  /**< m/s^2: above it every kick of a substep changes the velocity */
} mote_dead_zone;

/** Returns where float32 stops loose particles. A sum x + y rounds to x where |y| < u / 2, with u the
 * distance from x to the next float: 2^-23 times the power of two at or below |x|, and half of that from a
 * power of two towards 0. A substep of h seconds adds d_i h v to the position and k_i h a to the velocity:
 *
 *     still_speed = u_x / (2 h max |d_i|)            full_speed = u_x / (2 h min |d_i|)
 *     still_acceleration = u_v / (2 h max |k_i|)     full_acceleration = u_v / (2 h min |k_i|)
 *
 * (at powers of two: `still` with the smaller u, `full` with the larger), correct to 10^-6 because h and h v
 * are rounded too. v is the velocity along the axis of the coordinate, a the sum of the forces along it over
 * the mass. d_i and k_i are the drifts and kicks of the fourth-order splittings, some of which are small
 * (PEFRL: drifts of 0.066 to 0.775, kicks of 0.21 to 0.71), and 1 otherwise; under exact flow k is 1 for
 * affine forces and 1/2 for others, and affine forces alone, without colliders, take whole timesteps: substep
 * = timestep there. Advection: v is the velocity of the field, and the accelerations are HUGE_VAL. Above
 * full_speed a drift is rounded by at most full_speed / |v| of it, often in the same direction for many
 * substeps.
 *
 * coordinate (m) and speed (m/s, along the same axis; for the accelerations): of either sign. substep: h, s.
 * Errors: NaN in all fields for an unknown integrator, a substep that is not positive and finite, a
 * coordinate or speed beyond float32. Any thread. */
MOTE_API mote_dead_zone mote_integrator_dead_zone(mote_integrator integrator, double coordinate, double speed,
                                                  double substep);

#endif
