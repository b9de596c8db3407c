/* Pins of strands, and the spans between neighbouring pins of a strand. */
#include <string.h>

#include "base/allocator.h"
#include "strands/strands.h"

static float length_between(const mote_strands *strands, uint32_t first_slot, uint32_t last_slot) {
    double sum = 0;
    for (uint32_t slot = first_slot; slot < last_slot; slot += MOTE_GROUP)
        sum += (double)strands->rest_length[slot];
    return (float)sum;
}

/* Writes the spans of one group to `spans` unless that is NULL; returns their number. A pinned root begins a
 * span. */
static uint32_t find_spans(const mote_strands *strands, uint32_t group, mote_span_of_pins *spans) {
    const mote_pin_list *pins = &strands->range.pins;
    const mote_pin_run run = pins->run[group];
    uint32_t last[MOTE_GROUP], count = 0;
    for (uint32_t i = 0; i < MOTE_GROUP; i++)
        last[i] = strands->def.free_roots ? MOTE_NO_SLOT : strands->group[group].first + i;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const uint32_t slot = pins->pins[i].slot, lane = mote_strands_lane_of(strands, group, slot);
        uint32_t *before = &last[lane % MOTE_GROUP];
        if (*before != MOTE_NO_SLOT && spans)
            spans[count] = (mote_span_of_pins){lane, *before, slot, length_between(strands, *before, slot)};
        count += *before != MOTE_NO_SLOT;
        *before = slot;
    }
    return count;
}

/* Updates the spans' places in their groups after an edit in `edited`. Groups without spans have 0 and 0. */
static void assign_spans(mote_strands *strands, uint32_t edited) {
    strands->group[edited].first_span = strands->group[edited].span_count = 0;
    for (uint32_t i = 0; i < strands->span_count; i++) {
        mote_strand_group *group = &strands->group[strands->spans[i].lane / MOTE_GROUP];
        const bool first =
            i == 0 || strands->spans[i - 1].lane / MOTE_GROUP != strands->spans[i].lane / MOTE_GROUP;
        if (first) group->first_span = i, group->span_count = 0;
        group->span_count++;
    }
}

/* Updates the spans after an edit of the pins of a group; only the spans of that group are measured again. */
static void update_spans(mote_strands *strands, uint32_t group) {
    const uint32_t old = strands->group[group].span_count, count = find_spans(strands, group, NULL);
    uint32_t first = 0;
    while (first < strands->span_count && strands->spans[first].lane / MOTE_GROUP < group) first++;
    memmove(strands->spans + first + count, strands->spans + first + old,
            (strands->span_count - first - old) * sizeof *strands->spans);
    find_spans(strands, group, strands->spans + first);
    strands->span_count += count - old;
    assign_spans(strands, group);
}

void mote_strands_find_spans(mote_strands *strands) {
    strands->span_count = 0;
    for (uint32_t group = 0; group < strands->group_count; group++) {
        mote_strand_group *g = &strands->group[group];
        const uint32_t count = strands->range.pins.run[group].count
                                   ? find_spans(strands, group, strands->spans + strands->span_count)
                                   : 0;
        g->first_span = count ? strands->span_count : 0;
        g->span_count = count;
        strands->span_count += count;
    }
}

mote_result mote_strands_add_pin(mote_strands *strands, uint32_t lane, uint32_t point, const float target[3],
                                 uint64_t now, uint64_t tick, const mote_allocator *allocator) {
    mote_range *range = &strands->range;
    const uint32_t slot = mote_strands_slot_of(strands, lane, point);
    mote_pin pin = {.slot = slot,
                    .unit = lane / MOTE_GROUP,
                    .to = {target[0], target[1], target[2]},
                    .travel = {now, tick}};
    const bool is_new = range->inverse_mass[slot] != 0;
    mote_strands_low_part(strands, lane, slot, pin.from_low);
    const size_t bytes = MOTE_MAX_STRANDS_PINS * sizeof *strands->spans;
    if (!strands->spans) strands->spans = mote_allocate(allocator, bytes);
    if (!strands->spans) return MOTE_ERROR_MEMORY;
    const mote_result result = mote_range_pin(range, pin, allocator);
    if (result && !range->pins.pins) {
        mote_release(allocator, strands->spans, bytes);
        strands->spans = NULL;
    }
    if (result == MOTE_OK && is_new) update_spans(strands, pin.unit);
    return result;
}

mote_result mote_strands_remove_pin(mote_strands *strands, uint32_t lane, uint32_t point) {
    const uint32_t slot = mote_strands_slot_of(strands, lane, point), group = lane / MOTE_GROUP;
    const mote_result result =
        mote_range_unpin(&strands->range, group, slot, mote_strands_free_inverse_mass(strands, lane, slot));
    if (result == MOTE_OK) update_spans(strands, group);
    return result;
}
