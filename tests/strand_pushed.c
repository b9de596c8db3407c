/* Strands that colliders push along their length, where the solve for lengths and contacts has no solution to
 * first order: they get no more energy than falls and pushes have. Loose rods keep their momentum, and do not
 * depend on their neighbours. */
#include "test.h"

#include "rope.h"

enum { MOST_POINTS = 64 };

static float positions[3 * MOST_POINTS], mass[MOST_POINTS];

static mote_statistics statistics_of(const rope *r) {
    mote_statistics statistics;
    assert_int_equal(mote_strands_statistics(r->system, r->id, &statistics), MOTE_OK);
    return statistics;
}

/* --- Lowered --- */

/* The rods that README names. */
static const struct {
    const char *name;
    double stiffness, twisting, density, length; /* N m^2, kg/m, m */
    uint32_t points;
} rods[] = {{"hair", 8e-9, 0, 6.6e-6, 0.3, 32},
            {"hair with frames", 8e-9, 6e-9, 6.6e-6, 0.3, 32},
            {"rope without bending", 0, 0, 0.065, 2, 64},
            {"rope", 2e-3, 0, 0.065, 2, 64},
            {"rope with frames", 2e-3, 1e-3, 0.065, 2, 64},
            {"cable", 2e-2, 0, 0.06, 2, 64},
            {"cable with frames", 2e-2, 1.5e-2, 0.06, 2, 64},
            {"steel cable", 0.5, 0, 0.25, 3, 64},
            {"steel cable with frames", 0.5, 0.3, 0.25, 3, 64},
            {"wire", 9.8e-3, 0, 6.2e-3, 0.5, 32},
            {"wire with frames", 9.8e-3, 7.6e-3, 6.2e-3, 0.5, 32}};

static const char *rod_name(uint32_t i) { return rods[i].name; }

#define LOWERED 0.4 /* of the length, by which the root goes down */
#define MOST    1.5 /* m g L. A wire, whose buckling load could do 10, gets 1.3 at most (measured) */

/* Returns the energy, over m g L, that a rod gets at most from a fall by its length and from a root that
 * pushes it on a floor with its buckling load (clamped above and hinged below: 4.4934^2 EI / L^2). */
static double energy_of_fall(uint32_t i) {
    const double length = rods[i].length, load = 4.4934 * 4.4934 * rods[i].stiffness / (length * length);
    return 1 + LOWERED * load / (rods[i].density * length * GRAVITY);
}

/* A rod hangs at rest, `tilt` rad from the vertical, and its root goes down towards a floor. Returns its
 * largest kinetic energy, less that at twice the speed of the root, over m g L. */
