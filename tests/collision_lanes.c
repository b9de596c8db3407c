/* Blocks of loose particles among colliders: only the lanes that can reach one collide, apart for flat
 * colliders and for others, and a lane at rest is left alone until the end of the step. A system with a
 * column of stuck particles collides every register in every substep; both have the same bits. */
#include <math.h>
#include <string.h>

#include "collision_scene.h"

#define PARTICLES 1000u
#define TENTH     300000000u /* ticks in a tenth of a second */

/* Two equal systems but for that column, and their columns. */
typedef struct pair {
    mote_system *systems[2];
    float *columns[2][6];
} pair;

static pair create(uint32_t substeps) {
    pair p;
    for (int k = 0; k < 2; k++) {
        mote_system_def def = bare_def(PARTICLES, MOTE_SEMI_IMPLICIT_EULER);
        def.substeps = substeps, def.collision_radius = 0.02f, def.friction = 0.5f, def.sticking = k == 1;
        p.systems[k] = system_of(&def);
        const mote_range_view view = spawned(p.systems[k], PARTICLES);
        float *const list[6] = {view.position.x, view.position.y, view.position.z,
                                view.velocity.x, view.velocity.y, view.velocity.z};
        memcpy(p.columns[k], list, sizeof list);
    }
    return p;
}

/* Steps both systems and compares the bits after every step. Returns how many particles have moved. */
static uint32_t run(pair *p, uint32_t steps) {
    static float began[3][PARTICLES];
    uint32_t moved = 0;
    for (int axis = 0; axis < 3; axis++) memcpy(began[axis], p->columns[0][axis], sizeof began[axis]);
    for (uint32_t step = 0; step < steps; step++) {
        for (int k = 0; k < 2; k++) stepped(p->systems[k], 1);
        for (int column = 0; column < 6; column++) {
            test_case("step %u, column %d", step, column);
            ASSERT(memcmp(p->columns[0][column], p->columns[1][column], sizeof began[0]), ==, 0);
        }
    }
    for (uint32_t i = 0; i < PARTICLES; i++) {
        bool same = true;
        for (int axis = 0; axis < 3; axis++) same = same && p->columns[0][axis][i] == began[axis][i];
        moved += !same;
    }
    for (int k = 0; k < 2; k++) mote_system_destroy(p->systems[k]);
    return moved;
}

/* A number in -1 .. 1. */
static float draw(uint32_t number, uint32_t which) {
    uint32_t bits = (number * 8u + which + 1) * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    return (float)(bits >> 8) * 0x1p-23f - 1;
}

/* Particles at rest in empty space, all within 0.4 m of the origin. */
static void place_at_rest(pair *p) {
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < PARTICLES; i++)
            for (uint32_t axis = 0; axis < 3; axis++) p->columns[k][axis][i] = 0.4f * draw(i, axis);
}

/* A ball of 30 m/s throws them in any substep, and within the step some strike a plate that was far from all.
 */
TEST(particles_at_rest_are_met_in_any_substep) {
    for (uint32_t substeps = 1; substeps <= 16; substeps *= 2) {
        pair p = create(substeps);
        place_at_rest(&p);
        for (int k = 0; k < 2; k++) {
            const mote_transform from = {{0.5f, 0, 0}, {0, 0, 0, 1}}, to = {{2, 0, 0}, {0, 0, 0, 1}};
            mote_collider_def ball = mote_sphere((float[3]){-0.93f, 0, 0}, 0.5f);
            ball.restitution = 1;
            add_collider(p.systems[k], mote_box(&from, (float[3]){0.01f, 2, 2}));
            const mote_collider_id id = add_collider(p.systems[k], ball);
            const uint64_t end = mote_system_tick(p.systems[k]) + TENTH;
            OK(mote_system_move_collider(p.systems[k], id, &to, end));
        }
        test_case("%u substeps", substeps);
        const uint32_t moved = run(&p, 12);
        ASSERT(moved, >, PARTICLES * 9 / 10);
    }
}

/* Thrust begins in the third step. */
TEST(particles_at_rest_on_a_floor_move_when_a_force_begins) {
    for (uint32_t substeps = 1; substeps <= 16; substeps *= 2) {
        pair p = create(substeps);
        place_at_rest(&p);
        for (int k = 0; k < 2; k++) {
            const float times[2] = {2.4f / 60, 2.6f / 60}, forces[6] = {0, -1, 0, 9, 30, 0};
            add_collider(p.systems[k], mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}));
            add_force(p.systems[k], mote_timed_thrust(times, forces, 2));
            for (uint32_t i = 0; i < PARTICLES; i++) p.columns[k][1][i] = 0.02f;
        }
        test_case("%u substeps", substeps);
        const uint32_t moved = run(&p, 6);
        ASSERT(moved, ==, PARTICLES);
    }
}

