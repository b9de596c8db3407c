/* Substep of a register of rods of which every lane is live and has the same number of points, pinned at the
 * root alone: the sweeps of rod.h and solve.h with the same operations, and so the same bits, without masks
 * and without branches for other rods. Rows of the bending reuse the columns of the state, which START and
 * OLD_V hold: until the back substitution WORK_V of point k + 1 holds `own` of segment k, and WORK_X its
 * share and lever. The columns exceed the nearest cache, and fewer of them pass it then. */
#ifndef MOTE_STRANDS_ROD_PLAIN_H
#define MOTE_STRANDS_ROD_PLAIN_H

#include "strands/rod_energy.h"

/* Returns whether the rods of a register are plain. own: NULL where IMPULSE_DV holds h a. */
MOTE_INLINE bool rods_are_plain(const strand_columns *c, const mote_coupled_affine *own, wide_mask live,
                                size_t lane) {
    const bool even = !own || !(own->stiff_acceleration || own->force);
    return even && !c->pins && c->shortest == c->points && wide_all(live) &&
           wide_all(wide_equal(point_mass(c, lane), (wide){0}));
}

/* Forces on plain rods, as a local copy. */
typedef struct rod_plain_kick {
    wide3 constant, damping;
    bool stored; /* IMPULSE_DV holds h a */
} rod_plain_kick;

MOTE_INLINE rod_plain_kick rod_plain_kick_of(const rod_terms *t) {
    const mote_coupled_affine *own = t->part.own;
    rod_plain_kick kick = {wide3_zero(), wide3_zero(), own == NULL};
    if (!own) return kick;
    kick.constant = wide3_set(own->evaluation.acceleration.constant);
    kick.damping = wide3_set(own->evaluation.acceleration.damping);
    return kick;
}

/* Returns h v0 + h^2 a. */
MOTE_INLINE wide3 rod_plain_way(const strand_columns *c, const rod_plain_kick *kick, wide h, wide3 v,
                                size_t at) {
    const wide3 dv =
        kick->stored ? work_load3(c, IMPULSE_DV, at) : wide3_add(kick->constant, wide3_mul(kick->damping, v));
    return wide3_scale(h, wide3_add(v, dv));
}

/* Columns of joints with frames between the two sweeps of rod_plain_up, in those of planes. */
enum {
    ROD_COUPLE = WORK_PLANE,
    ROD_TANGENT = WORK_PLANE + 3,
    ROD_TORQUE = WORK_PLANE + 6,
    ROD_SINE = WORK_PLANE + 7,
    ROD_COSINE = WORK_PLANE + 8,
    ROD_STIFFNESS = WORK_PLANE + 9
};

/* Stores the joints of rods with frames in their present turn; returns twice their energy, times h^2. What
 * is summed along the rod is left to the next sweep: in one that does both, the processor waits for the chain
 * of operations of each joint (measured: curls have 0.9 of the speed). */
MOTE_INLINE wide rod_plain_turn(const strand_columns *c, const rod_terms *t, size_t lane) {
    rod_frame q = rod_load_frame(c, strand_at(c->points - 2, lane));
    wide3 moment = wide3_zero();
    wide bending = (wide){0}, along = (wide){0};
    rod_led led = {wide3_zero(), (wide){0}};
    for (uint32_t k = c->points - 1; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        const rod_frame before = k ? rod_load_frame(c, at - MOTE_GROUP) : t->root_frame;
        const rod_joint j = rod_joint_at(t, at);
        rod_turned turned = rod_turn_joint(before, q, j, &moment, &along);
        if (t->lead.leads)
            rod_lead_joint(&turned, &t->lead, j, rod_largest_stiffness(j), before, q, k == 0, &led);
        work_store3(c, ROD_COUPLE, at, turned.couple);
        work_store3(c, ROD_TANGENT, at, turned.tangent);
        work_store(c, ROD_TORQUE, at, turned.torque);
        work_store(c, ROD_SINE, at, turned.sine);
        work_store(c, ROD_COSINE, at, turned.cosine);
        work_store(c, ROD_STIFFNESS, at, rod_largest_stiffness(j));
        bending += turned.bending;
        q = before;
    }
    return bending;
}

