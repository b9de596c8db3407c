/* Interpolation of presented states: kernels that all ranges share. */
#ifndef MOTE_STAGE_PRESENT_H
#define MOTE_STAGE_PRESENT_H

#include <mote/isa.h>
#include <mote/system.h>

#include "base/compiler.h"
#include "stage/over_life.h"

/* Cubic Hermite interpolation at s = alpha between the states of two steps h apart, columns x0, x1, v0, v1.
 *
 * Position:  x(s) = x0 + s^2 (3 - 2 s) (x1 - x0) + h (s (1 - s)^2 v0 - s^2 (1 - s) v1).
 * Velocity:  v(s) = v0 + s (v1 - v0) + 6 s (1 - s) d,   d = (x1 - x0) / h - (v0 + v1) / 2.
 *
 * These are the usual polynomials, written with the difference x1 - x0, whose rounding is negligible, in
 * place of multiples of x0 and x1 that cancel. Written with x0 and x1 the velocity has terms 6 s (1 - s) x /
 * h: at 8,194 m and 1,024 Hz up to 12.6 million m/s, with a rounding of 0.5 m/s, and a constant 64 m/s was
 * presented as 63.0 to 65.0.
 *
 * d is the mean velocity of the positions less that of the end velocities, h^2 / 12 times the third
 * derivative for a smooth motion. Its error is that of the stored positions: each of n updates within the
 * step rounds x by at most 2^-24 |x|, often in the same direction, together n 2^-24 |x| / h (0.5 m/s in the
 * example). So d is reduced towards 0 by its error bound
 *     e = n 2^-24 max(|x0|, |x1|) / h + 2^-21 max(|v0|, |v1|)
 * (soft threshold), whose second term covers the rounding of h, of the products h v and of this evaluation.
 * The reduced d is between 0 and the d of unrounded positions. So v(s) is between the linear
 * interpolation of v0 and v1 and the derivative of the unrounded cubic; a constant velocity is reproduced
 * exactly; and v(s) is continuous in time and in the state. */
typedef struct mote_hermite {
    float alpha;
    float position[3];      /* weights of x1 - x0, v0 (s), v1 (s) */
    float inverse_h, bump;  /* 1/s; 6 s (1 - s) */
    float x_error, v_error; /* e = x_error |x| + v_error |v|; 1/s, 1 */
} mote_hermite;

/* Returns the weights for a step of h seconds in which a position is rounded `roundings` times. */
mote_hermite mote_hermite_make(float alpha, double h, double roundings);

#define MOTE_ARC_TERMS 8

/* Weights of spherical linear interpolation at alpha,
 *     sin(t angle) / sin(angle) = t (1 + b1 (1 + b2 (1 + ...))),  bi = (t^2 / (i (2 i + 1)) - i / (2 i + 1))
 * (c - 1) with the cosine c = 0 .. 1 of the angle between two quaternions; the last term is scaled to make up
 * for those that are omitted (Eberly, A Fast and Accurate Algorithm for Computing SLERP, J. Graph. GPU Game
 * Tools 15 (2011) 161). After normalisation the angle errs by less than 1e-5. */
typedef struct mote_arc {
    float alpha, left;                                       /* t of the current and of the previous one */
    float current[MOTE_ARC_TERMS], previous[MOTE_ARC_TERMS]; /* bi / (c - 1) */
} mote_arc;

mote_arc mote_arc_make(float alpha);

/* Positions before and after the last step, in a high and a low part each (stage/place.h). */
typedef struct mote_places {
    const float *x[2][3];   /* m; previous and current */
    const float *low[2][3]; /* m; all NULL: 0 */
} mote_places;

