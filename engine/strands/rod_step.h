/* A substep of rods (rod.h): in parts where a few iterations of Newton's method do not hold the lengths. */
#ifndef MOTE_STRANDS_ROD_STEP_H
#define MOTE_STRANDS_ROD_STEP_H

#include "strands/parts.h"
#include "strands/rod_plain.h"
#include "strands/rod_turns.h"

/* Curls: in a rod that is bent at rest, the solve for the lengths ignores that the bending forces turn with
 * the segments. With the rest curvature kappa this is stable while kappa^4 h^2 max(EI, GJ) / (kg/m) is small,
 * of flat rods with the larger EI.
 * Helices, arcs and kinks of 17 to 65 points and GJ / EI of 0.05 to 200 at 4 to 32 substeps came to rest at
 * 0.4; the first shook at 0.8 (measured). Above the limit, which is ROD_CURL_LIMIT, a substep is taken in
 * parts from the beginning. Above ROD_STIFF_CURL, which four parts hold, it is solved in the turns of the
 * segments (rod_turns.h), which is faster than more parts and holds curls of any stiffness. */
#define ROD_CURL_LIMIT 0.4f
#define ROD_STIFF_CURL (16 * ROD_CURL_LIMIT)

/* Whether an instance is for rods with frames. Compact kernels hold only the instances whose name says
 * framed. */
#define ROD_HAS_FRAMES(w)       ((w)->job->strands->frame[0] != NULL)
#define ROD_FRAMED(constant, w) MOTE_SPECIALISED(constant, ROD_HAS_FRAMES(w))
#define ROD_INSTANCE(framed)    MOTE_SPECIALISED(framed, (framed) || true)

/* Rods whose lengths this many iterations do not hold take their substep in parts, up to 2^ROD_HALVINGS. */
#define ROD_ITERATIONS 3u
#define ROD_HALVINGS   4u

/* Sets the length of the part: p->h. */
MOTE_INLINE void rod_set_part(rod_terms *t, const strand_part *p) {
    const wide one = wide_set(1.0f);
    const wide_mask some = wide_less((wide){0}, p->h);
    t->part = *p;
    t->part.drift = (wide){0}; /* forces act at the start of the part */
    t->square = p->h * p->h;
    t->rate = wide_select(some, one / wide_select(some, p->h, one), (wide){0});
}

/* Sets the columns of frames and that of the clamp: the root's rotation, then the first frame at rest. */
MOTE_INLINE void rod_set_frames(const strand_work *w, rod_terms *t, size_t lane) {
    const mote_strands *strands = w->job->strands;
    wide q[4], rest[4], norm = (wide){0};
    for (int i = 0; i < 4; i++) q[i] = wide_load(w->root_rotation[i] + lane), norm += q[i] * q[i];
    const wide scale = wide_set(1.0f) / wide_sqrt(norm);
    for (int i = 0; i < 4; i++) rest[i] = wide_load(strands->rest_frame[i] + w->slot + lane);
    const rod_frame root = {{scale * q[0], scale * q[1], scale * q[2]}, scale * q[3]};
    t->root_frame = rod_compose(root, (rod_frame){{rest[0], rest[1], rest[2]}, rest[3]});
    t->joint_twist = strands->joint_twist + w->slot;
    t->joint_across = strands->joint_across + w->slot;
    for (int i = 0; i < 3; i++) t->rest_turn[i] = strands->rest_turn[i] + w->slot;
}

MOTE_INLINE rod_terms rod_terms_of(const strand_work *w, const mote_coupled_affine *own, const int keep[2],
                                   bool framed, size_t lane) {
    const mote_strands *strands = w->job->strands;
    strand_part p = part_of(w, own, lane);
    rod_terms t = {
        .joint = strands->joint_stiffness + w->slot,
        .inverse_length = strands->inverse_length + w->slot,
        .mass = strands->mass + w->slot,
        .rest_length = strands->rest_length + w->slot,
        .root = turned_by_root(w, lane, wide3_load((float *const *)strands->root_direction, w->lane + lane)),
        .start = keep[0],
        .start_v = keep[1],
        .arrives = keep == substep_start};
    t.framed = framed;
    if (framed) rod_set_frames(w, &t, lane);
    rod_set_part(&t, &p);
    return t;
}

/* Iterations of Newton's method before a substep is taken in parts. */
MOTE_INLINE uint32_t rod_iterations(const strand_work *w) {
    const uint32_t most = w->job->strands->def.max_iterations;
    return most < ROD_ITERATIONS ? most : ROD_ITERATIONS;
}

