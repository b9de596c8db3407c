/* A host with a system of its own and the ids that it got, and an allocator that fails on demand.
 * The calls of two hosts are the same; their settings differ, but in none on which a bit depends. */
#ifndef MOTE_FUZZ_HOST_H
#define MOTE_FUZZ_HOST_H

#include "../support.h"
#include "input.h"

enum { KEPT = 8, MOST_TRIANGLES = 8, SNAPSHOT_BYTES = 1 << 18 };

/* The last ids of a kind, removed ones among them. */
typedef struct host_ids {
    mote_force_id force[KEPT];
    mote_collider_id collider[KEPT];
    mote_emitter_id emitter[KEPT];
    mote_link_id link[KEPT];
    mote_strands_id strands[KEPT];
    mote_network_id network[KEPT];
    mote_particle_id particle[KEPT];
    uint32_t forces, colliders, emitters, links, strands_count, networks, particles;
} host_ids;

typedef struct host {
    mote_system *system;
    host_ids id;
    shuffled_jobs jobs;
    uint32_t threads;
    uint64_t fail_in, failures; /* the allocation that fails, counted from now; 0: none */
    bool fail_on;               /* and all after it */
    bool exact_ticks;           /* targets by tick alone: frames may be cut anywhere */
    mote_followers *followers;  /* the last ones, or NULL */
    mote_triangle triangles[MOST_TRIANGLES];
    uint32_t triangle_count;
} host;

#define KEEP(list, count, id) ((list)[(count)++ % KEPT] = (id))

/* Ends where the allocation ends, for sanitizers. */
static inline void *host_allocate(void *user, size_t bytes, size_t alignment) {
    host *h = user;
    FUZZ_CHECK(bytes > 0 && alignment > 0 && alignment <= 64);
    const bool fails = h->fail_in == 1;
    if (h->fail_in > 1 || (fails && !h->fail_on)) h->fail_in--;
    if (fails || bytes > (size_t)1 << 26) {
        h->failures++;
        return NULL;
    }
    void *memory = NULL;
    return posix_memalign(&memory, 64, bytes) ? NULL : memset(memory, 0xcd, bytes);
}

static inline void host_release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

/* A force of the host's, which reads its own particle. */
static inline void host_force(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += (float)stage->time - stage->y[i];
        y[i] -= 0.5f * stage->velocity_y[i];
        z[i] += 0.25f * stage->velocity_x[i];
    }
}

/* Kills and pushes between steps, by the number of the step. */
static inline void host_hook(void *user, mote_system *system, const mote_range_view *view) {
    const uint64_t step = mote_system_steps(system);
    (void)user;
    if (!view->count) return;
    const uint32_t slot = (uint32_t)(step % view->count);
    view->velocity.x[slot] += 0.25f;
    FUZZ_CHECK(mote_system_impulse(system, slot, (const float[3]){0, 1, 0}) == MOTE_OK);
    if (step % 5 == 0) FUZZ_CHECK(mote_system_kill_slots(system, 1, &slot) == MOTE_OK);
    if (view->id) FUZZ_CHECK(mote_system_step(system, 1, NULL) == MOTE_ERROR_BUSY);
}

static inline mote_transform take_transform(input *in) {
    mote_transform at = MOTE_TRANSFORM_IDENTITY;
    take_vector(in, at.position);
    if (take_byte(in) & 1)
        for (int i = 0; i < 4; i++) at.rotation[i] = take_float(in);
    return at;
}

/* A tick to come, one that has passed, or the end of the next advance. */
static inline uint64_t take_tick(const host *h, input *in) {
    const uint32_t byte = take_byte(in);
    if (byte < 32 && !h->exact_ticks) return MOTE_NEXT_ADVANCE;
    if (byte < 64) return (uint64_t)take_word(in) << 32 | take_word(in) >> 1;
    return mote_system_tick(h->system) + (uint64_t)(byte - 64) * 1000000;
}

static inline mote_system_def take_system_def(input *in) {
    mote_system_def def = mote_default_system_def();
    const uint32_t flags = take_byte(in), more = take_byte(in);
    def.capacity = 8 + take_below(in, 120);
    def.integrator = (mote_integrator)take_below(in, MOTE_INTEGRATOR_COUNT);
    def.substeps = 1 + take_below(in, 3);
    def.steps_per_second = (mote_rate){1 + take_below(in, 120), 1};
    def.interpolation = (mote_interpolation)take_below(in, MOTE_INTERPOLATION_COUNT);
    def.max_steps_per_advance = 1000;
    def.mass_column = flags & 1, def.lifetimes = flags & 2, def.anchor_column = flags & 4;
    def.external_forces = flags & 8, def.sticking = flags & 16, def.radius_column = flags & 32;
    def.particle_ids = !(flags & 64), def.collisions = !(flags & 128);
    def.collision_radius = 0.05f * (float)(more & 3);
    if (more & 4)
        def.extra_count = 2, def.extra_bytes[0] = 4, def.extra_bytes[1] = 7, def.initial_ages = true;
    if (more & 8) def.max_deaths = def.max_births = def.max_hits = 16;
    def.orientation = more & 16, def.principal_moments = more & 32, def.external_torques = more & 64;
    def.inertia_column = more & 128, def.inertia[2] = 1.5f, def.spin_drag = more & 3 ? 0.25f : 0;
    return def;
}

/* Followers may be destroyed before or after their system. */
static inline void close_host(host *h, bool followers_first) {
    if (followers_first) mote_followers_destroy(h->followers);
    mote_system_destroy(h->system);
    if (!followers_first) mote_followers_destroy(h->followers);
}

static inline bool open_host(host *h, mote_system_def def) {
    def.allocator = (mote_allocator){h, host_allocate, host_release};
    return mote_system_create(&def, &h->system) == MOTE_OK;
}

#endif
