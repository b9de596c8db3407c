/* Plan: all data that the kernels need for a step, computed before the first particle is processed. */
#ifndef MOTE_STAGE_PLAN_H
#define MOTE_STAGE_PLAN_H

#include <mote/force.h>

#include "forces/affine.h"
#include "integrators/scheme.h"

/* Affine term times kick x h, as floats. */
typedef struct mote_affine_stage {
    float constant[3], damping[3], stiffness[3];
} mote_affine_stage;

/* Constants of one evaluation: dv = acceleration term + inverse mass x force term + kick_h x (all other
 * forces). */
typedef struct mote_evaluation {
    mote_affine_stage acceleration, force;
    float kick_h;
} mote_evaluation;

/* Force mix: the forces besides affine ones. The kernels are compiled for each case. Four cases are
 * specialised before the loop, for the integrators that support them. Drag: affine forces that do not read
 * the position, with uniform mass, under semi-implicit Euler. One attractor, with constant forces and uniform
 * mass; or a few (0 to MOTE_MAX_SETTLED_ATTRACTORS), with quadratic drags (0 to MOTE_MAX_SETTLED_DRAGS), any
 * affine forces: under all but integrators of velocity fields, and maps with masses. Under splitting
 * integrators these with a few others too (0 to MOTE_MAX_SETTLED_OTHERS of each kind): constant forces in
 * regions, and any that read neither time nor anchors. Noise: curl noise without a region, with any affine
 * forces and uniform mass, under splitting integrators. */
typedef enum mote_force_mix {
    MOTE_MIX_AFFINE,
    MOTE_MIX_DRAG,
    MOTE_MIX_ONE_ATTRACTOR,
    MOTE_MIX_FEW_ATTRACTORS,
    MOTE_MIX_NOISE,
    MOTE_MIX_ANY,
    MOTE_MIX_COUNT
} mote_force_mix;
#define MOTE_MAX_SETTLED_ATTRACTORS 8
#define MOTE_MAX_SETTLED_DRAGS      4
#define MOTE_MAX_SETTLED_OTHERS     4

typedef struct mote_plan {
    const mote_scheme *scheme;
    double start_time, timestep, h; /* step n begins at start_time + n timestep */
    uint32_t substeps, stages;
    mote_coefficients c;
    mote_evaluation evaluation[MOTE_MAX_STAGES];

    bool mass_column;
    float inverse_mass;                           /* inverse mass without a column */
    float drag_rate;                              /* largest c |v - u| / m of quadratic drag, 1/s */
    bool stiff_acceleration, damped_acceleration; /* acceleration term depends on x, on v */
    bool affine_force; /* force term is not zero; with uniform mass it is folded into the acceleration */
    bool stiff_force;
    bool external_forces; /* host forces act in this step */
    bool collides;        /* contacts with colliders end substeps */
    bool newtons;         /* an inline force, a callback or the external forces are in N */
    mote_force_mix mix;
    bool timed;         /* inline forces read the time */
    bool anchors;       /* forces read the particles' anchors */
    bool reuse;         /* forces do not read velocity: the last evaluation of a substep opens the next */
    bool particle_maps; /* affine map depends on the particle's mass */
    bool reaches_range; /* callbacks read other particles */

    mote_affine acceleration, force; /* unscaled, in double */
    const mote_force_def *forces;    /* forces in order; the kernels read the inline ones from it */
    /* Those of them that settled kernels evaluate beside attractors and drags: constant ones in regions, and
     * the rest by calls. */
    const mote_force_def *lift[MOTE_MAX_SETTLED_OTHERS], *called[MOTE_MAX_SETTLED_OTHERS];
    uint32_t lift_count, called_count;
    uint32_t force_count, point_count, callback_count;
    double work; /* ns that one thread takes for a step of a particle (base/work.h) */
} mote_plan;

/* Parameters of a plan. */
typedef struct mote_plan_def {
    mote_integrator integrator;
    const mote_force_def *forces; /* checked; must outlive the plan */
    uint32_t force_count;
    double start_time, timestep;
    uint32_t substeps;
    bool mass_column;
    double mass;
    bool external_forces;
    bool anchors;  /* particles have anchors */
    bool coupled;  /* forces between the particles also act, as kicks */
    bool collides; /* contacts with colliders end substeps */
} mote_plan_def;

void mote_plan_make(mote_plan *plan, const mote_plan_def *def);

/* Checks that the integrator can step the force. Errors: INTEGRATOR for a velocity field without an advecting
 * integrator or the reverse, and for position Verlet with a callback that reaches the range; ABSENT for a
 * force that needs anchors without an anchor column. *name receives the field. */
mote_result mote_plan_accepts(mote_integrator integrator, const mote_force_def *def, bool anchors,
                              const char **name);

/* Checks the forces together. Error: INTEGRATOR for exact flow with only callbacks, where nothing would be
 * exact. */
mote_result mote_plan_can_step(mote_integrator integrator, const mote_force_def *forces, uint32_t count);

/* Makes a plan that only kicks, v += fraction h a(x, v) once, with h the substep of the def. The def must be
 * that of a plan that can step. */
void mote_plan_make_kick(mote_plan *plan, const mote_plan_def *def, double fraction);

/* Returns the view of `count` slots from `first` on; without inverse masses, ids and range columns. */
mote_stage_view mote_stage_view_make(double time, uint32_t first, uint32_t count, float *const x[3],
                                     float *const v[3]);

/* Calls the callbacks of a plan for the slots of `view` and sums their results, set to 0 before in whole lane
 * groups. reach: the view of those that reach the range; NULL: they are not called. */
void mote_plan_call(const mote_plan *plan, const mote_stage_view *view, const mote_stage_view *reach,
                    float *const acceleration[3], float *const force[3]);

/* Returns true if some force is a callback that reads other particles. */
bool mote_forces_reach_range(const mote_force_def *forces, uint32_t count);

/* Returns true if all forces are affine and have no region. */
bool mote_forces_are_affine(const mote_force_def *forces, uint32_t count);

/* Computes the affine maps of a particle with its own mass, for plan->particle_maps. */
void mote_plan_particle_map(const mote_plan *plan, float inverse_mass, mote_map map[3]);

/* Returns the weight (s) of a stage's forces in the impulse of the substep. */
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

/* Returns mote_scheme_held_time in s, of the substeps of the plan. */
MOTE_INLINE float mote_plan_held_time(const mote_plan *plan) {
    return (float)(mote_scheme_held_time(plan->scheme) * plan->h);
}

/* Returns the time of a stage: step n, substep s of it, fraction c of that. */
MOTE_INLINE double mote_plan_time(const mote_plan *plan, uint64_t step, uint32_t substep, double fraction) {
    return plan->start_time +
           ((double)step + ((double)substep + fraction) / (double)plan->substeps) * plan->timestep;
}

#endif
