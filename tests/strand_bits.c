/* The same bits for strands: a strand alone and among any neighbours; one hash for every number of workers,
 * job system, instruction set and grouping of steps into frames; and nothing is allocated in a step. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "strand_scene.h"

/* Every solver and what makes its paths differ: contacts, bends, damping, pins, hostile values. */
static const struct {
    const char *name;
    mote_strand_solver solver;
    mote_integrator integrator;
    uint32_t parts;
} kinds[] = {
    {"springs", MOTE_STRAND_SPRINGS, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING},
    {"springs, rk4", MOTE_STRAND_SPRINGS, MOTE_RK4,
     SYSTEM | BENDS | DAMPING | DRAG | POSE | LOCAL_POSE | CALLBACKS | PINS | COLLIDERS},
    {"springs, kinematic", MOTE_STRAND_SPRINGS, MOTE_KINEMATIC, STIFF | BENDS | FIELDS | PINS},
    {"springs, position verlet", MOTE_STRAND_SPRINGS, MOTE_POSITION_VERLET, SYSTEM | FIELDS | BENDS},
    {"springs, exact flow", MOTE_STRAND_SPRINGS, MOTE_EXACT_FLOW, SYSTEM | STIFF | COLLIDERS},
    {"rigid", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM},
    {"rigid, wild and pinned", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | WILD | PINS | CAP | DRAG},
    {"rigid with colliders", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | COLLIDERS | LOCAL_POSE | FREE},
    {"compliant", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING | PINS},
    {"compliant with colliders", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | COLLIDERS | FIELDS | CALLBACKS},
    {"bends", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | BENDS | DAMPING | PINS},
    {"soft bends with colliders", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | BENDS | COLLIDERS},
    {"conserving", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | FREE},
    {"conserving, wild and pinned", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | WILD | PINS | CALLBACKS},
};

static strand_scene scene_of(size_t kind, uint32_t more) {
    return (strand_scene){.solver = kinds[kind].solver,
                          .integrator = kinds[kind].integrator,
                          .parts = kinds[kind].parts | more,
                          .substeps = 2,
                          .steps = 3,
                          .seed = 500,
                          .rate = {50, 1}};
}

/* --- Neighbours --- */

enum { NUMBERS = 22 };

/* All that a host can see of a strand. */
typedef struct strand_state {
    float column[9][SCENE_LONGEST];
    uint32_t points;
    mote_strand_step_report report;
} strand_state;

static strand_state state_of(mote_system *system, mote_strands_id id, uint32_t strand) {
    const mote_strands_view v = mote_strands_columns(system, id);
    const float *const columns[6] = {v.position.x, v.position.y, v.position.z,
                                     v.velocity.x, v.velocity.y, v.velocity.z};
    strand_state state;
    memset(&state, 0, sizeof state);
    state.points = mote_strands_points(system, id, strand);
    for (uint32_t k = 0; k < state.points; k++) {
        const uint32_t slot = mote_strands_slot(system, id, strand, k);
        float impulse[3] = {0};
        if (v.inverse_mass[slot] == 0) scene_check(mote_strands_reaction(system, id, strand, k, impulse));
        for (int c = 0; c < 9; c++) state.column[c][k] = c < 6 ? columns[c][slot] : impulse[c - 6];
    }
    scene_check(mote_strands_report_of(system, id, strand, &state.report));
    return state;
}

/* Runs strands of these numbers; what strand i is in the end goes to states[i]. */
static void run_numbers(strand_scene s, const uint32_t *numbers, uint32_t count, strand_state *states) {
    mote_strands_id id;
    s.numbers = numbers, s.count = count;
    mote_system *system = make_strand_scene(&s, &id);
    assert_int_equal(mote_system_step(system, s.steps, NULL), MOTE_OK);
    for (uint32_t i = 0; i < count; i++) states[i] = state_of(system, id, i);
    mote_system_destroy(system);
}

