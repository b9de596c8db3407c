/* When targets are reached that the host set for a tick or for the next advance: by steps, by steps after
 * half a step, and by seeks of any length. */
#include "test.h"

#include <inttypes.h>
#include <math.h>

#include "systems.h"

/* --- Colliders and seeks --- */

enum { MOST = 256, SPHERE = 1, FAR = 10 };

/* The middle of the only collider, a sphere, along x. */
static double place_of(const mote_system *system) {
    static mote_line lines[MOST];
    mote_lines_def def = mote_default_lines_def();
    uint32_t count;
    float low = INFINITY, high = -INFINITY;
    def.kinds = 1u << MOTE_LINE_COLLIDER;
    OK(mote_system_lines(system, &def, lines, MOST, &count));
    ASSERT(count, >, 0u);
    for (uint32_t i = 0; i < count; i++)
        low = fminf(low, lines[i].from[0]), high = fmaxf(high, lines[i].from[0]);
    return ((double)low + (double)high) / 2;
}

/* A sphere that travels from the origin to `far` within the next `steps` steps; 0: in the next advance. Ticks
 * are so short at this rate that arrivals must be kept every one or two million steps, before the clock of 64
 * bits comes round. */
static mote_system *make_traveller(float far, uint64_t steps) {
    const mote_collider_def ball = mote_sphere((const float[3]){0, 0, 0}, SPHERE);
    mote_system_def def = mote_default_system_def();
    mote_transform to = MOTE_TRANSFORM_IDENTITY;
    mote_collider_id id;
    mote_advance none;
    def.capacity = 16, def.steps_per_second = (mote_rate){143981, 1000};
    mote_system *system = system_of(&def);
    OK(mote_system_add_collider(system, &ball, &id));
    OK(mote_system_advance(system, 0, &none));
    const uint64_t end = mote_system_tick(system) + steps * none.ticks_per_step;
    to.position[0] = far;
    OK(mote_system_move_collider(system, id, &to, steps ? end : MOTE_NEXT_ADVANCE));
    return system;
}

TEST(a_collider_that_has_arrived_stays_over_any_number_of_shorter_seeks) {
    mote_system *system = make_traveller(FAR, 0);
    stepped(system, 3), stepped(system, 3);
    ASSERT_NEAR(place_of(system), FAR, 1e-5);
    for (uint32_t i = 0; i < 40; i++) {
        test_case("seek %u", i);
        OK(mote_system_seek(system, mote_system_steps(system) + 1000000));
        ASSERT_NEAR(place_of(system), FAR, 1e-5);
        stepped(system, 5);
        ASSERT_NEAR(place_of(system), FAR, 1e-5);
    }
    mote_system_destroy(system);
}

TEST(a_target_of_the_next_advance_waits_for_it_however_far_a_seek_goes) {
    static const uint64_t to[] = {1, 1000000, 2000000, (uint64_t)1 << 40};
    for (size_t i = 0; i < COUNT_OF(to); i++) {
        mote_system *system = make_traveller(FAR, 0);
        test_case("seek of %" PRIu64 " steps", to[i]);
        OK(mote_system_seek(system, to[i]));
        ASSERT_NEAR(place_of(system), 0, 1e-5);
        OK(mote_system_seek(system, 0));
        ASSERT_NEAR(place_of(system), 0, 1e-5);
        OK(mote_system_seek(system, to[i]));
        stepped(system, 2);
        ASSERT_NEAR(place_of(system), FAR, 1e-5);
        mote_system_destroy(system);
    }
}

/* --- Long seeks and travels that are under way --- */

enum { GOAL = 100 }; /* m, along x */

/* Steps of the travel: less than a quarter of those in which the clock of 64 bits comes round at this rate.
 */
static const uint64_t way = 4000000;

TEST(a_travel_that_a_long_seek_does_not_end_is_under_way_after_any_number_of_hops) {
    for (uint64_t hops = 1; hops <= 8; hops++)
        for (uint64_t tenths = 3; tenths <= 10; tenths++) {
            mote_system *system = make_traveller(GOAL, way);
            for (uint64_t i = 1; i <= hops; i++) {
                const uint64_t step = way * tenths * i / (10 * hops);
                test_case("%" PRIu64 " hops, to step %" PRIu64, hops, step);
                OK(mote_system_seek(system, step));
                ASSERT_NEAR(place_of(system), GOAL * (double)step / (double)way, 1e-4);
            }
            mote_system_destroy(system);
        }
}

TEST(a_collider_whose_travel_a_seek_passes_has_arrived_for_good) {
    static const uint64_t to[] = {4000000, 4000001, 9000000, 10000000, 20000000, (uint64_t)1 << 40};
    for (size_t i = 0; i < COUNT_OF(to); i++) {
        mote_system *system = make_traveller(GOAL, way);
        test_case("seek to step %" PRIu64, to[i]);
        OK(mote_system_seek(system, 1500000));
        OK(mote_system_seek(system, to[i]));
        ASSERT_NEAR(place_of(system), GOAL, 1e-4);
        OK(mote_system_seek(system, to[i] + 8000000));
        ASSERT_NEAR(place_of(system), GOAL, 1e-4);
        stepped(system, 3);
        ASSERT_NEAR(place_of(system), GOAL, 1e-4);
        mote_system_destroy(system);
    }
}

