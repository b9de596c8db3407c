/* Seek: jumps to any step by one exact flow. All forces must be affine. */
#include "particles/events.h"
#include "system/internal.h"

static void jump(mote_system *system, uint64_t step) {
    mote_plan_def def;
    const mote_step now = mote_system_next_step(system, &def);
    const double steps = step >= system->clock.step ? (double)(step - system->clock.step)
                                                    : -(double)(system->clock.step - step);
    mote_plan_def whole = def;
    whole.integrator = MOTE_EXACT_FLOW;
    whole.timestep = steps * system->clock.timestep;
    mote_plan plan;
    mote_plan_make(&plan, &whole);
    mote_particles_jump(&system->particles, &now, &plan, step);
    if (step / system->clock.keep_steps != system->clock.step / system->clock.keep_steps)
        mote_colliders_jump(&system->colliders, mote_system_boundary(system),
                            steps * (double)system->clock.ticks_per_step);
    system->clock.step = step;
}

mote_result mote_system_seek(mote_system *system, uint64_t step) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    const bool advects = mote_scheme_table[system->def.integrator].family == MOTE_FAMILY_ADVECTION;
    const bool collides = mote_system_collides(system) && system->particles.range.slot_count;
    if (advects || collides || system->def.orientation || system->emitters.count ||
        system->particles.external_forces_marked || mote_system_range_number(system, 0) ||
        !mote_forces_are_affine(system->forces.items, system->forces.count))
        return MOTE_ERROR_INTEGRATOR;
    mote_events_clear(system->particles.events, system->mark);
    const mote_result fetched = mote_system_fetch(system);
    if (fetched) return fetched;
    const mote_fpu_state saved = mote_fpu_enter();
    system->busy = true;
    if (step != system->clock.step) jump(system, step);
    mote_particles_forget_previous(&system->particles, 0, system->particles.range.slot_count);
    system->busy = false;
    mote_system_note(system, MOTE_NOTED_SEEK, step, 0, NULL, 0);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
