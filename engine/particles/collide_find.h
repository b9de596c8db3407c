/* First hits of the legs of loose particles: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_FIND_H
#define MOTE_PARTICLES_COLLIDE_FIND_H

#include "particles/collide_grid.h"

/* A way out of a box that leads against an earlier contact of the substep leads into the box of that one,
 * where both touch or overlap: these lanes take another face, if that is not more than leg->detour times as
 * far. After each hit from inside it may be COLLIDE_DETOUR times farther still. */
MOTE_OUTLINE void collide_way_round(const mote_collider_pose *to, const collide_leg *leg, wide3 q, wide girth,
                                    wide_mask inside, collide_surface *surface) {
    const wide3 met[3] = {leg->side, leg->rest_normal, leg->older_normal};
    wide3 low = wide3_zero(), high = low;
    wide least = {0};
    for (int k = 0; k < 3; k++) {
        const wide3 side = collide_into(MOTE_COLLIDER_BOX, to->axis, met[k]);
        least = wide_min(least, wide3_dot(surface->normal, side));
        low = wide3_min(low, side), high = wide3_max(high, side);
    }
    const wide_mask against = inside & wide_less(least, (wide){0});
    if (!wide_lane_bits(against)) return;
    const collide_surface face = collide_face(to, q, low, high, girth, -COLLIDE_SIDE);
    const wide_mask other = against & wide_less(leg->detour * surface->distance, face.distance);
    surface->distance = wide_select(other, face.distance, surface->distance);
    surface->normal = wide3_select(other, face.normal, surface->normal);
}

/* Lanes that meet a convex collider, at the fraction f of the leg where the normal is `local` in its axes. */
typedef struct collide_meeting {
    wide_mask found, inside, touching; /* later in the leg; from inside; at its start */
    wide_mask passes;                  /* of those found: collide_hit */
    wide f, depth;
    wide3 local;
} collide_meeting;

/* Lanes that meet an edge of a box, but are as far beyond one of its faces as a lane that rests on it, meet
 * that face: so they go on over the top of the next tile of a floor, which is level. Of two such faces it is
 * the one along which they go. */
MOTE_OUTLINE void collide_level(const mote_collider_pose *to, collide_form of, const collide_leg *leg,
                                const collide_arc *arc, wide girth, collide_meeting *m) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide3 size = contact_abs(m->local);
    const wide_mask edge = (m->found | m->touching) &
                           wide_less(wide_max(wide_max(size.x, size.y), size.z), wide_set(1 - 0x1p-22f));
    if (!wide_lane_bits(edge)) return;
    const collide_arc_point at = collide_arc_at(to, of, arc, wide_select(m->found, m->f, zero));
    const wide3 beyond = wide3_sub(contact_abs(at.q), wide3_set(to->extent)), speed = contact_abs(at.rate);
    const wide over[3] = {beyond.x, beyond.y, beyond.z}, speeds[3] = {speed.x, speed.y, speed.z},
               places[3] = {at.q.x, at.q.y, at.q.z};
    const wide resting = girth - (of.turns ? COLLIDE_LEVEL : COLLIDE_GIRTH) * (leg->slack + to->slack);
    wide least = wide_set(FLT_MAX);
    for (int k = 0; k < 3; k++) {
        const wide_mask slower = edge & wide_less(resting, over[k]) & wide_less(speeds[k], least);
        const wide sign = wide_select(wide_less(places[k], zero), zero - one, one);
        const wide3 face = {k == 0 ? sign : zero, k == 1 ? sign : zero, k == 2 ? sign : zero};
        least = wide_select(slower, speeds[k], least);
        m->local = wide3_select(slower, face, m->local);
    }
}

/* Replaces *hit in the lanes that hit this collider earlier. */
MOTE_INLINE void collide_meet(const mote_collision *c, int32_t index, const mote_collider_pose *to,
                              collide_form of, const collide_leg *leg, const collide_arc *arc,
                              const collide_meeting *m, collide_hit *hit) {
    const wide zero = {0}, f = wide_select(m->found, m->f, zero);
    const wide3 normal = collide_normal_at(to, of, arc->passed + f * arc->left, m->local);
    wide3 drift = wide3_set(to->shift), swerve = wide3_zero(), later = normal, place = normal;
    wide_mask back = (wide_mask){0};
    if (of.turns) {
        const wide3 d = collide_arc_place(arc, f),
                    q = collide_into_at(to, of.kind, arc->passed + f * arc->left, d);
        drift = collide_drift(to, collide_contact(to, leg, normal, d), &swerve);
        later = collide_out_of(of.kind, to->axis, m->local);
        place = wide3_add(wide3_set(to->origin), collide_out_of(of.kind, to->axis, q));
        place = wide3_add_scaled(place, m->depth, later);
        back = wide_less(wide3_dot(later, wide3_sub(leg->end_x, place)), zero - (leg->slack + to->slack));
    }
    /* A particle that touches the surface hits it if it approaches, or comes back within the leg: by the
     * forces, or because the surface turns. */
    const wide3 material = wide3_scale(wide_set(c->inverse_h), drift);
    const wide speed = wide3_dot(normal, wide3_sub(leg->v, material)),
               slow = leg->slow + COLLIDE_SLOW * collide_sum(material);
    const wide mean = speed + c->theta * wide3_dot(normal, leg->dv);
    back |= wide_less(wide_min(speed, mean), zero - slow);
    const wide_mask meets = m->found | m->inside | (m->touching & back);
    const collide_hit here = {.f = wide_select(m->inside, wide_set(COLLIDE_INSIDE), f),
                              .normal = normal,
                              .later = later,
                              .place = place,
                              .drift = drift,
                              .swerve = swerve,
                              .depth = m->depth,
                              .passes = m->passes};
    collide_take(c, index, to, &here, meets, hit);
}

