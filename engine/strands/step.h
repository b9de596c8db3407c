/* Parts of the step of a lane group of strands: loading, contacts, constraints, committing. */
#ifndef MOTE_STRANDS_STEP_H
#define MOTE_STRANDS_STEP_H

#include "strands/bend.h"
#include "strands/conserve.h"
#include "strands/contact.h"
#include "strands/solve.h"
#include "strands/stage.h"

/* --- Springs --- */

MOTE_INLINE double stage_time(const strand_work *w, uint32_t substep, uint32_t stage) {
    const mote_plan *plan = w->job->plan;
    return mote_plan_time(plan, w->job->step, substep, plan->scheme->time[stage]);
}

MOTE_OUTLINE void keep_start(const strand_work *w) {
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH)
        work_store3(&w->c, WORK_START, at, work_load3(&w->c, WORK_X, at));
}

MOTE_OUTLINE bool near_colliders(const strand_work *w, uint32_t substep, size_t lane) {
    return find_contacts(w, substep, lane);
}

MOTE_OUTLINE void resolve_contacts(const strand_work *w, uint32_t substep) {
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
        if (near_colliders(w, substep, lane)) push_out(w, lane);
}

/* --- Constraints --- */

/* Predicts x* = x + h (v + h a) of points on which only affine forces act; WORK_START keeps x. After the
 * first substep of a step v is derived: (x - start) / h. */
MOTE_INLINE void predict(const strand_work *w, bool first, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const mote_plan *plan = w->job->plan;
    const mote_coupled_affine own = mote_coupled_affine_of(plan, 0);
    const wide h = wide_set(plan->c.h), rate = wide_set((float)(1.0 / plan->h));
    for (size_t at = lane; at < strand_at(columns.points, lane); at += MOTE_GROUP) {
        wide mass = point_mass(c, at);
        mote_lanes s = {.x = work_load3(c, WORK_X, at)};
        s.v = first ? work_load3(c, WORK_V, at)
                    : wide3_scale(rate, wide3_sub(s.x, work_load3(c, WORK_START, at)));
        wide3 x = wide3_add_scaled(s.x, h, wide3_add(s.v, mote_affine_kick(&own, &s, mass)));
        work_store3(c, WORK_START, at, s.x);
        const bool all_free = at >= MOTE_GROUP && !columns.pins && at < (size_t)columns.shortest * MOTE_GROUP;
        work_store3(c, WORK_X, at, all_free ? x : wide3_select(wide_less((wide){0}, mass), x, s.x));
    }
}

/* Predicts with all forces, by a stage of semi-implicit Euler. */
MOTE_INLINE void predict_all(const strand_work *w, const strand_place *p) {
    for (size_t at = p->lane; at < strand_at(w->points, p->lane); at += MOTE_GROUP)
        work_store3(&w->c, WORK_START, at, work_load3(&w->c, WORK_X, at));
    strand_stage(w, (mote_coupled_instance){.family = MOTE_FAMILY_SPLITTING, .others = true}, STRAND_EXTRAS,
                 p, w->job->plan->c.h);
}

/* Derives v = (x - start) / h. */
MOTE_INLINE void derive_velocity(const strand_work *w, size_t lane) {
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    for (size_t at = lane; at < (size_t)w->points * MOTE_GROUP; at += MOTE_GROUP)
        work_store3(
            &w->c, WORK_V, at,
            wide3_scale(rate, wide3_sub(work_load3(&w->c, WORK_X, at), work_load3(&w->c, WORK_START, at))));
}

/* Implicit spring of stiffness k and damping b over h: C + (b/k) C' = T / (h^2 k) with C' = (C - C0) / h,
 * where T is the tension times h^2. compliance: factor of T; memory: factor of C0. */
typedef struct strand_softness {
    wide compliance, memory;
} strand_softness;

MOTE_INLINE strand_softness soften(wide compliance, float damping, double h) {
    wide ratio = wide_set((float)((double)damping / h)) * compliance;
    wide share = wide_set(1.0f) / (wide_set(1.0f) + ratio);
    return (strand_softness){wide_set((float)(1.0 / (h * h))) * compliance * share, ratio * share};
}

