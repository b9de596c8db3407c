/* HAIR files: reading, writing, and refusals that allocate nothing. */
#define _DEFAULT_SOURCE
#include <math.h>
#include "test.h"

#include "hair_files.h"

static mote_hair *read_good(const void *bytes, size_t size, const mote_allocator *allocator) {
    mote_hair *hair = NULL;
    mote_hair_error where = {MOTE_HAIR_POINT, 5, 5, NULL};
    assert_int_equal(mote_hair_read(bytes, size, allocator, &hair, &where), MOTE_OK);
    assert_non_null(hair);
    assert_string_equal(where.text, mote_result_text(MOTE_OK));
    return hair;
}

/* The file must be refused with this code at this place, and nothing be allocated. */
static void refused(const void *bytes, size_t size, mote_result code, mote_hair_item item, uint32_t index,
                    uint64_t offset) {
    memory_ledger ledger = {0};
    mote_allocator allocator = ledger_allocator(&ledger);
    mote_hair *hair = (mote_hair *)(uintptr_t)1;
    mote_hair_error where = {MOTE_HAIR_ITEM_COUNT, 77, 77, NULL};
    assert_int_equal(mote_hair_read(bytes, size, &allocator, &hair, &where), code);
    assert_null(hair);
    assert_int_equal(ledger.calls, 0);
    assert_int_equal(where.item, item);
    assert_int_equal(where.index, index);
    assert_int_equal(where.offset, offset);
    ASSERT(strlen(where.text), >, 10);
    ASSERT(where.text[strlen(where.text) - 1], ==, '.');
    assert_int_equal(mote_hair_read(bytes, size, &allocator, &hair, NULL), code);
}

/* --- A file by hand --- */

#define ZERO        0, 0, 0, 0
#define HALF        0, 0, 0, 0x3f
#define ONE         0, 0, 0x80, 0x3f
#define TWO         0, 0, 0, 0x40
#define MINUS_THREE 0, 0, 0x40, 0xc0
#define PI          0xdb, 0x0f, 0x49, 0x40 /* 3.14159274101257324: no byte like another */
#define TINY        1, 0, 0, 0x80          /* -2^-149 */

/* Two strands of 2 and 3 points. */
static const unsigned char by_hand[HEADER + 2 * 2 + 5 * 32] = {
    'H',  'A',  'I',         'R',  2,    0,    0,           0,    5,           0,    0,           0,    31,
    0,    0,    0,           4,    3,    2,    1,           HALF, PI,          ONE,  MINUS_THREE, TINY, 'b',
    'y',  ' ',  'h',         'a',  'n',  'd',  [127] = 'z', 1,    0,           2,    0, /* segments */
    ZERO, ZERO, ZERO,        ONE,  ZERO, TINY, TWO,         PI,   MINUS_THREE, TWO,  PI,          TWO,  TWO,
    PI,   PI,                            /* points */
    ONE,  TWO,  MINUS_THREE, PI,   HALF, /* thickness */
    ZERO, HALF, ONE,         ONE,  PI,   /* transparency */
    ONE,  ZERO, ZERO,        ZERO, ONE,  ZERO, ZERO,        ZERO, ONE,         HALF, HALF,        HALF, PI,
    ONE,  TWO}; /* colours */

TEST(a_file_by_hand_is_read_and_written_back) {
    const float pi = 0x1.921fb6p1f;
    float points[5][3] = {{0, 0, 0}, {1, 0, -0x1p-149f}, {2, pi, -3}, {2, pi, 2}, {2, pi, pi}};
    float thickness[5] = {1, 2, -3, pi, 0.5f}, transparency[5] = {0, 0.5f, 1, 1, pi};
    float colours[5][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5f, 0.5f, 0.5f}, {pi, 1, 2}};
    uint32_t lengths[2] = {2, 3};
    mote_hair want = mote_default_hair();
    want.strand_count = 2, want.point_count = 5, want.default_segments = 0x01020304;
    want.strand_points = lengths, want.points = points, want.thickness = thickness;
    want.transparency = transparency, want.colours = colours;
    want.default_thickness = 0.5f, want.default_transparency = pi;
    memcpy(want.default_colour, (float[3]){1, -3, -0x1p-149f}, sizeof want.default_colour);
    strcpy(want.text, "by hand");
    want.text[87] = 'z';
    for (size_t shift = 0; shift < 4; shift++) {
        unsigned char moved[sizeof by_hand + 4], written[sizeof by_hand];
        memcpy(moved + shift, by_hand, sizeof by_hand);
        mote_hair *hair = read_good(moved + shift, sizeof by_hand, NULL);
        assert_true(same_hair(hair, &want));
        ASSERT(hair->text[88], ==, 0);
        ASSERT(mote_hair_strand_points(hair, 1), ==, 3);
        ASSERT(mote_hair_strand_points(hair, 2), ==, 0);
        assert_int_equal(mote_hair_write(hair, written, sizeof written, NULL), MOTE_OK);
        assert_memory_equal(written, by_hand, sizeof by_hand);
        mote_hair_destroy(hair);
    }
}

