/* Emitters: distributions of shapes, spreads and directions. */
#include <math.h>
#include <string.h>

#include "emitting.h"

/* --- Distributions: chi-square over equally likely classes, 1 in 10^6 by chance for 15 degrees of freedom
 * --- */

enum { CLASSES = 16, DRAWS = 160000 };
static const double CHI_SQUARE_LIMIT = 56.5;

static void expect_uniform(const uint32_t counts[CLASSES], const char *what) {
    const double expected = (double)DRAWS / CLASSES;
    double sum = 0;
    for (int i = 0; i < CLASSES; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    test_case("%s: chi-square %g", what, sum);
    ASSERT(sum, <, CHI_SQUARE_LIMIT);
}

/* Counts u of each newborn, in [0, 1), in classes. */
static void expect_even(const mote_range_view *view, double (*share)(const mote_range_view *, uint32_t),
                        const char *what) {
    uint32_t counts[CLASSES] = {0};
    for (uint32_t i = 0; i < DRAWS; i++) {
        const double u = share(view, i);
        ASSERT(u, >=, -1e-5);
        ASSERT(u, <=, 1 + 1e-5);
        counts[(int)fmin(CLASSES - 1, fmax(0, u * CLASSES))]++;
    }
    expect_uniform(counts, what);
}

static double turn_of(double x, double y) { return atan2(y, x) / 6.283185307179586 + 0.5; }
static double by_x(const mote_range_view *v, uint32_t i) { return ((double)v->position.x[i] / 3 + 1) / 2; }
static double by_y(const mote_range_view *v, uint32_t i) { return ((double)v->position.y[i] / 2 + 1) / 2; }
static double by_z(const mote_range_view *v, uint32_t i) { return (double)v->position.z[i] / 2 + 0.5; }
static double about_y(const mote_range_view *v, uint32_t i) {
    return turn_of((double)v->position.x[i], (double)v->position.z[i]);
}
static double square_radius(const mote_range_view *v, uint32_t i) {
    return pow((double)v->position.x[i], 2) + pow((double)v->position.z[i], 2);
}
static double by_disc(const mote_range_view *v, uint32_t i) {
    return (square_radius(v, i) - 1) / 3;
} /* radii 1 .. 2 */
static double by_volume(const mote_range_view *v, uint32_t i) {
    return (pow(square_radius(v, i) + pow((double)v->position.y[i], 2), 1.5) - 1) / 7;
}
static double by_height(const mote_range_view *v, uint32_t i) {
    const double r = sqrt(square_radius(v, i) + pow((double)v->position.y[i], 2));
    return ((double)v->position.y[i] / r + 1) / 2;
}
static double by_speed(const mote_range_view *v, uint32_t i) {
    const double vx = (double)v->velocity.x[i], vy = (double)v->velocity.y[i], vz = (double)v->velocity.z[i];
    return sqrt(vx * vx + vy * vy + vz * vz) - 2; /* 2 .. 3 m/s */
}
static double by_tilt(const mote_range_view *v, uint32_t i) {
    const double cosine = (double)v->velocity.y[i] / (by_speed(v, i) + 2);
    return (1 - cosine) / (1 - cos(0.7));
}
static double about_velocity(const mote_range_view *v, uint32_t i) {
    return turn_of((double)v->velocity.x[i], (double)v->velocity.z[i]);
}
static double by_lifetime(const mote_range_view *v, uint32_t i) {
    return (double)v->lifetime[i] - 5 + 1.0 / 60;
}
static double by_mass(const mote_range_view *v, uint32_t i) { return 1 / (double)v->inverse_mass[i] - 1; }
static double by_extra(const mote_range_view *v, uint32_t i) {
    return ((const float *)v->extra[1])[i] / 4.0 + 0.5;
}

static mote_system *burst_of(mote_emitter_def *emitter) {
    mote_system_def def = emitting_def(DRAWS);
    def.lifetimes = def.mass_column = true;
    def.extra_count = 2, def.extra_bytes[0] = 1, def.extra_bytes[1] = 4;
    def.interpolation = MOTE_INTERPOLATE_LINEAR;
    mote_system *system = make_system(&def);
    const mote_emitter_id id = add(system, emitter);
    assert_int_equal(mote_system_burst(system, id, DRAWS), MOTE_OK);
    ASSERT(step(system, 1).born, ==, DRAWS);
    return system;
}

TEST(shapes_are_filled_evenly) {
    mote_emitter_def e = mote_default_emitter_def();
    e.speed = (mote_spread){0, 0}, e.extent[0] = 3, e.extent[1] = 2, e.extent[2] = 1;
    e.radius = 2, e.inner_radius = 1, e.seed = 42;
    static const struct {
        mote_emitter_shape shape;
        double (*share[3])(const mote_range_view *, uint32_t);
    } rows[] = {{MOTE_EMITTER_BOX, {by_x, by_y, by_z}},
                {MOTE_EMITTER_SPHERE, {by_volume, by_height, about_y}},
                {MOTE_EMITTER_DISC, {by_disc, about_y, NULL}},
                {MOTE_EMITTER_CONE, {by_disc, about_y, NULL}},
                {MOTE_EMITTER_RING, {about_y, NULL, NULL}}};
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        e.shape = rows[row].shape;
        mote_system *system = burst_of(&e);
        const mote_range_view view = mote_system_view(system);
        for (int k = 0; k < 3 && rows[row].share[k]; k++) expect_even(&view, rows[row].share[k], "shape");
        if (e.shape == MOTE_EMITTER_RING)
            for (uint32_t i = 0; i < DRAWS; i++) ASSERT_NEAR(square_radius(&view, i), 4, 1e-5);
        mote_system_destroy(system);
    }
}

