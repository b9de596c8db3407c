/* Paths of loose particles relative to colliders, and their first contact: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_PATH_H
#define MOTE_PARTICLES_COLLIDE_PATH_H

#include <float.h>

#include "contacts/contact.h"
#include "particles/collision.h"

#define COLLIDE_NEWTON 24    /* iterations; 5 are usual, a graze takes more */
#define COLLIDE_GIRTH  1.5f  /* radius of sharp shapes, in rounding errors */
#define COLLIDE_LEVEL  0.75f /* likewise, how far below a face that turns a lane may be that goes over it */
#define COLLIDE_DETOUR                                                                                       \
    8.0f                  /* how many times as far as the nearest face another may be: collide_way_round     \
                           */
#define COLLIDE_SIDE 0.1f /* component along the normal of a face of vectors that face it, at least */

/* Leg of the path of each lane. */
typedef struct collide_leg {
    wide3 x, v, end_x, end_v;
    wide left;     /* duration, as a fraction of the substep; it ends with the substep */
    wide radius;   /* m */
    wide slack;    /* m, rounding error of a coordinate */
    wide slow;     /* m/s, rounding error of a velocity */
    wide3 dv, lag; /* end_v - v; theta h left dv + raised */
    wide3 raised;  /* m, way along f (1 - f) on which a surface that turns takes the lane: collide_climb */
    wide3 gained;  /* m/s, in the whole substep without contacts */
    wide3 drift;   /* m, motion of the last collider's material in a substep */
    wide3 rest_later, rest_place, rest_drift; /* of the last contact at rest: collide_hit */
    wide rest_time;                           /* of a substep, from that contact to the end */
    wide3 side;                               /* normal of the last hit */
    wide3 rest_normal, older_normal;          /* of the last and the last but one contact at rest */
    wide rest_friction, older_friction;       /* likewise */
    wide rest_limit, older_limit;             /* m/s, of their friction */
    wide_mask rested, active, touched;
    wide_mask rest_turns;   /* lanes whose last contact at rest is with a collider that turns */
    wide_mask creased;      /* lanes that rest on two contacts, or were stopped by collide_stop */
    wide_mask held;         /* lanes that were killed or stick */
    wide_mask changed;      /* lanes that began to stick, or whose hits are listed */
    wide_mask last;         /* index of the last collider; -1: none */
    wide_mask met;          /* of another that is left out; -1: none */
    wide detour;            /* how many times as far as out of its nearest face a way out of a box may be */
    size_t slot;            /* of the first lane */
    const uint16_t *packed; /* offsets of the lanes from that slot; NULL: they are in order */
    wide3 spin;             /* rad/s, in the axes of the particle */
    wide3 turned;           /* rad/s, of the spin: given by resting contacts for the whole leg */
    uint32_t substep;       /* number in the step */
} collide_leg;

/* Member by member, as collide_hit_clear does. */
MOTE_INLINE void collide_leg_clear(collide_leg *leg) {
    const wide3 none = wide3_zero();
    const wide_mask no_lane = (wide_mask){0};
    leg->rest_later = leg->rest_place = leg->rest_drift = leg->raised = none;
    leg->drift = leg->side = leg->rest_normal = leg->older_normal = leg->spin = leg->turned = none;
    leg->rest_time = leg->slack = leg->rest_friction = leg->older_friction = leg->rest_limit =
        leg->older_limit = none.x;
    leg->met = no_lane - 1, leg->detour = none.x + COLLIDE_DETOUR;
    leg->rested = leg->rest_turns = leg->touched = leg->creased = leg->held = leg->changed = no_lane;
}

MOTE_INLINE size_t collide_slot(const collide_leg *leg, int lane) {
    return leg->slot + (leg->packed ? leg->packed[lane] : (size_t)lane);
}

MOTE_INLINE wide collide_sum(wide3 a) { return wide_abs(a.x) + wide_abs(a.y) + wide_abs(a.z); }

/* Kind of a collider, and whether it turns: constants make an instance of the code for them. */
typedef struct collide_form {
    mote_collider_kind kind;
    bool turns;
} collide_form;

typedef struct collide_surface {
    wide distance; /* m; negative inside */
    wide3 normal;
} collide_surface;

