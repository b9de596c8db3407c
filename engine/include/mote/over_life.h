/** @file
 * Keys of sizes and colours over the life of a particle: mote_present_layout. */
#ifndef MOTE_OVER_LIFE_H
#define MOTE_OVER_LIFE_H

/** The way from a key to the next one: share e(t) of their difference, t = 0 .. 1 from life to life. */
typedef enum mote_easing {
    MOTE_EASE_STEP,   /**< e = 0: constant up to the next key */
    MOTE_EASE_LINEAR, /**< e = t */
    MOTE_EASE_SMOOTH, /**< e = 3 t^2 - 2 t^3: at rest at both ends */
    MOTE_EASE_IN,     /**< e = t^2: at rest at the start */
    MOTE_EASE_OUT,    /**< e = 2 t - t^2: at rest at the end */
    MOTE_EASING_COUNT
} mote_easing;

#define MOTE_MAX_KEYS 16u /**< keys of a list */

/** A size at a moment of a life. */
typedef struct mote_size_key {
    float life;         /**< 0 .. 1, greater than that of the key before */
    float size;         /**< any unit */
    mote_easing easing; /**< to the next key */
} mote_size_key;

/** A colour at a moment of a life. */
typedef struct mote_colour_key {
    float life;         /**< 0 .. 1, greater than that of the key before */
    float colour[4];    /**< red, green, blue, opacity, linear; beyond 0 .. 1 too */
    mote_easing easing; /**< to the next key */
} mote_colour_key;

/** Format of a colour in a vertex. */
typedef enum mote_colour_format {
    MOTE_COLOUR_FLOAT,  /**< four floats: red, green, blue, opacity */
    MOTE_COLOUR_UNORM8, /**< four bytes in the same order: floor(255 c + 1/2), c limited to 0 .. 1 */
    MOTE_COLOUR_FORMAT_COUNT
} mote_colour_format;

#endif
