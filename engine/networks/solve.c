/* The constrained solver's loops over one island: Newton's method, and the conjugate gradients inside it. */
#include <string.h>

#include "base/parallel.h"
#include "networks/kernels.h"

/* An island's chunks: of one block, or of several that are in one scratch. */
typedef struct island {
    const mote_network_kernels *kernels;
    const mote_network_job *job;
    const mote_network_scratch *c;
    const mote_jobs *jobs;
    uint32_t number, substep;
    uint32_t first, count; /* chunks */
    mote_solver_pass pass;
    float factor;
    bool multipliers; /* solved for, not the positions */
    bool lost;        /* its products overflow */
    bool grips;       /* MOTE_SOLVE_CONTACTS: friction goes on, as another system may follow */
} island;

/* Where a chunk's sums wait for those of the others: its first slots have no other use for the column. */
static float *partial(const island *i, uint32_t chunk) {
    return i->c->memory + (size_t)NETWORK_PARTIAL * i->c->stride +
           (i->job->network->chunk_first[i->first + chunk] - i->c->first);
}

static void do_chunks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const island *i = context;
    const mote_network *n = i->job->network;
    for (size_t chunk = first; chunk < end; chunk++) {
        const uint32_t from = n->chunk_first[i->first + chunk], to = n->chunk_end[i->first + chunk];
        if (i->pass == MOTE_SOLVE_CONTACTS) {
            i->kernels->touch(i->job, i->c, i->substep, i->grips, from, to);
            continue;
        }
        const mote_solve_sums sums = (i->multipliers ? i->kernels->solve : i->kernels->balance)(
            i->job, i->c, i->pass, i->factor, from, to);
        partial(i, (uint32_t)chunk)[0] = sums.sum;
        partial(i, (uint32_t)chunk)[1] = sums.largest;
    }
}

