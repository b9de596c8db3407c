/* Snapshots of states that are rare: kills that wait for the next step, ids that are used up, samples that a
 * system does not have. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "inside.h"
#include "systems.h"

static mote_snapshot_section section_of(const unsigned char *memory, mote_snapshot_part part,
                                        uint32_t column) {
    mote_snapshot_header header;
    mote_snapshot_section section = {0};
    memcpy(&header, memory, sizeof header);
    for (uint32_t i = 0; i < header.sections; i++) {
        memcpy(&section, memory + sizeof header + i * sizeof section, sizeof section);
        if (section.part == (uint32_t)part && section.column == column) return section;
    }
    fail_msg("no section");
    return section;
}

static void put_word(unsigned char *memory, mote_snapshot_part part, uint32_t column, uint32_t number,
                     uint32_t word) {
    const mote_snapshot_section s = section_of(memory, part, column);
    ASSERT(4 * (uint64_t)number, <, s.bytes);
    memcpy(memory + s.offset + 4 * (uint64_t)number, &word, sizeof word);
}

/* Column of the ids, of which the second is given: 16 and the columns before it. */
static uint32_t column_of_ids(const unsigned char *memory, uint32_t index, uint32_t generation) {
    const uint32_t want[2] = {index, generation};
    for (uint32_t column = 16; column < 64; column++) {
        mote_snapshot_header header;
        memcpy(&header, memory, sizeof header);
        for (uint32_t i = 0; i < header.sections; i++) {
            mote_snapshot_section s;
            memcpy(&s, memory + sizeof header + i * sizeof s, sizeof s);
            if (s.part == MOTE_SNAPSHOT_PARTICLES && s.column == column && s.bytes == 16 &&
                memcmp(memory + s.offset + sizeof want, want, sizeof want) == 0)
                return column;
        }
    }
    fail_msg("no ids");
    return 0;
}

/* The last generation of an index: after it no particle gets the index again, nor after a restore. */
TEST(an_index_whose_generations_are_used_up_is_lost_for_good) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 4;
    mote_system *a = system_of(&def), *b = system_of(&def);
    const mote_range_view view = spawned_at_random(a, 2, 3);
    const mote_particle_id first = view.id[1],
                           last = {first.index, UINT32_MAX - 1}; /* 0 is in use before it */
    unsigned char memory[16384];
    size_t bytes;
    OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
    put_word(memory, MOTE_SNAPSHOT_PARTICLES, column_of_ids(memory, first.index, first.generation), 3,
             last.generation);
    OK(restore_or_keep(a, memory, bytes, NULL));
    ASSERT(mote_system_slot(a, first), ==, MOTE_NO_SLOT);
    ASSERT(mote_system_slot(a, last), ==, 1u);
    const mote_particle_id wrong[2] = {last, first}; /* the second is refused: so is the first */
    REFUSED(a, MOTE_ERROR_ID, mote_system_kill(a, 2, wrong));
    ASSERT(mote_system_slot(a, last), ==, 1u);
    OK(mote_system_kill(a, 1, &last));
    OK(mote_system_save(a, 0, memory, sizeof memory, &bytes)); /* with a kill that waits */
    OK(restore_or_keep(b, memory, bytes, NULL));
    stepped(a, 1), stepped(b, 1);
    for (int again = 0; again < 2; again++) {
        ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
        ASSERT(mote_system_count(b), ==, 1u);
        const uint32_t space = mote_system_available(a);
        ASSERT(mote_system_available(b), ==, space);
        const mote_range_view more = spawned(a, space), same = spawned(b, space);
        for (uint32_t i = 0; i < space; i++) {
            ASSERT(more.id[i].index, !=, first.index);
            ASSERT(same.id[i].index, ==, more.id[i].index);
            ASSERT(mote_system_slot(b, same.id[i]), ==, 1 + i);
            OK(mote_system_kill(a, 1, &more.id[i]));
            OK(mote_system_kill(b, 1, &same.id[i]));
        }
        stepped(a, 1), stepped(b, 1);
        OK(mote_system_save(a, 0, memory, sizeof memory, &bytes)); /* with the lost index */
        OK(restore_or_keep(b, memory, bytes, NULL));
    }
    mote_system_destroy(a), mote_system_destroy(b);
}

