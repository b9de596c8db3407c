/* Clusters whose ranks are threads of this process: every scene of tests/mpi has on each of them, after every
 * third step, the hash of a system that steps alone. */
#define _POSIX_C_SOURCE 200809L /* barriers */

#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/scenes.h"
#include "support.h"

enum { RANKS = 3, STEPS = 12, EVERY = 3 };

/* A message on its way; NULL: none. */
typedef struct letter {
    void *data;
} letter;

/* Functions of a transport. */
typedef enum call { GATHER, EXCHANGE, WAIT, CALLS } call;

typedef struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    const void *own[RANKS];   /* while all ranks gather */
    uint32_t arrived, turn;   /* ranks that wait for the others; how often all have met */
    letter box[RANKS][RANKS]; /* from, to */
    call fails;               /* on the last rank */
    uint32_t fails_at;        /* which call of this function fails, from 1; 0: none */
    bool broken;              /* a call has failed: so do all others */
} meeting;

typedef struct rank_thread {
    meeting *with;
    uint32_t rank;
    ranks_world world;
    mote_result joined, stepped, again;
    uint64_t hash[STEPS / EVERY];
    mote_cluster_report report;
    uint32_t calls[CALLS], errors;
    mote_result error; /* the last one that the transport got */
    uint32_t error_rank;
} rank_thread;

/* --- The transport --- */

/* Returns whether the transport is broken, as this call may make it. */
static bool breaks(rank_thread *r, call of) {
    meeting *m = r->with;
    pthread_mutex_lock(&m->mutex);
    if (++r->calls[of] == m->fails_at && of == m->fails && r->rank == RANKS - 1) m->broken = true;
    const bool broken = m->broken;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
    return broken;
}

/* Waits for all ranks. Returns false if the transport breaks before they are there. */
static bool meet(meeting *m) {
    pthread_mutex_lock(&m->mutex);
    const uint32_t turn = m->turn;
    if (++m->arrived == RANKS) {
        m->arrived = 0, m->turn++;
        pthread_cond_broadcast(&m->changed);
    }
    while (m->turn == turn && !m->broken) pthread_cond_wait(&m->changed, &m->mutex);
    const bool met = m->turn != turn;
    pthread_mutex_unlock(&m->mutex);
    return met;
}

static int gather(void *user, const void *own, void *all, size_t bytes) {
    rank_thread *r = user;
    if (breaks(r, GATHER)) return 1;
    r->with->own[r->rank] = own;
    if (!meet(r->with)) return 1;
    for (size_t i = 0; i < RANKS; i++) memcpy((unsigned char *)all + i * bytes, r->with->own[i], bytes);
    return !meet(r->with);
}

static void post(meeting *m, letter *box, const mote_message *message) {
    void *copy = malloc(message->bytes);
    if (!copy) abort();
    memcpy(copy, message->data, message->bytes);
    pthread_mutex_lock(&m->mutex);
    while (box->data && !m->broken) pthread_cond_wait(&m->changed, &m->mutex);
    if (box->data)
        free(copy);
    else
        box->data = copy;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
}

/* Returns false if the transport breaks before the message is there. */
static bool fetch(meeting *m, letter *box, const mote_message *message) {
    pthread_mutex_lock(&m->mutex);
    while (!box->data && !m->broken) pthread_cond_wait(&m->changed, &m->mutex);
    const bool there = box->data;
    if (there) memcpy(message->data, box->data, message->bytes);
    free(box->data);
    box->data = NULL;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
    return there;
}

static int exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                    uint32_t receives) {
    rank_thread *r = user;
    bool good = !breaks(r, EXCHANGE);
    for (uint32_t i = 0; i < sends && good; i++)
        post(r->with, &r->with->box[r->rank][send[i].rank], &send[i]);
    for (uint32_t i = 0; i < receives && good; i++)
        good = fetch(r->with, &r->with->box[receive[i].rank][r->rank], &receive[i]);
    return !good;
}

static int wait_for(void *user) { return breaks(user, WAIT); }

static void take_error(void *user, mote_result result, uint32_t rank) {
    rank_thread *r = user;
    r->errors++;
    r->error = result, r->error_rank = rank;
}

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
    for (uint32_t i = 0; i < STEPS && result == MOTE_OK; i++) {
        ranks_world_calls(world, i);
        if (changes && (i == FROM || i == UNTIL)) changes(world, i == FROM);
        result = mote_system_step(world->system, 1, NULL);
        if (i % EVERY == EVERY - 1) hash[i / EVERY] = mote_system_hash(world->system);
    }
    if (result == MOTE_OK) hash[STEPS / EVERY - 1] += reported(world);
    return result;
}

