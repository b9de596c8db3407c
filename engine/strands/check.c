/* Default def of strands, and its checks. */
#include "strands/check.h"

#include <float.h>
#include <math.h>

#include "base/check.h"

#define COOKIE         0x62756e64u
#define MAX_ITERATIONS 32u
#define MAX_SUBSTEPS   4096u

mote_strands_def mote_default_strands_def(void) {
    return (mote_strands_def){.cookie = COOKIE,
                              .solver = MOTE_STRAND_ROBUST,
                              .points = 32,
                              .mass = 0.001f,
                              .rest_scale = 1.0f,
                              .max_strain = 0.002f,
                              .substeps = 4,
                              .max_iterations = MAX_ITERATIONS,
                              .friction = 0.5f};
}

float mote_rest_length(const float p[3], const float q[3], float rest_scale) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = (double)q[axis] - (double)p[axis];
        sum += d * d;
    }
    double length = (double)rest_scale * __builtin_sqrt(sum);
    return length <= (double)FLT_MAX ? (float)length : INFINITY;
}

static mote_result check_compliance(const mote_strands_def *def, float compliance) {
    if (def->solver == MOTE_STRAND_SPRINGS) return mote_value_invertible(compliance, 1);
    mote_result result = mote_value_not_negative(compliance);
    if (result) return result;
    const bool rigid = def->solver == MOTE_STRAND_CONSERVING || mote_strands_has_rods(def);
    return rigid && compliance > 0 ? MOTE_ERROR_RANGE : MOTE_OK;
}

/* Rods are straight at rest, rigid along themselves, and solved to first order. */
static mote_result check_rods(const mote_strands_def *def) {
    const mote_result result =
        def->point_bending_stiffness ? MOTE_OK : mote_value_not_negative(def->bending_stiffness);
    const mote_result twist =
        def->point_twisting_stiffness ? MOTE_OK : mote_value_not_negative(def->twisting_stiffness);
    if (result || twist) return result ? result : twist;
    const bool twists = def->point_twisting_stiffness || def->twisting_stiffness > 0;
    if (!mote_strands_has_rods(def)) return twists ? MOTE_ERROR_RANGE : MOTE_OK;
    return def->solver == MOTE_STRAND_ROBUST ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* Checks the settings that all strands share. */
static mote_result check_settings(const mote_strands_def *def) {
    const float values[] = {def->damping,         def->pose_stiffness, def->normal_drag,
                            def->tangential_drag, def->radius,         def->friction};
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < sizeof values / sizeof *values && result == MOTE_OK; i++)
        result = mote_value_not_negative(values[i]);
    if (result == MOTE_OK) result = check_rods(def);
    if (result == MOTE_OK && def->point_mass && def->solver == MOTE_STRAND_SPRINGS) return MOTE_ERROR_RANGE;
    if (result == MOTE_OK) result = mote_value_positive(def->max_strain);
    if (result == MOTE_OK && !def->strand_mass && !def->point_mass) result = mote_value_positive(def->mass);
    if (result == MOTE_OK && !def->strand_rest_scale) result = mote_value_positive(def->rest_scale);
    if (result == MOTE_OK && !def->strand_compliance) result = check_compliance(def, def->compliance);
    for (int axis = 0; axis < 3 && result == MOTE_OK; axis++)
        if (!isfinite(def->air_velocity[axis])) result = MOTE_ERROR_NOT_FINITE;
    if (result) return result;
    if (def->substeps > MAX_SUBSTEPS) return MOTE_ERROR_RANGE;
    return def->max_iterations >= 1 && def->max_iterations <= MAX_ITERATIONS ? MOTE_OK : MOTE_ERROR_RANGE;
}

static bool is_point_count(uint32_t points) {
    return points >= MOTE_MIN_STRAND_POINTS && points <= MOTE_MAX_STRAND_POINTS;
}

/* Counts slots: longest strands first, 16 to a group, each group as long as its first strand. */
static void count_slots(mote_strand_counts *counts) {
    uint64_t before = 0;
    for (uint32_t points = MOTE_MAX_STRAND_POINTS; points >= MOTE_MIN_STRAND_POINTS; points--) {
        uint64_t after = before + counts->of[points];
        uint64_t groups = (after + MOTE_GROUP - 1) / MOTE_GROUP - (before + MOTE_GROUP - 1) / MOTE_GROUP;
        if (counts->of[points] && !counts->longest) counts->longest = points;
        counts->points += (uint64_t)counts->of[points] * points;
        counts->slots += groups * MOTE_GROUP * points;
        before = after;
    }
}

