/* Dual solver: constrained networks with rigid springs. Newton's method on C + a mu = 0 for all springs of an
 * island together, with C = |d| - L, a = compliance / h^2, x = x* + W J^T mu. Each linear system (J W J^T +
 * a) dmu = -(C + a mu), the Schur complement of the system of dx and dmu, is solved by conjugate gradients
 * with the diagonal as preconditioner (Hestenes & Stiefel 1952). With compliance 1/k this is implicit Euler
 * for the springs.
 *
 * Each system moves particles along the directions n of its own linearisation. Springs turn from one to the
 * next, so mu n along the last directions is not the impulse that they gave: LINEARISE sums the difference
 * (Abel's summation of dmu n over the systems) in COLUMN(force), and so reactions balance momentum exactly.
 *
 * Every spring end has its own copy of the spring's vectors. The copies have the same bits, because n only
 * changes its sign. So a pass writes only its own ends and particles and reads neighbours' positions and
 * directions u: no atomics. Sums run over a particle's ends in order, then over particles: 16 lanes by rank
 * in the island, one reduction tree, chunks in order. Every spring counts twice. */
#ifndef MOTE_NETWORKS_DUAL_H
#define MOTE_NETWORKS_DUAL_H

#include "networks/work.h"

/* One register of spring ends. */
typedef struct network_end {
    const mote_network_packet *packet;
    size_t entry;
    ptrdiff_t other; /* column index of the other ends, if contiguous */
    int32_t index[MOTE_WIDTH];
    wide_mask exists;
} network_end;

MOTE_INLINE network_end network_end_of(const mote_network *n, const mote_network_scratch *c, uint32_t number,
                                       size_t lane) {
    network_end e = {.packet = &n->packet[number], .entry = (size_t)number * MOTE_GROUP + lane};
    e.exists = network_mask(e.packet, lane);
    e.other = (ptrdiff_t)e.packet->other - c->first + (ptrdiff_t)lane;
    if (!e.packet->contiguous)
        for (int i = 0; i < MOTE_WIDTH; i++)
            e.index[i] = (int32_t)(n->entry_other[e.entry + (size_t)i] - c->first);
    return e;
}

/* Column `id` at the other ends. */
MOTE_INLINE wide network_other(const mote_network_scratch *c, int id, const network_end *e) {
    return e->packet->contiguous ? wide_load(network_column(c, id) + e->other)
                                 : wide_gather(network_column(c, id), e->index);
}

MOTE_INLINE wide3 network_other3(const mote_network_scratch *c, int id, const network_end *e) {
    return (wide3){network_other(c, id, e), network_other(c, id + 1, e), network_other(c, id + 2, e)};
}

/* Solver column `id` of the ends. */
MOTE_INLINE wide network_own(const mote_network *n, int id, const network_end *e) {
    return wide_load(n->entry_solver[id] + e->entry);
}

MOTE_INLINE void network_keep(const mote_network *n, int id, const network_end *e, wide value) {
    wide_store(n->entry_solver[id] + e->entry, value);
}

MOTE_INLINE wide3 network_direction(const mote_network *n, const network_end *e) {
    return (wide3){network_own(n, END_COLUMN(normal), e), network_own(n, END_COLUMN(normal) + 1, e),
                   network_own(n, END_COLUMN(normal) + 2, e)};
}

/* Sums of a range of slots, one for each lane of a lane group. */
typedef struct network_sums {
    MOTE_ALIGNED(64) float sum[MOTE_GROUP];
    MOTE_ALIGNED(64) float largest[MOTE_GROUP];
    MOTE_ALIGNED(64) float gain[MOTE_GROUP];
    MOTE_ALIGNED(64) float noise[MOTE_GROUP];
} network_sums;

MOTE_INLINE void network_gather_sums(network_sums *s, size_t lane, wide sum, wide largest) {
    wide_store(s->sum + lane, wide_load(s->sum + lane) + sum);
    wide_store(s->largest + lane, wide_max(wide_load(s->largest + lane), largest));
}

MOTE_INLINE void network_gather_gain(network_sums *s, size_t lane, wide gain, wide noise) {
    wide_store(s->gain + lane, wide_load(s->gain + lane) + gain);
    wide_store(s->noise + lane, wide_load(s->noise + lane) + noise);
}

