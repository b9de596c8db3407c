/* Particles: random calls against a model that is written from the documentation alone; ids, lifetimes and
 * masses. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

/* --- The model: an array of records --- */

enum { MODEL_CAPACITY = 1024, MODEL_RETIRED = 2048 };

/* Exact in float and in double, so that the model has the documented arithmetic to the bit. */
#define TIMESTEP 0.015625

typedef struct record {
    mote_particle_id handle;
    float position[3], velocity[3], inverse_mass, lifetime;
    uint32_t birth, serial;
    bool dying, broken;
} record;

typedef struct tally {
    uint32_t killed, expired, non_finite;
} tally;

typedef struct play {
    mote_system *system;
    random_source random;
    record records[MODEL_CAPACITY];
    uint32_t count, capacity, steps, next_serial;
    uint32_t last_generation[MODEL_CAPACITY]; /* by handle index */
    mote_particle_id retired[MODEL_RETIRED];  /* the latest ids of particles that died */
    uint32_t deaths;
} play;

/* The columns of the host: a byte, a serial number and 24 bytes, all made from the serial. */
typedef struct payload {
    uint32_t words[6];
} payload;

static payload payload_of(uint32_t serial) {
    payload result;
    for (uint32_t i = 0; i < 6; i++) result.words[i] = serial * 2654435761u + i;
    return result;
}

static void model_retire(play *p, uint32_t slot) {
    p->retired[p->deaths++ % MODEL_RETIRED] = p->records[slot].handle;
}

/* The slots of removed particles below the new count, ascending, are filled with the remaining particles from
 * behind it, ascending. */
static void model_compact(play *p, const bool *dead) {
    uint32_t living = 0;
    for (uint32_t i = 0; i < p->count; i++) living += !dead[i];
    uint32_t from = living;
    for (uint32_t hole = 0; hole < living; hole++) {
        if (!dead[hole]) continue;
        while (dead[from]) from++;
        p->records[hole] = p->records[from++];
    }
    p->count = living;
}

static void model_remove_killed(play *p, tally *t) {
    bool dead[MODEL_CAPACITY] = {false};
    for (uint32_t i = 0; i < p->count; i++) t->killed += dead[i] = p->records[i].dying;
    model_compact(p, dead);
}

static bool model_move(record *r) {
    bool finite = true;
    for (int axis = 0; axis < 3; axis++) {
        r->position[axis] += (float)TIMESTEP * r->velocity[axis];
        finite = finite && isfinite(r->position[axis]) && isfinite(r->velocity[axis]);
    }
    return finite;
}

/* A step and the boundary after it: particles whose lifetime ended are removed first, then those that turned
 * non-finite. */
static void model_step(play *p, tally *t) {
    model_remove_killed(p, t);
    bool old[MODEL_CAPACITY] = {false}, broken[MODEL_CAPACITY] = {false};
    p->steps++;
    for (uint32_t i = 0; i < p->count; i++) {
        record *r = &p->records[i];
        r->broken = !model_move(r);
        t->expired += old[i] =
            (double)(p->steps - r->birth) * TIMESTEP + TIMESTEP / 1024 >= (double)r->lifetime;
        if (old[i]) model_retire(p, i);
    }
    model_compact(p, old);
    for (uint32_t i = 0; i < p->count; i++) {
        t->non_finite += broken[i] = p->records[i].broken;
        if (broken[i]) model_retire(p, i);
    }
    model_compact(p, broken);
}

/* --- The system beside it --- */

static mote_system_def lively_def(uint32_t capacity) {
    mote_system_def def = mote_default_system_def();
    def.capacity = capacity;
    def.steps_per_second = (mote_rate){64, 1};
    def.max_steps_per_advance = 64;
    def.mass_column = true;
    def.lifetimes = true;
    def.extra_count = 3;
    def.extra_bytes[0] = 1;
    def.extra_bytes[1] = sizeof(uint32_t);
    def.extra_bytes[2] = sizeof(payload);
    return def;
}

static float *axis_of(const mote_vector_columns *columns, int axis) {
    return axis == 0 ? columns->x : axis == 1 ? columns->y : columns->z;
}

