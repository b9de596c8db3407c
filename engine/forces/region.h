/* Regions: limits of a force in space, with a smooth edge. */
#ifndef MOTE_FORCES_REGION_H
#define MOTE_FORCES_REGION_H

#include <mote/force.h>

#include "math/wide.h"

/* Returns the weight at the depth `inside` (m) below a face: 1 from 0 on, and a smoothstep over the falloff
 * outside; a step for falloff 0. */
MOTE_INLINE wide mote_region_edge(wide inside, float falloff) {
    if (falloff == 0) return wide_select(wide_less(inside, (wide){0}), (wide){0}, wide_set(1));
    wide s = wide_clamp((inside + falloff) / falloff, 0, 1);
    return s * s * (3.0f - 2.0f * s);
}

/* Returns the weight in [0, 1]; 1 without a region. */
MOTE_INLINE wide mote_region_weight(const mote_region *region, wide3 x) {
    wide3 d = wide3_sub(x, wide3_set(region->centre));
    const float *extent = region->extent, falloff = region->falloff;
    switch (region->shape) {
    case MOTE_REGION_BOX:
        return mote_region_edge(extent[0] - wide_abs(d.x), falloff) *
               mote_region_edge(extent[1] - wide_abs(d.y), falloff) *
               mote_region_edge(extent[2] - wide_abs(d.z), falloff);
    case MOTE_REGION_SPHERE:
        return mote_region_edge(extent[0] - wide_sqrt(wide3_dot(d, d)), falloff);
    default:
        return wide_set(1);
    }
}

/* Weights a force by its region. Outside the region it does not act, even if its value is not finite. A
 * position that is not finite does not count as outside. */
MOTE_INLINE wide3 mote_region_limit(const mote_region *region, wide3 x, wide3 value) {
    const wide weight = mote_region_weight(region, x);
    const wide_mask acts = wide_less((wide){0}, weight) | ~wide_equal(wide3_finite_probe(x), (wide){0});
    return wide3_select(acts, wide3_scale(weight, value), wide3_zero());
}

#endif
