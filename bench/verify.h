/* The verify command: the engine makes a motion through its public calls, and a closed form, or the
 * references of reference.h in double, give what it should be. */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include <stdbool.h>

#include <mote/mote.h>

#include "integrators.h"
#include "reference.h"
#include "timing.h"

#define MAX_SETUP_FORCES 4u

typedef struct bench_state {
    double x[3], v[3];
} bench_state;

/* The motion of one experiment. Forces are the defs of the engine; the reference reads the same parameters.
 * Callbacks are `verify_callback` with an verify_field as user. */
typedef struct bench_setup {
    double mass;
    bool mass_column; /* else the mass is uniform */
    bench_state start;
    mote_force_def forces[MAX_SETUP_FORCES];
    uint32_t force_count;
    mote_rate rate;
    uint32_t steps;            /* one sample after each */
    double stiffness, damping; /* of the spring, where there is one: for quantities */
    void (*exact)(const struct bench_setup *setup, double time, bench_state *state); /* NULL: not known */
} bench_setup;

/* A callback adds this value: to a in m/s^2, or the velocity field itself. */
typedef struct verify_field {
    void (*evaluate)(double time, const double x[3], const double v[3], double value[3]);
} verify_field;

mote_force_callback verify_callback;

/* Energy (J) and angular momentum about z (kg m^2/s), of the forces that have a potential. */
typedef struct bench_sample {
    double time;
    bench_state state;
    double energy, spin;
} bench_sample;

/* samples[0 .. setup->steps]. */
typedef struct bench_trajectory {
    bench_sample *samples;
    uint32_t count;
} bench_trajectory;

/* One step h of an integrator from *state at `time`, by the reference. */
void reference_step(const bench_setup *setup, mote_integrator integrator, double time, double h,
                    bench_state *state, bench_noise *noise);

/* True velocities before the first step become those that position Verlet carries, and back. */
void reference_start(const bench_setup *setup, mote_integrator integrator, double time, double h,
                     bench_state *state, bench_noise *noise);
bench_state reference_reported(const bench_setup *setup, mote_integrator integrator, double time, double h,
                               bench_state state);

/* The exact flow of the affine forces of a setup over any time, in closed form; setup->exact of setups with
 * no other forces. */
void reference_flow(const bench_setup *setup, double time, bench_state *state);
void verify_exact_flow(const bench_setup *setup, double time, bench_state *state);

double reference_energy(const bench_setup *setup, const bench_state *state);

/* x and v after one step h from (1, 0) and from (0, 1) along x: the matrix of a linear method, of the
 * velocities that it carries or of true ones. */
typedef struct step_matrix {
    double xx, xv, vx, vv;
} step_matrix;

step_matrix reference_matrix(const bench_setup *setup, mote_integrator integrator, double h, bool carried);
double matrix_determinant(const step_matrix *matrix);

/* One flight by the engine, one by the reference without noise, and some with noise. */
#define NOISY_FLIGHTS 8u
typedef struct bench_flights {
    const bench_setup *setup;
    mote_integrator integrator;
    bench_trajectory engine, exact, noisy[NOISY_FLIGHTS];
} bench_flights;

bench_flights flights_make(const bench_setup *setup, mote_integrator integrator);
void flights_free(bench_flights *flights);

/* The flight of the engine, and of the reference, alone. */
bench_trajectory engine_flight(const bench_setup *setup, mote_integrator integrator);
void trajectory_free(bench_trajectory *trajectory);
bench_trajectory reference_flight(const bench_setup *setup, mote_integrator integrator, bench_noise *noise);

/* A system with one particle; its state as presented, so with the true velocity. */
mote_system *verify_system(const bench_setup *setup, mote_integrator integrator);
bench_state verify_state(const mote_system *system);
double verify_timestep(const bench_setup *setup);

/* The largest stable h sqrt(k / m) of a damped spring, by steps of the engine or by the matrix of the method;
 * 1e9: none. damping_ratio: b / (2 sqrt(k m)). */
double verify_stable_z(mote_integrator integrator, double damping_ratio, bool stepped);

/* The places of a chain of `points` with links of `link` (m) that hangs at rest between pins at one height,
 * `span` (m) apart. */
