/* A substep of rods with stiff curls, solved in the turns of the segments. Unknown are the small rotations
 * a[k] of the segments, in the world; lengths hold by construction. Backward Euler,
 *     min sum m |u - h v0 - h^2 a|^2 / 2 + h^2 sum E,   u[k+1] = u[k] + l (t[k] - t0[k]),
 * where u are the displacements of the points and E the energies of the joints (rod_frames.h), by the
 * Gauss-Newton method. To first order joint k depends on a[k] - a[k-1] alone: with the turn c = (v, w) from
 * frame k-1 to k, W_i changes by n_i . (a[k] - a[k-1]), n_i = w e_i + v x e_i in the axes of frame k-1, so
 * that the moment of the joint is sum K_i (W - W0)_i n_i and its matrix B = sum K_i n_i n_i^T.
 *
 * A Riccati recursion eliminates the segments from the tip to the root (block elimination of 6 x 6 blocks;
 * Featherstone, Rigid Body Dynamics Algorithms, 2008, 7: articulated bodies). The part beyond joint k has
 *     V(dx, a) = dx . P dx / 2 + dx . Q a + a . R a / 2 + p . dx + r . a
 * with the displacement dx of point k and the turn a of segment k-1:
 *     mass m of point k + 1:    P += m,  p -= m (h v0 + h^2 a - u)
 *     segment d, X a = a x d:   Q1 = Q + P X,  S = R + X^T Q + Q^T X + X^T P X,  r1 = r + X^T p
 *     joint k, F = 1/(B + S):   G = F B,  E = F Q1^T,  y = F (moment + r1),  a[k] = G a[k-1] - E dx - y,
 *                               P -= Q1 E,  Q = E^T B,  R = G^T S,  p -= Q1 y,  r = r1 - S y.
 * The terms of second order that this leaves out are bounded from above. S holds the geometric stiffness of
 * the tension of the last substep where it is positive, and half of the change of the moment over the
 * segment, |d x force|; of the moment m of a joint and its angle w, -m . (a[k-1] x a[k]) / 2 is less than |m|
 * (w |a[k-1]|^2 + |a[k] - a[k-1]|^2 / w) / 4, which S of the segment before it and B hold. B holds -m . W / 4
 * where it is positive, too (rod_frames.h). Without them taut, opened and pulled curls gain energy; shapes at
 * rest do not depend on them. The iterations end when the turns are small. */
#ifndef MOTE_STRANDS_ROD_TURNS_H
#define MOTE_STRANDS_ROD_TURNS_H

#include "strands/rod.h"

/* Iterations at most, and the turn (rad) below which a strand needs no other. */
#define TURNS_ITERATIONS 4u
#define TURNS_SMALL      0.005f

/* Mass of a pinned point over that of a free one, and over h^2 times the stiffness of the joint behind it by
 * the point's displacement; the least stiffness of a segment about itself over the
 * largest in any direction, where nothing else resists; of one between pins, which does not turn. */
#define TURNS_PINNED  1e4f
#define TURNS_CLAMPED 256.0f
#define TURNS_ABOUT   0x1p-12f
#define TURNS_HELD    0x1p10f

enum {
    TURNS_GAIN = STRAND_COLUMN(turn_gain),
    TURNS_OWN = ROD_OWN,
    TURNS_WAY = ROD_FORCE,
    TURNS_PULL = IMPULSE_FROM
};

/* Rows of a 3 x 3 matrix. */
typedef struct wide33 {
    wide3 x, y, z;
} wide33;

