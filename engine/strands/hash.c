/* Hash of strands, in the host's numbering. */
#include "base/hash.h"

#include "strands/equilibrium.h"

/* Hashes the points of one strand in a column, from the root on. */
static uint64_t hash_run(uint64_t hash, const mote_strands *strands, uint32_t lane, const float *column) {
    float run[MOTE_MAX_STRAND_POINTS];
    const uint32_t points = (uint32_t)strands->points[lane];
    if (!column) return hash;
    column += mote_strands_slot_of(strands, lane, 0);
    for (uint32_t k = 0; k < points; k++) run[k] = column[k * MOTE_GROUP];
    return mote_hash_words(hash, run, points * sizeof *run);
}

/* Finds the low parts of the places of a strand. The columns kept for them are no state. */
static void find_low_parts(const mote_strands *strands, uint32_t lane, float low[3][MOTE_MAX_STRAND_POINTS]) {
    for (uint32_t k = 0; k < (uint32_t)strands->points[lane]; k++) {
        float of[3];
        mote_strands_low_part(strands, lane, mote_strands_slot_of(strands, lane, k), of);
        for (int axis = 0; axis < 3; axis++) low[axis][k] = of[axis];
    }
}

static uint64_t hash_rotation(uint64_t hash, float *const rotation[4], uint32_t lane) {
    if (!rotation[0]) return hash;
    const float of[4] = {rotation[0][lane], rotation[1][lane], rotation[2][lane], rotation[3][lane]};
    return mote_hash_words(hash, of, sizeof of);
}

static uint64_t hash_strand(uint64_t hash, const mote_strands *strands, uint32_t lane) {
    float root[2 * MOTE_ROOT_COLUMNS + 2] = {strands->point_inverse_mass[lane], strands->compliance[lane]};
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) {
        root[2 + i] = strands->root_from[i][lane];
        root[2 + MOTE_ROOT_COLUMNS + i] = strands->root_to[i][lane];
    }
    hash = mote_hash_words(mote_hash_number(hash, (uint64_t)strands->points[lane]), root, sizeof root);
    const mote_travel travel = mote_strands_root_travel(strands, lane);
    hash = mote_hash_number(mote_hash_number(hash, travel.from_tick), travel.to_tick);
    hash = mote_hash_number(hash, mote_travel_is_pending(travel.to_tick) + 2u * strands->frozen[lane]);
    hash = hash_rotation(hash_rotation(hash, strands->root_before, lane), strands->root_last, lane);
    float low[3][MOTE_MAX_STRAND_POINTS];
    if (strands->relative_x[0]) find_low_parts(strands, lane, low);
    for (int axis = 0; axis < 3; axis++) {
        hash = hash_run(hash, strands, lane, strands->range.x[axis]);
        if (strands->relative_x[0])
            hash = mote_hash_words(hash, low[axis], (size_t)strands->points[lane] * sizeof **low);
        hash = hash_run(hash, strands, lane, strands->range.v[axis]);
        hash = hash_run(hash, strands, lane, strands->range.previous_x[axis]);
        hash = hash_run(hash, strands, lane, strands->previous_low[axis]);
        hash = hash_run(hash, strands, lane, strands->rest_x[axis]);
    }
    hash = hash_run(hash, strands, lane, strands->range.inverse_mass);
    hash = hash_run(hash, strands, lane, strands->rest_length);
    hash = hash_run(hash, strands, lane, strands->mass);
    hash = hash_run(hash, strands, lane, strands->joint_stiffness);
    hash = hash_run(hash, strands, lane, strands->tension);
    for (int axis = 0; axis < 3 && strands->rubs; axis++)
        hash = hash_run(hash, strands, lane, strands->friction[axis]);
    if (strands->rubs) hash = hash_run(hash, strands, lane, strands->pressure);
    hash = hash_run(hash, strands, lane, strands->joint_twist);
    if (strands->has_flat_rods) hash = hash_run(hash, strands, lane, strands->joint_across);
    for (int i = 0; i < 4; i++) hash = hash_run(hash, strands, lane, strands->frame[i]);
    const bool given = strands->has_axes || mote_strands_rests_under_load(strands);
    for (int i = 0; i < 3 && given; i++) hash = hash_run(hash, strands, lane, strands->rest_turn[i]);
    for (int i = 0; i < 4; i++) hash = hash_run(hash, strands, lane, strands->previous_frame[i]);
    return hash;
}

