/* Sizes and colours over a life: against a plain evaluation of the keys, for every easing, number of keys,
 * order, interpolation and instruction set; limits and refusals. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "stage/over_life.h"
#include "systems.h"

enum { CROWD = 1000, RATE = 64, STEP = 15625000, SCALE_COLUMN = 1 };

typedef struct vertex {
    float before, size, colour[4], remaining;
    unsigned char bytes[4], behind[3];
} vertex;

/* --- Plain evaluation --- */

/* Of one channel: keys 0 .. count - 1 of `step` floats each. The sums and products are in the order of the
 * formulas, in float, so that the bits are the engine's. */
typedef struct plain_key {
    float life, value;
    mote_easing easing;
} plain_key;

static float ease(mote_easing easing, float t) {
    switch (easing) {
    case MOTE_EASE_LINEAR:
        return t;
    case MOTE_EASE_SMOOTH:
        return t * (t * (3 - 2 * t));
    case MOTE_EASE_IN:
        return t * t;
    case MOTE_EASE_OUT:
        return t * (2 - t);
    default:
        return 0;
    }
}

static float plain_value(const plain_key *key, uint32_t count, float life) {
    uint32_t k = 0;
    if (life < key[0].life) return key[0].value;
    while (k + 1 < count && life >= key[k + 1].life) k++;
    if (k + 1 == count) return key[k].value;
    const float inverse = (float)fmin(1 / ((double)key[k + 1].life - (double)key[k].life), 0x1.fffffep127);
    const float t = fminf((life - key[k].life) * inverse, 1);
    return key[k].value + (key[k + 1].value - key[k].value) * ease(key[k].easing, t);
}

static uint8_t plain_byte(float value) { return (uint8_t)(fminf(fmaxf(value, 0), 1) * 255 + 0.5f); }

/* --- Scenes --- */

typedef struct keys {
    mote_size_key size[MOTE_MAX_KEYS];
    mote_colour_key colour[MOTE_MAX_KEYS];
    uint32_t count;
} keys;

/* Ascending lives from 0 to 1, or within. easing: of all, or MOTE_EASING_COUNT for a mixture. */
static keys random_keys(random_source *random, uint32_t count, mote_easing easing) {
    keys k = {.count = count};
    const bool inner = random_below(random, 2);
    for (uint32_t i = 0; i < count; i++) {
        const float life = ((float)i + (inner ? random_between(random, 0.1f, 0.9f) : 0)) /
                           (float)(inner || count == 1 ? count : count - 1);
        for (int kind = 0; kind < 2; kind++) {
            const mote_easing e =
                easing < MOTE_EASING_COUNT ? easing : (mote_easing)random_below(random, MOTE_EASING_COUNT);
            *(kind ? &k.colour[i].life : &k.size[i].life) = life;
            *(kind ? &k.colour[i].easing : &k.size[i].easing) = e;
        }
        k.size[i].size = random_between(random, -2, 8);
        for (int c = 0; c < 4; c++) k.colour[i].colour[c] = random_between(random, -0.5f, 1.5f);
    }
    return k;
}

static mote_system_def def_of(mote_interpolation interpolation, bool lifetimes) {
    mote_system_def def = mote_default_system_def();
    def.capacity = CROWD, def.steps_per_second = (mote_rate){RATE, 1};
    def.interpolation = interpolation, def.lifetimes = lifetimes;
    def.extra_count = 3, def.extra_bytes[0] = 3;
    def.extra_bytes[SCALE_COLUMN] = sizeof(float), def.extra_bytes[2] = 8;
    return def;
}

