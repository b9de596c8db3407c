/* HAIR files built number by number without the library, and memory that ends where reading on would be
 * fatal. */
#ifndef MOTE_TESTS_HAIR_FILES_H
#define MOTE_TESTS_HAIR_FILES_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support.h"

enum {
    HEADER = 128,
    HAS_SEGMENTS = 1,
    HAS_POINTS = 2,
    HAS_THICKNESS = 4,
    HAS_TRANSPARENCY = 8,
    HAS_COLOURS = 16,
    HAS_ALL = 31
};

/* --- Guard pages --- */

/* `space` bytes with an inaccessible page behind them. */
typedef struct guarded_bytes {
    unsigned char *map;
    size_t page, space;
} guarded_bytes;

static inline guarded_bytes guard_make(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), space = (bytes + page - 1) / page * page;
    unsigned char *map = mmap(NULL, space + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map, space, PROT_READ | PROT_WRITE) != 0) abort();
    return (guarded_bytes){map, page, space};
}

static inline void guard_free(guarded_bytes *memory) { munmap(memory->map, memory->space + memory->page); }

/* `bytes` bytes that end at the guard, so that their number decides their alignment. */
static inline unsigned char *guard_end(const guarded_bytes *memory, size_t bytes) {
    return memory->map + memory->space - bytes;
}

static inline unsigned char *guard_copy(const guarded_bytes *memory, const void *from, size_t bytes) {
    unsigned char *to = guard_end(memory, bytes);
    if (bytes > 0) memcpy(to, from, bytes);
    return to;
}

/* --- Files --- */

static inline void put_number(unsigned char *at, uint32_t number, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(number >> 8 * i);
}

static inline uint32_t float_bits(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline size_t put_float_array(unsigned char *file, size_t at, const float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) put_number(file + at + 4 * i, float_bits(numbers[i]), 4);
    return at + 4 * count;
}

/* The file of a model, as the format's description has it; its size. */
static inline size_t build_file(const mote_hair *hair, unsigned char *file) {
    size_t at = HEADER;
    uint32_t flags = HAS_POINTS | (hair->strand_points ? HAS_SEGMENTS : 0u) |
                     (hair->thickness ? HAS_THICKNESS : 0u) | (hair->transparency ? HAS_TRANSPARENCY : 0u) |
                     (hair->colours ? HAS_COLOURS : 0u);
    memcpy(file, "HAIR", 4);
    put_number(file + 4, hair->strand_count, 4);
    put_number(file + 8, hair->point_count, 4);
    put_number(file + 12, flags, 4);
    put_number(file + 16, hair->default_segments, 4);
    put_float_array(file, 20, &hair->default_thickness, 1);
    put_float_array(file, 24, &hair->default_transparency, 1);
    put_float_array(file, 28, hair->default_colour, 3);
    memcpy(file + 40, hair->text, 88);
    for (uint32_t i = 0; hair->strand_points && i < hair->strand_count; i++, at += 2)
        put_number(file + at, hair->strand_points[i] - 1, 2);
    at = put_float_array(file, at, hair->points[0], 3 * (size_t)hair->point_count);
    if (hair->thickness) at = put_float_array(file, at, hair->thickness, hair->point_count);
    if (hair->transparency) at = put_float_array(file, at, hair->transparency, hair->point_count);
    if (hair->colours) at = put_float_array(file, at, hair->colours[0], 3 * (size_t)hair->point_count);
    return at;
}

/* --- Models --- */

static inline float *random_floats(random_source *random, size_t count) {
    float *numbers = malloc(count * sizeof *numbers);
    if (numbers == NULL) abort();
    for (size_t i = 0; i < count; i++) numbers[i] = random_between(random, -10.0f, 10.0f);
    return numbers;
}

/* A host's model with the arrays of `flags`, strands of 2 to longest points, or all of `longest` without
 * HAS_SEGMENTS. */
static inline mote_hair make_hair(random_source *random, uint32_t flags, uint32_t strands, uint32_t longest) {
    mote_hair hair = mote_default_hair();
    hair.strand_count = strands;
    hair.default_segments = flags & HAS_SEGMENTS ? random_below(random, 1000) : longest - 1;
    if (flags & HAS_SEGMENTS) hair.strand_points = malloc(strands * sizeof *hair.strand_points);
    for (uint32_t i = 0; i < strands; i++) {
        uint32_t points = flags & HAS_SEGMENTS ? 2 + random_below(random, longest - 1) : longest;
        if (hair.strand_points) hair.strand_points[i] = points;
        hair.point_count += points;
    }
    hair.points = (float(*)[3])(void *)random_floats(random, 3 * (size_t)hair.point_count);
    if (flags & HAS_THICKNESS) hair.thickness = random_floats(random, hair.point_count);
    if (flags & HAS_TRANSPARENCY) hair.transparency = random_floats(random, hair.point_count);
    if (flags & HAS_COLOURS)
        hair.colours = (float(*)[3])(void *)random_floats(random, 3 * (size_t)hair.point_count);
    hair.default_thickness = random_between(random, 0, 1);
    hair.default_transparency = random_between(random, 0, 1);
    for (int i = 0; i < 3; i++) hair.default_colour[i] = random_between(random, 0, 1);
    for (int i = 0; i < 88; i++) hair.text[i] = (char)(1 + random_below(random, 255));
    return hair;
}

static inline void free_hair(mote_hair *hair) {
    free(hair->strand_points);
    free(hair->points);
    free(hair->thickness);
    free(hair->transparency);
    free(hair->colours);
}

/* Whether two arrays are both NULL or hold the same bytes. */
static inline bool same_array(const void *a, const void *b, size_t bytes) {
    return a == NULL || b == NULL ? a == b : memcmp(a, b, bytes) == 0;
}

/* Whether every field is the same, bit for bit. */
static inline bool same_hair(const mote_hair *a, const mote_hair *b) {
    if (a->strand_count != b->strand_count || a->point_count != b->point_count) return false;
    const size_t points = a->point_count;
    return a->cookie == b->cookie && a->default_segments == b->default_segments &&
           float_bits(a->default_thickness) == float_bits(b->default_thickness) &&
           float_bits(a->default_transparency) == float_bits(b->default_transparency) &&
           memcmp(a->default_colour, b->default_colour, sizeof a->default_colour) == 0 &&
           memcmp(a->text, b->text, sizeof a->text) == 0 &&
           same_array(a->strand_points, b->strand_points, a->strand_count * sizeof *a->strand_points) &&
           same_array(a->points, b->points, points * sizeof *a->points) &&
           same_array(a->thickness, b->thickness, points * sizeof(float)) &&
           same_array(a->transparency, b->transparency, points * sizeof(float)) &&
           same_array(a->colours, b->colours, points * sizeof *a->colours);
}

#endif
