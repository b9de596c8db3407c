/* Progress on stderr: see progress.h. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static char prefix[80];

void progress_prefix(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
}

void progress(const char *format, ...) {
    if (!isatty(STDERR_FILENO)) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "\r\033[K%s", prefix);
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
}

void progress_clear(void) {
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}
