/* Specialised fused kernels for the most common force mixes: attractors and quadratic drags with affine
 * forces, under splitting integrators with a few others; or constant forces and drag with uniform mass.
 * Decisions that fused.h takes at run time for every register are taken before the loop, the constants of the
 * forces are broadcast to all lanes beforehand, and evaluations overlap: 1.3 to 4 times as fast (measured).
 * The arithmetic is that of evaluate.h, without operations that cannot change a bit of the result; plan.c
 * checks the conditions (settled_mix). At the centre of an unsoftened attractor they give what is not finite:
 * the register is contained, and stepped by evaluate.h (a check of their own takes 1.25 times the time of a
 * step towards an attractor; measured). */
#ifndef MOTE_PARTICLES_SETTLED_H
#define MOTE_PARTICLES_SETTLED_H

#include "forces/region.h"
#include "particles/fused.h"

/* Largest number of registers that a loop body steps. */
#define SETTLED_UNROLL 3

/* The compile-time constants of an instance. points: number of attractors; 2 for any number, 0 for constant
 * forces and drag alone. terms: quadratic drags, masses, all affine forces and those that the plan
 * lists may act; else the attractor, constant forces and linear drag do. */
typedef struct settled_instance {
    mote_family family;
    uint32_t points;
    bool terms;
    int registers; /* stepped by a loop body */
    bool fetches;  /* a pass fetches slots ahead of those that it steps (passes.h) */
} settled_instance;

/* Constant forces and drag alone. */
MOTE_INLINE bool settled_is_drag(settled_instance of) { return !of.points && !of.terms; }

/* One attractor, broadcast to all lanes. */
typedef struct settled_attractor {
    wide3 centre;
    wide square_softening, strength;
} settled_attractor;

/* One quadratic drag, likewise. */
typedef struct settled_drag {
    wide3 velocity;
    wide coefficient;
} settled_drag;

/* A constant force in a region: m/s^2, or N. */
typedef struct settled_lift {
    wide3 value;
    const mote_region *region;
    bool newtons;
} settled_lift;

/* The inputs of an evaluation. constant, damping, stiffness: of each stage, times kick h. */
typedef struct settled {
    settled_attractor point[MOTE_MAX_SETTLED_ATTRACTORS];
    uint32_t points;
    settled_drag drag[MOTE_MAX_SETTLED_DRAGS];
    uint32_t drags;
    settled_lift lift[MOTE_MAX_SETTLED_OTHERS];
    wide inverse_mass;
    wide drag_limit[SETTLED_UNROLL]; /* kg/s, of each register of a loop body */
    const float *inverse_masses;     /* NULL: the same for all */
    mote_wide_map map;               /* of an affine map */
    wide3 constant[MOTE_MAX_STAGES], damping[MOTE_MAX_STAGES], stiffness[MOTE_MAX_STAGES];
    wide kick_h[MOTE_MAX_STAGES];
} settled;

MOTE_INLINE wide settled_inverse_mass(const settled *p, size_t i) {
    return p->inverse_masses ? wide_load(p->inverse_masses + i) : p->inverse_mass;
}

/* Sets the limits of quadratic drag on n registers from slot i on. */
MOTE_INLINE void settled_limit_drag(const mote_plan *plan, settled *p, size_t i, int n) {
    MOTE_UNROLLED
    for (int u = 0; u < n; u++)
        p->drag_limit[u] =
            mote_quadratic_drag_limit(plan->drag_rate, settled_inverse_mass(p, i + (size_t)u * MOTE_WIDTH));
}

