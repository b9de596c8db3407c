/* Emitters beside their defs: speeds, directions and places of births, and the moments within a step at which
 * they happen. Births are random numbers of a seed: means have four deviations of so many draws. */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "verify.h"

enum { BIRTHS = 4096 };
#define RATE 60.0 /* steps a second */

typedef struct emission {
    mote_system *system;
    mote_range_view view;
    mote_emitter_id id;
} emission;

static emission begin(const mote_emitter_def *def) {
    mote_system_def system = mote_default_system_def();
    emission e;
    system.capacity = BIRTHS, system.lifetimes = system.initial_ages = true;
    system.interpolation = MOTE_INTERPOLATE_LINEAR;
    engine_check(mote_system_create(&system, &e.system), "mote_system_create");
    engine_check(mote_system_add_emitter(e.system, def, &e.id), "mote_system_add_emitter");
    return e;
}

/* Births at once, which have not moved yet. */
static emission burst(const mote_emitter_def *def) {
    emission e = begin(def);
    engine_check(mote_system_emit(e.system, e.id, NULL, NULL, BIRTHS, NULL), "mote_system_emit");
    e.view = mote_system_view(e.system);
    return e;
}

static void read(const mote_vector_columns *columns, uint32_t i, double out[3]) {
    out[0] = (double)columns->x[i], out[1] = (double)columns->y[i], out[2] = (double)columns->z[i];
}

