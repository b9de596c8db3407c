/* The fused kernel: runs every step, substep and stage of a few registers of particles before the next ones
 * are loaded, so that memory is read and written once for any number of substeps. */
#ifndef MOTE_PARTICLES_FUSED_H
#define MOTE_PARTICLES_FUSED_H

#include "stage/stage.h"

/* Watches how far registers go from the places where their step begins, which memory still holds. A register
 * that goes farther than the nearest collider is stepped again, with collisions. */
typedef struct free_path {
    const mote_span *span;
    size_t first;
    wide longest; /* m, in each of x, y, z */
} free_path;

MOTE_INLINE void watch_path(free_path *path, const mote_lanes *s, int registers) {
    if (MOTE_LIKELY(!path->span->collision)) return;
    MOTE_UNROLLED
    for (int u = 0; u < registers; u++) {
        const wide3 way = wide3_sub(s[u].x, wide3_load(path->span->x, path->first + (size_t)u * MOTE_WIDTH));
        path->longest =
            wide_max(path->longest, wide_max(wide_max(wide_abs(way.x), wide_abs(way.y)), wide_abs(way.z)));
    }
}

MOTE_INLINE bool stays_free(const free_path *path) {
    return !path->span->collision || wide_all(wide_less(path->longest, wide_set(path->span->near->free)));
}

/* Runs a substep of some registers. again: the last evaluation of the previous substep is the first one of
 * this. */
MOTE_INLINE void run_substep(const mote_plan *plan, mote_instance of, mote_lanes *s,
                             const mote_external *external, const mote_wide_map *map, uint64_t step,
                             uint32_t substep, bool again) {
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) begin_substep(plan, of.family, &s[u], &map[u]);
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        wide3 dv[MOTE_MAX_UNROLL];
        mote_stage_at at = {.stage = stage};
        if (of.mix && plan->timed) at.time = mote_plan_time(plan, step, substep, plan->scheme->time[stage]);
        if (of.family == MOTE_FAMILY_VERLET && stage == 0 && again) MOTE_UNROLLED
        for (int u = 0; u < of.registers; u++) dv[u] = s[u].sum_v;
        else mote_evaluate(plan, of, at, s, external, dv);
        MOTE_UNROLLED
        for (int u = 0; u < of.registers; u++) do_stage(plan, of.family, &s[u], stage, dv[u], &map[u]);
    }
}

/* Runs `steps` steps of some registers, from step `first_step` on. */
MOTE_INLINE void run_steps(const mote_plan *plan, mote_instance of, mote_lanes *s,
                           const mote_external *external, const mote_wide_map *map, uint64_t first_step,
                           uint32_t steps, free_path *path) {
    bool again = false;
    uint64_t step = first_step;
    uint32_t of_step = 0; /* number of the substep in its step */
    for (uint64_t substep = 0; substep < (uint64_t)steps * plan->substeps; substep++) {
        run_substep(plan, of, s, external, map, step, of_step, again);
        again = plan->reuse;
        watch_path(path, s, of.registers);
        if (++of_step == plan->substeps) of_step = 0, step++;
    }
    if (steps == 0) return;
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) end_substeps(plan, of.family, &s[u]);
}

/* Loads the inputs of one register of particles besides its state: inverse mass, external force, anchor. */
MOTE_INLINE mote_external load_external(const mote_plan *plan, const mote_span *span, bool mass, size_t i) {
    mote_external external; /* member by member: clearing it takes longer than a substep */
    external.acceleration = external.force = wide3_zero();
    external.inverse_mass = mass ? wide_load(span->inverse_mass + i) : wide_set(plan->inverse_mass);
    external.host_force = plan->external_forces ? wide3_load(span->external_forces, i) : wide3_zero();
    external.anchor = plan->anchors ? wide3_load(span->anchor, i) : wide3_zero();
    return external;
}

/* Returns the mix of forces of instances that read it from the plan. */
MOTE_INLINE mote_force_mix mix_of(const mote_plan *plan) {
    return plan->mix <= MOTE_MIX_DRAG ? MOTE_MIX_AFFINE : MOTE_MIX_ANY;
}

/* Returns the lanes that are in the span and, where masses have a column, whose particles can move. */
MOTE_INLINE wide_mask lanes_to_keep(const mote_span *span, bool mass, size_t i) {
    wide_mask keep = wide_lanes_below(span->count > i + MOTE_WIDTH ? MOTE_WIDTH : (int32_t)(span->count - i));
    if (i < span->begin) keep &= ~wide_lanes_below((int32_t)(span->begin - i));
    return mass ? keep & wide_less((wide){0}, wide_load(span->inverse_mass + i)) : keep;
}

