/* Named scenarios and the hash of the state at the end of each, the same on every machine, compiler,
 * optimisation level, instruction set and number of threads. Prints lines of "name hash"; the golden copy is
 * hashes.golden. Links nothing but mote.
 *
 *     hashes [--isa NAME] [--threads N]      exit 77: this build or machine cannot run NAME
 *     hashes --snapshots STEPS               every part of a scene in another system, restored from a
 * snapshot; at its end both run side by side for so many steps
 *     hashes --refusals once | for-good      memory runs out in every call, at each of its allocations, once
 * or until the call ends; then the call is repeated */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "force_sets.h"
#include "hash_calls.h"
#include "hash_collisions.h"
#include "hash_emitters.h"
#include "hash_links.h"
#include "hash_networks.h"
#include "hash_orientation.h"
#include "hash_strands.h"
#include "hash_twins.h"
#include "support.h"

/* Fields cost more than the others, so they have fewer particles: emulators run this too. */
enum { PARTICLES = 3001, FIELD_PARTICLES = 515, STEPS = 24, FORCE_SETS = 5 };
enum { AFFINE, ATTRACTORS, CALLBACKS, FIELDS, LIMITED };

typedef struct scenario {
    mote_integrator integrator;
    bool mass_column, life;
    int forces; /* index of force_set_names */
} scenario;

static const char *const force_set_names[FORCE_SETS] = {"affine", "attractors", "callbacks", "fields",
                                                        "limited"};

/* A force in N that turns with the velocity and grows with time. */
static void swirl(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    float time = (float)stage->time;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += time * stage->velocity_y[i];
        y[i] -= time * stage->velocity_x[i];
        z[i] -= stage->z[i] * stage->z[i] * stage->z[i] * 0.125f;
    }
}

/* An acceleration towards the neighbour in the range. */
static void follow(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    for (uint32_t i = 0; i < stage->count; i++) {
        uint32_t next = (stage->first + i + 1) % stage->range_count;
        x[i] += 0.5f * (stage->range_x[next] - stage->x[i]);
        y[i] += 0.5f * (stage->range_y[next] - stage->y[i]);
        z[i] += 0.25f * (stage->range_velocity_z[next] - stage->velocity_z[i]);
    }
}

static void add(mote_system *system, mote_force_def def) {
    mote_force_id id;
    CALL(mote_system_add_force(system, &def, &id));
}

static mote_force_def callback_in(mote_force_callback *function, mote_force_unit unit) {
    mote_force_def def = mote_callback(function, NULL);
    def.as.callback.unit = unit;
    def.as.callback.reach = function == follow ? MOTE_REACH_RANGE : MOTE_REACH_PARTICLE;
    return def;
}

static void add_callbacks(mote_system *system, mote_integrator integrator) {
    bool advection = advects(integrator);
    mote_force_unit unit = advection ? MOTE_METRES_PER_SECOND : MOTE_METRES_PER_SECOND_SQUARED;
    add(system, callback_in(swirl, advection ? unit : MOTE_NEWTONS));
    if (integrator != MOTE_POSITION_VERLET) add(system, callback_in(follow, unit));
}

/* Every force that is neither folded nor a callback; with `limited`, all in regions, and affine ones too. */
static void add_fields_and_drags(mote_system *system, mote_integrator integrator, bool limited) {
    mote_force_def forces[32];
    uint32_t n;
    if (advects(integrator)) {
        n = add_fields(forces, 0, MOTE_FIELD_VELOCITY);
    } else {
        n = add_fields(forces, 0, limited ? MOTE_FIELD_WIND : MOTE_FIELD_ACCELERATION);
        n = add_particle_anchors(forces, add_drags(forces, add_timed_thrusts(forces, n, 0.25f)));
        if (limited) n = add_springs(forces, add_affine(forces, n));
    }
    if (limited) limit_forces(forces, n);
    for (uint32_t i = 0; i < n; i++) add(system, forces[i]);
}

