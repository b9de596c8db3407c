/* Orientation of loose particles: presentation, handles, deaths, snapshots, bad input. */
#include <stdlib.h>

#include "orientation_scene.h"

/* --- Presentation --- */

static mote_system *presented_system(mote_interpolation interpolation) {
    mote_system_def def = turning_def(40);
    def.interpolation = interpolation, def.principal_moments = false;
    return system_of(&def);
}

static mote_present_layout quaternions(void) {
    mote_present_layout layout = layout_at(16, MOTE_OMIT, MOTE_OMIT);
    layout.orientation_offset = 0;
    return layout;
}

/* Spherical linear interpolation along the shorter arc, in double. */
static void slerp(const double a[4], const double b[4], double t, double out[4]) {
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = dot < 0 ? -1 : 1, angle = acos(fmin(fabs(dot), 1));
    for (int k = 0; k < 4; k++)
        out[k] =
            angle < 1e-9 ? a[k] : (sin((1 - t) * angle) * a[k] + sign * sin(t * angle) * b[k]) / sin(angle);
}

TEST(orientations_are_interpolated_along_the_shorter_arc) {
    for (int kind = 0; kind < MOTE_INTERPOLATION_COUNT; kind++) {
        mote_system *system = presented_system((mote_interpolation)kind);
        const mote_range_view view = spawned(system, 40);
        float out[40][4];
        double before[40][4], now[4], want[4];
        const double alpha = 0.3;
        for (uint32_t i = 0; i < 40; i++) {
            spin(&view, i, 4.5 * i, -3.0 * i, 2 - 1.0 * i);
            turn_to(&view, i, 0.6, 0, -0.64, 0.48);
        }
        stepped(system, 1);
        for (uint32_t i = 0; i < 40; i++) {
            orientation_of(&view, i, before[i]);
            spin(&view, i, 4.5 * i, -3.0 * i, 2 - 1.0 * i);
        }
        mote_advance report = advanced(system, 16666667 + 5000000);
        ASSERT(report.steps, ==, 1u);
        const mote_present_layout layout = quaternions();
        OK(mote_system_present(system, &layout, out, sizeof out));
        for (uint32_t i = 0; i < 40; i++) {
            const double got[4] = {(double)out[i][0], (double)out[i][1], (double)out[i][2],
                                   (double)out[i][3]};
            orientation_of(&view, i, now);
            slerp(before[i], now, (double)report.alpha, want);
            test_case("interpolation %d, particle %u", kind, i);
            ASSERT_NEAR(report.alpha, alpha, 1e-4);
            if (kind == MOTE_INTERPOLATE_NONE)
                for (int k = 0; k < 4; k++) ASSERT_NEAR(got[k], now[k], 2e-7);
            else
                ASSERT(angle_of(got, want), <, 2e-5);
            ASSERT_NEAR(got[0] * got[0] + got[1] * got[1] + got[2] * got[2] + got[3] * got[3], 1, 1e-6);
        }
        mote_system_destroy(system);
    }
}

/* q and -q are the same orientation; a body that was put elsewhere is not swept there. */
TEST(orientations_of_the_host_are_presented_at_once) {
    mote_system *system = presented_system(MOTE_INTERPOLATE_LINEAR);
    const mote_range_view view = spawned(system, 3);
    float out[3][4];
    const mote_present_layout layout = quaternions();
    const uint32_t order[2] = {2, 0};
    spin(&view, 1, 1, 0, 0);
    stepped(system, 1);
    turn_to(&view, 0, 0, 0, 0, -3); /* the identity, with the other sign and length */
    turn_to(&view, 1, 0, 2, 0, 0);
    turn_to(&view, 2, 0, 0, 0.6, 0.8);
    OK(mote_system_teleport(system, 1, 1));
    OK(mote_system_present(system, &layout, out, sizeof out));
    ASSERT_NEAR(fabsf(out[0][3]), 1, 1e-6);
    ASSERT_NEAR(out[1][1], 1, 0);
    ASSERT_NEAR(out[2][3], 1, 1e-6); /* alpha = 0: as before the step */
    mote_present_layout some = layout;
    some.order = order, some.order_count = 2, some.stride = 20, some.orientation_offset = 4;
    unsigned char bytes[40];
    OK(mote_system_teleport(system, 0, 3));
    OK(mote_system_present(system, &some, bytes, sizeof bytes));
    memcpy(out, bytes + 4, 16), memcpy(out + 1, bytes + 24, 16);
    ASSERT_NEAR(out[0][2], 0.6, 1e-6);
    ASSERT_NEAR(out[1][3], -1, 0);
    mote_system_destroy(system);
}

