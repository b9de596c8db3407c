/* Depth of strands in colliders, see strand_depth.h. A depth is computed in double by contacts/depth.h. Most
 * points are outside or less deep than the deepest point so far: a kernel in float32 finds the others. */
#include "system/strand_depth.h"

#include <math.h>

#include "contacts/depth.h"
#include "strands/kernels.h"

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

/* Returns the distance from the core within which a point may be as deep as `most` (m). */
static inline double reach_of(const depth_collider *collider, double most) {
    return collider->any ? collider->reach : collider->reach - most;
}

/* Returns the places at which a point may be as deep as `most` (m). World places are rounded. */
static mote_strand_reach reach_from(const depth_collider *collider, double most) {
    mote_strand_reach to = {.half = collider->half};
    to.reach = (float)reach_of(collider, most) + collider->slack + collider->rounding;
    for (int i = 0; i < 3; i++) {
        to.at[i] = collider->world[i], to.axis[i] = collider->axis[i];
        to.box[i] = to.reach + to.half * fabsf(to.axis[i]) + collider->slack;
    }
    return to;
}

/* Returns whether the point is less deep than `most` (m): less work than its depth. Points for
 * which rounding may decide are not: of points of one depth the strand of the lowest number is reported. */
static inline bool is_beyond(const depth_collider *collider, const double x[3], double most) {
    const double *const at = collider->at.position, *const axis = collider->along;
    const double half = (double)collider->half, within = reach_of(collider, most) + 1e-12 * collider->reach;
    double dx = x[0] - at[0], dy = x[1] - at[1], dz = x[2] - at[2];
    if (half > 0) {
        const double along = dx * axis[0] + dy * axis[1] + dz * axis[2], foot = along < -half  ? -half
                                                                                : along > half ? half
                                                                                               : along;
        dx -= foot * axis[0], dy -= foot * axis[1], dz -= foot * axis[2];
    }
    return within < 0 || dx * dx + dy * dy + dz * dz > within * within * (1 + 1e-12);
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
typedef struct depth_found {
    double most;
    uint32_t strand;
} depth_found;

/* Takes the deeper one, the lower number of equals. */
static void take_deeper(depth_found *found, double depth, uint32_t strand) {
    const bool first_of_equals = depth == found->most && depth > 0 && strand < found->strand;
    if (depth > found->most || first_of_equals) *found = (depth_found){depth, strand};
}

/* Compares points k of a lane group, of the strands of `near`, with a collider. */
static void search_row(const mote_strands *strands, const depth_collider *collider, uint32_t group,
                       uint32_t k, uint32_t near, depth_found *found) {
    const mote_range *range = &strands->range;
    for (; near; near &= near - 1) {
        const uint32_t lane = MOTE_GROUP * group + (uint32_t)__builtin_ctz(near),
                       slot = mote_strands_slot_of(strands, lane, k);
        if (k >= (uint32_t)strands->points[lane] || !(range->inverse_mass[slot] > 0)) continue;
        double x[3];
        mote_strands_place(strands, lane, slot, x);
        const double depth = depth_of_point(collider, x, (double)strands->def.radius, found->most);
        take_deeper(found, depth, strands->strand_of_lane[lane]);
    }
}

#define DEPTH_ROWS 64u /* searched at once */

static void search_group(const mote_strands *strands, const depth_collider *collider, uint32_t group,
                         depth_found *found) {
    const mote_range *range = &strands->range;
    const uint32_t end = strands->group[group].points;
    for (uint32_t first = strands->def.collide_from; first < end; first += DEPTH_ROWS) {
        const uint32_t slot = strands->group[group].first + MOTE_GROUP * first,
                       rows = end - first < DEPTH_ROWS ? end - first : DEPTH_ROWS;
        const float *const x[3] = {range->x[0] + slot, range->x[1] + slot, range->x[2] + slot};
        const mote_strand_reach reach = reach_from(collider, found->most);
        uint16_t near[DEPTH_ROWS];
        if (reach.reach < 0 || !strands->kernels->within(&reach, x, rows, near)) continue;
        for (uint32_t k = 0; k < rows; k++) search_row(strands, collider, group, first + k, near[k], found);
    }
}

typedef struct depth_search {
    const mote_strands *strands;
    depth_colliders colliders;
    depth_found found[MOTE_MAX_WORKERS]; /* of each worker */
} depth_search;

static void search_groups(void *context, size_t first, size_t end, uint32_t worker) {
    depth_search *search = context;
    depth_found found = search->found[worker]; /* workers write no common cache line meanwhile */
    for (size_t group = first; group < end; group++)
        for (uint32_t i = 0; i < search->colliders.count; i++)
            search_group(search->strands, &search->colliders.of[i], (uint32_t)group, &found);
    search->found[worker] = found;
}

double mote_strands_depth(const mote_system *system, const mote_strands *strands, uint32_t *deepest) {
    depth_search search = {.strands = strands};
    depth_found found = {0, 0};
    place_colliders(system, strands->def.radius, &search.colliders);
    const double points = (double)strands->range.slot_count * search.colliders.count;
    const mote_jobs *jobs = mote_jobs_for(&system->def.jobs, MOTE_WORK_DEPTH * points);
    if (search.colliders.count) mote_parallel_for(jobs, strands->group_count, 1, search_groups, &search);
    for (uint32_t i = 0; i < MOTE_MAX_WORKERS; i++)
        take_deeper(&found, search.found[i].most, search.found[i].strand);
    *deepest = found.strand;
    return found.most;
}
