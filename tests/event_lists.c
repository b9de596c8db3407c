/* Lists of events: velocities of the dead, when the lists are empty, refusals, and a host that answers deaths
 * with births in the step hook. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

static mote_system_def listing_def(void) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 100, def.lifetimes = true;
    def.max_deaths = def.max_births = def.max_hits = 50;
    return def;
}

static mote_death_list deaths_of(const mote_system *system) {
    mote_death_list list;
    OK(mote_system_deaths(system, &list));
    return list;
}

/* x_n is known from x_0 alone; the column has v(t - h / 2), which lags by h g / 2 = 0.08 m/s. */
TEST(under_position_verlet_velocities_of_the_dead_are_true) {
    mote_system_def def = listing_def();
    def.integrator = MOTE_POSITION_VERLET;
    mote_system *system = system_of(&def);
    add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    mote_range_view view = spawned(system, 40);
    for (uint32_t i = 0; i < 40; i++) view.velocity.x[i] = (float)i, view.lifetime[i] = INFINITY;
    view.lifetime[17] = 10.0f / 60, view.lifetime[35] = 10.0f / 60;
    stepped(system, 10);
    mote_death_list list = deaths_of(system);
    ASSERT(list.count, ==, 2);
    for (uint32_t i = 0; i < 2; i++) {
        ASSERT(list.events[i].velocity[0], ==, (i ? 35.0f : 17.0f));
        ASSERT_NEAR(list.events[i].velocity[1], -9.81 / 6, 2e-6);
        ASSERT_NEAR(list.events[i].position[1], -9.81 / 72, 2e-6);
    }
    view = spawned(system, 1); /* killed before it has taken a step */
    view.velocity.y[0] = 3;
    OK(mote_system_kill_slots(system, 2, (const uint32_t[2]){5, view.first}));
    stepped(system, 1);
    list = deaths_of(system);
    ASSERT(list.count, ==, 2);
    ASSERT_NEAR(list.events[0].velocity[1], -9.81 / 6, 2e-6);
    ASSERT_NEAR(list.events[1].velocity[1], 3, 1e-6);
    mote_system_destroy(system);
}

/* Far behind the first block, each with its own mass and anchor: p = a sin(w t) / w, w = sqrt(k / m), along
 * the spring of 1 N/m to the anchor a, of the dead and in sums over the others. */
TEST(under_position_verlet_particles_of_any_block_have_their_own_mass_and_anchor) {
    enum { COUNT = 700, VICTIM = 600 };
    mote_system_def def = listing_def();
    def.integrator = MOTE_POSITION_VERLET, def.capacity = COUNT;
    def.mass_column = def.anchor_column = true;
    mote_system *system = system_of(&def);
    add_force(system, mote_particle_anchors(1, 0));
    const mote_range_view view = spawned(system, COUNT);
    double momentum = 0, dead = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const double w = sqrt(1.0 + i % 7), p = i * sin(w * 10 / 60) / w;
        view.inverse_mass[i] = 1 + (float)(i % 7), view.anchor.x[i] = (float)i;
        *(i == VICTIM ? &dead : &momentum) += p;
    }
    view.lifetime[VICTIM] = 10.0f / 60;
    stepped(system, 10);
    const mote_death_list list = deaths_of(system);
    ASSERT(list.count, ==, 1);
    ASSERT(list.events[0].slot, ==, VICTIM);
    ASSERT_NEAR((double)list.events[0].velocity[0], dead * (1 + VICTIM % 7), 1e-3 * dead);
    ASSERT_NEAR(statistics_of(system).momentum[0], momentum, 1e-3 * momentum);
    mote_system_destroy(system);
}

/* The same particles without deaths, whose statistics have the true velocities; the force changes with time.
 */
TEST(under_position_verlet_velocities_of_the_dead_are_of_their_time) {
    const float times[4] = {0, 0.05f, 0.1f, 0.2f},
                force[4][3] = {{0, 1, 0}, {0, 40, 0}, {0, -70, 0}, {0, 9, 0}};
    double want[2] = {0, 0};
    uint64_t died = 0;
    for (int mortal = 0; mortal < 2; mortal++) {
        mote_system_def def = listing_def();
        def.integrator = MOTE_POSITION_VERLET;
        mote_system *system = system_of(&def);
        add_force(system, mote_timed_thrust(times, force[0], 4));
        const mote_range_view view = spawned(system, mortal ? 2 : 1);
        if (mortal) view.lifetime[0] = 0.1f, view.position.x[1] = 3.3e38f, view.velocity.x[1] = 1.5e38f;
        for (uint32_t n = 1; n < 9; n++) {
            stepped(system, 1);
            const mote_death_list list = mortal ? deaths_of(system) : (mote_death_list){NULL, 0, 0};
            if (!mortal && n == 4) want[1] = statistics_of(system).momentum[1];
            if (!mortal && n == 6) want[0] = statistics_of(system).momentum[1];
            for (uint32_t i = 0; i < list.count; i++, died++) {
                const bool expired = list.events[i].why == MOTE_DEATH_EXPIRED;
                ASSERT(list.events[i].step, ==, (uint64_t)(expired ? 6 : 5)); /* 3.3e38 + 5 x 2.5e36 */
                ASSERT_NEAR(list.events[i].velocity[1], want[expired ? 0 : 1], 1e-6);
            }
        }
        mote_system_destroy(system);
    }
    ASSERT(died, ==, 2);
}

