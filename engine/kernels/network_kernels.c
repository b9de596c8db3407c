/* One instruction set's kernels for networks. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include "kernels/network_balance.h"
#include "kernels/network_clusters.h"
#include "kernels/network_contact.h"
#include "kernels/network_pull.h"
#include "kernels/network_solve.h"
#include "kernels/network_stage.h"

#define PULL(name, damped, alone)                                                                            \
    static void name##_struts(const mote_network_job *job, const mote_network_scratch *c,                    \
                              const mote_network_block *block) {                                             \
        pull_struts(job, c, block, damped, alone);                                                           \
    }                                                                                                        \
    static void name##_rows(const mote_network_job *job, const mote_network_scratch *c,                      \
                            const mote_network_block *block) {                                               \
        pull_rows(job, c, block, damped, alone);                                                             \
    }
PULL(undamped, false, false)
PULL(damped, true, false)
PULL(alone, true, true)

static void pull(const mote_network_job *job, const mote_network_scratch *c,
                 const mote_network_block *block) {
    if (job->alone)
        (block->lanes ? alone_struts : alone_rows)(job, c, block);
    else if (job->network->damped)
        (block->lanes ? damped_struts : damped_rows)(job, c, block);
    else
        (block->lanes ? undamped_struts : undamped_rows)(job, c, block);
}

typedef void stage_function(const mote_network_job *job, const mote_network_scratch *c, uint32_t stage,
                            double time, uint32_t first, uint32_t end);

#define STAGE(name, family, others, alone)                                                                   \
    static void name(const mote_network_job *job, const mote_network_scratch *c, uint32_t stage,             \
                     double time, uint32_t first, uint32_t end) {                                            \
        net_stage(job, c, family, others, alone, stage, time, first, end);                                   \
    }
STAGE(splitting, MOTE_FAMILY_SPLITTING, false, false)
STAGE(splitting_all, MOTE_FAMILY_SPLITTING, true, false)
STAGE(verlet, MOTE_FAMILY_VERLET, false, false)
STAGE(verlet_all, MOTE_FAMILY_VERLET, true, false)
STAGE(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA, false, false)
STAGE(runge_kutta_all, MOTE_FAMILY_RUNGE_KUTTA, true, false)
STAGE(map, MOTE_FAMILY_MAP, false, false)
STAGE(map_all, MOTE_FAMILY_MAP, true, false)
STAGE(kinematic, MOTE_FAMILY_MAP, false, true)
STAGE(kinematic_all, MOTE_FAMILY_MAP, true, true)

static stage_function *const stages[MOTE_FAMILY_COUNT][2] = {
    [MOTE_FAMILY_SPLITTING] = {splitting, splitting_all},
    [MOTE_FAMILY_VERLET] = {verlet, verlet_all},
    [MOTE_FAMILY_RUNGE_KUTTA] = {runge_kutta, runge_kutta_all},
    [MOTE_FAMILY_MAP] = {map, map_all}};
static stage_function *const kinematics[2] = {kinematic, kinematic_all};

static void stage(const mote_network_job *job, const mote_network_scratch *c, uint32_t number, double time,
                  uint32_t first, uint32_t end) {
    const mote_plan *plan = job->plan;
    const bool others = plan->point_count || plan->callback_count || job->linked;
    (job->alone ? kinematics[others] : stages[plan->scheme->family][others])(job, c, number, time, first,
                                                                             end);
}

static void begin(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end) {
    net_begin(job, c, first, end);
}

static void start(const mote_network_job *job, const mote_network_scratch *c, bool keep, uint32_t first,
                  uint32_t end) {
    net_start(job, c, keep, first, end);
}

static void touch(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep, bool grips,
                  uint32_t first, uint32_t end) {
    net_touch(job, c, substep, grips, first, end);
}

static void rub(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end) {
    net_rub(job, c, first, end);
}

static void push_out(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                     uint32_t first, uint32_t end) {
    net_push_out(job, c, substep, first, end);
}

#define SOLVE(pass)                                                                                          \
    case pass:                                                                                               \
        return net_solve_range(job, c, pass, factor, first, end)
#define BALANCE(pass)                                                                                        \
    case pass:                                                                                               \
        return net_balance_range(job, c, pass, factor, first, end)

/* Each case is an instance of its own. */
static mote_solve_sums solve(const mote_network_job *job, const mote_network_scratch *c, mote_solve_pass pass,
                             float factor, uint32_t first, uint32_t end) {
    switch (pass) {
        SOLVE(MOTE_SOLVE_LOAD);
        SOLVE(MOTE_SOLVE_AIM);
        SOLVE(MOTE_SOLVE_FIRST);
        SOLVE(MOTE_SOLVE_TURN);
        SOLVE(MOTE_SOLVE_MEET);
        SOLVE(MOTE_SOLVE_MOVE);
        SOLVE(MOTE_SOLVE_PULL);
    default:
        return (mote_solve_sums){0, 0};
    }
}

static mote_solve_sums balance(const mote_network_job *job, const mote_network_scratch *c,
                               mote_solve_pass pass, float factor, uint32_t first, uint32_t end) {
    switch (pass) {
        BALANCE(MOTE_SOLVE_LOAD);
        BALANCE(MOTE_SOLVE_AIM);
        BALANCE(MOTE_SOLVE_FIRST);
        BALANCE(MOTE_SOLVE_TURN);
        BALANCE(MOTE_SOLVE_MEET);
        BALANCE(MOTE_SOLVE_MOVE);
    default:
        return (mote_solve_sums){0, 0};
    }
}

static float sum_clusters(const mote_network *n, const mote_network_scratch *c, bool lowest, uint32_t first,
                          uint32_t count) {
    return lowest ? net_clusters_sum(n, c, true, first, count) : net_clusters_sum(n, c, false, first, count);
}

static void move_clusters(const mote_network *n, uint32_t first, uint32_t count) {
    net_clusters_move(n, first, count);
}
static void invert_clusters(const mote_network *n, uint32_t first, uint32_t count) {
    net_clusters_invert(n, first, count);
}

static bool finite(const mote_network_scratch *c, uint32_t first, uint32_t end) {
    return net_finite(c, first, end);
}

#define TABLE_NAME_(isa) mote_network_kernels_##isa
#define TABLE_NAME(isa)  TABLE_NAME_(isa)

extern const mote_network_kernels TABLE_NAME(MOTE_ISA);
const mote_network_kernels TABLE_NAME(MOTE_ISA) = {.pull = pull,
                                                   .begin = begin,
                                                   .stage = stage,
                                                   .start = start,
                                                   .touch = touch,
                                                   .rub = rub,
                                                   .push_out = push_out,
                                                   .solve = solve,
                                                   .balance = balance,
                                                   .sum_clusters = sum_clusters,
                                                   .move_clusters = move_clusters,
                                                   .invert_clusters = invert_clusters,
                                                   .finite = finite};
