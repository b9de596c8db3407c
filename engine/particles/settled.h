/* Specialised fused kernels for the most common force mixes with uniform mass: attractors and quadratic drags
 * with affine forces, or constant forces and drag. Decisions that fused.h takes at run time for every
 * register are taken before the loop, the constants of the forces are broadcast to all lanes beforehand, and
 * evaluations overlap: 1.3 to 4 times as fast (measured). The arithmetic is that of evaluate.h, without
 * operations that cannot change a bit of the result; plan.c checks the conditions (settled_mix). */
#ifndef MOTE_PARTICLES_SETTLED_H
#define MOTE_PARTICLES_SETTLED_H

#include "particles/fused.h"

/* Largest number of registers that a loop body steps. */
#define SETTLED_UNROLL 3

/* The compile-time constants of an instance. points: number of attractors; 2 for any number. terms:
 * affine forces may read the velocity or the position, and quadratic drag may act. */
typedef struct settled_instance {
    mote_family family;
    uint32_t points;
    bool terms;
    int registers; /* stepped by a loop body */
} settled_instance;

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

/* The inputs of an evaluation. constant, damping, stiffness: of each stage, times kick h. */
typedef struct settled {
    settled_attractor point[MOTE_MAX_SETTLED_ATTRACTORS];
    uint32_t points;
    settled_drag drag[MOTE_MAX_SETTLED_DRAGS];
    uint32_t drags;
    wide inverse_mass;
    bool stiff; /* affine forces read the position */
    wide3 constant[MOTE_MAX_STAGES], damping[MOTE_MAX_STAGES], stiffness[MOTE_MAX_STAGES];
    wide kick_h[MOTE_MAX_STAGES];
} settled;

MOTE_INLINE void settled_make(settled *p, const mote_plan *plan) {
    p->points = p->drags = 0;
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        const float softening = def->as.attractor.softening;
        if (mote_attractor_is(def))
            p->point[p->points++] =
                (settled_attractor){wide3_set(def->as.attractor.centre), wide_set(softening * softening),
                                    wide_set(def->as.attractor.strength)};
        if (mote_quadratic_drag_is(def))
            p->drag[p->drags++] = (settled_drag){wide3_set(def->as.quadratic_drag.velocity),
                                                 wide_set(def->as.quadratic_drag.coefficient)};
    }
    p->inverse_mass = wide_set(plan->inverse_mass);
    p->stiff = plan->stiff_acceleration;
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        const mote_evaluation *e = &plan->evaluation[stage];
        p->constant[stage] = wide3_set(e->acceleration.constant);
        p->damping[stage] = wide3_set(e->acceleration.damping);
        p->stiffness[stage] = wide3_set(e->acceleration.stiffness);
        p->kick_h[stage] = wide_set(e->kick_h);
    }
}

/* Adds the accelerations of quadratic drag to the sums of n registers. */
MOTE_INLINE void settled_add_drags(const settled *p, const mote_lanes *s, wide3 *sum, int n) {
    wide3 force[SETTLED_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) force[u] = wide3_zero();
    MOTE_ROLLED
    for (uint32_t k = 0; k < p->drags; k++) MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        const wide3 relative = wide3_sub(p->drag[k].velocity, s[u].v);
        const wide speed = wide_sqrt(wide3_dot(relative, relative));
        force[u] = wide3_add(force[u], wide3_scale(p->drag[k].coefficient * speed, relative));
    }
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) sum[u] = wide3_add_scaled(sum[u], p->inverse_mass, force[u]);
}

/* Computes the velocity change dv of n registers at one stage. of.points: p->points, or a constant 1 or 0.
 * The acceleration of a single attractor is not added to zero, and damping of 0 is left out: that could
 * change only the sign of a zero, which has no effect in the sum with a constant other than -0. */
