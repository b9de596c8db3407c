/* Scenes of networks for the tests that compare bits: islands of any size with a little of everything, the
 * same on every machine. An island depends on the seed and its number alone, not on its neighbours. Needs
 * nothing but mote. */
#ifndef MOTE_TESTS_NETWORK_SCENE_H
#define MOTE_TESTS_NETWORK_SCENE_H

#include <string.h>

#include "strand_scene.h"

/* Beside the parts of strand_scene.h that hold for networks too: DAMPING, SYSTEM, STIFF, FIELDS, CALLBACKS,
 * COLLIDERS, PINS, WILD, HOSTILE, RIGID (some springs: the constrained solver). */
enum {
    MASSES = 65536, /* unequal */
    ALIKE = 131072, /* all islands have scene->island particles and the same springs */
    TEARS = 262144,
    REELS = 524288,
    EDITS = 1048576 /* springs come and go, also between islands */
};

/* How the particles of the islands are numbered. Springs keep their order within the island. */
typedef enum numbering { IN_ORDER, INTERLEAVED, REVERSED, NUMBERINGS } numbering;

enum { NETWORK_PARTICLES = 5200, NETWORK_SPRINGS = 4 * NETWORK_PARTICLES };

typedef struct network_scene {
    mote_network_solver solver;
    mote_integrator integrator;
    uint32_t parts, count, substeps, steps, seed;
    uint32_t island;         /* the most particles in an island */
    const uint32_t *numbers; /* of the islands; NULL: 0, 1, ... */
    numbering order;
    bool joined; /* one more spring between every two islands */
    mote_stability_policy policy;
    mote_isa isa;
    mote_jobs jobs;
    mote_loop_order loop_order;
    mote_allocator allocator;
    mote_rate rate; /* 0: 60/1 */
} network_scene;

/* The arrays of a def; islands in their order. */
typedef struct network_arrays {
    mote_network_def def;
    uint32_t islands, first[NETWORK_PARTICLES + 1],
        number[NETWORK_PARTICLES]; /* particles of the islands, before the host numbers them */
    uint32_t first_spring[NETWORK_PARTICLES + 1];
    uint32_t name[NETWORK_PARTICLES]; /* the host's number */
    float positions[3 * NETWORK_PARTICLES], velocities[3 * NETWORK_PARTICLES], masses[NETWORK_PARTICLES];
    mote_spring springs[NETWORK_SPRINGS];
} network_arrays;

/* --- An island --- */

static inline float network_apart(const float *a, const float *b) {
    const float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    return sqrtf((x * x + y * y) + z * z);
}

/* Each particle hangs about 0.5 m from one of the eight before it. */
static inline void network_place(network_arrays *a, uint32_t first, uint32_t count, const uint32_t *parent,
                                 random_source *random, bool wild) {
    for (uint32_t i = 0; i < count; i++) {
        float *x = a->positions + 3 * (first + i), *v = a->velocities + 3 * (first + i);
        for (int axis = 0; axis < 3; axis++) {
            const float from = i ? a->positions[3 * (first + parent[i]) + (uint32_t)axis] : 0;
            x[axis] = from + random_between(random, -0.5f, 0.5f);
            v[axis] = random_between(random, -1, 1) * (wild ? 20.0f : 1.0f);
        }
        a->masses[first + i] = random_between(random, 0.5f, 2);
    }
}

static inline mote_spring network_spring_of(const network_scene *s, const network_arrays *a, uint32_t i,
                                            uint32_t j, random_source *random) {
    const bool constrained = s->solver == MOTE_NETWORK_CONSTRAINED;
    const float apart = network_apart(a->positions + 3 * i, a->positions + 3 * j),
                scale = random_between(random, 0.9f, 1.1f);
    const float stiffness = random_between(random, 20, 60), damping = random_between(random, 0.1f, 0.5f);
    const uint32_t dice = random_below(random, 12);
    return (mote_spring){
        .a = dice % 2 ? i : j,
        .b = dice % 2 ? j : i,
        .rest_length = dice == 7                   ? MOTE_AS_PLACED
                       : dice == 3 && !constrained ? 0
                                                   : apart * scale,
        .stiffness = constrained ? s->parts & RIGID && dice > 6 ? INFINITY : 10000 * stiffness : stiffness,
        .damping = s->parts & DAMPING && dice % 3 ? damping : 0,
        .tear_strain = s->parts & TEARS && dice % 4 == 1 ? 0.2f : 0};
}

