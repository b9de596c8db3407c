/** @file
 * Strands for a renderer: points as polylines or ribbons in the host's memory. */
#ifndef MOTE_STRANDS_PRESENT_H
#define MOTE_STRANDS_PRESENT_H

#include <mote/strands.h>

/** Geometry of a presented strand. */
typedef enum mote_strand_shape {
    MOTE_STRAND_POLYLINES, /**< one vertex a point */
    MOTE_STRAND_RIBBONS,   /**< two vertices a point, left then right: a band (mote_ribbon_facing) */
    MOTE_STRAND_SHAPE_COUNT
} mote_strand_shape;

/** Direction s across ribbons. */
typedef enum mote_ribbon_facing {
    /** The first axis of the frame where strands have material frames (twisting stiffness), so that a twisted
     * rod is a twisted ribbon; other strands as MOTE_RIBBON_EYE. Followers as their guides. */
    MOTE_RIBBON_MATERIAL,
    MOTE_RIBBON_EYE,   /**< faces the eye: s = unit(t x (eye - x)) */
    MOTE_RIBBON_FRAME, /**< the first axis of the frame of any strand */
    MOTE_RIBBON_FACING_COUNT
} mote_ribbon_facing;

/** Memory layout of vertices: a float of vertex i is at byte i x stride + its offset in the caller's memory,
 * any alignment. Vertices are in the host's numbering: strand after strand, point after point. An offset
 * MOTE_OMIT: not written. At point k:
 *
 *     u = k / (points - 1)
 *     t = unit(x[k + 1] - x[k - 1]), with x[k] for a neighbour that does not exist
 *     s = unit(t x (eye - x)), or the first axis of the frame (mote_ribbon_facing)
 *     left = x - (w / 2) s,   right = x + (w / 2) s,   w = (1 - u) root_width + u tip_width
 *
 * The frame is a rotation whose third axis is t. With turn(q, t), the frame q turned by the smallest rotation
 * that takes its third axis to t (parallel transport; where the axis is opposite to t, cosine below -0.999,
 * after half a turn about the first axis):
 *
 *     rods with material frames: turn(unit(q[k - 1] + q[k]), t), where q[k] is the material frame of the
 *       segment behind point k, interpolated as the points (q and -q being one frame) and not normalised
 *       before the sum; one of the two at an end. Twist about the strand is that of the rod.
 *     other strands: turn(frame of point k - 1, t), before point 0 the root's rotation times turn(identity,
 *       direction of the rest shape's first segment). The frame does not turn about the strand.
 *     followers: turn(frame of the first guide at the fraction u, t).
 *
 * Special cases keep every vertex finite. Where t would be 0 it is the direction of the next segment, of the
 * previous one, or (0, 1, 0), the first that is not 0. Where the eye looks along the strand (sine below 1e-5)
 * or is at the point, s = unit(t x the axis along which |t| is least). Lengths below 1e-18 m count as 0. */
typedef struct mote_strand_layout {
    uint32_t cookie;         /**< set by mote_default_strand_layout */
    mote_strand_shape shape; /**< polylines or ribbons */
    size_t stride;           /**< bytes from one vertex to the next */
    size_t position_offset;  /**< three floats, m */
    size_t tangent_offset;   /**< three floats: t */
    size_t frame_offset;     /**< four floats: the frame, a unit quaternion x, y, z, w */
    size_t side_offset;      /**< one float, ribbons only: -1 left, +1 right */
    size_t parameter_offset; /**< one float: u, 0 at the root .. 1 at the tip */
    /** m: positions are written relative to it, and `eye` is relative to it too. The place of a point is
     * interpolated in double, with the part below float32 that constrained strands keep, and rounded once: a
     * strand far from the origin of the world is presented as at it. All 0: world coordinates. */
    double origin[3];
    mote_ribbon_facing facing; /**< of ribbons */
    float eye[3];              /**< m, relative to origin */
    float root_width,          /**< m, >= 0, of ribbons at the root */
        tip_width;             /**< m, >= 0, of ribbons at the tip */
} mote_strand_layout;

/** Returns a layout of polylines, 12 bytes a vertex, positions only, in world coordinates;
 * MOTE_RIBBON_MATERIAL, eye at the origin, widths 1 mm. */
MOTE_API mote_strand_layout mote_default_strand_layout(void);

/** Checks a layout. Returns the code that mote_strands_present and mote_followers_present would return for
 * it: MOTE_OK, NULL, DEF, ENUM, RANGE or NOT_FINITE. parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_strand_layout_check(const mote_strand_layout *layout, const char **parameter);

#define MOTE_NO_VERTEX UINT64_MAX /**< number of no vertex */

/** Returns the number of the first vertex of a strand; for strand = strand count, the number of vertices of
 * all strands. MOTE_NO_VERTEX where there are no such strands, strand or shape. */
MOTE_API uint64_t mote_strands_first_vertex(const mote_system *system, mote_strands_id id,
                                            mote_strand_shape shape, uint32_t strand);

/** Returns the number of vertices of all strands of an id; 0 for an invalid id or shape. */
MOTE_API uint64_t mote_strands_vertex_count(const mote_system *system, mote_strands_id id,
                                            mote_strand_shape shape);

/** Returns the number of indices that mote_strands_index_buffer writes; 0 for an invalid id or shape. */
MOTE_API uint64_t mote_strands_index_count(const mote_system *system, mote_strands_id id,
                                           mote_strand_shape shape);

/** Writes the indices of the vertices, which never change. Polylines: a list of lines, (k, k + 1) for each
 * segment. Ribbons: a list of triangles, (left k, right k, left k + 1) and (right k, right k + 1, left k + 1)
 * for each segment, counter-clockwise as the eye sees them (of ribbons that face it). No two strands are
 * connected. count: capacity of indices. Errors: NULL, BUSY, ID, ENUM, BUFFER (count below
 * mote_strands_index_count), OVERFLOW (more than 2^32 vertices). */
MOTE_API mote_result mote_strands_index_buffer(const mote_system *system, mote_strands_id id,
                                               mote_strand_shape shape, uint32_t *indices, uint64_t count);

/** Writes the strands at the clock's alpha between the last two steps; bytes between the floats of the layout
 * are not touched. x = x0 + alpha (x1 - x0), also in systems of MOTE_INTERPOLATE_HERMITE; x = x1 where the
 * system does not interpolate, and for strands added or reset since. The same bits for any jobs and
 * instruction set. Errors: NULL, BUSY, ID, DEF, ENUM, RANGE (an offset beyond the stride, nothing to
 * write, a side of polylines, ribbons' widths below 0), NOT_FINITE (origin; ribbons' eye, widths), BUFFER
 * (bytes < vertices x stride). Nothing is written then. Runs on the system's jobs; allocates nothing. Cost:
 * one pass over positions and vertices. Vertices without gaps (floats that fill the stride) are written
 * directly to the caller's memory; others are scattered float by float. */
MOTE_API mote_result mote_strands_present(const mote_system *system, mote_strands_id id,
                                          const mote_strand_layout *layout, void *vertices, size_t bytes);

#endif
