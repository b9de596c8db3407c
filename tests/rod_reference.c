/* Rods beside the same equations in double. */
#include "test.h"

#include "reference.h"
#include "reference_rod.h"
#include "rope.h"

enum { POINTS = 24, STEPS = 60, SUBSTEPS = 8 };

static const double H = 1.0 / 60 / SUBSTEPS;

/* One rod: segments, masses and stiffnesses of different sizes, which turns at its root. */
static const struct {
    const char *name;
    bool hinged, free, pinned, turns, even;
    double stiffness;
} scene[] = {
    {"clamped", false, false, false, false, true, 1e-5},
    {"soft", false, false, false, false, true, 1e-9},
    {"stiff", false, false, false, false, true, 1e-1},
    {"hinged", true, false, false, false, true, 1e-4},
    {"uneven", false, false, false, false, false, 1e-5},
    {"turned", false, false, false, true, false, 1e-4},
    {"free", true, true, false, false, false, 1e-5},
    {"pinned", false, false, true, false, false, 1e-5},
    {"pinned, stiff", true, false, true, false, true, 1e-3},
};

/* Random factors in [1 - spread, 1 + spread]. */
static double factor(uint32_t seed, uint32_t k, double spread) {
    return 1 + spread * (double)reference_noise(seed, k);
}

static void make_reference(reference_rod *r, uint32_t number, float *positions) {
    const double spread = scene[number].even ? 0 : 0.3;
    memset(r, 0, sizeof *r);
    r->points = POINTS, r->hinged = scene[number].hinged, r->max_strain = 0.002;
    double x[3] = {0, 0, 0};
    for (uint32_t k = 0; k < POINTS; k++) {
        const double step = 0.3 / (POINTS - 1) * factor(1, k, spread);
        r->mass[k] = (double)(float)(1e-5 * factor(2, k, 2 * spread));
        r->stiffness[k] = (double)(float)(scene[number].stiffness * factor(3, k, 2 * spread));
        r->pinned[k] = (k == 0 && !scene[number].free) || (scene[number].pinned && k == POINTS / 2) ||
                       (scene[number].pinned && k + 1 == POINTS && scene[number].even);
        for (int i = 0; i < 3; i++) positions[3 * k + i] = (float)x[i], r->x[k][i] = (double)(float)x[i];
        /* Pinned rods begin as an arc: one that is taut between its pins is lengthened. */
        const double angle = scene[number].pinned ? 0.06 * k : 0;
        x[0] += 0.8 * step * cos(angle), x[2] += 0.6 * step * cos(angle), x[1] += step * sin(angle);
    }
    for (uint32_t k = 0; k + 1 < POINTS; k++) r->length[k] = apart(r->x[k], r->x[k + 1]);
}

static rope make_engine(const reference_rod *r, uint32_t number, const float *positions) {
    float mass[POINTS], stiffness[POINTS];
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t k = 0; k < POINTS; k++) mass[k] = (float)r->mass[k], stiffness[k] = (float)r->stiffness[k];
    def.substeps = 0, def.strand_count = 1, def.points = POINTS;
    def.positions = positions, def.point_mass = mass, def.point_bending_stiffness = stiffness;
    def.hinged_roots = scene[number].hinged, def.free_roots = scene[number].free;
    const rope rod = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, GRAVITY);
    for (uint32_t k = 1; k < POINTS; k++) {
        if (!r->pinned[k]) continue;
        const float at[3] = {positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]};
        assert_int_equal(mote_strands_pin(rod.system, rod.id, 0, k, at, 0), MOTE_OK);
    }
    return rod;
}

/* Direction of the root at `share` of its turn from the identity to `to`. */
static void root_direction(const mote_transform *to, double share, double out[3]) {
    mote_transform t = MOTE_TRANSFORM_IDENTITY;
    for (int i = 0; i < 4; i++)
        t.rotation[i] = (float)(share * (double)to->rotation[i] + (1 - share) * (i == 3 ? 1 : 0));
    apply(&t, (double[3]){0.8, 0, 0.6}, out);
}

/* The largest distance between the two, in shares of the rod's length. */
static double apart_at_most(const rope *rod, const reference_rod *r) {
    double most = 0;
    for (uint32_t k = 0; k < POINTS; k++) {
        double x[3];
        load_point(rod, 0, k, x, NULL);
        most = fmax(most, apart(x, r->x[k]) / 0.3);
    }
    return most;
}

TEST(rods_move_as_the_same_equations_in_double) {
    for (uint32_t i = 0; i < COUNT_OF(scene); i++) {
        static reference_rod r;
        float positions[3 * POINTS];
        double goal[REFERENCE_ROD_POINTS][3] = {{0}}, root[3], most = 0;
        make_reference(&r, i, positions);
        const rope rod = make_engine(&r, i, positions);
        const mote_transform to = turn_about((double[3]){0, 0.6, 0.8}, 1.2, (double[3]){0, 0, 0});
        if (scene[i].turns)
            assert_int_equal(mote_strands_set_root(rod.system, rod.id, 0, &to, STEPS * ticks_per_step(&rod)),
                             MOTE_OK);
        for (uint32_t k = 0; k < POINTS; k++) memcpy(goal[k], r.x[k], sizeof goal[k]);
        for (uint32_t step = 0; step < STEPS; step++) {
            for (uint32_t sub = 1; sub <= SUBSTEPS; sub++) {
                const double share = (step + (double)sub / SUBSTEPS) / STEPS;
                root_direction(&to, scene[i].turns ? share : 0, root);
                reference_rod_step(&r, H, GRAVITY, root, goal);
            }
            step_rope(&rod, 1);
            most = fmax(most, apart_at_most(&rod, &r));
            test_case("%s, step %u: %g of the length apart", scene[i].name, step, most);
            assert_alive(&rod, 0);
            /* The free one falls 5 m. Of rods that turn freely the energy bounds the speed, in each substep
             * up to its rounding. */
            ASSERT(most, <=, scene[i].free ? 1e-4 : scene[i].hinged && !scene[i].pinned ? 4e-5 : 1e-5);
        }
        destroy_rope(&rod);
    }
}
