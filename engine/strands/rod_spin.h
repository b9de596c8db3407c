/* Angular momentum of rods that no clamp holds. The forces inside a rod have no total torque at the places of
 * the end of the substep, but angular momentum is that at the places of its start: implicit Euler loses the
 * part h^2 w^2 of a spin in each substep. This loss is given back as a rigid rotation, about the center of
 * mass or about the hinge, as far as the rod then has no more energy than its prediction, and no more than
 * its energy at the start and the work of the forces. */
#ifndef MOTE_STRANDS_ROD_SPIN_H
#define MOTE_STRANDS_ROD_SPIN_H

#include "strands/push.h"
#include "strands/rod_energy.h"

/* Returns whether the rods can turn about a root that is free or hinged. */
MOTE_INLINE bool rods_turn_freely(const strand_work *w) {
    return w->job->strands->def.free_roots || w->job->strands->def.hinged_roots;
}

/* Stores the velocities of the prediction, which all forces have changed, in IMPULSE_FROM_V. */
MOTE_INLINE void rod_predict_velocities(const strand_columns *c, const rod_terms *t, size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        const strand_point a = {work_load3(c, t->start, at), work_load3(c, t->start_v, at)};
        const wide3 kick = free_kick(c, &t->part, a, point_mass(c, at), at);
        work_store3(c, IMPULSE_FROM_V, at, wide3_add(a.v, kick));
    }
}

/* Returns the largest share s, at most 1, of the rotation `spin` that adds no energy: 2 s first + s^2 second
 * is at most the room below the energy that the rod may have. first, second: the sums of m u . c and of m c .
 * c over the changes c of the velocities u; base: the velocity of the pivots. */
MOTE_INLINE wide rod_spin_share(const strand_columns *c, const rod_terms *t, const strand_masses *masses,
                                const rod_energies *e, const strand_motion *spin, wide3 base, size_t lane) {
    const wide zero = {0}, rate = t->rate + t->rate;
    const wide3 base_way = wide3_scale(t->part.h, base);
    wide first = zero, second = zero, now = zero, predicted = zero, worked = zero;
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide mass = moving_mass(c, masses, k, at);
        const wide_mask moves = wide_less(zero, mass);
        const wide3 x = work_load3(c, WORK_X, at), v = work_load3(c, IMPULSE_FROM_V, at),
                    old = work_load3(c, t->start_v, at);
        const wide3 u = wide3_sub(work_load3(c, WORK_V, at), base), more = motion_at(spin, x),
                    before = wide3_sub(old, base), after = wide3_sub(v, base),
                    way = wide3_sub(wide3_sub(x, work_load3(c, t->start, at)), base_way);
        const wide work = wide3_dot(before, before) + rate * wide3_dot(wide3_sub(v, old), way);
        first += wide_select(moves, mass * wide3_dot(u, more), zero);
        second += wide_select(moves, mass * wide3_dot(more, more), zero);
        now += wide_select(moves, mass * wide3_dot(u, u), zero);
        predicted += wide_select(moves, mass * wide3_dot(after, after), zero);
        worked += wide_select(moves, mass * work, zero);
    }
    const wide gain = (now - wide_min(predicted, worked)) + (e->bending[1] - e->bending[0]);
    const wide room = wide_max(zero - gain, zero), root = wide_sqrt(first * first + second * room);
    const wide_mask back = wide_less(first, zero);
    const wide over = wide_select(back, second, first + root) + wide_set(0x1p-100f);
    return wide_clamp(wide_select(back, root - first, room) / over, 0.0f, 1.0f);
}

/* Gives the rods of the lanes that turn freely the angular momentum of their prediction. Hinged roots hold
 * the twist of frames: those do not turn freely. */
MOTE_OUTLINE void rod_keep_spin(const strand_work *w, const rod_terms *t, const rod_energies *e,
                                wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    const wide_mask hinged = wide_equal(point_mass(c, lane), (wide){0});
    if (t->framed) lanes &= ~hinged;
    for (uint32_t k = 1; c->pins && k < c->points; k++)
        lanes &= ~(wide_equal(point_mass(c, strand_at(k, lane)), (wide){0}) & lanes_beyond(masses.counts, k));
    if (!wide_lane_bits(lanes)) return;
    rod_predict_velocities(c, t, lane);
    const strand_moments want = moments_of(w, t->start, IMPULSE_FROM_V, hinged, t->root_v, lane),
                         now = moments_of(w, WORK_X, WORK_V, hinged, t->root_v, lane);
    const strand_motion spin = {now.center, wide3_zero(), angular_velocity(&now, wide3_sub(want.l, now.l))};
    const wide share = rod_spin_share(c, t, &masses, e, &spin, want.v, lane);
    wide3 momentum = wide3_zero();
    lanes &= wide_equal(wide3_dot(spin.w, spin.w) * 0.0f, (wide){0});
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide mass = moving_mass(c, &masses, k, at);
        const wide3 v = work_load3(c, WORK_V, at),
                    more = wide3_scale(share, motion_at(&spin, work_load3(c, WORK_X, at)));
        const wide_mask turns = lanes & wide_less((wide){0}, mass);
        momentum = wide3_add_scaled(momentum, mass, wide3_select(turns, more, wide3_zero()));
        work_store3(c, WORK_V, at, wide3_select(turns, wide3_add(v, more), v));
    }
    work_store3(c, WORK_REACTION, lane,
                wide3_sub(work_load3(c, WORK_REACTION, lane), wide3_select(hinged, momentum, wide3_zero())));
}

#endif
