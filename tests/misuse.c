/* Every case of misuse: the call returns a code that its comment names, and the state is as it was.
 * Arguments: none; `--show N`: case N alone; `--from N`: case N and all after it, each one named before it
 * runs. */
#include "misuse.h"
#ifdef MISUSE_RANKS
#include "mpi/misuse_ranks.h"
#endif

#include <stdio.h>
#include <stdlib.h>

static void must(mote_result result, const char *call) {
    if (result == MOTE_OK) return;
    printf("the world cannot be made: %s: %s\n", call, mote_result_text(result));
    exit(2);
}
#define MUST(call) must(call, #call)
#define MANY       20000u

void misuse_copy(void *to, const void *from, size_t bytes) {
    const float one = 1;
    if (from)
        memcpy(to, from, bytes);
    else
        for (size_t i = 0; i < bytes / sizeof one; i++) memcpy((char *)to + i * sizeof one, &one, sizeof one);
}

bool misuse_no_rotation(const mote_transform *transform) {
    const float *r = transform->rotation;
    return r[0] == 0 && r[1] == 0 && r[2] == 0 && r[3] == 0;
}

mote_result misuse_place(misuse_world *w, mote_transform at) {
    return mote_system_move_collider(w->system, w->collider, &at, MOTE_NEXT_ADVANCE);
}

mote_result misuse_place_unit(misuse_world *w, mote_transform at) {
    const mote_result result = misuse_place(w, at);
    const float *r = at.rotation;
    const bool unit = fabsf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] - 1) < 1e-5f;
    return result == MOTE_OK && !unit ? MISUSE_VALUE : result;
}

mote_result misuse_field(const misuse_world *w, const float rows[9]) {
    const mote_force_def def = mote_linear_field(w->vector, rows, MOTE_FIELD_ACCELERATION, 1);
    return mote_force_check(&def, NULL);
}

/* Makes the call of a case inside a step, if it is to be made in this place. */
static void call_inside(misuse_world *w, int place) {
    if (w->inside_place != place) return;
    w->inside_place = MISUSE_OUTSIDE;
    mote_system *flat = w->flat;
    w->flat = w->system; /* the one that is busy */
    w->inside_result = misuse_call(w, w->inside_call, 0);
    w->flat = flat;
}

void misuse_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)stage, (void)x, (void)y, (void)z;
    if (user) call_inside(user, MISUSE_IN_CALLBACK);
}

static void hook(void *user, mote_system *system, const mote_range_view *view) {
    (void)system, (void)view;
    call_inside(user, MISUSE_IN_HOOK);
}

static void run_tasks(void *user, mote_task *task, void *context, uint32_t count) {
    call_inside(user, MISUSE_IN_JOBS);
    for (uint32_t i = 0; i < count; i++) task(context, i, 0);
}

/* A transport of one rank. */
static int gather(void *user, const void *own, void *all, size_t bytes) {
    (void)user;
    memcpy(all, own, bytes);
    return 0;
}

static int exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                    uint32_t receives) {
    (void)user, (void)send, (void)receive;
    return sends || receives;
}

static int wait_for(void *user) {
    (void)user;
    return 0;
}

/* Memory for small requests only: those that a wrong count asks for find none on every machine. */
static void *allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    if (bytes > (size_t)1 << 28) return NULL;
    unsigned char *whole = malloc(bytes + alignment + sizeof whole);
    if (!whole) return NULL;
    unsigned char *at = whole + sizeof whole;
    at += (alignment - (uintptr_t)at % alignment) % alignment;
    memcpy(at - sizeof whole, &whole, sizeof whole);
    return at;
}

static void release(void *user, void *pointer, size_t bytes) {
    unsigned char *whole;
    (void)user, (void)bytes;
    if (!pointer) return;
    memcpy(&whole, (unsigned char *)pointer - sizeof whole, sizeof whole);
    free(whole);
}

/* --- Defs and arrays --- */

