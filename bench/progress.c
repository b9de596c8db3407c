/* Progress on stderr: see progress.h. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char prefix[80];

void progress_prefix(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
}

/* Characters that the terminal has beside each other, less one: a line that fills all of them would go on. */
static int room(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

/* Cut at the width of the terminal: a line that wraps could not be erased. */
void progress(const char *format, ...) {
    if (!isatty(STDERR_FILENO)) return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char line[sizeof prefix + sizeof text];
    snprintf(line, sizeof line, "%s%s", prefix, text);
    fprintf(stderr, "\r\033[K%.*s", room(), line);
    fflush(stderr);
}

void progress_clear(void) {
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}
