/* The step hook: a host that edits between steps gets the bits of one that cuts its frames into steps. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

/* At 64 steps a second a step is 15,625,000 ns; a frame has 4.25 of them. */
enum { BORN = 3, CAPACITY = 2000, STEP = 15625000, FRAME = STEP * 4 + STEP / 4 };

typedef struct host {
    random_source random;
    uint32_t calls, faults;
    bool forces;
} host;

/* A floor, births with a state before them, deaths by id and by slot, an impulse, a jump, external forces. */
static void edit(void *user, mote_system *system, const mote_range_view *all) {
    host *h = user;
    mote_range_view born;
    mote_vector_columns force;
    h->calls++;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->position.y[i] < -5) all->position.y[i] = -5, all->velocity.y[i] *= -0.5f;
    const uint32_t victim = random_below(&h->random, all->count), slot = random_below(&h->random, all->count);
    const mote_particle_id id = all->id[victim];
    h->faults += mote_system_kill(system, 1, &id) != MOTE_OK;
    h->faults += mote_system_kill_slots(system, 1, &slot) != MOTE_OK;
    h->faults += mote_system_available(system) != CAPACITY - mote_system_count(system);
    h->faults += mote_system_spawn(system, BORN, &born) != MOTE_OK;
    for (uint32_t i = 0; i < BORN; i++) {
        born.position.x[i] = random_between(&h->random, -1, 1);
        born.velocity.y[i] = 3;
        born.lifetime[i] = 0.1f;
        for (int axis = 0; axis < 3 && born.previous.x; axis++)
            (&born.previous.x)[axis][i] = (&born.position.x)[axis][i] - 0.01f;
    }
    h->faults += mote_system_impulse(system, 0, (const float[3]){0, 0.5f, 0}) != MOTE_OK;
    h->faults += mote_system_set_inverse_mass(system, 1, 0.75f) != MOTE_OK;
    h->faults += mote_system_teleport(system, 2, 2) != MOTE_OK;
    if (h->forces && h->calls % 3 == 0) {
        h->faults += mote_system_external_forces(system, &force) != MOTE_OK;
        for (uint32_t i = 0; i < all->count; i++) force.z[i] = (float)(i % 5);
    }
}

typedef struct outcome {
    uint64_t hash;
    mote_advance sum;
    uint32_t calls;
} outcome;

static mote_system *make(const mote_system_def *like, host *h) {
    mote_system_def def = *like;
    def.capacity = CAPACITY;
    def.steps_per_second = (mote_rate){64, 1};
    def.mass_column = def.lifetimes = true;
    h->forces = def.external_forces = !advects(def.integrator);
    h->random.state = 5;
    mote_system *system = system_of(&def);
    OK(scene_add_forces(system, def.jobs.workers == 3));
    const mote_range_view view = spawned_at_random(system, 500, 1);
    for (uint32_t i = 0; i < view.count; i += 4) view.lifetime[i] = 0.01f * (float)(1 + i % 50);
    view.position.x[101] = INFINITY; /* freezes with its first step */
    return system;
}

static void add(outcome *o, const mote_advance *advance) {
    o->sum.killed += advance->killed, o->sum.expired += advance->expired;
    o->sum.non_finite += advance->non_finite, o->sum.steps += advance->steps;
}

/* Frames with the hook, or the same steps one by one with its edits between them. */
static outcome run(const mote_system_def *def, bool hooked) {
    host h = {.calls = 0};
    outcome o = {.calls = 0};
    mote_system *system = make(def, &h);
    if (hooked) OK(mote_system_set_step_hook(system, edit, &h));
    for (int frame = 0; frame < 6; frame++) {
        if (hooked) {
            const mote_advance advance = advanced(system, FRAME);
            add(&o, &advance);
            continue;
        }
        for (uint32_t steps = (uint32_t)((frame + 1) * 17 / 4 - frame * 17 / 4); steps; steps--) {
            const mote_advance advance = stepped(system, 1);
            const mote_range_view view = mote_system_view(system);
            edit(&h, system, &view);
            add(&o, &advance);
        }
    }
    ASSERT(h.faults, ==, 0);
    ASSERT(h.calls, ==, o.sum.steps);
    o.calls = h.calls;
    if (hooked) /* takes up the part of a step that single steps leave alone */
        OK(mote_system_set_step_hook(system, NULL, NULL));
    else
        advanced(system, STEP / 2);
    o.hash = mote_system_hash(system);
    mote_system_destroy(system);
    return o;
}

