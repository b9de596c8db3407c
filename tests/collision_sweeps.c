/* Collisions of loose particles: nothing tunnels; moving and turning colliders; responses; bad input. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision_scene.h"

/* --- Tunnelling --- */

enum { SHOTS = 250000 };

/* Thin colliders that cross the scene in one step of 1/60 s: position and turn at its start and end. */
typedef struct flyer {
    mote_collider_def def;
    mote_transform to;
} flyer;

/* Aims at a place in or near the target where it will be at the fraction f of the step. */
static void aim(const mote_range_view *view, uint32_t i, const flyer *target, random_source *random) {
    const mote_collider_def *def = &target->def;
    const mote_transform *from = &def->transform;
    const float f = random_between(random, 0.05f, 0.95f), speed = random_between(random, 10, 10000);
    double local[3], back[4], spot[3], away[3];
    float q[4];
    for (int k = 0; k < 4; k++) q[k] = from->rotation[k] + f * (target->to.rotation[k] - from->rotation[k]);
    for (int k = 0; k < 3; k++)
        local[k] = (double)random_between(random, -1.2f, 1.2f) * (double)(def->extent[k] + def->radius);
    local[1] += (double)random_between(random, -1, 1) * (double)def->half_length;
    for (int k = 0; k < 4; k++) back[k] = k < 3 ? -(double)q[k] : (double)q[k];
    const float inverse[4] = {(float)back[0], (float)back[1], (float)back[2], (float)back[3]};
    into_axes(inverse, local, spot);
    for (int k = 0; k < 3; k++) away[k] = (double)random_between(random, -1, 1);
    const double length = sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) + 1e-9;
    float x[3], v[3];
    for (int k = 0; k < 3; k++) {
        const double at = spot[k] + (double)from->position[k] +
                          (double)f * (double)(target->to.position[k] - from->position[k]);
        v[k] = (float)((double)speed * away[k] / length);
        x[k] = (float)(at - (double)f / 60 * (double)v[k]);
    }
    put(view, i, x[0], x[1], x[2]);
    throw_at(view, i, v[0], v[1], v[2]);
}

static mote_system *shoot_at(const flyer *target, random_source *random, mote_response response) {
    mote_system_def def = bare_def(SHOTS, MOTE_SEMI_IMPLICIT_EULER);
    def.particle_ids = false;
    mote_system *system = system_of(&def);
    mote_collider_def collider = target->def;
    collider.response = response, collider.restitution = 1, collider.friction = 0;
    const mote_collider_id id = add_collider(system, collider);
    OK(mote_system_move_collider(system, id, &target->to, MOTE_NEXT_ADVANCE));
    const mote_range_view view = spawned(system, SHOTS);
    for (uint32_t i = 0; i < SHOTS; i++) aim(&view, i, target, random);
    return system;
}

/* Distance of shot i from the target at the fraction f of the step, if nothing stops it. */
static double distance_at(const mote_range_view *view, uint32_t i, const flyer *target, double f) {
    const float *const v[3] = {&view->velocity.x[i], &view->velocity.y[i], &view->velocity.z[i]};
    const mote_transform *a = &target->def.transform, *b = &target->to;
    float x[3], q[4];
    double d[3], local[3];
    place_of(view, i, x);
    for (int k = 0; k < 4; k++)
        q[k] = (float)((double)a->rotation[k] + f * (double)(b->rotation[k] - a->rotation[k]));
    for (int k = 0; k < 3; k++) {
        const double end = (double)(x[k] + (float)(1.0 / 60) * *v[k]), from = (double)x[k];
        const double at = (double)a->position[k] + f * ((double)b->position[k] - (double)a->position[k]);
        d[k] = from + f * (end - from) - at;
    }
    into_axes(q, d, local);
    return local_distance(&target->def, local);
}

/* Least distance on the way: ternary search. */
static double least_distance(const mote_range_view *view, uint32_t i, const flyer *target) {
    double low = 0, high = 1, least = INFINITY;
    for (int n = 0; n < 100; n++) {
        const double third = (high - low) / 3, left = distance_at(view, i, target, low + third),
                     right = distance_at(view, i, target, high - third);
        least = fmin(least, fmin(left, right));
        if (left < right)
            high -= third;
        else
            low += third;
    }
    return fmin(least, fmin(distance_at(view, i, target, 0), distance_at(view, i, target, 1)));
}