TEST(a_layout_with_orientations_is_checked) {
    mote_system *system = presented_system(MOTE_INTERPOLATE_NONE);
    mote_system_def bare = mote_default_system_def();
    mote_system *without = system_of(&bare);
    mote_present_layout layout = quaternions();
    const char *parameter;
    OK(mote_present_layout_check(system, &layout, &parameter));
    assert_int_equal(mote_present_layout_check(without, &layout, &parameter), MOTE_ERROR_ABSENT);
    assert_string_equal(parameter, "orientation_offset");
    layout.orientation_offset = 4;
    assert_int_equal(mote_present_layout_check(system, &layout, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "orientation_offset");
    mote_system_destroy(without);
    mote_system_destroy(system);
}

/* --- Particles that come and go --- */

TEST(orientation_moves_with_its_particle) {
    mote_system_def def = turning_def(600);
    def.inertia_column = true, def.interpolation = MOTE_INTERPOLATE_LINEAR;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 500);
    mote_particle_id id[500];
    memcpy(id, view.id, sizeof id);
    for (uint32_t i = 0; i < 500; i++) {
        ASSERT_NEAR(view.orientation.w[i], 1, 0);
        ASSERT_NEAR(view.angular_velocity.x[i], 0, 0);
        ASSERT_NEAR(view.inertia.z[i], 1, 0);
        turn_to(&view, i, 0, 0, 0.001 * i, sqrt(1 - 1e-6 * i * i));
        view.inertia.y[i] = 1 + (float)i;
        spin(&view, i, 0, 0, 0.01 * i);
    }
    for (uint32_t i = 0; i < 500; i += 3) OK(mote_system_kill(system, 1, &id[i]));
    mote_vector_columns torque;
    OK(mote_system_external_torques(system, &torque));
    for (uint32_t i = 0; i < 500; i++) torque.z[i] = 60 * 0.5f;
    stepped(system, 1);
    view = mote_system_view(system);
    for (uint32_t i = 1; i < 500; i += i % 3) {
        const uint32_t slot = mote_system_slot(system, id[i]);
        test_case("particle %u", i);
        ASSERT(slot, !=, MOTE_NO_SLOT);
        ASSERT_NEAR(view.inertia.y[slot], 1 + i, 0);
        ASSERT_NEAR(view.angular_velocity.z[slot], 0.01 * i + 0.5, 1e-5);
        ASSERT_NEAR(view.orientation.z[slot], sin(asin(0.001 * i) + (0.01 * i + 0.25) / 120), 1e-6);
    }
    mote_system_destroy(system);
}

/* Bad values stand in 16 lanes of their own each, where no other makes the kernel look. */
static void check_deaths(mote_isa isa, bool driven) {
    enum { COUNT = 16 * 10 };
    mote_system_def def = turning_def(COUNT);
    def.max_deaths = COUNT, def.inertia_column = true, def.isa = isa, def.spin_drag = driven ? 1e-6f : 0;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, COUNT);
    turn_to(&view, 3, NAN, 0, 0, 1);
    turn_to(&view, 20, 0, 0, 0, 0);
    spin(&view, 40, 0, INFINITY, 0);
    spin(&view, 60, 1e12, 1e12, 1e12); /* lives */
    view.inertia.x[70] = 0;
    view.position.x[90] = NAN, view.orientation.x[90] = NAN;
    turn_to(&view, 100, 0, 1e20f, 0, 0);
    turn_to(&view, 120, 0, 1e-25f, 0, 0);
    turn_to(&view, 130, 0, 1e14f, 0, 0); /* lives */
    turn_to(&view, 150, 0, 1e-14f, 0, 0);
    mote_death_list deaths;
    const uint32_t dying = def.principal_moments || driven ? 7 : 6;
    const mote_advance report = stepped(system, 1);
    OK(mote_system_deaths(system, &deaths));
    test_case("instruction set %d, driven %d", (int)isa, driven);
    ASSERT(deaths.count, ==, dying);
    ASSERT(report.non_finite, ==, dying);
    for (uint32_t i = 0; i < deaths.count; i++) {
        assert_int_equal(deaths.events[i].why, MOTE_DEATH_NON_FINITE);
        ASSERT(deaths.events[i].step, ==, 1u);
    }
    const mote_advance later = stepped(system, 5);
    ASSERT(later.non_finite, ==, 0u);
    view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) {
        const float q[4] = {view.orientation.x[i], view.orientation.y[i], view.orientation.z[i],
                            view.orientation.w[i]};
        ASSERT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-6);
    }
    mote_system_destroy(system);
}

