/* Construction of plans: folds the forces and scales the coefficients. */
#include "stage/plan.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "forces/force.h"

static void fold_forces(mote_plan *plan) {
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        mote_force_path path = mote_force_path_of(def);
        if (path == MOTE_PATH_AFFINE) {
            mote_force_fold(def, &plan->acceleration, &plan->force);
            continue;
        }
        plan->point_count += path == MOTE_PATH_POINT;
        plan->callback_count += path == MOTE_PATH_CALLBACK;
        plan->timed |= mote_force_reads_time(def);
        plan->anchors |= mote_force_needs_anchors(def);
        plan->reaches_range |= mote_force_reaches_range(def);
        plan->newtons |= mote_force_gives_newtons(def);
        plan->reuse &= !mote_force_reads_velocity(def);
    }
}

static mote_affine_stage scaled(const mote_affine *affine, double factor) {
    mote_affine_stage stage;
    for (int axis = 0; axis < 3; axis++) {
        stage.constant[axis] = (float)(affine->constant[axis] * factor);
        stage.damping[axis] = (float)(affine->damping[axis] * factor);
        stage.stiffness[axis] = (float)(affine->stiffness[axis] * factor);
    }
    return stage;
}

static mote_exact_map axis_map(mote_map_kind kind, const mote_affine *a, int axis, double h) {
    return mote_map_make(kind, a->constant[axis], a->damping[axis], a->stiffness[axis], h);
}

/* Sums the maps of the affine forces: the kinematic integrators treat each force uncoupled. */
static void sum_of_maps(const mote_plan *plan, double inverse_mass, mote_map map[3]) {
    mote_exact_map sum[3];
    for (int axis = 0; axis < 3; axis++) sum[axis] = mote_map_free(plan->h);
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        if (mote_force_path_of(def) != MOTE_PATH_AFFINE) continue;
        mote_affine acceleration = {{0}, {0}, {0}}, force = {{0}, {0}, {0}};
        mote_force_fold(def, &acceleration, &force);
        mote_affine_add(&acceleration, &force, inverse_mass);
        for (int axis = 0; axis < 3; axis++) {
            mote_exact_map term = axis_map(plan->scheme->map, &acceleration, axis, plan->h);
            mote_map_add(&sum[axis], &term, plan->h);
        }
    }
    for (int axis = 0; axis < 3; axis++) map[axis] = mote_map_round(&sum[axis]);
}

static void joint_map(const mote_plan *plan, const mote_affine *acceleration, mote_map map[3]) {
    for (int axis = 0; axis < 3; axis++) {
        mote_exact_map exact = axis_map(plan->scheme->map, acceleration, axis, plan->h);
        map[axis] = mote_map_round(&exact);
    }
}

/* Makes the affine map. */
static void make_map(mote_plan *plan, double uniform_inverse_mass) {
    if (!plan->mix) plan->stages = 0;
    plan->particle_maps = plan->affine_force;
    if (plan->particle_maps) return;
    if (plan->scheme->kick_after) /* kinematic: one map for each force */
        sum_of_maps(plan, uniform_inverse_mass, plan->c.map);
    else
        joint_map(plan, &plan->acceleration, plan->c.map);
}

/* Returns whether particles have masses, affine forces read v or x, or the sum of a stage's constant with 0
 * has other bits than the constant, which is -0 then. */
static bool needs_terms(const mote_plan *plan) {
    bool needs = plan->mass_column || plan->stiff_acceleration;
    for (uint32_t i = 0; i < plan->stages; i++) {
        const float *constant = plan->evaluation[i].acceleration.constant;
        for (int axis = 0; axis < 3; axis++) needs |= constant[axis] == 0 && signbit(constant[axis]);
    }
    return needs;
}

/* Order in which settled kernels sum the forces of a unit. */
typedef enum settled_part { OWN, LIFT, CALLED } settled_part;

