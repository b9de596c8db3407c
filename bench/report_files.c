/* The rows as JSON, which mote-bench diff reads, and as CSV, which bench/plot reads: a line a quantity. */
#include <inttypes.h>

#include "json.h"
#include "report.h"

static void write_hash(char text[17], uint64_t hash) {
    text[0] = 0;
    if (hash) snprintf(text, 17, "%016" PRIx64, hash);
}

static void add_count(cJSON *object, const char *key, uint32_t count) {
    if (count) cJSON_AddNumberToObject(object, key, count);
}

static cJSON *quantity_object(const row_quantity *q) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", q->name);
    cJSON_AddStringToObject(object, "unit", q->unit);
    json_add_number(object, "value", q->value.median);
    json_add_number(object, "min", q->value.min);
    json_add_number(object, "max", q->value.max);
    if (q->better) cJSON_AddStringToObject(object, "better", q->better == '<' ? "less" : "more");
    if (!q->bound) return object;
    cJSON_AddNumberToObject(object, q->bound == '<' ? "target_at_most" : "target_at_least", q->target);
    cJSON_AddBoolToObject(object, "met", quantity_met(q));
    return object;
}

static cJSON *row_object(const bench_row *row) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "section", row->section);
    cJSON_AddStringToObject(object, "name", row->name);
    if (row->integrator) cJSON_AddStringToObject(object, "integrator", row->integrator);
    if (row->isa) cJSON_AddStringToObject(object, "isa", row->isa);
    add_count(object, "particles", row->particles);
    add_count(object, "substeps", row->substeps);
    add_count(object, "threads", row->threads);
    add_count(object, "frames", row->frames);
    add_count(object, "repeat", row->repeat);
    cJSON *quantities = cJSON_AddArrayToObject(object, "quantities");
    for (uint32_t i = 0; i < row->quantity_count; i++)
        cJSON_AddItemToArray(quantities, quantity_object(&row->quantity[i]));
    char hash[17];
    write_hash(hash, row->hash);
    if (hash[0]) cJSON_AddStringToObject(object, "hash", hash);
    cJSON_AddBoolToObject(object, "hash_differs", row->differs);
    if (row->not_same) cJSON_AddTrueToObject(object, "not_the_same");
    if (row->disturbed[0]) cJSON_AddStringToObject(object, "disturbed", row->disturbed);
    if (row->details) cJSON_AddItemToObject(object, "details", cJSON_Duplicate(row->details, true));
    return object;
}

cJSON *report_object(const bench_report *report) {
    cJSON *object = json_report(), *results = cJSON_GetObjectItem(object, "results");
    for (uint32_t i = 0; i < report->count; i++) cJSON_AddItemToArray(results, row_object(&report->rows[i]));
    return object;
}

static void write_count(FILE *file, uint32_t count) {
    if (count) fprintf(file, "%" PRIu32, count);
    fputc(',', file);
}

/* The figure to reach, as ">= 1.85", and whether the quantity does. */
static void write_figure(FILE *file, const row_quantity *q) {
    if (q->bound) fprintf(file, "%c= %.9g", q->bound, q->target);
    fputc(',', file);
    csv_text(file, !q->bound ? "" : quantity_met(q) ? "yes" : "no", '\n');
}

void report_csv(const bench_report *report, FILE *file) {
    if (!file) return;
    fputs(
        "section,name,integrator,isa,particles,substeps,threads,quantity,unit,median,min,max,disturbed,hash,"
        "figure,met\n",
        file);
    for (uint32_t i = 0; i < report->count; i++) {
        const bench_row *row = &report->rows[i];
        char hash[17];
        write_hash(hash, row->hash);
        for (uint32_t k = 0; k < row->quantity_count; k++) {
            const row_quantity *q = &row->quantity[k];
            csv_text(file, row->section, ',');
            csv_text(file, row->name, ',');
            csv_text(file, row->integrator ? row->integrator : "", ',');
            csv_text(file, row->isa ? row->isa : "", ',');
            write_count(file, row->particles);
            write_count(file, row->substeps);
            write_count(file, row->threads);
            csv_text(file, q->name, ',');
            csv_text(file, q->unit, ',');
            csv_number(file, q->value.median, ',');
            csv_number(file, q->value.min, ',');
            csv_number(file, q->value.max, ',');
            csv_text(file, row->disturbed, ',');
            csv_text(file, hash, ',');
            write_figure(file, q);
        }
    }
}
