/* The last result of mote-bench verify, kept in a file beside the program. */
#ifndef BENCH_LAST_H
#define BENCH_LAST_H

#include <stdint.h>

/* A file that cannot be written is left out. */
void last_keep(uint32_t claims, uint32_t failed, double seconds);

/* Prints a line: the last result, whether the program is newer, or that there is none. */
void last_print(void);

#endif