static flyer flyer_of(uint32_t kind) {
    const float axis[3] = {0.48f, 0.6f, 0.64f};
    flyer f = {.to = turned(0.5f, -0.3f, 0.2f, axis, kind % 2 ? 0.9 : 0.8)};
    const mote_transform from = turned(-0.4f, 0.2f, 0.1f, axis, 0.8);
    if (kind < 2) {
        f.def = mote_box(&from, (float[3]){0.7f, 0.005f, 0.6f});
    } else {
        f.def = mote_capsule((float[3]){0, -0.8f, 0}, (float[3]){0, 0.8f, 0}, 0.001f);
        f.def.transform = from;
    }
    return f;
}

static const char *flyer_name(uint32_t kind) {
    static const char *const names[] = {"a plate of 10 mm", "one that turns", "a wire of 2 mm",
                                        "one that turns "};
    return names[kind];
}

/* 10^6 shots at up to 10 km/s in the four tests. Colliders kill: each path that comes within -0.1 mm of the
 * surface must hit, and none that stays 0.1 mm away may. */
TEST_EACH(nothing_tunnels_through, 4, flyer_name, kind) {
    const flyer target = flyer_of(kind);
    random_source random = {kind + 1};
    mote_system *system = shoot_at(&target, &random, MOTE_RESPONSE_KILL);
    mote_range_view view = mote_system_view(system);
    const double graze = 1e-4;
    uint32_t certain = 0, possible = 0;
    for (uint32_t i = 0; i < SHOTS; i++) {
        const double least = least_distance(&view, i, &target);
        certain += least < -graze, possible += least < graze;
        if (least >= -graze && least < graze) put(&view, i, 500, 500, 500); /* grazes: taken out */
    }
    const mote_advance report = stepped(system, 1);
    ASSERT(certain, >, SHOTS / 4u);
    ASSERT(possible - certain, <, SHOTS / 5u);
    ASSERT(report.collided, >=, certain);
    /* The distance from one that turns is not convex, and the search misses the least one of few. */
    ASSERT(report.collided, <=, certain + kind % 2 * 2);
    ASSERT(mote_system_count(system), ==, SHOTS - report.collided);
    mote_system_destroy(system);
}

/* The same shots bounce: no particle ends inside a plate, and those that hit are not where they would be
 * without it. */
TEST_EACH(all_bounce_off, 4, flyer_name, kind) {
    const flyer target = flyer_of(kind);
    random_source random = {kind + 1};
    mote_system *system = shoot_at(&target, &random, MOTE_RESPONSE_BOUNCE);
    const mote_range_view view = mote_system_view(system);
    const float *const at[3] = {view.position.x, view.position.y, view.position.z}, *const v[3] = {
                                                                                        view.velocity.x,
                                                                                        view.velocity.y,
                                                                                        view.velocity.z};
    bool *hits = calloc(SHOTS, sizeof *hits);
    float(*ends)[3] = calloc(SHOTS, sizeof *ends);
    assert_non_null(hits);
    assert_non_null(ends);
    for (uint32_t i = 0; i < SHOTS; i++) {
        hits[i] = least_distance(&view, i, &target) < -1e-4 && distance_at(&view, i, &target, 0) > 1e-3;
        for (int axis = 0; axis < 3; axis++) ends[i][axis] = at[axis][i] + (float)(1.0 / 60) * v[axis][i];
    }
    stepped(system, 1);
    for (uint32_t i = 0; i < SHOTS; i++) {
        float x[3];
        mote_collider_def there = target.def;
        there.transform = target.to;
        place_of(&view, i, x);
        ASSERT(distance_to(&there, x), >, -2e-4);
        const bool moved = x[0] != ends[i][0] || x[1] != ends[i][1] || x[2] != ends[i][2];
        if (hits[i]) ASSERT(moved, ==, true);
    }
    free(hits), free(ends);
    mote_system_destroy(system);
}

static uint64_t system_ticks(const mote_system *system) {
    mote_advance report;
    mote_system *same = (mote_system *)(uintptr_t)system;
    OK(mote_system_step(same, 0, &report));
    return report.ticks_per_step;
}

