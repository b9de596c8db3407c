/* The dead zone of float32: what the function returns, against steps just below and just above it. */
#include "test.h"

#include <float.h>
#include <math.h>

#include "support.h"

#define STEP     (1.0 / 480) /* s: 8 substeps of 1/60 s */
#define MARGIN   1e-6        /* allowed by the header: h and h v are rounded */
#define OFF_GRID 0x1.8p-3f   /* another coordinate, of the other axes */

/* Coordinates and speeds; the powers of two among them have different gaps on either side. */
static const double magnitudes[] = {0.3, 1, 3.7, 100, 1024, 8194, 10000, 1e6};

typedef struct particle {
    float x[3], v[3];
} particle;

/* Steps along axis y. */
static particle stepped(mote_integrator integrator, particle p, double h, const mote_force_def *force) {
    mote_columns columns = {.count = 1,
                            .position = {&p.x[0], &p.x[1], &p.x[2]},
                            .velocity = {&p.v[0], &p.v[1], &p.v[2]},
                            .mass = 1};
    mote_columns_def def = mote_default_columns_def();
    def.integrator = integrator;
    def.timestep = h;
    def.forces = force, def.force_count = force != NULL;
    assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
    return p;
}

static particle at(float coordinate, float speed) {
    return (particle){{OFF_GRID, coordinate, OFF_GRID}, {0, speed, 0}};
}

/* Whether a coordinate changes in one substep at a constant velocity, that of a field for advection. */
static bool moves(mote_integrator integrator, double coordinate, double speed) {
    const mote_force_def stream =
        mote_linear_field((float[3]){0, (float)speed, 0}, (float[9]){0}, MOTE_FIELD_VELOCITY, 0);
    const particle end =
        stepped(integrator, at((float)coordinate, (float)speed), STEP, advects(integrator) ? &stream : NULL);
    return end.x[1] != (float)coordinate;
}

/* Whether a velocity changes in one substep of a constant acceleration. */
static bool speeds_up(mote_integrator integrator, double speed, double acceleration) {
    const mote_force_def gravity = mote_gravity((float[3]){0, (float)acceleration, 0});
    return stepped(integrator, at(0, (float)speed), STEP, &gravity).v[1] != (float)speed;
}

TEST_EACH(below_its_still_speed_a_particle_stays_and_above_it_it_moves, MOTE_INTEGRATOR_COUNT,
          integrator_name, i) {
    const mote_integrator integrator = (mote_integrator)i;
    for (size_t k = 0; k < 2 * COUNT_OF(magnitudes); k++) {
        const double x = k % 2 ? -magnitudes[k / 2] : magnitudes[k / 2], towards = k % 2 ? 1 : -1;
        const mote_dead_zone zone = mote_integrator_dead_zone(integrator, x, 1, STEP);
        test_case("at %g m", x);
        assert_false(moves(integrator, x, towards * zone.still_speed * (1 - MARGIN)));
        assert_false(moves(integrator, x, -towards * zone.still_speed * (1 - MARGIN)));
        assert_true(moves(integrator, x, towards * zone.still_speed * (1 + MARGIN)));
        ASSERT(zone.full_speed, >=, zone.still_speed);
    }
}

TEST_EACH(below_the_still_acceleration_a_velocity_stays_and_above_it_it_changes, MOTE_INTEGRATOR_COUNT,
          integrator_name, i) {
    const mote_integrator integrator = (mote_integrator)i;
    for (size_t k = 0; k < 2 * COUNT_OF(magnitudes); k++) {
        const double v = k % 2 ? -magnitudes[k / 2] : magnitudes[k / 2], towards = k % 2 ? 1 : -1;
        const mote_dead_zone zone = mote_integrator_dead_zone(integrator, 1, v, STEP);
        test_case("at %g m/s", v);
        ASSERT(zone.full_acceleration, >=, zone.still_acceleration);
        if (advects(integrator)) {
            ASSERT(zone.still_acceleration, ==, HUGE_VAL);
            continue;
        }
        assert_false(speeds_up(integrator, v, towards * zone.still_acceleration * (1 - MARGIN)));
        assert_false(speeds_up(integrator, v, -towards * zone.still_acceleration * (1 - MARGIN)));
        /* The largest kick of Yoshida's method has a negative coefficient. */
        const double above = zone.still_acceleration * (1 + MARGIN);
        assert_true(speeds_up(integrator, v, above) || speeds_up(integrator, v, -above));
    }
}

/* --- Every drift of a splitting --- */

enum { MOST_STAGES = 8 };

/* Receives the coordinate at each stage. */
typedef struct trace {
    float y[MOST_STAGES];
    uint32_t count;
} trace;

static void record(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    trace *t = user;
    (void)x, (void)y, (void)z;
    t->y[t->count++] = stage->y[0];
}

/* Counts the drifts of a substep that change the coordinate: of a drift-first splitting one before each stage
 * and one after the last. */
static uint32_t drifts_heard(mote_integrator integrator, double coordinate, double speed) {
    trace t = {.count = 0};
    mote_force_def callback = mote_callback(record, &t);
    particle end = stepped(integrator, at((float)coordinate, (float)speed), STEP, &callback);
    t.y[t.count++] = end.x[1];
    uint32_t heard = t.y[0] != (float)coordinate;
    for (uint32_t i = 1; i < t.count; i++) heard += t.y[i] != t.y[i - 1];
    return heard;
}

