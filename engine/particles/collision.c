/* Colliders near a block of loose particles. */
#include "particles/collision.h"

#include <float.h>
#include <math.h>

#include "contacts/height_field.h"

/* Twice the way that the fastest particle of the block goes in a step without forces. A particle that leaves
 * this region is tested against all colliders, so that the factor changes no result. */
#define REACH 2.0

/* fmin and fmax in a loop stop gcc 12 for AArch64 with an internal error. A NaN in b counts as absent. */
static double lesser(double a, double b) { return b < a ? b : a; }
static double greater(double a, double b) { return b > a ? b : a; }

/* Returns the distance between two intervals; negative where they overlap. */
static double apart(double low, double high, double other_low, double other_high) {
    return greater(other_low - high, low - other_high);
}

/* Returns the distance from the box of the particles to the boxes around a collider at all boundaries of the
 * step: the greatest one of x, y, z. */
static double box_distance(const mote_collider_pose *pose, uint32_t stride, uint32_t rows,
                           const mote_slot_bounds *b) {
    double distance = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY, half = 0;
        for (uint32_t s = 0; s < rows; s++) {
            const mote_collider_pose *at = &pose[(size_t)s * stride];
            low = lesser(low, (double)at->origin[i]), high = greater(high, (double)at->origin[i]);
            half = greater(half, (double)at->half[i]);
        }
        distance = greater(distance, apart((double)b->low[i], (double)b->high[i], low - half, high + half));
    }
    return distance - 1.03 * (double)b->radius;
}

/* The same for a plane: the least height of a corner of the box, over |n| in the 1-norm, because a way of d
 * in each of x, y, z changes the height by at most that. A plane that turns is near everywhere. */
static double plane_distance(const mote_collider_pose *pose, uint32_t stride, uint32_t rows,
                             const mote_slot_bounds *b) {
    double least = INFINITY;
    for (uint32_t s = 0; s < rows; s++, pose += stride) {
        double height = 0, size = 0;
        if (pose->turns) return -INFINITY;
        for (int i = 0; i < 3; i++) {
            const double n = (double)pose->axis[1][i], corner = (double)(n < 0 ? b->high[i] : b->low[i]);
            height += n * (corner - (double)pose->origin[i]);
            size += fabs(n);
        }
        least = lesser(least, (height - (double)b->radius) / size);
    }
    return least;
}

/* Returns the distance from the box of the particles to the bounds of a height field or distance grid in its
 * axes: the greatest one of x, y, z, each the least of the step, over |axis| in the 1-norm. A field that
 * turns is near everywhere. */
static double grid_distance(const mote_collider_pose *pose, uint32_t stride, uint32_t rows,
                            const mote_slot_bounds *b) {
    double least[3] = {INFINITY, INFINITY, INFINITY};
    const double weight = pose->height_field ? (double)pose->height_field->weight : 1;
    for (uint32_t s = 0; s < rows; s++) {
        const mote_collider_pose *at = &pose[(size_t)s * stride];
        if (at->turns && pose->height_field) return -INFINITY;
        if (at->turns) return box_distance(pose, stride, rows, b);
        for (int k = 0; k < 3; k++) {
            double middle = 0, half = 0, size = 0;
            for (int i = 0; i < 3; i++) {
                const double n = (double)at->axis[k][i], low = (double)b->low[i], high = (double)b->high[i];
                middle += n * (0.5 * (low + high) - (double)at->origin[i]);
                half += 0.5 * fabs(n) * (high - low), size += fabs(n);
            }
            const double gap = apart(middle - half, middle + half, (double)at->low[k], (double)at->high[k]);
            least[k] = lesser(least[k], (gap - 1.03 * weight * (double)b->radius) / size);
        }
    }
    return greater(greater(least[0], least[1]), least[2]);
}

static double distance_to(const mote_collider_pose *pose, uint32_t stride, uint32_t rows,
                          const mote_slot_bounds *b) {
    if (pose->kind == MOTE_COLLIDER_PLANE) return plane_distance(pose, stride, rows, b);
    if (pose->height_field || pose->distance_grid) return grid_distance(pose, stride, rows, b);
    return box_distance(pose, stride, rows, b);
}

/* Returns a bound of the rounding errors of the distances that the kernels compute, and more. */
static double slack_of(const mote_collider_pose *pose, const mote_slot_bounds *b) {
    double scale = (double)b->radius;
    for (int i = 0; i < 3; i++)
        scale = greater(scale, greater(fabs((double)b->low[i]), fabs((double)b->high[i])));
    return 8 * ((double)pose->slack + 0x1p-21 * scale);
}

void mote_collision_near(const mote_collision *collision, uint32_t substeps, double timestep,
                         const mote_slot_bounds *bounds, mote_near *near) {
    const double reach = REACH * (double)bounds->speed * timestep;
    double free = INFINITY;
    near->count = 0;
    for (uint32_t k = 0; k < collision->all.count; k++) {
        const uint8_t i = collision->all.index[k];
        const mote_collider_pose *pose = &collision->poses[i];
        const double distance = distance_to(pose, collision->count, substeps + 1, bounds) -
                                slack_of(&collision->poses[i + (size_t)substeps * collision->count], bounds);
        if (distance > reach)
            free = lesser(free, distance);
        else
            near->index[near->count++] = i;
    }
    near->free = free < (double)FLT_MAX ? (float)(free * (1 - 0x1p-20)) : FLT_MAX;
}
