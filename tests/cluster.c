/* Clusters whose ranks are threads of this process: every scene of tests/mpi has on each of them, after every
 * third step, the hash of a system that steps alone. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/scenes.h"
#include "rank_threads.h"
#include "support.h"

enum { STEPS = 12, EVERY = 3 };

typedef struct rank_thread {
    rank_link link;
    ranks_world world;
    mote_result joined, stepped, again;
    uint64_t hash[STEPS / EVERY];
    mote_cluster_report report;
} rank_thread;

/* --- Ranks --- */

/* What the host changes before steps FROM and UNTIL; NULL: nothing. */
typedef void host_change(ranks_world *world, bool begins);
enum { FROM = 4, UNTIL = 8 };
static host_change *changes;

/* What the constrained net reports of the last step, read again after an advance without a step. */
static uint64_t reported(const ranks_world *world) {
    mote_network_step_report of = {0};
    if (world->scene->parts & CONSTRAINED) {
        ranks_check(mote_system_step(world->system, 0, NULL), "step of nothing");
        ranks_check(mote_network_report(world->system, world->constrained, &of), "report");
    }
    return of.iterations + (of.linear << 20) + ((uint64_t)of.unsolved << 50);
}

static mote_result run(ranks_world *world, uint64_t hash[STEPS / EVERY]) {
    mote_result result = MOTE_OK;
    uint64_t reports = 0;
    for (uint32_t i = 0; i < STEPS && result == MOTE_OK; i++) {
        ranks_world_calls(world, i);
        if (changes && (i == FROM || i == UNTIL)) changes(world, i == FROM);
        if (changes && i == UNTIL) reports = reported(world);
        result = mote_system_step(world->system, 1, NULL);
        if (i % EVERY == EVERY - 1) hash[i / EVERY] = mote_system_hash(world->system);
    }
    if (result == MOTE_OK) hash[STEPS / EVERY - 1] += reported(world) + reports;
    return result;
}

static void *run_rank(void *user) {
    rank_thread *r = user;
    const mote_transport transport = rank_transport(&r->link);
    r->joined = mote_system_join(r->world.system, &transport);
    if (r->joined == MOTE_OK) r->stepped = run(&r->world, r->hash);
    if (r->stepped) r->again = mote_system_step(r->world.system, 1, NULL);
    if (mote_system_cluster_report(r->world.system, &r->report)) r->report.steps = 0;
    return NULL;
}

static void run_ranks(const ranks_scene *scene, meeting *with, rank_thread rank[RANKS]) {
    for (uint32_t i = 0; i < RANKS; i++)
        rank[i] = (rank_thread){.link = {.with = with, .rank = i}, .world = make_ranks_world(scene)};
    run_on_ranks(run_rank, rank, sizeof *rank);
}

static void run_scene(const ranks_scene *scene) {
    static rank_thread rank[RANKS];
    meeting with = whole_meeting;
    uint64_t hash[STEPS / EVERY];
    ranks_world alone = make_ranks_world(scene);
    assert_int_equal(run(&alone, hash), MOTE_OK);
    run_ranks(scene, &with, rank);
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_int_equal(rank[i].joined, MOTE_OK);
        assert_int_equal(rank[i].stepped, MOTE_OK);
        assert_memory_equal(rank[i].hash, hash, sizeof hash);
        assert_int_equal(rank[i].report.steps, STEPS);
        mote_system_destroy(rank[i].world.system);
    }
    mote_system_destroy(alone.system);
}

TEST(ranks_have_the_bits_of_one) {
    for (uint32_t i = 0; i < ranks_scene_count; i++) run_scene(&ranks_scenes[i]);
}

/* --- Changes between steps --- */

static const ranks_scene *scene_named(const char *name) {
    for (uint32_t i = 0; i < ranks_scene_count; i++)
        if (strcmp(ranks_scenes[i].name, name) == 0) return &ranks_scenes[i];
    return NULL;
}

#define CHANGE(call) ranks_check(call, #call)

/* Pushes the first particles by the places of the last, which another rank may own. */
static void push(void *user, mote_system *system, const mote_range_view *view) {
    (void)user, (void)system;
    for (uint32_t i = 0; i < view->count / 2; i++)
        view->velocity.y[i] += 1e-3f * view->position.x[view->count - 1 - i];
}

