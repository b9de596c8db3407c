/* Whether lanes of loose particles can reach a collider in a substep: a test that is cheaper than a
 * collision, and errs on the side of reaching. */
#ifndef MOTE_PARTICLES_REACH_H
#define MOTE_PARTICLES_REACH_H

#include "particles/collide.h"

/* Lanes whose way from q0 to q1 stays farther than `most` from the bounds of a height field, in its axes. */
MOTE_INLINE wide_mask reach_apart(const mote_collider_pose *to, wide3 q0, wide3 q1, wide most) {
    const wide3 low = wide3_sub(wide3_set(to->low), (wide3){most, most, most}),
                high = wide3_add(wide3_set(to->high), (wide3){most, most, most}), least = wide3_min(q0, q1),
                greatest = wide3_max(q0, q1);
    return wide_less(greatest.x, low.x) | wide_less(greatest.y, low.y) | wide_less(greatest.z, low.z) |
           wide_less(high.x, least.x) | wide_less(high.y, least.y) | wide_less(high.z, least.z);
}

/* Whether a collider is a capsule or box that does not turn: much smaller than its bounding sphere. */
MOTE_INLINE bool reach_has_core(const mote_collider_pose *to) {
    return !to->turns && !to->distance_grid &&
           (to->kind == MOTE_COLLIDER_CAPSULE || to->kind == MOTE_COLLIDER_BOX);
}

/* Returns the squared distance of d, from the origin of such a collider, from its segment or box. */
MOTE_INLINE wide reach_core_square(const mote_collider_pose *to, wide3 d) {
    if (to->kind == MOTE_COLLIDER_CAPSULE) {
        const wide3 axis = wide3_set(to->axis[1]);
        const wide at = wide_clamp(wide3_dot(axis, d), -to->half_length, to->half_length);
        const wide3 off = wide3_sub(d, wide3_scale(at, axis));
        return wide3_dot(off, off);
    }
    const wide3 q = contact_abs(contact_into(to->axis, d)), zero = wide3_zero(),
                off = wide3_max(wide3_sub(q, wide3_set(to->extent)), zero);
    return wide3_dot(off, off);
}

/* Lanes that can reach a collider in a substep from x to `end`, or leave the region in which the list holds,
 * and those that are not finite, as `reaching`; `others` can reach more than planes and height fields, in
 * later legs too (collide_reach). `twice`: all of these but those that can reach one collider alone. */
typedef struct reach_lanes {
    wide_mask reaching, others, twice;
} reach_lanes;

/* Returns the error by rounding of distances from places no farther than x and `end` from the origin. */
MOTE_INLINE wide reach_rounding(wide3 x, wide3 end, wide radius) {
    const wide3 size = wide3_max(contact_abs(x), contact_abs(end));
    return 4.0f * COLLIDE_ROUNDING * (wide_max(wide_max(size.x, size.y), size.z) + radius);
}

MOTE_INLINE reach_lanes reach_of(const mote_collision *c, const mote_near *near,
                                 const mote_collider_pose *from, wide3 x, wide3 end, wide room, wide radius) {
    const wide3 path = wide3_sub(end, x), step = contact_abs(path),
                middle = wide3_add_scaled(x, wide_set(0.5f), path);
    const wide_mask free = wide_less(wide_max(wide_max(step.x, step.y), step.z), room);
    const wide rounding = reach_rounding(x, end, radius), way = step.x + step.y + step.z,
               grown = radius + rounding, half = grown + 0.5f * way, later = grown + 3.0f * way;
    wide_mask reaching = ~free, twice = ~free, apart = free;
    for (uint32_t k = 0; k < near->count; k++) {
        const mote_collider_pose *was = &from[near->index[k]], *to = was + c->count;
        const float slack = 4.0f * to->slack;
        const wide most = grown + slack;
        wide_mask away = (wide_mask){0};
        if (to->kind == MOTE_COLLIDER_PLANE && !to->turns) {
            const wide3 up = wide3_set(to->axis[1]);
            const wide d0 = wide3_dot(up, wide3_sub(x, wide3_set(was->origin))),
                       d1 = wide3_dot(up, wide3_sub(end, wide3_set(to->origin)));
            away = wide_less(most, wide_min(d0, d1));
        } else if (to->height_field && !to->turns) {
            const wide3 q0 = contact_into(to->axis, wide3_sub(x, wide3_set(was->origin))),
                        q1 = contact_into(to->axis, wide3_sub(end, wide3_set(to->origin)));
            away = reach_apart(to, q0, q1, 1.03f * to->height_field->weight * most);
        } else if (!to->height_field && to->kind != MOTE_COLLIDER_PLANE) {
            const float turned = to->turns ? 1.75f : 1.0f, more = 1.5f * slack + 4.0f * to->moved,
                        bound = to->bound + more;
            const wide3 d = wide3_sub(middle, wide3_set(to->origin));
            wide square = wide3_dot(d, d), ball = turned * (half + bound), wider = turned * (later + bound);
            if (reach_has_core(to) && !wide_all(wide_less(wider * wider, square))) {
                square = reach_core_square(to, d);
                ball = half + (to->radius + more), wider = later + (to->radius + more);
            }
            away = wide_less(ball * ball, square);
            apart &= wide_less(wider * wider, square);
        }
        twice |= reaching & ~away;
        reaching |= ~away;
    }
    return (reach_lanes){reaching, ~apart, twice};
}

#endif
