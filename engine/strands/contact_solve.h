/* Contacts of constrained strands with the planes that contact.h finds. A point behind its plane is projected
 * onto it. It stays in contact while its normal impulse is positive: its inverse mass has no normal
 * component, so that lengths and contacts are solved together (an active set method after Hintermueller, Ito
 * & Kunisch 2002).
 *
 * Friction is a force that is kept from substep to substep. With the friction f of the last substep (m/s^2,
 * along the plane) and all other accelerations a, the lengths are solved from x0 + h v0 + h^2 (a + f). The
 * slip s, the motion along the plane relative to the collider by which the velocity then moves the point in
 * the substep, corrects it, within Coulomb's cone for the normal acceleration p of this solve:
 *
 *     f' = f - s / h^2, |f'| <= mu p,      v += h (f' - f).
 *
 * Only velocity gains the correction: lengths stay solved. Where the point sticks, s goes to 0 and f to the
 * force that holds it, of weight and tension, so that it does not creep; this is the method of Uzawa for the
 * multiplier of friction, one iteration a substep. f is kept within the smaller one of the cones of this
 * substep and the last, so that no impact is taken for a force that lasts. */
#ifndef MOTE_STRANDS_CONTACT_SOLVE_H
#define MOTE_STRANDS_CONTACT_SOLVE_H

#include "strands/work.h"

/* Constants of the solve of a register of strands. */
typedef struct strand_terms {
    wide compliance;         /* a / h^2 / (1 + damping / (h stiffness)), 1/kg */
    wide memory;             /* factor of the initial strain in the damping term */
    wide_mask counts;        /* points of each strand */
    wide low, high;          /* bounds of |d|^2 / L^2 */
    wide slack;              /* max_strain */
    wide rounding;           /* m: float32 resolution, 2^-22 of the strand's length */
    wide rate;               /* 1 / h: share of the corrections that is velocity; 0: none */
    wide step, inverse_step; /* h and 1 / h of the substep */
    int start, start_v;      /* columns of the state at the start of the substep or part */
    bool compliant, contacts;
    bool gains;         /* rate differs from 0 in some lane */
    bool everyone;      /* all lanes are live in this iteration */
    bool again;         /* an iteration after the first */
    uint32_t done;      /* iterations before */
    bool keeps_tension; /* of rods: the multipliers are summed */
} strand_terms;

/* Returns the length of the shorter segment at point k. A tip has no segment behind it; the masked length of
 * 1 m is used for it. */
MOTE_INLINE wide segment_length(const strand_columns *c, uint32_t k, size_t at) {
    wide length = work_load(c, WORK_LENGTH, at);
    return k ? wide_min(length, work_load(c, WORK_LENGTH, at - MOTE_GROUP)) : length;
}

/* Returns whether the point at offset `at` of the columns is in contact in some lane. Where it is not, terms
 * that would subtract zeros are skipped. */
MOTE_INLINE bool touches(const strand_columns *c, const strand_terms *t, size_t at) {
    return t->contacts && c->contacts->state[at / MOTE_GROUP] == STRAND_IN_CONTACT;
}

/* Returns the contact normal; 0 in lanes without contact. */
MOTE_INLINE wide3 contact_normal(const strand_plane *plane) {
    return wide3_select(plane->in_contact, plane->normal, wide3_zero());
}

/* Returns the component of a along the plane. */
MOTE_INLINE wide3 along_plane(const strand_plane *plane, wide3 a) {
    return wide3_sub(a, wide3_scale(wide3_dot(plane->normal, a), plane->normal));
}

/* Projects a point by `depth` onto its plane. Its velocity, in `lanes`, gains the same over h, but for the
 * depth from before the substep, and `more` (m) over h. */
MOTE_INLINE strand_point put_on_plane(const strand_columns *c, const strand_terms *t,
                                      const strand_plane *plane, wide_mask lanes, strand_point a, wide depth,
                                      wide3 more, size_t at) {
    const wide3 normal = plane->normal;
    const wide3 was = wide3_add(work_load3(c, WORK_START, at), plane->drift);
    const wide before = wide_max(plane->offset - wide3_dot(normal, was), (wide){0});
    const wide fresh = depth - wide_min(before, wide_max(depth, (wide){0}));
    const wide3 put = wide3_add_scaled(a.v, fresh * t->inverse_step, normal);
    return (strand_point){wide3_add_scaled(a.x, depth, normal),
                          wide3_select(lanes, wide3_add_scaled(put, t->inverse_step, more), a.v)};
}

