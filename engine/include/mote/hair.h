/* Hair models: strands as a modelling program leaves them, in and out of HAIR files, and resampled for a
 * simulation. The format is Cem Yuksel's (http://www.cemyuksel.com/research/hairmodels): little-endian, a
 * header of 128 bytes, then arrays. Nothing here opens a file: the host reads the bytes and hands them in. */
#ifndef MOTE_HAIR_H
#define MOTE_HAIR_H

#include <stdint.h>

#include <mote/allocator.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOTE_HAIR_TEXT 88u /* bytes of text in a file, ended by a 0 only where it is shorter */

/* Strands lie one after another in every array, the points of a strand from its root on. An array that is
 * NULL is not in the file either, and the default beside it holds for all. Units are the file's: models use
 * centimetres, inches, anything. Of a model that mote_hair_read or mote_hair_resample made the host may
 * change what the arrays hold, set an array to NULL or point it elsewhere: mote_hair_destroy gives back what
 * was allocated all the same. A host may fill one of its own. */
typedef struct mote_hair {
    uint32_t cookie;               /* set by mote_default_hair */
    uint32_t strand_count;         /* >= 1 */
    uint32_t point_count;          /* of all strands */
    uint32_t default_segments;     /* of a strand where strand_points is NULL: its points less one, >= 1 */
    uint32_t *strand_points;       /* strand_count of them: points of each strand, 2 .. 65,536; or NULL */
    float (*points)[3];            /* point_count places; never NULL */
    float *thickness;              /* point_count of them, or NULL */
    float *transparency;           /* point_count of them, 0 opaque .. 1 invisible, or NULL */
    float (*colours)[3];           /* point_count of red, green, blue in 0 .. 1, or NULL */
    float default_thickness;       /* where thickness is NULL */
    float default_transparency;    /* where transparency is NULL */
    float default_colour[3];       /* where colours is NULL */
    char text[MOTE_HAIR_TEXT + 1]; /* about the model; the last byte is not in the file and is 0 when read */
} mote_hair;

/* No strands, thickness 1, transparency 0, white, no text. */
MOTE_API mote_hair mote_default_hair(void);

/* What is at fault. */
typedef enum mote_hair_item {
    MOTE_HAIR_MODEL,  /* the model or file as a whole */
    MOTE_HAIR_STRAND, /* strand `index` */
    MOTE_HAIR_POINT,  /* point `index`, counted through all strands */
    MOTE_HAIR_ITEM_COUNT
} mote_hair_item;

/* Where an error lies: printf("%s %u: %s", mote_hair_item_name(e.item), e.index, e.text). */
typedef struct mote_hair_error {
    mote_hair_item item;
    uint32_t index;   /* 0 for the model */
    uint64_t offset;  /* the byte of the file at which it shows; 0 where there is no file */
    const char *text; /* a sentence; static, never NULL */
} mote_hair_error;

/* "model", "strand", "point"; "unknown" for anything else. */
MOTE_API const char *mote_hair_item_name(mote_hair_item item);

/* Makes a model of the file's `size` bytes, at any alignment; they are not needed afterwards. Refused is a
 * file that is cut short (offset = size) or goes on behind its last array (offset = where the model ends: a
 * call with that size accepts it), that has no points or strands, whose counts do not agree, that has a
 * strand of one point (0 segments) or a reserved flag, and any number that is NaN or infinite. Everything is
 * checked, in 64 bits, before anything is allocated: one block, no larger than the file and 2 bytes a strand,
 * but for less than 1 KiB. allocator: NULL for the default; the hook must live as long as the model. where:
 * NULL, or receives where an error lies. Errors: NULL (a pointer, half a hook), FILE (corrupt), NOT_FINITE,
 * OVERFLOW (more than an address can hold), MEMORY; *hair is NULL then. Any thread. Cost: two passes over the
 * file. */
MOTE_API mote_result mote_hair_read(const void *bytes, size_t size, const mote_allocator *allocator,
                                    mote_hair **hair, mote_hair_error *where);

/* Gives back a model that mote_hair_read or mote_hair_resample made. NULL is allowed. */
MOTE_API void mote_hair_destroy(mote_hair *hair);

/* Whether a model is one that can be written and resampled. Errors: NULL (hair, its points), DEF, RANGE
 * (counts that are out of range or do not agree), NOT_FINITE. Any thread. */
MOTE_API mote_result mote_hair_check(const mote_hair *hair, mote_hair_error *where);

/* Writes the file of a model into the host's memory, the arrays that are not NULL: reading it gives an equal
 * model, and a file that was read is written byte for byte. *needed, if not NULL, receives its size; bytes
 * NULL: only that. Errors: those of mote_hair_check; NULL (bytes and needed); OVERFLOW; BUFFER (size <
 * *needed). Nothing is written then. */
MOTE_API mote_result mote_hair_write(const mote_hair *hair, void *bytes, size_t size, size_t *needed);

/* How many points a strand has; 0 where there is no such strand. */
MOTE_API uint32_t mote_hair_strand_points(const mote_hair *hair, uint32_t strand);

#define MOTE_HAIR_MAX_RESAMPLED 1024u /* points of a strand: what a bundle takes */

/* Exactly one of points and segment_length is set, the other is 0. */
typedef struct mote_hair_resample_def {
    uint32_t cookie;      /* set by mote_default_hair_resample_def */
    uint32_t points;      /* of every strand, 2 .. 1,024 */
    float segment_length; /* > 0, in the model's unit: each strand gets the whole number of segments nearest
                           * to its length divided by it (halves upwards), within the two limits */
    uint32_t min_points, max_points; /* 2 .. 1,024, for segment_length */
    mote_allocator allocator;
} mote_hair_resample_def;

/* Neither points nor length; limits 2 and 1,024; the default allocator. */
MOTE_API mote_hair_resample_def mote_default_hair_resample_def(void);

/* A new model whose strands run along the same polylines with other numbers of points: point j of n lies at
 * arc length L j / (n - 1) of the L of its strand; thickness, transparency and colour are linear between the
 * points that were there. First and last points are copied. A strand without length has all points in its
 * place, with the attributes of its first point and, at the last, of its last. Where `points` is set,
 * strand_points is NULL and default_segments = points - 1. Summed in double by + - * / sqrt alone: the same
 * bits everywhere. The hair is not changed. Errors: those of mote_hair_check; NULL (half a hook), DEF, RANGE
 * (the def), NOT_FINITE (segment_length), OVERFLOW (2^32 points or more), MEMORY; *resampled is NULL then.
 * Any thread. Cost: two or three passes over both models. */
MOTE_API mote_result mote_hair_resample(const mote_hair *hair, const mote_hair_resample_def *def,
                                        mote_hair **resampled, mote_hair_error *where);

#ifdef __cplusplus
}
#endif
#endif
