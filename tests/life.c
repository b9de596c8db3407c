/* Random sequences of calls against a model of the life of particles that is written from the documentation
 * alone: the particle of each slot, its id, age and lifetime; the place, reason and order of deaths, births
 * and hits, and how many the lists lose; the counts of an advance. Rules that the headers leave open are
 * marked "engine:". tests/particles.c has a model of the columns. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "systems.h"

enum { MOST = 5500, MOST_EVENTS = 6 * MOST, MOST_SPRINGS = 12, MOST_STEPS = 4 };
enum { DEATHS, BIRTHS, HITS, LISTS };

#define TIMESTEP (1 / 60.0)         /* s */
#define TICKS    UINT64_C(50000000) /* of a step; three a nanosecond */

/* Causes of death in the order of the removals at a boundary, and the wall, which does not kill. */
typedef enum cause { SOUND, KILLED, OLD, BROKEN, AT_FLOOR, SPUN, AT_WALL, CAUSES } cause;

typedef struct being {
    mote_particle_id id;
    uint32_t birth, effect; /* effect: step at whose end what the host has done to it acts */
    float lifetime, early;  /* early: s, initial age */
    bool dying;
    cause struck; /* what the host has done to it: SOUND, or from BROKEN on */
} being;

typedef struct spring_of_life {
    uint32_t number, births, waiting;
    mote_emitter_def def; /* def.transform: where it is or goes */
    float from[3];
    uint64_t from_tick, to_tick;
    double due; /* share of the next birth */
} spring_of_life;

typedef struct event {
    uint64_t step;
    uint32_t slot, what; /* what: why, or the index of the emitter or collider */
    mote_particle_id id;
} event;

typedef struct model {
    being living[MOST];
    uint32_t count, steps, game, springs, last_number;
    uint64_t remainder;
    uint32_t generation[MOST], free_index[MOST], free_count, indices; /* of ids; the last generation given */
    spring_of_life spring[MOST_SPRINGS];
    mote_collider_id collider[CAUSES];
    mote_system *system; /* what stands before it is in snapshots, but not this and what follows */
    mote_system_def def;
    random_source random;
    uint32_t events[LISTS]; /* with those that the system loses */
    event event[LISTS][MOST_EVENTS];
    mote_advance sum;
    uint32_t capacity, calls, turn; /* turn: number of the call among `turns` */
} model;

static uint64_t all_died, all_born, all_unborn, all_collided, all_lost; /* in all games */

static uint32_t below(model *m, uint32_t bound) { return random_below(&m->random, bound); }

static bool chance(model *m, uint32_t in) { return below(m, in) == 0; }

/* --- The model: deaths and hits --- */

/* The stack of free indices is that of mote/snapshot.h. engine: generations count from 1; the dead are put on
 * the stack in the order of their removal. */
static mote_particle_id new_id(model *m) {
    const uint32_t index = m->free_count ? m->free_index[--m->free_count] : m->indices++;
    return (mote_particle_id){index, ++m->generation[index]};
}

/* Adds an event by (step, slot). engine: behind its equals, so that the earlier removal is first. */
static void note(model *m, int list, event e) {
    event *of = m->event[list];
    uint32_t at = m->events[list]++;
    for (; at && of[at - 1].step == e.step && of[at - 1].slot > e.slot; at--) of[at] = of[at - 1];
    of[at] = e;
}

/* Lifetimes are compared in steps and in float32. */
static bool dies(const model *m, const being *b, cause of) {
    if (of == KILLED) return b->dying;
    if (of == OLD) return !((float)(int32_t)(m->steps - b->birth) + 1 / 1024.0f < b->lifetime * 60);
    return b->struck == of && b->effect == m->steps;
}

