/* Strands against colliders. Once a substep each point gets the plane that touches the nearest collider on the point's way;
 * convex shapes lie behind it. In each Newton iteration a point behind its plane is put on it and stays on it while the
 * strand presses it there: its inverse mass loses the direction of the normal, so that lengths and contacts are solved
 * together (an active set after Hintermueller, Ito & Kunisch 2002). Friction takes back motion along the plane, up to its
 * coefficient times how far the point was pressed out (Macklin et al., Unified Particle Physics, 2014). */
#ifndef MOTE_KERNELS_STRAND_CONTACT_H
#define MOTE_KERNELS_STRAND_CONTACT_H

#include "contacts/contact.h"
#include "kernels/strand_work.h"

/* Planes further off than this share of the segment behind the point are not looked at in this substep; the next one sweeps. */
#define STRAND_CONTACT_REACH 0.5f

/* The planes of a register of strands for a substep that takes WORK_START to WORK_X. Returns the lanes that have any. */
MOTE_INLINE wide_mask find_contacts(const strand_work *w, uint32_t substep, size_t lane) {
    const strand_columns *c = &w->c;
    const mote_strand_job *job = w->job;
    const mote_collider_pose *from = job->poses + (size_t)substep * job->collider_count, *to = from + job->collider_count;
    const wide radius = wide_set(job->bundle->def.radius), friction = wide_set(job->bundle->def.friction);
    wide_mask any = (wide_mask){0};
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
        wide3 x = work_load3(c, WORK_X, at);
        wide reach = wide_set(STRAND_CONTACT_REACH) * work_load(c, WORK_LENGTH, at);
        mote_contact contact = mote_contact_find_within(from, to, job->collider_count, work_load3(c, WORK_START, at), x, radius, friction, reach);
        wide_mask near = wide_less(contact.gap, reach) & wide_less((wide){0}, point_mass(c, at));
        work_store3(c, WORK_NORMAL, at, wide3_select(near, contact.normal, wide3_zero()));
        work_store(c, WORK_OFFSET, at, wide_select(near, contact.offset, wide_set(-MOTE_NO_CONTACT)));
        work_store3(c, WORK_DRIFT, at, contact.drift);
        work_store(c, WORK_FRICTION, at, contact.friction);
        work_store3(c, WORK_ACTIVE, at, wide3_zero());
        work_store(c, WORK_PRESSURE, at, (wide){0});
        work_store(c, WORK_PRESSED, at, (wide){0});
        any |= near;
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
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        wide3 normal = work_load3(c, WORK_NORMAL, at), x = work_load3(c, WORK_X, at), start = work_load3(c, WORK_START, at);
        wide3 drift = work_load3(c, WORK_DRIFT, at), was = work_load3(c, WORK_ACTIVE, at);
        wide pressure = work_load(c, WORK_PRESSURE, at), offset = work_load(c, WORK_OFFSET, at);
        wide gap = wide3_dot(normal, x) - offset;
        wide_mask lay = wide_less((wide){0}, wide3_dot(was, was)), pressing = lay & wide_less((wide){0}, pressure);
        wide_mask active = live & (wide_less(gap, (wide){0}) | pressing);
        wide out = wide_select(active, wide_max((wide){0} - gap, (wide){0}), (wide){0});
        pressure = wide_select(active, pressure + out, (wide){0});
        wide pressed = pressure - wide_select(lay, work_load(c, WORK_PRESSED, at), (wide){0});
        wide3 put = wide3_add_scaled(x, out, normal);
        wide3 rubbed = wide3_add(put, friction_move(put, start, drift, normal, work_load(c, WORK_FRICTION, at), pressed));
        wide inside = offset - wide3_dot(normal, wide3_add(start, drift));
        wide before = wide_min(wide_max(inside, (wide){0}), out);
        work_store3(c, WORK_START, at, wide3_select(active, wide3_add_scaled(start, before, normal), start));
        work_store3(c, WORK_X, at, wide3_select(active, rubbed, x));
        work_store3(c, WORK_ACTIVE, at, wide3_select(active, normal, wide3_zero()));
        work_store(c, WORK_PRESSURE, at, pressure);
        work_store(c, WORK_PRESSED, at, pressure);
    }
}

/* Lanes none of whose points is deeper in a collider than `share` of its segment. */
MOTE_INLINE wide_mask clear_of_colliders(const strand_columns *c, wide share, size_t lane) {
    wide_mask clear = ~(wide_mask){0};
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        wide gap = wide3_dot(work_load3(c, WORK_NORMAL, at), work_load3(c, WORK_X, at)) - work_load(c, WORK_OFFSET, at);
        clear &= wide_less((wide){0} - share * work_load(c, WORK_LENGTH, at), gap);
    }
    return clear;
}

/* Springs: after the substep, points that came into a collider are put out and lose their speed against it. */
MOTE_INLINE void push_out(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    for (size_t at = lane; at < strand_at(w->points, lane); at += MOTE_GROUP) {
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
