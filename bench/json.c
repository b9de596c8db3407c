/* The JSON files of the commands: see json.h. */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <mote/version.h>

#include "machine.h"

cJSON *json_report(void) {
    cJSON *object = cJSON_CreateObject();
    char date[40];
    const machine_state state = machine_at_start(date);
    cJSON_AddStringToObject(object, "cpu", machine_cpu());
    cJSON_AddStringToObject(object, "compiler", machine_compiler());
    cJSON_AddStringToObject(object, "version", mote_version());
    cJSON_AddStringToObject(object, "commit", machine_commit());
    cJSON_AddStringToObject(object, "date", date);
    cJSON_AddNumberToObject(object, "threads", machine_threads());
    cJSON_AddStringToObject(object, "caches", machine_caches());
    cJSON_AddNumberToObject(object, "clock_hertz", state.clock);
    cJSON_AddNumberToObject(object, "memory_bytes", state.memory);
    cJSON_AddNumberToObject(object, "memory_limit_bytes", state.memory_limit);
    cJSON_AddNumberToObject(object, "load_at_the_start", state.load);
    cJSON_AddArrayToObject(object, "results");
    return object;
}

void json_add_number(cJSON *object, const char *key, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

bool json_close(bench_output *output, cJSON *object) {
    char *text = output ? cJSON_Print(object) : NULL;
    if (text) fprintf(output_file(output), "%s\n", text);
    free(text);
    cJSON_Delete(object);
    return output_close(output);
}