/* Reduces the 16 lanes by halves. */
MOTE_INLINE mote_solve_sums network_sums_total(network_sums *s) {
    for (uint32_t half = MOTE_GROUP / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++) {
            s->sum[i] += s->sum[i + half];
            s->gain[i] += s->gain[i + half];
            s->noise[i] += s->noise[i + half];
            s->largest[i] = s->largest[i] < s->largest[i + half] ? s->largest[i + half] : s->largest[i];
        }
    return (mote_solve_sums){s->sum[0], s->largest[0], s->gain[0], s->noise[0]};
}

/* Stores x*. The displacement by the solver begins at 0. */
MOTE_INLINE void network_keep_predicted(const mote_network_scratch *c, ptrdiff_t at) {
    network_store3(c, COLUMN(predicted), at, network_load3(c, COLUMN(x), at));
    network_store3(c, COLUMN(moved), at, wide3_zero());
}

/* Adds to the displacement of free particles. Masked slots belong to no island: a non-finite factor must not
 * reach them. */
MOTE_INLINE void network_add_moved(const mote_network_scratch *c, ptrdiff_t at, wide_mask free, wide factor,
                                   wide3 more) {
    const wide3 moved = network_load3(c, COLUMN(moved), at);
    network_store3(c, COLUMN(moved), at, wide3_select(free, wide3_add_scaled(moved, factor, more), moved));
}

/* x = x* + displacement. Pinned particles have none. */
MOTE_INLINE void network_move(const mote_network_scratch *c, ptrdiff_t at) {
    network_store3(c, COLUMN(x), at,
                   wide3_add(network_load3(c, COLUMN(predicted), at), network_load3(c, COLUMN(moved), at)));
}

/* Returns |d|. *direction = d / |d|; 0 in lanes without a spring. */
MOTE_INLINE wide network_length(wide3 d, wide_mask exists, wide3 *direction) {
    wide length = wide_sqrt(wide3_dot(d, d));
    wide inverse = wide_set(1.0f) / wide_max(length, wide_set(NETWORK_SHORTEST));
    *direction = wide3_select(exists, wide3_scale(inverse, d), wide3_zero());
    return length;
}

/* Returns |d| at the positions in three columns from `id` on; *direction as above. at: of the own ends. */
MOTE_INLINE wide network_length_in(const mote_network_scratch *c, int id, const network_end *e, ptrdiff_t at,
                                   wide3 *direction) {
    return network_length(wide3_sub(network_other3(c, id, e), network_load3(c, id, at)), e->exists,
                          direction);
}

/* Compliance and damping of an implicit spring over h: C + (c/k) C' + a mu = 0 with C' = (C - C0) / h,
 * divided by 1 + c/(k h). compliance: the factor of mu; memory: that of C0, the elongation at the start of
 * the substep. */
typedef struct network_softness {
    wide compliance, memory;
} network_softness;

MOTE_INLINE network_softness network_soften(const mote_network *n, const network_end *e, double h) {
    const network_terms t = network_terms_of(n, e->packet, false, e->entry);
    const wide one = wide_set(1.0f), inverse = one / t.stiffness;
    const wide ratio = wide_set((float)(1.0 / h)) * (t.damping * inverse), share = one / (one + ratio);
    return (network_softness){wide_set((float)(1.0 / (h * h))) * inverse * share, ratio * share};
}

/* The impulse mu n of a spring, along the direction of the systems that gave it, less the same along the new
 * direction. 0 before the first system, when there is no direction. */
MOTE_INLINE wide3 network_turned(wide mu, wide3 direction, wide3 next) {
    const wide_mask acts = wide_less((wide){0}, wide_abs(mu));
    return wide3_select(acts, wide3_scale(mu, wide3_sub(direction, next)), wide3_zero());
}

/* One register of spring ends at the present positions: the error C + a mu of its length, with the damping
 * term, over a direction. */
typedef struct network_error {
    wide error, length, rest, mu, compliance;
    wide3 direction;
} network_error;

MOTE_INLINE network_error network_dual_error(const mote_network_job *job, const mote_network_scratch *c,
                                             const network_end *e, ptrdiff_t at) {
    const network_softness soft = network_soften(job->network, e, job->plan->h);
    network_error of = {.rest = network_terms_of(job->network, e->packet, false, e->entry).length,
                        .mu = network_own(job->network, END_COLUMN(multiplier), e),
                        .compliance = soft.compliance};
    wide3 start_direction;
    of.length = network_length_in(c, COLUMN(x), e, at, &of.direction);
    of.error = (of.length - of.rest) + soft.compliance * of.mu;
    if (!e->packet->damped) return of;
    const wide start_length = network_length_in(c, COLUMN(start), e, at, &start_direction);
    of.error -= soft.memory * (start_length - of.rest);
    return of;
}

