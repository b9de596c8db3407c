/* The machine that the benchmark runs on, and the compiler that built it. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* The name of the processor as the system gives it, or its architecture. Static. */
const char *machine_cpu(void);

/* The compiler that built the benchmark, and with it the engine and the baselines. */
const char *machine_compiler(void);

/* Threads that the machine runs at a time, by OpenMP; 1 in a build without it. */
uint32_t machine_threads(void);

/* Inside a parallel region: the number of this thread, and of all. */
uint32_t thread_index(void);
uint32_t thread_count(void);

/* Fails with a message and code 2 if the machine has less than `bytes` of memory; option: the argument that
 * asks for them. */
void require_memory(double bytes, const char *option);

#endif
