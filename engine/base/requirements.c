/* Compiled when a build is configured, and not part of the library: each part tests one requirement. */
#if defined(MOTE_REQUIRES_MATH)
#include "base/compiler.h"
#endif

#if defined(MOTE_REQUIRES_VECTORS)
/* Older compilers are untested: they may not compile the kernels, or give other bits. Apple numbers its clang
 * differently. */
#if defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 16
#error "clang is too old"
#elif !defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12
#error "gcc is too old"
#endif
typedef float four_floats __attribute__((vector_size(16)));
typedef int four_integers __attribute__((vector_size(16)));

four_floats swapped(four_floats a, four_floats b);
four_floats swapped(four_floats a, four_floats b) {
    const four_integers whole = __builtin_convertvector(a, four_integers);
    return __builtin_shufflevector(__builtin_convertvector(whole, four_floats) + a, b, 0, 4, 1, 5);
}
#endif

int main(void) { return 0; }
