/* Functions that all kinds of range share, and the tables of presentation kernels. */
#include "stage/range.h"

#include "base/isa.h"
#include "stage/present.h"

MOTE_KERNEL_LOOKUP(mote_present_kernels, mote_present_kernels);

void mote_sums_add_place(mote_sums *to, const mote_plan_def *field, const mote_range *range, size_t slot,
                         const double x[3]) {
    if (!(range->inverse_mass[slot] > 0)) return;
    double v[3];
    for (int axis = 0; axis < 3; axis++) v[axis] = (double)range->v[axis][slot];
    mote_sums_add_point(to, field, x, v, NULL, 1.0 / (double)range->inverse_mass[slot]);
}

mote_result mote_range_pin(mote_range *range, mote_pin pin, const mote_allocator *allocator) {
    for (int axis = 0; axis < 3; axis++) pin.from[axis] = range->x[axis][pin.slot];
    const mote_result result = mote_pins_add(&range->pins, &pin, allocator);
    if (result == MOTE_OK) range->inverse_mass[pin.slot] = 0;
    return result;
}

mote_result mote_range_unpin(mote_range *range, uint32_t unit, uint32_t slot, float inverse_mass) {
    if (!mote_pins_remove(&range->pins, unit, slot)) return MOTE_ERROR_RANGE;
    range->inverse_mass[slot] = inverse_mass;
    for (int axis = 0; axis < 3; axis++) range->reaction[axis][slot] = 0;
    return MOTE_OK;
}

mote_plan_def mote_range_plan_def(const mote_step *step, bool constrained) {
    mote_plan_def def = *step->plan;
    def.external_forces = def.anchors = def.collides = false;
    def.mass_column = true;
    def.coupled = !constrained;
    if (constrained) def.integrator = MOTE_SEMI_IMPLICIT_EULER;
    return def;
}

void mote_range_step(mote_range *range, const mote_step *step) {
    range->kind->begin(range, step);
    range->kind->run(range, step);
    range->kind->end(range);
}
