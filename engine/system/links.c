/* Calls for the links of a system: mote/link.h. */
#include <string.h>

#include <mote/link.h>

#include "system/internal.h"

static bool is_none(mote_id id) { return id.index == 0 && id.generation == 0; }

mote_result mote_system_find_end(const mote_system *system, const mote_link_end *end, mote_link_site *site) {
    const mote_id network = MOTE_ID(end->network), strands = MOTE_ID(end->strands);
    if (!is_none(network) && !is_none(strands)) return MOTE_ERROR_RANGE;
    site->range = is_none(network) ? mote_system_range(system, MOTE_KIND_STRANDS, strands)
                                   : mote_system_range(system, MOTE_KIND_NETWORK, network);
    if (!site->range) return MOTE_ERROR_ID;
    return site->range->kind->slot_of_end(site->range, end, &site->slot);
}

mote_result mote_system_add_link(mote_system *system, const mote_link *link, mote_link_id *id) {
    if (id) *id = (mote_link_id){0, 0};
    if (!system || !link || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_link_site site[2];
    uint32_t serial;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = mote_system_find_end(system, &link->a, &site[0]);
    if (result == MOTE_OK) result = mote_system_find_end(system, &link->b, &site[1]);
    if (result == MOTE_OK) result = mote_links_add(&system->links, link, site, &system->allocator, &serial);
    for (int i = 0; i < 2 && result == MOTE_OK; i++) {
        result = mote_system_reserve_scratch(system, site[i].range);
        if (result) mote_links_remove(&system->links, system->links.list.count - 1, &system->allocator);
    }
    if (result == MOTE_OK) *id = (mote_link_id){serial, system->mark};
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_system_remove_link(mote_system *system, mote_link_id id) {
    uint32_t place;
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->links.list, MOTE_ID(id), &place);
    if (result == MOTE_OK) mote_links_remove(&system->links, place, &system->allocator);
    return result;
}

mote_result mote_system_link(const mote_system *system, mote_link_id id, mote_link *link, float impulse[3]) {
    uint32_t place;
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->links.list, MOTE_ID(id), &place);
    if (result) return result;
    const mote_link_state *state = mote_link_at(&system->links, place);
    if (link) *link = state->link;
    if (impulse) memcpy(impulse, state->impulse, sizeof state->impulse);
    return MOTE_OK;
}
