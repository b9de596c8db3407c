/* Presentation: positions halfway between two steps, written as packed xyz, against a copy of as many bytes.
 * For each particle the presentation reads six floats and writes three: 36 bytes. The copy reads 18 and
 * writes 18, with ordinary stores as in the presentation; memcpy, whose stores may bypass the cache, is timed
 * beside it. The order back to front, and a presentation with size and colour over life, are timed on the
 * same particles. */
#include <string.h>

#include "checks.h"
#include "engine.h"
#include "machine.h"

#define PACKED_BYTES           12u
#define KEYED_BYTES            20u
#define PRESENT_BYTES          36.0
#define COPY_FLOATS(particles) ((size_t)(particles) * 9 / 2)

size_t presentation_memory(uint32_t particles) {
    return staggered_size(2, COPY_FLOATS(particles)) + PACKED_BYTES;
}

static mote_system *create_interpolated(const bench_config *config) {
    mote_system_def def = engine_def(config);
    def.interpolation = MOTE_INTERPOLATE_LINEAR;
    def.lifetimes = true;
    mote_system *system = engine_create(&def, config->scene, 0, config->particles);
    const mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) /* 0.5 s to 1.5 s, of which some have passed */
        view.lifetime[i] = 0.5f + (float)(i * 2654435761u >> 8) * 0x1p-24f, view.birth_step[i] = 0u - i % 29;
    engine_check(mote_system_advance(system, STEP_NANOSECONDS + STEP_NANOSECONDS / 2, NULL),
                 "mote_system_advance");
    return system;
}

/* A size and a colour of four bytes behind the position. */
static mote_present_layout keyed_layout(void) {
    static const mote_size_key sizes[4] = {{0, 0.1f, MOTE_EASE_OUT},
                                           {0.2f, 1, MOTE_EASE_SMOOTH},
                                           {0.7f, 1.5f, MOTE_EASE_IN},
                                           {1, 0, MOTE_EASE_STEP}};
    static const mote_colour_key colours[4] = {{0, {1, 1, 0.8f, 0}, MOTE_EASE_LINEAR},
                                               {0.1f, {1, 0.6f, 0.2f, 1}, MOTE_EASE_LINEAR},
                                               {0.6f, {0.4f, 0.1f, 0.1f, 0.5f}, MOTE_EASE_LINEAR},
                                               {1, {0.1f, 0.1f, 0.1f, 0}, MOTE_EASE_LINEAR}};
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = KEYED_BYTES;
    layout.size_offset = 12, layout.size_keys = sizes, layout.size_key_count = 4;
    layout.colour_offset = 16, layout.colour_keys = colours, layout.colour_key_count = 4;
    layout.colour_format = MOTE_COLOUR_UNORM8;
    return layout;
}

static double time_present(const mote_system *system, mote_present_layout layout,
                           const bench_config *config) {
    double start = now_seconds();
    for (uint32_t frame = 0; frame < config->frames; frame++)
        engine_check(mote_system_present(system, &layout, config->memory->bytes,
                                         (size_t)config->particles * layout.stride),
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
    static bench_series present, keyed, copy, past, order; /* static for its size */
    const mote_present_layout packed = mote_default_present_layout();
    mote_system *system = create_interpolated(config);
    for (uint32_t repeat = 0; repeat < config->repeat; repeat++) {
        /* Each runs twice and the second run counts, so that each finds the caches as its own run leaves
         * them. */
        for (uint32_t turn = 0; turn < 2; turn++)
            present.seconds[repeat] = time_present(system, packed, config);
        for (uint32_t turn = 0; turn < 2; turn++)
            keyed.seconds[repeat] = time_present(system, keyed_layout(), config);
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
                                rate(&order, config->particles, config->repeat),
                                rate(&keyed, config->particles, config->repeat),
                                ratio_spread(&keyed, &present, config->repeat)};
}
