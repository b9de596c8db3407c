/* Kinetic energy of strands that colliders push. The solve for lengths and contacts finds impulses without
 * bound where a straight strand is pushed along its length: its points have to go aside, and the first
 * displacement is the root of the way. Displacements stay; velocities get no more energy than the prediction
 * and the work of the colliders. */
#ifndef MOTE_STRANDS_PUSH_H
#define MOTE_STRANDS_PUSH_H

#include "strands/parts.h"

/* What colliders do to the strands of a register, which hold_contacts has just solved. */
typedef struct strand_push {
    wide_mask touches;
    wide3 v, normal;             /* m/s, of the collider at the first point that has a plane; of that plane */
    wide3 other_v, other_normal; /* of the first plane that makes a crease with it; 0: none does */
    wide work;                   /* J, twice the work of colliders */
    wide most;                   /* J, twice the kinetic energy up to which they do work */
} strand_push;

MOTE_INLINE strand_push push_none(void) {
    const wide3 none = wide3_zero();
    return (strand_push){(wide_mask){0}, none, none, none, none, (wide){0}, (wide){0}};
}

/* Colliders do work on a strand until it has the kinetic energy of a body of this many times their speed. */
#define STRAND_PUSHED 2.0f

/* Cosine of the normals of two planes below which they make a crease. */
#define STRAND_CREASE 0.985f

/* Returns the push of the lanes, of which some have planes, without its work. */
MOTE_OUTLINE strand_push push_of(const strand_work *w, wide_mask lanes, size_t lane) {
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    strand_push push = push_none();
    wide_mask creased = {0};
    for (uint32_t i = 0; i < plane_count(w); i++) {
        const strand_plane *plane = plane_at(&w->c, strand_at(w->contacts.point[i], lane));
        const wide_mask has = lanes & wide_less((wide){0}, wide3_dot(plane->normal, plane->normal)),
                        first = has & ~push.touches;
        push.v = wide3_select(first, wide3_scale(rate, plane->drift), push.v);
        push.normal = wide3_select(first, plane->normal, push.normal);
        push.touches |= has;
        const wide cosine = wide3_dot(plane->normal, push.normal);
        const wide_mask crease = has & ~creased & wide_less(cosine, wide_set(STRAND_CREASE));
        push.other_v = wide3_select(crease, wide3_scale(rate, plane->drift), push.other_v);
        push.other_normal = wide3_select(crease, plane->normal, push.other_normal);
        creased |= crease;
    }
    return push;
}

/* Finds the work of a push in axes that move with `base` (m/s). */
MOTE_OUTLINE void push_work(const strand_work *w, strand_push *push, wide3 base, wide_mask lanes,
                            size_t lane) {
    const strand_columns *c = &w->c;
    const strand_masses masses = masses_of(w, lane);
    const wide h = wide_set(w->job->plan->c.h), rate = wide_set((float)(1.0 / w->job->plan->h));
    const wide3 base_way = wide3_scale(h, base);
    wide mass = (wide){0}, work = (wide){0}, fastest = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) mass += moving_mass(c, &masses, k, strand_at(k, lane));
    for (uint32_t i = 0; i < plane_count(w); i++) {
        const uint32_t k = w->contacts.point[i];
        const size_t at = strand_at(k, lane);
        const strand_plane *plane = plane_at(c, at);
        if (w->contacts.state[k] != STRAND_IN_CONTACT) continue;
        const wide_mask held = lanes & plane->in_contact;
        const wide3 impulse = wide3_add_scaled(plane->tangent, plane->normal_impulse, plane->normal),
                    way = wide3_sub(plane->drift, base_way);
        const wide own = moving_mass(c, &masses, k, at) * wide3_dot(impulse, way);
        work += wide_select(held, own, (wide){0});
        fastest = wide_max(fastest, wide_select(held, wide3_dot(way, way), (wide){0}));
    }
    push->work = (rate + rate) * rate * wide_max(work, (wide){0});
    push->most = wide_set(STRAND_PUSHED * STRAND_PUSHED) * rate * rate * mass * fastest;
}

