/* Writes of the host into columns that are not alike on all ranks of a cluster: the owner's values count, or
 * all ranks refuse the next advance. No write makes ranks differ for good. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rank_threads.h"
#include "support.h"

enum { PARTICLES = 60, STRANDS = 20, POINTS = 4, KNOTS = 40, LINE = 12 };

/* What makes a system's ranges divided or not. */
typedef struct setting {
    const char *name;
    uint32_t deaths; /* a list of so many: every rank steps all loose particles */
    bool link;       /* every rank steps the strands and the network */
    bool hook;
} setting;

static const setting settings[] = {
    {"divided", 0, 0, 0}, {"deaths", 8, 0, 0}, {"link", 0, 1, 0}, {"hook", 0, 0, 1}};

typedef struct world {
    const setting *as;
    mote_system *system;
    mote_strands_id strands;
    mote_network_id network;
    mote_range_view made; /* of mote_system_spawn */
} world;

/* Where a rank writes. */
typedef enum where {
    NOWHERE,
    VIEW,
    MADE,
    MADE_EARLY,
    NETWORK,
    STRAND,
    ALONE, /* it asks for columns to fill, as no other rank does */
    HOOK,
    HOOK_NETWORK,
    HOOK_FORCES,
    WHERE_COUNT
} where;

typedef struct writer {
    rank_link link;
    const setting *as;
    where to;
    uint32_t column;
    mote_result joined, before, refused, again, saved;
    uint64_t steps, hash[3];
} writer;

/* Also on the threads of ranks, where no assertion can end the test. */
static void must(mote_result result, const char *call) {
    if (result == MOTE_OK) return;
    fprintf(stderr, "%s: %s\n", call, mote_result_text(result));
    exit(1);
}

#define MUST(call) must(call, #call)

/* --- Worlds --- */

static mote_system_def def_of(const setting *as) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 200, def.interpolation = MOTE_INTERPOLATE_LINEAR, def.mass_column = true;
    def.lifetimes = def.anchor_column = def.external_forces = def.orientation = def.external_torques = true;
    def.principal_moments = def.inertia_column = def.collisions = def.radius_column = def.sticking = true;
    def.extra_count = 1, def.extra_bytes[0] = 4, def.max_deaths = as->deaths;
    def.collision_radius = 0.01f, def.initial_ages = true;
    return def;
}

static void add_objects(world *w) {
    static float places[3 * STRANDS * POINTS];
    static mote_spring springs[KNOTS];
    mote_strands_def hair = mote_default_strands_def();
    mote_network_def net = mote_default_network_def();
    for (uint32_t i = 0; i < STRANDS * POINTS; i++)
        places[3 * i] = (float)(i / POINTS), places[3 * i + 1] = 0.1f * (float)(i % POINTS),
                   places[3 * i + 2] = 1;
    hair.strand_count = STRANDS, hair.points = POINTS, hair.positions = places;
    MUST(mote_system_add_strands(w->system, &hair, &w->strands, NULL));
    for (uint32_t i = 0; i + 1 < KNOTS; i++)
        springs[i] = (mote_spring){i, i + 1, MOTE_AS_PLACED, 50, 0.1f, 0};
    net.particle_count = KNOTS, net.positions = places, net.springs = springs, net.spring_count = KNOTS - 1;
    MUST(mote_system_add_network(w->system, &net, &w->network, NULL));
    if (!w->as->link) return;
    mote_link link = mote_default_link();
    mote_link_id id;
    link.a.strands = w->strands, link.a.strand = 3, link.a.point = 2;
    link.b.network = w->network, link.b.particle = 9;
    link.rest_length = MOTE_AS_PLACED, link.stiffness = 1e-3f;
    MUST(mote_system_add_link(w->system, &link, &id));
}

/* Every column of a view, by number. */
static void *column_of(const mote_range_view *v, uint32_t column) {
    void *const all[] = {
        v->birth_step, v->lifetime,   v->initial_age,   v->position.x,    v->position.z,
        v->velocity.y, v->previous.x, v->inverse_mass,  v->anchor.y,      v->radius,
        v->stuck,      v->extra[0],   v->orientation.w, v->orientation.x, v->angular_velocity.z,
        v->inertia.x,  v->inertia.z};
    return column < COUNT_OF(all) ? all[column] : NULL;
}

/* Columns that the host fills on all ranks. */
enum { EVERYWHERE = 3 };

