/* Seek and preview: jumps in time and paths in one flow, against closed forms, and against the steps
 * themselves. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "support.h"

static const double UNIT = 0x1p-24;

static void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g within %.3g", got, want, tolerance);
}

static mote_system *make(const mote_system_def *def, uint32_t count, mote_range_view *view) {
    mote_system *system;
    assert_int_equal(mote_system_create(def, &system), MOTE_OK);
    assert_int_equal(mote_system_spawn(system, count, view), MOTE_OK);
    return system;
}

static mote_force_id add(mote_system *system, mote_force_def def) {
    mote_force_id id;
    assert_int_equal(mote_system_add_force(system, &def, &id), MOTE_OK);
    return id;
}

/* --- 8: gravity, linear drag and an anchor spring together --- */

static const double TIMES[3] = {1 / 60.0, 1, 20};
static const double PLACES[3] = {4.964344791405077, -1.16463966938596, 0.5326124515950732};
static const double SPEEDS[3] = {-2.277842948697737, -5.595283082296746, -0.04830620867954968};
/* One flow: six coefficients and six operations, each rounded, on terms below 15 m and 25 m/s. */
static const double PLACE_ERROR = 12 * 0x1p-24 * 15, SPEED_ERROR = 12 * 0x1p-24 * 25;

static void add_experiment_8(mote_system *system) {
    add(system, mote_gravity((vec3){0, -9.81f, 0}));
    add(system, mote_wind((vec3){0, 0, 0}, 1));
    add(system, mote_anchor_spring((vec3){0, 3, 0}, 8, 0));
}

/* -9.81 as a float moves the place of rest, 3 - 9.81 / 4, by UNIT of itself: within the error. */
TEST(seek_is_exact) {
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        if (advects(m)) continue;
        for (int masses = 0; masses < 2; masses++)
            for (int t = 0; t < 3; t++) {
                mote_system_def def = mote_default_system_def();
                mote_range_view view;
                def.integrator = m;
                def.mass_column = masses;
                def.uniform_mass = 2;
                def.substeps = 3;
                mote_system *system = make(&def, 50, &view);
                add_experiment_8(system);
                for (int i = 0; i < 50; i++) view.position.y[i] = 5, view.velocity.y[i] = -2;
                uint64_t target = (uint64_t)lround(TIMES[t] * 60);
                assert_int_equal(mote_system_seek(system, target), MOTE_OK);
                ASSERT(mote_system_steps(system), ==, target);
                ASSERT(mote_system_time(system), ==, (double)target / 60);
                mote_statistics d;
                assert_int_equal(mote_system_statistics(system, &d), MOTE_OK);
                /* Position Verlet's two half kicks, back at v and forth at v - h a / 2, differ by (h / 2)^2 b
                 * / m a. */
                double kicks = m == MOTE_POSITION_VERLET ? 0.5 * 25 / (360.0 * 360) : 0;
                assert_near(d.momentum[1] / 100, SPEEDS[t], SPEED_ERROR + kicks);
                for (int i = 0; i < 50; i++) assert_near(view.position.y[i], PLACES[t], PLACE_ERROR);
                ASSERT(view.position.x[3], ==, 0);
                ASSERT(view.velocity.z[49], ==, 0);
                mote_system_destroy(system);
            }
    }
}

TEST(preview_is_exact) {
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    def.start_time = 77;
    mote_system *system = make(&def, 5, &view);
    add_experiment_8(system);
    assert_int_equal(mote_system_step(system, 3, NULL), MOTE_OK);
    uint64_t hash = mote_system_hash(system);
    mote_preview_def preview = {.position = {0, 5, 0}, .velocity = {0, -2, 0}, .inverse_mass = 0.5f};
    for (int t = 0; t < 3; t++) {
        /* The last of many points, and the only one, of any interval. */
        for (uint32_t count = 1; count <= 120; count += 119) {
            float points[120][3];
            preview.count = count;
            preview.interval = TIMES[t] / count;
            assert_int_equal(mote_system_preview(system, &preview, points), MOTE_OK);
            assert_near(points[count - 1][1], PLACES[t], PLACE_ERROR);
            ASSERT(points[count - 1][0], ==, 0);
            ASSERT(points[count - 1][2], ==, 0);
        }
    }
    /* A long time later it hangs at rest; what cannot move stays. */
    float point[1][3];
    preview.interval = 1e6, preview.count = 1;
    assert_int_equal(mote_system_preview(system, &preview, point), MOTE_OK);
    assert_near(point[0][1], 3 - 2 * (double)9.81f / 8, PLACE_ERROR);
    preview.inverse_mass = 0;
    preview.count = 0;
    assert_int_equal(mote_system_preview(system, &preview, NULL), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, hash);
    mote_system_destroy(system);
}

