/* Network kernels of one instruction set. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include "base/isa.h"
#include "networks/chain_stage.h"
#include "networks/primal.h"
#include "networks/multilevel.h"
#include "networks/springs.h"
#include "networks/dual.h"
#include "networks/expel.h"
#include "networks/places.h"
#include "networks/stage.h"

#define SPRING_FORCES(name, damped, uncoupled)                                                               \
    static void name##_interleaved(const mote_network_job *job, const mote_network_scratch *c,               \
                                   const mote_network_block *block) {                                        \
        forces_interleaved(job, c, block, damped, uncoupled);                                                \
    }                                                                                                        \
    static void name##_sliced(const mote_network_job *job, const mote_network_scratch *c,                    \
                              const mote_network_block *block) {                                             \
        forces_sliced(job, c, block, damped, uncoupled);                                                     \
    }
#if defined(MOTE_COMPACT)
SPRING_FORCES(all, job->network->damped || job->uncoupled, job->uncoupled)

static void spring_forces(const mote_network_job *job, const mote_network_scratch *c,
                          const mote_network_block *block) {
    (block->interleaved ? all_interleaved : all_sliced)(job, c, block);
}
#else
SPRING_FORCES(undamped, false, false)
SPRING_FORCES(damped, true, false)
SPRING_FORCES(uncoupled, true, true)

static void spring_forces(const mote_network_job *job, const mote_network_scratch *c,
                          const mote_network_block *block) {
    if (job->uncoupled)
        (block->interleaved ? uncoupled_interleaved : uncoupled_sliced)(job, c, block);
    else if (job->network->damped)
        (block->interleaved ? damped_interleaved : damped_sliced)(job, c, block);
    else
        (block->interleaved ? undamped_interleaved : undamped_sliced)(job, c, block);
}
#endif

typedef void stage_function(const mote_network_job *job, const mote_network_scratch *c, mote_stage_at at,
                            uint32_t first, uint32_t end);

#define STAGE(name, family, others, uncoupled)                                                               \
    static void name(const mote_network_job *job, const mote_network_scratch *c, mote_stage_at at,           \
                     uint32_t first, uint32_t end) {                                                         \
        network_stage(job, c, (mote_coupled_instance){family, others, false, uncoupled}, at, first, end);    \
    }
#if defined(MOTE_COMPACT)
STAGE(any, job->plan->scheme->family, job->plan->point_count || job->plan->callback_count || job->linked,
      job->uncoupled)

static stage_function *stage_of(const mote_network_job *job) { return (void)job, any; }
#else
#define STAGES(name, family, uncoupled)                                                                      \
    STAGE(name, family, false, uncoupled)                                                                    \
    STAGE(name##_all, family, true, uncoupled)
STAGES(splitting, MOTE_FAMILY_SPLITTING, false)
STAGES(verlet, MOTE_FAMILY_VERLET, false)
STAGES(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA, false)
STAGES(map, MOTE_FAMILY_MAP, false)
STAGES(kinematic, MOTE_FAMILY_MAP, true)

static stage_function *const stages[MOTE_FAMILY_COUNT][2] = {
    [MOTE_FAMILY_SPLITTING] = {splitting, splitting_all},
    [MOTE_FAMILY_VERLET] = {verlet, verlet_all},
    [MOTE_FAMILY_RUNGE_KUTTA] = {runge_kutta, runge_kutta_all},
    [MOTE_FAMILY_MAP] = {map, map_all}};
static stage_function *const kinematics[2] = {kinematic, kinematic_all};

static stage_function *stage_of(const mote_network_job *job) {
    const mote_plan *plan = job->plan;
    const bool others = plan->point_count || plan->callback_count || job->linked;
    return job->uncoupled ? kinematics[others] : stages[plan->scheme->family][others];
}
#endif

static void stage(const mote_network_job *job, const mote_network_scratch *c, uint32_t number, double time,
                  uint32_t first, uint32_t end) {
    stage_of(job)(job, c, (mote_stage_at){number, time}, first, end);
}

#if defined(MOTE_COMPACT) || !MOTE_SPACIOUS
#define CHAIN_STAGE NULL
#else
#define CHAIN_STAGE chains
/* A constant stride takes 0.92 of the time. */
static void chains(const mote_network_job *job, const mote_network_scratch *c,
                   const mote_network_block *block, uint32_t stage) {
    if (c->stride == NETWORK_STRIDE)
        chain_stage_of(job, &(mote_network_scratch){c->memory, NETWORK_STRIDE, c->first}, block, stage);
    else
        chain_stage_of(job, c, block, stage);
}
#endif

