/* The functions of values alone, on any bits: transforms, the exact chain, rod sections, stable steps, dead
 * zones and counts of substeps. What they return is what their documentation says, or an error. */
#include "input.h"

#include <mote/mote.h>

static double take_double(input *in) {
    uint64_t bits = 0;
    double value;
    if (take_byte(in) < 224) return (double)take_float(in) * (1 + take_byte(in));
    for (int i = 0; i < 8; i++) bits = bits << 8 | take_byte(in);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* --- Transforms --- */

static mote_transform take_transform(input *in) {
    mote_transform t;
    const bool raw = take_byte(in) >= 192;
    take_vector(in, t.position);
    for (int i = 0; i < 4; i++) t.rotation[i] = raw ? take_bits(in) : take_float(in);
    return t;
}

/* Largest coordinate of what a test of rounding takes: squares and products stay normal. */
static bool is_small(const float *values, int count) {
    bool small = true;
    for (int i = 0; i < count; i++)
        small &= fabsf(values[i]) < 1e4f && (values[i] == 0 || fabsf(values[i]) > 1e-4f);
    return small;
}

static bool turns(const mote_transform *t) {
    return is_small(t->rotation, 4) &&
           (t->rotation[0] != 0 || t->rotation[1] != 0 || t->rotation[2] != 0 || t->rotation[3] != 0);
}

static double square(const float q[4]) {
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (double)q[i] * (double)q[i];
    return sum;
}

static void check_rotation(const mote_transform *t) {
    FUZZ_CHECK(square(t->rotation) == 0 || fabs(square(t->rotation) - 1) < 1e-6);
}

static void transforms(input *in) {
    const mote_transform a = take_transform(in), b = take_transform(in);
    const mote_transform both = mote_transform_multiply(&a, &b), back = mote_transform_inverse(&a);
    float point[3], one[3], two[3];
    take_vector(in, point);
    check_rotation(&both), check_rotation(&back);
    mote_transform_point(&b, point, one), mote_transform_point(&a, one, one);
    mote_transform_point(&both, point, two);
    const bool small = is_small(a.position, 3) && is_small(b.position, 3) && is_small(point, 3);
    if (!small || !turns(&a) || !turns(&b)) return;
    double size = 0;
    for (int axis = 0; axis < 3; axis++)
        size += fabs((double)a.position[axis]) + fabs((double)b.position[axis]) + fabs((double)point[axis]);
    for (int axis = 0; axis < 3; axis++)
        FUZZ_CHECK(fabs((double)one[axis] - (double)two[axis]) <= 1e-6 * size);
    mote_transform_point(&a, point, one), mote_transform_point(&back, one, one);
    for (int axis = 0; axis < 3; axis++)
        FUZZ_CHECK(fabs((double)one[axis] - (double)point[axis]) <= 1e-6 * size);
}

/* --- The exact chain --- */

enum { MOST_MASSES = 24 };

static double chain_energy(const mote_chain *c, const double *q, const double *v) {
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++) sum += 0.5 * c->mass * v[i] * v[i];
    for (uint32_t i = 0; i <= c->count; i++) {
        const bool wall = i == 0          ? c->ends != MOTE_CHAIN_FREE_FREE
                          : i == c->count ? c->ends == MOTE_CHAIN_FIXED_FIXED
                                          : true;
        const double stretch = (i < c->count ? q[i] : 0) - (i ? q[i - 1] : 0);
        sum += wall ? 0.5 * c->stiffness * stretch * stretch : 0;
    }
    return sum;
}

