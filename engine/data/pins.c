/* The pins of a bundle: an array sorted by slot, the groups' parts of it, and the spans between neighbouring
 * pins. */
#include <string.h>

#include "base/allocator.h"
#include "data/bundle.h"

#define PIN_BYTES (MOTE_MAX_PINS * (sizeof(mote_pin) + sizeof(mote_span_of_pins)))

static mote_result reserve(mote_bundle *bundle, const mote_allocator *allocator) {
    if (bundle->pins) return MOTE_OK;
    bundle->pins = mote_allocate(allocator, PIN_BYTES);
    if (!bundle->pins) return MOTE_ERROR_MEMORY;
    bundle->spans = (mote_span_of_pins *)(void *)(bundle->pins + MOTE_MAX_PINS);
    return MOTE_OK;
}

void mote_bundle_destroy(mote_bundle *bundle, const mote_allocator *allocator) {
    mote_release(allocator, bundle->pins, PIN_BYTES);
    mote_release(allocator, bundle->memory, bundle->bytes);
}

/* The place of the first pin at `slot` or behind. */
static uint32_t place_of(const mote_bundle *bundle, uint32_t slot) {
    uint32_t low = 0, high = bundle->pin_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bundle->pins[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static float length_between(const mote_bundle *bundle, uint32_t first_slot, uint32_t last_slot) {
    double sum = 0;
    for (uint32_t slot = first_slot; slot < last_slot; slot += MOTE_GROUP)
        sum += (double)bundle->rest_length[slot];
    return (float)sum;
}

/* The spans of one group from its pins, written to `spans` unless NULL; returns how many. A pinned root
 * begins one. */
static uint32_t find_spans(const mote_bundle *bundle, uint32_t group, mote_span_of_pins *spans) {
    const mote_strand_group *g = &bundle->group[group];
    uint32_t last[MOTE_GROUP], count = 0;
    for (uint32_t i = 0; i < MOTE_GROUP; i++) last[i] = bundle->def.free_roots ? MOTE_NO_SLOT : g->first + i;
    for (uint32_t i = g->first_pin; i < g->first_pin + g->pin_count; i++) {
        const mote_pin *pin = &bundle->pins[i];
        uint32_t *before = &last[pin->lane % MOTE_GROUP];
        if (*before != MOTE_NO_SLOT && spans)
            spans[count] = (mote_span_of_pins){pin->lane, *before, pin->slot,
                                               length_between(bundle, *before, pin->slot)};
        count += *before != MOTE_NO_SLOT;
        *before = pin->slot;
    }
    return count;
}

/* Says anew where each group's pins and spans begin, after an edit in `edited`. Groups without any have 0 and
 * 0. */
static void number_pins(mote_bundle *bundle, uint32_t edited) {
    bundle->group[edited].first_pin = bundle->group[edited].pin_count = 0;
    for (uint32_t i = 0; i < bundle->pin_count; i++) {
        mote_strand_group *group = &bundle->group[bundle->pins[i].lane / MOTE_GROUP];
        bool first = i == 0 || bundle->pins[i - 1].lane / MOTE_GROUP != bundle->pins[i].lane / MOTE_GROUP;
        if (first) group->first_pin = i, group->pin_count = 0;
        group->pin_count++;
    }
}

static void number_spans(mote_bundle *bundle, uint32_t edited) {
    bundle->group[edited].first_span = bundle->group[edited].span_count = 0;
    for (uint32_t i = 0; i < bundle->span_count; i++) {
        mote_strand_group *group = &bundle->group[bundle->spans[i].lane / MOTE_GROUP];
        bool first = i == 0 || bundle->spans[i - 1].lane / MOTE_GROUP != bundle->spans[i].lane / MOTE_GROUP;
        if (first) group->first_span = i, group->span_count = 0;
        group->span_count++;
    }
}

/* After an edit of the pins of a group: only its own spans are measured again. */
static void renew(mote_bundle *bundle, uint32_t group) {
    number_pins(bundle, group);
    uint32_t first = 0, old = bundle->group[group].span_count, count = find_spans(bundle, group, NULL);
    while (first < bundle->span_count && bundle->spans[first].lane / MOTE_GROUP < group) first++;
    uint32_t behind = bundle->span_count - first - old;
    memmove(bundle->spans + first + count, bundle->spans + first + old, behind * sizeof *bundle->spans);
    find_spans(bundle, group, bundle->spans + first);
    bundle->span_count += count - old;
    number_spans(bundle, group);
}

static bool is_pin(const mote_bundle *bundle, uint32_t place, uint32_t slot) {
    return place < bundle->pin_count && bundle->pins[place].slot == slot;
}

mote_result mote_bundle_add_pin(mote_bundle *bundle, uint32_t lane, uint32_t point, const float target[3],
                                uint64_t now, uint64_t tick, const mote_allocator *allocator) {
    const uint32_t slot = mote_bundle_slot_of(bundle, lane, point), place = place_of(bundle, slot);
    const bool is_new = !is_pin(bundle, place, slot);
    if (is_new && bundle->pin_count == MOTE_MAX_PINS) return MOTE_ERROR_CAPACITY;
    mote_result result = reserve(bundle, allocator);
    if (result) return result;
    mote_pin *pin = bundle->pins + place;
    if (is_new) memmove(pin + 1, pin, (bundle->pin_count++ - place) * sizeof *pin);
    *pin = (mote_pin){
        .slot = slot, .lane = lane, .from_tick = now, .to_tick = tick, .pending = tick == MOTE_NEXT_ADVANCE};
    for (int axis = 0; axis < 3; axis++) {
        pin->from[axis] = bundle->x[axis][slot];
        pin->to[axis] = target[axis];
    }
    bundle->inverse_mass[slot] = 0;
    if (is_new) renew(bundle, lane / MOTE_GROUP);
    return MOTE_OK;
}

mote_result mote_bundle_remove_pin(mote_bundle *bundle, uint32_t lane, uint32_t point) {
    const uint32_t slot = mote_bundle_slot_of(bundle, lane, point), place = place_of(bundle, slot);
    if (!is_pin(bundle, place, slot)) return MOTE_ERROR_RANGE;
    mote_pin *pin = bundle->pins + place;
    memmove(pin, pin + 1, (--bundle->pin_count - place) * sizeof *pin);
    bundle->inverse_mass[slot] = bundle->point_inverse_mass[lane];
    for (int axis = 0; axis < 3; axis++) bundle->reaction[axis][slot] = 0;
    renew(bundle, lane / MOTE_GROUP);
    return MOTE_OK;
}
