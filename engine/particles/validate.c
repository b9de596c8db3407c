/* Checks that all views of the state of loose particles agree: ids, slots, fates, masked lanes. */
#include "base/assert.h"
#include "particles/particles.h"

/* Checks that the id table leads from every particle's id to its slot, and that ids are valid unless the
 * particle is killed. */
static bool handles_are_valid(const mote_particles *p) {
    const mote_particle_id *id = p->column[MOTE_COLUMN_ID];
    const uint8_t *fate = mote_particles_fate(p);
    if (!p->ids) return true;
    MOTE_CLAIM(p->used_ids <= p->capacity && p->free_ids <= p->used_ids);
    for (uint32_t slot = 0; slot < p->range.slot_count; slot++) {
        MOTE_CLAIM(id[slot].index < p->used_ids && p->ids[id[slot].index].slot == slot);
        if (fate[slot] != MOTE_FATE_KILLED)
            MOTE_CLAIM(p->ids[id[slot].index].generation == id[slot].generation);
    }
    for (uint32_t i = 0; i < p->free_ids; i++)
        MOTE_CLAIM(p->free_id[i] < p->used_ids && p->ids[p->free_id[i]].slot == 0);
    return true;
}

static bool fates_are_valid(const mote_particles *p) {
    const uint8_t *fate = mote_particles_fate(p);
    uint32_t killed = 0;
    for (uint32_t slot = 0; slot < p->range.slot_count; slot++) killed += fate[slot] == MOTE_FATE_KILLED;
    return killed == p->pending_kills;
}

/* Checks that the lanes after the last particle have finite positions and velocity 0. */
static bool masked_lanes_are_valid(const mote_particles *p) {
    for (size_t slot = p->range.slot_count; slot % MOTE_GROUP; slot++)
        for (int axis = 0; axis < 3; axis++)
            MOTE_CLAIM(p->range.x[axis][slot] * 0 == 0 && p->range.v[axis][slot] == 0);
    return true;
}

bool mote_particles_validate(const mote_range *range) {
    const mote_particles *p = mote_const_particles_of(range);
    MOTE_CLAIM(range->slot_count <= p->capacity && p->started <= range->slot_count);
    return handles_are_valid(p) && fates_are_valid(p) && masked_lanes_are_valid(p);
}
