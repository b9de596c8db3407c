/* Bundles: making, resting, roots. Strands are counted by length and dealt to lanes longest first, in linear
 * passes. */
#include "data/bundle.h"

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/hash.h"
#include "data/bundle_check.h"
#include "data/motion.h"

/* --- Making --- */

/* Deals strands to lanes: a counting sort, stable. */
static void sort_strands(mote_bundle *bundle, const mote_bundle_def *def, const mote_strand_census *census) {
    uint32_t next[MOTE_MAX_STRAND_POINTS + 1], lane = 0, point = 0;
    for (uint32_t points = MOTE_MAX_STRAND_POINTS; points >= MOTE_MIN_STRAND_POINTS; points--) {
        next[points] = lane;
        lane += census->of[points];
    }
    for (uint32_t strand = 0; strand < bundle->strand_count; strand++) {
        uint32_t points = mote_strand_points_of(def, strand);
        lane = next[points]++;
        bundle->lane_of_strand[strand] = lane;
        bundle->strand_of_lane[lane] = strand;
        bundle->points[lane] = (int32_t)points;
        bundle->first_point[strand] = point;
        point += points;
    }
    bundle->first_point[bundle->strand_count] = point;
    for (lane = bundle->strand_count; lane < bundle->lane_count; lane++)
        bundle->strand_of_lane[lane] = MOTE_NO_SLOT;
}

static void place_groups(mote_bundle *bundle) {
    uint32_t first = 0;
    for (uint32_t group = 0; group < bundle->group_count; group++) {
        uint32_t points = (uint32_t)bundle->points[group * MOTE_GROUP];
        bundle->group[group] = (mote_strand_group){.first = first, .points = points};
        first += points * MOTE_GROUP;
    }
}

/* Roots of empty lanes stand under the identity too: kernels divide by the square of a rotation. */
static void place_root(mote_bundle *bundle, uint32_t lane) {
    bundle->root_from[6][lane] = bundle->root_to[6][lane] = 1.0f;
}

static void mask_slots(mote_bundle *bundle, uint32_t lane) {
    for (uint32_t k = (uint32_t)bundle->points[lane]; k < bundle->group[lane / MOTE_GROUP].points; k++) {
        uint32_t slot = mote_bundle_slot_of(bundle, lane, k);
        bundle->rest_length[slot] = 1.0f;
        if (bundle->bend_length) bundle->bend_length[slot] = 1.0f;
    }
}

static void fill_strand(mote_bundle *bundle, const mote_bundle_def *def, uint32_t lane) {
    const uint32_t strand = bundle->strand_of_lane[lane], points = (uint32_t)bundle->points[lane];
    const float mass = mote_strand_value(def->strand_mass, def->mass, strand);
    const float rest_scale = mote_strand_value(def->strand_rest_scale, def->rest_scale, strand);
    const float *p = def->positions + 3 * (size_t)bundle->first_point[strand];
    const float inverse_mass = (float)((double)points / (double)mass);
    uint32_t slot = mote_bundle_slot_of(bundle, lane, 0);
    bundle->point_inverse_mass[lane] = inverse_mass;
    bundle->compliance[lane] = mote_strand_value(def->strand_compliance, def->compliance, strand);
    bundle->compliant |= bundle->compliance[lane] > 0;
    for (int axis = 0; axis < 3; axis++) bundle->root_rest[axis][lane] = p[axis];
    for (uint32_t k = 0; k < points; k++, slot += MOTE_GROUP, p += 3) {
        for (int axis = 0; axis < 3; axis++) bundle->rest_x[axis][slot] = p[axis];
        bundle->inverse_mass[slot] = k || def->free_roots ? inverse_mass : 0;
        bundle->rest_length[slot] = k + 1 < points ? mote_rest_length(p, p + 3, rest_scale) : 1.0f;
        if (bundle->bend_length)
            bundle->bend_length[slot] = k + 2 < points ? mote_rest_length(p, p + 6, rest_scale) : 1.0f;
    }
    mote_bundle_rest(bundle, lane);
}

static uint64_t stamp_of(const mote_bundle *bundle, const float *positions) {
    const uint64_t stamp =
        mote_hash_bytes(0, bundle->first_point, ((size_t)bundle->strand_count + 1) * sizeof(uint32_t));
    return mote_hash_bytes(stamp, positions, (size_t)bundle->point_count * 3 * sizeof *positions);
}

static void fill(mote_bundle *bundle, const mote_bundle_def *def, const mote_strand_census *census) {
    memset(bundle->memory, 0, bundle->bytes);
    sort_strands(bundle, def, census);
    place_groups(bundle);
    for (uint32_t lane = 0; lane < bundle->lane_count; lane++) {
        place_root(bundle, lane);
        if (lane < bundle->strand_count) fill_strand(bundle, def, lane);
        mask_slots(bundle, lane);
    }
    bundle->stamp = stamp_of(bundle, def->positions);
}