static mote_result count_strands(const mote_strands_def *def, mote_strand_counts *counts,
                                 mote_strands_fault *fault) {
    *counts = (mote_strand_counts){.strands = def->strand_count};
    if (def->strand_count == 0) return MOTE_ERROR_RANGE;
    if (!def->strand_points && !is_point_count(def->points)) return MOTE_ERROR_RANGE;
    if (!def->strand_points) counts->of[def->points] = def->strand_count;
    for (uint32_t strand = 0; def->strand_points && strand < def->strand_count; strand++) {
        if (!is_point_count(def->strand_points[strand])) {
            fault->strand = strand;
            return MOTE_ERROR_RANGE;
        }
        counts->of[def->strand_points[strand]]++;
    }
    count_slots(counts);
    return counts->slots > MOTE_MAX_PARTICLES ? MOTE_ERROR_OVERFLOW : MOTE_OK;
}

static mote_result check_strand(const mote_strands_def *def, uint32_t strand) {
    mote_result result = MOTE_OK;
    if (!def->point_mass)
        result = mote_value_invertible(mote_strand_value(def->strand_mass, def->mass, strand),
                                       mote_strand_points_of(def, strand));
    if (result == MOTE_OK)
        result = mote_value_positive(mote_strand_value(def->strand_rest_scale, def->rest_scale, strand));
    if (result == MOTE_OK)
        result = check_compliance(def, mote_strand_value(def->strand_compliance, def->compliance, strand));
    return result;
}

/* Checks point `point` at p and the length that ends there. For a length at fault *point becomes its first
 * point. */
static mote_result check_point(const float *p, float rest_scale, uint32_t *point) {
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return MOTE_ERROR_NOT_FINITE;
    if (!*point || isfinite(mote_rest_length(p - 3, p, rest_scale))) return MOTE_OK;
    *point -= 1;
    return MOTE_ERROR_RANGE;
}

/* Checks the mass and the stiffness of a point, in the host's numbering. `length`: of the segment behind it,
 * or of that before a tip. */
static mote_result check_rod_point(const mote_strands_def *def, uint32_t point, double length) {
    mote_result result = MOTE_OK;
    if (def->point_mass) result = mote_value_invertible(def->point_mass[point], 1);
    if (result || !mote_strands_has_rods(def)) return result;
    /* EI and GJ, and the stiffest joints that they can have. */
    const float stiffness[2] = {mote_strands_stiffness_at(def, point), mote_strands_twisting_at(def, point)};
    for (int i = 0; i < 2; i++) {
        result = mote_value_not_negative(stiffness[i]);
        if (result) return result;
        if (mote_strands_joint_stiffness((double)stiffness[i], 0, length) > (double)FLT_MAX)
            return MOTE_ERROR_RANGE;
    }
    return MOTE_OK;
}

static mote_result check_strands(const mote_strands_def *def, mote_strands_fault *fault) {
    const float *p = def->positions;
    uint32_t number = 0;
    for (uint32_t strand = 0; strand < def->strand_count; strand++) {
        mote_result result = check_strand(def, strand);
        *fault = (mote_strands_fault){strand, 0};
        if (result) return result;
        const float rest_scale = mote_strand_value(def->strand_rest_scale, def->rest_scale, strand);
        const uint32_t points = mote_strand_points_of(def, strand);
        for (uint32_t point = 0; point < points; point++, p += 3) {
            fault->point = point;
            const float *end = point + 1 < points ? p + 3 : p;
            result = check_rod_point(def, number++, (double)mote_rest_length(end - 3, end, rest_scale));
            if (result == MOTE_OK) result = check_point(p, rest_scale, &fault->point);
            if (result) return result;
        }
    }
    *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0};
    return MOTE_OK;
}

mote_result mote_strands_check(const mote_strands_def *def, mote_strand_counts *counts,
                               mote_strands_fault *fault) {
    *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0};
    if (def->cookie != COOKIE) return MOTE_ERROR_DEF;
    if ((unsigned)def->solver >= MOTE_STRAND_SOLVER_COUNT) return MOTE_ERROR_ENUM;
    if (!def->positions) return MOTE_ERROR_NULL;
    mote_result result = check_settings(def);
    if (result == MOTE_OK) result = count_strands(def, counts, fault);
    return result ? result : check_strands(def, fault);
}
