/* mote-bench curves: tables for the pictures of bench/plot. */
#include "curves.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "progress.h"

static const curve curves[] = {
    {"springs",
     "position, velocity and energy by every integrator on a spring, undamped and damped, and the exact ones",
     write_springs},
    {"cost", "error after 5 s on a Kepler orbit, evaluations of its force and time", write_cost},
    {"stability", "largest stable h sqrt(k / m) by damping ratio: stepped, and by the matrix of the method",
     write_stability},
    {"cantilevers", "horizontal rods under their weight, q L^3 / EI = 1, 5, 10, 50, beside the elastica",
     write_cantilevers},
    {"curl", "a curl at rest, and hung with its weight and 0, 20, 40, 60 mg more at its tip", write_curls},
    {"groom", "curly hair as given, after 10 s without rest_acceleration, and after 10 s with it",
     write_groom},
    {"rope", "stretch and change of energy of ropes that swing for 2 s, by substeps, and their cost",
     write_rope},
};
enum { CURVES = sizeof curves / sizeof curves[0] };

static void print_help(void) {
    puts("usage: mote-bench curves [--directory DIR] [NAME]...\n\n"
         "Writes NAME.csv of every curve, or of those that are named, for bench/plot to draw.\n\n"
         "  --directory DIR  where to (default: the current directory)\n");
    for (int i = 0; i < CURVES; i++) printf("  %-12s %s\n", curves[i].name, curves[i].description);
}

static bool write_curve(const curve *c, const char *directory) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.csv", directory, c->name) >= (int)sizeof path)
        fail_usage("--directory: the path is too long");
    bench_output *output = output_open("--directory", path);
    progress("%s", c->name);
    c->write(output_file(output));
    progress_clear();
    return output_close(output);
}

static const curve *curve_named(const char *name) {
    for (int i = 0; i < CURVES; i++)
        if (strcmp(curves[i].name, name) == 0) return &curves[i];
    fail_usage("unknown curve '%s'; mote-bench curves --help lists them", name);
}

int command_curves(int argc, char **argv) {
    static const struct option options[] = {
        {"directory", required_argument, NULL, 'd'}, {"help", no_argument, NULL, 'h'}, {0}};
    const char *directory = ".";
    while (next_option(argc, argv, options, print_help) != -1) directory = optarg;
    bool good = true;
    for (int i = optind; i < argc; i++) curve_named(argv[i]);
    for (int i = optind; i < argc; i++) good &= write_curve(curve_named(argv[i]), directory);
    for (int i = 0; i < CURVES && optind == argc; i++) good &= write_curve(&curves[i], directory);
    return good ? EXIT_SUCCESS : EXIT_USAGE;
}
