/* Forces: what accelerates particles. A force is a plain struct, made by the function that is named after
 * it. */
#ifndef MOTE_FORCE_H
#define MOTE_FORCE_H

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

#include <mote/id.h>
#include <mote/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of their paths: affine (folded into one term), inline, callback. */
typedef enum mote_force_kind {
    MOTE_FORCE_GRAVITY,
    MOTE_FORCE_THRUST,
    MOTE_FORCE_WIND,
    MOTE_FORCE_ANCHOR_SPRING,
    MOTE_FORCE_ATTRACTOR,
    MOTE_FORCE_TIMED_THRUST,
    MOTE_FORCE_QUADRATIC_DRAG,
    MOTE_FORCE_PARTICLE_ANCHORS,
    MOTE_FORCE_LINEAR_FIELD,
    MOTE_FORCE_VORTEX,
    MOTE_FORCE_CURL_NOISE,
    MOTE_FORCE_GRID,
    MOTE_FORCE_CALLBACK,
    MOTE_FORCE_KIND_COUNT
} mote_force_kind;

/* What a callback sees: one block of particles at one stage of the integrator. Element i of every column
 * belongs to the particle in slot first + i: of the loose particles, of a bundle of strands
 * (mote_strands_columns) or of a network (mote_network_columns), whose callbacks see masked slots too
 * (inverse mass 0). Nothing here may be written. */
typedef struct mote_stage_view {
    mote_strands_id strands; /* whose points these are; {0, 0}: not of strands ... */
    mote_network_id network; /* ... or whose particles; both {0, 0}: the loose particles */
    double time;             /* s, the stage's own time */
    uint32_t first, count;   /* slots first .. first + count - 1 */
    const float *x, *y, *z;  /* m */
    const float *velocity_x, *velocity_y, *velocity_z; /* m/s */
    const float *inverse_mass;                         /* 1/kg per particle; NULL where the mass is uniform */
    float uniform_inverse_mass;                        /* 1/kg, where inverse_mass is NULL */
    /* The whole range at the same stage, slots 0 .. range_count - 1: only for callbacks that reach the
     * range. */
    uint32_t range_count;
    const float *range_x, *range_y, *range_z;
    const float *range_velocity_x, *range_velocity_y, *range_velocity_z;
} mote_stage_view;

/* Adds the callback's contribution for particle first + i to x[i], y[i], z[i] (which hold what other
 * callbacks of the same unit added before). Must be pure in (range, time): it runs on any worker, for blocks
 * in any order and of any size, and may call nothing that changes the system. */
typedef void mote_force_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z);

typedef enum mote_force_unit {
    MOTE_NEWTONS,
    MOTE_METRES_PER_SECOND_SQUARED,
    MOTE_METRES_PER_SECOND /* a velocity field: for the advecting integrators only */
} mote_force_unit;

typedef enum mote_force_reach {
    MOTE_REACH_PARTICLE, /* reads no particle but its own */
    MOTE_REACH_RANGE /* reads other particles: forces the loop order that finishes a stage for all of them */
} mote_force_reach;

/* Where a force acts: fully inside, not at all beyond `falloff` metres outside, and between by the smoothstep
 * s^2 (3 - 2 s) of the distance. A region applies to any force but a callback (MOTE_ERROR_RANGE), which can
 * do the same for itself; an affine one inside a region is evaluated inline, and is then a kick for exact
 * flow, implicit Euler and the kinematic integrators. */
typedef enum mote_region_shape {
    MOTE_REGION_EVERYWHERE,
    MOTE_REGION_BOX,    /* |x - centre| <= extent, per axis; the falloffs of the axes multiply */
    MOTE_REGION_SPHERE, /* |x - centre| <= extent[0] */
    MOTE_REGION_SHAPE_COUNT
} mote_region_shape;

typedef struct mote_region {
    mote_region_shape shape;
    float centre[3], extent[3]; /* m, extent >= 0 */
    float falloff;              /* m, >= 0 */
} mote_region;

/* What the vectors u of a field mean. */
typedef enum mote_field_use {
    MOTE_FIELD_ACCELERATION, /* a = u */
    MOTE_FIELD_WIND,         /* F = drag (u - v): air that moves with u */
    MOTE_FIELD_VELOCITY,     /* x' = u: for the advecting integrators only */
    MOTE_FIELD_USE_COUNT
} mote_field_use;

/* A 3-D grid of vectors, made once and shared by any number of forces. See grid.h. */
typedef struct mote_grid mote_grid;

#define MOTE_MAX_THRUST_KEYS 8u

/* One force. Read and change the fields of its kind freely; every call that takes a def checks it. */
typedef struct mote_force_def {
    mote_force_kind kind;
    mote_region region;
    mote_field_use use; /* of fields */
    float drag;         /* kg/s, >= 0: of wind, and of fields used as wind */
    union {
        struct {
            float acceleration[3];
        } gravity;
        struct {
            float force[3];
        } thrust;
        struct {
            float velocity[3];
        } wind;
        struct {
            float anchor[3];
            float stiffness, damping;
        } anchor_spring;
        struct {
            float centre[3];
            float strength, softening;
        } attractor;
        struct {
            float time[MOTE_MAX_THRUST_KEYS], force[MOTE_MAX_THRUST_KEYS][3];
            uint32_t count;
        } timed_thrust;
        struct {
            float velocity[3];
            float coefficient;
        } quadratic_drag;
        struct {
            float stiffness, damping;
        } particle_anchors;
        struct {
            float offset[3], matrix[3][3];
        } linear_field;
        struct {
            float centre[3], axis[3];
            float strength, core;
        } vortex;
        struct {
            float amplitude, frequency, rate;
            uint32_t seed;
        } curl_noise;
        struct {
            const mote_grid *grid;
        } grid;
        struct {
            mote_force_callback *function;
            void *user;
            mote_force_unit unit;
            mote_force_reach reach;
            bool reads_velocity; /* false lets velocity Verlet reuse an evaluation */
        } callback;
    } as;
} mote_force_def;

