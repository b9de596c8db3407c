/* Rods at rest under an acceleration: equilibrium.h. */
#include "strands/equilibrium.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Limit of 1 + cosine below which two segments count as opposite. */
#define FOLD 1e-6

MOTE_INLINE void load_frame(const mote_strands *strands, uint32_t slot, double q[4]) {
    for (int i = 0; i < 4; i++) q[i] = (double)strands->rest_frame[i][slot];
}

/* Third axis of a frame. */
MOTE_INLINE void direction_of(const double q[4], double t[3]) {
    t[0] = 2 * (q[0] * q[2] + q[1] * q[3]);
    t[1] = 2 * (q[1] * q[2] - q[0] * q[3]);
    t[2] = 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
}

mote_rest_walk mote_rest_begin(const mote_strands *strands, uint32_t lane) {
    mote_rest_walk walk = {.strands = strands, .lane = lane, .joint = (uint32_t)strands->points[lane] - 1};
    load_frame(strands, mote_strands_slot_of(strands, lane, walk.joint - 1), walk.at.a);
    return walk;
}

bool mote_rest_next(mote_rest_walk *walk) {
    const mote_strands *strands = walk->strands;
    mote_rest_joint *at = &walk->at;
    if (walk->joint == 0) return false;
    const uint32_t slot = mote_strands_slot_of(strands, walk->lane, --walk->joint);
    const double mass = (double)strands->mass[slot + MOTE_GROUP];
    double q[4], arm[3];
    memcpy(q, at->a, sizeof q);
    at->length = (double)strands->rest_length[slot];
    direction_of(q, at->tangent);
    for (int i = 0; i < 3; i++) at->force[i] += mass * (double)strands->def.rest_acceleration[i];
    mote_rest_cross(at->tangent, at->force, arm);
    for (int i = 0; i < 3; i++) at->moment[i] += at->length * arm[i];
    if (walk->joint) load_frame(strands, slot - MOTE_GROUP, at->a);
    const double back[4] = {-at->a[0], -at->a[1], -at->a[2], at->a[3]};
    mote_quaternion_compose(back, q, at->c);
    for (int i = 0; i < 4 && at->c[3] < 0; i++) at->c[i] = -at->c[i];
    return true;
}

/* Sets the rest turn of a joint. Returns whether there is one. */
static bool set_rest_turn(mote_strands *strands, const mote_rest_joint *joint, uint32_t slot) {
    const double inverse[3] = {1 / (double)strands->joint_stiffness[slot],
                               1 / (double)strands->joint_across[slot],
                               1 / (double)strands->joint_twist[slot]};
    double y[3];
    mote_rest_strain(joint, y);
    for (int i = 0; i < 3; i++) {
        const double turn = 2 * joint->c[i] - y[i] * inverse[i];
        if (!(__builtin_fabs(turn) <= (double)FLT_MAX)) return false;
        strands->rest_turn[i][slot] = (float)turn;
    }
    return true;
}

/* Returns the name of the field of a def that gives EI or GJ. */
static const char *name_stiffness(const mote_strands_def *def, bool of_twist) {
    if (of_twist) return def->point_twisting_stiffness ? "point_twisting_stiffness" : "twisting_stiffness";
    return def->point_bending_stiffness ? "point_bending_stiffness" : "bending_stiffness";
}

mote_result mote_strands_balance(mote_strands *strands, const mote_strands_def *def, uint32_t lane,
                                 mote_strands_fault *fault) {
    mote_rest_walk walk = mote_rest_begin(strands, lane);
    while (mote_rest_next(&walk)) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, walk.joint);
        const bool bends = strands->joint_stiffness[slot] > 0, twists = strands->joint_twist[slot] > 0;
        /* Half of 1 + cosine is the square of the cosine of half of the angle. */
        const bool folded = 2 * walk.at.c[3] * walk.at.c[3] < FOLD;
        if (bends && twists && !folded && set_rest_turn(strands, &walk.at, slot)) continue;
        fault->strand = strands->strand_of_lane[lane], fault->point = walk.joint;
        fault->parameter = folded ? "positions" : name_stiffness(def, !twists && bends);
        return MOTE_ERROR_RANGE;
    }
    return MOTE_OK;
}

/* a[k] of a joint (rod_frames.h); 0 at the clamp, where W is 0. */
static double rest_along(const mote_strands *strands, const mote_rest_joint *joint, uint32_t slot) {
    const double b[2] = {(double)strands->joint_stiffness[slot], (double)strands->joint_across[slot]};
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const double w = 2 * joint->c[i], w0 = (double)strands->rest_turn[i][slot];
        sum += 0.5 * b[i] * ((w - w0) * w - w0 * w0);
    }
    return sum > 0 ? sum : 0;
}

/* f[k] . t[k] / l[k], less what the bending has of it: (a[k] + a[k+1]) / l[k]^2 */
void mote_strands_rest_tensions(mote_strands *strands, uint32_t lane) {
    double ahead = 0;
    mote_rest_walk walk = mote_rest_begin(strands, lane);
    while (mote_rest_next(&walk)) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, walk.joint);
        const double inverse = (double)strands->inverse_length[slot],
                     own = rest_along(strands, &walk.at, slot);
        strands->tension[slot] =
            (float)((mote_rest_dot(walk.at.force, walk.at.tangent) - (own + ahead) * inverse) * inverse);
        ahead = own;
    }
}
