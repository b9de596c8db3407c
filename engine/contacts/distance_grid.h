/* Distance grids: samples, surface at a place, and first hit of a straight path.
 *
 * A path crosses cells one by one, as in a height field. Along a straight path through a cell the trilinear
 * distance is a cubic, which is monotone between the roots of its derivative: the first sign change among its
 * values there and at the ends is bisected. So no path leads through the surface, whatever the samples are;
 * their slope is used for nothing but to pass over paths that end before they can reach it. */
#ifndef MOTE_CONTACTS_DISTANCE_GRID_H
#define MOTE_CONTACTS_DISTANCE_GRID_H

#include <mote/distance_grid.h>

#include "contacts/grid_path.h"

#define DISTANCE_HALVINGS 22 /* of a piece in a cell, down to 2^-22 of its length */

/* Penetration allowance on concave surfaces, as a share of a cell: a point that touches the surface hits it
 * where it is deeper than this. */
#define DISTANCE_SINKS 0x1p-5f

struct mote_distance_grid {
    mote_allocator allocator;
    uint32_t count[3];
    float origin[3], spacing, inverse_spacing;
    float slope; /* bound of the gradient's length */
    float reach; /* m, bounding radius about the origin of the collider */
    size_t bytes;
    float *samples; /* x fastest */
    uint64_t hash;
};

/* Trilinear function in a cell: sum of k[n] times x, y, z for the bits 0, 1, 2 of n. */
typedef struct distance_cell {
    wide k[8];
} distance_cell;

MOTE_ONCE distance_cell distance_cell_at(const mote_distance_grid *grid, const wide_mask at[3], wide r) {
    const int32_t row = (int32_t)grid->count[0], layer = row * (int32_t)grid->count[1];
    int32_t index[MOTE_WIDTH];
    distance_cell cell;
    wide_mask_store(index, at[0] + row * at[1] + layer * at[2]);
    for (int n = 0; n < 8; n++)
        cell.k[n] = wide_gather(grid->samples + (n & 1) + (n >> 1 & 1) * row + (n >> 2) * layer, index);
    for (int bit = 1; bit < 8; bit *= 2)
        for (int n = 0; n < 8; n++)
            if (n & bit) cell.k[n] = cell.k[n] - cell.k[n ^ bit];
    cell.k[0] = cell.k[0] - r;
    return cell;
}

MOTE_INLINE wide distance_value(const distance_cell *c, wide3 t) {
    const wide *k = c->k;
    const wide low = (k[0] + t.x * k[1]) + t.y * (k[2] + t.x * k[3]),
               high = (k[4] + t.x * k[5]) + t.y * (k[6] + t.x * k[7]);
    return low + t.z * high;
}

/* Gradient per cell. */
MOTE_INLINE wide3 distance_gradient(const distance_cell *c, wide3 t) {
    const wide *k = c->k;
    return (wide3){(k[1] + t.y * k[3]) + t.z * (k[5] + t.y * k[7]),
                   (k[2] + t.x * k[3]) + t.z * (k[6] + t.x * k[7]),
                   (k[4] + t.x * k[5]) + t.y * (k[6] + t.x * k[7])};
}

MOTE_INLINE wide3 distance_normal(const distance_cell *c, wide3 t) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide3 g = distance_gradient(c, t);
    const wide square = wide3_dot(g, g);
    const wide_mask flat = wide_less(square, wide_set(1e-30f));
    return wide3_select(flat, (wide3){zero, one, zero},
                        wide3_scale(1.0f / wide_sqrt(wide_select(flat, one, square)), g));
}

/* Place in samples. */
MOTE_INLINE wide3 distance_into(const mote_distance_grid *grid, wide3 q) {
    return wide3_scale(wide_set(grid->inverse_spacing), wide3_sub(q, wide3_set(grid->origin)));
}

