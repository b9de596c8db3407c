/* Presentation relative to an origin: offsets of loose particles and strands, of which nothing is
 * lost far from the origin of the world. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "strand_picture.h"
#include "systems.h"

enum { MOST = 300 };

static const uint32_t counts[] = {1, 15, 16, 17, 255, 256, MOST};

/* --- Loose particles --- */

typedef struct flight {
    float before[6][MOST], after[6][MOST]; /* positions and velocities around the last step */
    double origin[3];
} flight;

static void store(mote_system *system, float to[6][MOST]) {
    const mote_range_view view = mote_system_view(system);
    const motion_columns motion = motion_of(&view);
    for (int i = 0; i < 6; i++) memcpy(to[i], motion.column[i], view.count * sizeof(float));
}

/* Particles within 100 m of a place about 1e5 m away, fast enough to move by several of the distances between
 * floats. Particle 0 has no previous state. */
static mote_system *fly(mote_interpolation interpolation, mote_isa isa, uint32_t count, flight *f) {
    mote_system_def def = mote_default_system_def();
    def.capacity = MOST, def.steps_per_second = (mote_rate){64, 1};
    def.interpolation = interpolation, def.isa = isa;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, count);
    const motion_columns motion = motion_of(&view);
    random_source random = {count};
    const double place[3] = {1e5, -2e4, 3.5e5};
    for (int axis = 0; axis < 3; axis++) {
        f->origin[axis] = place[axis] + (double)random_between(&random, -1, 1);
        for (uint32_t i = 0; i < count; i++) {
            motion.column[axis][i] = (float)place[axis] + random_between(&random, -100, 100);
            motion.column[3 + axis][i] = random_between(&random, -50, 50);
        }
    }
    add_force(system, mote_gravity((float[3]){1, -9.81f, 2}));
    stepped(system, 2);
    store(system, f->before);
    stepped(system, 1);
    store(system, f->after);
    OK(mote_system_teleport(system, 0, 1));
    return system;
}

/* The exact sum that the header names, in extended precision: of the weights of the cubic as floats. */
static long double exact_place(const flight *f, mote_interpolation mode, int axis, uint32_t i, double s) {
    const long double x0 = f->before[axis][i], x1 = f->after[axis][i], from = f->origin[axis];
    const double h = 1.0 / 64, left = 1 - s;
    if (mode == MOTE_INTERPOLATE_NONE || i == 0) return x1 - from;
    if (mode == MOTE_INTERPOLATE_LINEAR) return (x0 - from) + (long double)s * (x1 - x0);
    const long double a = (float)(s * s * (3 - 2 * s)), b = (float)(h * s * left * left),
                      c = (float)(-h * s * s * left);
    return (x0 - from) +
           (a * (x1 - x0) + b * (long double)f->before[3 + axis][i] + c * (long double)f->after[3 + axis][i]);
}

/* Half a unit in the last place of a float, and the rounding of the sum in double, 2^-50 of its terms. */
static double half_unit(float value) {
    const double size = fabs((double)value);
    return 0.5 * ((double)nextafterf((float)size, INFINITY) - size) + 0x1p-50 * (size + 100);
}

static void check_flight(mote_system *system, const flight *f, mote_interpolation mode, uint32_t count,
                         double alpha) {
    float got[MOST][6], world[MOST][6];
    mote_present_layout layout = layout_at(24, 0, 12);
    OK(mote_system_present(system, &layout, world, sizeof world));
    memcpy(layout.origin, f->origin, sizeof f->origin);
    OK(mote_system_present(system, &layout, got, sizeof got));
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const long double want = exact_place(f, mode, axis, i, alpha);
            ASSERT_NEAR((double)((long double)got[i][axis] - want), 0, half_unit(got[i][axis]));
            ASSERT(got[i][3 + axis], ==, world[i][3 + axis]);
        }
    layout = layout_at(12, 0, MOTE_OMIT); /* packed: the path without a copy */
    memcpy(layout.origin, f->origin, sizeof f->origin);
    OK(mote_system_present(system, &layout, world, sizeof world));
    for (uint32_t i = 0; i < count; i++) assert_memory_equal(&world[0][0] + 3 * i, got[i], 12);
}

