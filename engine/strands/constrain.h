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

/* Returns h a, in the middle of the part, of the first point that is not pinned. */
MOTE_INLINE wide3 first_kick(const strand_work *w, const strand_part *p, size_t lane) {
    const strand_columns *c = &w->c;
    size_t at = strand_at(w->job->strands->def.free_roots ? 0 : 1, lane);
    wide3 kick = free_kick(c, p, work_point(c, at), point_mass(c, at), at);
    wide_mask pinned = wide_equal(point_mass(c, at), (wide){0});
    while (c->pins && wide_lane_bits(pinned) && (at += MOTE_GROUP) < strand_at(c->points, lane)) {
        const wide mass = point_mass(c, at);
        kick = wide3_select(pinned, free_kick(c, p, work_point(c, at), mass, at), kick);
        pinned &= wide_equal(mass, (wide){0});
    }
    return kick;
}

/* Takes the work of correct_lengths against the accelerations from the kinetic energy of the lanes, which pay
 * so for the way up that their lengths take. moments: sum of m x before; kick: see first_kick. */
MOTE_OUTLINE void pay_correction_work(const strand_work *w, const strand_part *p, wide_mask lanes,
                                      wide3 moments, wide3 kick, size_t lane) {
    strand_motion frame;
    const wide zero = {0};
    const wide work = correction_work(w, p, moments, kick, lane);
    const wide_mask up = lanes & wide_less(work, zero);
    if (!wide_lane_bits(up)) return;
    const wide kinetic = energy_in_frame(w, &frame, lane);
    limit_kinetic(w, &frame, kinetic, wide_max(kinetic + work, zero), up, lane);
}

/* Most iterations of settle_start: with one a bob of 500 times its rope's mass loses 42 % of a swing in 10 s,
 * with eight 2.8 % (conserving, 33 points, 8 substeps, measured). */
#define STRAND_SETTLING 8

/* Corrects the lengths of the lanes in the positions alone before a step of first order from the state in the
 * columns `keep`: what impulses left of a strain, over h, would be velocity and add energy. Lanes whose
 * lengths do not hold then keep their places. */
MOTE_OUTLINE void settle_start(const strand_work *w, const int keep[2], wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_parts_of of = {.gains = false};
    const strand_terms t = make_terms(w, of, lane);
    wide_mask left = lanes;
    for (int i = 0; i < STRAND_SETTLING && wide_lane_bits(left); i++) {
        count_lanes(w->job->strands->iterations + w->lane + lane, left);
        left = newton(c, &t, left, lane);
    }
    const wide_mask settled = lanes & ~left;
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        const wide3 x = work_load3(c, WORK_X, at), old = work_load3(c, keep[0], at),
                    start = wide3_select(settled, x, old);
        work_store3(c, keep[0], at, start);
        work_store3(c, WORK_X, at, wide3_select(lanes, start, x));
    }
}

/* Returns whether drag is the only force besides affine ones. */
MOTE_INLINE bool only_drags(const strand_work *w) {
    return w->all && !w->callbacks && !w->job->plan->point_count && w->job->strands->def.pose_stiffness == 0;
}

/* Returns twice the work that drag did in a part on strands relative to the air where it is more than 0: it
 * is that of the start of the substep, as affine forces in it are, and points may go the other way since. */
MOTE_OUTLINE wide work_of_drag(const strand_work *w, const strand_part *p, const mote_coupled_affine *own,
                               size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    strand_part rest = *p;
    rest.own = own;
    const wide3 air = wide3_scale(p->h, wide3_set(w->job->strands->def.air_velocity));
    wide work = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide inverse = point_mass(c, at), mass = moving_mass(c, &masses, k, at);
        const strand_point a = {work_load3(c, IMPULSE_FROM, at), work_load3(c, IMPULSE_FROM_V, at)};
        const wide3 drag = wide3_sub(free_kick(c, p, a, inverse, at), free_kick(c, &rest, a, inverse, at)),
                    way = wide3_sub(wide3_sub(work_load3(c, WORK_X, at), a.x), air);
        work += wide_select(wide_less((wide){0}, mass), mass * wide3_dot(drag, way), (wide){0});
    }
    return wide_max(work * (wide_set(2.0f) / p->h), (wide){0});
}

