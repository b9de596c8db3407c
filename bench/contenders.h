/* Contenders, which are timed side by side on one configuration: the engine, the baselines, the probe. */
#ifndef BENCH_CONTENDERS_H
#define BENCH_CONTENDERS_H

#include <stdint.h>

#include <mote/mote.h>

#include "baselines.h"
#include "memory.h"

/* One step of every scene: 125 steps in 2 s, 16 ms, a whole number of nanoseconds. */
#define STEPS_PER_SECOND ((mote_rate){125, 2})
#define TIMESTEP         0.016
#define STEP_NANOSECONDS UINT64_C(16000000)

/* kg, of every particle of every scene. */
#define PARTICLE_MASS 0.5f

/* One row of the table. */
typedef struct bench_config {
    const struct bench_scene *scene;
    mote_integrator integrator;
    mote_isa isa;
    uint32_t particles, frames, substeps, threads, repeat;
    mote_interpolation interpolation; /* of the engine */
    const arena *memory;              /* shared by all contenders that are not the engine */
    mote_allocator allocator;         /* of the engine; both NULL: its default */
} bench_config;

/* The calls of a contender: open; then for each repeat refill (not timed; NULL: nothing), run(1 frame, not
 * timed), run(frames, timed); at the end hash (NULL: none) and close. One frame is one step. A failure ends
 * the program with a message. */
typedef struct bench_contender {
    const char *name;
    void *(*open)(const bench_config *config);
    void (*refill)(void *state);
    void (*run)(void *state, uint32_t frames);
    uint64_t (*hash)(void *state);
    void (*close)(void *state);
} bench_contender;

extern const bench_contender struct_contender, plain_contender, probe_contender;

/* Bytes of the arena that these and the contenders of the scene need. */
size_t contender_memory(const struct bench_scene *scene, uint32_t particles);

/* The part [first, last) of `count` items, in runs of `unit`, that thread `thread` of `threads` works on. */
void thread_part(size_t count, size_t unit, uint32_t thread, uint32_t threads, size_t *first, size_t *last);

/* Fills arrays with particles first .. first + count - 1 of a scene, in all threads of the machine. */
void fill_columns(const struct bench_scene *scene, uint64_t first, const probe_columns *columns,
                  size_t count);
void fill_structs(const struct bench_scene *scene, uint64_t first, struct_particle *particles, size_t count);

/* malloc that ends the program with a message and code 2. */
void *allocate_or_fail(size_t bytes);

#endif
