/* Strands for a renderer: the points of a bundle as polylines or ribbons in the host's memory, and followers:
 * rendered strands that are carried by the simulated ones. */
#ifndef MOTE_STRANDS_H
#define MOTE_STRANDS_H

#include <mote/bundle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a strand becomes. */
typedef enum mote_strand_shape {
    MOTE_STRAND_POLYLINES, /* one vertex a point */
    MOTE_STRAND_RIBBONS,   /* two vertices a point, left then right: a band that faces the eye */
    MOTE_STRAND_SHAPE_COUNT
} mote_strand_shape;

/* Where each vertex's floats go: vertex i at byte i x stride + offset of the caller's memory, any alignment.
 * Vertices stand in the host's numbering: strand after strand, point after point. An offset MOTE_OMIT: not
 * written.
 *     u = k / (points - 1) at point k
 *     t = unit(x[k + 1] - x[k - 1]), at an end x[k] in place of what is missing; where that is 0, unit(x[k +
 * 1] - x[k]), else unit(x[k] - x[k - 1]), else (0, 1, 0) s = unit(t x (eye - x)); where the eye looks along
 * the strand (sine below 1e-5) or stands in the point: unit(t x the axis along which |t| is least), so that
 * every vertex is finite left = x - (w / 2) s, right = x + (w / 2) s, w = (1 - u) root_width + u tip_width
 * Lengths below 1e-18 m count as 0. */
typedef struct mote_strand_layout {
    uint32_t cookie; /* set by mote_default_strand_layout */
    mote_strand_shape shape;
    size_t stride;               /* bytes from one vertex to the next */
    size_t position_offset;      /* three floats, m */
    size_t tangent_offset;       /* three floats: t */
    size_t side_offset;          /* one float, ribbons only: -1 left, +1 right */
    size_t parameter_offset;     /* one float: u, 0 at the root .. 1 at the tip */
    float eye[3];                /* m; ribbons face it */
    float root_width, tip_width; /* m, >= 0, of ribbons */
} mote_strand_layout;

/* Polylines, 12 bytes a vertex, positions alone; eye at the origin, widths 1 mm. */
MOTE_API mote_strand_layout mote_default_strand_layout(void);

#define MOTE_NO_VERTEX UINT64_MAX

/* The number of the first vertex of a strand; for strand = strand count, how many vertices all strands have.
 * MOTE_NO_VERTEX where there is no such bundle, strand or shape. */
MOTE_API uint64_t mote_bundle_first_vertex(const mote_system *system, mote_bundle_id id,
                                           mote_strand_shape shape, uint32_t strand);

/* How many vertices, and how many indices below, a bundle has; 0 for anything that is not a living bundle or
 * a shape. */
MOTE_API uint64_t mote_bundle_vertex_count(const mote_system *system, mote_bundle_id id,
                                           mote_strand_shape shape);
MOTE_API uint64_t mote_bundle_index_count(const mote_system *system, mote_bundle_id id,
                                          mote_strand_shape shape);

/* Writes the indices of vertices, which stay the same as long as the bundle lives. Polylines: a list of
 * lines, (k, k + 1) for each segment. Ribbons: a list of triangles, (left k, right k, left k + 1) and (right
 * k, right k + 1, left k + 1) for each segment, counter-clockwise as the eye sees them. No two strands are
 * connected. count: room in `indices`. Errors: NULL, BUSY, ID, ENUM, BUFFER (count below
 * mote_bundle_index_count), OVERFLOW (more than 2^32 vertices). */
MOTE_API mote_result mote_bundle_indices(const mote_system *system, mote_bundle_id id,
                                         mote_strand_shape shape, uint32_t *indices, uint64_t count);

/* Writes the strands as they stand at the clock's alpha between the last two steps; bytes between are left
 * alone. x = x0 + alpha (x1 - x0); linear in systems of MOTE_INTERPOLATE_HERMITE too; the last step as it is
 * where the system does not interpolate, and for strands added or reset since. The same bits for any jobs and
 * instruction set. Errors: NULL, BUSY, ID, DEF, ENUM, RANGE (an offset beyond the stride, nothing to write, a
 * side of polylines, ribbons' widths below 0), NOT_FINITE (ribbons' eye, widths), BUFFER (bytes < vertices x
 * stride). Nothing is written then. Runs on the system's jobs; allocates nothing. Cost: one pass over
 * positions and vertices. Vertices without gaps (floats that fill the stride) go straight to the caller's
 * memory; others are scattered float by float. */
MOTE_API mote_result mote_bundle_present(const mote_system *system, mote_bundle_id id,
                                         const mote_strand_layout *layout, void *vertices, size_t bytes);

/* --- Followers --- */

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
MOTE_API mote_result mote_followers_create(mote_system *system, mote_bundle_id id,
                                           const mote_followers_def *def, mote_followers **followers,
                                           mote_bundle_fault *fault);

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
MOTE_API mote_result mote_followers_indices(const mote_followers *followers, mote_strand_shape shape,
                                            uint32_t *indices, uint64_t count);

/* Writes the followers of a bundle of this system, as mote_bundle_present writes the bundle. Errors: the
 * same; ID where the bundle has been removed or is another system's. The guides are gathered in memory of the
 * followers: one call at a time for the same ones. */
MOTE_API mote_result mote_followers_present(const mote_system *system, mote_followers *followers,
                                            const mote_strand_layout *layout, void *vertices, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
