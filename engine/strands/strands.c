/* Strands: creation and rest. Strands are counted by length and assigned to lanes longest first, in linear
 * passes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/isa.h"
#include "strands/check.h"
#include "strands/equilibrium.h"
#include "strands/kernels.h"
#include "strands/vertex.h"

MOTE_KERNEL_LOOKUP(mote_strand_kernels, mote_strand_kernels);
MOTE_KERNEL_LOOKUP(mote_strand_present_kernels, mote_strand_present_kernels);

/* --- Creation --- */

/* Strands whose roots are near each other are put into neighbouring lanes: they then touch the same colliders
 * together (measured: hair on a head 1.6 times as fast). Roots are compared by the Morton order of their
 * places in the box around all roots, 10 bits an axis. */
#define MORTON_BITS 10u

typedef struct root_box {
    const float *positions;
    float low[3], scale; /* scale: cells a metre */
} root_box;

static root_box box_of_roots(const mote_strands *strands, const mote_strands_def *def) {
    root_box box = {.positions = def->positions};
    float high[3], size = 0;
    for (int axis = 0; axis < 3; axis++) box.low[axis] = high[axis] = def->positions[axis];
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        const float *root = def->positions + 3 * (size_t)strands->first_point[strand];
        for (int axis = 0; axis < 3; axis++) {
            if (root[axis] < box.low[axis]) box.low[axis] = root[axis];
            if (root[axis] > high[axis]) high[axis] = root[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        const float half = 0.5f * high[axis] - 0.5f * box.low[axis];
        if (half > size) size = half;
    }
    box.scale = size > 1e-30f ? (float)((1u << MORTON_BITS) - 1) / size : 0;
    return box;
}

static uint32_t morton_of(const root_box *box, uint32_t first_point) {
    uint32_t key = 0, cell[3];
    for (int axis = 0; axis < 3; axis++)
        cell[axis] = (uint32_t)((0.5f * box->positions[3 * (size_t)first_point + (size_t)axis] -
                                 0.5f * box->low[axis]) *
                                box->scale);
    for (uint32_t bit = MORTON_BITS; bit-- > 0;)
        for (int axis = 0; axis < 3; axis++) key = key << 1 | (cell[axis] >> bit & 1);
    return key;
}

/* One pass of a stable counting sort (radix sort, least digit first): `from` by digit `digit` of the keys. */
static void sort_by_digit(const mote_strands *strands, const root_box *box, uint32_t digit,
                          const uint32_t *from, uint32_t *to) {
    enum { DIGITS = 1u << MORTON_BITS };
    uint32_t count[DIGITS + 1] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < strands->strand_count; i++) {
            const uint32_t key = morton_of(box, strands->first_point[from[i]]);
            const uint32_t value = key >> digit * MORTON_BITS & (DIGITS - 1);
            if (pass)
                to[count[value]++] = from[i];
            else
                count[value + 1]++;
        }
        for (uint32_t value = 0; value < DIGITS && !pass; value++) count[value + 1] += count[value];
    }
}

/* Assigns strands to lanes: longest first, strands of one length by the Morton order of their roots. */
static void sort_strands(mote_strands *strands, const mote_strands_def *def,
                         const mote_strand_counts *counts) {
    uint32_t next[MOTE_MAX_STRAND_POINTS + 1], lane = 0, point = 0;
    uint32_t *order = strands->strand_of_lane, *other = strands->lane_of_strand;
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        strands->first_point[strand] = point;
        point += mote_strand_points_of(def, strand);
        order[strand] = strand;
    }
    strands->first_point[strands->strand_count] = point;
    const root_box box = box_of_roots(strands, def);
    sort_by_digit(strands, &box, 0, order, other);
    sort_by_digit(strands, &box, 1, other, order);
    sort_by_digit(strands, &box, 2, order, other);
    for (uint32_t points = MOTE_MAX_STRAND_POINTS; points >= MOTE_MIN_STRAND_POINTS; points--) {
        next[points] = lane;
        lane += counts->of[points];
    }
    for (uint32_t i = 0; i < strands->strand_count; i++) {
        const uint32_t points = mote_strand_points_of(def, other[i]);
        strands->points[next[points]] = (int32_t)points;
        strands->strand_of_lane[next[points]++] = other[i];
    }
    for (lane = 0; lane < strands->strand_count; lane++)
        strands->lane_of_strand[strands->strand_of_lane[lane]] = lane;
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

