/* The plain reference of strands: the forces within a strand and those of the system on its points. Affine
 * maps in double are taken from the engine, whose propagator is tested by itself. */
#include "reference_strand_parts.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"

/* --- Forces within the strand --- */

/* F = (k (|d| - L) + c d'.n) n on the first point of the two. */
static void spring(const reference_strand *s, uint32_t a, uint32_t b, float rest, float stiffness,
                   float damping, float out[3]) {
    float d[3], speed[3];
    row_between(s->x[a], s->x[b], d);
    row_between(s->v[a], s->v[b], speed);
    const float length = row_length(d), inverse = 1 / at_least_short(length);
    float tension = stiffness * (length - rest);
    if (damping != 0) tension += damping * (row_dot(d, speed) * inverse);
    for (int axis = 0; axis < 3; axis++) out[axis] = tension * inverse * d[axis];
}

/* The exact or average motion of the spring as if it were alone, with the mass it feels: what it adds in h to
 * the rate and to the elongation, over that inverse mass. */
static void lone_spring(const reference_strand *s, const reference_world *w, uint32_t a, uint32_t b,
                        float rest, double stiffness, double damping, float push[3], float shift[3]) {
    const double h = reference_substep(w),
                 mass = (s->mass[a] > 0 && s->mass[b] > 0 ? 2.0 : 1.0) * (double)s->free_mass;
    const mote_map_kind kind =
        w->integrator == MOTE_KINEMATIC ? MOTE_MAP_KINEMATIC : MOTE_MAP_KINEMATIC_AVERAGE;
    const mote_exact_map m = mote_map_make(kind, 0, -damping * mass, -stiffness * mass, h);
    const float vx = (float)(m.vx / mass), vv = (float)(m.vv / mass), xx = (float)(m.xx / mass),
                xv = (float)((m.xv - h) / mass);
    float d[3], speed[3];
    row_between(s->x[a], s->x[b], d);
    row_between(s->v[a], s->v[b], speed);
    const float length = row_length(d), inverse = 1 / at_least_short(length), e = length - rest,
                rate = row_dot(d, speed) * inverse;
    const bool moves = s->mass[a] > 0 || s->mass[b] > 0;
    const float impulse = moves ? 0 - (vx * e + vv * rate) : 0, path = moves ? 0 - (xx * e + xv * rate) : 0;
    for (int axis = 0; axis < 3; axis++)
        push[axis] = impulse * inverse * d[axis], shift[axis] = path * inverse * d[axis];
}

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
                        reference_pushes *p) {
    reference_row push[REFERENCE_POINTS] = {{0}}, shift[REFERENCE_POINTS] = {{0}};
    const mote_strands_def *def = w->def;
    const float *rest = span == 1 ? s->rest_length : s->bend_length,
                damping = span == 1 ? def->damping : def->bend_damping;
    const float stiffness = span == 1 ? 1 / s->compliance : def->bend_stiffness;
    const double exact = span == 1 ? 1 / (double)s->compliance : (double)def->bend_stiffness;
    for (uint32_t k = 0; k + span < s->points; k++) {
        if (reference_alone(w))
            lone_spring(s, w, k, k + span, rest[k], exact, (double)damping, push[k], shift[k]);
        else
            spring(s, k, k + span, rest[k], stiffness, damping, push[k]);
    }
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            p->force[k][axis] += push[k][axis] - (k >= span ? push[k - span][axis] : 0);
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

static void add_drag(const reference_strand *s, const mote_strands_def *def, reference_pushes *p) {
    if (def->normal_drag == 0 && def->tangential_drag == 0) return;
    float before[3] = {0};
    for (uint32_t k = 0; k < s->points; k++) {
        float drag[3] = {0};
        if (k + 1 < s->points) half_drag(s, def, k, drag);
        for (int axis = 0; axis < 3; axis++) p->extra[k][axis] = drag[axis] + before[axis];
        memcpy(before, drag, sizeof drag);
    }
}

static void cross(const float a[3], const float b[3], float out[3]) {
    for (int k = 0; k < 3; k++) {
        const int n = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = a[n] * b[m] - a[m] * b[n];
    }
}

/* a + 2 w (v x a) + 2 v x (v x a) */
static void turn(const float q[4], const float a[3], float out[3]) {
    float t[3], u[3];
    cross(q, a, t);
    for (int axis = 0; axis < 3; axis++) t[axis] *= 2;
    cross(q, t, u);
    for (int axis = 0; axis < 3; axis++) out[axis] = (a[axis] + q[3] * t[axis]) + u[axis];
}

/* q = (a x b, |a| |b| + a.b) q, normalised: the least rotation from a to b, unless they are opposite. */
static void transport(float q[4], const float a[3], const float b[3]) {
    float v[3], turned[3], axis_of[3];
    const float scale = __builtin_sqrtf(row_dot(a, a) * row_dot(b, b)), r = scale + row_dot(a, b);
    cross(a, b, v);
    cross(v, q, turned);
    for (int axis = 0; axis < 3; axis++) axis_of[axis] = (q[3] * v[axis] + r * q[axis]) + turned[axis];
    const float real = r * q[3] - row_dot(v, q), square = row_dot(axis_of, axis_of) + real * real;
    if (!(1e-4f * scale < r)) return;
    const float inverse = 1 / __builtin_sqrtf(square);
    for (int axis = 0; axis < 3; axis++) q[axis] = inverse * axis_of[axis];
    q[3] = inverse * real;
}

static void add_pose(const reference_strand *s, const mote_strands_def *def, reference_pushes *p) {
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

/* What a turn of segment d does to the pull between its ends: k (d - e) - (G - c u) x d / |d|^2, c = t.G / (1
 * + u.t), by the sum G of the moments behind it, which becomes k e x d + c (u + t). */
static void pose_push(float stiffness, const float d[3], const float e[3], float moment[3], float push[3]) {
    const float square = larger(row_dot(d, d), 1e-18f * 1e-18f), scale = 1 / __builtin_sqrtf(square);
    const float length = 1 / at_least_short(row_length(e)), share = 1 / square;
    float t[3], u[3], rest[3], across[3], own[3];
    for (int axis = 0; axis < 3; axis++) t[axis] = scale * d[axis], u[axis] = length * e[axis];
    const float open = 1 + row_dot(u, t), twist = 1e-4f < open ? row_dot(t, moment) / open : 0;
    for (int axis = 0; axis < 3; axis++) rest[axis] = moment[axis] - twist * u[axis];
    cross(rest, d, across);
    cross(e, d, own);
    for (int axis = 0; axis < 3; axis++) {
        push[axis] = stiffness * (d[axis] - e[axis]) - share * across[axis];
        moment[axis] = stiffness * own[axis] + twist * (u[axis] + t[axis]);
    }
}

/* From the tip to the root: a point gets what pulls at it from behind less what pulls it from before. */
static void add_local_pose(const reference_strand *s, const mote_strands_def *def, reference_pushes *p) {
    if (def->local_pose_stiffness == 0) return;
    reference_row wanted[REFERENCE_POINTS];
    float behind[3] = {0}, moment[3] = {0};
    find_wanted(s, wanted);
    for (uint32_t k = s->points; k-- > 0;) {
        float d[3], push[3] = {0};
        if (k) row_between(s->x[k - 1], s->x[k], d);
        if (k) pose_push(def->local_pose_stiffness, d, wanted[k - 1], moment, push);
        for (int axis = 0; axis < 3; axis++)
            p->extra[k][axis] += k ? behind[axis] - push[axis] : behind[axis];
        memcpy(behind, push, sizeof push);
    }
}

reference_pushes reference_forces_within(const reference_strand *s, const reference_world *w, bool springs) {
    reference_pushes p;
    memset(&p, 0, sizeof p);
    if (springs) add_springs(s, w, 1, &p);
    if (springs && w->def->bend_stiffness > 0) add_springs(s, w, 2, &p);
    add_drag(s, w->def, &p);
    add_pose(s, w->def, &p);
    add_local_pose(s, w->def, &p);
    return p;
}

/* --- Forces of the system --- */

/* a = constant + damping v + stiffness x, per axis: accelerations, or forces in N. */
typedef struct affine {
    double constant[3], damping[3], stiffness[3];
} affine;

static bool folds(const mote_force_def *f) {
    return f->kind != MOTE_FORCE_CALLBACK && !reference_is_inline(f);
}

static void fold(const mote_force_def *f, affine *acceleration, affine *newtons) {
    for (int axis = 0; axis < 3; axis++) switch (f->kind) {
        case MOTE_FORCE_GRAVITY:
            acceleration->constant[axis] += f->as.gravity.acceleration[axis];
            break;
        case MOTE_FORCE_THRUST:
            newtons->constant[axis] += f->as.thrust.force[axis];
            break;
        case MOTE_FORCE_WIND:
            newtons->constant[axis] += (double)f->drag * (double)f->as.wind.velocity[axis];
            newtons->damping[axis] -= f->drag;
            break;
        case MOTE_FORCE_ANCHOR_SPRING:
            newtons->constant[axis] +=
                (double)f->as.anchor_spring.stiffness * (double)f->as.anchor_spring.anchor[axis];
            newtons->stiffness[axis] -= f->as.anchor_spring.stiffness;
            newtons->damping[axis] -= f->as.anchor_spring.damping;
            break;
        default:
            break;
        }
}

static bool any(const double value[3]) { return value[0] != 0 || value[1] != 0 || value[2] != 0; }

static float affine_dv(const affine *a, int axis, double seconds, float x, float v) {
    const float dv = (float)(a->constant[axis] * seconds) + (float)(a->damping[axis] * seconds) * v;
    return any(a->stiffness) ? dv + (float)(a->stiffness[axis] * seconds) * x : dv;
}

static void add_over_mass(affine *sum, const affine *newtons, double mass) {
    for (int axis = 0; axis < 3; axis++) {
        sum->constant[axis] += newtons->constant[axis] * mass;
        sum->damping[axis] += newtons->damping[axis] * mass;
        sum->stiffness[axis] += newtons->stiffness[axis] * mass;
    }
}

/* Sums of all callbacks by unit: [0] m/s^2, [1] N. */
static void revert_diverged(const reference_strand *s, const reference_world *w, double time,
                            reference_row sum[2][REFERENCE_POINTS]) {
    float column[6][REFERENCE_POINTS], out[2][3][REFERENCE_POINTS] = {{{0}}};
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++)
            column[axis][k] = s->x[k][axis], column[3 + axis][k] = s->v[k][axis];
    const mote_stage_view view = {.time = time,
                                  .count = s->points,
                                  .x = column[0],
                                  .y = column[1],
                                  .z = column[2],
                                  .velocity_x = column[3],
                                  .velocity_y = column[4],
                                  .velocity_z = column[5],
                                  .inverse_mass = s->mass};
    for (uint32_t i = 0; i < w->force_count; i++) {
        const mote_force_def *f = &w->forces[i];
        if (f->kind != MOTE_FORCE_CALLBACK || f->as.callback.reach == MOTE_REACH_RANGE) continue;
        float(*to)[REFERENCE_POINTS] = out[f->as.callback.unit == MOTE_NEWTONS];
        f->as.callback.function(f->as.callback.user, &view, to[0], to[1], to[2]);
    }
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++)
            for (int unit = 0; unit < 2; unit++) sum[unit][k][axis] = out[unit][axis][k];
}

