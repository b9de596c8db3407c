/* Passes of the settled kernels over blocks of slots that fit in the first-level cache: a substep of every
 * register, then the next substep. Where a substep waits for divisions and square roots, few registers in a
 * loop body and no chain from substep to substep leave all of a processor's out-of-order window to them
 * (measured: AVX2 1.4, AVX-512 1.1 to 1.2 times as fast as three registers through all substeps). */
#ifndef MOTE_PARTICLES_PASSES_H
#define MOTE_PARTICLES_PASSES_H

#include <string.h>

#include "particles/settled.h"

#define PASS_SLOTS 512

/* The state of a block between two substeps. */
typedef struct pass_block {
    _Alignas(64) float x[3][PASS_SLOTS], v[3][PASS_SLOTS];
} pass_block;

/* Columns, from the first slot of a block on. */
typedef struct pass_columns {
    float *x[3], *v[3];
} pass_columns;

/* The slots [first, first + slots) of the span, whole strides of registers. */
typedef struct pass_range {
    size_t first, slots;
} pass_range;

/* What symplectic Euler with attractors and linear drag reads, in registers: no store can alias it. */
typedef struct pass_constants {
    wide3 constant, damping;
    settled_attractor point;
    wide kick_h, drift;
} pass_constants;

MOTE_INLINE bool pass_is_euler(const mote_plan *plan, settled_instance of) {
    return of.family == MOTE_FAMILY_SPLITTING && plan->stages == 1 && plan->c.drift_first == 0 &&
           plan->c.drift[0] != 0;
}

/* Whether passes run one substep of an instance at most. */
MOTE_INLINE bool pass_is_single(settled_instance of) {
    return settled_is_drag(of) || of.family == MOTE_FAMILY_VERLET;
}

/* Slots of a range beyond which drag alone keeps previous positions without passes in wide registers: there
 * passes take 1.2 times as long where columns come from memory, and 0.8 times where they are in a cache; in
 * narrower ones 0.8 times in both (measured). */
#define PASS_KEPT_SLOTS ((size_t)1 << 19)

/* Slots of a range beyond which a pass fetches ahead in wide registers, and by how many. A million slots take
 * 0.77 of the time then, four millions 0.97 to 1.03 times; those that a cache holds up to 1.5 times
 * (measured, EPYC with 32 MiB). */
#define PASS_FAR_SLOTS 1000000u
#define PASS_AHEAD     768u

MOTE_INLINE void pass_fetch(const pass_columns *from, size_t i) {
    for (int axis = 0; axis < 3; axis++) {
        __builtin_prefetch(from->x[axis] + i + PASS_AHEAD, 1);
        __builtin_prefetch(from->v[axis] + i + PASS_AHEAD, 1);
    }
}

/* Whether passes run the steps. Drag alone waits for nothing, and velocity Verlet carries more than its
 * state: their substeps stay in registers. */
MOTE_INLINE bool passes_run(const mote_plan *plan, const settled *p, const mote_span *span,
                            settled_instance of) {
    const bool once = span->steps == 1 && plan->substeps == 1;
    const bool runs = pass_is_euler(plan, of) || of.family == MOTE_FAMILY_VERLET;
    const bool streams = MOTE_WIDTH == 16 && span->previous_x[0] && span->count > PASS_KEPT_SLOTS;
    if (settled_is_drag(of) && streams) return false;
    return runs && (once || !pass_is_single(of)) && !span->collision && !(of.terms && p->inverse_masses);
}

/* Runs one substep of a register without terms: settled_substep, from constants. */
MOTE_INLINE void pass_register(const settled *p, const pass_constants *c, settled_instance of, bool damped,
                               mote_lanes *s) {
    wide3 dv = c->constant, sum = wide3_zero();
    if (damped) dv = wide3_add(dv, wide3_mul(c->damping, s->v));
    MOTE_ROLLED
    for (uint32_t k = 0; k < of.points; k++) {
        const settled_attractor point = of.points == 1 ? c->point : p->point[k];
        const wide3 d = wide3_sub(point.centre, s->x);
        const wide square = wide3_dot(d, d) + point.square_softening;
        const wide f = point.strength / (square * wide_sqrt(square));
        sum = of.points == 1 ? wide3_scale(f, d) : wide3_add_scaled(sum, f, d);
    }
    if (of.points) dv = wide3_add(dv, wide3_scale(c->kick_h, sum));
    s->v = wide3_add(s->v, dv);
    s->x = wide3_add_scaled(s->x, c->drift, s->v);
}

