/* The plain reference of strands: state, places and the stages of a substep. */
#define REAL float
#include "integrator_template.h"

#include <math.h>

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
        memcpy(to->from_low, pin->from_low, sizeof pin->from_low);
        to->from_tick = pin->travel.from_tick, to->to_tick = pin->travel.to_tick;
    }
}

static void load_rod(reference_strand *s, const mote_strands *strands, uint32_t lane) {
    s->rod = strands->joint_stiffness != NULL, s->framed = strands->frame[0] != NULL;
    if (!s->rod) return;
    const uint32_t root = mote_strands_slot_of(strands, lane, 0);
    for (int i = 0; i < 3; i++) s->root_direction[i] = strands->root_direction[i][lane];
    for (int i = 0; i < 4 && s->framed; i++) s->rest_frame[i] = strands->rest_frame[i][root];
    if (s->framed) s->curl_rate = strands->curl_rate[lane];
    for (uint32_t k = 0; k < s->points; k++) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        s->point_mass[k] = strands->mass[slot], s->joint[k] = strands->joint_stiffness[slot];
        s->inverse_length[k] = strands->inverse_length[slot], s->pull[k] = strands->tension[slot];
        if (s->framed) s->joint_twist[k] = strands->joint_twist[slot];
        if (s->framed) s->joint_across[k] = strands->joint_across[slot];
        for (int i = 0; i < 3 && s->framed; i++) s->rest_turn[k][i] = strands->rest_turn[i][slot];
        for (int i = 0; i < 4 && s->framed; i++) s->rod_frame[k][i] = strands->frame[i][slot];
    }
    s->deficit = s->pull[s->points - 1], s->pull[s->points - 1] = 0;
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
    for (int axis = 0; axis < 3 && strands->origin[0]; axis++) s->origin[axis] = strands->origin[axis][lane];
    for (uint32_t k = 0; k < s->points; k++) {
        const uint32_t slot = mote_strands_slot_of(strands, lane, k);
        for (int axis = 0; axis < 3; axis++) {
            s->x[k][axis] = strands->range.x[axis][slot];
            if (strands->relative_x[0]) s->relative[k][axis] = strands->relative_x[axis][slot];
            s->v[k][axis] = strands->range.v[axis][slot];
            s->rest[k][axis] = strands->rest_x[axis][slot];
            if (strands->friction[0]) s->friction[k][axis] = strands->friction[axis][slot];
        }
        if (strands->pressure) s->pressure[k] = strands->pressure[slot];
        s->mass[k] = strands->range.inverse_mass[slot];
        s->rest_length[k] = strands->rest_length[slot];
    }
    load_rod(s, strands, lane);
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

/* A quaternion of any length as a matrix: its square divides. */
static void place_root(reference_strand *s, const reference_world *w, double within) {
    const float f = fraction_of(&s->root, w, within);
    float at[7];
    for (int i = 0; i < 7; i++) {
        const reference_motion *m = &s->root;
        const float origin = i < 3 ? s->origin[i] : 0;
        at[i] = f < 1 ? (m->from[i] - origin) + f * (m->to[i] - m->from[i]) : m->to[i] - origin;
    }
    memcpy(s->root_rotation, at + 3, sizeof s->root_rotation);
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
        for (int axis = 0; axis < 3; axis++) {
            const double from = (double)pin->from[axis] + (double)pin->from_low[axis],
                         target = (double)pin->to[axis], at_f = from + (double)f * (target - from);
            to[pin->point][axis] = (float)((f < 1 ? at_f : target) - (double)s->origin[axis]);
        }
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
    bool drifted;                   /* the points are at their places of the stage, pinned ones too */
    reference_point_forces applied; /* of the last stage */
} run;

static bool is_springs(const reference_world *w) { return w->def->solver == MOTE_STRAND_SPRINGS; }

