/* The JSON files of the commands: see json.h. */
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <mote/version.h>

#include "machine.h"
#include "options.h"

FILE *json_open(const char *path) {
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path && !file) fail_usage("--json: %s: %s", path, strerror(errno));
    return file;
}

cJSON *json_report(void) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "cpu", machine_cpu());
    cJSON_AddStringToObject(object, "compiler", machine_compiler());
    cJSON_AddStringToObject(object, "version", mote_version());
    cJSON_AddArrayToObject(object, "results");
    return object;
}

void json_add_spread(cJSON *object, const char *key, spread value) {
    const double numbers[3] = {value.median, value.min, value.max};
    cJSON_AddItemToObject(object, key, cJSON_CreateDoubleArray(numbers, 3));
}

bool json_close(FILE *file, const char *path, cJSON *object) {
    char *text = file ? cJSON_Print(object) : NULL;
    bool written = !file || (text && fputs(text, file) >= 0 && fputc('\n', file) != EOF);
    if (file && fclose(file)) written = false;
    if (!written) fprintf(stderr, "mote-bench: %s: %s\n", path, strerror(errno));
    free(text);
    cJSON_Delete(object);
    return written;
}