/* Returns the radii of a lane and a shape together, m. Where they are less than the rounding error of a place
 * they are so large that a place on the surface, which may be wrong by that error, is beyond the faces of the
 * shape: so it is on the right side of a sheet, boxes that touch leave no gap, and the top of a box is told
 * from its foot. */
MOTE_INLINE wide collide_girth(const mote_collider_pose *to, mote_collider_kind kind,
                               const collide_leg *leg) {
    if (kind == MOTE_COLLIDER_PLANE) return leg->radius;
    const wide own = to->radius + leg->radius, error = leg->slack + to->slack;
    return wide_select(wide_less(own, error), COLLIDE_GIRTH * error, own);
}

/* Signed distance and its gradient, in the axes of collide_into. */
MOTE_ONCE collide_surface collide_surface_of(const mote_collider_pose *to, mote_collider_kind kind, wide3 q,
                                             wide r) {
    const wide zero = {0}, one = wide_set(1.0f);
    if (kind == MOTE_COLLIDER_PLANE) return (collide_surface){q.y - r, {zero, one, zero}};
    wide3 v = q, any = {zero, one, zero};
    wide core = zero;
    if (kind == MOTE_COLLIDER_CAPSULE) {
        v.y = q.y - wide_clamp(q.y, -to->half_length, to->half_length);
        any = (wide3){one, zero, zero};
    }
    if (kind == MOTE_COLLIDER_BOX) {
        const wide3 e = wide3_set(to->extent);
        v = wide3_sub(q, wide3_max(wide3_min(q, e), wide3_sub(wide3_zero(), e)));
        const wide3 over = wide3_sub(contact_abs(q), e);
        const wide_mask y = wide_less(over.x, over.y);
        const wide xy = wide_select(y, over.y, over.x);
        const wide_mask z = wide_less(xy, over.z);
        core = wide_select(z, over.z, xy);
        const wide at = wide_select(z, q.z, wide_select(y, q.y, q.x));
        const wide sign = wide_select(wide_less(at, zero), zero - one, one);
        any = (wide3){wide_select(y | z, zero, sign), wide_select(y & ~z, sign, zero),
                      wide_select(z, sign, zero)};
    }
    const wide square = wide3_dot(v, v);
    const wide_mask inside = wide_less(square, wide_set(CONTACT_SHORT));
    const wide length = wide_sqrt(wide_select(inside, one, square));
    return (collide_surface){wide_select(inside, core, length) - r,
                             wide3_select(inside, any, wide3_scale(1.0f / length, v))};
}

/* Returns of the faces of a box whose normals have a component of more than `least` along each of some unit
 * vectors the one nearest to a place q inside; distance -FLT_MAX: there is none. low, high: the least and the
 * greatest of the components of the vectors. All in the axes of the box. */
MOTE_INLINE collide_surface collide_face(const mote_collider_pose *to, wide3 q, wide3 low, wide3 high, wide r,
                                         float least) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide at[3] = {q.x, q.y, q.z}, lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    collide_surface face = {wide_set(-FLT_MAX), wide3_zero()};
    for (int k = 0; k < 3; k++) {
        const wide_mask up = wide_less(wide_set(least), lows[k]),
                        down = wide_less(highs[k], wide_set(-least));
        const wide sign = wide_select(down & (~up | wide_less(at[k], zero)), zero - one, one);
        const wide distance = sign * at[k] - (to->extent[k] + r);
        const wide_mask nearer = (up | down) & wide_less(face.distance, distance);
        const wide3 n = {k == 0 ? sign : zero, k == 1 ? sign : zero, k == 2 ? sign : zero};
        face.distance = wide_select(nearer, distance, face.distance);
        face.normal = wide3_select(nearer, n, face.normal);
    }
    return face;
}

/* Turns a vector into the axes in which the shape stands still: those of the world for a sphere. */
MOTE_INLINE wide3 collide_into(mote_collider_kind kind, const float axis[3][3], wide3 d) {
    if (kind == MOTE_COLLIDER_SPHERE) return d;
    if (kind == MOTE_COLLIDER_PLANE) return (wide3){(wide){0}, wide3_dot(wide3_set(axis[1]), d), (wide){0}};
    return contact_into(axis, d);
}

