/* Roots of strands: their targets, and their rotations at the presented boundaries. */
#include "contacts/motion.h"
#include "strands/strands.h"

static mote_transform load_root(float *const column[MOTE_ROOT_COLUMNS], uint32_t lane) {
    mote_transform root;
    for (int i = 0; i < 3; i++) root.position[i] = column[i][lane];
    for (int i = 0; i < 4; i++) root.rotation[i] = column[3 + i][lane];
    return root;
}

static void store_root(float *const column[MOTE_ROOT_COLUMNS], uint32_t lane, const mote_transform *root) {
    for (int i = 0; i < 3; i++) column[i][lane] = root->position[i];
    for (int i = 0; i < 4; i++) column[3 + i][lane] = root->rotation[i];
}

void mote_strands_aim_root(mote_strands *strands, uint32_t lane, const mote_transform *target, uint64_t now,
                           uint64_t tick) {
    mote_motion motion = {.from = load_root(strands->root_from, lane),
                          .to = load_root(strands->root_to, lane),
                          .travel = mote_strands_root_travel(strands, lane)};
    mote_motion_target(&motion, now, target, tick);
    store_root(strands->root_from, lane, &motion.from);
    store_root(strands->root_to, lane, &motion.to);
    strands->root_from_tick[lane] = motion.travel.from_tick;
    strands->root_to_tick[lane] = motion.travel.to_tick;
}

/* Returns the rotation at tick `at`. A target set at that tick has not rotated the root yet, even if the
 * target's own tick has passed: the rotation is that at the end of the previous step. */
static void rotation_at(const mote_strands *strands, uint32_t lane, uint64_t at, float rotation[4]) {
    const mote_travel travel = mote_strands_root_travel(strands, lane);
    const float f = mote_travel_fraction(travel.from_tick, travel.to_tick, at, 0);
    for (int i = 0; i < 4; i++) {
        const float from = strands->root_from[3 + i][lane];
        rotation[i] = (int64_t)(at - travel.from_tick) <= 0
                          ? strands->root_last[i][lane]
                          : from + f * (strands->root_to[3 + i][lane] - from);
    }
}

/* Negates the later rotation where needed: targets that follow one another at one boundary may change the
 * hemisphere (q and -q are one rotation). */
void mote_strands_keep_rotations(mote_strands *strands, uint64_t begin, uint64_t end) {
    for (uint32_t lane = 0; lane < strands->strand_count; lane++) {
        float before[4], last[4], dot = 0;
        rotation_at(strands, lane, begin, before);
        rotation_at(strands, lane, end, last);
        for (int i = 0; i < 4; i++) dot += before[i] * last[i];
        for (int i = 0; i < 4; i++) {
            if (strands->root_before[i]) strands->root_before[i][lane] = before[i];
            strands->root_last[i][lane] = dot < 0 ? -last[i] : last[i];
        }
    }
}

void mote_strands_root_rotation(const mote_strands *strands, uint32_t lane, float alpha, float rotation[4]) {
    for (int i = 0; i < 4; i++) {
        const float last = strands->root_last[i][lane],
                    before = strands->root_before[i] ? strands->root_before[i][lane] : last;
        rotation[i] = before + alpha * (last - before);
    }
}

void mote_strands_resolve(mote_range *range, uint64_t end_tick) {
    mote_strands *strands = mote_strands_of(range);
    for (uint32_t lane = 0; lane < strands->strand_count; lane++)
        mote_travel_resolve(&strands->root_to_tick[lane], end_tick);
    mote_pins_resolve(&range->pins, end_tick);
}

void mote_strands_keep_arrivals(mote_range *range, uint64_t now) {
    mote_strands *strands = mote_strands_of(range);
    for (uint32_t lane = 0; lane < strands->strand_count; lane++)
        mote_travel_keep_arrival(&strands->root_from_tick[lane], &strands->root_to_tick[lane], now);
    mote_pins_keep_arrivals(&range->pins, now);
}
