/* Loops of the opponents that are compiled twice (bench/meson.build): with registers of the width that the
 * compiler prefers for this machine, and with registers of 512 bits. On Xeons with AVX-512 compilers prefer
 * 256 bits; neither width is faster in every loop. The bench takes the faster one for each row. */
#ifndef BENCH_WIDTHS_H
#define BENCH_WIDTHS_H

#include <stdint.h>

enum { WIDTH_PREFERRED, WIDTH_512, WIDTHS };

/* The name of a loop in the compilation that runs; WIDTH: of the build, preferred or 512. */
#define OF_WIDTH(name)              OF_WIDTH_JOINED(name, WIDTH)
#define OF_WIDTH_JOINED(name, bits) OF_WIDTH_PASTED(name, bits)
#define OF_WIDTH_PASTED(name, bits) name##_##bits

/* The functions of a loop by width. */
#define LOOPS_OF_WIDTHS(name) {name##_preferred, name##_512}

/* The width with which run(state, width) takes less time: the least of three runs of each, in turn. */
uint32_t faster_width(void (*run)(void *state, uint32_t width), void *state);

#endif
