/* One instruction set's kernels for strands. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include <string.h>

#include "base/isa.h"
#include "strands/phase.h"
#include "strands/present.h"
#include "strands/step.h"

typedef void substep_function(strand_work *w, uint32_t substep);

typedef void stage_function(strand_work *w, mote_phase_place at);

#define SPRINGS(name, family, uncoupled)                                                                     \
    static void name##_springs(strand_work *w, uint32_t substep) {                                           \
        spring_substep(w, (mote_coupled_instance){family, false, false, uncoupled}, STRAND_STRETCH,          \
                       substep);                                                                             \
    }                                                                                                        \
    static void name##_all(strand_work *w, uint32_t substep) {                                               \
        spring_substep(w, (mote_coupled_instance){family, true, false, uncoupled},                           \
                       STRAND_STRETCH | STRAND_EXTRAS, substep);                                             \
    }                                                                                                        \
    static void name##_stage(strand_work *w, mote_phase_place at) {                                          \
        part_stage(w, (mote_coupled_instance){family, true, false, uncoupled}, at);                          \
    }

SPRINGS(splitting, MOTE_FAMILY_SPLITTING, false)
SPRINGS(verlet, MOTE_FAMILY_VERLET, false)
SPRINGS(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA, false)
SPRINGS(map, MOTE_FAMILY_MAP, false)
SPRINGS(kinematic, MOTE_FAMILY_MAP, true)

static void rigid(strand_work *w, uint32_t substep) { constrained_substep(w, false, true, substep); }
static void soft(strand_work *w, uint32_t substep) { constrained_substep(w, false, false, substep); }
static void rigid_all(strand_work *w, uint32_t substep) { constrained_substep(w, true, true, substep); }
static void soft_all(strand_work *w, uint32_t substep) { constrained_substep(w, true, false, substep); }
static void conserving(strand_work *w, uint32_t substep) { conserving_substep(w, substep); }

/* Springs: whether anything else than springs, affine forces and pins acts. */
static substep_function *const springs[MOTE_FAMILY_COUNT][2] = {
    [MOTE_FAMILY_SPLITTING] = {splitting_springs, splitting_all},
    [MOTE_FAMILY_VERLET] = {verlet_springs, verlet_all},
    [MOTE_FAMILY_RUNGE_KUTTA] = {runge_kutta_springs, runge_kutta_all},
    [MOTE_FAMILY_MAP] = {map_springs, map_all},
};
static substep_function *const kinematic[2] = {kinematic_springs, kinematic_all};

static substep_function *choose(const mote_strand_job *job) {
    const mote_plan *plan = job->plan;
    const mote_strands_def *def = &job->strands->def;
    bool all = def->pose_stiffness != 0 || def->local_pose_stiffness != 0 || def->normal_drag != 0 ||
               def->tangential_drag != 0 || plan->point_count || plan->callback_count;
    bool more = all || job->strands->bend_length;
    if (def->solver == MOTE_STRAND_SPRINGS)
        return job->unit_responses ? kinematic[more] : springs[plan->scheme->family][more];
    if (def->solver == MOTE_STRAND_CONSERVING) return conserving;
    if (job->strands->compliant) return all ? soft_all : soft;
    return all ? rigid_all : rigid;
}

/* v += dv by a plan that only kicks. */
static void kick(const mote_strand_job *job, uint32_t group, float *scratch) {
    strand_work w;
    work_begin(&w, job, group, scratch);
    place(&w, WORK_X, 0);
    strand_place p = {.stage = 0, .time = stage_time(&w, 0, 0), .callbacks = job->plan->callback_count != 0};
    if (p.callbacks) sum_callbacks(&w, p.time);
    for (p.lane = 0; p.lane < MOTE_GROUP; p.lane += MOTE_WIDTH)
        strand_stage(&w, (mote_coupled_instance){.family = MOTE_FAMILY_SPLITTING, .others = true},
                     STRAND_STRETCH | STRAND_EXTRAS, &p, 0);
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) work_commit(&w, lane);
}

static void step(const mote_strand_job *job, uint32_t group, float *scratch) {
    strand_work w;
    work_begin(&w, job, group, scratch);
    place(&w, WORK_X, 0);
    substep_function *substep = choose(job);
    for (uint32_t i = 0; i < job->plan->substeps; i++) {
        fetch_ahead(&w, i, job->plan->substeps);
        substep(&w, i);
    }
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) work_commit(&w, lane);
}

static stage_function *const stages[MOTE_FAMILY_COUNT] = {[MOTE_FAMILY_SPLITTING] = splitting_stage,
                                                          [MOTE_FAMILY_VERLET] = verlet_stage,
                                                          [MOTE_FAMILY_RUNGE_KUTTA] = runge_kutta_stage,
                                                          [MOTE_FAMILY_MAP] = map_stage};

static void one_stage(strand_work *w, mote_phase_place at) {
    if (!part_has_springs(w))
        part_predict(w, at);
    else
        (w->job->unit_responses ? kinematic_stage : stages[w->job->plan->scheme->family])(w, at);
}

static void part(const mote_strand_job *job, uint32_t group, mote_phase now, mote_phase_place at,
                 void *memory) {
    strand_work *w = memory;
    switch (now) {
    case MOTE_PHASE_LOAD:
        part_open(w, job, group);
        break;
    case MOTE_PHASE_BEGIN:
        part_begin(w, at.substep);
        break;
    case MOTE_PHASE_EVALUATE:
        part_ready(w, at);
        break;
    case MOTE_PHASE_STAGE:
        one_stage(w, at);
        break;
    case MOTE_PHASE_END:
        part_end(w, at.substep);
        break;
    case MOTE_PHASE_COMMIT:
        part_close(w);
        break;
    }
}

static void vertices(const mote_strand_vertex *vertex, const mote_strand_run *run, float *rows) {
    strand_vertices(vertex, run, rows);
}

static void transpose(const float *rows, size_t count, unsigned char *const to[MOTE_GROUP]) {
    strand_transpose(rows, count, to);
}

static void follow(const mote_follow *f, size_t count, float *const out[3]) { strand_follow(f, count, out); }

extern const mote_strand_kernels MOTE_KERNEL_TABLE(mote_strand_kernels);
const mote_strand_kernels MOTE_KERNEL_TABLE(mote_strand_kernels) = {
    .step = step, .part = part, .kick = kick, .vertices = vertices, .transpose = transpose, .follow = follow};
