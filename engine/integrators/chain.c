/* Linear chain by its normal modes. Mode j is phi_i = sin(pi a_i / b) on mass i = 1 .. N. The integer a_i
 * grows by the same step from mass to mass, so no angle is rounded:
 *   fixed-free   b = 2N + 1, a_i = (2j - 1) i                    sum of phi^2 = (2N + 1) / 4
 *   fixed-fixed  b = N + 1,  a_i = j i                           (N + 1) / 2
 *   free-free    b = 2N,     a_i = N + (j - 1)(2i - 1): a cosine   N / 2, N for j = 1
 * The ends follow from phi_0 = 0 (wall), phi_(N+1) = phi_N (free). m w^2 phi_i = k (2 phi_i - phi_(i-1) -
 * phi_(i+1)) gives w = 2 sqrt(k/m) sin(half the angle from mass to mass). */
#include <math.h>
#include <mote/chain.h>
#include <string.h>

#include "base/fpu.h"
#include "math/trigonometry.h"

typedef struct chain_mode {
    uint64_t start, step, half_turn; /* a_1, a_(i+1) - a_i, b */
    double per_square;               /* 1 / sum of phi^2 */
    double frequency;                /* rad/s */
} chain_mode;

static chain_mode mode_of(const mote_chain *chain, double stiffness_over_mass, uint32_t j) {
    const uint64_t n = chain->count;
    chain_mode mode = {2 * (uint64_t)j - 1, 2 * (uint64_t)j - 1, 2 * n + 1, 4 / (double)(2 * n + 1), 0};
    if (chain->ends == MOTE_CHAIN_FIXED_FIXED) mode = (chain_mode){j, j, n + 1, 2 / (double)(n + 1), 0};
    if (chain->ends == MOTE_CHAIN_FREE_FREE)
        mode = (chain_mode){n + (j - 1), 2 * ((uint64_t)j - 1), 2 * n, (j == 1 ? 1 : 2) / (double)n, 0};
    mode.frequency =
        2 * __builtin_sqrt(stiffness_over_mass) * mote_sine_of_pi_parts(mode.step, 2 * mode.half_turn);
    return mode;
}

static uint64_t next_mass(const chain_mode *mode, uint64_t a) {
    a += mode->step;
    return a >= 2 * mode->half_turn ? a - 2 * mode->half_turn : a;
}

static mote_result check(const mote_chain *chain) {
    if ((unsigned)chain->ends >= MOTE_CHAIN_ENDS_COUNT) return MOTE_ERROR_ENUM;
    if (!isfinite(chain->mass) || !isfinite(chain->stiffness)) return MOTE_ERROR_NOT_FINITE;
    if (chain->count == 0 || !(chain->mass > 0) || !(chain->stiffness >= 0)) return MOTE_ERROR_RANGE;
    return isfinite(chain->stiffness / chain->mass) ? MOTE_OK : MOTE_ERROR_RANGE;
}

double mote_chain_frequency(const mote_chain *chain, uint32_t mode) {
    mote_fpu_state saved = mote_fpu_enter();
    double frequency = NAN;
    if (chain && check(chain) == MOTE_OK && mode >= 1 && mode <= chain->count)
        frequency = mode_of(chain, chain->stiffness / chain->mass, mode).frequency;
    MOTE_FPU_COMPUTED(frequency);
    mote_fpu_leave(saved);
    return frequency;
}

/* Advances position q and velocity p of a mode by the time: q cos w t + p sin(w t) / w. A mode of frequency 0
 * drifts. Where w t is so small that sin(w t) / (w t) is 1, sin(w t) / w is replaced by t, which is accurate
 * for frequencies down to the smallest double. */
static void advance_mode(double frequency, double time, double *q, double *p) {
    const double phase = frequency * time, x = *q, v = *p;
    const mote_sine_cosine turn = mote_sine_and_cosine(phase);
    *q = x * turn.cosine + v * (__builtin_fabs(phase) < 0x1p-27 ? time : turn.sine / frequency);
    *p = v * turn.cosine - x * (frequency * turn.sine);
}

/* Adds the mode's part of the state after `time` to the scratch: displacements, then velocities. */
static void add_mode(const chain_mode *mode, uint32_t count, double time, const double *displacement,
                     const double *velocity, double *scratch) {
    double q = 0, p = 0;
    uint64_t a = mode->start;
    for (uint32_t i = 0; i < count; i++, a = next_mass(mode, a)) {
        const double shape = mote_sine_of_pi_parts(a, mode->half_turn);
        q += shape * displacement[i];
        p += shape * velocity[i];
    }
    q *= mode->per_square, p *= mode->per_square;
    advance_mode(mode->frequency, time, &q, &p);
    a = mode->start;
    for (uint32_t i = 0; i < count; i++, a = next_mass(mode, a)) {
        const double shape = mote_sine_of_pi_parts(a, mode->half_turn);
        scratch[i] += shape * q;
        scratch[count + (size_t)i] += shape * p;
    }
}

static bool all_finite(const double *values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) finite &= (bool)isfinite(values[i]);
    return finite;
}

static mote_result evolve(const mote_chain *chain, double time, double *displacement, double *velocity,
                          double *scratch) {
    const size_t count = chain->count;
    if (!isfinite(time)) return MOTE_ERROR_NOT_FINITE;
    const double stiffness_over_mass = chain->stiffness / chain->mass;
    memset(scratch, 0, 2 * count * sizeof *scratch);
    for (uint32_t j = 1; j <= chain->count && j != 0; j++) {
        const chain_mode mode = mode_of(chain, stiffness_over_mass, j);
        add_mode(&mode, chain->count, time, displacement, velocity, scratch);
    }
    /* A displacement or velocity that is not finite makes every sum over it so. */
    if (!all_finite(scratch, 2 * count)) return MOTE_ERROR_NOT_FINITE;
    memcpy(displacement, scratch, count * sizeof *scratch);
    memcpy(velocity, scratch + count, count * sizeof *scratch);
    return MOTE_OK;
}

mote_result mote_chain_evolve(const mote_chain *chain, double time, double *displacement, double *velocity,
                              double *scratch) {
    if (!chain || !displacement || !velocity || !scratch) return MOTE_ERROR_NULL;
    mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check(chain);
    if (result == MOTE_OK) result = evolve(chain, time, displacement, velocity, scratch);
    mote_fpu_leave(saved);
    return result;
}
