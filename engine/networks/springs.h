/* Spring forces of a block. Interleaved: each spring is evaluated once and applied to both ends. Sliced: each
 * particle sums the springs that end at it. The sums and their order are the same: d, and with it the force,
 * negates exactly, and no sum is ever -0, so the +0 or -0 that a masked lane adds has no effect. */
#ifndef MOTE_NETWORKS_SPRINGS_H
#define MOTE_NETWORKS_SPRINGS_H

#include "networks/work.h"

typedef struct network_point {
    wide3 x, v;
} network_point;

/* Contribution of a spring to its end a; b gets the opposite. A force, or under the kinematic integrators an
 * impulse and a displacement times mass. */
typedef struct network_force_sum {
    wide3 force, shift;
} network_force_sum;

/* Properties of a kernel instance, then of a packet. Most packets are whole. */
typedef struct network_kind {
    bool uncoupled; /* each spring acts as if it were the only one */
    bool damped;    /* some lane is */
    bool whole;     /* uniform, contiguous, no lane masked */
} network_kind;

/* Pointers to the columns, so that an address takes one instruction. */
typedef struct network_state {
    const float *x[3], *v[3];
    float *force[3], *shift[3];
} network_state;

MOTE_INLINE network_state network_state_of(const mote_network_scratch *c) {
    network_state s;
    for (int axis = 0; axis < 3; axis++) {
        s.x[axis] = network_column(c, COLUMN(x) + axis), s.v[axis] = network_column(c, COLUMN(v) + axis);
        s.force[axis] = network_column(c, COLUMN(force) + axis),
        s.shift[axis] = network_column(c, COLUMN(shift) + axis);
    }
    return s;
}

MOTE_INLINE wide3 network_at(const float *const column[3], ptrdiff_t at) {
    return (wide3){wide_load(column[0] + at), wide_load(column[1] + at), wide_load(column[2] + at)};
}

MOTE_INLINE wide3 network_apart(const float *const column[3], const int32_t index[MOTE_WIDTH]) {
    return (wide3){wide_gather(column[0], index), wide_gather(column[1], index),
                   wide_gather(column[2], index)};
}

/* F = (k (|d| - L) + c d'.n) n. Lanes without damping read no velocity, even in a damped packet. */
MOTE_INLINE wide3 network_force(wide3 d, const network_point *a, const network_point *b,
                                const network_terms *t, network_kind kind) {
    wide length = wide_sqrt(wide3_dot(d, d));
    wide inverse = wide_set(1.0f) / wide_max(length, wide_set(NETWORK_SHORTEST));
    wide tension = t->stiffness * (length - t->length);
    if (kind.damped) {
        wide more = t->damping * (wide3_dot(d, wide3_sub(b->v, a->v)) * inverse);
        tension += kind.whole ? more : wide_select(wide_less((wide){0}, t->damping), more, (wide){0});
    }
    return wide3_scale(tension * inverse, d);
}

/* Uncoupled spring: its unit responses, linearised along n at the start of the substep. */
MOTE_INLINE network_force_sum network_uncoupled(const mote_network *n, wide3 d, const network_point *a,
                                                const network_point *b, wide rest, size_t entry) {
    const wide zero = {0};
    wide length = wide_sqrt(wide3_dot(d, d));
    wide inverse = wide_set(1.0f) / wide_max(length, wide_set(NETWORK_SHORTEST));
    wide e = length - rest, rate = wide3_dot(d, wide3_sub(b->v, a->v)) * inverse, unit_response[4];
    for (int i = 0; i < 4; i++) unit_response[i] = wide_load(n->entry_response[i] + entry);
    wide impulse = zero - (unit_response[0] * e + unit_response[1] * rate),
         shift = zero - (unit_response[2] * e + unit_response[3] * rate);
    return (network_force_sum){wide3_scale(impulse * inverse, d), wide3_scale(shift * inverse, d)};
}

