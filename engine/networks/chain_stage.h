/* Forces and a Runge-Kutta stage of chains in one pass: the springs of a block join each row of slots to the
 * next one, so that a row has all its force, and can take its stage, as soon as the spring ahead of it is
 * evaluated. The bits are those of springs.h and stage.h; forces are not stored. */
#ifndef MOTE_NETWORKS_CHAIN_STAGE_H
#define MOTE_NETWORKS_CHAIN_STAGE_H

#include "networks/springs.h"
#include "networks/stage.h"

/* The stage of one register at `slot`. */
MOTE_INLINE void chain_row(const mote_network_job *job, const mote_network_scratch *c,
                           const mote_coupled_affine *own, uint32_t stage, bool first_stage, bool last_stage,
                           const network_point *here, wide3 force, uint32_t slot) {
    const mote_coupled_instance of = {.family = MOTE_FAMILY_RUNGE_KUTTA};
    const ptrdiff_t at = (ptrdiff_t)slot - c->first;
    mote_lanes s = {.x = here->x, .v = here->v};
    if (!first_stage) {
        s.base_x = network_load3(c, COLUMN(carry), at), s.base_v = network_load3(c, COLUMN(carry) + 3, at);
        s.sum_x = network_load3(c, COLUMN(carry) + 6, at), s.sum_v = network_load3(c, COLUMN(carry) + 9, at);
    }
    const mote_lanes old = s;
    const mote_external external = {.inverse_mass = wide_load(job->network->range.inverse_mass + slot)};
    const wide3 dv = mote_coupled_kick(own, of, 0, &s, &external, force);
    mote_runge_kutta_stage(&s, &job->plan->c, first_stage ? 0 : stage, last_stage, dv);
    network_store_free(c, external.inverse_mass, &old, &s, at);
    network_keep_carry(c, of.family, first_stage, last_stage, &s, at);
}

MOTE_INLINE void chain_stage(const mote_network_job *job, const mote_network_scratch *columns,
                             const mote_network_block *block, uint32_t stage, bool damped) {
    const bool first_stage = stage == 0, last_stage = stage + 1 == job->plan->stages;
    const mote_network_scratch copy = {columns->memory, NETWORK_STRIDE, columns->first}, *c = &copy;
    const mote_network *n = job->network;
    const mote_coupled_affine own = mote_coupled_affine_of(job->plan, stage);
    const network_kind kind = {.damped = damped, .whole = true};
    const uint32_t end = block->first + block->groups * MOTE_GROUP,
                   packets = block->first_packet + block->packet_count;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        ptrdiff_t at = (ptrdiff_t)block->first - c->first + lane;
        uint32_t number = block->first_packet;
        network_point here = {network_load3(c, COLUMN(x), at), network_load3(c, COLUMN(v), at)};
        wide3 behind = wide3_zero();
        for (uint32_t row = block->first; row < end; row += MOTE_GROUP, at += MOTE_GROUP) {
            network_point ahead = here;
            wide3 force = behind;
            behind = wide3_zero();
            if (row + MOTE_GROUP < end)
                ahead = (network_point){network_load3(c, COLUMN(x), at + MOTE_GROUP),
                                        network_load3(c, COLUMN(v), at + MOTE_GROUP)};
            if (number < packets && n->packet[number].self == row) {
                const wide3 part = network_spring(n, &n->packet[number], kind, &here, &ahead, lane,
                                                  (size_t)number * MOTE_GROUP + lane)
                                       .force;
                force = wide3_add(force, part), behind = wide3_sub(behind, part);
                number++;
            }
            chain_row(job, c, &own, stage, first_stage, last_stage, &here, force, row + lane);
            here = ahead;
        }
    }
}

#endif
