/* Crowd: many small systems with an emitter, lifetimes and a collider each, advanced in one call. Fountain:
 * one large system, over a valley and a ball. */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <stdbool.h>
#include <stdint.h>

#include <mote/mote.h>

/* Zero: as the default def. */
typedef struct crowd_setup {
    uint32_t systems, particles; /* particles of each, on average */
    uint32_t substeps, threads;
    bool presents; /* packs the positions of all in each frame */
    bool valley;   /* the ground is two planes, with a ball between them; not: one plane */
    mote_isa isa;
    mote_allocator allocator;
} crowd_setup;

void *crowd_create(const crowd_setup *setup);
void crowd_frames(void *state, uint32_t frames);
uint64_t crowd_hash(void *state);
void crowd_destroy(void *state);

#endif