/* Roots of empty lanes have the identity rotation too: kernels divide by the square of a rotation. */
static void set_identity(mote_strands *strands, uint32_t lane) {
    strands->root_from[6][lane] = strands->root_to[6][lane] = 1.0f;
}

static void mask_slots(mote_strands *strands, uint32_t lane) {
    for (uint32_t k = (uint32_t)strands->points[lane]; k < strands->group[lane / MOTE_GROUP].points; k++) {
        uint32_t slot = mote_strands_slot_of(strands, lane, k);
        strands->rest_length[slot] = 1.0f;
    }
}

static void fill_masses(mote_strands *strands, const mote_strands_def *def, uint32_t lane) {
    const uint32_t strand = strands->strand_of_lane[lane], points = (uint32_t)strands->points[lane];
    const float mass = mote_strand_value(def->strand_mass, def->mass, strand);
    const float equal = (float)((double)mass / (double)points);
    for (uint32_t k = 0; k < points; k++)
        strands->mass[mote_strands_slot_of(strands, lane, k)] =
            def->point_mass ? def->point_mass[strands->first_point[strand] + k] : equal;
}

/* Fills the columns of a rod. A joint stands for half of the segments on either side, the clamp for half of
 * the first one. */
static void fill_rod(mote_strands *strands, const mote_strands_def *def, uint32_t lane) {
    const uint32_t strand = strands->strand_of_lane[lane], points = (uint32_t)strands->points[lane];
    const float rest_scale = mote_strand_value(def->strand_rest_scale, def->rest_scale, strand);
    const uint32_t first = strands->first_point[strand];
    const float *p = def->positions + 3 * (size_t)first;
    double before = 0;
    for (uint32_t k = 0; k + 1 < points; k++, p += 3) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        const float length = mote_rest_length(p, p + 3, rest_scale);
        strands->inverse_length[slot] = 1.0f / length;
        const double joint = mote_strands_joint_stiffness((double)mote_strands_stiffness_at(def, first + k),
                                                          before, (double)length);
        strands->joint_stiffness[slot] = k || !(def->hinged_roots || def->free_roots) ? (float)joint : 0;
        if (strands->has_flat_rods)
            strands->joint_across[slot] = (float)(strands->joint_stiffness[slot] > 0
                                                      ? joint * (double)mote_strands_ratio_at(def, first + k)
                                                      : 0);
        if (k == 0)
            for (int axis = 0; axis < 3; axis++)
                strands->root_direction[axis][lane] =
                    (p[3 + axis] - p[axis]) * rest_scale * strands->inverse_length[slot];
        before = (double)length;
    }
}

/* Turns the frame q by the smallest rotation that takes the direction t to u; by half a turn about the
 * frame's first axis where they are opposite. */
static void transport_frame(double q[4], const double t[3], const double u[3]) {
    double turn[4], sum[4], norm = 0;
    turn[3] = 1 + t[0] * u[0] + t[1] * u[1] + t[2] * u[2];
    for (int i = 0; i < 3; i++) turn[i] = t[(i + 1) % 3] * u[(i + 2) % 3] - t[(i + 2) % 3] * u[(i + 1) % 3];
    if (turn[3] > 1e-6)
        mote_quaternion_compose(turn, q, sum);
    else
        mote_quaternion_compose(q, (const double[4]){1, 0, 0, 0}, sum);
    for (int i = 0; i < 4; i++) norm += sum[i] * sum[i];
    for (int i = 0; i < 4; i++) q[i] = sum[i] / __builtin_sqrt(norm);
}

