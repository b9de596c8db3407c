/* Flat rods gain no energy: random shapes, axes and velocities, without damping and gravity. */
#include "test.h"

#include "rope.h"

enum { RODS = 16, POINTS = 33, STEPS = 120 };

static const double LENGTH = 0.3, DENSITY = 1e-3; /* m, kg/m */

static float positions[3 * RODS * POINTS], axes[3 * RODS * POINTS], mass[RODS * POINTS];

static double random_in(random_source *random, double from, double to) {
    return (double)random_between(random, (float)from, (float)to);
}

/* A straight rod or a helix of up to 8 rad, whose section lies in any way across it and may turn along it. */
static void lay(uint32_t rod, bool curls, bool twists, random_source *random) {
    const double pitch = random_in(random, 0, 0.5), turn = curls ? random_in(random, 1, 8) / (POINTS - 1) : 0,
                 twist = twists ? random_in(random, -6, 6) / (POINTS - 1) : 0,
                 phase = random_in(random, 0, 6), step = LENGTH / (POINTS - 1) / sqrt(1 + pitch * pitch);
    double x[3] = {0, 0, 0};
    for (uint32_t k = 0; k < POINTS; k++) {
        const uint32_t at = rod * POINTS + k;
        const double along = turn * k, angle = phase + twist * k;
        for (uint32_t i = 0; i < 3; i++) positions[3 * at + i] = (float)x[i];
        x[0] += step * cos(along), x[1] += step * sin(along), x[2] += step * pitch;
        axes[3 * at] = (float)(-sin(along) * cos(angle));
        axes[3 * at + 1] = (float)(cos(along) * cos(angle));
        axes[3 * at + 2] = (float)sin(angle);
        mass[at] = (float)(DENSITY * LENGTH / (POINTS - 1) * (k % (POINTS - 1) ? 1 : 0.5));
    }
}

/* A bow that swings, for one rod in two with random speeds of its points too. */
static void push(const rope *r, uint32_t rod, double speed, random_source *random) {
    const double phase = random_in(random, 0, 6), bows = 1 + random_below(random, 3);
    double w[3], v[3];
    for (int i = 0; i < 3; i++) w[i] = random_in(random, -speed, speed);
    for (uint32_t k = 1; k < POINTS; k++) {
        for (int i = 0; i < 3; i++)
            v[i] = w[i] * sin(phase + bows * PI * k / POINTS) * k / POINTS +
                   (rod % 2 ? random_in(random, -speed, speed) : 0);
        store_point(r, rod, k, NULL, v);
    }
}

static rope make_random(double stiffness, double ratio, bool curls, bool twists, double speed) {
    random_source random = {1234};
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t rod = 0; rod < RODS; rod++) lay(rod, curls, twists, &random);
    def.substeps = 0, def.strand_count = RODS, def.points = POINTS, def.positions = positions;
    def.point_mass = mass, def.point_axis = axes, def.bending_ratio = (float)ratio;
    def.bending_stiffness = (float)stiffness;
    def.twisting_stiffness = (float)(stiffness * 1.48 * ratio / (1 + ratio)); /* an ellipse's, nu = 0.35 */
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, 0);
    for (uint32_t rod = 0; rod < RODS; rod++) push(&r, rod, speed, &random);
    return r;
}

static double energy_of(const rope *r) {
    mote_statistics statistics;
    assert_int_equal(mote_strands_statistics(r->system, r->id, &statistics), MOTE_OK);
    return statistics.kinetic + statistics.elastic;
}

/* The elastic energy of the rounding of positions, 2^-24 of the length, in each joint. */
static double energy_of_rounding(double stiffness, double ratio) {
    const double l = LENGTH / (POINTS - 1);
    return RODS * POINTS * ratio * stiffness / l * pow(4 * LENGTH * UNIT / l, 2);
}

static const struct {
    const char *name;
    bool curls, twists;
    double speed;
} kind[] = {{"straight", false, false, 1},    {"twisted, fast", false, true, 30},
            {"twisted", false, true, 1},      {"curls, quiet", true, false, 1e-3},
            {"curls", true, false, 1},        {"twisted curls, quiet", true, true, 1e-3},
            {"twisted curls", true, true, 1}, {"twisted curls, fast", true, true, 30}};

static const char *name_of(uint32_t i) { return kind[i].name; }

TEST_EACH(flat_rods_gain_no_energy, COUNT_OF(kind), name_of, i) {
    static const double ratio[] = {1.5, 4, 20, 100};
    for (double stiffness = 1e-8; stiffness < 200; stiffness *= 10)
        for (size_t n = 0; n < COUNT_OF(ratio); n++) {
            const rope r = make_random(stiffness, ratio[n], kind[i].curls, kind[i].twists, kind[i].speed);
            const double start = energy_of(&r), rounding = energy_of_rounding(stiffness, ratio[n]);
            for (uint32_t step = 0; step < STEPS; step++) {
                step_rope(&r, 1);
                test_case("EI %g, ratio %g, step %u: %g of the energy", stiffness, ratio[n], step,
                          energy_of(&r) / start);
                ASSERT(energy_of(&r), <=, 1.001 * start + rounding);
            }
            for (uint32_t rod = 0; rod < RODS; rod++) assert_alive(&r, rod);
            destroy_rope(&r);
        }
}
