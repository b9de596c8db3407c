/* The schedule of a step. There is one: units outside or stages outside, one range or several that links
 * join, all take the same phases in the same order. A unit is a block of particles, a lane group of strands,
 * a block of a network. */
#ifndef MOTE_STAGE_PHASES_H
#define MOTE_STAGE_PHASES_H

#include "base/compiler.h"

typedef enum mote_phase {
    MOTE_PHASE_LOAD,     /* the state at the start of the step goes to scratch */
    MOTE_PHASE_BEGIN,    /* what precedes the first evaluation of a substep: pins set out, a first drift */
    MOTE_PHASE_PLACE,    /* pins and reels at the stage's time */
    MOTE_PHASE_EVALUATE, /* forces of springs and callbacks at the stage's state */
    MOTE_PHASE_STAGE,    /* the integrator's stage */
    MOTE_PHASE_ARRIVE,   /* pins and reels at the end of the substep */
    MOTE_PHASE_SOLVE,    /* constraints */
    MOTE_PHASE_END,      /* contacts, velocities */
    MOTE_PHASE_CHECK,    /* islands that turned non-finite are frozen */
    MOTE_PHASE_COMMIT    /* the finite state of the step's end leaves scratch */
} mote_phase;

/* A phase of substep `substep` and its stage `stage`; 0 in the phases that have none. */
typedef struct mote_phase_at {
    mote_phase phase;
    uint32_t substep, stage;
} mote_phase_at;

/* Runs one phase of a unit, of all units of a range, or of all that is linked. */
typedef void mote_phase_runner(void *context, const mote_phase_at *at);

/* One step of `substeps` substeps, of `stages` stages each. Inlined, so that a kernel whose runner is inlined
 * too has no call in it. */
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
