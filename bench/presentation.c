/* Presentation: positions halfway between two steps, written as packed xyz, against a copy of as many bytes.
 * For each particle the presentation reads six floats and writes three: 36 bytes. The copy reads 18 and
 * writes 18, with ordinary stores as in the presentation; memcpy, whose stores may bypass the cache, is timed
 * beside it. The order back to front is timed on the same particles. */
#include <string.h>

#include "checks.h"
#include "engine.h"
#include "machine.h"

#define PACKED_BYTES           12u
#define PRESENT_BYTES          36.0
#define COPY_FLOATS(particles) ((size_t)(particles) * 9 / 2)

size_t presentation_memory(uint32_t particles) {
    return staggered_size(2, COPY_FLOATS(particles)) + PACKED_BYTES;
}

static mote_system *create_interpolated(const bench_config *config) {
    mote_system_def def = engine_def(config);
    def.interpolation = MOTE_INTERPOLATE_LINEAR;
    mote_system *system = engine_create(&def, config->scene, 0, config->particles);
    engine_check(mote_system_advance(system, STEP_NANOSECONDS + STEP_NANOSECONDS / 2, NULL),
                 "mote_system_advance");
    return system;
}

static double time_present(const mote_system *system, const bench_config *config) {
    const mote_present_layout layout = mote_default_present_layout();
    double start = now_seconds();
    for (uint32_t frame = 0; frame < config->frames; frame++)
        engine_check(mote_system_present(system, &layout, config->memory->bytes,
                                         (size_t)config->particles * PACKED_BYTES),
                     "mote_system_present");
    return (now_seconds() - start) / config->frames;
}

/* Orders the particles along a diagonal. */
static double time_order(const mote_system *system, const bench_config *config) {
    const float direction[3] = {0.5f, -0.25f, 1};
    double start = now_seconds();
    for (uint32_t frame = 0; frame < config->frames; frame++)
        engine_check(mote_system_order(system, direction, (uint32_t *)(void *)config->memory->bytes,
                                       mote_order_bytes(config->particles)),
                     "mote_system_order");
    return (now_seconds() - start) / config->frames;
}

typedef void copy_function(float *to, const float *from, size_t first, size_t last);

static double time_copy(copy_function *copy, const bench_config *config) {
    size_t count = COPY_FLOATS(config->particles);
    float *array[2];
    staggered_arrays(config->memory->bytes, 2, count, array);
    double start = now_seconds();
    for (uint32_t frame = 0; frame < config->frames; frame++) {
#pragma omp parallel num_threads(config->threads)
        {
            size_t first, last;
            thread_part(count, PROBE_BLOCK, thread_index(), thread_count(), &first, &last);
            copy(array[1], array[0], first, last);
        }
    }
    return (now_seconds() - start) / config->frames;
}

/* amount: of a frame. */
static spread rate(const bench_series *series, double amount, uint32_t repeat) {
    spread seconds = spread_of(series->seconds, repeat);
    return (spread){amount / seconds.median, amount / seconds.max, amount / seconds.min};
}

bench_presentation measure_presentation(const bench_config *config) {
    static bench_series present, copy, past, order; /* static for its size */
    mote_system *system = create_interpolated(config);
    for (uint32_t repeat = 0; repeat < config->repeat; repeat++) {
        /* Each runs twice and the second run counts, so that each finds the caches as its own run leaves
         * them. */
        for (uint32_t turn = 0; turn < 2; turn++) present.seconds[repeat] = time_present(system, config);
        for (uint32_t turn = 0; turn < 2; turn++) copy.seconds[repeat] = time_copy(probe_copy, config);
        for (uint32_t turn = 0; turn < 2; turn++) past.seconds[repeat] = time_copy(probe_memcpy, config);
        for (uint32_t turn = 0; turn < 2; turn++) order.seconds[repeat] = time_order(system, config);
    }
    mote_system_destroy(system);
    return (bench_presentation){config->particles,
                                config->threads,
                                rate(&present, PRESENT_BYTES * config->particles, config->repeat),
                                rate(&copy, PRESENT_BYTES * config->particles, config->repeat),
                                ratio_spread(&copy, &present, config->repeat),
                                ratio_spread(&past, &present, config->repeat),
                                rate(&order, config->particles, config->repeat)};
}
