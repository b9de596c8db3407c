/* Preview: computes the path of one particle under the forces of a system, without changing the system. */
#include <math.h>
#include <string.h>

#include "forces/force.h"
#include "particles/run.h"
#include "system/internal.h"

#define COOKIE 0x70726576u

mote_preview_def mote_default_preview_def(void) {
    return (mote_preview_def){.cookie = COOKIE, .inverse_mass = 1, .interval = 1.0 / 60.0, .count = 1};
}

mote_result mote_preview_def_check(const mote_preview_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if (!mote_vector_is_finite(def->position)) return mote_named(name, "position", MOTE_ERROR_NOT_FINITE);
    if (!mote_vector_is_finite(def->velocity)) return mote_named(name, "velocity", MOTE_ERROR_NOT_FINITE);
    mote_result result = mote_named(name, "inverse_mass", mote_value_not_negative(def->inverse_mass));
    if (result == MOTE_OK) result = mote_named(name, "interval", mote_value_is_finite(def->interval));
    if (result) return result;
    uint64_t interval; /* compared by bits, as all of a def: the host may take denormal numbers for 0 */
    memcpy(&interval, &def->interval, sizeof interval);
    return interval - 1 < INT64_MAX ? MOTE_OK : mote_named(name, "interval", MOTE_ERROR_RANGE);
}

/* Returns whether one flow of any length is the path of the system's own steps. */
static bool is_exact(const mote_system *system) {
    return system->def.integrator == MOTE_EXACT_FLOW &&
           mote_forces_are_affine(system->forces.items, system->forces.count);
}

/* Returns the steps to a number of points, before it is rounded to a whole number. */
static double steps_to(const mote_system *system, const mote_preview_def *def, uint32_t points) {
    return def->interval / system->clock.timestep * points;
}

static mote_result check_preview(const mote_system *system, const mote_preview_def *def) {
    mote_result result = mote_preview_def_check(def, NULL);
    if (result) return result;
    if (mote_system_collides(system)) return MOTE_ERROR_INTEGRATOR;
    for (uint32_t i = 0; i < system->forces.count; i++) {
        const mote_force_def *force = (const mote_force_def *)system->forces.items + i;
        if (mote_force_reaches_range(force) || mote_force_needs_anchors(force)) return MOTE_ERROR_INTEGRATOR;
    }
    const bool few = steps_to(system, def, def->count) <= (double)MOTE_MAX_PREVIEW_STEPS;
    if (!few && !is_exact(system)) return MOTE_ERROR_RANGE;
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

/* Writes a point; lost: how often the particle has turned non-finite. */
static void store_point(const probe *p, uint32_t lost, float point[3]) {
    for (int axis = 0; axis < 3; axis++) point[axis] = lost ? NAN : p->column[axis][0];
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
        uint32_t lost = 0;
        plan_def.timestep = (double)(i + 1) * def->interval;
        mote_plan_make(&plan, &plan_def);
        mote_run_blocks(&run, 0, 1, &lost);
        store_point(&p, lost, points[i]);
    }
}

/* Steps the particle with the system's integrator. Position Verlet starts with v(t - h/2). */
static void preview_stepped(const mote_system *system, const mote_preview_def *def,
                            const mote_plan_def *plan_def, float (*points)[3]) {
    probe p = start_of(def);
    mote_span span = span_of(&p);
    mote_plan plan;
    const mote_run run = {system->particles.kernels, &plan, &span};
    uint32_t lost = 0;
    if (mote_scheme_table[system->def.integrator].half_step_velocity) {
        mote_plan_make_kick(&plan, plan_def, -0.5);
        span.first_step = system->clock.step;
        mote_run_blocks(&run, 0, 1, &lost);
    }
    mote_plan_make(&plan, plan_def);
    for (uint32_t i = 0, taken = 0; i < def->count; i++, taken += span.steps) {
        span.first_step = system->clock.step + taken;
        span.steps = (uint32_t)(steps_to(system, def, i + 1) + 0.5) - taken;
        if (span.steps) mote_run_blocks(&run, 0, 1, &lost);
        store_point(&p, lost, points[i]);
    }
}

mote_result mote_system_preview(const mote_system *system, const mote_preview_def *def, float (*points)[3]) {
    if (!system || !def || (def->count && !points)) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check_preview(system, def);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    if (result) return result;
    mote_query query;
    result = mote_query_begin(&query, system);
    if (result) return result;
    mote_plan_def plan_def = query.def;
    /* A particle with the system's uniform mass gets the same arithmetic as in the system. */
    plan_def.mass_column = system->def.mass_column || def->inverse_mass != system->particles.new_inverse_mass;
    plan_def.external_forces = false;
    if (is_exact(system))
        preview_exact(system, def, plan_def, points);
    else
        preview_stepped(system, def, &plan_def, points);
    return mote_query_end(&query, MOTE_OK);
}