static void chains(input *in) {
    mote_chain c = {.ends = (mote_chain_ends)take_below(in, MOTE_CHAIN_ENDS_COUNT)};
    double q[MOST_MASSES], v[MOST_MASSES], scratch[2 * MOST_MASSES];
    c.count = take_below(in, MOST_MASSES + 1), c.mass = take_double(in), c.stiffness = take_double(in);
    for (uint32_t i = 0; i < c.count; i++) q[i] = take_double(in), v[i] = take_double(in);
    const double time = take_double(in), before = chain_energy(&c, q, v);
    const double fastest = mote_chain_frequency(&c, c.count);
    FUZZ_CHECK(isnan(mote_chain_frequency(&c, 0)) && isnan(mote_chain_frequency(&c, c.count + 1)));
    for (uint32_t mode = 2; mode <= c.count; mode++)
        FUZZ_CHECK(!(mote_chain_frequency(&c, mode) < mote_chain_frequency(&c, mode - 1)));
    if (mote_chain_evolve(&c, time, q, v, scratch)) return;
    FUZZ_CHECK(fastest >= 0);
    for (uint32_t i = 0; i < c.count; i++) FUZZ_CHECK(isfinite(q[i]) && isfinite(v[i]));
    const double after = chain_energy(&c, q, v), phase = fabs(fastest * time);
    if (before > 1e-6 && before < 1e12 && c.mass > 1e-6 && phase < 1e6 && fastest > 1e-3 && fastest < 1e3 &&
        fabs(time) < 1e3)
        FUZZ_CHECK(fabs(after - before) <= 1e-8 * before);
}

/* --- Rod sections --- */

static void sections(input *in) {
    mote_rod_def rod = mote_default_rod_def();
    mote_rod_section section = {-1, -2, -3, -4};
    const char *parameter;
    const uint32_t flags = take_byte(in);
    if (flags & 1) rod.young = take_double(in);
    if (flags & 2) rod.poisson = take_double(in);
    if (flags & 4) rod.density = take_double(in);
    if (flags & 8) rod.radius = take_double(in);
    if (flags & 16) rod.hole_radius = take_double(in);
    if (flags & 32) rod.short_radius = take_double(in);
    const mote_result result = mote_rod_section_of(&rod, &section, &parameter);
    if (result) {
        FUZZ_CHECK(section.bending_stiffness == -1 && section.twisting_stiffness == -2);
        FUZZ_CHECK(section.mass_per_metre == -3 && section.bending_ratio == -4);
        return;
    }
    const double a = rod.radius, b = rod.short_radius > 0 ? rod.short_radius : a,
                 hole = pow(rod.hole_radius / a, 4), pi = 3.14159265358979323846;
    const double bending = rod.young * pi / 4 * a * b * b * b * (1 - hole);
    FUZZ_CHECK(!parameter && section.mass_per_metre > 0 && section.bending_ratio >= 1);
    FUZZ_CHECK(section.twisting_stiffness >= 0 && isfinite(section.twisting_stiffness));
    FUZZ_CHECK(fabs((double)section.bending_stiffness - bending) <= 1e-6 * bending);
}

/* --- Bounds --- */

static void bounds(input *in) {
    const mote_integrator integrator = (mote_integrator)take_below(in, MOTE_INTEGRATOR_COUNT + 1);
    const double a = take_double(in), b = take_double(in), c = take_double(in);
    const double step = mote_integrator_stable_step(integrator, a, b, c);
    FUZZ_CHECK(isnan(step) || step >= 0);
    const mote_dead_zone zone = mote_integrator_dead_zone(integrator, a, b, c);
    const bool known = !isnan(zone.still_speed);
    FUZZ_CHECK(known == !isnan(zone.full_speed) && known == !isnan(zone.still_acceleration));
    if (known) FUZZ_CHECK(zone.still_speed >= 0 && zone.still_speed <= zone.full_speed);
    if (known) FUZZ_CHECK(zone.still_acceleration >= 0 && zone.still_acceleration <= zone.full_acceleration);
    FUZZ_CHECK(mote_strand_substeps(take_word(in), a, b, c) >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static void (*const kinds[])(input *) = {transforms, chains, sections, bounds};
    input in = {bytes, bytes + size};
    kinds[take_byte(&in) % 4](&in);
    return 0;
}