static void draw(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    scene_chase(user, stage, x, y, z);
}

static void set_hook(ranks_world *w, bool begins) {
    CHANGE(mote_system_set_step_hook(w->system, begins ? push : NULL, NULL));
}

static void add_reach(ranks_world *w, bool begins) {
    mote_force_def chase = mote_callback(draw, NULL);
    mote_force_id id;
    chase.as.callback.reach = MOTE_REACH_RANGE;
    if (begins) CHANGE(mote_system_add_force(w->system, &chase, &id));
}

/* Every rank steps what a link joins. */
static void link_strand_to(ranks_world *w, mote_network_id network, bool begins) {
    static _Thread_local mote_link_id id;
    mote_link link = mote_default_link();
    link.a.strands = w->strands, link.a.strand = 3, link.a.point = 2;
    link.b.network = network, link.b.particle = 9;
    link.rest_length = MOTE_AS_PLACED, link.stiffness = 1e-3f;
    if (begins)
        CHANGE(mote_system_add_link(w->system, &link, &id));
    else
        CHANGE(mote_system_remove_link(w->system, id));
}

static void add_link(ranks_world *w, bool begins) { link_strand_to(w, w->nets, begins); }

static void link_constrained(ranks_world *w, bool begins) { link_strand_to(w, w->constrained, begins); }

static void grow(ranks_world *w, bool begins) {
    const uint32_t all = mote_system_count(w->system) + mote_system_available(w->system);
    CHANGE(mote_system_reserve(w->system, all + (begins ? 999 : 5000)));
}

static void add_tearing_spring(ranks_world *w, bool begins) {
    const mote_spring spring = {begins ? 9 : 11, 30, MOTE_AS_PLACED, 20, 0.1f, 1e-4f};
    uint32_t number;
    CHANGE(mote_network_remove_springs(w->system, w->nets, 1, &(uint32_t){begins ? 3 : 4}, NULL));
    CHANGE(mote_network_add_springs(w->system, w->nets, 1, &spring, &number, NULL));
}

static void roll_back(ranks_world *w, bool begins) {
    static _Thread_local unsigned char *memory;
    static _Thread_local size_t bytes;
    if (begins) {
        CHANGE(mote_system_snapshot_bytes(w->system, &bytes));
        memory = malloc(bytes);
        CHANGE(mote_system_save(w->system, 0, memory, bytes, NULL));
    } else {
        CHANGE(mote_system_restore(w->system, memory, bytes, NULL));
        free(memory);
    }
}

/* Spawns particles and fills those that this system owns: all of them, if it is alone. */
static void fill_own(mote_system *system, uint32_t count) {
    mote_range_view view;
    CHANGE(mote_system_spawn(system, count, &view));
    for (uint32_t i = 0; i < count; i++) {
        if (!mote_system_owns(system, view.first + i)) continue;
        view.position.x[i] = (float)i, view.velocity.y[i] = 1 + (float)i;
    }
}

/* Edits a network whose state is whole, so that its parts are others, and spawns before the next step. */
static void edit_and_spawn(ranks_world *w, bool begins) {
    grow(w, begins);
    add_tearing_spring(w, begins);
    fill_own(w->system, 64);
    (void)mote_system_hash(w->system);
}

/* A change ends or begins the division of the work: the state of all ranks is made whole on the way. */
TEST(changes_between_steps_keep_the_bits) {
    static const struct {
        const char *scene;
        host_change *change;
    } cases[] = {{"collisions", set_hook},
                 {"world", set_hook},
                 {"particles", add_reach},
                 {"world", add_link},
                 {"world", link_constrained},
                 {"world", grow},
                 {"deaths-position-verlet", grow},
                 {"nets", grow},
                 {"nets", add_tearing_spring},
                 {"world", roll_back},
                 {"sheet", roll_back},
                 {"world", edit_and_spawn}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        test_case("change %zu, %s", i, cases[i].scene);
        changes = cases[i].change;
        run_scene(scene_named(cases[i].scene));
    }
    changes = NULL;
}

