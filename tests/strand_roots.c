/* Strands that are carried: heads that turn, targets and what lies between them, curls. Tolerances follow
 * from UNIT (rope.h). */
#include "test.h"

#include "rope.h"

/* A place of up to 1 m under a rotation: three products and sums of coordinates, and a matrix of a
 * quaternion, each component known to 4 UNIT. */
static const double PLACED = 3 * 6 * 0x1p-24;

/* --- A head --- */

enum { HAIRS = 48, POINTS = 24 };

/* Hairs of 0.2 m stand on a sphere of 0.1 m. */
static void grow_hair(float positions[3 * HAIRS * POINTS]) {
    for (uint32_t i = 0; i < HAIRS; i++) {
        const double y = 1 - 2 * (i + 0.5) / HAIRS, r = sqrt(1 - y * y), turn = 2.4 * i,
                     n[3] = {r * cos(turn), y, r * sin(turn)};
        for (uint32_t k = 0; k < POINTS; k++)
            for (uint32_t a = 0; a < 3; a++)
                positions[3 * (i * POINTS + k) + a] = (float)(n[a] * (0.1 + 0.2 * k / (POINTS - 1)));
    }
}

static rope make_hair(mote_strand_solver solver, float *positions, uint32_t substeps) {
    grow_hair(positions);
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver;
    def.strand_count = HAIRS;
    def.points = POINTS;
    def.positions = positions;
    def.mass = 0.024f;
    def.compliance = solver == MOTE_STRAND_SPRINGS ? 1 / 50.0f : 0;
    return make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, GRAVITY);
}

static void assert_roots(const rope *r, const float *positions, const mote_transform *head) {
    for (uint32_t i = 0; i < HAIRS; i++) {
        const float *p = positions + 3 * i * POINTS;
        double want[3], got[3];
        apply(head, (double[3]){p[0], p[1], p[2]}, want);
        load_point(r, i, 0, got, NULL);
        assert_near(apart(got, want), 0, PLACED);
    }
}

static void assert_held(const rope *r) {
    for (uint32_t i = 0; i < HAIRS; i++) {
        mote_strand_step_report report = report_of(r, i);
        assert_alive(r, i);
        /* 0.2 m / 23 a segment, known to 6 UNIT of 0.5 m */
        assert_true(report.capped || report.stretch <= 0.002 + 6 * UNIT * 0.5 * 23 / 0.2);
    }
}

TEST(a_head_that_turns_by_half_in_one_frame) {
    static const double axes[3][3] = {{0, 1, 0}, {1, 0, 0}, {0.6, 0, 0.8}};
    float positions[3 * HAIRS * POINTS];
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++)
        for (int axis = 0; axis < 3; axis++) {
            rope r = make_hair((mote_strand_solver)solver, positions, solver == MOTE_STRAND_SPRINGS ? 64 : 8);
            for (int turn = 1; turn <= 6; turn++) {
                const mote_transform head = turn_about(axes[axis], PI * turn, (double[3]){0.05 * turn, 0, 0});
                assert_int_equal(mote_strands_set_roots(r.system, r.id, &head, 1, MOTE_NEXT_ADVANCE),
                                 MOTE_OK);
                step_rope(&r, 1);
                assert_roots(&r, positions, &head);
                for (uint32_t i = 0; i < HAIRS; i++) assert_alive(&r, i);
                if (solver != MOTE_STRAND_SPRINGS) assert_held(&r);
            }
            step_rope(&r, 30);
            if (solver != MOTE_STRAND_SPRINGS) assert_held(&r);
            destroy_rope(&r);
        }
}

/* --- Between targets --- */

enum { SUBSTEPS = 8 };

/* Where the root of strand 0 stood when the forces were asked for. */
typedef struct watch {
    uint32_t slot, count;
    double time[64], x[64][3];
} watch;

static void look(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    watch *w = user;
    (void)x, (void)y, (void)z;
    if (stage->strands.generation == 0 || w->count == 64) return;
    if (w->slot < stage->first || w->slot >= stage->first + stage->count) return;
    const uint32_t at = w->slot - stage->first;
    w->time[w->count] = stage->time;
    w->x[w->count][0] = stage->x[at], w->x[w->count][1] = stage->y[at], w->x[w->count][2] = stage->z[at];
    w->count++;
}

