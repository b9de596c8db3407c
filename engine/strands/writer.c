/* Layouts of strands: checks, vertices in the caller's memory, index buffers. */
#include "strands/writer.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

#define COOKIE 0x73747264u

mote_strand_layout mote_default_strand_layout(void) {
    return (mote_strand_layout){.cookie = COOKIE,
                                .shape = MOTE_STRAND_POLYLINES,
                                .stride = 3 * sizeof(float),
                                .tangent_offset = MOTE_OMIT,
                                .frame_offset = MOTE_OMIT,
                                .side_offset = MOTE_OMIT,
                                .parameter_offset = MOTE_OMIT,
                                .root_width = 0.001f,
                                .tip_width = 0.001f};
}

/* --- Layouts --- */

enum { OUTPUTS = 5 };

/* Outputs in the order of the struct. */
typedef struct output {
    const char *name;
    size_t offset;
    uint32_t floats;
    int *at; /* member of the vertex */
} output;

static void list_outputs(const mote_strand_layout *layout, mote_strand_vertex *vertex,
                         output outputs[OUTPUTS]) {
    outputs[0] = (output){"position_offset", layout->position_offset, 3, &vertex->position};
    outputs[1] = (output){"tangent_offset", layout->tangent_offset, 3, &vertex->tangent};
    outputs[2] = (output){"frame_offset", layout->frame_offset, 4, &vertex->frame};
    outputs[3] = (output){"side_offset", layout->side_offset, 1, &vertex->side};
    outputs[4] = (output){"parameter_offset", layout->parameter_offset, 1, &vertex->parameter};
}

static bool fits(const output *o, size_t stride) {
    const size_t bytes = o->floats * sizeof(float);
    return o->offset == MOTE_OMIT || (stride >= bytes && o->offset <= stride - bytes);
}

static mote_result check_ribbons(const mote_strand_layout *layout, const char **name) {
    if (!mote_vector_is_finite(layout->eye)) return mote_named(name, "eye", MOTE_ERROR_NOT_FINITE);
    const mote_result result = mote_named(name, "root_width", mote_value_not_negative(layout->root_width));
    return result ? result : mote_named(name, "tip_width", mote_value_not_negative(layout->tip_width));
}

static mote_result check_outputs(const mote_strand_layout *layout, const char **name) {
    mote_strand_vertex ignored;
    output outputs[OUTPUTS];
    bool any = false;
    list_outputs(layout, &ignored, outputs);
    for (int i = 0; i < OUTPUTS; i++) {
        if (!fits(&outputs[i], layout->stride)) return mote_named(name, outputs[i].name, MOTE_ERROR_RANGE);
        any |= outputs[i].offset != MOTE_OMIT;
    }
    if (!any) return mote_named(name, "position_offset", MOTE_ERROR_RANGE);
    if (layout->shape == MOTE_STRAND_RIBBONS) return check_ribbons(layout, name);
    return layout->side_offset == MOTE_OMIT ? MOTE_OK : mote_named(name, "side_offset", MOTE_ERROR_RANGE);
}

mote_result mote_strand_layout_check(const mote_strand_layout *layout, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!layout) return MOTE_ERROR_NULL;
    if (layout->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)layout->shape >= MOTE_STRAND_SHAPE_COUNT) return mote_named(name, "shape", MOTE_ERROR_ENUM);
    if ((unsigned)layout->facing >= MOTE_RIBBON_FACING_COUNT)
        return mote_named(name, "facing", MOTE_ERROR_ENUM);
    const mote_result result = mote_named(name, "origin", mote_present_check_origin(layout->origin));
    return result ? result : check_outputs(layout, name);
}

/* Returns whether the outputs fill the stride without overlap, each at a multiple of the size of a float. */
static bool fills(const output outputs[OUTPUTS], uint32_t floats, size_t stride) {
    uint32_t filled = 0;
    if (stride != floats * sizeof(float)) return false;
    for (int i = 0; i < OUTPUTS; i++) {
        if (outputs[i].offset == MOTE_OMIT) continue;
        if (outputs[i].offset % sizeof(float)) return false;
        filled |= ((1u << outputs[i].floats) - 1u) << outputs[i].offset / sizeof(float);
    }
    return filled == (1u << floats) - 1u;
}

