/* Networks against colliders: what came into one in a substep is put out, on the side from which it came, and
 * loses its speed against it; friction takes from the speed along it, up to its coefficient times that. */
#ifndef MOTE_NETWORKS_CONTACT_H
#define MOTE_NETWORKS_CONTACT_H

#include "contacts/contact.h"
#include "networks/work.h"

/* The contact of one register of particles that moved from NETWORK_START to NETWORK_X. False: none in any
 * lane. */
MOTE_INLINE bool network_contact(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                                 uint32_t slot, wide reach, mote_contact *contact) {
    const mote_network_def *def = &job->network->def;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const mote_collider_pose *from = job->poses + (size_t)substep * job->collider_count;
    const mote_contact_points points = {
        .start = network_load3(c, NETWORK_START, at),
        .end = network_load3(c, NETWORK_X, at),
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
MOTE_INLINE wide3 network_shorten(wide3 v, wide most) {
    const wide length = wide_max(wide_sqrt(wide3_dot(v, v)), wide_set(NETWORK_SHORTEST));
    return wide3_scale(wide_min(most / length, wide_set(1.0f)), v);
}

/* The lanes `in` a collider: their speed against it goes, and along it what friction takes for that, and
 * `taken`, m/s, besides. What springs step has then not come so far along the collider either: it would creep
 * down a slope on which it rests. What the constrained solver placed stays: it would be stretched. */
MOTE_INLINE void network_contact_response(const mote_network_job *job, const mote_network_scratch *c,
                                          ptrdiff_t at, wide_mask in, const mote_contact *contact,
                                          wide taken) {
    const wide rate = wide_set((float)(1.0 / job->plan->h)),
               back = wide_set(job->constrained ? 0.0f : job->plan->c.h);
    const wide3 x = network_load3(c, NETWORK_X, at), v = network_load3(c, NETWORK_V, at),
                normal = contact->normal;
    const wide3 relative = wide3_sub(v, wide3_scale(rate, contact->drift));
    const wide out = wide3_dot(normal, relative), against = wide_max((wide){0} - out, (wide){0});
    const wide3 along = wide3_sub(relative, wide3_scale(out, normal));
    const wide3 loss = network_shorten(along, contact->friction * against + taken);
    const wide3 slowed = wide3_sub(wide3_add_scaled(v, against, normal), loss);
    network_store3(c, NETWORK_X, at, wide3_select(in, wide3_sub(x, wide3_scale(back, loss)), x));
    network_store3(c, NETWORK_V, at, wide3_select(in, slowed, v));
}

/* Points in a collider are put onto it; returns how deep they were, 0 in the others. */
MOTE_INLINE wide network_project_out(const mote_network_scratch *c, ptrdiff_t at,
                                     const mote_contact *contact) {
    const wide3 x = network_load3(c, NETWORK_X, at);
    const wide deep = wide_max(contact->offset - wide3_dot(contact->normal, x), (wide){0});
    network_store3(c, NETWORK_X, at,
                   wide3_select(wide_less((wide){0}, deep), wide3_add_scaled(x, deep, contact->normal), x));
    return deep;
}

MOTE_INLINE void network_resolve_contacts(const mote_network_job *job, const mote_network_scratch *c,
                                          uint32_t substep, uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        mote_contact contact;
        if (!network_contact(job, c, substep, slot, (wide){0}, &contact)) continue;
        const wide deep = network_project_out(c, at, &contact);
        network_contact_response(job, c, at, wide_less((wide){0}, deep), &contact, (wide){0});
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
MOTE_INLINE mote_contact network_recorded_contact(const mote_network_scratch *c, ptrdiff_t at) {
    return (mote_contact){.normal = network_load3(c, NETWORK_NORMAL, at),
                          .drift = network_load3(c, NETWORK_DRIFT, at),
                          .friction = wide_load(network_column(c, NETWORK_FRICTION) + at)};
}

/* Keeps the contact of what is put out anew. What presses it on is, until a system tells, what put it out. */
MOTE_INLINE void network_record_contact(const mote_network_scratch *c, ptrdiff_t at,
                                        const mote_contact *contact, mote_contact *kept) {
    float *press = network_column(c, NETWORK_NORMAL_IMPULSE) + at,
          *grip = network_column(c, NETWORK_FRICTION) + at;
    const wide_mask lay = mote_contact_has(kept);
    const wide deep = network_project_out(c, at, contact);
    const wide_mask in = wide_less((wide){0}, deep);
    kept->normal = wide3_select(in, contact->normal, kept->normal);
    kept->drift = wide3_select(in, contact->drift, kept->drift);
    kept->friction = wide_select(in, contact->friction, kept->friction);
    network_store3(c, NETWORK_NORMAL, at, kept->normal);
    network_store3(c, NETWORK_DRIFT, at, kept->drift);
    wide_store(grip, kept->friction);
    wide_store(press, wide_select(lay, wide_load(press), deep));
}

MOTE_INLINE void network_stick(const mote_network_scratch *c, ptrdiff_t at, const mote_contact *contact) {
    const wide_mask in_contact = mote_contact_has(contact);
    if (!wide_lane_bits(in_contact)) return;
    const wide3 x = network_load3(c, NETWORK_X, at), goal = network_load3(c, NETWORK_PREDICTED, at),
                rub = network_load3(c, NETWORK_FRICTION_SHIFT, at);
    const wide3 way = wide3_sub(wide3_sub(x, network_load3(c, NETWORK_START, at)), contact->drift);
    const wide3 along = wide3_sub(way, wide3_scale(wide3_dot(contact->normal, way), contact->normal));
    const wide3 now = network_shorten(
        wide3_sub(rub, along), contact->friction * wide_load(network_column(c, NETWORK_NORMAL_IMPULSE) + at));
    const wide3 more = wide3_sub(now, rub);
    network_store3(c, NETWORK_FRICTION_SHIFT, at, wide3_select(in_contact, now, rub));
    network_store3(c, NETWORK_PREDICTED, at, wide3_select(in_contact, wide3_add(goal, more), goal));
    network_store3(c, NETWORK_X, at, wide3_select(in_contact, wide3_add(x, more), x));
}

/* After a linear system. grips: another one may follow, if what friction does to the springs asks for it. */
MOTE_INLINE void network_solver_contacts(const mote_network_job *job, const mote_network_scratch *c,
                                         uint32_t substep, bool grips, uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        mote_contact kept = network_recorded_contact(c, at), contact;
        if (network_contact(job, c, substep, slot, (wide){0}, &contact))
            network_record_contact(c, at, &contact, &kept);
        if (grips) network_stick(c, at, &kept);
    }
}

/* After the last: what lies on a collider loses its speed against it; along it what friction had no system
 * left to take. */
MOTE_INLINE void network_friction(const mote_network_job *job, const mote_network_scratch *c, uint32_t first,
                                  uint32_t end) {
    const wide rate = wide_set((float)(1.0 / job->plan->h));
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        const mote_contact contact = network_recorded_contact(c, at);
        const wide_mask in_contact = mote_contact_has(&contact);
        if (!wide_lane_bits(in_contact)) continue;
        const wide3 rub = network_load3(c, NETWORK_FRICTION_SHIFT, at);
        const wide left = contact.friction * wide_load(network_column(c, NETWORK_NORMAL_IMPULSE) + at) -
                          wide_sqrt(wide3_dot(rub, rub));
        network_contact_response(job, c, at, in_contact, &contact, rate * wide_max(left, (wide){0}));
    }
}

#endif
