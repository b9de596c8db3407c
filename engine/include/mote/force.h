/** @file
 * Forces that accelerate particles. A force is a plain struct, made by the function named after it. A vector
 * that is NULL counts as one of NaN: every call refuses the force with NOT_FINITE. */
#ifndef MOTE_FORCE_H
#define MOTE_FORCE_H

#include <stdbool.h>
#include <stdint.h>

#include <mote/id.h>
#include <mote/result.h>

/** Kinds of force, in the order of the three ways in which they are evaluated: affine (all of them folded
 * into one term), inline, callback. */
typedef enum mote_force_kind {
    MOTE_FORCE_GRAVITY,          /**< affine: mote_gravity */
    MOTE_FORCE_THRUST,           /**< affine: mote_thrust */
    MOTE_FORCE_WIND,             /**< affine: mote_wind */
    MOTE_FORCE_ANCHOR_SPRING,    /**< affine: mote_anchor_spring */
    MOTE_FORCE_ATTRACTOR,        /**< inline: mote_attractor */
    MOTE_FORCE_TIMED_THRUST,     /**< inline: mote_timed_thrust */
    MOTE_FORCE_QUADRATIC_DRAG,   /**< inline: mote_quadratic_drag */
    MOTE_FORCE_PARTICLE_ANCHORS, /**< inline: mote_particle_anchors */
    MOTE_FORCE_LINEAR_FIELD,     /**< inline: mote_linear_field */
    MOTE_FORCE_VORTEX,           /**< inline: mote_vortex */
    MOTE_FORCE_CURL_NOISE,       /**< inline: mote_curl_noise */
    MOTE_FORCE_GRID,             /**< inline: mote_grid_field */
    MOTE_FORCE_CALLBACK,         /**< mote_callback */
    MOTE_FORCE_KIND_COUNT
} mote_force_kind;

/** Input of a callback: one block of particles at one stage of the integrator. Element i of every column
 * belongs to slot first + i: of the loose particles, of strands (mote_strands_columns) or of a network
 * (mote_network_columns). Callbacks on strands and networks see masked slots too (inverse mass 0). Nothing
 * here may be written. */
typedef struct mote_stage_view {
    mote_strands_id strands;    /**< the strands that own the slots; {0, 0}: not of strands */
    mote_network_id network;    /**< the network that owns them; both ids {0, 0}: loose particles */
    double time;                /**< s, of the stage */
    uint32_t first,             /**< first slot */
        count;                  /**< slots */
    const float *x,             /**< m */
        *y,                     /**< m */
        *z;                     /**< m */
    const float *velocity_x,    /**< m/s */
        *velocity_y,            /**< m/s */
        *velocity_z;            /**< m/s */
    const float *inverse_mass;  /**< 1/kg per particle; NULL where the mass is uniform */
    float uniform_inverse_mass; /**< 1/kg, where inverse_mass is NULL */
    /** Slots of the range. This and the range columns, of slots 0 .. range_count - 1 at the same stage, are
     * only for callbacks that reach the range. */
    uint32_t range_count;
    const float *range_x,          /**< m */
        *range_y,                  /**< m */
        *range_z;                  /**< m */
    const float *range_velocity_x, /**< m/s */
        *range_velocity_y,         /**< m/s */
        *range_velocity_z;         /**< m/s */
} mote_stage_view;

/** Adds the callback's contribution for the particle in slot first + i to x[i], y[i], z[i], which hold the
 * sum of earlier callbacks of the same unit. Must be pure in (range, time): it runs on any worker, for blocks
 * in any order and of any size, and may call nothing that changes the system. */
typedef void mote_force_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z);

/** Unit of a callback's contribution. */
typedef enum mote_force_unit {
    MOTE_NEWTONS,                   /**< a force */
    MOTE_METRES_PER_SECOND_SQUARED, /**< an acceleration */
    MOTE_METRES_PER_SECOND          /**< a velocity field: for the advecting integrators only */
} mote_force_unit;

/** Particles that a callback reads. */
typedef enum mote_force_reach {
    MOTE_REACH_PARTICLE, /**< only the particle for which it computes */
    MOTE_REACH_RANGE     /**< other particles too: forces the stage-outer loop order */
} mote_force_reach;

/** Shape of a region in which a force acts. The force is full inside, zero beyond falloff metres outside, and
 * scaled between by the smoothstep s^2 (3 - 2 s) of the distance. A region applies to every force but a
 * callback (MOTE_ERROR_RANGE), which can do the same by itself. An affine force in a region is evaluated
 * inline, and is then a kick for exact flow, implicit Euler and the kinematic integrators. */
typedef enum mote_region_shape {
    MOTE_REGION_EVERYWHERE, /**< no limit */
    MOTE_REGION_BOX,        /**< |x - centre| <= extent, per axis; the falloffs of the axes multiply */
    MOTE_REGION_SPHERE,     /**< |x - centre| <= extent[0] */
    MOTE_REGION_SHAPE_COUNT
} mote_region_shape;

