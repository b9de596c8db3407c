/* A short fuzz run over HAIR files: valid files, mutated. Each is refused with a place and a sentence, or is
 * a model that can be walked, resampled and written back as the very bytes that were read. Run it under
 * sanitizers too. */
#define _DEFAULT_SOURCE
#include <math.h>
#include "test.h"

#include "hair_files.h"

enum { RUNS = 500000, CAPACITY = 4096 };

static random_source dice = {10};

static uint32_t draw(uint32_t bound) { return random_below(&dice, bound); }

static const uint32_t evil[] = {0,           1,           2,           3,           0x7f,
                                0xff,        0xffff,      0x10000,     0x15555556u, 0x40000000u,
                                0x55555556u, 0x7f800000u, 0x7fc00000u, 0x7fffffffu, 0x80000000u,
                                0x80000001u, 0xff800000u, 0xfffffffeu, UINT32_MAX};

/* One mutation; the new size. */
static size_t mutate(unsigned char *file, size_t size) {
    size_t at = draw((uint32_t)size), run = 1 + draw(12), to;
    switch (draw(8)) {
    case 0:
        file[at] ^= (unsigned char)(1u << draw(8));
        return size;
    case 1:
        file[at] = (unsigned char)draw(256);
        return size;
    case 2: /* an evil number anywhere, or in the header's fields */
        if (draw(2)) at = 4 + 4 * draw(9);
        if (at + 4 <= size) put_number(file + at, evil[draw(COUNT_OF(evil))], 4);
        return size;
    case 3: /* a little more or less of a header's count */
        at = 4 + 4 * draw(4);
        if (at < size) file[at] = (unsigned char)(file[at] + draw(5) - 2);
        return size;
    case 4:
        return at + 1; /* cut */
    case 5:            /* go on */
        for (to = size; to < size + run; to++) file[to] = (unsigned char)draw(256);
        return size + run;
    case 6: /* take a run out */
        if (at + run >= size) return size;
        memmove(file + at, file + at + run, size - at - run);
        return size - run;
    default: /* copy a run elsewhere */
        to = draw((uint32_t)size);
        if (at + run <= size && to + run <= size) memmove(file + to, file + at, run);
        return size;
    }
}

static void walk_floats(const float *numbers, size_t count) {
    for (size_t i = 0; numbers && i < count; i++) assert_true(isfinite(numbers[i]));
}

/* All that the header promises of a model, and its file again. */
static void walk(const mote_hair *hair, const unsigned char *file, size_t size, guarded_bytes *memory) {
    uint64_t sum = 0;
    size_t needed;
    ASSERT(hair->strand_count, >, 0);
    for (uint32_t i = 0; i < hair->strand_count; i++) {
        ASSERT(mote_hair_strand_points(hair, i), >=, 2);
        sum += mote_hair_strand_points(hair, i);
    }
    ASSERT(sum, ==, hair->point_count);
    assert_non_null(hair->points);
    walk_floats(hair->points[0], 3 * (size_t)hair->point_count);
    walk_floats(hair->thickness, hair->point_count);
    walk_floats(hair->transparency, hair->point_count);
    walk_floats(hair->colours ? hair->colours[0] : NULL, 3 * (size_t)hair->point_count);
    assert_int_equal(mote_hair_write(hair, NULL, 0, &needed), MOTE_OK);
    assert_int_equal(needed, size);
    assert_int_equal(mote_hair_write(hair, guard_end(memory, size), size, NULL), MOTE_OK);
    ASSERT(memcmp(guard_end(memory, size), file, size), ==, 0);
}

static void walk_resampled(const mote_hair *hair, const mote_allocator *allocator) {
    mote_hair_resample_def def = mote_default_hair_resample_def();
    mote_hair *resampled;
    mote_hair_error where;
    def.allocator = *allocator;
    def.max_points = 40;
    if (draw(2))
        def.points = 2 + draw(9);
    else
        def.segment_length = 0.01f + 0.1f * (float)draw(50);
    assert_int_equal(mote_hair_resample(hair, &def, &resampled, &where), MOTE_OK);
    assert_int_equal(resampled->strand_count, hair->strand_count);
    assert_int_equal(mote_hair_check(resampled, &where), MOTE_OK);
    mote_hair_destroy(resampled);
}

typedef struct tally {
    uint32_t accepted, refused;
    const char *texts[64]; /* the different sentences */
    uint32_t text_count;
} tally;

static void note_text(tally *seen, const char *text) {
    assert_non_null(text);
    for (uint32_t i = 0; i < seen->text_count; i++)
        if (seen->texts[i] == text) return;
    ASSERT(seen->text_count, <, COUNT_OF(seen->texts));
    seen->texts[seen->text_count++] = text;
}

static void judge(const unsigned char *file, size_t size, guarded_bytes *in, guarded_bytes *out,
                  tally *seen) {
    memory_ledger ledger = {0};
    mote_allocator allocator = ledger_allocator(&ledger);
    mote_hair *hair = NULL;
    mote_hair_error where = {MOTE_HAIR_ITEM_COUNT, 0, UINT64_MAX, NULL};
    mote_result result = mote_hair_read(guard_copy(in, file, size), size, &allocator, &hair, &where);
    if (result == MOTE_OK) {
        ASSERT(ledger.live_bytes, <=, size + 2 * (size_t)hair->strand_count + 1024);
        walk(hair, file, size, out);
        walk_resampled(hair, &allocator);
        mote_hair_destroy(hair);
        seen->accepted++;
    } else {
        if (result != MOTE_ERROR_FILE) assert_int_equal(result, MOTE_ERROR_NOT_FINITE);
        assert_null(hair);
        assert_int_equal(ledger.calls, 0);
        ASSERT(where.item, <, MOTE_HAIR_ITEM_COUNT);
        ASSERT(where.offset, <=, size);
        note_text(seen, where.text);
        seen->refused++;
    }
    assert_int_equal(ledger.live_bytes + ledger.faults, 0);
}

TEST(mutated_files_are_refused_or_make_good_models) {
    static unsigned char seeds[32][CAPACITY], file[CAPACITY];
    size_t sizes[32];
    tally seen = {0};
    for (uint32_t i = 0; i < COUNT_OF(seeds); i++) {
        mote_hair model = make_hair(&dice, HAS_POINTS | i, 1 + i % 7, 2 + i % 5);
        sizes[i] = build_file(&model, seeds[i]);
        free_hair(&model);
    }
    guarded_bytes in = guard_make(CAPACITY), out = guard_make(CAPACITY);
    for (uint32_t run = 0; run < RUNS; run++) {
        const uint32_t seed = draw(COUNT_OF(seeds)), mutations = 1 + draw(4);
        size_t size = sizes[seed];
        memcpy(file, seeds[seed], size);
        for (uint32_t i = 0; i < mutations; i++) size = mutate(file, size);
        judge(file, size, &in, &out, &seen);
    }
    guard_free(&in);
    guard_free(&out);
    /* The run is worth something only if it comes past the checks often, and to each of them: 21 sentences
     * speak of files. */
    ASSERT(seen.accepted, >, RUNS / 20);
    ASSERT(seen.refused, >, RUNS / 20);
    assert_int_equal(seen.text_count, 21);
}
