/* Roots that turn. The matrix of the bending knows a joint that is curved at rest as a chord b |dt[k] -
 * dt[k-1]|^2 (rod.h), which resists a turn of the rod as a whole: a curl stood behind its root by an angle of
 * the order of h w (kappa L)^2, at any stiffness. So in the substep in which its root turns by d a rod with
 * frames is taken to turn by d too, and the matrix resists what it does beside that. A turn by d changes t[k]
 * by d x t[k] and the angle about t[k] by d . t[k]; the gradient of the energy turns with the rod. So what
 * the matrices find for this turn is taken from the gradients of joint k,
 *
 *     of t[k] and of t[k-1]:      -b d x (t[k] - t[k-1]) and its opposite,
 *     of th[k]:                   -((b' S + g C) d . t[k] - (g C - b' S) d . t[k-1]),
 *     of th[k-1]:                 the same with k and k - 1 exchanged,
 *
 * and d x (gradient) is added. The first joint has the root's frame at the end of the substep, so that its
 * gradient turns the rod; of what the matrix finds for it only the part beyond its own stiffnesses is taken.
 * All this depends on the root alone, so that it changes no frequency and no damping. */
#ifndef MOTE_STRANDS_ROD_LEAD_H
#define MOTE_STRANDS_ROD_LEAD_H

#include "strands/rod_frames.h"
#include "strands/work.h"

/* The turns of the roots in the substep and in the part, rad. */
typedef struct rod_lead {
    wide3 whole, turn;
    wide rate;  /* 1/s: 1 / h of the substep */
    bool leads; /* some root of the lane group turns */
} rod_lead;

/* What joint k + 1 adds to the gradient of t[k] and to the moment about it. */
typedef struct rod_led {
    wide3 couple;
    wide torque;
} rod_led;

/* Takes what the matrix finds for the first joint beyond its own stiffnesses. q: the frame of segment 0. */
MOTE_INLINE wide3 rod_lead_first(wide3 couple, wide3 d, rod_joint j, wide stiffness, rod_frame q) {
    const wide one = wide_set(1.0f), zero = {0};
    wide3 ignored;
    const wide x = wide3_dot(d, rod_across(q, one, zero, &ignored)),
               y = wide3_dot(d, rod_across(q, zero, one, &ignored));
    const wide across = (stiffness - j.across) * y, bend = (stiffness - j.bend) * x;
    return wide3_sub(couple, rod_across(q, across, zero - bend, &ignored));
}

/* Adds the turn of the root to joint k between the frames `from` and q. stiffness: b of the matrix. */
MOTE_INLINE void rod_lead_joint(rod_turned *joint, const rod_lead *lead, rod_joint j, wide stiffness,
                                rod_frame from, rod_frame q, bool first, rod_led *led) {
    const wide3 d = lead->turn, t = joint->tangent, before = rod_direction(from);
    const wide_mask leads = wide_less((wide){0}, wide3_dot(d, d));
    wide3 couple = wide3_add(wide3_add(joint->couple, wide3_cross(d, joint->couple)), led->couple);
    wide torque = joint->torque + led->torque;
    if (!first) {
        const wide diagonal = joint->sine + joint->cosine, other = joint->cosine - joint->sine,
                   own = wide3_dot(d, t), back = wide3_dot(d, before);
        led->couple = wide3_scale(stiffness, wide3_cross(d, wide3_sub(t, before)));
        led->torque = other * own - diagonal * back;
        couple = wide3_sub(couple, led->couple);
        torque += other * back - diagonal * own;
    }
    if (first) couple = rod_lead_first(couple, d, j, stiffness, q);
    joint->couple = wide3_select(leads, couple, joint->couple);
    joint->torque = wide_select(leads, torque, joint->torque);
}

MOTE_INLINE rod_lead rod_lead_of(const strand_work *w, size_t lane) {
    const wide3 whole = {wide_load(w->lead[0] + lane), wide_load(w->lead[1] + lane),
                         wide_load(w->lead[2] + lane)};
    return (rod_lead){whole, whole, wide_set((float)(1.0 / w->job->plan->h)), w->leads};
}

/* Finds the turns of the roots since the last call or the beginning of the step: twice the vector of the
 * quaternion, of which q and -q are one. Only clamped roots of rods without pins lead: others do not take the
 * rod with them (led, a ring that its ends twist buckles too early). */
MOTE_OUTLINE void find_lead(strand_work *w) {
    const mote_strands_def *def = &w->job->strands->def;
    w->leads = false;
    if (!w->job->strands->frame[0] || def->free_roots || def->hinged_roots) return;
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        wide from[4], to[4];
        wide_mask pinned = (wide_mask){0};
        for (uint32_t k = 1; w->c.pins && k < w->points; k++)
            pinned |= wide_equal(point_mass(&w->c, strand_at(k, lane)), (wide){0}) &
                      lanes_beyond(wide_mask_load(w->c.counts + lane), k);
        for (int i = 0; i < 4; i++) {
            from[i] = wide_load(w->arrived[i] + lane), to[i] = wide_load(w->root_rotation[i] + lane);
            wide_store(w->arrived[i] + lane, to[i]);
        }
        const wide3 a = {from[0], from[1], from[2]}, b = {to[0], to[1], to[2]};
        const wide lengths = (wide3_dot(a, a) + from[3] * from[3]) * (wide3_dot(b, b) + to[3] * to[3]);
        const wide cosine = wide3_dot(a, b) + from[3] * to[3], scale = wide_set(2.0f) / wide_sqrt(lengths);
        const wide3 vector = wide3_sub(wide3_sub(wide3_scale(from[3], b), wide3_scale(to[3], a)),
                                       wide3_cross(b, a)),
                    turn = wide3_scale(wide_select(wide_less(cosine, (wide){0}), (wide){0} - scale, scale),
                                       vector);
        const wide_mask turns = ~pinned & wide_less((wide){0}, wide3_dot(turn, turn));
        const wide3 lead = wide3_select(turns, turn, wide3_zero());
        wide_store(w->lead[0] + lane, lead.x);
        wide_store(w->lead[1] + lane, lead.y);
        wide_store(w->lead[2] + lane, lead.z);
        if (wide_lane_bits(turns)) w->leads = true;
    }
}

#endif
