#include "hash_twins.h"

#include "hash_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t hash_twin_steps;

static void differ(const char *what, uint32_t step) {
    fprintf(stderr, "hashes: snapshots: %s differ after step %u\n", what, step);
    exit(1);
}

typedef struct snapshot {
    void *memory;
    size_t bytes;
} snapshot;

static snapshot saved(const mote_system *system, uint32_t flags) {
    snapshot s;
    size_t written;
    CALL(mote_system_snapshot_bytes(system, &s.bytes));
    s.memory = malloc(s.bytes);
    if (!s.memory) exit(1);
    memset(s.memory, 0xa5, s.bytes);
    CALL(mote_system_save(system, flags, s.memory, s.bytes, &written));
    if (written != s.bytes) differ("sizes", 0);
    return s;
}

static void restore(mote_system *twin, const mote_system *system, uint32_t flags) {
    mote_snapshot_fault fault;
    const snapshot s = saved(system, flags);
    CALL_TELLING(mote_system_restore(twin, s.memory, s.bytes, &fault), &fault);
    const snapshot again = saved(twin, flags);
    if (again.bytes != s.bytes || memcmp(again.memory, s.memory, s.bytes) != 0) differ("snapshots", 0);
    if (mote_system_hash(system) != mote_system_hash(twin)) differ("hashes", 0);
    free(s.memory);
    free(again.memory);
}

mote_system *hash_continue(mote_system *system, mote_system *twin) {
    hash_watch(twin);
    restore(twin, system, MOTE_SNAPSHOT_CHECKSUM);
    mote_system_destroy(system);
    return twin;
}

void hash_compare(mote_system *system, mote_system *twin) {
    hash_scene_ends();
    if (!twin) {
        hash_watch(NULL);
        mote_system_destroy(system);
        return;
    }
    restore(twin, system, 0);
    for (uint32_t step = 1; step <= hash_twin_steps; step++) {
        hash_watch(system);
        CALL(mote_system_step(system, 1, NULL));
        hash_watch(twin);
        CALL(mote_system_step(twin, 1, NULL));
        if (mote_system_hash(system) != mote_system_hash(twin)) differ("hashes", step);
    }
    const snapshot a = saved(system, 0), b = saved(twin, 0);
    if (a.bytes != b.bytes || memcmp(a.memory, b.memory, a.bytes) != 0) differ("snapshots", hash_twin_steps);
    free(a.memory);
    free(b.memory);
    hash_watch(NULL);
    mote_system_destroy(system);
    mote_system_destroy(twin);
}
