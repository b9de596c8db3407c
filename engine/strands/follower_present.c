/* Presentation of followers, in two passes. The first gathers the presented positions of each guide in
 * columns of its own, and the roots' rotations. The second computes every follower, with its points across
 * lanes. */
#include <string.h>

#include "base/parallel.h"
#include "strands/followers.h"

enum {
    CHUNK = 64,          /* points of a follower at a time */
    BEFORE = MOTE_GROUP, /* elements before the first point; they hold the point before it */
    CAPACITY = BEFORE + CHUNK + 2 * MOTE_GROUP,
    GRAIN = 16,      /* followers of a task */
    MOST_FLOATS = 24 /* floats of a point */
};

typedef struct task {
    const mote_strands *strands;
    mote_followers *followers;
    mote_strand_writer writer;
    mote_strand_writer guides; /* loads the guides, and the point behind each window of them */
} task;

/* --- Guides --- */

static float *guide_column(const mote_followers *f, uint32_t strand, int axis) {
    return f->guide_x + ((size_t)strand * 3 + (size_t)axis) * f->stride;
}

static float *guide_frame(const mote_followers *f, uint32_t strand, int i) {
    return f->guide_frame + ((size_t)strand * 4 + (size_t)i) * f->stride;
}

/* Computes R with the arithmetic of the step's kernels, at the interpolated rotation of the presented
 * guide. */
static void set_rotation(const task *t, uint32_t lane, uint32_t strand) {
    float q[4];
    mote_strands_root_rotation(t->strands, lane, t->writer.by->alpha, q);
    const float x = q[0], y = q[1], z = q[2], w = q[3], scale = 2.0f / (x * x + y * y + z * z + w * w);
    const float rotation[9] = {
        1.0f - scale * (y * y + z * z), scale * (x * y - z * w),        scale * (x * z + y * w),
        scale * (x * y + z * w),        1.0f - scale * (x * x + z * z), scale * (y * z - x * w),
        scale * (x * z - y * w),        scale * (y * z + x * w),        1.0f - scale * (x * x + y * y)};
    memcpy(t->followers->turn + (size_t)strand * 9, rotation, sizeof rotation);
}

/* Resamples one lane: points j of n between the points first .. first + count - 1 of m. x: the window's
 * column, 16 floats per point, with one more point behind the last unless the strand ends there. */
static void resample(const float *x, uint32_t first, uint32_t count, uint32_t n, uint32_t m, float *to) {
    for (uint32_t j = (first * (n - 1) + m - 2) / (m - 1); j < n; j++) {
        const mote_strand_place at = mote_strand_place_of(j, n, m);
        if (at.point >= first + count) return;
        const float from = x[(at.point - first) * MOTE_GROUP];
        to[j] = from + at.fraction * (x[(at.next - first) * MOTE_GROUP] - from);
    }
}

/* The window's places. They are read up to one point behind the last. */
static void gather_places(const task *t, const mote_strand_window *w) {
    float dump[MOTE_WINDOW];
    for (int axis = 0; axis < 3; axis++) {
        const float *x = w->x[axis] + MOTE_WINDOW_BEFORE;
        unsigned char *to[MOTE_GROUP];
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            const uint32_t strand = t->strands->strand_of_lane[w->group * MOTE_GROUP + lane];
            const uint32_t m = (uint32_t)w->points[lane], n = t->followers->points;
            to[lane] = (unsigned char *)dump;
            if (strand == MOTE_NO_SLOT) continue;
            float *column = guide_column(t->followers, strand, axis);
            if (n == 0 || n == m)
                to[lane] = (unsigned char *)(column + w->first);
            else if (w->first < m)
                resample(x + lane, w->first, w->count, n, m, column);
        }
        t->strands->present->transpose(x, w->count, to);
    }
}

