/* The machine that the benchmark runs on, and the build. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* The name of the processor as the system gives it, or its architecture. Static. */
const char *machine_cpu(void);

/* "L1d 48K, L2 2M, L3 32M", as the system gives them for the first processor; "unknown". Static. */
const char *machine_caches(void);

/* Of the moment; 0: not known. */
typedef struct machine_state {
    double clock;        /* Hz, of the first processor */
    double memory;       /* bytes */
    double memory_limit; /* bytes: of the control group, or the memory */
    double load;         /* mean of the last minute */
} machine_state;
machine_state machine_look(void);

/* State and date of the start of the program, for files that are written at its end: looks at the first call.
 */
machine_state machine_at_start(char date[40]);

/* The compiler that built the benchmark, and with it the engine and the baselines; the commit of the source,
 * "unknown" outside of a repository; the date as 2000-12-31 23:59:59 UTC. */
const char *machine_compiler(void);
const char *machine_commit(void);
const char *machine_date(char text[40]);

/* Threads that the machine runs at a time, by OpenMP; 1 in a build without it. */
uint32_t machine_threads(void);

/* Inside a parallel region: the number of this thread, and of all. */
uint32_t thread_index(void);
uint32_t thread_count(void);

/* Fails with a message and code 2 if less than `bytes` of memory are available; option: the argument that
 * asks for them. */
void require_memory(double bytes, const char *option);

/* Prints the machine and the build on two lines. */
void machine_print(void);

#endif
