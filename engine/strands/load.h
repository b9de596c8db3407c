/* Loads the state of a lane group of strands to scratch, and commits it. */
#ifndef MOTE_STRANDS_LOAD_H
#define MOTE_STRANDS_LOAD_H

#include "strands/rod_step.h"

/* Prefetches a part of the next group's columns during the computation of this one: 0.9 of the time, measured
 * with more strands than the caches hold. */
MOTE_INLINE void fetch_ahead(const strand_work *w, uint32_t part, uint32_t parts) {
    const mote_strands *strands = w->job->strands;
    if (w->index + 1 >= strands->group_count) return;
    const mote_strand_group *next = w->group + 1;
    const float *const columns[] = {
        strands->range.x[0], strands->range.x[1], strands->range.x[2], strands->range.v[0],
        strands->range.v[1], strands->range.v[2], strands->range.inverse_mass, strands->rest_length,
        /* Of rods. */
        strands->mass, strands->tension, strands->joint_stiffness, strands->inverse_length,
        /* Of frames. */
        strands->joint_twist, strands->rest_turn[0], strands->rest_turn[1], strands->rest_turn[2],
        strands->frame[0], strands->frame[1], strands->frame[2], strands->frame[3]};
    const int count = strands->frame[0] ? 20 : strands->joint_stiffness ? 12 : 8;
    const uint32_t first = (uint32_t)((uint64_t)next->points * part / parts);
    const uint32_t end = (uint32_t)((uint64_t)next->points * (part + 1) / parts);
    for (uint32_t k = first; k < end; k++)
        for (int i = 0; i < count; i++) __builtin_prefetch(columns[i] + next->first + strand_at(k, 0), 0, 2);
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
                            .counts = strands->points + w->lane,
                            .points = w->points,
                            .shortest = shortest_of(strands->points + w->lane, w->points),
                            .pins = w->pin_count != 0,
                            .contacts = &w->contacts};
    w->contacts.state[w->points] = STRAND_CLEAR;
}

/* Returns the places in the columns, relative to the origin of the step. Springs have no low parts; their
 * origin is that of the world. */
MOTE_INLINE wide3 place_in_columns(const strand_work *w, size_t at, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const wide3 x = wide3_load(strands->range.x, w->slot + at);
    if (!strands->relative_x[0]) return x;
    const wide3 low = mote_low_place(x, wide3_load(strands->origin, w->lane + lane),
                                     wide3_load(strands->relative_x, w->slot + at));
    return mote_relative_place(x, low, origin_of(w, lane));
}

/* Loads positions relative to the root's place at the start of the step. */
MOTE_INLINE void load_positions(strand_work *w) {
    const mote_strands *strands = w->job->strands;
    bool regular = !w->c.pins && w->c.shortest == w->points;
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const wide3 origin =
            strands->relative_x[0] ? wide3_load(strands->range.x, w->slot + lane) : wide3_zero();
        wide total = (wide){0};
        wide_mask positive = ~(wide_mask){0};
        wide_store(w->origin[0] + lane, origin.x);
        wide_store(w->origin[1] + lane, origin.y);
        wide_store(w->origin[2] + lane, origin.z);
        for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
            const wide_mask exists =
                lanes_beyond(wide_mask_load(w->c.counts + lane), (uint32_t)(at / MOTE_GROUP) + 1);
            const wide length = wide_load(strands->rest_length + w->slot + at);
            total += wide_select(exists, length, (wide){0});
            positive &= wide_less((wide){0}, length) | ~exists;
            work_store3(&w->c, WORK_X, at, place_in_columns(w, at, lane));
        }
        wide_store(w->length + lane, total);
        regular &= wide_all(positive);
    }
    w->regular = regular;
}

MOTE_INLINE void commit_tensions(const strand_work *w, wide_mask keep, size_t lane) {
    float *to = w->job->strands->tension + w->slot;
    for (size_t at = lane; at < strand_at(w->points - 1, lane); at += MOTE_GROUP)
        wide_store(to + at, wide_select(keep, work_load(&w->c, WORK_TENSION, at), wide_load(to + at)));
}

/* Whether the smallest parts of a substep are too long for the curls of a rod. */
static inline uint8_t has_stiff_curls(const strand_work *w, size_t lane) {
    const float *rate = w->job->strands->curl_rate, h = w->job->plan->c.h / (float)(1u << ROD_HALVINGS);
    return rate && rate[lane] * (h * h) > ROD_CURL_LIMIT;
}

