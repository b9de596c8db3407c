/* The plain reference of Newton's method for lengths: rigid, compliant, with contacts. Each row of each
 * system is written out; sums go in the order of the kernels' comments. */
#include <math.h>
#include <string.h>

#include "reference_strand_parts.h"

/* --- Constraints and their rows --- */

/* Which parts a strand's constraints have, and their constants: compliance over h^2 and the share of the
 * first strain that damping lets stand, of C + (b / k) C' + mu / (h^2 k) = 0 with C' = (C - C0) / h. */
typedef struct terms {
    reference_hold_of of;
    bool compliant, contacts;
    float compliance, memory;
    float limit;
    float step, over; /* h and 1 / h of the whole substep */
    float rounding;   /* m, of a distance within the strand: 4 roundings of 2^-24 */
} terms;

static void soften(float compliance, float damping, double h, float *scaled, float *memory) {
    const float ratio = (float)((double)damping / h) * compliance, share = 1 / (1 + ratio);
    *scaled = (float)(1.0 / (h * h)) * compliance * share;
    *memory = ratio * share;
}

static terms make_terms(const reference_strand *s, const reference_world *w, const reference_hold_of *of) {
    const double h = reference_substep(w);
    terms t = {.of = *of,
               .compliant = of->compliant,
               .contacts = of->contacts,
               .limit = w->def->max_strain,
               .step = (float)h,
               .over = reference_rate(w)};
    t.rounding = 0x1p-22f * s->whole;
    soften(s->compliance, w->def->damping, h, &t.compliance, &t.memory);
    return t;
}

/* The constraint between points a and a + 1, with the edge between them. */
typedef struct constraint {
    uint32_t a;
    float edge[3];
} constraint;

static constraint constraint_of(const reference_strand *s, uint32_t a) {
    constraint c = {.a = a};
    row_between(s->x[a], s->x[a + 1], c.edge);
    return c;
}

/* a . W b at a point. */
static float through(const reference_strand *s, const terms *t, uint32_t point, const float a[3],
                     const float b[3]) {
    const float *normal = s->contact[point].active;
    float dot = row_dot(a, b);
    if (t->contacts) dot -= row_dot(normal, a) * row_dot(normal, b);
    return s->mass[point] * dot;
}

static float diagonal_of(const reference_strand *s, const terms *t, const constraint *c) {
    const uint32_t a = c->a, b = a + 1;
    const float square = row_dot(c->edge, c->edge);
    float diagonal = (s->mass[a] + s->mass[b]) * square;
    if (t->contacts) {
        const float first = row_dot(s->contact[a].active, c->edge),
                    last = row_dot(s->contact[b].active, c->edge);
        diagonal -= s->mass[a] * (first * first);
        diagonal -= s->mass[b] * (last * last);
    }
    return t->compliant ? diagonal + t->compliance * square : diagonal;
}

/* The length that a compliant constraint aims at: its own, the part of the first strain that damping keeps,
 * and the stretch by its tension. */
static float target_of(const reference_strand *s, const terms *t, uint32_t k) {
    return s->length[k] + t->memory * s->strain[k] + t->compliance * s->tension[k];
}

static float value_of(const reference_strand *s, const terms *t, const constraint *c) {
    const float square = row_dot(c->edge, c->edge), length = s->length[c->a];
    if (!t->compliant) return 0.5f * (square - length * length);
    const float r = __builtin_sqrtf(square);
    return r * (r - target_of(s, t, c->a));
}

/* Pivots that are nothing beside their diagonal are left alone. */
static float inverse_of(float pivot, float diagonal) { return 1e-6f * diagonal < pivot ? 1 / pivot : 0; }

/* --- The tridiagonal system, eliminated from the root --- */

