/* The rows of mote-bench verify: see verify.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "verify.h"
#include "options.h"
#include "progress.h"

const char *integrator_name(mote_integrator integrator) { return mote_integrator_describe(integrator)->name; }

static void print_row(const verify_report *report, const verify_record *row) {
    static bool headed;
    if (!report->prints_all && !row->failed) return;
    progress_clear();
    if (!headed)
        printf("%-5s %-19s  %-46s  %16s  %16s  %9s  %9s  %s\n", "", "subject", "quantity", "mote",
               "reference", "error", "allowed", "source");
    headed = true;
    printf("%-5s %-19s  %-46s  %16.9g  %16.9g  %9.2e  %9.2e  %s\n", row->failed ? "FAILS" : "holds",
           row->name, row->quantity, row->measured, row->reference, row->error, row->allowed, row->source);
    fflush(stdout);
}

static void add_row(verify_report *report, const char *name, double measured, double reference,
                    double allowed, const char *quantity) {
    verify_record *records = realloc(report->records, (report->count + 1) * sizeof *records);
    if (!records) fail_usage("no memory for the records");
    report->records = records;
    verify_record *added = &records[report->count++];
    *added = (verify_record){.experiment = report->experiment,
                             .name = name,
                             .source = report->source,
                             .measured = measured,
                             .reference = reference,
                             .error = fabs(measured - reference),
                             .allowed = allowed};
    snprintf(added->quantity, sizeof added->quantity, "%s", quantity);
    added->failed = !(added->error <= allowed);
    report->failed += added->failed;
    print_row(report, added);
}

void verify_add(verify_report *report, const char *name, double measured, double reference, double allowed,
                const char *format, ...) {
    char text[80];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_row(report, name, measured, reference, allowed, text);
}

double verify_rounding(const bench_values *values) {
    double largest = 0;
    for (uint32_t i = 0; i < NOISY_FLIGHTS; i++)
        largest = larger_or_nan(largest, fabs(values->noisy[i] - values->exact));
    return 3 * largest;
}

void verify_judge_values(verify_report *report, const char *name, const bench_values *values,
                         bench_figure figure, double extra, const char *format, ...) {
    const bool given = !isnan(figure.value);
    const double reference = given ? figure.value : values->exact;
    const double rounding = verify_rounding(values) + FLOAT_ROUNDING * fabs(values->exact) + extra;
    char text[80], quantity[sizeof text + sizeof " (below float32)"];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(quantity, sizeof quantity, "%s%s", text,
             reference != 0 && rounding > fabs(reference) ? " (below float32)" : "");
    if (given && !(fabs(values->exact - reference) <= 1.001 * figure.half_digit + extra))
        add_row(report, name, values->exact, reference, figure.half_digit + extra, "the same in double");
    const char *source = report->source;
    if (!given) report->source = "the method in double";
    add_row(report, name, values->engine, reference, rounding + figure.half_digit, quantity);
    report->source = source;
}
