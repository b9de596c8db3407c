/* Calls between steps under a hostile control word of the host: the numbers that they compute are those of a
 * calm one, and the word is the host's again when they return. The hostile words have every rounding mode
 * that <fenv.h> offers, and flush denormal numbers to zero where the processor can. */
#include "test.h"

#include <string.h>

#include "host_control.h"
#include "inside.h"
#include "systems.h"

#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
enum { CROWD = 3000, PARTICLES = 40, POINTS = 6, NODES = 7, NUMBERS = 2000 };

typedef struct subject {
    mote_system *system;
    mote_range_view view;
    mote_strands_id hair;
    mote_network_id net;
    mote_collider_id collider;
    mote_grid *grid;
    float x[POINTS][3], y[NODES][3];
    double out[NUMBERS]; /* what a call returns, then the state one step later */
    size_t count;
} subject;

static void put(subject *s, double value) {
    ASSERT(s->count, <, NUMBERS);
    s->out[s->count++] = value;
}

static mote_result add_hair(subject *s) {
    mote_strands_def def = mote_default_strands_def();
    def.solver = MOTE_STRAND_SPRINGS, def.compliance = 10;
    def.mass = 0.013f, def.rest_scale = 0.9f;
    def.strand_count = 1, def.points = POINTS, def.positions = s->x[0];
    return mote_system_add_strands(s->system, &def, &s->hair, NULL);
}

static mote_result add_net(subject *s, mote_stability_policy policy) {
    mote_network_def def = mote_default_network_def();
    mote_spring springs[NODES - 1];
    for (uint32_t i = 0; i + 1 < NODES; i++)
        springs[i] = (mote_spring){i, i + 1, MOTE_AS_PLACED, 150, 0.02f, 0};
    def.policy = policy, def.particle_count = NODES, def.positions = s->y[0], def.mass = 0.07f;
    def.spring_count = NODES - 2, def.spring_capacity = 2 * NODES, def.springs = springs;
    return mote_system_add_network(s->system, &def, &s->net, NULL);
}

/* --- The calls --- */

static const float somewhere[3] = {0.13f, 0.37f, -0.71f}, edges[3] = {0.3f, 0.2f, 0.1f};
static const mote_transform turned = {{0.1f, 0.2f, 0.3f}, {0.3f, -0.2f, 0.7f, 0.9f}};

static mote_result do_step(subject *s) { return mote_system_step(s->system, 3, NULL); }
/* Of it 53 bits, which a double holds. */
static mote_result do_hash(subject *s) {
    put(s, (double)(mote_system_hash(s->system) >> 11));
    return MOTE_OK;
}

static mote_result do_seek(subject *s) { return mote_system_seek(s->system, 77); }

static mote_result do_statistics(subject *s) {
    mote_statistics of;
    const mote_result result = mote_system_statistics(s->system, &of);
    for (int i = 0; i < 3; i++) put(s, of.momentum[i]);
    put(s, of.kinetic);
    return result;
}

static mote_result do_preview(subject *s) {
    mote_preview_def def = mote_default_preview_def();
    for (int axis = 0; axis < 3; axis++)
        def.position[axis] = (float)(1 + axis), def.velocity[axis] = (float)(4 + axis);
    def.inverse_mass = 0.7f, def.interval = 0.03, def.count = 5;
    float points[5][3];
    const mote_result result = mote_system_preview(s->system, &def, points);
    for (int i = 0; i < 5; i++) put(s, (double)points[i][0]);
    return result;
}

static mote_result do_impulses(subject *s) {
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < PARTICLES && !result; i++) result = mote_system_impulse(s->system, i, somewhere);
    return result;
}

static mote_result do_masses(subject *s) {
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < PARTICLES && !result; i++)
        result = mote_system_set_inverse_mass(s->system, i, 0.37f);
    return result;
}

static mote_result do_times(subject *s) {
    put(s, mote_system_age(s->system, 0));
    put(s, mote_system_time(s->system));
    return MOTE_OK;
}

static mote_columns columns_of(subject *s) {
    return (mote_columns){
        .count = PARTICLES, .position = s->view.position, .velocity = s->view.velocity, .mass = 0.3f};
}

