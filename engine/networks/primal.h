/* Primal solver: constrained networks without rigid springs. Implicit Euler by Newton's method on the
 * positions. Each linear system, (M + h^2 K) dx = h^2 F(x) - M (x - x*), K = sum of (k + c/h) n n^T + max(0,
 * T/|d|) (1 - n n^T), is solved by conjugate gradients (Hestenes & Stiefel 1952) with a multilevel
 * preconditioner (multilevel.h). In the first systems of a substep the part across a spring has a least value
 * (LEAST_ACROSS).
 *
 * Multipliers, as for rigid springs, were rejected here. Conjugate gradients on the positions, stopped early,
 * still lower the energy that implicit Euler minimises, as far as a Newton step does. On the multipliers they
 * do not: a net of 64 x 64 with more springs than unknowns gained energy without bound at 64 iterations
 * (measured). The part of K
 * across a spring (T/|d|) keeps a taut spring from oscillating sideways; it is used under tension only (Choi
 * & Ko, ACM Trans. Graph. 21 (2002) 604). */
#ifndef MOTE_NETWORKS_PRIMAL_H
#define MOTE_NETWORKS_PRIMAL_H

#include "networks/contact.h"
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

/* Projects v onto the tangent plane of points in contact that slide; 0 where friction holds them. */
MOTE_INLINE wide3 network_project_tangent(const mote_network_job *job, const mote_network_scratch *c,
                                          ptrdiff_t at, wide3 v) {
    if (!job->collider_count) return v;
    const wide3 normal = network_load3(c, COLUMN(normal), at);
    const wide_mask held = wide_less(wide_load(network_column(c, COLUMN(friction_used)) + at), (wide){0}) &
                           wide_less((wide){0}, wide3_dot(normal, normal));
    return wide3_select(held, wide3_zero(), wide3_sub(v, wide3_scale(wide3_dot(normal, v), normal)));
}

/* --- Start of Newton's method ---
 *
 * E(x) = m/2 |x - x*|^2 / h^2 + U(x) is what implicit Euler minimises. From x* on, where stiff springs may
 * hold a hundred times the energy of the start x0, the part of E that a linear system leaves exceeds all the
 * energy there was, and becomes motion (measured: systems remove 95 to 98 % of 45 to 280 J where E(x0) is 1
 * to 2 J; the net gained energy without bound). So the method starts at x0 + s (x* - x0), s = min(1, fall of
 * the first term from x0 to x* / rise of U): E is then about E(x0) at most. Here x* has its contacts: points
 * in a collider are put out, and are held (network_hold).
 *
 * The least stiffness across springs in the first system (LEAST_ACROSS) holds the rest of the way, (1 - s)
 * (x* - x0), of particles that touch nothing, not their place: it would brake every swing of a hung net
 * (measured: a pendulum of 1 m, 10^6 N/m, 8 substeps lost 15 % of its speed in one period). */

/* x* - x0 in the frame of a point. */
MOTE_INLINE wide3 network_predicted_motion(const mote_network_job *job, const mote_network_scratch *c,
                                           ptrdiff_t at) {
    const wide3 motion = wide3_scale(wide_set(job->plan->c.h), network_load3(c, COLUMN(v), at));
    return wide3_sub(motion, network_load3(c, COLUMN(drift), at));
}

/* 2 (U(x) - U(x0)) of one register of spring ends: the tension T grows from x0 to x by `along` times the
 * elongation. */
MOTE_INLINE wide network_rise(const mote_network *n, const network_end *e, const network_tension *s) {
    const wide longer = s->length - network_own(n, END_COLUMN(old_length), e);
    return wide_select(e->exists, longer * ((s->tension + s->tension) - s->along * longer), (wide){0});
}

/* Stores the lengths of the springs at x0. COLUMN(product) has its places, moved with the frames of the
 * points; a pin, whose work counts as energy available, is where it is now. */
MOTE_INLINE void network_keep_old_length(const mote_network *n, const mote_network_scratch *c,
                                         const network_end *e, ptrdiff_t at) {
    wide3 direction;
    network_keep(n, END_COLUMN(old_length), e, network_length_in(c, COLUMN(product), e, at, &direction));
}

