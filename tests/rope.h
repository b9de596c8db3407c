/* Strands for the tests of their physics: a system with one strand, its points one by one, and the same
 * springs written plainly in double with the integrators of integrator.h. */
#ifndef MOTE_TESTS_ROPE_H
#define MOTE_TESTS_ROPE_H

#include "test.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "support.h"

/* The largest relative error of one float32 rounding. */
static const double UNIT = 0x1p-24;
static const double PI = 3.14159265358979323846;
static const double GRAVITY = 9.81;

static inline void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g within %.3g", got, want, tolerance);
}

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double apart(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}
static inline void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* --- A system with strands of one id --- */

typedef struct rope {
    mote_system *system;
    mote_strands_id id;
} rope;

/* gravity: along -y, m/s^2. */
static inline rope make_rope(const mote_strands_def *strands, mote_integrator integrator, mote_rate rate,
                             uint32_t substeps, double gravity) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    def.integrator = integrator;
    def.steps_per_second = rate;
    def.substeps = substeps;
    rope r;
    assert_int_equal(mote_system_create(&def, &r.system), MOTE_OK);
    mote_force_def force = mote_gravity((float[3]){0, (float)-gravity, 0});
    mote_force_id id;
    if (gravity != 0) assert_int_equal(mote_system_add_force(r.system, &force, &id), MOTE_OK);
    assert_int_equal(mote_system_add_strands(r.system, strands, &r.id, NULL), MOTE_OK);
    return r;
}

static inline void step_rope(const rope *r, uint32_t steps) {
    assert_int_equal(mote_system_step(r->system, steps, NULL), MOTE_OK);
}

static inline uint64_t ticks_per_step(const rope *r) {
    mote_advance advance;
    assert_int_equal(mote_system_step(r->system, 0, &advance), MOTE_OK);
    return advance.ticks_per_step;
}

static inline void destroy_rope(const rope *r) { mote_system_destroy(r->system); }

static inline void load_point(const rope *r, uint32_t strand, uint32_t point, double x[3], double v[3]) {
    mote_strands_view view = mote_strands_columns(r->system, r->id);
    uint32_t slot = mote_strands_slot(r->system, r->id, strand, point);
    ASSERT(slot, !=, MOTE_NO_SLOT);
    const double at[6] = {view.position.x[slot], view.position.y[slot], view.position.z[slot],
                          view.velocity.x[slot], view.velocity.y[slot], view.velocity.z[slot]};
    memcpy(x, at, 3 * sizeof *x);
    if (v) memcpy(v, at + 3, 3 * sizeof *v);
}

static inline void store_point(const rope *r, uint32_t strand, uint32_t point, const double x[3],
                               const double v[3]) {
    mote_strands_view view = mote_strands_columns(r->system, r->id);
    uint32_t slot = mote_strands_slot(r->system, r->id, strand, point);
    float *const to[6] = {view.position.x, view.position.y, view.position.z,
                          view.velocity.x, view.velocity.y, view.velocity.z};
    for (int i = 0; i < 3; i++) {
        if (x) to[i][slot] = (float)x[i];
        if (v) to[3 + i][slot] = (float)v[i];
    }
}

static inline mote_strand_step_report report_of(const rope *r, uint32_t strand) {
    mote_strand_step_report report;
    assert_int_equal(mote_strands_report_of(r->system, r->id, strand, &report), MOTE_OK);
    return report;
}

/* All points of a strand are finite and it is not frozen. */
static inline void assert_alive(const rope *r, uint32_t strand) {
    assert_false(report_of(r, strand).frozen);
    for (uint32_t k = 0; k < mote_strands_points(r->system, r->id, strand); k++) {
        double x[3], v[3];
        load_point(r, strand, k, x, v);
        for (int i = 0; i < 3; i++) {
            assert_true(isfinite(x[i]));
            assert_true(isfinite(v[i]));
        }
    }
}

/* The largest speed of a point of the first strand. */
static inline double fastest_point(const rope *r) {
    double most = 0;
    for (uint32_t k = 0; k < mote_strands_points(r->system, r->id, 0); k++) {
        double x[3], v[3];
        load_point(r, 0, k, x, v);
        most = fmax(most, sqrt(dot(v, v)));
    }
    return most;
}

/* `points` points at equal distances from `from` to `to`. */
static inline void lay_line(float *positions, uint32_t points, const double from[3], const double to[3]) {
    for (uint32_t k = 0; k < points; k++)
        for (int i = 0; i < 3; i++)
            positions[3 * k + i] = (float)(from[i] + (to[i] - from[i]) * k / (points - 1.0));
}

/* A rotation by `angle` about `axis`, of length 1, after which comes a shift. */
static inline mote_transform turn_about(const double axis[3], double angle, const double shift[3]) {
    mote_transform t = {{(float)shift[0], (float)shift[1], (float)shift[2]},
                        {0, 0, 0, (float)cos(angle / 2)}};
    for (int i = 0; i < 3; i++) t.rotation[i] = (float)(sin(angle / 2) * axis[i]);
    return t;
}

static inline void apply(const mote_transform *t, const double x[3], double out[3]) {
    const float *q = t->rotation;
    const double v[3] = {q[0], q[1], q[2]}, w = q[3], length = sqrt(dot(v, v) + w * w);
    const double u[3] = {v[0] / length, v[1] / length, v[2] / length};
    double a[3], b[3];
    cross(u, x, a);
    cross(u, a, b);
    for (int i = 0; i < 3; i++) out[i] = x[i] + 2 * (w / length * a[i] + b[i]) + t->position[i];
}

/* --- The same springs in double --- */

