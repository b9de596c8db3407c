/* Colliders: the calls, what they refuse, what counts as state, and where colliders stand at every
 * boundary. */
#include "test.h"

#include <string.h>

#include "contact_shapes.h"
#include "contacts/colliders.h"
#include "system/internal.h"

/* A coordinate of at most 8 m, or a component of a direction, that was rounded to float twice: as a
 * transform, as a pose. */
static const double TOLERANCE = 2 * 0x1p-24 * 8;

enum { STEP = 1000000, SUBSTEPS = 5 };

/* --- Motions and poses --- */

static mote_transform transform_of(random_source *random) {
    mote_transform t;
    for (int k = 0; k < 3; k++) t.position[k] = random_between(random, -4, 4);
    for (int k = 0; k < 4; k++) t.rotation[k] = random_between(random, -3, 3);
    return t;
}

/* Straight between the positions, normalised between the quaternions, the shorter way. */
static void expected_at(const mote_transform *from, const mote_transform *to, double f, const double v[3],
                        double x[3]) {
    double lengths[2] = {0, 0}, cosine = 0;
    mote_transform at;
    for (int k = 0; k < 4; k++) {
        lengths[0] += (double)from->rotation[k] * (double)from->rotation[k];
        lengths[1] += (double)to->rotation[k] * (double)to->rotation[k];
        cosine += (double)from->rotation[k] * (double)to->rotation[k];
    }
    const double side = cosine < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++)
        at.rotation[k] = (float)((1 - f) * from->rotation[k] / sqrt(lengths[0]) +
                                 side * f * to->rotation[k] / sqrt(lengths[1]));
    turn(at.rotation, false, v, x);
    for (int k = 0; k < 3; k++) x[k] += (1 - f) * from->position[k] + f * to->position[k];
}

/* Local (1, 2, -0.5) in the world, as the pose has it. */
static const double SPOT[3] = {1, 2, -0.5};

static void spot_of(const mote_collider_pose *pose, double x[3]) {
    for (int i = 0; i < 3; i++) {
        x[i] = pose->origin[i];
        for (int k = 0; k < 3; k++) x[i] += SPOT[k] * pose->axis[k][i];
    }
}

/* Directions carry the rounding of four components of a quaternion, twice over in a matrix, over a spot 2.3 m
 * away. */
static void assert_spot(const mote_collider_pose *pose, const double want[3]) {
    double got[3];
    spot_of(pose, got);
    for (int k = 0; k < 3; k++) assert_close(got[k], want[k], TOLERANCE + 2.3 * 12 * 0x1p-24);
}

static const mote_collider_pose *pose_of(mote_system *system, uint32_t row, uint32_t place) {
    return &system->colliders.poses[row * system->colliders.count + place];
}

static mote_system *empty_system(void) {
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = (mote_rate){1000, 1}; /* a tick is a nanosecond, a step a million of them */
    def.substeps = SUBSTEPS;
    mote_system *system = NULL;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(system->clock.ticks_per_step, STEP);
    return system;
}

static mote_collider_id add(mote_system *system, mote_collider_def def) {
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(system, &def, &id), MOTE_OK);
    return id;
}

static mote_collider_def box_at(const mote_transform *at) { return mote_box(at, (vec3){1, 1, 1}); }

static void pose_step(mote_system *system, uint64_t step) {
    mote_colliders_pose(&system->colliders, step * STEP, STEP, SUBSTEPS);
}

TEST(colliders_move_in_a_straight_line_along_the_shorter_arc) {
    random_source random = {1};
    for (int n = 0; n < 50; n++) {
        mote_system *system = empty_system();
        const mote_transform from = transform_of(&random), to = transform_of(&random);
        add(system, mote_sphere((vec3){0, 0, 0}, 1));
        mote_collider_id id = add(system, box_at(&from));
        double want[3];
        /* 2.5 steps: ends between two boundaries. */
        assert_int_equal(mote_system_move_collider(system, id, &to, 2 * STEP + STEP / 2), MOTE_OK);
        for (uint64_t step = 0; step < 4; step++) {
            pose_step(system, step);
            for (uint32_t s = 0; s <= SUBSTEPS; s++) {
                const double f = ((double)step + s / (double)SUBSTEPS) / 2.5;
                expected_at(&from, &to, f < 1 ? f : 1, SPOT, want);
                assert_spot(pose_of(system, s, 1), want);
            }
        }
        mote_system_destroy(system);
    }
}

