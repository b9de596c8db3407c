/* Attractor: the gravity of a softened point, a = s d / (d^2 + e^2)^(3/2), d = c - x. H. C. Plummer, MNRAS 71
 * (1911) 460. */
#ifndef MOTE_FORCES_ATTRACTOR_H
#define MOTE_FORCES_ATTRACTOR_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_attractor_row;

/* The acceleration at x. At the centre of an unsoftened point it is not finite: the particle is reported. */
MOTE_INLINE wide3 mote_attractor_evaluate(const mote_force_def *def, wide3 x) {
    float softening = def->as.attractor.softening;
    wide3 d = wide3_sub(wide3_set(def->as.attractor.centre), x);
    wide r2 = wide3_dot(d, d) + softening * softening;
    wide f = def->as.attractor.strength / (r2 * wide_sqrt(r2));
    return wide3_scale(f, d);
}

#endif
