/* Strands that fall into creases between two planes come to rest there. A strand that left one plane into the
 * other in each step stood still, and gravity gave it a velocity without bound (97 m/s after 10 s at 1
 * substep, without friction); what it may have was compared in axes that move along one of both planes, in
 * which the other does work. */
#include "test.h"

#include "rope.h"

enum { POINTS = 16, STEPS = 300, LAST = 60 };

typedef struct kind {
    const char *name;
    mote_strand_solver solver;
    float bending, twisting; /* N m^2 */
} kind;

static const kind kinds[] = {{"robust rope", MOTE_STRAND_ROBUST, 0, 0},
                             {"conserving rope", MOTE_STRAND_CONSERVING, 0, 0},
                             {"rod", MOTE_STRAND_ROBUST, 1e-3f, 0},
                             {"rod with frames", MOTE_STRAND_ROBUST, 1e-3f, 1e-3f}};
static const char *kind_name(uint32_t i) { return kinds[i].name; }

/* Makes a free strand above a crease along z: one that lies along it, or an upright one. */
static rope start(const kind *of, bool upright, bool rubs, uint32_t substeps) {
    static float positions[3 * POINTS];
    for (int k = 0; k < POINTS; k++) {
        const double along = (k - (POINTS - 1) / 2.0) * 0.05,
                     x[3] = {upright ? 0 : 0.01 * (k % 2), upright ? 1 + 0.05 * k : 1, upright ? 0 : along};
        for (int i = 0; i < 3; i++) positions[3 * k + i] = (float)x[i];
    }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = POINTS, def.positions = positions, def.mass = 0.16f;
    def.free_roots = true, def.radius = 0.01f, def.substeps = substeps, def.friction = rubs ? 0.5f : 0;
    def.solver = of->solver, def.bending_stiffness = of->bending, def.twisting_stiffness = of->twisting;
    return make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
}

static mote_statistics statistics_of(const rope *r) {
    mote_statistics statistics;
    assert_int_equal(mote_strands_statistics(r->system, r->id, &statistics), MOTE_OK);
    return statistics;
}

/* half: rad, the angle between each side and the middle of the crease. */
static void fall_into_crease(rope *r, double half) {
    for (int side = -1; side <= 1; side += 2) {
        const mote_collider_def plane =
            mote_plane((float[3]){0}, (float[3]){(float)(side * cos(half)), (float)sin(half), 0});
        mote_collider_id collider;
        assert_int_equal(mote_system_add_collider(r->system, &plane, &collider), MOTE_OK);
    }
    const double available = statistics_of(r).potential;
    double late = 0;
    for (int step = 0; step < STEPS; step++) {
        step_rope(r, 1);
        const double kinetic = statistics_of(r).kinetic;
        ASSERT(kinetic, <=, available);
        if (step >= STEPS - LAST) late = fmax(late, kinetic);
    }
    /* It may slide along the crease: from a wave or a bend at the bottom, a twentieth of the fall. */
    ASSERT(late, <=, available / 20);
}

TEST_EACH(strands_in_creases_come_to_rest, COUNT_OF(kinds), kind_name, i) {
    static const double half[] = {5, 10, 15, 20, 30, 45};
    for (size_t h = 0; h < COUNT_OF(half); h++)
        for (int upright = 0; upright < 2; upright++)
            for (int rubs = 0; rubs < 2; rubs++)
                for (uint32_t substeps = 1; substeps <= 8; substeps *= 2) {
                    test_case("%g degrees, upright %d, friction %d, %u substeps", half[h], upright, rubs,
                              substeps);
                    rope r = start(&kinds[i], upright, rubs, substeps);
                    fall_into_crease(&r, half[h] * PI / 180);
                    destroy_rope(&r);
                }
}

/* A rope that falls into a steep crease without friction slides down as a body on a plane would: points that
 * are deep in one side after they left the other are held across the crease, and not along it. (Held in both,
 * it came down 0.3 m at 1 substep and 0.5 m at 4, in place of 9.4.) */