static mote_result do_columns_step(subject *s) {
    const mote_columns columns = columns_of(s);
    const mote_force_def force = mote_attractor(somewhere, 3, 0.1f);
    mote_columns_def def = mote_default_columns_def();
    def.forces = &force, def.force_count = 1, def.substeps = 3;
    return mote_columns_step(&columns, &def, NULL);
}

static mote_result do_columns_kick(subject *s) {
    const mote_columns columns = columns_of(s);
    const mote_force_def force = mote_attractor(somewhere, 3, 0.1f);
    mote_columns_def def = mote_default_columns_def();
    def.forces = &force, def.force_count = 1;
    return mote_columns_kick(&columns, &def, 0.3);
}

static mote_result do_add_hair(subject *s) {
    OK(mote_system_remove_strands(s->system, s->hair));
    return add_hair(s);
}

static mote_result do_roots(subject *s) {
    return mote_strands_set_roots(s->system, s->hair, &turned, 1, MOTE_NEXT_ADVANCE);
}
static mote_result do_root(subject *s) {
    return mote_strands_set_root(s->system, s->hair, 0, &turned, MOTE_NEXT_ADVANCE);
}
static mote_result do_reset(subject *s) {
    OK(do_root(s));
    return mote_strands_reset(s->system, s->hair, 0);
}

static mote_result do_links(subject *s) {
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < NODES && !result; i++) {
        mote_link link = mote_default_link();
        link.a.strands = s->hair, link.a.point = POINTS - 1;
        link.b.network = s->net, link.b.particle = i;
        link.stiffness = 1e6f;
        mote_link_id id;
        result = mote_system_add_link(s->system, &link, &id);
    }
    return result;
}

static mote_result do_add_net(subject *s) {
    OK(mote_system_remove_network(s->system, s->net));
    return add_net(s, MOTE_STABILITY_REPORT);
}

static mote_result do_springs(subject *s) {
    mote_spring springs[NODES - 2];
    uint32_t numbers[NODES - 2];
    for (uint32_t i = 0; i < NODES - 2; i++) springs[i] = (mote_spring){i, i + 2, MOTE_AS_PLACED, 1e7f, 0, 0};
    return mote_network_add_springs(s->system, s->net, NODES - 2, springs, numbers, NULL);
}

/* Denormal numbers are not 0. */
static mote_result do_set_springs(subject *s) {
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < NODES - 2 && !result; i++)
        result = mote_network_set_spring(s->system, s->net, i, 150, 1e-40f, 1e-41f, NULL);
    return result;
}

/* Pins round nothing, but in builds with assertions the layout is compared with the springs. */
static mote_result do_pin_net(subject *s) {
    OK(do_set_springs(s));
    OK(mote_network_pin(s->system, s->net, 1, somewhere, MOTE_NEXT_ADVANCE));
    return mote_network_pin(s->system, s->net, 2, somewhere, 0);
}
static mote_result do_unpin_net(subject *s) {
    OK(do_pin_net(s));
    return mote_network_unpin(s->system, s->net, 2);
}

static mote_result do_remove_springs(subject *s) {
    const uint32_t numbers[2] = {2, 3};
    OK(do_set_springs(s));
    const mote_result result = mote_network_remove_springs(s->system, s->net, 2, numbers, NULL);
    const mote_network *net = network_inside(s->system, s->net);
    for (uint32_t i = 0; i < net->packet_count; i++) put(s, net->packet[i].damped);
    return result;
}

/* The second begins where the first stands. */
static mote_result do_reels(subject *s) {
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < 2 * (NODES - 2) && !result; i++) {
        if (i == NODES - 2) OK(mote_system_step(s->system, 1, NULL));
        result = mote_network_reel(s->system, s->net, i % (NODES - 2), 0.11f, mote_system_tick(s->system) * 3,
                                   NULL);
    }
    return result;
}

/* The check before the first step computes the bound. */
static mote_result do_refusal(subject *s) {
    mote_network_stability_report report;
    OK(mote_system_remove_network(s->system, s->net));
    OK(add_net(s, MOTE_STABILITY_REFUSE));
    OK(mote_system_step(s->system, 1, NULL));
    const mote_result result = mote_network_stability(s->system, s->net, &report);
    put(s, report.any.step);
    return result;
}

