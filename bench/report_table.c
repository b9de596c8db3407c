/* The table on stdout. */
#include "report.h"

#include <inttypes.h>

bench_record record_of(const measurement *result) {
    const bench_config *config = &result->config;
    uint32_t repeat = config->repeat;
    double bytes_of_frame = PROBE_BYTES + config->scene->added_bytes;
    bench_record record = {
        .config = *config, .hash = result->hash, .bytes = bytes_of_frame / config->substeps};
    record.frame = spread_of(result->engine.seconds, repeat);

    spread probe = spread_of(result->probe.seconds, repeat);
    double probe_bytes = PROBE_BYTES * config->particles;
    record.limit = (spread){probe_bytes / probe.median, probe_bytes / probe.max, probe_bytes / probe.min};

    double scale = bytes_of_frame / PROBE_BYTES;
    spread share = ratio_spread(&result->probe, &result->engine, repeat);
    record.share = (spread){share.median * scale, share.min * scale, share.max * scale};

    if (result->baseline_struct.present)
        record.struct_ratio = ratio_spread(&result->baseline_struct, &result->engine, repeat);
    if (result->baseline_plain.present)
        record.plain_ratio = ratio_spread(&result->baseline_plain, &result->engine, repeat);
    if (config->scene->figures) record.figure_count = config->scene->figures(result, record.figures);
    return record;
}

double particle_steps_per_second(const bench_record *record) {
    return (double)record->config.particles * record->config.substeps / record->frame.median;
}

void print_header(void) {
    printf("%-10s %-19s %9s %5s %3s %-7s %9s %-19s %9s %7s %5s %7s %7s  %s\n", "scene", "integrator",
           "particles", "sub", "thr", "isa", "ms/frame", "(min..max)", "M p-st/s", "B/p-st", "share",
           "struct", "plain", "hash");
    fflush(stdout);
}

static void print_ratio(spread ratio) {
    if (ratio.median > 0)
        printf(" %6.2fx", ratio.median);
    else
        printf(" %7s", "-");
}

/* Measured figures on a line each, with their spread; known figures beside each other on one line. */
static void print_figures(const bench_record *record) {
    for (uint32_t i = 0; i < record->figure_count; i++) {
        const scene_figure *figure = &record->figures[i];
        double median = figure->value.median / figure->unit, min = figure->value.min / figure->unit,
               max = figure->value.max / figure->unit;
        if (min < max)
            printf("%s%-10s   %.3f (%.3f..%.3f) %s", i ? "\n" : "", "", median, min, max, figure->sentence);
        else
            printf("%*s%.4g %s", i ? 0 : 13, i ? ", " : "", median, figure->sentence);
    }
    if (record->figure_count) putchar('\n');
}

void print_record(const bench_record *record) {
    const bench_config *config = &record->config;
    char extent[40];
    snprintf(extent, sizeof extent, "(%.3f..%.3f)", 1e3 * record->frame.min, 1e3 * record->frame.max);
    printf("%-10s %-19s %9" PRIu32 " %5" PRIu32 " %3" PRIu32 " %-7s %9.3f %-19s %9.1f %7.2f %5.2f",
           config->scene->name, mote_integrator_describe(config->integrator)->name, config->particles,
           config->substeps, config->threads, mote_isa_name(config->isa), 1e3 * record->frame.median, extent,
           particle_steps_per_second(record) / 1e6, record->bytes, record->share.median);
    print_ratio(record->struct_ratio);
    print_ratio(record->plain_ratio);
    printf("  %016" PRIx64 "%s\n", record->hash, record->differs ? " DIFFERS" : "");
    print_figures(record);
    fflush(stdout);
}

void print_presentation(const bench_presentation *presentation) {
    printf("present: linear, packed xyz, %" PRIu32 " particles, %" PRIu32
           " thread%s: %.2f GB/s, copy of as many bytes "
           "%.2f GB/s, share %.2f (%.2f..%.2f); of memcpy %.2f\n",
           presentation->particles, presentation->threads, presentation->threads == 1 ? "" : "s",
           presentation->bytes_per_second.median / 1e9, presentation->copy_bytes_per_second.median / 1e9,
           presentation->share.median, presentation->share.min, presentation->share.max,
           presentation->memcpy_share.median);
    const spread order = presentation->ordered_per_second;
    printf("order: back to front, 16 bits of depth, %" PRIu32 " particles, %" PRIu32
           " thread%s: %.0f M particles/s (%.0f..%.0f)\n",
           presentation->particles, presentation->threads, presentation->threads == 1 ? "" : "s",
           order.median / 1e6, order.min / 1e6, order.max / 1e6);
    const spread cost = presentation->keyed_cost;
    printf("present: with size and colour over life, 4 keys, 20 bytes, %" PRIu32 " particles, %" PRIu32
           " thread%s: %.0f M particles/s, time %.2fx (%.2f..%.2f) of packed xyz\n",
           presentation->particles, presentation->threads, presentation->threads == 1 ? "" : "s",
           presentation->keyed_per_second.median / 1e6, cost.median, cost.min, cost.max);
    fflush(stdout);
}

void print_allocations(const bench_report *report) {
    printf("allocations through the hook during %" PRIu64 " steps: %" PRIu64 "\n", report->allocation_steps,
           report->allocations);
}
