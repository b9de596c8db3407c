/* The arithmetic probe: see arithmetic.h. Compiled for this machine, without fused multiply-add. A round
 * takes CHAINS independent registers one operation further (additions and multiplications: two), enough to
 * fill the pipelines of two units. */
#include "arithmetic.h"

enum { CHAINS = 12 };

#define PROBES(lanes, type)                                                                                  \
    static float add_multiply_##lanes(uint64_t rounds, float seed) {                                         \
        type x[CHAINS], a = (type){0} + (0.75f + seed), b = (type){0} + (0.25f + seed);                      \
        for (int k = 0; k < CHAINS; k++) x[k] = (type){0} + (float)k;                                        \
        for (uint64_t i = 0; i < rounds; i++) {                                                              \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) x[k] = x[k] * a + b;                   \
        }                                                                                                    \
        float sum = 0;                                                                                       \
        for (int k = 0; k < CHAINS; k++) sum += x[k][0];                                                     \
        return sum;                                                                                          \
    }                                                                                                        \
    static float add_##lanes(uint64_t rounds, float seed) {                                                  \
        type x[CHAINS], a = (type){0} + (0.75f + seed);                                                      \
        for (int k = 0; k < CHAINS; k++) x[k] = (type){0} + (float)k;                                        \
        for (uint64_t i = 0; i < rounds; i++) {                                                              \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) x[k] = x[k] + a;                       \
        }                                                                                                    \
        float sum = 0;                                                                                       \
        for (int k = 0; k < CHAINS; k++) sum += x[k][0];                                                     \
        return sum;                                                                                          \
    }                                                                                                        \
    static float divide_##lanes(uint64_t rounds, float seed) {                                               \
        type x[CHAINS], a = (type){0} + (2 + seed);                                                          \
        for (int k = 0; k < CHAINS; k++) x[k] = (type){0} + (float)(k + 1);                                  \
        for (uint64_t i = 0; i < rounds; i++) {                                                              \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) x[k] = a / x[k];                       \
        }                                                                                                    \
        float sum = 0;                                                                                       \
        for (int k = 0; k < CHAINS; k++) sum += x[k][0];                                                     \
        return sum;                                                                                          \
    }                                                                                                        \
    static float root_##lanes(uint64_t rounds, float seed) {                                                 \
        type x[CHAINS];                                                                                      \
        for (int k = 0; k < CHAINS; k++) x[k] = (type){0} + ((float)(k + 2) + seed);                         \
        for (uint64_t i = 0; i < rounds; i++) {                                                              \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) {                                      \
                type y = x[k];                                                                               \
                for (int lane = 0; lane < lanes; lane++) y[lane] = __builtin_sqrtf(y[lane]);                 \
                x[k] = y;                                                                                    \
            }                                                                                                \
        }                                                                                                    \
        float sum = 0;                                                                                       \
        for (int k = 0; k < CHAINS; k++) sum += x[k][0];                                                     \
        return sum;                                                                                          \
    }

typedef float vector_4 __attribute__((vector_size(16)));
typedef float vector_8 __attribute__((vector_size(32)));
typedef float vector_16 __attribute__((vector_size(64)));
PROBES(4, vector_4)
PROBES(8, vector_8)
PROBES(16, vector_16)

#define OF_LANES(name) {name##_4, name##_8, name##_16}

double arithmetic_run(arithmetic_kind kind, uint32_t lanes, uint64_t rounds, float *sink) {
    static float (*const probes[ARITHMETIC_KINDS][3])(uint64_t, float) = {
        OF_LANES(add_multiply), OF_LANES(add), OF_LANES(divide), OF_LANES(root)};
    const int width = lanes == 4 ? 0 : lanes == 8 ? 1 : 2;
    *sink += probes[kind][width](rounds, *sink * 0);
    return (kind == ARITHMETIC_ADD_MULTIPLY ? 2.0 : 1.0) * CHAINS * lanes * (double)rounds;
}
