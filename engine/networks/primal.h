/* Primal solver: constrained networks without rigid springs. Implicit Euler by Newton's method on the
 * positions. Each linear system, (M + h^2 K) dx = h^2 F(x) - M (x - x*), K = sum of (k + c/h) n n^T + max(0,
 * T/|d|) (1 - n n^T), is solved by conjugate gradients (Hestenes & Stiefel 1952) with a multilevel
 * preconditioner (multilevel.h).
 *
 * Multipliers, as for rigid springs, were rejected here. Conjugate gradients on the positions, stopped early,
 * still lower the energy that implicit Euler minimises, as far as a Newton step does. On the multipliers they
 * do not: a net of 64 x 64 with more springs than unknowns gained energy without bound at 64 iterations
 * (measured). The energy of the motion may still rise where far too few iterations are allowed. The part of K
 * across a spring (T/|d|) keeps a taut spring from oscillating sideways; it is used under tension only (Choi
 * & Ko, ACM Trans. Graph. 21 (2002) 604). */
#ifndef MOTE_NETWORKS_PRIMAL_H
#define MOTE_NETWORKS_PRIMAL_H

#include "networks/multilevel.h"

MOTE_INLINE wide_block wide_block_add(wide_block a, wide along, wide across, wide3 n) {
    const wide more = along - across; /* along n n^T + across (1 - n n^T) */
    const wide3 m = wide3_scale(more, n);
    const wide part[6] = {m.x * n.x + across, m.x * n.y, m.x * n.z,
                          m.y * n.y + across, m.y * n.z, m.z * n.z + across};
    for (int i = 0; i < 6; i++) a.of[i] += part[i];
    return a;
}

MOTE_INLINE wide_block network_load_block(const mote_network_scratch *c, ptrdiff_t at) {
    wide_block a;
    for (int i = 0; i < 6; i++) a.of[i] = wide_load(network_column(c, COLUMN(block) + i) + at);
    return a;
}

/* A spring end at the present positions: direction, length, and the tension of implicit Euler. */
typedef struct network_tension {
    wide3 direction;
    wide length, rest, tension, along; /* along: k + c / h */
} network_tension;

MOTE_INLINE network_tension network_tension_of(const mote_network_job *job, const mote_network_scratch *c,
                                               const network_end *e, ptrdiff_t at) {
    const mote_network *n = job->network;
    const network_terms t = network_terms_of(n, e->packet, false, e->entry);
    network_tension s = {.rest = t.length, .along = wide_select(e->exists, t.stiffness, (wide){0})};
    s.length = network_length_in(c, COLUMN(x), e, at, &s.direction);
    s.length = wide_select(e->exists, s.length,
                           (wide){0}); /* masked lanes may read values of another network in the scratch */
    s.tension = s.along * (s.length - s.rest);
    if (e->packet->damped) {
        wide3 start_direction;
        const wide start_length = network_length_in(c, COLUMN(start), e, at, &start_direction);
        const wide rate = wide_select(e->exists & wide_less((wide){0}, t.damping),
                                      wide_set((float)(1.0 / job->plan->h)) * t.damping, (wide){0});
        s.along += rate;
        s.tension += rate * (s.length - start_length);
    }
    s.tension = wide_select(e->exists, s.tension, (wide){0});
    return s;
}

/* Projects v onto the tangent plane of points in contact. */
MOTE_INLINE wide3 network_project_tangent(const mote_network_job *job, const mote_network_scratch *c,
                                          ptrdiff_t at, wide3 v) {
    if (!job->collider_count) return v;
    const wide3 normal = network_load3(c, COLUMN(normal), at);
    return wide3_sub(v, wide3_scale(wide3_dot(normal, v), normal));
}

/* Normal impulse of contacts, over mass: the normal residual with its sign reversed. Negative ones are
 * clamped to zero. */
MOTE_INLINE void network_normal_impulse(const mote_network_scratch *c, ptrdiff_t at, wide inverse_mass,
                                        wide3 residual) {
    const wide out = inverse_mass * wide3_dot(network_load3(c, COLUMN(normal), at), residual);
    wide_store(network_column(c, COLUMN(normal_impulse)) + at, wide_max((wide){0} - out, (wide){0}));
}

/* Newton's linearisation for one register of slots: spring forces, diagonal blocks, residual and first
 * direction. */
