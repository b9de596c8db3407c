/* The integrator lab: the same problem stepped side by side by every integrator, with the exact solution. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

enum { MEMBERS = 10, HISTORY = 512 };

#define AXIS (-0.55f) /* m, on the picture: where position 0 is, between the panel and the plots */
#define WALL (AXIS - 1.65f)

static const struct {
    mote_integrator integrator;
    const char *name;
    ui_colour colour;
} member[MEMBERS] = {{MOTE_EXPLICIT_EULER, "explicit Euler", {0.93f, 0.26f, 0.21f, 1}},
                     {MOTE_SEMI_IMPLICIT_EULER, "semi-implicit Euler", {0.98f, 0.72f, 0.32f, 1}},
                     {MOTE_IMPLICIT_EULER, "implicit Euler", {0.62f, 0.44f, 0.34f, 1}},
                     {MOTE_MIDPOINT, "midpoint", {0.91f, 0.45f, 0.75f, 1}},
                     {MOTE_RK4, "RK4", {0.68f, 0.50f, 0.95f, 1}},
                     {MOTE_VELOCITY_VERLET, "velocity Verlet", {0.36f, 0.62f, 0.98f, 1}},
                     {MOTE_POSITION_VERLET, "position Verlet", {0.25f, 0.80f, 0.85f, 1}},
                     {MOTE_YOSHIDA4, "Yoshida 4", {0.40f, 0.85f, 0.45f, 1}},
                     {MOTE_PEFRL, "PEFRL", {0.75f, 0.87f, 0.30f, 1}},
                     {MOTE_EXACT_FLOW, "exact flow", {0.95f, 0.96f, 0.98f, 1}}};

typedef enum problem { SPRING, ORBIT, ROPE } problem;

/* State of one member after each step. */
typedef struct trace {
    float x[HISTORY], y[HISTORY], v[HISTORY], energy[HISTORY];
} trace;

typedef struct lab {
    problem problem;
    mote_system *system[MEMBERS];
    mote_network_id rope[MEMBERS];
    trace trace[MEMBERS];
    uint32_t steps;
    double start_energy, owed; /* s: time not stepped yet */
    float rate, stiffness, damping;
} lab;

enum { LINKS = 12 };

static void add_rope(lab *l, int m) {
    float positions[LINKS + 1][3];
    mote_spring springs[LINKS];
    for (int i = 0; i <= LINKS; i++) {
        positions[i][0] = 1.2f * (float)i / LINKS, positions[i][1] = positions[i][2] = 0;
        if (i)
            springs[i - 1] = (mote_spring){.a = (uint32_t)i - 1,
                                           .b = (uint32_t)i,
                                           .rest_length = MOTE_AS_PLACED,
                                           .stiffness = 20 * l->stiffness,
                                           .damping = l->damping};
    }
    mote_network_def def = mote_default_network_def();
    def.particle_count = LINKS + 1, def.positions = positions[0], def.mass = 0.1f, def.growth_allowed = true;
    def.springs = springs, def.spring_count = LINKS;
    must(mote_system_add_network(l->system[m], &def, &l->rope[m], NULL), "mote_system_add_network");
    must(mote_network_pin(l->system[m], l->rope[m], 0, positions[0], 0), "mote_network_pin");
    scene_gravity(l->system[m], -9.81f);
}

static void add_particle(lab *l, int m) {
    const mote_force_def spring = mote_anchor_spring((const float[3]){0, 0, 0}, l->stiffness, l->damping),
                         centre = mote_attractor((const float[3]){0, 0, 0}, l->stiffness, 0);
    mote_force_id id;
    mote_range_view view;
    must(mote_system_add_force(l->system[m], l->problem == ORBIT ? &centre : &spring, &id),
         "mote_system_add_force");
    must(mote_system_spawn(l->system[m], 1, &view), "mote_system_spawn");
    view.position.x[0] = 1;
    if (l->problem == ORBIT) view.velocity.y[0] = 0.8f * sqrtf(l->stiffness);
}

static double energy_of(const lab *l, int m) {
    mote_statistics sums;
    if (mote_system_statistics(l->system[m], &sums)) return 0;
    return sums.kinetic + sums.potential + sums.elastic;
}

/* Position and velocity that a plot shows: of the particle, or of the rope's end. */
static void observe(lab *l, int m) {
    trace *t = &l->trace[m];
    const uint32_t at = l->steps % HISTORY;
    float x[3] = {0}, v[3] = {0};
    if (l->problem == ROPE) {
        must(mote_network_state(l->system[m], l->rope[m], LINKS, 1, x, v), "mote_network_state");
    } else {
        const mote_range_view view = mote_system_view(l->system[m]);
        if (view.count) x[0] = view.position.x[0], x[1] = view.position.y[0], v[0] = view.velocity.x[0];
        if (!view.count) x[0] = x[1] = v[0] = NAN;
    }
    t->x[at] = x[0], t->y[at] = x[1], t->v[at] = v[0];
    t->energy[at] = (float)(energy_of(l, m) - l->start_energy);
}

