/* The integrators in double on one body whose forces a function gives: for physics. */
#define REAL double
#include "integrator_template.h"

typedef struct body {
    reference_acceleration *acceleration;
    const void *context;
    double time;
} body;

static void accelerate(const bodies *b, double time, double weight, row *a) {
    const body *one = b->user;
    (void)weight;
    one->acceleration(one->context, one->time + time * b->h, b->x[0], b->v[0], a[0]);
}

void reference_double_step(mote_integrator integrator, reference_acceleration *acceleration,
                           const void *context, double time, double h, reference_body *state) {
    body one = {acceleration, context, time};
    const bodies b = {.integrator = integrator,
                      .count = 1,
                      .x = &state->position,
                      .v = &state->velocity,
                      .inverse_mass = (const float[]){1},
                      .h = h,
                      .user = &one,
                      .accelerate = accelerate};
    if (integrator >= MOTE_IMPLICIT_EULER) abort();
    take_substep(&b);
}
