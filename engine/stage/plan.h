/* The plan: all that the kernels need to know of a step, worked out before the first particle is touched. */
#ifndef MOTE_STAGE_PLAN_H
#define MOTE_STAGE_PLAN_H

#include <mote/force.h>

#include "forces/affine.h"
#include "integrators/scheme.h"

/* An affine term times kick x h, as floats. */
typedef struct mote_affine_stage {
    float constant[3], damping[3], stiffness[3];
} mote_affine_stage;

/* The constants of one evaluation: dv = acceleration term + inverse mass x force term + kick_h x (all other
 * forces). */
typedef struct mote_evaluation {
    mote_affine_stage acceleration, force;
    float kick_h;
} mote_evaluation;

/* What there is besides affine forces. The kernels are compiled for each case: attractors, the commonest, are
 * evaluated without a call, and a call makes the compiler keep every register in memory (measured: three
 * times the time). Three kinds are settled before the loop, for uniform mass and the integrators that have
 * them. Drag: affine forces that do not read the position, under semi-implicit Euler. One pull, or several:
 * attractors, at most MOTE_MAX_SETTLED_ATTRACTORS, beside affine forces that are constant. */
typedef enum mote_force_mix {
    MOTE_MIX_AFFINE,
    MOTE_MIX_DRAG,
    MOTE_MIX_ONE_ATTRACTOR,
    MOTE_MIX_FEW_ATTRACTORS,
    MOTE_MIX_ATTRACTORS,
    MOTE_MIX_ANY,
    MOTE_MIX_COUNT
} mote_force_mix;
#define MOTE_MAX_SETTLED_ATTRACTORS 8

typedef struct mote_plan {
    const mote_scheme *scheme;
    double start_time, timestep, h; /* step n begins at start_time + n timestep */
    uint32_t substeps, stages;
    mote_coefficients c;
    mote_evaluation evaluation[MOTE_MAX_STAGES];

    bool mass_column;
    float inverse_mass;      /* where there is no column */
    bool stiff_acceleration; /* the term has a part in x */
    bool affine_force;       /* the force term is not zero; folded into the other where the mass is uniform */
    bool stiff_force;
    bool external_forces; /* the host's forces act in this step */
    bool newtons;         /* an inline force, a callback or the inbox gives N */
    mote_force_mix mix;
    bool timed;         /* an inline force reads the time */
    bool anchors;       /* a force reads the particles' anchors */
    bool reuse;         /* no force reads velocity: the last evaluation of a substep opens the next */
    bool particle_maps; /* the affine map depends on the particle's mass */
    bool reaches_range; /* a callback reads other particles */

    mote_affine acceleration, force; /* unscaled, in double */
    const mote_force_def *forces;    /* in order; the kernels take the point forces from it */
    uint32_t force_count, point_count, callback_count;
} mote_plan;

/* What a plan is made from. */
typedef struct mote_plan_def {
    mote_integrator integrator;
    const mote_force_def *forces; /* checked; must outlive the plan */
    uint32_t force_count;
    double start_time, timestep;
    uint32_t substeps;
    bool mass_column;
    double uniform_mass;
    bool external_forces;
    bool anchors; /* the particles have some */
    bool coupled; /* forces between the particles act too, as kicks */
} mote_plan_def;

void mote_plan_make(mote_plan *plan, const mote_plan_def *def);

/* MOTE_ERROR_INTEGRATOR where the integrator cannot step the force: a velocity field without an advecting
 * integrator or the reverse, position Verlet with a callback that reaches the range; MOTE_ERROR_ABSENT where
 * the force needs anchors and there are none. */
mote_result mote_plan_accepts(mote_integrator integrator, const mote_force_def *def, bool anchors);

/* MOTE_ERROR_INTEGRATOR for exact flow with callbacks alone: nothing in it would be exact. */
mote_result mote_plan_can_step(mote_integrator integrator, const mote_force_def *forces, uint32_t count);

/* A plan that only kicks: v += fraction h a(x, v) once, for a span of one step. Made from the def of a
 * steppable plan. */
void mote_plan_make_kick(mote_plan *plan, const mote_plan_def *def, double fraction);

/* A plan that is one exact flow over def->timestep, however the def's integrator steps. All forces must be
 * affine. */
void mote_plan_make_flow(mote_plan *plan, const mote_plan_def *def);

/* Whether some force is a callback that reads other particles. */
bool mote_forces_reach_range(const mote_force_def *forces, uint32_t count);

/* Whether all forces are affine and act everywhere. */
bool mote_forces_are_affine(const mote_force_def *forces, uint32_t count);

/* The affine maps of a particle with its own mass, for plan->particle_maps. */
void mote_plan_particle_map(const mote_plan *plan, float inverse_mass, mote_map map[3]);

/* The seconds for which the forces of a stage count in the end. */
MOTE_INLINE float mote_plan_weight(const mote_plan *plan, uint32_t stage) {
    switch (plan->scheme->family) {
    case MOTE_FAMILY_RUNGE_KUTTA:
        return plan->c.weight[stage] * plan->c.h;
    case MOTE_FAMILY_VERLET:
        return 0.5f * plan->c.h;
    default:
        return plan->evaluation[stage].kick_h;
    }
}

/* The time of a stage: step n, substep s of it, fraction c of that. */
MOTE_INLINE double mote_plan_time(const mote_plan *plan, uint64_t step, uint32_t substep, double fraction) {
    return plan->start_time +
           ((double)step + ((double)substep + fraction) / (double)plan->substeps) * plan->timestep;
}

#endif
