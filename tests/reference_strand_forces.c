/* The plain reference of strands: the forces within a strand. */
#include "reference_strand_parts.h"

#include <string.h>

bool reference_has_others(const reference_world *w) {
    const mote_strands_def *d = w->def;
    bool others = d->pose_stiffness != 0 || d->local_pose_stiffness != 0 || d->normal_drag != 0 ||
                  d->tangential_drag != 0;
    for (uint32_t i = 0; i < w->force_count; i++)
        others |= w->forces[i].kind == MOTE_FORCE_CALLBACK || reference_is_inline(&w->forces[i]);
    return others;
}

bool reference_alone(const reference_world *w) {
    return w->def->solver == MOTE_STRAND_SPRINGS &&
           (w->integrator == MOTE_KINEMATIC || w->integrator == MOTE_KINEMATIC_AVERAGE);
}

/* Springs from each point to the one `span` further: on point k what its own gives less what the one that
 * ends there gives. */
static void add_springs(const reference_strand *s, const reference_world *w, uint32_t span,
                        reference_point_forces *p) {
    reference_row force[REFERENCE_POINTS] = {{0}}, shift[REFERENCE_POINTS] = {{0}};
    const mote_strands_def *def = w->def;
    const float *rest = span == 1 ? s->rest_length : s->bend_length,
                damping = span == 1 ? def->damping : def->bend_damping;
    const float stiffness = span == 1 ? 1 / s->compliance : def->bend_stiffness;
    const double exact = span == 1 ? 1 / (double)s->compliance : (double)def->bend_stiffness;
    for (uint32_t k = 0; k + span < s->points; k++) {
        const uint32_t end = k + span;
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
            p->force[k][axis] += force[k][axis] - (k >= span ? force[k - span][axis] : 0);
            p->shift[k][axis] += shift[k][axis] - (k >= span ? shift[k - span][axis] : 0);
        }
}

/* Half of the drag of segment k: by the length it is at rest, in air that blows past its middle. */
static void half_drag(const reference_strand *s, const mote_strands_def *def, uint32_t k, float out[3]) {
    float d[3], wind[3];
    row_between(s->x[k], s->x[k + 1], d);
    const float square = larger(row_dot(d, d), 1e-18f * 1e-18f);
    for (int axis = 0; axis < 3; axis++)
        wind[axis] = def->air_velocity[axis] - 0.5f * (s->v[k][axis] + s->v[k + 1][axis]);
    const float share = row_dot(wind, d) / square;
    for (int axis = 0; axis < 3; axis++) {
        const float along = share * d[axis], across = wind[axis] - along;
        out[axis] = 0.5f * s->rest_length[k] * (def->normal_drag * across + def->tangential_drag * along);
    }
}

static void add_drag(const reference_strand *s, const mote_strands_def *def, reference_point_forces *p) {
    if (def->normal_drag == 0 && def->tangential_drag == 0) return;
    float before[3] = {0};
    for (uint32_t k = 0; k < s->points; k++) {
        float drag[3] = {0};
        if (k + 1 < s->points) half_drag(s, def, k, drag);
        for (int axis = 0; axis < 3; axis++) p->extra[k][axis] = drag[axis] + before[axis];
        memcpy(before, drag, sizeof drag);
    }
}

/* a + 2 w (v x a) + 2 v x (v x a) */
static void turn(const float q[4], const float a[3], float out[3]) {
    float t[3], u[3];
    row_cross(q, a, t);
    for (int axis = 0; axis < 3; axis++) t[axis] *= 2;
    row_cross(q, t, u);
    for (int axis = 0; axis < 3; axis++) out[axis] = (a[axis] + q[3] * t[axis]) + u[axis];
}

