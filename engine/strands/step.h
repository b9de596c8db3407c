/* Parts of a substep of a lane group of strands: contacts of springs, the explicit part of constraints, and
 * Newton's method for lengths and contacts. */
#ifndef MOTE_STRANDS_STEP_H
#define MOTE_STRANDS_STEP_H

#include "strands/contact.h"
#include "strands/impulse.h"
#include "strands/rod.h"
#include "strands/solve.h"
#include "strands/stage.h"

/* --- Springs --- */

MOTE_OUTLINE void keep_start(const strand_work *w) {
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH)
        work_store3(&w->c, WORK_START, at, work_load3(&w->c, WORK_X, at));
}

/* Finds the planes of paths whose patches are known. */
MOTE_OUTLINE bool find_planes(const strand_work *w, uint32_t substep, size_t lane) {
    return find_contacts(w, substep, lane);
}

MOTE_INLINE bool near_colliders(const strand_work *w, uint32_t substep, size_t lane) {
    w->c.contacts->way = STRAND_CONTACT_REACH * longest_way(w, substep);
    find_patches(&w->c, lane);
    return find_planes(w, substep, lane);
}

MOTE_OUTLINE void resolve_contacts(const strand_work *w, uint32_t substep) {
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
        if (near_colliders(w, substep, lane)) project_springs_out(w, lane);
}

/* --- Constraints --- */

/* Returns whether all lanes take steps of first order. */
MOTE_INLINE bool job_is_soft(const mote_strand_job *job) {
    return job->strands->compliant || job->strands->joint_stiffness;
}
MOTE_INLINE bool is_soft(const strand_work *w) { return job_is_soft(w->job); }

/* Returns the share of the substep before the place at which its forces act. */
MOTE_INLINE float share_before_forces(const mote_strand_job *job) { return job_is_soft(job) ? 0 : 0.5f; }
MOTE_INLINE wide drift_before_forces(const strand_work *w) {
    return wide_set(share_before_forces(w->job)) * wide_set(w->job->plan->c.h);
}

/* Returns the time of the forces of a stage as a share of the substep. Constraints have one stage. */
MOTE_INLINE double stage_share(const mote_strand_job *job, uint32_t stage) {
    const bool springs = job->strands->def.solver == MOTE_STRAND_SPRINGS;
    return springs ? job->plan->scheme->time[stage] : (double)share_before_forces(job);
}

MOTE_INLINE double stage_time(const strand_work *w, uint32_t substep, uint32_t stage) {
    return mote_plan_time(w->job->plan, w->job->step, substep, stage_share(w->job, stage));
}

/* Returns the place of a point after the drift; of a pinned one, with the velocity of its last substep. */
MOTE_INLINE wide3 place_of_forces(strand_point a, wide drift) { return wide3_add_scaled(a.x, drift, a.v); }

/* Moves the points to the places at which callbacks and links act, roots and pins exactly; WORK_START keeps
 * the places before. Where neither does, kick_all finds these places. */
MOTE_INLINE void drift_to_forces(strand_work *w, uint32_t substep) {
    const strand_columns *c = &w->c;
    const wide drift = drift_before_forces(w);
    for (size_t at = 0; at < strand_at(w->points, 0); at += MOTE_WIDTH) {
        const strand_point a = work_point(c, at);
        work_store3(c, WORK_START, at, a.x);
        const wide_mask free = wide_less((wide){0}, point_mass(c, at));
        work_store3(c, WORK_X, at, wide3_select(free, place_of_forces(a, drift), a.x));
    }
    if (w->moves) place(w, WORK_X, ticks_within(w, substep, (double)share_before_forces(w->job)));
}

/* Loads a point at the place at which forces other than callbacks and links act, which so have the same bits
 * with them and without them. */
MOTE_INLINE strand_point point_of_forces(const strand_work *w, wide drift, size_t at) {
    strand_point a = work_point(&w->c, at);
    if (is_soft(w)) return a;
    if (w->callbacks) a.x = work_load3(&w->c, WORK_START, at);
    a.x = place_of_forces(a, drift);
    return a;
}

MOTE_INLINE float drag_coefficient(const mote_strands_def *def) {
    return def->normal_drag < def->tangential_drag ? def->tangential_drag : def->normal_drag;
}

/* Returns the length of a segment in air: less than its own where that has more drag than stops one of its
 * ends within the substep, so that no substep turns a speed round. */