TEST(particles_are_presented_within_half_a_unit_of_the_exact_difference) {
    static const double alphas[] = {0, 0.5, 0.75};
    static flight f;
    for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++)
        for (size_t c = 0; c < COUNT_OF(counts); c++)
            for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
                if (!mote_isa_available((mote_isa)isa)) continue;
                mote_system *system = fly((mote_interpolation)mode, (mote_isa)isa, counts[c], &f);
                for (size_t a = 0; a < COUNT_OF(alphas); a++) {
                    const mote_advance clock =
                        advanced(system, (uint64_t)((a ? alphas[a] - alphas[a - 1] : 0) * STEP));
                    ASSERT(clock.alpha, ==, (float)alphas[a]);
                    check_flight(system, &f, (mote_interpolation)mode, counts[c], alphas[a]);
                }
                mote_system_destroy(system);
            }
}

/* What every instruction set writes, bit for bit. */
TEST(offsets_of_particles_are_the_same_bits_on_any_instruction_set) {
    static flight f;
    for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
        float first[MOST][3], got[MOST][3];
        uint32_t written = 0;
        for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            mote_system *system = fly((mote_interpolation)mode, (mote_isa)isa, MOST, &f);
            mote_present_layout layout = mote_default_present_layout();
            memcpy(layout.origin, f.origin, sizeof f.origin);
            advanced(system, STEP / 3);
            OK(mote_system_present(system, &layout, got, sizeof got));
            if (written++ == 0) memcpy(first, got, sizeof got);
            assert_memory_equal(got, first, sizeof got);
            mote_system_destroy(system);
        }
        ASSERT(written, >=, 2);
    }
}

TEST(an_origin_of_zeros_writes_world_coordinates) {
    static flight f;
    for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
        float want[MOST][3], got[MOST][3];
        mote_system *system = fly((mote_interpolation)mode, MOTE_ISA_AUTO, MOST, &f);
        mote_present_layout layout = mote_default_present_layout();
        advanced(system, STEP / 2);
        OK(mote_system_present(system, &layout, want, sizeof want));
        layout.origin[0] = layout.origin[2] = -0.0;
        OK(mote_system_present(system, &layout, got, sizeof got));
        assert_memory_equal(got, want, sizeof got);
        mote_system_destroy(system);
    }
}

/* --- Strands --- */

/* A rope of 9 points that swings about a root at x = away m, by less than a millimetre. */
static mote_system *swing(float away, mote_interpolation mode, mote_isa isa, mote_strands_id *id) {
    float x[9][3] = {{0}};
    mote_system *system = system_with(mode, (mote_jobs){0}, isa);
    mote_strands_def def = mote_default_strands_def();
    for (int k = 0; k < 9; k++) x[k][0] = 1e-4f * (float)k, x[k][1] = -0.125f * (float)k;
    def.strand_count = 1, def.points = 9, def.positions = x[0], def.substeps = 8;
    assert_int_equal(mote_system_add_strands(system, &def, id, NULL), MOTE_OK);
    const mote_transform root = {{away, 0, 0}, {0, 0, 0, 1}};
    assert_int_equal(mote_strands_set_roots(system, *id, &root, 1, 0), MOTE_OK);
    assert_int_equal(mote_strands_reset(system, *id, MOTE_ALL_STRANDS), MOTE_OK);
    add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    return system;
}

static void present_swing(const mote_system *system, mote_strands_id id, double origin, float got[9][3]) {
    mote_strand_layout layout = mote_default_strand_layout();
    layout.origin[0] = origin;
    OK(mote_strands_present(system, id, &layout, got, 9 * sizeof *got));
}

/* The distance between floats at 1e5 m is 7.8 mm. */
TEST(a_small_swing_far_away_is_presented_as_at_the_origin) {
    static const double places[] = {1e3, 1e5, 131072, 1e7};
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
            mote_strands_id near_id, far_id;
            mote_system *near = swing(0, (mote_interpolation)mode, MOTE_ISA_AUTO, &near_id);
            mote_system *far = swing((float)places[p], (mote_interpolation)mode, MOTE_ISA_AUTO, &far_id);
            double most = 0, difference = 0;
            for (int frame = 0; frame < 300; frame++) {
                float a[9][3], b[9][3];
                advanced(near, STEP * 3 / 4), advanced(far, STEP * 3 / 4);
                present_swing(near, near_id, 0, a);
                present_swing(far, far_id, places[p], b);
                for (int k = 0; k < 9; k++) {
                    most = fmax(most, fabs((double)a[k][0]));
                    for (int axis = 0; axis < 3; axis++)
                        difference = fmax(difference, fabs((double)b[k][axis] - (double)a[k][axis]));
                }
            }
            test_case("%g m, mode %d: swing %g m, difference %g m", places[p], mode, most, difference);
            ASSERT(most, >, 5e-4);
            ASSERT(most, <, 1e-3);
            ASSERT(difference, <=, 1e-6 * most);
            mote_system_destroy(near);
            mote_system_destroy(far);
        }
}

