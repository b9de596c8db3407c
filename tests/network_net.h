/* Networks that a test of physics builds particle by particle, each in a system of its own. */
#ifndef MOTE_TESTS_NETWORK_NET_H
#define MOTE_TESTS_NETWORK_NET_H

#include "test.h"
#include "network_base.h"

static const double PI = 3.14159265358979323846;
static const double GRAVITY = (double)9.81f;

enum { CAPACITY = 5184, SPRING_CAPACITY = 16384 };

/* A def with its arrays, and the system in which it is. */
typedef struct net {
    mote_network_def def;
    float positions[3 * CAPACITY], velocities[3 * CAPACITY], masses[CAPACITY];
    mote_spring springs[SPRING_CAPACITY];
    mote_system *system;
    mote_network_id id;
} net;

static inline void begin_net(net *n, mote_network_solver solver) {
    memset(n, 0, sizeof *n);
    n->def = mote_default_network_def();
    n->def.solver = solver;
    n->def.positions = n->positions, n->def.velocities = n->velocities, n->def.particle_mass = n->masses;
    n->def.springs = n->springs;
}

static inline uint32_t add_particle(net *n, double x, double y, double z, double mass) {
    const uint32_t i = n->def.particle_count++;
    ASSERT(i, <, CAPACITY);
    n->positions[3 * i] = (float)x, n->positions[3 * i + 1] = (float)y, n->positions[3 * i + 2] = (float)z;
    n->masses[i] = (float)mass;
    return i;
}

static inline void add_spring(net *n, uint32_t a, uint32_t b, float rest, float stiffness, float damping) {
    ASSERT(n->def.spring_count, <, SPRING_CAPACITY);
    n->springs[n->def.spring_count++] = (mote_spring){a, b, rest, stiffness, damping, 0};
}

/* A horizontal net, from x on; with diagonals it has more springs than three times its particles. */
typedef struct grid {
    uint32_t columns, rows;
    double x, spacing; /* m */
    double mass;       /* kg, of a particle */
    float stiffness;   /* N/m */
    bool diagonals;
} grid;

/* Returns the first particle of the net. */
static inline uint32_t add_grid(net *n, grid g) {
    const uint32_t first = n->def.particle_count, columns = g.columns;
    for (uint32_t i = 0; i < columns * g.rows; i++) {
        const uint32_t column = i % columns, row = i / columns,
                       at = add_particle(n, g.x + g.spacing * column, 0, g.spacing * row, g.mass);
        if (column) add_spring(n, at - 1, at, MOTE_AS_PLACED, g.stiffness, 0);
        if (row) add_spring(n, at - columns, at, MOTE_AS_PLACED, g.stiffness, 0);
        if (!g.diagonals || !row || !column) continue;
        add_spring(n, at - columns - 1, at, MOTE_AS_PLACED, g.stiffness, 0);
        add_spring(n, at - columns, at - 1, MOTE_AS_PLACED, g.stiffness, 0);
    }
    return first;
}

/* A rigid pair out of the way: all springs of the network are then solved on the multipliers. */
static inline void add_rigid_pair(net *n) {
    const uint32_t a = add_particle(n, 0, 0, 50, 1), b = add_particle(n, 1, 0, 50, 1);
    add_spring(n, a, b, MOTE_AS_PLACED, INFINITY, 0);
}

static inline mote_system_def rate_of(uint32_t rate, uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = (mote_rate){rate, 1};
    def.substeps = substeps;
    return def;
}

/* gravity: along -y, m/s^2. settings: NULL for the defaults. */
static inline void start_net(net *n, const mote_system_def *settings, double gravity) {
    mote_system_def def = settings ? *settings : mote_default_system_def();
    def.capacity = 0;
    n->system = make_system(&def);
    if (gravity != 0) add_force(n->system, mote_gravity((float[3]){0, (float)-gravity, 0}));
    n->id = add_network(n->system, &n->def);
}

static inline void step_net(const net *n, uint32_t steps) { OK(mote_system_step(n->system, steps, NULL)); }

static inline uint64_t step_ticks(const net *n) {
    mote_advance advance;
    OK(mote_system_step(n->system, 0, &advance));
    return advance.ticks_per_step;
}

static inline void pin_at(const net *n, uint32_t particle, double x, double y, double z, uint64_t tick) {
    OK(mote_network_pin(n->system, n->id, particle, (float[3]){(float)x, (float)y, (float)z}, tick));
}

static inline void pin_here(const net *n, uint32_t i) {
    OK(mote_network_pin(n->system, n->id, i, n->positions + 3 * i, 0));
}

static inline mote_network_step_report report_of(const net *n) { return step_report(n->system, n->id); }
static inline mote_statistics measured(const net *n) { return statistics_of(n->system, n->id); }

static inline double energy_of(const net *n) {
    const mote_statistics s = measured(n);
    return s.kinetic + s.elastic + s.potential;
}

/* Position (0, 1, 2) or velocity (3, 4, 5) of a particle. */
static inline float *coordinate(const net *n, uint32_t i, uint32_t column) {
    return column_of(n->system, n->id, i, column);
}

static inline double place_of(const net *n, uint32_t i, uint32_t column) {
    return (double)*coordinate(n, i, column);
}

static inline double reaction(const net *n, uint32_t i, uint32_t axis) {
    float impulse[3];
    OK(mote_network_reaction(n->system, n->id, i, impulse));
    return (double)impulse[axis];
}

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double apart(const double a[3], const double b[3]) {
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(dot(d, d));
}

#endif