MOTE_INLINE strand_terms make_terms(const strand_work *w, bool compliant, bool bends, bool contacts,
                                    size_t lane) {
    const mote_strands *strands = w->job->strands;
    const double h = w->job->plan->h;
    const float limit = strands->def.max_strain;
    strand_softness own = soften(wide_load(strands->compliance + w->lane + lane), strands->def.damping, h);
    strand_terms t = {.compliance = own.compliance, .memory = own.memory};
    if (bends) {
        strand_softness bend = soften(wide_set((float)(1.0 / (double)strands->def.bend_stiffness)),
                                      strands->def.bend_damping, h);
        t.bend_compliance = bend.compliance, t.bend_memory = bend.memory;
    }
    t.counts = wide_mask_load(w->c.counts + lane);
    t.slack = wide_set(limit);
    wide3 root = work_load3(&w->c, WORK_X, lane);
    t.rounding = wide_set(STRAND_ROUNDING) * (wide_abs(root.x) + wide_abs(root.y) + wide_abs(root.z));
    t.high = wide_set((1 + limit) * (1 + limit));
    t.low = wide_set(limit < 1 ? (1 - limit) * (1 - limit) : 0.0f);
    t.reaction = wide_set((float)(1.0 / h));
    t.compliant = compliant, t.contacts = contacts;
    return t;
}

/* Clears the tensions and stores the strains at the start of the substep. */
MOTE_INLINE void relax(const strand_columns *c, bool compliant, bool bends, size_t lane) {
    wide3 a = work_load3(c, WORK_START, lane), b = work_load3(c, WORK_START, lane + MOTE_GROUP);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        wide3 d = wide3_sub(b, a), after = b;
        if (compliant) {
            work_store(c, WORK_TENSION, at, (wide){0});
            work_store(c, WORK_STRAIN, at, wide_sqrt(wide3_dot(d, d)) - work_load(c, WORK_LENGTH, at));
        }
        if (k + 2 < c->points) after = work_load3(c, WORK_START, at + 2 * MOTE_GROUP);
        if (bends && k + 2 < c->points) {
            wide3 e = wide3_sub(after, a);
            work_store(c, BEND_TENSION, at, (wide){0});
            work_store(c, BEND_STRAIN, at, wide_sqrt(wide3_dot(e, e)) - wide_load(c->bend_length + at));
        }
        a = b, b = after;
    }
    (void)a;
}

MOTE_INLINE wide_mask finite_column3(const strand_columns *c, int id, size_t lane) {
    wide probe = (wide){0};
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP)
        probe += wide3_finite_probe(work_load3(c, id, at));
    return wide_equal(probe, (wide){0});
}

/* Returns the lanes in which no point moved more than four strand lengths relative to the root. */
MOTE_INLINE wide_mask stayed(const strand_columns *c, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide3 root = wide3_sub(work_load3(c, WORK_X, lane), work_load3(c, WORK_START, lane));
    wide total = (wide){0}, furthest = (wide){0};
    wide_mask finite = ~(wide_mask){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        total += wide_select(lanes_beyond(counts, k + 1), work_load(c, WORK_LENGTH, at), (wide){0});
        wide3 moved = wide3_sub(wide3_sub(work_load3(c, WORK_X, at), work_load3(c, WORK_START, at)), root);
        wide square = wide_select(lanes_beyond(counts, k), wide3_dot(moved, moved), (wide){0});
        finite &= wide_equal(square * 0.0f, (wide){0});
        furthest = wide_max(furthest, square);
    }
    return finite & ~wide_less(16.0f * total * total, furthest);
}

/* Reverts diverged strands to the start of the substep. Strands that began with a non-finite velocity keep
 * their state; commit_lanes freezes them. */
