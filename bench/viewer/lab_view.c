/* Picture and plots of the integrator lab. */
#include <math.h>
#include <stdio.h>

#include "lab.h"

#define REACH 1.7f /* m from its origin: a member that is further away has left the picture */

enum { PLOTS = 430, TOP = 140, PLOTS_TOP = 166, FOOT = 60, COLUMNS = 3, ROWS = 4 };
enum { TRAIL = 40, TURNS = 12 };

static const ui_colour white = {0.95f, 0.96f, 0.98f, 1}, dim = {0.7f, 0.74f, 0.8f, 1},
                       faint = {0.5f, 0.55f, 0.6f, 0.35f}, glass = {0.03f, 0.035f, 0.045f, 0.8f};

static bool is_near(float x, float y) { return fabsf(x) < REACH && fabsf(y) < REACH; }

/* --- Where a member is drawn --- */

/* Origin of a member's problem, in units of ui.h, and units a metre. */
typedef struct cell {
    float x, y, scale, left, top, size; /* left, top: of its name; size: radius of a ball in a row */
} cell;

/* Springs lie in rows, orbits and ropes in a table, between the panel and the plots, which a narrow window
 * has not. */
static cell cell_of(const lab *l, int m, int wide, int high) {
    const bool narrow = wide < UI_NARROW, small = ui_is_small(wide, high);
    const float left = small ? 16 : UI_PANEL + 16,
                right = (float)(narrow || small ? wide - 16 : wide - PLOTS - 12);
    const float first = small    ? (high < UI_SHORT ? 60 : 190)
                        : narrow ? 310
                                 : TOP,
                bottom = (float)(high - (small    ? 40
                                         : narrow ? FOOT + 56
                                                  : FOOT));
    if (l->problem == SPRING) {
        const float row = (bottom - first) / MEMBERS, scale = (right - left) / 4.1f;
        const float top = first + row * (float)m;
        return (cell){left + 2.2f * scale,   top + (row < 40 ? 0.72f : 0.62f) * row, scale, left, top,
                      fminf(11, 0.25f * row)};
    }
    const float width = (right - left) / COLUMNS, height = (bottom - first) / ROWS,
                x = left + width * (float)(m % COLUMNS), y = first + height * (float)(m / COLUMNS);
    if (l->problem == ORBIT) {
        const float scale = fminf(width / 2.1f, (height - 20) / 1.9f);
        return (cell){x + 0.5f * width - 0.16f * scale, y + 18 + 0.5f * (height - 20), scale, x, y, 6};
    }
    return (cell){x + 0.5f * width, y + 26, fminf(width / 2.7f, (height - 32) / 1.5f), x, y, 6};
}

/* Size in m of a unit of ui.h where the scene's camera looks. */
static float unit_of(const draw_state *d) { return 2 * 7.6f * tanf(0.3f) / (float)d->high; }

static void put(const draw_state *d, const cell *c, float x, float y, float depth, float out[3]) {
    const float unit = unit_of(d);
    out[0] = unit * (c->x + c->scale * x - 0.5f * (float)d->wide);
    out[1] = unit * (0.5f * (float)d->high - c->y + c->scale * y);
    out[2] = depth;
}

/* --- State that is shown --- */

/* Mixes two numbers with their rates over a step of h: Hermite's cubic. */
static float mix_cubic(float a, float b, float va, float vb, float h, float u) {
    const float rest = 1 - u;
    return rest * rest * (a * (1 + 2 * u) + h * va * u) + u * u * (b * (3 - 2 * u) - h * vb * rest);
}

static double shown_time(const lab *l) {
    return l->steps < 2 ? 0 : lab_timestep(l) * ((double)(l->steps - 2) + (double)lab_blend(l));
}

static lab_state shown_state(const lab *l, int m) {
    const lab_state *b = &l->trace[m].state[(l->steps - 1) % HISTORY];
    if (l->steps < 2) return *b;
    const lab_state *a = &l->trace[m].state[(l->steps - 2) % HISTORY];
    const float h = (float)lab_timestep(l), u = lab_blend(l);
    return (lab_state){.x = mix_cubic(a->x, b->x, a->vx, b->vx, h, u),
                       .y = mix_cubic(a->y, b->y, a->vy, b->vy, h, u)};
}