/* Ids of forces rise from 1 on: a snapshot in which one is 0, or there twice, is refused. */
TEST(ids_of_forces_that_do_not_rise_are_refused) {
    const mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    unsigned char memory[16384];
    mote_snapshot_fault fault;
    size_t bytes;
    for (int i = 0; i < 2; i++) {
        const mote_force_def gravity = mote_gravity((const float[3]){0, -9.81f, 0});
        mote_force_id force;
        OK(mote_system_add_force(system, &gravity, &force));
    }
    OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
    const uint32_t words = (uint32_t)section_of(memory, MOTE_SNAPSHOT_FORCES, 0).bytes / 8;
    OK(restore_or_keep(system, memory, bytes, &fault));
    for (uint32_t i = 0; i < 2; i++) {
        put_word(memory, MOTE_SNAPSHOT_FORCES, 0, i * words, i);
        assert_int_equal(restore_or_keep(system, memory, bytes, &fault), MOTE_ERROR_FILE);
        ASSERT(fault.part, ==, MOTE_SNAPSHOT_FORCES);
        ASSERT(fault.index, ==, i);
        put_word(memory, MOTE_SNAPSHOT_FORCES, 0, i * words, i + 1);
        OK(restore_or_keep(system, memory, bytes, &fault));
    }
    mote_system_destroy(system);
}

static mote_strands_id add_hair(mote_system *system, float length) {
    const float positions[] = {0, 0, 0, 0, -length, 0, 0, -2 * length, 0};
    mote_strands_def def = mote_default_strands_def();
    mote_strands_id id;
    def.strand_count = 1, def.points = 3, def.positions = positions;
    OK(mote_system_add_strands(system, &def, &id, NULL));
    return id;
}

/* Pins rise by their slots and have finite targets; a fault names the first wrong one, and what is wrong. */
TEST(pins_that_are_not_there_not_sorted_or_not_finite_are_refused) {
    enum { WORDS_OF_A_PIN = 14, TARGET = 4 };
    static const struct {
        uint32_t word, value, index;
        const char *parameter;
    } wrong[] = {{0, 1u << 20, 0, "slot"},
                 {WORDS_OF_A_PIN, 1u << 20, 1, "slot"},
                 {WORDS_OF_A_PIN, 0, 1, "slot"}, /* that of the root, before the first */
                 {TARGET, 0x7fc00000, 0, "target"},
                 {WORDS_OF_A_PIN + TARGET + 1, 0x7f800000, 1, "target"},
                 {WORDS_OF_A_PIN + TARGET + 2, 0xff800000, 1, "target"}};
    const mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    const mote_strands_id id = add_hair(system, 1);
    unsigned char memory[1 << 14];
    mote_snapshot_fault fault;
    size_t bytes;
    for (uint32_t point = 1; point <= 2; point++)
        OK(mote_strands_pin(system, id, 0, point, (const float[3]){1, 2, 3}, MOTE_NEXT_ADVANCE));
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        test_case("row %zu", i);
        OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
        ASSERT(section_of(memory, MOTE_SNAPSHOT_STRANDS, 1).bytes, ==, 2 * 4 * (uint64_t)WORDS_OF_A_PIN);
        put_word(memory, MOTE_SNAPSHOT_STRANDS, 1, wrong[i].word, wrong[i].value);
        assert_int_equal(restore_or_keep(system, memory, bytes, &fault), MOTE_ERROR_FILE);
        ASSERT(fault.part, ==, MOTE_SNAPSHOT_STRANDS);
        ASSERT(fault.column, ==, 1u);
        ASSERT(fault.index, ==, wrong[i].index);
        assert_string_equal(fault.parameter, wrong[i].parameter);
    }
    OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
    OK(restore_or_keep(system, memory, bytes, &fault));
    mote_system_destroy(system);
}

