/* Runs the function of a fuzzer over the files of a directory, as libFuzzer would: fuzz-NAME DIRECTORY, or
 * over one file. The file at hand is printed, so that the last one is that of a finding. */
#include <dirent.h>

#include "input.h"

static uint8_t bytes[1 << 20];

static uint32_t replay(const char *path) {
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!file || ferror(file)) { /* a directory */
        if (file) fclose(file);
        return 0;
    }
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1); /* so that a read behind the end is found */
    if (!exact) exit(1);
    memcpy(exact, bytes, size);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

int main(int count, char **arguments) {
    char path[4096];
    uint32_t inputs = 0;
    if (count != 2) return 2;
    DIR *directory = opendir(arguments[1]);
    if (!directory) inputs = replay(arguments[1]);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", arguments[1], entry->d_name);
        inputs += replay(path);
    }
    if (directory) closedir(directory);
    printf("%u inputs\n", inputs);
    return inputs == 0;
}
