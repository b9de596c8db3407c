/* Curves over a life: the keys of a layout, made ready for the kernels, and those kernels. */
#ifndef MOTE_STAGE_OVER_LIFE_H
#define MOTE_STAGE_OVER_LIFE_H

#include <mote/system.h>

#include "base/compiler.h"

/* Keys in the order of their lives. From key k on, with t = (life - life_k) inverse_k limited to 0 .. 1, a
 * value is
 *     value_k + change_k e,  e = t (c_1 + t (c_2 + t c_3)):
 * exactly value_k at key k; change and c of the last key are 0. A size has one channel. */
typedef struct mote_curve {
    uint32_t count;
    bool alike; /* all keys but the last have the same c */
    float life[MOTE_MAX_KEYS], inverse[MOTE_MAX_KEYS], c[3][MOTE_MAX_KEYS];
    float value[MOTE_MAX_KEYS][4], change[MOTE_MAX_KEYS][4];
} mote_curve;

/* Makes the curves of a layout that mote_over_life_check has accepted. */
void mote_curve_of_sizes(mote_curve *curve, const mote_present_layout *layout);
void mote_curve_of_colours(mote_curve *curve, const mote_present_layout *layout);

/* Checks the keys of the quantities that a layout writes: NULL, RANGE, NOT_FINITE, ENUM; *name receives the
 * field. */
mote_result mote_over_life_check(const mote_present_layout *layout, const char **name);

/* Returns the age in steps, at most MOTE_MAX_AGE; less than 0 for particles that are born later. */
MOTE_INLINE int32_t mote_age(uint32_t now, uint32_t birth) {
    const int32_t age = (int32_t)(now - birth);
    return age < MOTE_MAX_AGE ? age : MOTE_MAX_AGE;
}

/* Births, lifetimes and initial ages (s; NULL: 0) of a block, and the presented time: age = initial + (now -
 * birth + shift) timestep, at least 0, of a life of initial + lifetime. */
typedef struct mote_ages {
    const uint32_t *birth;
    const float *lifetime, *initial;
    uint32_t now;
    double shift, timestep; /* steps; s */
} mote_ages;

/* Particles in a block of colours: at most MOTE_BLOCK. */
#define MOTE_COLOUR_BLOCK 256u

#endif