static settled_part part_of_force(const mote_force_def *def) {
    if (mote_force_is_attractor(def) || mote_force_is_quadratic_drag(def)) return OWN;
    return mote_force_is_constant(def) ? LIFT : CALLED;
}

/* Counts the attractors and drags of the point forces and lists the others. False if settled kernels do not
 * hold as many, or not in this order. */
static bool list_settled(mote_plan *plan, uint32_t *attractors, uint32_t *drags) {
    settled_part last[2] = {OWN, OWN}; /* of forces in m/s^2, in N */
    *attractors = *drags = plan->lift_count = plan->called_count = 0;
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        if (mote_force_path_of(def) != MOTE_PATH_POINT) continue;
        settled_part *before = &last[mote_force_gives_newtons(def)], part = part_of_force(def);
        if (part == OWN && *before != OWN) return false;
        if (part < *before) part = CALLED;
        *before = part;
        *attractors += mote_force_is_attractor(def), *drags += mote_force_is_quadratic_drag(def);
        if (part == OWN) continue;
        uint32_t *count = part == LIFT ? &plan->lift_count : &plan->called_count;
        if (*count == MOTE_MAX_SETTLED_OTHERS) return false;
        (part == LIFT ? plan->lift : plan->called)[(*count)++] = def;
    }
    if ((plan->lift_count || plan->called_count) && plan->scheme->family != MOTE_FAMILY_SPLITTING)
        return false;
    return *attractors <= MOTE_MAX_SETTLED_ATTRACTORS && *drags <= MOTE_MAX_SETTLED_DRAGS;
}

/* Returns the mix of settled.h, or that of the plan. */
static mote_force_mix settled_mix(mote_plan *plan) {
    uint32_t attractors, drags;
    if (plan->callback_count || plan->external_forces || plan->timed || plan->anchors) return plan->mix;
    if (!list_settled(plan, &attractors, &drags)) return plan->mix;
    const bool one = attractors == 1 && plan->point_count == 1 && !needs_terms(plan);
    return one ? MOTE_MIX_ONE_ATTRACTOR : MOTE_MIX_FEW_ATTRACTORS;
}

static bool is_noise_alone(const mote_plan *plan) {
    bool noise = plan->mix == MOTE_MIX_ANY && plan->point_count == 1 && !plan->callback_count &&
                 !plan->external_forces && plan->scheme->family == MOTE_FAMILY_SPLITTING;
    for (uint32_t i = 0; i < plan->force_count && noise; i++)
        noise =
            mote_force_path_of(&plan->forces[i]) != MOTE_PATH_POINT || mote_force_is_noise(&plan->forces[i]);
    return noise;
}

/* Selects the specialised kernels, whose forces are known before the loop. */
static mote_force_mix specialised_mix(mote_plan *plan) {
    const mote_scheme *scheme = plan->scheme;
    const bool euler = scheme->family == MOTE_FAMILY_SPLITTING && scheme->stages == 1 &&
                       scheme->drift_first == 0 && scheme->drift[0] != 0;
    if (!plan->mass_column && is_noise_alone(plan)) return MOTE_MIX_NOISE;
    if (plan->mix == MOTE_MIX_AFFINE) return euler && !needs_terms(plan) ? MOTE_MIX_DRAG : plan->mix;
    const bool map = scheme->family == MOTE_FAMILY_MAP;
    return scheme->family == MOTE_FAMILY_ADVECTION || (map && plan->mass_column) ? plan->mix
                                                                                 : settled_mix(plan);
}

/* Limits the rate of quadratic drags so that the longest kick of all, at least a substep of h seconds, takes
 * at most the whole relative velocity, together with linear drag of uniform mass; but for maps, which take
 * that in closed form. */
