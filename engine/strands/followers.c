/* Followers: checks, choice of guides, offsets from the guides. */
#include "strands/followers.h"

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "base/parallel.h"
#include "strands/nearest.h"

#define COOKIE 0x666f6c6cu
#define GRAIN  16u /* followers of a task */

mote_followers_def mote_default_followers_def(void) {
    return (mote_followers_def){.cookie = COOKIE, .points = 32};
}

/* --- Checks --- */

static uint32_t points_of(const mote_followers_def *def, uint32_t follower) {
    return def->follower_points ? def->follower_points[follower] : def->points;
}

static mote_result check_points(const mote_followers_def *def, uint64_t *total, mote_strands_fault *fault) {
    *total = 0;
    for (uint32_t i = 0; i < def->follower_count; i++) {
        const uint32_t points = points_of(def, i);
        if (points < MOTE_MIN_STRAND_POINTS || points > MOTE_MAX_STRAND_POINTS) {
            *fault = (mote_strands_fault){def->follower_points ? i : MOTE_ALL_STRANDS, 0,
                                          def->follower_points ? "follower_points" : "points"};
            return MOTE_ERROR_RANGE;
        }
        *total += points;
    }
    return *total <= UINT32_MAX ? MOTE_OK : MOTE_ERROR_OVERFLOW;
}

static mote_result check_positions(const mote_followers_def *def, mote_strands_fault *fault) {
    const float *p = def->positions;
    for (uint32_t i = 0; i < def->follower_count; i++)
        for (uint32_t k = 0; k < points_of(def, i); k++, p += 3)
            if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
                *fault = (mote_strands_fault){i, k, "positions"};
                return MOTE_ERROR_NOT_FINITE;
            }
    return MOTE_OK;
}

/* Checks the guides of one follower. A weight without a guide is ignored. */
static mote_result check_guides_of(const mote_followers_def *def, uint32_t follower, uint32_t strands,
                                   const char **parameter) {
    bool any = false, guided = false;
    for (size_t i = (size_t)follower * MOTE_GUIDES; i < ((size_t)follower + 1) * MOTE_GUIDES; i++) {
        if (def->guides[i] == MOTE_NO_GUIDE) continue;
        guided = true;
        *parameter = "guides";
        if (def->guides[i] >= strands) return MOTE_ERROR_RANGE;
        *parameter = "weights";
        if (def->weights && !isfinite(def->weights[i])) return MOTE_ERROR_NOT_FINITE;
        if (def->weights && !(def->weights[i] >= 0)) return MOTE_ERROR_RANGE;
        any |= !def->weights || def->weights[i] > 0;
    }
    *parameter = guided ? "weights" : "guides";
    return any ? MOTE_OK : MOTE_ERROR_RANGE;
}

static mote_result check(const mote_followers_def *def, uint32_t strands, uint64_t *total,
                         mote_strands_fault *fault) {
    fault->parameter = "cookie";
    if (def->cookie != COOKIE) return MOTE_ERROR_DEF;
    fault->parameter = "follower_count";
    if (def->follower_count == 0) return MOTE_ERROR_RANGE;
    fault->parameter = def->positions ? "guides" : "positions";
    if (!def->positions || (def->weights && !def->guides)) return MOTE_ERROR_NULL;
    fault->parameter = NULL;
    mote_result result = check_points(def, total, fault);
    if (result == MOTE_OK) result = check_positions(def, fault);
    for (uint32_t i = 0; i < def->follower_count && def->guides && result == MOTE_OK; i++) {
        const char *parameter;
        result = check_guides_of(def, i, strands, &parameter);
        if (result) *fault = (mote_strands_fault){i, 0, parameter};
    }
    return result;
}

/* --- Memory --- */

