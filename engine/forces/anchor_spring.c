/* Anchor spring: F = -k (x - anchor) - b v. */
#include "forces/anchor_spring.h"

mote_force_def mote_anchor_spring(const vec3 anchor, float stiffness, float damping) {
    mote_force_def def = {.kind = MOTE_FORCE_ANCHOR_SPRING};
    mote_copy_vector(def.as.anchor_spring.anchor, anchor);
    def.as.anchor_spring.stiffness = stiffness;
    def.as.anchor_spring.damping = damping;
    return def;
}

static mote_result check(const mote_force_def *def) {
    mote_result result = mote_check_not_negative(def->as.anchor_spring.stiffness);
    return result ? result : mote_check_not_negative(def->as.anchor_spring.damping);
}

static void fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force) {
    (void)acceleration;
    double stiffness = (double)def->as.anchor_spring.stiffness,
           damping = (double)def->as.anchor_spring.damping;
    for (int axis = 0; axis < 3; axis++) {
        force->constant[axis] += stiffness * (double)def->as.anchor_spring.anchor[axis];
        force->stiffness[axis] -= stiffness;
        force->damping[axis] -= damping;
    }
}

/* k |x - a|^2 / 2 */
static double potential(const mote_force_def *def, const double x[3], double mass) {
    (void)mass;
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = x[axis] - (double)def->as.anchor_spring.anchor[axis];
        sum += d * d;
    }
    return 0.5 * (double)def->as.anchor_spring.stiffness * sum;
}

const mote_force_row mote_anchor_spring_row = {.name = "anchor-spring",
                                               .path = MOTE_PATH_AFFINE,
                                               .reads_velocity = true,
                                               .newtons = true,
                                               .parameters = 5,
                                               .words = 5,
                                               .check = check,
                                               .fold = fold,
                                               .potential = potential};