/** A region in which a force acts. */
typedef struct mote_region {
    mote_region_shape shape; /**< box, sphere or no limit */
    float centre[3],         /**< m */
        extent[3];           /**< m, >= 0: half the edges; [0]: radius */
    float falloff;           /**< m, >= 0: width of the transition outside */
} mote_region;

/** Meaning of the vectors u of a field. */
typedef enum mote_field_use {
    MOTE_FIELD_ACCELERATION, /**< a = u */
    MOTE_FIELD_WIND,         /**< F = drag (u - v): air that moves with u */
    MOTE_FIELD_VELOCITY,     /**< x' = u: for the advecting integrators only */
    MOTE_FIELD_USE_COUNT
} mote_field_use;

/** A 3-D grid of vectors, made once and shared by any number of forces. See grid.h. */
typedef struct mote_grid mote_grid;

#define MOTE_MAX_THRUST_KEYS 8u /**< keys of a timed thrust */

/** One force. The fields of its kind may be changed freely; every call that takes a def checks it. */
typedef struct mote_force_def {
    uint32_t cookie;      /**< set by the functions that make forces */
    mote_force_kind kind; /**< selects the member of as */
    mote_region region;   /**< in which it acts */
    mote_field_use use;   /**< of fields */
    float drag;           /**< kg/s, >= 0: of wind, and of fields used as wind */
    /** Parameters of the kind, with the names, units and limits of the function that makes it. */
    union {
        struct {
            float acceleration[3]; /**< m/s^2 */
        } gravity;                 /**< of mote_gravity */
        struct {
            float force[3]; /**< N */
        } thrust;           /**< of mote_thrust */
        struct {
            float velocity[3]; /**< m/s */
        } wind;                /**< of mote_wind */
        struct {
            float anchor[3]; /**< m */
            float stiffness, /**< N/m */
                damping;     /**< kg/s */
        } anchor_spring;     /**< of mote_anchor_spring */
        struct {
            float centre[3]; /**< m */
            float strength,  /**< m^3/s^2 */
                softening;   /**< m */
        } attractor;         /**< of mote_attractor */
        struct {
            float time[MOTE_MAX_THRUST_KEYS],   /**< s, rising */
                force[MOTE_MAX_THRUST_KEYS][3]; /**< N */
            uint32_t count;                     /**< keys in use */
        } timed_thrust;                         /**< of mote_timed_thrust */
        struct {
            float velocity[3]; /**< m/s */
            float coefficient; /**< kg/m */
        } quadratic_drag;      /**< of mote_quadratic_drag */
        struct {
            float stiffness, /**< N/m */
                damping;     /**< kg/s */
        } particle_anchors;  /**< of mote_particle_anchors */
        struct {
            float offset[3],  /**< unit of the use */
                matrix[3][3]; /**< unit of the use a metre; matrix[i] is a row */
        } linear_field;       /**< of mote_linear_field */
        struct {
            float centre[3], /**< m */
                axis[3];     /**< any length from 1e-15 to 1e15 */
            float strength,  /**< m^2/s */
                core;        /**< m */
        } vortex;            /**< of mote_vortex */
        struct {
            float amplitude, /**< unit of the use */
                frequency,   /**< 1/m */
                rate;        /**< 1/s */
            uint32_t seed;   /**< of the noise */
        } curl_noise;        /**< of mote_curl_noise */
        struct {
            const mote_grid *grid; /**< must outlive the force */
        } grid;                    /**< of mote_grid_field */
        struct {
            mote_force_callback *function; /**< called for each block */
            void *user;                    /**< passed to function */
            mote_force_unit unit;          /**< of its sum */
            mote_force_reach reach;        /**< particles that it reads */
            bool reads_velocity;           /**< false lets velocity Verlet reuse an evaluation */
            uint32_t number; /**< names the function in snapshots: mote_system_restore finds it by this */
        } callback;          /**< of mote_callback */
    } as;
} mote_force_def;

/** Makes gravity: a = acceleration (m/s^2), the same for every mass. */
MOTE_API mote_force_def mote_gravity(const float acceleration[3]);

/** Makes a constant force: F = force (N); a = F / m. */
MOTE_API mote_force_def mote_thrust(const float force[3]);

/** Makes linear drag relative to air that moves with velocity u (m/s): F = drag (u - v); drag in kg/s,
 * >= 0. */
MOTE_API mote_force_def mote_wind(const float velocity[3], float drag);

/** Makes a spring to one point: F = -stiffness (x - anchor) - damping v; stiffness in N/m, damping in kg/s,
 * both >= 0. */
MOTE_API mote_force_def mote_anchor_spring(const float anchor[3], float stiffness, float damping);

/** Makes the gravity of a softened point (Plummer 1911) at c: a = strength (c - x) / (|c - x|^2 +
 * softening^2)^(3/2), the same for every mass; 0 beyond 6.9e12 m, where the cube overflows, and at the centre
 * of an unsoftened point. strength = G M in m^3/s^2 (negative repels); softening in m, >= 0. */
