/* As control_word.c, of further calls: emitters, forces, events, presentation, snapshots, clusters, checks of
 * denormal numbers. */
#include "control_word.h"

#ifdef HAS_CONTROL_WORD
static float memory[1 << 17];

/* --- Steps --- */

static mote_result do_step(subject *s) {
    const mote_transform to = {{-0.1f, 0.7f, 0.3f}, {0.1f, 0.3f, -0.7f, 0.9f}};
    mote_hit_list hits;
    mote_birth_list births;
    mote_death_list deaths;
    OK(mote_system_move_collider(s->system, s->collider, &to, MOTE_NEXT_ADVANCE));
    OK(mote_system_move_emitter(s->system, s->emitter, &to, MOTE_NEXT_ADVANCE));
    OK(mote_system_step(s->system, 9, NULL));
    OK(mote_system_hits(s->system, &hits));
    OK(mote_system_births(s->system, &births));
    OK(mote_system_deaths(s->system, &deaths));
    ASSERT(hits.count && births.count && deaths.count, ==, true);
    put(s, hits.count), put(s, births.count), put(s, deaths.count);
    for (uint32_t i = 0; i < hits.count; i++) {
        put_floats(s, hits.events[i].position, 3), put_floats(s, hits.events[i].normal, 3);
        put_floats(s, &hits.events[i].time, 1), put_floats(s, &hits.events[i].speed, 1);
    }
    for (uint32_t i = 0; i < deaths.count; i++) put_floats(s, deaths.events[i].position, 3);
    return MOTE_OK;
}

static mote_result do_advance(subject *s) {
    mote_advance advance;
    const mote_result result = mote_system_advance(s->system, 61000000, &advance);
    put(s, (double)advance.steps), put_floats(s, &advance.alpha, 1);
    put(s, mote_system_timestep(s->system)), put(s, mote_system_time(s->system));
    return result;
}

static mote_result do_advance_systems(subject *s) {
    const mote_system_def def = mote_default_system_def();
    mote_system *systems[2] = {s->system, system_of(&def)};
    mote_range_view view;
    mote_advance advances[2];
    add_force(systems[1], mote_attractor(somewhere, 3, 0.1f));
    OK(mote_system_spawn(systems[1], 1, &view));
    const mote_result result = mote_systems_advance(systems, 2, 61000000, NULL, advances);
    for (int i = 0; i < 2; i++) put_floats(s, &advances[i].alpha, 1);
    put_floats(s, view.position.x, 1);
    mote_system_destroy(systems[1]);
    return result;
}

static void nudge(void *user, mote_system *system, const mote_range_view *view) {
    subject *s = user;
    OK(mote_system_impulse(system, 0, somewhere));
    OK(mote_system_set_inverse_mass(system, 1, 0.37f));
    OK(mote_system_emit(system, s->emitter, &turned, somewhere, 2, NULL));
    put_floats(s, view->position.x, 1);
}

static mote_result do_hook(subject *s) {
    OK(mote_system_set_step_hook(s->system, nudge, s));
    const mote_result result = mote_system_step(s->system, 3, NULL);
    OK(mote_system_set_step_hook(s->system, NULL, NULL));
    return result;
}

static mote_result do_spawn(subject *s) {
    const uint32_t slots[2] = {3, 5};
    mote_range_view view;
    OK(mote_system_reserve(s->system, 2 * CROWD));
    OK(mote_system_spawn(s->system, 9, &view));
    OK(mote_system_kill_slots(s->system, 2, slots));
    OK(mote_system_kill(s->system, 1, &view.id[4]));
    OK(mote_system_teleport(s->system, 7, 3));
    return mote_system_step(s->system, 2, NULL);
}

static mote_result do_external(subject *s) {
    mote_vector_columns forces, torques;
    OK(mote_system_external_forces(s->system, &forces));
    OK(mote_system_external_torques(s->system, &torques));
    memcpy(forces.x, s->some, 30 * sizeof(float)), memcpy(torques.z, s->some, 30 * sizeof(float));
    return mote_system_step(s->system, 1, NULL);
}

/* --- Forces --- */

static void pull(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user, (void)y, (void)z;
    for (uint32_t i = 0; i < stage->count; i++) x[i] -= 0.3f * stage->x[i];
}

