/* Scenes of strands for the tests that compare bits: 2 to 40 points, a little of everything, the same on
 * every machine. Needs nothing but mote. */
#ifndef MOTE_TESTS_STRAND_SCENE_H
#define MOTE_TESTS_STRAND_SCENE_H

#include <math.h>
#include <stdlib.h>

#include "force_sets.h"
#include "scene_calls.h"
#include "support.h"

enum { SCENE_STRANDS = 48, SCENE_LONGEST = 40 };

enum {
    DAMPING = 2,
    DRAG = 4,
    POSE = 8,
    FREE = 32,  /* roots */
    RIGID = 64, /* no strand gives way; else some do */
    CAP = 128,  /* two iterations at most */
    WILD = 256, /* fast strands and roots */
    SYSTEM = 512,
    STIFF = 1024,
    FIELDS = 2048,
    CALLBACKS = 4096, /* forces of the system */
    COLLIDERS = 8192,
    PINS = 16384,
    HOSTILE = 32768,
    EVEN_COMPLIANCE = 65536,
    EVEN_MASS = 131072,    /* of all strands, or of all their points, which else are each its own */
    FROM = 262144,         /* colliders touch points from the fourth on */
    FAR = 524288,          /* strands a kilometre out, whose roots do not turn */
    RODS = 1048576,        /* that taper, of stiffnesses from 1e-5 to 10 N m^2 */
    FRAMED = 2097152,      /* of rods */
    EVEN_POINTS = 4194304, /* strands of one number of points, under gravity alone without SYSTEM */
    FLAT = 8388608,        /* rods with frames: flat sections whose axes turn at random */
    HINGED = 16777216      /* roots of rods */
};

typedef struct strand_scene {
    mote_strand_solver solver;
    mote_integrator integrator;
    uint32_t parts, count, substeps, steps, seed;
    const uint32_t *
        numbers; /* of the strands; NULL: 0 .. count - 1. What a strand is depends on seed and number alone */
    mote_isa isa;
    mote_jobs jobs;
    mote_allocator allocator;
    mote_rate rate; /* 0: 60/1 */
} strand_scene;

static inline uint32_t scene_number(const strand_scene *s, uint32_t i) {
    return s->numbers ? s->numbers[i] : i;
}

/* Definition of the strands of one id. */
typedef struct strand_arrays {
    mote_strands_def def;
    uint32_t points[SCENE_STRANDS];
    float mass[SCENE_STRANDS], rest_scale[SCENE_STRANDS], compliance[SCENE_STRANDS];
    float positions[3 * SCENE_STRANDS * SCENE_LONGEST];
    float point_mass[SCENE_STRANDS * SCENE_LONGEST], bending[SCENE_STRANDS * SCENE_LONGEST],
        twisting[SCENE_STRANDS * SCENE_LONGEST], ratio[SCENE_STRANDS * SCENE_LONGEST],
        axis[3 * SCENE_STRANDS * SCENE_LONGEST];
} strand_arrays;

/* A walk down and aside in segments of about 0.1 m; one strand in nine has a segment without length. */
static inline float *scene_walk(float *p, uint32_t points, uint32_t parts, bool folded,
                                random_source *random) {
    float x[3];
    for (int axis = 0; axis < 3; axis++) x[axis] = random_between(random, -0.5f, 0.5f);
    if (parts & FAR) x[0] += 1000;
    for (uint32_t k = 0; k < points; k++, p += 3) {
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = x[axis];
            if (!folded || k != points / 2)
                x[axis] += random_between(random, -0.05f, 0.05f) - (axis == 1 ? 0.07f : 0);
        }
    }
    return p;
}

static inline void scene_settings(mote_strands_def *def, const strand_scene *s) {
    def->solver = s->solver;
    def->strand_count = s->count;
    def->max_strain = s->solver == MOTE_STRAND_ROBUST ? 0.002f : 0.01f;
    if (s->parts & DAMPING) def->damping = 0.3f;
    if (s->parts & DRAG)
        def->normal_drag = 0.05f, def->tangential_drag = 0.02f, def->air_velocity[0] = 3,
        def->air_velocity[2] = -1;
    if (s->parts & POSE) def->pose_stiffness = 2.5f;
    if (s->parts & CAP) def->max_iterations = 2;
    if (s->parts & FROM) def->collide_from = 3;
    def->radius = 0.01f;
    def->free_roots = (s->parts & FREE) != 0, def->hinged_roots = (s->parts & HINGED) != 0;
}

