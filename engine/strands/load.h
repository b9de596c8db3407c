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
        /* Of constrained strands. */
        strands->relative_x[0], strands->relative_x[1], strands->relative_x[2], strands->pressure,
        /* Of rods. */
        strands->mass, strands->tension, strands->joint_stiffness, strands->inverse_length,
        /* Of frames. */
        strands->joint_twist, strands->joint_across, strands->rest_turn[0], strands->rest_turn[1],
        strands->rest_turn[2], strands->frame[0], strands->frame[1], strands->frame[2], strands->frame[3]};
    const int count = strands->frame[0]          ? 25
                      : strands->joint_stiffness ? 16
                      : strands->relative_x[0]   ? 12
                                                 : 8;
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
    w->pins = pins.count ? strands->range.pins.pins + pins.first : NULL;
    w->pin_count = pins.count;
    w->points = w->group->points;
    w->slot = w->group->first;
    w->lane = (size_t)index * MOTE_GROUP;
    w->c = (strand_columns){.memory = scratch,
                            .inverse_mass = strands->range.inverse_mass + w->slot,
                            .rest_length = strands->rest_length + w->slot,
                            .counts = strands->points + w->lane,
                            .points = w->points,
                            .shortest = shortest_of(strands->points + w->lane, w->points),
                            .pins = w->pin_count != 0,
                            .contacts = &w->contacts};
    w->contacts.state[w->points] = STRAND_CLEAR;
}

/* Pointers to a group's columns of positions, as a local copy that no store can alias. */
typedef struct strand_places {
    float *x[3], *relative[3];
    bool low; /* positions have low parts */
} strand_places;

MOTE_INLINE strand_places places_of(const strand_work *w) {
    const mote_strands *strands = w->job->strands;
    strand_places p = {.low = strands->relative_x[0] != NULL};
    for (int axis = 0; axis < 3; axis++) {
        p.x[axis] = strands->range.x[axis] + w->slot;
        p.relative[axis] = p.low ? strands->relative_x[axis] + w->slot : NULL;
    }
    return p;
}

/* Returns the places in the columns, relative to the origin of the step. Springs have no low parts; their
 * origin is that of the world. before: the origin of the step before. */
MOTE_INLINE wide3 place_in_columns(const strand_places *p, wide3 before, wide3 origin, size_t at) {
    const wide3 x = wide3_load(p->x, at);
    if (!p->low) return x;
    const wide3 relative = wide3_load(p->relative, at), sum = wide3_add(origin, relative);
    /* If neither the root nor the host moved the point, the result is `relative`, exactly (without the sign
     * of zero). */
    const wide_mask kept = wide_equal(before.x, origin.x) & wide_equal(before.y, origin.y) &
                           wide_equal(before.z, origin.z) & wide_equal(x.x, sum.x) & wide_equal(x.y, sum.y) &
                           wide_equal(x.z, sum.z);
    if (wide_all(kept)) return wide3_add(relative, wide3_zero());
    return mote_relative_place(x, mote_low_place(x, before, relative), origin);
}

MOTE_INLINE wide3 origin_before(const strand_work *w, size_t lane) {
    const mote_strands *strands = w->job->strands;
    return strands->relative_x[0] ? wide3_load(strands->origin, w->lane + lane) : wide3_zero();
}

/* Loads the lengths, sums them and finds whether the strands are regular. */
MOTE_INLINE void load_lengths(strand_work *w) {
    const strand_columns columns = w->c, *c = &columns;
    bool regular = !c->pins && c->shortest == c->points;
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const wide_mask counts = wide_mask_load(c->counts + lane);
        wide total = (wide){0}, longest = (wide){0};
        wide_mask positive = ~(wide_mask){0};
        for (uint32_t k = 0; k < c->points; k++) {
            const size_t at = strand_at(k, lane);
            const wide length = wide_load(c->rest_length + at);
            const wide_mask exists = lanes_beyond(counts, k + 1);
            const wide own = wide_select(exists, length, (wide){0});
            total += own, longest = wide_max(longest, own);
            positive &= wide_less((wide){0}, length) | ~exists;
            work_store(c, WORK_LENGTH, at, length);
        }
        wide_store(w->length + lane, total);
        wide_store(w->longest + lane, longest);
        regular &= wide_all(positive);
    }
    w->c.regular = regular;
}