static void assert_empty(const mote_system *system) {
    mote_death_list deaths;
    mote_birth_list births;
    mote_hit_list hits;
    OK(mote_system_deaths(system, &deaths));
    OK(mote_system_births(system, &births));
    OK(mote_system_hits(system, &hits));
    ASSERT(deaths.count + births.count + hits.count, ==, 0);
    ASSERT(deaths.lost + births.lost + hits.lost, ==, 0);
    assert_null(deaths.events);
    assert_null(births.events);
    assert_null(hits.events);
}

/* A system of which one particle has just died, and one was born. */
static mote_system *eventful(mote_emitter_id *id) {
    const mote_system_def def = listing_def();
    mote_system *system = system_of(&def);
    const mote_emitter_def emitter = mote_default_emitter_def();
    OK(mote_system_add_emitter(system, &emitter, id));
    spawned(system, 3);
    OK(mote_system_burst(system, *id, 1));
    OK(mote_system_kill_slots(system, 1, &(uint32_t){1}));
    assert_empty(system);
    stepped(system, 1);
    mote_birth_list births;
    OK(mote_system_births(system, &births));
    ASSERT(births.count, ==, 1);
    ASSERT(deaths_of(system).count, ==, 1);
    return system;
}

TEST(an_advance_without_steps_a_seek_and_a_restore_empty_the_lists) {
    static unsigned char snapshot[1 << 16];
    mote_emitter_id id;
    size_t bytes;
    for (int i = 0; i < 4; i++) {
        test_case("%d", i);
        mote_system *system = eventful(&id);
        OK(mote_system_save(system, 0, snapshot, sizeof snapshot, &bytes));
        const uint64_t hash = mote_system_hash(system);
        if (i == 0) stepped(system, 0);
        if (i == 1) advanced(system, 1);
        if (i == 2) OK(mote_system_restore(system, snapshot, bytes, NULL));
        if (i == 2) ASSERT(mote_system_hash(system), ==, hash);
        if (i == 3) OK(mote_system_remove_emitter(system, id));
        if (i == 3) OK(mote_system_kill_slots(system, 1, &(uint32_t){0}));
        if (i == 3) OK(mote_system_seek(system, 40));
        assert_empty(system);
        mote_system_destroy(system);
    }
}

TEST(snapshots_do_not_depend_on_the_capacities) {
    static unsigned char snapshot[1 << 16];
    mote_emitter_id id;
    size_t bytes;
    mote_system *from = eventful(&id);
    mote_system_def def = listing_def();
    def.max_deaths = def.max_births = def.max_hits = 0;
    mote_system *to = system_of(&def);
    OK(mote_system_save(from, 0, snapshot, sizeof snapshot, &bytes));
    OK(mote_system_restore(to, snapshot, bytes, NULL));
    ASSERT(mote_system_hash(from), ==, mote_system_hash(to));
    mote_system_destroy(from), mote_system_destroy(to);
}

TEST(lists_that_are_not_kept_are_absent) {
    mote_death_list deaths;
    mote_birth_list births;
    mote_hit_list hits;
    mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    spawned(system, 3);
    OK(mote_system_kill_slots(system, 1, &(uint32_t){1}));
    stepped(system, 1);
    REFUSALS(system, REFUSES(ABSENT, mote_system_deaths(system, &deaths)),
             REFUSES(ABSENT, mote_system_births(system, &births)),
             REFUSES(ABSENT, mote_system_hits(system, &hits)),
             REFUSES(NULL, mote_system_deaths(system, NULL)),
             REFUSES(NULL, mote_system_deaths(NULL, &deaths)),
             REFUSES(NULL, mote_system_births(NULL, &births)), REFUSES(NULL, mote_system_hits(NULL, &hits)));
    assert_null(deaths.events);
    ASSERT(deaths.count, ==, 0);
    mote_system_destroy(system);
}

