/* Parts that the presentations of strands and of followers share: a checked layout, and strands counted in
 * vertices. */
#ifndef MOTE_STRANDS_WRITER_H
#define MOTE_STRANDS_WRITER_H

#include <mote/strands_present.h>

#include "stage/present.h"
#include "strands/vertex.h"

typedef struct mote_strand_writer {
    const mote_strand_layout *layout;
    const mote_strands *strands;
    const mote_presentation *by;
    mote_strand_vertex vertex;
    uint32_t vertex_floats; /* floats written per vertex */
    bool dense;             /* outputs fill the vertex; floats are in the order of the layout */
    bool frames;            /* frames are needed */
    const double *origin;   /* m; NULL: that of the world */
    bool parameter;         /* the parameter u is needed */
    unsigned char *vertices;
} mote_strand_writer;

/* Checks the layout and fills the writer, except for its vertices. Errors: DEF, ENUM, RANGE, NOT_FINITE as
 * mote_strands_present. */
mote_result mote_strand_writer_make(mote_strand_writer *writer, const mote_strands *strands,
                                    const mote_presentation *by, const mote_strand_layout *layout);

/* Sets the caller's memory. Errors: NULL, BUFFER. */
mote_result mote_strand_writer_open(mote_strand_writer *writer, uint64_t vertex_count, void *vertices,
                                    size_t bytes);

/* Returns the address of point `point`, counted through all strands. */
MOTE_INLINE unsigned char *mote_strand_writer_at(const mote_strand_writer *writer, uint64_t point) {
    return writer->vertices + (size_t)point * (writer->vertex.ribbons ? 2 : 1) * writer->layout->stride;
}

/* Writes `points` packed points to the caller's memory from point `first` on. */
void mote_strand_writer_write(const mote_strand_writer *writer, const float *packed, uint64_t first,
                              size_t points);

/* Rows of 16 elements that mote_strand_writer_places writes, at most. */
#define MOTE_WRITER_ROWS 34u

/* Interpolates the positions of points [first, first + rows) of a group at alpha, relative to the origin. */
void mote_strand_writer_places(const mote_strand_writer *writer, uint32_t group, uint32_t first,
                               uint32_t rows, float *const out[3]);

/* List of strands; strand i has points first_point[i] .. first_point[i + 1] - 1. */
typedef struct mote_strand_list {
    const uint32_t *first_point;
    uint32_t count;
} mote_strand_list;

uint64_t mote_strand_list_first_vertex(mote_strand_list list, mote_strand_shape shape, uint32_t strand);
uint64_t mote_strand_list_vertices(mote_strand_list list, mote_strand_shape shape);
uint64_t mote_strand_list_index_count(mote_strand_list list, mote_strand_shape shape);
/* Errors: NULL, ENUM, BUFFER, OVERFLOW. */
mote_result mote_strand_list_index_buffer(mote_strand_list list, mote_strand_shape shape, uint32_t *indices,
                                          uint64_t count);

/* Writes the vertices. Errors: DEF, ENUM, RANGE, NOT_FINITE, NULL, BUFFER as mote_strands_present. */
mote_result mote_strands_write(const mote_strands *strands, const mote_presentation *by,
                               const mote_strand_layout *layout, void *vertices, size_t bytes);

#endif