static void solve_segments(const reference_strand *s, const terms *t, const constraint *c,
                           float *multiplier) {
    float inverse[REFERENCE_POINTS], value[REFERENCE_POINTS], coupling[REFERENCE_POINTS];
    const uint32_t count = s->points - 1;
    for (uint32_t k = 0; k < count; k++) {
        const float diagonal = diagonal_of(s, t, &c[k]);
        coupling[k] =
            k ? through(s, t, k, c[k - 1].edge, c[k].edge) : 0; /* to the segment before, less its sign */
        const float factor = coupling[k] * (k ? inverse[k - 1] : 0);
        inverse[k] = inverse_of(diagonal - coupling[k] * factor, diagonal);
        value[k] = value_of(s, t, &c[k]) + factor * (k ? value[k - 1] : 0);
    }
    for (uint32_t k = count; k-- > 0;) {
        multiplier[k] = value[k] * inverse[k];
        if (k + 1 < count) multiplier[k] = (value[k] + coupling[k + 1] * multiplier[k + 1]) * inverse[k];
    }
}

/* --- One iteration --- */

/* x += W impulse, with the gain of velocity, and the reactions of colliders and pins. */
static void move_point(reference_strand *s, const terms *t, uint32_t k, const float impulse[3]) {
    reference_contact *c = &s->contact[k];
    float applied[3] = {impulse[0], impulse[1], impulse[2]};
    if (t->contacts) {
        const float across = row_dot(c->active, impulse);
        for (int axis = 0; axis < 3 && row_dot(c->active, c->active) > 0; axis++)
            applied[axis] = impulse[axis] - across * c->active[axis];
        c->normal_impulse -= s->mass[k] * across;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (s->mass[k] == 0)
            s->reaction[k][axis] += t->of.rate * impulse[axis];
        else
            s->x[k][axis] += s->mass[k] * applied[axis];
        if (s->mass[k] > 0 && t->of.gains) s->v[k][axis] += (t->of.rate * s->mass[k]) * applied[axis];
    }
}

/* Whether |d| is nearer to the target than `slack`, by squares. */
static bool is_near(float square, float target, float slack) {
    const float low = larger(target - slack, 0), high = target + slack;
    return square < high * high && (low * low < square || low == 0);
}

/* Share of max_strain to which a compliant segment is solved. */
static float elastic_share(const reference_strand *s, const terms *t, uint32_t k) {
    const float inverse = larger(s->mass[k], s->mass[k + 1]);
    return t->compliance > 0 && inverse > 0 ? sqrtf(smaller(t->compliance / inverse, 1)) : 1;
}

static bool is_held(const reference_strand *s, const terms *t, uint32_t k) {
    const constraint c = constraint_of(s, k);
    const float square = row_dot(c.edge, c.edge), length = s->length[k];
    if (length == 0) return true;
    if (t->compliant)
        return is_near(square, target_of(s, t, k), t->limit * elastic_share(s, t, k) * length + t->rounding);
    const float high = (1 + t->limit) * (1 + t->limit),
                low = t->limit < 1 ? (1 - t->limit) * (1 - t->limit) : 0;
    return square < high * (length * length) + t->rounding * length &&
           low * (length * length) - t->rounding * length < square;
}

bool reference_has_length(const reference_strand *s, const reference_world *w, uint32_t k) {
    const reference_hold_of rigid = {.contacts = false};
    const terms t = make_terms(s, w, &rigid);
    return is_held(s, &t, k);
}

static bool all_held(const reference_strand *s, const terms *t) {
    bool held = true;
    for (uint32_t k = 0; k + 1 < s->points; k++) held &= is_held(s, t, k);
    return held;
}

/* A point gets the impulse of the one behind it, less that of the one before it. */
static void apply_segments(reference_strand *s, const terms *t, const constraint *c,
                           const float *multiplier) {
    float before[3] = {0};
    for (uint32_t k = 0; k < s->points; k++) {
        float tension[3] = {0}, impulse[3];
        for (int axis = 0; axis < 3 && k + 1 < s->points; axis++)
            tension[axis] = multiplier[k] * c[k].edge[axis];
        row_between(before, tension, impulse);
        move_point(s, t, k, impulse);
        memcpy(before, tension, sizeof tension);
    }
}

