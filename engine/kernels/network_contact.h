/* Networks against colliders: what came into one in a substep is put out, on the side from which it came, and
 * loses its speed against it; friction takes from the speed along it, up to its coefficient times that. */
#ifndef MOTE_KERNELS_NETWORK_CONTACT_H
#define MOTE_KERNELS_NETWORK_CONTACT_H

#include "contacts/contact.h"
#include "kernels/network_work.h"

/* The contact of one register of particles that moved from NET_START to NET_X. False: none in any lane. */
MOTE_INLINE bool net_contact(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                             uint32_t slot, wide reach, mote_contact *contact) {
    const mote_network_def *def = &job->network->def;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const mote_collider_pose *from = job->poses + (size_t)substep * job->collider_count;
    const mote_contact_points points = {
        .start = net_load3(c, NET_START, at),
        .end = net_load3(c, NET_X, at),
        .radius = wide_set(def->radius),
        .friction = wide_set(def->friction),
        .reach = reach,
        .exempt = ~wide_less((wide){0}, wide_load(job->network->inverse_mass + slot))};
    mote_contact_box box = mote_contact_box_at(points.start);
    mote_contact_box_add(&box, points.end);
    mote_contact_list near;
    mote_contact_list_near(&near, from, from + job->collider_count, job->collider_count, &box,
                           points.radius + reach);
    return near.count && mote_contact_find(&near, &points, contact);
}

/* A tangential vector shortened to a length. */
MOTE_INLINE wide3 net_shorten(wide3 v, wide most) {
    const wide length = wide_max(wide_sqrt(wide3_dot(v, v)), wide_set(NET_SHORTEST));
    return wide3_scale(wide_min(most / length, wide_set(1.0f)), v);
}

/* The lanes `in` a collider: their speed against it goes, and along it what friction takes for that, and
 * `taken`, m/s, besides. What springs step has then not come so far along the collider either: it would creep
 * down a slope on which it rests. What the constrained solver placed stays: it would be stretched. */
MOTE_INLINE void net_lose(const mote_network_job *job, const mote_network_scratch *c, ptrdiff_t at,
                          wide_mask in, const mote_contact *contact, wide taken) {
    const wide rate = wide_set((float)(1.0 / job->plan->h)),
               back = wide_set(job->constrained ? 0.0f : job->plan->c.h);
    const wide3 x = net_load3(c, NET_X, at), v = net_load3(c, NET_V, at), normal = contact->normal;
    const wide3 relative = wide3_sub(v, wide3_scale(rate, contact->drift));
    const wide out = wide3_dot(normal, relative), against = wide_max((wide){0} - out, (wide){0});
    const wide3 along = wide3_sub(relative, wide3_scale(out, normal));
    const wide3 loss = net_shorten(along, contact->friction * against + taken);
    const wide3 slowed = wide3_sub(wide3_add_scaled(v, against, normal), loss);
    net_store3(c, NET_X, at, wide3_select(in, wide3_sub(x, wide3_scale(back, loss)), x));
    net_store3(c, NET_V, at, wide3_select(in, slowed, v));
}

/* Points in a collider are put onto it; returns how deep they were, 0 in the others. */
MOTE_INLINE wide net_put_out(const mote_network_scratch *c, ptrdiff_t at, const mote_contact *contact) {
    const wide3 x = net_load3(c, NET_X, at);
    const wide deep = wide_max(contact->offset - wide3_dot(contact->normal, x), (wide){0});
    net_store3(c, NET_X, at,
               wide3_select(wide_less((wide){0}, deep), wide3_add_scaled(x, deep, contact->normal), x));
    return deep;
}

MOTE_INLINE void net_push_out(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                              uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        mote_contact contact;
        if (!net_contact(job, c, substep, slot, (wide){0}, &contact)) continue;
        const wide deep = net_put_out(c, at, &contact);
        net_lose(job, c, at, wide_less((wide){0}, deep), &contact, (wide){0});
    }
}