static mote_result pin_point(subject *s, uint32_t point) {
    return mote_strands_pin(s->system, s->hair, 0, point, somewhere, MOTE_NEXT_ADVANCE);
}
static void put_spans(subject *s, uint32_t count) {
    const mote_strands *hair = strands_inside(s->system, s->hair);
    ASSERT(hair->span_count, ==, count);
    for (uint32_t i = 0; i < count; i++) put(s, (double)hair->spans[i].rest_length);
}
static mote_result do_pin_hair(subject *s) {
    OK(pin_point(s, 2));
    OK(pin_point(s, 5));
    put_spans(s, 2);
    return MOTE_OK;
}
static mote_result do_unpin_hair(subject *s) {
    for (uint32_t point = 1; point < POINTS; point++) OK(pin_point(s, point));
    OK(mote_strands_unpin(s->system, s->hair, 0, 2));
    put_spans(s, POINTS - 2);
    return MOTE_OK;
}

static mote_result do_report(subject *s) {
    mote_strands_step_report report;
    const mote_result result = mote_strands_report(s->system, s->hair, &report);
    put(s, (double)report.mean_strain);
    return result;
}

static mote_result do_followers(subject *s) {
    const mote_strand_layout layout = mote_default_strand_layout();
    mote_followers_def def = mote_default_followers_def();
    mote_followers *followers;
    float vertices[8 * POINTS] = {0};
    def.follower_count = 1, def.points = POINTS, def.positions = s->y[0];
    OK(mote_followers_create(s->system, s->hair, &def, &followers, NULL));
    const mote_result result =
        mote_followers_present(s->system, followers, &layout, vertices, sizeof vertices);
    for (int i = 0; i < 8 * POINTS; i++) put(s, (double)vertices[i]);
    mote_followers_destroy(followers);
    return result;
}

static mote_result do_resample(subject *s) {
    mote_hair hair = mote_default_hair(), *resampled;
    mote_hair_resample_def def = mote_default_hair_resample_def();
    hair.strand_count = 1, hair.point_count = POINTS, hair.default_segments = POINTS - 1;
    hair.points = s->x, def.points = 9;
    const mote_result result = mote_hair_resample(&hair, &def, &resampled, NULL);
    for (int i = 0; i < 27; i++) put(s, (double)resampled->points[i / 3][i % 3]);
    mote_hair_destroy(resampled);
    return result;
}

/* To nearest, 1 / 41 is rounded down. */
static mote_result do_grid(subject *s) {
    mote_grid_def def = mote_default_grid_def();
    float samples[8][3];
    for (int i = 0; i < 24; i++) samples[i / 3][i % 3] = 1000 * (float)i; /* exact */
    for (int k = 0; k < 3; k++) def.count[k] = 2, def.origin[k] = -20, def.spacing[k] = 41;
    def.vectors = (const float(*)[3])samples;
    OK(mote_grid_create(&def, &s->grid));
    add_force(s->system, mote_grid_field(s->grid, MOTE_FIELD_ACCELERATION, 1));
    return MOTE_OK;
}

static mote_result do_create(subject *s) {
    for (uint32_t steps = 7; steps < 14; steps++) {
        mote_system_def def = mote_default_system_def();
        def.steps_per_second = (mote_rate){steps, 3};
        mote_system *made = system_of(&def);
        put(s, mote_system_timestep(made));
        mote_system_destroy(made);
    }
    return MOTE_OK;
}

static mote_result do_add_collider(subject *s) {
    const mote_collider_def box = mote_box(&turned, edges);
    return mote_system_add_collider(s->system, &box, &s->collider);
}
static mote_result do_set_collider(subject *s) {
    mote_collider_def box = mote_box(&turned, edges);
    OK(do_add_collider(s));
    box.transform.rotation[0] = 0.7f;
    return mote_system_set_collider(s->system, s->collider, &box);
}
static mote_result do_move_collider(subject *s) {
    mote_transform to = turned;
    OK(do_add_collider(s));
    to.rotation[0] = 0.7f;
    return mote_system_move_collider(s->system, s->collider, &to, MOTE_NEXT_ADVANCE);
}

