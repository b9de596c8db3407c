/* Bundles: making, resting, roots. Strands are counted by length and dealt to lanes longest first, in linear
 * passes. */
#include "strands/strands.h"

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/hash.h"
#include "strands/check.h"
#include "contacts/motion.h"

/* --- Making --- */

/* Deals strands to lanes: a counting sort, stable. */
static void sort_strands(mote_strands *strands, const mote_strands_def *def,
                         const mote_strand_counts *census) {
    uint32_t next[MOTE_MAX_STRAND_POINTS + 1], lane = 0, point = 0;
    for (uint32_t points = MOTE_MAX_STRAND_POINTS; points >= MOTE_MIN_STRAND_POINTS; points--) {
        next[points] = lane;
        lane += census->of[points];
    }
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        uint32_t points = mote_strand_points_of(def, strand);
        lane = next[points]++;
        strands->lane_of_strand[strand] = lane;
        strands->strand_of_lane[lane] = strand;
        strands->points[lane] = (int32_t)points;
        strands->first_point[strand] = point;
        point += points;
    }
    strands->first_point[strands->strand_count] = point;
    for (lane = strands->strand_count; lane < strands->lane_count; lane++)
        strands->strand_of_lane[lane] = MOTE_NO_SLOT;
}

static void place_groups(mote_strands *strands) {
    uint32_t first = 0;
    for (uint32_t group = 0; group < strands->group_count; group++) {
        uint32_t points = (uint32_t)strands->points[group * MOTE_GROUP];
        strands->group[group] = (mote_strand_group){.first = first, .points = points};
        first += points * MOTE_GROUP;
    }
}

/* Roots of empty lanes stand under the identity too: kernels divide by the square of a rotation. */
static void place_root(mote_strands *strands, uint32_t lane) {
    strands->root_from[6][lane] = strands->root_to[6][lane] = 1.0f;
}

static void mask_slots(mote_strands *strands, uint32_t lane) {
    for (uint32_t k = (uint32_t)strands->points[lane]; k < strands->group[lane / MOTE_GROUP].points; k++) {
        uint32_t slot = mote_strands_slot_of(strands, lane, k);
        strands->rest_length[slot] = 1.0f;
        if (strands->bend_length) strands->bend_length[slot] = 1.0f;
    }
}

static void fill_strand(mote_strands *strands, const mote_strands_def *def, uint32_t lane) {
    const uint32_t strand = strands->strand_of_lane[lane], points = (uint32_t)strands->points[lane];
    const float mass = mote_strand_value(def->strand_mass, def->mass, strand);
    const float rest_scale = mote_strand_value(def->strand_rest_scale, def->rest_scale, strand);
    const float *p = def->positions + 3 * (size_t)strands->first_point[strand];
    const float inverse_mass = (float)((double)points / (double)mass);
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    strands->point_inverse_mass[lane] = inverse_mass;
    strands->compliance[lane] = mote_strand_value(def->strand_compliance, def->compliance, strand);
    strands->compliant |= strands->compliance[lane] > 0;
    for (int axis = 0; axis < 3; axis++) strands->root_rest[axis][lane] = p[axis];
    for (uint32_t k = 0; k < points; k++, slot += MOTE_GROUP, p += 3) {
        for (int axis = 0; axis < 3; axis++) strands->rest_x[axis][slot] = p[axis];
        strands->inverse_mass[slot] = k || def->free_roots ? inverse_mass : 0;
        strands->rest_length[slot] = k + 1 < points ? mote_rest_length(p, p + 3, rest_scale) : 1.0f;
        if (strands->bend_length)
            strands->bend_length[slot] = k + 2 < points ? mote_rest_length(p, p + 6, rest_scale) : 1.0f;
    }
    mote_strands_rest(strands, lane);
}

static uint64_t stamp_of(const mote_strands *strands, const float *positions) {
    const uint64_t stamp =
        mote_hash_bytes(0, strands->first_point, ((size_t)strands->strand_count + 1) * sizeof(uint32_t));
    return mote_hash_bytes(stamp, positions, (size_t)strands->point_count * 3 * sizeof *positions);
}

static void fill(mote_strands *strands, const mote_strands_def *def, const mote_strand_counts *census) {
    memset(strands->memory, 0, strands->bytes);
    sort_strands(strands, def, census);
    place_groups(strands);
    for (uint32_t lane = 0; lane < strands->lane_count; lane++) {
        place_root(strands, lane);
        if (lane < strands->strand_count) fill_strand(strands, def, lane);
        mask_slots(strands, lane);
    }
    strands->stamp = stamp_of(strands, def->positions);
}

mote_result mote_strands_make(mote_strands *strands, const mote_strands_def *def, bool interpolates,
                              const mote_allocator *allocator, mote_strands_fault *fault) {
    mote_strand_counts census;
    mote_strands_fault ignored;
    mote_result result = mote_strands_check(def, &census, fault ? fault : &ignored);
    if (result) return result;
    uint32_t groups = (uint32_t)((census.strands + MOTE_GROUP - 1) / MOTE_GROUP);
    *strands = (mote_strands){.def = *def,
                              .strand_count = def->strand_count,
                              .point_count = (uint32_t)census.points,
                              .slot_count = (uint32_t)census.slots,
                              .group_count = groups,
                              .lane_count = groups * MOTE_GROUP,
                              .max_points = census.longest};
    strands->def.positions = strands->def.strand_mass = strands->def.strand_rest_scale =
        strands->def.strand_compliance = NULL;
    strands->def.strand_points = NULL;
    uint64_t bytes = mote_strands_place_columns(strands, interpolates);
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    strands->bytes = (size_t)bytes;
    strands->memory = mote_allocate(allocator, strands->bytes);
    if (!strands->memory) return MOTE_ERROR_MEMORY;
    mote_strands_place_columns(strands, interpolates);
    fill(strands, def, &census);
    return MOTE_OK;
}

