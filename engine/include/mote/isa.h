/** @file
 * Instruction sets: every hot kernel is compiled once for each; a system chooses one when it is created. */
#ifndef MOTE_ISA_H
#define MOTE_ISA_H

#include <stdbool.h>

#include <mote/result.h>

/** Instruction set of the kernels. The bits of the result do not depend on it. */
typedef enum mote_isa {
    MOTE_ISA_AUTO,    /**< the widest that this build holds and this machine runs */
    MOTE_ISA_SCALAR,  /**< one float at a time */
    MOTE_ISA_SSE2,    /**< 4 floats, x86-64 */
    MOTE_ISA_AVX2,    /**< 8 floats, x86-64 */
    MOTE_ISA_AVX512,  /**< 16 floats, x86-64 */
    MOTE_ISA_NEON,    /**< 4 floats, AArch64 */
    MOTE_ISA_SIMD128, /**< 4 floats, WebAssembly */
    MOTE_ISA_COUNT
} mote_isa;

/** Returns whether this build holds kernels for an instruction set and this processor and operating system
 * run them. AUTO: true. */
MOTE_API bool mote_isa_available(mote_isa isa);

/** Returns the instruction set that AUTO selects on this machine. */
MOTE_API mote_isa mote_isa_best(void);

/** Returns "scalar", "sse2", "avx2", "avx512", "neon", "simd128" or "auto"; "unknown" for anything else. */
MOTE_API const char *mote_isa_name(mote_isa isa);

#endif