/* Adds a force of each kind, in regions too. */
static mote_result do_forces(subject *s) {
    mote_grid_def def = mote_default_grid_def();
    for (int axis = 0; axis < 3; axis++) def.count[axis] = 2, def.spacing[axis] = 0.7f;
    def.vectors = (const float(*)[3])(const void *)s->some;
    OK(mote_grid_create(&def, &s->grid));
    const mote_field_use use = MOTE_FIELD_ACCELERATION, wind = MOTE_FIELD_WIND;
    const mote_force_def forces[] = {mote_thrust(somewhere),
                                     mote_anchor_spring(somewhere, 3, 0.1f),
                                     mote_attractor(somewhere, 3, 0.1f),
                                     mote_timed_thrust(edges + 2, s->some, 1),
                                     mote_quadratic_drag(somewhere, 0.1f),
                                     mote_particle_anchors(3, 0.1f),
                                     mote_linear_field(somewhere, s->some, use, 0),
                                     mote_vortex(somewhere, edges, 3, 0.1f, use, 0),
                                     mote_curl_noise(0.7f, 0.3f, 0.1f, 7, wind, 0.1f),
                                     mote_grid_field(s->grid, wind, 0.1f),
                                     mote_in_box(mote_gravity(somewhere), somewhere, edges, 1.3f),
                                     mote_in_sphere(mote_gravity(somewhere), somewhere, 0.7f, 1.3f),
                                     mote_callback(pull, NULL)};
    for (size_t i = 0; i < COUNT_OF(forces); i++) {
        put(s, mote_force_check(&forces[i], NULL));
        put(s, mote_system_force_check(s->system, &forces[i], NULL));
        add_force(s->system, forces[i]);
    }
    const mote_force_id first = add_force(s->system, forces[0]), second = add_force(s->system, forces[1]);
    OK(mote_system_set_force(s->system, second, &forces[2]));
    OK(mote_system_remove_force(s->system, first));
    return mote_system_step(s->system, 3, NULL);
}

/* --- Emitters --- */

static mote_result do_emitters(subject *s) {
    mote_emitter_def def = fountain();
    mote_emitter_id id;
    uint32_t born[2];
    OK(mote_emitter_check(&def, NULL));
    OK(mote_system_emitter_check(s->system, &def, NULL));
    OK(mote_system_add_emitter(s->system, &def, &id));
    def.transform.rotation[0] = def.angle = 0.7f;
    OK(mote_system_set_emitter(s->system, id, &def));
    OK(mote_system_move_emitter(s->system, id, &turned, MOTE_NEXT_ADVANCE));
    OK(mote_system_burst(s->system, id, 7));
    OK(mote_system_emit(s->system, id, &turned, somewhere, 9, &born[0]));
    OK(mote_system_emit(s->system, s->emitter, NULL, NULL, 9, &born[1]));
    put(s, born[0]), put(s, born[1]), put(s, mote_system_change_emitter(s->system, id, &def));
    return mote_system_remove_emitter(s->system, s->emitter);
}

/* --- Colliders --- */

/* A height field and a distance grid. */
static mote_result do_fields(subject *s) {
    mote_height_field_def heights = mote_default_height_field_def();
    mote_distance_grid_def distances = mote_default_distance_grid_def();
    for (int i = 0; i < 3; i++) distances.count[i] = 5, distances.origin[i] = -7.1f;
    for (int i = 0; i < 2; i++) heights.count[i] = 5, heights.spacing[i] = 3.7f;
    heights.heights = distances.distances = s->some, distances.spacing = 3.7f;
    OK(mote_height_field_def_check(&heights, NULL));
    OK(mote_height_field_create(&heights, &s->field));
    OK(mote_distance_grid_def_check(&distances, NULL));
    OK(mote_distance_grid_create(&distances, &s->distances));
    const mote_collider_def colliders[2] = {mote_height_field_collider(&turned, s->field),
                                            mote_distance_grid_collider(&turned, s->distances)};
    for (int i = 0; i < 2; i++) OK(mote_system_add_collider(s->system, &colliders[i], &s->collider));
    return mote_system_step(s->system, 2, NULL);
}

/* --- Particles --- */

/* With steps, since the force is not affine. */
static mote_result do_preview(subject *s) {
    mote_preview_def def = mote_default_preview_def();
    float points[5][3];
    memcpy(def.position, somewhere, sizeof somewhere);
    def.velocity[1] = 4, def.inverse_mass = 0.7f, def.interval = 0.03, def.count = 5;
    add_force(s->system, mote_attractor(edges, 3, 0.1f));
    const mote_result result = mote_system_preview(s->system, &def, points);
    put_floats(s, points[0], 15);
    return result;
}