/* Limits the energy of lanes after a step of first order; conserving ones get back what the step took. */
MOTE_OUTLINE void limit_first_order(strand_work *w, const strand_part *p, const int keep[2], wide most,
                                    wide lift, wide_mask lanes, size_t lane) {
    const wide less = limit_energy(w, p, keep, most, lift, lanes, lane);
    if (w->job->strands->def.solver == MOTE_STRAND_CONSERVING)
        add_deficit(w, lanes, less, wide3_zero(), lane);
}

/* Steps the lanes of `lanes`, whose whole substep is unstable, in parts. stiffness: its W P h. */
MOTE_OUTLINE void step_in_parts(strand_work *w, const mote_coupled_affine *own, wide_mask lanes,
                                wide stiffness, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const uint32_t units = 1u << STRAND_HALVINGS;
    const strand_bounds t = bounds_of(w, lane);
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    strand_part p = part_of(w, own, lane);
    strand_halving s;
    for (size_t i = 0; i < MOTE_GROUP; i++) s.done[i] = 0, s.size[i] = s.most[i] = (int32_t)units;
    wide_mask left = next_parts(w, &s, units, lanes, (wide_mask){0}, stiffness, &p);
    while (wide_lane_bits(left)) {
        const impulse_turns turns = eliminate_any(c, &p, t.counts, lane);
        stiffness = impulse_substitute(c, &p, lane);
        const wide_mask unstable = turns.turns | wide_less(wide_set(STRAND_IMPULSE), stiffness);
        const wide_mask last = smallest_parts(&s), first = left & unstable & last;
        const wide_mask moved = left & ~unstable;
        const wide3 kick = first_kick(w, &p, lane);
        keep_state(w, part_start, lane);
        const impulse_outcome outcome = move_any(c, &t, &p, moved, lane);
        wide energy = (wide){0}, lift = (wide){0};
        if (wide_lane_bits(first)) {
            const wide3 moments = sum_moments(w, lane);
            settle_start(w, part_start, first, lane);
            lift = correction_work(w, &p, moments, kick, lane);
            impulse_predict(c, &p, first, part_start, lane);
            energy = energy_about_root(w, lane);
            count_lanes(w->job->strands->fallbacks + w->lane + lane, first);
        }
        count_lanes(w->job->strands->iterations + w->lane + lane, left);
        const wide_mask wrong = (moved & outcome.strained) | first;
        if (keeps) {
            const wide gained = only_drags(w) ? work_of_drag(w, &p, own, lane) : (wide){0};
            add_deficit(w, moved, outcome.lost - gained, kick, lane);
        }
        if (wide_lane_bits(wrong)) {
            const wide3 moments = sum_moments(w, lane);
            hold_part(w, &p, wrong, first, lane);
            if (wide_lane_bits(first)) limit_first_order(w, &p, part_start, energy, lift, first, lane);
            if (keeps)
                add_correction_work(w, &p, wrong & ~first, moments, kick, lane);
            else
                pay_correction_work(w, &p, wrong & ~first, moments, kick, lane);
        }
        left = next_parts(w, &s, units, left, moved | first, stiffness, &p);
    }
}

/* Corrects the lengths of the lanes; conserving strands count the work of the accelerations over that. kick:
 * see first_kick. */
