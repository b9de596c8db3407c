/* Where the columns of a bundle lie in its memory. */
#include "data/arena.h"
#include "data/bundle.h"

static void take_slots(mote_arena *a, mote_bundle *bundle, bool interpolates) {
    const uint64_t slots = bundle->slot_count;
    for (int axis = 0; axis < 3; axis++) bundle->x[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->v[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3 && interpolates; axis++)
        bundle->previous_x[axis] = mote_arena_take(a, slots, sizeof(float));
    bundle->inverse_mass = mote_arena_take(a, slots, sizeof(float));
    bundle->rest_length = mote_arena_take(a, slots, sizeof(float));
    if (bundle->def.bend_stiffness > 0) bundle->bend_length = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->rest_x[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->reaction[axis] = mote_arena_take(a, slots, sizeof(float));
}

static void take_lanes(mote_arena *a, mote_bundle *bundle, bool interpolates) {
    const uint64_t lanes = bundle->lane_count;
    bundle->points = mote_arena_take(a, lanes, sizeof(int32_t));
    bundle->point_inverse_mass = mote_arena_take(a, lanes, sizeof(float));
    bundle->compliance = mote_arena_take(a, lanes, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->root_rest[axis] = mote_arena_take(a, lanes, sizeof(float));
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++)
        bundle->root_from[i] = mote_arena_take(a, lanes, sizeof(float));
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) bundle->root_to[i] = mote_arena_take(a, lanes, sizeof(float));
    bundle->root_from_tick = mote_arena_take(a, lanes, sizeof(uint64_t));
    bundle->root_to_tick = mote_arena_take(a, lanes, sizeof(uint64_t));
    bundle->root_pending = mote_arena_take(a, lanes, sizeof(uint8_t));
    for (int i = 0; i < 4 && interpolates; i++)
        bundle->root_before[i] = mote_arena_take(a, lanes, sizeof(float));
    for (int i = 0; i < 4; i++) bundle->root_last[i] = mote_arena_take(a, lanes, sizeof(float));
    bundle->stretch = mote_arena_take(a, lanes, sizeof(float));
    bundle->stretch_sum = mote_arena_take(a, lanes, sizeof(float));
    bundle->iterations = mote_arena_take(a, lanes, sizeof(uint32_t));
    bundle->capped = mote_arena_take(a, lanes, sizeof(uint32_t));
    bundle->fallbacks = mote_arena_take(a, lanes, sizeof(uint32_t));
    bundle->infeasible = mote_arena_take(a, lanes, sizeof(uint8_t));
    bundle->frozen = mote_arena_take(a, lanes, sizeof(uint8_t));
}

uint64_t mote_bundle_lay_out(mote_bundle *bundle, bool interpolates) {
    mote_arena a = {bundle->memory, 0};
    take_slots(&a, bundle, interpolates);
    take_lanes(&a, bundle, interpolates);
    bundle->group = mote_arena_take(&a, bundle->group_count, sizeof(mote_strand_group));
    bundle->lane_of_strand = mote_arena_take(&a, bundle->strand_count, sizeof(uint32_t));
    bundle->strand_of_lane = mote_arena_take(&a, bundle->lane_count, sizeof(uint32_t));
    bundle->first_point = mote_arena_take(&a, (uint64_t)bundle->strand_count + 1, sizeof(uint32_t));
    return a.bytes;
}