MOTE_INLINE wide3 collide_out_of(mote_collider_kind kind, const float axis[3][3], wide3 q) {
    if (kind == MOTE_COLLIDER_SPHERE) return q;
    if (kind == MOTE_COLLIDER_PLANE) return wide3_scale(q.y, wide3_set(axis[1]));
    return contact_out_of(axis, q);
}

/* Turns a vector into the axes at the fraction f of the substep: the chord between those at its start and
 * end, and the parabola over it. With the rotation M from a to b, a second difference of the arc is (M - M^T)
 * (b - a) / 2; error of order angle^4. */
MOTE_INLINE wide3 collide_into_at(const mote_collider_pose *to, mote_collider_kind kind, wide f, wide3 d) {
    if (kind == MOTE_COLLIDER_SPHERE) return d;
    const wide3 a = contact_into(to->before, d), b = contact_into(to->axis, d), e = wide3_sub(b, a);
    const wide3 ahead = contact_into(to->axis, contact_out_of(to->before, e)),
                back = contact_into(to->before, contact_out_of(to->axis, e));
    const wide3 chord = wide3_add_scaled(a, f, e);
    return wide3_sub(chord, wide3_scale((0.25f * f) * (1.0f - f), wide3_sub(ahead, back)));
}

/* Normal in the world at the fraction f of the substep. */
MOTE_ONCE wide3 collide_normal_at(const mote_collider_pose *to, collide_form of, wide f, wide3 n) {
    const wide3 b = collide_out_of(of.kind, to->axis, n);
    if (!of.turns || of.kind == MOTE_COLLIDER_SPHERE) return b;
    const wide3 a = collide_out_of(of.kind, to->before, n);
    const wide3 mean = wide3_add_scaled(a, f, wide3_sub(b, a));
    const wide square = wide3_dot(mean, mean);
    const wide_mask none = wide_less(square, wide_set(CONTACT_SHORT));
    return wide3_select(none, b,
                        wide3_scale(1.0f / wide_sqrt(wide_select(none, wide_set(1.0f), square)), mean));
}

/* Parabola of a leg in the directions of the world: d0 + f way - f (1 - f) lag from the origin of a collider,
 * to d1; `left` of a substep long, after `passed`. In the axes of a collider that turns it is bent further:
 * by at most `curved` (half of the second derivative). length: the way in them, at most. */
typedef struct collide_arc {
    wide3 d0, d1, way, lag;
    wide passed, left, curved, length;
} collide_arc;

/* Part of a leg in the axes of a collider: from q0 at the fraction `begin` of the leg to q0 + u, `part`
 * later. Between them it is straight, or, if the collider turns, curved: q(f) of d0 + (begin + part f) way.
 */
typedef struct collide_path {
    wide3 q0, u, d0, way;
    wide begin, part, passed, left;
    wide bend; /* bound of |q' - u| */
} collide_path;

MOTE_INLINE wide3 collide_place(const mote_collider_pose *to, collide_form of, const collide_path *p,
                                wide f) {
    if (!of.turns) return wide3_add_scaled(p->q0, f, p->u);
    const wide at = p->begin + f * p->part;
    return collide_into_at(to, of.kind, p->passed + at * p->left, wide3_add_scaled(p->d0, at, p->way));
}

/* Returns the rate of change, per leg, of the place d in the axes at the fraction t of the substep. way: of
 * the leg, left: its duration. */
MOTE_INLINE wide3 collide_rate(const mote_collider_pose *to, mote_collider_kind kind, wide t, wide3 d,
                               wide3 way, wide left) {
    const wide3 rate = collide_into_at(to, kind, t, way);
    if (kind == MOTE_COLLIDER_SPHERE) return rate;
    const wide3 e = wide3_sub(contact_into(to->axis, d), contact_into(to->before, d));
    const wide3 second = wide3_sub(contact_into(to->axis, contact_out_of(to->before, e)),
                                   contact_into(to->before, contact_out_of(to->axis, e)));
    return wide3_add_scaled(rate, left, wide3_sub(e, wide3_scale(0.25f - 0.5f * t, second)));
}

