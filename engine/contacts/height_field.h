/* Height fields: samples, surface at a place, and first hit of a straight path.
 *
 * A path crosses cells one by one (digital differential analyser: J. Amanatides and A. Woo, A fast voxel
 * traversal algorithm for ray tracing, 1987) and in a cell two triangles at most. The height of the path
 * above the surface is a continuous function, linear in each triangle: a path that begins above the surface
 * hits it in the first triangle at whose end it is not above. So no path leads through an edge, whatever its
 * rounding. */
#ifndef MOTE_CONTACTS_HEIGHT_FIELD_H
#define MOTE_CONTACTS_HEIGHT_FIELD_H

#include <mote/height_field.h>

#include "contacts/grid_path.h"

struct mote_height_field {
    mote_allocator allocator;
    uint32_t count[2];
    float spacing[2], inverse_spacing[2];
    float low, high; /* m, bounds of the heights */
    float weight;    /* largest weight */
    size_t bytes;    /* of the allocation */
    float *samples;  /* x fastest: height and weight (1 / n_y) of a sample */
    uint64_t hash;
};

/* Heights of the corners of a cell for points of radius r. */
typedef struct height_cell {
    wide h00, h10, h01, h11;
} height_cell;

MOTE_INLINE height_cell height_cell_at(const mote_height_field *field, wide_mask i, wide_mask j, wide r) {
    const int32_t row = 2 * (int32_t)field->count[0];
    const float *from[4] = {field->samples, field->samples + 2, field->samples + row,
                            field->samples + row + 2};
    int32_t index[MOTE_WIDTH];
    wide h[4];
    wide_mask_store(index, 2 * i + row * j);
    for (int k = 0; k < 4; k++) h[k] = wide_gather(from[k], index);
    if (wide_lane_bits(~wide_equal(r, (wide){0})))
        for (int k = 0; k < 4; k++) h[k] = h[k] + r * wide_gather(from[k] + 1, index);
    return (height_cell){h[0], h[1], h[2], h[3]};
}

/* Plane of a triangle: height h + a p + b q, unit normal. */
typedef struct height_plane {
    wide h, p, q;
    wide3 normal;
} height_plane;

/* Returns the plane of the triangle a < b in the lanes `far`, and of the other one elsewhere. */
MOTE_INLINE height_plane height_plane_of(const mote_height_field *field, const height_cell *cell,
                                         wide_mask far) {
    height_plane plane = {.h = cell->h00,
                          .p = wide_select(far, cell->h11 - cell->h01, cell->h10 - cell->h00),
                          .q = wide_select(far, cell->h01 - cell->h00, cell->h11 - cell->h10)};
    const wide zero = {0}, slope_x = plane.p * field->inverse_spacing[0],
               slope_z = plane.q * field->inverse_spacing[1];
    const wide up = 1.0f / wide_sqrt(1.0f + (slope_x * slope_x + slope_z * slope_z));
    plane.normal = (wide3){zero - slope_x * up, up, zero - slope_z * up};
    return plane;
}

/* Distance of a place in a cell from the plane. */
MOTE_INLINE wide height_above(const height_plane *plane, wide a, wide b, wide y) {
    return (y - (plane->h + (a * plane->p + b * plane->q))) * plane->normal.y;
}

/* Clips a path to the bounds of the solid. Those that begin above the highest sample do so by more than the
 * tolerance. */
MOTE_INLINE void height_field_clip(const mote_height_field *field, grid_segment *path) {
    const wide zero = {0}, top = field->high + (path->radius * field->weight + 8.0f * path->tolerance);
    const wide3 low = {zero, wide_set(-MOTE_GRID_FAR), zero},
                high = {wide_set((float)(field->count[0] - 1) * field->spacing[0]), top,
                        wide_set((float)(field->count[1] - 1) * field->spacing[1])};
    grid_clip(path, low, high);
}

/* Surface below or above a place. */
MOTE_INLINE grid_surface height_field_surface(const mote_height_field *field, wide3 q, wide r) {
    const float last_x = (float)(field->count[0] - 1), last_z = (float)(field->count[1] - 1);
    const wide x = q.x * field->inverse_spacing[0], z = q.z * field->inverse_spacing[1];
    wide i, j;
    const wide a = wide_clamp(x, 0, last_x), b = wide_clamp(z, 0, last_z);
    const wide_mask within = wide_equal(a, x) & wide_equal(b, z);
    const wide_mask column = wide_floor(wide_min(a, wide_set(last_x - 1)), &i),
                    row = wide_floor(wide_min(b, wide_set(last_z - 1)), &j);
    const height_cell cell = height_cell_at(field, column, row, r);
    const height_plane plane = height_plane_of(field, &cell, wide_less(a - i, b - j));
    return (grid_surface){height_above(&plane, a - i, b - j, q.y), plane.normal, within};
}