/* Adds joint k, which rod_plain_turn has stored, to the elimination of the twist. */
MOTE_INLINE void rod_plain_joint(const strand_columns *c, rod_segment *s, size_t at) {
    const rod_twist_row row =
        rod_add_twist(&s->twist, work_load(c, ROD_TORQUE, at), work_load(c, ROD_SINE, at),
                      work_load(c, ROD_COSINE, at), (wide_mask){0});
    s->couple = work_load3(c, ROD_COUPLE, at), s->tangent = work_load3(c, ROD_TANGENT, at);
    s->stiffness = work_load(c, ROD_STIFFNESS, at), s->back = wide3_zero();
    work_store(c, ROD_TWIST, at, row.share);
    work_store(c, ROD_TWIST + 1, at, row.own);
}

/* Eliminates the bending from the tip to the root. Returns V of the whole rod: the force on the root without
 * that of its own displacement, and the factor of that. */
MOTE_INLINE rod_beyond rod_plain_up(const strand_columns *c, const rod_terms *t, size_t lane) {
    const uint32_t last = c->points - 1;
    const rod_plain_kick kick = rod_plain_kick_of(t);
    const wide h = t->part.h;
    rod_beyond v = rod_none_beyond();
    rod_segment s = {0};
    const wide3 tip = work_load3(c, WORK_X, strand_at(last, lane));
    wide3 a = work_load3(c, WORK_X, strand_at(last - 1, lane));
    work_store3(c, WORK_START, strand_at(last, lane), tip);
    work_store3(c, WORK_START, strand_at(last - 1, lane), a);
    if (t->framed) v.bending = rod_plain_turn(c, t, lane);
    if (!t->framed) s.tangent = rod_tangent(t, tip, a, strand_at(last - 1, lane));
    for (uint32_t k = last; k-- > 0;) {
        const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
        s.before = t->root;
        if (k) {
            const wide3 before = work_load3(c, WORK_X, at - MOTE_GROUP);
            work_store3(c, WORK_START, at - MOTE_GROUP, before);
            if (!t->framed) s.before = rod_tangent(t, a, before, at - MOTE_GROUP);
            a = before;
        }
        const wide3 v0 = work_load3(c, WORK_V, next);
        const wide tension = work_load(c, WORK_TENSION, at);
        s.length = work_load(c, WORK_LENGTH, at);
        s.tension = t->square * tension;
        if (t->framed) {
            rod_plain_joint(c, &s, at);
        } else {
            s.stiffness = t->square * wide_load(t->joint + at);
            rod_straight_joint(&s);
            v.bending += s.bending;
        }
        s.way = rod_plain_way(c, &kick, h, v0, next);
        const wide mass = wide_load(t->mass + next);
        rod_add_way(&v, mass, s.way, t->root_way);
        const rod_row row = rod_add(&v, &s, mass);
        work_store3(c, IMPULSE_OLD_V, next, v0);
        work_store(c, ROD_TENSION, at, tension);
        work_store(c, WORK_X, next, row.share);
        work_store(c, WORK_X + 1, next, row.lever);
        work_store3(c, WORK_V, next, row.own);
        if (!t->framed) s.tangent = s.before;
    }
    return v;
}

/* Finds the moves of the points from the root to the tip, which replace `own`, and eliminates the rows of the
 * lengths. Returns the tip. */
MOTE_INLINE wide3 rod_plain_down(const strand_columns *c, wide3 root, wide3 dx, size_t lane) {
    wide3 x = root, edge = wide3_zero(), du = wide3_zero();
    wide mass = (wide){0}, inverse_pivot = (wide){0}, value = (wide){0};
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
        const wide length = work_load(c, WORK_LENGTH, at), w = point_mass(c, next);
        const wide3 change =
            wide3_add_scaled(work_load3(c, WORK_V, next), work_load(c, WORK_X + 1, next), dx);
        du = wide3_sub(wide3_scale(work_load(c, WORK_X, next), du), change);
        dx = wide3_add_scaled(dx, length, du);
        const wide3 moved = wide3_add(work_load3(c, WORK_START, next), dx), d = wide3_sub(moved, x);
        work_store3(c, WORK_V, next, dx);
        /* Row of the length. */
        const wide square = wide3_dot(d, d), diagonal = (mass + w) * square;
        const wide coupling = mass * wide3_dot(edge, d), factor = coupling * inverse_pivot;
        inverse_pivot = invert_pivot(diagonal - coupling * factor, diagonal, ~(wide_mask){0});
        value = wide_set(0.5f) * (square - length * length) + factor * value;
        edge = d, x = moved, mass = w;
        work_store(c, WORK_PIVOT, at, inverse_pivot);
        work_store(c, WORK_MULTIPLIER, at, value);
        if (k) work_store(c, WORK_COUPLING, at - MOTE_GROUP, coupling);
    }
    return x;
}