MOTE_INLINE wide33 wide33_zero(void) { return (wide33){wide3_zero(), wide3_zero(), wide3_zero()}; }
MOTE_INLINE wide33 wide33_add(wide33 a, wide33 b) {
    return (wide33){wide3_add(a.x, b.x), wide3_add(a.y, b.y), wide3_add(a.z, b.z)};
}
MOTE_INLINE wide33 wide33_transposed(wide33 a) {
    return (wide33){{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
}
MOTE_INLINE wide3 wide33_times(wide33 a, wide3 b) {
    return (wide3){wide3_dot(a.x, b), wide3_dot(a.y, b), wide3_dot(a.z, b)};
}
/* Returns a b^T: its entries are products of rows. */
MOTE_INLINE wide33 wide33_by_rows(wide33 a, wide33 b) {
    return (wide33){wide33_times(b, a.x), wide33_times(b, a.y), wide33_times(b, a.z)};
}
/* Returns the lower triangle mirrored: rounding leaves symmetric matrices not quite so. */
MOTE_INLINE wide33 wide33_symmetric(wide33 a) {
    return (wide33){{a.x.x, a.x.y, a.x.z}, {a.x.y, a.y.y, a.y.z}, {a.x.z, a.y.z, a.z.z}};
}
/* Returns a + s b b^T + c 1. */
MOTE_INLINE wide33 wide33_add_square(wide33 a, wide s, wide3 b, wide c) {
    const wide3 t = wide3_scale(s, b);
    return (wide33){{a.x.x + (t.x * b.x + c), a.x.y + t.x * b.y, a.x.z + t.x * b.z},
                    {a.y.x + t.x * b.y, a.y.y + (t.y * b.y + c), a.y.z + t.y * b.z},
                    {a.z.x + t.x * b.z, a.z.y + t.y * b.z, a.z.z + (t.z * b.z + c)}};
}

/* Factors L D L^T of a symmetric positive matrix. Solves by them are as if the matrix had been rounded; the
 * inverse itself would be rounded to its largest entry, and beside a mass of 10^4 times the others the light
 * ones are lost in it. */
typedef struct wide33_factors {
    wide yx, zx, zy; /* L below its diagonal of ones */
    wide3 inverse;   /* 1 / D */
} wide33_factors;

MOTE_INLINE wide33_factors wide33_factor(wide33 a) {
    const wide one = wide_set(1.0f);
    wide33_factors f;
    f.inverse.x = one / a.x.x;
    f.yx = a.x.y * f.inverse.x, f.zx = a.x.z * f.inverse.x;
    f.inverse.y = one / (a.y.y - f.yx * a.x.y);
    const wide below = a.y.z - f.yx * a.x.z;
    f.zy = below * f.inverse.y;
    f.inverse.z = one / (a.z.z - f.zx * a.x.z - f.zy * below);
    return f;
}

MOTE_INLINE wide3 wide33_solve(wide33_factors f, wide3 b) {
    const wide y = b.y - f.yx * b.x, z = (b.z - f.zx * b.x - f.zy * y) * f.inverse.z,
               second = y * f.inverse.y - f.zy * z;
    return (wide3){b.x * f.inverse.x - f.yx * second - f.zx * z, second, z};
}

/* Returns the solutions for the columns of b^T: the transposed one. */
MOTE_INLINE wide33 wide33_solve_rows(wide33_factors f, wide33 b) {
    return (wide33){wide33_solve(f, b.x), wide33_solve(f, b.y), wide33_solve(f, b.z)};
}

/* V of the part beyond a joint. */
typedef struct turns_beyond {
    wide33 p, q, r;
    wide3 force, moment; /* p, r */
    wide3 bent;          /* moment of the joint beyond */
    wide about;          /* bound of the terms that its moment has in the turn of the segment before it */
} turns_beyond;

/* Joint between the frames a and b: its matrix, and the moment. */
typedef struct turns_joint {
    wide33 matrix;
    wide3 moment;
    wide about;
} turns_joint;

MOTE_INLINE turns_joint turns_joint_of(rod_frame a, rod_frame b, const rod_joint *j) {
    const rod_frame c = rod_turn_between(a, b);
    const wide3 off = wide3_sub(wide3_add(c.v, c.v), j->rest),
                y = {j->bend * off.x, j->across * off.y, j->twist * off.z};
    const wide opened = wide_set(0.5f) * wide3_dot(y, c.v), zero = (wide){0};
    wide3 first, second, third;
    first = rod_across(a, c.w, c.v.z, &third);
    first = wide3_add_scaled(first, zero - c.v.y, third);
    second = wide3_add_scaled(rod_across(a, zero - c.v.z, c.w, &third), c.v.x, third);
    third = wide3_add_scaled(rod_across(a, c.v.y, zero - c.v.x, &third), c.w, third);
    turns_joint joint;
    joint.moment = wide3_add_scaled(wide3_add_scaled(wide3_scale(y.x, first), y.y, second), y.z, third);
    const wide size = wide_sqrt(wide3_dot(joint.moment, joint.moment)),
               angle = wide_set(0x1p-20f) + wide_sqrt(wide3_dot(j->rest, j->rest)) +
                       wide_set(2) * wide_sqrt(wide3_dot(c.v, c.v));
    joint.about = wide_set(0.5f) * size * angle;
    joint.matrix = wide33_add_square(wide33_zero(), j->bend, first,
                                     wide_set(0.5f) * size / angle - wide_min(opened, zero));
    joint.matrix = wide33_add_square(joint.matrix, j->across, second, zero);
    joint.matrix = wide33_add_square(joint.matrix, j->twist, third, zero);
    return joint;
}

/* Returns h v0 + h^2 a of the point at offset `at`. */
MOTE_INLINE wide3 turns_way(const strand_columns *c, const rod_terms *t, size_t at) {
    const strand_point a = {work_load3(c, t->start, at), work_load3(c, t->start_v, at)};
    return wide3_scale(t->part.h, wide3_add(a.v, free_kick(c, &t->part, a, point_mass(c, at), at)));
}

/* Returns the displacement of a point since the start of the substep. */
MOTE_INLINE wide3 turns_moved(const strand_columns *c, bool first, size_t at) {
    return first ? wide3_zero() : work_load3(c, TURNS_WAY, at);
}

/* Moves a point of the lanes. */
MOTE_INLINE void turns_move(const strand_columns *c, wide3 way, wide_mask lanes, bool first, size_t at) {
    const wide3 old = turns_moved(c, first, at);
    work_store3(c, TURNS_WAY, at, wide3_select(lanes, wide3_add(old, way), old));
}

MOTE_INLINE wide_mask turns_pinned(const strand_columns *c, uint32_t k, size_t lane) {
    const wide_mask pinned = wide_equal(point_mass(c, strand_at(k, lane)), (wide){0});
    return pinned & lanes_beyond(wide_mask_load(c->counts + lane), k);
}

/* Returns the lanes with a pinned point besides the root. */
MOTE_INLINE wide_mask turns_with_pins(const strand_columns *c, size_t lane) {
    wide_mask with = (wide_mask){0};
    for (uint32_t k = 1; k < c->points; k++) with |= turns_pinned(c, k, lane);
    return with;
}

/* Mass of point k + 1; pinned ones are heavy: beside other masses and the joint behind them. */
MOTE_INLINE wide turns_mass(const strand_columns *c, const rod_terms *t, uint32_t k, wide stiffness,
                            size_t lane) {
    const size_t at = strand_at(k, lane);
    const wide m = wide_load(t->mass + at + MOTE_GROUP), inverse = wide_load(t->inverse_length + at);
    if (!c->pins) return m;
    const wide heavy = wide_set(TURNS_PINNED) * m + wide_set(TURNS_CLAMPED) * stiffness * inverse * inverse;
    return wide_select(turns_pinned(c, k + 1, lane), heavy, m);
}

/* Adds the geometric stiffness of segment k, and what holds it about itself. */
MOTE_INLINE wide33 turns_add_tension(const strand_columns *c, const rod_terms *t, wide33 s, wide33 joint,
                                     wide3 along, wide length, uint32_t k, size_t lane) {
    const wide tension = t->square * work_load(c, WORK_TENSION, strand_at(k, lane));
    const wide pull = wide_max(tension * length * length, (wide){0});
    const wide most = (s.x.x + s.y.y + s.z.z) + (joint.x.x + joint.y.y + joint.z.z);
    const wide about = wide_select(rod_held_segment(c, k, lane), wide_set(TURNS_HELD), wide_set(TURNS_ABOUT));
    return wide33_add_square(s, about * most - pull, along, pull + wide_set(0x1p-100f));
}

/* Adds the force that holds a pinned point k + 1: a multiplier, to which each iteration adds (augmented
 * Lagrangian; Hestenes, Multiplier and gradient methods, 1969). back: m times what the point is off its way.
 */
MOTE_INLINE void turns_pull(const strand_columns *c, turns_beyond *v, wide_mask lanes, bool first, wide3 back,
                            uint32_t k, size_t lane) {
    const size_t next = strand_at(k + 1, lane);
    const wide3 old = first ? wide3_zero() : work_load3(c, TURNS_PULL, next),
                pull = first ? old : wide3_select(lanes, wide3_add(old, back), old);
    work_store3(c, TURNS_PULL, next, pull);
    v->force = wide3_add(v->force, wide3_select(turns_pinned(c, k + 1, lane), pull, wide3_zero()));
}

/* Eliminates segment k. `tip`: its frame; the frame before it replaces it. */
MOTE_INLINE void turns_eliminate(const strand_columns *c, const rod_terms *t, turns_beyond *v, rod_frame *tip,
                                 wide_mask lanes, bool first, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
    const rod_joint j = rod_joint_at(t, at);
    const rod_frame before = k ? rod_load_frame(c, at - MOTE_GROUP) : t->root_frame;
    const turns_joint joint = turns_joint_of(before, *tip, &j);
    const wide length = wide_load(t->rest_length + at), half = wide_set(0.5f);
    const wide3 along = rod_direction(*tip), d = wide3_scale(length, along);
    const wide3 turn = wide3_sub(joint.moment, v->bent);
    /* Mass of point k + 1. */
    const wide m = turns_mass(c, t, k, wide_max(j.across, j.twist), lane);
    const wide3 way = wide3_sub(turns_way(c, t, next), turns_moved(c, first, next));
    v->p.x.x += m, v->p.y.y += m, v->p.z.z += m;
    const wide3 back = wide3_scale((wide){0} - m, way);
    v->force = wide3_add(v->force, back);
    if (c->pins) turns_pull(c, v, lanes, first, back, k, lane);
    /* Segment k: rows of P X are d x rows of P. */
    const wide33 px = {wide3_cross(d, v->p.x), wide3_cross(d, v->p.y), wide3_cross(d, v->p.z)};
    const wide33 y =
        wide33_transposed((wide33){wide3_add_scaled(v->q.x, half, px.x), wide3_add_scaled(v->q.y, half, px.y),
                                   wide3_add_scaled(v->q.z, half, px.z)});
    const wide33 q = wide33_add(v->q, px);
    /* X^T Y: its columns are d x columns of Y. */
    const wide33 xy = {wide3_cross(d, y.x), wide3_cross(d, y.y), wide3_cross(d, y.z)};
    wide33 s = wide33_symmetric(wide33_add(v->r, wide33_add(xy, wide33_transposed(xy))));
    const wide3 moment = wide3_add(v->moment, wide3_cross(d, v->force));
    /* Joint k. */
    const wide bound = wide_set(0.5f) * wide_sqrt(wide3_dot(turn, turn)) + v->about;
    s.x.x += bound, s.y.y += bound, s.z.z += bound;
    v->bent = joint.moment, v->about = joint.about;
    s = turns_add_tension(c, t, s, joint.matrix, along, length, k, lane);
    const wide33_factors f = wide33_factor(wide33_add(joint.matrix, s));
    const wide33 gt = wide33_solve_rows(f, joint.matrix), et = wide33_solve_rows(f, q);
    const wide3 own = wide33_solve(f, wide3_add(joint.moment, moment));
    const wide33 e = wide33_transposed(et), g = wide33_transposed(gt);
    const wide33 qe = wide33_by_rows(q, et);
    v->p =
        wide33_symmetric((wide33){wide3_sub(v->p.x, qe.x), wide3_sub(v->p.y, qe.y), wide3_sub(v->p.z, qe.z)});
    v->q = wide33_by_rows(et, joint.matrix);
    v->r = wide33_symmetric(wide33_by_rows(gt, s));
    v->force = wide3_sub(v->force, wide33_times(q, own));
    v->moment = wide3_sub(moment, wide33_times(s, own));
    work_store3(c, TURNS_GAIN, at, g.x);
    work_store3(c, TURNS_GAIN + 3, at, g.y);
    work_store3(c, TURNS_GAIN + 6, at, g.z);
    work_store3(c, TURNS_GAIN + 9, at, e.x);
    work_store3(c, TURNS_GAIN + 12, at, e.y);
    work_store3(c, TURNS_GAIN + 15, at, e.z);
    work_store3(c, TURNS_OWN, at, own);
    *tip = before;
}

/* Displacement of the root in an iteration: of a free one (P + m) dx = m way - p. */
MOTE_INLINE wide3 turns_root(const strand_columns *c, const rod_terms *t, turns_beyond *v, bool first,
                             size_t lane) {
    const wide m = wide_load(t->mass + lane);
    const wide3 way = wide3_sub(turns_way(c, t, lane), turns_moved(c, first, lane));
    const wide_mask pinned = turns_pinned(c, 0, lane);
    if (wide_all(pinned)) return way;
    const wide extra = m + wide_set(0x1p-100f);
    v->p.x.x += extra, v->p.y.y += extra, v->p.z.z += extra;
    const wide3 free = wide33_solve(wide33_factor(v->p), wide3_sub(wide3_scale(m, way), v->force));
    return wide3_select(pinned, way, free);
}

/* One iteration for the lanes. Returns those in which a segment turned far. */
MOTE_INLINE wide_mask turns_iterate(const strand_columns *c, const rod_terms *t, wide_mask lanes, bool first,
                                    size_t lane) {
    turns_beyond v = {wide33_zero(), wide33_zero(), wide33_zero(), wide3_zero(),
                      wide3_zero(),  wide3_zero(),  (wide){0}};
    rod_frame frame = rod_load_frame(c, strand_at(c->points - 2, lane));
    for (uint32_t k = c->points - 1; k-- > 0;) turns_eliminate(c, t, &v, &frame, lanes, first, k, lane);
    wide3 dx = turns_root(c, t, &v, first, lane), a = wide3_zero();
    wide most = (wide){0};
    wide3 way = dx;
    turns_move(c, way, lanes, first, lane);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
        const wide33 g = {work_load3(c, TURNS_GAIN, at), work_load3(c, TURNS_GAIN + 3, at),
                          work_load3(c, TURNS_GAIN + 6, at)},
                     e = {work_load3(c, TURNS_GAIN + 9, at), work_load3(c, TURNS_GAIN + 12, at),
                          work_load3(c, TURNS_GAIN + 15, at)};
        const rod_frame q = rod_load_frame(c, at);
        const wide3 along = wide3_scale(wide_load(t->rest_length + at), rod_direction(q));
        a = wide3_sub(wide3_sub(wide33_times(g, a), wide33_times(e, dx)), work_load3(c, TURNS_OWN, at));
        dx = wide3_add(dx, wide3_cross(a, along));
        /* Cayley's rotation, the quaternion (a / 2, 1) over its length. */
        const wide3 half = wide3_scale(wide_set(0.5f), a);
        const wide square = wide3_dot(half, half), share = wide_set(1.0f) / (wide_set(1.0f) + square);
        const wide3 turn = wide3_cross(a, along);
        const wide3 change = wide3_scale(share, wide3_add(turn, wide3_cross(half, turn)));
        way = wide3_add(way, change);
        most = wide_max(most, square);
        const rod_frame z = rod_compose((rod_frame){half, wide_set(1.0f)}, q);
        wide_mask turns = lanes;
        if (k + 1 >= c->shortest) turns &= lanes_beyond(wide_mask_load(c->counts + lane), k + 1);
        const wide norm = wide3_dot(z.v, z.v) + z.w * z.w,
                   scale = wide_set(1.0f) / wide_sqrt(wide_select(turns, norm, wide_set(1.0f)));
        work_store3(c, ROD_FRAME, at, wide3_select(turns, wide3_scale(scale, z.v), q.v));
        work_store(c, ROD_FRAME + 3, at, wide_select(turns, scale * z.w, q.w));
        turns_move(c, way, lanes, first, next);
    }
    return lanes & wide_less(wide_set(0.25f * TURNS_SMALL * TURNS_SMALL), most);
}

/* Places the points along the frames: from the root on, so that lengths do not drift by rounding. Returns the
 * lanes of which a pinned point is off its goal by more than `slack` of a segment. */
MOTE_INLINE wide_mask turns_place(const strand_columns *c, const rod_terms *t, wide slack, wide_mask lanes,
                                  size_t lane) {
    wide_mask off = (wide_mask){0};
    wide3 x = wide3_add(work_load3(c, t->start, lane), work_load3(c, TURNS_WAY, lane));
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide_mask exists = lanes & lanes_beyond(wide_mask_load(c->counts + lane), k),
                        pinned = turns_pinned(c, k, lane);
        wide3 here = wide3_select(pinned, work_load3(c, IMPULSE_GOAL, at), x);
        if (k == 0) x = here;
        const wide3 apart = wide3_sub(here, x);
        const wide most = slack * wide_load(t->rest_length + (k ? at - MOTE_GROUP : at));
        off |= exists & wide_less(most * most, wide3_dot(apart, apart));
        const wide3 v = wide3_select(pinned, work_load3(c, t->start_v, at),
                                     wide3_scale(t->rate, work_load3(c, TURNS_WAY, at)));
        work_store3(c, WORK_X, at, wide3_select(exists, here, work_load3(c, WORK_X, at)));
        work_store3(c, WORK_V, at, wide3_select(exists, v, work_load3(c, WORK_V, at)));
        if (k + 1 == c->points) break;
        x = wide3_add_scaled(x, wide_load(t->rest_length + at), rod_direction(rod_load_frame(c, at)));
    }
    return off;
}

