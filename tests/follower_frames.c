/* Followers in frames between steps, while targets come in; followers whose system is gone. */
#include "test.h"

#include <float.h>
#include <stdlib.h>

#include "strand_picture.h"

static const double offset[3] = {0.25, 0.5, -0.125}; /* from the guide's root to the follower's */

typedef struct pair {
    mote_system *system;
    mote_strands_id id;
    mote_followers *followers;
} pair;

/* A strand with its root at (1, 0, 0) and a follower beside it. */
static pair make_pair(mote_interpolation interpolation) {
    const float at[6] = {1, 0, 0, 2, 0, 0}, beside[6] = {1.25f, 0.5f, -0.125f, 2, 1, 0};
    pair p = {.system = system_with(interpolation, (mote_jobs){0}, MOTE_ISA_AUTO)};
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = 2, def.positions = at;
    assert_int_equal(mote_system_add_strands(p.system, &def, &p.id, NULL), MOTE_OK);
    mote_followers_def followers = mote_default_followers_def();
    followers.follower_count = 1, followers.points = 2, followers.positions = beside;
    assert_int_equal(mote_followers_create(p.system, p.id, &followers, &p.followers, NULL), MOTE_OK);
    return p;
}

static void destroy_pair(const pair *p) {
    mote_followers_destroy(p->followers);
    mote_system_destroy(p->system);
}

/* Radians about z, round the origin. */
static void aim(const pair *p, double angle, uint64_t tick) {
    const mote_transform turn = {{0, 0, 0}, {0, 0, (float)sin(angle / 2), (float)cos(angle / 2)}};
    assert_int_equal(mote_strands_set_roots(p->system, p->id, &turn, 1, tick), MOTE_OK);
}

/* The angle at which the root stands at the last boundary. */
static double root_angle(const pair *p) {
    const mote_strands_view view = mote_strands_columns(p->system, p->id);
    const uint32_t root = mote_strands_slot(p->system, p->id, 0, 0);
    return atan2((double)view.position.y[root], (double)view.position.x[root]);
}

/* The follower's root stands beside its guide's as if both were one rigid body, whose angle is that of the
 * guide's root as it is presented. `turned`: the angle of the root between the boundaries, or more, T. The
 * guide's root goes along the chord, at tan a = b tan(T/2) from its middle with b = 2 alpha - 1; R turns by 2
 * atan(b tan(T/4)). The difference is b (1 - b^2) T^3 (1/24 - 1/96) + O(T^5) <= T^3 / 83. The two rotations
 * between which R is interpolated are lerps towards targets at most 2 T away, a quaternion's angle of T, so
 * their lengths are within T^2 / 8 of 1: this shifts alpha by at most T^2 / 32 and R by T^3 / 32. Together
 * below T^3 / 16. In units of u = 2^-24: R errs by 12 (see followers.c) on 0.6 m, the places, below 2 m, by 4
 * each, the guide's angle by 6: below 40. */
static void check_rigid(const pair *p, double turned) {
    const mote_strand_layout l = mote_default_strand_layout();
    float guide[6], follower[6];
    assert_int_equal(mote_strands_present(p->system, p->id, &l, guide, sizeof guide), MOTE_OK);
    assert_int_equal(mote_followers_present(p->system, p->followers, &l, follower, sizeof follower), MOTE_OK);
    const double angle = atan2((double)guide[1], (double)guide[0]), c = cos(angle), s = sin(angle);
    const double want[3] = {c * offset[0] - s * offset[1], s * offset[0] + c * offset[1], offset[2]};
    const double margin = 0.5 * (double)FLT_EPSILON * 40 + turned * turned * turned / 16;
    for (int axis = 0; axis < 3; axis++)
        ASSERT_NEAR((double)follower[axis] - (double)guide[axis], want[axis], margin);
}

