/* Refusals of the calls on strands: defs, arguments, ids, and calls from inside a step. */
#include "test.h"

#include <float.h>
#include <math.h>

#include "strand_refusals.h"

/* --- Defs --- */

#define DEF(m, value, want)  BAD_VALUE(mote_strands_def, m, value, want)
#define RANGE(m, value)      DEF(m, value, MOTE_ERROR_RANGE)
#define NOT_FINITE(m, value) DEF(m, value, MOTE_ERROR_NOT_FINITE)
#define NUMBER(m)            NOT_FINITE(m, NAN), NOT_FINITE(m, INFINITY), NOT_FINITE(m, -INFINITY)
#define NO_SIZE(m)           NUMBER(m), RANGE(m, -1), RANGE(m, -0x1p-149)
#define POSITIVE(m)          NO_SIZE(m), RANGE(m, 0)
#define NOT_NEGATIVE(m)      NO_SIZE(m), DEF(m, 0, MOTE_OK)

TEST(settings_out_of_range_are_refused) {
    static const bad_value rows[] = {NOT_NEGATIVE(radius),
                                     NOT_NEGATIVE(damping),
                                     NOT_NEGATIVE(normal_drag),
                                     NOT_NEGATIVE(tangential_drag),
                                     NOT_NEGATIVE(friction),
                                     NOT_NEGATIVE(compliance),
                                     NOT_NEGATIVE(pose_stiffness),
                                     POSITIVE(rest_scale),
                                     POSITIVE(max_strain),
                                     POSITIVE(mass),
                                     NUMBER(air_velocity[0]),
                                     NUMBER(air_velocity[1]),
                                     NUMBER(air_velocity[2]),
                                     NOT_FINITE(bending_stiffness, NAN),
                                     NOT_FINITE(bending_stiffness, INFINITY),
                                     RANGE(bending_stiffness, -1),
                                     DEF(bending_stiffness, 1, MOTE_OK),
                                     DEF(bending_stiffness, 0, MOTE_OK),
                                     NUMBER(bending_ratio),
                                     RANGE(bending_ratio, 0),
                                     RANGE(bending_ratio, 0.999),
                                     RANGE(bending_ratio, 2), /* without twisting stiffness */
                                     RANGE(max_iterations, 0),
                                     RANGE(max_iterations, 33),
                                     RANGE(substeps, 4097),
                                     DEF(cookie, 0, MOTE_ERROR_DEF),
                                     DEF(solver, -1, MOTE_ERROR_ENUM),
                                     DEF(solver, MOTE_STRAND_SOLVER_COUNT, MOTE_ERROR_ENUM),
                                     DEF(positions, 0, MOTE_ERROR_NULL)};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        make_strands(&s, 17, 9, 1);
        s.def.strand_mass = s.def.strand_rest_scale = s.def.strand_compliance = NULL;
        spoil(&s.def, &rows[i]);
        if (rows[i].want)
            refuse(&s.def, rows[i].member, rows[i].want, ALL, 0);
        else
            accept(&s.def);
    }
}

TEST(settings_that_a_solver_does_not_take_are_refused) {
#define SPRINGS    s.def.solver = MOTE_STRAND_SPRINGS
#define CONSERVING s.def.solver = MOTE_STRAND_CONSERVING, memset(s.compliance, 0, sizeof s.compliance)
    BAD("strand_compliance", MOTE_ERROR_RANGE, 4, 0, SPRINGS, s.compliance[4] = 0);
    BAD("strand_compliance", MOTE_ERROR_RANGE, 4, 0, SPRINGS,
        s.compliance[4] = 0x1p-140f); /* 1 / compliance is infinite */
    BAD("compliance", MOTE_ERROR_RANGE, ALL, 0, SPRINGS, s.def.strand_compliance = NULL);
    BAD("compliance", MOTE_ERROR_RANGE, ALL, 0, CONSERVING, s.def.strand_compliance = NULL,
        s.def.compliance = 0.1f);
    BAD("strand_compliance", MOTE_ERROR_RANGE, 9, 0, CONSERVING, s.compliance[9] = 0.1f);
    GOOD(CONSERVING, s.def.damping = s.def.radius = 1);
}