/* A tree, and half as many springs again to any of the twelve before. Returns how many. */
static inline uint32_t network_island(const network_scene *s, network_arrays *a, uint32_t first,
                                      uint32_t number, uint32_t springs) {
    random_source shape = {s->seed + (s->parts & ALIKE ? 0 : 77003 * number)},
                  random = {s->seed + 1000000007u * number};
    const uint32_t count = s->parts & ALIKE || number == 0 ? s->island : 1 + random_below(&shape, s->island);
    const uint32_t left = s->count - first, all = count < left ? count : left;
    static uint32_t parent[NETWORK_PARTICLES];
    for (uint32_t i = 1; i < all; i++) parent[i] = i - 1 - random_below(&shape, i < 8 ? i : 8);
    network_place(a, first, all, parent, &random, (s->parts & WILD) != 0);
    for (uint32_t i = 1; i < all; i++) {
        a->springs[springs++] = network_spring_of(s, a, first + parent[i], first + i, &random);
        const uint32_t other = i - 1 - random_below(&shape, i < 12 ? i : 12);
        if (random_below(&shape, 2) && other != parent[i])
            a->springs[springs++] = network_spring_of(s, a, first + i, first + other, &random);
    }
    a->first[a->islands + 1] = first + all;
    a->first_spring[a->islands + 1] = springs;
    a->number[a->islands++] = number;
    return springs;
}

/* --- All islands --- */

/* The host's numbers: island behind island, forwards or backwards, or all first particles, then all second
 * ones ... */
static inline void network_name(network_arrays *a, uint32_t count, numbering order) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < count && order != INTERLEAVED; i++)
        a->name[i] = order == REVERSED ? count - 1 - i : i;
    for (uint32_t i = 0; i < count && order == INTERLEAVED; i++)
        for (uint32_t k = 0; k < a->islands && next < count; k++)
            if (a->first[k] + i < a->first[k + 1]) a->name[a->first[k] + i] = next++;
}

