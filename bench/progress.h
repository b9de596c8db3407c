/* Progress on one line of stderr that is erased at the end; nothing is shown if stderr is not a terminal. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

/* Text that begins every line of progress from now on. */
void progress_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

#endif