/* Sums h^2 (E_m(x0) - E_m(x)) and h^2 (U(x) - U(x0)). Every spring counts at both ends. */
MOTE_INLINE void network_primal_compare(const mote_network_job *job, const mote_network_scratch *c,
                                        uint32_t slot, network_sums *sums) {
    const mote_network *n = job->network;
    const mote_network_group group = n->group[slot / MOTE_GROUP];
    const size_t lane = slot % MOTE_GROUP;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide zero = {0}, h = wide_set(job->plan->c.h),
               inverse_mass = wide_load(n->range.inverse_mass + slot);
    wide rise = zero;
    for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++) {
        const network_end e = network_end_of(n, c, i, lane);
        const network_tension s = network_tension_of(job, c, &e, at);
        network_keep_old_length(n, c, &e, at);
        rise += network_rise(n, &e, &s);
    }
    /* |x0 - x*|^2 - |x - x*|^2 = (x - x0) (x* - x0 + x* - x). */
    const wide3 goal = network_predicted_motion(job, c, at), off = network_load3(c, COLUMN(moved), at),
                motion = wide3_add(goal, off);
    const wide fall = wide_set(0.5f) / inverse_mass * wide3_dot(motion, wide3_sub(goal, off));
    network_gather_sums(sums, lane, wide_select(wide_less(zero, inverse_mass), fall, zero), zero);
    network_gather_gain(sums, lane, wide_set(0.25f) * (h * (h * rise)), zero);
}

/* x = x0 + s (x - x0): the displacement from x* is s (x - x*) - (1 - s) (x* - x0). COLUMN(product): the rest
 * of the way of free particles that touch nothing. After that, frames are those of colliders again. */
MOTE_INLINE void network_primal_blend(const mote_network_job *job, const mote_network_scratch *c,
                                      uint32_t slot, wide s) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide_mask free = wide_less((wide){0}, wide_load(job->network->range.inverse_mass + slot));
    const wide3 moved = network_load3(c, COLUMN(moved), at);
    const wide3 blended =
        wide3_add_scaled(wide3_scale(s, moved), s - wide_set(1.0f), network_predicted_motion(job, c, at));
    network_store3(c, COLUMN(moved), at, wide3_select(free, blended, moved));
    network_move(c, at);
    wide3 drift = wide3_zero();
    wide_mask loose = free;
    if (job->collider_count) {
        const mote_contact contact = network_recorded_contact(c, at);
        drift = wide3_select(mote_contact_has(&contact), contact.drift, drift);
        loose &= ~mote_contact_has(&contact);
    }
    network_store3(c, COLUMN(product), at,
                   wide3_select(loose, wide3_sub(wide3_zero(), blended), wide3_zero()));
    network_store3(c, COLUMN(drift), at, drift);
}

/* --- Gain of energy ---
 *
 * For a solution x1 of implicit Euler, K1 + U1 <= K0 + U0 + W, with W the work of the applied forces from x0
 * to x1: E is stationary along the line from x0 to x1, and U convex on it, except for compressed springs.
 * Where the iterations end early, there may be more. Then there are more iterations, and after the last the
 * solver goes back on that line until the inequality holds (solve.c); where it holds, nothing changes. It
 * never fails at x0, where pins and the points in contact have travelled with what moves them, and an island
 * that touches neither has moved as a rigid body, with its momentum and angular momentum. Energies are those
 * in the frames of the points: a collider does no work on them. Elongations are subtracted, not energies, so
 * that only the rounding of positions is left: it is estimated by 2^-24 |x| T of each spring, and is no gain.
 */

/* h^2 (K1 - K0 - W) of one register, of h v0, the change h dv by the applied forces, and the displacement. */
MOTE_INLINE wide network_inertial_gain(const mote_network_job *job, const mote_network_scratch *c,
                                       ptrdiff_t at, wide mass) {
    const wide h = wide_set(job->plan->c.h);
    const wide3 drift = network_load3(c, COLUMN(drift), at), v = network_load3(c, COLUMN(v), at),
                start = network_load3(c, COLUMN(start_v), at), moved = network_load3(c, COLUMN(moved), at);
    const wide3 applied = wide3_scale(h, wide3_sub(v, start)),
                before = wide3_sub(wide3_scale(h, start), drift),
                after = wide3_add(wide3_sub(wide3_scale(h, v), drift), moved);
    const wide change = wide3_dot(wide3_add(applied, moved), wide3_add(after, before));
    const wide gain = wide_set(0.5f) * (mass * (change - wide_set(2.0f) * wide3_dot(applied, after)));
    return wide_select(wide_less((wide){0}, mass), gain, (wide){0});
}