MOTE_INLINE void settled_evaluate(const settled *p, settled_instance of, uint32_t stage, const mote_lanes *s,
                                  wide3 *dv) {
    const int n = of.registers;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = p->constant[stage];
    if (of.points == 0 || of.terms) MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = wide3_add(dv[u], wide3_mul(p->damping[stage], s[u].v));
    if (of.points == 0 && !of.terms) return;
    if (of.terms && p->stiff) MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = wide3_add(dv[u], wide3_mul(p->stiffness[stage], s[u].x));
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
            sum[u] = of.points == 1 ? wide3_scale(f[u], d[u]) : wide3_add_scaled(sum[u], f[u], d[u]);
        }
    }
    if (of.terms && p->drags) settled_add_drags(p, s, sum, n);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = wide3_add(dv[u], wide3_scale(p->kick_h[stage], sum[u]));
}

/* Evaluates one stage of n registers and runs it. */
MOTE_INLINE void settled_stage(const mote_plan *plan, const settled *p, settled_instance of, uint32_t stage,
                               mote_lanes *s) {
    wide3 dv[SETTLED_UNROLL];
    settled_evaluate(p, of, stage, s, dv);
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) do_stage(plan, of.family, &s[u], stage, dv[u], NULL);
}

/* Runs one substep. again: under velocity Verlet, the last evaluation of the previous substep, in sum_v, is
 * the first one of this. */
MOTE_INLINE void settled_substep(const mote_plan *plan, const settled *p, settled_instance of, bool again,
                                 mote_lanes *s) {
    if (of.family == MOTE_FAMILY_RUNGE_KUTTA) {
        MOTE_ROLLED
        for (uint32_t stage = 0; stage < plan->stages; stage++) settled_stage(plan, p, of, stage, s);
        return;
    }
    if (!again) settled_stage(plan, p, of, 0, s);
    if (of.family == MOTE_FAMILY_SPLITTING) return;
    if (again) MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) mote_verlet_stage(&s[u], &plan->c, 0, s[u].sum_v);
    settled_stage(plan, p, of, 1, s);
}

/* Sums the state for the check of fused_registers, in pairs for a shorter dependency chain, because the check
 * waits for the sum. */
MOTE_INLINE wide finite_sum(const mote_lanes *s) {
    return ((s->x.x + s->x.y) + (s->x.z + s->v.x)) + (s->v.y + s->v.z);
}

/* Runs all substeps of of.registers registers from slot i on. whole: all their lanes are stepped. Returns
 * false as fused_registers does. */
MOTE_INLINE bool settled_registers(const mote_plan *plan, const settled *p, const mote_span *span,
                                   settled_instance of, bool whole, size_t i) {
    const wide_mask keep = whole ? ~(wide_mask){0} : lanes_to_keep(span, false, (wide){0}, i);
    const int n = of.registers;
    mote_lanes s[SETTLED_UNROLL];
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
            settled_substep(plan, p, of, again, s);
            again = of.family == MOTE_FAMILY_VERLET && plan->reuse;
            watch_path(&path, s, n);
        }
        if (last == 0) break;
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) store_previous(span, &s[u], keep, i + (size_t)u * MOTE_WIDTH);
    }
    wide probe = (wide){0};
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) probe += finite_sum(&s[u]);
    if (!whole) probe = wide_select(keep, probe, (wide){0});
    if (!MOTE_LIKELY(wide_all_finite(probe)) || !MOTE_LIKELY(stays_free(&path))) return false;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        size_t at = i + (size_t)u * MOTE_WIDTH;
        wide3_store(span->x, at, whole ? s[u].x : wide3_select(keep, s[u].x, wide3_load(span->x, at)));
        wide3_store(span->v, at, whole ? s[u].v : wide3_select(keep, s[u].v, wide3_load(span->v, at)));
    }
    return true;
}