/* q = (a x b, |a| |b| + a.b) q, normalised: the least rotation from a to b, unless they are opposite. */
static void transport(float q[4], const float a[3], const float b[3]) {
    float v[3], turned[3], axis_of[3];
    const float scale = __builtin_sqrtf(row_dot(a, a) * row_dot(b, b)), r = scale + row_dot(a, b);
    row_cross(a, b, v);
    row_cross(v, q, turned);
    for (int axis = 0; axis < 3; axis++) axis_of[axis] = (q[3] * v[axis] + r * q[axis]) + turned[axis];
    const float real = r * q[3] - row_dot(v, q), square = row_dot(axis_of, axis_of) + real * real;
    if (!(1e-4f * scale < r)) return;
    const float inverse = 1 / __builtin_sqrtf(square);
    for (int axis = 0; axis < 3; axis++) q[axis] = inverse * axis_of[axis];
    q[3] = inverse * real;
}

static void add_pose(const reference_strand *s, const mote_strands_def *def, reference_point_forces *p) {
    for (uint32_t k = 0; k < s->points && def->pose_stiffness != 0; k++) {
        float goal[3];
        reference_under_root(s, s->rest[k], goal);
        for (int axis = 0; axis < 3; axis++)
            p->extra[k][axis] += def->pose_stiffness * (goal[axis] - s->x[k][axis]);
    }
}

/* Where the local pose springs want each segment: the rest segments in the frame that goes along the
 * strand. */
static void find_wanted(const reference_strand *s, reference_row *wanted) {
    float q[4] = {0, 0, 0, 1};
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        float edge[3], turned[3], d[3];
        row_between(s->rest[k], s->rest[k + 1], edge);
        row_between(s->x[k], s->x[k + 1], d);
        reference_turn_by_root(s, edge, turned);
        turn(q, turned, wanted[k]);
        transport(q, wanted[k], d);
    }
}

/* The force between the ends of segment d by its turn: k (d - e) - (G - c u) x d / |d|^2, c = t.G / (1
 * + u.t), by the sum G of the moments behind it, which becomes k e x d + c (u + t). */
static void pose_force(float stiffness, const float d[3], const float e[3], float moment[3], float force[3]) {
    const float square = larger(row_dot(d, d), 1e-18f * 1e-18f), scale = 1 / __builtin_sqrtf(square);
    const float length = 1 / at_least_short(row_length(e)), share = 1 / square;
    float t[3], u[3], rest[3], across[3], own[3];
    for (int axis = 0; axis < 3; axis++) t[axis] = scale * d[axis], u[axis] = length * e[axis];
    const float open = 1 + row_dot(u, t), twist = 1e-4f < open ? row_dot(t, moment) / open : 0;
    for (int axis = 0; axis < 3; axis++) rest[axis] = moment[axis] - twist * u[axis];
    row_cross(rest, d, across);
    row_cross(e, d, own);
    for (int axis = 0; axis < 3; axis++) {
        force[axis] = stiffness * (d[axis] - e[axis]) - share * across[axis];
        moment[axis] = stiffness * own[axis] + twist * (u[axis] + t[axis]);
    }
}

/* From the tip to the root: a point gets the force from behind less the force from before. */
static void add_local_pose(const reference_strand *s, const mote_strands_def *def,
                           reference_point_forces *p) {
    if (def->local_pose_stiffness == 0) return;
    reference_row wanted[REFERENCE_POINTS];
    float behind[3] = {0}, moment[3] = {0};
    find_wanted(s, wanted);
    for (uint32_t k = s->points; k-- > 0;) {
        float d[3], force[3] = {0};
        if (k) row_between(s->x[k - 1], s->x[k], d);
        if (k) pose_force(def->local_pose_stiffness, d, wanted[k - 1], moment, force);
        for (int axis = 0; axis < 3; axis++)
            p->extra[k][axis] += k ? behind[axis] - force[axis] : behind[axis];
        memcpy(behind, force, sizeof force);
    }
}

reference_point_forces reference_forces_within(const reference_strand *s, const reference_world *w,
                                               bool springs) {
    reference_point_forces p;
    memset(&p, 0, sizeof p);
    if (springs) add_springs(s, w, 1, &p);
    if (springs && w->def->bend_stiffness > 0) add_springs(s, w, 2, &p);
    add_drag(s, w->def, &p);
    add_pose(s, w->def, &p);
    add_local_pose(s, w->def, &p);
    return p;
}
