/* Friction of a taut rope: a heavy rope over half a turn of a capsule slips where Euler and Eytelwein say,
 * and does not creep where it holds. The friction that is kept from substep to substep goes with what moves.
 */
#include "test.h"

#include "inside.h"
#include "one_strand.h"

enum { POINTS = 129 };

static const double LENGTH = 2, RADIUS = 0.05, FRICTION = 0.3, RATE = 60;

static float positions[3 * POINTS];

/* Lays the rope over the capsule, the ends hang down; ratio: of the longer to the shorter end. */
static void lay_rope(double ratio) {
    const double arc = PI * RADIUS, shorter = (LENGTH - arc) / (1 + ratio);
    for (int k = 0; k < POINTS; k++) {
        const double s = LENGTH * k / (POINTS - 1.0) - shorter, angle = PI - s / RADIUS;
        float *p = positions + 3 * k;
        p[0] = (float)(s < 0 ? -RADIUS : s < arc ? RADIUS * cos(angle) : RADIUS);
        p[1] = (float)(s < 0 ? s : s < arc ? RADIUS * sin(angle) : arc - s);
        p[2] = 0;
    }
}

typedef struct scene {
    rope rope;
    mote_collider_id capsule;
} scene;

static mote_collider_def capsule_def(void) {
    mote_collider_def def = mote_capsule((float[3]){0, 0, -1}, (float[3]){0, 0, 1}, (float)RADIUS);
    def.friction = (float)FRICTION;
    return def;
}

static scene make_scene(double ratio, uint32_t substeps) {
    const double line[2][3] = {{0, 0, 0}, {0, -LENGTH, 0}};
    mote_strands_def def = one_strand(MOTE_STRAND_ROBUST, POINTS, positions, line[0], line[1], 0);
    const mote_collider_def capsule = capsule_def();
    lay_rope(ratio);
    def.mass = 1;
    def.free_roots = true;
    def.friction = (float)FRICTION;
    scene s = {.rope = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, GRAVITY)};
    assert_int_equal(mote_system_add_collider(s.rope.system, &capsule, &s.capsule), MOTE_OK);
    return s;
}

/* How far the longer end is below its place at the start, m. */
static double descent(const scene *s) {
    double x[3];
    load_point(&s->rope, 0, POINTS - 1, x, NULL);
    return (double)positions[3 * (POINTS - 1) + 1] - x[1];
}

/* The same after two seconds. */
static double slip_of(double ratio, uint32_t substeps) {
    const scene s = make_scene(ratio, substeps);
    step_rope(&s.rope, (uint32_t)(2 * RATE));
    assert_alive(&s.rope, 0);
    const double slip = descent(&s);
    destroy_rope(&s.rope);
    return slip;
}

/* The tension of a heavy rope on a cylinder, dT/da = mu (T - w R sin a) + w R cos a in the angle a from the
 * longer end's side: it slips where L2 > (L1 + b) e^(mu pi) + b, b = 2 mu R / (1 + mu^2). */
static double critical_ratio(void) {
    const double b = 2 * FRICTION * RADIUS / (1 + FRICTION * FRICTION), e = exp(FRICTION * PI),
                 ends = LENGTH - PI * RADIUS, shorter = (ends - b * (1 + e)) / (1 + e);
    return (ends - shorter) / shorter;
}

/* A rope that slips has left the capsule after two seconds, or has at least gone by 1 cm. The points on it
 * are 18 degrees apart, of which each may hold or not: that is 1 % of the ratio. */
TEST(a_rope_over_a_capsule_slips_at_the_ratio_of_the_capstan_equation) {
    assert_near(critical_ratio(), 2.767, 0.001);
    for (uint32_t substeps = 8; substeps <= 32; substeps *= 2) {
        ASSERT(fabs(slip_of(0.97 * critical_ratio(), substeps)), <, 0.01);
        ASSERT(slip_of(1.03 * critical_ratio(), substeps), >, 0.01);
    }
}

