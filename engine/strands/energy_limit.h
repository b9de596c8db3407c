/* Limits of the energy of parts of a substep that are solved to first order, and of lengths that are
 * corrected: strands have no more than the work of the accelerations along the ways of their points gave
 * them. */
#ifndef MOTE_STRANDS_ENERGY_LIMIT_H
#define MOTE_STRANDS_ENERGY_LIMIT_H

#include "strands/energy.h"

/* Share of a strand's length that rounded places of pins move by against each other in a substep. */
#define STRAND_PIN_ROUNDING 0x1p-20

/* Returns the lanes in which no pinned point moves, by more than rounding, relative to one that moves at v.
 */
MOTE_INLINE wide_mask pins_move_together(const strand_work *w, wide3 v, size_t lane) {
    const strand_columns *c = &w->c;
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide most = wide_set((float)(STRAND_PIN_ROUNDING / w->job->plan->h)) * wide_load(w->length + lane);
    wide_mask together = ~(wide_mask){0};
    for (uint32_t k = 0; c->pins && k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide_mask pin = wide_equal(point_mass(c, at), (wide){0}) & lanes_beyond(counts, k);
        const wide3 apart = wide3_sub(work_load3(c, WORK_V, at), v);
        const wide square = wide3_dot(apart, apart);
        together &= ~pin | wide_less(square, most * most) | wide_equal(square, (wide){0});
    }
    return together;
}

/* Returns twice the kinetic energy relative to a frame. */
MOTE_OUTLINE wide energy_about(const strand_work *w, const strand_motion *frame, size_t lane) {
    const strand_columns columns = w->c;
    const strand_masses masses = masses_of(w, lane);
    wide mass;
    return kinetic_energy(&columns, &masses, frame, false, &mass, lane);
}

/* The same; *frame receives the frame of each strand. */
MOTE_OUTLINE wide energy_in_frame(const strand_work *w, strand_motion *frame, size_t lane) {
    *frame = frame_of(w, lane);
    return energy_about(w, frame, lane);
}

/* Returns twice the kinetic energy relative to the frame of each strand. */
MOTE_OUTLINE wide energy_about_root(const strand_work *w, size_t lane) {
    strand_motion frame;
    return energy_in_frame(w, &frame, lane);
}

/* Scales the velocities of the lanes relative to the frame so that twice their kinetic energy, `kinetic`, is
 * at most `most`. Lanes whose pins move relative to each other keep theirs: pins do work. */
MOTE_OUTLINE void limit_kinetic(const strand_work *w, const strand_motion *frame, wide kinetic, wide most,
                                wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    const wide_mask more = lanes & wide_less(most, kinetic) & wide_equal(kinetic * 0.0f, (wide){0}) &
                           pins_move_together(w, frame->v, lane);
    if (!wide_lane_bits(more)) return;
    const wide factor = wide_sqrt(most / wide_select(more, kinetic, wide_set(1.0f)));
    scale_velocities(c, &masses, frame, false, factor, more, lane);
}

/* Returns the square of the speed, relative to `base` (m/s), that a point had at the start of a part, and
 * twice the work of its accelerations, over its mass, along its way in the part, which lengths and contacts
 * may have made shorter than that of the prediction. a: at the start; dv: h a. */
MOTE_INLINE wide worked_square(const strand_columns *c, const strand_part *p, strand_point a, wide3 dv,
                               wide3 base, size_t at) {
    const wide3 u = wide3_sub(a.v, base), moved = wide3_sub(work_load3(c, WORK_X, at), a.x),
                way = wide3_sub(moved, wide3_scale(p->h, base));
    return wide3_dot(u, u) + wide_set(2.0f) / p->h * wide3_dot(dv, way);
}

/* Returns twice the kinetic energy relative to `base` that strands have by the work of the accelerations over
 * the ways of their points in a part. keep: columns of its start. */
MOTE_OUTLINE wide worked_energy(const strand_work *w, const strand_part *p, const int keep[2], wide3 base,
                                size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    wide sum = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, keep[0], at), work_load3(c, keep[1], at)};
        const wide3 dv = free_kick(c, p, a, point_mass(c, at), at);
        const wide mass = moving_mass(c, &masses, k, at);
        sum +=
            wide_select(wide_less((wide){0}, mass), mass * worked_square(c, p, a, dv, base, at), (wide){0});
    }
    return sum;
}

/* Returns r after the rotation by the Cayley transform of 2 `half`. */
MOTE_INLINE wide3 cayley_rotated(wide3 half, wide3 r) {
    const wide3 once = wide3_cross(half, r), twice = wide3_cross(half, once);
    const wide share = wide_set(2.0f) / (wide_set(1.0f) + wide3_dot(half, half));
    return wide3_add_scaled(r, share, wide3_add(once, twice));
}

/* Returns the lanes whose root alone is pinned. */
MOTE_INLINE wide_mask hangs_by_root(const strand_columns *c, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    wide_mask hangs = wide_equal(point_mass(c, lane), (wide){0});
    for (uint32_t k = 1; c->pins && k < c->points; k++)
        hangs &= wide_less((wide){0}, point_mass(c, strand_at(k, lane))) | ~lanes_beyond(counts, k);
    return hangs;
}

