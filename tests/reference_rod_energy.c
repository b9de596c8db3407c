/* Energies of the plain reference of rods, and their limits, in the order of operations of rod_energy.h. */
#include <math.h>
#include <string.h>

#include "reference_rod_part.h"

float reference_along(const float stiffness[3], const float rest[3], const float y[3], const float v[3]) {
    const float whole = stiffness[0] * rest[0] * rest[0] + stiffness[1] * rest[1] * rest[1];
    return larger((y[0] * v[0] + y[1] * v[1]) - 0.5f * whole, 0);
}

static float framed_bending(const reference_strand *s, const rod_part *p) {
    float sum = 0, clamp[4];
    reference_clamp_frame(s, clamp);
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        const float square = p->h * p->h, stiffness[3] = {square * s->joint[k], square * s->joint_across[k],
                                                          square * s->joint_twist[k]};
        float c[4], off[3], y[3];
        reference_turn_between(k ? s->rod_frame[k - 1] : clamp, s->rod_frame[k], c);
        for (int i = 0; i < 3; i++) off[i] = (c[i] + c[i]) - s->rest_turn[k][i], y[i] = stiffness[i] * off[i];
        sum += row_dot(y, off);
    }
    return p->rate * p->rate * sum;
}

/* Twice the sum of m u^2 / 2, from the tip to the root; u: relative to that of a pinned root. */
static float kinetic_of(const reference_strand *s, const reference_row *v, float scale) {
    float sum = 0;
    for (uint32_t k = s->points; k-- > 0;) {
        float u[3];
        for (int i = 0; i < 3; i++) u[i] = v[k][i] - (s->mass[0] > 0 ? 0 : scale * s->v[0][i]);
        if (s->mass[k] > 0) sum += s->point_mass[k] * row_dot(u, u);
    }
    return sum;
}

/* curls: the sums are those of a substep that has not been tried. */
void reference_predict_rod(const reference_strand *s, const rod_part *p, bool curls, rod_energies *e) {
    e->kinetic[0] = p->rate * p->rate * kinetic_of(s, p->way, p->h);
    e->bending[0] = curls ? framed_bending(s, p) : p->rate * p->rate * p->bending;
}

void reference_find_energies(const reference_strand *s, const rod_part *p, rod_energies *e) {
    float tangent[3] = {0}, along[3], bend[3], root[3], sum = 0;
    e->kinetic[1] = kinetic_of(s, s->v, 1);
    for (uint32_t k = s->points - 1; k-- > 0 && !s->framed;) {
        row_between(s->x[k], s->x[k + 1], along);
        for (int i = 0; i < 3; i++) along[i] = s->inverse_length[k] * along[i];
        row_between(along, tangent, bend);
        sum += s->joint[k + 1] * row_dot(bend, bend);
        memcpy(tangent, along, sizeof along);
    }
    reference_turn_by_root(s, s->root_direction, root);
    row_between(root, tangent, bend);
    e->bending[1] = s->framed ? framed_bending(s, p) : sum + s->joint[0] * row_dot(bend, bend);
}

void reference_leave_torn(const reference_strand *s, const rod_part *p, rod_energies *e) {
    float tangent[3] = {0}, along[3], bend[3], root[3], sum = 0;
    bool whole = true;
    for (uint32_t k = s->points - 1; k-- > 0;) {
        row_between(p->x[k], p->x[k + 1], along);
        for (int i = 0; i < 3; i++) along[i] = s->inverse_length[k] * along[i];
        row_between(along, tangent, bend);
        const bool now = row_dot(along, along) < 1.21f;
        if (whole && now) sum += s->joint[k + 1] * row_dot(bend, bend);
        whole = now, memcpy(tangent, along, sizeof along);
    }
    reference_turn_by_root(s, s->root_direction, root);
    row_between(root, tangent, bend);
    if (whole) sum += s->joint[0] * row_dot(bend, bend);
    if (!s->framed) e->bending[0] = smaller(e->bending[0], sum);
}

