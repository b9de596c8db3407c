/* Networks of springs against colliders: what came into one in a substep is put out, on the side from which it came, and loses
 * its speed against it; friction takes from the speed along it, up to its coefficient times that. */
#ifndef MOTE_KERNELS_NETWORK_CONTACT_H
#define MOTE_KERNELS_NETWORK_CONTACT_H

#include "contacts/contact.h"
#include "kernels/network_work.h"

/* The contact of one register of particles that moved from NET_START to NET_X. False: none in any lane. */
MOTE_INLINE bool net_contact(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep, uint32_t slot,
                             wide reach, mote_contact *contact) {
    const mote_network_def *def = &job->network->def;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const mote_collider_pose *from = job->poses + (size_t)substep * job->collider_count;
    const mote_contact_points points = {.start = net_load3(c, NET_START, at), .end = net_load3(c, NET_X, at),
                                        .radius = wide_set(def->radius), .friction = wide_set(def->friction), .reach = reach,
                                        .exempt = ~wide_less((wide){0}, wide_load(job->network->inverse_mass + slot))};
    mote_contact_box box = mote_contact_box_at(points.start);
    mote_contact_box_add(&box, points.end);
    mote_contact_list near;
    mote_contact_list_near(&near, from, from + job->collider_count, job->collider_count, &box, points.radius + reach);
    return near.count && mote_contact_find(&near, &points, contact);
}

/* v of the points `in` a collider: against it is none left, along it less by friction. drift: m, of the collider in a substep. */
MOTE_INLINE wide3 net_slowed(wide3 v, const mote_contact *contact, wide rate) {
    const wide3 normal = contact->normal, against = wide3_sub(v, wide3_scale(rate, contact->drift));
    wide speed = wide_max((wide){0} - wide3_dot(normal, against), (wide){0});
    wide3 along = wide3_sub(against, wide3_scale(wide3_dot(normal, against), normal));
    wide length = wide_max(wide_sqrt(wide3_dot(along, along)), wide_set(NET_SHORTEST));
    wide share = wide_min(contact->friction * speed / length, wide_set(1.0f));
    return wide3_sub(wide3_add_scaled(v, speed, normal), wide3_scale(share, along));
}

MOTE_INLINE void net_push_out(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep, uint32_t first,
                              uint32_t end) {
    const wide rate = wide_set((float)(1.0 / job->plan->h));
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        mote_contact contact;
        if (!net_contact(job, c, substep, slot, (wide){0}, &contact)) continue;
        const wide3 x = net_load3(c, NET_X, at), v = net_load3(c, NET_V, at);
        const wide gap = wide3_dot(contact.normal, x) - contact.offset;
        const wide_mask in = wide_less(gap, (wide){0});
        net_store3(c, NET_X, at, wide3_select(in, wide3_sub(x, wide3_scale(gap, contact.normal)), x));
        net_store3(c, NET_V, at, wide3_select(in, net_slowed(v, &contact, rate), v));
    }
}

#endif