static void gather_frames(const task *t, const mote_strand_window *w) {
    float dump[MOTE_WINDOW];
    for (int i = 0; i < 4; i++) {
        unsigned char *to[MOTE_GROUP];
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            const uint32_t strand = t->strands->strand_of_lane[w->group * MOTE_GROUP + lane];
            to[lane] =
                (unsigned char *)(strand == MOTE_NO_SLOT ? dump
                                                         : guide_frame(t->followers, strand, i) + w->first);
        }
        t->strands->present->transpose(w->frame[i], w->count, to);
    }
}

static void gather_group(const task *t, uint32_t group) {
    mote_strand_window w;
    mote_strand_window_open(&w, t->strands, group);
    while (mote_strand_window_next(&w, t->strands, MOTE_WINDOW)) {
        mote_strand_window_load(&w, &t->guides);
        gather_places(t, &w);
        if (t->guides.frames) gather_frames(t, &w);
    }
}

static void do_groups(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const task *t = context;
    for (uint32_t group = (uint32_t)first; group < end; group++) {
        gather_group(t, group);
        for (uint32_t lane = group * MOTE_GROUP; lane < (group + 1) * MOTE_GROUP; lane++)
            if (t->strands->strand_of_lane[lane] != MOTE_NO_SLOT)
                set_rotation(t, lane, t->strands->strand_of_lane[lane]);
    }
}

/* --- Followers --- */

/* Chunk of points of a follower. */
typedef struct chunk {
    uint32_t follower, points, first, count;
    MOTE_ALIGNED(64)
    float guide[MOTE_GUIDES][3][CAPACITY]; /* guides with other point counts */
    MOTE_ALIGNED(64) float x[3][CAPACITY];
    MOTE_ALIGNED(64) float parameter[CHUNK];
    MOTE_ALIGNED(64) float tangent[3][CHUNK];
    MOTE_ALIGNED(64) float frame[4][CHUNK];
    MOTE_ALIGNED(64) float rows[CHUNK * MOST_FLOATS];
    MOTE_ALIGNED(64) float packed[MOTE_GROUP * MOST_FLOATS];
} chunk;

/* Finds `count` positions of a guide from `first` on, in the follower's numbering: in the gathered column, or
 * resampled to `memory`. */
static void find_guide(const task *t, uint32_t strand, uint32_t first, uint32_t count, uint32_t n,
                       float (*memory)[CAPACITY], const float *found[3]) {
    const mote_followers *f = t->followers;
    const uint32_t m = (uint32_t)t->strands->points[t->strands->lane_of_strand[strand]];
    const bool own = n == m || f->points == n;
    for (int axis = 0; axis < 3; axis++) {
        const float *column = guide_column(f, strand, axis);
        found[axis] = own ? column + first : memory[axis];
        for (uint32_t i = 0; i < count && !own; i++) {
            const mote_strand_place at = mote_strand_place_of(first + i, n, m);
            memory[axis][i] = column[at.point] + at.fraction * (column[at.next] - column[at.point]);
        }
    }
}

/* Computes the points [first, first + count) of the follower in x, where element BEFORE is point c->first. */
static void follow(const task *t, chunk *c, uint32_t first, uint32_t count) {
    const mote_followers *f = t->followers;
    mote_follow job = {.weight = {f->weight[1][c->follower], f->weight[2][c->follower]}};
    float *out[3];
    for (uint32_t i = 0; i < MOTE_GUIDES; i++) {
        const uint32_t strand = f->guide[i][c->follower];
        if (strand == MOTE_NO_GUIDE)
            memcpy(job.guide[i], job.guide[0], sizeof job.guide[0]);
        else
            find_guide(t, strand, first, count, c->points, c->guide[i], job.guide[i]);
    }
    for (int axis = 0; axis < 3; axis++) {
        job.offset[axis] = f->offset[axis] + f->first_point[c->follower] + first;
        out[axis] = c->x[axis] + BEFORE - (c->first - first);
    }
    memcpy(job.turn, f->turn + (size_t)f->guide[0][c->follower] * 9, sizeof job.turn);
    t->strands->present->follow(&job, count, out);
}