static rope make_watched(mote_strand_solver solver, watch *w) {
    static float positions[3 * 8];
    lay_line(positions, 8, (double[3]){0.5, 0.25, 0}, (double[3]){1, 0.25, 0});
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver;
    def.strand_count = 1;
    def.points = 8;
    def.positions = positions;
    def.mass = 0.1f;
    def.compliance = solver == MOTE_STRAND_SPRINGS ? 1 / 50.0f : 0;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){64, 1}, SUBSTEPS, GRAVITY);
    mote_force_def force = mote_callback(look, w);
    mote_force_id id;
    assert_int_equal(mote_system_add_force(r.system, &force, &id), MOTE_OK);
    *w = (watch){.slot = mote_strands_slot(r.system, r.id, 0, 0)};
    return r;
}

/* Straight, and along the normalised mean of the quaternions. */
static void between(const mote_transform *from, const mote_transform *to, double f, double out[3]) {
    mote_transform at;
    double cosine = 0;
    for (int i = 0; i < 4; i++) cosine += (double)from->rotation[i] * to->rotation[i];
    for (int i = 0; i < 4; i++)
        at.rotation[i] = (float)((1 - f) * from->rotation[i] + (cosine < 0 ? -f : f) * to->rotation[i]);
    for (int i = 0; i < 3; i++) at.position[i] = (float)((1 - f) * from->position[i] + f * to->position[i]);
    apply(&at, (double[3]){0.5, 0.25, 0}, out);
}

TEST(roots_travel_through_every_substep) {
    const mote_transform start = MOTE_TRANSFORM_IDENTITY;
    const mote_transform target = turn_about((double[3]){0, 0, 1}, 4.5, (double[3]){0.25, -0.5, 0.125});
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++) {
        watch w;
        rope r = make_watched((mote_strand_solver)solver, &w);
        assert_int_equal(mote_strands_set_roots(r.system, r.id, &target, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 3); /* one advance of three steps: the target is at its end */
        assert_int_equal(w.count, 3 * SUBSTEPS);
        double want[3];
        for (uint32_t i = 0; i < w.count; i++) {
            assert_near(w.time[i], i / (64.0 * SUBSTEPS), 1e-12);
            between(&start, &target, i / (3.0 * SUBSTEPS), want);
            assert_near(apart(w.x[i], want), 0, 2 * PLACED);
        }
        double v[3];
        load_point(&r, 0, 0, w.x[0], v);
        apply(&target, (double[3]){0.5, 0.25, 0}, want);
        assert_near(apart(w.x[0], want), 0, PLACED);
        /* It moved with the velocity of its last substep, the difference of two places over h. */
        for (int a = 0; a < 3; a++)
            assert_near(v[a], (w.x[0][a] - w.x[w.count - 1][a]) * 64 * SUBSTEPS, 64 * SUBSTEPS * 2 * UNIT);
        destroy_rope(&r);
    }
}

TEST(a_target_replaced_on_the_way) {
    const mote_transform start = MOTE_TRANSFORM_IDENTITY,
                         first = turn_about((double[3]){0, 1, 0}, 1, (double[3]){0.4, 0, 0}),
                         second = turn_about((double[3]){1, 0, 0}, -1.5, (double[3]){0, 0.3, 0});
    watch w;
    rope r = make_watched(MOTE_STRAND_ROBUST, &w);
    const uint64_t ticks = ticks_per_step(&r);
    assert_int_equal(mote_strands_set_root(r.system, r.id, 0, &first, 4 * ticks), MOTE_OK);
    step_rope(&r, 1);
    assert_int_equal(mote_strands_set_root(r.system, r.id, 0, &second, 3 * ticks), MOTE_OK);
    step_rope(&r, 3);
    assert_int_equal(w.count, 4 * SUBSTEPS);
    mote_transform middle; /* where it stood after one step of four */
    double length = 0;
    for (int i = 0; i < 3; i++) middle.position[i] = 0.25f * first.position[i];
    for (int i = 0; i < 4; i++) {
        middle.rotation[i] = 0.75f * start.rotation[i] + 0.25f * first.rotation[i];
        length += pow(middle.rotation[i], 2);
    }
    for (int i = 0; i < 4; i++) middle.rotation[i] = (float)(middle.rotation[i] / sqrt(length));
    double want[3];
    for (uint32_t i = 0; i < w.count; i++) {
        const double steps = i / (double)SUBSTEPS;
        if (steps < 1)
            between(&start, &first, steps / 4, want);
        else
            between(&middle, &second, fmin((steps - 1) / 2, 1), want); /* there before the end */
        assert_near(apart(w.x[i], want), 0, 3 * PLACED);
    }
    destroy_rope(&r);
}

