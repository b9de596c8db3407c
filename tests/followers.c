/* Followers: carried by their guides, wherever those stand; nearest guides; what is refused. */
#include "test.h"

#include <float.h>
#include <stdlib.h>

#include "base/allocator.h"
#include "strands/nearest.h"
#include "strand_picture.h"

#define ULP (0.5 * (double)FLT_EPSILON)

static mote_followers_def def_of(const strands *s) {
    mote_followers_def def = mote_default_followers_def();
    def.follower_count = s->def.strand_count;
    def.follower_points = s->points;
    def.positions = s->positions;
    return def;
}

static mote_followers *create(mote_system *system, mote_strands_id id, const mote_followers_def *def) {
    mote_followers *followers;
    assert_int_equal(mote_followers_create(system, id, def, &followers, NULL), MOTE_OK);
    assert_int_equal(mote_followers_count(followers), def->follower_count);
    return followers;
}

/* Packed positions; the caller frees them. */
static float *present(const mote_system *system, mote_followers *followers) {
    const mote_strand_layout l = mote_default_strand_layout();
    const size_t bytes = 12 * (size_t)mote_followers_vertex_count(followers, l.shape);
    float *got = malloc(bytes + 4);
    assert_non_null(got);
    memset(got, 0xa5, bytes + 4);
    assert_int_equal(mote_followers_present(system, followers, &l, got, bytes), MOTE_OK);
    for (int i = 0; i < 4; i++) assert_int_equal(((unsigned char *)got)[bytes + (size_t)i], 0xa5);
    return got;
}

/* --- One guide --- */

/* Each follower has the rest shape of one strand: in every layout it is that strand, bit for bit. */
TEST(a_follower_with_its_guides_shape_is_its_guide) {
    static strands s;
    static uint32_t guides[3 * MOST_STRANDS];
    for (int round = 0; round < 2; round++)
        for (int kind = 0; kind < LAYOUTS; kind++) {
            make_strands(&s, 45, LONGEST, 3);
            for (uint32_t i = 0; i < 45 && round; i++) s.points[i] = 37, s.first[i + 1] = 37 * (i + 1);
            for (uint32_t i = 0; i < 3 * 45; i++) guides[i] = i % 3 ? MOTE_NO_GUIDE : i / 3;
            mote_system *system = plain_system();
            mote_strands_id id = add_strands(system, &s);
            mote_followers_def def = def_of(&s);
            def.guides = guides;
            if (round) def.follower_points = NULL, def.points = 37;
            mote_followers *followers = create(system, id, &def);
            scatter_points(system, id, 4);
            set_alpha(system, 0.5);
            const mote_strand_layout l = layout_of(kind);
            const size_t bytes = (size_t)mote_strands_vertex_count(system, id, l.shape) * l.stride;
            unsigned char *want = malloc(bytes), *got = malloc(bytes);
            memset(want, 0x5a, bytes), memset(got, 0x5a, bytes);
            assert_int_equal(mote_strands_present(system, id, &l, want, bytes), MOTE_OK);
            assert_int_equal(mote_followers_present(system, followers, &l, got, bytes), MOTE_OK);
            assert_memory_equal(got, want, bytes);
            assert_int_equal(mote_followers_present(system, followers, &l, got, bytes - 1),
                             MOTE_ERROR_BUFFER);
            free(want), free(got);
            mote_followers_destroy(followers);
            mote_system_destroy(system);
        }
}

/* --- The equation --- */

/* R of a quaternion of any length, applied. */
static void rotate(const double q[4], const double v[3], double out[3]) {
    const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const double dot = q[0] * v[0] + q[1] * v[1] + q[2] * v[2];
        const double across = q[b] * v[c] - q[c] * v[b];
        out[a] = ((q[3] * q[3] * 2 - n) * v[a] + 2 * dot * q[a] + 2 * q[3] * across) / n;
    }
}

