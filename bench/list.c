/* mote-bench list: names, one a line, for people and scripts; with --long, the descriptors of the
 * integrators. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mote/mote.h>

#include "commands.h"
#include "options.h"
#include "run.h"

static void print_help(void) {
    puts("usage: mote-bench list [--long]\n\n"
         "Prints lines `scene NAME`, `integrator NAME`, `isa NAME` for the instruction sets that this build\n"
         "and this machine can run, and `peer NAME` with what each peer does in a step.\n\n"
         "  --long  the integrators' descriptors instead:\n"
         "    order   of the global error; and where a force reads velocity\n"
         "    symp    symplectic, for forces that come from a potential\n"
         "    eval    evaluations of the forces in a substep\n"
         "    z       the largest stable h sqrt(k / m) of an undamped spring");
}

static void print_integrators(void) {
    printf("%-19s %5s %8s %4s %4s %7s\n", "integrator", "order", "with v", "symp", "eval", "z");
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        const mote_integrator_info *info = mote_integrator_describe((mote_integrator)i);
        char z[24] = "any";
        if (isfinite(info->stable_z)) snprintf(z, sizeof z, "%.4g", info->stable_z);
        if (info->stable_z == 0) snprintf(z, sizeof z, "none");
        printf("%-19s %5u %8u %4s %4u %7s\n  %s\n  %s\n", info->name, (unsigned)info->order,
               (unsigned)info->order_damped, info->symplectic ? "yes" : "no", (unsigned)info->evaluations, z,
               info->note, info->source);
    }
}

int command_list(int argc, char **argv) {
    static const struct option options[] = {
        {"long", no_argument, NULL, 'l'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool descriptors = false;
    while (next_option(argc, argv, options, print_help) != -1) descriptors = true;
    require_no_operands(argc, argv, optind);
    if (descriptors) {
        print_integrators();
        return EXIT_SUCCESS;
    }
    for (uint32_t i = 0; i < scene_count; i++) printf("scene %s\n", scenes[i].name);
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++)
        printf("integrator %s\n", mote_integrator_describe((mote_integrator)i)->name);
    for (int i = MOTE_ISA_AUTO + 1; i < MOTE_ISA_COUNT; i++)
        if (mote_isa_available((mote_isa)i)) printf("isa %s\n", mote_isa_name((mote_isa)i));
    peers_list();
    return EXIT_SUCCESS;
}
