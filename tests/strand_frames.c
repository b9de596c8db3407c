/* Frames of presented strands against a plain reference, bit for bit: means of material frames, frames
 * transported from the root, ribbons across them; frames of followers. */
#include "test.h"

#include <float.h>

#include "strand_picture.h"

enum { MOST_POINTS = 40 };

/* --- The reference: one strand after another, in the order of the header --- */

static float dot3(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static float dot4(const float a[4], const float b[4]) { return dot3(a, b) + a[3] * b[3]; }

static void cross3(const float a[3], const float b[3], float out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* a / |a| where it has a direction. */
static bool set_unit(const float a[3], float out[3]) {
    const float square = dot3(a, a), inverse = 1 / sqrtf(square);
    for (int i = 0; i < 3 && square > 1e-36f; i++) out[i] = inverse * a[i];
    return square > 1e-36f;
}

static void set_unit4(float q[4]) {
    const float inverse = 1 / sqrtf(dot4(q, q));
    for (int i = 0; i < 4; i++) q[i] *= inverse;
}

static void reference_tangent(float (*x)[3], uint32_t k, uint32_t points, float t[3]) {
    const float *ahead = k + 1 < points ? x[k + 1] : x[k], *behind = k ? x[k - 1] : x[k];
    float chord[3], next[3], last[3];
    for (int i = 0; i < 3; i++)
        chord[i] = ahead[i] - behind[i], next[i] = ahead[i] - x[k][i], last[i] = x[k][i] - behind[i];
    if (!set_unit(chord, t) && !set_unit(next, t) && !set_unit(last, t)) t[0] = t[2] = 0, t[1] = 1;
}

static void compose(const float a[4], const float b[4], float out[4]) {
    float across[3];
    cross3(a, b, across);
    for (int i = 0; i < 3; i++) out[i] = (a[3] * b[i] + b[3] * a[i]) + across[i];
    out[3] = a[3] * b[3] - dot3(a, b);
}

static void third_axis(const float q[4], float out[3]) {
    const float x = q[0] + q[0], y = q[1] + q[1];
    out[0] = x * q[2] + y * q[3], out[1] = y * q[2] - x * q[3], out[2] = 1 - x * q[0] - y * q[1];
}

static void first_axis(const float q[4], float out[3]) {
    const float y = q[1] + q[1], z = q[2] + q[2];
    out[0] = 1 - y * q[1] - z * q[2], out[1] = y * q[0] + z * q[3], out[2] = z * q[0] - y * q[3];
}

static void reference_turn(float q[4], const float t[3]) {
    float from[3], turn[4], old[4];
    third_axis(q, from);
    if (1 + dot3(from, t) < 1e-3f) {
        const float half[4] = {q[3], q[2], 0 - q[1], 0 - q[0]};
        memcpy(q, half, sizeof half);
        for (int i = 0; i < 3; i++) from[i] = 0 - from[i];
    }
    cross3(from, t, turn);
    turn[3] = 1 + dot3(from, t);
    memcpy(old, q, sizeof old);
    compose(turn, old, q);
    set_unit4(q);
}

/* The material frame of the segment behind point k, between two steps. */
static void reference_segment(const mote_strands *b, uint32_t slot, float alpha, float q[4]) {
    float before[4];
    for (int i = 0; i < 4; i++) q[i] = b->frame[i][slot];
    if (!b->previous_frame[0] || isnan(b->range.previous_x[0][slot])) return;
    for (int i = 0; i < 4; i++) before[i] = b->previous_frame[i][slot];
    const float sign = dot4(before, q) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) q[i] = before[i] + alpha * (sign * q[i] - before[i]);
}

static void reference_mean(const mote_strands *b, const uint32_t *slot, uint32_t k, uint32_t points,
                           float alpha, float q[4]) {
    float before[4];
    reference_segment(b, slot[k ? k - 1 : 0], alpha, before);
    reference_segment(b, slot[k + 1 < points ? k : k - 1], alpha, q);
    const float sign = dot4(before, q) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) q[i] = before[i] + sign * q[i];
    set_unit4(q);
}