/* --- Linear systems --- */

/* Force times h^2 of the least stiffness across a spring, `across` more than what tension gives, towards the
 * rest of the way in COLUMN(product). */
MOTE_INLINE wide3 network_guide(const mote_network_scratch *c, const network_end *e, ptrdiff_t at,
                                wide3 direction, wide across) {
    const wide3 way = wide3_sub(network_load3(c, COLUMN(product), at), network_other3(c, COLUMN(product), e));
    const wide3 lateral = wide3_sub(way, wide3_scale(wide3_dot(direction, way), direction));
    return wide3_select(e->exists, wide3_scale(across, lateral), wide3_zero());
}

/* Newton's linearisation for one register of slots: spring forces, diagonal blocks, residual and first
 * direction. Without a system to follow (MOTE_SOLVE_CHECK), only the forces and the sums. */
MOTE_INLINE void network_primal_linearise(const mote_network_job *job, const mote_network_scratch *c,
                                          mote_solver_pass pass, uint32_t slot, float least,
                                          network_sums *sums) {
    const bool last = pass == MOTE_SOLVE_CHECK, first = pass == MOTE_SOLVE_FIRST_LINEARISE,
               only = first && job->network->def.max_iterations == 1; /* nobody asks for the error */
    const mote_network *n = job->network;
    const mote_network_group group = n->group[slot / MOTE_GROUP];
    const size_t lane = slot % MOTE_GROUP;
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide zero = {0}, one = wide_set(1.0f), square = wide_set(job->plan->c.h) * wide_set(job->plan->c.h);
    const wide inverse_mass = wide_load(n->range.inverse_mass + slot);
    const wide_mask free = wide_less(zero, inverse_mass);
    const wide mass = wide_select(free, one / inverse_mass, zero);
    /* Spring forces, and diagonal blocks of M + h^2 K, with the least stiffness across and without. */
    wide3 force = wide3_zero(), guide = wide3_zero();
    wide_block block = {{mass, zero, zero, mass, zero, mass}}, bare = block;
    wide shortest = wide_set(1e30f), rise = zero, tensions = zero;
    for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++) {
        const network_end e = network_end_of(n, c, i, lane);
        const network_tension s = network_tension_of(job, c, &e, at);
        const wide along = square * s.along;
        const wide taut =
            square * (wide_max(s.tension, zero) / wide_max(s.length, wide_set(NETWORK_SHORTEST)));
        const wide across = wide_max(taut, wide_set(least) * along);
        force = wide3_add_scaled(force, s.tension, s.direction);
        if (!first) rise += network_rise(n, &e, &s);
        if (first) guide = wide3_add(guide, network_guide(c, &e, at, s.direction, across - taut));
        tensions += s.tension * s.tension;
        if (!only) bare = wide_block_add(bare, along, taut, s.direction);
        shortest = wide_select(e.exists & wide_less(zero, s.rest), wide_min(shortest, s.rest), shortest);
        if (last) continue;
        block = wide_block_add(block, along, across, s.direction);
        network_keep(n, END_COLUMN(normal), &e, s.direction.x);
        network_keep(n, END_COLUMN(normal) + 1, &e, s.direction.y);
        network_keep(n, END_COLUMN(normal) + 2, &e, s.direction.z);
        network_keep(n, END_COLUMN(along), &e, along - across);
        network_keep(n, END_COLUMN(across), &e, across);
    }
    /* Residual h^2 F - M (x - x*); at contacts its tangential part. */
    wide3 off = network_load3(c, COLUMN(moved), at);
    if (job->collider_count) off = wide3_sub(off, network_load3(c, COLUMN(friction_shift), at));
    wide3 all =
        wide3_select(free, wide3_sub(wide3_scale(square, force), wide3_scale(mass, off)), wide3_zero());
    if (job->collider_count) all = network_decide(job, c, at, all, mass, inverse_mass, first);
    wide3 r = network_project_tangent(job, c, at, all);
    /* First direction without aggregates: z = D0^-1 r (block Jacobi). The test of the strain is that z
     * without the least stiffness across, with which it would see less. */
    wide3 error = wide3_zero();
    if (!only) {
        const wide_block inverse = wide_block_invert(&bare, free);
        error = network_project_tangent(job, c, at, wide_block_apply(&inverse, r));
    }
    if (first)
        r = network_project_tangent(job, c, at, wide3_add(all, wide3_select(free, guide, wide3_zero())));
    wide3 z = error;
    network_store3(c, COLUMN(force), at, force);
    if (!last) {
        const wide_block inverse = wide_block_invert(&block, free);
        z = network_project_tangent(job, c, at, wide_block_apply(&inverse, r));
        for (int i = 0; i < 6; i++) wide_store(network_column(c, COLUMN(block) + i) + at, inverse.of[i]);
        network_store3(c, COLUMN(residual), at, r);
        wide3_interleave(network_column(c, COLUMN(packed)) + 3 * at, r);
        network_store3(c, COLUMN(direction), at, z);
    }
    network_gather_sums(sums, lane, wide3_dot(r, z), wide_sqrt(wide3_dot(error, error)) / shortest);
    if (first) return;
    const wide3 x = network_load3(c, COLUMN(x), at);
    network_gather_gain(sums, lane,
                        network_inertial_gain(job, c, at, mass) + wide_set(0.25f) * (square * rise),
                        square * (square * (wide3_dot(x, x) * tensions)));
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

