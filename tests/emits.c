/* Births between steps: mote_system_emit. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

enum { CAPACITY = 400 };

static mote_system_def emitting_def(void) {
    mote_system_def def = mote_default_system_def();
    def.capacity = CAPACITY, def.max_births = CAPACITY;
    def.lifetimes = def.mass_column = true;
    def.interpolation = MOTE_INTERPOLATE_HERMITE;
    def.extra_count = 1, def.extra_bytes[0] = sizeof(float);
    return def;
}

/* An emitter with every spread, turned by a quarter about z. */
static mote_emitter_def spray(void) {
    mote_emitter_def def = mote_default_emitter_def();
    def.shape = MOTE_EMITTER_CONE, def.radius = 0.5f, def.angle = 0.3f, def.spread = 0.4f;
    def.transform = (mote_transform){{1, 2, 3}, {0, 0, 1, 1}};
    def.speed = (mote_spread){1, 4}, def.lifetime = (mote_spread){1, 2}, def.mass = (mote_spread){1, 3};
    def.extra_columns = 1, def.extra[0] = (mote_spread){5, 6};
    def.seed = 9, def.inherit = 1;
    return def;
}

static mote_system *spraying(mote_emitter_id *id) {
    const mote_system_def def = emitting_def();
    const mote_emitter_def emitter = spray();
    mote_system *system = system_of(&def);
    OK(mote_system_add_emitter(system, &emitter, id));
    return system;
}

static void emit(mote_system *system, mote_emitter_id id, const mote_transform *at, const float *velocity,
                 uint32_t count) {
    uint32_t born;
    OK(mote_system_emit(system, id, at, velocity, count, &born));
    ASSERT(born, ==, count);
}

TEST(births_now_are_those_of_a_burst_before_they_have_moved) {
    mote_emitter_id one, two;
    mote_system *burst = spraying(&one), *now = spraying(&two);
    OK(mote_system_burst(burst, one, 100));
    stepped(burst, 1);
    emit(now, two, NULL, NULL, 60), emit(now, two, NULL, NULL, 40);
    const mote_range_view a = mote_system_view(burst), b = mote_system_view(now);
    ASSERT(a.count, ==, b.count);
    const float dt = 1.0f / 60;
    for (uint32_t i = 0; i < 100; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const float v = (&b.velocity.x)[axis][i];
            ASSERT((&a.velocity.x)[axis][i], ==, v);
            ASSERT_NEAR((&b.position.x)[axis][i], (&a.position.x)[axis][i] - dt * v, 1e-6);
        }
        ASSERT_NEAR(b.lifetime[i], a.lifetime[i] + dt, 1e-6);
        ASSERT(a.inverse_mass[i], ==, b.inverse_mass[i]);
        ASSERT(((const float *)a.extra[0])[i], ==, ((const float *)b.extra[0])[i]);
        ASSERT(b.birth_step[i], ==, 0);
        assert_true(isnan(b.previous.x[i]));
    }
    mote_system_destroy(burst), mote_system_destroy(now);
}

TEST(births_are_at_the_place_and_have_the_velocity_besides) {
    mote_emitter_id one, two;
    mote_system *here = spraying(&one), *there = spraying(&two);
    const mote_transform origin = {{0, 0, 0}, {0, 0, 0, 1}}, at = {{10, 0, -4}, {0, 0, 0, 3}};
    const float velocity[3] = {1, -2, 0.5f};
    emit(here, one, &origin, NULL, 50), emit(there, two, &at, velocity, 50);
    const mote_range_view a = mote_system_view(here), b = mote_system_view(there);
    for (uint32_t i = 0; i < 50; i++)
        for (int axis = 0; axis < 3; axis++) {
            ASSERT((&b.velocity.x)[axis][i], ==, (&a.velocity.x)[axis][i] + velocity[axis]);
            ASSERT((&b.position.x)[axis][i], ==, (&a.position.x)[axis][i] + at.position[axis]);
        }
    mote_system_destroy(here), mote_system_destroy(there);
}

TEST(without_a_place_births_are_where_the_emitter_is_on_its_way) {
    mote_emitter_id id;
    mote_system *system = spraying(&id);
    mote_emitter_def point = mote_default_emitter_def();
    OK(mote_system_set_emitter(system, id, &point));
    const mote_transform target = {{8, 0, 0}, {0, 0, 0, 1}};
    const uint64_t ticks = stepped(system, 1).ticks_per_step;
    OK(mote_system_move_emitter(system, id, &target, 5 * ticks));
    stepped(system, 1);
    emit(system, id, NULL, NULL, 1);
    ASSERT(mote_system_view(system).position.x[0], ==, 2.0f);
    ASSERT(mote_system_view(system).velocity.x[0], ==, 0.0f); /* nothing is inherited */
    mote_system_destroy(system);
}

