/* Random sequences of spawns, kills, poisons, throws at colliders, emissions, reserves and steps against a
 * model of the life of particles that is written from the documentation alone: the particle of each slot, the
 * emitter of each birth, the place, reason and order of deaths and hits, the counts of an advance.
 * tests/particles.c has a model of the columns. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

enum { MOST = 256, MOST_EVENTS = 4096, EMITTERS = 3 };

#define TIMESTEP 0.015625 /* exact, as are the births of a step: eighths */

typedef struct being {
    mote_particle_id id;
    uint32_t birth;
    float lifetime;
    bool dying, broken;
    int thrown; /* at a collider, which it hits in the next step */
} being;

enum { NOT_THROWN, AT_FLOOR, AT_WALL }; /* the floor kills, the wall does not */

typedef struct spring_of_life {
    mote_emitter_id id;
    double carry, per_step;
    uint32_t burst;
} spring_of_life;

typedef struct model {
    mote_system *system;
    random_source random;
    being living[MOST];
    uint32_t count, capacity, steps;
    spring_of_life emitter[EMITTERS];
    mote_death death[MOST_EVENTS];
    mote_birth birth[MOST_EVENTS];
    mote_hit hit[MOST_EVENTS];
    mote_collider_id collider[3]; /* by what is thrown at it */
    uint32_t deaths, births, hits;
    mote_advance sum;
} model;

/* --- The model --- */

/* Removes those of a fate in slot order; holes below the new count are filled with those behind it. */
static uint32_t remove_dead(model *m, const bool *dead, mote_death_why why) {
    uint32_t living = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        living += !dead[i];
        if (dead[i])
            m->death[m->deaths++] =
                (mote_death){.step = m->steps, .slot = i, .why = why, .id = m->living[i].id};
    }
    for (uint32_t hole = 0, from = living; hole < living; hole++) {
        if (!dead[hole]) continue;
        while (dead[from]) from++;
        m->living[hole] = m->living[from++];
    }
    const uint32_t removed = m->count - living;
    m->count = living;
    return removed;
}

static void remove_killed(model *m) {
    bool dead[MOST];
    for (uint32_t i = 0; i < m->count; i++) dead[i] = m->living[i].dying;
    m->sum.killed += remove_dead(m, dead, MOTE_DEATH_KILLED);
}

static void remove_old_and_broken(model *m) {
    bool dead[MOST];
    for (uint32_t i = 0; i < m->count; i++)
        dead[i] =
            (m->steps - m->living[i].birth) * TIMESTEP + TIMESTEP / 1024 >= (double)m->living[i].lifetime;
    m->sum.expired += remove_dead(m, dead, MOTE_DEATH_EXPIRED);
    for (uint32_t i = 0; i < m->count; i++) dead[i] = m->living[i].broken;
    m->sum.non_finite += remove_dead(m, dead, MOTE_DEATH_NON_FINITE);
}

/* Those that were thrown hit their collider; it is told apart afterwards who dies of it. */
static void hit_all(model *m) {
    for (uint32_t i = 0; i < m->count; i++)
        if (m->living[i].thrown)
            m->hit[m->hits++] = (mote_hit){.step = m->steps,
                                           .slot = i,
                                           .id = m->living[i].id,
                                           .collider = m->collider[m->living[i].thrown]};
}

static void remove_collided(model *m) {
    bool dead[MOST];
    for (uint32_t i = 0; i < m->count; i++)
        dead[i] = m->living[i].thrown == AT_FLOOR, m->living[i].thrown = NOT_THROWN;
    m->sum.collided += remove_dead(m, dead, MOTE_DEATH_COLLIDED);
}

/* As many as there is capacity for; ids and lifetimes are read from the system afterwards. */
static uint32_t give_birth(model *m, mote_emitter_id emitter, uint32_t count) {
    uint32_t born = 0;
    for (; born < count && m->count < m->capacity; born++) {
        m->birth[m->births++] = (mote_birth){.step = m->steps, .emitter = emitter, .slot = m->count};
        m->living[m->count++] = (being){.birth = m->steps};
    }
    return born;
}

static void emit_all(model *m) {
    for (uint32_t i = 0; i < EMITTERS; i++) {
        spring_of_life *e = &m->emitter[i];
        e->carry += e->per_step;
        const uint32_t by_time = (uint32_t)e->carry, wanted = e->burst + by_time;
        const uint32_t born = give_birth(m, e->id, wanted);
        e->carry -= by_time, e->burst = 0;
        m->sum.born += born, m->sum.unborn += wanted - born;
    }
}

static void model_step(model *m) {
    remove_killed(m);
    m->steps++;
    hit_all(m);
    remove_old_and_broken(m);
    remove_collided(m);
    emit_all(m);
}

/* --- The system beside it --- */

/* Newborn particles: the system gives their ids, their lifetimes are drawn. */
static void read_newborn(model *m) {
    const mote_range_view view = mote_system_view(m->system);
    ASSERT(view.count, ==, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->living[i].id.generation) continue;
        m->living[i].id = view.id[i], m->living[i].lifetime = view.lifetime[i];
        ASSERT(view.lifetime[i], >, 0);
    }
}