static void *run_rank(void *user) {
    rank_thread *r = user;
    const mote_transport transport = {r->rank, RANKS, r, gather, exchange, wait_for, take_error};
    r->joined = mote_system_join(r->world.system, &transport);
    if (r->joined == MOTE_OK) r->stepped = run(&r->world, r->hash);
    if (r->stepped) r->again = mote_system_step(r->world.system, 1, NULL);
    if (mote_system_cluster_report(r->world.system, &r->report)) r->report.steps = 0;
    return NULL;
}

static const meeting whole = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void run_ranks(const ranks_scene *scene, meeting *with, rank_thread rank[RANKS]) {
    pthread_t thread[RANKS];
    for (uint32_t i = 0; i < RANKS; i++)
        rank[i] = (rank_thread){.with = with, .rank = i, .world = make_ranks_world(scene)};
    for (uint32_t i = 0; i < RANKS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_rank, &rank[i]), 0);
    for (uint32_t i = 0; i < RANKS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
}

static void run_scene(const ranks_scene *scene) {
    static rank_thread rank[RANKS];
    meeting with = whole;
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

static void add_link(ranks_world *w, bool begins) {
    static _Thread_local mote_link_id id;
    mote_link link = mote_default_link();
    link.a.strands = w->strands, link.a.strand = 3, link.a.point = 2;
    link.b.network = w->nets, link.b.particle = 9;
    link.rest_length = MOTE_AS_PLACED, link.stiffness = 1e-3f;
    if (begins)
        CHANGE(mote_system_add_link(w->system, &link, &id));
    else
        CHANGE(mote_system_remove_link(w->system, id));
}

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

/* A change ends or begins the division of the work: the state of all ranks is made whole on the way. */
TEST(changes_between_steps_keep_the_bits) {
    static const struct {
        const char *scene;
        host_change *change;
    } cases[] = {{"collisions", set_hook}, {"world", set_hook},
                 {"particles", add_reach}, {"world", add_link},
                 {"world", grow},          {"deaths-position-verlet", grow},
                 {"nets", grow},           {"nets", add_tearing_spring},
                 {"world", roll_back},     {"sheet", roll_back}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        test_case("change %zu, %s", i, cases[i].scene);
        changes = cases[i].change;
        run_scene(scene_named(cases[i].scene));
    }
    changes = NULL;
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
static void fail_scene(const char *name, call fails, uint32_t at, bool divided) {
    static rank_thread rank[RANKS];
    meeting with = whole;
    with.fails = fails, with.fails_at = at;
    run_ranks(scene_named(name), &with, rank);
    for (uint32_t i = 0; i < RANKS; i++) {
        test_case("%s, function %d fails at call %u, rank %u", name, (int)fails, at, i);
        const bool joins = fails != GATHER || at > 1;
        assert_int_equal(rank[i].joined, joins ? MOTE_OK : MOTE_ERROR_CLUSTER);
        assert_int_equal(rank[i].stepped, joins ? MOTE_ERROR_CLUSTER : MOTE_OK);
        assert_int_equal(rank[i].again, rank[i].stepped);
        ASSERT(rank[i].errors, ==, 1u);
        assert_int_equal(rank[i].error, MOTE_ERROR_CLUSTER);
        ASSERT(rank[i].error_rank, ==, MOTE_NO_ITEM);
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

/* --- Joining --- */

/* Every rank of this transport says the same. */
static int echo(void *user, const void *own, void *all, size_t bytes) {
    for (size_t i = 0; i < *(uint32_t *)user; i++) memcpy((unsigned char *)all + i * bytes, own, bytes);
    return 0;
}

/* The last rank of this one says something else. */
static int distort(void *user, const void *own, void *all, size_t bytes) {
    echo(user, own, all, bytes);
    ((unsigned char *)all)[*(uint32_t *)user * bytes - 1] ^= 1;
    return 0;
}

static mote_result last_error;
static uint32_t last_rank;
static void note(void *user, mote_result result, uint32_t rank) {
    (void)user;
    last_error = result, last_rank = rank;
}

static int no_exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                       uint32_t receives) {
    (void)user, (void)send, (void)receive;
    return (int)(sends + receives);
}

static int no_wait(void *user) { return (void)user, 0; }

static mote_system *system_of(uint32_t capacity, memory_ledger *ledger) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    def.capacity = capacity;
    if (ledger) def.allocator = ledger_allocator(ledger);
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    return system;
}

TEST(joining_refuses_what_is_no_cluster) {
    uint32_t ranks = 2;
    const mote_transport good = {0, ranks, &ranks, echo, no_exchange, no_wait, note};
    memory_ledger ledger = {0};
    mote_system *system = system_of(64, &ledger), *few = system_of(16, NULL);
    mote_cluster_report report;
    mote_transport t = good;
    assert_int_equal(mote_system_join(NULL, &good), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_join(system, NULL), MOTE_ERROR_NULL);
    t.gather = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_NULL);
    t = good, t.exchange = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_NULL);
    t = good, t.wait = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_NULL);
    t = good, t.rank = ranks;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_RANGE);
    assert_int_equal(mote_system_join(few, &good), MOTE_ERROR_RANGE); /* one lane group for two ranks */
    ledger.fail_at = ledger.calls + 1;
    assert_int_equal(mote_system_join(system, &good), MOTE_ERROR_MEMORY);
    const uint64_t bytes = ledger.live_bytes;
    t = good, t.gather = distort;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_CALLS);
    assert_int_equal(last_error, MOTE_ERROR_CALLS);
    ASSERT(last_rank, ==, ranks - 1);
    t.error = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_CALLS);
    ASSERT(ledger.live_bytes, ==, bytes);
    ASSERT(mote_system_owns(system, 40) && mote_system_owns(NULL, 40), ==, true);
    assert_int_equal(mote_system_cluster_report(system, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_cluster_report(system, &report), MOTE_OK);
    ASSERT(report.messages, ==, 0u);
    assert_int_equal(mote_system_join(system, &good), MOTE_OK);
    assert_int_equal(mote_system_join(system, &good), MOTE_ERROR_RANGE);
    assert_int_equal(mote_systems_advance(&system, 1, 1000000, NULL, NULL), MOTE_ERROR_CLUSTER);
    ASSERT(mote_system_owns(system, 15) && !mote_system_owns(system, 16), ==, true);
    assert_int_equal(mote_system_cluster_report(system, &report), MOTE_OK);
    ASSERT(report.messages, ==, 1u);
    mote_system_destroy(system);
    mote_system_destroy(few);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
}

