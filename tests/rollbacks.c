/* Random rollbacks of 1 to 64 frames. Before each, a few frames run with other calls, as when the input of
 * another player was guessed wrong; then the system goes back to a snapshot and runs the frames again. Every
 * frame must end with the hash that it had, and the last one with the same snapshot, byte for byte.
 *
 *     rollbacks [COUNT [SEED]]      COUNT: 1,000. 100,000 take minutes */
#include <stdio.h>

#include "snapshot_world.h"

enum { RING = 65 };

typedef struct frame_record {
    world_snapshot snapshot;
    uint64_t hash;
} frame_record;

static void differ(const char *what, uint32_t rollback, uint32_t frame) {
    fprintf(stderr, "rollbacks: the %s of frame %u differs after rollback %u\n", what, frame, rollback);
    exit(1);
}

int main(int count, char **arguments) {
    static frame_record ring[RING];
    static world_snapshot again;
    const uint32_t rollbacks = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 1000;
    const uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    random_source random = {seed};
    mote_system_def def = world_def();
    world w = make_world_of(&def);
    uint32_t frame = 0, oldest = 0;
    uint64_t frames = 0;
    for (uint32_t i = 0; i < rollbacks; i++) {
        for (uint32_t more = 1 + random_below(&random, 3); more; more--) {
            frame_record *now = &ring[frame % RING];
            world_save(&w, &now->snapshot, random_below(&random, 2) ? MOTE_SNAPSHOT_CHECKSUM : 0);
            now->hash = mote_system_hash(w.system);
            world_frame(&w, frame++, seed);
            if (frame - oldest >= RING) oldest = frame - RING + 1;
        }
        world_save(&w, &ring[frame % RING].snapshot, 0);
        const uint64_t hash = mote_system_hash(w.system);
        const uint32_t most = frame - oldest, back = 1 + random_below(&random, most < 64 ? most : 64);
        for (uint32_t k = random_below(&random, 4); k; k--) world_frame(&w, frame + k, ~seed - i);
        world_restore(&w, &ring[(frame - back) % RING].snapshot);
        for (uint32_t f = frame - back; f < frame; f++, frames++) {
            if (mote_system_hash(w.system) != ring[f % RING].hash) differ("hash", i, f);
            world_frame(&w, f, seed);
        }
        world_save(&w, &again, 0);
        const world_snapshot *last = &ring[frame % RING].snapshot;
        if (mote_system_hash(w.system) != hash) differ("hash", i, frame);
        if (again.bytes != last->bytes || memcmp(again.memory, last->memory, last->bytes) != 0)
            differ("snapshot", i, frame);
    }
    printf("%u rollbacks over %llu frames: the same hashes and snapshots\n", rollbacks,
           (unsigned long long)frames);
    for (uint32_t i = 0; i < RING; i++) free(ring[i].snapshot.memory);
    free(again.memory);
    mote_system_destroy(w.system);
    return 0;
}
