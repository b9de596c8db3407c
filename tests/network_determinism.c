/* The same bits for networks: an island by itself, in rows of a block; with others of its shape, across
 * lanes; between other islands, however its particles are numbered. One hash for every number of workers, job
 * system, loop order, instruction set and grouping of steps into frames. Steps allocate nothing. */
#include "test.h"

#include "network_base.h"
#include "network_scene.h"
#include "inside.h"

/* One kind for each path through the engine. */
static const struct {
    const char *name;
    mote_network_solver solver;
    mote_integrator integrator;
    uint32_t parts, count, island;
} kinds[] = {
    {"springs", MOTE_NETWORK_SPRINGS, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING, 2400, 9},
    {"rk4", MOTE_NETWORK_SPRINGS, MOTE_RK4, SYSTEM | DAMPING | CALLBACKS | PINS | REELS | COLLIDERS, 2400, 7},
    {"velocity verlet", MOTE_NETWORK_SPRINGS, MOTE_VELOCITY_VERLET, SYSTEM | MASSES | TEARS | PINS, 2100, 14},
    {"position verlet", MOTE_NETWORK_SPRINGS, MOTE_POSITION_VERLET, STIFF | FIELDS | REELS | DAMPING, 2400,
     8},
    {"pefrl", MOTE_NETWORK_SPRINGS, MOTE_PEFRL, SYSTEM | MASSES | PINS | REELS, 2300, 11},
    {"kinematic", MOTE_NETWORK_SPRINGS, MOTE_KINEMATIC, STIFF | DAMPING | MASSES | PINS | TEARS, 2100, 10},
    {"exact flow", MOTE_NETWORK_SPRINGS, MOTE_EXACT_FLOW, SYSTEM | STIFF | MASSES | REELS | COLLIDERS, 2500,
     6},
    {"large islands", MOTE_NETWORK_SPRINGS, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING | PINS | REELS | TEARS,
     3000, 1500},
    {"constrained", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | PINS | REELS, 1300, 9},
    {"constrained, some rigid", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | RIGID | DAMPING | MASSES | COLLIDERS | TEARS, 1300, 8},
    {"constrained, on colliders", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | DAMPING | MASSES | COLLIDERS | PINS | CALLBACKS, 1300, 12},
    {"constrained, on levels", MOTE_NETWORK_CONSTRAINED, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | MASSES | DAMPING | COLLIDERS | PINS | REELS | CAP, 2400, 1500},
};

static network_scene scene_of(size_t kind, uint32_t more) {
    return (network_scene){.solver = kinds[kind].solver,
                           .integrator = kinds[kind].integrator,
                           .parts = kinds[kind].parts | more,
                           .count = kinds[kind].count,
                           .island = kinds[kind].island,
                           .substeps = 2,
                           .steps = 4,
                           .seed = 500,
                           .rate = {50, 1}};
}

static const char *kind_name(uint32_t kind) { return kinds[kind].name; }

/* --- Packings --- */

enum { NUMBERS = 20, MOST = 40, MOST_SPRINGS = 80 };

/* All that a host can see of an island. */
typedef struct island_state {
    float column[9][MOST], length[MOST_SPRINGS];
    bool alive[MOST_SPRINGS], lanes;
    uint32_t count, springs;
} island_state;

static island_state state_of(mote_system *system, mote_network_id id, const network_arrays *a,
                             uint32_t island) {
    const mote_network_view v = mote_network_columns(system, id);
    const mote_network *network = network_inside(system, id);
    const uint32_t *name = a->name + a->first[island], first_spring = a->first_spring[island];
    island_state s;
    memset(&s, 0, sizeof s);
    s.count = a->first[island + 1] - a->first[island];
    s.springs = a->first_spring[island + 1] - first_spring;
    ASSERT(s.count, <=, MOST);
    ASSERT(s.springs, <=, MOST_SPRINGS);
    s.lanes = network->block[mote_network_block_of(network, v.slot[name[0]])].interleaved;
    for (uint32_t i = 0; i < s.count; i++) {
        float reaction[3] = {0};
        if (v.inverse_mass[v.slot[name[i]]] == 0) OK(mote_network_reaction(system, id, name[i], reaction));
        for (uint32_t c = 0; c < 9; c++)
            s.column[c][i] = c < 6 ? *column_of(system, id, name[i], c) : reaction[c - 6];
    }
    for (uint32_t i = 0; i < s.springs; i++) {
        mote_spring spring;
        s.alive[i] = mote_network_spring(system, id, first_spring + i, &spring) == MOTE_OK;
        if (s.alive[i]) s.length[i] = spring.rest_length;
    }
    return s;
}

