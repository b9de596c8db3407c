/* Places in two parts. Inside a step positions are relative to an origin. Between steps the column x, which
 * the host reads and writes, holds origin + relative, rounded. The origin and the relative place are stored
 * beside it, so that the place is known exactly: x plus a low part, the rest of that rounding. If x differs
 * from their rounded sum on any axis, the host has written it, and the place is x alone.
 * Exact sums and differences: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B. */
#ifndef MOTE_STAGE_PLACE_H
#define MOTE_STAGE_PLACE_H

#include "math/wide.h"

MOTE_INLINE wide place_low(wide origin, wide relative, wide sum) {
    const wide part = sum - origin;
    return (origin - (sum - part)) + (relative - part);
}

/* Returns the low part of the place x; origin, relative: the two terms that the last step stored. */
MOTE_INLINE wide3 mote_low_place(wide3 x, wide3 origin, wide3 relative) {
    const wide3 sum = wide3_add(origin, relative);
    const wide_mask kept = wide_equal(x.x, sum.x) & wide_equal(x.y, sum.y) & wide_equal(x.z, sum.z);
    const wide3 low = {place_low(origin.x, relative.x, sum.x), place_low(origin.y, relative.y, sum.y),
                       place_low(origin.z, relative.z, sum.z)};
    return wide3_select(kept, low, wide3_zero());
}

MOTE_INLINE wide place_relative(wide x, wide low, wide origin) {
    const wide difference = x - origin, part = difference - x;
    const wide error = (x - (difference - part)) - (origin + part);
    return difference + (error + low);
}

/* Returns the place relative to an origin. */
MOTE_INLINE wide3 mote_relative_place(wide3 x, wide3 low, wide3 origin) {
    return (wide3){place_relative(x.x, low.x, origin.x), place_relative(x.y, low.y, origin.y),
                   place_relative(x.z, low.z, origin.z)};
}

#endif