static mote_result do_shapes(subject *s) {
    const mote_collider_def shapes[2] = {mote_capsule(somewhere, turned.position, 0.1f),
                                         mote_plane(turned.position, somewhere)};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) put(s, (double)shapes[i].transform.position[k]);
        for (int k = 0; k < 4; k++) put(s, (double)shapes[i].transform.rotation[k]);
        put(s, (double)shapes[i].half_length);
    }
    return MOTE_OK;
}

/* At 0 and beside the smallest floats the gaps are denormal. */
static mote_result do_dead_zone(subject *s) {
    static const double magnitudes[] = {0, 1e-45, 1e-39, 1.2e-38, 0.3, 1e6};
    for (uint32_t i = 0; i < COUNT_OF(magnitudes) * MOTE_INTEGRATOR_COUNT; i++) {
        const double x = magnitudes[i / MOTE_INTEGRATOR_COUNT];
        const mote_dead_zone zone =
            mote_integrator_dead_zone((mote_integrator)(i % MOTE_INTEGRATOR_COUNT), x, -x, 1.0 / 480);
        put(s, zone.still_speed), put(s, zone.full_speed);
        put(s, zone.still_acceleration), put(s, zone.full_acceleration);
    }
    return MOTE_OK;
}

static mote_result do_chain(subject *s) {
    const mote_chain chain = {MOTE_CHAIN_FIXED_FREE, 10, 0.3, 7};
    double x[10] = {0.1, 0.3}, v[10] = {0.7}, scratch[20];
    for (uint32_t mode = 1; mode <= 10; mode++) put(s, mote_chain_frequency(&chain, mode));
    const mote_result result = mote_chain_evolve(&chain, 1.3, x, v, scratch);
    for (int i = 0; i < 10; i++) put(s, x[i]);
    return result;
}

static const struct {
    const char *name;
    mote_result (*call)(subject *s);
    bool ranges; /* with strands and a network */
} calls[] = {{"step", do_step, true},
             {"seek", do_seek, false},
             {"statistics", do_statistics, true},
             {"preview", do_preview, true},
             {"hash", do_hash, true},
             {"impulses", do_impulses, false},
             {"masses", do_masses, false},
             {"age and time", do_times, false},
             {"columns: step", do_columns_step, false},
             {"columns: kick", do_columns_kick, false},
             {"strands: add", do_add_hair, true},
             {"strands: roots", do_roots, true},
             {"strands: root", do_root, true},
             {"strands: reset", do_reset, true},
             {"links: add", do_links, true},
             {"network: add", do_add_net, true},
             {"network: add springs", do_springs, true},
             {"network: remove springs", do_remove_springs, true},
             {"network: set spring", do_set_springs, true},
             {"network: pin", do_pin_net, true},
             {"network: unpin", do_unpin_net, true},
             {"network: reel", do_reels, true},
             {"network: refusal", do_refusal, true},
             {"strands: pin", do_pin_hair, true},
             {"strands: unpin", do_unpin_hair, true},
             {"strands: report", do_report, true},
             {"followers: create", do_followers, true},
             {"hair: resample", do_resample, false},
             {"grid: create", do_grid, false},
             {"system: create", do_create, false},
             {"collider: add", do_add_collider, false},
             {"collider: set", do_set_collider, false},
             {"collider: move", do_move_collider, false},
             {"capsule and plane", do_shapes, false},
             {"dead zone", do_dead_zone, false},
             {"chain", do_chain, false}};

/* --- The comparison --- */

static void make_subject(subject *s, bool ranges, mote_jobs jobs) {
    mote_system_def def = mote_default_system_def();
    memset(s, 0, sizeof *s);
    def.mass_column = def.lifetimes = true;
    def.start_time = 0.1;
    def.jobs = jobs;
    def.capacity = CROWD;
    s->system = system_of(&def);
    add_force(s->system, mote_gravity((float[3]){0.3f, -9.81f, 0.1f}));
    add_force(s->system, mote_wind((float[3]){3, 1, 0.7f}, 0.2f));
    for (uint32_t i = 0; i < POINTS; i++)
        s->x[i][0] = 0.3f + 0.07f * (float)i, s->x[i][1] = 0.011f * (float)(i * i);
    for (uint32_t i = 0; i < NODES; i++) s->y[i][1] = 0.13f * (float)i, s->y[i][2] = 0.017f * (float)(i * i);
    if (ranges) {
        OK(add_hair(s));
        OK(add_net(s, MOTE_STABILITY_REPORT));
    }
    s->view = spawned_at_random(s->system, PARTICLES, 3);
    stepped(s->system, 49);
}