/* What a substep has added, more than rounding. */
static float gain_of(const reference_strand *s, const rod_energies *e) {
    float noise = 0;
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        const float error = (0x1p-22f * s->whole) * s->inverse_length[k];
        const float most = s->framed ? larger(s->joint_across[k], s->joint_twist[k]) : s->joint[k];
        noise += most * (error * error);
    }
    const float rounding = noise + 2 * __builtin_sqrtf(e->bending[1] * noise) + 0x1p-18f * e->bending[1];
    return (e->kinetic[1] - e->kinetic[0]) + (e->bending[1] - e->bending[0]) - rounding;
}

void reference_limit_rod(reference_strand *s, const rod_part *p, rod_energies *e) {
    reference_find_energies(s, p, e);
    if (gain_of(s, e) > 0) reference_take_energy(s, gain_of(s, e));
}

bool reference_rod_gains(const reference_strand *s, const rod_energies *e, float share) {
    return share * larger(e->kinetic[0], e->kinetic[1]) < gain_of(s, e);
}

/* The share of the rotation that adds no more energy than the prediction has, or than forces give by their
 * work. */
static float spin_share(const reference_strand *s, const rod_part *p, const rod_energies *e,
                        const reference_rigid_motion *spin, const float base[3]) {
    float first = 0, second = 0, now = 0, predicted = 0, worked = 0;
    for (uint32_t k = s->mass[0] == 0; k < s->points; k++) {
        const float m = 1 / s->mass[k];
        float u[3], more[3], before[3], after[3], kick[3], way[3];
        row_between(base, s->v[k], u), row_between(base, p->v[k], before),
            row_between(base, p->forced[k], after);
        row_between(p->v[k], p->forced[k], kick);
        for (int i = 0; i < 3; i++) way[i] = (s->x[k][i] - p->x[k][i]) - p->h * base[i];
        reference_motion_at(spin, s->x[k], more);
        first += m * row_dot(u, more), second += m * row_dot(more, more), now += m * row_dot(u, u);
        predicted += m * row_dot(after, after);
        worked += m * (row_dot(before, before) + (p->rate + p->rate) * row_dot(kick, way));
    }
    const float gain = (now - smaller(predicted, worked)) + (e->bending[1] - e->bending[0]),
                room = larger(0 - gain, 0), root = __builtin_sqrtf(first * first + second * room);
    const float share = first < 0 ? (root - first) / (second + 0x1p-100f) : room / (first + root + 0x1p-100f);
    return smaller(larger(share, 0), 1);
}

void reference_keep_spin(reference_strand *s, const rod_part *p, const rod_energies *e) {
    const bool hinged = s->mass[0] == 0;
    const reference_strand *at = s;
    const reference_moments want = reference_moments_of(s, p->x, p->forced, hinged, s->v[0]),
                            now = reference_moments_of(at, at->x, at->v, hinged, at->v[0]);
    reference_rigid_motion spin = {{0}, {0}, {0}};
    float lost[3], momentum[3] = {0};
    row_between(now.l, want.l, lost);
    memcpy(spin.center, now.center, sizeof spin.center);
    reference_angular_velocity(&now, lost, spin.w);
    if (!isfinite(row_dot(spin.w, spin.w))) return;
    const float share = spin_share(s, p, e, &spin, want.v);
    for (uint32_t k = hinged; k < s->points; k++) {
        float more[3];
        reference_motion_at(&spin, s->x[k], more);
        for (int i = 0; i < 3; i++) {
            s->v[k][i] += share * more[i];
            momentum[i] += 1 / s->mass[k] * (share * more[i]);
        }
    }
    for (int i = 0; i < 3 && hinged; i++) s->reaction[0][i] -= momentum[i];
}

/* Twice the energy of the stiffest joint that is bent by 0.5 rad. */
static float bent(const reference_strand *s, const rod_part *p) {
    const float square = p->h * p->h;
    float most = 0;
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        const float joint = square * s->joint[k],
                    stiffest = larger(square * s->joint_across[k], square * s->joint_twist[k]);
        most = larger(most, s->framed && joint > 0 ? stiffest : joint);
    }
    return 0.25f * (p->rate * p->rate * most);
}

