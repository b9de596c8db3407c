/* The links of a system: adding, removing, reading. Ids: the index is a serial number never used twice, the
 * generation marks the system. */
#include "system/links.h"

#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "networks/layout_plan.h"
#include "system/internal.h"

static uint32_t place_of(const mote_system *system, mote_link_id id) {
    const mote_link_list *list = &system->links;
    if (id.generation != mote_system_mark(system)) return list->count;
    uint32_t place = 0;
    while (place < list->count && list->links[place].serial != id.index) place++;
    return place;
}

static mote_result find(const mote_system *system, mote_link_id id, uint32_t *place) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    *place = place_of(system, id);
    return *place < system->links.count ? MOTE_OK : MOTE_ERROR_ID;
}

/* --- Ends --- */

static mote_result find_point(const mote_system *system, const mote_link_end *end, mote_link_site *site) {
    while (site->place < system->strands_count && system->strands_serials[site->place] != end->strands.index)
        site->place++;
    if (end->strands.generation != mote_system_mark(system) || site->place == system->strands_count)
        return MOTE_ERROR_ID;
    site->strands = system->strands_objects[site->place];
    if (end->strand >= site->strands->strand_count) return MOTE_ERROR_RANGE;
    site->lane = site->strands->lane_of_strand[end->strand];
    if (end->point >= (uint32_t)site->strands->points[site->lane]) return MOTE_ERROR_RANGE;
    site->slot = mote_strands_slot_of(site->strands, site->lane, end->point);
    return MOTE_OK;
}

mote_result mote_system_find_end(const mote_system *system, const mote_link_end *end, mote_link_site *site) {
    *site = (mote_link_site){NULL, NULL, 0, 0, 0};
    if (end->network.index == 0 && end->network.generation == 0) return find_point(system, end, site);
    if (end->strands.index || end->strands.generation) return MOTE_ERROR_RANGE;
    while (site->place < system->network_count && system->network_serials[site->place] != end->network.index)
        site->place++;
    if (end->network.generation != mote_system_mark(system) || site->place == system->network_count)
        return MOTE_ERROR_ID;
    site->network = system->networks[site->place];
    if (end->particle >= site->network->particle_count) return MOTE_ERROR_RANGE;
    site->slot = site->network->slot_of_particle[end->particle];
    return MOTE_OK;
}

static void position_of(const mote_link_site *site, float position[3]) {
    for (int axis = 0; axis < 3; axis++)
        position[axis] = (site->strands ? site->strands->x[axis] : site->network->x[axis])[site->slot];
}

/* INTEGRATOR, STABILITY: what cannot be linked. */
static mote_result check_range(const mote_system *system, const mote_link *link, const mote_link_site *site) {
    if (site->strands)
        return site->strands->def.solver == MOTE_STRAND_CONSERVING ? MOTE_ERROR_INTEGRATOR : MOTE_OK;
    const mote_network_def *def = &site->network->def;
    const mote_spring spring = {.stiffness = link->stiffness, .damping = link->damping};
    if (def->policy == MOTE_STABILITY_SUBSTEP) return MOTE_ERROR_INTEGRATOR;
    const bool grows = mote_network_grows(system->def.integrator, def->solver, &spring);
    return grows && !def->growth_allowed ? MOTE_ERROR_STABILITY : MOTE_OK;
}