TEST(above_its_full_speed_every_drift_moves_a_particle_and_between_only_the_long_ones) {
    static const struct {
        mote_integrator integrator;
        uint32_t drifts, longest;
    } splittings[] = {{MOTE_YOSHIDA4, 4, 2}, {MOTE_PEFRL, 5, 1}};
    for (size_t k = 0; k < COUNT_OF(splittings) * COUNT_OF(magnitudes); k++) {
        const mote_integrator integrator = splittings[k % 2].integrator;
        const double x = magnitudes[k / 2] * 1.01; /* not a power of two */
        const mote_dead_zone zone = mote_integrator_dead_zone(integrator, x, 1, STEP);
        test_case("%s at %g m", integrator_name(integrator), x);
        ASSERT(drifts_heard(integrator, x, zone.still_speed * (1 - MARGIN)), ==, 0);
        ASSERT(drifts_heard(integrator, x, zone.still_speed * (1 + MARGIN)), ==, splittings[k % 2].longest);
        ASSERT(drifts_heard(integrator, x, zone.full_speed * (1 - MARGIN)), <, splittings[k % 2].drifts);
        ASSERT(drifts_heard(integrator, x, zone.full_speed * (1 + MARGIN)), ==, splittings[k % 2].drifts);
    }
}

/* --- Figures --- */

/* At 10,000 m floats are 2^-10 m apart, at 100 m/s 2^-17 m/s. */
TEST(the_dead_zone_has_the_values_of_its_equation) {
    mote_dead_zone zone = mote_integrator_dead_zone(MOTE_SEMI_IMPLICIT_EULER, -10000, 100, STEP);
    ASSERT_NEAR(zone.still_speed, 0x1p-11 * 480, 1e-12);
    ASSERT_NEAR(zone.full_speed, 0x1p-11 * 480, 1e-12);
    ASSERT_NEAR(zone.still_acceleration, 0x1p-18 * 480, 1e-12);
    zone = mote_integrator_dead_zone(MOTE_RK4, 4096, 0, STEP);
    ASSERT_NEAR(zone.still_speed, 0x1p-13 * 480, 1e-12); /* towards the origin floats are 2^-12 m apart */
    ASSERT_NEAR(zone.full_speed, 0x1p-12 * 480, 1e-12);
    ASSERT(zone.still_acceleration, ==, 0x1p-150 / STEP);
}

/* 1 s of free fall from 10,000 m by PEFRL at 10^-4 s. Floats are u = 2^-10 m apart, and no drift but the
 * longest, 0.775 h, moves the particle in this time: from the still speed of 6.30 m/s on, by u in each
 * substep. It falls (1 s - 6.30 / 9.81 s) u / h = 3.50 m in place of 4.905 m. */
TEST(free_fall_far_from_the_origin_is_as_slow_as_the_dead_zone_says) {
    const double h = 1e-4, u = 0x1p-10, g = 9.81;
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    const mote_dead_zone zone = mote_integrator_dead_zone(MOTE_PEFRL, 10000, 0, h);
    particle p = at(10000, 0);
    for (int i = 0; i < 10000; i++) p = stepped(MOTE_PEFRL, p, h, &gravity);
    ASSERT_NEAR(zone.still_speed, 6.30, 0.005);
    ASSERT(zone.full_speed, >, 10.0);
    /* The velocity is rounded 40,000 times in the same direction, by up to 2^-22 m/s. */
    ASSERT_NEAR(p.v[1], -g, 40000 * 0x1p-22);
    ASSERT_NEAR(10000 - (double)p.x[1], (1 - zone.still_speed / g) * u / h, 0.01);
}

TEST(wrong_arguments_have_no_dead_zone) {
    const double far = 2 * (double)FLT_MAX;
    const struct {
        int integrator;
        double x, v, h;
    } wrong[] = {{MOTE_INTEGRATOR_COUNT, 1, 1, 1},
                 {-1, 1, 1, 1},
                 {0, far, 1, 1},
                 {0, 1, -far, 1},
                 {0, (double)NAN, 1, 1},
                 {0, 1, 1, 0},
                 {0, 1, 1, -0.5},
                 {0, 1, (double)NAN, 1},
                 {0, 1, 1, HUGE_VAL},
                 {0, 1, 1, (double)NAN}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const mote_dead_zone zone = mote_integrator_dead_zone((mote_integrator)wrong[i].integrator,
                                                              wrong[i].x, wrong[i].v, wrong[i].h);
        test_case("case %zu", i);
        assert_true(isnan(zone.still_speed));
        assert_true(isnan(zone.full_speed));
        assert_true(isnan(zone.still_acceleration));
        assert_true(isnan(zone.full_acceleration));
    }
}

/* The largest float has as much room above as below. */
TEST(the_dead_zone_at_the_largest_float_is_that_of_its_neighbour) {
    const double most = (double)FLT_MAX, below = (double)nextafterf(FLT_MAX, 0);
    const mote_dead_zone end = mote_integrator_dead_zone(MOTE_SEMI_IMPLICIT_EULER, most, 1, STEP),
                         near = mote_integrator_dead_zone(MOTE_SEMI_IMPLICIT_EULER, below, 1, STEP);
    ASSERT(end.still_speed, ==, near.still_speed);
    ASSERT(end.full_speed, ==, near.full_speed);
}