/* 2^60 ticks are 1,152,921 steps. */
TEST(a_seek_back_within_2_to_the_60_ticks_finds_a_travel_where_it_was_and_a_longer_one_ends_it) {
    static const uint64_t back[] = {1, 400000, 500000, 1000000, 1152921, 1152922, 1300000, 1600000};
    for (size_t i = 0; i < COUNT_OF(back); i++) {
        mote_system *system = make_traveller(GOAL, way);
        const bool ends = back[i] > 1152921;
        const uint64_t step = 1600000 - back[i];
        test_case("seek back by %" PRIu64 " steps", back[i]);
        OK(mote_system_seek(system, 1600000));
        ASSERT_NEAR(place_of(system), 40, 1e-4);
        OK(mote_system_seek(system, step));
        ASSERT_NEAR(place_of(system), ends ? GOAL : GOAL * (double)step / (double)way, 1e-4);
        OK(mote_system_seek(system, 2800000));
        ASSERT_NEAR(place_of(system), ends ? GOAL : 70, 1e-4);
        OK(mote_system_seek(system, way));
        ASSERT_NEAR(place_of(system), GOAL, 1e-4);
        mote_system_destroy(system);
    }
}

/* --- Targets of the next advance --- */

enum { WAY = 3 }; /* m, along x */

typedef struct travellers {
    mote_system *system;
    mote_network_id net;
    mote_strands_id hair;
} travellers;

/* A network, a strand with its root and a pin, and a collider. */
static travellers make_travellers(void) {
    static const float places[9] = {0, 0, 0, 0, -1, 0, 0, -2, 0};
    const mote_collider_def ball = mote_sphere((const float[3]){0, 0, 0}, SPHERE);
    mote_system_def def = mote_default_system_def();
    mote_network_def net = mote_default_network_def();
    mote_strands_def hair = mote_default_strands_def();
    mote_collider_id id;
    travellers t;
    def.capacity = 0, def.collisions = false;
    t.system = system_of(&def);
    net.particle_count = 2, net.positions = places;
    OK(mote_system_add_network(t.system, &net, &t.net, NULL));
    hair.strand_count = 1, hair.points = 3, hair.positions = places, hair.collide_from = 3;
    OK(mote_system_add_strands(t.system, &hair, &t.hair, NULL));
    OK(mote_system_add_collider(t.system, &ball, &id));
    /* Half a step is left over. */
    const mote_advance advance = advanced(t.system, 25000000);
    ASSERT(advance.steps, ==, 1u);
    ASSERT(2 * advance.ticks_remaining, ==, advance.ticks_per_step);
    mote_transform to = MOTE_TRANSFORM_IDENTITY;
    to.position[0] = WAY;
    OK(mote_system_move_collider(t.system, id, &to, MOTE_NEXT_ADVANCE));
    OK(mote_strands_set_root(t.system, t.hair, 0, &to, MOTE_NEXT_ADVANCE));
    OK(mote_strands_pin(t.system, t.hair, 0, 2, (const float[3]){WAY, -2, 0}, MOTE_NEXT_ADVANCE));
    OK(mote_network_pin(t.system, t.net, 0, (const float[3]){WAY, 0, 0}, MOTE_NEXT_ADVANCE));
    return t;
}

static void expect_at(const travellers *t, double x) {
    float net[6], hair[9];
    OK(mote_network_state(t->system, t->net, 0, 2, net, NULL));
    OK(mote_strands_state(t->system, t->hair, 0, 1, hair, NULL));
    ASSERT_NEAR(net[0], x, 1e-6);
    ASSERT_NEAR(hair[0], x, 1e-6);
    ASSERT_NEAR(hair[6], x, 1e-6);
    ASSERT_NEAR(place_of(t->system), x, 1e-5);
}

/* The clock stands half a step behind the last step, and after n steps n + 1/2 steps. */
TEST(a_target_of_the_next_advance_is_reached_at_the_tick_of_the_clock_after_it) {
    for (uint32_t steps = 1; steps <= 4; steps++) {
        const travellers t = make_travellers();
        test_case("%u steps", steps);
        stepped(t.system, steps);
        expect_at(&t, WAY * steps / (steps + 0.5));
        stepped(t.system, 1);
        expect_at(&t, WAY);
        mote_system_destroy(t.system);
    }
}

TEST(an_advance_and_as_many_steps_reach_a_target_at_once) {
    const travellers t = make_travellers(), other = make_travellers();
    stepped(t.system, 1);
    ASSERT(advanced(other.system, 16666666).steps, ==, 1u);
    expect_at(&t, 2);
    expect_at(&other, 2);
    mote_system_destroy(t.system), mote_system_destroy(other.system);
}

/* 5 ms later the clock stands 0.8 of a step behind the last one, as it does after the next frame of a step.
 */
TEST(a_target_of_the_next_advance_waits_for_one_that_runs_a_step) {
    const travellers t = make_travellers();
    ASSERT(advanced(t.system, 5000000).steps, ==, 0u);
    expect_at(&t, 0);
    ASSERT(advanced(t.system, 16666667).steps, ==, 1u);
    expect_at(&t, WAY / 1.8);
    stepped(t.system, 1);
    expect_at(&t, WAY);
    mote_system_destroy(t.system);
}
