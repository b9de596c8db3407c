/* The JSON files of the commands: opened before anything is measured, written at the end. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <cjson/cJSON.h>

#include "output.h"

/* An object with the machine at the start of the program (machine.h) and an empty array "results". */
cJSON *json_report(void);

/* A number, null where it is not finite, which JSON cannot hold. */
void json_add_number(cJSON *object, const char *key, double value);

/* Writes the object where there is an output, closes it and deletes the object. False, after a message: it
 * could not be written. */
bool json_close(bench_output *output, cJSON *object);

#endif
