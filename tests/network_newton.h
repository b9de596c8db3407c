/* Newton's method in the constrained solver of networks, in double: where it starts, one dense linear system,
 * and how far float32 may be from its solution. */
#ifndef MOTE_TESTS_NETWORK_NEWTON_H
#define MOTE_TESTS_NETWORK_NEWTON_H

#include "network_net.h"

/* --- The start --- */

static inline double spring_length(double x[][3], const mote_spring *s) { return apart(x[s->a], x[s->b]); }

/* Energy of the springs at x, those with damping as in implicit Euler from x0. */
static inline double springs_energy(const net *n, double x[][3], double x0[][3], double h) {
    double sum = 0;
    for (uint32_t i = 0; i < n->def.spring_count; i++) {
        const mote_spring *s = &n->springs[i];
        sum += (double)s->stiffness * pow(spring_length(x, s) - (double)s->rest_length, 2) / 2;
        sum += (double)s->damping / h * pow(spring_length(x, s) - spring_length(x0, s), 2) / 2;
    }
    return sum;
}

/* Moves x*, in `goal`, to the start of Newton's method, x0 + s (x* - x0), s = min(1, K / (U(x*) - U(x0))), K
 * the kinetic energy of x* - x0 over h. mass 0: pinned, where x0 is x*. */
static inline void start_between(const net *n, const double *mass, double goal[][3], double x0[][3],
                                 double h) {
    static double old[CAPACITY][3];
    double kinetic = 0;
    for (uint32_t i = 0; i < n->def.particle_count; i++) {
        memcpy(old[i], mass[i] > 0 ? x0[i] : goal[i], sizeof old[i]);
        kinetic += mass[i] * pow(apart(goal[i], old[i]) / h, 2) / 2;
    }
    const double rise = springs_energy(n, goal, x0, h) - springs_energy(n, old, x0, h);
    if (rise <= kinetic) return;
    for (uint32_t i = 0; i < n->def.particle_count; i++)
        for (int k = 0; k < 3; k++) goal[i][k] = old[i][k] + kinetic / rise * (goal[i][k] - old[i][k]);
}

/* The stiffness across a spring in its first linear system: T / l, and 0.003 of that along it at least. */
static inline double stiffness_across(double tension, double length, double along) {
    return fmax(tension / length, (double)0.003f * along);
}

/* --- One linear system --- */

enum { SMALL = 6, EDGES = 11, DENSE = 3 * SMALL };

typedef struct dense {
    int size;
    double a[DENSE][DENSE], b[DENSE], x[DENSE];
} dense;

/* Elimination without pivots: the matrices are positive definite. */
static inline void eliminate(const dense *of, const double *b, double *x) {
    static dense d;
    d = *of;
    memcpy(d.b, b, sizeof d.b);
    for (int k = 0; k < d.size; k++)
        for (int i = k + 1; i < d.size; i++) {
            const double f = d.a[i][k] / d.a[k][k];
            for (int j = k; j < d.size; j++) d.a[i][j] -= f * d.a[k][j];
            d.b[i] -= f * d.b[k];
        }
    for (int i = d.size - 1; i >= 0; i--) {
        x[i] = d.b[i];
        for (int j = i + 1; j < d.size; j++) x[i] -= d.a[i][j] * x[j];
        x[i] /= d.a[i][i];
    }
}

/* A spring where Newton's method starts: its direction and length, and its length when the substep began. */
typedef struct taut {
    double n[3], length, before;
} taut;

typedef struct problem {
    double h, mass[SMALL]; /* mass 0: pinned */
    double x0[SMALL][3], predicted[SMALL][3],
        goal[SMALL][3]; /* predicted: x*; goal: the start, then the end */
    taut taut[EDGES];
    double tolerance; /* m */
} problem;

static inline double length_of(double x[SMALL][3], const mote_spring *s, double d[3]) {
    for (int i = 0; i < 3; i++) d[i] = x[s->b][i] - x[s->a][i];
    return sqrt(dot(d, d));
}

/* Adds the force of the stiffness `more` across a spring on end u, towards what the start has left of the way
 * to x*: only relative motion across it counts. */
static inline void add_guide(dense *d, const problem *p, const uint32_t end[2], int u, const double n[3],
                             double more) {
    double way[3], along = 0;
    for (int i = 0; i < 3; i++) {
        way[i] = p->predicted[end[u]][i] - p->goal[end[u]][i];
        way[i] -= p->predicted[end[1 - u]][i] - p->goal[end[1 - u]][i];
        along += way[i] * n[i];
    }
    for (int i = 0; i < 3; i++)
        d->b[3 * end[u] + (uint32_t)i] += p->h * p->h * more * (way[i] - along * n[i]);
}

/* On the positions: (M + h^2 K) dx = h^2 F - M (x - x*), A = M + h^2 K. With P, the diagonal blocks of A: M
 * <= A <= kappa P. The conjugate gradients stop at |r| = 1e-5 |r0|, measured in P^-1, so the error e that
 * they leave has e A e <= kappa 1e-10 r0 M^-1 r0. Float32 adds 64 UNIT of r0, and 16 UNIT of positions of 1
 * m. */
