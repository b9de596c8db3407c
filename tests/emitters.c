/* Emitters: births exact in number, place and time, whatever the frames and the workers; refusals. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "emitting.h"
#include "systems.h"

static mote_transform at(float x, float y, float z) { return (mote_transform){{x, y, z}, {0, 0, 0, 1}}; }

/* --- Numbers --- */

TEST(births_by_time_are_exact_over_any_number_of_steps) {
    static const float rates[] = {1, 7, 20, 60, 61, 1000, 0.5f, 59.94f};
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        const mote_system_def def = emitting_def(40000);
        mote_system *system = make_system(&def);
        mote_emitter_def emitter = mote_default_emitter_def();
        emitter.rate = rates[r];
        add(system, &emitter);
        for (uint32_t n = 1; n <= 2100; n++) {
            step(system, 1);
            const double births = (double)rates[r] * (n / 60.0);
            ASSERT(mote_system_count(system), ==, (uint32_t)floor(births + 1e-6));
        }
        mote_system_destroy(system);
    }
}

TEST(births_by_way_are_evenly_spaced_and_count_the_way) {
    const mote_system_def def = emitting_def(4000);
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate_per_metre = 10, emitter.speed = (mote_spread){0, 0};
    const mote_emitter_id id = add(system, &emitter);
    const mote_transform there = at(3, 0, 4);
    const uint64_t ticks = step(system, 1).ticks_per_step; /* at rest: nothing is born */
    ASSERT(mote_system_count(system), ==, 0);
    assert_int_equal(mote_system_move_emitter(system, id, &there, ticks * 31 / 2), MOTE_OK); /* 14.5 steps */
    step(system, 20);
    ASSERT(mote_system_count(system), ==, 50);
    const mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < 50; i++) {
        ASSERT_NEAR((double)view.position.x[i], 0.06 * (i + 1), 2e-6);
        ASSERT_NEAR((double)view.position.z[i], 0.08 * (i + 1), 2e-6);
    }
    mote_system_destroy(system);
}

/* 0.3 mm a step, a third of the spacing of floats at 10 km: ways between rounded places count a quarter too
 * many. */
TEST(slow_births_by_way_count_the_way_far_out) {
    const mote_system_def def = emitting_def(4000);
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate_per_metre = 1000, emitter.transform = at(10000, 0, 10000);
    const mote_emitter_id id = add(system, &emitter);
    const mote_transform there = at(10000.125f, 0, 10000.1875f);
    const uint64_t ticks = step(system, 1).ticks_per_step;
    assert_int_equal(mote_system_move_emitter(system, id, &there, 601 * ticks), MOTE_OK);
    step(system, 600);
    ASSERT(mote_system_count(system), ==, (uint32_t)(1000 * hypot(0.125, 0.1875)));
    mote_system_destroy(system);
}

TEST(a_jump_leaves_no_trail) {
    const mote_system_def def = emitting_def(4000);
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate_per_metre = 1000;
    const mote_emitter_id id = add(system, &emitter);
    step(system, 1);
    const mote_transform there = at(9, 9, 9);
    assert_int_equal(mote_system_move_emitter(system, id, &there, 0), MOTE_OK);
    ASSERT(step(system, 3).born, ==, 0);
    emitter.transform = at(0, 0, 0);
    assert_int_equal(mote_system_set_emitter(system, id, &emitter), MOTE_OK);
    ASSERT(step(system, 3).born, ==, 0);
    mote_system_destroy(system);
}

/* A rocket of 30 m/s in frames that are no whole number of steps. Its settings are replaced in each frame, by
 * equal ones or, for the second half of its way, by half the births a metre. */
