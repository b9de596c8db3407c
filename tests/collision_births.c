/* Collisions of particles on the way from their births to the end of the step. */
#include "collision_scene.h"

static const char *plate_name(uint32_t kind) {
    static const char *names[] = {"still", "moving", "killing", "by column"};
    return names[kind];
}

/* An emitter 0.5 m above a plate of 10 mm shoots at it with 60 m/s: at 30 Hz most would be born below it. */
TEST_EACH(newborn_do_not_pass_through_colliders, 4, plate_name, kind) {
    enum { CAPACITY = 60000 };
    mote_system_def def = bare_def(CAPACITY, MOTE_SEMI_IMPLICIT_EULER);
    def.steps_per_second = (mote_rate){30, 1}, def.substeps = 3;
    def.radius_column = kind == 3, def.collision_radius = 0.002f;
    mote_system *system = system_of(&def);
    mote_transform at = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def plate = mote_box(&at, (float[3]){50, 0.005f, 50});
    mote_collider_id id;
    plate.restitution = 1, plate.friction = 0;
    if (kind == 2) plate.response = MOTE_RESPONSE_KILL;
    assert_int_equal(mote_system_add_collider(system, &plate, &id), MOTE_OK);
    mote_emitter_def e = mote_default_emitter_def();
    mote_emitter_id emitter;
    e.transform.position[1] = 0.5f, e.transform.rotation[2] = 1, e.transform.rotation[3] = 0; /* downwards */
    e.rate = 30000, e.speed = (mote_spread){50, 60}, e.spread = 0.3f;
    e.collision_radius = (mote_spread){0.001f, 0.01f};
    assert_int_equal(mote_system_add_emitter(system, &e, &emitter), MOTE_OK);
    uint32_t died = 0;
    for (int step = 0; step < 40; step++) {
        if (kind == 1) {
            at.position[1] = step % 2 ? 0.2f : -0.2f;
            assert_int_equal(mote_system_move_collider(system, id, &at, MOTE_NEXT_ADVANCE), MOTE_OK);
        }
        mote_advance report;
        assert_int_equal(mote_system_step(system, 1, &report), MOTE_OK);
        died += report.collided;
        const mote_range_view view = mote_system_view(system);
        for (uint32_t i = 0; i < view.count; i++) {
            test_case("step %d, particle %u", step, i);
            ASSERT(view.position.y[i], >, at.position[1] + 0.005f);
        }
    }
    if (kind == 2) ASSERT(died, >, 36000);
    mote_system_destroy(system);
}

/* Five a step, 0.2 m above a plane, at 100 m/s downwards. */
static mote_system *make_shower(const mote_collider_def *floor, float rise) {
    mote_system_def def = bare_def(100, MOTE_SEMI_IMPLICIT_EULER);
    def.steps_per_second = (mote_rate){60, 1}, def.substeps = 2;
    mote_system *system = system_of(&def);
    mote_emitter_def e = mote_default_emitter_def();
    mote_emitter_id emitter;
    e.transform.position[1] = 0.2f, e.transform.rotation[2] = 1, e.transform.rotation[3] = 0;
    e.rate = 300, e.speed = (mote_spread){100, 100};
    assert_int_equal(mote_system_add_emitter(system, &e, &emitter), MOTE_OK);
    if (floor) {
        mote_transform to = MOTE_TRANSFORM_IDENTITY;
        mote_collider_id id;
        to.position[1] = rise;
        assert_int_equal(mote_system_add_collider(system, floor, &id), MOTE_OK);
        assert_int_equal(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE), MOTE_OK);
    }
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    ASSERT(mote_system_count(system), ==, 5u);
    return system;
}

/* Each meets the plane, which rises by `rise` in the step, where and when it crosses it, and goes on with its
 * velocity after the bounce for what is left of the step. y: where it would be without the plane. */
TEST(newborn_bounce_when_they_meet_the_collider) {
    const mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    const double restitutions[] = {1, 0.5, 0}, dt = 1.0 / 60, speed = 100;
    mote_system *free = make_shower(NULL, 0);
    const mote_range_view there = mote_system_view(free);
    for (uint32_t n = 0; n < 2 * COUNT_OF(restitutions); n++) {
        const double rise = n % 2 ? 0.15 : 0, own = rise / dt, bounces = restitutions[n / 2];
        mote_collider_def floor = plane;
        floor.restitution = (float)bounces, floor.friction = 0;
        mote_system *system = make_shower(&floor, (float)rise);
        const mote_range_view here = mote_system_view(system);
        uint32_t met = 0;
        for (uint32_t i = 0; i < 5; i++) {
            const double y = (double)there.position.y[i], birth = (0.2 - y) / speed, /* s before the end */
                after = (0.2 - rise * (1 - birth / dt)) / (speed + own); /* s from birth to plane */
            const bool meets = after < birth;
            const double v = meets ? own + bounces * (speed + own) : -speed,
                         x = meets ? 0.2 - speed * after + v * (birth - after) : y;
            test_case("restitution %g, rise %g m, particle %u", bounces, rise, i);
            ASSERT_NEAR(here.position.y[i], x, 1e-5);
            ASSERT_NEAR(here.velocity.y[i], v, 1e-3);
            met += meets;
        }
        ASSERT(met, >, 2);
        mote_system_destroy(system);
    }
    mote_system_destroy(free);
}
