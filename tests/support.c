/* Helpers shared by the tests: see support.h. */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* --- Random numbers --- */

uint64_t random_bits(random_source *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t random_below(random_source *random, uint32_t bound) {
    return (uint32_t)(((random_bits(random) >> 32) * bound) >> 32);
}

float random_between(random_source *random, float low, float high) {
    float unit = (float)(random_bits(random) >> 40) * 0x1p-24f;
    return low + unit * (high - low);
}

/* --- An allocator that watches its user --- */

enum { GUARD_BYTES = 64, GUARD_PATTERN = 0xa5, FRESH_PATTERN = 0xcd };

struct memory_block {
    struct memory_block *next;
    unsigned char *raw;
    unsigned char *pointer;
    size_t bytes;
};

/* The first address behind the guard that is a multiple of `alignment` but not of twice that. */
static unsigned char *place(unsigned char *raw, size_t alignment) {
    uintptr_t address = (uintptr_t)raw + GUARD_BYTES;
    uintptr_t wide = 2 * (uintptr_t)alignment;
    uintptr_t wanted = address - address % wide + alignment;
    return raw + ((wanted >= address ? wanted : wanted + wide) - (uintptr_t)raw);
}

static void *ledger_allocate(void *user, size_t bytes, size_t alignment) {
    memory_ledger *ledger = user;
    ledger->calls++;
    if (alignment == 0 || alignment > 64 || (alignment & (alignment - 1)) != 0 || bytes == 0)
        ledger->faults++;
    if (ledger->calls == ledger->fail_at ||
        (ledger->fail_on && ledger->fail_at && ledger->calls > ledger->fail_at)) {
        ledger->failures++;
        return NULL;
    }
    struct memory_block *block = malloc(sizeof *block);
    unsigned char *raw = malloc(bytes + 2 * alignment + 2 * GUARD_BYTES);
    if (block == NULL || raw == NULL) abort();
    *block = (struct memory_block){ledger->blocks, raw, place(raw, alignment), bytes};
    memset(block->pointer - GUARD_BYTES, GUARD_PATTERN, GUARD_BYTES);
    memset(block->pointer, FRESH_PATTERN, bytes);
    memset(block->pointer + bytes, GUARD_PATTERN, GUARD_BYTES);
    ledger->blocks = block;
    ledger->live_bytes += bytes;
    return block->pointer;
}

static bool guards_intact(const struct memory_block *block) {
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (block->pointer[block->bytes + i] != GUARD_PATTERN) return false;
        if (*(block->pointer - 1 - i) != GUARD_PATTERN) return false;
    }
    return true;
}

static void ledger_release(void *user, void *pointer, size_t bytes) {
    memory_ledger *ledger = user;
    ledger->releases++;
    struct memory_block **link = &ledger->blocks;
    while (*link != NULL && (*link)->pointer != pointer) link = &(*link)->next;
    struct memory_block *block = *link;
    if (block == NULL) {
        ledger->faults++;
        return;
    }
    if (block->bytes != bytes || !guards_intact(block)) ledger->faults++;
    ledger->live_bytes -= block->bytes;
    *link = block->next;
    free(block->raw);
    free(block);
}

mote_allocator ledger_allocator(memory_ledger *ledger) {
    return (mote_allocator){ledger, ledger_allocate, ledger_release};
}

bool ledger_holds(const memory_ledger *ledger, const void *first, size_t bytes) {
    uintptr_t address = (uintptr_t)first;
    for (const struct memory_block *block = ledger->blocks; block != NULL; block = block->next) {
        uintptr_t start = (uintptr_t)block->pointer;
        if (address >= start && address + bytes <= start + block->bytes) return true;
    }
    return false;
}

/* --- Job systems of a host --- */

static void run_shuffled(void *user, mote_task *task, void *context, uint32_t count) {
    shuffled_jobs *jobs = user;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    if (order == NULL) abort();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = random_below(&jobs->random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (uint32_t i = 0; i < count; i++) task(context, order[i], random_below(&jobs->random, jobs->workers));
    free(order);
    jobs->runs++;
}

mote_jobs shuffled_jobs_hook(shuffled_jobs *jobs) {
    return (mote_jobs){jobs->workers, jobs, run_shuffled, 1};
}

typedef struct pthread_run {
    mote_task *task;
    void *context;
    uint32_t count;
    atomic_uint next_index, next_worker;
} pthread_run;

static void *pthread_worker(void *argument) {
    pthread_run *run = argument;
    uint32_t worker = atomic_fetch_add(&run->next_worker, 1);
    for (;;) {
        uint32_t index = atomic_fetch_add(&run->next_index, 1);
        if (index >= run->count) return NULL;
        run->task(run->context, index, worker);
    }
}

static void run_on_pthreads(void *user, mote_task *task, void *context, uint32_t count) {
    pthread_t threads[64];
    uint32_t wanted = *(const uint32_t *)user - 1;
    uint32_t made = 0;
    pthread_run run = {.task = task, .context = context, .count = count};
    while (made < wanted && made < COUNT_OF(threads) && made + 1 < count) {
        if (pthread_create(&threads[made], NULL, pthread_worker, &run) != 0) break;
        made++;
    }
    pthread_worker(&run);
    for (uint32_t i = 0; i < made; i++) pthread_join(threads[i], NULL);
}

mote_jobs pthread_jobs_hook(uint32_t *workers) { return (mote_jobs){*workers, workers, run_on_pthreads, 1}; }

/* --- A scene --- */

void scene_fill(const mote_range_view *view, random_source *random) {
    for (uint32_t i = 0; i < view->count; i++) {
        view->position.x[i] = random_between(random, -10.0f, 10.0f);
        view->position.y[i] = random_between(random, -10.0f, 10.0f);
        view->position.z[i] = random_between(random, -10.0f, 10.0f);
        view->velocity.x[i] = random_between(random, -5.0f, 5.0f);
        view->velocity.y[i] = random_between(random, -5.0f, 5.0f);
        view->velocity.z[i] = random_between(random, -5.0f, 5.0f);
        if (view->inverse_mass == NULL) continue;
        view->inverse_mass[i] = i % 11 == 10 ? 0.0f : random_between(random, 0.5f, 2.0f);
    }
}

void scene_spread(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    (void)y;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += 0.25f * stage->x[i];
        z[i] += 0.25f * stage->z[i];
    }
}

