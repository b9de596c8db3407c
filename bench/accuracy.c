/* mote-bench accuracy: what the engine's integrators do, beside what they should. */
#include "accuracy.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "options.h"

typedef struct experiment_row {
    uint32_t number;
    const char *description;
    accuracy_experiment *run;
} experiment_row;

static const experiment_row experiments[] = {
    {1, "constant force", accuracy_constant_force},
    {2, "damped spring", accuracy_damped_spring},
    {3, "undamped oscillator: phase and energy", accuracy_oscillator},
    {4, "stability: the largest stable spring", accuracy_stability},
    {5, "two coupled bodies", accuracy_coupled_bodies},
    {6, "kinematic integrators: each force alone, and two together", accuracy_kinematic},
    {7, "the linear chain: by its modes, and as a network", accuracy_linear_chain},
    {8, "gravity, linear drag and an anchor spring together", accuracy_joint_flow},
    {9, "a velocity field", accuracy_velocity_field},
    {10, "Kepler orbit", accuracy_kepler},
    {11, "projectile with linear and quadratic drag", accuracy_projectile},
    {12, "orders of accuracy", accuracy_orders},
    {13, "momentum", accuracy_momentum},
    {14, "a hanging rope", accuracy_hanging_rope},
    {15, "a swinging rope", accuracy_swinging_rope},
    {16, "energy of a swinging net", accuracy_swinging_net},
};
#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

static void print_help(void) {
    puts("usage: mote-bench accuracy [OPTION]...\n");
    for (size_t i = 0; i < EXPERIMENTS; i++)
        printf("  %2u  %s\n", (unsigned)experiments[i].number, experiments[i].description);
    puts("\n"
         "  --experiment E  one of these (default: all)\n"
         "  --json FILE     writes the records there too\n"
         "  --csv DIR       writes DIR/experiment-E.csv with the motion by each integrator beside the exact "
         "one\n"
         "\n"
         "One particle flies by every integrator that the experiment concerns, so do two coupled bodies and "
         "a net, one\n"
         "rope is held by every solver. The reference is a published figure or the same method in double. "
         "Allowed is\n"
         "what rounding to float32 does, found by flying the reference with random roundings, and half of a "
         "published\n"
         "figure's last digit. `below float32`: the figure drowns in that; a row with coarser steps follows. "
         "Exit\n"
         "code 1: some error exceeds what is allowed.");
}

void accuracy_add_named(accuracy_report *report, uint32_t experiment, const char *name, const char *quantity,
                        double measured, double reference, double allowed) {
    accuracy_record *records = realloc(report->records, (report->count + 1) * sizeof *records);
    if (!records) fail_usage("no memory for the records");
    report->records = records;
    accuracy_record *added = &records[report->count++];
    *added = (accuracy_record){.experiment = experiment,
                               .integrator = name,
                               .measured = measured,
                               .reference = reference,
                               .error = fabs(measured - reference),
                               .allowed = allowed};
    snprintf(added->quantity, sizeof added->quantity, "%s", quantity);
    bool failed = !(added->error <= allowed);
    report->failed += failed;
    printf("%2u  %-19s  %-46s  %16.9g  %16.9g  %9.2e  %9.2e%s\n", (unsigned)experiment, added->integrator,
           quantity, measured, reference, added->error, allowed, failed ? "  FAILS" : "");
    fflush(stdout);
}

void accuracy_add(accuracy_report *report, uint32_t experiment, mote_integrator integrator,
                  const char *quantity, double measured, double reference, double allowed) {
    accuracy_add_named(report, experiment, mote_integrator_describe(integrator)->name, quantity, measured,
                       reference, allowed);
}

static cJSON *record_object(const accuracy_record *record) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "experiment", record->experiment);
    cJSON_AddStringToObject(object, "integrator", record->integrator);
    cJSON_AddStringToObject(object, "quantity", record->quantity);
    cJSON_AddNumberToObject(object, "measured", record->measured);
    cJSON_AddNumberToObject(object, "reference", record->reference);
    cJSON_AddNumberToObject(object, "error", record->error);
    cJSON_AddNumberToObject(object, "allowed", record->allowed);
    return object;
}

static bool write_records(FILE *file, const accuracy_report *report) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "version", mote_version());
    cJSON *results = cJSON_AddArrayToObject(object, "results");
    for (uint32_t i = 0; i < report->count; i++)
        cJSON_AddItemToArray(results, record_object(&report->records[i]));
    char *text = cJSON_Print(object);
    bool written = text && fputs(text, file) >= 0 && fputc('\n', file) != EOF && fflush(file) == 0;
    free(text);
    cJSON_Delete(object);
    return written;
}

static const experiment_row *option_experiment(const char *text) {
    uint32_t number = option_count("--experiment", text, 1, 1000);
    for (size_t i = 0; i < EXPERIMENTS; i++)
        if (experiments[i].number == number) return &experiments[i];
    fail_usage("--experiment: there is no experiment %u; mote-bench accuracy --help lists them",
               (unsigned)number);
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
    const experiment_row *only = NULL;
    const char *path = NULL;
    accuracy_report report = {0};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) switch (option) {
        case 'e':
            only = option_experiment(optarg);
            break;
        case 'j':
            path = optarg;
            break;
        case 'c':
            report.csv = option_directory(optarg);
            break;
        case 'h':
            print_help();
            return EXIT_SUCCESS;
        default:
            return EXIT_USAGE;
        }
    require_no_operands(argc, argv, optind);
    FILE *json = path ? fopen(path, "w") : NULL;
    if (path && !json) fail_usage("--json: %s: %s", path, strerror(errno));
    printf("%2s  %-19s  %-46s  %16s  %16s  %9s  %9s\n", "", "integrator", "quantity", "measured", "reference",
           "error", "allowed");
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        if (only && only != &experiments[i]) continue;
        printf("experiment %u: %s\n", (unsigned)experiments[i].number, experiments[i].description);
        experiments[i].run(&report);
    }
    printf("%u of %u rows exceed what is allowed\n", (unsigned)report.failed, (unsigned)report.count);
    bool written = !json || write_records(json, &report);
    if ((json && fclose(json)) || !written) {
        fprintf(stderr, "mote-bench: %s: %s\n", path, strerror(errno));
        report.failed++;
    }
    free(report.records);
    return report.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
