/* Places in the steps of constrained networks: relative to an origin near the springs of the particle, so
 * that solver, contacts and integrator are free of the rounding of world positions (stage/place.h). */
#ifndef MOTE_NETWORKS_PLACES_H
#define MOTE_NETWORKS_PLACES_H

#include "networks/work.h"
#include "stage/place.h"

/* Returns the origin of COLUMN(x) in a register of slots. */
MOTE_INLINE wide3 network_origin(const mote_network_job *job, uint32_t slot) {
    return job->constrained ? wide3_load(job->network->step_origin, slot) : wide3_zero();
}

/* Returns the positions of a register of slots in the world. */
MOTE_INLINE wide3 network_world_at(const mote_network_job *job, const mote_network_scratch *c,
                                   uint32_t slot) {
    return wide3_add(network_origin(job, slot), network_load3(c, COLUMN(x), (ptrdiff_t)slot - c->first));
}

MOTE_INLINE void network_world(const mote_network_job *job, const mote_network_scratch *c, int id,
                               uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH)
        network_store3(c, id, (ptrdiff_t)slot - c->first, network_world_at(job, c, slot));
}

/* COLUMN(x) = the places of the slots, less the origin of the step. */
MOTE_INLINE void network_load_places(const mote_network_job *job, const mote_network_scratch *c,
                                     uint32_t first, uint32_t end) {
    const mote_network *n = job->network;
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const wide3 x = wide3_load(n->range.x, slot),
                    low = mote_low_place(x, wide3_load(n->origin, slot), wide3_load(n->relative_x, slot));
        network_store3(c, COLUMN(x), (ptrdiff_t)slot - c->first,
                       mote_relative_place(x, low, network_origin(job, slot)));
    }
}

/* Keeps the low parts of the places at the start of the step for presentation. */
MOTE_INLINE void network_keep_previous_low(const mote_network_job *job, uint32_t first, uint32_t end) {
    const mote_network *n = job->network;
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH)
        wide3_store(n->previous_low, slot,
                    mote_low_place(wide3_load(n->range.x, slot), wide3_load(n->origin, slot),
                                   wide3_load(n->relative_x, slot)));
}

/* Keeps the places at the end of the step, except those of frozen islands. COLUMN(x) = their sums with the
 * origin, rounded: the columns that the host sees. */
MOTE_INLINE void network_store_places(const mote_network_job *job, const mote_network_scratch *c,
                                      uint32_t first, uint32_t end) {
    const mote_network *n = job->network;
    if (job->keep_previous && n->previous_low[0]) network_keep_previous_low(job, first, end);
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        const wide3 world = network_world_at(job, c, slot);
        if (!n->frozen[n->island[slot - slot % MOTE_GROUP]]) { /* of the whole lane group */
            wide3_store(n->relative_x, slot, network_load3(c, COLUMN(x), at));
            wide3_store(n->origin, slot, network_origin(job, slot));
        }
        network_store3(c, COLUMN(x), at, world);
    }
}

#endif
