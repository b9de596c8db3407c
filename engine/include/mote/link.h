/* Links: springs from range to range, by which a net hangs from a rope. What is linked steps together, every
 * stage of the integrator with all of it, so that a link is integrated as a spring inside one network would
 * be. */
#ifndef MOTE_LINK_H
#define MOTE_LINK_H

#include <mote/strands.h>
#include <mote/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One end: a particle of a network, and `bundle` is {0, 0}; or a point of a bundle's strand, and `network`
 * is. */
typedef struct mote_link_end {
    mote_network_id network;
    uint32_t particle;
    mote_strands_id strands;
    uint32_t strand, point;
} mote_link_end;

/* Pulls a with F = (k (|d| - L) + c d'.n) n along n = d / |d|, d from a to b, and b with -F. An end may be
 * pinned. */
typedef struct mote_link {
    mote_link_end a, b;
    float rest_length; /* L, m, >= 0; MOTE_AS_PLACED: the present distance */
    float stiffness;   /* k, N/m, >= 0 */
    float damping;     /* c, kg/s along the link, >= 0 */
} mote_link;

#define MOTE_MAX_LINKS 4096u

/* Adds a link between any two ends that are not the same: network and bundle, two networks, two bundles, or
 * two places in one. The system's integrator steps it as a force. Where an end is held by constraints, those
 * of a robust bundle or a constrained network, the force is that of the substep's start, on both ends, and
 * the link is of first order; it is explicit then too, and stable only while h sqrt(k (1/ma + 1/mb)) stays
 * well below 2. The kinematic integrators take it as a force without a closed form. What turns non-finite
 * freezes what it is linked to, and a link at which something is frozen pulls no more; of the step in which
 * it froze, an impulse that is not finite, and the reaction of a pinned end to it, are told as 0.
 * mote_network_stability and MOTE_STABILITY_REFUSE do not count links, and energies leave theirs out.
 * Removing a network or a bundle removes its links. Errors: NULL, BUSY, ID (of an end), RANGE (an end that
 * names a network and a bundle, no such particle or point, the same end twice, a negative value), NOT_FINITE,
 * INTEGRATOR (a conserving bundle, a network with substeps of its own: MOTE_STABILITY_SUBSTEP), STABILITY
 * (growth_allowed of a network at its ends), CAPACITY (MOTE_MAX_LINKS), MEMORY (the first link reserves room
 * for all, each for the ranges that it joins). Cost: linked groups of strands and blocks of networks go
 * through every stage together, the links one after the other. */
MOTE_API mote_result mote_system_add_link(mote_system *system, const mote_link *link, mote_link_id *id);

/* Takes a link away. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_link(mote_system *system, mote_link_id id);

/* The link, its rest length resolved, and the impulse (N s) that it gave to end a in the last step, the
 * opposite of that to b. Either may be NULL. Errors: NULL (the system), BUSY, ID. */
MOTE_API mote_result mote_system_link(const mote_system *system, mote_link_id id, mote_link *link,
                                      float impulse[3]);

#ifdef __cplusplus
}
#endif
#endif
