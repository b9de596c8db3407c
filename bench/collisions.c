/* Scenes of loose particles that collide with 2 planes, 3 spheres, 2 capsules and 1 box: a heap between them,
 * in which nearly every particle touches one, and rain of which hardly any does. */
#include "engine.h"
#include "random.h"

static void add(mote_system *system, mote_collider_def def) {
    mote_collider_id id;
    engine_check(mote_system_add_collider(system, &def, &id), "mote_system_add_collider");
}

/* A valley of two planes under round things and a box. */
static void add_colliders(mote_system *system) {
    const mote_transform at = {{0, 3, 0}, {0, 0, 0, 1}};
    add(system, mote_plane((const float[3]){0, 0, 0}, (const float[3]){0.3f, 1, 0}));
    add(system, mote_plane((const float[3]){0, 0, 0}, (const float[3]){-0.3f, 1, 0}));
    for (int i = 0; i < 3; i++)
        add(system, mote_sphere((const float[3]){2.0f * (float)i - 2, 1.5f, 0}, 0.5f));
    for (int i = 0; i < 2; i++)
        add(system, mote_capsule((const float[3]){2.0f * (float)i - 2, 2.5f, -1},
                                 (const float[3]){2.0f * (float)i - 1, 2.5f, 1}, 0.2f));
    add(system, mote_box(&at, (const float[3]){0.5f, 0.2f, 0.5f}));
}

void heap_forces(mote_system *system) {
    engine_add_force(system, mote_wind((const float[3]){0, 0, 0}, 0.1f));
    add_colliders(system);
}

/* Falls at 2 m/s: in the seconds that the bench runs less than 1 % of a column of 1 km lands. */
void rain_forces(mote_system *system) {
    engine_add_force(system, mote_wind((const float[3]){0, 0, 0}, 4.9f * PARTICLE_MASS));
    add_colliders(system);
}

static void place(uint64_t serial, float low, float height, scene_particle *particle) {
    const uint64_t position = random_bits(serial, 0), velocity = random_bits(serial, 1);
    for (uint32_t axis = 0; axis < 3; axis++) {
        particle->position[axis] = 2.0f * random_signed(position, 20 * axis);
        particle->velocity[axis] = random_signed(velocity, 20 * axis);
    }
    particle->position[1] = low + (0.25f * height) * (particle->position[1] + 2);
}

void place_in_heap(const scene_forces *forces, uint64_t serial, scene_particle *particle) {
    (void)forces;
    place(serial, 1, 4, particle);
}

void place_in_rain(const scene_forces *forces, uint64_t serial, scene_particle *particle) {
    (void)forces;
    place(serial, 2, 1000, particle);
}