/* --- In the constrained solver ---
 *
 * A point that came into a collider lies on it for the rest of the substep: the linear systems that follow
 * move it along the collider alone. Friction is an impulse among those that the springs balance: from one
 * system to the next it goes on against the way that the point has come along the collider, up to its
 * coefficient times what presses it on. Given after the solve instead, it would hold against any tension:
 * springs' stiffness keeps light points from moving, not their mass (measured: a net strained by 0.9). */

/* The contact that a register keeps, and the lanes that have one. */
MOTE_INLINE mote_contact net_kept_contact(const mote_network_scratch *c, ptrdiff_t at) {
    return (mote_contact){.normal = net_load3(c, NET_NORMAL, at),
                          .drift = net_load3(c, NET_DRIFT, at),
                          .friction = wide_load(net_column(c, NET_GRIP) + at)};
}

/* Keeps the contact of what is put out anew. What presses it on is, until a system tells, what put it out. */
MOTE_INLINE void net_meet(const mote_network_scratch *c, ptrdiff_t at, const mote_contact *contact,
                          mote_contact *kept) {
    float *press = net_column(c, NET_PRESS) + at, *grip = net_column(c, NET_GRIP) + at;
    const wide_mask lay = mote_contact_has(kept);
    const wide deep = net_put_out(c, at, contact);
    const wide_mask in = wide_less((wide){0}, deep);
    kept->normal = wide3_select(in, contact->normal, kept->normal);
    kept->drift = wide3_select(in, contact->drift, kept->drift);
    kept->friction = wide_select(in, contact->friction, kept->friction);
    net_store3(c, NET_NORMAL, at, kept->normal);
    net_store3(c, NET_DRIFT, at, kept->drift);
    wide_store(grip, kept->friction);
    wide_store(press, wide_select(lay, wide_load(press), deep));
}

MOTE_INLINE void net_grip(const mote_network_scratch *c, ptrdiff_t at, const mote_contact *contact) {
    const wide_mask lies = mote_contact_has(contact);
    if (!wide_lane_bits(lies)) return;
    const wide3 x = net_load3(c, NET_X, at), goal = net_load3(c, NET_GOAL, at),
                rub = net_load3(c, NET_RUB, at);
    const wide3 way = wide3_sub(wide3_sub(x, net_load3(c, NET_START, at)), contact->drift);
    const wide3 along = wide3_sub(way, wide3_scale(wide3_dot(contact->normal, way), contact->normal));
    const wide3 now =
        net_shorten(wide3_sub(rub, along), contact->friction * wide_load(net_column(c, NET_PRESS) + at));
    const wide3 more = wide3_sub(now, rub);
    net_store3(c, NET_RUB, at, wide3_select(lies, now, rub));
    net_store3(c, NET_GOAL, at, wide3_select(lies, wide3_add(goal, more), goal));
    net_store3(c, NET_X, at, wide3_select(lies, wide3_add(x, more), x));
}

/* After a linear system. grips: another one may follow, if what friction does to the springs asks for it. */
MOTE_INLINE void net_touch(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                           bool grips, uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        mote_contact kept = net_kept_contact(c, at), contact;
        if (net_contact(job, c, substep, slot, (wide){0}, &contact)) net_meet(c, at, &contact, &kept);
        if (grips) net_grip(c, at, &kept);
    }
}

/* After the last: what lies on a collider loses its speed against it; along it what friction had no system
 * left to take. */
MOTE_INLINE void net_rub(const mote_network_job *job, const mote_network_scratch *c, uint32_t first,
                         uint32_t end) {
    const wide rate = wide_set((float)(1.0 / job->plan->h));
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        const mote_contact contact = net_kept_contact(c, at);
        const wide_mask lies = mote_contact_has(&contact);
        if (!wide_lane_bits(lies)) continue;
        const wide3 rub = net_load3(c, NET_RUB, at);
        const wide left =
            contact.friction * wide_load(net_column(c, NET_PRESS) + at) - wide_sqrt(wide3_dot(rub, rub));
        net_lose(job, c, at, lies, &contact, rate * wide_max(left, (wide){0}));
    }
}

#endif