static inline void solve_compliant(const net *n, problem *p) {
    static dense d;
    double load[SMALL], kappa = 1, start = 0, least = 1e9;
    memset(&d, 0, sizeof d);
    d.size = DENSE;
    for (int i = 0; i < SMALL; i++) load[i] = 0;
    for (int i = 0; i < DENSE; i++) d.a[i][i] = p->mass[i / 3] > 0 ? p->mass[i / 3] : 1;
    for (uint32_t k = 0; k < n->def.spring_count; k++) {
        const mote_spring *s = &n->springs[k];
        const taut *t = &p->taut[k];
        const double along = (double)s->stiffness + (double)s->damping / p->h;
        const double rate = (double)s->damping / p->h * (t->length - t->before);
        const double tension = (double)s->stiffness * (t->length - (double)s->rest_length) + rate;
        const double across = stiffness_across(tension, t->length, along);
        const uint32_t end[2] = {s->a, s->b};
        for (int u = 0; u < 2; u++) {
            if (!(p->mass[end[u]] > 0)) continue;
            load[end[u]] += p->h * p->h * along;
            add_guide(&d, p, end, u, t->n, across - fmax(tension / t->length, 0));
            for (int i = 0; i < 3; i++) {
                d.b[3 * end[u] + (uint32_t)i] += (u ? -1 : 1) * p->h * p->h * tension * t->n[i];
                for (int j = 0; j < 3; j++) {
                    const double value =
                        p->h * p->h * ((along - across) * t->n[i] * t->n[j] + (i == j ? across : 0));
                    d.a[3 * end[u] + (uint32_t)i][3 * end[u] + (uint32_t)j] += value;
                    if (p->mass[end[1 - u]] > 0)
                        d.a[3 * end[u] + (uint32_t)i][3 * end[1 - u] + (uint32_t)j] -= value;
                }
            }
        }
    }
    for (int i = 0; i < DENSE; i++)
        d.b[i] += p->mass[i / 3] * (p->predicted[i / 3][i % 3] - p->goal[i / 3][i % 3]);
    eliminate(&d, d.b, d.x);
    for (int i = 0; i < DENSE; i++) {
        if (!(p->mass[i / 3] > 0)) continue;
        p->goal[i / 3][i % 3] += d.x[i];
        start += d.b[i] * d.b[i] / p->mass[i / 3];
        kappa = fmax(kappa, 1 + load[i / 3] / p->mass[i / 3]);
        least = fmin(least, p->mass[i / 3]);
    }
    p->tolerance = sqrt(kappa / least * start) * (1e-5 + 64 * UNIT) + 16 * UNIT * kappa;
}

/* On the multipliers: (J W J^T + a) dmu = -(C + ...), where the tension -mu / h^2 is k C + (c / h) (C - C0).
 * With the diagonal D and the least eigenvalue of D^-1/2 A D^-1/2 the error has e A e <= r D^-1 r / least,
 * and 1 / least is at most the trace of the inverse; the particles move by no more than e A e. Float32 adds
 * 64 UNIT of r0, and 16 UNIT of lengths of 1 m. */
static inline void solve_rigid(const net *n, problem *p) {
    static dense d;
    const int count = (int)n->def.spring_count;
    double trace = 0, start = 0, rounding = 0, least = 1e9;
    memset(&d, 0, sizeof d);
    d.size = count;
    for (int k = 0; k < count; k++) {
        const mote_spring *s = &n->springs[k];
        const double stiffness = (double)s->stiffness + (double)s->damping / p->h,
                     rest = (double)s->rest_length;
        d.a[k][k] = 1 / (p->h * p->h * stiffness);
        d.b[k] =
            -(p->taut[k].length - rest) + (double)s->damping / p->h / stiffness * (p->taut[k].before - rest);
        for (int m = 0; m < count; m++) {
            const mote_spring *o = &n->springs[m];
            const double along = dot(p->taut[k].n, p->taut[m].n);
            for (uint32_t i = 0; i < SMALL; i++) {
                const int own = (s->b == i) - (s->a == i), other = (o->b == i) - (o->a == i);
                if (p->mass[i] > 0) d.a[k][m] += own * other * along / p->mass[i];
            }
        }
    }
    eliminate(&d, d.b, d.x);
    for (int k = 0; k < count; k++) {
        double unit[DENSE] = {0}, column[DENSE];
        unit[k] = 1;
        eliminate(&d, unit, column);
        trace += column[k] * d.a[k][k];
        start += d.b[k] * d.b[k] / d.a[k][k];
        rounding += pow(16 * UNIT, 2) / d.a[k][k];
    }
    for (uint32_t i = 0; i < SMALL; i++) {
        if (!(p->mass[i] > 0)) continue;
        least = fmin(least, p->mass[i]);
        for (int k = 0; k < count; k++)
            for (int axis = 0; axis < 3; axis++)
                p->goal[i][axis] += ((n->springs[k].b == i) - (n->springs[k].a == i)) * p->taut[k].n[axis] *
                                    d.x[k] / p->mass[i];
    }
    p->tolerance = sqrt(trace / least) * (sqrt(start) * (1e-5 + 64 * UNIT) + sqrt(rounding));
}

/* A random graph of six bodies of 0.5 to 2 kg. */
static inline void make_small(net *n, uint64_t seed, bool rigid, bool damped) {
    static const uint32_t edge[EDGES][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 2},
                                            {1, 3}, {2, 4}, {3, 5}, {1, 4}, {0, 3}};
    random_source random = {seed};
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_iterations = 1, n->def.max_linear = 4096, n->def.max_strain = 1e-7f;
    for (uint32_t i = 0; i < SMALL; i++) {
        double x[3];
        for (uint32_t k = 0; k < 3; k++) {
            x[k] = (double)random_between(&random, -0.6f, 0.6f);
            n->velocities[3 * i + k] = random_between(&random, -1, 1);
        }
        add_particle(n, x[0], x[1], x[2], (double)random_between(&random, 0.5f, 2));
    }
    for (uint32_t k = 0; k < (rigid ? EDGES - 3 : EDGES); k++)
        add_spring(n, edge[k][0], edge[k][1], random_between(&random, 0.5f, 0.8f),
                   rigid && k % 3 == 0 ? INFINITY : random_between(&random, 200, 2000),
                   damped && k % 2 ? random_between(&random, 1, 20) : 0);
}

#endif