TEST_EACH(edits_in_the_hook_are_those_between_single_steps, MOTE_INTEGRATOR_COUNT, integrator_name, number) {
    for (uint32_t i = 0; i < 2 * MOTE_INTERPOLATION_COUNT * JOB_KINDS; i++) {
        mote_system_def def = mote_default_system_def();
        job_kinds kinds;
        make_job_kinds(&kinds, 2 + i % 2);
        def.integrator = (mote_integrator)number;
        def.jobs = kinds.jobs[i % JOB_KINDS];
        def.interpolation = (mote_interpolation)(i / JOB_KINDS % MOTE_INTERPOLATION_COUNT);
        def.loop_order = (mote_loop_order)(i / JOB_KINDS / MOTE_INTERPOLATION_COUNT);
        test_case("jobs %u, interpolation %d, order %d", i % JOB_KINDS, (int)def.interpolation,
                  (int)def.loop_order);
        const outcome hooked = run(&def, true), single = run(&def, false);
        ASSERT(hooked.calls, ==, 25);
        ASSERT(hooked.hash, ==, single.hash);
        ASSERT(hooked.sum.killed, ==, single.sum.killed);
        ASSERT(hooked.sum.expired, ==, single.sum.expired);
        ASSERT(hooked.sum.non_finite, ==, single.sum.non_finite);
        ASSERT(hooked.sum.killed, >, 25);
        ASSERT(hooked.sum.expired, >, 50);
        ASSERT(hooked.sum.non_finite, >=, 1);
    }
}

/* --- Calls --- */

typedef struct caller {
    mote_force_id force;
    uint32_t calls;
    uint64_t steps;
    double time;
} caller;

/* Others than those that edit particles. */
static void call_the_rest(void *user, mote_system *system, const mote_range_view *all) {
    static const float hair[] = {0, 0, 0, 0, -1, 0};
    caller *c = user;
    const mote_force_def gravity = mote_gravity((const float[3]){0, -1, 0});
    const mote_collider_def ball = mote_sphere((const float[3]){0, 0, 0}, 1);
    const mote_present_layout layout = mote_default_present_layout();
    const mote_preview_def preview = mote_default_preview_def();
    mote_strands_def strands = mote_default_strands_def();
    strands.strand_count = 1, strands.points = 2, strands.positions = hair;
    mote_force_id force;
    mote_collider_id collider;
    mote_strands_id id;
    mote_statistics statistics;
    float vertices[64][3];
    uint32_t order[64];
    size_t bytes;
    REFUSALS(system, REFUSES(BUSY, mote_system_advance(system, FRAME, NULL)),
             REFUSES(BUSY, mote_system_step(system, 1, NULL)),
             REFUSES(BUSY, mote_systems_advance(&system, 1, FRAME, NULL, NULL)),
             REFUSES(BUSY, mote_system_seek(system, 9)), REFUSES(BUSY, mote_system_reserve(system, 99)),
             REFUSES(BUSY, mote_system_add_force(system, &gravity, &force)),
             REFUSES(BUSY, mote_system_set_force(system, c->force, &gravity)),
             REFUSES(BUSY, mote_system_remove_force(system, c->force)),
             REFUSES(BUSY, mote_system_add_collider(system, &ball, &collider)),
             REFUSES(BUSY, mote_system_add_strands(system, &strands, &id, NULL)),
             REFUSES(BUSY, mote_system_preview(system, &preview, vertices)),
             REFUSES(BUSY, mote_system_present(system, &layout, vertices, sizeof vertices)),
             REFUSES(BUSY, mote_system_order(system, vertices[0], order, sizeof order)),
             REFUSES(BUSY, mote_system_statistics(system, &statistics)),
             REFUSES(BUSY, mote_system_snapshot_bytes(system, &bytes)),
             REFUSES(BUSY, mote_system_set_step_hook(system, NULL, NULL)));
    mote_system_destroy(system); /* does nothing */
    ASSERT(mote_system_hash(system), !=, 0u);
    ASSERT(mote_system_slot(system, all->id[0]), ==, 0u);
    ASSERT(all->first, ==, 0);
    ASSERT(all->count, ==, mote_system_count(system));
    ASSERT(all->position.x, ==, mote_system_view(system).position.x);
    c->calls++;
    c->steps = mote_system_steps(system), c->time = mote_system_time(system);
}

