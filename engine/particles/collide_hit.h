/* Hits of loose particles with colliders: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_HIT_H
#define MOTE_PARTICLES_COLLIDE_HIT_H

#include "particles/collide_path.h"

#define COLLIDE_SLOW     0x1p-20f /* of speeds: slower normal velocities are rounding errors */
#define COLLIDE_ROUNDING 0x1p-22f /* of coordinates: bound of the error of a distance */
#define COLLIDE_INSIDE   (-1.0f)  /* fractions of hits: before all others */
#define COLLIDE_NO_HIT   2.0f

/* Completes a leg whose ends and duration are set. */
MOTE_ONCE void collide_leg_begin(const mote_collision *c, collide_leg *leg) {
    const wide3 far = wide3_max(contact_abs(leg->x), contact_abs(leg->end_x));
    const wide slack = COLLIDE_ROUNDING * (wide_max(wide_max(far.x, far.y), far.z) + leg->radius);
    leg->slack = wide_select(leg->active, slack, leg->slack); /* others are read at the end of the substep */
    leg->slow = COLLIDE_SLOW * (collide_sum(leg->v) + collide_sum(leg->end_v));
    leg->dv = wide3_sub(leg->end_v, leg->v);
    leg->lag = wide3_add_scaled(leg->raised, leg->left * (c->theta * c->h), leg->dv);
}

/* Returns the inverse masses of the lanes in `lanes`. */
MOTE_INLINE wide collide_inverse_masses(const mote_collision *c, const collide_leg *leg, wide_mask lanes) {
    if (!c->inverse_masses) return wide_set(c->inverse_mass);
    float of[MOTE_WIDTH] = {0};
    for (uint32_t bits = wide_lane_bits(lanes); bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        of[lane] = c->inverse_masses[collide_slot(leg, lane)];
    }
    return wide_load(of);
}

/* First hit of the leg. */
typedef struct collide_hit {
    wide f; /* fraction of the leg */
    wide3 normal;
    wide3 later,
        place; /* of what turns: its normal at the end of the substep, and where it carries the lane */
    wide3 drift;
    wide3 swerve; /* m, what the chord of the material's path has beyond its velocity at the hit */
    wide restitution, friction, depth; /* depth > 0: the leg began inside, so deep along ... */
    wide3 out; /* ... this direction, of lanes in `grid`; others leave along the normal */
    wide spin; /* rad: what the collider turns in the substep */
    wide_mask index, kills, sticks;
    wide_mask grid;     /* lanes that hit a height field or distance grid */
    wide_mask straight; /* lanes whose place of the hit is on the segment, not on the parabola */
    wide_mask passes;   /* lanes that pass by: the segment meets the collider, and the parabola does not */
} collide_hit;

/* Member by member: clearing the whole takes as long as a small collider. */
MOTE_INLINE void collide_hit_clear(collide_hit *hit) {
    const wide3 none = wide3_zero();
    const wide_mask no_lane = (wide_mask){0};
    hit->f = wide_set(COLLIDE_NO_HIT);
    hit->normal = hit->later = hit->place = hit->drift = hit->swerve = hit->out = none;
    hit->restitution = hit->friction = hit->depth = hit->spin = none.x;
    hit->index = hit->kills = hit->sticks = hit->grid = hit->straight = hit->passes = no_lane;
}

/* Returns the start of a leg relative to the origin of a collider. */
MOTE_INLINE wide3 collide_start(const mote_collider_pose *from, const mote_collider_pose *to,
                                const collide_leg *leg) {
    const wide3 d = wide3_sub(leg->x, wide3_set(from->origin));
    if (to->moved == 0) return d;
    return wide3_sub(d, wide3_scale(1.0f - leg->left, wide3_set(to->shift)));
}

