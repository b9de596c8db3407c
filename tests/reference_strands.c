/* The plain reference of strands: state, places, the stages of a substep and the contacts of springs. Only
 * the planes of contacts are taken from the engine; they have tests of their own. */
#define REAL float
#include "integrator_template.h"

#include <math.h>

#include "contacts/contact.h"
#include "reference_strand_parts.h"

/* --- State --- */

static void load_root(reference_strand *s, const mote_strands *strands, uint32_t lane) {
    for (int i = 0; i < 7; i++) {
        s->root.from[i] = strands->root_from[i][lane];
        s->root.to[i] = strands->root_to[i][lane];
    }
    s->root.from_tick = strands->root_from_tick[lane];
    s->root.to_tick = strands->root_to_tick[lane];
}

static void load_pins(reference_strand *s, const mote_strands *strands, uint32_t lane) {
    for (uint32_t i = 0; i < strands->range.pins.count; i++) {
        const mote_pin *pin = &strands->range.pins.pins[i];
        if (mote_strands_lane_of(strands, pin->unit, pin->slot) != lane) continue;
        if (s->pin_count == REFERENCE_PINS) abort();
        reference_motion *to = &s->pin[s->pin_count++];
        to->point = (pin->slot - mote_strands_slot_of(strands, lane, 0)) / MOTE_GROUP;
        memcpy(to->from, pin->from, sizeof pin->from);
        memcpy(to->to, pin->to, sizeof pin->to);
        to->from_tick = pin->travel.from_tick, to->to_tick = pin->travel.to_tick;
    }
}

void reference_strand_load(reference_strand *s, const mote_strands *strands, uint32_t number) {
    const uint32_t lane = strands->lane_of_strand[number];
    memset(s, 0, sizeof *s);
    s->points = (uint32_t)strands->points[lane];
    if (s->points > REFERENCE_POINTS) abort();
    s->free_root = strands->def.free_roots;
    s->free_mass = strands->point_inverse_mass[lane];
    s->compliance = strands->compliance[lane];
    s->frozen = strands->frozen[lane];
    for (uint32_t k = 0; k < s->points; k++) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        for (int axis = 0; axis < 3; axis++) {
            s->x[k][axis] = strands->range.x[axis][slot];
            s->v[k][axis] = strands->range.v[axis][slot];
            s->rest[k][axis] = strands->rest_x[axis][slot];
        }
        s->mass[k] = strands->range.inverse_mass[slot];
        s->rest_length[k] = strands->rest_length[slot];
        s->bend_length[k] = strands->bend_length ? strands->bend_length[slot] : 0;
    }
    load_root(s, strands, lane);
    load_pins(s, strands, lane);
}

/* --- Pinned points --- */

static float fraction_of(const reference_motion *m, const reference_world *w, double within) {
    if (m->to_tick <= m->from_tick) return 1;
    double passed = (double)(int64_t)(w->step * w->ticks_per_step - m->from_tick) + within;
    double fraction = passed / (double)(m->to_tick - m->from_tick);
    return (float)(fraction < 0 ? 0 : fraction < 1 ? fraction : 1);
}

static float stands(const reference_motion *m, float fraction, int i) {
    return fraction < 1 ? m->from[i] + fraction * (m->to[i] - m->from[i]) : m->to[i];
}

/* A quaternion of any length as a matrix: its square divides. */
static void place_root(reference_strand *s, const reference_world *w, double within) {
    const float f = fraction_of(&s->root, w, within);
    float at[7];
    for (int i = 0; i < 7; i++) at[i] = stands(&s->root, f, i);
    const float x = at[3], y = at[4], z = at[5], r = at[6], scale = 2 / (((x * x + y * y) + z * z) + r * r);
    const float frame[12] = {
        1 - scale * (y * y + z * z), scale * (x * y - z * r),     scale * (x * z + y * r),     at[0],
        scale * (x * y + z * r),     1 - scale * (x * x + z * z), scale * (y * z - x * r),     at[1],
        scale * (x * z - y * r),     scale * (y * z + x * r),     1 - scale * (x * x + y * y), at[2]};
    memcpy(s->frame, frame, sizeof frame);
}

void reference_turn_by_root(const reference_strand *s, const float b[3], float out[3]) {
    for (int axis = 0; axis < 3; axis++) out[axis] = row_dot(s->frame + 4 * axis, b);
}

void reference_under_root(const reference_strand *s, const float b[3], float out[3]) {
    reference_turn_by_root(s, b, out);
    for (int axis = 0; axis < 3; axis++) out[axis] += s->frame[4 * axis + 3];
}

void reference_place(reference_strand *s, const reference_world *w, double at, reference_row *to) {
    const double within = (double)w->ticks_per_step * (at / (double)w->substeps);
    place_root(s, w, within);
    if (!s->free_root) reference_under_root(s, s->rest[0], to[0]);
    for (uint32_t i = 0; i < s->pin_count; i++) {
        const reference_motion *pin = &s->pin[i];
        const float f = fraction_of(pin, w, within);
        for (int axis = 0; axis < 3; axis++) to[pin->point][axis] = stands(pin, f, axis);
    }
}