static network_arrays arrays;

/* Runs a network of the islands `numbers`, and takes the state of each. */
static void run_numbers(network_scene s, const uint32_t *numbers, uint32_t count, island_state *states) {
    mote_network_id id;
    s.numbers = numbers;
    s.count = count * s.island;
    s.parts |= ALIKE;
    mote_system *system = make_network_scene(&s, &arrays, &id, NULL);
    ASSERT(arrays.islands, ==, count);
    OK(mote_system_step(system, s.steps, NULL));
    for (uint32_t i = 0; i < count; i++) states[i] = state_of(system, id, &arrays, i);
    mote_system_destroy(system);
}

static void expect_same_state(const island_state *got, const island_state *want) {
    for (uint32_t c = 0; c < 9; c++)
        for (uint32_t i = 0; i < got->count; i++) {
            const float is = got->column[c][i], was = want->column[c][i];
            if (memcmp(&is, &was, sizeof is) == 0 || (is != is && was != was)) continue;
            fail_msg("column %u of particle %u is %a, alone %a", c, i, (double)is, (double)was);
        }
    for (uint32_t i = 0; i < got->springs; i++) {
        ASSERT(got->alive[i], ==, want->alive[i]);
        ASSERT(got->length[i], ==, want->length[i]);
    }
}

static island_state alone[NUMBERS], among[40];

/* Each island by itself, and then among others of its shape: some of them across lanes, the rest in rows.
 * With `more`, some turn non-finite. */
static void with_neighbours(size_t kind, uint32_t more) {
    static const uint32_t sizes[] = {3, 16, 37};
    network_scene s = scene_of(kind, more);
    if (s.island > MOST) s.island = s.solver == MOTE_NETWORK_CONSTRAINED ? MOST : 13;
    uint32_t across = 0, behind = 0, moved = 0;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        run_numbers(s, &n, 1, &alone[n]);
        assert_false(alone[n].lanes);
        moved += alone[n].column[3][1] != 0;
    }
    ASSERT(moved, >, NUMBERS / 2);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        for (uint32_t b = 0; b < COUNT_OF(sizes) * NUMBERINGS && mote_isa_available((mote_isa)isa); b++) {
            uint32_t numbers[40];
            const uint32_t count = sizes[b / NUMBERINGS];
            s.isa = (mote_isa)isa;
            s.order = (numbering)(b % NUMBERINGS);
            if (s.island == MOST && s.order == REVERSED)
                continue; /* sums over more than a lane group go by the numbers */
            for (uint32_t i = 0; i < count; i++) numbers[i] = reference_hash(60 + b, i) % NUMBERS;
            run_numbers(s, numbers, count, among);
            for (uint32_t i = 0; i < count; i++) {
                test_case("island %u among %u, numbered %d", numbers[i], count, (int)s.order);
                expect_same_state(&among[i], &alone[numbers[i]]);
                across += among[i].lanes, behind += !among[i].lanes;
            }
        }
    ASSERT(behind, >, 0);
    ASSERT((across > 0), ==, (s.solver == MOTE_NETWORK_SPRINGS));
}

TEST_EACH(islands_have_the_same_bits_beside_any_others, COUNT_OF(kinds), kind_name, kind) {
    with_neighbours(kind, 0);
}
TEST_EACH(islands_have_the_same_bits_beside_frozen_ones, COUNT_OF(kinds), kind_name, kind) {
    with_neighbours(kind, HOSTILE);
}

/* --- One hash --- */