/* --- Presentation --- */

static mote_result do_present(subject *s) {
    const mote_size_key sizes[2] = {{1e-40f, 0.7f, MOTE_EASE_SMOOTH}, {0.7f, 1e-40f, MOTE_EASE_STEP}};
    const mote_colour_key colours[2] = {{0.1f, {0.1f, 0.2f, 0.3f, 1}, MOTE_EASE_IN},
                                        {0.9f, {0.7f, 1e-40f, 0.1f, 0}, MOTE_EASE_STEP}};
    mote_present_layout layout = layout_at(72, 0, 12);
    layout.age_offset = 24, layout.remaining_offset = 28, layout.extra_offset[0] = 32;
    layout.size_offset = 36, layout.size_keys = sizes, layout.size_key_count = 2, layout.size_column = 0;
    layout.colour_offset = 40, layout.colour_keys = colours, layout.colour_key_count = 2;
    layout.orientation_offset = 56, layout.origin[1] = 0.1;
    OK(mote_system_advance(s->system, 7000000, NULL));
    OK(mote_present_layout_check(s->system, &layout, NULL));
    OK(mote_system_present(s->system, &layout, memory, sizeof memory));
    put_floats(s, memory, 18 * 20);
    layout = mote_default_present_layout(), layout.origin[1] = 0.1;
    OK(mote_network_layout_check(&layout, NULL));
    const mote_result result = mote_network_present(s->system, s->net, &layout, memory, sizeof memory);
    put_floats(s, memory, 3 * NODES);
    return result;
}

/* Of a region and a pin too. */
static mote_result do_lines(subject *s) {
    mote_lines_def def = mote_default_lines_def();
    static mote_line lines[1024];
    uint32_t count;
    def.plane_size = 3, def.segments = 8, def.pin_size = 1e-40f, def.origin[2] = 0.1;
    add_force(s->system, mote_in_sphere(mote_gravity(somewhere), somewhere, 0.7f, 0.3f));
    OK(mote_network_pin(s->system, s->net, 1, somewhere, MOTE_NEXT_ADVANCE));
    OK(mote_lines_def_check(&def, NULL));
    const mote_result result = mote_system_lines(s->system, &def, lines, COUNT_OF(lines), &count);
    for (uint32_t i = 0; i < count && i < 300; i++)
        put_floats(s, lines[i].from, 3), put_floats(s, lines[i].to, 3), put_floats(s, &lines[i].strain, 1);
    return result;
}

/* --- State as a whole --- */

static mote_result do_snapshot(subject *s) {
    size_t bytes, written;
    OK(mote_system_snapshot_bytes(s->system, &bytes));
    OK(mote_system_save(s->system, MOTE_SNAPSHOT_CHECKSUM, memory, sizeof memory, &written));
    put(s, (double)bytes), put(s, (double)written);
    OK(mote_system_step(s->system, 2, NULL));
    return mote_system_restore(s->system, memory, written, NULL);
}

static mote_result do_hash_parts(subject *s) {
    static mote_hash_chunk chunks[64];
    static uint64_t hashes[MOTE_HASH_CHUNK];
    uint32_t count;
    OK(mote_system_hash_chunks(s->system, chunks, COUNT_OF(chunks), &count));
    for (uint32_t i = 0; i < count; i++) {
        OK(mote_system_hash_items(s->system, &chunks[i], hashes));
        put(s, (double)(chunks[i].hash >> 11)), put(s, (double)(hashes[0] >> 11));
    }
    return MOTE_OK;
}

/* A transport of one rank. */
static int gather(void *user, const void *own, void *all, size_t bytes) {
    return user || !memcpy(all, own, bytes);
}
static int exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                    uint32_t receives) {
    return user || (sends && send) || (receives && receive);
}
static int wait_for(void *user) { return user != NULL; }

static mote_result do_cluster(subject *s) {
    const mote_transport transport = {0, 1, NULL, gather, exchange, wait_for, NULL};
    uint64_t hash;
    OK(mote_system_join(s->system, &transport));
    OK(mote_system_step(s->system, 2, NULL));
    OK(mote_system_gather(s->system));
    OK(mote_system_calls(s->system, &transport, &hash));
    put(s, (double)(hash >> 11)), put(s, mote_system_owns(s->system, 0));
    return MOTE_OK;
}

/* --- Strands and networks --- */

