/* The linear chain: every mode against a dense eigenvalue solution, the composition of flows, conserved
 * quantities, bad input; and the sine and cosine that it computes with. Published figures are an experiment
 * of mote-bench verify. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <mote/chain.h>
#include <string.h>

#include "math/trigonometry.h"
#include "systems.h"

enum { MOST = 40 };
#define ROUNDING 0x1p-53

static double reals_between(random_source *random, double low, double high) {
    return low + (high - low) * (double)(random_bits(random) >> 11) * ROUNDING;
}

/* The effect of rounding on a displacement: the phase of each of the N modes is off by 5 roundings of w t
 * (the header), each transform sums N products, whose rounding errors are at most N + 3 roundings of the sum
 * of magnitudes. amplitude: sum over the modes of the largest |x| that each reaches, at most sqrt(N) times
 * the Euclidean norm of the state. */
static double rounding_of(const mote_chain *chain, double time, double amplitude) {
    double phase = 2 * sqrt(chain->stiffness / chain->mass) * fabs(time);
    return ROUNDING * (5 * phase + 2 * (chain->count + 3)) * amplitude;
}

static double norm_of(const mote_chain *chain, const double *x, const double *v) {
    double slowest = HUGE_VAL, square = 0;
    for (uint32_t j = 1; j <= chain->count; j++) {
        double w = mote_chain_frequency(chain, j);
        if (w > 0) slowest = fmin(slowest, w);
    }
    for (uint32_t i = 0; i < chain->count; i++) square += x[i] * x[i] + v[i] * v[i] / (slowest * slowest);
    return sqrt(chain->count * square);
}

/* --- Sine and cosine --- */

/* In units of the last place of `want`, beyond an error of `apart`. */
static double units_off(double got, long double want, double apart) {
    int exponent;
    frexpl(want, &exponent);
    return (double)((fabsl((long double)got - want) - apart) / ldexpl(1, exponent - DBL_MANT_DIG));
}

/* The promise of the header: 1 unit, and above 2^53 the loss of the reduction. */
static void check_angle(double x) {
    mote_sine_cosine got = mote_sine_and_cosine(x);
    double lost = fabs(x) > 0x1p53 ? 0x1p-158 * fabs(x) : 0;
    double off = fmax(units_off(got.sine, sinl((long double)x), lost),
                      units_off(got.cosine, cosl((long double)x), lost));
    if (x != 0 && !(off <= 1)) fail_msg("at %.17g: %g units in the last place off", x, off);
}

TEST(sine_and_cosine_are_right_to_a_unit_in_the_last_place) {
    if (LDBL_MANT_DIG == DBL_MANT_DIG) skip(); /* nothing to compare with */
    random_source random = {31};
    for (int i = 0; i < 50000; i++) {
        check_angle(reals_between(&random, -1, 1));
        check_angle(reals_between(&random, -1e3, 1e3));
        check_angle(reals_between(&random, -1e6, 1e6));
        check_angle(ldexp(reals_between(&random, -1, 1), (int)random_below(&random, 200) - 100));
    }
    /* Next to multiples of pi/2 nearly everything cancels. */
    for (int n = 1; n < 600000; n += 31)
        for (int step = -1; step <= 1; step++)
            check_angle(nextafter((double)(n * 1.57079632679489661923132L), step * 1e9));
}

TEST(sine_and_cosine_are_sane_for_huge_tiny_and_missing_angles) {
    static const double large[] = {1e22, 1e50, 1e200, 0x1p899, 0x1p900, DBL_MAX, -DBL_MAX};
    for (size_t i = 0; i < COUNT_OF(large); i++) {
        mote_sine_cosine got = mote_sine_and_cosine(large[i]);
        ASSERT_NEAR(got.sine * got.sine + got.cosine * got.cosine, 1, 4 * ROUNDING);
    }
    static const double none[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        mote_sine_cosine got = mote_sine_and_cosine(none[i]);
        assert_true(isnan(got.sine));
        assert_true(isnan(got.cosine));
    }
    ASSERT(mote_sine_and_cosine(0).sine, ==, 0);
    ASSERT(mote_sine_and_cosine(0).cosine, ==, 1);
    ASSERT(mote_sine_and_cosine(0x1p-1074).sine, ==, 0x1p-1074);
}

