/* Two players in lockstep. Each machine (here: each tab of a browser) runs the whole scene and sends only its
 * player's input; an input that comes late rolls the state back to its frame. The input of the other player
 * is taken to stay as it was until it comes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#endif

#include "ribbons.h"

enum { PLAYERS = 2, KEPT = 128, AHEAD = 20, ROPE_POINTS = 33, DUST = 20000 };

#define GRAVITY   2     /* m/s^2, on the rope */
#define DUST_MASS 1e-4f /* kg */
#define PULL      0.09f /* m^3/s^2, of a player */
#define SOFT      0.35f /* m */

typedef struct place {
    int16_t x, y; /* 1/8,192 of 2 m from the middle */
} place;

typedef struct lockstep {
    ribbons rope;
    gl_stream sprites;
    mote_force_id pull[PLAYERS];
    place input[PLAYERS][KEPT];
    uint32_t known[PLAYERS]; /* frames of which the input is known */
    uint32_t frame, back_to; /* back_to: first frame that was run with another input; UINT32_MAX: none */
    void *memory[KEPT];
    size_t bytes[KEPT], written[KEPT];
    uint64_t hash[KEPT]; /* at the start of each frame */
    double owed;         /* s */
    uint32_t rolled_back;
    int player; /* of this machine */
    bool alone; /* the other player is moved by a formula */
} lockstep;

static lockstep *now; /* the page calls it */

/* Give the page the input of this machine's player, and tell it that frame 0 is the next one. */
#if defined(__EMSCRIPTEN__)
EM_JS(void, send_input, (unsigned frame, int x, int y), { Lockstep.sendInput(frame, x, y); });
EM_JS(void, tell_opened, (void), { Lockstep.opened(); });
#else
static void send_input(unsigned frame, int x, int y) { (void)frame, (void)x, (void)y; }
static void tell_opened(void) {}
#endif

static const float *metres(place p, float at[3]) {
    at[0] = (float)p.x / 4096, at[1] = (float)p.y / 4096 + 1, at[2] = 0;
    return at;
}

/* Dust floats: what bears it is nothing to the rope, whose points are sixty times as heavy. It swings about
 * the middle, and the air takes little of its motion, so that it stays spread. */
static void add_air(mote_system *system) {
    const mote_force_def forces[] = {
        mote_thrust((const float[3]){0, GRAVITY * DUST_MASS, 0}),
        mote_anchor_spring((const float[3]){0, 1, 0}, 0.7f * DUST_MASS, 0.01f * DUST_MASS)};
    for (int i = 0; i < 2; i++) {
        mote_force_id id;
        must(mote_system_add_force(system, &forces[i], &id), "mote_system_add_force");
    }
}

/* Uniform in [0, 1): a hash of two numbers (splitmix64). */
static float random_at(uint64_t item, uint64_t draw) {
    uint64_t z = (item + 1) * 0x9e3779b97f4a7c15u + draw * 0xd1b54a32d192ed03u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (float)(z >> 40) * 0x1p-24f;
}

/* Fills a disc evenly. */
static void spawn_dust(mote_system *system) {
    mote_range_view v;
    must(mote_system_spawn(system, DUST, &v), "mote_system_spawn");
    for (uint32_t i = 0; i < DUST; i++) {
        const float r = 1.3f * sqrtf(random_at(i, 0)), phi = 6.2831853f * random_at(i, 1);
        const float x = r * scene_cosine(phi), y = r * scene_sine(phi);
        v.position.x[i] = x, v.position.y[i] = 1 + 0.8f * y;
        v.position.z[i] = 0.25f * (random_at(i, 2) + random_at(i, 3) - 1);
        v.velocity.x[i] = -0.8f * y, v.velocity.y[i] = 0.8f * x, v.velocity.z[i] = 0;
    }
}

