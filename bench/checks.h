/* The lines below the table: presentation, and allocations inside steps. */
#ifndef BENCH_CHECKS_H
#define BENCH_CHECKS_H

#include "report.h"

/* Presents the particles of config (scene, particles, threads, isa, repeat) with linear interpolation. */
bench_presentation measure_presentation(const bench_config *config);

/* Bytes of the arena that it needs. */
size_t presentation_memory(uint32_t particles);

/* Calls of the allocator hook during `steps` steps of the scene's engine run, once warm. */
uint64_t count_allocations(const bench_config *config, uint32_t steps);

#endif
