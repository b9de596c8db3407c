/* Scenes of networks: a bridge that breaks, cloth that drapes and tears. */
#include <math.h>
#include <stdlib.h>

#include "scene.h"

static const float ground[3] = {0.06f, 0.068f, 0.082f};

/* Pins the particle that the pointer holds, and releases it when the pointer lets go. */
static void drag_particle(scene_state *s, mote_network_id id, float *positions, uint32_t count,
                          uint32_t *grabbed) {
    scene_pointer *p = &s->pointer;
    if (p->pressed && *grabbed == MOTE_NO_ITEM) {
        must(mote_network_state(s->system, id, 0, count, positions, NULL), "mote_network_state");
        *grabbed = scene_nearest(p, positions, count, 0.12f);
        if (*grabbed != MOTE_NO_ITEM) scene_grab_at(p, positions + 3 * *grabbed);
    }
    if (*grabbed == MOTE_NO_ITEM) return;
    if (p->held) {
        must(mote_network_pin(s->system, id, *grabbed, p->point, MOTE_NEXT_ADVANCE), "mote_network_pin");
    } else {
        must(mote_network_unpin(s->system, id, *grabbed), "mote_network_unpin");
        *grabbed = MOTE_NO_ITEM;
    }
}

static void join(mote_spring *springs, uint32_t *count, uint32_t a, uint32_t b, mote_spring like) {
    like.a = a, like.b = b, like.rest_length = MOTE_AS_PLACED;
    springs[(*count)++] = like;
}

/* --- Bridge --- */

enum { BAYS = 24, BRIDGE_NODES = (BAYS + 1) * 4 };

typedef struct bridge {
    mote_network_id id;
    mote_force_id lorry;
    mote_line *lines;
    draw_line_vertex *vertices;
    uint32_t line_capacity, grabbed;
    float positions[3 * BRIDGE_NODES];
} bridge;

/* Two trusses of chords, posts and crosses, joined by a deck. Node: 4 per bay, bit 0 up, bit 1 back. */
static uint32_t bridge_springs(mote_spring *springs, float tear) {
    const mote_spring like = {.stiffness = 1.2e7f, .damping = 20000, .tear_strain = tear};
    uint32_t count = 0;
    for (uint32_t bay = 0; bay <= BAYS; bay++) {
        const uint32_t n = 4 * bay;
        static const uint32_t frame[6][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};
        for (int i = 0; i < 6; i++) join(springs, &count, n + frame[i][0], n + frame[i][1], like);
        static const uint32_t panel[12][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 5}, {1, 4},
                                              {2, 7}, {3, 6}, {0, 6}, {2, 4}, {1, 7}, {3, 5}};
        for (int i = 0; i < 12 && bay < BAYS; i++)
            join(springs, &count, n + panel[i][0], n + panel[i][1], like);
    }
    return count;
}

static mote_force_def lorry_at(const scene_state *s, float x) {
    const mote_force_def weight = mote_thrust((const float[3]){0, -9.81f * s->parameter[0], 0});
    return mote_in_box(weight, (const float[3]){x, 1.5f, 0}, (const float[3]){0.35f, 2, 2}, 0.1f);
}