/* --- Particles that the host fills on their owner --- */

typedef struct filling {
    const char *name;
    uint32_t count, deaths, hits;
    bool hook, reach, emits;
} filling;

static const filling *filled;

/* Kills slots 3, 40, 77, ...: of many particles more than a filler moves at a time. */
static void kill_some_slots(mote_system *system) {
    static _Thread_local uint32_t slots[2000];
    uint32_t kills = 0;
    for (uint32_t slot = 3; slot < filled->count; slot += 37) slots[kills++] = slot;
    CHANGE(mote_system_kill_slots(system, kills, slots));
}

/* Fills, hashes, steps, fills and steps again. */
static void fill_and_step(rank_thread *r, mote_system *system) {
    ranks_world w = {.system = system};
    mote_emitter_id id;
    const mote_emitter_def emitter = mote_default_emitter_def();
    CHANGE(mote_system_add_emitter(system, &emitter, &id));
    for (uint32_t i = 0; i < 2; i++) {
        if (i == 0 && filled->hook) set_hook(&w, true);
        if (i == 0 && filled->reach) add_reach(&w, true);
        fill_own(system, filled->count);
        if (filled->emits) CHANGE(mote_system_emit(system, id, NULL, NULL, 5, NULL));
        if (i == 0) r->hash[0] = filled->deaths ? 0 : mote_system_hash(system);
        kill_some_slots(system);
        CHANGE(mote_system_step(system, 2, NULL));
    }
    r->hash[1] = mote_system_hash(system);
}

static void *run_filled(void *user) {
    rank_thread *r = user;
    const mote_transport transport = rank_transport(&r->link);
    mote_system *system;
    mote_system_def def = mote_default_system_def();
    def.capacity = 3 * filled->count, def.max_deaths = filled->deaths, def.max_hits = filled->hits;
    CHANGE(mote_system_create(&def, &system));
    if (r->link.with) CHANGE(mote_system_join(system, &transport));
    fill_and_step(r, system);
    mote_system_destroy(system);
    return NULL;
}

/* Particles that every rank steps, or whose hash is read before any step, are gathered from those who filled
 * them. */
TEST(each_rank_fills_what_it_owns) {
    static const filling cases[] = {{"divided", 50, 0, 0, 0, 0, 0}, {"deaths", 50, 8, 0, 0, 0, 0},
                                    {"hits", 50, 0, 8, 0, 0, 0},    {"hook", 50, 0, 0, 1, 0, 0},
                                    {"reach", 50, 0, 0, 0, 1, 0},   {"emit", 50, 8, 0, 0, 0, 1},
                                    {"large", 40000, 0, 0, 0, 0, 0}}; /* more than a message brings */
    static rank_thread rank[RANKS];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        meeting with = whole_meeting;
        rank_thread alone = {.link = {.with = NULL}};
        filled = &cases[i];
        run_filled(&alone);
        for (uint32_t k = 0; k < RANKS; k++) rank[k] = (rank_thread){.link = {.with = &with, .rank = k}};
        run_on_ranks(run_filled, rank, sizeof *rank);
        for (uint32_t k = 0; k < RANKS; k++) {
            test_case("%s, rank %u", cases[i].name, k);
            ASSERT(rank[k].hash[0], ==, alone.hash[0]);
            ASSERT(rank[k].hash[1], ==, alone.hash[1]);
        }
    }
}

/* --- Transports that fail --- */

/* A rank that lacks the state of the others shows none. */
static void shows_nothing(ranks_world *w) {
    static uint32_t memory[1 << 18];
    const float direction[3] = {0, 0, 1};
    mote_statistics statistics;
    mote_hash_chunk chunk;
    uint32_t chunks;
    size_t bytes;
    ASSERT(mote_system_hash(w->system), ==, 0u);
    ASSERT(mote_system_view(w->system).count, ==, 0u);
    if (w->scene->parts == PARTICLES) assert_int_equal(mote_system_seek(w->system, 3), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_statistics(w->system, &statistics), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_save(w->system, 0, memory, sizeof memory, &bytes), MOTE_ERROR_CLUSTER);
    if (w->scene->parts & (PARTICLES | DEATHS))
        assert_int_equal(mote_system_order(w->system, direction, memory, sizeof memory), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_hash_chunks(w->system, &chunk, 1, &chunks), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_reserve(w->system, 1 << 20), MOTE_ERROR_CLUSTER);
    if (w->scene->parts & STRANDS) ASSERT(mote_strands_columns(w->system, w->strands).slot_count, ==, 0u);
}

