/* README, "Values that work": each row is built as it stands there, falls from the horizontal for 10 s, and
 * keeps the lengths that README tells. */
#include <math.h>
#include "support.h"

enum { FRAMES = 600, THREADS_A_SIDE = 32 };

static mote_system *falling_system(uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0, def.substeps = substeps;
    mote_system *system;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    const mote_force_def gravity = mote_gravity((const float[3]){0, -9.81f, 0});
    mote_force_id id;
    assert_int_equal(mote_system_add_force(system, &gravity, &id), MOTE_OK);
    return system;
}

/* Steps one horizontal strand for 10 s; its root is shaken by 0.2 m for the first 200 frames. */
static void strand_keeps_its_length(mote_strands_def def, float length, uint32_t points) {
    float positions[64][3], masses[64];
    for (uint32_t i = 0; i < points; i++) {
        const bool end = i == 0 || i == points - 1;
        positions[i][0] = length * (float)i / (float)(points - 1), positions[i][1] = positions[i][2] = 0;
        masses[i] = def.mass / (float)(points - 1) * (end ? 0.5f : 1);
    }
    def.strand_count = 1, def.points = points, def.positions = positions[0];
    if (def.bending_stiffness > 0) def.point_mass = masses;
    mote_system *system = falling_system(1);
    mote_strands_id id;
    mote_strands_fault fault;
    assert_int_equal(mote_system_add_strands(system, &def, &id, &fault), MOTE_OK);
    for (int frame = 0; frame < FRAMES; frame++) {
        const mote_transform root = {{0.2f * sinf(0.05f * (float)frame), 0, 0}, {0, 0, 0, 1}};
        if (frame < 200)
            assert_int_equal(mote_strands_set_roots(system, id, &root, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        mote_strands_step_report report;
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        assert_int_equal(mote_strands_report(system, id, &report), MOTE_OK);
        ASSERT((double)report.max_strain, <, 0.00205); /* 0.2 %, rounded */
        ASSERT(report.unsolved, ==, 0u);
        ASSERT(report.stiff_curls, ==, 0u);
    }
    mote_system_destroy(system);
}

TEST(hair) {
    for (uint32_t substeps = 4; substeps <= 8; substeps += 4) {
        mote_strands_def def = mote_default_strands_def();
        def.mass = 0.3f * 5e-6f, def.bending_stiffness = 4.7e-9f, def.twisting_stiffness = 3.4e-9f;
        def.normal_drag = 8e-5f, def.tangential_drag = 4e-5f, def.substeps = substeps;
        strand_keeps_its_length(def, 0.3f, 32);
    }
}

TEST(rope) {
    for (uint32_t substeps = 4; substeps <= 8; substeps += 4) {
        mote_strands_def def = mote_default_strands_def();
        def.mass = 2 * 0.08f, def.normal_drag = 0.01f, def.tangential_drag = 0.001f;
        def.substeps = substeps;
        strand_keeps_its_length(def, 2, 33);
    }
}

TEST(cable) {
    mote_strands_def def = mote_default_strands_def();
    def.mass = 5 * 0.15f, def.bending_stiffness = 1, def.twisting_stiffness = 0.7f;
    def.normal_drag = 0.01f, def.tangential_drag = 0.001f, def.substeps = 8;
    strand_keeps_its_length(def, 5, 33);
}

/* Springs of a square cloth: 10,000 N/m along both threads, 1,000 N/m across the cells. Returns their number.
 */
static uint32_t weave(mote_spring springs[]) {
    const uint32_t side = THREADS_A_SIDE;
    uint32_t count = 0;
    for (uint32_t i = 0; i < side * side; i++) {
        const bool right = i % side + 1 < side, down = i / side + 1 < side;
        const struct {
            bool exists;
            uint32_t to;
            float stiffness;
        } ends[] = {{right, i + 1, 10000}, {down, i + side, 10000}, {right && down, i + side + 1, 1000}};
        for (size_t k = 0; k < COUNT_OF(ends); k++)
            if (ends[k].exists)
                springs[count++] = (mote_spring){.a = i,
                                                 .b = ends[k].to,
                                                 .rest_length = MOTE_AS_PLACED,
                                                 .stiffness = ends[k].stiffness,
                                                 .damping = 0.02f};
    }
    return count;
}

TEST(cloth) {
    enum { SIDE = THREADS_A_SIDE, COUNT = SIDE * SIDE };
    static float positions[COUNT][3];
    static mote_spring springs[3 * COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        positions[i][0] = (float)(i % SIDE) / (SIDE - 1);
        positions[i][1] = 0;
        positions[i][2] = (float)(i / SIDE) / (SIDE - 1);
    }
    mote_system *system = falling_system(4);
    const mote_force_def air = mote_wind((const float[3]){0, 0, 0}, 2e-5f);
    mote_force_id air_id;
    assert_int_equal(mote_system_add_force(system, &air, &air_id), MOTE_OK);
    mote_network_def def = mote_default_network_def();
    def.solver = MOTE_NETWORK_CONSTRAINED, def.max_iterations = 1, def.max_linear = 24;
    def.particle_count = COUNT, def.positions = positions[0], def.mass = 0.2f / COUNT;
    def.springs = springs, def.spring_count = weave(springs);
    mote_network_id id;
    mote_network_fault fault;
    assert_int_equal(mote_system_add_network(system, &def, &id, &fault), MOTE_OK);
    assert_int_equal(mote_network_pin(system, id, 0, positions[0], 0), MOTE_OK);
    assert_int_equal(mote_network_pin(system, id, SIDE - 1, positions[SIDE - 1], 0), MOTE_OK);
    mote_statistics now;
    double worst = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        assert_int_equal(mote_network_statistics(system, id, &now), MOTE_OK);
        worst = fmax(worst, now.max_strain);
    }
    print_message("cloth: worst spring %.4f, mean at the end %.5f\n", worst, now.mean_strain);
    ASSERT(worst, <=, 0.035);
    ASSERT(now.mean_strain, <=, 0.00035);
    mote_system_destroy(system);
}