/* Greatest mean speed towards the surface until it can be met: -n . u, and of a curved path the root of
 * distance + n . q' step - bend step^2. */
MOTE_INLINE wide collide_closing(const mote_collider_pose *to, collide_form of, const collide_path *p, wide f,
                                 const collide_surface *surface) {
    const wide zero = {0};
    if (!of.turns) return zero - wide3_dot(surface->normal, p->u);
    const wide at = p->begin + f * p->part, t = p->passed + at * p->left;
    const wide3 d = wide3_add_scaled(p->d0, at, p->way),
                rate = collide_rate(to, of.kind, t, d, p->way, p->left);
    const wide slope = p->part * wide3_dot(surface->normal, rate);
    return 0.5f * (wide_sqrt(slope * slope + 4.0f * (p->bend * surface->distance)) - slope);
}

/* Cuts a leg to the ball around a collider that turns. With the angle phi of the part, the radius r and the
 * way w in it, |q''| <= phi^2 r + 2 phi w, and q' differs from its mean u by at most half of that. Removes
 * lanes that miss the ball from *near. */
MOTE_INLINE collide_path collide_cut(const mote_collider_pose *to, mote_collider_kind kind,
                                     const collide_arc *leg, wide grown, wide_mask *near) {
    const wide zero = {0}, one = wide_set(1.0f), passed = leg->passed;
    const wide3 d0 = leg->d0, d1 = leg->d1;
    collide_path path = {.begin = zero, .part = one, .d0 = d0, .way = leg->way};
    path.passed = passed, path.left = leg->left;
    wide3 from = d0, end = d1;
    if (kind != MOTE_COLLIDER_PLANE) {
        const wide3 way = path.way;
        const wide square = wide_max(wide3_dot(way, way), wide_set(CONTACT_SHORT)),
                   ball = 1.02f * (to->bound + grown);
        const wide middle = (zero - wide3_dot(d0, way)) / square;
        const wide3 foot = wide3_add_scaled(d0, middle, way);
        const wide inner = ball * ball - wide3_dot(foot, foot);
        const wide half = wide_sqrt(wide_max(inner, zero) / square);
        const wide begin = wide_clamp(middle - half, 0.0f, 1.0f),
                   stop = wide_clamp(middle + half, 0.0f, 1.0f);
        *near &= wide_less(zero, inner) & ~wide_less(stop, begin) & ~wide_less(one, middle - half) &
                 ~wide_less(middle + half, zero);
        path.begin = begin, path.part = stop - begin;
        from = wide3_add_scaled(d0, begin, way);
        end = wide3_select(wide_less(stop, one), wide3_add_scaled(d0, stop, way), d1);
    }
    const wide radius = wide_max(collide_sum(from), collide_sum(end));
    path.q0 = collide_into_at(to, kind, passed + path.begin * leg->left, from);
    const wide stop = path.begin + path.part, angle = to->spin * (leg->left * path.part);
    path.u = wide3_sub(collide_into_at(to, kind, passed + stop * leg->left, end), path.q0);
    path.bend = 0.5f * angle * (angle * radius + 2.0f * (path.part * collide_sum(path.way)));
    return path;
}

/* Newton's method for the first root of the distance along the path, from outside; for a curved one with the
 * greatest curvature towards the surface (conservative advancement), because the distance at f is at least
 * distance + n . (q(f) - q). Returns the lanes that have one, with *f and the surface there. Lanes in which
 * it does not converge have one if the path ends inside. */
MOTE_INLINE wide_mask collide_root(const mote_collider_pose *to, collide_form of, const collide_path *path,
                                   wide girth, wide tolerance, wide_mask search, wide *f,
                                   collide_surface *surface) {
    const wide zero = {0}, one = wide_set(1.0f);
    wide_mask found = (wide_mask){0};
    for (int k = 0; k <= COLLIDE_NEWTON && wide_lane_bits(search); k++) {
        const wide closing = collide_closing(to, of, path, *f, surface);
        const wide_mask approaches = search & wide_less(zero, closing);
        const wide next = *f + surface->distance / wide_select(approaches, closing, one);
        search = approaches & ~wide_less(one, next);
        if (!wide_lane_bits(search)) break;
        const bool last = k == COLLIDE_NEWTON;
        const collide_surface there =
            collide_surface_of(to, of.kind, collide_place(to, of, path, last ? one : next), girth);
        const wide_mask hit = search & ~wide_less(tolerance, there.distance);
        found |= hit;
        if (last) break;
        *f = wide_select(search, next, *f);
        surface->distance = wide_select(search, there.distance, surface->distance);
        surface->normal = wide3_select(search, there.normal, surface->normal);
        search &= ~hit;
    }
    return found;
}

