/* Hits of particles on colliders, as events: every bounce is one, contacts at rest are none, and the lists
 * are the same for any threads and both loop orders. */
#include <math.h>
#include "support.h"

static mote_collider_id ground_id; /* of the last system made */

static mote_system *make_system(uint32_t particles, mote_jobs jobs, mote_loop_order order, uint32_t substeps,
                                float restitution) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_force_id force;
    def.capacity = particles, def.max_hits = 4096, def.jobs = jobs;
    def.substeps = substeps, def.loop_order = order;
    def.integrator = MOTE_VELOCITY_VERLET;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    const mote_force_def gravity = mote_gravity((const float[3]){0, -10, 0});
    assert_int_equal(mote_system_add_force(system, &gravity, &force), MOTE_OK);
    mote_collider_def ground = mote_plane((const float[3]){0, 0, 0}, (const float[3]){0, 1, 0});
    ground.restitution = restitution;
    assert_int_equal(mote_system_add_collider(system, &ground, &ground_id), MOTE_OK);
    mote_range_view view;
    assert_int_equal(mote_system_spawn(system, particles, &view), MOTE_OK);
    for (uint32_t i = 0; i < particles; i++)
        view.position.x[i] = (float)i, view.position.y[i] = 0.2f + 0.05f * (float)(i % 61);
    return system;
}

/* A ball that falls for a time t has the speed g t; with the restitution 1/2 it then flies for t, t/2, ...
 * The times are between the ends of substeps. */
TEST(every_bounce_is_a_hit_and_rest_is_none) {
    mote_system *system = make_system(1, (mote_jobs){0}, MOTE_LOOP_AUTO, 4, 0.5f);
    mote_range_view view = mote_system_view(system);
    view.position.y[0] = 1.2f;
    assert_int_equal(mote_system_teleport(system, 0, 1), MOTE_OK);
    double time = sqrt(2 * 1.2 / 10), speed = 10 * time, flight = time;
    uint32_t bounces = 0;
    for (uint32_t step = 0; step < 600; step++) {
        mote_hit_list hits;
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        assert_int_equal(mote_system_hits(system, &hits), MOTE_OK);
        assert_true(hits.lost == 0);
        for (uint32_t i = 0; i < hits.count && bounces < 5; i++, bounces++) {
            const mote_hit *hit = &hits.events[i];
            const double at = ((double)(hit->step - 1) + (double)hit->time) / 60;
            ASSERT(hit->step, ==, (uint64_t)step + 1);
            ASSERT(fabs(at - time), <, 1e-3);
            ASSERT(fabs((double)hit->speed - speed), <, 1e-2);
            ASSERT(fabs((double)hit->position[1]), <, 1e-5);
            assert_true(hit->normal[1] == 1 && hit->id.index == mote_system_view(system).id[0].index);
            time += flight, flight /= 2, speed /= 2;
        }
        if (step > 180) ASSERT(hits.count, ==, 0u); /* after 1.5 s all bounces are over */
    }
    ASSERT(bounces, ==, 5u);
    mote_system_destroy(system);
}

/* A lift that goes at 5 m/s speeds up or slows down, goes on, and back: its speed changes from step to step,
 * by up to 0.6 of the speed that gravity gives in a step. A particle that lies on it does not hit it; one
 * that falls onto it does, once. */
static void ride(uint32_t substeps, double acceleration) {
    mote_system *system = make_system(2, (mote_jobs){0}, MOTE_LOOP_AUTO, substeps, 0);
    const mote_range_view view = mote_system_view(system);
    double speed = 5, height = 0;
    uint32_t hits[2] = {0, 0};
    view.position.y[0] = 0, view.position.y[1] = 0.01f;
    view.velocity.y[0] = view.velocity.y[1] = 5;
    for (int step = 0; step < 150; step++) {
        mote_transform to = {{0, 0, 0}, {0, 0, 0, 1}};
        mote_hit_list list;
        speed += (step >= 30 && step < 60 ? acceleration : step >= 90 && step < 120 ? -acceleration : 0) / 60;
        height += speed / 60, to.position[1] = (float)height;
        assert_int_equal(mote_system_move_collider(system, ground_id, &to, MOTE_NEXT_ADVANCE), MOTE_OK);
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        assert_int_equal(mote_system_hits(system, &list), MOTE_OK);
        for (uint32_t i = 0; i < list.count; i++) hits[list.events[i].slot]++;
    }
    ASSERT(hits[0], ==, 0u);
    ASSERT(hits[1], ==, 1u);
    ASSERT_NEAR((double)view.position.y[0], height, 1e-5);
    ASSERT_NEAR((double)view.position.y[1], height, 1e-5);
    mote_system_destroy(system);
}

TEST(a_particle_on_a_lift_does_not_hit_it) {
    for (uint32_t substeps = 1; substeps <= 16; substeps *= 2)
        for (int n = -3; n <= 3; n++) {
            test_case("%u substeps, %d m/s^2", substeps, 2 * n);
            ride(substeps, 2 * n);
        }
}

TEST(hits_are_the_same_for_any_threads_and_loop_order_and_in_order) {
    enum { COUNT = 5000, STEPS = 40 };
    static mote_hit kept[STEPS][4096];
    uint32_t count[STEPS], all = 0;
    for (uint32_t way = 0; way < 4; way++) { /* 1 to 3 threads; then the other loop order */
        const mote_jobs jobs = dividing(mote_jobs_openmp(way % 3 + 1));
        const mote_loop_order order = way < 3 ? MOTE_LOOP_AUTO : MOTE_LOOP_STAGE_OUTER;
        mote_system *system = make_system(COUNT, jobs, order, 2, 0.7f);
        for (uint32_t step = 0; step < STEPS; step++) {
            mote_hit_list hits;
            assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
            assert_int_equal(mote_system_hits(system, &hits), MOTE_OK);
            if (way == 0) count[step] = hits.count, all += hits.count;
            ASSERT(hits.count, ==, count[step]);
            for (uint32_t i = 0; i < hits.count; i++) {
                mote_hit hit = hits.events[i];
                hit.collider.generation = 0; /* marks the system */
                if (way == 0) kept[step][i] = hit;
                assert_memory_equal(&hit, &kept[step][i], offsetof(mote_hit, speed) + sizeof hit.speed);
            }
            for (uint32_t i = 1; i < hits.count; i++)
                ASSERT(hits.events[i - 1].slot, <=, hits.events[i].slot);
        }
        mote_system_destroy(system);
    }
    ASSERT(all, >, (uint32_t)COUNT / 2);
}
