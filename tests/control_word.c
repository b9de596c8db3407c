/* Calls between steps under a hostile control word of the host: the numbers that they compute are those of a
 * calm one, and the word is the host's again when they return. The hostile words have every rounding mode
 * that <fenv.h> offers, and flush denormal numbers to zero where the processor can. */
#include "control_word.h"
#include "inside.h"

#ifdef HAS_CONTROL_WORD
/* --- The calls --- */

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

/* Along a denormal direction. */
static mote_result do_order(subject *s) {
    static uint32_t order[16 * CROWD];
    const float small[3] = {1e-40f, 0, 2e-40f};
    const mote_result result = mote_system_order(s->system, small, order, sizeof order);
    for (uint32_t i = 0; i < PARTICLES; i++) put(s, order[i]);
    return result;
}

static mote_result do_occupancy(subject *s) {
    OK(add_rods(s, MOTE_STRAND_ROBUST, NULL));
    const mote_strands_view view = mote_strands_columns(s->system, s->hair);
    put_floats(s, &view.occupancy, 1);
    return MOTE_OK;
}

static mote_result do_transforms(subject *s) {
    const mote_transform other = {{0.7f, -0.1f, 1e-40f}, {1e-40f, 2e-40f, 0, 3e-40f}},
                         made[2] = {mote_transform_multiply(&turned, &other),
                                    mote_transform_inverse(&turned)};
    float image[3];
    mote_transform_point(&turned, somewhere, image);
    for (int i = 0; i < 2; i++) put_floats(s, made[i].position, 3), put_floats(s, made[i].rotation, 4);
    put_floats(s, image, 3);
    return MOTE_OK;
}

static mote_result do_stable_step(subject *s) {
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        put(s, mote_integrator_stable_step((mote_integrator)i, 150, 0.3, 0.07));
        put(s, mote_integrator_stable_step((mote_integrator)i, 1e-310, 0, 3e-312));
    }
    return MOTE_OK;
}

/* The first is a whole number but for a rounding, the second of a denormal length. */
static mote_result do_substeps(subject *s) {
    put(s, mote_strand_substeps(10, 1.0 / 12, 9, 1.0 / 60));
    put(s, mote_strand_substeps(10, 1e-310, 9, 1.0 / 60));
    return MOTE_OK;
}

static mote_result do_section(subject *s) {
    mote_rod_def rod = mote_default_rod_def();
    mote_rod_section section;
    rod.short_radius = 2.7e-5, rod.hole_radius = 1.3e-5;
    const mote_result result = mote_rod_section_of(&rod, &section, NULL);
    put_floats(s, &section.bending_stiffness, 1), put_floats(s, &section.twisting_stiffness, 1);
    put_floats(s, &section.mass_per_metre, 1), put_floats(s, &section.bending_ratio, 1);
    return result;
}

static mote_result do_normals(subject *s) {
    const mote_mesh_layout layout = mote_default_mesh_layout();
    const mote_result result = mote_mesh_normals(&layout, s->some, 4, (uint32_t[6]){0, 1, 2, 2, 1, 3}, 6);
    put_floats(s, s->some, 24);
    return result;
}

static mote_hair model_of(subject *s) {
    mote_hair hair = mote_default_hair();
    hair.strand_count = 1, hair.point_count = POINTS, hair.default_segments = POINTS - 1;
    hair.points = s->x, hair.thickness = s->some;
    return hair;
}

/* The second makes denormal points. */
static mote_result do_transform_hair(subject *s) {
    const float axes[9] = {0.8f, -0.6f, 0, 0.6f, 0.8f, 0, 0, 0, 1}, nowhere[3] = {0, 0, 0};
    mote_hair hair = model_of(s);
    OK(mote_hair_transform(&hair, -0.37f, axes, somewhere));
    put_floats(s, s->x[0], 3 * POINTS), put_floats(s, s->some, POINTS);
    const mote_result result = mote_hair_transform(&hair, 1e-39f, axes, nowhere);
    put_floats(s, s->x[0], 3 * POINTS), put_floats(s, s->some, POINTS);
    return result;
}

static mote_result do_resample_by_length(subject *s) {
    const mote_hair hair = model_of(s);
    mote_hair_resample_def def = mote_default_hair_resample_def();
    mote_hair *resampled;
    def.segment_length = 0.03f;
    const mote_result result = mote_hair_resample(&hair, &def, &resampled, NULL);
    put(s, resampled->point_count);
    put_floats(s, resampled->points[0], (size_t)3 * resampled->point_count);
    put_floats(s, resampled->thickness, resampled->point_count);
    mote_hair_destroy(resampled);
    return result;
}

/* A denormal length is one, and a negative one is refused. */
static mote_result do_check_lengths(subject *s) {
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.segment_length = 1e-40f;
    put(s, mote_hair_resample_def_check(&def, NULL));
    def.points = 7, def.segment_length = -1e-40f;
    put(s, mote_hair_resample_def_check(&def, NULL));
    return MOTE_OK;
}