/* Fills new particles; of slots of other ranks the columns from number `garbage` on with other values. */
static void fill(const world *w, const mote_range_view *v, uint32_t garbage) {
    for (uint32_t i = 0; i < v->count; i++) {
        v->position.x[i] = 0.1f * (float)i, v->position.z[i] = 2, v->velocity.y[i] = 1 + (float)i;
        v->inverse_mass[i] = 1 / (1 + (float)i), v->lifetime[i] = 0.05f * (float)(1 + i % 7);
        v->initial_age[i] = 0.001f * (float)(i % 5);
        v->radius[i] = 0.01f * (float)i, v->anchor.y[i] = (float)i, v->angular_velocity.z[i] = (float)i;
        memcpy((uint32_t *)v->extra[0] + i, &i, sizeof i);
        for (uint32_t k = garbage; k && column_of(v, k); k++)
            if (!mote_system_owns(w->system, v->first + i)) ((uint32_t *)column_of(v, k))[i] += 0x800000u + i;
    }
}

/* On one rank a hook takes the hash, which is no collective call there. */
static void look(void *user, mote_system *system, const mote_range_view *view) {
    (void)view;
    if (((const writer *)user)->link.rank == 1) (void)mote_system_hash(system);
}

static world make_world(const setting *as) {
    world w = {.as = as};
    const mote_system_def def = def_of(as);
    mote_collider_id id;
    const mote_collider_def ground = mote_plane((float[3]){0, -1, 0}, (float[3]){0, 1, 0});
    mote_force_id pull;
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    MUST(mote_system_create(&def, &w.system));
    MUST(mote_system_add_collider(w.system, &ground, &id));
    MUST(mote_system_add_force(w.system, &gravity, &pull));
    add_objects(&w);
    MUST(mote_system_spawn(w.system, PARTICLES, &w.made));
    fill(&w, &w.made, 0);
    return w;
}

/* --- Writes that are refused --- */

/* Changes a bit of a column. */
static void flip(void *column, uint32_t element) { ((uint32_t *)column)[element] ^= 1; }

static void write_network(world *w, uint32_t column) {
    const mote_network_view v = mote_network_columns(w->system, w->network);
    float *const all[] = {v.position.x, v.position.y, v.position.z, v.velocity.x, v.velocity.y, v.velocity.z};
    flip(all[column], v.slot[LINE]);
}

static void write_strands(world *w, uint32_t column) {
    const mote_strands_view v = mote_strands_columns(w->system, w->strands);
    float *const all[] = {v.position.x, v.position.y, v.position.z, v.velocity.x, v.velocity.y, v.velocity.z};
    flip(all[column], mote_strands_slot(w->system, w->strands, LINE, 2));
}

static uint32_t columns_of(where to) {
    return to == VIEW                                      ? 17
           : to == MADE || to == MADE_EARLY || to == ALONE ? EVERYWHERE
           : to == NOWHERE                                 ? 1
                                                           : 6;
}

/* The hook of a rank that writes. */
typedef struct hooked {
    writer *by;
    world *of;
} hooked;

static void write_in_hook(void *user, mote_system *system, const mote_range_view *view) {
    const hooked *h = user;
    mote_vector_columns forces[2] = {{0}};
    if (h->by->to == HOOK_FORCES) {
        MUST(mote_system_external_forces(system, &forces[0]));
        MUST(mote_system_external_torques(system, &forces[1]));
    }
    if (h->by->link.rank != 1) return;
    if (h->by->to == HOOK_FORCES) ((&forces[h->by->column / 3].x)[h->by->column % 3])[7] = 1;
    if (h->by->to == HOOK) flip(column_of(view, EVERYWHERE + h->by->column), 7);
    if (h->by->to == HOOK_NETWORK) write_network(h->of, h->by->column);
}

/* Makes the calls of all ranks; rank 1 writes something else. */
static void write_one(writer *by, world *w) {
    const bool writes = by->link.rank == 1;
    if (by->to == VIEW) {
        const mote_range_view view = mote_system_view(w->system);
        if (writes) flip(column_of(&view, by->column), 20);
    } else if (by->to == MADE || by->to == MADE_EARLY) {
        MUST(mote_system_spawn(w->system, 30, &w->made));
        fill(w, &w->made, EVERYWHERE);
        if (by->to == MADE_EARLY) by->hash[0] = mote_system_hash(w->system);
        if (writes) flip(column_of(&w->made, by->column), 20);
    } else if (by->to == NETWORK || by->to == STRAND) {
        (void)mote_network_columns(w->system, w->network);
        (void)mote_strands_columns(w->system, w->strands);
        if (writes) (by->to == NETWORK ? write_network : write_strands)(w, by->column);
    } else if (by->to == ALONE && writes) {
        mote_vector_columns forces;
        if (by->column == 0)
            MUST(mote_system_external_forces(w->system, &forces));
        else
            MUST(mote_system_spawn(w->system, 3, &w->made));
    }
}