MOTE_OUTLINE void revert_diverged(const strand_columns *c, wide_mask lanes, size_t lane) {
    const wide_mask diverged = lanes & ~stayed(c, lane) & finite_column3(c, WORK_V, lane),
                    counts = wide_mask_load(c->counts + lane);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        wide_mask revert = diverged & (wide_less((wide){0}, point_mass(c, at)) | ~lanes_beyond(counts, k));
        work_store3(c, WORK_X, at,
                    wide3_select(revert, work_load3(c, WORK_START, at), work_load3(c, WORK_X, at)));
    }
}

/* Fallback: projects each segment of the strands in `lanes` to its rest length, from root to tip, in its
 * present direction (follow the leader). Lengths are exact for any state; momentum is not conserved. */
MOTE_OUTLINE void project_lengths(const strand_columns *c, wide_mask lanes, size_t lane) {
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
        wide3 a = work_load3(c, WORK_X, at), b = work_load3(c, WORK_X, next), d = wide3_sub(b, a);
        wide length = wide_max(wide_sqrt(wide3_dot(d, d)), wide_set(STRAND_SHORTEST));
        wide3 projected = wide3_add_scaled(a, work_load(c, WORK_LENGTH, at) / length, d);
        work_store3(c, WORK_X, next,
                    wide3_select(lanes & wide_less((wide){0}, point_mass(c, next)), projected, b));
    }
}

/* Returns the lanes in which the segments and bends at points near colliders have their target lengths. A
 * constraint between two such points is checked at the second one. */
MOTE_INLINE wide_mask lengths_held(const strand_columns *c, const strand_terms *t, bool bends, size_t lane) {
    const strand_contacts *near = c->contacts;
    wide_mask held = ~(wide_mask){0};
    for (uint32_t i = 0; i < near->count; i++) {
        const uint32_t k = near->point[i];
        const size_t at = strand_at(k, lane);
        const wide3 x = work_load3(c, WORK_X, at);
        if (k > 0) held &= is_held(c, t, work_load3(c, WORK_X, at - MOTE_GROUP), x, k - 1, lane);
        if (k + 1 < c->points && !near->touching[k + 1])
            held &= is_held(c, t, x, work_load3(c, WORK_X, at + MOTE_GROUP), k, lane);
        if (!bends) continue;
        if (k > 1) held &= bend_is_held(c, t, work_load3(c, WORK_X, at - 2 * MOTE_GROUP), x, k - 2, lane);
        if (k + 2 < c->points && !near->touching[k + 2])
            held &= bend_is_held(c, t, x, work_load3(c, WORK_X, at + 2 * MOTE_GROUP), k, lane);
    }
    return held;
}

/* Newton's method for the live strands from `lane` on; contacts: some of them are near a collider. */
MOTE_INLINE void hold_lengths(const strand_work *w, bool compliant, bool bends, bool contacts, wide_mask live,
                              size_t lane) {
    mote_strands *strands = w->job->strands;
    const strand_columns columns = w->c;
    strand_terms t = make_terms(w, compliant, bends, contacts, lane);
    const wide limit = wide_set(strands->def.max_strain);
    if (compliant || bends) relax(&columns, compliant, bends, lane);
    for (uint32_t i = 0; i < strands->def.max_iterations; i++) {
        count_lanes(strands->iterations + w->lane + lane, live);
        t.everyone = wide_all(live);
        /* First active set: the contacts of the prediction. */
        if (contacts && i == 0) touch(&columns, live, lane);
        /* One iteration of Newton's method: linear solve, correction, test of the lengths. */
        wide_mask unsolved =
            bends ? newton_with_bends(&columns, &t, live, lane) : newton(&columns, &t, live, lane);
        if (contacts) {
            /* Friction for the new normal impulses, then the test of lengths and contacts. */
            touch(&columns, live, lane);
            unsolved |=
                live & ~(lengths_held(&columns, &t, bends, lane) & clear_of_colliders(&columns, limit, lane));
        }
        live = unsolved;
        if (wide_lane_bits(live) == 0) return;
    }
    /* Strands that did not converge: reverts diverged ones, then projects the lengths of rigid ones. */
    count_lanes(strands->unsolved + w->lane + lane, live);
    revert_diverged(&columns, live, lane);
    project_lengths(&columns, live & wide_equal(wide_load(strands->compliance + w->lane + lane), (wide){0}),
                    lane);
}