/* Place j of n on a polyline of m points. */
static void along(const double *x, uint32_t m, uint32_t j, uint32_t n, double out[3]) {
    const double t = (double)j * (m - 1) / (n - 1);
    uint32_t k = (uint32_t)t;
    if (k > m - 2) k = m - 2;
    for (uint32_t axis = 0; axis < 3; axis++)
        out[axis] = x[3 * k + axis] + (t - k) * (x[3 * k + 3 + axis] - x[3 * k + axis]);
}

/* The header's sum for one point, with these weights, in double. */
static void expect_point(mote_system *system, mote_strands_id id, const strands *guides,
                         const mote_followers *followers, const float *rest, uint32_t follower, uint32_t j,
                         uint32_t n, const double q[4], float alpha, double out[3]) {
    uint32_t guide[3];
    float weight[3];
    double offset[3], turned[3], sum = 0;
    assert_int_equal(mote_followers_guides(followers, follower, guide, weight), MOTE_OK);
    for (int axis = 0; axis < 3; axis++) out[axis] = 0, offset[axis] = (double)rest[axis];
    for (int i = 0; i < 3 && guide[i] != MOTE_NO_GUIDE; i++) sum += (double)weight[i];
    ASSERT(fabs(sum - 1), <=, 3 * ULP);
    for (int i = 0; i < 3 && guide[i] != MOTE_NO_GUIDE; i++) {
        double now[3 * LONGEST], before[3 * LONGEST], g[3], G[3];
        const uint32_t m = guides->points[guide[i]];
        for (uint32_t k = 0; k < m; k++) {
            float x[3];
            presented(system, id, guide[i], k, alpha, x);
            for (uint32_t axis = 0; axis < 3; axis++) {
                now[3 * k + axis] = (double)x[axis];
                before[3 * k + axis] = (double)position_of(guides, guide[i], k)[axis];
            }
        }
        along(now, m, j, n, g), along(before, m, j, n, G);
        for (int axis = 0; axis < 3; axis++) {
            out[axis] += (double)weight[i] / sum * g[axis];
            offset[axis] -= (double)weight[i] / sum * G[axis];
        }
    }
    rotate(q, offset, turned);
    for (int axis = 0; axis < 3; axis++) out[axis] += turned[axis];
}

/* Coordinates are below 12 m, so offsets below 12 + 3 x 12 = 48 m in each and 84 m together. In units of u =
 * 2^-24: R errs by about 12 (two rounded quaternions and ten operations), so R o by 12 + 5 on 84 m; weights
 * by 4 on 24 m differences; lerps and sums by 10 on 48 m. Twice that as bound. */
#define ROOM (2 * ULP * (17 * 84 + 4 * 2 * 24 + 10 * 48))

static void check_all(mote_system *system, mote_strands_id id, const strands *guides,
                      mote_followers *followers, const strands *f, const double q[4], float alpha) {
    float *got = present(system, followers);
    for (uint32_t i = 0; i < f->def.strand_count; i++)
        for (uint32_t j = 0; j < f->points[i]; j++) {
            double want[3];
            expect_point(system, id, guides, followers, position_of(f, i, j), i, j, f->points[i], q, alpha,
                         want);
            for (uint32_t axis = 0; axis < 3; axis++)
                ASSERT(fabs((double)got[3 * (f->first[i] + j) + axis] - want[axis]), <=, ROOM);
        }
    free(got);
}

