/* Flights: one motion by the engine through its public calls, by the reference, and by the reference with
 * noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"
#include "contenders.h"
#include "engine.h"

double verify_timestep(const bench_setup *setup) {
    return (double)setup->rate.seconds / (double)setup->rate.steps;
}

void verify_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const verify_field *field = user;
    for (uint32_t i = 0; i < stage->count; i++) {
        const double at[3] = {(double)stage->x[i], (double)stage->y[i], (double)stage->z[i]};
        const double v[3] = {(double)stage->velocity_x[i], (double)stage->velocity_y[i],
                             (double)stage->velocity_z[i]};
        double value[3] = {0};
        field->evaluate(stage->time, at, v, value);
        x[i] += (float)value[0];
        y[i] += (float)value[1];
        z[i] += (float)value[2];
    }
}

mote_system *verify_system(const bench_setup *setup, mote_integrator integrator) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    def.capacity = 1;
    def.steps_per_second = setup->rate;
    def.integrator = integrator;
    def.interpolation = MOTE_INTERPOLATE_NONE;
    def.mass = (float)setup->mass;
    def.mass_column = setup->mass_column;
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    for (uint32_t i = 0; i < setup->force_count; i++) {
        mote_force_id id;
        engine_check(mote_system_add_force(system, &setup->forces[i], &id),
                     mote_force_name(setup->forces[i].kind));
    }
    engine_check(mote_system_spawn(system, 1, &view), "mote_system_spawn");
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (int axis = 0; axis < 3; axis++) {
        column[axis][0] = (float)setup->start.x[axis];
        column[3 + axis][0] = (float)setup->start.v[axis];
    }
    return system;
}

/* NaN where the particle turned non-finite and was killed. */
bench_state verify_state(const mote_system *system) {
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = 6 * sizeof(float), layout.velocity_offset = 3 * sizeof(float);
    float value[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    bench_state state;
    engine_check(mote_system_present(system, &layout, value, sizeof value), "mote_system_present");
    for (int axis = 0; axis < 3; axis++) {
        state.x[axis] = (double)value[axis];
        state.v[axis] = (double)value[3 + axis];
    }
    return state;
}

static bench_trajectory trajectory_of(const bench_setup *setup) {
    return (bench_trajectory){allocate_or_fail((setup->steps + 1) * sizeof(bench_sample)), setup->steps + 1};
}

bench_trajectory engine_flight(const bench_setup *setup, mote_integrator integrator) {
    bench_trajectory flight = trajectory_of(setup);
    mote_system *system = verify_system(setup, integrator);
    for (uint32_t i = 0; i < flight.count; i++) {
        mote_statistics sums;
        if (i) engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
        engine_check(mote_system_statistics(system, &sums), "mote_system_statistics");
        flight.samples[i] = (bench_sample){mote_system_time(system), verify_state(system),
                                           sums.kinetic + sums.potential, sums.angular_momentum[2]};
    }
    mote_system_destroy(system);
    return flight;
}

bench_trajectory reference_flight(const bench_setup *setup, mote_integrator integrator, bench_noise *noise) {
    bench_trajectory flight = trajectory_of(setup);
    bench_state state = setup->start;
    double h = verify_timestep(setup);
    reference_start(setup, integrator, 0, h, &state, noise);
    for (uint32_t i = 0; i < flight.count; i++) {
        if (i) reference_step(setup, integrator, (i - 1) * h, h, &state, noise);
        bench_state at = reference_reported(setup, integrator, i * h, h, state);
        flight.samples[i] = (bench_sample){i * h, at, reference_energy(setup, &at),
                                           setup->mass * (at.x[0] * at.v[1] - at.x[1] * at.v[0])};
    }
    return flight;
}

bench_flights flights_make(const bench_setup *setup, mote_integrator integrator) {
    bench_flights flights = {.setup = setup, .integrator = integrator};
    flights.engine = engine_flight(setup, integrator);
    flights.exact = reference_flight(setup, integrator, NULL);
    for (uint32_t i = 0; i < NOISY_FLIGHTS; i++) {
        bench_noise noise = noise_of_run(i);
        flights.noisy[i] = reference_flight(setup, integrator, &noise);
    }
    return flights;
}

void trajectory_free(bench_trajectory *trajectory) { free(trajectory->samples); }

void flights_free(bench_flights *flights) {
    trajectory_free(&flights->engine);
    trajectory_free(&flights->exact);
    for (uint32_t i = 0; i < NOISY_FLIGHTS; i++) trajectory_free(&flights->noisy[i]);
}

bench_values flights_values(const bench_flights *flights, bench_quantity *quantity, double parameter) {
    const bench_setup *setup = flights->setup;
    bench_values values = {
        quantity(setup, &flights->engine, parameter), quantity(setup, &flights->exact, parameter), {0}};
    for (uint32_t i = 0; i < NOISY_FLIGHTS; i++)
        values.noisy[i] = quantity(setup, &flights->noisy[i], parameter);
    return values;
}

/* --- Quantities --- */

static const bench_sample *sample_at(const bench_trajectory *t, double index) {
    return &t->samples[index < 0 || index >= t->count ? t->count - 1 : (uint32_t)index];
}

double quantity_x(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s;
    return sample_at(t, p)->state.x[0];
}

double quantity_y(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s;
    return sample_at(t, p)->state.x[1];
}

double quantity_v(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s;
    return sample_at(t, p)->state.v[0];
}

static double error_of(const bench_setup *s, const bench_sample *sample) {
    bench_state exact;
    double sum = 0;
    s->exact(s, sample->time, &exact);
    for (int axis = 0; axis < 3; axis++) {
        double d = sample->state.x[axis] - exact.x[axis];
        sum += d * d;
    }
    return sqrt(sum);
}

/* The largest magnitude of a quantity less `base` over all samples; NaN stays. */
static double largest_of(const bench_setup *s, const bench_trajectory *t, bench_quantity *quantity,
                         double base) {
    double largest = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        double size = fabs(quantity(s, t, i) - base);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

double quantity_last_error(const bench_setup *s, const bench_trajectory *t, double p) {
    return error_of(s, sample_at(t, p));
}

double quantity_largest_error(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    return largest_of(s, t, quantity_last_error, 0);
}

double quantity_energy(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s;
    return sample_at(t, p)->energy / t->samples[0].energy;
}

double quantity_largest_energy_change(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    return largest_of(s, t, quantity_energy, 1);
}

static double quantity_spin(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s;
    return sample_at(t, p)->spin / t->samples[0].spin;
}

double quantity_largest_spin_change(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    return largest_of(s, t, quantity_spin, 1);
}

double quantity_energy_min(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < t->count; i++) least = -larger_or_nan(-least, -quantity_energy(s, t, i));
    return least;
}

double quantity_energy_max(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < t->count; i++) most = larger_or_nan(most, quantity_energy(s, t, i));
    return most;
}