static void check_beings(const model *m) {
    const mote_range_view view = mote_system_view(m->system);
    for (uint32_t i = 0; i < m->count; i++) {
        const being *b = &m->living[i];
        test_case("step %u, slot %u of %u", m->steps, i, m->count);
        ASSERT(view.id[i].index, ==, b->id.index);
        ASSERT(view.id[i].generation, ==, b->id.generation);
        ASSERT(view.birth_step[i], ==, b->birth);
        ASSERT(mote_system_slot(m->system, b->id), ==, (b->dying ? MOTE_NO_SLOT : i));
        ASSERT(mote_system_age(m->system, i), ==, (m->steps - b->birth) * TIMESTEP);
    }
}

/* By step and slot, killed last. */
static int order(const void *left, const void *right) {
    const mote_death *a = left, *b = right;
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    if ((a->why == MOTE_DEATH_KILLED) != (b->why == MOTE_DEATH_KILLED))
        return a->why == MOTE_DEATH_KILLED ? 1 : -1;
    return a->why < b->why ? -1 : a->why > b->why;
}

static void check_deaths(model *m) {
    mote_death_list list;
    OK(mote_system_deaths(m->system, &list));
    qsort(m->death, m->deaths, sizeof *m->death, order);
    ASSERT(list.count, ==, m->deaths);
    for (uint32_t i = 0; i < list.count; i++) {
        const mote_death *got = &list.events[i], *want = &m->death[i];
        test_case("death %u of %u before step %u", i, list.count, m->steps);
        ASSERT(got->step, ==, want->step);
        ASSERT(got->slot, ==, want->slot);
        ASSERT((int)got->why, ==, (int)want->why);
        if (!want->id.generation) continue; /* born and dead within the advance */
        ASSERT(got->id.index, ==, want->id.index);
        ASSERT(got->id.generation, ==, want->id.generation);
        ASSERT(mote_system_slot(m->system, got->id), ==, MOTE_NO_SLOT);
    }
}

static void check_births(model *m) {
    mote_birth_list list;
    OK(mote_system_births(m->system, &list));
    ASSERT(list.count, ==, m->births);
    for (uint32_t i = 0; i < list.count; i++) {
        test_case("birth %u of %u before step %u", i, list.count, m->steps);
        ASSERT(list.events[i].step, ==, m->birth[i].step);
        ASSERT(list.events[i].slot, ==, m->birth[i].slot);
        ASSERT(list.events[i].emitter.index, ==, m->birth[i].emitter.index);
    }
}

static void check_hits(model *m) {
    mote_hit_list list;
    OK(mote_system_hits(m->system, &list));
    ASSERT(list.count, ==, m->hits);
    for (uint32_t i = 0; i < list.count; i++) {
        test_case("hit %u of %u before step %u", i, list.count, m->steps);
        ASSERT(list.events[i].step, ==, m->hit[i].step);
        ASSERT(list.events[i].slot, ==, m->hit[i].slot);
        ASSERT(list.events[i].id.index, ==, m->hit[i].id.index);
        ASSERT(list.events[i].id.generation, ==, m->hit[i].id.generation);
        ASSERT(list.events[i].collider.index, ==, m->hit[i].collider.index);
    }
}

/* --- Calls of a host --- */

static void play_spawn(model *m) {
    mote_range_view view;
    const uint32_t count = random_below(&m->random, 12);
    const mote_result result = mote_system_spawn(m->system, count, &view);
    assert_int_equal(result, m->count + count > m->capacity ? MOTE_ERROR_CAPACITY : MOTE_OK);
    for (uint32_t i = 0; i < view.count; i++) {
        view.lifetime[i] =
            random_below(&m->random, 3) ? (float)TIMESTEP * (float)random_below(&m->random, 40) : INFINITY;
        m->living[m->count++] = (being){.id = view.id[i], .birth = m->steps, .lifetime = view.lifetime[i]};
    }
}

static void play_kill(model *m) {
    uint32_t slots[6];
    const uint32_t count = m->count ? random_below(&m->random, 6) : 0;
    for (uint32_t i = 0; i < count; i++)
        m->living[slots[i] = random_below(&m->random, m->count)].dying = true;
    OK(mote_system_kill_slots(m->system, count, slots));
}

/* By id: refused where one is given twice or names the dead, and then nobody dies. */
static void play_kill_ids(model *m) {
    mote_particle_id ids[6];
    uint32_t count = 0;
    bool legal = true, chosen[MOST] = {false};
    for (uint32_t i = m->count ? random_below(&m->random, 6) : 0; i > 0; i--) {
        const uint32_t slot = random_below(&m->random, m->count);
        legal = legal && !chosen[slot] && !m->living[slot].dying;
        ids[count++] = m->living[slot].id, chosen[slot] = true;
    }
    assert_int_equal(mote_system_kill(m->system, count, ids), legal ? MOTE_OK : MOTE_ERROR_ID);
    for (uint32_t i = 0; i < m->count; i++) m->living[i].dying |= legal && chosen[i];
}

