/* Contact evaluation over columns: MOTE_ISA and MOTE_WIDTH come from the build. */
#include "contact_lanes.h"

#include "contacts/contact.h"

#define JOIN(a, b)   a##b
#define NAME_OF(isa) JOIN(contact_lanes_, isa)

static wide3 load(const float *const column[3], size_t i) {
    return (wide3){wide_load(column[0] + i), wide_load(column[1] + i), wide_load(column[2] + i)};
}

void NAME_OF(MOTE_ISA)(const mote_collider_pose *from, const mote_collider_pose *to, uint32_t colliders,
                       const contact_points *p) {
    for (size_t i = 0; i < p->count; i += MOTE_WIDTH) {
        const mote_contact_points points = {.base = wide3_zero(),
                                            .start = load(p->x0, i),
                                            .end = load(p->x1, i),
                                            .radius = wide_set(p->radius),
                                            .friction = wide_set(p->friction),
                                            .reach = wide_set(p->reach),
                                            .exempt = wide_lanes_below(p->exempt - (int32_t)i)};
        mote_contact_box box = mote_contact_box_at(wide3_zero(), points.start);
        mote_contact_box_add(&box, points.end);
        mote_contact_patch patch = mote_contact_patch_at(wide3_zero(), points.end);
        mote_contact_patch_add(&patch, points.start, points.end, points.reach);
        mote_contact_list near, part;
        mote_contact_list_near(&near, from, to, colliders, &box, points.radius + points.reach);
        mote_contact_list_part(&part, &near, &patch, points.radius);
        if (p->passed_by) *p->passed_by += near.count - part.count;
        mote_contact c;
        if (!mote_contact_find(&part, &points, &c)) c = mote_contact_none();
        const wide out[CONTACT_OUTPUTS] = {c.normal.x, c.normal.y, c.normal.z, c.offset,  c.gap,
                                           c.drift.x,  c.drift.y,  c.drift.z,  c.friction};
        for (int k = 0; k < CONTACT_OUTPUTS; k++) wide_store(p->out[k] + i, out[k]);
    }
}
