/* Hashes of systems whose loose particles are born with spin, turn under torques and drag, bounce and die;
 * with scalar inertia and with three moments, uniform and by column. The last hash of each is that of the
 * presented orientations. */
#include "hash_orientation.h"

#include "base/hash.h"
#include "hash_calls.h"
#include "hash_twins.h"

#include <stdio.h>

enum { CAPACITY = 3000 };

static mote_system *make(const mote_system_def *def) {
    mote_system *system;
    mote_force_id force;
    mote_emitter_id emitter;
    mote_collider_id collider;
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    mote_emitter_def debris = mote_default_emitter_def();
    CALL(mote_system_create(def, &system));
    hash_watch(system);
    CALL(mote_system_add_force(system, &gravity, &force));
    debris.rate = 1900, debris.spread = 1, debris.speed = (mote_spread){2, 8},
    debris.transform.position[1] = 1;
    debris.lifetime = (mote_spread){0.2f, 1.5f}, debris.spin = (mote_spread){-20, 30};
    debris.orientation = MOTE_EMIT_TUMBLED;
    CALL(mote_system_add_emitter(system, &debris, &emitter));
    debris.orientation = MOTE_EMIT_ALIGNED, debris.spin_axis[0] = 1, debris.spin_axis[2] = 2;
    debris.transform.rotation[1] = 0.7f, debris.seed = 3;
    CALL(mote_system_add_emitter(system, &debris, &emitter));
    const mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0.1f, 1, 0}),
                            ball = mote_sphere((float[3]){0.5f, 1.5f, 0}, 0.4f);
    CALL(mote_system_add_collider(system, &floor, &collider));
    CALL(mote_system_add_collider(system, &ball, &collider));
    return system;
}

static void push(mote_system *system, int frame) {
    mote_vector_columns torque;
    const mote_range_view view = mote_system_view(system);
    CALL(mote_system_external_torques(system, &torque));
    for (uint32_t i = 0; i < view.count; i++) {
        torque.x[i] = 1e-3f * (float)(i % 7), torque.y[i] = 1e-3f * (float)frame;
        if (view.inertia.x && i % 3 == 0) view.inertia.x[i] = 1e-3f + 1e-5f * (float)(i % 50);
    }
}

static void run(const char *name, mote_system_def def) {
    static float presented[CAPACITY][4];
    mote_system *system = make(&def);
    mote_present_layout layout = mote_default_present_layout();
    uint64_t hash = 0;
    layout.position_offset = MOTE_OMIT, layout.orientation_offset = 0, layout.stride = sizeof *presented;
    for (int frame = 0; frame < 20; frame++) {
        if (frame % 3 == 0) push(system, frame);
        if (hash_twin_steps) system = hash_continue(system, make(&def));
        CALL(mote_system_advance(system, 30000000 + 7000000 * (uint64_t)(frame % 4), NULL));
        CALL(mote_system_present(system, &layout, presented, sizeof presented));
        hash = mote_hash_words(hash, presented, mote_system_count(system) * sizeof *presented);
    }
    printf("orientation/%s %016llx\n", name, (unsigned long long)mote_system_hash(system));
    printf("orientation/%s/presented %016llx\n", name, (unsigned long long)hash);
    hash_compare(system, hash_twin_steps ? make(&def) : NULL);
}

void print_orientation_hashes(mote_isa isa, mote_jobs jobs) {
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"scalar", "moments", "scalar-column", "moments-column"};
        mote_system_def def = mote_default_system_def();
        def.allocator = hash_allocator(), def.isa = isa, def.jobs = jobs, def.capacity = CAPACITY,
        def.lifetimes = def.orientation = true;
        def.principal_moments = i & 1, def.inertia_column = def.mass_column = i > 1,
        def.external_torques = true;
        def.collision_radius = 0.05f, def.spin_drag = i % 3 ? 2e-4f : 0, def.substeps = i == 1 ? 3 : 1;
        def.inertia[0] = 1e-3f, def.inertia[1] = 2e-3f, def.inertia[2] = 2.5e-3f;
        def.integrator = i == 2 ? MOTE_POSITION_VERLET : MOTE_VELOCITY_VERLET;
        run(names[i], def);
    }
}
