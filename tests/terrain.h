/* Height fields and distance grids for the tests, and the surface of a height field in double. */
#ifndef MOTE_TESTS_TERRAIN_H
#define MOTE_TESTS_TERRAIN_H

#include <stdlib.h>

#include "collision_scene.h"

enum { TERRAIN = 65 }; /* samples along an edge */

typedef struct terrain {
    mote_height_field_def def;
    mote_height_field *field;
    float heights[TERRAIN * TERRAIN];
} terrain;

typedef float terrain_shape(random_source *random, float x, float z);

static inline float flat_shape(random_source *random, float x, float z) {
    return (void)random, (void)x, (void)z, 0;
}
static inline float slope_shape(random_source *random, float x, float z) {
    return (void)random, 0.4f * x + 0 * z;
}
static inline float bumpy_shape(random_source *random, float x, float z) {
    return 0.15f * (x + z) + random_between(random, -0.7f, 0.7f);
}
static inline float bowl_shape(random_source *random, float x, float z) {
    return (void)random, 0.02f * ((x - 32) * (x - 32) + (z - 32) * (z - 32));
}

/* A terrain whose cells are x by z. */
static inline terrain *terrain_of_cells(terrain_shape *shape, float x, float z) {
    terrain *t = calloc(1, sizeof *t);
    random_source random = {11};
    assert_non_null(t);
    for (size_t k = 0; k < TERRAIN * TERRAIN; k++)
        t->heights[k] = shape(&random, x * (float)(k % TERRAIN), z * (float)(k / TERRAIN));
    t->def = mote_default_height_field_def();
    t->def.count[0] = t->def.count[1] = TERRAIN, t->def.heights = t->heights;
    t->def.spacing[0] = x, t->def.spacing[1] = z;
    OK(mote_height_field_create(&t->def, &t->field));
    return t;
}

static inline terrain *terrain_of(terrain_shape *shape, float spacing) {
    return terrain_of_cells(shape, spacing, spacing);
}

/* Length of a side along x (0) or z (2). */
static inline float terrain_edge(const terrain *t, int axis) {
    return t->def.spacing[axis / 2] * (TERRAIN - 1);
}

static inline void terrain_end(terrain *t) {
    mote_height_field_destroy(t->field);
    free(t);
}

static inline double height_sample(const terrain *t, int i, int j) {
    return (double)t->heights[i + TERRAIN * j];
}

/* 1 / n_y of the triangle of three samples, of which b is beside a in x and c beside a or b in z. */
static inline double stretch_of(const terrain *t, double along_x, double along_z) {
    const double p = along_x / (double)t->def.spacing[0], q = along_z / (double)t->def.spacing[1];
    return sqrt(1 + p * p + q * q);
}

/* Mean of 1 / n_y over the triangles that have the sample as a corner, found by looking at all of the cells
 * around it. */
static inline double weight_at(const terrain *t, int i, int j) {
    double sum = 0;
    int count = 0;
    for (int y = j - 1; y <= j; y++)
        for (int x = i - 1; x <= i; x++) {
            if (x < 0 || y < 0 || x + 1 >= TERRAIN || y + 1 >= TERRAIN) continue;
            const double h00 = height_sample(t, x, y), h10 = height_sample(t, x + 1, y),
                         h01 = height_sample(t, x, y + 1), h11 = height_sample(t, x + 1, y + 1);
            if (!(i == x && j == y + 1)) sum += stretch_of(t, h10 - h00, h11 - h10), count++;
            if (!(i == x + 1 && j == y)) sum += stretch_of(t, h11 - h01, h01 - h00), count++;
        }
    return sum / count;
}

/* Surface for points of radius r: height, unit normal. Returns false beyond the samples. */
static inline bool surface_at(const terrain *t, double r, double x, double z, double *height,
                              double normal[3]) {
    const double step[2] = {(double)t->def.spacing[0], (double)t->def.spacing[1]};
    const double a = x / step[0], b = z / step[1];
    if (!(a >= 0 && b >= 0 && a <= TERRAIN - 1 && b <= TERRAIN - 1)) return false;
    const int i = a < TERRAIN - 1 ? (int)a : TERRAIN - 2, j = b < TERRAIN - 1 ? (int)b : TERRAIN - 2;
    double h[2][2];
    for (int k = 0; k < 4; k++)
        h[k / 2][k % 2] =
            height_sample(t, i + k % 2, j + k / 2) + (r > 0 ? r * weight_at(t, i + k % 2, j + k / 2) : 0);
    const bool far = b - j > a - i;
    const double p = far ? h[1][1] - h[1][0] : h[0][1] - h[0][0],
                 q = far ? h[1][0] - h[0][0] : h[1][1] - h[0][1];
    const double size = stretch_of(t, p, q);
    *height = h[0][0] + (a - i) * p + (b - j) * q;
    normal[0] = -p / step[0] / size, normal[1] = 1 / size, normal[2] = -q / step[1] / size;
    return true;
}

/* Distance from the plane of the triangle above or below a place; infinite beyond the samples. */
static inline double above_terrain(const terrain *t, double r, const double x[3]) {
    double height, normal[3];
    return surface_at(t, r, x[0], x[2], &height, normal) ? (x[1] - height) * normal[1] : INFINITY;
}

static inline double view_above(const terrain *t, double r, const mote_range_view *view, uint32_t i) {
    const double x[3] = {(double)view->position.x[i], (double)view->position.y[i],
                         (double)view->position.z[i]};
    return above_terrain(t, r, x);
}

static inline double energy_at(const mote_range_view *view, uint32_t i) {
    const double v[3] = {(double)view->velocity.x[i], (double)view->velocity.y[i],
                         (double)view->velocity.z[i]};
    return (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + (double)GRAVITY * (double)view->position.y[i];
}

static inline mote_collider_def collider_of(const terrain *t, float friction, float restitution) {
    mote_collider_def def = mote_height_field_collider(&(mote_transform)MOTE_TRANSFORM_IDENTITY, t->field);
    def.friction = friction, def.restitution = restitution;
    return def;
}

/* Particles over a terrain, with gravity. */
static inline mote_system *over(const terrain *t, mote_integrator integrator, uint32_t count, float radius,
                                float friction, float restitution) {
    mote_system_def def = bare_def(count, integrator);
    def.collision_radius = radius, def.friction = friction;
    mote_system *system = system_of(&def);
    add_gravity(system);
    add_collider(system, collider_of(t, friction, restitution));
    spawned(system, count);
    return system;
}

static inline void scatter_over(const terrain *t, const mote_range_view *view, float height, float speed) {
    random_source random = {21};
    const float edge[2] = {terrain_edge(t, 0), terrain_edge(t, 2)};
    for (uint32_t i = 0; i < view->count; i++) {
        const float x = random_between(&random, 0.2f * edge[0], 0.8f * edge[0]),
                    z = random_between(&random, 0.2f * edge[1], 0.8f * edge[1]);
        double ground = 0, normal[3];
        surface_at(t, 0, (double)x, (double)z, &ground, normal);
        put(view, i, x, (float)ground + random_between(&random, 0.3f, 0.3f + height), z);
        throw_at(view, i, random_between(&random, -speed, speed), random_between(&random, -speed, speed),
                 random_between(&random, -speed, speed));
    }
}

#endif
