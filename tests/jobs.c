/* Jobs: no job system changes a bit, worker ids are never shared, threads and settings of the host are left
 * alone. */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "systems.h"

enum { CROWD = 20000 };

static mote_system_def crowd_def(mote_jobs jobs) {
    mote_system_def def = mote_default_system_def();
    def.capacity = CROWD;
    def.mass_column = true;
    def.lifetimes = true;
    def.external_forces = true;
    def.substeps = 2;
    def.max_steps_per_advance = 64;
    def.jobs = jobs;
    return def;
}

/* Some of the particles reach the end of their lifetime, some are infinite. */
static void populate(mote_system *system, uint32_t count, uint64_t seed) {
    mote_range_view view = spawned_at_random(system, count, seed);
    random_source random = {seed};
    for (uint32_t i = 0; i < count; i++) {
        if (i % 5 == 0) view.lifetime[i] = random_between(&random, 0.01f, 0.3f);
        if (i % 97 == 0) view.position.z[i] = (float)i * 1e38f;
    }
}

/* Three frames with external forces, kills and births between them. */
static uint64_t run_crowd(const mote_system_def *def, bool reach) {
    mote_system *system = system_of(def);
    mote_vector_columns external_forces;
    uint32_t victims[300];
    random_source random = {3};
    OK(scene_add_forces(system, reach));
    populate(system, CROWD - 1000, 1);
    for (int frame = 0; frame < 3; frame++) {
        bool by_forces = def->integrator < MOTE_ADVECT_EULER;
        assert_int_equal(mote_system_external_forces(system, &external_forces),
                         by_forces ? MOTE_OK : MOTE_ERROR_INTEGRATOR);
        uint32_t count = mote_system_count(system);
        for (uint32_t i = 0; by_forces && i < count; i += 3)
            external_forces.y[i] = random_between(&random, -20.0f, 20.0f);
        for (size_t i = 0; i < COUNT_OF(victims); i++) victims[i] = random_below(&random, count);
        OK(mote_system_kill_slots(system, COUNT_OF(victims), victims));
        advanced(system, 70000000);
        populate(system, 200, 10 + (uint64_t)frame);
    }
    uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

/* --- Threads of the host --- */

static int threads_of_this_process(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) return -1;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* The thread sanitizer makes a thread of its own with the first that a program makes. */
#define SANITIZER_THREADS 0
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef SANITIZER_THREADS
#define SANITIZER_THREADS 1
#endif
#endif

/* Must be the first test of the process: OpenMP keeps the threads that it has made. */
TEST(no_thread_exists_before_the_first_parallel_step) {
    int before = threads_of_this_process();
    if (before < 0) skip();
    mote_system_def def = crowd_def(dividing(mote_jobs_openmp(2)));
    mote_system *system = system_of(&def);
    OK(scene_add_forces(system, false));
    populate(system, 10, 1);
    advanced(system, 0);
    advanced(system, 70000000); /* work for one only */
    populate(system, CROWD - 10, 1);
    assert_int_equal(threads_of_this_process(), before);
    advanced(system, 70000000);
#if defined(_OPENMP)
    assert_int_equal(threads_of_this_process(), before + 1 + SANITIZER_THREADS);
#else
    assert_int_equal(threads_of_this_process(), before);
#endif
    mote_system_destroy(system);
}

#if defined(_OPENMP)
/* Counts the calls that come from another thread than the expected one. */
typedef struct thread_watch {
    pthread_t expected;
    atomic_uint strangers;
} thread_watch;

static void watching_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    thread_watch *watch = user;
    if (!pthread_equal(pthread_self(), watch->expected)) atomic_fetch_add(&watch->strangers, 1);
    scene_spread(NULL, stage, x, y, z);
}

static uint64_t run_watched(mote_jobs jobs, unsigned *strangers) {
    mote_system_def def = crowd_def(jobs);
    thread_watch watch = {.expected = pthread_self()};
    mote_force_def force = mote_callback(watching_callback, &watch);
    mote_force_id id;
    mote_system *system;
    if (mote_system_create(&def, &system) != MOTE_OK) return 0;
    mote_range_view view;
    random_source random = {5};
    bool good = mote_system_add_force(system, &force, &id) == MOTE_OK;
    good = good && mote_system_spawn(system, CROWD, &view) == MOTE_OK;
    if (good) scene_fill(&view, &random);
    good = good && mote_system_advance(system, 70000000, NULL) == MOTE_OK;
    uint64_t hash = good ? mote_system_hash(system) : 0;
    mote_system_destroy(system);
    *strangers = atomic_load(&watch.strangers);
    return hash;
}
#endif

