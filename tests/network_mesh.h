/* Small networks for the tests of physics: copies of one island that start differently, in the engine and in
 * the double reference. */
#ifndef MOTE_TESTS_NETWORK_MESH_H
#define MOTE_TESTS_NETWORK_MESH_H

#include <math.h>
#include <string.h>

#include "reference_network.h"
#include "support.h"

/* The largest relative error of one float32 rounding. */
static const double UNIT = 0x1p-24;

static inline void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g within %.3g", got, want, tolerance);
}

enum { COPIES = 16, BODIES = 6, EDGES = 11, MESH_FORCES = 4 };

/* Islands of six bodies about 0.5 m apart. */
typedef struct mesh {
    mote_network_def def;
    float positions[3 * COPIES * BODIES], velocities[3 * COPIES * BODIES], masses[COPIES * BODIES];
    mote_spring springs[COPIES * EDGES];
    mote_force_def forces[MESH_FORCES];
    uint32_t force_count;
    bool pinned; /* the first body of each island is, and travels */
} mesh;

static inline void make_mesh(mesh *m, float stiffness, bool damped, bool pinned) {
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
    m->def.particle_count = COPIES * BODIES;
    m->def.positions = m->positions, m->def.velocities = m->velocities, m->def.masses = m->masses;
    m->def.spring_count = COPIES * EDGES;
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
    mote_force_id force;
    mote_advance advance;
    mesh_run r;
    def.capacity = 0;
    def.integrator = integrator;
    def.steps_per_second = (mote_rate){16, 1};
    def.substeps = substeps;
    assert_int_equal(mote_system_create(&def, &r.system), MOTE_OK);
    for (uint32_t i = 0; i < m->force_count; i++)
        assert_int_equal(mote_system_add_force(r.system, &m->forces[i], &force), MOTE_OK);
    assert_int_equal(mote_system_add_network(r.system, &m->def, &r.id, NULL), MOTE_OK);
    assert_int_equal(mote_system_step(r.system, 0, &advance), MOTE_OK);
    for (uint32_t i = 0; i < m->def.particle_count && m->pinned; i += BODIES) {
        float target[3];
        mesh_target(m, i, target);
        assert_int_equal(mote_network_pin(r.system, r.id, i, target, steps * advance.ticks_per_step),
                         MOTE_OK);
    }
    return r;
}

static inline void read_body(const mesh_run *r, uint32_t body, double x[3], double v[3]) {
    const mote_network_view view = mote_network_columns(r->system, r->id);
    const float *const column[6] = {view.position.x, view.position.y, view.position.z,
                                    view.velocity.x, view.velocity.y, view.velocity.z};
    for (int axis = 0; axis < 3; axis++) {
        x[axis] = (double)column[axis][view.slot[body]];
        if (v) v[axis] = (double)column[3 + axis][view.slot[body]];
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

/* Root of the mean square of the distances of positions, of the engine's network or of another reference,
 * from a reference. */
static inline double engine_error(const mesh_run *r, const reference_network *exact) {
    double sum = 0;
    for (uint32_t i = 0; i < exact->count; i++) {
        double x[3];
        read_body(r, i, x, NULL);
        for (int axis = 0; axis < 3; axis++) sum += pow(x[axis] - exact->dx[i][axis], 2);
    }
    return sqrt(sum / exact->count);
}

static inline double plain_error(const reference_network *got, const reference_network *exact) {
    double sum = 0;
    for (uint32_t i = 0; i < exact->count; i++)
        for (int axis = 0; axis < 3; axis++) sum += pow(got->dx[i][axis] - exact->dx[i][axis], 2);
    return sqrt(sum / exact->count);
}

#endif
