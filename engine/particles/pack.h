/* Steps blocks of loose particles among colliders: every register takes a substep, then the lanes that can
 * reach a collider collide, packed into few registers. Few lanes of most registers can, and a register costs
 * the same for one of them as for all. A lane that a substep leaves as it was, among colliders at rest and
 * without a hit that is listed, has the state of the end of the step. The bits of a lane depend on no other
 * lane (collide.h), so that neither changes any. */
#ifndef MOTE_PARTICLES_PACK_H
#define MOTE_PARTICLES_PACK_H

#include "particles/contain.h"
#include "particles/reach.h"

/* A block has the slots that share a list of near colliders. The lanes of 1,024 slots fill the registers that
 * collide better than those of 256: piles take 0.84 to 0.88 of the time (measured). */
#define PACK_SLOTS     MOTE_COLLISION_BLOCK
#define PACK_REGISTERS (PACK_SLOTS / MOTE_WIDTH)

/* Registers of a block: a state before or after a substep. */
typedef struct pack_state {
    float *x[3], *v[3];
} pack_state;

MOTE_INLINE void pack_store_state(const pack_state *state, size_t at, wide3 x, wide3 v) {
    wide3_store(state->x, at, x);
    wide3_store(state->v, at, v);
}

#define PACK_ALL ((1u << MOTE_WIDTH) - 1) /* lanes of a register */

/* Lanes of a block, a bit each, and the registers that have some. */
typedef struct pack_list {
    uint32_t bits[PACK_REGISTERS];
    uint16_t registers[PACK_REGISTERS];
    uint32_t count;
} pack_list;

/* Sets the lanes of a register, without a branch, which would be mispredicted. */
MOTE_INLINE void pack_append(pack_list *list, uint32_t r, uint32_t bits) {
    list->bits[r] = bits;
    list->registers[list->count] = (uint16_t)r;
    list->count += bits != 0;
}

/* Lanes of a block that collide: those that can reach planes and height fields alone, and the others, so that
 * few lanes wait for colliders which they cannot reach. */
typedef struct pack_near {
    pack_list reaching, flat, others; /* the first: both, and lanes at rest */
    uint32_t more[PACK_REGISTERS];    /* lanes that can reach other colliders than planes and height fields */
    uint32_t alone[PACK_REGISTERS];   /* that can reach one collider alone */
    mote_near flat_list;              /* of the near colliders, the planes and height fields */
} pack_near;

/* Columns of such lanes, side by side: place and velocity before, those after, room; and the radius. */
#define PACK_COLUMNS 14
#define PACK_STRIDE  (PACK_SLOTS + MOTE_WIDTH) /* no power of two, which would map columns to one set */
#define PACK_LANES   272u                      /* room for those that collide at a time */

typedef struct pack {
    pack_state before, after;
    float *room;                     /* m: collide_lanes */
    uint32_t alive[PACK_REGISTERS];  /* lanes that were stepped, and not killed; found in the first substep */
    uint32_t listed[PACK_REGISTERS]; /* whose hits of this substep are listed, as those of the next will be */
    uint32_t
        steady[PACK_REGISTERS]; /* that no further substep changes, and both states hold; found after each */
    pack_near near;
    size_t first, slots;
} pack;

/* Lanes of a register without momentum at the start of a substep, and the velocity that forces give them. */
typedef struct pack_still {
    wide_mask lanes;
    wide3 gained;
} pack_still;

/* Returns the lanes at rest on a plane at rest that the substep leaves as they are: they touch it, the forces
 * press them against it, and friction holds them. All that collide_register would do with them is to make
 * their velocity +0; where rounding may decide, they are left to it. d: distance from the plane; slack: m,
 * collide_leg_begin. */
MOTE_INLINE wide_mask pack_rests(const mote_collision *c, uint32_t index, const mote_collider_pose *to,
                                 const pack_still *still, wide d, wide slack) {
    const wide3 up = wide3_set(to->axis[1]), gained = still->gained;
    const wide along = wide3_dot(up, gained), slow = COLLIDE_SLOW * collide_sum(gained),
               limit = c->friction[index] * (0.0f - along), touch = slack + to->slack;
    const wide3 free = wide3_sub(gained, wide3_scale(along, up));
    return still->lanes & ~wide_less(touch, wide_abs(d)) & wide_less(c->theta * along, (wide){0} - slow) &
           wide_less(wide3_dot(free, free), 0.999f * (limit * limit)) &
           wide_less(c->h * collide_sum(gained), wide_set(FLT_MAX)); /* collide_leg_begin: else not finite */
}