TEST(other_calls_in_the_hook_are_busy) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    mote_system *system = system_of(&def);
    caller c = {.force = add_force(system, mote_gravity((const float[3]){0, -9.81f, 0}))};
    spawned(system, 3);
    OK(mote_system_set_step_hook(system, call_the_rest, &c));
    stepped(system, 3);
    ASSERT(c.calls, ==, 3);
    ASSERT(c.steps, ==, 3);
    ASSERT(c.time, ==, mote_system_time(system));
    OK(mote_system_seek(system, 60));
    stepped(system, 0);
    ASSERT(c.calls, ==, 3);
    OK(mote_system_set_step_hook(system, NULL, NULL));
    stepped(system, 2);
    ASSERT(c.calls, ==, 3);
    spawned(system, 2); /* no longer in the hook: everything is legal again */
    add_force(system, mote_gravity((const float[3]){0, -9.81f, 0}));
    REFUSED(NULL, MOTE_ERROR_NULL, mote_system_set_step_hook(NULL, call_the_rest, &c));
    mote_system_destroy(system);
}

static void count_call(void *user, mote_system *system, const mote_range_view *all) {
    (void)all;
    mote_range_view born;
    *(uint32_t *)user += mote_system_spawn(system, 1, &born) == MOTE_OK;
}

TEST(hooks_of_many_systems_are_called_in_each) {
    enum { SYSTEMS = 20 };
    mote_system *systems[SYSTEMS];
    uint32_t calls[SYSTEMS] = {0}, threads = 3;
    const mote_jobs jobs = pthread_jobs_hook(&threads);
    for (int i = 0; i < SYSTEMS; i++) {
        mote_system_def def = mote_default_system_def();
        systems[i] = system_of(&def);
        OK(mote_system_set_step_hook(systems[i], count_call, &calls[i]));
    }
    OK(mote_systems_advance(systems, SYSTEMS, 100000000, &jobs, NULL));
    for (int i = 0; i < SYSTEMS; i++) {
        ASSERT(calls[i], ==, 6);
        ASSERT(mote_system_count(systems[i]), ==, 6);
        mote_system_destroy(systems[i]);
    }
}

/* --- What it sees --- */

enum { SEEN = 3 };

typedef struct sights {
    uint32_t count;
    uint64_t hash[SEEN];
    float previous[SEEN][3];
} sights;

static void look(void *user, mote_system *system, const mote_range_view *all) {
    sights *s = user;
    ASSERT(s->count, <, SEEN);
    s->hash[s->count] = mote_system_hash(system);
    for (int axis = 0; axis < 3 && all->previous.x; axis++)
        s->previous[s->count][axis] = (&all->previous.x)[axis][0];
    s->count++;
}

/* A particle in flight; a strand and a network of two, if asked for. */
static mote_system *make_scene(mote_interpolation interpolation, bool strand, bool network) {
    static const float places[12] = {0, 0, 0, 0, -1, 0, 0, -2, 0, 1, -2, 0}, speeds[6] = {1, 0, 0, 1, 2, 0};
    static const mote_spring spring = {0, 1, 0.9f, 10, 0, 0};
    mote_system_def def = mote_default_system_def();
    def.capacity = 64, def.interpolation = interpolation;
    mote_system *system = system_of(&def);
    add_force(system, mote_gravity((const float[3]){0.5f, -9.81f, 0}));
    mote_strands_def hair = mote_default_strands_def();
    mote_network_def net = mote_default_network_def();
    mote_strands_id hair_id;
    mote_network_id net_id;
    hair.strand_count = 1, hair.points = 4, hair.positions = places;
    net.particle_count = 2, net.positions = places, net.velocities = speeds;
    net.springs = &spring, net.spring_count = 1;
    if (strand) OK(mote_system_add_strands(system, &hair, &hair_id, NULL));
    if (network) OK(mote_system_add_network(system, &net, &net_id, NULL));
    const mote_range_view view = spawned(system, 1);
    view.velocity.x[0] = 60, view.velocity.z[0] = 1;
    return system;
}