/* All ranks get the error, once; so does every later step. */
static void fail_scene(const char *name, transport_call fails, uint32_t at, bool divided) {
    static rank_thread rank[RANKS];
    meeting with = whole_meeting;
    with.fails = fails, with.fails_at = at;
    run_ranks(scene_named(name), &with, rank);
    for (uint32_t i = 0; i < RANKS; i++) {
        test_case("%s, function %d fails at call %u, rank %u", name, (int)fails, at, i);
        const bool joins = fails != GATHER || at > 1;
        assert_int_equal(rank[i].joined, joins ? MOTE_OK : MOTE_ERROR_CLUSTER);
        assert_int_equal(rank[i].stepped, joins ? MOTE_ERROR_CLUSTER : MOTE_OK);
        assert_int_equal(rank[i].again, rank[i].stepped);
        ASSERT(rank[i].link.errors, ==, 1u);
        assert_int_equal(rank[i].link.error, MOTE_ERROR_CLUSTER);
        ASSERT(rank[i].link.error_rank, ==, MOTE_NO_ITEM);
        if (divided) shows_nothing(&rank[i].world);
        mote_system_destroy(rank[i].world.system);
    }
    for (uint32_t i = 0; i < RANKS * RANKS; i++) free(with.box[i / RANKS][i % RANKS].data);
}

TEST(a_transport_that_fails_ends_the_steps_of_all_ranks) {
    fail_scene("particles", GATHER, 1, false);
    fail_scene("particles", GATHER, 2, false);
    fail_scene("particles", GATHER, 3, true);
    for (uint32_t at = 3; at < 24; at += 5) fail_scene("world", GATHER, at, true);
    for (uint32_t at = 3; at < 24; at += 3) fail_scene("deaths-position-verlet", GATHER, at, true);
    for (uint32_t at = 1; at < 12; at += 6) {
        fail_scene("sheet", EXCHANGE, at, true);
        fail_scene("sheet", WAIT, at, true);
        fail_scene("deaths-position-verlet", EXCHANGE, at, true);
        fail_scene("deaths-position-verlet", WAIT, at, true);
    }
}

/* --- Lines --- */

typedef struct drawing {
    mote_result result;
    uint32_t count;
    mote_line *lines;
} drawing;

typedef struct drawer {
    rank_link link;
    ranks_world world;
    mote_result joined;
    drawing drawn;
} drawer;

/* Of a state that no other call has gathered. */
static drawing draw_lines(ranks_world *world) {
    const mote_lines_def def = mote_default_lines_def();
    drawing d = {.lines = NULL};
    for (uint32_t i = 0; i < STEPS && d.result == MOTE_OK; i++) {
        ranks_world_calls(world, i);
        d.result = mote_system_step(world->system, 1, NULL);
    }
    if (d.result == MOTE_OK) d.result = mote_system_lines(world->system, &def, NULL, 0, &d.count);
    d.lines = calloc(d.count + 1, sizeof *d.lines);
    if (!d.lines) abort();
    if (d.result == MOTE_OK) d.result = mote_system_lines(world->system, &def, d.lines, d.count, &d.count);
    return d;
}

static void *run_drawer(void *user) {
    drawer *by = user;
    const mote_transport transport = rank_transport(&by->link);
    by->joined = mote_system_join(by->world.system, &transport);
    if (by->joined == MOTE_OK) by->drawn = draw_lines(&by->world);
    return NULL;
}