static void open_lockstep(scene_state *s) {
    lockstep *l = calloc(1, sizeof *l);
    if (!l) exit(1);
    s->own = now = l;
    l->alone = true, l->back_to = UINT32_MAX;
    mote_system_def def = scene_def(DUST, 4);
    def.mass = DUST_MASS, def.particle_ids = false, def.interpolation = MOTE_INTERPOLATE_NONE;
    scene_make_system(s, &def);
    scene_gravity(s->system, -GRAVITY);
    float rope[ROPE_POINTS][3];
    for (int i = 0; i < ROPE_POINTS; i++)
        rope[i][0] = 2.4f * ((float)i / (ROPE_POINTS - 1) - 0.5f), rope[i][1] = 1, rope[i][2] = 0;
    mote_strands_def strands = mote_default_strands_def();
    strands.strand_count = 1, strands.points = ROPE_POINTS, strands.positions = rope[0];
    strands.free_roots = true, strands.substeps = 8, strands.mass = 0.2f;
    strands.bending_stiffness = 1e-2f;
    mote_strands_id id;
    must(mote_system_add_strands(s->system, &strands, &id, NULL), "mote_system_add_strands");
    l->rope = ribbons_make(s->system, id, 0.03f, 0.03f);
    l->sprites = draw_sprite_stream();
    for (int player = 0; player < PLAYERS; player++) {
        const mote_force_def pull = mote_attractor(rope[player * (ROPE_POINTS - 1)], PULL, SOFT);
        must(mote_system_add_force(s->system, &pull, &l->pull[player]), "mote_system_add_force");
        l->input[player][KEPT - 1] = (place){(int16_t)(player ? 4096 : -4096), 0};
    }
    add_air(s->system);
    spawn_dust(s->system);
    s->points = ROPE_POINTS;
    tell_opened();
}

static void close_lockstep(scene_state *s) {
    lockstep *l = s->own;
    ribbons_destroy(&l->rope);
    gl_stream_destroy(&l->sprites);
    for (int i = 0; i < KEPT; i++) free(l->memory[i]);
    free(l);
    now = NULL;
}

/* --- Frames --- */

/* Returns the input of a player in a frame: where it is not known yet, the last one that is. */
static place input_of(const lockstep *l, int player, uint32_t frame) {
    if (frame >= l->known[player]) frame = l->known[player] - 1; /* frame 0: the start, entry KEPT - 1 */
    return l->input[player][frame % KEPT];
}

static void keep(scene_state *s, uint32_t frame) {
    lockstep *l = s->own;
    const uint32_t at = frame % KEPT;
    size_t bytes;
    must(mote_system_snapshot_bytes(s->system, &bytes), "mote_system_snapshot_bytes");
    if (bytes > l->bytes[at]) {
        free(l->memory[at]);
        l->memory[at] = malloc(bytes), l->bytes[at] = bytes;
        if (!l->memory[at]) exit(1);
    }
    must(mote_system_save(s->system, 0, l->memory[at], bytes, &l->written[at]), "mote_system_save");
    l->hash[at] = mote_system_hash(s->system);
}

static void run_frame(scene_state *s, uint32_t frame) {
    lockstep *l = s->own;
    keep(s, frame);
    for (int player = 0; player < PLAYERS; player++) {
        float at[3];
        metres(input_of(l, player, frame), at);
        const mote_force_def pull = mote_attractor(at, PULL, SOFT);
        must(mote_system_set_force(s->system, l->pull[player], &pull), "mote_system_set_force");
        const uint32_t end = player ? ROPE_POINTS - 1 : 0;
        must(mote_strands_pin(s->system, l->rope.id, 0, end, at, MOTE_NEXT_ADVANCE), "mote_strands_pin");
    }
    must(mote_system_step(s->system, 1, NULL), "mote_system_step");
}

static void roll_back(scene_state *s) {
    lockstep *l = s->own;
    const uint32_t to = l->back_to, at = to % KEPT;
    l->back_to = UINT32_MAX;
    if (to >= l->frame) return;
    must(mote_system_restore(s->system, l->memory[at], l->written[at], NULL), "mote_system_restore");
    for (uint32_t frame = to; frame < l->frame; frame++) run_frame(s, frame);
    l->rolled_back++;
}