/* Loads the friction and pressure of contacts; 0 at points that the host has moved. */
MOTE_INLINE void load_friction(strand_work *w, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const strand_columns columns = w->c, *c = &columns;
    const strand_places places = places_of(w);
    const wide3 before = origin_before(w, lane);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide stored = wide_load(strands->pressure + w->slot + at);
        const uint32_t rubbed = wide_lane_bits(wide_less((wide){0}, stored));
        if (lane == 0) w->contacts.rubs[k] = w->contacts.rubbed[k] = 0;
        if (!rubbed) continue;
        const wide3 x = wide3_load(places.x, at), sum = wide3_add(before, wide3_load(places.relative, at));
        const wide_mask stays = wide_equal(x.x, sum.x) & wide_equal(x.y, sum.y) & wide_equal(x.z, sum.z);
        const wide pressure = wide_select(stays, stored, (wide){0});
        const wide3 friction = wide3_load(strands->friction, w->slot + at);
        work_store3(c, WORK_FRICTION, at, wide3_select(stays, friction, wide3_zero()));
        work_store(c, WORK_PRESSURE, at, pressure);
        set_rubs(&w->contacts, at, wide_less((wide){0}, pressure));
        w->contacts.rubbed[k] = (uint16_t)(w->contacts.rubbed[k] | rubbed << lane);
    }
}

/* Writes friction and pressure back where there is some, or was. */
MOTE_INLINE void commit_friction(const strand_work *w, wide_mask keep, size_t lane) {
    const mote_strands *strands = w->job->strands;
    float *const pressure = strands->pressure + w->slot;
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
        const bool rubbed = w->contacts.rubbed[at / MOTE_GROUP] >> lane & WORK_ALL_LANES;
        if (!rubbed && !rubs_at(&w->contacts, at)) continue;
        const wide3 old = wide3_load(strands->friction, w->slot + at);
        wide3_store(strands->friction, w->slot + at, wide3_select(keep, kept_friction(&w->c, at), old));
        wide_store(pressure + at, wide_select(keep, kept_pressure(&w->c, at), wide_load(pressure + at)));
    }
}

/* Loads velocities, and positions relative to the root's place at the start of the step. */
MOTE_INLINE void load_points(strand_work *w) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_places places = places_of(w);
    float *const *from = w->job->strands->range.v, *const v[3] = {from[0] + w->slot, from[1] + w->slot,
                                                                  from[2] + w->slot};
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const wide3 before = origin_before(w, lane),
                    origin = places.low ? wide3_load(places.x, lane) : wide3_zero();
        wide_store(w->origin[0] + lane, origin.x);
        wide_store(w->origin[1] + lane, origin.y);
        wide_store(w->origin[2] + lane, origin.z);
        for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
            work_store3(c, WORK_X, at, place_in_columns(&places, before, origin, at));
            work_store3(c, WORK_V, at, wide3_load(v, at));
        }
    }
}

/* Returns the offset of the last point of strand i of the group; of the first one where there is no strand.
 */
static inline size_t tip_of(const strand_work *w, size_t i) {
    const int32_t points = w->c.counts[i];
    return strand_at(points > 0 ? (uint32_t)points - 1 : 0, i);
}

/* Keeps the tensions of the segments of rods, and in the place of the last point, which has none behind it,
 * what the rod owes (pay_rods). */
MOTE_INLINE void commit_tensions(const strand_work *w, wide_mask keep, size_t lane) {
    float *to = w->job->strands->tension + w->slot;
    for (size_t at = lane; at < strand_at(w->points - 1, lane); at += MOTE_GROUP)
        wide_store(to + at, wide_select(keep, work_load(&w->c, WORK_TENSION, at), wide_load(to + at)));
    for (uint32_t bits = wide_lane_bits(keep); bits; bits &= bits - 1) {
        const size_t i = lane + (size_t)__builtin_ctz(bits);
        to[tip_of(w, i)] = w->job->collider_count ? w->deficit[i] : 0;
    }
}