static void check_living(const play *p, const mote_range_view *view, uint32_t slot) {
    const record *r = &p->records[slot];
    for (int axis = 0; axis < 3; axis++) {
        /* Bytes, because a particle that is about to die may hold NaN. */
        assert_memory_equal(axis_of(&view->position, axis) + slot, &r->position[axis], sizeof(float));
        assert_memory_equal(axis_of(&view->velocity, axis) + slot, &r->velocity[axis], sizeof(float));
    }
    ASSERT(view->inverse_mass[slot], ==, r->inverse_mass);
    ASSERT(view->lifetime[slot], ==, r->lifetime);
    assert_int_equal(view->birth_step[slot], r->birth);
    assert_int_equal(view->id[slot].index, r->handle.index);
    assert_int_equal(view->id[slot].generation, r->handle.generation);
    payload expected = payload_of(r->serial);
    assert_int_equal(((const uint8_t *)view->extra[0])[slot], (uint8_t)r->serial);
    assert_int_equal(((const uint32_t *)view->extra[1])[slot], r->serial);
    assert_memory_equal((const payload *)view->extra[2] + slot, &expected, sizeof expected);
    assert_int_equal(mote_system_slot(p->system, r->handle), slot);
    ASSERT(mote_system_age(p->system, slot), ==, (double)(p->steps - r->birth) * TIMESTEP);
}

static void check_all(const play *p) {
    mote_range_view view = mote_system_view(p->system);
    assert_int_equal(view.first, 0);
    assert_int_equal(view.count, p->count);
    assert_int_equal(mote_system_count(p->system), p->count);
    for (uint32_t slot = 0; slot < p->count; slot++) {
        if (!p->records[slot].dying)
            check_living(p, &view, slot);
        else
            assert_int_equal(mote_system_slot(p->system, p->records[slot].handle), MOTE_NO_SLOT);
    }
    for (uint32_t i = 0; i < p->deaths && i < MODEL_RETIRED; i++) {
        assert_int_equal(mote_system_slot(p->system, p->retired[i]), MOTE_NO_SLOT);
    }
}

/* --- Calls of a host --- */

static void check_defaults(const play *p, const mote_range_view *view, uint32_t i) {
    for (int axis = 0; axis < 3; axis++) {
        ASSERT(axis_of(&view->position, axis)[i], ==, 0.0f);
        ASSERT(axis_of(&view->velocity, axis)[i], ==, 0.0f);
    }
    static const payload zero;
    ASSERT(view->inverse_mass[i], ==, 1.0f);
    assert_int_equal(view->birth_step[i], p->steps);
    ASSERT(view->lifetime[i], ==, INFINITY);
    assert_int_equal(((const uint8_t *)view->extra[0])[i], 0);
    assert_int_equal(((const uint32_t *)view->extra[1])[i], 0);
    assert_memory_equal((const payload *)view->extra[2] + i, &zero, sizeof zero);
}

/* Masses are powers of two, so that impulses and changes of mass are exact. */
static float random_inverse_mass(random_source *random) {
    return 0.25f * (float)(1u << random_below(random, 5));
}

static record random_record(play *p, mote_particle_id handle) {
    record r = {.handle = handle, .birth = p->steps, .serial = p->next_serial++};
    for (int axis = 0; axis < 3; axis++) {
        r.position[axis] = random_between(&p->random, -8.0f, 8.0f);
        r.velocity[axis] = random_between(&p->random, -8.0f, 8.0f);
    }
    r.inverse_mass = random_inverse_mass(&p->random);
    /* One third has no end, one third ends after whole steps, one third after some steps and at least a
     * sixteenth of one. */
    uint32_t kind = random_below(&p->random, 3);
    float steps = (float)(1 + random_below(&p->random, 60));
    if (kind == 2) steps -= random_between(&p->random, 0.1f, 0.9f);
    r.lifetime = kind == 0 ? INFINITY : (float)TIMESTEP * steps;
    return r;
}