TEST(an_emitter_that_is_changed_moves_on) {
    const mote_system_def def = emitting_def(20000);
    for (uint32_t fps = 50; fps <= 144; fps += 47) {
        mote_system *systems[3];
        mote_emitter_id id[3];
        mote_emitter_def emitter = mote_default_emitter_def();
        emitter.rate_per_metre = 100, emitter.inherit = 1;
        for (int k = 0; k < 3; k++) systems[k] = make_system(&def), id[k] = add(systems[k], &emitter);
        emitter.transform = at(NAN, 0, 0); /* ignored */
        for (uint32_t frame = 1; frame <= 4 * fps; frame++) {
            const mote_transform there = at(30 * (float)frame / (float)fps, 0, 0);
            mote_emitter_def half = emitter;
            if (frame > 2 * fps) half.rate_per_metre = 50;
            test_case("%u frames a second, frame %u", fps, frame);
            OK(mote_system_change_emitter(systems[1], id[1], &emitter));
            for (int k = 0; k < 3; k++) {
                OK(mote_system_move_emitter(systems[k], id[k], &there, MOTE_NEXT_ADVANCE));
                if (k) OK(mote_system_change_emitter(systems[k], id[k], k == 1 ? &emitter : &half));
                OK(mote_system_advance(systems[k], 1000000000 / fps, NULL));
            }
            ASSERT(mote_system_hash(systems[1]), ==, mote_system_hash(systems[0]));
        }
        mote_transform placement; /* on a straight way that ends one frame at the most after the last step */
        OK(mote_system_emitter_placement(systems[2], id[2], &placement));
        ASSERT_NEAR(placement.position[0], 30 * mote_system_time(systems[2]), 1e-3);
        const mote_range_view view = mote_system_view(systems[2]);
        ASSERT_NEAR(view.count, 30 * 2 * 150, 100); /* a second half that begins within a step */
        for (uint32_t i = 0; i < view.count; i++) ASSERT_NEAR(view.velocity.x[i], 30, 1e-3);
        for (int k = 0; k < 3; k++) mote_system_destroy(systems[k]);
    }
}

TEST(bursts_are_born_at_the_start_of_the_next_step) {
    const mote_system_def def = emitting_def(1000);
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate = 120, emitter.speed = (mote_spread){6, 6};
    const mote_emitter_id id = add(system, &emitter);
    assert_int_equal(mote_system_burst(system, id, 3), MOTE_OK);
    assert_int_equal(mote_system_burst(system, id, 2), MOTE_OK);
    assert_int_equal(mote_system_burst(system, id, MOTE_MAX_PARTICLES - 4), MOTE_ERROR_OVERFLOW);
    const mote_advance report = step(system, 1);
    ASSERT(report.born, ==, 7);
    const mote_range_view view = mote_system_view(system);
    for (int i = 0; i < 5; i++) ASSERT_NEAR((double)view.position.y[i], 0.1, 1e-7);
    ASSERT_NEAR((double)view.position.y[5], 0.05, 1e-7); /* f = 1/2, then 1 */
    ASSERT_NEAR((double)view.position.y[6], 0, 1e-7);
    ASSERT(step(system, 1).born, ==, 2);
    mote_system_destroy(system);
}

TEST(births_without_capacity_are_counted_and_take_their_numbers) {
    mote_system_def def = emitting_def(10);
    mote_system *small = make_system(&def);
    def.capacity = 100;
    mote_system *large = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate = 360, emitter.speed = (mote_spread){1, 2};
    add(small, &emitter), add(large, &emitter);
    ASSERT(step(small, 1).unborn, ==, 0);
    const mote_advance report = step(small, 2);
    ASSERT(report.born, ==, 4);
    ASSERT(report.unborn, ==, 8);
    step(large, 3);
    uint32_t slots[10];
    for (uint32_t i = 0; i < 10; i++) slots[i] = i;
    assert_int_equal(mote_system_kill_slots(small, 10, slots), MOTE_OK);
    step(small, 1), step(large, 1);
    const mote_range_view a = mote_system_view(small), b = mote_system_view(large);
    for (uint32_t i = 0; i < 6; i++) ASSERT(a.velocity.y[i], ==, b.velocity.y[18 + i]);
    mote_system_destroy(small), mote_system_destroy(large);
}

/* --- Place in time --- */

/* 300 births a second from a nozzle that moves at 100 m/s across its jets of 5 m/s, shown at 30 Hz steps: the
 * nozzle's way between two births is a third of a metre, and so is every gap behind it. */
TEST(a_fast_emitter_leaves_no_gaps) {
    mote_system_def def = emitting_def(1000);
    def.steps_per_second = (mote_rate){30, 1};
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate = 300, emitter.speed = (mote_spread){5, 5};
    const mote_emitter_id id = add(system, &emitter);
    for (int n = 1; n <= 30; n++) {
        const mote_transform there = at(100.0f * (float)n / 30, 0, 0);
        assert_int_equal(mote_system_move_emitter(system, id, &there, MOTE_NEXT_ADVANCE), MOTE_OK);
        step(system, 1);
    }
    const mote_range_view view = mote_system_view(system);
    ASSERT(view.count, ==, 300);
    double worst = 0;
    for (uint32_t i = 1; i < 300; i++) {
        const double gap = (double)view.position.x[i] - (double)view.position.x[i - 1];
        worst = fmax(worst, gap);
        /* All on one straight line: the older ones have risen for longer. */
        ASSERT_NEAR((double)view.position.y[i] - (double)view.position.y[i - 1], -5.0 / 300, 2e-6);
    }
    ASSERT(worst, <=, 1.05 / 3);
    mote_system_destroy(system);
}

