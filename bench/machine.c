/* The machine and the compiler: see machine.h. */
#include "machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "options.h"

static const char *architecture(void) {
    static struct utsname system;
    return uname(&system) ? "unknown" : system.machine;
}

const char *machine_cpu(void) {
    static char name[256];
    if (name[0]) return name;
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !value) continue;
        snprintf(name, sizeof name, "%s", value + 1 + strspn(value + 1, " "));
        name[strcspn(name, "\n")] = 0;
        break;
    }
    if (file) fclose(file);
    if (!name[0]) snprintf(name, sizeof name, "%s", architecture());
    return name;
}

const char *machine_compiler(void) {
#ifdef __clang__
    return __VERSION__;
#else
    return "gcc " __VERSION__;
#endif
}

#ifdef _OPENMP
uint32_t machine_threads(void) { return (uint32_t)omp_get_max_threads(); }
uint32_t thread_index(void) { return (uint32_t)omp_get_thread_num(); }
uint32_t thread_count(void) { return (uint32_t)omp_get_num_threads(); }
#else
uint32_t machine_threads(void) { return 1; }
uint32_t thread_index(void) { return 0; }
uint32_t thread_count(void) { return 1; }
#endif

void require_memory(double bytes, const char *option) {
    double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
    if (bytes > 0.9 * pages * page)
        fail_usage("%s needs %.1f GiB of memory, this machine has %.1f GiB", option, bytes / 0x1p30,
                   pages * page / 0x1p30);
}
