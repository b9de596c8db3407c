/* Injected faults: every public call that allocates with allocation k failing, for every k, once and for
 * good; threads that cannot be made; and numbers that are not numbers in every column, link, collider and
 * target. (mote_jobs_openmp cannot be tested so: libgomp exits the process when it gets no thread. Jobs of
 * the host are the way that survives.) */
#define _DEFAULT_SOURCE
#include "test.h"

#include <float.h>
#include <math.h>
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

/* Every function whose errors name MEMORY. */
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

/* --- Numbers --- */

static const float bad_numbers[] = {NAN,   -NAN,      INFINITY, -INFINITY, FLT_MAX,   -FLT_MAX, FLT_MIN,
                                    1e20f, 0x1p-149f, -0.0f,    1e30f,     0x1p-140f, -1e-38f};
enum { BAD = sizeof bad_numbers / sizeof *bad_numbers };

static bool all_finite(const float *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

/* After a few steps everything is finite, or a report counts it. */
static void check_reported(world *w) {
    mote_advance advance;
    static float x[WORLD_STRANDS * WORLD_POINTS][3], v[WORLD_STRANDS * WORLD_POINTS][3];
    OK(mote_system_step(w->system, 3, &advance));
    const mote_range_view view = mote_system_view(w->system);
    const motion_columns motion = motion_of(&view);
    for (int c = 0; c < 6; c++) ASSERT(all_finite(motion.column[c], view.count), ==, true);
    const mote_strands_id strands[2] = {w->hair, w->springs};
    for (int i = 0; i < 2; i++) {
        mote_strands_step_report report;
        uint32_t points = 0;
        for (uint32_t s = 0; s < WORLD_STRANDS; s++) points += mote_strands_points(w->system, strands[i], s);
        OK(mote_strands_report(w->system, strands[i], &report));
        OK(mote_strands_state(w->system, strands[i], 0, WORLD_STRANDS, x[0], v[0]));
        ASSERT(report.frozen || (all_finite(x[0], 3 * points) && all_finite(v[0], 3 * points)), ==, true);
    }
    const mote_network_id networks[2] = {w->net, w->webs};
    const uint32_t counts[2] = {WORLD_NET, WORLD_WEBS * WORLD_WEB};
    for (int i = 0; i < 2; i++) {
        mote_network_step_report report;
        OK(mote_network_report(w->system, networks[i], &report));
        OK(mote_network_state(w->system, networks[i], 0, counts[i], x[0], v[0]));
        const bool finite = all_finite(x[0], 3 * counts[i]) && all_finite(v[0], 3 * counts[i]);
        ASSERT(report.frozen || finite, ==, true);
    }
}

/* A world whose particles have every column. */
static mote_system_def full_def(void) {
    mote_system_def def = world_def();
    def.mass_column = def.lifetimes = def.anchor_column = def.external_forces = def.radius_column = true;
    def.orientation = def.principal_moments = def.inertia_column = def.external_torques = true;
    return def;
}

/* Every column of floats that the host may write: particles, then strands, then networks. */
enum { PARTICLE_COLUMNS = 33, COLUMNS = PARTICLE_COLUMNS + 12 };

static void list_columns(world *w, float *columns[COLUMNS]) {
    mote_vector_columns forces, torques;
    OK(mote_system_external_forces(w->system, &forces));
    OK(mote_system_external_torques(w->system, &torques));
    const mote_range_view p = mote_system_view(w->system);
    const mote_strands_view s = mote_strands_columns(w->system, w->hair),
                            t = mote_strands_columns(w->system, w->springs);
    const mote_network_view n = mote_network_columns(w->system, w->net),
                            m = mote_network_columns(w->system, w->webs);
    const mote_vector_columns vectors[] = {p.position,
                                           p.velocity,
                                           p.previous,
                                           p.anchor,
                                           p.angular_velocity,
                                           p.inertia,
                                           forces,
                                           torques,
                                           {p.inverse_mass, p.lifetime, p.radius},
                                           {p.orientation.x, p.orientation.y, p.orientation.z},
                                           {p.orientation.w, p.position.x, p.velocity.x},
                                           s.position,
                                           t.velocity,
                                           n.position,
                                           m.velocity};
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const mote_vector_columns *v = &vectors[i / 3];
        columns[i] = i % 3 == 0 ? v->x : i % 3 == 1 ? v->y : v->z;
    }
}

