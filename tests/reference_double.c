/* The double references of the tests: the integrators in double precision, for physics, and the exact flow by
 * a matrix exponential in long double. */
#include "reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static void double_rk4(reference_acceleration *acceleration, const void *context, double time, double h,
                       reference_body *body) {
    static const double fraction[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    reference_body stage = *body, sum = {{0}, {0}};
    for (int i = 0; i < 4; i++) {
        double a[3];
        acceleration(context, time + fraction[i] * h, stage.position, stage.velocity, a);
        for (int axis = 0; axis < 3; axis++) {
            double v = stage.velocity[axis], next = i < 3 ? fraction[i + 1] * h : 0;
            sum.position[axis] += weight[i] * v;
            sum.velocity[axis] += weight[i] * a[axis];
            stage.position[axis] = body->position[axis] + next * v;
            stage.velocity[axis] = body->velocity[axis] + next * a[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        body->position[axis] += h / 6 * sum.position[axis];
        body->velocity[axis] += h / 6 * sum.velocity[axis];
    }
}

static void double_midpoint(reference_acceleration *acceleration, const void *context, double time, double h,
                            reference_body *body) {
    double a[3], b[3];
    reference_body middle = *body;
    acceleration(context, time, body->position, body->velocity, a);
    for (int axis = 0; axis < 3; axis++) {
        middle.position[axis] += h / 2 * body->velocity[axis];
        middle.velocity[axis] += h / 2 * a[axis];
    }
    acceleration(context, time + h / 2, middle.position, middle.velocity, b);
    for (int axis = 0; axis < 3; axis++) {
        body->position[axis] += h * middle.velocity[axis];
        body->velocity[axis] += h * b[axis];
    }
}

static void double_drift(double h, reference_body *body, double *time) {
    for (int axis = 0; axis < 3; axis++) body->position[axis] += h * body->velocity[axis];
    *time += h;
}

static void double_kick(reference_acceleration *acceleration, const void *context, double time, double h,
                        reference_body *body) {
    double a[3];
    acceleration(context, time, body->position, body->velocity, a);
    for (int axis = 0; axis < 3; axis++) body->velocity[axis] += h * a[axis];
}

/* Three leapfrogs, drift first. */
static void double_yoshida4(reference_acceleration *acceleration, const void *context, double time, double h,
                            reference_body *body) {
    const double outer = 1 / (2 - cbrt(2)), part[3] = {outer, 1 - 2 * outer, outer};
    for (int i = 0; i < 3; i++) {
        double_drift(part[i] * h / 2, body, &time);
        double_kick(acceleration, context, time, part[i] * h, body);
        double_drift(part[i] * h / 2, body, &time);
    }
}

/* Omelyan, Mryglod and Folk (2002), equation (20) with the parameters of (22). */
static void double_pefrl(reference_acceleration *acceleration, const void *context, double time, double h,
                         reference_body *body) {
    const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.06626458266981849;
    const double drift[5] = {xi, chi, 1 - 2 * (chi + xi), chi, xi};
    const double kick[4] = {0.5 - lambda, lambda, lambda, 0.5 - lambda};
    for (int i = 0; i < 5; i++) {
        double_drift(drift[i] * h, body, &time);
        if (i < 4) double_kick(acceleration, context, time, kick[i] * h, body);
    }
}

static void double_verlet(reference_acceleration *acceleration, const void *context, double time, double h,
                          reference_body *body) {
    double a[3], b[3], predicted[3];
    acceleration(context, time, body->position, body->velocity, a);
    for (int axis = 0; axis < 3; axis++) {
        body->position[axis] += h * (body->velocity[axis] + h * a[axis] / 2);
        predicted[axis] = body->velocity[axis] + h * a[axis];
    }
    acceleration(context, time + h, body->position, predicted, b);
    for (int axis = 0; axis < 3; axis++) body->velocity[axis] += h * (a[axis] + b[axis]) / 2;
}

static void double_euler(reference_acceleration *acceleration, const void *context, double time, double h,
                         bool velocity_first, reference_body *body) {
    double a[3];
    acceleration(context, time, body->position, body->velocity, a);
    for (int axis = 0; axis < 3; axis++) {
        double old = body->velocity[axis];
        body->velocity[axis] += h * a[axis];
        body->position[axis] += h * (velocity_first ? body->velocity[axis] : old);
    }
}

void reference_double_step(mote_integrator integrator, reference_acceleration *acceleration,
                           const void *context, double time, double h, reference_body *body) {
    switch (integrator) {
    case MOTE_POSITION_VERLET: /* with the half-step velocity as its velocity */
    case MOTE_SEMI_IMPLICIT_EULER:
        double_euler(acceleration, context, time, h, true, body);
        break;
    case MOTE_EXPLICIT_EULER:
        double_euler(acceleration, context, time, h, false, body);
        break;
    case MOTE_VELOCITY_VERLET:
        double_verlet(acceleration, context, time, h, body);
        break;
    case MOTE_RK4:
        double_rk4(acceleration, context, time, h, body);
        break;
    case MOTE_MIDPOINT:
        double_midpoint(acceleration, context, time, h, body);
        break;
    case MOTE_YOSHIDA4:
        double_yoshida4(acceleration, context, time, h, body);
        break;
    case MOTE_PEFRL:
        double_pefrl(acceleration, context, time, h, body);
        break;
    default:
        abort();
    }
}

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

/* (1 + d)^2 = 1 + (2 d + d^2): squaring the exponential minus one keeps small coefficients. */
void reference_flow(long double constant, long double damping, long double stiffness, long double h,
                    double state[2]) {
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
    long double x = state[0], v = state[1];
    state[0] = (double)(x + (delta.at[0][0] * x + delta.at[0][1] * v + delta.at[0][2]));
    state[1] = (double)(v + (delta.at[1][0] * x + delta.at[1][1] * v + delta.at[1][2]));
}
