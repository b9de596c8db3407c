/* The sets of forces with which every kernel is compared with the reference, and the integrators that take
 * each. */
#ifndef MOTE_TESTS_KERNEL_FORCES_H
#define MOTE_TESTS_KERNEL_FORCES_H

#include "force_sets.h"

enum { MAX_FORCES = 48 };

static inline float view_mass(const mote_stage_view *stage, uint32_t i) {
    return stage->inverse_mass ? stage->inverse_mass[i] : stage->uniform_inverse_mass;
}

/* Reads everything that a particle's own callback may read; *user scales it. */
static inline void own_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    float scale = *(const float *)user, time = (float)stage->time;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += scale * (time - stage->velocity_x[i] * stage->y[i]);
        y[i] += scale * (stage->velocity_z[i] - view_mass(stage, i));
        z[i] += scale * (stage->x[i] * stage->velocity_y[i] - stage->z[i]);
    }
}

/* Draws each particle towards the next of the range and along with its velocity. */
static inline void range_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    float scale = *(const float *)user;
    for (uint32_t i = 0; i < stage->count; i++) {
        uint32_t next = (stage->first + i + 1) % stage->range_count;
        x[i] += scale * (stage->range_x[next] - stage->x[i]) + 0.25f * stage->range_velocity_y[next];
        y[i] += scale * (stage->range_y[next] - stage->y[i]) - 0.25f * stage->range_velocity_z[next];
        z[i] += scale * (stage->range_z[next] - stage->z[i]) + 0.25f * stage->range_velocity_x[next];
    }
}

static float callback_scales[3] = {0.5f, -0.375f, 0.3f};

static inline mote_force_def callback_force(mote_force_callback *function, int scale, mote_force_unit unit) {
    mote_force_def def = mote_callback(function, &callback_scales[scale]);
    def.as.callback.unit = unit;
    def.as.callback.reach = function == range_callback ? MOTE_REACH_RANGE : MOTE_REACH_PARTICLE;
    return def;
}

static inline uint32_t add_callbacks(mote_force_def *forces, uint32_t n) {
    forces[n++] = callback_force(own_callback, 0, MOTE_NEWTONS);
    forces[n++] = callback_force(own_callback, 1, MOTE_METRES_PER_SECOND_SQUARED);
    forces[n++] = callback_force(own_callback, 2, MOTE_NEWTONS);
    return n;
}

static inline uint32_t add_velocity_callbacks(mote_force_def *forces, uint32_t n) {
    forces[n++] = callback_force(own_callback, 0, MOTE_METRES_PER_SECOND);
    forces[n++] = callback_force(own_callback, 2, MOTE_METRES_PER_SECOND);
    return n;
}

typedef enum force_set {
    NO_FORCE,
    GRAVITY,
    AFFINE,
    AFFINE_SPRING,
    SPRING_ONLY,
    ONE_ATTRACTOR,
    FOUR_ATTRACTORS,
    ATTRACTOR_AFFINE,
    ATTRACTORS_AFFINE_SPRING,
    ATTRACTOR_DRAGS,
    ATTRACTORS_DRAGS_SPRING,
    TIMED_THRUSTS,
    DRAGS,
    PARTICLE_ANCHORS,
    ACCELERATION_FIELDS,
    WIND_FIELDS,
    NOISE_ALONE,
    STILL_NOISE_ALONE,
    LIMITED_AFFINE,
    LIMITED,
    CALLBACK_NEWTONS,
    CALLBACK_ACCELERATION,
    CALLBACKS,
    RANGE_CALLBACK,
    INBOX,
    EVERYTHING,
    EVERYTHING_INBOX,
    VELOCITY_FIELDS,
    LIMITED_VELOCITIES,
    VELOCITY_CALLBACKS,
    VELOCITY_RANGE_CALLBACK,
    ALL_VELOCITIES,
    FORCE_SETS
} force_set;

static inline bool uses_inbox(force_set set) { return set == INBOX || set == EVERYTHING_INBOX; }
static inline bool uses_range(force_set set) {
    return set == RANGE_CALLBACK || set == EVERYTHING || set == EVERYTHING_INBOX ||
           set == VELOCITY_RANGE_CALLBACK || set == ALL_VELOCITIES;
}