/* Adds a way to the columns from `id` on of the lanes. */
MOTE_INLINE void turns_shift(const strand_columns *c, int id, wide3 way, wide_mask lanes, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 old = work_load3(c, id, at);
        work_store3(c, id, at, wide3_select(lanes & lanes_beyond(counts, k), wide3_add(old, way), old));
    }
}

/* Returns what the mass center of a rod lacks of its way. Before the points are placed: of the way of the
 * prediction, where iterations turn segments far; after that: of the way of the turns, where the frames did
 * not point along their segments. */
MOTE_INLINE wide3 turns_missing(const strand_columns *c, const rod_terms *t, bool placed, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    wide3 sum = wide3_zero();
    wide mass = wide_set(0x1p-100f);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide m = wide_select(lanes_beyond(counts, k), wide_load(t->mass + at), (wide){0});
        const wide3 turned = work_load3(c, TURNS_WAY, at),
                    way = placed ? wide3_sub(work_load3(c, WORK_X, at), work_load3(c, t->start, at)) : turned,
                    wanted = placed ? turned : turns_way(c, t, at);
        sum = wide3_add_scaled(sum, m, wide3_sub(wanted, way));
        mass += m;
    }
    return wide3_scale(wide_set(1.0f) / mass, sum);
}

/* Finds the tensions, and adds the reactions of pinned points, from the changes of momentum of the points
 * beyond them. */
