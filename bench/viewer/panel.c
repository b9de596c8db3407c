/* The panel with scenes and sliders, the text of the scene, the figures. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app.h"

enum { FIGURES = 246, MAX_LINES = 10, LINE = 18, HEAD = 44 };
#if defined(__EMSCRIPTEN__)
enum { FOOT = 56 }; /* the page has text there */
#else
enum { FOOT = 10 };
#endif

static const ui_colour white = {0.92f, 0.94f, 0.97f, 1}, dim = {0.6f, 0.65f, 0.72f, 1},
                       accent = {0.98f, 0.72f, 0.32f, 1}, glass = {0.05f, 0.06f, 0.08f, 0.62f},
                       menu = {0.1f, 0.115f, 0.14f, 0.92f},
                       dark = {0.05f, 0.06f, 0.08f, 0.8f}; /* under text: particles may be bright */

/* Draws what the panel holds from a height on. Returns where it ends. */
static float sliders_and_buttons(float y) {
    for (int i = 0; scenes[i]; i++) {
        const float x = 14 + (float)(i % 2) * 113;
        if (ui_button(x, y, 109, scenes[i]->title, scenes[i] == app.scene) && scenes[i] != app.scene)
            app_choose(scenes[i]);
        if (i % 2 || !scenes[i + 1]) y += 26;
    }
    y += 12;
    for (int i = 0; i < MAX_PARAMETERS; i++) {
        const scene_parameter *p = app_parameter(i);
        if (!p) continue;
        float *value = &app.state.parameter[i];
        const bool changed =
            p->choices ? ui_choices(14, y, UI_PANEL - 28, p->choices, value)
                       : ui_slider(14, y, UI_PANEL - 28, p->name, value, p->least, p->most, p->logarithmic);
        if (changed && p->restarts) app_reopen();
        y += 40;
    }
    y += 6;
    if (ui_button(14, y, 72, app.paused ? "run" : "pause", app.paused)) app.paused = !app.paused;
    if (ui_button(89, y, 72, "step", false)) app_single_step();
    if (ui_button(164, y, 72, "restart", false)) app_reopen();
    return y + 22;
}

/* The panel scrolls in a window that is lower than what it holds. */
static void show_panel(int height, bool over_scene) {
    static float scrolled, content; /* content: its height in the last frame */
    ui_rectangle(0, 0, UI_PANEL, (float)height, over_scene ? menu : glass);
    ui_text(14, 14, 22, white, "mote");
    ui_scroll(0, HEAD, UI_PANEL - 2, (float)height - HEAD, content, &scrolled);
    ui_clip(HEAD, (float)height);
    content = sliders_and_buttons(HEAD + 4 - scrolled) + scrolled - HEAD + FOOT;
    ui_clip(0, (float)height);
}

/* Writes a text in lines of at most `width`, or with `write` false only measures. Returns its height. */
static float wrap(float x, float y, float width, const char *text, bool write) {
    char line[256] = "";
    const float top = y;
    while (*text) {
        const size_t word = strcspn(text, " "), used = strlen(line);
        char trial[sizeof line];
        snprintf(trial, sizeof trial, "%.180s%s%.*s", line, used ? " " : "", word < 64 ? (int)word : 64,
                 text);
        if (used && ui_text_width(13, trial) > width) {
            if (write) ui_text(x, y, 13, dim, "%s", line);
            y += LINE - 1;
            snprintf(line, sizeof line, "%.*s", (int)word, text);
        } else {
            memcpy(line, trial, sizeof line);
        }
        text += word + (text[word] == ' ');
    }
    if (write) ui_text(x, y, 13, dim, "%s", line);
    return y + LINE - 1 - top;
}

/* --- Figures --- */

typedef struct figures {
    char line[MAX_LINES][96];
    int count;
} figures;

__attribute__((format(printf, 2, 3))) static void add(figures *f, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(f->line[f->count++], sizeof f->line[0], format, list);
    va_end(list);
}

static void add_sums(figures *f) {
    uint64_t points = 0;
    int systems = 0;
    for (; app_system(systems); systems++) points += mote_system_count(app_system(systems));
    points += (uint64_t)systems * app.state.points;
    add(f, "%llu particles, %.1f M steps/s", (unsigned long long)points,
        1e-6 * app.work / fmax(app.work_seconds, 1e-9));
    const double start = fabs(app.energy_at_start);
    char share[24] = "";
    if (start > 0) snprintf(share, sizeof share, " (%+.2g)", app.energy_drift / start);
    add(f, "energy %+.3g J%s%s", app.energy_drift, share, systems > 1 ? " at worst" : "");
    if (app.stretch > 0)
        add(f, app.stretch < 10 ? "stretch %.2f %% at most" : "stretch %.2g %% at most", 100 * app.stretch);
}

