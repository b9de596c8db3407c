/* The integrator lab: the same problem stepped side by side by every integrator, with the exact solution. */
#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROPE_LENGTH    1.2f
#define ROPE_MASS      0.03f /* kg a point */
#define ROPE_WEIGHT    0.15f /* kg, of the end: a taut rope, whose motion can be foreseen for a while */
#define ROPE_STIFFNESS 5     /* of a link, over the slider's */
#define START_SPEED    0.9f  /* of the orbit, of the speed on a circle */

const lab_member lab_members[MEMBERS] = {
    {MOTE_EXPLICIT_EULER, "explicit Euler", {0.93f, 0.26f, 0.21f, 1}},
    {MOTE_SEMI_IMPLICIT_EULER, "semi-implicit Euler", {0.98f, 0.72f, 0.32f, 1}},
    {MOTE_IMPLICIT_EULER, "implicit Euler", {0.72f, 0.54f, 0.40f, 1}},
    {MOTE_MIDPOINT, "midpoint", {0.91f, 0.45f, 0.75f, 1}},
    {MOTE_RK4, "RK4", {0.68f, 0.50f, 0.95f, 1}},
    {MOTE_VELOCITY_VERLET, "velocity Verlet", {0.36f, 0.62f, 0.98f, 1}},
    {MOTE_POSITION_VERLET, "position Verlet", {0.25f, 0.80f, 0.85f, 1}},
    {MOTE_YOSHIDA4, "Yoshida 4", {0.40f, 0.85f, 0.45f, 1}},
    {MOTE_PEFRL, "PEFRL", {0.75f, 0.87f, 0.30f, 1}},
    {MOTE_EXACT_FLOW, "exact flow", {0.95f, 0.96f, 0.98f, 1}}};

/* --- Exact solutions --- */

double lab_timestep(const lab *l) { return mote_system_timestep(l->system[0]); }
float lab_blend(const lab *l) { return (float)fmin(l->owed / lab_timestep(l), 1); }

/* The orbit's strength grows with the stiffness, so that both problems take about as long. */
float lab_strength(const lab *l) { return l->stiffness / 9; }

float lab_energy_scale(const lab *l) {
    if (l->problem == ROPE) return 0.05f * (ROPE_WEIGHT + 0.5f * ROPE_MASS * LINKS) * 9.81f * ROPE_LENGTH;
    return (l->problem == ORBIT ? 0.25f : 1) * (float)fabs(l->start_energy);
}

float lab_speed_scale(const lab *l) {
    if (l->problem == ROPE) return 6;
    return 1.6f * sqrtf(l->problem == ORBIT ? lab_strength(l) : l->stiffness);
}

/* The damped spring, let go at 1 m. */
static lab_state exact_spring(const lab *l, double t) {
    const double decay = 0.5 * (double)l->damping, square = (double)l->stiffness - decay * decay;
    const double w = sqrt(fabs(square)), fade = exp(-decay * t);
    double c = 1, s = t; /* cosine, and sine over w */
    if (square > 1e-9) c = cos(w * t), s = sin(w * t) / w;
    if (square < -1e-9) c = cosh(w * t), s = sinh(w * t) / w;
    const double x = fade * (c + decay * s), v = -fade * (double)l->stiffness * s;
    return (lab_state){(float)x, 0, (float)v, 0};
}

