/* The constrained solver over one island: passes of its kernels, and conjugate gradients for a linear system.
 */
#ifndef MOTE_NETWORKS_LINEAR_SYSTEM_H
#define MOTE_NETWORKS_LINEAR_SYSTEM_H

#include "base/parallel.h"
#include "networks/island.h"

/* Storage of a chunk's sums until the reduction: its first slots do not use the column otherwise. */
static inline float *partial(const island *i, uint32_t chunk) {
    return i->c->memory + (size_t)COLUMN(partial) * i->c->stride +
           (i->job->network->chunk_first[i->first + chunk] - i->c->first);
}

static inline void do_chunks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const island *i = context;
    const mote_network *n = i->job->network;
    for (size_t chunk = first; chunk < end; chunk++) {
        const uint32_t from = n->chunk_first[i->first + chunk], to = n->chunk_end[i->first + chunk];
        if (i->pass == MOTE_SOLVE_CONTACTS) {
            i->kernels->contacts(i->job, i->c, i->substep, i->grip, from, to);
            continue;
        }
        const mote_solve_sums sums = i->pass <= MOTE_SOLVE_RESUME
                                         ? i->kernels->expel(i->job, i->c, i->pass, i->substep, from, to)
                                         : (i->multipliers ? i->kernels->dual : i->kernels->primal)(
                                               i->job, i->c, i->pass, i->factor, from, to);
        partial(i, (uint32_t)chunk)[0] = sums.sum;
        partial(i, (uint32_t)chunk)[1] = sums.largest;
        partial(i, (uint32_t)chunk)[2] = sums.gain;
        partial(i, (uint32_t)chunk)[3] = sums.noise;
    }
}

static inline mote_solve_sums run(island *i, mote_solver_pass pass, float factor) {
    i->pass = pass, i->factor = factor;
    mote_parallel_for(i->jobs, i->count, 1, do_chunks, i);
    mote_solve_sums total = {partial(i, 0)[0], partial(i, 0)[1], partial(i, 0)[2], partial(i, 0)[3]};
    for (uint32_t chunk = 1; chunk < i->count; chunk++) {
        const float *of = partial(i, chunk);
        total.sum += of[0];
        total.gain += of[2];
        total.noise += of[3];
        total.largest = total.largest < of[1] ? of[1] : total.largest;
    }
    return total;
}

/* The error after the solve, until contacts have followed: behind the sums of the first chunk. */
static inline float *solved_error(const island *i) { return partial(i, 0) + 4; }

/* --- Linear systems --- */

/* Fraction of the initial r z to which float32 solves a system. */
#define FLOAT_TOLERANCE 1e-10f

/* Fraction of the initial r z to which a system of the dual solver is solved where the lengths need less. A
 * substep of gravity moves a hung net by less than max_strain allows, and what is left undone is a random
 * impulse: a rigid chain of 2 m between pins 1.99 m apart shook at 0.5 m/s for ever at 16 substeps, and the
 * pins bore 8 % too much (measured; with 0.1: at 0.2 mm/s, and a net of 21 x 6 at 1/10 of the energy). */
#define DUAL_TOLERANCE 0.01f

/* p A p over r z of a residual that no multipliers change, in steps that make residuals least: rounding. */
#define NULL_CURVATURE 0x1p-22f

/* Residual over the rest length that is the rounding of positions. Of springs more than points need, a wheel
 * with spokes say, a part of it is one that no multipliers change: it does not get smaller, and steps for it
 * get long (measured: a free wheel of 16 springs got 2 m/s in a step). Where max_strain asks for more, it is
 * solved for; and chains, which have no such part, are solved on: they come to rest. */
#define ROUNDED_LENGTH 0x1p-21f

/* First search direction of conjugate gradients. own: r z without aggregates. Returns r z. */
static inline float start_direction(island *i, float own) {
    const mote_network *n = i->job->network;
    if (!i->multipliers && !n->aggregates.levels[i->number]) return own;
    const float sum = i->multipliers ? own : own + mote_island_correct(i);
    run(i, MOTE_SOLVE_FIRST_DIRECTION, 0);
    return sum;
}

/* Solves one linear system by preconditioned conjugate gradients, until float32 is exhausted or, in the dual
 * solver, r z is below DUAL_TOLERANCE of the initial one and no residual over the rest length above half of
 * max_strain, or all residuals are roundings. Returns the iterations taken. */
static inline uint32_t solve_system(island *i, float own) {
    const mote_network_def *def = &i->job->network->def;
    float sum = start_direction(i, own);
    const float end = FLOAT_TOLERANCE * sum, enough = DUAL_TOLERANCE * sum;
    const float least = i->conflicts ? NULL_CURVATURE : 0;
    const bool redundant = !(i->job->network->aggregates.sparse[i->number] > 0);
    for (uint32_t iterations = 1;; iterations++) {
        /* q = A p; alpha = r z / p q, or p q / q D^-1 q. */
        const mote_solve_sums applied = run(i, MOTE_SOLVE_APPLY, (float)i->conflicts);
        const float curvature = applied.sum;
        i->overflows |= curvature * 0.0f != 0;
        if (!(curvature > least * sum) || i->overflows) return iterations - 1;
        mote_solve_sums after =
            run(i, MOTE_SOLVE_UPDATE, i->conflicts ? curvature / applied.gain : sum / curvature);
        if (iterations == def->max_linear) return iterations;
        if (!i->multipliers) after.sum += mote_island_correct(i);
        const bool held = !(after.largest > 0.5f * def->max_strain) && !(after.sum > enough),
                   rounded = redundant && !(after.largest > ROUNDED_LENGTH) &&
                             !(after.largest > def->max_strain / 16);
        if (!(after.sum > end) || (i->multipliers && (held || rounded))) return iterations;
        /* beta = new r z / old r z. */
        run(i, MOTE_SOLVE_DIRECTION, i->conflicts ? 0 : after.sum / sum);
        sum = after.sum;
    }
}

/* Least stiffness across a spring over that along it, in the primal solver. Without it a compressed spring
 * resists nothing across: a point goes as far as its mass lets it, and a whole step dx lengthens the spring
 * by dx^2 / 2L (measured: hung nets with soft shear springs gained energy). More holds nets back like syrup:
 * 0.01 visibly. So once a system has left no error of LONG_STEP over a rest length, there is none: systems
 * then converge as fast as Newton's method does. */
#define LEAST_ACROSS 0.003f
#define LONG_STEP    0.02f

static inline void find_contacts(island *i, mote_network_grip grip) {
    if (!i->job->collider_count || (i->multipliers && grip != MOTE_GRIP_NONE)) return;
    i->grip = grip;
    run(i, MOTE_SOLVE_CONTACTS, 0);
}

#endif
