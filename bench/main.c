/* mote-bench: measures the engine, with the evidence for each figure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mote/version.h>

#include "commands.h"
#include "machine.h"
#include "options.h"

typedef struct bench_command {
    const char *name, *description;
    int (*run)(int argc, char **argv);
} bench_command;

static const bench_command commands[] = {
    {"list", "the scenes, integrators and instruction sets that there are", command_list},
    {"limits", "memory bandwidth of this machine, the limit that shares refer to", command_limits},
    {"run", "how fast the engine is here, with the evidence beside each figure", command_run},
    {"diff", "two files of run: ratios, and hashes that differ; exit code 1 if something got slower",
     command_diff},
    {"verify", "every physical claim beside its reference; exit code 1 where one fails", command_verify},
    {"threads", "sizes from which work is divided among threads, and steps on a busy machine",
     command_threads},
    {"curves", "tables for the pictures that bench/plot draws", command_curves},
    {"soak", "hours of edits, frames and rollbacks beside a serial twin; exit code 1 where they differ",
     command_soak},
    {"throughput", "scenes on the ranks of MPI beside threads of one process, under mpirun",
     command_throughput},
};
static const size_t command_count = sizeof commands / sizeof commands[0];

static void print_help(FILE *file) {
    fputs("usage: mote-bench COMMAND [OPTION]...\n\n", file);
    for (size_t i = 0; i < command_count; i++)
        fprintf(file, "  %-12s %s\n", commands[i].name, commands[i].description);
    fputs("\nmote-bench COMMAND --help prints the options of a command, mote-bench --version what was built. "
          "Exit code 2: a wrong argument, a file that cannot be written, or too little memory.\n",
          file);
}

static const bench_command *command_named(const char *name) {
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return stdout_written() ? EXIT_SUCCESS : EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("mote-bench %s, commit %s, %s\n", mote_version(), machine_commit(), machine_compiler());
        return stdout_written() ? EXIT_SUCCESS : EXIT_USAGE;
    }
    const bench_command *command = command_named(argv[1]);
    if (!command) fail_usage("unknown command '%s'; mote-bench --help lists them", argv[1]);
    char date[40];
    (void)machine_at_start(date);
    static char program[] = "mote-bench"; /* messages of getopt begin with argv[0] */
    argv[1] = program;
    int code = command->run(argc - 1, argv + 1);
    return stdout_written() ? code : EXIT_USAGE;
}
