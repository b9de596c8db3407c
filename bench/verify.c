/* mote-bench verify: every physical claim as a row of one table, with its reference and its allowance. */
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "last.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "timing.h"

static const char *const group_names[] = {"integrators", "clock",   "particles", "strands",
                                          "rods",        "contact", "networks"};
enum { INTEGRATORS, CLOCK, PARTICLES, STRANDS, RODS, CONTACT, NETWORKS, GROUPS };

typedef struct experiment_row {
    int group;
    const char *name, *description, *source; /* the source of figures that no row names itself */
    verify_experiment *run;
} experiment_row;

static const experiment_row experiments[] = {
    {INTEGRATORS, "constant-force", "constant force", "x = F t^2 / 2m + what the order leaves",
     verify_constant_force},
    {INTEGRATORS, "damped-spring", "damped spring", "damped cosine", verify_damped_spring},
    {INTEGRATORS, "oscillator", "undamped oscillator: phase and energy", "eigenvalues of one step",
     verify_oscillator},
    {INTEGRATORS, "stability", "the largest stable step of springs", "spectral radius of one step = 1",
     verify_stability},
    {INTEGRATORS, "kinematic", "kinematic integrators: each force alone, and two together",
     "closed forms; series in z", verify_kinematic},
    {INTEGRATORS, "joint-flow", "gravity, linear drag and an anchor spring together",
     "x'' = g - (b x' + k (x - a)) / m, solved", verify_joint_flow},
    {INTEGRATORS, "velocity-field", "a velocity field", "x = -3 + 2 / (1 + e^-2t), y = t^2 + e^-5t / 3",
     verify_velocity_field},
    {INTEGRATORS, "orbit", "Kepler orbit", "conserved energy; the method in double", verify_kepler},
    {INTEGRATORS, "orders", "orders of accuracy", "order of the method", verify_orders},
    {CLOCK, "ticks", "whole steps in frames of any length", "whole numbers", verify_ticks},
    {CLOCK, "frames", "the same state for any frames", "the state after single steps", verify_frames},
    {PARTICLES, "projectile", "projectile with linear and quadratic drag", "v' = g - c v, solved",
     verify_projectile},
    {PARTICLES, "momentum", "momentum", "conservation", verify_momentum},
    {PARTICLES, "births", "emitters and lifetimes", "rate x time", verify_births},
    {PARTICLES, "emission", "speeds, directions and places of births", "mote/emitter.h", verify_emission},
    {PARTICLES, "moments", "births within a step, and along a way", "mote/emitter.h", verify_moments},
    {PARTICLES, "fields", "fields, anchors, drag, thrust and regions at 1,024 places",
     "the formulas of mote/force.h, in double", verify_fields},
    {PARTICLES, "curl-noise", "curl noise at 1,024 places", "Perlin 2002, DeWolf 2005, in double",
     verify_curl_noise},
    {PARTICLES, "turning", "spin, torque and drag of bodies",
     "angle = w t, w = torque t / I, exp(-drag t / I)", verify_turning},
    {PARTICLES, "top", "the free asymmetric top", "4 K(k) / p, Landau and Lifshitz, Mechanics, 37",
     verify_top},
    {PARTICLES, "presentation", "interpolated positions", "x0 + v t + g t^2 / 2", verify_presentation},
    {STRANDS, "hanging-rope", "a hanging rope", "equilibrium of a chain of 31 links", verify_hanging_rope},
    {STRANDS, "swinging-rope", "a swinging rope", "lowest mode of a chain of 31 links", verify_swinging_rope},
    {STRANDS, "air", "a straight strand that falls in air", "m g = cn L v across, ct L v along", verify_air},
    {STRANDS, "pose", "springs to the rest shape", "sag m g / k, w = sqrt(k / m)", verify_pose},
    {STRANDS, "far-strands", "falls and pendulums at 0, 1 and 100 km", "g t; Huygens, with the amplitude",
     verify_far_strands},
    {RODS, "cantilever", "horizontal rods under their weight", "elastica, angle'' = -G (1 - s) cos(angle)",
     verify_cantilevers},
    {RODS, "tip-load", "clamped rods with a load at the tip", "elastica with a force at the end",
     verify_tip_loads},
    {RODS, "greenhill", "the load under which an upright rod falls over", "Greenhill 1881: 7.8373",
     verify_greenhill},
    {RODS, "tones", "tones of a clamped rod", "cos b cosh b = -1", verify_tones},
    {RODS, "twist", "a straight rod that is twisted", "even twist, GJ angle^2 / 2L", verify_twist},
    {RODS, "quarter-ring", "a quarter ring bent out of its plane",
     "Castigliano: P R^3 (pi/4 / EI + (3 pi/4 - 2) / GJ)", verify_quarter_ring},
    {CONTACT, "capstan", "a rope over a capsule",
     "Euler and Eytelwein, with the weight of the rope on the capsule", verify_capstan},
    {CONTACT, "slope", "a short strand on a slope", "a = g (sin - mu cos)", verify_slope},
    {CONTACT, "bounces", "heights of bounces", "h e^(2 n)", verify_bounces},
    {CONTACT, "loose-slope", "loose particles on a slope", "a = g (sin - mu cos); 5/7 g sin where they roll",
     verify_loose_slope},
    {CONTACT, "spin", "the spin of a ball by friction", "p = min(mu (1 + e) v, 2/7 slip), 5 p / 2 r",
     verify_spin},
    {CONTACT, "responses", "what passes, dies or sticks", "mote/collider.h", verify_responses},
    {CONTACT, "net-slope", "nets on a slope", "a = g (sin - mu cos)", verify_net_slope},
    {NETWORKS, "coupled-bodies", "two coupled bodies", "matrix exponential", verify_coupled_bodies},
    {NETWORKS, "chain", "the linear chain: by its modes, and as a network", "w = 2 sqrt(k/m) sin(theta)",
     verify_linear_chain},
    {NETWORKS, "swinging-net", "energy of a swinging net", "the method in double", verify_swinging_net},
    {NETWORKS, "stable-steps", "bounds on the stable step of nets, chains, webs and a bridge",
     "highest frequency by the power method", verify_bounds},
    {NETWORKS, "hung-nets", "nets that hang at rest", "equilibrium of the links; Hooke", verify_hung_nets},
    {NETWORKS, "far-nets", "falls and pendulums at 0, 1 and 100 km", "g t; Huygens, with the amplitude",
     verify_far_nets},
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

typedef struct request {
    bool group[GROUPS], groups_given;
    bool experiment[EXPERIMENTS], experiments_given; /* else all of the groups */
    bool all;
    const char *json, *csv;
} request;

static void print_help(void) {
    puts("usage: mote-bench verify [OPTION]...\n");
    for (int group = 0; group < GROUPS; group++) {
        printf("  %s\n", group_names[group]);
        for (size_t i = 0; i < EXPERIMENTS; i++)
            if (experiments[i].group == group)
                printf("    %-15s %s\n", experiments[i].name, experiments[i].description);
    }
    puts(
        "\n"
        "  --group G,...   some of these groups, or all (default); several add up\n"
        "  --experiment E  some of these experiments; several add up, as do names with commas between\n"
        "  --all           prints every row; else those that fail, and a line a group\n"
        "  --json FILE     writes the rows there too; - is stdout\n"
        "  --csv FILE      likewise, as CSV\n\n"
        "Each row is a claim: a quantity, the value of mote, its reference and how far it may be off. The\n"
        "reference is a closed form, a published figure, or the same method in double precision. Allowed is\n"
        "the effect of rounding to float32, found by running the reference with random roundings, half of\n"
        "the last digit of a published figure, and what an experiment derives in its source. `below\n"
        "float32`: the figure is smaller than that. Exit code 1: some error exceeds what is allowed.");
}

static cJSON *rows_object(const verify_report *report) {
    cJSON *object = json_report(), *results = cJSON_GetObjectItem(object, "results");
    for (uint32_t i = 0; i < report->count; i++) {
        const verify_record *record = &report->records[i];
        const experiment_row *experiment = &experiments[record->experiment];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "group", group_names[experiment->group]);
        cJSON_AddStringToObject(row, "experiment", experiment->name);
        cJSON_AddStringToObject(row, "subject", record->name);
        cJSON_AddStringToObject(row, "quantity", record->quantity);
        json_add_number(row, "measured", record->measured);
        json_add_number(row, "reference", record->reference);
        json_add_number(row, "error", record->error);
        json_add_number(row, "allowed", record->allowed);
        cJSON_AddBoolToObject(row, "passed", !record->failed);
        cJSON_AddStringToObject(row, "source", record->source);
        cJSON_AddItemToArray(results, row);
    }
    return object;
}

