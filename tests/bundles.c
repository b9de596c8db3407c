/* Bundles: layout, checks of what is handed in, memory and ids. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "bundle.h"

/* --- Layout --- */

/* Slots by the rule of the header, found by going through all strands for each length: 16 strands to a group,
 * longest first, each group as long as its longest. */
static uint32_t expected_slots(const strands *s) {
    uint32_t slots = 0, dealt = 0;
    for (uint32_t length = LONGEST; length >= 2; length--)
        for (uint32_t i = 0; i < s->def.strand_count; i++)
            if (s->points[i] == length && dealt++ % 16 == 0) slots += 16 * length;
    return slots;
}

/* The slot that the rule gives to point 0 of a strand. */
static uint32_t expected_slot(const strands *s, uint32_t strand) {
    uint32_t slots = 0, dealt = 0, group = 0;
    for (uint32_t length = LONGEST; length >= 2; length--)
        for (uint32_t i = 0; i < s->def.strand_count; i++) {
            if (s->points[i] != length) continue;
            if (dealt % 16 == 0) group = slots, slots += 16 * length;
            if (i == strand) return group + dealt % 16;
            dealt++;
        }
    return MOTE_NO_SLOT;
}

static float rest_of(const float *p, const float *q, float scale) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) sum += ((double)q[axis] - p[axis]) * ((double)q[axis] - p[axis]);
    return (float)(scale * sqrt(sum));
}

static void check_point(const strands *s, const mote_strands *b, uint32_t strand, uint32_t point,
                        uint32_t slot) {
    const float *p = position_of(s, strand, point);
    const uint32_t points = s->points[strand];
    for (int axis = 0; axis < 3; axis++) {
        ASSERT(b->x[axis][slot], ==, p[axis]);
        ASSERT(b->rest_x[axis][slot], ==, p[axis]);
        ASSERT(b->v[axis][slot], ==, 0);
        ASSERT(b->reaction[axis][slot], ==, 0);
    }
    assert_true(isnan(b->previous_x[0][slot]));
    bool pinned = point == 0 && !s->def.free_roots;
    ASSERT(b->inverse_mass[slot], ==, (pinned ? 0 : (float)(points / (double)s->mass[strand])));
    ASSERT(b->rest_length[slot], ==, (point + 1 < points ? rest_of(p, p + 3, s->rest_scale[strand]) : 1));
    ASSERT(b->bend_length[slot], ==, (point + 2 < points ? rest_of(p, p + 6, s->rest_scale[strand]) : 1));
}

static void check_masked(const mote_strands *b, uint32_t slot) {
    for (int axis = 0; axis < 3; axis++) {
        ASSERT(b->x[axis][slot], ==, 0);
        ASSERT(b->v[axis][slot], ==, 0);
        ASSERT(b->rest_x[axis][slot], ==, 0);
        ASSERT(b->reaction[axis][slot], ==, 0);
        ASSERT(b->previous_x[axis][slot], ==, 0);
    }
    ASSERT(b->inverse_mass[slot], ==, 0);
    ASSERT(b->rest_length[slot], ==, 1);
    ASSERT(b->bend_length[slot], ==, 1);
}

static void check_lanes(const strands *s, const mote_strands *b) {
    for (uint32_t lane = 0; lane < b->lane_count; lane++) {
        uint32_t strand = b->strand_of_lane[lane];
        ASSERT((strand == MOTE_NO_SLOT), ==, (lane >= s->def.strand_count));
        assert_int_equal(b->points[lane], strand == MOTE_NO_SLOT ? 0 : (int32_t)s->points[strand]);
        ASSERT(b->compliance[lane], ==, (strand == MOTE_NO_SLOT ? 0 : s->compliance[strand]));
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) {
            ASSERT(b->root_from[i][lane], ==, (i == 6));
            ASSERT(b->root_to[i][lane], ==, (i == 6));
        }
        if (strand == MOTE_NO_SLOT) continue;
        assert_int_equal(b->lane_of_strand[strand], lane);
        assert_int_equal(b->first_point[strand], s->first[strand]);
        ASSERT(b->point_inverse_mass[lane], ==, (float)(s->points[strand] / (double)s->mass[strand]));
        for (int axis = 0; axis < 3; axis++)
            ASSERT(b->root_rest[axis][lane], ==, position_of(s, strand, 0)[axis]);
    }
}