TEST(bad_numbers_in_columns_are_reported) {
    for (uint32_t c = 0; c < COLUMNS; c++)
        for (uint32_t n = 0; n < BAD; n++) {
            const mote_system_def def = full_def();
            world w = warm_world(&def, 6);
            float *columns[COLUMNS];
            list_columns(&w, columns);
            const uint32_t place = c - PARTICLE_COLUMNS;
            const uint32_t slot = c < PARTICLE_COLUMNS ? 1
                                  : place < 3          ? mote_strands_slot(w.system, w.hair, 3, 1)
                                  : place < 6          ? mote_strands_slot(w.system, w.springs, 3, 1)
                                  : place < 9          ? mote_network_slot(w.system, w.net, 20)
                                                       : mote_network_slot(w.system, w.webs, 20);
            test_case("column %u is %g", c, (double)bad_numbers[n]);
            ASSERT(mote_system_count(w.system), >, 1);
            columns[c][slot] = bad_numbers[n];
            check_reported(&w);
            mote_system_destroy(w.system);
        }
}

/* Calls with one bad number: refused with the state as it was, or legal, and then nothing turns non-finite
 * unless a report counts it. */
typedef mote_result number_call(world *w, uint32_t place, float bad);

static mote_result bad_link(world *w, uint32_t place, float bad) {
    mote_link link = mote_default_link();
    mote_link_id id;
    link.a = (mote_link_end){.strands = w->hair, .strand = 2, .point = 1};
    link.b = (mote_link_end){.network = w->webs, .particle = 9};
    link.rest_length = 0.5f, link.stiffness = 5;
    *(place % 3 == 0 ? &link.rest_length : place % 3 == 1 ? &link.stiffness : &link.damping) = bad;
    return mote_system_add_link(w->system, &link, &id);
}

static mote_result bad_collider(world *w, uint32_t place, float bad) {
    const mote_transform at = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def def = mote_box(&at, (float[3]){0.2f, 0.2f, 0.2f});
    float *const fields[] = {def.transform.position, def.transform.rotation, &def.radius,     def.extent,
                             def.extent + 2,         &def.friction,          &def.restitution};
    *fields[place % COUNT_OF(fields)] = bad;
    return mote_system_set_collider(w->system, w->ball, &def);
}

static mote_result bad_target(world *w, uint32_t place, float bad) {
    const uint64_t tick = mote_system_tick(w->system) + 1000000;
    mote_transform to = {{0.1f, 0.2f, 0.3f}, {0, 0, 0, 1}};
    (place & 1 ? to.position : to.rotation)[place / 8 % 3] = bad;
    switch (place % 8 / 2) {
    case 0:
        return mote_system_move_collider(w->system, w->ball, &to, tick);
    case 1:
        return mote_strands_set_root(w->system, w->hair, 3, &to, tick);
    case 2:
        return mote_strands_pin(w->system, w->springs, 3, 1, to.position, tick);
    default:
        return mote_network_pin(w->system, w->net, 7, to.position, tick);
    }
}

static mote_result bad_setting(world *w, uint32_t place, float bad) {
    const float vector[3] = {place & 1 ? bad : 0, 1, place & 1 ? 0 : bad};
    switch (place / 2) {
    case 0:
        return mote_strands_set_air(w->system, w->hair, vector);
    case 1:
        return mote_system_impulse(w->system, 0, vector);
    case 2:
        return mote_system_set_inverse_mass(w->system, 0, bad);
    case 3:
        return mote_network_reel(w->system, w->net, 3, bad, 0, NULL);
    case 4:
        return mote_network_set_spring(w->system, w->webs, 3, place & 1 ? bad : 5, place & 1 ? 0 : bad, 0,
                                       NULL);
    default:
        return mote_network_set_spring(w->system, w->net, 3, 50, 0, bad, NULL);
    }
}

TEST(bad_numbers_in_calls_are_refused_or_reported) {
    static const struct {
        number_call *call;
        uint32_t places;
    } table[] = {{bad_link, 3}, {bad_collider, 7}, {bad_target, 24}, {bad_setting, 12}};
    uint32_t refused = 0, taken = 0;
    for (uint32_t t = 0; t < COUNT_OF(table); t++)
        for (uint32_t place = 0; place < table[t].places; place++)
            for (uint32_t n = 0; n < BAD; n++) {
                const mote_system_def def = world_def();
                world w = warm_world(&def, 6);
                const uint64_t hash = mote_system_hash(w.system);
                const mote_result result = table[t].call(&w, place, bad_numbers[n]);
                test_case("table %u, place %u, %g: %s", t, place, (double)bad_numbers[n],
                          mote_result_text(result));
                if (result) ASSERT(mote_system_hash(w.system), ==, hash);
                refused += result != MOTE_OK, taken += result == MOTE_OK;
                check_reported(&w);
                mote_system_destroy(w.system);
            }
    ASSERT(refused, >, 100);
    ASSERT(taken, >, 100);
}
