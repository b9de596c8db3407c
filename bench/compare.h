/* The sections of mote-bench compare: each prints its rows, and adds them to "results" of the object and its
 * tables to the object itself. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <cjson/cJSON.h>
#include <stdint.h>

/* With tables "stretch" and "energy". */
void compare_strands(uint32_t repeat, cJSON *object);
void compare_strain(cJSON *object);
void compare_energy(cJSON *object);

void compare_networks(uint32_t repeat, cJSON *object);
void compare_stiff_net(uint32_t repeat, cJSON *results);

/* Deaths and births, small systems, curl noise. */
void compare_particles(uint32_t repeat, cJSON *object);

/* Saving, restoring and rolling back. */
void compare_snapshots(uint32_t repeat, cJSON *object);

#endif