/* From 1 to 128 m/s: they bounce from flat colliders to round ones within a substep. */
TEST(particles_bounce_between_flat_colliders_and_others) {
    for (uint32_t substeps = 1; substeps <= 8; substeps *= 2) {
        pair p = create(substeps);
        for (int k = 0; k < 2; k++) {
            const mote_transform at = {{0, 1, 0}, {0.1f, 0, 0.2f, 1}};
            mote_collider_def walls[] = {
                mote_plane((float[3]){0, 0, 0}, (float[3]){0.3f, 1, 0}),
                mote_plane((float[3]){0, 0, 0}, (float[3]){-0.3f, 1, 0}),
                mote_plane((float[3]){0, 3, 0}, (float[3]){0, -1, 0.1f}),
                mote_sphere((float[3]){0.5f, 1.5f, 0}, 0.3f),
                mote_capsule((float[3]){-1, 0.8f, -1}, (float[3]){-1, 1.2f, 1}, 0.2f),
                mote_box(&at, (float[3]){0.3f, 0.1f, 0.2f})};
            for (size_t wall = 0; wall < COUNT_OF(walls); wall++) {
                walls[wall].restitution = 0.9f;
                add_collider(p.systems[k], walls[wall]);
            }
            add_gravity(p.systems[k]);
            for (uint32_t i = 0; i < PARTICLES; i++)
                for (uint32_t axis = 0; axis < 3; axis++) {
                    p.columns[k][axis][i] = draw(i, axis) + (axis == 1 ? 2.0f : 0);
                    p.columns[k][3 + axis][i] = (float)(1u << i % 8) * draw(i, 3 + axis);
                }
        }
        test_case("%u substeps", substeps);
        const uint32_t moved = run(&p, 60);
        ASSERT(moved, ==, PARTICLES);
    }
}

/* Puts particles without momentum at most 2e-6 m from the surface of a slope through the origin; every ninth
 * lies at x = -0. */
static void place_on_slope(pair *p, float slope) {
    const float cosine = 1 / sqrtf(1 + slope * slope);
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < PARTICLES; i++) {
            const float x = i % 9 ? 0.4f * draw(i, 0) : -0.0f, gap = 2e-6f * powf(draw(i, 1), 5);
            p->columns[k][0][i] = x, p->columns[k][2][i] = 0.4f * draw(i, 2);
            p->columns[k][1][i] = (0.02f + gap) / cosine - slope * x;
        }
}

/* Slopes on which friction holds particles and others on which it does not; a box in which some begin, and
 * whose bounding sphere holds all of them; or a slope that kills. */
TEST(particles_without_momentum_on_slopes_have_the_bits_of_others) {
    static const float slopes[] = {0, 0.3f, 0.499f, 0.4999f, 0.5001f, 0.501f, 0.7f, -0.4999f};
    for (uint32_t number = 0; number < 4 * COUNT_OF(slopes); number++) {
        const float slope = slopes[number / 4];
        const bool box = number & 1, many = number & 2;
        pair p = create(many ? 8 : 1);
        place_on_slope(&p, slope);
        for (int k = 0; k < 2; k++) {
            const mote_transform at = {{0.5f, 0, 0}, {0, 0, 0, 1}};
            mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){slope, 1, 0});
            floor.friction = 0.5f;
            add_collider(p.systems[k], floor);
            if (box) add_collider(p.systems[k], mote_box(&at, (float[3]){0.45f, 0.3f, 0.3f}));
            add_gravity(p.systems[k]);
        }
        test_case("slope %g, box %d, substeps %d", (double)slope, box, many ? 8 : 1);
        const uint32_t moved = run(&p, 3);
        ASSERT(moved, >=, slope > 0.5f ? PARTICLES : 1);
    }
}

/* Explicit Euler moves no particle without momentum, however large the force is. */
TEST(particles_without_momentum_under_any_force_have_the_bits_of_others) {
    for (int exponent = 0; exponent < 38; exponent++) {
        mote_system *systems[2];
        for (int k = 0; k < 2; k++) {
            mote_system_def def = bare_def(16, MOTE_EXPLICIT_EULER);
            def.steps_per_second = (mote_rate){1, 4}, def.sticking = k == 1;
            systems[k] = system_of(&def);
            add_collider(systems[k], mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}));
            add_force(systems[k], mote_gravity((float[3]){0, -6 * powf(10, (float)exponent), 0}));
            (void)spawned(systems[k], 16);
            stepped(systems[k], 1);
        }
        test_case("6e%d m/s^2", exponent);
        ASSERT(mote_system_count(systems[0]), ==, mote_system_count(systems[1]));
        for (int k = 0; k < 2; k++) mote_system_destroy(systems[k]);
    }
}

