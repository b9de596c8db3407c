/* A host in C: embeds the installed library and checks where a thousand particles fall in a second. */
#include <mote/mote.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define COUNT 1000

typedef struct {
    float position[3];
    unsigned colour;
} vertex;

static vertex vertices[COUNT];

/* 60 steps of semi-implicit Euler at h = 1/60 fall g h^2 (1 + 2 + ... + 60) = g h^2 60 61 / 2. Rounding:
 * velocities stay below 16 and positions, from heights 0 to 1, below 8, so each step errs by at most 2^-21
 * m/s and 2^-22 m; summed over 60 steps that is 60^2 / 2 h 2^-21 + 60 2^-22 < 3e-5 m; g, h and the products
 * add 1e-6. */
static const double fall = 9.81 / 3600.0 * 60.0 * 61.0 / 2.0;
static const double tolerance = 4e-5;

static int fill(mote_system *system) {
    mote_range_view view;
    uint32_t i;
    if (mote_system_spawn(system, COUNT, &view) != MOTE_OK || view.count != COUNT) return 0;
    for (i = 0; i < view.count; i++) {
        view.position.x[i] = (float)i;
        view.position.y[i] = (float)i / COUNT;
    }
    return 1;
}

static int right(uint32_t i) {
    const vertex *v = &vertices[i];
    return v->position[0] == (float)i && v->position[2] == 0.0f && v->colour == i &&
           fabs(v->position[1] - ((double)i / COUNT - fall)) < tolerance;
}

int main(void) {
    float down[3] = {0.0f, -9.81f, 0.0f};
    mote_force_def gravity = mote_gravity(down);
    mote_present_layout layout = mote_default_present_layout();
    mote_system_def def = mote_default_system_def();
    mote_force_id id;
    mote_system *system;
    uint32_t i, wrong = 0;

    layout.stride = sizeof(vertex);
    layout.position_offset = offsetof(vertex, position);
    def.capacity = COUNT;
    def.interpolation = MOTE_INTERPOLATE_NONE;
    def.jobs = mote_jobs_openmp(2);
    if (mote_system_create(&def, &system) != MOTE_OK) return 1;
    if (mote_system_add_force(system, &gravity, &id) != MOTE_OK || !fill(system)) return 2;
    for (i = 0; i < COUNT; i++) vertices[i].colour = i;
    if (mote_system_step(system, 60, NULL) != MOTE_OK) return 3;
    if (mote_system_present(system, &layout, vertices, sizeof vertices) != MOTE_OK) return 4;
    mote_system_destroy(system);

    for (i = 0; i < COUNT; i++) wrong += !right(i);
    if (wrong) printf("%u of %d particles are not where they should be\n", (unsigned)wrong, COUNT);
    return wrong ? 5 : 0;
}
