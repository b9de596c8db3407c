/* The viewer: opens a window on a scene, or draws some frames of it into a PNG file. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#endif

#include "picture.h"
#include "scene.h"

enum { WIDTH = 1280, HEIGHT = 800, PANEL = 250 };
#define FRAME_NANOSECONDS 16666667u

static const ui_colour white = {0.92f, 0.94f, 0.97f, 1}, dim = {0.6f, 0.65f, 0.72f, 1},
                       accent = {0.98f, 0.72f, 0.32f, 1}, glass = {0.05f, 0.06f, 0.08f, 0.62f};

static struct {
    const scene *scene;
    scene_state state;
    viewer_camera camera;
    bool paused, help, headless, plain;
    float speed; /* of time */
    double energy_at_start, step_seconds, frame_seconds, last;
    uint64_t hash;
    int quality, best_quality; /* of drawing: it begins low, so that the first picture is soon there */
    int quality_frames;        /* that were drawn since the last choice, and their time without steps */
    double quality_seconds, stepped;
} app = {.speed = 1, .best_quality = DRAW_BEST};

/* --- Scenes --- */

static double energy(void) {
    mote_statistics sums;
    if (!app.state.system || mote_system_statistics(app.state.system, &sums)) return 0;
    return sums.kinetic + sums.potential + sums.elastic;
}

static void close_scene(void) {
    if (app.scene->close) app.scene->close(&app.state);
    mote_system_destroy(app.state.system);
    app.state.system = NULL, app.state.own = NULL;
}

static void open_scene(void) {
    app.state.pointer.held = false;
    app.scene->open(&app.state);
    app.energy_at_start = energy();
    app.last = window_seconds();
}

static void choose_scene(const scene *to) {
    if (app.scene) close_scene();
    app.scene = to;
    app.state.substeps = 0, app.state.integrator = -1;
    for (int i = 0; i < MAX_PARAMETERS; i++) app.state.parameter[i] = to->parameters[i].first;
    memcpy(app.camera.target, to->look.target, sizeof app.camera.target);
    app.camera.distance = to->look.distance, app.camera.yaw = to->look.yaw;
    app.camera.pitch = to->look.pitch;
    open_scene();
}

static void reopen(void) {
    close_scene();
    open_scene();
}

/* --- A frame --- */

static void advance(uint64_t nanoseconds, uint32_t steps) {
    const double before = window_seconds();
    if (app.scene->before && (nanoseconds || steps))
        app.scene->before(&app.state, 1e-9 * (double)nanoseconds);
    if (app.scene->advance)
        app.scene->advance(&app.state, nanoseconds, steps);
    else if (steps)
        must(mote_system_step(app.state.system, steps, NULL), "mote_system_step");
    else
        must(mote_system_advance(app.state.system, nanoseconds, NULL), "mote_system_advance");
    app.stepped = window_seconds() - before;
    app.step_seconds += 0.05 * (app.stepped - app.step_seconds);
}

static void keep_hash(void) {
    app.hash = app.scene->hash ? app.scene->hash(&app.state) : mote_system_hash(app.state.system);
}

static void point(int width, int height, const viewer_input *input) {
    scene_pointer *p = &app.state.pointer;
    p->ray = camera_through(&app.camera, input->x, input->y, width, height);
    for (int i = 0; i < 3; i++) p->forward[i] = -app.camera.view[i][2];
    p->pressed = input->left_pressed && !ui_has_pointer() && !input->shift;
    p->held = (p->held || p->pressed) && input->left;
    if (p->held && !p->pressed) {
        const float along = p->depth / glm_vec3_dot(p->ray.along, p->forward);
        for (int i = 0; i < 3; i++) p->point[i] = p->ray.from[i] + along * p->ray.along[i];
    }
    camera_move(&app.camera, input, false, height);
}

static void key(int pressed) {
    const int count = MOTE_INTEGRATOR_COUNT;
    int number = 0;
    while (scenes[number] != app.scene) number++;
    switch (pressed) {
    case GLFW_KEY_SPACE:
        app.paused = !app.paused;
        break;
    case GLFW_KEY_PERIOD:
        app.paused = true, advance(0, 1);
        break;
    case GLFW_KEY_R:
        reopen();
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
        app.state.substeps = app.state.substeps > 1 ? app.state.substeps / 2 : 0, reopen();
        break;
    case GLFW_KEY_RIGHT_BRACKET:
        app.state.substeps = app.state.substeps ? app.state.substeps * 2 : 1, reopen();
        break;
    case GLFW_KEY_I:
        app.state.integrator = (app.state.integrator + 2) % (count + 1) - 1;
        reopen();
        break;
    case GLFW_KEY_W:
        app.state.workers = app.state.workers % 8 + 1, reopen();
        break;
    case GLFW_KEY_P:
        app.plain = !app.plain;
        break;
    case GLFW_KEY_N:
    case GLFW_KEY_TAB:
        choose_scene(scenes[number + 1] ? scenes[number + 1] : scenes[0]);
        break;
    default:
        break;
    }
}

