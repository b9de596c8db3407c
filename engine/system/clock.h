/* The clock: real time in, whole steps out, in integer ticks. */
#ifndef MOTE_SYSTEM_CLOCK_H
#define MOTE_SYSTEM_CLOCK_H

#include <mote/system.h>

typedef struct mote_clock {
    uint64_t step;      /* steps run */
    uint64_t remainder; /* ticks in the accumulator */
    uint64_t ticks_per_nanosecond, ticks_per_step;
    double start_time, timestep;
} mote_clock;

/* A tick is the greatest unit of which a nanosecond and a step are whole multiples. */
mote_clock mote_clock_make(mote_rate steps_per_second, double start_time);

/* Adds a frame and takes out the steps to run: fills steps and all ticks of *advance. False if the frame does
 * not fit 63 bits of ticks; the clock is as it was then. The caller adds to clock->step what it has run. */
bool mote_clock_take(mote_clock *clock, uint64_t nanoseconds, mote_late_policy policy, uint32_t max_steps,
                     mote_advance *advance);

/* remainder / step, in [0, 1). */
float mote_clock_alpha(const mote_clock *clock);

/* start_time + step x timestep: never accumulated. */
double mote_clock_time(const mote_clock *clock);

#endif
