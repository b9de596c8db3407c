/* Rods with curls that are too stiff for the solve in positions: they are solved in the turns of their
 * segments (engine/strands/rod_turns.h). */
#include "test.h"

#include "inside.h"
#include "rope.h"

enum { POINTS = 33 };

static const double RADIUS = 0.1, MASS = 1e-5; /* m; kg of a point */

/* An arc or a helix. number: kappa^4 h^2 max(EI, GJ) / (kg/m). */
typedef struct curl {
    double number, ratio;         /* ratio: GJ / EI */
    double angle, pitch, gravity; /* rad, m a radian */
    uint32_t substeps;
} curl;

static float positions[3 * POINTS];

static double stiffness_of(const curl *b) {
    const double l = RADIUS * b->angle / (POINTS - 1), h = 1.0 / 60 / b->substeps;
    const double curvature = 2 * sin(b->angle / 2 / (POINTS - 1)) / l;
    return b->number / (h * h) * MASS / l / pow(curvature, 4) / fmax(1, b->ratio);
}

static rope make_curl(const curl *b) {
    float mass[POINTS];
    double x[3] = {0, 0, 0};
    const double turn = b->angle / (POINTS - 1);
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t k = 0; k < POINTS; k++) {
        for (int i = 0; i < 3; i++) positions[3 * k + i] = (float)x[i];
        x[0] += RADIUS * turn * cos(turn * k), x[1] += RADIUS * turn * sin(turn * k), x[2] += b->pitch * turn;
        mass[k] = (float)(k % (POINTS - 1) ? MASS : MASS / 2);
    }
    def.substeps = 0, def.strand_count = 1, def.points = POINTS, def.positions = positions;
    def.point_mass = mass;
    def.bending_stiffness = (float)stiffness_of(b);
    def.twisting_stiffness = (float)(b->ratio * stiffness_of(b));
    return make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, b->substeps, b->gravity);
}

/* Energy of the joints and of the motion, in double. */
static double energy_of(const rope *r) {
    const mote_strands *s = strands_inside(r->system, r->id);
    const uint32_t lane = s->lane_of_strand[0];
    double before[4], sum = 0;
    for (uint32_t k = 0; k + 1 < POINTS; k++) {
        const uint32_t slot = mote_strands_slot_of(s, lane, k);
        double q[4], c[4], w[3], x[3], v[3];
        for (int i = 0; i < 4; i++) q[i] = (double)s->frame[i][slot];
        if (k == 0)
            for (int i = 0; i < 4; i++) before[i] = (double)s->rest_frame[i][slot];
        cross(before, q, w);
        c[3] = dot(before, q) + before[3] * q[3];
        for (int i = 0; i < 3; i++)
            c[i] = 2 * (c[3] < 0 ? -1 : 1) * (before[3] * q[i] - q[3] * before[i] - w[i]) -
                   (double)s->rest_turn[i][slot];
        sum += ((double)s->joint_stiffness[slot] * c[0] * c[0] + (double)s->joint_across[slot] * c[1] * c[1] +
                (double)s->joint_twist[slot] * c[2] * c[2]) /
               2;
        memcpy(before, q, sizeof before);
        load_point(r, 0, k + 1, x, v);
        sum += (double)s->mass[slot + MOTE_GROUP] * dot(v, v) / 2;
    }
    return sum;
}

static double furthest(const rope *r) {
    double most = 0;
    for (uint32_t k = 0; k < POINTS; k++) {
        double x[3], want[3];
        for (int i = 0; i < 3; i++) want[i] = (double)positions[3 * k + i];
        load_point(r, 0, k, x, NULL);
        most = fmax(most, apart(x, want));
    }
    return most;
}

static const double number[] = {12, 40, 1e3, 1e5, 1e7, 1e9}, ratio[] = {0.01, 0.1, 0.7, 5, 100};

/* Curls whose root is pushed to and fro come to rest in their rest shape. */
TEST(stiff_curls_come_to_rest) {
    for (size_t i = 0; i < COUNT_OF(number) * COUNT_OF(ratio); i++) {
        const curl b = {number[i / COUNT_OF(ratio)], ratio[i % COUNT_OF(ratio)], 12, i % 2 ? 0.02 : 0, 0, 8};
        const rope r = make_curl(&b);
        for (int push = 0; push < 7; push++) {
            const mote_transform to = {{push % 2 ? 0.02f : push == 6 ? 0 : -0.02f, 0, 0}, {0, 0, 0, 1}};
            assert_int_equal(mote_strands_set_root(r.system, r.id, 0, &to, ticks_per_step(&r)), MOTE_OK);
            step_rope(&r, 4);
        }
        step_rope(&r, 1200);
        test_case("number %g, GJ / EI %g: %g m/s, %g m away", b.number, b.ratio, fastest_point(&r),
                  furthest(&r));
        assert_alive(&r, 0);
        assert_true(report_of(&r, 0).stiff_curls);
        ASSERT(fastest_point(&r), <=, 1e-3);
        ASSERT(furthest(&r), <=, 1e-4);
        destroy_rope(&r);
    }
}

