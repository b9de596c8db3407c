/* What counts in the hash of a bundle, what is refused between steps, what is measured. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "bundle.h"

/* --- Hash --- */

/* Changes one thing; the hash must follow (or must not), and come back with it. */
static void expect_in_hash(mote_system *system, void *state, size_t bytes, bool counts) {
    uint64_t before = mote_system_hash(system);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    ASSERT((mote_system_hash(system) != before), ==, counts);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    ASSERT(mote_system_hash(system), ==, before);
}

#define EXPECT(lvalue, counts) expect_in_hash(system, &(lvalue), sizeof(lvalue), counts)

TEST(hash_of_state) {
    static strands s;
    make_strands(&s, 21, 9, 8);
    mote_system *system = make_system(NULL);
    uint64_t empty = mote_system_hash(system);
    mote_strands_id id = add_strands(system, &s);
    ASSERT(mote_system_hash(system), !=, empty);
    assert_int_equal(mote_strands_pin(system, id, 2, 1, (vec3){1, 2, 3}, 9), MOTE_OK);
    mote_strands *b = inside(system, id);
    unsigned char *used = calloc(b->slot_count, 1);
    for (uint32_t i = 0; i < 21; i++)
        for (uint32_t k = 0; k < s.points[i]; k++) used[mote_strands_slot(system, id, i, k)] = 1;
    for (uint32_t slot = 0; slot < b->slot_count; slot++) {
        for (int axis = 0; axis < 3; axis++) {
            EXPECT(b->x[axis][slot], used[slot]);
            EXPECT(b->v[axis][slot], used[slot]);
            EXPECT(b->previous_x[axis][slot], used[slot]);
            EXPECT(b->rest_x[axis][slot], used[slot]);
            EXPECT(b->reaction[axis][slot], false);
        }
        EXPECT(b->inverse_mass[slot], used[slot]);
        EXPECT(b->rest_length[slot], used[slot]);
        EXPECT(b->bend_length[slot], used[slot]);
    }
    free(used);
    for (uint32_t lane = 0; lane < b->lane_count; lane++) {
        bool lives = lane < 21;
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) EXPECT(b->root_from[i][lane], lives);
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) EXPECT(b->root_to[i][lane], lives);
        EXPECT(b->root_from_tick[lane], lives);
        EXPECT(b->root_to_tick[lane], lives);
        EXPECT(b->root_pending[lane], lives);
        EXPECT(b->frozen[lane], lives);
        EXPECT(b->compliance[lane], lives);
        EXPECT(b->point_inverse_mass[lane], lives);
        EXPECT(b->stretch[lane], false);
        EXPECT(b->stretch_sum[lane], false);
        EXPECT(b->iterations[lane], false);
        EXPECT(b->capped[lane], false);
        EXPECT(b->fallbacks[lane], false);
        EXPECT(b->infeasible[lane], false);
    }
    EXPECT(b->pins[0].from, true);
    EXPECT(b->pins[0].to, true);
    EXPECT(b->pins[0].from_tick, true);
    EXPECT(b->pins[0].to_tick, true);
    EXPECT(b->pins[0].pending, true);
    EXPECT(b->started, true);
    float *const settings[] = {&b->def.damping,         &b->def.bend_stiffness,       &b->def.bend_damping,
                               &b->def.pose_stiffness,  &b->def.local_pose_stiffness, &b->def.max_stretch,
                               &b->def.normal_drag,     &b->def.tangential_drag,      &b->def.air_velocity[0],
                               &b->def.air_velocity[1], &b->def.air_velocity[2],      &b->def.radius,
                               &b->def.friction};
    for (size_t i = 0; i < COUNT_OF(settings); i++) EXPECT(*settings[i], true);
    EXPECT(b->def.solver, true);
    EXPECT(b->def.max_iterations, true);
    EXPECT(b->def.free_roots, true);
    assert_int_equal(mote_system_remove_strands(system, id), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, empty);
    mote_system_destroy(system);
}

/* --- Bad input --- */

/* The calls between steps that a wrong argument stops, for one bundle of three strands of which 0 has point
 * 1. */
