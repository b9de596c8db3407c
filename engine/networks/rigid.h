/* The rigid motion of points with masses, in double: sums in a fixed order. */
#ifndef MOTE_NETWORKS_RIGID_H
#define MOTE_NETWORKS_RIGID_H

/* Sums of m, m x, m h v, and about the centre of mass m x x, m y y, m z z, m y z, m z x, m x y and the
 * angular momentum, times h. */
typedef struct mote_rigid_sums {
    double mass, place[3], motion[3];
    double squares[3], products[3], angular[3];
} mote_rigid_sums;

static inline void mote_cross(const double a[3], const double b[3], double to[3]) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double mote_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds a point to the sums about the centre, once mass, place and motion are whole. way: h v. */
static inline void mote_rigid_add(mote_rigid_sums *s, double mass, const double x[3], const double way[3]) {
    double r[3], u[3], turn[3];
    for (int k = 0; k < 3; k++) r[k] = x[k] - s->place[k] / s->mass, u[k] = way[k] - s->motion[k] / s->mass;
    mote_cross(r, u, turn);
    for (int k = 0; k < 3; k++) {
        s->squares[k] += mass * r[k] * r[k];
        s->products[k] += mass * r[(k + 1) % 3] * r[(k + 2) % 3];
        s->angular[k] += mass * turn[k];
    }
}

/* h w of (I + 1e-9 trace(I)) w = L by Cramer's rule, both over the trace: that of a straight chain too. */
static inline void mote_rigid_turn(const mote_rigid_sums *s, double turn[3]) {
    const double trace = s->squares[0] + s->squares[1] + s->squares[2];
    turn[0] = turn[1] = turn[2] = 0;
    if (!(trace > 0)) return;
    double q[3], p[3], l[3];
    for (int k = 0; k < 3; k++)
        q[k] = s->squares[k] / trace, p[k] = -s->products[k] / trace, l[k] = s->angular[k] / trace;
    const double a = q[1] + q[2] + 1e-9, b = q[2] + q[0] + 1e-9, c = q[0] + q[1] + 1e-9;
    const double first[3] = {b * c - p[0] * p[0], p[0] * p[1] - p[2] * c, p[2] * p[0] - b * p[1]},
                 second[3] = {first[1], a * c - p[1] * p[1], p[1] * p[2] - a * p[0]},
                 third[3] = {first[2], second[2], a * b - p[2] * p[2]};
    const double determinant = a * first[0] + p[2] * first[1] + p[1] * first[2];
    turn[0] = mote_dot(first, l) / determinant;
    turn[1] = mote_dot(second, l) / determinant;
    turn[2] = mote_dot(third, l) / determinant;
}

/* The way of the point x in the rigid motion: that of the centre, and R r - r with the Cayley transform R of
 * h w. Lengths stay, and the kinetic energy is not above that of w. */
static inline void mote_rigid_way(const mote_rigid_sums *s, const double turn[3], const double x[3],
                                  double way[3]) {
    double r[3], half[3] = {turn[0] / 2, turn[1] / 2, turn[2] / 2}, once[3], twice[3];
    for (int k = 0; k < 3; k++) r[k] = x[k] - s->place[k] / s->mass;
    mote_cross(half, r, once), mote_cross(half, once, twice);
    const double share = 2 / (1 + mote_dot(half, half));
    for (int k = 0; k < 3; k++) way[k] = s->motion[k] / s->mass + share * (once[k] + twice[k]);
}

#endif
