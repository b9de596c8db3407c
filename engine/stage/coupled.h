/* Kick of a point of strands or networks in one stage: affine forces, spring forces, other forces. */
#ifndef MOTE_STAGE_COUPLED_H
#define MOTE_STAGE_COUPLED_H

#include "stage/stage.h"

/* Affine forces of a stage, as a local copy: the compiler then knows that no store changes them. */
typedef struct mote_coupled_affine {
    const mote_plan *plan;
    mote_evaluation evaluation;
    bool stiff_acceleration, force, stiff_force;
} mote_coupled_affine;

/* Constants of an instance. others: forces act besides springs and affine forces; callbacks: mote_external
 * holds their sums, and those of links; uncoupled: springs give impulses, each computed as if it were the
 * only spring. */
typedef struct mote_coupled_instance {
    mote_family family;
    bool others, callbacks, uncoupled;
} mote_coupled_instance;

MOTE_INLINE mote_coupled_affine mote_coupled_affine_of(const mote_plan *plan, uint32_t stage) {
    return (mote_coupled_affine){plan, plan->evaluation[stage], plan->stiff_acceleration, plan->affine_force,
                                 plan->stiff_force};
}

MOTE_INLINE wide3 mote_affine_kick(const mote_coupled_affine *own, const mote_lanes *s, wide inverse_mass) {
    wide3 dv = mote_affine_evaluate(&own->evaluation.acceleration, own->stiff_acceleration, s);
    if (!own->force) return dv;
    return wide3_add_scaled(dv, inverse_mass,
                            mote_affine_evaluate(&own->evaluation.force, own->stiff_force, s));
}

/* Returns dv = kick h a of one register: affine forces; `force`, N, of the springs; if `others`, inline
 * forces and the sums of callbacks. */
MOTE_INLINE wide3 mote_coupled_kick(const mote_coupled_affine *own, mote_coupled_instance of, double time,
                                    const mote_lanes *s, const mote_external *external, wide3 force) {
    const mote_plan *plan = own->plan;
    const wide inverse_mass = external->inverse_mass;
    const bool callbacks = of.others && of.callbacks;
    wide3 sum;
    if (callbacks) force = wide3_add(force, external->force);
    if (of.others && plan->point_count) {
        const mote_force_sum inline_forces =
            mote_inline_evaluate(plan, time, s, external->anchor, inverse_mass);
        sum =
            wide3_add_scaled(inline_forces.acceleration, inverse_mass, wide3_add(inline_forces.force, force));
    } else {
        sum = wide3_scale(inverse_mass, force);
    }
    if (callbacks) sum = wide3_add(sum, external->acceleration);
    wide3 kick = wide3_scale(wide_set(own->evaluation.kick_h), sum);
    if (!FOLDS_AFFINE(of.family)) return kick;
    return wide3_add(mote_affine_kick(own, s, inverse_mass), kick);
}

#endif
