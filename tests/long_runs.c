/* Long runs: at rates with many ticks in a step the 64-bit count of ticks wraps within hours. Targets that
 * have arrived stay, targets under way go on, and the bits do not depend on how the steps are divided. */
#include "test.h"

#include "inside.h"
#include "systems.h"

/* A step of {143981, 1000} has 10^12 ticks: 2^63 of them are 17.8 h, 2^64 are 35.6 h. */
static const mote_rate DISPLAY = {143981, 1000};

typedef struct world {
    mote_system *system;
    mote_strands_id strands;
    mote_network_id network;
    mote_collider_id collider;
} world;

static world make_world(mote_rate rate) {
    static const float hair[] = {0, 0, 0, 0, -0.1f, 0, 0, -0.2f, 0}, net[] = {0, 0, 0, 0, -1, 0, 1, -1, 0};
    static const mote_spring springs[] = {{0, 1, MOTE_AS_PLACED, 10, 1, 0}, {1, 2, MOTE_AS_PLACED, 10, 1, 0}};
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = rate, def.capacity = 0;
    world w = {.system = system_of(&def)};
    mote_strands_def strands = mote_default_strands_def();
    strands.strand_count = 1, strands.points = 3, strands.positions = hair;
    mote_network_def network = mote_default_network_def();
    network.particle_count = 3, network.positions = net, network.mass = 1;
    network.spring_count = 2, network.springs = springs;
    const mote_collider_def ball = mote_sphere((const float[3]){0, 50, 0}, 1);
    add_force(w.system, mote_gravity((const float[3]){0, -9.81f, 0}));
    OK(mote_system_add_strands(w.system, &strands, &w.strands, NULL));
    OK(mote_system_add_network(w.system, &network, &w.network, NULL));
    OK(mote_system_add_collider(w.system, &ball, &w.collider));
    OK(mote_network_pin(w.system, w.network, 0, net, 0));
    return w;
}

/* Sends the root, a pin of the hair, one of the net and the collider to x = `x`, and spring 1 to that
 * length. */
static void send(const world *w, float x, uint64_t tick) {
    const mote_transform to = {{x, 0, 0}, {0, 0, 0, 1}}, above = {{x, 50, 0}, {0, 0, 0, 1}};
    OK(mote_strands_set_roots(w->system, w->strands, &to, 1, tick));
    OK(mote_strands_pin(w->system, w->strands, 0, 2, (const float[3]){x, -0.2f, 0}, tick));
    OK(mote_network_pin(w->system, w->network, 0, (const float[3]){x, 0, 0}, tick));
    OK(mote_network_reel(w->system, w->network, 1, x, tick, NULL));
    OK(mote_system_move_collider(w->system, w->collider, &above, tick));
}

/* Root, pin of the hair, pin of the net, collider, length of spring 1. */
static void places_of(const world *w, double x[5]) {
    const mote_strands_view hair = mote_strands_columns(w->system, w->strands);
    const mote_network_view net = mote_network_columns(w->system, w->network);
    mote_spring spring;
    OK(mote_network_spring(w->system, w->network, 1, &spring));
    x[0] = (double)hair.position.x[mote_strands_slot(w->system, w->strands, 0, 0)];
    x[1] = (double)hair.position.x[mote_strands_slot(w->system, w->strands, 0, 2)];
    x[2] = (double)net.position.x[net.slot[0]];
    x[3] = (double)mote_motion_at(&mote_collider_at(&w->system->colliders, 0)->motion,
                                  mote_system_boundary(w->system), 0)
               .position[0];
    x[4] = (double)spring.rest_length;
}

static void expect_places(const world *w, double want, double length, double allowance) {
    double x[5];
    places_of(w, x);
    for (int i = 0; i < 5; i++) {
        test_case("place %d at step %g", i, (double)mote_system_steps(w->system));
        ASSERT_NEAR(x[i], i < 4 ? want : length, allowance);
    }
}

/* Passes the time until step `step` without running the steps, but for two at each boundary where arrivals
 * are kept. */
static void pass_time(const world *w, uint64_t step) {
    mote_clock *clock = &w->system->clock;
    for (;;) {
        const uint64_t next = (clock->step / clock->keep_steps + 1) * clock->keep_steps - 1;
        if (next + 2 > step) break;
        clock->step = next;
        OK(mote_system_step(w->system, 2, NULL));
    }
    clock->step = step;
}

