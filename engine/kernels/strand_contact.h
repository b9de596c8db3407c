/* Strands against colliders. Once a substep each point gets the plane that touches the nearest collider on the point's way;
 * convex shapes lie behind it. In each Newton iteration a point behind its plane is put on it and stays on it while the
 * strand presses it there: its inverse mass loses the direction of the normal, so that lengths and contacts are solved
 * together (an active set after Hintermueller, Ito & Kunisch 2002). Friction takes back motion along the plane, up to its
 * coefficient times how far the point was pressed out (Macklin et al., Unified Particle Physics, 2014). */
#ifndef MOTE_KERNELS_STRAND_CONTACT_H
#define MOTE_KERNELS_STRAND_CONTACT_H

#include "contacts/contact.h"
#include "kernels/strand_work.h"

/* Planes further off than this share of the shorter segment at the point are not looked at in this substep; the next one sweeps. */
#define STRAND_CONTACT_REACH 0.5f

/* The length of the shorter segment at point k: the one behind a tip is none. */
MOTE_INLINE wide segment_length(const strand_columns *c, uint32_t k, size_t at) {
    wide length = work_load(c, WORK_LENGTH, at);
    return k ? wide_min(length, work_load(c, WORK_LENGTH, at - MOTE_GROUP)) : length;
}

/* The colliders whose ball comes near the box of all that a strand of the register does in a substep, and the lanes to which
 * each is far. */
typedef struct strand_neighbours {
    uint32_t count;
    uint8_t index[MOTE_MAX_COLLIDERS];
    wide_mask far[MOTE_MAX_COLLIDERS];
} strand_neighbours;

/* What lies outside `box` grown by `reach` has no point within reach: the squared distance from the box to the ball's centre. */
MOTE_INLINE void find_neighbours(const strand_work *w, const mote_collider_pose *from, const mote_collider_pose *to, size_t lane,
                                 strand_neighbours *near) {
    const strand_columns *c = &w->c;
    const mote_strand_job *job = w->job;
    wide3 low = work_load3(c, WORK_X, lane), high = low;
    wide longest = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        wide_mask own = lanes_beyond(wide_mask_load(c->counts + lane), k);
        wide3 x = wide3_select(own, work_load3(c, WORK_X, at), low), start = wide3_select(own, work_load3(c, WORK_START, at), low);
        low = wide3_min(wide3_min(low, x), start);
        high = wide3_max(wide3_max(high, x), start);
        longest = wide_max(longest, wide_select(own, segment_length(c, k, at), (wide){0}));
    }
    const wide reach = wide_set(STRAND_CONTACT_REACH) * longest + wide_set(job->bundle->def.radius);
    near->count = 0;
    for (uint32_t i = 0; i < job->collider_count; i++) {
        wide3 now = wide3_set(to[i].origin), was = wide3_set(from[i].origin);
        wide3 over = wide3_sub(wide3_min(now, was), high), under = wide3_sub(low, wide3_max(now, was));
        wide3 apart = wide3_max(wide3_max(over, under), wide3_zero());
        wide ball = wide_set(to[i].bound) + reach;
        wide_mask far = wide_less(ball * ball, wide3_dot(apart, apart));
        if (wide_all(far)) continue;
        near->far[near->count] = far;
        near->index[near->count++] = (uint8_t)i;
    }
}

/* The planes of a register of strands for a substep that takes WORK_START to WORK_X: of the rows that have any, which are
 * marked. False if there is none. A row of 16 lanes that is not marked is as one in which no lane has a plane. */
MOTE_INLINE bool find_contacts(const strand_work *w, uint32_t substep, size_t lane) {
    const strand_columns *c = &w->c;
    const mote_strand_job *job = w->job;
    const mote_collider_pose *from = job->poses + (size_t)substep * job->collider_count, *to = from + job->collider_count;
    const wide radius = wide_set(job->bundle->def.radius), friction = wide_set(job->bundle->def.friction);
    strand_neighbours near;
    find_neighbours(w, from, to, lane, &near);
    bool any = false;
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        c->touching[k] = STRAND_CLEAR;
        if (near.count == 0) continue;
        wide3 x = work_load3(c, WORK_X, at), start = work_load3(c, WORK_START, at);
        mote_contact contact = mote_contact_none();
        contact.gap = wide_set(STRAND_CONTACT_REACH) * segment_length(c, k, at);
        wide_mask exempt = ~wide_less((wide){0}, point_mass(c, at));
        for (uint32_t i = 0; i < near.count; i++) {
            const mote_collider_pose *was = &from[near.index[i]], *now = &to[near.index[i]];
            mote_contact_nearest(&contact, was, now, start, x, radius, exempt | near.far[i]);
        }
        wide_mask has = wide_less((wide){0}, wide3_dot(contact.normal, contact.normal));
        if (!wide_lane_bits(has)) continue;
        mote_contact_settle(&contact, x, friction);
        c->touching[k] = STRAND_NEAR;
        any = true;
        work_store3(c, WORK_NORMAL, at, contact.normal);
        work_store(c, WORK_OFFSET, at, wide_select(has, contact.offset, wide_set(-MOTE_NO_CONTACT)));
        work_store3(c, WORK_DRIFT, at, contact.drift);
        work_store(c, WORK_FRICTION, at, contact.friction);
        work_store3(c, WORK_ACTIVE, at, wide3_zero());
        work_store(c, WORK_PRESSURE, at, (wide){0});
        work_store(c, WORK_PRESSED, at, (wide){0});
    }
    return any;
}