static uint64_t hash_pin(const mote_strands *strands, const mote_pin *pin) {
    const uint32_t lane = mote_strands_lane_of(strands, pin->unit, pin->slot);
    const uint32_t point = (pin->slot - mote_strands_slot_of(strands, lane, 0)) / MOTE_GROUP;
    uint64_t hash = mote_hash_number(mote_hash_number(0, strands->strand_of_lane[lane]), point);
    if (strands->relative_x[0]) hash = mote_hash_words(hash, pin->from_low, sizeof pin->from_low);
    return mote_travel_hash(hash, pin->from, pin->to, sizeof pin->to, &pin->travel);
}

uint32_t mote_strands_count_items(const mote_range *range, bool springs) {
    return springs ? 0 : mote_const_strands_of(range)->strand_count;
}

uint64_t mote_strands_hash_items(const mote_range *range, bool springs, uint32_t first, uint32_t count) {
    (void)springs;
    const mote_strands *strands = mote_const_strands_of(range);
    uint64_t hash = 0, pins = 0;
    for (uint32_t strand = first; strand < first + count; strand++) {
        const uint32_t lane = strands->lane_of_strand[strand];
        hash = hash_strand(hash, strands, lane);
        const mote_pin_run run = range->pins.run[lane / MOTE_GROUP];
        for (uint32_t i = run.first; i < run.first + run.count; i++)
            if (mote_strands_lane_of(strands, lane / MOTE_GROUP, range->pins.pins[i].slot) == lane)
                pins += hash_pin(strands, &range->pins.pins[i]);
    }
    return mote_hash_number(hash, pins);
}

uint64_t mote_strands_hash_settings(const mote_range *range, uint64_t hash) {
    const mote_strands *strands = mote_const_strands_of(range);
    const mote_strands_def *def = &strands->def;
    const float settings[] = {def->damping,         def->pose_stiffness,  def->max_strain,
                              def->normal_drag,     def->tangential_drag, def->air_velocity[0],
                              def->air_velocity[1], def->air_velocity[2], def->radius,
                              def->friction};
    hash = mote_hash_number(mote_hash_number(hash, (uint64_t)def->solver), def->max_iterations);
    hash = mote_hash_number(mote_hash_number(hash, def->substeps), def->collide_from);
    hash = mote_hash_words(mote_hash_number(hash, def->free_roots), settings, sizeof settings);
    return mote_hash_number(mote_hash_number(hash, strands->strand_count), mote_strands_started(strands));
}

/* Returns the hash of pins and of the targets of roots. Columns are padded to whole lane groups. */
uint64_t mote_strands_hash_calls(mote_range *range, uint64_t hash) {
    const mote_strands *strands = mote_const_strands_of(range);
    const size_t lanes = strands->lane_count;
    uint64_t pins = 0;
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++)
        hash = mote_hash_pieces(hash, strands->root_to[i], lanes * sizeof *strands->root_to[i]);
    hash = mote_hash_pieces(hash, strands->root_to_tick, lanes * sizeof *strands->root_to_tick);
    for (uint32_t i = 0; i < range->pins.count; i++) pins += hash_pin(strands, &range->pins.pins[i]);
    return mote_hash_number(hash, pins);
}

/* Returns the hash in the host's numbering. Pins are added up, because their order is that of the slots.
 * Statistics and reactions are not state. */
uint64_t mote_strands_hash(const mote_range *range, uint64_t hash) {
    const mote_strands *strands = mote_const_strands_of(range);
    hash = mote_strands_hash_settings(range, hash);
    for (uint32_t strand = 0; strand < strands->strand_count; strand++)
        hash = hash_strand(hash, strands, strands->lane_of_strand[strand]);
    uint64_t pins = 0;
    for (uint32_t i = 0; i < range->pins.count; i++) pins += hash_pin(strands, &range->pins.pins[i]);
    return mote_hash_number(hash, pins);
}
