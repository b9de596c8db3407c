/* Rods at rest under an acceleration a (mote_strands_def.rest_acceleration). A clamped rod is statically
 * determinate: with the force f[k] = sum of m[j] a over the points j > k, segment k has the tension
 * f[k] . t[k], and the moments (rod_frames.h) satisfy
 *     m[k] - m[k+1] = l[k] t[k] x f[k],  so that  m[k] = sum over j > k of (x[j] - x[k]) x m[j] a.
 * With the rotation R of frame k - 1 (of frame 0 at the clamp), c = conj(q[k-1]) q[k], W = 2 Im(c) and
 * w = Re(c) > 0 the moment is m = R (w y + v x y), where v = Im(c) and y = B (W - W0), B = diag(b, b', g).
 * Hence
 *     y = w M - v x M + v (v . M) / w,  M = R^T m,   and   W0 = W - y / B. */
#ifndef MOTE_STRANDS_EQUILIBRIUM_H
#define MOTE_STRANDS_EQUILIBRIUM_H

#include "base/check.h"
#include "strands/strands.h"

/* Joint k of a rod in its rest shape. */
typedef struct mote_rest_joint {
    double a[4];       /* q[k-1]; q[0] at the clamp */
    double c[4];       /* conj(a) q[k], Re(c) >= 0 */
    double moment[3];  /* m[k], N m */
    double force[3];   /* f[k], N */
    double tangent[3]; /* t[k] */
    double length;     /* l[k], m */
} mote_rest_joint;

/* Cursor over the joints of the strand in `lane`, from the tip to the root. */
typedef struct mote_rest_walk {
    const mote_strands *strands;
    uint32_t lane, joint; /* joint: number of `at`; one past the first at the start */
    mote_rest_joint at;
} mote_rest_walk;

mote_rest_walk mote_rest_begin(const mote_strands *strands, uint32_t lane);
/* Moves to the next joint; false: there is none. */
bool mote_rest_next(mote_rest_walk *walk);
MOTE_INLINE void mote_rest_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

MOTE_INLINE double mote_rest_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out = R(q) v = v + 2 w (u x v) + 2 u x (u x v), q = (u, w). */
MOTE_INLINE void mote_rest_turn(const double q[4], const double v[3], double out[3]) {
    double first[3], second[3];
    mote_rest_cross(q, v, first);
    mote_rest_cross(q, first, second);
    for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (q[3] * first[i] + second[i]);
}

/* Returns y of a joint; no finite numbers where the segments point against each other. */
MOTE_INLINE void mote_rest_strain(const mote_rest_joint *joint, double y[3]) {
    const double *v = joint->c, w = joint->c[3], *a = joint->a;
    double moment[3], turned[3];
    mote_rest_turn((const double[4]){-a[0], -a[1], -a[2], a[3]}, joint->moment, moment);
    mote_rest_cross(v, moment, turned);
    const double along = mote_rest_dot(v, moment) / w;
    for (int i = 0; i < 3; i++) y[i] = w * moment[i] - turned[i] + along * v[i];
}

/* c = a b */
MOTE_INLINE void mote_quaternion_compose(const double a[4], const double b[4], double c[4]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[3] * b[i] + b[3] * a[i] + a[j] * b[k] - a[k] * b[j];
    }
    c[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

MOTE_INLINE bool mote_strands_rests_under_load(const mote_strands *strands) {
    const float *a = strands->def.rest_acceleration;
    return strands->has_frames &&
           !(mote_float_is_zero(a[0]) && mote_float_is_zero(a[1]) && mote_float_is_zero(a[2]));
}

/* Sets rest_turn so that the rest shape is the equilibrium. Errors: RANGE (a joint without stiffness, one
 * that turns by half a turn, a rest turn that does not fit a float); *fault receives the point and the
 * parameter. */
mote_result mote_strands_balance(mote_strands *strands, const mote_strands_def *def, uint32_t lane,
                                 mote_strands_fault *fault);

/* Sets the tensions of the equilibrium. */
void mote_strands_rest_tensions(mote_strands *strands, uint32_t lane);

/* --- stability.c --- */

/* Returns the factor of mote_strands_stability for the strand in `lane`. */
double mote_strands_stiffness_factor(const mote_strands *strands, uint32_t lane);

#endif
