/* Energy of rods. Relative to a root and pins that do not move relative to each other, a substep of implicit
 * Euler ends with at most the energy of its prediction: the kinetic energy of v0 + h a and that of the
 * bending at the start, under the clamp of the end. But the bending and the lengths are solved one after the
 * other (rod.h), and where tensions change fast, at the end of a swing or beside a heavy bob, this bends
 * stiff rods and adds energy. Substeps that add energy are taken again in the turns of the segments
 * (rod_turns.h), which solve for both together; what these add, too, is taken from the velocities. What
 * contact adds to the bending is owed (pay_rods). */
#ifndef MOTE_STRANDS_ROD_ENERGY_H
#define MOTE_STRANDS_ROD_ENERGY_H

#include "strands/energy_limit.h"
#include "strands/rod.h"

/* Gains of a substep, of its kinetic energy at its start or end, from which on it is taken again in turns: of
 * a whole one, and of one in parts. */
#define ROD_GAIN       0x1p-12f
#define ROD_PARTS_GAIN 0.25f

/* Sums of the present energies, from the tip to the root. */
typedef struct rod_present {
    wide kinetic, bending; /* J, twice */
    wide3 tangent;         /* of the segment behind */
} rod_present;

MOTE_INLINE rod_present rod_present_begin(void) { return (rod_present){(wide){0}, (wide){0}, wide3_zero()}; }

MOTE_INLINE void rod_present_point(rod_present *now, const rod_terms *t, wide mass, wide3 v) {
    const wide3 u = wide3_sub(v, t->root_v);
    now->kinetic += mass * wide3_dot(u, u);
}

/* Adds segment `at` and the joint behind it, which the tip has not: its stiffness is 0. Frames have their own
 * energy (rod_framed_bending). */
MOTE_INLINE void rod_present_segment(rod_present *now, const rod_terms *t, wide3 edge, size_t at) {
    if (t->framed) return;
    const wide3 along = wide3_scale(wide_load(t->inverse_length + at), edge),
                bend = wide3_sub(now->tangent, along);
    now->bending += wide_load(t->joint + at + MOTE_GROUP) * wide3_dot(bend, bend);
    now->tangent = along;
}

MOTE_INLINE void rod_present_end(const rod_present *now, const rod_terms *t, rod_energies *e, size_t lane) {
    const wide3 bend = wide3_sub(now->tangent, t->root);
    e->kinetic[1] = now->kinetic;
    if (!t->framed) e->bending[1] = now->bending + wide_load(t->joint + lane) * wide3_dot(bend, bend);
}

/* Returns the mass of a point; 0 of pinned ones. */
MOTE_INLINE wide rod_moving_mass(const strand_columns *c, const rod_terms *t, size_t at) {
    return wide_select(wide_less((wide){0}, point_mass(c, at)), wide_load(t->mass + at), (wide){0});
}

/* Finds the present energies. */
MOTE_OUTLINE void rod_present_energies(const strand_columns *c, const rod_terms *t, rod_energies *e,
                                       size_t lane) {
    rod_present now = rod_present_begin();
    wide3 beyond = work_load3(c, WORK_X, strand_at(c->points - 1, lane));
    for (uint32_t k = c->points; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        const wide3 x = work_load3(c, WORK_X, at);
        rod_present_point(&now, t, rod_moving_mass(c, t, at), work_load3(c, WORK_V, at));
        if (k + 1 < c->points) rod_present_segment(&now, t, wide3_sub(beyond, x), at);
        beyond = x;
    }
    rod_present_end(&now, t, e, lane);
}

/* Finds the energies of the prediction for the lanes from the state at the start of the substep. */
MOTE_OUTLINE void rod_predicted_energies(const strand_columns *c, const rod_terms *t, rod_energies *e,
                                         wide_mask lanes, size_t lane) {
    rod_beyond v = rod_none_beyond();
    rod_energies own;
    for (uint32_t k = c->points; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, t->start, at), work_load3(c, t->start_v, at)};
        const wide3 dv = free_kick(c, &t->part, a, point_mass(c, at), at);
        rod_add_way(&v, rod_moving_mass(c, t, at), wide3_scale(t->part.h, wide3_add(a.v, dv)), t->root_way);
    }
    rod_set_prediction(&own, t, v.kinetic, v.bending);
    e->kinetic[0] = wide_select(lanes, own.kinetic[0], e->kinetic[0]);
    e->bending[0] = wide_select(lanes, rod_framed_bending(c, t, lane), e->bending[0]);
}

/* Returns twice the kinetic energy at the start of the substep with the work of the accelerations on the ways
 * that points went in it, relative to the root. */
MOTE_COLD MOTE_OUTLINE wide rod_worked_energy(const strand_columns *c, const rod_terms *t, size_t lane) {
    wide sum = (wide){0};
    for (uint32_t k = c->points; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, t->start, at), work_load3(c, t->start_v, at)};
        const wide3 dv = free_kick(c, &t->part, a, point_mass(c, at), at), u = wide3_sub(a.v, t->root_v),
                    way = wide3_sub(wide3_sub(work_load3(c, WORK_X, at), a.x), t->root_way);
        const wide work = (t->rate + t->rate) * wide3_dot(dv, way);
        const wide mass = rod_moving_mass(c, t, at);
        sum += wide_select(wide_less((wide){0}, mass), mass * (wide3_dot(u, u) + work), (wide){0});
    }
    return wide_max(sum, (wide){0});
}

/* Square of the length of a segment, over that at rest, from which on its joints give no energy. */
#define ROD_TORN 1.21f

