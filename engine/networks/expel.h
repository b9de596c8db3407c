/* Points that are in a collider at the start of a substep: put there by the host, or by another collider.
 * They leave it before the substep, in position alone: start and x* move by the same way. As part of the
 * substep, the depth over h would become their velocity (measured: a chain 4 mm in a floor flew 3 m high).
 *
 * The springs of such points are strained by it, and would throw the net. So the particles around move too,
 * in position alone: e minimises m/2 |e|^2 / H^2 + U(x0 + e) - U(x0) - e grad U(x0), with the points in
 * contact held at the surface. It is 0 if no point leaves, for any strain of x0. H is so long that springs
 * are stiff compared to m / H^2 (EXPEL_STIFFNESS in relax.h). In the dual solver, which has no contacts,
 * contacts and lengths are solved in turn, with points in contact that are heavy. */
#ifndef MOTE_NETWORKS_EXPEL_H
#define MOTE_NETWORKS_EXPEL_H

#include "networks/crease.h"

/* Shortest rest length, and sum of the stiffness, of the springs of one register of slots. */
typedef struct network_springs {
    wide shortest, stiffness;
} network_springs;

MOTE_INLINE network_springs network_springs_of(const mote_network *n, const mote_network_scratch *c,
                                               uint32_t slot) {
    const mote_network_group group = n->group[slot / MOTE_GROUP];
    const size_t lane = slot % MOTE_GROUP;
    network_springs all = {wide_set(1e30f), (wide){0}};
    for (uint32_t i = group.first_packet; i < group.first_packet + group.packet_count; i++) {
        const network_end e = network_end_of(n, c, i, lane);
        const network_terms t = network_terms_of(n, e.packet, false, e.entry);
        all.shortest = wide_select(e.exists & wide_less((wide){0}, t.length),
                                   wide_min(all.shortest, t.length), all.shortest);
        all.stiffness += wide_select(e.exists, t.stiffness, (wide){0});
    }
    return all;
}

/* Ways out of what points are in: of one collider along its normal, of two along both. pressed: lanes that
 * two colliders leave no room; their way is 0. */
typedef struct network_ways {
    wide3 way;
    wide_mask in, pressed;
} network_ways;

/* Returns the way out from `start` of the lanes that leave `contact`, of which COLUMN(start) has done so. */
MOTE_INLINE network_ways network_leave_both(const mote_network_job *job, const mote_network_scratch *c,
                                            uint32_t substep, uint32_t slot, wide3 start,
                                            const mote_contact *contact, network_ways one) {
    network_crease at = {.first = *contact};
    if (!network_find_crease(job, c, (network_path){substep, COLUMN(start), true}, slot, one.in, start, &at))
        return one;
    const network_pair out = network_solve_pair(&at, at.first_depth, at.second_depth);
    const wide_mask room = ~network_is_narrow(&at);
    one.pressed = at.in & ~room, one.in &= ~one.pressed;
    one.way = wide3_select(at.in, wide3_select(room, out.sum, wide3_zero()), one.way);
    return one;
}

/* MOTE_SOLVE_EXPEL. COLUMN(direction) keeps the start. Sums the squares of the ways. */
MOTE_INLINE void network_expel(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                               uint32_t slot, network_sums *sums) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide zero = {0};
    const wide3 start = network_load3(c, COLUMN(start), at);
    float *const touch = network_column(c, COLUMN(touch)) + at;
    mote_contact contact;
    network_store3(c, COLUMN(direction), at, start);
    wide_store(touch, zero);
    if (!network_find_contact(job, c, (network_path){substep, COLUMN(start), true}, slot, &contact)) return;
    const wide depth = wide_max(contact.offset - wide3_dot(contact.normal, start), zero);
    network_ways out = {wide3_scale(depth, contact.normal), wide_less(zero, depth), (wide_mask){0}};
    if (!wide_lane_bits(out.in)) return;
    network_store3(c, COLUMN(start), at, wide3_select(out.in, wide3_add(start, out.way), start));
    out = network_leave_both(job, c, substep, slot, start, &contact, out);
    const wide3 x = network_load3(c, COLUMN(x), at);
    network_store3(c, COLUMN(start), at, wide3_select(out.in, wide3_add(start, out.way), start));
    network_store3(c, COLUMN(x), at, wide3_select(out.in, wide3_add(x, out.way), x));
    wide_store(touch, wide_select(out.pressed, wide_set(NETWORK_IS_PRESSED), zero));
    const wide shortest = network_springs_of(job->network, c, slot).shortest,
               square = wide_select(out.in, wide3_dot(out.way, out.way), zero);
    network_gather_sums(sums, slot % MOTE_GROUP, square, wide_sqrt(square) / shortest);
}