/* Instances out of line, so that each has its own register allocation. */
#define HOLD(name, compliant, bends, contacts)                                                               \
    MOTE_OUTLINE void name(const strand_work *w, size_t lane) {                                              \
        hold_lengths(w, compliant, bends, contacts, wide_mask_load(w->live + lane), lane);                   \
    }
HOLD(hold_rigid, false, false, false)
HOLD(hold_rigid_touching, false, false, true)
HOLD(hold_compliant, true, false, false)
HOLD(hold_compliant_touching, true, false, true)
HOLD(hold_bends, false, true, false)
HOLD(hold_bends_touching, false, true, true)
HOLD(hold_soft_bends, true, true, false)
HOLD(hold_soft_bends_touching, true, true, true)
#undef HOLD

/* Solves the constraints of the strands whose prediction is in WORK_X. */
MOTE_INLINE void hold(const strand_work *w, uint32_t substep, size_t lane) {
    const bool rigid = !w->job->strands->compliant;
    const bool touching = w->job->collider_count && near_colliders(w, substep, lane);
    if (w->c.bend_length && rigid)
        (touching ? hold_bends_touching : hold_bends)(w, lane);
    else if (w->c.bend_length)
        (touching ? hold_soft_bends_touching : hold_soft_bends)(w, lane);
    else if (!rigid)
        (touching ? hold_compliant_touching : hold_compliant)(w, lane);
    else
        (touching ? hold_rigid_touching : hold_rigid)(w, lane);
}

/* Stores the scaled rest lengths of the segments from offset `first` to `last` of one lane. */
static inline void copy_lengths(const strand_work *w, size_t first, size_t last, float scale) {
    for (size_t at = first; at < last; at += MOTE_GROUP)
        work_column(&w->c, WORK_LENGTH)[at] = w->c.rest_length[at] * scale;
}

/* Lengthens the segments between two pins to 1.002 times the pins' distance where they are shorter in sum,
 * because there is no solution otherwise. Compliant strands need no lengthening. */
MOTE_OUTLINE void reach_pins(const strand_work *w) {
    mote_strands *strands = w->job->strands;
    for (uint32_t i = 0; i < w->group->span_count; i++) {
        const mote_span_of_pins *span = &strands->spans[w->group->first_span + i];
        const size_t first = span->first_slot - w->slot, last = span->last_slot - w->slot;
        float square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const float *x = work_column(&w->c, WORK_X + axis);
            square += (x[last] - x[first]) * (x[last] - x[first]);
        }
        const float distance = __builtin_sqrtf(square), longest = span->rest_length * 1.00001f;
        if (strands->compliance[span->lane] > 0 || !(distance * 1.002f > span->rest_length)) {
            copy_lengths(w, first, last, 1);
            continue;
        }
        copy_lengths(w, first, last, span->rest_length > 0 ? 1.002f * distance / span->rest_length : 1);
        if (distance > longest) strands->infeasible[span->lane] = 1;
    }
}

/* Solves the strands of `failed`, for which the conserving solver did not converge, with the robust solver
 * from the same start. */
MOTE_OUTLINE void fall_back_to_robust(const strand_work *w, wide_mask failed, size_t lane) {
    const strand_columns *c = &w->c;
    const wide h = wide_set(w->job->plan->c.h), rate = wide_set((float)(1.0 / w->job->plan->h));
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
        /* Prediction by semi-implicit Euler; pinned points are at their goals. */
        wide3 v = wide3_add(work_load3(c, CONSERVE_OLD_V, at), work_load3(c, CONSERVE_DV, at));
        wide3 x = wide3_add_scaled(work_load3(c, WORK_START, at), h, v);
        x = wide3_select(wide_less((wide){0}, point_mass(c, at)), x, work_load3(c, CONSERVE_GOAL, at));
        work_store3(c, WORK_X, at, wide3_select(failed, x, work_load3(c, WORK_X, at)));
        work_store(c, CONSERVE_IMPULSE, at,
                   wide_select(failed, (wide){0}, work_load(c, CONSERVE_IMPULSE, at)));
    }
    count_lanes(w->job->strands->fallbacks + w->lane + lane, failed);
    hold_lengths(w, false, false, false, failed, lane);
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
        wide3 v = wide3_scale(rate, wide3_sub(work_load3(c, WORK_X, at), work_load3(c, WORK_START, at)));
        work_store3(c, WORK_V, at, wide3_select(failed, v, work_load3(c, WORK_V, at)));
    }
}

