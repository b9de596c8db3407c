/* Seek: jumps in time in one flow, and previews by one flow, against the matrix exponential; lifetimes on the
 * way of a jump. preview.c has the previews by steps. */
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reference.h"
#include "systems.h"

/* --- Gravity, linear drag and an anchor spring together, from 5 m and -2 m/s --- */

static const double times[3] = {1 / 60.0, 1, 20};
/* One flow: six coefficients and six operations, each rounded, on terms below 15 m and 25 m/s. */
static const double place_error = 12 * FLOAT_ROUNDING * 15, speed_error = 12 * FLOAT_ROUNDING * 25;

static void add_joint_forces(mote_system *system) {
    add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    add_force(system, mote_wind((float[3]){0, 0, 0}, 1));
    add_force(system, mote_anchor_spring((float[3]){0, 3, 0}, 8, 0));
}

/* Position and velocity of 2 kg after `seconds`. */
static void joint_flow(double seconds, double want[2]) {
    want[0] = 5, want[1] = -2;
    reference_flow((long double)-9.81f + 12, -0.5L, -4, seconds, want);
}

TEST(seek_is_the_exact_flow_whatever_the_integrator) {
    for (mote_integrator m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int masses = 0; masses < 2; masses++)
            for (int t = 0; t < 3; t++) {
                const uint64_t target = (uint64_t)lround(times[t] * 60);
                mote_system_def def = mote_default_system_def();
                def.integrator = m;
                def.mass_column = masses;
                def.mass = 2;
                def.substeps = 3;
                mote_system *system = system_of(&def);
                mote_range_view view = spawned(system, 50);
                double want[2];
                test_case("%s, mass column %d, %g s", integrator_name(m), masses, times[t]);
                joint_flow(times[t], want);
                add_joint_forces(system);
                for (int i = 0; i < 50; i++) view.position.y[i] = 5, view.velocity.y[i] = -2;
                OK(mote_system_seek(system, target));
                ASSERT(mote_system_steps(system), ==, target);
                ASSERT(mote_system_time(system), ==, (double)target / 60);
                /* Position Verlet's two half kicks, back at v and forth at v - h a / 2, differ by (h / 2)^2 b
                 * / m a. */
                double kicks = m == MOTE_POSITION_VERLET ? 0.5 * 25 / (360.0 * 360) : 0;
                ASSERT_NEAR(statistics_of(system).momentum[1] / 100, want[1], speed_error + kicks);
                for (int i = 0; i < 50; i++) ASSERT_NEAR(view.position.y[i], want[0], place_error);
                ASSERT(view.position.x[3], ==, 0);
                ASSERT(view.velocity.z[49], ==, 0);
                mote_system_destroy(system);
            }
}

TEST(preview_under_exact_flow_is_exact_at_any_interval) {
    mote_system_def def = mote_default_system_def();
    def.integrator = MOTE_EXACT_FLOW;
    def.start_time = 77;
    mote_system *system = system_of(&def);
    float points[120][3];
    spawned(system, 5);
    add_joint_forces(system);
    stepped(system, 3);
    const uint64_t hash = mote_system_hash(system);
    mote_preview_def preview = mote_default_preview_def();
    preview.position[1] = 5, preview.velocity[1] = -2, preview.inverse_mass = 0.5f;
    for (int t = 0; t < 3; t++) {
        double want[2];
        joint_flow(times[t], want);
        /* The last of many points, and the only one. */
        for (uint32_t count = 1; count <= 120; count += 119) {
            preview.count = count;
            preview.interval = times[t] / count;
            OK(mote_system_preview(system, &preview, points));
            ASSERT_NEAR(points[count - 1][1], want[0], place_error);
            ASSERT(points[count - 1][0], ==, 0);
            ASSERT(points[count - 1][2], ==, 0);
        }
    }
    /* A long time later it hangs at rest; a body that cannot move stays. */
    preview.interval = 1e6, preview.count = 1;
    OK(mote_system_preview(system, &preview, points));
    ASSERT_NEAR(points[0][1], 3 - 2 * (double)9.81f / 8, place_error);
    preview.inverse_mass = 0, preview.velocity[1] = 0;
    OK(mote_system_preview(system, &preview, points));
    ASSERT(points[0][1], ==, 5);
    preview.count = 0;
    OK(mote_system_preview(system, &preview, NULL));
    ASSERT(mote_system_hash(system), ==, hash);
    mote_system_destroy(system);
}

