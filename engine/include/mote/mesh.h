/** @file
 * Triangles on networks, for renderers of cloth: the index buffer without what has torn, and normals. */
#ifndef MOTE_MESH_H
#define MOTE_MESH_H

#include <mote/network.h>

/** A triangle on a network. */
typedef struct mote_triangle {
    uint32_t particle[3]; /**< corners; counterclockwise as seen from the front */
    /** Springs along its edges, from particle[i] to particle[(i + 1) % 3], by number; MOTE_NO_ITEM: there is
     * none, and the edge cannot tear. */
    uint32_t spring[3];
} mote_triangle;

/** Finds the springs along the edges of triangles, those of the lowest numbers. indices: three particles of
 * each triangle. Errors: NULL, BUSY, ID, RANGE (no such particle, the same twice): nothing is written. Cost:
 * order of the springs at the corners. */
MOTE_API mote_result mote_network_triangles(const mote_system *system, mote_network_id id, uint32_t count,
                                            const uint32_t *indices, mote_triangle *triangles);

/** Writes the corners of the triangles whose springs all exist still, in order, for an index buffer; a
 * triangle with a spring that has torn or was removed is left out. A spring that was added later under the
 * number of another, with other ends, counts as another. indices: memory for 3 count of them; *index_count
 * receives how many were written. Errors: NULL, BUSY, ID, RANGE (no such particle,
 * the same twice): nothing is written. */
MOTE_API mote_result mote_network_indices(const mote_system *system, mote_network_id id, uint32_t count,
                                          const mote_triangle *triangles, uint32_t *indices,
                                          uint32_t *index_count);

/** Memory layout of the vertices of a mesh; any alignment. */
typedef struct mote_mesh_layout {
    uint32_t cookie;        /**< set by mote_default_mesh_layout */
    size_t stride;          /**< bytes from one vertex to the next */
    size_t position_offset; /**< three floats, read */
    size_t normal_offset;   /**< three floats, written; must not overlap the position */
} mote_mesh_layout;

/** Returns a layout of packed positions and normals: 24 bytes a vertex, positions at 0, normals at 12. */
MOTE_API mote_mesh_layout mote_default_mesh_layout(void);

/** Checks a layout. Returns MOTE_OK, NULL, DEF or RANGE (a vector beyond the stride or over the other).
 * parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_mesh_layout_check(const mote_mesh_layout *layout, const char **parameter);

/** Writes the normal of each vertex, of length 1: the normalised sum over its triangles of (b - a) x (c - a),
 * which weights them by area. (0, 1, 0) where the sum is 0 or not finite. For vertices that
 * mote_network_present wrote. Summed in the order of the triangles, in float: the same bits everywhere.
 * Errors: NULL, DEF, RANGE (a vector beyond the stride or over the other, an index_count that is no multiple
 * of 3, an index >= vertex_count): nothing is written. Any thread. Cost: one pass over indices, two over
 * vertices. */
MOTE_API mote_result mote_mesh_normals(const mote_mesh_layout *layout, void *vertices, uint32_t vertex_count,
                                       const uint32_t *indices, uint32_t index_count);

#endif