/* Returns twice the bending energy of rods without frames at the start of the substep, but for joints of
 * segments that a jump of the root or a host has torn far from their lengths. Tangents are edges over lengths
 * at rest: there they are long, and their energy is none that the rod ever had (measured: a jump of 0.6 m of
 * the root of a rod of 1 m gave 150 J). */
MOTE_COLD MOTE_OUTLINE wide rod_untorn_bending(const strand_columns *c, const rod_terms *t, size_t lane) {
    wide3 beyond = work_load3(c, t->start, strand_at(c->points - 1, lane)), tangent = wide3_zero();
    wide_mask whole = ~(wide_mask){0};
    wide sum = (wide){0};
    for (uint32_t k = c->points - 1; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        const wide3 x = work_load3(c, t->start, at),
                    along = wide3_scale(wide_load(t->inverse_length + at), wide3_sub(beyond, x)),
                    bend = wide3_sub(tangent, along);
        const wide_mask now = wide_less(wide3_dot(along, along), wide_set(ROD_TORN));
        sum += wide_select(whole & now, wide_load(t->joint + at + MOTE_GROUP) * wide3_dot(bend, bend),
                           (wide){0});
        whole = now, tangent = along, beyond = x;
    }
    const wide3 bend = wide3_sub(tangent, t->root);
    return sum + wide_select(whole, wide_load(t->joint + lane) * wide3_dot(bend, bend), (wide){0});
}

/* Takes from the energy of the prediction that of torn joints. */
MOTE_INLINE void rod_leave_torn(const strand_columns *c, const rod_terms *t, rod_energies *e, wide_mask lanes,
                                size_t lane) {
    if (t->framed || !wide_lane_bits(lanes)) return;
    const wide bending = wide_min(e->bending[0], rod_untorn_bending(c, t, lane));
    e->bending[0] = wide_select(lanes, bending, e->bending[0]);
}

/* Returns twice the energy that a substep has added, as far as it is more than rounding. noise: that of the
 * joints if each was bent by the rounding of the positions alone. */
MOTE_INLINE wide rod_gain(const rod_energies *e, wide noise) {
    const wide rounding =
        noise + wide_set(2.0f) * wide_sqrt(e->bending[1] * noise) + wide_set(0x1p-18f) * e->bending[1];
    return (e->kinetic[1] - e->kinetic[0]) + (e->bending[1] - e->bending[0]) - rounding;
}

/* Returns the lanes whose gain is more than `share` of the kinetic energy. */
MOTE_INLINE wide_mask rods_that_gain(const rod_energies *e, wide noise, float share) {
    return wide_less(wide_set(share) * wide_max(e->kinetic[0], e->kinetic[1]), rod_gain(e, noise));
}

/* Finds the present energies of rods whose frames have been turned. */
MOTE_INLINE void find_energies(const strand_columns *c, const rod_terms *t, rod_energies *e, size_t lane) {
    rod_present_energies(c, t, e, lane);
    if (t->framed) e->bending[1] = rod_framed_bending(c, t, lane);
}

/* Takes what the lanes have more than the energy of their prediction from their velocities. */
MOTE_OUTLINE void limit_rods(const strand_work *w, const rod_terms *t, rod_energies *e, wide_mask lanes,
                             size_t lane) {
    find_energies(&w->c, t, e, lane);
    const wide excess = rod_gain(e, wide_load(w->noise + lane));
    lanes &= wide_less((wide){0}, excess);
    if (!wide_lane_bits(lanes)) return;
    strand_motion frame;
    const wide kinetic = energy_in_frame(w, &frame, lane);
    limit_kinetic(w, &frame, kinetic, wide_max(kinetic - excess, (wide){0}), lanes, lane);
}

/* Limits the speed, relative to the first pin, of the points of rods between their pins where the lengths
 * have no solution, or none that was found, to the largest one of the prediction and of the pins: what the
 * solve throws them to is no motion (measured: 287 m/s where a pin at 0.6 m/s draws a rod beyond its length;
 * with it 13). */
MOTE_COLD MOTE_OUTLINE void limit_speed(const strand_work *w, const rod_terms *t, wide_mask lanes,
                                        size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide zero = {0};
    wide3 base = wide3_zero();
    lanes &= velocity_of_pins(c, &base, lane);
    wide_mask last = {0};
    wide most = zero;
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = {work_load3(c, t->start, at), work_load3(c, t->start_v, at)};
        const wide mass = point_mass(c, at);
        const wide_mask exists = lanes_beyond(counts, k), moves = wide_less(zero, mass);
        const wide3 predicted = wide3_add(a.v, free_kick(c, &t->part, a, mass, at)),
                    v = wide3_sub(wide3_select(moves, predicted, work_load3(c, WORK_V, at)), base);
        most = wide_max(most, wide_select(exists, wide3_dot(v, v), zero));
        last = (exists & ~moves & (int32_t)k) | (~(exists & ~moves) & last);
    }
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 v = work_load3(c, WORK_V, at), u = wide3_sub(v, base);
        const wide square = wide3_dot(u, u);
        const wide_mask fast =
            lanes & lanes_beyond(last, k) & wide_less(most, square) & wide_less(zero, point_mass(c, at));
        const wide share = wide_sqrt(most / wide_select(fast, square, wide_set(1.0f)));
        work_store3(c, WORK_V, at, wide3_select(fast, wide3_add_scaled(base, share, u), v));
    }
}

/* The same for the rods whose pins draw them beyond their length in the substep. */
MOTE_INLINE void limit_drawn(const strand_work *w, const rod_terms *t, wide_mask live, size_t lane) {
    if (!w->group->span_count) return;
    const wide_mask drawn = live & wide_mask_load(w->overstretched + lane);
    if (wide_lane_bits(drawn)) limit_speed(w, t, drawn, lane);
}

#endif