TEST(the_blend_passes_the_nozzle_at_the_moment_of_birth) {
    mote_system_def def = emitting_def(100);
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate = 240, emitter.speed = (mote_spread){3, 3}, emitter.transform = at(1, 2, 3);
    add(system, &emitter);
    mote_present_layout layout = mote_default_present_layout();
    float seen[4][3];
    for (int quarter = 1; quarter <= 4; quarter++) { /* births at f = 1/4, 1/2, 3/4 and 1 of the step */
        mote_advance report;
        assert_int_equal(mote_system_advance(system, quarter == 1 ? 16666667 + 4166667 : 4166666, &report),
                         MOTE_OK);
        if (quarter == 4) break; /* the next step has run */
        ASSERT_NEAR((double)report.alpha, quarter / 4.0, 1e-6);
        assert_int_equal(mote_system_present(system, &layout, seen, sizeof seen), MOTE_OK);
        ASSERT_NEAR((double)seen[quarter - 1][0], 1, 1e-6);
        ASSERT_NEAR((double)seen[quarter - 1][1], 2, 1e-6);
        ASSERT_NEAR((double)seen[quarter - 1][2], 3, 1e-6);
    }
    mote_system_destroy(system);
}

TEST(lifetimes_run_from_the_moment_of_birth) {
    mote_system_def def = emitting_def(1000);
    def.lifetimes = true;
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate = 600, emitter.lifetime = (mote_spread){0.5f, 0.5f};
    add(system, &emitter);
    step(system, 60);
    /* Alive are those born in the last half second: 300, within the rounding of lifetimes to whole steps. */
    ASSERT(mote_system_count(system), >=, 300);
    ASSERT(mote_system_count(system), <=, 310);
    const mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) ASSERT(mote_system_age(system, i), <, 0.5 + 1.0 / 60);
    mote_system_destroy(system);
}

/* In a picture at any moment a particle has gone its speed times its age, and its life is the share of that.
 */
TEST(ages_run_from_the_moment_of_birth_within_a_step) {
    enum { MOST = 400 };
    for (int interpolation = 0; interpolation < MOTE_INTERPOLATION_COUNT; interpolation++) {
        mote_system_def def = emitting_def(MOST);
        def.lifetimes = def.initial_ages = true, def.interpolation = (mote_interpolation)interpolation;
        def.steps_per_second = (mote_rate){10, 1};
        mote_system *system = make_system(&def);
        mote_emitter_def emitter = mote_default_emitter_def();
        emitter.rate = 317, emitter.lifetime = (mote_spread){0.75f, 0.75f},
        emitter.speed = (mote_spread){8, 8};
        add(system, &emitter);
        struct {
            float x[3], age, remaining;
        } seen[MOST];
        mote_present_layout layout = mote_default_present_layout();
        layout.stride = sizeof *seen;
        layout.age_offset = offsetof(__typeof__(*seen), age);
        layout.remaining_offset = offsetof(__typeof__(*seen), remaining);
        uint32_t early = 0;
        for (int frame = 0; frame < 100; frame++) {
            test_case("interpolation %d, frame %d", interpolation, frame);
            assert_int_equal(mote_system_advance(system, 16666667, NULL), MOTE_OK);
            assert_int_equal(mote_system_present(system, &layout, seen, sizeof seen), MOTE_OK);
            for (uint32_t i = 0; i < mote_system_count(system); i++) {
                const double way = (double)seen[i].x[1], age = fmax(way / 8, 0);
                early += way < 0;
                ASSERT_NEAR((double)seen[i].age, age, 1e-6);
                ASSERT_NEAR((double)seen[i].remaining, 1 - age / 0.75, 2e-6);
            }
        }
        ASSERT(early > 0, ==,
               interpolation != MOTE_INTERPOLATE_NONE); /* drawn before their birth: of age 0 */
        mote_system_destroy(system);
    }
}

