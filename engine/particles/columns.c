/* Steps arrays that the caller owns: mote/columns.h. */
#include <mote/columns.h>

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/check.h"
#include "base/fpu.h"
#include "particles/run.h"

#define COOKIE 0x636f6c73u

mote_columns_def mote_default_columns_def(void) {
    return (mote_columns_def){.cookie = COOKIE,
                              .integrator = MOTE_SEMI_IMPLICIT_EULER,
                              .timestep = 1.0 / 60.0,
                              .substeps = 1,
                              .steps = 1,
                              .isa = MOTE_ISA_AUTO};
}

static mote_result check_forces(const mote_columns_def *def, bool anchors) {
    if (def->force_count && !def->forces) return MOTE_ERROR_NULL;
    for (uint32_t i = 0; i < def->force_count; i++) {
        const char *ignored;
        mote_result result = mote_force_check(&def->forces[i], NULL);
        if (result == MOTE_OK)
            result = mote_plan_accepts(def->integrator, &def->forces[i], anchors, &ignored);
        if (result) return result;
    }
    return mote_plan_can_step(def->integrator, def->forces, def->force_count);
}

static mote_result check_def(const mote_columns_def *def, bool anchors, const char **name) {
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)def->integrator >= MOTE_INTEGRATOR_COUNT)
        return mote_named(name, "integrator", MOTE_ERROR_ENUM);
    if ((unsigned)def->isa >= MOTE_ISA_COUNT) return mote_named(name, "isa", MOTE_ERROR_ENUM);
    mote_result result = mote_named(name, "time", mote_value_is_finite(def->time));
    if (result == MOTE_OK) result = mote_named(name, "timestep", mote_value_is_finite(def->timestep));
    if (result) return result;
    if (!(def->timestep > 0)) return mote_named(name, "timestep", MOTE_ERROR_RANGE);
    if (def->substeps == 0) return mote_named(name, "substeps", MOTE_ERROR_RANGE);
    if (def->steps == 0) return mote_named(name, "steps", MOTE_ERROR_RANGE);
    result = mote_named(name, "jobs", mote_jobs_check(&def->jobs));
    if (result == MOTE_OK) result = mote_named(name, "allocator", mote_allocator_check(&def->allocator));
    if (result == MOTE_OK) result = mote_named(name, "forces", check_forces(def, anchors));
    if (result) return result;
    return mote_isa_available(def->isa) ? MOTE_OK : mote_named(name, "isa", MOTE_ERROR_ISA);
}

static bool is_complete(const mote_vector_columns *v) { return v->x && v->y && v->z; }

static bool is_aligned(const mote_vector_columns *v) {
    return mote_is_aligned(v->x) && mote_is_aligned(v->y) && mote_is_aligned(v->z);
}

static mote_result check_arrays(const mote_columns *columns, const char **name) {
    if (columns->count > MOTE_MAX_PARTICLES) return mote_named(name, "count", MOTE_ERROR_RANGE);
    if (columns->count && !is_complete(&columns->position))
        return mote_named(name, "position", MOTE_ERROR_NULL);
    if (columns->count && !is_complete(&columns->velocity))
        return mote_named(name, "velocity", MOTE_ERROR_NULL);
    if (!is_aligned(&columns->position)) return mote_named(name, "position", MOTE_ERROR_BUFFER);
    if (!is_aligned(&columns->velocity)) return mote_named(name, "velocity", MOTE_ERROR_BUFFER);
    if (!is_aligned(&columns->anchor)) return mote_named(name, "anchor", MOTE_ERROR_BUFFER);
    if (!mote_is_aligned(columns->inverse_mass)) return mote_named(name, "inverse_mass", MOTE_ERROR_BUFFER);
    if (columns->inverse_mass) return MOTE_OK;
    const mote_result result = mote_value_positive(columns->mass);
    const bool fits = !result && isfinite(1.0f / columns->mass);
    return mote_named(name, "mass", result || fits ? result : MOTE_ERROR_RANGE);
}

mote_result mote_columns_check(const mote_columns *columns, const mote_columns_def *def,
                               const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!columns || !def) return MOTE_ERROR_NULL;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check_def(def, is_complete(&columns->anchor), name);
    if (result == MOTE_OK) result = check_arrays(columns, name);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    return result;
}

/* Columns of a span: 0 .. 5 position and velocity, 6 inverse mass, 7 .. 9 anchor. */
#define COLUMNS 10

static mote_span span_of(float *const column[COLUMNS], size_t count, uint32_t steps) {
    return (mote_span){.x = {column[0], column[1], column[2]},
                       .v = {column[3], column[4], column[5]},
                       .inverse_mass = column[6],
                       .anchor = {column[7], column[8], column[9]},
                       .count = count,
                       .steps = steps};
}