static void fill_slot(const mote_range_view *view, uint32_t i, const record *r) {
    for (int axis = 0; axis < 3; axis++) {
        axis_of(&view->position, axis)[i] = r->position[axis];
        axis_of(&view->velocity, axis)[i] = r->velocity[axis];
    }
    view->inverse_mass[i] = r->inverse_mass;
    view->lifetime[i] = r->lifetime;
    ((uint8_t *)view->extra[0])[i] = (uint8_t)r->serial;
    ((uint32_t *)view->extra[1])[i] = r->serial;
    ((payload *)view->extra[2])[i] = payload_of(r->serial);
}

static void play_spawn(play *p) {
    uint32_t count = random_below(&p->random, 40);
    mote_range_view view;
    mote_result result = mote_system_spawn(p->system, count, &view);
    if (p->count + count > p->capacity) {
        assert_int_equal(result, MOTE_ERROR_CAPACITY);
        return;
    }
    OK(result);
    assert_int_equal(view.count, count);
    assert_int_equal(view.first, p->count);
    for (uint32_t i = 0; i < count; i++) {
        check_defaults(p, &view, i);
        mote_particle_id handle = view.id[i];
        ASSERT(handle.index, <, MODEL_CAPACITY);
        ASSERT(handle.generation, >, p->last_generation[handle.index]);
        p->last_generation[handle.index] = handle.generation;
        record *r = &p->records[p->count + i];
        *r = random_record(p, handle);
        fill_slot(&view, i, r);
    }
    p->count += count;
}

static void play_kill_handles(play *p) {
    mote_particle_id handles[16];
    uint32_t slots[16], count = 0;
    for (int attempt = 0; attempt < 12 && p->count > 0; attempt++) {
        uint32_t slot = random_below(&p->random, p->count);
        bool fresh = !p->records[slot].dying;
        for (uint32_t i = 0; i < count; i++) fresh = fresh && slots[i] != slot;
        if (!fresh) continue;
        slots[count] = slot;
        handles[count++] = p->records[slot].handle;
    }
    if (count > 0 && random_below(&p->random, 3) == 0) {
        handles[count] = handles[0];
        REFUSED(p->system, MOTE_ERROR_ID, mote_system_kill(p->system, count + 1, handles));
    }
    OK(mote_system_kill(p->system, count, handles));
    for (uint32_t i = 0; i < count; i++) {
        model_retire(p, slots[i]);
        p->records[slots[i]].dying = true;
    }
}

/* A slot that is named twice or is dying already counts as one death. */
static void play_kill_slots(play *p) {
    uint32_t slots[12], count = p->count > 0 ? random_below(&p->random, 12) : 0;
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = random_below(&p->random, p->count);
        if (i > 0 && random_below(&p->random, 4) == 0) slots[i] = slots[i - 1];
    }
    OK(mote_system_kill_slots(p->system, count, slots));
    for (uint32_t i = 0; i < count; i++) {
        if (p->records[slots[i]].dying) continue;
        model_retire(p, slots[i]);
        p->records[slots[i]].dying = true;
    }
}

static void play_poison(play *p) {
    static const float poisons[] = {NAN, INFINITY, -INFINITY};
    if (p->count == 0) return;
    uint32_t slot = random_below(&p->random, p->count);
    int axis = (int)random_below(&p->random, 3);
    float poison = poisons[random_below(&p->random, 3)];
    bool in_velocity = random_below(&p->random, 2) == 0;
    mote_range_view view = mote_system_view(p->system);
    axis_of(in_velocity ? &view.velocity : &view.position, axis)[slot] = poison;
    (in_velocity ? p->records[slot].velocity : p->records[slot].position)[axis] = poison;
}

static void play_impulse(play *p) {
    if (p->count == 0) return;
    uint32_t slot = random_below(&p->random, p->count);
    record *r = &p->records[slot];
    float impulse[3];
    for (int axis = 0; axis < 3; axis++) {
        impulse[axis] = random_between(&p->random, -1.0f, 1.0f);
        r->velocity[axis] += impulse[axis] * r->inverse_mass;
    }
    OK(mote_system_impulse(p->system, slot, impulse));
}