/* Sums what is not finite where the state is not: of Euler, whose drift comes last, the position. */
MOTE_INLINE wide pass_probe(settled_instance of, const mote_lanes *s) {
    return of.family == MOTE_FAMILY_SPLITTING ? s->x.x + s->x.y + s->x.z : finite_sum(s);
}

/* Keeps the state before the last step, for presentation. */
MOTE_INLINE void keep_previous(const mote_span *span, const mote_lanes *s, size_t i) {
    wide3_store(span->previous_x, i, s->x);
    if (span->previous_v[0]) wide3_store(span->previous_v, i, s->v);
}

/* Runs one substep of a range. keep: it begins the last step. last: it is the last one, and registers that
 * are not finite after it are not stored but contained. */
MOTE_INLINE void run_pass(const mote_plan *plan, const settled *p, const mote_span *span, settled_instance of,
                          bool damped, bool keep, bool last, const pass_columns *from, const pass_columns *to,
                          contain_one *contain_register, pass_range range, uint32_t *frozen) {
    const pass_constants c = {.constant = p->constant[0],
                              .damping = p->damping[0],
                              .point = p->point[0],
                              .kick_h = p->kick_h[0],
                              .drift = wide_set(plan->c.drift[0])};
    const bool any = of.terms || of.family != MOTE_FAMILY_SPLITTING;
    for (size_t i = 0; i < range.slots; i += (size_t)of.registers * MOTE_WIDTH) {
        mote_lanes s[SETTLED_UNROLL];
        wide probe = (wide){0};
        MOTE_UNROLLED
        for (int u = 0; u < of.registers; u++) {
            const size_t at = i + (size_t)u * MOTE_WIDTH;
            s[u] = (mote_lanes){.x = wide3_load(from->x, at), .v = wide3_load(from->v, at)};
            if (of.fetches) pass_fetch(from, at);
            if (keep) keep_previous(span, &s[u], range.first + at);
        }
        if (any) settled_substep(plan, p, of, false, range.first + i, s);
        MOTE_UNROLLED
        for (int u = 0; u < of.registers; u++) {
            if (!any) pass_register(p, &c, of, damped, &s[u]);
            probe = u ? probe + pass_probe(of, &s[u]) : pass_probe(of, &s[u]);
        }
        if (last && !MOTE_LIKELY(wide_all_finite(probe))) {
            for (int u = 0; u < of.registers; u++)
                contain_register(plan, span, range.first + i + (size_t)u * MOTE_WIDTH, frozen);
            continue;
        }
        MOTE_UNROLLED
        for (int u = 0; u < of.registers; u++) {
            const size_t at = i + (size_t)u * MOTE_WIDTH;
            wide3_store(to->x, at, s[u].x);
            wide3_store(to->v, at, s[u].v);
        }
    }
}

/* Whether the columns of a span come from memory, in instances for which passes fetch them ahead. */
MOTE_INLINE bool pass_streams(const mote_span *span, settled_instance of) {
    return MOTE_WIDTH == 16 && of.family == MOTE_FAMILY_SPLITTING && of.points < 2 && !of.terms &&
           span->count > PASS_FAR_SLOTS;
}

/* Runs the only substep of a range whose columns come from memory. Out of line: inlined, it makes the pass of
 * an attractor over a cache 1.1 times as slow (measured). */
MOTE_OUTLINE void run_pass_ahead(const mote_plan *plan, const settled *p, const mote_span *span,
                                 uint32_t points, bool damped, const pass_columns *memory,
                                 contain_one *contain_register, pass_range range, uint32_t *frozen) {
    const settled_instance drag = {.family = MOTE_FAMILY_SPLITTING, .registers = 2, .fetches = true},
                           pull = {
                               .family = MOTE_FAMILY_SPLITTING, .points = 1, .registers = 2, .fetches = true};
    const pass_columns *at = memory;
    if (points && damped)
        run_pass(plan, p, span, pull, true, false, true, at, at, contain_register, range, frozen);
    else if (points)
        run_pass(plan, p, span, pull, false, false, true, at, at, contain_register, range, frozen);
    else if (damped)
        run_pass(plan, p, span, drag, true, false, true, at, at, contain_register, range, frozen);
    else
        run_pass(plan, p, span, drag, false, false, true, at, at, contain_register, range, frozen);
}