TEST(the_sum_of_the_header) {
    static strands s, f;
    static uint32_t guides[3 * MOST_STRANDS];
    static float weights[3 * MOST_STRANDS];
    const mote_transform turn = {{0, 0, 0}, {0.5f, -1, 0.25f, 2}};
    const double q[4] = {0.5, -1, 0.25, 2};
    random_source random = {6};
    for (int round = 0; round < 4; round++) {
        make_strands(&s, 45, round == 2 ? 20 : LONGEST, 3);
        make_strands(&f, 70, round == 3 ? 20 : LONGEST, 4);
        for (uint32_t i = 0; i < 70 && round > 1; i++) f.points[i] = 33, f.first[i + 1] = 33 * (i + 1);
        for (uint32_t i = 0; i < 3 * 70; i++) {
            guides[i] = random_below(&random, 6) ? random_below(&random, 45) : MOTE_NO_GUIDE;
            weights[i] = random_below(&random, 5) ? random_between(&random, 0.1f, 3) : 0;
            if (i % 3 == 1) guides[i] = random_below(&random, 45), weights[i] = 0.75f;
        }
        mote_system *system = plain_system();
        mote_strands_id id = add_strands(system, &s);
        mote_followers_def def = def_of(&f);
        if (round > 1) def.follower_points = NULL, def.points = 33;
        if (round % 2) def.guides = guides, def.weights = weights;
        mote_followers *followers = create(system, id, &def);
        assert_int_equal(mote_strands_set_roots(system, id, &turn, 1, 0), MOTE_OK);
        assert_int_equal(mote_strands_reset(system, id, MOTE_ALL_STRANDS), MOTE_OK);
        scatter_points(system, id, 9);
        set_alpha(system, 0.25);
        check_all(system, id, &s, followers, &f, q, 0.25f);
        mote_followers_destroy(followers);
        mote_system_destroy(system);
    }
}

/* x -> R x + T for the head carries r to R r + T, whatever the guides and weights. */
TEST(a_rigid_head_carries_its_followers) {
    static strands s, f;
    make_strands(&s, 30, 40, 3);
    make_strands(&f, 80, 50, 4);
    mote_system *system = plain_system();
    mote_strands_id id = add_strands(system, &s);
    const mote_followers_def def = def_of(&f);
    mote_followers *followers = create(system, id, &def);
    const mote_transform there = {{4, -3, 8}, {0.5f, 0.25f, -2, 1}};
    const double q[4] = {0.5, 0.25, -2, 1};
    for (int moved = 0; moved < 2; moved++) {
        float *got = present(system, followers);
        for (uint32_t n = 0; n < f.first[80]; n++) {
            const float *p = f.positions + 3 * n;
            double rest[3] = {(double)p[0], (double)p[1], (double)p[2]}, want[3];
            rotate(moved ? q : (const double[4]){0, 0, 0, 1}, rest, want);
            for (uint32_t axis = 0; axis < 3; axis++)
                ASSERT(fabs((double)got[3 * n + axis] - want[axis] - moved * (double)there.position[axis]),
                       <=, ROOM);
        }
        free(got);
        assert_int_equal(mote_strands_set_roots(system, id, &there, 1, 0), MOTE_OK);
        assert_int_equal(mote_strands_reset(system, id, MOTE_ALL_STRANDS), MOTE_OK);
    }
    mote_followers_destroy(followers);
    mote_system_destroy(system);
}

/* A turn of two steps and a half, seen half way through the second: the roots stand at 2/5 and 4/5 of the
 * lerp at its ends. A target that nobody has stepped towards turns nothing, even one whose tick has passed.
 * Without interpolation the last boundary is seen. */
