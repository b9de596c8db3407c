/* The engine as a contender: one system, stepped one step a frame. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "contenders.h"
#include "scenes.h"

/* Ends the program with a message if a call of the engine failed, with code 2 where it was refused memory;
 * call: its name. */
void engine_check(mote_result result, const char *call);

/* mote_system_add_force, checked. */
void engine_add_force(mote_system *system, mote_force_def force);

/* The def of a configuration: uniform mass, no ids, no lifetimes, jobs on its threads. */
mote_system_def engine_def(const bench_config *config);

/* A system of `def` with the scene's forces and its particles first .. first + count - 1. */
mote_system *engine_create(const mote_system_def *def, const bench_scene *scene, uint64_t first,
                           uint32_t count);

/* Functions of contenders whose state is a mote_system. */
void *engine_open(const bench_config *config);
void engine_run(void *system, uint32_t frames);
uint64_t engine_hash(void *system);
void engine_close(void *system);

extern const bench_contender engine_contender;

#endif
