/* The running viewer: a scene, the choices of the user, what is measured. main.c starts it, the page calls it
 * (web.c), panel.c draws over the picture. */
#ifndef VIEWER_APP_H
#define VIEWER_APP_H

#include "scene.h"

#define FRAME_NANOSECONDS 16666667u
#define MAX_SUBSTEPS      64u

typedef struct viewer_app {
    const scene *scene;
    scene_state state;
    viewer_camera camera;
    bool paused, help, plain, menu; /* menu: the panel of a narrow window is open */
    bool undrawn, lines, bare;      /* bare: strands are not drawn */
    bool off_screen, fixed;         /* fixed: frames of 1/60 s and the finest drawing */
    float speed;                    /* of time */
    uint32_t cores;
    /* Measured. */
    double stepped;                       /* s, of the steps of the last frame */
    double step_seconds, frame_seconds;   /* means of the last frames; 0: there were none */
    double work, work_seconds;            /* particle-steps of the last frames, and their time */
    double energy_drift, energy_at_start; /* J, of the system that has drifted most */
    double stretch;                       /* largest strain */
    uint64_t hash;
    char note[96]; /* an answer to a key, shown for some seconds */
    double note_at;
} viewer_app;

extern viewer_app app;

void app_choose(const scene *to);
void app_reopen(void);
void app_close(void);

/* Returns system `number` of the scene, or NULL after the last. */
mote_system *app_system(int number);

/* Returns parameter `number`, below MAX_PARAMETERS, of the scene, or NULL: there is none, or a file's hair
 * takes its place. */
const scene_parameter *app_parameter(int number);
void app_set(int parameter, float value);

/* Advances by a time, or with steps > 0 by so many steps. */
void app_advance(uint64_t nanoseconds, uint32_t steps);
void app_single_step(void);
void app_keep_hash(void);
/* Finds the drift of the energy and the stretch. */
void app_take_statistics(void);

/* Has graphics compile what the first picture of a scene needs while the scene is made. */
void app_rehearse(const scene *first);
void app_frame(void);
void app_draw(void);

/* Draws what lies over the picture, whose size is given in units of the interface. */
void panel_draw(int width, int height);

/* Tells the page which scene was chosen. */
void web_chosen(const char *name, const char *title, const char *source);

#endif
