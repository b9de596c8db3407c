/* Rods against the elastica: cantilevers under their weight and under a load at the tip, the self-buckling of
 * an upright rod, the first three tones of a clamped rod, and stability at any stiffness and density. */
#include "test.h"

#include "reference.h"
#include "rod.h"

/* --- Cantilevers --- */

/* Drop over reach of the tip of a horizontal rod under its weight, G = q L^3 / EI. */
static const struct {
    double g, drop;
} cantilever[] = {{1, 0.12456}, {5, 0.58572}, {10, 1.06680}, {50, 3.70556}};

enum { LOADS = COUNT_OF(cantilever) };

/* twisting: GJ / EI; straight rods in a plane do not twist, but with it they have frames. */
static void measure_cantilevers(uint32_t points, uint32_t substeps, double twisting, double drop[LOADS]) {
    rods s = rods_of(LOADS, points, substeps);
    s.twisting = twisting;
    for (uint32_t i = 0; i < LOADS; i++)
        s.stiffness[i] = ROD_DENSITY * GRAVITY * pow(ROD_LENGTH, 3) / cantilever[i].g;
    const rope r = make_rods(&s);
    settle_rods(&r, 1500, 0.43);
    for (uint32_t i = 0; i < LOADS; i++) {
        double x[3];
        assert_alive(&r, i);
        ASSERT(report_of(&r, i).strain, <=, 0.002);
        load_point(&r, i, points - 1, x, NULL);
        drop[i] = -x[1] / x[0];
    }
    destroy_rope(&r);
}

static const char *kind_of(uint32_t frames) { return frames ? "with frames" : "straight"; }

TEST_EACH(cantilevers_hang_as_the_elastica, 2, kind_of, frames) {
    double drop[LOADS];
    measure_cantilevers(33, 8, frames ? 0.7 : 0, drop);
    for (uint32_t i = 0; i < LOADS; i++) {
        test_case("q L^3 / EI = %g: drop over reach %.5f, %+.2f %%", cantilever[i].g, drop[i],
                  100 * (drop[i] / cantilever[i].drop - 1));
        assert_near(drop[i], cantilever[i].drop, 0.01 * cantilever[i].drop);
    }
}

TEST_EACH(cantilevers_converge_with_their_points, 2, kind_of, frames) {
    static const struct {
        uint32_t points;
        double tolerance;
    } row[] = {{9, 0.03}, {17, 0.01}, {33, 0.004}};
    double drop[LOADS];
    for (size_t i = 0; i < COUNT_OF(row); i++) {
        measure_cantilevers(row[i].points, 8, frames ? 0.7 : 0, drop);
        test_case("%u points: %+.2f %%", row[i].points, 100 * (drop[2] / cantilever[2].drop - 1));
        assert_near(drop[2], cantilever[2].drop, row[i].tolerance * cantilever[2].drop);
    }
}

TEST_EACH(shapes_at_rest_do_not_depend_on_the_substeps, 2, kind_of, frames) {
    double few[LOADS], many[LOADS];
    measure_cantilevers(33, 4, frames ? 0.7 : 0, few);
    measure_cantilevers(33, 16, frames ? 0.7 : 0, many);
    for (uint32_t i = 0; i < LOADS; i++) {
        test_case("q L^3 / EI = %g: %+.3f %%", cantilever[i].g, 100 * (few[i] / many[i] - 1));
        assert_near(few[i], many[i], 5e-4 * many[i]);
    }
}

/* Drop of the tip over length under a load P at the tip and nothing else, P L^2 / EI. */
static const struct {
    double load, drop;
} loaded[] = {{1, 0.301721}, {2, 0.493457}, {5, 0.713792}, {10, 0.810609}};

static const float tip_load = 0.01f; /* N */

/* A tip has half the mass of the others. */
static void pull_at_tips(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const float *lightest = user;
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->inverse_mass && stage->inverse_mass[i] > *lightest) y[i] -= tip_load;
    (void)x, (void)z;
}