/* --- 11: a projectile in air --- */

TEST(projectile) {
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    mote_system *system = make(&def, 1, &view);
    add(system, mote_gravity((vec3){0, -9.81f, 0}));
    mote_force_id air = add(system, mote_wind((vec3){0, 0, 0}, 0.5f));
    mote_preview_def preview = {.velocity = {30, 40, 0}, .inverse_mass = 1, .interval = 0.125, .count = 16};
    float points[16][3];
    assert_int_equal(mote_system_preview(system, &preview, points), MOTE_OK);
    /* Three coefficients and three operations, rounded, on terms of at most 80 m. */
    const double rounding = 6 * UNIT * 80;
    assert_near(points[15][0], 37.92723352971346, rounding);
    assert_near(points[15][1], 36.13405543471722, rounding);
    view.velocity.x[0] = 30, view.velocity.y[0] = 40;
    assert_int_equal(mote_system_seek(system, 120), MOTE_OK);
    assert_near(view.position.x[0], 37.92723352971346, rounding);
    assert_near(view.position.y[0], 36.13405543471722, rounding);
    assert_int_equal(mote_system_seek(system, 0), MOTE_OK);
    /* Small drag goes over into none: x = v t (1 - c t / 2), y the same less g t^2 / 2 (1 - c t / 3). */
    for (float c = 1e-3f; c > 1e-12f; c *= 0.03f) {
        mote_force_def thin = mote_wind((vec3){0, 0, 0}, c);
        assert_int_equal(mote_system_set_force(system, air, &thin), MOTE_OK);
        assert_int_equal(mote_system_preview(system, &preview, points), MOTE_OK);
        double drag = (double)c, next = 60 * drag * drag;
        assert_near(points[15][0], 60 * (1 - drag), next + rounding);
        assert_near(points[15][1], 80 * (1 - drag) - 2 * (double)9.81f * (1 - 2 * drag / 3),
                    2 * next + rounding);
    }
    mote_system_destroy(system);
}

/* --- Jumps --- */

TEST(there_and_back) {
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        if (advects(m)) continue;
        mote_system_def def = mote_default_system_def();
        mote_range_view view;
        random_source random = {5};
        float start[6][200];
        def.integrator = m;
        def.mass_column = true;
        mote_system *system = make(&def, 200, &view);
        scene_fill(&view, &random);
        add(system, mote_gravity((vec3){0, -9.81f, 0}));
        add(system, mote_wind((vec3){1, 0, 2}, 0.25f));
        add(system, mote_anchor_spring((vec3){1, 2, 3}, 8, 0.125f));
        add(system, mote_thrust((vec3){0, 0.5f, 0}));
        assert_int_equal(mote_system_step(system, 7, NULL), MOTE_OK);
        float *column[6] = {view.position.x, view.position.y, view.position.z,
                            view.velocity.x, view.velocity.y, view.velocity.z};
        for (int c = 0; c < 6; c++) memcpy(start[c], column[c], sizeof start[c]);
        uint64_t hash = mote_system_hash(system);
        assert_int_equal(mote_system_seek(system, 7), MOTE_OK);
        ASSERT(mote_system_hash(system), ==, hash);
        assert_int_equal(mote_system_seek(system, 307), MOTE_OK);
        ASSERT(fabsf(column[0][0] - start[0][0]), >, 0.01f);
        assert_int_equal(mote_system_seek(system, 100), MOTE_OK);
        assert_int_equal(mote_system_seek(system, 7), MOTE_OK);
        for (int c = 0; c < 6; c++)
            for (int i = 0; i < 200; i++) {
                /* Each flow rounds 12 times on terms below 60 m and 160 m/s; going back undoes 5 s of decay:
                 * e^(5 r) for r = 0.375 / 2 m <= 0.375, 6.5. Position Verlet's half kicks leave (h / 2)^2 b /
                 * m a, thrice. */
                double kicks = m == MOTE_POSITION_VERLET ? 3 * 0.75 * 240 / (120.0 * 120) : 0;
                assert_near(column[c][i], start[c][i], (3 * 12 * UNIT * (c < 3 ? 60 : 160) + kicks) * 6.5);
                if (view.inverse_mass[i] == 0) ASSERT(column[c][i], ==, start[c][i]);
            }
        mote_system_destroy(system);
    }
}

