/* The JSON files of the commands: opened before anything is measured, written at the end. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "timing.h"

/* NULL where the path is NULL; a path that cannot be opened ends the program with a message and code 2. */
FILE *json_open(const char *path);

/* An object with the processor, the compiler, the version and an empty array "results". */
cJSON *json_report(void);

void json_add_spread(cJSON *object, const char *key, spread value);

/* Writes the object where there is a file, closes the file and deletes the object. False, after a message:
 * it could not be written. */
bool json_close(FILE *file, const char *path, cJSON *object);

#endif
