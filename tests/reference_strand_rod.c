/* The plain reference of rods: implicit bending eliminated from the tip to the root, frames whose twist is at
 * rest, one iteration of Newton's method for the lengths after another, and parts of a substep by recursion.
 * One rod at a time, rows kept in arrays, in the order of operations of rod.h. */
#include <math.h>
#include <string.h>

#include "reference_rod_part.h"

enum { ROD_ITERATIONS = 3, ROD_PARTS = 16 };

/* Iterations before a substep is taken in parts. */
static uint32_t rod_iterations(const reference_world *w) {
    return w->def->max_iterations < ROD_ITERATIONS ? w->def->max_iterations : ROD_ITERATIONS;
}
static const float ROD_CURLS = 0.4f, ROD_STIFF_CURLS = 6.4f;

typedef struct quaternion {
    float v[3], w;
} quaternion;

/* Quadratic cost of all beyond a joint, and its last joint. */
typedef struct cost {
    float p, q, r, d, force[3], moment[3];
    float factor, stiffness, inertia, lever, whole;
} cost;

/* --- Frames --- */

static quaternion product(quaternion a, quaternion b) {
    quaternion c;
    float cross[3];
    row_cross(a.v, b.v, cross);
    for (int i = 0; i < 3; i++) c.v[i] = (a.w * b.v[i] + b.w * a.v[i]) + cross[i];
    c.w = a.w * b.w - row_dot(a.v, b.v);
    return c;
}

static quaternion rest_frame_of(const reference_strand *s) {
    const float *q = s->root_rotation, norm = ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
    const float scale = 1 / __builtin_sqrtf(norm);
    const quaternion root = {{scale * q[0], scale * q[1], scale * q[2]}, scale * q[3]};
    const quaternion rest = {{s->rest_frame[0], s->rest_frame[1], s->rest_frame[2]}, s->rest_frame[3]};
    return product(root, rest);
}

static quaternion frame_of(const reference_strand *s, uint32_t k) {
    const float *q = s->rod_frame[k];
    return (quaternion){{q[0], q[1], q[2]}, q[3]};
}

/* The columns of the rotation matrix of q. */
static void axes_of(quaternion q, float axis[3][3]) {
    const float x = q.v[0], y = q.v[1], z = q.v[2], w = q.w, x2 = x + x, y2 = y + y, z2 = z + z;
    const float of[3][3] = {{1 - y * y2 - z * z2, x * y2 + w * z2, x * z2 - w * y2},
                            {x * y2 - w * z2, 1 - x * x2 - z * z2, y * z2 + w * x2},
                            {x * z2 + w * y2, y * z2 - w * x2, 1 - x * x2 - y * y2}};
    memcpy(axis, of, sizeof of);
}

/* Gradients of the joints, directions of the segments and rows of the twist, which is at rest. */
static void find_frames(const reference_strand *s, rod_part *p) {
    float beyond[3] = {0}, led[4] = {0}, resistance = 0, torque = 0, largest = 0, ahead = 0;
    for (uint32_t k = s->points - 1; k-- > 0;) {
        const quaternion a = k ? frame_of(s, k - 1) : rest_frame_of(s), b = frame_of(s, k),
                         inverse = {{0 - a.v[0], 0 - a.v[1], 0 - a.v[2]}, a.w};
        const float square = p->h * p->h, stiffness[3] = {square * s->joint[k], square * s->joint_across[k],
                                                          square * s->joint_twist[k]};
        const float across = stiffness[1], twist = stiffness[2];
        quaternion c = product(inverse, b);
        for (int i = 0; i < 3; i++) c.v[i] = signbit(c.w) ? -c.v[i] : c.v[i];
        c.w = fabsf(c.w);
        float y[3], odd[3], own[3], axis[3][3], before[3][3], off[3];
        for (int i = 0; i < 3; i++)
            off[i] = (c.v[i] + c.v[i]) - s->rest_turn[k][i], y[i] = stiffness[i] * off[i];
        p->bending += row_dot(y, off);
        row_cross(c.v, y, odd);
        for (int i = 0; i < 3; i++) own[i] = (c.w * y[i] - odd[i]) - beyond[i];
        axes_of(b, axis);
        const float lean = reference_along(stiffness, s->rest_turn[k], y, c.v);
        for (int i = 0; i < 3; i++) {
            const float bent = own[1] * axis[0][i] + (0 - own[0]) * axis[1][i];
            p->gradient[k][i] = bent + (lean + ahead) * axis[2][i];
            p->along[k][i] = axis[2][i], p->back[k][i] = 0;
            beyond[i] = c.w * y[i] + odd[i];
        }
        const float opened = 0.5f * (y[0] * c.v[0] + y[1] * c.v[1]), undone = 0.5f * (y[2] * c.v[2]);
        const float sine = across * (c.v[0] * c.v[0] + c.v[1] * c.v[1]) - smaller(opened, 0),
                    cosine = twist * (c.v[2] * c.v[2] + c.w * c.w) - smaller(undone, 0),
                    diagonal = sine + cosine, other = cosine - sine, whole = diagonal + resistance;
        p->stiffness[k] = stiffness[0] > 0 ? larger(across, twist) : stiffness[0];
        axes_of(a, before);
        reference_lead_joint(s, p, k, axis, before[2], sine, cosine, &own[2], led);
        const bool held = k && s->mass[k] == 0 && s->mass[k + 1] == 0;
        const bool resists = 0 < diagonal || 1e-6f * largest < resistance;
        const float over = !held && resists && 0 < whole ? 1 / whole : 0;
        torque = torque + own[2];
        p->twist[k][0] = other * over, p->twist[k][1] = torque * over;
        resistance = held ? diagonal : ((4 * sine) * cosine + diagonal * resistance) * over;
        torque = p->twist[k][0] * torque, largest = larger(largest, diagonal), ahead = lean;
    }
}

