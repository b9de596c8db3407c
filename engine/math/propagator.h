/* The exact flow of x' = v, v' = C + B v + K x over a time h, in one dimension. */
#ifndef MOTE_MATH_PROPAGATOR_H
#define MOTE_MATH_PROPAGATOR_H

/* x(h) = x + (xx x + xv v + xc), v(h) = v + (vx x + vv v + vc), for C = 1: xc and vc scale with C.
 * Differences from the identity, so that a short step or a weak force loses nothing when it is stored as
 * float. */
typedef struct mote_propagator {
    double xx, xv, xc, vx, vv, vc;
} mote_propagator;

/* B in 1/s, K in 1/s^2, h in s. Under-, critically and over-damped, B = 0 and K = 0 are one formula: no case
 * is special. Error of an entry, relative to the largest of its row: about 2^-50 max(1, |B| h, sqrt|K| h). */
mote_propagator mote_propagator_make(double damping, double stiffness, double h);

#endif
