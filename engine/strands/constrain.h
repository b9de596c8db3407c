/* A substep of constrained strands: impulses (impulse.h) where no collider is near, in parts where the whole
 * is unstable; else first order (step.h). */
#ifndef MOTE_STRANDS_CONSTRAIN_H
#define MOTE_STRANDS_CONSTRAIN_H

#include "strands/energy.h"
#include "strands/step.h"

static const int substep_start[2] = {WORK_START, IMPULSE_OLD_V},
                 part_start[2] = {IMPULSE_FROM, IMPULSE_FROM_V};

MOTE_INLINE strand_part part_of(const strand_work *w, const mote_coupled_affine *own, size_t lane) {
    const strand_scheme scheme = scheme_of(w->job->strands->def.solver);
    return (strand_part){.h = wide_set(w->job->plan->c.h),
                         .share = wide_set(1.0f),
                         .outward = wide_set(scheme.g - 0.5f) * wide_set(w->job->plan->c.h),
                         .drift = wide_set(1 - scheme.g) * wide_set(w->job->plan->c.h),
                         .g = scheme.g,
                         .inverse_g = 1 / scheme.g,
                         .early = 1 - scheme.g,
                         .turn = scheme.turn,
                         .largest = scheme.impulse_limit,
                         .unsplittable = scheme.impulse_limit * (float)(1u << 2 * scheme.halvings),
                         .own = w->all ? NULL : own,
                         .origin = origin_of(w, lane)};
}

/* Lanes of a register in parts of their substep, in units of the smallest part: `done` of them are over, and
 * the next part takes `size`. Parts are those of a binary tree: after one, the next is as large as the place
 * that it begins at allows. */
typedef struct strand_halving {
    MOTE_ALIGNED(64) int32_t done[MOTE_GROUP];
    MOTE_ALIGNED(64) int32_t size[MOTE_GROUP];
} strand_halving;

/* Advances the lanes of `passed` to their next part, halves the others of `tried`, and sets h and the share
 * of the next part. Returns the lanes that have one. */
MOTE_INLINE wide_mask next_parts(const strand_work *w, strand_halving *s, uint32_t units, wide_mask tried,
                                 wide_mask passed, strand_part *p) {
    MOTE_ALIGNED(64) int32_t left[MOTE_WIDTH], try[MOTE_WIDTH], pass[MOTE_WIDTH];
    MOTE_ALIGNED(64) float share[MOTE_WIDTH];
    wide_mask_store(try, tried), wide_mask_store(pass, passed);
    for (size_t i = 0; i < MOTE_WIDTH; i++) {
        if (pass[i]) {
            s->done[i] += s->size[i];
            s->size[i] = s->done[i] & -s->done[i];
        } else if (try[i]) {
            s->size[i] /= 2;
        }
        left[i] = try[i] && (uint32_t)s->done[i] < units ? -1 : 0;
        share[i] = left[i] ? (float)s->size[i] / (float)units : 0.0f;
    }
    p->share = wide_load(share);
    p->h = wide_set(w->job->plan->c.h) * p->share;
    p->outward = wide_set(p->g - 0.5f) * p->h, p->drift = wide_set(p->early) * p->h;
    return wide_mask_load(left);
}

static inline wide_mask smallest_parts(const strand_halving *s) {
    MOTE_ALIGNED(64) int32_t last[MOTE_WIDTH];
    for (size_t i = 0; i < MOTE_WIDTH; i++) last[i] = s->size[i] == 1 ? -1 : 0;
    return wide_mask_load(last);
}