static void play_change_mass(play *p) {
    if (p->count == 0) return;
    uint32_t slot = random_below(&p->random, p->count);
    record *r = &p->records[slot];
    float inverse_mass = random_inverse_mass(&p->random);
    for (int axis = 0; axis < 3; axis++) r->velocity[axis] *= inverse_mass / r->inverse_mass;
    r->inverse_mass = inverse_mass;
    OK(mote_system_set_inverse_mass(p->system, slot, inverse_mass));
}

static void play_reserve(play *p) {
    uint32_t capacity = p->capacity + random_below(&p->random, 64);
    if (capacity > MODEL_CAPACITY) return;
    OK(mote_system_reserve(p->system, capacity));
    p->capacity = capacity;
}

static void play_step(play *p) {
    uint32_t steps = 1 + random_below(&p->random, 3);
    tally expected = {0};
    for (uint32_t i = 0; i < steps; i++) model_step(p, &expected);
    const mote_advance advance = stepped(p->system, steps);
    assert_int_equal(advance.killed, expected.killed);
    assert_int_equal(advance.expired, expected.expired);
    assert_int_equal(advance.non_finite, expected.non_finite);
}

/* Plays `turns` random calls, checks everything after each, and returns the hash of the end. */
static uint64_t play_game(uint64_t seed, uint32_t capacity, int turns) {
    static void (*const calls[])(play *) = {
        play_spawn, play_spawn,   play_kill_handles, play_kill_slots, play_step,   play_step,
        play_step,  play_impulse, play_change_mass,  play_reserve,    play_poison, play_kill_handles};
    play *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->random.state = seed;
    p->capacity = capacity;
    memory_ledger ledger = {0};
    mote_system_def def = lively_def(capacity);
    def.allocator = ledger_allocator(&ledger);
    p->system = system_of(&def);
    for (int turn = 0; turn < turns; turn++) {
        calls[random_below(&p->random, COUNT_OF(calls))](p);
        check_all(p);
    }
    uint64_t hash = mote_system_hash(p->system);
    mote_system_destroy(p->system);
    assert_int_equal(ledger.faults, 0);
    assert_int_equal(ledger.live_bytes, 0);
    free(p);
    return hash;
}

TEST(random_calls_follow_the_model) {
    for (uint64_t seed = 1; seed <= 40; seed++) play_game(seed, 17 + 8 * (uint32_t)seed, 300);
}

TEST(the_same_calls_give_the_same_hash) {
    uint64_t first = play_game(99, 64, 200);
    ASSERT(play_game(99, 64, 200), ==, first);
    ASSERT(play_game(100, 64, 200), !=, first);
}

/* --- Single claims --- */

TEST(ids_of_a_slot_that_is_used_again_never_come_back) {
    mote_system_def def = lively_def(4);
    mote_system *system = system_of(&def);
    uint32_t generations[4] = {0};
    mote_particle_id last = {0, 0};
    for (int round = 0; round < 50000; round++) {
        mote_range_view view = spawned(system, 4);
        for (uint32_t i = 0; i < 4; i++) {
            ASSERT(view.id[i].index, <, 4);
            ASSERT(view.id[i].generation, >, generations[view.id[i].index]);
            generations[view.id[i].index] = view.id[i].generation;
        }
        assert_int_equal(mote_system_slot(system, last), MOTE_NO_SLOT);
        last = view.id[round % 4];
        OK(mote_system_kill(system, 4, view.id));
        assert_int_equal(mote_system_slot(system, last), MOTE_NO_SLOT);
        assert_int_equal(mote_system_spawn(system, 1, &view), MOTE_ERROR_CAPACITY);
        stepped(system, 1);
        assert_int_equal(mote_system_count(system), 0);
    }
    mote_system_destroy(system);
}

TEST(forged_ids_name_no_particle) {
    mote_system_def def = lively_def(4);
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 2);
    mote_particle_id real = view.id[0];
    const mote_particle_id forged[] = {
        {0, 0}, {real.index, 0}, {real.index, real.generation + 1}, {3, real.generation},
        {4, 1}, {1u << 31, 1},   {UINT32_MAX, UINT32_MAX},          {UINT32_MAX, 0}};
    for (size_t i = 0; i < COUNT_OF(forged); i++) {
        const mote_particle_id pair[] = {real, forged[i]};
        assert_int_equal(mote_system_slot(system, forged[i]), MOTE_NO_SLOT);
        REFUSALS(system, REFUSES(ID, mote_system_kill(system, 1, &forged[i])),
                 REFUSES(ID, mote_system_kill(system, 2, pair)));
    }
    assert_int_equal(mote_system_slot(system, real), 0);
    mote_system_destroy(system);
}