/* dv of every point over `seconds`, by what acts on it from outside and the forces `within` (N); maps:
 * without what is affine. */
void reference_evaluate(const reference_strand *s, const reference_world *w, double time, double seconds,
                        bool maps, reference_row *within, reference_row *dv) {
    reference_row called[2][REFERENCE_POINTS] = {{{0}}};
    affine acceleration = {{0}, {0}, {0}}, newtons = {{0}, {0}, {0}};
    bool inlined = false, callbacks = false;
    for (uint32_t i = 0; i < w->force_count; i++) {
        if (folds(&w->forces[i])) fold(&w->forces[i], &acceleration, &newtons);
        inlined |= reference_is_inline(&w->forces[i]);
        callbacks |= w->forces[i].kind == MOTE_FORCE_CALLBACK;
    }
    if (callbacks) revert_diverged(s, w, time, called);
    for (uint32_t k = 0; k < s->points; k++) {
        float push[2][3] = {{0}};
        for (uint32_t i = 0; i < w->force_count && inlined; i++) {
            float value[3];
            if (!reference_is_inline(&w->forces[i]) || w->forces[i].kind == MOTE_FORCE_PARTICLE_ANCHORS)
                continue;
            reference_force(&w->forces[i], time, s->x[k], s->v[k], (float[3]){0}, value);
            for (int axis = 0; axis < 3; axis++)
                push[reference_gives_newtons(&w->forces[i])][axis] += value[axis];
        }
        for (int axis = 0; axis < 3; axis++) {
            const float x = s->x[k][axis], v = s->v[k][axis];
            float force = within[k][axis];
            if (callbacks) force += called[1][k][axis];
            float sum = inlined ? push[0][axis] + s->mass[k] * (push[1][axis] + force) : s->mass[k] * force;
            if (callbacks) sum += called[0][k][axis];
            dv[k][axis] = (float)seconds * sum;
            if (maps) continue;
            float affine_part = affine_dv(&acceleration, axis, seconds, x, v);
            if (any(newtons.constant) || any(newtons.damping) || any(newtons.stiffness))
                affine_part += s->mass[k] * affine_dv(&newtons, axis, seconds, x, v);
            dv[k][axis] = affine_part + dv[k][axis];
        }
    }
}

