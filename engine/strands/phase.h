/* The step of a group of strands part by part, for those that are linked to other ranges: the same arithmetic
 * as strand_step.h, with everything that may act, and links among it. */
#ifndef MOTE_STRANDS_PHASE_H
#define MOTE_STRANDS_PHASE_H

#include "strands/step.h"

MOTE_INLINE bool part_has_springs(const strand_work *w) {
    return w->job->strands->def.solver == MOTE_STRAND_SPRINGS;
}

MOTE_INLINE void part_open(strand_work *w, const mote_strand_job *job, uint32_t group) {
    work_begin(w, job, group, work_scratch(w));
    place(w, WORK_X, 0);
}

MOTE_INLINE void part_begin(strand_work *w, uint32_t substep) {
    if (!part_has_springs(w)) return;
    move_pinned(w, substep);
    if (w->job->collider_count) keep_start(w);
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
        strand_begin(w, w->job->plan->scheme->family, lane);
}

/* Where there are no callbacks, their columns are cleared. */
MOTE_INLINE void part_ready(strand_work *w, mote_phase_place at) {
    if (part_has_springs(w))
        place(w, WORK_X, ticks_within(w, at.substep, w->job->plan->scheme->time[at.stage]));
    sum_callbacks(w, stage_time(w, at.substep, at.stage));
}

MOTE_INLINE strand_place part_place(const strand_work *w, mote_phase_place at) {
    return (strand_place){.stage = at.stage, .time = stage_time(w, at.substep, at.stage), .callbacks = true};
}

MOTE_INLINE void part_stage(strand_work *w, mote_coupled_instance of, mote_phase_place at) {
    strand_place p = part_place(w, at);
    for (; p.lane < MOTE_GROUP; p.lane += MOTE_WIDTH)
        strand_stage(w, of, STRAND_STRETCH | STRAND_EXTRAS, &p, mote_plan_weight(w->job->plan, at.stage));
}

MOTE_INLINE void part_predict(strand_work *w, mote_phase_place at) {
    strand_place p = part_place(w, at);
    for (; p.lane < MOTE_GROUP; p.lane += MOTE_WIDTH) predict_all(w, &p);
}

MOTE_INLINE void part_end(strand_work *w, uint32_t substep) {
    if (!part_has_springs(w)) {
        if (w->job->strands->compliant)
            constrain(w, true, false, substep);
        else
            constrain(w, true, true, substep);
        return;
    }
    place(w, WORK_X, ticks_within(w, substep, 1));
    if (w->job->collider_count) resolve_contacts(w, substep);
}

MOTE_INLINE void part_close(strand_work *w) {
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) work_commit(w, lane);
}

#endif
