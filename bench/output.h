/* Files that commands write. Each is written to a new file beside its place, FILE.PROCESS-NUMBER.new, and
 * renamed at the end: a run that is broken off by a signal, or fails, removes the new file and leaves the old
 * one as it was, and of two runs to one place the last to end leaves its rows. */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct bench_output bench_output;

/* Opened before anything is measured: a path that cannot be written ends the program with a message and code
 * 2; option: its name. "-" is stdout, and the tables go to stderr instead. NULL where the path is NULL. */
bench_output *output_open(const char *option, const char *path);

/* NULL where the output is NULL. */
FILE *output_file(const bench_output *output);

/* Puts the file in its place. False, after a message: it could not be written, and nothing has changed. */
bool output_close(bench_output *output);

/* A field of a CSV file, quoted where that is needed; the end is ',' or '\n'. */
void csv_text(FILE *file, const char *text, char end);
void csv_number(FILE *file, double number, char end);

#endif
