/* Where roots and pins stand between steps, and the spans between pins. */
#include "test.h"

#include <math.h>

#include "random_strands.h"

/* One float32 rounding, relative. */
static const double UNIT = 0x1p-24;

static uint64_t ticks_per_step(mote_system *system) {
    mote_advance advance;
    assert_int_equal(mote_system_step(system, 0, &advance), MOTE_OK);
    return advance.ticks_per_step;
}

static void unite(double q[4]) {
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] /= length;
}

/* The normalised blend of two unit quaternions along the shorter arc, in double. */
static void blend(const double a[4], const double b[4], double f, double out[4]) {
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    for (int i = 0; i < 4; i++) out[i] = a[i] + f * ((dot < 0 ? -b[i] : b[i]) - a[i]);
    unite(out);
}

/* Positions take three roundings of numbers up to 16; components of rotations are at most 1 and take two
 * before the square root of the blend, whose length is at least 0.7, divides them, and two more: 8 UNIT
 * covers them. */
static void check_root(const mote_strands *b, uint32_t lane, const double position[3],
                       const double rotation[4]) {
    for (int i = 0; i < 3; i++) ASSERT_NEAR(b->root_from[i][lane], position[i], 3 * 16 * UNIT);
    for (int i = 0; i < 4; i++) ASSERT_NEAR(b->root_from[3 + i][lane], rotation[i], 8 * UNIT);
}

/* A random target whose quaternion has any length. */
static mote_transform random_target(random_source *random, double position[3], double rotation[4]) {
    mote_transform t;
    float scale = random_between(random, 0.1f, 9);
    for (int i = 0; i < 3; i++) position[i] = t.position[i] = random_between(random, -8, 8);
    for (int i = 0; i < 4; i++) rotation[i] = t.rotation[i] = scale * random_between(random, -1, 1);
    unite(rotation);
    return t;
}

/* At ticks of any kind: passed, within a step, at its end. */
TEST(a_root_on_its_way_leaves_for_a_new_target_from_where_it_stands) {
    SCENE(make_system(NULL), 18, 4, 1);
    const uint64_t tps = ticks_per_step(system);
    random_source random = {7};
    double from[3] = {0, 0, 0}, turned[4] = {0, 0, 0, 1}, to[3], turn[4];
    mote_transform target;
    uint64_t start = 0, end = 0;
    for (int round = 0; round < 40; round++) {
        uint64_t now = mote_system_steps(system) * tps;
        double f = round == 0                   ? 0
                   : end <= start || now >= end ? 1
                                                : (double)(now - start) / (double)(end - start);
        if (round) {
            for (int i = 0; i < 3; i++) from[i] += f * (to[i] - from[i]);
            double q[4];
            blend(turned, turn, f, q);
            memcpy(turned, q, sizeof q);
        }
        target = random_target(&random, to, turn);
        start = now;
        end = round % 5 == 0 ? now - (now > 0) : now + random_bits(&random) % (4 * tps);
        assert_int_equal(mote_strands_set_roots(system, id, &target, 1, end), MOTE_OK);
        for (uint32_t lane = 0; lane < 18; lane++) {
            check_root(b, lane, from, turned);
            ASSERT(b->root_from_tick[lane], ==, start);
            ASSERT(b->root_to_tick[lane], ==, end);
            assert_false(mote_travel_is_pending(b->root_to_tick[lane]));
            for (int i = 0; i < 4; i++) ASSERT(fabsf(b->root_to[3 + i][lane]), <=, 1);
        }
        /* The next leg begins at the stored root, so that errors do not add up. */
        for (int i = 0; i < 3; i++) from[i] = b->root_from[i][0];
        for (int i = 0; i < 4; i++) turned[i] = b->root_from[3 + i][0];
        assert_int_equal(mote_system_step(system, random_below(&random, 4), NULL), MOTE_OK);
    }
    mote_system_destroy(system);
}

/* q and -q are one rotation; the target is stored on the side of where the root stands. */
TEST(roots_turn_along_the_shorter_arc) {
    SCENE(make_system(NULL), 3, 4, 1);
    for (int sign = -1; sign <= 1; sign += 2) {
        mote_transform target = {{1, 2, 3}, {0, (float)sign * 3, 0, (float)sign * 4}};
        assert_int_equal(mote_strands_set_root(system, id, 1, &target, MOTE_NEXT_ADVANCE), MOTE_OK);
        uint32_t lane = b->lane_of_strand[1];
        ASSERT(b->root_to[4][lane], ==, 0.6f);
        ASSERT(b->root_to[6][lane], ==, 0.8f);
        assert_true(mote_travel_is_pending(b->root_to_tick[lane]));
        ASSERT(b->root_to[0][b->lane_of_strand[0]], ==, 0);
    }
    mote_transform tiny = {{0, 0, 0}, {0x1p-149f, 0, 0, 0}}, vast = {{0, 0, 0}, {0, 0, 0, 0x1p127f}};
    assert_int_equal(mote_strands_set_roots(system, id, &tiny, 1, 0), MOTE_OK);
    ASSERT(b->root_to[3][0], ==, 1);
    assert_int_equal(mote_strands_set_roots(system, id, &vast, 1, 0), MOTE_OK);
    ASSERT(b->root_to[6][0], ==, 1);
    mote_system_destroy(system);
}

