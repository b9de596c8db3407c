/* Ratios of times of two sides that run in turn: see compare_sides.h. */
#include "compare_sides.h"

#include <math.h>
#include <stdio.h>

#include "json.h"
#include "progress.h"

typedef struct side_outcome {
    double seconds[MAX_REPEATS]; /* of one point in one frame */
    bench_observation seen;
} side_outcome;

static double time_side(const compare_side *side, side_outcome *outcome) {
    double (*clock)(void) = side->wall ? now_seconds : thread_seconds, seconds = 0;
    const side_functions *does = side->functions;
    for (uint32_t loop = 0; loop < side->loops; loop++) {
        void *state = does->open(side->setup);
        for (uint32_t i = 0; i < side->warm; i++) does->frame(state);
        double start = clock();
        for (uint32_t i = 0; i < side->frames; i++) does->frame(state);
        seconds += clock() - start;
        if (does->observe) does->observe(state, &outcome->seen);
        does->close(state);
    }
    return seconds / side->loops / side->frames / side->points;
}

static void print_side(const compare_side *side, const side_outcome *outcome, uint32_t repeat) {
    const double seconds = spread_of(outcome->seconds, repeat).median, rate = 1e-6 * side->substeps / seconds;
    const bench_observation *seen = &outcome->seen;
    printf("    %-44s %8.2f M node-frames/s, %8.2f M node-substeps/s, ", side->name, 1e-6 / seconds, rate);
    if (side->springs > 1) printf("%8.2f M spring-substeps/s, ", rate * side->springs / side->points);
    printf("%.3f ms a frame", 1e3 * seconds * side->points);
    if (side->functions->observe)
        printf("; strain %.3f %% largest, %.4f %% mean", 100 * seen->max_strain, 100 * seen->mean_strain);
    if (side->functions->observe && !side->springs)
        printf("; %.2f iterations; %g unsolved a frame", seen->iterations, seen->unsolved);
    puts(seen->frozen > 0 ? "; FROZEN" : "");
}

static cJSON *side_object(const compare_side *side, const side_outcome *outcome, uint32_t repeat) {
    const double seconds = spread_of(outcome->seconds, repeat).median;
    const bench_observation *seen = &outcome->seen;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", side->name);
    cJSON_AddNumberToObject(object, "particles", side->points);
    if (side->springs) cJSON_AddNumberToObject(object, "springs", side->springs);
    cJSON_AddNumberToObject(object, "substeps", side->substeps);
    cJSON_AddNumberToObject(object, "threads", side->threads);
    cJSON_AddNumberToObject(object, "node_frames_per_second", 1 / seconds);
    cJSON_AddNumberToObject(object, "node_substeps_per_second", side->substeps / seconds);
    cJSON_AddNumberToObject(object, "frame_seconds", seconds * side->points);
    if (!side->functions->observe) return object;
    cJSON_AddNumberToObject(object, "max_strain", seen->max_strain);
    cJSON_AddNumberToObject(object, "mean_strain", seen->mean_strain);
    cJSON_AddNumberToObject(object, "frozen", seen->frozen);
    if (side->springs) return object;
    cJSON_AddNumberToObject(object, "iterations", seen->iterations);
    cJSON_AddNumberToObject(object, "unsolved", seen->unsolved);
    return object;
}

/* The largest distance (m) between the points of both sides, which step the setup of `below`. */
static double distance_apart(const compare_pair *pair) {
    const side_functions *a = pair->above.functions, *b = pair->below.functions;
    void *left = a->open(pair->peer_setup ? pair->peer_setup : pair->below.setup),
         *right = b->open(pair->below.setup);
    double largest = 0;
    for (uint32_t i = 0; i < pair->checked; i++) a->frame(left), b->frame(right);
    for (uint32_t i = 0; i < pair->below.points; i++) {
        float p[3], q[3];
        a->place(left, i, p);
        b->place(right, i, q);
        double d = hypot(hypot((double)(p[0] - q[0]), (double)(p[1] - q[1])), (double)(p[2] - q[2]));
        largest = larger_or_nan(largest, d);
    }
    a->close(left);
    b->close(right);
    return largest;
}