/* The whole places of a strand's points, in two parts each: the column and the rest of what the step kept. */
typedef struct whole_places {
    float high[3][9], low[3][9];
} whole_places;

static void store_places(const mote_system *system, mote_strands_id id, whole_places *to) {
    const mote_strands *b = strands_inside(system, id);
    for (uint32_t k = 0; k < 9; k++) {
        const uint32_t slot = mote_strands_slot(system, id, 0, k);
        for (int axis = 0; axis < 3; axis++) {
            const float x = b->range.x[axis][slot];
            const double kept = (double)b->origin[axis][0] + (double)b->relative_x[axis][slot];
            to->high[axis][k] = x;
            to->low[axis][k] = (float)(kept - (double)x); /* exact: less than 2^-24 of x */
        }
    }
}

/* Bit for bit, in plain double. */
static void check_places(const whole_places *before, const whole_places *now, double alpha, double origin,
                         float (*got)[3]) {
    for (int k = 0; k < 9; k++)
        for (int axis = 0; axis < 3; axis++) {
            const double x0 = (double)before->high[axis][k], l0 = (double)before->low[axis][k],
                         x1 = (double)now->high[axis][k], l1 = (double)now->low[axis][k];
            const double sum = (x0 - (axis ? 0 : origin)) + (l0 + alpha * ((x1 - x0) + (l1 - l0)));
            ASSERT(got[k][axis], ==, (float)sum);
        }
}

TEST(offsets_of_strands_are_those_of_the_plain_sum) {
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++)
        for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            mote_strands_id id;
            mote_system *system = swing(1e5f, (mote_interpolation)mode, (mote_isa)isa, &id);
            whole_places before, now;
            float got[9][3];
            const double origin = 100001.7;
            mote_advance clock = {0};
            uint32_t lows = 0;
            for (int frame = 0; frame < 40; frame++) {
                store_places(system, id, &before);
                OK(mote_system_advance(system, STEP * 5 / 4, &clock));
                if (clock.steps != 1) continue;
                store_places(system, id, &now);
                present_swing(system, id, origin, got);
                check_places(mode ? &before : &now, &now, (double)clock.alpha, origin, got);
                for (int k = 0; k < 9; k++) lows += now.low[0][k] != 0 && before.low[0][k] != now.low[0][k];
            }
            ASSERT(lows, >, 100);
            mote_system_destroy(system);
        }
}

/* A pin leaves from the place of its point, the low part included, and arrives at its target. */
TEST(pins_far_away_leave_from_the_whole_place) {
    mote_strands_id id;
    mote_system *system = swing(1e5f, MOTE_INTERPOLATE_NONE, MOTE_ISA_AUTO, &id);
    whole_places at;
    double from[3], to[3];
    stepped(system, 20);
    store_places(system, id, &at);
    for (int axis = 0; axis < 3; axis++) {
        from[axis] = (double)at.high[axis][8] + (double)at.low[axis][8];
        to[axis] = (double)at.high[axis][8] - 0.015625;
    }
    ASSERT(fabsf(at.low[0][8]), >, 1e-5f);
    const uint64_t tps = stepped(system, 0).ticks_per_step, now = mote_system_steps(system) * tps;
    const float target[3] = {(float)to[0], (float)to[1], (float)to[2]};
    OK(mote_strands_pin(system, id, 0, 8, target, now + 8 * tps));
    for (int step = 1; step <= 9; step++) {
        stepped(system, 1);
        store_places(system, id, &at);
        for (int axis = 0; axis < 3; axis++)
            ASSERT_NEAR((double)at.high[axis][8] + (double)at.low[axis][8],
                        from[axis] + fmin(step / 8.0, 1) * (to[axis] - from[axis]), 1e-7);
    }
    mote_system_destroy(system);
}