enum { CHAIN_POINTS = 16 };

/* F = (k (|d| - L) + c d'.n) n between neighbours; gravity along -y. */
typedef struct chain {
    uint32_t points;
    bool pinned[CHAIN_POINTS];
    double mass; /* of a point */
    double length[CHAIN_POINTS], stiffness, damping;
    double gravity;
} chain;

typedef struct chain_state {
    double x[CHAIN_POINTS][3], v[CHAIN_POINTS][3];
} chain_state;

static inline void chain_accelerate(const chain *c, const chain_state *s, double a[CHAIN_POINTS][3]) {
    for (uint32_t k = 0; k < c->points; k++) a[k][0] = a[k][2] = 0, a[k][1] = c->pinned[k] ? 0 : -c->gravity;
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const uint32_t other = k + 1;
        double r = apart(s->x[k], s->x[other]), n[3], rate = 0;
        for (int i = 0; i < 3; i++) {
            n[i] = (s->x[other][i] - s->x[k][i]) / r;
            rate += n[i] * (s->v[other][i] - s->v[k][i]);
        }
        const double force = c->stiffness * (r - c->length[k]) + c->damping * rate;
        for (int i = 0; i < 3; i++) {
            if (!c->pinned[k]) a[k][i] += force * n[i] / c->mass;
            if (!c->pinned[other]) a[other][i] -= force * n[i] / c->mass;
        }
    }
}

/* to = base + h (x' = from->v, v' = a) */
static inline void chain_add(const chain_state *base, double h, const chain_state *from,
                             double a[CHAIN_POINTS][3], chain_state *to) {
    for (int k = 0; k < CHAIN_POINTS; k++)
        for (int i = 0; i < 3; i++) {
            const double dx = h * from->v[k][i];
            to->v[k][i] = base->v[k][i] + h * a[k][i];
            to->x[k][i] = base->x[k][i] + dx;
        }
}

static inline void chain_drift(chain_state *s, double h) {
    for (int k = 0; k < CHAIN_POINTS; k++)
        for (int i = 0; i < 3; i++) s->x[k][i] += h * s->v[k][i];
}

static inline void chain_kick(const chain *c, chain_state *s, double h) {
    double a[CHAIN_POINTS][3] = {{0}};
    chain_accelerate(c, s, a);
    for (int k = 0; k < CHAIN_POINTS; k++)
        for (int i = 0; i < 3; i++) s->v[k][i] += h * a[k][i];
}

static inline void chain_runge_kutta(const chain *c, chain_state *s, double h, int stages) {
    static const double fraction[3][4] = {{0}, {0, 0.5}, {0, 0.5, 0.5, 1}};
    static const double weight[3][4] = {{1}, {0, 1}, {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0}};
    const int table = stages / 2;
    const chain_state base = *s;
    chain_state stage = base;
    for (int n = 0; n < stages; n++) {
        double a[CHAIN_POINTS][3] = {{0}};
        chain_accelerate(c, &stage, a);
        chain_add(s, weight[table][n] * h, &stage, a, s);
        chain_add(&base, n + 1 < stages ? fraction[table][n + 1] * h : 0, &stage, a, &stage);
    }
}

static inline void chain_splitting(const chain *c, chain_state *s, double h, const double *part, int count) {
    for (int i = 0; i < count; i++) i % 2 ? chain_kick(c, s, part[i] * h) : chain_drift(s, part[i] * h);
}

static inline void chain_verlet(const chain *c, chain_state *s, double h) {
    double a[CHAIN_POINTS][3] = {{0}}, b[CHAIN_POINTS][3] = {{0}};
    chain_accelerate(c, s, a);
    chain_drift(s, h);
    chain_state ahead = *s;
    for (int k = 0; k < CHAIN_POINTS; k++)
        for (int i = 0; i < 3; i++) ahead.x[k][i] += h * h / 2 * a[k][i], ahead.v[k][i] += h * a[k][i];
    chain_accelerate(c, &ahead, b);
    memcpy(s->x, ahead.x, sizeof s->x);
    for (int k = 0; k < CHAIN_POINTS; k++)
        for (int i = 0; i < 3; i++) s->v[k][i] += h / 2 * (a[k][i] + b[k][i]);
}

/* One substep. Position Verlet: with the half-step velocity. */
static inline void chain_step(const chain *c, mote_integrator integrator, double h, chain_state *s) {
    const double y = 1 / (2 - cbrt(2)), xi = 0.1786178958448091, lambda = -0.2123418310626054,
                 chi = -0.06626458266981849;
    const double yoshida[7] = {y / 2, y, (1 - y) / 2, 1 - 2 * y, (1 - y) / 2, y, y / 2};
    const double pefrl[9] = {xi,     0.5 - lambda, chi,          lambda, 1 - 2 * (chi + xi),
                             lambda, chi,          0.5 - lambda, xi};
    switch (integrator) {
    case MOTE_EXPLICIT_EULER:
        chain_runge_kutta(c, s, h, 1);
        break;
    case MOTE_MIDPOINT:
        chain_runge_kutta(c, s, h, 2);
        break;
    case MOTE_RK4:
        chain_runge_kutta(c, s, h, 4);
        break;
    case MOTE_VELOCITY_VERLET:
        chain_verlet(c, s, h);
        break;
    case MOTE_YOSHIDA4:
        chain_splitting(c, s, h, yoshida, 7);
        break;
    case MOTE_PEFRL:
        chain_splitting(c, s, h, pefrl, 9);
        break;
    default:
        chain_kick(c, s, h), chain_drift(s, h);
        break;
    }
}

#endif