static void fill_arrays(misuse_world *w) {
    for (int i = 0; i < 16; i++) {
        w->vector[i] = 0.5f + (float)i, w->rising[i] = (float)i;
        w->identity[i] = i < 9 && i % 4 == 0;
        for (int axis = 0; axis < 3; axis++)
            w->points[i][axis] = axis == 0 ? 0.25f * (float)i : 0.1f * (float)axis;
    }
    for (int i = 0; i < 4096; i++) w->floats[i] = 0.125f * (float)(i % 16);
    for (uint32_t i = 0; i < 8; i++) w->few[i] = i;
    w->transform = (mote_transform)MOTE_TRANSFORM_IDENTITY;
    for (int i = 0; i < 2; i++) {
        w->size_keys[i] = (mote_size_key){.life = 0.25f * (float)(i + 1), .size = 1};
        w->colour_keys[i] = (mote_colour_key){.life = 0.25f * (float)(i + 1)};
    }
}

static void fill_object_defs(misuse_world *w) {
    w->force_def = mote_gravity((const float[3]){0, -9, 0});
    w->collider_def = mote_sphere(w->vector, 1);
    w->emitter_def = mote_default_emitter_def();
    w->emitter_def.extra_columns = 1;
    const mote_spread one_or_two = {1, 2};
    w->emitter_def.speed = w->emitter_def.lifetime = w->emitter_def.mass = one_or_two;
    w->emitter_def.collision_radius = w->emitter_def.extra[0] = w->emitter_def.spin = one_or_two;
    w->strands_def = mote_default_strands_def();
    w->strands_def.strand_count = 2, w->strands_def.points = 5, w->strands_def.positions = w->points[0];
    w->network_def = mote_default_network_def();
    w->network_def.particle_count = 4, w->network_def.positions = w->points[0];
    for (uint32_t i = 0; i < 3; i++)
        w->springs[i] =
            (mote_spring){.a = i, .b = i + 1, .rest_length = 0.25f, .stiffness = 10, .damping = 0.1f};
    w->springs[3] = (mote_spring){.a = 0, .b = 2, .rest_length = 0.5f, .stiffness = 10};
    w->network_def.springs = w->springs, w->network_def.spring_count = 4, w->network_def.spring_capacity = 16;
    w->followers_def = mote_default_followers_def();
    w->followers_def.follower_count = 3, w->followers_def.points = 4,
    w->followers_def.positions = w->points[0];
    for (int i = 0; i < 9; i++) w->guides[i] = i % 3 == 2 ? MOTE_NO_GUIDE : (uint32_t)(i % 3);
    w->followers_def.guides = w->guides, w->followers_def.weights = w->vector;
    w->grid_def = mote_default_grid_def();
    for (int i = 0; i < 3; i++) w->grid_def.count[i] = 2;
    w->grid_def.vectors = (const float(*)[3])(void *)w->floats;
    w->height_field_def = mote_default_height_field_def();
    w->distance_grid_def = mote_default_distance_grid_def();
    for (int i = 0; i < 2; i++) w->height_field_def.count[i] = 2;
    for (int i = 0; i < 3; i++) w->distance_grid_def.count[i] = 2;
    w->height_field_def.heights = w->distance_grid_def.distances = w->floats;
}

/* A def of each kind of force; that of a callback has no function that the world needs. */
static void fill_forces(misuse_world *w) {
    const float *v = w->vector;
    const mote_field_use use = MOTE_FIELD_ACCELERATION;
    const mote_force_def made[] = {mote_gravity(v),
                                   mote_thrust(v),
                                   mote_wind(v, 1),
                                   mote_anchor_spring(v, 1, 1),
                                   mote_attractor(v, 1, 1),
                                   mote_timed_thrust(w->rising, v, 2),
                                   mote_quadratic_drag(v, 1),
                                   mote_particle_anchors(1, 1),
                                   mote_linear_field(v, w->identity, use, 1),
                                   mote_vortex(v, v, 1, 1, use, 1),
                                   mote_curl_noise(1, 1, 1, 1, use, 1),
                                   mote_grid_field(w->grid, use, 1),
                                   mote_callback(misuse_callback, NULL)};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) w->kinds[made[i].kind] = made[i];
}

