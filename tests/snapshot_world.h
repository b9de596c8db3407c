/* A small system with a little of everything, and the calls of a host before each frame: particles that come
 * and go, forces, colliders, links, springs and pins that are added, changed and removed, targets, tears.
 * What the host does is a function of the frame, a seed and its own state. Needs nothing but mote. */
#ifndef MOTE_TESTS_SNAPSHOT_WORLD_H
#define MOTE_TESTS_SNAPSHOT_WORLD_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static inline void world_check(mote_result result, const char *call) {
    if (result == MOTE_OK) return;
    fprintf(stderr, "%s: %s\n", call, mote_result_text(result));
    abort();
}
#define WORLD(call) world_check(call, #call)

enum {
    WORLD_LINKS = 6,
    WORLD_STRANDS = 18,
    WORLD_POINTS = 5,
    WORLD_NET = 48,
    WORLD_WEBS = 18,
    WORLD_WEB = 4
};

/* All that the host knows; it is rolled back with the snapshot. */
typedef struct world {
    mote_system *system;
    mote_strands_id hair, springs;
    mote_network_id net, webs;
    mote_force_id wind, extra_force;
    mote_collider_id ball, extra_ball;
    mote_link_id link[WORLD_LINKS];
    mote_emitter_id jet;
    bool has_force, has_ball, has_jet, has_link[WORLD_LINKS];
} world;

/* --- Making --- */

static inline void world_swirl(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const float strength = *(const float *)user;
    (void)y;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += strength * stage->velocity_z[i];
        z[i] -= strength * stage->velocity_x[i];
    }
}

static inline void world_strands(world *w, mote_strand_solver solver, mote_strands_id *id) {
    float rest[WORLD_STRANDS * WORLD_POINTS][3];
    uint32_t points[WORLD_STRANDS], at = 0;
    for (uint32_t s = 0; s < WORLD_STRANDS; s++) {
        points[s] = 2 + s % (WORLD_POINTS - 1);
        for (uint32_t k = 0; k < points[s]; k++, at++) {
            rest[at][0] = 0.1f * (float)s, rest[at][1] = 1 - 0.1f * (float)k;
            rest[at][2] = 0.01f * (float)(s * k % 3);
        }
    }
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver, def.strand_count = WORLD_STRANDS, def.strand_points = points,
    def.positions = rest[0], def.substeps = 2, def.radius = 0.01f;
    if (solver == MOTE_STRAND_SPRINGS) def.compliance = 0.01f, def.damping = 0.1f;
    if (solver == MOTE_STRAND_ROBUST) def.bending_stiffness = 1e-4f, def.twisting_stiffness = 1e-4f;
    WORLD(mote_system_add_strands(w->system, &def, id, NULL));
}

/* A net that tears, as constraints. */
static inline void world_net(world *w) {
    enum { WIDE = 8 };
    float places[WORLD_NET][3];
    mote_spring springs[2 * WORLD_NET];
    uint32_t count = 0;
    for (uint32_t i = 0; i < WORLD_NET; i++) {
        places[i][0] = 0.2f * (float)(i % WIDE), places[i][1] = 2, places[i][2] = 0.2f * (float)(i / WIDE);
        const mote_spring s = {.a = i, .rest_length = MOTE_AS_PLACED, .stiffness = 900, .tear_strain = 0.3f};
        if (i % WIDE + 1 < WIDE) springs[count] = s, springs[count++].b = i + 1;
        if (i + WIDE < WORLD_NET) springs[count] = s, springs[count++].b = i + WIDE;
    }
    mote_network_def def = mote_default_network_def();
    def.solver = MOTE_NETWORK_CONSTRAINED, def.particle_count = WORLD_NET, def.positions = places[0];
    def.springs = springs, def.spring_count = count, def.spring_capacity = count + 8, def.radius = 0.02f;
    def.mass = 0.1f;
    WORLD(mote_system_add_network(w->system, &def, &w->net, NULL));
}