static void open_lab(scene_state *s) {
    lab *l = calloc(1, sizeof *l);
    if (!l) exit(1);
    s->own = l;
    l->problem = (problem)(s->parameter[0] + 0.5f);
    l->rate = s->parameter[1], l->stiffness = s->parameter[2], l->damping = s->parameter[3];
    for (int m = 0; m < MEMBERS; m++) {
        mote_system_def def = scene_def(1, s->substeps ? s->substeps : 1);
        def.integrator = member[m].integrator;
        def.steps_per_second = (mote_rate){(uint32_t)(l->rate * 100), 100};
        must(mote_system_create(&def, &l->system[m]), "mote_system_create");
        if (l->problem == ROPE)
            add_rope(l, m);
        else
            add_particle(l, m);
    }
    l->start_energy = energy_of(l, MEMBERS - 1);
    for (int m = 0; m < MEMBERS; m++) observe(l, m);
    l->steps = 1;
}

static void close_lab(scene_state *s) {
    lab *l = s->own;
    for (int m = 0; m < MEMBERS; m++) mote_system_destroy(l->system[m]);
    free(l);
}

static void advance_lab(scene_state *s, uint64_t nanoseconds, uint32_t steps) {
    lab *l = s->own;
    const double step = mote_system_timestep(l->system[0]);
    l->owed += 1e-9 * (double)nanoseconds;
    if (steps) l->owed = step * steps;
    for (int guard = 0; l->owed >= step && guard < 64; l->owed -= step, guard++) {
        for (int m = 0; m < MEMBERS; m++)
            must(mote_system_step(l->system[m], 1, NULL), "mote_system_step"), observe(l, m);
        l->steps++;
    }
}

static uint64_t hash_lab(const scene_state *s) {
    const lab *l = s->own;
    uint64_t hash = 0;
    for (int m = 0; m < MEMBERS; m++) hash = hash * 0x9e3779b97f4a7c15u + mote_system_hash(l->system[m]);
    return hash;
}

/* Exact position of the damped spring at a time. */
static double exact_spring(const lab *l, double t) {
    const double decay = 0.5 * (double)l->damping, square = (double)l->stiffness - decay * decay;
    const double w = sqrt(fabs(square));
    if (square > 1e-9) return exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
    if (square < -1e-9) return exp(-decay * t) * (cosh(w * t) + decay / w * sinh(w * t));
    return exp(-decay * t) * (1 + decay * t);
}

static void paint_lab(scene_state *s, draw_state *d) {
    lab *l = s->own;
    const uint32_t now = (l->steps - 1) % HISTORY;
    static draw_line_vertex lines[2 * HISTORY * MEMBERS];
    int count = 0;
    for (int m = 0; m < MEMBERS; m++) {
        const trace *t = &l->trace[m];
        const ui_colour c = member[m].colour;
        const float row = l->problem == SPRING ? 1.05f - 0.24f * (float)m : 0,
                    behind = l->problem == SPRING ? 0 : 0.25f * ((float)m - 4.5f);
        draw_material material = {.colour = {c.r * c.r, c.g * c.g, c.b * c.b}, .gloss = 0.6f};
        float place[3] = {t->x[now] + AXIS, t->y[now] + row, behind};
        if (!(fabsf(t->x[now]) < 6) || !(fabsf(t->y[now]) < 6)) continue; /* it has left the picture */
        mat4 at;
        glm_translate_make(at, place);
        draw_sphere(d, at, 0.07f, &material);
        if (l->problem == SPRING) {
            for (int k = 0; k < 160; k++) { /* a coil between the wall and the ball */
                for (int e = 0; e < 2; e++) {
                    const float u = (float)(k + e) / 160, phi = 75 * u;
                    lines[count++] = (draw_line_vertex){
                        {WALL + (place[0] - WALL) * u, row + 0.05f * cosf(phi), 0.05f * sinf(phi)},
                        {c.r, c.g, c.b, 0.7f}};
                }
            }
        } else {
            const uint32_t kept = l->steps < HISTORY ? l->steps : HISTORY,
                           tail = l->problem == ROPE ? 40 : 300;
            for (uint32_t k = 1; k < kept && k < tail; k++)
                for (uint32_t e = 0; e < 2; e++) {
                    const uint32_t i = (l->steps - 1 - k + e) % HISTORY;
                    if (!(fabsf(t->x[i]) < 6) || !(fabsf(t->y[i]) < 6)) {
                        count -= (int)e;
                        break;
                    }
                    lines[count++] = (draw_line_vertex){{t->x[i] + AXIS, t->y[i], behind},
                                                        {c.r, c.g, c.b, 0.8f * (1 - (float)k / (float)tail)}};
                }
        }
    }
    draw_lines(d, lines, count, false);
}

/* --- Plots --- */

typedef struct plot {
    float x, y, width, height; /* on the screen */
    float low, high;
} plot;

