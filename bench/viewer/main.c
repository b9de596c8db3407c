/* The viewer: opens a window on a scene, or draws some frames of it into a PNG file. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#else
#include <unistd.h>
#endif

#include "app.h"
#include "picture.h"

enum { WIDTH = 1280, HEIGHT = 800 };

#if defined(__EMSCRIPTEN__)
/* Asks the page for the name of the first scene. */
EM_JS(void, first_scene, (char *name, int room), { stringToUTF8(Page.first(), name, room); });

int main(int argc, char **argv) {
    (void)argc, (void)argv; /* the page gives none */
    char name[64];
    const char *fault = window_open(WIDTH, HEIGHT, false);
    if (fault) {
        fprintf(stderr, "viewer: %s\n", fault);
        return 2;
    }
    app.state.workers = 1;
    draw_open();
    ui_open();
    first_scene(name, sizeof name);
    const scene *named = scene_find(name), *first = named ? named : scenes[0];
    app_rehearse(first);
    app_choose(first);
    emscripten_set_main_loop(app_frame, 0, true);
    return 0;
}
#else
enum { MAX_SETTINGS = 8, MAX_WORKERS = 64, MAX_SIDE = 16384 };

typedef struct options {
    const char *scene, *hair, *out, *settings[MAX_SETTINGS];
    int frames, width, height, setting_count;
    bool help, ends; /* ends: after `frames`, in a window too */
    bool measures;   /* prints the time of the steps of a frame */
} options;

/* --- Arguments --- */

static const struct option names[] = {
    {"set", 1, NULL, 'v'},  {"hair", 1, NULL, 'r'},     {"workers", 1, NULL, 'w'},
    {"size", 1, NULL, 's'}, {"headless", 0, NULL, 'x'}, {"frames", 1, NULL, 'f'},
    {"out", 1, NULL, 'o'},  {"measure", 0, NULL, 'm'},  {"plain", 0, NULL, 'p'},
    {"bare", 0, NULL, 'b'}, {"undrawn", 0, NULL, 'u'},  {"help", 0, NULL, 'h'},
    {NULL, 0, NULL, 0}};

/* In the order of `names`: its argument, and what it does. */
static const char *const notes[][2] = {
    {" NAME=VALUE", "a slider or button of the scene; at most 8 times"},
    {" FILE", "hair of a file in Cem Yuksel's HAIR format, for scene hair"},
    {" N", "threads, 1 to 64 (default: one a core)"},
    {" WxH", "pixels, 1 to 16384 each (default: 1280x800)"},
    {"", "no window: frames without drawing, then one picture"},
    {" N", "ends after N frames of 1/60 s (default: 60)"},
    {" FILE.png", "ends with a picture of the last frame"},
    {"", "ends with the time of the steps of a frame"},
    {"", "without panel"},
    {"", "without hair, ropes and rods"},
    {"", "without drawing: the panel alone"},
    {"", "prints this"}};

static int usage(FILE *to, int status) {
    fprintf(to, "usage: mote-viewer [SCENE] [OPTION]...\n");
    for (int i = 0; names[i].name; i++) {
        const int length = fprintf(to, "  --%s%s", names[i].name, notes[i][0]);
        fprintf(to, "%*s%s\n", 22 - length, "", notes[i][1]);
    }
    fprintf(to, "scenes:");
    for (int i = 0; scenes[i]; i++) fprintf(to, " %s", scenes[i]->name);
    fprintf(to, "\n");
    return status;
}

/* Reads a whole number of `least` to `most`, up to the character `end`, and goes past it; false: it is none.
 */
static bool number(const char **text, char end, int least, int most, int *out) {
    char *after;
    if (**text < '0' || **text > '9') return false;
    errno = 0;
    const long value = strtol(*text, &after, 10);
    if (errno || *after != end || value < least || value > most) return false;
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
        return o->ends = app.off_screen = true;
    case 'p':
        return app.plain = true;
    case 'b':
        return app.bare = true;
    case 'u':
        return app.undrawn = true;
    case 'm':
        return o->ends = o->measures = true;
    case 'v':
        if (o->setting_count == MAX_SETTINGS) return false;
        o->settings[o->setting_count++] = text;
        return true;
    case 'o':
        o->out = text;
        return o->ends = true;
    case 'r':
        o->hair = text;
        return true;
    case 'f':
        o->ends = true;
        return number(&text, 0, 0, INT_MAX, &o->frames);
    case 's':
        return number(&text, 'x', 1, MAX_SIDE, &o->width) && number(&text, 0, 1, MAX_SIDE, &o->height);
    default: /* 'w' */
        if (!number(&text, 0, 1, MAX_WORKERS, &workers)) return false;
        app.state.workers = (uint32_t)workers;
        return true;
    }
}