TEST(cantilevers_carry_a_load_at_the_tip) {
    rods s = rods_of(COUNT_OF(loaded), 33, 8);
    float lightest = (float)(1.5 / rod_point_mass(&s, 0, 1));
    mote_force_def load = mote_callback(pull_at_tips, &lightest);
    mote_force_id id;
    load.as.callback.unit = MOTE_NEWTONS;
    load.as.callback.reach = MOTE_REACH_PARTICLE;
    s.gravity = 0;
    for (uint32_t i = 0; i < s.count; i++)
        s.stiffness[i] = (double)tip_load * pow(ROD_LENGTH, 2) / loaded[i].load;
    const rope r = make_rods(&s);
    assert_int_equal(mote_system_add_force(r.system, &load, &id), MOTE_OK);
    settle_rods(&r, 1500, 0.43);
    for (uint32_t i = 0; i < s.count; i++) {
        double x[3];
        load_point(&r, i, s.points - 1, x, NULL);
        const double drop = -x[1] / ROD_LENGTH;
        test_case("P L^2 / EI = %g: drop over length %.5f", loaded[i].load, drop);
        assert_near(drop, loaded[i].drop, 0.01 * loaded[i].drop);
    }
    destroy_rope(&r);
}

/* --- Upright rods --- */

/* An upright rod that is pushed a little stands again or falls over. */
TEST(upright_rods_fall_over_at_the_load_of_greenhill) {
    enum { RODS = 8 };
    rods s = rods_of(RODS, 33, 8);
    s.direction[0] = 0, s.direction[1] = 1;
    /* q L^3 / EI from 7.5 to 8.2; Greenhill's is 7.8373. */
    for (uint32_t i = 0; i < RODS; i++)
        s.stiffness[i] = ROD_DENSITY * GRAVITY * pow(ROD_LENGTH, 3) / (7.5 + 0.1 * i);
    const rope r = make_rods(&s);
    for (uint32_t i = 0; i < RODS; i++)
        for (uint32_t k = 1; k < s.points; k++)
            store_point(&r, i, k, NULL, (double[3]){1e-2 * k / s.points, 0, 0});
    settle_rods(&r, 6000, 0.98);
    for (uint32_t i = 0; i < RODS; i++) {
        double x[3];
        load_point(&r, i, s.points - 1, x, NULL);
        test_case("q L^3 / EI = %g: %g of its length aside", 7.5 + 0.1 * i, x[0] / ROD_LENGTH);
        if (i == 0) ASSERT(fabs(x[0]), <, 0.01 * ROD_LENGTH);
        if (i == RODS - 1) ASSERT(fabs(x[0]), >, 0.1 * ROD_LENGTH);
    }
    destroy_rope(&r);
}

/* --- Vibration --- */

/* cos b cosh b = -1. */
static const struct {
    double square, tolerance;
} tone[] = {{3.516015, 0.01}, {22.034492, 0.02}, {61.697214, 0.04}};

/* Shape of a tone of a clamped rod at s = x / L. */
static double tone_shape(double square, double s) {
    const double b = sqrt(square), ratio = (cosh(b) + cos(b)) / (sinh(b) + sin(b));
    return cosh(b * s) - cos(b * s) - ratio * (sinh(b * s) - sin(b * s));
}

/* The period of a rod that begins in a tone, from the mean time between the turns of its share of the tone.
 */
static double tone_period(const rope *r, const rods *s, double square, double period) {
    const double step = period / 60;
    double before = 0, first = 0, last = 0;
    uint32_t turns = 0;
    for (int i = 0; i < 300; i++) {
        double share = 0;
        for (uint32_t k = 1; k < s->points; k++) {
            double x[3];
            load_point(r, 0, k, x, NULL);
            share += rod_point_mass(s, 0, k) * x[1] * tone_shape(square, k / (s->points - 1.0));
        }
        if (i && share * before < 0) {
            last = (i - share / (share - before)) * step;
            if (turns++ == 0) first = last;
        }
        before = share;
        step_rope(r, 1);
    }
    ASSERT(turns, >, 6);
    return 2 * (last - first) / (turns - 1);
}

