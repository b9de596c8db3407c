/* Clock: accumulates real time in integer ticks and divides it into whole steps. */
#ifndef MOTE_SYSTEM_CLOCK_H
#define MOTE_SYSTEM_CLOCK_H

#include <mote/system.h>

typedef struct mote_clock {
    uint64_t step;      /* number of steps run */
    uint64_t remainder; /* ticks in the accumulator */
    uint64_t ticks_per_nanosecond, ticks_per_step;
    uint64_t keep_steps; /* arrivals are kept at the boundaries before its multiples (base/travel.h) */
    double start_time, timestep;
    float alpha;    /* for presentation alone, until time is next added */
    bool alpha_set; /* whether it is in the place of the remainder's */
} mote_clock;

/* Makes a clock at step 0. A tick is the greatest unit of which a nanosecond and a step are whole
 * multiples. */
mote_clock mote_clock_make(mote_rate steps_per_second, double start_time);

/* Returns whether the steps of a thousand years can be counted. */
bool mote_clock_lasts(mote_rate steps_per_second);

/* Returns the tick at the end of `steps` steps from now and the remainder, at most 2^63 - 1 ticks ahead of
 * the present boundary; never MOTE_NEXT_ADVANCE. */
uint64_t mote_clock_end_tick(const mote_clock *clock, uint64_t steps, uint64_t remainder);

/* Adds a frame of real time and takes the steps to run out of the accumulator. Sets steps, ticks_consumed and
 * ticks_dropped of *advance. Returns false if the frame does not fit 63 bits of ticks; the clock is then
 * unchanged. The caller increases clock->step by the steps that it runs. */
bool mote_clock_take(mote_clock *clock, uint64_t nanoseconds, mote_late_policy policy, uint32_t max_steps,
                     mote_advance *advance);

/* Returns the blend for presentation, limited to [0, 1): remainder / ticks_per_step, or what is set. */
float mote_clock_alpha(const mote_clock *clock);

/* Returns start_time + step x timestep. A product, not a running sum, so that rounding errors do not
 * accumulate. */
double mote_clock_time(const mote_clock *clock);

#endif
