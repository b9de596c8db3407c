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

void compare_print(const compare_row *row) {
    char target[24], ratio[64];
    snprintf(target, sizeof target, "%s %.3gx", row->at_most ? "<=" : ">=", row->target);
    snprintf(ratio, sizeof ratio, "%.3fx (%.3f..%.3f)", row->ratio.median, row->ratio.min, row->ratio.max);
    printf("%-72s %8s  %-26s", row->figure, target, ratio);
}

void compare_json(cJSON *object, const compare_row *row) {
    cJSON_AddStringToObject(object, "figure", row->figure);
    cJSON_AddNumberToObject(object, row->at_most ? "target_at_most" : "target_at_least", row->target);
    cJSON_AddNumberToObject(object, "ratio", row->ratio.median);
    json_add_spread(object, "ratio_median_min_max", row->ratio);
}

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
    if (side->springs) printf("%8.2f M spring-substeps/s, ", rate * side->springs / side->points);
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
    void *left = a->open(pair->below.setup), *right = b->open(pair->below.setup);
    double largest = 0;
    for (uint32_t i = 0; i < pair->checked; i++) a->frame(left), b->frame(right);
    for (uint32_t i = 0; i < pair->below.points; i++) {
        float p[3], q[3];
        a->place(left, i, p);
        b->place(right, i, q);
        double d = hypot(hypot((double)(p[0] - q[0]), (double)(p[1] - q[1])), (double)(p[2] - q[2]));
        if (!(d <= largest)) largest = d;
    }
    a->close(left);
    b->close(right);
    return largest;
}

/* Both add the same terms in other orders. In every substep each side rounds coordinates of up to `size` by
 * half a unit in the last place, 2^-24 of them, always in the same direction at worst. */
static void check_sides(const compare_pair *pair, cJSON *object) {
    if (!pair->checked) return;
    const double apart = distance_apart(pair),
                 allowed = 0x1p-23 * pair->size * pair->checked * pair->below.substeps;
    printf("    after %u frames they stand %.1e m apart, by rounding at most %.1e%s\n",
           (unsigned)pair->checked, apart, allowed, apart <= allowed ? "" : ": NOT THE SAME");
    cJSON_AddNumberToObject(object, "apart", apart);
    cJSON_AddNumberToObject(object, "apart_allowed", allowed);
}

void compare_pair_run(compare_pair *pair, uint32_t repeat, cJSON *results) {
    static side_outcome outcome[2]; /* static for its size */
    const compare_side *side[2] = {&pair->above, &pair->below};
    double ratios[MAX_REPEATS];
    outcome[0].seen = outcome[1].seen = (bench_observation){0};
    for (uint32_t turn = 0; turn < repeat; turn++) {
        progress("%s: %u of %u", pair->row.figure, (unsigned)turn + 1, (unsigned)repeat);
        for (int k = 0; k < 2; k++) outcome[k].seconds[turn] = time_side(side[k], &outcome[k]);
        ratios[turn] = outcome[0].seconds[turn] /
                       (pair->budget > 0 ? pair->budget / pair->above.points : outcome[1].seconds[turn]);
    }
    progress_clear();
    pair->row.ratio = spread_of(ratios, repeat);
    compare_print(&pair->row);
    putchar('\n');
    cJSON *object = cJSON_CreateObject();
    compare_json(object, &pair->row);
    cJSON_AddNumberToObject(object, "repeat", repeat);
    cJSON *sides = cJSON_AddArrayToObject(object, "sides");
    for (int k = 0; k < 2; k++) {
        print_side(side[k], &outcome[k], repeat);
        cJSON_AddItemToArray(sides, side_object(side[k], &outcome[k], repeat));
    }
    check_sides(pair, object);
    cJSON_AddItemToArray(results, object);
    fflush(stdout);
}
