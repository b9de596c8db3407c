/* Points in a collider at the start of a substep (expel.h): they are put out, and the particles around them
 * come to rest with the springs. */
#ifndef MOTE_NETWORKS_RELAX_H
#define MOTE_NETWORKS_RELAX_H

#include "networks/linear_system.h"

/* H^2 of expel.h times the mean over particles of the sum of k / m of their springs, and what it is divided
 * by where the springs went astray; below 1 the particles around stay. */
#define EXPEL_STIFFNESS 1e6
#define EXPEL_SOFTER    30

/* Rounds of lengths and contacts in the dual solver. */
#define EXPEL_ROUNDS 4

/* Newton's method for the lengths or, primal, for lengths and contacts. */
static inline void relax_system(island *i, mote_solve_sums at, mote_network_step_report *report) {
    const mote_network_def *def = &i->job->network->def;
    float least = LEAST_ACROSS;
    for (uint32_t iterations = 0;
         iterations < def->max_iterations && (iterations == 0 || at.largest > def->max_strain);
         iterations++) {
        report->linear += solve_system(i, at.sum);
        report->iterations++;
        least *= 0.25f;
        run(i, MOTE_SOLVE_MOVE, 0);
        if (!i->multipliers) find_contacts(i, MOTE_GRIP_NONE);
        at = run(i, MOTE_SOLVE_LINEARISE, least);
    }
    i->overflows |= at.sum * 0.0f != 0;
}

static inline void relax_lengths(island *i, mote_network_step_report *report) {
    run(i, MOTE_SOLVE_LOAD, 0);
    for (int round = 0; round < EXPEL_ROUNDS; round++) {
        find_contacts(i, MOTE_GRIP_NONE);
        run(i, MOTE_SOLVE_WEIGH, 0);
        relax_system(i, run(i, MOTE_SOLVE_LINEARISE, 0), report);
    }
    find_contacts(i, MOTE_GRIP_NONE);
}

/* Ways by which points are put out: the longest one, and the length of their sum over the sum of their
 * lengths. */
typedef struct ways_out {
    double longest[3], agreement;
} ways_out;

/* Agreement from which on all point about the same way, and from which on not to both sides. */
#define EXPEL_SAME  0.9
#define EXPEL_ASIDE 0.4

static inline ways_out find_ways_out(const island *i) {
    ways_out out = {{0, 0, 0}, 0};
    double from[3], way[3], sum[3] = {0, 0, 0}, lengths = 0;
    EACH_SLOT(i, slot) {
        fetch(i, COLUMN(direction), slot, from), fetch(i, COLUMN(start), slot, way);
        for (int k = 0; k < 3; k++) way[k] -= from[k], sum[k] += way[k];
        lengths += __builtin_sqrt(mote_dot(way, way));
        if (mote_dot(way, way) > mote_dot(out.longest, out.longest)) memcpy(out.longest, way, sizeof way);
    }
    if (lengths > 0) out.agreement = __builtin_sqrt(mote_dot(sum, sum)) / lengths;
    return out;
}

/* Moves the free particles, from where Newton's method begins; held: and the places that hold them. */
static inline void shift(const island *i, const double way[3], bool held) {
    EACH_SLOT(i, slot) {
        if (!(mass_of(i, slot) > 0)) continue;
        float *memory = i->c->memory + (slot - i->c->first);
        for (size_t k = 0; k < 3; k++) {
            memory[(COLUMN(moved) + k) * i->c->stride] += (float)way[k];
            if (held) memory[(COLUMN(friction_shift) + k) * i->c->stride] += (float)way[k];
        }
    }
}

/* Newton's method for lengths and contacts. deep: points were put out by more than the length of a spring.
 * One by one they would meet their neighbours, and springs would fold; so the whole net is put out. */
static inline void relax_positions(island *i, const ways_out *out, bool deep,
                                   mote_network_step_report *report) {
    run(i, MOTE_SOLVE_LINEARISE, LEAST_ACROSS);
    run(i, MOTE_SOLVE_BALANCE, 0);
    mote_island_assemble(i);
    if (out->agreement > EXPEL_ASIDE)
        shift(i, out->longest, deep && out->agreement > EXPEL_SAME && !i->job->linked);
    run(i, MOTE_SOLVE_MOVE, 0);
    find_contacts(i, MOTE_GRIP_NONE);
    relax_system(i, run(i, MOTE_SOLVE_LINEARISE, LEAST_ACROSS), report);
}

/* Square of the largest way of a particle by which relaxed springs may have moved it, over the sum of the
 * squares of the ways by which points were put out. */
#define EXPEL_FURTHEST 16

/* Whether the springs have found a rest elsewhere: Newton's method leaves the nearest one where springs that
 * are pressed together give way aside. The positions are the start then. */
static inline bool went_astray(const island *i, double squares) {
    double most = 0, from[3], way[3];
    EACH_SLOT(i, slot) {
        fetch(i, COLUMN(start), slot, from), fetch(i, COLUMN(x), slot, way);
        for (int k = 0; k < 3; k++) way[k] -= from[k];
        const double square = mote_dot(way, way);
        if (!(square <= most)) most = square;
    }
    if (most <= EXPEL_FURTHEST * squares) return false;
    EACH_SLOT(i, slot) for (int k = 0; k < 3; k++) {
        float *const memory = i->c->memory + (slot - i->c->first);
        memory[(size_t)(COLUMN(x) + k) * i->c->stride] = memory[(size_t)(COLUMN(start) + k) * i->c->stride];
    }
    return true;
}

/* Moves the particles around points that are put out of colliders. stiffness: that of the springs compared to
 * the particles' mass; put: sums of the pass that put points out. Returns whether they came to rest nearby;
 * else none has moved. */
static inline bool relax(island *i, double stiffness, mote_solve_sums put, mote_network_step_report *report) {
    const double squares = (double)put.sum;
    const ways_out out = i->multipliers ? (ways_out){.agreement = 0} : find_ways_out(i);
    const mote_solve_sums springs = run(i, MOTE_SOLVE_RELAX, 0);
    mote_plan plan = *i->job->plan;
    mote_network_job job = *i->job;
    island slow = *i;
    job.plan = &plan, slow.job = &job;
    if (i->multipliers) {
        relax_lengths(&slow, report);
    } else {
        const double square = stiffness * (double)springs.noise / (double)springs.gain;
        if (square > plan.h * plan.h && square < 1e30) plan.h = __builtin_sqrt(square);
        plan.c.h = (float)plan.h;
        relax_positions(&slow, &out, put.largest > 1, report);
    }
    const bool astray = went_astray(i, squares);
    i->overflows |= slow.overflows && !astray;
    run(i, MOTE_SOLVE_RESUME, 0);
    return !astray;
}

/* Puts points out of the colliders in which they start. Where that strains springs beyond the allowed error,
 * the particles around move too. Returns whether they did. */
static inline bool expel(island *i, mote_network_step_report *report) {
    if (!i->job->collider_count) return false;
    for (double stiffness = EXPEL_STIFFNESS;; stiffness /= EXPEL_SOFTER) {
        const mote_solve_sums out = run(i, MOTE_SOLVE_EXPEL, 0);
        if (!(out.largest > i->job->network->def.max_strain)) return stiffness < EXPEL_STIFFNESS;
        if (stiffness < 1 || relax(i, stiffness, out, report)) return true;
        if (i->multipliers) stiffness = 1;
    }
}

#endif
