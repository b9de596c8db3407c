/* Injected faults: every public call that allocates with allocation k failing, for every k, once and for
 * good; and threads that cannot be made. (mote_jobs_openmp cannot be tested so: libgomp exits the process
 * when it gets no thread. Jobs of the host are the way that survives.) */
#define _DEFAULT_SOURCE
#include "test.h"

#include <string.h>

#include "hair_files.h"
#include "snapshot_world.h"
#include "systems.h"

/* --- Allocations --- */

enum { POINTS = 6, NODES = 8 };

/* A host that makes one call after the other. */
typedef struct shop {
    memory_ledger ledger;
    mote_allocator allocator;
    mote_system *system, *other;
    mote_strands_id strands;
    mote_network_id network;
    mote_followers *followers;
    mote_grid *grid;
    mote_height_field *terrain;
    mote_distance_grid *solid;
    mote_hair *hair, *resampled;
    float places[NODES][3];
    mote_spring springs[NODES];
    uint32_t numbers[4];
    unsigned char file[4096], *snapshot;
    size_t file_bytes, snapshot_bytes;
} shop;

typedef mote_result shop_call(shop *s);

static mote_system_def shop_def(const shop *s) {
    mote_system_def def = mote_default_system_def();
    def.allocator = s->allocator, def.capacity = 40, def.lifetimes = def.external_forces = true;
    def.max_deaths = def.max_births = def.max_hits = 8;
    return def;
}

static mote_result call_create(shop *s) {
    const mote_system_def def = shop_def(s);
    return mote_system_create(&def, &s->system);
}

static mote_result call_reserve(shop *s) { return mote_system_reserve(s->system, 500); }

/* More than the first allocation of the list holds. */
static mote_result call_force(shop *s) {
    mote_force_def def = mote_callback(scene_chase, NULL);
    mote_force_id id;
    def.as.callback.reach = MOTE_REACH_RANGE;
    mote_result result = mote_system_add_force(s->system, &def, &id);
    const mote_force_def more = mote_thrust((float[3]){0, 0.125f, 0});
    for (int i = 0; i < 40 && result == MOTE_OK; i++) result = mote_system_add_force(s->system, &more, &id);
    return result;
}

/* A force that needs memory takes the place of one that needs none. */
static mote_result call_set_force(shop *s) {
    const mote_force_def gravity = mote_gravity((float[3]){0, -9, 0});
    mote_force_def chase = mote_callback(scene_chase, NULL);
    mote_force_id id;
    chase.as.callback.reach = MOTE_REACH_RANGE;
    const mote_result result = mote_system_add_force(s->system, &gravity, &id);
    return result ? result : mote_system_set_force(s->system, id, &chase);
}

static mote_result call_collider(shop *s) {
    const mote_collider_def def = mote_sphere((float[3]){5, 5, 5}, 1);
    mote_collider_id id;
    return mote_system_add_collider(s->system, &def, &id);
}

static mote_result call_emitter(shop *s) {
    const mote_emitter_def def = mote_default_emitter_def();
    mote_emitter_id id;
    return mote_system_add_emitter(s->system, &def, &id);
}

static mote_result call_strands(shop *s) {
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = POINTS, def.positions = s->places[0];
    return mote_system_add_strands(s->system, &def, &s->strands, NULL);
}

static mote_result call_pin_strand(shop *s) {
    return mote_strands_pin(s->system, s->strands, 0, 3, (float[3]){0, 0, 1}, 0);
}

static mote_result call_network(shop *s) {
    mote_network_def def = mote_default_network_def();
    def.particle_count = NODES, def.positions = s->places[0], def.springs = s->springs;
    def.spring_count = NODES - 2, def.spring_capacity = NODES + 4;
    return mote_system_add_network(s->system, &def, &s->network, NULL);
}

static mote_result call_pin_network(shop *s) {
    return mote_network_pin(s->system, s->network, 2, (float[3]){0, 0, 1}, 0);
}

static mote_result call_reel(shop *s) { return mote_network_reel(s->system, s->network, 1, 0.5f, 0, NULL); }

static mote_result call_springs(shop *s) {
    return mote_network_add_springs(s->system, s->network, 1, &s->springs[NODES - 2], s->numbers, NULL);
}

