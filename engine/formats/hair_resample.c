/* Resampling of hair models to other numbers of points: polylines by arc length. */
#include <math.h>

#include "base/check.h"
#include "base/fpu.h"
#include "formats/hair.h"

#define COOKIE 0x72736d70u

mote_hair_resample_def mote_default_hair_resample_def(void) {
    return (mote_hair_resample_def){.cookie = COOKIE, .min_points = 2, .max_points = MOTE_HAIR_MAX_RESAMPLED};
}

static bool valid_points(uint32_t points) { return points >= 2 && points <= MOTE_HAIR_MAX_RESAMPLED; }

/* Names the parameter and returns the sentence of a def that is out of range; NULL: it is not. */
static const char *find_error(const mote_hair_resample_def *def, const char **name) {
    *name = "points";
    if (def->points && !valid_points(def->points)) return "The points of a strand are not 2 to 1,024.";
    *name = "segment_length";
    if (mote_value_not_negative(def->segment_length)) return "The segment length is negative.";
    if (!def->points == mote_float_is_zero(def->segment_length))
        return "One of points and segment_length is to be set.";
    *name = valid_points(def->min_points) ? "max_points" : "min_points";
    if (!valid_points(def->min_points) || !valid_points(def->max_points) || def->min_points > def->max_points)
        return "The limits of the points of a strand are not 2 to 1,024 in order.";
    *name = NULL;
    return NULL;
}

mote_result mote_hair_resample_def_check(const mote_hair_resample_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if (!isfinite(def->segment_length)) return mote_named(name, "segment_length", MOTE_ERROR_NOT_FINITE);
    return find_error(def, name) ? MOTE_ERROR_RANGE : MOTE_OK;
}

static mote_result check_def(const mote_hair_resample_def *def, mote_hair_error *where) {
    const char *name;
    const mote_result result = mote_hair_resample_def_check(def, &name);
    if (result == MOTE_ERROR_NOT_FINITE)
        return mote_hair_fail(where, result, MOTE_HAIR_MODEL, 0, 0, "The segment length is NaN or infinite.");
    if (result == MOTE_ERROR_RANGE)
        return mote_hair_fail(where, result, MOTE_HAIR_MODEL, 0, 0, find_error(def, &name));
    return result ? mote_hair_return(where, result) : MOTE_OK;
}

/* Returns the distance in double, where neither the square of a float difference nor the sum of 2^32 of them
 * overflows. */
static double distance(const float a[3], const float b[3]) {
    double x = (double)b[0] - a[0], y = (double)b[1] - a[1], z = (double)b[2] - a[2];
    return __builtin_sqrt(x * x + y * y + z * z);
}

static double strand_length(const float (*point)[3], uint32_t count) {
    double length = 0;
    for (uint32_t i = 1; i < count; i++) length += distance(point[i - 1], point[i]);
    return length;
}

static uint32_t resampled_points(const mote_hair_resample_def *def, double length) {
    if (def->points) return def->points;
    const double segments = length / def->segment_length;
    const uint32_t least = def->min_points - 1, most = def->max_points - 1;
    if (!(segments < most)) return most + 1;
    const uint32_t nearest = (uint32_t)(segments + 0.5);
    return (nearest < least ? least : nearest) + 1;
}

/* Interpolates linearly. Both ends are selected, so that they are copied bit for bit. */
static float blend(float a, float b, double t) {
    if (t <= 0) return a;
    return t >= 1 ? b : (float)(a * (1 - t) + b * t);
}

/* Sets point `at` of `to` to the interpolation between points `first` and first + 1 of `from`. */
static void blend_point(const mote_hair *from, uint32_t first, double t, mote_hair *to, uint32_t at) {
    for (int array = MOTE_ARRAY_POINTS; array < MOTE_ARRAY_COUNT; array++) {
        const size_t width = mote_hair_width[array];
        const float *source = mote_hair_floats(from, (mote_hair_array)array);
        float *target = mote_hair_floats(to, (mote_hair_array)array);
        for (size_t i = 0; source && i < width; i++)
            target[at * width + i] = blend(source[first * width + i], source[first * width + width + i], t);
    }
}

/* Resamples one strand. Lengths are summed in the order of strand_length, so that the sum at the last point
 * equals `length` bit for bit. */
static void resample_strand(const mote_hair *from, uint32_t first, uint32_t count, double length,
                            mote_hair *to, uint32_t at, uint32_t points) {
    const float(*position)[3] = (const float(*)[3])from->points;
    uint32_t segment = first;
    const uint32_t last = first + count - 2;
    double start = 0, span = distance(position[segment], position[segment + 1]);
    blend_point(from, first, 0, to, at);
    for (uint32_t j = 1; j + 1 < points; j++) {
        const double target = length * j / (points - 1);
        /* Finds the segment that contains the arc length `target`. */
        while (segment < last && start + span < target) {
            start += span;
            segment++;
            span = distance(position[segment], position[segment + 1]);
        }
        blend_point(from, segment, span > 0 ? (target - start) / span : 0, to, at + j);
    }
    blend_point(from, last, 1, to, at + points - 1);
}

static uint64_t total_points(const mote_hair *hair, const mote_hair_resample_def *def) {
    if (def->points) return (uint64_t)hair->strand_count * def->points;
    uint64_t sum = 0;
    for (uint32_t strand = 0, first = 0; strand < hair->strand_count; strand++) {
        const uint32_t count = mote_hair_strand_points(hair, strand);
        sum += resampled_points(def, strand_length((const float(*)[3])hair->points + first, count));
        first += count;
    }
    return sum;
}

static void resample_strands(const mote_hair *from, const mote_hair_resample_def *def, mote_hair *to) {
    for (uint32_t strand = 0, first = 0, at = 0; strand < from->strand_count; strand++) {
        const uint32_t count = mote_hair_strand_points(from, strand);
        const double length = strand_length((const float(*)[3])from->points + first, count);
        const uint32_t points = resampled_points(def, length);
        if (to->strand_points) to->strand_points[strand] = points;
        resample_strand(from, first, count, length, to, at, points);
        first += count;
        at += points;
    }
}

static mote_result resample(const mote_hair *hair, const mote_hair_resample_def *def, mote_hair **resampled) {
    const uint64_t points = total_points(hair, def);
    if (points > UINT32_MAX) return MOTE_ERROR_OVERFLOW;
    mote_hair shape = *hair;
    uint32_t arrays = mote_hair_flags(hair) & ~(1u << MOTE_ARRAY_SEGMENTS);
    shape.point_count = (uint32_t)points;
    if (def->points)
        shape.default_segments = def->points - 1;
    else
        arrays |= 1u << MOTE_ARRAY_SEGMENTS;
    mote_result result = mote_hair_allocate(&shape, arrays, &def->allocator, resampled);
    if (!result) resample_strands(hair, def, *resampled);
    return result;
}

mote_result mote_hair_resample(const mote_hair *hair, const mote_hair_resample_def *def,
                               mote_hair **resampled, mote_hair_error *where) {
    if (!resampled) return mote_hair_return(where, MOTE_ERROR_NULL);
    *resampled = NULL;
    mote_result result = mote_hair_check(hair, where);
    if (!result) result = check_def(def, where);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    result = resample(hair, def, resampled);
    mote_fpu_leave(saved);
    return mote_hair_return(where, result);
}