static void open_bridge(scene_state *s) {
    static mote_spring springs[BRIDGE_NODES * 6];
    bridge *b = calloc(1, sizeof *b);
    if (!b) exit(1);
    s->own = b;
    b->grabbed = MOTE_NO_ITEM;
    mote_system_def def = scene_def(0, 16);
    scene_make_system(s, &def);
    scene_gravity(s->system, -9.81f);
    mote_force_def lorry = lorry_at(s, -9);
    must(mote_system_add_force(s->system, &lorry, &b->lorry), "mote_system_add_force");
    for (int i = 0; i < BRIDGE_NODES; i++) {
        b->positions[3 * i] = 6.0f * ((float)(i / 4) / BAYS - 0.5f);
        b->positions[3 * i + 1] = 1.4f + (i & 1 ? 0.35f : 0);
        b->positions[3 * i + 2] = i & 2 ? -0.35f : 0.35f;
    }
    mote_network_def network = mote_default_network_def();
    network.solver = MOTE_NETWORK_CONSTRAINED;
    network.particle_count = BRIDGE_NODES, network.positions = b->positions, network.mass = 12;
    network.springs = springs, network.spring_count = bridge_springs(springs, s->parameter[1]);
    must(mote_system_add_network(s->system, &network, &b->id, NULL), "mote_system_add_network");
    s->points = BRIDGE_NODES;
    for (uint32_t i = 0; i < BRIDGE_NODES; i++)
        if (!(i & 1) && (i < 4 || i >= BRIDGE_NODES - 4)) /* it lies on the piers */
            must(mote_network_pin(s->system, b->id, i, b->positions + 3 * i, 0), "mote_network_pin");
    mote_collider_def floor = mote_plane((const float[3]){0, 0, 0}, (const float[3]){0, 1, 0});
    scene_add_collider(s->system, &floor);
    b->line_capacity = network.spring_count;
    b->lines = malloc(b->line_capacity * sizeof *b->lines);
    b->vertices = malloc(2 * b->line_capacity * sizeof *b->vertices);
    if (!b->lines || !b->vertices) exit(1);
}

static void close_bridge(scene_state *s) {
    bridge *b = s->own;
    free(b->lines), free(b->vertices), free(b);
}

static float lorry_x(double time) { return (float)(fmod(1.1 * time, 8) - 4); }

static void before_bridge(scene_state *s, double seconds) {
    (void)seconds;
    bridge *b = s->own;
    const mote_force_def lorry = lorry_at(s, lorry_x(mote_system_time(s->system)));
    must(mote_system_set_force(s->system, b->lorry, &lorry), "mote_system_set_force");
    drag_particle(s, b->id, b->positions, BRIDGE_NODES, &b->grabbed);
}

/* Colours a member by its strain over that at which it tears: blue pressed, grey at rest, red pulled. */
static void colour_of_strain(float share, float colour[3]) {
    const float pull = fminf(fmaxf(share, 0), 1), press = fminf(fmaxf(-share, 0), 1);
    static const float rest[3] = {0.2f, 0.22f, 0.25f}, pulled[3] = {0.95f, 0.03f, 0.01f},
                       pressed[3] = {0.02f, 0.16f, 0.95f};
    for (int i = 0; i < 3; i++)
        colour[i] = rest[i] + pull * (pulled[i] - rest[i]) + press * (pressed[i] - rest[i]);
}

static void paint_members(const scene_state *s, draw_state *d) {
    const bridge *b = s->own;
    uint32_t count;
    mote_lines_def def = mote_default_lines_def();
    def.kinds = 1u << MOTE_LINE_SPRING;
    must(mote_system_lines(s->system, &def, b->lines, b->line_capacity, &count), "mote_system_lines");
    for (uint32_t i = 0; i < count; i++) {
        const mote_line *l = &b->lines[i];
        draw_material steel = {.gloss = 0.5f};
        mat4 at;
        const float length = scene_place_between(l->from, l->to, at);
        colour_of_strain(l->strain / s->parameter[1], steel.colour);
        draw_box(d, at, (const float[3]){0.014f, length / 2, 0.014f}, &steel);
    }
}

static void paint_bridge(scene_state *s, draw_state *d) {
    static const draw_material rock = {.colour = {0.2f, 0.2f, 0.21f}},
                               paint = {.colour = {0.75f, 0.28f, 0.05f}, .gloss = 0.6f};
    mat4 at;
    draw_floor(d, 0, ground);
    for (int side = -1; side <= 1; side += 2) {
        glm_translate_make(at, (vec3){(float)side * 3.6f, 0.85f, 0});
        draw_box(d, at, (const float[3]){0.6f, 0.85f, 0.8f}, &rock);
    }
    paint_members(s, d);
    const float x = lorry_x(scene_time(s));
    if (fabsf(x) < 3) { /* above the deck, whose height is that of the nearest node */
        const bridge *b = s->own;
        float nodes[BRIDGE_NODES][3];
        const mote_present_layout layout = mote_default_present_layout();
        const uint32_t node = 4 * (uint32_t)((x / 6 + 0.5f) * BAYS + 0.5f) + 1;
        must(mote_network_present(s->system, b->id, &layout, nodes, sizeof nodes), "mote_network_present");
        glm_translate_make(at, (vec3){x, nodes[node][1] + 0.2f, 0});
        draw_box(d, at, (const float[3]){0.35f, 0.17f, 0.22f}, &paint);
    }
}

