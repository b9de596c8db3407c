/* Stability of rods at rest under an acceleration. The potential energy is that of the joints (rod_frames.h)
 * less the work of the forces, sum of l[k] f[k] . t[k], a function of the turns of the segments alone. Its
 * second derivative with respect to turns (rotation vectors) w[k] of frame k, in the notation of
 * equilibrium.h:
 *
 *     joint k:    K = R (J^T B J - (y . v) / 2) R^T,  J = w - [v]x,  on w[k] - w[k-1],
 *                 and w[k-1]^T [m]x w[k];
 *     segment k:  l ((f . t) I - (f t^T + t f^T) / 2).
 *
 * A factor s of all stiffnesses, with W0 computed anew, multiplies J^T B J and nothing else, because y
 * follows from the moment. So the matrix is s A + G with A positive definite: positive definite from one s
 * on. */
#include <math.h>
#include <string.h>

#include "strands/equilibrium.h"

typedef double matrix3[3][3];

/* m += scale (a b^T) */
static void add_product(matrix3 m, double scale, const double a[3], const double b[3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] += scale * a[i] * b[j];
}

static void add_diagonal(matrix3 m, double value) {
    for (int i = 0; i < 3; i++) m[i][i] += value;
}

/* K of a joint: the rows of J, turned by R, are w e - e x v with the frame's axes e. */
static void joint_stiffness(const mote_rest_joint *joint, const double stiffness[3], matrix3 k) {
    double y[3], v[3], strain = 0;
    memset(k, 0, sizeof(matrix3));
    mote_rest_strain(joint, y);
    mote_rest_turn(joint->a, joint->c, v);
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0, 0, 0}, e[3], row[3];
        axis[i] = 1, strain += y[i] * joint->c[i];
        mote_rest_turn(joint->a, axis, e);
        for (int j = 0; j < 3; j++) {
            const int n = (j + 1) % 3, p = (j + 2) % 3;
            row[j] = joint->c[3] * e[j] - (e[n] * v[p] - e[p] * v[n]);
        }
        add_product(k, stiffness[i], row, row);
    }
    add_diagonal(k, -0.5 * strain);
}

static void add_weight(const mote_rest_joint *joint, matrix3 m) {
    const double *f = joint->force, *t = joint->tangent, l = joint->length;
    add_diagonal(m, l * (f[0] * t[0] + f[1] * t[1] + f[2] * t[2]));
    add_product(m, -0.5 * l, f, t);
    add_product(m, -0.5 * l, t, f);
}

/* Cholesky decomposition m = L L^T, in the lower triangle. Returns whether m is positive definite. */
static bool decompose(matrix3 m) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int n = 0; n < j; n++) sum -= m[i][n] * m[j][n];
            if (i == j && !(sum > 0)) return false;
            m[i][j] = i == j ? __builtin_sqrt(sum) : sum / m[j][j];
        }
    return true;
}

/* next -= O m^-1 O^T, O = [moment]x / 2 - k: the block of segment k - 1 beside k. m is decomposed. */
static void eliminate(matrix3 m, matrix3 k, const double moment[3], matrix3 next) {
    const double half[3] = {0.5 * moment[0], 0.5 * moment[1], 0.5 * moment[2]};
    const matrix3 turn = {{0, -half[2], half[1]}, {half[2], 0, -half[0]}, {-half[1], half[0], 0}};
    matrix3 rows; /* L^-1 O^T */
    for (int column = 0; column < 3; column++)
        for (int i = 0; i < 3; i++) {
            double sum = turn[column][i] - k[column][i];
            for (int n = 0; n < i; n++) sum -= m[i][n] * rows[n][column];
            rows[i][column] = sum / m[i][i];
        }
    for (int i = 0; i < 3; i++) add_product(next, -1, rows[i], rows[i]);
}

/* Returns whether the equilibrium is stable with `factor` times the stiffness: block elimination from the tip
 * to the root. */
static bool is_stable(const mote_strands *strands, uint32_t lane, double factor) {
    mote_rest_walk walk = mote_rest_begin(strands, lane);
    matrix3 m = {{0}}; /* of the segment in front of the joint */
    while (mote_rest_next(&walk)) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, walk.joint);
        const double b = factor * (double)strands->joint_stiffness[slot],
                     across = factor * (double)strands->joint_across[slot],
                     g = factor * (double)strands->joint_twist[slot];
        matrix3 k, next;
        joint_stiffness(&walk.at, (const double[3]){b, across, g}, k);
        memcpy(next, k, sizeof next);
        add_weight(&walk.at, m);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) m[i][j] += k[i][j];
        if (!decompose(m)) return false;
        eliminate(m, k, walk.at.moment, next);
        memcpy(m, next, sizeof m);
    }
    return true;
}

#define PRECISION 1.001

double mote_strands_stiffness_factor(const mote_strands *strands, uint32_t lane) {
    double low = 1, high = 1;
    while (!is_stable(strands, lane, high)) {
        if (!(high < 0x1p100)) return INFINITY;
        low = high, high *= 2;
    }
    while (high > low * PRECISION) {
        const double middle = __builtin_sqrt(low * high);
        *(is_stable(strands, lane, middle) ? &high : &low) = middle;
    }
    return high;
}
