/* Small networks for the tests of physics: copies of one island that start differently, in the engine and in
 * the double reference. */
#ifndef MOTE_TESTS_NETWORK_MESH_H
#define MOTE_TESTS_NETWORK_MESH_H

#include "network_base.h"
#include "reference_network.h"

enum { COPIES = 16, BODIES = 6, EDGES = 11, MESH_FORCES = 4 };

/* Islands of six bodies about 0.5 m apart. */
typedef struct mesh {
    mote_network_def def;
    float positions[3 * COPIES * BODIES], velocities[3 * COPIES * BODIES], masses[COPIES * BODIES];
    mote_spring springs[COPIES * EDGES];
    mote_force_def forces[MESH_FORCES];
    uint32_t force_count;
    bool pinned; /* the first body of each island, which travels */
} mesh;

/* Each island is the same whatever `copies` there are. */
static inline void make_mesh(mesh *m, uint32_t copies, float stiffness, bool damped, bool pinned) {
    static const float place[BODIES][3] = {{0, 0, 0},           {0.5f, 0, 0.1f},    {0.2f, 0.45f, 0},
                                           {0.25f, 0.2f, 0.4f}, {0.7f, 0.4f, 0.3f}, {0.4f, 0.7f, 0.35f}};
    static const uint32_t edge[EDGES][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3},
                                            {3, 4}, {1, 4}, {4, 5}, {2, 5}, {3, 5}};
    random_source random = {17};
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < COPIES * BODIES; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            m->positions[3 * i + axis] = place[i % BODIES][axis];
            m->velocities[3 * i + axis] = random_between(&random, -1, 1);
        }
        m->masses[i] = (float)(2 + i % 5) / 8;
    }
    for (uint32_t i = 0; i < COPIES * EDGES; i++) {
        const uint32_t first = i / EDGES * BODIES;
        m->springs[i] = (mote_spring){first + edge[i % EDGES][0],
                                      first + edge[i % EDGES][1],
                                      random_between(&random, 0.4f, 0.5f),
                                      stiffness * random_between(&random, 0.75f, 1.25f),
                                      damped ? random_between(&random, 0.25f, 0.5f) : 0,
                                      0};
    }
    m->def = mote_default_network_def();
    m->def.particle_count = copies * BODIES;
    m->def.positions = m->positions, m->def.velocities = m->velocities, m->def.particle_mass = m->masses;
    m->def.spring_count = copies * EDGES;
    m->def.springs = m->springs;
    m->def.growth_allowed = true;
    m->pinned = pinned;
}

static inline void mesh_force(mesh *m, mote_force_def force) { m->forces[m->force_count++] = force; }

/* Where the pins are at the end. */
static inline void mesh_target(const mesh *m, uint32_t body, float target[3]) {
    for (uint32_t axis = 0; axis < 3; axis++)
        target[axis] = m->positions[3 * body + axis] + 0.1f * (float)axis - 0.05f;
}

/* The engine: steps of 1/16 s. */
typedef struct mesh_run {
    mote_system *system;
    mote_network_id id;
} mesh_run;

static inline mesh_run start_mesh(const mesh *m, mote_integrator integrator, uint32_t steps,
                                  uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    mote_advance advance;
    def.capacity = 0;
    def.integrator = integrator;
    def.steps_per_second = (mote_rate){16, 1};
    def.substeps = substeps;
    mesh_run r = {.system = make_system(&def)};
    for (uint32_t i = 0; i < m->force_count; i++) add_force(r.system, m->forces[i]);
    r.id = add_network(r.system, &m->def);
    OK(mote_system_step(r.system, 0, &advance));
    for (uint32_t i = 0; i < m->def.particle_count && m->pinned; i += BODIES) {
        float target[3];
        mesh_target(m, i, target);
        OK(mote_network_pin(r.system, r.id, i, target, steps * advance.ticks_per_step));
    }
    return r;
}

static inline void read_body(const mesh_run *r, uint32_t body, double x[3], double v[3]) {
    for (uint32_t axis = 0; axis < 3; axis++) {
        x[axis] = (double)*column_of(r->system, r->id, body, axis);
        if (v) v[axis] = (double)*column_of(r->system, r->id, body, 3 + axis);
    }
}

/* The same in double. */
static inline reference_network *plain_mesh(const mesh *m, mote_integrator integrator, uint32_t steps,
                                            uint32_t substeps) {
    reference_network *n = reference_network_make(&m->def, true);
    reference_surroundings w = {.integrator = integrator,
                                .forces = m->forces,
                                .force_count = m->force_count,
                                .timestep = 1 / 16.0,
                                .substeps = substeps,
                                .ticks_per_step = 1000};
    for (uint32_t i = 0; i < m->def.particle_count && m->pinned; i += BODIES) {
        float target[3];
        mesh_target(m, i, target);
        reference_network_pin(n, i, target, 0, steps * w.ticks_per_step);
    }
    for (; w.step < steps; w.step++) reference_network_step(n, &w);
    return n;
}

/* Root of the mean square of the distances of the positions of the engine's network, or of another reference
 * (r: NULL), from those of a reference. */
static inline double error_of(const mesh_run *r, const reference_network *got,
                              const reference_network *exact) {
    double sum = 0;
    for (uint32_t i = 0; i < exact->count; i++) {
        double x[3];
        if (r)
            read_body(r, i, x, NULL);
        else
            memcpy(x, got->dx[i], sizeof x);
        for (int axis = 0; axis < 3; axis++) sum += pow(x[axis] - exact->dx[i][axis], 2);
    }
    return sqrt(sum / exact->count);
}

#endif
