/* Which table of kernels runs on this machine. */
#include "base/cpu.h"
#include "kernels/kernels.h"

extern const mote_kernels mote_kernels_scalar;
#if defined(MOTE_HAVE_SSE2)
extern const mote_kernels mote_kernels_sse2;
#endif
#if defined(MOTE_HAVE_AVX2)
extern const mote_kernels mote_kernels_avx2;
#endif
#if defined(MOTE_HAVE_AVX512)
extern const mote_kernels mote_kernels_avx512;
#endif
#if defined(MOTE_HAVE_NEON)
extern const mote_kernels mote_kernels_neon;
#endif
#if defined(MOTE_HAVE_SIMD128)
extern const mote_kernels mote_kernels_simd128;
#endif

static const mote_kernels *const compiled[MOTE_ISA_COUNT] = {
    [MOTE_ISA_SCALAR] = &mote_kernels_scalar,
#if defined(MOTE_HAVE_SSE2)
    [MOTE_ISA_SSE2] = &mote_kernels_sse2,
#endif
#if defined(MOTE_HAVE_AVX2)
    [MOTE_ISA_AVX2] = &mote_kernels_avx2,
#endif
#if defined(MOTE_HAVE_AVX512)
    [MOTE_ISA_AVX512] = &mote_kernels_avx512,
#endif
#if defined(MOTE_HAVE_NEON)
    [MOTE_ISA_NEON] = &mote_kernels_neon,
#endif
#if defined(MOTE_HAVE_SIMD128)
    [MOTE_ISA_SIMD128] = &mote_kernels_simd128,
#endif
};

static const char *const names[MOTE_ISA_COUNT] = {"auto",   "scalar", "sse2",   "avx2",
                                                  "avx512", "neon",   "simd128"};

const char *mote_isa_name(mote_isa isa) { return (unsigned)isa < MOTE_ISA_COUNT ? names[isa] : "unknown"; }

bool mote_isa_available(mote_isa isa) { return mote_kernels_for(isa) != NULL; }

/* The enumeration lists each processor family's sets from narrow to wide. */
mote_isa mote_isa_best(void) {
    mote_isa best = MOTE_ISA_SCALAR;
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        if (compiled[isa] && mote_cpu_runs((mote_isa)isa)) best = (mote_isa)isa;
    return best;
}

const mote_kernels *mote_kernels_for(mote_isa isa) {
    if (isa == MOTE_ISA_AUTO) return compiled[mote_isa_best()];
    if ((unsigned)isa >= MOTE_ISA_COUNT || !mote_cpu_runs(isa)) return NULL;
    return compiled[isa];
}
