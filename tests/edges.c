/* Edges of what is legal: faces of regions, numbers of steps that wrap, generations of ids, and places of
 * deaths that are not finite. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision_scene.h"

/* --- Faces of regions --- */

/* Falls for one step from each of `count` places, with or without a region, and returns the velocities. */
static void fall(mote_force_def force, float (*x)[3], uint32_t count, mote_isa isa, float *v) {
    mote_system_def def = mote_default_system_def();
    def.isa = isa;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, count);
    add_force(system, force);
    for (uint32_t i = 0; i < count; i++)
        view.position.x[i] = x[i][0], view.position.y[i] = x[i][1], view.position.z[i] = x[i][2];
    stepped(system, 1);
    memcpy(v, view.velocity.y, count * sizeof *v);
    mote_system_destroy(system);
}

/* Expects the whole force at each of the places, and none at those twice as far from the centre. */
static void expect_whole(const mote_force_def *region, float (*x)[3], uint32_t count) {
    float whole[8], there[8], beyond[8], far[8][3];
    ASSERT(count, <=, 8u);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) far[i][k] = 2 * x[i][k];
    const mote_isa isas[] = {MOTE_ISA_AUTO, MOTE_ISA_SCALAR};
    for (size_t i = 0; i < COUNT_OF(isas); i++) {
        fall(mote_gravity((const float[3]){0, -10, 0}), x, count, isas[i], whole);
        fall(*region, x, count, isas[i], there);
        fall(*region, far, count, isas[i], beyond);
        for (uint32_t p = 0; p < count; p++) {
            ASSERT(whole[p], <, -0.1f);
            ASSERT(there[p], ==, whole[p]);
            ASSERT(beyond[p], ==, 0);
        }
    }
}

/* Falloffs of less than the rounding of the extent, of about as much, and of more. */
static const struct {
    float extent, falloff;
} faces[] = {{1, 1e-8f},     {1, 1e-7f},   {1, 0},       {1, 0.25f}, {100, 1e-5f},
             {100, 1.1e-5f}, {100, 1e-9f}, {3e6f, 0.3f}, {1, 1e-40f}};

TEST(a_force_in_a_box_is_whole_on_its_faces_at_any_falloff) {
    for (size_t i = 0; i < COUNT_OF(faces); i++) {
        const float e = faces[i].extent;
        float x[8][3] = {{e, 0, 0}, {-e, 0, 0}, {0, e, 0}, {0, -e, 0},
                         {0, 0, e}, {0, 0, -e}, {e, e, e}, {-e, e / 2, -e}};
        const mote_force_def box =
            mote_in_box(mote_gravity((const float[3]){0, -10, 0}), (const float[3]){0, 0, 0},
                        (const float[3]){e, e, e}, faces[i].falloff);
        test_case("extent %g, falloff %g", (double)e, (double)faces[i].falloff);
        expect_whole(&box, x, COUNT_OF(x));
    }
}

TEST(a_force_in_a_sphere_is_whole_on_its_surface_at_any_falloff) {
    for (size_t i = 0; i < COUNT_OF(faces); i++) {
        const float r = faces[i].extent;
        float x[6][3] = {{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}};
        const mote_force_def sphere = mote_in_sphere(mote_gravity((const float[3]){0, -10, 0}),
                                                     (const float[3]){0, 0, 0}, r, faces[i].falloff);
        test_case("radius %g, falloff %g", (double)r, (double)faces[i].falloff);
        expect_whole(&sphere, x, COUNT_OF(x));
    }
}

/* --- The number of steps --- */

/* Particles that live for 1 s, 60 steps, and one without an end, born `before` steps before the number of
 * steps wraps. */
