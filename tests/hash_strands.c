/* The strands' part of the fingerprint: every solver with the parts that take other paths through it,
 * contacts, poses, pins, targets that change between frames. Needs nothing but mote. */
#include "hash_strands.h"

#include <stdio.h>

#include "hash_calls.h"
#include "hash_twins.h"
#include "strand_scene.h"

enum { STRANDS = 37, FRAMES = 3, FRAME_NANOSECONDS = 61000007 };

typedef struct strand_hash {
    const char *name;
    mote_strand_solver solver;
    mote_integrator integrator;
    uint32_t parts;
} strand_hash;

static const strand_hash hashes[] = {
    {"springs", MOTE_STRAND_SPRINGS, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING | HOSTILE},
    {"springs-rk4", MOTE_STRAND_SPRINGS, MOTE_RK4, SYSTEM | DAMPING | DRAG | CALLBACKS | PINS},
    {"springs-pefrl", MOTE_STRAND_SPRINGS, MOTE_PEFRL, FIELDS | STIFF},
    {"springs-velocity-verlet", MOTE_STRAND_SPRINGS, MOTE_VELOCITY_VERLET, SYSTEM | COLLIDERS | DRAG},
    {"springs-position-verlet", MOTE_STRAND_SPRINGS, MOTE_POSITION_VERLET, SYSTEM | FIELDS | FREE},
    {"springs-kinematic", MOTE_STRAND_SPRINGS, MOTE_KINEMATIC, SYSTEM | STIFF | DAMPING},
    {"springs-exact-flow", MOTE_STRAND_SPRINGS, MOTE_EXACT_FLOW, SYSTEM | STIFF | CALLBACKS},
    {"springs-poses", MOTE_STRAND_SPRINGS, MOTE_MIDPOINT, SYSTEM | POSE | WILD | DAMPING},
    {"rigid", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | STIFF | HOSTILE},
    {"rigid-pinned", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | WILD | PINS | CAP},
    {"rigid-contacts", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | COLLIDERS | FIELDS},
    {"compliant", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING | PINS | DRAG | HOSTILE},
    {"compliant-contacts", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | COLLIDERS | CALLBACKS},
    {"rods", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | RODS | HOSTILE},
    {"rods-pinned", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | RODS | WILD | PINS | CAP},
    {"rods-framed", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | RODS | FRAMED | DRAG | CALLBACKS | FREE},
    {"rods-contacts", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | RODS | FRAMED | COLLIDERS | PINS | FROM},
    {"rods-flat", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | RODS | FRAMED | FLAT | PINS | HOSTILE},
    {"rods-flat-contacts", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | RODS | FRAMED | FLAT | COLLIDERS | DRAG},
    {"conserving", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | FREE | HOSTILE},
    {"conserving-pinned", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | WILD | PINS | DRAG},
    {"conserving-contacts", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | COLLIDERS | POSE | FROM},
    {"conserving-far", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | FAR},
};

static uint64_t hash_of(const strand_hash *h, mote_isa isa, mote_jobs jobs) {
    const strand_scene s = {h->solver,  h->integrator, h->parts,
                            STRANDS,    .substeps = 3, .seed = 800,
                            .isa = isa, .jobs = jobs,  .allocator = hash_allocator()};
    mote_strands_id id, other;
    mote_system *system = make_strand_scene(&s, &id);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (hash_twin_steps) system = hash_continue(system, make_strand_scene(&s, &other));
        if (frame) scene_aim(system, id, &s, frame, mote_system_steps(system) * scene_ticks(system));
        scene_check(mote_system_advance(system, FRAME_NANOSECONDS, NULL));
    }
    const uint64_t hash = mote_system_hash(system);
    hash_compare(system, hash_twin_steps ? make_strand_scene(&s, &other) : NULL);
    return hash;
}

/* Curls that rest under a load and are then shaken, and the factors of their stiffness. */
static uint64_t hash_of_curls(float ratio, mote_isa isa, mote_jobs jobs) {
    enum { CURLS = 21, POINTS = 12 };
    static const float square[8] = {0, 3, 4, 3, 0, -3, -4, -3}; /* a helix of eight corners */
    static float positions[CURLS][POINTS][3];
    for (uint32_t i = 0; i < CURLS; i++)
        for (uint32_t k = 0; k < POINTS; k++) {
            positions[i][k][0] = 0.004f * square[(k + i) % 8] + 0.1f * (float)i;
            positions[i][k][1] = 0.004f * square[(k + i + 2) % 8];
            positions[i][k][2] = 0.001f * (float)(i + 5) * (float)k;
        }
    mote_system_def system_def = mote_default_system_def();
    system_def.allocator = hash_allocator(), system_def.capacity = 0, system_def.isa = isa,
    system_def.jobs = jobs;
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 8, def.strand_count = CURLS, def.points = POINTS, def.positions = positions[0][0];
    def.bending_stiffness = 2e-6f, def.twisting_stiffness = 1e-6f;
    def.bending_ratio = ratio;
    def.rest_acceleration[0] = 1, def.rest_acceleration[1] = -9.81f;
    mote_system *system;
    mote_strands_id id;
    mote_force_id force;
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    const mote_transform to = {{0.05f, 0.02f, 0}, {0.125f, 0, 0.25f, 1}};
    scene_check(mote_system_create(&system_def, &system));
    hash_watch(system);
    scene_check(mote_system_add_force(system, &gravity, &force));
    scene_check(mote_system_add_strands(system, &def, &id, NULL));
    uint64_t hash = 0;
    for (uint32_t i = 0; i < CURLS; i++) {
        double factor;
        scene_check(mote_strands_stability(system, id, i, &factor));
        hash = 31 * hash + (uint64_t)(factor * 0x1p40);
    }
    scene_check(mote_strands_set_roots(system, id, &to, 1, MOTE_NEXT_ADVANCE));
    scene_check(mote_system_advance(system, 6 * FRAME_NANOSECONDS, NULL));
    hash += mote_system_hash(system);
    hash_compare(system, NULL);
    return hash;
}

void print_strand_hashes(mote_isa isa, mote_jobs jobs) {
    for (uint32_t i = 0; i < COUNT_OF(hashes); i++)
        printf("strands/%s %016llx\n", hashes[i].name, (unsigned long long)hash_of(&hashes[i], isa, jobs));
    printf("strands/rods-at-rest %016llx\n", (unsigned long long)hash_of_curls(1, isa, jobs));
    printf("strands/rods-flat-at-rest %016llx\n", (unsigned long long)hash_of_curls(5, isa, jobs));
}