TEST(the_sine_of_parts_of_pi_is_right_to_a_unit_in_the_last_place) {
    random_source random = {32};
    for (int i = 0; i < 50000; i++) {
        uint64_t b = 1 + random_bits(&random) % (i % 2 ? 100 : UINT64_C(1) << 34),
                 a = random_bits(&random) % (2 * b + 1);
        double got = mote_sine_of_pi_parts(a, b);
        /* pi a / b from the nearest multiple of pi, so that the reference has all its digits. */
        int64_t rest = (int64_t)(a % b * 2 > b ? a % b - b : a % b);
        long double want = sinl(3.14159265358979323846264338327950288L * rest / (long double)b);
        if (((rest < 0) ? (a / b + 1) : a / b) % 2) want = -want;
        if (rest == 0)
            ASSERT(got, ==, 0);
        else if (LDBL_MANT_DIG > DBL_MANT_DIG && !(units_off(got, want, 0) <= 1))
            fail_msg("sin(pi %llu/%llu): %g off", (unsigned long long)a, (unsigned long long)b,
                     units_off(got, want, 0));
    }
}

/* --- Modes --- */

TEST(frequencies_are_those_of_the_closed_forms) {
    const double pi = acos(-1);
    for (uint32_t n = 1; n < 200; n++)
        for (uint32_t j = 1; j <= n; j++) {
            const double theta[] = {(2 * j - 1) * pi / (2 * (2 * n + 1)), j * pi / (2 * (n + 1)),
                                    (j - 1) * pi / (2 * n)};
            for (int ends = 0; ends < MOTE_CHAIN_ENDS_COUNT; ends++) {
                const mote_chain chain = {(mote_chain_ends)ends, n, 0.5, 50};
                ASSERT_NEAR(mote_chain_frequency(&chain, j), 20 * sin(theta[ends]),
                            8 * ROUNDING * 20 * sin(theta[ends]));
            }
        }
    const mote_chain one = {MOTE_CHAIN_FIXED_FREE, 1, 2, 8};
    ASSERT_NEAR(mote_chain_frequency(&one, 1), 2, 2 * ROUNDING);
}

typedef struct dense {
    double k[MOST][MOST], modes[MOST][MOST]; /* the matrix becomes diagonal; modes: in columns */
} dense;

static double stiffness_to_wall(const mote_chain *chain, bool last) {
    if (chain->ends == MOTE_CHAIN_FREE_FREE) return 0;
    return !last || chain->ends == MOTE_CHAIN_FIXED_FIXED ? chain->stiffness : 0;
}

static void assemble(const mote_chain *chain, dense *d) {
    const uint32_t n = chain->count;
    memset(d, 0, sizeof *d);
    for (uint32_t i = 0; i < n; i++) d->modes[i][i] = 1;
    for (uint32_t i = 0; i + 1 < n; i++) {
        d->k[i][i] += chain->stiffness, d->k[i + 1][i + 1] += chain->stiffness;
        d->k[i][i + 1] -= chain->stiffness, d->k[i + 1][i] -= chain->stiffness;
    }
    d->k[0][0] += stiffness_to_wall(chain, false);
    d->k[n - 1][n - 1] += stiffness_to_wall(chain, true);
}

static void rotate(double *a, double *b, double c, double s) {
    double x = *a, y = *b;
    *a = c * x - s * y, *b = s * x + c * y;
}

/* One of Jacobi's rotations (1846): makes k[p][q] zero. */
static void jacobi(dense *d, uint32_t n, uint32_t p, uint32_t q) {
    if (d->k[p][q] == 0) return;
    double theta = (d->k[q][q] - d->k[p][p]) / (2 * d->k[p][q]), t = 1 / (fabs(theta) + hypot(theta, 1));
    if (theta < 0) t = -t;
    double c = 1 / hypot(t, 1), s = t * c;
    for (uint32_t i = 0; i < n; i++) rotate(&d->k[p][i], &d->k[q][i], c, s);
    for (uint32_t i = 0; i < n; i++) rotate(&d->k[i][p], &d->k[i][q], c, s);
    for (uint32_t i = 0; i < n; i++) rotate(&d->modes[i][p], &d->modes[i][q], c, s);
}