/* Loads the tensions of rods, and what they owe. */
MOTE_INLINE void load_tensions(strand_work *w) {
    const float *from = w->job->strands->tension + w->slot;
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH)
        work_store(&w->c, WORK_TENSION, at, wide_load(from + at));
    for (size_t i = 0; i < MOTE_GROUP; i++) {
        w->deficit[i] = from[tip_of(w, i)];
        *work_lane(&w->c, WORK_TENSION, tip_of(w, i)) = 0;
    }
}

/* Returns whether the curls of a rod are solved in the turns of its segments. */
static inline uint8_t has_stiff_curls(const strand_work *w, size_t lane) {
    const float *rate = w->job->strands->curl_rate, h = w->job->plan->c.h;
    return rate && rate[lane] * (h * h) > ROD_STIFF_CURL;
}

/* Finds twice the energy of the joints of rods if each was bent by the rounding of the positions. */
MOTE_INLINE void find_noise(strand_work *w) {
    const mote_strands *strands = w->job->strands;
    const bool framed = strands->joint_twist != NULL;
    const float *across = framed ? strands->joint_across : strands->joint_stiffness,
                *along = framed ? strands->joint_twist : across;
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const wide rounding = wide_set(STRAND_ROUNDING) * wide_load(w->length + lane);
        wide sum = (wide){0};
        for (size_t at = lane; at < strand_at(w->points - 1, lane); at += MOTE_GROUP) {
            const wide error = rounding * wide_load(strands->inverse_length + w->slot + at);
            const wide bend = wide_load(across + w->slot + at), twist = wide_load(along + w->slot + at);
            sum += wide_max(bend, twist) * (error * error);
        }
        wide_store(w->noise + lane, sum);
    }
}

MOTE_INLINE void load_group(strand_work *w) {
    mote_strands *strands = w->job->strands;
    load_lengths(w);
    if (strands->joint_stiffness) find_noise(w);
    load_points(w);
    for (size_t lane = 0; lane < MOTE_GROUP && rubs(w); lane += MOTE_WIDTH) load_friction(w, lane);
    for (size_t at = 0; at < strand_at(w->c.pins ? w->points : 1, 0); at += MOTE_WIDTH)
        work_store3(&w->c, WORK_REACTION, at, wide3_zero());
    memset(w->deficit, 0, sizeof w->deficit);
    if (strands->tension) load_tensions(w);
    for (size_t at = 0; at < strand_at(w->points, 0) && strands->frame[0]; at += MOTE_WIDTH)
        for (int i = 0; i < 4; i++)
            work_store(&w->c, ROD_FRAME + i, at, wide_load(strands->frame[i] + w->slot + at));
    memset(w->kicks, 0, sizeof w->kicks);
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
    memcpy(w->arrived, w->root_rotation, sizeof w->arrived);
    memset(w->lead, 0, sizeof w->lead);
    w->leads = false;
}

/* Stores the largest and the summed |length / rest length - 1| of the strands from `lane` on. Returns the
 * lanes whose state is finite. */
MOTE_INLINE wide_mask measure(const strand_work *w, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const strand_columns columns = w->c, *c = &columns;
    const wide_mask exist = wide_mask_load(c->counts + lane);
    wide largest = (wide){0}, sum = (wide){0};
    strand_point a = work_point(c, lane);
    wide probe = wide3_finite_probe(a.x) + wide3_finite_probe(a.v);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point b = work_point(c, at + MOTE_GROUP);
        const wide3 d = wide3_sub(b.x, a.x);
        wide length = wide_load(c->rest_length + at);
        wide strain = wide_abs(wide_sqrt(wide3_dot(d, d)) / length - wide_set(1.0f));
        wide_mask counts = lanes_beyond(exist, k + 1) & wide_less((wide){0}, length);
        strain = wide_select(counts & wide_equal(strain * 0.0f, (wide){0}), strain, (wide){0});
        largest = wide_max(largest, strain);
        sum += strain;
        probe += wide3_finite_probe(b.x) + wide3_finite_probe(b.v);
        a = b;
    }
    wide_store(strands->strain + w->lane + lane, largest);
    wide_store(strands->strain_sum + w->lane + lane, sum);
    return wide_equal(probe, (wide){0});
}