/* One particle is put in front of the floor or the wall, which it reaches within a step. */
static void play_throw(model *m) {
    const uint32_t slot = m->count ? random_below(&m->random, m->count) : 0;
    if (!m->count || m->living[slot].broken) return;
    const mote_range_view view = mote_system_view(m->system);
    const bool floor = random_below(&m->random, 2);
    view.position.x[slot] = floor ? 0 : -99.5f, view.position.y[slot] = floor ? -99.5f : 0;
    view.velocity.x[slot] = floor ? 0 : -64, view.velocity.y[slot] = floor ? -64 : 0;
    m->living[slot].thrown = floor ? AT_FLOOR : AT_WALL;
}

static void play_reserve(model *m) {
    const uint32_t capacity = m->capacity - 4 + random_below(&m->random, 9); /* less than now is no error */
    if (capacity > MOST || random_below(&m->random, 60)) return;
    OK(mote_system_reserve(m->system, capacity));
    if (capacity > m->capacity) m->capacity = capacity;
}

static void play_poison(model *m) {
    const uint32_t slot = m->count ? random_below(&m->random, m->count) : 0;
    if (!m->count || random_below(&m->random, 3)) return;
    mote_system_view(m->system).velocity.y[slot] = random_below(&m->random, 2) ? NAN : INFINITY;
    m->living[slot].broken = true;
}

static void play_emission(model *m) {
    spring_of_life *e = &m->emitter[random_below(&m->random, EMITTERS)];
    const uint32_t count = random_below(&m->random, 5);
    uint32_t born;
    if (random_below(&m->random, 2)) {
        OK(mote_system_burst(m->system, e->id, count));
        e->burst += count;
        return;
    }
    OK(mote_system_emit(m->system, e->id, NULL, NULL, count, &born));
    ASSERT(born, ==, give_birth(m, e->id, count));
    read_newborn(m);
    check_births(m);
}

static void play_steps(model *m, uint32_t steps) {
    m->sum = (mote_advance){0};
    m->deaths = m->births = 0;
    for (uint32_t i = 0; i < steps; i++) {
        const mote_advance got = stepped(m->system, 1);
        mote_advance before = m->sum;
        m->deaths = m->births = m->hits = 0;
        model_step(m);
        read_newborn(m);
        ASSERT(got.killed, ==, m->sum.killed - before.killed);
        ASSERT(got.expired, ==, m->sum.expired - before.expired);
        ASSERT(got.non_finite, ==, m->sum.non_finite - before.non_finite);
        ASSERT(got.collided, ==, m->sum.collided - before.collided);
        ASSERT(got.born, ==, m->sum.born - before.born);
        ASSERT(got.unborn, ==, m->sum.unborn - before.unborn);
        check_deaths(m), check_births(m), check_hits(m);
    }
    check_beings(m);
}

static void open_model(model *m, uint64_t seed) {
    memset(m, 0, sizeof *m);
    m->random.state = seed, m->capacity = 60 + random_below(&m->random, MOST - 60);
    mote_system_def def = mote_default_system_def();
    def.capacity = m->capacity, def.steps_per_second = (mote_rate){64, 1}, def.lifetimes = true;
    def.max_deaths = def.max_births = def.max_hits = MOST_EVENTS;
    m->system = system_of(&def);
    mote_collider_def ground = mote_plane((const float[3]){0, -100, 0}, (const float[3]){0, 1, 0});
    const mote_collider_def wall = mote_plane((const float[3]){-100, 0, 0}, (const float[3]){1, 0, 0});
    ground.response = MOTE_RESPONSE_KILL;
    OK(mote_system_add_collider(m->system, &ground, &m->collider[AT_FLOOR]));
    OK(mote_system_add_collider(m->system, &wall, &m->collider[AT_WALL]));
    for (uint32_t i = 0; i < EMITTERS; i++) {
        mote_emitter_def e = mote_default_emitter_def();
        m->emitter[i].per_step = (1 + random_below(&m->random, 20)) / 8.0;
        e.rate = 64 * (float)m->emitter[i].per_step, e.seed = i;
        e.lifetime = (mote_spread){0.05f, 0.5f};
        OK(mote_system_add_emitter(m->system, &e, &m->emitter[i].id));
    }
}

TEST(lives_are_those_of_the_model) {
    static model m;
    uint32_t died = 0, born = 0, collided = 0;
    uint64_t unborn = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        open_model(&m, seed);
        for (uint32_t i = 0; i < 120; i++) {
            play_spawn(&m), play_kill(&m), play_kill_ids(&m), play_poison(&m);
            play_throw(&m), play_reserve(&m), play_emission(&m);
            play_steps(&m, 1 + random_below(&m.random, 3));
            died += m.sum.killed + m.sum.expired + m.sum.non_finite;
            collided += m.sum.collided;
            born += m.sum.born, unborn += m.sum.unborn;
        }
        mote_system_destroy(m.system);
    }
    ASSERT(died, >, 50000);
    ASSERT(born, >, 30000);
    ASSERT(collided, >, 1000);
    ASSERT(unborn, >, 500);
}