/* q turned by `angle` about its segment and with it to the direction of d, where it has one. */
static quaternion follow(quaternion q, const float d[3], float angle, float length, float inverse_length) {
    const float a = 0.5f * angle, *v = q.v;
    quaternion twisted = {{v[0] + a * v[1], v[1] - a * v[0], v[2] + a * q.w}, q.w - a * v[2]};
    const float x = v[0] + v[0], y = v[1] + v[1];
    float t[3] = {x * v[2] + y * q.w, y * v[2] - x * q.w, 1 - x * v[0] - y * v[1]};
    const float reach = 0.5f * (length + row_dot(d, d) * inverse_length);
    float open = reach + row_dot(t, d);
    if (!(1e-4f * reach < open)) { /* opposite: half a turn about the first axis first */
        twisted = product(twisted, (quaternion){{1, 0, 0}, 0});
        for (int i = 0; i < 3; i++) t[i] = -t[i];
        open = reach + row_dot(t, d);
    }
    quaternion turn = {{0}, open};
    row_cross(t, d, turn.v);
    quaternion z = product(turn, twisted);
    if (!(1e-4f * reach < open)) return q;
    const float scale = 1 / __builtin_sqrtf(row_dot(z.v, z.v) + z.w * z.w);
    for (int i = 0; i < 3; i++) z.v[i] = scale * z.v[i];
    z.w = scale * z.w;
    return z;
}

static void set_frame(float to[4], quaternion q) {
    memcpy(to, q.v, sizeof q.v);
    to[3] = q.w;
}

static void turn_frames(reference_strand *s, const rod_part *p, bool twists) {
    float angle = 0, d[3];
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        if (twists) angle = p->twist[k][0] * angle - p->twist[k][1];
        row_between(s->x[k], s->x[k + 1], d);
        set_frame(s->rod_frame[k], follow(frame_of(s, k), d, angle, s->rest_length[k], s->inverse_length[k]));
    }
}

void reference_lay_frames(reference_strand *s, float clamp[4]) {
    float d[3];
    reference_turn_by_root(s, s->root_direction, d);
    quaternion q = follow((quaternion){{0, 0, 0}, 1}, d, 0, 1, 1);
    set_frame(clamp, q);
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        row_between(s->x[k], s->x[k + 1], d);
        q = follow(q, d, 0, s->rest_length[k], s->inverse_length[k]);
        set_frame(s->rod_frame[k], q);
    }
}

void reference_clamp_frame(const reference_strand *s, float q[4]) { set_frame(q, rest_frame_of(s)); }

void reference_axes(const float q[4], float axis[3][3]) {
    axes_of((quaternion){{q[0], q[1], q[2]}, q[3]}, axis);
}