mote_result mote_bundle_make(mote_bundle *bundle, const mote_bundle_def *def, bool interpolates,
                             const mote_allocator *allocator, mote_bundle_fault *fault) {
    mote_strand_census census;
    mote_bundle_fault ignored;
    mote_result result = mote_bundle_check(def, &census, fault ? fault : &ignored);
    if (result) return result;
    uint32_t groups = (uint32_t)((census.strands + MOTE_GROUP - 1) / MOTE_GROUP);
    *bundle = (mote_bundle){.def = *def,
                            .strand_count = def->strand_count,
                            .point_count = (uint32_t)census.points,
                            .slot_count = (uint32_t)census.slots,
                            .group_count = groups,
                            .lane_count = groups * MOTE_GROUP,
                            .max_points = census.longest};
    bundle->def.positions = bundle->def.strand_mass = bundle->def.strand_rest_scale =
        bundle->def.strand_compliance = NULL;
    bundle->def.strand_points = NULL;
    uint64_t bytes = mote_bundle_lay_out(bundle, interpolates);
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    bundle->bytes = (size_t)bytes;
    bundle->memory = mote_allocate(allocator, bundle->bytes);
    if (!bundle->memory) return MOTE_ERROR_MEMORY;
    mote_bundle_lay_out(bundle, interpolates);
    fill(bundle, def, &census);
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

static void rest_point(mote_bundle *bundle, uint32_t slot, const float row[12]) {
    const float b[3] = {bundle->rest_x[0][slot], bundle->rest_x[1][slot], bundle->rest_x[2][slot]};
    for (int axis = 0; axis < 3; axis++) {
        const float *r = row + 4 * axis;
        bundle->x[axis][slot] = r[0] * b[0] + r[1] * b[1] + r[2] * b[2] + r[3];
        bundle->v[axis][slot] = bundle->reaction[axis][slot] = 0;
        if (bundle->previous_x[axis]) bundle->previous_x[axis][slot] = axis ? 0 : NAN;
    }
}

static void rest_pins(mote_bundle *bundle, uint32_t lane) {
    const mote_strand_group *group = &bundle->group[lane / MOTE_GROUP];
    for (uint32_t i = group->first_pin; i < group->first_pin + group->pin_count; i++) {
        mote_pin *pin = &bundle->pins[i];
        for (int axis = 0; axis < 3 && pin->lane == lane; axis++)
            bundle->x[axis][pin->slot] = pin->from[axis] = pin->to[axis];
    }
}

void mote_bundle_rest(mote_bundle *bundle, uint32_t lane) {
    float row[12];
    matrix_of(bundle->root_to, lane, row);
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) bundle->root_from[i][lane] = bundle->root_to[i][lane];
    for (int i = 0; i < 4; i++) {
        bundle->root_last[i][lane] = bundle->root_to[3 + i][lane];
        if (bundle->root_before[i]) bundle->root_before[i][lane] = bundle->root_to[3 + i][lane];
    }
    uint32_t slot = mote_bundle_slot_of(bundle, lane, 0);
    for (int32_t k = 0; k < bundle->points[lane]; k++, slot += MOTE_GROUP) rest_point(bundle, slot, row);
    rest_pins(bundle, lane);
    bundle->stretch[lane] = bundle->stretch_sum[lane] = 0;
    bundle->iterations[lane] = bundle->capped[lane] = bundle->fallbacks[lane] = 0;
    bundle->infeasible[lane] = bundle->frozen[lane] = 0;
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

void mote_bundle_aim_root(mote_bundle *bundle, uint32_t lane, const mote_transform *target, uint64_t now,
                          uint64_t tick) {
    mote_motion motion = {.from = load_root(bundle->root_from, lane),
                          .to = load_root(bundle->root_to, lane),
                          .from_tick = bundle->root_from_tick[lane],
                          .to_tick = bundle->root_to_tick[lane],
                          .pending = bundle->root_pending[lane] != 0};
    mote_motion_target(&motion, now, target, tick);
    store_root(bundle->root_from, lane, &motion.from);
    store_root(bundle->root_to, lane, &motion.to);
    bundle->root_from_tick[lane] = motion.from_tick;
    bundle->root_to_tick[lane] = motion.to_tick;
    bundle->root_pending[lane] = motion.pending;
}

/* A target set at tick `at` has not turned the root yet, wherever it leads and even if its tick has passed:
 * the root stands as the step before left it. */
static void turn_at(const mote_bundle *bundle, uint32_t lane, uint64_t at, float turn[4]) {
    const uint64_t from_tick = bundle->root_from_tick[lane];
    const float f = mote_motion_fraction(from_tick, bundle->root_to_tick[lane], at, 0);
    for (int i = 0; i < 4; i++) {
        const float from = bundle->root_from[3 + i][lane];
        turn[i] = (int64_t)(at - from_tick) <= 0 ? bundle->root_last[i][lane]
                                                 : from + f * (bundle->root_to[3 + i][lane] - from);
    }
}

/* Targets that follow one another at one boundary may lead to the other side: q and -q are one rotation. */
void mote_bundle_keep_turns(mote_bundle *bundle, uint64_t begin, uint64_t end) {
    for (uint32_t lane = 0; lane < bundle->strand_count; lane++) {
        float before[4], last[4], dot = 0;
        turn_at(bundle, lane, begin, before);
        turn_at(bundle, lane, end, last);
        for (int i = 0; i < 4; i++) dot += before[i] * last[i];
        for (int i = 0; i < 4; i++) {
            if (bundle->root_before[i]) bundle->root_before[i][lane] = before[i];
            bundle->root_last[i][lane] = dot < 0 ? -last[i] : last[i];
        }
    }
}

void mote_bundle_resolve(mote_bundle *bundle, uint64_t end_tick) {
    for (uint32_t lane = 0; lane < bundle->strand_count; lane++)
        if (bundle->root_pending[lane]) {
            bundle->root_to_tick[lane] = end_tick;
            bundle->root_pending[lane] = 0;
        }
    for (uint32_t i = 0; i < bundle->pin_count; i++) {
        mote_pin *pin = &bundle->pins[i];
        if (pin->pending) pin->to_tick = end_tick;
        pin->pending = false;
    }
}