/* Returns the parabola of a leg beside a collider. */
MOTE_INLINE collide_arc collide_arc_of(const mote_collider_pose *from, const mote_collider_pose *to,
                                       const collide_leg *leg) {
    collide_arc arc = {.d0 = collide_start(from, to, leg), .lag = leg->lag, .left = leg->left};
    arc.d1 = wide3_sub(leg->end_x, wide3_set(to->origin)), arc.way = wide3_sub(arc.d1, arc.d0);
    arc.passed = 1.0f - leg->left, arc.curved = (wide){0};
    arc.length = collide_sum(arc.way) + collide_sum(arc.lag);
    if (!to->turns) return arc;
    const wide angle = to->spin * leg->left,
               far = wide_max(collide_sum(arc.d0), collide_sum(arc.d1)) + collide_sum(arc.lag);
    arc.curved = 0.5f * angle * (angle * far + 2.0f * arc.length);
    arc.length += 1.05f * angle * far;
    return arc;
}

/* Returns the motion of the material at d from the origin of a collider in a substep; *swerve: the part of it
 * by which the path is no straight line, which has no share in the velocity. */
MOTE_INLINE wide3 collide_drift(const mote_collider_pose *to, wide3 d, wide3 *swerve) {
    const wide3 turned = contact_out_of(to->turn, d);
    *swerve = wide3_scale(wide_set(0.5f), wide3_add(turned, contact_into(to->turn, d)));
    return wide3_add(wide3_set(to->shift), turned);
}

/* Returns where a ball at d touches a surface; its centre, where it is to stick. */
MOTE_INLINE wide3 collide_contact(const mote_collider_pose *to, const collide_leg *leg, wide3 normal,
                                  wide3 d) {
    if (to->response == MOTE_RESPONSE_STICK) return d;
    return wide3_sub(d, wide3_scale(leg->radius, normal));
}

/* Returns the tangential velocity that friction leaves. limit: the greatest change, m/s. */
MOTE_INLINE wide3 collide_friction(wide limit, wide3 free) {
    const wide zero = {0}, one = wide_set(1.0f), size = wide_sqrt(wide3_dot(free, free));
    const wide_mask slips = wide_less(limit, size);
    return wide3_scale(wide_select(slips, one - limit / wide_select(slips, size, one), zero), free);
}

/* Replaces *hit by the hit with a collider in the lanes of `meets` in which that is earlier. */
MOTE_INLINE void collide_take(const mote_collision *c, int32_t index, const mote_collider_pose *to,
                              const collide_hit *here, wide_mask meets, collide_hit *hit) {
    const wide_mask first = meets & wide_less(here->f, hit->f), none = (wide_mask){0};
    const wide_mask inside = wide_less((wide){0}, here->depth), holds = first & ~here->passes;
    if (!wide_lane_bits(first)) return;
    hit->f = wide_select(first, here->f, hit->f);
    hit->normal = wide3_select(first, here->normal, hit->normal);
    if (to->turns) {
        hit->later = wide3_select(first, here->later, hit->later);
        hit->place = wide3_select(first, here->place, hit->place);
    }
    if (to->height_field || to->distance_grid) hit->out = wide3_select(first, here->out, hit->out);
    hit->drift = wide3_select(first, here->drift, hit->drift);
    hit->swerve = wide3_select(first, here->swerve, hit->swerve);
    hit->depth = wide_select(first, here->depth, hit->depth);
    hit->restitution =
        wide_select(first, wide_select(inside, (wide){0}, wide_set(to->restitution)), hit->restitution);
    hit->friction = wide_select(first, wide_set(c->friction[index]), hit->friction);
    hit->spin = wide_select(first, wide_set(to->spin), hit->spin);
    hit->grid = (first & here->grid) | (~first & hit->grid);
    hit->straight = (first & here->straight) | (~first & hit->straight);
    hit->passes = (first & here->passes) | (~first & hit->passes);
    hit->index = (first & index) | (~first & hit->index);
    /* What holds stops the newborn as what kills does: both act in the next step. */
    const bool sticks = to->response == MOTE_RESPONSE_STICK, born = !c->stuck && !c->killed;
    hit->kills =
        (to->response == MOTE_RESPONSE_KILL || (sticks && born) ? holds : none) | (~first & hit->kills);
    hit->sticks = (sticks && !born ? holds : none) | (~first & hit->sticks);
}

#endif