/* Row s tells how it came from row s - 1, and the rows are one motion. */
TEST(poses_carry_what_happened_since_the_boundary_before) {
    random_source random = {2};
    mote_system *system = empty_system();
    const mote_transform from = transform_of(&random), to = transform_of(&random);
    mote_collider_id id = add(system, box_at(&from));
    assert_int_equal(mote_system_move_collider(system, id, &to, STEP), MOTE_OK);
    pose_step(system, 0);
    for (uint32_t s = 0; s <= SUBSTEPS; s++) {
        const mote_collider_pose *now = pose_of(system, s, 0), *before = s ? pose_of(system, s - 1, 0) : now;
        double was[3], is[3];
        spot_of(before, was);
        spot_of(now, is);
        assert_memory_equal(now->start, before->axis, sizeof now->start);
        for (int i = 0; i < 3; i++) {
            double moved = was[i] + now->shift[i];
            for (int k = 0; k < 3; k++) moved += (was[k] - before->origin[k]) * now->turn[k][i];
            assert_close(moved, is[i], TOLERANCE + 2.3 * 12 * 0x1p-24);
        }
    }
    pose_step(system, 7);
    for (uint32_t s = 0; s <= SUBSTEPS; s++) /* it stands: not even a rounding is left */
        for (int i = 0; i < 3; i++) {
            ASSERT(pose_of(system, s, 0)->shift[i], ==, 0);
            for (int k = 0; k < 3; k++) ASSERT(pose_of(system, s, 0)->turn[k][i], ==, 0);
        }
    mote_system_destroy(system);
}

TEST(half_turns_and_the_other_quaternion_of_a_turn) {
    mote_system *system = empty_system();
    const mote_transform start = MOTE_TRANSFORM_IDENTITY, half = {{0, 0, 0}, {0, 1, 0, 0}},
                         same = {{0, 0, 0}, {0, 0, 0, -2}};
    mote_collider_id id = add(system, box_at(&start));
    assert_int_equal(mote_system_move_collider(system, id, &half, STEP), MOTE_OK);
    pose_step(system, 0);
    for (uint32_t s = 0; s <= SUBSTEPS; s++) {
        /* (0, f, 0, 1 - f): by 2 atan(f / (1 - f)) about y. */
        const double f = s / (double)SUBSTEPS, angle = 2 * atan2(f, 1 - f);
        assert_close(pose_of(system, s, 0)->axis[0][0], cos(angle), 12 * 0x1p-24);
        assert_close(pose_of(system, s, 0)->axis[0][2], -sin(angle), 12 * 0x1p-24);
    }
    mote_system_destroy(system);
    system = empty_system();
    id = add(system, box_at(&start));
    assert_int_equal(mote_system_move_collider(system, id, &same, STEP), MOTE_OK);
    pose_step(system, 0);
    for (uint32_t s = 0; s <= SUBSTEPS; s++) ASSERT(pose_of(system, s, 0)->axis[0][0], ==, 1);
    mote_system_destroy(system);
}

/* At step 2 of 4 the way changes: from where it stands, to arrive at step 6. */
TEST(a_new_target_starts_where_the_collider_stands) {
    mote_system *system = empty_system();
    const mote_transform a = MOTE_TRANSFORM_IDENTITY, b = {{4, 0, 0}, {0, 0, 0, 1}},
                         c = {{0, 8, 0}, {0, 0, 0, 1}};
    mote_collider_id id = add(system, mote_sphere(a.position, 1));
    assert_int_equal(mote_system_move_collider(system, id, &b, 4 * STEP), MOTE_OK);
    assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
    assert_int_equal(mote_system_move_collider(system, id, &c, 6 * STEP), MOTE_OK);
    for (uint64_t step = 2; step < 8; step++) {
        pose_step(system, step);
        for (uint32_t s = 0; s <= SUBSTEPS; s++) {
            const double f = fmin(1, ((double)step - 2 + s / (double)SUBSTEPS) / 4);
            assert_close(pose_of(system, s, 0)->origin[0], 2 - 2 * f, TOLERANCE);
            assert_close(pose_of(system, s, 0)->origin[1], 8 * f, TOLERANCE);
        }
    }
    mote_system_destroy(system);
}

