/* Random graphs with pins that travel, springs that are reeled, come, go, change and tear, by every
 * integrator, against the plain reference in double. The tolerance is the bound to which rounding can grow,
 * see widen. */
#include "test.h"

#include "network_twin.h"

enum { GRAPHS = 36, STEPS = 8 };

/* --- The bound --- */

/* How far apart the engine and the reference may be in a position (m) and a velocity (m/s). */
typedef struct gap {
    double x, v;
} gap;

/* Of the present state: the largest change of any particle's acceleration by a shift of 1 m, by a velocity of
 * 1 m/s, and by the roundings of one evaluation; the largest coordinate and speed. */
typedef struct steepness {
    double place, speed, rounding, x, v;
} steepness;

/* A spring's force changes by k along it and by k |1 - L / |d|| across. Its error has the roundings of d, of
 * |d| (2.5), of the rest length that travels (2), of the tension (3) and of its share (2): fewer than eight
 * of k (|d| + L), and of c |d'| likewise. */
static void add_steepness(const reference_network *n, const reference_spring *s, steepness *of) {
    double square = 0, rate = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += pow(n->dx[s->b][axis] - n->dx[s->a][axis], 2);
        rate += fabs(n->dv[s->b][axis] - n->dv[s->a][axis]);
    }
    const double d = sqrt(square), rest = s->reels ? (double)fmaxf(s->from, s->to) : (double)s->rest_length;
    const double stiffness =
        s->stiffness * fmax(1, fabs(1 - rest / d)) + (d > 0 ? 2 * s->damping * rate / d : 0);
    of[s->a].place += 2 * stiffness, of[s->b].place += 2 * stiffness;
    of[s->a].speed += 2 * s->damping, of[s->b].speed += 2 * s->damping;
    const double rounding = 8 * UNIT * (s->stiffness * (d + rest) + s->damping * rate);
    of[s->a].rounding += rounding, of[s->b].rounding += rounding;
}

/* Over all particles. The system's forces (strand_scene.h) change by at most 4 1/s^2 and 1 1/s on the
 * lightest, of 1/2 kg, of values below 16. */
static steepness steepest(const reference_network *n) {
    static steepness of[NETWORK_PARTICLES];
    steepness most = {4, 1, 16 * 6 * UNIT, 0, 0};
    memset(of, 0, n->count * sizeof *of);
    for (uint32_t k = 0; k < n->spring_end; k++)
        if (n->spring[k].alive) add_steepness(n, &n->spring[k], of);
    double place = 0, speed = 0, rounding = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        const double mass = (double)n->own_mass[i];
        place = fmax(place, mass * of[i].place), speed = fmax(speed, mass * of[i].speed),
        rounding = fmax(rounding, mass * of[i].rounding);
        for (int axis = 0; axis < 3; axis++)
            most.x = fmax(most.x, fabs(n->dx[i][axis])), most.v = fmax(most.v, fabs(n->dv[i][axis]));
    }
    most.place += place, most.speed += speed, most.rounding += rounding;
    return most;
}

/* Kicks and drifts of a substep, by magnitude: Yoshida's go to and fro, those of Runge and Kutta are
 * weighted. */
static double path_of(mote_integrator m) { return m == MOTE_YOSHIDA4 ? 4.5 : m == MOTE_PEFRL ? 2 : 1; }

/* A substep: the velocities' gap grows by the forces' change over the gaps before it, and by the roundings of
 * each evaluation: two of v, three of dv; a pin's velocity, (x1 - x0) / h, errs by two of x over h, which
 * counts where there is damping. The positions' gap grows by that of the velocities, and two roundings of x
 * and of h v. */
static void widen(gap *g, const steepness *s, mote_integrator m, double h) {
    const double path = path_of(m) * h, calls = mote_integrator_describe(m)->evaluations;
    g->v += path * (s->place * g->x + s->speed * g->v + s->speed * 2 * UNIT * s->x / h) +
            calls * (2 * UNIT * s->v + h * 2 * s->rounding);
    g->x += path * g->v + calls * 2 * UNIT * (s->x + h * s->v);
}

/* --- Comparison --- */

static void expect_near(const network_twin *t, const gap *g) {
    const reference_network *n = t->reference;
    const double h = t->around.timestep / t->around.substeps;
    for (uint32_t i = 0; i < n->count; i++)
        for (uint32_t c = 0; c < 3; c++) {
            const double of_pin = n->mass[i] == 0 ? (2 * UNIT * fabs(n->dx[i][c]) + g->x) / h : 0;
            ASSERT_NEAR(*column_of(t->system, t->id, i, c), n->dx[i][c], g->x);
            ASSERT_NEAR(*column_of(t->system, t->id, i, 3 + c), n->dv[i][c], g->v + of_pin);
        }
}