static double push_down(uint32_t i, double speed, uint32_t substeps, double tilt) {
    const double length = rods[i].length, down = length * cos(tilt), aside = length * sin(tilt);
    const mote_collider_def floor =
        mote_plane((float[3]){0, (float)(-1.02 * length), 0}, (float[3]){0, 1, 0});
    mote_collider_id collider;
    mote_strands_def def = mote_default_strands_def();
    lay_line(positions, rods[i].points, (double[3]){0, 0, 0}, (double[3]){aside, -down, 0});
    def.strand_count = 1, def.points = rods[i].points, def.positions = positions;
    def.mass = (float)(rods[i].density * length), def.substeps = substeps;
    def.bending_stiffness = (float)rods[i].stiffness, def.twisting_stiffness = (float)rods[i].twisting;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
    assert_int_equal(mote_system_add_collider(r.system, &floor, &collider), MOTE_OK);
    double most = 0;
    for (int step = 1; step < LOWERED * length / speed * 60 + 20; step++) {
        const float y = (float)(-fmin(LOWERED * length, speed * step / 60));
        const mote_transform root = {.position = {0, y, 0}, .rotation = {0, 0, 0, 1}};
        assert_int_equal(mote_strands_set_roots(r.system, r.id, &root, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 1);
        most = fmax(most, statistics_of(&r).kinetic);
    }
    assert_alive(&r, 0);
    destroy_rope(&r);
    return (most - 2 * rods[i].density * length * speed * speed) /
           (rods[i].density * length * GRAVITY * length);
}

/* Without the limit most of these got 10 to 1,800 m g L, at up to 430 m/s. */
TEST_EACH(a_strand_lowered_on_a_floor_gets_no_more_than_falls_and_pushes_give, COUNT_OF(rods), rod_name, i) {
    static const double speed[] = {0.5, 0.53, 2, 2.12}, tilt[] = {0, 1e-3};
    for (size_t s = 0; s < COUNT_OF(speed); s++)
        for (size_t t = 0; t < COUNT_OF(tilt); t++)
            for (uint32_t substeps = 4; substeps <= 16; substeps *= 2) {
                const double kinetic = push_down(i, speed[s], substeps, tilt[t]);
                test_case("%g m/s, %g rad, %u substeps: %g m g L", speed[s], tilt[t], substeps, kinetic);
                ASSERT(kinetic, <=, fmin(energy_of_fall(i), MOST));
            }
}

/* --- Fallen --- */

static const struct {
    const char *name;
    double stiffness, twisting;
    mote_strand_solver solver;
} fallers[] = {{"rope", 0, 0, MOTE_STRAND_ROBUST},
               {"conserving rope", 0, 0, MOTE_STRAND_CONSERVING},
               {"soft rod", 1e-4, 0, MOTE_STRAND_ROBUST},
               {"rod with frames", 0.1, 0.07, MOTE_STRAND_ROBUST}};

static const char *faller_name(uint32_t i) { return fallers[i].name; }

/* A loose straight strand of 0.5 m falls on its end, from 0.3 m. top: its last point, which bears the bob, is
 * above. Returns the most that its kinetic and potential energy exceeded that at the start, as a share of the
 * fall. */
static double gain_of_fall(uint32_t i, uint32_t points, double bob, double tilt, bool top,
                           uint32_t substeps) {
    const double length = 0.5, density = 0.1, height = top ? length * cos(tilt) : -length * cos(tilt);
    const float floor_y = (float)(fmin(height, 0) - 0.3);
    const mote_collider_def floor = mote_plane((float[3]){0, floor_y, 0}, (float[3]){0, 1, 0});
    mote_collider_id collider;
    mote_strands_def def = mote_default_strands_def();
    double fall = 0, most = -1e9;
    lay_line(positions, points, (double[3]){0, 0, 0}, (double[3]){length * sin(tilt), height, 0});
    for (uint32_t k = 0; k < points; k++)
        mass[k] = (float)(density * length / (points - 1) * (k % (points - 1) ? 1 : 0.5));
    mass[points - 1] += (float)(bob * density * length);
    for (uint32_t k = 0; k < points; k++) fall += (double)mass[k] * GRAVITY * (0.3 + length);
    def.strand_count = 1, def.points = points, def.positions = positions, def.point_mass = mass;
    def.substeps = substeps, def.solver = fallers[i].solver, def.free_roots = true, def.friction = 0.5f;
    def.bending_stiffness = (float)fallers[i].stiffness, def.twisting_stiffness = (float)fallers[i].twisting;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
    assert_int_equal(mote_system_add_collider(r.system, &floor, &collider), MOTE_OK);
    const double start = statistics_of(&r).potential;
    for (int step = 0; step < 50; step++) {
        step_rope(&r, 1);
        most = fmax(most, statistics_of(&r).kinetic + statistics_of(&r).potential - start);
    }
    assert_alive(&r, 0);
    destroy_rope(&r);
    return most / fall;
}

/* Without the limits of energy and jumps rods gained up to 3,400 times the fall. */
TEST_EACH(a_strand_that_falls_on_its_end_gains_nothing, COUNT_OF(fallers), faller_name, i) {
    static const double bob[] = {0, 1, 20}, tilt[] = {0, 1e-4, 1e-3, 1e-2, 0.1};
    for (size_t b = 0; b < COUNT_OF(bob); b++)
        for (size_t t = 0; t < COUNT_OF(tilt); t++)
            for (uint32_t other = 0; other < 8; other++) {
                const uint32_t points = other & 1 ? 33 : 9, substeps = other & 2 ? 16 : 4;
                const double gain = gain_of_fall(i, points, bob[b], tilt[t], other & 4, substeps);
                test_case("%u points, bob %g, %g rad, case %u: %g of the fall", points, bob[b], tilt[t],
                          other, gain);
                ASSERT(gain, <=, 0.01);
            }
}

/* --- Momentum --- */

/* A loose curl of four windings, too stiff for its substeps but for the solve in turns. */
static rope make_curl(double kink) {
    const uint32_t points = 33;
    const double length = 0.3, segment = length / (points - 1), curvature = 8 * PI / length;
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t k = 0; k < points; k++) {
        const double s = segment * k;
        positions[3 * k] = (float)(kink != 0 ? s * cos(kink / 2) : sin(curvature * s) / curvature);
        positions[3 * k + 1] =
            (float)(kink != 0 ? (k % 2) * segment * sin(kink / 2) : (cos(curvature * s) - 1) / curvature);
        positions[3 * k + 2] = (float)(0.1 * s);
    }
    def.strand_count = 1, def.points = points, def.positions = positions, def.mass = 0.003f;
    def.bending_stiffness = 0.01f, def.twisting_stiffness = 0.007f;
    def.substeps = 16, def.free_roots = true;
    return make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, kink != 0 ? 0 : GRAVITY);
}

