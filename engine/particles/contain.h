/* Steps single registers of loose particles substep by substep: those of which a lane turns non-finite, and
 * those in which a collision may happen. One instance for each family serves any forces and masses. */
#ifndef MOTE_PARTICLES_CONTAIN_H
#define MOTE_PARTICLES_CONTAIN_H

#include <math.h>

#include "particles/collide.h"
#include "particles/fused.h"

/* Returns the lanes whose bits are equal, those of zeros too. */
MOTE_INLINE wide_mask contain_same(wide3 a, wide3 b) {
    const wide_mask other = (wide_bits(a.x) ^ wide_bits(b.x)) | (wide_bits(a.y) ^ wide_bits(b.y)) |
                            (wide_bits(a.z) ^ wide_bits(b.z));
    return wide_is(other, 0);
}

/* Radii as they count: those that are negative or not finite are 0, for the bounds of a block as for each of
 * its lanes. */
MOTE_INLINE wide radius_taken(wide radius) {
    const wide zero = {0};
    return wide_select(wide_less(zero, radius) & wide_less(radius, wide_set(INFINITY)), radius, zero);
}

MOTE_INLINE wide contain_radius(const mote_collision *c, size_t i) {
    return c->radii ? radius_taken(wide_load(c->radii + i)) : wide_set(c->radius);
}

/* Runs the substeps of one step, each followed by its collisions. The last evaluation of a substep is then
 * never reused: a collision has moved the particle since. A state that a substep leaves as it is, among
 * colliders at rest and without a hit that is listed, is that at the end of the step. */
MOTE_INLINE void contain_step(const mote_plan *plan, const mote_span *span, mote_instance of, uint64_t step,
                              const mote_external *external, const mote_wide_map *map, collide_lanes *s) {
    const mote_collision *collision = span->collision;
    mote_lanes lanes = {.x = s->x, .v = s->v};
    const wide3 origin = s->x;
    for (uint32_t substep = 0; substep < plan->substeps; substep++) {
        const wide3 x = lanes.x, v = lanes.v;
        run_substep(plan, of, &lanes, external, map, step, substep, plan->reuse && substep > 0 && !collision);
        if (!collision) continue;
        end_substeps(plan, of.family, &lanes);
        s->from_x = x, s->from_v = v, s->room = collide_room(span->near, origin, x);
        s->x = wide3_select(s->keep, lanes.x, x), s->v = wide3_select(s->keep, lanes.v, v);
        collide_register(collision, span->near, substep, s);
        lanes.x = s->x, lanes.v = s->v;
        const bool may_settle = collision->still && !plan->timed;
        const wide_mask settled = contain_same(x, s->x) & contain_same(v, s->v) & ~(s->spun | s->changed);
        if (may_settle && wide_all(settled)) break;
    }
    if (!collision) end_substeps(plan, of.family, &lanes);
    s->x = lanes.x, s->v = lanes.v;
}

/* Runs the steps of one register from the state in memory. A lane that turns non-finite keeps the state
 * before that step. */
MOTE_INLINE void contain(const mote_plan *plan, const mote_span *span, mote_instance of, size_t i,
                         uint32_t *frozen) {
    of.registers = 1;
    collide_lanes s = {
        .x = wide3_load(span->x, i), .v = wide3_load(span->v, i), .spun = (wide_mask){0}, .first = i};
    s.left = wide_set(1.0f);
    if (span->collision) s.radius = contain_radius(span->collision, i);
    const mote_external external = load_external(plan, span, of.mass, i);
    const mote_wide_map map = family_map(plan, of.family, external.inverse_mass);
    wide_mask keep = lanes_to_keep(span, of.mass, i);
    for (uint32_t step = 0; step < span->steps; step++) {
        const mote_lanes start = {.x = s.x, .v = s.v};
        s.keep = keep;
        if (span->previous_x[0] && step + 1 == span->steps) store_previous(span, &start, keep, i);
        contain_step(plan, span, of, span->first_step + step, &external, &map, &s);
        const wide_mask bad = keep & ~finite_lanes(&(mote_lanes){.x = s.x, .v = s.v});
        mark(span->fate, bad, i, step, frozen);
        keep &= ~bad;
        s.x = wide3_select(keep, s.x, start.x);
        s.v = wide3_select(keep, s.v, start.v);
    }
    wide3_store(span->x, i, s.x);
    wide3_store(span->v, i, s.v);
}