MOTE_INLINE void network_primal_linearise(const mote_network_job *job, const mote_network_scratch *c,
                                          uint32_t slot, network_sums *sums) {
    const mote_network *n = job->network;
    const mote_network_group group = n->group[slot / MOTE_GROUP];
    const size_t lane = slot % MOTE_GROUP;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide zero = {0}, one = wide_set(1.0f), square = wide_set(job->plan->c.h) * wide_set(job->plan->c.h);
    const wide inverse_mass = wide_load(n->range.inverse_mass + slot);
    const wide_mask free = wide_less(zero, inverse_mass);
    const wide mass = wide_select(free, one / inverse_mass, zero);
    /* Spring forces, and diagonal blocks of M + h^2 K. */
    wide3 force = wide3_zero();
    wide_block block = {{mass, zero, zero, mass, zero, mass}};
    wide shortest = wide_set(1e30f);
    for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++) {
        const network_end e = network_end_of(n, c, i, lane);
        const network_tension s = network_tension_of(job, c, &e, at);
        const wide along = square * s.along;
        const wide across =
            square * (wide_max(s.tension, zero) / wide_max(s.length, wide_set(NETWORK_SHORTEST)));
        force = wide3_add_scaled(force, s.tension, s.direction);
        block = wide_block_add(block, along, across, s.direction);
        network_keep(n, END_COLUMN(normal), &e, s.direction.x);
        network_keep(n, END_COLUMN(normal) + 1, &e, s.direction.y);
        network_keep(n, END_COLUMN(normal) + 2, &e, s.direction.z);
        network_keep(n, END_COLUMN(along), &e, along - across);
        network_keep(n, END_COLUMN(across), &e, across);
        shortest = wide_select(e.exists & wide_less(zero, s.rest), wide_min(shortest, s.rest), shortest);
    }
    /* Residual h^2 F - M (x - x*); at contacts its tangential part. */
    const wide3 inertia = wide3_scale(
        mass, wide3_sub(network_load3(c, COLUMN(x), at), network_load3(c, COLUMN(predicted), at)));
    const wide3 all = wide3_select(free, wide3_sub(wide3_scale(square, force), inertia), wide3_zero());
    const wide3 r = network_project_tangent(job, c, at, all);
    if (job->collider_count) network_normal_impulse(c, at, inverse_mass, all);
    /* First direction without aggregates: z = D0^-1 r (block Jacobi). */
    const wide_block inverse = wide_block_invert(&block, free);
    const wide3 z = network_project_tangent(job, c, at, wide_block_apply(&inverse, r));
    for (int i = 0; i < 6; i++) wide_store(network_column(c, COLUMN(block) + i) + at, inverse.of[i]);
    network_store3(c, COLUMN(force), at, force);
    network_store3(c, COLUMN(residual), at, r);
    wide3_interleave(network_column(c, COLUMN(packed)) + 3 * at, r);
    network_store3(c, COLUMN(direction), at, z);
    network_gather_sums(sums, lane, wide3_dot(r, z), wide_sqrt(wide3_dot(z, z)) / shortest);
}

/* Applies the operator: q = (M + h^2 K) p. */
MOTE_INLINE void network_primal_apply(const mote_network_job *job, const mote_network_scratch *c,
                                      uint32_t slot, network_sums *sums) {
    const mote_network *n = job->network;
    const mote_network_group group = n->group[slot / MOTE_GROUP];
    const size_t lane = slot % MOTE_GROUP;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide zero = {0}, inverse_mass = wide_load(n->range.inverse_mass + slot);
    const wide_mask free = wide_less(zero, inverse_mass);
    const wide3 p = network_load3(c, COLUMN(direction), at);
    wide3 q = wide3_scale(wide_select(free, wide_set(1.0f) / inverse_mass, zero), p);
    for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++) {
        const network_end e = network_end_of(n, c, i, lane);
        const wide3 direction = network_direction(n, &e),
                    relative = wide3_sub(p, network_other3(c, COLUMN(direction), &e));
        const wide along = network_own(n, END_COLUMN(along), &e) * wide3_dot(direction, relative);
        const wide3 force =
            wide3_add_scaled(wide3_scale(network_own(n, END_COLUMN(across), &e), relative), along, direction);
        q = wide3_add(q, wide3_select(e.exists, force, wide3_zero()));
    }
    q = network_project_tangent(job, c, at, wide3_select(free, q, wide3_zero()));
    network_store3(c, COLUMN(product), at, q);
    network_gather_sums(sums, lane, wide3_dot(p, q), zero);
}