const scene scene_bridge = {
    .name = "bridge",
    .title = "Bridge",
    .source = "scenes_networks.c",
    .text = {"A load moves over a bridge of stiff springs; red members are pulled, blue ones pressed.",
             "A member that is strained too far tears at the end of the step, and the next ones must carry "
             "its share.",
             "Drag a node with the left button to break it by hand."},
    .look = {{-0.6f, 1.2f, 0}, 12, 0.35f, 0.16f, 4.5f, 0},
    .parameters = {{"load, kg a node", 10, 3000, 60, true, false, NULL, false},
                   {"tearing strain", 0.002f, 0.1f, 0.005f, true, true, NULL, false}},
    .open = open_bridge,
    .close = close_bridge,
    .before = before_bridge,
    .paint = paint_bridge};

/* --- Cloth --- */

enum { SIDE = 61, NODES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

typedef struct cloth {
    mote_network_id id;
    mote_collider_def ball;
    mote_collider_id ball_id;
    gl_stream mesh;
    mote_triangle *triangles;
    uint32_t *indices;
    float *positions;
    uint32_t grabbed;
} cloth;

static uint32_t weave(mote_spring *springs, float tear) {
    const mote_spring along = {.stiffness = 3000, .damping = 0.03f, .tear_strain = tear};
    mote_spring across = along;
    uint32_t count = 0;
    across.stiffness = 250;
    for (uint32_t i = 0; i < NODES; i++) {
        const bool right = i % SIDE + 1 < SIDE, down = i / SIDE + 1 < SIDE;
        if (right) join(springs, &count, i, i + 1, along);
        if (down) join(springs, &count, i, i + SIDE, along);
        if (right && down) join(springs, &count, i + 1, i + SIDE, across);
    }
    return count;
}

static void cut_triangles(scene_state *s, cloth *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        if (i % SIDE + 1 == SIDE || i / SIDE + 1 == SIDE) continue;
        const uint32_t two[] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1};
        for (int k = 0; k < 6; k++) c->indices[n++] = two[k];
    }
    must(mote_network_triangles(s->system, c->id, TRIANGLES, c->indices, c->triangles),
         "mote_network_triangles");
}

static void open_cloth(scene_state *s) {
    static mote_spring springs[3 * NODES];
    cloth *c = calloc(1, sizeof *c);
    if (!c) exit(1);
    s->own = c;
    c->grabbed = MOTE_NO_ITEM;
    c->mesh = draw_mesh_stream();
    c->triangles = malloc(TRIANGLES * sizeof *c->triangles);
    c->indices = malloc(3 * TRIANGLES * sizeof *c->indices);
    c->positions = malloc(3 * NODES * sizeof *c->positions);
    if (!c->triangles || !c->indices || !c->positions) exit(1);
    mote_system_def def = scene_def(0, 4);
    scene_make_system(s, &def);
    scene_gravity(s->system, -9.81f);
    mote_force_id id;
    const mote_force_def air = mote_wind((const float[3]){s->parameter[1], 0, 0.5f * s->parameter[1]}, 2e-4f);
    must(mote_system_add_force(s->system, &air, &id), "mote_system_add_force");
    c->ball = mote_sphere((const float[3]){0, 0.75f, 0}, 0.42f);
    c->ball.friction = 0.4f;
    c->ball_id = scene_add_collider(s->system, &c->ball);
    mote_collider_def floor = mote_plane((const float[3]){0, 0, 0}, (const float[3]){0, 1, 0});
    scene_add_collider(s->system, &floor);
    for (uint32_t i = 0; i < NODES; i++) {
        c->positions[3 * i] = 1.8f * ((float)(i % SIDE) / (SIDE - 1) - 0.5f);
        c->positions[3 * i + 1] = 1.75f;
        c->positions[3 * i + 2] = 1.8f * ((float)(i / SIDE) / (SIDE - 1) - 0.5f);
    }
    mote_network_def network = mote_default_network_def();
    network.solver = MOTE_NETWORK_CONSTRAINED;
    network.particle_count = NODES, network.positions = c->positions, network.mass = 0.6f / NODES;
    network.springs = springs, network.spring_count = weave(springs, s->parameter[0]);
    network.max_iterations = 1, network.max_linear = 24, network.radius = 0.012f, network.friction = 0.4f;
    must(mote_system_add_network(s->system, &network, &c->id, NULL), "mote_system_add_network");
    s->points = NODES;
    cut_triangles(s, c);
}

