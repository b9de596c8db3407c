/* Contact evaluation over columns: MOTE_ISA and MOTE_WIDTH come from the build. */
#include "contact_lanes.h"

#include "contacts/contact.h"

#define JOIN(a, b) a##b
#define NAME_OF(isa) JOIN(contact_lanes_, isa)

static wide3 load(const float *const column[3], size_t i) {
    return (wide3){wide_load(column[0] + i), wide_load(column[1] + i), wide_load(column[2] + i)};
}

void NAME_OF(MOTE_ISA)(const mote_collider_pose *from, const mote_collider_pose *to, uint32_t colliders,
                       const contact_points *p) {
    for (size_t i = 0; i < p->count; i += MOTE_WIDTH) {
        const mote_contact c = mote_contact_find_within(from, to, colliders, load(p->x0, i), load(p->x1, i),
                                                        wide_set(p->radius), wide_set(p->friction),
                                                        wide_set(p->margin));
        const wide out[CONTACT_OUTPUTS] = {c.normal.x, c.normal.y, c.normal.z, c.offset, c.gap,
                                           c.drift.x,  c.drift.y,  c.drift.z,  c.friction};
        for (int k = 0; k < CONTACT_OUTPUTS; k++) wide_store(p->out[k] + i, out[k]);
    }
}
