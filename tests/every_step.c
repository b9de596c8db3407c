/* Scenes of which the state after every step is hashed. The golden copy is every_step.golden: 10,000 hashes
 * of 8 bytes a scene, little-endian, scene after scene. scripts/every_step.py compares, and looks for the
 * first object that differs.
 *
 *     every_step STEPS                    writes the hashes of so many steps of each scene to stdout
 *     every_step --names                  the names of the scenes
 *     every_step --chunks SCENE STEP      hashes of the chunks of one scene after a step, one a line
 *     every_step --items SCENE STEP CHUNK hashes of the items of one of these chunks
 *     ... --isa NAME, --threads N in front of these; exit 77: this build or machine cannot run NAME */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network_scene.h"
#include "snapshot_world.h"

enum { STRANDS = 16, PARTICLES = 200 }; /* one lane group */

typedef struct stage_scene {
    const char *name;
    mote_integrator integrator;
    enum { WORLD_SCENE, FLOW_SCENE, STRAND_SCENE, NETWORK_SCENE } kind;
    int solver; /* of strands or networks */
    uint32_t parts, count, island;
} stage_scene;

static const stage_scene scenes[] = {
    {"world", MOTE_SEMI_IMPLICIT_EULER, WORLD_SCENE, 0, 0, 0, 0},
    {"world-rk4", MOTE_RK4, WORLD_SCENE, 0, 0, 0, 0},
    {"world-position-verlet", MOTE_POSITION_VERLET, WORLD_SCENE, 0, 0, 0, 0},
    {"world-pefrl", MOTE_PEFRL, WORLD_SCENE, 0, 0, 0, 0},
    {"world-kinematic", MOTE_KINEMATIC, WORLD_SCENE, 0, 0, 0, 0},
    {"flow", MOTE_ADVECT_RK4, FLOW_SCENE, 0, 0, 0, 0},
    {"springs", MOTE_VELOCITY_VERLET, STRAND_SCENE, MOTE_STRAND_SPRINGS, SYSTEM | DAMPING | DRAG | PINS,
     STRANDS, 0},
    {"ropes", MOTE_SEMI_IMPLICIT_EULER, STRAND_SCENE, MOTE_STRAND_ROBUST, SYSTEM | RIGID | COLLIDERS, STRANDS,
     0},
    {"rods", MOTE_SEMI_IMPLICIT_EULER, STRAND_SCENE, MOTE_STRAND_ROBUST,
     SYSTEM | RIGID | RODS | FRAMED | DRAG | FREE, STRANDS, 0},
    {"conserving", MOTE_SEMI_IMPLICIT_EULER, STRAND_SCENE, MOTE_STRAND_CONSERVING, SYSTEM | RIGID | PINS,
     STRANDS, 0},
    {"webs", MOTE_SEMI_IMPLICIT_EULER, NETWORK_SCENE, MOTE_NETWORK_SPRINGS, SYSTEM | ALIKE | DAMPING | PINS,
     180, 12},
    {"graph", MOTE_RK4, NETWORK_SCENE, MOTE_NETWORK_SPRINGS, SYSTEM | DAMPING | PINS | REELS | EDITS, 90, 45},
    {"constrained", MOTE_SEMI_IMPLICIT_EULER, NETWORK_SCENE, MOTE_NETWORK_CONSTRAINED,
     SYSTEM | MASSES | DAMPING | PINS | EDITS, 40, 20},
    {"contacts", MOTE_SEMI_IMPLICIT_EULER, NETWORK_SCENE, MOTE_NETWORK_CONSTRAINED,
     SYSTEM | DAMPING | PINS | COLLIDERS | TEARS, 40, 20},
};

/* A scene that runs. */
typedef struct stage_run {
    const stage_scene *scene;
    mote_system *system;
    world world;
    strand_scene strands;
    mote_strands_id strands_id;
    network_scene network;
    mote_network_id network_id;
} stage_run;

static network_arrays arrays;
static mote_isa isa = MOTE_ISA_AUTO;
static mote_jobs jobs;

static mote_system *make_flow(void) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    random_source random = {31};
    def.capacity = PARTICLES, def.integrator = MOTE_ADVECT_RK4, def.isa = isa, def.jobs = jobs;
    scene_check(mote_system_create(&def, &system));
    scene_check(mote_system_spawn(system, PARTICLES, &view));
    scene_fill(&view, &random);
    scene_check(scene_add_forces(system, false));
    return system;
}

static void start(stage_run *r, const stage_scene *s) {
    memset(r, 0, sizeof *r);
    r->scene = s;
    if (s->kind == WORLD_SCENE) {
        mote_system_def def = world_def();
        def.integrator = s->integrator, def.isa = isa, def.jobs = jobs;
        r->world = make_world_of(&def);
        r->system = r->world.system;
    } else if (s->kind == FLOW_SCENE) {
        r->system = make_flow();
    } else if (s->kind == STRAND_SCENE) {
        r->strands = (strand_scene){(mote_strand_solver)s->solver,
                                    s->integrator,
                                    s->parts,
                                    STRANDS,
                                    .substeps = 2,
                                    .seed = 61,
                                    .isa = isa,
                                    .jobs = jobs};
        r->system = make_strand_scene(&r->strands, &r->strands_id);
    } else {
        r->network = (network_scene){.solver = (mote_network_solver)s->solver,
                                     .integrator = s->integrator,
                                     .parts = s->parts,
                                     .count = s->count,
                                     .island = s->island,
                                     .substeps = 2,
                                     .seed = 62,
                                     .isa = isa,
                                     .jobs = jobs};
        r->system = make_network_scene(&r->network, &arrays, &r->network_id, NULL);
    }
}