/* One register of a packet with ends a and b. */
MOTE_INLINE network_force_sum network_spring(const mote_network *n, const mote_network_packet *packet,
                                             network_kind kind, const network_point *a,
                                             const network_point *b, size_t lane, size_t entry) {
    const wide3 d = wide3_sub(b->x, a->x);
    const network_terms t = network_terms_of(n, packet, kind.whole, entry);
    network_force_sum part;
    if (kind.uncoupled)
        part = network_uncoupled(n, d, a, b, t.length, entry);
    else
        part = (network_force_sum){network_force(d, a, b, &t, kind), wide3_zero()};
    if (kind.whole) return part;
    const wide_mask exists = network_mask(packet, lane);
    return (network_force_sum){wide3_select(exists, part.force, wide3_zero()),
                               wide3_select(exists, part.shift, wide3_zero())};
}

MOTE_INLINE void network_add(float *const column[3], ptrdiff_t at, wide3 more) {
    wide3_store(column, (size_t)at, wide3_add(wide3_load(column, (size_t)at), more));
}

MOTE_INLINE void network_take(float *const column[3], ptrdiff_t at, wide3 less) {
    wide3_store(column, (size_t)at, wide3_sub(wide3_load(column, (size_t)at), less));
}

/* --- Interleaved blocks --- */

/* The other end of the last spring, in registers: in a chain it is the first end of the next one. Its force
 * is not in memory yet. at: -1 if there is none. */
typedef struct network_held {
    ptrdiff_t at;
    network_point point;
    wide3 force;
} network_held;

MOTE_INLINE void network_release(const network_state *s, const network_held *held) {
    if (held->at >= 0) wide3_store(s->force, (size_t)held->at, held->force);
}

/* Adds the force of one register of a packet to both ends. */
MOTE_INLINE void network_interleaved_packet(const mote_network *n, const network_state *s, uint32_t first,
                                            uint32_t number, network_kind kind, network_held *held,
                                            size_t lane) {
    const mote_network_packet *packet = &n->packet[number];
    const ptrdiff_t self = (ptrdiff_t)packet->self - first + (ptrdiff_t)lane;
    const ptrdiff_t other = (ptrdiff_t)packet->other - first + (ptrdiff_t)lane;
    if (held->at != self) {
        network_release(s, held);
        held->point = (network_point){network_at(s->x, self), network_at(s->v, self)};
        held->force = wide3_load(s->force, (size_t)self);
    }
    const network_point a = held->point;
    const network_point b = {network_at(s->x, other), network_at(s->v, other)};
    const network_force_sum part =
        network_spring(n, packet, kind, &a, &b, lane, (size_t)number * MOTE_GROUP + lane);
    wide3_store(s->force, (size_t)self, wide3_add(held->force, part.force));
    *held = (network_held){other, b, wide3_sub(wide3_load(s->force, (size_t)other), part.force)};
    if (!kind.uncoupled) return;
    network_add(s->shift, self, part.shift);
    network_take(s->shift, other, part.shift);
}

MOTE_INLINE void forces_interleaved(const mote_network_job *job, const mote_network_scratch *c,
                                    const mote_network_block *block, bool damped, bool uncoupled) {
    const mote_network *n = job->network;
    const network_state state = network_state_of(c);
    const uint32_t first = c->first, end = block->first_packet + block->packet_count;
    const ptrdiff_t from = (ptrdiff_t)block->first - first, to = from + (ptrdiff_t)block->groups * MOTE_GROUP;
    for (ptrdiff_t at = from; at < to; at += MOTE_WIDTH) {
        wide3_store(state.force, (size_t)at, wide3_zero());
        if (uncoupled) wide3_store(state.shift, (size_t)at, wide3_zero());
    }
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        network_held held = {.at = -1};
        for (uint32_t i = block->first_packet; i < end; i++) {
            const mote_network_packet *packet = &n->packet[i];
            const bool some = damped && packet->damped, whole = mote_network_is_whole(packet);
            if (some && whole)
                network_interleaved_packet(n, &state, first, i, (network_kind){uncoupled, true, true}, &held,
                                           lane);
            else if (some)
                network_interleaved_packet(n, &state, first, i, (network_kind){uncoupled, true, false}, &held,
                                           lane);
            else if (whole)
                network_interleaved_packet(n, &state, first, i, (network_kind){uncoupled, false, true}, &held,
                                           lane);
            else
                network_interleaved_packet(n, &state, first, i, (network_kind){uncoupled, false, false},
                                           &held, lane);
        }
        network_release(&state, &held);
    }
}

