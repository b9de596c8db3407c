/* What the presentation of bundles and of followers share: a layout that has been checked, and strands
 * counted in vertices. */
#ifndef MOTE_STRANDS_WRITER_H
#define MOTE_STRANDS_WRITER_H

#include <mote/strands_present.h>

#include "stage/present.h"
#include "strands/kernels.h"

typedef struct mote_strand_writer {
    const mote_strand_layout *layout;
    const mote_strands *strands;
    const mote_presentation *by;
    mote_strand_vertex vertex;
    uint32_t vertex_floats; /* that are written of a vertex */
    bool dense;             /* they fill it, and stand in the order of the layout */
    bool parameter;         /* u is needed */
    unsigned char *vertices;
} mote_strand_writer;

/* DEF, ENUM, RANGE, NOT_FINITE as mote_strands_present says; *writer stands without its vertices. */
mote_result mote_strand_writer_make(mote_strand_writer *writer, const mote_strands *strands,
                                    const mote_presentation *by, const mote_strand_layout *layout);

/* Gives the writer the caller's memory: NULL, BUFFER. */
mote_result mote_strand_writer_open(mote_strand_writer *writer, uint64_t vertex_count, void *vertices,
                                    size_t bytes);

/* Where point `point`, counted through all strands, begins. */
MOTE_INLINE unsigned char *mote_strand_writer_at(const mote_strand_writer *writer, uint64_t point) {
    return writer->vertices + (size_t)point * (writer->vertex.ribbons ? 2 : 1) * writer->layout->stride;
}

/* `points` points, packed, to the caller's memory from point `first` on. */
void mote_strand_writer_write(const mote_strand_writer *writer, const float *packed, uint64_t first,
                              size_t points);

/* `count` slots from `slot` on, whole rows of 16, at the alpha. */
void mote_strand_writer_blend(const mote_strand_writer *writer, size_t slot, size_t count,
                              float *const out[3]);

/* Strands of which strand i has points first_point[i] .. first_point[i + 1] - 1. */
typedef struct mote_strand_list {
    const uint32_t *first_point;
    uint32_t count;
} mote_strand_list;

uint64_t mote_strand_list_first_vertex(mote_strand_list list, mote_strand_shape shape, uint32_t strand);
uint64_t mote_strand_list_vertices(mote_strand_list list, mote_strand_shape shape);
uint64_t mote_strand_list_index_count(mote_strand_list list, mote_strand_shape shape);
/* NULL, ENUM, BUFFER, OVERFLOW. */
mote_result mote_strand_list_index_buffer(mote_strand_list list, mote_strand_shape shape, uint32_t *indices,
                                          uint64_t count);

/* DEF, ENUM, RANGE, NOT_FINITE, NULL, BUFFER: as mote_strands_present says. */
mote_result mote_strands_write(const mote_strands *strands, const mote_presentation *by,
                               const mote_strand_layout *layout, void *vertices, size_t bytes);

#endif
