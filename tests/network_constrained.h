/* What the tests of the constrained solver of networks share: a network in a system of its own, and one
 * linear system of Newton's method, dense and in double. UNIT (rope.h) is one float32 rounding. */
#ifndef MOTE_TESTS_NETWORK_CONSTRAINED_H
#define MOTE_TESTS_NETWORK_CONSTRAINED_H

#include "test.h"
#include "rope.h"

enum { ROOM = 5184, SPRING_ROOM = 10240 };

/* A def with its arrays, and the system in which it is. */
typedef struct net {
    mote_network_def def;
    float positions[3 * ROOM], velocities[3 * ROOM], masses[ROOM];
    mote_spring springs[SPRING_ROOM];
    mote_system *system;
    mote_network_id id;
} net;

static inline void clear_net(net *n) {
    memset(n, 0, sizeof *n);
    n->def = mote_default_network_def();
    n->def.solver = MOTE_NETWORK_CONSTRAINED;
    n->def.positions = n->positions, n->def.velocities = n->velocities, n->def.masses = n->masses;
    n->def.springs = n->springs;
}

static inline uint32_t add_particle(net *n, double x, double y, double z, double mass) {
    const uint32_t i = n->def.particle_count++;
    ASSERT(i, <, ROOM);
    n->positions[3 * i] = (float)x, n->positions[3 * i + 1] = (float)y, n->positions[3 * i + 2] = (float)z;
    n->masses[i] = (float)mass;
    return i;
}

static inline void add_spring(net *n, uint32_t a, uint32_t b, float rest, float stiffness, float damping) {
    ASSERT(n->def.spring_count, <, SPRING_ROOM);
    n->springs[n->def.spring_count++] = (mote_spring){a, b, rest, stiffness, damping, 0};
}

/* A horizontal net, `size` m wide from x on; with diagonals it has more springs than three times its
 * particles. Returns its first. */
static inline uint32_t add_grid(net *n, uint32_t side, double x, double size, double mass, float stiffness,
                                bool diagonals) {
    const uint32_t first = n->def.particle_count;
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t at =
            add_particle(n, x + size * (i % side) / (side - 1), 0, size * (i / side) / (side - 1), mass);
        if (i % side) add_spring(n, at - 1, at, MOTE_AS_PLACED, stiffness, 0);
        if (i >= side) add_spring(n, at - side, at, MOTE_AS_PLACED, stiffness, 0);
        if (diagonals && i >= side && i % side)
            add_spring(n, at - side - 1, at, MOTE_AS_PLACED, stiffness, 0);
        if (diagonals && i >= side && i % side)
            add_spring(n, at - side, at - 1, MOTE_AS_PLACED, stiffness, 0);
    }
    return first;
}

/* A rigid pair out of the way: all springs of the network are then solved on the multipliers. */
static inline void add_rigid_pair(net *n) {
    const uint32_t a = add_particle(n, 0, 0, 50, 1), b = add_particle(n, 1, 0, 50, 1);
    add_spring(n, a, b, MOTE_AS_PLACED, INFINITY, 0);
}

static inline void start_net(net *n, const mote_system_def *settings, double gravity) {
    mote_system_def def = settings ? *settings : mote_default_system_def();
    const mote_force_def force = mote_gravity((vec3){0, (float)-gravity, 0});
    mote_force_id id;
    def.capacity = 0;
    assert_int_equal(mote_system_create(&def, &n->system), MOTE_OK);
    if (gravity != 0) assert_int_equal(mote_system_add_force(n->system, &force, &id), MOTE_OK);
    assert_int_equal(mote_system_add_network(n->system, &n->def, &n->id, NULL), MOTE_OK);
}

static inline mote_system_def rate_of(uint32_t rate, uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = (mote_rate){rate, 1};
    def.substeps = substeps;
    return def;
}

static inline void step_net(const net *n, uint32_t steps) {
    assert_int_equal(mote_system_step(n->system, steps, NULL), MOTE_OK);
}

static inline uint64_t step_ticks(const net *n) { return ticks_per_step(&(rope){n->system, {0, 0}}); }

static inline void pin_at(const net *n, uint32_t particle, double x, double y, double z, uint64_t tick) {
    assert_int_equal(mote_network_pin(n->system, n->id, particle, (vec3){(float)x, (float)y, (float)z}, tick),
                     MOTE_OK);
}

static inline void pin_here(const net *n, uint32_t i) {
    const float *x = n->positions + 3 * i;
    pin_at(n, i, (double)x[0], (double)x[1], (double)x[2], 0);
}