TEST(ticks_that_have_passed_mean_at_once) {
    static const uint64_t ticks[] = {0, STEP, 2 * STEP};
    for (size_t i = 0; i < COUNT_OF(ticks); i++) {
        mote_system *system = empty_system();
        const mote_transform there = {{1, 2, 3}, {0, 0, 0, 1}};
        mote_collider_id id = add(system, mote_sphere((vec3){0, 0, 0}, 1));
        assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
        assert_int_equal(mote_system_move_collider(system, id, &there, ticks[i]), MOTE_OK);
        pose_step(system, 2);
        for (uint32_t s = 0; s <= SUBSTEPS; s++)
            for (int k = 0; k < 3; k++) {
                ASSERT(pose_of(system, s, 0)->origin[k], ==, there.position[k]);
                ASSERT(pose_of(system, s, 0)->shift[k], ==, 0); /* it did not sweep what lies between */
            }
        mote_system_destroy(system);
    }
}

TEST(the_next_advance_ends_pending_motions_only) {
    const mote_transform a = MOTE_TRANSFORM_IDENTITY, b = {{8, 0, 0}, {0, 0, 0, 1}},
                         c = {{0, 4, 0}, {0, 0, 0, 1}};
    mote_motion motion = mote_motion_place(&a);
    mote_motion_target(&motion, 3 * STEP, &b, MOTE_NEXT_ADVANCE);
    assert_true(motion.pending);
    ASSERT(mote_motion_at(&motion, 5 * STEP, 0).position[0], ==, 0);
    mote_motion_target(&motion, 3 * STEP, &c, MOTE_NEXT_ADVANCE); /* changed before it began */
    mote_motion_resolve(&motion, 4 * STEP);
    assert_false(motion.pending);
    ASSERT(mote_motion_at(&motion, 3 * STEP, STEP / 4).position[1], ==, 1);
    mote_motion_resolve(&motion, 9 * STEP);
    ASSERT(mote_motion_at(&motion, 4 * STEP, 0).position[1], ==, 4);
    ASSERT(mote_motion_at(&motion, 4 * STEP, 0).position[0], ==, 0);
    /* Fractions: before, at and behind either end; ticks that wrap; ends that lie beyond each other. */
    ASSERT(mote_motion_fraction(10, 20, 5, 0), ==, 0);
    ASSERT(mote_motion_fraction(10, 20, 10, 0), ==, 0);
    ASSERT(mote_motion_fraction(10, 20, 12, 0.5), ==, 0.25f);
    ASSERT(mote_motion_fraction(10, 20, 20, 0), ==, 1);
    ASSERT(mote_motion_fraction(10, 20, 25, 0), ==, 1);
    ASSERT(mote_motion_fraction(10, 10, 10, 0), ==, 1);
    ASSERT(mote_motion_fraction(20, 10, 0, 0), ==, 1);
    ASSERT(mote_motion_fraction(0, UINT64_MAX - 1, 0, 1), <, 1e-18f);
}

/* At its end a motion is at its target to the bit, however far it came; on the way its rotation has length 1,
 * in four components that were rounded once. */
TEST(motions_end_at_their_target_and_keep_their_rotation_unit) {
    random_source random = {3};
    for (int n = 0; n < 1000; n++) {
        mote_transform from = transform_of(&random), to = transform_of(&random);
        from.position[n % 3] *= 1e20f;
        mote_motion motion = mote_motion_place(&from);
        mote_motion_target(&motion, 0, &to, STEP);
        const mote_transform middle = mote_motion_at(&motion, 0, STEP / 2),
                             end = mote_motion_at(&motion, STEP, 0);
        double square = 0;
        for (int k = 0; k < 4; k++) square += (double)middle.rotation[k] * (double)middle.rotation[k];
        assert_close(square, 1, 4 * 0x1p-24);
        assert_memory_equal(&end, &motion.to, sizeof end);
        assert_memory_equal(end.position, to.position, sizeof to.position);
    }
}

/* --- Defs --- */