/* Rearranges rows of floats by name. */
static inline void network_rearrange(float *rows, uint32_t width, uint32_t count, const uint32_t *name) {
    static float old[3 * NETWORK_PARTICLES];
    memcpy(old, rows, (size_t)width * count * sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        memcpy(rows + (size_t)width * name[i], old + (size_t)width * i, width * sizeof *rows);
}

static inline void network_join(const network_scene *s, network_arrays *a, uint32_t *springs) {
    for (uint32_t k = 0; k + 1 < a->islands && s->joined; k++) {
        random_source random = {s->seed + 5 * k};
        a->springs[*springs] = network_spring_of(s, a, a->first[k], a->first[k + 2] - 1, &random);
        *springs += 1;
    }
}

static inline void network_arrays_make(network_arrays *a, const network_scene *s) {
    uint32_t springs = 0;
    a->islands = a->first[0] = a->first_spring[0] = 0;
    a->def = mote_default_network_def();
    for (uint32_t k = 0; a->first[k] < s->count; k++)
        springs = network_island(s, a, a->first[k], s->numbers ? s->numbers[k] : k, springs);
    network_join(s, a, &springs);
    network_name(a, s->count, s->order);
    for (uint32_t i = 0; i < springs; i++)
        a->springs[i].a = a->name[a->springs[i].a], a->springs[i].b = a->name[a->springs[i].b];
    network_rearrange(a->positions, 3, s->count, a->name);
    network_rearrange(a->velocities, 3, s->count, a->name);
    network_rearrange(a->masses, 1, s->count, a->name);
    a->def.solver = s->solver;
    a->def.particle_count = s->count;
    a->def.positions = a->positions;
    a->def.velocities = a->velocities;
    a->def.mass = 1.3f;
    if (s->parts & MASSES) a->def.particle_mass = a->masses;
    a->def.spring_count = springs;
    a->def.spring_capacity = springs + 64;
    a->def.springs = a->springs;
    a->def.growth_allowed = true;
    a->def.policy = s->policy;
    a->def.radius = 0.02f;
    if (s->solver == MOTE_NETWORK_CONSTRAINED && s->parts & CAP) a->def.max_linear = 4;
}

/* --- The host's edits --- */

typedef enum network_action {
    ACTION_ADD,
    ACTION_REMOVE,
    ACTION_SET,
    ACTION_REEL,
    ACTION_PIN,
    ACTION_UNPIN
} network_action;

/* One call of the host. */
typedef struct network_edit {
    network_action action;
    uint32_t number; /* of a spring or a particle */
    mote_spring spring;
    float length; /* of a spring that was added */
    float target[3];
    uint64_t tick;
} network_edit;

enum { NETWORK_EDITS = 256 };
typedef struct network_edits {
    uint32_t count;
    network_edit item[NETWORK_EDITS];
} network_edits;

/* Makes the call, and keeps it in `to`, unless NULL. */
static inline void network_make_edit(mote_system *system, mote_network_id id, network_edit e,
                                     network_edits *to) {
    mote_spring *s = &e.spring, added;
    scene_check(e.action == ACTION_ADD      ? mote_network_add_springs(system, id, 1, s, &e.number, NULL)
                : e.action == ACTION_REMOVE ? mote_network_remove_springs(system, id, 1, &e.number, NULL)
                : e.action == ACTION_SET
                    ? mote_network_set_spring(system, id, e.number, s->stiffness, s->damping, 0, NULL)
                : e.action == ACTION_REEL
                    ? mote_network_reel(system, id, e.number, s->rest_length, e.tick, NULL)
                : e.action == ACTION_PIN ? mote_network_pin(system, id, e.number, e.target, e.tick)
                                         : mote_network_unpin(system, id, e.number));
    if (e.action == ACTION_ADD) scene_check(mote_network_spring(system, id, e.number, &added));
    if (e.action == ACTION_ADD) e.length = added.rest_length;
    if (to && to->count == NETWORK_EDITS) abort();
    if (to) to->item[to->count++] = e;
}

static inline void network_pin(mote_system *system, mote_network_id id, uint32_t particle, float away,
                               uint64_t tick, network_edits *to) {
    const mote_network_view view = mote_network_columns(system, id);
    const uint32_t slot = view.slot[particle];
    const network_edit e = {
        .action = ACTION_PIN,
        .number = particle,
        .tick = tick,
        .target = {view.position.x[slot] + away, view.position.y[slot] + 0.05f, view.position.z[slot]}};
    network_make_edit(system, id, e, to);
}

/* The first particle of two islands of three travels, the last of some stands still. */
static inline void network_pins(mote_system *system, mote_network_id id, const network_arrays *a,
                                uint64_t ticks, network_edits *to) {
    for (uint32_t k = 0; k < a->islands && k < 60; k++) {
        const uint32_t first = a->name[a->first[k]], last = a->name[a->first[k + 1] - 1],
                       number = a->number[k];
        if (number % 3 == 1) continue;
        network_pin(system, id, first, number % 4 ? 0.05f : 0, 2 * ticks + ticks / 3, to);
        if (number % 3 == 2 && first != last) network_pin(system, id, last, 0, 0, to);
    }
}

/* The number of a spring, from a random number; MOTE_NO_ITEM: there is none. */
static inline uint32_t network_find(const mote_system *system, mote_network_id id, uint32_t capacity,
                                    uint32_t dice) {
    mote_spring spring;
    for (uint32_t i = 0; i < capacity; i++)
        if (mote_network_spring(system, id, (dice + i) % capacity, &spring) == MOTE_OK)
            return (dice + i) % capacity;
    return MOTE_NO_ITEM;
}

/* The first spring of every other island. */
static inline void network_reels(mote_system *system, mote_network_id id, const network_arrays *a,
                                 uint64_t ticks, network_edits *to) {
    for (uint32_t k = 0; k < a->islands && k < 100; k++) {
        network_edit e = {.action = ACTION_REEL,
                          .number = a->first_spring[k],
                          .tick = (1 + a->number[k] % 3) * ticks + ticks / 2};
        if (a->first_spring[k] == a->first_spring[k + 1] || a->number[k] % 2) continue;
        scene_check(mote_network_spring(system, id, e.number, &e.spring));
        e.spring.rest_length *= 0.8f;
        network_make_edit(system, id, e, to);
    }
}

static inline void network_add_one(mote_system *system, mote_network_id id, const network_scene *s,
                                   const network_arrays *a, uint32_t dice, network_edits *to) {
    random_source random = {dice};
    const uint32_t i = random_below(&random, s->count), j = random_below(&random, s->count);
    if (i == j) return;
    const network_edit e = {.action = ACTION_ADD, .spring = network_spring_of(s, a, i, j, &random)};
    network_make_edit(system, id, e, to);
}

/* Springs go, come, change and are reeled; a pin goes and one comes. dice: the random number of the boundary.
 */
static inline void network_edit_all(mote_system *system, mote_network_id id, const network_scene *s,
                                    const network_arrays *a, uint32_t dice, network_edits *to) {
    const uint32_t capacity = a->def.spring_capacity, particle = reference_hash(dice, 90) % s->count;
    const uint64_t ticks = scene_ticks(system), now = mote_system_steps(system) * ticks;
    const mote_network_view view = mote_network_columns(system, id);
    for (uint32_t i = 0; i < 4; i++) {
        network_edit e = {.action = ACTION_REMOVE,
                          .number = network_find(system, id, capacity, reference_hash(dice, i))};
        if (e.number == MOTE_NO_ITEM) continue;
        network_make_edit(system, id, e, to);
        if (i < 3) network_add_one(system, id, s, a, reference_hash(dice, 10 + i), to);
        e.number = network_find(system, id, capacity, reference_hash(dice, 20 + i));
        if (e.number == MOTE_NO_ITEM) continue;
        e.action = ACTION_SET;
        e.spring = (mote_spring){.rest_length = 0.4f,
                                 .stiffness = 31.0f + (float)i,
                                 .damping = s->parts & DAMPING ? 0.2f * (float)i : 0};
        network_make_edit(system, id, e, to);
        e.action = ACTION_REEL, e.tick = now + (1 + i) * ticks / 2;
        network_make_edit(system, id, e, to);
    }
    if (view.inverse_mass[view.slot[particle]] == 0)
        network_make_edit(system, id, (network_edit){.action = ACTION_UNPIN, .number = particle}, to);
    else
        network_pin(system, id, particle, 0.02f, now + 3 * ticks / 2, to);
}

/* One island in three gets a hostile value somewhere, one in seven has particles on top of each other. */
static inline void network_attack(mote_system *system, mote_network_id id, const network_scene *s,
                                  const network_arrays *a) {
    const mote_network_view view = mote_network_columns(system, id);
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t k = 0; k < a->islands; k++) {
        const uint32_t number = a->number[k], dice = reference_hash(s->seed, number),
                       count = a->first[k + 1] - a->first[k];
        const uint32_t slot = mote_network_slot(system, id, a->name[a->first[k] + (dice >> 8) % count]);
        if (number % 3 == 0) scene_put_hostile(&column[(dice >> 4) % 6][slot], dice >> 16);
        const uint32_t root = mote_network_slot(system, id, a->name[a->first[k]]);
        for (uint32_t i = 1; i < count && number % 7 == 5; i++)
            for (int c = 0; c < 3; c++)
                column[c][mote_network_slot(system, id, a->name[a->first[k] + i])] = column[c][root];
    }
}

