/* Phases of the step of a lane group of strands. A group without links runs all of them at once; a linked
 * group runs each phase in lockstep with the ranges that it is linked to. */
#ifndef MOTE_STRANDS_PHASE_H
#define MOTE_STRANDS_PHASE_H

#include "strands/constrain.h"
#include "strands/load.h"

MOTE_INLINE bool has_springs(const strand_work *w) {
    return w->job->strands->def.solver == MOTE_STRAND_SPRINGS;
}

/* Begins a substep. Springs: sets the velocities of pinned points, and drifts where the integrator drifts
 * first. */
MOTE_INLINE void begin_phase(strand_work *w, uint32_t substep) {
    const mote_plan *plan = w->job->plan;
    if (!w->linked) fetch_ahead(w, substep, plan->substeps);
    if (!has_springs(w)) {
        if (w->callbacks && !is_soft(w)) drift_to_forces(w, substep);
        return;
    }
    move_pinned(w, substep);
    if (w->job->collider_count) keep_start(w);
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) strand_begin(w, plan->scheme->family, lane);
}

/* Springs: moves pinned points to the end of the substep. Constraints: finds their goals there, and the
 * velocity with which they go. */
MOTE_INLINE void arrive_phase(strand_work *w, uint32_t substep) {
    const double end = ticks_within(w, substep, 1);
    if (has_springs(w)) {
        place(w, WORK_X, end);
        return;
    }
    if (w->callbacks && !is_soft(w)) drift_back(w);
    place(w, IMPULSE_GOAL, end);
    if (w->moves) find_lead(w);
    for (size_t lane = 0; lane < MOTE_GROUP && w->late_kicks; lane += MOTE_WIDTH)
        work_store3(&w->c, IMPULSE_OLD_V, lane, work_load3(&w->c, WORK_V, lane));
    pinned_velocity(w, WORK_X, IMPULSE_GOAL);
    if (w->group->span_count) reach_pins(w);
}

MOTE_INLINE void solve_phase(strand_work *w, uint32_t substep) {
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) constrain(w, substep, lane);
}

/* Ends a substep of springs: contacts. */
MOTE_INLINE void end_phase(strand_work *w, uint32_t substep) {
    if (has_springs(w) && w->job->collider_count) resolve_contacts(w, substep);
}

MOTE_INLINE void run_phase(strand_work *w, const mote_phase_at *at) {
    switch (at->phase) {
    case MOTE_PHASE_LOAD:
        load_group(w);
        break;
    case MOTE_PHASE_BEGIN:
        if (!w->job->kick) begin_phase(w, at->substep);
        break;
    case MOTE_PHASE_PLACE:
        if (!w->job->kick && has_springs(w))
            place(w, WORK_X, ticks_within(w, at->substep, w->job->plan->scheme->time[at->stage]));
        break;
    case MOTE_PHASE_EVALUATE:
        if (w->callbacks) sum_callbacks(w, stage_time(w, at->substep, at->stage));
        break;
    case MOTE_PHASE_STAGE:
        w->stage(w, at);
        break;
    case MOTE_PHASE_ARRIVE:
        if (!w->job->kick) arrive_phase(w, at->substep);
        break;
    case MOTE_PHASE_SOLVE:
        if (!w->job->kick && !has_springs(w)) solve_phase(w, at->substep);
        break;
    case MOTE_PHASE_END:
        if (!w->job->kick) end_phase(w, at->substep);
        break;
    case MOTE_PHASE_CHECK:
        break;
    case MOTE_PHASE_COMMIT:
        for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) commit_lanes(w, lane);
        break;
    }
}

#endif