static void *run_writer(void *user) {
    writer *by = user;
    static _Thread_local unsigned char memory[1 << 18];
    world w = make_world(by->as);
    hooked h = {by, &w};
    const mote_transport transport = rank_transport(&by->link);
    by->joined = mote_system_join(w.system, &transport);
    if (by->as->hook) MUST(mote_system_set_step_hook(w.system, look, by));
    by->before = mote_system_step(w.system, 2, NULL);
    size_t bytes;
    MUST(mote_system_save(w.system, 0, memory, sizeof memory, &bytes));
    if (by->to >= HOOK) {
        MUST(mote_system_set_step_hook(w.system, write_in_hook, &h));
        MUST(mote_system_step(w.system, 1, NULL));
        MUST(mote_system_set_step_hook(w.system, by->as->hook ? look : NULL, by));
    }
    write_one(by, &w);
    by->refused = mote_system_step(w.system, 1, NULL);
    by->again = mote_system_advance(w.system, 20000000, NULL);
    by->steps = mote_system_steps(w.system);
    MUST(mote_system_restore(w.system, memory, bytes, NULL));
    by->saved = mote_system_step(w.system, 1, NULL);
    by->hash[1] = mote_system_hash(w.system);
    mote_system_destroy(w.system);
    return NULL;
}

static void run_case(const setting *as, where to, uint32_t column) {
    static writer by[RANKS];
    meeting with = whole_meeting;
    const mote_result expected = to == NOWHERE ? MOTE_OK : MOTE_ERROR_CALLS;
    for (uint32_t i = 0; i < RANKS; i++)
        by[i] = (writer){.link = {.with = &with, .rank = i}, .as = as, .to = to, .column = column};
    run_on_ranks(run_writer, by, sizeof *by);
    for (uint32_t i = 0; i < RANKS; i++) {
        test_case("%s, place %d, column %u, rank %u", as->name, (int)to, column, i);
        MUST(by[i].joined);
        MUST(by[i].before);
        assert_int_equal(by[i].refused, expected);
        assert_int_equal(by[i].again, expected);
        ASSERT(by[i].steps, ==, 2 + (to >= HOOK) + (to == NOWHERE ? 2u : 0u));
        MUST(by[i].saved);
        ASSERT(by[i].hash[1], ==, by[0].hash[1]);
    }
}

TEST(writes_that_differ_are_refused_on_all_ranks) {
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        for (int to = NOWHERE; to < WHERE_COUNT; to++)
            for (uint32_t column = 0; column < columns_of((where)to); column++)
                run_case(&settings[i], (where)to, column);
}

/* --- Writes that the owner decides --- */

/* Gives each particle a force, but not with a hook, and a torque, but not with a link; those of slots of
 * other ranks are something else. */
static void push(const world *w) {
    const bool forces = !w->as->hook, torques = !w->as->link;
    mote_vector_columns f = {0}, t = {0};
    if (forces) MUST(mote_system_external_forces(w->system, &f));
    if (torques) MUST(mote_system_external_torques(w->system, &t));
    for (uint32_t i = 0; i < mote_system_count(w->system); i++) {
        const bool owns = mote_system_owns(w->system, i);
        if (forces) f.x[i] = owns ? (float)i : 1e3f;
        if (torques) t.y[i] = owns ? 0.01f * (float)i : -5;
    }
}