MOTE_OUTLINE wide length_in_air(const strand_work *w, wide rest, size_t at) {
    const wide mobility = wide_max(point_mass(&w->c, at), point_mass(&w->c, at + MOTE_GROUP)),
               share =
                   wide_set(w->job->plan->c.h * drag_coefficient(&w->job->strands->def)) * rest * mobility;
    return rest / wide_max(wide_set(1.0f), share);
}

/* Stores the drag (N) on all points in IMPULSE_DV. root_v: velocity of the roots. The kicks are found
 * by another sweep: in one that does both, the processor waits for the chain of operations of each
 * point (measured: hair has 0.92 of the speed). */
MOTE_OUTLINE void drag_all(const strand_work *w, wide3 root_v, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const mote_strands_def *def = &w->job->strands->def;
    const wide drift = drift_before_forces(w);
    const wide_mask counts = wide_mask_load(c->counts + lane);
    wide3 behind = wide3_zero();
    const wide3 root_x = work_load3(c, w->callbacks && !is_soft(w) ? WORK_START : WORK_X, lane);
    strand_point b = {root_x, root_v};
    if (!is_soft(w)) b.x = place_of_forces(b, drift);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_point a = b;
        b = point_of_forces(w, drift, at + MOTE_GROUP);
        wide rest = wide_load(c->rest_length + at);
        if (w->drag_stops) rest = length_in_air(w, rest, at);
        const segment_drag drag = drag_of_segment(def, a, b, rest, lanes_beyond(counts, k + 1));
        work_store3(c, IMPULSE_DV, at, wide3_add(drag.first, behind));
        behind = drag.second;
    }
    work_store3(c, IMPULSE_DV, strand_at(c->points - 1, lane), wide3_add(wide3_zero(), behind));
}

/* Stores h a of all points in IMPULSE_DV, of all forces, and adds the forces inside the strand on pinned
 * points to their reaction. */
MOTE_INLINE void kick_all(const strand_work *w, const strand_place *p) {
    const strand_columns columns = w->c, *c = &columns;
    const mote_coupled_affine own = mote_coupled_affine_of(w->job->plan, 0);
    const mote_coupled_instance of = {
        .family = MOTE_FAMILY_SPLITTING, .others = true, .callbacks = p->callbacks};
    const mote_strands_def *def = &w->job->strands->def;
    const bool drags = def->normal_drag != 0 || def->tangential_drag != 0;
    const wide drift = drift_before_forces(w);
    if (drags) drag_all(w, work_load3(c, WORK_V, p->lane), p->lane);
    for (uint32_t k = 0; k < columns.points; k++) {
        const size_t at = strand_at(k, p->lane);
        const strand_point a = point_of_forces(w, drift, at);
        wide3 force = drags ? work_load3(c, IMPULSE_DV, at) : wide3_zero();
        if (def->pose_stiffness != 0) force = wide3_add(force, global_pose(w, a, at, p->lane));
        const mote_lanes s = {.x = a.x, .v = a.v};
        work_store3(c, IMPULSE_DV, at, strand_kick(c, &own, of, p, &s, force, at));
        if (k == 0 || columns.pins)
            add_reaction(c, point_mass(c, at), wide3_scale(wide_set(w->job->plan->c.h), force), at);
    }
}

/* Implicit spring of stiffness k and damping b over h: C + (b/k) C' = T / (h^2 k) with C' = (C - C0) / h,
 * where T is the tension times h^2. compliance: factor of T; memory: factor of C0. */
typedef struct strand_softness {
    wide compliance, memory;
} strand_softness;

MOTE_INLINE strand_softness soften(wide compliance, float damping, double h) {
    wide ratio = wide_set((float)((double)damping / h)) * compliance;
    wide share = wide_set(1.0f) / (wide_set(1.0f) + ratio);
    return (strand_softness){wide_set((float)(1.0 / (h * h))) * compliance * share, ratio * share};
}

/* Parts of an instance of the solver. gains: corrections of positions, over h, are velocity. */
typedef struct strand_parts_of {
    bool compliant, contacts, gains;
    bool rods;
} strand_parts_of;

/* Terms of a solve; h: s, of the whole substep. The rate and the columns of the start are set by the caller.
 */