MOTE_INLINE void load_group(strand_work *w) {
    mote_strands *strands = w->job->strands;
    const size_t bytes = (size_t)w->points * MOTE_GROUP * sizeof(float);
    load_positions(w);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(work_column(&w->c, WORK_V + axis), strands->range.v[axis] + w->slot, bytes);
        memset(work_column(&w->c, WORK_REACTION + axis), 0, w->c.pins ? bytes : MOTE_GROUP * sizeof(float));
    }
    memcpy(work_column(&w->c, WORK_LENGTH), strands->rest_length + w->slot, bytes);
    for (int i = 0; i < 4 && strands->frame[0]; i++)
        memcpy(work_column(&w->c, ROD_FRAME + i), strands->frame[i] + w->slot, bytes);
    if (strands->tension) memcpy(work_column(&w->c, WORK_TENSION), strands->tension + w->slot, bytes);
    memset(w->deficit, 0, sizeof w->deficit);
    memset(w->kinetic, 0, sizeof w->kinetic);
    for (uint32_t i = 0; i < MOTE_GROUP; i++) {
        size_t lane = w->lane + i;
        w->live[i] = strands->points[lane] && !strands->frozen[lane] ? -1 : 0;
        w->stiffness[i] = strands->compliance[lane] > 0 ? 1.0f / strands->compliance[lane] : 0.0f;
        strands->iterations[lane] = strands->unsolved[lane] = strands->fallbacks[lane] = 0;
        strands->buried[lane] = 0;
        strands->infeasible[lane] = 0;
        strands->stiff_curls[lane] = has_stiff_curls(w, lane);
    }
    w->moves = any_moves(w);
    if (w->job->uncoupled) mote_strand_unit_responses(w->job, w->index, w->unit_response);
    place(w, WORK_X, 0);
}

/* Stores the largest and the summed |length / rest length - 1| of the strands from `lane` on. */
MOTE_INLINE void measure_strain(const strand_work *w, size_t lane) {
    mote_strands *strands = w->job->strands;
    wide largest = (wide){0}, sum = (wide){0};
    wide3 a = work_load3(&w->c, WORK_X, lane);
    for (uint32_t k = 0; k + 1 < w->points; k++) {
        const size_t at = strand_at(k, lane);
        wide3 b = work_load3(&w->c, WORK_X, at + MOTE_GROUP), d = wide3_sub(b, a);
        wide length = wide_load(strands->rest_length + w->slot + at);
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

/* Loads the places of strands that keep their state, for the measurement of their strains. */
MOTE_OUTLINE void restore_places(const strand_work *w, wide_mask lanes, size_t lane) {
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP)
        work_store3(&w->c, WORK_X, at,
                    wide3_select(lanes, place_in_columns(w, at, lane), work_load3(&w->c, WORK_X, at)));
}

/* Keeps the place at the start of the step for presentation. */
MOTE_INLINE void commit_previous(const strand_work *w, wide3 old, size_t at, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const size_t to = w->slot + at;
    if (!w->job->keep_previous || !strands->range.previous_x[0]) return;
    wide3_store(strands->range.previous_x, to, old);
    if (strands->previous_low[0])
        wide3_store(strands->previous_low, to,
                    mote_low_place(old, wide3_load(strands->origin, w->lane + lane),
                                   wide3_load(strands->relative_x, to)));
}

MOTE_INLINE void commit_frames(const strand_work *w, wide_mask keep, size_t lane) {
    const mote_strands *strands = w->job->strands;
    for (size_t at = lane; at < strand_at(w->points - 1, lane); at += MOTE_GROUP)
        for (int i = 0; i < 4; i++) {
            float *to = strands->frame[i] + w->slot + at;
            const wide old = wide_load(to);
            if (w->job->keep_previous && strands->previous_frame[0])
                wide_store(strands->previous_frame[i] + w->slot + at, old);
            wide_store(to, wide_select(keep, work_load(&w->c, ROD_FRAME + i, at), old));
        }
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
        commit_previous(w, old, at, lane);
        wide3 world = a.x;
        if (strands->relative_x[0]) {
            world = wide3_add(origin_of(w, lane), a.x);
            wide3_store(strands->relative_x, to,
                        wide3_select(keep, a.x, wide3_load(strands->relative_x, to)));
        }
        wide3_store(strands->range.x, to, wide3_select(keep, world, old));
        wide3_store(strands->range.v, to, wide3_select(keep, a.v, wide3_load(strands->range.v, to)));
        if (at == lane || w->c.pins)
            wide3_store(strands->range.reaction, to,
                        wide3_select(keep, work_load3(&w->c, WORK_REACTION, at), wide3_zero()));
    }
    for (uint32_t bad = wide_lane_bits(live & ~keep); bad; bad &= bad - 1)
        strands->frozen[w->lane + lane + (size_t)__builtin_ctz(bad)] = 1;
    if (strands->origin[0])
        wide3_store(strands->origin, w->lane + lane,
                    wide3_select(keep, origin_of(w, lane), wide3_load(strands->origin, w->lane + lane)));
    if (strands->frame[0]) commit_frames(w, keep, lane);
    if (strands->tension) commit_tensions(w, keep, lane);
    const wide_mask kept = lanes_beyond(wide_mask_load(w->c.counts + lane), 0) & ~keep;
    if (wide_lane_bits(kept)) restore_places(w, kept, lane);
    measure_strain(w, lane);
}

#endif
