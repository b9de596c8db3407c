/* Presentation of strands: vertices where the caller wants them, as polylines and as ribbons. */
#include "test.h"

#include <float.h>

#include "strand_picture.h"

/* One vertex, read back through its layout. */
typedef struct vertex {
    float x[3], t[3], side, u;
} vertex;

static vertex read_vertex(const mote_strand_layout *l, const unsigned char *vertices, uint64_t i) {
    vertex v = {{0}, {0}, 0, 0};
    const unsigned char *at = vertices + i * l->stride;
    if (l->position_offset != MOTE_OMIT) memcpy(v.x, at + l->position_offset, sizeof v.x);
    if (l->tangent_offset != MOTE_OMIT) memcpy(v.t, at + l->tangent_offset, sizeof v.t);
    if (l->side_offset != MOTE_OMIT) memcpy(&v.side, at + l->side_offset, sizeof v.side);
    if (l->parameter_offset != MOTE_OMIT) memcpy(&v.u, at + l->parameter_offset, sizeof v.u);
    return v;
}

/* The largest picture, behind an odd address and before some bytes that have to stay as they are. */
enum { BEFORE = 65, PICTURE = 80 * LONGEST * 2 * 40 };
static unsigned char memory[BEFORE + PICTURE + 64];

/* The vertices, presented into as many bytes as they need. */
static const unsigned char *present(const mote_system *system, mote_strands_id id,
                                    const mote_strand_layout *l) {
    const size_t bytes = (size_t)mote_strands_vertex_count(system, id, l->shape) * l->stride;
    ASSERT(bytes, <=, PICTURE);
    memset(memory, 0xa5, sizeof memory);
    assert_int_equal(mote_strands_present(system, id, l, memory + BEFORE, bytes), MOTE_OK);
    for (size_t i = 0; i < BEFORE; i++) ASSERT(memory[i], ==, 0xa5);
    for (size_t i = BEFORE + bytes; i < sizeof memory; i++) ASSERT(memory[i], ==, 0xa5);
    return memory + BEFORE;
}

typedef struct direction {
    double of[3], length;
} direction;

static direction direct(double x, double y, double z) {
    direction d = {{x, y, z}, sqrt(x * x + y * y + z * z)};
    for (int axis = 0; axis < 3 && d.length > 0; axis++) d.of[axis] /= d.length;
    return d;
}

static direction between(const float a[3], const float b[3]) {
    return direct((double)b[0] - (double)a[0], (double)b[1] - (double)a[1], (double)b[2] - (double)a[2]);
}