/* Particles of all ages, some without an end of life, some that end now. The clock is between two steps. */
static mote_system *crowd(const mote_system_def *def, uint32_t count) {
    mote_system *system = system_of(def);
    const mote_range_view view = spawned(system, count);
    random_source random = {count};
    for (uint32_t i = 0; i < count; i++) {
        ((float *)view.extra[SCALE_COLUMN])[i] = random_between(&random, -1, 3);
        if (!view.lifetime) continue;
        view.birth_step[i] = 0u - random_below(&random, 64);
        view.lifetime[i] = random_between(&random, 1.1f, 4);
        if (i % 9 == 0) view.lifetime[i] = INFINITY;
        if (view.initial_age) view.initial_age[i] = random_between(&random, 0, 1.0f / RATE);
    }
    advanced(system, 2 * STEP + STEP / 8 * 3);
    for (uint32_t i = 0; i < count && view.lifetime; i += 10)
        view.lifetime[i] = i % 20 ? 0.25f : -1; /* over by now */
    return system;
}

static mote_present_layout layout_of(const keys *k) {
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = sizeof(vertex), layout.position_offset = MOTE_OMIT;
    layout.size_offset = offsetof(vertex, size), layout.size_keys = k->size, layout.size_key_count = k->count;
    layout.colour_offset = offsetof(vertex, colour), layout.colour_keys = k->colour;
    layout.colour_key_count = k->count;
    layout.remaining_offset = offsetof(vertex, remaining);
    return layout;
}

/* The life of a slot, with the roundings of the presentation. */
static float life_of(const mote_system *system, const mote_range_view *view, uint32_t slot, bool blends) {
    if (!view->lifetime) return 0;
    const double steps = (double)(int32_t)((uint32_t)mote_system_steps(system) - view->birth_step[slot]);
    const double shift = blends ? 0.375 - 1 : 0;
    const float initial = view->initial_age ? view->initial_age[slot] : 0,
                age = (float)((steps + shift) * (1.0 / RATE) + (double)initial),
                whole = view->lifetime[slot] + initial;
    if (!(whole > 0)) return 1;
    return fminf(fmaxf(age, 0) / whole, 1);
}

static void expect_vertex(const keys *k, float life, float factor, const vertex *got) {
    plain_key key[MOTE_MAX_KEYS];
    for (uint32_t i = 0; i < k->count; i++)
        key[i] = (plain_key){k->size[i].life, k->size[i].size, k->size[i].easing};
    ASSERT(got->size, ==, plain_value(key, k->count, life) * factor);
    for (int c = 0; c < 4; c++) {
        for (uint32_t i = 0; i < k->count; i++)
            key[i] = (plain_key){k->colour[i].life, k->colour[i].colour[c], k->colour[i].easing};
        const float value = plain_value(key, k->count, life);
        ASSERT(got->colour[c], ==, value);
        ASSERT(got->bytes[c], ==, plain_byte(value));
    }
}

static void present(mote_system *system, mote_present_layout layout, vertex *got, uint32_t count) {
    memset(got, 0x5a, (count + 1) * sizeof *got);
    OK(mote_system_present(system, &layout, got, count * sizeof *got));
    layout.colour_format = MOTE_COLOUR_UNORM8, layout.colour_offset = offsetof(vertex, bytes);
    layout.size_offset = layout.remaining_offset = MOTE_OMIT;
    OK(mote_system_present(system, &layout, got, count * sizeof *got));
    for (uint32_t i = 0; i <= count; i++) {
        const unsigned char *bytes = (const unsigned char *)&got[i];
        for (size_t b = i < count ? offsetof(vertex, behind) : 0; b < sizeof *got; b++)
            ASSERT(bytes[b], ==, 0x5a);
    }
}

static const mote_isa isas[] = {MOTE_ISA_AUTO, MOTE_ISA_SCALAR};

