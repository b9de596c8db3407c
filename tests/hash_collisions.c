/* Hashes of systems whose loose particles collide with every shape, at rest and moving: they bounce, rest,
 * stick and die; with radii of their own, from an emitter too. */
#include "hash_collisions.h"

#include "hash_calls.h"
#include "hash_twins.h"

#include <stdio.h>

enum { COLLIDERS = 6 };

static mote_transform at(float x, float y, float z, float turn) {
    return (mote_transform){{x, y, z}, {0.3f * turn, 0.1f, 0.5f * turn, 1}};
}

/* A system with gravity and an emitter at a height. */
static mote_system *make_rain(const mote_system_def *def, float height) {
    mote_system *system;
    mote_force_id force;
    mote_emitter_id emitter;
    mote_emitter_def rain = mote_default_emitter_def();
    CALL(mote_system_create(def, &system));
    hash_watch(system);
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    CALL(mote_system_add_force(system, &gravity, &force));
    rain.shape = MOTE_EMITTER_BOX, rain.extent[0] = 3, rain.extent[2] = 2, rain.rate = 9000, rain.spread = 3;
    rain.speed = (mote_spread){1, 9}, rain.collision_radius = (mote_spread){0, 0.05f};
    rain.transform.position[1] = height;
    CALL(mote_system_add_emitter(system, &rain, &emitter));
    return system;
}

static void colliders_of(mote_collider_def out[COLLIDERS]) {
    const mote_transform box = at(2, 1, 0, 0.4f), kill = at(-2, 1.2f, 1, 0.9f);
    out[0] = mote_plane((float[3]){0, 0, 0}, (float[3]){0.1f, 1, -0.05f});
    out[1] = mote_sphere((float[3]){0, 1.1f, 0}, 0.7f);
    out[2] = mote_capsule((float[3]){-1, 2.6f, -1}, (float[3]){1.2f, 3, 0.5f}, 0.2f);
    out[3] = mote_box(&box, (float[3]){0.5f, 0.3f, 0.7f});
    out[4] = mote_box(&kill, (float[3]){0.4f, 0.2f, 0.3f});
    out[5] = mote_plane((float[3]){-3.5f, 0, 0}, (float[3]){1, 0.3f, 0});
    out[1].response = MOTE_RESPONSE_STICK, out[4].response = MOTE_RESPONSE_KILL;
    out[4].radius = 0.1f, out[2].restitution = 1, out[0].friction = 2;
}

static mote_system *make(const mote_system_def *def, mote_collider_id id[COLLIDERS]) {
    mote_collider_def colliders[COLLIDERS];
    mote_system *system = make_rain(def, 4);
    colliders_of(colliders);
    for (int i = 0; i < COLLIDERS; i++) CALL(mote_system_add_collider(system, &colliders[i], &id[i]));
    return system;
}

static uint64_t run(mote_isa isa, mote_jobs jobs, mote_integrator integrator, uint32_t substeps,
                    bool moving) {
    mote_system_def def = mote_default_system_def();
    def.allocator = hash_allocator(), def.isa = isa, def.jobs = jobs, def.integrator = integrator,
    def.capacity = 6000, def.substeps = substeps;
    def.sticking = def.radius_column = def.mass_column = true;
    mote_collider_id id[COLLIDERS], other[COLLIDERS];
    mote_system *system = make(&def, id);
    for (int frame = 0; frame < 20; frame++) {
        for (int i = 1; i < 5 && moving; i++) {
            const mote_transform to = at(0.1f * (float)(frame * i % 9), 1 + 0.1f * (float)(frame % 5),
                                         (float)i - 2, 0.2f * (float)frame);
            CALL(mote_system_move_collider(system, id[i], &to, MOTE_NEXT_ADVANCE));
        }
        if (hash_twin_steps) system = hash_continue(system, make(&def, other));
        CALL(mote_system_advance(system, 30000000 + 7000000 * (uint64_t)(frame % 4), NULL));
    }
    const uint64_t hash = mote_system_hash(system);
    hash_compare(system, hash_twin_steps ? make(&def, other) : NULL);
    return hash;
}

/* --- Height fields and distance grids --- */

enum { EDGE = 21, CELLS = 25 };

