/* The machine and the build: see machine.h. */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <mote/version.h>

#include "commit.h"
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

/* The first line of a file of the system, without its end; "" if there is none. */
static const char *line_of(const char *path, char line[80]) {
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, 80, file)) line[0] = 0;
    if (file) fclose(file);
    line[strcspn(line, "\n")] = 0;
    return line;
}

const char *machine_caches(void) {
    static char text[120];
    if (text[0]) return text;
    char path[80], level[80], kind[80], size[80];
    for (int i = 0; i < 8 && strlen(text) < 80; i++) {
        const char *const folder = "/sys/devices/system/cpu/cpu0/cache";
        snprintf(path, sizeof path, "%s/index%d/level", folder, i);
        line_of(path, level);
        snprintf(path, sizeof path, "%s/index%d/type", folder, i);
        line_of(path, kind);
        snprintf(path, sizeof path, "%s/index%d/size", folder, i);
        if (!level[0] || strcmp(kind, "Instruction") == 0) continue;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%sL%.2s%s %.12s", used ? ", " : "", level,
                 strcmp(kind, "Data") ? "" : "d", line_of(path, size));
    }
    return text[0] ? text : "unknown";
}

static double clock_of_cpuinfo(void) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    double megahertz = 0;
    while (file && !(megahertz > 0) && fgets(line, sizeof line, file))
        if (strncmp(line, "cpu MHz", 7) == 0 && strchr(line, ':')) megahertz = atof(strchr(line, ':') + 1);
    if (file) fclose(file);
    return 1e6 * megahertz;
}

machine_state machine_look(void) {
    char line[80];
    double load[1] = {0};
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double limit = atof(line_of("/sys/fs/cgroup/memory.max", line));
    if (!(limit > 0 && limit < memory)) limit = memory;
    if (getloadavg(load, 1) != 1) load[0] = 0;
    return (machine_state){clock_of_cpuinfo(), memory, limit, load[0]};
}

const char *machine_commit(void) { return MOTE_COMMIT[0] ? MOTE_COMMIT : "unknown"; }

const char *machine_date(char text[40]) {
    const time_t now = time(NULL);
    struct tm parts;
    strftime(text, 40, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &parts));
    return text;
}

machine_state machine_at_start(char date[40]) {
    static machine_state state;
    static char text[40];
    if (!text[0]) machine_date(text), state = machine_look();
    memcpy(date, text, sizeof text);
    return state;
}

void machine_print(void) {
    char date[40];
    const machine_state state = machine_at_start(date);
    printf("%s, %u thread%s, %.2f GHz, %s, %.1f GiB", machine_cpu(), (unsigned)machine_threads(),
           machine_threads() == 1 ? "" : "s", state.clock / 1e9, machine_caches(), state.memory / 0x1p30);
    if (state.memory_limit < state.memory) printf(" (limit %.1f GiB)", state.memory_limit / 0x1p30);
    printf("\nmote %s, commit %s, %s; %s, load %.2f\n", mote_version(), machine_commit(), machine_compiler(),
           date, state.load);
    fflush(stdout);
}

void require_memory(double bytes, const char *option) {
    const double limit = machine_look().memory_limit;
    if (bytes > 0.9 * limit)
        fail_usage("%s needs %.1f GiB of memory, this machine has %.1f GiB", option, bytes / 0x1p30,
                   limit / 0x1p30);
}