/* Points of radius 0 fall on a box without thickness, still or moving, bounce and come to rest on it. */
TEST(a_sheet_without_thickness_is_solid_from_both_sides) {
    static const float extents[] = {0, 1e-9f, 1e-7f, 1e-6f}, speeds[] = {1, 60, 600, 3000};
    enum { POINTS = 64 };
    random_source random = {5};
    for (uint32_t n = 0; n < COUNT_OF(extents) * COUNT_OF(speeds) * 4; n++) {
        const mote_system_def def = bare_def(POINTS, n % 3 ? MOTE_SEMI_IMPLICIT_EULER : MOTE_VELOCITY_VERLET);
        mote_system *system = system_of(&def);
        const float up = n / 8 % 2 ? 1 : -1, speed = speeds[n % COUNT_OF(speeds)];
        const mote_transform at = turned(0, 0, 0, (float[3]){1, 0, 0}, n / 16 % 2 ? 0.3 : 0);
        mote_transform to = at;
        mote_collider_def sheet = mote_box(&at, (float[3]){40, extents[n / 4 % COUNT_OF(extents)], 40});
        sheet.friction = 100, sheet.restitution = n / 4 % 2 ? 0.9f : 0;
        const mote_collider_id id = add_collider(system, sheet);
        add_force(system, mote_gravity((float[3]){0, -up * GRAVITY, 0}));
        to.position[1] = 3;
        if (n / 32) OK(mote_system_move_collider(system, id, &to, 60 * system_ticks(system)));
        const mote_range_view view = spawned(system, POINTS);
        for (uint32_t i = 0; i < POINTS; i++) {
            put(&view, i, random_between(&random, -3, 3), up * random_between(&random, 4, 9), i * 0.01f);
            view.velocity.y[i] = -up * speed;
        }
        for (int frame = 0; frame < 40; frame++) {
            stepped(system, 4);
            const double moved = n / 32 ? fmin(3, (frame + 1) * 0.2) : 0;
            for (uint32_t i = 0; i < POINTS; i++) {
                test_case("case %u, %g m thick, %g m/s", n, 2 * (double)sheet.extent[1], (double)speed);
                const double y = (double)view.position.y[i] - moved, z = (double)view.position.z[i];
                const double tilt = 2 * (double)at.rotation[0] * (double)at.rotation[3];
                ASSERT((double)up * (y * sqrt(1 - tilt * tilt) + z * tilt), >=, -1e-5);
            }
        }
        mote_system_destroy(system);
    }
}

/* --- Moving colliders --- */

TEST(a_rising_floor_carries_and_a_paddle_strikes) {
    mote_system_def def = bare_def(2, MOTE_VELOCITY_VERLET);
    mote_system *system = system_of(&def);
    add_gravity(system);
    mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    const mote_collider_id floor_id = add_collider(system, floor);
    mote_collider_def paddle = mote_sphere((float[3]){10, 5, 0}, 1);
    paddle.restitution = 0.5f, paddle.friction = 0;
    const mote_collider_id paddle_id = add_collider(system, paddle);
    const mote_range_view view = spawned(system, 2);
    put(&view, 0, 0, 0, 0), put(&view, 1, 11.5f, 5, 0);
    const mote_transform up = {{0, 1, 0}, {0, 0, 0, 1}}, right = {{11, 5, 0}, {0, 0, 0, 1}};
    const uint64_t second = 60 * system_ticks(system);
    OK(mote_system_move_collider(system, floor_id, &up, second));
    OK(mote_system_move_collider(system, paddle_id, &right, second / 10));
    stepped(system, 2);
    const float before = view.velocity.x[1];
    stepped(system, 3);
    ASSERT(before, ==, 0.0f);
    ASSERT_NEAR(view.velocity.x[1], 15, 0.2); /* (1 + e) u, less what the fall turns */
    stepped(system, 25);
    ASSERT_NEAR(view.position.y[0], 0.5, 1e-5);
    ASSERT_NEAR(view.velocity.y[0], 1, 1e-5);
    stepped(system, 60);
    ASSERT(view.velocity.y[0], <, 1.0f); /* flies on, falls and rests again */
    stepped(system, 120);
    ASSERT_NEAR(view.position.y[0], 1, 1e-6);
    ASSERT(view.velocity.y[0], ==, 0.0f);
    mote_system_destroy(system);
}