static void know(lockstep *l, int player, uint32_t frame, place p) {
    if (frame != l->known[player]) return; /* told twice: channels keep the order */
    const place guess = input_of(l, player, frame);
    l->known[player] = frame + 1;
    l->input[player][frame % KEPT] = p;
    if (frame < l->frame && (guess.x != p.x || guess.y != p.y) && frame < l->back_to) l->back_to = frame;
}

static place aim(scene_state *s) {
    const lockstep *l = s->own;
    const scene_pointer *p = &s->pointer;
    if (!p->held || fabsf(p->ray.along[2]) < 1e-3f) return input_of(l, l->player, l->frame);
    const float way = -p->ray.from[2] / p->ray.along[2];
    const float x = p->ray.from[0] + way * p->ray.along[0], y = p->ray.from[1] + way * p->ray.along[1] - 1;
    return (place){(int16_t)(4096 * glm_clamp(x, -2, 2)), (int16_t)(4096 * glm_clamp(y, -1, 1))};
}

static bool waits(const lockstep *l) { return !l->alone && l->frame > l->known[1 - l->player] + AHEAD; }

static void step_lockstep(scene_state *s) {
    lockstep *l = s->own;
    const int other = 1 - l->player;
    if (l->alone) {
        const float phase = 0.04f * (float)l->frame;
        know(l, other, l->frame,
             (place){(int16_t)(3000 + 1500 * scene_cosine(phase)), (int16_t)(2500 * scene_sine(phase))});
    }
    roll_back(s);
    if (waits(l)) return;                  /* the other machine is too slow */
    if (l->known[l->player] == l->frame) { /* else the page has given it: viewer_aim */
        const place p = aim(s);
        know(l, l->player, l->frame, p);
        send_input(l->frame, p.x, p.y);
    }
    run_frame(s, l->frame);
    l->frame++;
}

static void advance_lockstep(scene_state *s, uint64_t nanoseconds, uint32_t steps) {
    lockstep *l = s->own;
    const double step = mote_system_timestep(s->system);
    l->owed = steps ? step * steps : fmin(l->owed + 1e-9 * (double)nanoseconds, 5 * step);
    for (; l->owed >= step - 1e-6; l->owed -= step) step_lockstep(s);
}

/* --- The page --- */

#if defined(__EMSCRIPTEN__)
EMSCRIPTEN_KEEPALIVE int lockstep_begin(int player) {
    if (!now) return 0;
    now->player = player, now->alone = false;
    return 1;
}

/* The other player has gone: its place stays as it was, and is moved by the formula from now on. */
EMSCRIPTEN_KEEPALIVE void lockstep_alone(void) {
    if (!now || now->alone) return;
    const int other = 1 - now->player;
    while (now->known[other] < now->frame) {
        const uint32_t frame = now->known[other];
        know(now, other, frame, input_of(now, other, frame));
    }
    now->alone = true;
}

EMSCRIPTEN_KEEPALIVE int lockstep_waits(void) { return now && waits(now); }

/* Returns how many frames the other player is ahead. */
EMSCRIPTEN_KEEPALIVE int lockstep_behind(void) {
    return now && !now->alone ? (int)(now->known[1 - now->player] - now->frame) : 0;
}

EMSCRIPTEN_KEEPALIVE unsigned lockstep_rolled_back(void) { return now ? now->rolled_back : 0; }

EMSCRIPTEN_KEEPALIVE void lockstep_receive(unsigned frame, int x, int y) {
    if (now && !now->alone) know(now, 1 - now->player, frame, (place){(int16_t)x, (int16_t)y});
}

/* Sets the input of this machine's player in the next frame, in place of the pointer. */
EMSCRIPTEN_KEEPALIVE void lockstep_aim(int x, int y) {
    if (!now || now->known[now->player] != now->frame) return;
    know(now, now->player, now->frame, (place){(int16_t)x, (int16_t)y});
    send_input(now->frame, x, y);
}