/* Returns twice the energy (J) that a strand of twice the energy `kinetic` may have after the push. */
MOTE_INLINE wide pushed_energy(const strand_push *push, wide kinetic) {
    return wide_max(kinetic, wide_min(kinetic + push->work, push->most));
}

/* Returns the part of the prediction of first order, whose forces act at its start. */
MOTE_INLINE strand_part predicted_part(const strand_work *w, const mote_coupled_affine *own, size_t lane) {
    strand_part p = part_of(w, own, lane);
    p.drift = (wide){0};
    return p;
}

/* Returns the velocity of the center of mass in the prediction of first order. */
MOTE_INLINE wide3 predicted_velocity(const strand_work *w, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const strand_masses masses = masses_of(w, lane);
    const strand_part p = predicted_part(w, &own, lane);
    wide3 sum = wide3_zero();
    wide whole = wide_set(0x1p-100f);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, WORK_START, at), work_load3(c, IMPULSE_OLD_V, at)};
        const wide mass = moving_mass(c, &masses, k, at);
        const wide3 v = wide3_add(a.v, free_kick(c, &p, a, point_mass(c, at), at));
        sum = wide3_add_scaled(sum, mass, wide3_select(wide_less((wide){0}, mass), v, wide3_zero()));
        whole += mass;
    }
    return wide3_scale(wide_set(1.0f) / whole, sum);
}

/* Returns the motion relative to which strands lose energy: that of frame_of, or where none of its points is
 * pinned that which its center of mass has along the plane in the prediction, and that of the collider which
 * pushes it across the plane. In a crease it is the motion along both planes: along one alone the other one
 * would do work. */
MOTE_OUTLINE strand_motion frame_of_push(const strand_work *w, const strand_push *push, size_t lane) {
    strand_motion frame = frame_of(w, lane);
    const wide_mask free = push->touches & ~has_pin(&w->c, lane);
    if (!wide_lane_bits(free)) return frame;
    const wide3 v = predicted_velocity(w, lane);
    const wide across = wide3_dot(push->normal, wide3_sub(push->v, v));
    const wide3 along = wide3_add_scaled(v, across, push->normal),
                second = wide3_sub(push->other_normal,
                                   wide3_scale(wide3_dot(push->normal, push->other_normal), push->normal));
    const wide square = wide3_dot(second, second),
               beside = wide3_dot(second, wide3_sub(push->other_v, along)),
               share = beside / wide_max(square, wide_set(STRAND_ONE_NORMAL));
    frame.v = wide3_select(free, wide3_add_scaled(along, share, second), frame.v);
    frame.w = wide3_select(free, wide3_zero(), frame.w);
    return frame;
}

/* Returns twice the kinetic energy, relative to the frame, of the prediction of first order; *kicks receives
 * that of the accelerations over h alone. */
MOTE_OUTLINE wide predicted_energy(const strand_work *w, const strand_motion *frame, wide *kicks,
                                   size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const strand_masses masses = masses_of(w, lane);
    const strand_part p = predicted_part(w, &own, lane);
    wide kinetic = (wide){0};
    *kicks = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, WORK_START, at), work_load3(c, IMPULSE_OLD_V, at)};
        const wide3 dv = free_kick(c, &p, a, point_mass(c, at), at),
                    u = wide3_sub(wide3_add(a.v, dv), motion_at(frame, a.x));
        const wide mass = moving_mass(c, &masses, k, at);
        const wide_mask moves = wide_less((wide){0}, mass);
        kinetic += wide_select(moves, mass * wide3_dot(u, u), (wide){0});
        *kicks += wide_select(moves, mass * wide3_dot(dv, dv), (wide){0});
    }
    return kinetic;
}

/* Returns twice the energy (J), relative to `base`, at the start with the work of the accelerations on the
 * ways of the points. */
MOTE_INLINE wide energy_of_ways(const strand_work *w, wide3 base, size_t lane) {
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const strand_part p = predicted_part(w, &own, lane);
    return wide_max(worked_energy(w, &p, substep_start, base, lane), (wide){0});
}

/* Returns twice the energy (J) that the lanes may have after their push, relative to *frame, which receives
 * frame_of_push; *kicks as in predicted_energy. */
