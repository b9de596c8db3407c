/* Validator: all views of the state of strands agree (lanes, slots, pins and spans, links). */
#include "base/assert.h"
#include "strands/strands.h"

/* Strands and lanes refer to each other, and the first strand of a group is its longest. */
static bool lanes_are_valid(const mote_strands *s) {
    uint32_t slot = 0, strands = 0;
    for (uint32_t lane = 0; lane < s->lane_count; lane++) {
        const uint32_t strand = s->strand_of_lane[lane], points = (uint32_t)s->points[lane];
        const mote_strand_group *group = &s->group[lane / MOTE_GROUP];
        if (lane % MOTE_GROUP == 0) {
            MOTE_CLAIM(group->first == slot && group->points == points);
            slot += points * MOTE_GROUP;
        }
        MOTE_CLAIM(points <= group->points && (strand == MOTE_NO_SLOT) == (points == 0));
        if (strand == MOTE_NO_SLOT) continue;
        MOTE_CLAIM(strand < s->strand_count && s->lane_of_strand[strand] == lane);
        MOTE_CLAIM(s->first_point[strand + 1] - s->first_point[strand] == points);
        strands++;
    }
    return slot == s->range.slot_count && strands == s->strand_count &&
           s->first_point[s->strand_count] == s->point_count;
}

/* The reaction of a masked slot is not used and may have any value. */
static bool is_masked(const mote_strands *s, uint32_t slot) {
    const mote_range *r = &s->range;
    for (int axis = 0; axis < 3; axis++) MOTE_CLAIM(r->x[axis][slot] == 0 && r->v[axis][slot] == 0);
    return r->inverse_mass[slot] == 0 && s->rest_length[slot] == 1;
}

/* Inverse masses are 0 at roots, pins and masked slots, and nowhere else. */
static bool slots_are_valid(const mote_strands *s) {
    uint32_t pinned = 0;
    for (uint32_t lane = 0; lane < s->lane_count; lane++)
        for (uint32_t k = 0; k < s->group[lane / MOTE_GROUP].points; k++) {
            const uint32_t slot = mote_strands_slot_of(s, lane, k);
            const float inverse_mass = s->range.inverse_mass[slot];
            if (k >= (uint32_t)s->points[lane]) {
                MOTE_CLAIM(is_masked(s, slot));
                continue;
            }
            MOTE_CLAIM(inverse_mass == 0 || inverse_mass == mote_strands_free_inverse_mass(s, lane, slot));
            const bool root = k == 0 && !s->def.free_roots;
            MOTE_CLAIM(!root || inverse_mass == 0);
            pinned += !root && inverse_mass == 0;
        }
    return pinned == s->range.pins.count;
}

static bool pins_are_valid(const mote_strands *s) {
    const mote_pin_list *pins = &s->range.pins;
    MOTE_CLAIM(mote_pins_are_valid(pins, s->group_count));
    for (uint32_t i = 0; i < pins->count; i++) {
        const mote_pin *pin = &pins->pins[i];
        const mote_strand_group *group = &s->group[pin->unit];
        MOTE_CLAIM(pin->slot >= group->first && pin->slot < group->first + group->points * MOTE_GROUP);
        MOTE_CLAIM(s->range.inverse_mass[pin->slot] == 0);
    }
    return true;
}

/* Spans are sorted by group and connect pinned points of one strand. */
static bool spans_are_valid(const mote_strands *s) {
    uint32_t span = 0;
    for (uint32_t group = 0; group < s->group_count; group++) {
        const mote_strand_group *g = &s->group[group];
        MOTE_CLAIM(g->span_count == 0 || g->first_span == span);
        for (uint32_t k = 0; k < g->span_count; k++, span++) {
            const mote_span_of_pins *at = &s->spans[span];
            MOTE_CLAIM(at->lane / MOTE_GROUP == group && at->first_slot < at->last_slot);
            MOTE_CLAIM(mote_strands_lane_of(s, group, at->first_slot) == at->lane);
            MOTE_CLAIM(mote_strands_lane_of(s, group, at->last_slot) == at->lane);
            MOTE_CLAIM(s->range.inverse_mass[at->first_slot] == 0 &&
                       s->range.inverse_mass[at->last_slot] == 0);
        }
    }
    return span == s->span_count;
}

static bool links_are_valid(const mote_strands *s) {
    uint32_t links = 0;
    for (uint32_t i = 0; i < s->linked_count; i++) {
        const mote_strand_group *group = &s->group[s->linked[i]];
        MOTE_CLAIM(group->links > 0 && group->linked_work);
        links += group->links;
    }
    return links == s->range.link_count;
}

bool mote_strands_validate(const mote_range *range) {
    const mote_strands *s = mote_const_strands_of(range);
    return lanes_are_valid(s) && slots_are_valid(s) && pins_are_valid(s) && spans_are_valid(s) &&
           links_are_valid(s);
}
