/* Processor features as the compiler's run-time library reports them (cpuid and the enabled register
 * state). */
#include "base/isa.h"

static bool is_compiled(mote_isa isa) {
    switch (isa) {
    case MOTE_ISA_SCALAR:
        MOTE_IF_SSE2(case MOTE_ISA_SSE2:)
        MOTE_IF_AVX2(case MOTE_ISA_AVX2:)
        MOTE_IF_AVX512(case MOTE_ISA_AVX512:)
        MOTE_IF_NEON(case MOTE_ISA_NEON:)
        MOTE_IF_SIMD128(case MOTE_ISA_SIMD128:)
        return true;
    default:
        return false;
    }
}

static bool processor_supports(mote_isa isa) {
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

/* Relies on the order of the enumeration: from narrow to wide within each processor family. */
mote_isa mote_isa_best(void) {
    mote_isa best = MOTE_ISA_SCALAR;
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        if (is_compiled((mote_isa)isa) && processor_supports((mote_isa)isa)) best = (mote_isa)isa;
    return best;
}

mote_isa mote_isa_resolve(mote_isa isa) {
    if (isa == MOTE_ISA_AUTO) return mote_isa_best();
    return is_compiled(isa) && processor_supports(isa) ? isa : MOTE_ISA_COUNT;
}

bool mote_isa_available(mote_isa isa) { return mote_isa_resolve(isa) != MOTE_ISA_COUNT; }

static const char *const names[MOTE_ISA_COUNT] = {"auto",   "scalar", "sse2",   "avx2",
                                                  "avx512", "neon",   "simd128"};

const char *mote_isa_name(mote_isa isa) { return (unsigned)isa < MOTE_ISA_COUNT ? names[isa] : "unknown"; }
