/* Presentation relative to an origin: offsets of loose particles, of which nothing is
 * lost far from the origin of the world. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "systems.h"

enum { MOST = 300, STEP = 15625000 };

static const uint32_t counts[] = {1, 15, 16, 17, 255, 256, MOST};

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
    add_force(system, mote_gravity((vec3){1, -9.81f, 2}));
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
