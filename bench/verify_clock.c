/* The clock: frames of any length contain exactly their whole steps, for a thousand years, and the state does
 * not depend on how time is cut into frames. */
#include <math.h>

#include "engine.h"
#include "random.h"
#include "verify.h"

__extension__ typedef unsigned __int128 wide;

#define NANOSECONDS UINT64_C(1000000000)

static mote_system *empty_system(mote_rate rate, uint32_t most, mote_late_policy policy) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    def.capacity = 0;
    def.steps_per_second = rate;
    def.max_steps_per_advance = most;
    def.late_policy = policy;
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    return system;
}

/* --- Whole steps --- */

/* Steps run in `frames` frames of `nanoseconds`, beside floor(frames x nanoseconds x rate). */
static void count_steps(verify_report *report, mote_rate rate, uint64_t nanoseconds, uint32_t frames) {
    mote_system *system = empty_system(rate, 8, MOTE_LATE_CATCH_UP);
    double steps = 0;
    for (uint32_t i = 0; i < frames; i++) {
        mote_advance advance;
        engine_check(mote_system_advance(system, nanoseconds, &advance), "mote_system_advance");
        steps += advance.steps;
    }
    const wide whole = (wide)frames * nanoseconds * rate.steps / ((wide)rate.seconds * NANOSECONDS);
    verify_add(report, "clock", steps, (double)whole, 0, "steps at %u/%u in %u frames of %u ns",
               (unsigned)rate.steps, (unsigned)rate.seconds, (unsigned)frames, (unsigned)nanoseconds);
    mote_system_destroy(system);
}

/* A thousand years in frames of a day, of which three steps run and the others are dropped: ticks in less
 * ticks out. */
static void keep_ticks(verify_report *report, mote_rate rate) {
    mote_system *system = empty_system(rate, 3, MOTE_LATE_DROP);
    wide in = 0, out = 0;
    uint64_t left = 0;
    for (uint32_t day = 0; day < 365250; day++) {
        mote_advance advance;
        const uint64_t nanoseconds = 86400 * NANOSECONDS + day % 7;
        engine_check(mote_system_advance(system, nanoseconds, &advance), "mote_system_advance");
        in += (wide)nanoseconds * advance.ticks_per_nanosecond;
        out += (wide)advance.ticks_consumed + advance.ticks_dropped;
        left = advance.ticks_remaining;
    }
    verify_add(report, "clock", (double)(in - out) - (double)left, 0, 0, "ticks lost in 1,000 years at %u/%u",
               (unsigned)rate.steps, (unsigned)rate.seconds);
    mote_system_destroy(system);
}

/* The blend is a float in [0, 1). */
static void blend(verify_report *report, uint64_t nanoseconds) {
    mote_system *system = empty_system((mote_rate){125, 2}, 8, MOTE_LATE_CATCH_UP);
    mote_advance advance;
    engine_check(mote_system_advance(system, nanoseconds, &advance), "mote_system_advance");
    verify_add(report, "clock", (double)advance.alpha, (double)(nanoseconds % 16000000) / 16e6, 0.5 * 0x1p-23,
               "alpha after %.2f steps", (double)nanoseconds / 16e6);
    mote_system_destroy(system);
}

void verify_ticks(verify_report *report) {
    static const mote_rate rates[] = {{60, 1}, {60000, 1001}, {144, 1}, {997, 13}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        count_steps(report, rates[i], 16666667, 216000);
        count_steps(report, rates[i], 6944444, 100000);
        count_steps(report, rates[i], 41708333, 100000);
        keep_ticks(report, rates[i]);
    }
    blend(report, 24000000);
    blend(report, 36000000);
    blend(report, 47999999);
}

/* --- The same state for any frames --- */

static mote_system *thrown(mote_isa isa, uint32_t workers) {
    enum { COUNT = 5000 };
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    def.capacity = COUNT, def.substeps = 4, def.isa = isa;
    if (workers > 1) def.jobs = mote_jobs_openmp(workers), def.jobs.least_work = 1;
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    engine_add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    engine_add_force(system, mote_attractor((float[3]){1, 2, 3}, 10, 0.5f));
    engine_add_force(system, mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_WIND, 0.1f));
    engine_check(mote_system_spawn(system, COUNT, &view), "mote_system_spawn");
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t bits = random_bits(i, 0);
        view.position.x[i] = random_signed(bits, 0), view.position.y[i] = random_signed(bits, 20);
        view.velocity.z[i] = random_signed(bits, 40);
    }
    return system;
}

enum { STEPS = 120 };

/* Two seconds, STEPS steps, in frames of up to `longest` nanoseconds. The hash covers the clock too: nothing
 * remains in it. */
static uint64_t hash_in_frames(mote_system *system, uint64_t longest) {
    uint64_t left = 2 * NANOSECONDS;
    for (uint64_t draw = 0; left > 0; draw++) {
        const uint64_t drawn = random_bits(draw, 1) % longest, frame = drawn < left ? drawn : left;
        engine_check(mote_system_advance(system, frame, NULL), "mote_system_advance");
        left -= frame;
    }
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

static void same(verify_report *report, const char *name, uint64_t hash, uint64_t reference,
                 const char *quantity) {
    verify_add(report, name, __builtin_popcountll(hash ^ reference), 0, 0, "bits that differ in the hash, %s",
               quantity);
}

void verify_frames(verify_report *report) {
    mote_system *single = thrown(MOTE_ISA_SCALAR, 1);
    for (int i = 0; i < STEPS; i++) engine_check(mote_system_step(single, 1, NULL), "mote_system_step");
    const uint64_t reference = mote_system_hash(single);
    mote_system_destroy(single);
    same(report, "frames", hash_in_frames(thrown(MOTE_ISA_SCALAR, 1), 12000000), reference, "up to 12 ms");
    for (uint32_t workers = 2; workers <= 5; workers += 3)
        same(report, "threads", hash_in_frames(thrown(mote_isa_best(), workers), 12000000), reference,
             workers == 2 ? "2 threads" : "5 threads");
    for (int i = MOTE_ISA_AUTO + 1; i < MOTE_ISA_COUNT; i++)
        if (mote_isa_available((mote_isa)i))
            same(report, "instruction sets", hash_in_frames(thrown((mote_isa)i, 1), 12000000), reference,
                 mote_isa_name((mote_isa)i));
}
