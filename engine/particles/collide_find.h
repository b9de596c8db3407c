/* First hits of the legs of loose particles: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_FIND_H
#define MOTE_PARTICLES_COLLIDE_FIND_H

#include "particles/collide_grid.h"

/* Replaces *hit in the lanes that hit this collider earlier. */
MOTE_INLINE void collide_with(const mote_collision *c, int32_t index, const mote_collider_pose *from,
                              collide_form of, const collide_leg *leg, collide_hit *hit) {
    const mote_collider_pose *to = from + c->count;
    const wide zero = {0}, passed = 1.0f - leg->left;
    const wide3 shift = wide3_set(to->shift), d0 = collide_start(from, to, leg),
                d1 = wide3_sub(leg->end_x, wide3_set(to->origin));
    const wide slack = leg->slack + to->slack;
    wide_mask near = leg->active & ~wide_is(leg->last, index);

    /* Distance at the start of the leg. */
    const collide_girth girth = collide_girth_of(to, of.kind, leg);
    collide_path path = {.begin = zero, .part = wide_set(1.0f), .bend = zero};
    if (of.turns) {
        path = collide_cut(to, of.kind, d0, d1, leg->radius + slack + girth.less, leg, &near);
    } else {
        path.q0 = collide_into(of.kind, to->axis, d0);
        path.u = wide3_sub(collide_into(of.kind, to->axis, d1), path.q0);
    }
    const wide3 u = path.u;
    collide_surface surface = collide_surface_of(to, of.kind, path.q0, girth);
    /* A lane whose leg is shorter than its distance does not hit. */
    const wide_mask off = near & wide_less(slack, surface.distance),
                    outside = off & ~wide_less(collide_sum(u) + path.bend, surface.distance),
                    inside = near & wide_less(surface.distance, zero - slack),
                    touching = near & ~off & ~inside;
    if (!wide_lane_bits(outside | inside | touching)) return;
    const wide depth = wide_select(inside, zero - surface.distance, zero);

    /* Root of the distance along the leg. */
    wide f = zero;
    const wide_mask found = collide_root(to, of, &path, girth, slack, outside, &f, &surface);
    if (!wide_lane_bits(found | inside | touching)) return;
    wide slope = wide3_dot(surface.normal, u);
    if (of.turns) {
        f = path.begin + f * path.part;
        slope = slope / wide_max(path.part, wide_set(CONTACT_SHORT));
    }
    const wide3 normal = collide_normal_at(to, of, passed + f * leg->left, surface.normal);
    if (wide_lane_bits(found))
        f = wide_select(found, collide_parabola(f, slope, wide3_dot(normal, leg->lag)), f);

    /* A particle that touches the surface hits it if it approaches, or comes back within the leg. */
    wide3 drift = shift, swerve = wide3_zero();
    if (of.turns) {
        const wide3 d = wide3_add_scaled(d0, f, wide3_sub(d1, d0));
        drift = collide_drift(to, collide_contact(to, leg, normal, d), &swerve);
    }
    const wide3 material = wide3_scale(wide_set(c->inverse_h), drift);
    const wide speed = wide3_dot(normal, wide3_sub(leg->v, material)),
               slow = leg->slow + COLLIDE_SLOW * collide_sum(material);
    const wide later = speed + c->theta * wide3_dot(normal, leg->dv);
    const wide_mask meets = found | inside | (touching & wide_less(wide_min(speed, later), zero - slow));
    f = wide_select(inside, wide_set(COLLIDE_INSIDE), wide_select(found, f, zero));

    const collide_hit here = {.f = f, .normal = normal, .drift = drift, .swerve = swerve, .depth = depth};
    collide_take(c, index, to, &here, meets, hit);
}

/* One instance for the colliders that turn. */
MOTE_OUTLINE void collide_with_turning(const mote_collision *c, int32_t index, const mote_collider_pose *from,
                                       const collide_leg *leg, collide_hit *hit) {
    collide_with(c, index, from, (collide_form){from->kind, MOTE_SPECIALISED(true, from[c->count].turns)},
                 leg, hit);
}

