/* Orders of accuracy: the slope of the global error over halved steps, of every integrator on every sort of
 * force. An ensemble of particles that start in different directions makes one error of many, so that
 * rounding, which is independent from one particle to the next, enters in quadrature. */
#include "test.h"

#include <math.h>
#include <string.h>

#include <mote/mote.h>

#include "support.h"

enum { BODIES = 48, FINEST = 4096 };

static const double UNIT = 0x1p-24;
#define MASS 0.8f

/* a(t, x, v), or u(t, x) where particles are advected: what the forces of a trial say, once more in
 * double. */
typedef void double_acceleration(double t, const double x[3], const double v[3], double a[3]);

typedef struct trial {
    const char *name;
    mote_force_def forces[4];
    uint32_t force_count;
    double_acceleration *acceleration;
    double seconds;
    float radius, speed; /* of the starts; the velocity is across the radius */
    double growth;       /* how far an early rounding may have grown at the end */
    bool reads_velocity, advects;
} trial;

typedef struct ensemble {
    float column[6][BODIES];
} ensemble;

/* --- Starts and references --- */

static void turn(const double axis[3], double angle, double v[3]) {
    double c = cos(angle), s = sin(angle), along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2], out[3];
    for (int k = 0; k < 3; k++) {
        int n = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = c * v[k] + s * (axis[n] * v[m] - axis[m] * v[n]) + (1 - c) * along * axis[k];
    }
    memcpy(v, out, sizeof out);
}

static ensemble starts(const trial *t) {
    ensemble e;
    random_source random = {7};
    for (int i = 0; i < BODIES; i++) {
        double x[3] = {t->radius, 0, 0}, v[3] = {0, t->speed, 0}, axis[3], length = 0;
        for (int k = 0; k < 3; k++) axis[k] = random_between(&random, -1, 1), length += axis[k] * axis[k];
        for (int k = 0; k < 3; k++) axis[k] /= sqrt(length);
        double angle = random_between(&random, 0, 6);
        turn(axis, angle, x);
        turn(axis, angle, v);
        for (int k = 0; k < 3; k++) e.column[k][i] = (float)x[k], e.column[3 + k][i] = (float)v[k];
    }
    return e;
}

static void slope_of(const trial *t, double time, const double y[6], double d[6]) {
    t->acceleration(time, y, y + 3, t->advects ? d : d + 3);
    for (int k = 0; k < 3; k++) {
        if (t->advects)
            d[3 + k] = 0;
        else
            d[k] = y[3 + k];
    }
}

/* RK4 in double with `steps` steps. The trials bend in time only at eighths of their length. */
static void solve(const trial *t, int steps, double y[6]) {
    double h = t->seconds / steps, d[4][6], at[6];
    static const double ahead[4] = {0, 0.5, 0.5, 1};
    for (int n = 0; n < steps; n++) {
        for (int stage = 0; stage < 4; stage++) {
            for (int k = 0; k < 6; k++) at[k] = y[k] + (stage ? h * ahead[stage] * d[stage - 1][k] : 0);
            slope_of(t, (n + ahead[stage]) * h, at, d[stage]);
        }
        for (int k = 0; k < 6; k++) y[k] += h / 6 * (d[0][k] + 2 * d[1][k] + 2 * d[2][k] + d[3][k]);
    }
}

/* --- Errors and slopes --- */

static ensemble run(mote_integrator integrator, const trial *t, uint32_t steps) {
    ensemble e = starts(t);
    float(*c)[BODIES] = e.column;
    mote_columns columns = {.count = BODIES,
                            .position = {c[0], c[1], c[2]},
                            .velocity = {c[3], c[4], c[5]},
                            .uniform_mass = MASS};
    mote_columns_def def = mote_default_columns_def();
    def.integrator = integrator;
    def.forces = t->forces;
    def.force_count = t->force_count;
    def.timestep = t->seconds / steps;
    def.steps = steps;
    bool half_steps = integrator == MOTE_POSITION_VERLET;
    if (half_steps) assert_int_equal(mote_columns_kick(&columns, &def, -0.5), MOTE_OK);
    assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
    def.time = t->seconds;
    if (half_steps) assert_int_equal(mote_columns_kick(&columns, &def, 0.5), MOTE_OK);
    return e;
}

/* Root of the mean square of the distance to the solution: of positions, and of velocities where there are
 * any. */
static double error_of(mote_integrator integrator, const trial *t, const double (*exact)[6], uint32_t steps) {
    ensemble e = run(integrator, t, steps);
    double sum = 0;
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < (t->advects ? 3 : 6); k++) sum += pow((double)e.column[k][i] - exact[i][k], 2);
    return sqrt(sum / BODIES);
}

/* The spread of the rounding: a step rounds each of the six values, its coefficients and its increments,
 * eight in all of the size of the state, which shrink or grow until the end. One rounding is off by UNIT at
 * most, by UNIT / sqrt(3) in the mean of its values and by 0.4 UNIT in that over all mantissas. */
