/* The accuracy command: experiments with one particle and with coupled ones, each flown by the engine and, in
 * double, by an implementation of the same method that is written from its formula and shares nothing with
 * the engine; and with one rope, beside the equilibrium and the modes of its chain. */
#ifndef BENCH_ACCURACY_H
#define BENCH_ACCURACY_H

#include <stdbool.h>
#include <stdio.h>

#include <mote/mote.h>

#include "integrators.h"
#include "reference.h"

#define MAX_SETUP_FORCES 4u

typedef struct bench_state {
    double x[3], v[3];
} bench_state;

/* One experiment's motion. Forces are the engine's defs; the reference reads the same parameters. Callbacks
 * are `accuracy_callback` with an accuracy_field as user. */
typedef struct bench_setup {
    uint32_t experiment;
    double mass;
    bench_state start;
    mote_force_def forces[MAX_SETUP_FORCES];
    uint32_t force_count;
    mote_rate rate;
    uint32_t steps;            /* one sample after each */
    double stiffness, damping; /* of the spring, where there is one: for quantities */
    void (*exact)(const struct bench_setup *setup, double time, bench_state *state); /* NULL: not known */
} bench_setup;

/* What a callback adds: to a in m/s^2, or the velocity field itself. */
typedef struct accuracy_field {
    void (*evaluate)(double time, const double x[3], const double v[3], double value[3]);
} accuracy_field;

mote_force_callback accuracy_callback;

typedef struct bench_sample {
    double time;
    bench_state state;
    double energy,
        spin; /* J; kg m^2/s, the angular momentum about z; of those forces that have a potential */
} bench_sample;

/* samples[0 .. setup->steps]. */
typedef struct bench_trajectory {
    bench_sample *samples;
    uint32_t count;
} bench_trajectory;

/* One substep h of an integrator from *state at `time`, in double. */
void reference_step(const bench_setup *setup, mote_integrator integrator, double time, double h,
                    bench_state *state, bench_noise *noise);

/* True velocities before the first step -> what position Verlet carries, and back. Nothing for all others. */
void reference_start(const bench_setup *setup, mote_integrator integrator, double time, double h,
                     bench_state *state, bench_noise *noise);
bench_state reference_reported(const bench_setup *setup, mote_integrator integrator, double time, double h,
                               bench_state state);

/* The exact flow of the affine forces of a setup over any time, closed form; setup->exact of affine
 * setups. */
void reference_flow(const bench_setup *setup, double time, bench_state *state);
void accuracy_exact_flow(const bench_setup *setup, double time, bench_state *state);

double reference_energy(const bench_setup *setup, const bench_state *state);

/* One flight by the engine, one by the reference without noise, and some with it. */
#define NOISY_FLIGHTS 8u
typedef struct bench_flights {
    const bench_setup *setup;
    mote_integrator integrator;
    bench_trajectory engine, exact, noisy[NOISY_FLIGHTS];
} bench_flights;

bench_flights flights_make(const bench_setup *setup, mote_integrator integrator);
void flights_free(bench_flights *flights);

/* The engine's part of it alone: a system with one particle, states as presented, so with true velocities. */
mote_system *accuracy_system(const bench_setup *setup, mote_integrator integrator);
bench_state accuracy_state(const mote_system *system);
double accuracy_timestep(const bench_setup *setup);

/* --- What comes of it --- */

typedef struct accuracy_record {
    uint32_t experiment;
    const char *integrator;
    char quantity[80];
    double measured, reference, error, allowed;
} accuracy_record;

typedef struct accuracy_report {
    accuracy_record *records;
    uint32_t count, failed;
    const char *csv; /* the directory; NULL: none */
} accuracy_report;

/* Adds and prints a row: error = |measured - reference|. NaN fails. */
void accuracy_add(accuracy_report *report, uint32_t experiment, mote_integrator integrator,
                  const char *quantity, double measured, double reference, double allowed);

/* The same for what is no integrator. */
void accuracy_add_named(accuracy_report *report, uint32_t experiment, const char *name, const char *quantity,
                        double measured, double reference, double allowed);

/* A number of a flight; parameter: its own. */
typedef double bench_quantity(const bench_setup *setup, const bench_trajectory *trajectory, double parameter);

/* A published figure and half of the last digit that is given; NO_FIGURE: the reference flight gives it. */
typedef struct bench_figure {
    double value, half_digit;
} bench_figure;
#define NO_FIGURE ((bench_figure){NAN, 0})

/* Adds a row for a quantity of flights. Allowed is what rounding to floats does to it: three times the
 * largest change that the noise made in any of the noisy flights (a normal variable leaves three times the
 * largest of eight of its draws less often than once in 10^4), and half of the figure's last digit. extra:
 * what else is allowed, where the experiment derives it. A figure that drowns in the rounding is marked
 * `below float32`. */
void accuracy_judge(accuracy_report *report, const bench_flights *flights, const char *name,
                    bench_quantity *quantity, double parameter, bench_figure figure, double extra);

/* Quantities. */
bench_quantity quantity_x, quantity_y, quantity_v; /* of sample number `parameter`, negative: the last */
bench_quantity quantity_largest_error;             /* Euclidean, in position, against setup->exact */
bench_quantity quantity_last_error;                /* the same of the last sample */
bench_quantity quantity_energy_min, quantity_energy_max,
    quantity_energy; /* E / E0; of sample number `parameter` */

/* A time series of an experiment, written as DIR/experiment-N.csv: a column per integrator and quantity. */
#define CSV_ROWS 2000u
typedef struct bench_series_file bench_series_file;
bench_series_file *series_open(const accuracy_report *report, const bench_setup *setup, uint32_t axes,
                               bool energy);
void series_add(bench_series_file *file, const bench_flights *flights);
void series_close(bench_series_file *file);

/* The experiments. */
typedef void accuracy_experiment(accuracy_report *report);
accuracy_experiment accuracy_constant_force, accuracy_damped_spring, accuracy_oscillator, accuracy_stability,
    accuracy_kinematic, accuracy_joint_flow, accuracy_velocity_field, accuracy_kepler, accuracy_projectile,
    accuracy_orders, accuracy_momentum, accuracy_hanging_rope, accuracy_swinging_rope,
    accuracy_coupled_bodies, accuracy_swinging_net, accuracy_linear_chain;

#endif
