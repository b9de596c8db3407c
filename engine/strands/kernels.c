/* Kernels of strands for one instruction set. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include <string.h>

#include "base/isa.h"
#include "strands/phase.h"
#include "strands/depth.h"

typedef void stage_function(strand_work *w, const mote_phase_at *at);

static strand_place place_of(const strand_work *w, const mote_phase_at *at) {
    return (strand_place){
        .stage = at->stage, .time = stage_time(w, at->substep, at->stage), .callbacks = w->callbacks};
}

MOTE_INLINE void spring_stage(strand_work *w, const mote_phase_at *at, mote_coupled_instance of) {
    strand_place p = place_of(w, at);
    p.origin = wide3_zero();
    for (; p.lane < MOTE_GROUP; p.lane += MOTE_WIDTH)
        strand_stage(w, of, of.others ? STRAND_STRETCH | STRAND_EXTRAS : STRAND_STRETCH, &p,
                     mote_plan_weight(w->job->plan, at->stage));
}

#define SPRINGS(name, family, uncoupled)                                                                     \
    static void name##_springs(strand_work *w, const mote_phase_at *at) {                                    \
        spring_stage(w, at, (mote_coupled_instance){family, false, false, uncoupled});                       \
    }                                                                                                        \
    static void name##_all(strand_work *w, const mote_phase_at *at) {                                        \
        spring_stage(w, at, (mote_coupled_instance){family, true, false, uncoupled});                        \
    }

#if !defined(MOTE_COMPACT)
SPRINGS(splitting, MOTE_FAMILY_SPLITTING, false)
SPRINGS(verlet, MOTE_FAMILY_VERLET, false)
SPRINGS(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA, false)
SPRINGS(map, MOTE_FAMILY_MAP, false)
SPRINGS(uncoupled, MOTE_FAMILY_MAP, true)
#endif

/* Constrained strands on which only affine forces act evaluate these in their solve. */
static void no_stage(strand_work *w, const mote_phase_at *at) { (void)w, (void)at; }

static void kick_everything(strand_work *w, const mote_phase_at *at) {
    const mote_strands_def *def = &w->job->strands->def;
    strand_place p = place_of(w, at);
    if (def->pose_stiffness != 0 && w->moves && !w->callbacks && !is_soft(w))
        place_roots(w, ticks_within(w, at->substep, (double)share_before_forces(w->job)));
    for (; p.lane < MOTE_GROUP; p.lane += MOTE_WIDTH) {
        p.origin = origin_of(w, p.lane);
        kick_all(w, &p);
    }
}

#if defined(MOTE_COMPACT)
static void springs(strand_work *w, const mote_phase_at *at) {
    const mote_strand_job *job = w->job;
    spring_stage(w, at, (mote_coupled_instance){job->plan->scheme->family, w->all, false, job->uncoupled});
}

static stage_function *spring_stage_of(const strand_work *w) { return (void)w, springs; }
#else
/* Stages by family, and by whether forces other than springs and affine ones act. */
static stage_function *const spring_stages[MOTE_FAMILY_COUNT][2] = {
    [MOTE_FAMILY_SPLITTING] = {splitting_springs, splitting_all},
    [MOTE_FAMILY_VERLET] = {verlet_springs, verlet_all},
    [MOTE_FAMILY_RUNGE_KUTTA] = {runge_kutta_springs, runge_kutta_all},
    [MOTE_FAMILY_MAP] = {map_springs, map_all},
};
static stage_function *const uncoupled_stages[2] = {uncoupled_springs, uncoupled_all};

static stage_function *spring_stage_of(const strand_work *w) {
    const mote_strand_job *job = w->job;
    return job->uncoupled ? uncoupled_stages[w->all] : spring_stages[job->plan->scheme->family][w->all];
}
#endif

static stage_function *stage_of(const strand_work *w) {
    if (w->job->strands->def.solver == MOTE_STRAND_SPRINGS) return spring_stage_of(w);
    return w->all && !w->late_kicks ? kick_everything : no_stage;
}

/* Returns whether air drag is the only force besides affine ones, and all strands are predicted to first
 * order: one sweep then finds the kicks and the prediction. */
MOTE_INLINE bool kicks_late(const strand_work *w) {
    const mote_strand_job *job = w->job;
    return only_drags(w) && !job->kick && job->collider_count && !w->c.pins && !is_soft(w) && !has_springs(w);
}

MOTE_INLINE void open_work(strand_work *w, const mote_strand_job *job, uint32_t group, float *scratch,
                           bool linked) {
    const mote_strands_def *def = &job->strands->def;
    const mote_plan *plan = job->plan;
    open_group(w, job, group, scratch);
    w->linked = linked;
    w->callbacks = linked || plan->callback_count;
    w->all = w->callbacks || job->kick || plan->point_count || def->pose_stiffness != 0 ||
             def->normal_drag != 0 || def->tangential_drag != 0;
    w->drag_stops = plan->c.h * drag_coefficient(def) * job->strands->drag_mobility > 1;
    w->late_kicks = kicks_late(w);
    w->stage = stage_of(w);
}

static void run_inlined(void *work, const mote_phase_at *at) { run_phase(work, at); }

/* Runs one phase of a linked group; compact kernels have a single instance. */
static void run_linked(void *work, const mote_phase_at *at) {
#if defined(MOTE_COMPACT)
    run_inlined(work, at);
#else
    run_phase(work, at);
#endif
}

static void step(const mote_strand_job *job, uint32_t group, float *scratch) {
    strand_work w;
    open_work(&w, job, group, scratch, false);
    mote_schedule_step(job->plan->substeps, job->plan->stages, run_inlined, &w);
}

static void phase(const mote_strand_job *job, uint32_t group, const mote_phase_at *at, void *memory) {
    if (at->phase == MOTE_PHASE_LOAD) open_work(memory, job, group, work_scratch(memory), true);
    run_linked(memory, at);
}

static mote_range_point point(const mote_strand_job *job, void *memory, size_t offset) {
    const strand_columns columns = {.memory = work_scratch(memory)}, *c = &columns;
    const bool springs = job->strands->def.solver == MOTE_STRAND_SPRINGS;
    mote_range_point p = {.ahead = (float)(stage_share(job, 0) * job->plan->h)};
    p.held_time = springs ? mote_plan_held_time(job->plan) : p.ahead;
    for (int axis = 0; axis < 3; axis++) {
        p.x[axis] = work_lane(c, WORK_X + axis, offset);
        p.v[axis] = work_lane(c, WORK_V + axis, offset);
        p.force[axis] = work_lane(c, WORK_FORCE + axis, offset);
        p.reaction[axis] = work_lane(c, WORK_REACTION + axis, offset);
    }
    return p;
}

extern const mote_strand_kernels MOTE_KERNEL_TABLE(mote_strand_kernels);
const mote_strand_kernels MOTE_KERNEL_TABLE(mote_strand_kernels) = {
    .step = step, .phase = phase, .point = point, .within = within};
