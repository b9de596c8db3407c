/* Colliders: where they stand at every boundary, the calls and their refusals, the hash. */
#include "test.h"

#include <string.h>

#include "contact_shapes.h"
#include "contacts/colliders.h"
#include "contacts/depth.h"
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

static mote_transform upright(float x, float y, float z) { return (mote_transform){{x, y, z}, {0, 0, 0, 1}}; }

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
static const double SPOT_TOLERANCE = 2 * 0x1p-24 * 8 + 2.3 * 12 * 0x1p-24;

static const mote_collider_pose *pose_of(mote_system *system, uint32_t row, uint32_t place) {
    return &system->colliders.poses[row * system->colliders.list.count + place];
}

static mote_system *empty_system(void) {
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = (mote_rate){1000, 1}; /* a tick is a nanosecond, a step a million of them */
    def.substeps = SUBSTEPS;
    mote_system *system = NULL;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    ASSERT(system->clock.ticks_per_step, ==, STEP);
    return system;
}

static mote_collider_id add(mote_system *system, mote_collider_def def) {
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(system, &def, &id), MOTE_OK);
    return id;
}

static mote_collider_def unit_ball(void) { return mote_sphere((float[3]){0, 0, 0}, 1); }

static void move(mote_system *system, mote_collider_id id, mote_transform to, uint64_t tick) {
    assert_int_equal(mote_system_move_collider(system, id, &to, tick), MOTE_OK);
}

/* A system with a box of edges of 2 m that moves from `from` to `to`, where it arrives at `tick`. */
static mote_system *moving_box(mote_transform from, mote_transform to, uint64_t tick) {
    mote_system *system = empty_system();
    move(system, add(system, mote_box(&from, (float[3]){1, 1, 1})), to, tick);
    return system;
}

static void pose_step(mote_system *system, uint64_t step) {
    mote_colliders_poses(&system->colliders, step * STEP, STEP, SUBSTEPS);
}

TEST(colliders_move_in_a_straight_line_along_the_shorter_arc) {
    random_source random = {1};
    for (int n = 0; n < 50; n++) {
        const mote_transform from = transform_of(&random), to = transform_of(&random);
        mote_system *system = moving_box(from, to, 2 * STEP + STEP / 2); /* ends between two boundaries */
        add(system, unit_ball());
        double want[3], got[3];
        for (uint64_t step = 0; step < 4; step++) {
            pose_step(system, step);
            for (uint32_t s = 0; s <= SUBSTEPS; s++) {
                const double f = ((double)step + s / (double)SUBSTEPS) / 2.5;
                expected_at(&from, &to, f < 1 ? f : 1, SPOT, want);
                spot_of(pose_of(system, s, 0), got);
                for (int k = 0; k < 3; k++) ASSERT_NEAR(got[k], want[k], SPOT_TOLERANCE);
            }
        }
        mote_system_destroy(system);
    }
}