TEST(ropes_slide_along_steep_creases) {
    static const double slope = 0.5;
    static const double down[3] = {0, -0.479425539, 0.877582562}, up[3] = {0, 0.877582562, 0.479425539};
    enum { LINE = 33 };
    for (int part = 3; part <= 9; part += 3)
        for (uint32_t substeps = 1; substeps <= 16; substeps *= 2) {
            test_case("a tenth of %d rad, %u substeps", part, substeps);
            const double half = part / 10.0;
            float positions[3 * LINE];
            for (int k = 0; k < LINE; k++)
                for (int i = 0; i < 3; i++)
                    positions[3 * k + i] = (float)(0.2 * up[i] + 0.475 * k / (LINE - 1) * down[i] +
                                                   (i == 0) * 0.15 * (k / (LINE - 1.0) - 0.5));
            mote_strands_def def = mote_default_strands_def();
            def.strand_count = 1, def.points = LINE, def.positions = positions, def.mass = 0.1f;
            def.free_roots = true, def.friction = 0, def.substeps = substeps;
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
            for (int side = -1; side <= 1; side += 2) {
                float normal[3];
                for (int i = 0; i < 3; i++)
                    normal[i] = (float)(sin(half) * up[i] + (i == 0) * side * cos(half));
                const mote_collider_def plane = mote_plane((float[3]){0}, normal);
                mote_collider_id collider;
                assert_int_equal(mote_system_add_collider(r.system, &plane, &collider), MOTE_OK);
            }
            step_rope(&r, 120);
            const mote_statistics statistics = statistics_of(&r);
            double speed = 0;
            for (int i = 0; i < 3; i++) speed += statistics.momentum[i] / 0.1 * down[i];
            assert_near(speed, 2 * GRAVITY * sin(slope), 0.01);
            destroy_rope(&r);
        }
}

/* A rope of length L that lies over a ridge without friction, with the parts a and b on its sides, slides by
 * (b - a)'' = 2 g sin(slope) / L (b - a). Each point that passes the ridge loses what leads into the other
 * side: the rope is up to 11 % later (measured; at 30 degrees 22 %). With energies compared in axes along one
 * side, in which the other one does work, it stood for 5 s. */
TEST(free_ropes_slide_over_ridges) {
    static const double slope[] = {10, 20};
    enum { LINE = 33, TIMED = 6 };
    for (size_t s = 0; s < COUNT_OF(slope); s++)
        for (uint32_t substeps = 2; substeps <= 16; substeps *= 2) {
            const double angle = slope[s] * PI / 180, radius = 0.01, length = 1, a = 0.35;
            float positions[3 * LINE];
            for (int k = 0; k < LINE; k++) {
                const double along = length * k / (LINE - 1) - a;
                positions[3 * k] = (float)(along * cos(angle));
                positions[3 * k + 1] = (float)(radius - fabs(along) * sin(angle));
                positions[3 * k + 2] = 0;
            }
            mote_strands_def def = mote_default_strands_def();
            def.strand_count = 1, def.points = LINE, def.positions = positions, def.mass = 0.1f;
            def.free_roots = true, def.friction = 0, def.substeps = substeps, def.radius = (float)radius;
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
            for (int side = -1; side <= 1; side += 2) {
                /* Half edges of 2, 0.5 and 1 m, with the ridge in the origin. */
                const double x = side * 2 * cos(angle) - side * 0.5 * sin(angle),
                             y = -2 * sin(angle) - 0.5 * cos(angle);
                const mote_transform at = {
                    .position = {(float)x, (float)y, 0},
                    .rotation = {0, 0, (float)(-side * sin(angle / 2)), (float)cos(angle / 2)}};
                const mote_collider_def box = mote_box(&at, (float[3]){2, 0.5f, 1});
                mote_collider_id collider;
                assert_int_equal(mote_system_add_collider(r.system, &box, &collider), MOTE_OK);
            }
            double x[3], time = 0;
            do {
                step_rope(&r, 1);
                time += 1 / 60.0;
                load_point(&r, 0, TIMED, x, NULL);
            } while (x[0] < 0 && time < 5);
            test_case("%g degrees, %u substeps", slope[s], substeps);
            const double apart = length - 2 * length * TIMED / (LINE - 1), first = length - 2 * a,
                         exact = acosh(apart / first) / sqrt(2 * GRAVITY * sin(angle) / length);
            ASSERT(time, >=, exact);
            ASSERT(time, <=, 1.15 * exact);
            destroy_rope(&r);
        }
}