static void iterate(reference_strand *s, const terms *t) {
    constraint c[REFERENCE_POINTS];
    float multiplier[REFERENCE_POINTS];
    for (uint32_t i = 0; i + 1 < s->points; i++) c[i] = constraint_of(s, i);
    solve_segments(s, t, c, multiplier);
    for (uint32_t i = 0; i + 1 < s->points; i++) {
        s->tension[i] += multiplier[i] * row_length(c[i].edge);
        if (t->of.rods) s->pull[i] += (t->of.rate * t->of.rate) * multiplier[i];
    }
    apply_segments(s, t, c, multiplier);
}

/* --- Contacts --- */

void reference_forget_contact(reference_strand *s, uint32_t k) {
    memset(s->friction[k], 0, sizeof s->friction[k]);
    s->pressure[k] = 0;
}

void reference_forget_contacts(reference_strand *s) {
    for (uint32_t k = 0; k < s->points && !s->rubs; k++) reference_forget_contact(s, k);
    s->rubs = false;
}

/* a without its component across the plane. */
static void along(const reference_contact *c, const float a[3], float out[3]) {
    const float across = row_dot(c->normal, a);
    for (int axis = 0; axis < 3; axis++) out[axis] = a[axis] - across * c->normal[axis];
}

/* v gains what puts a point on its plane, over h, but for the depth at which it already was; and friction. */
static void gain(reference_strand *s, const terms *t, uint32_t k, float out, const float friction[3]) {
    const reference_contact *c = &s->contact[k];
    float under[3];
    for (int axis = 0; axis < 3; axis++) under[axis] = s->start[k][axis] + c->drift[axis];
    const float before = smaller(larger(c->offset - row_dot(c->normal, under), 0), larger(out, 0));
    for (int axis = 0; axis < 3; axis++)
        s->v[k][axis] =
            (s->v[k][axis] + ((out - before) * t->over) * c->normal[axis]) + t->over * friction[axis];
}

/* The friction that makes a point stick that already has `had` of it (m), as far as its cone reaches. */
static void stick(const reference_strand *s, const terms *t, uint32_t k, const float had[3], float pressed,
                  float out[3]) {
    const reference_contact *c = &s->contact[k];
    float moved[3], slip[3], sticks[3];
    for (int axis = 0; axis < 3; axis++) moved[axis] = t->step * s->v[k][axis] - c->drift[axis];
    along(c, moved, slip);
    row_between(slip, had, sticks);
    const float share = smaller(c->friction * pressed / at_least_short(row_length(sticks)), 1);
    for (int axis = 0; axis < 3; axis++) out[axis] = share * sticks[axis];
}

/* Before the first solve: a point behind its plane is put on it, and one that was pressed on it in the last
 * substep unless it is clearly off. Both get the friction of the last substep, or if there was none what
 * makes them stick, by how deep they are. */
static void begin_contacts(reference_strand *s, const terms *t) {
    for (uint32_t k = 0; k < s->points; k++) {
        reference_contact *c = &s->contact[k];
        const float none[3] = {0};
        float *x = s->x[k], friction[3];
        memset(c->active, 0, sizeof c->active), memset(c->tangent, 0, sizeof c->tangent);
        memset(c->pending, 0, sizeof c->pending);
        c->normal_impulse = 0;
        const float gap = row_dot(c->normal, x) - c->offset;
        if (!(gap < 0 || (s->pressure[k] > 0 && gap < t->limit * reference_segment(s, k)))) continue;
        for (int axis = 0; axis < 3; axis++) friction[axis] = (t->step * t->step) * s->friction[k][axis];
        if (row_dot(friction, friction) > 0)
            along(c, friction, c->tangent);
        else
            stick(s, t, k, none, larger(0 - gap, 0), c->tangent);
        memcpy(c->active, c->normal, sizeof c->active);
        c->normal_impulse = 0 - gap;
        gain(s, t, k, 0 - gap, c->tangent);
        for (int axis = 0; axis < 3; axis++) x[axis] = (x[axis] - gap * c->normal[axis]) + c->tangent[axis];
    }
}