static void close_cloth(scene_state *s) {
    cloth *c = s->own;
    gl_stream_destroy(&c->mesh);
    free(c->triangles), free(c->indices), free(c->positions), free(c);
}

static mote_transform ball_at(double time) {
    const double t = time - 2.5;
    const float phase = t > 0 ? (float)t * 1.4f : 0;
    return (mote_transform){{0.2f * scene_sine(phase), 0.75f, 0.12f * scene_sine(2 * phase)}, {0, 0, 0, 1}};
}

static void before_cloth(scene_state *s, double seconds) {
    cloth *c = s->own;
    const mote_transform at = ball_at(scene_time_after(s, seconds));
    must(mote_system_move_collider(s->system, c->ball_id, &at, MOTE_NEXT_ADVANCE),
         "mote_system_move_collider");
    drag_particle(s, c->id, c->positions, NODES, &c->grabbed);
}

static void paint_cloth(scene_state *s, draw_state *d) {
    static const draw_material silk = {.colour = {0.20f, 0.008f, 0.016f}, .gloss = 0.3f, .silk = 1},
                               clay = {.colour = {0.35f, 0.34f, 0.33f}, .gloss = 0.15f};
    cloth *c = s->own;
    uint32_t count;
    must(mote_network_indices(s->system, c->id, TRIANGLES, c->triangles, c->indices, &count),
         "mote_network_indices");
    if (d->shadow) {
        static float vertices[NODES][6]; /* mapped memory must not be read, and normals read positions */
        mote_present_layout layout = mote_default_present_layout();
        const mote_mesh_layout mesh = mote_default_mesh_layout();
        layout.stride = sizeof vertices[0];
        must(mote_network_present(s->system, c->id, &layout, vertices, sizeof vertices),
             "mote_network_present");
        must(mote_mesh_normals(&mesh, vertices, NODES, c->indices, count), "mote_mesh_normals");
        gl_stream_fill(&c->mesh, vertices, sizeof vertices);
        gl_stream_indices(&c->mesh, c->indices, count * sizeof *c->indices);
    }
    draw_floor(d, 0, ground);
    const mote_transform at = ball_at(scene_time(s));
    mote_collider_def ball = c->ball;
    ball.radius -= 0.004f;
    scene_paint_collider(d, &ball, &at, &clay);
    draw_mesh(d, &c->mesh, (int)count, &silk);
}

const scene scene_cloth = {
    .name = "cloth",
    .title = "Cloth",
    .source = "scenes_networks.c",
    .text = {"A cloth of 61 x 61 particles falls over a ball, drapes and is carried by friction.",
             "The springs are solved together in each substep, so that they may be stiff.",
             "Pull at it with the left button: threads tear where they are strained too far."},
    .look = {{-0.15f, 0.68f, 0}, 4, -0.55f, 0.22f, 1.8f, 0},
    .parameters = {{"tearing strain", 0.05f, 2, 0.35f, true, true, NULL, false},
                   {"wind, m/s", 0, 10, 0, false, true, NULL, false}},
    .open = open_cloth,
    .close = close_cloth,
    .before = before_cloth,
    .paint = paint_cloth};
