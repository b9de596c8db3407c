/* The last result of mote-bench verify: see last.h. */
#include "last.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"

enum { MOST_PATH = 4096 };

/* The paths of the program and of the file beside it; 0 where the system does not tell. */
static int paths(char program[MOST_PATH], char file[MOST_PATH + 16]) {
    const ssize_t length = readlink("/proc/self/exe", program, MOST_PATH - 1);
    if (length <= 0) return 0;
    program[length] = 0;
    snprintf(file, MOST_PATH + 16, "%s.verified", program);
    return 1;
}

void last_keep(uint32_t claims, uint32_t failed, double seconds) {
    char program[MOST_PATH], path[MOST_PATH + 16], beside[MOST_PATH + 24], date[40];
    if (!paths(program, path)) return;
    snprintf(beside, sizeof beside, "%s.new", path);
    FILE *file = fopen(beside, "w");
    if (!file) return;
    fprintf(file, "%u claims, %u fail; %.1f s; commit %s; %s\n", (unsigned)claims, (unsigned)failed, seconds,
            machine_commit(), machine_date(date));
    if (fclose(file) || rename(beside, path)) unlink(beside);
}

void last_print(void) {
    char program[MOST_PATH], path[MOST_PATH + 16], line[256] = "";
    struct stat built, kept;
    const int known = paths(program, path) && !stat(program, &built) && !stat(path, &kept);
    FILE *file = known ? fopen(path, "r") : NULL;
    if (!file || !fgets(line, sizeof line, file))
        puts("mote-bench verify was never run with this build");
    else
        printf("mote-bench verify: %.*s%s\n", (int)strcspn(line, "\n"), line,
               kept.st_mtime < built.st_mtime ? "; the program was built again since" : "");
    if (file) fclose(file);
}
