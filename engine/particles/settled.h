/* Specialised fused kernels for the most common force mixes with uniform mass: attractors and constant
 * forces, or constant forces and drag. Decisions that fused.h takes at run time for every register are taken
 * before the loop, the constants of the forces are broadcast to all lanes beforehand, and evaluations
 * overlap. Measured against fused.h: attractors 1.9 times as fast with one substep, 1.4 with eight; drag 1.1
 * and 1.2. The arithmetic is that of evaluate.h, without operations that cannot change a bit of the result;
 * plan.c checks the conditions (is_constant). */
#ifndef MOTE_PARTICLES_SETTLED_H
#define MOTE_PARTICLES_SETTLED_H

#include "particles/fused.h"

/* Largest number of registers that a loop body steps. */
#define SETTLED_UNROLL 3

/* The compile-time constants of an instance. points: number of attractors; 2 for any number. */
typedef struct settled_instance {
    mote_family family;
    uint32_t points;
    int registers; /* stepped by a loop body */
} settled_instance;

/* One attractor, broadcast to all lanes. */
typedef struct settled_attractor {
    wide3 centre;
    wide square_softening, strength;
} settled_attractor;

/* The inputs of an evaluation. */
typedef struct settled {
    settled_attractor point[MOTE_MAX_SETTLED_ATTRACTORS];
    uint32_t points;
    wide3 constant[2],
        damping; /* of each stage, times kick h; damping only without points, where there is one stage */
    wide kick_h[2];
} settled;

MOTE_INLINE void settled_make(settled *p, const mote_plan *plan) {
    p->points = 0;
    for (uint32_t i = 0; i < plan->force_count; i++) {
        if (!mote_attractor_is(&plan->forces[i])) continue;
        const float softening = plan->forces[i].as.attractor.softening;
        p->point[p->points++] = (settled_attractor){wide3_set(plan->forces[i].as.attractor.centre),
                                                    wide_set(softening * softening),
                                                    wide_set(plan->forces[i].as.attractor.strength)};
    }
    p->damping = wide3_set(plan->evaluation[0].acceleration.damping);
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        p->constant[stage] = wide3_set(plan->evaluation[stage].acceleration.constant);
        p->kick_h[stage] = wide_set(plan->evaluation[stage].kick_h);
    }
}

/* Computes the velocity change dv of n registers at one stage. points: p->points, or a constant 1 or 0. The
 * acceleration of a single attractor is not added to zero: that could change only the sign of a zero, which
 * has no effect in the sum with a constant other than -0. */
MOTE_INLINE void settled_evaluate(const settled *p, uint32_t points, int stage, const mote_lanes *s,
                                  wide3 *dv, int n) {
    if (points == 0) {
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) dv[u] = wide3_add(p->constant[0], wide3_mul(p->damping, s[u].v));
        return;
    }
    wide3 sum[SETTLED_UNROLL], d[SETTLED_UNROLL];
    wide f[SETTLED_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) sum[u] = wide3_zero();
    MOTE_ROLLED
    for (uint32_t k = 0; k < points; k++) {
        const settled_attractor *point = &p->point[k];
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) {
            d[u] = wide3_sub(point->centre, s[u].x);
            f[u] = wide3_dot(d[u], d[u]) + point->square_softening;
            f[u] = point->strength / (f[u] * wide_sqrt(f[u]));
            sum[u] = points == 1 ? wide3_scale(f[u], d[u]) : wide3_add_scaled(sum[u], f[u], d[u]);
        }
    }
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) dv[u] = wide3_add(p->constant[stage], wide3_scale(p->kick_h[stage], sum[u]));
}

/* Runs one substep. kick: under velocity Verlet, the last evaluation of the previous substep, replaced by
 * that of this one. */
MOTE_INLINE void settled_substep(const settled *p, uint32_t points, const mote_coefficients *c,
                                 mote_family family, mote_lanes *s, wide3 *kick, int n) {
    if (family == MOTE_FAMILY_SPLITTING) {
        settled_evaluate(p, points, 0, s, kick, n);
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) mote_splitting_stage(&s[u], c, 0, kick[u]);
        return;
    }
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) mote_verlet_stage(&s[u], c, 0, kick[u]);
    settled_evaluate(p, points, 1, s, kick, n);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) mote_verlet_stage(&s[u], c, 1, kick[u]);
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
    wide3 kick[SETTLED_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        size_t at = i + (size_t)u * MOTE_WIDTH;
        s[u] = (mote_lanes){.x = wide3_load(span->x, at), .v = wide3_load(span->v, at)};
    }
    free_path path = {.span = span, .first = i};
    if (of.family == MOTE_FAMILY_VERLET) settled_evaluate(p, of.points, 0, s, kick, n);
    uint64_t left = (uint64_t)span->steps * plan->substeps, last = span->previous_x[0] ? plan->substeps : 0;
    for (;; last = 0) {
        for (; left > last; left--) {
            settled_substep(p, of.points, &plan->c, of.family, s, kick, n);
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

/* State between the two parts of a substep: settled_open, settled_close. */
typedef struct settled_half {
    mote_lanes s;
    wide3 kick;
} settled_half;

MOTE_INLINE settled_half settled_open(const settled *p, uint32_t points, const mote_span *span, size_t i) {
    settled_half part;
    part.s.x = wide3_load(span->x, i);
    settled_evaluate(p, points, 0, &part.s, &part.kick, 1);
    return part;
}

/* Runs the rest of the only substep for slots [i, i + MOTE_WIDTH). Returns false as settled_registers does.
 */
MOTE_INLINE bool settled_close(const settled *p, settled_instance of, const mote_coefficients *c,
                               const mote_span *span, settled_half part, size_t i) {
    part.s.v = wide3_load(span->v, i);
    if (span->previous_x[0]) store_previous(span, &part.s, ~(wide_mask){0}, i);
    if (of.family == MOTE_FAMILY_SPLITTING)
        mote_splitting_stage(&part.s, c, 0, part.kick);
    else
        settled_substep(p, of.points, c, of.family, &part.s, &part.kick, 1);
    free_path path = {.span = span, .first = i};
    watch_path(&path, &part.s, 1);
    if (!MOTE_LIKELY(wide_all_finite(finite_sum(&part.s))) || !MOTE_LIKELY(stays_free(&path))) return false;
    wide3_store(span->x, i, part.s.x);
    wide3_store(span->v, i, part.s.v);
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
    settled_half half = settled_open(p, of.points, span, first);
    size_t i = first;
    for (; i + 2 * MOTE_WIDTH <= whole; i += MOTE_WIDTH) {
        settled_half next = settled_open(p, of.points, span, i + MOTE_WIDTH);
        if (!settled_close(p, of, &plan->c, span, half, i))
            contain->one(plan, contain->span, i, contain->frozen);
        half = next;
    }
    if (!settled_close(p, of, &plan->c, span, half, i)) contain->one(plan, contain->span, i, contain->frozen);
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
    if (of.points && local.steps == 1 && plan->substeps == 1)
        i = settled_once(plan, &p, &local, of, &contain, i, whole);
    for (; i + stride <= whole; i += stride)
        if (!settled_registers(plan, &p, &local, of, true, i))
            for (int u = 0; u < of.registers; u++)
                contain_register(plan, span, i + (size_t)u * MOTE_WIDTH, frozen);
    for (; i < whole; i += MOTE_WIDTH)
        if (!settled_registers(plan, &p, &local, single, false, i)) contain_register(plan, span, i, frozen);
}

#endif