MOTE_INLINE void keep_old_velocity(const strand_work *w) {
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH)
        work_store3(&w->c, CONSERVE_OLD_V, at, work_load3(&w->c, WORK_V, at));
}

/* Conserving solver: doubles the number of subcycles until all strands converge. Strands that never do fall
 * back to the robust solver. */
MOTE_INLINE void conserve(const strand_work *w, bool first, size_t lane) {
    const strand_columns columns = w->c;
    uint32_t *iterations = w->job->strands->iterations + w->lane + lane;
    wide_mask live = wide_mask_load(w->live + lane);
    conserve_prepare(&columns, first, lane);
    for (uint32_t subcycles = 1; subcycles <= STRAND_MOST_SUBCYCLES && wide_lane_bits(live); subcycles *= 2)
        live = conserve_subcycles(&columns, &w->job->strands->def, iterations, subcycles, live,
                                  w->job->plan->h, lane);
    if (wide_lane_bits(live)) fall_back_to_robust(w, live, lane);
}

/* --- Loading and committing --- */

/* Prefetches a part of the next group's columns during the computation of this one: 0.9 of the time, measured
 * with more strands than the caches hold. */
MOTE_INLINE void fetch_ahead(const strand_work *w, uint32_t part, uint32_t parts) {
    const mote_strands *strands = w->job->strands;
    if (w->index + 1 >= strands->group_count) return;
    const mote_strand_group *next = w->group + 1;
    const float *const columns[8] = {strands->range.x[0],         strands->range.x[1], strands->range.x[2],
                                     strands->range.v[0],         strands->range.v[1], strands->range.v[2],
                                     strands->range.inverse_mass, strands->rest_length};
    const uint32_t first = (uint32_t)((uint64_t)next->points * part / parts);
    const uint32_t end = (uint32_t)((uint64_t)next->points * (part + 1) / parts);
    for (uint32_t k = first; k < end; k++)
        for (int i = 0; i < 8; i++) __builtin_prefetch(columns[i] + next->first + strand_at(k, 0), 0, 2);
}

static inline uint32_t shortest_of(const int32_t *points, uint32_t longest) {
    uint32_t shortest = longest;
    for (uint32_t i = 0; i < MOTE_GROUP; i++)
        if ((uint32_t)points[i] < shortest) shortest = (uint32_t)points[i];
    return shortest;
}

/* Selects the group and sets the pointers to its columns; load_group fills them. */
MOTE_INLINE void open_group(strand_work *w, const mote_strand_job *job, uint32_t index, float *scratch) {
    mote_strands *strands = job->strands;
    const mote_pin_run pins = strands->range.pins.run[index];
    w->job = job;
    w->index = index;
    w->group = &strands->group[index];
    w->pins = strands->range.pins.pins + pins.first;
    w->pin_count = pins.count;
    w->points = w->group->points;
    w->slot = w->group->first;
    w->lane = (size_t)index * MOTE_GROUP;
    w->c = (strand_columns){.memory = scratch,
                            .stride = work_stride(strands),
                            .inverse_mass = strands->range.inverse_mass + w->slot,
                            .rest_length = strands->rest_length + w->slot,
                            .bend_length = strands->bend_length ? strands->bend_length + w->slot : NULL,
                            .counts = strands->points + w->lane,
                            .points = w->points,
                            .shortest = shortest_of(strands->points + w->lane, w->points),
                            .pins = w->pin_count != 0,
                            .contacts = &w->contacts};
    w->contacts.touching[w->points] = STRAND_CLEAR;
}

