/* The calls that a host may make, with arguments from the input. Each returns the result of its last call
 * that changes the system. */
#ifndef MOTE_FUZZ_CALLS_H
#define MOTE_FUZZ_CALLS_H

#include "host.h"

typedef mote_result host_call(host *h, input *in);

#define PICK(kind) (h->id.kind[take_below(in, KEPT)])

/* --- Loose particles --- */

static inline mote_result call_spawn(host *h, input *in) {
    mote_range_view view;
    const uint32_t count = take_below(in, 24);
    const mote_result result = mote_system_spawn(h->system, count, &view);
    for (uint32_t i = 0; i < view.count; i++) {
        view.position.x[i] = take_float(in), view.position.y[i] = take_float(in);
        view.velocity.y[i] = take_float(in), view.position.z[i] = 0.25f * (float)i;
        if (view.lifetime && i % 3) view.lifetime[i] = 0.02f * (float)take_byte(in);
        if (view.id) KEEP(h->id.particle, h->id.particles, view.id[i]);
    }
    return result;
}

static inline mote_result call_kill(host *h, input *in) {
    const mote_particle_id id[2] = {PICK(particle), {take_below(in, 64), take_below(in, 4)}};
    return mote_system_kill(h->system, 1 + (take_byte(in) > 200), id);
}

static inline mote_result call_kill_slots(host *h, input *in) {
    uint32_t slots[8];
    for (int i = 0; i < 8; i++) slots[i] = take_below(in, 64);
    return mote_system_kill_slots(h->system, take_below(in, 8), slots);
}

static inline mote_result call_impulse(host *h, input *in) {
    float impulse[3];
    const uint32_t slot = take_below(in, 64);
    return mote_system_impulse(h->system, slot, take_vector(in, impulse));
}

static inline mote_result call_inverse_mass(host *h, input *in) {
    const uint32_t slot = take_below(in, 64);
    return mote_system_set_inverse_mass(h->system, slot, take_positive(in));
}

static inline mote_result call_teleport(host *h, input *in) {
    const uint32_t first = take_below(in, 64);
    return mote_system_teleport(h->system, first, take_below(in, 32));
}

/* Any value into any column. */
static inline mote_result call_write(host *h, input *in) {
    const mote_range_view v = mote_system_view(h->system);
    float *const columns[] = {v.position.x, v.position.y, v.position.z,  v.velocity.x, v.velocity.y,
                              v.velocity.z, v.previous.x, v.previous.y,  v.anchor.x,   v.anchor.z,
                              v.lifetime,   v.radius,     v.inverse_mass};
    float *const column = columns[take_below(in, COUNT_OF(columns))];
    const uint32_t slot = take_byte(in);
    float value = take_byte(in) & 1 ? take_extreme(in) : take_float(in);
    if (column == v.inverse_mass || column == v.radius) value = fabsf(value);
    if (v.stuck && v.count && slot % 7 == 0) v.stuck[slot % v.count] = 0;
    if (column && v.count) column[slot % v.count] = value;
    return MOTE_OK;
}

/* Asks for the external forces or torques, and adds to those of one particle. */
static inline mote_result push_one(host *h, input *in,
                                   mote_result (*ask)(mote_system *, mote_vector_columns *)) {
    mote_vector_columns columns;
    const mote_result result = ask(h->system, &columns);
    const uint32_t slot = take_byte(in), count = mote_system_count(h->system);
    if (result == MOTE_OK && count) columns.y[slot % count] += take_float(in);
    return result;
}

static inline mote_result call_external(host *h, input *in) {
    return push_one(h, in, mote_system_external_forces);
}

static inline mote_result call_torques(host *h, input *in) {
    return push_one(h, in, mote_system_external_torques);
}

static inline mote_result call_hook(host *h, input *in) {
    return mote_system_set_step_hook(h->system, take_byte(in) & 1 ? host_hook : NULL, NULL);
}

/* Few particles, or more than the allocator gives both hosts, whose scratch differs. */
static inline mote_result call_reserve(host *h, input *in) {
    return mote_system_reserve(h->system, take_byte(in) < 250 ? take_byte(in) : take_word(in) | 1u << 27);
}

/* --- Forces --- */

