/* Strands as they are added: the layout of their columns, and memory. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "random_strands.h"

/* Cells of 1/1023 of the longest side of the box around all roots. */
static void cell_of(const strands *s, uint32_t strand, uint32_t cell[3]) {
    float low[3], size = 0;
    for (int axis = 0; axis < 3; axis++) {
        float high = low[axis] = position_of(s, 0, 0)[axis];
        for (uint32_t i = 0; i < s->def.strand_count; i++) {
            const float at = position_of(s, i, 0)[axis];
            low[axis] = fminf(low[axis], at), high = fmaxf(high, at);
        }
        size = fmaxf(size, high / 2 - low[axis] / 2);
    }
    for (int axis = 0; axis < 3; axis++)
        cell[axis] =
            size > 0 ? (uint32_t)((position_of(s, strand, 0)[axis] / 2 - low[axis] / 2) * (1023 / size)) : 0;
}

/* Longer strands come first; those of one length in Morton order: by the axis whose cells differ in the
 * highest bit, x before y before z; at last by their numbers. */
static bool comes_before(const strands *s, uint32_t a, uint32_t b) {
    uint32_t p[3], q[3], most = 0, by = 0;
    if (s->points[a] != s->points[b]) return s->points[a] > s->points[b];
    cell_of(s, a, p), cell_of(s, b, q);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint32_t differ = p[axis] ^ q[axis];
        if (most < differ && most < (most ^ differ)) most = differ, by = axis;
    }
    return p[by] == q[by] ? a < b : p[by] < q[by];
}

/* The slot of point 0 of a strand by the rule of the header: 16 strands to a group, each group as long as its
 * first. For any other number: how many slots there are. */
static uint32_t expected_slot(const strands *s, uint32_t strand) {
    static uint32_t order[MOST_STRANDS];
    uint32_t slots = 0, group = 0;
    const uint32_t count = s->def.strand_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && comes_before(s, i, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i % 16 == 0) group = slots, slots += 16 * s->points[order[i]];
        if (order[i] == strand) return group + i % 16;
    }
    return slots;
}

static float rest_of(const float *p, const float *q, float scale) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) sum += ((double)q[axis] - p[axis]) * ((double)q[axis] - p[axis]);
    return (float)(scale * sqrt(sum));
}

/* p: the place of a point and its segment when it is added; NULL: the slot belongs to none. */
static void check_slot(const mote_strands *b, uint32_t slot, const float *p, float inverse_mass, float rest) {
    for (int axis = 0; axis < 3; axis++) {
        ASSERT(b->range.x[axis][slot], ==, (p ? p[axis] : 0));
        ASSERT(b->rest_x[axis][slot], ==, (p ? p[axis] : 0));
        ASSERT(b->range.v[axis][slot], ==, 0);
        ASSERT(b->range.reaction[axis][slot], ==, 0);
        if (!p || axis) ASSERT(b->range.previous_x[axis][slot], ==, 0);
    }
    if (p) assert_true(isnan(b->range.previous_x[0][slot]));
    ASSERT(b->range.inverse_mass[slot], ==, inverse_mass);
    ASSERT(b->rest_length[slot], ==, rest);
}

static void check_strand(const strands *s, const mote_strands *b, uint32_t strand, unsigned char *used) {
    const uint32_t points = s->points[strand], lane = b->lane_of_strand[strand];
    const float inverse_mass = (float)(points / (double)s->mass[strand]), scale = s->rest_scale[strand];
    uint32_t slot = expected_slot(s, strand);
    for (uint32_t k = 0; k < points; k++, slot += 16) {
        const float *p = position_of(s, strand, k);
        assert_false(used[slot]);
        used[slot] = 1;
        check_slot(b, slot, p, k == 0 && !s->def.free_roots ? 0 : inverse_mass,
                   k + 1 < points ? rest_of(p, p + 3, scale) : 1);
    }
    ASSERT(b->strand_of_lane[lane], ==, strand);
    ASSERT(b->points[lane], ==, (int32_t)points);
    ASSERT(b->compliance[lane], ==, s->compliance[strand]);
    ASSERT(b->first_point[strand], ==, s->first[strand]);
    ASSERT(b->point_inverse_mass[lane], ==, inverse_mass);
    for (int axis = 0; axis < 3; axis++)
        ASSERT(b->root_rest[axis][lane], ==, position_of(s, strand, 0)[axis]);
}

static void check_lanes(const mote_strands *b) {
    for (uint32_t lane = 0; lane < b->lane_count; lane++) {
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) {
            ASSERT(b->root_from[i][lane], ==, (i == 6));
            ASSERT(b->root_to[i][lane], ==, (i == 6));
        }
        if (lane < b->strand_count) continue;
        ASSERT(b->strand_of_lane[lane], ==, MOTE_NO_SLOT);
        ASSERT(b->points[lane], ==, 0);
        ASSERT(b->compliance[lane], ==, 0);
    }
}

