/* HAIR files, Cem Yuksel's format: http://www.cemyuksel.com/research/hairmodels. Header: "HAIR"; u32 strands,
 * points, flags, default segments; f32 default thickness, transparency, colour[3]; 88 bytes of text. Then the
 * arrays that the flags name: u16 segments of each strand; f32[3] position, f32 thickness, f32 transparency,
 * f32[3] colour of each point. Bits 5 and up of the flags are reserved and 0. */
#include <string.h>

#include "formats/hair.h"

enum { STRANDS_AT = 4, POINTS_AT = 8, FLAGS_AT = 12, SEGMENTS_AT = 16, TEXT_AT = 40 };

/* Bytes of an array of the file: less than 2^36. */
static uint64_t file_bytes(const mote_hair *shape, int array) {
    const uint64_t floats = mote_hair_width[array];
    return floats ? shape->point_count * floats * 4 : shape->strand_count * (uint64_t)2;
}

static uint64_t total_file_bytes(const mote_hair *shape, uint32_t flags) {
    uint64_t bytes = MOTE_HAIR_HEADER;
    for (int array = 0; array < MOTE_ARRAY_COUNT; array++)
        if (flags >> array & 1) bytes += file_bytes(shape, array);
    return bytes;
}

/* --- Reading --- */

static mote_result corrupt(mote_hair_error *where, uint64_t offset, const char *text) {
    return mote_hair_fail(where, MOTE_ERROR_FILE, MOTE_HAIR_MODEL, 0, offset, text);
}

static void get_floats(const unsigned char *from, float *to, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t bits = mote_hair_get32(from + i * 4);
        memcpy(to + i, &bits, sizeof bits);
    }
}

static mote_result get_header(const unsigned char *bytes, size_t size, mote_hair *shape, uint32_t *flags,
                              mote_hair_error *where) {
    if (size < MOTE_HAIR_HEADER) return corrupt(where, size, "The file ends inside its header.");
    if (memcmp(bytes, "HAIR", 4) != 0) return corrupt(where, 0, "The file does not begin with HAIR.");
    *shape = mote_default_hair();
    *flags = mote_hair_get32(bytes + FLAGS_AT);
    shape->strand_count = mote_hair_get32(bytes + STRANDS_AT);
    shape->point_count = mote_hair_get32(bytes + POINTS_AT);
    shape->default_segments = mote_hair_get32(bytes + SEGMENTS_AT);
    get_floats(bytes + MOTE_HAIR_DEFAULTS_AT, &shape->default_thickness, 1);
    get_floats(bytes + MOTE_HAIR_DEFAULTS_AT + 4, &shape->default_transparency, 1);
    get_floats(bytes + MOTE_HAIR_DEFAULTS_AT + 8, shape->default_colour, 3);
    memcpy(shape->text, bytes + TEXT_AT, MOTE_HAIR_TEXT);
    if (*flags >> MOTE_ARRAY_COUNT)
        return corrupt(where, FLAGS_AT, "The file has a flag that the format reserves.");
    if (!(*flags >> MOTE_ARRAY_POINTS & 1))
        return corrupt(where, FLAGS_AT, "The file has no array of points.");
    return MOTE_OK;
}

/* Finds the arrays in the file; together they must fill it exactly. */
static mote_result find_arrays(const unsigned char *bytes, size_t size, const mote_hair *shape,
                               uint32_t flags, mote_hair_source *source, mote_hair_error *where) {
    static const char *const sentences[MOTE_ARRAY_COUNT] = {
        "The file ends inside the segments.", "The file ends inside the points.",
        "The file ends inside the thicknesses.", "The file ends inside the transparencies.",
        "The file ends inside the colours."};
    uint64_t at = MOTE_HAIR_HEADER;
    for (int array = 0; array < MOTE_ARRAY_COUNT; array++) {
        if (!(flags >> array & 1)) continue;
        if (file_bytes(shape, array) > size - at) return corrupt(where, size, sentences[array]);
        source->array[array] = bytes + (size_t)at;
        at += file_bytes(shape, array);
    }
    return at < size ? corrupt(where, at, "The file goes on behind its last array.") : MOTE_OK;
}