static bool parse(int argc, char **argv, options *o) {
    for (int letter, which = 0; (letter = getopt_long(argc, argv, "", names, &which)) != -1;) {
        if (letter == '?') return false; /* getopt has printed the reason */
        if (option(letter, optarg, o)) continue;
        fprintf(stderr, "viewer: --%s '%s': it takes%s: %s\n", names[which].name, optarg, notes[which][0],
                notes[which][1]);
        return false;
    }
    if (optind < argc) o->scene = argv[optind++];
    if (optind < argc) fprintf(stderr, "viewer: '%s' is one argument too many\n", argv[optind]);
    return optind == argc;
}

static mote_hair *read_hair(const char *name) {
    FILE *file = fopen(name, "rb");
    unsigned char *bytes = NULL;
    size_t size = 0, room = 0;
    while (file && size == room) {
        room = room ? 2 * room : 1 << 20;
        unsigned char *more = realloc(bytes, room);
        if (!more) break; /* errno tells it */
        bytes = more;
        size += fread(bytes + size, 1, room - size, file);
    }
    if (!file || size == room || ferror(file)) {
        perror(name);
        exit(2);
    }
    fclose(file);
    mote_hair *hair;
    mote_hair_error where;
    const mote_result result = mote_hair_read(bytes, size, NULL, &hair, &where);
    free(bytes);
    if (result == MOTE_OK) return hair;
    fprintf(stderr, "%s: %s %s\n", name, mote_result_text(result), where.text);
    exit(2);
}

/* --- Frames --- */