static inline mote_force_def take_plain_force(input *in) {
    float a[3], matrix[9];
    take_vector(in, a);
    const mote_field_use use = (mote_field_use)take_below(in, MOTE_FIELD_USE_COUNT);
    switch (take_below(in, 10)) {
    case 0:
        return mote_gravity(a);
    case 1:
        return mote_thrust(a);
    case 2:
        return mote_wind(a, take_positive(in));
    case 3:
        return mote_anchor_spring(a, take_positive(in), take_positive(in));
    case 4:
        return mote_attractor(a, take_float(in), take_positive(in));
    case 5:
        return mote_quadratic_drag(a, take_positive(in));
    case 6:
        return mote_particle_anchors(take_positive(in), take_positive(in));
    case 7:
        return mote_vortex(a, (const float[3]){0, 1, 0.5f}, take_float(in), take_positive(in), use, 0.5f);
    case 8:
        return mote_curl_noise(take_float(in), take_positive(in), take_positive(in), 3, use, 0.25f);
    default:
        for (int i = 0; i < 9; i++) matrix[i] = take_float(in);
        return mote_linear_field(a, matrix, use, take_positive(in));
    }
}

static inline mote_force_def take_force(input *in) {
    float at[3], extent[3];
    const uint32_t way = take_below(in, 8);
    if (way == 0) {
        mote_force_def def = mote_callback(host_force, NULL);
        def.as.callback.unit = (mote_force_unit)take_below(in, 3);
        def.as.callback.reads_velocity = true, def.as.callback.number = 1;
        return def;
    }
    const mote_force_def def = take_plain_force(in);
    if (way > 2) return def;
    take_vector(in, at);
    for (int axis = 0; axis < 3; axis++) extent[axis] = take_positive(in);
    return way == 1 ? mote_in_box(def, at, extent, take_positive(in))
                    : mote_in_sphere(def, at, extent[0], take_positive(in));
}

static inline mote_result call_force(host *h, input *in) {
    const mote_force_def def = take_force(in);
    mote_force_id id;
    const mote_result result = mote_system_add_force(h->system, &def, &id);
    if (result == MOTE_OK) KEEP(h->id.force, h->id.forces, id);
    return result;
}

/* Thrust by time, or a grid of 3 x 2 x 2 vectors, which all systems share. */
static inline mote_result call_sampled_force(host *h, input *in) {
    static mote_grid *grid;
    static const float vectors[12][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {-1, 1, 0}, {2, 0, -2}};
    mote_grid_def samples = mote_default_grid_def();
    samples.count[0] = 3, samples.count[1] = samples.count[2] = 2, samples.vectors = vectors;
    if (!grid) FUZZ_CHECK(mote_grid_create(&samples, &grid) == MOTE_OK);
    float times[3] = {0}, thrusts[9];
    const uint32_t flags = take_byte(in);
    for (int i = 1; i < 3; i++) times[i] = times[i - 1] + take_positive(in);
    for (int i = 0; i < 9; i++) thrusts[i] = take_float(in);
    const mote_field_use use = (mote_field_use)((flags >> 1) % MOTE_FIELD_USE_COUNT);
    const mote_force_def def =
        flags & 1 ? mote_timed_thrust(times, thrusts, 3) : mote_grid_field(grid, use, take_positive(in));
    mote_force_id id;
    const mote_result result = mote_system_add_force(h->system, &def, &id);
    if (result == MOTE_OK) KEEP(h->id.force, h->id.forces, id);
    return result;
}

static inline mote_result call_set_force(host *h, input *in) {
    const mote_force_id id = PICK(force);
    const mote_force_def def = take_force(in);
    return mote_system_set_force(h->system, id, &def);
}

static inline mote_result call_remove_force(host *h, input *in) {
    return mote_system_remove_force(h->system, PICK(force));
}

/* --- Colliders --- */

/* A height field and a distance grid of 5 samples a side, which all systems share. */
static inline mote_collider_def sampled_collider(const mote_transform *at, bool grid) {
    static mote_height_field *field;
    static mote_distance_grid *distances;
    float sample[125];
    for (int i = 0; i < 125; i++)
        sample[i] = grid ? 0.25f * (float)(i % 5 + i / 25) - 0.75f : 0.125f * (float)(i * i % 7);
    mote_height_field_def ground = mote_default_height_field_def();
    ground.count[0] = ground.count[1] = 5, ground.heights = sample;
    mote_distance_grid_def solid = mote_default_distance_grid_def();
    solid.count[0] = solid.count[1] = solid.count[2] = 5, solid.spacing = 0.5f, solid.distances = sample;
    if (grid && !distances) FUZZ_CHECK(mote_distance_grid_create(&solid, &distances) == MOTE_OK);
    if (!grid && !field) FUZZ_CHECK(mote_height_field_create(&ground, &field) == MOTE_OK);
    return grid ? mote_distance_grid_collider(at, distances) : mote_height_field_collider(at, field);
}

