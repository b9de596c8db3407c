/* The largest stable steps of networks by both bounds of the engine, beside the true one at rest. */
#include <math.h>
#include <stdlib.h>

#include "engine.h"
#include "networks.h"
#include "random.h"
#include "verify.h"

/* The ends of a spring, its direction, and its stiffness along and across it: K v is one pass over all
 * springs. */
typedef struct stiff_link {
    uint32_t a, b;
    double n[3], along, across;
} stiff_link;

typedef struct stiff_matrix {
    uint32_t springs, numbers;
    stiff_link *link;
    double *root; /* of the inverse mass of each number */
    double *product;
} stiff_matrix;

static stiff_matrix matrix_create(const network_shape *shape) {
    stiff_matrix m = {.springs = shape->spring_count, .numbers = 3 * shape->particle_count};
    m.link = allocate_or_fail(m.springs * sizeof *m.link);
    m.root = allocate_or_fail(2 * m.numbers * sizeof *m.root);
    m.product = m.root + m.numbers;
    for (uint32_t i = 0; i < m.springs; i++) {
        const mote_spring *s = &shape->springs[i];
        stiff_link *l = &m.link[i];
        double length = 0;
        *l = (stiff_link){.a = s->a, .b = s->b, .along = (double)s->stiffness};
        for (int axis = 0; axis < 3; axis++) {
            l->n[axis] = (double)shape->positions[s->b][axis] - (double)shape->positions[s->a][axis];
            length += l->n[axis] * l->n[axis];
        }
        length = sqrt(length);
        for (int axis = 0; axis < 3; axis++) l->n[axis] /= length;
        l->across = l->along * (1 - (double)s->rest_length / length);
    }
    for (uint32_t i = 0; i < m.numbers; i++) m.root[i] = 1 / sqrt((double)shape->masses[i / 3]);
    for (uint32_t i = 0; i < 3 * shape->pin_count; i++) m.root[3 * shape->pins[i / 3] + i % 3] = 0;
    return m;
}

static void matrix_destroy(stiff_matrix *m) {
    free(m->link);
    free(m->root);
}

/* product = M^(-1/2) K M^(-1/2) v */
static void multiply(const stiff_matrix *m, const double *v) {
    for (uint32_t i = 0; i < m->numbers; i++) m->product[i] = 0;
    for (uint32_t i = 0; i < m->springs; i++) {
        const stiff_link *l = &m->link[i];
        double d[3], along = 0;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] =
                m->root[3 * l->b + axis] * v[3 * l->b + axis] - m->root[3 * l->a + axis] * v[3 * l->a + axis];
            along += d[axis] * l->n[axis];
        }
        for (int axis = 0; axis < 3; axis++) {
            double force = l->across * d[axis] + (l->along - l->across) * along * l->n[axis];
            m->product[3 * l->a + axis] -= force;
            m->product[3 * l->b + axis] += force;
        }
    }
    for (uint32_t i = 0; i < m->numbers; i++) m->product[i] *= m->root[i];
}

/* The highest frequency (rad/s) of small motions, from below: the Rayleigh quotient of the power method,
 * whose error is the square of the error of the vector. */
static double highest_frequency(const network_shape *shape) {
    stiff_matrix m = matrix_create(shape);
    double *v = allocate_or_fail(m.numbers * sizeof *v), value = 0, before = 0;
    for (uint32_t i = 0; i < m.numbers; i++) v[i] = (double)random_signed(random_bits(i, 0), 0);
    for (uint32_t turn = 0; turn < 4000; turn++) {
        double norm = 0, dot = 0;
        multiply(&m, v);
        for (uint32_t i = 0; i < m.numbers; i++) norm += v[i] * v[i], dot += v[i] * m.product[i];
        value = dot / norm;
        norm = 0;
        for (uint32_t i = 0; i < m.numbers; i++) norm += m.product[i] * m.product[i];
        norm = sqrt(norm);
        for (uint32_t i = 0; i < m.numbers; i++) v[i] = m.product[i] / norm;
        if (turn % 50 == 49 && value - before < 1e-7 * value) break;
        if (turn % 50 == 49) before = value;
    }
    free(v);
    matrix_destroy(&m);
    return sqrt(value);
}

/* Semi-implicit Euler without damping: 2 / w. The power method comes near w from below by 1e-7 of its square
 * at most, so that the true step is that much smaller. */
static void judge_bounds(verify_report *report, const char *name, network_shape *shape) {
    for (uint32_t i = 0; i < shape->spring_count; i++) shape->springs[i].damping = 0;
    network_setup setup = {.shape = shape, .substeps = 8, .threads = 1, .rate = STEPS_PER_SECOND};
    network_run *run = network_create(&setup);
    mote_network_stability_report bounds;
    engine_check(mote_network_stability(run->system, run->network, &bounds), "mote_network_stability");
    double step = 2 / highest_frequency(shape);
    verify_between(report, name, bounds.sharp.step / step, 0.85, 1.000001, "sharp bound over the true step");
    verify_between(report, name, bounds.any.step / step, 0.6, 1.000001,
                   "bound for any directions over the true step");
    network_run_destroy(run);
    shape_destroy(shape);
}

void verify_bounds(verify_report *report) {
    static const net_form threads = {
        .side = 64, .spacing = 0.02f, .mass = 0.001f, .slope = {-1, 0}, .structural = 100};
    static const chain_form chain = {.chains = 1, .points = 64, .mass = 1, .stiffness = 15};
    network_shape net = scene_net_create(64 * 64), plain = net_create(&threads),
                  chains = chains_create(&chain);
    network_shape webs = webs_create(64 * WEB_NODES), bridge = bridge_create(64 * BRIDGE_NODES);
    judge_bounds(report, "net of scene net", &net);
    judge_bounds(report, "net of threads", &plain);
    judge_bounds(report, "zigzag chain of 64", &chains);
    judge_bounds(report, "64 webs", &webs);
    judge_bounds(report, "bridge of 63 panels", &bridge);
}
