/* The tests of calls between steps under a hostile control word of the host: what a call computes, and the
 * comparison with a calm word. Under a hostile word the calls below compute nothing themselves. */
#ifndef MOTE_TESTS_CONTROL_WORD_H
#define MOTE_TESTS_CONTROL_WORD_H

#include "test.h"

#include <string.h>

#include "host_control.h"
#include "systems.h"

#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
#define HAS_CONTROL_WORD 1

enum { CROWD = 3000, PARTICLES = 40, POINTS = 6, NODES = 7, SOME = 192, NUMBERS = 6000 };

/* What a subject has beside loose particles: strands and a network; every column, colliders, an emitter. */
enum { LOOSE = 0, RANGES = 1, RICH = 2 };

typedef struct subject {
    mote_system *system;
    mote_range_view view;
    mote_strands_id hair;
    mote_network_id net;
    mote_collider_id collider;
    mote_emitter_id emitter;
    mote_grid *grid;
    mote_height_field *field;
    mote_distance_grid *distances;
    float x[POINTS][3], y[NODES][3], some[SOME]; /* some: from -1 to 1 */
    double out[NUMBERS];                         /* what a call returns, then the state one step later */
    size_t count;
} subject;

/* A call between steps. Codes other than OK are among what it puts. */
typedef struct tried_call {
    const char *name;
    mote_result (*call)(subject *s);
    unsigned parts;
} tried_call;

static const float somewhere[3] = {0.13f, 0.37f, -0.71f}, edges[3] = {0.3f, 0.2f, 0.1f};
static const mote_transform turned = {{0.1f, 0.2f, 0.3f}, {0.3f, -0.2f, 0.7f, 0.9f}};
static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static inline void put(subject *s, double value) {
    ASSERT(s->count, <, NUMBERS);
    s->out[s->count++] = value;
}

/* Bits: hostile conversions of denormal numbers give 0. */
static inline void put_floats(subject *s, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        put(s, bits);
    }
}

static inline mote_result add_hair(subject *s) {
    mote_strands_def def = mote_default_strands_def();
    def.solver = MOTE_STRAND_SPRINGS, def.compliance = 10;
    def.mass = 0.013f, def.rest_scale = 0.9f;
    def.strand_count = 1, def.points = POINTS, def.positions = s->x[0];
    return mote_system_add_strands(s->system, &def, &s->hair, NULL);
}

/* Replaces the hair by rods of 6 and 4 points, or by ropes of another solver. */
static inline mote_result add_rods(subject *s, mote_strand_solver solver, const float rest[3]) {
    mote_strands_def def = mote_default_strands_def();
    const uint32_t points[2] = {POINTS, POINTS - 2};
    const float masses[2] = {0.013f, 0.017f};
    float positions[2 * POINTS][3];
    memcpy(positions, s->x, sizeof s->x), memcpy(positions + POINTS, s->x, sizeof s->x);
    def.solver = solver, def.strand_count = 2, def.strand_points = points;
    def.positions = positions[0], def.strand_mass = masses;
    if (rest) {
        def.bending_stiffness = 1e-3f, def.twisting_stiffness = 7e-4f, def.bending_ratio = 1.7f;
        memcpy(def.rest_acceleration, rest, sizeof def.rest_acceleration);
    }
    return mote_system_add_strands(s->system, &def, &s->hair, NULL);
}

static inline mote_result add_net(subject *s, mote_stability_policy policy) {
    mote_network_def def = mote_default_network_def();
    mote_spring springs[NODES - 1];
    for (uint32_t i = 0; i + 1 < NODES; i++)
        springs[i] = (mote_spring){i, i + 1, MOTE_AS_PLACED, 150, 0.02f, 0};
    def.policy = policy, def.particle_count = NODES, def.positions = s->y[0], def.mass = 0.07f;
    def.spring_count = NODES - 2, def.spring_capacity = 2 * NODES, def.springs = springs;
    return mote_system_add_network(s->system, &def, &s->net, NULL);
}

static inline mote_emitter_def fountain(void) {
    mote_emitter_def def = mote_default_emitter_def();
    def.shape = MOTE_EMITTER_CONE, def.transform = turned;
    def.radius = 0.7f, def.inner_radius = 0.1f, def.angle = 0.3f, def.spread = 0.2f;
    def.rate = 130, def.rate_per_metre = 7, def.inherit = 0.3f;
    def.speed = (mote_spread){1.1f, 2.3f}, def.lifetime = (mote_spread){1e-40f, 0.3f};
    def.mass = (mote_spread){0.1f, 0.7f}, def.collision_radius = (mote_spread){1e-40f, 0.1f};
    def.extra_columns = 1, def.extra[0] = (mote_spread){-0.1f, 0.3f};
    def.spin = (mote_spread){0.1f, 3.3f}, def.orientation = MOTE_EMIT_TUMBLED;
    return def;
}

