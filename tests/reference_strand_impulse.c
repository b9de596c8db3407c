/* The plain reference of constrained strands: impulses along the segments in the middle of a part of the
 * substep, parts halved where they are too long, and steps of first order. With W the inverse masses and a
 * part from x0, v0 over h:
 *     y = x0 + h/2 v0,  m = y[k+1] - y[k],
 *     v1 = v0 + h a + W m^T P,  m . ((1 - g) d0' + g d1') = -(g - 1/2) h |d0'|^2,  x1 = y + h/2 v1.
 * Conserving strands regain at the end of a step the energy that impulses and corrections of lengths took. */
#include <math.h>
#include <string.h>

#include "reference_strand_parts.h"

/* g, the largest turn of a segment (rad) and W P h of a part, and how often a substep is halved. */
static const float G = 0.51f, TURN = 1, IMPULSE = 0.5f, STABLE = 1;
enum { HALVINGS = 5 };

static bool conserves(const reference_world *w) { return w->def->solver == MOTE_STRAND_CONSERVING; }

/* A part: its share of the substep, its start, its points in the middle, and along its
 * segments m, the rate of m with 1 - g of the start and g of h a, and the impulses. */
typedef struct part {
    reference_begin begin;
    float share;
    reference_row y[REFERENCE_POINTS];
    reference_row middle[REFERENCE_POINTS], rate[REFERENCE_POINTS];
    float speed[REFERENCE_POINTS], impulse[REFERENCE_POINTS]; /* speed: |d0'|^2 */
    bool fast_turn; /* some segment turns by a 64th of what is too far, or the part is no whole substep */
} part;

/* Pinned points are not kicked. */
static void begin_part(reference_strand *s, const reference_world *w, part *p, uint32_t units, float early) {
    p->share = 1 / (float)units;
    p->fast_turn = units > 1;
    p->begin.h = (float)reference_substep(w) * p->share;
    memcpy(p->begin.x, s->x, sizeof p->begin.x);
    memcpy(p->begin.v, s->v, sizeof p->begin.v);
    for (uint32_t k = 0; k < s->points; k++) {
        memcpy(p->begin.dv[k], s->dv[k], sizeof p->begin.dv[k]);
        for (int axis = 0; axis < 3; axis++)
            p->y[k][axis] = p->begin.x[k][axis] + (early * p->begin.h) * p->begin.v[k][axis];
        memcpy(s->x[k], p->y[k], sizeof s->x[k]);
        if (!reference_has_others(w)) reference_affine_kick(s, w, k, p->begin.dv[k]);
        memcpy(s->x[k], p->begin.x[k], sizeof p->begin.x[k]);
        for (int axis = 0; axis < 3; axis++)
            p->begin.dv[k][axis] = s->mass[k] > 0 ? p->share * p->begin.dv[k][axis] : 0;
    }
}

/* Returns whether some segment turns too far. */
static bool find_middles(const reference_strand *s, part *p) {
    bool turns = false;
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        float rate[3], kick[3];
        row_between(p->y[k], p->y[k + 1], p->middle[k]);
        row_between(p->begin.v[k], p->begin.v[k + 1], rate);
        row_between(p->begin.dv[k], p->begin.dv[k + 1], kick);
        for (int axis = 0; axis < 3; axis++) p->rate[k][axis] = rate[axis] + G * kick[axis];
        const float turn = TURN * s->length[k];
        p->speed[k] = row_dot(rate, rate);
        const float way = p->speed[k] * (p->begin.h * p->begin.h);
        turns |= s->length[k] > 0 && turn * turn < way;
        p->fast_turn |= s->length[k] > 0 && turn * turn < 4096 * way;
    }
    return turns;
}

/* (m W m^T) P = -m . rate / g, eliminated from the root; pivots that are nothing beside their diagonal are
 * left alone. Returns the largest W P h. */