TEST(clamped_rods_vibrate_in_their_tones) {
    for (size_t i = 0; i < COUNT_OF(tone); i++) {
        rods s = rods_of(1, 33, 1);
        s.gravity = 0;
        s.stiffness[0] = 1e-3;
        const double period =
            2 * PI / tone[i].square * sqrt(ROD_DENSITY * pow(ROD_LENGTH, 4) / s.stiffness[0]);
        s.rate = (mote_rate){(uint64_t)(60 / period + 0.5), 1};
        const rope r = make_rods(&s);
        for (uint32_t k = 1; k < s.points; k++) {
            const double at = k / (s.points - 1.0);
            store_point(&r, 0, k, (double[3]){at * ROD_LENGTH, 1e-4 * tone_shape(tone[i].square, at), 0},
                        NULL);
        }
        const double got = tone_period(&r, &s, tone[i].square, 60.0 / (double)s.rate.steps);
        test_case("beta^2 = %g: period %g s for %g s", tone[i].square, got, period);
        assert_near(period / got, 1, tone[i].tolerance);
        destroy_rope(&r);
    }
}

/* --- Stability --- */

enum { STIFFNESSES = 11, DENSITIES = 4 };

/* Kinetic energy, weight and bending of a rod, J, and its largest speed, m/s. */
static double energy_of(const rope *r, const rods *s, uint32_t rod) {
    const double l = ROD_LENGTH / (s->points - 1);
    double a[3] = {0, 0, 0}, tangent[3], energy = 0;
    for (int i = 0; i < 3; i++) tangent[i] = s->direction[i];
    for (uint32_t k = 1; k < s->points; k++) {
        const double mass = rod_point_mass(s, rod, k), stiffness = s->stiffness[rod] / (k == 1 ? l / 2 : l);
        double x[3], v[3], square = 0;
        load_point(r, rod, k, x, v);
        for (int i = 0; i < 3; i++) {
            const double t = (x[i] - a[i]) / l;
            square += (t - tangent[i]) * (t - tangent[i]);
            tangent[i] = t, a[i] = x[i];
        }
        energy += mass * (dot(v, v) / 2 + s->gravity * x[1]) + stiffness / 2 * square;
    }
    return energy;
}

/* GJ / EI; 0: no frames. */
static const struct {
    const char *name;
    double twisting;
} ratios[] = {{"straight", 0}, {"GJ = EI / 1000", 1e-3}, {"GJ = 0.7 EI", 0.7}, {"GJ = 1000 EI", 1e3}};

static const char *ratio_of(uint32_t kind) { return ratios[kind].name; }

/* Clamped rods of every stiffness and density that begin with random velocities of up to 2 m/s: in 5 s none
 * gains energy, and lengths are held or reported. Energy is measured from the straight rod's; what rounding
 * leaves of a stiff rod's bending is a share of the weight's range. */
TEST_EACH(rods_of_any_stiffness_and_density_gain_no_energy, COUNT_OF(ratios), ratio_of, kind) {
    rods s = rods_of(STIFFNESSES * DENSITIES, 33, 8);
    s.twisting = ratios[kind].twisting;
    for (uint32_t i = 0; i < s.count; i++) {
        s.stiffness[i] = pow(10, -8 + (double)(i % STIFFNESSES));
        s.density[i] = pow(10, -5 + (double)(i / STIFFNESSES));
    }
    const rope r = make_rods(&s);
    for (uint32_t i = 0; i < s.count; i++)
        for (uint32_t k = 1; k < s.points; k++) {
            double v[3];
            for (uint32_t axis = 0; axis < 3; axis++)
                v[axis] = 2 * (double)reference_noise(axis, MOST_ROD_POINTS * i + k);
            store_point(&r, i, k, NULL, v);
        }
    double begin[MOST_RODS];
    for (uint32_t i = 0; i < s.count; i++) begin[i] = energy_of(&r, &s, i);
    for (uint32_t step = 0; step < 300; step++) {
        step_rope(&r, 1);
        for (uint32_t i = 0; i < s.count; i++) {
            const mote_strand_step_report report = report_of(&r, i);
            const double scale = s.density[i] * ROD_LENGTH * ROD_LENGTH * GRAVITY,
                         gain = (energy_of(&r, &s, i) - begin[i]) / scale;
            test_case("EI %g, %g kg/m, step %u: energy %+g of q L^2", s.stiffness[i], s.density[i], step,
                      gain);
            ASSERT(report.frozen, ==, false);
            if (report.unsolved == 0) ASSERT((double)report.strain, <=, 0.002);
            ASSERT(gain, <=, 0.01);
        }
    }
    destroy_rope(&r);
}