/* Row s says how it came from row s - 1, and the rows are one motion. */
TEST(poses_carry_what_happened_since_the_boundary_before) {
    random_source random = {2};
    const mote_transform from = transform_of(&random), to = transform_of(&random);
    mote_system *system = moving_box(from, to, STEP);
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
            ASSERT_NEAR(moved, is[i], SPOT_TOLERANCE);
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

/* (0, f, 0, 1 - f) turns by 2 atan(f / (1 - f)) about y; (0, 0, 0, -2) is no turn, to the bit. */
TEST(half_turns_go_round_and_the_other_quaternion_of_no_turn_stays) {
    for (int half = 0; half < 2; half++) {
        const mote_transform to = {{0, 0, 0}, {0, (float)half, 0, half ? 0 : -2}};
        mote_system *system = moving_box(upright(0, 0, 0), to, STEP);
        pose_step(system, 0);
        for (uint32_t s = 0; s <= SUBSTEPS; s++) {
            const double f = s / (double)SUBSTEPS, angle = half ? 2 * atan2(f, 1 - f) : 0;
            ASSERT_NEAR(pose_of(system, s, 0)->axis[0][0], cos(angle), half * 12 * 0x1p-24);
            ASSERT_NEAR(pose_of(system, s, 0)->axis[0][2], -sin(angle), half * 12 * 0x1p-24);
        }
        mote_system_destroy(system);
    }
}

/* Half a turn about x in a substep is no twist of a capsule about its axis, y: it starts where it was. */
TEST(a_capsule_that_is_turned_over_at_once_keeps_its_start) {
    mote_system *system = empty_system();
    const mote_transform over = {{0, 0, 0}, {1, 0, 0, 0}};
    move(system, add(system, mote_capsule((float[3]){0, -1, 0}, (float[3]){0, 1, 0}, 1)), over,
         STEP / SUBSTEPS);
    pose_step(system, 0);
    const mote_collider_pose *pose = pose_of(system, 1, 0);
    for (int k = 0; k < 9; k++) ASSERT(pose->start[k / 3][k % 3], ==, pose->before[k / 3][k % 3]);
    ASSERT(pose->axis[1][1], ==, -1);
    mote_system_destroy(system);
}

/* At step 2 of 4 the way changes: from where it stands, to arrive at step 6. */
TEST(a_new_target_starts_where_the_collider_stands) {
    mote_system *system = empty_system();
    const mote_collider_id id = add(system, unit_ball());
    move(system, id, upright(4, 0, 0), 4 * STEP);
    assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
    move(system, id, upright(0, 8, 0), 6 * STEP);
    for (uint64_t step = 2; step < 8; step++) {
        pose_step(system, step);
        for (uint32_t s = 0; s <= SUBSTEPS; s++) {
            const double f = fmin(1, ((double)step - 2 + s / (double)SUBSTEPS) / 4);
            ASSERT_NEAR(pose_of(system, s, 0)->origin[0], 2 - 2 * f, TOLERANCE);
            ASSERT_NEAR(pose_of(system, s, 0)->origin[1], 8 * f, TOLERANCE);
        }
    }
    mote_system_destroy(system);
}

/* The collider does not sweep the space between. */
TEST(ticks_that_have_passed_mean_at_once) {
    for (uint64_t tick = 0; tick <= 2 * STEP; tick += STEP) {
        mote_system *system = empty_system();
        const mote_collider_id id = add(system, unit_ball());
        assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
        move(system, id, upright(1, 2, 3), tick);
        pose_step(system, 2);
        for (uint32_t s = 0; s <= SUBSTEPS; s++)
            for (int k = 0; k < 3; k++) {
                ASSERT(pose_of(system, s, 0)->origin[k], ==, k + 1);
                ASSERT(pose_of(system, s, 0)->shift[k], ==, 0);
            }
        mote_system_destroy(system);
    }
}

TEST(the_next_advance_ends_pending_motions_only) {
    const mote_transform a = upright(0, 0, 0), b = upright(8, 0, 0), c = upright(0, 4, 0);
    mote_motion motion = mote_motion_place(&a);
    mote_motion_target(&motion, 3 * STEP, &b, MOTE_NEXT_ADVANCE);
    assert_true(mote_travel_is_pending(motion.travel.to_tick));
    ASSERT(mote_motion_at(&motion, 5 * STEP, 0).position[0], ==, 0);
    mote_motion_target(&motion, 3 * STEP, &c, MOTE_NEXT_ADVANCE); /* changed before it began */
    mote_travel_resolve(&motion.travel.to_tick, 4 * STEP);
    assert_false(mote_travel_is_pending(motion.travel.to_tick));
    ASSERT(mote_motion_at(&motion, 3 * STEP, STEP / 4).position[1], ==, 1);
    mote_travel_resolve(&motion.travel.to_tick, 9 * STEP);
    ASSERT(mote_motion_at(&motion, 4 * STEP, 0).position[1], ==, 4);
    ASSERT(mote_motion_at(&motion, 4 * STEP, 0).position[0], ==, 0);
}

/* Ticks that wrap count as any others; one row ends before it begins, one is pending, one is so long that the
 * fraction is 0 but for a rounding. */
TEST(fractions_of_a_motion_are_0_before_it_and_1_behind_it) {
    static const struct {
        uint64_t from, to, at;
        double within;
        float want;
    } rows[] = {{10, 20, 5, 0, 0},           {10, 20, 10, 0, 0},
                {10, 20, 12, 0.5, 0.25f},    {10, 20, 20, 0, 1},
                {10, 20, 25, 0, 1},          {10, 10, 10, 0, 1},
                {20, 10, 0, 0, 1},           {0, MOTE_NEXT_ADVANCE, 1u << 30, 0, 0},
                {0, INT64_MAX, 0, 1, 0},     {UINT64_MAX - 3, 6, UINT64_MAX - 1, 0.5, 0.25f},
                {UINT64_MAX - 3, 6, 7, 0, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        test_case("row %zu", i);
        ASSERT_NEAR(mote_travel_fraction(rows[i].from, rows[i].to, rows[i].at, rows[i].within), rows[i].want,
                    rows[i].to == INT64_MAX ? 1e-18 : 0);
    }
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
        ASSERT_NEAR(square, 1, 4 * 0x1p-24);
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
        const mote_collider_def defs[2] = {mote_plane((float[3]){1, 2, 3}, w),
                                           mote_capsule((float[3]){0, 0, 0}, w, 0.5f)};
        for (int d = 0; d < 2; d++) {
            double up[3];
            assert_int_equal(mote_collider_check(&defs[d], NULL), MOTE_OK);
            turn(defs[d].transform.rotation, false, (const double[3]){0, 1, 0}, up);
            for (int k = 0; k < 3; k++) ASSERT_NEAR(up[k], w[k] / size, 8 * 0x1p-24);
        }
        ASSERT_NEAR(defs[1].half_length / (size / 2), 1, 0x1p-23);
        for (int k = 0; k < 3; k++) ASSERT(defs[1].transform.position[k], ==, w[k] / 2);
        ASSERT(defs[0].transform.position[1], ==, 2);
        ASSERT(defs[0].friction, ==, 0.5f);
    }
    const mote_collider_def bead = mote_capsule((float[3]){1, 1, 1}, (float[3]){1, 1, 1}, 0.5f);
    ASSERT(mote_collider_check(&bead, NULL), ==, MOTE_OK);
    ASSERT(bead.half_length, ==, 0);
}

/* Inside, beside an edge and beyond a corner. */
TEST(a_depth_is_the_distance_from_the_nearest_surface) {
    random_source random = {4};
    const mote_transform here = upright(0, 0, 0);
    const float middle[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    mote_collider_def box = mote_box(&here, (float[3]){1, 2, 0.5f}), rounded = box;
    rounded.radius = 0.3f;
    const mote_collider_def shapes[] = {mote_sphere(middle, 1.5f), mote_capsule(middle, up, 0.5f),
                                        mote_plane(middle, up), box, rounded};
    for (uint32_t n = 0; n < 500 * COUNT_OF(shapes); n++) {
        mote_collider_def def = shapes[n % COUNT_OF(shapes)];
        def.transform = transform_of(&random);
        const mote_motion motion = mote_motion_place(&def.transform);
        mote_placement at = mote_motion_placement(&motion, 0, 0);
        double x[3], q[3], square = 0;
        for (int k = 0; k < 4; k++) square += at.rotation[k] * at.rotation[k];
        for (int k = 0; k < 4; k++) at.rotation[k] /= sqrt(square);
        for (int k = 0; k < 3; k++) x[k] = at.position[k] + (double)random_between(&random, -3, 3);
        localise(&def.transform, x, q);
        ASSERT_NEAR(mote_collider_depth(&def, &at, x), -distance(&def, 0, q), 1e-5);
    }
}

/* --- Calls --- */

/* The numbers of a def: its sizes and friction, then its place. */
enum { SIZES = 6, FIELDS = 13 };
static float *field_of(mote_collider_def *def, uint32_t i) {
    float *const sizes[SIZES] = {&def->radius,    &def->half_length, def->extent,
                                 def->extent + 1, def->extent + 2,   &def->friction};
    return i < SIZES ? sizes[i] : i < 9 ? def->transform.position + i - 6 : def->transform.rotation + i - 9;
}

/* The check, adding, setting and, where the place is wrong, moving must return this code. */
static void refuse(mote_system *system, mote_collider_id id, mote_collider_def def, mote_result code) {
    mote_collider_id other = {5, 5};
    const mote_result place = mote_motion_check(&def.transform);
    assert_int_equal(mote_collider_check(&def, NULL), code);
    REFUSED(system, code, mote_system_add_collider(system, &def, &other));
    ASSERT(other.index, ==, 0);
    ASSERT(other.generation, ==, 0);
    REFUSED(system, code, mote_system_set_collider(system, id, &def));
    if (place != MOTE_OK) REFUSED(system, place, mote_system_move_collider(system, id, &def.transform, STEP));
}

TEST(wrong_defs_and_targets_are_refused) {
    static const float numbers[] = {NAN, INFINITY, -INFINITY, -1}; /* -1 may be a coordinate */
    const mote_transform here = upright(0, 0, 0);
    const mote_collider_def good[] = {unit_ball(), mote_capsule((float[3]){0, 0, 0}, (float[3]){1, 0, 0}, 1),
                                      mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}),
                                      mote_box(&here, (float[3]){1, 1, 1})};
    mote_system *system = empty_system();
    mote_collider_id id = add(system, good[0]), other;
    for (uint32_t n = 0; n < 4 * COUNT_OF(good) * FIELDS; n++) {
        const uint32_t number = n % 4, kind = n / 4 % COUNT_OF(good), field = n / 4 / COUNT_OF(good);
        mote_collider_def def = good[kind];
        if (number == 3 && field >= SIZES) continue;
        test_case("kind %u, field %u, number %u", kind, field, number);
        *field_of(&def, field) = numbers[number];
        refuse(system, id, def, number == 3 ? MOTE_ERROR_RANGE : MOTE_ERROR_NOT_FINITE);
    }
    mote_collider_def kinds[2] = {good[0], good[0]}, still = good[3];
    kinds[0].kind = MOTE_COLLIDER_KIND_COUNT, kinds[1].kind = (mote_collider_kind)-1;
    still.transform.rotation[3] = 0;
    refuse(system, id, kinds[0], MOTE_ERROR_ENUM);
    refuse(system, id, kinds[1], MOTE_ERROR_ENUM);
    refuse(system, id, still, MOTE_ERROR_RANGE);
    refuse(system, id, mote_sphere((float[3]){0, 0, 0}, 0), MOTE_ERROR_RANGE);
    refuse(system, id, mote_capsule((float[3]){0, 0, 0}, (float[3]){1, 0, 0}, 0), MOTE_ERROR_RANGE);
    refuse(system, id, mote_plane((float[3]){0, 0, 0}, (float[3]){0, 0, 0}), MOTE_ERROR_RANGE);
    refuse(system, id, mote_plane((float[3]){0, 0, 0}, (float[3]){0, NAN, 0}), MOTE_ERROR_NOT_FINITE);
    refuse(system, id, mote_plane((float[3]){0, 0, 0}, (float[3]){INFINITY, 0, 0}), MOTE_ERROR_NOT_FINITE);
    refuse(system, id, mote_capsule((float[3]){0, 0, 0}, (float[3]){0, INFINITY, 0}, 1),
           MOTE_ERROR_NOT_FINITE);
    REFUSALS(system, REFUSES(NULL, mote_collider_check(NULL, NULL)),
             REFUSES(NULL, mote_system_add_collider(system, good, NULL)),
             REFUSES(NULL, mote_system_add_collider(system, NULL, &other)),
             REFUSES(NULL, mote_system_add_collider(NULL, good, &other)),
             REFUSES(NULL, mote_system_set_collider(system, id, NULL)),
             REFUSES(NULL, mote_system_move_collider(system, id, NULL, STEP)));
    mote_system_destroy(system);
}