MOTE_OUTLINE wide energy_of_push(const strand_work *w, wide_mask lanes, strand_motion *frame, wide *kicks,
                                 size_t lane) {
    strand_push push = push_of(w, lanes, lane);
    *frame = frame_of_push(w, &push, lane);
    push_work(w, &push, frame->v, lanes, lane);
    wide most = predicted_energy(w, frame, kicks, lane);
    if (!is_soft(w)) most = wide_min(most, energy_of_ways(w, frame->v, lane));
    return pushed_energy(&push, most);
}

/* A solve has run away where it needs this many times the energy that there is, and moves the points by this
 * share of a segment (rms). */
#define STRAND_RAN_AWAY 4.0f
#define STRAND_JUMP     0.25f

/* A strand that is reverted keeps at most the energy of this many times its accelerations over h: enough to
 * come out of the place where it stands, too little to gain anything there. */
#define STRAND_REVERTED 4.0f

/* Reverts the points of the lanes to the start of the substep, those of strands without a pin with the motion
 * of the frame. */
MOTE_COLD MOTE_OUTLINE void revert_points(const strand_work *w, const strand_motion *frame, wide_mask lanes,
                                          size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const wide h = wide_set(w->job->plan->c.h);
    const wide_mask counts = wide_mask_load(c->counts + lane), loose = ~has_pin(c, lane);
    const wide3 way = wide3_select(loose, wide3_scale(h, frame->v), wide3_zero());
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide_mask revert = lanes & wide_less((wide){0}, point_mass(c, at)) & lanes_beyond(counts, k);
        const wide3 start = wide3_add(work_load3(c, WORK_START, at), way);
        work_store3(c, WORK_X, at, wide3_select(revert, start, work_load3(c, WORK_X, at)));
    }
    const wide compliance = wide_load(w->job->strands->compliance + w->lane + lane);
    project_lengths(c, lanes & ~loose & wide_equal(compliance, (wide){0}), lane);
    if (w->job->strands->tension) forget_tensions(c, lanes, lane);
}

/* Reverts the lanes whose ways, over h, are motions of too much energy; returns them. most: twice what there
 * is, J. */
MOTE_INLINE wide_mask revert_jumps(const strand_work *w, const strand_motion *frame, wide most,
                                   wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    wide energy = (wide){0}, whole = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 start = work_load3(c, WORK_START, at), way = wide3_sub(work_load3(c, WORK_X, at), start),
                    u = wide3_sub(wide3_scale(rate, way), motion_at(frame, start));
        const wide mass = moving_mass(c, &masses, k, at);
        energy += wide_select(wide_less((wide){0}, mass), mass * wide3_dot(u, u), (wide){0});
        whole += mass;
    }
    const wide jump = (STRAND_JUMP * rate) * wide_load(w->longest + lane);
    const wide_mask jumped =
        lanes & wide_less(STRAND_RAN_AWAY * most, energy) & wide_less(whole * jump * jump, energy);
    if (wide_lane_bits(jumped)) revert_points(w, frame, jumped, lane);
    return jumped;
}

/* Returns the most, twice, J, that the lanes of `reverted` keep. */
MOTE_INLINE wide reverted_energy(wide most, wide kicks, wide_mask reverted) {
    return wide_select(reverted, wide_min(most, STRAND_REVERTED * STRAND_REVERTED * kicks), most);
}

/* Limits the kinetic energy of the lanes, which took hold_contacts more than a few iterations, to that of the
 * prediction and the work of colliders. Strands that are not solved do not jump; nor do those without a pin,
 * which nothing forces aside at once. bent: twice the bending energy of rods at the start, J; without it they
 * stayed in folds that contact had made, of 1.5 J (measured). */
MOTE_OUTLINE void limit_push(const strand_work *w, wide bent, wide_mask lanes, wide_mask unsolved,
                             size_t lane) {
    const strand_columns *c = &w->c;
    strand_motion frame;
    wide kicks;
    const wide most = energy_of_push(w, lanes, &frame, &kicks, lane);
    const wide_mask loose = ~has_pin(c, lane),
                    reverted = loose & revert_jumps(w, &frame, most + bent, unsolved | (lanes & loose), lane);
    const wide kinetic = energy_about(w, &frame, lane);
    limit_kinetic(w, &frame, kinetic, reverted_energy(most, kicks, reverted), lanes, lane);
}