/* Returns the first frame whose state may still change: those before it have all inputs. */
EMSCRIPTEN_KEEPALIVE unsigned lockstep_confirmed(void) {
    if (!now) return 0;
    unsigned least = now->frame;
    for (int player = 0; player < PLAYERS; player++)
        if (now->known[player] < least) least = now->known[player];
    return now->back_to < least ? now->back_to : least;
}

/* Returns the hash at the start of a frame that is kept and confirmed, or "". */
EMSCRIPTEN_KEEPALIVE const char *lockstep_hash(unsigned frame) {
    static char text[17];
    text[0] = 0;
    if (now && frame < lockstep_confirmed() && frame + KEPT > now->frame)
        snprintf(text, sizeof text, "%016llx", (unsigned long long)now->hash[frame % KEPT]);
    return text;
}
#endif

/* --- Picture --- */

static void paint_lockstep(scene_state *s, draw_state *d) {
    static const draw_material colour[PLAYERS] = {{.colour = {0.8f, 0.25f, 0.04f}, .gloss = 0.7f},
                                                  {.colour = {0.06f, 0.3f, 0.8f}, .gloss = 0.7f}};
    static const draw_hair_look look = {
        .root = {0.9f, 0.4f, 0.1f}, .tip = {0.15f, 0.4f, 0.9f}, .gloss = 0.5f};
    static const draw_sprite_look dust = {.young = {0.15f, 0.32f, 0.75f, 0.6f},
                                          .old = {0.15f, 0.32f, 0.75f, 0.6f},
                                          .fast = {1, 0.5f, 0.15f, 0.7f},
                                          .slow_speed = 0.4f,
                                          .fast_speed = 1.6f,
                                          .young_size = 0.012f,
                                          .old_size = 0.012f,
                                          .adds = true};
    lockstep *l = s->own;
    for (int player = 0; player < PLAYERS; player++) {
        float at[3];
        mat4 model;
        glm_translate_make(model, (float *)metres(input_of(l, player, l->frame), at));
        draw_sphere(d, model, 0.06f, &colour[player]);
    }
    ribbons_draw(&l->rope, s->system, d, &look);
    if (d->shadow) return;
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = 28, layout.velocity_offset = 12;
    void *to = gl_stream_map(&l->sprites, (size_t)DUST * 28);
    if (!to) return;
    must(mote_system_present(s->system, &layout, to, (size_t)DUST * 28), "mote_system_present");
    gl_stream_unmap(&l->sprites);
    draw_sprites(d, &l->sprites, DUST, &dust);
}

static void over_lockstep(scene_state *s, int width, int height) {
    const lockstep *l = s->own;
    ui_text((float)width - 230, (float)height - 84, 13, (ui_colour){0.98f, 0.72f, 0.32f, 1},
            "player %d, frame %u, %s", l->player + 1, l->frame, l->alone ? "alone" : "with another tab");
    ui_text((float)width - 230, (float)height - 66, 13, (ui_colour){0.6f, 0.65f, 0.72f, 1},
            "rolled back %u times", l->rolled_back);
}

const scene scene_lockstep = {
    .name = "lockstep",
    .title = "Two tabs",
    .source = "scenes_lockstep.c",
    .text =
        {"Open this page in two windows: only the inputs go from one to the other, and both keep one state.",
         "An input that comes late rolls the state back by a snapshot and runs the frames again.",
         "Drag with the left button; the hashes of both are compared at every frame."},
    .look = {{-0.25f, 1.1f, 0}, 5.6f, 0, 0.02f, 2, 0},
    .integrators = SCENE_HAS_MOMENTUM,
    .has_strands = true,
    .open = open_lockstep,
    .close = close_lockstep,
    .advance = advance_lockstep,
    .paint = paint_lockstep,
    .over = over_lockstep};