/* Copies lanes side by side, from number *k of the registers of a list on, as long as there is room. Returns
 * their number; *k: the first register that is left. */
MOTE_INLINE uint32_t pack_copy(const float *const from[PACK_COLUMNS], int columns, const pack_list *lanes,
                               uint32_t *k, float to[][PACK_LANES], uint16_t *slot) {
    uint32_t count = 0;
    for (; *k < lanes->count && count <= PACK_LANES - 2 * MOTE_WIDTH; ++*k) {
        const uint32_t r = lanes->registers[*k], bits = lanes->bits[r];
        for (int i = 0; i < columns; i++) wide_compress(to[i] + count, from[i] + r * MOTE_WIDTH, bits);
        for (uint32_t left = bits; left; left &= left - 1)
            slot[count++] = (uint16_t)(r * MOTE_WIDTH + (uint32_t)__builtin_ctz(left));
    }
    return count;
}

MOTE_INLINE void pack_set(uint32_t *bits, uint32_t slot) {
    bits[slot / MOTE_WIDTH] |= 1u << slot % MOTE_WIDTH;
}

MOTE_INLINE void pack_clear(uint32_t *bits, uint32_t slot) {
    bits[slot / MOTE_WIDTH] &= ~(1u << slot % MOTE_WIDTH);
}

/* Collides `count` lanes that lie side by side. at: PACK_COLUMNS of them; slot: their offsets. */
MOTE_INLINE void pack_collide_lanes(const mote_span *span, const mote_near *near, uint32_t substep,
                                    float *const at[PACK_COLUMNS], const uint16_t *slot, uint32_t count,
                                    pack *p) {
    const mote_collision *c = span->collision;
    for (uint32_t k = 0; k < count; k += MOTE_WIDTH) {
        const wide_mask in = wide_lanes_below((int32_t)(count - k));
        collide_lanes s;
        s.from_x = wide3_load(at, k), s.from_v = wide3_load(at + 3, k);
        s.x = wide3_load(at + 6, k), s.v = wide3_load(at + 9, k);
        s.room = wide_load(at[12] + k), s.left = wide_set(1.0f);
        s.radius = c->radii ? radius_taken(wide_load(at[13] + k)) : wide_set(c->radius);
        s.keep = in, s.spun = (wide_mask){0};
        s.first = p->first, s.packed = slot + k;
        collide_register(c, near, substep, &s);
        wide3_store(at + 6, k, s.x);
        wide3_store(at + 9, k, s.v);
        for (uint32_t listed = wide_lane_bits(in & s.changed); listed; listed &= listed - 1)
            pack_set(p->listed, slot[k + (uint32_t)__builtin_ctz(listed)]);
        for (uint32_t killed = wide_lane_bits(in & ~s.keep); killed; killed &= killed - 1)
            pack_clear(p->alive, slot[k + (uint32_t)__builtin_ctz(killed)]);
    }
}

/* Collides lanes with the colliders of a list. */
MOTE_OUTLINE void pack_collide(const mote_span *span, const mote_near *near, uint32_t substep,
                               const pack_list *lanes, pack *p) {
    MOTE_ALIGNED(64) float column[PACK_COLUMNS][PACK_LANES];
    uint16_t slot[PACK_LANES];
    const mote_collision *c = span->collision;
    const float *const from[PACK_COLUMNS] = {p->before.x[0], p->before.x[1],
                                             p->before.x[2], p->before.v[0],
                                             p->before.v[1], p->before.v[2],
                                             p->after.x[0],  p->after.x[1],
                                             p->after.x[2],  p->after.v[0],
                                             p->after.v[1],  p->after.v[2],
                                             p->room,        c->radii ? c->radii + p->first : NULL};
    const int columns = PACK_COLUMNS - !c->radii;
    float *at[PACK_COLUMNS];
    for (int k = 0; k < PACK_COLUMNS; k++) at[k] = column[k];
    for (uint32_t done = 0, next = 0; done < lanes->count;) {
        const uint32_t count = pack_copy(from, columns, lanes, &next, column, slot);
        for (int k = 0; k < columns; k++) wide_store(column[k] + count, wide_set(column[k][0]));
        pack_collide_lanes(span, near, substep, at, slot, count, p);
        for (uint32_t lane = 0; done < next; done++) {
            const uint32_t r = lanes->registers[done], bits = lanes->bits[r];
            for (int axis = 0; axis < 3; axis++) {
                wide_expand(p->after.x[axis] + r * MOTE_WIDTH, column[6 + axis] + lane, bits);
                wide_expand(p->after.v[axis] + r * MOTE_WIDTH, column[9 + axis] + lane, bits);
            }
            lane += (uint32_t)__builtin_popcount(bits);
        }
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
        if (MOTE_LIKELY(wide_all(good))) {
            wide3_store(span->x, i, s.x), wide3_store(span->v, i, s.v);
            continue;
        }
        mark(span->fate, keep & ~good, i, 0, frozen);
        wide3_store(span->x, i, wide3_select(good, s.x, wide3_load(span->x, i)));
        wide3_store(span->v, i, wide3_select(good, s.v, wide3_load(span->v, i)));
    }
}