static void solve(const mote_chain *chain, dense *d) {
    assemble(chain, d);
    for (int sweep = 0; sweep < 12; sweep++)
        for (uint32_t p = 0; p < chain->count; p++)
            for (uint32_t q = p + 1; q < chain->count; q++) jacobi(d, chain->count, p, q);
}

/* The mode of the chain that has the eigenvalue; each is taken once. Jacobi's eigenvalues are good to some
 * roundings of the largest, 4 k. */
static uint32_t mode_with(const mote_chain *chain, double eigenvalue, bool taken[MOST + 1]) {
    const double allowed = 100 * ROUNDING * 4 * chain->stiffness;
    for (uint32_t j = 1; j <= chain->count; j++) {
        double w = mote_chain_frequency(chain, j);
        if (taken[j] || !(fabs(chain->mass * w * w - eigenvalue) <= allowed)) continue;
        taken[j] = true;
        return j;
    }
    fail_msg("no mode has m w^2 = %.17g", eigenvalue);
    return 0;
}

/* An eigenvector, set swinging, stays one: x(t) = phi (cos w t + u sin(w t) / w), v(t) = phi (u cos w t - w
 * sin w t). A neighbouring mode takes part by the vector's own error, some roundings over the relative gap,
 * of which the smallest here is that of sin near pi/2: 2 / N^2. */
static void check_mode(const mote_chain *chain, const dense *d, uint32_t column, uint32_t j) {
    const double w = mote_chain_frequency(chain, j), time = 3.7, u = 2, *phi = d->modes[0] + column,
                 fastest = 2 * sqrt(chain->stiffness / chain->mass);
    const double cosine = cos(w * time), sine = w > 0 ? sin(w * time) / w : time;
    const double amplitude = 1 + u * fmin(time, 1 / w);
    const double allowed =
        rounding_of(chain, time, amplitude) + 100 * ROUNDING * chain->count * chain->count * amplitude;
    double x[MOST], v[MOST], scratch[2 * MOST];
    for (uint32_t i = 0; i < chain->count; i++) x[i] = phi[i * MOST], v[i] = u * x[i];
    OK(mote_chain_evolve(chain, time, x, v, scratch));
    for (uint32_t i = 0; i < chain->count; i++) {
        ASSERT_NEAR(x[i], phi[i * MOST] * (cosine + u * sine), allowed);
        ASSERT_NEAR(v[i], phi[i * MOST] * (u * cosine - w * w * sine), allowed * fastest);
    }
}

TEST(every_mode_of_the_dense_matrix_swings_at_its_frequency) {
    static const uint32_t counts[] = {1, 2, 3, 8, 17, MOST};
    static dense d;
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        for (int ends = 0; ends < MOTE_CHAIN_ENDS_COUNT; ends++) {
            const mote_chain chain = {(mote_chain_ends)ends, counts[c], 0.7, 31};
            bool taken[MOST + 1] = {false};
            solve(&chain, &d);
            for (uint32_t i = 0; i < chain.count; i++)
                check_mode(&chain, &d, i, mode_with(&chain, d.k[i][i], taken));
        }
}

/* --- Every flow --- */

static double energy_of(const mote_chain *chain, const double *x, const double *v) {
    const uint32_t n = chain->count;
    double twice =
        stiffness_to_wall(chain, false) * x[0] * x[0] + stiffness_to_wall(chain, true) * x[n - 1] * x[n - 1];
    for (uint32_t i = 0; i < n; i++) twice += chain->mass * v[i] * v[i];
    for (uint32_t i = 0; i + 1 < n; i++) twice += chain->stiffness * (x[i + 1] - x[i]) * (x[i + 1] - x[i]);
    return 0.5 * twice;
}

static double sum_of(const double *values, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += values[i];
    return sum;
}

typedef struct motion {
    mote_chain chain;
    double x[MOST], v[MOST];
} motion;

static motion random_motion(random_source *random, mote_chain_ends ends) {
    motion m = {
        {ends, 1 + random_below(random, MOST), reals_between(random, 0.1, 9), reals_between(random, 0, 99)},
        {0},
        {0}};
    for (uint32_t i = 0; i < m.chain.count; i++)
        m.x[i] = reals_between(random, -1, 1), m.v[i] = reals_between(random, -9, 9);
    return m;
}

