/* Progress on stderr: see progress.h. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progress(const char *format, ...) {
    if (!isatty(STDERR_FILENO)) return;
    va_list arguments;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
}

void progress_clear(void) {
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}
