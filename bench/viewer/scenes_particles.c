/* Scenes of loose particles: fountain, smoke, galaxy, velocity field. */
#include <math.h>
#include <stdlib.h>

#include "scene.h"

typedef struct particles {
    gl_stream sprites;
    uint32_t *order;
    uint32_t capacity;
    int count;    /* of sprites that are presented */
    void *memory; /* of lines; NULL: none */
    mote_collider_def colliders[4];
    int collider_count;
    mote_emitter_id emitter;
} particles;

static particles *open_particles(scene_state *s, uint32_t capacity) {
    particles *p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->sprites = draw_sprite_stream();
    p->capacity = capacity;
    p->order = malloc(mote_order_bytes(capacity));
    s->own = p;
    return p;
}

static void close_particles(scene_state *s) {
    particles *p = s->own;
    gl_stream_destroy(&p->sprites);
    free(p->order), free(p->memory);
    free(p);
}

/* Writes the sprites straight into the mapped buffer, back to front along `direction` if it is not NULL. */
static int present(scene_state *s, const float *direction, bool lives) {
    particles *p = s->own;
    const uint32_t count = mote_system_count(s->system);
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = 28, layout.velocity_offset = 12;
    if (lives) layout.remaining_offset = 24;
    if (direction) {
        must(mote_system_order(s->system, direction, p->order, mote_order_bytes(p->capacity)),
             "mote_system_order");
        layout.order = p->order, layout.order_count = count;
    }
    void *to = gl_stream_map(&p->sprites, (size_t)count * layout.stride);
    if (!to) return 0;
    must(mote_system_present(s->system, &layout, to, (size_t)count * layout.stride), "mote_system_present");
    gl_stream_unmap(&p->sprites);
    return (int)count;
}

static mote_emitter_id add_emitter(mote_system *system, const mote_emitter_def *def) {
    mote_emitter_id id;
    must(mote_system_add_emitter(system, def, &id), "mote_system_add_emitter");
    return id;
}

static void add_force(mote_system *system, mote_force_def def) {
    mote_force_id id;
    must(mote_system_add_force(system, &def, &id), "mote_system_add_force");
}

static const float ground[3] = {0.06f, 0.068f, 0.082f};

/* --- Fountain --- */

static mote_emitter_def fountain_jet(const scene_state *s) {
    mote_emitter_def jet = mote_default_emitter_def();
    jet.shape = MOTE_EMITTER_DISC, jet.radius = 0.06f, jet.spread = s->parameter[2];
    jet.transform.position[1] = 0.15f;
    jet.rate = s->parameter[0];
    jet.speed = (mote_spread){s->parameter[1] * 0.85f, s->parameter[1]};
    jet.lifetime = (mote_spread){2.2f, 3.4f};
    return jet;
}

static void open_fountain(scene_state *s) {
    particles *p = open_particles(s, 1u << 20);
    mote_system_def def = scene_def(p->capacity, 1);
    def.lifetimes = def.initial_ages = true, def.particle_ids = false;
    scene_make_system(s, &def);
    scene_gravity(s->system, -9.81f);
    add_force(s->system, mote_wind((const float[3]){0.3f, 0, 0}, 0.15f));
    p->colliders[0] = mote_sphere((const float[3]){0.75f, 1.5f, 0.1f}, 0.4f);
    p->colliders[1] =
        mote_capsule((const float[3]){-1.3f, 0.25f, -0.7f}, (const float[3]){-1.3f, 0.9f, 0.8f}, 0.22f);
    p->collider_count = 2;
    mote_collider_def floor = mote_plane((const float[3]){0, 0, 0}, (const float[3]){0, 1, 0});
    scene_add_collider(s->system, &floor);
    for (int i = 0; i < p->collider_count; i++) scene_add_collider(s->system, &p->colliders[i]);
    const mote_emitter_def jet = fountain_jet(s);
    p->emitter = add_emitter(s->system, &jet);
}