TEST(sizes_and_colours_are_those_of_the_keys) {
    static const uint32_t crowds[] = {1, 2, 15, 16, 17, 255, 256, 257, 700};
    static vertex got[CROWD + 1];
    random_source random = {4};
    for (uint32_t n = 0; n < 2 * (MOTE_EASING_COUNT + 1) * MOTE_MAX_KEYS; n++) {
        const mote_easing easing = (mote_easing)(n % (MOTE_EASING_COUNT + 1));
        const uint32_t count = crowds[n % COUNT_OF(crowds)];
        const keys k = random_keys(&random, 1 + n / 2 % MOTE_MAX_KEYS, easing);
        const mote_interpolation interpolation = (mote_interpolation)(n / 3 % MOTE_INTERPOLATION_COUNT);
        mote_system_def def = def_of(interpolation, n % 11 != 0);
        def.isa = isas[n % 2], def.initial_ages = n % 5 < 3;
        job_kinds kinds;
        make_job_kinds(&kinds, 3);
        def.jobs = kinds.jobs[n % 3];
        test_case("%u: %u keys, easing %d, %u particles", n, k.count, (int)easing, count);
        mote_system *system = crowd(&def, count);
        const mote_range_view view = mote_system_view(system);
        ASSERT(view.count, ==, count);
        mote_present_layout layout = layout_of(&k);
        if (n % 4 < 2) layout.size_column = SCALE_COLUMN;
        if (!def.lifetimes) layout.remaining_offset = MOTE_OMIT;
        present(system, layout, got, count);
        for (uint32_t i = 0; i < count; i++) {
            const float life = life_of(system, &view, i, interpolation != MOTE_INTERPOLATE_NONE);
            expect_vertex(&k, life, n % 4 < 2 ? ((const float *)view.extra[SCALE_COLUMN])[i] : 1, &got[i]);
            if (view.lifetime) ASSERT(got[i].remaining, ==, 1 - life);
        }
        mote_system_destroy(system);
    }
}

TEST(an_order_chooses_lives_too) {
    static vertex all[CROWD + 1], got[CROWD + 1];
    static uint32_t order[CROWD];
    random_source random = {8};
    const keys k = random_keys(&random, 5, MOTE_EASING_COUNT);
    const mote_system_def def = def_of(MOTE_INTERPOLATE_LINEAR, true);
    mote_system *system = crowd(&def, 400);
    mote_present_layout layout = layout_of(&k);
    layout.size_column = SCALE_COLUMN;
    present(system, layout, all, 400);
    for (uint32_t i = 0; i < 777; i++) order[i] = random_below(&random, 400);
    layout.order = order, layout.order_count = 777;
    present(system, layout, got, 777);
    for (uint32_t i = 0; i < 777; i++) assert_memory_equal(&got[i], &all[order[i]], sizeof *got);
    mote_system_destroy(system);
}

/* --- Limits --- */

/* Lives that are set exactly: a lifetime of n steps after m of them. */
static vertex at_life(const keys *k, float steps, float lifetime) {
    mote_system_def def = def_of(MOTE_INTERPOLATE_NONE, true);
    vertex got[2];
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 1);
    view.birth_step[0] = 0u - (uint32_t)steps, view.lifetime[0] = lifetime / RATE;
    present(system, layout_of(k), got, 1);
    mote_system_destroy(system);
    return got[0];
}

TEST(a_key_is_reached_exactly_and_the_ends_are_constant) {
    keys k = {.count = 3};
    for (uint32_t i = 0; i < 3; i++) {
        k.size[i] = (mote_size_key){0.25f + 0.25f * (float)i, 0.1f + 0.3f * (float)i, MOTE_EASE_SMOOTH};
        k.colour[i] = (mote_colour_key){k.size[i].life, {(float)i, 0, 0.7f, 1}, MOTE_EASE_STEP};
    }
    ASSERT(at_life(&k, 0, 64).size, ==, k.size[0].size);
    ASSERT(at_life(&k, 16, 64).size, ==, k.size[0].size);
    ASSERT(at_life(&k, 32, 64).size, ==, k.size[1].size);
    ASSERT(at_life(&k, 48, 64).size, ==, k.size[2].size);
    ASSERT(at_life(&k, 63, 64).size, ==, k.size[2].size);
    ASSERT(at_life(&k, 64, 64).size, ==, k.size[2].size);
    ASSERT_NEAR(at_life(&k, 24, 64).size, 0.25, 1e-7); /* halfway */
    ASSERT_NEAR(at_life(&k, 20, 64).size, 0.1 + 0.3 * (3 / 16.0 - 2 / 64.0), 1e-7);
    ASSERT(at_life(&k, 31, 64).colour[0], ==, 0);
    ASSERT(at_life(&k, 32, 64).colour[0], ==, 1);
    ASSERT(at_life(&k, 40, 64).bytes[0], ==, 255);
    ASSERT(at_life(&k, 40, 64).bytes[2], ==, 179); /* 178.5 and a half */
}