/* The places before a step are kept for each step that a hook sees the end of, not for the last one alone. */
TEST(a_hook_sees_what_a_single_step_leaves) {
    for (int i = 0; i < 4 * MOTE_INTERPOLATION_COUNT; i++) {
        const mote_interpolation interpolation = (mote_interpolation)(i / 4);
        mote_system *hooked = make_scene(interpolation, i & 1, i & 2),
                    *single = make_scene(interpolation, i & 1, i & 2);
        sights in = {.count = 0}, after = {.count = 0};
        OK(mote_system_set_step_hook(hooked, look, &in));
        stepped(hooked, SEEN);
        for (int k = 0; k < SEEN; k++) {
            stepped(single, 1);
            const mote_range_view view = mote_system_view(single);
            look(&after, single, &view);
            test_case("interpolation %d, strand %d, network %d, step %d", i / 4, i & 1, (i & 2) / 2, k);
            ASSERT(in.hash[k], ==, after.hash[k]);
            for (int axis = 0; axis < 3; axis++) ASSERT(in.previous[k][axis], ==, after.previous[k][axis]);
        }
        ASSERT(in.count, ==, SEEN);
        mote_system_destroy(hooked), mote_system_destroy(single);
    }
}

/* --- A second system, which takes its steps in the hook of the first --- */

static void step_other(void *user, mote_system *system, const mote_range_view *all) {
    (void)system, (void)all;
    OK(mote_system_step(user, 1, NULL));
}

/* At 144 frames a second and 60 steps. */
TEST(a_system_that_steps_in_the_hook_of_another_is_drawn_beside_it) {
    mote_system_def def = mote_default_system_def();
    mote_system *rain = system_of(&def), *splashes = system_of(&def);
    spawned(rain, 1).velocity.x[0] = spawned(splashes, 1).velocity.x[0] = 6;
    OK(mote_system_set_step_hook(rain, step_other, splashes));
    float last = 0;
    for (int frame = 1; frame <= 300; frame++) {
        const mote_advance report = advanced(rain, 6944444);
        OK(mote_system_set_alpha(splashes, report.alpha));
        const float place = presented_x(splashes);
        test_case("frame %d", frame);
        ASSERT(place, ==, presented_x(rain));
        if (mote_system_steps(rain) > 0 && last > 0) ASSERT_NEAR(place - last, 6 / 144.0, 1e-5);
        last = place;
    }
    const uint64_t hash = mote_system_hash(splashes), tick = mote_system_tick(splashes);
    OK(mote_system_set_alpha(splashes, 1));
    const float now = mote_system_view(splashes).position.x[0];
    ASSERT_NEAR(presented_x(splashes), now, 1e-6 * (double)now);
    ASSERT(mote_system_hash(splashes), ==, hash);
    ASSERT(mote_system_tick(splashes), ==, tick);
    ASSERT(advanced(splashes, 0).alpha, ==, 0); /* its own again, of an accumulator that is empty */
    ASSERT_NEAR(presented_x(splashes), (double)now - 0.1, 1e-6 * (double)now);
    REFUSALS(splashes, REFUSES(RANGE, mote_system_set_alpha(splashes, -0.5f)),
             REFUSES(RANGE, mote_system_set_alpha(splashes, 1.5f)),
             REFUSES(NOT_FINITE, mote_system_set_alpha(splashes, NAN)));
    mote_system_destroy(rain), mote_system_destroy(splashes);
}