TEST(defs_stand_where_their_arguments_say) {
    static const float ways[][3] = {{0, 1, 0},          {0, -1, 0},          {1, 0, 0},
                                    {0, 0, -3},         {1e-8f, -1, 0},      {1e-20f, 1e-20f, 0},
                                    {0, -1e20f, 1e20f}, {0.3f, -0.9f, 0.2f}, {1e-30f, -1, 1e-25f}};
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        const float *w = ways[i];
        const double size = sqrt((double)w[0] * w[0] + (double)w[1] * w[1] + (double)w[2] * w[2]);
        const mote_collider_def defs[2] = {mote_plane((vec3){1, 2, 3}, w),
                                           mote_capsule((vec3){0, 0, 0}, w, 0.5f)};
        for (int d = 0; d < 2; d++) {
            double up[3];
            assert_int_equal(mote_collider_check(&defs[d]), MOTE_OK);
            turn(defs[d].transform.rotation, false, (const double[3]){0, 1, 0}, up);
            for (int k = 0; k < 3; k++) assert_close(up[k], w[k] / size, 8 * 0x1p-24);
        }
        assert_close(defs[1].half_length / (size / 2), 1, 0x1p-23);
        for (int k = 0; k < 3; k++) ASSERT(defs[1].transform.position[k], ==, w[k] / 2);
        ASSERT(defs[0].transform.position[1], ==, 2);
        ASSERT(defs[0].friction, ==, 0.5f);
    }
    const mote_collider_def bead = mote_capsule((vec3){1, 1, 1}, (vec3){1, 1, 1}, 0.5f);
    ASSERT(mote_collider_check(&bead), ==, MOTE_OK);
    ASSERT(bead.half_length, ==, 0);
}

typedef struct bad_def {
    mote_collider_def def;
    mote_result code;
} bad_def;

static size_t bad_defs(bad_def *bad) {
    bad_def *next = bad;
    const mote_collider_def good[] = {mote_sphere((vec3){0, 0, 0}, 1),
                                      mote_capsule((vec3){0, 0, 0}, (vec3){1, 0, 0}, 1),
                                      mote_plane((vec3){0, 0, 0}, (vec3){0, 1, 0}),
                                      mote_box(&(mote_transform)MOTE_TRANSFORM_IDENTITY, (vec3){1, 1, 1})};
    static const float numbers[] = {NAN, INFINITY, -INFINITY, -1};
    for (size_t kind = 0; kind < COUNT_OF(good); kind++)
        for (size_t n = 0; n < COUNT_OF(numbers); n++)
            for (size_t field = 0; field < 13; field++) {
                mote_collider_def def = good[kind];
                float *fields[] = {&def.radius,
                                   &def.half_length,
                                   &def.extent[0],
                                   &def.extent[1],
                                   &def.extent[2],
                                   &def.friction,
                                   &def.transform.position[0],
                                   &def.transform.position[1],
                                   &def.transform.position[2],
                                   &def.transform.rotation[0],
                                   &def.transform.rotation[1],
                                   &def.transform.rotation[2],
                                   &def.transform.rotation[3]};
                if (n == 3 && field >= 6) continue; /* -1 is a coordinate like any other */
                *fields[field] = numbers[n];
                *next++ = (bad_def){def, n == 3 ? MOTE_ERROR_RANGE : MOTE_ERROR_NOT_FINITE};
            }
    *next++ = (bad_def){mote_sphere((vec3){0, 0, 0}, 0), MOTE_ERROR_RANGE};
    *next++ = (bad_def){mote_capsule((vec3){0, 0, 0}, (vec3){1, 0, 0}, 0), MOTE_ERROR_RANGE};
    *next++ = (bad_def){mote_plane((vec3){0, 0, 0}, (vec3){0, 0, 0}), MOTE_ERROR_RANGE};
    *next++ = (bad_def){mote_plane((vec3){0, 0, 0}, (vec3){0, NAN, 0}), MOTE_ERROR_NOT_FINITE};
    *next++ = (bad_def){mote_plane((vec3){0, 0, 0}, (vec3){INFINITY, 0, 0}), MOTE_ERROR_NOT_FINITE};
    *next++ = (bad_def){mote_capsule((vec3){0, 0, 0}, (vec3){0, INFINITY, 0}, 1), MOTE_ERROR_NOT_FINITE};
    *next = (bad_def){good[0], MOTE_ERROR_ENUM};
    next++->def.kind = MOTE_COLLIDER_KIND_COUNT;
    *next = (bad_def){good[0], MOTE_ERROR_ENUM};
    next++->def.kind = (mote_collider_kind)-1;
    *next = (bad_def){good[3], MOTE_ERROR_RANGE};
    next++->def.transform.rotation[3] = 0;
    return (size_t)(next - bad);
}