/* Decides which of the tangents and frames are needed. */
static void set_needs(mote_strand_writer *writer) {
    mote_strand_vertex *vertex = &writer->vertex;
    const mote_strand_layout *layout = writer->layout;
    const bool sides = vertex->ribbons && vertex->position >= 0;
    vertex->framed = sides && (layout->facing == MOTE_RIBBON_FRAME ||
                               (layout->facing == MOTE_RIBBON_MATERIAL && writer->strands->has_frames));
    vertex->directed = (sides && !vertex->framed) || vertex->tangent >= 0;
    writer->frames = vertex->framed || vertex->frame >= 0;
    writer->parameter = vertex->ribbons || vertex->parameter >= 0;
}

mote_result mote_strand_writer_make(mote_strand_writer *writer, const mote_strands *strands,
                                    const mote_presentation *by, const mote_strand_layout *layout) {
    output outputs[OUTPUTS];
    *writer = (mote_strand_writer){.layout = layout, .strands = strands, .by = by};
    mote_strand_vertex *vertex = &writer->vertex;
    list_outputs(layout, vertex, outputs);
    mote_result result = mote_strand_layout_check(layout, NULL);
    if (result) return result;
    for (int i = 0; i < OUTPUTS; i++) {
        *outputs[i].at = outputs[i].offset == MOTE_OMIT ? -1 : (int)writer->vertex_floats;
        writer->vertex_floats += outputs[i].offset == MOTE_OMIT ? 0 : outputs[i].floats;
    }
    writer->dense = fills(outputs, writer->vertex_floats, layout->stride);
    for (int i = 0; i < OUTPUTS && writer->dense; i++)
        if (outputs[i].offset != MOTE_OMIT) *outputs[i].at = (int)(outputs[i].offset / sizeof(float));
    vertex->ribbons = layout->shape == MOTE_STRAND_RIBBONS;
    vertex->floats = writer->vertex_floats * (vertex->ribbons ? 2 : 1);
    memcpy(vertex->eye, layout->eye, sizeof vertex->eye);
    vertex->root_width = layout->root_width;
    vertex->tip_width = layout->tip_width;
    writer->origin = mote_present_origin(layout->origin);
    set_needs(writer);
    return MOTE_OK;
}

mote_result mote_strand_writer_open(mote_strand_writer *writer, uint64_t vertex_count, void *vertices,
                                    size_t bytes) {
    if (!vertices) return MOTE_ERROR_NULL;
    if (bytes / writer->layout->stride < vertex_count) return MOTE_ERROR_BUFFER;
    writer->vertices = vertices;
    return MOTE_OK;
}

/* --- Writing --- */

static void scatter(unsigned char *to, size_t stride, const float *from, size_t floats, size_t bytes,
                    size_t count) {
    for (size_t i = 0; i < count; i++, to += stride, from += floats) {
        if (bytes == 3 * sizeof(float))
            memcpy(to, from, 3 * sizeof(float));
        else if (bytes == 4 * sizeof(float))
            memcpy(to, from, 4 * sizeof(float));
        else
            memcpy(to, from, sizeof(float));
    }
}

void mote_strand_writer_write(const mote_strand_writer *writer, const float *packed, uint64_t first,
                              size_t points) {
    unsigned char *to = mote_strand_writer_at(writer, first);
    if (writer->dense) {
        memcpy(to, packed, points * writer->vertex.floats * sizeof(float));
        return;
    }
    mote_strand_vertex vertex = writer->vertex;
    output outputs[OUTPUTS];
    list_outputs(writer->layout, &vertex, outputs);
    for (int i = 0; i < OUTPUTS; i++)
        if (outputs[i].offset != MOTE_OMIT)
            scatter(to + outputs[i].offset, writer->layout->stride, packed + *outputs[i].at,
                    writer->vertex_floats, outputs[i].floats * sizeof(float),
                    points * (vertex.ribbons ? 2 : 1));
}