TEST(strands_out_of_range_are_refused_by_number) {
    static const struct {
        float value;
        mote_result want[3]; /* of a mass, a rest scale, a compliance */
    } rows[] = {{NAN, {MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE}},
                {INFINITY, {MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE}},
                {-1, {MOTE_ERROR_RANGE, MOTE_ERROR_RANGE, MOTE_ERROR_RANGE}},
                {0, {MOTE_ERROR_RANGE, MOTE_ERROR_RANGE, MOTE_OK}},
                {0x1p-140f, {MOTE_ERROR_RANGE, MOTE_OK, MOTE_OK}}};
    static const uint32_t points[] = {0, 1, 1025, UINT32_MAX};
    float *const arrays[] = {s.mass, s.rest_scale, s.compliance};
    static const char *const names[] = {"strand_mass", "strand_rest_scale", "strand_compliance"};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int k = 0; k < 3; k++)
            if (rows[i].want[k])
                BAD(names[k], rows[i].want[k], 16, 0, arrays[k][16] = rows[i].value);
            else
                GOOD(arrays[k][16] = rows[i].value);
    for (size_t i = 0; i < COUNT_OF(points); i++) {
        BAD("strand_points", MOTE_ERROR_RANGE, 7, 0, s.points[7] = points[i]);
        BAD("points", MOTE_ERROR_RANGE, ALL, 0, s.def.strand_points = NULL, s.def.points = points[i]);
    }
    BAD("strand_count", MOTE_ERROR_RANGE, ALL, 0, s.def.strand_count = 0);
    /* Sizes are known before an array is read. */
    BAD(NULL, MOTE_ERROR_OVERFLOW, ALL, 0, s.def.strand_count = UINT32_MAX, s.def.strand_points = NULL,
        s.def.points = 1024);
}

TEST(positions_that_are_not_finite_or_too_far_apart_are_refused_by_point) {
    make_strands(&s, 17, 9, 5);
    for (uint32_t strand = 0; strand < 17; strand++)
        for (uint32_t point = 0; point < s.points[strand]; point++)
            for (uint32_t axis = 0; axis < 3; axis++)
                BAD("positions", MOTE_ERROR_NOT_FINITE, strand, point,
                    s.positions[3 * (s.first[strand] + point) + axis] = axis % 2 ? NAN : INFINITY);
    float *p = s.positions + 3 * (s.first[6] + 1); /* point 1 of strand 6 */
    ASSERT(s.points[6], >=, 3);
    BAD("positions", MOTE_ERROR_RANGE, 6, 1, p[0] = -FLT_MAX / 2, p[3] = FLT_MAX / 2, s.rest_scale[6] = 1.5f);
    /* Each segment fits, two together do not. */
    GOOD(s.rest_scale[6] = 1.5f, p[0] = 0, p[3] = FLT_MAX / 2, p[-3] = -FLT_MAX / 2);
    /* From the end of one strand to the root of the next nothing is measured. */
    make_strands(&s, 2, 9, 5);
    for (uint32_t k = 0; k < s.first[2]; k++) s.positions[3 * k] = k < s.first[1] ? -FLT_MAX : FLT_MAX;
    accept(&s.def);
}

TEST(advecting_integrators_take_no_strands) {
    make_strands(&s, 3, 4, 2);
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        mote_system_def def = mote_default_system_def();
        def.integrator = (mote_integrator)i;
        mote_system *system;
        mote_strands_id id;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        assert_int_equal(mote_system_add_strands(system, &s.def, &id, NULL),
                         advects(def.integrator) ? MOTE_ERROR_INTEGRATOR : MOTE_OK);
        mote_system_destroy(system);
    }
}

/* --- Arguments --- */

