/* Steps of lane groups in parallel, and the callbacks that act on them. */
#include "strands/kernels.h"

#include "base/parallel.h"
#include "strands/check.h"
#include "strands/work.h"

size_t mote_strand_scratch_floats(uint32_t points) {
    return (WORK_COLUMNS + 12) * work_end(points); /* 12: see sum_callbacks */
}

size_t mote_strand_work_bytes(uint32_t points) {
    return mote_round_up(sizeof(strand_work) + mote_strand_scratch_floats(points) * sizeof(float),
                         MOTE_CACHE_LINE);
}

typedef struct run {
    const mote_strand_job *job;
    float *scratch;
    size_t floats; /* floats of each worker */
    bool all;
} run;

static void do_groups(void *context, size_t first, size_t end, uint32_t worker) {
    const run *r = context;
    for (size_t group = first; group < end; group++)
        if (r->all || r->job->strands->group[group].links == 0)
            r->job->strands->kernels->step(r->job, (uint32_t)group, r->scratch + worker * r->floats);
}

const mote_jobs *mote_strands_jobs(const mote_strand_job *job, const mote_step *step) {
    const bool rods = mote_strands_has_rods(&job->strands->def);
    const double point =
        (rods ? MOTE_WORK_ROD : MOTE_WORK_POINT) + MOTE_WORK_CONTACT * (double)job->collider_count;
    return mote_jobs_for(step->jobs, point * (double)job->strands->point_count * job->plan->substeps);
}

void mote_strands_run(const mote_strand_job *job, const mote_step *step, bool all) {
    run r = {job, step->scratch, mote_strand_scratch_floats(job->strands->max_points), all};
    const mote_items mine = mote_range_units(&job->strands->range, job->strands->group_count);
    mote_parallel_over(mote_strands_jobs(job, step), &mine, 1, do_groups, &r);
}

static void unit_response_of(const mote_plan *plan, double stiffness, double damping, double inverse_mass,
                             float *const unit_response[4]) {
    mote_exact_map m =
        mote_map_make(plan->scheme->map, 0, -damping * inverse_mass, -stiffness * inverse_mass, plan->h);
    const double entries[4] = {m.vx, m.vv, m.xx, m.xv - plan->h};
    for (int i = 0; i < 4; i++)
        *unit_response[i] = inverse_mass > 0 ? (float)(entries[i] / inverse_mass) : 0.0f;
}

/* Lanes equal to the previous lane copy its responses. */
void mote_strand_unit_responses(const mote_strand_job *job, uint32_t group,
                                float unit_response[2][4][MOTE_GROUP]) {
    const mote_strands *strands = job->strands;
    for (uint32_t i = 0; i < MOTE_GROUP; i++) {
        const size_t lane = (size_t)group * MOTE_GROUP + i;
        const float mass = strands->point_inverse_mass[lane], compliance = strands->compliance[lane];
        const bool same = i > 0 && mass == strands->point_inverse_mass[lane - 1] &&
                          compliance == strands->compliance[lane - 1];
        for (int ends = 0; ends < 2; ends++) {
            float(*rows)[MOTE_GROUP] = unit_response[ends];
            float *const to[4] = {rows[0] + i, rows[1] + i, rows[2] + i, rows[3] + i};
            if (same)
                for (int e = 0; e < 4; e++) *to[e] = to[e][-1];
            else
                unit_response_of(job->plan, compliance > 0 ? 1.0 / (double)compliance : 0.0,
                                 (double)strands->def.damping, (ends ? 1.0 : 2.0) * (double)mass, to);
        }
    }
}

/* Callbacks see the slots of the group as one block of the strands. */
void mote_strand_callbacks(const mote_strand_job *job, uint32_t group, double time, float *const x[3],
                           float *const v[3], float *const acceleration[3], float *const force[3]) {
    const mote_strand_group *g = &job->strands->group[group];
    mote_stage_view view = mote_stage_view_make(time, g->first, g->points * MOTE_GROUP, x, v);
    view.inverse_mass = job->strands->range.inverse_mass + g->first;
    view.strands = job->strands->id;
    mote_plan_call(job->plan, &view, NULL, acceleration, force);
}
