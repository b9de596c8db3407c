/* Step of linked ranges. Units that links join run every phase in lockstep; the other units of the same
 * ranges step as if there were no links. */
#include "links/links.h"

/* Threshold of a length, m: shorter vectors have no direction. */
#define SHORTEST 1e-18f

/* --- The force of a link --- */

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Computes F = (k (|d| - L) + c d'.n) n on a, -F on b, d = b - a, n = d / |d|: the formula of the springs of
 * networks and strands, operation by operation. An end is taken to the time of a held force by its velocity.
 */
static void evaluate(mote_link_state *l) {
    float d[3], rate[3];
    for (int axis = 0; axis < 3; axis++) {
        l->force[axis] = 0;
        const float apart = l->point[1].origin[axis] - l->point[0].origin[axis];
        d[axis] = (*l->point[1].x[axis] - *l->point[0].x[axis]) + apart;
        if (l->behind[0] != 0) d[axis] -= l->behind[0] * *l->point[0].v[axis];
        if (l->behind[1] != 0) d[axis] += l->behind[1] * *l->point[1].v[axis];
        rate[axis] = *l->point[1].v[axis] - *l->point[0].v[axis];
    }
    if (l->slack) return;
    const float length = __builtin_sqrtf(dot(d, d)), inverse = 1.0f / (length > SHORTEST ? length : SHORTEST);
    float tension = l->link.stiffness * (length - l->link.rest_length);
    if (l->link.damping > 0) tension += l->link.damping * (dot(d, rate) * inverse);
    for (int axis = 0; axis < 3; axis++) l->force[axis] = tension * inverse * d[axis];
}

/* Adds the force to an end in a stage that its range has; returns the weight (s) of the stage. */
static float add_force_to_end(const mote_link_state *l, int end, float sign, uint32_t stage) {
    const mote_plan *plan = &l->site[end].range->plan;
    if (stage >= plan->stages) return 0;
    const float weight = mote_plan_weight(plan, stage);
    const mote_range_point *point = &l->point[end];
    for (int axis = 0; axis < 3; axis++) {
        *point->force[axis] += sign * l->force[axis];
        if (point->reaction[axis]) *point->reaction[axis] += weight * (sign * l->force[axis]);
    }
    return weight;
}

static void add_forces(const mote_link_list *links, uint32_t stage) {
    for (uint32_t i = 0; i < links->list.count; i++) {
        mote_link_state *l = mote_link_at(links, i);
        const bool at_a = stage < l->site[0].range->plan.stages, at_b = stage < l->site[1].range->plan.stages;
        if (!at_a && !at_b) continue;
        if (!l->held || stage == 0) evaluate(l);
        const float weight = add_force_to_end(l, 0, 1, stage);
        (void)add_force_to_end(l, 1, -1, stage);
        for (int axis = 0; axis < 3 && at_a; axis++) l->sum[axis] += weight * l->force[axis];
    }
}

/* --- Half-step start of position Verlet --- */

static mote_range_point point_in_columns(const mote_link_site *site) {
    mote_range_point p = {.origin = {0, 0, 0}};
    for (int axis = 0; axis < 3; axis++) {
        p.x[axis] = site->range->x[axis] + site->slot;
        p.v[axis] = site->range->v[axis] + site->slot;
    }
    return p;
}

static bool is_frozen(const mote_link_site *site) {
    return site->range->kind->is_frozen(site->range, site->slot);
}

/* Evaluates the forces at the start of the step, before the ranges begin it. */
static void evaluate_at_start(const mote_link_list *links) {
    for (uint32_t i = 0; i < links->list.count; i++) {
        mote_link_state *l = mote_link_at(links, i);
        for (int end = 0; end < 2; end++) l->point[end] = point_in_columns(&l->site[end]), l->behind[end] = 0;
        l->slack = is_frozen(&l->site[0]) || is_frozen(&l->site[1]);
        evaluate(l);
    }
}

static void kick_end(const mote_link_site *site, const float force[3], float sign) {
    const double kicked = site->range->kicked;
    const float inverse_mass = site->range->inverse_mass[site->slot];
    for (int axis = 0; axis < 3 && kicked != 0; axis++)
        site->range->v[axis][site->slot] += (float)kicked * (inverse_mass * (sign * force[axis]));
}

/* Applies the links' part of the ranges' half-step kicks, from the same state. */
static void kick_ends(const mote_link_list *links) {
    for (uint32_t i = 0; i < links->list.count; i++) {
        const mote_link_state *l = mote_link_at(links, i);
        kick_end(&l->site[0], l->force, 1);
        kick_end(&l->site[1], l->force, -1);
    }
}

/* --- Lockstep --- */

/* Finds the time of a held force: one for both ends, so that nothing pulls at what flies along, and the later
 * one of those of the ends that are free (mote_scheme_held_time): under an earlier one an undamped link would
 * grow, under a later one it is damped. */
static void find_time(mote_link_state *l) {
    float time = 0;
    for (int end = 0; end < 2; end++) {
        const mote_range_point *point = &l->point[end];
        l->behind[end] = 0;
        if (!point->reaction[0] && time < point->held_time) time = point->held_time;
    }
    for (int end = 0; end < 2 && l->held; end++) l->behind[end] = time - l->point[end].ahead;
}

static void find_points(const mote_link_list *links) {
    for (uint32_t i = 0; i < links->list.count; i++) {
        mote_link_state *l = mote_link_at(links, i);
        for (int end = 0; end < 2; end++)
            l->point[end] = l->site[end].range->kind->point(l->site[end].range, l->site[end].slot);
        l->slack = is_frozen(&l->site[0]) || is_frozen(&l->site[1]);
        l->held = l->site[0].range->plan.scheme != l->site[1].range->plan.scheme ||
                  l->point[0].ahead != l->point[1].ahead;
        find_time(l);
        for (int axis = 0; axis < 3; axis++) l->sum[axis] = 0;
    }
}

/* After a non-finite force the reactions of both ends become 0: a pinned end does not freeze with the other.
 */
static void store_impulses(const mote_link_list *links) {
    for (uint32_t i = 0; i < links->list.count; i++) {
        mote_link_state *l = mote_link_at(links, i);
        const bool finite = l->sum[0] * 0 + l->sum[1] * 0 + l->sum[2] * 0 == 0;
        for (int axis = 0; axis < 3; axis++) {
            l->impulse[axis] = finite ? l->sum[axis] : 0;
            for (int end = 0; end < 2 && !finite; end++)
                l->site[end].range->reaction[axis][l->site[end].slot] = 0;
        }
    }
}

typedef struct lockstep {
    const mote_link_list *links;
    const mote_step *step;
} lockstep;

/* Runs a phase in every range that has the stage. */
static void phase_of_all(void *context, const mote_phase_at *at) {
    const lockstep *all = context;
    for (mote_range *range = all->links->linked; range; range = range->next_linked)
        if (at->stage < range->plan.stages) range->kind->phase(range, all->step, at);
    if (at->phase == MOTE_PHASE_EVALUATE) add_forces(all->links, at->stage);
}

/* --- The step --- */

void mote_links_step(mote_link_list *links, const mote_step *step) {
    const bool half_step = mote_scheme_table[step->plan->integrator].half_step_velocity;
    uint32_t stages = 0;
    /* Begins all ranges; the half-step kicks use the forces at the state before. */
    if (half_step) evaluate_at_start(links);
    for (mote_range *range = links->linked; range; range = range->next_linked) {
        range->kind->begin(range, step);
        if (range->plan.stages > stages) stages = range->plan.stages;
    }
    if (half_step) kick_ends(links);
    /* Steps the units without links, then the linked units in lockstep. */
    for (mote_range *range = links->linked; range; range = range->next_linked) range->kind->run(range, step);
    find_points(links);
    lockstep all = {links, step};
    mote_schedule_step(step->plan->substeps, stages, phase_of_all, &all);
    store_impulses(links);
    for (mote_range *range = links->linked; range; range = range->next_linked) range->kind->end(range);
}
