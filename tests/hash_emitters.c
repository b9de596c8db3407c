/* Hashes of systems with emitters of every shape that move, turn, burst, lack capacity and are changed. */
#include "hash_emitters.h"

#include "hash_calls.h"
#include "hash_twins.h"

#include <stdio.h>

static mote_emitter_def emitter_of(int shape) {
    mote_emitter_def e = mote_default_emitter_def();
    e.shape = (mote_emitter_shape)shape, e.direction = shape % 2 ? MOTE_EMIT_OUTWARD : MOTE_EMIT_ALONG;
    e.radius = 1, e.inner_radius = 0.5f, e.extent[0] = 1, e.extent[2] = 2, e.angle = 0.4f,
    e.spread = 0.2f * (float)shape;
    e.rate = 500.5f, e.rate_per_metre = 33, e.inherit = 0.5f, e.seed = 7;
    e.speed = (mote_spread){1, 5}, e.lifetime = (mote_spread){0.1f, 1.5f}, e.mass = (mote_spread){0.5f, 2};
    e.extra_columns = 1, e.extra[0] = (mote_spread){-1, 1};
    return e;
}

static void steer(mote_system *system, const mote_emitter_id *id, int frame) {
    for (int i = 0; i < MOTE_EMITTER_SHAPE_COUNT; i++) {
        const mote_transform there = {{(float)frame, (float)i, 0.1f * (float)(frame * i)},
                                      {0.1f * (float)frame, 0.3f, (float)i, 1}};
        CALL(mote_system_move_emitter(system, id[i], &there,
                                      i % 2 ? MOTE_NEXT_ADVANCE : mote_system_tick(system) + 12345678));
        if (frame % 3 == i % 3) CALL(mote_system_burst(system, id[i], (uint32_t)(frame + i)));
    }
    mote_emitter_def other = emitter_of(frame % MOTE_EMITTER_SHAPE_COUNT);
    other.rate = 100;
    if (frame == 5) CALL(mote_system_set_emitter(system, id[2], &other));
}

static mote_system *make(const mote_system_def *def, mote_emitter_id id[MOTE_EMITTER_SHAPE_COUNT]) {
    mote_system *system;
    mote_force_id force;
    CALL(mote_system_create(def, &system));
    hash_watch(system);
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    CALL(mote_system_add_force(system, &gravity, &force));
    for (int i = 0; i < MOTE_EMITTER_SHAPE_COUNT; i++) {
        const mote_emitter_def e = emitter_of(i);
        CALL(mote_system_add_emitter(system, &e, &id[i]));
    }
    return system;
}

static uint64_t run(mote_isa isa, mote_jobs jobs, mote_integrator integrator, uint32_t capacity) {
    mote_system_def def = mote_default_system_def();
    def.allocator = hash_allocator(), def.isa = isa, def.jobs = jobs, def.integrator = integrator,
    def.capacity = capacity;
    def.lifetimes = def.mass_column = true, def.extra_count = 1, def.extra_bytes[0] = sizeof(float);
    def.interpolation = MOTE_INTERPOLATE_HERMITE;
    mote_emitter_id id[MOTE_EMITTER_SHAPE_COUNT], other[MOTE_EMITTER_SHAPE_COUNT];
    mote_system *system = make(&def, id);
    for (int frame = 0; frame < 10; frame++) {
        steer(system, id, frame);
        if (hash_twin_steps) system = hash_continue(system, make(&def, other));
        CALL(mote_system_advance(system, 30000000 + 7000000 * (uint64_t)frame, NULL));
    }
    const uint64_t hash = mote_system_hash(system);
    hash_compare(system, hash_twin_steps ? make(&def, other) : NULL);
    return hash;
}

void print_emitter_hashes(mote_isa isa, mote_jobs jobs) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET};
    for (int i = 0; i < 2; i++) {
        const char *name = mote_integrator_describe(integrators[i])->name;
        printf("emitters/%s %016llx\n", name, (unsigned long long)run(isa, jobs, integrators[i], 20000));
        printf("emitters/%s/full %016llx\n", name, (unsigned long long)run(isa, jobs, integrators[i], 1000));
    }
}
