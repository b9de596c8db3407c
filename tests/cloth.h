/* A square cloth for tests of what hosts draw: SIDE x SIDE particles 0.1 m apart in the plane y = 1, springs
 * along both axes, and two triangles a cell, whose diagonals have no spring. */
#ifndef MOTE_TESTS_CLOTH_H
#define MOTE_TESTS_CLOTH_H

#include "support.h"

enum {
    SIDE = 5,
    CORNERS = SIDE * SIDE,
    SPRINGS = 2 * SIDE * (SIDE - 1),
    TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1)
};

typedef struct cloth {
    mote_system *system;
    mote_network_id id;
    float positions[3 * CORNERS];
    mote_spring springs[SPRINGS];
    uint32_t indices[3 * TRIANGLES];
} cloth;

static inline void cloth_shape(cloth *c) {
    uint32_t spring = 0, index = 0;
    for (uint32_t i = 0; i < CORNERS; i++) {
        const uint32_t column = i % SIDE, row = i / SIDE;
        c->positions[3 * i] = 0.1f * (float)column;
        c->positions[3 * i + 1] = 1;
        c->positions[3 * i + 2] = 0.1f * (float)row;
        const mote_spring made = {.a = i, .rest_length = MOTE_AS_PLACED, .stiffness = 5, .damping = 0.01f};
        if (column + 1 < SIDE) c->springs[spring] = made, c->springs[spring++].b = i + 1;
        if (row + 1 < SIDE) c->springs[spring] = made, c->springs[spring++].b = i + SIDE;
        if (column + 1 == SIDE || row + 1 == SIDE) continue;
        const uint32_t cell[6] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1}; /* front: up */
        for (int k = 0; k < 6; k++) c->indices[index++] = cell[k];
    }
}

static inline void cloth_make(cloth *c, mote_network_solver solver) {
    cloth_shape(c);
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    assert_int_equal(mote_system_create(&def, &c->system), MOTE_OK);
    mote_network_def net = mote_default_network_def();
    net.solver = solver;
    net.particle_count = CORNERS, net.positions = c->positions, net.mass = 0.01f;
    net.spring_count = net.spring_capacity = SPRINGS, net.springs = c->springs;
    assert_int_equal(mote_system_add_network(c->system, &net, &c->id, NULL), MOTE_OK);
}

static inline void cloth_steps(mote_system *system, uint32_t steps, uint64_t more_nanoseconds) {
    mote_advance advance;
    for (uint32_t i = 0; i < steps; i++) assert_int_equal(mote_system_step(system, 1, &advance), MOTE_OK);
    if (more_nanoseconds) assert_int_equal(mote_system_advance(system, more_nanoseconds, &advance), MOTE_OK);
}

#endif
