/* Systems: defaults, checks, creation, growth, destruction. */
#include <math.h>

#include "base/parallel.h"
#include "particles/events.h"
#include "system/internal.h"

#define COOKIE       0x6d6f7465u
#define MAX_SUBSTEPS 4096u

mote_system_def mote_default_system_def(void) {
    return (mote_system_def){.cookie = COOKIE,
                             .capacity = 1024,
                             .steps_per_second = {60, 1},
                             .substeps = 1,
                             .integrator = MOTE_SEMI_IMPLICIT_EULER,
                             .max_steps_per_advance = 8,
                             .late_policy = MOTE_LATE_SLOW_DOWN,
                             .interpolation = MOTE_INTERPOLATE_LINEAR,
                             .mass = 1.0f,
                             .particle_ids = true,
                             .collisions = true,
                             .friction = 0.5f,
                             .inertia = {1, 1, 1},
                             .loop_order = MOTE_LOOP_AUTO,
                             .isa = MOTE_ISA_AUTO};
}

static mote_result check_times(const mote_system_def *def, const char **name) {
    const mote_rate rate = def->steps_per_second;
    if (rate.steps == 0 || rate.seconds == 0 || !mote_clock_lasts(rate))
        return mote_named(name, "steps_per_second", MOTE_ERROR_RANGE);
    if (def->substeps == 0 || def->substeps > MAX_SUBSTEPS)
        return mote_named(name, "substeps", MOTE_ERROR_RANGE);
    if (def->max_steps_per_advance == 0) return mote_named(name, "max_steps_per_advance", MOTE_ERROR_RANGE);
    if (def->max_deaths > MOTE_MAX_PARTICLES) return mote_named(name, "max_deaths", MOTE_ERROR_RANGE);
    if (def->max_births > MOTE_MAX_PARTICLES) return mote_named(name, "max_births", MOTE_ERROR_RANGE);
    if (def->max_hits > MOTE_MAX_PARTICLES) return mote_named(name, "max_hits", MOTE_ERROR_RANGE);
    return mote_named(name, "start_time", mote_value_is_finite(def->start_time));
}

static mote_result check_columns(const mote_system_def *def, const char **name) {
    const mote_result result = mote_named(name, "mass", mote_value_positive(def->mass));
    if (result) return result;
    if (!isfinite(1.0f / def->mass)) return mote_named(name, "mass", MOTE_ERROR_RANGE);
    const mote_result radius =
        mote_named(name, "collision_radius", mote_value_not_negative(def->collision_radius));
    if (radius) return radius;
    const mote_result friction = mote_named(name, "friction", mote_value_not_negative(def->friction));
    if (friction) return friction;
    for (int i = 0; i < 3; i++) {
        const mote_result inertia = mote_named(name, "inertia", mote_value_invertible(def->inertia[i], 1));
        if (inertia) return inertia;
    }
    const mote_result drag = mote_named(name, "spin_drag", mote_value_not_negative(def->spin_drag));
    if (drag) return drag;
    if (def->extra_count > MOTE_MAX_EXTRA_COLUMNS) return mote_named(name, "extra_count", MOTE_ERROR_RANGE);
    for (uint32_t i = 0; i < def->extra_count; i++)
        if (def->extra_bytes[i] == 0 || def->extra_bytes[i] > 256)
            return mote_named(name, "extra_bytes", MOTE_ERROR_RANGE);
    for (uint32_t i = def->extra_count; i < MOTE_MAX_EXTRA_COLUMNS; i++)
        if (def->extra_bytes[i]) return mote_named(name, "extra_count", MOTE_ERROR_RANGE);
    return MOTE_OK;
}

static mote_result check_choices(const mote_system_def *def, const char **name) {
    const struct {
        const char *name;
        unsigned value, count;
    } row[] = {{"integrator", (unsigned)def->integrator, MOTE_INTEGRATOR_COUNT},
               {"late_policy", (unsigned)def->late_policy, MOTE_LATE_POLICY_COUNT},
               {"interpolation", (unsigned)def->interpolation, MOTE_INTERPOLATION_COUNT},
               {"loop_order", (unsigned)def->loop_order, MOTE_LOOP_ORDER_COUNT},
               {"isa", (unsigned)def->isa, MOTE_ISA_COUNT}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].value >= row[i].count) return mote_named(name, row[i].name, MOTE_ERROR_ENUM);
    return mote_isa_available(def->isa) ? MOTE_OK : mote_named(name, "isa", MOTE_ERROR_ISA);
}

