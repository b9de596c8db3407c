/* Functions that reading, writing and resampling of hair models share. */
#ifndef MOTE_FORMATS_HAIR_H
#define MOTE_FORMATS_HAIR_H

#include <mote/hair.h>

#include "base/compiler.h"

/* Arrays in the order of the file; bit 1 << array of its flags marks those that are present. */
typedef enum mote_hair_array {
    MOTE_ARRAY_SEGMENTS,
    MOTE_ARRAY_POINTS,
    MOTE_ARRAY_THICKNESS,
    MOTE_ARRAY_TRANSPARENCY,
    MOTE_ARRAY_COLOURS,
    MOTE_ARRAY_COUNT
} mote_hair_array;

/* Floats per point in each array; 0: one integer per strand. */
extern const uint8_t mote_hair_width[MOTE_ARRAY_COUNT];

enum { MOTE_HAIR_HEADER = 128, MOTE_HAIR_DEFAULTS_AT = 20, MOTE_HAIR_DEFAULTS = 5 };

/* Unverified model, in memory or in a file: both are verified by the same code. */
typedef struct mote_hair_source {
    uint32_t strand_count, point_count, default_segments;
    uint32_t defaults[MOTE_HAIR_DEFAULTS];        /* bits of thickness, transparency, colour */
    const unsigned char *array[MOTE_ARRAY_COUNT]; /* NULL: absent */
    const unsigned char *file; /* first byte of the file; NULL: the arrays are those of a mote_hair */
} mote_hair_source;

/* Fills *where if it is not NULL, and returns the result. */
mote_result mote_hair_fail(mote_hair_error *where, mote_result result, mote_hair_item item, uint32_t index,
                           uint64_t offset, const char *text);

/* Fills *where with the text of the result, MOTE_OK included, and returns the result. */
mote_result mote_hair_return(mote_hair_error *where, mote_result result);

/* Checks that the counts agree and all numbers are finite. array[MOTE_ARRAY_POINTS] must be present. Errors:
 * FILE (of a file) or RANGE; NOT_FINITE. */
mote_result mote_hair_verify(const mote_hair_source *source, mote_hair_error *where);

/* Returns the points of a strand of a source. */
uint64_t mote_hair_source_points(const mote_hair_source *source, uint32_t strand);

/* Allocates a model with capacity for `arrays` (a set of flags), in one block. Counts, defaults and text are
 * those of `shape`; the arrays are not filled. hook: NULL for the default. Errors: NULL (half a hook),
 * OVERFLOW, MEMORY. */
mote_result mote_hair_allocate(const mote_hair *shape, uint32_t arrays, const mote_allocator *hook,
                               mote_hair **hair);

/* Floats of an array, or NULL; and the flags of the arrays that are present. */
float *mote_hair_floats(const mote_hair *hair, mote_hair_array array);
uint32_t mote_hair_flags(const mote_hair *hair);

/* Integers of the file: little-endian, at any alignment, on any machine. */
MOTE_INLINE uint32_t mote_hair_get16(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
MOTE_INLINE uint32_t mote_hair_get32(const unsigned char *at) {
    return mote_hair_get16(at) | mote_hair_get16(at + 2) << 16;
}

#endif