/* The frame before point 0: the root's rotation times the first frame of the rest shape. */
static void reference_root(const mote_strands *b, uint32_t lane, const uint32_t *slot, float alpha,
                           float q[4]) {
    float rest[4] = {0, 0, 0, 1}, root[4], u[3] = {0, 0, 1}, d[3];
    for (int i = 0; i < 3; i++) d[i] = b->rest_x[i][slot[1]] - b->rest_x[i][slot[0]];
    const float square = dot3(d, d);
    for (int i = 0; i < 3 && square > 1e-36f; i++) u[i] = d[i] / sqrtf(square);
    reference_turn(rest, u);
    for (int i = 0; i < 4; i++) {
        const float last = b->root_last[i][lane], before = b->root_before[i] ? b->root_before[i][lane] : last;
        root[i] = before + alpha * (last - before);
    }
    compose(root, rest, q);
    set_unit4(q);
}

/* x, t and q of the points of a strand. */
static uint32_t reference_strand(const mote_system *system, mote_strands_id id, uint32_t strand, float alpha,
                                 float (*x)[3], float (*t)[3], float (*q)[4]) {
    const mote_strands *b = strands_inside(system, id);
    const uint32_t points = mote_strands_points(system, id, strand), lane = b->lane_of_strand[strand];
    uint32_t slot[MOST_POINTS];
    float carried[4];
    for (uint32_t k = 0; k < points; k++) {
        slot[k] = mote_strands_slot(system, id, strand, k);
        presented(system, id, strand, k, alpha, x[k]);
    }
    reference_root(b, lane, slot, alpha, carried);
    for (uint32_t k = 0; k < points; k++) {
        reference_tangent(x, k, points, t[k]);
        if (b->frame[0])
            reference_mean(b, slot, k, points, alpha, q[k]);
        else
            memcpy(q[k], k ? q[k - 1] : carried, sizeof q[k]);
        reference_turn(q[k], t[k]);
    }
    return points;
}

/* --- Scenes --- */

typedef struct picture {
    mote_system *system;
    mote_strands_id id;
    float alpha;
} picture;

/* Strands of 2 .. MOST_POINTS points in a random state; rods with random frames, or plain strands under a
 * root that turns. */
static picture make_picture(uint32_t count, bool rods, mote_interpolation mode, mote_isa isa, double alpha) {
    static float x[80 * MOST_POINTS][3];
    static uint32_t points[80];
    random_source random = {count + 1};
    picture p = {system_with(mode, (mote_jobs){0}, isa), {0, 0}, (float)alpha};
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t i = 0; i < count; i++) points[i] = 2 + random_below(&random, MOST_POINTS - 1);
    for (uint32_t i = 0; i < 3 * 80 * MOST_POINTS; i++) x[i / 3][i % 3] = random_between(&random, -5, 5);
    def.strand_count = count, def.strand_points = points, def.positions = x[0];
    if (rods) def.bending_stiffness = 1e-5f, def.twisting_stiffness = 1e-5f;
    assert_int_equal(mote_system_add_strands(p.system, &def, &p.id, NULL), MOTE_OK);
    mote_strands *b = strands_inside(p.system, p.id);
    scatter_points(p.system, p.id, 7);
    for (uint32_t slot = 0; slot < b->range.slot_count && rods; slot++)
        for (int state = 0; state < 2; state++) {
            float *const *const to = state ? b->previous_frame : b->frame;
            float q[4];
            for (int i = 0; i < 4; i++) q[i] = random_between(&random, -1, 1);
            set_unit4(q);
            for (int i = 0; i < 4 && to[0]; i++) to[i][slot] = q[i];
        }
    for (uint32_t lane = 0; lane < b->lane_count; lane++)
        for (int i = 0; i < 4; i++) {
            b->root_last[i][lane] = i == 3 ? 1 : random_between(&random, -1, 1);
            if (b->root_before[i]) b->root_before[i][lane] = random_between(&random, -0.2f, 1);
        }
    set_alpha(p.system, alpha);
    return p;
}

