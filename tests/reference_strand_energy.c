/* Kinetic energy of the plain reference of constrained strands: deficits that are restored, and limits. */
#include <math.h>
#include <string.h>

#include "reference_strand_parts.h"

/* The sum of m x. */
void reference_sum_moments(const reference_strand *s, float sum[3]) {
    for (int axis = 0; axis < 3; axis++) {
        sum[axis] = 0;
        for (uint32_t k = 0; k < s->points; k++)
            if (reference_moves(s, k)) sum[axis] += 1 / s->mass[k] * s->x[k][axis];
    }
}

static void cross(const float a[3], const float b[3], float to[3]) {
    for (int i = 0; i < 3; i++) to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Of a hinged strand about its root, which does not count; of others about their center of mass. */
reference_moments reference_moments_of(const reference_strand *s, const reference_row *x,
                                       const reference_row *v, bool hinged, const float hinge_v[3]) {
    reference_moments m = {{0}, {0}, {0}, {0}, {0}};
    const uint32_t first = hinged;
    float whole = 0;
    for (uint32_t k = first; k < s->points; k++) {
        whole += 1 / s->mass[k];
        for (int axis = 0; axis < 3; axis++) {
            m.center[axis] += 1 / s->mass[k] * x[k][axis];
            m.v[axis] += 1 / s->mass[k] * v[k][axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        m.center[axis] = hinged ? x[0][axis] : m.center[axis] * (1 / (whole + 0x1p-100f));
        m.v[axis] = hinged ? hinge_v[axis] : m.v[axis] * (1 / (whole + 0x1p-100f));
    }
    for (uint32_t k = first; k < s->points; k++) {
        float r[3], u[3], turn[3];
        row_between(m.center, x[k], r);
        row_between(m.v, v[k], u);
        cross(r, u, turn);
        for (int i = 0; i < 3; i++) {
            m.square[i] += 1 / s->mass[k] * (r[i] * r[i]);
            m.product[i] += 1 / s->mass[k] * (r[(i + 1) % 3] * r[(i + 2) % 3]);
            m.l[i] += 1 / s->mass[k] * turn[i];
        }
    }
    return m;
}

/* I w = l over the trace of I, with 1e-5 more on the diagonal, by cofactors. */
static void find_rotation(reference_moments m, const float of[3], float w[3]) {
    float *square = m.square, *product = m.product, inertia[3][3], cofactor[3][3], l[3];
    const float inverse = 1 / (square[0] + square[1] + square[2] + 0x1p-100f), more = 1e-5f;
    for (int i = 0; i < 3; i++) square[i] *= inverse, product[i] *= inverse, l[i] = inverse * of[i];
    for (int i = 0; i < 3; i++) {
        const int next = (i + 1) % 3, after = (i + 2) % 3;
        inertia[i][i] = square[next < after ? next : after] + square[next < after ? after : next] + more;
        inertia[next][after] = inertia[after][next] = -product[i];
    }
    inertia[1][1] = square[2] + square[0] + more;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            cofactor[i][j] = inertia[a][c] * inertia[b][d] - inertia[a][d] * inertia[b][c];
        }
    const float determinant =
        inertia[0][0] * cofactor[0][0] + inertia[0][1] * cofactor[0][1] + inertia[0][2] * cofactor[0][2];
    for (int i = 0; i < 3; i++) w[i] = 1 / determinant * row_dot(cofactor[i], l);
}

/* Three times, each for what is left. */
void reference_angular_velocity(const reference_moments *m, const float l[3], float w[3]) {
    float left[3], more[3];
    memcpy(left, l, sizeof left);
    for (int i = 0; i < 3; i++) w[i] = 0;
    for (int pass = 0; pass < 3; pass++) {
        find_rotation(*m, left, more);
        for (int i = 0; i < 3; i++) w[i] += more[i];
        for (int i = 0; i < 3; i++) {
            const int next = (i + 1) % 3, after = (i + 2) % 3;
            left[i] = l[i] - ((m->square[next] + m->square[after]) * w[i] -
                              (m->product[next] * w[after] + m->product[after] * w[next]));
        }
    }
}

reference_rigid_motion reference_frame_of(const reference_strand *s) {
    reference_rigid_motion m = {{0}, {0}, {0}};
    for (uint32_t k = 0; k < s->points; k++)
        if (!reference_moves(s, k)) {
            memcpy(m.v, s->v[k], sizeof m.v);
            return m;
        }
    const reference_moments moments = reference_moments_of(s, s->x, s->v, false, NULL);
    memcpy(m.center, moments.center, sizeof m.center);
    memcpy(m.v, moments.v, sizeof m.v);
    reference_angular_velocity(&moments, moments.l, m.w);
    return m;
}

void reference_motion_at(const reference_rigid_motion *m, const float x[3], float v[3]) {
    float r[3], turn[3];
    row_between(m->center, x, r);
    cross(m->w, r, turn);
    for (int axis = 0; axis < 3; axis++) v[axis] = m->v[axis] + turn[axis];
}

/* Twice the kinetic energy relative to the frame. */
float reference_kinetic_about(const reference_strand *s, const reference_rigid_motion *frame) {
    float kinetic = 0, base[3], u[3];
    for (uint32_t k = 0; k < s->points; k++) {
        reference_motion_at(frame, s->x[k], base);
        row_between(base, s->v[k], u);
        if (reference_moves(s, k)) kinetic += 1 / s->mass[k] * row_dot(u, u);
    }
    return kinetic;
}

/* Gives the velocities of the free points to a strand. The pins take the momentum: those at the ends of a
 * part of the strand each the half, the last one that of the tip. */
static void set_velocities(reference_strand *s, const reference_row *v) {
    float momentum[3] = {0}, *last = NULL;
    for (uint32_t k = 0; k < s->points; k++) {
        for (int axis = 0; axis < 3 && !reference_moves(s, k); axis++) {
            const float part = (last ? 0.5f : 1.0f) * momentum[axis];
            if (last) last[axis] -= part;
            s->reaction[k][axis] -= part;
            momentum[axis] = 0;
        }
        if (!reference_moves(s, k)) last = s->reaction[k];
        for (int axis = 0; axis < 3 && reference_moves(s, k); axis++) {
            momentum[axis] += 1 / s->mass[k] * (v[k][axis] - s->v[k][axis]);
            s->v[k][axis] = v[k][axis];
        }
    }
    for (int axis = 0; axis < 3 && last; axis++) last[axis] -= momentum[axis];
}

/* Multiplies the velocities relative to the frame. */
static void scale_velocities(reference_strand *s, const reference_rigid_motion *frame, float factor) {
    reference_row v[REFERENCE_POINTS];
    for (uint32_t k = 0; k < s->points; k++) {
        float base[3];
        reference_motion_at(frame, s->x[k], base);
        for (int axis = 0; axis < 3; axis++) v[k][axis] = base[axis] + factor * (s->v[k][axis] - base[axis]);
    }
    set_velocities(s, (const reference_row *)v);
}

/* A factor of the velocities relative to the frame restores what is certain of the deficit, at most half of
 * their energy. */
void reference_restore_energy(reference_strand *s) {
    const reference_rigid_motion frame = reference_frame_of(s);
    const float kinetic = reference_kinetic_about(s, &frame);
    float mass = 0;
    for (uint32_t k = 0; k < s->points; k++)
        if (reference_moves(s, k)) mass += 1 / s->mass[k];
    const float noise = 0x1p-20f * (float)s->points * mass * s->kicks,
                certain = s->deficit - fmaxf(-noise, fminf(noise, s->deficit)), most = 0.5f * kinetic,
                deficit = fmaxf(-most, fminf(most, certain));
    const bool finite = isfinite(s->deficit + kinetic);
    s->deficit = s->kicks = 0, s->kinetic = kinetic;
    if (kinetic > 0 && finite) scale_velocities(s, &frame, sqrtf(1 + deficit / kinetic));
}

/* Scales what is more than `most`. Pins that move relative to each other do work. */
static bool pins_move_with(const reference_strand *s, const reference_rigid_motion *frame) {
    bool together = true;
    for (uint32_t k = 0; k < s->points; k++) {
        float apart[3];
        if (reference_moves(s, k)) continue;
        row_between(frame->v, s->v[k], apart);
        const float square = row_dot(apart, apart);
        together &= square < s->pin_rounding * s->pin_rounding || square == 0;
    }
    return together;
}

void reference_limit_kinetic(reference_strand *s, const reference_rigid_motion *frame, float kinetic,
                             float most) {
    if (pins_move_with(s, frame) && most < kinetic && isfinite(kinetic))
        scale_velocities(s, frame, sqrtf(most / kinetic));
}

float reference_worked(const reference_strand *s, const reference_begin *p, const float base[3]) {
    float sum = 0;
    for (uint32_t k = 0; k < s->points; k++) {
        float u[3], way[3];
        for (int i = 0; i < 3; i++)
            u[i] = p->v[k][i] - base[i], way[i] = (s->x[k][i] - p->x[k][i]) - p->h * base[i];
        if (reference_moves(s, k))
            sum += 1 / s->mass[k] * (row_dot(u, u) + 2 / p->h * row_dot(p->dv[k], way));
    }
    return sum;
}

/* r turned by the Cayley transform of 2 half. */
static void turn_by(const float half[3], float r[3]) {
    float once[3], twice[3];
    cross(half, r, once);
    cross(half, once, twice);
    for (int i = 0; i < 3; i++) r[i] += 2 / (1 + row_dot(half, half)) * (once[i] + twice[i]);
}

/* The angular momentum about the root at the start, and by h a. */
static void find_turning(const reference_strand *s, const reference_begin *p, const reference_moments *m,
                         float turning[3]) {
    float sum[3] = {0};
    for (uint32_t k = 0; k < s->points; k++) {
        float r[3], turn[3];
        row_between(p->x[0], p->x[k], r);
        cross(r, p->dv[k], turn);
        for (int i = 0; i < 3 && reference_moves(s, k); i++) sum[i] += 1 / s->mass[k] * turn[i];
    }
    for (int i = 0; i < 3; i++) turning[i] = m->l[i] + sum[i];
}

/* The strand as it was turns about its root, with the angular momentum of the prediction; between pins it
 * stays at rest. */
static void turn_rigidly(reference_strand *s, const reference_begin *p, const float base[3]) {
    float spin[3] = {0}, half[3], turning[3];
    reference_row v[REFERENCE_POINTS];
    bool hangs = s->mass[0] == 0;
    for (uint32_t k = 1; k < s->points; k++) hangs &= reference_moves(s, k);
    if (hangs) {
        const reference_moments m = reference_moments_of(s, p->x, p->v, true, base);
        find_turning(s, p, &m, turning);
        reference_angular_velocity(&m, turning, spin);
    }
    for (int i = 0; i < 3; i++) half[i] = 0.5f * p->h * spin[i];
    for (uint32_t k = 0; k < s->points; k++) {
        float r[3], turn[3];
        row_between(p->x[0], p->x[k], r);
        turn_by(half, r);
        cross(spin, r, turn);
        for (int i = 0; i < 3; i++) {
            v[k][i] = base[i] + turn[i];
            if (reference_moves(s, k)) s->x[k][i] = (p->x[0][i] + p->h * base[i]) + r[i];
        }
    }
    set_velocities(s, (const reference_row *)v);
}

/* Tensions add no energy. */
float reference_limit_energy(reference_strand *s, const reference_begin *p, float most, float lift) {
    const bool pinned = reference_is_pinned(s);
    reference_rigid_motion frame = reference_frame_of(s);
    float worked = reference_worked(s, p, frame.v) + lift;
    if (pinned && worked < 0 && pins_move_with(s, &frame)) {
        turn_rigidly(s, p, frame.v);
        worked = reference_worked(s, p, frame.v) + lift;
    }
    frame = reference_frame_of(s);
    worked = larger(worked, 0);
    const float kinetic = reference_kinetic_about(s, &frame);
    reference_limit_kinetic(s, &frame, kinetic, pinned ? smaller(most, worked) : most);
    return pinned ? larger(worked - kinetic, 0) : 0;
}

bool reference_pins_move_together(const reference_strand *s) {
    const reference_rigid_motion frame = reference_frame_of(s);
    return pins_move_with(s, &frame);
}

void reference_take_energy(reference_strand *s, float excess) {
    const reference_rigid_motion frame = reference_frame_of(s);
    const float kinetic = reference_kinetic_about(s, &frame);
    reference_limit_kinetic(s, &frame, kinetic, larger(kinetic - excess, 0));
}

/* --- Strands that colliders push --- */

reference_push reference_push_of(const reference_strand *s, const reference_world *w, const float base[3]) {
    const float h = (float)reference_substep(w), rate = reference_rate(w);
    reference_push push = {.touches = false};
    bool creased = false;
    float mass = 0, work = 0, fastest = 0;
    for (uint32_t k = 0; k < s->points; k++) {
        const reference_contact *c = &s->contact[k];
        const float own = reference_moves(s, k) ? 1 / s->mass[k] : 0;
        float impulse[3], way[3];
        mass += own;
        if (!(row_dot(c->normal, c->normal) > 0)) continue;
        for (int i = 0; i < 3 && !push.touches; i++)
            push.v[i] = rate * c->drift[i], push.normal[i] = c->normal[i];
        push.touches = true;
        if (!creased && row_dot(c->normal, push.normal) < 0.985f) {
            for (int i = 0; i < 3; i++) push.other_v[i] = rate * c->drift[i];
            memcpy(push.other_normal, c->normal, sizeof push.other_normal);
            creased = true;
        }
        if (!(row_dot(c->active, c->active) > 0)) continue;
        for (int i = 0; i < 3; i++) {
            impulse[i] = c->tangent[i] + c->normal_impulse * c->normal[i];
            way[i] = c->drift[i] - h * base[i];
        }
        work += own * row_dot(impulse, way);
        fastest = larger(fastest, row_dot(way, way));
    }
    push.work = (rate + rate) * rate * larger(work, 0);
    push.most = 4 * rate * rate * mass * fastest;
    return push;
}

float reference_pushed_energy(const reference_push *push, float kinetic) {
    return larger(kinetic, smaller(kinetic + push->work, push->most));
}

bool reference_is_pinned(const reference_strand *s) {
    bool pinned = false;
    for (uint32_t k = 0; k < s->points; k++) pinned |= !reference_moves(s, k);
    return pinned;
}

/* The prediction of first order from the start of the substep; dv receives h a. */
static reference_strand predict(const reference_strand *s, const reference_world *w, reference_row *dv) {
    reference_strand start = *s;
    memcpy(start.x, s->start, sizeof start.x);
    memcpy(start.v, s->start_v, sizeof start.v);
    for (uint32_t k = 0; k < s->points; k++) {
        memcpy(dv[k], s->dv[k], sizeof dv[k]);
        if (!reference_has_others(w)) reference_affine_kick(&start, w, k, dv[k]);
        for (int axis = 0; axis < 3; axis++)
            if (reference_moves(s, k))
                start.v[k][axis] += dv[k][axis];
            else
                dv[k][axis] = 0;
    }
    return start;
}

reference_rigid_motion reference_frame_of_push(const reference_strand *s, const reference_world *w,
                                               const reference_push *push) {
    reference_rigid_motion frame = reference_frame_of(s);
    if (!push->touches || reference_is_pinned(s)) return frame;
    reference_row dv[REFERENCE_POINTS];
    const reference_strand start = predict(s, w, dv);
    float v[3] = {0}, apart[3], mass = 0x1p-100f;
    for (uint32_t k = 0; k < s->points; k++) {
        for (int i = 0; i < 3; i++) v[i] += 1 / s->mass[k] * start.v[k][i];
        mass += 1 / s->mass[k];
    }
    for (int i = 0; i < 3; i++) v[i] *= 1 / mass;
    row_between(v, push->v, apart);
    const float across = row_dot(push->normal, apart), cosine = row_dot(push->normal, push->other_normal);
    float along[3], second[3];
    for (int i = 0; i < 3; i++) {
        along[i] = v[i] + across * push->normal[i];
        second[i] = push->other_normal[i] - cosine * push->normal[i];
    }
    row_between(along, push->other_v, apart);
    const float share = row_dot(second, apart) / larger(row_dot(second, second), 0x1p-20f);
    for (int i = 0; i < 3; i++) frame.v[i] = along[i] + share * second[i], frame.w[i] = 0;
    return frame;
}

/* Twice the energy of the prediction; *kicks: that of h a alone. */
static float predicted(const reference_strand *s, const reference_world *w,
                       const reference_rigid_motion *frame, float *kicks) {
    reference_row dv[REFERENCE_POINTS];
    const reference_strand start = predict(s, w, dv);
    *kicks = 0;
    for (uint32_t k = 0; k < s->points; k++)
        if (reference_moves(s, k)) *kicks += 1 / s->mass[k] * row_dot(dv[k], dv[k]);
    return reference_kinetic_about(&start, frame);
}

/* Twice the energy at the start, and the work of h a over the ways in the substep. */
static float worked(const reference_strand *s, const reference_world *w, const float base[3]) {
    reference_begin p = {.h = (float)reference_substep(w)};
    (void)predict(s, w, p.dv);
    memcpy(p.x, s->start, sizeof p.x);
    memcpy(p.v, s->start_v, sizeof p.v);
    return larger(reference_worked(s, &p, base), 0);
}

/* The smaller one of both; that of the prediction where steps are of first order. */
static float supplied(const reference_strand *s, const reference_world *w,
                      const reference_rigid_motion *frame, float *kicks) {
    const float most = predicted(s, w, frame, kicks);
    return w->compliant || s->rod ? most : smaller(most, worked(s, w, frame->v));
}

/* Back to the start of the substep; a strand without a pin has moved with the frame then. */
static void revert(reference_strand *s, const reference_world *w, const reference_rigid_motion *frame) {
    const float h = (float)reference_substep(w);
    const bool pinned = reference_is_pinned(s);
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3 && reference_moves(s, k); axis++)
            s->x[k][axis] = s->start[k][axis] + (pinned ? 0 : h * frame->v[axis]);
    if (pinned && s->compliance == 0) reference_project_lengths(s);
    if (s->rod) memset(s->pull, 0, sizeof s->pull);
}

void reference_revert(reference_strand *s, const reference_world *w, const reference_rigid_motion *frame) {
    float kicks;
    const float most = predicted(s, w, frame, &kicks);
    revert(s, w, frame);
    reference_limit_kinetic(s, frame, reference_kinetic_about(s, frame), smaller(most, 16 * kicks));
}

/* Whether the ways of a strand would be a motion of more than four times the energy, and of a quarter of a
 * segment. */
static bool jumps(const reference_strand *s, const reference_world *w, const reference_rigid_motion *frame,
                  float most) {
    reference_strand moved = *s;
    float longest = 0, whole = 0;
    memcpy(moved.x, s->start, sizeof moved.x);
    for (uint32_t k = 0; k < s->points; k++) {
        for (int axis = 0; axis < 3; axis++)
            moved.v[k][axis] = reference_rate(w) * (s->x[k][axis] - s->start[k][axis]);
        if (reference_moves(s, k)) whole += 1 / s->mass[k];
        if (k + 1 < s->points) longest = larger(longest, s->rest_length[k]);
    }
    const float energy = reference_kinetic_about(&moved, frame), jump = 0.25f * reference_rate(w) * longest;
    return 4 * most < energy && whole * jump * jump < energy;
}

/* What the segments of a compliant strand have less of twice their elastic energy than at the start; *noise:
 * by which that may be wrong. */
static float released(const reference_strand *s, const reference_world *w, float *noise) {
    const float unknown = 0.5f * w->def->max_strain; /* of strains */
    float sum = 0, wrong = 0, d[3];
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        row_between(s->x[k], s->x[k + 1], d);
        const float before = s->strain[k], now = row_length(d) - s->length[k];
        const float off = unknown * s->length[k];
        sum += (before - now) * (before + now) + off * off;
        wrong += off * larger(fabsf(before), fabsf(now));
    }
    const float inverse = s->compliance > 0 ? 1 / s->compliance : 0;
    *noise = (wrong + wrong) * inverse;
    return sum * inverse;
}