/* Conjugate-gradient update: x - x* += alpha p, r -= alpha q; sums r D0^-1 r. */
MOTE_INLINE void network_primal_update(const mote_network_job *job, const mote_network_scratch *c,
                                       uint32_t slot, wide alpha, network_sums *sums) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide_mask free = wide_less((wide){0}, wide_load(job->network->range.inverse_mass + slot));
    const wide_block inverse = network_load_block(c, at);
    const wide3 next = wide3_sub(network_load3(c, COLUMN(residual), at),
                                 wide3_scale(alpha, network_load3(c, COLUMN(product), at)));
    /* Projected again: no solve removes the rounding error along the normal, and it grows in z. */
    const wide3 r = network_project_tangent(job, c, at, next);
    const wide3 z = wide_block_apply(&inverse, r);
    network_add_moved(c, at, free, alpha, network_load3(c, COLUMN(direction), at));
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
    const wide_mask free = wide_less((wide){0}, wide_load(job->network->range.inverse_mass + slot));
    network_keep_predicted(c, at);
    network_store3(c, COLUMN(product), at,
                   wide3_select(free, network_load3(c, COLUMN(start), at), network_load3(c, COLUMN(x), at)));
    network_store3(c, COLUMN(drift), at, wide3_zero());
    if (!job->collider_count) return;
    network_store3(c, COLUMN(normal), at, wide3_zero());
    network_store3(c, COLUMN(friction_shift), at, wide3_zero());
    wide_store(network_column(c, COLUMN(friction_used)) + at, (wide){0});
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
        case MOTE_SOLVE_COMPARE:
            network_primal_compare(job, c, slot, &sums);
            break;
        case MOTE_SOLVE_BLEND:
            network_primal_blend(job, c, slot, wide_set(factor));
            break;
        case MOTE_SOLVE_FIRST_LINEARISE:
        case MOTE_SOLVE_LINEARISE:
        case MOTE_SOLVE_CHECK:
            network_primal_linearise(job, c, pass, slot, factor, &sums);
            break;
        case MOTE_SOLVE_APPLY:
            network_primal_apply(job, c, slot, &sums);
            break;
        case MOTE_SOLVE_UPDATE:
            network_primal_update(job, c, slot, wide_set(factor), &sums);
            break;
        case MOTE_SOLVE_MOVE:
            network_move(c, (ptrdiff_t)slot - c->first);
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