static void accelerate(const bodies *b, double time, float weight, row *a) {
    run *r = b->user;
    reference_strand *s = r->s;
    const reference_world *w = r->w;
    const bool alone = reference_alone(w);
    const double at = (double)r->substep + time;
    reference_row within[REFERENCE_POINTS], pinned[REFERENCE_POINTS];
    reference_others others = {.forces = b->forces,
                               .force_count = b->force_count,
                               .n = b->count,
                               .time =
                                   w->start_time + ((double)w->step + at / (double)w->substeps) * w->timestep,
                               .drag_rate = drag_rate(b, 0),
                               .x = b->x,
                               .v = b->v,
                               .inverse_mass = b->inverse_mass};
    reference_place(s, w, at, r->drifted ? pinned : s->x);
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

/* Springs: start = x, then the stages of the substep by the integrator. */
static void run_stages(reference_strand *s, const reference_world *w, uint32_t substep) {
    run r = {.s = s, .w = w, .substep = substep};
    const bodies b = bodies_of(&r);
    memcpy(s->start, s->x, sizeof s->x);
    take_substep(&b);
    if (reference_alone(w)) FOR_EACH_FREE(&b) {
            s->x[i][axis] += s->mass[i] * r.applied.shift[i][axis];
            s->v[i][axis] += s->mass[i] * r.applied.force[i][axis];
        }
}

/* Forces act on places in the world. */
void reference_kick(reference_strand *s, const reference_world *w, uint32_t substep, double share) {
    run r = {.s = s, .w = w, .substep = substep, .drifted = share > 0};
    reference_row world[REFERENCE_POINTS];
    bodies b = bodies_of(&r);
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) world[k][axis] = s->x[k][axis] + s->origin[axis];
    b.x = world;
    evaluate(&b, share, b.h, (float)b.h, s->dv);
}

void reference_affine_kick(const reference_strand *s, const reference_world *w, uint32_t k, float dv[3]) {
    const double h = reference_substep(w);
    reference_affine acceleration, newtons;
    reference_fold(w->forces, w->force_count, &acceleration, &newtons);
    for (int axis = 0; axis < 3; axis++) {
        const float x = s->x[k][axis] + s->origin[axis], v = s->v[k][axis];
        dv[axis] = affine_dv(&acceleration, axis, h, x, v);
        if (reference_acts(&newtons)) dv[axis] += s->mass[k] * affine_dv(&newtons, axis, h, x, v);
    }
}

/* --- The step --- */

static void spring_substep(reference_strand *s, const reference_world *w, uint32_t substep) {
    reference_row end[REFERENCE_POINTS];
    memcpy(end, s->x, sizeof end);
    reference_place(s, w, (double)substep + 1, end);
    reference_pinned_velocity(s, w, s->x, end);
    run_stages(s, w, substep);
    reference_place(s, w, (double)substep + 1, s->x);
    if (reference_find_contacts(s, w, substep)) reference_project_springs_out(s, reference_rate(w));
}

bool reference_is_finite(const reference_strand *s, reference_row *rows) {
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(rows[k][axis])) return false;
    return true;
}

/* Knuth, The Art of Computer Programming 2, 4.2.2, theorem B: what a sum of two floats lost. */
static float lost(float a, float b, float sum) {
    const float part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* Low part of a place: the rest of its rounding to a world float; 0 where the host has written it
 * since: returns whether it has. */
static bool low_part(const reference_strand *s, uint32_t k, float low[3]) {
    bool written = false;
    for (int axis = 0; axis < 3; axis++) {
        const float sum = s->origin[axis] + s->relative[k][axis];
        low[axis] = lost(s->origin[axis], s->relative[k][axis], sum);
        written |= sum != s->x[k][axis];
    }
    if (written) low[0] = low[1] = low[2] = 0;
    return written;
}

/* Relative to the new origin, with what the world's float leaves out. */
static void enter(reference_strand *s, const reference_world *w) {
    if (is_springs(w)) return;
    reference_row low[REFERENCE_POINTS];
    for (uint32_t k = 0; k < s->points; k++)
        if (low_part(s, k, low[k]) || w->collider_count == 0) reference_forget_contact(s, k);
    memcpy(s->origin, s->x[0], sizeof s->origin);
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = s->x[k][axis], apart = x - s->origin[axis];
            s->x[k][axis] = apart + (lost(x, 0 - s->origin[axis], apart) + low[k][axis]);
        }
}