/* Energies in axes that do not turn, of which the rigid motion has the share `turning`. */
void reference_limit_recoil(reference_strand *s, const reference_world *w) {
    const float none[3] = {0};
    reference_push push = reference_push_of(s, w, none);
    const reference_rigid_motion frame = reference_frame_of_push(s, w, &push);
    reference_rigid_motion still = frame;
    float kicks, noise;
    memset(still.w, 0, sizeof still.w);
    push = reference_push_of(s, w, frame.v);
    const float start = predicted(s, w, &still, &kicks), given = released(s, w, &noise),
                most = reference_pushed_energy(&push, start),
                left = smaller(start + push.work + given, most + larger(given, 0)),
                turning = reference_kinetic_about(s, &still) - reference_kinetic_about(s, &frame);
    float limit = larger(left, push.most);
    if (left + noise < turning && pins_move_with(s, &frame))
        revert(s, w, &frame), limit = smaller(most, 16 * kicks);
    reference_limit_kinetic(s, &frame, reference_kinetic_about(s, &frame), larger(limit - turning, 0));
}

/* Whether a strand has more than it had and the work of its accelerations and of colliders, relative to its
 * root or, where that is free, to the frame of the push; there no more than the prediction, too. */
bool reference_gains(const reference_strand *s, const reference_world *w) {
    const float none[3] = {0};
    const reference_push touch = reference_push_of(s, w, none);
    reference_rigid_motion root = {.w = {0}};
    float kicks;
    memcpy(root.v, s->v[0], sizeof root.v);
    if (s->mass[0] > 0) root = reference_frame_of_push(s, w, &touch);
    float before = supplied(s, w, &root, &kicks);
    if (!(s->mass[0] > 0)) before = worked(s, w, root.v);
    const float after = reference_kinetic_about(s, &root);
    const reference_push push = reference_push_of(s, w, root.v);
    return before < after && reference_pushed_energy(&push, before) < after;
}

void reference_limit_push(reference_strand *s, const reference_world *w, float bent, bool solved) {
    const float none[3] = {0};
    const bool loose = !reference_is_pinned(s);
    reference_push push = reference_push_of(s, w, none);
    const reference_rigid_motion frame = reference_frame_of_push(s, w, &push);
    float kicks;
    push = reference_push_of(s, w, frame.v);
    float most = reference_pushed_energy(&push, supplied(s, w, &frame, &kicks));
    if ((!solved || loose) && jumps(s, w, &frame, most + bent)) {
        revert(s, w, &frame);
        if (loose) most = smaller(most, 16 * kicks);
    }
    reference_limit_kinetic(s, &frame, reference_kinetic_about(s, &frame), most);
}

void reference_project_near(reference_strand *s, const reference_world *w, uint32_t substep, bool limits) {
    const float none[3] = {0};
    reference_push push = reference_push_of(s, w, none);
    const reference_rigid_motion frame = reference_frame_of_push(s, w, &push);
    push = reference_push_of(s, w, frame.v);
    reference_project(s, w, substep);
    if (!limits) return;
    const float most = reference_pushed_energy(&push, worked(s, w, frame.v));
    reference_limit_kinetic(s, &frame, reference_kinetic_about(s, &frame), most);
}
