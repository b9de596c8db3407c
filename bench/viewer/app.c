#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#define NOTE_SECONDS 4

enum { MAX_SYSTEMS = 16 }; /* of a scene */

viewer_app app = {.speed = 1, .cores = 1};

static struct {
    int quality, best; /* of drawing: it begins low, so that the first picture is soon there */
    int frames;        /* that were drawn since the last choice, and their time without steps */
    double seconds;
    double last, summed, drawn;   /* s: when a frame began, statistics were made, a picture was drawn */
    bool is_shown;                /* the scene has been drawn; its time begins then */
    double energies[MAX_SYSTEMS]; /* J, at the start */
    mote_line *lines;
    draw_line_vertex *vertices;
    uint32_t line_room;
} now = {.best = DRAW_BEST};

/* --- Scenes --- */

mote_system *app_system(int number) {
    if (app.scene->system_of) return app.scene->system_of(&app.state, number);
    return number ? NULL : app.state.system;
}

static double energy_of(const mote_statistics *sums) {
    return sums->kinetic + sums->potential + sums->elastic;
}

/* Finds the largest drift of energy and the largest strain of all systems. */
static void take_statistics(bool start) {
    mote_statistics sums;
    app.energy_drift = app.stretch = 0;
    mote_system *system;
    for (int i = 0; i < MAX_SYSTEMS && (system = app_system(i)); i++) {
        if (mote_system_statistics(system, &sums)) continue;
        const double energy = energy_of(&sums);
        if (start) now.energies[i] = energy;
        const double drift = energy - now.energies[i];
        if (i == 0 || !(fabs(drift) <= fabs(app.energy_drift)))
            app.energy_drift = drift, app.energy_at_start = now.energies[i];
        app.stretch = fmax(app.stretch, sums.max_strain);
    }
    now.summed = window_seconds();
}

void app_take_statistics(void) { take_statistics(false); }

static void close_scene(void) {
    if (app.scene->close) app.scene->close(&app.state);
    mote_system_destroy(app.state.system);
    app.state.system = NULL, app.state.own = NULL;
}

static void open_scene(void) {
    app.state.pointer.held = false;
    app.state.alpha = 0, app.state.points = 0;
    app.scene->open(&app.state);
    app.work = app.work_seconds = 0;
    app.step_seconds = app.frame_seconds = 0;
    take_statistics(true);
    now.last = window_seconds(), now.is_shown = false;
}

void app_choose(const scene *to) {
    if (app.scene) close_scene();
    app.scene = to;
    app.state.substeps = 0, app.state.integrator = -1;
    for (int i = 0; i < MAX_PARAMETERS; i++) app.state.parameter[i] = to->parameters[i].first;
    memcpy(app.camera.target, to->look.target, sizeof app.camera.target);
    app.camera.distance = to->look.distance, app.camera.yaw = to->look.yaw;
    app.camera.pitch = to->look.pitch;
    open_scene();
#if defined(__EMSCRIPTEN__)
    web_chosen(to->name, to->title, to->source);
#endif
}

const scene_parameter *app_parameter(int number) {
    const scene_parameter *p = &app.scene->parameters[number];
    return p->name && !(p->grown && app.state.hair) ? p : NULL;
}

void app_set(int parameter, float value) {
    app.state.parameter[parameter] = value;
    if (app.scene->parameters[parameter].restarts) app_reopen();
}

void app_reopen(void) {
    close_scene();
    open_scene();
}

void app_close(void) {
    close_scene();
    free(now.lines), free(now.vertices);
}

/* --- Time --- */

static uint64_t steps_of(int number) {
    const mote_system *system = app_system(number);
    return system ? mote_system_steps(system) : 0;
}

static void run(uint64_t nanoseconds, uint32_t steps) {
    scene_state *s = &app.state;
    mote_advance done;
    if (app.scene->advance) {
        app.scene->advance(s, nanoseconds, steps);
        return;
    }
    if (steps)
        must(mote_system_step(s->system, steps, &done), "mote_system_step");
    else
        must(mote_system_advance(s->system, nanoseconds, &done), "mote_system_advance");
    s->alpha = done.alpha;
}

static void add_to_mean(double *mean, double seconds) {
    *mean = *mean > 0 ? *mean + 0.05 * (seconds - *mean) : seconds;
}

void app_advance(uint64_t nanoseconds, uint32_t steps) {
    uint64_t first[MAX_SYSTEMS];
    const double before = window_seconds();
    for (int i = 0; i < MAX_SYSTEMS; i++) first[i] = steps_of(i);
    if (app.scene->before && (nanoseconds || steps)) {
        const double step = mote_system_timestep(app.state.system);
        app.scene->before(&app.state, steps ? step * steps : 1e-9 * (double)nanoseconds);
    }
    run(nanoseconds, steps);
    app.state.pointer.pressed = false;
    app.stepped = window_seconds() - before;
    add_to_mean(&app.step_seconds, app.stepped);
    app.work *= 0.95, app.work_seconds = 0.95 * app.work_seconds + app.stepped;
    for (int i = 0; i < MAX_SYSTEMS && app_system(i); i++) {
        const double points = (double)mote_system_count(app_system(i)) + (double)app.state.points;
        if (steps_of(i) > first[i]) app.work += points * (double)(steps_of(i) - first[i]);
    }
}