static double norm(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/* The least, the mean and the greatest of a quantity of all births. */
typedef struct range {
    double least, mean, most;
} range;

static void add(range *r, double value) {
    r->least = -larger_or_nan(-r->least, -value);
    r->mean += value / BIRTHS;
    r->most = larger_or_nan(r->most, value);
}
#define EMPTY ((range){HUGE_VAL, 0, -HUGE_VAL})

/* A quantity that is even from a to b: its mean within four deviations, (b - a) / sqrt(12 n) each, and its
 * ends, which a share of 10 / n of the draws reaches but for one case in e^10; beyond them are roundings. */
static void judge_even(verify_report *report, const char *name, const range *r, double a, double b,
                       const char *quantity) {
    const double slack = 8 * FLOAT_ROUNDING * fmax(fabs(a), fabs(b)), gap = 10 * (b - a) / BIRTHS;
    verify_add(report, name, r->mean, 0.5 * (a + b), 4 * (b - a) / sqrt(12.0 * BIRTHS) + slack, "mean %s",
               quantity);
    verify_between(report, name, r->least, a - slack, a + gap + slack, "least %s", quantity);
    verify_between(report, name, r->most, b - gap - slack, b + slack, "greatest %s", quantity);
}

/* --- Speeds and directions --- */

static void judge_speed(verify_report *report, float least, float most) {
    mote_emitter_def def = mote_default_emitter_def();
    def.speed = (mote_spread){least, most}, def.spread = 1, def.seed = 3;
    const emission e = burst(&def);
    range speed = EMPTY;
    for (uint32_t i = 0; i < e.view.count; i++) {
        double v[3];
        read(&e.view.velocity, i, v);
        add(&speed, norm(v));
    }
    judge_even(report, "speed", &speed, (double)least, (double)most,
               least < most ? "of 2 to 5 m/s" : "of 3 m/s");
    mote_system_destroy(e.system);
}

/* Directions are uniform by solid angle in the cone: cosines are even from cos(spread) to 1, about the y axis
 * of an emitter that is turned by a quarter about x, which is the z axis of the world. The azimuth is even:
 * the means across the axis are 0, with deviations below those of a unit vector. */
static void judge_spread(verify_report *report, float angle, const char *quantity) {
    mote_emitter_def def = mote_default_emitter_def();
    def.spread = angle, def.seed = 4;
    def.transform.rotation[0] = def.transform.rotation[3] = 1;
    const emission e = burst(&def);
    range cosine = EMPTY, x = EMPTY, y = EMPTY;
    for (uint32_t i = 0; i < e.view.count; i++) {
        double v[3];
        read(&e.view.velocity, i, v);
        add(&cosine, v[2] / norm(v)), add(&x, v[0]), add(&y, v[1]);
    }
    const double across = 4 * sin(fmin((double)angle, acos(-1) / 2)) / sqrt(BIRTHS);
    judge_even(report, "spread", &cosine, cos((double)angle), 1, quantity);
    verify_add(report, "spread", x.mean, 0, across, "mean x of directions, spread %g rad", (double)angle);
    verify_add(report, "spread", y.mean, 0, across, "mean y of directions, spread %g rad", (double)angle);
    mote_system_destroy(e.system);
}

/* --- Places --- */

/* By volume of a hollow sphere, and by area of a hollow disc: r^3 or r^2 is even. */
static void judge_places(verify_report *report, mote_emitter_shape shape) {
    const bool volume = shape == MOTE_EMITTER_SPHERE;
    const int power = volume ? 3 : 2;
    mote_emitter_def def = mote_default_emitter_def();
    def.shape = shape, def.radius = 1.5f, def.inner_radius = 0.5f, def.seed = 5;
    const emission e = burst(&def);
    range size = EMPTY, height = EMPTY;
    for (uint32_t i = 0; i < e.view.count; i++) {
        double x[3];
        read(&e.view.position, i, x);
        add(&size, pow(norm(x), power)), add(&height, x[1] / norm(x));
    }
    judge_even(report, volume ? "sphere" : "disc", &size, pow(0.5, power), pow(1.5, power),
               volume ? "r^3, m^3" : "r^2, m^2");
    judge_even(report, volume ? "sphere" : "disc", &height, volume ? -1 : 0, volume ? 1 : 0, "y / r");
    mote_system_destroy(e.system);
}

/* By volume of a box: each coordinate is even. */
static void judge_box(verify_report *report) {
    static const char *axis[] = {"x, m", "y, m", "z, m"};
    mote_emitter_def def = mote_default_emitter_def();
    def.shape = MOTE_EMITTER_BOX, def.seed = 6;
    def.extent[0] = 2, def.extent[1] = 0.5f, def.extent[2] = 1;
    const emission e = burst(&def);
    range side[3] = {EMPTY, EMPTY, EMPTY};
    for (uint32_t i = 0; i < e.view.count; i++) {
        double x[3];
        read(&e.view.position, i, x);
        for (int k = 0; k < 3; k++) add(&side[k], x[k]);
    }
    for (int k = 0; k < 3; k++)
        judge_even(report, "box", &side[k], -(double)def.extent[k], (double)def.extent[k], axis[k]);
    mote_system_destroy(e.system);
}

/* By length of a circle: its angle is even. Sine and cosine err by 5e-7 (engine/math/random.h). */
static void judge_ring(verify_report *report) {
    mote_emitter_def def = mote_default_emitter_def();
    def.shape = MOTE_EMITTER_RING, def.radius = 1.5f, def.seed = 7;
    const emission e = burst(&def);
    range angle = EMPTY, size = EMPTY, height = EMPTY;
    for (uint32_t i = 0; i < e.view.count; i++) {
        double x[3];
        read(&e.view.position, i, x);
        add(&angle, atan2(x[2], x[0])), add(&size, norm(x)), add(&height, x[1]);
    }
    const double rounding = 1.5 * sqrt(2) * 5e-7;
    judge_even(report, "ring", &angle, -acos(-1), acos(-1), "angle, rad");
    verify_between(report, "ring", size.least, 1.5 - rounding, 1.5 + rounding, "least radius, m");
    verify_between(report, "ring", size.most, 1.5 - rounding, 1.5 + rounding, "greatest radius, m");
    verify_between(report, "ring", height.most - height.least, 0, 0, "thickness, m");
    mote_system_destroy(e.system);
}

/* The mouth of a cone is the disc, and its directions go out from one point, the tip of the cone: at the way
 * r from the axis by the slope tan(angle) r / radius. Slopes are quotients of numbers of eight roundings. */
static void judge_cone(verify_report *report) {
    mote_emitter_def def = mote_default_emitter_def();
    def.shape = MOTE_EMITTER_CONE, def.radius = 1.5f, def.angle = 0.5f, def.seed = 8;
    const emission e = burst(&def);
    range square = EMPTY, slope = EMPTY;
    for (uint32_t i = 0; i < e.view.count; i++) {
        double x[3], v[3];
        read(&e.view.position, i, x), read(&e.view.velocity, i, v);
        add(&square, x[0] * x[0] + x[2] * x[2]);
        add(&slope, hypot(v[0] / v[1] - tan(0.5) * x[0] / 1.5, v[2] / v[1] - tan(0.5) * x[2] / 1.5));
    }
    judge_even(report, "cone", &square, 0, 2.25, "r^2, m^2");
    verify_between(report, "cone", slope.most, 0, 8 * FLOAT_ROUNDING, "slopes of directions, largest error");
    mote_system_destroy(e.system);
}

void verify_emission(verify_report *report) {
    judge_speed(report, 3, 3);
    judge_speed(report, 2, 5);
    judge_spread(report, 0.1f, "cosine, spread 0.1 rad");
    judge_spread(report, 1, "cosine, spread 1 rad");
    judge_spread(report, 3, "cosine, spread 3 rad");
    judge_places(report, MOTE_EMITTER_SPHERE);
    judge_places(report, MOTE_EMITTER_DISC);
    judge_box(report);
    judge_ring(report);
    judge_cone(report);
}

/* --- Births within a step --- */

/* Ten births a step at the fractions f = 1/10, 2/10, ... 1 of the first one, from (1, 2, 3) with 6 m/s along
 * y: at p + (1 - f) dt v at its end, at p - f dt v before, with an age of (1 - f) dt. Places are rounded
 * three times. */
static void judge_fractions(verify_report *report) {
    mote_emitter_def def = mote_default_emitter_def();
    const double speed = 6, dt = 1 / RATE;
    def.rate = 600, def.speed = (mote_spread){(float)speed, (float)speed}, def.lifetime = (mote_spread){2, 2};
    for (int k = 0; k < 3; k++) def.transform.position[k] = (float)(k + 1);
    emission e = begin(&def);
    engine_check(mote_system_step(e.system, 1, NULL), "mote_system_step");
    e.view = mote_system_view(e.system);
    double place = 0, before = 0, age = 0, left = 0;
    for (uint32_t i = 0; i < e.view.count; i++) {
        const double f = (i + 1) / 10.0, y = (double)e.view.position.y[i], y0 = (double)e.view.previous.y[i];
        place = larger_or_nan(place, fabs(y - (2 + (1 - f) * dt * speed)));
        before = larger_or_nan(before, fabs(y0 - (2 - f * dt * speed)));
        age = larger_or_nan(age, fabs((double)e.view.initial_age[i] - (1 - f) * dt));
        left = larger_or_nan(left, fabs((double)e.view.lifetime[i] - (2 - (1 - f) * dt)));
    }
    verify_add(report, "emitter", e.view.count, 10, 0, "births in the first step at 600 a second");
    verify_add(report, "emitter", place, 0, 3 * 2 * FLOAT_ROUNDING * 2,
               "m, places, births at fractions of a step");
    verify_add(report, "emitter", before, 0, 3 * 2 * FLOAT_ROUNDING * 2,
               "m, places before, births at fractions");
    verify_add(report, "emitter", age, 0, 4 * FLOAT_ROUNDING * dt, "s, ages, births at fractions of a step");
    verify_add(report, "emitter", left, 0, 3 * FLOAT_ROUNDING * 2, "s, lifetimes, births at fractions");
    mote_system_destroy(e.system);
}

/* An emitter that goes 2.5 m along z within ten steps bears 40 particles a metre, evenly along its way, and
 * gives them a half of its velocity of 15 m/s: birth k is at k / 40 m, moves on along z at 7.5 m/s, and along
 * x at 1 m/s (its y axis lies along x). */
static void judge_way(verify_report *report) {
    mote_emitter_def def = mote_default_emitter_def();
    mote_advance clock;
    def.rate_per_metre = 40, def.inherit = 0.5f;
    def.transform.rotation[2] = -1, def.transform.rotation[3] = 1;
    emission e = begin(&def);
    mote_transform target = def.transform;
    target.position[2] = 2.5f;
    engine_check(mote_system_advance(e.system, 0, &clock), "mote_system_advance");
    engine_check(mote_system_move_emitter(e.system, e.id, &target, 10 * clock.ticks_per_step),
                 "mote_system_move_emitter");
    engine_check(mote_system_step(e.system, 12, NULL), "mote_system_step");
    e.view = mote_system_view(e.system);
    double along = 0, across = 0;
    for (uint32_t i = 0; i < e.view.count; i++) {
        const double born = (i + 1) / 40.0, t = 12 / RATE - born / 15;
        along = larger_or_nan(along, fabs((double)e.view.position.z[i] - (born + 7.5 * t)));
        across = larger_or_nan(across, fabs((double)e.view.position.x[i] - t));
    }
    verify_add(report, "emitter", e.view.count, 100, 0, "births on 2.5 m at 40 a metre");
    verify_add(report, "emitter", along, 0, 20 * FLOAT_ROUNDING * 4, "m, places along its way");
    verify_add(report, "emitter", across, 0, 20 * FLOAT_ROUNDING * 4, "m, places across its way");
    mote_system_destroy(e.system);
}

void verify_moments(verify_report *report) {
    judge_fractions(report);
    judge_way(report);
}
