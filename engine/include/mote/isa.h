/* Instruction sets: every hot kernel is compiled once for each and chosen when a system is created. */
#ifndef MOTE_ISA_H
#define MOTE_ISA_H

#include <stdbool.h>

#include <mote/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of the result do not depend on the choice. AUTO: the widest that this build and machine can
 * run. */
typedef enum mote_isa {
    MOTE_ISA_AUTO,
    MOTE_ISA_SCALAR,
    MOTE_ISA_SSE2,
    MOTE_ISA_AVX2,
    MOTE_ISA_AVX512,
    MOTE_ISA_NEON,
    MOTE_ISA_SIMD128,
    MOTE_ISA_COUNT
} mote_isa;

/* Whether this build holds kernels for it and this processor and operating system run them. AUTO: true. */
MOTE_API bool mote_isa_available(mote_isa isa);

/* What AUTO stands for on this machine. */
MOTE_API mote_isa mote_isa_best(void);

/* "scalar", "sse2", "avx2", "avx512", "neon", "simd128", "auto"; "unknown" for anything else. */
MOTE_API const char *mote_isa_name(mote_isa isa);

#ifdef __cplusplus
}
#endif
#endif