static void panel(int height) {
    float y = 14;
    ui_rectangle(0, 0, PANEL, (float)height, glass);
    ui_text(14, y, 22, white, "mote"), y += 34;
    for (int i = 0; scenes[i]; i++) {
        const float x = 14 + (float)(i % 2) * 113;
        if (ui_button(x, y, 109, scenes[i]->title, scenes[i] == app.scene) && scenes[i] != app.scene)
            choose_scene(scenes[i]);
        if (i % 2 || !scenes[i + 1]) y += 26;
    }
    y += 12;
    for (int i = 0; i < MAX_PARAMETERS && app.scene->parameters[i].name; i++) {
        const scene_parameter *p = &app.scene->parameters[i];
        if (p->grown && app.state.hair) continue;
        float *value = &app.state.parameter[i];
        const bool changed =
            p->choices ? ui_choices(14, y, PANEL - 28, p->choices, value)
                       : ui_slider(14, y, PANEL - 28, p->name, value, p->least, p->most, p->logarithmic);
        if (changed && p->restarts) reopen();
        y += 40;
    }
    y += 6;
    if (ui_button(14, y, 72, app.paused ? "run" : "pause", app.paused)) app.paused = !app.paused;
    if (ui_button(89, y, 72, "step", false)) app.paused = true, advance(0, 1);
    if (ui_button(164, y, 72, "restart", false)) reopen();
}

static void wrap(float x, float *y, float width, const char *text) {
    char line[256] = "";
    while (*text) {
        const size_t word = strcspn(text, " "), used = strlen(line);
        char trial[sizeof line];
        snprintf(trial, sizeof trial, "%.180s%s%.*s", line, used ? " " : "", word < 64 ? (int)word : 64,
                 text);
        if (used && ui_text_width(13, trial) > width) {
            ui_text(x, *y, 13, dim, "%s", line), *y += 17;
            snprintf(line, sizeof line, "%.*s", (int)word, text);
        } else {
            memcpy(line, trial, sizeof line);
        }
        text += word + (text[word] == ' ');
    }
    ui_text(x, *y, 13, dim, "%s", line), *y += 17;
}

/* Darkens the upper edge of the picture, so that text over bright particles can be read. */
static void shade_text(int width) {
    enum { STRIPS = 32, STRIP = 5 };
    for (int i = 0; i < STRIPS; i++) {
        const float rest = 1 - (float)i / STRIPS;
        ui_rectangle(PANEL, (float)(STRIP * i), (float)(width - PANEL), STRIP,
                     (ui_colour){0.02f, 0.025f, 0.035f, 0.8f * rest * rest * (3 - 2 * rest)});
    }
}

static void tell(int width, int height) {
    static const char *help[] = {
        "right button: turn    shift or middle: move    wheel: zoom", "left button: drag what can be grabbed",
        "space: pause    . : one step    R: restart    - = : speed of time",
        "[ ] : substeps    I: integrator    W: workers    N: next scene", "P: without panel    H: this help"};
    const scene_state *s = &app.state;
    const float x = PANEL + 18;
    float y = 14;
    ui_text(x, y, 22, white, "%s", app.scene->title), y += 32;
    for (int i = 0; i < 3; i++) wrap(x, &y, 460, app.scene->text[i]);
    y = 14;
    const float right = (float)width - 230;
    const uint32_t count = s->system ? mote_system_count(s->system) : 0;
    const double seconds = app.step_seconds;
    ui_text(right, y, 13, white, "hash  %016llx", (unsigned long long)app.hash), y += 18;
    ui_text(right, y, 13, dim, "frame %.1f ms    step %.2f ms", 1e3 * app.frame_seconds, 1e3 * seconds),
        y += 18;
    if (count)
        ui_text(right, y, 13, dim, "%u particles, %.1f M/s", count, 1e-6 * count / fmax(seconds, 1e-9)),
            y += 18;
    if (s->system) {
        const double start = app.energy_at_start, drift = energy() - start;
        ui_text(right, y, 13, dim, "energy %+.3g J (%+.2g)", drift, start != 0 ? drift / fabs(start) : 0),
            y += 18;
    }
    const mote_integrator_info *info =
        s->integrator >= 0 ? mote_integrator_describe((mote_integrator)s->integrator) : NULL;
    ui_text(right, y, 13, dim, "substeps %s%.0u    workers %u", s->substeps ? "" : "of the scene",
            s->substeps, s->workers ? s->workers : 1),
        y += 18;
    ui_text(right, y, 13, dim, "%s", info ? info->name : "integrator of the scene"), y += 18;
    if (app.speed != 1) ui_text(right, y, 13, accent, "time x %g", (double)app.speed);
    if (app.help)
        for (int i = 0; i < 5; i++) ui_text(x, (float)height - 110 + 18 * (float)i, 13, white, "%s", help[i]);
    else
        ui_text(x, (float)height - 28, 13, dim, "H: help");
}

