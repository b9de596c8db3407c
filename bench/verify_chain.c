/* The linear chain: mote_chain_evolve beside published figures, and the same chain as a network, stepped,
 * beside mote_chain_evolve. */
#include <math.h>
#include <string.h>

#include "verify.h"
#include "coupled.h"
#include "engine.h"
#include "networks.h"

#define MASSES  8u
#define SECONDS 10u

static const char *ends_name(mote_chain_ends ends) {
    static const char *const names[] = {"fixed-free", "fixed-fixed", "free-free"};
    return names[ends];
}

static mote_chain chain_with(mote_chain_ends ends) { return (mote_chain){ends, MASSES, 0.5, 50}; }

/* Displacements after SECONDS, from displacement `x` and velocity `v` of one of the masses, counted from
 * 0. */
static void evolve(mote_chain_ends ends, uint32_t mass, double x, double v, double end[MASSES]) {
    const mote_chain chain = chain_with(ends);
    double rate[MASSES] = {0}, scratch[2 * MASSES];
    memset(end, 0, MASSES * sizeof *end);
    end[mass] = x;
    rate[mass] = v;
    engine_check(mote_chain_evolve(&chain, SECONDS, end, rate, scratch), "mote_chain_evolve");
}

/* --- Published figures --- */

/* Half of the last digit, and the rounding in double that mote/chain.h states: 5 roundings of w t <= 2 sqrt(k
 * / m) t in the phase, and some of the sums. */
static double published_allowed(double half_digit) { return half_digit + (5 * 20 * SECONDS + 20) * 0x1p-53; }

static void published(verify_report *report) {
    static const double end[MASSES] = {-0.22064266406393, 0.31136928563964,  0.40227599783592,
                                       0.046347173134611, 0.064188803063684, 0.13410574913211,
                                       0.20627174183033,  0.23512387742731};
    double x[MASSES];
    evolve(MOTE_CHAIN_FIXED_FREE, MASSES - 1, 1, 0, x);
    for (uint32_t i = 0; i < MASSES; i++)
        verify_add(report, "chain", x[i], end[i], published_allowed(5e-15), "x_%u(10 s), x_8 = 1 at first",
                   (unsigned)i + 1);
    evolve(MOTE_CHAIN_FIXED_FREE, 0, 0, 1, x);
    verify_add(report, "chain", x[0], 0.017093066893989, published_allowed(5e-16),
               "x_1(10 s), v_1 = 1 at first");
    verify_add(report, "chain", x[MASSES - 1], 0.0082710203740481, published_allowed(5e-17),
               "x_8(10 s), v_1 = 1 at first");
}

/* --- As a network --- */

/* In one line, 1 m apart, so that springs are linear exactly while no two masses pass each other. The walls
 * are pinned particles; the last mass is displaced by START. */
#define START 0.25

static uint32_t first_mass(mote_chain_ends ends) { return ends == MOTE_CHAIN_FREE_FREE ? 0 : 1; }

static network_shape chain_shape(mote_chain_ends ends) {
    const uint32_t first = first_mass(ends), walls = first + (ends == MOTE_CHAIN_FIXED_FIXED);
    network_shape shape = shape_create(MASSES + walls, MASSES + walls - 1, 2);
    for (uint32_t i = 0; i < shape.particle_count; i++) {
        shape_put(&shape, i, (float)i, 0, 0, 0.5f);
        if (i > 0) shape_join(&shape, i - 1, i, 50, 0);
    }
    shape.positions[first + MASSES - 1][0] += (float)START;
    for (uint32_t i = 0; i < shape.spring_count; i++) shape.springs[i].rest_length = 1;
    if (first) shape_pin(&shape, 0);
    if (ends == MOTE_CHAIN_FIXED_FIXED) shape_pin(&shape, MASSES + 1);
    return shape;
}

/* The Euclidean error of the displacements at the end; the largest one alone would belong to different masses
 * at different steps. */
