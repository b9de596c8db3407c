/* Paths of points through a lattice: of height fields and distance grids. Lanes are independent. */
#ifndef MOTE_CONTACTS_GRID_PATH_H
#define MOTE_CONTACTS_GRID_PATH_H

#include "math/wide.h"

#define MOTE_GRID_FAR 1e30f /* m, beyond all places */

/* Surface nearest to a place. */
typedef struct grid_surface {
    wide distance; /* m; negative inside */
    wide3 normal;
    wide_mask within; /* lanes whose place is within the samples: the others have no surface */
} grid_surface;

/* Straight path in the axes of the grid: q + f u, m, for f from 0 to 1. A point that touches the surface at
 * the start of its path hits it if it moves into the solid at either of two velocities: that at the start, or
 * that later in the path. */
typedef struct grid_segment {
    wide3 q, u;
    wide begin, end;        /* range of f within the bounds of the grid */
    wide radius, tolerance; /* m; places within the tolerance touch the surface */
    wide3 v, later;         /* m/s, relative to the solid: at the start of the path, and later */
    wide slow;              /* m/s, slower velocities are rounding errors */
} grid_segment;

/* Search for the first hit. */
typedef struct grid_search {
    wide_mask active; /* lanes that still search */
    wide_mask enters; /* lanes that begin by entering the bounds */
    wide_mask above;  /* lanes that were farther than the tolerance from the surface */
    wide_mask found;  /* lanes that hit */
    wide_mask falls;  /* of these: came from above */
    wide f;
    wide3 normal;
} grid_search;

MOTE_INLINE grid_search grid_search_begin(const grid_segment *path, wide_mask lanes) {
    return (grid_search){
        .active = lanes, .enters = wide_less((wide){0}, path->begin), .f = (wide){0}, .normal = wide3_zero()};
}

/* Clips the path to a box. A lane that misses it has begin > end. */
MOTE_INLINE void grid_clip(grid_segment *path, wide3 low, wide3 high) {
    const wide zero = {0}, one = wide_set(1.0f), never = wide_set(2.0f);
    const wide q[3] = {path->q.x, path->q.y, path->q.z}, u[3] = {path->u.x, path->u.y, path->u.z},
               from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    path->begin = zero, path->end = one;
    for (int axis = 0; axis < 3; axis++) {
        const wide_mask still = wide_less(wide_abs(u[axis]), wide_set(1e-30f)),
                        out = wide_less(q[axis], from[axis]) | wide_less(to[axis], q[axis]);
        const wide speed = wide_select(still, one, u[axis]);
        const wide a = (from[axis] - q[axis]) / speed, b = (to[axis] - q[axis]) / speed;
        path->begin =
            wide_max(path->begin, wide_select(still, wide_select(out, never, zero), wide_min(a, b)));
        path->end = wide_min(path->end, wide_select(still, one, wide_max(a, b)));
    }
}

/* Coordinate of a path in cells. */
typedef struct grid_axis {
    wide q, u, inverse;
    wide_mask cell; /* the first one */
    wide_mask ahead, still;
    int32_t last; /* cell */
} grid_axis;

MOTE_INLINE grid_axis grid_axis_of(wide q, wide u, float samples_end, wide begin) {
    grid_axis a = {.q = q, .u = u, .last = (int32_t)samples_end - 1};
    wide whole;
    a.still = wide_less(wide_abs(u), wide_set(1e-30f));
    a.ahead = wide_less((wide){0}, u);
    a.inverse = 1.0f / wide_select(a.still, wide_set(1.0f), u);
    a.cell = wide_floor(wide_clamp(q + begin * u, 0, samples_end - 1), &whole);
    return a;
}

/* Fraction at which the path leaves a cell. */
MOTE_INLINE wide grid_leaves(const grid_axis *a, wide_mask cell) {
    const wide line = WIDE_CONVERT(cell - a->ahead, wide);
    return wide_select(a->still, wide_set(2.0f), (line - a->q) * a->inverse);
}

/* Place in a cell, 0 .. 1. */
MOTE_INLINE wide grid_within(const grid_axis *a, wide_mask cell, wide f) {
    return wide_clamp(a->q + f * a->u - WIDE_CONVERT(cell, wide), 0, 1);
}

/* Steps lanes to the next cell along an axis; the search of those that leave the lattice ends. */
MOTE_INLINE void grid_step(const grid_axis *a, wide_mask lanes, wide_mask *cell, grid_search *search) {
    const wide_mask moves = search->active & lanes & ~a->still;
    const wide_mask next = *cell - (moves & a->ahead) + (moves & ~a->ahead);
    const wide_mask inside =
        ~(wide_mask)wide_less_unsigned((wide_unsigned){0} + (uint32_t)a->last, (wide_unsigned)next);
    *cell = (inside & next) | (~inside & *cell);
    search->active &= inside;
}

/* Lanes that touch the surface at the start of a piece, d from it, and hit it there; marks those above it. An
 * empty piece hits nothing. The search of lanes that enter the bounds below the surface ends. */
MOTE_INLINE wide_mask grid_meets(const grid_segment *path, wide d, wide_mask nonempty, wide3 normal,
                                 grid_search *search) {
    search->active &= ~(search->enters & wide_less(d, -2.0f * path->tolerance));
    search->enters = (wide_mask){0};
    search->above |= search->active & wide_less(path->tolerance, d);
    const wide speed = wide_min(wide3_dot(normal, path->v), wide3_dot(normal, path->later));
    return search->active & ~search->above & nonempty & wide_less(speed, (wide){0} - path->slow);
}

/* Ends the search of lanes that hit at f. */
MOTE_INLINE void grid_found(wide_mask hits, wide_mask falls, wide f, wide3 normal, grid_search *search) {
    search->f = wide_select(hits, f, search->f);
    search->normal = wide3_select(hits, normal, search->normal);
    search->found |= hits;
    search->falls |= hits & falls;
    search->active &= ~hits;
}

#endif
