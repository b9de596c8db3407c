/* Hair models in memory: verification and allocation. */
#include "formats/hair.h"

#include <string.h>

#include "base/allocator.h"

#define COOKIE          0x68616972u
#define MAX_FILE_POINTS 65536u /* 65,535 segments: the file counts them in 16 bits */

const uint8_t mote_hair_width[MOTE_ARRAY_COUNT] = {0, 3, 1, 1, 3};

mote_hair mote_default_hair(void) {
    return (mote_hair){.cookie = COOKIE, .default_thickness = 1, .default_colour = {1, 1, 1}};
}

const char *mote_hair_item_name(mote_hair_item item) {
    static const char *const names[MOTE_HAIR_ITEM_COUNT] = {"model", "strand", "point"};
    return (unsigned)item < MOTE_HAIR_ITEM_COUNT ? names[item] : "unknown";
}

mote_result mote_hair_fail(mote_hair_error *where, mote_result result, mote_hair_item item, uint32_t index,
                           uint64_t offset, const char *text) {
    if (where) *where = (mote_hair_error){item, index, offset, text};
    return result;
}

mote_result mote_hair_return(mote_hair_error *where, mote_result result) {
    return mote_hair_fail(where, result, MOTE_HAIR_MODEL, 0, 0, mote_result_text(result));
}

/* --- Verification --- */

uint64_t mote_hair_source_points(const mote_hair_source *source, uint32_t strand) {
    const unsigned char *array = source->array[MOTE_ARRAY_SEGMENTS];
    if (!array) return (uint64_t)source->default_segments + 1;
    if (source->file) return mote_hair_get16(array + (size_t)strand * 2) + 1;
    return ((const uint32_t *)(const void *)array)[strand];
}

/* Returns the bits of a float of a source. */
static uint32_t source_bits(const mote_hair_source *source, mote_hair_array array, uint64_t index) {
    const unsigned char *at = source->array[array] + (size_t)index * sizeof(float);
    if (source->file) return mote_hair_get32(at);
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits;
}

/* Checks the exponent: NaN and the infinities have all its bits set. The floating-point mode of the host does
 * not affect this test. */
static bool finite_bits(uint32_t bits) { return (bits & 0x7f800000u) != 0x7f800000u; }

/* Fails at a byte of the file's header. */
static mote_result fail(const mote_hair_source *source, mote_hair_error *where, mote_result result,
                        uint64_t offset, const char *text) {
    return mote_hair_fail(where, result, MOTE_HAIR_MODEL, 0, source->file ? offset : 0, text);
}

/* Byte offset in the file from the start of an array, for error messages. 0 without a file. */
static uint64_t array_offset(const mote_hair_source *source, mote_hair_array array, uint64_t offset) {
    return source->file ? (uint64_t)(source->array[array] - source->file) + offset : 0;
}

static mote_result verify_defaults(const mote_hair_source *source, mote_hair_error *where) {
    for (uint32_t i = 0; i < MOTE_HAIR_DEFAULTS; i++)
        if (!finite_bits(source->defaults[i]))
            return fail(source, where, MOTE_ERROR_NOT_FINITE, MOTE_HAIR_DEFAULTS_AT + 4 * i,
                        "The default thickness, transparency or colour is NaN or infinite.");
    return MOTE_OK;
}

static mote_result verify_default_segments(const mote_hair_source *source, mote_result wrong,
                                           mote_hair_error *where) {
    const uint64_t points = mote_hair_source_points(source, 0);
    if (points < 2)
        return fail(source, where, wrong, 16, "A strand has one point: the default number of segments is 0.");
    /* no overflow: both factors are at most 2^32, and 2^32 x (2^32 - 1) fits */
    if (source->strand_count * points != source->point_count)
        return fail(source, where, wrong, 16,
                    "The strands, each with the default number of segments, do not add up to the points.");
    return MOTE_OK;
}

static mote_result verify_strands(const mote_hair_source *source, mote_result wrong, mote_hair_error *where) {
    uint64_t sum = 0;
    for (uint32_t strand = 0; strand < source->strand_count; strand++) {
        const uint64_t points = mote_hair_source_points(source, strand);
        const char *text = NULL;
        sum += points;
        if (points < 2)
            text = "The strand has one point or none: it needs a segment.";
        else if (points > MAX_FILE_POINTS)
            text = "The strand has more than 65,536 points.";
        else if (sum > source->point_count)
            text = "The strand ends behind the last point.";
        if (text)
            return mote_hair_fail(where, wrong, MOTE_HAIR_STRAND, strand,
                                  array_offset(source, MOTE_ARRAY_SEGMENTS, 2ull * strand), text);
    }
    if (sum == source->point_count) return MOTE_OK;
    return fail(source, where, wrong, 8, "The strands have fewer points than there are.");
}

static mote_result verify_floats(const mote_hair_source *source, mote_hair_array array,
                                 mote_hair_error *where) {
    static const char *const sentences[MOTE_ARRAY_COUNT] = {
        "", "A coordinate of the point is NaN or infinite.", "The thickness at the point is NaN or infinite.",
        "The transparency at the point is NaN or infinite.", "The colour at the point is NaN or infinite."};
    const uint64_t width = mote_hair_width[array], count = source->point_count * width;
    for (uint64_t i = 0; i < count; i++)
        if (!finite_bits(source_bits(source, array, i)))
            return mote_hair_fail(where, MOTE_ERROR_NOT_FINITE, MOTE_HAIR_POINT, (uint32_t)(i / width),
                                  array_offset(source, array, i * 4), sentences[array]);
    return MOTE_OK;
}