static void write_csv(FILE *file, const verify_report *report) {
    if (!file) return;
    fputs("group,experiment,subject,quantity,measured,reference,error,allowed,passed,source\n", file);
    for (uint32_t i = 0; i < report->count; i++) {
        const verify_record *record = &report->records[i];
        const experiment_row *experiment = &experiments[record->experiment];
        csv_text(file, group_names[experiment->group], ',');
        csv_text(file, experiment->name, ',');
        csv_text(file, record->name, ',');
        csv_text(file, record->quantity, ',');
        csv_number(file, record->measured, ',');
        csv_number(file, record->reference, ',');
        csv_number(file, record->error, ',');
        csv_number(file, record->allowed, ',');
        csv_text(file, record->failed ? "no" : "yes", ',');
        csv_text(file, record->source, '\n');
    }
}

static bool is_asked(const request *asked, uint32_t experiment) {
    return asked->experiments_given ? asked->experiment[experiment]
                                    : asked->group[experiments[experiment].group];
}

/* Runs what is asked of a group, and prints its line. */
static void run_group(const request *asked, int group, verify_report *report) {
    const uint32_t count = report->count, failed = report->failed;
    const double start = now_seconds();
    bool any = false;
    for (uint32_t i = 0; i < EXPERIMENTS; i++) {
        if (experiments[i].group != group || !is_asked(asked, i)) continue;
        progress("%s, experiment %u of %u", experiments[i].description, (unsigned)i + 1,
                 (unsigned)EXPERIMENTS);
        report->experiment = i, report->source = experiments[i].source;
        if (asked->all) printf("%s: %s\n", experiments[i].name, experiments[i].description);
        experiments[i].run(report);
        any = true;
    }
    progress_clear();
    if (!any) return;
    double closest = 0;
    for (uint32_t i = count; i < report->count; i++) {
        const verify_record *record = &report->records[i];
        if (record->allowed > 0 && record->error > closest * record->allowed)
            closest = record->error / record->allowed;
    }
    printf("%-12s %5u of %5u claims hold; the closest takes %3.0f %% of its allowance; %.1f s\n",
           group_names[group], (unsigned)(report->count - count - (report->failed - failed)),
           (unsigned)(report->count - count), 100 * closest, now_seconds() - start);
    fflush(stdout);
}

