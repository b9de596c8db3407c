/* The clock: ticks in are ticks out, steps are exactly the whole steps in the time given, for any frame. */
#include "test.h"

#include <math.h>

#include "systems.h"

/* Ticks of a year at a rate with many ticks to a nanosecond do not fit 64 bits. */
__extension__ typedef unsigned __int128 wide_ticks;

#define YEAR_SECONDS 31536000u
#define NANOSECONDS  1000000000u

static const mote_rate rates[] = {{60, 1}, {60000, 1001}, {144, 1},  {1, 10},
                                  {7, 3},  {30, 1},       {997, 13}, {1, 86400}};

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The greatest unit of which a nanosecond and seconds / steps are whole multiples, from first principles. */
static void expected_ticks(mote_rate rate, uint64_t *per_nanosecond, uint64_t *per_step) {
    uint64_t nanoseconds_of_all_steps = (uint64_t)rate.seconds * NANOSECONDS;
    uint64_t common = greatest_common_divisor(nanoseconds_of_all_steps, rate.steps);
    *per_nanosecond = rate.steps / common;
    *per_step = nanoseconds_of_all_steps / common;
}

static mote_system *empty_system(mote_rate rate, uint32_t max_steps, mote_late_policy policy) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    def.steps_per_second = rate;
    def.max_steps_per_advance = max_steps;
    def.late_policy = policy;
    return system_of(&def);
}

static void check_alpha(const mote_advance *advance) {
    ASSERT(advance->alpha, >=, 0.0f);
    ASSERT(advance->alpha, <, 1.0f);
}

/* One frame; checks the tick identity, the cap and alpha. */
static mote_advance frame(mote_system *system, uint64_t nanoseconds, uint64_t remainder_before,
                          uint32_t max_steps) {
    const mote_advance advance = advanced(system, nanoseconds);
    wide_ticks in = (wide_ticks)nanoseconds * advance.ticks_per_nanosecond + remainder_before;
    wide_ticks out = (wide_ticks)advance.ticks_consumed + advance.ticks_dropped + advance.ticks_remaining;
    assert_true(in == out);
    ASSERT(advance.ticks_consumed, ==, advance.steps * advance.ticks_per_step);
    ASSERT(advance.steps, <=, max_steps);
    check_alpha(&advance);
    return advance;
}

TEST(ticks_are_the_greatest_common_unit) {
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        uint64_t per_nanosecond, per_step;
        expected_ticks(rates[i], &per_nanosecond, &per_step);
        mote_system *system = empty_system(rates[i], 8, MOTE_LATE_CATCH_UP);
        mote_advance advance = frame(system, 0, 0, 8);
        assert_int_equal(advance.ticks_per_nanosecond, per_nanosecond);
        assert_int_equal(advance.ticks_per_step, per_step);
        mote_system_destroy(system);
    }
}

/* Every rate, frames of up to a day: whole steps that the cap leaves over are dropped, and counted as
 * exactly. */
TEST(a_year_of_irregular_frames_holds_exactly_its_whole_steps) {
    random_source random = {1};
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        mote_system *system = empty_system(rates[i], 3, MOTE_LATE_DROP);
        uint64_t per_nanosecond, per_step, nanoseconds = 0, steps_in = 0, remainder = 0;
        expected_ticks(rates[i], &per_nanosecond, &per_step);
        while (nanoseconds < (uint64_t)YEAR_SECONDS * NANOSECONDS) {
            uint64_t limit = random_below(&random, 3) == 0 ? 86400ull * NANOSECONDS : 40000000ull;
            uint64_t span = random_bits(&random) % limit;
            mote_advance advance = frame(system, span, remainder, 3);
            nanoseconds += span;
            steps_in += advance.steps + advance.ticks_dropped / per_step;
            assert_int_equal(advance.ticks_dropped % per_step, 0);
            ASSERT(advance.ticks_remaining, <, per_step);
            remainder = advance.ticks_remaining;
        }
        wide_ticks total = (wide_ticks)nanoseconds * per_nanosecond;
        assert_true(steps_in == total / per_step);
        assert_true(remainder == total % per_step);
        mote_system_destroy(system);
    }
}

/* Every step of the year is run: long frames, a few short ones, and the backlog worked off by later
 * frames. */