/* Returns the displacement by friction that takes away the slip of a point of velocity v that has already got
 * `had` of it, within the cone of the normal displacement `pressed` (m). */
MOTE_INLINE wide3 stick(const strand_terms *t, const strand_plane *plane, wide3 v, wide3 had, wide pressed) {
    const wide3 moved = wide3_sub(wide3_scale(t->step, v), plane->drift);
    const wide3 sticks = wide3_sub(had, along_plane(plane, moved));
    const wide size = wide_max(wide_sqrt(wide3_dot(sticks, sticks)), wide_set(STRAND_SHORTEST));
    return wide3_scale(wide_min(plane->friction * pressed / size, wide_set(1.0f)), sticks);
}

/* Returns the friction and the pressure of the last substep, m/s^2. */
MOTE_INLINE wide3 kept_friction(const strand_columns *c, size_t at) {
    return rubs_at(c->contacts, at) ? work_load3(c, WORK_FRICTION, at) : wide3_zero();
}
MOTE_INLINE wide kept_pressure(const strand_columns *c, size_t at) {
    return rubs_at(c->contacts, at) ? work_load(c, WORK_PRESSURE, at) : (wide){0};
}

/* Returns the displacement by the friction of the last substep, of active lanes. Where there was none, the
 * prediction sticks within the cone of its depth. */
MOTE_INLINE wide3 first_friction(const strand_columns *c, const strand_terms *t, const strand_plane *plane,
                                 wide_mask active, wide3 v, wide depth, size_t at) {
    const wide3 last = kept_friction(c, at), kept = wide3_scale(t->step * t->step, last);
    const wide_mask fresh = active & wide_equal(wide3_dot(kept, kept), (wide){0});
    wide3 friction = wide3_select(active, along_plane(plane, kept), wide3_zero());
    if (wide_lane_bits(fresh))
        friction =
            wide3_select(fresh, stick(t, plane, v, wide3_zero(), wide_max(depth, (wide){0})), friction);
    return friction;
}

/* Begins the contact of point k of live strands before the first iteration: projects it onto its plane and
 * applies the friction of the last substep. A point that was in contact then is in contact if it is as near
 * to the plane as lengths are solved. */
MOTE_INLINE void begin_contact(const strand_columns *c, const strand_terms *t, wide_mask live, uint32_t k,
                               size_t at) {
    strand_plane *plane = plane_at(c, at);
    const strand_point a = work_point(c, at);
    const wide gap = wide3_dot(plane->normal, a.x) - plane->offset;
    const wide_mask pressed = wide_less((wide){0}, kept_pressure(c, at)),
                    near = wide_less(gap, t->slack * segment_length(c, k, at));
    const wide_mask active = live & (wide_less(gap, (wide){0}) | (pressed & near));
    plane->in_contact = active;
    if (!wide_lane_bits(active)) return;
    c->contacts->state[k] = STRAND_IN_CONTACT;
    const wide depth = wide_select(active, (wide){0} - gap, (wide){0});
    const wide3 tangent = first_friction(c, t, plane, active, a.v, depth, at);
    plane->tangent = tangent, plane->normal_impulse = depth;
    const strand_point put = put_on_plane(c, t, plane, active, a, depth, tangent, at);
    work_store3(c, WORK_X, at, wide3_select(active, wide3_add(put.x, tangent), a.x));
    work_store3(c, WORK_V, at, put.v);
}

/* Moves point k of live strands by the friction of the last iteration. */
MOTE_INLINE void resume_contact(const strand_columns *c, wide_mask live, size_t at) {
    const wide3 x = work_load3(c, WORK_X, at);
    work_store3(c, WORK_X, at, wide3_select(live, wide3_add(x, plane_at(c, at)->pending), x));
}

/* Ends an iteration for the contact of point k of live strands: projects the point if it is behind its plane,
 * chooses whether it is in contact, and corrects its friction. Returns its state. */
