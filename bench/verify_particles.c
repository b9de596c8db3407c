/* Loose particles: births and deaths in number and time, and presented positions. */
#include <math.h>

#include "engine.h"
#include "verify.h"

static mote_system *create(const mote_system_def *def) {
    mote_system *system;
    engine_check(mote_system_create(def, &system), "mote_system_create");
    return system;
}

/* --- Births and deaths --- */

/* Births after `steps` steps of 1/60 s without deaths; the sum of the float rate may fall on a whole number,
 * below which 1e-6 of a birth counts. */
static void births(verify_report *report, double rate, uint32_t steps) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 100000;
    mote_system *system = create(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    mote_emitter_id id;
    emitter.rate = (float)rate;
    engine_check(mote_system_add_emitter(system, &emitter, &id), "mote_system_add_emitter");
    engine_check(mote_system_step(system, steps, NULL), "mote_system_step");
    verify_add(report, "emitter", mote_system_count(system), floor((double)emitter.rate * steps / 60 + 1e-6),
               0, "births in %u steps at %g a second", (unsigned)steps, rate);
    mote_system_destroy(system);
}

/* Particles of an emitter that live for a second: rate x lifetime of them. Births are at the end of a step.
 */
static void steady(verify_report *report) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 10000, def.lifetimes = true;
    mote_system *system = create(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    mote_emitter_id id;
    emitter.rate = 600, emitter.lifetime = (mote_spread){1, 1};
    engine_check(mote_system_add_emitter(system, &emitter, &id), "mote_system_add_emitter");
    for (int i = 0; i < 300; i++) engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
    /* Births of one step, 10, may be on either side of the boundary. */
    verify_add(report, "emitter", mote_system_count(system), 600, 10,
               "alive at 600 a second that live for 1 s");
    mote_system_destroy(system);
}

void verify_births(verify_report *report) {
    static const double rates[] = {1, 7, 59.94, 61, 1000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) births(report, rates[i], 2100);
    steady(report);
}

/* --- Presentation --- */

/* A particle in free fall after three and `share` steps. By semi-implicit Euler x(n) = v t - g t (t + h) / 2
 * at the steps; Hermite's cubic through two of them with the velocities of the steps, linear interpolation
 * the chord. Roundings: of a position and two velocities in each step, and those of the cubic. */
static void present(verify_report *report, mote_interpolation interpolation, double share) {
    const double h = 0.016, g = 9.81, speed = 20, a = 3 * h, b = 4 * h;
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    mote_advance advance;
    def.capacity = 1, def.interpolation = interpolation, def.steps_per_second = (mote_rate){125, 2};
    mote_system *system = create(&def);
    engine_add_force(system, mote_gravity((float[3]){0, (float)-g, 0}));
    engine_check(mote_system_spawn(system, 1, &view), "mote_system_spawn");
    view.velocity.y[0] = (float)speed;
    const uint64_t nanoseconds = (uint64_t)((4 + share) * 16e6);
    engine_check(mote_system_advance(system, nanoseconds, &advance), "mote_system_advance");
    const mote_present_layout layout = mote_default_present_layout();
    float place[3];
    engine_check(mote_system_present(system, &layout, place, sizeof place), "mote_system_present");
    const double xa = speed * a - g * a * (a + h) / 2, xb = speed * b - g * b * (b + h) / 2,
                 va = h * (speed - g * a), vb = h * (speed - g * b), s = share;
    const double chord = xa + s * (xb - xa),
                 cubic = (2 * s * s * s - 3 * s * s + 1) * xa + (s * s * s - 2 * s * s + s) * va +
                         (3 * s * s - 2 * s * s * s) * xb + (s * s * s - s * s) * vb;
    const bool hermite = interpolation == MOTE_INTERPOLATE_HERMITE;
    verify_add(report, hermite ? "hermite" : "linear", (double)place[1], hermite ? cubic : chord,
               24 * FLOAT_ROUNDING * 2, "y of a throw, %.2f of the way to step 4", share);
    mote_system_destroy(system);
}

void verify_presentation(verify_report *report) {
    for (int k = 0; k < 4; k++) {
        present(report, MOTE_INTERPOLATE_LINEAR, 0.25 * k);
        present(report, MOTE_INTERPOLATE_HERMITE, 0.25 * k);
    }
}