mote_result mote_hair_verify(const mote_hair_source *source, mote_hair_error *where) {
    const mote_result wrong = source->file ? MOTE_ERROR_FILE : MOTE_ERROR_RANGE;
    if (source->strand_count == 0) return fail(source, where, wrong, 4, "The model has no strands.");
    mote_result result = verify_defaults(source, where);
    if (!result)
        result = (source->array[MOTE_ARRAY_SEGMENTS] ? verify_strands
                                                     : verify_default_segments)(source, wrong, where);
    for (int array = MOTE_ARRAY_POINTS; array < MOTE_ARRAY_COUNT && !result; array++)
        if (source->array[array]) result = verify_floats(source, (mote_hair_array)array, where);
    return result ? result : mote_hair_return(where, MOTE_OK);
}

/* Offset of the pointer to each array. */
static const size_t pointer_at[MOTE_ARRAY_COUNT] = {
    offsetof(mote_hair, strand_points), offsetof(mote_hair, points), offsetof(mote_hair, thickness),
    offsetof(mote_hair, transparency), offsetof(mote_hair, colours)};

float *mote_hair_floats(const mote_hair *hair, mote_hair_array array) {
    float *floats;
    memcpy(&floats, (const unsigned char *)hair + pointer_at[array], sizeof floats);
    return floats;
}

uint32_t mote_hair_flags(const mote_hair *hair) {
    uint32_t flags = hair->strand_points ? 1u << MOTE_ARRAY_SEGMENTS : 0;
    for (int array = MOTE_ARRAY_POINTS; array < MOTE_ARRAY_COUNT; array++)
        if (mote_hair_floats(hair, (mote_hair_array)array)) flags |= 1u << array;
    return flags;
}

mote_result mote_hair_check(const mote_hair *hair, mote_hair_error *where) {
    if (!hair) return mote_hair_return(where, MOTE_ERROR_NULL);
    if (hair->cookie != COOKIE) return mote_hair_return(where, MOTE_ERROR_DEF);
    if (!hair->points)
        return mote_hair_fail(where, MOTE_ERROR_NULL, MOTE_HAIR_MODEL, 0, 0,
                              "The model has no array of points.");
    mote_hair_source source = {
        hair->strand_count, hair->point_count, hair->default_segments, {0}, {NULL}, NULL};
    memcpy(&source.defaults[0], &hair->default_thickness, sizeof(float));
    memcpy(&source.defaults[1], &hair->default_transparency, sizeof(float));
    memcpy(&source.defaults[2], hair->default_colour, sizeof hair->default_colour);
    source.array[MOTE_ARRAY_SEGMENTS] = (const unsigned char *)hair->strand_points;
    for (int array = MOTE_ARRAY_POINTS; array < MOTE_ARRAY_COUNT; array++)
        source.array[array] = (const unsigned char *)mote_hair_floats(hair, (mote_hair_array)array);
    return mote_hair_verify(&source, where);
}

uint32_t mote_hair_strand_points(const mote_hair *hair, uint32_t strand) {
    if (!hair || strand >= hair->strand_count) return 0;
    return hair->strand_points ? hair->strand_points[strand] : hair->default_segments + 1;
}

/* --- Allocation --- */

/* Model with its allocator, in one block. The host sees only the first member. */
typedef struct owned_hair {
    mote_hair hair;
    mote_allocator allocator;
    size_t bytes; /* bytes of the allocation */
} owned_hair;

static uint64_t array_bytes(const mote_hair *shape, int array) {
    const uint64_t floats = mote_hair_width[array];
    uint64_t bytes = floats ? shape->point_count * floats * sizeof(float)
                            : shape->strand_count * (uint64_t)sizeof(uint32_t);
    return (bytes + MOTE_CACHE_LINE - 1) / MOTE_CACHE_LINE * MOTE_CACHE_LINE;
}

mote_result mote_hair_allocate(const mote_hair *shape, uint32_t arrays, const mote_allocator *hook,
                               mote_hair **hair) {
    const mote_allocator none = {NULL, NULL, NULL};
    if (!hook) hook = &none;
    if (!hook->allocate != !hook->release) return MOTE_ERROR_NULL;
    const mote_allocator allocator = mote_allocator_resolve(hook);
    uint64_t bytes = mote_round_up(sizeof(owned_hair), MOTE_CACHE_LINE);
    for (int array = 0; array < MOTE_ARRAY_COUNT; array++)
        if (arrays >> array & 1) bytes += array_bytes(shape, array);
    if (bytes > SIZE_MAX) return MOTE_ERROR_OVERFLOW;
    owned_hair *made = mote_allocate(&allocator, (size_t)bytes);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = (owned_hair){*shape, allocator, (size_t)bytes};
    unsigned char *memory = (unsigned char *)made + mote_round_up(sizeof(owned_hair), MOTE_CACHE_LINE);
    for (int array = 0; array < MOTE_ARRAY_COUNT; array++) {
        const bool present = arrays >> array & 1;
        const void *start = present ? memory : NULL;
        memcpy((unsigned char *)&made->hair + pointer_at[array], &start, sizeof start);
        if (present) memory += array_bytes(shape, array);
    }
    *hair = &made->hair;
    return MOTE_OK;
}

void mote_hair_destroy(mote_hair *hair) {
    if (!hair) return;
    owned_hair *made = (owned_hair *)(void *)hair;
    const mote_allocator allocator = made->allocator;
    mote_release(&allocator, made, made->bytes);
}
