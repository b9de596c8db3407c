/* Snapshots of networks: of springs and islands that are not those of the network, and with a word that is
 * wrong. */
#include "test.h"

#include "base/archive.h"
#include "network_web.h"

enum { ISLANDS = 32, EACH = 4, SPRINGS_EACH = 3, SPARE = 8, PARTICLES = ISLANDS * EACH };

typedef struct picture {
    unsigned char memory[1 << 17];
    size_t bytes;
} picture;

static void save(mote_system *system, picture *to) {
    OK(mote_system_save(system, 0, to->memory, sizeof to->memory, &to->bytes));
}

/* 32 islands of one shape, two blocks across the lanes: the springs of particles 0 and 1, 0 and 2, 1 and 3.
 */
static mote_system *islands(mote_network_id *id) {
    static float positions[3 * PARTICLES];
    static mote_spring springs[SPRINGS_EACH * ISLANDS];
    static const uint32_t ends[SPRINGS_EACH][2] = {{0, 1}, {0, 2}, {1, 3}};
    mote_network_def def = mote_default_network_def();
    for (uint32_t i = 0; i < ISLANDS; i++) {
        for (uint32_t k = 0; k < EACH; k++)
            positions[3 * (EACH * i + k)] = (float)i, positions[3 * (EACH * i + k) + 1] = (float)k;
        for (uint32_t k = 0; k < SPRINGS_EACH; k++)
            springs[SPRINGS_EACH * i + k] =
                (mote_spring){EACH * i + ends[k][0], EACH * i + ends[k][1], 0.9f, 20, 0, 0};
    }
    def.particle_count = PARTICLES, def.positions = positions;
    def.springs = springs, def.spring_count = SPRINGS_EACH * ISLANDS;
    def.spring_capacity = def.spring_count + SPARE;
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    *id = add_network(system, &def);
    ASSERT(inside(system, *id)->block[0].interleaved + inside(system, *id)->block[1].interleaved, ==, 2);
    return system;
}

static void add(mote_system *system, mote_network_id id, uint32_t a, uint32_t b) {
    const mote_spring spring = {a, b, 1.1f, 30, 0, 0};
    uint32_t number;
    OK(mote_network_add_springs(system, id, 1, &spring, &number, NULL));
}

/* The same state, of which the next steps are the same. */
static void expect_alike(mote_system *a, mote_system *b) {
    ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
    OK(mote_system_step(a, 20, NULL));
    OK(mote_system_step(b, 20, NULL));
    ASSERT(mote_system_hash(a), ==, mote_system_hash(b));
}

/* Springs that went, that came within an island, and that came between two islands in the same lane of two
 * blocks, in a network whose springs are those of its def. */
TEST(blocks_across_lanes_take_springs_that_they_have_not_or_no_longer) {
    static picture p;
    for (uint32_t what = 0; what < 5; what++) {
        mote_network_id id, other;
        mote_system *system = islands(&id), *fresh = islands(&other);
        for (uint32_t number = 0; number < what % 3; number++)
            OK(mote_network_remove_springs(system, id, 1, &number, NULL));
        if (what == 4) OK(mote_network_remove_springs(system, id, 1, &(uint32_t){1}, NULL));
        if (what == 2) add(system, id, 2, 3);
        if (what == 3) add(system, id, 0, EACH * MOTE_GROUP);
        if (what == 0) add(system, id, 3, 2);
        OK(mote_system_step(system, 3, NULL));
        save(system, &p);
        test_case("change %u", what);
        OK(mote_system_restore(fresh, p.memory, p.bytes, NULL));
        expect_alike(system, fresh);
        mote_system_destroy(system), mote_system_destroy(fresh);
    }
}

/* Islands that a spring has joined, which is gone, come back where another spring has come and gone since. */
TEST(joined_islands_come_back_without_the_spring_that_joined_them) {
    static picture start, joined;
    const uint32_t last = SPRINGS_EACH * ISLANDS;
    mote_network_id id;
    mote_system *system = islands(&id);
    save(system, &start);
    add(system, id, 0, EACH);
    OK(mote_network_remove_springs(system, id, 1, &last, NULL));
    save(system, &joined);
    const uint64_t hash = mote_system_hash(system);
    OK(mote_system_restore(system, start.memory, start.bytes, NULL));
    ASSERT(mote_system_hash(system), !=, hash);
    add(system, id, 0, 1);
    OK(mote_network_remove_springs(system, id, 1, &last, NULL));
    ASSERT(mote_system_hash(system), !=, hash);
    OK(mote_system_restore(system, joined.memory, joined.bytes, NULL));
    ASSERT(mote_system_hash(system), ==, hash);
    const mote_network *n = inside(system, id);
    ASSERT(n->island[n->slot_of_particle[0]], ==, n->island[n->slot_of_particle[EACH]]);
    mote_system_destroy(system);
}