/* Steps the last, incomplete lane group in a padded copy. */
static void run_tail(const mote_run *run, float *const column[COLUMNS], size_t first, uint32_t *frozen) {
    const size_t bytes = (run->span->count - first) * sizeof(float);
    float memory[COLUMNS][MOTE_GROUP] = {{0}}, *copy[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        copy[i] = column[i] ? memory[i] : NULL;
        if (column[i]) memcpy(memory[i], column[i] + first, bytes);
    }
    mote_span span = span_of(copy, run->span->count - first, run->span->steps);
    span.first_slot = first;
    mote_run_blocks(&(mote_run){run->kernels, run->plan, &span}, 0, span.count, frozen);
    for (int i = 0; i < 6; i++) memcpy(column[i] + first, memory[i], bytes);
}

/* Steps padded copies of all columns in one workspace, for callbacks that reach the range. */
static mote_result run_stages(const mote_columns_def *def, const mote_run *run, float *const column[COLUMNS],
                              uint32_t *frozen) {
    mote_allocator allocator = mote_allocator_resolve(&def->allocator);
    size_t count = run->span->count, slots = mote_round_up(count, MOTE_GROUP);
    size_t columns = MOTE_WORKSPACE_COLUMNS + COLUMNS, bytes = slots * columns * sizeof(float);
    float *memory = mote_allocate(&allocator, bytes), *copy[COLUMNS];
    if (!memory) return MOTE_ERROR_MEMORY;
    memset(memory, 0, bytes);
    for (size_t i = 0; i < COLUMNS; i++) {
        copy[i] = column[i] ? memory + (MOTE_WORKSPACE_COLUMNS + i) * slots : NULL;
        if (column[i]) memcpy(copy[i], column[i], count * sizeof(float));
    }
    mote_span span = span_of(copy, count, run->span->steps);
    mote_workspace workspace = mote_workspace_make(memory, slots);
    const mote_items all = {0, count, NULL};
    mote_run_stages(&(mote_run){run->kernels, run->plan, &span}, &all, &workspace, &def->jobs, frozen);
    for (int i = 0; i < 6; i++) memcpy(column[i], copy[i], count * sizeof(float));
    mote_release(&allocator, memory, bytes);
    return MOTE_OK;
}

static mote_plan_def plan_def_of(const mote_columns *columns, const mote_columns_def *def) {
    return (mote_plan_def){.integrator = def->integrator,
                           .forces = def->forces,
                           .force_count = def->force_count,
                           .start_time = def->time,
                           .timestep = def->timestep,
                           .substeps = def->substeps,
                           .anchors = true,
                           .mass_column = columns->inverse_mass != NULL,
                           .mass = (double)columns->mass};
}

/* Removes const from a column that the kernels only read. */
static float *as_read_only(const float *column) { return (float *)(uintptr_t)column; }

static mote_result run_plan(const mote_columns *columns, const mote_columns_def *def, const mote_plan *plan,
                            uint32_t steps, uint32_t *frozen) {
    float *const column[COLUMNS] = {columns->position.x,
                                    columns->position.y,
                                    columns->position.z,
                                    columns->velocity.x,
                                    columns->velocity.y,
                                    columns->velocity.z,
                                    as_read_only(columns->inverse_mass),
                                    as_read_only(columns->anchor.x),
                                    as_read_only(columns->anchor.y),
                                    as_read_only(columns->anchor.z)};
    const mote_span span = span_of(column, columns->count, steps);
    const mote_run run = {mote_particle_kernels_for(def->isa), plan, &span};
    const size_t whole = span.count / MOTE_GROUP * MOTE_GROUP;
    uint32_t count = 0;
    mote_result result = MOTE_OK;
    if (plan->reaches_range) {
        result = run_stages(def, &run, column, &count);
    } else {
        count = mote_run_parallel(&run, whole, &def->jobs);
        if (whole < span.count) run_tail(&run, column, whole, &count);
    }
    if (frozen && result == MOTE_OK) *frozen = count;
    return result;
}

mote_result mote_columns_step(const mote_columns *columns, const mote_columns_def *def, uint32_t *frozen) {
    mote_result result = mote_columns_check(columns, def, NULL);
    if (result) return result;
    if (frozen) *frozen = 0;
    if (columns->count == 0) return MOTE_OK;
    mote_fpu_state saved = mote_fpu_enter();
    mote_plan plan;
    mote_plan_def plan_def = plan_def_of(columns, def);
    mote_plan_make(&plan, &plan_def);
    result = run_plan(columns, def, &plan, def->steps, frozen);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_columns_kick(const mote_columns *columns, const mote_columns_def *def, double fraction) {
    mote_result result = mote_columns_check(columns, def, NULL);
    if (result) return result;
    if (!isfinite(fraction)) return MOTE_ERROR_NOT_FINITE;
    if (mote_scheme_table[def->integrator].family == MOTE_FAMILY_ADVECTION) return MOTE_ERROR_INTEGRATOR;
    mote_fpu_state saved = mote_fpu_enter();
    mote_plan plan;
    mote_plan_def plan_def = plan_def_of(columns, def);
    mote_plan_make_kick(&plan, &plan_def, fraction);
    result = plan.reaches_range ? MOTE_ERROR_INTEGRATOR : run_plan(columns, def, &plan, 1, NULL);
    mote_fpu_leave(saved);
    return result;
}