/* Part of a path in one triangle, from f0 to f1. */
typedef struct height_piece {
    wide f0, a0, b0, y0, f1, a1, b1, y1;
} height_piece;

/* Ends the search in the lanes whose piece hits the plane of the triangle. */
MOTE_INLINE void height_hit(const height_plane *plane, const height_piece *s, const grid_segment *path,
                            grid_search *search) {
    const wide zero = {0}, d0 = height_above(plane, s->a0, s->b0, s->y0),
               d1 = height_above(plane, s->a1, s->b1, s->y1);
    const wide_mask meets = grid_meets(path, d0, wide_less(s->f0, s->f1), plane->normal, search);
    const wide_mask falls = search->active & search->above & ~wide_less(zero, d1), hits = falls | meets;
    if (!wide_lane_bits(hits)) return;
    const wide_mask ahead = falls & wide_less(zero, d0);
    const wide part = wide_select(ahead, d0, zero) / wide_select(ahead, d0 - d1, wide_set(1.0f));
    grid_found(hits, falls, s->f0 + (s->f1 - s->f0) * part, plane->normal, search);
}

/* Walks the part of the path in a cell. */
MOTE_INLINE void height_cross(const mote_height_field *field, const height_cell *cell, const height_piece *s,
                              const grid_segment *path, grid_search *search) {
    const wide zero = {0}, before = s->a0 - s->b0, after = s->a1 - s->b1;
    const wide_mask far0 = wide_less(before, zero) | (wide_equal(before, zero) & wide_less(after, zero)),
                    far1 = wide_less(after, zero) | (wide_equal(after, zero) & far0);
    const wide_mask crosses = far0 ^ far1;
    height_plane plane = height_plane_of(field, cell, far0);
    if (!wide_lane_bits(crosses & search->active)) {
        height_hit(&plane, s, path, search);
        return;
    }
    const wide part =
        wide_select(crosses, before / wide_select(crosses, before - after, wide_set(1.0f)), wide_set(1.0f));
    height_piece first = *s, second = *s;
    second.f0 = first.f1 = wide_select(crosses, s->f0 + part * (s->f1 - s->f0), s->f1);
    second.a0 = first.a1 = wide_select(crosses, s->a0 + part * (s->a1 - s->a0), s->a1);
    second.b0 = first.b1 = wide_select(crosses, s->b0 + part * (s->b1 - s->b0), s->b1);
    second.y0 = first.y1 = wide_select(crosses, s->y0 + part * (s->y1 - s->y0), s->y1);
    height_hit(&plane, &first, path, search);
    const wide_mask others = search->active & ~crosses;
    search->active &= crosses;
    plane = height_plane_of(field, cell, far1);
    height_hit(&plane, &second, path, search);
    search->active |= others;
}

/* Finds the first hits of paths in the lanes search->active. */
MOTE_INLINE void height_field_sweep(const mote_height_field *field, const grid_segment *path,
                                    grid_search *search) {
    const float last_x = (float)(field->count[0] - 1), last_z = (float)(field->count[1] - 1);
    const grid_axis x = grid_axis_of(path->q.x * field->inverse_spacing[0],
                                     path->u.x * field->inverse_spacing[0], last_x, path->begin),
                    z = grid_axis_of(path->q.z * field->inverse_spacing[1],
                                     path->u.z * field->inverse_spacing[1], last_z, path->begin);
    wide_mask i = x.cell, j = z.cell;
    wide f = path->begin;
    const uint32_t most = field->count[0] + field->count[1] + 4;
    for (uint32_t n = 0; n < most && wide_lane_bits(search->active); n++) {
        const wide out_x = grid_leaves(&x, i), out_z = grid_leaves(&z, j);
        const wide next = wide_max(f, wide_min(wide_min(out_x, out_z), path->end));
        const height_piece piece = {.f0 = f,
                                    .a0 = grid_within(&x, i, f),
                                    .b0 = grid_within(&z, j, f),
                                    .y0 = path->q.y + f * path->u.y,
                                    .f1 = next,
                                    .a1 = grid_within(&x, i, next),
                                    .b1 = grid_within(&z, j, next),
                                    .y1 = path->q.y + next * path->u.y};
        const height_cell cell = height_cell_at(field, i, j, path->radius);
        height_cross(field, &cell, &piece, path, search);
        search->active &= wide_less(next, path->end);
        const wide_mask along_x = ~wide_less(out_z, out_x);
        grid_step(&x, along_x, &i, search);
        grid_step(&z, ~along_x, &j, search);
        f = next;
    }
}

#endif