static void before_fountain(scene_state *s, double seconds) {
    (void)seconds;
    particles *p = s->own;
    const mote_emitter_def jet = fountain_jet(s);
    must(mote_system_set_emitter(s->system, p->emitter, &jet), "mote_system_set_emitter");
}

static void paint_fountain(scene_state *s, draw_state *d) {
    particles *p = s->own;
    static const draw_material stone = {.colour = {0.30f, 0.31f, 0.34f}, .gloss = 0.25f};
    static const draw_sprite_look water = {.young = {0.16f, 0.42f, 1, 0.10f},
                                           .old = {0.04f, 0.14f, 0.5f, 0.10f},
                                           .fast = {0.35f, 0.65f, 1, 0.10f},
                                           .fast_speed = 12,
                                           .young_size = 0.018f,
                                           .old_size = 0.03f,
                                           .adds = true};
    draw_floor(d, 0, ground);
    for (int i = 0; i < p->collider_count; i++)
        scene_paint_collider(d, &p->colliders[i], &p->colliders[i].transform, &stone);
    if (!d->shadow) draw_sprites(d, &p->sprites, present(s, NULL, true), &water);
}

const scene scene_fountain = {
    .name = "fountain",
    .title = "Fountain",
    .source = "scenes_particles.c",
    .text = {"An emitter gives birth to up to a million drops at evenly spaced moments within each step.",
             "Gravity, drag and wind move them; they bounce off a plane, a sphere and a capsule.",
             "Rate, speed and spread change while it runs."},
    .look = {{0, 1.3f, 0}, 8.5f, 0.4f, 0.22f, 3.5f, 0},
    .parameters = {{"rate, 1/s", 1000, 400000, 60000, true, false, NULL, false},
                   {"speed, m/s", 2, 12, 7.2f, false, false, NULL, false},
                   {"spread, rad", 0.01f, 1.2f, 0.16f, false, false, NULL, false}},
    .integrators = SCENE_HAS_MOMENTUM,
    .open = open_fountain,
    .close = close_particles,
    .before = before_fountain,
    .paint = paint_fountain};

/* --- Smoke --- */

static void open_smoke(scene_state *s) {
    particles *p = open_particles(s, 60000);
    mote_system_def def = scene_def(p->capacity, 1);
    def.lifetimes = def.initial_ages = true, def.particle_ids = false;
    scene_make_system(s, &def);
    scene_gravity(s->system, 1.6f); /* warm air rises */
    add_force(s->system, mote_curl_noise(s->parameter[1], 0.8f, 0.45f, 7, MOTE_FIELD_WIND, 2.2f));
    add_force(s->system, mote_wind((const float[3]){0.15f, 0, 0}, 0.6f));
    mote_emitter_def fire = mote_default_emitter_def();
    fire.shape = MOTE_EMITTER_DISC, fire.radius = 0.16f, fire.spread = 0.5f;
    fire.transform.position[1] = 0.05f;
    fire.rate = s->parameter[0], fire.speed = (mote_spread){0.4f, 1}, fire.lifetime = (mote_spread){2.5f, 5};
    p->emitter = add_emitter(s->system, &fire);
}

static void paint_smoke(scene_state *s, draw_state *d) {
    static const draw_sprite_look smoke = {.young = {6, 1.4f, 0.2f, 0.35f},
                                           .old = {0.62f, 0.62f, 0.64f, 0.16f},
                                           .young_size = 0.05f,
                                           .old_size = 0.34f,
                                           .lit = true};
    particles *p = s->own;
    draw_floor(d, 0, ground);
    if (d->shadow) {
        float forward[3];
        for (int i = 0; i < 3; i++) forward[i] = -d->camera->view[i][2];
        p->count = present(s, forward, true);
    }
    draw_sprites(d, &p->sprites, p->count, &smoke);
}

