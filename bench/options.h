/* Reading of arguments. A wrong argument ends the program with a message and code 2. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#define EXIT_USAGE 2

/* "mote-bench: ", the sentence, and exit. */
_Noreturn void fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The letter of the next option, whose value is in optarg; -1: none is left, and optind is the first operand.
 * --help prints the help and ends the program, and so does an option that is not in the table. */
int next_option(int argc, char **argv, const struct option *options, void (*print_help)(void));

/* A decimal count in [min, max], with an optional k or M for thousands or millions. */
uint32_t option_count(const char *option, const char *text, uint32_t min, uint32_t max);

/* Threads: 1 .. MOTE_MAX_WORKERS. Repeats: 1 .. MAX_REPEATS. */
uint32_t option_threads(const char *text);
uint32_t option_repeat(const char *text);

/* Takes the next name of a list a,b,c from *text into `name`; false: there is none. An empty or a long one is
 * an error. */
bool next_name(const char *option, const char **text, char name[40]);

/* Flushes stdout; false, after a message: not all that was printed could be written. */
bool stdout_written(void);

/* Fails if arguments that are no options are left. */
void require_no_operands(int argc, char **argv, int next);

#endif
