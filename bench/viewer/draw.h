/* Drawing: one light with a shadow, solids, meshes, hair, sprites, lines. A frame has two passes, the shadow
 * map and the picture, so it is drawn by a function that is called twice. */
#ifndef VIEWER_DRAW_H
#define VIEWER_DRAW_H

#include "camera.h"
#include "gl.h"

#define DRAW_BEST 2

typedef struct draw_state {
    viewer_camera *camera;
    int width, height; /* pixels */
    int wide, high;    /* the same in the units of ui.h */
    int quality;       /* 0 .. DRAW_BEST: how finely, for slow graphics */
    bool shadow;       /* the pass that makes the shadow map */
    bool bare;         /* strands are not drawn */
    vec3 scene_centre; /* m, and radius around it: what casts shadows */
    float scene_radius;
    float exposure; /* factor of the light that is shown */
    mat4 light;     /* world to shadow map */
} draw_state;

void draw_open(void);
void draw_close(void);

/* Draws a frame to the screen: paint is called for the shadow map and then for the picture. More can be drawn
 * over it afterwards. */
void draw_frame(draw_state *d, void (*paint)(draw_state *d, void *context), void *context);
/* Draws a frame of nothing, by the programs that most scenes, or those with strands, need. Graphics compile a
 * program when it first draws; in a browser they do that beside the page, which makes its scene meanwhile. */
void draw_rehearse(draw_state *d, bool strands);
/* Empties the screen in place of a frame. */
void draw_nothing(const draw_state *d);

/* Reads the screen back, before it is shown: rows from top to bottom, four bytes a pixel. */
void draw_read(int width, int height, unsigned char *pixels);

typedef struct draw_material {
    vec3 colour; /* linear */
    float gloss; /* 0 .. 1 */
    float silk;  /* 0 .. 1; above 0 both sides are seen */
} draw_material;

void draw_floor(draw_state *d, float height, const float colour[3]);

/* Solids: model turns and places them. */
void draw_sphere(draw_state *d, mat4 model, float radius, const draw_material *material);
void draw_capsule(draw_state *d, mat4 model, float radius, float half_length, const draw_material *material);
void draw_box(draw_state *d, mat4 model, const float extent[3], const draw_material *material);

/* Vertices of meshes: position and normal, 24 bytes. */
gl_stream draw_mesh_stream(void);
void draw_mesh(draw_state *d, const gl_stream *mesh, int index_count, const draw_material *material);

/* Vertices of hair: position, tangent, side, parameter: 32 bytes. Ribbons of mote_strands_present. */
typedef struct draw_hair_look {
    vec3 root, tip; /* linear colours */
    float gloss;
} draw_hair_look;
gl_stream draw_hair_stream(void);
void draw_hair(draw_state *d, const gl_stream *hair, int first_index, int index_count,
               const draw_hair_look *look);

/* Sprites: position, velocity, remaining life: 28 bytes. Colours over life and speed. */
typedef struct draw_sprite_look {
    vec4 young, old;            /* linear, alpha */
    vec4 fast;                  /* blended in by speed */
    float slow_speed;           /* m/s, at which `fast` begins to be blended in */
    float fast_speed;           /* m/s; 0: not by speed */
    float young_size, old_size; /* m, diameter */
    bool adds;                  /* light adds up, order does not matter */
    bool lit; /* of the colour `old`, lit through the others, glowing by `young` while young; such sprites
               * must be drawn in the pass of the shadow map too, from the same vertices */
} draw_sprite_look;
gl_stream draw_sprite_stream(void);
void draw_sprites(draw_state *d, const gl_stream *sprites, int count, const draw_sprite_look *look);

/* Lines: position, colour of the screen with alpha: 28 bytes. add: light adds up. */
typedef struct draw_line_vertex {
    float position[3], colour[4];
} draw_line_vertex;
void draw_lines(draw_state *d, const draw_line_vertex *vertices, int count, bool add);

#endif
