/* Layout of the columns of strands in their memory. */
#include "base/arena.h"
#include "strands/strands.h"

static void take_slots(mote_arena *a, mote_strands *strands, bool interpolates) {
    const uint64_t slots = strands->range.slot_count;
    for (int axis = 0; axis < 3; axis++) strands->range.x[axis] = mote_arena_take(a, slots, sizeof(float));
    if (strands->def.solver != MOTE_STRAND_SPRINGS)
        for (int axis = 0; axis < 3; axis++)
            strands->relative_x[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) strands->range.v[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3 && interpolates; axis++)
        strands->range.previous_x[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3 && interpolates && strands->def.solver != MOTE_STRAND_SPRINGS; axis++)
        strands->previous_low[axis] = mote_arena_take(a, slots, sizeof(float));
    if (strands->def.solver != MOTE_STRAND_SPRINGS) {
        for (int axis = 0; axis < 3; axis++)
            strands->friction[axis] = mote_arena_take(a, slots, sizeof(float));
        strands->pressure = mote_arena_take(a, slots, sizeof(float));
    }
    strands->range.inverse_mass = mote_arena_take(a, slots, sizeof(float));
    strands->rest_length = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) strands->rest_x[axis] = mote_arena_take(a, slots, sizeof(float));
    if (strands->has_masses || strands->has_rods) strands->mass = mote_arena_take(a, slots, sizeof(float));
    if (strands->has_rods) {
        strands->joint_stiffness = mote_arena_take(a, slots, sizeof(float));
        strands->inverse_length = mote_arena_take(a, slots, sizeof(float));
        strands->tension = mote_arena_take(a, slots, sizeof(float));
    }
    if (strands->has_frames) {
        strands->joint_twist = mote_arena_take(a, slots, sizeof(float));
        strands->joint_across =
            strands->has_flat_rods ? mote_arena_take(a, slots, sizeof(float)) : strands->joint_stiffness;
        for (int i = 0; i < 3; i++) strands->rest_turn[i] = mote_arena_take(a, slots, sizeof(float));
        for (int i = 0; i < 4; i++) strands->rest_frame[i] = mote_arena_take(a, slots, sizeof(float));
        for (int i = 0; i < 4; i++) strands->frame[i] = mote_arena_take(a, slots, sizeof(float));
        for (int i = 0; i < 4 && interpolates; i++)
            strands->previous_frame[i] = mote_arena_take(a, slots, sizeof(float));
    }
    for (int axis = 0; axis < 3; axis++)
        strands->range.reaction[axis] = mote_arena_take(a, slots, sizeof(float));
}

static void take_lanes(mote_arena *a, mote_strands *strands, bool interpolates) {
    const uint64_t lanes = strands->lane_count;
    strands->points = mote_arena_take(a, lanes, sizeof(int32_t));
    strands->point_inverse_mass = mote_arena_take(a, lanes, sizeof(float));
    strands->compliance = mote_arena_take(a, lanes, sizeof(float));
    for (int axis = 0; axis < 3 && strands->def.solver != MOTE_STRAND_SPRINGS; axis++)
        strands->origin[axis] = mote_arena_take(a, lanes, sizeof(float));
    for (int axis = 0; axis < 3; axis++) strands->root_rest[axis] = mote_arena_take(a, lanes, sizeof(float));
    for (int axis = 0; axis < 3 && strands->has_rods; axis++)
        strands->root_direction[axis] = mote_arena_take(a, lanes, sizeof(float));
    if (strands->has_frames) strands->curl_rate = mote_arena_take(a, lanes, sizeof(float));
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++)
        strands->root_from[i] = mote_arena_take(a, lanes, sizeof(float));
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++)
        strands->root_to[i] = mote_arena_take(a, lanes, sizeof(float));
    strands->root_from_tick = mote_arena_take(a, lanes, sizeof(uint64_t));
    strands->root_to_tick = mote_arena_take(a, lanes, sizeof(uint64_t));
    for (int i = 0; i < 4 && interpolates; i++)
        strands->root_before[i] = mote_arena_take(a, lanes, sizeof(float));
    for (int i = 0; i < 4; i++) strands->root_last[i] = mote_arena_take(a, lanes, sizeof(float));
    strands->strain = mote_arena_take(a, lanes, sizeof(float));
    strands->strain_sum = mote_arena_take(a, lanes, sizeof(float));
    strands->iterations = mote_arena_take(a, lanes, sizeof(uint32_t));
    strands->unsolved = mote_arena_take(a, lanes, sizeof(uint32_t));
    strands->fallbacks = mote_arena_take(a, lanes, sizeof(uint32_t));
    strands->buried = mote_arena_take(a, lanes, sizeof(uint32_t));
    strands->infeasible = mote_arena_take(a, lanes, sizeof(uint8_t));
    strands->stiff_curls = mote_arena_take(a, lanes, sizeof(uint8_t));
    strands->frozen = mote_arena_take(a, lanes, sizeof(uint8_t));
}

uint64_t mote_strands_place_columns(mote_strands *strands, bool interpolates) {
    mote_arena a = {strands->memory, 0};
    take_slots(&a, strands, interpolates);
    take_lanes(&a, strands, interpolates);
    strands->group = mote_arena_take(&a, strands->group_count, sizeof(mote_strand_group));
    strands->linked = mote_arena_take(&a, strands->group_count, sizeof(uint32_t));
    strands->range.pins.run = mote_arena_take(&a, strands->group_count, sizeof(mote_pin_run));
    strands->lane_of_strand = mote_arena_take(&a, strands->strand_count, sizeof(uint32_t));
    strands->strand_of_lane = mote_arena_take(&a, strands->lane_count, sizeof(uint32_t));
    strands->first_point = mote_arena_take(&a, (uint64_t)strands->strand_count + 1, sizeof(uint32_t));
    return a.bytes;
}