static void check_layout(const strands *s) {
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger);
    mote_strands_id id = add_strands(system, s);
    const mote_strands *b = inside(system, id);
    mote_strands_view view = mote_strands_columns(system, id);
    assert_int_equal(view.strand_count, s->def.strand_count);
    assert_int_equal(view.point_count, s->first[s->def.strand_count]);
    assert_int_equal(view.slot_count, expected_slots(s));
    ASSERT(view.occupancy, ==, (float)view.point_count / (float)view.slot_count);
    unsigned char *used = calloc(view.slot_count, 1);
    for (uint32_t i = 0; i < s->def.strand_count; i++) {
        assert_int_equal(mote_strands_points(system, id, i), s->points[i]);
        assert_int_equal(mote_strands_slot(system, id, i, s->points[i]), MOTE_NO_SLOT);
        for (uint32_t k = 0; k < s->points[i]; k++) {
            uint32_t slot = mote_strands_slot(system, id, i, k);
            assert_int_equal(slot, expected_slot(s, i) + 16 * k);
            ASSERT(slot, <, view.slot_count);
            assert_false(used[slot]);
            used[slot] = 1;
            check_point(s, b, i, k, slot);
        }
    }
    for (uint32_t slot = 0; slot < view.slot_count; slot++)
        if (!used[slot]) check_masked(b, slot);
    check_lanes(s, b);
    free(used);
    assert_int_equal(mote_strands_slot(system, id, s->def.strand_count, 0), MOTE_NO_SLOT);
    assert_int_equal(mote_strands_slot(system, id, MOTE_ALL_STRANDS, 0), MOTE_NO_SLOT);
    const float *const columns[] = {view.position.x, view.position.y, view.position.z,  view.velocity.x,
                                    view.velocity.y, view.velocity.z, view.inverse_mass};
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        assert_int_equal((uintptr_t)columns[i] % 64, 0);
        assert_true(ledger_holds(&ledger, columns[i], view.slot_count * sizeof(float)));
    }
    mote_system_destroy(system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

TEST(layout) {
    static const uint32_t counts[] = {1, 2, 15, 16, 17, 33, MOST_STRANDS};
    static strands s;
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (uint32_t longest = 2; longest <= LONGEST; longest += 17) {
            make_strands(&s, counts[i], longest, 10 * i + longest);
            s.def.free_roots = i % 2;
            check_layout(&s);
        }
}

/* Where a def gives one value for all, the columns are those of the same values given one by one. */
TEST(one_for_all) {
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

/* The largest and the smallest strands that there are; a strand of no length. */
TEST(extremes) {
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
    ASSERT(inside(system, id)->rest_length[0], ==, 0);
    ASSERT(system->strand_scratch_bytes, >=, mote_strand_scratch_floats(1024) * sizeof(float));
    mote_system_destroy(system);
}

/* --- Bad input --- */

/* Refused with the code and the fault; nothing is allocated or changed. */
static void refuse(const mote_strands_def *def, mote_result want, uint32_t strand, uint32_t point) {
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger);
    mote_strands_id id = {5, 5};
    mote_strands_fault fault = {77, 77};
    uint64_t hash = mote_system_hash(system), bytes = ledger.live_bytes;
    assert_int_equal(mote_system_add_strands(system, def, &id, &fault), want);
    ASSERT(id.index, ==, 0);
    ASSERT(id.generation, ==, 0);
    assert_int_equal(fault.strand, strand);
    assert_int_equal(fault.point, point);
    assert_int_equal(mote_system_add_strands(system, def, &id, NULL), want);
    ASSERT(mote_system_hash(system), ==, hash);
    ASSERT(ledger.live_bytes, ==, bytes);
    ASSERT(system->strands_count, ==, 0);
    mote_system_destroy(system);
    assert_int_equal(ledger.faults, 0);
}

static void refuse_setting(const strands *s, size_t offset, float value, mote_result want) {
    mote_strands_def def = s->def;
    memcpy((unsigned char *)&def + offset, &value, sizeof value);
    refuse(&def, want, MOTE_ALL_STRANDS, 0);
}

TEST(bad_settings) {
    static strands s;
    make_strands(&s, 17, 9, 1);
    s.def.strand_mass = s.def.strand_rest_scale = s.def.strand_compliance = NULL;
    s.def.compliance = 0.5f;
#define AT(field) offsetof(mote_strands_def, field)
    const size_t not_negative[] = {
        AT(compliance),           AT(damping),     AT(bend_stiffness),  AT(bend_damping), AT(pose_stiffness),
        AT(local_pose_stiffness), AT(normal_drag), AT(tangential_drag), AT(radius),       AT(friction)};
    const size_t positive[] = {AT(mass), AT(rest_scale), AT(max_stretch)};
    for (size_t i = 0; i < COUNT_OF(not_negative); i++) {
        refuse_setting(&s, not_negative[i], -0x1p-149f, MOTE_ERROR_RANGE);
        refuse_setting(&s, not_negative[i], NAN, MOTE_ERROR_NOT_FINITE);
        refuse_setting(&s, not_negative[i], INFINITY, MOTE_ERROR_NOT_FINITE);
    }
    for (size_t i = 0; i < COUNT_OF(positive); i++) {
        refuse_setting(&s, positive[i], 0, MOTE_ERROR_RANGE);
        refuse_setting(&s, positive[i], -1, MOTE_ERROR_RANGE);
        refuse_setting(&s, positive[i], NAN, MOTE_ERROR_NOT_FINITE);
    }
    for (size_t axis = 0; axis < 3; axis++)
        refuse_setting(&s, AT(air_velocity) + axis * sizeof(float), -INFINITY, MOTE_ERROR_NOT_FINITE);
    refuse_setting(&s, AT(bend_stiffness), 0x1p-140f, MOTE_ERROR_RANGE); /* 1 / k is infinite */
#undef AT
    mote_strands_def def = s.def;
    def.max_iterations = 0;
    refuse(&def, MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0);
    def.max_iterations = 33;
    refuse(&def, MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0);
    def = s.def, def.cookie++;
    refuse(&def, MOTE_ERROR_DEF, MOTE_ALL_STRANDS, 0);
    def = s.def, def.solver = MOTE_STRAND_SOLVER_COUNT;
    refuse(&def, MOTE_ERROR_ENUM, MOTE_ALL_STRANDS, 0);
    def.solver = (mote_strand_solver)-1;
    refuse(&def, MOTE_ERROR_ENUM, MOTE_ALL_STRANDS, 0);
    def = s.def, def.positions = NULL;
    refuse(&def, MOTE_ERROR_NULL, MOTE_ALL_STRANDS, 0);
}

TEST(bad_solvers) {
    static strands s;
    make_strands(&s, 17, 9, 2);
    mote_strands_def def = s.def;
    def.solver = MOTE_STRAND_SPRINGS;
    s.compliance[4] = 0;
    refuse(&def, MOTE_ERROR_RANGE, 4, 0);
    s.compliance[4] = 0x1p-140f; /* 1 / compliance is infinite */
    refuse(&def, MOTE_ERROR_RANGE, 4, 0);
    def.strand_compliance = NULL;
    refuse(&def, MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0);
    def.solver = MOTE_STRAND_CONSERVING;
    refuse(&def, MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0); /* it bends */
    def.bend_stiffness = 0, def.compliance = 0.1f;
    refuse(&def, MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0);
    def.strand_compliance = s.compliance;
    memset(s.compliance, 0, sizeof s.compliance);
    s.compliance[9] = 0.1f;
    refuse(&def, MOTE_ERROR_RANGE, 9, 0);
    s.compliance[9] = 0;
    def.damping = def.radius = 1;
    mote_system *system = make_system(NULL);
    mote_strands_id id;
    assert_int_equal(mote_system_add_strands(system, &def, &id, NULL), MOTE_OK);
    mote_system_destroy(system);
}

TEST(bad_strands) {
    static const struct {
        float value;
        mote_result mass, rest_scale, compliance;
    } rows[] = {{NAN, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE},
                {INFINITY, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE},
                {-1, MOTE_ERROR_RANGE, MOTE_ERROR_RANGE, MOTE_ERROR_RANGE},
                {0, MOTE_ERROR_RANGE, MOTE_ERROR_RANGE, MOTE_OK},
                {0x1p-140f, MOTE_ERROR_RANGE, MOTE_OK, MOTE_OK}};
    static strands s;
    make_strands(&s, 17, 9, 4);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        float *const arrays[] = {s.mass, s.rest_scale, s.compliance};
        const mote_result want[] = {rows[i].mass, rows[i].rest_scale, rows[i].compliance};
        for (int k = 0; k < 3; k++) {
            float saved = arrays[k][16];
            arrays[k][16] = rows[i].value;
            if (want[k]) refuse(&s.def, want[k], 16, 0);
            arrays[k][16] = saved;
        }
    }
    static const uint32_t lengths[] = {0, 1, 1025, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        uint32_t saved = s.points[7];
        s.points[7] = lengths[i];
        refuse(&s.def, MOTE_ERROR_RANGE, 7, 0);
        s.points[7] = saved;
        mote_strands_def def = s.def;
        def.strand_points = NULL, def.points = lengths[i];
        refuse(&def, MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0);
    }
    mote_strands_def def = s.def;
    def.strand_count = 0;
    refuse(&def, MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0);
    /* Sizes are known before an array is read. */
    def.strand_count = UINT32_MAX, def.strand_points = NULL, def.points = 1024;
    refuse(&def, MOTE_ERROR_OVERFLOW, MOTE_ALL_STRANDS, 0);
}

