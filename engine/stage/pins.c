/* Pins of a range: a sorted array, edited between steps. */
#include "stage/pins.h"

#include <string.h>

#include "base/allocator.h"
#include "base/assert.h"

/* Returns the index of the first pin at or after `slot` of `unit` (binary search). */
static uint32_t first_pin_at(const mote_pin_list *list, uint32_t unit, uint32_t slot) {
    uint32_t low = 0, high = list->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const mote_pin *pin = &list->pins[middle];
        if (pin->unit < unit || (pin->unit == unit && pin->slot < slot))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

mote_pin *mote_pins_find(const mote_pin_list *list, uint32_t unit, uint32_t slot) {
    const uint32_t place = first_pin_at(list, unit, slot);
    const bool exists =
        place < list->count && list->pins[place].unit == unit && list->pins[place].slot == slot;
    return exists ? list->pins + place : NULL;
}

/* Updates the runs of the edited unit and of those after it. Units without pins have 0 and 0. */
static void update_runs(mote_pin_list *list, uint32_t edited, uint32_t place, bool gained) {
    mote_pin_run *run = &list->run[edited];
    if (gained && run->count++ == 0) run->first = place;
    if (!gained && --run->count == 0) run->first = 0;
    uint32_t i = run->count ? run->first + run->count : place;
    while (i < list->count) {
        run = &list->run[list->pins[i].unit];
        run->first = i;
        i += run->count;
    }
}

mote_result mote_pins_add(mote_pin_list *list, const mote_pin *pin, const mote_allocator *allocator) {
    mote_pin *at = mote_pins_find(list, pin->unit, pin->slot);
    if (!at && list->count == list->most) return MOTE_ERROR_CAPACITY;
    if (!list->pins) list->pins = mote_allocate(allocator, list->most * sizeof *list->pins);
    if (!list->pins) return MOTE_ERROR_MEMORY;
    if (!at) {
        const uint32_t place = first_pin_at(list, pin->unit, pin->slot);
        at = list->pins + place;
        memmove(at + 1, at, (list->count++ - place) * sizeof *at);
        update_runs(list, pin->unit, place, true);
    }
    *at = *pin;
    return MOTE_OK;
}

bool mote_pins_remove(mote_pin_list *list, uint32_t unit, uint32_t slot) {
    mote_pin *at = mote_pins_find(list, unit, slot);
    if (!at) return false;
    const uint32_t place = (uint32_t)(at - list->pins);
    memmove(at, at + 1, (--list->count - place) * sizeof *at);
    update_runs(list, unit, place, false);
    return true;
}

void mote_pins_remove_arrived(mote_pin_list *list, uint64_t now) {
    const uint32_t count = list->count;
    for (uint32_t i = 0; i < count; i++) list->run[list->pins[i].unit] = (mote_pin_run){0, 0};
    list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const mote_travel *travel = &list->pins[i].travel;
        if (mote_travel_has_arrived(travel->from_tick, travel->to_tick, now)) continue;
        mote_pin_run *run = &list->run[list->pins[i].unit];
        if (run->count++ == 0) run->first = list->count;
        list->pins[list->count++] = list->pins[i];
    }
}

void mote_pins_resolve(mote_pin_list *list, uint64_t end_tick) {
    for (uint32_t i = 0; i < list->count; i++) mote_travel_resolve(&list->pins[i].travel.to_tick, end_tick);
}

void mote_pins_keep_arrivals(mote_pin_list *list, uint64_t now) {
    for (uint32_t i = 0; i < list->count; i++) {
        mote_travel *travel = &list->pins[i].travel;
        mote_travel_keep_arrival(&travel->from_tick, &travel->to_tick, now);
    }
}

bool mote_pins_are_valid(const mote_pin_list *list, uint32_t units) {
    uint32_t pin = 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        const mote_pin_run *run = &list->run[unit];
        MOTE_CLAIM(run->count == 0 || run->first == pin);
        for (uint32_t k = 0; k < run->count; k++, pin++) {
            MOTE_CLAIM(pin < list->count && list->pins[pin].unit == unit);
            MOTE_CLAIM(k == 0 || list->pins[pin].slot > list->pins[pin - 1].slot);
        }
    }
    return pin == list->count;
}

/* --- Snapshots --- */