/* Vertices of tangents alone are as wide as those of places alone, and are not those. */
TEST(followers_may_be_written_as_tangents_alone) {
    const pair p = make_pair(MOTE_INTERPOLATE_LINEAR);
    mote_strand_layout l = mote_default_strand_layout();
    float both[2][6], alone[2][3];
    l.stride = sizeof *both, l.position_offset = 0, l.tangent_offset = 12;
    assert_int_equal(mote_followers_present(p.system, p.followers, &l, both, sizeof both), MOTE_OK);
    l.stride = sizeof *alone, l.position_offset = MOTE_OMIT, l.tangent_offset = 0;
    assert_int_equal(mote_followers_present(p.system, p.followers, &l, alone, sizeof alone), MOTE_OK);
    for (int k = 0; k < 2; k++) {
        assert_memory_equal(alone[k], both[k] + 3, sizeof alone[k]);
        ASSERT_NEAR(alone[k][0] * alone[k][0] + alone[k][1] * alone[k][1] + alone[k][2] * alone[k][2], 1,
                    1e-6);
    }
    destroy_pair(&p);
}

/* A head that turns by one radian a second, with new targets in each frame: for its end, or for at once. */
static void run_frames(mote_interpolation interpolation, double steps_per_frame, uint64_t tick) {
    const pair p = make_pair(interpolation);
    double time = 0, angle = 0, turned = 0, most = 0;
    uint32_t still = 0;
    for (int frame = 0; frame < 60; frame++) {
        mote_advance clock;
        time += steps_per_frame / 64;
        aim(&p, time, tick);
        check_rigid(&p, turned);
        assert_int_equal(mote_system_advance(p.system, (uint64_t)(steps_per_frame * STEP), &clock), MOTE_OK);
        if (clock.steps) turned = root_angle(&p) - angle, angle += turned;
        if (turned > most) most = turned;
        still += clock.steps == 0;
        check_rigid(&p, turned);
        aim(&p, time, tick);
        aim(&p, time + 0.01, tick);
        check_rigid(&p, turned);
    }
    ASSERT(most, >, 0.01);
    ASSERT(most, <, 0.1);
    if (steps_per_frame < 0.5) ASSERT(still, >=, 40);
    destroy_pair(&p);
}

TEST(followers_and_guides_are_one_rigid_body_in_frames_between_steps) {
    static const double steps[] = {0.25, 0.3, 0.8, 2.7};
    for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++)
        for (size_t i = 0; i < COUNT_OF(steps); i++) {
            run_frames((mote_interpolation)mode, steps[i], MOTE_NEXT_ADVANCE);
            run_frames((mote_interpolation)mode, steps[i], 0);
        }
}

/* Two targets at one boundary, 2.25 radians each, lead past the half turn: half way the picture is on the
 * shorter side. A reset takes it there at once. Chord and lerp have one middle: only rounding is left. */
TEST(targets_past_the_half_turn_turn_the_shorter_way) {
    const pair p = make_pair(MOTE_INTERPOLATE_LINEAR);
    mote_advance clock;
    aim(&p, 2.25, 0);
    aim(&p, 4.5, 0);
    assert_int_equal(mote_system_advance(p.system, STEP + STEP / 2, &clock), MOTE_OK);
    ASSERT(clock.steps, ==, 1);
    ASSERT(clock.alpha, ==, 0.5f);
    ASSERT_NEAR(root_angle(&p), -1.783, 0.001);
    check_rigid(&p, 0);
    aim(&p, 1, 0);
    check_rigid(&p, 0);
    assert_int_equal(mote_strands_reset(p.system, p.id, MOTE_ALL_STRANDS), MOTE_OK);
    ASSERT_NEAR(root_angle(&p), 1, 0.001);
    check_rigid(&p, 0);
    destroy_pair(&p);
}

/* The first allocation of every system is in one place, the others are in the C library's memory. */
typedef struct stand {
    MOTE_ALIGNED(64) unsigned char memory[1 << 16];
    bool taken;
} stand;

static void *stand_allocate(void *user, size_t bytes, size_t alignment) {
    stand *s = user;
    if (s->taken || bytes > sizeof s->memory)
        return aligned_alloc(alignment, mote_round_up(bytes, alignment));
    s->taken = true;
    return s->memory;
}

