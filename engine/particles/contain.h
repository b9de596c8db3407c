/* Steps single registers of loose particles substep by substep: those of which a lane turns non-finite, and
 * those in which a collision may happen. One instance for each family serves any forces and masses. */
#ifndef MOTE_PARTICLES_CONTAIN_H
#define MOTE_PARTICLES_CONTAIN_H

#include "particles/collide.h"
#include "particles/fused.h"

/* Runs the substeps of one step, each followed by its collisions. The last evaluation of a substep is then
 * never reused: a collision has moved the particle since. */
MOTE_INLINE void contain_step(const mote_plan *plan, const mote_span *span, mote_instance of, size_t i,
                              uint64_t step, const mote_external *external, const mote_wide_map *map,
                              collide_lanes *s) {
    const mote_collision *collision = span->collision;
    for (uint32_t substep = 0; substep < plan->substeps; substep++) {
        const wide_mask moved = s->keep;
        s->from = s->to;
        run_substep(plan, of, &s->to, external, map, step, substep, plan->reuse && substep > 0 && !collision);
        if (!collision) continue;
        end_substeps(plan, of.family, &s->to);
        s->to.x = wide3_select(moved, s->to.x, s->from.x);
        s->to.v = wide3_select(moved, s->to.v, s->from.v);
        collide_register(collision, span->near, substep, i, s);
    }
    if (!collision) end_substeps(plan, of.family, &s->to);
}

/* Runs the steps of one register from the state in memory. A lane that turns non-finite keeps the state
 * before that step. */
MOTE_INLINE void contain(const mote_plan *plan, const mote_span *span, mote_instance of, size_t i,
                         uint32_t *frozen) {
    of.registers = 1;
    collide_lanes s = {.to = {.x = wide3_load(span->x, i), .v = wide3_load(span->v, i)}};
    const mote_external external = load_external(plan, span, of.mass, i);
    mote_wide_map map;
    if (of.family == MOTE_FAMILY_MAP) map = map_of(plan, external.inverse_mass);
    wide_mask keep = lanes_to_keep(span, of.mass, external.inverse_mass, i);
    for (uint32_t step = 0; step < span->steps; step++) {
        const mote_lanes start = s.to;
        s.origin = start.x;
        s.keep = keep;
        if (span->previous_x[0] && step + 1 == span->steps) store_previous(span, &start, keep, i);
        contain_step(plan, span, of, i, span->first_step + step, &external, &map, &s);
        const wide_mask bad = keep & ~finite_lanes(&s.to);
        mark(span->fate, bad, i, step, frozen);
        keep &= ~bad;
        s.to.x = wide3_select(keep, s.to.x, start.x);
        s.to.v = wide3_select(keep, s.to.v, start.v);
    }
    wide3_store(span->x, i, s.to.x);
    wide3_store(span->v, i, s.to.v);
}

/* Collides slots [first, end) of a workspace. A lane that is killed is masked as a frozen one is, and the
 * span already holds its place. */
MOTE_INLINE void contain_staged(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                                uint32_t substep, size_t first, size_t end) {
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        const size_t at = i - workspace->first;
        const bool mass = plan->mass_column;
        const wide inverse_mass = mass ? wide_load(span->inverse_mass + i) : (wide){0};
        const wide_mask frozen = wide_mask_load(workspace->frozen + at),
                        keep = lanes_to_keep(span, mass, inverse_mass, i) & ~frozen;
        collide_lanes s = {.origin = wide3_load(span->x, i), .keep = keep};
        s.from = (mote_lanes){.x = wide3_load(workspace->from_x, at), .v = wide3_load(workspace->from_v, at)};
        s.to = (mote_lanes){.x = wide3_load(workspace->x, at), .v = wide3_load(workspace->v, at)};
        collide_register(span->collision, &span->collision->all, substep, i, &s);
        wide3_store(workspace->x, at, s.to.x);
        wide3_store(workspace->v, at, s.to.v);
        const wide_mask killed = keep & ~s.keep;
        if (!wide_lane_bits(killed)) continue;
        wide_mask_store(workspace->frozen + at, frozen | killed);
        wide3_store(span->x, i, wide3_select(killed, s.to.x, wide3_load(span->x, i)));
        wide3_store(span->v, i, wide3_select(killed, s.to.v, wide3_load(span->v, i)));
    }
}

MOTE_INLINE float least_of(wide a) {
    float least = wide_element(a, 0);
    for (int lane = 1; lane < MOTE_WIDTH; lane++)
        least = wide_element(a, lane) < least ? wide_element(a, lane) : least;
    return least;
}

/* Values that are not finite are left out. */
MOTE_INLINE void contain_bound(const mote_span *span, size_t first, size_t end, mote_slot_bounds *bounds) {
    const mote_collision *c = span->collision;
    const wide far = wide_set(FLT_MAX), zero = {0};
    wide3 low = {far, far, far}, high = {zero - far, zero - far, zero - far};
    wide speed = zero, radius = c->radii ? zero : wide_set(c->radius);
    wide_mask stuck = (wide_mask){0};
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        const wide3 x = wide3_load(span->x, i), v = contact_abs(wide3_load(span->v, i));
        const wide_mask in = lanes_to_keep(span, false, zero, i);
        low = wide3_select(in, wide3_min(x, low), low);
        high = wide3_select(in, wide3_max(high, x), high);
        const wide most = wide_max(wide_max(wide_max(speed, v.x), v.y), v.z);
        speed = wide_select(in, most, speed);
        if (c->radii) radius = wide_select(in, wide_max(radius, wide_load(c->radii + i)), radius);
        if (c->stuck)
            stuck |= in & ~wide_is(wide_mask_load((const int32_t *)(const void *)(c->stuck + i)), 0);
    }
    bounds->low[0] = least_of(low.x), bounds->low[1] = least_of(low.y), bounds->low[2] = least_of(low.z);
    bounds->high[0] = -least_of(zero - high.x), bounds->high[1] = -least_of(zero - high.y);
    bounds->high[2] = -least_of(zero - high.z);
    bounds->speed = -least_of(zero - speed);
    bounds->radius = -least_of(zero - radius);
    bounds->any_stuck = wide_lane_bits(stuck) != 0;
}

#endif
