/** @file
 * Links: springs between points of strands and particles of networks, for example to hang a net from a rope.
 * Linked ranges step in lockstep, every stage of the integrator in all of them, so that a link is integrated
 * as a spring inside one network would be. Particles of networks with MOTE_NETWORK_SPRINGS have their places
 * as floats: a link feels that rounding, 1 mm at 10 km, times its stiffness. Points of robust strands do not.
 */
#ifndef MOTE_LINK_H
#define MOTE_LINK_H

#include <mote/strands.h>
#include <mote/network.h>

/** One end of a link: a particle of a network, with strands {0, 0}, or a point of a strand, with network
 * {0, 0}. */
typedef struct mote_link_end {
    mote_network_id network; /**< {0, 0}: the end is a point of a strand */
    uint32_t particle;       /**< of the network */
    mote_strands_id strands; /**< {0, 0}: the end is a particle of a network */
    uint32_t strand,         /**< of the strands */
        point;               /**< of the strand */
} mote_link_end;

/** A spring that pulls end a with F = (k (|d| - L) + c d'.n) n, n = d / |d|, d from a to b, and end b with
 * -F. An end may be pinned. */
typedef struct mote_link {
    uint32_t cookie;   /**< set by mote_default_link */
    mote_link_end a,   /**< first end */
        b;             /**< second end, another one */
    float rest_length; /**< L, m, >= 0; MOTE_AS_PLACED: the present distance */
    float stiffness;   /**< k, N/m, >= 0 */
    float damping;     /**< c, kg/s along the link, >= 0 */
} mote_link;

/** Returns a link without ends: rest length as placed, no stiffness, no damping. */
MOTE_API mote_link mote_default_link(void);

/** Checks a link for a system. Returns the code that mote_system_add_link would return, except CAPACITY and
 * MEMORY. parameter: see mote_result; of an end "a" or "b". */
MOTE_API mote_result mote_system_link_check(const mote_system *system, const mote_link *link,
                                            const char **parameter);

#define MOTE_MAX_LINKS 4096u /**< links in a system */

/** Adds a link between two different ends: of a network and strands, of two networks, of two strands objects,
 * or of one object. The system's integrator steps it as a force.
 *
 * Where one end is held by constraints (robust strands, a constrained network), the force on both ends is
 * constant through the substep: that of one time, to which the velocities of the ends take them. The link is
 * then explicit and of first order, and stable only while h w, w = sqrt(k (1/ma + 1/mb)), is well below 2. A
 * body at rest on it stays there. The link keeps momentum exactly, but not always angular momentum: of two
 * bodies linked end to end that spin at 4 rad/s, a free rope of 9 points and a particle lose 5.9 / 3.1 / 1.6
 * / 0.8 % in 5 s at 4 / 8 / 16 / 32 substeps a step of 1/60 s, two rods 0.47 / 0.24 / 0.12 / 0.04 %, two
 * ropes none. The time is the one at which an undamped link keeps its swing: h/2 after the start for a free
 * point of robust or conserving strands without compliance and joints, and for one of springs under an
 * integrator of second order or a higher one or `kinematic-average`; h under explicit Euler; else the start,
 * also under position Verlet. Of two free ends with different times it is the later one. An undamped link
 * then loses some of its swing: by e^(-w^2 h t / 4) where that time is h/2 and the end whose own time is the
 * start is by far the lighter one. The kinematic integrators take the force as one without a closed form:
 * under `kinematic` a body hangs at rest with a velocity of -g h / 2.
 *
 * An end that turns non-finite freezes the strand or island at the other end if the link's force turns
 * non-finite in the same step; after the last evaluation of that force the other end keeps the step, and the
 * impulse of the link until then. From the next step on a link with a frozen end exerts no force. For the
 * step in which an end froze, an impulse of the link that is not finite, and the reaction of a pinned end to
 * it, are reported as 0. mote_network_stability and MOTE_STABILITY_REFUSE do not count links, and energies
 * omit theirs. Removing a network or strands removes their links.
 *
 * Errors: NULL, BUSY, DEF, ID (of an end), RANGE (an end that names a network and strands, no such particle
 * or point, the same end twice, a negative value), NOT_FINITE, INTEGRATOR (a network with substeps of its
 * own: MOTE_STABILITY_SUBSTEP), STABILITY (growth_allowed of a network at its ends), CAPACITY
 * (MOTE_MAX_LINKS), MEMORY. Cost of a step: linked lane groups of strands and blocks of networks run every
 * stage together, the links one after the other. */
MOTE_API mote_result mote_system_add_link(mote_system *system, const mote_link *link, mote_link_id *id);

/** Removes a link. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_link(mote_system *system, mote_link_id id);

/** Reads a link, its rest length resolved, and the impulse (N s) that it gave to end a in the last step, the
 * opposite of that to b. Either may be NULL. Errors: NULL (the system), BUSY, ID. */
MOTE_API mote_result mote_system_link(const mote_system *system, mote_link_id id, mote_link *link,
                                      float impulse[3]);

#endif
