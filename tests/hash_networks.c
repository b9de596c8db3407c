/* The networks' part of the fingerprint: a net larger than a block, webs across lanes, random graphs whose
 * springs come, go, tear and are reeled between steps, pins that travel, every family of integrators,
 * constraints. Needs nothing but mote. */
#include "hash_networks.h"

#include <stdio.h>

#include "hash_calls.h"
#include "hash_twins.h"
#include "network_scene.h"

enum { FRAMES = 3 };
static const uint64_t FRAME = 3660000420; /* ns, of one step a second: 3.66 steps */

typedef struct network_hash {
    const char *name;
    mote_network_solver solver;
    mote_integrator integrator;
    uint32_t parts, count, island,
        rate; /* steps a second: so few that the network takes substeps of its own, or 60 */
} network_hash;

static const network_hash hashes[] = {
    {"webs", MOTE_NETWORK_SPRINGS, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | ALIKE | DAMPING | HOSTILE, 900, 12, 60},
    {"webs-rk4", MOTE_NETWORK_SPRINGS, MOTE_RK4, SYSTEM | ALIKE | MASSES | PINS | REELS | CALLBACKS, 700, 9,
     60},
    {"graph", MOTE_NETWORK_SPRINGS, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING | PINS | TEARS | REELS | EDITS,
     700, 150, 60},
    {"graph-explicit-euler", MOTE_NETWORK_SPRINGS, MOTE_EXPLICIT_EULER, SYSTEM | DAMPING | MASSES | EDITS,
     300, 40, 60},
    {"graph-midpoint", MOTE_NETWORK_SPRINGS, MOTE_MIDPOINT, STIFF | DAMPING | PINS | EDITS, 300, 40, 60},
    {"graph-rk4", MOTE_NETWORK_SPRINGS, MOTE_RK4, SYSTEM | COLLIDERS | PINS | TEARS | EDITS, 500, 90, 60},
    {"graph-velocity-verlet", MOTE_NETWORK_SPRINGS, MOTE_VELOCITY_VERLET,
     SYSTEM | MASSES | PINS | REELS | EDITS, 500, 90, 60},
    {"graph-position-verlet", MOTE_NETWORK_SPRINGS, MOTE_POSITION_VERLET, SYSTEM | DAMPING | TEARS | EDITS,
     500, 90, 8},
    {"graph-yoshida4", MOTE_NETWORK_SPRINGS, MOTE_YOSHIDA4, FIELDS | MASSES | PINS | EDITS, 300, 60, 60},
    {"graph-pefrl", MOTE_NETWORK_SPRINGS, MOTE_PEFRL, STIFF | FIELDS | REELS | HOSTILE, 300, 20, 60},
    {"graph-implicit-euler", MOTE_NETWORK_SPRINGS, MOTE_IMPLICIT_EULER,
     SYSTEM | STIFF | MASSES | PINS | EDITS, 300, 60, 60},
    {"graph-kinematic", MOTE_NETWORK_SPRINGS, MOTE_KINEMATIC, SYSTEM | STIFF | DAMPING | PINS | REELS | EDITS,
     300, 60, 60},
    {"graph-kinematic-average", MOTE_NETWORK_SPRINGS, MOTE_KINEMATIC_AVERAGE,
     SYSTEM | ALIKE | MASSES | DAMPING | EDITS, 300, 10, 60},
    {"graph-exact-flow", MOTE_NETWORK_SPRINGS, MOTE_EXACT_FLOW,
     SYSTEM | STIFF | CALLBACKS | PINS | TEARS | EDITS, 300, 60, 60},
    {"constrained", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | PINS | REELS | EDITS, 300,
     60, 60},
    {"constrained-levels", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | MASSES | DAMPING | PINS | TEARS | EDITS, 1500, 1200, 60},
    {"constrained-rigid", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | RIGID | MASSES | PINS | HOSTILE, 200, 14, 60},
    {"constrained-on-colliders", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | MASSES | DAMPING | PINS | COLLIDERS | EDITS, 300, 60, 60},
    {"constrained-contacts", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | RIGID | DAMPING | COLLIDERS | TEARS, 200, 20, 60},
};