static void limit_drag(mote_plan *plan, const mote_scheme *scheme, double h) {
    double longest = 1, drags = 0, linear = 0;
    for (uint32_t i = 0; i < scheme->stages; i++) longest = fmax(longest, fabs(scheme->kick[i]));
    for (uint32_t i = 0; i < plan->force_count; i++) drags += mote_force_drags(&plan->forces[i]);
    for (int axis = 0; axis < 3 && scheme->family != MOTE_FAMILY_MAP; axis++)
        linear = fmax(linear, -plan->acceleration.damping[axis]);
    plan->drag_rate = (float)(fmax(1 / (longest * h) - linear, 0) / fmax(drags, 1));
}

/* Estimates the work of a step. */
static double work_of(const mote_plan *plan) {
    double evaluation = MOTE_WORK_SUBSTEP;
    for (uint32_t i = 0; i < plan->force_count; i++) evaluation += mote_force_cost(&plan->forces[i]);
    const uint32_t stages = plan->stages ? plan->stages : 1;
    return MOTE_WORK_PARTICLE + (double)plan->substeps * (double)stages * evaluation;
}

/* Affine forces without others are exact over the whole step; with others, substeps bound the splitting
 * error, and with colliders the straight ways on which contacts are sought. */
static bool is_exact_flow(const mote_scheme *scheme) {
    return scheme->family == MOTE_FAMILY_MAP && scheme->map == MOTE_MAP_EXACT_FLOW;
}

static void make_plan(mote_plan *plan, const mote_plan_def *def, const mote_scheme *scheme) {
    *plan = (mote_plan){.scheme = scheme,
                        .start_time = def->start_time,
                        .timestep = def->timestep,
                        .h = def->timestep / (double)def->substeps,
                        .substeps = def->substeps,
                        .mass_column = def->mass_column,
                        .external_forces = def->external_forces,
                        .collides = def->collides,
                        .newtons = def->external_forces,
                        .reuse = true,
                        .forces = def->forces,
                        .force_count = def->force_count};
    plan->stages = scheme->stages;
    /* Folds the affine forces; with uniform mass the force term joins the acceleration term. */
    fold_forces(plan);
    plan->anchors &= def->anchors;
    double inverse_mass = 0;
    if (!plan->mass_column) {
        inverse_mass = 1.0 / def->mass;
        plan->inverse_mass = (float)inverse_mass;
        mote_affine_add(&plan->acceleration, &plan->force, inverse_mass);
        plan->force = (mote_affine){{0}, {0}, {0}};
    }
    const bool damped_force = mote_affine_acts(plan->force.damping);
    plan->stiff_acceleration = mote_affine_acts(plan->acceleration.stiffness);
    plan->damped_acceleration = mote_affine_acts(plan->acceleration.damping);
    plan->stiff_force = mote_affine_acts(plan->force.stiffness);
    plan->affine_force = plan->stiff_force || damped_force || mote_affine_acts(plan->force.constant);
    plan->reuse &= !damped_force && !plan->damped_acceleration;
    const bool others = plan->point_count || plan->callback_count || plan->external_forces || def->coupled;
    plan->mix = others ? MOTE_MIX_ANY : MOTE_MIX_AFFINE;
    if (!plan->mix && !def->collides && is_exact_flow(scheme)) plan->substeps = 1, plan->h = plan->timestep;
    /* Scales the coefficients of the integrator and of each stage by h. */
    mote_scheme_coefficients(scheme, plan->h, &plan->c);
    if (scheme->family == MOTE_FAMILY_MAP) make_map(plan, inverse_mass);
    for (uint32_t i = 0; i < plan->stages; i++) {
        double factor = scheme->kick[i] * plan->h;
        plan->evaluation[i] = (mote_evaluation){scaled(&plan->acceleration, factor),
                                                scaled(&plan->force, factor), (float)factor};
    }
    plan->mix = specialised_mix(plan);
    plan->work = work_of(plan);
}

void mote_plan_make(mote_plan *plan, const mote_plan_def *def) {
    const mote_scheme *scheme = &mote_scheme_table[def->integrator];
    make_plan(plan, def, scheme);
    limit_drag(plan, scheme, plan->h);
}

