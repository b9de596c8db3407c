/* Hair models resampled by arc length. */
#define _DEFAULT_SOURCE
#include <fenv.h>
#include <math.h>
#include "test.h"

#include "base/hash.h"
#include "hair_files.h"

static mote_hair *resample_to(const mote_hair *hair, uint32_t points) {
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.points = points;
    mote_hair *made = NULL;
    mote_hair_error where;
    assert_int_equal(mote_hair_resample(hair, &def, &made, &where), MOTE_OK);
    assert_int_equal(mote_hair_check(made, &where), MOTE_OK);
    return made;
}

/* One strand of the host's. */
static mote_hair strand_of(float (*points)[3], uint32_t count) {
    mote_hair hair = mote_default_hair();
    hair.strand_count = 1;
    hair.point_count = count;
    hair.default_segments = count - 1;
    hair.points = points;
    return hair;
}

/* Places and attributes are whole numbers below 2^8 and, between the ends, not 0: a few roundings in double,
 * some 2^-44, are less than half an ulp of the smallest, 1, so all must come out exactly. */
TEST(a_straight_strand_is_divided_exactly) {
    float points[4][3] = {{0, 1, 16}, {2, 1, 18}, {16, 1, 32}, {64, 1, 80}}; /* along (1, 0, 1) */
    float thickness[4], transparency[4], colours[4][3];
    for (int i = 0; i < 4; i++) {
        thickness[i] = 3 * points[i][0] + 5;
        transparency[i] = 70 - points[i][0];
        for (int c = 0; c < 3; c++) colours[i][c] = points[i][0] * (float)(c + 1);
    }
    mote_hair hair = strand_of(points, 4);
    hair.thickness = thickness, hair.transparency = transparency, hair.colours = colours;
    strcpy(hair.text, "straight");
    hair.default_thickness = 4;
    static const uint32_t counts[] = {2, 3, 5, 17, 33, 65};
    for (size_t n = 0; n < COUNT_OF(counts); n++) {
        mote_hair *made = resample_to(&hair, counts[n]);
        assert_int_equal(made->strand_count, 1);
        assert_int_equal(made->point_count, counts[n]);
        assert_int_equal(made->default_segments, counts[n] - 1);
        assert_null(made->strand_points);
        assert_string_equal(made->text, "straight");
        ASSERT(made->default_thickness, ==, 4);
        for (uint32_t j = 0; j < counts[n]; j++) {
            const float x = 64.0f / (float)(counts[n] - 1) * (float)j;
            ASSERT(made->points[j][0], ==, x);
            ASSERT(made->points[j][1], ==, 1);
            ASSERT(made->points[j][2], ==, x + 16);
            ASSERT(made->thickness[j], ==, 3 * x + 5);
            ASSERT(made->transparency[j], ==, 70 - x);
            for (int c = 0; c < 3; c++) ASSERT(made->colours[j][c], ==, x * (float)(c + 1));
        }
        mote_hair_destroy(made);
    }
}

/* Stairs along x, y and z in turn, all upwards from 0: the arc length of a place on them is the sum of its
 * coordinates. */
static void make_stairs(float (*points)[3], uint32_t count, random_source *random) {
    for (int axis = 0; axis < 3; axis++) points[0][axis] = 0;
    for (uint32_t i = 1; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) points[i][axis] = points[i - 1][axis];
        points[i][i % 3] += random_between(random, 0.01f, 1.0f);
    }
}

static double stair_length(const float point[3]) { return (double)point[0] + point[1] + point[2]; }

/* A coordinate is rounded once to float, by 2^-25 of the next power of two above it, so by 2^-24 of it at
 * most: the sum of three by 2^-24 of itself. Sums of `count` lengths in double are off by count x 2^-52 of
 * it. */
