/* The inline forces: a switch over the list, each evaluated on a few registers of particles. */
#ifndef MOTE_STAGE_INLINE_FORCES_H
#define MOTE_STAGE_INLINE_FORCES_H

#include "forces/anchor_spring.h"
#include "forces/attractor.h"
#include "forces/curl_noise.h"
#include "forces/gravity.h"
#include "forces/grid.h"
#include "forces/linear_field.h"
#include "forces/particle_anchors.h"
#include "forces/quadratic_drag.h"
#include "forces/region.h"
#include "forces/thrust.h"
#include "forces/timed_thrust.h"
#include "forces/vortex.h"
#include "forces/wind.h"
#include "integrators/lanes.h"
#include "stage/plan.h"

/* Registers of particles that go through a kernel side by side, at most. */
#define MOTE_MAX_UNROLL 2

/* What reaches the particles from outside the registers. Absent parts are not read. */
typedef struct mote_external {
    wide inverse_mass;
    wide3 acceleration;    /* of callbacks, m/s^2; or m/s under an advecting integrator */
    wide3 force;           /* of callbacks, N */
    wide3 external_forces; /* of the host, N */
    wide3 anchor;          /* of the particle, m */
} mote_external;

/* Sums by what is given: m/s^2 (or m/s, under an advecting integrator) and N. */
typedef struct mote_force_sum {
    wide3 acceleration, force;
} mote_force_sum;

/* What the vector u of a field gives: itself, or the drag of the air that moves with it. */
MOTE_INLINE wide3 use_field(const mote_force_def *def, wide3 u, wide3 v) {
    return def->use == MOTE_FIELD_WIND ? wide3_scale(wide_set(def->drag), wide3_sub(u, v)) : u;
}

/* One force on one register; *newtons: whether it is in N. Affine forces come here only where a region limits
 * them. */
MOTE_INLINE wide3 point_evaluate(const mote_force_def *def, double time, wide3 x, wide3 v, wide3 anchor,
                                 bool *newtons) {
    *newtons = true;
    switch (def->kind) {
    case MOTE_FORCE_THRUST:
        return mote_thrust_evaluate(def);
    case MOTE_FORCE_WIND:
        return mote_wind_evaluate(def, v);
    case MOTE_FORCE_ANCHOR_SPRING:
        return mote_anchor_spring_evaluate(def, x, v);
    case MOTE_FORCE_TIMED_THRUST:
        return mote_timed_thrust_evaluate(def, time);
    case MOTE_FORCE_QUADRATIC_DRAG:
        return mote_quadratic_drag_evaluate(def, v);
    case MOTE_FORCE_PARTICLE_ANCHORS:
        return mote_particle_anchors_evaluate(def, anchor, x, v);
    default:
        break;
    }
    *newtons = def->use == MOTE_FIELD_WIND;
    switch (def->kind) {
    case MOTE_FORCE_LINEAR_FIELD:
        return use_field(def, mote_linear_field_evaluate(def, x), v);
    case MOTE_FORCE_VORTEX:
        return use_field(def, mote_vortex_evaluate(def, x), v);
    case MOTE_FORCE_CURL_NOISE:
        return use_field(def, mote_curl_noise_evaluate(def, x, time), v);
    case MOTE_FORCE_GRID:
        return use_field(def, mote_grid_field_evaluate(def, x), v);
    default:
        break;
    }
    *newtons = false;
    return def->kind == MOTE_FORCE_GRAVITY ? mote_gravity_evaluate(def) : mote_attractor_evaluate(def, x);
}

/* Outside its region a force does not act, whatever its value would be; but no place that is not finite is
 * outside. */
MOTE_INLINE wide3 within(wide weight, wide3 x, wide3 value) {
    wide_mask acts = wide_less((wide){0}, weight) | ~wide_equal(wide3_finite_probe(x), (wide){0});
    return wide3_select(acts, wide3_scale(weight, value), wide3_zero());
}

/* Any mixture of inline forces, out of line: the switch is compiled once, and the kernels around it keep
 * their registers. */
MOTE_OUTLINE mote_force_sum points_evaluate(const mote_plan *plan, double time, wide3 x, wide3 v,
                                            wide3 anchor) {
    mote_force_sum push = {wide3_zero(), wide3_zero()};
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        const bool limited = def->region.shape != MOTE_REGION_EVERYWHERE;
        bool newtons;
        if ((def->kind <= MOTE_FORCE_ANCHOR_SPRING && !limited) || def->kind == MOTE_FORCE_CALLBACK) continue;
        if (def->kind == MOTE_FORCE_PARTICLE_ANCHORS && !plan->anchors) continue; /* of another range */
        wide3 value = point_evaluate(def, time, x, v, anchor, &newtons);
        if (limited) value = within(mote_region_weight(&def->region, x), x, value);
        if (newtons)
            push.force = wide3_add(push.force, value);
        else
            push.acceleration = wide3_add(push.acceleration, value);
    }
    return push;
}

/* The inline forces on `n` registers. */
MOTE_INLINE void mote_inline_evaluate(const mote_plan *plan, mote_force_mix mix, double time,
                                      const mote_lanes *s, const mote_external *external,
                                      mote_force_sum *push, int n) {
    if (mix == MOTE_MIX_ANY) {
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) push[u] = points_evaluate(plan, time, s[u].x, s[u].v, external[u].anchor);
        return;
    }
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        if (def->kind != MOTE_FORCE_ATTRACTOR) continue;
        MOTE_UNROLLED
        for (int u = 0; u < n; u++)
            push[u].acceleration = wide3_add(push[u].acceleration, mote_attractor_evaluate(def, s[u].x));
    }
}

#endif