/* Finds the first hits of a leg with the colliders of a list. from: the poses at the start of the substep. */
MOTE_OUTLINE void collide_find(const mote_collision *c, const mote_near *list, const mote_collider_pose *from,
                               const collide_leg *leg, collide_hit *hit) {
    for (uint32_t k = 0; k < list->count; k++) {
        const int32_t i = list->index[k];
        const mote_collider_pose *was = &from[i];
        if (was->height_field || was->distance_grid) {
            collide_with_grid(c, i, was, leg, hit);
            continue;
        }
        if (MOTE_SPECIALISED(was[c->count].turns, true)) {
            collide_with_turning(c, i, was, leg, hit);
            continue;
        }
#define COLLIDE_KIND(of)                                                                                     \
    case of:                                                                                                 \
        collide_with(c, i, was, (collide_form){of, false}, leg, hit);                                        \
        break;
        switch (was->kind) {
            COLLIDE_KIND(MOTE_COLLIDER_SPHERE)
            COLLIDE_KIND(MOTE_COLLIDER_CAPSULE)
            COLLIDE_KIND(MOTE_COLLIDER_PLANE)
            COLLIDE_KIND(MOTE_COLLIDER_BOX)
        default:
            break;
        }
#undef COLLIDE_KIND
    }
}

/* The chord of a leg may miss what the way to its hit, on the parabola, meets: it dips below a floor and
 * passes under the wall that stands on it. Looks for hits with convex colliders at rest along the chord of
 * that way. */
MOTE_OUTLINE void collide_look_again(const mote_collision *c, const mote_near *list,
                                     const mote_collider_pose *from, const collide_leg *leg, wide_mask hits,
                                     collide_hit *hit) {
    const wide one = wide_set(1.0f), f = hit->f;
    const wide_mask bent =
        hits & ~hit->straight & wide_less((wide){0}, f) & wide_less(4.0f * leg->slack, collide_sum(leg->lag));
    if (!wide_lane_bits(bent)) return;
    mote_near resting;
    resting.count = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const mote_collider_pose *to = &from[list->index[k]] + c->count;
        resting.index[resting.count] = list->index[k];
        resting.count += to->moved == 0 && !to->turns && !to->height_field && !to->distance_grid;
    }
    collide_leg way = *leg;
    way.active = bent, way.last = hit->index;
    way.left = f * leg->left, way.dv = wide3_scale(f, leg->dv), way.lag = wide3_scale(f * f, leg->lag);
    way.end_v = wide3_add(leg->v, way.dv);
    way.end_x = wide3_sub(wide3_add_scaled(leg->x, f, wide3_sub(leg->end_x, leg->x)),
                          wide3_scale(f * (one - f), leg->lag));
    collide_hit other = *hit;
    other.f = wide_select(bent, one, f);
    collide_find(c, &resting, from, &way, &other);
    other.f = wide_select(bent, other.f * f, other.f);
    *hit = other;
}

/* Region of later legs: they end within `most` (m, in each of x, y, z) of x. */
typedef struct collide_region {
    wide3 x;
    wide most;
} collide_region;

/* Selects the colliders of a list that some lane can reach within the region, by their bounding spheres; a
 * cube for those that turn (collide_near). */
MOTE_INLINE collide_region collide_reach(const mote_collision *c, const mote_near *list,
                                         const mote_collider_pose *from, const collide_leg *leg,
                                         mote_near *reached) {
    const wide way = collide_sum(wide3_sub(leg->end_x, leg->x));
    const wide reach = leg->radius + 3.0f * leg->slack + 2.2f * way; /* with collide_thicker */
    reached->count = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const mote_collider_pose *was = &from[list->index[k]], *to = was + c->count;
        const wide3 d = wide3_sub(leg->x, wide3_set(was->origin));
        const wide within = reach + (3.0f * to->slack + 2.0f * to->moved);
        wide_mask far;
        if (to->kind == MOTE_COLLIDER_PLANE) {
            far = wide_less(within, wide3_dot(wide3_set(to->axis[1]), d));
            if (to->turns) far = (wide_mask){0};
        } else {
            const wide ball = (to->bound + within) * (to->turns ? 1.75f : 1.0f);
            far = wide_less(ball * ball, wide3_dot(d, d));
        }
        reached->index[reached->count] = list->index[k];
        reached->count += wide_lane_bits(leg->active & ~far) != 0; /* no branch: it is hard to predict */
    }
    return (collide_region){leg->x, 1.25f * way};
}

#endif