TEST(lifetimes_end_after_their_steps_where_the_number_of_steps_wraps) {
    enum { COUNT = 40 };
    static const uint32_t before[] = {1, 2, 30, 59, 60, 61, 200};
    for (size_t i = 0; i < COUNT_OF(before); i++)
        for (uint32_t frame = 1; frame <= 7; frame += 3) {
            mote_system_def def = mote_default_system_def();
            def.lifetimes = true;
            mote_system *system = system_of(&def);
            uint32_t expired = 0, steps = 0;
            test_case("born %u before, frames of %u steps", before[i], frame);
            OK(mote_system_seek(system, UINT64_MAX - (before[i] - 1)));
            const mote_range_view view = spawned(system, COUNT);
            for (uint32_t p = 1; p < COUNT; p++) view.lifetime[p] = 1;
            view.lifetime[0] = INFINITY;
            while (steps + frame < 60) expired += stepped(system, frame).expired, steps += frame;
            assert_int_equal(expired, 0);
            assert_int_equal(mote_system_count(system), COUNT);
            ASSERT_NEAR(mote_system_age(system, 0), steps / 60.0, 1e-6);
            expired += stepped(system, frame).expired, steps += frame;
            expired += stepped(system, 1).expired, steps++;
            assert_int_equal(expired, COUNT - 1);
            ASSERT(mote_system_steps(system), ==, (uint64_t)steps - before[i]);
            while (steps < 300) assert_int_equal(stepped(system, 50).expired, 0), steps += 50;
            assert_int_equal(mote_system_count(system), 1);
            ASSERT_NEAR(mote_system_age(system, 0), steps / 60.0, 1e-5);
            mote_system_destroy(system);
        }
}

/* --- Deaths at places that are not finite --- */

enum { BODIES = 3 };

/* A particle among colliders, some of which move and turn within the step, and some of which kill. */
typedef struct crash {
    mote_collider_def body[BODIES];
    mote_transform target[BODIES];
    bool moves[BODIES], orientation;
    float radius, position[3], velocity[3];
} crash;

static void random_vector(random_source *random, float most, float to[3]) {
    for (int k = 0; k < 3; k++) to[k] = random_between(random, -most, most);
}

static mote_collider_def random_body(random_source *random) {
    mote_transform at = MOTE_TRANSFORM_IDENTITY;
    float a[3], b[3];
    random_vector(random, 4, a), random_vector(random, 4, b);
    memcpy(at.position, a, sizeof a), memcpy(at.rotation, b, sizeof b);
    mote_collider_def body;
    switch (random_below(random, 4)) {
    case 0:
        body = mote_sphere(a, 1);
        break;
    case 1:
        body = mote_plane(a, b);
        break;
    case 2:
        body = mote_capsule(a, b, 0.3f);
        break;
    default:
        body = mote_box(&at, (const float[3]){1, 0.5f, 2});
    }
    if (random_below(random, 2)) body.response = MOTE_RESPONSE_KILL;
    return body;
}

/* Radii from 1 m to 2^126 m or below 1 m, speeds of 20 m/s or from 2^-64 m/s to 2^63 m/s. */
static crash random_crash(random_source *random) {
    crash c = {.orientation = random_below(random, 2) != 0};
    const int exponent = (int)random_below(random, 127);
    c.radius = random_below(random, 4) ? ldexpf(1, exponent) : random_between(random, 0, 1);
    const float speed = random_below(random, 2) ? 20 : ldexpf(1, (int)random_below(random, 128) - 64);
    random_vector(random, 5, c.position), random_vector(random, speed, c.velocity);
    for (int i = 0; i < BODIES; i++) {
        c.body[i] = random_body(random);
        c.moves[i] = random_below(random, 2) != 0;
        random_vector(random, 4, c.target[i].position), random_vector(random, 1, c.target[i].rotation);
        c.target[i].rotation[3] = random_between(random, -1, 1);
    }
    return c;
}

/* Makes one step. Returns the number of deaths. */
static uint32_t die(const crash *c, mote_loop_order order, mote_death *death) {
    mote_system_def def = mote_default_system_def();
    def.loop_order = order, def.capacity = 4, def.max_deaths = 4;
    def.collision_radius = c->radius, def.orientation = c->orientation;
    mote_system *system = system_of(&def);
    for (int i = 0; i < BODIES; i++) {
        const mote_collider_id id = add_collider(system, c->body[i]);
        if (c->moves[i]) OK(mote_system_move_collider(system, id, &c->target[i], MOTE_NEXT_ADVANCE));
    }
    const mote_range_view view = spawned(system, 1);
    const motion_columns motion = motion_of(&view);
    for (int k = 0; k < 3; k++)
        motion.column[k][0] = c->position[k], motion.column[3 + k][0] = c->velocity[k];
    mote_death_list list;
    stepped(system, 1);
    OK(mote_system_deaths(system, &list));
    const uint32_t count = list.count;
    if (count) *death = list.events[0];
    mote_system_destroy(system);
    return count;
}