TEST(capacities_beyond_the_limits_are_refused) {
    static const char *const names[3] = {"max_deaths", "max_births", "max_hits"};
    for (int i = 0; i < 3; i++) {
        test_case("%s", names[i]);
        mote_system_def def = mote_default_system_def();
        mote_system *system;
        const char *parameter;
        memory_ledger ledger = {.fail_at = 0};
        (i == 0 ? &def.max_deaths : i == 1 ? &def.max_births : &def.max_hits)[0] = MOTE_MAX_PARTICLES + 1;
        assert_int_equal(mote_system_def_check(&def, &parameter), MOTE_ERROR_RANGE);
        assert_string_equal(parameter, names[i]);
        assert_int_equal(mote_system_create(&def, &system), MOTE_ERROR_RANGE);
        assert_null(system);
        def.max_deaths = def.max_births = def.max_hits = 10;
        def.allocator = ledger_allocator(&ledger);
        for (ledger.fail_at = 1; mote_system_create(&def, &system) != MOTE_OK; ledger.fail_at++) {
            assert_null(system);
            ASSERT(ledger.live_bytes, ==, 0);
            ledger.calls = 0;
        }
        ASSERT(ledger.fail_at, >, 3);
        mote_system_destroy(system);
        ASSERT(ledger.live_bytes, ==, 0);
        ASSERT(ledger.faults, ==, 0);
    }
}

/* --- Calls while a step runs --- */

typedef struct probe {
    mote_system *system;
    mote_emitter_id emitter;
    mote_result result[3];
    uint32_t calls, seen, born;
} probe;

static void ask(void *user) {
    probe *p = user;
    mote_death_list deaths;
    p->result[0] = mote_system_deaths(p->system, &deaths);
    p->result[1] = mote_system_emit(p->system, p->emitter, NULL, NULL, 1, NULL);
    p->calls++;
}

static void ask_in_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)stage, (void)x, (void)y, (void)z;
    ask(user);
}

TEST(a_callback_gets_neither_lists_nor_births) {
    probe p = {.calls = 0};
    p.system = eventful(&p.emitter);
    add_force(p.system, mote_callback(ask_in_callback, &p));
    const uint32_t count = mote_system_count(p.system);
    stepped(p.system, 1);
    ASSERT(p.calls, >, 0);
    ASSERT(p.result[0], ==, MOTE_ERROR_BUSY);
    ASSERT(p.result[1], ==, MOTE_ERROR_BUSY);
    ASSERT(mote_system_count(p.system), ==, count);
    mote_system_destroy(p.system);
}

/* A burst at each death, in the hook: at the place of the deaths of the step that has just ended. */
static void splash(void *user, mote_system *system, const mote_range_view *view) {
    probe *p = user;
    (void)view;
    const mote_death_list list = deaths_of(system);
    p->calls++;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t born;
        const mote_death *d = &list.events[i];
        if (d->step != mote_system_steps(system) || d->velocity[1] == 0) continue; /* drops of a splash */
        const mote_transform at = {{d->position[0], d->position[1], d->position[2]}, {0, 0, 0, 1}};
        OK(mote_system_emit(system, p->emitter, &at, NULL, 3, &born));
        p->born += born, p->seen++;
    }
}

TEST(the_hook_sees_the_deaths_of_its_step_and_answers_with_births) {
    const mote_system_def def = listing_def();
    probe p = {.calls = 0};
    p.system = system_of(&def);
    mote_emitter_def emitter = mote_default_emitter_def();
    emitter.speed = (mote_spread){0, 0};
    OK(mote_system_add_emitter(p.system, &emitter, &p.emitter));
    OK(mote_system_set_step_hook(p.system, splash, &p));
    const mote_range_view view = spawned(p.system, 5);
    for (uint32_t i = 0; i < 5; i++) view.lifetime[i] = (float)(2 + i) / 60, view.velocity.y[i] = 6;
    stepped(p.system, 4);
    ASSERT(p.calls, ==, 4);
    ASSERT(p.seen, ==, 3);
    ASSERT(p.born, ==, 9);
    mote_birth_list births;
    OK(mote_system_births(p.system, &births));
    ASSERT(births.count, ==, 9);
    const mote_range_view now = mote_system_view(p.system);
    for (uint32_t i = 0; i < 9; i++) {
        ASSERT(births.events[i].step, ==, (uint64_t)(2 + i / 3));
        const uint32_t slot = mote_system_slot(p.system, births.events[i].id);
        ASSERT(slot, <, now.count);
        ASSERT_NEAR(now.position.y[slot], 0.1 * (2 + i / 3), 1e-6);
    }
    mote_system_destroy(p.system);
}