static uint64_t hash_of(const network_hash *h, mote_isa isa, mote_jobs jobs) {
    static network_arrays arrays;
    const network_scene s = {.solver = h->solver,
                             .integrator = h->integrator,
                             .parts = h->parts,
                             .count = h->count,
                             .island = h->island,
                             .joined = h->parts & EDITS && h->island > 80,
                             .policy = h->rate < 60 ? MOTE_STABILITY_SUBSTEP : MOTE_STABILITY_REPORT,
                             .rate = {h->rate, 1},
                             .substeps = h->rate < 60 ? 1 : 3,
                             .seed = 810,
                             .isa = isa,
                             .jobs = jobs,
                             .allocator = hash_allocator()};
    mote_network_id id, other;
    mote_system *system = make_network_scene(&s, &arrays, &id, NULL);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (hash_twin_steps) system = hash_continue(system, make_network_scene(&s, &arrays, &other, NULL));
        if (frame && s.parts & EDITS) network_edit_all(system, id, &s, &arrays, 30 + frame, NULL);
        scene_check(mote_system_advance(system, FRAME / h->rate, NULL));
    }
    const uint64_t hash = mote_system_hash(system);
    hash_compare(system, hash_twin_steps ? make_network_scene(&s, &arrays, &other, NULL) : NULL);
    return hash;
}

/* --- A net --- */

enum { SIDE = 40, NETWORK_STEPS = 6 };

/* Along, down, both diagonals, two along, two down. */
static uint32_t network_springs(mote_spring *springs) {
    static const int ways[6][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}};
    uint32_t count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int way = 0; way < 6; way++) {
            const int x = i % SIDE + ways[way][0], y = i / SIDE + ways[way][1];
            if (x < 0 || x >= SIDE || y >= SIDE) continue;
            springs[count++] = (mote_spring){(uint32_t)i,       (uint32_t)(x + SIDE * y), MOTE_AS_PLACED,
                                             way < 2 ? 40 : 25, way < 2 ? 0.05f : 0,      0};
        }
    return count;
}

/* 40 x 40, hung from two corners, one of which travels. */
static uint64_t hash_of_net(mote_integrator integrator, mote_isa isa, mote_jobs jobs) {
    static float positions[3 * SIDE * SIDE];
    static mote_spring springs[6 * SIDE * SIDE];
    const network_scene s = {
        .integrator = integrator, .substeps = 2, .isa = isa, .jobs = jobs, .allocator = hash_allocator()};
    const mote_system_def def = network_system_def(&s);
    mote_network_def net = mote_default_network_def();
    mote_network_id id;
    mote_system *system;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        positions[3 * i] = 0.0625f * (float)(i % SIDE);
        positions[3 * i + 2] = 0.0625f * (float)(i / SIDE);
    }
    net.particle_count = SIDE * SIDE, net.positions = positions, net.mass = 0.05f;
    net.springs = springs, net.spring_count = network_springs(springs);
    scene_check(mote_system_create(&def, &system));
    hash_watch(system);
    scene_check(mote_system_add_network(system, &net, &id, NULL));
    scene_forces(system, SYSTEM);
    scene_check(mote_network_pin(system, id, 0, positions, 0));
    const uint64_t ticks = scene_ticks(system);
    scene_check(mote_network_pin(system, id, SIDE - 1, (float[3]){2, 0.1f, 0}, 4 * ticks));
    scene_check(mote_system_step(system, NETWORK_STEPS, NULL));
    const uint64_t hash = mote_system_hash(system);
    hash_compare(system, NULL);
    return hash;
}

void print_network_hashes(mote_isa isa, mote_jobs jobs) {
    printf("networks/net %016llx\n", (unsigned long long)hash_of_net(MOTE_SEMI_IMPLICIT_EULER, isa, jobs));
    printf("networks/net-rk4 %016llx\n", (unsigned long long)hash_of_net(MOTE_RK4, isa, jobs));
    for (uint32_t i = 0; i < COUNT_OF(hashes); i++)
        printf("networks/%s %016llx\n", hashes[i].name, (unsigned long long)hash_of(&hashes[i], isa, jobs));
}