/* |r| over the rest length, or r for lengths of 0. */
MOTE_INLINE wide network_relative(wide r, wide rest) {
    return wide_abs(r) / wide_select(wide_less((wide){0}, rest), rest, wide_set(1.0f));
}

/* The greatest relative error of the springs between points of which one is free. */
MOTE_INLINE void network_dual_check(const mote_network_job *job, const mote_network_scratch *c,
                                    uint32_t number, ptrdiff_t at, size_t lane, wide *largest) {
    const wide zero = {0};
    const network_end e = network_end_of(job->network, c, number, lane);
    const network_error of = network_dual_error(job, c, &e, at);
    const wide mass = network_other(c, COLUMN(mass), &e) + wide_load(network_column(c, COLUMN(mass)) + at);
    const wide_mask solvable = e.exists & wide_less(zero, mass + of.compliance);
    *largest = wide_max(*largest, wide_select(solvable, network_relative(of.error, of.rest), zero));
}

/* Newton's linearisation for one register of spring ends: residual, diagonal and first search direction. */
MOTE_INLINE void network_dual_linearise(const mote_network_job *job, const mote_network_scratch *c,
                                        uint32_t number, ptrdiff_t at, size_t lane, wide3 *force, wide *sum,
                                        wide *largest, wide *taut) {
    const wide zero = {0}, one = wide_set(1.0f);
    const mote_network *n = job->network;
    const network_end e = network_end_of(n, c, number, lane);
    const network_error of = network_dual_error(job, c, &e, at);
    const wide3 direction = of.direction;
    *force = wide3_sub(*force, network_turned(of.mu, network_direction(n, &e), direction));
    /* Diagonal of J W J^T + a. Rigid springs between two pins have none and are excluded; compliant ones act
     * on both. */
    const wide own = wide_load(network_column(c, COLUMN(mass)) + at),
               mass = network_other(c, COLUMN(mass), &e) + own;
    const wide diagonal = mass * wide3_dot(direction, direction) + of.compliance;
    const wide_mask solvable = e.exists & wide_less(zero, diagonal);
    const wide inverse = wide_select(solvable, one / diagonal, zero),
               r = wide_select(solvable, zero - of.error, zero), z = inverse * r;
    /* First search direction p = z = r / diagonal. */
    network_keep(n, END_COLUMN(normal), &e, direction.x);
    network_keep(n, END_COLUMN(normal) + 1, &e, direction.y);
    network_keep(n, END_COLUMN(normal) + 2, &e, direction.z);
    network_keep(n, END_COLUMN(compliance), &e, of.compliance);
    network_keep(n, END_COLUMN(inverse), &e, inverse);
    network_keep(n, END_COLUMN(residual), &e, r);
    network_keep(n, END_COLUMN(direction), &e, z);
    *sum += r * z;
    *largest = wide_max(*largest, network_relative(r, of.rest));
    *taut += wide_select(e.exists & wide_less(of.length, zero - own * of.mu), one, zero);
}

/* Search direction of conjugate gradients: p = z + beta p if `again`. Accumulates J^T p, which the pass
 * scales to u = W J^T p, the displacement of the particles along it. */
MOTE_INLINE void network_dual_direction(const mote_network *n, uint32_t number, size_t lane, wide beta,
                                        bool again, wide3 *sum) {
    const network_end e = {.packet = &n->packet[number], .entry = (size_t)number * MOTE_GROUP + lane};
    wide p = network_own(n, END_COLUMN(direction), &e);
    if (again) {
        p = network_own(n, END_COLUMN(inverse), &e) * network_own(n, END_COLUMN(residual), &e) + beta * p;
        network_keep(n, END_COLUMN(direction), &e, p);
    }
    *sum = wide3_sub(*sum, wide3_scale(p, network_direction(n, &e)));
}

/* Applies the operator: q = (J W J^T + a) p, by the displacements u. Adds p q to *sum and, if `squares`, q
 * D^-1 q to *gain. */
