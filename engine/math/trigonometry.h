/* Sine and cosine in double by + - * / only: the same bits everywhere, where those of a C library depend on
 * the processor. Range reduction by pi/2 in three parts with exact products (Dekker, Numer. Math. 18 (1971)
 * 224), then Taylor series on [-pi/4, pi/4] whose first omitted term is below 2^-62 of the sum. Error, with x
 * taken as exact: less than 1 unit in the last place for |x| <= 2^53 (measured: 0.80). Beyond, the reduction
 * errs by about 2^-160 |x|. From 2^900 on, x is replaced by 0. */
#ifndef MOTE_MATH_TRIGONOMETRY_H
#define MOTE_MATH_TRIGONOMETRY_H

#include "base/compiler.h"

typedef struct mote_sine_cosine {
    double sine, cosine;
} mote_sine_cosine;

/* Sum hi + lo, |lo| at most half a unit in the last place of hi. */
typedef struct mote_double_pair {
    double hi, lo;
} mote_double_pair;

/* Exact sum (Knuth) and product (Dekker; |a|, |b| < 2^900) of two doubles. */
MOTE_INLINE mote_double_pair mote_exact_sum(double a, double b) {
    double sum = a + b, of_b = sum - a;
    return (mote_double_pair){sum, (a - (sum - of_b)) + (b - of_b)};
}