/* --- The scene --- */

static inline mote_system_def network_system_def(const network_scene *s) {
    mote_system_def def = scene_system_def(&(strand_scene){.integrator = s->integrator,
                                                           .substeps = s->substeps,
                                                           .isa = s->isa,
                                                           .jobs = s->jobs,
                                                           .allocator = s->allocator,
                                                           .rate = s->rate});
    def.loop_order = s->loop_order;
    return def;
}

/* edits: receives the host's calls at the start, unless NULL. */
static inline mote_system *make_network_scene(const network_scene *s, network_arrays *a, mote_network_id *id,
                                              network_edits *edits) {
    const mote_system_def def = network_system_def(s);
    mote_system *system;
    scene_check(mote_system_create(&def, &system));
    scene_watch(system);
    network_arrays_make(a, s);
    scene_check(mote_system_add_network(system, &a->def, id, NULL));
    const uint64_t ticks = scene_ticks(system);
    scene_forces(system, s->parts);
    if (s->parts & COLLIDERS) scene_colliders(system, 2 * ticks);
    if (s->parts & PINS) network_pins(system, *id, a, ticks, edits);
    if (s->parts & REELS) network_reels(system, *id, a, ticks, edits);
    if (s->parts & HOSTILE) network_attack(system, *id, s, a);
    return system;
}

#endif