static motion after(const motion *m, double time) {
    motion result = *m;
    double scratch[2 * MOST];
    OK(mote_chain_evolve(&m->chain, time, result.x, result.v, scratch));
    return result;
}

/* size: the largest displacement that the motion reaches; speed: the largest velocity. */
static void assert_same(const motion *a, const motion *b, double roundings, double size, double speed) {
    for (uint32_t i = 0; i < a->chain.count; i++) {
        ASSERT_NEAR(a->x[i], b->x[i], roundings * size);
        ASSERT_NEAR(a->v[i], b->v[i], roundings * speed);
    }
}

TEST(flows_compose_go_back_and_conserve_energy_and_momentum) {
    random_source random = {34};
    for (int turn = 0; turn < 300; turn++) {
        const motion start = random_motion(&random, (mote_chain_ends)(turn % MOTE_CHAIN_ENDS_COUNT));
        const mote_chain *chain = &start.chain;
        const double t1 = reals_between(&random, -20, 20), t2 = reals_between(&random, -20, 20);
        const double drift = 9 * (fabs(t1) + fabs(t2)),
                     size = norm_of(chain, start.x, start.v) + sqrt(chain->count) * drift;
        const double speed = size * 2 * sqrt(chain->stiffness / chain->mass) + 9 * chain->count;
        const double roundings = 3 * rounding_of(chain, fabs(t1) + fabs(t2), 1);
        motion first = after(&start, t1), both = after(&first, t2), once = after(&start, t1 + t2),
               back = after(&first, -t1);
        assert_same(&both, &once, roundings, size, speed);
        assert_same(&back, &start, roundings, size, speed);
        const double energy = energy_of(chain, start.x, start.v);
        /* Energy goes with the square of the state, whose fastest part weighs most. */
        double largest = energy_of(chain, first.x, first.v) + energy;
        ASSERT_NEAR(energy_of(chain, once.x, once.v), energy, 4 * roundings * largest * chain->count);
        if (chain->ends != MOTE_CHAIN_FREE_FREE) continue;
        double v0 = sum_of(start.v, chain->count), allowed = 4 * ROUNDING * chain->count * speed;
        ASSERT_NEAR(sum_of(once.v, chain->count), v0, allowed);
        ASSERT_NEAR(sum_of(once.x, chain->count), sum_of(start.x, chain->count) + v0 * (t1 + t2),
                    2 * allowed * (40 + 1));
    }
}

TEST(masses_without_springs_and_a_single_free_mass_fly_straight_on) {
    for (int ends = 0; ends < MOTE_CHAIN_ENDS_COUNT; ends++) {
        motion loose = {{(mote_chain_ends)ends, 5, 2, 0}, {1, 2, 3, 4, 5}, {-1, 0, 1, 2, 0.5}};
        motion there = after(&loose, 1000);
        for (int i = 0; i < 5; i++)
            ASSERT_NEAR(there.x[i], loose.x[i] + 1000 * loose.v[i], 40 * ROUNDING * 5000);
    }
    motion one = {{MOTE_CHAIN_FREE_FREE, 1, 2, 9}, {1}, {3}}, there = after(&one, -1e30);
    ASSERT_NEAR(there.x[0], -3e30, 2 * ROUNDING * 3e30);
    ASSERT(there.v[0], ==, 3);
}

/* sin(w t) / w from where it is t up to a whole turn, to some roundings; and where w t has hardly any
 * digits. */
TEST(a_flow_is_exact_for_short_times_and_slow_modes) {
    for (double time = 6; time > 1e-15; time *= 0.6) {
        motion m = {{MOTE_CHAIN_FIXED_FREE, 1, 2, 2}, {0}, {3}}, there = after(&m, time);
        ASSERT_NEAR(there.x[0], 3 * sin(time), 8 * ROUNDING * 3 * fmin(time, 1));
        ASSERT_NEAR(there.v[0], 3 * cos(time), 8 * ROUNDING * 3);
    }
    motion faint = {{MOTE_CHAIN_FIXED_FREE, 1, 1, 1e-300}, {0}, {3}};
    ASSERT_NEAR(after(&faint, 100).x[0], 300, 300 * ROUNDING);
    ASSERT_NEAR(after(&faint, 1e-170).x[0], 3e-170, 3e-170 * 2 * ROUNDING);
}