TEST(newborn_take_part_in_the_next_step) {
    mote_emitter_id id;
    mote_system *system = spraying(&id);
    float at[2][3];
    const mote_present_layout layout = mote_default_present_layout();
    advanced(system, 20000000);
    emit(system, id, NULL, NULL, 1);
    const mote_range_view born = mote_system_view(system);
    const float x = born.position.x[0], v = born.velocity.x[0];
    OK(mote_system_present(system, &layout, at, sizeof at));
    ASSERT(at[0][0], ==, x);
    stepped(system, 1);
    ASSERT_NEAR(mote_system_view(system).position.x[0], (double)x + (double)v / 60, 1e-6);
    ASSERT(mote_system_view(system).previous.x[0], ==, x);
    mote_system_destroy(system);
}

TEST(births_without_capacity_take_their_numbers) {
    mote_emitter_id one, two;
    mote_system *full = spraying(&one), *roomy = spraying(&two);
    mote_birth_list births;
    uint32_t born;
    OK(mote_system_reserve(roomy, 2 * CAPACITY));
    spawned(full, CAPACITY - 10);
    OK(mote_system_emit(full, one, NULL, NULL, 25, &born));
    ASSERT(born, ==, 10);
    OK(mote_system_births(full, &births));
    ASSERT(births.count, ==, 10);
    ASSERT(births.events[9].slot, ==, CAPACITY - 1);
    ASSERT(births.events[9].emitter.generation, ==, one.generation);
    OK(mote_system_emit(full, one, NULL, NULL, 5, &born));
    ASSERT(born, ==, 0);
    OK(mote_system_kill_slots(full, 1, &(uint32_t){0}));
    stepped(full, 1);
    emit(full, one, NULL, NULL, 1), emit(roomy, two, NULL, NULL, 31);
    const mote_range_view a = mote_system_view(full), b = mote_system_view(roomy);
    ASSERT(a.velocity.x[CAPACITY - 1], ==, b.velocity.x[30]);
    OK(mote_system_emit(full, one, NULL, NULL, UINT32_MAX, &born));
    ASSERT(born, ==, 0);
    mote_system_destroy(full), mote_system_destroy(roomy);
}

/* Births at places that depend on the state, between steps. Returns the hash. */
static uint64_t play(mote_system *system, mote_emitter_id id, uint64_t births[6]) {
    mote_birth_list list;
    for (int frame = 0; frame < 6; frame++) {
        const mote_range_view view = mote_system_view(system);
        const mote_transform at = {{view.position.x[0], view.position.y[1], 0}, {0, 0, 0, 1}};
        const float velocity[3] = {0, view.velocity.x[2], 1};
        emit(system, id, &at, velocity, 5 + (uint32_t)frame);
        OK(mote_system_births(system, &list));
        ASSERT(list.count, >, 4);
        births[frame] = list.lost;
        for (uint32_t i = 0; i < list.count; i++)
            births[frame] = births[frame] * 31 + list.events[i].id.index + list.events[i].step;
        stepped(system, 2);
    }
    return mote_system_hash(system);
}

TEST(a_rollback_gives_the_same_births_again) {
    static unsigned char snapshot[1 << 17];
    uint64_t first[6], second[6];
    size_t bytes;
    mote_emitter_id id;
    mote_system *system = spraying(&id);
    emit(system, id, NULL, NULL, 20);
    stepped(system, 1);
    OK(mote_system_save(system, 0, snapshot, sizeof snapshot, &bytes));
    const uint64_t hash = play(system, id, first);
    OK(mote_system_restore(system, snapshot, bytes, NULL));
    ASSERT(play(system, id, second), ==, hash);
    assert_memory_equal(first, second, sizeof first);
    mote_system_destroy(system);
}

TEST(births_that_are_wrong_are_refused) {
    mote_emitter_id id, gone = {77, 1};
    mote_system *system = spraying(&id);
    const mote_transform broken = {{NAN, 0, 0}, {0, 0, 0, 1}}, flat = {{0, 0, 0}, {0, 0, 0, 0}};
    const float infinite[3] = {0, INFINITY, 0};
    gone.generation = id.generation;
    REFUSALS(system, REFUSES(NULL, mote_system_emit(NULL, id, NULL, NULL, 1, NULL)),
             REFUSES(ID, mote_system_emit(system, gone, NULL, NULL, 1, NULL)),
             REFUSES(ID, mote_system_emit(system, (mote_emitter_id){1, 0}, NULL, NULL, 1, NULL)),
             REFUSES(NOT_FINITE, mote_system_emit(system, id, &broken, NULL, 1, NULL)),
             REFUSES(NOT_FINITE, mote_system_emit(system, id, NULL, infinite, 1, NULL)),
             REFUSES(RANGE, mote_system_emit(system, id, &flat, NULL, 1, NULL)));
    mote_system_destroy(system);
}
