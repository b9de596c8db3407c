/* Helpers shared by the tests: random numbers, a watched allocator, host job systems and a scene with every
 * force. */
#ifndef MOTE_TESTS_SUPPORT_H
#define MOTE_TESTS_SUPPORT_H

#include "test.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <mote/mote.h>

#include "refusals.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Puts a NaN of the same bits on every processor: that of <math.h> has others on MIPS, and state is hashed.
 */
static inline void put_nan(float *to) { memcpy(to, &(uint32_t){0x7fc00000u}, sizeof *to); }

/* Whether an integrator takes velocity fields, and nothing else. */
static inline bool advects(mote_integrator integrator) {
    return integrator == MOTE_ADVECT_EULER || integrator == MOTE_ADVECT_MIDPOINT ||
           integrator == MOTE_ADVECT_RK4;
}

/* The name of integrator number `integrator`, below MOTE_INTEGRATOR_COUNT. */
static inline const char *integrator_name(uint32_t integrator) {
    return mote_integrator_describe((mote_integrator)integrator)->name;
}

/* A layout in world coordinates. */
static inline mote_present_layout layout_at(size_t stride, size_t position, size_t velocity) {
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = stride, layout.position_offset = position, layout.velocity_offset = velocity;
    return layout;
}

/* --- Random numbers: SplitMix64 (Steele, Lea and Flood 2014), the same sequence on every machine --- */

typedef struct random_source {
    uint64_t state;
} random_source;

uint64_t random_bits(random_source *random);
uint32_t random_below(random_source *random, uint32_t bound); /* 0 .. bound - 1 */
float random_between(random_source *random, float low, float high);

/* --- An allocator that checks its user --- */

/* Memory is filled with a pattern, aligned exactly as asked and no better, between guard bytes. */
typedef struct memory_ledger {
    uint64_t calls;              /* of allocate, those that failed included */
    uint64_t releases;           /* of release */
    uint64_t fail_at;            /* the call, counted from 1, that returns NULL; 0: none */
    bool fail_on;                /* and all calls after it */
    uint64_t failures;           /* calls that did */
    uint64_t faults;             /* unknown pointers, wrong sizes, illegal alignments, overwritten guards */
    uint64_t live_bytes;         /* allocated and not yet released */
    struct memory_block *blocks; /* the live ones */
} memory_ledger;

/* The hook that draws on *ledger, which starts as {0} and must stay where it is. */
mote_allocator ledger_allocator(memory_ledger *ledger);

/* Whether bytes first .. first + bytes - 1 lie within one live allocation. */
bool ledger_holds(const memory_ledger *ledger, const void *first, size_t bytes);

/* --- Job systems of a host --- */

/* The same jobs, which divide all work, however small. */
static inline mote_jobs dividing(mote_jobs jobs) {
    jobs.least_work = 1;
    return jobs;
}

/* Runs the indices in a new random order, each under a random worker id, on the calling thread. */
typedef struct shuffled_jobs {
    random_source random;
    uint32_t workers;
    uint64_t runs; /* how often the engine called */
} shuffled_jobs;

mote_jobs shuffled_jobs_hook(shuffled_jobs *jobs);

/* Runs the indices on `workers` POSIX threads, the caller among them. *workers must outlive the hook. */
mote_jobs pthread_jobs_hook(uint32_t *workers);

/* --- A scene --- */

/* Positions within 10 m, velocities within 5 m/s, masses of 0.5 to 2 kg and every eleventh particle
 * immovable. */
void scene_fill(const mote_range_view *view, random_source *random);

/* Adds gravity, thrust, wind, an anchor spring, an attractor and a callback whose force points away from the
 * y axis; with `reach`, also one that reads the whole range, which position Verlet does without. An
 * integrator that advects gets velocity fields instead: linear, vortex, curl noise and the callbacks. */
mote_result scene_add_forces(mote_system *system, bool reach);

/* Advances by `steps` steps of so many nanoseconds in frames of zero, tiny, fractional and long duration. */
mote_result scene_hostile_frames(mote_system *system, uint64_t step_nanoseconds, uint32_t steps);

/* Adds a particle and a force that calls `probe` in each evaluation, and makes one step. *calls: how often it
 * did. */
mote_result scene_call_within_step(mote_system *system, void (*probe)(void *context), void *context,
                                   uint32_t *calls);

/* The slot-free callback of the scene: F = (x, 0, z) / 4 N. */
void scene_spread(void *user, const mote_stage_view *stage, float *x, float *y, float *z);

/* The callback that reads its range: each particle is drawn along x to the next particle. */
void scene_chase(void *user, const mote_stage_view *stage, float *x, float *y, float *z);

#endif