static double rounding_of(const trial *t, uint32_t steps) {
    return sqrt(8.0 * steps) * 0.4 * UNIT * fmax((double)t->radius, (double)t->speed) * t->growth;
}

/* The slope over the finest two steps of which the rounding makes up less than a quarter of the error: in
 * quadrature, it is off by at most log2(1 + 1/16) / 2 = 0.05 then. 0: the error is rounding at every step. */
static double order_of(mote_integrator integrator, const trial *t, const double (*exact)[6]) {
    double slope = 0, coarse = 0;
    bool above = false;
    for (uint32_t steps = 4; steps <= FINEST; steps *= 2) {
        double error = error_of(integrator, t, exact, steps);
        bool seen = error > 4 * rounding_of(t, steps);
        if (!seen && steps > 64) break;
        /* A comparison that no NaN passes: a coarse step may be unstable. */
        if (seen && above && coarse < 1) slope = log2(coarse / error);
        above = seen;
        coarse = error;
    }
    return slope;
}

/* --- The trials --- */

static void spring(double damping, const double x[3], const double v[3], double a[3]) {
    for (int k = 0; k < 3; k++) a[k] = (-5 * x[k] - damping * v[k]) / (double)MASS;
}

static void undamped(double t, const double x[3], const double v[3], double a[3]) {
    (void)t, spring(0, x, v, a);
}
static void damped(double t, const double x[3], const double v[3], double a[3]) {
    (void)t, spring(1.5, x, v, a);
}

static void kepler(double t, const double x[3], const double v[3], double a[3]) {
    (void)t, (void)v;
    double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    for (int k = 0; k < 3; k++) a[k] = -x[k] / (r2 * sqrt(r2));
}

static void kepler_in_air(double t, const double x[3], const double v[3], double a[3]) {
    kepler(t, x, v, a);
    for (int k = 0; k < 3; k++) a[k] += 0.25 * ((k == 2 ? 0.5 : 0) - v[k]) / (double)MASS;
}

/* Keys at quarters of two seconds: a step never holds a bend. */
static const float key_times[4] = {0.5f, 1, 1.5f, 2};
static vec3 key_forces[4] = {{1, 0, -1}, {-2, 1, 0}, {3, 0, 2}, {0, -2, 1}};

static void add_thrust(double t, double a[3]) {
    int key = t < 1 ? 0 : t < 1.5 ? 1 : 2;
    double s = fmax(0, (t - (double)key_times[key]) / 0.5);
    for (int k = 0; k < 3; k++)
        a[k] += ((double)key_forces[key][k] * (1 - s) + (double)key_forces[key + 1][k] * s) / (double)MASS;
}

/* F = (1 + t) (y, z, x) / 2. */
static void push(void *unused, const mote_stage_view *s, float *x, float *y, float *z) {
    (void)unused;
    float rise = (float)(0.5 * (1 + s->time));
    for (uint32_t i = 0; i < s->count; i++)
        x[i] += rise * s->y[i], y[i] += rise * s->z[i], z[i] += rise * s->x[i];
}

static void driven(double t, const double x[3], const double v[3], double a[3]) {
    spring(0, x, v, a);
    add_thrust(t, a);
    for (int k = 0; k < 3; k++) a[k] += 0.5 * (1 + t) * x[(k + 1) % 3] / (double)MASS;
}

/* F = -(1 + t) v / 4. */
static void thickening_air(void *unused, const mote_stage_view *s, float *x, float *y, float *z) {
    (void)unused;
    float drag = (float)(-0.25 * (1 + s->time));
    for (uint32_t i = 0; i < s->count; i++) {
        x[i] += drag * s->velocity_x[i];
        y[i] += drag * s->velocity_y[i];
        z[i] += drag * s->velocity_z[i];
    }
}

static void driven_in_air(double t, const double x[3], const double v[3], double a[3]) {
    spring(0, x, v, a);
    add_thrust(t, a);
    double u[3] = {v[0] - 1, v[1], v[2]}, speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) a[k] -= (0.3 * speed * u[k] + 0.25 * (1 + t) * v[k]) / (double)MASS;
}

/* x' = (1 + t) (y, z, x) / 2 + (0, 1, 0) - x: a callback over a linear field. */
static void flow(double t, const double x[3], const double unused[3], double u[3]) {
    (void)unused;
    for (int k = 0; k < 3; k++) u[k] = 0.5 * (1 + t) * x[(k + 1) % 3] - x[k] + (k == 1);
}

enum { UNDAMPED, DAMPED, ORBIT, ORBIT_IN_AIR, DRIVEN, DRIVEN_IN_AIR, FLOW, TRIALS };