/* Begins the only substep for slots [i, i + MOTE_WIDTH): the first evaluation, in sum_v. */
MOTE_INLINE mote_lanes settled_open(const settled *p, settled_instance of, const mote_span *span, size_t i) {
    mote_lanes s;
    s.x = wide3_load(span->x, i);
    s.v = wide3_load(span->v, i);
    settled_evaluate(p, of, 0, &s, &s.sum_v);
    return s;
}

/* Runs the rest of it. Returns false as settled_registers does. */
MOTE_INLINE bool settled_close(const mote_plan *plan, const settled *p, settled_instance of,
                               const mote_span *span, mote_lanes s, size_t i) {
    if (span->previous_x[0]) store_previous(span, &s, ~(wide_mask){0}, i);
    if (of.family == MOTE_FAMILY_SPLITTING)
        mote_splitting_stage(&s, &plan->c, 0, s.sum_v);
    else
        settled_substep(plan, p, of, true, &s);
    free_path path = {.span = span, .first = i};
    watch_path(&path, &s, 1);
    if (!MOTE_LIKELY(wide_all_finite(finite_sum(&s))) || !MOTE_LIKELY(stays_free(&path))) return false;
    wide3_store(span->x, i, s.x);
    wide3_store(span->v, i, s.v);
    return true;
}

/* Arguments for `contain` (contain.h), which steps a register again from memory, step by step. */
typedef struct settled_containment {
    contain_one *one;
    const mote_span *span;
    uint32_t *frozen;
} settled_containment;

/* Runs a single substep, software-pipelined: evaluates each register before it finishes the previous one. The
 * out-of-order window of a processor does not reach far past operations that wait for a square root and a
 * division (measured: 1.35 times as fast as three registers a loop body). Returns the slot at which it ends.
 */
MOTE_INLINE size_t settled_once(const mote_plan *plan, const settled *p, const mote_span *span,
                                settled_instance of, const settled_containment *contain, size_t first,
                                size_t whole) {
    if (first + MOTE_WIDTH > whole) return first;
    mote_lanes half = settled_open(p, of, span, first);
    size_t i = first;
    for (; i + 2 * MOTE_WIDTH <= whole; i += MOTE_WIDTH) {
        mote_lanes next = settled_open(p, of, span, i + MOTE_WIDTH);
        if (!settled_close(plan, p, of, span, half, i)) contain->one(plan, contain->span, i, contain->frozen);
        half = next;
    }
    if (!settled_close(plan, p, of, span, half, i)) contain->one(plan, contain->span, i, contain->frozen);
    return i + MOTE_WIDTH;
}

MOTE_INLINE void settled_run(const mote_plan *plan, const mote_span *span, settled_instance of,
                             contain_one *contain_register, size_t first, size_t end, uint32_t *frozen) {
    const mote_span local = *span;
    const size_t stride = (size_t)of.registers * MOTE_WIDTH, whole = end < local.count ? end : local.count;
    const settled_containment contain = {contain_register, span, frozen};
    settled_instance single = of;
    settled p;
    settled_make(&p, plan);
    if (of.points > 1) of.points = single.points = p.points;
    single.registers = 1;
    size_t i = first;
    for (; i < local.begin && i < whole; i += MOTE_WIDTH)
        if (!settled_registers(plan, &p, &local, single, false, i)) contain_register(plan, span, i, frozen);
    if ((of.points || of.terms) && of.family != MOTE_FAMILY_RUNGE_KUTTA && local.steps == 1 &&
        plan->substeps == 1)
        i = settled_once(plan, &p, &local, single, &contain, i, whole);
    for (; i + stride <= whole; i += stride)
        if (!settled_registers(plan, &p, &local, of, true, i))
            for (int u = 0; u < of.registers; u++)
                contain_register(plan, span, i + (size_t)u * MOTE_WIDTH, frozen);
    for (; i < whole; i += MOTE_WIDTH)
        if (!settled_registers(plan, &p, &local, single, false, i)) contain_register(plan, span, i, frozen);
}

#endif