/* A pin travels straight from where its point stands. */
TEST(pins_travel_through_every_substep) {
    watch w;
    rope r = make_watched(MOTE_STRAND_ROBUST, &w);
    w.slot = mote_strands_slot(r.system, r.id, 0, 7);
    double from[3], want[3];
    load_point(&r, 0, 7, from, NULL);
    assert_int_equal(
        mote_strands_pin(r.system, r.id, 0, 7, (vec3){0.75f, 0.5f, 0.125f}, 2 * ticks_per_step(&r)), MOTE_OK);
    step_rope(&r, 3);
    for (uint32_t i = 0; i < w.count; i++) {
        const double f = fmin(i / (2.0 * SUBSTEPS), 1), to[3] = {0.75, 0.5, 0.125};
        for (int a = 0; a < 3; a++) want[a] = from[a] + f * (to[a] - from[a]);
        assert_near(apart(w.x[i], want), 0, 4 * UNIT);
    }
    destroy_rope(&r);
}

/* --- Curls --- */

enum { CURL = 32 };

/* Signed volume of three edges on end, over the cube of their length: what tells a right-handed curl from a
 * left-handed one. */
static void twist_of(const rope *r, uint32_t strand, double twist[CURL - 3]) {
    double x[CURL][3], n[3];
    for (uint32_t k = 0; k < CURL; k++) load_point(r, strand, k, x[k], NULL);
    for (uint32_t k = 0; k + 3 < CURL; k++) {
        double e[3][3];
        for (int j = 0; j < 3; j++)
            for (int a = 0; a < 3; a++) e[j][a] = x[k + (uint32_t)j + 1][a] - x[k + (uint32_t)j][a];
        cross(e[1], e[2], n);
        twist[k] = dot(e[0], n) / pow(dot(e[0], e[0]), 1.5);
    }
}

/* A right-handed and a left-handed helix, 1 cm wide, on a head that turns. */
TEST(curls_turn_with_the_head_and_keep_their_hand) {
    float positions[2 * 3 * CURL];
    for (int k = 0; k < CURL; k++)
        for (int hand = 0; hand < 2; hand++) {
            float *p = positions + 3 * (hand * CURL + k);
            p[0] = (float)(0.01 * cos(0.7 * k)), p[1] = -0.003f * (float)k,
            p[2] = (float)((hand ? 0.01 : -0.01) * sin(0.7 * k));
        }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 2;
    def.points = CURL;
    def.positions = positions;
    def.mass = 0.032f;
    def.local_pose_stiffness = 20;
    def.normal_drag = def.tangential_drag = 0.2f;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 16, 0);
    double rest[2][CURL - 3], now[CURL - 3];
    for (uint32_t hand = 0; hand < 2; hand++) twist_of(&r, hand, rest[hand]);
    for (int k = 0; k < CURL - 3; k++) ASSERT(rest[0][k] * rest[1][k], <, 0);
    mote_transform head = MOTE_TRANSFORM_IDENTITY;
    for (int step = 0; step < 1200; step++) {
        const double angle = 2 * PI * fmin(step, 60) / 60 * 0.75;
        head = turn_about((double[3]){0.6, 0, 0.8}, angle, (double[3]){0});
        assert_int_equal(mote_strands_set_roots(r.system, r.id, &head, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 1);
        for (uint32_t hand = 0; hand < 2; hand++) {
            double sum = 0, of_rest = 0;
            twist_of(&r, hand, now);
            for (int k = 0; k < CURL - 3; k++) sum += now[k], of_rest += rest[hand][k];
            ASSERT(sum * of_rest, >, 0);
        }
    }
    /* Without a load the rest shape under the head is where it comes to rest. Each segment's direction is
     * known to max_stretch and to its neighbours', so that the tip is to 31 times as much of a segment's 7.6
     * mm. */
    for (uint32_t i = 0; i < 2 * CURL; i++) {
        double want[3], got[3];
        apply(&head, (double[3]){positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]}, want);
        load_point(&r, i / CURL, i % CURL, got, NULL);
        assert_near(apart(got, want), 0, 0.002 * 0.0076 * 31);
    }
    destroy_rope(&r);
}
