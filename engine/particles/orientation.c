/* Orientation of loose particles: the turn of a step, and the input of friction. */
#include "particles/orientation.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "base/work.h"
#include "particles/compaction.h"
#include "particles/events.h"
#include "particles/meet.h"

void mote_orientation_collide(const mote_particles *particles, mote_collision *collision) {
    if (!particles->column[MOTE_COLUMN_ORIENTATION]) return;
    for (int i = 0; i < 4; i++) collision->orientation[i] = particles->column[MOTE_COLUMN_ORIENTATION + i];
    mote_particles_vector(particles, MOTE_COLUMN_ANGULAR_VELOCITY, collision->spin);
    for (int i = 0; i < 3; i++) {
        collision->inertia[i] = particles->inertia[i];
        collision->inertias[i] = particles->column[MOTE_COLUMN_INERTIA + i];
    }
    collision->principal_moments = particles->principal_moments;
}

typedef struct task {
    const mote_particle_kernels *kernels;
    mote_turning turning;
    bool moments;
    uint32_t frozen;
} task;

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    task *t = context;
    uint32_t frozen = 0;
    t->kernels->turn[t->moments](&t->turning, first, end, &frozen);
    if (frozen) __atomic_fetch_add(&t->frozen, frozen, __ATOMIC_RELAXED);
}

static mote_turning turning_of(const mote_particles *particles, const mote_step *step) {
    const mote_plan_def *plan = step->plan;
    mote_turning t = {.drag = particles->spin_drag,
                      .h = (float)(plan->timestep / plan->substeps),
                      .substeps = plan->substeps,
                      .fate = mote_particles_fate(particles),
                      .count = particles->range.slot_count};
    for (int i = 0; i < 4; i++) {
        t.orientation[i] = particles->column[MOTE_COLUMN_ORIENTATION + i];
        if (step->last) t.previous[i] = particles->column[MOTE_COLUMN_PREVIOUS_ORIENTATION + i];
    }
    mote_particles_vector(particles, MOTE_COLUMN_ANGULAR_VELOCITY, t.angular_velocity);
    for (int i = 0; i < 3; i++) {
        const double inverse = 1 / (double)particles->inertia[i];
        t.inertia[i] = particles->inertia[i];
        t.inverse[i] = (float)inverse;
        t.inverse_low[i] = (float)(inverse - (double)t.inverse[i]);
        t.inertias[i] = particles->column[MOTE_COLUMN_INERTIA + i];
        if (particles->external_torques_marked)
            t.torque[i] = particles->column[MOTE_COLUMN_EXTERNAL_TORQUE + i];
    }
    return t;
}

void mote_particles_turn(mote_particles *particles, const mote_step *step, mote_advance *report) {
    const size_t count = particles->range.slot_count;
    task t = {.kernels = particles->kernels,
              .turning = turning_of(particles, step),
              .moments = particles->principal_moments};
    const double work = MOTE_WORK_TURN + MOTE_WORK_TORQUE * (double)t.turning.substeps;
    const mote_items mine = mote_range_slots(&particles->range, 0, count);
    uint32_t none = 0;
    mote_parallel_over(mote_jobs_for(step->jobs, work * (double)count), &mine, MOTE_BLOCK, do_blocks, &t);
    mote_meet_fates(particles, &t.frozen, &none);
    particles->external_torques_marked = false;
    if (!t.frozen) return;
    mote_events_at(particles->events, step, step->number + 1);
    report->non_finite += mote_particles_compact(particles, MOTE_FATE_ORIENTATION);
    MOTE_ASSERT(mote_particles_validate(&particles->range));
}
