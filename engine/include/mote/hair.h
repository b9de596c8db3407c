/** @file
 * Hair models: strands as a modelling program stores them, read from and written to HAIR files, and resampled
 * for a simulation. The format is Cem Yuksel's (http://www.cemyuksel.com/research/hairmodels): little-endian,
 * a header of 128 bytes, then arrays. No call opens a file: the host reads the bytes and passes them. */
#ifndef MOTE_HAIR_H
#define MOTE_HAIR_H

#include <stdint.h>

#include <mote/allocator.h>

#define MOTE_HAIR_TEXT 88u /**< bytes of text in a file, terminated by a 0 only where it is shorter */

/** A hair model. Every array stores the strands one after another, the points of a strand from its root on.
 * An array that is NULL is absent from the file too, and the default of that quantity applies to all. Units
 * are the file's: models use centimetres, inches, anything. The host may fill a model of its own. In a model
 * made by mote_hair_read or mote_hair_resample the host may change the contents of the arrays, set an array
 * to NULL or point it elsewhere: mote_hair_destroy still releases the original memory. */
typedef struct mote_hair {
    uint32_t cookie;               /**< set by mote_default_hair */
    uint32_t strand_count;         /**< >= 1 */
    uint32_t point_count;          /**< of all strands */
    uint32_t default_segments;     /**< of a strand where strand_points is NULL: its points less one, >= 1 */
    uint32_t *strand_points;       /**< strand_count of them: points of each strand, 2 .. 65,536; or NULL */
    float (*points)[3];            /**< point_count positions; never NULL */
    float *thickness;              /**< point_count of them, or NULL */
    float *transparency;           /**< point_count of them, 0 opaque .. 1 invisible, or NULL */
    float (*colours)[3];           /**< point_count of red, green, blue in 0 .. 1, or NULL */
    float default_thickness;       /**< where thickness is NULL */
    float default_transparency;    /**< where transparency is NULL */
    float default_colour[3];       /**< where colours is NULL */
    char text[MOTE_HAIR_TEXT + 1]; /**< about the model; the last byte is not in the file and is read as 0 */
} mote_hair;

/** Returns a model without strands: thickness 1, transparency 0, white, no text. */
MOTE_API mote_hair mote_default_hair(void);

/** Part of a model that has an error. */
typedef enum mote_hair_item {
    MOTE_HAIR_MODEL,  /**< the model or the file */
    MOTE_HAIR_STRAND, /**< strand number index */
    MOTE_HAIR_POINT,  /**< point number index, counted through all strands */
    MOTE_HAIR_ITEM_COUNT
} mote_hair_item;

/** Location of an error: printf("%s %u: %s", mote_hair_item_name(e.item), e.index, e.text). */
typedef struct mote_hair_error {
    mote_hair_item item; /**< kind of the part */
    uint32_t index;      /**< 0 for the model */
    uint64_t offset;     /**< byte of the file at which the error was found; 0 where there is no file */
    const char *text;    /**< a sentence; static, never NULL */
} mote_hair_error;

/** Returns "model", "strand" or "point"; "unknown" for anything else. */
MOTE_API const char *mote_hair_item_name(mote_hair_item item);

/** Makes a model of a file's bytes, at any alignment; they are not needed afterwards. Refuses a file that is
 * cut short (offset = size) or continues after its last array (offset = end of the model: a call with that
 * size accepts it), that has no points or strands, whose counts do not agree, that has a strand of one point
 * (0 segments) or a reserved flag, and any number that is NaN or infinite. Everything is checked, in 64 bits,
 * before the one allocation, which is no larger than the file, plus 2 bytes a strand and less than 1 KiB.
 * allocator: NULL for the default; the hook must live as long as the model. where: NULL, or receives the
 * location of an error. Errors: NULL (a pointer, half a hook), FILE (corrupt), NOT_FINITE, OVERFLOW (more
 * than an address can hold), MEMORY; *hair is NULL then. Any thread. Cost: two passes over the file. */
MOTE_API mote_result mote_hair_read(const void *bytes, size_t size, const mote_allocator *allocator,
                                    mote_hair **hair, mote_hair_error *where);