TEST(a_year_of_steps_is_run_without_drift) {
    static const mote_rate slow[] = {{1, 10}, {1, 7}, {60, 1001}};
    random_source random = {2};
    for (size_t i = 0; i < COUNT_OF(slow); i++) {
        uint32_t max_steps = 4096;
        mote_system *system = empty_system(slow[i], max_steps, MOTE_LATE_CATCH_UP);
        uint64_t per_nanosecond, per_step, nanoseconds = 0, remainder = 0;
        expected_ticks(slow[i], &per_nanosecond, &per_step);
        while (nanoseconds < (uint64_t)YEAR_SECONDS * NANOSECONDS) {
            uint64_t span =
                random_bits(&random) % (random_below(&random, 8) == 0 ? 600000ull * NANOSECONDS : 16666667);
            mote_advance advance = frame(system, span, remainder, max_steps);
            assert_int_equal(advance.ticks_dropped, 0);
            remainder = advance.ticks_remaining;
            nanoseconds += span;
        }
        while (remainder >= per_step) remainder = frame(system, 0, remainder, max_steps).ticks_remaining;
        wide_ticks total = (wide_ticks)nanoseconds * per_nanosecond;
        assert_true(mote_system_steps(system) == total / per_step);
        assert_true(remainder == total % per_step);
        mote_system_destroy(system);
    }
}

/* 16,666,667 ns is a third of a nanosecond too long for 60 steps a second: the surplus must come out as a
 * step. */
TEST(frames_of_a_display_run_exactly_the_whole_steps) {
    const uint64_t frame_nanoseconds = 16666667;
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        mote_system *system = empty_system(rates[i], 8, MOTE_LATE_CATCH_UP);
        uint64_t per_nanosecond, per_step, remainder = 0;
        expected_ticks(rates[i], &per_nanosecond, &per_step);
        for (uint64_t n = 1; n <= 200000; n++) {
            remainder = frame(system, frame_nanoseconds, remainder, 8).ticks_remaining;
            ASSERT(mote_system_steps(system), ==, n * frame_nanoseconds * per_nanosecond / per_step);
        }
        mote_system_destroy(system);
    }
}

/* After a hostile frame: it must pass if remainder and frame fit 63 bits of ticks together, and fail if the
 * frame alone does not; a failure lets no time pass. Returns the remainder. */
static uint64_t hostile_frame(mote_system *system, uint64_t nanoseconds, uint64_t remainder,
                              uint32_t max_steps) {
    mote_advance now = frame(system, 0, remainder, max_steps);
    uint64_t steps = mote_system_steps(system);
    uint64_t hash = mote_system_hash(system);
    wide_ticks ticks = (wide_ticks)nanoseconds * now.ticks_per_nanosecond;
    mote_advance advance;
    mote_result result = mote_system_advance(system, nanoseconds, &advance);
    if (ticks > INT64_MAX) assert_int_equal(result, MOTE_ERROR_OVERFLOW);
    if (ticks + now.ticks_remaining <= INT64_MAX) OK(result);
    if (result != MOTE_OK) {
        assert_int_equal(result, MOTE_ERROR_OVERFLOW);
        ASSERT(mote_system_steps(system), ==, steps);
        ASSERT(mote_system_hash(system), ==, hash);
        return now.ticks_remaining;
    }
    wide_ticks out = (wide_ticks)advance.ticks_consumed + advance.ticks_dropped + advance.ticks_remaining;
    assert_true(ticks + now.ticks_remaining == out);
    ASSERT(advance.steps, <=, max_steps);
    ASSERT(mote_system_steps(system), ==, steps + advance.steps);
    check_alpha(&advance);
    return advance.ticks_remaining;
}

