/* Presentation kernels of strands: vertices from points, and transposition from lanes to the caller's
 * memory. */
#ifndef MOTE_STRANDS_VERTICES_H
#define MOTE_STRANDS_VERTICES_H

#include "strands/transport.h"
#include "strands/vertex.h"

/* Squared length below which a vector has no direction. Squared sine below which the eye looks along the
 * strand. */
#define VIEW_SHORTEST 1e-36f
#define VIEW_ALONG    1e-10f

/* --- Vertices --- */

/* Returns a / |a| where |a|^2 exceeds `least`, and `otherwise` elsewhere. */
MOTE_INLINE wide3 view_unit(wide3 a, wide least, wide3 otherwise) {
    const wide square = wide3_dot(a, a);
    return wide3_select(wide_less(least, square), wide3_scale(wide_set(1.0f) / wide_sqrt(square), a),
                        otherwise);
}

MOTE_INLINE wide3 view_load(const float *const x[3], size_t at) {
    return (wide3){wide_load(x[0] + at), wide_load(x[1] + at), wide_load(x[2] + at)};
}

/* Returns the tangent: a central difference, else a one-sided one, else y where no difference has a
 * direction. */
MOTE_INLINE wide3 view_tangent(const mote_strand_run *run, size_t i, wide3 x) {
    const wide3 ahead = view_load(run->x, i + run->step);
    const wide3 behind = (wide3){wide_load(run->x[0] + i - run->step), wide_load(run->x[1] + i - run->step),
                                 wide_load(run->x[2] + i - run->step)};
    const wide3 chord = wide3_sub(ahead, behind), up = wide3_set((const float[3]){0, 1, 0});
    const wide least = wide_set(VIEW_SHORTEST);
    if (wide_all(wide_less(least, wide3_dot(chord, chord)))) return view_unit(chord, least, up);
    return view_unit(chord, least,
                     view_unit(wide3_sub(ahead, x), least, view_unit(wide3_sub(x, behind), least, up)));
}

/* Returns a unit vector across t, which has length 1: t x the axis of its smallest component, the first of
 * equals. */
MOTE_INLINE wide3 view_any_side(wide3 t) {
    const wide x = wide_abs(t.x), y = wide_abs(t.y), z = wide_abs(t.z), zero = {0};
    const wide3 by_x = {zero, t.z, -t.y}, by_y = {-t.z, zero, t.x}, by_z = {t.y, -t.x, zero};
    const wide_mask not_x = wide_less(y, x) | wide_less(z, x);
    const wide3 across = wide3_select(not_x, wide3_select(wide_less(z, y), by_z, by_y), by_x);
    return view_unit(across, wide_set(VIEW_SHORTEST), across);
}

/* Returns the unit vector across the tangent and the line of sight. */
MOTE_INLINE wide3 view_side(const mote_strand_vertex *vertex, wide3 t, wide3 x) {
    const wide3 sight_line = wide3_sub(wide3_set(vertex->eye), x), across = wide3_cross(t, sight_line);
    const wide least =
        wide_max(wide_set(VIEW_ALONG) * wide3_dot(sight_line, sight_line), wide_set(VIEW_SHORTEST));
    if (wide_all(wide_less(least, wide3_dot(across, across)))) return view_unit(across, least, across);
    return view_unit(across, least, view_any_side(t));
}

MOTE_INLINE void view_store3(float *row, int at, wide3 value) {
    if (at < 0) return;
    wide_store(row + (size_t)at * MOTE_GROUP, value.x);
    wide_store(row + (size_t)(at + 1) * MOTE_GROUP, value.y);
    wide_store(row + (size_t)(at + 2) * MOTE_GROUP, value.z);
}

MOTE_INLINE void view_store(float *row, int at, wide value) {
    if (at >= 0) wide_store(row + (size_t)at * MOTE_GROUP, value);
}

/* Point of a strand: place, tangent, frame, u. */
typedef struct view_point {
    wide3 x, t;
    rod_frame frame;
    wide u;
} view_point;

MOTE_INLINE void view_vertex(const mote_strand_vertex *vertex, float *row, const view_point *p, wide3 x,
                             wide side) {
    view_store3(row, vertex->position, x);
    view_store3(row, vertex->tangent, p->t);
    view_store(row, vertex->side, side);
    view_store(row, vertex->parameter, p->u);
}