/* Iterations of Newton's method after the first, for the rods of `unsolved`. Returns those that are not yet
 * held. */
MOTE_INLINE wide_mask iterate_rods(const strand_work *w, strand_terms *lengths, wide_mask unsolved,
                                   size_t lane) {
    const strand_columns columns = w->c;
    const uint32_t most = rod_iterations(w);
    lengths->everyone = false;
    for (uint32_t i = 1; i < most && wide_lane_bits(unsolved); i++) {
        count_lanes(w->job->strands->iterations + w->lane + lane, unsolved);
        unsolved = newton(&columns, lengths, unsolved, lane);
    }
    return unsolved;
}

MOTE_OUTLINE wide_mask iterate_more(const strand_work *w, strand_terms *lengths, wide_mask unsolved,
                                    size_t lane) {
    return iterate_rods(w, lengths, unsolved, lane);
}

/* Bends the rods of `live` over t->part and holds their lengths, the first iteration in the same sweeps.
 * Returns those that are not yet held. */
MOTE_INLINE wide_mask step_rod_part(const strand_work *w, const rod_terms *t, strand_terms *lengths,
                                    wide_mask live, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    impulse_copy_reaction(c, WORK_REACTION, IMPULSE_REACTED, ~(wide_mask){0}, lane);
    lengths->rate = t->rate, lengths->everyone = wide_all(live);
    const strand_chain chain = rod_bend(c, t, lengths, lane);
    count_lanes(w->job->strands->iterations + w->lane + lane, live);
    return iterate_rods(w, lengths, newton_back(c, lengths, live, chain.x, lane), lane);
}

/* Returns the lanes with curls above the limit. */
MOTE_INLINE wide_mask rods_that_curl(const strand_work *w, float limit, size_t lane) {
    const float h = w->job->plan->c.h;
    return wide_less(wide_set(limit),
                     wide_load(w->job->strands->curl_rate + w->lane + lane) * wide_set(h * h));
}

/* Keeps the state of a register at the start of the substep. */
MOTE_INLINE void keep_rods(const strand_columns *c, size_t lane) {
    impulse_copy_reaction(c, WORK_REACTION, IMPULSE_REACTED, ~(wide_mask){0}, lane);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        work_store3(c, WORK_START, at, work_load3(c, WORK_X, at));
        work_store3(c, IMPULSE_OLD_V, at, work_load3(c, WORK_V, at));
        work_store(c, ROD_TENSION, at, work_load(c, WORK_TENSION, at));
    }
}

/* Steps the rods of `lanes`, whose curls are stiff, in the turns of their segments, from the state that
 * substep_start keeps. Pinned points are heavy there, and lengths between them are then solved for. */
MOTE_OUTLINE void turn_rods(const strand_work *w, const mote_coupled_affine *own, wide_mask lanes,
                            size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_parts_of of = {.gains = true, .rods = true};
    const rod_terms t = rod_terms_of(w, own, substep_start, true, lane);
    rod_undo(c, lanes, substep_start, lane);
    turns_align(c, &t, wide_set(w->job->strands->def.max_strain + 0x1p-10f), lanes, lane);
    wide_mask left = lanes;
    for (uint32_t i = 0; i < TURNS_ITERATIONS && wide_lane_bits(left); i++) {
        count_lanes(w->job->strands->iterations + w->lane + lane, left);
        left = turns_iterate(c, &t, left, i == 0, lane);
    }
    const wide slack = wide_set(w->job->strands->def.max_strain);
    const wide_mask pinned = turns_place(c, &t, slack, lanes, lane);
    turns_react(c, &t, lanes, lane);
    if (!c->pins) return;
    strand_terms lengths = make_terms(w, of, lane);
    if (wide_lane_bits(pinned)) (void)hold_lengths(w, of, lengths, pinned, lane);
    /* Pinned points stand at their goals, to which the frames beside them did not quite point. */
    const wide_mask with = lanes & turns_with_pins(c, lane);
    if (wide_lane_bits(with)) rod_turn_frames(c, t.inverse_length, false, with, lane);
}

/* Sets the size of each lane's first part to the whole substep, or for curls to twice the longest part that
 * holds them; next_parts halves it. */