/* --- Resting --- */

/* The matrix of a rotation (rows) and the position behind each: the arithmetic of the kernels, so that a
 * strand that rests stands where its root puts it. */
static void matrix_of(float *const root[MOTE_ROOT_COLUMNS], uint32_t lane, float row[12]) {
    const float x = root[3][lane], y = root[4][lane], z = root[5][lane], w = root[6][lane];
    const float scale = 2.0f / (x * x + y * y + z * z + w * w);
    const float of[12] = {1.0f - scale * (y * y + z * z), scale * (x * y - z * w),
                          scale * (x * z + y * w),        root[0][lane],
                          scale * (x * y + z * w),        1.0f - scale * (x * x + z * z),
                          scale * (y * z - x * w),        root[1][lane],
                          scale * (x * z - y * w),        scale * (y * z + x * w),
                          1.0f - scale * (x * x + y * y), root[2][lane]};
    memcpy(row, of, sizeof of);
}

static void rest_point(mote_strands *strands, uint32_t slot, const float row[12]) {
    const float b[3] = {strands->rest_x[0][slot], strands->rest_x[1][slot], strands->rest_x[2][slot]};
    for (int axis = 0; axis < 3; axis++) {
        const float *r = row + 4 * axis;
        strands->x[axis][slot] = r[0] * b[0] + r[1] * b[1] + r[2] * b[2] + r[3];
        strands->v[axis][slot] = strands->reaction[axis][slot] = 0;
        if (strands->previous_x[axis]) strands->previous_x[axis][slot] = axis ? 0 : NAN;
    }
}

static void rest_pins(mote_strands *strands, uint32_t lane) {
    const mote_strand_group *group = &strands->group[lane / MOTE_GROUP];
    for (uint32_t i = group->first_pin; i < group->first_pin + group->pin_count; i++) {
        mote_pin *pin = &strands->pins[i];
        for (int axis = 0; axis < 3 && pin->lane == lane; axis++)
            strands->x[axis][pin->slot] = pin->from[axis] = pin->to[axis];
    }
}

void mote_strands_rest(mote_strands *strands, uint32_t lane) {
    float row[12];
    matrix_of(strands->root_to, lane, row);
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) strands->root_from[i][lane] = strands->root_to[i][lane];
    for (int i = 0; i < 4; i++) {
        strands->root_last[i][lane] = strands->root_to[3 + i][lane];
        if (strands->root_before[i]) strands->root_before[i][lane] = strands->root_to[3 + i][lane];
    }
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    for (int32_t k = 0; k < strands->points[lane]; k++, slot += MOTE_GROUP) rest_point(strands, slot, row);
    rest_pins(strands, lane);
    strands->stretch[lane] = strands->stretch_sum[lane] = 0;
    strands->iterations[lane] = strands->capped[lane] = strands->fallbacks[lane] = 0;
    strands->infeasible[lane] = strands->frozen[lane] = 0;
}

/* --- Roots --- */

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
                          .from_tick = strands->root_from_tick[lane],
                          .to_tick = strands->root_to_tick[lane],
                          .pending = strands->root_pending[lane] != 0};
    mote_motion_target(&motion, now, target, tick);
    store_root(strands->root_from, lane, &motion.from);
    store_root(strands->root_to, lane, &motion.to);
    strands->root_from_tick[lane] = motion.from_tick;
    strands->root_to_tick[lane] = motion.to_tick;
    strands->root_pending[lane] = motion.pending;
}

/* A target set at tick `at` has not turned the root yet, wherever it leads and even if its tick has passed:
 * the root stands as the step before left it. */
static void turn_at(const mote_strands *strands, uint32_t lane, uint64_t at, float turn[4]) {
    const uint64_t from_tick = strands->root_from_tick[lane];
    const float f = mote_motion_fraction(from_tick, strands->root_to_tick[lane], at, 0);
    for (int i = 0; i < 4; i++) {
        const float from = strands->root_from[3 + i][lane];
        turn[i] = (int64_t)(at - from_tick) <= 0 ? strands->root_last[i][lane]
                                                 : from + f * (strands->root_to[3 + i][lane] - from);
    }
}

/* Targets that follow one another at one boundary may lead to the other side: q and -q are one rotation. */
void mote_strands_keep_rotations(mote_strands *strands, uint64_t begin, uint64_t end) {
    for (uint32_t lane = 0; lane < strands->strand_count; lane++) {
        float before[4], last[4], dot = 0;
        turn_at(strands, lane, begin, before);
        turn_at(strands, lane, end, last);
        for (int i = 0; i < 4; i++) dot += before[i] * last[i];
        for (int i = 0; i < 4; i++) {
            if (strands->root_before[i]) strands->root_before[i][lane] = before[i];
            strands->root_last[i][lane] = dot < 0 ? -last[i] : last[i];
        }
    }
}

void mote_strands_resolve(mote_strands *strands, uint64_t end_tick) {
    for (uint32_t lane = 0; lane < strands->strand_count; lane++)
        if (strands->root_pending[lane]) {
            strands->root_to_tick[lane] = end_tick;
            strands->root_pending[lane] = 0;
        }
    for (uint32_t i = 0; i < strands->pin_count; i++) {
        mote_pin *pin = &strands->pins[i];
        if (pin->pending) pin->to_tick = end_tick;
        pin->pending = false;
    }
}
