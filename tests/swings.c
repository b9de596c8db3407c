/* Energy that ropes lose as they swing: the tables of README. */
#include "test.h"

#include "one_strand.h"

enum { POINTS = 32, SWINGS = 8 };

static float positions[3 * POINTS];

/* A rope of 1 m from `angle` below the horizontal. Returns the largest share of its fall by which it has had
 * more energy than at the start; *loss: by which it has less after `seconds`. */
static double swing(mote_strand_solver solver, uint32_t substeps, double angle, double seconds,
                    double *loss) {
    mote_strands_def def =
        one_strand(solver, POINTS, positions, (double[3]){0}, (double[3]){cos(angle), -sin(angle), 0}, 0);
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, GRAVITY);
    mote_statistics s;
    double first = 0, most = 0, last = 0;
    for (int step = 0; step <= seconds * 60; step++) {
        if (step) step_rope(&r, 1);
        assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
        last = s.kinetic + s.potential;
        if (step == 0) first = last;
        most = fmax(most, last - first);
    }
    const double fall = s.mass * GRAVITY * 0.5;
    *loss = (first - last) / fall;
    destroy_rope(&r);
    return most / fall;
}

TEST(ropes_lose_as_much_energy_as_is_told) {
    static const struct {
        mote_strand_solver solver;
        uint32_t substeps;
        double seconds, mean,
            level; /* losses: of 8 swings from 0 to 2.6 degrees below the horizontal; from it */
    } rows[] = {{MOTE_STRAND_ROBUST, 4, 2, 0.12, 0.15},
                {MOTE_STRAND_ROBUST, 8, 2, 0.075, 0.22},
                {MOTE_STRAND_ROBUST, 32, 2, 0.0006, 0.003},
                {MOTE_STRAND_CONSERVING, 4, 60, 1.5e-4, 1.5e-4},
                {MOTE_STRAND_CONSERVING, 8, 60, 2e-4, 2e-4}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double mean = 0, loss, level = 0;
        for (int n = 0; n < SWINGS; n++) {
            test_case("row %zu, swing %d", i, n);
            const double angle = 2.6 * PI / 180 * n / (SWINGS - 1),
                         most = swing(rows[i].solver, rows[i].substeps, angle, rows[i].seconds, &loss);
            ASSERT(most, <=, 2e-5);
            mean += loss / SWINGS;
            if (n == 0) level = loss;
        }
        test_case("row %zu: %g, level %g", i, mean, level);
        ASSERT(mean, <=, rows[i].mean);
        ASSERT(level, <=, rows[i].level);
    }
}