/* Runs all substeps of a range; of more than one, at most PASS_SLOTS. */
MOTE_INLINE void run_block(const mote_plan *plan, const settled *p, const mote_span *span,
                           settled_instance of, bool damped, pass_block *block, contain_one *contain_register,
                           pass_range range, uint32_t *frozen) {
    pass_columns memory, between;
    for (int axis = 0; axis < 3; axis++) {
        memory.x[axis] = span->x[axis] + range.first, memory.v[axis] = span->v[axis] + range.first;
        between.x[axis] = block->x[axis], between.v[axis] = block->v[axis];
    }
    const pass_columns *from = &memory;
    uint64_t left = pass_is_single(of) ? 1 : (uint64_t)span->steps * plan->substeps;
    for (; left > 0; left--, from = &between) {
        const bool keep = left == plan->substeps && span->previous_x[0];
        if (left > 1)
            run_pass(plan, p, span, of, damped, keep, false, from, &between, contain_register, range, frozen);
        else if (pass_streams(span, of) && !keep && from == &memory)
            run_pass_ahead(plan, p, span, of.points, damped, &memory, contain_register, range, frozen);
        else if (of.registers > 1 && !keep) /* so short that a branch in it counts */
            run_pass(plan, p, span, of, damped, false, true, from, &memory, contain_register, range, frozen);
        else if (of.registers > 1)
            run_pass(plan, p, span, of, damped, true, true, from, &memory, contain_register, range, frozen);
        else
            run_pass(plan, p, span, of, damped, keep, true, from, &memory, contain_register, range, frozen);
    }
}

/* Runs the steps of the whole strides of slots in [first, end). Returns the slot at which it ends. */
MOTE_INLINE size_t run_passes(const mote_plan *plan, const settled *p, const mote_span *span,
                              settled_instance of, contain_one *contain_register, size_t first, size_t end,
                              uint32_t *frozen) {
    pass_block block;
    /* One attractor is here if a constant is -0 (needs_terms). */
    const bool others = p->drags || plan->lift_count || plan->called_count;
    const bool terms = of.terms && (of.family != MOTE_FAMILY_SPLITTING || others || p->points <= 1 ||
                                    plan->stiff_acceleration || plan->affine_force);
    of.registers = of.terms ? 1 : 2;
    const size_t stride = (size_t)of.registers * MOTE_WIDTH;
    const size_t slots = end > first ? (end - first) / stride * stride : 0;
    const size_t most = (uint64_t)span->steps * plan->substeps > 1 ? PASS_SLOTS : slots;
    for (size_t done = 0; done < slots; done += most) {
        const pass_range range = {first + done, slots - done < most ? slots - done : most};
        settled_instance simple = of; /* damping of 0 costs several attractors little */
        simple.terms = false;
        if (of.terms && terms)
            run_block(plan, p, span, of, true, &block, contain_register, range, frozen);
        else if (of.terms || of.family != MOTE_FAMILY_SPLITTING || plan->damped_acceleration)
            run_block(plan, p, span, simple, true, &block, contain_register, range, frozen);
        else
            run_block(plan, p, span, simple, false, &block, contain_register, range, frozen);
    }
    return first + slots;
}

/* A register at an edge of the span, whose lanes may lie outside. */
typedef bool settled_edge(const mote_plan *plan, settled *p, const mote_span *span, size_t i);

MOTE_INLINE void settled_run(const mote_plan *plan, const mote_span *span, settled_instance of,
                             settled_edge *edge, contain_one *contain_register, size_t first, size_t end,
                             uint32_t *frozen) {
    const mote_span local = *span;
    const size_t stride = (size_t)of.registers * MOTE_WIDTH, whole = end < local.count ? end : local.count;
    settled p;
    settled_make(&p, plan, local.inverse_mass);
    if (of.terms) of.points = p.points;
    size_t i = first;
    for (; i < local.begin && i < whole; i += MOTE_WIDTH)
        if (!edge(plan, &p, &local, i)) contain_register(plan, span, i, frozen);
    if (passes_run(plan, &p, &local, of)) {
        i = run_passes(plan, &p, &local, of, contain_register, i, whole, frozen);
    } else {
        for (; i + stride <= whole; i += stride)
            if (!settled_registers(plan, &p, &local, of, true, i))
                for (int u = 0; u < of.registers; u++)
                    contain_register(plan, span, i + (size_t)u * MOTE_WIDTH, frozen);
    }
    for (; i < whole; i += MOTE_WIDTH)
        if (!edge(plan, &p, &local, i)) contain_register(plan, span, i, frozen);
}

#endif