/* The shorter end is 1.2 times as long as it must be: it settles in a tenth of a second and then stays. */
TEST(a_rope_that_friction_holds_does_not_creep) {
    for (uint32_t substeps = 8; substeps <= 32; substeps *= 2) {
        const scene s = make_scene(2.14, substeps);
        step_rope(&s.rope, (uint32_t)RATE / 10);
        const double settled = descent(&s);
        ASSERT(fabs(settled), <, 0.0005);
        step_rope(&s.rope, (uint32_t)(1.9 * RATE));
        ASSERT(fabs(descent(&s) - settled), <, 0.0001);
        assert_held(&s.rope, 0, held(0.002, LENGTH / (POINTS - 1), LENGTH), substeps);
        destroy_rope(&s.rope);
    }
}

static double kept_friction(const scene *s) {
    const mote_strands *strands = strands_inside(s->rope.system, s->rope.id);
    double sum = 0;
    for (uint32_t slot = 0; slot < strands->range.slot_count; slot++)
        for (int axis = 0; axis < 3; axis++)
            sum += fabs((double)strands->friction[axis][slot]) + fabs((double)strands->pressure[slot]);
    return sum;
}

static void same_places(const scene *a, const scene *b) {
    for (uint32_t k = 0; k < POINTS; k++) {
        double x[2][3], v[2][3];
        load_point(&a->rope, 0, k, x[0], v[0]);
        load_point(&b->rope, 0, k, x[1], v[1]);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
    }
}

/* A rope that is put back to its start behaves as a new one: by a reset, and where the host writes its
 * points.
 */
TEST(the_friction_of_a_rope_that_is_put_elsewhere_is_forgotten) {
    for (int written = 0; written < 2; written++) {
        const scene used = make_scene(2.5, 8), fresh = make_scene(2.5, 8);
        step_rope(&used.rope, 30);
        ASSERT(kept_friction(&used), >, 0);
        if (written) {
            for (uint32_t k = 0; k < POINTS; k++) {
                const float *p = positions + 3 * k;
                store_point(&used.rope, 0, k, (double[3]){(double)p[0], (double)p[1], (double)p[2]},
                            (double[3]){0});
            }
        } else {
            assert_int_equal(mote_strands_reset(used.rope.system, used.rope.id, MOTE_ALL_STRANDS), MOTE_OK);
            ASSERT(kept_friction(&used), ==, 0);
        }
        step_rope(&used.rope, 1), step_rope(&fresh.rope, 1);
        same_places(&used, &fresh);
        destroy_rope(&used.rope), destroy_rope(&fresh.rope);
    }
}

TEST(friction_is_forgotten_without_colliders_and_counts_in_the_hash) {
    const scene s = make_scene(2.14, 8);
    step_rope(&s.rope, 2);
    mote_strands *strands = strands_inside(s.rope.system, s.rope.id);
    const uint64_t hash = mote_system_hash(s.rope.system);
    for (uint32_t k = 0; k < POINTS; k++) {
        float *friction = &strands->friction[0][mote_strands_slot_of(strands, 0, k)], was = *friction;
        *friction += 1;
        ASSERT(mote_system_hash(s.rope.system), !=, hash);
        *friction = was;
    }
    ASSERT(mote_system_hash(s.rope.system), ==, hash);
    assert_int_equal(mote_system_remove_collider(s.rope.system, s.capsule), MOTE_OK);
    step_rope(&s.rope, 1);
    ASSERT(kept_friction(&s), ==, 0);
    destroy_rope(&s.rope);
}