static float solve_impulses(const reference_strand *s, part *p) {
    const uint32_t count = s->points - 1;
    float inverse[REFERENCE_POINTS], value[REFERENCE_POINTS], factor[REFERENCE_POINTS], largest = 0;
    for (uint32_t k = 0; k < count; k++) {
        const float *m = p->middle[k], diagonal = (s->mass[k] + s->mass[k + 1]) * row_dot(m, m);
        const float coupling = k ? s->mass[k] * row_dot(p->middle[k - 1], m) : 0; /* less its sign */
        factor[k] = k ? coupling * inverse[k - 1] : 0;
        const float pivot = diagonal - coupling * factor[k];
        inverse[k] = 1e-6f * diagonal < pivot ? 1 / pivot : 0;
        value[k] = (1 / G) * (row_dot(m, p->rate[k]) + ((G - 0.5f) * p->begin.h) * p->speed[k]) +
                   factor[k] * (k ? value[k - 1] : 0);
    }
    for (uint32_t k = count; k-- > 0;) {
        p->impulse[k] = value[k] * inverse[k];
        if (k + 1 < count) p->impulse[k] += factor[k + 1] * p->impulse[k + 1];
        largest = larger(largest, p->impulse[k] * larger(s->mass[k], s->mass[k + 1]));
    }
    return largest * p->begin.h;
}

/* Impulse of the two segments of a point, N s. */
static void push_on(const reference_strand *s, const part *p, uint32_t k, float push[3]) {
    for (int axis = 0; axis < 3; axis++) {
        push[axis] = k + 1 < s->points ? p->impulse[k] * p->middle[k][axis] : 0;
        if (k) push[axis] -= p->impulse[k - 1] * p->middle[k - 1][axis];
    }
}

/* Moves the points; returns whether some segment has not its length. */
static bool move(reference_strand *s, const reference_world *w, const part *p) {
    bool strained = false;
    for (uint32_t k = 0; k < s->points; k++) {
        float push[3];
        push_on(s, p, k, push);
        for (int axis = 0; axis < 3; axis++) {
            const float old = p->begin.v[k][axis], v = (old + p->begin.dv[k][axis]) + s->mass[k] * push[axis];
            s->v[k][axis] = v;
            s->x[k][axis] = p->y[k][axis] + (0.5f * p->begin.h) * v;
        }
    }
    for (uint32_t k = 0; k + 1 < s->points; k++) strained |= !reference_has_length(s, w, k);
    return strained;
}

/* --- Energy --- */

/* h a of the first point that is not pinned; of strands with roots not of these. */
static const float *first_kick(const reference_strand *s, const reference_world *w, const part *p) {
    uint32_t k = w->def->free_roots ? 0 : 1;
    while (k + 1 < s->points && !reference_moves(s, k)) k++;
    return p->begin.dv[k];
}

static bool only_drags(const reference_world *w) {
    mote_strands_def still = *w->def;
    reference_world rest = *w;
    still.normal_drag = still.tangential_drag = 0, rest.def = &still;
    return reference_has_others(w) && !reference_has_others(&rest);
}

/* Twice the work, more than 0, that drag did in the air. */
static float work_of_drag(const reference_strand *s, const reference_world *w, const part *p) {
    reference_strand middle = *s;
    float work = 0;
    memcpy(middle.x, p->y, sizeof middle.x);
    memcpy(middle.v, p->begin.v, sizeof middle.v);
    for (uint32_t k = 0; k < s->points; k++) {
        float rest[3], drag[3], way[3];
        reference_affine_kick(&middle, w, k, rest);
        for (int i = 0; i < 3; i++) {
            drag[i] = p->begin.dv[k][i] - p->share * rest[i];
            way[i] = (s->x[k][i] - p->begin.x[k][i]) - p->begin.h * w->def->air_velocity[i];
        }
        if (reference_moves(s, k)) work += 1 / s->mass[k] * row_dot(drag, way);
    }
    return larger(work * (2 / p->begin.h), 0);
}

/* Sum of P m . (d0' + d1'): twice the work that the impulses took from the motion, with the d1' that they
 * were made for. */
static void add_impulse_loss(reference_strand *s, const reference_world *w, const part *p) {
    float lost = 0, rate[3];
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        row_between(p->begin.v[k], p->begin.v[k + 1], rate);
        lost += p->impulse[k] * (1 / G) *
                ((2 * G - 1) * row_dot(p->middle[k], rate) - ((G - 0.5f) * p->begin.h) * p->speed[k]);
    }
    if (p->share < 1 && only_drags(w)) lost -= work_of_drag(s, w, p);
    s->deficit += lost;
    s->kicks += row_dot(first_kick(s, w, p), first_kick(s, w, p));
}

/* Twice the work of the first free point's acceleration on the way of the center of mass. */
static float correction_work(const reference_strand *s, const reference_world *w, const part *p,
                             const float before[3]) {
    float after[3], way[3];
    reference_sum_moments(s, after);
    row_between(before, after, way);
    return row_dot(way, first_kick(s, w, p)) * (2 / p->begin.h);
}