MOTE_OUTLINE void correct_strained(strand_work *w, const strand_part *p, wide_mask strained,
                                   wide_mask fast_turn, wide3 kick, size_t lane) {
    const strand_columns *c = &w->c;
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    const wide3 moments = sum_moments(w, lane);
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP)
        work_store3(c, IMPULSE_FROM, at, work_load3(c, WORK_X, at));
    correct_lengths(w, strained, lane);
    if (keeps)
        add_correction_work(w, p, strained & fast_turn, moments, kick, lane);
    else
        pay_correction_work(w, p, strained, moments, kick, lane);
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
    const bool regular = w->c.regular && same_kicks(w, own),
               keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    const impulse_turns turns = find_impulses(w, &p, regular, lane);
    const wide stiffness = impulse_substitute(c, &p, lane);
    /* Parts do not find other forces anew: these would add energy to waves. */
    const float largest = w->all ? STRAND_STABLE : STRAND_IMPULSE;
    const wide_mask unstable = live & (turns.turns | wide_less(wide_set(largest), stiffness));
    const wide_mask unsplittable = unstable & wide_less(wide_set(STRAND_UNSPLITTABLE), stiffness),
                    parted = unstable & ~unsplittable;
    const bool whole = wide_lane_bits(unstable) == 0;
    const wide3 kick = first_kick(w, &p, lane);
    if (!whole) keep_state(w, substep_start, lane);
    const impulse_outcome outcome = apply_impulses(w, &p, regular && whole, live & ~unstable, lane);
    const wide_mask strained = live & ~unstable & outcome.strained;
    count_lanes(w->job->strands->iterations + w->lane + lane, live);
    if (keeps) add_deficit(w, live & ~unstable, outcome.lost, kick, lane);
    if (wide_lane_bits(strained)) correct_strained(w, &p, strained, turns.fast_turn, kick, lane);
    if (wide_lane_bits(parted)) step_in_parts(w, own, parted, stiffness, lane);
    wide lift = (wide){0};
    if (wide_lane_bits(unsplittable)) {
        const wide3 moments = sum_moments(w, lane);
        settle_start(w, substep_start, unsplittable, lane);
        lift = correction_work(w, &p, moments, kick, lane);
        impulse_predict(c, &p, unsplittable, substep_start, lane);
    }
    arrive(w, lane);
    if (wide_lane_bits(unsplittable)) {
        const wide energy = energy_about_root(w, lane);
        count_lanes(w->job->strands->fallbacks + w->lane + lane, unsplittable);
        (void)hold_rigid(w, unsplittable, lane);
        limit_first_order(w, &p, substep_start, energy, lift, unsplittable, lane);
    }
}

/* Sweep of the prediction of first order. */
typedef struct strand_prediction {
    strand_part part;
    strand_place place; /* of late kicks */
    bool constant;      /* affine forces are part.kick */
    wide3 root_v;       /* m/s, of pinned roots before their present motion */
} strand_prediction;

/* Returns h a of all forces at point k and stores it in IMPULSE_DV, as kick_all does. */
MOTE_INLINE wide3 late_kick(const strand_work *w, const strand_columns *c, const mote_coupled_affine *own,
                            strand_prediction *s, strand_point a, uint32_t k, size_t at) {
    const mote_coupled_instance of = {.family = MOTE_FAMILY_SPLITTING};
    const wide mass = point_mass(c, at);
    const wide3 force = work_load3(c, IMPULSE_DV, at);
    wide3 dv;
    if (s->constant) {
        dv = wide3_add(s->part.kick, wide3_scale(wide_set(own->evaluation.kick_h), wide3_scale(mass, force)));
    } else {
        if (k == 0) a.v = s->root_v;
        a.x = place_of_forces(a, drift_before_forces(w));
        const mote_lanes state = {.x = a.x, .v = a.v};
        dv = strand_kick(c, own, of, &s->place, &state, force, at);
    }
    work_store3(c, IMPULSE_DV, at, dv);
    if (k == 0) add_reaction(c, mass, wide3_scale(wide_set(w->job->plan->c.h), force), at);
    return k && k < c->shortest ? dv : wide3_select(wide_less((wide){0}, mass), dv, wide3_zero());
}

/* Copies the state of all lanes to the columns of the substep's start and gives them the prediction of first
 * order, as impulse_predict does. Finds the patches for the search of colliders. */
MOTE_INLINE void predict_all(const strand_work *w, const mote_coupled_affine *own, bool late, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    strand_prediction s = {.part = part_of(w, own, lane)};
    s.part.drift = (wide){0};
    if (late) {
        s.place = (strand_place){.lane = lane, .origin = origin_of(w, lane)};
        s.constant = is_constant(own);
        s.root_v = work_load3(c, IMPULSE_OLD_V, lane);
        drag_all(w, s.root_v, lane);
    }
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = work_point(c, at);
        const wide3 kick =
            late ? late_kick(w, c, own, &s, a, k, at) : free_kick(c, &s.part, a, point_mass(c, at), at);
        const wide3 v = wide3_add(a.v, kick);
        wide3 x = wide3_add_scaled(a.x, s.part.h, v);
        if (k == 0)
            x = wide3_select(wide_less((wide){0}, point_mass(c, at)), x, work_load3(c, IMPULSE_GOAL, at));
        work_store3(c, substep_start[0], at, a.x);
        work_store3(c, substep_start[1], at, a.v);
        work_store3(c, WORK_V, at, v);
        work_store3(c, WORK_X, at, x);
    }
}