static void same_state(const char *kind, const strand_state *got, const strand_state *want, uint32_t number,
                       uint32_t count) {
    if (got->report.frozen && want->report.frozen &&
        memcmp(got->column, want->column, sizeof got->column) == 0)
        return;
    if (memcmp(got->column, want->column, sizeof got->column) == 0 &&
        got->report.stretch == want->report.stretch && got->report.iterations == want->report.iterations &&
        got->report.capped == want->report.capped && got->report.fallbacks == want->report.fallbacks &&
        got->report.infeasible == want->report.infeasible && got->report.frozen == want->report.frozen)
        return;
    for (int c = 0; c < 9; c++)
        for (uint32_t k = 0; k < got->points; k++)
            if (memcmp(&got->column[c][k], &want->column[c][k], sizeof(float)))
                fail_msg("%s: strand %u of %u points among %u: column %d of point %u is %a, alone %a", kind,
                         number, got->points, count, c, k, (double)got->column[c][k],
                         (double)want->column[c][k]);
    fail_msg("%s: strand %u of %u points among %u: another report than alone", kind, number, got->points,
             count);
}

static strand_state uncoupled[NUMBERS], among[SCENE_STRANDS];

/* Each strand by itself, in a bundle of one, and then among longer and shorter ones, some of them its own
 * kind, in any lane. With `more`, others turn non-finite beside it. A rigid strand in a bundle in which
 * others give way is another strand. */
static void with_neighbours(size_t kind, uint32_t more) {
    static const uint32_t sizes[] = {5, 16, 40};
    strand_scene s = scene_of(kind, more);
    const bool mixes = s.solver == MOTE_STRAND_ROBUST && !(s.parts & RIGID);
    uint32_t frozen = 0;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        run_numbers(s, &n, 1, &uncoupled[n]);
        frozen += uncoupled[n].report.frozen;
    }
    assert_true((more || frozen == 0));
    ASSERT(frozen, <, NUMBERS);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        for (uint32_t b = 0; b < COUNT_OF(sizes) && mote_isa_available((mote_isa)isa); b++) {
            uint32_t numbers[SCENE_STRANDS];
            s.isa = (mote_isa)isa;
            for (uint32_t i = 0; i < sizes[b]; i++) numbers[i] = reference_hash(60 + b, i) % NUMBERS;
            run_numbers(s, numbers, sizes[b], among);
            for (uint32_t i = 0; i < sizes[b]; i++)
                if (!mixes || numbers[i] % 4 != 1)
                    same_state(kinds[kind].name, &among[i], &uncoupled[numbers[i]], numbers[i], sizes[b]);
        }
}

static const char *kind_name(uint32_t kind) { return kinds[kind].name; }

TEST_EACH(neighbours, COUNT_OF(kinds), kind_name, kind) { with_neighbours(kind, 0); }
TEST_EACH(hostile_neighbours, COUNT_OF(kinds), kind_name, kind) { with_neighbours(kind, HOSTILE); }

/* --- One hash --- */

enum { ROUNDS = 2, ROUND_STEPS = 4, STRANDS = 35 };
static const uint64_t STEP_NANOSECONDS = 20000000;

typedef enum frames { ONE_FRAME, SINGLE_STEPS, ADVANCES, HOSTILE_FRAMES, GROUPINGS } frames;

static void run_round(mote_system *system, frames grouping) {
    switch (grouping) {
    case ONE_FRAME:
        assert_int_equal(mote_system_step(system, ROUND_STEPS, NULL), MOTE_OK);
        break;
    case SINGLE_STEPS:
        for (int i = 0; i < ROUND_STEPS; i++) assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        break;
    case ADVANCES:
        assert_int_equal(mote_system_advance(system, ROUND_STEPS * STEP_NANOSECONDS, NULL), MOTE_OK);
        break;
    default:
        assert_int_equal(scene_hostile_frames(system, STEP_NANOSECONDS, ROUND_STEPS), MOTE_OK);
    }
}

