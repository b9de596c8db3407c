/* The order back to front: that of a stable sort of the same keys, for any jobs and instruction set. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "systems.h"

enum { MOST = 70000 };

typedef struct item {
    uint32_t key, slot;
} item;

static int by_key_and_slot(const void *a, const void *b) {
    const item *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return p->slot < q->slot ? -1 : p->slot > q->slot;
}

/* Scales by a power of two to a largest component of 1/16 .. 1/8, so that no depth overflows. */
static void scale_plainly(const float direction[3], float scaled[3]) {
    int exponent;
    (void)frexpf(fmaxf(fabsf(direction[0]), fmaxf(fabsf(direction[1]), fabsf(direction[2]))), &exponent);
    for (int axis = 0; axis < 3; axis++) scaled[axis] = ldexpf(direction[axis], -3 - exponent);
}

/* The documented keys, and a sort by comparison. */
static void sort_plainly(const mote_range_view *view, const float direction[3], item *items) {
    float d[3];
    scale_plainly(direction, d);
    float nearest = INFINITY, furthest = -INFINITY;
    for (uint32_t i = 0; i < view->count; i++) {
        const float depth =
            view->position.x[i] * d[0] + view->position.y[i] * d[1] + view->position.z[i] * d[2];
        if (!isfinite(depth)) continue;
        nearest = fminf(nearest, depth), furthest = fmaxf(furthest, depth);
    }
    float scale = furthest > nearest ? 65536.0f / (furthest - nearest) : 0;
    if (scale > FLT_MAX) scale = FLT_MAX;
    for (uint32_t i = 0; i < view->count; i++) {
        const float depth =
            view->position.x[i] * d[0] + view->position.y[i] * d[1] + view->position.z[i] * d[2];
        const float part = scale > 0 ? (furthest - depth) * scale : 0;
        uint32_t key = part >= 65535 ? 65535 : (uint32_t)fmaxf(part, 0);
        if (!isfinite(depth)) key = 65536; /* behind all others */
        items[i] = (item){key, i};
    }
    qsort(items, view->count, sizeof *items, by_key_and_slot);
}

/* Writes positions of one of several kinds. */
static void place(const mote_range_view *view, int kind) {
    random_source random = {(uint64_t)kind};
    for (uint32_t i = 0; i < view->count; i++) {
        float *const x[3] = {&view->position.x[i], &view->position.y[i], &view->position.z[i]};
        for (int axis = 0; axis < 3; axis++) *x[axis] = random_between(&random, -10, 10);
        switch (kind) {
        case 1: /* in a plane across the direction: all alike */
            *x[0] = *x[1] = *x[2] = 1;
            break;
        case 2: /* sorted already, and in few parts */
            *x[0] = *x[1] = *x[2] = (float)(i / 100);
            break;
        case 3: /* not finite, here and there */
            if (i % 7 == 0) *x[i % 3] = i % 2 ? NAN : i % 5 ? INFINITY : -INFINITY;
            break;
        case 4: /* not finite anywhere */
            *x[2] = NAN;
            break;
        case 5: /* depths and their range beyond a float, or nearly 0 */
            for (int axis = 0; axis < 3; axis++) *x[axis] *= i % 2 ? 3e37f : 1e-30f;
            break;
        case 6:
            for (int axis = 0; axis < 3; axis++) *x[axis] *= 1e-44f;
            break;
        default:
            break;
        }
    }
}

/* Directions of any length, and places as far apart as floats can be. */
TEST(orders_do_not_depend_on_the_length_of_the_direction) {
    static const float lengths[] = {1, 1e-40f, 1.4e-44f, 1e37f, 3e38f}, far[] = {3.2e38f, -3.2e38f, 1e38f, 0};
    uint32_t order[64];
    mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 4);
    for (int places = 0; places < 2; places++)
        for (size_t i = 0; i < COUNT_OF(lengths); i++) {
            test_case("length %g, places %d", (double)lengths[i], places);
            for (int k = 0; k < 4; k++) view.position.x[k] = places ? far[k] : (float[4]){40, 0, 30, 10}[k];
            OK(mote_system_order(system, (float[3]){lengths[i], 0, 0}, order, sizeof order));
            ASSERT(order[0], ==, 0);
            ASSERT(order[1], ==, 2);
            ASSERT(order[2], ==, 3);
            ASSERT(order[3], ==, 1);
        }
    mote_system_destroy(system);
}

static void check_order(const mote_system_def *def, uint32_t count, int kind) {
    static item want[MOST];
    const float direction[3] = {0.3f, -2, 0.7f};
    mote_system *system = system_of(def);
    const mote_range_view view = spawned(system, count);
    const size_t bytes = mote_order_bytes(count);
    uint32_t *order = malloc(bytes + 1);
    assert_non_null(order);
    ((unsigned char *)order)[bytes] = 0xa5;
    place(&view, kind);
    sort_plainly(&view, direction, want);
    const uint64_t hash = mote_system_hash(system);
    OK(mote_system_order(system, direction, order, bytes));
    ASSERT(mote_system_hash(system), ==, hash);
    ASSERT(((unsigned char *)order)[bytes], ==, 0xa5);
    for (uint32_t i = 0; i < count; i++) ASSERT(order[i], ==, want[i].slot);
    if (count) { /* as it is sorted where slots need more than 24 bits */
        mote_query query;
        memset(order, 0, bytes);
        mote_query_begin(&query, system);
        mote_particles_order(&system->particles, &query.by, direction, false, order);
        OK(mote_query_end(&query, MOTE_OK));
    }
    for (uint32_t i = 0; i < count; i++) ASSERT(order[i], ==, want[i].slot);
    if (count) REFUSED(system, MOTE_ERROR_BUFFER, mote_system_order(system, direction, order, bytes - 1));
    free(order);
    mote_system_destroy(system);
}

