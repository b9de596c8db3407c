/* Parts of a substep, lane by lane, and the ends that all steps of constrained strands share: arrival of
 * pinned points, search for colliders, projection of strands that are not solved. */
#ifndef MOTE_STRANDS_PARTS_H
#define MOTE_STRANDS_PARTS_H

#include "strands/step.h"
#include "strands/energy_limit.h"

static const int substep_start[2] = {WORK_START, IMPULSE_OLD_V},
                 part_start[2] = {IMPULSE_FROM, IMPULSE_FROM_V};

/* Square of the sine between two normals below which they are one. */
#define STRAND_ONE_NORMAL 0x1p-20f

/* Returns whether affine forces depend on neither the place, the velocity nor the mass of a point. */
MOTE_INLINE bool is_constant(const mote_coupled_affine *own) {
    const float *damping = own->evaluation.acceleration.damping;
    return !own->stiff_acceleration && !own->force && damping[0] == 0 && damping[1] == 0 && damping[2] == 0;
}

/* Returns whether own forces give every free point the same kick. */
MOTE_INLINE bool same_kicks(const strand_work *w, const mote_coupled_affine *own) {
    return !w->all && is_constant(own);
}

MOTE_INLINE strand_part part_of(const strand_work *w, const mote_coupled_affine *own, size_t lane) {
    const wide h = wide_set(w->job->plan->c.h);
    return (strand_part){.h = h,
                         .share = wide_set(1.0f),
                         .drift = wide_set(0.5f) * h,
                         .outward = wide_set(STRAND_G - 0.5f) * h,
                         .own = w->all ? NULL : own,
                         .origin = origin_of(w, lane),
                         .kick = wide3_set(own->evaluation.acceleration.constant)};
}

MOTE_INLINE strand_bounds bounds_of(const strand_work *w, size_t lane) {
    const float limit = w->job->strands->def.max_strain;
    return (strand_bounds){.counts = wide_mask_load(w->c.counts + lane),
                           .low = wide_set(limit < 1 ? (1 - limit) * (1 - limit) : 0.0f),
                           .high = wide_set((1 + limit) * (1 + limit)),
                           .rounding = wide_set(STRAND_ROUNDING) * wide_load(w->length + lane)};
}

/* Lanes of a register in parts of their substep, in units of the smallest part: `done` of them are over, and
 * the next part takes `size`. Parts are those of a binary tree: after one, the next is as large as the place
 * that it begins at allows, and `most` at the longest. */
typedef struct strand_halving {
    MOTE_ALIGNED(64) int32_t done[MOTE_GROUP];
    MOTE_ALIGNED(64) int32_t size[MOTE_GROUP];
    MOTE_ALIGNED(64) int32_t most[MOTE_GROUP];
} strand_halving;

/* Advances the lanes of `passed` to their next part, halves the part of the others of `tried`, and sets h and
 * the share of the next part. Half a part has about a quarter of its W P h, `stiffness`: parts are halved as
 * often as that asks for, once at least. Returns the lanes that have a next part. */
MOTE_INLINE wide_mask next_parts(const strand_work *w, strand_halving *s, uint32_t units, wide_mask tried,
                                 wide_mask passed, wide stiffness, strand_part *p) {
    MOTE_ALIGNED(64) int32_t left[MOTE_WIDTH], try[MOTE_WIDTH], pass[MOTE_WIDTH];
    MOTE_ALIGNED(64) float share[MOTE_WIDTH];
    wide_mask_store(try, tried), wide_mask_store(pass, passed);
    for (size_t i = 0; i < MOTE_WIDTH; i++) {
        if (pass[i]) {
            s->done[i] += s->size[i];
            s->size[i] = s->done[i] & -s->done[i];
            if (s->size[i] > s->most[i]) s->size[i] = s->most[i];
        } else if (try[i]) {
            float left_over = wide_element(stiffness, (int)i);
            do s->size[i] /= 2, left_over *= 0.25f;
            while (s->size[i] > 1 && left_over > STRAND_IMPULSE);
        }
        left[i] = try[i] && (uint32_t)s->done[i] < units ? -1 : 0;
        share[i] = left[i] ? (float)s->size[i] / (float)units : 0.0f;
    }
    p->share = wide_load(share);
    p->h = wide_set(w->job->plan->c.h) * p->share;
    p->outward = wide_set(STRAND_G - 0.5f) * p->h;
    p->drift = wide_set(0.5f) * p->h;
    return wide_mask_load(left);
}

static inline wide_mask smallest_parts(const strand_halving *s) {
    MOTE_ALIGNED(64) int32_t last[MOTE_WIDTH];
    for (size_t i = 0; i < MOTE_WIDTH; i++) last[i] = s->size[i] == 1 ? -1 : 0;
    return wide_mask_load(last);
}

/* Moves the pinned points of a register to their goals at the end of the substep. */
MOTE_INLINE void arrive(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide_mask free = wide_less((wide){0}, point_mass(c, lane));
    work_store3(c, WORK_X, lane,
                wide3_select(free, work_load3(c, WORK_X, lane), work_load3(c, IMPULSE_GOAL, lane)));
    for (uint32_t i = 0; i < w->pin_count; i++) {
        const size_t at = pin_offset(w, &w->pins[i]);
        if (at % MOTE_GROUP - lane >= MOTE_WIDTH) continue; /* of another register */
        for (int axis = 0; axis < 3; axis++)
            *work_lane(c, WORK_X + axis, at) = *work_lane(c, IMPULSE_GOAL + axis, at);
    }
}

