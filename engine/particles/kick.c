/* The half-step kicks of position Verlet. */
#include <string.h>

#include "particles/run.h"

/* Makes the plan of a kick. The host's external forces act in the next step only, not in the half step before
 * it. */
static mote_plan kick_plan(const mote_step *step, double fraction) {
    mote_plan_def def = *step->plan;
    def.external_forces = false;
    mote_plan plan;
    mote_plan_make_kick(&plan, &def, fraction);
    return plan;
}

static bool carries_half_steps(const mote_step *step) {
    return mote_scheme_table[step->plan->integrator].half_step_velocity;
}

/* A particle with a non-finite force keeps its velocity; its first step then detects it. */
void mote_particles_kick(const mote_particles *particles, const mote_step *step, double fraction,
                         uint32_t first, uint32_t end) {
    if (first == end || !carries_half_steps(step)) return;
    const mote_plan plan = kick_plan(step, fraction);
    mote_span span;
    mote_particles_span(particles, step->number, 1, &span);
    uint32_t ignored = 0;
    span.fate = NULL;
    span.begin = first;
    span.count = end;
    mote_run_blocks(&(mote_run){particles->kernels, &plan, &span}, first / MOTE_GROUP * MOTE_GROUP, end,
                    &ignored);
}

/* Each slot is kicked in a copy of its lane group, so that callbacks see its true number. At a removal all
 * particles have half-step velocities, those that have taken no step too. */
void mote_particles_last_velocity(const mote_particles *particles, const mote_step *now, const uint32_t *slot,
                                  uint32_t count, float (*out)[3]) {
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) out[i][axis] = particles->range.v[axis][slot[i]];
    if (!carries_half_steps(now)) return;
    const mote_plan plan = kick_plan(now, 0.5);
    mote_span all;
    mote_particles_span(particles, now->number, 1, &all);
    all.fate = NULL;
    for (uint32_t i = 0; i < count; i++) {
        MOTE_ALIGNED(64) float copy[6][MOTE_GROUP];
        mote_span span = all;
        uint32_t ignored = 0;
        const size_t first = slot[i] / MOTE_GROUP * MOTE_GROUP, left = all.count - first;
        span.first_slot = first;
        span.count = left < MOTE_GROUP ? left : MOTE_GROUP;
        for (int axis = 0; axis < 3; axis++) {
            memcpy(copy[axis], all.x[axis] + first, sizeof *copy);
            memcpy(copy[3 + axis], all.v[axis] + first, sizeof *copy);
            span.x[axis] = copy[axis], span.v[axis] = copy[3 + axis];
            if (span.anchor[axis]) span.anchor[axis] += first;
        }
        if (span.inverse_mass) span.inverse_mass += first;
        mote_run_blocks(&(mote_run){particles->kernels, &plan, &span}, 0, span.count, &ignored);
        for (int axis = 0; axis < 3; axis++) out[i][axis] = copy[3 + axis][slot[i] - first];
    }
}

void mote_particles_true_velocity(const mote_particles *particles, const mote_step *now, bool previous,
                                  size_t first, size_t count, float *const out[3]) {
    mote_span span;
    mote_particles_span(particles, now->number, 1, &span);
    if (previous) {
        mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_POSITION, span.x);
        mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_VELOCITY, span.v);
        span.first_step--;
    }
    for (int axis = 0; axis < 3; axis++)
        memcpy(out[axis], span.v[axis] + first, mote_round_up(count, MOTE_GROUP) * sizeof(float));
    uint32_t started = particles->started;
    if (!carries_half_steps(now) || first >= started) return;

    MOTE_ALIGNED(64) float position[3][MOTE_BLOCK];
    const mote_plan plan = kick_plan(now, 0.5);
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
    for (size_t i = 0; previous && i < span.count; i++) /* a callback meets no mark */
        if (mote_particles_is_straight(particles, first + i)) out[0][i] = 0;
    mote_run_blocks(&(mote_run){particles->kernels, &plan, &span}, 0, span.count, &ignored);
    for (size_t i = 0; previous && i < span.count; i++)
        if (mote_particles_is_straight(particles, first + i)) out[0][i] = mote_marker();
}
