/* mote-bench list: names, one a line, for people and scripts. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include <mote/mote.h>

#include "commands.h"
#include "options.h"
#include "scenes.h"

static void print_help(void) {
    puts("usage: mote-bench list\n\n"
         "Prints a line each: `scene NAME`, `integrator NAME`, `isa NAME`; of the instruction sets those that this\n"
         "build and this machine can run.");
}

int command_list(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    switch (getopt_long(argc, argv, "h", options, NULL)) {
    case -1:
        break;
    case 'h':
        print_help();
        return EXIT_SUCCESS;
    default:
        return EXIT_USAGE;
    }
    require_no_operands(argc, argv, optind);
    for (uint32_t i = 0; i < scene_count; i++) printf("scene %s\n", scenes[i].name);
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++)
        printf("integrator %s\n", mote_integrator_describe((mote_integrator)i)->name);
    for (int i = MOTE_ISA_AUTO + 1; i < MOTE_ISA_COUNT; i++)
        if (mote_isa_available((mote_isa)i)) printf("isa %s\n", mote_isa_name((mote_isa)i));
    return EXIT_SUCCESS;
}