TEST(a_bent_strand_has_its_points_at_equal_arc_lengths) {
    enum { COUNT = 200 };
    float points[COUNT][3];
    random_source random = {1};
    make_stairs(points, COUNT, &random);
    const double length = stair_length(points[COUNT - 1]);
    const double tolerance = length * (0x1p-24 + COUNT * 0x1p-52);
    mote_hair hair = strand_of(points, COUNT);
    for (uint32_t n = 2; n <= 1024; n = n * 5 / 3 + (n == 902 ? 22 : 1)) {
        mote_hair *made = resample_to(&hair, n);
        uint32_t segment = 0;
        for (uint32_t j = 0; j < n; j++) {
            const float *at = made->points[j];
            const double arc = stair_length(at), wanted = length * j / (n - 1);
            ASSERT_NEAR(arc, wanted, tolerance);
            while (segment + 2 < COUNT && stair_length(points[segment + 1]) < arc) segment++;
            for (uint32_t axis = 0; axis < 3; axis++) /* the two other coordinates are those of the stair */
                if (axis != (segment + 1) % 3) ASSERT_NEAR(at[axis], points[segment][axis], tolerance);
        }
        assert_memory_equal(made->points[0], points[0], sizeof points[0]);
        assert_memory_equal(made->points[n - 1], points[COUNT - 1], sizeof points[0]);
        mote_hair_destroy(made);
    }
}

TEST(ends_are_copied_bit_for_bit) {
    random_source random = {2};
    mote_hair hair = make_hair(&random, HAS_ALL, 50, 40);
    hair.points[0][1] = hair.thickness[0] = -0.0f; /* -0 x 1 + 1 x 0 is +0 */
    hair.points[1][1] = hair.thickness[1] = 1;
    hair.points[hair.strand_points[0] - 1][1] = hair.thickness[hair.strand_points[0] - 1] = -0.0f;
    uint32_t first = 0, last = 0;
    mote_hair *made = resample_to(&hair, 7);
    for (uint32_t strand = 0; strand < hair.strand_count; strand++, first = last + 1) {
        last = first + hair.strand_points[strand] - 1;
        const uint32_t from[2] = {first, last}, to[2] = {strand * 7, strand * 7 + 6};
        for (int end = 0; end < 2; end++) {
            assert_memory_equal(made->points[to[end]], hair.points[from[end]], 12);
            assert_memory_equal(made->colours[to[end]], hair.colours[from[end]], 12);
            assert_memory_equal(made->thickness + to[end], hair.thickness + from[end], 4);
            assert_memory_equal(made->transparency + to[end], hair.transparency + from[end], 4);
        }
    }
    mote_hair_destroy(made);
    free_hair(&hair);
}

TEST(segments_without_length_change_nothing) {
    enum { COUNT = 9 };
    float points[COUNT][3], repeated[3 * COUNT][3];
    random_source random = {3};
    make_stairs(points, COUNT, &random);
    for (int i = 0; i < 3 * COUNT; i++) memcpy(repeated[i], points[i / 3], sizeof points[0]);
    mote_hair hair = strand_of(points, COUNT), thrice = strand_of(repeated, 3 * COUNT);
    mote_hair *one = resample_to(&hair, 50), *three = resample_to(&thrice, 50);
    assert_memory_equal(one->points, three->points, 50 * sizeof *one->points);
    mote_hair_destroy(one);
    mote_hair_destroy(three);
}