/* Of three strands, of which 0 has a point 1. */
TEST(wrong_arguments_are_refused) {
    make_strands(&s, 3, 4, 2);
    mote_system *system = make_system(NULL);
    const mote_strands_id id = add_strands(system, &s);
    const mote_transform good = MOTE_TRANSFORM_IDENTITY;
    mote_strand_step_report report;
    double factor;
    float impulse[3];
    for (int i = 0; i < 7; i++) {
        mote_transform bad[3] = {good, good, good};
        *(i < 3 ? &bad[2].position[i] : &bad[2].rotation[i - 3]) = i % 2 ? NAN : INFINITY;
        bad[0].position[0] = bad[1].position[1] = 5;
        REFUSALS(system, REFUSES(NOT_FINITE, mote_strands_set_roots(system, id, bad, 3, 0)),
                 REFUSES(NOT_FINITE, mote_strands_set_roots(system, id, bad + 2, 1, 0)),
                 REFUSES(NOT_FINITE, mote_strands_set_root(system, id, 1, bad + 2, 0)));
    }
    const mote_transform three[3] = {{{5, 0, 0}, {0, 0, 0, 1}}, good, {{0}, {0, 0, 0, 0}}};
    REFUSALS(system, REFUSES(RANGE, mote_strands_set_roots(system, id, three, 3, 0)),
             REFUSES(RANGE, mote_strands_set_roots(system, id, three, 0, 0)),
             REFUSES(RANGE, mote_strands_set_roots(system, id, three, 2, 0)),
             REFUSES(NULL, mote_strands_set_roots(system, id, NULL, 1, 0)),
             REFUSES(RANGE, mote_strands_set_root(system, id, 0, &three[2], 0)),
             REFUSES(RANGE, mote_strands_set_root(system, id, 3, &good, 0)),
             REFUSES(NULL, mote_strands_set_root(system, id, 0, NULL, 0)),
             REFUSES(RANGE, mote_strands_reset(system, id, 3)),
             REFUSES(NULL, mote_strands_pin(system, id, 0, 1, NULL, 0)),
             REFUSES(NULL, mote_strands_set_air(system, id, NULL)));
    for (int axis = 0; axis < 3; axis++) {
        float hole[3] = {0, 0, 0};
        hole[axis] = NAN;
        REFUSALS(system, REFUSES(NOT_FINITE, mote_strands_pin(system, id, 0, 1, hole, 0)),
                 REFUSES(NOT_FINITE, mote_strands_set_air(system, id, hole)));
    }
    REFUSALS(system, REFUSES(RANGE, mote_strands_reaction(system, id, 0, 1, impulse)),
             REFUSES(RANGE, mote_strands_reaction(system, id, 3, 0, impulse)),
             REFUSES(RANGE, mote_strands_reaction(system, id, 0, s.points[0], impulse)),
             REFUSES(NULL, mote_strands_reaction(system, id, 0, 0, NULL)),
             REFUSES(RANGE, mote_strands_stability(system, id, 0, &factor)), /* no rest_acceleration */
             REFUSES(RANGE, mote_strands_stability(system, id, 3, &factor)),
             REFUSES(NULL, mote_strands_stability(system, id, 0, NULL)),
             REFUSES(RANGE, mote_strands_report_of(system, id, 3, &report)),
             REFUSES(NULL, mote_strands_report_of(system, id, 0, NULL)),
             REFUSES(NULL, mote_strands_report(system, id, NULL)),
             REFUSES(INTEGRATOR, mote_system_seek(system, 5)));
    const uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_strands_set_air(system, id, (float[3]){1, 2, 3}), MOTE_OK);
    ASSERT(strands_inside(system, id)->def.air_velocity[2], ==, 3);
    ASSERT(mote_system_hash(system), !=, hash);
    assert_int_equal(mote_system_remove_strands(system, id), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 5), MOTE_OK);
    mote_system_destroy(system);
}

/* --- Ids, NULL and BUSY --- */

/* Every call on strands, and on followers of them unless NULL, must return this code. */
static void every_call_returns(mote_result code, mote_system *system, mote_strands_id id,
                               mote_followers *followers) {
    const mote_transform at = MOTE_TRANSFORM_IDENTITY;
    const mote_strand_layout layout = mote_default_strand_layout();
    const mote_followers_def follow = mote_default_followers_def();
    mote_followers *made;
    mote_strand_step_report report;
    mote_strands_step_report sums;
    uint32_t indices[64];
    double factor;
    float impulse[3], vertices[512];
    REFUSALS(system, RETURNS(code, mote_system_remove_strands(system, id)),
             RETURNS(code, mote_strands_set_roots(system, id, &at, 1, 0)),
             RETURNS(code, mote_strands_set_root(system, id, 0, &at, 0)),
             RETURNS(code, mote_strands_reset(system, id, 0)),
             RETURNS(code, mote_strands_pin(system, id, 0, 1, (float[3]){0, 0, 0}, 0)),
             RETURNS(code, mote_strands_unpin(system, id, 0, 1)),
             RETURNS(code, mote_strands_set_air(system, id, (float[3]){0, 0, 0})),
             RETURNS(code, mote_strands_reaction(system, id, 0, 0, impulse)),
             RETURNS(code, mote_strands_report_of(system, id, 0, &report)),
             RETURNS(code, mote_strands_stability(system, id, 0, &factor)),
             RETURNS(code, mote_strands_report(system, id, &sums)),
             RETURNS(code, mote_strands_present(system, id, &layout, vertices, sizeof vertices)),
             RETURNS(code, mote_strands_index_buffer(system, id, MOTE_STRAND_POLYLINES, indices, 64)),
             RETURNS(code, mote_followers_create(system, id, &follow, &made, NULL)));
    if (followers)
        REFUSED(system, code, mote_followers_present(system, followers, &layout, vertices, sizeof vertices));
    ASSERT(made, ==, NULL);
}