/* --- Calls --- */

TEST(wrong_defs_and_targets_are_refused) {
    static bad_def bad[256];
    const size_t count = bad_defs(bad);
    mote_system *system = empty_system();
    const mote_collider_def ball = mote_sphere((vec3){0, 0, 0}, 1);
    const mote_transform here = MOTE_TRANSFORM_IDENTITY;
    mote_collider_id id = add(system, ball), other;
    ASSERT(count, >, 180);
    for (size_t i = 0; i < count; i++) {
        const mote_transform *at = &bad[i].def.transform;
        assert_int_equal(mote_collider_check(&bad[i].def), bad[i].code);
        REFUSED(system, bad[i].code, mote_system_add_collider(system, &bad[i].def, &other));
        ASSERT(other.index, ==, 0);
        ASSERT(other.generation, ==, 0);
        REFUSED(system, bad[i].code, mote_system_set_collider(system, id, &bad[i].def));
        if (mote_motion_check(at) != MOTE_OK)
            REFUSED(system, mote_motion_check(at), mote_system_move_collider(system, id, at, STEP));
    }
    assert_int_equal(mote_collider_check(NULL), MOTE_ERROR_NULL);
    REFUSED(system, MOTE_ERROR_NULL, mote_system_add_collider(system, &ball, NULL));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_add_collider(system, NULL, &other));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_add_collider(NULL, &ball, &other));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_set_collider(system, id, NULL));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_set_collider(NULL, id, &ball));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_move_collider(system, id, NULL, STEP));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_move_collider(NULL, id, &here, STEP));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_remove_collider(NULL, id));
    mote_system_destroy(system);
}

TEST(dead_and_forged_ids_name_nothing) {
    mote_system *system = empty_system(), *stranger = empty_system();
    const mote_collider_def ball = mote_sphere((vec3){0, 0, 0}, 1);
    const mote_transform here = MOTE_TRANSFORM_IDENTITY;
    mote_collider_id id = add(system, ball), foreign = add(stranger, ball), dead = add(system, ball);
    assert_int_equal(mote_system_remove_collider(system, dead), MOTE_OK);
    mote_collider_id reused = add(system, ball);
    const mote_collider_id forged[] = {{0, 0},
                                       foreign,
                                       dead,
                                       {id.index, 0},
                                       {id.index, id.generation + 2},
                                       {id.index + 100, id.generation},
                                       {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < COUNT_OF(forged); i++) {
        REFUSED(system, MOTE_ERROR_ID, mote_system_set_collider(system, forged[i], &ball));
        REFUSED(system, MOTE_ERROR_ID, mote_system_move_collider(system, forged[i], &here, STEP));
        REFUSED(system, MOTE_ERROR_ID, mote_system_remove_collider(system, forged[i]));
    }
    assert_int_equal(mote_system_remove_collider(system, id), MOTE_OK); /* the first of two */
    assert_int_equal(mote_system_set_collider(system, reused, &ball), MOTE_OK);
    mote_system_destroy(stranger);
    mote_system_destroy(system);
}

TEST(colliders_beyond_the_largest_number_and_without_memory) {
    memory_ledger ledger = {0};
    mote_system_def def = mote_default_system_def();
    def.allocator = ledger_allocator(&ledger);
    def.substeps = SUBSTEPS;
    mote_system *system = NULL;
    mote_collider_id ids[MOTE_MAX_COLLIDERS], extra;
    const mote_collider_def ball = mote_sphere((vec3){0, 0, 0}, 1);
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    for (uint32_t i = 0; i < MOTE_MAX_COLLIDERS; i++) {
        if ((i & (i - 1)) == 0 && i != 1 && i != 2) { /* 0, 4, 8, ...: it grows */
            ledger.fail_at = ledger.calls + 1;
            REFUSED(system, MOTE_ERROR_MEMORY, mote_system_add_collider(system, &ball, &ids[i]));
            ledger.fail_at = 0;
        }
        ids[i] = add(system, ball);
    }
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_add_collider(system, &ball, &extra));
    const uint64_t calls = ledger.calls;
    mote_colliders_pose(&system->colliders, 0, STEP, SUBSTEPS);
    const mote_collider_pose *last = pose_of(system, SUBSTEPS, MOTE_MAX_COLLIDERS - 1);
    assert_true(ledger_holds(&ledger, last, sizeof *last));
    ASSERT(last->radius, ==, 1);
    assert_int_equal(mote_system_remove_collider(system, ids[7]), MOTE_OK);
    assert_int_equal(mote_system_add_collider(system, &ball, &extra), MOTE_OK);
    ASSERT(ledger.calls, ==, calls);
    mote_system_destroy(system);
    ASSERT(ledger.live_bytes, ==, 0);
    ASSERT(ledger.faults, ==, 0);
}

