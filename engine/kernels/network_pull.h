/* The springs of a block. In a LANES block each spring is evaluated once and given to both its ends; in a
 * ROWS block each particle sums those at it. The same sums in the same order: d, and with it the force,
 * negates exactly, and no sum is ever -0, so that what a masked lane adds (+0 or -0) does not show. */
#ifndef MOTE_KERNELS_NETWORK_PULL_H
#define MOTE_KERNELS_NETWORK_PULL_H

#include "kernels/network_work.h"

typedef struct net_point {
    wide3 x, v;
} net_point;

/* What a spring gives to its end a, b gets the opposite: a force, or under the kinematic integrators an
 * impulse and a displacement times mass. */
typedef struct net_push {
    wide3 force, shift;
} net_push;

/* What a kernel instance, and then a line, has. Lines that are whole, with the same spring in all lanes, are
 * the commonest. */
typedef struct net_kind {
    bool alone;  /* springs act as if each were alone */
    bool damped; /* some lane is */
    bool whole;  /* uniform, contiguous, no lane masked */
} net_kind;

/* Columns by pointers of one's own: an address is then one instruction. */
typedef struct net_state {
    const float *x[3], *v[3];
    float *force[3], *shift[3];
} net_state;

MOTE_INLINE net_state net_state_of(const mote_network_scratch *c) {
    net_state s;
    for (int axis = 0; axis < 3; axis++) {
        s.x[axis] = net_column(c, NET_X + axis), s.v[axis] = net_column(c, NET_V + axis);
        s.force[axis] = net_column(c, NET_FORCE + axis), s.shift[axis] = net_column(c, NET_SHIFT + axis);
    }
    return s;
}

MOTE_INLINE wide3 net_at(const float *const column[3], ptrdiff_t at) {
    return (wide3){wide_load(column[0] + at), wide_load(column[1] + at), wide_load(column[2] + at)};
}

MOTE_INLINE wide3 net_apart(const float *const column[3], const int32_t index[MOTE_WIDTH]) {
    return (wide3){wide_gather(column[0], index), wide_gather(column[1], index),
                   wide_gather(column[2], index)};
}

/* F = (k (|d| - L) + c d'.n) n. A spring without damping reads no velocity, whatever its neighbours in the
 * line do. */
MOTE_INLINE wide3 net_force(wide3 d, const net_point *a, const net_point *b, const net_terms *t,
                            net_kind kind) {
    wide length = wide_sqrt(wide3_dot(d, d));
    wide inverse = wide_set(1.0f) / wide_max(length, wide_set(NET_SHORTEST));
    wide tension = t->stiffness * (length - t->length);
    if (kind.damped) {
        wide more = t->damping * (wide3_dot(d, wide3_sub(b->v, a->v)) * inverse);
        tension += kind.whole ? more : wide_select(wide_less((wide){0}, t->damping), more, (wide){0});
    }
    return wide3_scale(tension * inverse, d);
}

/* The same spring as if it were alone, linearised along n at the start of the substep. */
MOTE_INLINE net_push net_alone(const mote_network *n, wide3 d, const net_point *a, const net_point *b,
                               wide rest, size_t entry) {
    const wide zero = {0};
    wide length = wide_sqrt(wide3_dot(d, d));
    wide inverse = wide_set(1.0f) / wide_max(length, wide_set(NET_SHORTEST));
    wide e = length - rest, rate = wide3_dot(d, wide3_sub(b->v, a->v)) * inverse, answer[4];
    for (int i = 0; i < 4; i++) answer[i] = wide_load(n->entry_answer[i] + entry);
    wide impulse = zero - (answer[0] * e + answer[1] * rate),
         shift = zero - (answer[2] * e + answer[3] * rate);
    return (net_push){wide3_scale(impulse * inverse, d), wide3_scale(shift * inverse, d)};
}

/* One register of a line whose ends are a and b. */
MOTE_INLINE net_push net_spring(const mote_network *n, const mote_network_line *line, net_kind kind,
                                const net_point *a, const net_point *b, size_t lane, size_t entry) {
    const wide3 d = wide3_sub(b->x, a->x);
    const net_terms t = net_terms_of(n, line, kind.whole, entry);
    net_push push;
    if (kind.alone)
        push = net_alone(n, d, a, b, t.length, entry);
    else
        push = (net_push){net_force(d, a, b, &t, kind), wide3_zero()};
    if (kind.whole) return push;
    const wide_mask exists = net_mask(line, lane);
    return (net_push){wide3_select(exists, push.force, wide3_zero()),
                      wide3_select(exists, push.shift, wide3_zero())};
}

MOTE_INLINE bool net_is_whole(const mote_network_line *line) {
    return line->uniform && line->contiguous && line->mask == 0xffff;
}

MOTE_INLINE void net_add(float *const column[3], ptrdiff_t at, wide3 more) {
    wide3_store(column, (size_t)at, wide3_add(wide3_load(column, (size_t)at), more));
}

MOTE_INLINE void net_take(float *const column[3], ptrdiff_t at, wide3 less) {
    wide3_store(column, (size_t)at, wide3_sub(wide3_load(column, (size_t)at), less));
}

/* --- Struts --- */

