/* Forces on strands: bodies of one speed stay together, because forces compare places of one time; reactions
 * are those of the pins that hold; links change no strand beside; thick air makes no speed. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rope.h"
#include "systems.h"

enum { POINTS = 17, SUBSTEPS = 4 };

/* The solvers, robust strands with rigid segments, with soft ones, and as rods. */
typedef enum sort { SPRINGS, ROBUST, CONSERVING, SOFT, ROD, SORTS } sort;

static const char *sort_name(uint32_t number) {
    static const char *const names[SORTS] = {"springs", "robust", "conserving", "soft", "rod"};
    return names[number];
}

static mote_strands_def make_def(sort s) {
    static const mote_strand_solver solvers[SORTS] = {MOTE_STRAND_SPRINGS, MOTE_STRAND_ROBUST,
                                                      MOTE_STRAND_CONSERVING, MOTE_STRAND_ROBUST,
                                                      MOTE_STRAND_ROBUST};
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = POINTS, def.mass = 0.017f, def.substeps = 0;
    def.solver = solvers[s];
    if (s == SPRINGS) def.compliance = 0.05f;
    if (s == SOFT) def.compliance = 1e-4f;
    if (s == ROD) def.bending_stiffness = 1e-4f;
    return def;
}

static rope fly(mote_strands_def *def, float points[POINTS][3], float speed, uint32_t substeps) {
    float velocities[POINTS][3] = {{0}};
    for (int k = 0; k < POINTS; k++) velocities[k][0] = speed;
    def->positions = points[0];
    rope r = make_rope(def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, 0);
    OK(mote_strands_set_state(r.system, r.id, 0, 1, points[0], velocities[0]));
    return r;
}

static double place_of(const rope *r, uint32_t point) {
    double x[3];
    load_point(r, 0, point, x, NULL);
    return x[0];
}

/* A strand hangs under a root that moves at 10 m/s for 4 s, in air of that speed. */
TEST_EACH(pose_springs_leave_a_strand_under_a_moving_root, SORTS, sort_name, number) {
    const float speed = 10;
    float points[POINTS][3] = {{0}};
    for (int k = 0; k < POINTS; k++) points[k][1] = -0.02f * (float)k;
    mote_strands_def def = make_def((sort)number);
    def.pose_stiffness = number == SPRINGS ? 0.1f : 1;
    const rope r = fly(&def, points, speed, 2 * SUBSTEPS);
    const mote_force_def air = mote_wind((float[3]){speed, 0, 0}, 0.002f);
    mote_force_id ignored;
    OK(mote_system_add_force(r.system, &air, &ignored));
    const mote_transform there = {{10 * speed, 0, 0}, {0, 0, 0, 1}};
    OK(mote_strands_set_roots(r.system, r.id, &there, 1, 600 * ticks_per_step(&r)));
    step_rope(&r, 240);
    ASSERT_NEAR(place_of(&r, POINTS - 1) - place_of(&r, 0), 0, 1e-4);
    destroy_rope(&r);
}

static void pull_along(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const double speed = *(const double *)user;
    (void)y, (void)z;
    if (stage->strands.generation == 0) return;
    for (size_t i = 0; i < stage->count; i++)
        x[i] += (float)(speed * stage->time - (double)stage->x[i] + 0.02 * (double)(i / 16));
}

/* A callback pulls each point to its place on a line that moves at 10 m/s. */
TEST_EACH(callbacks_know_the_time_of_the_places_that_they_see, SORTS, sort_name, number) {
    static double speed = 10;
    float points[POINTS][3] = {{0}};
    for (int k = 0; k < POINTS; k++) points[k][0] = 0.02f * (float)k;
    mote_strands_def def = make_def((sort)number);
    def.free_roots = true;
    const rope r = fly(&def, points, (float)speed, SUBSTEPS);
    const mote_force_def pull = mote_callback(pull_along, &speed);
    mote_force_id ignored;
    OK(mote_system_add_force(r.system, &pull, &ignored));
    step_rope(&r, 120);
    ASSERT_NEAR(place_of(&r, 0), 2 * speed, 2e-4);
    destroy_rope(&r);
}

static const char *pair_name(uint32_t number) {
    static char name[32];
    snprintf(name, sizeof name, "%s, %s", sort_name(number / SORTS), sort_name(number % SORTS));
    return name;
}

