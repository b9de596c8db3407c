/* Steps blocks of loose particles among colliders: every register takes a substep, then the lanes that can
 * reach a collider collide, packed into few registers. Few lanes of most registers can, and a register costs
 * the same for one of them as for all. The bits of a lane depend on no other lane (collide.h), so that
 * packing changes none. */
#ifndef MOTE_PARTICLES_PACK_H
#define MOTE_PARTICLES_PACK_H

#include "particles/contain.h"

#define PACK_SLOTS 256u

/* Registers of a block: two states, that before a substep and that after it, which change places. */
typedef struct pack_state {
    float *x[3], *v[3];
} pack_state;

typedef struct pack {
    pack_state before, after;
    int32_t *alive;                         /* -1: stepped, and not killed */
    bool steady[PACK_SLOTS / MOTE_WIDTH];   /* registers whose state no further substep changes */
    uint16_t list[PACK_SLOTS + MOTE_WIDTH]; /* lanes that collide, from slot `first` on */
    uint32_t count;
    size_t first, slots;
} pack;

/* Lanes whose way from q0 to q1 stays farther than `most` from the bounds of a height field, in its axes. */
MOTE_INLINE wide_mask pack_apart(const mote_collider_pose *to, wide3 q0, wide3 q1, wide most) {
    const wide3 low = wide3_sub(wide3_set(to->low), (wide3){most, most, most}),
                high = wide3_add(wide3_set(to->high), (wide3){most, most, most}), least = wide3_min(q0, q1),
                greatest = wide3_max(q0, q1);
    return wide_less(greatest.x, low.x) | wide_less(greatest.y, low.y) | wide_less(greatest.z, low.z) |
           wide_less(high.x, least.x) | wide_less(high.y, least.y) | wide_less(high.z, least.z);
}

/* Lanes that can reach a collider of the list in a substep from x to `end`, or leave the region in which the
 * list holds; and those that are not finite. */
MOTE_INLINE wide_mask pack_reach(const mote_collision *c, const mote_near *near,
                                 const mote_collider_pose *from, wide3 x, wide3 end, wide3 origin,
                                 wide radius) {
    const wide3 away = wide3_max(contact_abs(wide3_sub(x, origin)), contact_abs(wide3_sub(end, origin))),
                size = wide3_max(contact_abs(x), contact_abs(end));
    wide_mask stays = wide_less(wide_max(wide_max(away.x, away.y), away.z), wide_set(near->free));
    const wide rounding = wide_max(wide_max(size.x, size.y), size.z) + radius;
    for (uint32_t k = 0; k < near->count; k++) {
        const mote_collider_pose *was = &from[near->index[k]], *to = was + c->count;
        const wide grown = radius + 4.0f * (COLLIDE_ROUNDING * rounding + to->slack);
        const wide3 d0 = wide3_sub(x, wide3_set(was->origin)), d1 = wide3_sub(end, wide3_set(to->origin));
        if (to->kind == MOTE_COLLIDER_PLANE && !to->turns) {
            const wide3 up = wide3_set(to->axis[1]);
            stays &= wide_less(grown, wide_min(wide3_dot(up, d0), wide3_dot(up, d1)));
        } else if (to->height_field && !to->turns) {
            const wide3 q0 = contact_into(to->axis, d0), q1 = contact_into(to->axis, d1);
            stays &= pack_apart(to, q0, q1, 1.03f * to->height_field->weight * grown);
        } else if (to->height_field || to->kind == MOTE_COLLIDER_PLANE) {
            stays = (wide_mask){0};
        } else {
            const wide3 middle = wide3_scale(wide_set(0.5f), wide3_add(d0, d1)), way = wide3_sub(d1, d0);
            const wide ball = (to->bound + grown + 0.5f * collide_sum(way)) * (to->turns ? 1.75f : 1.0f);
            stays &= wide_less(ball * ball, wide3_dot(middle, middle));
        }
    }
    return ~stays;
}

MOTE_INLINE wide3 pack_gather(float *const column[3], const int32_t *at) {
    return (wide3){wide_gather(column[0], at), wide_gather(column[1], at), wide_gather(column[2], at)};
}

MOTE_INLINE void pack_scatter(float *const column[3], const uint16_t *at, wide3 value, int lanes) {
    for (int lane = 0; lane < lanes; lane++) {
        column[0][at[lane]] = wide_element(value.x, lane);
        column[1][at[lane]] = wide_element(value.y, lane);
        column[2][at[lane]] = wide_element(value.z, lane);
    }
}

/* Collides the lanes of the list. */
MOTE_OUTLINE void pack_collide(const mote_span *span, uint32_t substep, pack *p) {
    const mote_collision *c = span->collision;
    float *const origin[3] = {span->x[0] + p->first, span->x[1] + p->first, span->x[2] + p->first};
    for (uint32_t k = 0; k < MOTE_WIDTH; k++) p->list[p->count + k] = p->list[0];
    for (uint32_t k = 0; k < p->count; k += MOTE_WIDTH) {
        const uint16_t *list = p->list + k;
        const int lanes = p->count - k < MOTE_WIDTH ? (int)(p->count - k) : MOTE_WIDTH;
        int32_t at[MOTE_WIDTH];
        for (int lane = 0; lane < MOTE_WIDTH; lane++) at[lane] = list[lane];
        collide_lanes s = {.origin = pack_gather(origin, at),
                           .from_x = pack_gather(p->before.x, at),
                           .from_v = pack_gather(p->before.v, at),
                           .x = pack_gather(p->after.x, at),
                           .v = pack_gather(p->after.v, at),
                           .keep = wide_lanes_below(lanes),
                           .first = p->first,
                           .packed = list};
        s.left = wide_set(1.0f);
        s.radius = c->radii ? radius_taken(wide_gather(c->radii + p->first, at)) : wide_set(c->radius);
        collide_register(c, span->near, substep, &s);
        pack_scatter(p->after.x, list, s.x, lanes);
        pack_scatter(p->after.v, list, s.v, lanes);
        for (uint32_t bits = wide_lane_bits(wide_lanes_below(lanes) & ~s.keep); bits; bits &= bits - 1)
            p->alive[list[__builtin_ctz(bits)]] = 0;
    }
}