/* Share of max_strain by which strains are not known when their energy is compared. */
#define STRAND_UNKNOWN 0.5f

/* Returns twice the elastic energy (J) that the segments have less than at the start of the substep; 0 of
 * rigid strands. *noise receives twice that by which it may be wrong. */
MOTE_ONCE wide released_energy(const strand_work *w, wide *noise, size_t lane) {
    const strand_columns *c = &w->c;
    const wide compliance = wide_load(w->job->strands->compliance + w->lane + lane), zero = {0};
    const wide unknown = wide_set(STRAND_UNKNOWN * w->job->strands->def.max_strain);
    const wide_mask counts = wide_mask_load(c->counts + lane), elastic = wide_less(zero, compliance);
    wide3 a = work_load3(c, WORK_X, lane);
    wide sum = zero, wrong = zero;
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 b = work_load3(c, WORK_X, at + MOTE_GROUP), d = wide3_sub(b, a);
        const wide before = work_load(c, WORK_STRAIN, at), length = work_load(c, WORK_LENGTH, at),
                   now = wide_sqrt(wide3_dot(d, d)) - length;
        const wide off = unknown * length;
        const wide_mask exists = lanes_beyond(counts, k + 1);
        sum += wide_select(exists, (before - now) * (before + now) + off * off, zero);
        wrong += wide_select(exists, off * wide_max(wide_abs(before), wide_abs(now)), zero);
        a = b;
    }
    const wide inverse = wide_select(elastic, wide_set(1.0f) / compliance, zero);
    *noise = (wrong + wrong) * inverse;
    return sum * inverse;
}

/* Limits the kinetic energy of compliant strands to that of the prediction, the work of colliders and what
 * their segments gave off. The solve exceeds it where points pass each other in the substep: lengths of the
 * other sign hold as well (measured: 133 times the energy in one substep). Strands whose segments took more
 * than there was are reverted, but not where pins do work. Free strands are scaled about their rigid motion,
 * of which the energy changes as they stretch: what there is is known in axes that do not turn. */
MOTE_OUTLINE void limit_recoil(const strand_work *w, wide_mask lanes, size_t lane) {
    const wide zero = {0};
    strand_push push = push_of(w, lanes, lane);
    const strand_motion frame = frame_of_push(w, &push, lane), still = {frame.center, frame.v, wide3_zero()};
    push_work(w, &push, frame.v, lanes, lane);
    wide kicks, noise;
    const wide predicted = predicted_energy(w, &still, &kicks, lane),
               released = released_energy(w, &noise, lane), most = pushed_energy(&push, predicted),
               whole = predicted + push.work + released,
               left = wide_min(whole, most + wide_max(released, zero)),
               turning = energy_about(w, &still, lane) - energy_about(w, &frame, lane);
    const wide_mask reverted =
        lanes & wide_less(left + noise, turning) & pins_move_together(w, frame.v, lane);
    if (wide_lane_bits(reverted)) revert_points(w, &frame, reverted, lane);
    const wide limit =
        reverted_energy(wide_select(reverted, most, wide_max(left, push.most)), kicks, reverted);
    limit_kinetic(w, &frame, energy_about(w, &frame, lane), wide_max(limit - turning, zero), lanes, lane);
}

/* Returns those of the lanes whose root is pinned and which have more kinetic energy relative to it than they
 * had, with the work of the accelerations and of the colliders. */
