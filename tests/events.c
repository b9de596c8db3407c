/* Events against a model that follows every particle by its id, in plain code, through single steps of a
 * system that keeps none: deaths with their causes and last states, births, order, capacities, losses. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

enum { MOST = 6000, RATE = 64, EMITTERS = 2 };

/* --- The model --- */

typedef struct being {
    mote_particle_id id;
    float x[3], v[3]; /* before the step */
    float end_x[3], end_v[3];
    float lifetime;
    uint32_t birth;
    bool killed, expired, non_finite;
} being;

typedef struct model {
    mote_system *system; /* steps one by one, and keeps no events */
    being being[MOST];   /* by slot */
    uint32_t count;
    mote_death death[8 * MOST];
    mote_birth birth[8 * MOST];
    uint32_t deaths, births; /* of a frame */
} model;

static bool is_alive(const mote_system *system, mote_particle_id id) {
    return mote_system_slot(system, id) != MOTE_NO_SLOT;
}

static void read_vector(const mote_vector_columns *from, uint32_t slot, float to[3]) {
    to[0] = from->x[slot], to[1] = from->y[slot], to[2] = from->z[slot];
}

/* Notes the births of the particles behind those that are known: the first extra column has the emitter. */
static void note_births(model *m, uint64_t step) {
    const mote_range_view view = mote_system_view(m->system);
    for (uint32_t slot = m->count; slot < view.count; slot++) {
        const uint32_t emitter = (uint32_t)((const float *)view.extra[0])[slot];
        m->being[slot] = (being){.id = view.id[slot]};
        if (emitter == 0) continue;
        m->birth[m->births++] =
            (mote_birth){.step = step, .id = view.id[slot], .emitter = {emitter, 0}, .slot = slot};
    }
    m->count = view.count;
}

/* Removes the beings that `dies` picks: notes their deaths by slot, then lets survivors from behind fill the
 * holes in order. */
static void remove_beings(model *m, mote_death_why why, uint64_t step) {
    uint32_t dead = 0;
    bool gone[MOST];
    for (uint32_t slot = 0; slot < m->count; slot++) {
        const being *b = &m->being[slot];
        gone[slot] = why == MOTE_DEATH_KILLED    ? b->killed
                     : why == MOTE_DEATH_EXPIRED ? b->expired
                                                 : b->non_finite;
        if (!gone[slot]) continue;
        mote_death *death = &m->death[m->deaths++];
        *death = (mote_death){.step = step, .slot = slot, .why = why, .id = b->id};
        const bool ends = why == MOTE_DEATH_EXPIRED;
        memcpy(death->position, ends ? b->end_x : b->x, sizeof death->position);
        memcpy(death->velocity, ends ? b->end_v : b->v, sizeof death->velocity);
        dead++;
    }
    const uint32_t kept = m->count - dead;
    for (uint32_t hole = 0, from = kept; hole < kept; hole++) {
        if (!gone[hole]) continue;
        while (gone[from]) from++;
        m->being[hole] = m->being[from++];
    }
    m->count = kept;
}

/* Reads the states before the step, and finds those after it on arrays of the test's own. */
static void find_states(model *m, const mote_system_def *def, const mote_force_def *forces,
                        uint32_t force_count) {
    static float column[6][MOST];
    const mote_range_view view = mote_system_view(m->system);
    mote_columns columns = {.count = m->count,
                            .position = {column[0], column[1], column[2]},
                            .velocity = {column[3], column[4], column[5]},
                            .mass = def->mass};
    mote_columns_def step = mote_default_columns_def();
    step.integrator = def->integrator, step.substeps = def->substeps, step.timestep = 1.0 / RATE;
    step.forces = forces, step.force_count = force_count;
    step.time = mote_system_time(m->system);
    for (uint32_t slot = 0; slot < m->count; slot++) {
        being *b = &m->being[slot];
        read_vector(&view.position, slot, b->x), read_vector(&view.velocity, slot, b->v);
        b->lifetime = view.lifetime ? view.lifetime[slot] : INFINITY;
        b->birth = view.birth_step ? view.birth_step[slot] : 0;
        for (int axis = 0; axis < 3; axis++)
            column[axis][slot] = b->x[axis], column[3 + axis][slot] = b->v[axis];
    }
    OK(mote_columns_step(&columns, &step, NULL));
    for (uint32_t slot = 0; slot < m->count; slot++)
        for (int axis = 0; axis < 3; axis++)
            m->being[slot].end_x[axis] = column[axis][slot],
            m->being[slot].end_v[axis] = column[3 + axis][slot];
}

static void model_step(model *m, const mote_system_def *def, const mote_force_def *forces,
                       uint32_t force_count) {
    const uint64_t now = mote_system_steps(m->system);
    find_states(m, def, forces, force_count);
    remove_beings(m, MOTE_DEATH_KILLED, now);
    stepped(m->system, 1);
    for (uint32_t slot = 0; slot < m->count; slot++) {
        being *b = &m->being[slot];
        const double age = (double)(now + 1 - b->birth);
        b->expired = age + 1.0 / 1024 >= (double)(b->lifetime * (float)RATE);
        b->non_finite = !b->expired && !is_alive(m->system, b->id);
    }
    remove_beings(m, MOTE_DEATH_EXPIRED, now + 1);
    remove_beings(m, MOTE_DEATH_NON_FINITE, now + 1);
    note_births(m, now + 1);
}