TEST(a_body_that_turns_non_finite_dies_with_the_step) {
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++)
        for (int driven = 0; driven < 2 && mote_isa_available((mote_isa)isa); driven++)
            check_deaths((mote_isa)isa, driven);
}

/* --- Views, sizes and snapshots --- */

static size_t snapshot_bytes(const mote_system_def *def, uint32_t particles) {
    size_t bytes;
    mote_system *system = system_of(def);
    spawned(system, particles);
    OK(mote_system_snapshot_bytes(system, &bytes));
    mote_system_destroy(system);
    return bytes;
}

/* 1,024 particles: columns of whole sections. */
TEST(an_orientation_costs_28_bytes_and_16_more_with_interpolation) {
    mote_system_def def = mote_default_system_def(), with;
    def.interpolation = MOTE_INTERPOLATE_NONE;
    with = def, with.orientation = true;
    const size_t none = snapshot_bytes(&def, 1024) - snapshot_bytes(&def, 0);
    ASSERT(snapshot_bytes(&with, 1024) - snapshot_bytes(&with, 0), ==, none + 28 * 1024);
    with.interpolation = def.interpolation = MOTE_INTERPOLATE_LINEAR;
    const size_t linear = snapshot_bytes(&def, 1024) - snapshot_bytes(&def, 0);
    ASSERT(snapshot_bytes(&with, 1024) - snapshot_bytes(&with, 0), ==, linear + 44 * 1024);
    with.inertia_column = true;
    ASSERT(snapshot_bytes(&with, 1024) - snapshot_bytes(&with, 0), ==, linear + 48 * 1024);
    with.principal_moments = with.external_torques = true;
    ASSERT(snapshot_bytes(&with, 1024) - snapshot_bytes(&with, 0), ==, linear + 56 * 1024);
}

TEST(columns_that_a_system_does_not_have_are_absent) {
    mote_system_def def = mote_default_system_def();
    def.inertia_column = def.external_torques = def.principal_moments = true; /* without orientation */
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 1);
    mote_vector_columns torque;
    assert_null(view.orientation.w), assert_null(view.angular_velocity.x), assert_null(view.inertia.x);
    assert_int_equal(mote_system_external_torques(system, &torque), MOTE_ERROR_ABSENT);
    mote_system_destroy(system);
    def.orientation = true, def.external_torques = def.principal_moments = false;
    system = system_of(&def);
    view = spawned(system, 1);
    assert_non_null(view.orientation.w), assert_non_null(view.angular_velocity.x);
    assert_non_null(view.inertia.x), assert_null(view.inertia.y);
    assert_int_equal(mote_system_external_torques(system, &torque), MOTE_ERROR_ABSENT);
    assert_int_equal(mote_system_seek(system, 3), MOTE_ERROR_INTEGRATOR);
    mote_system_destroy(system);
}

static void refuse_snapshot(const void *memory, size_t bytes, mote_system_def def, const char *name) {
    mote_system *system = system_of(&def);
    mote_snapshot_fault fault;
    test_case("%s", name);
    const uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_system_restore(system, memory, bytes, &fault), MOTE_ERROR_FOREIGN);
    assert_string_equal(fault.parameter, name);
    ASSERT(mote_system_hash(system), ==, hash);
    mote_system_destroy(system);
}