/* On a plane without friction; before, it went away at 0.18 m/s^2. */
TEST(a_stiff_curl_on_a_smooth_floor_stays) {
    const rope r = make_curl(0);
    const mote_collider_def floor = mote_plane((float[3]){0, -0.044f, 0}, (float[3]){0, 1, 0});
    mote_collider_id collider;
    assert_int_equal(mote_system_add_collider(r.system, &floor, &collider), MOTE_OK);
    step_rope(&r, 180);
    assert_true(report_of(&r, 0).stiff_curls);
    const mote_statistics statistics = statistics_of(&r);
    ASSERT(fabs(statistics.momentum[0]), <=, 1e-6);
    ASSERT(fabs(statistics.momentum[2]), <=, 1e-6);
    destroy_rope(&r);
}

/* A zigzag of sharp kinks, thrown about in empty space. */
TEST(a_rod_that_is_solved_in_turns_keeps_its_momentum) {
    const rope r = make_curl(1.5);
    for (uint32_t k = 0; k < 33; k++)
        store_point(&r, 0, k, NULL, (double[3]){sin(7 * k), cos(5 * k), sin(3 * k + 1)});
    double before[3];
    for (int i = 0; i < 3; i++) before[i] = statistics_of(&r).momentum[i];
    step_rope(&r, 120);
    assert_true(report_of(&r, 0).stiff_curls);
    for (int i = 0; i < 3; i++) ASSERT(fabs(statistics_of(&r).momentum[i] - before[i]), <=, 1e-7);
    destroy_rope(&r);
}

/* A loose rod of 0.5 m, `tilt` rad from the vertical and 0.1 m above a smooth floor, moves along it. */
static rope drop_rod(uint32_t points, double stiffness, double tilt, uint32_t substeps, double speed) {
    const mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    mote_collider_id collider;
    mote_strands_def def = mote_default_strands_def();
    lay_line(positions, points, (double[3]){0, 0.1, 0},
             (double[3]){0.5 * sin(tilt), 0.1 + 0.5 * cos(tilt), 0});
    def.strand_count = 1, def.points = points, def.positions = positions, def.mass = 0.05f;
    def.substeps = substeps, def.free_roots = true, def.friction = 0;
    def.bending_stiffness = (float)stiffness;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
    assert_int_equal(mote_system_add_collider(r.system, &floor, &collider), MOTE_OK);
    for (uint32_t k = 0; k < points; k++) store_point(&r, 0, k, NULL, (double[3]){speed, 0, 0});
    return r;
}

