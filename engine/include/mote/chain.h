/* The linear chain, exact: equal masses in a row, joined by equal springs, displaced along it. By its modes,
 * for any time: the reference for chains of springs. */
#ifndef MOTE_CHAIN_H
#define MOTE_CHAIN_H

#include <stdint.h>

#include <mote/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_chain_ends {
    MOTE_CHAIN_FIXED_FREE,  /* a spring from a wall to the first mass */
    MOTE_CHAIN_FIXED_FIXED, /* and one from the last mass to a wall */
    MOTE_CHAIN_FREE_FREE,   /* none */
    MOTE_CHAIN_ENDS_COUNT
} mote_chain_ends;

typedef struct mote_chain {
    mote_chain_ends ends;
    uint32_t count;   /* masses, >= 1 */
    double mass;      /* kg of each, > 0 */
    double stiffness; /* N/m of each spring, >= 0 */
} mote_chain;

/* The angular frequency (rad/s) of mode j = 1 .. count: w_j = 2 sqrt(k/m) sin(theta_j), theta_j = (2j - 1) pi
 * / (2 (2N + 1)) for fixed-free, j pi / (2 (N + 1)) for fixed-fixed, (j - 1) pi / (2N) for free-free. NaN for
 * anything else. Any thread. */
MOTE_API double mote_chain_frequency(const mote_chain *chain, uint32_t mode);

/* The state after `time` s (of any sign and size). displacement (m, from equilibrium) and velocity (m/s):
 * `count` each, replaced. A mode with w = 0 drifts: q + p t. Error: each mode's phase errs by up to 5 x 2^-53
 * w |t| rad, as w and w t are rounded (a millionth of a radian at w t = 10^9), the transforms by some 2^-52
 * of the state. The same bits on every machine. Errors: NULL, ENUM, RANGE (count, mass, stiffness or their
 * quotient), NOT_FINITE (also w t or a result). scratch: 2 count doubles that overlap neither. Any thread;
 * order count^2. Source: Fermi, Pasta & Ulam's linear case; e.g. Goldstein, Classical Mechanics, ch. 6. */
MOTE_API mote_result mote_chain_evolve(const mote_chain *chain, double time, double *displacement,
                                       double *velocity, double *scratch);

#ifdef __cplusplus
}
#endif
#endif
