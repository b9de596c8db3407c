/* The state of bundles between steps: roots, pins and their spans, resets, what counts in the hash, what is
 * measured. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "bundle.h"

/* One float32 rounding, relative. */
static const double UNIT = 0x1p-24;

/* --- Roots --- */

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
    for (int i = 0; i < 3; i++) ASSERT(fabs(b->root_from[i][lane] - position[i]), <=, 3 * 16 * UNIT);
    for (int i = 0; i < 4; i++) ASSERT(fabs(b->root_from[3 + i][lane] - rotation[i]), <=, 8 * UNIT);
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

/* A root is on its way to a target when it gets another: it leaves from where it stands then. Ticks lie
 * anywhere. */
TEST(roots_on_the_way) {
    static strands s;
    make_strands(&s, 18, 4, 1);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    const mote_strands *b = inside(system, id);
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
            assert_true(!b->root_pending[lane]);
            /* What is there now is where the next leg begins: errors do not add up in the comparison. */
            for (int i = 0; i < 4; i++) ASSERT(fabsf(b->root_to[3 + i][lane]), <=, 1);
        }
        for (int i = 0; i < 3; i++) from[i] = b->root_from[i][0];
        for (int i = 0; i < 4; i++) turned[i] = b->root_from[3 + i][0];
        assert_int_equal(mote_system_step(system, random_below(&random, 4), NULL), MOTE_OK);
    }
    mote_system_destroy(system);
}