/* Returns the lanes of `moving` without momentum. Those at a place of -0 are left out: collisions may make +0
 * of it. */
MOTE_INLINE pack_still pack_no_momentum(const mote_collision *c, wide_mask moving, wide3 x, wide3 v,
                                        wide3 end) {
    pack_still still = {.lanes = moving & wide_equal(collide_sum(v), (wide){0})};
    if (!c->still || c->half_step || c->advects) still.lanes = (wide_mask){0};
    if (!wide_lane_bits(still.lanes)) return still;
    const int32_t minus = INT32_MIN; /* the bits of -0 */
    still.lanes &=
        ~(wide_is(wide_bits(x.x), minus) | wide_is(wide_bits(x.y), minus) | wide_is(wide_bits(x.z), minus));
    still.gained = wide3_sub(end, v);
    return still;
}

/* Leaves the lanes of a register at rest on a plane, which reach that plane alone, as they were before the
 * substep, and returns them. Colliders are at rest here: all their poses are equal. */
MOTE_INLINE uint32_t pack_leave_resting(const mote_span *span, uint32_t r, const pack *p) {
    const mote_collision *c = span->collision;
    const mote_near *near = span->near;
    const size_t at = r * MOTE_WIDTH;
    const wide3 x = wide3_load(p->before.x, at), v = wide3_load(p->before.v, at),
                end_x = wide3_load(p->after.x, at), end_v = wide3_load(p->after.v, at);
    const pack_still still = pack_no_momentum(c, wide_mask_of_bits(p->near.alone[r]), x, v, end_v);
    if (!wide_lane_bits(still.lanes)) return 0;
    const wide radius = contain_radius(c, p->first + at), slack = 0.25f * reach_rounding(x, end_x, radius);
    wide_mask resting = (wide_mask){0};
    for (uint32_t k = 0; k < near->count; k++) {
        const mote_collider_pose *to = &c->poses[near->index[k]];
        if (to->kind != MOTE_COLLIDER_PLANE || to->turns || to->response != MOTE_RESPONSE_BOUNCE) continue;
        const wide d = wide3_dot(wide3_set(to->axis[1]), wide3_sub(x, wide3_set(to->origin))) - radius;
        resting |= pack_rests(c, near->index[k], to, &still, d, slack);
    }
    pack_store_state(&p->after, at, wide3_select(resting, x, end_x),
                     wide3_select(resting, wide3_zero(), end_v));
    return wide_lane_bits(resting);
}

/* Runs a substep of one register without collisions, and lists the lanes that collide. The first substep has
 * an instance of its own: without it those of scenes with few collisions took 1.07 times as long (measured).
 */
MOTE_INLINE void pack_register(const mote_plan *plan, const mote_span *span, mote_instance of,
                               uint32_t substep, size_t at, pack *p) {
    const mote_collision *c = span->collision;
    const size_t i = p->first + at;
    const uint32_t r = (uint32_t)at / MOTE_WIDTH;
    const wide3 x = wide3_load(p->before.x, at), v = wide3_load(p->before.v, at);
    wide_mask moving;
    if (substep) {
        if (p->steady[r] ==
            PACK_ALL) { /* the columns held the state before the first substep: one buffer lacks it */
            if (substep == 1) pack_store_state(&p->after, at, x, v);
            return;
        }
        moving = wide_mask_of_bits(p->alive[r] & ~p->steady[r]);
    } else {
        moving = lanes_to_keep(span, of.mass, i);
        p->alive[r] = wide_lane_bits(moving);
    }
    mote_lanes s = {.x = x, .v = v};
    if (!substep && span->previous_x[0]) store_previous(span, &s, moving, i);
    const mote_external external = load_external(plan, span, of.mass, i);
    const mote_wide_map map = family_map(plan, of.family, external.inverse_mass);
    run_substep(plan, of, &s, &external, &map, span->first_step, substep, false);
    end_substeps(plan, of.family, &s);
    s.x = wide3_select(moving, s.x, x), s.v = wide3_select(moving, s.v, v);
    pack_store_state(&p->after, at, s.x, s.v);
    const wide radius = contain_radius(c, i);
    const mote_collider_pose *from = c->poses + (size_t)substep * c->count;
    const wide room =
        substep ? collide_room(span->near, wide3_load(span->x, i), x) : wide_set(span->near->free);
    wide_store(p->room + at, room);
    const reach_lanes lanes = reach_of(c, span->near, from, x, s.x, room, radius);
    const uint32_t reaching = wide_lane_bits(moving & lanes.reaching);
    p->near.more[r] = wide_lane_bits(lanes.others);
    p->near.alone[r] = reaching & ~wide_lane_bits(lanes.twice);
    pack_append(&p->near.reaching, r, reaching);
}

