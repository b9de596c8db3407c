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

mote_link mote_default_link(void) {
    return (mote_link){.cookie = MOTE_LINK_COOKIE, .rest_length = MOTE_AS_PLACED};
}

static mote_result find_ends(const mote_system *system, const mote_link *link, mote_link_site site[2],
                             const char **name) {
    if (link->cookie != MOTE_LINK_COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    const mote_result result = mote_named(name, "a", mote_system_find_end(system, &link->a, &site[0]));
    return result ? result : mote_named(name, "b", mote_system_find_end(system, &link->b, &site[1]));
}

mote_result mote_system_link_check(const mote_system *system, const mote_link *link, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!system || !link) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_link copy = *link;
    mote_link_site site[2];
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = find_ends(system, link, site, name);
    if (result == MOTE_OK) result = mote_link_resolve(&copy, site, name);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_system_add_link(mote_system *system, const mote_link *link, mote_link_id *id) {
    if (id) *id = (mote_link_id){0, 0};
    if (!system || !link || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    const char *ignored;
    mote_link_state state = {.link = *link};
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = mote_system_fetch(system);
    if (result == MOTE_OK) result = find_ends(system, link, state.site, &ignored);
    if (result == MOTE_OK) result = mote_links_reserve(&system->links, &state, &system->allocator);
    for (int i = 0; i < 2 && result == MOTE_OK; i++) {
        result = mote_system_reserve_scratch(system, state.site[i].range);
        if (result) mote_links_remove_ends(&system->links, state.site, &system->allocator);
    }
    if (result == MOTE_OK) *id = (mote_link_id){mote_links_append(&system->links, &state), system->mark};
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