/* The memory of a curve may hold anything. */
TEST(curves_are_the_same_in_any_memory) {
    const mote_size_key sizes[] = {{.life = 0, .size = 1}, {.life = 0.5f, .easing = MOTE_EASE_IN, .size = 3}};
    const mote_colour_key colours[] = {{.life = 0.25f, .colour = {1, 0.5f, 0.25f, 1}}};
    mote_present_layout layout = mote_default_present_layout();
    layout.size_keys = sizes, layout.size_key_count = COUNT_OF(sizes);
    layout.colour_keys = colours, layout.colour_key_count = COUNT_OF(colours);
    mote_curve curve[2][2];
    memset(curve[0], 0, sizeof curve[0]), memset(curve[1], 0x11, sizeof curve[1]);
    for (int i = 0; i < 2; i++)
        mote_curve_of_sizes(&curve[i][0], &layout), mote_curve_of_colours(&curve[i][1], &layout);
    ASSERT(curve[0][0].count, ==, 2u);
    ASSERT(curve[0][1].count, ==, 1u);
    for (int i = 0; i < 2; i++) {
        ASSERT(curve[1][i].count, ==, curve[0][i].count);
        ASSERT(curve[1][i].alike, ==, curve[0][i].alike);
        assert_memory_equal(curve[1][i].life, curve[0][i].life, sizeof curve[0][i].life);
        assert_memory_equal(curve[1][i].value, curve[0][i].value, sizeof curve[0][i].value);
        assert_memory_equal(curve[1][i].change, curve[0][i].change, sizeof curve[0][i].change);
    }
}

TEST(keys_may_be_as_close_as_floats) {
    keys k = {.count = 3};
    const float lives[3] = {0, 0x1p-149f, 0x1p-148f};
    for (uint32_t i = 0; i < 3; i++) {
        k.size[i] = (mote_size_key){lives[i], (float)i, MOTE_EASE_OUT};
        k.colour[i] = (mote_colour_key){lives[i], {0, 0, 0, 1}, MOTE_EASE_IN};
    }
    ASSERT(at_life(&k, 0, 64).size, ==, 0);
    ASSERT(at_life(&k, 1, 64).size, ==, 2);
}

/* --- Refusals --- */

static void refuse(mote_system *system, mote_present_layout layout, mote_result want, const char *name) {
    static vertex got[CROWD];
    const char *parameter = NULL;
    test_case("%s: %s", name, mote_result_text(want));
    REFUSALS(system, RETURNS(want, mote_system_present(system, &layout, got, sizeof got)),
             RETURNS(want, mote_present_layout_check(system, &layout, &parameter)));
    assert_string_equal(parameter, name);
}

static void refuse_sizes(mote_system *system, const keys *k, mote_result want) {
    refuse(system, layout_of(k), want, "size_keys");
}

static void refuse_colours(mote_system *system, const keys *k, mote_result want) {
    refuse(system, layout_of(k), want, "colour_keys");
}