static mote_solve_sums run(island *i, mote_solver_pass pass, float factor) {
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

/* --- The preconditioner's levels --- */

/* Clusters that a worker takes at once. */
#define AGGREGATES_OF_RUN 1024u

typedef struct level {
    const island *i;
    uint32_t first, count; /* clusters */
    bool lowest, up;
} level;

static void do_aggregates(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const level *l = context;
    const mote_network *n = l->i->job->network;
    for (size_t run = first; run < end; run++) {
        const uint32_t from = l->first + (uint32_t)run * AGGREGATES_OF_RUN, left = l->first + l->count - from;
        const uint32_t count = left < AGGREGATES_OF_RUN ? left : AGGREGATES_OF_RUN;
        if (l->up)
            n->aggregates.partial[from] =
                l->i->kernels->restrict_residuals(n, l->i->c, l->lowest, from, count);
        else
            l->i->kernels->correct_aggregates(n, from, count);
    }
}

static void run_level(level *l) {
    mote_parallel_for(l->i->jobs, (l->count + AGGREGATES_OF_RUN - 1) / AGGREGATES_OF_RUN, 1, do_aggregates,
                      l);
}

static uint32_t behind(const level *l) { return l->first + (uint32_t)mote_round_up(l->count, MOTE_GROUP); }

/* What the clusters move by, from the residuals in NETWORK_RESIDUAL, up the levels and down again. Returns
 * their part of r z. */
static float correct_aggregates(const island *i) {
    const mote_network_aggregates *of = &i->job->network->aggregates;
    uint32_t first[32];
    float sum = 0;
    level l = {.i = i, .first = of->first[i->number], .up = true};
    for (uint32_t k = 0; k < of->levels[i->number]; k++, l.first = behind(&l)) {
        l.lowest = k == 0;
        first[k] = l.first;
        l.count = of->size[l.first / MOTE_GROUP];
        run_level(&l);
        for (uint32_t run = 0; run < l.count; run += AGGREGATES_OF_RUN) sum += of->partial[l.first + run];
    }
    l.up = false;
    for (uint32_t k = of->levels[i->number]; k-- > 0;) {
        l.first = first[k], l.count = of->size[first[k] / MOTE_GROUP];
        run_level(&l);
    }
    return sum;
}

static void add_block(const mote_network_aggregates *of, uint32_t aggregate, const float part[6]) {
    for (int k = 0; k < 6; k++) of->block[12 * (size_t)aggregate + (size_t)k] += part[k];
}

/* A spring to the blocks of the clusters that it leaves: those above its ends that are not the same. */
static void add_spring(const mote_network *n, uint32_t entry, uint32_t a, uint32_t b) {
    const mote_network_aggregates *of = &n->aggregates;
    float *const *normal = n->entry_solver + NETWORK_END_NORMAL;
    const float x = normal[0][entry], y = normal[1][entry], z = normal[2][entry];
    const float along = n->entry_solver[NETWORK_END_ALONG][entry],
                across = n->entry_solver[NETWORK_END_ACROSS][entry];
    const float part[6] = {along * x * x + across, along * x * y, along * x * z,
                           along * y * y + across, along * y * z, along * z * z + across};
    while (a != b) {
        if (a != MOTE_NO_AGGREGATE) add_block(of, a, part), a = of->parent[a];
        if (b != MOTE_NO_AGGREGATE) add_block(of, b, part), b = of->parent[b];
    }
}

/* A slot's mass, and its springs: of those that have a cluster at both ends, where end a is. */
static void add_slot(const mote_network *n, uint32_t slot) {
    const mote_network_aggregates *of = &n->aggregates;
    const uint32_t own = of->of_slot[slot];
    if (own == MOTE_NO_AGGREGATE) return;
    const float mass = 1.0f / n->inverse_mass[slot], part[6] = {mass, 0, 0, mass, 0, mass};
    for (uint32_t at = own; at != MOTE_NO_AGGREGATE; at = of->parent[at]) add_block(of, at, part);
    for (uint32_t i = n->head[slot]; i != MOTE_NO_ITEM;) {
        const mote_network_spring_state *s = &n->spring[i];
        const int end = s->a == slot ? 0 : 1;
        const uint32_t other = of->of_slot[end ? s->a : s->b];
        if (end == 0 || other == MOTE_NO_AGGREGATE) add_spring(n, s->entry[end], own, other);
        i = s->next[end];
    }
}

/* The clusters' blocks, from the springs as MOTE_SOLVE_LINEARISE left them. Once a step: worked out in each
 * substep they saved no iteration (measured). */
static void assemble_aggregates(const island *i) {
    const mote_network *n = i->job->network;
    const mote_network_aggregates *of = &n->aggregates;
    const uint32_t first = of->first[i->number];
    uint32_t end = first;
    if (of->levels[i->number] == 0) return;
    for (uint32_t k = 0; k < of->levels[i->number]; k++)
        end += (uint32_t)mote_round_up(of->size[end / MOTE_GROUP], MOTE_GROUP);
    memset(of->block + 12 * (size_t)first, 0, 12 * (size_t)(end - first) * sizeof(float));
    for (uint32_t chunk = i->first; chunk < i->first + i->count; chunk++)
        for (uint32_t slot = n->chunk_first[chunk]; slot < n->chunk_end[chunk]; slot++) add_slot(n, slot);
    i->kernels->invert_aggregates(n, first, end - first);
}

/* --- Newton's method --- */

/* Of r z: what is left in float32 of a system that is solved. */
#define SOLVED 1e-10f

/* The first search direction; returns r z. */
static float set_out(island *i, float own) {
    const mote_network *n = i->job->network;
    if (!i->multipliers && !n->aggregates.levels[i->number]) return own;
    const float sum = i->multipliers ? own : own + correct_aggregates(i);
    run(i, MOTE_SOLVE_FIRST_DIRECTION, 0);
    return sum;
}

/* One linear system, until, on the multipliers, no residual is above half of what is asked for, or until
 * float32 is exhausted. Returns the iterations taken. */
static uint32_t solve_system(island *i, float own) {
    const mote_network_def *def = &i->job->network->def;
    float sum = set_out(i, own);
    const float end = SOLVED * sum;
    for (uint32_t taken = 1;; taken++) {
        const float curvature = run(i, MOTE_SOLVE_APPLY, 0).sum;
        i->lost |= curvature * 0.0f != 0;
        if (!(curvature > 0) || i->lost) return taken - 1;
        mote_solve_sums after = run(i, MOTE_SOLVE_UPDATE, sum / curvature);
        if (taken == def->max_linear) return taken;
        if (!i->multipliers) after.sum += correct_aggregates(i);
        if (!(after.sum > end) || (i->multipliers && !(after.largest > 0.5f * def->max_strain))) return taken;
        run(i, MOTE_SOLVE_DIRECTION, after.sum / sum);
        sum = after.sum;
    }
}

/* An island whose products overflow would turn non-finite, or its springs cease to act: it ends its step
 * where that began. */
static void freeze(const island *i) {
    __atomic_store_n(&i->job->network->frozen[i->number], 1, __ATOMIC_RELAXED);
    __atomic_store_n(i->job->froze, 1, __ATOMIC_RELAXED);
}

static void tell_unsolved(mote_network_step_report *report, float residual) {
    report->unsolved++;
    report->residual = report->residual < residual ? residual : report->residual;
}

/* Newton's method for one substep: once at least, for what moves less in a substep than the error allowed
 * must be held too. What comes into a collider in an iteration lies on it from the next on, until the substep
 * ends: so what springs pull off a collider in the first goes. */
static void solve(island *i, mote_network_step_report *report) {
    const mote_network_def *def = &i->job->network->def;
    const bool rests = i->job->collider_count && !i->multipliers;
    const double h = i->job->plan->h;
    run(i, MOTE_SOLVE_LOAD, 0);
    mote_solve_sums at = run(i, MOTE_SOLVE_LINEARISE, 0);
    if (i->substep == 0 && !i->multipliers) assemble_aggregates(i);
    for (uint32_t taken = 0; taken < def->max_iterations && (taken == 0 || at.largest > def->max_strain);
         taken++) {
        report->linear += solve_system(i, at.sum);
        report->iterations++;
        i->grips = taken + 1 < def->max_iterations;
        if (rests) run(i, MOTE_SOLVE_CONTACTS, 0);
        at = run(i, MOTE_SOLVE_LINEARISE, 0);
    }
    if (i->multipliers) run(i, MOTE_SOLVE_FORCES, (float)(1.0 / (h * h)));
    if (i->lost || at.sum * 0.0f != 0)
        freeze(i);
    else if (at.largest > def->max_strain)
        tell_unsolved(report, at.largest);
}

/* h^2 w^2 up to which positions are solved for: stiffer springs feel their rounding. A rope of 20 points was
 * held to 0.02 %, strained by 1 % at 2e5 and by 10 % at 1e6 (measured). */
#define POSITIONS_HOLD 1e5

/* Rigid springs need multipliers; chains and rings are held by them however stiff; denser graphs, cut short,
 * gain energy. */
static bool wants_multipliers(const mote_network *n, uint32_t number, double h) {
    return n->rigid || h * h * n->aggregates.sparse[number] > POSITIONS_HOLD;
}

void mote_network_solve(const mote_network_kernels *kernels, const mote_network_job *job,
                        const mote_network_scratch *c, const mote_jobs *jobs, uint32_t number,
                        uint32_t substep, mote_network_step_report *report) {
    const mote_network *n = job->network;
    island i = {.kernels = kernels,
                .job = job,
                .c = c,
                .jobs = jobs,
                .number = number,
                .substep = substep,
                .multipliers = wants_multipliers(n, number, job->plan->h),
                .first = n->island_chunk[number],
                .count = n->island_chunk[number + 1] - n->island_chunk[number]};
    if (i.count) solve(&i, report);
}