TEST(hostile_frames_lose_no_tick_under_any_policy) {
    static const uint64_t frames[] = {
        0,
        1,
        2,
        3,
        999,
        16666666,
        16666667,
        33333333,
        NANOSECONDS,
        1ull << 40,
        1ull << 62,
        INT64_MAX / 3,
        INT64_MAX / 3 + 1,
        INT64_MAX / 9,
        INT64_MAX,
        1ull << 63,
        UINT64_MAX - 1,
        UINT64_MAX, /* ns */
    };
    static const mote_rate wild[] = {{60, 1}, {60000, 1001},  {144, 1},        {1, 10},
                                     {1, 1},  {500000003, 1}, {1, UINT32_MAX}, {UINT32_MAX, UINT32_MAX - 1}};
    random_source random = {3};
    for (int policy = 0; policy < MOTE_LATE_POLICY_COUNT; policy++) {
        for (size_t i = 0; i < COUNT_OF(wild); i++) {
            mote_system *system = empty_system(wild[i], 4, (mote_late_policy)policy);
            uint64_t remainder = 0;
            for (int n = 0; n < 500; n++) {
                uint64_t nanoseconds = frames[random_below(&random, COUNT_OF(frames))];
                remainder = hostile_frame(system, nanoseconds, remainder, 4);
            }
            mote_system_destroy(system);
        }
    }
}

/* At 64 steps a second a tick is a nanosecond and a step 15,625,000 of them. */
enum { STEP_64 = 15625000 };

TEST(each_late_policy_treats_the_steps_beyond_the_cap_in_its_way) {
    static const struct {
        mote_late_policy policy;
        uint64_t dropped, remaining;
        float alpha;
    } rows[] = {{MOTE_LATE_CATCH_UP, 0, 6 * STEP_64 + STEP_64 / 2, 1 - 0x1p-24f},
                {MOTE_LATE_DROP, 6 * STEP_64, STEP_64 / 2, 0.5f},
                {MOTE_LATE_SLOW_DOWN, 6 * STEP_64 + STEP_64 / 2, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_system *system = empty_system((mote_rate){64, 1}, 4, rows[i].policy);
        const mote_advance advance = frame(system, 10 * STEP_64 + STEP_64 / 2, 0, 4);
        test_case("policy %d", (int)rows[i].policy);
        assert_int_equal(advance.steps, 4);
        assert_int_equal(advance.ticks_dropped, rows[i].dropped);
        assert_int_equal(advance.ticks_remaining, rows[i].remaining);
        ASSERT(advance.alpha, ==, rows[i].alpha);
        mote_system_destroy(system);
    }
}

TEST(catching_up_works_off_the_backlog_in_later_frames) {
    static const uint32_t steps[] = {4, 4, 2, 0};
    mote_system *system = empty_system((mote_rate){64, 1}, 4, MOTE_LATE_CATCH_UP);
    mote_advance advance = {0};
    for (int i = 0; i < 4; i++) {
        advance = frame(system, i ? 0 : 10 * STEP_64 + STEP_64 / 2, advance.ticks_remaining, 4);
        assert_int_equal(advance.steps, steps[i]);
        assert_int_equal(advance.ticks_dropped, 0);
    }
    assert_int_equal(advance.ticks_remaining, STEP_64 / 2);
    ASSERT(advance.alpha, ==, 0.5f);
    mote_system_destroy(system);
}

TEST(a_frame_in_time_drops_nothing_under_any_policy) {
    for (int policy = 0; policy < MOTE_LATE_POLICY_COUNT; policy++) {
        mote_system *system = empty_system((mote_rate){64, 1}, 4, (mote_late_policy)policy);
        mote_advance advance = frame(system, 3 * STEP_64 + STEP_64 / 4, 0, 4);
        assert_int_equal(advance.steps, 3);
        assert_int_equal(advance.ticks_dropped, 0);
        assert_int_equal(advance.ticks_remaining, STEP_64 / 4);
        ASSERT(advance.alpha, ==, 0.25f);
        advance = frame(system, 3 * STEP_64 + 3 * (STEP_64 / 4), advance.ticks_remaining, 4);
        assert_int_equal(advance.steps, 4);
        assert_int_equal(advance.ticks_dropped, 0);
        assert_int_equal(advance.ticks_remaining, 0);
        mote_system_destroy(system);
    }
}

/* One tick short of a step is nearer to 1 than to the float below it, at every rate with more than 2^25
 * ticks. */
TEST(alpha_stays_below_one_a_tick_before_the_step) {
    mote_system *system = empty_system((mote_rate){60, 1}, 4, MOTE_LATE_CATCH_UP);
    mote_advance advance = frame(system, 33333333, 0, 4);
    assert_int_equal(advance.steps, 1);
    assert_int_equal(advance.ticks_remaining, advance.ticks_per_step - 1);
    ASSERT(advance.alpha, >, 0.999f);
    mote_system_destroy(system);
    system = empty_system((mote_rate){1, UINT32_MAX}, 4, MOTE_LATE_CATCH_UP);
    advance = frame(system, UINT32_MAX * (uint64_t)NANOSECONDS - 1, 0, 4);
    assert_int_equal(advance.steps, 0);
    ASSERT(advance.alpha, >, 0.999f);
    mote_system_destroy(system);
}

/* The quotient in double is off by 2^-53 of itself; rounded to float, or kept below 1, by at most 2^-24
 * more. */
TEST(alpha_is_the_part_of_a_step_that_remains) {
    random_source random = {4};
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        mote_system *system = empty_system(rates[i], 100, MOTE_LATE_DROP);
        uint64_t remainder = 0;
        for (int n = 0; n < 2000; n++) {
            mote_advance advance = frame(system, random_bits(&random) % 50000000u, remainder, 100);
            double exact = (double)advance.ticks_remaining / (double)advance.ticks_per_step;
            ASSERT(fabs((double)advance.alpha - exact), <=, 0x1p-24 + 0x1p-52);
            remainder = advance.ticks_remaining;
        }
        mote_system_destroy(system);
    }
}

