/* Loose particles that end a substep inside a collider: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_SETTLE_H
#define MOTE_PARTICLES_COLLIDE_SETTLE_H

#include "particles/collide_grid.h"

/* Returns the lanes that begin the substep at `start` outside a collider that turns, and in *side the normal
 * of its nearest surface there, in its axes. */
MOTE_INLINE wide_mask collide_begins_outside(const mote_collider_pose *from, const mote_collider_pose *to,
                                             wide3 start, const collide_leg *leg, wide3 *side) {
    const wide3 q = collide_into(to->kind, to->before, wide3_sub(start, wide3_set(from->origin)));
    const collide_surface begin = collide_surface_of(to, to->kind, q, collide_girth(to, to->kind, leg));
    *side = begin.normal;
    return ~wide_less(begin.distance, (wide){0} - (leg->slack + to->slack));
}

/* Returns the surface through which lanes inside a convex collider leave it: of a box the nearest face on the
 * side from which they came; of other shapes the nearest surface, or the opposite one where they came from
 * there. q: the place, side: the normal where they began, in the axes of the collider. */
MOTE_INLINE collide_surface collide_way_out(const mote_collider_pose *to, const collide_leg *leg, wide3 q,
                                            wide3 side) {
    const wide girth = collide_girth(to, to->kind, leg);
    const collide_surface near = collide_surface_of(to, to->kind, q, girth);
    if (to->kind == MOTE_COLLIDER_PLANE) return near;
    if (to->kind == MOTE_COLLIDER_BOX) {
        const wide_mask within = wide_less(near.distance, (wide){0});
        const collide_surface face = collide_face(to, q, side, side, girth, COLLIDE_SIDE);
        return (collide_surface){wide_select(within, face.distance, near.distance),
                                 wide3_select(within, face.normal, near.normal)};
    }
    const wide3 n = near.normal, size = contact_abs(n);
    wide half = girth;
    if (to->kind == MOTE_COLLIDER_CAPSULE) half += size.y * to->half_length;
    const wide_mask past = wide_less(near.distance, (wide){0}) & wide_less(wide3_dot(n, side), (wide){0});
    return (collide_surface){wide_select(past, (wide){0} - (half + wide3_dot(n, q)), near.distance),
                             wide3_select(past, wide3_sub(wide3_zero(), n), n)};
}

/* Takes the work of a way `depth` along the normal against the acceleration a from the kinetic energy of the
 * velocity w relative to the collider. Returns the change of w. */
MOTE_INLINE wide3 collide_lifted(wide3 a, wide3 normal, wide depth, wide3 w) {
    const wide zero = {0}, one = wide_set(1.0f), square = wide3_dot(w, w);
    const wide work = 2.0f * (depth * wide_max(zero - wide3_dot(a, normal), zero));
    const wide_mask some = wide_less(zero, work) & wide_less(wide_set(CONTACT_SHORT), square);
    const wide left = wide_max(one - work / wide_select(some, square, one), zero);
    return wide3_scale(wide_select(some, wide_sqrt(left) - one, zero), w);
}

/* Puts lanes that end inside a collider that turns on the surface from whose side they came: the last
 * collider that they hit, which turned after the hit, or one that they did not hit, because its surface is no
 * plane in the substep. So it does with the last distance grid that they hit, which may be hollow
 * (collide_grid.h). free: lanes that a collider did not hold at the start of the substep, at `start`. */
MOTE_INLINE void collide_settle(const mote_collision *c, const mote_collider_pose *from, wide_mask free,
                                wide3 start, collide_leg *leg) {
    const wide zero = {0}, rate = wide_set(c->inverse_h);
    for (uint32_t k = 0; k < c->all.count; k++) {
        const mote_collider_pose *was = &from[c->all.index[k]], *to = was + c->count;
        const bool grid = to->height_field || to->distance_grid;
        if (!(to->turns || to->distance_grid)) continue;
        const wide3 d = wide3_sub(leg->end_x, wide3_set(to->origin));
        const wide_mask last = leg->touched & ~leg->held & wide_is(leg->last, c->all.index[k]);
        const wide ball = 1.0625f * (to->bound + leg->radius);
        wide_mask here = last | (free & ~leg->held & wide_less(wide3_dot(d, d), ball * ball));
        if (grid) here = last;
        if (!wide_lane_bits(here)) continue;
        collide_surface end;
        if (grid) {
            end = collide_grid_end(to, leg, contact_into(to->axis, d));
        } else {
            wide3 side;
            here &= last | collide_begins_outside(was, to, start, leg, &side);
            side = wide3_select(last, collide_into(to->kind, to->axis, leg->side), side);
            end = collide_way_out(to, leg, collide_into(to->kind, to->axis, d), side);
        }
        const wide least = to->distance_grid ? zero - (leg->slack + to->slack) : zero;
        const wide_mask inside = here & wide_less(end.distance, least);
        if (!wide_lane_bits(inside)) continue;
        const wide3 normal = collide_out_of(to->kind, to->axis, end.normal),
                    place = collide_contact(to, leg, normal, d),
                    drift = wide3_add(wide3_set(to->shift), contact_out_of(to->turn, place));
        const wide speed = wide3_dot(normal, wide3_sub(leg->end_v, wide3_scale(rate, drift)));
        const wide gains = zero - wide_min(speed, zero);
        leg->end_v = wide3_select(inside, wide3_add_scaled(leg->end_v, gains, normal), leg->end_v);
        if (to->distance_grid) {
            const wide3 w = wide3_sub(leg->end_v, wide3_scale(rate, drift)),
                        loss = collide_lifted(wide3_scale(rate, leg->gained), normal, zero - end.distance, w);
            leg->end_v = wide3_select(inside, wide3_add(leg->end_v, loss), leg->end_v);
        }
        leg->end_x =
            wide3_select(inside, wide3_add_scaled(leg->end_x, zero - end.distance, normal), leg->end_x);
        leg->touched |= inside;
    }
}

#endif