TEST(refused_calls) {
    static strands s;
    make_strands(&s, 3, 4, 2);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    mote_transform good = MOTE_TRANSFORM_IDENTITY, three[3] = {good, good, good};
    mote_strand_step_report report;
    float impulse[3];
    uint64_t hash = mote_system_hash(system);
    for (int i = 0; i < 7; i++) {
        mote_transform bad[3] = {good, good, good};
        *(i < 3 ? &bad[2].position[i] : &bad[2].rotation[i - 3]) = i % 2 ? NAN : INFINITY;
        bad[0].position[0] = bad[1].position[1] = 5;
        assert_int_equal(mote_strands_set_roots(system, id, bad, 3, 0), MOTE_ERROR_NOT_FINITE);
        assert_int_equal(mote_strands_set_roots(system, id, bad + 2, 1, 0), MOTE_ERROR_NOT_FINITE);
        assert_int_equal(mote_strands_set_root(system, id, 1, bad + 2, 0), MOTE_ERROR_NOT_FINITE);
    }
    three[0].position[0] = 5, three[2].rotation[3] = 0;
    assert_int_equal(mote_strands_set_roots(system, id, three, 3, 0), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_set_root(system, id, 0, &three[2], 0), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_set_root(system, id, 3, &good, 0), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_set_roots(system, id, three, 0, 0), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_set_roots(system, id, three, 2, 0), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_set_roots(system, id, NULL, 1, 0), MOTE_ERROR_NULL);
    assert_int_equal(mote_strands_set_root(system, id, 0, NULL, 0), MOTE_ERROR_NULL);
    assert_int_equal(mote_strands_pin(system, id, 0, 1, NULL, 0), MOTE_ERROR_NULL);
    assert_int_equal(mote_strands_set_air(system, id, NULL), MOTE_ERROR_NULL);
    for (int axis = 0; axis < 3; axis++) {
        vec3 hole = {0, 0, 0};
        hole[axis] = NAN;
        assert_int_equal(mote_strands_pin(system, id, 0, 1, hole, 0), MOTE_ERROR_NOT_FINITE);
        assert_int_equal(mote_strands_set_air(system, id, hole), MOTE_ERROR_NOT_FINITE);
    }
    assert_int_equal(mote_strands_reaction(system, id, 0, 1, impulse), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_reaction(system, id, 3, 0, impulse), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_reaction(system, id, 0, s.points[0], impulse), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_reaction(system, id, 0, 0, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_strands_report_of(system, id, 3, &report), MOTE_ERROR_RANGE);
    assert_int_equal(mote_strands_report_of(system, id, 0, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_strands_report(system, id, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_seek(system, 5), MOTE_ERROR_INTEGRATOR);
    ASSERT(mote_system_hash(system), ==, hash);
    assert_int_equal(mote_strands_set_air(system, id, (vec3){1, 2, 3}), MOTE_OK);
    ASSERT(inside(system, id)->def.air_velocity[2], ==, 3);
    ASSERT(mote_system_hash(system), !=, hash);
    assert_int_equal(mote_system_remove_strands(system, id), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 5), MOTE_OK);
    mote_system_destroy(system);
}

TEST(advecting) {
    static strands s;
    make_strands(&s, 3, 4, 2);
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        mote_system_def def = mote_default_system_def();
        def.integrator = (mote_integrator)i;
        mote_system *system;
        mote_strands_id id;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        mote_result want = advects(def.integrator) ? MOTE_ERROR_INTEGRATOR : MOTE_OK;
        assert_int_equal(mote_system_add_strands(system, &s.def, &id, NULL), want);
        mote_system_destroy(system);
    }
}

/* What a callback finds when it calls back. */
typedef struct caller {
    mote_system *system;
    const strands *s;
    mote_strands_id id;
} caller;

static void revert_diverged(void *context) {
    const caller *c = context;
    mote_strands_id id;
    mote_transform transform = MOTE_TRANSFORM_IDENTITY;
    mote_strand_step_report report;
    mote_strands_step_report statistics;
    float impulse[3];
    const mote_result results[] = {mote_system_add_strands(c->system, &c->s->def, &id, NULL),
                                   mote_system_remove_strands(c->system, c->id),
                                   mote_strands_set_roots(c->system, c->id, &transform, 1, 0),
                                   mote_strands_set_root(c->system, c->id, 0, &transform, 0),
                                   mote_strands_reset(c->system, c->id, 0),
                                   mote_strands_pin(c->system, c->id, 0, 1, (vec3){0, 0, 0}, 0),
                                   mote_strands_unpin(c->system, c->id, 0, 1),
                                   mote_strands_set_air(c->system, c->id, (vec3){0, 0, 0}),
                                   mote_strands_reaction(c->system, c->id, 0, 0, impulse),
                                   mote_strands_report_of(c->system, c->id, 0, &report),
                                   mote_strands_report(c->system, c->id, &statistics)};
    for (size_t i = 0; i < COUNT_OF(results); i++) assert_int_equal(results[i], MOTE_ERROR_BUSY);
}

TEST(busy) {
    static strands s;
    make_strands(&s, 3, 4, 2);
    caller c = {.system = make_system(NULL), .s = &s};
    uint32_t calls;
    c.id = add_strands(c.system, &s);
    assert_int_equal(scene_call_within_step(c.system, revert_diverged, &c, &calls), MOTE_OK);
    ASSERT(calls, >, 0);
    mote_system_destroy(c.system);
}

/* --- What is measured --- */

TEST(measured) {
    static strands s;
    make_strands(&s, 21, 9, 3);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    mote_strands *b = inside(system, id);
    random_source random = {5};
    mote_strands_step_report want = {0}, got;
    double sum = 0;
    for (uint32_t i = 0; i < 21; i++) {
        uint32_t lane = b->lane_of_strand[i], slot = mote_strands_slot(system, id, i, 0);
        b->stretch[lane] = random_between(&random, 0, 1),
        b->stretch_sum[lane] = random_between(&random, 0, 1);
        b->iterations[lane] = random_below(&random, 1u << 31);
        b->capped[lane] = random_below(&random, 3), b->fallbacks[lane] = random_below(&random, 3);
        b->infeasible[lane] = (uint8_t)random_below(&random, 2),
        b->frozen[lane] = (uint8_t)random_below(&random, 2);
        for (int axis = 0; axis < 3; axis++) b->reaction[axis][slot] = (float)(3 * i) + (float)axis;
        mote_strand_step_report r;
        assert_int_equal(mote_strands_report_of(system, id, i, &r), MOTE_OK);
        ASSERT(r.stretch, ==, b->stretch[lane]);
        ASSERT(r.iterations, ==, b->iterations[lane]);
        ASSERT(r.capped, ==, b->capped[lane]);
        ASSERT(r.fallbacks, ==, b->fallbacks[lane]);
        ASSERT(r.infeasible, ==, b->infeasible[lane]);
        ASSERT(r.frozen, ==, b->frozen[lane]);
        float impulse[3];
        assert_int_equal(mote_strands_reaction(system, id, i, 0, impulse), MOTE_OK);
        for (int axis = 0; axis < 3; axis++) ASSERT(impulse[axis], ==, (float)(3 * i) + (float)axis);
        want.max_stretch = fmaxf(want.max_stretch, r.stretch);
        sum += (double)b->stretch_sum[lane];
        want.iterations += r.iterations;
        want.capped += r.capped > 0, want.fallbacks += r.fallbacks > 0;
        want.infeasible += r.infeasible, want.frozen += r.frozen;
    }
    want.mean_stretch = (float)(sum / (s.first[21] - 21));
    assert_int_equal(mote_strands_report(system, id, &got), MOTE_OK);
    ASSERT(got.max_stretch, ==, want.max_stretch);
    ASSERT(got.mean_stretch, ==, want.mean_stretch);
    ASSERT(got.iterations, ==, want.iterations);
    ASSERT(got.capped, ==, want.capped);
    ASSERT(got.fallbacks, ==, want.fallbacks);
    ASSERT(got.infeasible, ==, want.infeasible);
    ASSERT(got.frozen, ==, want.frozen);
    mote_system_destroy(system);
}

/* Loose particles and two bundles together against plain sums; gravity's potential is -m g.x. A sum of n
 * doubles errs by at most n 2^-53 of the sum of absolute values, on either side: n = 1,500 with values up to
 * 200 J stays below 1e-9. */
TEST(diagnosed) {
    static strands s;
    mote_system_def def = mote_default_system_def();
    uint32_t workers = 3;
    mote_statistics got[2];
    for (int round = 0; round < 2; round++) {
        def.jobs = round ? pthread_jobs_hook(&workers) : (mote_jobs){0, NULL, NULL};
        mote_system *system;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        mote_force_def gravity = mote_gravity((vec3){1, -2, 3});
        mote_force_id force_id;
        mote_range_view view;
        assert_int_equal(mote_system_add_force(system, &gravity, &force_id), MOTE_OK);
        assert_int_equal(mote_system_spawn(system, 1, &view), MOTE_OK);
        view.position.y[0] = 3, view.velocity.x[0] = 2;
        mote_statistics want = {
            .mass = 1, .kinetic = 2, .potential = 6, .momentum = {2, 0, 0}, .angular_momentum = {0, 0, -6}};
        random_source random = {11};
        for (uint32_t n = 0; n < 2; n++) {
            make_strands(&s, 30 + n, 40, n);
            mote_strands_id id = add_strands(system, &s);
            const mote_strands *b = inside(system, id);
            assert_int_equal(mote_strands_pin(system, id, 3, 1, (vec3){0, 0, 0}, 0), MOTE_OK);
            for (uint32_t slot = 0; slot < b->slot_count; slot++) {
                if (b->inverse_mass[slot] == 0) continue;
                double m = 1 / (double)b->inverse_mass[slot], x[3], v[3];
                for (int i = 0; i < 3; i++)
                    x[i] = b->x[i][slot], v[i] = b->v[i][slot] = random_between(&random, -1, 1);
                want.mass += m;
                want.kinetic += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
                want.potential -= m * (x[0] - 2 * x[1] + 3 * x[2]);
                for (int i = 0; i < 3; i++) {
                    int j = (i + 1) % 3, k = (i + 2) % 3;
                    want.momentum[i] += m * v[i];
                    want.angular_momentum[i] += m * (x[j] * v[k] - x[k] * v[j]);
                }
            }
        }
        assert_int_equal(mote_system_statistics(system, &got[round]), MOTE_OK);
        ASSERT(fabs(got[round].mass - want.mass), <, 1e-9);
        ASSERT(fabs(got[round].kinetic - want.kinetic), <, 1e-9);
        ASSERT(fabs(got[round].potential - want.potential), <, 1e-9);
        ASSERT(got[round].forces_without_potential, ==, 0);
        for (int i = 0; i < 3; i++) {
            ASSERT(fabs(got[round].momentum[i] - want.momentum[i]), <, 1e-9);
            ASSERT(fabs(got[round].angular_momentum[i] - want.angular_momentum[i]), <, 1e-9);
        }
        mote_system_destroy(system);
    }
    assert_memory_equal(&got[0], &got[1], sizeof got[0]);
}