static void option_groups(request *asked, const char *text) {
    char name[40];
    asked->groups_given = true;
    while (next_name("--group", &text, name)) {
        const bool all = strcmp(name, "all") == 0;
        bool known = all;
        for (int group = 0; group < GROUPS; group++)
            if (all || strcmp(group_names[group], name) == 0) asked->group[group] = known = true;
        if (!known) fail_usage("--group: unknown group '%s'; mote-bench verify --help lists them", name);
    }
}

static void option_experiments(request *asked, const char *text) {
    char name[40];
    asked->experiments_given = true;
    while (next_name("--experiment", &text, name)) {
        bool known = false;
        for (uint32_t i = 0; i < EXPERIMENTS; i++)
            if (strcmp(experiments[i].name, name) == 0) asked->experiment[i] = known = true;
        if (!known)
            fail_usage("--experiment: unknown experiment '%s'; mote-bench verify --help lists them", name);
    }
}

static request parse(int argc, char **argv) {
    static const struct option options[] = {{"group", required_argument, NULL, 'g'},
                                            {"experiment", required_argument, NULL, 'e'},
                                            {"all", no_argument, NULL, 'a'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"csv", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    request asked = {0};
    // clang-format off
    for (int option; (option = next_option(argc, argv, options, print_help)) != -1;) switch (option) {
        case 'g': option_groups(&asked, optarg); break;
        case 'e': option_experiments(&asked, optarg); break;
        case 'a': asked.all = true; break;
        case 'j': asked.json = optarg; break;
        case 'c': asked.csv = optarg; break;
        }
    // clang-format on
    require_no_operands(argc, argv, optind);
    if (asked.groups_given && asked.experiments_given) fail_usage("--experiment: takes no --group beside it");
    if (!asked.groups_given) memset(asked.group, true, sizeof asked.group);
    return asked;
}

static bool is_whole(const request *asked) {
    for (int group = 0; group < GROUPS; group++)
        if (!asked->group[group]) return false;
    return !asked->experiments_given;
}

int command_verify(int argc, char **argv) {
    const request asked = parse(argc, argv);
    verify_report report = {.prints_all = asked.all};
    bench_output *json = output_open("--json", asked.json), *csv = output_open("--csv", asked.csv);
    const double start = now_seconds();
    machine_print();
    for (int group = 0; group < GROUPS; group++) run_group(&asked, group, &report);
    const double seconds = now_seconds() - start;
    printf("%u claims, %u fail; %.1f s\n", (unsigned)report.count, (unsigned)report.failed, seconds);
    if (is_whole(&asked)) last_keep(report.count, report.failed, seconds);
    write_csv(output_file(csv), &report);
    const bool table = output_close(csv), written = json_close(json, rows_object(&report));
    free(report.records);
    return !table || !written ? EXIT_USAGE : report.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