MOTE_API mote_force_def mote_attractor(const float centre[3], float strength, float softening);

/** Makes a force that depends on time: F = f(t), given by count keys, 1 .. MOTE_MAX_THRUST_KEYS: times[i]
 * (s, rising) and forces[3 i .. 3 i + 2] (N), linear between them, constant before the first and after the
 * last. An inline force: a kick for exact flow, the kinematic integrators and implicit Euler. */
MOTE_API mote_force_def mote_timed_thrust(const float *times, const float *forces, uint32_t count);

/** Makes the drag of a body in fast air that moves with velocity u (m/s): F = -coefficient |v - u| (v - u);
 * coefficient = rho Cd A / 2 in kg/m, >= 0 (Newton; Batchelor, An Introduction to Fluid Dynamics, 5.11).
 * coefficient |v - u| / m counts as at most (1/h - d) / n for n such drags beside linear drag of d (1/s, of
 * mote_wind and others without a mass column; 0 where the integrator takes it in closed form): a kick of a
 * substep h then stops v - u at most. Under Yoshida's method, whose longest kick is 1.7 h, 1/h is 0.59/h. */
MOTE_API mote_force_def mote_quadratic_drag(const float velocity[3], float coefficient);

/** Makes a spring from every particle to an anchor of its own: F = -stiffness (x - anchor_i) - damping v, in
 * N/m and kg/s, >= 0. The anchors are columns of the system (anchor_column of its def) or of mote_columns. An
 * inline force: exact flow, implicit Euler and the kinematic integrators take it as a kick, which is stable
 * only below z = h sqrt(stiffness / m) = 2, and under MOTE_KINEMATIC_AVERAGE at no step. */
MOTE_API mote_force_def mote_particle_anchors(float stiffness, float damping);

/** Makes the field u = offset + matrix x (matrix[3 row + column]): uniform streams, shear, rotation, strain,
 * sources. Libraries that store columns (cglm, glm) pass the transposed matrix: mote_matrix_from_mat3. */
MOTE_API mote_force_def mote_linear_field(const float offset[3], const float matrix[9], mote_field_use use,
                                          float drag);

/** Makes the field of a line vortex through centre along axis (of any length from 1e-15 to 1e15): u =
 * strength (axis x r) / (r^2 + core^2), r the distance vector from the line, axis normalised. strength =
 * circulation / 2 pi in m^2/s, core in m, >= 0 (Kaufmann 1962, Scully 1975); 0 on the axis. */
MOTE_API mote_force_def mote_vortex(const float centre[3], const float axis[3], float strength, float core,
                                    mote_field_use use, float drag);

/** Makes the divergence-free noise field u = amplitude (grad f x grad g), f and g gradient noises of period
 * 1/frequency in space and 1/rate in time (DeWolf 2005; Perlin 2002 for the noise; gradients at lattice
 * points have components spread evenly from -1 to 1, so that |u| has the rms 0.82 amplitude there, and 0.60
 * amplitude over all of space). Between whole periods of time f and g are blends of two noises over sqrt(b^2
 * + (1 - b)^2), b the share of the later one: |u| has the same rms at all times. amplitude in the unit of the
 * use; frequency in 1/m and rate in 1/s, >= 0; before time 0 the field is constant in time. Positions beyond
 * 2^20 periods are clamped. */
MOTE_API mote_force_def mote_curl_noise(float amplitude, float frequency, float rate, uint32_t seed,
                                        mote_field_use use, float drag);

/** Makes the field of a sampled grid, interpolated linearly along each axis. The grid must outlive the
 * force. */
MOTE_API mote_force_def mote_grid_field(const mote_grid *grid, mote_field_use use, float drag);

/** Returns the same force, limited to a box: extent is half its edges, all lengths in m. */
MOTE_API mote_force_def mote_in_box(mote_force_def force, const float centre[3], const float extent[3],
                                    float falloff);

/** Returns the same force, limited to a sphere: all lengths in m. */
MOTE_API mote_force_def mote_in_sphere(mote_force_def force, const float centre[3], float radius,
                                       float falloff);

/** Makes a force that the caller computes for blocks of particles: in newtons, from each particle's own
 * state, reading velocity. The fields of as.callback may be changed for other kinds. */
MOTE_API mote_force_def mote_callback(mote_force_callback *function, void *user);

/** Checks a def. Returns the code that every call with this def would return: MOTE_OK, NULL (def,
 * function or grid), DEF, ENUM, NOT_FINITE or RANGE (a negative drag, stiffness, damping, softening, extent,
 * ..., keys whose times do not rise, an axis of length 0). parameter: see mote_result; a member of a struct
 * in the def has its own name, such as "velocity" or "falloff". Any thread. */
MOTE_API mote_result mote_force_check(const mote_force_def *def, const char **parameter);

/** Returns "gravity", "thrust", "wind", ...; "unknown" for anything else. */
MOTE_API const char *mote_force_name(mote_force_kind kind);

#endif
