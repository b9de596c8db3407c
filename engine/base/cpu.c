/* Processor features, as the compiler's run-time library reports them (cpuid and the enabled register
 * state). */
#include "base/cpu.h"

bool mote_cpu_runs(mote_isa isa) {
    switch (isa) {
    case MOTE_ISA_SCALAR:
        return true;
#if defined(__x86_64__)
    case MOTE_ISA_SSE2:
        return true;
    case MOTE_ISA_AVX2:
        return __builtin_cpu_supports("avx2");
    case MOTE_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#elif defined(__aarch64__)
    case MOTE_ISA_NEON:
        return true;
#elif defined(__wasm_simd128__)
    case MOTE_ISA_SIMD128:
        return true;
#endif
    default:
        return false;
    }
}
