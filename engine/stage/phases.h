/* Schedule of a step. It is the only one: both loop orders (units outside or stages outside), and single
 * ranges as well as linked ones, run the same phases in the same order. A unit is a block of particles, a
 * lane group of strands, or a block of a network. */
#ifndef MOTE_STAGE_PHASES_H
#define MOTE_STAGE_PHASES_H

#include "base/compiler.h"

typedef enum mote_phase {
    MOTE_PHASE_LOAD,     /* copies the state at the start of the step to scratch */
    MOTE_PHASE_BEGIN,    /* prepares the first evaluation of a substep: pins at their start, first drift */
    MOTE_PHASE_PLACE,    /* moves pins and reels to the stage's time */
    MOTE_PHASE_EVALUATE, /* sums the forces of springs and callbacks at the stage's state */
    MOTE_PHASE_STAGE,    /* runs the integrator's stage */
    MOTE_PHASE_ARRIVE,   /* moves pins and reels to the end of the substep */
    MOTE_PHASE_SOLVE,    /* solves constraints */
    MOTE_PHASE_END,      /* applies contacts, updates velocities */
    MOTE_PHASE_CHECK,    /* freezes islands that turned non-finite */
    MOTE_PHASE_COMMIT    /* copies the finite state at the end of the step from scratch */
} mote_phase;

/* Phase of substep `substep` and its stage `stage`; 0 in phases that have none. */
typedef struct mote_phase_at {
    mote_phase phase;
    uint32_t substep, stage;
} mote_phase_at;

/* Runs one phase of a unit, of all units of a range, or of all linked ranges. */
typedef void mote_phase_runner(void *context, const mote_phase_at *at);

/* Runs one step of `substeps` substeps, of `stages` stages each. Inlined, so that a kernel whose runner is
 * inlined too contains no call. */
MOTE_INLINE void mote_schedule_step(uint32_t substeps, uint32_t stages, mote_phase_runner *run,
                                    void *context) {
    run(context, &(mote_phase_at){MOTE_PHASE_LOAD, 0, 0});
    for (uint32_t substep = 0; substep < substeps; substep++) {
        run(context, &(mote_phase_at){MOTE_PHASE_BEGIN, substep, 0});
        for (uint32_t stage = 0; stage < stages; stage++) {
            run(context, &(mote_phase_at){MOTE_PHASE_PLACE, substep, stage});
            run(context, &(mote_phase_at){MOTE_PHASE_EVALUATE, substep, stage});
            run(context, &(mote_phase_at){MOTE_PHASE_STAGE, substep, stage});
        }
        run(context, &(mote_phase_at){MOTE_PHASE_ARRIVE, substep, 0});
        run(context, &(mote_phase_at){MOTE_PHASE_SOLVE, substep, 0});
        run(context, &(mote_phase_at){MOTE_PHASE_END, substep, 0});
    }
    run(context, &(mote_phase_at){MOTE_PHASE_CHECK, 0, 0});
    run(context, &(mote_phase_at){MOTE_PHASE_COMMIT, 0, 0});
}

#endif