/* A box has a volume, or is a plate of any size, or has a radius around what it is. */
TEST(boxes_of_a_single_edge_need_a_radius) {
    const mote_transform here = upright(0, 0, 0);
    for (uint32_t edges = 0; edges < 8; edges++)
        for (int power = -20; power <= 20; power += 5) {
            const float edge = ldexpf(1, power);
            mote_collider_def box =
                mote_box(&here, (float[3]){edge * (float)(edges & 1), edge * (float)(edges >> 1 & 1),
                                           edge * (float)(edges >> 2)});
            test_case("edges %u of %g m", edges, (double)edge);
            const bool is_line = edges == 0 || edges == 1 || edges == 2 || edges == 4;
            assert_int_equal(mote_collider_check(&box, NULL), is_line ? MOTE_ERROR_RANGE : MOTE_OK);
            box.radius = edge;
            assert_int_equal(mote_collider_check(&box, NULL), MOTE_OK);
        }
}

/* Every call that takes an id must return this code. */
static void every_call_returns(mote_result code, mote_system *system, mote_collider_id id) {
    const mote_collider_def ball = unit_ball();
    const mote_transform there = upright(0, 0, 1);
    REFUSALS(system, RETURNS(code, mote_system_set_collider(system, id, &ball)),
             RETURNS(code, mote_system_move_collider(system, id, &there, STEP)),
             RETURNS(code, mote_system_remove_collider(system, id)));
}