static void paint(draw_state *d, void *context) {
    (void)context;
    app.scene->paint(&app.state, d);
}

static void draw(void) {
    int width, height;
    window_size(&width, &height);
    if (width < 1 || height < 1) return;
    /* Narrow windows have smaller controls. */
    const float dpi = window_scale(), scale = dpi * fminf(1, fmaxf(0.5f, (float)width / dpi / 1100));
    const int wide = (int)((float)width / scale), high = (int)((float)height / scale);
    camera_update(&app.camera, width, height);
    draw_state d = {
        .camera = &app.camera, .width = width, .height = height, .scene_radius = app.scene->look.radius};
    d.wide = wide, d.high = high;
    d.quality = app.headless ? DRAW_BEST : app.quality;
    draw_frame(&d, paint, NULL);
    ui_begin(width, height, scale, window_input());
    if (app.scene->over) app.scene->over(&app.state, wide, high);
    if (!app.plain) shade_text(wide), panel(high), tell(wide, high);
    ui_end();
    draw_show();
}

/* Draws better where frames are quick, and worse, for good, where they are slow. */
static void choose_quality(double frame_seconds) {
    enum { FRAMES = 12 };
    app.quality_seconds += fmin(fmax(frame_seconds - app.stepped, 0), 0.25);
    if (++app.quality_frames < FRAMES) return;
    const double mean = app.quality_seconds / FRAMES;
    app.quality_frames = 0, app.quality_seconds = 0;
    if (mean < 0.022 && app.quality < app.best_quality) app.quality++;
    if (mean > 0.05 && app.quality > 0) app.best_quality = --app.quality;
}

static void frame(void) {
    const double now = window_seconds(), passed = now - app.last;
    app.last = now;
    app.frame_seconds += 0.05 * (passed - app.frame_seconds);
    const viewer_input *input = window_input();
    int width, height;
    window_size(&width, &height);
    for (int i = 0; i < input->key_count; i++) key(input->keys[i]);
    point(width, height, input);
    choose_quality(passed);
    app.stepped = 0;
    const double most = 0.1, seconds = passed < most ? passed : most;
    if (!app.paused) advance((uint64_t)(1e9 * seconds * (double)app.speed), 0);
    keep_hash();
    draw();
    window_swap();
}

/* --- Start --- */

static int usage(FILE *to, int status) {
    fprintf(to, "usage: mote-viewer [SCENE] [--hair FILE] [--workers N] [--size WxH]\n"
                "                   [--headless --frames N --out FILE.png [--plain]]\nscenes:");
    for (int i = 0; scenes[i]; i++) fprintf(to, " %s", scenes[i]->name);
    fprintf(to, "\n");
    return status;
}

typedef struct options {
    const char *scene, *hair, *out;
    int frames, width, height;
    bool help;
} options;

/* Reads a whole number of 0 to `most`, up to the character `end`, and goes past it; false: it is none. */
static bool number(const char **text, char end, int most, int *out) {
    char *after;
    if (**text < '0' || **text > '9') return false;
    errno = 0;
    const long value = strtol(*text, &after, 10);
    if (errno || *after != end || value > most) return false;
    *out = (int)value;
    *text = end ? after + 1 : after;
    return true;
}

static bool option(int letter, const char *text, options *o) {
    int workers = 0;
    switch (letter) {
    case 'h':
        return o->help = true;
    case 'x':
        app.headless = true;
        return true;
    case 'p':
        app.plain = true;
        return true;
    case 'o':
        o->out = text;
        return true;
    case 'r':
        o->hair = text;
        return true;
    case 'f':
        return number(&text, 0, INT_MAX, &o->frames);
    case 's':
        return number(&text, 'x', 16384, &o->width) && number(&text, 0, 16384, &o->height);
    case 'w':
        if (!number(&text, 0, 64, &workers)) return false;
        app.state.workers = (uint32_t)workers;
        return true;
    default:
        return false;
    }
}

