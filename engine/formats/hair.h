/* What reading, writing and resampling hair models share. */
#ifndef MOTE_FORMATS_HAIR_H
#define MOTE_FORMATS_HAIR_H

#include <mote/hair.h>

#include "base/compiler.h"

/* The arrays in the file's order; bit 1 << array of its flags says that it is there. */
typedef enum mote_hair_array {
    MOTE_ARRAY_SEGMENTS,
    MOTE_ARRAY_POINTS,
    MOTE_ARRAY_THICKNESS,
    MOTE_ARRAY_TRANSPARENCY,
    MOTE_ARRAY_COLOURS,
    MOTE_ARRAY_COUNT
} mote_hair_array;

/* Floats of a point in each; 0: the array holds one integer for each strand. */
extern const uint8_t mote_hair_width[MOTE_ARRAY_COUNT];

enum { MOTE_HAIR_HEADER = 128, MOTE_HAIR_DEFAULTS_AT = 20, MOTE_HAIR_DEFAULTS = 5 };

/* A model that is not yet trusted, in memory or in a file: one place says what is wrong with either. */
typedef struct mote_hair_source {
    uint32_t strand_count, point_count, default_segments;
    uint32_t defaults[MOTE_HAIR_DEFAULTS];        /* the bits of thickness, transparency, colour */
    const unsigned char *array[MOTE_ARRAY_COUNT]; /* NULL: not there */
    const unsigned char *file; /* its first byte; NULL: the arrays are those of a mote_hair */
} mote_hair_source;

/* Fills *where, if there is one, and returns the result. */
mote_result mote_hair_fail(mote_hair_error *where, mote_result result, mote_hair_item item, uint32_t index,
                           uint64_t offset, const char *text);

/* The same for what is said by the result alone, success included. */
mote_result mote_hair_return(mote_hair_error *where, mote_result result);

/* Whether counts agree and all numbers are finite; array[MOTE_ARRAY_POINTS] is there. FILE or RANGE;
 * NOT_FINITE. */
mote_result mote_hair_verify(const mote_hair_source *source, mote_hair_error *where);

/* Points of a strand, and the bits of a float, of a source. */
uint64_t mote_hair_source_points(const mote_hair_source *source, uint32_t strand);
uint32_t mote_hair_source_bits(const mote_hair_source *source, mote_hair_array array, uint64_t index);

/* One block with room for `arrays` (a set of flags). Counts, defaults and text are those of `shape`; the
 * arrays are not filled. hook: NULL for the default. Errors: NULL (half a hook), OVERFLOW, MEMORY. */
mote_result mote_hair_allocate(const mote_hair *shape, uint32_t arrays, const mote_allocator *hook,
                               mote_hair **hair);

/* The floats of an array, or NULL; and the flags of those that there are. */
float *mote_hair_floats(const mote_hair *hair, mote_hair_array array);
uint32_t mote_hair_flags(const mote_hair *hair);

/* Numbers of the file: little-endian, at any alignment, on any machine. */
MOTE_INLINE uint32_t mote_hair_get16(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
MOTE_INLINE uint32_t mote_hair_get32(const unsigned char *at) {
    return mote_hair_get16(at) | mote_hair_get16(at + 2) << 16;
}

#endif
