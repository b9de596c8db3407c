/* A scene that shows interpolation: the same orbit presented in three ways. */
#include <math.h>
#include <stdlib.h>

#include "scene.h"

enum { WAYS = 3, KEPT = 64 };

#define TRAIL 0.5  /* s */
#define SIZE  0.8f /* m, of the orbit along x; along y it is 3 / sqrt(40) m */

/* What was presented in the last frames. */
typedef struct seen {
    double time; /* s */
    float position[WAYS][3];
} seen;

typedef struct blend {
    mote_system *system[WAYS];
    seen seen[KEPT];
    uint32_t frames;
    double time;
} blend;

static void look_at(blend *b) {
    const mote_present_layout layout = mote_default_present_layout();
    seen *s = &b->seen[b->frames++ % KEPT];
    s->time = b->time;
    for (int i = 0; i < WAYS; i++)
        must(mote_system_present(b->system[i], &layout, s->position[i], sizeof s->position[i]),
             "mote_system_present");
}

static void open_blend(scene_state *s) {
    static const mote_interpolation way[WAYS] = {MOTE_INTERPOLATE_NONE, MOTE_INTERPOLATE_LINEAR,
                                                 MOTE_INTERPOLATE_HERMITE};
    blend *b = calloc(1, sizeof *b);
    if (!b) exit(1);
    s->own = b;
    for (int i = 0; i < WAYS; i++) {
        mote_system_def def = scene_def(1, s->substeps ? s->substeps : 8);
        mote_range_view view;
        def.interpolation = way[i], def.integrator = MOTE_VELOCITY_VERLET;
        def.steps_per_second = (mote_rate){(uint32_t)s->parameter[0], 1};
        must(mote_system_create(&def, &b->system[i]), "mote_system_create");
        mote_force_id id;
        const mote_force_def spring = mote_anchor_spring((const float[3]){0, 0, 0}, 40, 0);
        must(mote_system_add_force(b->system[i], &spring, &id), "mote_system_add_force");
        must(mote_system_spawn(b->system[i], 1, &view), "mote_system_spawn");
        view.position.x[0] = SIZE, view.velocity.y[0] = 3;
    }
    look_at(b);
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
    b->time += steps ? steps * mote_system_timestep(b->system[0]) : 1e-9 * (double)nanoseconds;
    look_at(b);
}

static mote_system *system_of_blend(const scene_state *s, int number) {
    const blend *b = s->own;
    return number < WAYS ? b->system[number] : NULL;
}

static float left_of(int width, int height) { return ui_is_small(width, height) ? 0 : UI_PANEL; }

/* Places one of the ways beside the panel: the middle of its orbit, and m on the picture a m. */
static float place(const draw_state *d, int way, float middle[3]) {
    const float unit = 2 * 7.6f * tanf(0.3f) / (float)d->high, left = left_of(d->wide, d->high),
                column = ((float)d->wide - left) / WAYS;
    middle[0] = unit * (left + column * ((float)way + 0.5f) - 0.5f * (float)d->wide);
    middle[1] = middle[2] = 0;
    return fminf(1.3f, 0.42f * unit * column / SIZE);
}

static void paint_ball(draw_state *d, int way, const float position[3], float radius,
                       const draw_material *material) {
    float at[3];
    mat4 model;
    const float scale = place(d, way, at);
    glm_vec3_muladds((float *)position, scale, at);
    glm_translate_make(model, at);
    draw_sphere(d, model, radius, material);
}

/* A ball, and a dot where it was in each frame of the last half second. */
static void paint_blend(scene_state *s, draw_state *d) {
    static const draw_material colour[WAYS] = {{.colour = {0.8f, 0.07f, 0.05f}, .gloss = 0.6f},
                                               {.colour = {0.85f, 0.45f, 0.05f}, .gloss = 0.6f},
                                               {.colour = {0.1f, 0.5f, 0.15f}, .gloss = 0.6f}};
    const blend *b = s->own;
    draw_line_vertex ring[WAYS * 128];
    int count = 0;
    for (int i = 0; i < WAYS; i++) {
        float middle[3];
        const float scale = place(d, i, middle);
        for (int k = 0; k < 64; k++)
            for (int e = 0; e < 2; e++) {
                const float phi = 6.2831853f * (float)(k + e) / 64;
                ring[count++] = (draw_line_vertex){
                    {middle[0] + scale * SIZE * cosf(phi), scale * 3 / sqrtf(40) * sinf(phi), 0},
                    {0.5f, 0.55f, 0.62f, 0.5f}};
            }
        for (uint32_t k = 0; k < KEPT && k < b->frames; k++) {
            const seen *past = &b->seen[(b->frames - 1 - k) % KEPT];
            const float age = (float)((b->time - past->time) / TRAIL);
            if (age < 1)
                paint_ball(d, i, past->position[i], k ? 0.025f * (1 - 0.7f * age) : 0.1f, &colour[i]);
        }
    }
    draw_lines(d, ring, count, false);
}

static void over_blend(scene_state *s, int width, int height) {
    static const char *name[WAYS] = {"off", "linear", "Hermite"};
    (void)s;
    for (int i = 0; i < WAYS; i++) {
        const float left = left_of(width, height),
                    x = left + ((float)width - left) * ((float)i + 0.5f) / WAYS;
        ui_text(x - 0.5f * ui_text_width(18, name[i]), 0.76f * (float)height, 18,
                (ui_colour){0.92f, 0.94f, 0.97f, 1}, "%s", name[i]);
    }
}

const scene scene_blend = {
    .name = "interpolation",
    .title = "Interpolation",
    .source = "scenes_blend.c",
    .text =
        {"The same orbit at ten steps a second, drawn at the rate of the screen; dots show the last frames.",
         "Off: the ball jumps. Linear: it moves on the chords. Hermite: it stays on the curve.",
         "The state is the same in all three."},
    .look = {{0, 0, 0}, 7.6f, 0, 0, 3, 0},
    .parameters = {{"steps per second", 4, 60, 10, true, true, NULL, false}},
    .open = open_blend,
    .close = close_blend,
    .advance = advance_blend,
    .system_of = system_of_blend,
    .paint = paint_blend,
    .over = over_blend};
