/* Scenes of the tests of clusters. */
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"

enum { CAPACITY = 4000, HAIRS = 200, POINTS = 12, SMALL = 8, MANY = 40, EDGE = 64 };

const ranks_scene ranks_scenes[] = {
    {"particles", MOTE_SEMI_IMPLICIT_EULER, PARTICLES, 4},
    {"particles-rk4", MOTE_RK4, PARTICLES, 2},
    {"deaths", MOTE_SEMI_IMPLICIT_EULER, DEATHS, 2},
    {"deaths-position-verlet", MOTE_POSITION_VERLET, DEATHS | COLLIDERS, 1},
    {"collisions", MOTE_VELOCITY_VERLET, PARTICLES | DEATHS | COLLIDERS | TURNING, 2},
    {"wild", MOTE_SEMI_IMPLICIT_EULER, PARTICLES | DEATHS | WILD, 2},
    {"strands", MOTE_SEMI_IMPLICIT_EULER, STRANDS | COLLIDERS, 4},
    {"nets", MOTE_VELOCITY_VERLET, NETS | COLLIDERS, 4},
    {"nets-rk4", MOTE_RK4, NETS | SHEET | EDITS, 4},
    {"nets-wild", MOTE_SEMI_IMPLICIT_EULER, NETS | WILD, 2},
    {"sheet-wild", MOTE_POSITION_VERLET, SHEET | WILD, 4},
    {"sheet", MOTE_SEMI_IMPLICIT_EULER, SHEET, 8},
    {"constrained", MOTE_SEMI_IMPLICIT_EULER, CONSTRAINED | COLLIDERS, 2},
    {"world", MOTE_SEMI_IMPLICIT_EULER, DEATHS | COLLIDERS | STRANDS | NETS | CONSTRAINED | EDITS, 2},
};
const uint32_t ranks_scene_count = sizeof ranks_scenes / sizeof *ranks_scenes;

void ranks_check(mote_result result, const char *where) {
    if (result == MOTE_OK) return;
    fprintf(stderr, "%s: %s\n", where, mote_result_text(result));
    exit(1);
}

#define CHECK(call) ranks_check(call, #call)

/* --- Loose particles --- */

static void add_emitter(mote_system *system) {
    mote_emitter_id id;
    mote_emitter_def def = mote_default_emitter_def();
    def.shape = MOTE_EMITTER_BOX, def.extent[0] = 3, def.extent[2] = 2, def.rate = 20000, def.spread = 3;
    def.speed = (mote_spread){1, 6}, def.lifetime = (mote_spread){0.05f, 0.4f};
    def.transform.position[1] = 2;
    CHECK(mote_system_add_emitter(system, &def, &id));
}

static void add_colliders(mote_system *system) {
    mote_collider_id id;
    mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}),
                      ball = mote_sphere((float[3]){0.5f, 1, 0}, 0.5f);
    ball.response = MOTE_RESPONSE_KILL;
    CHECK(mote_system_add_collider(system, &floor, &id));
    CHECK(mote_system_add_collider(system, &ball, &id));
}

static void fill_particles(mote_system *system, bool wild) {
    mote_range_view view;
    random_source random = {7};
    CHECK(mote_system_spawn(system, CAPACITY / 2, &view));
    for (uint32_t i = 0; i < view.count; i++) {
        float *const x[6] = {view.position.x, view.position.y, view.position.z,
                             view.velocity.x, view.velocity.y, view.velocity.z};
        for (int k = 0; k < 6; k++) x[k][i] = random_between(&random, -2, 3);
        if (wild && i % 97 == 5) view.velocity.x[i] = 3e38f; /* leaves the floats after some steps */
        if (view.lifetime) view.lifetime[i] = 0.02f + 0.0007f * (float)i;
        if (view.angular_velocity.x) view.angular_velocity.x[i] = random_between(&random, -5, 5);
    }
}

/* --- Objects --- */

static mote_strands_id add_hair(mote_system *system) {
    static float positions[3 * HAIRS * POINTS];
    static uint32_t points[HAIRS];
    mote_strands_id id;
    mote_strands_def def = mote_default_strands_def();
    random_source random = {9};
    uint32_t at = 0;
    for (uint32_t i = 0; i < HAIRS; i++) {
        points[i] = 3 + i % (POINTS - 2);
        for (uint32_t k = 0; k < points[i]; k++, at++) {
            positions[3 * at] = 0.01f * (float)(i % 20) + (k ? random_between(&random, -0.02f, 0.02f) : 0);
            positions[3 * at + 1] = 1.8f - 0.05f * (float)k;
            positions[3 * at + 2] = 0.01f * (float)(i / 20);
        }
    }
    def.strand_count = HAIRS, def.strand_points = points, def.positions = positions;
    CHECK(mote_system_add_strands(system, &def, &id, NULL));
    return id;
}