/* 0.1f is a little more than 6/60 s, 0.3f than 18/60 s, and 0.11f is 6.6 steps: a lifetime counts as reached
 * if a 1,024th of a step more would reach it. */
TEST(lifetimes_end_at_the_first_boundary_that_reaches_them) {
    static const struct {
        mote_rate rate;
        float lifetime;
        uint32_t steps;
    } cases[] = {
        {{64, 1}, 0.25f, 16}, {{64, 1}, 0.015625f, 1}, {{64, 1}, 0.016f, 2},        {{64, 1}, 1e-6f, 1},
        {{60, 1}, 0.1f, 6},   {{60, 1}, 0.3f, 18},     {{60, 1}, 0.11f, 7},         {{50, 1}, 0.5f, 25},
        {{1, 10}, 10.0f, 1},  {{1, 10}, 10.5f, 2},     {{60000, 1001}, 1.001f, 60},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        mote_system_def def = lively_def(1);
        def.steps_per_second = cases[i].rate;
        mote_system *system = system_of(&def);
        stepped(system, 5);
        mote_range_view view = spawned(system, 1);
        view.lifetime[0] = cases[i].lifetime;
        stepped(system, cases[i].steps - 1);
        assert_int_equal(mote_system_count(system), 1);
        const mote_advance advance = stepped(system, 1);
        assert_int_equal(advance.expired, 1);
        assert_int_equal(mote_system_count(system), 0);
        mote_system_destroy(system);
    }
}

TEST(a_change_of_mass_keeps_momentum) {
    mote_system_def def = lively_def(1);
    mote_system *system = system_of(&def);
    mote_range_view view;
    random_source random = {8};
    OK(mote_system_spawn(system, 1, &view));
    for (int n = 0; n < 1000; n++) {
        float before = random_between(&random, 0.1f, 10.0f), after = random_between(&random, 0.1f, 10.0f);
        float velocity = random_between(&random, -10.0f, 10.0f);
        view.inverse_mass[0] = before;
        view.velocity.y[0] = velocity;
        OK(mote_system_set_inverse_mass(system, 0, after));
        ASSERT(view.inverse_mass[0], ==, after);
        /* A quotient and a product: two roundings of half an ulp each. */
        double expected = (double)velocity * (double)after / (double)before;
        ASSERT_NEAR(view.velocity.y[0], expected, 0x1p-23 * fabs(expected));
    }
    view.velocity.y[0] = 3.0f;
    OK(mote_system_set_inverse_mass(system, 0, 0.0f));
    ASSERT(view.velocity.y[0], ==, 3.0f);
    OK(mote_system_impulse(system, 0, (float[3]){1.0f, 1.0f, 1.0f}));
    ASSERT(view.velocity.y[0], ==, 3.0f);
    OK(mote_system_set_inverse_mass(system, 0, 2.0f));
    ASSERT(view.velocity.y[0], ==, 3.0f);
    mote_system_destroy(system);
}

TEST(spawned_particles_and_impulses_have_the_uniform_mass) {
    for (int column = 0; column < 2; column++) {
        mote_system_def def = mote_default_system_def();
        def.mass = 4.0f;
        def.mass_column = column;
        mote_system *system = system_of(&def);
        mote_range_view view = spawned(system, 3);
        if (column) ASSERT(view.inverse_mass[2], ==, 0.25f);
        OK(mote_system_impulse(system, 1, (float[3]){2.0f, -8.0f, 1.0f}));
        ASSERT(view.velocity.x[1], ==, 0.5f);
        ASSERT(view.velocity.y[1], ==, -2.0f);
        ASSERT(view.velocity.z[1], ==, 0.25f);
        ASSERT(view.velocity.x[0], ==, 0.0f);
        ASSERT(view.velocity.x[2], ==, 0.0f);
        mote_system_destroy(system);
    }
}
