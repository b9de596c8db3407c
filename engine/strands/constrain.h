/* A substep of constrained strands: impulses (impulse.h) where no collider is near, in parts where the whole
 * is unstable; else first order (step.h). */
#ifndef MOTE_STRANDS_CONSTRAIN_H
#define MOTE_STRANDS_CONSTRAIN_H

#include "strands/rod_step.h"

/* Copies the state of all lanes to the columns `keep`. */
MOTE_OUTLINE void keep_state(const strand_work *w, const int keep[2], size_t lane) {
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
        work_store3(&w->c, keep[0], at, work_load3(&w->c, WORK_X, at));
        work_store3(&w->c, keep[1], at, work_load3(&w->c, WORK_V, at));
    }
}

/* Returns h a of the second point in the middle of the part. */
MOTE_INLINE wide3 second_kick(const strand_columns *c, const strand_part *p, size_t lane) {
    const size_t at = lane + MOTE_GROUP;
    return free_kick(c, p, work_point(c, at), point_mass(c, at), at);
}

/* Steps the lanes of `lanes`, whose whole substep is unstable, in parts. */
MOTE_OUTLINE void step_in_parts(strand_work *w, const mote_coupled_affine *own, wide_mask lanes,
                                size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const uint32_t units = 1u << scheme_of(w->job->strands->def.solver).halvings;
    const strand_bounds t = bounds_of(w, lane);
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    strand_part p = part_of(w, own, lane);
    strand_halving s;
    for (size_t i = 0; i < MOTE_GROUP; i++) s.done[i] = 0, s.size[i] = s.most[i] = (int32_t)units;
    wide_mask left = next_parts(w, &s, units, lanes, (wide_mask){0}, &p);
    while (wide_lane_bits(left)) {
        const impulse_turns turns = eliminate_any(c, &p, t.counts, lane);
        const wide stiffness = impulse_substitute(c, &p, lane);
        const wide_mask unstable = turns.turns | wide_less(wide_set(p.largest), stiffness);
        const wide_mask last = smallest_parts(&s), first = left & unstable & last;
        const wide_mask moved = left & ~unstable;
        const wide3 kick = keeps ? second_kick(c, &p, lane) : wide3_zero();
        keep_state(w, part_start, lane);
        const impulse_outcome outcome = move_any(c, &t, &p, moved, lane);
        if (wide_lane_bits(first)) {
            impulse_predict(c, &p, first, part_start, lane);
            count_lanes(w->job->strands->fallbacks + w->lane + lane, first);
        }
        count_lanes(w->job->strands->iterations + w->lane + lane, left);
        const wide_mask wrong = (moved & outcome.strained) | first;
        if (keeps) add_deficit(w, moved, outcome.lost, lane);
        if (wide_lane_bits(wrong)) {
            const wide3 moments = keeps ? sum_moments(w, lane) : wide3_zero();
            hold_part(w, &p, wrong, first, lane);
            if (keeps) add_correction_work(w, &p, wrong & ~first, moments, kick, lane);
        }
        left = next_parts(w, &s, units, left, moved | first, &p);
    }
}

/* Corrects the lengths of the lanes; conserving strands count the work of the accelerations over that. kick:
 * of the second point. */
MOTE_OUTLINE void correct_strained(strand_work *w, const strand_part *p, wide_mask strained,
                                   wide_mask fast_turn, wide3 kick, size_t lane) {
    const strand_columns *c = &w->c;
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING && wide_lane_bits(fast_turn);
    const wide3 moments = keeps ? sum_moments(w, lane) : wide3_zero();
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP)
        work_store3(c, IMPULSE_FROM, at, work_load3(c, WORK_X, at));
    correct_lengths(w, strained, lane);
    if (keeps) add_correction_work(w, p, strained & fast_turn, moments, kick, lane);
}

/* Selects the instance; regular: for the whole substep of regular lanes with the same kick. */
MOTE_INLINE impulse_turns find_impulses(const strand_work *w, const strand_part *p, bool regular,
                                        size_t lane) {
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    return (!regular ? eliminate_any
            : keeps  ? eliminate_conserving_rope
                     : eliminate_rope)(&w->c, p, wide_mask_load(w->c.counts + lane), lane);
}

MOTE_INLINE impulse_outcome apply_impulses(const strand_work *w, const strand_part *p, bool regular,
                                           wide_mask moving, size_t lane) {
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    const strand_bounds t = bounds_of(w, lane);
    return (!regular ? move_any : keeps ? move_conserving_rope : move_rope)(&w->c, &t, p, moving, lane);
}

/* Steps the lanes of `live` by impulses. The pinned points of all lanes arrive, so that the planes found
 * afterwards do not depend on neighbours. */
