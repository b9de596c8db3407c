/* Contact evaluation over columns, compiled once for each instruction set of the build. */
#ifndef MOTE_TESTS_CONTACT_LANES_H
#define MOTE_TESTS_CONTACT_LANES_H

#include "contacts/colliders.h"

enum { CONTACT_OUTPUTS = 9 }; /* normal x, y, z, offset, gap, drift x, y, z, friction */

/* `count` points, a multiple of 16, that went from x0 to x1. The first `exempt` have no contact. */
typedef struct contact_points {
    size_t count;
    const float *x0[3], *x1[3];
    float radius, friction, reach;
    int32_t exempt;
    uint32_t *passed_by; /* NULL, or counts the colliders that mote_contact_list_part leaves out */
    float *out[CONTACT_OUTPUTS];
} contact_points;

typedef void contact_function(const mote_collider_pose *from, const mote_collider_pose *to,
                              uint32_t colliders, const contact_points *points);

extern contact_function contact_lanes_scalar, contact_lanes_sse2, contact_lanes_avx2, contact_lanes_avx512,
    contact_lanes_neon, contact_lanes_simd128;

#endif
