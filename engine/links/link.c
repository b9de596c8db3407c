/* The springs between ranges. The formula is that of the springs of networks and strands, operation by
 * operation. */
#include "links/link.h"

/* Shorter vectors have no direction. */
#define SHORTEST 1e-18f

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void mote_link_evaluate(mote_link_run *link) {
    float d[3], rate[3];
    for (int axis = 0; axis < 3; axis++) {
        link->force[axis] = 0;
        d[axis] = *link->b.x[axis] - *link->a.x[axis];
        rate[axis] = *link->b.v[axis] - *link->a.v[axis];
    }
    if (link->slack) return;
    const float length = __builtin_sqrtf(dot(d, d)), inverse = 1.0f / (length > SHORTEST ? length : SHORTEST);
    float tension = link->stiffness * (length - link->rest_length);
    if (link->damping > 0) tension += link->damping * (dot(d, rate) * inverse);
    for (int axis = 0; axis < 3; axis++) link->force[axis] = tension * inverse * d[axis];
}

static void give(const mote_link_point *point, const float force[3], float sign, uint32_t stage) {
    const float weight = mote_plan_weight(point->plan, stage);
    for (int axis = 0; axis < 3; axis++) {
        *point->force[axis] += sign * force[axis];
        if (point->reaction[axis]) *point->reaction[axis] += weight * (sign * force[axis]);
    }
}

void mote_links_pull(mote_link_run *links, uint32_t count, uint32_t stage) {
    for (uint32_t i = 0; i < count; i++) {
        mote_link_run *link = &links[i];
        const bool at_a = stage < link->a.plan->stages, at_b = stage < link->b.plan->stages;
        if (!at_a && !at_b) continue;
        if (!link->held || stage == 0) mote_link_evaluate(link);
        if (at_a) give(&link->a, link->force, 1, stage);
        if (at_b) give(&link->b, link->force, -1, stage);
        if (!at_a) continue;
        const float weight = mote_plan_weight(link->a.plan, stage);
        for (int axis = 0; axis < 3; axis++) link->impulse[axis] += weight * link->force[axis];
    }
}