/* As ribbons of each facing, with followers. */
static mote_result do_present_strands(subject *s) {
    mote_followers_def def = mote_default_followers_def();
    mote_strand_layout layout = mote_default_strand_layout();
    mote_followers *followers;
    uint32_t guides[MOTE_GUIDES];
    float weights[MOTE_GUIDES];
    def.follower_count = 1, def.points = POINTS, def.positions = s->y[0];
    OK(add_rods(s, MOTE_STRAND_ROBUST, somewhere));
    OK(mote_system_advance(s->system, 20000000, NULL));
    OK(mote_followers_create(s->system, s->hair, &def, &followers, NULL));
    OK(mote_followers_guides(followers, 0, guides, weights));
    put_floats(s, weights, MOTE_GUIDES);
    layout.shape = MOTE_STRAND_RIBBONS, layout.stride = 48, layout.tangent_offset = 12;
    layout.frame_offset = 24, layout.side_offset = 40, layout.parameter_offset = 44;
    layout.root_width = 0.07f, layout.eye[2] = 3, layout.origin[0] = 0.1;
    for (int i = 0; i < MOTE_RIBBON_FACING_COUNT; i++) {
        layout.facing = (mote_ribbon_facing)i;
        OK(mote_strands_present(s->system, s->hair, &layout, memory, sizeof memory));
        put_floats(s, memory, 12 * 20);
        OK(mote_followers_present(s->system, followers, &layout, memory, sizeof memory));
        put_floats(s, memory, 12 * 12);
    }
    mote_followers_destroy(followers);
    return MOTE_OK;
}

/* A load that is denormal is one. */
static mote_result do_loads(subject *s) {
    const float small[3] = {1e-40f, 0, 0}, *const loads[2] = {somewhere, small};
    double factor = 0;
    for (int i = 0; i < 2; i++) {
        OK(add_rods(s, MOTE_STRAND_ROBUST, loads[i]));
        put(s, mote_strands_stability(s->system, s->hair, 0, &factor)), put(s, factor);
    }
    return MOTE_OK;
}

/* Rods, ropes that keep energy, a constrained network. */
static mote_result do_solvers(subject *s) {
    mote_network_def def = mote_default_network_def();
    const mote_spring springs[2] = {{0, 1, 0.1f, 1e7f, 0, 0}, {1, 2, 0.1f, 150, 0.1f, 0}};
    def.solver = MOTE_NETWORK_CONSTRAINED, def.particle_count = 3, def.positions = s->y[0];
    def.spring_count = 2, def.springs = springs;
    OK(mote_system_add_network(s->system, &def, &s->net, NULL));
    OK(add_rods(s, MOTE_STRAND_CONSERVING, NULL));
    OK(add_rods(s, MOTE_STRAND_ROBUST, somewhere));
    return mote_system_step(s->system, 2, NULL);
}

static mote_result do_statistics(subject *s) {
    mote_statistics of[2];
    double values[12];
    OK(mote_strands_statistics(s->system, s->hair, &of[0]));
    OK(mote_network_statistics(s->system, s->net, &of[1]));
    for (int i = 0; i < 2; i++) {
        memcpy(values, &of[i], sizeof values); /* all that are of double */
        for (int k = 0; k < 12; k++) put(s, values[k]);
    }
    return MOTE_OK;
}

/* Read, replaced and stepped; dampings that are denormal. */
static mote_result do_states(subject *s) {
    float x[3 * NODES], v[3 * NODES];
    OK(mote_strands_state(s->system, s->hair, 0, 1, x, v));
    put_floats(s, x, 3 * POINTS), put_floats(s, v, 3 * POINTS);
    OK(mote_network_state(s->system, s->net, 0, NODES, x, v));
    put_floats(s, x, 3 * NODES), put_floats(s, v, 3 * NODES);
    OK(mote_strands_set_state(s->system, s->hair, 0, 1, s->x[0], s->some));
    OK(mote_network_set_state(s->system, s->net, 0, NODES, s->y[0], s->some));
    OK(mote_strands_set_air(s->system, s->hair, somewhere));
    for (uint32_t i = 0; i < NODES - 2; i++)
        OK(mote_network_set_spring(s->system, s->net, i, 9, 1e-40f, 0, NULL));
    OK(mote_network_teleport(s->system, s->net));
    return mote_system_step(s->system, 2, NULL);
}