/* --- Picture --- */

static draw_line_vertex lines[1 << 15];
static int line_count;

static void line(const draw_state *d, const cell *c, const float xy[4], float depth, ui_colour colour) {
    if (line_count + 2 > (int)(sizeof lines / sizeof *lines)) return;
    for (int e = 0; e < 2; e++) {
        draw_line_vertex *v = &lines[line_count++];
        put(d, c, xy[2 * e], xy[2 * e + 1], depth, v->position);
        v->colour[0] = colour.r, v->colour[1] = colour.g, v->colour[2] = colour.b, v->colour[3] = colour.a;
    }
}

static ui_colour with_alpha(ui_colour colour, float alpha) {
    colour.a = alpha;
    return colour;
}

static void ball(draw_state *d, const cell *c, float x, float y, float radius, ui_colour colour) {
    const draw_material material = {.colour = {colour.r * colour.r, colour.g * colour.g, colour.b * colour.b},
                                    .gloss = 0.6f};
    float at[3];
    mat4 model;
    put(d, c, x, y, 0, at);
    glm_translate_make(model, at);
    draw_sphere(d, model, radius * unit_of(d), &material);
}

/* A coil between the wall and the ball, drawn twice so that it is not too thin. */
static void paint_spring(draw_state *d, const cell *c, float x, ui_colour colour) {
    enum { PIECES = TURNS * 16 };
    const float wall = -2, size = 0.82f * c->size / c->scale;
    for (int thread = 0; thread < 2; thread++)
        for (int k = 0; k < PIECES; k++) {
            float xy[4];
            for (int e = 0; e < 2; e++) {
                const float u = (float)(k + e) / PIECES;
                xy[2 * e] = wall + (x - wall) * u + 0.25f * size * cosf(6.2831853f * TURNS * u) +
                            0.008f * (float)thread;
                xy[2 * e + 1] = size * sinf(6.2831853f * TURNS * u);
            }
            line(d, c, xy, 0, with_alpha(colour, 0.8f));
        }
    line(d, c, (const float[]){wall, -1.4f * size, wall, 1.4f * size}, 0, dim);
}

static void paint_orbit(draw_state *d, const lab *l, int m, const cell *c) {
    const lab_trace *t = &l->trace[m];
    enum { PIECES = 96 };
    const double period = 6.2831853 / sqrt((double)lab_strength(l)), now = shown_time(l);
    for (int k = 0; k < PIECES; k++) {
        const lab_state a = lab_exact(l, period * k / PIECES), b = lab_exact(l, period * (k + 1) / PIECES);
        line(d, c, (const float[]){a.x, a.y, b.x, b.y}, -0.02f, with_alpha(white, 0.4f));
    }
    for (uint32_t k = 1; k < TRAIL && k + 1 < l->steps; k++) {
        const lab_state *a = &t->state[(l->steps - 1 - k) % HISTORY],
                        *b = &t->state[(l->steps - 2 - k) % HISTORY];
        if (!is_near(a->x, a->y) || !is_near(b->x, b->y)) continue;
        line(d, c, (const float[]){a->x, a->y, b->x, b->y}, 0,
             with_alpha(lab_members[m].colour, 0.9f * (1 - (float)k / TRAIL)));
    }
    ball(d, c, 0, 0, 4, (ui_colour){1, 0.85f, 0.45f, 1});
    const lab_state exact = lab_exact(l, now);
    ball(d, c, exact.x, exact.y, 2.5f, white);
}

static void mix_links(const lab *l, const float (*links)[LINKS + 1][3], float (*out)[2]) {
    for (int i = 0; i <= LINKS; i++)
        for (int a = 0; a < 2; a++)
            out[i][a] = links[0][i][a] + lab_blend(l) * (links[1][i][a] - links[0][i][a]);
}