/* What a step reverts must not come again for ever. */
TEST(rods_that_fall_on_a_floor_come_to_lie_on_it) {
    static const struct {
        uint32_t points;
        double stiffness, tilt;
        uint32_t substeps;
    } drops[] = {{64, 1e-5, 0.5, 4}, {33, 0.02, 0.1, 8}, {33, 1e-3, 0.1, 4}, {9, 0.02, 0.5, 4}};
    for (size_t i = 0; i < COUNT_OF(drops); i++) {
        const rope r = drop_rod(drops[i].points, drops[i].stiffness, drops[i].tilt, drops[i].substeps, 0);
        double highest = 0;
        step_rope(&r, 300);
        for (uint32_t k = 0; k < drops[i].points; k++) {
            double x[3];
            load_point(&r, 0, k, x, NULL);
            highest = fmax(highest, x[1]);
        }
        /* The softest one folds: the fold of a rod that weighs w a metre is about (EI / w)^(1/3) high. */
        const double weight = 0.05 * GRAVITY / 0.5;
        test_case("drop %zu", i);
        ASSERT(highest, <=, i ? 0.01 : 1.25 * cbrt(drops[i].stiffness / weight));
        destroy_rope(&r);
    }
}

TEST(rods_that_fall_on_a_smooth_floor_keep_their_momentum_along_it) {
    static const double stiffness[] = {0, 1e-5, 0.02}, tilt[] = {0.003, 0.3};
    for (size_t i = 0; i < COUNT_OF(stiffness); i++)
        for (size_t t = 0; t < COUNT_OF(tilt); t++)
            for (uint32_t substeps = 4; substeps <= 16; substeps *= 4) {
                const rope r = drop_rod(33, stiffness[i], tilt[t], substeps, 5);
                step_rope(&r, 90);
                test_case("%g N m2, %g rad, %u substeps", stiffness[i], tilt[t], substeps);
                ASSERT(fabs(statistics_of(&r).momentum[0] - 0.25), <=, 0.0025);
                destroy_rope(&r);
            }
}

/* A loose rod that is laid through a floor, without gravity, may be folded as it is put out, but unfolds. */
TEST(a_rod_does_not_stay_in_a_fold_that_contact_made) {
    enum { NODES = 20 };
    const mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    mote_collider_id collider;
    mote_strands_def def = mote_default_strands_def();
    for (int k = 0; k < NODES; k++) {
        positions[3 * k] = 0.02f * (float)k, positions[3 * k + 1] = 0.04f - 0.01f * (float)k;
        positions[3 * k + 2] = 0.001f * sinf((float)(k * k));
    }
    def.strand_count = 1, def.points = NODES, def.positions = positions, def.mass = 0.05f;
    def.free_roots = true, def.friction = 0, def.bending_stiffness = 0.01f;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, 0);
    assert_int_equal(mote_system_add_collider(r.system, &floor, &collider), MOTE_OK);
    step_rope(&r, 10);
    ASSERT(statistics_of(&r).elastic, <, 0.01); /* 1.5 J in the fold */
    destroy_rope(&r);
}

/* Ropes that a host adds with points in a ball leave it in position alone, before the step. As part of it
 * they left at the depth over h: at up to 0.8 / 3.2 / 18 m/s at 1 / 4 / 32 substeps. */
TEST(ropes_that_begin_in_a_ball_leave_it_without_speed) {
    enum { ROPES = 64, NODES = 17 };
    static float nodes[ROPES * NODES * 3];
    for (uint32_t turn = 0; turn < 7; turn++) { /* the last without friction */
        const uint32_t substeps = turn < 6 ? 1u << turn : 4;
        random_source random = {24};
        for (uint32_t i = 0; i < ROPES; i++) {
            double way[3], from[3], to[3], off[3];
            for (int axis = 0; axis < 3; axis++) {
                way[axis] = (double)random_between(&random, -1, 1);
                off[axis] = (double)random_between(&random, -0.06f, 0.06f);
            }
            const double scale = 0.25 / sqrt(dot(way, way));
            for (int axis = 0; axis < 3; axis++) {
                from[axis] = off[axis] - scale * way[axis];
                to[axis] = off[axis] + scale * way[axis];
            }
            lay_line(nodes + (size_t)3 * NODES * i, NODES, from, to);
        }
        mote_strands_def def = mote_default_strands_def();
        def.strand_count = ROPES, def.points = NODES, def.positions = nodes, def.mass = 0.05f;
        def.free_roots = true, def.substeps = substeps;
        if (turn == 6) def.friction = 0;
        const mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 0.1f);
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, 0);
        mote_collider_id id;
        assert_int_equal(mote_system_add_collider(r.system, &ball, &id), MOTE_OK);
        double fastest = 0;
        for (uint32_t step = 0; step < 60; step++) {
            step_rope(&r, 1);
            for (uint32_t i = 0; i < ROPES * NODES; i++) {
                double x[3], v[3];
                load_point(&r, i / NODES, i % NODES, x, v);
                fastest = fmax(fastest, sqrt(dot(v, v)));
                if (step) ASSERT(sqrt(dot(x, x)), >=, 0.099);
            }
        }
        test_case("%u substeps", substeps);
        ASSERT(fastest, <=, 0.05);
        destroy_rope(&r);
    }
}

