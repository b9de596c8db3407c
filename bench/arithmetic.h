/* The arithmetic probe: loops that compute in registers alone. Their rates are the limits of kernels that are
 * not bound by memory. Fused multiply-add is not used, as in the engine. Additions alone have a rate of their
 * own: some processors add and multiply in units of their own, two of each. Divisions and square roots share
 * one unit. */
#ifndef BENCH_ARITHMETIC_H
#define BENCH_ARITHMETIC_H

#include <stdint.h>

typedef enum arithmetic_kind {
    ARITHMETIC_ADD_MULTIPLY,
    ARITHMETIC_ADD,
    ARITHMETIC_DIVIDE,
    ARITHMETIC_ROOT,
    ARITHMETIC_KINDS
} arithmetic_kind;

/* Computes `rounds` rounds on registers of so many lanes: 4, 8 or 16. Returns the operations done, in lanes;
 * *sink keeps the results alive. */
double arithmetic_run(arithmetic_kind kind, uint32_t lanes, uint64_t rounds, float *sink);

#endif
