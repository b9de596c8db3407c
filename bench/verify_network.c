/* Experiments with networks: two coupled bodies by every integrator, and the energy of a swinging net. */
#include <math.h>
#include <string.h>

#include "verify.h"
#include "coupled.h"
#include "networks.h"

/* --- Two coupled bodies: 1 and 2 kg, 15 N/m, 0.3 kg/s, rest length 1 m, in one line, 2 s --- */

static const double truth[4] = {-0.1256207645049599, 0.56281038225248, -0.8510020989522068,
                                -0.07449895052389655};

static network_shape two_bodies(void) {
    network_shape shape = shape_create(2, 1, 0);
    shape_put(&shape, 0, 0, 0, 0, 1);
    shape_put(&shape, 1, 1.5f, 0, 0, 2);
    shape.velocities[0][0] = 0.4f;
    shape.velocities[1][0] = -0.7f;
    shape.springs[shape.spring_count++] =
        (mote_spring){.a = 0, .b = 1, .rest_length = 1, .stiffness = 15, .damping = 0.3f};
    return shape;
}

/* The end of a flight of two bodies: x of both, v of both. */
typedef struct pair_end {
    double value[4];
} pair_end;

static pair_end pair_by_engine(const network_shape *shape, mote_integrator i, mote_network_solver solver,
                               uint32_t steps) {
    network_setup setup = {.shape = shape,
                           .integrator = i,
                           .solver = solver,
                           .substeps = 1,
                           .threads = 1,
                           .rate = {steps, 2},
                           .max_strain = 1e-6f,
                           .weightless = true};
    network_run *run = network_create(&setup);
    pair_end end;
    for (uint32_t step = 0; step < steps; step++) network_run_frame(run);
    for (uint32_t body = 0; body < 2; body++) {
        float x[3], v[3];
        network_place(run, body, x);
        network_velocity(run, body, v);
        end.value[body] = (double)x[0];
        end.value[2 + body] = (double)v[0];
    }
    network_run_destroy(run);
    return end;
}

static pair_end pair_by_reference(const network_shape *shape, mote_integrator i, uint32_t steps,
                                  bench_noise *noise) {
    coupled_bodies *b = coupled_create(shape, i, 0, 2.0 / steps, noise);
    for (uint32_t step = 0; step < steps; step++) coupled_step(b);
    pair_end end = {{b->motion.x[0], b->motion.x[3], b->motion.v[0], b->motion.v[3]}};
    coupled_destroy(b);
    return end;
}

typedef double pair_quantity(const pair_end *end);

/* The largest component; for position Verlet of the positions alone, because its velocity column is half a
 * step behind. */
static double position_error(const pair_end *end) {
    return larger_or_nan(fabs(end->value[0] - truth[0]), fabs(end->value[1] - truth[1]));
}

static double pair_error(const pair_end *end) {
    return larger_or_nan(larger_or_nan(position_error(end), fabs(end->value[2] - truth[2])),
                         fabs(end->value[3] - truth[3]));
}

static double pair_momentum(const pair_end *end) { return end->value[2] + 2 * end->value[3]; }

static bench_values pair_values(const network_shape *shape, mote_integrator i, uint32_t steps,
                                pair_quantity *quantity) {
    const pair_end engine = pair_by_engine(shape, i, MOTE_NETWORK_SPRINGS, steps),
                   exact = pair_by_reference(shape, i, steps, NULL);
    bench_values values = {quantity(&engine), quantity(&exact), {0}};
    for (uint32_t k = 0; k < NOISY_FLIGHTS; k++) {
        bench_noise noise = noise_of_run(k);
        const pair_end noisy = pair_by_reference(shape, i, steps, &noise);
        values.noisy[k] = quantity(&noisy);
    }
    return values;
}

/* Expected slopes with a spring that is damped; 0: exact, one spring alone. Springs are kicks to implicit
 * Euler and exact flow. */
static const int expected[MOTE_INTEGRATOR_COUNT] = {
    [MOTE_SEMI_IMPLICIT_EULER] = 1, [MOTE_EXPLICIT_EULER] = 1,    [MOTE_MIDPOINT] = 2,  [MOTE_RK4] = 4,
    [MOTE_VELOCITY_VERLET] = 2,     [MOTE_POSITION_VERLET] = 1,   [MOTE_YOSHIDA4] = 1,  [MOTE_PEFRL] = 1,
    [MOTE_IMPLICIT_EULER] = 1,      [MOTE_KINEMATIC_AVERAGE] = 2, [MOTE_EXACT_FLOW] = 1};

/* A slope belongs to the order that it is nearest to; half of that distance is left for the next term of the
 * error and for rounding. The reference's own slopes keep to 0.15. */