/* Robust strands pay for the way up of their corrections. */
static void pay(reference_strand *s, float work) {
    const reference_rigid_motion frame = reference_frame_of(s);
    const float kinetic = reference_kinetic_about(s, &frame), most = kinetic + work;
    if (work < 0) reference_limit_kinetic(s, &frame, kinetic, most < 0 ? 0 : most);
}

/* Pinned points receive the impulses. */
static void react(reference_strand *s, const part *p) {
    for (uint32_t k = 0; k < s->points; k++) {
        float push[3];
        push_on(s, p, k, push);
        for (int axis = 0; axis < 3 && s->mass[k] == 0; axis++) s->reaction[k][axis] += push[axis];
    }
}

/* First order: v = v0 + h a, x = x0 + h v. */
static void predict(reference_strand *s, const part *p) {
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            s->v[k][axis] = p->begin.v[k][axis] + p->begin.dv[k][axis];
            s->x[k][axis] = p->begin.x[k][axis] + p->begin.h * s->v[k][axis];
        }
}

/* Pinned points stand at their goals when the substep is over. */
static void arrive(reference_strand *s) {
    for (uint32_t k = 0; k < s->points; k++)
        if (s->mass[k] == 0) memcpy(s->x[k], s->goal[k], sizeof s->x[k]);
}

/* Outcome of a part. unsplittable: the impulses of its smallest parts, a quarter of them with each halving,
 * are too large as well. */
typedef struct outcome {
    bool unstable, unsplittable, strained;
    uint32_t halvings; /* that the impulses ask for, 1 at least */
} outcome;

static outcome try_part(reference_strand *s, const reference_world *w, part *p, uint32_t units) {
    begin_part(s, w, p, units, 0.5f);
    const bool turns = find_middles(s, p);
    const float stiffness = solve_impulses(s, p);
    const float smallest = (float)(1u << HALVINGS);
    const bool strained = move(s, w, p);
    s->iterations++;
    uint32_t halvings = 1;
    for (float half = stiffness / 4; half > IMPULSE && units << halvings < 1u << HALVINGS; half /= 4)
        halvings++;
    const float most = units == 1 && reference_has_others(w) ? STABLE : IMPULSE;
    return (outcome){turns || most < stiffness, IMPULSE * (smallest * smallest) < stiffness, strained,
                     halvings};
}

/* A part of first order: Newton's corrections of the prediction are velocity, and add no energy. Before it
 * eight iterations at most correct the lengths at the start, if these suffice. */
static void fall_back(reference_strand *s, const reference_world *w, part *p, uint32_t units) {
    const bool whole = units == 1;
    reference_hold_of of = {.gains = false, .from = p->begin.x, .from_v = p->begin.v};
    memcpy(s->x, p->begin.x, sizeof s->x);
    memcpy(s->v, p->begin.v, sizeof s->v);
    bool held = false;
    float moments[3];
    reference_sum_moments(s, moments);
    for (int i = 0; i < 8 && !held; i++) held = reference_iterate(s, w, &of);
    if (!held) memcpy(s->x, p->begin.x, sizeof s->x);
    if (whole) memcpy(s->start, s->x, sizeof s->start);
    const float lift = correction_work(s, w, p, moments);
    begin_part(s, w, p, units, 0.5f);
    predict(s, p);
    if (whole) arrive(s);
    const reference_rigid_motion frame = reference_frame_of(s);
    const float most = reference_kinetic_about(s, &frame);
    of.gains = true, of.rate = whole ? reference_rate(w) : 1 / p->begin.h;
    s->fallbacks++;
    (void)reference_hold(s, w, &of);
    const float less = reference_limit_energy(s, &p->begin, most, lift);
    if (conserves(w)) s->deficit += less;
}

static void advance(reference_strand *s, const reference_world *w, uint32_t units);

/* The first of 2^halvings parts of one of `units` equal parts of the substep, and after it the rest in parts
 * as large as it lets them be. */
static void split(reference_strand *s, const reference_world *w, uint32_t units, uint32_t halvings) {
    if (halvings > 1)
        split(s, w, 2 * units, halvings - 1);
    else
        advance(s, w, 2 * units);
    advance(s, w, 2 * units);
}

/* One of `units` equal parts of the substep, or its two halves where it is too long for impulses. The
 * smallest, and a whole substep without hope, are then of first order. Positions alone get the lengths where
 * impulses did not keep them. */