MOTE_INLINE grid_surface distance_grid_surface(const mote_distance_grid *grid, wide3 q, wide r) {
    const wide3 s = distance_into(grid, q);
    const wide at[3] = {s.x, s.y, s.z};
    wide_mask cell[3], within = ~(wide_mask){0};
    wide t[3];
    for (int axis = 0; axis < 3; axis++) {
        const float last = (float)(grid->count[axis] - 1);
        const wide clamped = wide_clamp(at[axis], 0, last);
        wide whole;
        within &= wide_equal(clamped, at[axis]);
        cell[axis] = wide_floor(wide_min(clamped, wide_set(last - 1)), &whole);
        t[axis] = clamped - whole;
    }
    const distance_cell c = distance_cell_at(grid, cell, r);
    const wide3 place = {t[0], t[1], t[2]};
    return (grid_surface){distance_value(&c, place), distance_normal(&c, place), within};
}

MOTE_INLINE void distance_grid_clip(const mote_distance_grid *grid, grid_segment *path) {
    wide3 high = wide3_set(grid->origin);
    high.x += (float)(grid->count[0] - 1) * grid->spacing;
    high.y += (float)(grid->count[1] - 1) * grid->spacing;
    high.z += (float)(grid->count[2] - 1) * grid->spacing;
    grid_clip(path, wide3_set(grid->origin), high);
}

/* Cubic ((c3 t + c2) t + c1) t + c0. */
typedef struct distance_cubic {
    wide c0, c1, c2, c3;
} distance_cubic;

MOTE_INLINE wide cubic_value(const distance_cubic *c, wide t) {
    return ((c->c3 * t + c->c2) * t + c->c1) * t + c->c0;
}

/* Distance along the way d from a place in a cell. */
MOTE_INLINE distance_cubic cubic_along(const distance_cell *c, wide3 at, wide3 d) {
    const wide *k = c->k;
    const wide xy = d.x * d.y, xz = d.x * d.z, yz = d.y * d.z;
    return (distance_cubic){.c0 = distance_value(c, at),
                            .c1 = wide3_dot(distance_gradient(c, at), d),
                            .c2 = ((k[3] + at.z * k[7]) * xy + (k[5] + at.y * k[7]) * xz) +
                                  (k[6] + at.x * k[7]) * yz,
                            .c3 = k[7] * (xy * d.z)};
}

/* Stationary points of the cubic in 0 .. 1, in their order; 1 where there is none. */
MOTE_INLINE void cubic_turns(const distance_cubic *c, wide *first, wide *second) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide square = c->c2 * c->c2 - 3.0f * (c->c3 * c->c1), root = wide_sqrt(wide_max(square, zero));
    const wide w = zero - (c->c2 + wide_select(wide_less(c->c2, zero), zero - root, root));
    const wide_mask none = wide_less(square, zero), flat = wide_less(wide_abs(w), wide_set(1e-30f)),
                    even = wide_less(wide_abs(c->c3), wide_set(1e-30f));
    const wide a = wide_select(none | flat, one, c->c1 / wide_select(flat, one, w)),
               b = wide_select(none | even, one, w / wide_select(even, one, 3.0f * c->c3));
    /* Beyond the piece: 1. */
    const wide p = wide_select(wide_less(zero, a) & wide_less(a, one), a, one),
               q = wide_select(wide_less(zero, b) & wide_less(b, one), b, one);
    *first = wide_min(p, q), *second = wide_max(p, q);
}

/* Finds the first place of 0 .. 1 at which the cubic is at most `level`, which it exceeds at 0. Returns the
 * lanes that have one. */
