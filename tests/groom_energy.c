/* The potential energy of rods that rest under a load, written plainly: its differences are 0 in the rest
 * shape, and its second differences are positive where the engine's factor of stiffness says so. */
#include "test.h"

#include "rope.h"

enum { POINTS = 8, SEGMENTS = POINTS - 1, TURNS = 3 * SEGMENTS };

static const double LENGTH = 0.12, LOAD[3] = {3, -9, 2}; /* m; m/s^2 */

typedef double quaternion[4];

/* A rod whose segments turn far from each other; the energy is a function of the turns of its frames. */
typedef struct coarse_rod {
    float positions[3 * POINTS], mass[POINTS], bend[POINTS], twist[POINTS];
    quaternion frame[SEGMENTS];
    double length[SEGMENTS], across[SEGMENTS], bends[SEGMENTS], twists[SEGMENTS]; /* of joints, N m */
    double ratio;                                                                 /* across / bends */
    double rest[SEGMENTS][3];                                                     /* W0 */
} coarse_rod;

static void multiply(const quaternion a, const quaternion b, quaternion out) {
    double v[3];
    cross(a, b, v);
    for (int i = 0; i < 3; i++) out[i] = a[3] * b[i] + b[3] * a[i] + v[i];
    out[3] = a[3] * b[3] - dot(a, b);
}

/* Column `axis` of the rotation matrix. */
static void axis_of(const quaternion q, int axis, double out[3]) {
    double unit[3] = {0, 0, 0}, a[3], b[3];
    unit[axis] = 1;
    cross(q, unit, a);
    cross(q, a, b);
    for (int i = 0; i < 3; i++) out[i] = unit[i] + 2 * (q[3] * a[i] + b[i]);
}

/* The rotation by the vector w, then q. */
static void turn(const double w[3], const quaternion q, quaternion out) {
    const double angle = sqrt(dot(w, w)), share = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    multiply((const quaternion){share * w[0], share * w[1], share * w[2], cos(angle / 2)}, q, out);
}

/* W of the joint between two frames. */
static void turn_between(const quaternion a, const quaternion b, double w[3]) {
    quaternion c;
    multiply((const quaternion){-a[0], -a[1], -a[2], a[3]}, b, c);
    for (int i = 0; i < 3; i++) w[i] = c[3] < 0 ? -2 * c[i] : 2 * c[i];
}

static double stiffness_of(const coarse_rod *r, int joint, int axis) {
    return axis == 0 ? r->bends[joint] : axis == 1 ? r->across[joint] : r->twists[joint];
}

static double energy(const coarse_rod *r, const double turns[TURNS]) {
    quaternion before, q;
    double x[3], sum = 0;
    for (int i = 0; i < 3; i++) x[i] = (double)r->positions[i];
    memcpy(before, r->frame[0], sizeof before);
    for (int k = 0; k < SEGMENTS; k++) {
        double w[3], t[3];
        turn(turns + 3 * k, r->frame[k], q);
        turn_between(before, q, w);
        for (int i = 0; i < 3; i++) sum += stiffness_of(r, k, i) / 2 * pow(w[i] - r->rest[k][i], 2);
        axis_of(q, 2, t);
        for (int i = 0; i < 3; i++) x[i] += r->length[k] * t[i];
        sum -= (double)r->mass[k + 1] * dot(LOAD, x);
        memcpy(before, q, sizeof q);
    }
    return sum;
}

/* First difference by turn i, and second by i and j. */
static double slope(const coarse_rod *r, int i) {
    const double step = 1e-4;
    double turns[TURNS] = {0};
    turns[i] = step;
    const double up = energy(r, turns);
    turns[i] = -step;
    return (up - energy(r, turns)) / (2 * step);
}

static double curvature(const coarse_rod *r, int i, int j) {
    const double step = 2e-3;
    double sum = 0;
    for (int n = 0; n < 4; n++) {
        double turns[TURNS] = {0};
        turns[i] += n & 1 ? step : -step, turns[j] += n & 2 ? step : -step;
        sum += (n == 0 || n == 3 ? 1 : -1) * energy(r, turns);
    }
    return sum / (4 * step * step);
}

/* Whether the second differences are positive definite: Gauss's elimination. */
static bool is_stable(const coarse_rod *r) {
    double m[TURNS][TURNS];
    for (int i = 0; i < TURNS; i++)
        for (int j = 0; j < TURNS; j++) m[i][j] = curvature(r, i, j);
    for (int i = 0; i < TURNS; i++) {
        if (m[i][i] <= 0) return false;
        for (int j = i + 1; j < TURNS; j++)
            for (int k = TURNS; k-- > i;) m[j][k] -= m[j][i] / m[i][i] * m[i][k];
    }
    return true;
}

/* Frames that are not twisted from one segment to the next: the first turns the least from the z axis. */
static void set_frames(coarse_rod *r) {
    double t[3] = {0, 0, 1};
    quaternion q = {0, 0, 0, 1};
    for (int k = 0; k < SEGMENTS; k++) {
        const float *p = r->positions + 3 * k;
        double d[3], axis[3];
        for (int i = 0; i < 3; i++) d[i] = (double)p[3 + i] - (double)p[i];
        r->length[k] = sqrt(dot(d, d));
        for (int i = 0; i < 3; i++) d[i] /= r->length[k];
        cross(t, d, axis);
        const double sine = sqrt(dot(axis, axis)), angle = atan2(sine, dot(t, d));
        for (int i = 0; i < 3; i++) axis[i] *= sine > 0 ? angle / sine : 0, t[i] = d[i];
        turn(axis, q, r->frame[k]);
        memcpy(q, r->frame[k], sizeof q);
    }
}