void reference_turn_between(const float a[4], const float b[4], float c[4]) {
    const quaternion inverse = {{0 - a[0], 0 - a[1], 0 - a[2]}, a[3]},
                     turn = product(inverse, (quaternion){{b[0], b[1], b[2]}, b[3]});
    for (int i = 0; i < 3; i++) c[i] = signbit(turn.w) ? -turn.v[i] : turn.v[i];
    c[3] = fabsf(turn.w);
}

void reference_turn_frames(reference_strand *s) { turn_frames(s, NULL, false); }

/* --- Bending --- */

/* Without frames the energy is that of the chords. */
static void find_chords(const reference_strand *s, rod_part *p) {
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        float d[3], before[3];
        row_between(s->x[k], s->x[k + 1], d);
        reference_turn_by_root(s, s->root_direction, before);
        p->stiffness[k] = (p->h * p->h) * s->joint[k];
        for (int i = 0; i < 3; i++) {
            p->along[k][i] = s->inverse_length[k] * d[i];
            if (k) before[i] = p->along[k - 1][i];
            p->gradient[k][i] = p->back[k][i] = ((p->h * p->h) * s->joint[k]) * (p->along[k][i] - before[i]);
        }
    }
    for (uint32_t k = s->points - 1; k-- > 0;) {
        float bend[3], before[3];
        reference_turn_by_root(s, s->root_direction, before);
        row_between(k ? p->along[k - 1] : before, p->along[k], bend);
        p->bending += row_dot(p->gradient[k], bend);
    }
}

/* The point k + 1, free, with its segment and joint. */
static void add_free(const reference_strand *s, rod_part *p, cost *v, uint32_t k) {
    const float l = s->rest_length[k], square = l * l, m = s->point_mass[k + 1], b = p->stiffness[k],
                pull = ((p->h * p->h) * s->pull[k]) * square, geometric = larger(pull, 0);
    v->d += m * v->r, v->p += m;
    const float q = v->q + l * v->p, d = v->d + geometric * v->p, inertia = square * m + geometric;
    const float beyond = v->stiffness * (v->inertia + (l + l) * v->lever) + square * v->whole;
    const float f = 1 / (v->factor * beyond + (inertia + (b + 0x1p-100f))), share = b * f;
    for (int i = 0; i < 3; i++) {
        v->force[i] -= m * p->way[k + 1][i];
        const float moment = (v->moment[i] + l * v->force[i]) + pull * p->along[k][i],
                    own = f * (moment + p->gradient[k][i]);
        v->force[i] -= q * own, v->moment[i] = b * own - p->back[k][i], p->own[k][i] = own;
    }
    v->inertia = v->factor * beyond + inertia, v->whole = v->p * b + d;
    v->factor = f, v->stiffness = b, v->lever = q;
    v->p = v->whole * f, v->q = share * q, v->r = share * v->inertia, v->d = share * d;
    p->rows[k][0] = share, p->rows[k][1] = q * f;
}

/* The same where it is pinned: t[k] changes by (way - dx) / l. */
static void add_pinned(const reference_strand *s, rod_part *p, cost *v, uint32_t k) {
    const float l = s->rest_length[k], inverse = s->inverse_length[k], b = p->stiffness[k],
                tension = (p->h * p->h) * s->pull[k];
    const float beyond = v->r + larger(tension, 0) * l * l;
    for (int i = 0; i < 3; i++) {
        const float way = p->way[k + 1][i], change = inverse * way;
        const float linear =
            (v->moment[i] + v->q * way) + (p->gradient[k][i] + tension * l * l * p->along[k][i]);
        v->force[i] = (0 - inverse) * (linear + (b + beyond) * change);
        v->moment[i] = (0 - b) * change - p->back[k][i];
        p->own[k][i] = (0 - inverse) * way;
    }
    v->p = (b + beyond) * inverse * inverse, v->q = b * inverse, v->r = b;
    v->d = b * beyond * inverse * inverse;
    v->factor = v->stiffness = 1, v->inertia = v->r, v->lever = v->q, v->whole = v->p;
    p->rows[k][0] = 0, p->rows[k][1] = inverse;
}

static cost eliminate(const reference_strand *s, rod_part *p) {
    cost v = {.p = 0};
    for (uint32_t k = s->points - 1; k-- > 0;) {
        p->beyond[k + 1][0] = v.p, p->beyond[k + 1][1] = v.q;
        memcpy(p->force[k + 1], v.force, sizeof v.force);
        if (s->mass[k + 1] > 0)
            add_free(s, p, &v, k);
        else
            add_pinned(s, p, &v, k);
    }
    return v;
}

