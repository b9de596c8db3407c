/* Records as JSON. Other programs read the keys of a record: they stay, and more may be added. */
#include "report.h"

#include <inttypes.h>

#include "json.h"

static void add_ratio(cJSON *object, const char *key, spread ratio) {
    if (ratio.median > 0)
        cJSON_AddNumberToObject(object, key, ratio.median);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_configuration(cJSON *object, const bench_config *config) {
    cJSON_AddStringToObject(object, "scene", config->scene->name);
    cJSON_AddStringToObject(object, "integrator", mote_integrator_describe(config->integrator)->name);
    cJSON_AddNumberToObject(object, "particles", config->particles);
    cJSON_AddNumberToObject(object, "frames", config->frames);
    cJSON_AddNumberToObject(object, "substeps", config->substeps);
    cJSON_AddNumberToObject(object, "threads", config->threads);
    cJSON_AddStringToObject(object, "isa", mote_isa_name(config->isa));
    cJSON_AddNumberToObject(object, "repeat", config->repeat);
}

static cJSON *record_object(const bench_record *record) {
    cJSON *object = cJSON_CreateObject();
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, record->hash);
    add_configuration(object, &record->config);
    cJSON_AddNumberToObject(object, "seconds", record->frame.median * record->config.frames);
    cJSON_AddNumberToObject(object, "particle_steps_per_second", particle_steps_per_second(record));
    cJSON_AddNumberToObject(object, "bytes_per_particle_step", record->bytes);
    cJSON_AddNumberToObject(object, "limit_bytes_per_second", record->limit.median);
    cJSON_AddNumberToObject(object, "share", record->share.median);
    cJSON_AddStringToObject(object, "hash", hash);
    cJSON_AddBoolToObject(object, "hash_differs", record->differs);
    add_ratio(object, "baseline_struct_ratio", record->struct_ratio);
    add_ratio(object, "baseline_plain_ratio", record->plain_ratio);
    json_add_spread(object, "frame_seconds_median_min_max", record->frame);
    json_add_spread(object, "share_median_min_max", record->share);
    for (uint32_t i = 0; i < record->figure_count; i++)
        cJSON_AddNumberToObject(object, record->figures[i].key, record->figures[i].value.median);
    return object;
}

static cJSON *presentation_object(const bench_presentation *presentation) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "particles", presentation->particles);
    cJSON_AddNumberToObject(object, "threads", presentation->threads);
    cJSON_AddNumberToObject(object, "bytes_per_second", presentation->bytes_per_second.median);
    cJSON_AddNumberToObject(object, "copy_bytes_per_second", presentation->copy_bytes_per_second.median);
    cJSON_AddNumberToObject(object, "share", presentation->share.median);
    cJSON_AddNumberToObject(object, "memcpy_share", presentation->memcpy_share.median);
    cJSON_AddNumberToObject(object, "ordered_per_second", presentation->ordered_per_second.median);
    cJSON_AddNumberToObject(object, "keyed_per_second", presentation->keyed_per_second.median);
    cJSON_AddNumberToObject(object, "keyed_cost", presentation->keyed_cost.median);
    return object;
}

cJSON *report_object(const bench_report *report) {
    cJSON *object = json_report(), *results = cJSON_GetObjectItem(object, "results");
    for (uint32_t i = 0; i < report->record_count; i++)
        cJSON_AddItemToArray(results, record_object(&report->records[i]));
    cJSON *presentations = cJSON_AddArrayToObject(object, "presentation");
    for (uint32_t i = 0; i < report->presentation_count; i++)
        cJSON_AddItemToArray(presentations, presentation_object(&report->presentations[i]));
    cJSON_AddNumberToObject(object, "allocations_in_steps", (double)report->allocations);
    return object;
}
