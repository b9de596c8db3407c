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