/* Before a later solve: x gets the friction that v already has. */
static void resume_contacts(reference_strand *s) {
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) s->x[k][axis] += s->contact[k].pending[axis];
}

/* After a solve: points behind their planes are put on them and are in contact, as are those that the solve
 * pressed. Friction has to take the slip away, as far as its cone reaches; only v gets the difference. */
static void end_contacts(reference_strand *s, const terms *t) {
    for (uint32_t k = 0; k < s->points; k++) {
        reference_contact *c = &s->contact[k];
        float *x = s->x[k], tangent[3];
        memset(c->pending, 0, sizeof c->pending);
        const float gap = row_dot(c->normal, x) - c->offset, out = larger(0 - gap, 0);
        const bool was = row_dot(c->active, c->active) > 0, is = gap < 0 || (was && c->normal_impulse > 0);
        const float pressed = is ? larger(c->normal_impulse + out, 0) : 0;
        c->normal_impulse = pressed;
        if (!was && !is) continue;
        stick(s, t, k, c->tangent, pressed, tangent);
        for (int axis = 0; axis < 3; axis++) {
            c->pending[axis] = tangent[axis] - c->tangent[axis];
            c->tangent[axis] = tangent[axis];
            c->active[axis] = is ? c->normal[axis] : 0;
        }
        gain(s, t, k, is ? out : 0, c->pending);
        for (int axis = 0; axis < 3 && is; axis++) x[axis] += out * c->normal[axis];
    }
}

/* Friction for the next substep, within the smaller cone of this one and the last. */
static void keep_contacts(reference_strand *s, const terms *t, bool solved) {
    for (uint32_t k = 0; k < s->points; k++) {
        const reference_contact *c = &s->contact[k];
        const bool in_contact = solved && row_dot(c->active, c->active) > 0 && c->normal_impulse > 0;
        const float square = t->over * t->over, before = s->pressure[k];
        s->pressure[k] = in_contact ? square * c->normal_impulse : 0;
        const float most = c->friction * smaller(s->pressure[k], before);
        const float scale = smaller(most / at_least_short(row_length(c->tangent)), square);
        for (int axis = 0; axis < 3; axis++) s->friction[k][axis] = in_contact ? scale * c->tangent[axis] : 0;
    }
    s->rubs = true;
}

/* --- Newton's method --- */

static void relax(reference_strand *s) {
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        float d[3];
        row_between(s->start[k], s->start[k + 1], d);
        s->tension[k] = 0;
        s->strain[k] = row_length(d) - s->length[k];
    }
}

void reference_project_lengths(reference_strand *s) {
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        float d[3];
        row_between(s->x[k], s->x[k + 1], d);
        const float scale = s->length[k] / at_least_short(row_length(d));
        for (int axis = 0; axis < 3 && s->mass[k + 1] > 0; axis++)
            s->x[k + 1][axis] = s->x[k][axis] + scale * d[axis];
    }
}

/* Whether no point has gone further from where it was, beside the root, than the strand is long four
 * times. */
static bool stayed(const reference_strand *s, reference_row *from) {
    float root[3], total = 0, furthest = 0;
    bool finite = true;
    row_between(from[0], s->x[0], root);
    for (uint32_t k = 0; k < s->points; k++) {
        float moved[3];
        row_between(from[k], s->x[k], moved);
        for (int axis = 0; axis < 3; axis++) moved[axis] -= root[axis];
        const float square = row_dot(moved, moved);
        finite &= isfinite(square) != 0;
        furthest = larger(furthest, square);
        if (k + 1 < s->points) total += s->length[k];
    }
    return finite && !(16 * total * total < furthest);
}

/* A strand in which Newton's method ran away goes back to where it came from; one that came with a velocity
 * that is not finite is left to be frozen. */
static void revert_diverged(reference_strand *s, const terms *t) {
    if (stayed(s, t->of.from) || !reference_is_finite(s, t->of.from_v)) return;
    for (uint32_t k = 0; k < s->points; k++)
        if (s->mass[k] > 0) memcpy(s->x[k], t->of.from[k], sizeof s->x[k]);
}