/* --- Damage --- */

enum { COUNTS, PINS, SPRINGS, REELS, TORN, ISLAND = MOTE_ARCHIVE_COLUMNS + 21 };

static unsigned char *section_of(picture *p, uint32_t column) {
    mote_snapshot_header header;
    memcpy(&header, p->memory, sizeof header);
    for (uint32_t i = 0; i < header.sections; i++) {
        mote_snapshot_section s;
        memcpy(&s, p->memory + sizeof header + i * sizeof s, sizeof s);
        if (s.part == MOTE_SNAPSHOT_NETWORK && s.column == column && s.bytes) return p->memory + s.offset;
    }
    fail_msg("no column %u", column);
    return NULL;
}

/* Two chains as constraints: with a pin, a reel on its way, a torn spring and one that was removed. */
static mote_system *damaged_scene(mote_network_id *id) {
    enum { CHAIN = 5 };
    float positions[3 * 2 * CHAIN] = {0};
    mote_spring springs[2 * (CHAIN - 1)];
    mote_network_def def = mote_default_network_def();
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * CHAIN; i++) {
        positions[3 * i] = (float)(i % CHAIN), positions[3 * i + 1] = (float)(i / CHAIN);
        if (i % CHAIN) springs[count++] = (mote_spring){i - 1, i, 1, 100, 0, 0};
    }
    springs[count - 1].rest_length = 0.5f, springs[count - 1].tear_strain = 0.01f;
    def.solver = MOTE_NETWORK_CONSTRAINED;
    def.particle_count = 2 * CHAIN, def.positions = positions, def.springs = springs,
    def.spring_count = count;
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    *id = add_network(system, &def);
    OK(mote_network_pin(system, *id, 0, positions, 0));
    OK(mote_network_reel(system, *id, 1, 2, (uint64_t)1 << 60, NULL));
    OK(mote_network_remove_springs(system, *id, 1, &(uint32_t){4}, NULL));
    OK(mote_system_step(system, 1, NULL));
    ASSERT(step_report(system, *id).torn, ==, 1u);
    return system;
}

TEST(a_word_of_a_network_that_cannot_be_is_refused) {
    static picture good, bad;
    mote_network_id id;
    mote_snapshot_fault fault;
    mote_system *system = damaged_scene(&id);
    const mote_network *n = inside(system, id);
    const float placed = MOTE_AS_PLACED;
    uint32_t masked = 0, as_placed;
    memcpy(&as_placed, &placed, sizeof placed);
    while (n->particle_of_slot[masked] != MOTE_NO_SLOT) masked++;
    const struct {
        uint32_t column, word, value;
        const char *parameter;
    } rows[] = {{SPRINGS, 0, masked, "spring"},
                {SPRINGS, 1, masked, "spring"},
                {SPRINGS, 2, as_placed, "spring"},
                {ISLAND, n->slot_of_particle[1], 1, "island"},
                {PINS, 0, masked, "slot"},
                {REELS, 0, n->spring_end, "slot"},
                {REELS, 0, 4, "slot"}, /* which is free */
                {TORN, 0, n->def.spring_capacity, "spring"}};
    save(system, &good);
    const uint64_t hash = mote_system_hash(system);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bad = good;
        mote_words_store(section_of(&bad, rows[i].column), rows[i].word, &rows[i].value, 1);
        test_case("row %zu", i);
        assert_int_equal(mote_system_restore(system, bad.memory, bad.bytes, &fault), MOTE_ERROR_FILE);
        ASSERT(fault.column, ==, rows[i].column);
        assert_string_equal(fault.parameter, rows[i].parameter);
        ASSERT(mote_system_hash(system), ==, hash);
    }
    OK(mote_system_restore(system, good.memory, good.bytes, &fault));
    ASSERT(mote_system_hash(system), ==, hash);
    mote_system_destroy(system);
}
