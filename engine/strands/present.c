/* Presentation of strands: transposes the points of 16 strands across lanes to one strand after another, in
 * windows that the nearest cache holds. */
#include <string.h>

#include "base/parallel.h"
#include "strands/window.h"

enum { ROWS = 256 }; /* rows of 16 floats in a window */

typedef struct task {
    const mote_strands *strands;
    mote_strand_writer writer;
} task;

typedef struct window {
    mote_strand_window at;
    MOTE_ALIGNED(64) float parameter[MOTE_WINDOW * MOTE_GROUP];
    MOTE_ALIGNED(64) float rows[ROWS * MOTE_GROUP];
    MOTE_ALIGNED(64) float packed[MOTE_GROUP][ROWS];
} window;

static void fill_parameter(window *w) {
    float last[MOTE_GROUP];
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        last[lane] = w->at.points[lane] > 1 ? (float)(w->at.points[lane] - 1) : 1;
    for (uint32_t i = 0; i < w->at.count * MOTE_GROUP; i++)
        w->parameter[i] = (float)(w->at.first + i / MOTE_GROUP) / last[i % MOTE_GROUP];
}

/* Writes the window. Strands that fill it are written directly to dense vertices, others through `packed`. */
static void write_points(const task *t, window *w) {
    const mote_strand_writer *writer = &t->writer;
    unsigned char *to[MOTE_GROUP];
    uint64_t point[MOTE_GROUP] = {0};
    uint32_t left[MOTE_GROUP] = {0}; /* points to copy from `packed` */
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        const int32_t points = w->at.points[lane] - (int32_t)w->at.first;
        to[lane] = (unsigned char *)w->packed[lane];
        if (points <= 0) continue;
        const uint32_t strand = t->strands->strand_of_lane[w->at.group * MOTE_GROUP + lane];
        point[lane] = (uint64_t)t->strands->first_point[strand] + w->at.first;
        left[lane] = (uint32_t)points < w->at.count ? (uint32_t)points : w->at.count;
        if (!writer->dense || left[lane] < w->at.count) continue;
        to[lane] = mote_strand_writer_at(writer, point[lane]);
        left[lane] = 0;
    }
    t->strands->present->transpose(w->rows, (size_t)w->at.count * writer->vertex.floats, to);
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        if (left[lane]) mote_strand_writer_write(writer, w->packed[lane], point[lane], left[lane]);
}

static void present_group(const task *t, uint32_t group, window *w) {
    const uint32_t fit = ROWS / t->writer.vertex.floats, most = fit < MOTE_WINDOW ? fit : MOTE_WINDOW;
    mote_strand_window_open(&w->at, t->strands, group);
    while (mote_strand_window_next(&w->at, t->strands, most)) {
        mote_strand_window_load(&w->at, &t->writer);
        if (t->writer.parameter) fill_parameter(w);
        mote_strand_run run = mote_strand_window_run(&w->at);
        if (t->writer.parameter) run.parameter = w->parameter;
        for (int i = 0; i < 4 && t->writer.frames; i++) run.frame[i] = w->at.frame[i];
        t->strands->present->vertices(&t->writer.vertex, &run, w->rows);
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
    const double work = MOTE_WORK_STRAND * (double)strands->point_count;
    if (result == MOTE_OK)
        mote_parallel_for(mote_jobs_for(by->jobs, work), strands->group_count, 1, do_groups, &t);
    return result;
}