/* Returns the lanes with a plane at some point. */
MOTE_OUTLINE wide_mask lanes_near(const strand_work *w, uint32_t substep, size_t lane) {
    const bool some = w->job->collider_count && near_colliders(w, substep, lane);
    return some ? wide_mask_load(w->contacts.near) : (wide_mask){0};
}

/* Returns whether a collider within reach is enough for a step of first order. Air has taken the energy of
 * such strands already, and to search twice costs hair in air 18 to 20 % of its speed (measured). */
MOTE_INLINE bool touches_from_afar(const strand_work *w) {
    const mote_strands_def *def = &w->job->strands->def;
    return def->normal_drag != 0 || def->tangential_drag != 0;
}

/* Returns the lanes of `near`, which have planes, that touch them: a point is behind its plane, or the last
 * substep pressed it on the plane and it is as near as lengths are solved, or the root is in a collider. */
MOTE_OUTLINE wide_mask touching(const strand_work *w, wide_mask near, size_t lane) {
    const strand_columns *c = &w->c;
    const wide slack = wide_set(w->job->strands->def.max_strain);
    if (touches_from_afar(w) || wide_lane_bits(near) == 0) return near;
    wide_mask touch = wide_mask_load(w->contacts.inside);
    for (uint32_t i = 0; i < w->contacts.count; i++) {
        const uint32_t k = w->contacts.point[i];
        const size_t at = strand_at(k, lane);
        const strand_plane *plane = plane_at(c, at);
        const wide gap = wide3_dot(plane->normal, work_load3(c, WORK_X, at)) - plane->offset;
        const wide_mask pressed = wide_less((wide){0}, kept_pressure(c, at));
        touch |= wide_less(gap, (wide){0}) | (pressed & wide_less(gap, slack * segment_length(c, k, at)));
    }
    return near & touch;
}

/* Projections of strands that are not solved. Hair under a ball of 3 to 100 m/s, 15,840 frames: 4 projections
 * left segments of four times their length, 8 only at 100 m/s (measured). */
#define STRAND_PROJECTIONS 8

/* Returns the number of points with planes in some lane. */
MOTE_INLINE uint32_t plane_count(const strand_work *w) {
    return w->job->collider_count ? w->contacts.count : 0;
}
MOTE_INLINE bool has_planes(const strand_work *w) { return plane_count(w) != 0; }

/* Returns those of the lanes that took hold_contacts more than STRAND_NEAR_SOLVES iterations. */
MOTE_INLINE wide_mask lanes_far(const strand_work *w, wide_mask lanes) {
    return has_planes(w) ? lanes & wide_mask_load(w->contacts.far) : (wide_mask){0};
}

/* Solves the lanes to first order. Returns those that are not solved. */
MOTE_INLINE wide_mask hold_contacts(const strand_work *w, wide_mask lanes, size_t lane) {
    if (!has_planes(w) && w->job->collider_count) forget_contacts(&w->c, lanes, lane);
    return hold(w, has_planes(w), lanes, lane);
}

/* Returns the lanes to project: those of `left`, which are not solved, and after the last substep those whose
 * solution may have moved points into colliders that were out of their reach. */
MOTE_INLINE wide_mask lanes_to_project(const strand_work *w, uint32_t substep, wide_mask left) {
    const bool last = substep + 1 == w->job->plan->substeps;
    return last ? left | lanes_far(w, wide_mask_load(w->contacts.near)) : left;
}

/* Projects the lanes to their lengths and out of colliders in turn, contact last. Overwrites the planes of
 * the register. */
MOTE_OUTLINE void project_lanes(const strand_work *w, uint32_t substep, wide_mask lanes, size_t lane) {
    const wide_mask rigid = wide_equal(wide_load(w->job->strands->compliance + w->lane + lane), (wide){0});
    for (int i = 0; i < STRAND_PROJECTIONS && w->job->collider_count && wide_lane_bits(lanes); i++) {
        if (i) project_lengths(&w->c, lanes & rigid, lane);
        lanes = near_colliders(w, substep, lane) ? project_contacts(&w->c, lanes, lane) : (wide_mask){0};
    }
}

/* Counts the substep of those lanes as unsolved in which a segment is off its length by more than max_strain.
 */
MOTE_OUTLINE void count_strained(const strand_work *w, wide_mask lanes, size_t lane) {
    const strand_columns *c = &w->c;
    const strand_bounds bounds = bounds_of(w, lane);
    wide_mask strained = (wide_mask){0};
    lanes &= wide_equal(wide_load(w->job->strands->compliance + w->lane + lane), (wide){0});
    if (!wide_lane_bits(lanes)) return;
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 d = wide3_sub(work_load3(c, WORK_X, at + MOTE_GROUP), work_load3(c, WORK_X, at));
        strained |= ~has_length(c, &bounds, false, d, k, at);
    }
    count_lanes(w->job->strands->unsolved + w->lane + lane, lanes & strained);
}

#endif