MOTE_INLINE void network_dual_apply(const mote_network *n, const mote_network_scratch *c, uint32_t number,
                                    wide3 u, size_t lane, bool squares, wide *sum, wide *gain) {
    const network_end e = network_end_of(n, c, number, lane);
    const wide p = network_own(n, END_COLUMN(direction), &e);
    const wide elongation =
        wide3_dot(network_direction(n, &e), wide3_sub(network_other3(c, COLUMN(direction), &e), u));
    const wide q =
        wide_select(e.exists, elongation + network_own(n, END_COLUMN(compliance), &e) * p, (wide){0});
    network_keep(n, END_COLUMN(product), &e, q);
    *sum += p * q;
    if (squares) *gain += q * (network_own(n, END_COLUMN(inverse), &e) * q);
}

/* Conjugate-gradient update: mu += alpha p, r -= alpha q. */
MOTE_INLINE void network_dual_update(const mote_network *n, uint32_t number, size_t lane, wide alpha,
                                     wide *sum, wide *largest) {
    const wide zero = {0};
    const network_end e = {.packet = &n->packet[number], .entry = (size_t)number * MOTE_GROUP + lane};
    const wide inverse = network_own(n, END_COLUMN(inverse), &e),
               rest = network_terms_of(n, e.packet, false, e.entry).length;
    const wide mu =
        network_own(n, END_COLUMN(multiplier), &e) + alpha * network_own(n, END_COLUMN(direction), &e);
    const wide moved =
        network_own(n, END_COLUMN(residual), &e) - alpha * network_own(n, END_COLUMN(product), &e);
    const wide r = wide_select(wide_less(zero, inverse), moved, zero); /* excluded: rigid between two pins */
    network_keep(n, END_COLUMN(multiplier), &e, mu);
    network_keep(n, END_COLUMN(residual), &e, r);
    *sum += r * (inverse * r);
    *largest = wide_max(*largest, network_relative(r, rest));
}

/* Adds the constraint force of the ends, -mu n, to that of the springs' turns; the pass scales the sum to N.
 */
MOTE_INLINE void network_dual_forces(const mote_network *n, uint32_t number, size_t lane, wide3 *sum) {
    const network_end e = {.packet = &n->packet[number], .entry = (size_t)number * MOTE_GROUP + lane};
    *sum = wide3_sub(*sum, wide3_scale(network_own(n, END_COLUMN(multiplier), &e), network_direction(n, &e)));
}

/* Adds a quarter of what elastic springs have given off since the start of the substep to the sum: their ends
 * are two, and so is their k. */
MOTE_INLINE void network_dual_released(const mote_network *n, const mote_network_scratch *c, uint32_t number,
                                       ptrdiff_t at, size_t lane, wide *sum) {
    const network_end e = network_end_of(n, c, number, lane);
    const network_terms t = network_terms_of(n, e.packet, false, e.entry);
    wide3 direction;
    const wide now = network_length_in(c, COLUMN(x), &e, at, &direction) - t.length,
               before = network_length_in(c, COLUMN(start), &e, at, &direction) - t.length;
    const wide_mask elastic = e.exists & wide_less(t.stiffness, wide_set(__builtin_inff()));
    *sum += wide_select(elastic, wide_set(0.25f) * t.stiffness * (before * before - now * now), (wide){0});
}

/* Work of the constraint forces of one register, times h: sum: on free particles with the velocity before,
 * and on pins; gain: of what they move free particles by with itself; noise: h^2 times what elastic springs
 * gave off. */
MOTE_INLINE void network_dual_work(const mote_network_job *job, const mote_network_scratch *c, ptrdiff_t at,
                                   size_t lane, wide3 force, wide released, network_sums *sums) {
    const wide zero = {0}, mass = wide_load(network_column(c, COLUMN(mass)) + at),
               h = wide_set(job->plan->c.h);
    const wide_mask free = wide_less(zero, mass);
    const wide3 v = network_load3(c, COLUMN(v), at), moved = network_load3(c, COLUMN(moved), at);
    const wide inverse = wide_set(1.0f) / mass, along = wide3_dot(force, v);
    network_gather_sums(sums, lane, wide_select(free, inverse * wide3_dot(moved, v), along), zero);
    network_gather_gain(sums, lane, wide_select(free, inverse * wide3_dot(moved, moved), zero), h * released);
}