/* --- Reactions, statistics, colliders --- */

static double pull_down_at(const rope *r, uint32_t rod, uint32_t point) {
    float impulse[3];
    assert_int_equal(mote_strands_reaction(r->system, r->id, rod, point, impulse), MOTE_OK);
    return -60 * (double)impulse[1];
}

/* Weight of a rod without its root. */
static double weight_of(const rods *s, uint32_t rod) {
    double sum = 0;
    for (uint32_t k = 1; k < s->points; k++) sum += GRAVITY * rod_point_mass(s, rod, k);
    return sum;
}

TEST(clamps_and_pins_bear_the_weight) {
    enum { RODS = 3, PINNED = 20 };
    rods s = rods_of(RODS, 33, 8);
    for (uint32_t i = 0; i < RODS; i++) s.stiffness[i] = 1e-5 * pow(10, i);
    s.hinged = true;
    const rope r = make_rods(&s);
    for (uint32_t i = 0; i < RODS; i++) {
        const float at[3] = {(float)(0.9 * ROD_LENGTH * PINNED / 32), 0.02f, 0};
        assert_int_equal(mote_strands_pin(r.system, r.id, i, PINNED, at, 60 * ticks_per_step(&r)), MOTE_OK);
    }
    settle_rods(&r, 3000, 0.5);
    for (uint32_t i = 0; i < RODS; i++) {
        const double root = pull_down_at(&r, i, 0), pin = pull_down_at(&r, i, PINNED);
        /* The pinned point's own weight is not the rod's pull. */
        const double want = weight_of(&s, i) - GRAVITY * rod_point_mass(&s, i, PINNED);
        test_case("EI %g: %g N at the root, %g N at the pin, %g N", s.stiffness[i], root, pin, want);
        ASSERT(fabs(root), >, 0.02 * want);
        assert_near(root + pin, want, 1e-3 * want);
    }
    destroy_rope(&r);
}

TEST(statistics_contain_the_energy_of_bending) {
    rods s = rods_of(4, 17, 8);
    for (uint32_t i = 0; i < s.count; i++) s.stiffness[i] = 1e-6 * pow(10, i);
    const rope r = make_rods(&s);
    double want = 0;
    mote_statistics statistics;
    step_rope(&r, 20);
    assert_int_equal(mote_strands_statistics(r.system, r.id, &statistics), MOTE_OK);
    for (uint32_t i = 0; i < s.count; i++) {
        want += energy_of(&r, &s, i);
        for (uint32_t k = 1; k < s.points; k++) {
            double x[3], v[3];
            load_point(&r, i, k, x, v);
            want -= rod_point_mass(&s, i, k) * (dot(v, v) / 2 + GRAVITY * x[1]);
        }
    }
    ASSERT(want, >, 0);
    assert_near(statistics.elastic, want, 1e-3 * want);
    destroy_rope(&r);
}

/* Rods that bend down to a floor rest on it, whatever their stiffness. */
TEST(rods_rest_on_a_floor) {
    enum { RODS = 8 };
    rods s = rods_of(RODS, 33, 8);
    for (uint32_t i = 0; i < RODS; i++) s.stiffness[i] = pow(10, -9 + (double)i);
    const rope r = make_rods(&s);
    const mote_collider_def floor = mote_plane((float[3]){0, -0.02f, 0}, (float[3]){0, 1, 0});
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(r.system, &floor, &id), MOTE_OK);
    uint32_t unsolved = 0;
    for (uint32_t step = 0; step < 300; step++) {
        settle_rods(&r, 1, 0.9);
        for (uint32_t i = 0; i < RODS; i++) unsolved += report_of(&r, i).unsolved;
    }
    ASSERT(unsolved, <=, 24);
    for (uint32_t i = 0; i < RODS; i++) {
        double lowest = 0;
        assert_alive(&r, i);
        for (uint32_t k = 1; k < s.points; k++) {
            double x[3], v[3];
            load_point(&r, i, k, x, v);
            lowest = fmin(lowest, x[1]);
            test_case("EI %g, point %u: %g m, %g m/s", s.stiffness[i], k, x[1], sqrt(dot(v, v)));
            ASSERT(sqrt(dot(v, v)), <=, 0.02);
        }
        test_case("EI %g: lowest at %g m", s.stiffness[i], lowest);
        ASSERT(lowest, >=, -0.0201);
        if (s.stiffness[i] < 1e-5) ASSERT(lowest, <=, -0.0199);
    }
    destroy_rope(&r);
}