/* --- Sliced blocks --- */

/* One register of a sliced packet: entries from `entry` on, of the slots from `at` on. */
MOTE_INLINE network_force_sum network_sliced_packet(const mote_network *n, const network_state *s,
                                                    uint32_t first, uint32_t number, network_kind kind,
                                                    ptrdiff_t at, size_t lane) {
    const mote_network_packet *packet = &n->packet[number];
    const size_t entry = (size_t)number * MOTE_GROUP + lane;
    const bool velocity = kind.uncoupled || kind.damped;
    network_point a = {network_at(s->x, at), wide3_zero()}, b = a;
    if (velocity) a.v = network_at(s->v, at);
    if (kind.whole || packet->contiguous) {
        const ptrdiff_t other = (ptrdiff_t)packet->other - first + (ptrdiff_t)lane;
        b.x = network_at(s->x, other);
        if (velocity) b.v = network_at(s->v, other);
    } else {
        int32_t index[MOTE_WIDTH];
        for (int i = 0; i < MOTE_WIDTH; i++) index[i] = (int32_t)(n->entry_other[entry + (size_t)i] - first);
        b.x = network_apart(s->x, index);
        if (velocity) b.v = network_apart(s->v, index);
    }
    return network_spring(n, packet, kind, &a, &b, lane, entry);
}

/* Sums the springs of one register of slots. */
MOTE_INLINE network_force_sum network_sliced_packets(const mote_network *n, const network_state *s,
                                                     uint32_t first, uint32_t g, bool damped, bool uncoupled,
                                                     size_t lane) {
    const mote_network_group group = n->group[g];
    const ptrdiff_t at = (ptrdiff_t)g * MOTE_GROUP - first + (ptrdiff_t)lane;
    network_force_sum sum = {wide3_zero(), wide3_zero()};
    for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++) {
        const mote_network_packet *packet = &n->packet[i];
        network_force_sum part;
        if (damped && packet->damped && mote_network_is_whole(packet))
            part = network_sliced_packet(n, s, first, i, (network_kind){uncoupled, true, true}, at, lane);
        else if (damped && packet->damped)
            part = network_sliced_packet(n, s, first, i, (network_kind){uncoupled, true, false}, at, lane);
        else if (mote_network_is_whole(packet))
            part = network_sliced_packet(n, s, first, i, (network_kind){uncoupled, false, true}, at, lane);
        else
            part = network_sliced_packet(n, s, first, i, (network_kind){uncoupled, false, false}, at, lane);
        sum.force = wide3_add(sum.force, part.force);
        if (uncoupled) sum.shift = wide3_add(sum.shift, part.shift);
    }
    return sum;
}

MOTE_INLINE void forces_sliced(const mote_network_job *job, const mote_network_scratch *c,
                               const mote_network_block *block, bool damped, bool uncoupled) {
    const network_state state = network_state_of(c);
    const uint32_t first_group = block->first / MOTE_GROUP, first = c->first;
    for (uint32_t g = first_group; g < first_group + block->groups; g++)
        for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
            const network_force_sum sum =
                network_sliced_packets(job->network, &state, first, g, damped, uncoupled, lane);
            const size_t at = (size_t)g * MOTE_GROUP - first + lane;
            wide3_store(state.force, at, sum.force);
            if (uncoupled) wide3_store(state.shift, at, sum.shift);
        }
}

#endif