/* A transform for each strand, in the host's numbering; pending ones arrive at the end of the next
 * advance. */
TEST(every_strand_gets_the_root_of_its_number) {
    SCENE(make_system(NULL), 18, 9, 5);
    mote_transform each[18];
    for (uint32_t i = 0; i < 18; i++) each[i] = (mote_transform){{(float)i, 0, 0}, {0, 0, 0, 1}};
    assert_int_equal(mote_strands_set_roots(system, id, each, 18, MOTE_NEXT_ADVANCE), MOTE_OK);
    assert_int_equal(mote_strands_pin(system, id, 3, 1, (float[3]){1, 2, 3}, MOTE_NEXT_ADVANCE), MOTE_OK);
    assert_int_equal(mote_strands_set_root(system, id, 6, &each[6], 55), MOTE_OK);
    mote_strands_resolve(&b->range, 1234);
    mote_strands_resolve(&b->range, 5678);
    for (uint32_t i = 0; i < 18; i++) {
        uint32_t lane = b->lane_of_strand[i];
        ASSERT(b->root_to[0][lane], ==, (float)i);
        assert_false(mote_travel_is_pending(b->root_to_tick[lane]));
        ASSERT(b->root_to_tick[lane], ==, (i == 6 ? 55 : 1234));
    }
    ASSERT(b->range.pins.pins[0].travel.to_tick, ==, 1234);
    assert_false(mote_travel_is_pending(b->range.pins.pins[0].travel.to_tick));
    mote_system_destroy(system);
}

/* Which points are pinned, and where to. */
typedef struct pin_model {
    bool pinned[MOST_STRANDS][LONGEST];
    float to[MOST_STRANDS][LONGEST][3];
} pin_model;

/* The span that ends at a pin, in its group's part of the list, or NULL. */
static const mote_span_of_pins *span_at(const mote_strands *b, uint32_t lane, uint32_t last_slot) {
    const mote_strand_group *g = &b->group[lane / 16];
    const mote_span_of_pins *found = NULL;
    for (uint32_t i = g->first_span; i < g->first_span + g->span_count; i++)
        if (b->spans[i].last_slot == last_slot) {
            assert_null(found);
            found = &b->spans[i];
        }
    return found;
}

/* Inverse masses, and the spans between pinned points; how many pins and spans there are. */
static void check_points(const pin_model *m, const strands *s, const mote_strands *b) {
    uint32_t spans = 0, pins = 0;
    for (uint32_t strand = 0; strand < s->def.strand_count; strand++) {
        const uint32_t lane = b->lane_of_strand[strand];
        const float free_one = (float)(s->points[strand] / (double)s->mass[strand]);
        uint32_t before = MOTE_NO_SLOT, slot = mote_strands_slot_of(b, lane, 0);
        double length = 0;
        for (uint32_t k = 0; k < s->points[strand]; length += b->rest_length[slot], slot += 16, k++) {
            const bool holds = m->pinned[strand][k] || (k == 0 && !s->def.free_roots);
            pins += m->pinned[strand][k];
            ASSERT(b->range.inverse_mass[slot], ==, (holds ? 0 : free_one));
            if (!holds) continue;
            const mote_span_of_pins *span = span_at(b, lane, slot);
            ASSERT((span != NULL), ==, (before != MOTE_NO_SLOT));
            if (span) {
                ASSERT(span->lane, ==, lane);
                ASSERT(span->first_slot, ==, before);
                ASSERT(span->rest_length, ==, (float)length);
                spans++;
            }
            before = slot, length = 0;
        }
    }
    ASSERT(b->range.pins.count, ==, pins);
    ASSERT(b->span_count, ==, spans);
}

/* The list of pins, sorted by slot, and the groups' parts of both lists. */
static void check_lists(const pin_model *m, const mote_strands *b) {
    uint32_t at = 0, spans = 0;
    for (uint32_t group = 0; group < b->group_count; group++) {
        const mote_strand_group *g = &b->group[group];
        const mote_pin_run run = b->range.pins.run[group];
        if (run.count) ASSERT(run.first, ==, at);
        if (g->span_count) ASSERT(g->first_span, ==, spans);
        spans += g->span_count;
        for (uint32_t end = at + run.count; at < end; at++) {
            const mote_pin *pin = &b->range.pins.pins[at];
            const uint32_t lane = mote_strands_lane_of(b, group, pin->slot);
            const uint32_t strand = b->strand_of_lane[lane], k = (pin->slot - g->first) / 16;
            if (at > 0) ASSERT(b->range.pins.pins[at - 1].slot, <, pin->slot);
            ASSERT(pin->unit, ==, group);
            ASSERT(pin->slot, ==, mote_strands_slot_of(b, lane, k));
            assert_true(m->pinned[strand][k]);
            assert_memory_equal(pin->to, m->to[strand][k], sizeof pin->to);
        }
    }
    ASSERT(b->range.pins.count, ==, at);
}