MOTE_INLINE void view_frame(const mote_strand_vertex *vertex, float *row, const view_point *p) {
    if (vertex->frame < 0) return;
    view_store3(row, vertex->frame, p->frame.v);
    view_store(row, vertex->frame + 3, p->frame.w);
}

MOTE_INLINE void view_ribbon(const mote_strand_vertex *vertex, float *row, const view_point *p, bool framed) {
    const wide one = wide_set(1.0f), width = (one - p->u) * vertex->root_width + p->u * vertex->tip_width;
    const wide3 side = framed && vertex->framed ? view_first_axis(p->frame) : view_side(vertex, p->t, p->x);
    const wide3 half = wide3_scale(0.5f * width, side);
    float *right = row + vertex->floats / 2 * MOTE_GROUP;
    view_vertex(vertex, row, p, wide3_sub(p->x, half), -one);
    view_vertex(vertex, right, p, wide3_add(p->x, half), one);
    if (framed) view_frame(vertex, row, p), view_frame(vertex, right, p);
}

/* framed: whether the run has frames, a constant of the instance. */
MOTE_INLINE void view_vertices(const mote_strand_vertex *vertex, const mote_strand_run *run, float *rows,
                               bool framed) {
    for (size_t i = 0; i < run->count; i += MOTE_WIDTH) {
        float *row = rows + i / MOTE_GROUP * vertex->floats * MOTE_GROUP + i % MOTE_GROUP;
        view_point p = {.x = view_load(run->x, i)};
        p.t = vertex->directed ? view_tangent(run, i, p.x) : p.x;
        p.u = run->parameter ? wide_load(run->parameter + i) : (wide){0};
        if (framed) p.frame = view_load_frame(run->frame, i);
        if (vertex->ribbons) {
            view_ribbon(vertex, row, &p, framed);
        } else {
            view_vertex(vertex, row, &p, p.x, p.u);
            if (framed) view_frame(vertex, row, &p);
        }
    }
}

/* Writes the floats of 16 elements as rows of 16: float f of element 16 b + l at (floats b + f) 16 + l. */
MOTE_INLINE void strand_vertices(const mote_strand_vertex *vertex, const mote_strand_run *run, float *rows) {
    if (run->frame[0])
        view_vertices(vertex, run, rows, true);
    else
        view_vertices(vertex, run, rows, false);
}

/* --- From lanes to strands --- */

#if MOTE_WIDTH > 1
typedef float view_four __attribute__((vector_size(16)));

/* Picks elements a and b of p, then c and d of q, from every four lanes. */
#if MOTE_WIDTH == 4
#define VIEW_PICK(p, q, a, b, c, d) __builtin_shufflevector(p, q, a, b, 4 + (c), 4 + (d))
#define VIEW_PARTS                  1
#elif MOTE_WIDTH == 8
#define VIEW_PICK(p, q, a, b, c, d)                                                                          \
    __builtin_shufflevector(p, q, a, b, 8 + (c), 8 + (d), 4 + (a), 4 + (b), 12 + (c), 12 + (d))
#define VIEW_PARTS 2
#else
#define VIEW_PICK(p, q, a, b, c, d)                                                                          \
    __builtin_shufflevector(p, q, a, b, 16 + (c), 16 + (d), 4 + (a), 4 + (b), 20 + (c), 20 + (d), 8 + (a),   \
                            8 + (b), 24 + (c), 24 + (d), 12 + (a), 12 + (b), 28 + (c), 28 + (d))
#define VIEW_PARTS 4
#endif
#define VIEW_FOUR(p, part)                                                                                   \
    __builtin_shufflevector(p, p, 4 * (part), 4 * (part) + 1, 4 * (part) + 2, 4 * (part) + 3)

MOTE_INLINE void view_put(unsigned char *const *to, size_t at, wide value, int lane) {
    view_four four = VIEW_FOUR(value, 0);
    memcpy(to[lane] + at, &four, sizeof four);
#if MOTE_WIDTH > 4
    four = VIEW_FOUR(value, 1);
    memcpy(to[4 + lane] + at, &four, sizeof four);
#endif
#if MOTE_WIDTH > 8
    four = VIEW_FOUR(value, 2);
    memcpy(to[8 + lane] + at, &four, sizeof four);
    four = VIEW_FOUR(value, 3);
    memcpy(to[12 + lane] + at, &four, sizeof four);
#endif
}