/* Layout number `kind` of KINDS: without and with gaps, in other orders, unaligned, of both shapes. */
enum { KINDS = 6 };
static mote_strand_layout frame_layout(int kind) {
    static const size_t offsets[KINDS][6] = {{16, MOTE_OMIT, MOTE_OMIT, 0, MOTE_OMIT, MOTE_OMIT},
                                             {44, 16, 28, 0, MOTE_OMIT, 40},
                                             {47, 1, 35, 17, MOTE_OMIT, MOTE_OMIT},
                                             {12, 0, MOTE_OMIT, MOTE_OMIT, MOTE_OMIT, MOTE_OMIT},
                                             {48, 0, 12, 24, 40, 44},
                                             {53, 21, 1, 33, 49, 13}};
    const size_t *o = offsets[kind];
    mote_strand_layout l = mote_default_strand_layout();
    if (kind > 2) l.shape = MOTE_STRAND_RIBBONS, l.facing = MOTE_RIBBON_FRAME;
    l.stride = o[0], l.position_offset = o[1], l.tangent_offset = o[2], l.frame_offset = o[3];
    l.side_offset = o[4], l.parameter_offset = o[5], l.root_width = 0.25f, l.tip_width = 0.0625f;
    return l;
}

enum { MEMORY = 80 * MOST_POINTS * 2 * 53 };
static unsigned char memory[MEMORY];

static void expect_floats(const unsigned char *vertex, size_t offset, const float *want, uint32_t count) {
    float got[4];
    if (offset == MOTE_OMIT) return;
    memcpy(got, vertex + offset, count * sizeof *got);
    for (uint32_t i = 0; i < count; i++) ASSERT(got[i], ==, want[i]);
}

static void expect_point(const mote_strand_layout *l, const unsigned char *vertex, float u, const float x[3],
                         const float t[3], const float q[4]) {
    const float width = (1 - u) * l->root_width + u * l->tip_width;
    const bool ribbons = l->shape == MOTE_STRAND_RIBBONS;
    float side[3];
    first_axis(q, side);
    for (uint32_t i = 0; i <= ribbons; i++, vertex += l->stride) {
        const float hand = i ? 1 : -1;
        float place[3];
        for (int axis = 0; axis < 3; axis++) {
            const float half = 0.5f * width * side[axis];
            place[axis] = !ribbons ? x[axis] : i ? x[axis] + half : x[axis] - half;
        }
        expect_floats(vertex, l->position_offset, place, 3);
        expect_floats(vertex, l->tangent_offset, t, 3);
        expect_floats(vertex, l->frame_offset, q, 4);
        expect_floats(vertex, l->side_offset, &hand, 1);
        expect_floats(vertex, l->parameter_offset, &u, 1);
    }
}

static void check_picture(const picture *p, const mote_strand_layout *l) {
    const size_t bytes = (size_t)mote_strands_vertex_count(p->system, p->id, l->shape) * l->stride;
    const unsigned char *vertex = memory;
    ASSERT(bytes, <=, sizeof memory);
    assert_int_equal(mote_strands_present(p->system, p->id, l, memory, bytes), MOTE_OK);
    for (uint32_t strand = 0; strand < strands_inside(p->system, p->id)->strand_count; strand++) {
        float x[MOST_POINTS][3], t[MOST_POINTS][3], q[MOST_POINTS][4];
        const uint32_t points = reference_strand(p->system, p->id, strand, p->alpha, x, t, q);
        for (uint32_t k = 0; k < points; k++, vertex += vertices_of(l) * l->stride)
            expect_point(l, vertex, (float)k / (float)(points - 1), x[k], t[k], q[k]);
    }
}

