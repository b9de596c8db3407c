/* Places of strands between steps: the columns x, and where constraints hold the strand a low part
 * (stage/place.h). */
#include "stage/low_part.h"
#include "strands/strands.h"

void mote_strands_low_part(const mote_strands *strands, uint32_t lane, uint32_t slot, float low[3]) {
    mote_low_part(strands->range.x, strands->origin, strands->relative_x, lane, slot, low);
}

void mote_strands_place(const mote_strands *strands, uint32_t lane, uint32_t slot, double x[3]) {
    float low[3];
    mote_strands_low_part(strands, lane, slot, low);
    for (int axis = 0; axis < 3; axis++) x[axis] = (double)strands->range.x[axis][slot] + (double)low[axis];
}

uint32_t mote_strands_group_of(const mote_strands *strands, uint32_t slot) {
    return mote_run_with(&strands->group->first, sizeof *strands->group, strands->group_count, slot);
}