static void paint_rope(draw_state *d, const lab *l, int m, const cell *c) {
    float exact[LINKS + 1][2], at[LINKS + 1][2];
    const ui_colour colour = lab_members[m].colour;
    const draw_material material = {.colour = {colour.r * colour.r, colour.g * colour.g, colour.b * colour.b},
                                    .gloss = 0.4f};
    mix_links(l, l->fine_links, exact), mix_links(l, l->trace[m].links, at);
    for (int i = 1; i <= LINKS; i++) {
        line(d, c, (const float[]){exact[i - 1][0], exact[i - 1][1], exact[i][0], exact[i][1]}, -0.05f,
             with_alpha(white, 0.8f));
        if (!is_near(at[i - 1][0], at[i - 1][1]) || !is_near(at[i][0], at[i][1])) continue;
        float from[3], to[3];
        mat4 model;
        put(d, c, at[i - 1][0], at[i - 1][1], 0, from), put(d, c, at[i][0], at[i][1], 0, to);
        const float length = scene_place_between(from, to, model);
        draw_capsule(d, model, 1.6f * unit_of(d), 0.5f * length, &material);
        ball(d, c, at[i][0], at[i][1], i == LINKS ? 7 : 2.6f, colour);
    }
    ball(d, c, 0, 0, 3, dim);
}

void lab_paint(scene_state *s, draw_state *d) {
    lab *l = s->own;
    line_count = 0;
    glm_mat4_copy(d->camera->both, l->both);
    for (int m = 0; m < MEMBERS; m++) {
        const cell c = cell_of(l, m, d->wide, d->high);
        const lab_state now = shown_state(l, m);
        if (l->problem == ORBIT) paint_orbit(d, l, m, &c);
        if (l->problem == ROPE) paint_rope(d, l, m, &c);
        if (l->problem == ROPE || !is_near(now.x, now.y)) continue;
        if (l->problem == SPRING) paint_spring(d, &c, now.x, lab_members[m].colour);
        ball(d, &c, now.x, now.y, c.size, lab_members[m].colour);
    }
    if (l->problem == SPRING) { /* where all of them should be */
        const cell first = cell_of(l, 0, d->wide, d->high), last = cell_of(l, MEMBERS - 1, d->wide, d->high);
        const float x = lab_exact(l, shown_time(l)).x, low = (first.y - last.y - 20) / first.scale,
                    high = 20 / first.scale;
        line(d, &first, (const float[]){x, low, x, high}, -0.1f, white);
        line(d, &first, (const float[]){0, low, 0, high}, -0.12f, faint);
    }
    draw_lines(d, lines, line_count, false);
}

/* --- Plots --- */

typedef struct plot {
    float x, y, width, height;     /* on the screen, inside of the axes */
    double left, right, low, high; /* of the axes */
} plot;

/* Draws the part of a line that is inside of a plot (Liang and Barsky 1984). */
static void plot_line(const plot *p, double x0, double y0, double x1, double y1, float width,
                      ui_colour colour) {
    const double a[2] = {(x0 - p->left) / (p->right - p->left), (y0 - p->low) / (p->high - p->low)},
                 b[2] = {(x1 - p->left) / (p->right - p->left), (y1 - p->low) / (p->high - p->low)};
    double from = 0, to = 1;
    for (int i = 0; i < 2; i++) {
        const double way = b[i] - a[i];
        if (!(fabs(way) < 1e30) || !(fabs(a[i]) < 1e30)) return;
        if (fabs(way) < 1e-12) {
            if (a[i] < 0 || a[i] > 1) return;
            continue;
        }
        const double at0 = -a[i] / way, at1 = (1 - a[i]) / way;
        from = fmax(from, fmin(at0, at1)), to = fmin(to, fmax(at0, at1));
    }
    if (from > to) return;
    float x[2], y[2];
    for (int e = 0; e < 2; e++) {
        const double u = e ? to : from;
        x[e] = p->x + p->width * (float)(a[0] + u * (b[0] - a[0]));
        y[e] = p->y + p->height * (float)(1 - a[1] - u * (b[1] - a[1]));
    }
    ui_line(x[0], y[0], x[1], y[1], width, colour);
}