/* Steps the lanes of `lanes`, whose whole substep is unstable, in parts. */
MOTE_OUTLINE void step_in_parts(strand_work *w, const mote_coupled_affine *own, wide_mask lanes,
                                size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const uint32_t units = 1u << scheme_of(w->job->strands->def.solver).halvings;
    const strand_parts_of of = {false, false, false, false};
    const strand_terms t = make_terms(w, of, lane);
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    strand_part p = part_of(w, own, lane);
    strand_halving s;
    for (size_t i = 0; i < MOTE_GROUP; i++) s.done[i] = 0, s.size[i] = (int32_t)units;
    impulse_undo(c, lanes, substep_start, lane);
    wide_mask left = next_parts(w, &s, units, lanes, (wide_mask){0}, &p);
    while (wide_lane_bits(left)) {
        const strand_outcome outcome = impulse_part(c, &t, &p, part_start, lane);
        const wide_mask last = smallest_parts(&s), first = left & outcome.unstable & last;
        const wide_mask passed = left & (~outcome.unstable | last);
        impulse_undo(c, ~passed, part_start, lane);
        impulse_react(c, passed & ~first, lane);
        if (wide_lane_bits(first)) {
            impulse_predict(c, &p, first, part_start, lane);
            count_lanes(w->job->strands->fallbacks + w->lane + lane, first);
        }
        count_lanes(w->job->strands->iterations + w->lane + lane, left);
        const wide_mask wrong = passed & (outcome.strained | first);
        if (keeps) add_deficit(w, passed & ~first, outcome.lost, lane);
        if (wide_lane_bits(wrong)) {
            const wide3 moments = keeps ? sum_moments(c, lane) : wide3_zero();
            hold_part(w, &p, wrong, first, lane);
            if (keeps) add_correction_work(w, &p, wrong & ~first, moments, part_start, lane);
        }
        left = next_parts(w, &s, units, left, passed, &p);
    }
}

/* Puts the pinned points of a register to their goals at the end of the substep. */
MOTE_INLINE void arrive(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide_mask free = wide_less((wide){0}, point_mass(c, lane));
    work_store3(c, WORK_X, lane,
                wide3_select(free, work_load3(c, WORK_X, lane), work_load3(c, IMPULSE_GOAL, lane)));
    for (uint32_t i = 0; i < w->pin_count; i++) {
        const size_t at = pin_offset(w, &w->pins[i]);
        if (at % MOTE_GROUP - lane >= MOTE_WIDTH) continue; /* of another register */
        for (int axis = 0; axis < 3; axis++)
            work_column(c, WORK_X + axis)[at] = work_column(c, IMPULSE_GOAL + axis)[at];
    }
}

/* Steps the lanes of `live` by impulses. The pinned points of all lanes arrive, so that the planes found
 * afterwards do not depend on neighbours. */
MOTE_INLINE void step_by_impulses(strand_work *w, const mote_coupled_affine *own, wide_mask live,
                                  size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_parts_of of = {false, false, false, false};
    const strand_terms t = make_terms(w, of, lane);
    const strand_part p = part_of(w, own, lane);
    const strand_outcome outcome = impulse_part(c, &t, &p, substep_start, lane);
    const wide_mask unstable = live & outcome.unstable, strained = live & ~unstable & outcome.strained;
    const wide_mask unsplittable = unstable & outcome.unsplittable, parted = unstable & ~unsplittable;
    count_lanes(w->job->strands->iterations + w->lane + lane, live);
    impulse_react(c, live & ~unstable, lane);
    const bool keeps = w->job->strands->def.solver == MOTE_STRAND_CONSERVING;
    if (keeps) add_deficit(w, live & ~unstable, outcome.lost, lane);
    if (wide_lane_bits(strained)) {
        const wide3 moments = keeps ? sum_moments(c, lane) : wide3_zero();
        correct_lengths(w, strained, lane);
        if (keeps) add_correction_work(w, &p, strained & outcome.fast_turn, moments, substep_start, lane);
    }
    if (wide_lane_bits(parted)) step_in_parts(w, own, parted, lane);
    if (wide_lane_bits(unsplittable)) impulse_predict(c, &p, unsplittable, substep_start, lane);
    arrive(w, lane);
    if (wide_lane_bits(unsplittable)) {
        count_lanes(w->job->strands->fallbacks + w->lane + lane, unsplittable);
        (void)hold_rigid(w, unsplittable, lane);
    }
}

/* Returns the lanes with a plane at some point. */
MOTE_INLINE wide_mask lanes_near(const strand_work *w, uint32_t substep, size_t lane) {
    wide_mask near = (wide_mask){0};
    if (!w->job->collider_count || !near_colliders(w, substep, lane)) return near;
    for (uint32_t i = 0; i < w->contacts.count; i++) {
        const wide3 normal = strand_planes(&w->c)[i].normal;
        near |= wide_less((wide){0}, wide3_dot(normal, normal));
    }
    return near;
}