/* Where the host has written a place, on any axis, it is that place alone. */
TEST(places_that_the_host_writes_have_no_low_part) {
    mote_strands_id id;
    float got[9][3];
    mote_system *system = swing(1e5f, MOTE_INTERPOLATE_NONE, MOTE_ISA_AUTO, &id);
    const mote_strands_view view = mote_strands_columns(system, id);
    advanced(system, STEP);
    view.position.z[mote_strands_slot(system, id, 0, 5)] = 3;
    present_swing(system, id, 1e5, got);
    for (uint32_t k = 0; k < 9; k++) {
        const double high = (double)view.position.x[mote_strands_slot(system, id, 0, k)];
        if (k == 5) ASSERT(got[k][0], ==, (float)(high - 1e5));
        if (k > 5) ASSERT(got[k][0], !=, (float)(high - 1e5));
    }
    mote_system_destroy(system);
}

/* Springs and random states, in every layout: the formula of the header with x - origin, within its rounding.
 * Ribbons and tangents follow from the offsets, with the eye relative to the origin. */
TEST(every_shape_is_moved_by_the_origin) {
    static unsigned char memory[2][80 * LONGEST * 2 * 40];
    for (int kind = 0; kind < LAYOUTS; kind++) {
        SCENE(plain_system(), 40, LONGEST, 6);
        mote_strand_layout l = layout_of(kind);
        const size_t bytes = (size_t)mote_strands_vertex_count(system, id, l.shape) * l.stride;
        const double origin[3] = {16, -32, 8};
        scatter_points(system, id, 3);
        for (uint32_t slot = 0; slot < b->range.slot_count; slot++)
            for (int axis = 0; axis < 3; axis++) { /* 1/64 m: every sum and difference is exact */
                float *x[2] = {b->range.x[axis] + slot, b->range.previous_x[axis] + slot};
                for (int i = 0; i < 2; i++)
                    if (!isnan(*x[i])) *x[i] = floorf(*x[i] * 64) / 64;
            }
        set_alpha(system, 0.5);
        memset(memory, 0x5a, sizeof memory);
        memcpy(l.origin, origin, sizeof origin);
        OK(mote_strands_present(system, id, &l, memory[0], bytes));
        for (uint32_t slot = 0; slot < b->range.slot_count; slot++)
            for (int axis = 0; axis < 3; axis++) {
                b->range.x[axis][slot] -= (float)origin[axis];
                b->range.previous_x[axis][slot] -= (float)origin[axis];
            }
        memset(l.origin, 0, sizeof l.origin);
        OK(mote_strands_present(system, id, &l, memory[1], bytes));
        assert_memory_equal(memory[0], memory[1], bytes);
        mote_system_destroy(system);
    }
}

/* The places of followers are linear in those of their guides. */
TEST(followers_are_moved_by_the_origin) {
    static strands f;
    static float world[3 * MOST_STRANDS * LONGEST], got[3 * MOST_STRANDS * LONGEST];
    SCENE(plain_system(), 45, LONGEST, 6);
    make_strands(&f, 70, 33, 4);
    mote_followers_def def = mote_default_followers_def();
    def.follower_count = 70, def.follower_points = f.points, def.positions = f.positions;
    mote_followers *followers;
    OK(mote_followers_create(system, id, &def, &followers, NULL));
    scatter_points(system, id, 3);
    set_alpha(system, 0.25);
    mote_strand_layout l = mote_default_strand_layout();
    OK(mote_followers_present(system, followers, &l, world, sizeof world));
    l.origin[0] = 3.1, l.origin[1] = -200.2, l.origin[2] = 1e3;
    OK(mote_followers_present(system, followers, &l, got, sizeof got));
    for (uint32_t i = 0; i < 3 * f.first[70]; i++)
        ASSERT_NEAR((double)got[i], (double)world[i] - l.origin[i % 3],
                    8 * FLT_EPSILON * (60 + fabs(l.origin[i % 3])));
    mote_followers_destroy(followers);
    mote_system_destroy(system);
}

TEST(origins_that_are_not_finite_are_refused) {
    SCENE(plain_system(), 3, 4, 2);
    static float vertices[3 * 3 * 4];
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * COUNT_OF(wrong); i++) {
        mote_strand_layout l = mote_default_strand_layout();
        l.origin[i % 3] = wrong[i / 3];
        REFUSED(system, MOTE_ERROR_NOT_FINITE,
                mote_strands_present(system, id, &l, vertices, sizeof vertices));
    }
    for (size_t i = 0; i < COUNT_OF(vertices); i++) ASSERT(vertices[i], ==, 0);
    mote_system_destroy(system);
}
