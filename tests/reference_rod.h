/* A rod in double, written plainly: the matrix of its bending is dense, and lengths are held by Newton's
 * method with a dense matrix too. The same equations as the engine's, in positions instead of directions and
 * by Gauss's elimination instead of a recursion. */
#ifndef MOTE_TESTS_REFERENCE_ROD_H
#define MOTE_TESTS_REFERENCE_ROD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { REFERENCE_ROD_POINTS = 40 };

typedef struct reference_rod {
    uint32_t points;
    bool hinged;
    bool pinned[REFERENCE_ROD_POINTS];
    double mass[REFERENCE_ROD_POINTS], stiffness[REFERENCE_ROD_POINTS]; /* kg, EI in N m^2 */
    double length[REFERENCE_ROD_POINTS], tension[REFERENCE_ROD_POINTS]; /* m, N/m: of the segment behind */
    double x[REFERENCE_ROD_POINTS][3], v[REFERENCE_ROD_POINTS][3];
    double max_strain;
} reference_rod;

typedef double reference_matrix[REFERENCE_ROD_POINTS][REFERENCE_ROD_POINTS];
typedef double reference_sides[REFERENCE_ROD_POINTS][3];

/* Solves A y = b for `columns` right sides; y replaces b. A is symmetric and positive. */
static inline void reference_solve(uint32_t n, uint32_t columns, reference_matrix a, reference_sides b) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            const double factor = a[j][i] / a[i][i];
            for (uint32_t k = i; k < n; k++) a[j][k] -= factor * a[i][k];
            for (uint32_t k = 0; k < columns; k++) b[j][k] -= factor * b[i][k];
        }
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = 0; k < columns; k++) {
            for (uint32_t j = i + 1; j < n; j++) b[i][k] -= a[i][j] * b[j][k];
            b[i][k] /= a[i][i];
        }
}

/* Adds the energy stiffness / 2 |sum of g x + constant|^2 over `count` points from `first` on. */
static inline void reference_add_energy(const reference_rod *r, reference_matrix a, reference_sides b,
                                        double h, double stiffness, uint32_t first, uint32_t count,
                                        const double g[3], const double constant[3]) {
    for (int axis = 0; axis < 3; axis++) {
        double value = constant[axis];
        for (uint32_t i = 0; i < count; i++) value += g[i] * r->x[first + i][axis];
        for (uint32_t i = 0; i < count; i++) b[first + i][axis] -= h * h * stiffness * g[i] * value;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) a[first + i][first + j] += h * h * stiffness * g[i] * g[j];
}

/* Bending, and the tensions of the last substep. root: direction of the clamp. */
static inline void reference_add_bending(const reference_rod *r, reference_matrix a, reference_sides b,
                                         double h, const double root[3]) {
    const double none[3] = {0, 0, 0}, clamp[3] = {-root[0], -root[1], -root[2]};
    for (uint32_t k = 0; k + 1 < r->points; k++) {
        const double l = r->length[k], before = k ? r->length[k - 1] : 0;
        const double pull = r->tension[k] > 0 ? r->tension[k] : 0;
        for (int axis = 0; axis < 3; axis++) {
            const double force = h * h * (r->tension[k] - pull) * (r->x[k + 1][axis] - r->x[k][axis]);
            b[k][axis] += force, b[k + 1][axis] -= force;
        }
        reference_add_energy(r, a, b, h, pull, k, 2, (double[3]){-1, 1, 0}, none);
        if (k)
            reference_add_energy(r, a, b, h, r->stiffness[k] / ((before + l) / 2), k - 1, 3,
                                 (double[3]){1 / before, -1 / before - 1 / l, 1 / l}, none);
        else if (!r->hinged)
            reference_add_energy(r, a, b, h, 2 * r->stiffness[0] / l, 0, 2, (double[3]){-1 / l, 1 / l, 0},
                                 clamp);
    }
}

/* The move of each point over h without regard to lengths. goal: of pinned points. */
static inline void reference_bend(const reference_rod *r, double h, double gravity, const double root[3],
                                  double goal[REFERENCE_ROD_POINTS][3], reference_sides dx) {
    static reference_matrix a;
    memset(a, 0, sizeof a);
    memset(dx, 0, sizeof(reference_sides));
    reference_add_bending(r, a, dx, h, root);
    for (uint32_t k = 0; k < r->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            const double way = h * (r->v[k][axis] - (axis == 1 ? h * gravity : 0));
            dx[k][axis] += r->mass[k] * way;
        }
    for (uint32_t k = 0; k < r->points; k++) a[k][k] += r->mass[k];
    /* Pinned points move as they do. */
    for (uint32_t k = 0; k < r->points; k++) {
        if (!r->pinned[k]) continue;
        for (uint32_t i = 0; i < r->points; i++) {
            if (i == k) continue;
            for (int axis = 0; axis < 3; axis++) dx[i][axis] -= a[i][k] * (goal[k][axis] - r->x[k][axis]);
            a[i][k] = a[k][i] = 0;
        }
        for (int axis = 0; axis < 3; axis++) dx[k][axis] = goal[k][axis] - r->x[k][axis];
        a[k][k] = 1;
    }
    reference_solve(r->points, 3, a, dx);
}