/* Turns the frame q about its third axis, so that its first one points along `axis`, which is not parallel to
 * the third one. With the cosine x and the sine y of the angle the half of it has the cosine (1 + x) / 2 and
 * the sine (1 - x) / 2, squared; the larger one divides y / 2. */
static void turn_to_axis(double q[4], const float axis[3]) {
    const double to[3] = {(double)axis[0], (double)axis[1], (double)axis[2]},
                 old[4] = {q[0], q[1], q[2], q[3]};
    double first[3], second[3];
    mote_rest_turn(q, (const double[3]){1, 0, 0}, first);
    mote_rest_turn(q, (const double[3]){0, 1, 0}, second);
    double x = mote_rest_dot(to, first), y = mote_rest_dot(to, second);
    const double reach = __builtin_sqrt(x * x + y * y);
    x /= reach, y /= reach;
    const double larger = __builtin_sqrt((1 + __builtin_fabs(x)) / 2), other = y / (2 * larger);
    const double turn[4] = {0, 0, x < 0 ? larger : other, x < 0 ? other : larger};
    mote_quaternion_compose(old, turn, q);
}

/* Fills the frames of a rod at rest: along the axes of the def, or not twisted along it (Bishop's frames). */
static void fill_frames(mote_strands *strands, const mote_strands_def *def, uint32_t lane) {
    const uint32_t strand = strands->strand_of_lane[lane], points = (uint32_t)strands->points[lane];
    const uint32_t first = strands->first_point[strand];
    const float *p = def->positions + 3 * (size_t)first;
    double q[4] = {0, 0, 0, 1}, t[3] = {0, 0, 1}, before = 0;
    for (uint32_t k = 0; k + 1 < points; k++, p += 3) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        const double reach = (double)mote_rest_length(p, p + 3, 1),
                     length = (double)strands->rest_length[slot];
        double u[3], old[4], turn[4];
        for (int i = 0; i < 3; i++) u[i] = ((double)p[3 + i] - (double)p[i]) / reach;
        memcpy(old, q, sizeof old);
        transport_frame(q, t, u);
        if (def->point_axis) turn_to_axis(q, def->point_axis + 3 * (size_t)(first + k));
        for (int i = 0; i < 3; i++) old[i] = -old[i], t[i] = u[i];
        mote_quaternion_compose(old, q, turn);
        const double sign = turn[3] < 0 ? -2 : 2;
        for (int i = 0; i < 3; i++) strands->rest_turn[i][slot] = k ? (float)(sign * turn[i]) : 0;
        for (int i = 0; i < 4; i++) strands->rest_frame[i][slot] = (float)q[i];
        const double joint =
            mote_strands_joint_stiffness((double)mote_strands_twisting_at(def, first + k), before, length);
        strands->joint_twist[slot] = k || !def->free_roots ? (float)joint : 0;
        before = length;
    }
}

/* Smallest amplitude of a wave, rad, that counts: the mean curvature over its wave number; and the share of
 * the square of a wave number that adds to that of the curvature (rod_step.h). */
#define LEAST_WAVE 0.05
#define WAVE_SHARE 0.7

/* Returns the length of the rod whose curvature joint k stands for: between the middles of its segments. */
static double span_of_joint(const mote_strands *strands, uint32_t slot) {
    return ((double)strands->rest_length[slot - MOTE_GROUP] + (double)strands->rest_length[slot]) / 2;
}

/* Returns the square of the wave number of a rod's rest curvature: the mean (rms) of its second derivative
 * over its own, along the rod. It is 0 for arcs, and the square of the torsion for helices, of which the
 * components in frames that are not twisted along the rod are waves. A joint has the curvature of the middle
 * of its span, so that uneven segments of an even curve add no waves. */