/* Two strands in empty space at 10 m/s, which a link joins at its rest length. */
TEST_EACH(links_of_any_two_solvers_pull_at_nothing_that_flies_along, SORTS *SORTS, pair_name, number) {
    float points[2][POINTS][3] = {{{0}}};
    for (int k = 0; k < POINTS; k++)
        points[0][k][0] = 0.02f * (float)k, points[1][k][0] = 1 + 0.02f * (float)k;
    mote_strands_def a = make_def((sort)(number / SORTS)), b = make_def((sort)(number % SORTS));
    a.free_roots = b.free_roots = true;
    const rope r = fly(&a, points[0], 10, SUBSTEPS);
    mote_link link = mote_default_link();
    mote_link_id id;
    b.positions = points[1][0];
    link.a.strands = r.id, link.a.point = POINTS - 1, link.stiffness = 20;
    OK(mote_system_add_strands(r.system, &b, &link.b.strands, NULL));
    float velocities[POINTS][3] = {{0}}, impulse[3];
    for (int k = 0; k < POINTS; k++) velocities[k][0] = 10;
    OK(mote_strands_set_state(r.system, link.b.strands, 0, 1, points[1][0], velocities[0]));
    OK(mote_system_add_link(r.system, &link, &id));
    for (int step = 0; step < 60; step++) {
        step_rope(&r, 1);
        OK(mote_system_link(r.system, id, NULL, impulse));
        ASSERT_NEAR(impulse[0], 0, 1e-5);
    }
    ASSERT_NEAR(place_of(&r, 0), 10, 1e-4);
    destroy_rope(&r);
}

/* Sixteen strands in air under roots that turn and move, each frame anew: a link to one of them changes no
 * bit of the others. */
TEST_EACH(a_link_changes_no_bit_of_the_strands_beside, SORTS, sort_name, number) {
    enum { STRANDS = 16 };
    static float points[STRANDS][POINTS][3], places[2][STRANDS][POINTS][3];
    for (int i = 0; i < STRANDS; i++)
        for (int k = 0; k < POINTS; k++) points[i][k][0] = 0.02f * (float)k, points[i][k][2] = (float)i;
    for (int linked = 0; linked < 2; linked++) {
        mote_strands_def def = make_def((sort)number);
        def.strand_count = STRANDS, def.positions = points[0][0];
        def.normal_drag = 0.01f, def.pose_stiffness = 0.1f;
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, GRAVITY);
        mote_link link = mote_default_link();
        mote_link_id id;
        link.a.strands = link.b.strands = r.id, link.a.point = 3, link.b.point = POINTS - 1;
        link.stiffness = 5;
        if (linked) OK(mote_system_add_link(r.system, &link, &id));
        for (uint32_t step = 0; step < 30; step++) {
            const mote_transform to = {{0.05f * (float)(step % 7), 0.02f * (float)step, 0},
                                       {0, 0.1f * (float)(step % 5), 0, 1}};
            for (uint32_t i = 1; i < STRANDS; i += 3)
                OK(mote_strands_set_root(r.system, r.id, i, &to, MOTE_NEXT_ADVANCE));
            step_rope(&r, 1);
        }
        OK(mote_strands_state(r.system, r.id, 0, STRANDS, places[linked][0][0], NULL));
        destroy_rope(&r);
    }
    assert_memory_equal(places[0][1], places[1][1], sizeof places[0] - sizeof places[0][0]);
    assert_memory_not_equal(places[0][0], places[1][0], sizeof places[0][0]);
}

/* --- Position Verlet of springs --- */

/* Two free strands fall with four substeps of their own. A link without stiffness has them take the one of
 * the system from 0.5 s on, for 1 s. */