/* Targets, pins and the air change at the same ticks in every variant. */
static uint64_t hash_of(size_t kind, mote_jobs jobs, mote_isa isa, frames grouping) {
    strand_scene s = scene_of(kind, kind % 3 == 2 ? HOSTILE : 0);
    mote_strands_id id;
    s.count = STRANDS, s.jobs = jobs, s.isa = isa;
    mote_system *system = make_strand_scene(&s, &id);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round) {
            scene_aim(system, id, &s, 7, scene_ticks(system) * ROUND_STEPS);
            assert_int_equal(mote_strands_set_air(system, id, (vec3){-2, 1, 0}), MOTE_OK);
            if (s.parts & PINS)
                assert_int_equal(mote_strands_unpin(system, id, 0, mote_strands_points(system, id, 0) / 2),
                                 MOTE_OK);
        }
        run_round(system, grouping);
    }
    assert_int_equal(mote_system_steps(system), ROUNDS * ROUND_STEPS);
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

static void expect(size_t kind, mote_jobs jobs, mote_isa isa, frames grouping, uint64_t want,
                   const char *what) {
    const uint64_t got = hash_of(kind, jobs, isa, grouping);
    if (got != want)
        fail_msg("%s: %s changed the bits: %016llx, not %016llx", kinds[kind].name, what,
                 (unsigned long long)got, (unsigned long long)want);
}

TEST_EACH(one_hash, COUNT_OF(kinds), kind_name, number) {
    static const char *const grouping_names[GROUPINGS] = {"one frame", "single steps", "advances",
                                                          "hostile frames"};
    static const uint32_t workers[] = {2, 1, 3, 8};
    const size_t kind = number;
    const mote_jobs serial = {0};
    const uint64_t want = hash_of(kind, serial, MOTE_ISA_AUTO, ONE_FRAME);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        if (mote_isa_available((mote_isa)isa))
            expect(kind, serial, (mote_isa)isa, ONE_FRAME, want, mote_isa_name((mote_isa)isa));
    for (int g = ONE_FRAME + 1; g < GROUPINGS; g++)
        expect(kind, serial, MOTE_ISA_AUTO, (frames)g, want, grouping_names[g]);
    for (uint32_t i = 0; i < COUNT_OF(workers); i++) {
        shuffled_jobs shuffled = {.random = {i}, .workers = workers[i]};
        uint32_t threads = workers[i];
        expect(kind, mote_jobs_openmp(workers[i]), MOTE_ISA_AUTO, (frames)(i % GROUPINGS), want, "OpenMP");
        expect(kind, shuffled_jobs_hook(&shuffled), MOTE_ISA_AUTO, (frames)((i + 1) % GROUPINGS), want,
               "shuffled jobs");
        assert_true(workers[i] == 1 || shuffled.runs > 0);
        if (i % 2) continue;
        expect(kind, pthread_jobs_hook(&threads), MOTE_ISA_AUTO, (frames)((i + 2) % GROUPINGS), want,
               "POSIX threads");
    }
}

TEST(kinds_differ) {
    uint64_t hashes[COUNT_OF(kinds)];
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        hashes[kind] = hash_of(kind, (mote_jobs){0}, MOTE_ISA_AUTO, ONE_FRAME);
        for (size_t i = 0; i < kind; i++) ASSERT(hashes[i], !=, hashes[kind]);
    }
}

/* --- Memory --- */

TEST(warm_steps_allocate_nothing) {
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        memory_ledger ledger = {0};
        mote_strands_id id;
        strand_scene s = scene_of(kind, HOSTILE);
        s.count = STRANDS, s.allocator = ledger_allocator(&ledger), s.jobs = mote_jobs_openmp(2);
        mote_system *system = make_strand_scene(&s, &id);
        const uint64_t calls = ledger.calls;
        assert_int_equal(mote_system_step(system, 3, NULL), MOTE_OK);
        assert_int_equal(mote_system_advance(system, 2 * STEP_NANOSECONDS, NULL), MOTE_OK);
        ASSERT(ledger.calls, ==, calls);
        ASSERT(calls, >, 0);
        mote_system_destroy(system);
        ASSERT(ledger.live_bytes, ==, 0);
        ASSERT(ledger.faults, ==, 0);
    }
}