/* dx over h is the velocity of free points. */
static void move(reference_strand *s, const rod_part *p, uint32_t k, const float dx[3]) {
    for (int i = 0; i < 3; i++) {
        s->x[k][i] = s->mass[k] == 0 && p->whole ? s->goal[k][i] : p->x[k][i] + dx[i];
        if (s->mass[k] > 0) s->v[k][i] = p->rate * dx[i];
    }
}

/* From the root to the tip. behind: force of the segment that a point has passed; pinned points receive what
 * the forces before and behind them differ by. */
static void substitute(reference_strand *s, const rod_part *p, const cost *v) {
    float dx[3], du[3] = {0}, behind[3];
    for (int i = 0; i < 3; i++) {
        const float m = s->point_mass[0], way = p->way[0][i];
        dx[i] = s->mass[0] == 0 ? way : (1 / (v->p + m)) * (m * way - v->force[i]);
        behind[i] = 0 - (v->force[i] + v->p * dx[i]);
        if (s->mass[0] == 0) s->reaction[0][i] += p->rate * behind[i];
    }
    move(s, p, 0, dx);
    for (uint32_t k = 1; k < s->points; k++) {
        const bool pinned = s->mass[k] == 0;
        for (int i = 0; i < 3; i++) {
            du[i] = p->rows[k - 1][0] * du[i] - (p->own[k - 1][i] + p->rows[k - 1][1] * dx[i]);
            dx[i] = dx[i] + s->rest_length[k - 1] * du[i];
            const float free = behind[i] + s->point_mass[k] * (dx[i] - p->way[k][i]),
                        beyond = (p->force[k][i] + p->beyond[k][0] * dx[i]) + p->beyond[k][1] * du[i];
            const float next = pinned ? 0 - beyond : free;
            if (pinned) s->reaction[k][i] += p->rate * (next - behind[i]);
            behind[i] = next;
        }
        move(s, p, k, dx);
    }
}

/* Bends the rod over a part from its present state, without regard to its lengths. */
static void bend(reference_strand *s, const reference_world *w, rod_part *p, uint32_t units) {
    p->whole = units == 1, p->share = 1 / (float)units;
    p->h = (float)reference_substep(w) * p->share, p->rate = 1 / p->h;
    memcpy(p->x, s->x, sizeof p->x);
    memcpy(p->v, s->v, sizeof p->v);
    memcpy(p->reaction, s->reaction, sizeof p->reaction);
    memcpy(p->tension, s->pull, sizeof p->tension);
    for (uint32_t k = 0; k < s->points; k++) {
        float dv[3];
        memcpy(dv, s->dv[k], sizeof dv);
        if (!reference_has_others(w)) reference_affine_kick(s, w, k, dv);
        for (int i = 0; i < 3; i++) {
            p->kick[k][i] = s->mass[k] > 0 ? p->share * dv[i] : 0;
            p->forced[k][i] = s->v[k][i] + p->kick[k][i];
            p->way[k][i] = p->h * p->forced[k][i];
        }
    }
    p->bending = 0;
    if (s->framed)
        find_frames(s, p);
    else
        find_chords(s, p);
    const cost v = eliminate(s, p);
    substitute(s, p, &v);
}

/* --- Substeps --- */

static void undo(reference_strand *s, const rod_part *p) {
    memcpy(s->x, p->x, sizeof p->x);
    memcpy(s->v, p->v, sizeof p->v);
    memcpy(s->reaction, p->reaction, sizeof p->reaction);
    memcpy(s->pull, p->tension, sizeof p->tension);
}

static bool hold_by_few(reference_strand *s, const reference_world *w, rod_part *p) {
    const reference_hold_of of = {.gains = true, .rods = true, .rate = p->rate, .from = p->x, .from_v = p->v};
    for (uint32_t i = 0; i < rod_iterations(w); i++)
        if (reference_iterate(s, w, &of)) return true;
    return false;
}

static bool has_inner_pins(const reference_strand *s) {
    bool pins = false;
    for (uint32_t k = 1; k < s->points; k++) pins |= s->mass[k] == 0;
    return pins;
}

/* Relative to the first pin, no point before the last one faster than the fastest of the prediction and of
 * the pins. */