static void make_trials(trial trials[TRIALS]) {
    mote_force_def stiff = mote_anchor_spring((vec3){0, 0, 0}, 5, 0),
                   sun = mote_attractor((vec3){0, 0, 0}, 1, 0);
    mote_force_def air = mote_wind((vec3){0, 0, 0.5f}, 0.25f),
                   drag = mote_quadratic_drag((vec3){1, 0, 0}, 0.3f);
    mote_force_def thrust = mote_timed_thrust(key_times, key_forces, 4), pushed = mote_callback(push, NULL),
                   thick = pushed;
    mote_force_def sink = mote_linear_field((vec3){0, 1, 0}, (mat3){{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
                                            MOTE_FIELD_VELOCITY, 0);
    mote_force_def stream = pushed;
    pushed.as.callback.reads_velocity = false;
    thick.as.callback.function = thickening_air;
    stream.as.callback.unit = MOTE_METRES_PER_SECOND;
    trials[UNDAMPED] = (trial){"undamped spring", {stiff}, 1, undamped, 2, 1, 1, 2.5, false, false};
    trials[DAMPED] = (trial){"damped spring",
                             {mote_anchor_spring((vec3){0, 0, 0}, 5, 1.5f)},
                             1,
                             damped,
                             2,
                             1,
                             1,
                             2.5,
                             true,
                             false};
    /* e = 0.15. A rounding moves the energy by 3 UNIT of itself, the frequency by 4, and the phase at the end
     * by 6. Longer flights are no better: the energy that RK4 loses, of order 5, turns the phase with the
     * time squared. */
    trials[ORBIT] = (trial){"orbit", {sun}, 1, kepler, 1.5, 0.8f, 1.2f, 6, false, false};
    trials[ORBIT_IN_AIR] = (trial){"orbit in air", {sun, air}, 2, kepler_in_air, 2, 1, 1, 12, true, false};
    trials[DRIVEN] = (trial){"driven", {stiff, thrust, pushed}, 3, driven, 2, 1, 1, 3, false, false};
    trials[DRIVEN_IN_AIR] =
        (trial){"driven in air", {stiff, thrust, drag, thick}, 4, driven_in_air, 2, 1, 1, 3, true, false};
    trials[FLOW] = (trial){"flow", {sink, stream}, 2, flow, 3, 1, 0, 3, false, true};
}

/* The descriptor's order, but where an integrator does better than it promises: one spring alone is exact for
 * kinematic and exact flow, and exact in dv for the average. Exact flow promises its order_damped for affine
 * forces only. */
static double expected(mote_integrator integrator, int which, bool reads_velocity) {
    const mote_integrator_info *info = mote_integrator_describe(integrator);
    bool spring_uncoupled = which == UNDAMPED || which == DAMPED;
    if (spring_uncoupled && (integrator == MOTE_KINEMATIC || integrator == MOTE_EXACT_FLOW)) return 0;
    if (spring_uncoupled && integrator == MOTE_KINEMATIC_AVERAGE) return 2;
    if (integrator == MOTE_EXACT_FLOW && which == DRIVEN_IN_AIR) return 1;
    return reads_velocity ? info->order_damped : info->order;
}

static void try_all(int which) {
    trial trials[TRIALS];
    make_trials(trials);
    const trial *t = &trials[which];
    double exact[BODIES][6];
    ensemble e = starts(t);
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 6; k++) exact[i][k] = e.column[k][i];
        solve(t, FINEST, exact[i]);
    }
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        if (advects((mote_integrator)m) != t->advects) continue;
        double want = expected((mote_integrator)m, which, t->reads_velocity);
        double got = order_of((mote_integrator)m, t, (const double(*)[6])exact);
        /* The next term of the error at the finest steps that can be seen, and the rounding. */
        if (!(fabs(got - want) <= 0.2))
            fail_msg("%s, %s: slope %.3f, not %g", t->name,
                     mote_integrator_describe((mote_integrator)m)->name, got, want);
    }
}

TEST(on_the_undamped_spring) { try_all(UNDAMPED); }
TEST(on_the_damped_spring) { try_all(DAMPED); }
TEST(on_the_orbit) { try_all(ORBIT); }
TEST(on_the_orbit_in_air) { try_all(ORBIT_IN_AIR); }
TEST(on_forces_of_place_and_time) { try_all(DRIVEN); }
TEST(on_forces_of_velocity_and_time) { try_all(DRIVEN_IN_AIR); }
TEST(on_the_flow) { try_all(FLOW); }

/* The double reference against the closed form of the undamped spring: (h w)^4 w t / 120 of its RK4 steps is
 * 1e-13. */
TEST(reference_is_right) {
    trial trials[TRIALS];
    make_trials(trials);
    double y[6] = {1, 0, 0, 0, 2, 0}, w = sqrt(5 / (double)MASS);
    solve(&trials[UNDAMPED], FINEST, y);
    ASSERT(fabs(y[0] - cos(2 * w)), <, 1e-11);
    ASSERT(fabs(y[1] - 2 * sin(2 * w) / w), <, 1e-11);
    ASSERT(fabs(y[3] + w * sin(2 * w)), <, 1e-11);
    ASSERT(fabs(y[4] - 2 * cos(2 * w)), <, 1e-11);
}