/* --- Jumps --- */

enum { SEEKERS = 1000 };

static mote_system *seekers(mote_integrator integrator, bool mass_column, mote_isa isa, mote_jobs jobs) {
    const mote_force_def forces[4] = {
        mote_gravity((float[3]){1, -9.81f, 0}), mote_wind((float[3]){1, 0, 2}, 0.25f),
        mote_anchor_spring((float[3]){1, 2, 3}, 8, 0.125f), mote_thrust((float[3]){0, 0.5f, 0})};
    mote_system_def def = mote_default_system_def();
    def.integrator = integrator, def.mass_column = mass_column, def.mass = 0.8f;
    def.isa = isa, def.jobs = jobs;
    mote_system *system = system_of(&def);
    spawned_at_random(system, SEEKERS, 5);
    add_forces(system, forces, 4);
    return system;
}

/* Each flow rounds 12 times on terms below 60 m and 160 m/s; going back undoes 5 s of decay: e^(5 r) for r =
 * 0.375 / 2 m <= 0.375, 6.5. Position Verlet's half kicks leave (h / 2)^2 b / m a, three times. */
TEST(seeking_forth_and_back_ends_at_the_start) {
    for (mote_integrator m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int masses = 0; masses < 2; masses++) {
            static float start[6][SEEKERS];
            mote_system *system = seekers(m, masses, MOTE_ISA_AUTO, (mote_jobs){0});
            mote_range_view view = mote_system_view(system);
            const motion_columns now = motion_of(&view);
            const double kicks = m == MOTE_POSITION_VERLET ? 3 * 0.75 * 240 / (120.0 * 120) : 0;
            test_case("%s, mass column %d", integrator_name(m), masses);
            stepped(system, 7);
            for (int c = 0; c < 6; c++) memcpy(start[c], now.column[c], sizeof start[c]);
            OK(mote_system_seek(system, 7));
            for (int c = 0; c < 6; c++) assert_memory_equal(now.column[c], start[c], sizeof start[c]);
            OK(mote_system_seek(system, 307));
            ASSERT(fabsf(now.column[0][0] - start[0][0]), >, 0.01f);
            OK(mote_system_seek(system, 100));
            OK(mote_system_seek(system, 7));
            for (int c = 0; c < 6; c++)
                for (int i = 0; i < SEEKERS; i++) {
                    const double rounding = 3 * 12 * FLOAT_ROUNDING * (c < 3 ? 60 : 160);
                    ASSERT_NEAR(now.column[c][i], start[c][i], (rounding + kicks) * 6.5);
                    if (masses && view.inverse_mass[i] == 0) ASSERT(now.column[c][i], ==, start[c][i]);
                }
            mote_system_destroy(system);
        }
}

TEST(the_picture_after_a_seek_does_not_depend_on_whence) {
    mote_system_def def = mote_default_system_def();
    def.integrator = MOTE_EXACT_FLOW;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 1);
    view.velocity.x[0] = 64;
    (void)advanced(system, 170000000);
    const uint64_t now = mote_system_steps(system);
    const float place = view.position.x[0];
    ASSERT(presented_x(system), <, place);
    OK(mote_system_seek(system, now));
    ASSERT(presented_x(system), ==, place);
    OK(mote_system_seek(system, now + 1));
    OK(mote_system_seek(system, now));
    ASSERT_NEAR(presented_x(system), place, 1e-6 * (double)place);
    mote_system_destroy(system);
}

static uint64_t hash_of_seek(mote_integrator integrator, bool mass_column, mote_isa isa, mote_jobs jobs) {
    mote_system *system = seekers(integrator, mass_column, isa, jobs);
    stepped(system, 5);
    OK(mote_system_seek(system, 120));
    OK(mote_system_seek(system, 40));
    stepped(system, 5);
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

TEST(seek_has_the_same_bits_on_every_instruction_set_and_any_jobs) {
    job_kinds kinds;
    make_job_kinds(&kinds, 3);
    for (mote_integrator m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int mass = 0; mass < 2; mass++) {
            const uint64_t want = hash_of_seek(m, mass, MOTE_ISA_SCALAR, kinds.jobs[0]);
            for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++)
                if (mote_isa_available((mote_isa)isa))
                    ASSERT(hash_of_seek(m, mass, (mote_isa)isa, kinds.jobs[isa % JOB_KINDS]), ==, want);
            for (int j = 1; j < JOB_KINDS; j++)
                ASSERT(hash_of_seek(m, mass, MOTE_ISA_AUTO, kinds.jobs[j]), ==, want);
        }
    ASSERT(kinds.shuffled.runs, >, 0);
}