static void plot_dot(const plot *p, double x, double y, float size, ui_colour colour) {
    const double u = (x - p->left) / (p->right - p->left), v = (y - p->low) / (p->high - p->low);
    if (!(u >= 0 && u <= 1 && v >= 0 && v <= 1)) return;
    ui_rectangle(p->x + p->width * (float)u - size / 2, p->y + p->height * (float)(1 - v) - size / 2, size,
                 size, colour);
}

static void plot_number(float x, float y, float share, double value, const char *unit) {
    char text[32];
    snprintf(text, sizeof text, "%.3g%s", fabs(value) < 1e-9 ? 0 : value, unit);
    ui_text(x - share * ui_text_width(13, text), y, 13, dim, "%s", text);
}

/* A plot in a box of the screen: title, axes with their numbers. */
static plot begin_plot(float x, float y, float width, float height, const char *title, const double axes[4],
                       const char *unit) {
    const plot p = {x + 56, y + 24, width - 66, height - 46, axes[0], axes[1], axes[2], axes[3]};
    ui_rectangle(x, y, width, height, glass);
    ui_text(x + 8, y + 4, 13, dim, "%s", title);
    for (int i = 0; i < 3; i++) {
        const float share = 0.5f * (float)i, at = p.y + p.height * (1 - share),
                    across = p.x + p.width * share;
        ui_line(p.x, at, p.x + p.width, at, 1, faint);
        ui_line(across, p.y, across, p.y + p.height, 1, faint);
        plot_number(p.x - 6, at - 8, 1, p.low + (p.high - p.low) * (double)share, "");
        plot_number(across, p.y + p.height + 3, share, p.left + (p.right - p.left) * (double)share, unit);
    }
    return p;
}

/* First number of a state that is kept and not before a time. */
static uint32_t first_kept(const lab *l, double time) {
    const uint32_t oldest = l->steps > HISTORY ? l->steps - HISTORY : 0;
    const double at = ceil(time / lab_timestep(l) - 1e-6);
    return at > oldest ? (uint32_t)at : oldest;
}

static void plot_position(const plot *p, const lab *l, double newest) {
    enum { PIECES = 400 };
    const double h = lab_timestep(l), piece = (p->right - p->left) / PIECES;
    for (int k = 0; k < PIECES && p->left + piece * (k + 1) <= newest; k++) {
        const double t = p->left + piece * k;
        plot_line(p, t, (double)lab_exact(l, t).x, t + piece, (double)lab_exact(l, t + piece).x, 4,
                  with_alpha(white, 0.45f));
    }
    for (int m = 0; m < MEMBERS; m++)
        for (uint32_t n = first_kept(l, p->left); n < l->steps; n++) {
            const double x = (double)l->trace[m].state[n % HISTORY].x;
            if (!is_near(0, l->trace[m].state[n % HISTORY].y)) continue; /* it passes far off */
            const double before = (double)l->trace[m].state[(n - 1) % HISTORY].x;
            if (n > first_kept(l, p->left) && fmin(fabs(before), fabs(x)) < p->high)
                plot_line(p, h * (n - 1), before, h * n, x, 1.2f, with_alpha(lab_members[m].colour, 0.75f));
            plot_dot(p, h * n, x, 3.5f, lab_members[m].colour);
        }
}

static void plot_energy(const plot *p, const lab *l) {
    const double h = lab_timestep(l);
    const uint32_t first = first_kept(l, p->left);
    for (uint32_t n = first + 1; n < l->steps && l->problem == SPRING; n++) {
        double exact[2];
        for (uint32_t e = 0; e < 2; e++) {
            const lab_state s = lab_exact(l, h * (n - 1 + e));
            exact[e] = 0.5 * (double)(s.vx * s.vx + l->stiffness * s.x * s.x) - l->start_energy;
        }
        plot_line(p, h * (n - 1), exact[0], h * n, exact[1], 4, with_alpha(white, 0.45f));
    }
    for (int m = 0; m < MEMBERS; m++)
        for (uint32_t n = first + 1; n < l->steps; n++)
            plot_line(p, h * (n - 1), (double)l->trace[m].energy[(n - 1) % HISTORY], h * n,
                      (double)l->trace[m].energy[n % HISTORY], 1.6f, lab_members[m].colour);
}

