/* Graphs of springs at rest for the tests of stability, and the matrix of one substep of them. */
#ifndef MOTE_TESTS_NETWORK_LIMITS_H
#define MOTE_TESTS_NETWORK_LIMITS_H

#include "test.h"
#include <stdio.h>

#include "network_base.h"
#include "reference_network.h"

#define FOR_EACH_INTEGRATOR(m)                                                                               \
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++)                                              \
        if (!advects(m))

/* Infinities are equal. */
static inline void expect_within(double got, double want, double relative) {
    if (got != want) ASSERT_NEAR(got, want, relative * fabs(want));
}

enum { MOST_PARTICLES = 256, MOST_SPRINGS = 2048, MOST_PINS = 4 };

typedef struct graph {
    char name[80];
    uint32_t particles, springs, pins, axes; /* axes: in which it extends and moves */
    float positions[3 * MOST_PARTICLES], masses[MOST_PARTICLES];
    mote_spring spring[MOST_SPRINGS];
    uint32_t pin[MOST_PINS];
    bool damped;
} graph;

static inline void graph_begin(graph *g, const char *name, uint32_t particles, uint32_t axes) {
    memset(g, 0, sizeof *g);
    snprintf(g->name, sizeof g->name, "%s", name);
    g->particles = particles, g->axes = axes;
    for (uint32_t i = 0; i < particles; i++) g->masses[i] = 1;
}

static inline void graph_spring(graph *g, uint32_t a, uint32_t b, float stiffness, float damping) {
    g->spring[g->springs++] = (mote_spring){a, b, MOTE_AS_PLACED, stiffness, damping, 0};
    g->damped |= damping > 0;
}

/* A net: structural, shear and bend springs. Its meshes are squares, and two corners are pinned; or `oblong`,
 * 3 by 4, so that every length is a whole number and it is at rest to the last bit, and free. */
static inline void make_net(graph *g, const char *name, uint32_t side, bool oblong, const float stiffness[3],
                            const float damping[3]) {
    static const int32_t step[6][3] = {{1, 0, 0},  {0, 1, 0}, {1, 1, 1},
                                       {1, -1, 1}, {2, 0, 2}, {0, 2, 2}}; /* x, y, kind */
    graph_begin(g, name, side * side, 2);
    for (uint32_t i = 0; i < side * side; i++) {
        g->positions[3 * i] = (oblong ? 3 : 1) * (float)(i % side);
        g->positions[3 * i + 1] = (oblong ? 4 : 1) * (float)(i / side);
        for (int s = 0; s < 6; s++) {
            const int32_t x = (int32_t)(i % side) + step[s][0], y = (int32_t)(i / side) + step[s][1],
                          kind = step[s][2];
            if (x >= (int32_t)side || y < 0 || y >= (int32_t)side || stiffness[kind] + damping[kind] == 0)
                continue;
            graph_spring(g, i, (uint32_t)y * side + (uint32_t)x, stiffness[kind], damping[kind]);
        }
    }
    g->pin[0] = 0, g->pin[1] = side - 1, g->pins = oblong ? 0 : 2;
}

/* Masses: all 1, 1 and 9 in turn, or any between 1/4 and 4. */
enum { MASSES_EQUAL, MASSES_IN_TURN, MASSES_ANY, MASS_KINDS };

static inline void make_chain(graph *g, uint32_t count, int masses, uint32_t pins, float stiffness,
                              float damping) {
    char name[80];
    random_source random = {91};
    snprintf(name, sizeof name, "chain, masses %d, pins %u, damping %g", masses, (unsigned)pins,
             (double)damping);
    graph_begin(g, name, count, 1);
    for (uint32_t i = 0; i < count; i++) {
        g->positions[3 * i] = (float)i;
        if (masses == MASSES_IN_TURN && i % 2) g->masses[i] = 9;
        if (masses == MASSES_ANY) g->masses[i] = exp2f(random_between(&random, -2, 2));
        if (i > 0) graph_spring(g, i - 1, i, stiffness, damping);
    }
    for (uint32_t i = 0; i < pins; i++) g->pin[g->pins++] = i ? count - 1 : 0;
}

/* Particles anywhere in a square, each joined to its predecessor, and some more pairs; two pins hold it.
 * damping: the least and the largest ratio of damping over stiffness, s; least < 0: some springs have no
 * damping, some no stiffness. */
static inline void make_random(graph *g, uint64_t seed, float least, float most) {
    random_source random = {seed};
    char name[80];
    snprintf(name, sizeof name, "random %u, ratios %g to %g", (unsigned)seed, (double)least, (double)most);
    graph_begin(g, name, 3 + random_below(&random, 6), 2);
    for (uint32_t i = 0; i < g->particles; i++) {
        for (uint32_t axis = 0; axis < 2; axis++) g->positions[3 * i + axis] = random_between(&random, -1, 1);
        g->masses[i] = exp2f(random_between(&random, -2, 2));
    }
    const uint32_t springs = 3 * g->particles;
    for (uint32_t i = 0; i < springs; i++) {
        const uint32_t a = i < g->particles - 1 ? i : random_below(&random, g->particles);
        const uint32_t b =
            i < g->particles - 1 ? i + 1 : (a + 1 + random_below(&random, g->particles - 1)) % g->particles;
        float k = exp2f(random_between(&random, -4, 4)),
              ratio = random_between(&random, fmaxf(least, 0), most), c = k * ratio;
        if (least < 0 && i % 3 == 0) c = 0;
        if (least < 0 && i % 7 == 0) k = 0;
        graph_spring(g, a, b, k, c);
    }
    g->pin[0] = 0, g->pin[1] = g->particles - 1, g->pins = 2;
}