MOTE_INLINE wide_mask cubic_falls_to(const distance_cubic *cubic, wide level, wide *at) {
    wide low = (wide){0}, high = wide_set(1.0f), turn[3];
    cubic_turns(cubic, &turn[0], &turn[1]);
    turn[2] = wide_set(1.0f);
    wide_mask found = (wide_mask){0};
    for (int k = 0; k < 3; k++) {
        const wide_mask here = ~found & ~wide_less(level, cubic_value(cubic, turn[k]));
        high = wide_select(here, turn[k], high);
        found |= here;
        low = wide_select(found, low, turn[k]);
    }
    if (!wide_lane_bits(found)) return found;
    for (int n = 0; n < DISTANCE_HALVINGS; n++) {
        const wide middle = 0.5f * (low + high);
        const wide_mask over = wide_less(level, cubic_value(cubic, middle));
        low = wide_select(over, middle, low);
        high = wide_select(over, high, middle);
    }
    *at = high;
    return found;
}

/* Searches the part of a path from f0 to f1, which is within one cell, from place `from` to place `to`. */
MOTE_INLINE void distance_cross(const mote_distance_grid *grid, const distance_cell *cell, wide f0, wide f1,
                                wide3 from, wide3 to, const grid_segment *path, grid_search *search) {
    const wide zero = {0}, sinks = wide_set(-DISTANCE_SINKS * grid->spacing);
    const wide3 way = wide3_sub(to, from);
    const distance_cubic cubic = cubic_along(cell, from, way);
    const wide_mask meets =
        grid_meets(path, cubic.c0, wide_less(f0, f1), distance_normal(cell, from), search);
    grid_found(meets, (wide_mask){0}, f0, distance_normal(cell, from), search);
    const wide level = wide_select(search->above, zero, sinks);
    /* A path that turned below the surface by a rounding error at the end of the last cell hits at once. */
    const wide_mask below = search->active & ~wide_less(level, cubic.c0) & search->above;
    wide at = zero;
    wide_mask falls = cubic_falls_to(&cubic, level, &at) & search->active & wide_less(level, cubic.c0);
    at = wide_select(below, zero, at);
    falls |= below;
    if (!wide_lane_bits(falls)) return;
    const wide3 place = wide3_add_scaled(from, at, way);
    grid_found(falls, falls & search->above, f0 + (f1 - f0) * at, distance_normal(cell, place), search);
}

/* Finds the first hits of paths in the lanes search->active. */
MOTE_INLINE void distance_grid_sweep(const mote_distance_grid *grid, const grid_segment *path,
                                     grid_search *search) {
    const wide3 s = distance_into(grid, path->q), u = wide3_scale(wide_set(grid->inverse_spacing), path->u);
    const wide q[3] = {s.x, s.y, s.z}, way[3] = {u.x, u.y, u.z};
    grid_axis axis[3];
    wide_mask cell[3];
    for (int k = 0; k < 3; k++) {
        axis[k] = grid_axis_of(q[k], way[k], (float)(grid->count[k] - 1), path->begin);
        cell[k] = axis[k].cell;
    }
    wide f = path->begin;
    const uint32_t most = grid->count[0] + grid->count[1] + grid->count[2] + 6;
    for (uint32_t n = 0; n < most && wide_lane_bits(search->active); n++) {
        wide out[3], from[3], to[3];
        for (int k = 0; k < 3; k++) out[k] = grid_leaves(&axis[k], cell[k]);
        const wide next = wide_max(f, wide_min(wide_min(out[0], out[1]), wide_min(out[2], path->end)));
        for (int k = 0; k < 3; k++)
            from[k] = grid_within(&axis[k], cell[k], f), to[k] = grid_within(&axis[k], cell[k], next);
        const distance_cell c = distance_cell_at(grid, cell, path->radius);
        distance_cross(grid, &c, f, next, (wide3){from[0], from[1], from[2]}, (wide3){to[0], to[1], to[2]},
                       path, search);
        search->active &= wide_less(next, path->end);
        const wide_mask z = wide_less(out[2], wide_min(out[0], out[1])), y = ~z & wide_less(out[1], out[0]);
        grid_step(&axis[0], ~y & ~z, &cell[0], search);
        grid_step(&axis[1], y, &cell[1], search);
        grid_step(&axis[2], z, &cell[2], search);
        f = next;
    }
}

#endif