/* Of one rod, from its point `first` on; the tip is lighter and softer than the root. */
static inline void scene_rod(strand_arrays *a, uint32_t parts, uint32_t first, uint32_t points,
                             uint32_t number, random_source *random) {
    static const float stiffness[] = {1e-5f, 1e-3f, 0.1f, 10}, ratio[] = {0.7f, 1e-3f, 30};
    /* Alike ones are so soft that their curls need no parts of a substep. */
    const uint32_t kinds = parts & EVEN_POINTS ? 2 : COUNT_OF(stiffness);
    for (uint32_t k = first; k < first + points; k++) {
        const float taper = 1 - 0.5f * (float)(k - first) / (float)points;
        a->point_mass[k] = taper * random_between(random, 0.03f, 0.05f);
        a->bending[k] = taper * stiffness[number % kinds] * random_between(random, 0.8f, 1.2f);
        a->twisting[k] = ratio[number % COUNT_OF(ratio)] * a->bending[k];
    }
}

/* The sections of one rod; those of one rod in four are round. */
static inline void scene_sections(strand_arrays *a, uint32_t first, uint32_t points, uint32_t number,
                                  random_source *random) {
    for (uint32_t k = first; k < first + points; k++) {
        a->ratio[k] = number % 4 == 1 ? 1 : random_between(random, 1, 30);
        for (uint32_t i = 0; i < 3; i++) a->axis[3 * k + i] = random_between(random, -1, 1);
        a->axis[3 * k + 1] *= 0.125f; /* rods hang: away from their segments */
    }
}

static inline void scene_arrays(strand_arrays *a, const strand_scene *s) {
    float *p = a->positions;
    uint32_t first = 0;
    a->def = mote_default_strands_def();
    a->def.substeps = 0; /* of the system */
    scene_settings(&a->def, s);
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t number = scene_number(s, i);
        random_source random = {s->seed + 1000000007u * number};
        const bool rigid = s->parts & RIGID || (s->solver != MOTE_STRAND_SPRINGS && number % 4 == 1);
        static const uint32_t alike[] = {33, 2, 17, 3};
        a->points[i] = s->parts & EVEN_POINTS ? alike[s->seed % COUNT_OF(alike)]
                       : number == 3          ? 2
                       : number == 4          ? 3
                                              : 2 + random_below(&random, SCENE_LONGEST - 1);
        a->mass[i] = random_between(&random, 0.5f, 2);
        a->rest_scale[i] = random_between(&random, 0.95f, 1.05f);
        a->compliance[i] = rigid ? 0 : random_between(&random, 0.001f, 0.01f);
        if (s->parts & EVEN_COMPLIANCE && !rigid) a->compliance[i] = 0.005f;
        if (s->parts & EVEN_MASS) a->mass[i] = 0.0625f * (float)a->points[i]; /* no rounding */
        /* Rods have no segment without length. */
        p = scene_walk(p, a->points[i], s->parts, number % 9 == 8 && !(s->parts & RODS), &random);
        if (s->parts & RODS) scene_rod(a, s->parts, first, a->points[i], number, &random);
        if (s->parts & FLAT) scene_sections(a, first, a->points[i], number, &random);
        first += a->points[i];
    }
    if (s->parts & RODS) a->def.point_mass = a->point_mass, a->def.point_bending_stiffness = a->bending;
    if (s->parts & FRAMED) a->def.point_twisting_stiffness = a->twisting;
    if (s->parts & FLAT) a->def.point_bending_ratio = a->ratio, a->def.point_axis = a->axis;
    a->def.strand_points = a->points;
    a->def.positions = a->positions;
    a->def.strand_mass = a->mass;
    a->def.strand_rest_scale = a->rest_scale;
    a->def.strand_compliance = a->compliance;
}

static inline float scene_mass(const mote_stage_view *stage, uint32_t i) {
    return stage->inverse_mass ? stage->inverse_mass[i] : stage->uniform_inverse_mass;
}