static void stand_release(void *user, void *pointer, size_t bytes) {
    stand *s = user;
    (void)bytes;
    if (pointer == s->memory) s->taken = false;
    if (pointer != s->memory) free(pointer);
}

static mote_system *system_on(stand *s) {
    mote_system_def def = mote_default_system_def();
    def.allocator = (mote_allocator){s, stand_allocate, stand_release};
    mote_system *system;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    ASSERT((void *)system, ==, (void *)s->memory);
    return system;
}

/* The second system may be at the address of the first. Its strands are more, longer, or others of the same
 * sizes. */
TEST(followers_of_a_system_that_is_gone_are_refused_by_another_in_its_place) {
    static stand place;
    static strands s, other;
    static float got[3 * MOST_STRANDS * LONGEST];
    const mote_strand_layout l = mote_default_strand_layout();
    make_strands(&s, 8, 9, 3);
    mote_followers_def def = mote_default_followers_def();
    def.follower_count = 8, def.follower_points = s.points, def.positions = s.positions;
    for (int change = 0; change < 4; change++) {
        mote_followers *followers;
        mote_system *system = system_on(&place);
        const mote_strands_id id = add_strands(system, &s);
        assert_int_equal(mote_followers_create(system, id, &def, &followers, NULL), MOTE_OK);
        assert_int_equal(mote_followers_present(system, followers, &l, got, sizeof got), MOTE_OK);
        mote_system_destroy(system);
        make_strands(&other, change == 0 ? MOST_STRANDS : 8, change == 1 ? LONGEST : 9, 3);
        if (change == 2) other.positions[3 * other.first[8] - 1] += 0.125f;
        if (change == 3)
            memcpy(other.points, s.points, sizeof s.points), other.points[0]++, other.points[1]--;
        system = system_on(&place);
        const mote_strands_id again = add_strands(system, &other);
        ASSERT(again.index, ==, id.index);
        ASSERT(again.generation, !=, id.generation);
        memset(got, 0x5a, sizeof got);
        assert_int_equal(mote_followers_present(system, followers, &l, got, sizeof got), MOTE_ERROR_ID);
        for (size_t i = 0; i < sizeof got; i++) ASSERT(((unsigned char *)got)[i], ==, 0x5a);
        mote_system_destroy(system);
        mote_followers_destroy(followers);
    }
}

/* Followers made on one system go on with a snapshot of another one that has the same strands, as in a
 * rollback by a fresh system. */
TEST(followers_outlive_the_snapshot_of_another_system) {
    static stand place[2];
    static strands s;
    static float got[2][3 * MOST_STRANDS * LONGEST];
    const mote_strand_layout l = mote_default_strand_layout();
    make_strands(&s, 8, 9, 3);
    mote_followers_def def = mote_default_followers_def();
    def.follower_count = 8, def.follower_points = s.points, def.positions = s.positions;
    mote_followers *followers[2];
    mote_system *system[2];
    for (int i = 0; i < 2; i++) {
        system[i] = system_on(&place[i]);
        const mote_strands_id id = add_strands(system[i], &s);
        assert_int_equal(mote_followers_create(system[i], id, &def, &followers[i], NULL), MOTE_OK);
    }
    assert_int_equal(mote_system_step(system[1], 5, NULL), MOTE_OK);
    size_t bytes;
    assert_int_equal(mote_system_snapshot_bytes(system[1], &bytes), MOTE_OK);
    void *memory = malloc(bytes);
    assert_int_equal(mote_system_save(system[1], 0, memory, bytes, NULL), MOTE_OK);
    assert_int_equal(mote_system_restore(system[0], memory, bytes, NULL), MOTE_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(mote_followers_present(system[i], followers[i], &l, got[i], sizeof got[i]), MOTE_OK);
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    for (int i = 0; i < 2; i++) mote_system_destroy(system[i]), mote_followers_destroy(followers[i]);
    free(memory);
}