static inline mote_collider_def take_collider(input *in) {
    float a[3], b[3];
    take_vector(in, a), take_vector(in, b);
    const mote_transform at = take_transform(in);
    const float radius = take_positive(in);
    const uint32_t kind = take_below(in, MOTE_COLLIDER_KIND_COUNT);
    mote_collider_def def = kind == 0   ? mote_sphere(a, radius)
                            : kind == 1 ? mote_capsule(a, b, radius)
                            : kind == 2 ? mote_plane(a, b)
                            : kind > 3  ? sampled_collider(&at, kind == 5)
                                        : mote_box(&at, (const float[3]){radius, 0.5f, 0.25f});
    def.response = (mote_response)take_below(in, MOTE_RESPONSE_COUNT);
    def.restitution = (float)take_byte(in) / 250, def.friction = take_positive(in);
    return def;
}

static inline mote_result call_collider(host *h, input *in) {
    const mote_collider_def def = take_collider(in);
    mote_collider_id id;
    const mote_result result = mote_system_add_collider(h->system, &def, &id);
    if (result == MOTE_OK) KEEP(h->id.collider, h->id.colliders, id);
    return result;
}

static inline mote_result call_set_collider(host *h, input *in) {
    const mote_collider_id id = PICK(collider);
    const mote_collider_def def = take_collider(in);
    return (def.kind & 1 ? mote_system_change_collider : mote_system_set_collider)(h->system, id, &def);
}

static inline mote_result call_move_collider(host *h, input *in) {
    const mote_collider_id id = PICK(collider);
    const mote_transform to = take_transform(in);
    return mote_system_move_collider(h->system, id, &to, take_tick(h, in));
}

static inline mote_result call_remove_collider(host *h, input *in) {
    return mote_system_remove_collider(h->system, PICK(collider));
}

/* --- Emitters --- */

static inline mote_spread take_spread(input *in) {
    const float least = take_positive(in);
    return (mote_spread){least, least + take_positive(in)};
}

static inline mote_emitter_def take_emitter(input *in) {
    mote_emitter_def def = mote_default_emitter_def();
    const uint32_t flags = take_byte(in);
    def.shape = (mote_emitter_shape)take_below(in, MOTE_EMITTER_SHAPE_COUNT);
    def.direction = (mote_emitter_direction)(flags & 1), def.transform = take_transform(in);
    def.radius = take_positive(in), def.inner_radius = 0.5f * def.radius, def.extent[0] = take_positive(in);
    def.angle = 0.005f * (float)take_byte(in), def.spread = 0.01f * (float)take_byte(in);
    def.rate = 8 * take_positive(in), def.rate_per_metre = take_positive(in), def.inherit = take_float(in);
    if (flags & 2) def.speed = take_spread(in);
    if (flags & 4) def.lifetime = take_spread(in);
    if (flags & 8) def.mass = take_spread(in);
    if (flags & 16) def.collision_radius = take_spread(in);
    if (flags & 32) def.extra_columns = 1, def.extra[0] = take_spread(in);
    if (flags & 64) def.spin = take_spread(in), take_vector(in, def.spin_axis);
    if (flags & 128) def.orientation = MOTE_EMIT_TUMBLED;
    def.seed = flags;
    return def;
}

static inline mote_result call_emitter(host *h, input *in) {
    const mote_emitter_def def = take_emitter(in);
    mote_emitter_id id;
    const mote_result result = mote_system_add_emitter(h->system, &def, &id);
    if (result == MOTE_OK) KEEP(h->id.emitter, h->id.emitters, id);
    return result;
}

static inline mote_result call_set_emitter(host *h, input *in) {
    const mote_emitter_id id = PICK(emitter);
    const mote_emitter_def def = take_emitter(in);
    return (def.seed & 1 ? mote_system_change_emitter : mote_system_set_emitter)(h->system, id, &def);
}

static inline mote_result call_move_emitter(host *h, input *in) {
    const mote_emitter_id id = PICK(emitter);
    const mote_transform to = take_transform(in);
    return mote_system_move_emitter(h->system, id, &to, take_tick(h, in));
}

static inline mote_result call_burst(host *h, input *in) {
    const mote_emitter_id id = PICK(emitter);
    return mote_system_burst(h->system, id, take_byte(in) < 250 ? take_below(in, 16) : take_word(in));
}

static inline mote_result call_emit(host *h, input *in) {
    const mote_emitter_id id = PICK(emitter);
    const mote_transform at = take_transform(in);
    float velocity[3];
    take_vector(in, velocity);
    const uint32_t flags = take_byte(in);
    return mote_system_emit(h->system, id, flags & 1 ? &at : NULL, flags & 2 ? velocity : NULL,
                            take_below(in, 16), NULL);
}

static inline mote_result call_remove_emitter(host *h, input *in) {
    return mote_system_remove_emitter(h->system, PICK(emitter));
}

#endif
