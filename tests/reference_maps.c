/* How the integrators with maps carry an affine force over h, for the references; the exact flow by a matrix
 * exponential in long double. */
#include "reference.h"

#include <math.h>

#include "math/propagator.h"

typedef struct matrix {
    long double at[3][3];
} matrix;

static matrix multiply(const matrix *a, const matrix *b) {
    matrix c = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

/* Of [x, v, 1], less the identity: (1 + d)^2 = 1 + (2 d + d^2), squared so, keeps small coefficients. */
static matrix exponential(long double constant, long double damping, long double stiffness, long double h) {
    int halvings = 0;
    long double size = fabsl(h) * (1 + fabsl(damping) + fabsl(stiffness) + fabsl(constant));
    while (size > 0.125L) size /= 2, h /= 2, halvings++;
    matrix generator = {{{0, h, 0}, {stiffness * h, damping * h, constant * h}, {0, 0, 0}}}, term = generator,
           delta = generator;
    for (int order = 2; order < 20; order++) {
        term = multiply(&term, &generator);
        for (int i = 0; i < 9; i++)
            term.at[i / 3][i % 3] /= order, delta.at[i / 3][i % 3] += term.at[i / 3][i % 3];
    }
    for (; halvings > 0; halvings--) {
        matrix square = multiply(&delta, &delta);
        for (int i = 0; i < 9; i++)
            delta.at[i / 3][i % 3] = 2 * delta.at[i / 3][i % 3] + square.at[i / 3][i % 3];
    }
    return delta;
}

void reference_flow(long double constant, long double damping, long double stiffness, long double h,
                    double state[2]) {
    const matrix d = exponential(constant, damping, stiffness, h);
    const long double x = state[0], v = state[1];
    state[0] = (double)(x + (d.at[0][0] * x + d.at[0][1] * v + d.at[0][2]));
    state[1] = (double)(v + (d.at[1][0] * x + d.at[1][1] * v + d.at[1][2]));
}

/* v1 = v + h (C + B v1 + K x1), x1 = x + h v1, solved for the differences: Hairer and Wanner, Solving
 * Ordinary Differential Equations II (1996), IV.3. */
static reference_map implicit_euler(double constant, double damping, double stiffness, double h) {
    const double scale = h / (1 - h * damping - h * h * stiffness);
    const double vx = scale * stiffness, vv = scale * (damping + h * stiffness), vc = scale * constant;
    return (reference_map){h * vx, h + h * vv, h * vc, vx, vv, vc};
}

reference_map reference_map_make(mote_integrator integrator, bool in_double, const reference_affine *force,
                                 int axis, double h) {
    const double c = force->constant[axis], b = force->damping[axis], k = force->stiffness[axis];
    if (integrator == MOTE_IMPLICIT_EULER) return implicit_euler(c, b, k, h);
    reference_map m;
    if (!in_double) {
        const mote_propagator p = mote_propagator_make(b, k, h);
        m = (reference_map){p.xx, p.xv, p.xc * c, p.vx, p.vv, p.vc * c};
    } else {
        const matrix d = exponential((long double)c, (long double)b, (long double)k, (long double)h);
        m = (reference_map){(double)d.at[0][0], (double)d.at[0][1], (double)d.at[0][2],
                            (double)d.at[1][0], (double)d.at[1][1], (double)d.at[1][2]};
    }
    /* The average velocity for x: dx = h v + h dv / 2. */
    if (integrator == MOTE_KINEMATIC_AVERAGE)
        m.xx = h / 2 * m.vx, m.xv = h + h / 2 * m.vv, m.xc = h / 2 * m.vc;
    return m;
}