static mote_result call_link(shop *s) {
    mote_link link = mote_default_link();
    mote_link_id id;
    link.a = (mote_link_end){.strands = s->strands, .point = POINTS - 1};
    link.b = (mote_link_end){.network = s->network, .particle = 5};
    link.stiffness = 1;
    return mote_system_add_link(s->system, &link, &id);
}

static mote_result call_followers(shop *s) {
    mote_followers_def def = mote_default_followers_def();
    def.follower_count = 2, def.points = 3, def.positions = s->places[0];
    return mote_followers_create(s->system, s->strands, &def, &s->followers, NULL);
}

static mote_result call_grid(shop *s) {
    static const float vectors[8][3] = {{1, 2, 3}};
    mote_grid_def def = mote_default_grid_def();
    for (int axis = 0; axis < 3; axis++) def.count[axis] = 2;
    def.vectors = vectors, def.allocator = s->allocator;
    return mote_grid_create(&def, &s->grid);
}

static mote_result call_height_field(shop *s) {
    static const float heights[4] = {1, 2, 3, 4};
    mote_height_field_def def = mote_default_height_field_def();
    def.count[0] = def.count[1] = 2, def.heights = heights, def.allocator = s->allocator;
    return mote_height_field_create(&def, &s->terrain);
}

static mote_result call_distance_grid(shop *s) {
    static const float distances[8] = {-1, 1, -1, 1, -1, 1, -1, 1};
    mote_distance_grid_def def = mote_default_distance_grid_def();
    for (int axis = 0; axis < 3; axis++) def.count[axis] = 2;
    def.distances = distances, def.allocator = s->allocator;
    return mote_distance_grid_create(&def, &s->solid);
}

static mote_result call_read(shop *s) {
    return mote_hair_read(s->file, s->file_bytes, &s->allocator, &s->hair, NULL);
}

static mote_result call_resample(shop *s) {
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.points = 5, def.allocator = s->allocator;
    return mote_hair_resample(s->hair, &def, &s->resampled, NULL);
}

static mote_result call_columns(shop *s) {
    static float data[6][20];
    const mote_columns columns = {20, {data[0], data[1], data[2]}, {data[3], data[4], data[5]}, .mass = 1};
    mote_force_def force = mote_callback(scene_chase, NULL);
    mote_columns_def def = mote_default_columns_def();
    force.as.callback.reach = MOTE_REACH_RANGE;
    def.forces = &force, def.force_count = 1, def.allocator = s->allocator;
    return mote_columns_step(&columns, &def, NULL);
}

/* Into a system that was set up by the same calls but has no forces, colliders, pins and links yet. */
static mote_result call_restore(shop *s) {
    return mote_system_restore(s->other, s->snapshot, s->snapshot_bytes, NULL);
}

/* Every function of libmote whose errors name MEMORY, but mote_system_join (cluster_calls). */
static const struct {
    const char *name;
    shop_call *call;
} allocating[] = {{"create", call_create},
                  {"reserve", call_reserve},
                  {"set_force", call_set_force},
                  {"add_force", call_force},
                  {"add_collider", call_collider},
                  {"add_emitter", call_emitter},
                  {"add_strands", call_strands},
                  {"strands_pin", call_pin_strand},
                  {"add_network", call_network},
                  {"network_pin", call_pin_network},
                  {"reel", call_reel},
                  {"add_springs", call_springs},
                  {"add_link", call_link},
                  {"followers_create", call_followers},
                  {"grid_create", call_grid},
                  {"height_field_create", call_height_field},
                  {"distance_grid_create", call_distance_grid},
                  {"hair_read", call_read},
                  {"hair_resample", call_resample},
                  {"columns_step", call_columns},
                  {"restore", call_restore}};
enum { CALLS = sizeof allocating / sizeof *allocating };

static void open_shop(shop *s) {
    memset(s, 0, sizeof *s);
    s->allocator = ledger_allocator(&s->ledger);
    for (uint32_t i = 0; i < NODES; i++) {
        s->places[i][0] = 0.25f * (float)i, s->places[i][1] = 0.01f * (float)(i * i);
        s->springs[i] = (mote_spring){.a = i, .b = (i + 1) % NODES, .rest_length = 0.25f, .stiffness = 10};
    }
    mote_hair model = mote_default_hair();
    model.strand_count = 2, model.point_count = NODES, model.default_segments = NODES / 2 - 1;
    model.points = s->places;
    OK(mote_hair_write(&model, s->file, sizeof s->file, &s->file_bytes));
}