/* Kepler's ellipse, from its far end at 1 m. */
static lab_state exact_orbit(const lab *l, double t) {
    const double strength = (double)lab_strength(l), pi = 3.14159265358979;
    const double a = 1 / (2 - (double)(START_SPEED * START_SPEED)), e = 1 / a - 1,
                 rate = sqrt(strength / (a * a * a)), mean = fmod(pi + rate * t, 2 * pi);
    double anomaly = mean;
    for (int i = 0; i < 20; i++) anomaly -= (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
    const double b = a * sqrt(1 - e * e), turn = rate / (1 - e * cos(anomaly));
    return (lab_state){(float)(a * (e - cos(anomaly))), (float)(-b * sin(anomaly)),
                       (float)(a * sin(anomaly) * turn), (float)(-b * cos(anomaly) * turn)};
}

static lab_state fine_rope(const lab *l, double t) {
    const double at = FINE * t / lab_timestep(l), newest = FINE * (l->steps - 1);
    const lab_state none = {NAN, NAN, NAN, NAN};
    if (!(at >= 0) || at > newest || at < newest - FINE * (HISTORY - 1)) return none;
    return l->fine[(uint32_t)(at + 0.5) % (FINE * HISTORY)];
}

lab_state lab_exact(const lab *l, double time) {
    if (l->problem == SPRING) return exact_spring(l, time);
    return l->problem == ORBIT ? exact_orbit(l, time) : fine_rope(l, time);
}

/* --- Members --- */

static void add_rope(lab *l, int m) {
    static const float way[3] = {0.8f, -0.6f, 0};
    float positions[LINKS + 1][3], masses[LINKS + 1];
    mote_spring springs[LINKS];
    for (int i = 0; i <= LINKS; i++) {
        for (int a = 0; a < 3; a++) positions[i][a] = ROPE_LENGTH * (float)i / LINKS * way[a];
        masses[i] = i == LINKS ? ROPE_WEIGHT : ROPE_MASS;
        if (i)
            springs[i - 1] = (mote_spring){.a = (uint32_t)i - 1,
                                           .b = (uint32_t)i,
                                           .rest_length = MOTE_AS_PLACED,
                                           .stiffness = ROPE_STIFFNESS * l->stiffness,
                                           .damping = l->damping};
    }
    mote_network_def def = mote_default_network_def();
    def.particle_count = LINKS + 1, def.positions = positions[0];
    def.particle_mass = masses;
    def.growth_allowed = true, def.springs = springs, def.spring_count = LINKS;
    must(mote_system_add_network(l->system[m], &def, &l->rope[m], NULL), "mote_system_add_network");
    must(mote_network_pin(l->system[m], l->rope[m], 0, positions[0], 0), "mote_network_pin");
    scene_gravity(l->system[m], -9.81f);
}

static void add_particle(lab *l, int m) {
    const float centre[3] = {0, 0, 0}, strength = lab_strength(l);
    const mote_force_def force = l->problem == ORBIT ? mote_attractor(centre, strength, 0)
                                                     : mote_anchor_spring(centre, l->stiffness, l->damping);
    mote_force_id id;
    mote_range_view view;
    must(mote_system_add_force(l->system[m], &force, &id), "mote_system_add_force");
    must(mote_system_spawn(l->system[m], 1, &view), "mote_system_spawn");
    view.position.x[0] = 1;
    if (l->problem == ORBIT) view.velocity.y[0] = START_SPEED * sqrtf(strength);
}

static double energy_of(const lab *l, int m) {
    mote_statistics sums;
    if (mote_system_statistics(l->system[m], &sums)) return (double)NAN;
    return sums.kinetic + sums.potential + sums.elastic;
}

static lab_state state_of(const lab *l, int m) {
    float x[3], v[3];
    if (l->problem == ROPE) {
        must(mote_network_state(l->system[m], l->rope[m], LINKS, 1, x, v), "mote_network_state");
        return (lab_state){x[0], x[1], v[0], v[1]};
    }
    const mote_range_view view = mote_system_view(l->system[m]);
    if (!view.count) return (lab_state){NAN, NAN, NAN, NAN};
    return (lab_state){view.position.x[0], view.position.y[0], view.velocity.x[0], view.velocity.y[0]};
}

static void keep_links(lab *l, int m, float (*links)[LINKS + 1][3]) {
    if (l->problem != ROPE) return;
    memcpy(links[0], links[1], sizeof links[0]);
    must(mote_network_state(l->system[m], l->rope[m], 0, LINKS + 1, links[1][0], NULL), "mote_network_state");
}

static void observe(lab *l, int m) {
    lab_trace *t = &l->trace[m];
    const uint32_t at = l->steps % HISTORY;
    t->state[at] = state_of(l, m);
    t->energy[at] = (float)(energy_of(l, m) - l->start_energy);
    keep_links(l, m, t->links);
}

/* The fine rope takes FINE steps in one of the members, each of many substeps. */
static void run_fine(lab *l) {
    if (l->problem != ROPE) return;
    for (uint32_t k = 1; k <= FINE; k++) {
        must(mote_system_step(l->system[MEMBERS], 1, NULL), "mote_system_step");
        l->fine[(FINE * (l->steps - 1) + k) % (FINE * HISTORY)] = state_of(l, MEMBERS);
    }
    keep_links(l, MEMBERS, l->fine_links);
}

static void make_member(lab *l, int m, mote_integrator integrator, uint32_t finer, uint32_t substeps) {
    mote_system_def def = scene_def(1, substeps);
    def.integrator = integrator;
    def.steps_per_second = (mote_rate){finer * (uint32_t)(l->rate * 100), 100};
    must(mote_system_create(&def, &l->system[m]), "mote_system_create");
    if (l->problem == ROPE)
        add_rope(l, m);
    else
        add_particle(l, m);
}

static void open_lab(scene_state *s) {
    lab *l = calloc(1, sizeof *l);
    if (!l) exit(1);
    s->own = l;
    l->problem = (lab_problem)glm_clamp(s->parameter[0] + 0.5f, 0, PROBLEMS - 1);
    l->rate = s->parameter[1], l->stiffness = s->parameter[2], l->damping = s->parameter[3];
    l->substeps = s->substeps ? s->substeps : l->problem == ROPE ? 16 : 1; /* a rope's links are quick */
    for (int m = 0; m < MEMBERS; m++) make_member(l, m, lab_members[m].integrator, 1, l->substeps);
    if (l->problem == ROPE) {
        make_member(l, MEMBERS, MOTE_PEFRL, FINE, 4 * l->substeps);
        keep_links(l, MEMBERS, l->fine_links), keep_links(l, MEMBERS, l->fine_links);
        l->fine[0] = state_of(l, MEMBERS);
    }
    if (l->problem == ROPE) s->points = LINKS + 1;
    l->start_energy = energy_of(l, MEMBERS - 1);
    for (int m = 0; m < MEMBERS; m++) observe(l, m), keep_links(l, m, l->trace[m].links);
    l->steps = 1;
}

static void close_lab(scene_state *s) {
    lab *l = s->own;
    for (int m = 0; m <= MEMBERS; m++) mote_system_destroy(l->system[m]);
    free(l);
}

static void advance_lab(scene_state *s, uint64_t nanoseconds, uint32_t steps) {
    lab *l = s->own;
    const double step = lab_timestep(l);
    l->owed += 1e-9 * (double)nanoseconds;
    if (steps) l->owed = step * steps;
    for (int guard = 0; l->owed >= step && guard < 64; l->owed -= step, guard++) {
        for (int m = 0; m < MEMBERS; m++)
            must(mote_system_step(l->system[m], 1, NULL), "mote_system_step"), observe(l, m);
        run_fine(l);
        l->steps++;
    }
}

static mote_system *system_of_lab(const scene_state *s, int number) {
    const lab *l = s->own;
    return number < MEMBERS ? l->system[number] : NULL;
}

static const char *const problems[] = {"spring", "orbit", "rope", NULL};

const scene scene_lab = {
    .name = "lab",
    .title = "Integrator lab",
    .source = "lab.c",
    .text = {"One problem, ten integrators, the same steps; the exact motion is white.",
             "Explicit Euler explodes, RK4 and implicit Euler lose energy, semi-implicit Euler oscillates "
             "about it.",
             "Exact flow stays on the exact curve at any step where the force is affine."},
    .look = {{0, 0, 0}, 7.6f, 0, 0, 3, 0},
    .parameters = {{"problem", 0, PROBLEMS - 1, 0, false, true, problems, false},
                   {"steps per second", 5, 240, 8, true, true, NULL, false},
                   {"stiffness, N/m", 1, 400, 36, true, true, NULL, false},
                   {"damping, kg/s", 0, 4, 0, false, true, NULL, false}},
    .open = open_lab,
    .close = close_lab,
    .advance = advance_lab,
    .system_of = system_of_lab,
    .paint = lab_paint,
    .over = lab_over};