static void plot_phase(const plot *p, const lab *l, double newest, double window) {
    enum { PIECES = 600 };
    const double piece = fmin(window, newest) / PIECES;
    for (int k = 0; k < PIECES; k++) {
        const lab_state a = lab_exact(l, newest - piece * k), b = lab_exact(l, newest - piece * (k + 1));
        plot_line(p, (double)a.x, (double)a.vx, (double)b.x, (double)b.vx, 3, with_alpha(white, 0.4f));
    }
    for (int m = 0; m < MEMBERS; m++)
        for (uint32_t n = first_kept(l, newest - window), k = n; n < l->steps; n++) {
            const lab_state *b = &l->trace[m].state[n % HISTORY], *a = &l->trace[m].state[(n - 1) % HISTORY];
            if (!is_near(0, b->y)) continue;
            const float age = (float)(l->steps - n) / (float)(l->steps - k);
            const ui_colour colour = with_alpha(lab_members[m].colour, 1 - 0.8f * age);
            if (n > k)
                plot_line(p, (double)a->x, (double)a->vx, (double)b->x, (double)b->vx, 1,
                          with_alpha(colour, 0.3f * colour.a));
            plot_dot(p, (double)b->x, (double)b->vx, 3.5f, colour);
        }
}

/* The name of a member above its picture, wherever the camera has gone. */
static void name_member(const lab *l, int m, int wide, int high) {
    const draw_state d = {.wide = wide, .high = high};
    const cell c = cell_of(l, m, wide, high);
    const lab_state now = shown_state(l, m);
    if (c.size < 4) return; /* the next one's would lie over it */
    vec4 at = {0, 0, 0, 1}, on_screen;
    put(&d, &c, (c.left - c.x) / c.scale, (c.y - c.top) / c.scale, 0, at);
    glm_mat4_mulv((vec4 *)l->both, at, on_screen);
    if (!(on_screen[3] > 0)) return;
    const float x = (0.5f + 0.5f * on_screen[0] / on_screen[3]) * (float)wide,
                y = (0.5f - 0.5f * on_screen[1] / on_screen[3]) * (float)high;
    ui_text(x, y, 13, lab_members[m].colour, "%s%s", lab_members[m].name,
            is_near(now.x, now.y) ? "" : ": has left");
}

void lab_over(scene_state *s, int width, int height) {
    const lab *l = s->own;
    const float x = (float)(width - PLOTS), wide = PLOTS - 14, high = (float)(height - PLOTS_TOP - 12) / 3;
    const double h = lab_timestep(l), newest = h * (l->steps - 1), kept = h * (HISTORY - 2),
                 window = fmin(8, kept), long_window = fmin(30, kept);
    const double energy = (double)lab_energy_scale(l), speed = (double)lab_speed_scale(l),
                 end = fmax(newest, window), long_end = fmax(newest, long_window);
    for (int m = 0; m < MEMBERS; m++) name_member(l, m, width, height);
    if (width < UI_NARROW || ui_is_small(width, height)) return;
    plot p = begin_plot(x, PLOTS_TOP, wide, high - 8,
                        l->problem == ROPE ? "position of the end, m" : "position, m",
                        (const double[]){end - window, end, -1.6, 1.6}, " s");
    plot_position(&p, l, newest);
    p = begin_plot(x, PLOTS_TOP + high, wide, high - 8, "energy above that at the start, J",
                   (const double[]){long_end - long_window, long_end, -energy, energy}, " s");
    plot_energy(&p, l);
    p = begin_plot(x, PLOTS_TOP + 2 * high, wide, high - 8, "phase space: velocity, m/s, over position",
                   (const double[]){-1.6, 1.6, -speed, speed}, " m");
    plot_phase(&p, l, newest, 0.5 * window);
}
