/* Presentation of strands: transposes the points of 16 strands across lanes to one strand after another, in
 * windows that the nearest cache holds. */
#include <string.h>

#include "base/parallel.h"
#include "strands/writer.h"

enum {
    ROWS = 256,        /* rows of 16 floats in a window */
    WINDOW = 32,       /* points in a window at most */
    AHEAD = MOTE_GROUP /* elements before the first point; they hold the point before it */
};

typedef struct task {
    const mote_strands *strands;
    mote_strand_writer writer;
} task;

/* Window of points of a group. */
typedef struct window {
    uint32_t first, count, lane; /* points; the group's first lane */
    const int32_t *points;       /* points of each strand */
    MOTE_ALIGNED(64) float x[3][(WINDOW + 2) * MOTE_GROUP];
    MOTE_ALIGNED(64) float parameter[WINDOW * MOTE_GROUP];
    MOTE_ALIGNED(64) float rows[ROWS * MOTE_GROUP];
    MOTE_ALIGNED(64) float packed[MOTE_GROUP][ROWS];
} window;

/* Repeats the end of each strand in place of the missing neighbour. */
static void extend_ends(window *w, bool last) {
    for (int axis = 0; axis < 3; axis++) {
        float *x = w->x[axis] + AHEAD, *end = x + w->count * MOTE_GROUP;
        if (w->first == 0) memcpy(x - MOTE_GROUP, x, MOTE_GROUP * sizeof *x);
        if (last) memcpy(end, end - MOTE_GROUP, MOTE_GROUP * sizeof *x);
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            const uint32_t tip =
                (uint32_t)(w->points[lane] - 1) - w->first; /* wraps where the tip is not in the window */
            if (tip < w->count) x[(tip + 1) * MOTE_GROUP + lane] = x[tip * MOTE_GROUP + lane];
        }
    }
}

static void load_points(const task *t, const mote_strand_group *group, window *w) {
    const bool directed = t->writer.vertex.directed;
    const uint32_t before = directed && w->first > 0, end = w->first + w->count;
    const uint32_t rows = before + w->count + (directed && end < group->points);
    float *out[3];
    for (int axis = 0; axis < 3; axis++) out[axis] = w->x[axis] + AHEAD - before * MOTE_GROUP;
    mote_strand_writer_blend(&t->writer, group->first + (size_t)(w->first - before) * MOTE_GROUP,
                             (size_t)rows * MOTE_GROUP, out);
    if (directed) extend_ends(w, end == group->points);
}

static void fill_parameter(window *w) {
    float last[MOTE_GROUP];
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        last[lane] = w->points[lane] > 1 ? (float)(w->points[lane] - 1) : 1;
    for (uint32_t i = 0; i < w->count * MOTE_GROUP; i++)
        w->parameter[i] = (float)(w->first + i / MOTE_GROUP) / last[i % MOTE_GROUP];
}

/* Writes the window. Strands that fill it are written directly to dense vertices, others through `packed`. */
static void write_points(const task *t, window *w) {
    const mote_strand_writer *writer = &t->writer;
    unsigned char *to[MOTE_GROUP];
    uint64_t point[MOTE_GROUP] = {0};
    uint32_t left[MOTE_GROUP] = {0}; /* points to copy from `packed` */
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        const int32_t points = w->points[lane] - (int32_t)w->first;
        to[lane] = (unsigned char *)w->packed[lane];
        if (points <= 0) continue;
        point[lane] =
            (uint64_t)t->strands->first_point[t->strands->strand_of_lane[w->lane + lane]] + w->first;
        left[lane] = (uint32_t)points < w->count ? (uint32_t)points : w->count;
        if (!writer->dense || left[lane] < w->count) continue;
        to[lane] = mote_strand_writer_at(writer, point[lane]);
        left[lane] = 0;
    }
    t->strands->kernels->transpose(w->rows, (size_t)w->count * writer->vertex.floats, to);
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        if (left[lane]) mote_strand_writer_write(writer, w->packed[lane], point[lane], left[lane]);
}

static void present_group(const task *t, uint32_t index, window *w) {
    const mote_strand_group *group = &t->strands->group[index];
    const uint32_t fit = ROWS / t->writer.vertex.floats, most = fit < WINDOW ? fit : WINDOW;
    const mote_strand_run all = {.x = {w->x[0] + AHEAD, w->x[1] + AHEAD, w->x[2] + AHEAD},
                                 .parameter = t->writer.parameter ? w->parameter : NULL,
                                 .step = MOTE_GROUP};
    w->lane = index * MOTE_GROUP;
    w->points = t->strands->points + w->lane;
    for (w->first = 0; w->first < group->points; w->first += w->count) {
        w->count = group->points - w->first < most ? group->points - w->first : most;
        load_points(t, group, w);
        if (t->writer.parameter) fill_parameter(w);
        mote_strand_run run = all;
        run.count = (size_t)w->count * MOTE_GROUP;
        t->strands->kernels->vertices(&t->writer.vertex, &run, w->rows);
        write_points(t, w);
    }
}

static void do_groups(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    window w;
    for (size_t group = first; group < end; group++) present_group(context, (uint32_t)group, &w);
}

mote_result mote_strands_write(const mote_strands *strands, const mote_presentation *by,
                               const mote_strand_layout *layout, void *vertices, size_t bytes) {
    task t = {.strands = strands};
    mote_result result = mote_strand_writer_make(&t.writer, strands, by, layout);
    if (result == MOTE_OK)
        result = mote_strand_writer_open(
            &t.writer, (uint64_t)strands->point_count * (t.writer.vertex.ribbons ? 2 : 1), vertices, bytes);
    if (result == MOTE_OK) mote_parallel_for(by->jobs, strands->group_count, 1, do_groups, &t);
    return result;
}
