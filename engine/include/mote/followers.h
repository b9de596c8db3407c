/** Followers: rendered strands that are carried by simulated ones. */
#ifndef MOTE_FOLLOWERS_H
#define MOTE_FOLLOWERS_H

#include <mote/strands_present.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Strands that are not simulated: each is carried by up to three strands of a bundle, its guides. Point j of
 * n of a follower, at s = j / (n - 1):
 *     x(s) = sum over i of w[i] g[i](s) + R (r(s) - sum over i of w[i] G[i](s)),   sum of w = 1
 * r: the follower's rest place; G[i]: the rest shape of guide i under the identity, root included; g[i]: the
 * same guide as it is presented; both at fraction s of its points, linear between them (a guide of n points:
 * its own points, exactly). R: the rotation of the first guide's root, normalised lerp from where the root
 * stood at the boundary before the last step to where it stands at the last one, at the clock's alpha; the
 * last one's where the system does not interpolate. A follower with the rest shape of its one guide is that
 * guide; a head that moves rigidly carries its followers rigidly. */
typedef struct mote_followers mote_followers;

#define MOTE_GUIDES   3u
#define MOTE_NO_GUIDE 0xffffffffu

/* Arrays are read by mote_followers_create alone. Followers are numbered in the order given. */
typedef struct mote_followers_def {
    uint32_t cookie;                 /* set by mote_default_followers_def */
    uint32_t follower_count;         /* >= 1 */
    uint32_t points;                 /* of every follower, 2 .. 1,024 ... */
    const uint32_t *follower_points; /* ... or of each; NULL: `points` */
    const float *positions; /* m: the rest places under the identity transform, three floats a point, follower
                               after follower */
    const uint32_t *guides; /* MOTE_GUIDES strands a follower, the first decides R; MOTE_NO_GUIDE where there
                             * are fewer. NULL: the up to three strands whose rest roots are nearest to the
                             * follower's, nearest first, the lower strand where two are equally near */
    const float
        *weights; /* MOTE_GUIDES a follower, >= 0, divided by their sum; 0: not a guide. NULL: by the inverse
                   * of the distance between rest roots; a root in the same place has all the weight */
} mote_followers_def;

/* No followers, 32 points, guides and weights chosen by the library. */
MOTE_API mote_followers_def mote_default_followers_def(void);

/* Makes followers of a bundle. Memory comes from the system's allocator, whose hook must live as long as they
 * do. *followers receives them, or NULL with an error. fault: NULL, or receives the follower (as `strand`)
 * and the point at fault. Errors: NULL (a pointer; weights without guides), BUSY, ID, DEF, RANGE (a count,
 * fewer than 2 points, a guide that is no strand, no guide with a weight above 0, a negative weight),
 * NOT_FINITE, OVERFLOW (2^32 points or more), MEMORY. Cost: the nearest guides are found by a uniform grid
 * over the roots, spread over the system's jobs. */
MOTE_API mote_result mote_followers_create(mote_system *system, mote_strands_id id,
                                           const mote_followers_def *def, mote_followers **followers,
                                           mote_strands_fault *fault);

/* Gives them back. NULL is allowed; before or after their bundle or system. */
MOTE_API void mote_followers_destroy(mote_followers *followers);

/* How many followers; 0 for NULL. */
MOTE_API uint32_t mote_followers_count(const mote_followers *followers);

/* The guides of a follower and their weights, as given or chosen: those in use first, then MOTE_NO_GUIDE and
 * 0. Weights sum to
 * 1. Errors: NULL, RANGE (no such follower). */
MOTE_API mote_result mote_followers_guides(const mote_followers *followers, uint32_t follower,
                                           uint32_t guides[MOTE_GUIDES], float weights[MOTE_GUIDES]);

/* As for bundles. Errors of the last: NULL, ENUM, BUFFER, OVERFLOW. */
MOTE_API uint64_t mote_followers_first_vertex(const mote_followers *followers, mote_strand_shape shape,
                                              uint32_t follower);
MOTE_API uint64_t mote_followers_vertex_count(const mote_followers *followers, mote_strand_shape shape);
MOTE_API uint64_t mote_followers_index_count(const mote_followers *followers, mote_strand_shape shape);
MOTE_API mote_result mote_followers_index_buffer(const mote_followers *followers, mote_strand_shape shape,
                                                 uint32_t *indices, uint64_t count);

/* Writes the followers of a bundle of this system, as mote_strands_present writes the bundle. Errors: the
 * same; ID where the bundle has been removed or is another system's. The guides are gathered in memory of the
 * followers: one call at a time for the same ones. */
MOTE_API mote_result mote_followers_present(const mote_system *system, mote_followers *followers,
                                            const mote_strand_layout *layout, void *vertices, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