/* A snapshot of the first system, which the last row restores. */
static void save_shop(shop *s) {
    mote_system *const first = s->system;
    const mote_strands_id strands = s->strands;
    const mote_network_id network = s->network;
    OK(mote_system_snapshot_bytes(first, &s->snapshot_bytes));
    s->snapshot = malloc(s->snapshot_bytes);
    OK(mote_system_save(first, 0, s->snapshot, s->snapshot_bytes, NULL));
    s->ledger.fail_at = 0;
    OK(call_create(s)), OK(call_reserve(s));
    mote_force_def chase = mote_callback(scene_chase, NULL);
    mote_force_id id;
    chase.as.callback.reach = MOTE_REACH_RANGE;
    OK(mote_system_add_force(s->system, &chase, &id));
    OK(call_strands(s)), OK(call_network(s));
    s->other = s->system, s->system = first, s->strands = strands, s->network = network;
}

static void close_shop(shop *s) {
    s->ledger.fail_at = 0;
    mote_followers_destroy(s->followers);
    mote_system_destroy(s->system);
    mote_system_destroy(s->other);
    mote_grid_destroy(s->grid);
    mote_height_field_destroy(s->terrain);
    mote_distance_grid_destroy(s->solid);
    mote_hair_destroy(s->hair);
    mote_hair_destroy(s->resampled);
    free(s->snapshot);
    ASSERT(s->ledger.faults, ==, 0);
    ASSERT(s->ledger.live_bytes, ==, 0);
}

/* Makes a call with allocation `k` failing, and again without; returns whether it failed. */
static bool fail_once(shop *s, uint32_t i, uint64_t k, bool for_good) {
    mote_system *const of = i == CALLS - 1 ? s->other : s->system;
    const uint64_t hash = mote_system_hash(of), failures = s->ledger.failures;
    s->ledger.fail_at = s->ledger.calls + k, s->ledger.fail_on = for_good;
    const mote_result result = allocating[i].call(s);
    s->ledger.fail_at = 0;
    if (s->ledger.failures == failures) return OK(result), false;
    assert_int_equal(result, MOTE_ERROR_MEMORY);
    if (allocating[i].call != call_force && allocating[i].call != call_set_force) /* several calls */
        ASSERT(mote_system_hash(i == 0 ? NULL : of), ==, hash);
    if (i) OK(mote_system_step(of, 1, NULL)); /* nothing is half made */
    return true;
}

TEST(every_call_that_allocates_fails_cleanly_at_every_allocation) {
    for (int for_good = 0; for_good < 2; for_good++)
        for (uint32_t i = 0; i < CALLS; i++)
            for (uint64_t k = 1;; k++) {
                static shop s;
                open_shop(&s);
                for (uint32_t before = 0; before < i; before++) OK(allocating[before].call(&s));
                if (i == CALLS - 1) save_shop(&s);
                test_case("%s, allocation %u, %s", allocating[i].name, (unsigned)k,
                          for_good ? "for good" : "once");
                const bool failed = fail_once(&s, i, k, for_good);
                if (failed) OK(allocating[i].call(&s));
                close_shop(&s);
                ASSERT((failed || k > 1), ==, true); /* each of them does allocate */
                if (!failed) break;
            }
}

/* --- Threads --- */

/* A job system that gets `threads` of its workers, as where the system refuses to make the others: the thread
 * that calls runs the rest. */
typedef struct few_threads {
    mote_jobs all;
    uint32_t threads, runs;
} few_threads;

static void run_few(void *user, mote_task *task, void *context, uint32_t count) {
    few_threads *few = user;
    few->runs++;
    if (few->threads > 1)
        few->all.run(few->all.user, task, context, count);
    else
        for (uint32_t i = 0; i < count; i++) task(context, i, 0);
}

TEST(a_host_that_gets_no_threads_has_the_same_bits) {
    uint64_t hash[3];
    for (uint32_t threads = 1; threads <= 3; threads++) {
        uint32_t made = threads;
        few_threads few = {pthread_jobs_hook(&made), threads, 0};
        mote_system_def def = world_def();
        def.jobs = (mote_jobs){4, &few, run_few, 1};
        world w = warm_world(&def, 30);
        hash[threads - 1] = mote_system_hash(w.system);
        mote_system_destroy(w.system);
        ASSERT(few.runs, >, 0);
    }
    ASSERT(hash[0], ==, hash[1]);
    ASSERT(hash[0], ==, hash[2]);
}