TEST(frames_are_those_of_the_reference) {
    static const uint32_t counts[] = {1, 15, 16, 17, 40};
    static const double alphas[] = {0, 0.5, 0.984375};
    for (int i = 0; i < 2 * MOTE_INTERPOLATION_COUNT * MOTE_ISA_COUNT; i++) {
        const mote_isa isa = (mote_isa)(i / 2 / MOTE_INTERPOLATION_COUNT);
        const mote_interpolation mode = (mote_interpolation)(i / 2 % MOTE_INTERPOLATION_COUNT);
        if (!mote_isa_available(isa)) continue;
        for (size_t c = 0; c < COUNT_OF(counts); c++)
            for (size_t a = 0; a < COUNT_OF(alphas); a++) {
                const picture p = make_picture(counts[c], i % 2, mode, isa, alphas[a]);
                for (int kind = 0; kind < KINDS; kind++) {
                    const mote_strand_layout l = frame_layout(kind);
                    test_case("%s, isa %d, mode %d, %u strands, alpha %g, layout %d",
                              i % 2 ? "rods" : "strands", (int)isa, (int)mode, counts[c], alphas[a], kind);
                    check_picture(&p, &l);
                }
                mote_system_destroy(p.system);
            }
    }
}

TEST(frames_are_the_same_bits_on_any_jobs) {
    static unsigned char first[MEMORY];
    shuffled_jobs shuffled = {{1}, 5, 0};
    for (int kind = 0; kind < 2 * KINDS; kind++) {
        const picture p = make_picture(77, kind % 2, MOTE_INTERPOLATE_LINEAR, MOTE_ISA_AUTO, 0.25);
        const mote_strand_layout l = frame_layout(kind / 2);
        const size_t bytes = (size_t)mote_strands_vertex_count(p.system, p.id, l.shape) * l.stride;
        const mote_jobs jobs[] = {{0}, dividing(mote_jobs_openmp(3)), shuffled_jobs_hook(&shuffled)};
        for (size_t j = 0; j < COUNT_OF(jobs); j++) {
            p.system->def.jobs = jobs[j];
            memset(memory, 0x5a, sizeof memory);
            assert_int_equal(mote_strands_present(p.system, p.id, &l, memory, bytes), MOTE_OK);
            if (j == 0) memcpy(first, memory, bytes);
            assert_memory_equal(memory, first, bytes);
        }
        mote_system_destroy(p.system);
    }
}

/* --- Ribbons --- */

static void present_ribbons(const picture *p, mote_ribbon_facing facing, unsigned char *to) {
    mote_strand_layout l = frame_layout(3);
    l.facing = facing, l.eye[0] = 3, l.eye[1] = -20, l.eye[2] = 7;
    memset(to, 0, MEMORY);
    assert_int_equal(mote_strands_present(p->system, p->id, &l, to, MEMORY), MOTE_OK);
}

TEST(ribbons_of_rods_lie_across_material_frames_and_others_face_the_eye) {
    static unsigned char got[3][MEMORY];
    for (int rods = 0; rods < 2; rods++) {
        const picture p = make_picture(20, rods, MOTE_INTERPOLATE_LINEAR, MOTE_ISA_AUTO, 0.5);
        for (int facing = 0; facing < MOTE_RIBBON_FACING_COUNT; facing++)
            present_ribbons(&p, (mote_ribbon_facing)facing, got[facing]);
        assert_memory_equal(got[MOTE_RIBBON_MATERIAL], got[rods ? MOTE_RIBBON_FRAME : MOTE_RIBBON_EYE],
                            MEMORY);
        assert_memory_not_equal(got[MOTE_RIBBON_EYE], got[MOTE_RIBBON_FRAME], MEMORY);
        mote_system_destroy(p.system);
    }
}

/* --- Followers --- */

/* Followers with the rest shapes of their guides, one guide each: they coincide, and so do their frames, up
 * to the turn of each frame to the tangent that it has, of 8 units in the last place, which removes the
 * rounding of the turn before it: up to (2e-3)^(-1/2) = 22 times that of a cosine where it was nearly half a
 * turn. */
