/* Pinned points of a range, with their targets. */
#ifndef MOTE_STAGE_PINS_H
#define MOTE_STAGE_PINS_H

#include <mote/allocator.h>

#include "base/travel.h"

/* A point that the host pinned. */
typedef struct mote_pin {
    uint32_t slot, unit;  /* unit: the lane group or block that holds the slot */
    float from[3], to[3]; /* m, world */
    mote_travel travel;
} mote_pin;

/* The pins of one unit: pins[first] .. pins[first + count - 1]. */
typedef struct mote_pin_run {
    uint32_t first, count;
} mote_pin_run;

/* Sorted by slot, so that those of a unit stand together: units hold ascending slots. */
typedef struct mote_pin_list {
    mote_pin *pins;    /* `most` of them reserved with the first */
    mote_pin_run *run; /* by unit; the owner's memory, kept up to date by every edit */
    uint32_t count, most;
} mote_pin_list;

/* Pins a slot of a unit that stands at `from`, or gives a pinned one another target, to be reached at `tick`
 * from the boundary `now`. *is_new: it had none. CAPACITY, MEMORY: the list is as it was. */
mote_result mote_pins_add(mote_pin_list *list, mote_pin pin, const mote_allocator *allocator, bool *is_new);

/* False: the slot has no pin. */
bool mote_pins_remove(mote_pin_list *list, uint32_t slot);

/* The next advance has begun and will end at end_tick. */
void mote_pins_resolve(mote_pin_list *list, uint64_t end_tick);

/* Whether pins are sorted and the runs of the units name them. */
bool mote_pins_are_valid(const mote_pin_list *list, uint32_t units);

void mote_pins_destroy(mote_pin_list *list, const mote_allocator *allocator);

/* Where a pin stands `within` ticks of the step that begins at step_tick. */
MOTE_INLINE void mote_pin_at(const mote_pin *pin, uint64_t step_tick, double within, float at[3]) {
    const float f = mote_travel_fraction(pin->travel.from_tick, pin->travel.to_tick, step_tick, within);
    for (int axis = 0; axis < 3; axis++) at[axis] = mote_travel_between(pin->from[axis], pin->to[axis], f);
}

/* The hash of a target after `seed`: of values that travel from `from` to `to`, `bytes` each. */
uint64_t mote_target_hash(uint64_t seed, const float *from, const float *to, size_t bytes,
                          const mote_travel *travel);

#endif
