/* Columns that no cache holds are fetched ahead by a pass of their own (particles/passes.h): it has the bits
 * of the others, and contains what is not finite as they do. */
#include <string.h>

#include "collision_scene.h"

enum { COUNT = 1000000 + 4096, GONE = 777 };

/* Returns the hash after two steps of constant forces, with drag and an attractor where asked for. */
static uint64_t hash_of(mote_isa isa, bool drags, bool pulls) {
    mote_system_def def = bare_def(COUNT, MOTE_SEMI_IMPLICIT_EULER);
    def.isa = isa, def.particle_ids = false;
    mote_system *system = system_of(&def);
    add_gravity(system);
    if (drags) add_force(system, mote_wind((float[3]){1, 0.5f, -0.25f}, 0.1f));
    if (pulls) add_force(system, mote_attractor((float[3]){0.5f, -1, 0.25f}, 3, 0.1f));
    const mote_range_view view = spawned(system, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        put(&view, i, 1e-5f * (float)i, 0.001f * (float)(i % 977), 0.002f * (float)(i % 1013) - 1);
        throw_at(&view, i, 0.01f * (float)(i % 31), 1, -0.02f * (float)(i % 17));
    }
    view.velocity.y[GONE] = INFINITY;
    stepped(system, 1);
    ASSERT(mote_system_count(system), ==, COUNT - 1);
    stepped(system, 1);
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

TEST(columns_fetched_ahead_have_the_same_bits) {
    for (int k = 0; k < 4; k++) {
        const bool drags = k & 1, pulls = k & 2;
        const uint64_t want = hash_of(MOTE_ISA_SCALAR, drags, pulls);
        for (int isa = MOTE_ISA_SSE2; isa < MOTE_ISA_COUNT; isa++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            test_case("drag %d, attractor %d, %s", drags, pulls, mote_isa_name((mote_isa)isa));
            ASSERT(hash_of((mote_isa)isa, drags, pulls), ==, want);
        }
    }
}
