/* Sampled grid of vectors. */
#ifndef MOTE_FORCES_GRID_SAMPLES_H
#define MOTE_FORCES_GRID_SAMPLES_H

#include <mote/grid.h>

#include "math/wide.h"

struct mote_grid {
    mote_allocator allocator;
    uint32_t count[3];
    float origin[3], inverse_spacing[3];
    bool zero_outside;
    size_t bytes;        /* bytes of the allocation */
    float (*samples)[4]; /* x fastest; the fourth float is padding: one load fetches a vector */
    uint64_t hash;
};

/* Returns the trilinear interpolation of the samples at x. */
MOTE_INLINE wide3 mote_grid_sample(const mote_grid *grid, wide3 x) {
    /* Cell and position t in it, clamped to the grid. */
    const wide position[3] = {x.x, x.y, x.z};
    wide t[3];
    wide_mask inside = ~(wide_mask){0};
    int32_t cell[3][MOTE_WIDTH];
    for (int axis = 0; axis < 3; axis++) {
        float last = (float)(grid->count[axis] - 1);
        wide at = (position[axis] - grid->origin[axis]) * grid->inverse_spacing[axis];
        wide clamped = wide_clamp(at, 0, last), whole;
        inside &= wide_equal(clamped, at);
        wide_mask_store(cell[axis], wide_floor(wide_min(clamped, wide_set(last - 1.0f)), &whole));
        t[axis] = clamped - whole;
    }
    /* Gathers the eight corners of each lane's cell. */
    float corner[8][3][MOTE_WIDTH];
    const size_t row = grid->count[0], layer = row * grid->count[1];
    for (int lane = 0; lane < MOTE_WIDTH; lane++) {
        size_t first = (size_t)cell[0][lane] + row * (size_t)cell[1][lane] + layer * (size_t)cell[2][lane];
        for (size_t c = 0; c < 8; c++) {
            const float *sample = grid->samples[first + (c & 1) + (c >> 1 & 1) * row + (c >> 2) * layer];
            for (int axis = 0; axis < 3; axis++) corner[c][axis][lane] = sample[axis];
        }
    }
    wide3 value[8];
    for (int c = 0; c < 8; c++)
        value[c] = (wide3){wide_load(corner[c][0]), wide_load(corner[c][1]), wide_load(corner[c][2])};
    /* Interpolates along x, y and z in turn. */
    for (int axis = 0, pairs = 4; axis < 3; axis++, pairs /= 2)
        for (int c = 0; c < pairs; c++)
            value[c] = wide3_add_scaled(value[2 * c], t[axis], wide3_sub(value[2 * c + 1], value[2 * c]));
    return grid->zero_outside ? wide3_select(inside, value[0], wide3_zero()) : value[0];
}

#endif