TEST(time_is_the_start_and_the_steps_times_the_timestep) {
    static const double starts[] = {0.0, -12.5, 1.0 / 3.0, 1e9};
    random_source random = {5};
    for (size_t i = 0; i < COUNT_OF(rates) * COUNT_OF(starts); i++) {
        mote_system_def def = mote_default_system_def();
        def.steps_per_second = rates[i / COUNT_OF(starts)];
        def.start_time = starts[i % COUNT_OF(starts)];
        mote_system *system = system_of(&def);
        double timestep = (double)def.steps_per_second.seconds / (double)def.steps_per_second.steps;
        ASSERT(mote_system_timestep(system), ==, timestep);
        uint64_t steps = 0;
        for (int n = 0; n < 200; n++) {
            ASSERT(mote_system_time(system), ==, def.start_time + (double)steps * timestep);
            uint32_t more = random_below(&random, 50);
            stepped(system, more);
            steps += more;
            ASSERT(mote_system_steps(system), ==, steps);
        }
        mote_system_destroy(system);
    }
}

TEST(stepping_leaves_the_accumulator_alone) {
    mote_system *system = empty_system((mote_rate){64, 1}, 4, MOTE_LATE_SLOW_DOWN);
    frame(system, STEP_64 / 2, 0, 4);
    mote_advance advance = stepped(system, 100);
    assert_int_equal(advance.steps, 100);
    assert_int_equal(advance.ticks_dropped, 0);
    assert_int_equal(advance.ticks_remaining, STEP_64 / 2);
    ASSERT(advance.alpha, ==, 0.5f);
    assert_int_equal(mote_system_steps(system), 100);
    advance = frame(system, STEP_64 / 2, STEP_64 / 2, 4);
    assert_int_equal(advance.steps, 1);
    mote_system_destroy(system);
}

/* Steps of 136 years: after three the ticks of the advance are more than targets count in, after five more
 * than 64 bits. */
TEST(targets_arrive_with_steps_as_long_as_can_be) {
    for (uint32_t steps = 1; steps <= 6; steps++) {
        mote_system_def def = mote_default_system_def();
        mote_emitter_def jet = mote_default_emitter_def();
        mote_emitter_id id;
        def.steps_per_second = (mote_rate){1, UINT32_MAX};
        mote_system *system = system_of(&def);
        OK(mote_system_add_emitter(system, &jet, &id));
        const mote_range_view view = spawned(system, 1);
        const mote_transform there = {{1, 2, 3}, {0, 0, 0, 1}};
        view.velocity.x[0] = 0x1p-32f;
        OK(mote_system_move_emitter(system, id, &there, MOTE_NEXT_ADVANCE));
        const mote_advance advance = stepped(system, steps);
        test_case("%u steps", steps);
        assert_int_equal(advance.steps, steps);
        ASSERT(mote_system_steps(system), ==, steps);
        ASSERT_NEAR(view.position.x[0], steps, 1e-6);
        ASSERT(mote_system_time(system), ==, (double)steps * UINT32_MAX);
        mote_system_destroy(system);
    }
}