MOTE_INLINE void net_strut(const mote_network *n, const net_state *s, uint32_t first, uint32_t number,
                           net_kind kind) {
    const mote_network_line *line = &n->line[number];
    const bool velocity = kind.alone || kind.damped;
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const ptrdiff_t self = (ptrdiff_t)line->self - first + (ptrdiff_t)lane;
        const ptrdiff_t other = (ptrdiff_t)line->other - first + (ptrdiff_t)lane;
        net_point a = {net_at(s->x, self), wide3_zero()}, b = {net_at(s->x, other), wide3_zero()};
        if (velocity) a.v = net_at(s->v, self), b.v = net_at(s->v, other);
        const net_push push = net_spring(n, line, kind, &a, &b, lane, (size_t)number * MOTE_GROUP + lane);
        net_add(s->force, self, push.force);
        net_take(s->force, other, push.force);
        if (!kind.alone) continue;
        net_add(s->shift, self, push.shift);
        net_take(s->shift, other, push.shift);
    }
}

MOTE_INLINE void pull_struts(const mote_network_job *job, const mote_network_scratch *c,
                             const mote_network_block *block, bool damped, bool alone) {
    const mote_network *n = job->network;
    const net_state state = net_state_of(c);
    const uint32_t first = c->first, end = block->first_line + block->line_count;
    const ptrdiff_t from = (ptrdiff_t)block->first - first, to = from + (ptrdiff_t)block->groups * MOTE_GROUP;
    for (ptrdiff_t at = from; at < to; at += MOTE_WIDTH) {
        wide3_store(state.force, (size_t)at, wide3_zero());
        if (alone) wide3_store(state.shift, (size_t)at, wide3_zero());
    }
    for (uint32_t i = block->first_line; i < end; i++) {
        const mote_network_line *line = &n->line[i];
        if (damped && line->damped && net_is_whole(line))
            net_strut(n, &state, first, i, (net_kind){alone, true, true});
        else if (damped && line->damped)
            net_strut(n, &state, first, i, (net_kind){alone, true, false});
        else if (net_is_whole(line))
            net_strut(n, &state, first, i, (net_kind){alone, false, true});
        else
            net_strut(n, &state, first, i, (net_kind){alone, false, false});
    }
}

/* --- Rows --- */

/* One register of a row: entries from `entry` on, of the slots from `at` on. */
MOTE_INLINE net_push net_row(const mote_network *n, const net_state *s, uint32_t first,
                             const mote_network_line *line, net_kind kind, ptrdiff_t at, size_t lane,
                             size_t entry) {
    const bool velocity = kind.alone || kind.damped;
    net_point a = {net_at(s->x, at), wide3_zero()}, b = a;
    if (velocity) a.v = net_at(s->v, at);
    if (kind.whole || line->contiguous) {
        const ptrdiff_t other = (ptrdiff_t)line->other - first + (ptrdiff_t)lane;
        b.x = net_at(s->x, other);
        if (velocity) b.v = net_at(s->v, other);
    } else {
        int32_t index[MOTE_WIDTH];
        for (int i = 0; i < MOTE_WIDTH; i++) index[i] = (int32_t)(n->entry_other[entry + (size_t)i] - first);
        b.x = net_apart(s->x, index);
        if (velocity) b.v = net_apart(s->v, index);
    }
    return net_spring(n, line, kind, &a, &b, lane, entry);
}

/* The springs at one register of slots. */
MOTE_INLINE net_push net_rows(const mote_network *n, const net_state *s, uint32_t first, uint32_t g,
                              bool damped, bool alone, size_t lane) {
    const mote_network_group group = n->group[g];
    const ptrdiff_t at = (ptrdiff_t)g * MOTE_GROUP - first + (ptrdiff_t)lane;
    net_push sum = {wide3_zero(), wide3_zero()};
    for (uint32_t i = group.first_line; i < group.first_line + group.line_count; i++) {
        const mote_network_line *line = &n->line[i];
        const size_t entry = (size_t)i * MOTE_GROUP + lane;
        net_push push;
        if (damped && line->damped && net_is_whole(line))
            push = net_row(n, s, first, line, (net_kind){alone, true, true}, at, lane, entry);
        else if (damped && line->damped)
            push = net_row(n, s, first, line, (net_kind){alone, true, false}, at, lane, entry);
        else if (net_is_whole(line))
            push = net_row(n, s, first, line, (net_kind){alone, false, true}, at, lane, entry);
        else
            push = net_row(n, s, first, line, (net_kind){alone, false, false}, at, lane, entry);
        sum.force = wide3_add(sum.force, push.force);
        if (alone) sum.shift = wide3_add(sum.shift, push.shift);
    }
    return sum;
}

MOTE_INLINE void pull_rows(const mote_network_job *job, const mote_network_scratch *c,
                           const mote_network_block *block, bool damped, bool alone) {
    const net_state state = net_state_of(c);
    const uint32_t first_group = block->first / MOTE_GROUP, first = c->first;
    for (uint32_t g = first_group; g < first_group + block->groups; g++)
        for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
            const net_push sum = net_rows(job->network, &state, first, g, damped, alone, lane);
            const size_t at = (size_t)g * MOTE_GROUP - first + lane;
            wide3_store(state.force, at, sum.force);
            if (alone) wide3_store(state.shift, at, sum.shift);
        }
}

#endif