TEST(ids_of_removed_foreign_and_no_colliders_are_refused) {
    mote_system *system = empty_system(), *stranger = empty_system();
    const mote_collider_def ball = unit_ball();
    mote_collider_id id = add(system, ball), foreign = add(stranger, ball), removed = add(system, ball);
    assert_int_equal(mote_system_remove_collider(system, removed), MOTE_OK);
    mote_collider_id reused = add(system, ball);
    const uint32_t index = id.index, generation = id.generation;
    const mote_collider_id wrong[] = {{0, 0},
                                      foreign,
                                      removed,
                                      {index, 0},
                                      {index, generation + 2},
                                      {index + 100, generation},
                                      {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) every_call_returns(MOTE_ERROR_ID, system, wrong[i]);
    every_call_returns(MOTE_ERROR_NULL, NULL, id);
    assert_int_equal(mote_system_remove_collider(system, id), MOTE_OK); /* the first of two */
    assert_int_equal(mote_system_set_collider(system, reused, &ball), MOTE_OK);
    mote_system_destroy(stranger);
    mote_system_destroy(system);
}

TEST(a_collider_too_many_and_one_without_memory_are_refused) {
    memory_ledger ledger = {0};
    mote_system_def def = mote_default_system_def();
    def.allocator = ledger_allocator(&ledger);
    def.substeps = SUBSTEPS;
    mote_system *system = NULL;
    mote_collider_id ids[MOTE_MAX_COLLIDERS], extra;
    const mote_collider_def ball = unit_ball();
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
    mote_colliders_poses(&system->colliders, 0, STEP, SUBSTEPS);
    const mote_collider_pose *last = pose_of(system, SUBSTEPS, MOTE_MAX_COLLIDERS - 1);
    assert_true(ledger_holds(&ledger, last, sizeof *last));
    ASSERT(last->radius, ==, 1);
    assert_int_equal(mote_system_remove_collider(system, ids[7]), MOTE_OK);
    assert_int_equal(mote_system_add_collider(system, &ball, &extra), MOTE_OK);
    ASSERT(ledger.calls, ==, calls);
    mote_system_destroy(system);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0);
}

