/* What strands and networks share of a stage: the kick of a point by affine forces, by what it is coupled to,
 * and by all else. */
#ifndef MOTE_STAGE_COUPLED_H
#define MOTE_STAGE_COUPLED_H

#include "stage/stage.h"

/* The affine forces of a stage: a copy of one's own, which no store can be suspected of changing. */
typedef struct coupled_affine {
    const mote_plan *plan;
    mote_evaluation evaluation;
    bool stiff_acceleration, force, stiff_force;
} coupled_affine;

MOTE_INLINE coupled_affine affine_of(const mote_plan *plan, uint32_t stage) {
    return (coupled_affine){plan, plan->evaluation[stage], plan->stiff_acceleration, plan->affine_force,
                            plan->stiff_force};
}

MOTE_INLINE wide3 affine_kick(const coupled_affine *own, const mote_lanes *s, wide inverse_mass) {
    wide3 dv = mote_affine_evaluate(&own->evaluation.acceleration, own->stiff_acceleration, s);
    if (!own->force) return dv;
    return wide3_add_scaled(dv, inverse_mass,
                            mote_affine_evaluate(&own->evaluation.force, own->stiff_force, s));
}

/* dv = kick h a of one register: affine forces; `force`, by what it is coupled to; where `others`, inline
 * forces, and callbacks' sums, in external->acceleration and external->force. */
MOTE_INLINE wide3 coupled_kick(const coupled_affine *own, mote_family family, bool others, bool callbacks,
                               double time, const mote_lanes *s, const mote_external *external, wide3 force) {
    const mote_plan *plan = own->plan;
    const wide inverse_mass = external->inverse_mass;
    wide3 sum;
    if (others && callbacks) force = wide3_add(force, external->force);
    if (others && plan->point_count) {
        mote_force_sum push;
        mote_inline_evaluate(plan, MOTE_MIX_ANY, time, s, external, &push, 1);
        sum = wide3_add_scaled(push.acceleration, inverse_mass, wide3_add(push.force, force));
    } else {
        sum = wide3_scale(inverse_mass, force);
    }
    if (others && callbacks) sum = wide3_add(sum, external->acceleration);
    wide3 kick = wide3_scale(wide_set(own->evaluation.kick_h), sum);
    if (!FOLDS_AFFINE(family)) return kick;
    return wide3_add(affine_kick(own, s, inverse_mass), kick);
}

#endif
