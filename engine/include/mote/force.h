/* Forces: what accelerates particles. A force is a plain struct, made by the function that is named after it. */
#ifndef MOTE_FORCE_H
#define MOTE_FORCE_H

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

#include <mote/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_force_kind {
    MOTE_FORCE_GRAVITY,
    MOTE_FORCE_THRUST,
    MOTE_FORCE_WIND,
    MOTE_FORCE_ANCHOR_SPRING,
    MOTE_FORCE_ATTRACTOR,
    MOTE_FORCE_CALLBACK,
    MOTE_FORCE_KIND_COUNT
} mote_force_kind;

/* What a callback sees: one block of particles at one stage of the integrator. Element i of every column belongs to
 * the particle in slot first + i. Nothing here may be written. */
typedef struct mote_stage_view {
    double time;            /* s, the stage's own time */
    uint32_t first, count;  /* slots first .. first + count - 1 */
    const float *x, *y, *z; /* m */
    const float *velocity_x, *velocity_y, *velocity_z; /* m/s */
    const float *inverse_mass; /* 1/kg per particle; NULL where the mass is uniform */
    float uniform_inverse_mass; /* 1/kg, where inverse_mass is NULL */
    /* The whole range at the same stage, slots 0 .. range_count - 1: only for callbacks that reach the range. */
    uint32_t range_count;
    const float *range_x, *range_y, *range_z;
    const float *range_velocity_x, *range_velocity_y, *range_velocity_z;
} mote_stage_view;

/* Adds the callback's contribution for particle first + i to x[i], y[i], z[i] (which hold what other callbacks of the
 * same unit added before). Must be pure in (range, time): it runs on any worker, for blocks in any order and of any
 * size, and may call nothing that changes the system. */
typedef void mote_force_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z);

typedef enum mote_force_unit { MOTE_NEWTONS, MOTE_METRES_PER_SECOND_SQUARED } mote_force_unit;

typedef enum mote_force_reach {
    MOTE_REACH_PARTICLE, /* reads no particle but its own */
    MOTE_REACH_RANGE     /* reads other particles: forces the loop order that finishes a stage for all of them */
} mote_force_reach;

/* One force. Read and change the fields of its kind freely; every call that takes a def checks it. */
typedef struct mote_force_def {
    mote_force_kind kind;
    union {
        struct { float acceleration[3]; } gravity;
        struct { float force[3]; } thrust;
        struct { float velocity[3]; float drag; } wind;
        struct { float anchor[3]; float stiffness, damping; } anchor_spring;
        struct { float centre[3]; float strength, softening; } attractor;
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

/* F = -stiffness (x - anchor) - damping v: a spring to one point; stiffness in N/m, damping in kg/s, both >= 0. */
MOTE_API mote_force_def mote_anchor_spring(const vec3 anchor, float stiffness, float damping);

/* a = strength (c - x) / (|c - x|^2 + softening^2)^(3/2): the gravity of a softened point (Plummer 1911) with
 * strength = G M in m^3/s^2 (negative repels); softening in m, >= 0. The same for every mass. */
MOTE_API mote_force_def mote_attractor(const vec3 centre, float strength, float softening);

/* The caller's own force over blocks of particles: newtons, any particle's own state, reads velocity; change the
 * fields of as.callback for other kinds. */
MOTE_API mote_force_def mote_callback(mote_force_callback *function, void *user);

/* The code that every call which takes this def would return: MOTE_OK, MOTE_ERROR_NULL (def or function),
 * MOTE_ERROR_ENUM, MOTE_ERROR_NOT_FINITE or MOTE_ERROR_RANGE (a negative drag, stiffness, damping or softening). */
MOTE_API mote_result mote_force_check(const mote_force_def *def);

/* "gravity", "thrust", "wind", ...; "unknown" for anything else. */
MOTE_API const char *mote_force_name(mote_force_kind kind);

#ifdef __cplusplus
}
#endif
#endif
