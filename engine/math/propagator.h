/* Exact flow of x' = v, v' = C + B v + K x over a time h, in one dimension. */
#ifndef MOTE_MATH_PROPAGATOR_H
#define MOTE_MATH_PROPAGATOR_H

/* Propagator: x(h) = x + (xx x + xv v + xc), v(h) = v + (vx x + vv v + vc), for C = 1; xc and vc scale with
 * C. The entries are differences from the identity, so that a short step or a weak force keeps its precision
 * when it is stored as float. */
typedef struct mote_propagator {
    double xx, xv, xc, vx, vv, vc;
} mote_propagator;

/* Makes the propagator for B in 1/s, K in 1/s^2, h in s. One formula covers under-, critical and
 * over-damping, B = 0 and K = 0. Error of an entry, relative to the largest of its row: about 2^-50 max(1,
 * |B| h, sqrt|K| h). */
mote_propagator mote_propagator_make(double damping, double stiffness, double h);

#endif
