/* The deepest strand in the report of all: the same for any jobs and instruction set, also of equals and of
 * strands very far inside. */
#include "systems.h"

enum { STRANDS = 64, POINTS = 8, MIDDLE = 4 };

static float places[3 * STRANDS * POINTS];

/* Strands that hang beside one another, 10 m and more from the origin. */
static void hang(void) {
    for (uint32_t i = 0; i < STRANDS * POINTS; i++)
        places[3 * i] = 10 + (float)(i / POINTS), places[3 * i + 1] = -0.1f * (float)(i % POINTS),
                   places[3 * i + 2] = 0;
}

static mote_strands_step_report report_in(const mote_collider_def *shape, const mote_jobs *jobs,
                                          mote_isa isa) {
    mote_system_def def = mote_default_system_def();
    mote_strands_def hair = mote_default_strands_def();
    mote_strands_step_report report;
    mote_collider_id collider;
    mote_strands_id id;
    static float straight[3 * STRANDS * POINTS];
    for (uint32_t i = 0; i < STRANDS * POINTS; i++) straight[3 * i] = 0.1f * (float)i;
    def.capacity = 0, def.isa = isa, def.jobs = *jobs;
    hair.strand_count = STRANDS, hair.points = POINTS, hair.positions = straight, hair.radius = 0.013f;
    mote_system *system = system_of(&def);
    OK(mote_system_add_collider(system, shape, &collider));
    OK(mote_system_add_strands(system, &hair, &id, NULL));
    OK(mote_strands_set_state(system, id, 0, STRANDS, places, NULL));
    OK(mote_strands_report(system, id, &report));
    mote_system_destroy(system);
    return report;
}

/* Calls CHECK with the report for all jobs and instruction sets. */
#define FOR_EACH_REPORT(shape, check)                                                                        \
    for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++)                                               \
        for (int k = 0; k < JOB_KINDS && mote_isa_available((mote_isa)isa); k++) {                           \
            const mote_strands_step_report report = report_in(shape, &kinds.jobs[k], (mote_isa)isa);         \
            check;                                                                                           \
        }

/* Four strands have the same point near the centre, whose distance from it is small beside the radius: there
 * the rounding of the depth is not small beside that distance. */
TEST(of_equals_the_lowest_strand_is_told) {
    static const uint32_t equals[] = {5, 20, 40, 60};
    const mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 0.37f);
    job_kinds kinds;
    make_job_kinds(&kinds, 4);
    hang();
    for (float e = 1e-9f; e < 1e-3f; e *= 1.37f) {
        for (uint32_t i = 0; i < COUNT_OF(equals); i++) {
            float *x = places + 3 * (POINTS * equals[i] + MIDDLE);
            x[0] = e, x[1] = 0.7f * e, x[2] = 0.3f * e;
        }
        test_case("%g m from the centre", (double)e);
        FOR_EACH_REPORT(&ball, ASSERT(report.deepest_strand, ==, equals[0]));
    }
}

/* Squares of distances overflow. */
TEST(a_strand_very_far_under_a_plane_is_told) {
    const mote_collider_def ground = mote_plane((float[3]){0, -100, 0}, (float[3]){0, 1, 0});
    job_kinds kinds;
    make_job_kinds(&kinds, 3);
    for (float far = 1e10f; far < 1e35f; far *= 1000) {
        hang();
        places[3 * (POINTS * 7 + MIDDLE) + 1] = -far;
        test_case("%g m under the ground", (double)far);
        FOR_EACH_REPORT(&ground, ASSERT(report.deepest_strand, ==, 7u);
                        ASSERT_NEAR((double)report.depth / (double)far, 1, 1e-6));
    }
}