MOTE_INLINE wide_mask finite_lanes(const mote_lanes *s) {
    return wide_equal(wide3_finite_probe(s->x) + wide3_finite_probe(s->v), (wide){0});
}

/* Stores the state before the last step, for presentation; of lanes outside `keep`, the state in memory. */
MOTE_INLINE void store_previous(const mote_span *span, const mote_lanes *s, wide_mask keep, size_t i) {
    wide3_store(span->previous_x, i, wide3_select(keep, s->x, wide3_load(span->x, i)));
    if (span->previous_v[0])
        wide3_store(span->previous_v, i, wide3_select(keep, s->v, wide3_load(span->v, i)));
}

/* Counts the lanes in `bad` as frozen in `step` and writes their fates. */
MOTE_INLINE void mark(uint8_t *fate, wide_mask bad, size_t i, uint32_t step, uint32_t *frozen) {
    for (uint32_t bits = wide_lane_bits(bad); bits; bits &= bits - 1) {
        uint8_t *of = fate ? fate + i + __builtin_ctz(bits) : NULL;
        if (of && *of) continue; /* its lifetime ends with this step */
        if (of) *of = (uint8_t)(step + 1);
        ++*frozen;
    }
}

/* Steps one register again from the state in memory, substep by substep: contain.h. Out of line. */
typedef void contain_one(const mote_plan *plan, const mote_span *span, size_t i, uint32_t *frozen);

/* Steps of.registers registers from slot i on. False if a state is not finite: only previous states are
 * written then. */
MOTE_INLINE bool fused_registers(const mote_plan *plan, const mote_span *span, mote_instance of, size_t i) {
    mote_lanes s[MOTE_MAX_UNROLL];
    mote_external external[MOTE_MAX_UNROLL];
    mote_wide_map map[MOTE_MAX_UNROLL];
    const int n = of.registers;
    wide_mask keep[MOTE_MAX_UNROLL];
    const bool whole = !of.mass && i >= span->begin && i + (size_t)n * MOTE_WIDTH <= span->count;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        size_t at = i + (size_t)u * MOTE_WIDTH;
        s[u] = (mote_lanes){.x = wide3_load(span->x, at), .v = wide3_load(span->v, at)};
        if (of.mix == MOTE_MIX_NOISE)
            external[u].inverse_mass = wide_set(plan->inverse_mass);
        else
            external[u] = load_external(plan, span, of.mass, at);
        map[u] = family_map(plan, of.family, external[u].inverse_mass);
        keep[u] = whole ? ~(wide_mask){0} : lanes_to_keep(span, of.mass, at);
    }
    free_path path = {.span = span, .first = i};
    if (span->previous_x[0]) {
        run_steps(plan, of, s, external, map, span->first_step, span->steps - 1, &path);
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) store_previous(span, &s[u], keep[u], i + (size_t)u * MOTE_WIDTH);
    }
    uint32_t last = span->previous_x[0] ? 1 : span->steps;
    run_steps(plan, of, s, external, map, span->first_step + span->steps - last, last, &path);

    /* Probes the sum: non-finite if any term is. A sum of finite values that overflows takes the slow path,
     * which is correct too. */
    wide probe = (wide){0};
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        wide sum = s[u].x.x + s[u].x.y + s[u].x.z + s[u].v.x + s[u].v.y + s[u].v.z;
        probe += whole ? sum : wide_select(keep[u], sum, (wide){0});
    }
    if (!MOTE_LIKELY(wide_all_finite(probe)) || !MOTE_LIKELY(stays_free(&path))) return false;
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        size_t at = i + (size_t)u * MOTE_WIDTH;
        wide3_store(span->x, at, whole ? s[u].x : wide3_select(keep[u], s[u].x, wide3_load(span->x, at)));
        wide3_store(span->v, at, whole ? s[u].v : wide3_select(keep[u], s[u].v, wide3_load(span->v, at)));
    }
    return true;
}

/* Steps slots [first, end). A register left over at the end takes the slower path of `contain`, once a range.
 * The span is copied to a local variable, which no store can alias: 1.15 times as fast (measured). */
MOTE_INLINE void fused(const mote_plan *plan, const mote_span *span, mote_instance of,
                       contain_one *contain_register, size_t first, size_t end, uint32_t *frozen) {
    const mote_span local = *span;
    size_t i = first, stride = (size_t)of.registers * MOTE_WIDTH;
    for (; i + stride <= end; i += stride)
        if (!fused_registers(plan, &local, of, i))
            for (int u = 0; u < of.registers; u++)
                contain_register(plan, span, i + (size_t)u * MOTE_WIDTH, frozen);
    for (; i < end; i += MOTE_WIDTH) contain_register(plan, span, i, frozen);
}

#endif
