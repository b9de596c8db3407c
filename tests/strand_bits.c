/* The same bits for strands: a strand alone and among any neighbours; one hash for every number of workers,
 * job system, instruction set and grouping of steps into frames; and nothing is allocated in a step. */
#include "test.h"

#include <string.h>

#include "strand_scene.h"

/* Every solver with the parts that take other paths through it: contacts, damping, pins. */
static const struct {
    const char *name;
    mote_strand_solver solver;
    mote_integrator integrator;
    uint32_t parts;
} kinds[] = {
    {"springs", MOTE_STRAND_SPRINGS, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING},
    {"springs, rk4", MOTE_STRAND_SPRINGS, MOTE_RK4,
     SYSTEM | DAMPING | DRAG | POSE | CALLBACKS | PINS | COLLIDERS},
    {"springs, kinematic", MOTE_STRAND_SPRINGS, MOTE_KINEMATIC, STIFF | FIELDS | PINS},
    {"springs, position verlet", MOTE_STRAND_SPRINGS, MOTE_POSITION_VERLET, SYSTEM | FIELDS},
    {"springs, exact flow", MOTE_STRAND_SPRINGS, MOTE_EXACT_FLOW, SYSTEM | STIFF | COLLIDERS},
    {"rigid", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM},
    {"rigid, wild and pinned", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | WILD | PINS | CAP | DRAG},
    {"rigid with colliders", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | COLLIDERS | FREE},
    {"compliant", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | DAMPING | PINS},
    {"compliant with colliders", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     SYSTEM | COLLIDERS | FIELDS | CALLBACKS},
    {"soft with colliders", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, SYSTEM | COLLIDERS},
    {"rods", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | RODS | PINS},
    {"rods with frames, alike", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | RODS | FRAMED | EVEN_POINTS},
    {"rods with frames and colliders", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | RODS | FRAMED | COLLIDERS | WILD | DRAG},
    {"flat rods", MOTE_STRAND_ROBUST, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | RODS | FRAMED | FLAT | COLLIDERS | PINS},
    {"conserving", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER, RIGID | SYSTEM | FREE},
    {"conserving, wild and pinned", MOTE_STRAND_CONSERVING, MOTE_SEMI_IMPLICIT_EULER,
     RIGID | SYSTEM | WILD | PINS | CALLBACKS},
};

static strand_scene scene_of(size_t kind, uint32_t more) {
    return (strand_scene){
        kinds[kind].solver, kinds[kind].integrator, kinds[kind].parts | more, .substeps = 2, .steps = 3,
        .seed = 500,        .rate = {50, 1}};
}

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

/* Runs strands of these numbers; states[i] receives strand i as it is in the end. */
static void run_numbers(strand_scene s, const uint32_t *numbers, uint32_t count, strand_state *states) {
    mote_strands_id id;
    s.numbers = numbers, s.count = count;
    mote_system *system = make_strand_scene(&s, &id);
    assert_int_equal(mote_system_step(system, s.steps, NULL), MOTE_OK);
    for (uint32_t i = 0; i < count; i++) states[i] = state_of(system, id, i);
    mote_system_destroy(system);
}

static void same_state(const strand_state *got, const strand_state *want) {
    for (int c = 0; c < 9; c++)
        for (uint32_t k = 0; k < want->points; k++)
            if (memcmp(&got->column[c][k], &want->column[c][k], sizeof(float)))
                fail_msg("column %d of point %u of %u is %a, alone %a", c, k, want->points,
                         (double)got->column[c][k], (double)want->column[c][k]);
    ASSERT(got->points, ==, want->points);
    ASSERT(got->report.frozen, ==, want->report.frozen);
    if (want->report.frozen) return; /* the way there is not compared */
    ASSERT(got->report.strain, ==, want->report.strain);
    ASSERT(got->report.iterations, ==, want->report.iterations);
    ASSERT(got->report.unsolved, ==, want->report.unsolved);
    ASSERT(got->report.fallbacks, ==, want->report.fallbacks);
    ASSERT(got->report.infeasible, ==, want->report.infeasible);
}

/* Each strand by itself, and then among longer and shorter ones, some of them its own kind, in any lane. With
 * `more`, others turn non-finite beside it. Where some strands have a compliance the rigid ones are solved by
 * its formula: they are compared only where none has. */
static void with_neighbours(size_t kind, uint32_t more) {
    static const uint32_t sizes[] = {5, 16, 40};
    static strand_state uncoupled[NUMBERS], among[SCENE_STRANDS];
    strand_scene s = scene_of(kind, more);
    const bool mixes = s.solver == MOTE_STRAND_ROBUST && !(s.parts & RIGID);
    uint32_t frozen = 0;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        run_numbers(s, &n, 1, &uncoupled[n]);
        frozen += uncoupled[n].report.frozen;
    }
    if (!more) ASSERT(frozen, ==, 0);
    ASSERT(frozen, <, NUMBERS);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        for (uint32_t b = 0; b < COUNT_OF(sizes) && mote_isa_available((mote_isa)isa); b++) {
            uint32_t numbers[SCENE_STRANDS];
            s.isa = (mote_isa)isa;
            for (uint32_t i = 0; i < sizes[b]; i++) numbers[i] = reference_hash(60 + b, i) % NUMBERS;
            run_numbers(s, numbers, sizes[b], among);
            for (uint32_t i = 0; i < sizes[b]; i++) {
                test_case("%s, strand %u among %u", mote_isa_name(s.isa), numbers[i], sizes[b]);
                if (!mixes || numbers[i] % 4 != 1) same_state(&among[i], &uncoupled[numbers[i]]);
            }
        }
}