/* Conjugate-gradient update: x += alpha p, r -= alpha q; sums r D0^-1 r. */
MOTE_INLINE void network_primal_update(const mote_network_job *job, const mote_network_scratch *c,
                                       uint32_t slot, wide alpha, network_sums *sums) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide_mask free = wide_less((wide){0}, wide_load(job->network->range.inverse_mass + slot));
    const wide3 x = network_load3(c, COLUMN(x), at),
                moved = wide3_add_scaled(x, alpha, network_load3(c, COLUMN(direction), at));
    const wide_block inverse = network_load_block(c, at);
    const wide3 r = wide3_sub(network_load3(c, COLUMN(residual), at),
                              wide3_scale(alpha, network_load3(c, COLUMN(product), at)));
    const wide3 z = wide_block_apply(&inverse, r);
    /* Masked slots belong to no island: a non-finite alpha must not reach them. */
    network_store3(c, COLUMN(x), at, wide3_select(free, moved, x));
    network_store3(c, COLUMN(residual), at, r);
    wide3_interleave(network_column(c, COLUMN(packed)) + 3 * at, r);
    network_gather_sums(sums, slot % MOTE_GROUP, wide3_dot(r, z), (wide){0});
}

/* Search direction of conjugate gradients: p = z in the first, where p already has D0^-1 r, else p = z + beta
 * p. coarse: z includes the aggregates' corrections. */
MOTE_INLINE void network_primal_direction(const mote_network_job *job, const mote_network_scratch *c,
                                          uint32_t slot, bool coarse, bool first, wide beta) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide3 p = network_load3(c, COLUMN(direction), at);
    wide3 z = p;
    if (!first) {
        const wide_block inverse = network_load_block(c, at);
        z = wide_block_apply(&inverse, network_load3(c, COLUMN(residual), at));
    }
    if (coarse) z = wide3_add(z, wide3_deinterleave(network_column(c, COLUMN(packed)) + 3 * at));
    z = network_project_tangent(job, c, at, z);
    network_store3(c, COLUMN(direction), at, first ? z : wide3_add_scaled(z, beta, p));
}

MOTE_INLINE void network_primal_load(const mote_network_job *job, const mote_network_scratch *c,
                                     uint32_t slot) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    network_store3(c, COLUMN(predicted), at, network_load3(c, COLUMN(x), at));
    if (!job->collider_count) return;
    network_store3(c, COLUMN(normal), at, wide3_zero());
    network_store3(c, COLUMN(friction_shift), at, wide3_zero());
}

MOTE_INLINE mote_solve_sums network_primal_range(const mote_network_job *job, const mote_network_scratch *c,
                                                 mote_solver_pass pass, float factor, uint32_t first,
                                                 uint32_t end) {
    const mote_network *n = job->network;
    const bool coarse = n->aggregates.levels[n->island[first]] > 0;
    network_sums sums;
    memset(&sums, 0, sizeof sums);
    if (coarse && (pass == MOTE_SOLVE_FIRST_DIRECTION || pass == MOTE_SOLVE_DIRECTION))
        network_prolong(n, c, first, end);
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) switch (pass) {
        case MOTE_SOLVE_LOAD:
            network_primal_load(job, c, slot);
            break;
        case MOTE_SOLVE_LINEARISE:
            network_primal_linearise(job, c, slot, &sums);
            break;
        case MOTE_SOLVE_APPLY:
            network_primal_apply(job, c, slot, &sums);
            break;
        case MOTE_SOLVE_UPDATE:
            network_primal_update(job, c, slot, wide_set(factor), &sums);
            break;
        case MOTE_SOLVE_FIRST_DIRECTION:
            network_primal_direction(job, c, slot, coarse, true, (wide){0});
            break;
        case MOTE_SOLVE_DIRECTION:
            network_primal_direction(job, c, slot, coarse, false, wide_set(factor));
            break;
        default:
            break;
        }
    return network_sums_total(&sums);
}

#endif