MOTE_INLINE strand_terms make_terms(const strand_work *w, strand_parts_of of, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const double h = w->job->plan->h;
    const float limit = strands->def.max_strain;
    strand_softness own = soften(wide_load(strands->compliance + w->lane + lane), strands->def.damping, h);
    strand_terms t = {.compliance = own.compliance, .memory = own.memory};
    t.counts = wide_mask_load(w->c.counts + lane);
    t.slack = wide_set(limit);
    t.rounding = wide_set(STRAND_ROUNDING) * wide_load(w->length + lane);
    t.high = wide_set((1 + limit) * (1 + limit));
    t.low = wide_set(limit < 1 ? (1 - limit) * (1 - limit) : 0.0f);
    t.step = wide_set((float)h), t.inverse_step = wide_set((float)(1.0 / h));
    t.rate = wide_set(of.gains ? (float)(1.0 / h) : 0.0f);
    t.start = WORK_START, t.start_v = IMPULSE_OLD_V;
    t.compliant = of.compliant, t.contacts = of.contacts, t.gains = of.gains;
    t.keeps_tension = of.rods;
    return t;
}

/* Clears the tensions and stores the strains at the start of the substep. */
MOTE_INLINE void relax(const strand_columns *c, size_t lane) {
    wide3 a = work_load3(c, WORK_START, lane);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 b = work_load3(c, WORK_START, at + MOTE_GROUP), d = wide3_sub(b, a);
        work_store(c, WORK_TENSION, at, (wide){0});
        work_store(c, WORK_STRAIN, at, wide_sqrt(wide3_dot(d, d)) - work_load(c, WORK_LENGTH, at));
        a = b;
    }
}

MOTE_INLINE wide_mask finite_column3(const strand_columns *c, int id, size_t lane) {
    wide probe = (wide){0};
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP)
        probe += wide3_finite_probe(work_load3(c, id, at));
    return wide_equal(probe, (wide){0});
}

/* Returns the lanes in which no point moved more than four strand lengths relative to the root. */
MOTE_INLINE wide_mask stayed(const strand_columns *c, int start, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide3 root = wide3_sub(work_load3(c, WORK_X, lane), work_load3(c, start, lane));
    wide total = (wide){0}, furthest = (wide){0};
    wide_mask finite = ~(wide_mask){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        total += wide_select(lanes_beyond(counts, k + 1), work_load(c, WORK_LENGTH, at), (wide){0});
        wide3 moved = wide3_sub(wide3_sub(work_load3(c, WORK_X, at), work_load3(c, start, at)), root);
        wide square = wide_select(lanes_beyond(counts, k), wide3_dot(moved, moved), (wide){0});
        finite &= wide_equal(square * 0.0f, (wide){0});
        furthest = wide_max(furthest, square);
    }
    return finite & ~wide_less(16.0f * total * total, furthest);
}

/* Reverts diverged strands to the start of the substep. Strands that began with a non-finite velocity keep
 * their state; commit_lanes freezes them. */
MOTE_OUTLINE void revert_diverged(const strand_columns *c, const strand_terms *t, wide_mask lanes,
                                  size_t lane) {
    const wide_mask diverged = lanes & ~stayed(c, t->start, lane) & finite_column3(c, t->start_v, lane),
                    counts = wide_mask_load(c->counts + lane);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        wide_mask revert = diverged & (wide_less((wide){0}, point_mass(c, at)) | ~lanes_beyond(counts, k));
        work_store3(c, WORK_X, at,
                    wide3_select(revert, work_load3(c, t->start, at), work_load3(c, WORK_X, at)));
    }
}

/* Limits the velocity of strands whose lengths were projected to the speed with which their points moved: the
 * projection adds no speed. */
MOTE_OUTLINE void limit_velocity(const strand_columns *c, const strand_terms *t, wide_mask lanes,
                                 size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 v = work_load3(c, WORK_V, at),
                    way = wide3_sub(work_load3(c, WORK_X, at), work_load3(c, t->start, at)),
                    moved = wide3_scale(t->rate, way);
        const wide_mask free = wide_less((wide){0}, point_mass(c, at)) & lanes_beyond(counts, k);
        const wide_mask slower = ~wide_less(wide3_dot(v, v), wide3_dot(moved, moved));
        work_store3(c, WORK_V, at, wide3_select(lanes & free & slower, moved, v));
    }
}

