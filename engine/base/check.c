#include "base/check.h"

#include "base/fpu.h"

mote_result mote_value_invertible(float value, uint32_t count) {
    mote_result result = mote_value_positive(value);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    result = (double)count / (double)value <= (double)FLT_MAX ? MOTE_OK : MOTE_ERROR_RANGE;
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    return result;
}