TEST(a_turning_platform_carries_by_friction) {
    mote_system_def def = bare_def(1, MOTE_SEMI_IMPLICIT_EULER);
    def.friction = 1;
    mote_system *system = system_of(&def);
    add_gravity(system);
    const mote_transform at = turned(0, 0, 0, (float[3]){0, 1, 0}, 0);
    mote_collider_def box = mote_box(&at, (float[3]){2, 0.1f, 2});
    box.friction = 1;
    const mote_collider_id id = add_collider(system, box);
    const mote_range_view view = spawned(system, 1);
    put(&view, 0, 1, 0.1f, 0), throw_at(&view, 0, 0, 0, -0.6f);
    for (int n = 1; n <= 200; n++) {
        const mote_transform to = turned(0, 0, 0, (float[3]){0, 1, 0}, 0.01 * n);
        OK(mote_system_move_collider(system, id, &to, n * system_ticks(system)));
        stepped(system, 1);
        ASSERT_NEAR(view.position.x[0], cos(0.01 * n), 2e-4);
        ASSERT_NEAR(view.position.z[0], -sin(0.01 * n), 2e-4);
        ASSERT_NEAR(view.position.y[0], 0.1, 2e-6);
    }
    mote_system_destroy(system);
}

/* --- Responses --- */

TEST(stuck_particles_move_rigidly_until_they_are_released) {
    mote_system_def def = bare_def(200, MOTE_VELOCITY_VERLET);
    def.sticking = true, def.substeps = 2;
    mote_system *system = system_of(&def);
    add_gravity(system);
    mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 1);
    ball.response = MOTE_RESPONSE_STICK;
    const mote_collider_id id = add_collider(system, ball);
    const mote_range_view view = spawned(system, 200);
    random_source random = {3};
    for (uint32_t i = 0; i < 200; i++)
        put(&view, i, random_between(&random, -0.6f, 0.6f), random_between(&random, 1, 1.5f),
            random_between(&random, -0.6f, 0.6f));
    stepped(system, 60);
    float x[200][3];
    for (uint32_t i = 0; i < 200; i++) {
        ASSERT(view.stuck[i], ==, id.index);
        place_of(&view, i, x[i]);
        ASSERT_NEAR(distance_to(&ball, x[i]), 0, 1e-6);
    }
    const float axis[3] = {0.6f, 0.8f, 0};
    for (int n = 1; n <= 100; n++) {
        const mote_transform to = turned(0.02f * (float)n, 0.1f, 0, axis, 0.05 * n);
        OK(mote_system_move_collider(system, id, &to, (60 + n) * system_ticks(system)));
        stepped(system, 1);
    }
    const mote_transform end = turned(2, 0.1f, 0, axis, 5);
    for (uint32_t i = 0; i < 200; i++) {
        double d[3], q[3];
        for (int k = 0; k < 3; k++)
            d[k] = (double)(k == 0   ? view.position.x[i]
                            : k == 1 ? view.position.y[i]
                                     : view.position.z[i]) -
                   (double)end.position[k];
        into_axes(end.rotation, d, q);
        for (int k = 0; k < 3; k++) ASSERT_NEAR(q[k], x[i][k], 3e-6);
    }
    view.stuck[0] = 0;
    ball.transform = end, ball.response = MOTE_RESPONSE_PASS;
    OK(mote_system_set_collider(system, id, &ball));
    stepped(system, 60);
    for (uint32_t i = 0; i < 200; i++) {
        ASSERT(view.stuck[i], ==, 0u);
        ASSERT(view.position.y[i], <, -2.0f);
    }
    mote_system_destroy(system);
}

TEST(the_removal_of_the_last_collider_releases) {
    mote_system_def def = bare_def(2, MOTE_VELOCITY_VERLET);
    def.sticking = true;
    mote_system *system = system_of(&def);
    mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    floor.response = MOTE_RESPONSE_STICK;
    const mote_collider_id id = add_collider(system, floor);
    const mote_range_view view = spawned(system, 2);
    add_gravity(system);
    put(&view, 0, 0, 0.1f, 0), put(&view, 1, 1, 0.1f, 0);
    stepped(system, 60);
    ASSERT(view.stuck[0], ==, id.index);
    OK(mote_system_remove_collider(system, id));
    stepped(system, 30);
    for (uint32_t i = 0; i < 2; i++) {
        ASSERT(view.stuck[i], ==, 0u);
        ASSERT(view.position.y[i], <, -1.0f);
    }
    mote_system_destroy(system);
}