static inline uint32_t make_velocities(force_set set, mote_force_def *forces) {
    uint32_t n = 0;
    if (set == VELOCITY_FIELDS || set == ALL_VELOCITIES) n = add_fields(forces, n, MOTE_FIELD_VELOCITY);
    if (set == LIMITED_VELOCITIES || set == ALL_VELOCITIES) {
        uint32_t more = add_fields(forces + n, 0, MOTE_FIELD_VELOCITY);
        limit_forces(forces + n, more);
        n += more;
    }
    if (set == VELOCITY_CALLBACKS || set == ALL_VELOCITIES) n = add_velocity_callbacks(forces, n);
    if (set == VELOCITY_RANGE_CALLBACK || set == ALL_VELOCITIES)
        forces[n++] = callback_force(range_callback, 2, MOTE_METRES_PER_SECOND);
    return n;
}

static inline uint32_t make_forces(force_set set, mote_force_def *forces) {
    uint32_t n = 0;
    bool everything = set == EVERYTHING || set == EVERYTHING_INBOX;
    if (set >= VELOCITY_FIELDS) return make_velocities(set, forces);
    if (set == GRAVITY || set == INBOX) forces[n++] = mote_gravity((float[3]){0, -9.81f, 0});
    if (set == LIMITED_AFFINE || set == LIMITED || everything) {
        n = add_springs(forces, add_affine(forces, n));
        if (set != LIMITED_AFFINE) {
            n = add_fields(forces, add_attractors(forces, n, 4), MOTE_FIELD_WIND);
            n = add_timed_thrusts(forces, add_particle_anchors(forces, add_drags(forces, n)), 1.25f);
        }
        limit_forces(forces, n);
    }
    if (set == ATTRACTOR_AFFINE) n = add_affine(forces, add_attractors(forces, n, 1));
    if (set == ATTRACTORS_AFFINE_SPRING)
        n = add_springs(forces, add_affine(forces, add_attractors(forces, n, 4)));
    if (set == ATTRACTOR_DRAGS) n = add_attractors(forces, add_drags(forces, n), 1);
    if (set == ATTRACTORS_DRAGS_SPRING)
        n = add_springs(forces, add_attractors(forces, add_drags(forces, n), 3));
    if (set == AFFINE || set == AFFINE_SPRING || everything) n = add_affine(forces, n);
    if (set == ONE_ATTRACTOR) n = add_attractors(forces, n, 1);
    if (set == FOUR_ATTRACTORS || everything) n = add_attractors(forces, n, 4);
    if (set == TIMED_THRUSTS || everything) n = add_timed_thrusts(forces, n, 1.25f);
    if (set == DRAGS) n = add_drags(forces, n);
    if (set == PARTICLE_ANCHORS) n = add_particle_anchors(forces, n);
    if (set == ACCELERATION_FIELDS || everything) n = add_fields(forces, n, MOTE_FIELD_ACCELERATION);
    if (set == WIND_FIELDS) n = add_fields(forces, n, MOTE_FIELD_WIND);
    if (set == NOISE_ALONE)
        forces[n++] = mote_curl_noise(2.3f, 0.83f, 3.1f, 12345, MOTE_FIELD_ACCELERATION, 0);
    if (set == STILL_NOISE_ALONE) {
        n = add_affine(forces, n);
        forces[n++] = mote_curl_noise(0.7f, 2.3f, 0, 9, MOTE_FIELD_WIND, 0.1f);
        n = add_springs(forces, n);
    }
    if (set == AFFINE_SPRING || set == SPRING_ONLY || everything) n = add_springs(forces, n);
    if (set == CALLBACK_NEWTONS) forces[n++] = callback_force(own_callback, 0, MOTE_NEWTONS);
    if (set == CALLBACK_ACCELERATION)
        forces[n++] = callback_force(own_callback, 1, MOTE_METRES_PER_SECOND_SQUARED);
    if (set == CALLBACKS || everything) n = add_callbacks(forces, n);
    if (set == RANGE_CALLBACK || everything) forces[n++] = callback_force(range_callback, 2, MOTE_NEWTONS);
    return n;
}

/* Velocity fields and advection belong together; position Verlet evaluates a half step outside the step,
 * where it cannot show the range; with callbacks alone nothing of the exact flow would be exact. */
static inline bool takes(mote_integrator integrator, force_set set) {
    bool advection = integrator >= MOTE_ADVECT_EULER;
    if (set != NO_FORCE && advection != (set >= VELOCITY_FIELDS)) return false;
    if (integrator == MOTE_POSITION_VERLET && uses_range(set)) return false;
    bool callbacks_alone = (set >= CALLBACK_NEWTONS && set <= RANGE_CALLBACK);
    return !(integrator == MOTE_EXACT_FLOW && callbacks_alone);
}

#endif