MOTE_INLINE void settled_make(settled *p, const mote_plan *plan, const float *inverse_masses) {
    p->points = p->drags = 0;
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        const float softening = def->as.attractor.softening;
        if (def->region.shape != MOTE_REGION_EVERYWHERE) continue; /* listed by the plan */
        if (mote_attractor_is(def))
            p->point[p->points++] =
                (settled_attractor){wide3_set(def->as.attractor.centre), wide_set(softening * softening),
                                    wide_set(def->as.attractor.strength)};
        if (mote_quadratic_drag_is(def))
            p->drag[p->drags++] = (settled_drag){wide3_set(def->as.quadratic_drag.velocity),
                                                 wide_set(def->as.quadratic_drag.coefficient)};
    }
    for (uint32_t k = 0; k < plan->lift_count; k++) {
        const mote_force_def *def = plan->lift[k];
        const bool newtons = mote_thrust_is(def);
        const float *value = newtons ? def->as.thrust.force : def->as.gravity.acceleration;
        p->lift[k] = (settled_lift){wide3_set(value), &def->region, newtons};
    }
    p->inverse_mass = wide_set(plan->inverse_mass);
    p->inverse_masses = plan->mass_column ? inverse_masses : NULL;
    if (!p->inverse_masses) settled_limit_drag(plan, p, 0, SETTLED_UNROLL);
    if (plan->scheme->family == MOTE_FAMILY_MAP) p->map = mote_map_set(plan->c.map);
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        const mote_evaluation *e = &plan->evaluation[stage];
        p->constant[stage] = wide3_set(e->acceleration.constant);
        p->damping[stage] = wide3_set(e->acceleration.damping);
        p->stiffness[stage] = wide3_set(e->acceleration.stiffness);
        p->kick_h[stage] = wide_set(e->kick_h);
    }
}

/* Adds the affine forces in N, over the mass, to the velocity changes of n registers from slot i on. */
MOTE_INLINE void settled_add_newtons(const mote_plan *plan, const settled *p, uint32_t stage, size_t i,
                                     const mote_lanes *s, wide3 *dv, int n) {
    const mote_affine_stage *force = &plan->evaluation[stage].force;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++)
        dv[u] = wide3_add_scaled(dv[u], settled_inverse_mass(p, i + (size_t)u * MOTE_WIDTH),
                                 mote_affine_evaluate(force, plan->stiff_force, &s[u]));
}

/* Whether constant forces in regions are evaluated here; else they are called, for the size. */
#define SETTLED_LIFTS(n) ((n) == 1 && MOTE_WIDTH > 4)

/* Adds the constant forces in regions to the sums of a register. */
MOTE_INLINE void settled_add_lifts(const mote_plan *plan, const settled *p, const mote_lanes *s,
                                   wide3 *acceleration, wide3 *force) {
    MOTE_ROLLED
    for (uint32_t k = 0; k < plan->lift_count; k++) {
        const settled_lift *lift = &p->lift[k];
        wide3 *sum = lift->newtons ? force : acceleration;
        *sum = wide3_add(*sum, mote_region_limit(lift->region, s->x, lift->value));
    }
}

/* Calls the forces that the plan lists, without those in regions if they have been evaluated. */
MOTE_OUTLINE void settled_call_all(const mote_plan *plan, bool evaluated, mote_force_point *at, int n,
                                   mote_force_sum *sum) {
    for (uint32_t k = 0; k < plan->lift_count && !evaluated; k++)
        mote_inline_forces(plan->lift[k], 1, false, at, n, sum);
    for (uint32_t k = 0; k < plan->called_count; k++)
        mote_inline_forces(plan->called[k], 1, false, at, n, sum);
}

/* Adds the forces that are called to the sums of n registers. Copies, member by member: what a call can reach
 * is in memory, and clearing it takes longer than a substep. */
MOTE_INLINE void settled_call(const mote_plan *plan, const settled *p, size_t i, const mote_lanes *s,
                              wide3 *acceleration, wide3 *force, int n) {
    mote_force_point at[SETTLED_UNROLL];
    mote_force_sum sum[SETTLED_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        at[u].x = s[u].x, at[u].v = s[u].v;
        at[u].inverse_mass = settled_inverse_mass(p, i + (size_t)u * MOTE_WIDTH);
        at[u].drag_rate = plan->drag_rate;
        sum[u].acceleration = acceleration[u], sum[u].force = force[u];
    }
    settled_call_all(plan, SETTLED_LIFTS(n), at, n, sum);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) acceleration[u] = sum[u].acceleration, force[u] = sum[u].force;
}

/* Computes the quadratic drag of one register u of a loop body. */
MOTE_INLINE wide3 settled_drag_force(const settled *p, uint32_t k, int u, wide3 v) {
    const wide3 relative = wide3_sub(p->drag[k].velocity, v);
    const wide factor = p->drag[k].coefficient * wide_sqrt(wide3_dot(relative, relative));
    return wide3_scale(wide_min(factor, p->drag_limit[u]), relative);
}

/* Adds the accelerations of quadratic drag and, if `lists`, of the forces that the plan lists, to the sums of
 * n registers from slot i on. Where registers are wide, the first drag is not added to zero: that could
 * change only the sign of a zero, which has no effect in a sum that is not -0. */
