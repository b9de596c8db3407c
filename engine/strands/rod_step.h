/* A substep of rods (rod.h): in parts where a few iterations of Newton's method do not hold the lengths. */
#ifndef MOTE_STRANDS_ROD_STEP_H
#define MOTE_STRANDS_ROD_STEP_H

#include "strands/leave.h"
#include "strands/rod_plain.h"
#include "strands/rod_spin.h"
#include "strands/rod_turns.h"

/* Curls: in a rod that is bent at rest, the solve for the lengths ignores that the bending forces turn with
 * the segments. With the rest curvature kappa and its wave number k this is stable while
 * (kappa^2 + 0.7 k^2)^2 h^2 max(EI, GJ) / (kg/m) is small, of flat rods with the larger EI; of helices k is
 * the torsion, and waves of less than 0.05 rad (rms) do not count. Arcs and kinks of 17 to 65 points and GJ /
 * EI of 0.05 to 200 at 4 to 32 substeps came to rest at 0.4; the first shook at 0.8. Helices and waves shook
 * from k^4 h^2 EI / (kg/m) = 1.7 on, at any curvature, and all 1,926 helices of 3 to 9 turns at 1 to 32
 * substeps rested at 0.4 (measured). Above the limit, which is ROD_CURL_LIMIT, a substep is taken in parts
 * from the beginning. Above ROD_STIFF_CURL, which four parts hold, it is solved in the turns of the segments
 * (rod_turns.h), which is faster than more parts and holds curls of any stiffness. */
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
    t->root_way = wide3_scale(p->h, t->root_v);
    t->lead.turn = wide3_scale(p->h * t->lead.rate, t->lead.whole);
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
    t->lead = rod_lead_of(w, lane);
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
        .root_v = wide3_select(wide_less((wide){0}, point_mass(&w->c, lane)), wide3_zero(),
                               work_load3(&w->c, WORK_V, lane)),
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

/* Iterations of Newton's method from number `first` on, for the rods of `unsolved`; eliminated: the rows of
 * the first one are eliminated. Returns those that are not yet held. Out of line for its size, as the next
 * ones.
 */
MOTE_OUTLINE wide_mask iterate_rods(const strand_work *w, const strand_terms *lengths, uint32_t first,
                                    bool eliminated, wide_mask unsolved, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const uint32_t most = rod_iterations(w);
    strand_terms t = *lengths;
    t.compliant = t.contacts = false, t.gains = t.keeps_tension = true;
    for (uint32_t i = first; i < most && wide_lane_bits(unsolved); i++) {
        count_lanes(w->job->strands->iterations + w->lane + lane, unsolved);
        t.everyone = i == 0 && wide_all(unsolved);
        if (i > first || !eliminated) (void)newton_forward(c, &t, unsolved, lane);
        const wide3 tip = work_load3(c, WORK_X, strand_at(c->points - 1, lane));
        unsolved = newton_back(c, &t, unsolved, tip, lane);
    }
    return unsolved;
}

/* Returns the lanes that it did not solve. */
MOTE_OUTLINE wide_mask hold_rods(const strand_work *w, const strand_terms *lengths, wide_mask lanes,
                                 size_t lane) {
    const strand_parts_of of = {.gains = true, .rods = true};
    strand_terms t = *lengths;
    t.compliant = t.contacts = false, t.gains = t.keeps_tension = true;
    return hold_lengths(w, of, t, lanes, lane);
}

MOTE_OUTLINE void bend_straight_rods(const strand_columns *c, const rod_terms *t, const strand_terms *lengths,
                                     rod_energies *e, size_t lane) {
    rod_terms own = *t;
    own.framed = false;
    rod_bend(c, &own, lengths, e, lane);
}
MOTE_OUTLINE void bend_framed_rods(const strand_columns *c, const rod_terms *t, const strand_terms *lengths,
                                   rod_energies *e, size_t lane) {
    rod_terms own = *t;
    own.framed = MOTE_SPECIALISED(true, t->framed);
    rod_bend(c, &own, lengths, e, lane);
}