TEST(the_order_is_that_of_a_stable_sort) {
    static const uint32_t counts[] = {0, 1, 2, 15, 16, 17, 255, 300, 8192, 20011, MOST};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (int kind = 0; kind < 7; kind++)
            for (uint32_t j = 0; j < JOB_KINDS; j++) {
                job_kinds kinds;
                make_job_kinds(&kinds, 1 + (uint32_t)(i + j) % 5);
                mote_system_def def = mote_default_system_def();
                def.capacity = MOST, def.jobs = kinds.jobs[j];
                test_case("%u particles, kind %d, jobs %u", counts[i], kind, j);
                check_order(&def, counts[i], kind);
            }
}

TEST(the_order_is_the_same_on_every_instruction_set) {
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
        mote_system_def def = mote_default_system_def();
        if (!mote_isa_available((mote_isa)isa)) continue;
        def.isa = (mote_isa)isa, def.capacity = MOST;
        for (int kind = 0; kind < 7; kind++) {
            test_case("instruction set %d, kind %d", isa, kind);
            check_order(&def, 1000, kind);
        }
    }
}

/* The first is furthest along the direction. */
TEST(the_furthest_come_first) {
    mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 4);
    const float at[4] = {2, -7, 5, 2}, forward[3] = {0, 0, 3}, back[3] = {0, 0, -1};
    for (int i = 0; i < 4; i++) view.position.z[i] = at[i];
    uint32_t order[64];
    OK(mote_system_order(system, forward, order, sizeof order));
    assert_memory_equal(order, ((uint32_t[]){2, 0, 3, 1}), 16);
    OK(mote_system_order(system, back, order, sizeof order));
    assert_memory_equal(order, ((uint32_t[]){1, 0, 3, 2}), 16);
    mote_system_destroy(system);
}

/* Without a direction all depths are alike. */
TEST(particles_stay_in_their_order_without_a_direction) {
    uint32_t order[64];
    mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 9);
    for (uint32_t i = 0; i < 9; i++) view.position.x[i] = (float)(i * 7 % 9);
    OK(mote_system_order(system, (float[3]){0, 0, 0}, order, sizeof order));
    for (uint32_t i = 0; i < 9; i++) ASSERT(order[i], ==, i);
    mote_system_destroy(system);
}

/* More parts than are sorted at a time: the order of one worker. */
TEST(the_order_of_many_particles_does_not_depend_on_workers) {
    enum { MANY = 540000 };
    const size_t bytes = mote_order_bytes(MANY);
    uint32_t *order[2] = {malloc(bytes), malloc(bytes)};
    shuffled_jobs jobs = {{5}, 32, 0};
    for (int i = 0; i < 2; i++) {
        mote_system_def def = mote_default_system_def();
        random_source random = {8};
        def.capacity = MANY;
        if (i) def.jobs = dividing(shuffled_jobs_hook(&jobs));
        mote_system *system = system_of(&def);
        const mote_range_view view = spawned(system, MANY);
        for (uint32_t k = 0; k < MANY; k++) view.position.x[k] = random_between(&random, -1, 1);
        assert_non_null(order[i]);
        OK(mote_system_order(system, (float[3]){1, 0, 0}, order[i], bytes));
        mote_system_destroy(system);
    }
    ASSERT(jobs.runs, >, 0u);
    assert_memory_equal(order[0], order[1], MANY * sizeof **order);
    free(order[0]), free(order[1]);
}

TEST(wrong_calls_of_order_are_refused) {
    mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    uint32_t order[64];
    const float up[3] = {0, 1, 0}, broken[2][3] = {{NAN, 0, 0}, {0, 0, INFINITY}};
    OK(mote_system_order(system, up, NULL, 0)); /* of no particles */
    spawned(system, 16);
    ASSERT(mote_order_bytes(0), ==, 0);
    ASSERT(mote_order_bytes(16), ==, 160);
    ASSERT(mote_order_bytes(17), ==, 320);
    REFUSALS(system, REFUSES(NULL, mote_system_order(NULL, up, order, sizeof order)),
             REFUSES(NULL, mote_system_order(system, NULL, order, sizeof order)),
             REFUSES(NULL, mote_system_order(system, up, NULL, sizeof order)),
             REFUSES(NOT_FINITE, mote_system_order(system, broken[0], order, sizeof order)),
             REFUSES(NOT_FINITE, mote_system_order(system, broken[1], order, sizeof order)),
             REFUSES(BUFFER, mote_system_order(system, up, order, 159)));
    mote_system_destroy(system);
}