/* Removes those of a fate in slot order; holes below the new count are filled with those behind it. */
static uint32_t remove_dead(model *m, cause of, mote_death_why why) {
    static bool dead[MOST];
    uint32_t living = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        living += !(dead[i] = dies(m, &m->living[i], of));
        if (!dead[i]) continue;
        m->free_index[m->free_count++] = m->living[i].id.index;
        note(m, DEATHS, (event){m->steps, i, why, m->living[i].id});
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

/* Those that were thrown hit their collider; it is told apart afterwards who dies of it. */
static void hit_all(model *m) {
    for (uint32_t i = 0; i < m->count; i++) {
        being *b = &m->living[i];
        if ((b->struck != AT_FLOOR && b->struck != AT_WALL) || b->effect != m->steps) continue;
        note(m, HITS, (event){m->steps, i, m->collider[b->struck].index, b->id});
        if (b->struck == AT_WALL) b->struck = SOUND;
    }
}

/* --- The model: births --- */

static uint32_t mixed(uint32_t h) {
    h = (h ^ h >> 16) * 0x85ebca6bu, h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* A function of the seed, the number of the emitter and that of the birth. engine: math/random.h, draw 6. */
static float lifetime_of(const spring_of_life *s) {
    const mote_spread of = s->def.lifetime;
    const uint32_t key = mixed(s->def.seed ^ mixed(s->number + 0x9e3779b9u)),
                   bits = mixed(mixed(mixed(s->births ^ key)) + 7 * 0x9e3779b9u);
    return of.least < INFINITY ? of.least + (of.most - of.least) * (float)(bits >> 8) * 0x1p-24f : INFINITY;
}

/* Counts a birth at a fraction of the step; returns whether there is capacity for it. */
static bool is_born(model *m, spring_of_life *s, double fraction) {
    const float left = (float)((1 - fraction) * TIMESTEP), early = m->def.initial_ages ? left : 0;
    being b = {.birth = m->steps, .lifetime = lifetime_of(s) - left, .early = early};
    s->births++;
    if (m->count == m->capacity) return false;
    note(m, BIRTHS, (event){m->steps, m->count, s->number, b.id = new_id(m)});
    m->living[m->count++] = b;
    return true;
}

static double share_of_way(const spring_of_life *s, double tick) {
    if (s->to_tick == MOTE_NEXT_ADVANCE) return 0;
    if (s->to_tick <= s->from_tick) return 1;
    return fmin((tick - (double)s->from_tick) / (double)(s->to_tick - s->from_tick), 1);
}

/* Bursts at the start of the step, then births by time and by the way, evenly before the arrival and evenly
 * after it. Rounding does not cost a birth. */
static void emit_in_step(model *m, spring_of_life *s) {
    const double start = (double)((m->steps - 1) * TICKS), ticks = (double)TICKS,
                 left = (double)s->to_tick - start, end = left > 0 && left < ticks ? left / ticks : 1,
                 share = share_of_way(s, start + end * ticks) - share_of_way(s, start);
    double square = 0;
    for (int i = 0; i < 3; i++)
        square += pow(share * ((double)s->def.transform.position[i] - (double)s->from[i]), 2);
    const double by_time = (double)s->def.rate * TIMESTEP, after = by_time * (1 - end),
                 before = by_time * end + (double)s->def.rate_per_metre * sqrt(square);
    uint32_t born = 0, evenly = 0, first = s->births;
    for (; s->waiting; s->waiting--) born += is_born(m, s, 0);
    for (double next; (next = evenly + 1 - s->due) <= before + after + 1e-9; evenly++)
        born += is_born(m, s, next < before + 1e-9 ? next / before * end : end + (next - before) / by_time);
    s->due = fmax(s->due + before + after - evenly, 0);
    m->sum.born += born, m->sum.unborn += s->births - first - born;
}

static void model_step(model *m) {
    m->sum.killed += remove_dead(m, KILLED, MOTE_DEATH_KILLED);
    m->steps++;
    hit_all(m);
    m->sum.expired += remove_dead(m, OLD, MOTE_DEATH_EXPIRED);
    m->sum.non_finite += remove_dead(m, BROKEN, MOTE_DEATH_NON_FINITE);
    m->sum.collided += remove_dead(m, AT_FLOOR, MOTE_DEATH_COLLIDED);
    m->sum.non_finite += remove_dead(m, SPUN, MOTE_DEATH_NON_FINITE);
    for (uint32_t i = 0; i < m->springs; i++) emit_in_step(m, &m->spring[i]);
}

/* --- The system beside it --- */

static void tell(const model *m, const char *what, uint32_t n) {
    test_case("game %u, call %u, turn %u, step %u: %s %u", m->game, m->calls, m->turn, m->steps, what, n);
}

static uint32_t slot_of(const model *m, mote_particle_id id) {
    for (uint32_t i = 0; i < m->count; i++) {
        const being *b = &m->living[i];
        if (b->id.index == id.index && b->id.generation == id.generation) return b->dying ? MOTE_NO_SLOT : i;
    }
    return MOTE_NO_SLOT;
}

/* An id that a particle has or had, or that comes next. */
static mote_particle_id any_id(model *m) {
    const uint32_t index = below(m, m->indices);
    return (mote_particle_id){index, below(m, m->generation[index] + 2)};
}

/* The last bits of lifetimes at birth are those of the engine. */
static void check_beings(model *m) {
    const mote_range_view view = mote_system_view(m->system);
    ASSERT(view.count, ==, m->count);
    ASSERT(mote_system_available(m->system), ==, m->capacity - m->count);
    ASSERT(mote_system_steps(m->system), ==, m->steps);
    for (uint32_t i = 0; i < m->count; i++) {
        being *b = &m->living[i];
        if (i % 16 == 0) tell(m, "slots from", i);
        ASSERT(view.id[i].index, ==, b->id.index);
        ASSERT(view.id[i].generation, ==, b->id.generation);
        ASSERT(mote_system_slot(m->system, b->id), ==, (b->dying ? MOTE_NO_SLOT : i));
        if (!m->def.lifetimes) continue;
        ASSERT(view.birth_step[i], ==, b->birth);
        ASSERT_NEAR(mote_system_age(m->system, i), (int32_t)(m->steps - b->birth) * TIMESTEP + b->early,
                    1e-6);
        ASSERT(!isfinite(view.lifetime[i]), ==, !isfinite(b->lifetime));
        if (isfinite(b->lifetime)) ASSERT_NEAR(view.lifetime[i], b->lifetime, 1e-6);
        b->lifetime = view.lifetime[i];
    }
    for (uint32_t i = 0; i < 8 && m->indices; i++) {
        const mote_particle_id id = any_id(m);
        tell(m, "id of index", id.index);
        ASSERT(mote_system_slot(m->system, id), ==, slot_of(m, id));
    }
}

/* The system keeps the first of a list. */
#define CHECK_EVENTS(event_, list, what_)                                                                    \
    do {                                                                                                     \
        mote_##event_##_list got;                                                                            \
        OK(mote_system_##event_##s(m->system, &got));                                                        \
        const uint32_t all = m->events[list], most = m->def.max_##event_##s;                                 \
        ASSERT(got.count, ==, (all < most ? all : most));                                                    \
        ASSERT(got.lost, ==, all - got.count);                                                               \
        for (uint32_t i = 0; i < got.count; i++) {                                                           \
            const event want = m->event[list][i];                                                            \
            tell(m, #event_, i);                                                                             \
            ASSERT(got.events[i].step, ==, want.step);                                                       \
            ASSERT(got.events[i].slot, ==, want.slot);                                                       \
            ASSERT(got.events[i].what_, ==, want.what);                                                      \
            ASSERT(got.events[i].id.index, ==, want.id.index);                                               \
            ASSERT(got.events[i].id.generation, ==, want.id.generation);                                     \
        }                                                                                                    \
    } while (0)

static void check_events(const model *m) {
    CHECK_EVENTS(death, DEATHS, why);
    CHECK_EVENTS(birth, BIRTHS, emitter.index);
    CHECK_EVENTS(hit, HITS, collider.index);
    for (uint32_t i = 0; i < m->events[DEATHS]; i++)
        ASSERT(mote_system_slot(m->system, m->event[DEATHS][i].id), ==, MOTE_NO_SLOT);
}

/* --- Calls of a host --- */

static uint32_t any_count(model *m) { return below(m, chance(m, 8) ? m->capacity / 2 : 8); }

static float any_lifetime(model *m) {
    return chance(m, 3) ? INFINITY : (float)TIMESTEP * ((float)below(m, 40) + (chance(m, 4) ? 0.5f : 0));
}

static void play_spawn(model *m) {
    mote_range_view view;
    const uint32_t count = any_count(m);
    const mote_result result = mote_system_spawn(m->system, count, &view);
    assert_int_equal(result, m->count + count > m->capacity ? MOTE_ERROR_CAPACITY : MOTE_OK);
    for (uint32_t i = 0; i < view.count; i++) {
        being b = {.id = new_id(m), .birth = m->steps, .lifetime = INFINITY};
        if (m->def.lifetimes) b.lifetime = view.lifetime[i] = any_lifetime(m);
        m->living[m->count++] = b;
    }
}

/* By slot: refused where one is out of range, and then nobody dies; twice is one death. */
static void play_kill_slots(model *m) {
    static uint32_t slots[MOST];
    const uint32_t count = m->count ? any_count(m) : 0, bound = m->count + chance(m, 8);
    bool legal = true;
    for (uint32_t i = 0; i < count; i++) legal &= (slots[i] = below(m, bound)) < m->count;
    assert_int_equal(mote_system_kill_slots(m->system, count, slots), legal ? MOTE_OK : MOTE_ERROR_RANGE);
    for (uint32_t i = 0; i < count && legal; i++) m->living[slots[i]].dying = true;
}

/* By id: refused where one is given twice or names the dead, and then nobody dies. */
static void play_kill_ids(model *m) {
    mote_particle_id ids[6] = {{0, 0}};
    uint32_t slots[6], count = 0;
    bool legal = true;
    for (uint32_t i = m->count ? below(m, 6) : 0; i > 0; i--, count++) {
        ids[count] = chance(m, 12) ? any_id(m) : m->living[below(m, m->count)].id;
        legal &= (slots[count] = slot_of(m, ids[count])) != MOTE_NO_SLOT;
        for (uint32_t k = 0; k < count; k++) legal &= slots[k] != slots[count];
    }
    assert_int_equal(mote_system_kill(m->system, count, ids), legal ? MOTE_OK : MOTE_ERROR_ID);
    for (uint32_t i = 0; i < count && legal; i++) m->living[slots[i]].dying = true;
}

/* Lets a particle break (at once, or so fast that its place is infinite after some steps), gives it a spin
 * that is no number, or throws it at the floor or the wall, which it reaches within a step. */
static void play_strike(model *m) {
    const mote_range_view view = mote_system_view(m->system);
    const uint32_t slot = m->count ? below(m, m->count) : 0, steps = 1 + below(m, MOST_STEPS);
    const cause of = BROKEN + below(m, 4);
    const bool thrown = of == AT_FLOOR || of == AT_WALL, down = of == AT_FLOOR;
    if (!m->count || m->living[slot].struck != SOUND) return;
    if ((of == SPUN && !m->def.orientation) || (thrown && !m->def.collisions)) return;
    m->living[slot].struck = of, m->living[slot].effect = m->steps + (of == BROKEN ? steps : 1);
    if (of == SPUN) view.angular_velocity.z[slot] = NAN;
    if (of == BROKEN) view.position.x[slot] = FLT_MAX - ((float)steps - 0.5f) * (FLT_MAX / 120);
    if (of == BROKEN) view.velocity.x[slot] = FLT_MAX / 2;
    if (of == BROKEN && steps == 1) view.velocity.y[slot] = chance(m, 2) ? NAN : INFINITY;
    if (!thrown) return;
    view.position.x[slot] = down ? 0 : -99.5f, view.position.y[slot] = down ? -99.5f : 0;
    view.velocity.x[slot] = down ? 0 : -64, view.velocity.y[slot] = down ? -64 : 0;
}

/* The host writes a birth, also one to come, and a lifetime. */
static void play_rewrite(model *m) {
    const mote_range_view view = mote_system_view(m->system);
    if (!m->count || !m->def.lifetimes) return;
    const uint32_t slot = below(m, m->count);
    m->living[slot].birth = view.birth_step[slot] = m->steps + 5 - below(m, 40);
    m->living[slot].lifetime = view.lifetime[slot] = chance(m, 6) ? NAN : any_lifetime(m);
}

static void play_reserve(model *m) {
    const uint32_t capacity = m->capacity - 4 + below(m, 9); /* less than now is no error */
    OK(mote_system_reserve(m->system, capacity));
    if (capacity > m->capacity) m->capacity = capacity;
}

/* --- Emitters --- */

/* Births by time in eighths a step or any. */
static mote_emitter_def any_emitter(model *m) {
    mote_emitter_def def = mote_default_emitter_def();
    def.rate = 60 * (chance(m, 2) ? (float)below(m, 20) / 8 : random_between(&m->random, 0, 2));
    def.rate_per_metre = chance(m, 2) ? random_between(&m->random, 0, 4) : 0, def.seed = below(m, 3);
    for (int i = 0; i < 3; i++) def.transform.position[i] = random_between(&m->random, -8, 8);
    if (!m->def.lifetimes || chance(m, 4)) return def;
    def.lifetime.least = random_between(&m->random, 0.01f, 0.3f);
    def.lifetime.most = def.lifetime.least + (chance(m, 3) ? 0 : 0.5f);
    return def;
}

/* Mostly an emitter that is there; NULL: one that was removed or is yet to come. */
static spring_of_life *any_spring(model *m, mote_emitter_id *id) {
    *id = (mote_emitter_id){below(m, m->last_number + 2), m->collider[AT_FLOOR].generation};
    if (m->springs && !chance(m, 8)) id->index = m->spring[below(m, m->springs)].number;
    for (uint32_t i = 0; i < m->springs; i++)
        if (m->spring[i].number == id->index) return &m->spring[i];
    return NULL;
}

static void play_emit(model *m) {
    mote_emitter_id id;
    spring_of_life *s = any_spring(m, &id);
    const uint32_t count = any_count(m);
    uint32_t born, want = 0;
    assert_int_equal(mote_system_emit(m->system, id, NULL, NULL, count, &born), s ? MOTE_OK : MOTE_ERROR_ID);
    for (uint32_t i = 0; i < count && s; i++) want += is_born(m, s, 1);
    ASSERT(born, ==, want);
    check_events(m);
}

/* engine: where a way is given up, the place and the share of the way are rounded. */
static void turn_to(spring_of_life *s, const mote_transform *target, uint64_t now, uint64_t tick) {
    const double share = (double)(float)share_of_way(s, (double)now);
    const float *to = s->def.transform.position;
    for (int i = 0; i < 3; i++)
        s->from[i] = (float)((double)s->from[i] + share * ((double)to[i] - (double)s->from[i]));
    s->def.transform = *target, s->from_tick = now, s->to_tick = tick;
}

/* Adds, removes, sets, bursts or moves. Targets are reached at the end of the next advance, at a tick to
 * come, or at once: at the end of a step run. engine: what waits to be born stays where an emitter is set. */
static void play_emitter(model *m) {
    const mote_emitter_def def = any_emitter(m);
    const uint32_t verb = below(m, 12), count = any_count(m), passed = below(m, m->steps + 1);
    uint64_t tick = mote_system_tick(m->system) + 1 + random_bits(&m->random) % (5 * TICKS);
    mote_emitter_id id;
    spring_of_life *s = any_spring(m, &id);
    if (chance(m, 3)) tick = chance(m, 2) ? MOTE_NEXT_ADVANCE : passed * TICKS;
    if (verb > 8 && m->springs < m->game % MOST_SPRINGS) {
        OK(mote_system_add_emitter(m->system, &def, &id));
        ASSERT(id.index, ==, ++m->last_number);
        m->spring[m->springs++] = (spring_of_life){.number = id.index, .def = def};
        return;
    }
    const mote_result result = verb == 0   ? mote_system_remove_emitter(m->system, id)
                               : verb == 1 ? mote_system_set_emitter(m->system, id, &def)
                               : verb < 5  ? mote_system_burst(m->system, id, count)
                                           : mote_system_move_emitter(m->system, id, &def.transform, tick);
    assert_int_equal(result, s ? MOTE_OK : MOTE_ERROR_ID);
    if (!s) return;
    if (verb == 0) memmove(s, s + 1, (size_t)(&m->spring[m->springs--] - (s + 1)) * sizeof *s);
    if (verb == 1) s->def = def, s->from_tick = s->to_tick = 0;
    if (verb > 1 && verb < 5) s->waiting += count;
    if (verb > 4) turn_to(s, &def.transform, m->steps * TICKS, tick);
}

/* --- Games --- */

static void open_system(model *m) {
    mote_collider_def ground = mote_plane((const float[3]){0, -100, 0}, (const float[3]){0, 1, 0});
    const mote_collider_def wall = mote_plane((const float[3]){-100, 0, 0}, (const float[3]){1, 0, 0});
    ground.response = MOTE_RESPONSE_KILL;
    m->def.capacity = m->capacity, m->system = system_of(&m->def);
    OK(mote_system_add_collider(m->system, &ground, &m->collider[AT_FLOOR]));
    OK(mote_system_add_collider(m->system, &wall, &m->collider[AT_WALL]));
}

/* Saves; or restores what this game has saved, into the same system or another one. */
static void play_snapshot(model *m) {
    static unsigned char memory[1 << 20];
    static size_t bytes;
    static model saved;
    if (saved.game != m->game || !chance(m, 3)) {
        OK(mote_system_save(m->system, 0, memory, sizeof memory, &bytes));
        memcpy(&saved, m, offsetof(model, system));
        return;
    }
    if (chance(m, 2)) mote_system_destroy(m->system), open_system(m);
    OK(mote_system_restore(m->system, memory, bytes, NULL));
    memcpy(m, &saved, offsetof(model, system));
    memset(m->events, 0, sizeof m->events);
    check_events(m);
}

/* A number of steps, or the whole steps in a frame. */
static void play_time(model *m) {
    const bool exact = chance(m, 2);
    const uint64_t frame = below(m, (uint32_t)(MOST_STEPS * TICKS / 3)), ticks = 3 * frame + m->remainder;
    const uint32_t steps = exact ? below(m, MOST_STEPS + 1) : (uint32_t)(ticks / TICKS);
    if (!exact) m->remainder = ticks % TICKS;
    m->sum = (mote_advance){0};
    memset(m->events, 0, sizeof m->events);
    for (spring_of_life *s = m->spring; s < m->spring + m->springs; s++)
        if (steps && s->to_tick == MOTE_NEXT_ADVANCE) s->to_tick = (m->steps + steps) * TICKS + m->remainder;
    const mote_advance got = exact ? stepped(m->system, steps) : advanced(m->system, frame);
    for (uint32_t i = 0; i < steps; i++) model_step(m);
    tell(m, "steps", steps);
    ASSERT(got.steps, ==, steps);
    ASSERT(got.ticks_remaining, ==, m->remainder);
    ASSERT(got.killed, ==, m->sum.killed);
    ASSERT(got.expired, ==, m->sum.expired);
    ASSERT(got.non_finite, ==, m->sum.non_finite);
    ASSERT(got.collided, ==, m->sum.collided);
    ASSERT(got.born, ==, m->sum.born);
    ASSERT(got.unborn, ==, m->sum.unborn);
    check_events(m);
    all_born += got.born, all_unborn += got.unborn, all_collided += got.collided;
    all_died += m->events[DEATHS], all_lost += m->events[DEATHS] > m->def.max_deaths;
}

/* Each as often as it is drawn. */
static void (*const turns[])(model *) = {
    play_spawn,    play_spawn,   play_spawn,   play_kill_slots, play_kill_slots, play_kill_ids,
    play_kill_ids, play_strike,  play_strike,  play_strike,     play_rewrite,    play_emit,
    play_emitter,  play_emitter, play_emitter, play_emitter,    play_reserve,    play_snapshot,
    play_time,     play_time,    play_time,    play_time};

static void open_game(model *m, uint32_t game) {
    static shuffled_jobs shuffled = {.workers = 3};
    const bool bare = game % MOST_SPRINGS == 0; /* of all that makes steps run one by one */
    memset(m, 0, sizeof *m);
    m->random.state = m->game = game;
    m->capacity = game % 16 == 0 ? MOST - 500 - below(m, 500) : 30 + below(m, 300);
    m->def = mote_default_system_def();
    m->def.interpolation = (mote_interpolation)below(m, MOTE_INTERPOLATION_COUNT);
    m->def.loop_order = (mote_loop_order)below(m, MOTE_LOOP_ORDER_COUNT);
    m->def.lifetimes = !bare && !chance(m, 4), m->def.collisions = !bare && !chance(m, 3);
    m->def.orientation = !bare && chance(m, 3), m->def.initial_ages = chance(m, 2);
    m->def.max_deaths = chance(m, 3) ? 1 + below(m, 40) : MOST_EVENTS;
    m->def.max_births = chance(m, 3) ? 1 + below(m, 40) : MOST_EVENTS;
    m->def.max_hits = chance(m, 3) ? 1 + below(m, 2) : MOST_EVENTS;
    if (chance(m, 2)) m->def.jobs = dividing(shuffled_jobs_hook(&shuffled));
    open_system(m);
}

TEST(lives_are_those_of_the_model) {
    static model m;
    for (uint32_t game = 1; game <= 320; game++) {
        open_game(&m, game);
        for (; m.calls < (m.capacity > 1000 ? 200 : 600); m.calls++) {
            m.turn = below(&m, COUNT_OF(turns));
            tell(&m, "particles", m.count);
            turns[m.turn](&m);
            check_beings(&m);
        }
        mote_system_destroy(m.system);
    }
    ASSERT(all_died, >, 300000);
    ASSERT(all_born, >, 200000);
    ASSERT(all_unborn, >, 50000);
    ASSERT(all_collided, >, 2000);
    ASSERT(all_lost, >, 1000);
}