/* The map of one axis over h, for the strand's own mass. */
mote_map reference_strand_map(const reference_strand *s, const reference_world *w, mote_map_kind kind,
                              int axis) {
    const double h = reference_substep(w), mass = (double)s->free_mass;
    mote_exact_map sum = {0, h, 0, 0, 0, 0};
    affine all = {{0}, {0}, {0}}, newtons = {{0}, {0}, {0}};
    for (uint32_t i = 0; i < w->force_count; i++) {
        if (!folds(&w->forces[i])) continue;
        affine one = {{0}, {0}, {0}}, own = {{0}, {0}, {0}};
        fold(&w->forces[i], &one, &own);
        fold(&w->forces[i], &all, &newtons);
        add_over_mass(&one, &own, mass);
        mote_exact_map m = mote_map_make(kind, one.constant[axis], one.damping[axis], one.stiffness[axis], h);
        sum.xx += m.xx, sum.xv += m.xv - h, sum.xc += m.xc;
        sum.vx += m.vx, sum.vv += m.vv, sum.vc += m.vc;
    }
    if (kind == MOTE_MAP_KINEMATIC || kind == MOTE_MAP_KINEMATIC_AVERAGE) return mote_map_round(&sum);
    add_over_mass(&all, &newtons, mass);
    sum = mote_map_make(kind, all.constant[axis], all.damping[axis], all.stiffness[axis], h);
    return mote_map_round(&sum);
}