TEST(falls_stay_exact_where_links_change_the_substeps) {
    float points[2][3] = {{0, 0, 0}, {0, 0.1f, 0}};
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = 2, def.positions = points[0], def.mass = 0.1f, def.substeps = 4;
    def.solver = MOTE_STRAND_SPRINGS, def.compliance = 0.1f, def.free_roots = true;
    rope r = make_rope(&def, MOTE_POSITION_VERLET, (mote_rate){60, 1}, 1, GRAVITY);
    mote_link link = mote_default_link();
    mote_link_id id;
    link.a.strands = link.b.strands = r.id, link.b.point = 1;
    for (int second = 0; second < 3; second++) {
        double x[3];
        step_rope(&r, second ? 60 : 30);
        load_point(&r, 0, 0, x, NULL);
        ASSERT_NEAR(x[1], -0.5 * GRAVITY * pow(second + 0.5, 2), 1e-4);
        if (second == 0) OK(mote_system_add_link(r.system, &link, &id));
        if (second == 1) OK(mote_system_remove_link(r.system, id));
    }
    destroy_rope(&r);
}

/* --- Reactions --- */

static const char *root_name(uint32_t pinned) { return pinned ? "pinned root" : "free root"; }

/* A strand with a heavy tip hangs from a pin at point 8, and swings from the side: the pin takes what
 * momentum gravity gives less what the strand gains, each step, whether or not the root is free. */
TEST_EACH(reactions_are_those_of_the_pins_that_hold, 2, root_name, pinned) {
    float points[POINTS][3] = {{0}}, mass_of[POINTS], reaction[3];
    double before = 0, mass = 0, impulses = 0, errors = 0;
    for (int k = 0; k < POINTS; k++)
        points[k][0] = 0.05f * (float)k, mass_of[k] = k + 1 < POINTS ? 0.001f : 0.05f;
    mote_strands_def def = make_def(CONSERVING);
    def.positions = points[0], def.point_mass = mass_of, def.free_roots = !pinned;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, GRAVITY);
    const uint32_t at = pinned ? 1 : 8;
    OK(mote_strands_pin(r.system, r.id, 0, at, points[at], 0));
    for (int step = 0; step < 300; step++) {
        double momentum = 0, all = 0, x[3], v[3];
        step_rope(&r, 1);
        for (uint32_t k = 0; k < POINTS; k++) {
            load_point(&r, 0, k, x, v);
            if (k == at || (k == 0 && pinned)) continue;
            momentum += (double)mass_of[k] * v[1], all += (double)mass_of[k];
        }
        mass = all;
        OK(mote_strands_reaction(r.system, r.id, 0, at, reaction));
        const double want = -(momentum - before + mass * GRAVITY / 60);
        impulses += fabs(want), errors += fabs((double)reaction[1] - want);
        before = momentum;
        if (!pinned) continue;
        OK(mote_strands_reaction(r.system, r.id, 0, 0, reaction));
        ASSERT_NEAR(reaction[1], 0, 1e-9); /* nothing that moves is joined to the root */
    }
    ASSERT(impulses, >, 0.1);
    ASSERT(errors, <=, 1e-4 * impulses);
    destroy_rope(&r);
}

/* --- Air --- */

static const char *constrained_name(uint32_t number) { return sort_name(number + 1); }

/* Hair of 5e-6 kg/m in air as thick as water and thicker, whose drag would turn each speed round up to fifty
 * times within a substep: it sinks, no faster than in thinner air. */
TEST_EACH(drag_of_constraints_makes_no_speed_at_any_thickness, SORTS - 1, constrained_name, number) {
    static const float drags[] = {0.0009f, 0.0027f, 0.0081f, 0.0729f};
    const sort kind = (sort)(number + 1);
    for (size_t i = 0; i < COUNT_OF(drags); i++) {
        float points[POINTS][3] = {{0}};
        double most = 0;
        for (int k = 0; k < POINTS; k++) points[k][0] = 0.3f / 16 * (float)k;
        mote_strands_def def = make_def(kind);
        def.positions = points[0], def.mass = 1.5e-6f, def.normal_drag = drags[i],
        def.tangential_drag = drags[i] / 3;
        if (kind == SOFT) def.compliance = 1e-2f;
        if (kind == ROD) def.bending_stiffness = 1e-9f;
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, GRAVITY);
        for (int step = 0; step < 120; step++) {
            step_rope(&r, 1);
            for (uint32_t k = 0; k < POINTS; k++) {
                double x[3], v[3];
                load_point(&r, 0, k, x, v);
                most = fmax(most, sqrt(dot(v, v)));
            }
        }
        test_case("drag %g", (double)drags[i]);
        ASSERT(most, <=, 0.3);
        destroy_rope(&r);
    }
}