const scene scene_smoke = {
    .name = "smoke",
    .title = "Smoke",
    .source = "scenes_particles.c",
    .text = {"Drag carries the particles along a noise field without sources or sinks.",
             "The engine sorts them back to front, so that they can be blended.",
             "Size and colour follow the age of each particle."},
    .look = {{0, 1.7f, 0}, 7.5f, 0.2f, 0.12f, 3, 0},
    .parameters = {{"rate, 1/s", 100, 10000, 4000, true, true, NULL, false},
                   {"wind of the noise, m/s", 0, 3, 0.8f, false, true, NULL, false}},
    .integrators = SCENE_HAS_MOMENTUM,
    .open = open_smoke,
    .close = close_particles,
    .paint = paint_smoke};

/* --- Galaxy --- */

/* Uniform in [0, 1): a hash of two numbers (splitmix64). */
static float random_at(uint64_t item, uint64_t draw) {
    uint64_t z = (item * 0x9e3779b97f4a7c15u) ^ (draw * 0xbf58476d1ce4e5b9u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (float)(z >> 40) * 0x1p-24f;
}

static void open_galaxy(scene_state *s) {
    const uint32_t count = (uint32_t)s->parameter[0];
    const float mass = s->parameter[1], soft = 0.25f;
    open_particles(s, count);
    mote_system_def def = scene_def(count, 2);
    def.integrator = MOTE_VELOCITY_VERLET, def.particle_ids = false;
    scene_make_system(s, &def);
    add_force(s->system, mote_attractor((const float[3]){0, 0, 0}, mass, soft));
    add_force(s->system, mote_attractor((const float[3]){4.2f, 0.8f, 1}, 0.18f * mass, soft));
    mote_range_view v;
    must(mote_system_spawn(s->system, count, &v), "mote_system_spawn");
    for (uint32_t i = 0; i < count; i++) {
        const float r = 0.06f + 3.4f * sqrtf(random_at(i, 0)) * (0.4f + 0.6f * random_at(i, 5)),
                    phi = 6.2831853f * random_at(i, 1);
        const float r2 = r * r + soft * soft, speed = sqrtf(mass * r * r / (r2 * sqrtf(r2)));
        const float thick = 0.08f * (random_at(i, 2) + random_at(i, 3) - 1);
        v.position.x[i] = r * scene_cosine(phi), v.position.y[i] = thick,
        v.position.z[i] = r * scene_sine(phi);
        v.velocity.x[i] = -speed * scene_sine(phi), v.velocity.y[i] = 0,
        v.velocity.z[i] = speed * scene_cosine(phi);
    }
}

static void paint_galaxy(scene_state *s, draw_state *d) {
    static const draw_sprite_look stars = {.young = {1, 0.3f, 0.07f, 0.35f},
                                           .fast = {0.12f, 0.35f, 1, 0.35f},
                                           .slow_speed = 1.1f,
                                           .fast_speed = 2.5f,
                                           .young_size = 0.028f,
                                           .old_size = 0.028f,
                                           .adds = true};
    particles *p = s->own;
    draw_sprite_look look = stars;
    glm_vec4_copy(look.young, look.old);
    if (!d->shadow) draw_sprites(d, &p->sprites, present(s, NULL, false), &look);
}

const scene scene_galaxy = {
    .name = "galaxy",
    .title = "Galaxy",
    .source = "scenes_particles.c",
    .text = {"Stars on circular orbits about a softened mass; a second mass draws arms out of the disc.",
             "Velocity Verlet keeps the orbits: with explicit Euler (I) they spiral outwards.",
             "Fast stars are blue."},
    .look = {{-0.3f, -0.3f, 0}, 14, 0.5f, 0.8f, 5, 0},
    .parameters = {{"stars", 1000, 1000000, 120000, true, true, NULL, false},
                   {"strength, m^3/s^2", 0.5f, 20, 5, true, true, NULL, false}},
    .integrators = SCENE_HAS_MOMENTUM,
    .open = open_galaxy,
    .close = close_particles,
    .paint = paint_galaxy};

/* --- Velocity field --- */

static void open_field(scene_state *s) {
    particles *p = open_particles(s, 1u << 16);
    p->memory = malloc(p->capacity * (7 * sizeof(float) + 2 * sizeof(draw_line_vertex)));
    if (!p->memory) exit(1);
    mote_system_def def = scene_def(p->capacity, 1);
    def.integrator = MOTE_ADVECT_RK4, def.lifetimes = true, def.particle_ids = false;
    scene_make_system(s, &def);
    static const float up[3] = {0, 1, 0};
    add_force(s->system,
              mote_vortex((const float[3]){-1, 0, 0}, up, s->parameter[0], 0.2f, MOTE_FIELD_VELOCITY, 0));
    add_force(s->system,
              mote_vortex((const float[3]){1, 0, 0}, up, -s->parameter[0], 0.2f, MOTE_FIELD_VELOCITY, 0));
    add_force(s->system, mote_curl_noise(s->parameter[1], 0.5f, 0.3f, 3, MOTE_FIELD_VELOCITY, 0));
    mote_emitter_def source = mote_default_emitter_def();
    source.shape = MOTE_EMITTER_BOX, source.extent[0] = 2, source.extent[1] = 1, source.extent[2] = 1.5f;
    source.transform.position[1] = 1;
    source.rate = 8000, source.speed = (mote_spread){0, 0}, source.lifetime = (mote_spread){3, 6};
    p->emitter = add_emitter(s->system, &source);
}

/* Draws the way of the last part of a second, coloured by speed. */
static void paint_field(scene_state *s, draw_state *d) {
    particles *p = s->own;
    const uint32_t count = mote_system_count(s->system);
    float(*now)[7] = p->memory;
    draw_line_vertex *streaks = (draw_line_vertex *)(now + p->capacity);
    mote_present_layout layout = mote_default_present_layout();
    if (d->shadow) return;
    layout.stride = sizeof *now, layout.velocity_offset = 12, layout.remaining_offset = 24;
    must(mote_system_present(s->system, &layout, now, count * sizeof *now), "mote_system_present");
    for (uint32_t i = 0; i < count; i++) {
        vec3 from, colour, slow = {0.1f, 0.28f, 0.85f}, fast = {1, 0.62f, 0.2f};
        const float share = glm_clamp(glm_vec3_norm(now[i] + 3) / 1.5f, 0, 1), life = now[i][6];
        const float alpha = (0.12f + 0.5f * share) * fminf(1, 5 * fminf(life, 1 - life));
        glm_vec3_copy(now[i], from);
        glm_vec3_muladds(now[i] + 3, -0.12f, from);
        glm_vec3_lerp(slow, fast, share, colour);
        streaks[2 * i] =
            (draw_line_vertex){{from[0], from[1], from[2]}, {colour[0], colour[1], colour[2], 0}};
        streaks[2 * i + 1] =
            (draw_line_vertex){{now[i][0], now[i][1], now[i][2]}, {colour[0], colour[1], colour[2], alpha}};
    }
    draw_lines(d, streaks, (int)(2 * count), true);
}

const scene scene_field = {
    .name = "field",
    .title = "Velocity field",
    .source = "scenes_particles.c",
    .text = {"The particles have no inertia: Runge and Kutta's method carries them along a velocity field.",
             "Two vortices turn against each other in a noise field.",
             "Each streak is the way of 0.12 s; fast ones are bright."},
    .look = {{-0.35f, 0.9f, 0}, 7.5f, 0.15f, 0.85f, 3, 0},
    .parameters = {{"vortices, m^2/s", 0, 3, 0.9f, false, true, NULL, false},
                   {"noise, m/s", 0, 2, 0.35f, false, true, NULL, false}},
    .integrators = SCENE_ADVECTS,
    .open = open_field,
    .close = close_particles,
    .paint = paint_field};
