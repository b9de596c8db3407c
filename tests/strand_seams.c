/* Strands slide over a floor of several boxes as over one. A point that entered a box by its side, a hair
 * below the top, was held there: strands of radius 0 stopped at the first seam, and fell through it where
 * they lay along it. */
#include "test.h"

#include "rope.h"

enum { POINTS = 25, STRANDS = 16, TILES = 7 };

typedef struct kind {
    const char *name;
    mote_strand_solver solver;
    float bending, radius; /* N m^2, m */
} kind;

static const kind kinds[] = {{"robust ropes", MOTE_STRAND_ROBUST, 0, 0},
                             {"conserving ropes", MOTE_STRAND_CONSERVING, 0, 0},
                             {"rods", MOTE_STRAND_ROBUST, 1e-3f, 0},
                             {"thin ropes", MOTE_STRAND_ROBUST, 0, 1e-4f},
                             {"thin rods", MOTE_STRAND_ROBUST, 1e-3f, 5e-4f}};
static const char *kind_name(uint32_t i) { return kinds[i].name; }

/* Makes strands that lie on the floor y = 0 in all directions and move along x. */
static rope start(const kind *of, uint32_t substeps, float speed) {
    static float positions[3 * POINTS * STRANDS], velocities[3 * POINTS * STRANDS];
    for (int s = 0; s < STRANDS; s++)
        for (int k = 0; k < POINTS; k++) {
            const double angle = 2 * PI * s / STRANDS, along = 0.5 * k / (POINTS - 1);
            const float x[3] = {(float)(along * cos(angle)), of->radius, (float)(along * sin(angle))};
            for (int i = 0; i < 3; i++) {
                positions[3 * (s * POINTS + k) + i] = x[i];
                velocities[3 * (s * POINTS + k) + i] = i == 0 ? speed : 0;
            }
        }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = STRANDS, def.points = POINTS, def.positions = positions, def.mass = 0.1f;
    def.free_roots = true, def.friction = 0, def.radius = of->radius, def.substeps = substeps;
    def.solver = of->solver, def.bending_stiffness = of->bending;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
    assert_int_equal(mote_strands_set_state(r.system, r.id, 0, STRANDS, NULL, velocities), MOTE_OK);
    return r;
}

/* overlap: m, by which each tile is longer at both ends than the way from one to the next. */
static void lay_floor(rope *r, double overlap) {
    for (int a = 0; a < TILES; a++)
        for (int b = 0; b < TILES; b++) {
            const mote_transform at = {{(float)(0.6 * (a - 2)), -0.1f, (float)(0.6 * (b - 3))}, {0, 0, 0, 1}};
            const float half = (float)(0.3 + overlap);
            const mote_collider_def tile = mote_box(&at, (float[3]){half, 0.1f, half});
            mote_collider_id id;
            assert_int_equal(mote_system_add_collider(r->system, &tile, &id), MOTE_OK);
        }
}

TEST_EACH(strands_slide_over_seams, COUNT_OF(kinds), kind_name, number) {
    static const float speeds[] = {0.1f, 1, 2};
    for (size_t v = 0; v < COUNT_OF(speeds); v++)
        for (int overlaps = 0; overlaps < 2; overlaps++)
            for (uint32_t substeps = 1; substeps <= 16; substeps *= 4) {
                test_case("%g m/s, overlap %d, %u substeps", (double)speeds[v], overlaps, substeps);
                rope r = start(&kinds[number], substeps, speeds[v]);
                lay_floor(&r, overlaps * 0.01);
                step_rope(&r, 60);
                for (uint32_t s = 0; s < STRANDS; s++)
                    for (uint32_t k = 0; k < POINTS; k++) {
                        double x[3], u[3];
                        load_point(&r, s, k, x, u);
                        assert_near(x[1], (double)kinds[number].radius, 1e-4);
                        assert_near(u[0], (double)speeds[v], 0.01 * (double)speeds[v]);
                    }
                destroy_rope(&r);
            }
}