/* Rest lengths between which a spring is reeled are finite and not negative. */
TEST(reels_between_lengths_that_no_spring_can_have_are_refused) {
    enum { FROM = 1, TO = 4 };
    static const uint32_t words[] = {0xc2f68000, 0x80000001, 0x7fc00000, 0x7f800000, 0xff800000};
    static const float positions[] = {0, 0, 0, 1, 0, 0};
    static const mote_spring spring = {0, 1, 1, 10, 0, 0};
    const mote_system_def settings = mote_default_system_def();
    mote_system *system = system_of(&settings);
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    unsigned char memory[1 << 14];
    mote_snapshot_fault fault;
    size_t bytes;
    def.particle_count = 2, def.positions = positions, def.springs = &spring, def.spring_count = 1;
    OK(mote_system_add_network(system, &def, &id, NULL));
    const uint64_t later = 4 * advanced(system, 0).ticks_per_step;
    OK(mote_network_reel(system, id, 0, 123.25f, later, NULL));
    for (size_t i = 0; i < 2 * COUNT_OF(words); i++) {
        test_case("word %zu of the %s", i / 2, i % 2 ? "target" : "start");
        OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
        put_word(memory, MOTE_SNAPSHOT_NETWORK, 3, i % 2 ? TO : FROM, words[i / 2]);
        assert_int_equal(restore_or_keep(system, memory, bytes, &fault), MOTE_ERROR_FILE);
        ASSERT(fault.part, ==, MOTE_SNAPSHOT_NETWORK);
        ASSERT(fault.column, ==, 3u);
        ASSERT(fault.index, ==, 0u);
    }
    stepped(system, 6);
    OK(mote_system_save(system, MOTE_SNAPSHOT_CHECKSUM, memory, sizeof memory, &bytes));
    OK(restore_or_keep(system, memory, bytes, &fault));
    mote_system_destroy(system);
}

