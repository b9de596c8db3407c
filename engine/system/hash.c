/* Hash of all state of a system, and hashes of its chunks. */
#include <mote/snapshot.h>

#include "base/hash.h"

#include "forces/force.h"
#include "particles/emitters.h"
#include "system/internal.h"

uint64_t mote_system_hash(const mote_system *system) {
    return system && mote_system_fetch(system) == MOTE_OK ? mote_system_hash_state(system) : 0;
}

/* --- Hashes of chunks: mote/snapshot.h --- */

/* Clock, settings of the system and of its ranges, counts of particles and their ids. */
static uint64_t hash_head(const mote_system *system) {
    mote_range *range;
    uint64_t hash = mote_hash_settings(mote_hash_clock(0, &system->clock), system);
    hash = mote_particles_hash_counts(&system->particles.range, hash);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        hash = range->kind->hash_settings(range, hash);
    return hash;
}

/* Returns the range of a part, or NULL. */
static const mote_range *range_of(const mote_system *system, mote_snapshot_part part, uint32_t object) {
    const uint32_t kind = part == MOTE_SNAPSHOT_STRANDS ? MOTE_KIND_STRANDS : MOTE_KIND_NETWORK;
    if (part == MOTE_SNAPSHOT_PARTICLES) return object ? NULL : &system->particles.range;
    if (part != MOTE_SNAPSHOT_STRANDS && part != MOTE_SNAPSHOT_NETWORK) return NULL;
    return object < system->ranges[kind].count ? mote_system_range_at(system, kind, object) : NULL;
}

/* Returns the items of a part: of a range, or of a list. */
static uint32_t items_of(const mote_system *system, mote_snapshot_part part, uint32_t object, bool springs) {
    const mote_range *range = range_of(system, part, object);
    if (range) return range->kind->count_items(range, springs);
    if (object || springs) return 0;
    if (part == MOTE_SNAPSHOT_SYSTEM) return 1;
    if (part == MOTE_SNAPSHOT_FORCES) return system->forces.count;
    if (part == MOTE_SNAPSHOT_LINKS) return system->links.list.count;
    if (part == MOTE_SNAPSHOT_COLLIDERS) return system->colliders.list.count;
    return part == MOTE_SNAPSHOT_EMITTERS ? system->emitters.count : 0;
}

/* Returns the hash of items that exist. */
static uint64_t hash_items(const mote_system *system, const mote_hash_chunk *of, uint32_t first,
                           uint32_t count) {
    const mote_range *range = range_of(system, of->part, of->object);
    uint64_t hash = 0;
    if (range) return range->kind->hash_items(range, of->springs, first, count);
    if (of->part == MOTE_SNAPSHOT_SYSTEM) return hash_head(system);
    for (uint32_t i = first; i < first + count; i++)
        if (of->part == MOTE_SNAPSHOT_FORCES)
            hash = mote_force_hash((const mote_force_def *)system->forces.items + i, hash);
        else if (of->part == MOTE_SNAPSHOT_LINKS)
            hash = mote_hash_link(hash, &mote_link_at(&system->links, i)->link);
        else if (of->part == MOTE_SNAPSHOT_COLLIDERS)
            hash = mote_collider_hash(hash, mote_collider_at(&system->colliders, i));
        else
            hash = mote_emitter_hash(hash, &system->emitters, i);
    return hash;
}

typedef struct chunk_list {
    const mote_system *system;
    mote_hash_chunk *chunks;
    uint32_t capacity, count;
} chunk_list;

static void add_chunks(chunk_list *list, mote_snapshot_part part, uint32_t object, bool springs) {
    const uint32_t items = items_of(list->system, part, object, springs);
    for (uint32_t first = 0; first < items; first += MOTE_HASH_CHUNK, list->count++) {
        const uint32_t left = items - first, count = left < MOTE_HASH_CHUNK ? left : MOTE_HASH_CHUNK;
        mote_hash_chunk chunk = {
            .part = part, .object = object, .first = first, .count = count, .springs = springs};
        if (list->count >= list->capacity) continue;
        chunk.hash = hash_items(list->system, &chunk, first, count);
        list->chunks[list->count] = chunk;
    }
}

mote_result mote_system_hash_chunks(const mote_system *system, mote_hash_chunk *chunks, uint32_t capacity,
                                    uint32_t *count) {
    mote_result result = mote_system_at_rest(system);
    if (!count || (capacity && !chunks)) return MOTE_ERROR_NULL;
    *count = 0;
    if (result == MOTE_OK) result = mote_system_fetch(system);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    chunk_list list = {system, chunks, capacity, 0};
    for (int part = 0; part < MOTE_SNAPSHOT_PART_COUNT; part++)
        for (uint32_t object = 0; object == 0 || range_of(system, (mote_snapshot_part)part, object); object++)
            for (int springs = 0; springs < 2; springs++)
                add_chunks(&list, (mote_snapshot_part)part, object, springs);
    *count = list.count;
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_hash_items(const mote_system *system, const mote_hash_chunk *chunk,
                                   uint64_t hashes[MOTE_HASH_CHUNK]) {
    mote_result result = mote_system_at_rest(system);
    if (!chunk || !hashes) return MOTE_ERROR_NULL;
    if (result == MOTE_OK) result = mote_system_fetch(system);
    if (result) return result;
    const uint32_t items = items_of(system, chunk->part, chunk->object, chunk->springs);
    if (chunk->count > MOTE_HASH_CHUNK || chunk->first > items || chunk->count > items - chunk->first)
        return MOTE_ERROR_RANGE;
    const mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t i = 0; i < chunk->count; i++) hashes[i] = hash_items(system, chunk, chunk->first + i, 1);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