static void measure(figures *f) {
    const scene_state *s = &app.state;
    const mote_integrator_info *info =
        s->integrator >= 0 ? mote_integrator_describe((mote_integrator)s->integrator) : NULL;
    char substeps[24] = "of the scene";
    if (s->substeps) snprintf(substeps, sizeof substeps, "%u", s->substeps);
    add(f, "hash  %016llx", (unsigned long long)app.hash);
    add(f, "frame %.1f ms    step %.2f ms", 1e3 * app.frame_seconds, 1e3 * app.step_seconds);
    add_sums(f);
#if defined(__EMSCRIPTEN__)
    add(f, "substeps %s", substeps);
#else
    add(f, "substeps %s    workers %u", substeps, s->workers);
#endif
    add(f, "%s", info ? info->name : "integrator of the scene");
    if (app.undrawn) add(f, "drawing is off (D)");
    if (app.speed != 1) add(f, "time x %g", (double)app.speed);
}

static float show_figures(float x, float y) {
    figures f = {.count = 0};
    measure(&f);
    ui_rectangle(x - 8, y - 6, FIGURES + 2, (float)(LINE * f.count) + 8, dark);
    for (int i = 0; i < f.count; i++) ui_text(x, y + (float)(LINE * i), 13, i ? dim : white, "%s", f.line[i]);
    return y + (float)(LINE * f.count) + 10;
}

static void show_two_figures(float x, float y) {
    ui_text(x, y, 13, white, "hash  %016llx", (unsigned long long)app.hash);
    ui_text(x, y + LINE, 13, dim, "frame %.1f ms    step %.2f ms", 1e3 * app.frame_seconds,
            1e3 * app.step_seconds);
}

/* --- Text --- */

static float show_text(float x, float y, float width) {
    float high = 32;
    for (int i = 0; i < 3; i++) high += wrap(x, 0, width, app.scene->text[i], false);
    ui_rectangle(x - 8, y - 6, width + 16, high + 10, dark);
    ui_text(x, y, 22, white, "%s", app.scene->title), y += 32;
    for (int i = 0; i < 3; i++) y += wrap(x, y, width, app.scene->text[i], true);
    return y + 14;
}

static void show_help(float x, float y, float width) {
    static const char *help[] = {
        "right button: turn;   shift or middle: move;   wheel: zoom",
        "left button: drag what can be grabbed",
#if defined(__EMSCRIPTEN__)
        "touch: a finger is the left button; two turn and zoom",
        "[ ] : substeps;   I: integrator;   N: next scene",
        "P: without panel;   H: this help",
#else
        "[ ] : substeps;   I: integrator;   W: workers;   N: next scene",
        "P: without panel;   H: this help;   Esc: end",
#endif
        "space: pause;   . : one step;   R: restart;   - = : speed of time",
        "L: lines of springs, colliders and pins;   D: drawing off and on",
    };
    const int count = (int)(sizeof help / sizeof help[0]);
    float high = 8;
    for (int i = 0; i < count; i++) high += wrap(x, 0, width, help[i], false);
    ui_rectangle(x - 8, y - 6, width + 16, high, dark);
    for (int i = 0; i < count; i++) y += wrap(x, y, width, help[i], true);
}

/* A small window shows figures alone; what the scene is stands beside the menu. */
static void draw_small(int width, int height) {
    const bool has_room = width - UI_PANEL > 236; /* beside the panel, for text */
    if (ui_button(app.menu ? 164 : 14, 14, 72, app.menu ? "close" : "menu", app.menu)) app.menu = !app.menu;
    if (app.menu && ui_button(89, 14, 72, "help", app.help)) {
        app.help = !app.help;
        if (app.help && !has_room) app.menu = false;
    }
    const float x = app.menu ? UI_PANEL + 18 : 18, room = (float)width - x - 18;
    if (app.help && (has_room || !app.menu)) {
        show_help(x, app.menu ? 20 : 52, fminf(460, room));
    } else if (!app.menu) {
        ui_text(98, 15, 16, white, "%s", app.scene->title);
        if (height >= UI_SHORT)
            show_figures(18, 50);
        else if (width >= 480)
            show_two_figures((float)width - FIGURES, 14);
    } else if (has_room) {
        const float y = show_text(x, 20, fminf(460, room));
        if (y + LINE * MAX_LINES < (float)height) show_figures(x, y + 4);
    }
    if (app.note[0]) ui_text(x, (float)height - 68, 13, accent, "%s", app.note);
}

void panel_draw(int width, int height) {
    const bool small = ui_is_small(width, height);
    if (!small || app.menu) show_panel(height, small);
    if (small) {
        draw_small(width, height);
        return;
    }
    const float x = UI_PANEL + 18, room = (float)width - x - 18;
    const float low = (float)height - (width < UI_NARROW ? 84 : 28); /* above the foot of a narrow page */
    float y = show_text(x, 14, fminf(460, width < UI_NARROW ? room : room - FIGURES - 30));
    if (width < UI_NARROW)
        y = show_figures(x, y + 4);
    else
        show_figures((float)width - FIGURES, 14);
    if (app.help)
        show_help(x, y + 4, fminf(460, room));
    else
        ui_text(x, low, 13, dim, "H: help");
    if (app.note[0]) ui_text(x, low - 20, 13, accent, "%s", app.note);
}