MOTE_INLINE void turns_react(const strand_columns *c, const rod_terms *t, wide_mask lanes, size_t lane) {
    wide3 sum = wide3_zero();
    const wide rate = t->rate * t->rate;
    for (uint32_t k = c->points - 1; k-- > 0;) {
        const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
        const rod_joint j = rod_joint_at(t, at);
        const wide stiffness = wide_max(j.across, j.twist);
        const wide m = turns_mass(c, t, k, stiffness, lane);
        const wide_mask pinned = c->pins ? turns_pinned(c, k + 1, lane) : (wide_mask){0};
        wide3 force = wide3_scale(m, wide3_sub(work_load3(c, TURNS_WAY, next), turns_way(c, t, next)));
        if (c->pins) force = wide3_select(pinned, wide3_add(work_load3(c, TURNS_PULL, next), force), force);
        sum = wide3_add(sum, force);
        if (c->pins) rod_react(c, t, lanes & pinned, force, next);
        const wide pull = wide3_dot(sum, rod_direction(rod_load_frame(c, at)));
        const wide tension = (wide){0} - rate * (pull * wide_load(t->inverse_length + at));
        work_store(c, WORK_TENSION, at, wide_select(lanes, tension, work_load(c, WORK_TENSION, at)));
    }
    rod_react(c, t, lanes & turns_pinned(c, 0, lane), wide3_sub(wide3_zero(), sum), lane);
}

