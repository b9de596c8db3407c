/* The lines below the table: presentation, and allocations inside steps. */
#ifndef BENCH_CHECKS_H
#define BENCH_CHECKS_H

#include "report.h"

/* Presents the particles of config (scene, particles, threads, isa, repeat) with linear interpolation. */
bench_presentation measure_presentation(const bench_config *config);

/* Bytes of the arena that the measurement needs. */
size_t presentation_memory(uint32_t particles);

/* Calls of the allocator hook during `steps` steps of the scene by the engine, after some steps to warm up.
 */
uint64_t count_allocations(const bench_config *config, uint32_t steps);

#endif
