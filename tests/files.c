/* Files and hashes of chunks, whose bytes are the same on every machine: prints lines of "name hash"; the
 * golden copy is files.golden. Links nothing but mote. */
#include "base/hash.h"
#include "snapshot_world.h"
#include <mote/hair.h>

static void print_row(const char *name, uint64_t hash) {
    printf("%s %016llx\n", name, (unsigned long long)hash);
}

/* --- Snapshots --- */

static void print_snapshot(const char *name, const mote_system *system, uint32_t flags) {
    size_t bytes;
    WORLD(mote_system_snapshot_bytes(system, &bytes));
    unsigned char *memory = malloc(bytes);
    if (!memory) abort();
    WORLD(mote_system_save(system, flags, memory, bytes, NULL));
    print_row(name, mote_hash_bytes(0, memory, bytes));
    free(memory);
}

/* The hash of all hashes of chunks and of their items. */
static void print_chunks(const char *name, const mote_system *system) {
    static mote_hash_chunk chunks[4096];
    static uint64_t items[MOTE_HASH_CHUNK];
    uint32_t count;
    uint64_t hash = 0;
    WORLD(mote_system_hash_chunks(system, chunks, 4096, &count));
    if (count > 4096) abort();
    for (uint32_t i = 0; i < count; i++) {
        hash = mote_hash_number(mote_hash_number(hash, (uint64_t)chunks[i].part), chunks[i].hash);
        if (chunks[i].count == 0) continue;
        WORLD(mote_system_hash_items(system, &chunks[i], items));
        for (uint32_t k = 0; k < chunks[i].count; k++) hash = mote_hash_number(hash, items[k]);
    }
    print_row(name, hash);
}

static void print_world(void) {
    const mote_system_def def = world_def();
    world w = warm_world(&def, 12);
    print_snapshot("snapshot/world", w.system, 0);
    print_snapshot("snapshot/world/checksum", w.system, MOTE_SNAPSHOT_CHECKSUM);
    print_chunks("chunks/world", w.system);
    print_row("hash/world", mote_system_hash(w.system));
    mote_system_destroy(w.system);
}

/* Columns of the host: floats, pairs of 32-bit numbers, bytes. */
static void print_columns(void) {
    enum { COUNT = 1001, ODD = 7 };
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    def.capacity = COUNT, def.interpolation = MOTE_INTERPOLATE_HERMITE;
    def.extra_count = 3, def.extra_bytes[0] = 4, def.extra_bytes[1] = 8, def.extra_bytes[2] = ODD;
    WORLD(mote_system_create(&def, &system));
    WORLD(mote_system_spawn(system, COUNT, &view));
    for (uint32_t i = 0; i < COUNT; i++) {
        ((float *)view.extra[0])[i] = 0.1f * (float)i;
        ((uint32_t *)view.extra[1])[2 * i] = i, ((uint32_t *)view.extra[1])[2 * i + 1] = 7 * i;
        for (uint32_t k = 0; k < ODD; k++)
            ((unsigned char *)view.extra[2])[ODD * i + k] = (unsigned char)(i + k);
        view.velocity.x[i] = (float)i;
    }
    print_snapshot("snapshot/columns/spawned", system, MOTE_SNAPSHOT_CHECKSUM);
    WORLD(mote_system_step(system, 2, NULL));
    print_snapshot("snapshot/columns/stepped", system, MOTE_SNAPSHOT_CHECKSUM);
    print_chunks("chunks/columns", system);
    print_row("hash/columns", mote_system_hash(system));
    mote_system_destroy(system);
}

/* --- HAIR files --- */

static void print_hair(void) {
    enum { STRANDS = 5, MOST = 30 };
    static float points[MOST][3], thickness[MOST], transparency[MOST], colours[MOST][3];
    uint32_t lengths[STRANDS];
    mote_hair hair = mote_default_hair(), *read;
    size_t bytes, again;
    hair.strand_count = STRANDS, hair.strand_points = lengths;
    for (uint32_t s = 0; s < STRANDS; s++) hair.point_count += lengths[s] = 2 + s;
    for (uint32_t i = 0; i < hair.point_count; i++) {
        thickness[i] = 0.01f * (float)i, transparency[i] = 1 / (float)(i + 1);
        for (int axis = 0; axis < 3; axis++)
            points[i][axis] = 0.3f * (float)(i * i) - (float)axis, colours[i][axis] = 1 / (float)(i + 2);
    }
    hair.points = points, hair.thickness = thickness, hair.transparency = transparency,
    hair.colours = colours;
    WORLD(mote_hair_write(&hair, NULL, 0, &bytes));
    unsigned char *memory = malloc(2 * bytes);
    if (!memory) abort();
    WORLD(mote_hair_write(&hair, memory, bytes, NULL));
    print_row("hair/written", mote_hash_bytes(0, memory, bytes));
    WORLD(mote_hair_read(memory, bytes, NULL, &read, NULL));
    WORLD(mote_hair_write(read, memory + bytes, bytes, &again));
    print_row("hair/read", mote_hash_bytes(0, memory + bytes, again));
    mote_hair_destroy(read);
    free(memory);
}

int main(void) {
    print_world();
    print_columns();
    print_hair();
    return 0;
}
