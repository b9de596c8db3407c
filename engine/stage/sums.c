/* Sums in a fixed order. */
#include "stage/sums.h"

#include <string.h>

#include "base/parallel.h"
#include "forces/force.h"

#define SEGMENTS 64u
#define LEVELS   32

void mote_sums_add(mote_sums *to, const mote_sums *more) {
    for (int i = 0; i < MOTE_SUMS; i++) to->of[i] += more->of[i];
    if (more->max_strain > to->max_strain) to->max_strain = more->max_strain;
}

mote_sums mote_sums_of_lanes(mote_sums lane[MOTE_GROUP]) {
    for (uint32_t half = MOTE_GROUP / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++) mote_sums_add(&lane[i], &lane[i + half]);
    return lane[0];
}

/* Pairwise summation by a binary counter of partial sums: level k holds the sum of 2^k items. Adding the
 * items one by one gives the sums of the binary tree. */
typedef struct tree {
    mote_sums level[LEVELS];
    uint64_t items;
} tree;

static void tree_add(tree *t, mote_sums item) {
    int level = 0;
    for (uint64_t bits = t->items; bits & 1; bits >>= 1, level++) {
        mote_sums lower = t->level[level];
        mote_sums_add(&lower, &item);
        item = lower;
    }
    t->level[level] = item;
    t->items++;
}

static mote_sums tree_total(const tree *t) {
    mote_sums total = {.max_strain = 0};
    for (int level = 0; level < LEVELS; level++)
        if (t->items >> level & 1) mote_sums_add(&total, &t->level[level]);
    return total;
}

typedef struct sum_job {
    mote_sum_chunk *chunk;
    const void *context;
    size_t count, chunks, chunks_per_segment;
    mote_sums segment[SEGMENTS];
} sum_job;

static void do_segments(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    sum_job *r = context;
    for (size_t segment = first; segment < end; segment++) {
        size_t chunk = segment * r->chunks_per_segment, last = chunk + r->chunks_per_segment;
        tree t;
        t.items = 0;
        for (; chunk < last && chunk < r->chunks; chunk++) {
            size_t item = chunk * MOTE_SUM_CHUNK,
                   last_item = r->count - item < MOTE_SUM_CHUNK ? r->count : item + MOTE_SUM_CHUNK;
            tree_add(&t, r->chunk(r->context, item, last_item));
        }
        r->segment[segment] = tree_total(&t);
    }
}

mote_sums mote_sum_range(const mote_jobs *jobs, size_t count, mote_sum_chunk *chunk, const void *context) {
    sum_job r = {.chunk = chunk, .context = context, .count = count};
    r.chunks = (count + MOTE_SUM_CHUNK - 1) / MOTE_SUM_CHUNK;
    r.chunks_per_segment = (r.chunks + SEGMENTS - 1) / SEGMENTS;
    mote_parallel_for(mote_jobs_for(jobs, MOTE_WORK_SUM * (double)count), SEGMENTS, 1, do_segments, &r);
    tree t;
    t.items = 0;
    for (uint32_t i = 0; i < SEGMENTS; i++) tree_add(&t, r.segment[i]);
    return tree_total(&t);
}

void mote_sums_add_point(mote_sums *to, const mote_plan_def *field, const double x[3], const double v[3],
                         const double *anchor, double mass) {
    to->of[MOTE_SUM_MASS] += mass;
    to->of[MOTE_SUM_KINETIC] += 0.5 * mass * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    double potential = 0;
    const mote_force_place place = {x, anchor, mass};
    for (uint32_t i = 0; i < field->force_count; i++)
        potential += mote_force_potential(&field->forces[i], &place);
    to->of[MOTE_SUM_POTENTIAL] += potential;
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, after = (axis + 2) % 3;
        to->of[MOTE_SUM_MOMENTUM + axis] += mass * v[axis];
        to->of[MOTE_SUM_ANGULAR + axis] += mass * (x[next] * v[after] - x[after] * v[next]);
    }
}

mote_statistics mote_sums_statistics(const mote_sums *sums) {
    mote_statistics s = {.mass = sums->of[MOTE_SUM_MASS],
                         .kinetic = sums->of[MOTE_SUM_KINETIC],
                         .potential = sums->of[MOTE_SUM_POTENTIAL],
                         .elastic = sums->of[MOTE_SUM_ELASTIC],
                         .max_strain = sums->max_strain,
                         .max_strain_item = MOTE_NO_ITEM};
    memcpy(s.momentum, &sums->of[MOTE_SUM_MOMENTUM], sizeof s.momentum);
    memcpy(s.angular_momentum, &sums->of[MOTE_SUM_ANGULAR], sizeof s.angular_momentum);
    if (sums->of[MOTE_SUM_STRAINED] > 0)
        s.mean_strain = sums->of[MOTE_SUM_STRAIN] / sums->of[MOTE_SUM_STRAINED];
    return s;
}