static double square_of_waves(const mote_strands *strands, uint32_t lane) {
    const uint32_t points = (uint32_t)strands->points[lane];
    double curvature = 0, second = 0, length = 0;
    for (uint32_t k = 2; k + 2 < points; k++) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k), before = slot - MOTE_GROUP,
                       next = slot + MOTE_GROUP;
        const double span = span_of_joint(strands, slot), back = span_of_joint(strands, before),
                     ahead = span_of_joint(strands, next), whole = (back + 2 * span + ahead) / 4;
        for (int i = 0; i < 2; i++) {
            const float *turn = strands->rest_turn[i];
            const double here = (double)turn[slot] / span,
                         rise = ((double)turn[next] / ahead - here) / ((span + ahead) / 2),
                         fall = (here - (double)turn[before] / back) / ((back + span) / 2),
                         change = (rise - fall) / whole;
            curvature += span * here * here, second += span * change * change;
        }
        length += span;
    }
    if (!(curvature > 0)) return 0;
    const double wave = __builtin_sqrt(second / curvature);
    return curvature > LEAST_WAVE * LEAST_WAVE * wave * length ? wave : 0;
}

/* Finds the largest square of a frequency with which the curls of a rod turn as a whole: (kappa^2 +
 * 0.7 k^2)^2 times the larger of EI and GJ over the mass per length, for the rest curvature kappa and the
 * wave number k. */
static void find_curl_rate(mote_strands *strands, uint32_t lane) {
    const uint32_t points = (uint32_t)strands->points[lane];
    const double waves = square_of_waves(strands, lane);
    double most = 0;
    for (uint32_t k = 1; k + 1 < points; k++) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        const double x = (double)strands->rest_turn[0][slot], y = (double)strands->rest_turn[1][slot];
        const double bend = (double)strands->joint_across[slot], twist = (double)strands->joint_twist[slot];
        const double length = span_of_joint(strands, slot);
        const double mass = (double)strands->mass[slot] * length * length,
                     square = x * x + y * y + WAVE_SHARE * waves * length * length;
        const double rate = mass > 0 ? square * square * (bend > twist ? bend : twist) / mass : 0;
        if (rate > most) most = rate;
    }
    strands->curl_rate[lane] = most < (double)FLT_MAX ? (float)most : FLT_MAX;
}

static void find_drag_mobility(mote_strands *strands, uint32_t lane, uint32_t points) {
    const float *inverse = strands->range.inverse_mass;
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    for (uint32_t k = 0; k + 1 < points; k++, slot += MOTE_GROUP) {
        const float a = inverse[slot], b = inverse[slot + MOTE_GROUP],
                    mobility = strands->rest_length[slot] * (a < b ? b : a);
        if (strands->drag_mobility < mobility) strands->drag_mobility = mobility;
    }
}

static mote_result fill_strand(mote_strands *strands, const mote_strands_def *def, uint32_t lane,
                               mote_strands_fault *fault) {
    const uint32_t strand = strands->strand_of_lane[lane], points = (uint32_t)strands->points[lane];
    const double mass = mote_strand_mass(def, strand, strands->first_point[strand]);
    const float rest_scale = mote_strand_value(def->strand_rest_scale, def->rest_scale, strand);
    const float *p = def->positions + 3 * (size_t)strands->first_point[strand];
    const float inverse_mass = (float)((double)points / mass);
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    if (strands->mass) fill_masses(strands, def, lane);
    if (strands->has_rods) fill_rod(strands, def, lane);
    strands->point_inverse_mass[lane] = inverse_mass;
    strands->compliance[lane] = mote_strand_value(def->strand_compliance, def->compliance, strand);
    strands->compliant |= strands->compliance[lane] > 0;
    for (int axis = 0; axis < 3; axis++) strands->root_rest[axis][lane] = p[axis];
    for (uint32_t k = 0; k < points; k++, slot += MOTE_GROUP, p += 3) {
        for (int axis = 0; axis < 3; axis++) strands->rest_x[axis][slot] = p[axis];
        strands->range.inverse_mass[slot] =
            k || def->free_roots ? mote_strands_free_inverse_mass(strands, lane, slot) : 0;
        strands->rest_length[slot] = k + 1 < points ? mote_rest_length(p, p + 3, rest_scale) : 1.0f;
    }
    if (strands->has_frames) fill_frames(strands, def, lane);
    mote_result result = MOTE_OK;
    if (mote_strands_rests_under_load(strands)) result = mote_strands_balance(strands, def, lane, fault);
    find_drag_mobility(strands, lane, points);
    if (strands->has_frames) find_curl_rate(strands, lane);
    mote_strands_rest(strands, lane);
    return result;
}