/* --- Neighbours --- */

enum { EIGHT = 8, KNOTS = 16, STEPS = 12 };

/* Places and velocities of a rod, and its unsolved substeps. */
typedef struct rod_state {
    float x[3 * KNOTS], v[3 * KNOTS];
    uint32_t unsolved;
} rod_state;

/* Eight rods without roots among three balls that close on them; those of odd numbers are pinned at one
 * point, the others are `apart` m away. Stores what the odd ones do. */
static void close_on_rods(uint64_t seed, bool frames, float apart, rod_state to[STEPS][EIGHT / 2]) {
    static float nodes[3 * EIGHT * KNOTS];
    random_source random = {seed};
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = EIGHT, def.points = KNOTS, def.positions = nodes, def.free_roots = true;
    def.radius = 0.003f, def.mass = random_between(&random, 0.005f, 0.1f);
    def.bending_stiffness = (float)pow(10, (double)random_between(&random, -6, -2));
    def.twisting_stiffness = frames ? def.bending_stiffness : 0;
    for (uint32_t i = 0; i < EIGHT; i++) {
        double ends[2][3];
        for (int axis = 0; axis < 3; axis++) {
            const double middle = (double)random_between(&random, -0.1f, 0.1f),
                         way = (double)random_between(&random, -0.15f, 0.15f),
                         off = axis == 0 && i % 2 == 0 ? (double)apart : 0;
            ends[0][axis] = off + middle - way, ends[1][axis] = off + middle + way;
        }
        lay_line(nodes + (size_t)3 * KNOTS * i, KNOTS, ends[0], ends[1]);
    }
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, 0);
    for (uint32_t i = 1; i < EIGHT; i += 2) {
        const float *at = nodes + (size_t)3 * (KNOTS * i + 3 * i % KNOTS);
        assert_int_equal(mote_strands_pin(r.system, r.id, i, 3 * i % KNOTS, at, 0), MOTE_OK);
    }
    mote_collider_def ball[3];
    mote_collider_id id[3];
    for (int k = 0; k < 3; k++) {
        ball[k] = mote_sphere((float[3]){k == 0 ? -0.6f : k == 1 ? 0.6f : 0, k == 2 ? -0.6f : 0, 0}, 0.2f);
        assert_int_equal(mote_system_add_collider(r.system, &ball[k], &id[k]), MOTE_OK);
    }
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < 3; k++) {
            ball[k].transform.position[k == 2] += k == 1 ? -0.06f : 0.06f;
            assert_int_equal(
                mote_system_move_collider(r.system, id[k], &ball[k].transform, MOTE_NEXT_ADVANCE), MOTE_OK);
        }
        step_rope(&r, 1);
        for (uint32_t i = 1; i < EIGHT; i += 2) {
            rod_state *s = &to[step][i / 2];
            s->unsolved = report_of(&r, i).unsolved;
            assert_int_equal(mote_strands_state(r.system, r.id, i, 1, s->x, s->v), MOTE_OK);
        }
    }
    destroy_rope(&r);
}

/* Rods that go back are projected once more; those beside them in a register of the processor are not. */
TEST(rods_move_as_without_their_neighbours) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static rod_state beside[STEPS][EIGHT / 2], alone[STEPS][EIGHT / 2];
        close_on_rods(seed, seed % 2, 0, beside), close_on_rods(seed, seed % 2, 50, alone);
        test_case("seed %u", (unsigned)seed);
        assert_memory_equal(beside, alone, sizeof alone);
    }
}
