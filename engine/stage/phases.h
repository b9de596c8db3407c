/* The parts of a step. Ranges that links join take each part together, so that every stage finds all of them
 * at the same time; a range that steps alone takes them one behind the other. */
#ifndef MOTE_STAGE_PHASES_H
#define MOTE_STAGE_PHASES_H

#include <stdint.h>

typedef enum mote_phase {
    MOTE_PHASE_LOAD,     /* the state goes to scratch */
    MOTE_PHASE_BEGIN,    /* what precedes the first stage of a substep */
    MOTE_PHASE_EVALUATE, /* the state of a stage, and the forces of callbacks and springs in it */
    MOTE_PHASE_STAGE,
    MOTE_PHASE_END,   /* what follows the last stage: constraints, contact */
    MOTE_PHASE_COMMIT /* what is finite goes back */
} mote_phase;

/* Substep of the step, stage of the substep: for the parts that have one, else 0. */
typedef struct mote_phase_place {
    uint32_t substep, stage;
} mote_phase_place;

#endif
