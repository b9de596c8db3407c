/* Places of strands between steps: the columns x, and where constraints hold the strand a low part
 * (stage/place.h). */
#include "strands/strands.h"

void mote_strands_low_part(const mote_strands *strands, uint32_t lane, uint32_t slot, float low[3]) {
    bool kept = strands->relative_x[0] != NULL;
    for (int axis = 0; axis < 3 && kept; axis++) {
        const float origin = strands->origin[axis][lane], relative = strands->relative_x[axis][slot],
                    sum = origin + relative, part = sum - origin;
        kept = sum == strands->range.x[axis][slot];
        low[axis] = (origin - (sum - part)) + (relative - part);
    }
    for (int axis = 0; axis < 3 && !kept; axis++) low[axis] = 0;
}

void mote_strands_place(const mote_strands *strands, uint32_t lane, uint32_t slot, double x[3]) {
    float low[3];
    mote_strands_low_part(strands, lane, slot, low);
    for (int axis = 0; axis < 3; axis++) x[axis] = (double)strands->range.x[axis][slot] + (double)low[axis];
}

uint32_t mote_strands_group_of(const mote_strands *strands, uint32_t slot) {
    uint32_t low = 0, high = strands->group_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (strands->group[middle].first <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}