TEST(bad_positions) {
    static strands s;
    make_strands(&s, 17, 9, 5);
    for (uint32_t i = 0; i < 17; i++) s.points[i] = 4;
    for (uint32_t at = 0; at < 3 * 17 * 4; at++) {
        float saved = s.positions[at];
        s.positions[at] = at % 2 ? NAN : INFINITY;
        refuse(&s.def, MOTE_ERROR_NOT_FINITE, at / 12, at / 3 % 4);
        s.positions[at] = saved;
    }
    float *p = s.positions + 3 * (4 * 5 + 1); /* point 1 of strand 5 */
    p[0] = -FLT_MAX / 2, p[3] = FLT_MAX / 2;
    s.rest_scale[5] = 1.5f;
    refuse(&s.def, MOTE_ERROR_RANGE, 5, 1);
    /* Each segment fits, two together do not: only a bundle that bends has such a length. */
    p[0] = 0, p[3] = FLT_MAX / 2, p[-3] = -FLT_MAX / 2;
    refuse(&s.def, MOTE_ERROR_RANGE, 5, 0);
    s.def.bend_stiffness = 0;
    mote_system *system = make_system(NULL);
    add_strands(system, &s);
    /* From the end of one strand to the root of the next nothing is measured. */
    make_strands(&s, 2, 9, 5);
    for (uint32_t k = 0; k < s.first[2]; k++) s.positions[3 * k] = k < s.first[1] ? -FLT_MAX : FLT_MAX;
    add_strands(system, &s);
    mote_system_destroy(system);
}

