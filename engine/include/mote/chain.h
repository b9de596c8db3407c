/** @file
 * Exact solution of the linear chain: equal masses in a row, joined by equal springs and displaced along the
 * row. It is computed from the normal modes for any time, and is the reference for chains of springs. */
#ifndef MOTE_CHAIN_H
#define MOTE_CHAIN_H

#include <stdint.h>

#include <mote/result.h>

/** Boundary conditions of a chain. */
typedef enum mote_chain_ends {
    MOTE_CHAIN_FIXED_FREE,  /**< a spring from a wall to the first mass; the last mass is free */
    MOTE_CHAIN_FIXED_FIXED, /**< a spring from a wall to the first mass, one from the last mass to a wall */
    MOTE_CHAIN_FREE_FREE,   /**< no walls */
    MOTE_CHAIN_ENDS_COUNT
} mote_chain_ends;

/** A chain. */
typedef struct mote_chain {
    mote_chain_ends ends; /**< boundary conditions */
    uint32_t count;       /**< masses, >= 1 */
    double mass;          /**< kg of each mass, > 0 */
    double stiffness;     /**< N/m of each spring, >= 0 */
} mote_chain;

/** Returns the angular frequency (rad/s) of mode j = 1 .. count: w_j = 2 sqrt(k/m) sin(theta_j), where
 * theta_j = (2j - 1) pi / (2 (2N + 1)) for fixed-free, j pi / (2 (N + 1)) for fixed-fixed and (j - 1) pi /
 * (2N) for free-free ends. NaN for any other mode and for an invalid chain. Any thread. */
MOTE_API double mote_chain_frequency(const mote_chain *chain, uint32_t mode);

/** Computes the state after a time (s, of any sign and size) by modal superposition. displacement (m, from
 * equilibrium) and velocity (m/s): count values each, replaced. A mode with w = 0 drifts: q + p t. scratch: 2
 * count doubles that overlap neither array. Error: the phase of each mode errs by up to 5 x 2^-53 w |t| rad,
 * because w and w t are rounded (a millionth of a radian at w t = 10^9), and the transforms by about 2^-52 of
 * the state. The same bits on every machine. Errors: NULL, ENUM, RANGE (count, mass, stiffness or their
 * quotient), NOT_FINITE (also w t or a result). Any thread. Cost: order count^2. Source: the linear case of
 * Fermi, Pasta & Ulam; e.g. Goldstein, Classical Mechanics, ch. 6. */
MOTE_API mote_result mote_chain_evolve(const mote_chain *chain, double time, double *displacement,
                                       double *velocity, double *scratch);

#endif