/* A network whose springs are not damped, never tear or are not rigid, in any combination. */
TEST(networks_of_any_springs_are_restored) {
    static unsigned char memory[1 << 16];
    static const float positions[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    for (int kind = 0; kind < 8; kind++) {
        const mote_system_def settings = mote_default_system_def();
        mote_system *a = system_of(&settings), *b = system_of(&settings);
        mote_spring springs[2] = {{0, 1, 1, 100, kind & 1 ? 0.5f : 0, kind & 2 ? 0.25f : 0},
                                  {1, 2, 1, kind & 4 ? INFINITY : 50, 0, 0}};
        mote_network_def def = mote_default_network_def();
        mote_network_id id;
        size_t bytes;
        def.solver = MOTE_NETWORK_CONSTRAINED;
        def.particle_count = 3, def.positions = positions, def.springs = springs, def.spring_count = 2;
        OK(mote_system_add_network(a, &def, &id, NULL));
        OK(mote_system_add_network(b, &def, &id, NULL));
        stepped(a, 3);
        test_case("kind %d", kind);
        OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
        OK(restore_or_keep(b, memory, bytes, NULL));
        stepped(a, 1), stepped(b, 1);
        ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
        mote_system_destroy(a), mote_system_destroy(b);
    }
}

/* 16 pairs and 16 triples of particles, each kind across the lanes of a block, until spring 0 joins both: the
 * system that gets the snapshot still has the springs of the def. */
TEST(a_spring_between_blocks_is_restored_where_there_was_none) {
    static unsigned char memory[1 << 17];
    static float positions[16 * 5][3];
    static mote_spring springs[16 * 3];
    uint32_t particles = 0, count = 0;
    for (uint32_t chain = 0; chain < 32; chain++)
        for (uint32_t k = 0; k < 2 + chain / 16; k++, particles++) {
            positions[particles][0] = (float)k, positions[particles][1] = (float)chain;
            if (k) springs[count++] = (mote_spring){particles - 1, particles, 0.9f, 100, 0, 0};
        }
    const mote_spring between = {0, particles - 1, 20, 100, 0, 0};
    const mote_system_def settings = mote_default_system_def();
    mote_system *a = system_of(&settings), *b = system_of(&settings);
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    uint32_t number = 0;
    size_t bytes;
    def.particle_count = particles, def.positions = positions[0];
    def.springs = springs, def.spring_count = count;
    OK(mote_system_add_network(b, &def, &id, NULL));
    OK(mote_system_add_network(a, &def, &id, NULL));
    OK(mote_network_remove_springs(a, id, 1, &number, NULL));
    OK(mote_network_add_springs(a, id, 1, &between, &number, NULL));
    ASSERT(number, ==, 0u);
    stepped(a, 3);
    OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
    OK(restore_or_keep(b, memory, bytes, NULL));
    for (int i = 0; i < 3; i++) {
        ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
        stepped(a, 1), stepped(b, 1);
    }
    mote_system_destroy(a), mote_system_destroy(b);
}

TEST(flags_of_strands_are_restored_each_by_itself) {
    static unsigned char memory[1 << 14];
    const mote_system_def def = mote_default_system_def();
    mote_system *a = system_of(&def), *b = system_of(&def);
    size_t bytes;
    mote_strands *from = strands_inside(a, add_hair(a, 1)), *to = strands_inside(b, add_hair(b, 1));
    for (int set = 0; set < 8; set++) {
        from->infeasible[0] = set & 1, from->stiff_curls[0] = set >> 1 & 1, from->frozen[0] = set >> 2;
        to->infeasible[0] = !from->infeasible[0], to->stiff_curls[0] = !from->stiff_curls[0];
        to->frozen[0] = !from->frozen[0];
        test_case("flags %d", set);
        OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
        OK(restore_or_keep(b, memory, bytes, NULL));
        ASSERT(to->infeasible[0], ==, from->infeasible[0]);
        ASSERT(to->stiff_curls[0], ==, from->stiff_curls[0]);
        ASSERT(to->frozen[0], ==, from->frozen[0]);
    }
    mote_system_destroy(a), mote_system_destroy(b);
}

/* Followers fit the strands of a restored system, which have the same rest shapes, and not strands of other
 * shapes that came to the same id. */
TEST(followers_go_with_the_rest_shape_of_their_strands) {
    static const float lock[] = {0.1f, 0, 0, 0.1f, -1, 0};
    static unsigned char memory[1 << 16], vertices[2][256];
    const mote_system_def def = mote_default_system_def();
    const mote_strand_layout layout = mote_default_strand_layout();
    mote_followers_def lockdef = mote_default_followers_def();
    mote_system *system[2];
    mote_strands_id id[2];
    mote_followers *followers;
    size_t bytes;
    lockdef.follower_count = 1, lockdef.points = 2, lockdef.positions = lock;
    for (int i = 0; i < 2; i++) system[i] = system_of(&def), id[i] = add_hair(system[i], 1);
    OK(mote_system_save(system[0], 0, memory, sizeof memory, &bytes));
    OK(restore_or_keep(system[1], memory, bytes, NULL));
    for (int other = 0; other < 2; other++) {
        OK(mote_followers_create(system[0], id[0], &lockdef, &followers, NULL));
        OK(mote_followers_present(system[0], followers, &layout, vertices[0], sizeof vertices[0]));
        assert_int_equal(
            mote_followers_present(system[1], followers, &layout, vertices[1], sizeof vertices[1]),
            other ? MOTE_ERROR_ID : MOTE_OK);
        if (!other) assert_memory_equal(vertices[0], vertices[1], sizeof vertices[0]);
        mote_followers_destroy(followers);
        const mote_strands_id old = id[0];
        for (int i = 0; i < 2; i++) {
            OK(mote_system_remove_strands(system[i], old));
            id[i] = add_hair(system[i], i ? 1.5f : 1);
        }
        assert_memory_equal(&id[0], &id[1], sizeof *id);
    }
    for (int i = 0; i < 2; i++) mote_system_destroy(system[i]);
}

TEST(kills_that_wait_are_restored_and_wrong_ones_refused) {
    static const uint32_t wrong[][2] = {{2, 2}, {5, 2}, {2, 6}, {2, UINT32_MAX}};
    static const uint32_t slots[2] = {5, 2};
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    mote_system *a = system_of(&def), *b = system_of(&def);
    unsigned char memory[16384];
    mote_snapshot_fault fault;
    size_t bytes;
    spawned_at_random(a, 6, 3);
    OK(mote_system_kill_slots(a, 2, slots));
    OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        for (uint32_t k = 0; k < 2; k++) put_word(memory, MOTE_SNAPSHOT_PARTICLES, 1, k, wrong[i][k]);
        test_case("row %zu", i);
        assert_int_equal(restore_or_keep(b, memory, bytes, &fault), MOTE_ERROR_FILE);
        assert_int_equal(fault.part, MOTE_SNAPSHOT_PARTICLES);
        ASSERT(fault.column, ==, 1u);
        ASSERT(mote_system_count(b), ==, 0u);
    }
    OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
    OK(restore_or_keep(b, memory, bytes, &fault));
    ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
    stepped(a, 1), stepped(b, 1);
    ASSERT(mote_system_count(b), ==, 4u);
    ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
    mote_system_destroy(a), mote_system_destroy(b);
}