TEST(a_killing_collider_kills_those_that_hit_it_and_no_others) {
    mote_system_def def = bare_def(100, MOTE_SEMI_IMPLICIT_EULER);
    def.particle_ids = true, def.max_deaths = 100;
    mote_system *system = system_of(&def);
    mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 1);
    ball.response = MOTE_RESPONSE_KILL;
    add_collider(system, ball);
    const mote_range_view view = spawned(system, 100);
    mote_particle_id ids[100];
    for (uint32_t i = 0; i < 100; i++) {
        put(&view, i, -5, i % 2 ? 0.5f : 1.5f, 0);
        throw_at(&view, i, i % 4 == 3 ? 300 : 600, 0, 0);
        ids[i] = view.id[i];
    }
    mote_advance report = stepped(system, 1);
    ASSERT(report.collided, ==, 50u);
    mote_death_list deaths;
    OK(mote_system_deaths(system, &deaths));
    ASSERT(deaths.count, ==, 50u);
    for (uint32_t i = 0; i < 50; i++) {
        ASSERT((uint32_t)deaths.events[i].why, ==, (uint32_t)MOTE_DEATH_COLLIDED);
        ASSERT_NEAR(distance_to(&ball, deaths.events[i].position), 0, 1e-5);
        ASSERT(deaths.events[i].velocity[0], >=, 300.0f);
    }
    ASSERT(report.killed + report.expired + report.non_finite, ==, 0u);
    ASSERT(mote_system_count(system), ==, 50u);
    for (uint32_t i = 0; i < 100; i++)
        ASSERT(mote_system_slot(system, ids[i]) != MOTE_NO_SLOT, ==, i % 2 == 0);
    report = stepped(system, 1);
    ASSERT(report.collided, ==, 0u);
    mote_system_destroy(system);
}

static double energy_free(const mote_range_view *view, uint32_t i) {
    return (double)(fabsf(view->velocity.x[i]) + fabsf(view->velocity.y[i]) + fabsf(view->velocity.z[i]));
}

TEST(particles_inside_are_put_on_the_surface_without_speed) {
    mote_system_def def = bare_def(OBSTACLES, MOTE_VELOCITY_VERLET);
    mote_system *system = system_of(&def);
    mote_collider_def obstacles[OBSTACLES];
    obstacles_of(obstacles);
    const mote_range_view view = spawned(system, OBSTACLES);
    for (uint32_t k = 0; k + 1 < OBSTACLES; k++) {
        add_collider(system, obstacles[k]);
        const float *at = obstacles[k].transform.position;
        put(&view, k, at[0] + 0.05f, at[1] - 0.02f, at[2] + 0.03f);
    }
    stepped(system, 2);
    for (uint32_t k = 0; k + 1 < OBSTACLES; k++) {
        float x[3];
        place_of(&view, k, x);
        ASSERT_NEAR(distance_to(&obstacles[k], x), 0, 4e-6);
        ASSERT_NEAR(energy_free(&view, k), 0, 1e-9);
    }
    mote_system_destroy(system);
}

TEST(advection_slides_along_colliders) {
    mote_system_def def = bare_def(1, MOTE_ADVECT_MIDPOINT);
    mote_system *system = system_of(&def);
    mote_force_def wind = mote_linear_field((float[3]){1, -1, 0}, (float[9]){0}, MOTE_FIELD_VELOCITY, 0);
    add_force(system, wind);
    add_collider(system, mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}));
    const mote_range_view view = spawned(system, 1);
    put(&view, 0, 0, 0.5f, 0);
    stepped(system, 120);
    ASSERT_NEAR(view.position.x[0], 2, 1e-4);
    ASSERT_NEAR(view.position.y[0], 0, 1e-6);
    mote_system_destroy(system);
}

/* --- Bad input --- */

