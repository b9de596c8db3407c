/** @file
 * Followers: rendered strands that are carried by simulated ones. */
#ifndef MOTE_FOLLOWERS_H
#define MOTE_FOLLOWERS_H

#include <mote/strands_present.h>

/** Strands that are not simulated: each is carried by up to three simulated strands, its guides. Point j of n
 * of a follower, at s = j / (n - 1), is at
 *
 *     x(s) = sum over i of w[i] g[i](s) + R (r(s) - sum over i of w[i] G[i](s)),   sum of w = 1
 *
 * r: the follower's rest shape. G[i]: the rest shape of guide i under the identity transform, root included.
 * g[i]: the same guide as it is presented. Both are taken at the fraction s of the guide's points and are
 * linear between them; on a guide of n points they are its own points, exactly. R: the rotation of the first
 * guide's root, by normalised linear interpolation at the clock's alpha between its rotations before and
 * after the last step; where the system does not interpolate, its rotation after the last step. A follower
 * with one guide and the rest shape of that guide coincides with it; a head that moves rigidly carries its
 * followers rigidly. */
typedef struct mote_followers mote_followers;

#define MOTE_GUIDES   3u          /**< guides of a follower, at most */
#define MOTE_NO_GUIDE 0xffffffffu /**< the guide of an unused place */

/** Settings and arrays of new followers. The arrays are read only during mote_followers_create. Followers are
 * numbered in the order given. */
typedef struct mote_followers_def {
    uint32_t cookie;                 /**< set by mote_default_followers_def */
    uint32_t follower_count;         /**< >= 1 */
    uint32_t points;                 /**< points of every follower, 2 .. 1,024, if follower_points is NULL */
    const uint32_t *follower_points; /**< points of each follower, or NULL */
    /** m: the rest shapes under the identity transform, three floats a point, follower after follower. */
    const float *positions;
    /** MOTE_GUIDES strands a follower, the first decides R; MOTE_NO_GUIDE in unused places. NULL: the up to
     * three strands whose rest roots are nearest to the follower's, nearest first, the lower strand where two
     * are equally near. */
    const uint32_t *guides;
    /** MOTE_GUIDES weights a follower, >= 0, divided by their sum; 0: not a guide. NULL: the inverse of the
     * distance between rest roots; a root in the same place has all the weight. */
    const float *weights;
} mote_followers_def;

/** Returns a def without followers: 32 points, guides and weights chosen by the library. */
MOTE_API mote_followers_def mote_default_followers_def(void);

/** Makes followers of the strands of an id. Memory comes from the system's allocator, whose hook must live as
 * long as they do. *followers receives them, or NULL with an error. fault: NULL, or receives the follower (as
 * its strand) and the point at fault. Errors: NULL (a pointer; weights without guides), BUSY, ID, DEF, RANGE
 * (a count, fewer than 2 points, a guide that is no strand, no guide with a weight above 0, a negative
 * weight), NOT_FINITE, OVERFLOW (2^32 points or more), MEMORY. Cost: the nearest guides are found by a
 * uniform grid over the roots, distributed over the system's jobs. */
MOTE_API mote_result mote_followers_create(mote_system *system, mote_strands_id id,
                                           const mote_followers_def *def, mote_followers **followers,
                                           mote_strands_fault *fault);

/** Releases followers. NULL is allowed. May be called before or after their strands or system are removed. */
MOTE_API void mote_followers_destroy(mote_followers *followers);

/** Returns the number of followers; 0 for NULL. */
MOTE_API uint32_t mote_followers_count(const mote_followers *followers);

/** Reads the guides of a follower and their weights, as given or chosen: those in use first, then
 * MOTE_NO_GUIDE and 0. Weights sum to 1. Errors: NULL, RANGE (no such follower). */
MOTE_API mote_result mote_followers_guides(const mote_followers *followers, uint32_t follower,
                                           uint32_t guides[MOTE_GUIDES], float weights[MOTE_GUIDES]);

/** Returns the number of the first vertex of a follower, as mote_strands_first_vertex does for a strand. */
MOTE_API uint64_t mote_followers_first_vertex(const mote_followers *followers, mote_strand_shape shape,
                                              uint32_t follower);

/** Returns the number of vertices of all followers; 0 for NULL or an unknown shape. */
MOTE_API uint64_t mote_followers_vertex_count(const mote_followers *followers, mote_strand_shape shape);

/** Returns the number of indices of all followers; 0 for NULL or an unknown shape. */
MOTE_API uint64_t mote_followers_index_count(const mote_followers *followers, mote_strand_shape shape);

/** Writes the indices of the vertices, as mote_strands_index_buffer does for strands. Errors: NULL, ENUM,
 * BUFFER, OVERFLOW. */
MOTE_API mote_result mote_followers_index_buffer(const mote_followers *followers, mote_strand_shape shape,
                                                 uint32_t *indices, uint64_t count);

/** Writes followers of strands of this system, as mote_strands_present writes strands. They outlive a
 * restored snapshot, of another system too, that has the same strands: their id's index, their numbers of
 * points and rest shapes. Errors: as there; ID where the system has no such strands. The guides are gathered
 * in memory of the followers: one call at a time for the same followers. */
MOTE_API mote_result mote_followers_present(const mote_system *system, mote_followers *followers,
                                            const mote_strand_layout *layout, void *vertices, size_t bytes);

#endif
