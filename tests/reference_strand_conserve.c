/* The plain reference of conserving strands: impulses along the mean of a segment before and after, in one
 * piece or more. */
#include <math.h>
#include <string.h>

#include "reference_strand_parts.h"

/* A substep: its motion without constraints, and the piece at hand. */
typedef struct flight {
    reference_row old_v[REFERENCE_POINTS], dv[REFERENCE_POINTS], goal[REFERENCE_POINTS];
    reference_row from[REFERENCE_POINTS], from_v[REFERENCE_POINTS], impulse[REFERENCE_POINTS];
    reference_row free_x[REFERENCE_POINTS], free_v[REFERENCE_POINTS];
    reference_row edge[REFERENCE_POINTS], mean[REFERENCE_POINTS];
    float error[REFERENCE_POINTS];
} flight;

/* The impulse of all segments on point k, by the means as they stand. */
static void impulse_on(const reference_strand *s, const flight *f, uint32_t k, float impulse[3]) {
    for (int axis = 0; axis < 3; axis++) {
        const float behind = k + 1 < s->points ? s->impulse[k] * f->mean[k][axis] : 0;
        impulse[axis] = behind - (k ? s->impulse[k - 1] * f->mean[k - 1][axis] : 0);
    }
}

static void begin_piece(const reference_strand *s, flight *f, float h, float part, float share) {
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            const float start = s->start[k][axis], v = f->from_v[k][axis] + part * f->dv[k][axis];
            const float x = f->from[k][axis] + 0.5f * h * (f->from_v[k][axis] + v);
            f->free_x[k][axis] = s->mass[k] > 0 ? x : start + share * (f->goal[k][axis] - start);
            f->free_v[k][axis] = v;
            if (k + 1 < s->points) f->mean[k][axis] = f->from[k + 1][axis] - f->from[k][axis];
        }
}

/* Moves all points by the multipliers; whether some length is wrong. m follows. */
static bool move_piece(reference_strand *s, flight *f, float h, float share) {
    bool wrong = false;
    for (uint32_t k = 0; k < s->points; k++) {
        float impulse[3];
        impulse_on(s, f, k, impulse);
        for (int axis = 0; axis < 3; axis++) {
            const float kick = s->mass[k] * impulse[axis];
            s->x[k][axis] = f->free_x[k][axis] + 0.5f * h * kick;
            s->v[k][axis] = f->free_v[k][axis] + kick;
        }
    }
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        const float length = s->length[k], square = length * length, *x = s->x[k + 1];
        float before[3];
        row_between(s->x[k], x, f->edge[k]);
        row_between(f->from[k], f->from[k + 1], before);
        f->error[k] = 0.5f * (row_dot(f->edge[k], f->edge[k]) - square);
        for (int axis = 0; axis < 3; axis++) f->mean[k][axis] = 0.5f * (before[axis] + f->edge[k][axis]);
        const float allowed = share * square + 0x1p-22f * length * (fabsf(x[0]) + fabsf(x[1]) + fabsf(x[2]));
        wrong |= !(fabsf(f->error[k]) < allowed) && length > 0;
    }
    return wrong;
}

static void correct_impulses(reference_strand *s, const flight *f, float h) {
    const uint32_t count = s->points - 1;
    float inverse[REFERENCE_POINTS], value[REFERENCE_POINTS], above[REFERENCE_POINTS] = {0}, change = 0;
    for (uint32_t k = 0; k < count; k++) {
        const float none[3] = {0}, near = 0.5f * h * s->mass[k];
        const float left = near * row_dot(f->edge[k], k ? f->mean[k - 1] : none);
        const float diagonal = 0.5f * h * (s->mass[k] + s->mass[k + 1]) * row_dot(f->edge[k], f->mean[k]);
        if (k) above[k - 1] = near * row_dot(f->edge[k - 1], f->mean[k]) * inverse[k - 1];
        const float pivot = diagonal - left * (k ? above[k - 1] : 0);
        inverse[k] = 1e-6f * fabsf(diagonal) < fabsf(pivot) ? 1 / pivot : 0;
        value[k] = (f->error[k] + left * (k ? value[k - 1] : 0)) * inverse[k];
    }
    for (uint32_t k = count; k-- > 0;) {
        change = value[k] + above[k] * change;
        s->impulse[k] += change;
    }
}

/* At least three corrections; whether it found the lengths. */
static bool solve_piece(reference_strand *s, const reference_world *w, flight *f, float h) {
    for (uint32_t i = 0;; i++) {
        const bool wrong = move_piece(s, f, h, 0.015625f * w->def->max_strain);
        if ((i >= 3 || i >= w->def->max_iterations) && !wrong) return true;
        if (i >= w->def->max_iterations) return false;
        s->iterations++;
        correct_impulses(s, f, h);
    }
}

static void end_piece(const reference_strand *s, flight *f) {
    for (uint32_t k = 0; k < s->points; k++) {
        float impulse[3];
        impulse_on(s, f, k, impulse);
        for (int axis = 0; axis < 3 && s->mass[k] == 0; axis++) f->impulse[k][axis] += impulse[axis];
    }
    memcpy(f->from, s->x, sizeof f->from);
    memcpy(f->from_v, s->v, sizeof f->from_v);
}

static bool solve_in_pieces(reference_strand *s, const reference_world *w, flight *f, uint32_t subcycles) {
    const float h = (float)(reference_substep(w) / subcycles);
    memcpy(f->from, s->start, sizeof f->from);
    memcpy(f->from_v, f->old_v, sizeof f->from_v);
    memset(f->impulse, 0, sizeof f->impulse);
    if (subcycles > 1) memset(s->impulse, 0, sizeof s->impulse);
    for (uint32_t i = 0; i < subcycles; i++) {
        begin_piece(s, f, h, 1 / (float)subcycles, (float)(i + 1) / (float)subcycles);
        if (!solve_piece(s, w, f, h)) return false;
        end_piece(s, f);
    }
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3 && s->mass[k] == 0; axis++) s->reaction[k][axis] += f->impulse[k][axis];
    return true;
}

static void fall_back_to_robust(reference_strand *s, const reference_world *w, const flight *f) {
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            const float x =
                s->start[k][axis] + (float)reference_substep(w) * (f->old_v[k][axis] + f->dv[k][axis]);
            s->x[k][axis] = s->mass[k] > 0 ? x : f->goal[k][axis];
        }
    memset(s->impulse, 0, sizeof s->impulse);
    s->fallbacks++;
    reference_hold_rigid(s, w);
    reference_derive_velocity(s, reference_rate(w));
}

void reference_conserving_substep(reference_strand *s, const reference_world *w, uint32_t substep) {
    flight f;
    memcpy(f.old_v, s->v, sizeof f.old_v);
    reference_predict(s, w, substep);
    reference_place(s, w, (double)substep + 1, s->x);
    reference_pinned_velocity(s, w, s->start, s->x);
    reference_reach_pins(s);
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            f.dv[k][axis] = s->mass[k] > 0 ? s->v[k][axis] - f.old_v[k][axis] : 0;
            if (s->mass[k] == 0) f.old_v[k][axis] = s->v[k][axis];
        }
    memcpy(f.goal, s->x, sizeof f.goal);
    if (substep == 0) memset(s->impulse, 0, sizeof s->impulse);
    if (s->frozen) return;
    for (uint32_t subcycles = 1; subcycles <= 32; subcycles *= 2)
        if (solve_in_pieces(s, w, &f, subcycles)) return;
    fall_back_to_robust(s, w, &f);
}