/* Transposes four rows of a register: 16 bytes for each lane. */
MOTE_INLINE void view_four_rows(const float *row, unsigned char *const *to, size_t at) {
    const wide a = wide_load(row), b = wide_load(row + MOTE_GROUP), c = wide_load(row + 2 * MOTE_GROUP),
               d = wide_load(row + 3 * MOTE_GROUP);
    const wide ab_low = VIEW_PICK(a, b, 0, 1, 0, 1), ab_high = VIEW_PICK(a, b, 2, 3, 2, 3);
    const wide cd_low = VIEW_PICK(c, d, 0, 1, 0, 1), cd_high = VIEW_PICK(c, d, 2, 3, 2, 3);
    view_put(to, at, VIEW_PICK(ab_low, cd_low, 0, 2, 0, 2), 0);
    view_put(to, at, VIEW_PICK(ab_low, cd_low, 1, 3, 1, 3), 1);
    view_put(to, at, VIEW_PICK(ab_high, cd_high, 0, 2, 0, 2), 2);
    view_put(to, at, VIEW_PICK(ab_high, cd_high, 1, 3, 1, 3), 3);
}
#else
MOTE_INLINE void view_four_rows(const float *row, unsigned char *const *to, size_t at) {
    const float four[4] = {row[0], row[MOTE_GROUP], row[2 * MOTE_GROUP], row[3 * MOTE_GROUP]};
    memcpy(to[0] + at, four, sizeof four);
}
#endif

/* Transposes the last `count` rows, 1 to 3. */
MOTE_INLINE void view_last_rows(const float *rows, size_t count, unsigned char *const to[MOTE_GROUP],
                                size_t at) {
    float four[4][MOTE_GROUP] = {{0}}, packed[MOTE_GROUP][4];
    unsigned char *rest[MOTE_GROUP];
    memcpy(four, rows, count * sizeof *four);
    for (size_t lane = 0; lane < MOTE_GROUP; lane++) rest[lane] = (unsigned char *)packed[lane];
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
        view_four_rows(four[0] + lane, rest + lane, 0);
    for (size_t lane = 0; lane < MOTE_GROUP; lane++) {
        memcpy(to[lane] + at, packed[lane], sizeof(float));
        if (count > 1) memcpy(to[lane] + at + sizeof(float), packed[lane] + 1, sizeof(float));
        if (count > 2) memcpy(to[lane] + at + 2 * sizeof(float), packed[lane] + 2, sizeof(float));
    }
}

/* Transposes rows: float e of to[lane] (any alignment) = rows[16 e + lane], e < count. */
MOTE_INLINE void strand_transpose(const float *rows, size_t count, unsigned char *const to[MOTE_GROUP]) {
    size_t e = 0;
    for (; e + 4 <= count; e += 4)
        for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
            view_four_rows(rows + e * MOTE_GROUP + lane, to + lane, e * sizeof(float));
    if (e < count) view_last_rows(rows + e * MOTE_GROUP, count - e, to, e * sizeof(float));
}

/* --- Followers --- */

/* Interpolates a follower: x = g0 + w1 (g1 - g0) + w2 (g2 - g0) + R offset, lanes along the strand. Writes
 * `count` rounded up to 16 elements. */
MOTE_INLINE void strand_follow(const mote_follow *f, size_t count, float *const out[3]) {
    const wide w1 = wide_set(f->weight[0]), w2 = wide_set(f->weight[1]);
    wide turn[9];
    for (int i = 0; i < 9; i++) turn[i] = wide_set(f->turn[i]);
    for (size_t i = 0; i < mote_round_up(count, MOTE_GROUP); i += MOTE_WIDTH) {
        const wide3 g = view_load(f->guide[0], i), o = view_load(f->offset, i);
        const wide3 x = wide3_add_scaled(wide3_add_scaled(g, w1, wide3_sub(view_load(f->guide[1], i), g)), w2,
                                         wide3_sub(view_load(f->guide[2], i), g));
        const wide3 turned = {turn[0] * o.x + turn[1] * o.y + turn[2] * o.z,
                              turn[3] * o.x + turn[4] * o.y + turn[5] * o.z,
                              turn[6] * o.x + turn[7] * o.y + turn[8] * o.z};
        wide3_store(out, i, wide3_add(x, turned));
    }
}

#endif