static mote_result check_file(const unsigned char *bytes, size_t size, mote_hair *shape, uint32_t *flags,
                              mote_hair_source *source, mote_hair_error *where) {
    mote_result result = get_header(bytes, size, shape, flags, where);
    if (result) return result;
    *source = (mote_hair_source){
        shape->strand_count, shape->point_count, shape->default_segments, {0}, {NULL}, bytes};
    for (size_t i = 0; i < MOTE_HAIR_DEFAULTS; i++)
        source->defaults[i] = mote_hair_get32(bytes + MOTE_HAIR_DEFAULTS_AT + 4 * i);
    result = find_arrays(bytes, size, shape, *flags, source, where);
    return result ? result : mote_hair_verify(source, where);
}

mote_result mote_hair_read(const void *bytes, size_t size, const mote_allocator *allocator, mote_hair **hair,
                           mote_hair_error *where) {
    if (hair) *hair = NULL;
    if (!hair || !bytes) return mote_hair_return(where, MOTE_ERROR_NULL);
    mote_hair shape, *made;
    mote_hair_source source;
    uint32_t flags = 0;
    mote_result result = check_file(bytes, size, &shape, &flags, &source, where);
    if (result) return result;
    result = mote_hair_allocate(&shape, flags, allocator, &made);
    if (result) return mote_hair_return(where, result);
    for (uint32_t strand = 0; made->strand_points && strand < shape.strand_count; strand++)
        made->strand_points[strand] = (uint32_t)mote_hair_source_points(&source, strand);
    for (int array = MOTE_ARRAY_POINTS; array < MOTE_ARRAY_COUNT; array++)
        if (source.array[array])
            get_floats(source.array[array], mote_hair_floats(made, (mote_hair_array)array),
                       (uint64_t)shape.point_count * mote_hair_width[array]);
    *hair = made;
    return MOTE_OK;
}

/* --- Writing --- */

/* Writes a number; returns the address after it. */
static unsigned char *put16(unsigned char *at, uint32_t number) {
    at[0] = (unsigned char)number;
    at[1] = (unsigned char)(number >> 8);
    return at + 2;
}

static unsigned char *put32(unsigned char *at, uint32_t number) {
    return put16(put16(at, number), number >> 16);
}

static unsigned char *put_floats(unsigned char *at, const float *from, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, from + i, sizeof bits);
        at = put32(at, bits);
    }
    return at;
}

static unsigned char *put_header(unsigned char *at, const mote_hair *hair) {
    memcpy(at, "HAIR", 4);
    at = put32(at + 4, hair->strand_count);
    at = put32(at, hair->point_count);
    at = put32(at, mote_hair_flags(hair));
    at = put32(at, hair->default_segments);
    at = put_floats(at, &hair->default_thickness, 1);
    at = put_floats(at, &hair->default_transparency, 1);
    at = put_floats(at, hair->default_colour, 3);
    memcpy(at, hair->text, MOTE_HAIR_TEXT);
    return at + MOTE_HAIR_TEXT;
}

mote_result mote_hair_write(const mote_hair *hair, void *bytes, size_t size, size_t *needed) {
    mote_result result = mote_hair_check(hair, NULL);
    if (result) return result;
    if (!bytes && !needed) return MOTE_ERROR_NULL;
    const uint64_t total = total_file_bytes(hair, mote_hair_flags(hair));
    if (total > SIZE_MAX) return MOTE_ERROR_OVERFLOW;
    if (needed) *needed = (size_t)total;
    if (!bytes) return MOTE_OK;
    if (size < total) return MOTE_ERROR_BUFFER;
    unsigned char *at = put_header(bytes, hair);
    for (uint32_t strand = 0; hair->strand_points && strand < hair->strand_count; strand++)
        at = put16(at, hair->strand_points[strand] - 1);
    for (int array = MOTE_ARRAY_POINTS; array < MOTE_ARRAY_COUNT; array++) {
        const float *floats = mote_hair_floats(hair, (mote_hair_array)array);
        if (floats) at = put_floats(at, floats, (uint64_t)hair->point_count * mote_hair_width[array]);
    }
    return MOTE_OK;
}