/* --- Memory --- */

/* Every allocation of adding and pinning fails once: nothing changes, and the call succeeds when it is made
 * again. */
TEST(failing_allocations) {
    static strands s;
    make_strands(&s, 20, 9, 6);
    uint64_t failures = 0;
    for (uint64_t k = 1; k <= 5; k++) {
        memory_ledger ledger = {0};
        mote_system *system = make_system(&ledger);
        mote_strands_id id = {1, 1};
        uint64_t hash = mote_system_hash(system), bytes = ledger.live_bytes;
        ledger.fail_at = ledger.calls + k;
        mote_result result = mote_system_add_strands(system, &s.def, &id, NULL);
        if (result) {
            assert_int_equal(result, MOTE_ERROR_MEMORY);
            ASSERT(id.index, ==, 0);
            ASSERT(mote_system_hash(system), ==, hash);
            ASSERT(ledger.live_bytes, ==, bytes);
            id = add_strands(system, &s);
        }
        hash = mote_system_hash(system), bytes = ledger.live_bytes;
        result = mote_strands_pin(system, id, 3, 1, (vec3){1, 2, 3}, 0);
        if (result) {
            assert_int_equal(result, MOTE_ERROR_MEMORY);
            ASSERT(mote_system_hash(system), ==, hash);
            ASSERT(ledger.live_bytes, ==, bytes);
            assert_int_equal(mote_strands_pin(system, id, 3, 1, (vec3){1, 2, 3}, 0), MOTE_OK);
        }
        failures += ledger.failures;
        uint64_t calls = ledger.calls;
        assert_int_equal(mote_strands_pin(system, id, 4, 1, (vec3){1, 2, 3}, 0), MOTE_OK);
        assert_int_equal(mote_strands_reset(system, id, MOTE_ALL_STRANDS), MOTE_OK);
        assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
        assert_int_equal(ledger.calls, calls);
        if (k % 2) assert_int_equal(mote_system_remove_strands(system, id), MOTE_OK);
        mote_system_destroy(system);
        ASSERT(ledger.faults, ==, 0);
        ASSERT(ledger.live_bytes, ==, 0);
    }
    assert_int_equal(failures, 4); /* the bundle, its columns, the scratch, the pins */
}

