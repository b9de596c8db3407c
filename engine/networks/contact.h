/* Contacts of networks with colliders. A point that entered a collider in a substep is projected out, on the
 * side from which it came, and loses its approach velocity. Coulomb friction reduces its tangential velocity,
 * by at most the coefficient times the loss of approach velocity. */
#ifndef MOTE_NETWORKS_CONTACT_H
#define MOTE_NETWORKS_CONTACT_H

#include "contacts/contact.h"
#include "networks/dual.h"
#include "networks/places.h"

/* Motion in which contacts are sought: from COLUMN(start) to the positions in column `end`. still: colliders
 * stay as they were at the start of the substep. */
typedef struct network_path {
    uint32_t substep;
    int end;
    bool still;
} network_path;

/* Finds the lanes that are near two colliders of a list or more. */
MOTE_INLINE wide_mask network_near_several(const mote_contact_list *near) {
    wide_mask one = {0}, several = {0};
    for (uint32_t i = 0; i < near->count; i++) {
        several |= one & ~near->far[i];
        one |= ~near->far[i];
    }
    return several;
}

/* Finds the contacts of one register of particles, and in *several the lanes that are near two colliders or
 * more. Returns false if no lane has a contact. */
MOTE_INLINE bool network_contact(const mote_network_job *job, const mote_network_scratch *c,
                                 network_path path, uint32_t slot, mote_contact *contact,
                                 wide_mask *several) {
    const mote_network_def *def = &job->network->def;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const mote_collider_pose *from = job->poses + (size_t)path.substep * job->collider_count,
                             *to = path.still ? from : from + job->collider_count;
    const mote_contact_points points = {
        .base = network_origin(job, slot),
        .start = network_load3(c, COLUMN(start), at),
        .end = network_load3(c, path.end, at),
        .radius = wide_set(def->radius),
        .friction = wide_set(def->friction),
        .reach = (wide){0},
        .exempt = ~wide_less((wide){0}, wide_load(job->network->range.inverse_mass + slot))};
    mote_contact_box box = mote_contact_box_at(points.base, points.start);
    mote_contact_box_add(&box, points.end);
    mote_contact_list near;
    mote_contact_list_near(&near, from, to, job->collider_count, &box, points.radius);
    *several = network_near_several(&near);
    return near.count && mote_contact_find(&near, &points, contact);
}

/* The contacts alone, out of line: for passes that few registers take. */
MOTE_OUTLINE bool network_find_contact(const mote_network_job *job, const mote_network_scratch *c,
                                       network_path path, uint32_t slot, mote_contact *contact) {
    wide_mask several;
    return network_contact(job, c, path, slot, contact, &several);
}

/* Share of a tangential vector that is no longer than `most`. */
MOTE_INLINE wide network_share(wide3 v, wide most) {
    return wide_min(most / wide_max(wide_sqrt(wide3_dot(v, v)), wide_set(NETWORK_SHORTEST)), wide_set(1.0f));
}

/* Limits the length of a tangential vector to `most`. */
MOTE_INLINE wide3 network_shorten(wide3 v, wide most) { return wide3_scale(network_share(v, most), v); }

/* Points whose friction takes from the way that they have slid in the substep the share that it takes from
 * their velocity: a point at rest on a slope would creep down otherwise. */
typedef enum network_sliding {
    NETWORK_STAYS,   /* none: what moves points of a net after the solve stretches it */
    NETWORK_STOPS,   /* those that friction stops */
    NETWORK_RETURNS, /* all */
} network_sliding;

/* Velocity response in the lanes `in`: removes the approach velocity. Coulomb friction removes tangential
 * velocity, up to the coefficient times the approach velocity plus `extra`, m/s. */