static void pair_slope(verify_report *report, const network_shape *shape, mote_integrator i) {
    const int order = expected[i];
    const uint32_t steps = order == 4 ? 40 : order == 2 ? 64 : 512;
    pair_quantity *quantity = i == MOTE_POSITION_VERLET ? position_error : pair_error;
    const bench_values coarse = pair_values(shape, i, steps, quantity),
                       fine = pair_values(shape, i, 2 * steps, quantity);
    const double in_double = log2(coarse.exact / fine.exact);
    verify_add(report, integrator_name(i), log2(coarse.engine / fine.engine), order, 0.25,
               "slope, %u and %u steps", (unsigned)steps, 2 * (unsigned)steps);
    if (!(fabs(in_double - order) <= 0.15))
        verify_add(report, integrator_name(i), in_double, order, 0.15, "the same in double");
}

/* Masses, stiffness and the start are floats: kinematic, which is exact here, shows how far that moves the
 * end. */
static double input_rounding(const network_shape *shape) {
    pair_end end = pair_by_reference(shape, MOTE_KINEMATIC, 1, NULL);
    return pair_error(&end);
}

static void pair_row(verify_report *report, const network_shape *shape, mote_integrator i, uint32_t steps,
                     const char *name, pair_quantity *quantity, bench_figure figure) {
    const bench_values values = pair_values(shape, i, steps, quantity);
    figure.half_digit += input_rounding(shape);
    verify_judge_values(report, integrator_name(i), &values, figure, 0, "%s, %u steps", name,
                        (unsigned)steps);
}

/* By distance constraints of compliance 1 / k: implicit Euler. */
static void constrained_slope(verify_report *report, const network_shape *shape) {
    double error[2];
    for (int k = 0; k < 2; k++) {
        pair_end end = pair_by_engine(shape, MOTE_SEMI_IMPLICIT_EULER, MOTE_NETWORK_CONSTRAINED, 512u << k);
        error[k] = pair_error(&end);
    }
    verify_add(report, "constrained", log2(error[0] / error[1]), 1, 0.25, "slope, 512 and 1024 steps");
}

void verify_coupled_bodies(verify_report *report) {
    network_shape shape = two_bodies();
    /* 0.4 - 1.4 in floats */
    double momentum = (double)shape.velocities[0][0] + 2 * (double)shape.velocities[1][0];
    FOR_INTEGRATORS(i) {
        if (expected[i])
            pair_slope(report, &shape, i);
        else
            pair_row(report, &shape, i, 20, "error (exact)", pair_error, (bench_figure){0, 1e-10});
        pair_row(report, &shape, i, 160, "momentum", pair_momentum, (bench_figure){momentum, 1e-12});
    }
    pair_row(report, &shape, MOTE_RK4, 40, "largest error", pair_error, (bench_figure){2.37e-4, 5e-7});
    pair_row(report, &shape, MOTE_RK4, 160, "largest error", pair_error, (bench_figure){8.31e-7, 5e-10});
    constrained_slope(report, &shape);
    shape_destroy(&shape);
}

/* --- A swinging net --- */

/* 8 x 8 threads of 1 m and 0.3 kg, without damping, released horizontally, hung from two corners; 4 s of 60
 * frames with SUBSTEPS each: h w_max <= h (8 k / m)^(1/2) = 0.96. */
#define NETWORK_SIDE 8u
#define NET_SECONDS  4u
#define NET_SUBSTEPS 16u
#define NET_FRAMES   (60 * NET_SECONDS)

static network_shape small_net(void) {
    const net_form form = {.side = NETWORK_SIDE,
                           .spacing = 1.0f / (NETWORK_SIDE - 1),
                           .mass = 0.3f / (NETWORK_SIDE * NETWORK_SIDE),
                           .slope = {0, 1},
                           .structural = 504,
                           .corners = true};
    return net_create(&form);
}

/* E - E0 at the end of each frame, in units of m g L / 2, the depth to which the middle of a free sheet
 * swings. */
typedef struct energy_series {
    double change[NET_FRAMES + 1];
} energy_series;

static double net_depth(void) { return 0.3 * (double)NETWORK_GRAVITY / 2; }

static void read_columns(const network_run *run, const coupled_bodies *like, double *x, double *v) {
    for (uint32_t i = 0; i < like->motion.numbers / 3; i++) {
        float place[3], velocity[3];
        network_place(run, i, place);
        network_velocity(run, i, velocity);
        for (int axis = 0; axis < 3; axis++) {
            x[3 * i + axis] = (double)place[axis];
            v[3 * i + axis] = (double)velocity[axis];
        }
    }
}

static network_run *hang_net(const network_shape *shape, mote_integrator i, mote_network_solver solver) {
    network_setup setup = {.shape = shape,
                           .integrator = i,
                           .solver = solver,
                           .substeps = NET_SUBSTEPS,
                           .threads = 1,
                           .rate = {60, 1},
                           .growth_allowed = true};
    return network_create(&setup);
}