void mote_plan_make_kick(mote_plan *plan, const mote_plan_def *def, double fraction) {
    static const mote_scheme kick_once = {.family = MOTE_FAMILY_SPLITTING, .stages = 1, .kick = {1}};
    mote_plan_def once = *def;
    once.timestep = fraction * def->timestep / (double)def->substeps;
    once.substeps = 1;
    make_plan(plan, &once, &kick_once);
    limit_drag(plan, &kick_once, def->timestep / (double)def->substeps);
    plan->timestep = def->timestep; /* reference for the time of the step */
}

void mote_plan_particle_map(const mote_plan *plan, float inverse_mass, mote_map map[3]) {
    if (plan->scheme->kick_after) {
        sum_of_maps(plan, (double)inverse_mass, map);
        return;
    }
    mote_affine sum = plan->acceleration;
    mote_affine_add(&sum, &plan->force, (double)inverse_mass);
    joint_map(plan, &sum, map);
}

mote_stage_view mote_stage_view_make(double time, uint32_t first, uint32_t count, float *const x[3],
                                     float *const v[3]) {
    return (mote_stage_view){.time = time,
                             .first = first,
                             .count = count,
                             .x = x[0],
                             .y = x[1],
                             .z = x[2],
                             .velocity_x = v[0],
                             .velocity_y = v[1],
                             .velocity_z = v[2]};
}

void mote_plan_call(const mote_plan *plan, const mote_stage_view *view, const mote_stage_view *reach,
                    float *const acceleration[3], float *const force[3]) {
    const size_t bytes = mote_round_up(view->count, MOTE_GROUP) * sizeof(float);
    for (int axis = 0; axis < 3; axis++) {
        memset(acceleration[axis], 0, bytes);
        memset(force[axis], 0, bytes);
    }
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        const mote_stage_view *shown = mote_force_reaches_range(def) ? reach : view;
        if (mote_force_path_of(def) != MOTE_PATH_CALLBACK || !shown) continue;
        float *const *sum = mote_force_gives_newtons(def) ? force : acceleration; /* or velocity */
        def->as.callback.function(def->as.callback.user, shown, sum[0], sum[1], sum[2]);
    }
}

/* Returns the field that makes a force a velocity field, or the kind where none can. */
static const char *name_of_use(const mote_force_def *def) {
    if (mote_force_path_of(def) == MOTE_PATH_CALLBACK) return "unit";
    return mote_force_is_field(def) ? "use" : "kind";
}

mote_result mote_plan_accepts(mote_integrator integrator, const mote_force_def *def, bool anchors,
                              const char **name) {
    const mote_scheme *scheme = &mote_scheme_table[integrator];
    if (mote_force_is_velocity_field(def) != (scheme->family == MOTE_FAMILY_ADVECTION))
        return mote_named(name, name_of_use(def), MOTE_ERROR_INTEGRATOR);
    if (mote_force_reaches_range(def) && scheme->half_step_velocity)
        return mote_named(name, "reach", MOTE_ERROR_INTEGRATOR);
    return mote_force_needs_anchors(def) && !anchors ? mote_named(name, "kind", MOTE_ERROR_ABSENT) : MOTE_OK;
}

static bool all_take(mote_force_path path, const mote_force_def *forces, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (mote_force_path_of(&forces[i]) != path) return false;
    return true;
}

mote_result mote_plan_can_step(mote_integrator integrator, const mote_force_def *forces, uint32_t count) {
    const bool refused =
        integrator == MOTE_EXACT_FLOW && count && all_take(MOTE_PATH_CALLBACK, forces, count);
    return refused ? MOTE_ERROR_INTEGRATOR : MOTE_OK;
}

bool mote_forces_reach_range(const mote_force_def *forces, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (mote_force_reaches_range(&forces[i])) return true;
    return false;
}

bool mote_forces_are_affine(const mote_force_def *forces, uint32_t count) {
    return all_take(MOTE_PATH_AFFINE, forces, count);
}