static direction cross(const double a[3], const double b[3]) {
    return direct(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

/* t as the header says. */
static direction tangent_of(const float *x, uint32_t k, uint32_t points) {
    const float *here = x + 3 * k, *ahead = k + 1 < points ? here + 3 : here, *behind = k ? here - 3 : here;
    direction t = between(behind, ahead);
    if (t.length < 1e-18) t = between(here, ahead);
    if (t.length < 1e-18) t = between(behind, here);
    if (t.length < 1e-18) t = direct(0, 1, 0);
    return t;
}

static direction side_of(const float eye[3], const float x[3], const direction *t, double *sine) {
    const direction e = between(x, eye);
    direction s = cross(t->of, e.of);
    *sine = e.length > 1e-18 ? s.length : 0;
    if (*sine >= 1e-5) return s;
    int least = 0;
    for (int axis = 1; axis < 3; axis++) least = fabs(t->of[axis]) < fabs(t->of[least]) ? axis : least;
    double axis[3] = {0};
    axis[least] = 1;
    *sine = 1;
    return cross(t->of, axis);
}

/* In units of u = 2^-24: a chord component errs by 1, its unit vector by the norm's 3 and three more
 * roundings, 8 together; t x e by 8 for t, 1 for e and 2 of its own on each of two products of at most |e|,
 * so 22 |e| against a length |e| sine, and 6 for the norm: 30 / sine. x -/+ (w/2) s: that times w/2, 5 more
 * on w/2, 1 on the sum. */
#define ULP (0.5 * (double)FLT_EPSILON)

static void check_vertex(const mote_strand_layout *l, const vertex *v, const float *x, uint32_t k,
                         uint32_t points, int hand) {
    const double u = (double)k / (points - 1),
                 width = (1 - u) * (double)l->root_width + u * (double)l->tip_width;
    const direction t = tangent_of(x, k, points);
    double sine = 1;
    const direction s = side_of(l->eye, x + 3 * k, &t, &sine);
    if (l->parameter_offset != MOTE_OMIT) ASSERT(v->u, ==, (float)k / (float)(points - 1));
    if (l->side_offset != MOTE_OMIT) ASSERT(v->side, ==, (float)hand);
    for (int axis = 0; axis < 3; axis++) {
        const double place = (double)x[3 * k + (uint32_t)axis],
                     want = place + hand * 0.5 * width * s.of[axis];
        const double margin = ULP * (0.5 * width * (30 / sine + 5) + fabs(place) + width);
        if (l->tangent_offset != MOTE_OMIT) ASSERT_NEAR(v->t[axis], t.of[axis], 8 * ULP);
        if (l->position_offset == MOTE_OMIT) continue;
        ASSERT_NEAR(v->x[axis], want, hand ? margin : 0);
    }
}

/* Bytes of a vertex that no output names. */
static void check_gaps(const mote_strand_layout *l, const unsigned char *vertex_bytes) {
    const size_t offset[4] = {l->position_offset, l->tangent_offset, l->side_offset, l->parameter_offset};
    const size_t size[4] = {12, 12, 4, 4};
    for (size_t byte = 0; byte < l->stride; byte++) {
        bool named = false;
        for (int i = 0; i < 4; i++)
            named |= offset[i] != MOTE_OMIT && byte >= offset[i] && byte < offset[i] + size[i];
        if (!named) assert_int_equal(vertex_bytes[byte], 0xa5);
    }
}

static void check_layout(mote_system *system, mote_strands_id id, const mote_strand_layout *l, float alpha) {
    const unsigned char *vertices = present(system, id, l);
    const uint32_t each = vertices_of(l);
    uint64_t first = 0;
    for (uint32_t strand = 0; strand < strands_inside(system, id)->strand_count; strand++) {
        float x[3 * LONGEST];
        const uint32_t points = mote_strands_points(system, id, strand);
        for (uint32_t k = 0; k < points; k++) presented(system, id, strand, k, alpha, x + 3 * k);
        ASSERT(mote_strands_first_vertex(system, id, l->shape, strand), ==, first);
        for (uint32_t i = 0; i < each * points; i++) {
            const vertex v = read_vertex(l, vertices, first + i);
            check_vertex(l, &v, x, i / each, points, each == 1 ? 0 : i % 2 ? 1 : -1);
            check_gaps(l, vertices + (first + i) * l->stride);
        }
        first += each * points;
    }
    ASSERT(mote_strands_vertex_count(system, id, l->shape), ==, first);
}

TEST(every_layout_holds_the_vertices_of_the_header_at_any_alpha) {
    static const uint32_t counts[] = {1, 15, 16, 17, 40, 80};
    static const double alphas[] = {0, 0.5, 0.75};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (size_t j = 0; j < COUNT_OF(alphas); j++)
            for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
                SCENE(system_with((mote_interpolation)mode, (mote_jobs){0}, MOTE_ISA_AUTO), counts[i],
                      i % 2 ? LONGEST : 9, 1 + i);
                scatter_points(system, id, 7 * i + j);
                set_alpha(system, alphas[j]);
                for (int kind = 0; kind < LAYOUTS; kind++) {
                    const mote_strand_layout l = layout_of(kind);
                    check_layout(system, id, &l, (float)alphas[j]);
                }
                mote_system_destroy(system);
            }
}

TEST(strands_that_were_just_added_or_reset_are_presented_where_they_are) {
    SCENE(plain_system(), 20, 40, 3);
    const mote_strand_layout l = mote_default_strand_layout();
    const mote_force_def fall = mote_gravity((float[3]){0, -9.81f, 0});
    mote_force_id force;
    assert_int_equal(mote_system_add_force(system, &fall, &force), MOTE_OK);
    set_alpha(system, 0.5);
    check_layout(system, id, &l, 0.5f);
    assert_memory_equal(present(system, id, &l), s.positions, 12 * s.first[20]);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    for (uint32_t i = 0; i < 20; i++)
        assert_false(isnan(b->range.previous_x[0][mote_strands_slot(system, id, i, 1)]));
    check_layout(system, id, &l, 0.5f);
    const mote_transform there = {{100, 0, 0}, {0, 0, 0, 1}};
    assert_int_equal(mote_strands_set_root(system, id, 3, &there, 0), MOTE_OK);
    assert_int_equal(mote_strands_reset(system, id, 3), MOTE_OK);
    check_layout(system, id, &l, 0.5f);
    const unsigned char *vertices = present(system, id, &l);
    for (uint32_t k = s.first[3]; k < s.first[4]; k++) /* eighths: exact */
        ASSERT(read_vertex(&l, vertices, k).x[0], ==, s.positions[3 * k] + 100);
    mote_system_destroy(system);
}

/* Strands 0 and 4 point at the eye, 1 has no length, 2 folds back on itself and doubles a point, 3 is in the
 * eye. */
TEST(ribbons_are_finite_where_there_is_no_side) {
    static strands s;
    make_strands(&s, 5, 9, 5);
    make_even(&s, 6);
    for (uint32_t k = 0; k < 6; k++) {
        const float n = (float)k, of[5][3] = {{0, 0, n},
                                              {1, 2, 3},
                                              {(float)(k % 2), k < 4 ? 0 : 5, 0},
                                              {0, 0, 49 + n},
                                              {8 * n, 12 * n, 50 + 4 * n}};
        for (int i = 0; i < 5; i++) memcpy(s.positions + 3 * (6 * (uint32_t)i + k), of[i], sizeof of[i]);
    }
    mote_system *system = plain_system();
    mote_strands_id id = add_strands(system, &s);
    mote_strand_layout l = layout_of(5);
    l.eye[0] = l.eye[1] = 0, l.eye[2] = 50;
    check_layout(system, id, &l, 0);
    l.eye[1] = 1e-4f; /* a sine of 2e-6 still counts as along */
    mote_strands *b = strands_inside(system, id);
    for (uint32_t k = 0; k < 6; k++) b->range.x[2][mote_strands_slot(system, id, 3, k)] = k == 2 ? 50 : 49;
    check_layout(system, id, &l, 0);
    const unsigned char *vertices = present(system, id, &l);
    for (uint32_t i = 0; i < 60; i += 2) {
        const vertex left = read_vertex(&l, vertices, i), right = read_vertex(&l, vertices, i + 1);
        const direction across = between(left.x, right.x);
        const direction t = direct((double)left.t[0], (double)left.t[1], (double)left.t[2]);
        const double u = i / 2 % 6 / 5.0, width = (1 - u) * 0.25 + u * 0.0625;
        /* Two ends of at most 70 m and a width, each rounded; t and s 38 units off. */
        ASSERT_NEAR(across.length, width, ULP * (4 * 71 + 40 * width));
        ASSERT_NEAR(t.length, 1, 8 * ULP);
        const double along = across.of[0] * t.of[0] + across.of[1] * t.of[1] + across.of[2] * t.of[2];
        ASSERT_NEAR(along, 0, ULP * (4 * 71 / width + 40));
    }
    mote_system_destroy(system);
}

TEST(vertices_are_the_same_bits_on_any_jobs_and_instruction_set) {
    static unsigned char first[sizeof memory];
    shuffled_jobs shuffled = {{1}, 5, 0};
    for (int kind = 0; kind < LAYOUTS; kind++)
        for (int i = 0; i < 3 + MOTE_ISA_COUNT; i++) {
            const mote_jobs jobs = i == 1   ? dividing(mote_jobs_openmp(3))
                                   : i == 2 ? shuffled_jobs_hook(&shuffled)
                                            : (mote_jobs){0};
            const mote_isa isa = i < 3 ? MOTE_ISA_AUTO : isa_number(i - 3);
            if (i >= 3 && !mote_isa_available(isa)) continue;
            SCENE(system_with(MOTE_INTERPOLATE_LINEAR, jobs, isa), 77, LONGEST, 9);
            const mote_strand_layout l = layout_of(kind);
            scatter_points(system, id, 5);
            set_alpha(system, 0.25);
            present(system, id, &l);
            if (i == 0) memcpy(first, memory, sizeof memory);
            assert_memory_equal(memory, first, sizeof memory);
            mote_system_destroy(system);
        }
}

TEST(indices_connect_a_strand_and_no_two) {
    SCENE(plain_system(), 19, 12, 2);
    const mote_strand_shape lines = MOTE_STRAND_POLYLINES, ribbons = MOTE_STRAND_RIBBONS,
                            none = MOTE_STRAND_SHAPE_COUNT;
    const uint32_t segments = s.first[19] - 19;
    uint32_t line[2 * 19 * 12], band[6 * 19 * 12], n = 0;
    ASSERT(mote_strands_index_count(system, id, lines), ==, 2 * segments);
    ASSERT(mote_strands_index_count(system, id, ribbons), ==, 6 * segments);
    assert_int_equal(mote_strands_index_buffer(system, id, lines, line, 2 * segments), MOTE_OK);
    assert_int_equal(mote_strands_index_buffer(system, id, ribbons, band, 6 * segments), MOTE_OK);
    for (uint32_t i = 0; i < 19; i++)
        for (uint32_t k = s.first[i]; k + 1 < s.first[i + 1]; k++, n++) {
            const uint32_t want[6] = {2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2};
            ASSERT(line[2 * n], ==, k);
            ASSERT(line[2 * n + 1], ==, k + 1);
            assert_memory_equal(band + 6 * n, want, sizeof want);
        }
    assert_int_equal(n, segments);
    REFUSALS(system, REFUSES(BUFFER, mote_strands_index_buffer(system, id, ribbons, band, 6 * segments - 1)),
             REFUSES(NULL, mote_strands_index_buffer(system, id, ribbons, NULL, 6 * segments)),
             REFUSES(ENUM, mote_strands_index_buffer(system, id, none, band, 6 * segments)));
    ASSERT(mote_strands_first_vertex(system, id, ribbons, 19), ==, 2 * s.first[19]);
    ASSERT(mote_strands_first_vertex(system, id, ribbons, 20), ==, MOTE_NO_VERTEX);
    ASSERT(mote_strands_first_vertex(system, id, none, 0), ==, MOTE_NO_VERTEX);
    ASSERT(mote_strands_first_vertex(NULL, id, ribbons, 0), ==, MOTE_NO_VERTEX);
    ASSERT(mote_strands_index_count(system, id, none), ==, 0);
    mote_system_destroy(system);
}

/* Ribbons of which only the parameter is written: both sides have that of their point. */
TEST(ribbons_may_be_written_without_places) {
    SCENE(plain_system(), 3, 4, 2);
    mote_strand_layout l = layout_of(5);
    const mote_strand_layout whole = l;
    static unsigned char want[PICTURE];
    const size_t count = mote_strands_vertex_count(system, id, l.shape);
    memcpy(want, present(system, id, &whole), count * whole.stride);
    l.position_offset = l.tangent_offset = l.side_offset = MOTE_OMIT, l.parameter_offset = 0;
    l.stride = sizeof(float);
    const unsigned char *got = present(system, id, &l);
    for (uint64_t i = 0; i < count; i++)
        ASSERT(read_vertex(&l, got, i).u, ==, read_vertex(&whole, want, i).u);
    mote_system_destroy(system);
}

/* Outputs of as many bytes as a vertex that overlap by one, of places at an odd address: the last coordinate
 * of a place shares it with the parameter. */
TEST(places_may_be_at_odd_addresses_in_vertices_without_gaps) {
    SCENE(plain_system(), 3, 4, 2);
    mote_strand_layout l = mote_default_strand_layout();
    static unsigned char want[PICTURE];
    l.stride = 16, l.position_offset = 0, l.parameter_offset = 12;
    const mote_strand_layout whole = l;
    const size_t count = mote_strands_vertex_count(system, id, l.shape);
    memcpy(want, present(system, id, &whole), count * whole.stride);
    l.position_offset = 1;
    const unsigned char *got = present(system, id, &l);
    for (uint64_t i = 0; i < count; i++)
        for (int axis = 0; axis < 2; axis++)
            ASSERT(read_vertex(&l, got, i).x[axis], ==, read_vertex(&whole, want, i).x[axis]);
    mote_system_destroy(system);
}

TEST(wrong_layouts_are_refused_and_write_nothing) {
    SCENE(plain_system(), 3, 4, 2);
    const size_t bytes = (size_t)s.first[3] * 2 * 40;
    memset(memory, 0xa5, bytes);
    const mote_strand_layout good = layout_of(5);
#define BAD(code, change)                                                                                    \
    do {                                                                                                     \
        mote_strand_layout l = good;                                                                         \
        change;                                                                                              \
        REFUSED(system, code, mote_strands_present(system, id, &l, memory, bytes));                          \
    } while (0)
    BAD(MOTE_ERROR_DEF, l.cookie ^= 1);
    BAD(MOTE_ERROR_ENUM, l.shape = MOTE_STRAND_SHAPE_COUNT);
    BAD(MOTE_ERROR_RANGE, l.position_offset = 21);
    BAD(MOTE_ERROR_RANGE, l.tangent_offset = 21);
    BAD(MOTE_ERROR_RANGE, l.side_offset = 29);
    BAD(MOTE_ERROR_RANGE, l.parameter_offset = 29);
    BAD(MOTE_ERROR_RANGE, l.parameter_offset = MOTE_OMIT - 1);
    BAD(MOTE_ERROR_RANGE, l.stride = 0);
    BAD(MOTE_ERROR_RANGE,
        l.position_offset = l.tangent_offset = l.side_offset = l.parameter_offset = MOTE_OMIT);
    BAD(MOTE_ERROR_RANGE, l.shape = MOTE_STRAND_POLYLINES);
    BAD(MOTE_ERROR_RANGE, l.root_width = -1);
    BAD(MOTE_ERROR_RANGE, l.tip_width = -1);
    BAD(MOTE_ERROR_NOT_FINITE, l.tip_width = INFINITY);
    BAD(MOTE_ERROR_NOT_FINITE, l.root_width = NAN);
    for (int axis = 0; axis < 3; axis++) BAD(MOTE_ERROR_NOT_FINITE, l.eye[axis] = NAN);
    BAD(MOTE_ERROR_BUFFER, l.stride = 41);
    BAD(MOTE_ERROR_BUFFER, l.stride = MOTE_OMIT - 1);
    const size_t too_few = s.first[3] * 2 * 32 - 1;
    REFUSALS(system, REFUSES(BUFFER, mote_strands_present(system, id, &good, memory, too_few)),
             REFUSES(NULL, mote_strands_present(system, id, &good, NULL, bytes)),
             REFUSES(NULL, mote_strands_present(system, id, NULL, memory, bytes)));
    for (size_t i = 0; i < bytes; i++) ASSERT(memory[i], ==, 0xa5);
    REFUSED(system, MOTE_OK, mote_strands_present(system, id, &good, memory, bytes)); /* changes no state */
    mote_system_destroy(system);
}
