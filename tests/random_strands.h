/* Random strands of mixed lengths, masses, rest scales and compliances. */
#ifndef MOTE_TESTS_RANDOM_STRANDS_H
#define MOTE_TESTS_RANDOM_STRANDS_H

#include <string.h>

#include "support.h"
#include "inside.h"

#define MOST_STRANDS 80u
#define LONGEST      70u

/* A def and the arrays that it points to. Must stay where it is. */
typedef struct strands {
    mote_strands_def def;
    uint32_t points[MOST_STRANDS], first[MOST_STRANDS + 1];
    float mass[MOST_STRANDS], rest_scale[MOST_STRANDS], compliance[MOST_STRANDS];
    float positions[3 * MOST_STRANDS * LONGEST];
} strands;

/* `count` strands of 2 .. longest points; the coordinates are eighths, so that sums and differences of a few
 * are exact. */
static inline void make_strands(strands *s, uint32_t count, uint32_t longest, uint64_t seed) {
    random_source random = {seed};
    s->def = mote_default_strands_def();
    s->first[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        s->points[i] = 2 + random_below(&random, longest - 1);
        s->first[i + 1] = s->first[i] + s->points[i];
        s->mass[i] = random_between(&random, 0.5f, 2);
        s->rest_scale[i] = random_between(&random, 0.9f, 1.1f);
        s->compliance[i] = random_between(&random, 0.001f, 0.01f);
    }
    for (uint32_t i = 0; i < 3 * s->first[count]; i++)
        s->positions[i] = ((float)random_below(&random, 160) - 80) / 8;
    s->def.strand_count = count;
    s->def.strand_points = s->points;
    s->def.positions = s->positions;
    s->def.strand_mass = s->mass;
    s->def.strand_rest_scale = s->rest_scale;
    s->def.strand_compliance = s->compliance;
}

/* The same numbers as strands of `points` points each. */
static inline void make_even(strands *s, uint32_t points) {
    for (uint32_t i = 0; i < s->def.strand_count; i++)
        s->points[i] = points, s->first[i + 1] = points * (i + 1);
}

static inline mote_system *make_system(memory_ledger *ledger) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    if (ledger) def.allocator = ledger_allocator(ledger);
    mote_system *system;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    return system;
}

static inline mote_strands_id add_strands(mote_system *system, const strands *s) {
    mote_strands_id id;
    assert_int_equal(mote_system_add_strands(system, &s->def, &id, NULL), MOTE_OK);
    return id;
}

static inline const float *position_of(const strands *s, uint32_t strand, uint32_t point) {
    return s->positions + 3 * (s->first[strand] + point);
}

/* Declares the scene of a test: `s` of so many random strands, `system` with them in it, their `id`, and `b`,
 * their columns. */
#define SCENE(in_system, count, longest, seed)                                                               \
    static strands s;                                                                                        \
    make_strands(&s, count, longest, seed);                                                                  \
    mote_system *system = in_system;                                                                         \
    const mote_strands_id id = add_strands(system, &s);                                                      \
    mote_strands *b = strands_inside(system, id);                                                            \
    (void)b

#endif