/* Reads all of a particle that a callback may read. */
static inline void scene_swirl(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const float time = (float)stage->time;
    (void)user;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += 0.25f * (time - stage->velocity_x[i] * stage->y[i]);
        y[i] += 0.25f * (stage->velocity_z[i] - 0.125f * scene_mass(stage, i));
        z[i] += 0.25f * (stage->x[i] * stage->velocity_y[i] - stage->z[i]);
    }
}

static inline void scene_add(mote_system *system, mote_force_def def) {
    mote_force_id id;
    scene_check(mote_system_add_force(system, &def, &id));
}

static inline void scene_forces(mote_system *system, uint32_t parts) {
    const float centre[3] = {0.5f, -0.5f, 0.25f}, half[3] = {0.5f, 1, 1};
    if (parts & SYSTEM) {
        scene_add(system, mote_gravity((float[3]){0.25f, -9.81f, 0.5f}));
        scene_add(system, mote_wind((float[3]){2, 0, -1}, 0.01f));
    }
    if (parts & EVEN_POINTS && !(parts & SYSTEM))
        scene_add(system, mote_gravity((float[3]){0.25f, -9.81f, 0.5f}));
    if (parts & STIFF) scene_add(system, mote_anchor_spring(centre, 0.5f, 0.002f));
    if (parts & FIELDS) {
        scene_add(system, mote_attractor(centre, 1.5f, 0.3f));
        scene_add(system, mote_in_box(mote_wind((float[3]){-3, 1, 0}, 0.02f), centre, half, 0.25f));
        scene_add(system, mote_quadratic_drag((float[3]){1, 0, 1}, 0.003f));
        scene_add(system, mote_curl_noise(2.3f, 0.8f, 3, 12345, MOTE_FIELD_ACCELERATION, 0));
    }
    if (!(parts & CALLBACKS)) return;
    mote_force_def newtons = mote_callback(scene_swirl, NULL), acceleration = newtons;
    newtons.as.callback.unit = MOTE_NEWTONS;
    acceleration.as.callback.unit = MOTE_METRES_PER_SECOND_SQUARED;
    newtons.as.callback.reach = acceleration.as.callback.reach = MOTE_REACH_PARTICLE;
    scene_add(system, newtons);
    scene_add(system, acceleration);
}

/* A ball, a capsule and a box among the strands, and a floor that not all reach; they move and turn. */
static inline void scene_colliders(mote_system *system, uint64_t end_tick) {
    const mote_transform box = {{-0.3f, -1.2f, 0.3f}, {0.1f, 0.2f, 0, 1}},
                         moved = {{0.2f, -0.7f, 0.1f}, {0.3f, 0, 0.2f, 1}};
    const mote_collider_def defs[] = {
        mote_sphere((float[3]){0.2f, -0.5f, 0}, 0.25f),
        mote_capsule((float[3]){-0.6f, -0.8f, 0}, (float[3]){0.6f, -0.6f, 0.4f}, 0.12f),
        mote_box(&box, (float[3]){0.3f, 0.1f, 0.2f}),
        mote_plane((float[3]){0, -2, 0}, (float[3]){0.1f, 1, 0})};
    mote_collider_id id;
    for (uint32_t i = 0; i < COUNT_OF(defs); i++) {
        scene_check(mote_system_add_collider(system, &defs[i], &id));
        if (i != 1) continue;
        scene_check(mote_system_move_collider(system, id, &moved, end_tick));
    }
}

static inline mote_transform scene_root(uint32_t i, uint32_t seed, float reach) {
    mote_transform t = MOTE_TRANSFORM_IDENTITY;
    for (uint32_t axis = 0; axis < 3; axis++) {
        t.position[axis] = reach * reference_noise(seed, 8 * i + axis);
        t.rotation[axis] = 4 * reach * reference_noise(seed, 8 * i + 3 + axis);
    }
    return t;
}

/* Tips and middles of some strands; one in four is further away than its strand is long. */
static inline void scene_pins(mote_system *system, mote_strands_id id, const strand_scene *s, uint64_t tick) {
    mote_strands_view view = mote_strands_columns(system, id);
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t points = mote_strands_points(system, id, i), number = scene_number(s, i);
        const uint32_t first = number % 2 ? points - 1 : points / 2;
        if (number % 3 == 1) continue;
        for (uint32_t point = first; point < points; point += points / 2 + 1) {
            const uint32_t slot = mote_strands_slot(system, id, i, point);
            const float away = number % 4 == 3 ? 5 : 0.05f;
            const float target[3] = {view.position.x[slot] + away, view.position.y[slot] + 0.02f,
                                     view.position.z[slot]};
            scene_check(mote_strands_pin(system, id, i, point, target, tick));
        }
    }
}