static void check_layout(const strands *s) {
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger);
    const mote_strands_id id = add_strands(system, s);
    const mote_strands *b = strands_inside(system, id);
    const mote_strands_view view = mote_strands_columns(system, id);
    ASSERT(view.strand_count, ==, s->def.strand_count);
    ASSERT(view.point_count, ==, s->first[s->def.strand_count]);
    ASSERT(view.slot_count, ==, expected_slot(s, MOTE_ALL_STRANDS));
    ASSERT(view.occupancy, ==, (float)view.point_count / (float)view.slot_count);
    unsigned char *used = calloc(view.slot_count, 1);
    for (uint32_t i = 0; i < s->def.strand_count; i++) {
        ASSERT(mote_strands_points(system, id, i), ==, s->points[i]);
        ASSERT(mote_strands_slot(system, id, i, s->points[i]), ==, MOTE_NO_SLOT);
        const uint32_t first = expected_slot(s, i);
        for (uint32_t k = 0; k < s->points[i]; k++)
            ASSERT(mote_strands_slot(system, id, i, k), ==, first + 16 * k);
        check_strand(s, b, i, used);
    }
    for (uint32_t slot = 0; slot < view.slot_count; slot++)
        if (!used[slot]) check_slot(b, slot, NULL, 0, 1);
    check_lanes(b);
    free(used);
    ASSERT(mote_strands_slot(system, id, s->def.strand_count, 0), ==, MOTE_NO_SLOT);
    ASSERT(mote_strands_slot(system, id, MOTE_ALL_STRANDS, 0), ==, MOTE_NO_SLOT);
    const float *const columns[] = {view.position.x, view.position.y, view.position.z,  view.velocity.x,
                                    view.velocity.y, view.velocity.z, view.inverse_mass};
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        ASSERT((uintptr_t)columns[i] % 64, ==, 0);
        assert_true(ledger_holds(&ledger, columns[i], view.slot_count * sizeof(float)));
    }
    mote_system_destroy(system);
    ASSERT(ledger.faults + ledger.live_bytes, ==, 0);
}

TEST(points_are_where_the_rule_of_the_layout_puts_them) {
    static const uint32_t counts[] = {1, 2, 15, 16, 17, 33, MOST_STRANDS};
    static strands s;
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (uint32_t longest = 2; longest <= LONGEST; longest += 17) {
            make_strands(&s, counts[i], longest, 10 * i + longest);
            s.def.free_roots = i % 2;
            check_layout(&s);
        }
}

TEST(one_value_for_all_strands_is_the_same_value_for_each) {
    static strands s;
    make_strands(&s, 19, 5, 3);
    for (uint32_t i = 0; i < 19; i++)
        s.points[i] = 5, s.mass[i] = 2, s.rest_scale[i] = 0.5f, s.compliance[i] = 0.25f;
    mote_system *each = make_system(NULL), *all = make_system(NULL);
    add_strands(each, &s);
    s.def.points = 5, s.def.mass = 2, s.def.rest_scale = 0.5f, s.def.compliance = 0.25f;
    s.def.strand_points = NULL;
    s.def.strand_mass = s.def.strand_rest_scale = s.def.strand_compliance = NULL;
    add_strands(all, &s);
    ASSERT(mote_system_hash(each), ==, mote_system_hash(all));
    mote_system_destroy(each);
    mote_system_destroy(all);
}

TEST(the_shortest_and_the_longest_strand_fit) {
    static float positions[3 * 1024];
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = 2, def.positions = positions;
    mote_system *system = make_system(NULL);
    mote_strands_id id;
    assert_int_equal(mote_system_add_strands(system, &def, &id, NULL), MOTE_OK);
    ASSERT(mote_strands_columns(system, id).occupancy, ==, 1.0f / 16);
    def.points = 1024;
    assert_int_equal(mote_system_add_strands(system, &def, &id, NULL), MOTE_OK);
    assert_int_equal(mote_strands_slot(system, id, 0, 1023), 16 * 1023);
    ASSERT(strands_inside(system, id)->rest_length[0], ==, 0);
    ASSERT(system->scratch_bytes, >=, mote_strand_scratch_floats(1024) * sizeof(float));
    mote_system_destroy(system);
}

/* The call fails for want of memory, or succeeds; where it failed nothing has changed, and it succeeds when
 * it is made again. */
#define TWICE(call)                                                                                          \
    do {                                                                                                     \
        const uint64_t hash_ = mote_system_hash(system), bytes_ = ledger.live_bytes;                         \
        const mote_result first_ = call;                                                                     \
        if (first_ == MOTE_OK) break;                                                                        \
        assert_int_equal(first_, MOTE_ERROR_MEMORY);                                                         \
        ASSERT(mote_system_hash(system), ==, hash_);                                                         \
        ASSERT(ledger.live_bytes, ==, bytes_);                                                               \
        assert_int_equal(call, MOTE_OK);                                                                     \
    } while (0)

/* Every allocation of adding and pinning fails once. */
TEST(an_allocation_that_fails_changes_nothing) {
    static strands s;
    make_strands(&s, 20, 9, 6);
    uint64_t failures = 0;
    for (uint64_t k = 1; k <= 7; k++) {
        memory_ledger ledger = {0};
        mote_system *system = make_system(&ledger);
        mote_strands_id id = {1, 1};
        ledger.fail_at = ledger.calls + k;
        TWICE(mote_system_add_strands(system, &s.def, &id, NULL));
        TWICE(mote_strands_pin(system, id, 3, 1, (float[3]){1, 2, 3}, 0));
        failures += ledger.failures;
        const uint64_t calls = ledger.calls;
        assert_int_equal(mote_strands_pin(system, id, 4, 1, (float[3]){1, 2, 3}, 0), MOTE_OK);
        assert_int_equal(mote_strands_reset(system, id, MOTE_ALL_STRANDS), MOTE_OK);
        assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
        ASSERT(ledger.calls, ==, calls);
        if (k % 2) assert_int_equal(mote_system_remove_strands(system, id), MOTE_OK);
        mote_system_destroy(system);
        ASSERT(ledger.faults + ledger.live_bytes, ==, 0);
    }
    ASSERT(failures, ==, 6); /* the object, its columns, the list, the scratch, the spans, the pins */
}