/* --- The host's edits --- */

typedef struct host {
    random_source random;
    mote_emitter_id emitter[EMITTERS];
    uint32_t kills, spawns;
    bool emitters, lifetimes;
    uint32_t faults;
} host;

/* Kills, births, and particles that turn infinite some steps later. */
static void edit(void *user, mote_system *system, const mote_range_view *ignored) {
    (void)ignored;
    host *h = user;
    const uint32_t count = mote_system_count(system);
    for (uint32_t i = 0; i < h->kills && count; i++) {
        const uint32_t slot = random_below(&h->random, count);
        h->faults += mote_system_kill_slots(system, 1, &slot) != MOTE_OK;
    }
    if (h->emitters) {
        const mote_transform at = {{random_between(&h->random, -9, 9), 0, 0}, {0, 0, 0, 1}};
        const uint32_t which = random_below(&h->random, EMITTERS), births = random_below(&h->random, 9);
        h->faults += mote_system_emit(system, h->emitter[which], &at, NULL, births, NULL) != MOTE_OK;
    }
    mote_range_view born;
    const uint32_t space = mote_system_available(system), spawns = h->spawns < space ? h->spawns : space;
    h->faults += mote_system_spawn(system, spawns, &born) != MOTE_OK;
    for (uint32_t i = 0; i < born.count; i++) {
        born.velocity.y[i] = random_between(&h->random, -5, 5);
        if (born.lifetime) born.lifetime[i] = random_between(&h->random, 0, 0.2f);
        if (i % 7) continue;
        born.position.x[i] = 3.3e38f;
        born.velocity.x[i] = random_between(&h->random, 1e38f, 3e38f);
    }
}

static void add_emitters(mote_system *system, host *h) {
    for (int i = 0; i < EMITTERS && h->emitters; i++) {
        mote_emitter_def emitter = mote_default_emitter_def();
        emitter.rate = i ? 500 : 90;
        if (h->lifetimes) emitter.lifetime = (mote_spread){0.02f, 0.3f};
        emitter.spread = 1, emitter.speed = (mote_spread){1, 3};
        emitter.extra_columns = 1, emitter.extra[0].least = emitter.extra[0].most = (float)(i + 1);
        OK(mote_system_add_emitter(system, &emitter, &h->emitter[i]));
        ASSERT(h->emitter[i].index, ==, (uint32_t)i + 1);
    }
}

/* --- Comparison --- */

/* Stable: the model notes removals at one boundary in their order. */
static void sort_deaths(mote_death *death, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        const mote_death d = death[i];
        uint32_t at = i;
        for (; at &&
               (death[at - 1].step > d.step || (death[at - 1].step == d.step && death[at - 1].slot > d.slot));
             at--)
            death[at] = death[at - 1];
        death[at] = d;
    }
}

static void compare_deaths(const mote_system *system, model *m, uint32_t capacity, uint64_t causes[]) {
    mote_death_list list;
    OK(mote_system_deaths(system, &list));
    sort_deaths(m->death, m->deaths);
    const uint32_t kept = m->deaths < capacity ? m->deaths : capacity;
    ASSERT(list.count, ==, kept);
    ASSERT(list.lost, ==, (uint64_t)(m->deaths - kept));
    ASSERT((list.events != NULL), ==, (kept > 0));
    for (uint32_t i = 0; i < kept; i++) {
        const mote_death *a = &list.events[i], *b = &m->death[i];
        ASSERT(a->step, ==, b->step);
        ASSERT(a->slot, ==, b->slot);
        ASSERT(a->why, ==, b->why);
        ASSERT(a->id.index, ==, b->id.index);
        ASSERT(a->id.generation, ==, b->id.generation);
        assert_memory_equal(a->position, b->position, sizeof a->position);
        assert_memory_equal(a->velocity, b->velocity, sizeof a->velocity);
        causes[a->why]++;
    }
}

static void compare_births(const mote_system *system, const model *m, const host *h, uint32_t capacity) {
    mote_birth_list list;
    OK(mote_system_births(system, &list));
    const uint32_t kept = m->births < capacity ? m->births : capacity;
    ASSERT(list.count, ==, kept);
    ASSERT(list.lost, ==, (uint64_t)(m->births - kept));
    for (uint32_t i = 0; i < kept; i++) {
        const mote_birth *a = &list.events[i], *b = &m->birth[i];
        ASSERT(a->step, ==, b->step);
        ASSERT(a->slot, ==, b->slot);
        ASSERT(a->id.index, ==, b->id.index);
        ASSERT(a->id.generation, ==, b->id.generation);
        ASSERT(a->emitter.index, ==, b->emitter.index);
        ASSERT(a->emitter.generation, ==, h->emitter[0].generation);
    }
}