MOTE_INLINE mote_double_pair mote_exact_product(double a, double b) {
    const double split = 0x1p27 + 1;
    double big_a = a * split, big_b = b * split;
    double a1 = big_a - (big_a - a), b1 = big_b - (big_b - b), a2 = a - a1, b2 = b - b1, product = a * b;
    return (mote_double_pair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* Returns sin(hi + lo) for |hi| <= pi/4: hi - hi^3/3! + ..., plus lo cos(hi). */
MOTE_INLINE double mote_sine_near_0(mote_double_pair x) {
    const double z = x.hi * x.hi;
    double sum = 1.0 / 355687428096000.0; /* 1/17! */
    sum = -1.0 / 1307674368000.0 + z * sum;
    sum = 1.0 / 6227020800.0 + z * sum;
    sum = -1.0 / 39916800.0 + z * sum;
    sum = 1.0 / 362880.0 + z * sum;
    sum = -1.0 / 5040.0 + z * sum;
    sum = 1.0 / 120.0 + z * sum;
    sum = -1.0 / 6.0 + z * sum;
    return x.hi + (z * x.hi * sum + (x.lo - 0.5 * z * x.lo));
}

/* Returns cos(hi + lo) for |hi| <= pi/4: 1 - z/2 with its rounding error, + z^2/4! - ..., minus lo
 * sin(hi). */
MOTE_INLINE double mote_cosine_near_0(mote_double_pair x) {
    const double z = x.hi * x.hi, half = 0.5 * z, leading = 1.0 - half;
    double sum = -1.0 / 6402373705728000.0; /* 1/18! */
    sum = 1.0 / 20922789888000.0 + z * sum;
    sum = -1.0 / 87178291200.0 + z * sum;
    sum = 1.0 / 479001600.0 + z * sum;
    sum = -1.0 / 3628800.0 + z * sum;
    sum = 1.0 / 40320.0 + z * sum;
    sum = -1.0 / 720.0 + z * sum;
    sum = 1.0 / 24.0 + z * sum;
    return leading + (((1.0 - leading) - half) + (z * z * sum - x.hi * x.lo));
}

#define MOTE_HALF_PI_1  0x1.921fb54442d18p+0 /* pi/2: the sum of the three, to 2^-164 */
#define MOTE_HALF_PI_2  0x1.1a62633145c07p-54
#define MOTE_HALF_PI_3  (-0x1.f1976b7ed8fbcp-110)
#define MOTE_QUARTER_PI 0x1.921fb54442d18p-1

/* Rounds x to the nearest integer; |x| >= 2^52 is an integer already. */
MOTE_INLINE double mote_nearest_whole(double x) {
    if (!(__builtin_fabs(x) < 0x1p52)) return x;
    return x < 0 ? (x - 0x1p52) + 0x1p52 : (x + 0x1p52) - 0x1p52;
}

/* Returns x minus an integer number of quarter turns, which is counted modulo 4; |x| < 2^900. An iteration
 * reduces x by a factor of 2^-50, so all but large x need one or two. */
MOTE_INLINE mote_double_pair mote_less_quarter_turns(double x, uint32_t *quarters) {
    mote_double_pair rest = {x, 0};
    *quarters = 0;
    for (int turn = 0; turn < 32 && __builtin_fabs(rest.hi) > MOTE_QUARTER_PI; turn++) {
        const double n = mote_nearest_whole(rest.hi * 0x1.45f306dc9c883p-1); /* 2/pi */
        *quarters += __builtin_fabs(n) < 0x1p62 ? (uint32_t)((uint64_t)(int64_t)n & 3)
                                                : 0; /* larger n are multiples of 4 */
        /* Subtracts n pi/2 by exact products and sums; `small` collects the rounding errors. */
        mote_double_pair first = mote_exact_product(n, MOTE_HALF_PI_1),
                         second = mote_exact_product(n, MOTE_HALF_PI_2);
        mote_double_pair a = mote_exact_sum(rest.hi, -first.hi);
        mote_double_pair b = mote_exact_sum(a.hi, -first.lo);
        mote_double_pair c = mote_exact_sum(b.hi, -second.hi);
        double small = (a.lo + b.lo) + (c.lo + ((rest.lo - second.lo) - n * MOTE_HALF_PI_3));
        rest = mote_exact_sum(c.hi, small);
    }
    return rest;
}

/* Returns sine and cosine of x; NaN if x is not finite. */
MOTE_INLINE mote_sine_cosine mote_sine_and_cosine(double x) {
    if (!(__builtin_fabs(x) <= 0x1.fffffffffffffp+1023)) return (mote_sine_cosine){x - x, x - x};
    if (!(__builtin_fabs(x) < 0x1p900)) x = 0;
    uint32_t quarters;
    const mote_double_pair rest = mote_less_quarter_turns(x, &quarters);
    const double sine = mote_sine_near_0(rest), cosine = mote_cosine_near_0(rest);
    const bool swapped = quarters & 1;
    mote_sine_cosine result = {swapped ? cosine : sine, swapped ? sine : cosine};
    if (quarters & 2) result.sine = -result.sine;
    if ((quarters + 1) & 2) result.cosine = -result.cosine;
    return result;
}

/* Returns sin(pi a / b) for 0 <= a <= 2 b, 0 < b < 2^51, to 1 unit in the last place (measured: 0.79). The
 * angle is reduced in integers, so that sin(pi) is 0 and equal angles give equal bits. */
MOTE_INLINE double mote_sine_of_pi_parts(uint64_t a, uint64_t b) {
    /* Reduces the angle to [0, pi/4] by symmetry. */
    const bool negative = a > b;
    if (negative) a = 2 * b - a;
    if (2 * a > b) a = b - a;
    const bool use_cosine = 4 * a > b; /* uses sin(pi a / b) = cos(pi (b - 2 a) / (2 b)) */
    const double numerator = (double)(use_cosine ? b - 2 * a : a),
                 denominator = (double)(use_cosine ? 2 * b : b);
    /* Quotient with its rounding error, times pi in two parts. */
    const double ratio = numerator / denominator;
    const mote_double_pair product_back = mote_exact_product(ratio, denominator),
                           angle = mote_exact_product(ratio, 2 * MOTE_HALF_PI_1);
    const double residual = ((numerator - product_back.hi) - product_back.lo) / denominator;
    const double rest = angle.lo + (residual * (2 * MOTE_HALF_PI_1) + ratio * (2 * MOTE_HALF_PI_2));
    const mote_double_pair x = mote_exact_sum(angle.hi, rest);
    const double sine = use_cosine ? mote_cosine_near_0(x) : mote_sine_near_0(x);
    return negative ? -sine : sine;
}

#endif
