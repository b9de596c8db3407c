/* Followers: where their guides carry them, the choice of the nearest guides, refusals. */
#include "test.h"

#include <float.h>

#include "base/allocator.h"
#include "strands/nearest.h"
#include "strand_picture.h"

#define ULP (0.5 * (double)FLT_EPSILON)

/* The scene of a test: strands s in a system, and their followers f. */
static strands s, f;
static struct scene {
    mote_system *system;
    mote_strands_id id;
    mote_followers *followers;
} scene;

static mote_followers_def def_of_f(void) {
    mote_followers_def def = mote_default_followers_def();
    def.follower_count = f.def.strand_count;
    def.follower_points = f.points;
    def.positions = f.positions;
    return def;
}

/* def: NULL for the followers f with guides that the library chooses. */
static void open_scene(mote_system *system, const mote_followers_def *def) {
    const mote_followers_def own = def_of_f();
    scene.system = system;
    scene.id = add_strands(system, &s);
    if (!def) def = &own;
    assert_int_equal(mote_followers_create(system, scene.id, def, &scene.followers, NULL), MOTE_OK);
    ASSERT(mote_followers_count(scene.followers), ==, def->follower_count);
}

static void close_scene(void) {
    mote_followers_destroy(scene.followers);
    mote_system_destroy(scene.system);
}

/* Puts the roots under this transform at once, and the strands at rest. */
static void put_roots(const mote_transform *at) {
    assert_int_equal(mote_strands_set_roots(scene.system, scene.id, at, 1, 0), MOTE_OK);
    assert_int_equal(mote_strands_reset(scene.system, scene.id, MOTE_ALL_STRANDS), MOTE_OK);
}

/* Packed positions, until the next call. */
static const float *present(void) {
    static float got[3 * MOST_STRANDS * LONGEST + 1];
    const mote_strand_layout l = mote_default_strand_layout();
    const size_t floats = 3 * (size_t)mote_followers_vertex_count(scene.followers, l.shape);
    got[floats] = 7;
    assert_int_equal(mote_followers_present(scene.system, scene.followers, &l, got, floats * 4), MOTE_OK);
    ASSERT(got[floats], ==, 7);
    return got;
}

/* Each follower has the rest shape of one strand: in every layout it is that strand, bit for bit. */
TEST(a_follower_with_its_guides_shape_is_its_guide) {
    static uint32_t guides[3 * MOST_STRANDS];
    static unsigned char want[45 * LONGEST * 2 * 40], got[sizeof want];
    for (int round = 0; round < 2; round++)
        for (int kind = 0; kind < LAYOUTS; kind++) {
            make_strands(&s, 45, LONGEST, 3);
            if (round) make_even(&s, 37);
            f = s;
            for (uint32_t i = 0; i < 3 * 45; i++) guides[i] = i % 3 ? MOTE_NO_GUIDE : i / 3;
            mote_followers_def def = def_of_f();
            def.guides = guides;
            if (round) def.follower_points = NULL, def.points = 37;
            open_scene(plain_system(), &def);
            scatter_points(scene.system, scene.id, 4);
            set_alpha(scene.system, 0.5);
            const mote_strand_layout l = layout_of(kind);
            const size_t bytes =
                (size_t)mote_strands_vertex_count(scene.system, scene.id, l.shape) * l.stride;
            ASSERT(bytes, <=, sizeof want);
            memset(want, 0x5a, bytes), memset(got, 0x5a, bytes);
            assert_int_equal(mote_strands_present(scene.system, scene.id, &l, want, bytes), MOTE_OK);
            assert_int_equal(mote_followers_present(scene.system, scene.followers, &l, got, bytes), MOTE_OK);
            assert_memory_equal(got, want, bytes);
            close_scene();
        }
}

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