TEST(newborn_inherit_the_velocity_of_the_emitter_while_it_moves) {
    const mote_system_def def = emitting_def(100);
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate = 240, emitter.inherit = 0.5f, emitter.speed = (mote_spread){2, 2};
    const mote_emitter_id id = add(system, &emitter);
    const uint64_t ticks = step(system, 1).ticks_per_step;
    const mote_transform there = at(1, 0, 0);
    assert_int_equal(mote_system_move_emitter(system, id, &there, ticks + ticks * 5 / 8), MOTE_OK);
    step(system, 1);
    const mote_range_view view = mote_system_view(system);
    const double speed = 0.5 * 1 / (0.625 / 60);
    for (uint32_t i = 4; i < 8; i++) {
        if (i < 6) ASSERT_NEAR((double)view.velocity.x[i], speed, 1e-4);
        if (i >= 6) ASSERT(view.velocity.x[i], ==, 0); /* it has arrived */
        ASSERT(view.velocity.y[i], ==, 2);
    }
    mote_system_destroy(system);
}

/* A ring of 2 m, which leans, in even rotation about y; at last it arrives within a step. Between targets a
 * step apart the normalised straight line of quaternions turns at its mean rate to angle^2 / 24 of it (0.05
 * rad: 1.04e-4). */
TEST(newborn_inherit_the_turn_of_the_emitter_at_their_places) {
    static const float shares[] = {1, 0.5f, 0};
    const double angle = 0.05;
    for (size_t k = 0; k < COUNT_OF(shares); k++) {
        const mote_system_def def = emitting_def(1000);
        mote_system *system = make_system(&def);
        mote_emitter_def emitter = mote_default_emitter_def();
        emitter.shape = MOTE_EMITTER_RING, emitter.radius = 2, emitter.rate = 600;
        emitter.inherit = shares[k], emitter.speed = (mote_spread){0, 0};
        emitter.transform.rotation[0] = 0.6f, emitter.transform.rotation[3] = 0.8f;
        const mote_emitter_id id = add(system, &emitter);
        const double rim = (double)shares[k] * 2 * angle * 60;
        uint64_t ticks = 0;
        for (int n = 1; n <= 21; n++) {
            mote_transform turn = at(0, 0, 0);
            turn.rotation[1] = (float)sin(angle / 2 * n), turn.rotation[3] = (float)cos(angle / 2 * n);
            const mote_transform to = mote_transform_multiply(&turn, &emitter.transform);
            OK(mote_system_move_emitter(system, id, &to,
                                        n > 20 ? ticks * 20 + ticks * 3 / 4 : MOTE_NEXT_ADVANCE));
            ticks = step(system, 1).ticks_per_step;
            const mote_range_view view = mote_system_view(system);
            ASSERT(view.count, ==, 10u * (uint32_t)n);
            for (uint32_t i = view.count - 10; i < view.count; i++) {
                const double f = (double)(i % 10 + 1) / 10, left = (1 - f) / 60;
                const double v[3] = {(double)view.velocity.x[i], (double)view.velocity.y[i],
                                     (double)view.velocity.z[i]};
                const double x = (double)view.position.x[i] - left * v[0],
                             z = (double)view.position.z[i] - left * v[2];
                test_case("inherit %g, step %d, birth %u", (double)shares[k], n, i);
                if (n > 20 && f > 0.75) ASSERT(v[0] * v[0] + v[2] * v[2], ==, 0);
                if (n > 20) continue;
                ASSERT_NEAR(v[0], rim / 2 * z, 1.1e-4 * rim + 1e-9);
                ASSERT_NEAR(v[2], rim / -2 * x, 1.1e-4 * rim + 1e-9);
                ASSERT_NEAR(v[1], 0, 4 * 0x1p-24 / angle * rim); /* roundings of the quaternions */
            }
        }
        mote_system_destroy(system);
    }
}

/* Faster than a float holds, either way: as fast as it holds. */
TEST(newborn_inherit_no_more_than_the_largest_float) {
    for (int way = -1; way < 2; way += 2) {
        const mote_system_def def = emitting_def(100);
        mote_system *system = make_system(&def);
        mote_emitter_def emitter = mote_default_emitter_def();
        emitter.rate = 240, emitter.inherit = 0.01f, emitter.transform.position[0] = (float)way * -3e38f;
        const mote_emitter_id id = add(system, &emitter);
        const uint64_t ticks = step(system, 1).ticks_per_step;
        const mote_transform there = at((float)way * 3e38f, 0, 0);
        assert_int_equal(mote_system_move_emitter(system, id, &there, 2 * ticks), MOTE_OK);
        step(system, 1);
        const mote_range_view view = mote_system_view(system);
        ASSERT(view.count, ==, 8u);
        for (uint32_t i = 4; i < 8; i++) ASSERT(view.velocity.x[i], ==, (float)way * FLT_MAX);
        mote_system_destroy(system);
    }
}