enum { ROUNDS = 3, ROUND_STEPS = 3 };
static const uint64_t STEP_NANOSECONDS = 20000000;

typedef enum frames { ONE_FRAME, SINGLE_STEPS, ADVANCES, HOSTILE_FRAMES, GROUPINGS } frames;

/* Frames of zero, tiny, fractional and long duration that add up to a round. */
static void hostile_frames(mote_system *system) {
    static const uint32_t subcycles[] = {0, 1, 7, 40, 333, 1000, 1550, 2999};
    uint64_t left = ROUND_STEPS * STEP_NANOSECONDS;
    for (uint32_t i = 0; left > 0; i++) {
        uint64_t frame =
            subcycles[reference_hash(3, i) % COUNT_OF(subcycles)] * STEP_NANOSECONDS / 1000 + (i % 2);
        if (frame > left) frame = left;
        OK(mote_system_advance(system, frame, NULL));
        left -= frame;
    }
}

static void run_round(mote_system *system, frames grouping) {
    if (grouping == ONE_FRAME) OK(mote_system_step(system, ROUND_STEPS, NULL));
    for (int i = 0; i < ROUND_STEPS && grouping == SINGLE_STEPS; i++) OK(mote_system_step(system, 1, NULL));
    if (grouping == ADVANCES) OK(mote_system_advance(system, ROUND_STEPS * STEP_NANOSECONDS, NULL));
    if (grouping == HOSTILE_FRAMES) hostile_frames(system);
}

typedef struct variant {
    mote_jobs jobs;
    mote_isa isa;
    mote_loop_order loop_order;
    frames grouping;
} variant;

/* Edits come at the same ticks in every variant. Some kinds have hostile values, some have islands across
 * lanes. */
static uint64_t hash_of(size_t kind, const variant *v) {
    network_scene s = scene_of(kind, EDITS | (kind % 3 == 2 ? HOSTILE : 0) | (kind % 2 ? ALIKE : 0));
    mote_network_id id;
    s.jobs = v->jobs, s.isa = v->isa, s.loop_order = v->loop_order;
    mote_system *system = make_network_scene(&s, &arrays, &id, NULL);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round && !(s.parts & HOSTILE)) network_edit_all(system, id, &s, &arrays, 80 + round, NULL);
        run_round(system, v->grouping);
    }
    ASSERT(mote_system_steps(system), ==, ROUNDS * ROUND_STEPS);
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

/* A Latin square: each loop order meets each instruction set, job system, number of workers and grouping;
 * which of the others they meet together differs from kind to kind. */
TEST_EACH(no_variant_of_a_run_changes_the_hash, COUNT_OF(kinds), kind_name, kind) {
    static const uint32_t counts[4] = {2, 1, 3, 8};
    const variant first = {.isa = MOTE_ISA_AUTO};
    const uint64_t want = hash_of(kind, &first);
    for (uint32_t order = 0; order < MOTE_LOOP_ORDER_COUNT; order++)
        for (uint32_t isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
            const uint32_t hook = (isa + order + kind) % 4, grouping = (isa + 2 * order + kind) % GROUPINGS;
            uint32_t workers = counts[(hook + order) % 4];
            shuffled_jobs shuffled = {.random = {order}, .workers = workers};
            const mote_jobs jobs[4] = {dividing(mote_jobs_openmp(workers)),
                                       shuffled_jobs_hook(&shuffled),
                                       pthread_jobs_hook(&workers),
                                       {0}};
            const mote_isa known = mote_isa_available((mote_isa)isa) ? (mote_isa)isa : MOTE_ISA_AUTO;
            const variant v = {jobs[hook], known, (mote_loop_order)order, (frames)grouping};
            test_case("%s, loop order %u, job system %u, %u workers, frames %u", mote_isa_name(known), order,
                      hook, workers, grouping);
            ASSERT(hash_of(kind, &v), ==, want);
            if (hook == 1 && workers > 1) ASSERT(shuffled.runs, >, 0);
        }
}