static int compare(const void *one, const void *other) {
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Prints the time of the steps of a frame, over the last half of the frames: a fountain fills at first. */
static void print_times(double *seconds, int frames, double stretch) {
    const int count = frames - frames / 2;
    double *last = seconds + frames / 2;
    uint64_t points = 0;
    for (int i = 0; app_system(i); i++) points += mote_system_count(app_system(i)) + app.state.points;
    if (!count) return;
    qsort(last, (size_t)count, sizeof *last, compare);
    printf("%s: %llu particles, %u workers, steps of a frame %.2f ms (median of %d frames; least %.2f ms)",
           app.scene->name, (unsigned long long)points, app.state.workers, 1e3 * last[count / 2], count,
           1e3 * last[0]);
    if (stretch > 0) printf(", stretch at most %.3f %%", 100 * stretch);
    printf("\n");
}

/* Runs frames of 1/60 s, off screen without drawing them, until a window is closed. Returns their number. */
static int run_steps(const options *o) {
    double *seconds = calloc((size_t)o->frames + 1, sizeof *seconds), stretch = 0;
    int run = 0;
    if (!seconds) exit(1);
    for (; run < o->frames && !window_should_close(); run++) {
        if (app.off_screen)
            app_advance(FRAME_NANOSECONDS, 0);
        else
            app_frame();
        seconds[run] = app.stepped;
        if (o->measures && app.state.points) app_take_statistics();
        if (app.stretch > stretch) stretch = app.stretch;
    }
    if (o->measures) print_times(seconds, run, stretch);
    free(seconds);
    return run;
}

/* Draws the last frame finely. */
static int run_frames(const options *o) {
    int width, height;
    const int run = run_steps(o);
    app_keep_hash();
    printf("%s %d %016llx\n", app.scene->name, run, (unsigned long long)app.hash);
    app_draw();
    window_size(&width, &height);
    unsigned char *pixels = malloc((size_t)width * (size_t)height * 4);
    if (!pixels) return 1;
    draw_read(width, height, pixels);
    const bool good = !o->out || picture_write(o->out, width, height, pixels);
    if (!good) fprintf(stderr, "viewer: %s cannot be written: %s\n", o->out, strerror(errno));
    free(pixels);
    return good ? 0 : 2;
}

/* --- Settings: a parameter goes by the first word of the name beside its slider --- */

static int length_of_word(const scene_parameter *p) { return (int)strcspn(p->name, ", "); }

/* Lists the parameters of the scene: word, choices, range and the name beside the slider. */
static void list_parameters(FILE *to) {
    int count = 0;
    for (int i = 0; i < MAX_PARAMETERS; i++) {
        const scene_parameter *p = app_parameter(i);
        if (!p) continue;
        const int length = length_of_word(p);
        fprintf(to, "%s  %.*s: ", count++ ? "\n" : "its parameters:\n", length, p->name);
        for (int k = 0; p->choices && p->choices[k]; k++) fprintf(to, "%s, ", p->choices[k]);
        fprintf(to, "%.7g to %.7g", (double)p->least, (double)p->most);
        if (p->name[length]) fprintf(to, " (%s)", p->name);
    }
    fprintf(to, count ? "\n" : "it has no parameters\n");
}

/* Reads a number, or the name of a choice; end != 0: it is none. */
static float value_of(const scene_parameter *p, const char *text, const char **end) {
    char *after;
    for (int k = 0; p->choices && p->choices[k]; k++)
        if (!strcmp(text, p->choices[k])) return *end = "", (float)k;
    const float value = strtof(text, &after);
    *end = after > text ? after : "nothing";
    return value;
}

/* Returns NULL or what is wrong with a setting. */
static const char *set_parameter(const char *text) {
    const char *equal = strchr(text, '='), *end;
    if (!equal || equal == text || !equal[1]) return "is not NAME=VALUE";
    for (int i = 0; i < MAX_PARAMETERS; i++) {
        const scene_parameter *p = app_parameter(i);
        if (!p || length_of_word(p) != equal - text || strncmp(p->name, text, (size_t)(equal - text)))
            continue;
        const float value = value_of(p, equal + 1, &end);
        if (*end) return p->choices ? "names no choice" : "has no number as its value";
        if (!(value >= p->least && value <= p->most)) return "has a value that is out of range";
        app_set(i, value);
        return NULL;
    }
    return "has a name that is none of the scene's";
}

static void set_parameters(const options *o) {
    for (int i = 0; i < o->setting_count; i++) {
        const char *fault = set_parameter(o->settings[i]);
        if (!fault) continue;
        fprintf(stderr, "viewer: scene %s: --set %s %s; ", app.scene->name, o->settings[i], fault);
        list_parameters(stderr);
        exit(2);
    }
}
int main(int argc, char **argv) {
    options o = {.scene = scenes[0]->name, .frames = 60, .width = WIDTH, .height = HEIGHT};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    app.state.workers = app.cores = cores > 1 ? (uint32_t)(cores < MAX_WORKERS ? cores : MAX_WORKERS) : 1;
    if (!parse(argc, argv, &o)) return usage(stderr, 2);
    if (o.help) return usage(stdout, 0) || fflush(stdout) ? 2 : 0;
    app.fixed = o.ends;
    const scene *first = scene_find(o.scene);
    if (!first) {
        fprintf(stderr, "viewer: no scene has the name %s\n", o.scene);
        return usage(stderr, 2);
    }
    if (o.hair && o.ends && strcmp(first->name, "hair")) { /* in a window the scene may be chosen later */
        fprintf(stderr, "viewer: --hair: scene %s shows no hair of a file\n", first->name);
        return 2;
    }
    if (o.hair) app.state.hair = read_hair(o.hair);
    const char *fault = window_open(o.width, o.height, app.off_screen);
    if (fault) {
        fprintf(stderr, "viewer: %s\n", fault);
        return 2;
    }
    draw_open();
    ui_open();
    app_choose(first);
    set_parameters(&o);
    int status = o.ends ? run_frames(&o) : 0;
    if (fflush(stdout) || ferror(stdout)) status = 2, perror("viewer: stdout");
    while (!o.ends && !window_should_close()) app_frame();
    app_close();
    mote_hair_destroy(app.state.hair);
    ui_close();
    draw_close();
    window_close();
    return status;
}
#endif