MOTE_INLINE wide_mask rod_plain_held(const strand_columns *c, const strand_terms *t, wide3 d, size_t at) {
    const wide square = wide3_dot(d, d), length = work_load(c, WORK_LENGTH, at);
    const wide target = length * length, rounding = t->rounding * length;
    return (wide_less(square, t->high * target + rounding) & wide_less(t->low * target - rounding, square)) |
           wide_equal(length, (wide){0});
}

/* Back substitution of the lengths and correction of the points from the tip, as newton_back, and the present
 * energies, as rod_present_energies finds them. */
MOTE_INLINE wide_mask rod_plain_back(const strand_columns *c, const rod_terms *rods, const strand_terms *t,
                                     rod_energies *e, wide3 root, wide3 tip, size_t lane) {
    rod_present now = rod_present_begin();
    const wide rate = t->rate, square_rate = rate * rate;
    wide3 old = tip, behind = wide3_zero(), beyond = tip,
          dx = work_load3(c, WORK_V, strand_at(c->points - 1, lane));
    wide multiplier = (wide){0};
    wide_mask held = ~(wide_mask){0};
    for (uint32_t k = c->points - 1; k-- > 0;) {
        const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
        const bool last = k + 2 == c->points;
        const wide3 before = k ? work_load3(c, WORK_V, at) : wide3_zero(),
                    a = k ? wide3_add(work_load3(c, WORK_START, at), before) : root, d = wide3_sub(old, a);
        wide value = work_load(c, WORK_MULTIPLIER, at);
        if (!last) value += work_load(c, WORK_COUPLING, at) * multiplier;
        multiplier = value * work_load(c, WORK_PIVOT, at);
        work_store(c, WORK_TENSION, at, work_load(c, WORK_TENSION, at) + square_rate * multiplier);
        const wide3 own = wide3_scale(multiplier, d), applied = wide3_sub(behind, own);
        const wide w = point_mass(c, next);
        const wide3 x = wide3_add_scaled(old, w, applied),
                    v = wide3_add_scaled(wide3_scale(rate, dx), rate * w, applied);
        work_store3(c, WORK_X, next, x);
        work_store3(c, WORK_V, next, v);
        rod_present_point(&now, rods, wide_load(rods->mass + next), v);
        if (!last) {
            const wide3 edge = wide3_sub(beyond, x);
            held &= rod_plain_held(c, t, edge, next);
            rod_present_segment(&now, rods, edge, next);
        }
        behind = own, old = a, beyond = x, dx = before;
    }
    held &= rod_plain_held(c, t, wide3_sub(beyond, old), lane);
    rod_present_segment(&now, rods, wide3_sub(beyond, old), lane);
    rod_present_end(&now, rods, e, lane);
    work_store3(c, WORK_REACTION, lane, wide3_add_scaled(work_load3(c, WORK_REACTION, lane), rate, behind));
    return ~held;
}

/* Bends the rods over the substep and holds their lengths by one iteration. Returns those that are not yet
 * held. */
MOTE_INLINE wide_mask rod_plain_step(const strand_columns *c, const rod_terms *t, const strand_terms *lengths,
                                     rod_energies *e, size_t lane) {
    const rod_beyond v = rod_plain_up(c, t, lane);
    rod_set_prediction(e, t, v.kinetic, v.bending);
    const strand_point root = work_point(c, lane);
    const wide3 dx = wide3_scale(t->part.h, wide3_add(root.v, wide3_zero()));
    const wide3 own = wide3_sub(wide3_zero(), wide3_add_scaled(v.force, v.p, dx));
    const wide3 goal = work_load3(c, IMPULSE_GOAL, lane);
    work_store3(c, IMPULSE_OLD_V, lane, root.v);
    work_store3(c, WORK_REACTION, lane,
                wide3_add(work_load3(c, WORK_REACTION, lane), wide3_scale(t->rate, own)));
    work_store3(c, WORK_X, lane, goal);
    return rod_plain_back(c, t, lengths, e, goal, rod_plain_down(c, goal, dx, lane), lane);
}

#endif
