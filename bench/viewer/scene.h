/* Scenes. A scene is one row of the table in scenes.c: it makes its system, moves what the user holds before
 * each advance, and draws. */
#ifndef VIEWER_SCENE_H
#define VIEWER_SCENE_H

#include <mote/mote.h>

#include "draw.h"
#include "ui.h"

#define MAX_PARAMETERS 6

/* Number that a slider sets. */
typedef struct scene_parameter {
    const char *name;
    float least, most, first;
    bool logarithmic, restarts; /* restarts: the scene is made anew when it changes */
    const char *const *choices; /* names of 0, 1, ..., up to NULL, for buttons; NULL: a slider */
    bool grown;                 /* of hair that the scene grows: there is no slider for a file's */
} scene_parameter;

/* Pointer of the user: a ray, and what it holds. */
typedef struct scene_pointer {
    camera_ray ray; /* through it; until the scene has seen a press, as it was then */
    bool held;      /* the user holds something or tries to */
    bool pressed;   /* began since the last advance, which a paused scene has none of */
    float point[3]; /* m: where the ray meets the plane through the grabbed point that faces the eye */
    float depth;    /* m, of that plane along `forward` */
    float forward[3];
} scene_pointer;

typedef struct scene_state {
    /* Chosen by the user. */
    uint32_t substeps; /* 0: as the scene is made */
    int integrator;    /* -1: as the scene is made */
    uint32_t workers;
    float parameter[MAX_PARAMETERS];
    scene_pointer pointer;
    mote_hair *hair; /* a file's, or NULL */
    /* Made by the scene. */
    mote_system *system;
    uint32_t points; /* of strands and networks, in each system */
    void *own;
    float alpha; /* of the last advance of `system`: mote_advance */
} scene_state;

/* Integrators that the user may choose in a scene. */
typedef enum scene_integrators { SCENE_HAS_NONE, SCENE_HAS_MOMENTUM, SCENE_ADVECTS } scene_integrators;

typedef struct scene {
    const char *name, *title, *source, *text[3]; /* source: the file that it is in */
    struct {
        float target[3], distance, yaw, pitch, radius, exposure; /* exposure: 0 is 1 */
    } look;
    scene_parameter parameters[MAX_PARAMETERS];
    scene_integrators integrators;
    bool has_strands; /* that it draws */
    void (*open)(scene_state *s);
    void (*close)(scene_state *s);                  /* destroys `own`; NULL: nothing to do */
    void (*before)(scene_state *s, double seconds); /* before an advance; NULL: nothing */
    /* Scenes of several systems: give system `number`, NULL after the last; NULL: the system alone. */
    mote_system *(*system_of)(const scene_state *s, int number);
    /* Advance them all; NULL: the system alone. */
    void (*advance)(scene_state *s, uint64_t nanoseconds, uint32_t steps);
    void (*paint)(scene_state *s, draw_state *d);
    void (*over)(scene_state *s, int width, int height); /* drawn over the picture; NULL: nothing */
} scene;

extern const scene *const scenes[];
const scene *scene_find(const char *name);

/* Ends the program with a sentence unless the call succeeded. */
void must(mote_result result, const char *call);

/* Creates the system of a def, with the user's choices. */
void scene_make_system(scene_state *s, mote_system_def *def);
mote_system_def scene_def(uint32_t capacity, uint32_t substeps);
void scene_gravity(mote_system *system, float y);

/* Time of the picture (s), which lies between the last two steps. What the host places itself is drawn where
 * it is at this time, as the engine presents what it moves. */
double scene_time(const scene_state *s);
/* Time at the end of an advance by so many seconds: what the host moves is to arrive at it then. */
double scene_time_after(const scene_state *s, double seconds);

mote_collider_id scene_add_collider(mote_system *system, const mote_collider_def *def);

/* Sine and cosine by + - * alone, so that a scene is the same on every machine: those of the C library differ
 * in the last bit. Angles in rad, below 1e6. */
float scene_sine(float angle);
float scene_cosine(float angle);

/* Makes the transform that takes the y axis into the way between two points, about its middle. Returns their
 * distance. */
float scene_place_between(const float from[3], const float to[3], mat4 at);

/* Draws a collider's shape at a transform. */
void scene_paint_collider(draw_state *d, const mote_collider_def *def, const mote_transform *at,
                          const draw_material *material);

/* Sets the pointer's plane through a point that is grabbed. */
void scene_grab_at(scene_pointer *pointer, const float point[3]);

/* Returns the number of the point that is nearest to the pointer's ray, within `reach` of it (m); or
 * MOTE_NO_ITEM. points: three floats each. */
uint32_t scene_nearest(const scene_pointer *pointer, const float *points, uint32_t count, float reach);

#endif