/* What this rank compares, kept by the gather of a cluster of two. */
static uint64_t compared[2];
static int keep_compared(void *user, const void *own, void *all, size_t bytes) {
    if (bytes == sizeof compared) memcpy(compared, own, bytes);
    return echo(user, own, all, bytes);
}

static uint64_t compared_by(const mote_system_def *def, uint32_t reserved) {
    uint32_t ranks = 2;
    const mote_transport t = {0, ranks, &ranks, keep_compared, no_exchange, no_wait, note};
    mote_system *system;
    assert_int_equal(mote_system_create(def, &system), MOTE_OK);
    assert_int_equal(mote_system_join(system, &t), MOTE_OK);
    assert_int_equal(mote_system_reserve(system, reserved), MOTE_OK);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    mote_system_destroy(system);
    return compared[0] ^ compared[1] << 1;
}

/* Ranks whose defs or capacities differ in anything that a step or its messages depend on are told so. */
TEST(every_field_of_the_def_is_compared) {
    mote_system_def base = mote_default_system_def(), other;
    base.capacity = 64, base.extra_count = 1, base.extra_bytes[0] = 4;
    const uint64_t alike = compared_by(&base, 0);
    ASSERT(compared_by(&base, 0), ==, alike);
    ASSERT(compared_by(&base, 4096), !=, alike);
#define DIFFERS(change)                                                                                      \
    other = base, other.change, test_case(#change);                                                          \
    ASSERT(compared_by(&other, 0), !=, alike)
    DIFFERS(capacity = 128);
    DIFFERS(substeps += 1);
    DIFFERS(steps_per_second.steps += 1);
    DIFFERS(start_time += 1);
    DIFFERS(integrator = MOTE_RK4);
    DIFFERS(max_steps_per_advance += 1);
    DIFFERS(late_policy = MOTE_LATE_CATCH_UP);
    DIFFERS(interpolation = MOTE_INTERPOLATE_HERMITE);
    DIFFERS(mass_column = !base.mass_column);
    DIFFERS(mass = 2);
    DIFFERS(particle_ids = !base.particle_ids);
    DIFFERS(lifetimes = !base.lifetimes);
    DIFFERS(anchor_column = true);
    DIFFERS(external_forces = true);
    DIFFERS(collisions = !base.collisions);
    DIFFERS(sticking = true);
    DIFFERS(radius_column = true);
    DIFFERS(collision_radius = 0.5f);
    DIFFERS(friction = 0.75f);
    DIFFERS(orientation = true);
    DIFFERS(principal_moments = true);
    DIFFERS(inertia_column = true);
    DIFFERS(external_torques = true);
    DIFFERS(inertia[2] = 3);
    DIFFERS(spin_drag = 1);
    DIFFERS(extra_count = other.extra_bytes[0] = 0);
    DIFFERS(extra_bytes[0] = 8);
    DIFFERS(max_deaths = 8);
    DIFFERS(max_births = 8);
    DIFFERS(max_hits = 8);
    DIFFERS(loop_order = MOTE_LOOP_STAGE_OUTER);
#undef DIFFERS
}

/* The memory for messages is shared out among the ranks, within bounds. Slots go round in equal chunks. */
TEST(slots_are_dealt_to_few_ranks_and_to_many) {
    static const struct {
        uint32_t ranks, capacity, chunk;
        uint64_t most_bytes;
    } cases[] = {{1, 1600, 32, 2u << 20}, {64, 1600, 16, 6u << 20}, {4000, 64000, 16, 24u << 20}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t ranks = cases[i].ranks;
        const uint32_t chunk = cases[i].chunk;
        const mote_transport t = {ranks - 1, ranks, &ranks, echo, no_exchange, no_wait, NULL};
        memory_ledger ledger = {0};
        mote_system *system = system_of(cases[i].capacity, &ledger);
        const uint64_t before = ledger.live_bytes;
        test_case("%u ranks", ranks);
        assert_int_equal(mote_system_join(system, &t), MOTE_OK);
        ASSERT(ledger.live_bytes - before, <, cases[i].most_bytes);
        for (uint32_t slot = 0; slot < cases[i].capacity; slot++)
            ASSERT(mote_system_owns(system, slot), ==, slot / chunk % ranks == ranks - 1);
        mote_system_destroy(system);
    }
}

/* --- One rank --- */

static mote_result step_within;
static void step_again(void *user, mote_system *system, const mote_range_view *view) {
    (void)user, (void)view;
    step_within = mote_system_step(system, 1, NULL);
}

/* A cluster of one, with memory that runs out at its first step, a hook that steps, or lists of events. */
TEST(one_rank_is_a_cluster_too) {
    static const float place[6] = {0, 0, 0, 1, 0, 0};
    uint32_t ranks = 1;
    const mote_transport t = {0, ranks, &ranks, echo, no_exchange, no_wait, NULL};
    for (int lists = 0; lists < 3; lists++) {
        memory_ledger ledger = {0};
        mote_system_def def = mote_default_system_def();
        mote_network_def net = mote_default_network_def();
        mote_network_id id;
        mote_range_view view;
        mote_system *system[2];
        def.capacity = 40;
        def.max_deaths = lists == 1 ? 4 : 0, def.max_hits = lists == 2 ? 4 : 0;
        net.particle_count = 2, net.positions = place;
        for (int i = 0; i < 2; i++) {
            if (i) def.allocator = ledger_allocator(&ledger);
            assert_int_equal(mote_system_create(&def, &system[i]), MOTE_OK);
            assert_int_equal(mote_system_add_network(system[i], &net, &id, NULL), MOTE_OK);
            assert_int_equal(mote_system_spawn(system[i], 33, &view), MOTE_OK);
            for (uint32_t k = 0; k < 33; k++) view.velocity.x[k] = (float)k;
        }
        assert_int_equal(mote_system_join(system[1], &t), MOTE_OK);
        const uint64_t before = mote_system_hash(system[1]);
        ledger.fail_at = ledger.calls + 1;
        assert_int_equal(mote_system_step(system[1], 1, NULL), MOTE_ERROR_MEMORY);
        ASSERT(mote_system_hash(system[1]), ==, before);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(mote_system_step(system[i], 2, NULL), MOTE_OK);
            assert_int_equal(mote_system_set_step_hook(system[i], step_again, NULL), MOTE_OK);
            assert_int_equal(mote_system_step(system[i], 1, NULL), MOTE_OK);
            assert_int_equal(step_within, MOTE_ERROR_BUSY);
        }
        ASSERT(mote_system_hash(system[1]), ==, mote_system_hash(system[0]));
        for (int i = 0; i < 2; i++) mote_system_destroy(system[i]);
        ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
    }
}