/* --- Ids --- */

/* The name of no bundle is refused by every call. */
static void refuse_id(mote_system *system, mote_strands_id id) {
    mote_transform transform = MOTE_TRANSFORM_IDENTITY;
    mote_strand_step_report report;
    mote_strands_step_report statistics;
    float impulse[3];
    const mote_result results[] = {mote_system_remove_strands(system, id),
                                   mote_strands_set_roots(system, id, &transform, 1, 0),
                                   mote_strands_set_root(system, id, 0, &transform, 0),
                                   mote_strands_reset(system, id, 0),
                                   mote_strands_pin(system, id, 0, 1, (vec3){0, 0, 0}, 0),
                                   mote_strands_unpin(system, id, 0, 1),
                                   mote_strands_set_air(system, id, (vec3){0, 0, 0}),
                                   mote_strands_reaction(system, id, 0, 0, impulse),
                                   mote_strands_report_of(system, id, 0, &report),
                                   mote_strands_report(system, id, &statistics)};
    uint64_t hash = mote_system_hash(system);
    for (size_t i = 0; i < COUNT_OF(results); i++) assert_int_equal(results[i], MOTE_ERROR_ID);
    ASSERT(mote_system_hash(system), ==, hash);
    assert_null(mote_strands_columns(system, id).position.x);
    assert_int_equal(mote_strands_points(system, id, 0), 0);
    assert_int_equal(mote_strands_slot(system, id, 0, 0), MOTE_NO_SLOT);
}

TEST(ids) {
    static strands s;
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger), *other = make_system(NULL);
    mote_strands_id id[MOTE_MAX_STRANDS_OBJECTS], extra;
    for (uint32_t i = 0; i < MOTE_MAX_STRANDS_OBJECTS; i++) {
        make_strands(&s, 1 + i % 20, 5, i);
        id[i] = add_strands(system, &s);
        assert_int_equal(mote_strands_columns(system, id[i]).strand_count, 1 + i % 20);
    }
    mote_strands_id foreign = add_strands(other, &s);
    assert_int_equal(mote_system_add_strands(system, &s.def, &extra, NULL), MOTE_ERROR_CAPACITY);
    refuse_id(system, (mote_strands_id){0, 0});
    refuse_id(system, foreign);
    refuse_id(other, id[0]);
    for (uint32_t i = 0; i < MOTE_MAX_STRANDS_OBJECTS; i += 3) {
        assert_int_equal(mote_system_remove_strands(system, id[i]), MOTE_OK);
        refuse_id(system, id[i]);
    }
    for (uint32_t i = 0; i < MOTE_MAX_STRANDS_OBJECTS; i++)
        assert_int_equal(mote_strands_columns(system, id[i]).strand_count, i % 3 ? 1 + i % 20 : 0);
    for (uint32_t i = 0; i < MOTE_MAX_STRANDS_OBJECTS; i += 3) {
        mote_strands_id again = add_strands(system, &s);
        refuse_id(system, id[i]);
        for (uint32_t k = 0; k < MOTE_MAX_STRANDS_OBJECTS; k++) ASSERT(again.index, !=, id[k].index);
        id[i] = again;
    }
    assert_int_equal(mote_system_add_strands(system, &s.def, &extra, NULL), MOTE_ERROR_CAPACITY);
    assert_int_equal(mote_system_remove_strands(NULL, id[0]), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_add_strands(NULL, &s.def, &extra, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_add_strands(system, NULL, &extra, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_add_strands(system, &s.def, NULL, NULL), MOTE_ERROR_NULL);
    mote_system_destroy(system);
    mote_system_destroy(other);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}