MOTE_OUTLINE wide_mask gaining(const strand_work *w, wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const strand_masses masses = masses_of(w, lane);
    const strand_part p = predicted_part(w, &own, lane);
    const wide3 base = work_load3(c, WORK_V, lane);
    const wide_mask rooted = lanes & wide_equal(point_mass(c, lane), (wide){0});
    wide before = (wide){0}, after = (wide){0};
    for (uint32_t k = 1; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, WORK_START, at), work_load3(c, IMPULSE_OLD_V, at)};
        const wide3 dv = free_kick(c, &p, a, point_mass(c, at), at),
                    is = wide3_sub(work_load3(c, WORK_V, at), base);
        const wide mass = moving_mass(c, &masses, k, at);
        const wide_mask moves = wide_less((wide){0}, mass);
        before += wide_select(moves, mass * worked_square(c, &p, a, dv, base, at), (wide){0});
        after += wide_select(moves, mass * wide3_dot(is, is), (wide){0});
    }
    const wide_mask more = rooted & wide_less(before, after);
    if (!wide_lane_bits(more)) return more;
    strand_push push = push_of(w, more, lane);
    push_work(w, &push, base, more, lane);
    return more & wide_less(pushed_energy(&push, wide_max(before, (wide){0})), after);
}

/* The same of the lanes whose root is free, relative to frame_of_push. */
MOTE_OUTLINE wide_mask free_ones_gaining(const strand_work *w, wide_mask lanes, size_t lane) {
    lanes &= wide_less((wide){0}, point_mass(&w->c, lane));
    if (!wide_lane_bits(lanes)) return lanes;
    strand_motion frame;
    wide kicks;
    const wide most = energy_of_push(w, lanes, &frame, &kicks, lane);
    return lanes & wide_less(most, energy_about(w, &frame, lane));
}

/* Returns those of the lanes whose energy is to be limited: with planes, those of `left`, which are not
 * solved, those that took many iterations, and those that gain; and strands between pins that lengthen
 * them. */
MOTE_INLINE wide_mask lanes_that_gain(const strand_work *w, wide_mask left, wide_mask lanes, size_t lane) {
    wide_mask gain = (wide_mask){0};
    if (w->group->span_count) gain = lanes & wide_mask_load(w->overstretched + lane);
    if (!has_planes(w)) return gain;
    gain |= (left | lanes_far(w, lanes)) & wide_mask_load(w->contacts.near);
    const wide_mask near = lanes & ~gain & wide_mask_load(w->contacts.near);
    if (!wide_lane_bits(near)) return gain;
    if (w->job->strands->def.free_roots) gain |= free_ones_gaining(w, near, lane);
    return gain | gaining(w, near, lane);
}

/* Projects the lanes. Limits the kinetic energy of those of `near` to what colliders have given them in the
 * solve, and the accelerations on the ways that are left: without this, strands that are put back where they
 * were in each substep got ever faster (measured: a rod among boxes 34 m/s after 4 s). */
MOTE_COLD MOTE_OUTLINE void project_near(const strand_work *w, uint32_t substep, wide_mask lanes,
                                         wide_mask near, size_t lane) {
    strand_push push = push_of(w, lanes, lane);
    const strand_motion frame = frame_of_push(w, &push, lane);
    push_work(w, &push, frame.v, lanes, lane);
    project_lanes(w, substep, lanes, lane);
    if (is_soft(w)) return;
    const wide most = pushed_energy(&push, energy_of_ways(w, frame.v, lane));
    limit_kinetic(w, &frame, energy_about(w, &frame, lane), most, lanes & near, lane);
}

/* Solves lanes among colliders to first order. Where a few iterations do not hold them, the energy of those
 * that have planes is limited; what is not solved then is projected. Strands that end the step with lengths
 * off for another reason, such as having gone back to a place where they were so, count as unsolved, too. */
MOTE_INLINE void hold_near(const strand_work *w, uint32_t substep, wide_mask lanes, size_t lane) {
    const wide_mask left = hold_contacts(w, lanes, lane),
                    near = has_planes(w) ? wide_mask_load(w->contacts.near) : (wide_mask){0};
    if (is_soft(w)) {
        limit_recoil(w, lanes & ~left, lane);
    } else {
        const wide_mask more = lanes_that_gain(w, left, lanes, lane);
        if (wide_lane_bits(more)) limit_push(w, (wide){0}, more, left & near, lane);
    }
    const wide_mask ends = lanes_to_project(w, substep, left);
    if (wide_lane_bits(ends)) project_near(w, substep, ends, near, lane);
    count_strained(w, ends & ~left, lane);
}

#endif