MOTE_INLINE void network_contact_response(const mote_network_job *job, const mote_network_scratch *c,
                                          ptrdiff_t at, wide_mask in, const mote_contact *contact, wide extra,
                                          network_sliding sliding) {
    const wide rate = wide_set((float)(1.0 / job->plan->h)), one = wide_set(1.0f);
    const wide3 x = network_load3(c, COLUMN(x), at), v = network_load3(c, COLUMN(v), at),
                normal = contact->normal;
    const wide3 relative = wide3_sub(v, wide3_scale(rate, contact->drift));
    const wide normal_velocity = wide3_dot(normal, relative),
               approach = wide_max((wide){0} - normal_velocity, (wide){0});
    const wide3 tangential = wide3_sub(relative, wide3_scale(normal_velocity, normal));
    const wide share = network_share(tangential, contact->friction * approach + extra);
    const wide3 slowed = wide3_sub(wide3_add_scaled(v, approach, normal), wide3_scale(share, tangential));
    network_store3(c, COLUMN(v), at, wide3_select(in, slowed, v));
    if (sliding == NETWORK_STAYS) return;
    const wide3 way = wide3_sub(wide3_sub(x, network_load3(c, COLUMN(start), at)), contact->drift),
                slid = wide3_sub(way, wide3_scale(wide3_dot(normal, way), normal));
    const wide back = sliding == NETWORK_RETURNS ? share : wide_select(wide_less(share, one), (wide){0}, one);
    network_store3(c, COLUMN(x), at, wide3_select(in, wide3_sub(x, wide3_scale(back, slid)), x));
}

/* Coefficient of friction of points that two colliders press. */
#define NETWORK_PRESSED 1e6f

/* A point that two colliders press, with less room between them than it needs, stays as deep in the contact's
 * as it began the substep, and moves with it: put out of each by the other in turn, it would get a speed from
 * both, and free to slide it would sink into narrow creases. */
MOTE_INLINE void network_allow_pressed(const mote_network_scratch *c, ptrdiff_t at, mote_contact *contact) {
    const wide_mask pressed = wide_less((wide){0}, wide_load(network_column(c, COLUMN(touch)) + at));
    const wide3 held = wide3_add(network_load3(c, COLUMN(start), at), contact->drift);
    contact->offset =
        wide_select(pressed, wide_min(contact->offset, wide3_dot(contact->normal, held)), contact->offset);
    contact->friction = wide_select(pressed, wide_set(NETWORK_PRESSED), contact->friction);
}

/* Projects points inside a collider onto its surface. Returns their penetration depth (m), 0 in the other
 * lanes. */
MOTE_INLINE wide network_project_out(const mote_network_scratch *c, ptrdiff_t at,
                                     const mote_contact *contact) {
    const wide3 x = network_load3(c, COLUMN(x), at);
    const wide depth = wide_max(contact->offset - wide3_dot(contact->normal, x), (wide){0});
    network_store3(c, COLUMN(x), at,
                   wide3_select(wide_less((wide){0}, depth), wide3_add_scaled(x, depth, contact->normal), x));
    return depth;
}

/* The primal solver holds its contacts itself. Of the dual one, nets are stretched by what happens after the
 * solve (measured: one of 9 x 9 on a ball by 0.5 % in place of 0.2 %), chains that rest are not. */
MOTE_INLINE network_sliding network_sliding_of(const mote_network_job *job, uint32_t slot) {
    const mote_network *n = job->network;
    if (!job->constrained) return NETWORK_RETURNS;
    return mote_network_is_stiff_chain(n, n->island[slot], job->plan->h) ? NETWORK_STOPS : NETWORK_STAYS;
}

/* --- In the constrained solver ---
 *
 * A point that entered a collider stays in contact for the rest of the substep: the following linear systems
 * move it in the tangent plane only. Points of x* in a collider are in contact from the first system on: a
 * point that is put out after the last system strains its springs, and that is never solved for.
 *
 * Friction is part of the solve. A point of x* in contact begins where it was on the collider and is held
 * there, as by a pin, while the pull on it is within the coefficient times the normal impulse. Otherwise it
 * slides, and friction is an impulse that opposes its tangential displacement, up to the coefficient times
 * the normal impulse; the next system balances it against the springs. The impulse changes x*, not x: moving
 * the points themselves strained the springs of a stiff net by 60 times the energy there was (measured).
 * Impulses alone do not hold cloth on a ball, because light points are held by the stiffness of springs, not
 * by their mass (measured: it slid off in 6 s); for the same reason friction applied after the solve would
 * withstand any tension (measured: a net strained by 0.9). */

