/* Curves of the integrators: springs beside their exact motion, the error of an orbit against its cost, and
 * stable steps. */
#include <math.h>
#include <stdlib.h>

#include "contenders.h"
#include "curves.h"
#include "engine.h"
#include "verify.h"

/* --- Springs: 1 kg, 15 N/m, from 1 m at rest, 12 s in steps of 0.2 s --- */

#define STIFFNESS 15.0 /* N/m */
#define DAMPING   0.5  /* kg/s, of the damped one */

static bench_setup spring(double damping) {
    return (bench_setup){
        .mass = 1,
        .start = {{1, 0, 0}, {0, 0, 0}},
        .forces = {mote_anchor_spring((float[3]){0, 0, 0}, (float)STIFFNESS, (float)damping)},
        .force_count = 1,
        .rate = {5, 1},
        .steps = 60,
        .stiffness = STIFFNESS,
        .damping = damping,
        .exact = verify_exact_flow};
}

static void write_state(FILE *table, double damping, const char *integrator, double time, double x,
                        double v) {
    const double energy = (v * v + STIFFNESS * x * x) / STIFFNESS;
    const struct {
        const char *quantity;
        double value;
    } rows[] = {{"x,m", x}, {"v,m/s", v}, {"E/E0,1", energy}};
    for (int i = 0; i < 3; i++)
        fprintf(table, "%g,%s,%g,%s,%.9g\n", damping, integrator, time, rows[i].quantity, rows[i].value);
}

/* Ten points a step. */
static void write_exact(FILE *table, const bench_setup *s) {
    for (uint32_t i = 0; i <= 10 * s->steps; i++) {
        bench_state at;
        const double time = 0.1 * i * verify_timestep(s);
        verify_exact_flow(s, time, &at);
        write_state(table, s->damping, "exact", time, at.x[0], at.v[0]);
    }
}

void write_springs(FILE *table) {
    fputs("damping_kg_per_s,integrator,time_s,quantity,unit,value\n", table);
    for (int k = 0; k < 2; k++) {
        const bench_setup s = spring(k ? DAMPING : 0);
        write_exact(table, &s);
        FOR_INTEGRATORS(i) {
            bench_trajectory flight = engine_flight(&s, i);
            for (uint32_t n = 0; n < flight.count; n++) {
                const bench_sample *at = &flight.samples[n];
                write_state(table, s.damping, integrator_name(i), at->time, at->state.x[0], at->state.v[0]);
            }
            trajectory_free(&flight);
        }
    }
}

/* --- A Kepler orbit: mu = 1, a = 1, e = 0.5, from perihelion, for 5 s --- */

/* Not a whole revolution: on the line of the apses errors of the first order cancel. */
#define ORBIT_SECONDS 5.0

/* Place in the plane after t, by Kepler's equation M = E - e sin E. */
static void kepler_place(double t, double place[2]) {
    const double e = 0.5;
    double anomaly = t;
    for (int i = 0; i < 60; i++) anomaly -= (anomaly - e * sin(anomaly) - t) / (1 - e * cos(anomaly));
    place[0] = cos(anomaly) - e, place[1] = sqrt(1 - e * e) * sin(anomaly);
}

enum { COPIES = 1024 }; /* of the particle, for the time */

/* Velocity Verlet keeps its last evaluation for the next substep, because the force reads no velocity. */
static uint32_t evaluations(mote_integrator integrator, uint32_t steps) {
    if (integrator == MOTE_VELOCITY_VERLET) return steps + 1;
    return steps * mote_integrator_describe(integrator)->evaluations;
}

static void write_orbit(FILE *table, mote_integrator integrator, uint32_t steps) {
    float *array[6];
    for (int k = 0; k < 6; k++) {
        array[k] = allocate_or_fail(COPIES * sizeof(float));
        for (int i = 0; i < COPIES; i++) array[k][i] = 0;
    }
    for (int i = 0; i < COPIES; i++) array[0][i] = 0.5f, array[4][i] = (float)sqrt(3);
    mote_force_def sun = mote_attractor((float[3]){0, 0, 0}, 1, 0);
    mote_columns columns = {.count = COPIES,
                            .position = {array[0], array[1], array[2]},
                            .velocity = {array[3], array[4], array[5]},
                            .mass = 1};
    mote_columns_def def = mote_default_columns_def();
    def.integrator = integrator;
    def.forces = &sun, def.force_count = 1;
    def.timestep = ORBIT_SECONDS, def.substeps = steps;
    if (integrator == MOTE_POSITION_VERLET)
        engine_check(mote_columns_kick(&columns, &def, -0.5), "mote_columns_kick");
    const double start = thread_seconds();
    engine_check(mote_columns_step(&columns, &def, NULL), "mote_columns_step");
    const double seconds = thread_seconds() - start;
    double place[2];
    kepler_place(ORBIT_SECONDS, place);
    const double error = hypot((double)array[0][0] - place[0], (double)array[1][0] - place[1]);
    fprintf(table, "%s,%u,%.9g,%u,%.6g,%.6g\n", integrator_name(integrator), (unsigned)steps,
            ORBIT_SECONDS / steps, (unsigned)evaluations(integrator, steps), 1e9 * seconds / COPIES, error);
    for (int k = 0; k < 6; k++) free(array[k]);
}

void write_cost(FILE *table) {
    fputs("integrator,steps,step_s,evaluations,nanoseconds,error_m\n", table);
    FOR_INTEGRATORS(i) for (uint32_t steps = 16; steps <= 65536; steps *= 2) write_orbit(table, i, steps);
}

/* --- Stability: by damping ratios b / (2 sqrt(k m)) of 0 to 1.2 --- */

static void write_stable(FILE *table, mote_integrator integrator, double ratio, bool stepped) {
    const double z = verify_stable_z(integrator, ratio, stepped);
    if (z > 0 && z < 1e6)
        fprintf(table, "%s,%s,%g,%.6g\n", integrator_name(integrator), stepped ? "stepped" : "matrix", ratio,
                z);
}

void write_stability(FILE *table) {
    fputs("integrator,by,damping_ratio,stable_z\n", table);
    FOR_INTEGRATORS(i) {
        for (int k = 0; k <= 60; k++) write_stable(table, i, 0.02 * k, false);
        for (int k = 0; k <= 12; k++) write_stable(table, i, 0.1 * k, true);
    }
}
