/* Systems of the core tests: made, filled and stepped by calls that must succeed. */
#ifndef MOTE_TESTS_SYSTEMS_H
#define MOTE_TESTS_SYSTEMS_H

#include "test.h"

#include <string.h>

#include "support.h"

/* The largest relative error of one float32 rounding. n roundings of either sign on a value a have a spread
 * of at most sqrt(n) FLOAT_ROUNDING a; four spreads are the bound where rounding is random. */
#define FLOAT_ROUNDING 0x1p-24

#define OK(call) assert_int_equal(call, MOTE_OK)

static inline mote_system *system_of(const mote_system_def *def) {
    mote_system *system = NULL;
    OK(mote_system_create(def, &system));
    return system;
}

static inline mote_range_view spawned(mote_system *system, uint32_t count) {
    mote_range_view view;
    OK(mote_system_spawn(system, count, &view));
    return view;
}

/* Spawned, with positions, velocities and masses of scene_fill. */
static inline mote_range_view spawned_at_random(mote_system *system, uint32_t count, uint64_t seed) {
    mote_range_view view = spawned(system, count);
    random_source random = {seed};
    scene_fill(&view, &random);
    return view;
}

static inline mote_force_id add_force(mote_system *system, mote_force_def def) {
    mote_force_id id;
    OK(mote_system_add_force(system, &def, &id));
    return id;
}

static inline void add_forces(mote_system *system, const mote_force_def *defs, size_t count) {
    for (size_t i = 0; i < count; i++) add_force(system, defs[i]);
}

static inline mote_vector_columns external_forces_of(mote_system *system) {
    mote_vector_columns forces;
    OK(mote_system_external_forces(system, &forces));
    return forces;
}

static inline mote_advance stepped(mote_system *system, uint32_t steps) {
    mote_advance advance;
    OK(mote_system_step(system, steps, &advance));
    return advance;
}

static inline mote_advance advanced(mote_system *system, uint64_t nanoseconds) {
    mote_advance advance;
    OK(mote_system_advance(system, nanoseconds, &advance));
    return advance;
}

static inline mote_statistics statistics_of(const mote_system *system) {
    mote_statistics statistics;
    memset(&statistics, 0xff, sizeof statistics);
    OK(mote_system_statistics(system, &statistics));
    return statistics;
}

/* Position and velocity. */
typedef struct motion_columns {
    float *column[6];
} motion_columns;

static inline motion_columns motion_of(const mote_range_view *view) {
    return (motion_columns){{view->position.x, view->position.y, view->position.z, view->velocity.x,
                             view->velocity.y, view->velocity.z}};
}

/* Jobs of every kind: on the calling thread, by OpenMP, in a random order, on POSIX threads. */
enum { JOB_KINDS = 4 };

typedef struct job_kinds {
    shuffled_jobs shuffled;
    uint32_t threads;
    mote_jobs jobs[JOB_KINDS];
} job_kinds;

static inline void make_job_kinds(job_kinds *kinds, uint32_t workers) {
    kinds->shuffled = (shuffled_jobs){.random = {workers}, .workers = workers};
    kinds->threads = workers;
    kinds->jobs[0] = (mote_jobs){0};
    kinds->jobs[1] = dividing(mote_jobs_openmp(workers));
    kinds->jobs[2] = shuffled_jobs_hook(&kinds->shuffled);
    kinds->jobs[3] = pthread_jobs_hook(&kinds->threads);
}

/* Restores a snapshot: one that is refused changes nothing. */
static inline mote_result restore_or_keep(mote_system *system, const void *memory, size_t bytes,
                                          mote_snapshot_fault *fault) {
    const uint64_t before = mote_system_hash(system);
    const mote_result result = mote_system_restore(system, memory, bytes, fault);
    if (result) ASSERT(mote_system_hash(system), ==, before);
    if (result) ASSERT(fault->part, <, MOTE_SNAPSHOT_PART_COUNT);
    return result;
}

/* Returns where the picture has the x coordinate of the only particle. */
static inline float presented_x(const mote_system *system) {
    const mote_present_layout layout = mote_default_present_layout();
    float place[3];
    OK(mote_system_present(system, &layout, place, sizeof place));
    return place[0];
}

#endif