/* Collides the lanes that a substep has listed. */
MOTE_INLINE void pack_collide_all(const mote_span *span, uint32_t substep, pack *p) {
    pack_near *n = &p->near;
    n->flat.count = n->others.count = 0;
    for (uint32_t k = 0; k < n->reaching.count; k++) {
        const uint32_t r = n->reaching.registers[k],
                       left = n->reaching.bits[r] & ~pack_leave_resting(span, r, p);
        pack_append(&n->flat, r, left & ~n->more[r]);
        pack_append(&n->others, r, left & n->more[r]);
    }
    pack_collide(span, &n->flat_list, substep, &n->flat, p);
    pack_collide(span, span->near, substep, &n->others, p);
}

/* Marks the lanes that the substep left as they were. Returns whether all are. */
MOTE_OUTLINE bool pack_settle(pack *p) {
    uint32_t all = PACK_ALL;
    for (uint32_t r = 0, at = 0; at < p->slots; r++, at += MOTE_WIDTH) {
        const wide_mask same = contain_same(wide3_load(p->before.x, at), wide3_load(p->after.x, at)) &
                               contain_same(wide3_load(p->before.v, at), wide3_load(p->after.v, at));
        p->steady[r] = wide_lane_bits(same) & ~p->listed[r];
        p->listed[r] = 0;
        all &= p->steady[r];
    }
    return all == PACK_ALL;
}

/* Finds the planes and height fields of a list. */
MOTE_INLINE void find_flat(const mote_collision *c, const mote_near *near, mote_near *flat) {
    flat->count = 0, flat->free = near->free;
    for (uint32_t k = 0; k < near->count; k++) {
        const mote_collider_pose *pose = &c->poses[near->index[k]];
        flat->index[flat->count] = near->index[k];
        flat->count += pose->height_field || pose->kind == MOTE_COLLIDER_PLANE;
    }
}

/* Returns the state that starts at slot `first` of the columns of a span. */
MOTE_INLINE pack_state pack_columns(const mote_span *span, size_t first) {
    pack_state state;
    for (int axis = 0; axis < 3; axis++)
        state.x[axis] = span->x[axis] + first, state.v[axis] = span->v[axis] + first;
    return state;
}

/* Runs the only step of slots [first, first + slots) of a span with collisions, without stuck particles and
 * orientations. The first substep reads the columns of the span; later ones change places between two states
 * beside them. */
MOTE_INLINE void pack_block(const mote_plan *plan, const mote_span *span, mote_instance of, size_t first,
                            size_t slots, uint32_t *frozen) {
    MOTE_ALIGNED(64) float memory[PACK_COLUMNS - 1][PACK_STRIDE]; /* radii have a column of the system */
    pack p;
    find_flat(span->collision, span->near, &p.near.flat_list);
    pack_state other = {{memory[0], memory[1], memory[2]}, {memory[3], memory[4], memory[5]}};
    p.before = pack_columns(span, first);
    p.after = (pack_state){{memory[6], memory[7], memory[8]}, {memory[9], memory[10], memory[11]}};
    p.room = memory[12];
    p.first = first, p.slots = slots;
    const bool may_settle = span->collision->still && !plan->timed;
    memset(p.listed, 0, sizeof p.listed);
    memset(p.steady, 0, sizeof p.steady);
    for (uint32_t substep = 0; substep < plan->substeps; substep++) {
        p.near.reaching.count = 0;
        if (substep == 0)
            for (size_t at = 0; at < slots; at += MOTE_WIDTH) pack_register(plan, span, of, 0, at, &p);
        else
            for (size_t at = 0; at < slots; at += MOTE_WIDTH) pack_register(plan, span, of, substep, at, &p);
        pack_collide_all(span, substep, &p);
        const bool settled = may_settle && substep + 1 < plan->substeps && pack_settle(&p);
        const pack_state last = substep ? p.before : other;
        p.before = p.after, p.after = last;
        if (settled) break;
    }
    pack_store(plan, span, &p, frozen);
}

#endif
