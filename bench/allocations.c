/* Allocations inside steps: a step must make none once the system is warm. */
#include "checks.h"

#define WARM_STEPS 3u

uint64_t count_allocations(const bench_config *config, uint32_t steps) {
    uint64_t allocations = 0;
    bench_config counted = *config;
    counted.allocator = counting_allocator(&allocations);
    const bench_contender *engine = config->scene->engine;
    void *state = engine->open(&counted);
    engine->run(state, WARM_STEPS);
    uint64_t before = allocations;
    engine->run(state, steps);
    uint64_t during = allocations - before;
    engine->close(state);
    return during;
}