static inline void begin_parts(const strand_work *w, strand_halving *s, bool framed, size_t lane) {
    const float h = w->job->plan->c.h;
    for (size_t i = 0; i < MOTE_WIDTH; i++) {
        int32_t size = 1 << ROD_HALVINGS;
        float rate = framed ? w->job->strands->curl_rate[w->lane + lane + i] * (h * h) : 0;
        s->done[i] = 0, s->size[i] = size, s->most[i] = size;
        if (!(rate > ROD_CURL_LIMIT)) continue;
        for (; size > 1 && rate > ROD_CURL_LIMIT; size /= 2) rate *= 0.25f;
        s->most[i] = size, s->size[i] = 2 * size;
    }
}

/* Steps the lanes of `lanes`, whose lengths a few iterations do not hold or whose curls the whole substep
 * does not, in parts. At the smallest part Newton's method has all of its iterations. One instance for rods
 * with frames and without, for its size. */
MOTE_OUTLINE void step_rods_in_parts(const strand_work *w, const mote_coupled_affine *own, wide_mask lanes,
                                     size_t lane) {
    const bool framed = ROD_HAS_FRAMES(w);
    const strand_columns columns = w->c, *c = &columns;
    const uint32_t units = 1u << ROD_HALVINGS;
    const strand_parts_of of = {.gains = true, .rods = true};
    strand_terms lengths = make_terms(w, of, lane);
    rod_terms t = rod_terms_of(w, own, part_start, framed, lane);
    strand_part p = t.part;
    strand_halving s;
    lengths.start = part_start[0], lengths.start_v = part_start[1], lengths.done = rod_iterations(w);
    begin_parts(w, &s, framed, lane);
    rod_undo(c, lanes, substep_start, lane);
    wide_mask left = next_parts(w, &s, units, lanes, (wide_mask){0}, &p);
    while (wide_lane_bits(left)) {
        rod_set_part(&t, &p);
        const wide_mask unsolved = step_rod_part(w, &t, &lengths, left, lane), last = smallest_parts(&s),
                        passed = left & (~unsolved | last);
        rod_undo(c, ~passed, part_start, lane);
        if (wide_lane_bits(passed & unsolved)) (void)hold_lengths(w, of, lengths, passed & unsolved, lane);
        if (framed) rod_turn_frames(c, w->job->strands->inverse_length + w->slot, true, passed, lane);
        left = next_parts(w, &s, units, left, passed, &p);
    }
}

/* Steps plain rods as step_rod_part does, over the whole substep. */
MOTE_INLINE wide_mask step_plain_rods(const strand_work *w, const mote_coupled_affine *own, bool framed,
                                      size_t lane) {
    const strand_parts_of of = {.gains = true, .rods = true};
    const rod_terms t = rod_terms_of(w, own, substep_start, framed, lane);
    strand_terms lengths = make_terms(w, of, lane);
    const strand_columns columns = w->c, *c = &columns;
    impulse_copy_reaction(c, WORK_REACTION, IMPULSE_REACTED, ~(wide_mask){0}, lane);
    count_lanes(w->job->strands->iterations + w->lane + lane, ~(wide_mask){0});
    lengths.rate = t.rate;
    const wide_mask unsolved = rod_plain_step(c, &t, &lengths, lane);
    return wide_lane_bits(unsolved) ? iterate_more(w, &lengths, unsolved, lane) : unsolved;
}

MOTE_OUTLINE wide_mask step_plain_straight(const strand_work *w, const mote_coupled_affine *own,
                                           size_t lane) {
    return step_plain_rods(w, own, false, lane);
}
MOTE_OUTLINE wide_mask step_plain_framed(const strand_work *w, const mote_coupled_affine *own, size_t lane) {
    return step_plain_rods(w, own, ROD_FRAMED(true, w), lane);
}

/* Steps rods where there are no colliders. */
MOTE_INLINE void step_rods(const strand_work *w, const mote_coupled_affine *own, bool framed, wide_mask live,
                           size_t lane) {
    const strand_parts_of of = {.gains = true, .rods = true};
    const strand_columns columns = w->c;
    const wide_mask curls = framed ? live & rods_that_curl(w, ROD_CURL_LIMIT, lane) : (wide_mask){0},
                    stiff = framed ? curls & rods_that_curl(w, ROD_STIFF_CURL, lane) : (wide_mask){0};
    wide_mask unsolved;
    live &= ~curls;
    if (wide_lane_bits(stiff) && wide_lane_bits(live) == 0) {
        unsolved = (wide_mask){0};
        keep_rods(&columns, lane);
    } else if (rods_are_plain(&columns, w->all ? NULL : own, live, lane)) {
        unsolved = (ROD_INSTANCE(framed) ? step_plain_framed : step_plain_straight)(w, own, lane);
    } else {
        const rod_terms t = rod_terms_of(w, own, substep_start, framed, lane);
        strand_terms lengths = make_terms(w, of, lane);
        unsolved = step_rod_part(w, &t, &lengths, live, lane);
    }
    if (framed)
        rod_turn_frames(&columns, w->job->strands->inverse_length + w->slot, true, live & ~unsolved, lane);
    const wide_mask parts = unsolved | (curls & ~stiff);
    if (wide_lane_bits(stiff)) turn_rods(w, own, stiff, lane);
    if (wide_lane_bits(parts) == 0) return;
    step_rods_in_parts(w, own, parts, lane);
    arrive(w, lane);
}

