/* The instructions of x86 that wide.h names. gcc takes them by its built-ins, as its immintrin.h does: that
 * has 50,000 lines, and to read it takes 8 to 11 % of the time to compile a kernel file. Other compilers read
 * it, and gcc where it no longer has the built-ins. Included by wide.h. */
#ifndef MOTE_MATH_X86_H
#define MOTE_MATH_X86_H

#if MOTE_WIDTH == 4
#include <emmintrin.h>
#define X86_SQRT(a)     ((wide)_mm_sqrt_ps((__m128)(a)))
#define X86_MIN(a, b)   ((wide)_mm_min_ps((__m128)(a), (__m128)(b)))
#define X86_MAX(a, b)   ((wide)_mm_max_ps((__m128)(a), (__m128)(b)))
#define X86_LANES(mask) ((uint32_t)_mm_movemask_ps((__m128)(mask)))
#elif MOTE_WIDTH == 8 && !defined(__clang__) && __has_builtin(__builtin_ia32_minps256) &&                    \
    __has_builtin(__builtin_ia32_gathersiv8sf)
#define X86_SQRT(a)           __builtin_ia32_sqrtps256(a)
#define X86_MIN(a, b)         __builtin_ia32_minps256(a, b)
#define X86_MAX(a, b)         __builtin_ia32_maxps256(a, b)
#define X86_LANES(mask)       ((uint32_t)__builtin_ia32_movmskps256((wide)(mask)))
#define X86_BLEND(a, b, mask) __builtin_ia32_blendvps256(a, b, (wide)(mask))
#define X86_GATHER(from, index)                                                                              \
    __builtin_ia32_gathersiv8sf((wide){0}, from, index, (wide)((wide){0} == (wide){0}), 4)
#elif MOTE_WIDTH == 8
#include <immintrin.h>
#define X86_SQRT(a)             ((wide)_mm256_sqrt_ps((__m256)(a)))
#define X86_MIN(a, b)           ((wide)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define X86_MAX(a, b)           ((wide)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define X86_LANES(mask)         ((uint32_t)_mm256_movemask_ps((__m256)(mask)))
#define X86_BLEND(a, b, mask)   ((wide)_mm256_blendv_ps((__m256)(a), (__m256)(b), (__m256)(mask)))
#define X86_GATHER(from, index) ((wide)_mm256_i32gather_ps(from, (__m256i)(index), 4))
#elif !defined(__clang__) && __has_builtin(__builtin_ia32_minps512_mask) &&                                  \
    __has_builtin(__builtin_ia32_cmpps512_mask) && __has_builtin(__builtin_ia32_gathersiv16sf) &&            \
    __has_builtin(__builtin_ia32_compresssf512_mask) && __has_builtin(__builtin_ia32_expandsf512_mask)
/* All lanes; rounding by the control word. */
#define X86_SQRT(a)             __builtin_ia32_sqrtps512_mask(a, (wide){0}, -1, 4)
#define X86_MIN(a, b)           __builtin_ia32_minps512_mask(a, b, (wide){0}, -1, 4)
#define X86_MAX(a, b)           __builtin_ia32_maxps512_mask(a, b, (wide){0}, -1, 4)
#define X86_LANES(mask)         ((uint32_t)(uint16_t)__builtin_ia32_ptestmd512(mask, mask, -1))
#define X86_EQUAL(a, b)         ((uint32_t)(uint16_t)__builtin_ia32_cmpps512_mask(a, b, 0, -1, 4))
#define X86_GATHER(from, index) __builtin_ia32_gathersiv16sf((wide){0}, from, index, -1, 4)
/* The lanes of a whose bits are set, first; and the first lanes of a, in those of b whose bits are set. */
#define X86_COMPRESS(a, bits)   __builtin_ia32_compresssf512_mask(a, (wide){0}, (uint16_t)(bits))
#define X86_EXPAND(a, b, bits)  __builtin_ia32_expandsf512_mask(a, b, (uint16_t)(bits))
#else
#include <immintrin.h>
#define X86_SQRT(a)             ((wide)_mm512_sqrt_ps((__m512)(a)))
#define X86_MIN(a, b)           ((wide)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define X86_MAX(a, b)           ((wide)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define X86_LANES(mask)         ((uint32_t)_mm512_test_epi32_mask((__m512i)(mask), (__m512i)(mask)))
#define X86_EQUAL(a, b)         ((uint32_t)_mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_EQ_OQ))
#define X86_GATHER(from, index) ((wide)_mm512_i32gather_ps((__m512i)(index), from, 4))
#define X86_COMPRESS(a, bits)   ((wide)_mm512_maskz_compress_ps((__mmask16)(bits), (__m512)(a)))
#define X86_EXPAND(a, b, bits)  ((wide)_mm512_mask_expand_ps((__m512)(b), (__mmask16)(bits), (__m512)(a)))
#endif

#endif