/* Displacement since the start of the substep: h v* and what the solver has moved. */
MOTE_INLINE wide3 network_motion(const mote_network_job *job, const mote_network_scratch *c, ptrdiff_t at) {
    return wide3_add_scaled(network_load3(c, COLUMN(moved), at), wide_set(job->plan->c.h),
                            network_load3(c, COLUMN(v), at));
}

/* Returns the recorded contact of a register; the normal is 0 in lanes without one. */
MOTE_INLINE mote_contact network_recorded_contact(const mote_network_scratch *c, ptrdiff_t at) {
    return (mote_contact){.normal = network_load3(c, COLUMN(normal), at),
                          .drift = network_load3(c, COLUMN(drift), at),
                          .friction = wide_load(network_column(c, COLUMN(friction)) + at)};
}

/* Projects out points that penetrate and records their contact. Until a linear system gives a normal impulse,
 * penetration depth is used in its place. */
MOTE_INLINE void network_record_contact(const mote_network_scratch *c, ptrdiff_t at,
                                        const mote_contact *contact, mote_contact *recorded) {
    float *normal_impulse = network_column(c, COLUMN(normal_impulse)) + at,
          *friction = network_column(c, COLUMN(friction)) + at;
    const wide_mask was_in_contact = mote_contact_has(recorded);
    const wide depth = network_project_out(c, at, contact);
    const wide_mask in = wide_less((wide){0}, depth);
    recorded->normal = wide3_select(in, contact->normal, recorded->normal);
    recorded->drift = wide3_select(in, contact->drift, recorded->drift);
    recorded->friction = wide_select(in, contact->friction, recorded->friction);
    network_store3(c, COLUMN(normal), at, recorded->normal);
    network_store3(c, COLUMN(drift), at, recorded->drift);
    wide_store(friction, recorded->friction);
    wide_store(normal_impulse, wide_select(was_in_contact, wide_load(normal_impulse), depth));
    network_add_moved(c, at, in, depth, contact->normal);
}

/* Tangential displacement relative to the collider. */
MOTE_INLINE wide3 network_slip(const mote_contact *contact, wide3 motion) {
    const wide3 relative = wide3_sub(motion, contact->drift);
    return wide3_sub(relative, wide3_scale(wide3_dot(contact->normal, relative), contact->normal));
}

/* Moves points in contact back to where they were on the collider, and holds them until the springs decide
 * (network_decide). */
MOTE_INLINE void network_hold(const mote_network_job *job, const mote_network_scratch *c, ptrdiff_t at,
                              const mote_contact *contact) {
    const wide_mask in_contact = mote_contact_has(contact);
    if (!wide_lane_bits(in_contact)) return;
    float *used = network_column(c, COLUMN(friction_used)) + at;
    network_add_moved(c, at, in_contact, wide_set(-1.0f), network_slip(contact, network_motion(job, c, at)));
    wide_store(used, wide_select(in_contact, wide_set(NETWORK_HELD), wide_load(used)));
    network_move(c, at);
}

/* Coulomb friction on points that slide. Updates the total change of x* by friction, limited to the
 * coefficient times the normal impulse. If no system follows, the change is not used: friction_used keeps the
 * length of the one before. */
MOTE_INLINE void network_slide(const mote_network_job *job, const mote_network_scratch *c, ptrdiff_t at,
                               const mote_contact *contact, bool again) {
    float *column = network_column(c, COLUMN(friction_used)) + at;
    const wide used = wide_load(column), zero = {0};
    const wide_mask slides = mote_contact_has(contact) & ~wide_less(used, zero);
    if (!wide_lane_bits(slides)) return;
    const wide3 shift = network_load3(c, COLUMN(friction_shift), at);
    wide_store(column, wide_select(slides, wide_sqrt(wide3_dot(shift, shift)), used));
    if (!again) return;
    const wide3 slip = network_slip(contact, network_motion(job, c, at));
    const wide most = contact->friction * wide_load(network_column(c, COLUMN(normal_impulse)) + at);
    network_store3(c, COLUMN(friction_shift), at,
                   wide3_select(slides, network_shorten(wide3_sub(shift, slip), most), shift));
}