static uint64_t place_columns(mote_followers *f, uint64_t total) {
    mote_arena a = {f->memory, 0};
    f->first_point = mote_arena_take(&a, (uint64_t)f->count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < MOTE_GUIDES; i++) f->guide[i] = mote_arena_take(&a, f->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < MOTE_GUIDES; i++) f->weight[i] = mote_arena_take(&a, f->count, sizeof(float));
    for (int axis = 0; axis < 3; axis++)
        f->offset[axis] = mote_arena_take(&a, total + MOTE_GROUP, sizeof(float));
    f->guide_x = mote_arena_take(&a, (uint64_t)f->guide_count * 3 * f->stride, sizeof(float));
    f->guide_frame = mote_arena_take(&a, (uint64_t)f->guide_count * 4 * f->stride, sizeof(float));
    f->turn = mote_arena_take(&a, (uint64_t)f->guide_count * 9, sizeof(float));
    return a.bytes;
}

void mote_followers_destroy(mote_followers *followers) {
    if (!followers) return;
    const mote_allocator allocator = followers->allocator;
    mote_release(&allocator, followers->memory, followers->bytes);
    mote_release(&allocator, followers, sizeof *followers);
}

static mote_result allocate(mote_followers *f, const mote_followers_def *def, uint64_t total) {
    uint64_t bytes = place_columns(f, total);
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    f->memory = mote_allocate(&f->allocator, (size_t)bytes);
    if (!f->memory) return MOTE_ERROR_MEMORY;
    f->bytes = (size_t)bytes;
    place_columns(f, total);
    memset(f->memory, 0, f->bytes);
    for (uint32_t i = 0; i < f->count; i++) f->first_point[i + 1] = f->first_point[i] + points_of(def, i);
    return MOTE_OK;
}

/* --- Guides --- */

typedef struct task {
    const mote_strands *strands;
    const mote_followers_def *def;
    mote_followers *followers;
    float (*roots)[3];    /* rest positions by strand */
    mote_nearest nearest; /* for guides chosen by the library */
} task;

typedef struct choice {
    uint32_t count, guide[MOTE_GUIDES];
    double weight[MOTE_GUIDES];
} choice;

static void weigh_by_distance(const task *t, const float *root, choice *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        const double distance = __builtin_sqrt(mote_distance_squared(root, t->roots[c->guide[i]]));
        if (distance == 0) {
            *c = (choice){1, {c->guide[i]}, {1}};
            return;
        }
        c->weight[i] = 1 / distance;
    }
}

/* Chooses the guides of a follower: those given, else the nearest roots. Weights not given are inverse
 * distances. */
static choice choose(const task *t, uint32_t follower, const float *root) {
    choice c = {0};
    const uint32_t *given = t->def->guides ? t->def->guides + (size_t)follower * MOTE_GUIDES : NULL;
    const float *weights = t->def->weights ? t->def->weights + (size_t)follower * MOTE_GUIDES : NULL;
    if (!given) c.count = mote_nearest_find(&t->nearest, root, c.guide);
    for (uint32_t i = 0; i < MOTE_GUIDES && given; i++) {
        if (given[i] == MOTE_NO_GUIDE || (weights && weights[i] == 0)) continue;
        c.weight[c.count] = weights ? (double)weights[i] : 1;
        c.guide[c.count++] = given[i];
    }
    if (!weights) weigh_by_distance(t, root, &c);
    return c;
}

static void set_guides(mote_followers *f, uint32_t follower, const choice *c) {
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++) sum += c->weight[i];
    for (uint32_t i = 0; i < MOTE_GUIDES; i++) {
        f->guide[i][follower] = i < c->count ? c->guide[i] : MOTE_NO_GUIDE;
        f->weight[i][follower] = i < c->count ? (float)(c->weight[i] / sum) : 0;
    }
}

static double rest_at(const mote_strands *strands, uint32_t strand, uint32_t j, uint32_t n, int axis) {
    const uint32_t lane = strands->lane_of_strand[strand];
    const mote_strand_place at = mote_strand_place_of(j, n, (uint32_t)strands->points[lane]);
    const double from = (double)strands->rest_x[axis][mote_strands_slot_of(strands, lane, at.point)];
    const double to = (double)strands->rest_x[axis][mote_strands_slot_of(strands, lane, at.next)];
    return from + (double)at.fraction * (to - from);
}