/* Particles that turn, hit, stick and die, and an emitter. */
static inline void make_rich(subject *s) {
    const mote_range_view *v = &s->view;
    const float low[3] = {0, -2, 0}, up[3] = {0.1f, 1, 0.2f}, aside[3] = {5, 0, 0};
    mote_collider_def colliders[2] = {mote_plane(low, up), mote_sphere(aside, 2)};
    const mote_emitter_def emitter = fountain();
    colliders[1].response = MOTE_RESPONSE_STICK;
    for (int i = 0; i < 2; i++) OK(mote_system_add_collider(s->system, &colliders[i], &s->collider));
    OK(mote_system_add_emitter(s->system, &emitter, &s->emitter));
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const float share = s->some[i];
        v->lifetime[i] = 2 + share, v->radius[i] = 0.1f + 0.07f * share;
        v->orientation.x[i] = share, v->angular_velocity.z[i] = 3 * share, v->angular_velocity.y[i] = 1;
        v->anchor.y[i] = share, ((float *)v->extra[0])[i] = share;
    }
}

static inline void make_subject(subject *s, unsigned parts, mote_jobs jobs) {
    mote_system_def def = mote_default_system_def();
    random_source random = {5};
    memset(s, 0, sizeof *s);
    def.mass_column = def.lifetimes = true;
    def.start_time = 0.1;
    def.jobs = jobs;
    def.capacity = CROWD;
    if (parts & RICH) {
        def.orientation = def.principal_moments = def.inertia_column = def.external_torques = true;
        def.external_forces = def.anchor_column = def.radius_column = def.sticking = true;
        def.inertia[0] = 0.3f, def.inertia[1] = 0.2f, def.inertia[2] = 0.1f, def.spin_drag = 0.01f;
        def.extra_count = 1, def.extra_bytes[0] = sizeof(float);
        def.max_deaths = def.max_births = def.max_hits = 200;
        def.interpolation = MOTE_INTERPOLATE_HERMITE;
    }
    s->system = system_of(&def);
    add_force(s->system, mote_gravity((float[3]){0.3f, -9.81f, 0.1f}));
    add_force(s->system, mote_wind((float[3]){3, 1, 0.7f}, 0.2f));
    for (uint32_t i = 0; i < POINTS; i++)
        s->x[i][0] = 0.3f + 0.07f * (float)i, s->x[i][1] = 0.011f * (float)(i * i);
    for (uint32_t i = 0; i < NODES; i++) s->y[i][1] = 0.13f * (float)i, s->y[i][2] = 0.017f * (float)(i * i);
    for (uint32_t i = 0; i < SOME; i++) s->some[i] = random_between(&random, -1, 1);
    if (parts & RANGES) {
        OK(add_hair(s));
        OK(add_net(s, MOTE_STABILITY_REPORT));
    }
    s->view = spawned_at_random(s->system, PARTICLES, 3);
    if (parts & RICH) make_rich(s);
    stepped(s->system, 49);
}

static inline void destroy_subject(subject *s) {
    mote_system_destroy(s->system);
    mote_grid_destroy(s->grid);
    mote_height_field_destroy(s->field);
    mote_distance_grid_destroy(s->distances);
}

static inline void put_columns(subject *s, const mote_vector_columns *x, const mote_vector_columns *v,
                               size_t count) {
    const float *const columns[6] = {x->x, x->y, x->z, v->x, v->y, v->z};
    for (int c = 0; c < 6; c++)
        for (size_t i = 0; i < count; i++) put(s, (double)columns[c][i]);
}

static inline void put_state(subject *s, unsigned parts) {
    stepped(s->system, 1);
    const mote_range_view view = mote_system_view(s->system);
    put_columns(s, &view.position, &view.velocity, view.count < PARTICLES ? view.count : PARTICLES);
    if (!(parts & RANGES)) return;
    const mote_strands_view hair = mote_strands_columns(s->system, s->hair);
    const mote_network_view net = mote_network_columns(s->system, s->net);
    put_columns(s, &hair.position, &hair.velocity, hair.slot_count);
    put_columns(s, &net.position, &net.velocity, net.slot_count);
}

static inline void run_under(const int *rounding, const tried_call *tried, subject *s) {
    make_subject(s, tried->parts, (mote_jobs){0});
    const host saved = rounding ? make_hostile(*rounding) : (host){.word = read_word()};
    const uint64_t before = read_word() & ~FLAGS;
    const mote_result result = tried->call(s);
    const uint64_t after = read_word() & ~FLAGS;
    const int kept = fegetround();
    if (rounding) make_calm(&saved);
    OK(result);
    ASSERT(after, ==, before);
    ASSERT(kept, ==, rounding ? *rounding : FE_TONEAREST);
    const uint64_t hash = mote_system_hash(s->system);
    put(s, (double)(hash >> 32)), put(s, (double)(uint32_t)hash);
    put_state(s, tried->parts);
    destroy_subject(s);
}

static inline void compare_call(const tried_call *tried) {
    static subject calm, hostile;
    fesetenv(FE_DFL_ENV); /* a test before may have failed within its call */
    run_under(NULL, tried, &calm);
    for (size_t mode = 0; mode < COUNT_OF(roundings); mode++) {
        test_case("mode %u", (unsigned)mode);
        run_under(&roundings[mode], tried, &hostile);
        ASSERT(hostile.count, ==, calm.count);
        for (size_t k = 0; k < calm.count; k++) ASSERT(hostile.out[k], ==, calm.out[k]);
    }
}
#endif

#endif