TEST(lifetimes_end_on_the_way_of_a_seek) {
    static const float lifetimes[6] = {0.5f, 1, INFINITY, 1.5f, 2, 10};
    mote_system_def def = mote_default_system_def();
    def.lifetimes = true;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 6);
    mote_particle_id particles[6];
    for (int i = 0; i < 6; i++) view.lifetime[i] = lifetimes[i], particles[i] = view.id[i];
    add_force(system, mote_gravity((float[3]){0, -1, 0}));
    const float alpha = advanced(system, 10000000).alpha;
    OK(mote_system_seek(system, 90));
    assert_int_equal(mote_system_count(system), 3);
    for (int i = 0; i < 6; i++)
        ASSERT((mote_system_slot(system, particles[i]) == MOTE_NO_SLOT), ==, (lifetimes[i] <= 1.5f));
    OK(mote_system_seek(system, 0));
    assert_int_equal(mote_system_count(system), 3);
    /* The part of a step that had gathered is still there. */
    const mote_advance advance = advanced(system, 0);
    ASSERT(alpha, >, 0.5f);
    ASSERT(advance.alpha, ==, alpha);
    ASSERT(advance.steps, ==, 0);
    mote_system_destroy(system);
}

static void seek_inside(void *system) {
    mote_statistics statistics;
    float points[1][3];
    const mote_preview_def preview = mote_default_preview_def();
    REFUSALS(NULL, REFUSES(BUSY, mote_system_seek(system, 9)),
             REFUSES(BUSY, mote_system_preview(system, &preview, points)),
             REFUSES(BUSY, mote_system_statistics(system, &statistics)));
}

TEST(seek_preview_and_statistics_inside_a_step_are_busy) {
    mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    uint32_t calls;
    OK(scene_call_within_step(system, seek_inside, system, &calls));
    ASSERT(calls, >, 0);
    mote_system_destroy(system);
}

TEST(seek_refuses_forces_that_are_not_affine_and_pending_external_forces) {
    static const float key[1] = {0};
    static float thrusts[3] = {1, 0, 0};
    const float zero[3] = {0, 0, 0};
    const mote_force_def gravity = mote_gravity((float[3]){0, -1, 0}),
                         not_affine[] = {mote_attractor(zero, 1, 1),
                                         mote_timed_thrust(key, thrusts, 1),
                                         mote_quadratic_drag(zero, 1),
                                         mote_particle_anchors(1, 0),
                                         mote_in_sphere(gravity, zero, 1, 0),
                                         mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_WIND, 1),
                                         mote_callback(scene_spread, NULL)};
    mote_system_def def = mote_default_system_def();
    def.anchor_column = def.external_forces = true;
    mote_system *system = system_of(&def);
    spawned(system, 4);
    add_force(system, gravity);
    for (size_t i = 0; i < COUNT_OF(not_affine); i++) {
        test_case("%s", mote_force_name(not_affine[i].kind));
        const mote_force_id id = add_force(system, not_affine[i]);
        REFUSALS(system, REFUSES(INTEGRATOR, mote_system_seek(system, 10)),
                 REFUSES(INTEGRATOR, mote_system_seek(system, 0)));
        OK(mote_system_remove_force(system, id));
    }
    external_forces_of(system);
    REFUSED(system, MOTE_ERROR_INTEGRATOR, mote_system_seek(system, 10));
    stepped(system, 1);
    OK(mote_system_seek(system, 10));
    mote_system_destroy(system);
    def.external_forces = false;
    for (def.integrator = MOTE_ADVECT_EULER; def.integrator < MOTE_INTEGRATOR_COUNT; def.integrator++) {
        system = system_of(&def);
        REFUSED(system, MOTE_ERROR_INTEGRATOR, mote_system_seek(system, 1));
        mote_system_destroy(system);
    }
}

/* --- Ages stop at MOTE_MAX_AGE --- */

