/* Default def of strands, and its checks. */
#include "strands/check.h"

#include <float.h>
#include <math.h>

#include "base/check.h"

#define COOKIE         0x62756e64u
#define MAX_ITERATIONS 32u
#define MAX_SUBSTEPS   4096u
#define PARALLEL       1e-3 /* sine of the angle between an axis and its segment, at least */

mote_strands_def mote_default_strands_def(void) {
    return (mote_strands_def){.cookie = COOKIE,
                              .solver = MOTE_STRAND_ROBUST,
                              .points = 32,
                              .mass = 0.001f,
                              .rest_scale = 1.0f,
                              .bending_ratio = 1.0f,
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

/* Names the parameter where there is an error. */
static mote_result of(mote_strands_fault *fault, const char *parameter, mote_result result) {
    if (result) fault->parameter = parameter;
    return result;
}

static mote_result check_compliance(const mote_strands_def *def, float compliance) {
    if (def->solver == MOTE_STRAND_SPRINGS) return mote_value_invertible(compliance, 1);
    mote_result result = mote_value_not_negative(compliance);
    if (result) return result;
    const bool rigid = def->solver == MOTE_STRAND_CONSERVING || mote_strands_has_rods(def);
    return rigid && compliance > 0 ? MOTE_ERROR_RANGE : MOTE_OK;
}

/* Checks the acceleration of rods that do not sag. */
static mote_result check_rest(const mote_strands_def *def) {
    const float *a = def->rest_acceleration;
    if (!mote_vector_is_finite(a)) return MOTE_ERROR_NOT_FINITE;
    if (a[0] == 0 && a[1] == 0 && a[2] == 0) return MOTE_OK;
    const bool clamped = mote_strands_has_frames(def) && !def->hinged_roots && !def->free_roots;
    return clamped ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* A ratio of two bending stiffnesses. */
static mote_result check_ratio(float ratio) { return mote_value_not_negative(ratio - 1); }

/* Flat sections have material frames. */
static mote_result check_flat(const mote_strands_def *def, mote_strands_fault *fault) {
    mote_result result = MOTE_OK;
    if (!def->point_bending_ratio) result = of(fault, "bending_ratio", check_ratio(def->bending_ratio));
    if (result || mote_strands_has_frames(def)) return result;
    if (mote_strands_has_flat_rods(def))
        return of(fault, def->point_bending_ratio ? "point_bending_ratio" : "bending_ratio",
                  MOTE_ERROR_RANGE);
    return def->point_axis ? of(fault, "point_axis", MOTE_ERROR_RANGE) : MOTE_OK;
}

/* Rods are rigid along themselves, and solved to first order. */
static mote_result check_rods(const mote_strands_def *def, mote_strands_fault *fault) {
    mote_result result = MOTE_OK;
    if (!def->point_bending_stiffness)
        result = of(fault, "bending_stiffness", mote_value_not_negative(def->bending_stiffness));
    if (result == MOTE_OK && !def->point_twisting_stiffness)
        result = of(fault, "twisting_stiffness", mote_value_not_negative(def->twisting_stiffness));
    if (result) return result;
    const bool twists = def->point_twisting_stiffness || def->twisting_stiffness > 0;
    if (mote_strands_has_rods(def) && def->solver != MOTE_STRAND_ROBUST)
        result = of(fault, "solver", MOTE_ERROR_RANGE);
    if (twists && !mote_strands_has_rods(def))
        result = of(fault, def->point_twisting_stiffness ? "point_twisting_stiffness" : "twisting_stiffness",
                    MOTE_ERROR_RANGE);
    if (result == MOTE_OK) result = check_flat(def, fault);
    return result ? result : of(fault, "rest_acceleration", check_rest(def));
}

/* Checks the values that must not be negative. */
static mote_result check_not_negative(const mote_strands_def *def, mote_strands_fault *fault) {
    const struct {
        const char *name;
        float value;
    } row[] = {{"damping", def->damping},         {"pose_stiffness", def->pose_stiffness},
               {"normal_drag", def->normal_drag}, {"tangential_drag", def->tangential_drag},
               {"radius", def->radius},           {"friction", def->friction}};
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < sizeof row / sizeof *row && result == MOTE_OK; i++)
        result = of(fault, row[i].name, mote_value_not_negative(row[i].value));
    return result;
}

/* Checks the values of all strands that have no array. */
static mote_result check_common(const mote_strands_def *def, mote_strands_fault *fault) {
    mote_result result = of(fault, "max_strain", mote_value_positive(def->max_strain));
    if (result == MOTE_OK && !def->strand_mass && !def->point_mass)
        result = of(fault, "mass", mote_value_positive(def->mass));
    if (result == MOTE_OK && !def->strand_rest_scale)
        result = of(fault, "rest_scale", mote_value_positive(def->rest_scale));
    if (result == MOTE_OK && !def->strand_compliance)
        result = of(fault, "compliance", check_compliance(def, def->compliance));
    return result;
}

/* Checks the settings that all strands share. */
static mote_result check_settings(const mote_strands_def *def, mote_strands_fault *fault) {
    mote_result result = check_not_negative(def, fault);
    if (result == MOTE_OK) result = check_rods(def, fault);
    if (result == MOTE_OK && def->point_mass && def->solver == MOTE_STRAND_SPRINGS)
        result = of(fault, "point_mass", MOTE_ERROR_RANGE);
    if (result == MOTE_OK) result = check_common(def, fault);
    if (result == MOTE_OK && !mote_vector_is_finite(def->air_velocity))
        result = of(fault, "air_velocity", MOTE_ERROR_NOT_FINITE);
    if (result) return result;
    if (def->substeps > MAX_SUBSTEPS) return of(fault, "substeps", MOTE_ERROR_RANGE);
    const bool counts = def->max_iterations >= 1 && def->max_iterations <= MAX_ITERATIONS;
    return counts ? MOTE_OK : of(fault, "max_iterations", MOTE_ERROR_RANGE);
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
    if (def->strand_count == 0) return of(fault, "strand_count", MOTE_ERROR_RANGE);
    if (!def->strand_points && !is_point_count(def->points)) return of(fault, "points", MOTE_ERROR_RANGE);
    if (!def->strand_points) counts->of[def->points] = def->strand_count;
    for (uint32_t strand = 0; def->strand_points && strand < def->strand_count; strand++) {
        if (!is_point_count(def->strand_points[strand])) {
            fault->strand = strand;
            return of(fault, "strand_points", MOTE_ERROR_RANGE);
        }
        counts->of[def->strand_points[strand]]++;
    }
    count_slots(counts);
    return counts->slots > MOTE_MAX_PARTICLES ? MOTE_ERROR_OVERFLOW : MOTE_OK;
}

static mote_result check_strand(const mote_strands_def *def, uint32_t strand, mote_strands_fault *fault) {
    const float mass = mote_strand_value(def->strand_mass, def->mass, strand),
                rest_scale = mote_strand_value(def->strand_rest_scale, def->rest_scale, strand),
                compliance = mote_strand_value(def->strand_compliance, def->compliance, strand);
    mote_result result = MOTE_OK;
    if (!def->point_mass)
        result = of(fault, def->strand_mass ? "strand_mass" : "mass",
                    mote_value_invertible(mass, mote_strand_points_of(def, strand)));
    if (result == MOTE_OK)
        result = of(fault, def->strand_rest_scale ? "strand_rest_scale" : "rest_scale",
                    mote_value_positive(rest_scale));
    if (result == MOTE_OK)
        result = of(fault, def->strand_compliance ? "strand_compliance" : "compliance",
                    check_compliance(def, compliance));
    return result;
}

/* Checks point `point` at p and the length that ends there. For a length at fault *point becomes its first
 * point. Segments of rods have a direction. */
static mote_result check_point(const mote_strands_def *def, const float *p, float rest_scale,
                               uint32_t *point) {
    if (!mote_vector_is_finite(p)) return MOTE_ERROR_NOT_FINITE;
    if (*point == 0) return MOTE_OK;
    const float length = mote_rest_length(p - 3, p, rest_scale);
    if (isfinite(length) && !(mote_strands_has_rods(def) && mote_value_invertible(length, 1))) return MOTE_OK;
    *point -= 1;
    return MOTE_ERROR_RANGE;
}

/* Checks the mass, the stiffnesses and the ratio of a point, in the host's numbering. */
static mote_result check_rod_point(const mote_strands_def *def, uint32_t point, mote_strands_fault *fault) {
    mote_result result = MOTE_OK;
    if (def->point_mass) result = of(fault, "point_mass", mote_value_invertible(def->point_mass[point], 1));
    if (result == MOTE_OK && mote_strands_has_rods(def))
        result = of(fault, "point_bending_stiffness",
                    mote_value_not_negative(mote_strands_stiffness_at(def, point)));
    if (result == MOTE_OK && mote_strands_has_rods(def))
        result = of(fault, "point_twisting_stiffness",
                    mote_value_not_negative(mote_strands_twisting_at(def, point)));
    if (result == MOTE_OK && def->point_bending_ratio)
        result = of(fault, "point_bending_ratio", check_ratio(def->point_bending_ratio[point]));
    return result;
}

/* Checks the stiffest joints that a point in front of a segment can have. */
static mote_result check_joint(const mote_strands_def *def, uint32_t point, double length,
                               mote_strands_fault *fault) {
    if (!mote_strands_has_rods(def)) return MOTE_OK;
    const double bend = (double)mote_strands_stiffness_at(def, point),
                 twist = (double)mote_strands_twisting_at(def, point),
                 across = bend * (double)mote_strands_ratio_at(def, point);
    if (mote_strands_joint_stiffness(bend, 0, length) > (double)FLT_MAX)
        return of(fault, def->point_bending_stiffness ? "point_bending_stiffness" : "bending_stiffness",
                  MOTE_ERROR_RANGE);
    if (mote_strands_has_flat_rods(def) && mote_strands_joint_stiffness(across, 0, length) > (double)FLT_MAX)
        return of(fault, def->point_bending_ratio ? "point_bending_ratio" : "bending_ratio",
                  MOTE_ERROR_RANGE);
    if (mote_strands_joint_stiffness(twist, 0, length) > (double)FLT_MAX)
        return of(fault, def->point_twisting_stiffness ? "point_twisting_stiffness" : "twisting_stiffness",
                  MOTE_ERROR_RANGE);
    return MOTE_OK;
}

/* Checks that an axis does not point along the segment from p to q: the square of the sine between them. */
static mote_result check_axis(const float axis[3], const float p[3], const float q[3]) {
    double along = 0, square = 0, reach = 0;
    if (!mote_vector_is_finite(axis)) return MOTE_ERROR_NOT_FINITE;
    for (int i = 0; i < 3; i++) {
        const double d = (double)q[i] - (double)p[i], a = (double)axis[i];
        along += a * d, square += a * a, reach += d * d;
    }
    return square * reach - along * along > PARALLEL * PARALLEL * square * reach ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* Checks the points of a strand, whose first is at p and has the number `first`. */
static mote_result check_points(const mote_strands_def *def, const float *p, uint32_t first,
                                mote_strands_fault *fault) {
    const uint32_t strand = fault->strand;
    const float rest_scale = mote_strand_value(def->strand_rest_scale, def->rest_scale, strand);
    for (uint32_t point = 0; point < mote_strand_points_of(def, strand); point++, p += 3) {
        fault->point = point;
        mote_result result = check_rod_point(def, first + point, fault);
        if (result == MOTE_OK)
            result = of(fault, "positions", check_point(def, p, rest_scale, &fault->point));
        if (result) return result;
        if (point == 0) continue;
        fault->point = point - 1;
        result = check_joint(def, first + point - 1, (double)mote_rest_length(p - 3, p, rest_scale), fault);
        if (result == MOTE_OK && def->point_axis)
            result = of(fault, "point_axis",
                        check_axis(def->point_axis + 3 * (size_t)(first + point - 1), p - 3, p));
        if (result) return result;
    }
    return MOTE_OK;
}

static mote_result check_strands(const mote_strands_def *def, mote_strands_fault *fault) {
    uint32_t first = 0;
    for (uint32_t strand = 0; strand < def->strand_count; strand++) {
        *fault = (mote_strands_fault){strand, 0, NULL};
        mote_result result = check_strand(def, strand, fault);
        if (result == MOTE_OK) result = check_points(def, def->positions + 3 * (size_t)first, first, fault);
        if (result) return result;
        first += mote_strand_points_of(def, strand);
    }
    *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0, NULL};
    return MOTE_OK;
}

MOTE_COLD mote_result mote_strands_check(const mote_strands_def *def, mote_strand_counts *counts,
                                         mote_strands_fault *fault) {
    *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0, NULL};
    if (def->cookie != COOKIE) return of(fault, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)def->solver >= MOTE_STRAND_SOLVER_COUNT) return of(fault, "solver", MOTE_ERROR_ENUM);
    if (!def->positions) return of(fault, "positions", MOTE_ERROR_NULL);
    mote_result result = check_settings(def, fault);
    if (result == MOTE_OK) result = count_strands(def, counts, fault);
    return result ? result : check_strands(def, fault);
}