/* Bends all rods over t->part, and with `lengths` eliminates the rows of their lengths. */
MOTE_INLINE void bend_rods(const strand_columns *c, const rod_terms *t, const strand_terms *lengths,
                           rod_energies *e, size_t lane) {
    const bool framed = MOTE_SPECIALISED(t->framed, true);
    impulse_copy_reaction(c, WORK_REACTION, IMPULSE_REACTED, ~(wide_mask){0}, lane);
    (framed ? bend_framed_rods : bend_straight_rods)(c, t, lengths, e, lane);
}

/* Bends the rods of `live` over t->part and holds their lengths, the first iteration in the same sweeps.
 * Returns those that are not yet held. */
MOTE_INLINE wide_mask step_rod_part(const strand_work *w, const rod_terms *t, strand_terms *lengths,
                                    rod_energies *e, wide_mask live, size_t lane) {
    const strand_columns columns = w->c;
    lengths->rate = t->rate;
    bend_rods(&columns, t, lengths, e, lane);
    return iterate_rods(w, lengths, 0, true, live, lane);
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

/* Steps the rods of `lanes` in the turns of their segments, from the state that substep_start keeps. Pinned
 * points are heavy there, and lengths between them are then solved for. */
MOTE_OUTLINE void turn_rods(const strand_work *w, const mote_coupled_affine *own, wide_mask lanes,
                            size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_parts_of of = {.gains = true, .rods = true};
    const bool framed = ROD_HAS_FRAMES(w);
    rod_terms t = rod_terms_of(w, own, substep_start, framed, lane);
    rod_undo(c, lanes, substep_start, lane);
    if (framed)
        turns_align(c, &t, wide_set(w->job->strands->def.max_strain + 0x1p-10f), lanes, lane);
    else
        turns_lay_frames(c, &t, lane);
    wide_mask left = lanes;
    for (uint32_t i = 0; i < TURNS_ITERATIONS && wide_lane_bits(left); i++) {
        count_lanes(w->job->strands->iterations + w->lane + lane, left);
        left = turns_iterate(c, &t, left, i == 0, lane);
    }
    const wide slack = wide_set(w->job->strands->def.max_strain);
    const wide_mask free = lanes & ~has_pin(c, lane);
    if (wide_lane_bits(free)) turns_shift(c, TURNS_WAY, turns_missing(c, &t, false, lane), free, lane);
    const wide_mask pinned = turns_place(c, &t, slack, lanes, lane);
    if (wide_lane_bits(free)) turns_shift(c, WORK_X, turns_missing(c, &t, true, lane), free, lane);
    turns_react(c, &t, lanes, lane);
    if (!c->pins) return;
    const strand_terms lengths = make_terms(w, of, lane);
    if (wide_lane_bits(pinned)) (void)hold_rods(w, &lengths, pinned, lane);
    /* Pinned points stand at their goals, to which the frames beside them did not quite point. */
    const wide_mask with = lanes & turns_with_pins(c, lane);
    if (wide_lane_bits(with)) rod_turn_frames(c, &t, false, with, NULL, lane);
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
 * does not, in parts. At the smallest part Newton's method has all of its iterations. Returns the lanes with
 * a part that it did not solve. One instance for rods with frames and without, for its size. */
MOTE_OUTLINE wide_mask step_rods_in_parts(const strand_work *w, const mote_coupled_affine *own,
                                          wide_mask lanes, size_t lane) {
    const bool framed = ROD_HAS_FRAMES(w);
    const strand_columns columns = w->c, *c = &columns;
    const uint32_t units = 1u << ROD_HALVINGS;
    const strand_parts_of of = {.gains = true, .rods = true};
    strand_terms lengths = make_terms(w, of, lane);
    rod_terms t = rod_terms_of(w, own, part_start, framed, lane);
    strand_part p = t.part;
    rod_energies ignored;
    strand_halving s;
    lengths.start = part_start[0], lengths.start_v = part_start[1], lengths.done = rod_iterations(w);
    begin_parts(w, &s, framed, lane);
    rod_undo(c, lanes, substep_start, lane);
    wide_mask left = next_parts(w, &s, units, lanes, (wide_mask){0}, (wide){0}, &p), failed = (wide_mask){0};
    while (wide_lane_bits(left)) {
        rod_set_part(&t, &p);
        const wide_mask unsolved = step_rod_part(w, &t, &lengths, &ignored, left, lane),
                        last = smallest_parts(&s), passed = left & (~unsolved | last);
        rod_undo(c, ~passed, part_start, lane);
        if (wide_lane_bits(passed & unsolved)) failed |= hold_rods(w, &lengths, passed & unsolved, lane);
        if (framed) rod_turn_frames(c, &t, true, passed, NULL, lane);
        left = next_parts(w, &s, units, left, passed, (wide){0}, &p);
    }
    return failed;
}

/* Steps plain rods as step_rod_part does, over the whole substep. */
MOTE_INLINE wide_mask step_plain_rods(const strand_work *w, const rod_terms *terms, bool framed,
                                      rod_energies *e, size_t lane) {
    const strand_parts_of of = {.gains = true, .rods = true};
    rod_terms t = *terms;
    t.framed = framed;
    strand_terms lengths = make_terms(w, of, lane);
    const strand_columns columns = w->c, *c = &columns;
    impulse_copy_reaction(c, WORK_REACTION, IMPULSE_REACTED, ~(wide_mask){0}, lane);
    count_lanes(w->job->strands->iterations + w->lane + lane, ~(wide_mask){0});
    lengths.rate = t.rate;
    wide_mask unsolved = rod_plain_step(c, &t, &lengths, e, lane);
    if (wide_lane_bits(unsolved) == 0) return unsolved;
    unsolved = iterate_rods(w, &lengths, 1, false, unsolved, lane);
    rod_present_energies(c, &t, e, lane);
    return unsolved;
}

MOTE_OUTLINE wide_mask step_plain_straight(const strand_work *w, const rod_terms *t, rod_energies *e,
                                           size_t lane) {
    return step_plain_rods(w, t, false, e, lane);
}
MOTE_OUTLINE wide_mask step_plain_framed(const strand_work *w, const rod_terms *t, rod_energies *e,
                                         size_t lane) {
    return step_plain_rods(w, t, ROD_FRAMED(true, w), e, lane);
}

/* Copies a column of the lanes. */
MOTE_INLINE void copy_column(const strand_columns *c, int from, int to, wide_mask lanes, size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP)
        work_store(c, to, at, wide_select(lanes, work_load(c, from, at), work_load(c, to, at)));
}

/* Takes the substeps of `stiff` and `gains` in turns, those of `parts` in parts, and where these gain much in
 * turns, too; but with pins along the rod, which turns hold less well, only those of `stiff`. A gain that
 * remains is taken from the velocities. Returns the lanes that took another step. */
MOTE_OUTLINE wide_mask step_rods_again(const strand_work *w, const mote_coupled_affine *own, rod_terms *t,
                                       wide_mask parts, wide_mask stiff, wide_mask gains, rod_energies *e,
                                       size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const wide_mask held = c->pins ? turns_with_pins(c, lane) : (wide_mask){0}, check = parts | stiff | gains;
    wide_mask failed = (wide_mask){0};
    gains &= ~held;
    if (t->framed && wide_lane_bits(gains)) rod_turn_back(c, gains, lane);
    if (wide_lane_bits(stiff | gains)) turn_rods(w, own, stiff | gains, lane);
    if (wide_lane_bits(parts)) {
        /* Each part keeps the tensions and reactions at its own start. */
        const wide3 reacted = work_load3(c, IMPULSE_REACTED, lane);
        copy_column(c, ROD_TENSION, WORK_RADIUS, parts, lane);
        failed = step_rods_in_parts(w, own, parts, lane);
        arrive(w, lane);
        if (wide_lane_bits(failed & held)) limit_speed(w, t, failed & held, lane);
        find_energies(c, t, e, lane);
        rod_leave_torn(c, t, e, parts, lane);
        const wide_mask fail = parts & ~held & rods_that_gain(e, wide_load(w->noise + lane), ROD_PARTS_GAIN);
        copy_column(c, WORK_RADIUS, ROD_TENSION, fail, lane);
        work_store3(c, IMPULSE_REACTED, lane, reacted);
        if (t->framed && wide_lane_bits(fail)) rod_turn_back(c, fail, lane);
        if (wide_lane_bits(fail)) turn_rods(w, own, fail, lane);
        failed &= ~fail;
    }
    if (wide_lane_bits(failed)) /* lengths were projected: not along the way of the prediction */
        e->kinetic[0] =
            wide_select(failed, wide_min(e->kinetic[0], rod_worked_energy(c, t, lane)), e->kinetic[0]);
    limit_rods(w, t, e, check, lane);
    return parts | stiff | gains;
}

/* Completes a substep that the lanes of `tried` have taken as a whole, of which those of `unsolved` do not
 * hold their lengths and those of `near` have yet to meet colliders: turns the frames, and takes the substeps
 * of the others, of curls and of lanes that gained energy again. Returns the lanes that took another step. */
MOTE_INLINE wide_mask complete_rods(const strand_work *w, const mote_coupled_affine *own, rod_terms *t,
                                    wide_mask tried, wide_mask near, wide_mask unsolved, wide_mask curls,
                                    wide_mask stiff, rod_energies *e, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    if (t->framed) rod_turn_frames(c, t, true, tried & ~unsolved, e, lane);
    const wide_mask gains =
                        tried & ~unsolved & ~near & rods_that_gain(e, wide_load(w->noise + lane), ROD_GAIN),
                    parts = unsolved | (curls & ~stiff);
    if (!wide_lane_bits(parts | stiff | gains)) return parts;
    return step_rods_again(w, own, t, parts, stiff, gains, e, lane);
}

/* Steps rods where there are no colliders. */
MOTE_INLINE void step_rods(const strand_work *w, const mote_coupled_affine *own, bool framed, wide_mask live,
                           size_t lane) {
    const strand_parts_of of = {.gains = true, .rods = true};
    const strand_columns columns = w->c;
    rod_terms t = rod_terms_of(w, own, substep_start, framed, lane);
    const wide_mask curls = framed ? live & rods_that_curl(w, ROD_CURL_LIMIT, lane) : (wide_mask){0},
                    stiff = framed ? curls & rods_that_curl(w, ROD_STIFF_CURL, lane) : (wide_mask){0};
    wide_mask unsolved;
    rod_energies e = {{(wide){0}, (wide){0}}, {(wide){0}, (wide){0}}};
    const wide_mask whole = live & ~curls;
    if (wide_lane_bits(stiff) && wide_lane_bits(whole) == 0) {
        unsolved = (wide_mask){0};
        keep_rods(&columns, lane);
    } else if (rods_are_plain(&columns, w->all ? NULL : own, whole, lane)) {
        unsolved = (ROD_INSTANCE(framed) ? step_plain_framed : step_plain_straight)(w, &t, &e, lane);
    } else {
        strand_terms lengths = make_terms(w, of, lane);
        unsolved = step_rod_part(w, &t, &lengths, &e, whole, lane);
        rod_present_energies(&columns, &t, &e, lane);
    }
    if (wide_lane_bits(curls)) rod_predicted_energies(&columns, &t, &e, curls, lane);
    (void)complete_rods(w, own, &t, whole, (wide_mask){0}, unsolved, curls, stiff, &e, lane);
    if (rods_turn_freely(w)) rod_keep_spin(w, &t, &e, live, lane);
    limit_drawn(w, &t, live, lane);
}

/* Contact has run away where it bends a rod by much more than its energy would, and by this angle (rad) at
 * one joint. */
#define ROD_BENT 0.5f

/* Reverts those of the lanes in which contact has run away, with their frames; returns them. e: receives
 * their energy. */
MOTE_COLD MOTE_OUTLINE wide_mask revert_bent(const strand_work *w, const rod_terms *t, rod_energies *e,
                                             const strand_motion *frame, wide_mask lanes, size_t lane) {
    wide most = (wide){0};
    for (size_t at = lane; at < strand_at(w->points - 1, lane); at += MOTE_GROUP)
        most = wide_max(most, rod_largest_stiffness(rod_joint_at(t, at)));
    lanes &= wide_less(wide_set(STRAND_RAN_AWAY) * (e->kinetic[0] + e->bending[0]), e->bending[1]) &
             wide_less((ROD_BENT * ROD_BENT) * (t->rate * t->rate * most), e->bending[1]);
    if (!wide_lane_bits(lanes)) return lanes;
    revert_points(w, frame, lanes, lane);
    if (t->framed) rod_turn_back(&w->c, lanes, lane);
    wide kicks;
    const wide predicted = predicted_energy(w, frame, &kicks, lane), kinetic = energy_about(w, frame, lane);
    limit_kinetic(w, frame, kinetic, reverted_energy(predicted, kicks, lanes), lanes, lane);
    find_energies(&w->c, t, e, lane);
    return lanes;
}

/* Limits the kinetic energy of the lanes of `near`, which contact may have bent further than the bending was
 * solved for. This energy is owed: until the rod has given it back the kinetic energy does not grow from it,
 * in this substep and later ones. A rod does not owe more than its bending holds. Of a free rod in contact
 * the velocity relative to the collider pays, of others that relative to the frame. loose: those lanes
 * without a pin that took many iterations: nothing forces them aside at once. Returns the reverted lanes. */
MOTE_OUTLINE wide_mask pay_rods(strand_work *w, const rod_terms *t, rod_energies *e, const strand_push *push,
                                wide_mask near, wide_mask loose, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const wide debt = wide_load(w->deficit + lane), zero = (wide){0};
    const wide_mask lanes = near | wide_less(zero, debt);
    wide_mask reverted = (wide_mask){0};
    if (!wide_lane_bits(lanes)) return reverted;
    find_energies(c, t, e, lane);
    const strand_motion frame = frame_of_push(w, push, lane);
    if (wide_lane_bits(loose)) reverted = revert_bent(w, t, e, &frame, loose, lane);
    const wide kinetic = energy_about(w, &frame, lane);
    const wide excess = wide_max(rod_gain(e, wide_load(w->noise + lane)) + debt, zero),
               gained = wide_max(e->kinetic[1] - e->kinetic[0], zero),
               paid = wide_min(wide_min(excess, gained), kinetic),
               left = wide_min(excess - paid, e->bending[1]);
    limit_kinetic(w, &frame, kinetic, kinetic - paid, lanes & wide_less(zero, paid), lane);
    const wide_mask owes = wide_equal(left * 0.0f, zero) & pins_move_together(w, frame.v, lane);
    wide_store(w->deficit + lane, wide_select(lanes, wide_select(owes, left, zero), debt));
    return reverted;
}

/* Puts rods with points that began the step in a collider out of it before the substep, with their frames,
 * and bends all of the register anew. Returns the lanes that have planes then. */
MOTE_COLD MOTE_OUTLINE wide_mask rods_leave(const strand_work *w, const rod_terms *t, rod_energies *e,
                                            uint32_t substep, wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    rod_undo(c, ~(wide_mask){0}, substep_start, lane);
    leave_colliders(w, substep, lanes, lane);
    if (t->framed) rod_turn_frames(c, t, false, lanes, NULL, lane);
    bend_rods(c, t, NULL, e, lane);
    return lanes_near(w, substep, lane);
}

/* Steps rods among colliders. For rods that touch a collider after the bending, lengths and contacts are then
 * solved together; for those that come to touch one later, after that. */
MOTE_INLINE void step_rods_among(strand_work *w, const mote_coupled_affine *own, bool framed,
                                 uint32_t substep, wide_mask live, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_parts_of of = {.gains = true, .rods = true};
    rod_terms t = rod_terms_of(w, own, substep_start, framed, lane);
    strand_terms lengths = make_terms(w, of, lane);
    lengths.rate = t.rate;
    rod_energies e;
    bend_rods(c, &t, NULL, &e, lane);
    wide_mask planes = lanes_near(w, substep, lane);
    const wide_mask entered = live & wide_mask_load(w->contacts.entered);
    const wide bent = e.bending[0];
    if (wide_lane_bits(entered)) planes = rods_leave(w, &t, &e, substep, entered, lane);
    const wide_mask curls = framed ? live & rods_that_curl(w, ROD_CURL_LIMIT, lane) : (wide_mask){0},
                    stiff = framed ? curls & rods_that_curl(w, ROD_STIFF_CURL, lane) : (wide_mask){0};
    const wide_mask beside = live & ~curls & planes;
    wide_mask near = touching(w, beside, lane), unsolved = live & ~curls & ~near;
    if (wide_lane_bits(unsolved)) unsolved = iterate_rods(w, &lengths, 0, false, unsolved, lane);
    const wide_mask met = near, comes = touching(w, beside & ~near, lane);
    rod_present_energies(c, &t, &e, lane);
    if (wide_lane_bits(curls)) rod_predicted_energies(c, &t, &e, curls, lane);
    /* Leaving colliders bends rods: this is no energy that they had. */
    e.bending[0] = wide_select(entered, wide_min(bent, e.bending[0]), e.bending[0]);
    const wide_mask again = complete_rods(w, own, &t, live & ~curls, near, unsolved, curls, stiff, &e, lane);
    /* Parts and turns overwrite the planes. */
    if (wide_lane_bits(again | comes))
        near |= touching(w, (again | comes) & lanes_near(w, substep, lane), lane);
    const bool buried = w->contacts.buried;
    if (wide_lane_bits(live & ~near)) forget_contacts(&w->c, live & ~near, lane);
    strand_push push = push_none();
    wide_mask loose = (wide_mask){0}, ends = (wide_mask){0};
    if (wide_lane_bits(near)) {
        const wide_mask left = hold_contacts(w, near, lane);
        push = push_of(w, near, lane);
        push_work(w, &push, t.root_v, near, lane);
        e.kinetic[0] = pushed_energy(&push, e.kinetic[0]);
        const wide_mask slow = left | lanes_far(w, near);
        rod_leave_torn(c, &t, &e, slow, lane);
        if (wide_lane_bits(slow)) limit_push(w, e.bending[0], slow, left, lane);
        loose = met & slow & ~has_pin(c, lane);
        ends = lanes_to_project(w, substep, left);
        project_lanes(w, substep, ends, lane);
        if (wide_lane_bits(ends)) { /* as project_near */
            const wide worked = pushed_energy(&push, rod_worked_energy(c, &t, lane));
            e.kinetic[0] = wide_select(ends, wide_min(e.kinetic[0], worked), e.kinetic[0]);
        }
        ends &= ~left; /* which are counted */
    }
    if (framed) rod_turn_frames(c, &t, false, near, NULL, lane);
    if (rods_turn_freely(w))
        rod_keep_spin(w, &t, &e, live & ~near & ~wide_less((wide){0}, wide_load(w->deficit + lane)), lane);
    const wide_mask reverted = pay_rods(w, &t, &e, &push, near, loose, lane);
    if (wide_lane_bits(reverted) && substep + 1 == w->job->plan->substeps) {
        /* Reverted rods may be inside a collider that has moved since. */
        project_lanes(w, substep, reverted, lane);
        if (framed) rod_turn_frames(c, &t, false, reverted, NULL, lane);
    }
    limit_drawn(w, &t, live, lane);
    count_strained(w, ends, lane);
    if (buried && substep + 1 == w->job->plan->substeps)
        count_buried(w, substep, near, w->job->strands->buried + w->lane + lane, lane);
}

/* Instances of rods, out of line. */
#define STEP_RODS(name, framed)                                                                              \
    MOTE_OUTLINE void name(const strand_work *w, const mote_coupled_affine *own, wide_mask live,             \
                           size_t lane) {                                                                    \
        step_rods(w, own, framed, live, lane);                                                               \
    }                                                                                                        \
    MOTE_OUTLINE void name##_among(strand_work *w, const mote_coupled_affine *own, uint32_t substep,         \
                                   wide_mask live, size_t lane) {                                            \
        step_rods_among(w, own, framed, substep, live, lane);                                                \
    }
STEP_RODS(step_straight_rods, false)
STEP_RODS(step_framed_rods, ROD_FRAMED(true, w))
#undef STEP_RODS

MOTE_INLINE void constrain_rods(strand_work *w, const mote_coupled_affine *own, uint32_t substep,
                                wide_mask live, size_t lane) {
    const bool framed = ROD_INSTANCE(ROD_HAS_FRAMES(w));
    if (w->job->collider_count)
        (framed ? step_framed_rods_among : step_straight_rods_among)(w, own, substep, live, lane);
    else
        (framed ? step_framed_rods : step_straight_rods)(w, own, live, lane);
}

#endif
