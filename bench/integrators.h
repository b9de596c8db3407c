/* Which integrators step velocity fields, and loops over the others. */
#ifndef BENCH_INTEGRATORS_H
#define BENCH_INTEGRATORS_H

#include <stdbool.h>

#include <mote/integrator.h>

/* An integrator that advects takes velocity fields and nothing else. */
static inline bool advects(mote_integrator integrator) {
    return integrator == MOTE_ADVECT_EULER || integrator == MOTE_ADVECT_MIDPOINT ||
           integrator == MOTE_ADVECT_RK4;
}

/* All integrators that step under forces. */
#define FOR_INTEGRATORS(i)                                                                                   \
    for (mote_integrator i = 0; i < MOTE_INTEGRATOR_COUNT; i++)                                              \
        if (!advects(i))

#endif