/* --- Round trips --- */

/* model -> file, equal to the one built without the library -> model -> file. */
static void round_trip(const mote_hair *model) {
    const size_t capacity = HEADER + 2 * (size_t)model->strand_count + 32 * (size_t)model->point_count;
    unsigned char *expected = malloc(capacity);
    assert_non_null(expected);
    size_t size = build_file(model, expected), needed = 0;
    assert_int_equal(mote_hair_write(model, NULL, 0, &needed), MOTE_OK);
    assert_int_equal(needed, size);
    guarded_bytes memory = guard_make(size);
    unsigned char *written = guard_end(&memory, size);
    assert_int_equal(mote_hair_write(model, written, size, NULL), MOTE_OK);
    ASSERT(memcmp(written, expected, size), ==, 0);
    memory_ledger ledger = {0};
    mote_allocator allocator = ledger_allocator(&ledger);
    mote_hair *read = read_good(written, size, &allocator);
    assert_true(same_hair(read, model));
    ASSERT(ledger.live_bytes, <=, size + 2 * (size_t)model->strand_count + 1024);
    for (uint32_t i = 0; i < model->strand_count; i++)
        assert_int_equal(mote_hair_strand_points(read, i), mote_hair_strand_points(model, i));
    memset(written, 0, size);
    assert_int_equal(mote_hair_write(read, written, size, &needed), MOTE_OK);
    ASSERT(memcmp(written, expected, size), ==, 0);
    mote_hair_destroy(read);
    assert_int_equal(ledger.live_bytes + ledger.faults, 0);
    guard_free(&memory);
    free(expected);
}

TEST(every_subset_of_arrays_makes_the_round_trip) {
    random_source random = {7};
    for (uint32_t flags = 0; flags <= HAS_ALL; flags++) {
        if (!(flags & HAS_POINTS)) continue;
        for (uint32_t strands = 1; strands < 20; strands += 3) {
            mote_hair model = make_hair(&random, flags, strands, 2 + strands);
            round_trip(&model);
            free_hair(&model);
        }
    }
}

TEST(a_million_points_and_the_longest_strands_make_the_round_trip) {
    random_source random = {8};
    mote_hair model = make_hair(&random, HAS_POINTS | HAS_THICKNESS, 16, 65536);
    assert_int_equal(model.point_count, 1 << 20);
    round_trip(&model);
    uint32_t longest[16];
    for (int i = 0; i < 16; i++) longest[i] = 65536;
    model.strand_points = longest; /* 65,535 segments: the most that 16 bits hold */
    round_trip(&model);
    model.strand_points = NULL;
    model.strand_count = 1; /* the default is a number of 32 bits */
    model.default_segments = (1 << 20) - 1;
    round_trip(&model);
    free_hair(&model);
    model = make_hair(&random, HAS_ALL, 100000, 19);
    ASSERT(model.point_count, >, 1000000);
    round_trip(&model);
    free_hair(&model);
}

TEST(a_model_that_was_read_is_the_hosts_to_change) {
    memory_ledger ledger = {0};
    mote_allocator allocator = ledger_allocator(&ledger);
    mote_hair *hair = read_good(by_hand, sizeof by_hand, &allocator);
    hair->thickness = NULL;
    hair->points[4][2] = 7;
    round_trip(hair);
    mote_hair_destroy(hair);
    mote_hair_destroy(NULL);
    assert_int_equal(ledger.live_bytes + ledger.faults, 0);
}

/* --- Corrupt files --- */

TEST(a_file_cut_at_any_byte_is_refused) {
    guarded_bytes memory = guard_make(sizeof by_hand + 1);
    for (size_t size = 0; size < sizeof by_hand; size++)
        refused(guard_copy(&memory, by_hand, size), size, MOTE_ERROR_FILE, MOTE_HAIR_MODEL, 0, size);
    guard_free(&memory);
}

