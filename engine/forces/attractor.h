/* Attractor: gravity of a softened point, a = s d / (d^2 + e^2)^(3/2), d = c - x. H. C. Plummer, MNRAS 71
 * (1911) 460. */
#ifndef MOTE_FORCES_ATTRACTOR_H
#define MOTE_FORCES_ATTRACTOR_H

#include "forces/force.h"

/* Returns true if a def is an attractor, for kernels that evaluate no other force. */
MOTE_INLINE bool mote_attractor_is(const mote_force_def *def) { return def->kind == MOTE_FORCE_ATTRACTOR; }

/* Returns the acceleration at x: 0 where the power of the distance is 0, at the centre of an unsoftened
 * point. */
MOTE_INLINE wide3 mote_attractor_evaluate(const mote_force_def *def, const mote_force_point *at) {
    float softening = def->as.attractor.softening;
    wide3 d = wide3_sub(wide3_set(def->as.attractor.centre), at->x);
    wide r2 = wide3_dot(d, d) + softening * softening;
    wide power = r2 * wide_sqrt(r2);
    wide f = wide_select(wide_equal(power, (wide){0}), (wide){0}, def->as.attractor.strength / power);
    return wide3_scale(f, d);
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_attractor(const float centre[3], float strength, float softening) {
    mote_force_def def = {.cookie = MOTE_FORCE_COOKIE,
                          .kind = MOTE_FORCE_ATTRACTOR,
                          .as.attractor = {.strength = strength, .softening = softening}};
    mote_copy_vector(def.as.attractor.centre, centre);
    return def;
}

/* Potential -m s / (d^2 + e^2)^(1/2). */
static double attractor_potential(const mote_force_def *def, const mote_force_place *at) {
    double sum = (double)def->as.attractor.softening * (double)def->as.attractor.softening;
    for (int axis = 0; axis < 3; axis++) {
        double d = at->x[axis] - (double)def->as.attractor.centre[axis];
        sum += d * d;
    }
    return -at->mass * (double)def->as.attractor.strength / __builtin_sqrt(sum);
}

static const mote_force_row mote_attractor_row = {
    .name = "attractor",
    .cost = 0.5,
    .path = MOTE_PATH_POINT,
    .attracts = true,
    .bytes = MOTE_PARAMETERS(attractor),
    .fields = {{"centre", 3}, {"strength", 1}, {"softening", 1}},
    .not_negative = MOTE_PARAMETER(attractor.softening),
    .potential = attractor_potential};

#endif
#endif