/* Table of kernels, compiled once per instruction set. */
typedef struct mote_present_kernels {
    /* Linear interpolation x0 + alpha (x1 - x0) of `count` elements, rounded up to whole lane groups.
     * Elements without a previous state (NaN in previous x) are copied from `current`. */
    void (*blend)(float *const previous[3], float *const current[3], float alpha, size_t count,
                  float *const out[3]);
    /* Linear interpolation to packed vectors: float 3 i + axis of `to`, any alignment. */
    void (*blend_packed)(float *const previous[3], float *const current[3], float alpha, size_t count,
                         void *to);
    /* Cubic Hermite interpolation of position and of velocity; columns x0, x1, v0, v1. Elements without a
     * previous state are copied from `current`. NaN in x of v0: positions are interpolated linearly, and
     * velocities are copied. */
    void (*hermite_position)(const mote_hermite *by, float *column[4][3], float *const current[3],
                             size_t count, float *const out[3]);
    void (*hermite_velocity)(const mote_hermite *by, float *column[4][3], float *const current[3],
                             size_t count, float *const out[3]);
    /* Linear interpolation relative to an origin,
     *     (x0 - origin) + (l0 + alpha ((x1 - x0) + (l1 - l0))),
     * in double, rounded once. The places of elements without a previous state are the current ones. */
    void (*offset)(const mote_places *places, const double origin[3], float alpha, size_t count,
                   float *const out[3]);
    /* Cubic Hermite interpolation of position relative to an origin, in double, rounded once; linear where x
     * of v0 is NaN. */
    void (*hermite_offset)(const mote_hermite *by, float *column[4][3], const double origin[3], size_t count,
                           float *const out[3]);
    /* Depths x . direction of `count` elements, rounded up to whole lane groups, in the order of the sum
     * (x + y) + z. range: least and greatest depth of the elements below `count`, lowered and raised;
     * depths that are not finite are left out. Returns whether there are such. */
    bool (*depths)(float *const x[3], const float direction[3], size_t count, float *depth, float range[2]);
    /* Sort keys of depths: (furthest - depth) x scale, rounded down and limited to 0 .. 65535; 65535 where
     * the depth is not finite. */
    void (*keys)(const float *depth, float furthest, float scale, size_t count, uint16_t *key);
    /* Copy to packed vectors: float 3 i + axis of `to` (any alignment) = column[axis][i] for i < count, a
     * multiple of 16. */
    void (*interleave)(float *const column[3], size_t count, void *to);
    /* Interpolates orientations x, y, z, w along the shorter arc and normalises them, `count` rounded up to
     * whole lane groups. NaN in x of a previous one, or NULLs: the current one, normalised. */
    void (*turn)(const mote_arc *arc, float *const previous[4], float *const current[4], size_t count,
                 float *const out[4]);
    /* Lives 0 .. 1 of `count` particles. */
    void (*lives)(const mote_ages *ages, size_t count, float *life);
    /* Sizes of `count` lives, rounded up to whole lane groups, times a factor each (NULL: 1). */
    void (*sizes)(const mote_curve *curve, const float *life, const float *factor, size_t count, float *size);
    /* Colours of `count` lives, at most MOTE_COLOUR_BLOCK and readable up to a whole lane group, to vertices
     * of `stride` bytes from `to` on. */
    void (*colours)(const mote_curve *curve, const float *life, size_t count, mote_colour_format format,
                    unsigned char *to, size_t stride);
} mote_present_kernels;

/* Returns whether a vector at `offset` fits in a vertex of `stride` bytes. */
MOTE_INLINE bool mote_vector_fits(size_t offset, size_t stride) {
    return stride >= 3 * sizeof(float) && offset <= stride - 3 * sizeof(float);
}

/* Returns the origin; NULL if it is that of the world. */
MOTE_INLINE const double *mote_present_origin(const double origin[3]) {
    return origin[0] != 0 || origin[1] != 0 || origin[2] != 0 ? origin : NULL;
}

/* Checks an origin: NOT_FINITE. */
mote_result mote_present_check_origin(const double origin[3]);

/* Checks the layout, except for its offsets: DEF, NOT_FINITE; *name receives the field. */
mote_result mote_present_check_layout(const mote_present_layout *layout, const char **name);

/* Returns the name of a field that asks for more than positions in the order of the particles; NULL: none. */
const char *mote_present_more(const mote_present_layout *layout);

/* Returns the table of an instruction set, or NULL. */
const mote_present_kernels *mote_present_kernels_for(mote_isa isa);

/* Parameters of one presentation; alpha: position between the last two steps. */
typedef struct mote_presentation {
    const mote_present_kernels *kernels;
    const mote_jobs *jobs;
    float alpha;
} mote_presentation;

#endif
