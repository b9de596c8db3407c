/* Colliders for the tests of loose particles, and the signed distance to them in double. */
#ifndef MOTE_TESTS_COLLISION_SCENE_H
#define MOTE_TESTS_COLLISION_SCENE_H

#include <math.h>

#include "systems.h"

/* One static collider, and where it stands. */
typedef struct obstacle {
    mote_collider_def def;
    mote_collider_id id;
} obstacle;

static inline mote_collider_id add_collider(mote_system *system, mote_collider_def def) {
    mote_collider_id id;
    OK(mote_system_add_collider(system, &def, &id));
    return id;
}

static inline mote_system_def bare_def(uint32_t capacity, mote_integrator integrator) {
    mote_system_def def = mote_default_system_def();
    def.capacity = capacity, def.integrator = integrator, def.interpolation = MOTE_INTERPOLATE_NONE;
    return def;
}

#define GRAVITY 9.81f

static inline void add_gravity(mote_system *system) {
    add_force(system, mote_gravity((float[3]){0, -GRAVITY, 0}));
}

static inline mote_transform turned(float x, float y, float z, const float axis[3], double angle) {
    const double s = sin(angle / 2);
    return (mote_transform){{x, y, z},
                            {(float)(s * (double)axis[0]), (float)(s * (double)axis[1]),
                             (float)(s * (double)axis[2]), (float)cos(angle / 2)}};
}

/* R^T d of a quaternion. */
static inline void into_axes(const float q[4], const double d[3], double to[3]) {
    const double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3],
                 n = 2 / (x * x + y * y + z * z + w * w);
    const double r[3][3] = {{1 - n * (y * y + z * z), n * (x * y + z * w), n * (x * z - y * w)},
                            {n * (x * y - z * w), 1 - n * (x * x + z * z), n * (y * z + x * w)},
                            {n * (x * z + y * w), n * (y * z - x * w), 1 - n * (x * x + y * y)}};
    for (int k = 0; k < 3; k++) to[k] = r[k][0] * d[0] + r[k][1] * d[1] + r[k][2] * d[2];
}

/* Signed distance of a place in the collider's own axes. */
static inline double local_distance(const mote_collider_def *def, const double q[3]) {
    double v[3] = {q[0], q[1], q[2]}, most = -INFINITY, square = 0;
    if (def->kind == MOTE_COLLIDER_PLANE) return q[1];
    if (def->kind == MOTE_COLLIDER_CAPSULE)
        v[1] -= fmax(-(double)def->half_length, fmin((double)def->half_length, v[1]));
    for (int i = 0; i < 3 && def->kind == MOTE_COLLIDER_BOX; i++) {
        const double e = (double)def->extent[i];
        most = fmax(most, fabs(q[i]) - e);
        v[i] -= fmax(-e, fmin(e, v[i]));
    }
    for (int i = 0; i < 3; i++) square += v[i] * v[i];
    const bool within = def->kind == MOTE_COLLIDER_BOX && square == 0;
    return (within ? most : sqrt(square)) - (double)def->radius;
}

static inline double distance_to(const mote_collider_def *def, const float x[3]) {
    double d[3], q[3];
    for (int i = 0; i < 3; i++) d[i] = (double)x[i] - (double)def->transform.position[i];
    into_axes(def->transform.rotation, d, q);
    return local_distance(def, q);
}

static inline void place_of(const mote_range_view *view, uint32_t i, float x[3]) {
    x[0] = view->position.x[i], x[1] = view->position.y[i], x[2] = view->position.z[i];
}

static inline void put(const mote_range_view *view, uint32_t i, float x, float y, float z) {
    view->position.x[i] = x, view->position.y[i] = y, view->position.z[i] = z;
}

static inline void throw_at(const mote_range_view *view, uint32_t i, float x, float y, float z) {
    view->velocity.x[i] = x, view->velocity.y[i] = y, view->velocity.z[i] = z;
}

/* Every shape, turned, over a floor: no two overlap. */
#define OBSTACLES 6
static inline void obstacles_of(mote_collider_def out[OBSTACLES]) {
    const mote_transform box = turned(2, 1, 0, (float[3]){0.6f, 0, 0.8f}, 0.7),
                         round = turned(-2, 1.2f, 1, (float[3]){0, 0.6f, 0.8f}, 1.1);
    out[0] = mote_plane((float[3]){0, 0, 0}, (float[3]){0.1f, 1, -0.05f});
    out[1] = mote_sphere((float[3]){0, 1.1f, 0}, 0.7f);
    out[2] = mote_capsule((float[3]){-1, 2.6f, -1}, (float[3]){1.2f, 3, 0.5f}, 0.2f);
    out[3] = mote_box(&box, (float[3]){0.5f, 0.3f, 0.7f});
    out[4] = mote_box(&round, (float[3]){0.4f, 0.2f, 0.3f});
    out[4].radius = 0.1f;
    out[5] = mote_plane((float[3]){-3.5f, 0, 0}, (float[3]){1, 0.3f, 0});
}

/* Puts particles outside all obstacles. */
static inline void scatter(const mote_range_view *view, const mote_collider_def *obstacles, float radius,
                           random_source *random) {
    for (uint32_t i = 0; i < view->count; i++) {
        float x[3];
        double nearest = -1;
        while (nearest < (double)radius) {
            x[0] = random_between(random, -3, 3), x[1] = random_between(random, 0.2f, 5);
            x[2] = random_between(random, -2, 2);
            nearest = INFINITY;
            for (int k = 0; k < OBSTACLES; k++) nearest = fmin(nearest, distance_to(&obstacles[k], x));
        }
        put(view, i, x[0], x[1], x[2]);
        throw_at(view, i, random_between(random, -8, 8), random_between(random, -8, 8),
                 random_between(random, -8, 8));
    }
}

/* Throws def.capacity particles on the obstacles, under gravity and the forces, for 120 steps on each
 * instruction set: all end with the same bits. With a mass column masses differ. */
static inline void assert_bits_of_any_set(mote_system_def def, const mote_force_def *forces, size_t count) {
    uint64_t want = 0;
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
        if (!mote_isa_available((mote_isa)isa)) continue;
        def.isa = (mote_isa)isa;
        mote_system *system = system_of(&def);
        mote_collider_def obstacles[OBSTACLES];
        obstacles_of(obstacles);
        for (int o = 0; o < OBSTACLES; o++) add_collider(system, obstacles[o]);
        add_gravity(system);
        for (size_t i = 0; i < count; i++) add_force(system, forces[i]);
        const mote_range_view view = spawned(system, def.capacity);
        for (uint32_t i = 0; i < def.capacity; i++) {
            put(&view, i, 0.1f * (float)(i % 60) - 3, 3, 0.05f * (float)i - 2);
            throw_at(&view, i, 0.3f * (float)(i % 7), -1, 0.2f * (float)(i % 5));
            if (def.mass_column) view.inverse_mass[i] = 0.5f + 0.1f * (float)(i % 11);
        }
        stepped(system, 120);
        const uint64_t hash = mote_system_hash(system);
        if (!want) want = hash;
        test_case("%u substeps, mass column %d, %s", def.substeps, def.mass_column,
                  mote_isa_name((mote_isa)isa));
        ASSERT(hash, ==, want);
        mote_system_destroy(system);
    }
}

#endif
