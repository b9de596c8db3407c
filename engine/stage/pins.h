/* Pins of a range: points and springs that the host holds and moves to targets. A pin holds the position of a
 * point; a reel, the pin of a spring, holds its rest length. */
#ifndef MOTE_STAGE_PINS_H
#define MOTE_STAGE_PINS_H

#include <mote/allocator.h>

#include "base/archive.h"
#include "base/travel.h"

typedef struct mote_pin {
    union {
        uint32_t slot;   /* of a pinned point */
        uint32_t spring; /* number of a reeled spring */
    };
    uint32_t unit;        /* the lane group or block that holds the point, or end a of the spring */
    float from[3], to[3]; /* m, world. A reel: from[0], to[0], the others 0 */
    float from_low[3];    /* m, low part of `from` (stage/place.h) */
    mote_travel travel;
} mote_pin;

/* Pins of one unit: pins[first] .. pins[first + count - 1]. */
typedef struct mote_pin_run {
    uint32_t first, count;
} mote_pin_run;

/* Pins sorted by unit, then by slot or spring. */
typedef struct mote_pin_list {
    mote_pin *pins;    /* `most` of them are reserved with the first */
    mote_pin_run *run; /* runs by unit; memory of the owner, kept up to date by every edit */
    uint32_t count, most;
} mote_pin_list;

/* Returns the pin of a slot or spring; NULL if it has none. */
mote_pin *mote_pins_find(const mote_pin_list *list, uint32_t unit, uint32_t slot);

/* Adds a pin, or replaces the pin of its slot or spring. Errors: CAPACITY, MEMORY; the list is then
 * unchanged. */
mote_result mote_pins_add(mote_pin_list *list, const mote_pin *pin, const mote_allocator *allocator);

/* Removes the pin of a slot or spring. Returns false if it has none. */
bool mote_pins_remove(mote_pin_list *list, uint32_t unit, uint32_t slot);

/* Removes the pins that have arrived by `now`. */
void mote_pins_remove_arrived(mote_pin_list *list, uint64_t now);

/* Resolves pending targets at the start of an advance that will end at end_tick. */
void mote_pins_resolve(mote_pin_list *list, uint64_t end_tick);

/* Keeps the arrival of the pins that have arrived by `now` (base/travel.h). */
void mote_pins_keep_arrivals(mote_pin_list *list, uint64_t now);

/* Returns true if the pins are sorted and the runs of the units refer to them. */
bool mote_pins_are_valid(const mote_pin_list *list, uint32_t units);

/* Returns the unit of a pin or reel of a snapshot; MOTE_NO_SLOT: the object can have no such pin. */
typedef uint32_t mote_pin_unit(const void *object, const mote_pin *pin);

/* Visits the pins: a section of `count` in tasks that read, else of all. */
void mote_pins_archive(mote_pin_list *list, uint32_t column, uint32_t count, mote_pin_unit *unit,
                       const void *object, mote_archive *a);

void mote_pins_destroy(mote_pin_list *list, const mote_allocator *allocator);

/* Computes the position of a pin `within` ticks after step_tick. */
MOTE_INLINE void mote_pin_at(const mote_pin *pin, uint64_t step_tick, double within, float at[3]) {
    const float f = mote_travel_fraction(pin->travel.from_tick, pin->travel.to_tick, step_tick, within);
    for (int axis = 0; axis < 3; axis++) at[axis] = mote_travel_between(pin->from[axis], pin->to[axis], f);
}

/* Computes the position of a pin relative to an origin, m, world, without the rounding of world positions. */
MOTE_INLINE void mote_pin_from_origin(const mote_pin *pin, uint64_t step_tick, double within,
                                      const float origin[3], float at[3]) {
    const float f = mote_travel_fraction(pin->travel.from_tick, pin->travel.to_tick, step_tick, within);
    for (int axis = 0; axis < 3; axis++) {
        const double from = (double)pin->from[axis] + (double)pin->from_low[axis], to = (double)pin->to[axis];
        at[axis] = (float)((f < 1 ? from + (double)f * (to - from) : to) - (double)origin[axis]);
    }
}

#endif