/* Returns the angular momentum about their root that the accelerations of a part give strands. */
MOTE_INLINE wide3 angular_kick(const strand_work *w, const strand_part *p, const int keep[2], size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    const wide3 root = work_load3(c, keep[0], lane);
    wide3 sum = wide3_zero();
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, keep[0], at), work_load3(c, keep[1], at)};
        const wide mass = moving_mass(c, &masses, k, at);
        const wide3 turn = wide3_cross(wide3_sub(a.x, root), free_kick(c, p, a, point_mass(c, at), at));
        sum = wide3_add_scaled(sum, mass, wide3_select(wide_less((wide){0}, mass), turn, wide3_zero()));
    }
    return sum;
}

/* Replaces a part of the lanes by one in which the strand is rigid: as it was at the start it turns about its
 * root, with the angular momentum of the prediction. Between pins it stays at rest. The momentum that this
 * gives is a reaction of the pins. base: m/s, theirs. */
MOTE_COLD MOTE_OUTLINE void turn_rigidly(const strand_work *w, const strand_part *p, const int keep[2],
                                         wide3 base, wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    const wide_mask hangs = hangs_by_root(c, lane);
    const strand_moments m = moments_of(w, keep[0], keep[1], hangs, base, lane);
    const wide3 turning = wide3_add(m.l, angular_kick(w, p, keep, lane)),
                spin = wide3_select(hangs, angular_velocity(&m, turning), wide3_zero()),
                half = wide3_scale(wide_set(0.5f) * p->h, spin), root = work_load3(c, keep[0], lane),
                moved = wide3_add_scaled(root, p->h, base);
    strand_passed passed = {.momentum = wide3_zero()};
    passed.any = passed.last = (wide_mask){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide mass = moving_mass(c, &masses, k, at);
        const wide_mask free = lanes & wide_less((wide){0}, mass);
        const wide3 r = cayley_rotated(half, wide3_sub(work_load3(c, keep[0], at), root)),
                    old = work_load3(c, WORK_V, at),
                    v = wide3_select(free, wide3_add(base, wide3_cross(spin, r)), old);
        work_store3(c, WORK_X, at, wide3_select(free, wide3_add(moved, r), work_load3(c, WORK_X, at)));
        work_store3(c, WORK_V, at, v);
        add_momentum(c, &masses, &passed, mass, wide3_select(free, wide3_sub(v, old), wide3_zero()), lanes, k,
                     lane);
    }
    leave_momentum(c, &passed, lane);
}

/* Limits twice the kinetic energy of the lanes relative to the frame to `most`, that of the prediction,
 * before the lengths were corrected, and of strands with a pin to what the accelerations have given; lift:
 * twice their work before the part. A strand that the solve has lifted by more than its kinetic energy and
 * that work takes a rigid step instead. Tensions do no work on a strand whose pins do not move relative to
 * each other. Returns by how much what strands with a pin had before this limit is less than what the
 * accelerations gave. */
MOTE_OUTLINE wide limit_energy(const strand_work *w, const strand_part *p, const int keep[2], wide most,
                               wide lift, wide_mask lanes, size_t lane) {
    strand_motion frame = frame_of(w, lane);
    const wide3 base = frame.v;
    const wide zero = {0};
    const wide_mask pinned = has_pin(&w->c, lane);
    wide worked = worked_energy(w, p, keep, base, lane) + lift;
    const wide_mask high = lanes & pinned & wide_less(worked, zero) & pins_move_together(w, base, lane);
    if (wide_lane_bits(high)) {
        turn_rigidly(w, p, keep, base, high, lane);
        worked = worked_energy(w, p, keep, base, lane) + lift;
    }
    const wide kinetic = energy_in_frame(w, &frame, lane);
    worked = wide_max(worked, zero);
    most = wide_select(pinned, wide_min(most, worked), most);
    limit_kinetic(w, &frame, kinetic, most, lanes, lane);
    return wide_select(pinned, wide_max(worked - kinetic, zero), zero);
}

/* Returns twice the work of a part's accelerations over the displacements of correct_lengths: of the
 * acceleration of the first free point, over the sum of m (x1 - x0). moments: sum of m x before; kick: h a of
 * that point. */
MOTE_INLINE wide correction_work(const strand_work *w, const strand_part *p, wide3 moments, wide3 kick,
                                 size_t lane) {
    const wide3 way = wide3_sub(sum_moments(w, lane), moments);
    return wide3_dot(way, kick) * (wide_set(2.0f) / p->h);
}

/* Adds this work to the deficit. */
MOTE_INLINE void add_correction_work(strand_work *w, const strand_part *p, wide_mask lanes, wide3 moments,
                                     wide3 kick, size_t lane) {
    add_deficit(w, lanes, correction_work(w, p, moments, kick, lane), wide3_zero(), lane);
}

#endif
