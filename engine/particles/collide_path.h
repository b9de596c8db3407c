/* Paths of loose particles relative to colliders, and their first contact: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_PATH_H
#define MOTE_PARTICLES_COLLIDE_PATH_H

#include "contacts/contact.h"
#include "particles/collision.h"

#define COLLIDE_NEWTON 24 /* iterations; 5 are usual, a graze takes more */

/* Leg of the path of each lane. */
typedef struct collide_leg {
    wide3 x, v, end_x, end_v;
    wide left;                          /* duration, as a fraction of the substep; it ends with the substep */
    wide radius;                        /* m */
    wide slack;                         /* m, rounding error of a coordinate */
    wide slow;                          /* m/s, rounding error of a velocity */
    wide3 dv, lag;                      /* end_v - v; theta h left dv */
    wide3 gained;                       /* m/s, in the whole substep without contacts */
    wide3 drift;                        /* m, motion of the last collider's material in a substep */
    wide3 side;                         /* normal of the last hit */
    wide3 rest_normal, older_normal;    /* of the last and the last but one contact at rest */
    wide rest_friction, older_friction; /* likewise */
    wide rest_limit, older_limit;       /* m/s, of their friction */
    wide_mask rested, active, touched;
    wide_mask creased;      /* lanes that rest on two contacts, or were stopped by collide_stop */
    wide_mask held;         /* lanes that were killed or stick */
    wide_mask changed;      /* lanes that began to stick, or whose hits are listed */
    wide_mask last;         /* index of the last collider; -1: none */
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
    leg->drift = leg->side = leg->rest_normal = leg->older_normal = leg->spin = leg->turned = none;
    leg->slack = leg->rest_friction = leg->older_friction = leg->rest_limit = leg->older_limit = none.x;
    leg->rested = leg->touched = leg->creased = leg->held = leg->changed = no_lane;
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

/* Rounding of a shape. */
typedef struct collide_girth {
    wide radius; /* m, that of the lane included */
    wide less;   /* m, what the half edges of a box have less */
} collide_girth;

/* Returns the rounding that a lane and the shape have at least, where their edges are sharper than the
 * rounding errors of places: so a place on the surface, rounded, is on the right side of a sheet, and above a
 * box whose top is flush with that of its neighbour. Thicker than they are so only sheets and lines become.
 */
MOTE_INLINE collide_girth collide_girth_of(const mote_collider_pose *to, mote_collider_kind kind,
                                           const collide_leg *leg) {
    const wide zero = {0}, own = to->radius + leg->radius;
    if (kind == MOTE_COLLIDER_PLANE) return (collide_girth){leg->radius, zero};
    const wide more = wide_max(2.0f * (leg->slack + to->slack) - own, zero);
    return (collide_girth){own + more, more};
}

/* Returns the half edges of a box within its rounding. */
MOTE_INLINE wide3 collide_core(const mote_collider_pose *to, collide_girth girth) {
    const wide3 e = wide3_set(to->extent);
    return wide3_max((wide3){e.x - girth.less, e.y - girth.less, e.z - girth.less}, wide3_zero());
}

/* Signed distance and its gradient, in the axes of collide_into. */
MOTE_ONCE collide_surface collide_surface_of(const mote_collider_pose *to, mote_collider_kind kind, wide3 q,
                                             collide_girth girth) {
    const wide zero = {0}, one = wide_set(1.0f), r = girth.radius;
    if (kind == MOTE_COLLIDER_PLANE) return (collide_surface){q.y - r, {zero, one, zero}};
    wide3 v = q, any = {zero, one, zero};
    wide core = zero;
    if (kind == MOTE_COLLIDER_CAPSULE) {
        v.y = q.y - wide_clamp(q.y, -to->half_length, to->half_length);
        any = (wide3){one, zero, zero};
    }
    if (kind == MOTE_COLLIDER_BOX) {
        const wide3 e = collide_core(to, girth);
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

/* Greatest mean speed towards the surface until it can be met: -n . u, and of a curved path the root of
 * distance + n . q' step - bend step^2. */
MOTE_INLINE wide collide_closing(const mote_collider_pose *to, collide_form of, const collide_path *p, wide f,
                                 const collide_surface *surface) {
    const wide zero = {0};
    if (!of.turns) return zero - wide3_dot(surface->normal, p->u);
    const wide at = p->begin + f * p->part, t = p->passed + at * p->left;
    const wide3 d = wide3_add_scaled(p->d0, at, p->way);
    wide3 rate = collide_into_at(to, of.kind, t, p->way);
    if (of.kind != MOTE_COLLIDER_SPHERE) {
        const wide3 e = wide3_sub(contact_into(to->axis, d), contact_into(to->before, d));
        const wide3 second = wide3_sub(contact_into(to->axis, contact_out_of(to->before, e)),
                                       contact_into(to->before, contact_out_of(to->axis, e)));
        rate = wide3_add_scaled(rate, p->left, wide3_sub(e, wide3_scale(0.25f - 0.5f * t, second)));
    }
    const wide slope = p->part * wide3_dot(surface->normal, rate);
    return 0.5f * (wide_sqrt(slope * slope + 4.0f * (p->bend * surface->distance)) - slope);
}

/* Cuts a leg to the ball around a collider that turns. With the angle phi of the part, the radius r and the
 * way w in it, |q''| <= phi^2 r + 2 phi w, and q' differs from its mean u by at most half of that. Removes
 * lanes that miss the ball from *near. */
MOTE_INLINE collide_path collide_cut(const mote_collider_pose *to, mote_collider_kind kind, wide3 d0,
                                     wide3 d1, wide grown, const collide_leg *leg, wide_mask *near) {
    const wide zero = {0}, one = wide_set(1.0f), passed = one - leg->left;
    collide_path path = {.begin = zero, .part = one, .d0 = d0, .way = wide3_sub(d1, d0)};
    path.passed = passed, path.left = leg->left;
    wide3 from = d0, end = d1;
    wide radius = collide_sum(d0) + collide_sum(d1);
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
        radius = ball;
        from = wide3_add_scaled(d0, begin, way);
        end = wide3_select(wide_less(stop, one), wide3_add_scaled(d0, stop, way), d1);
    }
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
                                   collide_girth girth, wide tolerance, wide_mask search, wide *f,
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
