/* Snapshots: sizes, foreign systems, memory that runs out, ids, callbacks, the arena, hashes of chunks. That
 * all state comes back is tested by `hashes --snapshots` and by rollbacks.c. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "snapshot_world.h"
#include "systems.h"

/* --- Size --- */

/* marks: the host has forces of its own, none of which it has set. */
static size_t bytes_of(bool interpolates, bool anchors, bool lifetimes, bool ids, bool masses, bool marks,
                       uint32_t count) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 4 * count;
    def.interpolation = interpolates ? MOTE_INTERPOLATE_LINEAR : MOTE_INTERPOLATE_NONE;
    def.anchor_column = anchors, def.lifetimes = lifetimes, def.particle_ids = ids, def.mass_column = masses;
    def.external_forces = marks;
    mote_system *system = system_of(&def);
    spawned(system, count);
    size_t bytes;
    OK(mote_system_snapshot_bytes(system, &bytes));
    mote_system_destroy(system);
    return bytes;
}

TEST(the_size_goes_by_the_number_of_particles_and_their_columns) {
    enum { COUNT = 10000 };
    for (uint32_t i = 0; i < 64; i++) {
        const bool interpolates = i & 1, anchors = i & 2, lifetimes = i & 4, ids = i & 8, masses = i & 16,
                   marks = i & 32;
        const size_t most = 24 + 12u * interpolates + 12u * anchors + 8u * lifetimes + 8u * ids + 4u * masses;
        test_case("columns %u", i);
        const size_t bytes = bytes_of(interpolates, anchors, lifetimes, ids, masses, marks, COUNT);
        ASSERT(bytes, <=, COUNT * most * 102 / 100);
        ASSERT(bytes, >=, COUNT * most);
    }
}

/* Ids that were given out and are free again cost 8 bytes each, as those of particles do. */
TEST(free_ids_cost_as_much_as_used_ones) {
    enum { PEAK = 100000, ALIVE = 1000, LIVES = 20 };
    static uint32_t slots[PEAK];
    mote_system_def def = mote_default_system_def();
    def.capacity = PEAK;
    mote_system *system = system_of(&def), *other = system_of(&def);
    for (uint32_t i = 0; i < PEAK; i++) slots[i] = i;
    for (uint32_t life = 0; life < LIVES; life++) {
        spawned(system, PEAK - mote_system_count(system));
        OK(mote_system_kill_slots(system, PEAK - ALIVE, slots + life % ALIVE));
        stepped(system, 1);
    }
    ASSERT(mote_system_count(system), ==, (uint32_t)ALIVE);
    world_snapshot s = {0};
    mote_snapshot_fault fault;
    OK(mote_system_snapshot_bytes(system, &s.bytes));
    ASSERT(s.bytes, <=, (24u * ALIVE + 8u * PEAK) * 102 / 100);
    s.memory = malloc(s.bytes);
    OK(mote_system_save(system, 0, s.memory, s.bytes, NULL));
    OK(mote_system_restore(other, s.memory, s.bytes, &fault));
    for (uint32_t life = 0; life < 2; life++) {
        ASSERT(mote_system_hash(other), ==, mote_system_hash(system));
        spawned(system, PEAK / 4), spawned(other, PEAK / 4); /* with the same ids */
    }
    free(s.memory);
    mote_system_destroy(system);
    mote_system_destroy(other);
}

/* --- Bad input --- */

