/** @file
 * Lines for a debug view: colliders, springs, links, regions of forces and pins, as segments in the host's
 * memory. */
#ifndef MOTE_LINES_H
#define MOTE_LINES_H

#include <mote/system.h>

/** Object that a line belongs to. */
typedef enum mote_line_kind {
    MOTE_LINE_COLLIDER, /**< outline: object: colliders in the order of addition */
    MOTE_LINE_REGION,   /**< outline of a force's region, and of its falloff; object: forces likewise */
    MOTE_LINE_SPRING,   /**< item: number of the spring; object: networks likewise */
    MOTE_LINE_LINK,     /**< object: links likewise */
    MOTE_LINE_PIN, /**< three arms of a cross at a pinned point, then the way to its target; object: strands
                        and then networks, likewise */
    MOTE_LINE_KIND_COUNT
} mote_line_kind;

/** One straight line. */
typedef struct mote_line {
    float from[3],       /**< m, relative to the origin of the def */
        to[3];           /**< m, likewise */
    float strain;        /**< |d| / L - 1 of a spring or link of rest length L > 0; else 0 */
    mote_line_kind kind; /**< of its object */
    uint32_t object,     /**< number of the object among those of its kind */
        item;            /**< number within the object; else MOTE_NO_ITEM */
} mote_line;

/** Settings of mote_system_lines. */
typedef struct mote_lines_def {
    uint32_t cookie;   /**< set by mote_default_lines_def */
    uint32_t kinds;    /**< bit 1 << kind of each kind to write */
    uint32_t segments; /**< of a circle, 4 .. 256; an odd number counts as the next lower one */
    float plane_size,  /**< m, > 0: edge of the square that is drawn of a plane */
        pin_size;      /**< m, > 0: arm of a pin's cross */
    double origin[3];  /**< m: all lines are relative to it */
} mote_lines_def;

/** Returns a def of all kinds, 24 segments, planes of 10 m, pins of 0.05 m, in world coordinates. */
MOTE_API mote_lines_def mote_default_lines_def(void);

/** Checks a def. Returns MOTE_OK, NULL, DEF, NOT_FINITE or RANGE. parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_lines_def_check(const mote_lines_def *def, const char **parameter);

/** Writes the lines, kind after kind. Points of networks and strands are interpolated linearly at the clock's
 * alpha, as they are presented; colliders are where they are at the last step. A plane is a square grid
 * around its point, a rounded box is drawn with its extent and its radius, a height field as at most 33 lines
 * along each axis, a distance grid as the box around its samples. *count receives the number of
 * lines; with lines NULL nothing else happens. Far out, lines keep the float places of the step before and of
 * colliders: at 100 km they are up to 8 mm off. Errors: NULL, BUSY, DEF, RANGE, NOT_FINITE (origin), BUFFER
 * (capacity < *count): nothing is written. Not for states that must be equal on every machine: lines go
 * through cglm. */
MOTE_API mote_result mote_system_lines(const mote_system *system, const mote_lines_def *def, mote_line *lines,
                                       uint32_t capacity, uint32_t *count);

#endif