TEST(wrong_keys_are_refused_by_name) {
    const mote_system_def def = def_of(MOTE_INTERPOLATE_LINEAR, true);
    random_source random = {1};
    mote_system *system = crowd(&def, 10);
    const keys good = random_keys(&random, 4, MOTE_EASE_LINEAR);
    keys k = good;
    k.size[2].life = k.size[1].life, refuse_sizes(system, &k, MOTE_ERROR_RANGE), k = good;
    k.size[3].life = 1.0000001f, refuse_sizes(system, &k, MOTE_ERROR_RANGE), k = good;
    k.size[0].life = -1e-40f, refuse_sizes(system, &k, MOTE_ERROR_RANGE), k = good;
    k.size[1].life = NAN, refuse_sizes(system, &k, MOTE_ERROR_NOT_FINITE), k = good;
    k.size[0].size = INFINITY, refuse_sizes(system, &k, MOTE_ERROR_NOT_FINITE), k = good;
    k.size[1].size = 3e38f, k.size[2].size = -3e38f;
    refuse_sizes(system, &k, MOTE_ERROR_NOT_FINITE), k = good;
    k.size[3].easing = MOTE_EASING_COUNT, refuse_sizes(system, &k, MOTE_ERROR_ENUM), k = good;
    k.colour[2].life = 0, refuse_colours(system, &k, MOTE_ERROR_RANGE), k = good;
    k.colour[2].life = INFINITY, refuse_colours(system, &k, MOTE_ERROR_NOT_FINITE), k = good;
    k.colour[1].colour[3] = NAN, refuse_colours(system, &k, MOTE_ERROR_NOT_FINITE), k = good;
    k.colour[1].colour[2] = 3e38f, k.colour[0].colour[2] = -3e38f;
    refuse_colours(system, &k, MOTE_ERROR_NOT_FINITE), k = good;
    k.colour[0].easing = (mote_easing)-1, refuse_colours(system, &k, MOTE_ERROR_ENUM), k = good;
    mote_system_destroy(system);
}

TEST(wrong_layouts_of_keys_are_refused_by_name) {
    const mote_system_def def = def_of(MOTE_INTERPOLATE_LINEAR, true);
    random_source random = {1};
    mote_system *system = crowd(&def, 10);
    const keys k = random_keys(&random, MOTE_MAX_KEYS, MOTE_EASE_LINEAR);
    const mote_present_layout good = layout_of(&k);
    mote_present_layout l = good;
    OK(mote_present_layout_check(system, &l, NULL));
    l.size_column = MOTE_MAX_EXTRA_COLUMNS - 1, l.order = (const uint32_t[1]){10}, l.order_count = 1;
    OK(mote_present_layout_check(NULL, &l, NULL)); /* a column and a slot that only a system may lack */
    refuse(system, l, MOTE_ERROR_ABSENT, "size_column"), l.size_column = good.size_column;
    refuse(system, l, MOTE_ERROR_RANGE, "order"), l = good;
    l.size_keys = NULL, refuse(system, l, MOTE_ERROR_NULL, "size_keys"), l = good;
    l.colour_keys = NULL, refuse(system, l, MOTE_ERROR_NULL, "colour_keys"), l = good;
    l.size_key_count = 0, refuse(system, l, MOTE_ERROR_RANGE, "size_key_count"), l = good;
    l.size_key_count = MOTE_MAX_KEYS + 1, refuse(system, l, MOTE_ERROR_RANGE, "size_key_count"), l = good;
    l.colour_key_count = 0, refuse(system, l, MOTE_ERROR_RANGE, "colour_key_count"), l = good;
    l.colour_key_count = UINT32_MAX, refuse(system, l, MOTE_ERROR_RANGE, "colour_key_count"), l = good;
    l.colour_format = MOTE_COLOUR_FORMAT_COUNT, refuse(system, l, MOTE_ERROR_ENUM, "colour_format"), l = good;
    l.size_offset = sizeof(vertex) - 3, refuse(system, l, MOTE_ERROR_RANGE, "size_offset"), l = good;
    l.colour_offset = sizeof(vertex) - 15, refuse(system, l, MOTE_ERROR_RANGE, "colour_offset");
    l.colour_format = MOTE_COLOUR_UNORM8, OK(mote_present_layout_check(system, &l, NULL)), l = good;
    l.size_column = 0, refuse(system, l, MOTE_ERROR_RANGE, "size_column"), l = good;
    l.size_column = 2, refuse(system, l, MOTE_ERROR_RANGE, "size_column"), l = good;
    l.size_column = 3, refuse(system, l, MOTE_ERROR_ABSENT, "size_column"), l = good;
    l.size_column = MOTE_MAX_EXTRA_COLUMNS, refuse(system, l, MOTE_ERROR_RANGE, "size_column"), l = good;
    l.size_offset = MOTE_OMIT, l.size_keys = NULL, l.size_column = 77; /* not read */
    OK(mote_present_layout_check(system, &l, NULL));
    mote_system_destroy(system);
}
