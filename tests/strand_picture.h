/* Bundles in a state of the test's own choosing, and layouts, for tests of presentation. */
#ifndef MOTE_TESTS_STRAND_PICTURE_H
#define MOTE_TESTS_STRAND_PICTURE_H

#include "test.h"
#include <math.h>

#include "random_strands.h"

/* At 64 steps a second a step is 15,625,000 ns, of which half is whole. */
#define STEP 15625000u

static inline mote_system *system_with(mote_interpolation interpolation, mote_jobs jobs, mote_isa isa) {
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = (mote_rate){64, 1};
    def.interpolation = interpolation;
    def.jobs = jobs;
    def.isa = isa;
    mote_system *system = NULL;
    mote_result result = mote_system_create(&def, &system);
    assert_true(result == MOTE_OK || result == MOTE_ERROR_ISA);
    return system;
}

static inline mote_system *plain_system(void) {
    return system_with(MOTE_INTERPOLATE_LINEAR, (mote_jobs){0}, MOTE_ISA_AUTO);
}

/* The clock at this part of a step, without a step run. */
static inline void set_alpha(mote_system *system, double alpha) {
    mote_advance clock;
    assert_int_equal(mote_system_advance(system, (uint64_t)(alpha * STEP), &clock), MOTE_OK);
    ASSERT(clock.steps, ==, 0);
    ASSERT(clock.alpha, ==, (float)alpha);
}

/* Every point somewhere within 10 m now and a little off before; every eleventh has no previous place. */
static inline void scatter_points(const mote_system *system, mote_strands_id id, uint64_t seed) {
    mote_strands *b = strands_inside(system, id);
    random_source random = {seed};
    for (uint32_t strand = 0, n = 0; strand < b->strand_count; strand++)
        for (uint32_t k = 0; k < mote_strands_points(system, id, strand); k++, n++) {
            const uint32_t slot = mote_strands_slot(system, id, strand, k);
            for (int axis = 0; axis < 3; axis++) {
                b->range.x[axis][slot] = random_between(&random, -10, 10);
                if (!b->range.previous_x[axis]) continue;
                b->range.previous_x[axis][slot] = b->range.x[axis][slot] + random_between(&random, -1, 1);
                if (n % 11 == 0) b->range.previous_x[axis][slot] = axis ? 0 : NAN;
            }
        }
}

/* The place at which a point is presented, by the formula of the header. */
static inline void presented(const mote_system *system, mote_strands_id id, uint32_t strand, uint32_t k,
                             float alpha, float x[3]) {
    const mote_strands *b = strands_inside(system, id);
    const uint32_t slot = mote_strands_slot(system, id, strand, k);
    const bool blended = b->range.previous_x[0] && !isnan(b->range.previous_x[0][slot]);
    for (int axis = 0; axis < 3; axis++) {
        const float now = b->range.x[axis][slot], before = blended ? b->range.previous_x[axis][slot] : now;
        x[axis] = blended ? before + alpha * (now - before) : now;
    }
}

/* Layout number `kind` of LAYOUTS: without gaps, with gaps, in other orders, unaligned. */
#define LAYOUTS 8
static inline mote_strand_layout layout_of(int kind) {
    mote_strand_layout l = mote_default_strand_layout();
    const bool ribbons = kind >= 4;
    static const size_t offsets[LAYOUTS][5] = {{12, 0, MOTE_OMIT, MOTE_OMIT, MOTE_OMIT},
                                               {28, 16, 4, MOTE_OMIT, 0},
                                               {29, 1, 15, MOTE_OMIT, MOTE_OMIT},
                                               {20, MOTE_OMIT, 4, MOTE_OMIT, 0},
                                               {12, 0, MOTE_OMIT, MOTE_OMIT, MOTE_OMIT},
                                               {32, 0, 12, 24, 28},
                                               {37, 21, 1, 33, 15},
                                               {20, 8, MOTE_OMIT, 4, 0}};
    if (ribbons) l.shape = MOTE_STRAND_RIBBONS, l.root_width = 0.25f, l.tip_width = 0.0625f;
    l.eye[0] = 3, l.eye[1] = -20, l.eye[2] = 7;
    l.stride = offsets[kind][0], l.position_offset = offsets[kind][1], l.tangent_offset = offsets[kind][2];
    l.side_offset = offsets[kind][3], l.parameter_offset = offsets[kind][4];
    return l;
}

static inline uint32_t vertices_of(const mote_strand_layout *l) {
    return l->shape == MOTE_STRAND_RIBBONS ? 2 : 1;
}

static inline mote_isa isa_number(int i) { return (mote_isa)(i % MOTE_ISA_COUNT); }

#endif
