/* The rows of the accuracy command: see accuracy.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "accuracy.h"
#include "options.h"

const char *integrator_name(mote_integrator integrator) { return mote_integrator_describe(integrator)->name; }

static void add_row(accuracy_report *report, const char *name, double measured, double reference,
                    double allowed, const char *quantity) {
    accuracy_record *records = realloc(report->records, (report->count + 1) * sizeof *records);
    if (!records) fail_usage("no memory for the records");
    report->records = records;
    accuracy_record *added = &records[report->count++];
    *added = (accuracy_record){.experiment = report->experiment,
                               .name = name,
                               .measured = measured,
                               .reference = reference,
                               .error = fabs(measured - reference),
                               .allowed = allowed};
    snprintf(added->quantity, sizeof added->quantity, "%s", quantity);
    const bool failed = !(added->error <= allowed);
    report->failed += failed;
    printf("%2u  %-19s  %-46s  %16.9g  %16.9g  %9.2e  %9.2e%s\n", (unsigned)report->experiment, name,
           added->quantity, measured, reference, added->error, allowed, failed ? "  FAILS" : "");
    fflush(stdout);
}

void accuracy_add(accuracy_report *report, const char *name, double measured, double reference,
                  double allowed, const char *format, ...) {
    char text[80];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_row(report, name, measured, reference, allowed, text);
}

double accuracy_rounding(const bench_values *values) {
    double largest = 0;
    for (uint32_t i = 0; i < NOISY_FLIGHTS; i++) {
        const double change = fabs(values->noisy[i] - values->exact);
        if (change > largest) largest = change;
    }
    return 3 * largest;
}

void accuracy_judge_values(accuracy_report *report, const char *name, const bench_values *values,
                           bench_figure figure, double extra, const char *format, ...) {
    const bool given = !isnan(figure.value);
    const double reference = given ? figure.value : values->exact;
    const double rounding = accuracy_rounding(values) + FLOAT_ROUNDING * fabs(values->exact) + extra;
    char text[80], quantity[sizeof text + sizeof " (below float32)"];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(quantity, sizeof quantity, "%s%s", text,
             reference != 0 && rounding > fabs(reference) ? " (below float32)" : "");
    if (given && !(fabs(values->exact - reference) <= 1.001 * figure.half_digit + extra))
        add_row(report, name, values->exact, reference, figure.half_digit + extra, "the same in double");
    add_row(report, name, values->engine, reference, rounding + figure.half_digit, quantity);
}