TEST(inside_a_parallel_region_of_the_host_the_work_runs_on_the_calling_thread) {
#if defined(_OPENMP)
    uint64_t hashes[2] = {0};
    unsigned strangers[2] = {0}, unused;
    uint64_t serial = run_watched((mote_jobs){0}, &unused);
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(2); /* a host that nests: OpenMP itself would not stop the engine */
    /* Asserts jump, which no code may do out of a parallel region. */
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++) hashes[i] = run_watched(dividing(mote_jobs_openmp(4)), &strangers[i]);
    omp_set_max_active_levels(levels);
    for (int i = 0; i < 2; i++) {
        ASSERT(hashes[i], ==, serial);
        assert_int_equal(strangers[i], 0);
    }
#else
    skip();
#endif
}

/* --- The same bits --- */

/* Many more blocks than workers; determinism.c runs more scenarios over fewer blocks. */
TEST(any_jobs_give_the_same_hash) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (int reach = 0; reach < 2; reach++) {
        mote_system_def def = crowd_def((mote_jobs){0});
        const uint64_t serial = run_crowd(&def, reach);
        for (size_t i = 0; i < COUNT_OF(workers); i++) {
            job_kinds kinds;
            make_job_kinds(&kinds, workers[i]);
            for (int j = 1; j < JOB_KINDS; j++) {
                test_case("range %d, %u workers, jobs %d", reach, workers[i], j);
                def.jobs = kinds.jobs[j];
                def.loop_order = (mote_loop_order)(j % MOTE_LOOP_ORDER_COUNT);
                ASSERT(run_crowd(&def, reach), ==, serial);
            }
            assert_true(workers[i] == 1 || kinds.shuffled.runs > 0);
        }
    }
}

/* --- Worker ids --- */

enum { INDICES = 200, WORKERS = 8 };

typedef struct id_watch {
    atomic_uint seen[INDICES];
    atomic_uint busy[WORKERS];
    atomic_uint faults;
    uint32_t workers;
} id_watch;

/* Sleeps while it holds its id, so that tasks overlap on any number of processors. */
static void watch_ids(void *context, uint32_t index, uint32_t worker) {
    id_watch *watch = context;
    if (index >= INDICES || worker >= watch->workers) {
        atomic_fetch_add(&watch->faults, 1);
        return;
    }
    atomic_fetch_add(&watch->seen[index], 1);
    if (atomic_exchange(&watch->busy[worker], 1) != 0) atomic_fetch_add(&watch->faults, 1);
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    atomic_store(&watch->busy[worker], 0);
}

TEST(openmp_runs_every_index_once_under_a_worker_id_of_its_own) {
    for (uint32_t workers = 1; workers <= WORKERS; workers++) {
        mote_jobs jobs = dividing(mote_jobs_openmp(workers));
        if (jobs.run == NULL) skip();
        id_watch *watch = calloc(1, sizeof *watch);
        assert_non_null(watch);
        assert_int_equal(jobs.workers, workers);
        watch->workers = workers;
        jobs.run(jobs.user, watch_ids, watch, INDICES);
        jobs.run(jobs.user, watch_ids, watch, 0);
        assert_int_equal(watch->faults, 0);
        for (int i = 0; i < INDICES; i++) assert_int_equal(watch->seen[i], 1);
        free(watch);
    }
}

TEST(openmp_counts_its_threads_when_asked_for_none) {
    mote_jobs jobs = dividing(mote_jobs_openmp(0));
    if (jobs.run == NULL) skip();
    ASSERT(jobs.workers, >=, 1);
    ASSERT(jobs.workers, <=, MOTE_MAX_WORKERS);
    ASSERT(mote_jobs_openmp(UINT32_MAX).workers, <=, MOTE_MAX_WORKERS);
}

/* --- Work that is too short to divide --- */

