/* Where the columns of a bundle lie in its memory. */
#include "data/bundle.h"

/* As in the loose range: large columns start five cache lines apart from the same set of the first-level cache. */
#define STAGGER ((uint64_t)5 * MOTE_CACHE_LINE)
#define LARGE 4096u

typedef struct cursor {
    unsigned char *memory; /* NULL: only measured */
    uint64_t bytes;
} cursor;

static void *take(cursor *c, uint64_t count, size_t element) {
    uint64_t bytes = count * element;
    void *at = c->memory ? c->memory + c->bytes : NULL;
    c->bytes += (bytes + MOTE_CACHE_LINE - 1) / MOTE_CACHE_LINE * MOTE_CACHE_LINE + (bytes < LARGE ? 0 : STAGGER);
    return at;
}

static void take_slots(cursor *c, mote_bundle *bundle, bool interpolates) {
    const uint64_t slots = bundle->slot_count;
    for (int axis = 0; axis < 3; axis++) bundle->x[axis] = take(c, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->v[axis] = take(c, slots, sizeof(float));
    for (int axis = 0; axis < 3 && interpolates; axis++) bundle->previous_x[axis] = take(c, slots, sizeof(float));
    bundle->inverse_mass = take(c, slots, sizeof(float));
    bundle->rest_length = take(c, slots, sizeof(float));
    if (bundle->def.bend_stiffness > 0) bundle->bend_length = take(c, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->rest_x[axis] = take(c, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->reaction[axis] = take(c, slots, sizeof(float));
}

static void take_lanes(cursor *c, mote_bundle *bundle, bool interpolates) {
    const uint64_t lanes = bundle->lane_count;
    bundle->points = take(c, lanes, sizeof(int32_t));
    bundle->point_inverse_mass = take(c, lanes, sizeof(float));
    bundle->compliance = take(c, lanes, sizeof(float));
    for (int axis = 0; axis < 3; axis++) bundle->root_rest[axis] = take(c, lanes, sizeof(float));
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) bundle->root_from[i] = take(c, lanes, sizeof(float));
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) bundle->root_to[i] = take(c, lanes, sizeof(float));
    bundle->root_from_tick = take(c, lanes, sizeof(uint64_t));
    bundle->root_to_tick = take(c, lanes, sizeof(uint64_t));
    bundle->root_pending = take(c, lanes, sizeof(uint8_t));
    for (int i = 0; i < 4 && interpolates; i++) bundle->root_before[i] = take(c, lanes, sizeof(float));
    for (int i = 0; i < 4; i++) bundle->root_last[i] = take(c, lanes, sizeof(float));
    bundle->stretch = take(c, lanes, sizeof(float));
    bundle->stretch_sum = take(c, lanes, sizeof(float));
    bundle->iterations = take(c, lanes, sizeof(uint32_t));
    bundle->capped = take(c, lanes, sizeof(uint32_t));
    bundle->fallbacks = take(c, lanes, sizeof(uint32_t));
    bundle->infeasible = take(c, lanes, sizeof(uint8_t));
    bundle->frozen = take(c, lanes, sizeof(uint8_t));
}

uint64_t mote_bundle_lay_out(mote_bundle *bundle, bool interpolates) {
    cursor c = {bundle->memory, 0};
    take_slots(&c, bundle, interpolates);
    take_lanes(&c, bundle, interpolates);
    bundle->group = take(&c, bundle->group_count, sizeof(mote_strand_group));
    bundle->lane_of_strand = take(&c, bundle->strand_count, sizeof(uint32_t));
    bundle->strand_of_lane = take(&c, bundle->lane_count, sizeof(uint32_t));
    bundle->first_point = take(&c, (uint64_t)bundle->strand_count + 1, sizeof(uint32_t));
    return c.bytes;
}