static void leave(reference_strand *s, const reference_world *w) {
    if (is_springs(w)) return;
    memcpy(s->relative, s->x, sizeof s->x);
    for (uint32_t k = 0; k < s->points; k++)
        for (int axis = 0; axis < 3; axis++) s->x[k][axis] += s->origin[axis];
}

static float strain_of(const reference_strand *s, uint32_t k) {
    float d[3];
    row_between(s->x[k], s->x[k + 1], d);
    const float strain = s->rest_length[k] > 0 ? fabsf(row_length(d) / s->rest_length[k] - 1) : 0;
    return isfinite(strain) ? strain : 0;
}

static bool rod_is_finite(const reference_strand *s) {
    bool finite = true;
    for (uint32_t k = 0; k + 1 < s->points && s->rod; k++) {
        finite &= isfinite(s->pull[k]) != 0;
        for (int i = 0; i < 4 && s->framed; i++) finite &= isfinite(s->rod_frame[k][i]) != 0;
    }
    return finite;
}

/* A frozen strand stands where the step began and exerts no force. */
static void commit(reference_strand *s, const reference_world *w, const reference_strand *before) {
    const bool keep =
        !before->frozen && reference_is_finite(s, s->x) && reference_is_finite(s, s->v) && rod_is_finite(s);
    if (!keep) {
        memcpy(s->x, before->x, sizeof s->x);
        memcpy(s->v, before->v, sizeof s->v);
        memcpy(s->origin, before->origin, sizeof s->origin);
        memcpy(s->rod_frame, before->rod_frame, sizeof s->rod_frame);
        memcpy(s->pull, before->pull, sizeof s->pull);
        memcpy(s->friction, before->friction, sizeof s->friction);
        memcpy(s->pressure, before->pressure, sizeof s->pressure);
        memset(s->reaction, 0, sizeof s->reaction);
        enter(s, w);
    }
    s->frozen = !keep;
    s->max_strain = s->strain_sum = 0;
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        s->max_strain = larger(s->max_strain, strain_of(s, k));
        s->strain_sum += strain_of(s, k);
    }
    if (keep) {
        leave(s, w);
    } else {
        memcpy(s->x, before->x, sizeof s->x);
        memcpy(s->origin, before->origin, sizeof s->origin);
    }
}

static void begin(reference_strand *s, const reference_world *w) {
    memset(s->reaction, 0, sizeof s->reaction);
    memcpy(s->length, s->rest_length, sizeof s->length);
    for (uint32_t k = 0; k < s->points; k++) s->contact[k] = (reference_contact){.offset = -1e30f};
    s->iterations = s->unsolved = s->fallbacks = s->buried = 0;
    s->kinetic = s->kicks = 0;
    if (!s->rod || w->collider_count == 0) s->deficit = 0; /* rods owe from step to step */
    s->infeasible = false;
    s->whole = 0;
    for (uint32_t k = 0; k + 1 < s->points; k++) s->whole += s->rest_length[k];
    enter(s, w);
    reference_place(s, w, 0, s->x);
    memcpy(s->arrived, s->root_rotation, sizeof s->arrived);
}

void reference_strand_step(reference_strand *s, const reference_world *w, bool first) {
    reference_strand before = *s;
    if (is_springs(w) && first && w->integrator == MOTE_POSITION_VERLET) {
        run r = {.s = s, .w = w};
        const bodies b = bodies_of(&r);
        begin(s, w);
        kick(&b, 0, -0.5 * w->timestep / (double)w->substeps);
        commit(s, w, &before);
        before = *s;
    }
    begin(s, w);
    for (uint32_t i = 0; i < w->substeps; i++) {
        if (is_springs(w))
            spring_substep(s, w, i);
        else
            reference_constrained_substep(s, w, i);
        reference_forget_contacts(s);
    }
    commit(s, w, &before);
}