/* Random edits against the model. Whether a point is pinned decides the code of each call. In the end every
 * pin is let go. */
TEST(pins_and_spans_equal_a_plain_model_after_random_edits) {
    static strands s;
    static pin_model m;
    random_source random = {3};
    for (int round = 0; round < 4; round++) {
        make_strands(&s, 40, 7, (uint64_t)round);
        s.def.free_roots = round % 2;
        memset(&m, 0, sizeof m);
        mote_system *system = make_system(NULL);
        mote_strands_id id = add_strands(system, &s);
        const mote_strands *b = strands_inside(system, id);
        for (uint32_t edit = 0; edit < 600 + 41 * 8; edit++) {
            const bool last = edit >= 600;
            const uint32_t strand = last ? edit % 41 : random_below(&random, 41),
                           k = last ? (edit - 600) / 41 : random_below(&random, 8);
            const bool is_point = strand < 40 && k < s.points[strand], root = k == 0 && !s.def.free_roots;
            const bool take = last || random_below(&random, 10) < (edit < 300 ? 3 : 7);
            const float to[3] = {random_between(&random, -9, 9), 1, 2};
            const uint64_t tick = edit % 3 ? edit : MOTE_NEXT_ADVANCE, hash = mote_system_hash(system);
            const bool good = is_point && !root && (!take || m.pinned[strand][k]);
            assert_int_equal(take ? mote_strands_unpin(system, id, strand, k)
                                  : mote_strands_pin(system, id, strand, k, to, tick),
                             good ? MOTE_OK : MOTE_ERROR_RANGE);
            ASSERT((mote_system_hash(system) != hash), ==, good);
            if (!good) continue;
            m.pinned[strand][k] = !take;
            memcpy(m.to[strand][k], to, sizeof to);
            check_points(&m, &s, b);
            check_lists(&m, b);
        }
        ASSERT(b->range.pins.count, ==, 0);
        mote_system_destroy(system);
    }
}

TEST(a_pin_leaves_from_its_point_whenever_it_gets_a_target) {
    SCENE(make_system(NULL), 3, 4, 2);
    uint32_t slot = mote_strands_slot(system, id, 2, 1);
    for (int i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) b->range.x[axis][slot] = (float)(10 * i + axis);
        assert_int_equal(
            mote_strands_pin(system, id, 2, 1, (float[3]){1, 2, 3}, i == 1 ? MOTE_NEXT_ADVANCE : 17),
            MOTE_OK);
        for (int axis = 0; axis < 3; axis++)
            ASSERT(b->range.pins.pins[0].from[axis], ==, (float)(10 * i + axis));
        assert_int_equal(b->range.pins.count, 1);
        ASSERT(mote_travel_is_pending(b->range.pins.pins[0].travel.to_tick), ==, (i == 1));
        ASSERT(b->range.pins.pins[0].travel.to_tick, ==, (i == 1 ? MOTE_NEXT_ADVANCE : 17));
        ASSERT(b->range.pins.pins[0].travel.from_tick, ==,
               mote_system_steps(system) * system->clock.ticks_per_step);
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    }
    mote_system_destroy(system);
}

TEST(one_pin_too_many_is_refused) {
    static float positions[3 * 1024 * 5];
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    def.strand_count = 5, def.points = 1024, def.positions = positions, def.free_roots = true;
    mote_system *system = make_system(NULL);
    mote_strands_id id;
    assert_int_equal(mote_system_add_strands(system, &def, &id, NULL), MOTE_OK);
    for (uint32_t i = 0; i < MOTE_MAX_STRANDS_PINS; i++)
        assert_int_equal(mote_strands_pin(system, id, i % 5, i / 5, (float[3]){0, 0, 0}, 0), MOTE_OK);
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_strands_pin(system, id, 4, 1000, (float[3]){0, 0, 0}, 0));
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK); /* between the pins that there are */
    assert_int_equal(mote_strands_pin(system, id, 0, 0, (float[3]){1, 0, 0}, 0), MOTE_OK);
    assert_int_equal(mote_strands_unpin(system, id, 1, 1), MOTE_OK);
    assert_int_equal(mote_strands_pin(system, id, 4, 1000, (float[3]){0, 0, 0}, 0), MOTE_OK);
    mote_system_destroy(system);
}