/* Both add the same terms in other orders. In every substep each side rounds coordinates of up to `size` by
 * half a unit in the last place, 2^-24 of them, always in the same direction at worst. */
static double allowed_apart(const compare_pair *pair) {
    return 0x1p-23 * pair->size * pair->checked * pair->below.substeps;
}

static spread time_pair(bench_run *run, const compare_pair *pair, side_outcome outcome[2]) {
    const compare_side *side[2] = {&pair->above, &pair->below};
    double ratios[MAX_REPEATS];
    for (int k = 0; k < 2; k++) outcome[k].seen = (bench_observation){0};
    for (uint32_t turn = 0; turn < run->repeat; turn++) {
        progress("%s: %u of %u", pair->row.figure, (unsigned)turn + 1, (unsigned)run->repeat);
        for (int k = 0; k < 2; k++) outcome[k].seconds[turn] = time_side(side[k], &outcome[k]);
        ratios[turn] = outcome[0].seconds[turn] /
                       (pair->budget > 0 ? pair->budget / pair->above.points : outcome[1].seconds[turn]);
    }
    return spread_of(ratios, run->repeat);
}

void compare_pair_run(bench_run *run, const char *section, const compare_pair *pair) {
    static side_outcome outcome[2]; /* static for its size */
    const compare_side *side[2] = {&pair->above, &pair->below};
    spread ratio = {0};
    if (!report_begin(&run->report, section, pair->row.figure)) return;
    while (report_try(&run->report)) ratio = time_pair(run, pair, outcome);
    bench_row row = {.particles = pair->below.points,
                     .substeps = pair->below.substeps,
                     .threads = pair->below.threads,
                     .repeat = run->repeat};
    snprintf(row.name, sizeof row.name, "%s", pair->row.figure);
    row_quantity *q = row_add(&row, "ratio", "", ratio, pair->row.at_most ? '<' : '>');
    if (pair->row.target > 0) q->target = pair->row.target, q->bound = q->better;
    for (int k = 0; k < 2 && pair->row.stretch; k++)
        row_add_number(&row, k ? "stretch below" : "stretch above", "%", 100 * outcome[k].seen.max_strain);
    row.details = cJSON_CreateObject();
    cJSON *sides = cJSON_AddArrayToObject(row.details, "sides");
    for (int k = 0; k < 2; k++) cJSON_AddItemToArray(sides, side_object(side[k], &outcome[k], run->repeat));
    const double apart = pair->checked ? distance_apart(pair) : 0, allowed = allowed_apart(pair);
    row.not_same = pair->checked && !(apart <= allowed);
    if (pair->checked) json_add_number(row.details, "apart", apart);
    if (pair->checked) cJSON_AddNumberToObject(row.details, "apart_allowed", allowed);
    report_add(&run->report, &row);
    for (int k = 0; k < 2; k++) print_side(side[k], &outcome[k], run->repeat);
    if (pair->checked)
        printf("    after %u frames they stand %.1e m apart, by rounding at most %.1e%s\n",
               (unsigned)pair->checked, apart, allowed, row.not_same ? ": NOT THE SAME" : "");
    fflush(stdout);
}

void compare_rate_run(bench_run *run, const char *section, const compare_side *side, double target,
                      double most_stretch) {
    static side_outcome outcome; /* static for its size */
    if (!report_begin(&run->report, section, side->name)) return;
    outcome.seen = (bench_observation){0};
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++) outcome.seconds[turn] = time_side(side, &outcome);
    const spread each = spread_of(outcome.seconds, run->repeat);
    bench_row row = {.particles = side->points,
                     .substeps = side->substeps,
                     .threads = side->threads,
                     .repeat = run->repeat};
    snprintf(row.name, sizeof row.name, "%s", side->name);
    row_quantity *q =
        row_add(&row, "rate", "node-frames/s", (spread){1 / each.median, 1 / each.max, 1 / each.min}, '>');
    q->target = target, q->bound = '>';
    q->undone = outcome.seen.frozen > 0 || !(outcome.seen.max_strain <= most_stretch);
    row_add_number(&row, q->undone ? "stretch, TOO MUCH" : "stretch", "%", 100 * outcome.seen.max_strain);
    report_add(&run->report, &row);
}