TEST(followers_have_the_frames_of_their_guides) {
    static unsigned char own[MEMORY], got[MEMORY];
    static float x[3 * 40 * MOST_POINTS];
    for (int i = 0; i < 2 * KINDS; i++) {
        const picture p = make_picture(40, i % 2, MOTE_INTERPOLATE_LINEAR, MOTE_ISA_AUTO, 0.5);
        const mote_strands *b = strands_inside(p.system, p.id);
        uint32_t points[40], guides[3 * 40], n = 0;
        for (uint32_t strand = 0; strand < 40; strand++) {
            points[strand] = mote_strands_points(p.system, p.id, strand);
            guides[3 * strand] = strand, guides[3 * strand + 1] = guides[3 * strand + 2] = MOTE_NO_GUIDE;
            for (uint32_t k = 0; k < points[strand]; k++)
                for (int axis = 0; axis < 3; axis++)
                    x[n++] = b->rest_x[axis][mote_strands_slot(p.system, p.id, strand, k)];
        }
        mote_followers_def def = mote_default_followers_def();
        def.follower_count = 40, def.follower_points = points, def.positions = x, def.guides = guides;
        mote_followers *followers;
        assert_int_equal(mote_followers_create(p.system, p.id, &def, &followers, NULL), MOTE_OK);
        mote_strand_layout l = frame_layout(i / 2);
        const size_t vertices = (size_t)mote_strands_vertex_count(p.system, p.id, l.shape);
        assert_int_equal(mote_strands_present(p.system, p.id, &l, own, vertices * l.stride), MOTE_OK);
        assert_int_equal(mote_followers_present(p.system, followers, &l, got, vertices * l.stride), MOTE_OK);
        for (size_t v = 0; v < vertices; v++) {
            float a[7], c[7];
            const size_t offset[2] = {l.frame_offset, l.position_offset}, floats[2] = {4, 3};
            for (int j = 0; j < 2; j++) {
                if (offset[j] == MOTE_OMIT) continue;
                memcpy(a, own + v * l.stride + offset[j], floats[j] * 4);
                memcpy(c, got + v * l.stride + offset[j], floats[j] * 4);
                for (size_t k = 0; k < floats[j]; k++)
                    ASSERT_NEAR(c[k], (double)a[k],
                                22 * 8 * FLT_EPSILON * (j ? 0.25 + fabs((double)a[k]) : 1));
            }
        }
        mote_followers_destroy(followers);
        mote_system_destroy(p.system);
    }
}

/* --- Refusals --- */

TEST(wrong_frames_and_facings_are_refused) {
    const picture p = make_picture(3, true, MOTE_INTERPOLATE_LINEAR, MOTE_ISA_AUTO, 0);
    const mote_strand_layout good = frame_layout(4);
    mote_strand_layout l = good;
    memset(memory, 0x77, sizeof memory);
    l.frame_offset = 33;
    REFUSED(p.system, MOTE_ERROR_RANGE, mote_strands_present(p.system, p.id, &l, memory, MEMORY));
    l = good, l.stride = 15,
    l.position_offset = l.tangent_offset = l.side_offset = l.parameter_offset = MOTE_OMIT;
    REFUSED(p.system, MOTE_ERROR_RANGE, mote_strands_present(p.system, p.id, &l, memory, MEMORY));
    l = good, l.facing = MOTE_RIBBON_FACING_COUNT;
    REFUSED(p.system, MOTE_ERROR_ENUM, mote_strands_present(p.system, p.id, &l, memory, MEMORY));
    l.facing = (mote_ribbon_facing)-1;
    REFUSED(p.system, MOTE_ERROR_ENUM, mote_strands_present(p.system, p.id, &l, memory, MEMORY));
    for (size_t i = 0; i < sizeof memory; i++) ASSERT(memory[i], ==, 0x77);
    mote_system_destroy(p.system);
}

TEST(columns_have_frames_where_there_is_twist) {
    for (int rods = 0; rods < 2; rods++) {
        const picture p = make_picture(3, rods, MOTE_INTERPOLATE_NONE, MOTE_ISA_AUTO, 0);
        const mote_strands *b = strands_inside(p.system, p.id);
        const mote_strands_view view = mote_strands_columns(p.system, p.id);
        for (int i = 0; i < 4; i++) ASSERT((view.frame[i] != NULL), ==, rods);
        for (int i = 0; i < 4; i++) ASSERT((const void *)view.frame[i], ==, (const void *)b->frame[i]);
        mote_system_destroy(p.system);
    }
}