/* Fallback: projects each segment of the strands in `lanes` to its rest length, from root to tip, in its
 * present direction (follow the leader). Lengths are exact for any state; momentum is not conserved. */
MOTE_OUTLINE void project_lengths(const strand_columns *c, wide_mask lanes, size_t lane) {
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
        wide3 a = work_load3(c, WORK_X, at), b = work_load3(c, WORK_X, next), d = wide3_sub(b, a);
        wide length = wide_max(wide_sqrt(wide3_dot(d, d)), wide_set(STRAND_SHORTEST));
        wide3 projected = wide3_add_scaled(a, work_load(c, WORK_LENGTH, at) / length, d);
        work_store3(c, WORK_X, next,
                    wide3_select(lanes & wide_less((wide){0}, point_mass(c, next)), projected, b));
    }
}

/* Clears the tensions of rods whose lengths were not solved: they would act as forces in the next substep. */
MOTE_OUTLINE void forget_tensions(const strand_columns *c, wide_mask lanes, size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP)
        work_store(c, WORK_TENSION, at, wide_select(lanes, (wide){0}, work_load(c, WORK_TENSION, at)));
}

/* Iterations within which points hardly move beyond their reach into a collider: of 1,152,000 frames of ropes
 * that a sphere, capsule or box passes at 1 to 16 m/s one or none ends with a point more than 1 mm inside
 * (measured; 22 without the search after more iterations, up to 55 mm). */
#define STRAND_NEAR_SOLVES 2

/* Newton's method for the live strands from `lane` on. t: rate and columns of the start are set. Returns the
 * strands that it did not solve: their lengths are projected. */
MOTE_INLINE wide_mask hold_lengths(const strand_work *w, strand_parts_of of, strand_terms t, wide_mask live,
                                   size_t lane) {
    mote_strands *strands = w->job->strands;
    const strand_columns columns = w->c;
    const wide_mask all = live;
    const wide rate = t.rate;
    /* Lengths that follow points out of the collider in which the root is give no velocity. */
    if (of.contacts) t.rate = wide_select(wide_mask_load(columns.contacts->expelled), (wide){0}, t.rate);
    if (of.compliant) relax(&columns, lane);
    if (of.contacts) wide_mask_store(columns.contacts->far, (wide_mask){0});
    for (uint32_t i = t.done; i < strands->def.max_iterations; i++) {
        if (of.contacts && i == STRAND_NEAR_SOLVES) wide_mask_store(columns.contacts->far, live);
        count_lanes(strands->iterations + w->lane + lane, live);
        t.everyone = wide_all(live);
        t.again = i > 0;
        live = newton(&columns, &t, live, lane);
        if (wide_lane_bits(live) == 0) break;
    }
    if (of.contacts) keep_contacts(&columns, &t, all, all & ~live, lane);
    if (wide_lane_bits(live) == 0) return live;
    /* Strands that did not converge: reverts diverged ones, then projects the lengths of rigid ones. */
    count_lanes(strands->unsolved + w->lane + lane, live);
    revert_diverged(&columns, &t, live, lane);
    project_lengths(&columns, live & wide_equal(wide_load(strands->compliance + w->lane + lane), (wide){0}),
                    lane);
    if (of.rods) forget_tensions(&columns, live, lane);
    t.rate = rate;
    if (of.gains) limit_velocity(&columns, &t, live & wide_less((wide){0}, t.rate), lane);
    return live;
}

/* First order: solves the strands whose prediction is in WORK_X and WORK_V. Instances out of line, so that
 * each has its own register allocation. */
#define HOLD(name, of_compliant, of_contacts)                                                                \
    MOTE_OUTLINE wide_mask name(const strand_work *w, wide_mask live, size_t lane) {                         \
        const strand_parts_of of = {.compliant = of_compliant, .contacts = of_contacts, .gains = true};      \
        return hold_lengths(w, of, make_terms(w, of, lane), live, lane);                                     \
    }
HOLD(hold_rigid, false, false)
HOLD(hold_rigid_contacts, false, true)
HOLD(hold_compliant, true, false)
#undef HOLD

/* Compliant strands and rods near colliders: one instance, for its size. */
MOTE_OUTLINE wide_mask hold_other_contacts(const strand_work *w, wide_mask live, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const strand_parts_of of = {.compliant = strands->compliant,
                                .contacts = true,
                                .gains = true,
                                .rods = strands->joint_stiffness != NULL};
    return hold_lengths(w, of, make_terms(w, of, lane), live, lane);
}