double reference_substep(const reference_world *w) { return w->timestep / (double)w->substeps; }

void reference_pinned_velocity(reference_strand *s, const reference_world *w, reference_row *from,
                               reference_row *to) {
    const float rate = (float)(1.0 / reference_substep(w));
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3 && s->mass[k] == 0; axis++)
            s->v[k][axis] = rate * (to[k][axis] - from[k][axis]);
}

/* --- Stages --- */

typedef struct run {
    reference_strand *s;
    const reference_world *w;
    uint32_t substep;
    reference_point_forces applied; /* of the last stage */
} run;

static bool is_springs(const reference_world *w) { return w->def->solver == MOTE_STRAND_SPRINGS; }

static void accelerate(const bodies *b, double time, float weight, row *a) {
    run *r = b->user;
    reference_strand *s = r->s;
    const reference_world *w = r->w;
    const bool alone = reference_alone(w);
    const double at = (double)r->substep + time;
    reference_row within[REFERENCE_POINTS];
    reference_others others = {.forces = b->forces,
                               .force_count = b->force_count,
                               .n = b->count,
                               .time =
                                   w->start_time + ((double)w->step + at / (double)w->substeps) * w->timestep,
                               .x = b->x,
                               .v = b->v,
                               .inverse_mass = b->inverse_mass};
    reference_place(s, w, at, s->x);
    r->applied = reference_forces_within(s, w, is_springs(w));
    const reference_point_forces *p = &r->applied;
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            within[k][axis] =
                is_springs(w) && !alone ? p->force[k][axis] + p->extra[k][axis] : p->extra[k][axis];
            if (s->mass[k] > 0) continue;
            const float impulse = weight * within[k][axis];
            s->reaction[k][axis] += alone ? impulse + p->force[k][axis] : impulse;
        }
    reference_accelerate(&others, within, a);
}

static bodies bodies_of(run *r) {
    const reference_world *w = r->w;
    bodies b = {.integrator = is_springs(w) ? w->integrator : MOTE_SEMI_IMPLICIT_EULER,
                .count = r->s->points,
                .x = r->s->x,
                .v = r->s->v,
                .inverse_mass = r->s->mass,
                .h = reference_substep(w),
                .forces = w->forces,
                .force_count = w->force_count,
                .same_mass = (double)r->s->free_mass,
                .user = r,
                .accelerate = accelerate};
    reference_fold(w->forces, w->force_count, &b.acceleration, &b.newtons);
    return b;
}

void reference_predict(reference_strand *s, const reference_world *w, uint32_t substep) {
    run r = {.s = s, .w = w, .substep = substep};
    const bodies b = bodies_of(&r);
    memcpy(s->start, s->x, sizeof s->x);
    take_substep(&b);
    if (reference_alone(w)) FOR_EACH_FREE(&b) {
            s->x[i][axis] += s->mass[i] * r.applied.shift[i][axis];
            s->v[i][axis] += s->mass[i] * r.applied.force[i][axis];
        }
}

/* --- Contacts of springs --- */

/* The shorter of the segments beside a point; behind the last it is 1 m. */
float reference_segment(const reference_strand *s, uint32_t k) {
    return k ? smaller(s->length[k], s->length[k - 1]) : s->length[k];
}

/* All that the strand does in a substep, and the longest of its points' segments. */
typedef struct swept {
    float low[3], high[3], longest;
} swept;

static swept sweep(const reference_strand *s) {
    swept box = {.longest = 0};
    for (int axis = 0; axis < 3; axis++) box.low[axis] = box.high[axis] = s->x[0][axis];
    for (uint32_t k = 0; k < s->points; k++) {
        for (int axis = 0; axis < 3; axis++) {
            box.low[axis] = smaller(smaller(box.low[axis], s->x[k][axis]), s->start[k][axis]);
            box.high[axis] = larger(larger(box.high[axis], s->x[k][axis]), s->start[k][axis]);
        }
        box.longest = larger(box.longest, reference_segment(s, k));
    }
    return box;
}

/* Whether the ball about the collider stays out of the box: such colliders are not looked at. */
static bool is_far(const swept *box, const reference_world *w, const mote_collider_pose *from,
                   const mote_collider_pose *to) {
    const float ball = to->bound + (0.5f * box->longest + w->def->radius);
    float apart[3];
    for (int axis = 0; axis < 3; axis++) {
        const float over = smaller(to->origin[axis], from->origin[axis]) - box->high[axis];
        const float under = box->low[axis] - larger(to->origin[axis], from->origin[axis]);
        apart[axis] = larger(larger(over, under), 0);
    }
    return ball * ball < row_dot(apart, apart);
}