TEST(particles_without_momentum_on_a_deadly_floor_die) {
    pair p = create(1);
    place_on_slope(&p, 0);
    for (int k = 0; k < 2; k++) {
        mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
        floor.response = MOTE_RESPONSE_KILL;
        add_collider(p.systems[k], floor);
        add_gravity(p.systems[k]);
        stepped(p.systems[k], 2);
        ASSERT(mote_system_count(p.systems[k]), ==, 0);
        mote_system_destroy(p.systems[k]);
    }
}

/* --- By instruction set and loop order --- */

typedef mote_system *make_system(mote_isa isa, mote_loop_order order);
typedef void check_step(mote_system *one, mote_system *other, uint32_t step);

/* Steps a system beside one with scalar kernels, by every instruction set and both loop orders. */
static void compare_all(make_system *make, check_step *check, uint32_t steps) {
    for (mote_isa isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        for (int staged = 0; staged < 2 && mote_isa_available(isa); staged++) {
            mote_system *one = make(MOTE_ISA_SCALAR, MOTE_LOOP_AUTO),
                        *other = make(isa, staged ? MOTE_LOOP_STAGE_OUTER : MOTE_LOOP_AUTO);
            for (uint32_t step = 0; step < steps; step++) {
                stepped(one, 1), stepped(other, 1);
                test_case("%s, staged %d, step %u", mote_isa_name(isa), staged, step);
                check(one, other, step);
            }
            mote_system_destroy(one), mote_system_destroy(other);
        }
}

static mote_system *sticky_box(mote_isa isa, mote_loop_order order) {
    mote_system_def def = bare_def(PARTICLES, MOTE_SEMI_IMPLICIT_EULER);
    def.substeps = 4, def.sticking = true, def.isa = isa, def.loop_order = order;
    mote_system *system = system_of(&def);
    const mote_transform at = {{0.5f, -0.7f, 0.2f}, {0.1f, 0.3f, 0.05f, 1}};
    mote_collider_def box = mote_box(&at, (float[3]){3, 0.5f, 3});
    box.response = MOTE_RESPONSE_STICK;
    add_collider(system, box);
    add_gravity(system);
    const mote_range_view view = spawned(system, PARTICLES);
    for (uint32_t i = 0; i < PARTICLES; i++) put(&view, i, draw(i, 0), 2 + draw(i, 1), draw(i, 2));
    return system;
}

static void release_some(mote_system *system) {
    const mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++)
        if (i % 3) view.stuck[i] = 0;
}

static void check_hashes(mote_system *one, mote_system *other, uint32_t step) {
    ASSERT(mote_system_hash(one), ==, mote_system_hash(other));
    if (step % 10 == 9) release_some(one), release_some(other);
}

/* A released particle sticks again without moving, at a place that rounds to another one in the next substep.
 */
TEST(particles_that_stick_again_have_the_same_bits_everywhere) { compare_all(sticky_box, check_hashes, 150); }

/* Particles of 512 m/s between two plates of 1 m, back at their place after each substep; one that moves. */
static mote_system *shuttles(mote_isa isa, mote_loop_order order) {
    mote_system_def def = bare_def(20, MOTE_SEMI_IMPLICIT_EULER);
    def.steps_per_second = (mote_rate){64, 1}, def.substeps = 4, def.max_hits = 1000;
    def.isa = isa, def.loop_order = order;
    mote_system *system = system_of(&def);
    for (int k = 0; k < 2; k++) {
        mote_collider_def plate = mote_plane((float[3]){0, (float)k, 0}, (float[3]){0, k ? -1 : 1, 0});
        plate.restitution = 1, plate.friction = 0;
        add_collider(system, plate);
    }
    const mote_range_view view = spawned(system, 20);
    for (uint32_t i = 0; i < 20; i++) put(&view, i, (float)i, 0.5f, 0), throw_at(&view, i, 0, 512, 0);
    throw_at(&view, 1, 1, 3, 0);
    return system;
}

static void check_hits(mote_system *one, mote_system *other, uint32_t step) {
    (void)step;
    mote_hit_list a, b;
    OK(mote_system_hits(one, &a));
    OK(mote_system_hits(other, &b));
    ASSERT(a.count, >=, 19 * 8);
    ASSERT(a.count, ==, b.count);
    for (uint32_t i = 0; i < a.count && i < b.count; i++) {
        ASSERT(a.events[i].slot, ==, b.events[i].slot);
        ASSERT(a.events[i].time, ==, b.events[i].time);
    }
}

TEST(hits_without_motion_are_listed_in_every_substep) { compare_all(shuttles, check_hits, 3); }
