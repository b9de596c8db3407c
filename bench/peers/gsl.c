/* The GNU Scientific Library: gsl_odeiv2_step_rk4, in double. */
#include "peer.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <stdlib.h>

#include "slopes.h"

typedef struct gsl_state {
    peer_work work;
    gsl_odeiv2_step *step;
    gsl_odeiv2_system system;
    double *y, *error;
} gsl_state;

static int evaluate(double t, const double y[], double dydt[], void *work) {
    (void)t;
    slopes_double(work, y, dydt);
    return GSL_SUCCESS;
}

static void *gsl_open(const void *work, unsigned kind) {
    gsl_state *s = malloc(sizeof *s);
    (void)kind;
    if (!s) abort();
    s->work = *(const peer_work *)work;
    const size_t numbers = 6 * (size_t)s->work.points;
    s->step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk4, numbers);
    s->system = (gsl_odeiv2_system){evaluate, NULL, numbers, &s->work};
    s->y = malloc(6 * (size_t)s->work.count * sizeof(double));
    s->error = malloc(numbers * sizeof(double));
    if (!s->y || !s->error || !s->step) abort();
    fill_double(&s->work, s->y);
    return s;
}

static void gsl_frame(void *user) {
    gsl_state *s = user;
    const size_t numbers = 6 * (size_t)s->work.points;
    for (uint32_t chain = 0; chain < s->work.count / s->work.points; chain++)
        for (uint32_t k = 0; k < s->work.substeps; k++)
            gsl_odeiv2_step_apply(s->step, 0, (double)s->work.h, s->y + chain * numbers, s->error, NULL, NULL,
                                  &s->system);
}

static void gsl_place(const void *user, uint32_t i, float place[3]) {
    const gsl_state *s = user;
    place_double(&s->work, s->y, i, place);
}

static void gsl_close(void *user) {
    gsl_state *s = user;
    gsl_odeiv2_step_free(s->step);
    free(s->y);
    free(s->error);
    free(s);
}

const bench_peer peer_gsl = {
    "GSL rk4, double",
    "a body or a chain at a time; as GSL does it, a whole step and two halves for an "
    "estimate of the error: 11 evaluations",
    PEER_RK4 | PEER_CHAINS,
    gsl_open,
    gsl_frame,
    gsl_place,
    gsl_close};
