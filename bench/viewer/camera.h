/* Camera that turns about a target. */
#ifndef VIEWER_CAMERA_H
#define VIEWER_CAMERA_H

#include <cglm/cglm.h>

#include "window.h"

typedef struct viewer_camera {
    vec3 target;      /* m */
    float distance;   /* m */
    float yaw, pitch; /* rad */
    vec3 eye;         /* m; these follow from the above: camera_update */
    mat4 view, projection, both;
    float height_of_pixel; /* at a distance of 1 m, m */
} viewer_camera;

/* Ray through a pixel. */
typedef struct camera_ray {
    vec3 from, along; /* along: of length 1 */
} camera_ray;

/* Turns, moves and zooms by the pointer: the right button turns, the middle one moves, as with shift the
 * right one and, where it may, the left. */
void camera_move(viewer_camera *c, const viewer_input *input, bool left_moves, int height);
void camera_update(viewer_camera *c, int width, int height);
camera_ray camera_through(const viewer_camera *c, float x, float y, int width, int height);

#endif
