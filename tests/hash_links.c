/* The links' part of the fingerprint: a tangle of strands and networks, joined with each other and among
 * themselves, with springs and constraints on either side. Needs nothing but mote. */
#include "hash_links.h"
#include "hash_calls.h"
#include "hash_twins.h"

#include <stdio.h>

#include "link_scene.h"

typedef struct link_hash {
    const char *name;
    mote_integrator integrator;
    mote_strand_solver solver;
    mote_network_solver networks;
} link_hash;

static const link_hash hashes[] = {
    {"springs", MOTE_SEMI_IMPLICIT_EULER, MOTE_STRAND_SPRINGS, MOTE_NETWORK_SPRINGS},
    {"springs-rk4", MOTE_RK4, MOTE_STRAND_SPRINGS, MOTE_NETWORK_SPRINGS},
    {"springs-position-verlet", MOTE_POSITION_VERLET, MOTE_STRAND_SPRINGS, MOTE_NETWORK_SPRINGS},
    {"springs-kinematic", MOTE_KINEMATIC, MOTE_STRAND_SPRINGS, MOTE_NETWORK_SPRINGS},
    {"robust-pefrl", MOTE_PEFRL, MOTE_STRAND_ROBUST, MOTE_NETWORK_SPRINGS},
    {"constrained-rk4", MOTE_RK4, MOTE_STRAND_SPRINGS, MOTE_NETWORK_CONSTRAINED},
    {"robust-constrained", MOTE_SEMI_IMPLICIT_EULER, MOTE_STRAND_ROBUST, MOTE_NETWORK_CONSTRAINED},
    {"conserving-constrained", MOTE_SEMI_IMPLICIT_EULER, MOTE_STRAND_CONSERVING, MOTE_NETWORK_CONSTRAINED},
};

void print_link_hashes(mote_isa isa, mote_jobs jobs) {
    for (uint32_t i = 0; i < COUNT_OF(hashes); i++) {
        const link_hash *h = &hashes[i];
        const world w = {.integrator = h->integrator,
                         .substeps = 2,
                         .solver = h->solver,
                         .networks = h->networks,
                         .isa = isa,
                         .jobs = jobs,
                         .allocator = hash_allocator()};
        tangle t = make_tangle(&w, true);
        tie(&t);
        if (hash_twin_steps) t.system = hash_continue(t.system, make_tangle(&w, true).system);
        OK(mote_system_step(t.system, 8, NULL));
        printf("links/%s %016llx\n", h->name, (unsigned long long)mote_system_hash(t.system));
        hash_compare(t.system, hash_twin_steps ? make_tangle(&w, true).system : NULL);
    }
}
