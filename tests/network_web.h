/* Networks for the tests of the host's calls: islands of several kinds, numbered at random. */
#ifndef MOTE_TESTS_NETWORK_WEB_H
#define MOTE_TESTS_NETWORK_WEB_H

#include "test.h"

#include "network_base.h"
#include "inside.h"

enum { HOST_PARTICLES = 2048, HOST_SPRINGS = 4096 };

/* A def and the arrays that it points to. Must stay where it is. */
typedef struct web {
    mote_network_def def;
    uint32_t particles, springs;
    float positions[3 * HOST_PARTICLES], velocities[3 * HOST_PARTICLES], masses[HOST_PARTICLES];
    mote_spring spring[HOST_SPRINGS];
    uint32_t name[HOST_PARTICLES]; /* the host's numbers */
    random_source random;
} web;

static inline float eighth(web *w) { return ((float)random_below(&w->random, 160) - 80) / 8; }

static inline uint32_t web_particle(web *w) {
    const uint32_t i = w->name[w->particles++];
    for (uint32_t axis = 0; axis < 3; axis++) {
        w->positions[3 * i + axis] = eighth(w);
        w->velocities[3 * i + axis] = eighth(w);
    }
    w->masses[i] = random_between(&w->random, 0.5f, 2);
    return i;
}

static inline void web_spring(web *w, uint32_t a, uint32_t b) {
    w->spring[w->springs++] = (mote_spring){a,
                                            b,
                                            random_between(&w->random, 0.5f, 9),
                                            random_between(&w->random, 1, 90),
                                            random_between(&w->random, 0.1f, 1),
                                            0};
}

static inline void web_grid(web *w, uint32_t side) {
    uint32_t at[64];
    for (uint32_t i = 0; i < side * side; i++) {
        at[i] = web_particle(w);
        if (i % side) web_spring(w, at[i - 1], at[i]);
        if (i >= side) web_spring(w, at[i - side], at[i]);
    }
}

static inline void web_ring(web *w, uint32_t count) {
    const uint32_t first = web_particle(w);
    uint32_t last = first;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t next = web_particle(w);
        web_spring(w, last, next);
        last = next;
    }
    web_spring(w, last, first);
}

static inline void begin_web(web *w, uint64_t seed) {
    *w = (web){.random = {seed}};
    for (uint32_t i = 0; i < HOST_PARTICLES; i++) w->name[i] = i;
}

static inline void end_web(web *w) {
    w->def = mote_default_network_def();
    w->def.particle_count = w->particles;
    w->def.positions = w->positions, w->def.velocities = w->velocities, w->def.particle_mass = w->masses;
    w->def.spring_count = w->springs, w->def.spring_capacity = w->springs + 64;
    w->def.springs = w->spring;
}

/* A grid, 21 triangles, which are spread across lanes, two lone particles and a ring of `ring` particles. */
static inline void make_web(web *w, uint32_t ring, uint64_t seed) {
    const uint32_t count = 16 + 63 + 2 + ring;
    begin_web(w, seed);
    for (uint32_t i = count - 1; i > 0; i--) {
        const uint32_t j = random_below(&w->random, i + 1), kept = w->name[i];
        w->name[i] = w->name[j], w->name[j] = kept;
    }
    web_grid(w, 4);
    for (int i = 0; i < 21; i++) web_ring(w, 3);
    web_particle(w), web_particle(w);
    web_ring(w, ring);
    end_web(w);
}

static inline mote_system *make_host(mote_integrator integrator, memory_ledger *ledger) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    def.integrator = integrator;
    if (ledger) def.allocator = ledger_allocator(ledger);
    return make_system(&def);
}

static inline mote_network_id add_web(mote_system *system, const web *w) {
    mote_network_id id;
    mote_network_fault fault = {0, 0, "none"};
    OK(mote_system_add_network(system, &w->def, &id, &fault));
    ASSERT(fault.particle, ==, MOTE_NO_ITEM);
    ASSERT(fault.spring, ==, MOTE_NO_ITEM);
    assert_null(fault.parameter);
    return id;
}

/* The network itself, whose state a test reads and changes. */
static inline mote_network *inside(const mote_system *system, mote_network_id id) {
    mote_network *network = network_inside(system, id);
    assert_non_null(network);
    return network;
}

#endif