static void place_chunk(const task *t, chunk *c) {
    const bool directed = t->writer.vertex.directed || t->writer.frames;
    const uint32_t before = directed && c->first > 0, behind = directed && c->first + c->count < c->points;
    follow(t, c, c->first - before, before + c->count + behind);
    for (int axis = 0; axis < 3; axis++) {
        float *x = c->x[axis] + BEFORE;
        if (!before) x[-1] = x[0];
        if (!behind) x[c->count] = x[c->count - 1];
    }
    for (uint32_t i = 0; i < CHUNK && t->writer.parameter; i++)
        c->parameter[i] = (float)(c->first + i) / (float)(c->points - 1);
}

static mote_strand_run run_of(const chunk *c) {
    return (mote_strand_run){.x = {c->x[0] + BEFORE, c->x[1] + BEFORE, c->x[2] + BEFORE},
                             .step = 1,
                             .count = mote_round_up(c->count, MOTE_GROUP)};
}

/* Interpolates the frame of a guide between its points, on the shorter side. */
static void frame_at(float *const column[4], mote_strand_place at, float q[4]) {
    float next[4], dot = 0, square = 0;
    for (int i = 0; i < 4; i++) q[i] = column[i][at.point], next[i] = column[i][at.next];
    for (int i = 0; i < 4; i++) dot += q[i] * next[i];
    const float sign = dot < 0 ? -1.0f : 1.0f;
    for (int i = 0; i < 4; i++) q[i] += at.fraction * (sign * next[i] - q[i]), square += q[i] * q[i];
    const float inverse = square > 0 ? 1.0f / __builtin_sqrtf(square) : 1.0f;
    for (int i = 0; i < 4; i++) q[i] *= inverse;
}

/* Computes the frames of the chunk: those of the first guide, turned to the follower's tangents. */
static void frame_chunk(const task *t, chunk *c) {
    const mote_followers *f = t->followers;
    const uint32_t strand = f->guide[0][c->follower],
                   m = (uint32_t)t->strands->points[t->strands->lane_of_strand[strand]];
    float *const tangent[3] = {c->tangent[0], c->tangent[1], c->tangent[2]};
    float *const frame[4] = {c->frame[0], c->frame[1], c->frame[2], c->frame[3]};
    float *column[4];
    for (int i = 0; i < 4; i++) column[i] = guide_frame(f, strand, i);
    const mote_strand_run run = run_of(c);
    for (uint32_t k = 0; k < run.count; k++) {
        const uint32_t j = c->first + (k < c->count ? k : c->count - 1);
        float q[4];
        frame_at(column, mote_strand_place_of(j, c->points, m), q);
        for (int i = 0; i < 4; i++) frame[i][k] = q[i];
    }
    t->strands->present->tangents(&run, tangent);
    t->strands->present->turn_frames(tangent, run.count, frame);
}

/* Writes up to 16 points: directly to dense vertices, else through `packed`. */
static void write_batch(const task *t, chunk *c, const float *rows, uint64_t point, uint32_t count) {
    const mote_strand_writer *writer = &t->writer;
    const uint32_t floats = writer->vertex.floats;
    const bool direct = writer->dense && count == MOTE_GROUP;
    unsigned char *to[MOTE_GROUP],
        *first = direct ? mote_strand_writer_at(writer, point) : (unsigned char *)c->packed;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) to[lane] = first + lane * floats * sizeof(float);
    t->strands->present->transpose(rows, floats, to);
    if (!direct) mote_strand_writer_write(writer, c->packed, point, count);
}

/* Writes packed positions without other outputs: interleaves the columns. */
static void write_positions(const task *t, chunk *c) {
    float *const x[3] = {c->x[0] + BEFORE, c->x[1] + BEFORE, c->x[2] + BEFORE};
    unsigned char *to =
        mote_strand_writer_at(&t->writer, (uint64_t)t->followers->first_point[c->follower] + c->first);
    const uint32_t whole = c->count / MOTE_GROUP * MOTE_GROUP;
    t->writer.by->kernels->interleave(x, whole, to);
    if (whole == c->count) return;
    float *const rest[3] = {x[0] + whole, x[1] + whole, x[2] + whole};
    t->writer.by->kernels->interleave(rest, MOTE_GROUP, c->packed);
    memcpy(to + (size_t)whole * 3 * sizeof(float), c->packed, (c->count - whole) * 3 * sizeof(float));
}

