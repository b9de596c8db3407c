/* Anchor spring: F = -k (x - anchor) - b v. */
#ifndef MOTE_FORCES_ANCHOR_SPRING_H
#define MOTE_FORCES_ANCHOR_SPRING_H

#include "forces/force.h"

/* Evaluates the force (N) inside a region; without a region it is folded. */
MOTE_INLINE wide3 mote_anchor_spring_evaluate(const mote_force_def *def, const mote_force_point *at) {
    wide3 spring = wide3_scale(wide_set(def->as.anchor_spring.stiffness),
                               wide3_sub(wide3_set(def->as.anchor_spring.anchor), at->x));
    return wide3_sub(spring, wide3_scale(wide_set(def->as.anchor_spring.damping), at->v));
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_anchor_spring(const float anchor[3], float stiffness, float damping) {
    mote_force_def def = {.cookie = MOTE_FORCE_COOKIE,
                          .kind = MOTE_FORCE_ANCHOR_SPRING,
                          .as.anchor_spring = {.stiffness = stiffness, .damping = damping}};
    mote_copy_vector(def.as.anchor_spring.anchor, anchor);
    return def;
}

static void anchor_spring_fold(const mote_force_def *def, mote_affine *force) {
    double stiffness = (double)def->as.anchor_spring.stiffness,
           damping = (double)def->as.anchor_spring.damping;
    for (int axis = 0; axis < 3; axis++) {
        force->constant[axis] += stiffness * (double)def->as.anchor_spring.anchor[axis];
        force->stiffness[axis] -= stiffness;
        force->damping[axis] -= damping;
    }
}

/* Potential k |x - a|^2 / 2. */
static double anchor_spring_potential(const mote_force_def *def, const mote_force_place *at) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = at->x[axis] - (double)def->as.anchor_spring.anchor[axis];
        sum += d * d;
    }
    return 0.5 * (double)def->as.anchor_spring.stiffness * sum;
}

static const mote_force_row mote_anchor_spring_row = {
    .name = "anchor-spring",
    .path = MOTE_PATH_AFFINE,
    .reads_velocity = true,
    .damping = offsetof(mote_force_def, as.anchor_spring.damping),
    .bytes = MOTE_PARAMETERS(anchor_spring),
    .fields = {{"anchor", 3}, {"stiffness", 1}, {"damping", 1}},
    .not_negative = MOTE_PARAMETER(anchor_spring.stiffness) | MOTE_PARAMETER(anchor_spring.damping),
    .fold = anchor_spring_fold,
    .potential = anchor_spring_potential};

#endif
#endif