static void fill_other_defs(misuse_world *w) {
    w->system_def = mote_default_system_def();
    w->system_def.allocator = (mote_allocator){NULL, allocate, release};
    w->system_def.capacity = 64, w->system_def.mass_column = true, w->system_def.lifetimes = true;
    w->system_def.external_forces = true, w->system_def.anchor_column = true;
    w->system_def.orientation = true, w->system_def.external_torques = true;
    w->system_def.extra_count = 1, w->system_def.extra_bytes[0] = 4;
    w->system_def.jobs = (mote_jobs){2, w, run_tasks, 1};
    w->system_def.max_deaths = w->system_def.max_births = w->system_def.max_hits = 8;
    w->columns = (mote_columns){.count = 4,
                                .position = {w->floats, w->floats + 16, w->floats + 32},
                                .velocity = {w->floats + 48, w->floats + 64, w->floats + 80},
                                .mass = 1};
    w->columns_def = mote_default_columns_def();
    w->columns_def.forces = &w->force_def, w->columns_def.force_count = 1;
    w->model = mote_default_hair();
    w->model.strand_count = 2, w->model.point_count = 8, w->model.default_segments = 3;
    w->strand_points[0] = 3, w->strand_points[1] = 5;
    w->model.strand_points = w->strand_points, w->model.points = w->points;
    w->model.thickness = w->model.transparency = w->floats;
    w->model.colours = (float(*)[3])(void *)w->floats;
    w->resample_def = mote_default_hair_resample_def();
    w->resample_def.points = 4;
    w->lines_def = mote_default_lines_def();
    w->mesh_layout = mote_default_mesh_layout();
    w->rod_def = mote_default_rod_def();
    w->strand_layout = mote_default_strand_layout();
    w->strand_layout.shape = MOTE_STRAND_RIBBONS, w->strand_layout.facing = MOTE_RIBBON_EYE;
    w->preview_def = mote_default_preview_def();
    w->layout = mote_default_present_layout();
    w->chain = (mote_chain){.ends = MOTE_CHAIN_FIXED_FREE, .count = 8, .mass = 1, .stiffness = 1};
    w->jobs = (mote_jobs){0, NULL, NULL, 0};
    w->transport = (mote_transport){0, 1, NULL, gather, exchange, wait_for, NULL};
}

/* --- Objects --- */

static void add_links(misuse_world *w, mote_system *system, mote_strands_id strands, mote_network_id network,
                      mote_link_id *id, mote_link_id *stale) {
    w->link_def = mote_default_link();
    w->link_def.a = (mote_link_end){.strands = strands, .strand = 1, .point = 4};
    w->link_def.b = (mote_link_end){.network = network, .particle = 3};
    w->link_def.rest_length = 1, w->link_def.stiffness = 1;
    MUST(mote_system_add_link(system, &w->link_def, stale));
    MUST(mote_system_remove_link(system, *stale));
    MUST(mote_system_add_link(system, &w->link_def, id));
}

