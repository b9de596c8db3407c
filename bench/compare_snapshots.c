/* mote-bench compare, section snapshots: saving and restoring against memcpy of as many bytes, the size of a
 * snapshot, and a rollback of eight frames. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mote/snapshot.h>

#include "compare.h"
#include "compare_sides.h"
#include "engine.h"
#include "machine.h"
#include "random.h"

enum { PARTICLES = 1000000, LIFE_STEPS = 100, WARM_STEPS = 30 };

static void add_row(compare_row row, cJSON *results) {
    cJSON *object = cJSON_CreateObject();
    compare_json(object, &row);
    cJSON_AddItemToArray(results, object);
}

/* --- A fountain, as in scene churn --- */

static void bear(mote_system *system, uint32_t count, bool first) {
    mote_range_view view;
    engine_check(mote_system_spawn(system, count, &view), "mote_system_spawn");
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(mote_system_steps(system) + i, 0);
        const uint32_t steps = first ? 1 + (uint32_t)(bits >> 32) % LIFE_STEPS : LIFE_STEPS;
        view.velocity.x[i] = random_signed(bits, 0), view.velocity.y[i] = 8 + random_signed(bits, 20);
        view.lifetime[i] = (float)(((double)steps - 0.5) * TIMESTEP);
    }
}

static void churn(mote_system *system, uint32_t steps) {
    for (uint32_t i = 0; i < steps; i++) {
        mote_advance advance;
        engine_check(mote_system_step(system, 1, &advance), "mote_system_step");
        bear(system, advance.expired + advance.non_finite, false);
    }
}

static mote_system *create_fountain(uint32_t particles, uint32_t substeps, uint32_t threads) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    def.capacity = particles, def.lifetimes = true, def.substeps = substeps;
    def.steps_per_second = STEPS_PER_SECOND;
    if (threads > 1) def.jobs = mote_jobs_openmp(threads);
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    engine_add_force(system, mote_gravity((const float[3]){0, -9.81f, 0}));
    bear(system, particles, true);
    return system;
}

/* --- Saving and restoring --- */

typedef struct copies {
    mote_system *system;
    unsigned char *snapshot, *other;
    size_t bytes;
    uint32_t flags;
} copies;

static void do_save(copies *c) {
    engine_check(mote_system_save(c->system, c->flags, c->snapshot, c->bytes, NULL), "mote_system_save");
}

static void do_restore(copies *c) {
    engine_check(mote_system_restore(c->system, c->snapshot, c->bytes, NULL), "mote_system_restore");
}

static void do_copy(copies *c) { memcpy(c->other, c->snapshot, c->bytes); }

/* The second of two runs, so that each finds the caches as its own run leaves them. */
static double time_of(void (*run)(copies *), copies *c) {
    run(c);
    const double start = thread_seconds();
    run(c);
    return thread_seconds() - start;
}

static void compare_copies(const char *figure, void (*run)(copies *), copies *c, double target,
                           uint32_t repeat, cJSON *results) {
    static bench_series series[2]; /* static for their size */
    for (uint32_t turn = 0; turn < repeat; turn++) {
        series[0].seconds[turn] = time_of(do_copy, c);
        series[1].seconds[turn] = time_of(run, c);
    }
    const compare_row row = {figure, target, false, ratio_spread(&series[0], &series[1], repeat)};
    compare_print(&row);
    printf("  %.2f ms, %.2f ms\n", 1e3 * spread_of(series[0].seconds, repeat).median,
           1e3 * spread_of(series[1].seconds, repeat).median);
    add_row(row, results);
}

static void compare_size(const copies *c, cJSON *results) {
    const double most = (24 + 12 + 8 + 8) * (double)mote_system_count(c->system);
    const double ratio = (double)c->bytes / most;
    const compare_row row = {
        "1 M particles: bytes over 24 + 12 + 8 + 8 a particle", 1.02, true, {ratio, ratio, ratio}};
    compare_print(&row);
    printf("  %zu bytes\n", c->bytes);
    add_row(row, results);
}