static void write_chunk(const task *t, chunk *c) {
    if (t->writer.dense && t->writer.vertex.floats == 3 && t->writer.vertex.position == 0) {
        write_positions(t, c);
        return;
    }
    const uint32_t floats = t->writer.vertex.floats;
    mote_strand_run run = run_of(c);
    if (t->writer.parameter) run.parameter = c->parameter;
    if (t->writer.frames) frame_chunk(t, c);
    for (int i = 0; i < 4 && t->writer.frames; i++) run.frame[i] = c->frame[i];
    t->strands->present->vertices(&t->writer.vertex, &run, c->rows);
    const uint64_t point = (uint64_t)t->followers->first_point[c->follower] + c->first;
    for (uint32_t i = 0; i < c->count; i += MOTE_GROUP)
        write_batch(t, c, c->rows + (size_t)i * floats, point + i,
                    c->count - i < MOTE_GROUP ? c->count - i : MOTE_GROUP);
}

static void do_followers(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const task *t = context;
    chunk c;
    for (c.follower = (uint32_t)first; c.follower < end; c.follower++) {
        c.points = mote_followers_points(t->followers, c.follower);
        for (c.first = 0; c.first < c.points; c.first += c.count) {
            c.count = c.points - c.first < CHUNK ? c.points - c.first : CHUNK;
            place_chunk(t, &c);
            write_chunk(t, &c);
        }
    }
}

mote_result mote_followers_write(mote_followers *followers, const mote_strands *strands,
                                 const mote_presentation *by, const mote_strand_layout *layout,
                                 void *vertices, size_t bytes) {
    if (strands->stamp != followers->stamp) return MOTE_ERROR_ID;
    task t = {.strands = strands, .followers = followers};
    mote_result result = mote_strand_writer_make(&t.writer, strands, by, layout);
    if (result == MOTE_OK)
        result = mote_strand_writer_open(&t.writer, mote_followers_vertex_count(followers, layout->shape),
                                         vertices, bytes);
    if (result) return result;
    t.guides = t.writer;
    t.guides.vertex.directed = true;
    const double points = (double)strands->point_count + (double)followers->first_point[followers->count];
    const mote_jobs *jobs = mote_jobs_for(by->jobs, MOTE_WORK_STRAND * points);
    mote_parallel_for(jobs, strands->group_count, 1, do_groups, &t);
    mote_parallel_for(jobs, followers->count, GRAIN, do_followers, &t);
    return MOTE_OK;
}

/* --- Counts and indices --- */

static mote_strand_list list_of(const mote_followers *followers) {
    return followers ? (mote_strand_list){followers->first_point, followers->count}
                     : (mote_strand_list){NULL, 0};
}

uint64_t mote_followers_first_vertex(const mote_followers *followers, mote_strand_shape shape,
                                     uint32_t follower) {
    return mote_strand_list_first_vertex(list_of(followers), shape, follower);
}

uint64_t mote_followers_vertex_count(const mote_followers *followers, mote_strand_shape shape) {
    return mote_strand_list_vertices(list_of(followers), shape);
}

uint64_t mote_followers_index_count(const mote_followers *followers, mote_strand_shape shape) {
    return mote_strand_list_index_count(list_of(followers), shape);
}

mote_result mote_followers_index_buffer(const mote_followers *followers, mote_strand_shape shape,
                                        uint32_t *indices, uint64_t count) {
    if (!followers) return MOTE_ERROR_NULL;
    return mote_strand_list_index_buffer(list_of(followers), shape, indices, count);
}