TEST(a_strand_without_length_stays_where_it_is) {
    float points[3][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, thickness[3] = {4, 5, 6};
    mote_hair hair = strand_of(points, 3);
    hair.thickness = thickness;
    mote_hair *made = resample_to(&hair, 6);
    for (int j = 0; j < 6; j++) {
        assert_memory_equal(made->points[j], points[0], sizeof points[0]);
        ASSERT(made->thickness[j], ==, (j < 5 ? 4 : 6));
    }
    mote_hair_destroy(made);
}

TEST(a_strands_bits_do_not_depend_on_its_neighbours) {
    random_source random = {4};
    mote_hair hair = make_hair(&random, HAS_ALL, 40, 30);
    mote_hair *all = resample_to(&hair, 20);
    for (uint32_t strand = 0, first = 0; strand < 40; first += hair.strand_points[strand++]) {
        mote_hair single = strand_of(hair.points + first, hair.strand_points[strand]);
        single.thickness = hair.thickness + first;
        single.colours = hair.colours + first;
        mote_hair *uncoupled = resample_to(&single, 20);
        assert_memory_equal(uncoupled->points, all->points + strand * 20, 20 * sizeof *all->points);
        assert_memory_equal(uncoupled->colours, all->colours + strand * 20, 20 * sizeof *all->colours);
        assert_memory_equal(uncoupled->thickness, all->thickness + strand * 20, 20 * sizeof *all->thickness);
        mote_hair_destroy(uncoupled);
    }
    mote_hair_destroy(all);
    free_hair(&hair);
}

/* Segments of 0.25, within the limits of 3 and 17 points. */
TEST(lengths_give_the_nearest_number_of_segments) {
    static const struct {
        float length;
        uint32_t points;
    } rows[] = {{0, 3},      {1, 5},       {2, 9},  {0.624f, 3}, {0.625f, 4}, {0.874f, 4},
                {0.875f, 5}, {3.875f, 17}, {4, 17}, {100, 17},   {3e38f, 17}};
    enum { STRANDS = COUNT_OF(rows) };
    float points[2 * STRANDS][3] = {{0}};
    uint32_t total = 0;
    for (int i = 0; i < STRANDS; i++) points[2 * i + 1][1] = rows[i].length;
    mote_hair hair = strand_of(points, 2 * STRANDS), *made;
    hair.strand_count = STRANDS;
    hair.default_segments = 1;
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.segment_length = 0.25f, def.min_points = 3, def.max_points = 17;
    assert_int_equal(mote_hair_resample(&hair, &def, &made, NULL), MOTE_OK);
    assert_non_null(made->strand_points);
    for (int i = 0; i < STRANDS; i++) {
        test_case("row %d", i);
        ASSERT(made->strand_points[i], ==, rows[i].points);
        ASSERT(made->points[total][1], ==, 0);
        total += rows[i].points;
        ASSERT(made->points[total - 1][1], ==, rows[i].length);
    }
    ASSERT(made->point_count, ==, total);
    ASSERT(made->default_segments, ==, 1);
    assert_int_equal(mote_hair_check(made, NULL), MOTE_OK);
    mote_hair_destroy(made);
}

/* Made once by gcc -O3 on x86-64; every compiler, optimisation level and rounding mode of the host has to
 * agree. */
TEST(resampling_has_the_same_bits_everywhere) {
    random_source random = {5};
    mote_hair hair = make_hair(&random, HAS_ALL, 100, 60);
    for (int mode = 0; mode < 2; mode++) {
        if (mode && fesetround(FE_UPWARD) != 0) continue;
        mote_hair *made = resample_to(&hair, 33);
        fesetround(FE_TONEAREST);
        uint64_t hash = mote_hash_words(0, made->points, made->point_count * sizeof *made->points);
        hash = mote_hash_words(hash, made->thickness, made->point_count * sizeof(float));
        hash = mote_hash_words(hash, made->transparency, made->point_count * sizeof(float));
        hash = mote_hash_words(hash, made->colours, made->point_count * sizeof *made->colours);
        ASSERT(hash, ==, 0xbf955e6da66a53acu);
        mote_hair_destroy(made);
    }
    free_hair(&hair);
}

#define BAD_RESAMPLE(code, assignment)                                                                       \
    do {                                                                                                     \
        float places[2][3] = {{0}, {1, 1, 1}};                                                               \
        memory_ledger ledger = {0};                                                                          \
        mote_hair hair = strand_of(places, 2), *made = &hair;                                                \
        mote_hair_error where = {MOTE_HAIR_POINT, 5, 5, NULL};                                               \
        mote_hair_resample_def def = mote_default_hair_resample_def();                                       \
        def.points = 9;                                                                                      \
        def.allocator = ledger_allocator(&ledger);                                                           \
        assignment;                                                                                          \
        assert_int_equal(mote_hair_resample(&hair, &def, &made, &where), code);                              \
        assert_null(made);                                                                                   \
        assert_int_equal(where.item, MOTE_HAIR_MODEL);                                                       \
        ASSERT(strlen(where.text), >, 10);                                                                   \
        assert_int_equal(ledger.calls, 0);                                                                   \
    } while (0)

TEST(wrong_defs_are_refused) {
    BAD_RESAMPLE(MOTE_ERROR_DEF, def.cookie = 0);
    BAD_RESAMPLE(MOTE_ERROR_DEF, hair.cookie = 0);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, hair.default_segments = 2);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, def.points = 1);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, def.points = 1025);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, def.points = 0);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, def.segment_length = 1);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, def.segment_length = -1);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, (def.points = 0, def.segment_length = -1));
    BAD_RESAMPLE(MOTE_ERROR_RANGE, def.min_points = 1);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, def.max_points = 1025);
    BAD_RESAMPLE(MOTE_ERROR_RANGE, (def.min_points = 9, def.max_points = 8));
    BAD_RESAMPLE(MOTE_ERROR_NOT_FINITE, def.segment_length = NAN);
    BAD_RESAMPLE(MOTE_ERROR_NOT_FINITE, def.segment_length = INFINITY);
    BAD_RESAMPLE(MOTE_ERROR_NULL, def.allocator.release = NULL);
    BAD_RESAMPLE(MOTE_ERROR_NULL, hair.points = NULL);
    float places[2][3] = {{0}, {1, 1, 1}};
    mote_hair hair = strand_of(places, 2), *made = &hair;
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.points = 2;
    assert_int_equal(mote_hair_resample(NULL, &def, &made, NULL), MOTE_ERROR_NULL);
    assert_null(made);
    REFUSALS(NULL, REFUSES(NULL, mote_hair_resample(&hair, NULL, &made, NULL)),
             REFUSES(NULL, mote_hair_resample(&hair, &def, NULL, NULL)));
    mote_hair_error where;
    places[1][2] = NAN;
    assert_int_equal(mote_hair_resample(&hair, &def, &made, &where), MOTE_ERROR_NOT_FINITE);
    ASSERT(where.item, ==, MOTE_HAIR_POINT);
    ASSERT(where.index, ==, 1);
}

