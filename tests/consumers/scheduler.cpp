// mote on the task scheduler of oneTBB, whose threads serve the rest of the program too.
#include <mote/mote.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

static void run(void *user, mote_task *task, void *context, uint32_t count) {
    static_cast<tbb::task_arena *>(user)->execute([=] {
        tbb::parallel_for(0u, count, [=](uint32_t index) {
            task(context, index, static_cast<uint32_t>(tbb::this_task_arena::current_thread_index()));
        });
    });
}

int main() {
    tbb::task_arena arena(tbb::info::default_concurrency());
    mote_system_def def = mote_default_system_def();
    def.capacity = 1000000;
    def.jobs.workers = static_cast<uint32_t>(arena.max_concurrency());
    def.jobs.run = run, def.jobs.user = &arena;
    mote_system *system;
    mote_range_view view;
    if (mote_system_create(&def, &system) || mote_system_spawn(system, def.capacity, &view)) return 1;
    const mote_result result = mote_system_step(system, 60, nullptr);
    mote_system_destroy(system);
    return result;
}