/* Linearisation of points in contact. all: their residual h^2 F - M (x - x*). Points that are pulled off the
 * collider separate, where `releases`; points that are held and pulled by more than Coulomb friction slide.
 * Stores the normal impulse over mass; negative ones are clamped to 0. Returns the residual. */
MOTE_INLINE wide3 network_decide(const mote_network_job *job, const mote_network_scratch *c, ptrdiff_t at,
                                 wide3 all, wide mass, wide inverse_mass, bool releases) {
    const wide zero = {0};
    mote_contact contact = network_recorded_contact(c, at);
    const wide out = wide3_dot(contact.normal, all);
    const wide_mask off = wide_less(zero, out);
    if (releases && wide_lane_bits(off)) {
        contact.normal = wide3_select(off, wide3_zero(), contact.normal);
        network_store3(c, COLUMN(normal), at, contact.normal);
    }
    const wide impulse = wide_max(zero - inverse_mass * out, zero), most = contact.friction * impulse;
    wide_store(network_column(c, COLUMN(normal_impulse)) + at, impulse);
    float *used = network_column(c, COLUMN(friction_used)) + at;
    const wide_mask held = mote_contact_has(&contact) & wide_less(wide_load(used), zero);
    if (!wide_lane_bits(held)) return all;
    const wide3 pull = wide3_scale(inverse_mass, wide3_sub(all, wide3_scale(out, contact.normal)));
    const wide_mask slides = held & wide_less(most * most, wide3_dot(pull, pull));
    if (!wide_lane_bits(slides)) return all;
    const wide3 goal = wide3_scale(wide_set(job->plan->c.h), network_load3(c, COLUMN(v), at));
    const wide3 shift = network_shorten(wide3_sub(wide3_zero(), network_slip(&contact, goal)), most);
    wide_store(used, wide_select(slides, zero, wide_load(used)));
    network_store3(c, COLUMN(friction_shift), at,
                   wide3_select(slides, shift, network_load3(c, COLUMN(friction_shift), at)));
    return wide3_select(slides, wide3_add_scaled(all, mass, shift), all);
}

/* Contacts at the present positions. */
MOTE_INLINE void network_solver_contacts(const mote_network_job *job, const mote_network_scratch *c,
                                         uint32_t substep, mote_network_grip grip, uint32_t first,
                                         uint32_t end) {
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        mote_contact recorded = network_recorded_contact(c, at), contact;
        if (network_find_contact(job, c, (network_path){substep, COLUMN(x), grip == MOTE_GRIP_NONE}, slot,
                                 &contact)) {
            network_allow_pressed(c, at, &contact);
            network_record_contact(c, at, &contact, &recorded);
        }
        if (grip == MOTE_GRIP_HOLD)
            network_hold(job, c, at, &recorded);
        else if (grip != MOTE_GRIP_NONE)
            network_slide(job, c, at, &recorded, grip == MOTE_GRIP_SLIDE);
    }
}

/* Velocities after the last system: points in contact lose their approach velocity; the friction that the
 * systems have not used up acts on their tangential velocity. */
MOTE_INLINE void network_friction(const mote_network_job *job, const mote_network_scratch *c, uint32_t first,
                                  uint32_t end) {
    const wide rate = wide_set((float)(1.0 / job->plan->h));
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        const mote_contact contact = network_recorded_contact(c, at);
        const wide_mask in_contact = mote_contact_has(&contact);
        if (!wide_lane_bits(in_contact)) continue;
        const wide left = contact.friction * wide_load(network_column(c, COLUMN(normal_impulse)) + at) -
                          wide_max(wide_load(network_column(c, COLUMN(friction_used)) + at), (wide){0});
        network_contact_response(job, c, at, in_contact, &contact, rate * wide_max(left, (wide){0}),
                                 NETWORK_STAYS);
    }
}

#endif