/* Replaces *hit in the lanes that hit this collider earlier. Lanes whose chord of the leg does not meet it do
 * not hit it. */
MOTE_INLINE void collide_with(const mote_collision *c, int32_t index, const mote_collider_pose *from,
                              collide_form of, const collide_leg *leg, collide_hit *hit) {
    const mote_collider_pose *to = from + c->count;
    const wide zero = {0}, slack = leg->slack + to->slack, girth = collide_girth(to, of.kind, leg);
    const collide_arc arc = collide_arc_of(from, to, leg);
    wide_mask near = leg->active & ~wide_is(leg->last, index) & ~wide_is(leg->met, index);

    /* Distance at the start of the leg. */
    collide_path path = {.begin = zero, .part = wide_set(1.0f), .bend = zero};
    if (of.turns) {
        path = collide_cut(to, of.kind, &arc, girth - to->radius + slack, &near);
    } else {
        path.q0 = collide_into(of.kind, to->axis, arc.d0);
        path.u = wide3_sub(collide_into(of.kind, to->axis, arc.d1), path.q0);
    }
    collide_surface surface = collide_surface_of(to, of.kind, path.q0, girth);
    /* A lane whose leg is shorter than its distance does not hit. */
    const wide_mask off = near & wide_less(slack, surface.distance),
                    outside = off & ~wide_less(collide_sum(path.u) + path.bend, surface.distance),
                    inside = near & wide_less(surface.distance, zero - slack);
    collide_meeting m = {.inside = inside, .touching = near & ~off & ~inside, .f = zero};
    m.passes = (wide_mask){0};
    if (!wide_lane_bits(outside | inside | m.touching)) return;
    if (of.kind == MOTE_COLLIDER_BOX && wide_lane_bits(inside))
        collide_way_round(to, leg, path.q0, girth, inside, &surface);
    m.depth = wide_select(inside, zero - surface.distance, zero);

    /* Root of the distance along the leg. */
    m.found = collide_root(to, of, &path, girth, slack, outside, &m.f, &surface);
    if (!wide_lane_bits(m.found | inside | m.touching)) return;
    m.local = surface.normal;
    if (wide_lane_bits(m.found)) {
        if (of.turns) {
            m.f = path.begin;
        } else {
            const wide lag = wide3_dot(collide_out_of(of.kind, to->axis, m.local), arc.lag);
            m.f = collide_parabola(m.f, wide3_dot(m.local, path.u), lag);
        }
        if (of.turns || of.kind != MOTE_COLLIDER_PLANE)
            m.passes = collide_arc_root(to, of, &arc, girth, slack, m.found, &m.f, &m.local);
    }
    if (of.kind == MOTE_COLLIDER_BOX) collide_level(to, of, leg, &arc, girth, &m);
    collide_meet(c, index, to, of, leg, &arc, &m, hit);
}

/* The same, of lanes of `before` whose parabola meets the collider before *hit. */
MOTE_INLINE void collide_with_arc(const mote_collision *c, int32_t index, const mote_collider_pose *from,
                                  const collide_leg *leg, wide_mask before, collide_hit *hit) {
    const mote_collider_pose *to = from + c->count;
    const collide_form of = {to->kind, to->turns};
    const wide zero = {0}, slack = leg->slack + to->slack, girth = collide_girth(to, of.kind, leg);
    const collide_arc arc = collide_arc_of(from, to, leg);
    const wide3 q =
        of.turns ? collide_into_at(to, of.kind, arc.passed, arc.d0) : collide_into(of.kind, to->axis, arc.d0);
    const collide_surface surface = collide_surface_of(to, of.kind, q, girth);
    const wide_mask search = before & ~wide_is(leg->last, index) & ~wide_is(leg->met, index) &
                             ~wide_is(hit->index, index) & wide_less(slack, surface.distance) &
                             ~wide_less(hit->f * arc.length, surface.distance);
    if (!wide_lane_bits(search)) return;
    collide_meeting m = {.inside = (wide_mask){0}, .touching = (wide_mask){0}, .f = zero, .depth = zero};
    m.local = surface.normal;
    const wide_mask missed = collide_arc_root(to, of, &arc, girth, slack, search, &m.f, &m.local);
    m.found = search & ~missed & wide_less(m.f, hit->f), m.passes = (wide_mask){0};
    if (!wide_lane_bits(m.found)) return;
    if (of.kind == MOTE_COLLIDER_BOX) collide_level(to, of, leg, &arc, girth, &m);
    collide_meet(c, index, to, of, leg, &arc, &m, hit);
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
 * passes under the wall that stands on it. Looks for hits of that way with other convex colliders. */
MOTE_OUTLINE void collide_look_again(const mote_collision *c, const mote_near *list,
                                     const mote_collider_pose *from, const collide_leg *leg, wide_mask hits,
                                     collide_hit *hit) {
    const wide_mask bent = hits & ~hit->straight & wide_less((wide){0}, hit->f) &
                           wide_less(4.0f * leg->slack, collide_sum(leg->lag));
    if (!wide_lane_bits(bent)) return;
    for (uint32_t k = 0; k < list->count; k++) {
        const mote_collider_pose *was = &from[list->index[k]];
        if (!was->height_field && !was->distance_grid)
            collide_with_arc(c, list->index[k], was, leg, bent, hit);
    }
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
    const wide reach = leg->radius + 3.0f * leg->slack + 2.2f * way;
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