void app_single_step(void) {
    app.paused = true;
    app_advance(0, 1);
}

void app_keep_hash(void) {
    app.hash = 0;
    for (int i = 0; app_system(i); i++)
        app.hash = app.hash * 0x9e3779b97f4a7c15u + mote_system_hash(app_system(i));
}

/* --- Keys and pointer --- */

static void answer(const char *text) {
    strncpy(app.note, text, sizeof app.note - 1);
    app.note_at = window_seconds();
}

static void point(int width, int height, const viewer_input *input) {
    scene_pointer *p = &app.state.pointer;
    const bool press = input->left_pressed && !ui_has_pointer() && !input->shift;
    if (press || !p->pressed) {
        p->ray = camera_through(&app.camera, input->x, input->y, width, height);
        for (int i = 0; i < 3; i++) p->forward[i] = -app.camera.view[i][2];
    }
    p->held = (p->held || press) && input->left;
    p->pressed = (p->pressed || press) && p->held;
    if (p->held && !p->pressed) {
        const float along = p->depth / glm_vec3_dot(p->ray.along, p->forward);
        for (int i = 0; i < 3; i++) p->point[i] = p->ray.from[i] + along * p->ray.along[i];
    }
    viewer_input moving = *input;
    if (ui_has_wheel()) moving.scroll = 0;
    camera_move(&app.camera, &moving, !p->held && !ui_has_pointer(), height);
}

static void next_integrator(void) {
    int *i = &app.state.integrator;
    if (app.scene->integrators == SCENE_HAS_NONE) {
        answer("The integrator cannot be chosen in this scene.");
        return;
    }
    const bool advects = app.scene->integrators == SCENE_ADVECTS;
    do *i = (*i + 2) % (MOTE_INTEGRATOR_COUNT + 1) - 1;
    while (*i >= 0 && (*i >= MOTE_ADVECT_EULER) != advects);
    app_reopen();
}

static void choose_substeps(bool more) {
    uint32_t *n = &app.state.substeps;
    if (more && *n == MAX_SUBSTEPS) {
        answer("There are no more substeps than 64.");
        return;
    }
    *n = more ? (*n ? 2 * *n : 1) : *n / 2;
    app_reopen();
}

static void next_workers(void) {
#if defined(__EMSCRIPTEN__)
    answer("The page has one thread.");
#else
    const uint32_t most = app.cores > 8 ? app.cores : 8;
    app.state.workers = app.state.workers % most + 1;
    app_reopen();
#endif
}

static void key(int pressed) {
    int number = 0;
    while (scenes[number] != app.scene) number++;
    switch (pressed) {
    case GLFW_KEY_SPACE:
        app.paused = !app.paused;
        break;
    case GLFW_KEY_PERIOD:
        app_single_step();
        break;
    case GLFW_KEY_R:
        app_reopen();
        break;
    case GLFW_KEY_H:
        app.help = !app.help;
        break;
    case GLFW_KEY_MINUS:
        app.speed = fmaxf(app.speed / 2, 1.0f / 64);
        break;
    case GLFW_KEY_EQUAL:
        app.speed = fminf(app.speed * 2, 4);
        break;
    case GLFW_KEY_LEFT_BRACKET:
        choose_substeps(false);
        break;
    case GLFW_KEY_RIGHT_BRACKET:
        choose_substeps(true);
        break;
    case GLFW_KEY_I:
        next_integrator();
        break;
    case GLFW_KEY_W:
        next_workers();
        break;
    case GLFW_KEY_D:
        app.undrawn = !app.undrawn, now.drawn = 0;
        break;
    case GLFW_KEY_L:
        app.lines = !app.lines;
        if (!app.state.system) answer("This scene has no lines of springs, colliders and pins.");
        break;
    case GLFW_KEY_P:
        app.plain = !app.plain;
        break;
#if !defined(__EMSCRIPTEN__) /* a page ends with its tab */
    case GLFW_KEY_ESCAPE:
        window_ask_to_close();
        break;
#endif
    case GLFW_KEY_N:
    case GLFW_KEY_TAB:
        app_choose(scenes[number + 1] ? scenes[number + 1] : scenes[0]);
        break;
    default:
        break;
    }
}

/* --- Picture --- */

static bool room_for_lines(uint32_t count) {
    if (count <= now.line_room) return true;
    free(now.lines), free(now.vertices);
    now.lines = malloc(count * sizeof *now.lines), now.vertices = malloc(2 * count * sizeof *now.vertices);
    now.line_room = now.lines && now.vertices ? count : 0;
    return now.line_room > 0;
}