static inline mote_network_step_report told(const net *n) {
    mote_network_step_report report;
    assert_int_equal(mote_network_report(n->system, n->id, &report), MOTE_OK);
    return report;
}

static inline mote_statistics measured(const net *n) {
    mote_statistics s;
    assert_int_equal(mote_network_statistics(n->system, n->id, &s), MOTE_OK);
    return s;
}

static inline float *coordinate(const net *n, uint32_t i, int axis) {
    const mote_network_view v = mote_network_columns(n->system, n->id);
    float *const column[6] = {v.position.x, v.position.y, v.position.z,
                              v.velocity.x, v.velocity.y, v.velocity.z};
    return &column[axis][v.slot[i]];
}

static inline double place_of(const net *n, uint32_t i, int axis) { return (double)*coordinate(n, i, axis); }

static inline double reaction(const net *n, uint32_t i, int axis) {
    float impulse[3];
    assert_int_equal(mote_network_reaction(n->system, n->id, i, impulse), MOTE_OK);
    return (double)impulse[axis];
}

/* --- One linear system against a dense one in double --- */

enum { SMALL = 6, EDGES = 11, DENSE = 3 * SMALL };

typedef struct dense {
    int size;
    double a[DENSE][DENSE], b[DENSE], x[DENSE];
} dense;

/* Elimination without pivots: the matrices are positive definite. */
static inline void eliminate(const dense *of, const double *b, double *x) {
    static dense d;
    d = *of;
    memcpy(d.b, b, sizeof d.b);
    for (int k = 0; k < d.size; k++)
        for (int i = k + 1; i < d.size; i++) {
            const double f = d.a[i][k] / d.a[k][k];
            for (int j = k; j < d.size; j++) d.a[i][j] -= f * d.a[k][j];
            d.b[i] -= f * d.b[k];
        }
    for (int i = d.size - 1; i >= 0; i--) {
        x[i] = d.b[i];
        for (int j = i + 1; j < d.size; j++) x[i] -= d.a[i][j] * x[j];
        x[i] /= d.a[i][i];
    }
}

/* A spring at x*: direction, length, and how long it was when the substep began. */
typedef struct taut {
    double n[3], length, before;
} taut;

typedef struct problem {
    double h, mass[SMALL], x0[SMALL][3], goal[SMALL][3]; /* mass 0: pinned */
    taut taut[EDGES];
    double tolerance; /* m */
} problem;

static inline double length_of(double x[SMALL][3], const mote_spring *s, double d[3]) {
    for (int i = 0; i < 3; i++) d[i] = x[s->b][i] - x[s->a][i];
    return sqrt(dot(d, d));
}

/* (M + h^2 K) dx = h^2 F. A >= M and A <= kappa P, P its blocks: the conjugate gradients stop at |r| = 1e-5
 * |r0| in P^-1 and leave |e|_A^2 <= kappa r0 M^-1 r0 1e-10. Float32: 64 UNIT of r0 beside it, and 16 UNIT of
 * the places, of 1 m. */
static inline void solve_compliant(const net *n, problem *p) {
    static dense d;
    double load[SMALL], kappa = 1, start = 0, least = 1e9;
    memset(&d, 0, sizeof d);
    d.size = DENSE;
    for (int i = 0; i < SMALL; i++) load[i] = 0;
    for (int i = 0; i < DENSE; i++) d.a[i][i] = p->mass[i / 3] > 0 ? p->mass[i / 3] : 1;
    for (uint32_t k = 0; k < n->def.spring_count; k++) {
        const mote_spring *s = &n->springs[k];
        const taut *t = &p->taut[k];
        const double along = (double)s->stiffness + (double)s->damping / p->h;
        const double rate = (double)s->damping / p->h * (t->length - t->before);
        const double tension = (double)s->stiffness * (t->length - (double)s->rest_length) + rate;
        const double across = tension > 0 ? tension / t->length : 0;
        const uint32_t end[2] = {s->a, s->b};
        for (int u = 0; u < 2; u++) {
            if (!(p->mass[end[u]] > 0)) continue;
            load[end[u]] += p->h * p->h * along;
            for (int i = 0; i < 3; i++) {
                d.b[3 * end[u] + (uint32_t)i] += (u ? -1 : 1) * p->h * p->h * tension * t->n[i];
                for (int j = 0; j < 3; j++) {
                    const double value =
                        p->h * p->h * ((along - across) * t->n[i] * t->n[j] + (i == j ? across : 0));
                    d.a[3 * end[u] + (uint32_t)i][3 * end[u] + (uint32_t)j] += value;
                    if (p->mass[end[1 - u]] > 0)
                        d.a[3 * end[u] + (uint32_t)i][3 * end[1 - u] + (uint32_t)j] -= value;
                }
            }
        }
    }
    eliminate(&d, d.b, d.x);
    for (int i = 0; i < DENSE; i++) {
        if (!(p->mass[i / 3] > 0)) continue;
        p->goal[i / 3][i % 3] += d.x[i];
        start += d.b[i] * d.b[i] / p->mass[i / 3];
        kappa = fmax(kappa, 1 + load[i / 3] / p->mass[i / 3]);
        least = fmin(least, p->mass[i / 3]);
    }
    p->tolerance = sqrt(kappa / least * start) * (1e-5 + 64 * UNIT) + 16 * UNIT * kappa;
}