static uint64_t stamp_of(const mote_strands *strands, const float *positions) {
    const uint64_t stamp =
        mote_hash_words(0, strands->first_point, ((size_t)strands->strand_count + 1) * sizeof(uint32_t));
    return mote_hash_words(stamp, positions, (size_t)strands->point_count * 3 * sizeof *positions);
}

/* Errors: those of mote_strands_balance. */
static mote_result fill(mote_strands *strands, const mote_strands_def *def, const mote_strand_counts *counts,
                        mote_strands_fault *fault) {
    mote_result result = MOTE_OK;
    memset(strands->memory, 0, strands->bytes);
    sort_strands(strands, def, counts);
    place_groups(strands);
    for (uint32_t lane = 0; lane < strands->lane_count && result == MOTE_OK; lane++) {
        set_identity(strands, lane);
        if (lane < strands->strand_count) result = fill_strand(strands, def, lane, fault);
        mask_slots(strands, lane);
    }
    strands->stamp = stamp_of(strands, def->positions);
    strands->signature = mote_strands_signature(strands);
    return result;
}

static mote_result allocate(mote_strands *strands, const mote_range_setup *setup) {
    const uint64_t bytes = mote_strands_place_columns(strands, setup->interpolates);
    const mote_result result =
        mote_arena_allocate(bytes, &setup->allocator, &strands->memory, &strands->bytes);
    if (result == MOTE_OK) mote_strands_place_columns(strands, setup->interpolates);
    return result;
}

static mote_strands strands_of(const mote_strands_def *def, const mote_range_setup *setup,
                               const mote_strand_counts *counts) {
    const uint32_t groups = (uint32_t)((counts->strands + MOTE_GROUP - 1) / MOTE_GROUP);
    mote_strands strands = {
        .range = {.slot_count = (uint32_t)counts->slots, .pins = {.most = MOTE_MAX_STRANDS_PINS}},
        .def = *def,
        .kernels = mote_strand_kernels_for(setup->isa),
        .present = mote_strand_present_kernels_for(setup->isa),
        .strand_count = def->strand_count,
        .point_count = (uint32_t)counts->points,
        .group_count = groups,
        .lane_count = groups * MOTE_GROUP,
        .max_points = counts->longest,
        .has_masses = def->point_mass != NULL,
        .has_rods = mote_strands_has_rods(def),
        .has_frames = mote_strands_has_frames(def),
        .has_flat_rods = mote_strands_has_flat_rods(def),
        .has_axes = def->point_axis != NULL};
    strands.def.positions = strands.def.strand_mass = strands.def.strand_rest_scale =
        strands.def.strand_compliance = strands.def.point_mass = strands.def.point_bending_stiffness =
            strands.def.point_twisting_stiffness = strands.def.point_bending_ratio = strands.def.point_axis =
                NULL;
    strands.def.strand_points = NULL;
    return strands;
}

MOTE_COLD mote_result mote_strands_make(const mote_strands_def *def, const mote_range_setup *setup,
                                        mote_strands **strands, mote_strands_fault *fault) {
    mote_strand_counts counts;
    *strands = NULL;
    mote_result result = mote_strands_check(def, &counts, fault);
    if (result) return result;
    mote_strands *made = mote_allocate(&setup->allocator, sizeof *made);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = strands_of(def, setup, &counts);
    result = allocate(made, setup);
    if (result == MOTE_OK) result = fill(made, def, &counts, fault);
    if (result)
        mote_strands_destroy(&made->range, &setup->allocator);
    else
        *strands = made;
    return result;
}