/* Loads the places of strands that keep their state, for the measurement of their strains. */
MOTE_OUTLINE void restore_places(const strand_work *w, wide_mask lanes, wide3 before, size_t lane) {
    const strand_places places = places_of(w);
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP)
        work_store3(&w->c, WORK_X, at,
                    wide3_select(lanes, place_in_columns(&places, before, origin_of(w, lane), at),
                                 work_load3(&w->c, WORK_X, at)));
}

/* Writes positions and velocities of the lanes of `keep` back. all: these are all lanes. */
MOTE_INLINE void commit_points(const strand_work *w, wide_mask keep, bool all, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const strand_columns columns = w->c, *c = &columns;
    const strand_places places = places_of(w);
    const bool previous = w->job->keep_previous && strands->range.previous_x[0];
    const bool previous_low = previous && strands->previous_low[0];
    const wide3 origin = origin_of(w, lane), origin_then = origin_before(w, lane);
    float *v[3], *before[3] = {NULL}, *low[3] = {NULL};
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = strands->range.v[axis] + w->slot;
        if (previous) before[axis] = strands->range.previous_x[axis] + w->slot;
        if (previous_low) low[axis] = strands->previous_low[axis] + w->slot;
    }
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        const strand_point a = work_point(c, at);
        const wide3 world = places.low ? wide3_add(origin, a.x) : a.x;
        const wide3 old = all && !previous ? world : wide3_load(places.x, at);
        if (previous) wide3_store(before, at, old);
        if (previous_low)
            wide3_store(low, at, mote_low_place(old, origin_then, wide3_load(places.relative, at)));
        if (places.low)
            wide3_store(places.relative, at,
                        all ? a.x : wide3_select(keep, a.x, wide3_load(places.relative, at)));
        wide3_store(places.x, at, all ? world : wide3_select(keep, world, old));
        wide3_store(v, at, all ? a.v : wide3_select(keep, a.v, wide3_load(v, at)));
    }
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

/* Returns the lanes whose tensions and frames are finite. */
MOTE_OUTLINE wide_mask rods_are_finite(const strand_work *w, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const bool framed = w->job->strands->frame[0] != NULL;
    wide probe = (wide){0};
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        wide sum = work_load(c, WORK_TENSION, at) * 0.0f;
        for (int i = 0; i < 4 && framed; i++) sum += work_load(c, ROD_FRAME + i, at) * 0.0f;
        probe += wide_select(lanes_beyond(counts, k + 1), sum, (wide){0});
    }
    return wide_equal(probe, (wide){0});
}

/* Writes the state back. A strand that turned non-finite keeps the state at the start of the step and is
 * frozen. */
MOTE_INLINE void commit_lanes(const strand_work *w, size_t lane) {
    mote_strands *strands = w->job->strands;
    const wide_mask live = wide_mask_load(w->live + lane);
    wide_mask keep = live & measure(w, lane);
    if (strands->tension) keep &= rods_are_finite(w, lane);
    const wide3 before = origin_before(w, lane);
    const wide_mask kept = lanes_beyond(wide_mask_load(w->c.counts + lane), 0) & ~keep;
    if (wide_all(keep))
        commit_points(w, keep, true, lane);
    else
        commit_points(w, keep, false, lane);
    for (size_t at = lane; at < strand_at(w->c.pins ? w->points : 1, lane); at += MOTE_GROUP)
        wide3_store(strands->range.reaction, w->slot + at,
                    wide3_select(keep, work_load3(&w->c, WORK_REACTION, at), wide3_zero()));
    for (uint32_t bad = wide_lane_bits(live & ~keep); bad; bad &= bad - 1)
        strands->frozen[w->lane + lane + (size_t)__builtin_ctz(bad)] = 1;
    if (strands->origin[0])
        wide3_store(strands->origin, w->lane + lane, wide3_select(keep, origin_of(w, lane), before));
    if (rubs(w)) commit_friction(w, keep, lane);
    if (strands->frame[0]) commit_frames(w, keep, lane);
    if (strands->tension) commit_tensions(w, keep, lane);
    if (wide_lane_bits(kept) == 0) return;
    restore_places(w, kept, origin_before(w, lane), lane);
    (void)measure(w, lane);
}

#endif
