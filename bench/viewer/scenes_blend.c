/* A scene that shows interpolation: the same orbit presented in three ways. */
#include <math.h>
#include <stdlib.h>

#include "scene.h"

enum { WAYS = 3 };

typedef struct blend {
    mote_system *system[WAYS];
} blend;

static void open_blend(scene_state *s) {
    static const mote_interpolation way[WAYS] = {MOTE_INTERPOLATE_NONE, MOTE_INTERPOLATE_LINEAR,
                                                 MOTE_INTERPOLATE_HERMITE};
    blend *b = calloc(1, sizeof *b);
    if (!b) exit(1);
    s->own = b;
    for (int i = 0; i < WAYS; i++) {
        mote_system_def def = scene_def(1, 8);
        mote_range_view view;
        def.interpolation = way[i], def.integrator = MOTE_VELOCITY_VERLET;
        def.steps_per_second = (mote_rate){(uint32_t)s->parameter[0], 1};
        must(mote_system_create(&def, &b->system[i]), "mote_system_create");
        mote_force_id id;
        const mote_force_def spring = mote_anchor_spring((const float[3]){0, 0, 0}, 40, 0);
        must(mote_system_add_force(b->system[i], &spring, &id), "mote_system_add_force");
        must(mote_system_spawn(b->system[i], 1, &view), "mote_system_spawn");
        view.position.x[0] = 0.8f, view.velocity.y[0] = 3;
    }
}

static void close_blend(scene_state *s) {
    blend *b = s->own;
    for (int i = 0; i < WAYS; i++) mote_system_destroy(b->system[i]);
    free(b);
}

static void advance_blend(scene_state *s, uint64_t nanoseconds, uint32_t steps) {
    blend *b = s->own;
    for (int i = 0; i < WAYS; i++)
        if (steps)
            must(mote_system_step(b->system[i], steps, NULL), "mote_system_step");
        else
            must(mote_system_advance(b->system[i], nanoseconds, NULL), "mote_system_advance");
}

static uint64_t hash_blend(const scene_state *s) {
    const blend *b = s->own;
    uint64_t hash = 0;
    for (int i = 0; i < WAYS; i++) hash = hash * 0x9e3779b97f4a7c15u + mote_system_hash(b->system[i]);
    return hash;
}

static void paint_blend(scene_state *s, draw_state *d) {
    static const draw_material colour[WAYS] = {{.colour = {0.8f, 0.07f, 0.05f}, .gloss = 0.6f},
                                               {.colour = {0.85f, 0.45f, 0.05f}, .gloss = 0.6f},
                                               {.colour = {0.1f, 0.5f, 0.15f}, .gloss = 0.6f}};
    blend *b = s->own;
    draw_line_vertex ring[WAYS * 128];
    int count = 0;
    for (int i = 0; i < WAYS; i++) {
        const float x = 1.9f * (float)(i - 1);
        float place[3];
        const mote_present_layout layout = mote_default_present_layout();
        must(mote_system_present(b->system[i], &layout, place, sizeof place), "mote_system_present");
        mat4 at;
        place[0] += x;
        glm_translate_make(at, place);
        draw_sphere(d, at, 0.1f, &colour[i]);
        for (int k = 0; k < 64; k++)
            for (int e = 0; e < 2; e++) {
                const float phi = 6.2831853f * (float)(k + e) / 64;
                ring[count++] = (draw_line_vertex){{x + 0.8f * cosf(phi), 3 / sqrtf(40) * sinf(phi), 0},
                                                   {0.5f, 0.55f, 0.62f, 0.5f}};
            }
    }
    draw_lines(d, ring, count, false);
}

static void over_blend(scene_state *s, int width, int height) {
    static const char *name[WAYS] = {"off", "linear", "Hermite"};
    (void)s;
    for (int i = 0; i < WAYS; i++)
        ui_text(0.5f * (float)width + 0.205f * (float)height * 1.9f * (float)(i - 1) - 24,
                0.74f * (float)height, 18, (ui_colour){0.92f, 0.94f, 0.97f, 1}, "%s", name[i]);
}

const scene scene_blend = {
    .name = "interpolation",
    .title = "Interpolation",
    .source = "scenes_blend.c",
    .text = {"The same orbit at ten steps a second, drawn at the rate of the screen.",
             "Off: the ball jumps. Linear: it moves on the chords. Hermite: it stays on the curve.",
             "The state is the same in all three."},
    .look = {{0, 0, 0}, 7.6f, 0, 0, 3},
    .parameters = {{"steps per second", 4, 60, 10, true, true}},
    .open = open_blend,
    .close = close_blend,
    .advance = advance_blend,
    .hash = hash_blend,
    .paint = paint_blend,
    .over = over_blend};