/* An id that names no strands is refused by every call, and nothing changes. */
static void refuse_id(mote_system *system, mote_strands_id id, mote_followers *followers) {
    every_call_returns(MOTE_ERROR_ID, system, id, followers);
    assert_null(mote_strands_columns(system, id).position.x);
    ASSERT(mote_strands_points(system, id, 0), ==, 0);
    ASSERT(mote_strands_slot(system, id, 0, 0), ==, MOTE_NO_SLOT);
    ASSERT(mote_strands_vertex_count(system, id, MOTE_STRAND_RIBBONS), ==, 0);
    ASSERT(mote_strands_index_count(system, id, MOTE_STRAND_RIBBONS), ==, 0);
    ASSERT(mote_strands_first_vertex(system, id, MOTE_STRAND_RIBBONS, 0), ==, MOTE_NO_VERTEX);
}

static mote_followers *follow(mote_system *system, mote_strands_id id) {
    mote_followers_def def = mote_default_followers_def();
    mote_followers *followers;
    def.follower_count = 1, def.points = 2, def.positions = s.positions;
    assert_int_equal(mote_followers_create(system, id, &def, &followers, NULL), MOTE_OK);
    return followers;
}

TEST(ids_of_removed_and_foreign_strands_are_refused) {
    enum { MOST = MOTE_MAX_STRANDS_OBJECTS };
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger), *other = make_system(NULL);
    mote_strands_id id[MOST], extra;
    for (uint32_t i = 0; i < MOST; i++) {
        make_strands(&s, 1 + i % 20, 5, i);
        id[i] = add_strands(system, &s);
        ASSERT(mote_strands_columns(system, id[i]).strand_count, ==, 1 + i % 20);
    }
    const mote_strands_id foreign = add_strands(other, &s);
    mote_followers *followers = follow(other, foreign);
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_add_strands(system, &s.def, &extra, NULL));
    refuse_id(system, (mote_strands_id){0, 0}, NULL);
    refuse_id(system, foreign, followers);
    refuse_id(other, id[0], NULL);
    mote_followers_destroy(followers);
    followers = follow(system, id[0]);
    for (uint32_t i = 0; i < MOST; i += 3) {
        assert_int_equal(mote_system_remove_strands(system, id[i]), MOTE_OK);
        refuse_id(system, id[i], followers);
    }
    for (uint32_t i = 0; i < MOST; i++)
        ASSERT(mote_strands_columns(system, id[i]).strand_count, ==, (i % 3 ? 1 + i % 20 : 0));
    for (uint32_t i = 0; i < MOST; i += 3) {
        const mote_strands_id again = add_strands(system, &s);
        refuse_id(system, id[i], followers);
        for (uint32_t k = 0; k < MOST; k++) ASSERT(again.index, !=, id[k].index);
        id[i] = again;
    }
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_add_strands(system, &s.def, &extra, NULL));
    mote_followers_destroy(followers);
    mote_system_destroy(system);
    mote_system_destroy(other);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

TEST(calls_without_a_system_a_def_or_an_id_are_refused) {
    make_strands(&s, 3, 4, 2);
    mote_system *system = make_system(NULL);
    mote_strands_id id;
    every_call_returns(MOTE_ERROR_NULL, NULL, add_strands(system, &s), NULL);
    REFUSALS(system, REFUSES(NULL, mote_system_add_strands(NULL, &s.def, &id, NULL)),
             REFUSES(NULL, mote_system_add_strands(system, NULL, &id, NULL)),
             REFUSES(NULL, mote_system_add_strands(system, &s.def, NULL, NULL)));
    mote_system_destroy(system);
}

typedef struct host {
    mote_system *system;
    mote_strands_id id;
    mote_followers *followers;
} host;

static void call_back(void *context) {
    const host *h = context;
    mote_strands_id id;
    every_call_returns(MOTE_ERROR_BUSY, h->system, h->id, h->followers);
    assert_int_equal(mote_system_add_strands(h->system, &s.def, &id, NULL), MOTE_ERROR_BUSY);
}

TEST(calls_from_inside_a_step_are_refused) {
    make_strands(&s, 3, 4, 2);
    host h = {.system = make_system(NULL)};
    uint32_t calls;
    h.id = add_strands(h.system, &s);
    h.followers = follow(h.system, h.id);
    assert_int_equal(scene_call_within_step(h.system, call_back, &h, &calls), MOTE_OK);
    ASSERT(calls, >, 0);
    mote_followers_destroy(h.followers);
    mote_system_destroy(h.system);
}