TEST(every_part_of_a_collider_counts_in_the_hash) {
    static const uint64_t ticks[] = {STEP, 2 * STEP, MOTE_NEXT_ADVANCE};
    mote_system *system = empty_system();
    const mote_transform here = upright(0, 0, 0);
    mote_collider_def def = mote_box(&here, (float[3]){1, 2, 3});
    uint64_t seen[FIELDS + 6];
    size_t count = 0;
    seen[count++] = mote_system_hash(system);
    mote_collider_id id = add(system, def);
    seen[count++] = mote_system_hash(system);
    for (uint32_t i = 0; i <= FIELDS; i++) {
        if (i < FIELDS) *field_of(&def, i) += 1;
        if (i == FIELDS) def.kind = MOTE_COLLIDER_SPHERE;
        assert_int_equal(mote_system_set_collider(system, id, &def), MOTE_OK);
        seen[count++] = mote_system_hash(system);
    }
    for (size_t i = 0; i < COUNT_OF(ticks); i++) {
        move(system, id, upright(0, 0, 1), ticks[i]);
        seen[count++] = mote_system_hash(system);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) ASSERT(seen[i], !=, seen[j]);
    assert_int_equal(mote_system_set_collider(system, id, &def), MOTE_OK); /* the target is forgotten */
    ASSERT(mote_system_hash(system), ==, seen[count - 4]);
    assert_int_equal(mote_system_remove_collider(system, id), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, seen[0]);
    mote_system_destroy(system);
}

typedef struct host {
    mote_system *system;
    mote_collider_id id;
} host;

static void call_back(void *context) {
    const host *h = context;
    const mote_collider_def ball = unit_ball();
    mote_collider_id id;
    every_call_returns(MOTE_ERROR_BUSY, h->system, h->id);
    assert_int_equal(mote_system_add_collider(h->system, &ball, &id), MOTE_ERROR_BUSY);
}

TEST(calls_from_inside_a_step_are_refused) {
    mote_system *system = empty_system();
    host h = {.system = system, .id = add(system, mote_sphere((float[3]){5, 0, 0}, 1))};
    uint32_t calls;
    assert_int_equal(scene_call_within_step(system, call_back, &h, &calls), MOTE_OK);
    ASSERT(calls, >, 0);
    ASSERT(system->colliders.list.count, ==, 1);
    ASSERT(mote_collider_at(&system->colliders, 0)->motion.to.position[0], ==, 5);
    mote_system_destroy(system);
}