MOTE_INLINE wide3 collide_arc_place(const collide_arc *arc, wide f) {
    const wide3 d = wide3_add_scaled(arc->d0, f, arc->way);
    return wide3_sub(d, wide3_scale(f * (1.0f - f), arc->lag));
}

/* Place on the parabola in the axes of the collider, its rate of change with f, and half of its second one
 * but for the turn. */
typedef struct collide_arc_point {
    wide3 q, rate, bend;
} collide_arc_point;

MOTE_INLINE collide_arc_point collide_arc_at(const mote_collider_pose *to, collide_form of,
                                             const collide_arc *arc, wide f) {
    const wide3 d = collide_arc_place(arc, f),
                way = wide3_sub(arc->way, wide3_scale(1.0f - 2.0f * f, arc->lag));
    if (!of.turns)
        return (collide_arc_point){collide_into(of.kind, to->axis, d), collide_into(of.kind, to->axis, way),
                                   collide_into(of.kind, to->axis, arc->lag)};
    const wide t = arc->passed + f * arc->left;
    return (collide_arc_point){collide_into_at(to, of.kind, t, d),
                               collide_rate(to, of.kind, t, d, way, arc->left),
                               collide_into_at(to, of.kind, t, arc->lag)};
}

/* Newton's method for the first root of the distance along the arc, from *f: each time to the root of the
 * parabola across the tangent plane, which is never beyond the shape. Returns the lanes that have no root up
 * to the end of the leg; *f is then a place on the arc beside the shape. */
MOTE_INLINE wide_mask collide_arc_root(const mote_collider_pose *to, collide_form of, const collide_arc *arc,
                                       wide girth, wide tolerance, wide_mask search, wide *f, wide3 *normal) {
    const wide zero = {0}, one = wide_set(1.0f);
    wide_mask missed = (wide_mask){0};
    for (int k = 0; k < COLLIDE_NEWTON; k++) {
        const collide_arc_point at = collide_arc_at(to, of, arc, *f);
        const collide_surface s = collide_surface_of(to, of.kind, at.q, girth);
        *normal = wide3_select(search, s.normal, *normal);
        search &= wide_less(tolerance, wide_abs(s.distance));
        if (!wide_lane_bits(search)) break;
        const wide bend = wide3_dot(s.normal, at.bend) - arc->curved, slope = wide3_dot(s.normal, at.rate),
                   square = slope * slope - 4.0f * bend * s.distance;
        const wide under = wide_sqrt(wide_max(square, zero)) - slope;
        const wide_mask solved = wide_less(zero, under) & ~wide_less(square, zero);
        const wide next = *f + 2.0f * s.distance / wide_select(solved, under, one);
        const wide_mask ahead = wide_less(zero, s.distance);
        missed |= search & ahead & (~solved | wide_less(one, next));
        search &= solved & ~missed;
        *f = wide_select(search, wide_max(next, zero), *f);
    }
    return missed;
}

/* Moves the root f on the segment to that of the parabola whose distance is
 * slope (f - f0) - f (1 - f) lag. */
MOTE_INLINE wide collide_parabola(wide f, wide slope, wide lag) {
    const wide b = slope - lag, c = slope * f;
    const wide root = wide_sqrt(wide_max(b * b + 4.0f * (lag * c), (wide){0}));
    const wide_mask turns = wide_less((wide){0}, b);
    const wide over = wide_select(turns, b + root, -2.0f * c),
               under = wide_select(turns, -2.0f * lag, root - b);
    return wide_clamp(over / under, 0.0f, 1.0f);
}

#endif