/** Releases a model made by mote_hair_read or mote_hair_resample. NULL is allowed. */
MOTE_API void mote_hair_destroy(mote_hair *hair);

/** Checks whether a model can be written and resampled. where: NULL, or receives the location of an error.
 * Errors: NULL (hair, its points), DEF, RANGE (counts that are out of range or do not agree), NOT_FINITE. Any
 * thread. */
MOTE_API mote_result mote_hair_check(const mote_hair *hair, mote_hair_error *where);

/** Writes a model as a file into the host's memory, with the arrays that are not NULL. Reading it gives an
 * equal model, and a file that was read is written byte for byte. *needed, if not NULL, receives its size;
 * with bytes NULL nothing else happens. Errors: those of mote_hair_check; NULL (bytes and needed); OVERFLOW;
 * BUFFER (size < *needed). Nothing is written then. */
MOTE_API mote_result mote_hair_write(const mote_hair *hair, void *bytes, size_t size, size_t *needed);

/** Returns the number of points of a strand; 0 where there is no such strand. */
MOTE_API uint32_t mote_hair_strand_points(const mote_hair *hair, uint32_t strand);

#define MOTE_HAIR_MAX_RESAMPLED 1024u /**< points of a resampled strand: the limit of simulated strands */

/** Settings of a resampling. Exactly one of points and segment_length is set, the other is 0. */
typedef struct mote_hair_resample_def {
    uint32_t cookie; /**< set by mote_default_hair_resample_def */
    uint32_t points; /**< of every strand, 2 .. 1,024 */
    /** Target length of a segment, > 0, in the model's unit. The number of segments of a strand is the whole
     * number nearest to strand length / segment_length (halves upwards), within the two limits. */
    float segment_length;
    uint32_t min_points,      /**< least points of a strand, 2 .. 1,024, for segment_length */
        max_points;           /**< most points of a strand, 2 .. 1,024, for segment_length */
    mote_allocator allocator; /**< source of the new model's memory */
} mote_hair_resample_def;

/** Returns a def with neither points nor length, limits 2 and 1,024 and the default allocator. */
MOTE_API mote_hair_resample_def mote_default_hair_resample_def(void);

/** Checks a def. Returns MOTE_OK, NULL, DEF, NOT_FINITE or RANGE. parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_hair_resample_def_check(const mote_hair_resample_def *def, const char **parameter);

/** Makes a new model whose strands follow the same polylines with other numbers of points. Point j of n is at
 * arc length L j / (n - 1) of its strand's length L; thickness, transparency and colour are linear between
 * the original points. First and last points are copied. A strand of length 0 has all its points in one
 * place, with the attributes of its first point and, at the last, of its last. Where the def sets points,
 * strand_points is NULL and default_segments = points - 1. Summed in double by + - * / sqrt only: the same
 * bits everywhere. The source model is not changed. where: NULL, or receives the location of an error.
 * Errors: those of mote_hair_check; NULL (half a hook), DEF, RANGE (the def), NOT_FINITE (segment_length),
 * OVERFLOW (2^32 points or more), MEMORY; *resampled is NULL then. Any thread. Cost: two or three passes over
 * both models. */
MOTE_API mote_result mote_hair_resample(const mote_hair *hair, const mote_hair_resample_def *def,
                                        mote_hair **resampled, mote_hair_error *where);

/** Places a model: point -> scale axes point + origin, thickness -> |scale| thickness, for models in other
 * units or with another axis up. scale is in units of the simulation per unit of the file, not 0; axes[3 row
 * + column] is a rotation or a reflection (cglm and glm store columns: pass the transposed matrix), each
 * entry of axes axes^T within 1e-3 of the identity's; origin in m. Computed in double and rounded once: the
 * same bits everywhere. Errors: NULL, DEF, RANGE (scale, axes), NOT_FINITE (an argument, or a point or
 * thickness of the result): nothing is changed. Any thread. Cost: two passes over points and thickness. */
MOTE_API mote_result mote_hair_transform(mote_hair *hair, float scale, const float axes[9],
                                         const float origin[3]);

#endif