static void put_columns(subject *s, const mote_vector_columns *x, const mote_vector_columns *v,
                        size_t count) {
    const float *const columns[6] = {x->x, x->y, x->z, v->x, v->y, v->z};
    for (int c = 0; c < 6; c++)
        for (size_t i = 0; i < count; i++) put(s, (double)columns[c][i]);
}

static void put_state(subject *s, bool ranges) {
    stepped(s->system, 1);
    put_columns(s, &s->view.position, &s->view.velocity, PARTICLES);
    if (!ranges) return;
    const mote_strands_view hair = mote_strands_columns(s->system, s->hair);
    const mote_network_view net = mote_network_columns(s->system, s->net);
    put_columns(s, &hair.position, &hair.velocity, hair.slot_count);
    put_columns(s, &net.position, &net.velocity, net.slot_count);
}

static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static void run_under(const int *rounding, size_t number, subject *s) {
    make_subject(s, calls[number].ranges, (mote_jobs){0});
    const host saved = rounding ? make_hostile(*rounding) : (host){.word = read_word()};
    const uint64_t before = read_word() & ~FLAGS;
    const mote_result result = calls[number].call(s);
    const uint64_t after = read_word() & ~FLAGS;
    const int kept = fegetround();
    if (rounding) make_calm(&saved);
    OK(result);
    ASSERT(after, ==, before);
    ASSERT(kept, ==, rounding ? *rounding : FE_TONEAREST);
    const uint64_t hash = mote_system_hash(s->system);
    put(s, (double)(hash >> 32)), put(s, (double)(uint32_t)hash);
    put_state(s, calls[number].ranges);
    mote_system_destroy(s->system);
    mote_grid_destroy(s->grid);
}

TEST(calls_between_steps_compute_the_same_under_any_control_word) {
    static subject calm, hostile;
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        run_under(NULL, i, &calm);
        for (size_t mode = 0; mode < COUNT_OF(roundings); mode++) {
            test_case("%s, mode %u", calls[i].name, (unsigned)mode);
            run_under(&roundings[mode], i, &hostile);
            ASSERT(hostile.count, ==, calm.count);
            for (size_t k = 0; k < calm.count; k++) ASSERT(hostile.out[k], ==, calm.out[k]);
        }
    }
}

/* Runs every task on a thread of the host that has a control word of its own. */
static void run_hostile(void *user, mote_task *task, void *context, uint32_t count) {
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        const int rounding = roundings[i % COUNT_OF(roundings)];
        const host saved = make_hostile(rounding);
        const uint64_t before = read_word() & ~FLAGS;
        task(context, i, 0);
        const uint64_t after = read_word() & ~FLAGS;
        const int kept = fegetround();
        make_calm(&saved);
        ASSERT(after, ==, before);
        ASSERT(kept, ==, rounding);
    }
}

TEST(tasks_compute_the_same_on_threads_with_any_control_word) {
    static subject calm, hostile;
    static const mote_jobs hostile_jobs = {4, NULL, run_hostile, 1};
    subject *const subjects[2] = {&calm, &hostile};
    for (int i = 0; i < 2; i++) {
        make_subject(subjects[i], true, i ? hostile_jobs : (mote_jobs){0});
        (void)spawned_at_random(subjects[i]->system, CROWD - PARTICLES, 4); /* several blocks */
        put_state(subjects[i], true);
        mote_system_destroy(subjects[i]->system);
    }
    for (size_t k = 0; k < calm.count; k++) ASSERT(hostile.out[k], ==, calm.out[k]);
}
#else
TEST(there_is_no_control_word_to_change) { skip(); }
#endif