void mote_strands_destroy(mote_range *range, const mote_allocator *allocator) {
    mote_strands *strands = mote_strands_of(range);
    mote_release(allocator, strands->spans, MOTE_MAX_STRANDS_PINS * sizeof *strands->spans);
    mote_pins_destroy(&range->pins, allocator);
    mote_release(allocator, strands->memory, strands->bytes);
    mote_release(allocator, strands, sizeof *strands);
}

/* --- Rest --- */

/* Computes the matrix of a rotation (rows) with the position behind each row. The arithmetic is that of the
 * kernels, so that a strand at rest is exactly at its rest shape under the root. */
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
    if (strands->pressure) strands->pressure[slot] = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float *r = row + 4 * axis, turned = r[0] * b[0] + r[1] * b[1] + r[2] * b[2];
        strands->range.x[axis][slot] = turned + r[3];
        if (strands->relative_x[axis]) strands->relative_x[axis][slot] = turned;
        strands->range.v[axis][slot] = strands->range.reaction[axis][slot] = 0;
        if (strands->friction[axis]) strands->friction[axis][slot] = 0;
        if (strands->range.previous_x[axis]) strands->range.previous_x[axis][slot] = axis ? 0 : mote_marker();
        if (strands->previous_low[axis]) strands->previous_low[axis][slot] = 0;
    }
}

/* Sets the frames of a rod to those of the rest shape under the root's target. */
static void rest_frames(mote_strands *strands, uint32_t lane) {
    double root[4], norm = 0;
    for (int i = 0; i < 4; i++) root[i] = (double)strands->root_to[3 + i][lane], norm += root[i] * root[i];
    for (int i = 0; i < 4; i++) root[i] /= __builtin_sqrt(norm);
    for (uint32_t k = 0; k < (uint32_t)strands->points[lane]; k++) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        double rest[4], q[4];
        for (int i = 0; i < 4; i++) rest[i] = (double)strands->rest_frame[i][slot];
        mote_quaternion_compose(root, rest, q);
        for (int i = 0; i < 4; i++) strands->frame[i][slot] = (float)q[i];
        for (int i = 0; i < 4 && strands->previous_frame[0]; i++)
            strands->previous_frame[i][slot] = (float)q[i];
    }
}

static void rest_pins(mote_strands *strands, uint32_t lane) {
    const mote_pin_list *pins = &strands->range.pins;
    const uint32_t group = lane / MOTE_GROUP;
    for (uint32_t i = 0; i < pins->run[group].count; i++) {
        mote_pin *pin = &pins->pins[pins->run[group].first + i];
        if (mote_strands_lane_of(strands, group, pin->slot) != lane) continue;
        for (int axis = 0; axis < 3; axis++)
            strands->range.x[axis][pin->slot] = pin->from[axis] = pin->to[axis], pin->from_low[axis] = 0;
        if (strands->relative_x[0]) strands->relative_x[0][pin->slot] = mote_marker();
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
    for (int axis = 0; axis < 3 && strands->origin[0]; axis++)
        strands->origin[axis][lane] = strands->root_to[axis][lane];
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    for (uint32_t k = 0; k < (uint32_t)strands->points[lane] && strands->tension; k++)
        strands->tension[slot + k * MOTE_GROUP] = 0;
    for (int32_t k = 0; k < strands->points[lane]; k++, slot += MOTE_GROUP) rest_point(strands, slot, row);
    rest_pins(strands, lane);
    if (strands->frame[0]) rest_frames(strands, lane);
    if (mote_strands_rests_under_load(strands)) mote_strands_rest_tensions(strands, lane);
    strands->strain[lane] = strands->strain_sum[lane] = 0;
    strands->iterations[lane] = strands->unsolved[lane] = strands->fallbacks[lane] = 0;
    strands->buried[lane] = 0;
    strands->infeasible[lane] = strands->frozen[lane] = strands->stiff_curls[lane] = 0;
}