/* Returns how often a step of particles calls the jobs. */
static uint64_t runs_of(uint32_t particles, uint32_t substeps, bool noise, uint32_t least_work) {
    shuffled_jobs shuffled = {.random = {1}, .workers = 2};
    mote_system_def def = mote_default_system_def();
    def.jobs = shuffled_jobs_hook(&shuffled);
    def.jobs.least_work = least_work;
    def.capacity = particles, def.substeps = substeps;
    mote_system *system = system_of(&def);
    add_force(system, mote_gravity((const float[3]){0, -9.81f, 0}));
    if (noise) add_force(system, mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_WIND, 1));
    spawned(system, particles);
    stepped(system, 1);
    mote_system_destroy(system);
    return shuffled.runs;
}

/* 25,000 particles take less than a millisecond, except with curl noise at 8 substeps. */
TEST(work_of_less_than_a_millisecond_is_not_divided) {
    ASSERT(runs_of(25000, 1, false, 0), ==, 0);
    ASSERT(runs_of(25000, 8, false, 0), ==, 0);
    ASSERT(runs_of(25000, 1, true, 0), ==, 0);
    ASSERT(runs_of(25000, 8, true, 0), >, 0);
    ASSERT(runs_of(1000000, 1, false, 0), >, 0);
    ASSERT(runs_of(1000000, 1, false, UINT32_MAX), ==, 0);
    ASSERT(runs_of(25000, 8, false, 20000), >, 0);
    ASSERT(runs_of(1000, 1, false, 20000), ==, 0);
    ASSERT(runs_of(1000, 1, false, 1), >, 0);
    ASSERT(mote_jobs_openmp(2).least_work, ==, 0);
}

/* --- Many systems --- */

enum { SWARM = 60 };

static void make_swarm(mote_system **systems) {
    for (uint32_t i = 0; i < SWARM; i++) {
        mote_system_def def = crowd_def((mote_jobs){0});
        def.capacity = i * 17;
        def.steps_per_second = (mote_rate){30 + i, 1};
        def.integrator = (mote_integrator)(i % MOTE_INTEGRATOR_COUNT);
        systems[i] = system_of(&def);
        OK(scene_add_forces(systems[i], i % 4 == 0));
        populate(systems[i], i * 17, i);
    }
}

static void destroy_swarm(mote_system **systems) {
    for (int i = 0; i < SWARM; i++) mote_system_destroy(systems[i]);
}

TEST(many_systems_in_one_call_are_each_system_by_itself) {
    job_kinds kinds;
    make_job_kinds(&kinds, 5);
    mote_system *systems[SWARM], *uncoupled[SWARM];
    mote_advance advances[SWARM], single;
    make_swarm(uncoupled);
    for (int i = 0; i < SWARM; i++) OK(mote_system_advance(uncoupled[i], 70000000, NULL));
    for (int j = 0; j < JOB_KINDS; j++) {
        make_swarm(systems);
        OK(mote_systems_advance(systems, SWARM, 70000000, &kinds.jobs[j], j % 2 ? advances : NULL));
        for (int i = 0; i < SWARM; i++) {
            ASSERT(mote_system_hash(systems[i]), ==, mote_system_hash(uncoupled[i]));
            OK(mote_system_advance(systems[i], 0, &single));
            if (j % 2 == 0) continue;
            assert_int_equal(advances[i].steps, mote_system_steps(systems[i]));
            ASSERT(advances[i].ticks_remaining, ==, single.ticks_remaining);
            ASSERT(advances[i].alpha, ==, single.alpha);
        }
        destroy_swarm(systems);
    }
    destroy_swarm(uncoupled);
}

