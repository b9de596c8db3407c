/* Shapes of networks: see network_shapes.h. */
#include "network_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contenders.h"

network_shape shape_create(uint32_t particles, uint32_t springs, uint32_t pins) {
    network_shape shape = {.particle_count = particles,
                           .positions = allocate_or_fail(particles * sizeof *shape.positions),
                           .velocities = allocate_or_fail(particles * sizeof *shape.velocities),
                           .masses = allocate_or_fail(particles * sizeof *shape.masses),
                           .springs = allocate_or_fail((springs + 1) * sizeof *shape.springs),
                           .pins = allocate_or_fail((pins + 1) * sizeof *shape.pins)};
    memset(shape.velocities, 0, particles * sizeof *shape.velocities);
    return shape;
}

void shape_destroy(network_shape *shape) {
    free(shape->positions);
    free(shape->velocities);
    free(shape->masses);
    free(shape->springs);
    free(shape->pins);
}

void shape_put(network_shape *shape, uint32_t particle, float x, float y, float z, float mass) {
    float *position = shape->positions[particle];
    position[0] = x;
    position[1] = y;
    position[2] = z;
    shape->masses[particle] = mass;
}

static float distance(const network_shape *shape, uint32_t a, uint32_t b) {
    const float *p = shape->positions[a], *q = shape->positions[b];
    float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    return sqrtf(x * x + y * y + z * z);
}

void shape_join(network_shape *shape, uint32_t a, uint32_t b, float stiffness, float damping) {
    shape_tighten(shape, a, b, stiffness, damping, 0);
}

void shape_tighten(network_shape *shape, uint32_t a, uint32_t b, float stiffness, float damping,
                   float tension) {
    float rest = distance(shape, a, b) - tension / stiffness;
    shape->springs[shape->spring_count++] =
        (mote_spring){.a = a, .b = b, .rest_length = rest, .stiffness = stiffness, .damping = damping};
}

void shape_pin(network_shape *shape, uint32_t particle) { shape->pins[shape->pin_count++] = particle; }

/* --- Nets --- */

/* A spring from particle i to the one `down` rows and `right` columns away, if there is one. */
static void network_join(network_shape *shape, const net_form *form, uint32_t i, uint32_t down, int32_t right,
                         float stiffness) {
    int32_t side = (int32_t)form->side, row = (int32_t)(i / form->side + down),
            column = (int32_t)(i % form->side) + right;
    if (stiffness == 0 || row >= side || column < 0 || column >= side) return;
    shape_join(shape, i, (uint32_t)(row * side + column), stiffness, form->damping * stiffness);
}

/* Springs are in the order of the particles, so that the ends of a spring are near each other in memory. */
network_shape net_create(const net_form *form) {
    uint32_t side = form->side, particles = side * side;
    network_shape shape = shape_create(particles, 6 * particles, side);
    for (uint32_t i = 0; i < particles; i++) {
        float along = form->spacing * ((float)(i % side) - 0.5f * (float)(side - 1));
        float down = form->spacing * (float)(i / side);
        shape_put(&shape, i, along, form->slope[0] * down, form->slope[1] * down, form->mass);
    }
    for (uint32_t i = 0; i < particles; i++) {
        network_join(&shape, form, i, 0, 1, form->structural);
        network_join(&shape, form, i, 1, 0, form->structural);
        network_join(&shape, form, i, 1, 1, form->shear);
        network_join(&shape, form, i, 1, -1, form->shear);
        network_join(&shape, form, i, 0, 2, form->bend);
        network_join(&shape, form, i, 2, 0, form->bend);
    }
    for (uint32_t i = 0; i < side; i++)
        if (!form->corners || i == 0 || i == side - 1) shape_pin(&shape, i);
    return shape;
}

uint32_t net_side(uint32_t particles) {
    uint32_t side = 1;
    while ((side + 1) * (side + 1) <= particles) side++;
    return side;
}

/* --- Chains --- */

#define CHAIN_LINK 0.1f /* m */

/* A zigzag 3 : 4 of links, in rows of 128 chains; the links are 5 % shorter than that, and every particle
 * rises or falls. */
network_shape chains_create(const chain_form *form) {
    uint32_t particles = form->chains * form->points;
    network_shape shape = shape_create(particles, particles, 0);
    for (uint32_t i = 0; i < particles; i++) {
        uint32_t chain = i / form->points, k = i % form->points;
        float x = CHAIN_LINK * 0.8f * (float)k, y = CHAIN_LINK * (float)(chain % 128),
              z = CHAIN_LINK * (float)(chain / 128);
        shape_put(&shape, i, x, y + (k % 2 ? CHAIN_LINK * 0.6f : 0), z, form->mass);
        shape.velocities[i][1] = 0.1f * (float)(k % 7) - 0.3f;
        float force = 0.05f * CHAIN_LINK * form->stiffness;
        if (k > 0) shape_tighten(&shape, i - 1, i, form->stiffness, form->damping, force);
    }
    return shape;
}

/* --- The edge list --- */

edge_list shape_edges(const network_shape *shape, uint32_t substeps, float h) {
    edge_list list = {.points = allocate_or_fail(shape->particle_count * sizeof *list.points),
                      .springs = allocate_or_fail((shape->spring_count + 1) * sizeof *list.springs),
                      .point_count = shape->particle_count,
                      .spring_count = shape->spring_count,
                      .substeps = substeps,
                      .h = h};
    for (uint32_t i = 0; i < shape->particle_count; i++) {
        list.points[i] = (edge_point){.mass = shape->masses[i], .inverse_mass = 1 / shape->masses[i]};
        memcpy(list.points[i].position, shape->positions[i], sizeof(float[3]));
        memcpy(list.points[i].velocity, shape->velocities[i], sizeof(float[3]));
    }
    for (uint32_t i = 0; i < shape->spring_count; i++) {
        const mote_spring *s = &shape->springs[i];
        list.springs[i] = (edge_spring){s->a, s->b, s->rest_length, s->stiffness, s->damping};
    }
    for (uint32_t i = 0; i < shape->pin_count; i++) list.points[shape->pins[i]].inverse_mass = 0;
    return list;
}