/* q and -q are one rotation; the target is stored on the side of where the root stands. */
TEST(shorter_arc) {
    static strands s;
    make_strands(&s, 3, 4, 1);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    const mote_strands *b = inside(system, id);
    for (int sign = -1; sign <= 1; sign += 2) {
        mote_transform target = {{1, 2, 3}, {0, (float)sign * 3, 0, (float)sign * 4}};
        assert_int_equal(mote_strands_set_root(system, id, 1, &target, MOTE_NEXT_ADVANCE), MOTE_OK);
        uint32_t lane = b->lane_of_strand[1];
        ASSERT(b->root_to[4][lane], ==, 0.6f);
        ASSERT(b->root_to[6][lane], ==, 0.8f);
        assert_true(b->root_pending[lane]);
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
TEST(roots_of_their_own) {
    static strands s;
    make_strands(&s, 18, 9, 5);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    mote_strands *b = inside(system, id);
    mote_transform each[18];
    for (uint32_t i = 0; i < 18; i++) each[i] = (mote_transform){{(float)i, 0, 0}, {0, 0, 0, 1}};
    assert_int_equal(mote_strands_set_roots(system, id, each, 18, MOTE_NEXT_ADVANCE), MOTE_OK);
    assert_int_equal(mote_strands_pin(system, id, 3, 1, (vec3){1, 2, 3}, MOTE_NEXT_ADVANCE), MOTE_OK);
    assert_int_equal(mote_strands_set_root(system, id, 6, &each[6], 55), MOTE_OK);
    mote_strands_resolve(b, 1234);
    mote_strands_resolve(b, 5678);
    for (uint32_t i = 0; i < 18; i++) {
        uint32_t lane = b->lane_of_strand[i];
        ASSERT(b->root_to[0][lane], ==, (float)i);
        assert_true(!b->root_pending[lane]);
        assert_int_equal(b->root_to_tick[lane], i == 6 ? 55 : 1234);
    }
    ASSERT(b->pins[0].to_tick, ==, 1234);
    assert_true(!b->pins[0].pending);
    mote_system_destroy(system);
}

/* --- Resets --- */

/* The quaternion (1, 1, 1, 1) / 2 takes (x, y, z) to (z, x, y), and the coordinates are eighths: all is
 * exact. */
TEST(reset) {
    static strands s;
    make_strands(&s, 21, 9, 9);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    mote_strands *b = inside(system, id);
    uint64_t fresh = mote_system_hash(system);
    assert_int_equal(mote_strands_reset(system, id, MOTE_ALL_STRANDS), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, fresh);
    const mote_transform turned = {{1, 2, 3}, {1, 1, 1, 1}};
    assert_int_equal(mote_strands_set_roots(system, id, &turned, 1, UINT64_MAX - 1), MOTE_OK);
    assert_int_equal(mote_strands_pin(system, id, 4, 1, (vec3){7, 8, 9}, UINT64_MAX - 1), MOTE_OK);
    for (uint32_t strand = 0; strand < 21; strand++)
        for (uint32_t k = 0; k < s.points[strand]; k++) {
            uint32_t slot = mote_strands_slot(system, id, strand, k);
            for (int axis = 0; axis < 3; axis++)
                b->x[axis][slot] = b->v[axis][slot] = b->previous_x[axis][slot] = 5;
        }
    memset(b->frozen, 1, 21), memset(b->infeasible, 1, 21);
    for (uint32_t lane = 0; lane < 21; lane++)
        b->stretch[lane] = b->stretch_sum[lane] = 1, b->capped[lane] = 1;
    b->started = true;
    for (uint32_t done = 0; done <= 21; done++) {
        assert_int_equal(mote_strands_reset(system, id, done < 21 ? done : MOTE_ALL_STRANDS), MOTE_OK);
        ASSERT(b->started, ==, (done < 21));
        for (uint32_t strand = 0; strand < 21; strand++) {
            bool rests = strand <= done;
            uint32_t lane = b->lane_of_strand[strand];
            ASSERT(b->frozen[lane], ==, !rests);
            ASSERT(b->infeasible[lane], ==, !rests);
            ASSERT((b->stretch[lane] == 0), ==, rests);
            ASSERT(b->stretch_sum[lane], ==, !rests);
            ASSERT(b->capped[lane], ==, !rests);
            ASSERT((b->root_from[0][lane] == 1), ==, rests);
            for (uint32_t k = 0; k < s.points[strand]; k++) {
                uint32_t slot = mote_strands_slot(system, id, strand, k);
                const float *p = position_of(&s, strand, k), pin[3] = {7, 8, 9};
                for (int axis = 0; axis < 3; axis++) {
                    float want =
                        strand == 4 && k == 1 ? pin[axis] : p[(axis + 2) % 3] + turned.position[axis];
                    ASSERT(b->x[axis][slot], ==, (rests ? want : 5));
                    ASSERT(b->v[axis][slot], ==, (rests ? 0 : 5));
                }
                ASSERT((isnan(b->previous_x[0][slot]) != 0), ==, rests);
            }
        }
        for (int axis = 0; axis < 3; axis++)
            ASSERT((b->pins[0].from[axis] == b->pins[0].to[axis]), ==, (done >= 4));
    }
    assert_int_equal(mote_strands_reset(system, id, 21), MOTE_ERROR_RANGE);
    mote_system_destroy(system);
}

/* --- Pins --- */

/* What is pinned, kept as plainly as can be. */
typedef struct pin_model {
    bool pinned[MOST_STRANDS][LONGEST];
    float to[MOST_STRANDS][LONGEST][3];
} pin_model;

static bool holds(const pin_model *m, const strands *s, uint32_t strand, uint32_t k) {
    return m->pinned[strand][k] || (k == 0 && !s->def.free_roots);
}

static uint32_t strand_at(const mote_strands *b, uint32_t lane) { return b->strand_of_lane[lane]; }

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

static void check_spans(const pin_model *m, const strands *s, const mote_strands *b) {
    uint32_t spans = 0;
    for (uint32_t strand = 0; strand < s->def.strand_count; strand++) {
        uint32_t lane = b->lane_of_strand[strand], before = MOTE_NO_SLOT,
                 first = mote_strands_slot_of(b, lane, 0);
        double length = 0;
        for (uint32_t k = 0; k < s->points[strand]; k++) {
            uint32_t slot = first + 16 * k;
            if (k) length += b->rest_length[slot - 16];
            if (!holds(m, s, strand, k)) continue;
            const mote_span_of_pins *span = span_at(b, lane, slot);
            assert_int_equal(span != NULL, before != MOTE_NO_SLOT);
            if (span) {
                ASSERT(span->lane, ==, lane);
                ASSERT(span->first_slot, ==, before);
                ASSERT(span->rest_length, ==, (float)length);
            }
            spans += span != NULL;
            before = slot, length = 0;
        }
    }
    assert_int_equal(spans, b->span_count);
}

static void check_pins(const pin_model *m, const strands *s, const mote_strands *b) {
    uint32_t pins = 0;
    for (uint32_t strand = 0; strand < s->def.strand_count; strand++)
        for (uint32_t k = 0; k < s->points[strand]; k++) {
            uint32_t lane = b->lane_of_strand[strand], slot = mote_strands_slot_of(b, lane, k);
            pins += m->pinned[strand][k];
            float free_one = (float)(s->points[strand] / (double)s->mass[strand]);
            ASSERT(b->inverse_mass[slot], ==, (holds(m, s, strand, k) ? 0 : free_one));
        }
    assert_int_equal(b->pin_count, pins);
    uint32_t at = 0, spans = 0;
    for (uint32_t group = 0; group < b->group_count; group++) {
        const mote_strand_group *g = &b->group[group];
        if (g->pin_count) assert_int_equal(g->first_pin, at);
        if (g->span_count) assert_int_equal(g->first_span, spans);
        spans += g->span_count;
        for (uint32_t end = at + g->pin_count; at < end; at++) {
            const mote_pin *pin = &b->pins[at];
            uint32_t strand = strand_at(b, pin->lane), k = (pin->slot - g->first) / 16;
            assert_true(at == 0 || b->pins[at - 1].slot < pin->slot);
            assert_int_equal(pin->lane / 16, group);
            assert_int_equal(pin->slot, mote_strands_slot_of(b, pin->lane, k));
            assert_true(m->pinned[strand][k]);
            assert_memory_equal(pin->to, m->to[strand][k], sizeof pin->to);
        }
    }
    assert_int_equal(at, pins);
    check_spans(m, s, b);
}

/* Random edits against the model. Whether a point is pinned decides what each call returns. */
TEST(pins) {
    static strands s;
    static pin_model m;
    random_source random = {3};
    for (int round = 0; round < 4; round++) {
        make_strands(&s, 40, 7, (uint64_t)round);
        s.def.free_roots = round % 2;
        memset(&m, 0, sizeof m);
        mote_system *system = make_system(NULL);
        mote_strands_id id = add_strands(system, &s);
        const mote_strands *b = inside(system, id);
        for (uint32_t edit = 0; edit < 600; edit++) {
            uint32_t strand = random_below(&random, 41), k = random_below(&random, 8);
            bool is_point = strand < 40 && k < s.points[strand], root = k == 0 && !s.def.free_roots;
            bool take = random_below(&random, 10) < (edit < 300 ? 3 : 7);
            vec3 to = {random_between(&random, -9, 9), 1, 2};
            uint64_t tick = edit % 3 ? edit : MOTE_NEXT_ADVANCE, hash = mote_system_hash(system);
            mote_result want =
                !is_point || root || (take && !m.pinned[strand][k]) ? MOTE_ERROR_RANGE : MOTE_OK;
            assert_int_equal(take ? mote_strands_unpin(system, id, strand, k)
                                  : mote_strands_pin(system, id, strand, k, to, tick),
                             want);
            ASSERT((mote_system_hash(system) == hash), ==, (want != MOTE_OK));
            if (want) continue;
            m.pinned[strand][k] = !take;
            memcpy(m.to[strand][k], to, sizeof to);
            check_pins(&m, &s, b);
        }
        for (uint32_t at = 0; at < 40 * LONGEST; at++) {
            uint32_t strand = at % 40, k = at / 40;
            if (!m.pinned[strand][k]) continue;
            assert_int_equal(mote_strands_unpin(system, id, strand, k), MOTE_OK);
            m.pinned[strand][k] = false;
            check_pins(&m, &s, b);
        }
        assert_int_equal(b->pin_count, 0);
        mote_system_destroy(system);
    }
}

/* A pin leaves from where its point stands, again when it gets another target. */
TEST(pin_leaves_from_its_point) {
    static strands s;
    make_strands(&s, 3, 4, 2);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    mote_strands *b = inside(system, id);
    uint32_t slot = mote_strands_slot(system, id, 2, 1);
    for (int i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) b->x[axis][slot] = (float)(10 * i + axis);
        assert_int_equal(mote_strands_pin(system, id, 2, 1, (vec3){1, 2, 3}, i == 1 ? MOTE_NEXT_ADVANCE : 17),
                         MOTE_OK);
        for (int axis = 0; axis < 3; axis++) ASSERT(b->pins[0].from[axis], ==, (float)(10 * i + axis));
        assert_int_equal(b->pin_count, 1);
        ASSERT(b->pins[0].pending, ==, (i == 1));
        ASSERT(b->pins[0].to_tick, ==, (i == 1 ? MOTE_NEXT_ADVANCE : 17));
        ASSERT(b->pins[0].from_tick, ==, mote_system_steps(system) * system->clock.ticks_per_step);
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    }
    mote_system_destroy(system);
}

/* As many pins as there may be, and one more. */
TEST(most_pins) {
    static float positions[3 * 1024 * 5];
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 5, def.points = 1024, def.positions = positions, def.free_roots = true;
    mote_system *system = make_system(NULL);
    mote_strands_id id;
    assert_int_equal(mote_system_add_strands(system, &def, &id, NULL), MOTE_OK);
    for (uint32_t i = 0; i < MOTE_MAX_PINS; i++)
        assert_int_equal(mote_strands_pin(system, id, i % 5, i / 5, (vec3){0, 0, 0}, 0), MOTE_OK);
    uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_strands_pin(system, id, 4, 1000, (vec3){0, 0, 0}, 0), MOTE_ERROR_CAPACITY);
    ASSERT(mote_system_hash(system), ==, hash);
    assert_int_equal(mote_strands_pin(system, id, 0, 0, (vec3){1, 0, 0}, 0), MOTE_OK);
    assert_int_equal(mote_strands_unpin(system, id, 1, 1), MOTE_OK);
    assert_int_equal(mote_strands_pin(system, id, 4, 1000, (vec3){0, 0, 0}, 0), MOTE_OK);
    mote_system_destroy(system);
}
