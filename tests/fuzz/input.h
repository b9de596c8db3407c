/* The bytes of a fuzzer's input as numbers. Behind its end every byte is 0. */
#ifndef MOTE_FUZZ_INPUT_H
#define MOTE_FUZZ_INPUT_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct input {
    const uint8_t *at, *end;
} input;

/* A finding: libFuzzer keeps the input that led here, a replay fails. */
#define FUZZ_CHECK(claim)                                                                                    \
    do {                                                                                                     \
        if (!(claim)) {                                                                                      \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);                              \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

static inline uint32_t take_byte(input *in) { return in->at < in->end ? *in->at++ : 0; }

static inline uint32_t take_below(input *in, uint32_t bound) { return take_byte(in) % bound; }

static inline uint32_t take_word(input *in) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) word = word << 8 | take_byte(in);
    return word;
}

static inline float take_bits(input *in) {
    const uint32_t word = take_word(in);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* An extreme value, or any bits. */
static inline float take_extreme(input *in) {
    static const float values[] = {NAN,     -NAN,      INFINITY,   -INFINITY, FLT_MAX, -FLT_MAX,
                                   FLT_MIN, 0x1p-149f, -0.0f,      1e10f,     -1e10f,  1e-20f,
                                   0x1p24f, 1e19f,     -0x1p-140f, 1e30f};
    const uint32_t i = take_below(in, 20);
    return i < sizeof values / sizeof *values ? values[i] : take_bits(in);
}

/* Most often a small number of either sign, at times an extreme one. */
static inline float take_float(input *in) {
    const uint32_t byte = take_byte(in);
    return byte < 250 ? ((float)byte - 125) / 32 : take_extreme(in);
}

static inline float take_positive(input *in) {
    const uint32_t byte = take_byte(in);
    return byte < 250 ? (float)byte / 64 : take_extreme(in);
}

static inline const float *take_vector(input *in, float vector[3]) {
    for (int axis = 0; axis < 3; axis++) vector[axis] = take_float(in);
    return vector;
}

#endif
