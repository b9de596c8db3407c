/* Forces of scenes that scene_forces cannot describe. Numbers are made by + - x / only, so that hashes agree
 * everywhere. */
#include <stdlib.h>

#include "baselines.h"
#include "engine.h"

/* Air that moves at about 2 m/s in eddies of 4 m which change in 2 s; drag and buoyancy of a light body. */
void smoke_forces(mote_system *system) {
    engine_add_force(system, mote_curl_noise(2, 0.25f, 0.5f, 1, MOTE_FIELD_WIND, 0.5f));
    engine_add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    engine_add_force(system, mote_thrust((float[3]){0, 9.81f * PARTICLE_MASS + 0.3f, 0}));
}

#define GRID_COUNT 64u

/* A vortex about y that rises inside a ring and sinks outside: u = (-z, (16 - r^2) / 8, x) / (1 + r^2 / 16),
 * in a box of 24 m. */
static mote_grid *make_flow(void) {
    const float spacing = 24.0f / (GRID_COUNT - 1);
    float(*vectors)[3] = allocate_or_fail(sizeof(float[3]) * GRID_COUNT * GRID_COUNT * GRID_COUNT);
    for (uint32_t i = 0; i < GRID_COUNT * GRID_COUNT * GRID_COUNT; i++) {
        float x = (float)(i % GRID_COUNT) * spacing - 12,
              z = (float)(i / GRID_COUNT / GRID_COUNT) * spacing - 12;
        float square = x * x + z * z, slow = 1 + square / 16;
        vectors[i][0] = -z / slow;
        vectors[i][1] = (16 - square) / 8 / slow;
        vectors[i][2] = x / slow;
    }
    mote_grid_def def = mote_default_grid_def();
    mote_grid *grid;
    for (int axis = 0; axis < 3; axis++) {
        def.count[axis] = GRID_COUNT;
        def.origin[axis] = -12;
        def.spacing[axis] = spacing;
    }
    def.vectors = (const float(*)[3])(void *)vectors;
    engine_check(mote_grid_create(&def, &grid), "mote_grid_create");
    free(vectors);
    return grid;
}

/* One grid for all systems, until the program ends. */
void flow_forces(mote_system *system) {
    static mote_grid *grid;
    if (!grid) grid = make_flow();
    engine_add_force(system, mote_grid_field(grid, MOTE_FIELD_VELOCITY, 0));
}

void damped_forces(mote_system *system) {
    engine_add_force(
        system, mote_anchor_spring((float[3]){OSCILLATOR_ANCHOR}, OSCILLATOR_STIFFNESS, OSCILLATOR_DAMPING));
}

void spring_forces(mote_system *system) {
    engine_add_force(system, mote_anchor_spring((float[3]){OSCILLATOR_ANCHOR}, OSCILLATOR_STIFFNESS, 0));
}

void affine_forces(mote_system *system) {
    spring_forces(system);
    engine_add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    engine_add_force(system, mote_wind((float[3]){3, 0, 1}, 0.05f));
}