/* Nets of edge x edge, one behind another, each with two pinned corners. */
static mote_network_id add_nets(mote_system *system, mote_network_solver solver, uint32_t edge,
                                uint32_t count, float stiffness) {
    const uint32_t each = edge * edge, particles = count * each;
    float *positions = malloc(3 * particles * sizeof *positions);
    mote_spring *springs = malloc(2 * (size_t)particles * sizeof *springs);
    mote_network_id id;
    mote_network_def def = mote_default_network_def();
    if (!positions || !springs) abort();
    for (uint32_t i = 0; i < particles; i++) {
        const uint32_t k = i % each, column = k % edge, row = k / edge;
        const float x[3] = {0.1f * (float)column, 3 + 0.02f * (float)(i % 7),
                            0.1f * (float)row + (float)(i / each)};
        const mote_spring spring = {0, i, 0.1f, stiffness + (float)(i % 5), 0.5f, 0};
        memcpy(positions + 3 * i, x, sizeof x);
        if (column) springs[def.spring_count] = spring, springs[def.spring_count++].a = i - 1;
        if (row) springs[def.spring_count] = spring, springs[def.spring_count++].a = i - edge;
    }
    def.solver = solver, def.particle_count = particles, def.positions = positions, def.springs = springs;
    def.mass = 0.1f;
    CHECK(mote_system_add_network(system, &def, &id, NULL));
    for (uint32_t i = 0; i < count; i++) {
        CHECK(mote_network_pin(system, id, i * each, positions + 3 * i * each, MOTE_NEXT_ADVANCE));
        CHECK(mote_network_pin(system, id, i * each + edge - 1, positions + 3 * (i * each + edge - 1),
                               MOTE_NEXT_ADVANCE));
    }
    free(springs);
    free(positions);
    return id;
}

/* --- Worlds --- */

static mote_system_def def_of(const ranks_scene *scene) {
    mote_system_def def = mote_default_system_def();
    def.capacity = scene->parts & (PARTICLES | DEATHS) ? CAPACITY : 0;
    def.integrator = scene->integrator, def.substeps = scene->substeps;
    def.lifetimes = scene->parts & DEATHS;
    def.orientation = scene->parts & TURNING;
    return def;
}

ranks_world make_ranks_world(const ranks_scene *scene) {
    ranks_world w = {.scene = scene};
    const mote_system_def def = def_of(scene);
    const uint32_t parts = scene->parts;
    mote_force_id id;
    mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0}),
                   drag = mote_wind((float[3]){0.5f, 0, 0}, 0.05f);
    CHECK(mote_system_create(&def, &w.system));
    CHECK(mote_system_add_force(w.system, &gravity, &id));
    CHECK(mote_system_add_force(w.system, &drag, &id));
    if (parts & DEATHS) add_emitter(w.system);
    if (parts & COLLIDERS) add_colliders(w.system);
    if (parts & (PARTICLES | DEATHS)) fill_particles(w.system, parts & WILD);
    if (parts & STRANDS) w.strands = add_hair(w.system);
    if (parts & NETS) w.nets = add_nets(w.system, MOTE_NETWORK_SPRINGS, SMALL, MANY, 400);
    if (parts & CONSTRAINED) w.constrained = add_nets(w.system, MOTE_NETWORK_CONSTRAINED, 10, 12, 4000);
    if (parts & SHEET) w.sheet = add_nets(w.system, MOTE_NETWORK_SPRINGS, EDGE, 1, 400);
    return w;
}

/* Kills some slots, here and there. */
static void kill_some(mote_system *system, uint32_t step) {
    uint32_t slots[8];
    const uint32_t count = mote_system_count(system);
    for (uint32_t i = 0; i < 8; i++)
        slots[i] = (uint32_t)((step * 7919u + i * 104729u) % (count ? count : 1));
    if (count) CHECK(mote_system_kill_slots(system, 8, slots));
}

void ranks_world_calls(ranks_world *w, uint32_t step) {
    if (w->scene->parts & DEATHS && step % 3 == 1) kill_some(w->system, step);
    if (w->scene->parts & STRANDS && step % 4 == 0) {
        const mote_transform to = {{0.02f * (float)(step % 9), 0, 0}, {0, 0.05f * (float)(step % 7), 0, 1}};
        CHECK(mote_strands_set_roots(w->system, w->strands, &to, 1, MOTE_NEXT_ADVANCE));
    }
    if (w->scene->parts & (SHEET | NETS) && w->scene->parts & WILD && step == 3) {
        const float fast[3] = {3e38f, 0, 0};
        const mote_network_id id = w->scene->parts & SHEET ? w->sheet : w->nets;
        CHECK(mote_network_set_state(w->system, id, 70, 1, NULL, fast));
    }
    if (w->scene->parts & EDITS && step == 5) { /* joins two islands, and cuts a spring */
        const mote_spring bridge = {5, 64 * (MANY - 1) + 60, MOTE_AS_PLACED, 20, 0.1f, 0};
        const uint32_t cut = 17;
        uint32_t number;
        CHECK(mote_network_remove_springs(w->system, w->nets, 1, &cut, NULL));
        CHECK(mote_network_add_springs(w->system, w->nets, 1, &bridge, &number, NULL));
    }
}