MOTE_INLINE void settled_add_others(const mote_plan *plan, const settled *p, bool lists, size_t i,
                                    const mote_lanes *s, wide3 *sum, int n) {
    wide3 force[SETTLED_UNROLL];
    const bool first = MOTE_WIDTH > 4 && p->drags;
    if (first) MOTE_UNROLLED
    for (int u = 0; u < n; u++) force[u] = settled_drag_force(p, 0, u, s[u].v);
    else MOTE_UNROLLED for (int u = 0; u < n; u++) force[u] = wide3_zero();
    if (!first || !MOTE_LIKELY(p->drags == 1)) MOTE_ROLLED
    for (uint32_t k = first; k < p->drags; k++) MOTE_UNROLLED
    for (int u = 0; u < n; u++) force[u] = wide3_add(force[u], settled_drag_force(p, k, u, s[u].v));
    const bool lifts = SETTLED_LIFTS(n);
    if (lists && lifts && plan->lift_count) settled_add_lifts(plan, p, s, sum, force);
    if (lists && (plan->called_count || (!lifts && plan->lift_count)))
        settled_call(plan, p, i, s, sum, force, n);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++)
        sum[u] = wide3_add_scaled(sum[u], settled_inverse_mass(p, i + (size_t)u * MOTE_WIDTH), force[u]);
}

/* Computes the affine part of the velocity change dv of n registers from slot i on. Without terms, damping of
 * 0 is left out, and the acceleration of the attractor is not added to zero: that could change only the sign
 * of a zero, which has no effect in the sum with a constant other than -0. */
MOTE_INLINE void settled_affine(const mote_plan *plan, const settled *p, settled_instance of, uint32_t stage,
                                size_t i, const mote_lanes *s, wide3 *dv) {
    const int n = of.registers;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = p->constant[stage];
    if (of.family == MOTE_FAMILY_SPLITTING || of.terms || plan->damped_acceleration) MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = wide3_add(dv[u], wide3_mul(p->damping[stage], s[u].v));
    if (of.terms && plan->stiff_acceleration) MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = wide3_add(dv[u], wide3_mul(p->stiffness[stage], s[u].x));
    if (of.terms && plan->affine_force) settled_add_newtons(plan, p, stage, i, s, dv, n);
}

/* Computes the velocity change dv of n registers from slot i on at one stage. of.points: p->points, or a
 * constant 1 or 0. */
MOTE_INLINE void settled_evaluate(const mote_plan *plan, const settled *p, settled_instance of,
                                  uint32_t stage, size_t i, const mote_lanes *s, wide3 *dv) {
    const int n = of.registers;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = wide3_zero();
    if (FOLDS_AFFINE(of.family) && !of.terms) settled_affine(plan, p, of, stage, i, s, dv);
    if (settled_is_drag(of)) return;
    wide3 sum[SETTLED_UNROLL], d[SETTLED_UNROLL];
    wide f[SETTLED_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) sum[u] = wide3_zero();
    MOTE_ROLLED
    for (uint32_t k = 0; k < of.points; k++) {
        const settled_attractor *point = &p->point[k];
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) {
            d[u] = wide3_sub(point->centre, s[u].x);
            f[u] = wide3_dot(d[u], d[u]) + point->square_softening;
            f[u] = point->strength / (f[u] * wide_sqrt(f[u]));
            sum[u] = !of.terms ? wide3_scale(f[u], d[u]) : wide3_add_scaled(sum[u], f[u], d[u]);
        }
    }
    if (of.terms && (p->drags || plan->lift_count || plan->called_count))
        settled_add_others(plan, p, of.family == MOTE_FAMILY_SPLITTING, i, s, sum, n);
    if (FOLDS_AFFINE(of.family) && of.terms) settled_affine(plan, p, of, stage, i, s, dv);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        const wide3 kick = wide3_scale(p->kick_h[stage], sum[u]);
        dv[u] = FOLDS_AFFINE(of.family) ? wide3_add(dv[u], kick) : kick;
    }
}

/* Evaluates one stage of n registers and runs it. */
MOTE_INLINE void settled_stage(const mote_plan *plan, const settled *p, settled_instance of, uint32_t stage,
                               size_t i, mote_lanes *s) {
    wide3 dv[SETTLED_UNROLL];
    settled_evaluate(plan, p, of, stage, i, s, dv);
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) do_stage(plan, of.family, &s[u], stage, dv[u], &p->map);
}