static mote_result do_check_colliders(subject *s) {
    const float small[3] = {1e-40f, 1e-40f, 1e-40f};
    const mote_collider_def defs[2] = {mote_sphere(somewhere, 1e-40f), mote_box(&turned, small)};
    for (int i = 0; i < 2; i++) {
        put(s, mote_collider_check(&defs[i], NULL));
        put(s, mote_system_collider_check(s->system, &defs[i], NULL));
    }
    return MOTE_OK;
}

static mote_result do_small_normal(subject *s) {
    const mote_collider_def def = mote_plane(somewhere, (float[3]){1e-40f, 0, 2e-40f});
    put_floats(s, def.transform.rotation, 4);
    return MOTE_OK;
}

static const tried_call calls[] = {{"step", do_step, RANGES},
                                   {"seek", do_seek, LOOSE},
                                   {"statistics", do_statistics, RANGES},
                                   {"preview", do_preview, RANGES},
                                   {"hash", do_hash, RANGES},
                                   {"impulses", do_impulses, LOOSE},
                                   {"masses", do_masses, LOOSE},
                                   {"age and time", do_times, LOOSE},
                                   {"columns: step", do_columns_step, LOOSE},
                                   {"columns: kick", do_columns_kick, LOOSE},
                                   {"strands: add", do_add_hair, RANGES},
                                   {"strands: roots", do_roots, RANGES},
                                   {"strands: root", do_root, RANGES},
                                   {"strands: reset", do_reset, RANGES},
                                   {"links: add", do_links, RANGES},
                                   {"network: add", do_add_net, RANGES},
                                   {"network: add springs", do_springs, RANGES},
                                   {"network: remove springs", do_remove_springs, RANGES},
                                   {"network: set spring", do_set_springs, RANGES},
                                   {"network: pin", do_pin_net, RANGES},
                                   {"network: unpin", do_unpin_net, RANGES},
                                   {"network: reel", do_reels, RANGES},
                                   {"network: refusal", do_refusal, RANGES},
                                   {"strands: pin", do_pin_hair, RANGES},
                                   {"strands: unpin", do_unpin_hair, RANGES},
                                   {"strands: report", do_report, RANGES},
                                   {"followers: create", do_followers, RANGES},
                                   {"hair: resample", do_resample, LOOSE},
                                   {"grid: create", do_grid, LOOSE},
                                   {"system: create", do_create, LOOSE},
                                   {"collider: add", do_add_collider, LOOSE},
                                   {"collider: set", do_set_collider, LOOSE},
                                   {"collider: move", do_move_collider, LOOSE},
                                   {"capsule and plane", do_shapes, LOOSE},
                                   {"dead zone", do_dead_zone, LOOSE},
                                   {"chain", do_chain, LOOSE},
                                   {"transforms", do_transforms, LOOSE},
                                   {"stable step", do_stable_step, LOOSE},
                                   {"substeps of strands", do_substeps, LOOSE},
                                   {"section of a rod", do_section, LOOSE},
                                   {"normals", do_normals, LOOSE},
                                   {"hair: transform", do_transform_hair, LOOSE},
                                   {"hair: resample by length", do_resample_by_length, LOOSE},
                                   {"hair: check of a resampling", do_check_lengths, LOOSE},
                                   {"order", do_order, LOOSE},
                                   {"strands: columns", do_occupancy, RANGES},
                                   {"colliders: check", do_check_colliders, LOOSE},
                                   {"plane of a small normal", do_small_normal, LOOSE}};

static const char *name_of(uint32_t number) { return calls[number].name; }

TEST_EACH(a_call_between_steps_computes_the_same_under_any_control_word, COUNT_OF(calls), name_of, number) {
    compare_call(&calls[number]);
}

/* Runs every task as on a thread of the host that has a control word of its own, of the rounding mode *user.
 */
static void run_hostile(void *user, mote_task *task, void *context, uint32_t count) {
    const int rounding = *(const int *)user;
    for (uint32_t i = 0; i < count; i++) {
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

static void step_by(subject *s, mote_jobs jobs) {
    make_subject(s, RANGES, jobs);
    (void)spawned_at_random(s->system, CROWD - PARTICLES, 4); /* several blocks */
    put_state(s, RANGES);
    destroy_subject(s);
}

TEST(tasks_compute_the_same_on_threads_with_any_control_word) {
    static subject calm, hostile;
    step_by(&calm, (mote_jobs){0});
    for (size_t mode = 0; mode < COUNT_OF(roundings); mode++) {
        int rounding = roundings[mode];
        step_by(&hostile, (mote_jobs){4, &rounding, run_hostile, 1});
        for (size_t k = 0; k < calm.count; k++) ASSERT(hostile.out[k], ==, calm.out[k]);
    }
}
#else
TEST(there_is_no_control_word_to_change) { skip(); }
#endif