TEST(every_part_of_a_collider_is_state) {
    mote_system *system = empty_system();
    const uint64_t without = mote_system_hash(system);
    mote_collider_def def = mote_box(&(mote_transform)MOTE_TRANSFORM_IDENTITY, (vec3){1, 2, 3});
    const mote_transform there = {{0, 0, 1}, {0, 0, 0, 1}};
    mote_collider_id id = add(system, def);
    uint64_t seen[16];
    size_t count = 0;
    float *fields[] = {&def.radius,
                       &def.half_length,
                       &def.extent[0],
                       &def.extent[2],
                       &def.friction,
                       &def.transform.position[1],
                       &def.transform.rotation[0]};
    seen[count++] = without;
    seen[count++] = mote_system_hash(system);
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        *fields[i] += 1;
        assert_int_equal(mote_system_set_collider(system, id, &def), MOTE_OK);
        seen[count++] = mote_system_hash(system);
    }
    def.kind = MOTE_COLLIDER_SPHERE;
    assert_int_equal(mote_system_set_collider(system, id, &def), MOTE_OK);
    seen[count++] = mote_system_hash(system);
    const uint64_t ticks[] = {STEP, 2 * STEP, MOTE_NEXT_ADVANCE};
    for (size_t i = 0; i < COUNT_OF(ticks); i++) {
        assert_int_equal(mote_system_move_collider(system, id, &there, ticks[i]), MOTE_OK);
        seen[count++] = mote_system_hash(system);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) ASSERT(seen[i], !=, seen[j]);
    assert_int_equal(mote_system_set_collider(system, id, &def), MOTE_OK); /* the target is forgotten */
    ASSERT(mote_system_hash(system), ==, seen[count - 4]);
    assert_int_equal(mote_system_remove_collider(system, id), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, without);
    mote_system_destroy(system);
}

typedef struct meddler {
    mote_system *system;
    mote_collider_id id;
} meddler;

static void meddle(void *context) {
    const meddler *m = context;
    const mote_collider_def ball = mote_sphere((vec3){0, 0, 0}, 1);
    const mote_transform there = {{0, 0, 1}, {0, 0, 0, 1}};
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(m->system, &ball, &id), MOTE_ERROR_BUSY);
    assert_int_equal(mote_system_set_collider(m->system, m->id, &ball), MOTE_ERROR_BUSY);
    assert_int_equal(mote_system_move_collider(m->system, m->id, &there, STEP), MOTE_ERROR_BUSY);
    assert_int_equal(mote_system_remove_collider(m->system, m->id), MOTE_ERROR_BUSY);
}

TEST(callbacks_may_not_change_colliders) {
    mote_system *system = empty_system();
    meddler m = {.system = system, .id = add(system, mote_sphere((vec3){5, 0, 0}, 1))};
    uint32_t calls;
    assert_int_equal(scene_call_within_step(system, meddle, &m, &calls), MOTE_OK);
    ASSERT(calls, >, 0);
    ASSERT(system->colliders.count, ==, 1);
    ASSERT(system->colliders.colliders[0].motion.to.position[0], ==, 5);
    mote_system_destroy(system);
}
