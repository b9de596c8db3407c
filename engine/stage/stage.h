/* Stage of every integrator family: combines forces and integrators. */
#ifndef MOTE_STAGE_STAGE_H
#define MOTE_STAGE_STAGE_H

#include "integrators/advection.h"
#include "integrators/map.h"
#include "integrators/runge_kutta.h"
#include "integrators/splitting.h"
#include "integrators/verlet.h"
#include "stage/evaluate.h"

/* Returns one map for all lanes, or one per lane. Adjacent lanes of equal mass share a map. */
MOTE_INLINE mote_wide_map map_of(const mote_plan *plan, wide inverse_mass) {
    if (!plan->particle_maps) return mote_map_set(plan->c.map);
    float entries[6][3][MOTE_WIDTH];
    mote_map map[3];
    for (int lane = 0; lane < MOTE_WIDTH; lane++) {
        float w = wide_element(inverse_mass, lane);
        if (lane == 0 || w != wide_element(inverse_mass, lane - 1)) mote_plan_particle_map(plan, w, map);
        for (int axis = 0; axis < 3; axis++) {
            const float m[6] = {map[axis].xx, map[axis].xv, map[axis].xc,
                                map[axis].vx, map[axis].vv, map[axis].vc};
            for (int entry = 0; entry < 6; entry++) entries[entry][axis][lane] = m[entry];
        }
    }
#define ENTRY(e) {wide_load(entries[e][0]), wide_load(entries[e][1]), wide_load(entries[e][2])}
    return (mote_wide_map){ENTRY(0), ENTRY(1), ENTRY(2), ENTRY(3), ENTRY(4), ENTRY(5)};
#undef ENTRY
}

/* The map of the family that has one; else zeros, which nothing reads. */
MOTE_INLINE mote_wide_map family_map(const mote_plan *plan, mote_family family, wide inverse_mass) {
    return family == MOTE_FAMILY_MAP ? map_of(plan, inverse_mass) : (mote_wide_map){.xx = wide3_zero()};
}

MOTE_INLINE void begin_substep(const mote_plan *plan, mote_family family, mote_lanes *s,
                               const mote_wide_map *map) {
    if (family == MOTE_FAMILY_MAP && plan->stages == 0) mote_map_apply(s, map);
    if (family == MOTE_FAMILY_SPLITTING) mote_splitting_begin(s, &plan->c);
}

MOTE_INLINE void do_stage(const mote_plan *plan, mote_family family, mote_lanes *s, uint32_t stage, wide3 dv,
                          const mote_wide_map *map) {
    switch (family) {
    case MOTE_FAMILY_SPLITTING:
        mote_splitting_stage(s, &plan->c, stage, dv);
        break;
    case MOTE_FAMILY_VERLET:
        mote_verlet_stage(s, &plan->c, stage, dv);
        break;
    case MOTE_FAMILY_RUNGE_KUTTA:
        mote_runge_kutta_stage(s, &plan->c, stage, stage + 1 == plan->stages, dv);
        break;
    case MOTE_FAMILY_MAP:
        mote_map_stage(s, &plan->c, stage, map, dv);
        break;
    case MOTE_FAMILY_ADVECTION:
        mote_advection_stage(s, &plan->c, stage, stage + 1 == plan->stages, dv);
        break;
    default:
        break;
    }
}

/* Computes the state that only the last of several substeps needs. */
MOTE_INLINE void end_substeps(const mote_plan *plan, mote_family family, mote_lanes *s) {
    if (family == MOTE_FAMILY_ADVECTION) mote_advection_end(s, &plan->c);
}

#endif