/* Collides slots [first, end) of a workspace. A lane that is killed is masked as a frozen one is, and the
 * span already holds its place: that before the step where the new one is not finite. */
MOTE_INLINE void contain_staged(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                                uint32_t substep, size_t first, size_t end) {
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        const size_t at = i - workspace->first;
        const wide_mask frozen = wide_mask_load(workspace->frozen + at),
                        keep = lanes_to_keep(span, plan->mass_column, i) & ~frozen;
        collide_lanes s = {.keep = keep, .first = i, .room = wide_set(FLT_MAX)};
        s.radius = contain_radius(span->collision, i), s.left = wide_set(1.0f);
        s.from_x = wide3_load(workspace->from_x, at), s.from_v = wide3_load(workspace->from_v, at);
        s.x = wide3_load(workspace->x, at), s.v = wide3_load(workspace->v, at);
        collide_register(span->collision, &span->collision->all, substep, &s);
        wide3_store(workspace->x, at, s.x);
        wide3_store(workspace->v, at, s.v);
        const wide_mask killed = keep & ~s.keep;
        if (!wide_lane_bits(killed)) continue;
        wide_mask_store(workspace->frozen + at, frozen | killed);
        const wide_mask placed = killed & finite_lanes(&(mote_lanes){.x = s.x, .v = s.v});
        wide3_store(span->x, i, wide3_select(placed, s.x, wide3_load(span->x, i)));
        wide3_store(span->v, i, wide3_select(placed, s.v, wide3_load(span->v, i)));
    }
}

/* Bounds of lanes: contain_bound. */
typedef struct contain_bounds {
    wide3 low, high;
    wide speed, radius;
    wide_mask stuck;
} contain_bounds;

/* Adds the lanes of `in`. Particles that are not finite are left out. */
MOTE_INLINE void contain_bound_lanes(const mote_span *span, size_t i, wide_mask in, contain_bounds *b) {
    const mote_collision *c = span->collision;
    const wide3 x = wide3_load(span->x, i), v = contact_abs(wide3_load(span->v, i));
    b->low = wide3_select(in, wide3_min(x, b->low), b->low);
    b->high = wide3_select(in, wide3_max(b->high, x), b->high);
    b->speed = wide_select(in, wide_max(b->speed, wide_max(wide_max(v.x, v.y), v.z)), b->speed);
    if (c->radii) b->radius = wide_select(in, wide_max(b->radius, contain_radius(c, i)), b->radius);
    if (c->stuck) b->stuck |= in & ~wide_is(wide_mask_load((const int32_t *)(const void *)(c->stuck + i)), 0);
}

MOTE_INLINE void contain_bound(const mote_span *span, size_t first, size_t end, mote_slot_bounds *bounds) {
    const mote_collision *c = span->collision;
    const wide far = wide_set(FLT_MAX), zero = {0}, least = zero - far;
    contain_bounds b = {.low = {far, far, far}, .high = {least, least, least}};
    if (!c->radii) b.radius = wide_set(c->radius);
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        if (MOTE_LIKELY(i >= span->begin && i + MOTE_WIDTH <= span->count))
            contain_bound_lanes(span, i, ~(wide_mask){0}, &b);
        else
            contain_bound_lanes(span, i, lanes_to_keep(span, false, i), &b);
    }
    bounds->low[0] = wide_least(b.low.x), bounds->low[1] = wide_least(b.low.y),
    bounds->low[2] = wide_least(b.low.z);
    bounds->high[0] = -wide_least(zero - b.high.x), bounds->high[1] = -wide_least(zero - b.high.y);
    bounds->high[2] = -wide_least(zero - b.high.z);
    bounds->speed = -wide_least(zero - b.speed);
    bounds->radius = c->radii ? -wide_least(zero - b.radius) : c->radius;
    bounds->any_stuck = wide_lane_bits(b.stuck) != 0;
}

#endif
