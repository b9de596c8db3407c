/* Substeps of the dual solver in parts. Multipliers know no stiffness of a stretched spring across itself:
 * from h^2 T = m L on, with T the tension and L the length of a spring and m the mass of an end, linear
 * systems overshoot across it, as explicit steps do. A substep with such a spring is solved in parts h / p
 * that are short enough. Applied forces act as in the whole substep; pins and reels go on linearly. Loops are
 * scalar and in double, in the order of the slots. */
#ifndef MOTE_NETWORKS_PARTS_H
#define MOTE_NETWORKS_PARTS_H

#include "networks/dual_energy.h"
#include "networks/linear_system.h"

/* The most parts. */
#define MOST_PARTS 32

/* Error over the rest length from which on not even the shortest first part is a help. */
#define HOPELESS 0.05f

/* Columns that the dual solver leaves free keep what the substep began with: */
#define PARTS_START   COLUMN(product)        /* COLUMN(start) */
#define PARTS_START_V COLUMN(friction_shift) /* COLUMN(start_v) */
#define PARTS_V       COLUMN(residual)       /* COLUMN(v), with the applied forces */
#define PARTS_X       COLUMN(block)          /* COLUMN(predicted) */
#define PARTS_FORCE   (COLUMN(block) + 3)    /* and the sum of COLUMN(force) of the parts so far */

static float *column_of_slot(const island *i, int column, uint32_t slot) {
    return i->c->memory + (size_t)column * i->c->stride + (slot - i->c->first);
}

static void copy_column(const island *i, int from, int to) {
    EACH_SLOT(i, slot) {
        for (size_t k = 0; k < 3; k++)
            column_of_slot(i, to, slot)[k * i->c->stride] = column_of_slot(i, from, slot)[k * i->c->stride];
    }
}

static bool is_masked(const island *i, uint32_t slot) {
    return i->job->network->particle_of_slot[slot] == MOTE_NO_SLOT;
}

/* Goes back to the start of the substep, before the first part. */
static MOTE_COLD void begin_parts(const island *i) {
    copy_column(i, COLUMN(start), PARTS_START), copy_column(i, COLUMN(start_v), PARTS_START_V);
    copy_column(i, COLUMN(v), PARTS_V), copy_column(i, COLUMN(predicted), PARTS_X);
    EACH_SLOT(i, slot) for (size_t k = 0; k < 3; k++) {
        const size_t more = k * i->c->stride;
        column_of_slot(i, PARTS_FORCE, slot)[more] = 0;
        if (is_masked(i, slot)) continue;
        column_of_slot(i, COLUMN(x), slot)[more] = column_of_slot(i, COLUMN(start), slot)[more];
        if (mass_of(i, slot) > 0)
            column_of_slot(i, COLUMN(v), slot)[more] = column_of_slot(i, COLUMN(start_v), slot)[more];
    }
}

/* Sets the reeled springs of an island to their rest lengths at the end of the part. */
static void reel_part(const island *i) {
    const mote_network_job *job = i->job;
    mote_network *n = job->network;
    const uint32_t last = mote_network_block_of(n, n->chunk_first[i->first + i->count - 1]);
    for (uint32_t block = mote_network_block_of(n, n->chunk_first[i->first]); n->reels.count && block <= last;
         block++) {
        const mote_pin_run reels = n->reels.run[block];
        for (uint32_t k = reels.first; k < reels.first + reels.count; k++) {
            const mote_pin *reel = &n->reels.pins[k];
            float at[3];
            if (n->island[n->spring[reel->spring].a] != i->number) continue;
            mote_pin_at(reel, job->step_tick, mote_network_ticks_within(job, i->substep, i->to), at);
            n->spring[reel->spring].rest_length = at[0];
            mote_network_copy_spring(n, reel->spring);
        }
    }
}