static void advance(reference_strand *s, const reference_world *w, uint32_t units) {
    part p;
    const outcome o = try_part(s, w, &p, units);
    const bool whole = units == 1, last = units >> HALVINGS;
    if (o.unstable && (last || (whole && o.unsplittable))) {
        fall_back(s, w, &p, units);
    } else if (o.unstable) {
        memcpy(s->x, p.begin.x, sizeof s->x);
        memcpy(s->v, p.begin.v, sizeof s->v);
        split(s, w, units, o.halvings);
    } else {
        float moments[3];
        react(s, &p);
        add_impulse_loss(s, w, &p);
        reference_sum_moments(s, moments);
        if (o.strained) {
            if (whole) memcpy(p.begin.x, s->x, sizeof p.begin.x);
            if (whole) memcpy(p.begin.v, s->v, sizeof p.begin.v);
            const reference_hold_of lengths = {.gains = !whole, .from = p.begin.x, .from_v = p.begin.v};
            (void)reference_hold(s, w, &lengths);
            const float work = correction_work(s, w, &p, moments);
            if (w->def->solver == MOTE_STRAND_ROBUST) pay(s, work);
            if (p.fast_turn) s->deficit += work;
        }
    }
}

/* The start of the substep, and from it the prediction. */
static void predict_substep(reference_strand *s, const reference_world *w) {
    part p;
    memcpy(s->x, s->start, sizeof s->x);
    memcpy(s->v, s->start_v, sizeof s->v);
    begin_part(s, w, &p, 1, 0);
    predict(s, &p);
    arrive(s);
}

void reference_project(reference_strand *s, const reference_world *w, uint32_t substep) {
    for (int i = 0; i < 8; i++) {
        if (i && s->compliance == 0) reference_project_lengths(s);
        if (!reference_find_contacts(s, w, substep) || !reference_project_contacts(s)) return;
    }
}

void reference_count_strained(reference_strand *s, const reference_world *w) {
    bool strained = false;
    for (uint32_t k = 0; k + 1 < s->points; k++) strained |= !reference_has_length(s, w, k);
    if (s->compliance == 0 && strained) s->unsolved++;
}

/* Takes from the velocity of a point that has left a plane with the normal `left` and is deep behind another
 * one what leads across both. */
static void hold_in_crease(const reference_contact *c, const float left[3], float rate, float v[3]) {
    float still[3], all[3], along[3], second[3];
    for (int i = 0; i < 3; i++) still[i] = rate * c->drift[i], all[i] = v[i] - still[i];
    const float into = row_dot(c->normal, all), cosine = row_dot(c->normal, left);
    for (int i = 0; i < 3; i++) {
        along[i] = all[i] - into * c->normal[i];
        second[i] = left[i] - cosine * c->normal[i];
    }
    const float square = row_dot(second, second);
    const bool crease = 0x1p-20f < square;
    if (!(into < 0 || row_dot(left, all) < 0) || !(crease || cosine < 0)) return;
    const float across = crease ? row_dot(second, along) / larger(square, 0x1p-20f) : 0;
    for (int i = 0; i < 3; i++) along[i] -= across * second[i];
    const float pressed = larger(0 - across, 0) + larger(across * cosine - into, 0),
                share = c->friction * pressed / at_least_short(row_length(along)),
                slows = share < 1 ? share : 1;
    for (int i = 0; i < 3; i++) v[i] = still[i] + (1 - slows) * along[i];
}

/* Points that have left a collider into another one move along both. left: the normals of the first. */
static void hold_in_creases(reference_strand *s, const reference_world *w, uint32_t substep,
                            reference_row *left) {
    (void)reference_find_contacts(s, w, substep);
    for (uint32_t k = 0; k < s->points; k++) {
        const reference_contact *c = &s->contact[k];
        float was[3];
        for (int i = 0; i < 3; i++) was[i] = s->start[k][i] + c->drift[i];
        const bool deep = c->offset - row_dot(c->normal, was) > 0.0625f * reference_segment(s, k);
        if (!deep || !(row_dot(c->normal, c->normal) > 0) || !reference_moves(s, k)) continue;
        hold_in_crease(c, left[k], reference_rate(w), s->v[k]);
        memcpy(s->start_v[k], s->v[k], sizeof s->v[k]);
    }
}