/* Moves points and gives them speed. */
static inline void scene_stir(mote_system *system, mote_strands_id id, const strand_scene *s) {
    const mote_strands_view view = mote_strands_columns(system, id);
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < mote_strands_points(system, id, i); k++) {
            const uint32_t slot = mote_strands_slot(system, id, i, k);
            for (uint32_t c = 0; c < 6; c++)
                column[c][slot] += (c < 3             ? 0.004f
                                    : s->parts & WILD ? 30.0f
                                                      : 1.0f) *
                                   reference_noise(s->seed + c, 64 * scene_number(s, i) + k);
        }
}

static const float scene_hostile_values[] = {1e10f,  3e38f, -3e38f,   1e18f, -1e15f,
                                             1e-40f, -0.0f, INFINITY, NAN,   1e30f};

/* Stores one of them. */
static inline void scene_put_hostile(float *to, uint32_t dice) {
    *to = scene_hostile_values[dice % COUNT_OF(scene_hostile_values)];
    if (isnan(*to)) put_nan(to);
}

/* One strand in three gets a hostile value somewhere; one in seven has points on top of each other. */
static inline void scene_attack(mote_system *system, mote_strands_id id, const strand_scene *s) {
    const mote_strands_view view = mote_strands_columns(system, id);
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t number = scene_number(s, i), dice = reference_hash(s->seed, number),
                       points = mote_strands_points(system, id, i);
        const uint32_t slot = mote_strands_slot(system, id, i, (dice >> 8) % points);
        if (number % 3 == 0) scene_put_hostile(&column[(dice >> 4) % 6][slot], dice >> 16);
        if (number % 7 != 5) continue;
        const uint32_t root = mote_strands_slot(system, id, i, 0);
        for (uint32_t k = 1; k < points; k++)
            for (int c = 0; c < 3; c++) column[c][mote_strands_slot(system, id, i, k)] = column[c][root];
    }
}

static inline mote_system_def scene_system_def(const strand_scene *s) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    def.integrator = s->integrator;
    def.substeps = s->substeps;
    def.start_time = 0.5;
    def.max_steps_per_advance = 64;
    if (s->rate.steps) def.steps_per_second = s->rate;
    def.isa = s->isa;
    def.jobs = s->jobs;
    if (s->allocator.allocate) def.allocator = s->allocator;
    return def;
}

/* The ticks of a step: what an advance by nothing says. */
static inline uint64_t scene_ticks(mote_system *system) {
    mote_advance advance;
    scene_check(mote_system_advance(system, 0, &advance));
    return advance.ticks_per_step;
}

/* Every root gets a target that it reaches one to three steps after `tick`. */
static inline void scene_aim(mote_system *system, mote_strands_id id, const strand_scene *s, uint32_t seed,
                             uint64_t tick) {
    const uint64_t ticks = scene_ticks(system);
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t number = scene_number(s, i);
        mote_transform root = scene_root(number, seed, s->parts & WILD ? 1 : 0.03f);
        for (int axis = 0; axis < 3 && s->parts & FAR; axis++) root.rotation[axis] = 0;
        scene_check(mote_strands_set_root(system, id, i, &root, tick + (number % 5 + 2) * ticks / 2));
    }
}

static inline mote_system *make_strand_scene(const strand_scene *s, mote_strands_id *id) {
    static strand_arrays arrays;
    const mote_system_def def = scene_system_def(s);
    mote_system *system;
    scene_check(mote_system_create(&def, &system));
    scene_watch(system);
    scene_arrays(&arrays, s);
    scene_check(mote_system_add_strands(system, &arrays.def, id, NULL));
    const uint64_t ticks = scene_ticks(system);
    scene_forces(system, s->parts);
    if (s->parts & COLLIDERS) scene_colliders(system, 2 * ticks);
    scene_stir(system, *id, s);
    scene_aim(system, *id, s, s->seed, 0);
    if (s->parts & PINS) scene_pins(system, *id, s, 2 * ticks + ticks / 3);
    if (s->parts & HOSTILE) scene_attack(system, *id, s);
    return system;
}

#endif