TEST(no_memory_is_an_error_and_leaves_none_behind) {
    float places[2][3] = {{0}, {1, 1, 1}};
    mote_hair hair = strand_of(places, 2), *made;
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.segment_length = 0.1f;
    mote_result result = MOTE_ERROR_MEMORY;
    for (uint64_t fail_at = 1; result; fail_at++) {
        memory_ledger ledger = {.fail_at = fail_at};
        def.allocator = ledger_allocator(&ledger);
        result = mote_hair_resample(&hair, &def, &made, NULL);
        assert_int_equal(result, ledger.failures ? MOTE_ERROR_MEMORY : MOTE_OK);
        ASSERT((made == NULL), ==, (ledger.failures != 0));
        mote_hair_destroy(made);
        ASSERT(ledger.live_bytes + ledger.faults, ==, 0);
        if (fail_at == 1) ASSERT(ledger.failures, ==, 1);
    }
}

/* 2^22 strands of 1,024 points are 2^32 points: one more than can be counted. */
TEST(more_points_than_can_be_counted_overflow) {
    memory_ledger ledger = {0};
    mote_hair hair = strand_of(calloc((size_t)1 << 23, 12), 1 << 23), *made;
    assert_non_null(hair.points);
    hair.strand_count = 1 << 22;
    hair.default_segments = 1;
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.allocator = ledger_allocator(&ledger);
    def.points = 1024;
    assert_int_equal(mote_hair_resample(&hair, &def, &made, NULL), MOTE_ERROR_OVERFLOW);
    def.points = 0;
    def.segment_length = 1;
    def.min_points = 1024; /* of strands without length */
    assert_int_equal(mote_hair_resample(&hair, &def, &made, NULL), MOTE_ERROR_OVERFLOW);
    assert_null(made);
    assert_int_equal(ledger.calls, 0);
    free(hair.points);
}