MOTE_INLINE void step_by_impulses(strand_work *w, const mote_coupled_affine *own, wide_mask live,
                                  size_t lane) {
    const strand_columns *c = &w->c;
    const strand_part p = part_of(w, own, lane);
    const bool regular = w->regular && same_kicks(w, own),
               keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    const impulse_turns turns = find_impulses(w, &p, regular, lane);
    const wide stiffness = impulse_substitute(c, &p, lane);
    const wide_mask unstable = live & (turns.turns | wide_less(wide_set(p.largest), stiffness));
    const wide_mask unsplittable = unstable & wide_less(wide_set(p.unsplittable), stiffness),
                    parted = unstable & ~unsplittable;
    const bool whole = wide_lane_bits(unstable) == 0;
    const wide3 kick = keeps ? second_kick(c, &p, lane) : wide3_zero();
    if (!whole) keep_state(w, substep_start, lane);
    const impulse_outcome outcome = apply_impulses(w, &p, regular && whole, live & ~unstable, lane);
    const wide_mask strained = live & ~unstable & outcome.strained;
    count_lanes(w->job->strands->iterations + w->lane + lane, live);
    if (keeps) add_deficit(w, live & ~unstable, outcome.lost, lane);
    if (wide_lane_bits(strained)) correct_strained(w, &p, strained, turns.fast_turn, kick, lane);
    if (wide_lane_bits(parted)) step_in_parts(w, own, parted, lane);
    if (wide_lane_bits(unsplittable)) impulse_predict(c, &p, unsplittable, substep_start, lane);
    arrive(w, lane);
    if (wide_lane_bits(unsplittable)) {
        count_lanes(w->job->strands->fallbacks + w->lane + lane, unsplittable);
        (void)hold_rigid(w, unsplittable, lane);
    }
}

/* Copies the state of all lanes to the columns of the substep's start and gives them the prediction of first
 * order, as impulse_predict does. */
MOTE_OUTLINE void keep_and_predict(const strand_work *w, const mote_coupled_affine *own, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    strand_part p = part_of(w, own, lane);
    p.drift = (wide){0};
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        const strand_point a = work_point(c, at);
        const wide3 v = wide3_add(a.v, free_kick(c, &p, a, point_mass(c, at), at));
        work_store3(c, substep_start[0], at, a.x);
        work_store3(c, substep_start[1], at, a.v);
        work_store3(c, WORK_V, at, v);
        work_store3(c, WORK_X, at, wide3_add_scaled(a.x, p.h, v));
    }
    arrive(w, lane);
}

/* Gives the lanes the prediction of first order. */
MOTE_INLINE void predict(const strand_work *w, const mote_coupled_affine *own, wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c;
    strand_part p = part_of(w, own, lane);
    p.drift = (wide){0};
    impulse_predict(&columns, &p, lanes, substep_start, lane);
    arrive(w, lane);
}

MOTE_INLINE void drift_back(const strand_work *w) {
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH)
        work_store3(&w->c, WORK_X, at, work_load3(&w->c, WORK_START, at));
}

/* Constrains the lanes over a substep. Lanes near a collider, overstretched strands and compliant ones take a
 * step of first order. The others are stepped by impulses; lanes that these bring near a collider are
 * reverted to a step of first order. */
MOTE_INLINE void constrain(strand_work *w, uint32_t substep, size_t lane) {
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const mote_strands *strands = w->job->strands;
    const bool soft = is_soft(w), colliders = w->job->collider_count != 0;
    const wide_mask live = wide_mask_load(w->live + lane), every = ~(wide_mask){0};
    if (strands->joint_stiffness) {
        constrain_rods(w, &own, substep, live, lane);
        return;
    }
    wide_mask near = soft ? every : (wide_mask){0};
    if (w->group->span_count) near |= wide_mask_load(w->overstretched + lane);
    const bool some_near = colliders || wide_lane_bits(near) != 0;
    if (some_near) {
        keep_and_predict(w, &own, lane);
        near |= lanes_near(w, substep, lane);
    }
    if (wide_lane_bits(live & ~near)) {
        if (some_near) {
            impulse_undo(&w->c, every, substep_start, lane);
            impulse_copy_reaction(&w->c, WORK_REACTION, IMPULSE_REACTED, every, lane);
        }
        step_by_impulses(w, &own, live & ~near, lane);
        if (some_near) {
            predict(w, &own, near, lane);
            const wide_mask fresh = lanes_near(w, substep, lane) & ~near;
            if (wide_lane_bits(fresh)) {
                predict(w, &own, fresh, lane);
                impulse_copy_reaction(&w->c, IMPULSE_REACTED, WORK_REACTION, fresh, lane);
            }
            near |= fresh;
        }
    }
    if (strands->def.solver == MOTE_STRAND_CONSERVING)
        restore_due_energy(w, live & ~near, substep + 1 == w->job->plan->substeps, lane);
    const bool buried = colliders && w->contacts.buried;
    if (rubs(w) && wide_lane_bits(live & ~near)) forget_contacts(&w->c, live & ~near, lane);
    if (wide_lane_bits(live & near)) hold_near(w, substep, live & near, lane);
    if (buried && substep + 1 == w->job->plan->substeps)
        count_buried(w, substep, live & near, w->job->strands->buried + w->lane + lane, lane);
}

#endif