/* W0 of the equilibrium: the turns by which a small turn about each axis costs nothing. Solves three
 * equations a joint by Cramer's rule. */
static void set_rest(coarse_rod *r) {
    double moment[3] = {0, 0, 0}, force[3] = {0, 0, 0};
    for (int k = SEGMENTS; k-- > 0;) {
        const double *a = r->frame[k ? k - 1 : 0];
        double t[3], arm[3], w[3], column[3][3], y[3], row[3];
        axis_of(r->frame[k], 2, t);
        for (int i = 0; i < 3; i++) force[i] += (double)r->mass[k + 1] * LOAD[i];
        cross(t, force, arm);
        for (int i = 0; i < 3; i++) moment[i] += r->length[k] * arm[i];
        turn_between(a, r->frame[k], w);
        /* Of the three parts of W, the change by a turn about each axis of the world. */
        for (int axis = 0; axis < 3; axis++) {
            double small[3] = {0, 0, 0}, up[3], down[3];
            quaternion q;
            small[axis] = 1e-5, turn(small, r->frame[k], q), turn_between(a, q, up);
            small[axis] = -1e-5, turn(small, r->frame[k], q), turn_between(a, q, down);
            for (int i = 0; i < 3; i++) column[i][axis] = (up[i] - down[i]) / 2e-5;
        }
        cross(column[1], column[2], row);
        const double whole = dot(column[0], row);
        y[0] = dot(moment, row) / whole;
        cross(column[2], column[0], row), y[1] = dot(moment, row) / whole;
        cross(column[0], column[1], row), y[2] = dot(moment, row) / whole;
        for (int i = 0; i < 3; i++) r->rest[k][i] = w[i] - y[i] / stiffness_of(r, k, i);
    }
}

/* A zigzag helix whose joints turn by about 50 degrees; stiffness tapers. */
static coarse_rod make_coarse(double stiffness, double twisting, double phase, double ratio) {
    coarse_rod r = {.ratio = ratio};
    for (int k = 0; k < POINTS; k++) {
        const double t = 0.9 * k + phase;
        r.positions[3 * k] = (float)(0.6 * LENGTH / SEGMENTS * 1.1 * cos(t));
        r.positions[3 * k + 1] = (float)(0.6 * LENGTH / SEGMENTS * 1.1 * sin(t));
        r.positions[3 * k + 2] = (float)(0.6 * LENGTH / SEGMENTS * k);
        r.mass[k] = (float)(1e-5 * (1 + 0.1 * k));
        r.bend[k] = (float)(stiffness * (1 - 0.05 * k));
        r.twist[k] = (float)(twisting * stiffness * (1 - 0.03 * k));
    }
    set_frames(&r);
    for (int k = 0; k < SEGMENTS; k++) {
        const double half = (r.length[k] + (k ? r.length[k - 1] : 0)) / 2;
        r.bends[k] = (double)r.bend[k] / half, r.across[k] = ratio * r.bends[k];
        r.twists[k] = (double)r.twist[k] / half;
    }
    set_rest(&r);
    return r;
}

static double engine_factor(const coarse_rod *c) {
    mote_strands_def def = mote_default_strands_def();
    double factor;
    def.strand_count = 1, def.points = POINTS, def.positions = c->positions, def.point_mass = c->mass;
    def.point_bending_stiffness = c->bend, def.point_twisting_stiffness = c->twist;
    def.bending_ratio = (float)c->ratio;
    for (int i = 0; i < 3; i++) def.rest_acceleration[i] = (float)LOAD[i];
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, 0);
    assert_int_equal(mote_strands_stability(r.system, r.id, 0, &factor), MOTE_OK);
    destroy_rope(&r);
    return factor;
}

static const struct {
    double twisting, phase, ratio;
} rod[] = {{0.75, 0, 1}, {0.2, 1, 1}, {3, 2.5, 1}, {1, 4, 1},   {0.75, 5.3, 1},
           {0.1, 3, 1},  {1, 2, 2},   {1.2, 0, 4}, {1.4, 1, 20}};

TEST(energy_does_not_change_by_small_turns_at_rest) {
    for (size_t n = 0; n < COUNT_OF(rod); n++) {
        const coarse_rod r = make_coarse(1e-8, rod[n].twisting, rod[n].phase, rod[n].ratio);
        for (int i = 0; i < TURNS; i++) {
            const double scale = 8e-5 * 10 * LENGTH; /* weight times length, J */
            test_case("rod %zu, turn %d: %g of the weight times length", n, i, slope(&r, i) / scale);
            ASSERT(fabs(slope(&r, i)), <=, 1e-5 * scale);
        }
    }
}

TEST(the_factor_is_that_from_which_on_second_differences_are_positive) {
    for (size_t n = 0; n < COUNT_OF(rod); n++) {
        const double soft = 1e-10;
        const coarse_rod r = make_coarse(soft, rod[n].twisting, rod[n].phase, rod[n].ratio);
        const double factor = engine_factor(&r);
        const coarse_rod held =
                             make_coarse(1.01 * factor * soft, rod[n].twisting, rod[n].phase, rod[n].ratio),
                         falls =
                             make_coarse(0.99 * factor * soft, rod[n].twisting, rod[n].phase, rod[n].ratio);
        test_case("rod %zu: factor %g", n, factor);
        ASSERT(factor, >, 1);
        assert_true(is_stable(&held));
        assert_false(is_stable(&falls));
    }
}