static void *run_owner(void *user) {
    writer *by = user;
    world w = make_world(by->as);
    const mote_transport transport = rank_transport(&by->link);
    mote_vector_columns early; /* of forces, from before the system joins */
    MUST(mote_system_external_forces(w.system, &early));
    if (by->link.with) MUST(mote_system_join(w.system, &transport));
    for (uint32_t i = 0; i < PARTICLES; i++) early.z[i] = mote_system_owns(w.system, i) ? (float)i : 1e3f;
    if (by->as->hook) MUST(mote_system_set_step_hook(w.system, look, by));
    MUST(mote_system_step(w.system, 2, NULL));
    for (int i = 0; i < 3; i++) {
        if (i != 1) {
            (void)mote_system_view(w.system);
            MUST(mote_system_spawn(w.system, 20, &w.made));
            fill(&w, &w.made, EVERYWHERE);
            if (by->to == VIEW) (void)mote_system_hash(w.system), fill(&w, &w.made, EVERYWHERE);
            if (by->to == NETWORK) MUST(mote_system_step(w.system, 0, NULL));
        }
        if (i != 0) push(&w);
        if (by->to == STRAND) (void)mote_system_hash(w.system), push(&w);
        by->hash[i] = by->to == MADE ? 0 : mote_system_hash(w.system);
        MUST(mote_system_kill_slots(w.system, 2, (uint32_t[2]){3, 11}));
        MUST(mote_system_step(w.system, 2, NULL));
        by->hash[i] += mote_system_hash(w.system);
    }
    mote_system_destroy(w.system);
    return NULL;
}

/* New particles, forces and torques: what the owner writes counts, whenever it is read, and however often it
 * is filled. */
TEST(owners_decide_what_new_particles_and_forces_are) {
    static const where ways[] = {NOWHERE, VIEW, MADE, NETWORK, STRAND};
    static writer by[RANKS];
    for (size_t i = 0; i < COUNT_OF(settings) * COUNT_OF(ways); i++) {
        meeting with = whole_meeting;
        const setting *as = &settings[i / COUNT_OF(ways)];
        writer alone = {.as = as, .to = ways[i % COUNT_OF(ways)]};
        run_owner(&alone);
        for (uint32_t k = 0; k < RANKS; k++)
            by[k] = (writer){.link = {.with = &with, .rank = k}, .as = as, .to = alone.to};
        run_on_ranks(run_owner, by, sizeof *by);
        for (uint32_t k = 0; k < RANKS; k++)
            for (int h = 0; h < 3; h++) {
                test_case("%s, way %d, rank %u, hash %d", as->name, (int)alone.to, k, h);
                ASSERT(by[k].hash[h], ==, alone.hash[h]);
            }
    }
}

static void *run_reader(void *user) {
    writer *by = user;
    world w = make_world(by->as);
    const mote_transport transport = rank_transport(&by->link);
    MUST(mote_system_join(w.system, &transport));
    MUST(mote_system_step(w.system, 2, NULL));
    MUST(mote_system_gather(w.system));
    if (by->link.rank == 1) {
        by->steps += mote_system_view(w.system).count;
        by->steps += mote_network_columns(w.system, w.network).slot_count;
        by->hash[0] = mote_system_hash(w.system);
    }
    by->refused = mote_system_step(w.system, 1, NULL);
    mote_system_destroy(w.system);
    return NULL;
}

/* A rank that only reads views of a state that is whole need not wait for the others. */
TEST(one_rank_may_look_alone) {
    static writer by[RANKS];
    for (size_t k = 0; k < COUNT_OF(settings); k++) {
        meeting with = whole_meeting;
        for (uint32_t i = 0; i < RANKS; i++)
            by[i] = (writer){.link = {.with = &with, .rank = i}, .as = &settings[k]};
        run_on_ranks(run_reader, by, sizeof *by);
        for (uint32_t i = 0; i < RANKS; i++) assert_int_equal(by[i].refused, MOTE_OK);
    }
}

static void *run_early(void *user) {
    writer *by = user;
    world w = make_world(by->as);
    const mote_transport transport = rank_transport(&by->link);
    const mote_network_view net = mote_network_columns(w.system, w.network);
    MUST(mote_system_join(w.system, &transport));
    if (by->link.rank == 1) flip(by->column ? net.velocity.x : w.made.velocity.y, 5);
    by->refused = mote_system_step(w.system, 1, NULL);
    mote_system_destroy(w.system);
    return NULL;
}

/* Views that the host took before the system joined are compared too. */
TEST(views_from_before_joining_are_compared) {
    static writer by[RANKS];
    for (uint32_t column = 0; column < 2; column++) {
        meeting with = whole_meeting;
        for (uint32_t i = 0; i < RANKS; i++)
            by[i] = (writer){.link = {.with = &with, .rank = i}, .as = settings, .column = column};
        run_on_ranks(run_early, by, sizeof *by);
        for (uint32_t i = 0; i < RANKS; i++) assert_int_equal(by[i].refused, MOTE_ERROR_CALLS);
    }
}