TEST(offsets_turn_with_the_root) {
    static strands s, f;
    make_strands(&s, 20, 12, 3);
    make_strands(&f, 40, 15, 4);
    const mote_transform turn = {{0, 0, 0}, {0, 0, 1, 0}}, back = {{0, 0, 0}, {0, 1, 0, 3}};
    for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
        mote_system *system = system_with((mote_interpolation)mode, (mote_jobs){0}, MOTE_ISA_AUTO);
        mote_strands_id id = add_strands(system, &s);
        const mote_followers_def def = def_of(&f);
        mote_followers *followers = create(system, id, &def);
        const double still[4] = {0, 0, 0, 1};
        check_all(system, id, &s, followers, &f, still, 0);
        assert_int_equal(mote_strands_set_roots(system, id, &turn, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        check_all(system, id, &s, followers, &f, still, 0);
        mote_advance clock;
        assert_int_equal(mote_system_advance(system, 2 * STEP + STEP / 2, &clock), MOTE_OK);
        ASSERT(clock.steps, ==, 2);
        ASSERT(clock.alpha, ==, 0.5f);
        scatter_points(system, id, 8);
        mote_strands *b = inside(system, id);
        double q[4], fraction = mode == MOTE_INTERPOLATE_NONE ? 0.8 : 0.6;
        for (int i = 0; i < 4; i++) {
            const double from = (double)b->root_from[3 + i][0], to = (double)b->root_to[3 + i][0];
            q[i] = from + fraction * (to - from);
        }
        ASSERT(b->root_to[5][0], ==, 1);
        ASSERT(b->root_from[6][0], ==, 1);
        check_all(system, id, &s, followers, &f, q, 0.5f);
        assert_int_equal(mote_strands_set_roots(system, id, &back, 1, 0), MOTE_OK);
        check_all(system, id, &s, followers, &f, q, 0.5f);
        mote_followers_destroy(followers);
        mote_system_destroy(system);
    }
}

/* --- Nearest guides --- */

static void nearest_by_brute_force(const float (*points)[3], uint32_t count, const float at[3],
                                   uint32_t found[3]) {
    uint32_t used = 0;
    for (; used < 3 && used < count; used++) {
        found[used] = MOTE_NO_GUIDE;
        for (uint32_t i = 0; i < count; i++) {
            bool taken = false;
            for (uint32_t k = 0; k < used; k++) taken |= found[k] == i;
            if (taken) continue;
            const double d = mote_distance_squared(at, points[i]);
            if (found[used] == MOTE_NO_GUIDE || d < mote_distance_squared(at, points[found[used]]))
                found[used] = i;
        }
    }
    while (used < 3) found[used++] = MOTE_NO_GUIDE;
}

TEST(nearest_equals_brute_force) {
    enum { MOST = 500 };
    static float points[MOST][3];
    static const uint32_t counts[] = {1, 2, 3, 4, 50, MOST};
    const mote_allocator allocator = mote_allocator_resolve(&(mote_allocator){0});
    random_source random = {1};
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        for (int shape = 0; shape < 6; shape++) {
            for (uint32_t i = 0; i < counts[c]; i++)
                for (int axis = 0; axis < 3; axis++) {
                    float x = random_between(&random, -1, 1);
                    if (shape == 1) x = axis == 2 ? 0.5f : x;            /* a plane */
                    if (shape == 2) x = axis ? 0.5f : x;                 /* a line */
                    if (shape == 3) x = (float)random_below(&random, 4); /* a lattice: ties and doubles */
                    if (shape == 4) x = i % 2 ? 1e6f + x : 1e-6f * x;    /* two heaps */
                    if (shape == 5) x = 7;                               /* one place */
                    points[i][axis] = x;
                }
            mote_nearest nearest;
            assert_int_equal(mote_nearest_make(&nearest, (const float(*)[3])points, counts[c], &allocator),
                             MOTE_OK);
            for (int n = 0; n < 300; n++) {
                const float far = n % 3 ? 1.2f : 40;
                float at[3];
                for (int axis = 0; axis < 3; axis++)
                    at[axis] =
                        shape == 3 ? (float)random_below(&random, 9) / 2 : random_between(&random, -far, far);
                if (n % 10 == 0) memcpy(at, points[random_below(&random, counts[c])], sizeof at);
                if (shape == 4 && n % 2) at[0] += 1e6f, at[1] += 1e6f, at[2] += 1e6f;
                uint32_t want[3], got[3] = {MOTE_NO_GUIDE, MOTE_NO_GUIDE, MOTE_NO_GUIDE};
                nearest_by_brute_force((const float(*)[3])points, counts[c], at, want);
                assert_int_equal(mote_nearest_find(&nearest, at, got), counts[c] < 3 ? counts[c] : 3);
                assert_memory_equal(got, want, sizeof want);
            }
            mote_nearest_destroy(&nearest, &allocator);
        }
}

/* Each weight is 1 / distance over the sum, rounded once from doubles. */
TEST(chosen_guides_and_weights) {
    static strands s, f;
    static float roots[MOST_STRANDS][3];
    make_strands(&s, 60, 9, 3);
    make_strands(&f, 70, 15, 4);
    memcpy(f.positions + 3 * f.first[5], position_of(&s, 41, 0), 12);
    mote_system *system = plain_system();
    mote_strands_id id = add_strands(system, &s);
    const mote_followers_def def = def_of(&f);
    mote_followers *followers = create(system, id, &def);
    for (uint32_t i = 0; i < 60; i++) memcpy(roots[i], position_of(&s, i, 0), 12);
    for (uint32_t i = 0; i < 70; i++) {
        uint32_t want[3], got[3];
        float weight[3];
        double distance[3];
        nearest_by_brute_force((const float(*)[3])roots, 60, position_of(&f, i, 0), want);
        for (int k = 0; k < 3; k++)
            distance[k] = sqrt(mote_distance_squared(position_of(&f, i, 0), roots[want[k]]));
        assert_int_equal(mote_followers_guides(followers, i, got, weight), MOTE_OK);
        if (distance[0] == 0) {
            ASSERT(got[0], ==, want[0]);
            ASSERT(got[1], ==, MOTE_NO_GUIDE);
            ASSERT(got[2], ==, MOTE_NO_GUIDE);
            ASSERT(weight[0], ==, 1);
            ASSERT(weight[1], ==, 0);
            ASSERT(weight[2], ==, 0);
            continue;
        }
        ASSERT(i, !=, 5);
        assert_memory_equal(got, want, sizeof want);
        const double sum = 1 / distance[0] + 1 / distance[1] + 1 / distance[2];
        for (int k = 0; k < 3; k++) ASSERT(weight[k], ==, (float)(1 / distance[k] / sum));
    }
    uint32_t guide[3];
    float weight[3];
    assert_int_equal(mote_followers_guides(followers, 70, guide, weight), MOTE_ERROR_RANGE);
    assert_int_equal(mote_followers_guides(NULL, 0, guide, weight), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_guides(followers, 0, NULL, weight), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_guides(followers, 0, guide, NULL), MOTE_ERROR_NULL);
    mote_followers_destroy(followers);
    mote_system_destroy(system);
}

/* --- The same bits --- */

TEST(the_same_on_any_jobs_and_instruction_set) {
    static strands s, f;
    shuffled_jobs shuffled = {{1}, 5, 0};
    make_strands(&s, 50, LONGEST, 9);
    make_strands(&f, 80, LONGEST, 10);
    float *first = NULL;
    for (int i = 0; i < 3 + MOTE_ISA_COUNT; i++) {
        const mote_jobs jobs = i == 1   ? mote_jobs_openmp(3)
                               : i == 2 ? shuffled_jobs_hook(&shuffled)
                                        : (mote_jobs){0};
        mote_system *system =
            system_with(MOTE_INTERPOLATE_LINEAR, jobs, i < 3 ? MOTE_ISA_AUTO : isa_number(i - 3));
        if (!system) continue;
        mote_strands_id id = add_strands(system, &s);
        const mote_transform turn = {{0, 0, 0}, {0.5f, -1, 0.25f, 2}};
        const mote_followers_def def = def_of(&f);
        mote_followers *followers = create(system, id, &def);
        assert_int_equal(mote_strands_set_roots(system, id, &turn, 1, 0), MOTE_OK);
        assert_int_equal(mote_strands_reset(system, id, MOTE_ALL_STRANDS), MOTE_OK);
        scatter_points(system, id, 5);
        set_alpha(system, 0.25);
        float *got = present(system, followers);
        if (first) assert_memory_equal(got, first, 12 * f.first[80]);
        if (first)
            free(got);
        else
            first = got;
        mote_followers_destroy(followers);
        mote_system_destroy(system);
    }
    free(first);
}

/* --- Bad input --- */

TEST(refused) {
    static strands s, f;
    make_strands(&s, 8, 9, 3);
    make_strands(&f, 12, 15, 4);
    mote_system *system = plain_system();
    mote_strands_id id = add_strands(system, &s);
    uint32_t guides[36], points[12];
    float weights[36], *positions = malloc(sizeof(float) * 3 * f.first[12]);
    mote_followers *followers;
    mote_strands_fault fault;
#define BAD(code, strand_at, point_at, change)                                                               \
    do {                                                                                                     \
        mote_followers_def def = def_of(&f);                                                                 \
        for (uint32_t i = 0; i < 36; i++) guides[i] = i % 8, weights[i] = 1;                                 \
        memcpy(points, f.points, sizeof points),                                                             \
            memcpy(positions, f.positions, sizeof(float) * 3 * f.first[12]);                                 \
        def.guides = guides, def.weights = weights, def.follower_points = points, def.positions = positions; \
        followers = (mote_followers *)(void *)&def;                                                          \
        change;                                                                                              \
        assert_int_equal(mote_followers_create(system, id, &def, &followers, &fault), code);                 \
        assert_true(code == MOTE_OK || followers == NULL);                                                   \
        {                                                                                                    \
            ASSERT(fault.strand, ==, strand_at);                                                             \
            ASSERT(fault.point, ==, point_at);                                                               \
        }                                                                                                    \
    } while (0)
    BAD(MOTE_ERROR_DEF, MOTE_ALL_STRANDS, 0, def.cookie = 0);
    BAD(MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0, def.follower_count = 0);
    BAD(MOTE_ERROR_NULL, MOTE_ALL_STRANDS, 0, def.positions = NULL);
    BAD(MOTE_ERROR_NULL, MOTE_ALL_STRANDS, 0, def.guides = NULL);
    BAD(MOTE_ERROR_RANGE, 7, 0, points[7] = 1);
    BAD(MOTE_ERROR_RANGE, 11, 0, points[11] = 1025);
    BAD(MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0, (def.follower_points = NULL, def.points = 1));
    BAD(MOTE_ERROR_RANGE, MOTE_ALL_STRANDS, 0, (def.follower_points = NULL, def.points = 1025));
    BAD(MOTE_ERROR_NOT_FINITE, 4, 1, positions[3 * (f.first[4] + 1) + 2] = NAN);
    BAD(MOTE_ERROR_NOT_FINITE, 11, 0, positions[3 * f.first[11]] = -INFINITY);
    BAD(MOTE_ERROR_RANGE, 3, 0, guides[10] = 8);
    BAD(MOTE_ERROR_RANGE, 3, 0, guides[9] = guides[10] = guides[11] = MOTE_NO_GUIDE);
    BAD(MOTE_ERROR_NOT_FINITE, 11, 0, weights[35] = NAN);
    BAD(MOTE_ERROR_NOT_FINITE, 0, 0, weights[0] = INFINITY);
    BAD(MOTE_ERROR_RANGE, 2, 0, weights[8] = -1);
    BAD(MOTE_ERROR_RANGE, 2, 0, weights[6] = weights[7] = weights[8] = 0);
    BAD(MOTE_ERROR_RANGE, 2, 0, (weights[6] = weights[7] = 0, guides[8] = MOTE_NO_GUIDE));
    BAD(MOTE_OK, MOTE_ALL_STRANDS, 0,
        (weights[6] = weights[7] = 0, weights[5] = NAN, guides[5] = MOTE_NO_GUIDE));
    mote_followers_def def = def_of(&f);
    mote_followers *none;
    assert_int_equal(mote_followers_create(NULL, id, &def, &none, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_create(system, id, NULL, &none, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_create(system, id, &def, NULL, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_create(system, (mote_strands_id){0, 0}, &def, &none, NULL),
                     MOTE_ERROR_ID);
    free(positions);

    mote_strand_layout l = mote_default_strand_layout();
    float got[3 * 12 * 15];
    mote_system *other = plain_system();
    assert_int_equal(mote_followers_present(other, followers, &l, got, sizeof got), MOTE_ERROR_ID);
    assert_int_equal(mote_followers_present(NULL, followers, &l, got, sizeof got), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_present(system, NULL, &l, got, sizeof got), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_present(system, followers, NULL, got, sizeof got), MOTE_ERROR_NULL);
    assert_int_equal(mote_followers_present(system, followers, &l, NULL, sizeof got), MOTE_ERROR_NULL);
    l.position_offset = 4;
    assert_int_equal(mote_followers_present(system, followers, &l, got, sizeof got), MOTE_ERROR_RANGE);
    l.position_offset = 0;
    assert_int_equal(mote_followers_present(system, followers, &l, got, sizeof got), MOTE_OK);
    assert_int_equal(mote_system_remove_strands(system, id), MOTE_OK);
    assert_int_equal(mote_followers_present(system, followers, &l, got, sizeof got), MOTE_ERROR_ID);
    add_strands(system, &s);
    assert_int_equal(mote_followers_present(system, followers, &l, got, sizeof got), MOTE_ERROR_ID);
    assert_int_equal(mote_followers_count(NULL), 0);
    ASSERT(mote_followers_first_vertex(NULL, MOTE_STRAND_RIBBONS, 0), ==, MOTE_NO_VERTEX);
    ASSERT(mote_followers_first_vertex(followers, MOTE_STRAND_RIBBONS, 3), ==, 2 * f.first[3]);
    ASSERT(mote_followers_index_count(followers, MOTE_STRAND_POLYLINES), ==, 2 * (f.first[12] - 12));
    uint32_t indices[2 * 12 * 15];
    assert_int_equal(
        mote_followers_index_buffer(followers, MOTE_STRAND_POLYLINES, indices, COUNT_OF(indices)), MOTE_OK);
    ASSERT(indices[2 * (f.points[0] - 1)], ==, f.first[1]);
    assert_int_equal(mote_followers_index_buffer(NULL, MOTE_STRAND_POLYLINES, indices, COUNT_OF(indices)),
                     MOTE_ERROR_NULL);
    mote_system_destroy(other);
    mote_system_destroy(system);
    mote_followers_destroy(followers);
    mote_followers_destroy(NULL);
}

/* Every allocation fails once: a code, nothing kept, and the next call succeeds. Presenting allocates
 * nothing. */
TEST(without_memory) {
    static strands s, f;
    make_strands(&s, 8, 9, 3);
    make_strands(&f, 12, 15, 4);
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger);
    mote_strands_id id = add_strands(system, &s);
    const mote_followers_def def = def_of(&f);
    const uint64_t live = ledger.live_bytes;
    mote_followers *followers = NULL;
    uint64_t fail = 0;
    for (mote_result result = MOTE_ERROR_MEMORY; result; fail++) {
        ledger.fail_at = ledger.calls + fail + 1;
        result = mote_followers_create(system, id, &def, &followers, NULL);
        assert_true(result == MOTE_OK ||
                    (result == MOTE_ERROR_MEMORY && !followers && ledger.live_bytes == live));
    }
    assert_int_equal(fail, 5); /* four allocations */
    ledger.fail_at = 0;
    const uint64_t calls = ledger.calls;
    free(present(system, followers));
    ASSERT(ledger.calls, ==, calls);
    mote_followers_destroy(followers);
    ASSERT(ledger.live_bytes, ==, live);
    ASSERT(ledger.faults, ==, 0);
    mote_system_destroy(system);
    ASSERT(ledger.live_bytes, ==, 0);
    ASSERT(ledger.faults, ==, 0);
}