static void compare_saving(uint32_t repeat, cJSON *results) {
    copies c = {.system = create_fountain(PARTICLES, 1, 1)};
    churn(c.system, WARM_STEPS);
    engine_check(mote_system_snapshot_bytes(c.system, &c.bytes), "mote_system_snapshot_bytes");
    c.snapshot = aligned_alloc(64, c.bytes);
    c.other = aligned_alloc(64, c.bytes);
    if (!c.snapshot || !c.other) exit(EXIT_FAILURE);
    memset(c.other, 0, c.bytes);
    compare_size(&c, results);
    compare_copies("1 M particles: memcpy over save", do_save, &c, 0.7, repeat, results);
    compare_copies("1 M particles: memcpy over restore", do_restore, &c, 0.5, repeat, results);
    c.flags = MOTE_SNAPSHOT_CHECKSUM;
    compare_copies("1 M particles: memcpy over save with checksum", do_save, &c, 0.5, repeat, results);
    compare_copies("1 M particles: memcpy over restore with checksum", do_restore, &c, 0.5, repeat, results);
    free(c.snapshot);
    free(c.other);
    mote_system_destroy(c.system);
}

/* --- Rollback --- */

enum { STRANDS = 1000, POINTS = 32, FRAMES = 8 };

static void add_hair(mote_system *system) {
    static float places[STRANDS][POINTS][3];
    for (uint32_t s = 0; s < STRANDS; s++)
        for (uint32_t k = 0; k < POINTS; k++) {
            places[s][k][0] = 0.3f * (float)k / (POINTS - 1);
            places[s][k][1] = 0, places[s][k][2] = 0.001f * (float)s;
        }
    mote_strands_def def = mote_default_strands_def();
    mote_strands_id id;
    def.strand_count = STRANDS, def.points = POINTS, def.positions = places[0][0];
    engine_check(mote_system_add_strands(system, &def, &id, NULL), "mote_system_add_strands");
}

/* Back to the snapshot and eight frames again. saves: with a new snapshot after each. */
static double time_rollback(mote_system *system, const copies *from, bool saves) {
    const double start = now_seconds();
    engine_check(mote_system_restore(system, from->snapshot, from->bytes, NULL), "mote_system_restore");
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        churn(system, 1);
        if (saves)
            engine_check(mote_system_save(system, 0, from->other, from->bytes + from->bytes / 8, NULL),
                         "mote_system_save");
    }
    return now_seconds() - start;
}

static void compare_rollback(uint32_t threads, bool saves, uint32_t repeat, cJSON *results) {
    static double seconds[MAX_REPEATS];
    copies c = {.system = create_fountain(100000, 8, threads)};
    add_hair(c.system);
    churn(c.system, WARM_STEPS);
    engine_check(mote_system_snapshot_bytes(c.system, &c.bytes), "mote_system_snapshot_bytes");
    c.snapshot = malloc(c.bytes), c.other = malloc(c.bytes + c.bytes / 8);
    if (!c.snapshot || !c.other) exit(EXIT_FAILURE);
    do_save(&c);
    (void)time_rollback(c.system, &c, saves);
    const uint64_t hash = mote_system_hash(c.system);
    for (uint32_t turn = 0; turn < repeat; turn++) seconds[turn] = 1e3 * time_rollback(c.system, &c, saves);
    char figure[96];
    snprintf(figure, sizeof figure, "rollback by 8 frames%s, %u thread%s: ms", saves ? ", saving each" : "",
             (unsigned)threads, threads > 1 ? "s" : "");
    const compare_row row = {figure, 8, true, spread_of(seconds, repeat)};
    compare_print(&row);
    puts(mote_system_hash(c.system) == hash ? "" : "  HASH DIFFERS");
    add_row(row, results);
    free(c.snapshot);
    free(c.other);
    mote_system_destroy(c.system);
}

void compare_snapshots(uint32_t repeat, cJSON *object) {
    cJSON *results = cJSON_GetObjectItem(object, "results");
    compare_saving(repeat, results);
    puts("100,000 particles with churn x 8 substeps and 1,000 strands x 32:");
    compare_rollback(1, false, repeat, results);
    compare_rollback(2, false, repeat, results);
    compare_rollback(2, true, repeat, results);
}
