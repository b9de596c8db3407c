/* Folds the forces and scales the coefficients. */
#include "kernels/plan.h"

#include "forces/table.h"

static void fold_forces(mote_plan *plan) {
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        const mote_force_row *row = mote_force_table[def->kind];
        switch (row->path) {
        case MOTE_PATH_AFFINE: row->fold(def, &plan->acceleration, &plan->force); break;
        case MOTE_PATH_POINT:
            plan->point_count++;
            plan->reuse &= !row->reads_velocity;
            break;
        case MOTE_PATH_CALLBACK:
            plan->callback_count++;
            plan->newtons |= def->as.callback.unit == MOTE_NEWTONS;
            plan->reaches_range |= def->as.callback.reach == MOTE_REACH_RANGE;
            plan->reuse &= !def->as.callback.reads_velocity;
        }
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

/* Affine forces alone are exact over the whole step; with others, substeps bound the splitting error. */
static void make_map(mote_plan *plan) {
    if (!plan->rest) {
        plan->stages = 0;
        plan->substeps = 1;
        plan->h = plan->timestep;
    }
    plan->particle_maps = plan->affine_force;
    for (int axis = 0; axis < 3 && !plan->particle_maps; axis++)
        plan->c.map[axis] = mote_map_exact_flow(plan->acceleration.constant[axis], plan->acceleration.damping[axis],
                                                plan->acceleration.stiffness[axis], plan->h);
}

void mote_plan_make(mote_plan *plan, const mote_plan_def *def) {
    *plan = (mote_plan){.scheme = &mote_scheme_table[def->integrator], .start_time = def->start_time,
                        .timestep = def->timestep, .h = def->timestep / (double)def->substeps,
                        .substeps = def->substeps, .mass_column = def->mass_column, .inbox = def->inbox,
                        .newtons = def->inbox, .reuse = true, .forces = def->forces, .force_count = def->force_count};
    plan->stages = plan->scheme->stages;
    fold_forces(plan);
    if (!plan->mass_column) {
        double inverse_mass = 1.0 / def->uniform_mass;
        plan->inverse_mass = (float)inverse_mass;
        mote_affine_add(&plan->acceleration, &plan->force, inverse_mass);
        plan->force = (mote_affine){{0}, {0}, {0}};
    }
    plan->stiff_acceleration = mote_affine_has_stiffness(&plan->acceleration);
    plan->affine_force = !mote_affine_is_zero(&plan->force);
    plan->stiff_force = mote_affine_has_stiffness(&plan->force);
    plan->reuse &= !mote_affine_has_damping(&plan->acceleration) && !mote_affine_has_damping(&plan->force);
    plan->rest = plan->point_count || plan->callback_count || plan->inbox;
    mote_scheme_coefficients(plan->scheme, plan->h, &plan->c);
    if (plan->scheme->family == MOTE_FAMILY_MAP) make_map(plan);
    for (uint32_t i = 0; i < plan->stages; i++) {
        double factor = plan->scheme->kick[i] * plan->h;
        plan->evaluation[i] = (mote_evaluation){scaled(&plan->acceleration, factor), scaled(&plan->force, factor),
                                                (float)factor};
    }
}

void mote_plan_particle_map(const mote_plan *plan, float inverse_mass, mote_map map[3]) {
    mote_affine sum = plan->acceleration;
    mote_affine_add(&sum, &plan->force, (double)inverse_mass);
    for (int axis = 0; axis < 3; axis++)
        map[axis] = mote_map_exact_flow(sum.constant[axis], sum.damping[axis], sum.stiffness[axis], plan->h);
}
