/* The constrained solver's loops over one island: Newton's method, and the conjugate gradients inside it. */
#include "base/parallel.h"
#include "kernels/networks.h"

/* An island's chunks: of one block, or of several that are in one scratch. */
typedef struct island {
    const mote_network_kernels *kernels;
    const mote_network_job *job;
    const mote_network_scratch *c;
    const mote_jobs *jobs;
    uint32_t first, count; /* chunks */
    mote_solve_pass pass;
    float factor;
} island;

/* Where a chunk's sums wait for those of the others: its first slots have no other use for the column. */
static float *partial(const island *i, uint32_t chunk) {
    return i->c->memory + (size_t)NET_PARTIAL * i->c->stride + (i->job->network->chunk_first[i->first + chunk] - i->c->first);
}

static void do_chunks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const island *i = context;
    const mote_network *n = i->job->network;
    for (size_t chunk = first; chunk < end; chunk++) {
        const mote_solve_sums sums = (n->rigid ? i->kernels->solve : i->kernels->balance)(
            i->job, i->c, i->pass, i->factor, n->chunk_first[i->first + chunk], n->chunk_end[i->first + chunk]);
        partial(i, (uint32_t)chunk)[0] = sums.sum;
        partial(i, (uint32_t)chunk)[1] = sums.largest;
    }
}

static mote_solve_sums run(island *i, mote_solve_pass pass, float factor) {
    i->pass = pass, i->factor = factor;
    mote_parallel_for(i->jobs, i->count, 1, do_chunks, i);
    mote_solve_sums total = {partial(i, 0)[0], partial(i, 0)[1]};
    for (uint32_t chunk = 1; chunk < i->count; chunk++) {
        const float *of = partial(i, chunk);
        total.sum += of[0];
        total.largest = total.largest < of[1] ? of[1] : total.largest;
    }
    return total;
}

/* Of r z: what is left in float32 of a system that is solved. */
#define SOLVED 1e-10f

/* One linear system, until no rigid spring's residual is above half of what is asked for, or until float32 is exhausted.
 * Returns the iterations taken. */
static uint32_t solve_system(island *i, mote_solve_sums at) {
    const mote_network_def *def = &i->job->network->def;
    const bool rigid = i->job->network->rigid;
    const float end = SOLVED * at.sum;
    uint32_t taken = 0;
    if (rigid) run(i, MOTE_SOLVE_FIRST, 0);
    while (taken < def->max_linear) {
        const float curvature = run(i, MOTE_SOLVE_MEET, 0).sum;
        if (!(curvature > 0)) break;
        const mote_solve_sums after = run(i, MOTE_SOLVE_MOVE, at.sum / curvature);
        taken++;
        if (!(after.sum > end) || (rigid && !(after.largest > 0.5f * def->max_strain))) break;
        run(i, MOTE_SOLVE_TURN, after.sum / at.sum);
        at = after;
    }
    return taken;
}

/* Newton's method for one substep: once at least, for what moves less in a substep than the error allowed must be held too. */
static void solve(island *i, mote_network_report *report) {
    const mote_network_def *def = &i->job->network->def;
    const double h = i->job->plan->h;
    run(i, MOTE_SOLVE_LOAD, 0);
    mote_solve_sums at = run(i, MOTE_SOLVE_AIM, 0);
    for (uint32_t taken = 0; taken < def->max_iterations && (taken == 0 || at.largest > def->max_strain); taken++) {
        report->linear += solve_system(i, at);
        report->iterations++;
        at = run(i, MOTE_SOLVE_AIM, 0);
    }
    run(i, MOTE_SOLVE_PULL, (float)(1.0 / (h * h)));
    if (at.largest <= def->max_strain) return;
    report->unsolved++;
    report->residual = report->residual < at.largest ? at.largest : report->residual;
}

void mote_network_solve(const mote_network_kernels *kernels, const mote_network_job *job, const mote_network_scratch *c,
                        const mote_jobs *jobs, uint32_t number, mote_network_report *report) {
    const mote_network *n = job->network;
    island i = {.kernels = kernels, .job = job, .c = c, .jobs = jobs, .first = n->island_chunk[number],
                .count = n->island_chunk[number + 1] - n->island_chunk[number]};
    if (i.count) solve(&i, report);
}