/* Frames of the lanes that do not point along their segments, because a host or a contact has moved these,
 * follow them. */
MOTE_INLINE void turns_align(const strand_columns *c, const rod_terms *t, wide slack, wide_mask lanes,
                             size_t lane) {
    wide3 x = work_load3(c, WORK_X, lane);
    wide_mask off = (wide_mask){0};
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 b = work_load3(c, WORK_X, at + MOTE_GROUP);
        const wide length = wide_load(t->rest_length + at), most = slack * length;
        const wide3 d = wide3_sub(wide3_sub(b, x), wide3_scale(length, rod_direction(rod_load_frame(c, at))));
        off |=
            wide_less(most * most, wide3_dot(d, d)) & lanes_beyond(wide_mask_load(c->counts + lane), k + 1);
        x = b;
    }
    if (wide_lane_bits(lanes & off)) rod_turn_frames(c, t, false, lanes & off, NULL, lane);
}

/* Gives frames to rods that have none, parallel along them. */
MOTE_INLINE void turns_lay_frames(const strand_columns *c, rod_terms *t, size_t lane) {
    const wide one = wide_set(1.0f);
    rod_frame q = rod_follow((rod_frame){wide3_zero(), one}, t->root, (wide){0}, one, one);
    t->root_frame = q;
    wide3 x = work_load3(c, WORK_X, lane);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 next = work_load3(c, WORK_X, at + MOTE_GROUP);
        q = rod_follow(q, wide3_sub(next, x), (wide){0}, wide_load(t->rest_length + at),
                       wide_load(t->inverse_length + at));
        work_store3(c, ROD_FRAME, at, q.v);
        work_store(c, ROD_FRAME + 3, at, q.w);
        x = next;
    }
}

#endif
