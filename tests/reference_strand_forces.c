/* The plain reference of strands: the forces within a strand. */
#include "reference_strand_parts.h"

#include <string.h>

bool reference_has_others(const reference_world *w) {
    const mote_strands_def *d = w->def;
    bool others = d->pose_stiffness != 0 || d->normal_drag != 0 || d->tangential_drag != 0;
    for (uint32_t i = 0; i < w->force_count; i++)
        others |= w->forces[i].kind == MOTE_FORCE_CALLBACK || reference_is_inline(&w->forces[i]);
    return others;
}

bool reference_alone(const reference_world *w) {
    return w->def->solver == MOTE_STRAND_SPRINGS &&
           (w->integrator == MOTE_KINEMATIC || w->integrator == MOTE_KINEMATIC_AVERAGE);
}

/* Springs from each point to the next: on point k the force of its own less that of the one that ends there.
 */
static void add_springs(const reference_strand *s, const reference_world *w, reference_point_forces *p) {
    reference_row force[REFERENCE_POINTS] = {{0}}, shift[REFERENCE_POINTS] = {{0}};
    const mote_strands_def *def = w->def;
    const float *rest = s->rest_length, damping = def->damping, stiffness = 1 / s->compliance;
    const double exact = 1 / (double)s->compliance;
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        const uint32_t end = k + 1;
        const reference_line line = reference_line_of(s->x[k], s->v[k], s->x[end], s->v[end]);
        const double both = (s->mass[k] > 0 && s->mass[end] > 0 ? 2.0 : 1.0) * (double)s->free_mass;
        if (!reference_alone(w))
            reference_spring_force(&line, rest[k], stiffness, damping, force[k]);
        else if (s->mass[k] > 0 || s->mass[end] > 0)
            reference_uncoupled_force(&line,
                                      &(reference_spring_force_of){rest[k], exact, (double)damping, both},
                                      w->integrator, reference_substep(w), force[k], shift[k]);
    }
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            p->force[k][axis] += force[k][axis] - (k ? force[k - 1][axis] : 0);
            p->shift[k][axis] += shift[k][axis] - (k ? shift[k - 1][axis] : 0);
        }
}

/* Length of a segment of constraints in air: no drag turns the speed of one of its ends round. */
static float length_in_air(const reference_strand *s, const reference_world *w, uint32_t k) {
    const float coefficient = larger(w->def->normal_drag, w->def->tangential_drag),
                mobility = larger(s->mass[k], s->mass[k + 1]), rest = s->rest_length[k];
    if (w->def->solver == MOTE_STRAND_SPRINGS) return rest;
    return rest / larger(1, (float)reference_substep(w) * coefficient * rest * mobility);
}

/* Drag of half of segment k, by its length at rest, in air that blows past a velocity. */
static void half_drag(const reference_strand *s, const reference_world *w, uint32_t k, const float v[3],
                      float out[3]) {
    const mote_strands_def *def = w->def;
    float d[3], wind[3];
    row_between(s->x[k], s->x[k + 1], d);
    row_between(v, def->air_velocity, wind);
    const float square = larger(row_dot(d, d), 1e-18f * 1e-18f), half = 0.5f * length_in_air(s, w, k),
                along = (def->tangential_drag - def->normal_drag) * half * (1.0f / square * row_dot(wind, d));
    for (int axis = 0; axis < 3; axis++) out[axis] = def->normal_drag * half * wind[axis] + along * d[axis];
}

static void add_drag(const reference_strand *s, const reference_world *w, reference_point_forces *p) {
    if (w->def->normal_drag == 0 && w->def->tangential_drag == 0) return;
    float before[3] = {0};
    for (uint32_t k = 0; k < s->points; k++) {
        float first[3] = {0}, second[3] = {0};
        if (k + 1 < s->points) half_drag(s, w, k, s->v[k], first), half_drag(s, w, k, s->v[k + 1], second);
        for (int axis = 0; axis < 3; axis++) p->extra[k][axis] = first[axis] + before[axis];
        memcpy(before, second, sizeof before);
    }
}

static void add_pose(const reference_strand *s, const mote_strands_def *def, reference_point_forces *p) {
    for (uint32_t k = 0; k < s->points && def->pose_stiffness != 0; k++) {
        float goal[3];
        reference_under_root(s, s->rest[k], goal);
        for (int axis = 0; axis < 3; axis++)
            p->extra[k][axis] += def->pose_stiffness * (goal[axis] - s->x[k][axis]);
    }
}

reference_point_forces reference_forces_within(const reference_strand *s, const reference_world *w,
                                               bool springs) {
    reference_point_forces p;
    memset(&p, 0, sizeof p);
    if (springs) add_springs(s, w, &p);
    add_drag(s, w, &p);
    add_pose(s, w->def, &p);
    return p;
}