/* One iteration of Newton's method for the lengths; returns whether all are then held. */
static inline bool reference_hold(reference_rod *r, double h) {
    static reference_matrix a;
    const uint32_t segments = r->points - 1;
    reference_sides d, mu;
    memset(a, 0, sizeof a);
    for (uint32_t k = 0; k < segments; k++) {
        double square = 0;
        for (int i = 0; i < 3; i++) d[k][i] = r->x[k + 1][i] - r->x[k][i], square += d[k][i] * d[k][i];
        mu[k][0] = (square - r->length[k] * r->length[k]) / 2;
    }
    for (uint32_t k = 0; k < r->points; k++) {
        const double w = r->pinned[k] ? 0 : 1 / r->mass[k];
        for (int i = 0; i < 3; i++) {
            if (k) a[k - 1][k - 1] += w * d[k - 1][i] * d[k - 1][i];
            if (k < segments) a[k][k] += w * d[k][i] * d[k][i];
            if (k && k < segments) a[k - 1][k] -= w * d[k - 1][i] * d[k][i];
        }
        if (k && k < segments) a[k][k - 1] = a[k - 1][k];
    }
    reference_solve(segments, 1, a, mu);
    for (uint32_t k = 0; k < segments; k++) {
        r->tension[k] += mu[k][0] / (h * h);
        for (uint32_t end = k; end <= k + 1; end++)
            for (int i = 0; i < 3 && !r->pinned[end]; i++) {
                const double move = (end == k ? 1 : -1) * mu[k][0] * d[k][i] / r->mass[end];
                r->x[end][i] += move, r->v[end][i] += move / h;
            }
    }
    for (uint32_t k = 0; k < segments; k++) {
        double square = 0;
        for (int i = 0; i < 3; i++) square += pow(r->x[k + 1][i] - r->x[k][i], 2);
        if (fabs(sqrt(square) / r->length[k] - 1) >= r->max_strain) return false;
    }
    return true;
}

/* Kinetic energy, of which dv (m/s) more downwards, and in *bending that of the joints. */
static inline double reference_energies(const reference_rod *r, const double root[3], double dv,
                                        double *bending) {
    double kinetic = 0, before[3] = {root[0], root[1], root[2]}, along[3];
    *bending = 0;
    for (uint32_t k = 0; k < r->points; k++) {
        const double *v = r->v[k], l = r->length[k], mean = k ? (r->length[k - 1] + l) / 2 : l / 2;
        if (!r->pinned[k])
            kinetic += r->mass[k] / 2 * (v[0] * v[0] + (v[1] - dv) * (v[1] - dv) + v[2] * v[2]);
        for (int i = 0; i < 3 && k + 1 < r->points; i++) {
            along[i] = (r->x[k + 1][i] - r->x[k][i]) / l;
            if (k || !r->hinged)
                *bending += r->stiffness[k] / mean / 2 * (along[i] - before[i]) * (along[i] - before[i]);
            before[i] = along[i];
        }
    }
    return kinetic;
}

/* With resting pins along the rod a substep adds no energy: what it would is taken from the velocities. */
static inline void reference_limit_energy(reference_rod *r, const double root[3], double kinetic,
                                          double bending) {
    double now, pins = 0;
    const double moving = reference_energies(r, root, 0, &now), gain = moving - kinetic + now - bending;
    for (uint32_t k = 1; k < r->points; k++) pins += r->pinned[k];
    if (pins == 0 || gain <= fmax(moving, kinetic) / 4096) return;
    const double factor = sqrt(fmax(moving - gain, 0) / moving);
    for (uint32_t k = 0; k < r->points; k++)
        for (int axis = 0; axis < 3 && !r->pinned[k]; axis++) r->v[k][axis] *= factor;
}

/* The angular momentum of places and velocities about a pivot, and the inertia there. */
static inline void reference_moments_about(const reference_rod *r, double x[REFERENCE_ROD_POINTS][3],
                                           double v[REFERENCE_ROD_POINTS][3], double pivot[2][3], double l[3],
                                           double inertia[3][3]) {
    memset(l, 0, 3 * sizeof *l), memset(inertia, 0, 9 * sizeof **inertia);
    for (uint32_t k = 0; k < r->points; k++) {
        double d[3], u[3];
        for (int i = 0; i < 3; i++) d[i] = x[k][i] - pivot[0][i], u[i] = v[k][i] - pivot[1][i];
        for (int i = 0; i < 3 && !r->pinned[k]; i++) {
            const int j = (i + 1) % 3, n = (i + 2) % 3;
            l[i] += r->mass[k] * (d[j] * u[n] - d[n] * u[j]);
            inertia[i][i] += r->mass[k] * (d[j] * d[j] + d[n] * d[n]);
            inertia[j][n] -= r->mass[k] * d[j] * d[n], inertia[n][j] = inertia[j][n];
        }
    }
}