TEST(lifetimes_end_on_the_way) {
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    def.lifetimes = true;
    mote_system *system = make(&def, 6, &view);
    static const float lifetimes[6] = {0.5f, 1, INFINITY, 1.5f, 2, 10};
    mote_particle_id particles[6];
    for (int i = 0; i < 6; i++) view.lifetime[i] = lifetimes[i], particles[i] = view.id[i];
    add(system, mote_gravity((vec3){0, -1, 0}));
    mote_advance advance;
    assert_int_equal(mote_system_advance(system, 10000000, &advance), MOTE_OK);
    float alpha = advance.alpha;
    assert_int_equal(mote_system_seek(system, 90), MOTE_OK);
    assert_int_equal(mote_system_count(system), 3);
    for (int i = 0; i < 6; i++)
        ASSERT((mote_system_slot(system, particles[i]) == MOTE_NO_SLOT), ==, (lifetimes[i] <= 1.5f));
    assert_int_equal(mote_system_seek(system, 0), MOTE_OK);
    assert_int_equal(mote_system_count(system), 3);
    /* The part of a step that had gathered is still there. */
    assert_int_equal(mote_system_advance(system, 0, &advance), MOTE_OK);
    ASSERT(alpha, >, 0.5f);
    ASSERT(advance.alpha, ==, alpha);
    ASSERT(advance.steps, ==, 0);
    mote_system_destroy(system);
}

static mote_system *busy_system;
static mote_result busy_results[3];
static void revert_diverged(void *unused, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)unused, (void)stage, (void)x, (void)y, (void)z;
    mote_statistics d;
    float points[1][3];
    mote_preview_def preview = {.interval = 1, .count = 1, .inverse_mass = 1};
    busy_results[0] = mote_system_seek(busy_system, 9);
    busy_results[1] = mote_system_preview(busy_system, &preview, points);
    busy_results[2] = mote_system_statistics(busy_system, &d);
}

TEST(seek_needs_affine_forces) {
    static const float times[1] = {0};
    static vec3 pushes[1] = {{1, 0, 0}};
    const vec3 zero = {0, 0, 0};
    mote_force_def gravity = mote_gravity((vec3){0, -1, 0});
    mote_force_def bent[] = {
        mote_attractor(zero, 1, 1),          mote_timed_thrust(times, pushes, 1),
        mote_quadratic_drag(zero, 1),        mote_particle_anchors(1, 0),
        mote_in_sphere(gravity, zero, 1, 0), mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_WIND, 1),
        mote_callback(revert_diverged, NULL)};
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    def.anchor_column = def.external_forces = true;
    mote_system *system = make(&def, 4, &view);
    add(system, gravity);
    for (size_t i = 0; i < COUNT_OF(bent); i++) {
        mote_force_id id = add(system, bent[i]);
        uint64_t hash = mote_system_hash(system);
        assert_int_equal(mote_system_seek(system, 10), MOTE_ERROR_INTEGRATOR);
        assert_int_equal(mote_system_seek(system, 0), MOTE_ERROR_INTEGRATOR);
        ASSERT(mote_system_hash(system), ==, hash);
        if (bent[i].kind == MOTE_FORCE_CALLBACK) {
            busy_system = system;
            assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
            for (int k = 0; k < 3; k++) assert_int_equal(busy_results[k], MOTE_ERROR_BUSY);
        }
        assert_int_equal(mote_system_remove_force(system, id), MOTE_OK);
    }
    mote_vector_columns external_forces;
    assert_int_equal(mote_system_external_forces(system, &external_forces), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 10), MOTE_ERROR_INTEGRATOR);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 10), MOTE_OK);
    mote_system_destroy(system);
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        if (!advects(m)) continue;
        def.integrator = m;
        system = make(&def, 4, &view);
        assert_int_equal(mote_system_seek(system, 1), MOTE_ERROR_INTEGRATOR);
        mote_system_destroy(system);
    }
}

