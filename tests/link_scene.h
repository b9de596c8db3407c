/* Systems for the tests of links: with few ranges, and a tangle of strands and networks. Needs nothing but
 * mote where OK is defined already: it checks the result of a call. */
#ifndef MOTE_TESTS_LINK_SCENE_H
#define MOTE_TESTS_LINK_SCENE_H

#include "network_base.h"
#include "scene_calls.h"

/* --- Worlds --- */

typedef struct world {
    mote_integrator integrator;
    mote_rate rate;
    uint32_t substeps;
    mote_strand_solver solver;
    mote_network_solver networks; /* of the tangle */
    mote_isa isa;
    mote_jobs jobs;
    mote_loop_order loop_order;
    mote_allocator allocator;
} world;

static inline mote_system *make_world(const world *w) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    def.integrator = w->integrator;
    def.substeps = w->substeps ? w->substeps : 1;
    if (w->rate.steps) def.steps_per_second = w->rate;
    def.isa = w->isa;
    def.jobs = w->jobs;
    def.loop_order = w->loop_order;
    def.allocator = w->allocator;
    return make_system(&def);
}

static inline mote_network_id add_particles(mote_system *system, mote_network_solver solver,
                                            uint32_t particles, const float *positions, float mass,
                                            uint32_t springs, const mote_spring *spring) {
    mote_network_def def = mote_default_network_def();
    def.solver = solver, def.particle_count = particles, def.positions = positions, def.mass = mass;
    def.spring_count = springs, def.springs = spring;
    return add_network(system, &def);
}

static inline mote_link_end particle(mote_network_id network, uint32_t i) {
    return (mote_link_end){.network = network, .particle = i};
}

static inline mote_link_end strand_point(mote_strands_id strands, uint32_t strand, uint32_t point) {
    return (mote_link_end){.strands = strands, .strand = strand, .point = point};
}

static inline mote_link link_between(mote_link_end a, mote_link_end b, float length, float stiffness,
                                     float damping) {
    mote_link link = mote_default_link();
    link.a = a, link.b = b;
    link.rest_length = length, link.stiffness = stiffness, link.damping = damping;
    return link;
}

static inline mote_link_id join(mote_system *system, mote_link_end a, mote_link_end b, float length,
                                float stiffness, float damping) {
    const mote_link link = link_between(a, b, length, stiffness, damping);
    mote_link_id id;
    OK(mote_system_add_link(system, &link, &id));
    return id;
}

/* Position (0, 1, 2) or velocity (3, 4, 5) of an end. */
static inline float *coordinate_of(mote_system *system, const mote_link_end *end, uint32_t column) {
    if (end->strands.index == 0) return column_of(system, end->network, end->particle, column);
    const mote_strands_view b = mote_strands_columns(system, end->strands);
    float *const all[6] = {b.position.x, b.position.y, b.position.z,
                           b.velocity.x, b.velocity.y, b.velocity.z};
    return &all[column][mote_strands_slot(system, end->strands, end->strand, end->point)];
}

static inline void state_of(mote_system *system, const mote_link_end *end, float state[6]) {
    for (uint32_t column = 0; column < 6; column++) state[column] = *coordinate_of(system, end, column);
}

static inline void set_velocity(mote_system *system, const mote_link_end *end, const float velocity[3]) {
    for (uint32_t axis = 0; axis < 3; axis++) *coordinate_of(system, end, 3 + axis) = velocity[axis];
}

/* --- A tangle --- */

enum { STRANDS = 40, POINTS = 6, RING = 1500, WEB = 40 + RING, TIES = 12 };

/* Forty strands of 2 to 6 points in three groups; ten squares of one shape, and a ring of more than a block.
 */
static inline void tangle_strands(mote_system *system, mote_strand_solver solver, mote_strands_id *id) {
    static float places[3 * STRANDS * POINTS];
    uint32_t counts[STRANDS], at = 0;
    for (uint32_t s = 0; s < STRANDS; s++) {
        random_source random = {700 + s};
        counts[s] = 2 + s % (POINTS - 1);
        for (uint32_t k = 0; k < counts[s]; k++, at++)
            for (uint32_t axis = 0; axis < 3; axis++)
                places[3 * at + axis] =
                    (axis == 1 ? -0.3f * (float)k : 0.1f * (float)s) + random_between(&random, -0.05f, 0.05f);
    }
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    def.solver = solver, def.strand_count = STRANDS, def.strand_points = counts, def.positions = places,
    def.mass = 0.5f;
    if (solver == MOTE_STRAND_SPRINGS) def.compliance = 0.01f, def.damping = 0.1f;
    OK(mote_system_add_strands(system, &def, id, NULL));
}

static inline mote_network_id tangle_network(mote_system *system, mote_network_solver solver) {
    static float places[3 * WEB];
    static mote_spring springs[WEB];
    random_source random = {99};
    for (uint32_t i = 0; i < 3 * WEB; i++) places[i] = random_between(&random, -2, 2);
    for (uint32_t i = 0; i < WEB; i++) {
        const bool square = i < 40;
        const uint32_t next = square ? (i & ~3u) | ((i + 1) & 3u) : i + 1 == WEB ? 40 : i + 1;
        springs[i] = (mote_spring){i, next, 0.5f, 20, square ? 0.2f : 0.1f, 0};
    }
    return add_particles(system, solver, WEB, places, 0.4f, WEB, springs);
}

typedef struct tangle {
    mote_system *system;
    mote_strands_id strands;
    mote_network_id network;
    mote_link_id link[TIES];
} tangle;

static inline void swirl(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    for (uint32_t i = 0; i < stage->count; i++)
        x[i] += 0.5f * stage->velocity_z[i], y[i] -= 0.125f * stage->x[i], z[i] += 0.25f;
}

static inline tangle make_tangle(const world *w, bool callback) {
    tangle t = {.system = make_world(w)};
    scene_watch(t.system);
    tangle_strands(t.system, w->solver, &t.strands);
    t.network = tangle_network(t.system, w->networks);
    add_force(t.system, mote_gravity((float[3]){0, -9.81f, 0}));
    add_force(t.system, mote_attractor((float[3]){1, 0.5f, 0}, 3, 0.25f));
    if (callback) add_force(t.system, mote_callback(swirl, NULL));
    return t;
}

/* Strands of the first and the last group, squares, the ring in each of its blocks, strand and strand,
 * network and network. */
static inline void tie(tangle *t) {
    for (uint32_t i = 0; i < TIES; i++) {
        const uint32_t strand = i % 2 ? i : STRANDS - 1 - i;
        const uint32_t point = 1 + i % 2 * (strand % 5 > 0);
        const mote_link_end a =
            i == 4 ? particle(t->network, 5 * i) : strand_point(t->strands, strand, point);
        const mote_link_end b =
            i == 7 ? strand_point(t->strands, 3 * i, 1) : particle(t->network, i % 3 ? 40 + 131 * i : 2 * i);
        t->link[i] = join(t->system, a, b, 0.25f * (float)(i % 4), 30, i % 3 ? 0.25f : 0.125f);
    }
}

#endif