TEST(a_wrong_system_among_many_stops_the_call_before_any_has_advanced) {
    mote_system *systems[SWARM];
    uint64_t hashes[SWARM];
    mote_jobs jobs = dividing(mote_jobs_openmp(2));
    make_swarm(systems);
    for (int i = 0; i < SWARM; i++) hashes[i] = mote_system_hash(systems[i]);
    mote_system *last = systems[SWARM - 1];
    systems[SWARM - 1] = systems[7];
    assert_int_equal(mote_systems_advance(systems, SWARM, 70000000, &jobs, NULL), MOTE_ERROR_ID);
    systems[SWARM - 1] = NULL;
    assert_int_equal(mote_systems_advance(systems, SWARM, 70000000, &jobs, NULL), MOTE_ERROR_NULL);
    systems[SWARM - 1] = last;
    REFUSALS(NULL, REFUSES(NULL, mote_systems_advance(NULL, SWARM, 70000000, &jobs, NULL)),
             REFUSES(OVERFLOW, mote_systems_advance(systems, SWARM, UINT64_MAX, &jobs, NULL)));
    static const uint32_t workers[] = {0, MOTE_MAX_WORKERS + 1, 5000, 1u << 29, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(workers); i++) {
        mote_jobs wrong = dividing(mote_jobs_openmp(2));
        if (!wrong.run) break;
        wrong.workers = workers[i];
        REFUSED(NULL, MOTE_ERROR_RANGE, mote_systems_advance(systems, SWARM, 70000000, &wrong, NULL));
        REFUSED(NULL, MOTE_ERROR_RANGE, mote_systems_advance(systems, 0, 70000000, &wrong, NULL));
    }
    OK(mote_systems_advance(systems, 0, 70000000, &jobs, NULL));
    for (int i = 0; i < SWARM; i++) ASSERT(mote_system_hash(systems[i]), ==, hashes[i]);
    OK(mote_systems_advance(systems, SWARM, 70000000, &jobs, NULL));
    ASSERT(mote_system_hash(systems[1]), !=, hashes[1]);
    destroy_swarm(systems);
}

/* --- The floating-point control word --- */

#if defined(__x86_64__)
#define MXCSR_FLAGS      0x3fu                                   /* sticky exceptions, not settings */
#define MXCSR_FTZ_DAZ_UP (0x1f80u | 0x8000u | 0x0040u | 0x4000u) /* and rounding up */

/* Some particles move by denormal amounts, which flushing would stop; float rounds the alpha of
 * 0.7 down. */
static uint64_t run_under(unsigned control, mote_jobs jobs, float *presented, float *alpha) {
    const uint64_t frame = 73437500; /* 4.7 steps of 1/64 s */
    const mote_present_layout layout = layout_at(24, 0, 12);
    mote_advance report;
    mote_system_def def = crowd_def(jobs);
    def.steps_per_second = (mote_rate){64, 1};
    mote_system *system = system_of(&def);
    mote_system *calm = system_of(&def);
    mote_range_view view = spawned(calm, CROWD);
    for (uint32_t i = 0; i < CROWD; i++) view.velocity.x[i] = 1e-39f * (float)i;
    add_force(calm, mote_gravity((float[3]){1e-38f, 0.0f, 1e-38f}));
    OK(scene_add_forces(system, false));
    spawned_at_random(system, CROWD, 6);
    unsigned saved = _mm_getcsr();
    _mm_setcsr(control);
    mote_result first = mote_system_advance(system, frame, &report),
                second = mote_system_advance(calm, frame, NULL);
    mote_result third = mote_system_present(system, &layout, presented, CROWD * 24);
    unsigned after = _mm_getcsr();
    _mm_setcsr(saved);
    ASSERT(first, ==, MOTE_OK);
    ASSERT(second, ==, MOTE_OK);
    ASSERT(third, ==, MOTE_OK);
    assert_int_equal(after & ~MXCSR_FLAGS, control & ~MXCSR_FLAGS);
    *alpha = report.alpha;
    uint64_t hash = mote_system_hash(system) * 31 + mote_system_hash(calm);
    mote_system_destroy(system);
    mote_system_destroy(calm);
    return hash;
}
#endif

TEST(the_control_word_of_the_host_neither_matters_nor_changes) {
#if defined(__x86_64__)
    static float expected[CROWD * 6], got[CROWD * 6];
    float alpha, expected_alpha;
    const uint64_t plain = run_under(0x1f80u, (mote_jobs){0}, expected, &expected_alpha);
    job_kinds kinds;
    make_job_kinds(&kinds, 2);
    for (int j = 0; j < JOB_KINDS; j++) {
        ASSERT(run_under(MXCSR_FTZ_DAZ_UP, kinds.jobs[j], got, &alpha), ==, plain);
        ASSERT(alpha, ==, expected_alpha);
        assert_memory_equal(got, expected, sizeof got);
    }
#else
    skip();
#endif
}