static void limit_speed(reference_strand *s, const rod_part *p) {
    float most = 0, base[3], u[3];
    uint32_t first = s->points, last = 0;
    for (uint32_t k = 0; k < s->points; k++)
        if (s->mass[k] == 0) first = first < k ? first : k, last = k;
    if (first == s->points) return;
    memcpy(base, s->v[first], sizeof base);
    for (uint32_t k = 0; k < s->points; k++) {
        row_between(base, s->mass[k] > 0 ? p->forced[k] : s->v[k], u);
        most = larger(most, row_dot(u, u));
    }
    for (uint32_t k = 0; k < last; k++) {
        row_between(base, s->v[k], u);
        const float square = row_dot(u, u), share = sqrtf(most / square);
        if (!(most < square) || !(s->mass[k] > 0)) continue;
        for (int i = 0; i < 3; i++) s->v[k][i] = base[i] + share * u[i];
    }
}

/* Twice the kinetic energy at the start with the work of the accelerations on the ways since. */
static float worked(const reference_strand *s, const rod_part *p) {
    float sum = 0;
    const float *base = s->mass[0] == 0 ? s->v[0] : (const float[3]){0};
    for (uint32_t k = s->points; k-- > 0;) {
        float u[3], way[3];
        if (!reference_moves(s, k)) continue;
        row_between(base, p->v[k], u);
        for (int i = 0; i < 3; i++) way[i] = (s->x[k][i] - p->x[k][i]) - p->h * base[i];
        sum += s->point_mass[k] * (row_dot(u, u) + (p->rate + p->rate) * row_dot(p->kick[k], way));
    }
    return larger(sum, 0);
}

/* One of `units` equal parts, or its two halves where it does not hold the lengths or the curls. Returns
 * whether it solved them. */
static bool advance(reference_strand *s, const reference_world *w, uint32_t units, uint32_t fewest) {
    rod_part p;
    if (units >= fewest) {
        bend(s, w, &p, units);
        p.whole = false;
        const bool held = hold_by_few(s, w, &p);
        bool solved = held;
        if (!held && units == ROD_PARTS) {
            reference_hold_of of = {.gains = true, .rods = true, .rate = p.rate, .done = rod_iterations(w)};
            of.from = p.x, of.from_v = p.v;
            solved = reference_hold(s, w, &of);
        }
        if (s->framed && (held || units == ROD_PARTS)) turn_frames(s, &p, true);
        if (held || units == ROD_PARTS) return solved;
        undo(s, &p);
    }
    const bool first = advance(s, w, 2 * units, fewest);
    return advance(s, w, 2 * units, fewest) && first;
}

static void arrive(reference_strand *s) {
    for (uint32_t k = 0; k < s->points; k++)
        if (s->mass[k] == 0) memcpy(s->x[k], s->goal[k], sizeof s->x[k]);
}

/* The parts that curls need at least. */
static uint32_t fewest_parts(const reference_strand *s, const reference_world *w) {
    const float h = (float)reference_substep(w);
    float rate = s->curl_rate * (h * h);
    uint32_t parts = 1;
    for (; s->framed && parts < ROD_PARTS && rate > ROD_CURLS; parts *= 2) rate *= 0.25f;
    return parts;
}

static reference_hold_of among_colliders(reference_strand *s, const reference_world *w) {
    reference_hold_of of = {.contacts = true, .gains = true, .rods = true, .rate = reference_rate(w)};
    of.from = s->start, of.from_v = s->start_v;
    return of;
}

/* Returns whether the rod is loose and took many iterations. *ends: it ends the step after those, solved. */
static bool hold_near(reference_strand *s, const reference_world *w, const rod_part *p, uint32_t substep,
                      rod_energies *e, reference_push *push, bool *ends) {
    const reference_hold_of of = among_colliders(s, w);
    const bool last = substep + 1 == w->substeps, solved = reference_hold(s, w, &of);
    *push = reference_push_of(s, w, s->mass[0] > 0 ? (const float[3]){0} : s->v[0]);
    e->kinetic[0] = reference_pushed_energy(push, e->kinetic[0]);
    const bool slow = !solved || s->far;
    if (slow) reference_leave_torn(s, p, e), reference_limit_push(s, w, e->bending[0], solved);
    if (!solved || (last && s->far)) {
        reference_project(s, w, substep);
        e->kinetic[0] = smaller(e->kinetic[0], reference_pushed_energy(push, worked(s, p)));
    }
    if (s->framed) turn_frames(s, NULL, false);
    if (last) reference_count_buried(s, w, substep);
    *ends = last && solved && s->far;
    return slow && !reference_is_pinned(s);
}