static const char *kind_name(uint32_t kind) { return kinds[kind].name; }

TEST_EACH(a_strand_is_the_same_alone_and_among_others, COUNT_OF(kinds), kind_name, kind) {
    with_neighbours(kind, 0);
}
TEST_EACH(a_strand_is_the_same_among_others_that_turn_non_finite, COUNT_OF(kinds), kind_name, kind) {
    with_neighbours(kind, HOSTILE);
}

enum { ROUNDS = 2, ROUND_STEPS = 4, STRANDS = 35 };
static const uint64_t STEP_NANOSECONDS = 20000000;

typedef enum frames { ONE_FRAME, SINGLE_STEPS, ADVANCES, HOSTILE_FRAMES, GROUPINGS } frames;

static void run_round(mote_system *system, frames grouping) {
    const int calls = grouping == SINGLE_STEPS ? ROUND_STEPS : 1;
    for (int i = 0; i < calls; i++)
        assert_int_equal(
            grouping == ADVANCES         ? mote_system_advance(system, ROUND_STEPS * STEP_NANOSECONDS, NULL)
            : grouping == HOSTILE_FRAMES ? scene_hostile_frames(system, STEP_NANOSECONDS, ROUND_STEPS)
                                         : mote_system_step(system, ROUND_STEPS / (uint32_t)calls, NULL),
            MOTE_OK);
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
            assert_int_equal(mote_strands_set_air(system, id, (float[3]){-2, 1, 0}), MOTE_OK);
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

TEST_EACH(jobs_instruction_sets_and_frames_do_not_change_the_hash, COUNT_OF(kinds), kind_name, kind) {
    static const uint32_t workers[] = {2, 1, 3, 8};
    const mote_jobs serial = {0};
    const uint64_t want = hash_of(kind, serial, MOTE_ISA_AUTO, ONE_FRAME);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
        test_case("%s", mote_isa_name((mote_isa)isa));
        if (mote_isa_available((mote_isa)isa))
            ASSERT(hash_of(kind, serial, (mote_isa)isa, ONE_FRAME), ==, want);
    }
    for (int g = ONE_FRAME + 1; g < GROUPINGS; g++) {
        test_case("grouping %d", g);
        ASSERT(hash_of(kind, serial, MOTE_ISA_AUTO, (frames)g), ==, want);
    }
    for (uint32_t i = 0; i < COUNT_OF(workers); i++) {
        shuffled_jobs shuffled = {.random = {i}, .workers = workers[i]};
        uint32_t threads = workers[i];
        const mote_jobs jobs[] = {dividing(mote_jobs_openmp(workers[i])), shuffled_jobs_hook(&shuffled),
                                  pthread_jobs_hook(&threads)};
        for (uint32_t j = 0; j < (i % 2 ? 2 : 3); j++) {
            test_case("%u workers of %s", workers[i], j == 0 ? "OpenMP" : j == 1 ? "shuffled jobs" : "POSIX");
            ASSERT(hash_of(kind, jobs[j], MOTE_ISA_AUTO, (frames)((i + j) % GROUPINGS)), ==, want);
        }
        if (workers[i] > 1) ASSERT(shuffled.runs, >, 0);
    }
}

TEST(the_kinds_have_different_hashes) {
    uint64_t hashes[COUNT_OF(kinds)];
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        hashes[kind] = hash_of(kind, (mote_jobs){0}, MOTE_ISA_AUTO, ONE_FRAME);
        for (size_t i = 0; i < kind; i++) ASSERT(hashes[i], !=, hashes[kind]);
    }
}

TEST(steps_allocate_nothing) {
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        memory_ledger ledger = {0};
        mote_strands_id id;
        strand_scene s = scene_of(kind, HOSTILE);
        s.count = STRANDS, s.allocator = ledger_allocator(&ledger), s.jobs = dividing(mote_jobs_openmp(2));
        mote_system *system = make_strand_scene(&s, &id);
        const uint64_t calls = ledger.calls;
        assert_int_equal(mote_system_step(system, 3, NULL), MOTE_OK);
        assert_int_equal(mote_system_advance(system, 2 * STEP_NANOSECONDS, NULL), MOTE_OK);
        ASSERT(ledger.calls, ==, calls);
        ASSERT(calls, >, 0);
        mote_system_destroy(system);
        ASSERT(ledger.live_bytes + ledger.faults, ==, 0);
    }
}