/* Alike islands across lanes, as springs. */
static inline void world_webs(world *w) {
    float places[WORLD_WEBS * WORLD_WEB][3];
    mote_spring springs[WORLD_WEBS * WORLD_WEB];
    for (uint32_t i = 0; i < WORLD_WEBS * WORLD_WEB; i++) {
        places[i][0] = 0.3f * (float)(i / WORLD_WEB) + 0.1f * (float)(i & 1);
        places[i][1] = 0.1f * (float)(i >> 1 & 1), places[i][2] = -1;
        springs[i] = (mote_spring){.a = i,
                                   .b = (i & ~3u) | ((i + 1) & 3u),
                                   .rest_length = 0.1f,
                                   .stiffness = 20,
                                   .damping = 0.05f,
                                   .tear_strain = i % 5 ? 0 : 0.5f};
    }
    mote_network_def def = mote_default_network_def();
    def.particle_count = WORLD_WEBS * WORLD_WEB, def.positions = places[0], def.mass = 0.1f;
    def.springs = springs, def.spring_count = WORLD_WEBS * WORLD_WEB,
    def.spring_capacity = WORLD_WEBS * WORLD_WEB + 8;
    WORLD(mote_system_add_network(w->system, &def, &w->webs, NULL));
}

static inline mote_system_def world_def(void) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 96, def.substeps = 2, def.lifetimes = def.mass_column = def.anchor_column = true;
    def.external_forces = true;
    def.extra_count = 2, def.extra_bytes[0] = 3, def.extra_bytes[1] = 8;
    return def;
}

static inline mote_force_id world_force(world *w, mote_force_def def) {
    mote_force_id id;
    WORLD(mote_system_add_force(w->system, &def, &id));
    return id;
}

static inline world make_world_of(const mote_system_def *def) {
    static float strength = 0.5f;
    world w;
    memset(&w, 0, sizeof w);
    WORLD(mote_system_create(def, &w.system));
    world_force(&w, mote_gravity((const float[3]){0, -9.81f, 0}));
    w.wind = world_force(&w, mote_wind((const float[3]){1, 0, 0}, 0.1f));
    mote_force_def swirl = mote_callback(world_swirl, &strength);
    swirl.as.callback.number = 7;
    world_force(&w, swirl);
    world_strands(&w, MOTE_STRAND_ROBUST, &w.hair);
    world_strands(&w, MOTE_STRAND_SPRINGS, &w.springs);
    world_net(&w);
    world_webs(&w);
    const mote_collider_def ball = mote_sphere((const float[3]){0.4f, 0.4f, 0}, 0.2f);
    WORLD(mote_system_add_collider(w.system, &ball, &w.ball));
    return w;
}

/* --- The host's calls --- */

static inline float world_float(random_source *r) { return random_between(r, -0.5f, 0.5f); }

static inline void world_particles(world *w, random_source *r) {
    mote_range_view view;
    const uint32_t count = mote_system_count(w->system), more = random_below(r, 4);
    if (count > 8) {
        const uint32_t victims[2] = {random_below(r, count), random_below(r, count)};
        WORLD(mote_system_kill_slots(w->system, 1 + random_below(r, 2), victims));
    }
    if (mote_system_spawn(w->system, more, &view) == MOTE_OK)
        for (uint32_t i = 0; i < more; i++) {
            view.position.x[i] = world_float(r), view.velocity.y[i] = 3 * world_float(r);
            view.anchor.y[i] = world_float(r), view.inverse_mass[i] = 1 + world_float(r);
            if (random_below(r, 2)) view.lifetime[i] = 0.1f + 0.5f * (float)random_below(r, 4);
            ((uint8_t *)view.extra[0])[3 * i] = (uint8_t)random_below(r, 256);
        }
    view = mote_system_view(w->system);
    if (view.count && random_below(r, 16) == 0) view.velocity.x[random_below(r, view.count)] = INFINITY;
    if (random_below(r, 4)) return;
    mote_vector_columns forces;
    WORLD(mote_system_external_forces(w->system, &forces));
    for (uint32_t i = 0; i < view.count; i++) forces.x[i] += world_float(r);
}