/* --- Samples of the host --- */

enum { FIELD, HEIGHTS, DISTANCES, SAMPLED };

/* A grid, a height field and a distance grid of the same values. */
typedef struct sampled {
    float values[24];
    mote_grid *grid;
    mote_height_field *heights;
    mote_distance_grid *distances;
} sampled;

static void make_sampled(sampled *s, float value) {
    mote_grid_def grid = mote_default_grid_def();
    mote_height_field_def heights = mote_default_height_field_def();
    mote_distance_grid_def distances = mote_default_distance_grid_def();
    for (int i = 0; i < 24; i++) s->values[i] = value;
    for (int axis = 0; axis < 3; axis++) grid.count[axis] = distances.count[axis] = 2;
    heights.count[0] = heights.count[1] = 2;
    grid.vectors = (const float(*)[3])s->values, heights.heights = distances.distances = s->values;
    OK(mote_grid_create(&grid, &s->grid));
    OK(mote_height_field_create(&heights, &s->heights));
    OK(mote_distance_grid_create(&distances, &s->distances));
}

static void add_sampled(mote_system *system, const sampled *s, int kind) {
    const mote_transform at = MOTE_TRANSFORM_IDENTITY;
    const mote_collider_def shapes[] = {mote_sphere(at.position, 1),
                                        kind == HEIGHTS ? mote_height_field_collider(&at, s->heights)
                                                        : mote_distance_grid_collider(&at, s->distances)};
    mote_collider_id id;
    if (kind == FIELD) {
        add_force(system, mote_gravity((float[3]){0, -1, 0}));
        add_force(system, mote_grid_field(s->grid, MOTE_FIELD_ACCELERATION, 0));
        return;
    }
    for (int i = 0; i < 2; i++) OK(mote_system_add_collider(system, &shapes[i], &id));
}

TEST(snapshots_with_samples_that_the_system_does_not_have_are_refused_by_their_place) {
    sampled here, there;
    mote_system_def def = mote_default_system_def();
    unsigned char memory[16384];
    mote_snapshot_fault fault;
    size_t bytes;
    make_sampled(&here, 1), make_sampled(&there, 2);
    for (int kind = 0; kind < SAMPLED; kind++) {
        mote_system *a = system_of(&def), *b = system_of(&def), *none = system_of(&def);
        test_case("kind %d", kind);
        add_sampled(a, &here, kind), add_sampled(b, &there, kind);
        OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
        for (int i = 0; i < 2; i++) {
            assert_int_equal(restore_or_keep(i ? none : b, memory, bytes, &fault), MOTE_ERROR_FOREIGN);
            assert_int_equal(fault.part, kind == FIELD ? MOTE_SNAPSHOT_FORCES : MOTE_SNAPSHOT_COLLIDERS);
            ASSERT(fault.index, ==, 1u);
        }
        add_sampled(b, &here, kind);
        OK(restore_or_keep(b, memory, bytes, &fault));
        ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
        mote_system_destroy(a), mote_system_destroy(b), mote_system_destroy(none);
    }
    for (int i = 0; i < 2; i++) {
        const sampled *s = i ? &here : &there;
        mote_grid_destroy(s->grid), mote_height_field_destroy(s->heights);
        mote_distance_grid_destroy(s->distances);
    }
}

/* --- Colliders and emitters --- */

