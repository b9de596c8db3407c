/* Snapshots: saving and restoring against memcpy of as many bytes, the size of a
 * snapshot, and a rollback of eight frames. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mote/snapshot.h>

#include "engine.h"
#include "random.h"
#include "run.h"

enum { PARTICLES = 1000000, LIFE_STEPS = 100, WARM_STEPS = 30 };

static void ratio_row(bench_run *run, const char *name, spread ratio, double target, char bound) {
    bench_row row = {.repeat = run->repeat};
    snprintf(row.name, sizeof row.name, "%s", name);
    row_quantity *q = row_add(&row, "ratio", "", ratio, bound);
    q->target = target, q->bound = bound;
    report_add(&run->report, &row);
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

static void compare_copies(bench_run *bench, const char *figure, void (*run)(copies *), copies *c,
                           double target) {
    static bench_series series[2]; /* static for their size */
    if (!report_begin(&bench->report, "snapshots", figure)) return;
    while (report_try(&bench->report))
        for (uint32_t turn = 0; turn < bench->repeat; turn++) {
            series[0].seconds[turn] = time_of(do_copy, c);
            series[1].seconds[turn] = time_of(run, c);
        }
    ratio_row(bench, figure, ratio_spread(&series[0], &series[1], bench->repeat), target, '>');
}

static void compare_size(bench_run *run, const copies *c) {
    const double most = (24 + 12 + 8 + 8) * (double)PARTICLES, ratio = (double)c->bytes / most;
    const char *figure = "1 M particles: bytes over 24 + 12 + 8 + 8 a particle";
    if (!report_begin(&run->report, "snapshots", figure)) return;
    ratio_row(run, figure, (spread){ratio, ratio, ratio}, 1.02, '<');
}

static copies open_copies(void) {
    copies c = {.system = create_fountain(PARTICLES, 1, 1)};
    churn(c.system, WARM_STEPS);
    engine_check(mote_system_snapshot_bytes(c.system, &c.bytes), "mote_system_snapshot_bytes");
    c.snapshot = allocate_or_fail(c.bytes);
    c.other = allocate_or_fail(c.bytes);
    memset(c.other, 0, c.bytes);
    return c;
}

static void compare_saving(bench_run *run) {
    copies c = run->report.counting ? (copies){0} : open_copies();
    compare_size(run, &c);
    compare_copies(run, "1 M particles: memcpy over save", do_save, &c, 0.7);
    compare_copies(run, "1 M particles: memcpy over restore", do_restore, &c, 0.5);
    c.flags = MOTE_SNAPSHOT_CHECKSUM;
    compare_copies(run, "1 M particles: memcpy over save with checksum", do_save, &c, 0.5);
    compare_copies(run, "1 M particles: memcpy over restore with checksum", do_restore, &c, 0.5);
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

static void compare_rollback(bench_run *run, uint32_t threads, bool saves) {
    static double seconds[MAX_REPEATS];
    char figure[96];
    snprintf(figure, sizeof figure, "rollback by 8 frames%s, %u thread%s", saves ? ", saving each" : "",
             (unsigned)threads, threads > 1 ? "s" : "");
    if (!report_begin(&run->report, "snapshots", figure)) return;
    copies c = {.system = create_fountain(100000, 8, threads)};
    add_hair(c.system);
    churn(c.system, WARM_STEPS);
    engine_check(mote_system_snapshot_bytes(c.system, &c.bytes), "mote_system_snapshot_bytes");
    c.snapshot = allocate_or_fail(c.bytes), c.other = allocate_or_fail(c.bytes + c.bytes / 8);
    do_save(&c);
    (void)time_rollback(c.system, &c, saves);
    bench_row row = {.particles = 100000, .substeps = 8, .threads = threads, .repeat = run->repeat};
    const uint64_t hash = mote_system_hash(c.system);
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++)
            seconds[turn] = time_rollback(c.system, &c, saves);
    row.hash = mote_system_hash(c.system), row.differs = row.hash != hash;
    snprintf(row.name, sizeof row.name, "%s", figure);
    row_quantity *q = row_add(&row, "time", "s", spread_of(seconds, run->repeat), '<');
    q->target = 0.008, q->bound = '<';
    report_add(&run->report, &row);
    free(c.snapshot);
    free(c.other);
    mote_system_destroy(c.system);
}

void run_snapshots(bench_run *run) {
    compare_saving(run);
    if (!run->full) return;
    compare_rollback(run, 1, false);
    compare_rollback(run, 2, false);
    compare_rollback(run, 2, true);
}