/* Draws colliders, regions of forces, springs by their strain, links and pins over the picture. */
static void paint_lines(draw_state *d) {
    static const float colour[MOTE_LINE_KIND_COUNT][4] = {[MOTE_LINE_COLLIDER] = {0.35f, 0.8f, 0.9f, 0.7f},
                                                          [MOTE_LINE_REGION] = {0.8f, 0.5f, 1, 0.6f},
                                                          [MOTE_LINE_SPRING] = {0.6f, 0.9f, 0.5f, 0.5f},
                                                          [MOTE_LINE_LINK] = {1, 0.85f, 0.3f, 0.9f},
                                                          [MOTE_LINE_PIN] = {1, 0.35f, 0.25f, 1}};
    mote_lines_def def = mote_default_lines_def();
    uint32_t count;
    def.plane_size = 2 * d->scene_radius, def.pin_size = 0.02f * d->scene_radius;
    must(mote_system_lines(app.state.system, &def, NULL, 0, &count), "mote_system_lines");
    if (!count || !room_for_lines(count)) return;
    must(mote_system_lines(app.state.system, &def, now.lines, count, &count), "mote_system_lines");
    for (uint32_t i = 0; i < count; i++) {
        const mote_line *line = &now.lines[i];
        draw_line_vertex *v = &now.vertices[2 * i];
        memcpy(v[0].position, line->from, sizeof line->from);
        memcpy(v[1].position, line->to, sizeof line->to);
        for (int end = 0; end < 2; end++) memcpy(v[end].colour, colour[line->kind], sizeof v->colour);
    }
    glDisable(GL_DEPTH_TEST);
    draw_lines(d, now.vertices, (int)(2 * count), false);
    glEnable(GL_DEPTH_TEST);
}

static void paint(draw_state *d, void *context) {
    (void)context;
    app.scene->paint(&app.state, d);
    if (app.lines && !d->shadow && app.state.system) paint_lines(d);
}

void app_draw(void) {
    int width, height;
    window_size(&width, &height);
    if (width < 1 || height < 1) return;
    const float scale = window_scale();
    const int wide = (int)((float)width / scale), high = (int)((float)height / scale);
    if (window_seconds() > now.summed + 0.25 || app.off_screen) take_statistics(false);
    if (window_seconds() > app.note_at + NOTE_SECONDS) app.note[0] = 0;
    camera_update(&app.camera, width, height);
    draw_state d = {.camera = &app.camera,
                    .width = width,
                    .height = height,
                    .wide = wide,
                    .high = high,
                    .scene_radius = app.scene->look.radius,
                    .exposure = app.scene->look.exposure > 0 ? app.scene->look.exposure : 1,
                    .bare = app.bare};
    glm_vec3_copy((float *)app.scene->look.target, d.scene_centre);
    d.quality = app.fixed ? DRAW_BEST : now.quality;
    if (app.undrawn)
        draw_nothing(&d);
    else
        draw_frame(&d, paint, NULL);
    ui_begin(width, height, scale, window_input());
    if (app.scene->over && !app.undrawn) app.scene->over(&app.state, wide, high);
    if (!app.plain) panel_draw(wide, high);
    ui_end();
}

void app_rehearse(const scene *first) {
    enum { SIZE = 8 };
    draw_state d = {.camera = &app.camera, .width = SIZE, .height = SIZE, .scene_radius = 1, .exposure = 1};
    ui_begin(SIZE, SIZE, 1, window_input());
    draw_rehearse(&d, first->has_strands);
    ui_rectangle(0, 0, SIZE, SIZE, (ui_colour){0, 0, 0, 0});
    ui_end();
}

/* Draws better where frames are quick, and worse, for good, where they are slow. */
static void choose_quality(double frame_seconds) {
    enum { FRAMES = 12 };
    now.seconds += fmin(fmax(frame_seconds - app.stepped, 0), 0.25);
    if (++now.frames < FRAMES) return;
    const double mean = now.seconds / FRAMES;
    now.frames = 0, now.seconds = 0;
    if (mean < 0.022 && now.quality < now.best) now.quality++;
    if (mean > 0.05 && now.quality > 0) now.best = --now.quality;
}

void app_frame(void) {
    const double began = window_seconds(), passed = began - now.last;
    now.last = began;
    if (now.is_shown) add_to_mean(&app.frame_seconds, passed);
    const viewer_input *input = window_input();
    int width, height;
    window_size(&width, &height);
    for (int i = 0; i < input->key_count; i++) key(input->keys[i]);
    point(width, height, input);
    if (!app.undrawn) choose_quality(passed);
    app.stepped = 0;
    const double most = 0.1, seconds = passed < most ? passed : most;
    const double nanoseconds = app.fixed ? FRAME_NANOSECONDS : 1e9 * seconds;
    if (!app.paused && (now.is_shown || app.fixed))
        app_advance((uint64_t)(nanoseconds * (double)app.speed), 0);
    now.is_shown = true;
    app_keep_hash();
    /* Without drawing the panel alone is shown, seldom: what draws it takes the time of the steps. It takes a
     * press as it is drawn. */
    const bool is_used = input->left || input->left_pressed || input->scroll != 0;
    if (app.undrawn && !is_used && began < now.drawn + 0.25) {
        window_wait();
        return;
    }
    now.drawn = began;
    app_draw();
    window_swap();
}
