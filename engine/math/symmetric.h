/* Largest eigenvalue of a symmetric 3 x 3 matrix by cyclic Jacobi rotations (Jacobi 1846; Golub & Van Loan,
 * Matrix Computations, 8.5). Each rotation makes one off-diagonal entry zero; a sweep of three rotations
 * squares the size of the remaining ones (quadratic convergence). */
#ifndef MOTE_MATH_SYMMETRIC_H
#define MOTE_MATH_SYMMETRIC_H

#include "base/compiler.h"

typedef struct mote_symmetric3 {
    double xx, yy, zz, xy, xz, yz;
} mote_symmetric3;

/* Applies one Jacobi rotation: diagonal entries p and q, the entry pq between them, and the entries pr and qr
 * with the third axis. */
MOTE_INLINE void mote_symmetric3_rotate(double *p, double *q, double *pq, double *pr, double *qr) {
    if (*pq == 0) return;
    /* Smaller root of tangent^2 + 2 slope tangent - 1 = 0: a rotation by at most pi/4. */
    const double slope = (*q - *p) / (2 * *pq), root = __builtin_sqrt(slope * slope + 1);
    const double tangent = 1 / (slope < 0 ? slope - root : slope + root),
                 cosine = 1 / __builtin_sqrt(tangent * tangent + 1);
    const double sine = tangent * cosine, r = *pr;
    *p -= tangent * *pq;
    *q += tangent * *pq;
    *pq = 0;
    *pr = cosine * r - sine * *qr;
    *qr = sine * r + cosine * *qr;
}

#define MOTE_SYMMETRIC3_SWEEPS 8

MOTE_INLINE double mote_symmetric3_largest(mote_symmetric3 m) {
    for (int sweep = 0; sweep < MOTE_SYMMETRIC3_SWEEPS; sweep++) {
        mote_symmetric3_rotate(&m.xx, &m.yy, &m.xy, &m.xz, &m.yz);
        mote_symmetric3_rotate(&m.xx, &m.zz, &m.xz, &m.xy, &m.yz);
        mote_symmetric3_rotate(&m.yy, &m.zz, &m.yz, &m.xy, &m.xz);
    }
    const double more = m.xx < m.yy ? m.yy : m.xx;
    return more < m.zz ? m.zz : more;
}

#endif