/* Of points that are pinned, and then of those whose inverse masses are denormal. */
static mote_result do_reactions(subject *s) {
    mote_network_step_report report;
    mote_spring spring;
    float impulse[3];
    OK(mote_network_pin(s->system, s->net, 1, somewhere, MOTE_NEXT_ADVANCE));
    OK(mote_system_step(s->system, 1, NULL));
    OK(mote_strands_reaction(s->system, s->hair, 0, 0, impulse));
    put_floats(s, impulse, 3);
    OK(mote_network_reaction(s->system, s->net, 1, impulse));
    put_floats(s, impulse, 3);
    OK(mote_network_report(s->system, s->net, &report));
    OK(mote_network_spring(s->system, s->net, 0, &spring));
    put_floats(s, &report.residual, 1), put_floats(s, &spring.rest_length, 1);
    return MOTE_OK;
}
static mote_result do_heavy(subject *s) {
    mote_strands_def strands = mote_default_strands_def();
    mote_network_def net = mote_default_network_def();
    float impulse[3];
    strands.strand_count = 1, strands.points = 2, strands.positions = s->x[0], strands.mass = 3e38f;
    net.particle_count = 1, net.positions = s->y[0], net.mass = 3e38f;
    OK(mote_system_add_strands(s->system, &strands, &s->hair, NULL));
    OK(mote_system_add_network(s->system, &net, &s->net, NULL));
    put(s, mote_strands_reaction(s->system, s->hair, 0, 1, impulse));
    put(s, mote_network_reaction(s->system, s->net, 0, impulse));
    return MOTE_OK;
}

static mote_result do_depth(subject *s) {
    const mote_collider_def ball = mote_sphere(somewhere, 3.3f);
    mote_strand_step_report report;
    OK(mote_system_add_collider(s->system, &ball, &s->collider));
    const mote_result result = mote_strands_report_of(s->system, s->hair, 0, &report);
    put_floats(s, &report.depth, 1), put_floats(s, &report.strain, 1);
    return result;
}

static mote_result do_link(subject *s) {
    mote_link link = mote_default_link();
    mote_link_id id;
    float impulse[3];
    link.a.strands = s->hair, link.a.point = POINTS - 1, link.b.network = s->net;
    link.stiffness = 30, link.damping = 0.1f;
    OK(mote_system_link_check(s->system, &link, NULL));
    OK(mote_system_add_link(s->system, &link, &id));
    OK(mote_system_step(s->system, 2, NULL));
    OK(mote_system_link(s->system, id, &link, impulse));
    put_floats(s, &link.rest_length, 1), put_floats(s, impulse, 3);
    return mote_system_remove_link(s->system, id);
}

/* --- Checks --- */

/* Twice 3 samples of 10^9 m / 3, rounded, and a spacing that is denormal but has an inverse. */
static mote_result do_check_samples(subject *s) {
    const float longest = 333333344;
    mote_height_field_def heights = mote_default_height_field_def();
    mote_distance_grid_def distances = mote_default_distance_grid_def();
    mote_grid_def grid = mote_default_grid_def();
    for (int axis = 0; axis < 3; axis++) {
        if (axis < 2) heights.count[axis] = 3, heights.spacing[axis] = longest;
        distances.count[axis] = 3, grid.count[axis] = 2, grid.spacing[axis] = 5e-39f;
    }
    heights.heights = distances.distances = s->some, distances.spacing = longest;
    grid.vectors = (const float(*)[3])(const void *)s->some;
    put(s, mote_height_field_def_check(&heights, NULL));
    put(s, mote_distance_grid_def_check(&distances, NULL));
    put(s, mote_grid_def_check(&grid, NULL));
    return MOTE_OK;
}