/* a = g. acceleration: m/s^2. The same for every mass. */
MOTE_API mote_force_def mote_gravity(const vec3 acceleration);

/* F = f, a constant force in N; a = F / m. */
MOTE_API mote_force_def mote_thrust(const vec3 force);

/* F = drag (u - v): linear drag relative to air that moves with velocity u (m/s); drag in kg/s, >= 0. */
MOTE_API mote_force_def mote_wind(const vec3 velocity, float drag);

/* F = -stiffness (x - anchor) - damping v: a spring to one point; stiffness in N/m, damping in kg/s, both >=
 * 0. */
MOTE_API mote_force_def mote_anchor_spring(const vec3 anchor, float stiffness, float damping);

/* a = strength (c - x) / (|c - x|^2 + softening^2)^(3/2): the gravity of a softened point (Plummer 1911) with
 * strength = G M in m^3/s^2 (negative repels); softening in m, >= 0. The same for every mass. */
MOTE_API mote_force_def mote_attractor(const vec3 centre, float strength, float softening);

/* F = f(t): `count` keys (1 .. MOTE_MAX_THRUST_KEYS) of time (s, rising) and force (N), linear between them,
 * constant before the first and after the last. Counts as an inline force: a kick for exact flow, kinematic
 * and implicit Euler. */
MOTE_API mote_force_def mote_timed_thrust(const float *times, vec3 *forces, uint32_t count);

/* F = -coefficient |v - u| (v - u): drag of a body in fast air that moves with u (m/s); coefficient = rho Cd
 * A / 2 in kg/m, >= 0 (Newton; Batchelor, An Introduction to Fluid Dynamics, 5.11). */
MOTE_API mote_force_def mote_quadratic_drag(const vec3 velocity, float coefficient);

/* F = -stiffness (x - anchor_i) - damping v with an anchor per particle: the anchor columns of the system
 * (def.anchor_column) or of the mote_columns. N/m and kg/s, >= 0. An inline force: exact flow, implicit Euler
 * and the kinematic integrators take it as a kick, which is stable only below z = 2. */
MOTE_API mote_force_def mote_particle_anchors(float stiffness, float damping);

/* The field u = offset + matrix x (rows of the matrix): uniform streams, shear, rotation, strain, sources. */
MOTE_API mote_force_def mote_linear_field(const vec3 offset, mat3 matrix, mote_field_use use, float drag);

/* The field of a line vortex through `centre` along `axis` (of any length from 1e-15 to 1e15): u = strength
 * (axis x r) / (r^2 + core^2), r the distance vector from the line; strength = circulation / 2 pi in m^2/s,
 * core in m, >= 0 (Kaufmann 1962, Scully 1975). */
MOTE_API mote_force_def mote_vortex(const vec3 centre, const vec3 axis, float strength, float core,
                                    mote_field_use use, float drag);

/* The field u = amplitude (grad f x grad g), f and g gradient noises of period 1/frequency in space and
 * 1/rate in time: free of divergence (DeWolf 2005; Perlin 2002 for the noise). amplitude in the unit of the
 * use; frequency in 1/m and rate in 1/s, >= 0; before time 0 the field stands still. Positions beyond 2^20
 * periods are clamped. */
MOTE_API mote_force_def mote_curl_noise(float amplitude, float frequency, float rate, uint32_t seed,
                                        mote_field_use use, float drag);

/* The field of a sampled grid, interpolated linearly along each axis. The grid must outlive the force. */
MOTE_API mote_force_def mote_grid_field(const mote_grid *grid, mote_field_use use, float drag);

/* The same force, limited to a region. */
MOTE_API mote_force_def mote_in_box(mote_force_def force, const vec3 centre, const vec3 extent,
                                    float falloff);
MOTE_API mote_force_def mote_in_sphere(mote_force_def force, const vec3 centre, float radius, float falloff);

/* The caller's own force over blocks of particles: newtons, any particle's own state, reads velocity; change
 * the fields of as.callback for other kinds. */
MOTE_API mote_force_def mote_callback(mote_force_callback *function, void *user);

/* The code that every call which takes this def would return: MOTE_OK, MOTE_ERROR_NULL (def or function),
 * MOTE_ERROR_ENUM, MOTE_ERROR_NOT_FINITE or MOTE_ERROR_RANGE (a negative drag, stiffness, damping, softening,
 * extent, ..., keys whose times do not rise, an axis of length 0). */
MOTE_API mote_result mote_force_check(const mote_force_def *def);

/* "gravity", "thrust", "wind", ...; "unknown" for anything else. */
MOTE_API const char *mote_force_name(mote_force_kind kind);

#ifdef __cplusplus
}
#endif
#endif
