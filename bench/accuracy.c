/* mote-bench accuracy: the results of the engine's integrators and solvers beside what they should be. */
#include "accuracy.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "json.h"
#include "options.h"

typedef struct experiment_row {
    const char *name, *description;
    accuracy_experiment *run;
} experiment_row;

/* Experiment 1 is the first. */
static const experiment_row experiments[] = {
    {"constant-force", "constant force", accuracy_constant_force},
    {"damped-spring", "damped spring", accuracy_damped_spring},
    {"oscillator", "undamped oscillator: phase and energy", accuracy_oscillator},
    {"stability", "stability: the largest stable step of springs", accuracy_stability},
    {"coupled-bodies", "two coupled bodies", accuracy_coupled_bodies},
    {"kinematic", "kinematic integrators: each force alone, and two together", accuracy_kinematic},
    {"chain", "the linear chain: by its modes, and as a network", accuracy_linear_chain},
    {"joint-flow", "gravity, linear drag and an anchor spring together", accuracy_joint_flow},
    {"velocity-field", "a velocity field", accuracy_velocity_field},
    {"orbit", "Kepler orbit", accuracy_kepler},
    {"projectile", "projectile with linear and quadratic drag", accuracy_projectile},
    {"orders", "orders of accuracy", accuracy_orders},
    {"momentum", "momentum", accuracy_momentum},
    {"hanging-rope", "a hanging rope", accuracy_hanging_rope},
    {"swinging-rope", "a swinging rope", accuracy_swinging_rope},
    {"swinging-net", "energy of a swinging net", accuracy_swinging_net},
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

static void print_help(void) {
    puts("usage: mote-bench accuracy [OPTION]...\n");
    for (size_t i = 0; i < EXPERIMENTS; i++)
        printf("  %2u  %-14s  %s\n", (unsigned)i + 1, experiments[i].name, experiments[i].description);
    puts("\n"
         "  --experiment E  one of these, by number or by name (default: all)\n"
         "  --json FILE     writes the records there too\n"
         "  --csv DIR       writes DIR/experiment-E.csv with the motion by each integrator beside the exact "
         "one\n"
         "\n"
         "One particle flies by every integrator that the experiment concerns, and so do two coupled bodies "
         "and a\n"
         "net; one rope is held by every solver. The reference is a published figure or the same method in "
         "double.\n"
         "Allowed is the effect of rounding to float32, found by flying the reference with random roundings, "
         "and\n"
         "half of the last digit of a published figure. `below float32`: the figure is smaller than that; a "
         "row\n"
         "with coarser steps follows. Exit code 1: some error exceeds what is allowed.");
}

static cJSON *record_object(const accuracy_record *record) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "experiment", record->experiment);
    cJSON_AddStringToObject(object, "integrator", record->name);
    cJSON_AddStringToObject(object, "quantity", record->quantity);
    cJSON_AddNumberToObject(object, "measured", record->measured);
    cJSON_AddNumberToObject(object, "reference", record->reference);
    cJSON_AddNumberToObject(object, "error", record->error);
    cJSON_AddNumberToObject(object, "allowed", record->allowed);
    return object;
}

static cJSON *accuracy_object(const accuracy_report *report) {
    cJSON *object = json_report();
    for (uint32_t i = 0; i < report->count; i++)
        cJSON_AddItemToArray(cJSON_GetObjectItem(object, "results"), record_object(&report->records[i]));
    return object;
}

static uint32_t option_experiment(const char *text) {
    for (uint32_t i = 0; i < EXPERIMENTS; i++)
        if (strcmp(experiments[i].name, text) == 0) return i + 1;
    return option_count("--experiment", text, 1, EXPERIMENTS);
}

static const char *option_directory(const char *path) {
    if (mkdir(path, 0777) && errno != EEXIST) fail_usage("--csv: %s: %s", path, strerror(errno));
    return path;
}

int command_accuracy(int argc, char **argv) {
    static const struct option options[] = {{"experiment", required_argument, NULL, 'e'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"csv", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *path = NULL;
    uint32_t first = 1, last = EXPERIMENTS;
    accuracy_report report = {0};
    // clang-format off
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) switch (option) {
        case 'e': first = last = option_experiment(optarg); break;
        case 'j': path = optarg; break;
        case 'c': report.csv = option_directory(optarg); break;
        case 'h': print_help(); return EXIT_SUCCESS;
        default: return EXIT_USAGE;
        }
    // clang-format on
    require_no_operands(argc, argv, optind);
    FILE *json = json_open(path);
    printf("%2s  %-19s  %-46s  %16s  %16s  %9s  %9s\n", "", "integrator", "quantity", "measured", "reference",
           "error", "allowed");
    for (report.experiment = first; report.experiment <= last; report.experiment++) {
        const experiment_row *row = &experiments[report.experiment - 1];
        printf("experiment %u: %s\n", (unsigned)report.experiment, row->description);
        row->run(&report);
    }
    printf("%u of %u rows exceed what is allowed\n", (unsigned)report.failed, (unsigned)report.count);
    const bool written = json_close(json, path, accuracy_object(&report));
    free(report.records);
    return report.failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}