TEST(a_buffer_that_is_too_small_and_wrong_arguments_are_refused) {
    const mote_system_def def = world_def();
    world w = warm_world(&def, 10);
    size_t bytes, written = 1;
    OK(mote_system_snapshot_bytes(w.system, &bytes));
    unsigned char *memory = malloc(bytes);
    assert_int_equal(mote_system_save(w.system, 0, memory, bytes - 1, &written), MOTE_ERROR_BUFFER);
    ASSERT(written, ==, 0u);
    assert_int_equal(mote_system_save(w.system, 2, memory, bytes, &written), MOTE_ERROR_ENUM);
    assert_int_equal(mote_system_save(w.system, 0, NULL, bytes, &written), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_save(NULL, 0, memory, bytes, &written), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_snapshot_bytes(NULL, &bytes), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_snapshot_bytes(w.system, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_restore(w.system, NULL, bytes, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_restore(NULL, memory, bytes, NULL), MOTE_ERROR_NULL);
    free(memory);
    mote_system_destroy(w.system);
}

/* Every length below that of the snapshot. */
TEST(a_snapshot_that_is_cut_short_is_refused) {
    const mote_system_def def = world_def();
    world w = warm_world(&def, 30);
    for (uint32_t flags = 0; flags < 2; flags++) {
        world_snapshot s = {0};
        mote_snapshot_fault fault;
        world_save(&w, &s, flags);
        for (size_t bytes = 0; bytes < s.bytes; bytes += 1 + bytes / 64) {
            unsigned char *part = malloc(bytes ? bytes : 1); /* so that a read behind the end is found */
            memcpy(part, s.memory, bytes);
            assert_int_equal(restore_or_keep(w.system, part, bytes, &fault), MOTE_ERROR_FILE);
            assert_int_equal(fault.part, MOTE_SNAPSHOT_HEADER);
            free(part);
        }
        OK(restore_or_keep(w.system, s.memory, s.bytes, &fault));
        free(s.memory);
    }
    mote_system_destroy(w.system);
}

/* --- Foreign systems --- */

static void check_foreign(const world_snapshot *s, mote_system_def def, mote_snapshot_part part,
                          const char *name) {
    world other = make_world_of(&def);
    mote_snapshot_fault fault;
    test_case("%s", name);
    assert_int_equal(restore_or_keep(other.system, s->memory, s->bytes, &fault), MOTE_ERROR_FOREIGN);
    assert_int_equal(fault.part, part);
    assert_string_equal(fault.parameter, name);
    mote_system_destroy(other.system);
}

TEST(a_snapshot_of_another_def_is_refused_by_the_name_of_the_field) {
    const mote_system_def def = world_def();
    world w = warm_world(&def, 10);
    world_snapshot s = {0};
    world_save(&w, &s, MOTE_SNAPSHOT_CHECKSUM);
    mote_system_def other = def;
    other.substeps = 3, check_foreign(&s, other, MOTE_SNAPSHOT_SYSTEM, "substeps"), other = def;
    other.integrator = MOTE_RK4, check_foreign(&s, other, MOTE_SNAPSHOT_SYSTEM, "integrator"), other = def;
    other.start_time = 1, check_foreign(&s, other, MOTE_SNAPSHOT_SYSTEM, "start_time"), other = def;
    other.mass = 2, check_foreign(&s, other, MOTE_SNAPSHOT_SYSTEM, "mass"), other = def;
    other.particle_ids = false, check_foreign(&s, other, MOTE_SNAPSHOT_SYSTEM, "particle_ids"), other = def;
    other.extra_bytes[1] = 4, check_foreign(&s, other, MOTE_SNAPSHOT_SYSTEM, "extra_bytes"), other = def;
    other.interpolation = MOTE_INTERPOLATE_NONE;
    check_foreign(&s, other, MOTE_SNAPSHOT_SYSTEM, "interpolation");
    free(s.memory);
    mote_system_destroy(w.system);
}

TEST(a_snapshot_of_other_strands_networks_and_callbacks_is_refused_by_its_part) {
    const mote_system_def def = world_def();
    world w = warm_world(&def, 10);
    world_snapshot s = {0};
    mote_snapshot_fault fault;
    world_save(&w, &s, 0);
    OK(mote_system_remove_network(w.system, w.webs));
    assert_int_equal(restore_or_keep(w.system, s.memory, s.bytes, &fault), MOTE_ERROR_FOREIGN);
    assert_int_equal(fault.part, MOTE_SNAPSHOT_SYSTEM);
    world_webs(&w); /* the same, with another id */
    assert_int_equal(restore_or_keep(w.system, s.memory, s.bytes, &fault), MOTE_ERROR_FOREIGN);
    assert_int_equal(fault.part, MOTE_SNAPSHOT_SYSTEM);

    /* Strands of the same id, but of another stiffness. */
    mote_system_def empty = mote_default_system_def();
    mote_system *systems[2];
    const float places[6] = {0, 0, 0, 1, 0, 0};
    for (int i = 0; i < 2; i++) {
        systems[i] = system_of(&empty);
        mote_strands_def strands = mote_default_strands_def();
        mote_strands_id id;
        strands.strand_count = 1, strands.points = 2, strands.positions = places;
        strands.bending_stiffness = i ? 1e-4f : 2e-4f;
        OK(mote_system_add_strands(systems[i], &strands, &id, NULL));
    }
    size_t bytes;
    static unsigned char memory[65536];
    OK(mote_system_save(systems[0], 0, memory, sizeof memory, &bytes));
    assert_int_equal(restore_or_keep(systems[1], memory, bytes, &fault), MOTE_ERROR_FOREIGN);
    assert_int_equal(fault.part, MOTE_SNAPSHOT_STRANDS);
    OK(restore_or_keep(systems[0], memory, bytes, &fault));
    mote_system_destroy(systems[0]);
    mote_system_destroy(systems[1]);
    free(s.memory);
    mote_system_destroy(w.system);
}

TEST(a_callback_is_found_by_its_number_in_a_system_of_other_ids) {
    mote_system_def def = mote_default_system_def();
    static float strength[2] = {0.5f, -2};
    mote_system *a = system_of(&def), *b = system_of(&def);
    mote_force_def first = mote_callback(world_swirl, &strength[0]),
                   second = mote_callback(world_swirl, &strength[1]);
    first.as.callback.number = 1, second.as.callback.number = 2;
    add_force(a, first), add_force(a, second);
    add_force(b, mote_gravity((const float[3]){0, -1, 0})); /* ids that differ */
    add_force(b, second), add_force(b, first);
    spawned_at_random(a, 50, 3);
    unsigned char memory[16384];
    size_t bytes;
    mote_snapshot_fault fault;
    OK(mote_system_save(a, MOTE_SNAPSHOT_CHECKSUM, memory, sizeof memory, &bytes));
    OK(restore_or_keep(b, memory, bytes, &fault));
    stepped(a, 5), stepped(b, 5);
    ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
    /* Without the second callback. */
    mote_system *c = system_of(&def);
    add_force(c, first);
    assert_int_equal(restore_or_keep(c, memory, bytes, &fault), MOTE_ERROR_FOREIGN);
    assert_int_equal(fault.part, MOTE_SNAPSHOT_FORCES);
    ASSERT(fault.index, ==, 1u);
    mote_system_destroy(a), mote_system_destroy(b), mote_system_destroy(c);
}

/* Restores the snapshot of a system with a callback of number 7, and expects the steps of another system. */
static void expect_again(mote_system *system, const mote_system_def *def, const unsigned char *memory,
                         size_t bytes, float *strength) {
    mote_force_def swirl = mote_callback(world_swirl, strength);
    mote_snapshot_fault fault;
    mote_system *other = system_of(def);
    swirl.as.callback.number = 7;
    add_force(other, swirl);
    OK(restore_or_keep(system, memory, bytes, &fault));
    OK(restore_or_keep(other, memory, bytes, &fault));
    stepped(system, 5), stepped(other, 5);
    ASSERT(mote_system_hash(system), ==, mote_system_hash(other));
    mote_system_destroy(other);
}

TEST(a_callback_that_was_removed_or_replaced_is_found_by_its_number) {
    static float strength[2] = {0.5f, -2};
    const mote_system_def def = mote_default_system_def();
    const mote_force_def gravity = mote_gravity((const float[3]){0, -1, 0});
    mote_force_def swirl = mote_callback(world_swirl, &strength[0]);
    unsigned char memory[16384];
    size_t bytes;
    mote_snapshot_fault fault;
    mote_system *system = system_of(&def);
    swirl.as.callback.number = 7;
    const mote_force_id id = add_force(system, swirl);
    spawned_at_random(system, 50, 3);
    OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
    OK(mote_system_remove_force(system, id));
    expect_again(system, &def, memory, bytes, &strength[0]);
    OK(mote_system_set_force(system, id, &gravity));
    expect_again(system, &def, memory, bytes, &strength[0]);
    swirl.as.callback.number = 8;
    OK(mote_system_set_force(system, id, &swirl));
    expect_again(system, &def, memory, bytes, &strength[0]);
    /* The last function of the number counts. */
    swirl.as.callback.number = 7, swirl.as.callback.user = &strength[1];
    OK(mote_system_set_force(system, id, &swirl));
    OK(mote_system_remove_force(system, id));
    expect_again(system, &def, memory, bytes, &strength[1]);
    /* Number 7 makes way to the MOTE_MAX_FORCES that follow; 8 was there before, so one less is new. */
    for (uint32_t i = 0; i <= MOTE_MAX_FORCES; i++) {
        swirl.as.callback.number = 8 + i, swirl.as.callback.user = &strength[0];
        OK(mote_system_set_force(system, id, &swirl));
        OK(mote_system_set_force(system, id, &gravity));
        if (i < MOTE_MAX_FORCES - 1) expect_again(system, &def, memory, bytes, &strength[1]);
    }
    OK(mote_system_set_force(system, id, &gravity));
    assert_int_equal(restore_or_keep(system, memory, bytes, &fault), MOTE_ERROR_FOREIGN);
    mote_system_destroy(system);
}

TEST(more_particles_than_reserved_are_refused_and_fit_after_a_reserve) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 100;
    mote_system *a = system_of(&def);
    def.capacity = 10;
    mote_system *b = system_of(&def);
    spawned_at_random(a, 60, 3);
    unsigned char memory[16384];
    size_t bytes;
    mote_snapshot_fault fault;
    OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
    assert_int_equal(restore_or_keep(b, memory, bytes, &fault), MOTE_ERROR_CAPACITY);
    assert_int_equal(fault.part, MOTE_SNAPSHOT_PARTICLES);
    OK(mote_system_reserve(b, 60));
    OK(restore_or_keep(b, memory, bytes, &fault));
    ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
    mote_system_destroy(a), mote_system_destroy(b);
}

/* --- Ids --- */

TEST(ids_of_the_saved_system_hold_in_the_restored_one) {
    const mote_system_def def = world_def();
    world a = warm_world(&def, 30), b = make_world_of(&def);
    world_snapshot s = {0};
    world_save(&a, &s, 0);
    const mote_strands_id old = b.hair;
    world_restore(&b, &s);
    ASSERT(mote_strands_points(b.system, a.hair, 3), ==, mote_strands_points(a.system, a.hair, 3));
    ASSERT(mote_strands_points(b.system, old, 3), ==, 0u);
    const mote_range_view view = mote_system_view(a.system);
    for (uint32_t i = 0; i < view.count; i++)
        ASSERT(mote_system_slot(b.system, view.id[i]), ==, mote_system_slot(a.system, view.id[i]));
    for (uint32_t i = 0; i < 20; i++) { /* both give out the same ids from now on */
        world_frame(&a, 30 + i, 5), world_frame(&b, 30 + i, 5);
        ASSERT(mote_system_hash(a.system), ==, mote_system_hash(b.system));
    }
    ASSERT(memcmp((char *)&a + sizeof a.system, (char *)&b + sizeof b.system, sizeof a - sizeof a.system), ==,
           0);
    free(s.memory);
    mote_system_destroy(a.system), mote_system_destroy(b.system);
}

/* --- Memory --- */

TEST(memory_that_runs_out_changes_nothing_and_leaks_nothing) {
    memory_ledger ledger = {0};
    mote_system_def def = world_def();
    world a = warm_world(&def, 60);
    world_snapshot s = {0};
    world_save(&a, &s, 0);
    def.allocator = ledger_allocator(&ledger);
    uint32_t failures = 0;
    for (uint64_t k = 1;; k++) {
        world b = make_world_of(&def);
        mote_snapshot_fault fault;
        ledger.fail_at = ledger.calls + k;
        const mote_result result = restore_or_keep(b.system, s.memory, s.bytes, &fault);
        ledger.fail_at = 0;
        if (result) assert_int_equal(result, MOTE_ERROR_MEMORY), failures++;
        if (result) OK(restore_or_keep(b.system, s.memory, s.bytes, &fault)); /* at the second try */
        ASSERT(mote_system_hash(b.system), ==, mote_system_hash(a.system));
        mote_system_destroy(b.system);
        ASSERT(ledger.faults, ==, 0u);
        ASSERT(ledger.live_bytes, ==, 0u);
        if (result == MOTE_OK) break;
    }
    ASSERT(failures, >, 3u);
    free(s.memory);
    mote_system_destroy(a.system);
}

/* No spring tears in the step after the 58th; one does in the 61st. */
TEST(a_rollback_of_the_same_objects_allocates_nothing) {
    memory_ledger ledger = {0};
    mote_system_def def = world_def();
    def.allocator = ledger_allocator(&ledger);
    world w = warm_world(&def, 58);
    world_snapshot s = {0};
    world_save(&w, &s, MOTE_SNAPSHOT_CHECKSUM);
    const uint64_t calls = ledger.calls;
    for (uint32_t i = 0; i < 5; i++) {
        stepped(w.system, 1);
        world_restore(&w, &s);
    }
    ASSERT(ledger.calls, ==, calls);
    free(s.memory);
    mote_system_destroy(w.system);
}

/* --- The arena: memory of the host, which is copied as a whole --- */

typedef struct arena {
    size_t used;
    _Alignas(64) unsigned char memory[8 << 20];
} arena;

static void *take(void *user, size_t bytes, size_t alignment) {
    arena *a = user;
    const size_t at = (a->used + alignment - 1) / alignment * alignment;
    if (at + bytes > sizeof a->memory) return NULL;
    a->used = at + bytes;
    return a->memory + at;
}

static void give_back(void *user, void *pointer, size_t bytes) { (void)user, (void)pointer, (void)bytes; }

TEST(a_copy_of_the_arena_is_a_snapshot) {
    static arena now, saved;
    mote_system_def def = world_def();
    def.allocator = (mote_allocator){&now, take, give_back};
    world w = warm_world(&def, 20);
    for (uint32_t round = 0; round < 20; round++) {
        uint64_t hashes[12];
        const world host = w;
        saved.used = now.used;
        memcpy(saved.memory, now.memory, now.used);
        for (uint32_t i = 0; i < 12; i++)
            world_frame(&w, 20 + round + i, 9), hashes[i] = mote_system_hash(w.system);
        now.used = saved.used;
        memcpy(now.memory, saved.memory, saved.used);
        w = host;
        for (uint32_t i = 0; i < 12; i++) {
            world_frame(&w, 20 + round + i, 9);
            ASSERT(mote_system_hash(w.system), ==, hashes[i]);
        }
    }
    mote_system_destroy(w.system);
}

/* --- Hashes of chunks --- */

enum { CHUNKS = 64 };

static uint32_t chunks_of(const mote_system *system, mote_hash_chunk chunks[CHUNKS]) {
    uint32_t count;
    OK(mote_system_hash_chunks(system, chunks, CHUNKS, &count));
    ASSERT(count, <=, (uint32_t)CHUNKS);
    return count;
}

/* The part and the item in which two systems differ. */
static mote_hash_chunk first_difference(const mote_system *a, const mote_system *b) {
    mote_hash_chunk of_a[CHUNKS], of_b[CHUNKS];
    uint64_t items_of_a[MOTE_HASH_CHUNK], items_of_b[MOTE_HASH_CHUNK];
    const uint32_t count = chunks_of(a, of_a);
    uint32_t i = 0, k = 0, differ = 0;
    ASSERT(chunks_of(b, of_b), ==, count);
    for (uint32_t n = 0; n < count; n++) differ += of_a[n].hash != of_b[n].hash;
    if (!differ) return (mote_hash_chunk){.part = MOTE_SNAPSHOT_PART_COUNT};
    ASSERT(differ, ==, 1u);
    while (of_a[i].hash == of_b[i].hash) i++;
    OK(mote_system_hash_items(a, &of_a[i], items_of_a));
    OK(mote_system_hash_items(b, &of_b[i], items_of_b));
    while (k < of_a[i].count && items_of_a[k] == items_of_b[k]) k++;
    ASSERT(k, <, of_a[i].count);
    of_a[i].first += k;
    return of_a[i];
}

static void check_difference(world *a, world *b, const world_snapshot *s, mote_snapshot_part part,
                             uint32_t object, uint32_t item, bool springs) {
    const mote_hash_chunk at = first_difference(a->system, b->system);
    assert_int_equal(at.part, part);
    ASSERT(at.object, ==, object);
    ASSERT(at.first, ==, item);
    assert_int_equal(at.springs, springs);
    world_restore(b, s);
    assert_int_equal(first_difference(a->system, b->system).part, MOTE_SNAPSHOT_PART_COUNT);
}

TEST(two_systems_find_the_first_particle_strand_or_spring_that_differs) {
    mote_system_def def = world_def();
    def.capacity = 5000;
    world a = make_world_of(&def), b;
    spawned_at_random(a.system, 3000, 7);
    for (uint32_t i = 0; i < 3; i++) world_frame(&a, i, 5);
    mote_emitter_def still = mote_default_emitter_def();
    mote_emitter_id jet;
    OK(mote_system_add_emitter(a.system, &still, &jet));
    world_snapshot s = {0};
    world_save(&a, &s, 0);
    b = make_world_of(&def);
    world_restore(&b, &s);

    mote_system_view(b.system).velocity.y[2222] += 1;
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_PARTICLES, 0, 2222, false);
    const mote_strands_view hair = mote_strands_columns(b.system, b.springs);
    hair.velocity.z[mote_strands_slot(b.system, b.springs, 11, 1)] += 1;
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_STRANDS, 1, 11, false);
    const mote_network_view webs = mote_network_columns(b.system, b.webs);
    webs.position.x[webs.slot[37]] += 1;
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_NETWORK, 1, 37, false);
    mote_spring spring;
    OK(mote_network_spring(b.system, b.webs, 50, &spring));
    OK(mote_network_set_spring(b.system, b.webs, 50, spring.stiffness + 1, spring.damping, spring.tear_strain,
                               NULL));
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_NETWORK, 1, 50, true);
    OK(mote_network_reel(b.system, b.webs, 51, 1, 1u << 30, NULL));
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_NETWORK, 1, 51, true);
    const mote_collider_def ball = mote_sphere((const float[3]){1, 2, 3}, 0.3f);
    OK(mote_system_set_collider(b.system, b.ball, &ball));
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_COLLIDERS, 0, 0, false);
    const mote_force_def wind = mote_wind((const float[3]){1, 2, 3}, 0.5f);
    OK(mote_system_set_force(b.system, b.wind, &wind));
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_FORCES, 0, 1, false);
    still.rate = 1;
    OK(mote_system_set_emitter(b.system, jet, &still));
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_EMITTERS, 0, 0, false);
    OK(mote_strands_set_air(b.system, b.hair, (const float[3]){1, 2, 3}));
    check_difference(&a, &b, &s, MOTE_SNAPSHOT_SYSTEM, 0, 0, false);

    mote_hash_chunk chunk = {.part = MOTE_SNAPSHOT_PARTICLES, .first = 2999, .count = 1000};
    uint64_t hashes[MOTE_HASH_CHUNK];
    assert_int_equal(mote_system_hash_items(a.system, &chunk, hashes), MOTE_ERROR_RANGE);
    chunk = (mote_hash_chunk){.part = MOTE_SNAPSHOT_STRANDS, .object = 2, .count = 1};
    assert_int_equal(mote_system_hash_items(a.system, &chunk, hashes), MOTE_ERROR_RANGE);
    free(s.memory);
    mote_system_destroy(a.system), mote_system_destroy(b.system);
}