/* Springs on a slope of 20 degrees (tan 20 = 0.364) stay, under each integrator that takes forces. */
TEST(friction_holds_springs_under_every_integrator) {
    enum { NODES = 16 };
    static float nodes[3 * NODES];
    const double angle = 20 * acos(-1) / 180;
    const mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    const mote_force_def gravity =
        mote_gravity((float[3]){(float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0});
    lay_line(nodes, NODES, (double[3]){0, 0.001, 0}, (double[3]){0.3, 0.001, 0});
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        if (advects((mote_integrator)i)) continue;
        mote_strands_def def = mote_default_strands_def();
        mote_collider_id collider;
        mote_force_id force;
        def.solver = MOTE_STRAND_SPRINGS, def.strand_count = 1, def.points = NODES, def.positions = nodes;
        def.mass = 0.016f, def.compliance = 0.1f, def.damping = 0.1f, def.free_roots = true;
        def.radius = 0.001f;
        const rope r = make_rope(&def, (mote_integrator)i, (mote_rate){60, 1}, 4, 0);
        assert_int_equal(mote_system_add_collider(r.system, &plane, &collider), MOTE_OK);
        assert_int_equal(mote_system_add_force(r.system, &gravity, &force), MOTE_OK);
        step_rope(&r, 300);
        for (uint32_t k = 0; k < NODES; k++) {
            double x[3];
            load_point(&r, 0, k, x, NULL);
            test_case("%s, point %u", integrator_name(i), k);
            ASSERT(fabs(x[0] - (double)nodes[3 * k]), <=, 1e-5);
        }
        destroy_rope(&r);
    }
}

/* A ball that turns below a rope carries it along in the direction in which its top moves, and not against
 * it. */
TEST(a_ball_that_turns_carries_a_rope) {
    for (int way = -1; way < 2; way += 2) {
        mote_strands_def def = one_strand(MOTE_STRAND_ROBUST, 9, positions, (double[3]){-0.1, 0.31, 0},
                                          (double[3]){0.1, 0.31, 0}, 0);
        mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 0.3f);
        mote_collider_id id;
        def.mass = 0.1f, def.free_roots = true, def.friction = ball.friction = 1;
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
        assert_int_equal(mote_system_add_collider(r.system, &ball, &id), MOTE_OK);
        for (int step = 1; step <= 40; step++) {
            const mote_transform to = turn_about((double[3]){0, 0, 1}, -way * 0.01 * step, (double[3]){0});
            assert_int_equal(mote_system_move_collider(r.system, id, &to, MOTE_NEXT_ADVANCE), MOTE_OK);
            step_rope(&r, 1);
        }
        double x[3];
        load_point(&r, 0, 4, x, NULL);
        test_case("way %d: the middle is at %g m", way, x[0]);
        ASSERT(way * x[0], >, 0.05);
        destroy_rope(&r);
    }
}

/* Air that only drags along the strands, on as many equal ones as fill the lanes: they lie on a ball as
 * alone, to the bit. */
TEST(ropes_in_air_that_drags_along_them_lie_on_a_ball) {
    enum { ROPES = 16, NODES = 9 };
    static float line[ROPES * NODES * 3];
    double alone[NODES][3];
    for (uint32_t count = 1; count <= ROPES; count += ROPES - 1) {
        mote_strands_def def = mote_default_strands_def();
        const mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 0.3f);
        mote_collider_id id;
        for (uint32_t i = 0; i < count; i++)
            lay_line(line + (size_t)3 * NODES * i, NODES, (double[3]){0, 0.4, 0}, (double[3]){0.3, 0.4, 0});
        def.strand_count = count, def.points = NODES, def.positions = line, def.mass = 0.05f;
        def.tangential_drag = 0.02f, def.friction = 0.3f;
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, GRAVITY);
        assert_int_equal(mote_system_add_collider(r.system, &ball, &id), MOTE_OK);
        step_rope(&r, 120);
        for (uint32_t k = 0; k < NODES; k++) {
            double x[3];
            load_point(&r, count - 1, k, x, NULL);
            test_case("%u ropes, point %u", count, k);
            ASSERT(sqrt(dot(x, x)), >=, 0.299);
            if (count == 1) memcpy(alone[k], x, sizeof x);
            for (int i = 0; i < 3; i++) ASSERT(x[i], ==, alone[k][i]);
        }
        ASSERT(alone[NODES - 1][1], <, 0.39);
        destroy_rope(&r);
    }
}
