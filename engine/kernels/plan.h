/* The plan: all that the kernels need to know of a step, worked out before the first particle is touched. */
#ifndef MOTE_KERNELS_PLAN_H
#define MOTE_KERNELS_PLAN_H

#include <mote/force.h>

#include "forces/affine.h"
#include "integrators/scheme.h"

/* An affine term times kick x h, as floats. */
typedef struct mote_affine_stage {
    float constant[3], damping[3], stiffness[3];
} mote_affine_stage;

/* The constants of one evaluation: dv = acceleration term + inverse mass x force term + kick_h x (all other forces). */
typedef struct mote_evaluation {
    mote_affine_stage acceleration, force;
    float kick_h;
} mote_evaluation;

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
    bool inbox;              /* the host's forces act in this step */
    bool newtons;            /* a callback or the inbox gives N */
    bool rest;               /* some force is not affine */
    bool reuse;              /* no force reads velocity: the last evaluation of a substep opens the next */
    bool particle_maps;      /* the affine map depends on the particle's mass */
    bool reaches_range;      /* a callback reads other particles */

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
    bool inbox;
} mote_plan_def;

void mote_plan_make(mote_plan *plan, const mote_plan_def *def);

/* The affine maps of a particle with its own mass, for plan->particle_maps. */
void mote_plan_particle_map(const mote_plan *plan, float inverse_mass, mote_map map[3]);

/* The time of a stage: step n, substep s of it, fraction c of that. */
MOTE_INLINE double mote_plan_time(const mote_plan *plan, uint64_t step, uint32_t substep, double fraction) {
    return plan->start_time + ((double)step + ((double)substep + fraction) / (double)plan->substeps) * plan->timestep;
}

#endif