static double distance_from_exact(mote_chain_ends ends, const double x[MASSES]) {
    double exact[MASSES], square = 0;
    evolve(ends, MASSES - 1, START, 0, exact);
    for (uint32_t i = 0; i < MASSES; i++) square += (x[i] - exact[i]) * (x[i] - exact[i]);
    return sqrt(square);
}

static double error_by_engine(mote_chain_ends ends, mote_integrator integrator, uint32_t steps) {
    network_shape shape = chain_shape(ends);
    const network_setup setup = {.shape = &shape,
                                 .integrator = integrator,
                                 .solver = MOTE_NETWORK_SPRINGS,
                                 .substeps = 1,
                                 .threads = 1,
                                 .rate = {steps, SECONDS},
                                 .weightless = true};
    network_run *run = network_create(&setup);
    double x[MASSES];
    for (uint32_t step = 0; step < steps; step++) network_run_frame(run);
    for (uint32_t i = 0; i < MASSES; i++) {
        float place[3];
        network_place(run, first_mass(ends) + i, place);
        x[i] = (double)place[0] - (first_mass(ends) + i);
    }
    network_run_destroy(run);
    shape_destroy(&shape);
    return distance_from_exact(ends, x);
}

static double error_by_reference(mote_chain_ends ends, mote_integrator integrator, uint32_t steps,
                                 bench_noise *noise) {
    network_shape shape = chain_shape(ends);
    coupled_bodies *b = coupled_create(&shape, integrator, 0, (double)SECONDS / steps, noise);
    double x[MASSES];
    for (uint32_t step = 0; step < steps; step++) coupled_step(b);
    for (uint32_t i = 0; i < MASSES; i++)
        x[i] = b->motion.x[3 * (first_mass(ends) + i)] - (first_mass(ends) + i);
    coupled_destroy(b);
    shape_destroy(&shape);
    return distance_from_exact(ends, x);
}

static bench_values errors(mote_chain_ends ends, mote_integrator integrator, uint32_t steps) {
    bench_values values = {
        error_by_engine(ends, integrator, steps), error_by_reference(ends, integrator, steps, NULL), {0}};
    for (uint32_t k = 0; k < NOISY_FLIGHTS; k++) {
        bench_noise noise = noise_of_run(k);
        values.noisy[k] = error_by_reference(ends, integrator, steps, &noise);
    }
    return values;
}

/* The error at `steps`, and how it falls at twice as many: so few that the method's error is well above the
 * rounding, which would disturb the slope otherwise. */
static void stepped(verify_report *report, mote_chain_ends ends, mote_integrator integrator, uint32_t steps) {
    const bench_values coarse = errors(ends, integrator, steps), fine = errors(ends, integrator, 2 * steps);
    const char *name = integrator_name(integrator);
    verify_judge_values(report, name, &coarse, NO_FIGURE, 0, "%s: |x - exact|, 10 s, %u steps",
                        ends_name(ends), (unsigned)steps);
    /* d log2(error) = rounding / error / log 2 */
    const double uncertain =
        (verify_rounding(&coarse) / coarse.exact + verify_rounding(&fine) / fine.exact) / log(2);
    const double slope = log2(coarse.engine / fine.engine);
    verify_add(report, name, slope, log2(coarse.exact / fine.exact), uncertain, "%s: slope, %u and %u steps",
               ends_name(ends), (unsigned)steps, 2 * (unsigned)steps);
    verify_add(report, name, slope, mote_integrator_describe(integrator)->order, 0.25 + uncertain,
               "%s: the same beside its order", ends_name(ends));
}

void verify_linear_chain(verify_report *report) {
    static const struct {
        mote_integrator integrator;
        uint32_t steps;
    } rows[] = {{MOTE_VELOCITY_VERLET, 1200}, {MOTE_RK4, 400}, {MOTE_YOSHIDA4, 500}, {MOTE_PEFRL, 110}};
    published(report);
    for (mote_chain_ends ends = 0; ends < MOTE_CHAIN_ENDS_COUNT; ends++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            stepped(report, ends, rows[i].integrator, rows[i].steps);
}