/* Point j of a follower: the header's sum with these weights, in double. */
static void expect_point(uint32_t follower, uint32_t j, const double q[4], float alpha, double out[3]) {
    const float *rest = position_of(&f, follower, j);
    double offset[3] = {rest[0], rest[1], rest[2]}, turned[3], sum = 0;
    uint32_t guide[3];
    float weight[3];
    assert_int_equal(mote_followers_guides(scene.followers, follower, guide, weight), MOTE_OK);
    for (int axis = 0; axis < 3; axis++) out[axis] = 0;
    for (int i = 0; i < 3 && guide[i] != MOTE_NO_GUIDE; i++) sum += (double)weight[i];
    ASSERT_NEAR(sum, 1, 3 * ULP);
    for (int i = 0; i < 3 && guide[i] != MOTE_NO_GUIDE; i++) {
        double now[3 * LONGEST], before[3 * LONGEST], g[3], G[3];
        const uint32_t m = s.points[guide[i]], n = f.points[follower];
        for (uint32_t k = 0; k < m; k++) {
            float x[3];
            presented(scene.system, scene.id, guide[i], k, alpha, x);
            for (uint32_t axis = 0; axis < 3; axis++) {
                now[3 * k + axis] = (double)x[axis];
                before[3 * k + axis] = (double)position_of(&s, guide[i], k)[axis];
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
#define MARGIN (2 * ULP * (17 * 84 + 4 * 2 * 24 + 10 * 48))

static void check_all(const double q[4], float alpha) {
    const float *got = present();
    for (uint32_t i = 0; i < f.def.strand_count; i++)
        for (uint32_t j = 0; j < f.points[i]; j++) {
            double want[3];
            expect_point(i, j, q, alpha, want);
            for (uint32_t axis = 0; axis < 3; axis++)
                ASSERT_NEAR(got[3 * (f.first[i] + j) + axis], want[axis], MARGIN);
        }
}

TEST(followers_stand_at_the_weighted_sum_of_their_guides) {
    static uint32_t guides[3 * MOST_STRANDS];
    static float weights[3 * MOST_STRANDS];
    const mote_transform turn = {{0, 0, 0}, {0.5f, -1, 0.25f, 2}};
    random_source random = {6};
    for (int round = 0; round < 4; round++) {
        make_strands(&s, 45, round == 2 ? 20 : LONGEST, 3);
        make_strands(&f, 70, round == 3 ? 20 : LONGEST, 4);
        if (round > 1) make_even(&f, 33);
        for (uint32_t i = 0; i < 3 * 70; i++) {
            guides[i] = random_below(&random, 6) ? random_below(&random, 45) : MOTE_NO_GUIDE;
            weights[i] = random_below(&random, 5) ? random_between(&random, 0.1f, 3) : 0;
            if (i % 3 == 1) guides[i] = random_below(&random, 45), weights[i] = 0.75f;
        }
        mote_followers_def def = def_of_f();
        if (round > 1) def.follower_points = NULL, def.points = 33;
        if (round % 2) def.guides = guides, def.weights = weights;
        open_scene(plain_system(), &def);
        put_roots(&turn);
        scatter_points(scene.system, scene.id, 9);
        set_alpha(scene.system, 0.25);
        check_all((double[4]){0.5, -1, 0.25, 2}, 0.25f);
        close_scene();
    }
}

/* x -> R x + T for the head carries r to R r + T, whatever the guides and weights. */
TEST(a_rigid_head_carries_its_followers) {
    const mote_transform places[] = {MOTE_TRANSFORM_IDENTITY, {{4, -3, 8}, {0.5f, 0.25f, -2, 1}}};
    make_strands(&s, 30, 40, 3);
    make_strands(&f, 80, 50, 4);
    open_scene(plain_system(), NULL);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        const float *r = places[i].rotation;
        if (i) put_roots(&places[i]);
        const float *got = present();
        for (uint32_t n = 0; n < f.first[80]; n++) {
            const float *p = f.positions + 3 * n;
            double want[3];
            rotate((double[4]){r[0], r[1], r[2], r[3]}, (double[3]){p[0], p[1], p[2]}, want);
            for (uint32_t axis = 0; axis < 3; axis++)
                ASSERT_NEAR(got[3 * n + axis], want[axis] + (double)places[i].position[axis], MARGIN);
        }
    }
    close_scene();
}

/* A turn of two steps and a half, seen half way through the second: the roots stand at 2/5 and 4/5 of the
 * lerp at its ends. A target turns nothing before the next step, even where its tick has passed. Without
 * interpolation the last boundary is seen. */
TEST(offsets_turn_with_the_root) {
    const mote_transform turn = {{0, 0, 0}, {0, 0, 1, 0}}, back = {{0, 0, 0}, {0, 1, 0, 3}};
    const double still[4] = {0, 0, 0, 1};
    make_strands(&s, 20, 12, 3);
    make_strands(&f, 40, 15, 4);
    for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
        open_scene(system_with((mote_interpolation)mode, (mote_jobs){0}, MOTE_ISA_AUTO), NULL);
        check_all(still, 0);
        assert_int_equal(mote_strands_set_roots(scene.system, scene.id, &turn, 1, MOTE_NEXT_ADVANCE),
                         MOTE_OK);
        check_all(still, 0);
        mote_advance clock;
        assert_int_equal(mote_system_advance(scene.system, 2 * STEP + STEP / 2, &clock), MOTE_OK);
        ASSERT(clock.steps, ==, 2);
        ASSERT(clock.alpha, ==, 0.5f);
        scatter_points(scene.system, scene.id, 8);
        const mote_strands *b = strands_inside(scene.system, scene.id);
        double q[4], fraction = mode == MOTE_INTERPOLATE_NONE ? 0.8 : 0.6;
        for (int i = 0; i < 4; i++) {
            const double from = (double)b->root_from[3 + i][0], to = (double)b->root_to[3 + i][0];
            q[i] = from + fraction * (to - from);
        }
        ASSERT(b->root_to[5][0], ==, 1);
        ASSERT(b->root_from[6][0], ==, 1);
        check_all(q, 0.5f);
        assert_int_equal(mote_strands_set_roots(scene.system, scene.id, &back, 1, 0), MOTE_OK);
        check_all(q, 0.5f);
        close_scene();
    }
}

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

TEST(the_nearest_guides_are_those_of_brute_force) {
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

/* Heads of a millimetre, a metre and a kilometre have as many cells: as small as twice the points allow. */
TEST(the_search_has_the_same_cells_at_any_scale) {
    enum { POINTS = 400 };
    static const float scales[] = {1e-3f, 1, 1e3f};
    static float points[POINTS][3];
    const mote_allocator allocator = mote_allocator_resolve(&(mote_allocator){0});
    for (size_t k = 0; k < COUNT_OF(scales); k++) {
        random_source random = {5};
        mote_nearest nearest;
        for (uint32_t i = 0; i < POINTS; i++)
            for (int axis = 0; axis < 3; axis++) points[i][axis] = scales[k] * random_between(&random, -1, 1);
        assert_int_equal(mote_nearest_make(&nearest, (const float(*)[3])points, POINTS, &allocator), MOTE_OK);
        const uint32_t cells = nearest.cells[0] * nearest.cells[1] * nearest.cells[2];
        test_case("%g m: %u cells of %g m", (double)scales[k], cells, nearest.size);
        ASSERT(cells, <=, 2u * POINTS);
        ASSERT(cells, >, POINTS / 2u);
        mote_nearest_destroy(&nearest, &allocator);
    }
}

/* Each weight is 1 / distance over the sum, rounded once from doubles. A guide in the same place has all of
 * it. */
TEST(chosen_guides_are_the_nearest_and_weigh_by_inverse_distance) {
    static float roots[MOST_STRANDS][3];
    make_strands(&s, 60, 9, 3);
    make_strands(&f, 70, 15, 4);
    memcpy(f.positions + 3 * f.first[5], position_of(&s, 41, 0), 12);
    open_scene(plain_system(), NULL);
    for (uint32_t i = 0; i < 60; i++) memcpy(roots[i], position_of(&s, i, 0), 12);
    for (uint32_t i = 0; i < 70; i++) {
        uint32_t want[3], got[3];
        float weight[3];
        double inverse[3], sum = 0;
        nearest_by_brute_force((const float(*)[3])roots, 60, position_of(&f, i, 0), want);
        for (int k = 0; k < 3; k++) {
            inverse[k] = 1 / sqrt(mote_distance_squared(position_of(&f, i, 0), roots[want[k]]));
            sum += inverse[k];
        }
        assert_int_equal(mote_followers_guides(scene.followers, i, got, weight), MOTE_OK);
        ASSERT(isinf(inverse[0]), ==, (i == 5));
        for (uint32_t k = 0; k < 3; k++) {
            ASSERT(got[k], ==, (i == 5 && k ? MOTE_NO_GUIDE : want[k]));
            ASSERT(weight[k], ==, (i == 5 ? k == 0 : (float)(inverse[k] / sum)));
        }
    }
    close_scene();
}

TEST(followers_are_the_same_bits_on_any_jobs_and_instruction_set) {
    static float first[3 * MOST_STRANDS * LONGEST];
    const mote_transform turn = {{0, 0, 0}, {0.5f, -1, 0.25f, 2}};
    shuffled_jobs shuffled = {{1}, 5, 0};
    make_strands(&s, 50, LONGEST, 9);
    make_strands(&f, 80, LONGEST, 10);
    for (int i = 0; i < 3 + MOTE_ISA_COUNT; i++) {
        const mote_jobs jobs = i == 1   ? dividing(mote_jobs_openmp(3))
                               : i == 2 ? shuffled_jobs_hook(&shuffled)
                                        : (mote_jobs){0};
        const mote_isa isa = i < 3 ? MOTE_ISA_AUTO : isa_number(i - 3);
        if (i >= 3 && !mote_isa_available(isa)) continue;
        open_scene(system_with(MOTE_INTERPOLATE_LINEAR, jobs, isa), NULL);
        put_roots(&turn);
        scatter_points(scene.system, scene.id, 5);
        set_alpha(scene.system, 0.25);
        const float *got = present();
        if (i == 0) memcpy(first, got, 12 * f.first[80]);
        assert_memory_equal(got, first, 12 * f.first[80]);
        close_scene();
    }
}

TEST(wrong_defs_are_refused_with_the_follower_and_point) {
    static uint32_t guides[36];
    static float weights[36];
    make_strands(&s, 8, 9, 3);
    mote_system *system = plain_system();
    const mote_strands_id id = add_strands(system, &s);
    mote_followers *made;
    mote_strands_fault fault;
#define BAD(parameter_at, code, strand_at, point_at, ...)                                                    \
    do {                                                                                                     \
        make_strands(&f, 12, 15, 4);                                                                         \
        mote_followers_def def = def_of_f();                                                                 \
        const char *const named = parameter_at;                                                              \
        for (uint32_t i = 0; i < 36; i++) guides[i] = i % 8, weights[i] = 1;                                 \
        def.guides = guides, def.weights = weights;                                                          \
        made = (mote_followers *)(void *)&def;                                                               \
        __VA_ARGS__;                                                                                         \
        REFUSED(system, code, mote_followers_create(system, id, &def, &made, &fault));                       \
        ASSERT((made != NULL), ==, (code == MOTE_OK));                                                       \
        ASSERT(fault.strand, ==, strand_at);                                                                 \
        ASSERT(fault.point, ==, point_at);                                                                   \
        if (named)                                                                                           \
            assert_string_equal(fault.parameter, named);                                                     \
        else                                                                                                 \
            assert_null(fault.parameter);                                                                    \
        mote_followers_destroy(made);                                                                        \
    } while (0)
#define ALL MOTE_ALL_STRANDS
    BAD("cookie", MOTE_ERROR_DEF, ALL, 0, def.cookie = 0);
    BAD("follower_count", MOTE_ERROR_RANGE, ALL, 0, def.follower_count = 0);
    BAD("positions", MOTE_ERROR_NULL, ALL, 0, def.positions = NULL);
    BAD("guides", MOTE_ERROR_NULL, ALL, 0, def.guides = NULL);
    BAD("follower_points", MOTE_ERROR_RANGE, 7, 0, f.points[7] = 1);
    BAD("follower_points", MOTE_ERROR_RANGE, 11, 0, f.points[11] = 1025);
    BAD("points", MOTE_ERROR_RANGE, ALL, 0, def.follower_points = NULL, def.points = 1);
    BAD("points", MOTE_ERROR_RANGE, ALL, 0, def.follower_points = NULL, def.points = 1025);
    BAD("positions", MOTE_ERROR_NOT_FINITE, 4, 1, f.positions[3 * (f.first[4] + 1) + 2] = NAN);
    BAD("positions", MOTE_ERROR_NOT_FINITE, 4, 0, f.positions[3 * f.first[4] + 1] = INFINITY);
    BAD("positions", MOTE_ERROR_NOT_FINITE, 11, 0, f.positions[3 * f.first[11]] = -INFINITY);
    BAD("guides", MOTE_ERROR_RANGE, 3, 0, guides[10] = 8);
    BAD("guides", MOTE_ERROR_RANGE, 3, 0, guides[9] = guides[10] = guides[11] = MOTE_NO_GUIDE);
    BAD("weights", MOTE_ERROR_NOT_FINITE, 11, 0, weights[35] = NAN);
    BAD("weights", MOTE_ERROR_NOT_FINITE, 0, 0, weights[0] = INFINITY);
    BAD("weights", MOTE_ERROR_RANGE, 2, 0, weights[8] = -1);
    BAD("weights", MOTE_ERROR_RANGE, 2, 0, weights[6] = weights[7] = weights[8] = 0);
    BAD("weights", MOTE_ERROR_RANGE, 2, 0, weights[6] = weights[7] = 0, guides[8] = MOTE_NO_GUIDE);
    BAD(NULL, MOTE_OK, ALL, 0, weights[6] = weights[7] = 0, weights[5] = NAN, guides[5] = MOTE_NO_GUIDE);
    const mote_followers_def def = def_of_f();
    REFUSALS(system, REFUSES(NULL, mote_followers_create(system, id, NULL, &made, NULL)),
             REFUSES(NULL, mote_followers_create(system, id, &def, NULL, NULL)));
    mote_system_destroy(system);
}

TEST(wrong_calls_on_followers_are_refused) {
    make_strands(&s, 8, 9, 3);
    make_strands(&f, 12, 15, 4);
    open_scene(plain_system(), NULL);
    const mote_strand_layout l = mote_default_strand_layout();
    const mote_strand_shape lines = MOTE_STRAND_POLYLINES, ribbons = MOTE_STRAND_RIBBONS;
    mote_strand_layout wrong = l;
    mote_system *system = scene.system;
    mote_followers *followers = scene.followers;
    float got[3 * 12 * 15], weight[3];
    uint32_t guide[3], indices[2 * 12 * 15];
    wrong.position_offset = 4;
    const struct {
        mote_result got, want;
    } calls[] = {
        {mote_followers_guides(followers, 12, guide, weight), MOTE_ERROR_RANGE},
        {mote_followers_guides(NULL, 0, guide, weight), MOTE_ERROR_NULL},
        {mote_followers_guides(followers, 0, NULL, weight), MOTE_ERROR_NULL},
        {mote_followers_guides(followers, 0, guide, NULL), MOTE_ERROR_NULL},
        {mote_followers_present(NULL, followers, &l, got, sizeof got), MOTE_ERROR_NULL},
        {mote_followers_present(system, NULL, &l, got, sizeof got), MOTE_ERROR_NULL},
        {mote_followers_present(system, followers, NULL, got, sizeof got), MOTE_ERROR_NULL},
        {mote_followers_present(system, followers, &l, NULL, sizeof got), MOTE_ERROR_NULL},
        {mote_followers_present(system, followers, &wrong, got, sizeof got), MOTE_ERROR_RANGE},
        {mote_followers_present(system, followers, &l, got, 12 * f.first[12] - 1), MOTE_ERROR_BUFFER},
        {mote_followers_present(system, followers, &l, got, sizeof got), MOTE_OK},
        {mote_followers_index_buffer(NULL, lines, indices, COUNT_OF(indices)), MOTE_ERROR_NULL},
        {mote_followers_index_buffer(followers, lines, indices, COUNT_OF(indices)), MOTE_OK}};
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        test_case("call %zu", i);
        assert_int_equal(calls[i].got, calls[i].want);
    }
    ASSERT(mote_followers_count(NULL), ==, 0);
    ASSERT(mote_followers_first_vertex(NULL, ribbons, 0), ==, MOTE_NO_VERTEX);
    ASSERT(mote_followers_first_vertex(followers, ribbons, 3), ==, 2 * f.first[3]);
    ASSERT(mote_followers_index_count(followers, lines), ==, 2 * (f.first[12] - 12));
    ASSERT(indices[2 * (f.points[0] - 1)], ==, f.first[1]);
    close_scene();
    mote_followers_destroy(NULL);
}

/* Every allocation fails once: a code, nothing kept, and the next call succeeds. Presenting allocates
 * nothing. */
TEST(an_allocation_that_fails_keeps_nothing) {
    make_strands(&s, 8, 9, 3);
    make_strands(&f, 12, 15, 4);
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger);
    const mote_strands_id id = add_strands(system, &s);
    const mote_followers_def def = def_of_f();
    const uint64_t live = ledger.live_bytes;
    mote_followers *followers = NULL;
    uint64_t fail = 0;
    for (mote_result result = MOTE_ERROR_MEMORY; result; fail++) {
        ledger.fail_at = ledger.calls + fail + 1;
        result = mote_followers_create(system, id, &def, &followers, NULL);
        if (result == MOTE_OK) continue;
        assert_int_equal(result, MOTE_ERROR_MEMORY);
        assert_null(followers);
        ASSERT(ledger.live_bytes, ==, live);
    }
    ASSERT(fail, ==, 5); /* four allocations */
    ledger.fail_at = 0;
    const uint64_t calls = ledger.calls;
    scene = (struct scene){system, id, followers};
    present();
    ASSERT(ledger.calls, ==, calls);
    mote_followers_destroy(followers);
    ASSERT(ledger.live_bytes, ==, live);
    mote_system_destroy(system);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0);
}