/* MOTE_SOLVE_RELAX. COLUMN(start_v) of pins keeps where they travel to. */
MOTE_INLINE void network_relax(const mote_network_job *job, const mote_network_scratch *c, uint32_t slot,
                               network_sums *sums) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide inverse_mass = wide_load(job->network->range.inverse_mass + slot), zero = {0};
    const wide_mask free = wide_less(zero, inverse_mass);
    const wide3 start = network_load3(c, COLUMN(direction), at);
    network_store3(
        c, COLUMN(start_v), at,
        wide3_select(free, network_load3(c, COLUMN(start_v), at), network_load3(c, COLUMN(x), at)));
    network_store3(c, COLUMN(start), at, start);
    network_store3(c, COLUMN(x), at, start);
    network_keep_predicted(c, at);
    network_store3(c, COLUMN(normal), at, wide3_zero());
    network_store3(c, COLUMN(drift), at, wide3_zero());
    network_store3(c, COLUMN(friction_shift), at, wide3_zero());
    wide_store(network_column(c, COLUMN(friction_used)) + at, zero);
    const wide square = inverse_mass * network_springs_of(job->network, c, slot).stiffness;
    network_gather_gain(sums, slot % MOTE_GROUP, wide_select(free, square, zero),
                        wide_select(free, wide_set(1.0f), zero));
}

/* MOTE_SOLVE_BALANCE: the residual h^2 F - M (x - x* - friction_shift) is 0. */
MOTE_INLINE void network_balance(const mote_network_job *job, const mote_network_scratch *c, uint32_t slot) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide h = wide_set(job->plan->c.h),
               inverse_mass = wide_load(job->network->range.inverse_mass + slot);
    const wide3 force = network_load3(c, COLUMN(force), at);
    network_store3(c, COLUMN(friction_shift), at,
                   wide3_select(wide_less((wide){0}, inverse_mass),
                                wide3_scale((wide){0} - inverse_mass, wide3_scale(h * h, force)),
                                wide3_zero()));
}

/* Factor of the inverse mass of points in contact in the dual solver. Springs between two of them still have
 * a solution, unlike with 0. */
#define EXPEL_HEAVY 1e-3f

/* MOTE_SOLVE_WEIGH. */
MOTE_INLINE void network_weigh(const mote_network_job *job, const mote_network_scratch *c, uint32_t slot) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const mote_contact contact = network_recorded_contact(c, at);
    const wide share = wide_select(mote_contact_has(&contact), wide_set(EXPEL_HEAVY), wide_set(1.0f));
    wide_store(network_column(c, COLUMN(mass)) + at,
               share * wide_load(job->network->range.inverse_mass + slot));
}

/* MOTE_SOLVE_RESUME. */
MOTE_INLINE void network_resume(const mote_network_job *job, const mote_network_scratch *c, uint32_t slot) {
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    const wide_mask free = wide_less((wide){0}, wide_load(job->network->range.inverse_mass + slot));
    const wide3 x = network_load3(c, COLUMN(x), at),
                predicted = wide3_add_scaled(x, wide_set(job->plan->c.h), network_load3(c, COLUMN(v), at));
    network_store3(c, COLUMN(start), at, x);
    network_store3(c, COLUMN(x), at, wide3_select(free, predicted, network_load3(c, COLUMN(start_v), at)));
}

MOTE_INLINE mote_solve_sums network_expel_range(const mote_network_job *job, const mote_network_scratch *c,
                                                mote_solver_pass pass, uint32_t substep, uint32_t first,
                                                uint32_t end) {
    network_sums sums;
    memset(&sums, 0, sizeof sums);
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        if (pass == MOTE_SOLVE_EXPEL)
            network_expel(job, c, substep, slot, &sums);
        else if (pass == MOTE_SOLVE_RELAX)
            network_relax(job, c, slot, &sums);
        else if (pass == MOTE_SOLVE_BALANCE)
            network_balance(job, c, slot);
        else if (pass == MOTE_SOLVE_WEIGH)
            network_weigh(job, c, slot);
        else
            network_resume(job, c, slot);
    }
    return network_sums_total(&sums);
}

#endif