void reference_leave_colliders(reference_strand *s, const reference_world *w, const reference_hold_of *of,
                               uint32_t substep) {
    const uint32_t unsolved = s->unsolved;
    reference_row reaction[REFERENCE_POINTS], normal[REFERENCE_POINTS];
    memcpy(reaction, s->reaction, sizeof reaction);
    reference_leave_boxes(s, w, substep);
    memcpy(s->x, s->start, sizeof s->x);
    memcpy(s->v, s->start_v, sizeof s->v);
    (void)reference_find_contacts(s, w, substep);
    s->expelled = true;
    const bool solved = reference_hold(s, w, of);
    for (uint32_t k = 0; k < s->points; k++) memcpy(normal[k], s->contact[k].normal, sizeof normal[k]);
    if (!solved || (substep + 1 == w->substeps && s->far)) reference_project(s, w, substep);
    s->rubs = false;
    s->unsolved = unsolved;
    reference_forget_contacts(s);
    memcpy(s->reaction, reaction, sizeof reaction);
    memcpy(s->start, s->x, sizeof s->start);
    memcpy(s->v, s->start_v, sizeof s->v);
    if (w->collider_count > 1) hold_in_creases(s, w, substep, normal);
}

/* Strands that touch a collider, overstretched and compliant ones take a step of first order; so do those
 * that come to touch one by impulses, with the planes that they came near. */
static void constrain(reference_strand *s, const reference_world *w, uint32_t substep) {
    reference_hold_of of = {.compliant = w->compliant,
                            .gains = true,
                            .rate = reference_rate(w),
                            .from = s->start,
                            .from_v = s->start_v};
    const bool soft = of.compliant || s->overstretched;
    reference_row reaction[REFERENCE_POINTS];
    predict_substep(s, w);
    of.contacts = reference_find_contacts(s, w, substep);
    if (of.contacts && s->entered) {
        reference_leave_colliders(s, w, &of, substep);
        predict_substep(s, w);
        of.contacts = reference_find_contacts(s, w, substep);
    }
    if (!soft && !(of.contacts && reference_touches(s, w, substep))) {
        memcpy(reaction, s->reaction, sizeof reaction);
        memcpy(s->x, s->start, sizeof s->x);
        memcpy(s->v, s->start_v, sizeof s->v);
        advance(s, w, 1);
        arrive(s);
        of.contacts = reference_find_contacts(s, w, substep);
        if (!of.contacts || !reference_touches(s, w, substep)) {
            const bool due = substep + 1 == w->substeps || 0.05f * s->kinetic < fabsf(s->deficit);
            if (conserves(w) && due) reference_restore_energy(s);
            return;
        }
        memcpy(s->reaction, reaction, sizeof reaction);
        predict_substep(s, w);
    }
    s->deficit = 0; /* contact takes energy */
    const bool last = substep + 1 == w->substeps;
    const bool solved = reference_hold(s, w, &of);
    const bool gains = of.contacts && (!solved || s->far || reference_gains(s, w));
    if (w->compliant && solved) reference_limit_recoil(s, w);
    if (!w->compliant && (s->overstretched || gains)) reference_limit_push(s, w, 0, solved || !of.contacts);
    if (!solved || (last && of.contacts && s->far))
        reference_project_near(s, w, substep, of.contacts && !w->compliant);
    if (solved && last && of.contacts && s->far) reference_count_strained(s, w);
    if (last) reference_count_buried(s, w, substep);
}

/* Forces act after a drift of h/2, but on strands that take steps of first order; the rest shape of the
 * pose is that of the same time. */
static void kick(reference_strand *s, const reference_world *w, uint32_t substep) {
    reference_row x[REFERENCE_POINTS];
    const bool drifts = !w->compliant && !s->rod;
    const float share = 0.5f, drift = share * (float)reference_substep(w);
    memcpy(x, s->x, sizeof x);
    for (uint32_t k = 0; k < s->points && drifts; k++)
        for (int axis = 0; axis < 3; axis++) s->x[k][axis] += drift * s->v[k][axis];
    reference_kick(s, w, substep, drifts ? (double)share : 0);
    memcpy(s->x, x, sizeof x);
}

void reference_constrained_substep(reference_strand *s, const reference_world *w, uint32_t substep) {
    if (s->frozen) return;
    if (reference_has_others(w)) kick(s, w, substep);
    reference_place(s, w, (double)substep + 1, s->goal);
    reference_find_lead(s, w);
    reference_pinned_velocity(s, w, s->x, s->goal);
    reference_reach_pins(s);
    s->pin_rounding = (float)(0x1p-20 / reference_substep(w)) * s->whole;
    memcpy(s->start, s->x, sizeof s->start);
    memcpy(s->start_v, s->v, sizeof s->start_v);
    if (s->rod)
        reference_rod_substep(s, w, substep);
    else
        constrain(s, w, substep);
}