/* Computes the offsets with the kernel's formula: guide 0 has the weight 1 - w1 - w2. */
static void set_offsets(const task *t, uint32_t follower) {
    mote_followers *f = t->followers;
    const uint32_t first = f->first_point[follower], n = mote_followers_points(f, follower);
    for (uint32_t j = 0; j < n; j++)
        for (int axis = 0; axis < 3; axis++) {
            const double g = rest_at(t->strands, f->guide[0][follower], j, n, axis);
            double x = g;
            for (uint32_t i = 1; i < MOTE_GUIDES && f->guide[i][follower] != MOTE_NO_GUIDE; i++)
                x += (double)f->weight[i][follower] *
                     (rest_at(t->strands, f->guide[i][follower], j, n, axis) - g);
            f->offset[axis][first + j] =
                (float)((double)t->def->positions[3 * ((size_t)first + j) + (size_t)axis] - x);
        }
}

static void do_followers(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const task *t = context;
    for (uint32_t i = (uint32_t)first; i < end; i++) {
        const choice c = choose(t, i, t->def->positions + 3 * (size_t)t->followers->first_point[i]);
        set_guides(t->followers, i, &c);
        set_offsets(t, i);
    }
}

static mote_result set_all(task *t, const mote_allocator *allocator, const mote_jobs *jobs) {
    const mote_strands *strands = t->strands;
    const size_t bytes = (size_t)strands->strand_count * sizeof *t->roots;
    mote_result result = MOTE_OK;
    t->roots = mote_allocate(allocator, bytes);
    if (!t->roots) return MOTE_ERROR_MEMORY;
    for (uint32_t i = 0; i < strands->strand_count; i++)
        for (int axis = 0; axis < 3; axis++)
            t->roots[i][axis] = strands->root_rest[axis][strands->lane_of_strand[i]];
    if (!t->def->guides)
        result =
            mote_nearest_make(&t->nearest, (const float(*)[3])t->roots, strands->strand_count, allocator);
    jobs = mote_jobs_for(jobs, MOTE_WORK_CHOICE * (double)t->followers->count);
    if (result == MOTE_OK) mote_parallel_for(jobs, t->followers->count, GRAIN, do_followers, t);
    mote_nearest_destroy(&t->nearest, allocator);
    mote_release(allocator, t->roots, bytes);
    return result;
}

/* --- Creation --- */

static mote_followers followers_of(const mote_strands *strands, const mote_followers_def *def,
                                   const mote_allocator *allocator) {
    const uint32_t points = def->follower_points ? 0 : def->points;
    const uint32_t most = points > strands->max_points ? points : strands->max_points;
    return (mote_followers){.allocator = *allocator,
                            .strands = strands->id,
                            .stamp = strands->stamp,
                            .count = def->follower_count,
                            .points = points,
                            .guide_count = strands->strand_count,
                            .stride = mote_round_up(most, MOTE_GROUP) + MOTE_GROUP};
}

mote_result mote_followers_make(const mote_strands *strands, const mote_followers_def *def,
                                const mote_allocator *allocator, const mote_jobs *jobs,
                                mote_followers **followers, mote_strands_fault *fault) {
    uint64_t total;
    mote_result result = check(def, strands->strand_count, &total, fault);
    if (result) return result;
    mote_followers *made = mote_allocate(allocator, sizeof *made);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = followers_of(strands, def, allocator);
    result = allocate(made, def, total);
    task t = {.strands = strands, .def = def, .followers = made};
    if (result == MOTE_OK) result = set_all(&t, allocator, jobs);
    if (result)
        mote_followers_destroy(made);
    else
        *followers = made;
    return result;
}

uint32_t mote_followers_count(const mote_followers *followers) { return followers ? followers->count : 0; }

mote_result mote_followers_guides(const mote_followers *followers, uint32_t follower,
                                  uint32_t guides[MOTE_GUIDES], float weights[MOTE_GUIDES]) {
    if (!followers || !guides || !weights) return MOTE_ERROR_NULL;
    if (follower >= followers->count) return MOTE_ERROR_RANGE;
    for (uint32_t i = 0; i < MOTE_GUIDES; i++) {
        guides[i] = followers->guide[i][follower];
        weights[i] = followers->weight[i][follower];
    }
    return MOTE_OK;
}