/* Whether a spring is so close to tearing that rounding may decide. */
static bool is_undecided(const reference_network *n, const gap *g) {
    for (uint32_t k = 0; k < n->spring_end; k++) {
        const reference_spring *s = &n->spring[k];
        double square = 0;
        bool torn = false;
        for (uint32_t i = 0; i < n->torn_count; i++) torn |= n->torn[i] == k;
        if (!(s->alive || torn) || s->tear_strain == 0) continue;
        for (int axis = 0; axis < 3; axis++) square += pow(n->dx[s->b][axis] - n->dx[s->a][axis], 2);
        const double rest = (double)s->rest_length, over = sqrt(square) - rest * (1 + (double)s->tear_strain);
        if (fabs(over) <= 4 * g->x + 8 * UNIT * rest || s->reels) return true;
    }
    return false;
}

/* The callback of strand_scene.h, once in N and once in m/s^2. */
static void swirl(const void *user, double time, double mass, const double x[3], const double v[3],
                  double a[3]) {
    const double force[3] = {0.25 * (time - v[0] * x[1]), 0.25 * (v[2] - 0.125 * mass),
                             0.25 * (x[0] * v[1] - x[2])};
    (void)user;
    for (int axis = 0; axis < 3; axis++) a[axis] += (1 + mass) * force[axis];
}

/* --- Graphs --- */

typedef struct tally {
    uint32_t torn, edits, undecided, callbacks;
    double gap, change; /* of velocities: the largest allowed, and the largest by forces */
} tally;

static network_scene random_scene(mote_integrator m, uint32_t graph) {
    static const uint32_t parts[] = {DAMPING, MASSES, SYSTEM, STIFF, PINS, REELS, EDITS, CALLBACKS, ALIKE};
    random_source random = {900 + graph};
    network_scene s = {.integrator = m, .rate = {path_of(m) > 1 ? 480 : 120, 1}, .seed = 300 + graph};
    for (size_t i = 0; i < COUNT_OF(parts); i++) s.parts |= random_below(&random, 2) ? parts[i] : 0;
    if (graph % 4 && !(s.parts & REELS)) s.parts |= TEARS;
    if (path_of(m) > 1) s.parts |= WILD; /* else nothing would tear in so short a time */
    if (m == MOTE_EXACT_FLOW && !(s.parts & (SYSTEM | STIFF)))
        s.parts &= ~(uint32_t)CALLBACKS; /* nothing would be exact */
    s.count = 2 + random_below(&random, 120);
    s.island = 1 + random_below(&random, s.count);
    s.substeps = 1 + random_below(&random, 3);
    s.order = (numbering)random_below(&random, NUMBERINGS);
    s.joined = random_below(&random, 3) == 0;
    return s;
}

static void run_graph(const network_scene *s, tally *all) {
    static network_arrays arrays;
    network_twin t = make_twin(s, &arrays, true);
    const double h = t.around.timestep / s->substeps;
    gap g = {0, 0};
    if (s->parts & CALLBACKS) t.around.force = swirl, all->callbacks++;
    for (uint32_t step = 0; step < STEPS; step++) {
        if (step && s->parts & EDITS) twin_edit(&t, reference_hash(s->seed, step)), all->edits++;
        const steepness before = steepest(t.reference);
        if (step == 0 && s->integrator == MOTE_POSITION_VERLET) widen(&g, &before, s->integrator, h);
        twin_step(&t);
        const steepness after = steepest(t.reference);
        const steepness s_of = {2 * fmax(before.place, after.place), 2 * fmax(before.speed, after.speed),
                                fmax(before.rounding, after.rounding), fmax(before.x, after.x),
                                fmax(before.v, after.v)};
        for (uint32_t i = 0; i < s->substeps; i++) widen(&g, &s_of, s->integrator, h);
        if (is_undecided(t.reference, &g)) {
            all->undecided++;
            break;
        }
        twin_case(&t);
        twin_same_springs(&t);
        expect_near(&t, &g);
        all->torn += t.reference->torn_count;
        all->gap = fmax(all->gap, g.v);
    }
    for (uint32_t i = 0; i < s->count; i++)
        for (int axis = 0; axis < 3 && t.reference->mass[i] > 0; axis++)
            all->change = fmax(all->change, fabs(t.reference->dv[i][axis] -
                                                 (double)arrays.velocities[3 * i + (uint32_t)axis]));
    destroy_twin(&t);
}

TEST_EACH(random_graphs_move_as_in_double, MOTE_ADVECT_EULER, integrator_name, number) {
    const mote_integrator m = (mote_integrator)number;
    tally all = {0};
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        const network_scene s = random_scene(m, graph);
        run_graph(&s, &all);
    }
    ASSERT(all.torn, >, 0);
    ASSERT(all.edits, >, 0);
    ASSERT(all.callbacks, >, 0);
    ASSERT(all.undecided, <, GRAPHS / 6);
    ASSERT(all.gap, <, 0.01 * all.change);
}
