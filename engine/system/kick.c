/* What a plan and a span take from a system, and the half-step kicks of position Verlet. */
#include <string.h>

#include "system/internal.h"

mote_plan_def mote_system_plan_def(const mote_system *system) {
    return (mote_plan_def){.integrator = system->def.integrator,
                           .forces = system->forces.forces,
                           .force_count = system->forces.count,
                           .start_time = system->clock.start_time,
                           .timestep = system->clock.timestep,
                           .substeps = system->def.substeps,
                           .mass_column = system->def.mass_column,
                           .uniform_mass = (double)system->def.uniform_mass,
                           .external_forces = system->external_forces_marked};
}

/* Field by field: a small system takes less time to step than a large struct takes to clear. */
void mote_system_make_span(const mote_system *system, uint32_t steps, mote_span *span) {
    const mote_particles *particles = &system->particles;
    span->inverse_mass = particles->column[MOTE_COLUMN_INVERSE_MASS];
    span->fate = mote_particles_fate(particles);
    span->begin = 0;
    span->count = particles->count;
    span->first_slot = 0;
    span->steps = steps;
    span->first_step = system->clock.step;
    mote_particles_vector(particles, MOTE_COLUMN_POSITION, span->x);
    mote_particles_vector(particles, MOTE_COLUMN_VELOCITY, span->v);
    mote_particles_vector(particles, MOTE_COLUMN_EXTERNAL_FORCE, span->external_forces);
    mote_particles_vector(particles, MOTE_COLUMN_ANCHOR, span->anchor);
    for (int axis = 0; axis < 3; axis++) span->previous_x[axis] = span->previous_v[axis] = NULL;
}

/* A lifetime that is a whole number of steps up to rounding lasts just that number: a thousandth of a step is
 * let go. */
mote_lifetimes mote_system_lifetimes(const mote_system *system, uint64_t step) {
    const mote_particles *particles = &system->particles;
    return (mote_lifetimes){.birth = particles->column[MOTE_COLUMN_BIRTH],
                            .lifetime = particles->column[MOTE_COLUMN_LIFETIME],
                            .fate = mote_particles_fate(particles),
                            .death = particles->death,
                            .now = (uint32_t)step,
                            .rate = (float)(1.0 / system->clock.timestep),
                            .slack = 1.0f / 1024.0f,
                            .mark = MOTE_FATE_EXPIRED};
}

uint32_t mote_system_expire(const mote_system *system, const mote_lifetimes *lifetimes, size_t first,
                            size_t end) {
    uint32_t expired = 0;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        size_t count = end - block < MOTE_BLOCK ? end - block : MOTE_BLOCK;
        uint32_t died = system->kernels.particles->expire(lifetimes, block, count);
        system->particles.deaths[block / MOTE_BLOCK] = (uint16_t)died;
        expired += died;
    }
    return expired;
}

/* The inbox is of the step to come: it is no part of the half step that lies behind. */
static mote_plan kick_plan(const mote_system *system, double fraction) {
    mote_plan_def def = mote_system_plan_def(system);
    def.external_forces = false;
    mote_plan plan;
    mote_plan_make_kick(&plan, &def, fraction);
    return plan;
}

static bool carries_half_steps(const mote_system *system) {
    return mote_scheme_table[system->def.integrator].half_step_velocity;
}

/* What cannot be kicked, because its force is not finite, keeps its velocity and is found by its first
 * step. */
void mote_system_kick(const mote_system *system, double fraction, uint32_t first, uint32_t end) {
    if (first == end || !carries_half_steps(system)) return;
    mote_plan plan = kick_plan(system, fraction);
    mote_span span;
    mote_system_make_span(system, 1, &span);
    uint32_t ignored = 0;
    span.fate = NULL;
    span.begin = first;
    span.count = end;
    mote_run_blocks(system->kernels.particles, &plan, &span, first / MOTE_GROUP * MOTE_GROUP, end, &ignored);
}

void mote_system_true_velocity(const mote_system *system, bool previous, size_t first, size_t count,
                               float *const out[3]) {
    mote_span span;
    mote_system_make_span(system, 1, &span);
    if (previous) {
        mote_particles_vector(&system->particles, MOTE_COLUMN_PREVIOUS_POSITION, span.x);
        mote_particles_vector(&system->particles, MOTE_COLUMN_PREVIOUS_VELOCITY, span.v);
        span.first_step--;
    }
    for (int axis = 0; axis < 3; axis++)
        memcpy(out[axis], span.v[axis] + first, mote_round_up(count, MOTE_GROUP) * sizeof(float));
    uint32_t started = system->particles.started;
    if (!carries_half_steps(system) || first >= started) return;

    MOTE_ALIGNED(64) float position[3][MOTE_BLOCK];
    mote_plan plan = kick_plan(system, 0.5);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(position[axis], span.x[axis] + first, mote_round_up(count, MOTE_GROUP) * sizeof(float));
        span.x[axis] = position[axis];
        span.v[axis] = out[axis];
        if (span.anchor[axis]) span.anchor[axis] += first;
    }
    if (span.inverse_mass) span.inverse_mass += first;
    uint32_t ignored = 0;
    span.fate = NULL;
    span.first_slot = first;
    span.count = started - first < count ? started - first : count;
    mote_run_blocks(system->kernels.particles, &plan, &span, 0, span.count, &ignored);
}