/* Steps rods among colliders. For rods near a collider lengths and contacts are solved together after the
 * bending; for rods that come near one in parts of the substep, after the last part. */
MOTE_INLINE void step_rods_among(const strand_work *w, const mote_coupled_affine *own, bool framed,
                                 uint32_t substep, wide_mask live, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_parts_of of = {.gains = true, .rods = true};
    const rod_terms t = rod_terms_of(w, own, substep_start, framed, lane);
    strand_terms lengths = make_terms(w, of, lane);
    impulse_copy_reaction(c, WORK_REACTION, IMPULSE_REACTED, ~(wide_mask){0}, lane);
    (void)rod_bend(c, &t, NULL, lane);
    const wide_mask curls = framed ? live & rods_that_curl(w, ROD_CURL_LIMIT, lane) : (wide_mask){0},
                    stiff = framed ? curls & rods_that_curl(w, ROD_STIFF_CURL, lane) : (wide_mask){0};
    wide_mask near = live & ~curls & lanes_near(w, substep, lane), unsolved = live & ~curls & ~near;
    if (wide_lane_bits(unsolved)) {
        count_lanes(w->job->strands->iterations + w->lane + lane, unsolved);
        lengths.everyone = wide_all(unsolved);
        unsolved = iterate_rods(w, &lengths, newton(c, &lengths, unsolved, lane), lane);
    }
    unsolved |= curls & ~stiff;
    /* The parts of other lanes overwrite the rows of the twist. */
    if (framed)
        rod_turn_frames(c, w->job->strands->inverse_length + w->slot, true, live & ~unsolved & ~stiff, lane);
    if (wide_lane_bits(stiff)) turn_rods(w, own, stiff, lane);
    if (wide_lane_bits(unsolved)) {
        step_rods_in_parts(w, own, unsolved, lane);
        arrive(w, lane);
    }
    /* Both overwrite the planes. */
    if (wide_lane_bits(unsolved | stiff)) near |= (unsolved | stiff) & lanes_near(w, substep, lane);
    const bool buried = w->contacts.buried;
    if (wide_lane_bits(live & ~near)) forget_contacts(&w->c, live & ~near, lane);
    if (wide_lane_bits(near)) hold_near(w, substep, near, lane);
    if (framed) rod_turn_frames(c, w->job->strands->inverse_length + w->slot, false, near, lane);
    if (buried && substep + 1 == w->job->plan->substeps)
        count_buried(w, substep, near, w->job->strands->buried + w->lane + lane, lane);
}

/* Instances of rods, out of line. */
#define STEP_RODS(name, framed)                                                                              \
    MOTE_OUTLINE void name(const strand_work *w, const mote_coupled_affine *own, wide_mask live,             \
                           size_t lane) {                                                                    \
        step_rods(w, own, framed, live, lane);                                                               \
    }                                                                                                        \
    MOTE_OUTLINE void name##_among(const strand_work *w, const mote_coupled_affine *own, uint32_t substep,   \
                                   wide_mask live, size_t lane) {                                            \
        step_rods_among(w, own, framed, substep, live, lane);                                                \
    }
STEP_RODS(step_straight_rods, false)
STEP_RODS(step_framed_rods, ROD_FRAMED(true, w))
#undef STEP_RODS

MOTE_INLINE void constrain_rods(const strand_work *w, const mote_coupled_affine *own, uint32_t substep,
                                wide_mask live, size_t lane) {
    const bool framed = ROD_INSTANCE(ROD_HAS_FRAMES(w));
    if (w->job->collider_count)
        (framed ? step_framed_rods_among : step_straight_rods_among)(w, own, substep, live, lane);
    else
        (framed ? step_framed_rods : step_straight_rods)(w, own, live, lane);
}

#endif