MOTE_OUTLINE void predict_by_affine(const strand_work *w, const mote_coupled_affine *own, size_t lane) {
    predict_all(w, own, false, lane);
}
MOTE_OUTLINE void predict_in_air(const strand_work *w, const mote_coupled_affine *own, size_t lane) {
    predict_all(w, own, true, lane);
}

/* Predicts all lanes. Returns those with a plane at some point. */
MOTE_INLINE wide_mask predict_and_search(const strand_work *w, const mote_coupled_affine *own,
                                         uint32_t substep, size_t lane) {
    (w->late_kicks ? predict_in_air : predict_by_affine)(w, own, lane);
    if (w->c.pins) arrive(w, lane);
    return lanes_near(w, substep, lane);
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

/* Steps the lanes of `live` by impulses where colliders or pins may interfere; the lanes of `held` have the
 * prediction of first order. Returns the lanes that the impulses bring behind a plane: they are reverted to
 * that prediction. */
MOTE_INLINE wide_mask step_beside(strand_work *w, const mote_coupled_affine *own, uint32_t substep,
                                  wide_mask live, wide_mask held, size_t lane) {
    impulse_undo(&w->c, ~(wide_mask){0}, substep_start, lane);
    impulse_copy_reaction(&w->c, WORK_REACTION, IMPULSE_REACTED, ~(wide_mask){0}, lane);
    step_by_impulses(w, own, live, lane);
    predict(w, own, held, lane);
    const wide_mask fresh = touching(w, lanes_near(w, substep, lane), lane) & ~held;
    if (wide_lane_bits(fresh)) {
        predict(w, own, fresh, lane);
        impulse_copy_reaction(&w->c, IMPULSE_REACTED, WORK_REACTION, fresh, lane);
    }
    return fresh;
}

/* Constrains the lanes over a substep. Lanes that touch a collider, overstretched strands and compliant ones
 * take a step of first order. The others are stepped by impulses. */
MOTE_INLINE void constrain(strand_work *w, uint32_t substep, size_t lane) {
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const mote_strands *strands = w->job->strands;
    const bool soft = is_soft(w), colliders = w->job->collider_count != 0;
    const wide_mask live = wide_mask_load(w->live + lane), every = ~(wide_mask){0};
    if (strands->joint_stiffness) {
        constrain_rods(w, &own, substep, live, lane);
        return;
    }
    wide_mask first = soft ? every : (wide_mask){0};
    if (w->group->span_count) first |= wide_mask_load(w->overstretched + lane);
    const bool interferes = colliders || wide_lane_bits(first) != 0;
    if (interferes) {
        wide_mask near = predict_and_search(w, &own, substep, lane);
        const wide_mask entered = colliders ? live & wide_mask_load(w->contacts.entered) : (wide_mask){0};
        if (wide_lane_bits(entered)) {
            impulse_copy_reaction(&w->c, WORK_REACTION, IMPULSE_REACTED, entered, lane);
            leave_colliders(w, substep, entered, lane);
            predict(w, &own, entered, lane);
            near = lanes_near(w, substep, lane);
        }
        first |= touching(w, near, lane);
    }
    if (wide_lane_bits(live & ~first)) {
        if (interferes)
            first |= step_beside(w, &own, substep, live & ~first, first, lane);
        else
            step_by_impulses(w, &own, live, lane);
    }
    if (strands->def.solver == MOTE_STRAND_CONSERVING)
        restore_due_energy(w, live & ~first, substep + 1 == w->job->plan->substeps, lane);
    const bool buried = colliders && w->contacts.buried;
    if (rubs(w) && wide_lane_bits(live & ~first)) forget_contacts(&w->c, live & ~first, lane);
    if (wide_lane_bits(live & first)) hold_near(w, substep, live & first, lane);
    if (buried && substep + 1 == w->job->plan->substeps)
        count_buried(w, substep, live & first, w->job->strands->buried + w->lane + lane, lane);
}

#endif