MOTE_INLINE void load_group(strand_work *w) {
    mote_strands *strands = w->job->strands;
    const size_t bytes = (size_t)w->points * MOTE_GROUP * sizeof(float);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(work_column(&w->c, WORK_X + axis), strands->range.x[axis] + w->slot, bytes);
        memcpy(work_column(&w->c, WORK_V + axis), strands->range.v[axis] + w->slot, bytes);
        memset(work_column(&w->c, WORK_REACTION + axis), 0, w->c.pins ? bytes : MOTE_GROUP * sizeof(float));
    }
    memcpy(work_column(&w->c, WORK_LENGTH), strands->rest_length + w->slot, bytes);
    for (uint32_t i = 0; i < MOTE_GROUP; i++) {
        size_t lane = w->lane + i;
        w->live[i] = strands->points[lane] && !strands->frozen[lane] ? -1 : 0;
        w->stiffness[i] = strands->compliance[lane] > 0 ? 1.0f / strands->compliance[lane] : 0.0f;
        strands->iterations[lane] = strands->unsolved[lane] = strands->fallbacks[lane] = 0;
        strands->infeasible[lane] = 0;
    }
    w->moves = any_moves(w);
    if (w->job->uncoupled) mote_strand_unit_responses(w->job, w->index, w->unit_response);
    place(w, WORK_X, 0);
}

/* Stores the largest and the summed |length / rest length - 1| of the strands from `lane` on. */
MOTE_INLINE void measure_strain(const strand_work *w, size_t lane) {
    mote_strands *strands = w->job->strands;
    wide largest = (wide){0}, sum = (wide){0};
    float *const *x = (float *const *)strands->range.x;
    wide3 a = wide3_load(x, w->slot + lane);
    for (uint32_t k = 0; k + 1 < w->points; k++) {
        size_t at = w->slot + (size_t)k * MOTE_GROUP + lane;
        wide3 b = wide3_load(x, at + MOTE_GROUP), d = wide3_sub(b, a);
        wide length = wide_load(strands->rest_length + at);
        wide strain = wide_abs(wide_sqrt(wide3_dot(d, d)) / length - wide_set(1.0f));
        wide_mask counts =
            lanes_beyond(wide_mask_load(w->c.counts + lane), k + 1) & wide_less((wide){0}, length);
        strain = wide_select(counts & wide_equal(strain * 0.0f, (wide){0}), strain, (wide){0});
        largest = wide_max(largest, strain);
        sum += strain;
        a = b;
    }
    wide_store(strands->strain + w->lane + lane, largest);
    wide_store(strands->strain_sum + w->lane + lane, sum);
}

/* Writes the state back. A strand that turned non-finite keeps the state at the start of the step and is
 * frozen. */
MOTE_INLINE void commit_lanes(const strand_work *w, size_t lane) {
    mote_strands *strands = w->job->strands;
    wide_mask live = wide_mask_load(w->live + lane);
    wide_mask keep = live & finite_column3(&w->c, WORK_X, lane) & finite_column3(&w->c, WORK_V, lane);
    for (size_t at = lane; at < (size_t)w->points * MOTE_GROUP; at += MOTE_GROUP) {
        const size_t to = w->slot + at;
        strand_point a = work_point(&w->c, at);
        wide3 old = wide3_load(strands->range.x, to);
        if (w->job->keep_previous && strands->range.previous_x[0])
            wide3_store(strands->range.previous_x, to, old);
        wide3_store(strands->range.x, to, wide3_select(keep, a.x, old));
        wide3_store(strands->range.v, to, wide3_select(keep, a.v, wide3_load(strands->range.v, to)));
        if (at == lane || w->c.pins)
            wide3_store(strands->range.reaction, to,
                        wide3_select(keep, work_load3(&w->c, WORK_REACTION, at), wide3_zero()));
    }
    for (uint32_t bad = wide_lane_bits(live & ~keep); bad; bad &= bad - 1)
        strands->frozen[w->lane + lane + (size_t)__builtin_ctz(bad)] = 1;
    measure_strain(w, lane);
}

#endif