/* --- The same bits --- */

/* Rods of different lengths, a pin, a floor, a root that turns, and wild speeds in one of two. */
static uint64_t hash_of_wild_rods(mote_isa isa, uint32_t steps_together, uint32_t frames) {
    enum { RODS = 40, POINTS = 20 };
    static float positions[3 * RODS * POINTS], stiffness[RODS * POINTS];
    uint32_t points[RODS], all = 0;
    mote_system_def system = mote_default_system_def();
    mote_strands_def def = mote_default_strands_def();
    mote_strands_id id;
    mote_collider_id collider;
    mote_force_id force;
    system.capacity = 0, system.substeps = 8, system.isa = isa;
    for (uint32_t i = 0; i < RODS; i++) {
        const double x = 0.01 * i;
        points[i] = 2 + i % (POINTS - 1);
        lay_line(positions + 3 * all, points[i], (double[3]){x, 0, 0}, (double[3]){x, 0.1, 0.2});
        for (uint32_t k = 0; k < points[i]; k++)
            stiffness[all + k] = (float)pow(10, (double)(i % 9) - 8) * (1 + (float)k / POINTS);
        all += points[i];
    }
    def.substeps = 0, def.strand_count = RODS, def.strand_points = points, def.positions = positions;
    def.point_bending_stiffness = stiffness;
    def.twisting_stiffness = frames ? 1e-6f : 0;
    rope r;
    assert_int_equal(mote_system_create(&system, &r.system), MOTE_OK);
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    const mote_collider_def floor = mote_plane((float[3]){0, -0.02f, 0}, (float[3]){0, 1, 0});
    const mote_transform to = turn_about((double[3]){1, 0, 0}, 1, (double[3]){0.05, 0, 0});
    assert_int_equal(mote_system_add_force(r.system, &gravity, &force), MOTE_OK);
    assert_int_equal(mote_system_add_strands(r.system, &def, &id, NULL), MOTE_OK);
    assert_int_equal(mote_system_add_collider(r.system, &floor, &collider), MOTE_OK);
    r.id = id;
    assert_int_equal(mote_strands_set_roots(r.system, id, &to, 1, 20 * ticks_per_step(&r)), MOTE_OK);
    assert_int_equal(mote_strands_pin(r.system, id, 18, 12, (float[3]){0.2f, 0.05f, 0.1f}, 10), MOTE_OK);
    for (uint32_t i = 0; i < RODS; i += 2)
        for (uint32_t k = 1; k < points[i]; k++) {
            double v[3];
            for (uint32_t axis = 0; axis < 3; axis++)
                v[axis] = 3 * (double)reference_noise(axis, POINTS * i + k);
            store_point(&r, i, k, NULL, v);
        }
    for (uint32_t step = 0; step < 40; step += steps_together) step_rope(&r, steps_together);
    for (uint32_t i = 0; i < RODS; i++) assert_alive(&r, i);
    const uint64_t hash = mote_system_hash(r.system);
    destroy_rope(&r);
    return hash;
}

TEST_EACH(rods_have_the_same_bits_on_every_instruction_set, 2, kind_of, frames) {
    const uint64_t want = hash_of_wild_rods(MOTE_ISA_SCALAR, 1, frames);
    ASSERT(hash_of_wild_rods(MOTE_ISA_SCALAR, 8, frames), ==, want);
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
        if (!mote_isa_available((mote_isa)isa)) continue;
        test_case("instruction set %d", isa);
        ASSERT(hash_of_wild_rods((mote_isa)isa, 4, frames), ==, want);
    }
}