/* Runs one substep. again: under velocity Verlet, the last evaluation of the previous substep, in sum_v, is
 * the first one of this. */
MOTE_INLINE void settled_substep(const mote_plan *plan, const settled *p, settled_instance of, bool again,
                                 size_t i, mote_lanes *s) {
    if (of.family == MOTE_FAMILY_VERLET) {
        if (!again) settled_stage(plan, p, of, 0, i, s);
        if (again) MOTE_UNROLLED
        for (int u = 0; u < of.registers; u++) mote_verlet_stage(&s[u], &plan->c, 0, s[u].sum_v);
        settled_stage(plan, p, of, 1, i, s);
        return;
    }
    if (!settled_is_drag(of)) MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) begin_substep(plan, of.family, &s[u], &p->map);
    const uint32_t stages = settled_is_drag(of) ? 1 : plan->stages;
    MOTE_ROLLED
    for (uint32_t stage = 0; stage < stages; stage++) settled_stage(plan, p, of, stage, i, s);
}

/* Sums the state for the check of fused_registers, in pairs for a shorter dependency chain, because the check
 * waits for the sum. */
MOTE_INLINE wide finite_sum(const mote_lanes *s) {
    return ((s->x.x + s->x.y) + (s->x.z + s->v.x)) + (s->v.y + s->v.z);
}

/* Whether all lanes of a register are stepped. inside: they are in the span. */
MOTE_INLINE bool settled_steps_all(const settled *p, settled_instance of, bool inside) {
    return inside && !(of.terms && p->inverse_masses);
}

MOTE_INLINE wide_mask settled_lanes(const settled *p, settled_instance of, const mote_span *span, bool inside,
                                    size_t i) {
    if (settled_steps_all(p, of, inside)) return ~(wide_mask){0};
    return lanes_to_keep(span, of.terms && p->inverse_masses, i);
}

/* Checks and stores a register. Returns false, and stores nothing, if a state is not finite or leaves the
 * free path. */
MOTE_INLINE bool settled_store(const settled *p, const mote_span *span, settled_instance of, bool inside,
                               const free_path *path, const mote_lanes *s, size_t i) {
    const bool all = settled_steps_all(p, of, inside);
    wide probe = (wide){0};
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) {
        const wide sum = finite_sum(&s[u]);
        if (all)
            probe += sum;
        else
            probe +=
                wide_select(settled_lanes(p, of, span, inside, i + (size_t)u * MOTE_WIDTH), sum, (wide){0});
    }
    if (!MOTE_LIKELY(wide_all_finite(probe)) || !MOTE_LIKELY(stays_free(path))) return false;
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) {
        const size_t at = i + (size_t)u * MOTE_WIDTH;
        wide3 x = s[u].x, v = s[u].v;
        if (!all) {
            const wide_mask keep = settled_lanes(p, of, span, inside, at);
            x = wide3_select(keep, x, wide3_load(span->x, at));
            v = wide3_select(keep, v, wide3_load(span->v, at));
        }
        wide3_store(span->x, at, x);
        wide3_store(span->v, at, v);
    }
    return true;
}

/* Runs all substeps of of.registers registers from slot i on. inside: all their lanes are in the span.
 * Returns false as fused_registers does. */
MOTE_INLINE bool settled_registers(const mote_plan *plan, settled *p, const mote_span *span,
                                   settled_instance of, bool inside, size_t i) {
    const int n = of.registers;
    mote_lanes s[SETTLED_UNROLL];
    if (of.terms && p->drags && p->inverse_masses) settled_limit_drag(plan, p, i, n);
    bool again = false;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        size_t at = i + (size_t)u * MOTE_WIDTH;
        s[u] = (mote_lanes){.x = wide3_load(span->x, at), .v = wide3_load(span->v, at)};
    }
    free_path path = {.span = span, .first = i};
    uint64_t left = (uint64_t)span->steps * plan->substeps, last = span->previous_x[0] ? plan->substeps : 0;
    for (;; last = 0) {
        for (; left > last; left--) {
            settled_substep(plan, p, of, again, i, s);
            again = of.family == MOTE_FAMILY_VERLET && plan->reuse;
            watch_path(&path, s, n);
        }
        if (last == 0) break;
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) {
            const size_t at = i + (size_t)u * MOTE_WIDTH;
            store_previous(span, &s[u], settled_lanes(p, of, span, inside, at), at);
        }
    }
    return settled_store(p, span, of, inside, &path, s, i);
}

#endif