/* A pinned particle of a network goes to a place nearby: nothing comes to rest. */
static void tug(stage_run *r, uint32_t dice) {
    const uint32_t particle = arrays.name[arrays.first[dice % arrays.islands]];
    const uint32_t slot = mote_network_slot(r->system, r->network_id, particle);
    const mote_network_view view = mote_network_columns(r->system, r->network_id);
    const float to[3] = {reference_noise(dice, 1), reference_noise(dice, 2), reference_noise(dice, 3)};
    if (view.inverse_mass[slot] != 0) return;
    scene_check(mote_network_pin(r->system, r->network_id, particle, to,
                                 mote_system_tick(r->system) + 20 * scene_ticks(r->system)));
}

/* The calls of the host before a step. */
static void host_calls(stage_run *r, uint32_t step) {
    if (r->scene->kind == WORLD_SCENE && step % 4 == 0) (void)world_calls(&r->world, step, 7);
    if (r->scene->kind == STRAND_SCENE && step % 16 == 1)
        scene_aim(r->system, r->strands_id, &r->strands, step, mote_system_tick(r->system));
    if (r->scene->kind != NETWORK_SCENE) return;
    if (step % 16 == 1) tug(r, reference_hash(5, step));
    if (step % 64 == 1 && r->scene->parts & EDITS)
        network_edit_all(r->system, r->network_id, &r->network, &arrays, step, NULL);
}

static void one_step(stage_run *r, uint32_t step) {
    host_calls(r, step);
    scene_check(mote_system_step(r->system, 1, NULL));
}

static void write_hash(uint64_t hash) {
    for (int i = 0; i < 8; i++) putchar((int)(hash >> 8 * i & 255));
}

static void write_hashes(uint32_t steps) {
    for (size_t i = 0; i < COUNT_OF(scenes); i++) {
        stage_run r;
        start(&r, &scenes[i]);
        for (uint32_t step = 0; step < steps; step++)
            one_step(&r, step), write_hash(mote_system_hash(r.system));
        mote_system_destroy(r.system);
    }
}

static mote_system *state_after(const char *name, uint32_t steps) {
    static stage_run r;
    for (size_t i = 0; i < COUNT_OF(scenes); i++)
        if (strcmp(scenes[i].name, name) == 0) start(&r, &scenes[i]);
    if (!r.system) exit(2);
    for (uint32_t step = 0; step < steps; step++) one_step(&r, step);
    return r.system;
}

static void print_chunks(mote_system *system, const char *which) {
    static const char *const parts[] = {"header",  "system", "forces",    "particles", "strands",
                                        "network", "links",  "colliders", "emitters"};
    static mote_hash_chunk chunks[1024];
    static uint64_t items[MOTE_HASH_CHUNK];
    uint32_t count;
    scene_check(mote_system_hash_chunks(system, chunks, COUNT_OF(chunks), &count));
    for (uint32_t i = 0; !which && i < count && i < COUNT_OF(chunks); i++)
        printf("%s%s %u from %u: %016llx\n", parts[chunks[i].part], chunks[i].springs ? " springs" : "",
               chunks[i].object, chunks[i].first, (unsigned long long)chunks[i].hash);
    if (!which) return;
    const mote_hash_chunk *chunk = &chunks[strtoul(which, NULL, 10) % COUNT_OF(chunks)];
    scene_check(mote_system_hash_items(system, chunk, items));
    for (uint32_t i = 0; i < chunk->count; i++)
        printf("%u: %016llx\n", chunk->first + i, (unsigned long long)items[i]);
}

static mote_isa isa_of_name(const char *name) {
    for (int i = 0; i < MOTE_ISA_COUNT; i++)
        if (strcmp(mote_isa_name((mote_isa)i), name) == 0) return (mote_isa)i;
    exit(2);
}

int main(int count, char **arguments) {
    int at = 1;
    for (; at + 1 < count; at += 2) {
        if (strcmp(arguments[at], "--isa") == 0)
            isa = isa_of_name(arguments[at + 1]);
        else if (strcmp(arguments[at], "--threads") == 0)
            jobs = dividing(mote_jobs_openmp((uint32_t)strtoul(arguments[at + 1], NULL, 10)));
        else
            break;
    }
    if (at >= count) return fprintf(stderr, "usage: every_step [--isa NAME] [--threads N] STEPS\n"), 2;
    if (!mote_isa_available(isa)) return 77;
    if (strcmp(arguments[at], "--names") == 0) {
        for (size_t i = 0; i < COUNT_OF(scenes); i++) puts(scenes[i].name);
    } else if (arguments[at][0] == '-') {
        if (count - at < 3) return 2;
        mote_system *system = state_after(arguments[at + 1], (uint32_t)strtoul(arguments[at + 2], NULL, 10));
        print_chunks(system, strcmp(arguments[at], "--items") == 0 ? arguments[count - 1] : NULL);
        mote_system_destroy(system);
    } else {
        write_hashes((uint32_t)strtoul(arguments[at], NULL, 10));
    }
    return ferror(stdout) != 0;
}