/* Points with random velocities: undamped, the energy never exceeds the first. */
TEST(stiff_curls_gain_no_energy) {
    random_source random = {77};
    for (size_t i = 0; i < COUNT_OF(number) * COUNT_OF(ratio); i++) {
        const curl b = {number[i / COUNT_OF(ratio)], ratio[i % COUNT_OF(ratio)], 12, i % 2 ? 0.02 : 0, 0, 8};
        const rope r = make_curl(&b);
        for (uint32_t k = 1; k < POINTS; k++) {
            double v[3];
            for (int j = 0; j < 3; j++) v[j] = (double)random_between(&random, -2, 2);
            store_point(&r, 0, k, NULL, v);
        }
        double first = energy_of(&r), most = 0;
        for (int step = 0; step < 300; step++) {
            step_rope(&r, 1);
            most = fmax(most, energy_of(&r));
        }
        test_case("number %g, GJ / EI %g: %g of the first energy, at last %g", b.number, b.ratio,
                  most / first, energy_of(&r) / first);
        assert_alive(&r, 0);
        ASSERT(most, <=, first);
        ASSERT((double)report_of(&r, 0).strain, <=, 1e-4);
        destroy_rope(&r);
    }
}

static float load; /* N */

static void pull_aside(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->inverse_mass && (double)stage->inverse_mass[i] > 1.5 / MASS) z[i] += load;
    (void)user, (void)x, (void)y;
}

/* Out of plane deflection of a quarter ring under a load at its tip: P R^3 (pi / 4 / EI + (3 pi / 4 - 2) /
 * GJ) (Castigliano). */
TEST(stiff_quarter_rings_bend_and_twist) {
    for (size_t i = 0; i < COUNT_OF(number) * COUNT_OF(ratio); i++) {
        const curl b = {number[i / COUNT_OF(ratio)], ratio[i % COUNT_OF(ratio)], PI / 2, 0, 0, 8};
        const rope r = make_curl(&b);
        mote_force_def force = mote_callback(pull_aside, NULL);
        mote_force_id id;
        double x[3];
        const double per = pow(RADIUS, 3) / stiffness_of(&b) * (PI / 4 + (3 * PI / 4 - 2) / b.ratio);
        load = (float)(1e-3 * RADIUS / per);
        force.as.callback.unit = MOTE_NEWTONS;
        force.as.callback.reach = MOTE_REACH_PARTICLE;
        assert_int_equal(mote_system_add_force(r.system, &force, &id), MOTE_OK);
        step_rope(&r, 600);
        load_point(&r, 0, POINTS - 1, x, NULL);
        test_case("number %g, GJ / EI = %g: %g m for %g m, %g m/s", b.number, b.ratio, x[2],
                  (double)load * per, fastest_point(&r));
        assert_alive(&r, 0);
        assert_near(x[2], (double)load * per, 0.01 * (double)load * per);
        destroy_rope(&r);
    }
}

/* Curls that a pinned tip pulls open, and presses, come nearly to rest: those of little GJ that are pulled
 * most are not held. */
TEST(stiff_curls_between_pins_creep_at_most) {
    static const double share[] = {0.3, 0.6, 0.8, 0.95};
    for (size_t i = 0; i < COUNT_OF(number) * COUNT_OF(ratio); i++)
        for (size_t k = 0; k < COUNT_OF(share); k++) {
            if (share[k] > 0.9 && ratio[i % COUNT_OF(ratio)] < 0.1) continue;
            const curl b = {number[i / COUNT_OF(ratio)], ratio[i % COUNT_OF(ratio)], 12, 0, 0, 8};
            const rope r = make_curl(&b);
            const float tip[3] = {(float)(share[k] * RADIUS * 12), 0, 0.01f};
            assert_int_equal(mote_strands_pin(r.system, r.id, 0, POINTS - 1, tip, 10 * ticks_per_step(&r)),
                             MOTE_OK);
            step_rope(&r, 1200);
            test_case("number %g, GJ / EI %g, pulled to %g: %g m/s, strain %g", b.number, b.ratio, share[k],
                      fastest_point(&r), (double)report_of(&r, 0).strain);
            assert_alive(&r, 0);
            ASSERT(fastest_point(&r), <=, 0.1);
            ASSERT((double)report_of(&r, 0).strain, <=, 0.002);
            destroy_rope(&r);
        }
}

/* Beside a rod that is straight, which is not solved in turns: the same bits as alone. */
TEST(stiff_curls_move_as_without_straight_neighbours) {
    static float both[2][3 * POINTS], mass[2][POINTS], x[2][3 * POINTS], v[2][3 * POINTS];
    const curl b = {100, 0.7, 2 * PI, 0.01, GRAVITY, 8};
    const rope alone = make_curl(&b);
    mote_strands_def def = mote_default_strands_def();
    memcpy(both[0], positions, sizeof positions);
    lay_line(both[1], POINTS, (double[3]){1, 0, 0}, (double[3]){1.5, 0, 0});
    for (uint32_t k = 0; k < POINTS; k++)
        mass[0][k] = mass[1][k] = (float)(k % (POINTS - 1) ? MASS : MASS / 2);
    def.substeps = 0, def.strand_count = 2, def.points = POINTS, def.positions = both[0];
    def.point_mass = mass[0];
    def.bending_stiffness = (float)stiffness_of(&b);
    def.twisting_stiffness = (float)(b.ratio * stiffness_of(&b));
    const rope beside = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, b.substeps, b.gravity);
    for (int step = 0; step < 60; step++) {
        step_rope(&alone, 1), step_rope(&beside, 1);
        assert_int_equal(mote_strands_state(alone.system, alone.id, 0, 1, x[0], v[0]), MOTE_OK);
        assert_int_equal(mote_strands_state(beside.system, beside.id, 0, 1, x[1], v[1]), MOTE_OK);
        test_case("step %d", step);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
    }
    assert_true(report_of(&beside, 0).stiff_curls);
    assert_false(report_of(&beside, 1).stiff_curls);
    destroy_rope(&alone), destroy_rope(&beside);
}