bool reference_pay_rod(reference_strand *s, const reference_world *w, const rod_part *p, rod_energies *e,
                       const reference_push *push, bool near, float frames[REFERENCE_POINTS][4]) {
    bool reverted = false;
    if (!near && !(s->deficit > 0)) return reverted;
    reference_find_energies(s, p, e);
    const reference_rigid_motion frame = reference_frame_of_push(s, w, push);
    if (frames && 4 * (e->kinetic[0] + e->bending[0]) < e->bending[1] && bent(s, p) < e->bending[1]) {
        reverted = true;
        reference_revert(s, w, &frame);
        if (s->framed) memcpy(s->rod_frame, frames, sizeof s->rod_frame);
        reference_find_energies(s, p, e);
    }
    const float kinetic = reference_kinetic_about(s, &frame);
    const float excess = larger(gain_of(s, e) + s->deficit, 0),
                gained = larger(e->kinetic[1] - e->kinetic[0], 0),
                paid = smaller(smaller(excess, gained), kinetic),
                left = smaller(excess - paid, e->bending[1]);
    if (paid > 0) reference_limit_kinetic(s, &frame, kinetic, kinetic - paid);
    s->deficit = isfinite(left) && reference_pins_move_together(s) ? left : 0;
    return reverted;
}

/* --- Roots that turn --- */

void reference_find_lead(reference_strand *s, const reference_world *w) {
    const float *a = s->arrived, *b = s->root_rotation;
    float across[3];
    if (!s->framed || w->def->free_roots || w->def->hinged_roots) return;
    for (uint32_t k = 1; k < s->points; k++)
        if (s->mass[k] == 0) return;
    const float lengths = (row_dot(a, a) + a[3] * a[3]) * (row_dot(b, b) + b[3] * b[3]),
                cosine = row_dot(a, b) + a[3] * b[3], scale = 2 / __builtin_sqrtf(lengths);
    row_cross(b, a, across);
    for (int i = 0; i < 3; i++)
        s->lead[i] = (cosine < 0 ? 0 - scale : scale) * ((a[3] * b[i] - b[3] * a[i]) - across[i]);
    memcpy(s->arrived, s->root_rotation, sizeof s->arrived);
    s->lead_rate = (float)(1.0 / reference_substep(w));
}

void reference_lead_joint(const reference_strand *s, rod_part *p, uint32_t k, float axis[3][3],
                          const float before[3], float sine, float cosine, float *torque, float led[4]) {
    const float *t = p->along[k], share = p->h * s->lead_rate;
    float d[3], turned[3], edge[3], resisted[3] = {0}, torques[2] = {0};
    for (int i = 0; i < 3; i++) d[i] = share * s->lead[i];
    if (!(0 < row_dot(d, d))) return;
    row_cross(d, p->gradient[k], turned);
    if (k) {
        const float diagonal = sine + cosine, other = cosine - sine, own = row_dot(d, t),
                    back = row_dot(d, before);
        row_between(before, t, edge);
        row_cross(d, edge, resisted);
        for (int i = 0; i < 3; i++) resisted[i] = p->stiffness[k] * resisted[i];
        torques[0] = other * back - diagonal * own, torques[1] = other * own - diagonal * back;
    }
    for (int i = 0; i < 3; i++) {
        const float sum = (p->gradient[k][i] + turned[i]) + led[i];
        const float b = p->stiffness[k], square = p->h * p->h,
                    first = (b - square * s->joint_across[k]) * row_dot(d, axis[1]) * axis[0][i] +
                            (0 - (b - square * s->joint[k]) * row_dot(d, axis[0])) * axis[1][i];
        p->gradient[k][i] = k ? sum - resisted[i] : sum - first;
        led[i] = resisted[i];
    }
    const float sum = *torque + led[3];
    *torque = k ? sum + torques[0] : sum, led[3] = torques[1];
}
