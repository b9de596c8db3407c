/* Orientation of loose particles: input of the kernels that turn them in one step. */
#ifndef MOTE_PARTICLES_ORIENTATION_H
#define MOTE_PARTICLES_ORIENTATION_H

#include "particles/particles.h"

/* The columns of a step. Angular velocities are in the axes of the particle, torques in those of the
 * world. */
struct mote_turning {
    float *orientation[4], *angular_velocity[3];
    float *previous[4];       /* the orientation before the step is written here; NULL: it is not written */
    const float *torque[3];   /* N m, the same in each substep; NULL: none */
    const float *inertias[3]; /* kg m^2, of each particle; NULL: uniform. A scalar inertia is the first one */
    float inertia[3], inverse[3], inverse_low[3]; /* 1 / inertia is the sum of the two */
    float drag;                                   /* N m s: the torque is -drag times the angular velocity */
    float h;                                      /* s, of a substep */
    uint32_t substeps;
    uint8_t *fate;
    size_t count; /* slots; lanes beyond are not changed */
};

#endif