TEST(spreads_and_directions_are_even) {
    mote_emitter_def e = mote_default_emitter_def();
    e.speed = (mote_spread){2, 3}, e.lifetime = (mote_spread){5, 6}, e.mass = (mote_spread){1, 2};
    e.extra_columns = 2, e.extra[1] = (mote_spread){-2, 2}, e.spread = 0.7f;
    mote_system *system = burst_of(&e);
    const mote_range_view view = mote_system_view(system);
    expect_even(&view, by_speed, "speed");
    expect_even(&view, by_tilt, "tilt");
    expect_even(&view, about_velocity, "turn");
    expect_even(&view, by_lifetime, "lifetime");
    expect_even(&view, by_mass, "mass");
    expect_even(&view, by_extra, "extra");
    mote_system_destroy(system);
}

/* Small spreads are met: the squares of the angles are even up to that of the spread, so their mean is half.
 */
TEST(small_spreads_are_met) {
    static const float spreads[] = {1e-2f, 1e-3f, 1e-4f, 1e-5f};
    for (size_t i = 0; i < COUNT_OF(spreads); i++) {
        mote_emitter_def e = mote_default_emitter_def();
        const double spread = (double)(e.spread = spreads[i]);
        mote_system *system = burst_of(&e);
        const mote_range_view view = mote_system_view(system);
        double sum = 0, most = 0;
        for (uint32_t k = 0; k < DRAWS; k++) {
            const double angle = hypot((double)view.velocity.x[k], (double)view.velocity.z[k]);
            sum += angle * angle, most = fmax(most, angle);
        }
        test_case("%g rad", spread);
        ASSERT_NEAR(sum / DRAWS / (spread * spread), 0.5, 0.005);
        ASSERT_NEAR(most / spread, 1, 0.001);
        mote_system_destroy(system);
    }
}

TEST(directions_follow_the_shape) {
    mote_emitter_def e = mote_default_emitter_def();
    e.shape = MOTE_EMITTER_CONE, e.radius = 2, e.angle = 0.5f;
    mote_system *system = burst_of(&e);
    mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < 1000; i++) {
        const double r =
            sqrt(square_radius(&view, i)) - 0; /* at the end of the step: birth was 1/60 s before */
        const double vx = (double)view.velocity.x[i], vz = (double)view.velocity.z[i],
                     vy = (double)view.velocity.y[i];
        const double slope = hypot(vx, vz) / vy, at_birth = r - hypot(vx, vz) / 60;
        ASSERT_NEAR(slope, tan(0.5) * at_birth / 2, 1e-4);
        ASSERT_NEAR(vx * (double)view.position.z[i], vz * (double)view.position.x[i], 1e-5);
    }
    mote_system_destroy(system);
    e.shape = MOTE_EMITTER_SPHERE, e.direction = MOTE_EMIT_OUTWARD, e.inner_radius = 1;
    system = burst_of(&e);
    view = mote_system_view(system);
    for (uint32_t i = 0; i < 1000; i++) {
        const double r = sqrt(square_radius(&view, i) + pow((double)view.position.y[i], 2));
        ASSERT_NEAR((double)view.velocity.x[i], (double)view.position.x[i] / r, 1e-5);
        ASSERT_NEAR((double)view.velocity.y[i], (double)view.position.y[i] / r, 1e-5);
    }
    mote_system_destroy(system);
}

/* Angles that an emitter is given later are those of its births. */
TEST(a_changed_emitter_gives_the_births_of_its_new_angles) {
    for (int k = 0; k < 3; k++) {
        mote_system_def def = emitting_def(1000);
        mote_system *changed = make_system(&def), *made = make_system(&def);
        mote_emitter_def e = mote_default_emitter_def();
        e.rate = 600, e.shape = MOTE_EMITTER_CONE, e.radius = 1;
        const mote_emitter_id id = add(changed, &e);
        if (k == 0) e.angle = 0.5f;
        if (k == 1) e.spread = 0.5f;
        if (k == 2) e.angle = 1, e.spread = 1;
        assert_int_equal(k == 2 ? mote_system_set_emitter(changed, id, &e)
                                : mote_system_change_emitter(changed, id, &e),
                         MOTE_OK);
        add(made, &e);
        test_case("change %d", k);
        ASSERT(step(changed, 3).born, ==, 30);
        ASSERT(step(made, 3).born, ==, 30);
        ASSERT(mote_system_hash(changed), ==, mote_system_hash(made));
        mote_system_destroy(changed);
        mote_system_destroy(made);
    }
}