static bool turns_freely(const reference_strand *s, const reference_world *w) {
    const bool pinned = s->mass[0] == 0;
    return (w->def->free_roots || w->def->hinged_roots) && !(s->framed && pinned) && !has_inner_pins(s);
}

static void restart(reference_strand *s, const rod_part *p, float frames[REFERENCE_POINTS][4]) {
    undo(s, p);
    memcpy(s->rod_frame, frames, sizeof s->rod_frame);
}

/* Leaves the colliders in which the substep began, bends again, and returns whether planes are near then. */
static bool leave(reference_strand *s, const reference_world *w, rod_part *p, uint32_t substep) {
    const reference_hold_of of = among_colliders(s, w);
    undo(s, p);
    reference_leave_colliders(s, w, &of, substep);
    if (s->framed) turn_frames(s, NULL, false);
    bend(s, w, p, 1);
    return reference_find_contacts(s, w, substep);
}

void reference_rod_substep(reference_strand *s, const reference_world *w, uint32_t substep) {
    const float h = (float)reference_substep(w);
    const uint32_t fewest = fewest_parts(s, w);
    const bool curls = fewest > 1, stiff = s->framed && s->curl_rate * (h * h) > ROD_STIFF_CURLS;
    float before[REFERENCE_POINTS][4];
    bool again = true;
    rod_part p;
    rod_energies e;
    bend(s, w, &p, 1);
    bool planes = reference_find_contacts(s, w, substep);
    reference_predict_rod(s, &p, false, &e);
    const float bent = e.bending[0];
    const bool left = planes && s->entered;
    if (left) planes = leave(s, w, &p, substep);
    reference_predict_rod(s, &p, curls || stiff, &e);
    if (left) e.bending[0] = smaller(bent, e.bending[0]);
    memcpy(before, s->rod_frame, sizeof before);
    const bool beside = !curls && !stiff && planes;
    const bool met = beside && reference_touches(s, w, substep);
    bool near = met, loose = false, ends = false;
    if (near) {
        if (s->framed) turn_frames(s, &p, true);
        again = false;
    } else if (stiff) {
        undo(s, &p);
        reference_turn_rod(s, w, p.way);
        reference_limit_rod(s, &p, &e);
    } else if (!curls && hold_by_few(s, w, &p)) {
        again = beside && reference_touches(s, w, substep);
        if (s->framed) turn_frames(s, &p, true);
        reference_find_energies(s, &p, &e);
        if (reference_rod_gains(s, &e, 0x1p-12f)) {
            if (!has_inner_pins(s)) again = true, restart(s, &p, before), reference_turn_rod(s, w, p.way);
            reference_limit_rod(s, &p, &e);
        }
    } else {
        undo(s, &p);
        const bool first = advance(s, w, 2, fewest), both = advance(s, w, 2, fewest) && first;
        arrive(s);
        if (!both && has_inner_pins(s)) limit_speed(s, &p);
        reference_find_energies(s, &p, &e);
        reference_leave_torn(s, &p, &e);
        const bool turns = !has_inner_pins(s) && reference_rod_gains(s, &e, 0.25f);
        if (turns) restart(s, &p, before), reference_turn_rod(s, w, p.way);
        if (!both && !turns) e.kinetic[0] = smaller(e.kinetic[0], worked(s, &p));
        reference_limit_rod(s, &p, &e);
    }
    if (again) near = reference_find_contacts(s, w, substep) && reference_touches(s, w, substep);
    reference_push push = {.touches = false};
    if (near) loose = hold_near(s, w, &p, substep, &e, &push, &ends);
    if (!near && !(s->deficit > 0) && turns_freely(s, w)) reference_keep_spin(s, &p, &e);
    const bool reverted = reference_pay_rod(s, w, &p, &e, &push, near, met && loose ? before : NULL);
    if (reverted && substep + 1 == w->substeps) {
        reference_project(s, w, substep);
        if (s->framed) turn_frames(s, NULL, false);
    }
    if (s->overstretched) limit_speed(s, &p);
    if (ends) reference_count_strained(s, w);
}
