/* Files that commands write: see output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

enum { MOST_OUTPUTS = 32, MOST_PATH = 4096 };

struct bench_output {
    FILE *file;
    char path[MOST_PATH];        /* "": stdout */
    char beside[MOST_PATH + 64]; /* to be renamed or removed; "": none, as for what is no regular file */
};

/* Read by the handler of signals. */
static bench_output outputs[MOST_OUTPUTS];

static void remove_unfinished(void) {
    for (int i = 0; i < MOST_OUTPUTS; i++)
        if (outputs[i].beside[0]) unlink(outputs[i].beside);
}

static void break_off(int number) {
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

static void clean_up_at_the_end(void) {
    static bool known;
    if (known) return;
    known = true;
    atexit(remove_unfinished);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) /* one that nohup ignores stays so */
        if (signal(signals[i], break_off) == SIG_IGN) signal(signals[i], SIG_IGN);
}

/* The descriptor of stdout for the output; what is printed from now on goes to stderr. */
static FILE *take_stdout(const char *option) {
    static bool taken;
    if (taken) fail_usage("%s: only one of the outputs can be -", option);
    taken = true;
    int copy = dup(STDOUT_FILENO);
    return copy >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fdopen(copy, "w") : NULL;
}

/* The absolute path of a file, which need not exist, in a folder that does. False: errno says why not. */
static bool resolve(const char *path, char absolute[MOST_PATH]) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[MOST_PATH] = ".";
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    char *real = realpath(path, NULL), *real_folder = real ? NULL : realpath(folder, NULL);
    int length = -1;
    if (real) length = snprintf(absolute, MOST_PATH, "%s", real);
    if (real_folder) length = snprintf(absolute, MOST_PATH, "%s/%s", real_folder, name);
    free(real);
    free(real_folder);
    if (length >= MOST_PATH) errno = ENAMETOOLONG;
    return length >= 0 && length < MOST_PATH;
}

/* A file that is new, whatever else is in the folder, with the permissions of any new file. */
static FILE *create_beside(bench_output *output) {
    char name[sizeof output->beside];
    int descriptor = -1;
    for (int number = 0; descriptor < 0; number++) {
        snprintf(name, sizeof name, "%s.%ld-%d.new", output->path, (long)getpid(), number);
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) return NULL;
    }
    memcpy(output->beside, name, sizeof name);
    return fdopen(descriptor, "w");
}

/* Links are followed, so that they stay. */
static FILE *open_beside(bench_output *output, const char *option, const char *path) {
    struct stat status;
    if (stat(path, &status) && lstat(path, &status) == 0)
        fail_usage("%s: %s is a link to no file", option, path);
    if (!resolve(path, output->path)) return NULL;
    if (stat(output->path, &status) == 0 && !S_ISREG(status.st_mode)) return fopen(output->path, "w");
    if (access(output->path, F_OK) == 0 && access(output->path, W_OK)) return NULL;
    for (const bench_output *other = outputs; other < outputs + MOST_OUTPUTS; other++)
        if (other != output && other->file && strcmp(output->path, other->path) == 0)
            fail_usage("%s: another output writes %s", option, output->path);
    return create_beside(output);
}

bench_output *output_open(const char *option, const char *path) {
    bench_output *output = outputs;
    if (!path) return NULL;
    if (!path[0]) fail_usage("%s: a file without a name", option);
    while (output < outputs + MOST_OUTPUTS && output->file) output++;
    if (output == outputs + MOST_OUTPUTS) fail_usage("%s: too many files", option);
    memset(output, 0, sizeof *output);
    clean_up_at_the_end();
    output->file = strcmp(path, "-") == 0 ? take_stdout(option) : open_beside(output, option, path);
    if (!output->file) fail_usage("%s: %s: %s", option, path, strerror(errno));
    return output;
}

FILE *output_file(const bench_output *output) { return output ? output->file : NULL; }

bool output_close(bench_output *output) {
    if (!output) return true;
    bool written = !ferror(output->file);
    if (fclose(output->file)) written = false;
    if (written && output->beside[0] && rename(output->beside, output->path)) written = false;
    if (!written) {
        fprintf(stderr, "mote-bench: %s: %s\n", output->path[0] ? output->path : "stdout", strerror(errno));
        if (output->beside[0]) unlink(output->beside);
    }
    output->file = NULL, output->beside[0] = 0;
    return written;
}

void csv_text(FILE *file, const char *text, char end) {
    if (strpbrk(text, ",\"\n")) {
        fputc('"', file);
        for (; *text; text++) {
            if (*text == '"') fputc('"', file);
            fputc(*text, file);
        }
        fputc('"', file);
    } else {
        fputs(text, file);
    }
    fputc(end, file);
}

void csv_number(FILE *file, double number, char end) {
    if (isfinite(number)) fprintf(file, "%.9g", number);
    fputc(end, file);
}