/* A list of deaths alone: births and hits happen and are not listed. */
TEST(one_list_is_kept_without_the_others) {
    mote_death_list deaths;
    mote_birth_list births;
    mote_hit_list hits;
    mote_system_def def = mote_default_system_def();
    mote_emitter_def jet = mote_default_emitter_def();
    mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 1);
    mote_emitter_id emitter;
    mote_collider_id collider;
    def.max_deaths = 4, def.collisions = true;
    mote_system *system = system_of(&def);
    ball.response = MOTE_RESPONSE_KILL, jet.rate = 600, jet.transform.position[0] = 3;
    OK(mote_system_add_collider(system, &ball, &collider));
    OK(mote_system_add_emitter(system, &jet, &emitter));
    const mote_range_view view = spawned(system, 2);
    view.position.x[0] = 1.5f, view.velocity.x[0] = -60, view.position.x[1] = 9;
    stepped(system, 1);
    ASSERT(mote_system_count(system), ==, 11u); /* ten births, one death */
    OK(mote_system_deaths(system, &deaths));
    ASSERT(deaths.count, ==, 1u);
    REFUSALS(system, REFUSES(ABSENT, mote_system_births(system, &births)),
             REFUSES(ABSENT, mote_system_hits(system, &hits)));
    mote_system_destroy(system);
}

/* In the hook of the second step. */
static void kill_first(void *user, mote_system *system, const mote_range_view *view) {
    (void)user, (void)view;
    if (mote_system_steps(system) == 2)
        OK(mote_system_kill_slots(system, 4, (const uint32_t[4]){0, 1, 2, 3}));
}

/* One death at the end of the first step, one of the last slot at that of the second, and four of lower slots
 * from its hook: of the five of one boundary the two in the lowest slots have space. */
TEST(deaths_of_one_boundary_that_do_not_fit_are_lost_from_the_highest_slot_on) {
    mote_system_def def = listing_def();
    def.max_deaths = 3;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 20);
    for (uint32_t i = 0; i < 20; i++) view.lifetime[i] = INFINITY;
    view.lifetime[19] = 1.0f / 60, view.lifetime[18] = 2.0f / 60;
    OK(mote_system_set_step_hook(system, kill_first, NULL));
    stepped(system, 3);
    const mote_death_list list = deaths_of(system);
    ASSERT(mote_system_count(system), ==, 14u);
    ASSERT(list.count, ==, 3);
    ASSERT(list.lost, ==, 3u);
    ASSERT(list.events[0].slot, ==, 19u);
    for (uint32_t i = 1; i < 3; i++) ASSERT(list.events[i].slot, ==, i - 1);
    mote_system_destroy(system);
}

/* Under position Verlet the newborn get half a kick, from any slot of a lane group on: the same bits as alone
 * in a system. */
TEST(under_position_verlet_newborn_in_any_slot_have_the_bits_of_others) {
    for (uint32_t before = 0; before < 40; before += 3) {
        mote_system_def def = mote_default_system_def();
        def.integrator = MOTE_POSITION_VERLET;
        mote_system *both = system_of(&def), *alone = system_of(&def), *older = system_of(&def);
        add_force(both, mote_attractor((float[3]){0, 1, 0}, 5, 0.5f));
        add_force(alone, mote_attractor((float[3]){0, 1, 0}, 5, 0.5f));
        add_force(older, mote_attractor((float[3]){0, 1, 0}, 5, 0.5f));
        if (before) (void)spawned_at_random(both, before, 4), (void)spawned_at_random(older, before, 4);
        stepped(both, 3), stepped(alone, 3), stepped(older, 8);
        const mote_range_view more = spawned_at_random(both, 37, 5), same = spawned_at_random(alone, 37, 5);
        ASSERT(more.first, ==, before);
        stepped(both, 5), stepped(alone, 5);
        const motion_columns mine = motion_of(&more), its = motion_of(&same);
        test_case("behind %u", before);
        for (int i = 0; i < 6; i++) assert_memory_equal(mine.column[i], its.column[i], 37 * sizeof(float));
        const mote_range_view all = mote_system_view(both), first = mote_system_view(older);
        const motion_columns now = motion_of(&all), want = motion_of(&first);
        for (int i = 0; i < 6; i++)
            if (before) assert_memory_equal(now.column[i], want.column[i], before * sizeof(float));
        mote_system_destroy(both), mote_system_destroy(alone), mote_system_destroy(older);
    }
}