static void frame_of(const plot *p, const char *title) {
    static const ui_colour glass = {0.05f, 0.06f, 0.08f, 0.6f}, line = {0.5f, 0.55f, 0.6f, 0.5f},
                           dim = {0.7f, 0.74f, 0.8f, 1};
    ui_rectangle(p->x, p->y, p->width, p->height, glass);
    ui_line(p->x, p->y + p->height / 2, p->x + p->width, p->y + p->height / 2, 1, line);
    ui_text(p->x + 6, p->y + 3, 13, dim, "%s", title);
    ui_text(p->x + p->width - 52, p->y + 3, 13, dim, "%.3g", (double)p->high);
    ui_text(p->x + p->width - 52, p->y + p->height - 18, 13, dim, "%.3g", (double)p->low);
}

static float on_plot(const plot *p, float value) {
    const float u = (value - p->low) / (p->high - p->low);
    return p->y + p->height * (1 - u);
}

static bool within(const plot *p, float value) { return value >= p->low && value <= p->high; }

static void curve(const plot *p, const lab *l, const float *values, ui_colour colour) {
    const uint32_t kept = l->steps < HISTORY ? l->steps : HISTORY, first = l->steps - kept;
    for (uint32_t k = 1; k < kept; k++) {
        const float a = values[(first + k - 1) % HISTORY], b = values[(first + k) % HISTORY];
        if (!within(p, a) || !within(p, b)) continue;
        const float x = p->x + p->width * (float)k / HISTORY;
        ui_line(x - p->width / HISTORY, on_plot(p, a), x, on_plot(p, b), 1.4f, colour);
    }
}

static void over_lab(scene_state *s, int width, int height) {
    lab *l = s->own;
    const float high = (float)(height - 150) / 3, x = (float)width - 430;
    const float unit = l->problem == ROPE ? 12 : (float)fabs(l->start_energy);
    plot position = {x, 136, 416, high - 8, -1.6f, 1.6f},
         energy = {x, 136 + high, 416, high - 8, -unit, unit},
         phase = {x, 136 + 2 * high, 416, high - 8, -1.6f, 1.6f};
    frame_of(&position, l->problem == SPRING ? "position, m; thick: exact" : "position, m");
    frame_of(&energy, "energy - start, J");
    if (l->problem == SPRING) {
        static float exact[HISTORY];
        const uint32_t kept = l->steps < HISTORY ? l->steps : HISTORY, first = l->steps - kept;
        const double step = mote_system_timestep(l->system[0]);
        for (uint32_t k = 0; k < kept; k++)
            exact[(first + k) % HISTORY] = (float)exact_spring(l, step * (first + k));
        for (int i = 0; i < 2; i++) curve(&position, l, exact, (ui_colour){0.6f, 0.64f, 0.7f, 1});
    }
    for (int m = 0; m < MEMBERS; m++) {
        curve(&position, l, l->trace[m].x, member[m].colour);
        curve(&energy, l, l->trace[m].energy, member[m].colour);
        ui_rectangle(270 + 190 * (float)(m % 2), (float)height - 150 + 18 * (float)(m / 2), 12, 12,
                     member[m].colour);
        ui_text(288 + 190 * (float)(m % 2), (float)height - 152 + 18 * (float)(m / 2), 13, member[m].colour,
                "%s", member[m].name);
    }
    const float speed = 1.6f * sqrtf(l->stiffness);
    frame_of(&phase, "phase space: velocity over position");
    for (int m = 0; m < MEMBERS; m++) {
        const trace *t = &l->trace[m];
        const uint32_t kept = l->steps < HISTORY ? l->steps : HISTORY;
        for (uint32_t k = 1; k < kept && k < 200; k++) {
            const uint32_t a = (l->steps - 1 - k) % HISTORY, b = (a + 1) % HISTORY;
            if (!within(&phase, t->x[a]) || !within(&phase, t->x[b]) || !(fabsf(t->v[a]) < speed) ||
                !(fabsf(t->v[b]) < speed))
                continue;
            const float middle = phase.y + phase.height / 2, tall = phase.height / 2 / speed;
            ui_line(phase.x + phase.width * (t->x[a] / 3.2f + 0.5f), middle - tall * t->v[a],
                    phase.x + phase.width * (t->x[b] / 3.2f + 0.5f), middle - tall * t->v[b], 1.2f,
                    member[m].colour);
        }
    }
}

const scene scene_lab = {
    .name = "lab",
    .title = "Integrator lab",
    .source = "lab.c",
    .text =
        {"One problem, ten integrators, the same steps: a spring (0), an orbit (1) or a rope of springs (2).",
         "Explicit Euler explodes, RK4 and implicit Euler lose energy, semi-implicit Euler oscillates about "
         "it.",
         "Exact flow stays on the exact curve at any step where the force is affine."},
    .look = {{0, 0, 0}, 7.6f, 0, 0.02f, 3},
    .parameters = {{"problem", 0, 2, 0, false, true},
                   {"steps per second", 5, 240, 24, true, true},
                   {"stiffness, N/m", 1, 400, 40, true, true},
                   {"damping, kg/s", 0, 4, 0, false, true}},
    .open = open_lab,
    .close = close_lab,
    .advance = advance_lab,
    .hash = hash_lab,
    .paint = paint_lab,
    .over = over_lab};