/* Each word that can be wrong, of the second one of two. */
TEST(wrong_colliders_emitters_and_forces_are_refused_by_their_number) {
    enum { COLLIDER = 35, EMITTER = 69, FORCE = 49, NOT_FINITE = 0x7fc00000 };
    static const struct {
        mote_snapshot_part part;
        uint32_t word, value;
    } wrong[] = {{MOTE_SNAPSHOT_COLLIDERS, COLLIDER, 1}, /* the serial number of the first */
                 {MOTE_SNAPSHOT_COLLIDERS, COLLIDER, 9}, /* one that is still to come */
                 {MOTE_SNAPSHOT_COLLIDERS, COLLIDER + 1, MOTE_COLLIDER_KIND_COUNT},
                 {MOTE_SNAPSHOT_COLLIDERS, COLLIDER + 2, MOTE_RESPONSE_STICK}, /* nothing sticks */
                 {MOTE_SNAPSHOT_COLLIDERS, COLLIDER + 3, NOT_FINITE},          /* place of the def */
                 {MOTE_SNAPSHOT_COLLIDERS, COLLIDER + 17, NOT_FINITE},         /* where it comes from */
                 {MOTE_SNAPSHOT_COLLIDERS, COLLIDER + 24, NOT_FINITE},         /* where it goes to */
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER, 1},
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER, 9},
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER + 1, MOTE_EMITTER_SHAPE_COUNT},
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER + 46, NOT_FINITE},
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER + 53, NOT_FINITE},
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER + 64, MOTE_MAX_PARTICLES + 1}, /* births that wait */
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER + 68, 0x3ff00000},             /* 1 birth is due */
                 {MOTE_SNAPSHOT_EMITTERS, EMITTER + 68, 0xbff00000},
                 {MOTE_SNAPSHOT_FORCES, FORCE, 1},
                 {MOTE_SNAPSHOT_FORCES, FORCE, 9}};
    mote_system_def def = mote_default_system_def();
    def.lifetimes = true;
    mote_system *system = system_of(&def);
    unsigned char memory[16384];
    mote_snapshot_fault fault;
    size_t bytes;
    for (int i = 0; i < 2; i++) {
        const mote_collider_def ball = mote_sphere((float[3]){1, 2, 3}, 1);
        const mote_emitter_def jet = mote_default_emitter_def();
        mote_collider_id collider;
        mote_emitter_id emitter;
        OK(mote_system_add_collider(system, &ball, &collider));
        OK(mote_system_add_emitter(system, &jet, &emitter));
        add_force(system, mote_gravity((float[3]){0, -1, 0}));
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        test_case("row %zu", i);
        OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
        OK(restore_or_keep(system, memory, bytes, &fault));
        put_word(memory, wrong[i].part, 0, wrong[i].word, wrong[i].value);
        assert_int_equal(restore_or_keep(system, memory, bytes, &fault), MOTE_ERROR_FILE);
        assert_int_equal(fault.part, wrong[i].part);
        ASSERT(fault.index, ==, 1u);
    }
    mote_system_destroy(system);
}

/* What is born turns as before. */
TEST(emitters_that_spin_what_they_emit_are_restored) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 100, def.orientation = true;
    mote_emitter_def jet = mote_default_emitter_def();
    mote_emitter_id id;
    jet.rate = 600, jet.spin = (mote_spread){3, 4}, jet.spin_axis[0] = 1, jet.spin_axis[2] = 2;
    mote_system *a = system_of(&def), *b = system_of(&def);
    unsigned char memory[16384];
    mote_snapshot_fault fault;
    size_t bytes;
    OK(mote_system_add_emitter(a, &jet, &id));
    OK(mote_system_save(a, 0, memory, sizeof memory, &bytes));
    OK(restore_or_keep(b, memory, bytes, &fault));
    stepped(a, 1), stepped(b, 1);
    const mote_range_view of_a = mote_system_view(a), of_b = mote_system_view(b);
    ASSERT(of_a.count, ==, 10u);
    ASSERT(of_b.count, ==, 10u);
    for (uint32_t i = 0; i < of_a.count; i++) {
        ASSERT(of_a.angular_velocity.z[i], >=, 2.5f);
        ASSERT(of_b.angular_velocity.x[i], ==, of_a.angular_velocity.x[i]);
        ASSERT(of_b.angular_velocity.z[i], ==, of_a.angular_velocity.z[i]);
    }
    mote_system_destroy(a), mote_system_destroy(b);
}
