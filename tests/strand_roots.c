/* Strands that are carried: heads that turn, targets and the way to them, curls. Tolerances follow from UNIT
 * (rope.h). */
#include "test.h"

#include "one_strand.h"

/* A place of up to 1 m under a rotation: three products and sums of coordinates, and a matrix of a
 * quaternion, each component known to 4 UNIT. */
static const double PLACED = 3 * 6 * 0x1p-24;

enum { HAIRS = 48, POINTS = 24 };

/* Hairs of 0.2 m stand on a sphere of 0.1 m. */
static rope make_hair(mote_strand_solver solver, float positions[3 * HAIRS * POINTS], uint32_t substeps) {
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    for (uint32_t i = 0; i < HAIRS; i++) {
        const double y = 1 - 2 * (i + 0.5) / HAIRS, r = sqrt(1 - y * y), turn = 2.4 * i;
        const double n[3] = {r * cos(turn), y, r * sin(turn)}, root[3] = {0.1 * n[0], 0.1 * n[1], 0.1 * n[2]};
        const double tip[3] = {0.3 * n[0], 0.3 * n[1], 0.3 * n[2]};
        def = one_strand(solver, POINTS, positions + 3 * i * POINTS, root, tip, 1 / 50.0f);
    }
    def.strand_count = HAIRS;
    def.positions = positions;
    def.mass = 0.024f;
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

/* Six half turns, each in a frame: more than the iterations suffice for, but lengths are held all the same.
 * A third of a second after the last the iterations suffice again, and over all the unsolved substeps are no
 * more than three quarters of those of the turns, which start from rest: measured are two thirds. */
TEST(a_head_that_makes_half_a_turn_in_one_frame_keeps_its_hair) {
    static const double axes[3][3] = {{0, 1, 0}, {1, 0, 0}, {0.6, 0, 0.8}};
    const double strain = held(0.002, 0.2 / (POINTS - 1), 0.6);
    float positions[3 * HAIRS * POINTS];
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++)
        for (int axis = 0; axis < 3; axis++) {
            const bool springs = solver == MOTE_STRAND_SPRINGS;
            rope r = make_hair((mote_strand_solver)solver, positions, springs ? 64 : 8);
            mote_transform head = MOTE_TRANSFORM_IDENTITY;
            uint32_t unsolved = 0;
            for (int step = 1; step <= 36; step++) {
                if (step <= 6) {
                    head = turn_about(axes[axis], PI * step, (double[3]){0.05 * step, 0, 0});
                    assert_int_equal(mote_strands_set_roots(r.system, r.id, &head, 1, MOTE_NEXT_ADVANCE),
                                     MOTE_OK);
                }
                step_rope(&r, 1);
                assert_roots(&r, positions, &head);
                for (uint32_t i = 0; i < HAIRS; i++) {
                    assert_alive(&r, i);
                    if (springs) continue;
                    ASSERT(report_of(&r, i).strain, <=, strain);
                    unsolved += report_of(&r, i).unsolved;
                    if (step > 26) ASSERT(report_of(&r, i).unsolved, ==, 0);
                }
            }
            ASSERT(unsolved, <=, 6 * HAIRS * 8 * 3 / 4);
            destroy_rope(&r);
        }
}

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
    mote_strands_def def =
        one_strand(solver, 8, positions, (double[3]){0.5, 0.25, 0}, (double[3]){1, 0.25, 0}, 1 / 50.0f);
    def.mass = 0.1f;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){64, 1}, SUBSTEPS, GRAVITY);
    mote_force_def force = mote_callback(look, w);
    mote_force_id id;
    assert_int_equal(mote_system_add_force(r.system, &force, &id), MOTE_OK);
    *w = (watch){.slot = mote_strands_slot(r.system, r.id, 0, 0)};
    return r;
}