static inline void world_forces(world *w, random_source *r) {
    const mote_force_def wind = mote_wind((const float[3]){3 * world_float(r), 0, 0}, 0.1f);
    const mote_force_def extra = random_below(r, 2) ? mote_attractor((const float[3]){0, 1, 0}, 0.5f, 0.3f)
                                                    : mote_curl_noise(1, 0.5f, 1, 3, MOTE_FIELD_WIND, 0.1f);
    WORLD(mote_system_set_force(w->system, w->wind, &wind));
    if (w->has_force)
        WORLD(mote_system_remove_force(w->system, w->extra_force));
    else
        WORLD(mote_system_add_force(w->system, &extra, &w->extra_force));
    w->has_force = !w->has_force;
}

static inline void world_colliders(world *w, random_source *r, uint64_t tick) {
    mote_transform to = {{world_float(r), 0.5f, world_float(r)}, {0, world_float(r), 0, 1}};
    WORLD(mote_system_move_collider(w->system, w->ball, &to, tick));
    if (random_below(r, 3)) return;
    const mote_collider_def extra = mote_box(&to, (const float[3]){0.1f, 0.1f, 0.2f});
    if (w->has_ball)
        WORLD(mote_system_remove_collider(w->system, w->extra_ball));
    else
        WORLD(mote_system_add_collider(w->system, &extra, &w->extra_ball));
    w->has_ball = !w->has_ball;
}

static inline mote_emitter_def world_jet(random_source *r) {
    mote_emitter_def jet = mote_default_emitter_def();
    jet.shape = (mote_emitter_shape)random_below(r, MOTE_EMITTER_SHAPE_COUNT), jet.radius = 0.3f,
    jet.spread = 0.5f;
    jet.rate = 40 * (1 + world_float(r)), jet.rate_per_metre = 3, jet.inherit = 0.2f,
    jet.seed = random_below(r, 9);
    jet.speed = (mote_spread){0, 2}, jet.lifetime = (mote_spread){0.1f, 0.5f},
    jet.mass = (mote_spread){0.5f, 2};
    return jet;
}

static inline void world_emitters(world *w, random_source *r, uint64_t tick) {
    const mote_transform to = {{world_float(r), 1, world_float(r)}, {world_float(r), 0, 0, 1}};
    const mote_emitter_def jet = world_jet(r);
    if (!w->has_jet)
        WORLD(mote_system_add_emitter(w->system, &jet, &w->jet));
    else if (random_below(r, 4) == 0)
        WORLD(mote_system_remove_emitter(w->system, w->jet));
    else {
        if (random_below(r, 4) == 0) WORLD(mote_system_set_emitter(w->system, w->jet, &jet));
        WORLD(mote_system_move_emitter(w->system, w->jet, &to, tick));
        WORLD(mote_system_burst(w->system, w->jet, random_below(r, 4)));
        return;
    }
    w->has_jet = !w->has_jet;
}

static inline void world_links(world *w, random_source *r) {
    const uint32_t i = random_below(r, WORLD_LINKS);
    mote_link link = mote_default_link();
    link.a = (mote_link_end){
        .strands = i % 2 ? w->hair : w->springs, .strand = random_below(r, WORLD_STRANDS), .point = 1};
    link.b = (mote_link_end){.network = i % 3 ? w->webs : w->net, .particle = random_below(r, WORLD_NET)};
    link.rest_length = 0.3f, link.stiffness = 5, link.damping = 0.01f;
    if (w->has_link[i])
        WORLD(mote_system_remove_link(w->system, w->link[i]));
    else
        WORLD(mote_system_add_link(w->system, &link, &w->link[i]));
    w->has_link[i] = !w->has_link[i];
}

static inline void world_springs(world *w, random_source *r, uint64_t tick) {
    const bool net = random_below(r, 2);
    const mote_network_id id = net ? w->net : w->webs;
    const uint32_t particles = net ? WORLD_NET : WORLD_WEBS * WORLD_WEB;
    uint32_t number = random_below(r, 2 * WORLD_NET);
    mote_spring s;
    if (mote_network_spring(w->system, id, number, &s) == MOTE_OK) {
        if (random_below(r, 3) == 0)
            WORLD(mote_network_remove_springs(w->system, id, 1, &number, NULL));
        else if (random_below(r, 2))
            WORLD(mote_network_reel(w->system, id, number, 0.9f * s.rest_length, tick, NULL));
        else
            WORLD(mote_network_set_spring(w->system, id, number, s.stiffness * 1.05f, s.damping,
                                          s.tear_strain, NULL));
    }
    s = (mote_spring){.a = random_below(r, particles),
                      .b = random_below(r, particles),
                      .rest_length = MOTE_AS_PLACED,
                      .stiffness = net ? 900 : 20,
                      .tear_strain = 0.5f};
    if (s.a != s.b && random_below(r, 3) == 0)
        (void)mote_network_add_springs(w->system, id, 1, &s, &number, NULL);
}