mote_result mote_system_def_check(const mote_system_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if (def->capacity > MOTE_MAX_PARTICLES) return mote_named(name, "capacity", MOTE_ERROR_RANGE);
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check_times(def, name);
    if (result == MOTE_OK) result = check_columns(def, name);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    if (result == MOTE_OK) result = mote_named(name, "jobs", mote_jobs_check(&def->jobs));
    if (result == MOTE_OK) result = mote_named(name, "allocator", mote_allocator_check(&def->allocator));
    return result ? result : check_choices(def, name);
}

static mote_result fill(mote_system *system) {
    system->present = mote_present_kernels_for(system->def.isa);
    system->clock = mote_clock_make(system->def.steps_per_second, system->def.start_time);
    mote_result result =
        mote_colliders_reserve_rows(&system->colliders, system->def.substeps + 1, &system->allocator);
    if (result == MOTE_OK)
        result = mote_particles_create(&system->particles, &system->def, &system->allocator);
    if (result == MOTE_OK) result = mote_system_reserve_scratch(system, &system->particles.range);
    mote_events_clear(system->particles.events, system->mark);
    return result;
}

/* Returns a mark that no system has had before, so that ids of a destroyed system are valid in no other; 0 if
 * no marks are left. The counter is the only variable that systems share. */
static uint32_t new_mark(void) {
    static uint32_t last;
    uint32_t now = __atomic_load_n(&last, __ATOMIC_RELAXED);
    do {
        if (now == UINT32_MAX) return 0;
    } while (!__atomic_compare_exchange_n(&last, &now, now + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return now + 1;
}

mote_result mote_system_create(const mote_system_def *def, mote_system **system) {
    if (!system) return MOTE_ERROR_NULL;
    *system = NULL;
    mote_result result = mote_system_def_check(def, NULL);
    if (result) return result;
    mote_allocator allocator = mote_allocator_resolve(&def->allocator);
    mote_system *made = mote_allocate(&allocator, sizeof *made);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = (mote_system){.def = *def, .allocator = allocator, .mark = new_mark()};
    mote_fpu_state saved = mote_fpu_enter();
    result = made->mark ? fill(made) : MOTE_ERROR_OVERFLOW;
    mote_fpu_leave(saved);
    if (result)
        mote_system_destroy(made);
    else
        *system = made;
    return result;
}

void mote_system_destroy(mote_system *system) {
    if (!system || system->busy) return;
    const mote_allocator allocator = system->allocator;
    mote_system_destroy_ranges(system);
    mote_system_leave(system);
    if (system->particles.range.kind) mote_particles_kind.destroy(&system->particles.range, &allocator);
    mote_id_list_destroy(&system->forces, &allocator);
    mote_id_list_destroy(&system->callbacks, &allocator);
    mote_colliders_destroy(&system->colliders, &allocator);
    mote_id_list_destroy(&system->emitters, &allocator);
    mote_release(&allocator, system, sizeof *system);
}

mote_result mote_system_reserve(mote_system *system, uint32_t capacity) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    if (capacity > MOTE_MAX_PARTICLES) return MOTE_ERROR_RANGE;
    if (capacity <= system->particles.capacity) return MOTE_OK;
    /* Grows the scratch first: if the columns then cannot grow, larger scratch does no harm. */
    mote_particles grown = system->particles;
    grown.capacity = capacity;
    mote_result result = mote_system_reserve_scratch(system, &grown.range);
    if (result == MOTE_OK) result = mote_system_fetch(system);
    if (result == MOTE_OK) result = mote_particles_reserve(&system->particles, capacity, &system->allocator);
    if (result == MOTE_OK) mote_system_deal_again(system);
    return result;
}