/* One pass over one register of slots. */
MOTE_INLINE void network_dual_register(const mote_network_job *job, const mote_network_scratch *c,
                                       mote_solver_pass pass, float factor, uint32_t slot,
                                       network_sums *sums) {
    const mote_network *n = job->network;
    const mote_network_group group = n->group[slot / MOTE_GROUP];
    const size_t lane = slot % MOTE_GROUP;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide scale = wide_set(factor), mass = wide_load(network_column(c, COLUMN(mass)) + at);
    if (pass == MOTE_SOLVE_LOAD) {
        wide_store(network_column(c, COLUMN(mass)) + at, wide_load(n->range.inverse_mass + slot));
        network_keep_predicted(c, at);
        network_store3(c, COLUMN(force), at, wide3_zero());
        network_store3(c, COLUMN(normal), at, wide3_zero()); /* the dual solver has no contacts */
        for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++)
            wide_store(n->entry_solver[END_COLUMN(multiplier)] + (size_t)i * MOTE_GROUP + lane, (wide){0});
        return;
    }
    if (pass == MOTE_SOLVE_MOVE) {
        network_move(c, at);
        return;
    }
    const wide3 u = network_load3(c, COLUMN(direction), at);
    wide3 vector = wide3_zero();
    wide sum = {0}, largest = {0}, gain = {0};
    for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++) switch (pass) {
        case MOTE_SOLVE_LINEARISE:
            network_dual_linearise(job, c, i, at, lane, &vector, &sum, &largest, &gain);
            break;
        case MOTE_SOLVE_CHECK:
            network_dual_check(job, c, i, at, lane, &largest);
            break;
        case MOTE_SOLVE_FIRST_DIRECTION:
            network_dual_direction(n, i, lane, scale, false, &vector);
            break;
        case MOTE_SOLVE_DIRECTION:
            network_dual_direction(n, i, lane, scale, true, &vector);
            break;
        case MOTE_SOLVE_APPLY:
            network_dual_apply(n, c, i, u, lane, factor != 0, &sum, &gain);
            break;
        case MOTE_SOLVE_UPDATE:
            network_dual_update(n, i, lane, scale, &sum, &largest);
            break;
        case MOTE_SOLVE_COMPARE:
            network_dual_released(n, c, i, at, lane, &sum);
            network_dual_forces(n, i, lane, &vector);
            break;
        case MOTE_SOLVE_FORCES:
            network_dual_forces(n, i, lane, &vector);
            break;
        default:
            break;
        }
    if (pass == MOTE_SOLVE_UPDATE) /* x += alpha u */
        network_add_moved(c, at, wide_less((wide){0}, mass), scale, u);
    if (pass == MOTE_SOLVE_FIRST_DIRECTION || pass == MOTE_SOLVE_DIRECTION)
        network_store3(c, COLUMN(direction), at, wide3_scale(mass, vector));
    if (pass == MOTE_SOLVE_LINEARISE)
        network_store3(c, COLUMN(force), at, wide3_add(network_load3(c, COLUMN(force), at), vector));
    if (pass == MOTE_SOLVE_FORCES)
        network_store3(c, COLUMN(force), at,
                       wide3_scale(scale * wide_set((float)(1.0 / (job->plan->h * job->plan->h))),
                                   wide3_add(network_load3(c, COLUMN(force), at), vector)));
    if (pass == MOTE_SOLVE_COMPARE)
        network_dual_work(job, c, at, lane, wide3_add(network_load3(c, COLUMN(force), at), vector), sum,
                          sums);
    if (pass == MOTE_SOLVE_FORCES) /* particles keep their places, but not all of the velocity */
        network_store3(c, COLUMN(moved), at,
                       factor != 0 ? wide3_scale(scale, network_load3(c, COLUMN(moved), at)) : wide3_zero());
    if (pass == MOTE_SOLVE_LINEARISE || pass == MOTE_SOLVE_CHECK || pass == MOTE_SOLVE_APPLY ||
        pass == MOTE_SOLVE_UPDATE)
        network_gather_sums(sums, lane, sum, largest);
    if ((pass == MOTE_SOLVE_APPLY && factor != 0) || pass == MOTE_SOLVE_LINEARISE)
        network_gather_gain(sums, lane, gain, (wide){0});
}

MOTE_INLINE mote_solve_sums network_dual_range(const mote_network_job *job, const mote_network_scratch *c,
                                               mote_solver_pass pass, float factor, uint32_t first,
                                               uint32_t end) {
    network_sums sums;
    memset(&sums, 0, sizeof sums);
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH)
        network_dual_register(job, c, pass, factor, slot, &sums);
    return network_sums_total(&sums);
}

#endif