/* Free strands of one speed, of 50 mg a point: drag would turn it round in each substep. */
TEST_EACH(strong_quadratic_drag_makes_no_speed, SORTS, sort_name, number) {
    static const float speeds[] = {5, 20, 100};
    for (size_t i = 0; i < COUNT_OF(speeds); i++) {
        float points[POINTS][3] = {{0}};
        double before = (double)speeds[i];
        for (int k = 0; k < POINTS; k++) points[k][1] = 0.02f * (float)k;
        mote_strands_def def = make_def((sort)number);
        def.mass = 50e-6f * POINTS, def.free_roots = true;
        rope r = fly(&def, points, speeds[i], SUBSTEPS);
        const mote_force_def air = mote_quadratic_drag((float[3]){0, 0, 0}, 2.9e-3f);
        mote_force_id ignored;
        OK(mote_system_add_force(r.system, &air, &ignored));
        for (int step = 0; step < 60; step++) {
            double x[3], v[3], most = 0;
            step_rope(&r, 1);
            for (uint32_t k = 0; k < POINTS; k++) {
                load_point(&r, 0, k, x, v);
                most = fmax(most, sqrt(dot(v, v)));
            }
            test_case("%g m/s, step %d", (double)speeds[i], step);
            ASSERT(most, <=, before * (1 + 1e-3));
            before = most;
        }
        destroy_rope(&r);
    }
}

/* A segment of m = 17 g turns in still air: each of its ends has the drag of its half and half of its mass,
 * so its angular momentum, too, is exp(-c l t / m) of what it was. */
TEST_EACH(drag_slows_a_segment_that_turns, SORTS, sort_name, number) {
    static const float length = 0.5f, drag = 0.05f;
    for (uint32_t substeps = 4; substeps <= 16; substeps *= 4) {
        const float points[2][3] = {{-0.5f * length, 0, 0}, {0.5f * length, 0, 0}},
                    velocities[2][3] = {{0, -0.25f, 0}, {0, 0.25f, 0}};
        mote_strands_def def = make_def((sort)number);
        def.points = 2, def.positions = points[0], def.free_roots = true;
        def.normal_drag = drag, def.tangential_drag = number == SPRINGS ? drag : 0;
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, 0);
        OK(mote_strands_set_state(r.system, r.id, 0, 1, NULL, velocities[0]));
        step_rope(&r, 60);
        double x[2][3], v[2][3];
        for (uint32_t k = 0; k < 2; k++) load_point(&r, 0, k, x[k], v[k]);
        const double momentum = ((x[1][0] - x[0][0]) * (v[1][1] - v[0][1]) -
                                 (x[1][1] - x[0][1]) * (v[1][0] - v[0][0])) /
                                (2 * 0.25 * (double)length),
                     rate = (double)(drag * length / def.mass), h = 1 / (60.0 * substeps);
        /* 1 - h rate or its like in a substep, for exp(-h rate): half of rate^2 h t. The direction is one
         * of the substep's start or end, w = 1 rad/s: at most w^2 h t. */
        test_case("%u substeps", substeps);
        assert_near(momentum / exp(-rate), 1, (0.5 * rate * rate + 1) * h);
        destroy_rope(&r);
    }
}

/* A host lays both ends of a segment on one place: it has no direction, and 0 times the share of the drag
 * along it is 0 for any drag. */
TEST_EACH(drag_of_a_segment_without_length_is_finite, SORTS, sort_name, number) {
    const float points[2][3] = {{0, 0, 0}, {1, 0, 0}}, together[2][3] = {{0}},
                velocities[2][3] = {{0, 1, 0}, {0, 1, 0}};
    mote_strands_def def = make_def((sort)number);
    def.points = 2, def.positions = points[0], def.mass = 1e4f, def.free_roots = true;
    def.normal_drag = 1e3f;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, 0);
    OK(mote_strands_set_state(r.system, r.id, 0, 1, together[0], velocities[0]));
    step_rope(&r, 1);
    assert_alive(&r, 0);
    for (uint32_t k = 0; k < 2; k++) {
        double x[3], v[3];
        load_point(&r, 0, k, x, v);
        test_case("point %u", k);
        ASSERT(fabs(v[1]), <=, 1.01);
    }
    destroy_rope(&r);
}