/* The transform at f of the way: straight, and along the normalised mean of the quaternions. */
static mote_transform between(const mote_transform *from, const mote_transform *to, double f) {
    mote_transform at;
    double cosine = 0, length = 0;
    for (int i = 0; i < 4; i++) cosine += (double)from->rotation[i] * to->rotation[i];
    for (int i = 0; i < 4; i++) {
        at.rotation[i] = (float)((1 - f) * from->rotation[i] + (cosine < 0 ? -f : f) * to->rotation[i]);
        length += pow(at.rotation[i], 2);
    }
    for (int i = 0; i < 4; i++) at.rotation[i] = (float)(at.rotation[i] / sqrt(length));
    for (int i = 0; i < 3; i++) at.position[i] = (float)((1 - f) * from->position[i] + f * to->position[i]);
    return at;
}

/* Share of a substep at which callbacks see the points: constraints of one kind drift first. */
static double share_seen(int solver) { return solver == MOTE_STRAND_SPRINGS ? 0 : 0.5; }

/* After one of four steps towards the first target the root gets the second one, for the end of the next
 * advance, of three steps. */
TEST(roots_travel_through_every_substep_from_where_they_stand) {
    const mote_transform start = MOTE_TRANSFORM_IDENTITY,
                         first = turn_about((double[3]){0, 1, 0}, 1, (double[3]){0.4, 0, 0}),
                         second = turn_about((double[3]){0, 0, 1}, 4.5, (double[3]){0.25, -0.5, 0.125});
    const mote_transform middle = between(&start, &first, 0.25);
    const double rest[3] = {0.5, 0.25, 0};
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++) {
        watch w;
        rope r = make_watched((mote_strand_solver)solver, &w);
        assert_int_equal(mote_strands_set_root(r.system, r.id, 0, &first, 4 * ticks_per_step(&r)), MOTE_OK);
        step_rope(&r, 1);
        assert_int_equal(mote_strands_set_roots(r.system, r.id, &second, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 3);
        ASSERT(w.count, ==, 4 * SUBSTEPS);
        double want[3], x[3], v[3], before[3];
        for (uint32_t i = 0; i < w.count; i++) {
            const double steps = (i + share_seen(solver)) / (double)SUBSTEPS;
            const mote_transform at =
                steps < 1 ? between(&start, &first, steps / 4) : between(&middle, &second, (steps - 1) / 3);
            apply(&at, rest, want);
            assert_near(w.time[i], steps / 64, 1e-12);
            assert_near(apart(w.x[i], want), 0, 3 * PLACED);
        }
        apply(&second, rest, want);
        load_point(&r, 0, 0, x, v);
        assert_near(apart(x, want), 0, PLACED);
        /* It moved with the velocity of its last substep, the difference of two places over h. */
        const mote_transform last = between(&middle, &second, 1 - 1 / (3.0 * SUBSTEPS));
        apply(&last, rest, before);
        for (int a = 0; a < 3; a++)
            assert_near(v[a], (x[a] - before[a]) * 64 * SUBSTEPS, 64 * SUBSTEPS * 2 * PLACED);
        destroy_rope(&r);
    }
}

TEST(pins_travel_straight_from_where_their_point_stands) {
    const double to[3] = {0.75, 0.5, 0.125};
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++) {
        watch w;
        rope r = make_watched((mote_strand_solver)solver, &w);
        w.slot = mote_strands_slot(r.system, r.id, 0, 7);
        double from[3], want[3];
        load_point(&r, 0, 7, from, NULL);
        assert_int_equal(
            mote_strands_pin(r.system, r.id, 0, 7, (float[3]){0.75f, 0.5f, 0.125f}, 2 * ticks_per_step(&r)),
            MOTE_OK);
        step_rope(&r, 3);
        assert_int_equal(w.count, 3 * SUBSTEPS);
        for (uint32_t i = 0; i < w.count; i++) {
            const double f = fmin((i + share_seen(solver)) / (2.0 * SUBSTEPS), 1);
            for (int a = 0; a < 3; a++) want[a] = from[a] + f * (to[a] - from[a]);
            assert_near(apart(w.x[i], want), 0, 4 * UNIT);
        }
        destroy_rope(&r);
    }
}

