/* The integrator lab: its state, and how it is drawn. */
#ifndef VIEWER_LAB_H
#define VIEWER_LAB_H

#include "scene.h"

enum { MEMBERS = 10, HISTORY = 256, LINKS = 8, FINE = 8 };

typedef enum lab_problem { SPRING, ORBIT, ROPE, PROBLEMS } lab_problem;

/* Observed of a particle, or of the rope's end: m, m/s. */
typedef struct lab_state {
    float x, y, vx, vy;
} lab_state;

typedef struct lab_member {
    mote_integrator integrator;
    const char *name;
    ui_colour colour;
} lab_member;

/* One member after each step; number n is in entry n % HISTORY. */
typedef struct lab_trace {
    lab_state state[HISTORY];
    float energy[HISTORY];        /* J, above that at the start */
    float links[2][LINKS + 1][3]; /* the rope after the step before the last, and after the last */
} lab_trace;

typedef struct lab {
    lab_problem problem;
    mote_system *system[MEMBERS + 1]; /* the last one: the rope in fine steps, or NULL */
    mote_network_id rope[MEMBERS + 1];
    lab_trace trace[MEMBERS];
    lab_state fine[FINE * HISTORY]; /* of the rope in fine steps, FINE a step */
    float fine_links[2][LINKS + 1][3];
    uint32_t steps; /* states that were observed */
    uint32_t substeps;
    double start_energy, owed; /* s: time not stepped yet */
    float rate, stiffness, damping;
    mat4 both; /* of the camera, with which it was painted */
} lab;

extern const lab_member lab_members[MEMBERS];

double lab_timestep(const lab *l);
/* Share of a step that has passed since the last state but one, which is shown. */
float lab_blend(const lab *l);
/* Exact state at a time: in closed form, or the rope's in fine steps if it is still kept. */
lab_state lab_exact(const lab *l, double time);
float lab_strength(const lab *l); /* m^3/s^2, of the orbit's centre */
/* Energy that the plot spans to both sides, J; speed that phase space spans to both sides, m/s. */
float lab_energy_scale(const lab *l);
float lab_speed_scale(const lab *l);

void lab_paint(scene_state *s, draw_state *d);
void lab_over(scene_state *s, int width, int height);

#endif