/* With constraints i is semi-implicit Euler, whose velocities are true ones. */
static void engine_series(const network_shape *shape, mote_integrator i, mote_network_solver solver,
                          energy_series *series) {
    coupled_bodies *like = coupled_create(shape, i, (double)NETWORK_GRAVITY, 1.0 / (60 * NET_SUBSTEPS), NULL);
    network_run *run = hang_net(shape, i, solver);
    double start = coupled_energy(like);
    series->change[0] = 0;
    for (uint32_t frame = 1; frame <= NET_FRAMES; frame++) {
        network_run_frame(run);
        read_columns(run, like, like->motion.x, like->motion.v);
        series->change[frame] = (coupled_energy(like) - start) / net_depth();
        if (run->tally.frozen) series->change[frame] = HUGE_VAL;
    }
    network_run_destroy(run);
    coupled_destroy(like);
}

static void reference_series(const network_shape *shape, mote_integrator i, bench_noise *noise,
                             energy_series *series) {
    coupled_bodies *b = coupled_create(shape, i, (double)NETWORK_GRAVITY, 1.0 / (60 * NET_SUBSTEPS), noise);
    double start = coupled_energy(b);
    bool grown = false;
    series->change[0] = 0;
    for (uint32_t frame = 1; frame <= NET_FRAMES; frame++) {
        for (uint32_t k = 0; k < NET_SUBSTEPS && !grown; k++) coupled_step(b);
        series->change[frame] = grown ? HUGE_VAL : (coupled_energy(b) - start) / net_depth();
        grown = grown || !(series->change[frame] < 1e6);
    }
    coupled_destroy(b);
}

typedef double energy_quantity(const energy_series *series);

static double largest_change(const energy_series *s) {
    double largest = 0;
    for (uint32_t i = 0; i <= NET_FRAMES; i++)
        if (!(fabs(s->change[i]) <= largest)) largest = fabs(s->change[i]);
    return largest;
}

/* The mean of the last two seconds less that of the first two; an energy that only oscillates leaves no more
 * than its amplitude. */
static double drift(const energy_series *s) {
    double first = 0, last = 0;
    for (uint32_t i = 1; i <= 120; i++)
        first += s->change[i] / 120, last += s->change[NET_FRAMES + 1 - i] / 120;
    return last - first;
}

/* The time (s) until E has grown by the depth; NET_SECONDS: it has not. */
static double seconds_to_grow(const energy_series *s) {
    for (uint32_t i = 0; i <= NET_FRAMES; i++)
        if (!(s->change[i] < 1)) return i / 60.0;
    return NET_SECONDS;
}

static double largest_gain(const energy_series *s) {
    double largest = 0;
    for (uint32_t i = 0; i <= NET_FRAMES; i++)
        if (!(s->change[i] <= largest)) largest = s->change[i];
    return largest;
}

typedef struct net_flights {
    energy_series engine, exact, noisy[NOISY_FLIGHTS];
} net_flights;

static void judge_energy(verify_report *report, const net_flights *f, mote_integrator i,
                         energy_quantity *quantity, const char *name) {
    bench_values values = {quantity(&f->engine), quantity(&f->exact), {0}};
    for (uint32_t k = 0; k < NOISY_FLIGHTS; k++) values.noisy[k] = quantity(&f->noisy[k]);
    verify_judge_values(report, integrator_name(i), &values, NO_FIGURE, 0, "%s", name);
}

/* Kinematic integrators take each spring along its direction at the start of the step: the motion across a
 * spring under tension is then an explicit step, and grows. */
static bool keeps_energy(mote_integrator i) {
    return i != MOTE_EXPLICIT_EULER && i != MOTE_MIDPOINT && i != MOTE_KINEMATIC &&
           i != MOTE_KINEMATIC_AVERAGE;
}

static void swing_by(verify_report *report, const network_shape *shape, mote_integrator i) {
    static net_flights f; /* static for its size */
    engine_series(shape, i, MOTE_NETWORK_SPRINGS, &f.engine);
    reference_series(shape, i, NULL, &f.exact);
#pragma omp parallel for
    for (uint32_t k = 0; k < NOISY_FLIGHTS; k++) {
        bench_noise noise = noise_of_run(k);
        reference_series(shape, i, &noise, &f.noisy[k]);
    }
    if (keeps_energy(i)) {
        judge_energy(report, &f, i, largest_change, "largest |E - E0| over the depth, 4 s");
        judge_energy(report, &f, i, drift, "E from the first 2 s to the last, over the depth");
    } else {
        judge_energy(report, &f, i, seconds_to_grow, "s until E has grown by the depth");
    }
}

void verify_swinging_net(verify_report *report) {
    static energy_series constrained;
    network_shape shape = small_net();
    FOR_INTEGRATORS(i) swing_by(report, &shape, i);
    engine_series(&shape, MOTE_SEMI_IMPLICIT_EULER, MOTE_NETWORK_CONSTRAINED, &constrained);
    /* Implicit Euler only loses energy: the rest is the rounding of positions of up to 1 m, beside a depth of
     * half of that. */
    verify_add(report, "constrained", largest_gain(&constrained), 0, 2 * FLOAT_ROUNDING,
               "largest E - E0 over the depth, 4 s");
    shape_destroy(&shape);
}
