/* Pinned points of a range, with their targets. */
#ifndef MOTE_STAGE_PINS_H
#define MOTE_STAGE_PINS_H

#include <mote/allocator.h>

#include "base/travel.h"

/* Point that the host pinned. */
typedef struct mote_pin {
    uint32_t slot, unit;  /* unit: the lane group or block that holds the slot */
    float from[3], to[3]; /* m, world */
    mote_travel travel;
} mote_pin;

/* Pins of one unit: pins[first] .. pins[first + count - 1]. */
typedef struct mote_pin_run {
    uint32_t first, count;
} mote_pin_run;

/* Pins sorted by slot. Those of a unit are contiguous, since units hold ascending slots. */
typedef struct mote_pin_list {
    mote_pin *pins;    /* `most` of them are reserved with the first */
    mote_pin_run *run; /* runs by unit; memory of the owner, kept up to date by every edit */
    uint32_t count, most;
} mote_pin_list;

/* Adds a pin, or replaces the pin of its slot. *is_new: the slot had none. Errors: CAPACITY, MEMORY; the list
 * is then unchanged. */
mote_result mote_pins_add(mote_pin_list *list, mote_pin pin, const mote_allocator *allocator, bool *is_new);

/* Removes the pin of a slot. Returns false if it has none. */
bool mote_pins_remove(mote_pin_list *list, uint32_t slot);

/* Resolves pending targets at the start of an advance that will end at end_tick. */
void mote_pins_resolve(mote_pin_list *list, uint64_t end_tick);

/* Returns true if the pins are sorted and the runs of the units refer to them. */
bool mote_pins_are_valid(const mote_pin_list *list, uint32_t units);

void mote_pins_destroy(mote_pin_list *list, const mote_allocator *allocator);

/* Computes the position of a pin `within` ticks after step_tick. */
MOTE_INLINE void mote_pin_at(const mote_pin *pin, uint64_t step_tick, double within, float at[3]) {
    const float f = mote_travel_fraction(pin->travel.from_tick, pin->travel.to_tick, step_tick, within);
    for (int axis = 0; axis < 3; axis++) at[axis] = mote_travel_between(pin->from[axis], pin->to[axis], f);
}

#endif