/* Denormal numbers that are legal, and then their negatives. */
static mote_result do_check_small(subject *s) {
    for (int i = 0; i < 2; i++) {
        const float small = i ? -1e-40f : 1e-40f;
        const mote_force_def forces[2] = {mote_wind(somewhere, small),
                                          mote_in_box(mote_gravity(somewhere), somewhere, edges, small)};
        const mote_size_key keys[2] = {{small, 1, MOTE_EASE_STEP}, {2e-40f, 1, MOTE_EASE_STEP}};
        mote_emitter_def emitter = mote_default_emitter_def();
        mote_system_def system = mote_default_system_def();
        mote_strand_layout strands = mote_default_strand_layout();
        mote_present_layout layout = layout_at(16, 0, MOTE_OMIT);
        const mote_columns columns = {9, s->view.position, s->view.velocity, .mass = small};
        mote_columns_def step = mote_default_columns_def();
        step.timestep = 1e-310;
        emitter.lifetime.least = system.friction = strands.root_width = small;
        system.mass = system.inertia[1] = 5e-39f, strands.shape = MOTE_STRAND_RIBBONS;
        layout.size_offset = 12, layout.size_keys = keys, layout.size_key_count = 2;
        for (int k = 0; k < 2; k++) put(s, mote_force_check(&forces[k], NULL));
        put(s, mote_emitter_check(&emitter, NULL));
        emitter.lifetime.least = 1, emitter.spin.least = emitter.spin.most = small;
        put(s, mote_system_emitter_check(s->system, &emitter, NULL));
        put(s, mote_system_def_check(&system, NULL));
        put(s, mote_strand_layout_check(&strands, NULL));
        put(s, mote_present_layout_check(NULL, &layout, NULL));
        put(s, mote_columns_check(&columns, &step, NULL));
    }
    return MOTE_OK;
}

/* Turns of denormal quaternions, denormal inverse masses. */
static mote_result do_small(subject *s) {
    const mote_transform small = {{0.1f, 0.2f, 0.3f}, {1e-40f, 0, 2e-40f, 0}};
    put(s, mote_system_move_collider(s->system, s->collider, &small, MOTE_NEXT_ADVANCE));
    put(s, mote_system_move_emitter(s->system, s->emitter, &small, MOTE_NEXT_ADVANCE));
    put(s, mote_strands_set_root(s->system, s->hair, 0, &small, MOTE_NEXT_ADVANCE));
    put(s, mote_strands_set_roots(s->system, s->hair, &small, 1, MOTE_NEXT_ADVANCE));
    put(s, mote_system_emit(s->system, s->emitter, &small, NULL, 1, NULL));
    put(s, mote_system_set_inverse_mass(s->system, 0, 1e-40f));
    put(s, mote_system_set_inverse_mass(s->system, 1, -1e-40f));
    return MOTE_OK;
}

/* Of a denormal interval, and of more steps than there may be, by less than a rounding. */
static mote_result do_check_preview(subject *s) {
    mote_preview_def def = mote_default_preview_def();
    float points[3][3];
    def.interval = 1e-310;
    put(s, mote_preview_def_check(&def, NULL));
    def.interval = 0x1.6c16bf49f49f6p+16, def.count = 3;
    add_force(s->system, mote_attractor(edges, 3, 0.1f));
    put(s, mote_system_preview(s->system, &def, points));
    return MOTE_OK;
}

static const tried_call calls[] = {{"step: colliders and an emitter", do_step, RICH},
                                   {"advance", do_advance, RANGES},
                                   {"advance of two systems", do_advance_systems, LOOSE},
                                   {"step: hook", do_hook, RICH},
                                   {"step: births and deaths", do_spawn, RICH},
                                   {"step: external forces", do_external, RICH},
                                   {"forces", do_forces, RICH},
                                   {"emitters", do_emitters, RICH},
                                   {"height field and distance grid", do_fields, LOOSE},
                                   {"preview by steps", do_preview, LOOSE},
                                   {"present", do_present, RANGES | RICH},
                                   {"lines", do_lines, RANGES | RICH},
                                   {"snapshot", do_snapshot, RANGES | RICH},
                                   {"hashes of parts", do_hash_parts, RANGES | RICH},
                                   {"cluster", do_cluster, RANGES | RICH},
                                   {"strands: present", do_present_strands, RANGES},
                                   {"strands: stability", do_loads, RANGES},
                                   {"step: solvers", do_solvers, RANGES},
                                   {"ranges: statistics", do_statistics, RANGES},
                                   {"ranges: states", do_states, RANGES},
                                   {"reactions", do_reactions, RANGES},
                                   {"reactions of heavy points", do_heavy, RANGES},
                                   {"strands: report of one", do_depth, RANGES},
                                   {"link", do_link, RANGES},
                                   {"samples: check", do_check_samples, LOOSE},
                                   {"checks of small numbers", do_check_small, RICH},
                                   {"small turns and masses", do_small, RANGES | RICH},
                                   {"preview: check", do_check_preview, LOOSE}};

static const char *name_of(uint32_t number) { return calls[number].name; }

TEST_EACH(a_call_between_steps_computes_the_same_under_any_control_word, COUNT_OF(calls), name_of, number) {
    compare_call(&calls[number]);
}
#else
TEST(there_is_no_control_word_to_change) { skip(); }
#endif
