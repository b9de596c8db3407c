/* Measures one row: engine, baselines and probe run in turn in each repeat, so that other load on the machine
 * meets all of them; ratios are taken within a repeat. */
#include "measure.h"

#include "progress.h"
#include "scenes.h"

#define MAX_ENTRIES (4 + MAX_REFERENCES)

/* Frames that are run before those that are timed, where the row is compared with a loop. The contenders
 * before have pushed the memory of this one out of the last cache, and one frame over 24 MB does not bring it
 * back (a frame took 1.25 times as long after one as after three). */
#define WARM_UP_FRAMES 3u

typedef struct bench_entry {
    const bench_contender *contender;
    bench_series *series;
    uint32_t warm, frames; /* run before, and timed */
    void *state;
} bench_entry;

static uint32_t add_entry(bench_entry *entries, uint32_t count, const bench_contender *contender,
                          bench_series *series, uint32_t warm, uint32_t frames) {
    series->present = contender != NULL;
    if (!contender) return count;
    entries[count] = (bench_entry){contender, series, warm, frames, NULL};
    return count + 1;
}

/* All substeps of a baseline are the same pass over memory, so a frame of many substeps is long enough to be
 * timed alone. */
static uint32_t baseline_frames(const bench_config *config, uint32_t frames) {
    return frames < config->substeps ? 1 : frames / config->substeps;
}

uint32_t warm_up_frames(const bench_config *config) {
    return config->scene->baseline_plain ? WARM_UP_FRAMES : 1;
}

static uint32_t list_entries(const bench_config *config, measurement *result, bench_entry *entries) {
    const bench_scene *scene = config->scene;
    bool comparable =
        config->integrator == scene->integrator; /* the baselines step by the integrator of the scene */
    const uint32_t warm = warm_up_frames(config), frames = config->frames,
                   baseline_warm = baseline_frames(config, warm),
                   baseline_timed = baseline_frames(config, frames);
    uint32_t count = add_entry(entries, 0, scene->engine, &result->engine, warm, frames);
    for (uint32_t i = 0; i < MAX_REFERENCES; i++)
        count = add_entry(entries, count, scene->references[i], &result->reference[i], warm, frames);
    count = add_entry(entries, count, comparable ? scene->baseline_struct : NULL, &result->baseline_struct,
                      baseline_warm, baseline_timed);
    count = add_entry(entries, count, comparable ? scene->baseline_plain : NULL, &result->baseline_plain,
                      baseline_warm, baseline_timed);
    return add_entry(entries, count, &probe_contender, &result->probe, WARM_UP_FRAMES, frames);
}

double contender_seconds(const bench_contender *contender, void *state, uint32_t warm, uint32_t frames) {
    if (contender->refill) contender->refill(state);
    contender->run(state, warm);
    double start = now_seconds();
    contender->run(state, frames);
    return (now_seconds() - start) / frames;
}

void measure(const bench_config *config, const char *title, measurement *result) {
    bench_entry entries[MAX_ENTRIES];
    result->config = *config;
    uint32_t count = list_entries(config, result, entries);
    for (uint32_t i = 0; i < count; i++) entries[i].state = entries[i].contender->open(config);
    for (uint32_t repeat = 0; repeat < config->repeat; repeat++)
        for (uint32_t i = 0; i < count; i++) {
            progress("%s: repeat %u of %u, %s", title, (unsigned)repeat + 1, (unsigned)config->repeat,
                     entries[i].contender->name);
            entries[i].series->seconds[repeat] =
                contender_seconds(entries[i].contender, entries[i].state, entries[i].warm, entries[i].frames);
        }
    result->hash = entries[0].contender->hash(entries[0].state);
    if (config->scene->observe) config->scene->observe(entries[0].state, &result->observation);
    for (uint32_t i = 0; i < count; i++) entries[i].contender->close(entries[i].state);
    progress_clear();
}

spread ratio_spread(const bench_series *left, const bench_series *right, uint32_t repeat) {
    double ratios[MAX_REPEATS];
    for (uint32_t i = 0; i < repeat; i++) ratios[i] = left->seconds[i] / right->seconds[i];
    return spread_of(ratios, repeat);
}