/* The pivot and its velocity: a root at rest, or the center of mass. */
static inline void reference_pivot(const reference_rod *r, double x[REFERENCE_ROD_POINTS][3],
                                   double v[REFERENCE_ROD_POINTS][3], double pivot[2][3]) {
    double whole = 0;
    memset(pivot, 0, 6 * sizeof **pivot);
    for (uint32_t k = 0; k < r->points && !r->pinned[0]; k++) {
        whole += r->mass[k];
        for (int i = 0; i < 3; i++) pivot[0][i] += r->mass[k] * x[k][i], pivot[1][i] += r->mass[k] * v[k][i];
    }
    for (int i = 0; i < 3; i++)
        if (r->pinned[0])
            pivot[0][i] = x[0][i];
        else
            pivot[0][i] /= whole, pivot[1][i] /= whole;
}

/* A rod that is free, or turns about its root alone, gets the angular momentum that it had before the substep
 * and that the forces gave it, as far as that adds no energy. start: the rod before; bending: its energy. */
static inline void reference_keep_spin(reference_rod *r, reference_rod *start, double h, double gravity,
                                       const double root[3], double bending) {
    double pivot[2][2][3], l[2][3], inertia[3][3], old[REFERENCE_ROD_POINTS][3];
    bool clamped = !r->hinged;
    for (uint32_t k = 1; k < r->points; k++) clamped |= r->pinned[k];
    if (clamped) return;
    memcpy(old, start->v, sizeof old);
    for (uint32_t k = 0; k < r->points; k++) start->v[k][1] -= r->pinned[k] ? 0 : h * gravity;
    reference_pivot(start, start->x, start->v, pivot[0]), reference_pivot(r, r->x, r->v, pivot[1]);
    reference_moments_about(r, start->x, start->v, pivot[0], l[0], inertia);
    reference_moments_about(r, r->x, r->v, pivot[1], l[1], inertia);
    static reference_matrix a;
    reference_sides w;
    const double trace = inertia[0][0] + inertia[1][1] + inertia[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) a[i][j] = inertia[i][j] + (i == j ? 1e-9 * trace : 0);
        w[i][0] = l[0][i] - l[1][i];
    }
    reference_solve(3, 1, a, w);
    double more[REFERENCE_ROD_POINTS][3], first = 0, second = 0, now, predicted = 0, worked = 0, own = 0;
    for (uint32_t k = 0; k < r->points; k++)
        for (int i = 0; i < 3 && !r->pinned[k]; i++) {
            const int j = (i + 1) % 3, n = (i + 2) % 3;
            const double *base = pivot[0][1], u = r->v[k][i] - base[i], before = old[k][i] - base[i],
                         after = start->v[k][i] - base[i], way = r->x[k][i] - start->x[k][i] - h * base[i];
            more[k][i] = w[j][0] * (r->x[k][n] - pivot[1][0][n]) - w[n][0] * (r->x[k][j] - pivot[1][0][j]);
            first += r->mass[k] * u * more[k][i], second += r->mass[k] * more[k][i] * more[k][i];
            own += r->mass[k] * u * u, predicted += r->mass[k] * after * after;
            worked += r->mass[k] * (before * before + 2 / h * (start->v[k][i] - old[k][i]) * way);
        }
    (void)reference_energies(r, root, 0, &now);
    const double room = fmax(fmin(predicted, worked) - own + 2 * (bending - now), 0);
    const double share = fmin((sqrt(first * first + second * room) - first) / fmax(second, 1e-300), 1);
    for (uint32_t k = 0; k < r->points; k++)
        for (int i = 0; i < 3 && !r->pinned[k]; i++) r->v[k][i] += share * more[k][i];
}

/* One substep. Returns the iterations that the lengths took. */
static inline uint32_t reference_rod_step(reference_rod *r, double h, double gravity, const double root[3],
                                          double goal[REFERENCE_ROD_POINTS][3]) {
    reference_sides dx;
    reference_rod start = *r;
    double bending;
    const double kinetic = reference_energies(r, root, h * gravity, &bending);
    reference_bend(r, h, gravity, root, goal, dx);
    for (uint32_t k = 0; k < r->points; k++)
        for (int axis = 0; axis < 3; axis++) r->x[k][axis] += dx[k][axis], r->v[k][axis] = dx[k][axis] / h;
    uint32_t iterations = 1;
    while (!reference_hold(r, h) && iterations < 32) iterations++;
    reference_limit_energy(r, root, kinetic, bending);
    reference_keep_spin(r, &start, h, gravity, root, bending);
    return iterations;
}

#endif