/* What friction takes back of the motion along the plane since the substep's start; pressed: how far out of the collider. */
MOTE_INLINE wide3 friction_move(wide3 x, wide3 start, wide3 drift, wide3 normal, wide friction, wide pressed) {
    wide3 moved = wide3_sub(wide3_sub(x, start), drift);
    wide3 along = wide3_sub(moved, wide3_scale(wide3_dot(normal, moved), normal));
    wide length = wide_max(wide_sqrt(wide3_dot(along, along)), wide_set(STRAND_SHORTEST));
    wide share = wide_min(friction * wide_max(pressed, (wide){0}) / length, wide_set(1.0f));
    return wide3_scale((wide){0} - share, along);
}

/* Puts the points of the live strands out of the colliders, and chooses those that stay on them. A point that was inside
 * before the substep is put out without gaining speed. */
MOTE_INLINE void touch(const strand_columns *c, wide_mask live, size_t lane) {
    for (uint32_t k = 0; k < c->points; k++) {
        if (!c->touching[k]) continue;
        const size_t at = strand_at(k, lane);
        wide3 normal = work_load3(c, WORK_NORMAL, at), x = work_load3(c, WORK_X, at), was = work_load3(c, WORK_ACTIVE, at);
        wide pressure = work_load(c, WORK_PRESSURE, at), offset = work_load(c, WORK_OFFSET, at), gap = wide3_dot(normal, x) - offset;
        wide_mask lay = wide_less((wide){0}, wide3_dot(was, was)), pressing = lay & wide_less((wide){0}, pressure);
        wide_mask active = live & (wide_less(gap, (wide){0}) | pressing);
        c->touching[k] = wide_lane_bits(active) ? STRAND_LIES : STRAND_NEAR;
        if (!wide_lane_bits(active | (live & lay))) continue; /* no lane lay here, and none does now */
        wide3 start = work_load3(c, WORK_START, at), drift = work_load3(c, WORK_DRIFT, at);
        wide rubbed_at = work_load(c, WORK_PRESSED, at);
        wide out = wide_select(active, wide_max((wide){0} - gap, (wide){0}), (wide){0});
        wide sum = wide_select(active, pressure + out, (wide){0});
        wide pressed = sum - wide_select(lay, rubbed_at, (wide){0});
        wide3 put = wide3_add_scaled(x, out, normal);
        wide3 rubbed = wide3_add(put, friction_move(put, start, drift, normal, work_load(c, WORK_FRICTION, at), pressed));
        wide inside = offset - wide3_dot(normal, wide3_add(start, drift));
        wide before = wide_min(wide_max(inside, (wide){0}), out);
        work_store3(c, WORK_START, at, wide3_select(active, wide3_add_scaled(start, before, normal), start));
        work_store3(c, WORK_X, at, wide3_select(active, rubbed, x));
        work_store3(c, WORK_ACTIVE, at, wide3_select(live, wide3_select(active, normal, wide3_zero()), was));
        work_store(c, WORK_PRESSURE, at, wide_select(live, sum, pressure));
        work_store(c, WORK_PRESSED, at, wide_select(live, sum, rubbed_at));
    }
}

/* Lanes none of whose points is deeper in a collider than `share` of its segment. */
MOTE_INLINE wide_mask clear_of_colliders(const strand_columns *c, wide share, size_t lane) {
    wide_mask clear = ~(wide_mask){0};
    for (uint32_t k = 0; k < c->points; k++) {
        if (!c->touching[k]) continue;
        const size_t at = strand_at(k, lane);
        wide3 x = work_load3(c, WORK_X, at);
        wide gap = wide3_dot(work_load3(c, WORK_NORMAL, at), x) - work_load(c, WORK_OFFSET, at);
        wide allowed = share * segment_length(c, k, at) + wide_set(STRAND_ROUNDING) * (wide_abs(x.x) + wide_abs(x.y) + wide_abs(x.z));
        clear &= ~wide_less(gap, (wide){0} - allowed);
    }
    return clear;
}

/* Springs: after the substep, points that came into a collider are put out and lose their speed against it. */
MOTE_INLINE void push_out(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    for (uint32_t k = 0; k < c->points; k++) {
        if (!c->touching[k]) continue;
        const size_t at = strand_at(k, lane);
        wide3 normal = work_load3(c, WORK_NORMAL, at), x = work_load3(c, WORK_X, at), v = work_load3(c, WORK_V, at);
        wide gap = wide3_dot(normal, x) - work_load(c, WORK_OFFSET, at);
        wide_mask in = wide_less(gap, (wide){0});
        wide3 against = wide3_sub(v, wide3_scale(rate, work_load3(c, WORK_DRIFT, at)));
        wide speed = wide_max((wide){0} - wide3_dot(normal, against), (wide){0});
        wide3 along = wide3_add_scaled(against, wide_set(0.0f) - wide3_dot(normal, against), normal);
        wide length = wide_max(wide_sqrt(wide3_dot(along, along)), wide_set(STRAND_SHORTEST));
        wide share = wide_min(work_load(c, WORK_FRICTION, at) * speed / length, wide_set(1.0f));
        wide3 slowed = wide3_sub(wide3_add_scaled(v, speed, normal), wide3_scale(share, along));
        work_store3(c, WORK_X, at, wide3_select(in, wide3_sub(x, wide3_scale(gap, normal)), x));
        work_store3(c, WORK_V, at, wide3_select(in, slowed, v));
    }
}

#endif