static inline mote_network_def graph_def(const graph *g) {
    mote_network_def def = mote_default_network_def();
    def.particle_count = g->particles;
    def.positions = g->positions;
    def.particle_mass = g->masses;
    def.spring_count = g->springs;
    def.springs = g->spring;
    def.growth_allowed = true;
    return def;
}

/* The graph in a system of 60 steps a second, with its pins. */
static inline mote_system *graph_system(const graph *g, mote_integrator integrator, mote_network_id *id) {
    mote_system_def def = mote_default_system_def();
    const mote_network_def network = graph_def(g);
    def.capacity = 1, def.integrator = integrator;
    mote_system *system = make_system(&def);
    *id = add_network(system, &network);
    for (uint32_t i = 0; i < g->pins; i++)
        OK(mote_network_pin(system, *id, g->pin[i], &g->positions[3 * g->pin[i]], 0));
    return system;
}

static inline mote_network_stability_report stability_of_graph(const graph *g, mote_integrator integrator) {
    mote_network_id id;
    mote_system *system = graph_system(g, integrator, &id);
    const mote_network_stability_report report = stability_of(system, id);
    mote_system_destroy(system);
    return report;
}

/* --- The matrix of a substep --- */

typedef struct step_matrix {
    uint32_t size;        /* states: positions, then velocities, of the particles that move */
    double *entry, *work; /* size^2 */
} step_matrix;

static inline step_matrix matrix_make(uint32_t size) {
    step_matrix m = {size, calloc((size_t)size * size, sizeof(double)),
                     calloc((size_t)size * size, sizeof(double))};
    assert_non_null(m.entry);
    assert_non_null(m.work);
    return m;
}

static inline void matrix_free(step_matrix *m) {
    free(m->entry);
    free(m->work);
}

static inline double *state_of(reference_network *n, const graph *g, const uint32_t *moving, uint32_t count,
                               uint32_t i) {
    reference_triple *column = i < count * g->axes ? n->dx : n->dv;
    const uint32_t local = i % (count * g->axes);
    return &column[moving[local / g->axes]][local % g->axes];
}

/* By central differences in the double reference, which shares no code with the engine: errors of some 1e-10
 * of an entry. */
static inline step_matrix substep_matrix(const graph *g, mote_integrator integrator, double h) {
    const double apart = 1e-5;
    const mote_network_def def = graph_def(g);
    reference_surroundings around = {
        .integrator = integrator, .timestep = h, .substeps = 1, .ticks_per_step = 1000};
    reference_network *n = reference_network_make(&def, true);
    uint32_t moving[MOST_PARTICLES], count = 0;
    for (uint32_t i = 0; i < g->pins; i++)
        reference_network_pin(n, g->pin[i], &g->positions[3 * g->pin[i]], 0, 0);
    for (uint32_t i = 0; i < g->particles; i++)
        if (n->mass[i] > 0) moving[count++] = i;
    step_matrix m = matrix_make(2 * count * g->axes);
    for (uint32_t column = 0; column < m.size; column++)
        for (int side = -1; side <= 1; side += 2) {
            for (uint32_t i = 0; i < g->particles; i++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    n->dx[i][axis] = (double)g->positions[3 * i + axis], n->dv[i][axis] = 0;
            *state_of(n, g, moving, count, column) += side * apart;
            n->started = true, n->last_substeps = 1; /* position Verlet is under way */
            reference_network_step(n, &around);
            for (uint32_t row = 0; row < m.size; row++) {
                const double base =
                    row < m.size / 2 ? (double)g->positions[3 * moving[row / g->axes] + row % g->axes] : 0;
                m.entry[row * m.size + column] +=
                    side * (*state_of(n, g, moving, count, row) - base) / (2 * apart);
            }
        }
    reference_network_destroy(n);
    return m;
}

/* Log of the largest entry of the matrix to the power 2^SQUARINGS, by squaring, or to a lower power where the
 * result is clear already. A free drift makes it grow by the power itself, whose log is 11 here, and the
 * eccentricity of the motions adds to it. */
#define SQUARINGS     16
#define DRIFT_AT_MOST 18
#define CLEAR         60

static inline double log_of_power(step_matrix *m) {
    const uint32_t n = m->size;
    double scale = 0;
    for (int turn = 0; turn < SQUARINGS && fabs(scale) < CLEAR; turn++) {
        double largest = 0;
        memset(m->work, 0, (size_t)n * n * sizeof *m->work);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                const double factor = m->entry[i * n + k];
                for (uint32_t j = 0; j < n; j++) m->work[i * n + j] += factor * m->entry[k * n + j];
            }
        for (uint32_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(m->work[i]));
        if (!(largest < HUGE_VAL)) return HUGE_VAL;
        if (largest == 0) return -HUGE_VAL;
        scale = 2 * scale + log(largest);
        for (uint32_t i = 0; i < n * n; i++) m->entry[i] = m->work[i] / largest;
    }
    return scale;
}

/* Whether it grows by more than 3e-4 a step. */
static inline bool graph_grows(const graph *g, mote_integrator integrator, double h) {
    step_matrix m = substep_matrix(g, integrator, h);
    const bool grows = log_of_power(&m) > DRIFT_AT_MOST;
    matrix_free(&m);
    return grows;
}

#endif
