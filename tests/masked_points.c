/* Snapshots of strands whose slots without a point hold something: it is no part of the state, so that it is
 * refused or nothing comes of it, neither in the hash nor in a step. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

/* Three strands in one group of lanes: 13 lanes and the ends of two have no points. */
enum { STRANDS = 3, LONGEST = 9, POINTS = 17, SLOTS = 16 * LONGEST, MOST = 1 << 16, MOST_COLUMNS = 48 };
static const uint32_t lengths[STRANDS] = {LONGEST, 5, 3};

typedef struct scene {
    mote_system *system;
    mote_strands_id id;
    bool masked[SLOTS];
} scene;

typedef enum strands_kind { ROPES, SPRINGS, BENT, TWISTED, RUBBING, KINDS } strands_kind;

static const char *kind_name(uint32_t kind) {
    static const char *const names[KINDS] = {"ropes", "springs", "bent rods", "twisted rods", "rubbing rods"};
    return names[kind];
}

static scene make_scene(strands_kind kind) {
    float places[POINTS][3];
    scene s;
    uint32_t at = 0;
    for (uint32_t i = 0; i < STRANDS; i++)
        for (uint32_t k = 0; k < lengths[i]; k++, at++) {
            places[at][0] = 0.08f * (float)k, places[at][1] = 0;
            places[at][2] = 0.1f * (float)i + 0.01f * (float)(k * k);
        }
    mote_system_def settings = mote_default_system_def();
    mote_strands_def def = mote_default_strands_def();
    settings.capacity = 0;
    s.system = system_of(&settings);
    add_force(s.system, mote_gravity((const float[3]){0, -9.81f, 0}));
    def.strand_count = STRANDS, def.strand_points = lengths, def.positions = places[0];
    if (kind == SPRINGS) def.solver = MOTE_STRAND_SPRINGS, def.compliance = 0.01f;
    if (kind >= BENT) def.bending_stiffness = 1e-4f;
    if (kind >= TWISTED) def.twisting_stiffness = 1e-4f;
    if (kind == RUBBING) {
        const mote_collider_def ball = mote_sphere((const float[3]){0.3f, -0.3f, 0}, 0.2f);
        mote_collider_id id;
        def.friction = 0.5f;
        OK(mote_system_add_collider(s.system, &ball, &id));
    }
    OK(mote_system_add_strands(s.system, &def, &s.id, NULL));
    ASSERT(mote_strands_columns(s.system, s.id).slot_count, ==, SLOTS);
    memset(s.masked, true, sizeof s.masked);
    for (uint32_t i = 0; i < STRANDS; i++)
        for (uint32_t k = 0; k < lengths[i]; k++) s.masked[mote_strands_slot(s.system, s.id, i, k)] = false;
    return s;
}

typedef struct picture {
    unsigned char memory[MOST];
    size_t bytes;
    uint64_t hash;
} picture;

static void take_picture(const scene *s, picture *p) {
    OK(mote_system_save(s->system, 0, p->memory, sizeof p->memory, &p->bytes));
    p->hash = mote_system_hash(s->system);
}

/* The sections of the strands that have a float for each slot. Returns their number. */
static uint32_t find_columns(const picture *p, mote_snapshot_section columns[MOST_COLUMNS]) {
    mote_snapshot_header header;
    uint32_t count = 0;
    memcpy(&header, p->memory, sizeof header);
    for (uint32_t i = 0; i < header.sections; i++) {
        mote_snapshot_section section;
        memcpy(&section, p->memory + sizeof header + i * sizeof section, sizeof section);
        const bool by_slot = section.column >= 16 && section.bytes == SLOTS * sizeof(float);
        if (section.part != MOTE_SNAPSHOT_STRANDS || !by_slot) continue;
        ASSERT(count, <, MOST_COLUMNS);
        columns[count++] = section;
    }
    return count;
}

static unsigned char *slot_in(unsigned char *memory, const mote_snapshot_section *column, uint32_t slot) {
    return memory + column->offset + slot * sizeof(float);
}

/* Columns whose slots without a point a restore leaves as they are: places before the step, low parts of
 * places, and reactions, none of which need be 0 there. */
static bool is_kept(uint32_t column) {
    return (column >= 22 && column < 25) || (column >= 28 && column < 31) || (column >= 43 && column < 46);
}

TEST_EACH(slots_without_a_point_are_0_in_every_snapshot, KINDS, kind_name, kind) {
    static picture now;
    const scene s = make_scene((strands_kind)kind);
    const mote_transform to = {{1, 2, 3}, {0.3f, 0.1f, -0.2f, 0.9f}};
    mote_snapshot_section column[MOST_COLUMNS];
    for (int step = 0; step < 12; step++) {
        if (step == 4) OK(mote_strands_set_roots(s.system, s.id, &to, 1, MOTE_NEXT_ADVANCE));
        if (step == 8) OK(mote_strands_reset(s.system, s.id, MOTE_ALL_STRANDS));
        take_picture(&s, &now);
        const uint32_t columns = find_columns(&now, column);
        ASSERT(columns, >=, 12u);
        for (uint32_t slot = 0; slot < columns * SLOTS; slot++) {
            const float zero = 0;
            test_case("step %d, column %u, slot %u", step, column[slot / SLOTS].column, slot % SLOTS);
            if (s.masked[slot % SLOTS] && !is_kept(column[slot / SLOTS].column))
                assert_memory_equal(slot_in(now.memory, &column[slot / SLOTS], slot % SLOTS), &zero,
                                    sizeof zero);
        }
        stepped(s.system, 1);
    }
    mote_system_destroy(s.system);
}

/* --- Damage --- */

static void expect_picture(const scene *s, const picture *want, bool bytes) {
    static picture got;
    take_picture(s, &got);
    ASSERT(got.hash, ==, want->hash);
    ASSERT(got.bytes, ==, want->bytes);
    if (bytes) assert_memory_equal(got.memory, want->memory, want->bytes);
}

TEST_EACH(what_stands_in_slots_without_a_point_is_no_state, KINDS, kind_name, kind) {
    static const float values[] = {NAN, 1e30f, 7.5f};
    static picture now, next, damaged;
    const scene s = make_scene((strands_kind)kind);
    mote_snapshot_section column[MOST_COLUMNS];
    stepped(s.system, 20);
    take_picture(&s, &now);
    stepped(s.system, 1);
    take_picture(&s, &next);
    const uint32_t columns = find_columns(&now, column);
    for (uint32_t i = 0; i < columns * COUNT_OF(values); i++)
        for (uint32_t one = 0; one <= SLOTS; one++) { /* each slot by itself, in turn, then all at once */
            const mote_snapshot_section *in = &column[i / COUNT_OF(values)];
            if (one < SLOTS && (!s.masked[one] || (one + i) % 5)) continue;
            damaged = now;
            for (uint32_t slot = 0; slot < SLOTS; slot++)
                if (s.masked[slot] && (slot == one || one == SLOTS))
                    memcpy(slot_in(damaged.memory, in, slot), &values[i % COUNT_OF(values)], sizeof(float));
            test_case("column %u, value %u, slot %u", in->column, (unsigned)(i % COUNT_OF(values)), one);
            if (mote_system_restore(s.system, damaged.memory, damaged.bytes, NULL)) continue;
            expect_picture(&s, &now, !is_kept(in->column));
            stepped(s.system, 1);
            expect_picture(&s, &next, !is_kept(in->column));
        }
    mote_system_destroy(s.system);
}