TEST(every_kind_has_a_hash_of_its_own) {
    uint64_t hashes[COUNT_OF(kinds)];
    const variant first = {.isa = MOTE_ISA_AUTO};
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        hashes[kind] = hash_of(kind, &first);
        for (size_t i = 0; i < kind; i++) ASSERT(hashes[i], !=, hashes[kind]);
    }
}

/* --- Beside other colliders --- */

enum { ROUGH = 33, PAIRS = 400, FALL_STEPS = 40 };

/* Rigid pairs that fall on rough ground, some of them beside a ball that is in it. */
static uint64_t hash_on_rough_ground(const mote_height_field *field, mote_isa isa) {
    static float positions[2 * PAIRS][3];
    static mote_spring springs[PAIRS];
    random_source random = {5};
    mote_system_def system_def = mote_default_system_def();
    mote_network_def def = mote_default_network_def();
    system_def.isa = isa;
    for (uint32_t i = 0; i < 2 * PAIRS; i++) {
        positions[i][0] = i % 2 ? positions[i - 1][0] + 0.05f : random_between(&random, 0.2f, 3);
        positions[i][1] = i % 2 ? positions[i - 1][1] : random_between(&random, 0.2f, 0.5f);
        positions[i][2] = i % 2 ? positions[i - 1][2] : random_between(&random, 0.2f, 3);
        springs[i / 2] = (mote_spring){i / 2 * 2, i / 2 * 2 + 1, 0.05f, INFINITY, 0, 0};
    }
    def.solver = MOTE_NETWORK_CONSTRAINED, def.particle_count = 2 * PAIRS, def.positions = positions[0];
    def.springs = springs, def.spring_count = PAIRS, def.radius = 0.01f;
    mote_system *system = make_system(&system_def);
    add_force(system, mote_gravity((const float[3]){0, -9.81f, 0}));
    add_collider(system, mote_height_field_collider(&(mote_transform)MOTE_TRANSFORM_IDENTITY, field));
    add_collider(system, mote_sphere((const float[3]){1.6f, -0.2f, 1.6f}, 0.6f));
    (void)add_network(system, &def);
    OK(mote_system_step(system, FALL_STEPS, NULL));
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

/* Points that leave rough ground are in it again, elsewhere. How that is solved does not depend on what is
 * near their neighbours in a register. */
TEST(points_have_the_same_bits_beside_neighbours_near_other_colliders) {
    static float heights[ROUGH * ROUGH];
    random_source random = {3};
    mote_height_field_def def = mote_default_height_field_def();
    mote_height_field *field;
    for (uint32_t i = 0; i < ROUGH * ROUGH; i++) heights[i] = random_between(&random, -0.1f, 0.1f);
    def.count[0] = def.count[1] = ROUGH, def.spacing[0] = def.spacing[1] = 0.1f, def.heights = heights;
    OK(mote_height_field_create(&def, &field));
    const uint64_t want = hash_on_rough_ground(field, MOTE_ISA_SCALAR);
    for (int isa = MOTE_ISA_SCALAR + 1; isa < MOTE_ISA_COUNT; isa++)
        if (mote_isa_available((mote_isa)isa)) ASSERT(hash_on_rough_ground(field, (mote_isa)isa), ==, want);
    mote_height_field_destroy(field);
}

/* --- Memory --- */

TEST(steps_allocate_nothing) {
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++)
        for (int order = 0; order < MOTE_LOOP_ORDER_COUNT; order++) {
            memory_ledger ledger = {0};
            mote_network_id id;
            network_scene s = scene_of(kind, HOSTILE | TEARS | (order ? ALIKE : 0));
            s.allocator = ledger_allocator(&ledger), s.jobs = dividing(mote_jobs_openmp(2)),
            s.loop_order = (mote_loop_order)order;
            mote_system *system = make_network_scene(&s, &arrays, &id, NULL);
            const uint64_t calls = ledger.calls;
            OK(mote_system_step(system, 3, NULL));
            OK(mote_system_advance(system, 2 * STEP_NANOSECONDS, NULL));
            ASSERT(ledger.calls, ==, calls);
            ASSERT(calls, >, 0);
            destroy_watched(system, &ledger);
        }
}
