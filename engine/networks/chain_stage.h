/* Forces and a Runge-Kutta stage of chains in one pass: the springs of a block join each row of slots to the
 * next one, so that a row has all its force, and can take its stage, as soon as the spring ahead of it is
 * evaluated; a spring gives both ends the same, whichever comes first. The bits are those of springs.h and
 * stage.h; forces are not stored. */
#ifndef MOTE_NETWORKS_CHAIN_STAGE_H
#define MOTE_NETWORKS_CHAIN_STAGE_H

#include "networks/springs.h"
#include "networks/stage.h"

/* Columns of the state that a stage evaluates. COLUMN(x) and COLUMN(v) keep that at the start of the substep
 * until its end, so that no stage stores it. */
MOTE_INLINE int chain_state(bool first_stage) { return first_stage ? COLUMN(x) : COLUMN(carry); }

MOTE_INLINE network_point chain_load(const mote_network_scratch *c, int state, ptrdiff_t at) {
    return (network_point){network_load3(c, state, at), network_load3(c, state + 3, at)};
}

/* The stage of one register, whose columns are at `at`. */
MOTE_INLINE void chain_row(const mote_plan *plan, const mote_network_scratch *c,
                           const mote_coupled_affine *own, uint32_t stage, bool first_stage, bool last_stage,
                           const network_point *here, wide3 force, wide inverse_mass, ptrdiff_t at) {
    const mote_coupled_instance of = {.family = MOTE_FAMILY_RUNGE_KUTTA};
    const int sums = COLUMN(carry) + 6;
    mote_lanes s = {.x = here->x, .v = here->v};
    const mote_lanes old = s;
    const mote_external external = {.inverse_mass = inverse_mass};
    const wide3 dv = mote_coupled_kick(own, of, 0, &s, &external, force);
    if (!first_stage) {
        const network_point base = chain_load(c, COLUMN(x), at), sum = chain_load(c, sums, at);
        s.base_x = base.x, s.base_v = base.v, s.sum_x = sum.x, s.sum_v = sum.v;
    }
    mote_runge_kutta_stage(&s, &plan->c, first_stage ? 0 : stage, last_stage, dv);
    network_store_free(c, chain_state(last_stage), inverse_mass, &old, &s, at);
    if (!last_stage) network_store3(c, sums, at, s.sum_x), network_store3(c, sums + 3, at, s.sum_v);
}

/* The stage of a block; whether it is the first or the last one, and `damped`, are constants. */
MOTE_INLINE void chain_stage(const mote_network_job *job, const mote_network_scratch *columns,
                             const mote_network_block *block, uint32_t stage, bool first_stage,
                             bool last_stage, bool damped) {
    const mote_network_scratch copy = *columns, *c = &copy;
    const mote_network *n = job->network;
    const mote_plan *plan = job->plan;
    const mote_coupled_affine own = mote_coupled_affine_of(plan, stage);
    const network_kind kind = {.damped = damped, .whole = true};
    const int state = chain_state(first_stage);
    const uint32_t end = block->first + block->groups * MOTE_GROUP;
    const mote_network_packet *const packets = n->packet, *const last = packets + block->first_packet +
                                                                        block->packet_count;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const float *inverse_mass = n->range.inverse_mass + block->first + lane;
        ptrdiff_t at = (ptrdiff_t)block->first - c->first + lane;
        const mote_network_packet *packet = packets + block->first_packet;
        network_point here = chain_load(c, state, at);
        wide3 behind = wide3_zero();
        for (uint32_t row = block->first; row < end;
             row += MOTE_GROUP, at += MOTE_GROUP, inverse_mass += MOTE_GROUP) {
            network_point ahead = here;
            wide3 force = behind;
            behind = wide3_zero();
            if (row + MOTE_GROUP < end) ahead = chain_load(c, state, at + MOTE_GROUP);
            if (packet < last && mote_network_lower(packet) == row) {
                const wide3 part = network_spring(n, packet, kind, &here, &ahead, lane,
                                                  (size_t)(packet - packets) * MOTE_GROUP + lane)
                                       .force;
                force = wide3_add(force, part), behind = wide3_sub(behind, part);
                packet++;
            }
            chain_row(plan, c, &own, stage, first_stage, last_stage, &here, force, wide_load(inverse_mass),
                      at);
            here = ahead;
        }
    }
}

/* Measured: with these constants it takes 0.92 of the time. */
MOTE_INLINE void chain_stage_of(const mote_network_job *job, const mote_network_scratch *c,
                                const mote_network_block *block, uint32_t stage) {
    const bool damped = job->network->packet[block->first_packet].damped;
    if (stage == 0)
        chain_stage(job, c, block, stage, true, false, damped);
    else if (stage + 1 == job->plan->stages)
        chain_stage(job, c, block, stage, false, true, damped);
    else
        chain_stage(job, c, block, stage, false, false, damped);
}

#endif