static mote_result check_values(const mote_link *link) {
    if (!isfinite(link->rest_length) || !isfinite(link->stiffness) || !isfinite(link->damping))
        return MOTE_ERROR_NOT_FINITE;
    const bool placed = link->rest_length >= 0 || link->rest_length == MOTE_AS_PLACED;
    return placed && link->stiffness >= 0 && link->damping >= 0 ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* Checks, and gives the link its rest length. */
static mote_result check(const mote_system *system, mote_link *link, mote_link_site site[2]) {
    mote_result result = mote_system_find_end(system, &link->a, &site[0]);
    if (result == MOTE_OK) result = mote_system_find_end(system, &link->b, &site[1]);
    if (result == MOTE_OK) result = check_values(link);
    if (result) return result;
    const bool same_range = site[0].strands == site[1].strands && site[0].network == site[1].network;
    if (same_range && site[0].slot == site[1].slot) return MOTE_ERROR_RANGE;
    for (int i = 0; i < 2 && result == MOTE_OK; i++) result = check_range(system, link, &site[i]);
    if (result || link->rest_length != MOTE_AS_PLACED) return result;
    float a[3], b[3];
    position_of(&site[0], a), position_of(&site[1], b);
    link->rest_length = mote_network_distance(a, b);
    return isfinite(link->rest_length) ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* --- Adding and removing --- */

static void *take(unsigned char **cursor, size_t count, size_t element) {
    void *at = *cursor;
    *cursor += mote_round_up(count * element, MOTE_CACHE_LINE);
    return at;
}

static mote_result reserve(mote_link_list *list, const mote_allocator *allocator) {
    if (list->memory) return MOTE_OK;
    const size_t bytes =
        MOTE_MAX_LINKS * (sizeof *list->links + sizeof *list->runs + 2 * sizeof *list->groups) +
        MOTE_MAX_STRANDS_OBJECTS * sizeof *list->strands_objects +
        MOTE_MAX_NETWORKS * sizeof *list->networks + 5 * MOTE_CACHE_LINE;
    unsigned char *cursor = mote_allocate(allocator, bytes);
    if (!cursor) return MOTE_ERROR_MEMORY;
    memset(cursor, 0, bytes);
    list->memory = cursor;
    list->bytes = bytes;
    list->links = take(&cursor, MOTE_MAX_LINKS, sizeof *list->links);
    list->runs = take(&cursor, MOTE_MAX_LINKS, sizeof *list->runs);
    list->groups = take(&cursor, 2 * (size_t)MOTE_MAX_LINKS, sizeof *list->groups);
    list->strands_objects = take(&cursor, MOTE_MAX_STRANDS_OBJECTS, sizeof *list->strands_objects);
    list->networks = take(&cursor, MOTE_MAX_NETWORKS, sizeof *list->networks);
    return MOTE_OK;
}

/* change: 1 or, in unsigned arithmetic, -1. */
static void count_end(const mote_link_site *site, uint32_t change) {
    if (site->network)
        site->network->link_count += change;
    else
        site->strands->link_count += change, site->strands->group[site->lane / MOTE_GROUP].links += change;
}

/* Room for a step of what is linked. */
static mote_result grow_scratch(mote_system *system) {
    mote_link_list *list = &system->links;
    const size_t bytes = mote_system_arrange_links(system);
    if (bytes <= list->scratch_bytes) return MOTE_OK;
    unsigned char *memory = mote_allocate(&system->allocator, bytes);
    if (!memory) return MOTE_ERROR_MEMORY;
    memset(memory, 0, bytes);
    mote_release(&system->allocator, list->scratch, list->scratch_bytes);
    list->scratch = memory;
    list->scratch_bytes = bytes;
    return MOTE_OK;
}

/* The blocks of linked particles are outer from now on: so they are too once the link is gone. */
static mote_result make_outer(mote_system *system, const mote_link_site site[2]) {
    for (int i = 0; i < 2; i++) {
        if (!site[i].network) continue;
        mote_network with = *site[i].network;
        with.has_outer = true;
        mote_result result = mote_system_grow_network_scratch(system, &with);
        if (result) return result;
    }
    for (int i = 0; i < 2; i++) {
        if (!site[i].network) continue;
        site[i].network->block[mote_network_block_of(site[i].network, site[i].slot)].outer = true;
        site[i].network->has_outer = true;
    }
    return MOTE_OK;
}

static mote_result add(mote_system *system, const mote_link *def, mote_link_id *id) {
    mote_link_list *list = &system->links;
    mote_link link = *def;
    mote_link_site site[2];
    mote_result result = check(system, &link, site);
    if (result == MOTE_OK && (list->count == MOTE_MAX_LINKS || list->next_link == UINT32_MAX))
        result = MOTE_ERROR_CAPACITY;
    if (result == MOTE_OK) result = reserve(list, &system->allocator);
    if (result) return result;
    list->links[list->count++] = (mote_link_state){.serial = list->next_link + 1, .link = link};
    for (int i = 0; i < 2; i++) count_end(&site[i], 1);
    result = grow_scratch(system);
    if (result == MOTE_OK) result = make_outer(system, site);
    if (result) {
        list->count--;
        for (int i = 0; i < 2; i++) count_end(&site[i], 0u - 1u);
        return result;
    }
    *id = (mote_link_id){++list->next_link, mote_system_mark(system)};
    return MOTE_OK;
}

mote_result mote_system_add_link(mote_system *system, const mote_link *link, mote_link_id *id) {
    if (id) *id = (mote_link_id){0, 0};
    if (!system || !link || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_fpu_state saved = mote_fpu_enter();
    mote_result result = add(system, link, id);
    mote_fpu_leave(saved);
    return result;
}

static void remove_at(mote_system *system, uint32_t place) {
    mote_link_list *list = &system->links;
    const mote_link *link = &list->links[place].link;
    mote_link_site site;
    if (mote_system_find_end(system, &link->a, &site) == MOTE_OK) count_end(&site, 0u - 1u);
    if (mote_system_find_end(system, &link->b, &site) == MOTE_OK) count_end(&site, 0u - 1u);
    const uint32_t behind = --list->count - place;
    memmove(list->links + place, list->links + place + 1, behind * sizeof *list->links);
}

mote_result mote_system_remove_link(mote_system *system, mote_link_id id) {
    uint32_t place;
    mote_result result = find(system, id, &place);
    if (result == MOTE_OK) remove_at(system, place);
    return result;
}

static bool in_strands(const mote_link_end *end, mote_strands_id id) {
    return end->strands.index == id.index && end->strands.generation == id.generation;
}

static bool in_network(const mote_link_end *end, mote_network_id id) {
    return end->network.index == id.index && end->network.generation == id.generation;
}

void mote_system_drop_strands_links(mote_system *system, mote_strands_id id) {
    const mote_link_list *list = &system->links;
    for (uint32_t i = list->count; i-- > 0;)
        if (in_strands(&list->links[i].link.a, id) || in_strands(&list->links[i].link.b, id))
            remove_at(system, i);
}

void mote_system_drop_network_links(mote_system *system, mote_network_id id) {
    const mote_link_list *list = &system->links;
    for (uint32_t i = list->count; i-- > 0;)
        if (in_network(&list->links[i].link.a, id) || in_network(&list->links[i].link.b, id))
            remove_at(system, i);
}

void mote_system_destroy_links(mote_system *system) {
    mote_release(&system->allocator, system->links.scratch, system->links.scratch_bytes);
    mote_release(&system->allocator, system->links.memory, system->links.bytes);
}

/* --- Reading --- */

mote_result mote_system_link(const mote_system *system, mote_link_id id, mote_link *link, float impulse[3]) {
    uint32_t place;
    mote_result result = find(system, id, &place);
    if (result) return result;
    const mote_link_state *state = &system->links.links[place];
    if (link) *link = state->link;
    if (impulse) memcpy(impulse, state->impulse, sizeof state->impulse);
    return MOTE_OK;
}