/* --- Random scenes --- */

typedef struct scene {
    const char *name;
    mote_integrator integrator;
    mote_loop_order order;
    uint32_t workers, kills, spawns, start, max_deaths, max_births;
    bool lifetimes, emitters, hooked; /* hooked: edits between steps; else between frames alone */
} scene;

static const scene scenes[] = {
    {"all causes", MOTE_SEMI_IMPLICIT_EULER, MOTE_LOOP_AUTO, 1, 5, 20, 2000, 9000, 9000, true, true, true},
    {"threads", MOTE_SEMI_IMPLICIT_EULER, MOTE_LOOP_AUTO, 3, 9, 40, 4000, 9000, 9000, true, true, true},
    {"stages outside", MOTE_RK4, MOTE_LOOP_STAGE_OUTER, 3, 9, 40, 2000, 9000, 9000, true, true, true},
    {"few kept", MOTE_VELOCITY_VERLET, MOTE_LOOP_AUTO, 3, 30, 50, 3000, 40, 12, true, true, true},
    {"one kept", MOTE_SEMI_IMPLICIT_EULER, MOTE_LOOP_AUTO, 2, 3, 30, 500, 1, 1, true, true, true},
    {"batches", MOTE_SEMI_IMPLICIT_EULER, MOTE_LOOP_AUTO, 3, 9, 60, 1500, 9000, 0, false, false, false},
    {"batches, few kept", MOTE_SEMI_IMPLICIT_EULER, MOTE_LOOP_AUTO, 1, 2, 60, 300, 7, 0, false, false, false},
    {"frames", MOTE_SEMI_IMPLICIT_EULER, MOTE_LOOP_AUTO, 1, 4, 90, 1500, 9000, 9000, true, true, false},
};

static const char *scene_name(uint32_t i) { return scenes[i].name; }

static mote_system *make(const scene *s, const mote_system_def *def, const mote_force_def *force, host *h) {
    mote_system *system = system_of(def);
    add_force(system, force[0]), add_force(system, force[1]);
    *h = (host){.random = {3},
                .kills = s->kills,
                .spawns = s->start,
                .emitters = s->emitters,
                .lifetimes = s->lifetimes};
    add_emitters(system, h);
    edit(h, system, NULL);
    h->spawns = s->spawns;
    return system;
}

TEST_EACH(lists_are_those_of_a_model, COUNT_OF(scenes), scene_name, number) {
    const scene *s = &scenes[number];
    const mote_force_def forces[2] = {mote_gravity((float[3]){0, -9.81f, 0}),
                                      mote_wind((float[3]){1, 0, 0}, 0.5f)};
    mote_system_def def = mote_default_system_def();
    def.capacity = MOST - 500, def.steps_per_second = (mote_rate){RATE, 1};
    def.integrator = s->integrator, def.lifetimes = s->lifetimes;
    def.extra_count = 1, def.extra_bytes[0] = sizeof(float);
    host mine, other;
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->system = make(s, &def, forces, &other);
    uint32_t workers = s->workers;
    if (workers > 1) def.jobs = dividing(pthread_jobs_hook(&workers));
    def.loop_order = s->order, def.max_deaths = s->max_deaths, def.max_births = s->max_births;
    mote_system *system = make(s, &def, forces, &mine);
    if (s->hooked) OK(mote_system_set_step_hook(system, edit, &mine));
    m->count = 0, note_births(m, 0);
    uint64_t causes[MOTE_DEATH_WHY_COUNT] = {0};
    for (uint32_t frame = 0; frame < 12; frame++) {
        const uint32_t steps = frame * 5 % 7;
        test_case("frame %u of %u steps", frame, steps);
        m->deaths = m->births = 0;
        for (uint32_t i = 0; i < steps; i++) {
            model_step(m, &def, forces, 2);
            if (!s->hooked) continue;
            edit(&other, m->system, NULL);
            for (uint32_t slot = 0; slot < m->count; slot++)
                m->being[slot].killed = !is_alive(m->system, m->being[slot].id);
            note_births(m, mote_system_steps(m->system));
        }
        stepped(system, steps);
        ASSERT(mote_system_hash(system), ==, mote_system_hash(m->system));
        compare_deaths(system, m, s->max_deaths, causes);
        if (s->max_births) compare_births(system, m, &mine, s->max_births);
        if (s->hooked) continue;
        edit(&mine, system, NULL), edit(&other, m->system, NULL);
        for (uint32_t slot = 0; slot < m->count; slot++)
            m->being[slot].killed = !is_alive(m->system, m->being[slot].id);
        m->births = 0, note_births(m, 0);
    }
    ASSERT(mine.faults + other.faults, ==, 0);
    for (int why = 0; why < MOTE_DEATH_COLLIDED && s->max_deaths > 40; why++)
        if (s->lifetimes || why != MOTE_DEATH_EXPIRED) ASSERT(causes[why], >, 10);
    mote_system_destroy(system), mote_system_destroy(m->system);
    free(m);
}