/* --- Previews that step --- */

enum { PATH = 12 };

/* What a preview says of a particle is, to the last bit, what it does once it is spawned. */
static void preview_and_steps(mote_integrator m, bool masses, double steps_each, uint32_t taken) {
    const vec3 zero = {0, 0, 0};
    static const float times[2] = {0.05f, 0.4f};
    static vec3 pushes[2] = {{1, 0, 0}, {0, 3, -1}};
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    def.integrator = m;
    def.mass_column = masses;
    def.uniform_mass = 2;
    def.substeps = 2;
    mote_system *system = make(&def, 33, &view);
    if (advects(m)) {
        add(system, mote_vortex(zero, (vec3){0, 0, 1}, 3, 0.5f, MOTE_FIELD_VELOCITY, 0));
        add(system, mote_curl_noise(1, 0.5f, 2, 3, MOTE_FIELD_VELOCITY, 0));
    } else {
        add(system, mote_gravity((vec3){0, -9.81f, 0}));
        add(system, mote_wind((vec3){2, 0, 0}, 0.5f));
        add(system, mote_attractor(zero, 30, 0.5f));
        add(system, mote_curl_noise(2, 0.5f, 2, 3, MOTE_FIELD_WIND, 0.5f));
        add(system, mote_timed_thrust(times, pushes, 2));
        add(system, mote_in_box(mote_anchor_spring(zero, 5, 0), zero, (vec3){1, 1, 1}, 1));
        add(system, mote_callback(scene_push, NULL));
    }
    assert_int_equal(mote_system_step(system, 5, NULL), MOTE_OK);
    mote_preview_def preview = {.position = {2, 1, -0.5f},
                                .velocity = {0, 3, 1},
                                .inverse_mass = 0.5f,
                                .interval = steps_each / 60,
                                .count = PATH};
    float points[PATH][3];
    uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_system_preview(system, &preview, points), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, hash);
    assert_int_equal(mote_system_spawn(system, 1, &view), MOTE_OK);
    for (int k = 0; k < 3; k++) {
        (&view.position.x)[k][0] = preview.position[k];
        (&view.velocity.x)[k][0] = preview.velocity[k];
    }
    for (int i = 0; i < PATH; i++) {
        assert_int_equal(mote_system_step(system, taken, NULL), MOTE_OK);
        float now[3] = {view.position.x[0], view.position.y[0], view.position.z[0]};
        if (masses) assert_memory_equal(points[i], now, sizeof now);
        /* With one mass for all, affine forces fold before they are rounded: eight roundings a substep, which
         * a passage by the attractor lets grow by less than 16. */
        for (int k = 0; k < 3; k++)
            assert_near(points[i][k], now[k], 16 * sqrt(8.0 * 2 * taken * (i + 1)) * UNIT * 8);
    }
    ASSERT(fabsf(points[PATH - 1][0] - 2), >, 0.01f);
    mote_system_destroy(system);
}

TEST(preview_steps_as_the_system_does) {
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int masses = 0; masses < 2; masses++) {
            preview_and_steps(m, masses, 1, 1);
            preview_and_steps(m, masses, 3.4, 3);
            preview_and_steps(m, masses, 2.6, 3);
            preview_and_steps(m, masses, 0.2, 1);
        }
}