TEST(a_file_that_goes_on_is_refused_with_the_place_where_it_should_end) {
    unsigned char longer[sizeof by_hand + 9] = {0};
    memcpy(longer, by_hand, sizeof by_hand);
    refused(longer, sizeof by_hand + 1, MOTE_ERROR_FILE, MOTE_HAIR_MODEL, 0, sizeof by_hand);
    refused(longer, sizeof longer, MOTE_ERROR_FILE, MOTE_HAIR_MODEL, 0, sizeof by_hand);
    mote_hair_destroy(read_good(longer, sizeof by_hand, NULL));
}

/* In the file by hand (0 strands here), or one of 12 points in so many strands of 4, a number is written over
 * another: of 1 byte in the name, of 2 in the segments, else of 4. The file must be refused there, at
 * `offset`: for reserved flags, no points, strands of one point, segments that add up to 6, 65,539, 6 and 4
 * of 5 points, and default segments of which 12 points do not consist, though 2^32 + 12 do. */
TEST(every_wrong_number_of_a_file_is_named) {
    static const struct {
        uint32_t strands, at, number, offset;
    } rows[] = {{0, 12, 0x8000001fu, 12}, {0, 0, 'x', 0},   {0, 1, 'x', 0},   {0, 2, 'x', 0},
                {0, 128, 0xffff, 128},    {0, 3, 'x', 0},   {0, 12, 63, 12},  {0, 12, 29, 12},
                {3, 16, 0x55555557u, 16}, {0, 128, 0, 128}, {0, 130, 0, 130}, {0, 128, 5, 128},
                {3, 16, 0x80000003u, 16}, {0, 130, 3, 130}, {0, 130, 1, 8},   {3, 16, 0, 16},
                {3, 16, UINT32_MAX, 16},  {3, 16, 2, 16},   {3, 16, 4, 16},   {3, 4, 0, 4},
                {4, 16, 0x40000002u, 16}, {3, 4, 4, 16},    {12, 16, 0, 16}};
    unsigned char even[HEADER + 12 * 12], file[sizeof by_hand];
    random_source random = {9};
    mote_hair model = make_hair(&random, HAS_POINTS, 3, 4);
    ASSERT(build_file(&model, even), ==, sizeof even);
    free_hair(&model);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint32_t at = rows[i].at, offset = rows[i].offset;
        const bool strand = offset >= 128;
        const size_t size = rows[i].strands ? sizeof even : sizeof by_hand;
        test_case("row %zu", i);
        memcpy(file, rows[i].strands ? even : by_hand, size);
        if (rows[i].strands) put_number(file + 4, rows[i].strands, 4);
        put_number(file + at, rows[i].number, at < 4 ? 1 : at < 128 ? 4 : 2);
        refused(file, size, MOTE_ERROR_FILE, strand ? MOTE_HAIR_STRAND : MOTE_HAIR_MODEL,
                strand ? (offset - 128) / 2 : 0, offset);
    }
    memset(even + 4, 0, 8); /* no strands of no points */
    refused(even, HEADER, MOTE_ERROR_FILE, MOTE_HAIR_MODEL, 0, 4);
}

/* Products of these counts and 2, 4, 12 and 32 wrap around 2^32 to 0, to little and to the file's own
 * size. */
TEST(forged_counts_allocate_nothing) {
    static const uint32_t counts[] = {0,           1,           2,           5,
                                      65535,       65536,       0x08000005u, 0x15555556u,
                                      0x40000005u, 0x55555556u, 0x55555557u, 0x7fffffffu,
                                      0x80000000u, 0x80000002u, 0xfffffffeu, UINT32_MAX};
    static const uint32_t flags[] = {2, 3, 6, 15, 18, 31};
    static const uint32_t segments[] = {0, 1, 4, 65535, 0x7fffffffu, 0x80000000u, UINT32_MAX};
    guarded_bytes memory = guard_make(sizeof by_hand);
    unsigned char *file = guard_copy(&memory, by_hand, sizeof by_hand);
    memory_ledger ledger = {0};
    mote_allocator allocator = ledger_allocator(&ledger);
    mote_hair *hair;
    for (size_t s = 0; s < COUNT_OF(counts); s++) {
        for (size_t p = 0; p < COUNT_OF(counts); p++) {
            for (size_t i = 0; i < COUNT_OF(flags) * COUNT_OF(segments); i++) {
                const uint32_t flag = flags[i % COUNT_OF(flags)];
                if (counts[s] == 2 && counts[p] == 5 && flag == 31) continue; /* the truth */
                put_number(file + 4, counts[s], 4);
                put_number(file + 8, counts[p], 4);
                put_number(file + 12, flag, 4);
                put_number(file + 16, segments[i / COUNT_OF(flags)], 4);
                assert_int_equal(mote_hair_read(file, sizeof by_hand, &allocator, &hair, NULL),
                                 MOTE_ERROR_FILE);
                assert_null(hair);
            }
        }
    }
    assert_int_equal(ledger.calls, 0);
    guard_free(&memory);
}