static void add_forces(mote_system *system, mote_integrator integrator, int set) {
    bool advection = advects(integrator);
    if (set != ATTRACTORS && !advection) {
        add(system, mote_gravity((float[3]){0, -9.81f, 0.25f}));
        add(system, mote_wind((float[3]){3, 0, -1}, 0.35f));
        add(system, mote_anchor_spring((float[3]){0, 2, 0}, 6.5f, 0.15f));
        add(system, mote_thrust((float[3]){0.5f, 0, 0}));
    }
    if ((set == ATTRACTORS || set == CALLBACKS) && !advection) {
        add(system, mote_attractor((float[3]){1, 0.5f, 0}, 3, 0.25f));
        add(system, mote_attractor((float[3]){-1, 0, 0.75f}, -0.5f, 0.5f));
    }
    if (set == CALLBACKS) add_callbacks(system, integrator);
    if (set >= FIELDS) add_fields_and_drags(system, integrator, set == LIMITED);
}

static void fill(const mote_range_view *view, uint32_t seed) {
    float *columns[6] = {view->position.x, view->position.y, view->position.z,
                         view->velocity.x, view->velocity.y, view->velocity.z};
    for (uint32_t i = 0; i < view->count; i++) {
        for (uint32_t c = 0; c < 6; c++) columns[c][i] = 3 * reference_noise(seed + c, i);
        if (view->anchor.x) view->anchor.x[i] = reference_noise(seed + 8, i);
        if (view->anchor.y) view->anchor.y[i] = 0.01f * (float)(i % 64);
        if (view->inverse_mass)
            view->inverse_mass[i] = i % 17 == 4 ? 0 : 1.25f + reference_noise(seed + 6, i);
        if (view->lifetime && i % 2 == 0) view->lifetime[i] = 0.25f + 0.2f * reference_noise(seed + 7, i);
    }
}

/* The calls of a host before step `step`: births, deaths, an impulse, external forces. */
static void host_calls(mote_system *system, bool advection, uint32_t step) {
    mote_range_view view;
    mote_vector_columns external_forces;
    uint32_t slots[64];
    CALL(mote_system_spawn(system, 100, &view));
    fill(&view, 50 * step);
    for (uint32_t i = 0; i < 64; i++) slots[i] = reference_hash(step, i) % mote_system_count(system);
    CALL(mote_system_kill_slots(system, 64, slots));
    CALL(mote_system_impulse(system, step, (float[3]){1, -1, 0.5f}));
    view = mote_system_view(system);
    view.position.x[step + 1] =
        advection ? INFINITY : 3.4e38f; /* dies in this step, unless it is immovable */
    view.velocity.x[step + 1] = 3e38f;
    if (step % 8 != 0 || advection) return;
    CALL(mote_system_external_forces(system, &external_forces));
    for (uint32_t i = 0; i < mote_system_count(system); i++)
        external_forces.x[i] += 20 * reference_noise(step, i);
}

static mote_system *make(const scenario *s, mote_isa isa, mote_jobs jobs) {
    bool advection = advects(s->integrator);
    mote_system_def def = mote_default_system_def();
    def.allocator = hash_allocator();
    def.capacity = PARTICLES + 100 * STEPS;
    def.substeps = 3;
    def.start_time = 0.25;
    def.integrator = s->integrator;
    def.mass_column = s->mass_column;
    def.mass = 0.7f;
    def.lifetimes = s->life;
    def.external_forces = s->life && !advection;
    def.anchor_column = s->forces >= FIELDS;
    def.interpolation = s->life ? MOTE_INTERPOLATE_HERMITE : MOTE_INTERPOLATE_NONE;
    def.isa = isa;
    def.jobs = jobs;
    mote_system *system;
    mote_range_view view;
    CALL(mote_system_create(&def, &system));
    hash_watch(system);
    CALL(mote_system_spawn(system, s->forces >= FIELDS ? FIELD_PARTICLES : PARTICLES, &view));
    fill(&view, 11);
    add_forces(system, s->integrator, s->forces);
    return system;
}