/* Words of a pin: slot, from, to, from_low, ticks. */
enum {
    SLOT,
    FROM,
    TO = FROM + 3,
    FROM_LOW = TO + 3,
    FROM_TICK = FROM_LOW + 3,
    TO_TICK = FROM_TICK + 2,
    WORDS = TO_TICK + 2
};

static void write_pin(unsigned char *section, uint32_t place, const mote_pin *pin) {
    uint32_t words[WORDS] = {[SLOT] = pin->slot};
    memcpy(words + FROM, pin->from, sizeof pin->from);
    memcpy(words + TO, pin->to, sizeof pin->to);
    memcpy(words + FROM_LOW, pin->from_low, sizeof pin->from_low);
    mote_words_split(pin->travel.from_tick, words + FROM_TICK);
    mote_words_split(pin->travel.to_tick, words + TO_TICK);
    mote_words_store(section, (uint64_t)place * WORDS, words, WORDS);
}

static mote_pin read_pin(const unsigned char *section, uint32_t place) {
    uint32_t words[WORDS];
    mote_words_load(words, section, (uint64_t)place * WORDS, WORDS);
    mote_pin pin = {.slot = words[SLOT],
                    .travel = {mote_words_join(words + FROM_TICK), mote_words_join(words + TO_TICK)}};
    memcpy(pin.from, words + FROM, sizeof pin.from);
    memcpy(pin.to, words + TO, sizeof pin.to);
    memcpy(pin.from_low, words + FROM_LOW, sizeof pin.from_low);
    return pin;
}

/* Checks that the pins exist and ascend by unit, then by slot, and that targets are finite. */
static void check_pins(const unsigned char *section, uint32_t column, uint32_t count, mote_pin_unit *unit,
                       const void *object, mote_archive *a) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const mote_pin pin = read_pin(section, i);
        const uint32_t of = unit(object, &pin);
        const uint64_t key = (uint64_t)of << 32 | pin.slot;
        const bool finite = pin.to[0] * 0 == 0 && pin.to[1] * 0 == 0 && pin.to[2] * 0 == 0;
        if (of == MOTE_NO_SLOT || (i && key <= last) || !finite) {
            mote_archive_refuse(a, MOTE_ERROR_FILE, column, i,
                                of == MOTE_NO_SLOT || finite ? "slot" : "target");
            return;
        }
        last = key;
    }
}

static void read_pins(mote_pin_list *list, const unsigned char *section, uint32_t count, mote_pin_unit *unit,
                      const void *object) {
    for (uint32_t i = 0; i < list->count; i++) list->run[list->pins[i].unit] = (mote_pin_run){0, 0};
    list->count = count;
    for (uint32_t i = 0; i < count; i++) {
        mote_pin *pin = list->pins + i;
        *pin = read_pin(section, i);
        pin->unit = unit(object, pin);
        mote_pin_run *run = &list->run[pin->unit];
        if (run->count++ == 0) run->first = i;
    }
}

void mote_pins_archive(mote_pin_list *list, uint32_t column, uint32_t count, mote_pin_unit *unit,
                       const void *object, mote_archive *a) {
    if (a->task == MOTE_ARCHIVE_CHECK && count > list->most) {
        mote_archive_refuse(a, MOTE_ERROR_FILE, column, MOTE_NO_ITEM, "count");
        return;
    }
    if (!mote_archive_reads(a)) count = list->count;
    unsigned char *section = mote_archive_section(a, column, 4, (uint64_t)count * WORDS * 4);
    if (!section) return;
    for (uint32_t i = 0; i < count && a->task == MOTE_ARCHIVE_WRITE; i++)
        write_pin(section, i, &list->pins[i]);
    if (a->task == MOTE_ARCHIVE_CHECK) check_pins(section, column, count, unit, object, a);
    if (a->task == MOTE_ARCHIVE_RESERVE && count && !list->pins) {
        list->pins = mote_allocate(a->allocator, list->most * sizeof *list->pins);
        if (!list->pins) mote_archive_refuse(a, MOTE_ERROR_MEMORY, column, MOTE_NO_ITEM, NULL);
    }
    if (a->task == MOTE_ARCHIVE_READ) read_pins(list, section, count, unit, object);
}

void mote_pins_destroy(mote_pin_list *list, const mote_allocator *allocator) {
    mote_release(allocator, list->pins, list->most * sizeof *list->pins);
}