/* Counts that agree with each other; 12 bytes for each of so many points are a multiple of 2^32 and the
 * bytes that there are. */
TEST(counts_whose_bytes_wrap_around_are_refused) {
    random_source random = {11};
    mote_hair model = make_hair(&random, HAS_POINTS, 1, 12);
    unsigned char file[HEADER + 12 * 12];
    guarded_bytes memory = guard_make(sizeof file);
    assert_int_equal(build_file(&model, file), sizeof file);
    for (uint32_t times = 1; times < 4; times++) {
        for (uint32_t strands = 1; strands <= 4; strands *= 2) {
            const uint32_t points = 12 + (times << 30);
            put_number(file + 4, strands, 4);
            put_number(file + 8, points, 4);
            put_number(file + 16, points / strands - 1, 4);
            refused(guard_copy(&memory, file, sizeof file), sizeof file, MOTE_ERROR_FILE, MOTE_HAIR_MODEL, 0,
                    sizeof file);
        }
    }
    guard_free(&memory);
    free_hair(&model);
}

TEST(every_number_has_to_be_finite) {
    static const uint32_t wrong[] = {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00001u, 0x7f800001u};
    static const size_t starts[] = {132, 192, 212, 232, sizeof by_hand}, widths[] = {3, 1, 1, 3};
    unsigned char file[sizeof by_hand];
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        for (size_t at = 20; at < sizeof file; at += at == 36 ? 96 : 4) {
            memcpy(file, by_hand, sizeof file);
            put_number(file + at, wrong[i], 4);
            size_t array = 0;
            while (at >= starts[array + 1]) array++;
            if (at < 40)
                refused(file, sizeof file, MOTE_ERROR_NOT_FINITE, MOTE_HAIR_MODEL, 0, at);
            else
                refused(file, sizeof file, MOTE_ERROR_NOT_FINITE, MOTE_HAIR_POINT,
                        (uint32_t)((at - starts[array]) / 4 / widths[array]), at);
        }
    }
    memcpy(file, by_hand, sizeof file);
    put_number(file + 132, 0x7f7fffffu, 4); /* the largest number is one */
    mote_hair_destroy(read_good(file, sizeof file, NULL));
}

TEST(no_memory_is_an_error_and_leaves_none_behind) {
    mote_result result = MOTE_ERROR_MEMORY;
    for (uint64_t fail_at = 1; result; fail_at++) {
        memory_ledger ledger = {.fail_at = fail_at};
        mote_allocator allocator = ledger_allocator(&ledger);
        mote_hair *hair = (mote_hair *)(uintptr_t)1;
        mote_hair_error where;
        result = mote_hair_read(by_hand, sizeof by_hand, &allocator, &hair, &where);
        assert_int_equal(result, ledger.failures ? MOTE_ERROR_MEMORY : MOTE_OK);
        ASSERT((hair == NULL), ==, (ledger.failures != 0));
        assert_string_equal(where.text, mote_result_text(result));
        mote_hair_destroy(hair);
        ASSERT(ledger.live_bytes + ledger.faults, ==, 0);
        if (fail_at == 1) ASSERT(ledger.failures, ==, 1);
    }
}

/* --- Wrong calls and wrong models --- */