enum { AGEING = 5 };
static const float ageing_lifetimes[AGEING] = {1, 2, INFINITY, 1e9f, 1e38f};

static mote_system *ageing(mote_isa isa) {
    mote_system_def def = mote_default_system_def();
    def.lifetimes = true, def.isa = isa, def.interpolation = MOTE_INTERPOLATE_NONE;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, AGEING);
    memcpy(view.lifetime, ageing_lifetimes, sizeof ageing_lifetimes);
    return system;
}

static void expect_oldest(mote_system *system, double steps) {
    mote_present_layout layout = mote_default_present_layout();
    float got[AGEING][2];
    const mote_range_view view = mote_system_view(system);
    layout.stride = sizeof *got, layout.position_offset = MOTE_OMIT;
    layout.age_offset = 0, layout.remaining_offset = sizeof(float);
    OK(mote_system_present(system, &layout, got, sizeof got));
    for (uint32_t i = 0; i < view.count; i++) {
        const float part = (float)(steps / 60) / view.lifetime[i];
        test_case("slot %u of %u after %" PRIu64 " steps", i, view.count, mote_system_steps(system));
        ASSERT(mote_system_age(system, i), ==, steps * (1.0 / 60));
        ASSERT(got[i][0], ==, (float)(steps * (1.0 / 60)));
        ASSERT_NEAR(got[i][1], 1 - part, 1e-6);
    }
}

TEST(lifetimes_end_and_ages_stop_however_far_a_seek_goes) {
    static const uint64_t to[] = {2000000001,  2147483647, 2147483648, 3000000000,    4294967300,
                                  6442450944u, 1ull << 40, 1ull << 63, UINT64_MAX - 9};
    for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++)
        for (size_t k = 0; k < COUNT_OF(to) && mote_isa_available((mote_isa)isa); k++) {
            mote_system *system = ageing((mote_isa)isa);
            stepped(system, 3);
            OK(mote_system_seek(system, to[k]));
            assert_int_equal(mote_system_count(system), 3);
            expect_oldest(system, MOTE_MAX_AGE);
            ASSERT(stepped(system, 9).expired, ==, 0u);
            expect_oldest(system, MOTE_MAX_AGE);
            mote_system_destroy(system);
        }
}

TEST(a_lifetime_ends_up_to_the_greatest_age_and_not_beyond) {
    mote_system_def def = mote_default_system_def();
    def.lifetimes = true, def.steps_per_second = (mote_rate){1, 1};
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 3);
    view.lifetime[0] = (float)MOTE_MAX_AGE - 128; /* spacing of floats */
    view.lifetime[1] = (float)MOTE_MAX_AGE;
    view.lifetime[2] = (float)MOTE_MAX_AGE + 128;
    OK(mote_system_seek(system, MOTE_MAX_AGE - 256));
    assert_int_equal(mote_system_count(system), 3);
    OK(mote_system_seek(system, MOTE_MAX_AGE - 128));
    assert_int_equal(mote_system_count(system), 2);
    OK(mote_system_seek(system, MOTE_MAX_AGE));
    assert_int_equal(mote_system_count(system), 1);
    OK(mote_system_seek(system, MOTE_MAX_AGE + 10000000u));
    assert_int_equal(mote_system_count(system), 1);
    ASSERT(stepped(system, 1).expired, ==, 0u);
    mote_system_destroy(system);
}

/* Births move at the start of a step, 120 x 2^24 here, however it is reached. */
TEST(births_move_the_same_by_steps_of_any_frames_and_by_a_seek) {
    const uint64_t boundary = (uint64_t)120 << 24;
    uint64_t hash[4];
    for (int way = 0; way < 4; way++) {
        mote_system *system = ageing(way ? MOTE_ISA_AUTO : MOTE_ISA_SCALAR);
        OK(mote_system_seek(system, way == 3 ? 1000000000 : boundary - 3));
        const mote_range_view view = mote_system_view(system);
        ASSERT(view.birth_step[0], ==, 0u);
        if (way < 2) stepped(system, 6);
        for (int i = 0; i < 6 && way == 2; i++) stepped(system, 1);
        if (way == 3) OK(mote_system_seek(system, boundary + 3));
        ASSERT(view.birth_step[0], ==, (uint32_t)(boundary - MOTE_MAX_AGE));
        expect_oldest(system, MOTE_MAX_AGE);
        hash[way] = mote_system_hash(system);
        ASSERT(hash[way], ==, hash[0]);
        mote_system_destroy(system);
    }
}

