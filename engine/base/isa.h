/* Instruction sets: those with kernels in this build, and those that the machine supports. */
#ifndef MOTE_BASE_ISA_H
#define MOTE_BASE_ISA_H

#include <mote/isa.h>

/* Returns the instruction set that AUTO selects, or `isa` itself; MOTE_ISA_COUNT if the build or the machine
 * lacks it. */
mote_isa mote_isa_resolve(mote_isa isa);

/* Kernel tables. A file of kernels is compiled once per instruction set and defines one table,
 * MOTE_KERNEL_TABLE(name): `name` followed by the instruction set. MOTE_KERNEL_LOOKUP(type, name) defines
 * name##_for(isa), which returns the table of an instruction set, or NULL if the build or the machine lacks
 * it. */
#define MOTE_KERNEL_TABLE__(name, isa) name##_##isa
#define MOTE_KERNEL_TABLE_(name, isa)  MOTE_KERNEL_TABLE__(name, isa)
#define MOTE_KERNEL_TABLE(name)        MOTE_KERNEL_TABLE_(name, MOTE_ISA)

#if defined(MOTE_HAVE_SSE2)
#define MOTE_IF_SSE2(...) __VA_ARGS__
#else
#define MOTE_IF_SSE2(...)
#endif
#if defined(MOTE_HAVE_AVX2)
#define MOTE_IF_AVX2(...) __VA_ARGS__
#else
#define MOTE_IF_AVX2(...)
#endif
#if defined(MOTE_HAVE_AVX512)
#define MOTE_IF_AVX512(...) __VA_ARGS__
#else
#define MOTE_IF_AVX512(...)
#endif
#if defined(MOTE_HAVE_NEON)
#define MOTE_IF_NEON(...) __VA_ARGS__
#else
#define MOTE_IF_NEON(...)
#endif
#if defined(MOTE_HAVE_SIMD128)
#define MOTE_IF_SIMD128(...) __VA_ARGS__
#else
#define MOTE_IF_SIMD128(...)
#endif

#define MOTE_KERNEL_LOOKUP(type, name)                                                                       \
    extern const type name##_scalar;                                                                         \
    MOTE_IF_SSE2(extern const type name##_sse2;)                                                             \
    MOTE_IF_AVX2(extern const type name##_avx2;)                                                             \
    MOTE_IF_AVX512(extern const type name##_avx512;)                                                         \
    MOTE_IF_NEON(extern const type name##_neon;)                                                             \
    MOTE_IF_SIMD128(extern const type name##_simd128;)                                                       \
    static const type *const name##_tables[MOTE_ISA_COUNT + 1] = {                                           \
        [MOTE_ISA_SCALAR] = &name##_scalar,                                                                  \
        MOTE_IF_SSE2([MOTE_ISA_SSE2] = &name##_sse2, ) MOTE_IF_AVX2([MOTE_ISA_AVX2] = &name##_avx2, )        \
            MOTE_IF_AVX512([MOTE_ISA_AVX512] = &name##_avx512, )                                             \
                MOTE_IF_NEON([MOTE_ISA_NEON] = &name##_neon, )                                               \
                    MOTE_IF_SIMD128([MOTE_ISA_SIMD128] = &name##_simd128, )};                                \
    const type *name##_for(mote_isa isa) { return name##_tables[mote_isa_resolve(isa)]; }                    \
    extern int name##_semicolon /* takes the caller's semicolon */

#endif