TEST(wrong_fields_are_named) {
    const struct {
        const char *name;
        float restitution;
        mote_response response;
        mote_result result;
    } rows[] = {{"restitution", 1.5f, MOTE_RESPONSE_BOUNCE, MOTE_ERROR_RANGE},
                {"restitution", -0.1f, MOTE_RESPONSE_BOUNCE, MOTE_ERROR_RANGE},
                {"restitution", NAN, MOTE_RESPONSE_BOUNCE, MOTE_ERROR_NOT_FINITE},
                {"response", 0.5f, (mote_response)9, MOTE_ERROR_ENUM}};
    mote_system_def def = bare_def(4, MOTE_SEMI_IMPLICIT_EULER);
    mote_system *system = system_of(&def);
    mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 1);
    mote_collider_id id;
    const char *parameter;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_collider_def wrong = ball;
        wrong.restitution = rows[i].restitution, wrong.response = rows[i].response;
        assert_int_equal(mote_collider_check(&wrong, &parameter), rows[i].result);
        assert_string_equal(parameter, rows[i].name);
        assert_int_equal(mote_system_add_collider(system, &wrong, &id), rows[i].result);
    }
    ball.response = MOTE_RESPONSE_STICK;
    assert_int_equal(mote_system_add_collider(system, &ball, &id), MOTE_ERROR_ABSENT);
    assert_int_equal(mote_collider_check(&ball, &parameter), MOTE_OK);
    assert_int_equal(mote_system_collider_check(system, &ball, &parameter), MOTE_ERROR_ABSENT);
    assert_string_equal(parameter, "response");
    def.collision_radius = -1;
    assert_int_equal(mote_system_def_check(&def, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "collision_radius");
    def.collision_radius = 0, def.friction = NAN;
    assert_int_equal(mote_system_def_check(&def, &parameter), MOTE_ERROR_NOT_FINITE);
    assert_string_equal(parameter, "friction");
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.collision_radius = (mote_spread){-1, 1};
    assert_int_equal(mote_emitter_check(&emitter, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "collision_radius");
    mote_system_destroy(system);
}

TEST(seeks_and_previews_that_would_ignore_collisions_are_refused) {
    for (int on = 0; on < 2; on++) {
        mote_system_def def = bare_def(4, MOTE_SEMI_IMPLICIT_EULER);
        def.collisions = on;
        mote_system *system = system_of(&def);
        add_gravity(system);
        float point[1][3];
        const mote_preview_def preview = mote_default_preview_def();
        OK(mote_system_preview(system, &preview, point));
        add_collider(system, mote_sphere((float[3]){0, 0, 0}, 1));
        const mote_result result = on ? MOTE_ERROR_INTEGRATOR : MOTE_OK;
        OK(mote_system_seek(system, 5));
        spawned(system, 1);
        assert_int_equal(mote_system_preview(system, &preview, point), result);
        assert_int_equal(mote_system_seek(system, 9), result);
        mote_system_destroy(system);
    }
}

/* Neighbours in the same register keep their bits. */
TEST(hostile_particles_harm_no_others) {
    uint64_t bits[2];
    for (int hostile = 0; hostile < 2; hostile++) {
        mote_system_def def = bare_def(16, MOTE_VELOCITY_VERLET);
        def.radius_column = true;
        mote_system *system = system_of(&def);
        add_gravity(system);
        mote_collider_def obstacles[OBSTACLES];
        obstacles_of(obstacles);
        for (int k = 0; k < OBSTACLES; k++) add_collider(system, obstacles[k]);
        const mote_range_view view = spawned(system, 16);
        random_source random = {5};
        for (uint32_t i = 0; i < 16; i++)
            put(&view, i, random_between(&random, -2, 2), random_between(&random, 3, 4), 0);
        if (hostile) {
            put(&view, 15, NAN, 0, 0), put(&view, 14, INFINITY, 1, 0), put(&view, 13, 1e30f, 1e30f, 1e30f);
            throw_at(&view, 12, 3e38f, 0, 0), throw_at(&view, 11, NAN, 0, 0);
            view.radius[10] = NAN, view.radius[9] = INFINITY, view.radius[8] = -1;
        }
        bits[hostile] = 0;
        for (int n = 0; n < 100; n++) stepped(system, 1);
        uint32_t words[8];
        memcpy(words, view.position.y, sizeof words);
        for (int i = 0; i < 8; i++) bits[hostile] = bits[hostile] * 31 + words[i];
        mote_system_destroy(system);
    }
    ASSERT(bits[0], ==, bits[1]);
}
