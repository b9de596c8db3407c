/* Contacts of points with one sphere or capsule through which none of them can pass in the substep: the
 * special case of contact.h that most points of hair meet, with the same bits. */
#ifndef MOTE_CONTACTS_BESIDE_H
#define MOTE_CONTACTS_BESIDE_H

#include "contacts/contact.h"

/* Returns whether no point of the patch moves far enough to pass through a sphere or capsule, which does not
 * turn if it is a capsule. Rounding is conservative. */
MOTE_INLINE bool contact_is_slow(const mote_collider_pose *to, wide moved, wide radius) {
    const bool round = to->kind == MOTE_COLLIDER_SPHERE || (to->kind == MOTE_COLLIDER_CAPSULE && !to->turns);
    const wide quarter = (0.25f * (1 - 0x1p-20f)) * (to->radius + radius);
    return round && wide_all(wide_less(moved + to->moved, quarter));
}

/* Points of one register beside a collider for which contact_is_slow: vector from its core, the square of
 * that, and the lanes whose ends are within reach of the surface. */
typedef struct contact_beside {
    wide3 v;
    wide square;
    wide_mask near;
} contact_beside;

/* origin: of the collider, relative to the origin of the points' coordinates. */
MOTE_INLINE contact_beside contact_beside_of(const mote_collider_pose *to, wide3 origin,
                                             const mote_contact_points *points) {
    const wide3 v = contact_from_core(to, wide3_sub(points->end, origin));
    const wide square = wide3_dot(v, v), within = (to->radius + points->radius) + points->reach;
    return (contact_beside){v, square, wide_less(square, within * within) & ~points->exempt};
}

/* Returns the contact with one collider beside which the points are, as mote_contact_find does, but for the
 * gap; marked: its lanes. before: the collider's origin before the substep; turns: its axes did; friction:
 * the root of the product of both coefficients. */
MOTE_INLINE mote_contact contact_with_one(const mote_collider_pose *to, wide3 before, bool turns,
                                          const mote_contact_points *points, const contact_beside *beside,
                                          float friction) {
    const contact_plane plane =
        contact_across(beside->v, beside->square, beside->square, to->radius + points->radius,
                       wide3_set(to->axis[to->kind == MOTE_COLLIDER_SPHERE]));
    const wide far = wide_set(MOTE_NO_CONTACT), zero = {0};
    wide3 drift = wide3_set(to->shift);
    if (turns) drift = wide3_add(drift, contact_out_of(to->turn, wide3_sub(points->start, before)));
    const wide_mask has = beside->near & wide_less(plane.gap, points->reach);
    return (mote_contact){wide3_select(has, plane.normal, wide3_zero()),
                          wide_select(has, wide3_dot(plane.normal, points->end) - plane.gap, zero - far),
                          plane.gap,
                          wide3_select(has, drift, wide3_zero()),
                          wide_select(has, wide_set(friction), zero),
                          has};
}

#endif
