/* Clock: accumulates real time in integer ticks and divides it into whole steps. */
#include "system/clock.h"

#include "base/travel.h"

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

mote_clock mote_clock_make(mote_rate steps_per_second, double start_time) {
    uint64_t nanoseconds = (uint64_t)steps_per_second.seconds * 1000000000u, steps = steps_per_second.steps;
    uint64_t divisor = greatest_common_divisor(nanoseconds, steps);
    const uint64_t keep_steps = MOTE_KEEP_TICKS / (nanoseconds / divisor);
    return (mote_clock){.ticks_per_nanosecond = steps / divisor,
                        .ticks_per_step = nanoseconds / divisor,
                        .keep_steps = keep_steps ? keep_steps : 1,
                        .start_time = start_time,
                        .timestep = (double)steps_per_second.seconds / (double)steps_per_second.steps};
}

bool mote_clock_lasts(mote_rate steps_per_second) {
    const double thousand_years = 1000 * 365.25 * 86400;
    return (double)steps_per_second.steps / (double)steps_per_second.seconds * thousand_years < 0x1p64;
}

uint64_t mote_clock_end_tick(const mote_clock *clock, uint64_t steps, uint64_t remainder) {
    uint64_t ticks;
    if (__builtin_mul_overflow(steps, clock->ticks_per_step, &ticks) ||
        __builtin_add_overflow(ticks, remainder, &ticks) || ticks > INT64_MAX)
        ticks = INT64_MAX;
    const uint64_t end = clock->step * clock->ticks_per_step + ticks;
    return end == MOTE_NEXT_ADVANCE ? end - 1 : end;
}

bool mote_clock_take(mote_clock *clock, uint64_t nanoseconds, mote_late_policy policy, uint32_t max_steps,
                     mote_advance *advance) {
    uint64_t ticks;
    if (__builtin_mul_overflow(nanoseconds, clock->ticks_per_nanosecond, &ticks) ||
        __builtin_add_overflow(ticks, clock->remainder, &ticks) || ticks > INT64_MAX)
        return false;
    uint64_t steps = ticks / clock->ticks_per_step, late = 0;
    if (steps > max_steps) {
        late = steps - max_steps;
        steps = max_steps;
    }
    uint64_t rest = ticks - steps * clock->ticks_per_step;
    uint64_t dropped = 0;
    if (late && policy == MOTE_LATE_DROP) dropped = late * clock->ticks_per_step;
    if (late && policy == MOTE_LATE_SLOW_DOWN) dropped = rest;
    clock->remainder = rest - dropped;
    clock->alpha_set = false;
    advance->steps = (uint32_t)steps;
    advance->ticks_consumed = steps * clock->ticks_per_step;
    advance->ticks_dropped = dropped;
    return true;
}

float mote_clock_alpha(const mote_clock *clock) {
    const float below_one = 0x1.fffffep-1f;
    const float own = (float)((double)clock->remainder / (double)clock->ticks_per_step),
                alpha = clock->alpha_set ? clock->alpha : own;
    return alpha < below_one ? alpha : below_one;
}

double mote_clock_time(const mote_clock *clock) {
    return clock->start_time + (double)clock->step * clock->timestep;
}
