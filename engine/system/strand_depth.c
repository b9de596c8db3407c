/* Depth of strands in colliders, see strand_depth.h. A depth is computed in double by contacts/depth.h. Most
 * points are outside or less deep than the deepest point so far: tests in float32 skip rows of 16 strands,
 * whose coordinates are contiguous. */
#include "system/strand_depth.h"

#include <math.h>

#include "contacts/depth.h"
#include "stage/low_part.h"

/* Collider at the present boundary. A point at the distance s from its core, a segment about `at`, is no
 * deeper than reach - s; in a grid, whose distances may be any, it is outside where s is over `reach`. */
typedef struct depth_collider {
    const mote_collider_def *def;
    mote_placement at;
    double along[3];     /* direction of the core ... */
    float axis[3], half; /* ... rounded, and its half length, m */
    double reach;        /* m; infinite for a plane or height field */
    bool any;            /* distances may be any */
    float slack;         /* m, rounding of distances from the core */
    float world[3];      /* m, `at`, rounded */
    float rounding;      /* m, of distances between rounded world places */
} depth_collider;

typedef struct depth_colliders {
    uint32_t count;
    depth_collider of[MOTE_MAX_COLLIDERS];
} depth_colliders;

/* Returns the collider at a placement. radius: m, of the strands. */
static depth_collider collider_at(const mote_collider_def *def, const mote_placement *at, float radius) {
    depth_collider to = {.def = def, .at = *at};
    double *const q = to.at.rotation, square = 0;
    for (int i = 0; i < 4; i++) square += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= __builtin_sqrt(square);
    const bool capsule = def->kind == MOTE_COLLIDER_CAPSULE;
    to.half = capsule ? def->half_length : 0;
    to.along[0] = 2 * (q[0] * q[1] - q[3] * q[2]);
    to.along[1] = 1 - 2 * (q[0] * q[0] + q[2] * q[2]);
    to.along[2] = 2 * (q[1] * q[2] + q[3] * q[0]);
    const bool is_round = capsule || def->kind == MOTE_COLLIDER_SPHERE;
    to.reach = (double)(is_round ? def->radius : mote_collider_bound(def)) + (double)radius;
    to.any = def->kind == MOTE_COLLIDER_DISTANCE_GRID;
    to.slack = 1e-6f * ((float)to.reach + to.half);
    for (int i = 0; i < 3; i++) {
        to.axis[i] = (float)to.along[i];
        to.world[i] = (float)at->position[i];
        to.rounding += 0x1p-23f * fabsf(to.world[i]);
    }
    return to;
}

static void place_colliders(const mote_system *system, float radius, depth_colliders *to) {
    to->count = system->colliders.list.count;
    for (uint32_t i = 0; i < to->count; i++) {
        const mote_collider *collider = mote_collider_at(&system->colliders, i);
        const mote_placement at = mote_motion_placement(&collider->motion, mote_system_boundary(system), 0);
        to->of[i] = collider_at(&collider->def, &at, radius);
    }
}

/* Returns the square of the distance of a point, at d from the middle of the core, from the core. */
static inline float core_square(const depth_collider *collider, float x, float y, float z) {
    const float half = collider->half, *const axis = collider->axis;
    const float along = x * axis[0] + y * axis[1] + z * axis[2], low = along < -half ? -half : along,
                foot = low > half ? half : low;
    x -= foot * axis[0], y -= foot * axis[1], z -= foot * axis[2];
    return x * x + y * y + z * z;
}

/* Returns the distance from the core within which a point may be as deep as `most` (m). */
static inline double reach_of(const depth_collider *collider, double most) {
    return collider->any ? collider->reach : collider->reach - most;
}

/* Finds which of 16 points with contiguous coordinates may be as deep as `most` (m): first by the box around
 * the collider, then by their distances from its core. World places are rounded. Returns whether any is. */
static bool find_near(const depth_collider *collider, const float *const x[3], double most,
                      int32_t near[MOTE_GROUP]) {
    const float reach = (float)reach_of(collider, most) + collider->slack + collider->rounding,
                half = collider->half, *const at = collider->world;
    float box[3];
    int32_t inside = 0;
    for (int j = 0; j < 3; j++) box[j] = reach + half * fabsf(collider->axis[j]) + collider->slack;
    for (uint32_t i = 0; i < MOTE_GROUP; i++)
        inside |= (fabsf(x[0][i] - at[0]) <= box[0]) & (fabsf(x[1][i] - at[1]) <= box[1]) &
                  (fabsf(x[2][i] - at[2]) <= box[2]);
    if (!inside || reach < 0) return false;
    inside = 0;
    for (uint32_t i = 0; i < MOTE_GROUP; i++) {
        const float square = core_square(collider, x[0][i] - at[0], x[1][i] - at[1], x[2][i] - at[2]);
        near[i] = square <= reach * reach;
        inside |= near[i];
    }
    return inside;
}

