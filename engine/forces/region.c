/* Regions: checks, and defs of forces limited to a region. */
#include "forces/region.h"

#include <math.h>

#include "forces/force.h"

mote_result mote_region_check(const mote_region *region) {
    if ((unsigned)region->shape >= MOTE_REGION_SHAPE_COUNT) return MOTE_ERROR_ENUM;
    if (!isfinite(region->falloff)) return MOTE_ERROR_NOT_FINITE;
    if (region->falloff < 0) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++) {
        if (!isfinite(region->centre[axis]) || !isfinite(region->extent[axis])) return MOTE_ERROR_NOT_FINITE;
        if (region->extent[axis] < 0) return MOTE_ERROR_RANGE;
    }
    return MOTE_OK;
}

mote_force_def mote_in_box(mote_force_def force, const vec3 centre, const vec3 extent, float falloff) {
    force.region = (mote_region){.shape = MOTE_REGION_BOX, .falloff = falloff};
    mote_copy_vector(force.region.centre, centre);
    mote_copy_vector(force.region.extent, extent);
    return force;
}

mote_force_def mote_in_sphere(mote_force_def force, const vec3 centre, float radius, float falloff) {
    force.region = (mote_region){.shape = MOTE_REGION_SPHERE, .extent = {radius, 0, 0}, .falloff = falloff};
    mote_copy_vector(force.region.centre, centre);
    return force;
}