/* Whether the place of a death is that before the step: the one after it was not finite. */
static bool is_before(const crash *c, const mote_death *death) {
    return !memcmp(death->position, c->position, sizeof c->position) &&
           !memcmp(death->velocity, c->velocity, sizeof c->velocity);
}

TEST(a_death_by_a_collider_has_the_same_finite_place_and_velocity_in_either_loop_order) {
    random_source random = {3};
    uint32_t killed = 0, before = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const crash c = random_crash(&random);
        mote_death inner = {0}, outer = {0};
        test_case("scene %u", i);
        const uint32_t count = die(&c, MOTE_LOOP_AUTO, &inner);
        assert_int_equal(die(&c, MOTE_LOOP_STAGE_OUTER, &outer), count);
        if (!count) continue;
        assert_int_equal(inner.why, outer.why);
        for (int k = 0; k < 3; k++) {
            ASSERT(isfinite(inner.position[k]) && isfinite(inner.velocity[k]), ==, true);
            ASSERT(inner.position[k], ==, outer.position[k]);
            ASSERT(inner.velocity[k], ==, outer.velocity[k]);
        }
        killed += inner.why == MOTE_DEATH_COLLIDED;
        before += inner.why == MOTE_DEATH_COLLIDED && is_before(&c, &inner);
    }
    ASSERT(killed, >, 1000u);
    ASSERT(before, >, 50u);
}

/* --- Generations of ids --- */

/* Finds a section of the particles by its bytes: that of a column before those of the particles, or the first
 * of theirs, from number 16 on, if `column` is MOTE_NO_ITEM. */
static mote_snapshot_section section_of(const unsigned char *memory, uint32_t column, uint64_t bytes) {
    mote_snapshot_header header;
    mote_snapshot_section section = {0};
    memcpy(&header, memory, sizeof header);
    for (uint32_t i = 0; i < header.sections; i++) {
        memcpy(&section, memory + sizeof header + i * sizeof section, sizeof section);
        const bool wanted = column == MOTE_NO_ITEM ? section.column >= 16 : section.column == column;
        if (section.part == MOTE_SNAPSHOT_PARTICLES && wanted && section.bytes == bytes) return section;
    }
    fail();
    return section;
}

/* Of five particles, two are dead: three ids are of particles, of 8 bytes each as no other column, and two
 * are free. Each generation is 0 in turn. */
static void refuse_generation_0(bool living) {
    enum { FREE_GENERATIONS = 3 };
    const mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    mote_snapshot_fault fault;
    size_t bytes;
    spawned(system, 5);
    OK(mote_system_kill_slots(system, 2, (const uint32_t[2]){1, 3}));
    stepped(system, 1);
    assert_int_equal(mote_system_count(system), 3);
    OK(mote_system_snapshot_bytes(system, &bytes));
    unsigned char *memory = malloc(bytes);
    OK(mote_system_save(system, 0, memory, bytes, NULL));
    const mote_snapshot_section section =
        living ? section_of(memory, MOTE_NO_ITEM, 3 * 8) : section_of(memory, FREE_GENERATIONS, 2 * 4);
    for (uint32_t i = 0; i < (living ? 3 : 2); i++) {
        unsigned char *const at = memory + section.offset + (living ? 8 * i + 4 : 4 * i), saved[4];
        test_case("id %u", i);
        memcpy(saved, at, 4), memset(at, 0, 4);
        ASSERT(memcmp(saved, at, 4), !=, 0);
        stepped(system, 1); /* a state that is not that of the snapshot */
        ASSERT(restore_or_keep(system, memory, bytes, &fault), ==, MOTE_ERROR_FILE);
        assert_int_equal(fault.part, MOTE_SNAPSHOT_PARTICLES);
        memcpy(at, saved, 4);
    }
    test_case(NULL);
    OK(mote_system_restore(system, memory, bytes, &fault));
    spawned(system, 2);
    const mote_range_view view = mote_system_view(system);
    assert_int_equal(view.count, 5);
    for (uint32_t slot = 0; slot < 5; slot++) ASSERT(view.id[slot].generation, >, 0u);
    free(memory);
    mote_system_destroy(system);
}

TEST(a_snapshot_with_a_particle_of_generation_0_is_refused) { refuse_generation_0(true); }

TEST(a_snapshot_with_a_free_id_of_generation_0_is_refused) { refuse_generation_0(false); }