TEST(births_turn_with_the_emitter) {
    const mote_system_def def = emitting_def(100);
    mote_system *system = make_system(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.rate = 60, emitter.shape = MOTE_EMITTER_BOX;
    emitter.transform.rotation[2] = 1; /* (0, 0, 1, 1): a quarter turn about z takes y to -x */
    add(system, &emitter);
    step(system, 1);
    const mote_range_view view = mote_system_view(system);
    ASSERT_NEAR((double)view.velocity.x[0], -1, 1e-6);
    ASSERT_NEAR((double)view.velocity.y[0], 0, 1e-6);
    mote_system_destroy(system);
}

TEST(streams_of_other_seeds_and_emitters_differ) {
    mote_emitter_def e = mote_default_emitter_def();
    e.speed = (mote_spread){0, 1}, e.rate = 3600;
    const mote_system_def def = emitting_def(1000);
    mote_system *system = make_system(&def);
    add(system, &e), add(system, &e);
    e.seed = 1;
    add(system, &e);
    step(system, 1);
    const mote_range_view view = mote_system_view(system);
    ASSERT(view.count, ==, 180);
    for (uint32_t i = 0; i < 60; i++) {
        ASSERT(view.velocity.y[i], !=, view.velocity.y[60 + i]);
        ASSERT(view.velocity.y[i], !=, view.velocity.y[120 + i]);
        ASSERT(view.velocity.y[60 + i], !=, view.velocity.y[120 + i]);
    }
    mote_system_destroy(system);
}

/* --- The same bits --- */

static mote_system *busy_scene(mote_isa isa, const mote_jobs *jobs, mote_integrator integrator) {
    mote_system_def def = emitting_def(20000);
    def.lifetimes = def.mass_column = true, def.isa = isa, def.jobs = *jobs, def.integrator = integrator;
    def.interpolation = MOTE_INTERPOLATE_HERMITE;
    mote_system *system = make_system(&def);
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    mote_force_id force;
    assert_int_equal(mote_system_add_force(system, &gravity, &force), MOTE_OK);
    for (int shape = 0; shape < MOTE_EMITTER_SHAPE_COUNT; shape++) {
        mote_emitter_def e = mote_default_emitter_def();
        e.shape = (mote_emitter_shape)shape, e.direction = shape % 2 ? MOTE_EMIT_OUTWARD : MOTE_EMIT_ALONG;
        e.radius = 1, e.inner_radius = 0.5f, e.extent[0] = 1, e.angle = 0.4f, e.spread = 0.1f * (float)shape;
        e.rate = 5000, e.rate_per_metre = 100, e.inherit = 0.5f, e.seed = 7;
        e.speed = (mote_spread){1, 5}, e.lifetime = (mote_spread){0.1f, 0.9f},
        e.mass = (mote_spread){0.5f, 2};
        const mote_emitter_id id = add(system, &e);
        const mote_transform there = {{2, (float)shape, 1}, {0.3f, 0.1f, -0.5f, 1}};
        assert_int_equal(mote_system_move_emitter(system, id, &there, 1000 + 50000000ull * (uint64_t)shape),
                         MOTE_OK);
        assert_int_equal(mote_system_burst(system, id, 100), MOTE_OK);
    }
    return system;
}

TEST(particles_are_the_same_for_any_frames_workers_and_instruction_sets) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET};
    shuffled_jobs shuffled = {.workers = 3};
    for (size_t k = 0; k < COUNT_OF(integrators); k++) {
        const mote_jobs serial = {0}, jobs = dividing(shuffled_jobs_hook(&shuffled));
        mote_system *plain = busy_scene(MOTE_ISA_AUTO, &serial, integrators[k]);
        for (int n = 0; n < 90; n++) step(plain, 1);
        for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            mote_system *other = busy_scene((mote_isa)isa, &jobs, integrators[k]);
            step(other, 1), step(other, 40), step(other, 49);
            ASSERT(mote_system_hash(other), ==, mote_system_hash(plain));
            mote_system_destroy(other);
        }
        ASSERT(mote_system_count(plain), >, 10000);
        mote_system_destroy(plain);
    }
}

/* --- Refusals --- */

