/* The strands' part of the fingerprint: every solver with the parts that take other paths through it,
 * contacts, poses, pins, targets that change between frames. Needs nothing but mote. */
#include "hash_strands.h"

#include <stdio.h>

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
    {"conserving", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | FREE | HOSTILE},
    {"conserving-pinned", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | WILD | PINS | DRAG},
    {"conserving-contacts", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | COLLIDERS | POSE | FROM},
    {"conserving-far", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | FAR},
};

static uint64_t hash_of(const strand_hash *h, mote_isa isa, mote_jobs jobs) {
    const strand_scene s = {h->solver,     h->integrator, h->parts,   STRANDS,
                            .substeps = 3, .seed = 800,   .isa = isa, .jobs = jobs};
    mote_strands_id id;
    mote_system *system = make_strand_scene(&s, &id);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame) scene_aim(system, id, &s, frame, mote_system_steps(system) * scene_ticks(system));
        scene_check(mote_system_advance(system, FRAME_NANOSECONDS, NULL));
    }
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

void print_strand_hashes(mote_isa isa, mote_jobs jobs) {
    for (uint32_t i = 0; i < COUNT_OF(hashes); i++)
        printf("strands/%s %016llx\n", hashes[i].name, (unsigned long long)hash_of(&hashes[i], isa, jobs));
}