/* Pose springs of 4 N/m draw points of 1/16 kg to their rest places under the root. At rest all hang lower by
 * m g / k, so that no segment has a tension. A rounding of coordinates of 1 m, UNIT, is a velocity for the
 * rest of the way: n of them make n^(3/2) of one. */
TEST(pose_springs_hold_points_at_their_rest_places_under_the_root) {
    const mote_transform there = turn_about((double[3]){0.6, 0, 0.8}, 2, (double[3]){0.25, -0.5, 0});
    const double substeps = 10 * SUBSTEPS;
    float positions[3 * 8];
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++) {
        mote_strands_def def = one_strand((mote_strand_solver)solver, 8, positions, (double[3]){0},
                                          (double[3]){0.5, 0.25, 0}, 1 / 50.0f);
        def.mass = 0.5f;
        def.pose_stiffness = 4;
        def.free_roots = true;
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){64, 1}, SUBSTEPS, GRAVITY);
        assert_int_equal(mote_strands_set_roots(r.system, r.id, &there, 1, 0), MOTE_OK);
        for (int moved = 0; moved < 2; moved++) {
            for (uint32_t k = 0; k < 8; k++) {
                const float *p = positions + 3 * k;
                double want[3], got[3];
                apply(&there, (double[3]){p[0], p[1], p[2]}, want);
                want[1] -= GRAVITY / 16 / 4;
                if (!moved) store_point(&r, 0, k, want, NULL);
                load_point(&r, 0, k, got, NULL);
                assert_near(apart(got, want), 0, 2 * PLACED + pow(substeps, 1.5) * UNIT);
            }
            step_rope(&r, 10);
        }
        destroy_rope(&r);
    }
}

/* The energy of pose springs of 4 N/m by its formula, J; the root does not count, nor does a pinned tip. */
static double pose_energy(const rope *r, const float *positions, const mote_transform *root, bool pinned) {
    double sum = 0;
    for (uint32_t k = 1; k < 8u - pinned; k++) {
        const float *p = positions + 3 * k;
        double pose[3], x[3];
        apply(root, (double[3]){p[0], p[1], p[2]}, pose);
        load_point(r, 0, k, x, NULL);
        sum += 0.5 * 4 * pow(apart(x, pose), 2);
    }
    return sum;
}

/* Rigid segments: the springs to the rest shape are all that is elastic. */
TEST(pose_springs_have_an_elastic_energy_under_the_root_of_the_last_step) {
    const mote_transform there = turn_about((double[3]){0.6, 0, 0.8}, 2, (double[3]){0.25, -0.5, 0});
    float positions[3 * 8];
    mote_strands_def def =
        one_strand(MOTE_STRAND_ROBUST, 8, positions, (double[3]){0}, (double[3]){0.5, 0.25, 0}, 0);
    def.mass = 0.5f, def.pose_stiffness = 4;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){64, 1}, SUBSTEPS, GRAVITY);
    const uint64_t step = ticks_per_step(&r);
    mote_transform at = {{0, 0, 0}, {0, 0, 0, 1}};
    for (uint32_t k = 0; k < 24; k++) {
        mote_statistics s;
        if (k == 4) assert_int_equal(mote_strands_set_roots(r.system, r.id, &there, 1, 12 * step), MOTE_OK);
        if (k == 16)
            assert_int_equal(mote_strands_pin(r.system, r.id, 0, 7, (float[3]){0.3f, 0, 0.2f}, 20 * step),
                             MOTE_OK);
        assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
        /* Positions and quaternions are blended; that of the identity comes first. */
        const float way = fminf(fmaxf((float)k - 4, 0) / 8, 1);
        for (int i = 0; i < 3; i++) at.position[i] = way * there.position[i];
        for (int i = 0; i < 4; i++) at.rotation[i] = (i == 3) * (1 - way) + way * there.rotation[i];
        double square = 0;
        for (int i = 0; i < 4; i++) square += pow((double)at.rotation[i], 2);
        for (int i = 0; i < 4; i++) at.rotation[i] /= (float)sqrt(square);
        test_case("step %u", k);
        const double want = pose_energy(&r, positions, &at, k >= 16);
        ASSERT_NEAR(s.elastic, want, 1e-5 * want + 1e-7);
        if (k > 6) ASSERT(want, >, 1e-3);
        step_rope(&r, 1);
    }
    destroy_rope(&r);
}

