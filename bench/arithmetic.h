/* The arithmetic probe: loops that compute in registers alone. Their rates are the limits of kernels that are
 * not bound by memory. Additions and multiplications count alike, without fused multiply-add, which the
 * engine does not use; divisions and square roots share one unit of the processor. */
#ifndef BENCH_ARITHMETIC_H
#define BENCH_ARITHMETIC_H

#include <stdint.h>

typedef enum arithmetic_kind {
    ARITHMETIC_ADD_MULTIPLY,
    ARITHMETIC_DIVIDE,
    ARITHMETIC_ROOT,
    ARITHMETIC_KINDS
} arithmetic_kind;

/* Computes `rounds` rounds on registers of so many lanes: 4, 8 or 16. Returns the operations done, in lanes;
 * *sink keeps the results alive. */
double arithmetic_run(arithmetic_kind kind, uint32_t lanes, uint64_t rounds, float *sink);

#endif