MOTE_INLINE wide_mask hold(const strand_work *w, bool contacts, wide_mask live, size_t lane) {
    const bool rods = w->job->strands->joint_stiffness, compliant = w->job->strands->compliant;
    if (rods || (compliant && contacts)) return hold_other_contacts(w, live, lane);
    return (compliant ? hold_compliant : contacts ? hold_rigid_contacts : hold_rigid)(w, live, lane);
}

/* Corrects the lengths of the lanes in the positions alone. IMPULSE_FROM holds the places before. */
MOTE_OUTLINE void correct_lengths(const strand_work *w, wide_mask live, size_t lane) {
    const strand_parts_of of = {.gains = false};
    strand_terms t = make_terms(w, of, lane);
    t.start = IMPULSE_FROM, t.start_v = WORK_V;
    (void)hold_lengths(w, of, t, live, lane);
}

/* Ends a part of a substep: the lanes of `first` take a step of first order of length p->h, the others only
 * correct their lengths. */
MOTE_OUTLINE void hold_part(const strand_work *w, const strand_part *p, wide_mask live, wide_mask first,
                            size_t lane) {
    const strand_parts_of of = {.gains = true};
    strand_terms t = make_terms(w, of, lane);
    t.rate = wide_select(first, wide_set(1.0f) / p->h, (wide){0});
    t.start = IMPULSE_FROM, t.start_v = IMPULSE_FROM_V;
    (void)hold_lengths(w, of, t, live, lane);
}

/* Stores the scaled rest lengths of the segments from offset `first` to `last` of one lane. */
static inline void copy_lengths(const strand_work *w, size_t first, size_t last, float scale) {
    for (size_t at = first; at < last; at += MOTE_GROUP)
        *work_lane(&w->c, WORK_LENGTH, at) = w->c.rest_length[at] * scale;
}

/* Lengthens the segments between two pins to 1.002 times the pins' distance where they are shorter in sum,
 * because there is no solution otherwise; of rods to the distance, because a straight rod cannot take more:
 * no tension is right there, and the one kept from substep to substep, which would only grow, begins anew.
 * Compliant strands need no lengthening. Marked overstretched are ropes whose pins move in the substep, since
 * their lengths hold at its end, not in its parts, and rods beyond their length whose pins change their
 * distance. */
MOTE_OUTLINE void reach_pins(strand_work *w) {
    mote_strands *strands = w->job->strands;
    memset(w->overstretched, 0, sizeof w->overstretched);
    for (uint32_t i = 0; i < w->group->span_count; i++) {
        const mote_span_of_pins *span = &strands->spans[w->group->first_span + i];
        const size_t first = span->first_slot - w->slot, last = span->last_slot - w->slot;
        const bool rod = strands->joint_stiffness != NULL;
        float square = 0, start_square = 0;
        bool moves = false;
        for (int axis = 0; axis < 3; axis++) {
            const int to = IMPULSE_GOAL + axis, from = WORK_X + axis;
            const float x[2] = {*work_lane(&w->c, to, first), *work_lane(&w->c, to, last)},
                        start[2] = {*work_lane(&w->c, from, first), *work_lane(&w->c, from, last)};
            square += (x[1] - x[0]) * (x[1] - x[0]);
            start_square += (start[1] - start[0]) * (start[1] - start[0]);
            moves |= x[1] != start[1] || x[0] != start[0];
        }
        const float distance = __builtin_sqrtf(square), longest = span->rest_length * 1.00001f,
                    grows = distance - __builtin_sqrtf(start_square), rounding = 1e-5f * span->rest_length;
        if (rod) moves = distance > longest && (grows > rounding || grows < -rounding);
        const float slack = rod ? 1 : 1.002f;
        if (strands->compliance[span->lane] > 0 || !(distance * slack > span->rest_length)) {
            copy_lengths(w, first, last, 1);
            continue;
        }
        copy_lengths(w, first, last, span->rest_length > 0 ? slack * distance / span->rest_length : 1);
        for (size_t at = first; rod && at < last; at += MOTE_GROUP) *work_lane(&w->c, WORK_TENSION, at) = 0;
        if (moves) w->overstretched[span->lane % MOTE_GROUP] = -1;
        if (distance > longest) strands->infeasible[span->lane] = 1;
    }
}

#endif