TEST(objects_that_have_arrived_stay_for_weeks) {
    static const mote_rate rates[] = {{143981, 1000}, {60, 1}, {400000009, 1}, {UINT32_MAX, UINT32_MAX - 1}};
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        const world w = make_world(rates[i]);
        const uint64_t ticks = w.system->clock.ticks_per_step, wrap = UINT64_MAX / ticks;
        send(&w, 1, MOTE_NEXT_ADVANCE);
        OK(mote_system_step(w.system, 4, NULL));
        expect_places(&w, 1, 1, 0);
        for (uint64_t quarter = 1; quarter <= 10; quarter++) {
            pass_time(&w, wrap / 4 * quarter);
            OK(mote_system_step(w.system, 2, NULL));
            expect_places(&w, 1, 1, 0);
        }
        mote_system_destroy(w.system);
    }
}

/* Where ticks change their sign, and where they wrap. */
TEST(targets_are_reached_across_the_wrap) {
    for (int half = 1; half <= 2; half++) {
        const world w = make_world(DISPLAY);
        const uint64_t ticks = w.system->clock.ticks_per_step,
                       wrap = (half == 1 ? (uint64_t)INT64_MAX : UINT64_MAX) / ticks;
        pass_time(&w, wrap - 3);
        send(&w, 8, mote_system_tick(w.system) + 8 * ticks);
        for (int step = 1; step <= 12; step++) {
            OK(mote_system_step(w.system, 1, NULL));
            expect_places(&w, step < 8 ? step : 8, step < 8 ? 1 + 7 * step / 8.0 : 8, step < 8 ? 1e-5 : 0);
        }
        send(&w, 4, mote_system_tick(w.system) - ticks); /* has passed */
        OK(mote_system_step(w.system, 1, NULL));
        expect_places(&w, 4, 4, 0);
        mote_system_destroy(w.system);
    }
}

static uint64_t run_across(uint64_t start, int cuts) {
    const world w = make_world(DISPLAY);
    send(&w, 0.5f, MOTE_NEXT_ADVANCE);
    OK(mote_system_step(w.system, 8, NULL));
    pass_time(&w, start);
    send(&w, 1, mote_system_tick(w.system) + 3 * w.system->clock.ticks_per_step / 2);
    for (int i = 0; i < 8; i += 8 / cuts) OK(mote_system_step(w.system, (uint32_t)(8 / cuts), NULL));
    const uint64_t hash = mote_system_hash(w.system);
    mote_system_destroy(w.system);
    return hash;
}

TEST(the_division_of_the_steps_does_not_matter_at_the_wrap) {
    const uint64_t starts[] = {INT64_MAX / 1000000000000 - 2, UINT64_MAX / 1000000000000 - 2,
                               3 * (MOTE_KEEP_TICKS / 1000000000000) - 2};
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        const uint64_t at_once = run_across(starts[i], 1);
        ASSERT(run_across(starts[i], 2), ==, at_once);
        ASSERT(run_across(starts[i], 8), ==, at_once);
    }
}

/* A collider is at its target after a jump over more ticks than can be told from the past. */
TEST(colliders_arrive_in_a_long_seek) {
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = DISPLAY;
    mote_system *system = system_of(&def);
    const mote_collider_def ball = mote_sphere((const float[3]){0, 0, 0}, 1);
    const mote_transform to = {{1, 0, 0}, {0, 0, 0, 1}};
    mote_collider_id id;
    OK(mote_system_add_collider(system, &ball, &id));
    OK(mote_system_move_collider(system, id, &to, 10 * system->clock.ticks_per_step));
    OK(mote_system_step(system, 1, NULL));
    for (uint64_t step = 5000000; step < 40000000; step += 5000000) {
        OK(mote_system_seek(system, step));
        ASSERT(
            mote_motion_at(&mote_collider_at(&system->colliders, 0)->motion, mote_system_boundary(system), 0)
                .position[0],
            ==, 1);
    }
    mote_system_destroy(system);
}

/* 2^64 steps in 1,000 years of 365.25 days: 584,542,046.1 steps a second. */
TEST(rates_whose_steps_cannot_be_counted_for_a_thousand_years_are_refused) {
    static const struct {
        mote_rate rate;
        mote_result want;
    } rows[] = {{{584542046, 1}, MOTE_OK},           {{584542047, 1}, MOTE_ERROR_RANGE},
                {{UINT32_MAX, 1}, MOTE_ERROR_RANGE}, {{UINT32_MAX, 7}, MOTE_ERROR_RANGE},
                {{UINT32_MAX, 8}, MOTE_OK},          {{1, UINT32_MAX}, MOTE_OK}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_system_def def = mote_default_system_def();
        mote_system *system;
        const char *parameter = NULL;
        test_case("row %zu", i);
        def.steps_per_second = rows[i].rate;
        assert_int_equal(mote_system_create(&def, &system), rows[i].want);
        assert_int_equal(mote_system_def_check(&def, &parameter), rows[i].want);
        if (rows[i].want) assert_string_equal(parameter, "steps_per_second");
        mote_system_destroy(system);
    }
}
