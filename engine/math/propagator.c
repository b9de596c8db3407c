/* Matrix exponential of [[0, 1], [K, B]] h by Taylor series with scaling and squaring (Higham 2008, chapter
 * 10). Stores the difference D from the identity: D(2h) = 2 D + D D and p(2h) = 2 p + D p, with p the
 * integral that multiplies C. Uses only + * / and sqrt, so the bits are the same on every machine; those of
 * sin, cos and exp of a C library are not. */
#include "math/propagator.h"

#include "base/compiler.h"

/* Number of Taylor terms: at a norm of at most 1/2 the next ones are below 2^-60 of the sum. */
#define TERMS 16

typedef struct column {
    double x, v;
} column;

/* Returns the sum over n >= 1 of (M h)^n first! / (n + first)! applied to `start`, from the smallest term
 * up. */
static column series(double damping, double stiffness, double h, column start, int first) {
    column term[TERMS + 1] = {start};
    MOTE_UNROLLED
    for (int n = 1; n <= TERMS; n++) {
        double scale = h / (double)(n + first);
        term[n].x = scale * term[n - 1].v;
        term[n].v = scale * (stiffness * term[n - 1].x + damping * term[n - 1].v);
    }
    column sum = {0, 0};
    MOTE_UNROLLED
    for (int n = TERMS; n >= 1; n--) {
        sum.x += term[n].x;
        sum.v += term[n].v;
    }
    return sum;
}

mote_propagator mote_propagator_make(double damping, double stiffness, double h) {
    /* Scaling: halves h until the norm is at most 1/2. */
    double norm = __builtin_fabs(h) * (__builtin_fabs(damping) + __builtin_sqrt(__builtin_fabs(stiffness)));
    int doublings = 0;
    while (norm > 0.5 && doublings < 2000) {
        norm *= 0.5;
        h *= 0.5;
        doublings++;
    }
    /* Taylor series of the columns of D, and of p. */
    column dx = series(damping, stiffness, h, (column){1, 0}, 0);
    column dv = series(damping, stiffness, h, (column){0, 1}, 0);
    column c = series(damping, stiffness, h, (column){0, 1}, 1);
    mote_propagator d = {dx.x, dv.x, h * c.x, dx.v, dv.v, h * (1.0 + c.v)};
    /* Squaring: doubles the time as often as it was halved. */
    for (int i = 0; i < doublings; i++) {
        mote_propagator e;
        e.xx = 2 * d.xx + (d.xx * d.xx + d.xv * d.vx);
        e.xv = 2 * d.xv + (d.xx * d.xv + d.xv * d.vv);
        e.vx = 2 * d.vx + (d.vx * d.xx + d.vv * d.vx);
        e.vv = 2 * d.vv + (d.vx * d.xv + d.vv * d.vv);
        e.xc = 2 * d.xc + (d.xx * d.xc + d.xv * d.vc);
        e.vc = 2 * d.vc + (d.vx * d.xc + d.vv * d.vc);
        d = e;
    }
    return d;
}