/* Projected strands are not faster than they moved. */
static void limit_velocity(reference_strand *s, const terms *t) {
    for (uint32_t k = 0; k < s->points; k++) {
        float moved[3];
        row_between(t->of.from[k], s->x[k], moved);
        for (int axis = 0; axis < 3; axis++) moved[axis] *= t->of.rate;
        if (s->mass[k] > 0 && !(row_dot(s->v[k], s->v[k]) < row_dot(moved, moved)))
            memcpy(s->v[k], moved, sizeof moved);
    }
}

bool reference_iterate(reference_strand *s, const reference_world *w, const reference_hold_of *of) {
    const terms t = make_terms(s, w, of);
    s->iterations++;
    iterate(s, &t);
    return all_held(s, &t);
}

/* With contacts, points are put out before the first iteration and after each. */
bool reference_hold(reference_strand *s, const reference_world *w, const reference_hold_of *of) {
    terms t = make_terms(s, w, of);
    if (t.contacts && s->expelled) t.of.rate = 0; /* the lengths follow, and give no speed */
    relax(s);
    bool solved = false;
    s->far = false;
    for (uint32_t i = of->done; i < w->def->max_iterations && !solved; i++) {
        s->iterations++;
        if (t.contacts && i == 2) s->far = true;
        if (t.contacts && i == 0) begin_contacts(s, &t);
        if (t.contacts && i > 0) resume_contacts(s);
        iterate(s, &t);
        if (t.contacts) end_contacts(s, &t);
        solved = all_held(s, &t);
    }
    if (t.contacts) keep_contacts(s, &t, solved);
    if (solved) return true;
    s->unsolved++;
    revert_diverged(s, &t);
    if (s->compliance == 0) reference_project_lengths(s);
    if (of->rods) memset(s->pull, 0, sizeof s->pull); /* they would come back as forces */
    t.of.rate = of->rate;
    if (of->gains && of->rate > 0) limit_velocity(s, &t);
    return false;
}

static bool moves(const reference_strand *s, uint32_t pinned) {
    const float *x = s->x[pinned], *goal = s->goal[pinned];
    return x[0] != goal[0] || x[1] != goal[1] || x[2] != goal[2];
}

/* Whether the ends of a rod that is longer than it can be change their distance. */
static bool draws(const reference_strand *s, uint32_t first, uint32_t last, float distance, float whole) {
    float d[3];
    row_between(s->x[first], s->x[last], d);
    const float grows = distance - row_length(d);
    return distance > whole * 1.00001f && fabsf(grows) > 1e-5f * whole;
}

/* Between two pins too far apart the rest lengths are longer by the same ratio, and 0.2 %; tensions of rods
 * begin anew there. */
void reference_reach_pins(reference_strand *s) {
    uint32_t first = 0;
    bool begun = false;
    s->overstretched = false;
    for (uint32_t k = 0; k < s->points; k++) {
        if (s->mass[k] > 0) continue;
        double rest = 0;
        for (uint32_t i = first; i < k; i++) rest += (double)s->rest_length[i];
        if (begun) {
            float d[3];
            row_between(s->goal[first], s->goal[k], d);
            const float distance = row_length(d), whole = (float)rest, slack = s->rod ? 1 : 1.002f;
            const bool reaches =
                s->compliance > 0 || !(distance * slack > whole); /* a compliant one stretches */
            const float ratio = !reaches && whole > 0 ? slack * distance / whole : 1;
            for (uint32_t i = first; i < k; i++) {
                s->length[i] = s->rest_length[i] * ratio;
                if (s->rod && !reaches) s->pull[i] = 0;
            }
            s->overstretched |=
                !reaches && (s->rod ? draws(s, first, k, distance, whole) : moves(s, first) || moves(s, k));
            s->infeasible |= !reaches && distance > whole * 1.00001f;
        }
        first = k, begun = true;
    }
}