static void draw_scene(const ranks_scene *scene) {
    static drawer rank[RANKS];
    meeting with = whole_meeting;
    ranks_world world = make_ranks_world(scene);
    const drawing alone = draw_lines(&world);
    assert_int_equal(alone.result, MOTE_OK);
    for (uint32_t i = 0; i < RANKS; i++)
        rank[i] = (drawer){.link = {.with = &with, .rank = i}, .world = make_ranks_world(scene)};
    run_on_ranks(run_drawer, rank, sizeof *rank);
    for (uint32_t i = 0; i < RANKS; i++) {
        test_case("%s, rank %u", scene->name, i);
        assert_int_equal(rank[i].joined, MOTE_OK);
        assert_int_equal(rank[i].drawn.result, MOTE_OK);
        ASSERT(rank[i].drawn.count, ==, alone.count);
        assert_memory_equal(rank[i].drawn.lines, alone.lines, alone.count * sizeof *alone.lines);
        free(rank[i].drawn.lines);
        mote_system_destroy(rank[i].world.system);
    }
    free(alone.lines);
    mote_system_destroy(world.system);
}

/* There are no lines of loose particles. */
TEST(each_rank_draws_the_lines_of_one) {
    for (uint32_t i = 0; i < ranks_scene_count; i++)
        if (ranks_scenes[i].parts & (STRANDS | NETS | CONSTRAINED | SHEET)) draw_scene(&ranks_scenes[i]);
}

/* --- Reports --- */

enum { CHAINS = 2000 };

typedef struct reporter {
    rank_link link;
    mote_system *system;
    mote_network_id id;
    mote_result joined, stepped;
    mote_network_step_report report;
} reporter;

/* Chains of two rigid springs of which one iteration does not solve the fast ones, the last. */
static void add_chains(reporter *r) {
    static float place[9 * CHAINS], velocity[9 * CHAINS];
    static mote_spring springs[2 * CHAINS];
    mote_system_def def = mote_default_system_def();
    mote_network_def net = mote_default_network_def();
    for (uint32_t i = 0; i < 3 * CHAINS; i++) {
        place[3 * i] = (float)(i % 3), place[3 * i + 1] = 0.1f * (float)i;
        velocity[3 * i + 1] = i % 3 == 1 ? 0.1f * (float)i : 0;
        if (i % 3) springs[i / 3 * 2 + i % 3 - 1] = (mote_spring){i - 1, i, 1, HUGE_VALF, 0, 0};
    }
    net.particle_count = 3 * CHAINS, net.positions = place, net.velocities = velocity;
    net.springs = springs, net.spring_count = 2 * CHAINS;
    net.solver = MOTE_NETWORK_CONSTRAINED, net.max_iterations = 1, net.max_strain = 1e-6f;
    ranks_check(mote_system_create(&def, &r->system), "create");
    ranks_check(mote_system_add_network(r->system, &net, &r->id, NULL), "add network");
}

static void *run_reporter(void *user) {
    reporter *r = user;
    const mote_transport transport = rank_transport(&r->link);
    r->joined = r->link.with ? mote_system_join(r->system, &transport) : MOTE_OK;
    if (r->joined == MOTE_OK) r->stepped = mote_system_step(r->system, 3, NULL);
    if (r->stepped == MOTE_OK) r->stepped = mote_network_report(r->system, r->id, &r->report);
    return NULL;
}

/* The largest error of a constrained network is that of all ranks. */
TEST(ranks_report_the_largest_error_of_all) {
    static reporter rank[RANKS], alone;
    meeting with = whole_meeting;
    add_chains(&alone), run_reporter(&alone);
    ASSERT(alone.report.residual, >, 1e-4f);
    ASSERT(alone.report.unsolved, >, CHAINS / 4u);
    for (uint32_t i = 0; i < RANKS; i++) {
        rank[i].link = (rank_link){.with = &with, .rank = i};
        add_chains(&rank[i]);
    }
    run_on_ranks(run_reporter, rank, sizeof *rank);
    for (uint32_t i = 0; i < RANKS; i++) {
        test_case("rank %u", i);
        assert_int_equal(rank[i].joined, MOTE_OK);
        assert_int_equal(rank[i].stepped, MOTE_OK);
        ASSERT(rank[i].report.residual, ==, alone.report.residual);
        ASSERT(rank[i].report.unsolved, ==, alone.report.unsolved);
        ASSERT(rank[i].report.iterations, ==, alone.report.iterations);
        mote_system_destroy(rank[i].system);
    }
    mote_system_destroy(alone.system);
}