#define DUAL(pass)                                                                                           \
    case pass:                                                                                               \
        return network_dual_range(job, c, pass, factor, first, end)
#define PRIMAL(pass)                                                                                         \
    case pass:                                                                                               \
        return network_primal_range(job, c, pass, factor, first, end)

/* Each case is an instance of its own, with a constant pass. */
static mote_solve_sums dual(const mote_network_job *job, const mote_network_scratch *c, mote_solver_pass pass,
                            float factor, uint32_t first, uint32_t end) {
    switch (pass) {
        DUAL(MOTE_SOLVE_LOAD);
        DUAL(MOTE_SOLVE_LINEARISE);
        DUAL(MOTE_SOLVE_CHECK);
        DUAL(MOTE_SOLVE_FIRST_DIRECTION);
        DUAL(MOTE_SOLVE_DIRECTION);
        DUAL(MOTE_SOLVE_APPLY);
        DUAL(MOTE_SOLVE_UPDATE);
        DUAL(MOTE_SOLVE_MOVE);
        DUAL(MOTE_SOLVE_COMPARE);
        DUAL(MOTE_SOLVE_FORCES);
    default:
        return (mote_solve_sums){0, 0, 0, 0};
    }
}

static mote_solve_sums primal(const mote_network_job *job, const mote_network_scratch *c,
                              mote_solver_pass pass, float factor, uint32_t first, uint32_t end) {
    switch (pass) {
        PRIMAL(MOTE_SOLVE_LOAD);
        PRIMAL(MOTE_SOLVE_COMPARE);
        PRIMAL(MOTE_SOLVE_BLEND);
        PRIMAL(MOTE_SOLVE_FIRST_LINEARISE);
        PRIMAL(MOTE_SOLVE_LINEARISE);
        PRIMAL(MOTE_SOLVE_CHECK);
        PRIMAL(MOTE_SOLVE_FIRST_DIRECTION);
        PRIMAL(MOTE_SOLVE_DIRECTION);
        PRIMAL(MOTE_SOLVE_APPLY);
        PRIMAL(MOTE_SOLVE_UPDATE);
        PRIMAL(MOTE_SOLVE_MOVE);
    default:
        return (mote_solve_sums){0, 0, 0, 0};
    }
}

static float restrict_residuals(const mote_network *n, const mote_network_scratch *c, bool lowest,
                                uint32_t first, uint32_t count) {
    return lowest ? network_restrict(n, c, true, first, count) : network_restrict(n, c, false, first, count);
}

extern const mote_network_kernels MOTE_KERNEL_TABLE(mote_network_kernels);
const mote_network_kernels MOTE_KERNEL_TABLE(mote_network_kernels) = {
    .load = network_load_places,
    .world = network_world,
    .store = network_store_places,
    .spring_forces = spring_forces,
    .begin = network_begin,
    .stage = stage,
    .chain_stage = CHAIN_STAGE,
    .start = network_start,
    .contacts = network_solver_contacts,
    .expel = network_expel_range,
    .friction = network_friction,
    .resolve_contacts = network_resolve_contacts,
    .dual = dual,
    .primal = primal,
    .restrict_residuals = restrict_residuals,
    .correct_aggregates = network_correct,
    .invert_aggregates = network_invert_aggregates,
    .finite = network_finite};