#define BAD_MODEL(code, culprit, number, assignment)                                                         \
    do {                                                                                                     \
        uint32_t lengths[2] = {2, 3};                                                                        \
        float places[5][3] = {{0}}, numbers[5] = {0}, colours[5][3] = {{0}};                                 \
        unsigned char file[512] = {0};                                                                       \
        size_t needed = 77;                                                                                  \
        mote_hair_error where = {MOTE_HAIR_ITEM_COUNT, 77, 77, NULL};                                        \
        mote_hair hair = mote_default_hair();                                                                \
        hair.strand_count = 2, hair.point_count = 5, hair.strand_points = lengths, hair.points = places;     \
        hair.thickness = hair.transparency = numbers, hair.colours = colours;                                \
        assert_int_equal(mote_hair_check(&hair, &where), MOTE_OK);                                           \
        assignment;                                                                                          \
        assert_int_equal(mote_hair_check(&hair, &where), code);                                              \
        assert_int_equal(mote_hair_check(&hair, NULL), code);                                                \
        ASSERT(where.item, ==, (culprit));                                                                   \
        ASSERT(where.index, ==, (number));                                                                   \
        ASSERT(where.offset, ==, 0);                                                                         \
        ASSERT(strlen(where.text), >, 10);                                                                   \
        assert_int_equal(mote_hair_write(&hair, file, sizeof file, &needed), code);                          \
        ASSERT(file[0], ==, 0);                                                                              \
        ASSERT(needed, ==, 77);                                                                              \
    } while (0)

TEST(wrong_models_are_not_written) {
    BAD_MODEL(MOTE_ERROR_DEF, MOTE_HAIR_MODEL, 0, hair.cookie = 0);
    BAD_MODEL(MOTE_ERROR_NULL, MOTE_HAIR_MODEL, 0, hair.points = NULL);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_MODEL, 0, hair.strand_count = 0);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_MODEL, 0, hair.strand_count = 1);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_STRAND, 1, hair.point_count = 4);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_MODEL, 0, hair.point_count = 6);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_STRAND, 0, lengths[0] = 0);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_STRAND, 1, lengths[1] = 1);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_STRAND, 1, (lengths[1] = 65537, hair.point_count = 65539));
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_MODEL, 0, hair.strand_points = NULL);
    BAD_MODEL(MOTE_ERROR_RANGE, MOTE_HAIR_MODEL, 0, (hair.strand_points = NULL, hair.default_segments = 1));
    BAD_MODEL(MOTE_ERROR_NOT_FINITE, MOTE_HAIR_MODEL, 0, hair.default_thickness = NAN);
    BAD_MODEL(MOTE_ERROR_NOT_FINITE, MOTE_HAIR_MODEL, 0, hair.default_transparency = INFINITY);
    BAD_MODEL(MOTE_ERROR_NOT_FINITE, MOTE_HAIR_MODEL, 0, hair.default_colour[2] = -INFINITY);
    BAD_MODEL(MOTE_ERROR_NOT_FINITE, MOTE_HAIR_POINT, 4, places[4][2] = NAN);
    BAD_MODEL(MOTE_ERROR_NOT_FINITE, MOTE_HAIR_POINT, 3, hair.thickness[3] = NAN);
    BAD_MODEL(MOTE_ERROR_NOT_FINITE, MOTE_HAIR_POINT, 1, colours[1][0] = NAN);
}

TEST(writing_needs_space_and_calls_need_pointers) {
    unsigned char file[sizeof by_hand] = {0};
    size_t needed = 0;
    mote_hair_error where;
    memory_ledger ledger = {0};
    mote_allocator half = ledger_allocator(&ledger);
    half.release = NULL;
    mote_hair *hair = read_good(by_hand, sizeof by_hand, NULL), *none = hair;
    assert_int_equal(mote_hair_write(hair, file, sizeof file - 1, &needed), MOTE_ERROR_BUFFER);
    assert_int_equal(needed, sizeof file);
    assert_int_equal(mote_hair_write(hair, file, 0, NULL), MOTE_ERROR_BUFFER);
    for (size_t i = 0; i < sizeof file; i++) assert_int_equal(file[i], 0);
    REFUSALS(NULL, REFUSES(NULL, mote_hair_write(hair, NULL, 0, NULL)),
             REFUSES(NULL, mote_hair_write(NULL, file, sizeof file, &needed)),
             REFUSES(NULL, mote_hair_check(NULL, &where)));
    mote_hair_destroy(hair);
    assert_int_equal(mote_hair_read(NULL, 0, NULL, &none, &where), MOTE_ERROR_NULL);
    assert_null(none);
    REFUSALS(NULL, REFUSES(NULL, mote_hair_read(by_hand, sizeof by_hand, NULL, NULL, &where)),
             REFUSES(NULL, mote_hair_read(by_hand, sizeof by_hand, &half, &none, &where)));
    assert_int_equal(ledger.calls, 0);
    ASSERT(mote_hair_strand_points(NULL, 0), ==, 0);
    static const char *const names[] = {"model", "strand", "point", "unknown"};
    for (int i = 0; i < 4; i++) assert_string_equal(mote_hair_item_name((mote_hair_item)i), names[i]);
}