/* --- Bad input --- */

static void expect_refused(mote_chain chain, double time, double x0, double v1, mote_result want) {
    double x[3] = {x0, 2, 3}, v[3] = {4, v1, 6}, scratch[6], kept_x[3], kept_v[3];
    memcpy(kept_x, x, sizeof x), memcpy(kept_v, v, sizeof v);
    assert_int_equal(mote_chain_evolve(&chain, time, x, v, scratch), want);
    assert_memory_equal(x, kept_x, sizeof x);
    assert_memory_equal(v, kept_v, sizeof v);
}

TEST(numbers_that_are_not_finite_are_refused) {
    const mote_chain good = {MOTE_CHAIN_FREE_FREE, 3, 1, 1};
    static const double numbers[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        const double number = numbers[i];
        const mote_chain wrong_mass = {MOTE_CHAIN_FREE_FREE, 3, number, 1};
        expect_refused(good, number, 1, 1, MOTE_ERROR_NOT_FINITE);
        expect_refused(good, 1, number, 1, MOTE_ERROR_NOT_FINITE);
        expect_refused(good, 1, 1, number, MOTE_ERROR_NOT_FINITE);
        expect_refused(wrong_mass, 1, 1, 1, MOTE_ERROR_NOT_FINITE);
        expect_refused((mote_chain){MOTE_CHAIN_FREE_FREE, 3, 1, number}, 1, 1, 1, MOTE_ERROR_NOT_FINITE);
        assert_true(isnan(mote_chain_frequency(&wrong_mass, 1)));
    }
    /* Displacements that would exceed all numbers. */
    expect_refused(good, 1e300, 1e300, 1e300, MOTE_ERROR_NOT_FINITE);
    expect_refused((mote_chain){MOTE_CHAIN_FREE_FREE, 3, 1, 1e20}, 1, DBL_MAX, 1, MOTE_ERROR_NOT_FINITE);
    /* The displacement of a single mass does, its velocity does not. */
    expect_refused((mote_chain){MOTE_CHAIN_FREE_FREE, 1, 1, 1}, 1e308, 1, 1, MOTE_ERROR_NOT_FINITE);
}

TEST(wrong_chains_are_refused) {
    static const struct {
        mote_chain chain;
        mote_result code;
    } wrong[] = {{{MOTE_CHAIN_ENDS_COUNT, 3, 1, 1}, MOTE_ERROR_ENUM},
                 {{(mote_chain_ends)-1, 3, 1, 1}, MOTE_ERROR_ENUM},
                 {{MOTE_CHAIN_FREE_FREE, 0, 1, 1}, MOTE_ERROR_RANGE},
                 {{MOTE_CHAIN_FREE_FREE, 3, 0, 1}, MOTE_ERROR_RANGE},
                 {{MOTE_CHAIN_FREE_FREE, 3, -1, 1}, MOTE_ERROR_RANGE},
                 {{MOTE_CHAIN_FREE_FREE, 3, 1, -1}, MOTE_ERROR_RANGE},
                 {{MOTE_CHAIN_FREE_FREE, 3, 1e-200, 1e200}, MOTE_ERROR_RANGE}};
    const mote_chain good = {MOTE_CHAIN_FREE_FREE, 3, 1, 1};
    double x[3] = {0}, v[3] = {0}, scratch[6];
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        test_case("row %u", (unsigned)i);
        expect_refused(wrong[i].chain, 1, 1, 1, wrong[i].code);
    }
    REFUSALS(NULL, REFUSES(NULL, mote_chain_evolve(NULL, 1, x, v, scratch)),
             REFUSES(NULL, mote_chain_evolve(&good, 1, NULL, v, scratch)),
             REFUSES(NULL, mote_chain_evolve(&good, 1, x, NULL, scratch)),
             REFUSES(NULL, mote_chain_evolve(&good, 1, x, v, NULL)));
    assert_true(isnan(mote_chain_frequency(NULL, 1)));
    assert_true(isnan(mote_chain_frequency(&good, 0)));
    assert_true(isnan(mote_chain_frequency(&good, 4)));
    assert_false(isnan(mote_chain_frequency(&good, 3)));
}
