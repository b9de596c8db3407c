/* Strands at the edges of boxes. A box without friction that stands still, or moves evenly, gives no energy
 * in its own frame. Near an edge the face nearest to a point inside is often not the one through which it
 * came; a push out of that face has the direction of the path, and its velocity was energy from nothing. */
#include "test.h"

#include <stdio.h>

#include "rope.h"

enum { MOST_POINTS = 17, STRANDS = 100 };

static float positions[STRANDS * MOST_POINTS * 3], velocities[STRANDS * MOST_POINTS * 3];

static const struct {
    uint32_t points, substeps;
} kinds[] = {{2, 2}, {2, 8}, {3, 4}, {5, 2}, {5, 8}, {9, 1}, {9, 4}, {17, 2}, {17, 16}};

static const char *kind_name(uint32_t i) {
    static char name[48];
    snprintf(name, sizeof name, "%u points, %u substeps", kinds[i].points, kinds[i].substeps);
    return name;
}

static const double mass = 0.1; /* kg, of a strand */

/* Loose strands without friction in empty space. */
static rope loose_strands(uint32_t kind, uint32_t strands, double stiffness) {
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = strands, def.points = kinds[kind].points, def.positions = positions;
    def.substeps = kinds[kind].substeps, def.free_roots = true, def.friction = 0, def.mass = (float)mass;
    def.bending_stiffness = (float)stiffness;
    return make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, 0);
}

static mote_collider_id add_box(const rope *r, const mote_transform *at, float x, float y, float z) {
    mote_collider_def box = mote_box(at, (float[3]){x, y, z});
    mote_collider_id id;
    box.friction = 0;
    assert_int_equal(mote_system_add_collider(r->system, &box, &id), MOTE_OK);
    return id;
}

/* J, of strand i. */
static double kinetic(const rope *r, uint32_t i, uint32_t points) {
    double x[3], v[3], energy = 0;
    for (uint32_t k = 0; k < points; k++) {
        load_point(r, i, k, x, v);
        energy += 0.5 * mass / points * dot(v, v);
    }
    return energy;
}

/* Their lower tips enter the upper face within 1 cm of a side, to which they fly. */
TEST_EACH(ropes_that_enter_beside_an_edge_gain_no_energy, COUNT_OF(kinds), kind_name, kind) {
    const uint32_t points = kinds[kind].points;
    const double length = 0.4;
    double before[STRANDS];
    random_source random = {17};
    for (uint32_t i = 0; i < STRANDS; i++) {
        double v[3] = {0};
        for (int axis = 0; axis < 2; axis++) v[axis] = (double)random_between(&random, -3, -0.5);
        const double until = (double)random_between(&random, 0.02f, 0.08f),
                     edge = (double)random_between(&random, -0.1f, -0.09f),
                     slant = (double)random_between(&random, 0.2f, 1.2f);
        const double tip[3] = {edge - v[0] * until, 0.1 - v[1] * until, 0},
                     end[3] = {tip[0] + length * cos(slant), tip[1] + length * sin(slant), 0};
        lay_line(positions + (size_t)3 * points * i, points, tip, end);
        for (uint32_t k = 0; k < 3 * points; k++) velocities[3 * points * i + k] = (float)v[k % 3];
        before[i] = 0.5 * mass * dot(v, v);
    }
    const rope r = loose_strands(kind, STRANDS, 0);
    assert_int_equal(mote_strands_set_state(r.system, r.id, 0, STRANDS, positions, velocities), MOTE_OK);
    add_box(&r, &(mote_transform)MOTE_TRANSFORM_IDENTITY, 0.1f, 0.1f, 0.2f);
    for (uint32_t step = 0; step < 12; step++) {
        step_rope(&r, 1);
        for (uint32_t i = 0; i < STRANDS; i++) {
            test_case("step %u, strand %u", step, i);
            ASSERT(kinetic(&r, i, points) / before[i], <=, 1.001);
        }
    }
    destroy_rope(&r);
}

/* A box, turned at random, moves into a strand at rest. */
static double most_after_hit(uint32_t kind, double stiffness, random_source *random) {
    const double length = 0.4, speed = 3, before = 0.5 * mass * speed * speed;
    double to[3], axis[3], most = 0;
    for (int k = 0; k < 3; k++) to[k] = (double)random_between(random, -1, 1);
    for (int k = 0; k < 3; k++) axis[k] = (double)random_between(random, -1, 1);
    const double half = 0.5 * length / sqrt(dot(to, to)), size = sqrt(dot(axis, axis));
    double middle[3] = {0.45};
    for (int k = 1; k < 3; k++) middle[k] = (double)random_between(random, -0.15f, 0.15f);
    lay_line(positions, kinds[kind].points,
             (double[3]){middle[0] - half * to[0], middle[1] - half * to[1], middle[2] - half * to[2]},
             (double[3]){middle[0] + half * to[0], middle[1] + half * to[1], middle[2] + half * to[2]});
    const rope r = loose_strands(kind, 1, stiffness);
    mote_transform at = turn_about((double[3]){axis[0] / size, axis[1] / size, axis[2] / size},
                                   (double)random_between(random, 0, 3), (double[3]){0, 0, 0});
    const mote_collider_id box = add_box(&r, &at, 0.1f, 0.13f, 0.13f);
    for (uint32_t step = 1; step <= 40; step++) {
        mote_statistics s;
        at.position[0] = (float)(speed * step / 60);
        assert_int_equal(mote_system_move_collider(r.system, box, &at, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 1);
        assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
        most = fmax(most, (s.kinetic - speed * s.momentum[0] + before) / before);
    }
    destroy_rope(&r);
    return most;
}

TEST_EACH(boxes_that_hit_strands_give_no_energy, COUNT_OF(kinds), kind_name, kind) {
    random_source random = {5};
    for (int n = 0; n < 60; n++) {
        test_case("hit %d", n);
        const double most = most_after_hit(kind, n % 2 ? 1e-3 : 0, &random);
        ASSERT(most, <=, 1.002);
    }
}