static bool parse(int argc, char **argv, options *o) {
    static const struct option names[] = {
        {"headless", 0, NULL, 'x'}, {"frames", 1, NULL, 'f'},  {"out", 1, NULL, 'o'},
        {"hair", 1, NULL, 'r'},     {"workers", 1, NULL, 'w'}, {"size", 1, NULL, 's'},
        {"plain", 0, NULL, 'p'},    {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
    for (int letter; (letter = getopt_long(argc, argv, "", names, NULL)) != -1;)
        if (!option(letter, optarg, o)) return false;
    if (optind < argc) o->scene = argv[optind++];
    return optind == argc && o->width > 0 && o->height > 0;
}

static mote_hair *read_hair(const char *name) {
    FILE *file = fopen(name, "rb");
    unsigned char *bytes = NULL;
    size_t size = 0, room = 0;
    if (!file) {
        perror(name);
        exit(2);
    }
    do {
        room = room ? 2 * room : 1 << 20;
        bytes = realloc(bytes, room);
        if (!bytes) exit(1);
        size += fread(bytes + size, 1, room - size, file);
    } while (size == room);
    fclose(file);
    mote_hair *hair;
    mote_hair_error where;
    const mote_result result = mote_hair_read(bytes, size, NULL, &hair, &where);
    free(bytes);
    if (result == MOTE_OK) return hair;
    fprintf(stderr, "%s: %s: %s\n", name, mote_result_text(result), where.text);
    exit(2);
}

#if defined(__EMSCRIPTEN__)
/* Functions for the page. */
EMSCRIPTEN_KEEPALIVE void viewer_choose(const char *name) {
    const scene *to = scene_find(name);
    if (to) choose_scene(to);
}
EMSCRIPTEN_KEEPALIVE const char *viewer_source(void) { return app.scene->source; }
EMSCRIPTEN_KEEPALIVE void viewer_pause(int paused) { app.paused = paused; }
EMSCRIPTEN_KEEPALIVE void viewer_frames(int count) { /* of 1/60 s, at once */
    for (int i = 0; i < count; i++) advance(FRAME_NANOSECONDS, 0);
    keep_hash();
}
EMSCRIPTEN_KEEPALIVE void viewer_set(int parameter, float value) {
    if (parameter < 0 || parameter >= MAX_PARAMETERS || !app.scene->parameters[parameter].name) return;
    app.state.parameter[parameter] = value;
    if (app.scene->parameters[parameter].restarts) reopen();
}
EMSCRIPTEN_KEEPALIVE const char *viewer_hash(void) {
    static char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)app.hash);
    return text;
}
EMSCRIPTEN_KEEPALIVE double viewer_step_seconds(void) { return app.step_seconds; }
#else
static int headless(const options *o) {
    unsigned char *pixels = malloc((size_t)o->width * (size_t)o->height * 4);
    if (!pixels) return 1;
    for (int i = 0; i < o->frames; i++) advance(FRAME_NANOSECONDS, 0);
    keep_hash();
    printf("%s %d %016llx\n", app.scene->name, o->frames, (unsigned long long)app.hash);
    draw();
    draw_read(o->width, o->height, pixels);
    const bool good = !o->out || picture_write(o->out, o->width, o->height, pixels);
    if (!good) fprintf(stderr, "viewer: %s cannot be written\n", o->out);
    free(pixels);
    return good ? 0 : 2;
}
#endif

int main(int argc, char **argv) {
    options o = {.scene = scenes[0]->name, .frames = 60, .width = WIDTH, .height = HEIGHT};
    if (!parse(argc, argv, &o)) return usage(stderr, 2);
    if (o.help) return usage(stdout, 0);
    const scene *first = scene_find(o.scene);
    if (!first) {
        fprintf(stderr, "viewer: no scene has the name %s\n", o.scene);
        return usage(stderr, 2);
    }
    if (o.hair) app.state.hair = read_hair(o.hair);
    const char *fault = window_open(o.width, o.height, app.headless);
    if (fault) {
        fprintf(stderr, "viewer: %s\n", fault);
        return 2;
    }
    draw_open();
    ui_open();
    choose_scene(first);
#if defined(__EMSCRIPTEN__)
    emscripten_set_main_loop(frame, 0, true);
    return 0;
#else
    const int status = app.headless ? headless(&o) : 0;
    while (!app.headless && !window_should_close()) frame();
    close_scene();
    mote_hair_destroy(app.state.hair);
    ui_close();
    draw_close();
    window_close();
    return status;
#endif
}
