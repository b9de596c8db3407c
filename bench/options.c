/* Reading of arguments. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mote/jobs.h>

#include "timing.h"

void fail_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("mote-bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_USAGE);
}

bool stdout_written(void) {
    if (!fflush(stdout) && !ferror(stdout)) return true;
    perror("mote-bench: stdout");
    return false;
}

int next_option(int argc, char **argv, const struct option *options, void (*print_help)(void)) {
    const int option = getopt_long(argc, argv, "h", options, NULL);
    if (option == '?') exit(EXIT_USAGE); /* getopt has printed the reason */
    if (option != 'h') return option;
    print_help();
    exit(stdout_written() ? EXIT_SUCCESS : EXIT_USAGE);
}

uint32_t option_count(const char *option, const char *text, uint32_t min, uint32_t max) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    uint32_t unit = 1;
    if (end && strcmp(end, "k") == 0)
        unit = 1000;
    else if (end && strcmp(end, "M") == 0)
        unit = 1000000;
    else if (!end || *end)
        fail_usage("%s: '%s' is not a count", option, text);
    if (errno || value > max / unit || value * unit < min)
        fail_usage("%s: %s is outside %u to %u", option, text, (unsigned)min, (unsigned)max);
    return (uint32_t)value * unit;
}

uint32_t option_threads(const char *text) { return option_count("--threads", text, 1, MOTE_MAX_WORKERS); }

uint32_t option_repeat(const char *text) { return option_count("--repeat", text, 1, MAX_REPEATS); }

bool next_name(const char *option, const char **text, char name[40]) {
    if (!*text) return false;
    const size_t length = strcspn(*text, ",");
    if (length == 0 || length >= 40) fail_usage("%s: '%s' is not a list of names", option, *text);
    memcpy(name, *text, length);
    name[length] = 0;
    *text = (*text)[length] ? *text + length + 1 : NULL;
    return true;
}

void require_no_operands(int argc, char **argv, int next) {
    if (next < argc) fail_usage("unexpected argument '%s'", argv[next]);
}