/* Gives the lanes the prediction of first order. */
MOTE_INLINE void predict(const strand_work *w, const mote_coupled_affine *own, wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c;
    strand_part p = part_of(w, own, lane);
    p.drift = (wide){0};
    impulse_predict(&columns, &p, lanes, substep_start, lane);
    arrive(w, lane);
}

MOTE_INLINE void keep_substep_start(const strand_work *w, size_t lane) {
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
        work_store3(&w->c, WORK_START, at, work_load3(&w->c, WORK_X, at));
        work_store3(&w->c, IMPULSE_OLD_V, at, work_load3(&w->c, WORK_V, at));
    }
}

/* Whether all lanes take steps of first order. */
MOTE_INLINE bool is_soft(const strand_work *w) {
    const mote_strands *strands = w->job->strands;
    return strands->compliant || w->c.bend_length || strands->def.local_pose_stiffness != 0;
}

/* Moves the free points to where the forces of the substep act, for all but affine forces, which impulse.h
 * evaluates itself. WORK_START keeps the places. */
MOTE_INLINE void drift_to_forces(const strand_work *w) {
    const strand_columns *c = &w->c;
    const wide h = wide_set(w->job->plan->c.h),
               drift = wide_set(1 - scheme_of(w->job->strands->def.solver).g) * h;
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH) {
        const wide3 x = work_load3(c, WORK_X, at), v = work_load3(c, WORK_V, at);
        work_store3(c, WORK_START, at, x);
        const wide3 moved = wide3_add_scaled(x, drift, v);
        work_store3(c, WORK_X, at, wide3_select(wide_less((wide){0}, point_mass(c, at)), moved, x));
    }
}

MOTE_INLINE void drift_back(const strand_work *w) {
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH)
        work_store3(&w->c, WORK_X, at, work_load3(&w->c, WORK_START, at));
}

/* Projections of strands that are not solved: of 15,840 frames of hair under a ball of 3 to 100 m/s, 4 left
 * segments of four times their length, 8 none but at 100 m/s (measured). */
#define STRAND_PROJECTIONS 8

/* Solves the lanes to first order. Strands that are not solved are projected to their lengths and out of
 * colliders in turn; contact has the last word, and the report tells of a length that is not held. */
MOTE_INLINE void hold_near(const strand_work *w, uint32_t substep, wide_mask lanes, size_t lane) {
    const bool contacts = w->job->collider_count && w->contacts.count;
    const wide compliance = wide_load(w->job->strands->compliance + w->lane + lane);
    wide_mask left = hold(w, contacts, lanes, lane);
    for (int i = 0; i < STRAND_PROJECTIONS && w->job->collider_count && wide_lane_bits(left); i++) {
        if (i) project_lengths(&w->c, left & wide_equal(compliance, (wide){0}), lane);
        left = near_colliders(w, substep, lane) ? project_contacts(&w->c, left, lane) : (wide_mask){0};
    }
}

/* Lanes near a collider, overstretched and compliant strands, and those with bends or local pose springs,
 * which are explicit and need its damping, take a step of first order. The others are stepped by impulses;
 * those that come near a collider by that take the first order after all. */
MOTE_INLINE void constrain(strand_work *w, uint32_t substep, size_t lane) {
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const mote_strands *strands = w->job->strands;
    const bool soft = is_soft(w), colliders = w->job->collider_count != 0;
    const wide_mask live = wide_mask_load(w->live + lane), every = ~(wide_mask){0};
    wide_mask near = soft ? every : (wide_mask){0};
    if (w->group->span_count) near |= wide_mask_load(w->overstretched + lane);
    const bool some_near = colliders || wide_lane_bits(near) != 0;
    if (some_near) {
        keep_substep_start(w, lane);
        predict(w, &own, every, lane);
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
    if (wide_lane_bits(live & near)) hold_near(w, substep, live & near, lane);
    if (buried && substep + 1 == w->job->plan->substeps)
        count_buried(w, substep, live & near, w->job->strands->buried + w->lane + lane, lane);
}

#endif