void verify_chain_at_rest(uint32_t points, double link, double span, double (*place)[2]);

/* --- Rows --- */

typedef struct verify_record {
    uint32_t experiment; /* its number in the table */
    const char *name, *source;
    char quantity[80];
    double measured, reference, error, allowed;
    bool failed;
} verify_record;

typedef struct verify_report {
    verify_record *records;
    uint32_t experiment; /* that is running ... */
    const char *source;  /* ... and the source of its figures */
    uint32_t count, failed;
    bool prints_all; /* else rows that fail alone */
} verify_report;

const char *integrator_name(mote_integrator integrator);

/* Adds a row: error = |measured - reference|. NaN fails. The format gives the quantity. */
void verify_add(verify_report *report, const char *name, double measured, double reference, double allowed,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same for a value from `least` to `most`: the reference is their middle. */
#define verify_between(report, name, measured, least, most, ...)                                             \
    verify_add(report, name, measured, 0.5 * ((least) + (most)), 0.5 * ((most) - (least)), __VA_ARGS__)

/* A published figure and half of the last digit that is given; NO_FIGURE: the reference gives the value. */
typedef struct bench_figure {
    double value, half_digit;
} bench_figure;
#define NONE      {NAN, 0}
#define NO_FIGURE ((bench_figure)NONE)

/* One quantity by the engine, by the reference, and by the reference with noise. */
typedef struct bench_values {
    double engine, exact, noisy[NOISY_FLIGHTS];
} bench_values;

/* What rounding to floats does to a quantity: three times the largest change that the noise made in any of
 * the noisy runs (a normal variable exceeds three times the largest of eight of its draws less often than
 * once in 10^4). */
double verify_rounding(const bench_values *values);

/* Adds a row. Allowed are the rounding, one rounding of the value itself, half of the figure's last digit,
 * and `extra`, which the experiment derives. A figure below the rounding is marked `below float32`. Where the
 * reference does not reach the published figure, a row that fails says so. */
void verify_judge_values(verify_report *report, const char *name, const bench_values *values,
                         bench_figure figure, double extra, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* A number of a flight; parameter: its own. */
typedef double bench_quantity(const bench_setup *setup, const bench_trajectory *trajectory, double parameter);

bench_values flights_values(const bench_flights *flights, bench_quantity *quantity, double parameter);

/* The row of a quantity of flights. */
#define verify_judge(report, flights, quantity, parameter, figure, extra, ...)                               \
    do {                                                                                                     \
        const bench_values values_ = flights_values(flights, quantity, parameter);                           \
        verify_judge_values(report, integrator_name((flights)->integrator), &values_, figure, extra,         \
                            __VA_ARGS__);                                                                    \
    } while (0)

/* Quantities of sample number `parameter`, negative: the last; energy is E / E0. */
bench_quantity quantity_x, quantity_y, quantity_v, quantity_energy;
bench_quantity quantity_last_error;    /* Euclidean, in position, against setup->exact; of that sample */
bench_quantity quantity_largest_error; /* of all samples */
bench_quantity quantity_energy_min, quantity_energy_max;
bench_quantity quantity_largest_energy_change, quantity_largest_spin_change; /* relative */

/* The experiments. */
typedef void verify_experiment(verify_report *report);
verify_experiment verify_constant_force, verify_damped_spring, verify_oscillator, verify_stability,
    verify_kinematic, verify_joint_flow, verify_velocity_field, verify_kepler, verify_orders;
verify_experiment verify_ticks, verify_frames;
verify_experiment verify_projectile, verify_momentum, verify_births, verify_presentation;
verify_experiment verify_fields, verify_curl_noise, verify_turning, verify_top, verify_emission,
    verify_moments;
verify_experiment verify_hanging_rope, verify_swinging_rope, verify_air, verify_pose, verify_far_strands;
verify_experiment verify_cantilevers, verify_tip_loads, verify_greenhill, verify_tones, verify_twist,
    verify_quarter_ring;
verify_experiment verify_capstan, verify_slope, verify_bounces, verify_loose_slope, verify_spin,
    verify_responses, verify_net_slope;
verify_experiment verify_coupled_bodies, verify_linear_chain, verify_swinging_net, verify_bounds,
    verify_hung_nets, verify_far_nets;

#endif
