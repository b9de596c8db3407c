/* Link list: adding and removing links. */
#include "links/links.h"

#include <math.h>

#include "base/assert.h"
#include "base/check.h"

/* --- Checks --- */

static mote_result check_values(const mote_link *link, const char **name) {
    mote_result result = mote_named(name, "rest_length", mote_value_is_finite((double)link->rest_length));
    if (result == MOTE_OK) result = mote_named(name, "stiffness", mote_value_not_negative(link->stiffness));
    if (result == MOTE_OK) result = mote_named(name, "damping", mote_value_not_negative(link->damping));
    if (result) return result;
    const bool placed = link->rest_length >= 0 || link->rest_length == MOTE_AS_PLACED;
    return placed ? MOTE_OK : mote_named(name, "rest_length", MOTE_ERROR_RANGE);
}

/* Returns the distance by the formula of the springs of networks and strands, so that a link placed at rest
 * stays at rest. */
static float distance(const mote_link_site site[2]) {
    double from[3], to[3];
    float d[3];
    site[0].range->kind->place(site[0].range, site[0].slot, from);
    site[1].range->kind->place(site[1].range, site[1].slot, to);
    for (int axis = 0; axis < 3; axis++) d[axis] = (float)(to[axis] - from[axis]);
    return __builtin_sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static mote_result accepts(const mote_range *range, const mote_link *link) {
    return range->kind->accepts_link ? range->kind->accepts_link(range, link) : MOTE_OK;
}

mote_result mote_link_resolve(mote_link *link, const mote_link_site site[2], const char **name) {
    mote_result result = check_values(link, name);
    if (result) return result;
    if (site[0].range == site[1].range && site[0].slot == site[1].slot)
        return mote_named(name, "b", MOTE_ERROR_RANGE);
    for (int i = 0; i < 2 && result == MOTE_OK; i++)
        result = mote_named(name, i ? "b" : "a", accepts(site[i].range, link));
    if (result || link->rest_length != MOTE_AS_PLACED) return result;
    link->rest_length = distance(site);
    return isfinite(link->rest_length) ? MOTE_OK : mote_named(name, "rest_length", MOTE_ERROR_RANGE);
}

/* --- Ends --- */

static void insert_range(mote_link_list *links, mote_range *range) {
    mote_range **end = &links->linked;
    while (*end) end = &(*end)->next_linked;
    *end = range;
    range->next_linked = NULL;
}

static void remove_range(mote_link_list *links, mote_range *range) {
    mote_range **at = &links->linked;
    while (*at != range) at = &(*at)->next_linked;
    *at = range->next_linked;
}

static mote_result add_end(mote_link_list *links, const mote_link_site *site,
                           const mote_allocator *allocator) {
    const mote_result result = site->range->kind->link(site->range, site->slot, 1, allocator);
    if (result) return result;
    if (site->range->link_count++ == 0) insert_range(links, site->range);
    MOTE_ASSERT(site->range->kind->validate(site->range));
    return MOTE_OK;
}

static void remove_end(mote_link_list *links, const mote_link_site *site, const mote_allocator *allocator) {
    (void)site->range->kind->link(site->range, site->slot, -1, allocator);
    if (--site->range->link_count == 0) remove_range(links, site->range);
    MOTE_ASSERT(site->range->kind->validate(site->range));
}

mote_result mote_links_add_ends(mote_link_list *links, const mote_link_site site[2],
                                const mote_allocator *allocator) {
    mote_result result = add_end(links, &site[0], allocator);
    if (result) return result;
    result = add_end(links, &site[1], allocator);
    if (result) remove_end(links, &site[0], allocator);
    return result;
}

void mote_links_settle_ends(const mote_link_site site[2]) {
    for (int i = 0; i < 2; i++) (void)site[i].range->kind->link(site[i].range, site[i].slot, 0, NULL);
}

void mote_links_remove_ends(mote_link_list *links, const mote_link_site site[2],
                            const mote_allocator *allocator) {
    for (int i = 0; i < 2; i++) remove_end(links, &site[i], allocator);
}

/* --- The list --- */

mote_result mote_links_reserve(mote_link_list *links, mote_link_state *state,
                               const mote_allocator *allocator) {
    links->list.element = sizeof *state;
    const char *ignored;
    mote_result result = mote_link_resolve(&state->link, state->site, &ignored);
    if (result == MOTE_OK) result = mote_id_list_reserve_next(&links->list, MOTE_MAX_LINKS, allocator);
    return result ? result : mote_links_add_ends(links, state->site, allocator);
}

uint32_t mote_links_append(mote_link_list *links, const mote_link_state *state) {
    mote_links_settle_ends(state->site);
    return mote_id_list_append(&links->list, state);
}

void mote_links_remove(mote_link_list *links, uint32_t place, const mote_allocator *allocator) {
    const mote_link_state state = *mote_link_at(links, place);
    mote_id_list_remove(&links->list, place);
    mote_links_remove_ends(links, state.site, allocator);
}

void mote_links_drop(mote_link_list *links, const mote_range *range, const mote_allocator *allocator) {
    for (uint32_t i = links->list.count; i-- > 0;) {
        const mote_link_site *site = mote_link_at(links, i)->site;
        if (!range || site[0].range == range || site[1].range == range)
            mote_links_remove(links, i, allocator);
    }
}