/* Interpolates relative to the origin, with the low parts of the places. */
static void place_from_origin(const mote_strand_writer *writer, uint32_t group, size_t slot, size_t count,
                              float *const out[3]) {
    MOTE_ALIGNED(64) float memory[3][MOTE_WRITER_ROWS * MOTE_GROUP];
    float *const low[3] = {memory[0], memory[1], memory[2]};
    const mote_strands *strands = writer->strands;
    const mote_range *range = &strands->range;
    const bool blends = range->previous_x[0] != NULL, lows = strands->relative_x[0] != NULL;
    mote_places places = {0};
    if (lows) strands->present->low_places(strands, group, slot, count, low);
    for (int axis = 0; axis < 3; axis++) {
        places.x[0][axis] = (blends ? range->previous_x : range->x)[axis] + slot;
        places.x[1][axis] = range->x[axis] + slot;
        if (!lows) continue;
        places.low[0][axis] = blends ? strands->previous_low[axis] + slot : low[axis];
        places.low[1][axis] = low[axis];
    }
    writer->by->kernels->offset(&places, writer->origin, writer->by->alpha, count, out);
}

void mote_strand_writer_places(const mote_strand_writer *writer, uint32_t group, uint32_t first,
                               uint32_t rows, float *const out[3]) {
    const mote_range *range = &writer->strands->range;
    const size_t slot = writer->strands->group[group].first + (size_t)first * MOTE_GROUP,
                 count = (size_t)rows * MOTE_GROUP;
    float *x[3], *previous[3];
    for (int axis = 0; axis < 3; axis++) {
        x[axis] = range->x[axis] + slot;
        previous[axis] = range->previous_x[axis] ? range->previous_x[axis] + slot : NULL;
    }
    if (writer->origin)
        place_from_origin(writer, group, slot, count, out);
    else if (previous[0])
        writer->by->kernels->blend(previous, x, writer->by->alpha, count, out);
    else
        for (int axis = 0; axis < 3; axis++) memcpy(out[axis], x[axis], count * sizeof(float));
}

/* --- Lists of strands --- */

static bool is_shape(mote_strand_shape shape) { return (unsigned)shape < MOTE_STRAND_SHAPE_COUNT; }

uint64_t mote_strand_list_first_vertex(mote_strand_list list, mote_strand_shape shape, uint32_t strand) {
    if (!is_shape(shape) || !list.first_point || strand > list.count) return MOTE_NO_VERTEX;
    return (uint64_t)list.first_point[strand] * (shape == MOTE_STRAND_RIBBONS ? 2 : 1);
}

uint64_t mote_strand_list_vertices(mote_strand_list list, mote_strand_shape shape) {
    uint64_t vertices = mote_strand_list_first_vertex(list, shape, list.count);
    return vertices == MOTE_NO_VERTEX ? 0 : vertices;
}

uint64_t mote_strand_list_index_count(mote_strand_list list, mote_strand_shape shape) {
    if (!is_shape(shape) || !list.first_point) return 0;
    return (uint64_t)(list.first_point[list.count] - list.count) * (shape == MOTE_STRAND_RIBBONS ? 6 : 2);
}

static uint32_t *write_segment(uint32_t *to, mote_strand_shape shape, uint32_t point) {
    const uint32_t left = 2 * point;
    const uint32_t line[2] = {point, point + 1},
                   band[6] = {left, left + 1, left + 2, left + 1, left + 3, left + 2};
    const size_t count = shape == MOTE_STRAND_RIBBONS ? 6 : 2;
    memcpy(to, shape == MOTE_STRAND_RIBBONS ? band : line, count * sizeof *to);
    return to + count;
}

mote_result mote_strand_list_index_buffer(mote_strand_list list, mote_strand_shape shape, uint32_t *indices,
                                          uint64_t count) {
    if (!is_shape(shape)) return MOTE_ERROR_ENUM;
    if (!indices) return MOTE_ERROR_NULL;
    if (mote_strand_list_vertices(list, shape) > (uint64_t)UINT32_MAX + 1) return MOTE_ERROR_OVERFLOW;
    if (count < mote_strand_list_index_count(list, shape)) return MOTE_ERROR_BUFFER;
    for (uint32_t strand = 0; strand < list.count; strand++)
        for (uint32_t point = list.first_point[strand]; point + 1 < list.first_point[strand + 1]; point++)
            indices = write_segment(indices, shape, point);
    return MOTE_OK;
}