/* Hills of exact numbers, and a bowl whose squares are. */
static mote_height_field *hills(void) {
    static float heights[EDGE * EDGE];
    mote_height_field *field;
    mote_height_field_def def = mote_default_height_field_def();
    for (int k = 0; k < EDGE * EDGE; k++)
        heights[k] = 0.0625f * (float)(k * 7 % 13) + 0.03125f * (float)(k % EDGE);
    def.count[0] = def.count[1] = EDGE, def.spacing[0] = 0.5f, def.spacing[1] = 0.375f, def.heights = heights;
    def.allocator = hash_allocator();
    CALL(mote_height_field_create(&def, &field));
    return field;
}

static mote_distance_grid *lens(void) {
    static float distances[CELLS * CELLS * CELLS];
    mote_distance_grid *grid;
    mote_distance_grid_def def = mote_default_distance_grid_def();
    for (int k = 0; k < CELLS * CELLS * CELLS; k++) {
        const int x = k % CELLS - 12, y = k / CELLS % CELLS - 12, z = k / CELLS / CELLS - 12;
        distances[k] = (float)(x * x + 3 * y * y + z * z - 64) * 0.0078125f;
    }
    for (int axis = 0; axis < 3; axis++) def.count[axis] = CELLS, def.origin[axis] = -1.5f;
    def.spacing = 0.125f, def.distances = distances, def.allocator = hash_allocator();
    CALL(mote_distance_grid_create(&def, &grid));
    return grid;
}

static mote_system *make_grids(const mote_system_def *def, const mote_height_field *field,
                               const mote_distance_grid *grid, mote_collider_id id[2]) {
    const mote_transform low = at(-5, -1, -4, 0), high = at(0, 3, 0, 0.3f);
    mote_system *system = make_rain(def, 5);
    mote_collider_def colliders[2] = {mote_height_field_collider(&low, field),
                                      mote_distance_grid_collider(&high, grid)};
    for (int i = 0; i < 2; i++) CALL(mote_system_add_collider(system, &colliders[i], &id[i]));
    return system;
}

static uint64_t run_grids(mote_isa isa, mote_jobs jobs, mote_integrator integrator, bool moving) {
    mote_system_def def = mote_default_system_def();
    def.allocator = hash_allocator(), def.isa = isa, def.jobs = jobs, def.integrator = integrator,
    def.capacity = 6000;
    def.substeps = moving ? 3 : 1, def.radius_column = true;
    mote_height_field *field = hills();
    mote_distance_grid *grid = lens();
    mote_collider_id id[2], other[2];
    mote_system *system = make_grids(&def, field, grid, id);
    for (int frame = 0; frame < 20; frame++) {
        const mote_transform to[2] = {at(-5, -1 + 0.05f * (float)(frame % 3), -4, 0.01f * (float)frame),
                                      at(0.1f * (float)(frame % 9), 3, 0.2f, 0.2f * (float)frame)};
        for (int i = 0; i < 2 && moving; i++)
            CALL(mote_system_move_collider(system, id[i], &to[i], MOTE_NEXT_ADVANCE));
        if (hash_twin_steps) system = hash_continue(system, make_grids(&def, field, grid, other));
        CALL(mote_system_advance(system, 30000000 + 7000000 * (uint64_t)(frame % 4), NULL));
    }
    const uint64_t hash = mote_system_hash(system);
    hash_compare(system, hash_twin_steps ? make_grids(&def, field, grid, other) : NULL);
    mote_height_field_destroy(field);
    mote_distance_grid_destroy(grid);
    return hash;
}

void print_grid_hashes(mote_isa isa, mote_jobs jobs) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET, MOTE_RK4};
    for (int i = 0; i < 3; i++)
        for (int moving = 0; moving < 2; moving++)
            printf("fields/%s/%s %016llx\n", mote_integrator_describe(integrators[i])->name,
                   moving ? "moving" : "still",
                   (unsigned long long)run_grids(isa, jobs, integrators[i], moving));
}

void print_collision_hashes(mote_isa isa, mote_jobs jobs) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                                  MOTE_POSITION_VERLET, MOTE_RK4, MOTE_EXACT_FLOW};
    for (int i = 0; i < 5; i++)
        for (int moving = 0; moving < 2; moving++)
            printf("collisions/%s/%s %016llx\n", mote_integrator_describe(integrators[i])->name,
                   moving ? "moving" : "still",
                   (unsigned long long)run(isa, jobs, integrators[i], moving ? 3 : 1, moving));
}