/* Loads the state of a block. */
MOTE_OUTLINE void pack_load(const mote_plan *plan, const mote_span *span, pack *p) {
    for (size_t at = 0; at < p->slots; at += MOTE_WIDTH) {
        const size_t i = p->first + at;
        const mote_lanes s = {.x = wide3_load(span->x, i), .v = wide3_load(span->v, i)};
        const bool mass = plan->mass_column;
        const wide_mask keep = lanes_to_keep(span, mass, i);
        if (span->previous_x[0]) store_previous(span, &s, keep, i);
        wide3_store(p->before.x, at, s.x);
        wide3_store(p->before.v, at, s.v);
        wide_mask_store(p->alive + at, keep);
        p->steady[at / MOTE_WIDTH] = false;
    }
}

/* Stores the state of a block. A lane that turned non-finite keeps the state before the step. */
MOTE_OUTLINE void pack_store(const mote_plan *plan, const mote_span *span, const pack *p, uint32_t *frozen) {
    for (size_t at = 0; at < p->slots; at += MOTE_WIDTH) {
        const size_t i = p->first + at;
        const mote_lanes s = {.x = wide3_load(p->before.x, at), .v = wide3_load(p->before.v, at)};
        const bool mass = plan->mass_column;
        const wide_mask keep = lanes_to_keep(span, mass, i);
        const wide_mask good = keep & finite_lanes(&s);
        mark(span->fate, keep & ~good, i, 0, frozen);
        wide3_store(span->x, i, wide3_select(good, s.x, wide3_load(span->x, i)));
        wide3_store(span->v, i, wide3_select(good, s.v, wide3_load(span->v, i)));
    }
}

/* Runs a substep of one register without collisions, and lists the lanes that collide. */
MOTE_INLINE void pack_register(const mote_plan *plan, const mote_span *span, mote_instance of,
                               uint32_t substep, size_t at, pack *p) {
    const mote_collision *c = span->collision;
    const size_t i = p->first + at;
    const wide3 x = wide3_load(p->before.x, at), v = wide3_load(p->before.v, at);
    mote_lanes s = {.x = x, .v = v};
    const mote_external external = load_external(plan, span, of.mass, i);
    const mote_wide_map map = family_map(plan, of.family, external.inverse_mass);
    run_substep(plan, of, &s, &external, &map, span->first_step, substep, false);
    end_substeps(plan, of.family, &s);
    const wide_mask alive = wide_mask_load(p->alive + at);
    s.x = wide3_select(alive, s.x, x), s.v = wide3_select(alive, s.v, v);
    wide3_store(p->after.x, at, s.x);
    wide3_store(p->after.v, at, s.v);
    const wide radius = contain_radius(c, i);
    const mote_collider_pose *from = c->poses + (size_t)substep * c->count;
    uint32_t bits =
        wide_lane_bits(alive & pack_reach(c, span->near, from, x, s.x, wide3_load(span->x, i), radius));
    for (; bits; bits &= bits - 1) p->list[p->count++] = (uint16_t)(at + (size_t)__builtin_ctz(bits));
}

/* Marks the registers that the substep left as they were. Returns whether all are. */
MOTE_OUTLINE bool pack_settle(pack *p) {
    bool all = true;
    for (size_t at = 0; at < p->slots; at += MOTE_WIDTH) {
        bool *steady = &p->steady[at / MOTE_WIDTH];
        const wide3 x = wide3_load(p->after.x, at), v = wide3_load(p->after.v, at);
        if (!*steady)
            *steady = wide_all(contain_same(wide3_load(p->before.x, at), x) &
                               contain_same(wide3_load(p->before.v, at), v));
        all &= *steady;
        if (!*steady) continue;
        wide3_store(p->before.x, at, x); /* it may differ in the sign of a zero */
        wide3_store(p->before.v, at, v);
    }
    return all;
}

/* Runs the only step of slots [first, first + slots) of a span with collisions, without stuck particles and
 * orientations. */
MOTE_INLINE void pack_block(const mote_plan *plan, const mote_span *span, mote_instance of, size_t first,
                            size_t slots, uint32_t *frozen) {
    MOTE_ALIGNED(64) float memory[12][PACK_SLOTS];
    MOTE_ALIGNED(64) int32_t alive[PACK_SLOTS];
    pack p = {.before = {{memory[0], memory[1], memory[2]}, {memory[3], memory[4], memory[5]}},
              .after = {{memory[6], memory[7], memory[8]}, {memory[9], memory[10], memory[11]}},
              .alive = alive};
    p.first = first, p.slots = slots;
    pack_load(plan, span, &p);
    const bool may_settle = span->collision->still && !plan->timed;
    for (uint32_t substep = 0; substep < plan->substeps; substep++) {
        p.count = 0;
        for (size_t at = 0; at < slots; at += MOTE_WIDTH)
            if (!p.steady[at / MOTE_WIDTH]) pack_register(plan, span, of, substep, at, &p);
        if (p.count) pack_collide(span, substep, &p);
        const bool settled = may_settle && substep + 1 < plan->substeps && pack_settle(&p);
        const pack_state last = p.before;
        p.before = p.after, p.after = last;
        if (settled) break;
    }
    pack_store(plan, span, &p, frozen);
}

#endif