/* A strand of springs that is bent out of its pose: a third of its energy moves between the springs to the
 * pose and the velocities, and the sum stays. */
TEST(swings_about_a_pose_keep_their_energy) {
    float positions[3 * 8];
    mote_strands_def def =
        one_strand(MOTE_STRAND_SPRINGS, 8, positions, (double[3]){0}, (double[3]){0.7, 0, 0}, 0.01f);
    def.mass = 0.08f, def.pose_stiffness = 0.05f, def.damping = 0;
    const rope r = make_rope(&def, MOTE_VELOCITY_VERLET, (mote_rate){60, 1}, 64, 0);
    mote_statistics s;
    double first = 0, kinetic = 0;
    for (uint32_t k = 1; k < 8; k++) store_point(&r, 0, k, (double[3]){0.1 * k, 0.05 * k, 0}, NULL);
    for (uint32_t k = 0; k < 120; k++) {
        assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
        if (k == 0) first = s.elastic;
        kinetic = fmax(kinetic, s.kinetic);
        ASSERT_NEAR(s.kinetic + s.elastic, first, 1e-3 * first);
        step_rope(&r, 1);
    }
    ASSERT(kinetic, >, 0.3 * first);
    destroy_rope(&r);
}

enum { CURL = 32 };

/* Sum of the signed volumes of three edges on end: its sign is the hand of a curl. */
static double hand_of(const rope *r, uint32_t strand) {
    double x[CURL][3], n[3], sum = 0;
    for (uint32_t k = 0; k < CURL; k++) load_point(r, strand, k, x[k], NULL);
    for (uint32_t k = 0; k + 3 < CURL; k++) {
        double e[3][3];
        for (uint32_t j = 0; j < 3; j++)
            for (int a = 0; a < 3; a++) e[j][a] = x[k + j + 1][a] - x[k + j][a];
        cross(e[1], e[2], n);
        sum += dot(e[0], n);
    }
    return sum;
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
    def.substeps = 0; /* the system's */
    def.strand_count = 2;
    def.points = CURL;
    def.positions = positions;
    def.mass = 0.032f;
    def.bending_stiffness = 1e-4f, def.twisting_stiffness = 7e-5f;
    def.normal_drag = def.tangential_drag = 0.2f;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 16, 0);
    const double rest[2] = {hand_of(&r, 0), hand_of(&r, 1)};
    ASSERT(rest[0] * rest[1], <, 0);
    mote_transform head = MOTE_TRANSFORM_IDENTITY;
    for (int step = 0; step < 1200; step++) {
        const double angle = 2 * PI * fmin(step, 60) / 60 * 0.75;
        head = turn_about((double[3]){0.6, 0, 0.8}, angle, (double[3]){0});
        assert_int_equal(mote_strands_set_roots(r.system, r.id, &head, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 1);
        for (uint32_t hand = 0; hand < 2; hand++) ASSERT(hand_of(&r, hand) * rest[hand], >, 0);
    }
    /* Without a load the rest shape under the head is where it comes to rest. Each segment's direction is
     * known to max_strain and to its neighbours', so that the tip is to 31 times as much of a segment's 7.6
     * mm. */
    for (uint32_t i = 0; i < 2 * CURL; i++) {
        double want[3], got[3];
        apply(&head, (double[3]){positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]}, want);
        load_point(&r, i / CURL, i % CURL, got, NULL);
        assert_near(apart(got, want), 0, 0.002 * 0.0076 * 31);
    }
    destroy_rope(&r);
}
