/* Instruction sets: which ones this build holds kernels for, and which ones the machine runs. */
#ifndef MOTE_BASE_ISA_H
#define MOTE_BASE_ISA_H

#include <mote/isa.h>

/* The instruction set that AUTO stands for, or `isa` itself; MOTE_ISA_COUNT where the build or the machine
 * lacks it. */
mote_isa mote_isa_resolve(mote_isa isa);

/* A file of kernels is compiled once per instruction set and defines one table, named `name` with the set
 * behind it: MOTE_KERNEL_TABLE(name). MOTE_KERNEL_LOOKUP(type, name) defines name##_for(isa), which gives the
 * table of an instruction set, or NULL where the build or the machine lacks it. */
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
    extern int name##_semicolon /* the caller's */

#endif