MOTE_INLINE strand_point end_contact(const strand_columns *c, const strand_terms *t, wide_mask live,
                                     strand_point a, uint32_t k, size_t at) {
    strand_plane *plane = plane_at(c, at);
    const wide gap = wide3_dot(plane->normal, a.x) - plane->offset;
    const wide_mask was_in_contact = live & plane->in_contact, behind = wide_less(gap, (wide){0});
    const wide_mask active = live & (behind | (was_in_contact & wide_less((wide){0}, plane->normal_impulse))),
                    changes = active | was_in_contact;
    c->contacts->moved[k] = wide_lane_bits(changes) != 0;
    if (!c->contacts->moved[k]) return a; /* no lane was in contact, and none is now */
    const wide impulse = wide_select(was_in_contact, plane->normal_impulse, (wide){0});
    const wide3 had = wide3_select(was_in_contact, plane->tangent, wide3_zero());
    c->contacts->state[k] = STRAND_IN_CONTACT;
    const wide depth = wide_select(active, wide_max((wide){0} - gap, (wide){0}), (wide){0}),
               pressed = wide_select(active, wide_max(impulse + depth, (wide){0}), (wide){0});
    const wide3 tangent = stick(t, plane, a.v, had, pressed), more = wide3_sub(tangent, had);
    const strand_point put = put_on_plane(c, t, plane, changes, a, depth, more, at);
    plane->pending = wide3_select(changes, more, wide3_zero());
    plane->tangent = wide3_select(changes, tangent, plane->tangent);
    plane->in_contact = active | (plane->in_contact & ~live);
    plane->normal_impulse = wide_select(live, pressed, plane->normal_impulse);
    return (strand_point){wide3_select(active, put.x, a.x), put.v};
}

/* Keeps friction and pressure of point k, in contact, in the lanes of `held`; 0 in the others of `lanes`. */
MOTE_INLINE void keep_contact(const strand_columns *c, const strand_terms *t, wide_mask lanes, wide_mask held,
                              uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    const wide3 old = kept_friction(c, at);
    const wide before = kept_pressure(c, at), square = t->inverse_step * t->inverse_step;
    wide3 friction = wide3_zero();
    wide pressure = (wide){0};
    if (wide_lane_bits(held)) {
        const strand_plane *plane = plane_at(c, at);
        const wide size = wide_sqrt(wide3_dot(plane->tangent, plane->tangent));
        pressure = wide_select(held, square * plane->normal_impulse, (wide){0});
        const wide most = plane->friction * wide_min(pressure, before);
        const wide scale = wide_min(most / wide_max(size, wide_set(STRAND_SHORTEST)), square);
        friction = wide3_select(held, wide3_scale(scale, plane->tangent), wide3_zero());
    }
    pressure = wide_select(lanes, pressure, before);
    work_store3(c, WORK_FRICTION, at, wide3_select(lanes, friction, old));
    work_store(c, WORK_PRESSURE, at, pressure);
    set_rubs(c->contacts, at, wide_less((wide){0}, pressure));
}

/* Keeps friction and pressure of the contacts of the strands of `solved` for the next substep; 0 in the other
 * strands of `lanes`. */
MOTE_INLINE void keep_contacts(const strand_columns *c, const strand_terms *t, wide_mask lanes,
                               wide_mask solved, size_t lane) {
    for (uint32_t k = 0; k < c->points; k++) {
        wide_mask held = (wide_mask){0};
        if (wide_lane_bits(solved) && c->contacts->state[k] == STRAND_IN_CONTACT) {
            const strand_plane *plane = plane_at(c, strand_at(k, lane));
            held = solved & plane->in_contact & wide_less((wide){0}, plane->normal_impulse);
        }
        if (wide_lane_bits(held) || rubs_at(c->contacts, strand_at(k, lane)))
            keep_contact(c, t, lanes, held, k, lane);
    }
}

/* Forgets friction and pressure of all points of the lanes. */
MOTE_OUTLINE void forget_contacts(const strand_columns *c, wide_mask lanes, size_t lane) {
    const strand_terms t = {.contacts = false};
    keep_contacts(c, &t, lanes, (wide_mask){0}, lane);
}

#endif
