/* Restoring damaged snapshots. The input is a list of changes to a good snapshot: places and bytes. Each is
 * refused with the state as it was, or gives another legal state, which runs on. */
#include "input.h"

#include "../snapshot_world.h"

enum { WARM_FRAMES = 40, MOST_CHANGES = 12 };

static world_snapshot good[2]; /* without and with checksums */

static void make_snapshots(const mote_system_def *def) {
    world w = warm_world(def, WARM_FRAMES);
    world_save(&w, &good[0], 0);
    world_save(&w, &good[1], MOTE_SNAPSHOT_CHECKSUM);
    mote_system_destroy(w.system);
}

/* A place: anywhere, or in the header and table or the settings, where most bytes mean something. */
static size_t take_place(input *in, size_t bytes) {
    const uint32_t way = take_byte(in), at = take_word(in);
    return way & 1 ? at % bytes : at % (bytes < 8192 ? bytes : 8192);
}

static void change(input *in, uint8_t *memory, size_t bytes) {
    for (uint32_t i = 0; i < MOST_CHANGES && in->at < in->end; i++) {
        const size_t at = take_place(in, bytes);
        const uint32_t way = take_byte(in), value = take_word(in);
        if (way % 4 == 0 && at + 4 <= bytes)
            memcpy(memory + at / 4 * 4, &value, 4);
        else if (way % 4 == 1 && at + 4 <= bytes)
            memcpy(memory + at / 4 * 4, &(uint32_t){value % 8}, 4);
        else
            memory[at] ^= (uint8_t)(value | 1);
    }
}

/* Uses a system as a host does: no call may fail in another way than by a code. */
static void use(mote_system *system, input *in) {
    static float vertices[256][3];
    const mote_present_layout layout = mote_default_present_layout();
    mote_statistics statistics;
    mote_range_view view;
    FUZZ_CHECK(mote_system_statistics(system, &statistics) == MOTE_OK);
    FUZZ_CHECK(mote_system_present(system, &layout, vertices, sizeof vertices) == MOTE_OK);
    (void)mote_system_spawn(system, 3, &view);
    view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) (void)mote_system_slot(system, view.id[i]);
    (void)mote_system_advance(system, 1000000 * (uint64_t)take_byte(in), NULL);
    (void)mote_system_step(system, 2, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static uint8_t memory[1 << 20];
    mote_system_def def = world_def();
    def.orientation = def.inertia_column = true;
    input in = {bytes, bytes + size};
    if (!good[0].memory) make_snapshots(&def);
    const uint32_t flags = take_byte(&in);
    const world_snapshot *from = &good[flags & 1];
    FUZZ_CHECK(from->bytes <= sizeof memory);
    memcpy(memory, from->memory, from->bytes);
    change(&in, memory, from->bytes);
    world w = make_world_of(&def);
    const uint64_t before = mote_system_hash(w.system);
    size_t length = from->bytes;
    if (flags > 250) length = take_place(&in, length);
    mote_snapshot_fault fault;
    const mote_result result = mote_system_restore(w.system, memory, length, &fault);
    if (result) {
        FUZZ_CHECK(mote_system_hash(w.system) == before);
        FUZZ_CHECK(fault.part < MOTE_SNAPSHOT_PART_COUNT);
    }
    use(w.system, &in);
    mote_system_destroy(w.system);
    return 0;
}
