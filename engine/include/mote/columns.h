/** @file
 * The engine without a system: steps arrays that the caller owns. */
#ifndef MOTE_COLUMNS_H
#define MOTE_COLUMNS_H

#include <stdint.h>

#include <mote/allocator.h>
#include <mote/force.h>
#include <mote/integrator.h>
#include <mote/isa.h>
#include <mote/jobs.h>

/** Three arrays of floats: one vector per particle. */
typedef struct mote_vector_columns {
    float *x, /**< component along x */
        *y,   /**< component along y */
        *z;   /**< component along z */
} mote_vector_columns;

/** Four arrays of floats: one quaternion per particle, as mote_transform.rotation. */
typedef struct mote_quaternion_columns {
    float *x, /**< component along x */
        *y,   /**< component along y */
        *z,   /**< component along z */
        *w;   /**< real part */
} mote_quaternion_columns;

#define MOTE_MAX_PARTICLES 0x7fffff00u /**< particles in one set of columns */

/** Particles as arrays of count floats each, with the alignment of a float; no padding is read or written. */
typedef struct mote_columns {
    uint32_t count;               /**< 0 .. MOTE_MAX_PARTICLES */
    mote_vector_columns position; /**< m */
    mote_vector_columns velocity; /**< m/s */
    const float *inverse_mass;    /**< 1/kg, 0 = immovable; NULL: `mass` for all */
    float mass;                   /**< kg, > 0, where inverse_mass is NULL */
    mote_vector_columns anchor;   /**< m, for mote_particle_anchors; only read; else NULL */
} mote_columns;

/** Settings of mote_columns_step. */
typedef struct mote_columns_def {
    uint32_t cookie;              /**< set by mote_default_columns_def */
    mote_integrator integrator;   /**< of all particles */
    const mote_force_def *forces; /**< force_count of them, applied in this order; NULL with 0 */
    uint32_t force_count;         /**< forces */
    double time;                  /**< s, at the start of the step */
    double timestep;              /**< s, > 0 */
    uint32_t substeps;            /**< >= 1; h = timestep / substeps */
    uint32_t steps;               /**< >= 1: number of timesteps; step n starts at time + n timestep */
    mote_isa isa;                 /**< instruction set of the kernels */
    mote_jobs jobs;               /**< threads of the step */
    mote_allocator allocator;     /**< used only with callbacks that reach the range */
} mote_columns_def;

/** Returns a def with semi-implicit Euler, no forces, time 0, timestep 1/60 s, one substep, one step, AUTO,
 * serial jobs. */
MOTE_API mote_columns_def mote_default_columns_def(void);

/** Checks columns and a def for them. Returns the code that mote_columns_step would return, except MEMORY.
 * parameter: see mote_result; the name of a field of the columns or of the def ("forces" for any of a force:
 * mote_force_check). Any thread. */
MOTE_API mote_result mote_columns_check(const mote_columns *columns, const mote_columns_def *def,
                                        const char **parameter);

/** Advances position and velocity by steps x timestep. Reads the inverse masses. A particle whose state turns
 * non-finite keeps its state of the start of that step and is not stepped further; *frozen, if not NULL,
 * receives the number of such particles. The result has the bits of a system with the same particles and
 * forces, stepped as often from its step 0 (from any step where no force reads the time). Errors: NULL, DEF,
 * ENUM, NOT_FINITE, RANGE, BUFFER (an array without the alignment of a float), ISA, MEMORY, ABSENT (no anchor
 * columns), INTEGRATOR (a velocity field without an
 * advecting integrator or the reverse; exact flow where all forces are callbacks; position Verlet with a
 * callback that reaches the range), as result.h says; nothing is changed. Threads: those of def->jobs; calls
 * on different arrays may run at the same time. Cost: one pass over memory for any number of steps and
 * substeps, unless a callback reaches the range. */
MOTE_API mote_result mote_columns_step(const mote_columns *columns, const mote_columns_def *def,
                                       uint32_t *frozen);

/** Kicks the velocities: v += fraction x h x a(x, v) at time def->time, h = timestep / substeps. For position
 * Verlet, -0.5 converts true velocities to those of its columns and +0.5 converts them back. Errors and
 * threads as mote_columns_step, and INTEGRATOR for a callback that reaches the range and for advection. */
MOTE_API mote_result mote_columns_kick(const mote_columns *columns, const mote_columns_def *def,
                                       double fraction);

#endif