TEST(a_snapshot_of_another_body_is_refused_by_name) {
    mote_system_def def = turning_def(8);
    def.lifetimes = true;
    mote_system_def other = def;
    mote_system *system = system_of(&def);
    unsigned char memory[8192];
    size_t bytes;
    spawned(system, 3);
    OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
    other.orientation = false, refuse_snapshot(memory, bytes, other, "orientation"), other = def;
    other.principal_moments = false, refuse_snapshot(memory, bytes, other, "principal_moments"), other = def;
    other.inertia_column = true, refuse_snapshot(memory, bytes, other, "inertia_column"), other = def;
    other.radius_column = true, refuse_snapshot(memory, bytes, other, "radius_column"), other = def;
    other.initial_ages = true;
    refuse_snapshot(memory, bytes, other, "initial_ages"), other = def;
    other.inertia[2] = 2, refuse_snapshot(memory, bytes, other, "inertia"), other = def;
    other.spin_drag = 2, refuse_snapshot(memory, bytes, other, "spin_drag"), other = def;
    other.external_torques = false, refuse_snapshot(memory, bytes, other, "external_torques");
    mote_system_destroy(system);
}

/* Every part of the state is in the hash. */
TEST(the_hash_has_orientations_spins_torques_and_settings) {
    mote_system_def def = turning_def(8);
    def.inertia_column = true;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 3);
    mote_vector_columns torque;
    uint64_t last = mote_system_hash(system);
    float *const column[5] = {view.orientation.y, view.orientation.w, view.angular_velocity.z,
                              view.inertia.y};
    for (int i = 0; i < 4; i++) {
        column[i][1] += 0.5f;
        ASSERT(mote_system_hash(system), !=, last);
        last = mote_system_hash(system);
    }
    OK(mote_system_external_torques(system, &torque));
    torque.y[2] = 1;
    ASSERT(mote_system_hash(system), !=, last);
    mote_system_destroy(system);
    mote_system_def other = def;
    mote_system *a = system_of(&def);
    other.spin_drag = 1;
    mote_system *b = system_of(&other);
    ASSERT(mote_system_hash(a), !=, mote_system_hash(b));
    mote_system_destroy(a);
    mote_system_destroy(b);
}

TEST(the_hash_tells_bodies_by_their_axes_from_bodies_with_moments_of_their_own) {
    uint64_t hash[4];
    for (int i = 0; i < 4; i++) {
        mote_system_def def = turning_def(8);
        def.principal_moments = i & 1, def.inertia_column = i & 2;
        mote_system *system = system_of(&def);
        hash[i] = mote_system_hash(system);
        for (int k = 0; k < i; k++) ASSERT(hash[k], !=, hash[i]);
        mote_system_destroy(system);
    }
}

TEST(bad_bodies_are_refused_by_name) {
    static const struct {
        float inertia[3], drag;
        mote_result want;
        const char *name;
    } rows[] = {{{0, 1, 1}, 0, MOTE_ERROR_RANGE, "inertia"},
                {{1, -1, 1}, 0, MOTE_ERROR_RANGE, "inertia"},
                {{1, 1, NAN}, 0, MOTE_ERROR_NOT_FINITE, "inertia"},
                {{1, INFINITY, 1}, 0, MOTE_ERROR_NOT_FINITE, "inertia"},
                {{1e-40f, 1, 1}, 0, MOTE_ERROR_RANGE, "inertia"},
                {{1, 1, 1}, -1, MOTE_ERROR_RANGE, "spin_drag"},
                {{1, 1, 1}, NAN, MOTE_ERROR_NOT_FINITE, "spin_drag"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_system_def def = turning_def(1);
        const char *parameter = NULL;
        mote_system *system;
        memcpy(def.inertia, rows[i].inertia, sizeof def.inertia), def.spin_drag = rows[i].drag;
        test_case("row %zu", i);
        assert_int_equal(mote_system_def_check(&def, &parameter), rows[i].want);
        assert_string_equal(parameter, rows[i].name);
        assert_int_equal(mote_system_create(&def, &system), rows[i].want);
    }
}
