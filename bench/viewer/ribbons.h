/* Strands as ribbons in a mapped buffer. */
#ifndef VIEWER_RIBBONS_H
#define VIEWER_RIBBONS_H

#include "scene.h"

typedef struct ribbons {
    mote_strands_id id;
    gl_stream stream;
    uint64_t vertices;
    int indices, coarse_indices; /* those of a coarse picture follow the others */
    float root_width, tip_width;
    mote_ribbon_facing facing;
} ribbons;

/* Makes the ribbons of strands that a system has. Widths in m. */
ribbons ribbons_make(const mote_system *system, mote_strands_id id, float root_width, float tip_width);
void ribbons_destroy(ribbons *r);

/* Writes the strands as they are now, as seen from the camera; in the shadow pass nothing else is drawn from
 * another side. */
void ribbons_draw(ribbons *r, const mote_system *system, draw_state *d, const draw_hair_look *look);

#endif