static inline void world_pins(world *w, random_source *r, uint64_t tick) {
    const float at[3] = {2 * world_float(r), 1, world_float(r)};
    const uint32_t particle = random_below(r, WORLD_NET), strand = random_below(r, WORLD_STRANDS);
    if (mote_network_unpin(w->system, w->net, particle))
        WORLD(mote_network_pin(w->system, w->net, particle, at, tick));
    const mote_strands_id id = particle % 2 ? w->hair : w->springs;
    const uint32_t point = mote_strands_points(w->system, id, strand) - 1;
    if (mote_strands_unpin(w->system, id, strand, point))
        WORLD(mote_strands_pin(w->system, id, strand, point, at, tick));
    const mote_transform root = {{world_float(r), 0.1f * world_float(r), 0}, {0, 0, world_float(r), 1}};
    WORLD(mote_strands_set_roots(w->system, w->hair, &root, 1, tick));
    if (random_below(r, 8) == 0) WORLD(mote_strands_reset(w->system, w->springs, strand));
    if (random_below(r, 8) == 0) WORLD(mote_network_teleport(w->system, w->webs));
    if (random_below(r, 16) == 0) {
        const mote_strands_view view = mote_strands_columns(w->system, w->springs);
        put_nan(&view.velocity.x[mote_strands_slot(w->system, w->springs, strand, 1)]);
    }
}

/* The calls before a frame. Returns the source of random numbers as it is after them. */
static inline random_source world_calls(world *w, uint32_t frame, uint64_t seed) {
    random_source random = {seed + 1000003u * (uint64_t)frame}, *r = &random;
    const uint64_t tick = random_below(r, 2) ? MOTE_NEXT_ADVANCE : mote_system_tick(w->system) + 100000000;
    world_particles(w, r);
    if (random_below(r, 4) == 0) world_forces(w, r);
    if (random_below(r, 3) == 0) world_colliders(w, r, tick);
    if (random_below(r, 3) == 0) world_links(w, r);
    if (random_below(r, 3) == 0) world_emitters(w, r, tick);
    if (random_below(r, 3) == 0) world_springs(w, r, tick);
    if (random_below(r, 3) == 0) world_pins(w, r, tick);
    return random;
}

/* One frame: the calls, then an advance. */
static inline void world_frame(world *w, uint32_t frame, uint64_t seed) {
    random_source random = world_calls(w, frame, seed);
    WORLD(mote_system_advance(w->system, 10000000 + random_below(&random, 13000000), NULL));
}

static inline world warm_world(const mote_system_def *def, uint32_t frames) {
    world w = make_world_of(def);
    for (uint32_t i = 0; i < frames; i++) world_frame(&w, i, 5);
    return w;
}

/* --- Snapshots --- */

typedef struct world_snapshot {
    unsigned char *memory;
    size_t bytes, capacity;
    world host;
} world_snapshot;

static inline void world_save(const world *w, world_snapshot *to, uint32_t flags) {
    WORLD(mote_system_snapshot_bytes(w->system, &to->bytes));
    if (to->bytes > to->capacity) {
        free(to->memory);
        to->capacity = to->bytes + to->bytes / 4;
        to->memory = malloc(to->capacity);
        if (!to->memory) abort();
    }
    WORLD(mote_system_save(w->system, flags, to->memory, to->bytes, NULL));
    to->host = *w;
}

static inline void world_restore(world *w, const world_snapshot *from) {
    WORLD(mote_system_restore(w->system, from->memory, from->bytes, NULL));
    mote_system *system = w->system;
    *w = from->host;
    w->system = system;
}

#endif