/* Adds an object of each kind, and removes one of each before. */
#define ADD(kind, call, remove)                                                                              \
    do {                                                                                                     \
        must(call, #call);                                                                                   \
        w->stale_##kind = made_##kind;                                                                       \
        MUST(remove(system, made_##kind));                                                                   \
        must(call, #call);                                                                                   \
    } while (0)

static mote_system *make_system(misuse_world *w, bool first) {
    mote_system *system;
    MUST(mote_system_create(&w->system_def, &system));
    mote_force_id made_force, callback_id;
    mote_collider_id made_collider;
    mote_emitter_id made_emitter;
    mote_strands_id made_strands;
    mote_network_id made_network;
    mote_link_id made_link, stale_link;
    mote_range_view view;
    mote_force_def callback = mote_callback(misuse_callback, w);
    ADD(force, mote_system_add_force(system, &w->force_def, &made_force), mote_system_remove_force);
    MUST(mote_system_add_force(system, &callback, &callback_id));
    ADD(collider, mote_system_add_collider(system, &w->collider_def, &made_collider),
        mote_system_remove_collider);
    ADD(emitter, mote_system_add_emitter(system, &w->emitter_def, &made_emitter), mote_system_remove_emitter);
    ADD(strands, mote_system_add_strands(system, &w->strands_def, &made_strands, NULL),
        mote_system_remove_strands);
    ADD(network, mote_system_add_network(system, &w->network_def, &made_network, NULL),
        mote_system_remove_network);
    add_links(w, system, made_strands, made_network, &made_link, &stale_link);
    MUST(mote_strands_pin(system, made_strands, 0, 2, w->points[2], 0));
    MUST(mote_network_pin(system, made_network, 2, w->points[2], 0));
    MUST(mote_system_spawn(system, 8, &view));
    for (uint32_t i = 0; i < 8; i++) view.position.x[i] = (float)i, view.velocity.y[i] = 1;
    const mote_particle_id made_particle = view.id[1], stale_particle = view.id[2];
    MUST(mote_system_kill(system, 1, &stale_particle));
    MUST(mote_system_step(system, 2, NULL));
    if (!first) { /* the ids of this system are foreign to the first one */
        w->foreign_force = made_force, w->foreign_collider = made_collider, w->foreign_emitter = made_emitter;
        w->foreign_strands = made_strands, w->foreign_network = made_network, w->foreign_link = made_link;
        w->foreign_particle = (mote_particle_id){made_particle.index, made_particle.generation + 5};
        return system;
    }
    w->force = made_force, w->collider = made_collider, w->emitter = made_emitter;
    w->strands = made_strands, w->network = made_network, w->link = made_link, w->stale_link = stale_link;
    w->particle = w->particles[0] = made_particle, w->stale_particle = stale_particle;
    return system;
}

static void make_world(misuse_world *w) {
    memset(w, 0, sizeof *w);
    fill_arrays(w);
    fill_object_defs(w);
    fill_other_defs(w);
    mote_system *gone = make_system(w, false);
    w->destroyed_force = w->foreign_force, w->destroyed_collider = w->foreign_collider;
    w->destroyed_emitter = w->foreign_emitter, w->destroyed_strands = w->foreign_strands;
    w->destroyed_network = w->foreign_network, w->destroyed_link = w->foreign_link;
    w->destroyed_particle = w->foreign_particle;
    mote_system_destroy(gone);
    w->other = make_system(w, false);
    w->system = make_system(w, true);
    mote_system_def flat = mote_default_system_def();
    flat.allocator = w->system_def.allocator, flat.capacity = 0;
    mote_force_id gravity;
    MUST(mote_system_create(&flat, &w->flat));
    MUST(mote_system_add_force(w->flat, &w->force_def, &gravity));
    w->systems[0] = w->system, w->systems[1] = w->other;
    MUST(mote_followers_create(w->system, w->strands, &w->followers_def, &w->followers, NULL));
    MUST(mote_grid_create(&w->grid_def, &w->grid));
    fill_forces(w);
    MUST(mote_height_field_create(&w->height_field_def, &w->height_field));
    MUST(mote_distance_grid_create(&w->distance_grid_def, &w->distance_grid));
    MUST(mote_hair_write(&w->model, w->file, sizeof w->file, &w->file_bytes));
    MUST(mote_hair_read(w->file, w->file_bytes, NULL, &w->hair, NULL));
    MUST(mote_system_save(w->system, 0, w->snapshot, sizeof w->snapshot, &w->snapshot_bytes));
    static const uint32_t corners[3] = {0, 1, 2};
    MUST(mote_network_triangles(w->system, w->network, 1, corners, w->triangles));
    uint32_t count;
    MUST(mote_system_hash_chunks(w->system, w->chunks, 64, &count));
    w->chunk = w->chunks[1];
    /* A second link between other ends is what a valid call adds. */
    w->link_def.a.point = 3;
#ifdef MISUSE_RANKS
    misuse_join(w);
#endif
}

static void destroy_world(misuse_world *w) {
    mote_followers_destroy(w->followers);
    mote_followers_destroy(w->made_followers);
    mote_system_destroy(w->system);
    mote_system_destroy(w->other);
    mote_system_destroy(w->flat);
    mote_system_destroy(w->made_system);
    mote_grid_destroy(w->grid);
    mote_grid_destroy(w->made_grid);
    mote_height_field_destroy(w->height_field);
    mote_height_field_destroy(w->made_height_field);
    mote_distance_grid_destroy(w->distance_grid);
    mote_distance_grid_destroy(w->made_distance_grid);
    mote_hair_destroy(w->hair);
    mote_hair_destroy(w->made_hair);
#ifdef MISUSE_RANKS
    misuse_leave();
#endif
}

/* --- Cases --- */

static const char *code_name(mote_result code) {
    static char text[96];
    if (code == MISUSE_EMPTY) return "what it returns for wrong arguments";
    if (code == MISUSE_VALUE) return "a value, or nothing";
    if (code == MISUSE_ANY) return "any code of its comment";
    snprintf(text, sizeof text, "%d (%s)", (int)code, mote_result_text(code));
    return text;
}

static bool is_right(const misuse_case *c, mote_result got) {
    if (c->expected != MISUSE_ANY) return got == c->expected;
    return got == MOTE_OK || (got < MOTE_RESULT_COUNT && (c->allowed & MISUSE_BIT(got)));
}

/* Returns a hash of all systems of a world. */
static uint64_t hash_of_world(const misuse_world *w) {
    const mote_system *const systems[] = {w->system, w->other, w->flat};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        hash = hash * 0x9e3779b97f4a7c15u + mote_system_hash(systems[i]);
    return hash;
}

/* Steps a world once, with the call of a case inside the step if there is one. Returns the hash. */
static uint64_t hash_of_step(misuse_world *w, int place, const misuse_case *c) {
    make_world(w);
    if (place == MISUSE_IN_HOOK) MUST(mote_system_set_step_hook(w->system, hook, w));
    if (place == MISUSE_IN_JOBS) { /* enough work for two */
        mote_range_view view;
        MUST(mote_system_reserve(w->system, MANY));
        MUST(mote_system_spawn(w->system, mote_system_available(w->system), &view));
    }
    if (c) w->inside_place = place, w->inside_call = c->call, w->inside_result = MISUSE_ANY;
    MUST(mote_system_step(w->system, 1, NULL));
    return hash_of_world(w);
}

/* Makes the call of a case. Returns its code, and whether it changed nothing if it was refused. */
static mote_result call(misuse_world *w, const misuse_case *c, bool *unchanged) {
    static uint64_t of_step[4];
    static bool known[4];
    if (c->place == MISUSE_OUTSIDE) {
        make_world(w);
        const uint64_t before = hash_of_world(w);
        const mote_result got = misuse_call(w, c->call, c->variant);
        *unchanged = got == MOTE_OK || got == MISUSE_VALUE || hash_of_world(w) == before;
        return got;
    }
    if (!known[c->place]) {
        known[c->place] = true, of_step[c->place] = hash_of_step(w, c->place, NULL);
        destroy_world(w);
    }
    *unchanged = hash_of_step(w, c->place, c) == of_step[c->place] || w->inside_result == MOTE_OK;
    return w->inside_result;
}

/* Runs a case in a world of its own. Returns whether the library did what it documents. */
static bool run(const misuse_case *c) {
    static misuse_world w;
    bool unchanged;
    const mote_result got = call(&w, c, &unchanged);
    const bool right = is_right(c, got) && unchanged;
    if (!right) {
        printf("%s, %s: returned %s, ", c->function, c->what, code_name(got));
        printf("expected %s%s\n", code_name(c->expected), unchanged ? "" : "; the state has changed");
    }
    destroy_world(&w);
    return right;
}

int main(int argc, char **argv) {
#ifdef MISUSE_RANKS
    misuse_begin(&argc, &argv);
#endif
    unsigned wrong = 0, first = 0, end = misuse_case_count;
    const bool show = argc == 3 && !strcmp(argv[1], "--show");
    if (argc == 3) first = (unsigned)atoi(argv[2]);
    if (show) end = first + 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (unsigned i = first; i < end && i < misuse_case_count; i++) {
        if (argc > 1) printf("%u: %s, %s\n", i, misuse_cases[i].function, misuse_cases[i].what);
        wrong += !run(&misuse_cases[i]);
    }
    printf("%u cases, %u wrong\n", misuse_case_count, wrong);
#ifdef MISUSE_RANKS
    misuse_end();
#endif
    return wrong != 0;
}
