/** Strands for a renderer: points as polylines or ribbons in the host's memory. */
#ifndef MOTE_STRANDS_PRESENT_H
#define MOTE_STRANDS_PRESENT_H

#include <mote/strands.h>

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
MOTE_API uint64_t mote_strands_first_vertex(const mote_system *system, mote_strands_id id,
                                            mote_strand_shape shape, uint32_t strand);

/* How many vertices, and how many indices below, a bundle has; 0 for anything that is not a living bundle or
 * a shape. */
MOTE_API uint64_t mote_strands_vertex_count(const mote_system *system, mote_strands_id id,
                                            mote_strand_shape shape);
MOTE_API uint64_t mote_strands_index_count(const mote_system *system, mote_strands_id id,
                                           mote_strand_shape shape);

/* Writes the indices of vertices, which stay the same as long as the bundle lives. Polylines: a list of
 * lines, (k, k + 1) for each segment. Ribbons: a list of triangles, (left k, right k, left k + 1) and (right
 * k, right k + 1, left k + 1) for each segment, counter-clockwise as the eye sees them. No two strands are
 * connected. count: room in `indices`. Errors: NULL, BUSY, ID, ENUM, BUFFER (count below
 * mote_strands_index_count), OVERFLOW (more than 2^32 vertices). */
MOTE_API mote_result mote_strands_index_buffer(const mote_system *system, mote_strands_id id,
                                               mote_strand_shape shape, uint32_t *indices, uint64_t count);

/* Writes the strands as they stand at the clock's alpha between the last two steps; bytes between are left
 * alone. x = x0 + alpha (x1 - x0); linear in systems of MOTE_INTERPOLATE_HERMITE too; the last step as it is
 * where the system does not interpolate, and for strands added or reset since. The same bits for any jobs and
 * instruction set. Errors: NULL, BUSY, ID, DEF, ENUM, RANGE (an offset beyond the stride, nothing to write, a
 * side of polylines, ribbons' widths below 0), NOT_FINITE (ribbons' eye, widths), BUFFER (bytes < vertices x
 * stride). Nothing is written then. Runs on the system's jobs; allocates nothing. Cost: one pass over
 * positions and vertices. Vertices without gaps (floats that fill the stride) go straight to the caller's
 * memory; others are scattered float by float. */
MOTE_API mote_result mote_strands_present(const mote_system *system, mote_strands_id id,
                                          const mote_strand_layout *layout, void *vertices, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