bool reference_find_contacts(reference_strand *s, const reference_world *w, uint32_t substep) {
    if (w->collider_count == 0) return false;
    const mote_collider_pose *from = w->poses + (size_t)substep * w->collider_count,
                             *to = from + w->collider_count;
    const swept box = sweep(s);
    bool found = false;
    for (uint32_t k = 0; k < s->points; k++) {
        const float *x = s->x[k], *start = s->start[k];
        const wide3 x0 = {start[0], start[1], start[2]}, x1 = {x[0], x[1], x[2]};
        mote_contact c = mote_contact_none();
        c.gap = 0.5f * reference_segment(s, k); /* anything further off is not looked at */
        for (uint32_t i = 0; i < w->collider_count && s->mass[k] > 0; i++)
            if (!is_far(&box, w, &from[i], &to[i]))
                mote_contact_nearest(&c, &from[i], &to[i], x0, x1, w->def->radius, 0);
        const float normal[3] = {c.normal.x, c.normal.y, c.normal.z};
        mote_contact_settle(&c, x1, w->def->friction);
        s->contact[k] = (reference_contact){
            .drift = {c.drift.x, c.drift.y, c.drift.z}, .friction = c.friction, .offset = -1e30f};
        if (!(row_dot(normal, normal) > 0)) continue;
        memcpy(s->contact[k].normal, normal, sizeof normal);
        s->contact[k].offset = c.offset;
        found = true;
    }
    return found;
}

/* Out of the collider, without the speed against it, and with friction by that. */
static void put_out(reference_strand *s, float rate) {
    for (uint32_t k = 0; k < s->points; k++) {
        const reference_contact *c = &s->contact[k];
        const float gap = row_dot(c->normal, s->x[k]) - c->offset;
        if (!(gap < 0)) continue;
        float against[3], along[3];
        for (int axis = 0; axis < 3; axis++) against[axis] = s->v[k][axis] - rate * c->drift[axis];
        const float across = row_dot(c->normal, against), speed = larger(0 - across, 0);
        for (int axis = 0; axis < 3; axis++) along[axis] = against[axis] + (0 - across) * c->normal[axis];
        const float share = smaller(c->friction * speed / at_least_short(row_length(along)), 1);
        for (int axis = 0; axis < 3; axis++) {
            s->x[k][axis] -= gap * c->normal[axis];
            s->v[k][axis] = (s->v[k][axis] + speed * c->normal[axis]) - share * along[axis];
        }
    }
}

/* --- The step --- */

static void spring_substep(reference_strand *s, const reference_world *w, uint32_t substep) {
    reference_row end[REFERENCE_POINTS];
    memcpy(end, s->x, sizeof end);
    reference_place(s, w, (double)substep + 1, end);
    reference_pinned_velocity(s, w, s->x, end);
    reference_predict(s, w, substep);
    reference_place(s, w, (double)substep + 1, s->x);
    if (reference_find_contacts(s, w, substep)) put_out(s, (float)(1.0 / reference_substep(w)));
}

bool reference_is_finite(const reference_strand *s, reference_row *rows) {
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(rows[k][axis])) return false;
    return true;
}

/* A frozen strand stands where the step began and exerts no force. */
static void commit(reference_strand *s, const reference_strand *before) {
    const bool keep = !before->frozen && reference_is_finite(s, s->x) && reference_is_finite(s, s->v);
    if (!keep) {
        memcpy(s->x, before->x, sizeof s->x);
        memcpy(s->v, before->v, sizeof s->v);
        memset(s->reaction, 0, sizeof s->reaction);
    }
    s->frozen = !keep;
    s->max_strain = s->strain_sum = 0;
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        float d[3];
        row_between(s->x[k], s->x[k + 1], d);
        float strain = s->rest_length[k] > 0 ? fabsf(row_length(d) / s->rest_length[k] - 1) : 0;
        if (!isfinite(strain)) strain = 0;
        s->max_strain = larger(s->max_strain, strain);
        s->strain_sum += strain;
    }
}

static void begin(reference_strand *s, const reference_world *w) {
    memset(s->reaction, 0, sizeof s->reaction);
    memcpy(s->length, s->rest_length, sizeof s->length);
    for (uint32_t k = 0; k < s->points; k++) s->contact[k] = (reference_contact){.offset = -1e30f};
    s->iterations = s->unsolved = s->fallbacks = 0;
    s->infeasible = false;
    reference_place(s, w, 0, s->x);
}

void reference_strand_step(reference_strand *s, const reference_world *w, bool first) {
    reference_strand before = *s;
    if (is_springs(w) && first && w->integrator == MOTE_POSITION_VERLET) {
        run r = {.s = s, .w = w};
        const bodies b = bodies_of(&r);
        begin(s, w);
        kick(&b, 0, -0.5 * w->timestep / (double)w->substeps);
        commit(s, &before);
        before = *s;
    }
    begin(s, w);
    for (uint32_t i = 0; i < w->substeps; i++) {
        if (is_springs(w))
            spring_substep(s, w, i);
        else if (w->def->solver == MOTE_STRAND_CONSERVING)
            reference_conserving_substep(s, w, i);
        else
            reference_robust_substep(s, w, i);
    }
    commit(s, &before);
}
