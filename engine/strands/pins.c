/* The pins of a bundle: an array sorted by slot, the groups' parts of it, and the spans between neighbouring
 * pins. */
#include <string.h>

#include "base/allocator.h"
#include "strands/strands.h"

#define PIN_BYTES (MOTE_MAX_PINS * (sizeof(mote_pin) + sizeof(mote_span_of_pins)))

static mote_result reserve(mote_strands *strands, const mote_allocator *allocator) {
    if (strands->pins) return MOTE_OK;
    strands->pins = mote_allocate(allocator, PIN_BYTES);
    if (!strands->pins) return MOTE_ERROR_MEMORY;
    strands->spans = (mote_span_of_pins *)(void *)(strands->pins + MOTE_MAX_PINS);
    return MOTE_OK;
}

void mote_strands_destroy(mote_strands *strands, const mote_allocator *allocator) {
    mote_release(allocator, strands->pins, PIN_BYTES);
    mote_release(allocator, strands->memory, strands->bytes);
}

/* The place of the first pin at `slot` or behind. */
static uint32_t place_of(const mote_strands *strands, uint32_t slot) {
    uint32_t low = 0, high = strands->pin_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strands->pins[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static float length_between(const mote_strands *strands, uint32_t first_slot, uint32_t last_slot) {
    double sum = 0;
    for (uint32_t slot = first_slot; slot < last_slot; slot += MOTE_GROUP)
        sum += (double)strands->rest_length[slot];
    return (float)sum;
}

/* The spans of one group from its pins, written to `spans` unless NULL; returns how many. A pinned root
 * begins one. */
static uint32_t find_spans(const mote_strands *strands, uint32_t group, mote_span_of_pins *spans) {
    const mote_strand_group *g = &strands->group[group];
    uint32_t last[MOTE_GROUP], count = 0;
    for (uint32_t i = 0; i < MOTE_GROUP; i++) last[i] = strands->def.free_roots ? MOTE_NO_SLOT : g->first + i;
    for (uint32_t i = g->first_pin; i < g->first_pin + g->pin_count; i++) {
        const mote_pin *pin = &strands->pins[i];
        uint32_t *before = &last[pin->lane % MOTE_GROUP];
        if (*before != MOTE_NO_SLOT && spans)
            spans[count] = (mote_span_of_pins){pin->lane, *before, pin->slot,
                                               length_between(strands, *before, pin->slot)};
        count += *before != MOTE_NO_SLOT;
        *before = pin->slot;
    }
    return count;
}

/* Says anew where each group's pins and spans begin, after an edit in `edited`. Groups without any have 0 and
 * 0. */
static void number_pins(mote_strands *strands, uint32_t edited) {
    strands->group[edited].first_pin = strands->group[edited].pin_count = 0;
    for (uint32_t i = 0; i < strands->pin_count; i++) {
        mote_strand_group *group = &strands->group[strands->pins[i].lane / MOTE_GROUP];
        bool first = i == 0 || strands->pins[i - 1].lane / MOTE_GROUP != strands->pins[i].lane / MOTE_GROUP;
        if (first) group->first_pin = i, group->pin_count = 0;
        group->pin_count++;
    }
}

static void number_spans(mote_strands *strands, uint32_t edited) {
    strands->group[edited].first_span = strands->group[edited].span_count = 0;
    for (uint32_t i = 0; i < strands->span_count; i++) {
        mote_strand_group *group = &strands->group[strands->spans[i].lane / MOTE_GROUP];
        bool first = i == 0 || strands->spans[i - 1].lane / MOTE_GROUP != strands->spans[i].lane / MOTE_GROUP;
        if (first) group->first_span = i, group->span_count = 0;
        group->span_count++;
    }
}

/* After an edit of the pins of a group: only its own spans are measured again. */
static void renew(mote_strands *strands, uint32_t group) {
    number_pins(strands, group);
    uint32_t first = 0, old = strands->group[group].span_count, count = find_spans(strands, group, NULL);
    while (first < strands->span_count && strands->spans[first].lane / MOTE_GROUP < group) first++;
    uint32_t behind = strands->span_count - first - old;
    memmove(strands->spans + first + count, strands->spans + first + old, behind * sizeof *strands->spans);
    find_spans(strands, group, strands->spans + first);
    strands->span_count += count - old;
    number_spans(strands, group);
}

static bool is_pin(const mote_strands *strands, uint32_t place, uint32_t slot) {
    return place < strands->pin_count && strands->pins[place].slot == slot;
}

mote_result mote_strands_add_pin(mote_strands *strands, uint32_t lane, uint32_t point, const float target[3],
                                 uint64_t now, uint64_t tick, const mote_allocator *allocator) {
    const uint32_t slot = mote_strands_slot_of(strands, lane, point), place = place_of(strands, slot);
    const bool is_new = !is_pin(strands, place, slot);
    if (is_new && strands->pin_count == MOTE_MAX_PINS) return MOTE_ERROR_CAPACITY;
    mote_result result = reserve(strands, allocator);
    if (result) return result;
    mote_pin *pin = strands->pins + place;
    if (is_new) memmove(pin + 1, pin, (strands->pin_count++ - place) * sizeof *pin);
    *pin = (mote_pin){
        .slot = slot, .lane = lane, .from_tick = now, .to_tick = tick, .pending = tick == MOTE_NEXT_ADVANCE};
    for (int axis = 0; axis < 3; axis++) {
        pin->from[axis] = strands->x[axis][slot];
        pin->to[axis] = target[axis];
    }
    strands->inverse_mass[slot] = 0;
    if (is_new) renew(strands, lane / MOTE_GROUP);
    return MOTE_OK;
}

mote_result mote_strands_remove_pin(mote_strands *strands, uint32_t lane, uint32_t point) {
    const uint32_t slot = mote_strands_slot_of(strands, lane, point), place = place_of(strands, slot);
    if (!is_pin(strands, place, slot)) return MOTE_ERROR_RANGE;
    mote_pin *pin = strands->pins + place;
    memmove(pin, pin + 1, (--strands->pin_count - place) * sizeof *pin);
    strands->inverse_mass[slot] = strands->point_inverse_mass[lane];
    for (int axis = 0; axis < 3; axis++) strands->reaction[axis][slot] = 0;
    renew(strands, lane / MOTE_GROUP);
    return MOTE_OK;
}
