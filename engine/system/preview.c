/* Preview: computes the path of one particle under the forces of a system, without changing the system. */
#include <math.h>

#include "forces/force.h"
#include "particles/run.h"
#include "system/internal.h"

static mote_result check_preview(const mote_system *system, const mote_preview_def *def) {
    if (!mote_vector_is_finite(def->position) || !mote_vector_is_finite(def->velocity) ||
        !isfinite(def->inverse_mass) || !isfinite(def->interval))
        return MOTE_ERROR_NOT_FINITE;
    if (def->inverse_mass < 0 || !(def->interval > 0)) return MOTE_ERROR_RANGE;
    for (uint32_t i = 0; i < system->forces.count; i++) {
        const mote_force_def *force = (const mote_force_def *)system->forces.items + i;
        if (mote_force_reaches_range(force) || mote_force_needs_anchors(force)) return MOTE_ERROR_INTEGRATOR;
    }
    return mote_plan_can_step(system->def.integrator, system->forces.items, system->forces.count);
}

/* The particle of a preview, in lane 0 of a lane group: position, velocity, inverse mass. */
typedef struct probe {
    float column[7][MOTE_GROUP];
} probe;

static mote_span span_of(probe *p) {
    return (mote_span){.x = {p->column[0], p->column[1], p->column[2]},
                       .v = {p->column[3], p->column[4], p->column[5]},
                       .inverse_mass = p->column[6],
                       .count = 1,
                       .steps = 1};
}

static probe start_of(const mote_preview_def *def) {
    probe p = {{{0}}};
    for (int axis = 0; axis < 3; axis++) {
        p.column[axis][0] = def->position[axis];
        p.column[3 + axis][0] = def->velocity[axis];
    }
    p.column[6][0] = def->inverse_mass;
    return p;
}

/* Computes every point by one exact flow from the start, so that errors do not accumulate. */
static void preview_exact(const mote_system *system, const mote_preview_def *def, mote_plan_def plan_def,
                          float (*points)[3]) {
    plan_def.integrator = MOTE_EXACT_FLOW;
    for (uint32_t i = 0; i < def->count; i++) {
        probe p = start_of(def);
        mote_span span = span_of(&p);
        mote_plan plan;
        const mote_run run = {system->particles.kernels, &plan, &span};
        uint32_t ignored = 0;
        plan_def.timestep = (double)(i + 1) * def->interval;
        mote_plan_make(&plan, &plan_def);
        mote_run_blocks(&run, 0, 1, &ignored);
        for (int axis = 0; axis < 3; axis++) points[i][axis] = p.column[axis][0];
    }
}

/* Steps the particle with the system's integrator. Position Verlet starts with v(t - h/2). */
static void preview_stepped(const mote_system *system, const mote_preview_def *def,
                            const mote_plan_def *plan_def, float (*points)[3]) {
    probe p = start_of(def);
    mote_span span = span_of(&p);
    mote_plan plan;
    const mote_run run = {system->particles.kernels, &plan, &span};
    uint32_t ignored = 0;
    if (mote_scheme_table[system->def.integrator].half_step_velocity) {
        mote_plan_make_kick(&plan, plan_def, -0.5);
        span.first_step = system->clock.step;
        mote_run_blocks(&run, 0, 1, &ignored);
    }
    mote_plan_make(&plan, plan_def);
    double steps = def->interval / system->clock.timestep + 0.5;
    span.steps = steps < 1 ? 1 : steps > 1e9 ? 1000000000u : (uint32_t)steps;
    for (uint32_t i = 0; i < def->count; i++) {
        span.first_step = system->clock.step + (uint64_t)i * span.steps;
        mote_run_blocks(&run, 0, 1, &ignored);
        for (int axis = 0; axis < 3; axis++) points[i][axis] = p.column[axis][0];
    }
}

mote_result mote_system_preview(const mote_system *system, const mote_preview_def *def, float (*points)[3]) {
    if (!system || !def || (def->count && !points)) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_result result = check_preview(system, def);
    if (result) return result;
    mote_query query;
    mote_query_begin(&query, system);
    mote_plan_def plan_def = query.def;
    /* A particle with the system's uniform mass gets the same arithmetic as in the system. */
    plan_def.mass_column = system->def.mass_column || def->inverse_mass != system->particles.new_inverse_mass;
    plan_def.external_forces = false;
    const bool advects = mote_scheme_table[system->def.integrator].family == MOTE_FAMILY_ADVECTION;
    if (!advects && mote_forces_are_affine(plan_def.forces, plan_def.force_count))
        preview_exact(system, def, plan_def, points);
    else
        preview_stepped(system, def, &plan_def, points);
    return mote_query_end(&query, MOTE_OK);
}
