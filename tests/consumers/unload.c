/* A host that loads the library at run time, steps on threads of OpenMP, unloads it, and does so again.
 * usage: unload LIBRARY */
#include <mote/mote.h>

#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

/* Sets a function pointer to a symbol of the library; ISO C has no cast for that. */
#define FIND(library, name) (*(void **)(&(name)) = dlsym(library, "mote_" #name), (name) != NULL)

static int use(const char *file) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    mote_system_def (*default_system_def)(void);
    mote_jobs (*jobs_openmp)(uint32_t);
    mote_result (*system_create)(const mote_system_def *, mote_system **);
    mote_result (*system_spawn)(mote_system *, uint32_t, mote_range_view *);
    mote_result (*system_step)(mote_system *, uint32_t, mote_advance *);
    void (*system_destroy)(mote_system *);
    if (!library) return 1;
    if (!FIND(library, default_system_def) || !FIND(library, jobs_openmp) || !FIND(library, system_create) ||
        !FIND(library, system_spawn) || !FIND(library, system_step) || !FIND(library, system_destroy))
        return 2;
    mote_system *system;
    mote_range_view view;
    mote_system_def def = default_system_def();
    def.capacity = 100000;
    def.jobs = jobs_openmp(3);
    def.jobs.least_work = 1; /* each step runs on all threads */
    if (system_create(&def, &system) || system_spawn(system, def.capacity, &view)) return 3;
    if (system_step(system, 3, NULL)) return 4;
    system_destroy(system);
    return dlclose(library) ? 5 : 0;
}

int main(int count, char **arguments) {
    const struct timespec pause = {0, 50000000};
    for (int i = 0; i < 3; i++) {
        const int wrong = count == 2 ? use(arguments[1]) : 9;
        if (wrong) return wrong;
        nanosleep(&pause, NULL); /* threads that wait for the next step run on in the library */
    }
    return 0;
}