/* Goes to x* of a part, from i->from to i->to of the substep. */
static MOTE_COLD void begin_part(const island *i) {
    const double h = i->job->plan->h, share = i->to - i->from;
    copy_column(i, COLUMN(x), COLUMN(start)), copy_column(i, COLUMN(v), COLUMN(start_v));
    EACH_SLOT(i, slot) {
        const bool free = mass_of(i, slot) > 0;
        if (is_masked(i, slot)) continue;
        for (size_t k = 0; k < 3; k++) {
            float *const at = i->c->memory + k * i->c->stride + (slot - i->c->first);
            const double begin = (double)at[(size_t)PARTS_START * i->c->stride],
                         end = (double)at[(size_t)PARTS_X * i->c->stride];
            float *const x = at + (size_t)COLUMN(x) * i->c->stride, *const v =
                                                                        at + (size_t)COLUMN(v) * i->c->stride;
            if (free) {
                const double dv = (double)at[(size_t)PARTS_V * i->c->stride] -
                                  (double)at[(size_t)PARTS_START_V * i->c->stride];
                *v = (float)((double)*v + share * dv);
                *x = (float)((double)*x + h * (double)*v);
            } else {
                *x = i->to < 1 ? (float)(begin + i->to * (end - begin)) : (float)end;
            }
        }
    }
    reel_part(i);
}

/* Goes back to the start of a part. */
static MOTE_COLD void undo_part(const island *i) {
    EACH_SLOT(i, slot) for (size_t k = 0; k < 3; k++) {
        const size_t more = k * i->c->stride;
        if (is_masked(i, slot)) continue;
        column_of_slot(i, COLUMN(x), slot)[more] = column_of_slot(i, COLUMN(start), slot)[more];
        if (mass_of(i, slot) > 0)
            column_of_slot(i, COLUMN(v), slot)[more] = column_of_slot(i, COLUMN(start_v), slot)[more];
    }
}

/* Goes back to x* of the whole substep, before the first part. */
static MOTE_COLD void leave_parts(const island *i) {
    copy_column(i, PARTS_START, COLUMN(start)), copy_column(i, PARTS_START_V, COLUMN(start_v));
    copy_column(i, PARTS_V, COLUMN(v)), copy_column(i, PARTS_X, COLUMN(x));
    reel_part(i);
}

/* After MOTE_SOLVE_FORCES: velocities gain what has moved particles, and the forces of the part are summed.
 */
static MOTE_COLD void end_part(const island *i) {
    const double h = i->job->plan->h, share = i->to - i->from;
    EACH_SLOT(i, slot) {
        const bool free = mass_of(i, slot) > 0;
        if (is_masked(i, slot)) continue;
        for (size_t k = 0; k < 3; k++) {
            float *const at = i->c->memory + k * i->c->stride + (slot - i->c->first);
            float *const v = at + (size_t)COLUMN(v) * i->c->stride, *const sum = at + (size_t)PARTS_FORCE *
                                                                                          i->c->stride;
            if (free) *v = (float)((double)*v + (double)at[(size_t)COLUMN(moved) * i->c->stride] / h);
            *sum = (float)((double)*sum + share * (double)at[(size_t)COLUMN(force) * i->c->stride]);
        }
    }
}

/* The substep as a whole, after the last part: velocities gain COLUMN(moved) over h. */
static MOTE_COLD void end_parts(const island *i) {
    const double h = i->job->plan->h;
    EACH_SLOT(i, slot) {
        if (is_masked(i, slot)) continue;
        for (size_t k = 0; k < 3; k++) {
            float *const at = i->c->memory + k * i->c->stride + (slot - i->c->first);
            at[(size_t)COLUMN(moved) * i->c->stride] =
                (float)(h * ((double)at[(size_t)COLUMN(v) * i->c->stride] -
                             (double)at[(size_t)PARTS_V * i->c->stride]));
        }
    }
    copy_column(i, PARTS_START, COLUMN(start)), copy_column(i, PARTS_START_V, COLUMN(start_v));
    copy_column(i, PARTS_V, COLUMN(v)), copy_column(i, PARTS_FORCE, COLUMN(force));
}

#endif
