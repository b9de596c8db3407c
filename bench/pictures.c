/* mote-bench pictures: points of rods to files, drawn by gnuplot where it is installed. */
#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "options.h"
#include "pictures.h"

extern char **environ;

static void print_help(void) {
    puts("usage: mote-bench pictures [--directory DIR]\n\n"
         "Writes NAME.dat, the points, and NAME.gp, commands for gnuplot, of each picture, and runs\n"
         "`gnuplot NAME.gp`, which writes NAME.png, if there is a gnuplot.\n\n"
         "  --directory DIR  where to; the default is the current directory\n");
    for (unsigned i = 0; i < rod_picture_count; i++)
        printf("  %-12s %s\n", rod_pictures[i].name, rod_pictures[i].description);
}

static FILE *open_in(const char *directory, const char *name, const char *suffix) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.%s", directory, name, suffix) >= (int)sizeof path)
        fail_usage("--directory: too long");
    FILE *file = fopen(path, "w");
    if (!file) fail_usage("%s: %s", path, strerror(errno));
    return file;
}

static void close_or_fail(FILE *file) {
    if (ferror(file) | fclose(file)) fail_usage("a picture could not be written: %s", strerror(errno));
}

/* Runs `gnuplot NAME.gp` in the present directory. Returns 0, the code of gnuplot, or -1 without one. */
static int run_gnuplot(const char *name) {
    char script[64], program[] = "gnuplot";
    char *const arguments[] = {program, script, NULL};
    pid_t child;
    int status;
    snprintf(script, sizeof script, "%s.gp", name);
    if (posix_spawnp(&child, program, NULL, NULL, arguments, environ)) return -1;
    if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

/* Returns whether nothing failed; *plots becomes false where there is no gnuplot. */
static bool draw(const picture *p, bool *plots) {
    FILE *points = open_in(".", p->name, "dat"), *script = open_in(".", p->name, "gp");
    p->write(points);
    fprintf(script, "set terminal pngcairo size 1500,500\nset output '%s.png'\n%s", p->name, p->plot);
    close_or_fail(points);
    close_or_fail(script);
    const int code = *plots ? run_gnuplot(p->name) : 0;
    if (code < 0) *plots = false;
    return code <= 0;
}

int command_pictures(int argc, char **argv) {
    static const struct option options[] = {
        {"directory", required_argument, NULL, 'd'}, {"help", no_argument, NULL, 'h'}, {0}};
    const char *directory = ".";
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) switch (option) {
        case 'd':
            directory = optarg;
            break;
        case 'h':
            print_help();
            return EXIT_SUCCESS;
        default:
            return EXIT_USAGE;
        }
    require_no_operands(argc, argv, optind);
    if (chdir(directory)) fail_usage("--directory: %s: %s", directory, strerror(errno));
    bool plots = true, good = true;
    for (unsigned i = 0; i < rod_picture_count; i++) good &= draw(&rod_pictures[i], &plots);
    if (!plots) puts("no gnuplot was found: the points are in *.dat, its commands in *.gp");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
