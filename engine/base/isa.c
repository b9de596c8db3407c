/* Processor features as the compiler's run-time library reports them (cpuid and the enabled register
 * state). */
#include "base/isa.h"

#define COMPILED(type, name, isa, id) [MOTE_ISA_##id] = true,
static const bool compiled[MOTE_ISA_COUNT] = {MOTE_COMPILED_ISAS(COMPILED, , )};

/* Every processor of a family supports the instruction sets for which there is no test. */
static bool is_available(int isa) {
    if (isa <= MOTE_ISA_AUTO || isa >= MOTE_ISA_COUNT || !compiled[isa]) return false;
#if defined(__x86_64__)
    if (isa == MOTE_ISA_AVX2) return __builtin_cpu_supports("avx2");
    if (isa == MOTE_ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#elif !defined(__wasm_simd128__)
    if (isa == MOTE_ISA_SIMD128) return false;
#endif
    return true;
}

/* Relies on the order of the enumeration: from narrow to wide within each processor family. */
mote_isa mote_isa_best(void) {
    int best = MOTE_ISA_COUNT - 1;
    while (!is_available(best)) best--;
    return (mote_isa)best;
}

mote_isa mote_isa_resolve(mote_isa isa) {
    if (isa == MOTE_ISA_AUTO) return mote_isa_best();
    return is_available((int)isa) ? isa : MOTE_ISA_COUNT;
}

bool mote_isa_available(mote_isa isa) { return mote_isa_resolve(isa) != MOTE_ISA_COUNT; }

static const char *const names[MOTE_ISA_COUNT] = {"auto",   "scalar", "sse2",   "avx2",
                                                  "avx512", "neon",   "simd128"};

const char *mote_isa_name(mote_isa isa) { return (unsigned)isa < MOTE_ISA_COUNT ? names[isa] : "unknown"; }