TEST(wrong_emitters_are_refused_by_name) {
#define FIELD(member, value, want) BAD_VALUE(mote_emitter_def, member, value, MOTE_ERROR_##want)
    static const bad_value rows[] = {FIELD(cookie, 0, DEF),
                                     FIELD(shape, MOTE_EMITTER_SHAPE_COUNT, ENUM),
                                     FIELD(direction, -1, ENUM),
                                     FIELD(transform.position[1], NAN, NOT_FINITE),
                                     FIELD(transform.rotation[3], 0, RANGE),
                                     FIELD(extent[2], -1, RANGE),
                                     FIELD(radius, INFINITY, NOT_FINITE),
                                     FIELD(radius, 1e25, RANGE),
                                     FIELD(radius, 1e-38, RANGE),
                                     FIELD(inner_radius, 1.5, RANGE),
                                     FIELD(angle, 1.6, RANGE),
                                     FIELD(spread, 3.2, RANGE),
                                     FIELD(rate, -1, RANGE),
                                     FIELD(rate, NAN, NOT_FINITE),
                                     FIELD(rate_per_metre, INFINITY, NOT_FINITE),
                                     FIELD(inherit, NAN, NOT_FINITE),
                                     FIELD(speed.least, 2, RANGE),
                                     FIELD(speed.most, INFINITY, NOT_FINITE),
                                     FIELD(lifetime.least, 0, NOT_FINITE),
                                     FIELD(mass.least, 0, RANGE),
                                     FIELD(speed.least, -2e38, NOT_FINITE), /* to 2e38 */
                                     FIELD(extra_columns, 256, RANGE)};
    const mote_system_def def = emitting_def(16);
    mote_system *system = make_system(&def);
    mote_emitter_def fine = mote_default_emitter_def();
    fine.radius = 1;
    mote_emitter_id id, made = add(system, &fine);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_emitter_def bad = fine;
        const char *parameter = NULL;
        spoil(&bad, &rows[i]);
        if (bad.speed.least < -1e38f) bad.speed.most = 2e38f;
        assert_int_equal(mote_emitter_check(&bad, &parameter), rows[i].want);
        ASSERT(strncmp(rows[i].member, parameter, strlen(parameter)), ==, 0);
        REFUSALS(system, RETURNS(rows[i].want, mote_system_add_emitter(system, &bad, &id)),
                 RETURNS(rows[i].want, mote_system_set_emitter(system, made, &bad)));
        if (strncmp(rows[i].member, "transform", 9) != 0)
            REFUSED(system, rows[i].want, mote_system_change_emitter(system, made, &bad));
    }
    mote_emitter_def finite = fine, column = fine, many = fine;
    finite.lifetime = (mote_spread){1, 2};
    column.extra_columns = 1;
    many.rate = 3e38f;
    const mote_emitter_id none = {0, 0};
    const struct {
        const mote_emitter_def *def;
        const char *name;
    } own[] = {{&finite, "lifetime"}, {&column, "extra_columns"}, {&many, "rate"}};
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        const char *parameter = NULL;
        ASSERT(mote_system_emitter_check(system, own[i].def, &parameter), !=, MOTE_OK);
        assert_string_equal(parameter, own[i].name);
    }
    REFUSALS(system, REFUSES(ABSENT, mote_system_add_emitter(system, &finite, &id)),
             REFUSES(RANGE, mote_system_add_emitter(system, &column, &id)),
             REFUSES(RANGE, mote_system_add_emitter(system, &many, &id)),
             REFUSES(NULL, mote_system_add_emitter(system, NULL, &id)),
             REFUSES(NULL, mote_system_add_emitter(system, &fine, NULL)),
             REFUSES(NULL, mote_system_set_emitter(system, made, NULL)),
             REFUSES(NULL, mote_system_change_emitter(system, made, NULL)),
             REFUSES(RANGE, mote_system_change_emitter(system, made, &many)),
             REFUSES(ID, mote_system_burst(system, none, 1)),
             REFUSES(OVERFLOW, mote_system_burst(system, made, MOTE_MAX_PARTICLES + 1)),
             REFUSES(ID, mote_system_remove_emitter(system, none)),
             REFUSES(INTEGRATOR, mote_system_seek(system, 100)));
    assert_int_equal(mote_system_remove_emitter(system, made), MOTE_OK);
    REFUSALS(system, REFUSES(ID, mote_system_set_emitter(system, made, &fine)),
             REFUSES(ID, mote_system_change_emitter(system, made, &fine)));
    assert_int_equal(mote_system_seek(system, 100), MOTE_OK);
    mote_system_destroy(system);
}