static uint64_t run(const scenario *s, mote_isa isa, mote_jobs jobs) {
    mote_system *system = make(s, isa, jobs);
    for (uint32_t step = 0; step < STEPS; step += 4) {
        if (s->life) host_calls(system, advects(s->integrator), step);
        if (hash_twin_steps) system = hash_continue(system, make(s, isa, jobs));
        CALL(mote_system_step(system, 4, NULL));
    }
    uint64_t hash = mote_system_hash(system);
    hash_compare(system, hash_twin_steps ? make(s, isa, jobs) : NULL);
    return hash;
}

/* The linear chain after a short, a negative and a long time: its sines and cosines. */
static uint64_t run_chain(mote_chain_ends ends) {
    enum { MASSES = 37 };
    static const double times[] = {0.25, -31, 4e5};
    const mote_chain chain = {ends, MASSES, 0.7, 90};
    double x[MASSES], v[MASSES], scratch[2 * MASSES];
    uint64_t hash = 0;
    for (uint32_t i = 0; i < MASSES; i++)
        x[i] = (double)reference_noise(1, i), v[i] = (double)reference_noise(2, i);
    for (int t = 0; t < 3; t++) {
        CALL(mote_chain_evolve(&chain, times[t], x, v, scratch));
        hash = mote_hash_doubles(mote_hash_doubles(hash, x, sizeof x), v, sizeof v);
    }
    return hash;
}

static void print_chain_hashes(void) {
    static const char *const names[] = {"fixed-free", "fixed-fixed", "free-free"};
    for (int ends = 0; ends < MOTE_CHAIN_ENDS_COUNT; ends++)
        printf("chain/%s %016llx\n", names[ends], (unsigned long long)run_chain((mote_chain_ends)ends));
}

static mote_isa isa_of_name(const char *name) {
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++)
        if (strcmp(mote_isa_name((mote_isa)isa), name) == 0) return (mote_isa)isa;
    fprintf(stderr, "hashes: no instruction set is called %s\n", name);
    exit(2);
}

int main(int count, char **arguments) {
    mote_isa isa = MOTE_ISA_AUTO;
    mote_jobs jobs = {0};
    for (int i = 1; i < count; i += 2) {
        if (i + 1 < count && strcmp(arguments[i], "--isa") == 0)
            isa = isa_of_name(arguments[i + 1]);
        else if (i + 1 < count && strcmp(arguments[i], "--threads") == 0)
            jobs = dividing(mote_jobs_openmp((uint32_t)strtoul(arguments[i + 1], NULL, 10)));
        else if (i + 1 < count && strcmp(arguments[i], "--snapshots") == 0)
            hash_twin_steps = (uint32_t)strtoul(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && strcmp(arguments[i], "--refusals") == 0)
            hash_refuse(strcmp(arguments[i + 1], "once") != 0);
        else
            return fprintf(stderr, "usage: hashes [--isa NAME] [--threads N] [--snapshots STEPS] "
                                   "[--refusals once | for-good]\n"),
                   2;
    }
    if (!mote_isa_available(isa)) return 77;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* who stops it has the lines printed so far */
    test_grid_allocator = hash_allocator();
    make_test_grids();
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int mass = 0; mass < 2; mass++)
            for (int set = 0; set <= FORCE_SETS; set++) {
                scenario s = {(mote_integrator)m, mass == 1, set == FORCE_SETS, set % FORCE_SETS};
                if (s.life) s.forces = CALLBACKS;
                if (advects(s.integrator) && s.forces < CALLBACKS) continue;
                printf("%s/%s/%s %016llx\n", mote_integrator_describe(s.integrator)->name,
                       mass ? "masses" : "uniform", s.life ? "life" : force_set_names[s.forces],
                       (unsigned long long)run(&s, isa, jobs));
            }
    destroy_test_grids();
    print_strand_hashes(isa, jobs);
    print_link_hashes(isa, jobs);
    print_network_hashes(isa, jobs);
    print_chain_hashes();
    print_emitter_hashes(isa, jobs);
    print_collision_hashes(isa, jobs);
    print_orientation_hashes(isa, jobs);
    print_grid_hashes(isa, jobs);
    hash_calls_end();
    return 0;
}