/* (J W J^T + a) dmu = -(C + ...), where the tension -mu / h^2 is k C + (c / h) (C - C0). e A e <= r D^-1 r /
 * least, D the diagonal; 1 / least <= the trace of the inverse of D^-1/2 A D^-1/2; the particles move by no
 * more than e A e. Float32: 64 UNIT of r0 beside it, and 16 UNIT m of the lengths. */
static inline void solve_rigid(const net *n, problem *p) {
    static dense d;
    const int count = (int)n->def.spring_count;
    double trace = 0, start = 0, rounding = 0, least = 1e9;
    memset(&d, 0, sizeof d);
    d.size = count;
    for (int k = 0; k < count; k++) {
        const mote_spring *s = &n->springs[k];
        const double stiffness = (double)s->stiffness + (double)s->damping / p->h,
                     rest = (double)s->rest_length;
        d.a[k][k] = 1 / (p->h * p->h * stiffness);
        d.b[k] =
            -(p->taut[k].length - rest) + (double)s->damping / p->h / stiffness * (p->taut[k].before - rest);
        for (int m = 0; m < count; m++) {
            const mote_spring *o = &n->springs[m];
            const double along = dot(p->taut[k].n, p->taut[m].n);
            for (uint32_t i = 0; i < SMALL; i++) {
                const int own = (s->b == i) - (s->a == i), other = (o->b == i) - (o->a == i);
                if (p->mass[i] > 0) d.a[k][m] += own * other * along / p->mass[i];
            }
        }
    }
    eliminate(&d, d.b, d.x);
    for (int k = 0; k < count; k++) {
        double unit[DENSE] = {0}, column[DENSE];
        unit[k] = 1;
        eliminate(&d, unit, column);
        trace += column[k] * d.a[k][k];
        start += d.b[k] * d.b[k] / d.a[k][k];
        rounding += pow(16 * UNIT, 2) / d.a[k][k];
    }
    for (uint32_t i = 0; i < SMALL; i++) {
        if (!(p->mass[i] > 0)) continue;
        least = fmin(least, p->mass[i]);
        for (int k = 0; k < count; k++)
            for (int axis = 0; axis < 3; axis++)
                p->goal[i][axis] += ((n->springs[k].b == i) - (n->springs[k].a == i)) * p->taut[k].n[axis] *
                                    d.x[k] / p->mass[i];
    }
    p->tolerance = sqrt(trace / least) * (sqrt(start) * (1e-5 + 64 * UNIT) + sqrt(rounding));
}

/* A random web of which two bodies are pinned, and one of those travels. */
static inline void make_small(net *n, uint64_t seed, bool rigid, bool damped) {
    static const uint32_t edge[EDGES][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 2},
                                            {1, 3}, {2, 4}, {3, 5}, {1, 4}, {0, 3}};
    random_source random = {seed};
    clear_net(n);
    n->def.max_iterations = 1, n->def.max_linear = 4096, n->def.max_strain = 1e-7f;
    for (uint32_t i = 0; i < SMALL; i++) {
        double x[3];
        for (uint32_t k = 0; k < 3; k++) {
            x[k] = (double)random_between(&random, -0.6f, 0.6f);
            n->velocities[3 * i + k] = random_between(&random, -1, 1);
        }
        add_particle(n, x[0], x[1], x[2], (double)random_between(&random, 0.5f, 2));
    }
    for (uint32_t k = 0; k < (rigid ? EDGES - 3 : EDGES); k++)
        add_spring(n, edge[k][0], edge[k][1], random_between(&random, 0.5f, 0.8f),
                   rigid && k % 3 == 0 ? INFINITY : random_between(&random, 200, 2000),
                   damped && k % 2 ? random_between(&random, 1, 20) : 0);
}

#endif