/* Returns whether the point is less deep than `most` (m): less work than its depth. */
static inline bool is_beyond(const depth_collider *collider, const double x[3], double most) {
    const double *const at = collider->at.position, *const axis = collider->along;
    const double half = (double)collider->half, within = reach_of(collider, most);
    double dx = x[0] - at[0], dy = x[1] - at[1], dz = x[2] - at[2];
    if (half > 0) {
        const double along = dx * axis[0] + dy * axis[1] + dz * axis[2], foot = along < -half  ? -half
                                                                                : along > half ? half
                                                                                               : along;
        dx -= foot * axis[0], dy -= foot * axis[1], dz -= foot * axis[2];
    }
    return dx * dx + dy * dy + dz * dz > within * within * (1 + 1e-12);
}

/* Returns the depth of a point with the radius `radius` (m) if it may reach `most`, else -infinity. */
static double depth_of_point(const depth_collider *collider, const double x[3], double radius, double most) {
    if (is_beyond(collider, x, most)) return -INFINITY;
    return mote_collider_depth(collider->def, &collider->at, x) + radius;
}

double mote_strand_depth(const mote_system *system, const mote_strands *strands, uint32_t lane,
                         uint32_t *deepest) {
    depth_colliders colliders;
    double most = 0;
    *deepest = 0;
    place_colliders(system, strands->def.radius, &colliders);
    for (uint32_t k = strands->def.collide_from; k < (uint32_t)strands->points[lane]; k++) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        if (!(strands->range.inverse_mass[slot] > 0)) continue;
        double x[3];
        mote_strands_place(strands, lane, slot, x);
        for (uint32_t i = 0; i < colliders.count; i++) {
            const double depth = depth_of_point(&colliders.of[i], x, (double)strands->def.radius, most);
            if (depth > most) most = depth, *deepest = k;
        }
    }
    return most;
}

/* Deepest point so far: depth (m) and strand. */
typedef struct depth_search {
    double most;
    uint32_t strand;
} depth_search;

/* Compares the points k of a lane group, from `slot` on, with a collider. */
static void search_row(const mote_strands *strands, const depth_collider *collider, uint32_t group,
                       uint32_t k, depth_search *search) {
    const mote_range *range = &strands->range;
    const uint32_t first = strands->group[group].first + MOTE_GROUP * k;
    const float *const x[3] = {range->x[0] + first, range->x[1] + first, range->x[2] + first};
    int32_t near[MOTE_GROUP];
    if (!find_near(collider, x, search->most, near)) return;
    for (uint32_t i = 0; i < MOTE_GROUP; i++) {
        const uint32_t lane = MOTE_GROUP * group + i;
        if (!near[i] || k >= (uint32_t)strands->points[lane] || !(range->inverse_mass[first + i] > 0))
            continue;
        float low[3];
        mote_low_part(range->x, strands->origin, strands->relative_x, lane, first + i, low);
        const double at[3] = {(double)x[0][i] + (double)low[0], (double)x[1][i] + (double)low[1],
                              (double)x[2][i] + (double)low[2]};
        const double depth = depth_of_point(collider, at, (double)strands->def.radius, search->most);
        const uint32_t strand = strands->strand_of_lane[lane];
        const bool first_of_equals = depth == search->most && depth > 0 && strand < search->strand;
        if (depth > search->most || first_of_equals) *search = (depth_search){depth, strand};
    }
}

double mote_strands_depth(const mote_system *system, const mote_strands *strands, uint32_t *deepest) {
    depth_colliders colliders;
    depth_search search = {0, 0};
    place_colliders(system, strands->def.radius, &colliders);
    for (uint32_t group = 0; group < strands->group_count && colliders.count; group++)
        for (uint32_t k = strands->def.collide_from; k < strands->group[group].points; k++)
            for (uint32_t i = 0; i < colliders.count; i++)
                search_row(strands, &colliders.of[i], group, k, &search);
    *deepest = search.strand;
    return search.most;
}