void scene_chase(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    (void)y;
    (void)z;
    for (uint32_t i = 0; i < stage->count; i++) {
        uint32_t next = (stage->first + i + 1) % stage->range_count;
        x[i] += 0.125f * (stage->range_x[next] - stage->x[i]);
    }
}

/* In order; forces that the integrator does not take are skipped and counted in *refused. */
static mote_result add_all(mote_system *system, const mote_force_def *forces, size_t count, size_t *refused) {
    *refused = 0;
    for (size_t i = 0; i < count; i++) {
        mote_force_id id;
        mote_result result = mote_system_add_force(system, &forces[i], &id);
        if (result == MOTE_ERROR_INTEGRATOR)
            ++*refused;
        else if (result != MOTE_OK)
            return result;
    }
    return MOTE_OK;
}

static mote_result add_velocity_fields(mote_system *system, bool reach) {
    mote_force_def forces[] = {
        mote_linear_field((float[3]){0.5f, 0.0f, 0.25f}, (float[9]){0, -0.3f, 0, 0.3f, 0, 0.1f, 0, 0, -0.2f},
                          MOTE_FIELD_VELOCITY, 0.0f),
        mote_vortex((float[3]){1.0f, 2.0f, 3.0f}, (float[3]){0.0f, 1.0f, 0.5f}, 2.0f, 0.5f,
                    MOTE_FIELD_VELOCITY, 0.0f),
        mote_curl_noise(1.5f, 0.4f, 2.0f, 7, MOTE_FIELD_VELOCITY, 0.0f),
        mote_callback(scene_spread, NULL),
        mote_callback(scene_chase, NULL),
    };
    forces[3].as.callback.unit = forces[4].as.callback.unit = MOTE_METRES_PER_SECOND;
    forces[4].as.callback.reach = MOTE_REACH_RANGE;
    size_t refused;
    mote_result result = add_all(system, forces, COUNT_OF(forces) - (reach ? 0 : 1), &refused);
    return result == MOTE_OK && refused > 0 ? MOTE_ERROR_INTEGRATOR : result;
}

mote_result scene_add_forces(mote_system *system, bool reach) {
    mote_force_def forces[] = {
        mote_gravity((float[3]){0.0f, -9.81f, 0.0f}),
        mote_thrust((float[3]){0.5f, 0.0f, 0.25f}),
        mote_wind((float[3]){2.0f, 0.0f, -1.0f}, 0.3f),
        mote_anchor_spring((float[3]){0.0f, 1.0f, 0.0f}, 2.0f, 0.1f),
        mote_attractor((float[3]){1.0f, 2.0f, 3.0f}, 5.0f, 0.5f),
        mote_callback(scene_spread, NULL),
        mote_callback(scene_chase, NULL),
    };
    forces[6].as.callback.reach = MOTE_REACH_RANGE;
    const size_t count = COUNT_OF(forces) - (reach ? 0 : 1);
    size_t refused;
    mote_result result = add_all(system, forces, count, &refused);
    if (result != MOTE_OK) return result;
    if (refused == count) return add_velocity_fields(system, reach);
    return refused > (reach ? 1u : 0u) ? MOTE_ERROR_INTEGRATOR : MOTE_OK;
}

mote_result scene_hostile_frames(mote_system *system, uint64_t step_nanoseconds, uint32_t steps) {
    static const uint32_t subcycles[] = {0,    1,    7,    40,  333,
                                         1000, 1550, 2999, 3700}; /* thousandths of a step */
    random_source random = {3};
    uint64_t left = steps * step_nanoseconds;
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; left > 0 && result == MOTE_OK; i++) {
        uint64_t frame =
            subcycles[random_below(&random, COUNT_OF(subcycles))] * step_nanoseconds / 1000 + i % 2;
        if (frame > left) frame = left;
        result = mote_system_advance(system, frame, NULL);
        left -= frame;
    }
    return result;
}

typedef struct inside_call {
    void (*probe)(void *context);
    void *context;
    uint32_t calls;
} inside_call;

static void call_inside(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)stage, (void)x, (void)y, (void)z;
    inside_call *call = user;
    call->probe(call->context);
    call->calls++;
}

mote_result scene_call_within_step(mote_system *system, void (*probe)(void *context), void *context,
                                   uint32_t *calls) {
    inside_call call = {probe, context, 0};
    const mote_force_def force = mote_callback(call_inside, &call);
    mote_force_id id;
    mote_range_view view;
    mote_result result = mote_system_add_force(system, &force, &id);
    if (result == MOTE_OK) result = mote_system_spawn(system, 1, &view);
    if (result == MOTE_OK) result = mote_system_step(system, 1, NULL);
    if (result == MOTE_OK) result = mote_system_remove_force(system, id);
    *calls = call.calls;
    return result;
}