/* Far from the first step too. */
TEST(births_stay_where_a_seek_back_is_short) {
    const uint32_t birth = 3000000000u;
    mote_system *system = ageing(MOTE_ISA_AUTO);
    OK(mote_system_seek(system, birth));
    const uint32_t slot = mote_system_count(system);
    (void)spawned(system, 1);
    OK(mote_system_seek(system, birth - 1000));
    ASSERT(mote_system_view(system).birth_step[slot], ==, birth);
    OK(mote_system_seek(system, birth + 60));
    ASSERT(mote_system_view(system).birth_step[slot], ==, birth);
    ASSERT_NEAR(mote_system_age(system, slot), 1, 1e-6);
    mote_system_destroy(system);
}

/* A third of a thousand particles dies on the way, in each block. */
TEST(a_jump_removes_those_whose_lifetime_ends_on_the_way) {
    mote_system_def def = mote_default_system_def();
    def.lifetimes = true, def.capacity = 1000;
    mote_system *system = system_of(&def), *stepped_one = system_of(&def);
    for (int way = 0; way < 2; way++) {
        const mote_range_view view = spawned(way ? system : stepped_one, 1000);
        for (uint32_t i = 0; i < view.count; i++) {
            view.position.x[i] = (float)i;
            view.lifetime[i] = i % 3 ? 10 : 0.05f;
        }
    }
    OK(mote_system_seek(system, 6));
    (void)stepped(stepped_one, 6);
    ASSERT(mote_system_count(system), ==, 666u);
    ASSERT(mote_system_count(stepped_one), ==, 666u);
    const mote_range_view here = mote_system_view(system), there = mote_system_view(stepped_one);
    for (uint32_t i = 0; i < 666; i++) ASSERT(here.position.x[i], ==, there.position.x[i]);
    mote_system_destroy(system), mote_system_destroy(stepped_one);
}

/* Who is born after the step of a jump back is alive, until its lifetime ends after its birth. */
TEST(ages_are_below_0_after_a_jump_back) {
    static const uint64_t from[] = {1000000, MOTE_MAX_AGE + 5u, 3000000000, 5000000000, 1ull << 63};
    for (size_t k = 0; k < COUNT_OF(from); k++) {
        mote_system_def def = mote_default_system_def();
        def.lifetimes = true;
        mote_system *system = system_of(&def);
        OK(mote_system_seek(system, from[k]));
        spawned(system, 1).lifetime[0] = 1;
        OK(mote_system_seek(system, 5));
        const double ago = fmin((double)(from[k] - 5), MOTE_MAX_AGE);
        test_case("back from %" PRIu64, from[k]);
        ASSERT(mote_system_age(system, 0), ==, -ago * (1.0 / 60));
        ASSERT(stepped(system, 1).expired, ==, 0u);
        OK(mote_system_seek(system, 5 + (uint64_t)ago + 59));
        assert_int_equal(mote_system_count(system), 1);
        ASSERT(stepped(system, 1).expired, ==, 1u);
        mote_system_destroy(system);
    }
}

/* The end of a collider's travel is passed by a long jump, in either direction of time. */
TEST(a_long_jump_back_ends_the_travels_of_colliders) {
    mote_system_def def = mote_default_system_def();
    const mote_transform there = {{0, 4, 0}, {0, 0, 0, 1}};
    const mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 1);
    def.collisions = false;
    mote_system *system = system_of(&def);
    mote_collider_id id;
    OK(mote_system_add_collider(system, &ball, &id));
    const mote_range_view view = spawned(system, 1);
    view.velocity.x[0] = 1;
    const uint64_t far = (uint64_t)1 << 40;
    OK(mote_system_seek(system, far));
    ASSERT_NEAR(view.position.x[0], (double)far / 60, 1e-6 * (double)far / 60);
    OK(mote_system_move_collider(system, id, &there, mote_system_tick(system) + 1));
    OK(mote_system_seek(system, 5));
    ASSERT(mote_system_steps(system), ==, 5u);
    ASSERT_NEAR(view.position.x[0], 5 / 60.0, 1e-6 * (double)far / 60);
    mote_system_destroy(system);
}
