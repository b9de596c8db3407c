/* The integrators of all references, each written once from its published source; nothing here comes from the
 * engine's integrators. A file defines REAL and includes this. With float, the operations and their order are
 * those that the engine promises bit for bit; with double, the same equations serve as physics. */
#include <stdlib.h>
#include <string.h>

#include "reference.h"

typedef REAL row[3];

/* n bodies, all of which go through each stage together. */
typedef struct bodies bodies;
struct bodies {
    mote_integrator integrator;
    uint32_t count, force_count;
    row *x, *v;
    const float *inverse_mass; /* 1/kg; 0: the body does not move */
    double h;                  /* s, of a substep */
    const mote_force_def *forces;
    reference_affine acceleration, newtons; /* sums of the forces that fold; newtons act over each mass */
    double same_mass;                       /* 1/kg of all bodies in maps; 0: each has its own */
    void *user;
    /* Writes the accelerations that do not fold, at x, v and the fraction `time` of the substep, over 0; NULL
     * where there are none. weight: the seconds for which the stage counts in impulses on immovable bodies.
     */
    void (*accelerate)(const bodies *b, double time, REAL weight, row *a);
};

/* Runs the loop body for each body that moves, and axis. */
#define FOR_EACH_FREE(b)                                                                                     \
    for (uint32_t i = 0; i < (b)->count; i++)                                                                \
        for (int axis = 0; axis < 3 && (b)->inverse_mass[i] != 0; axis++)

/* `copies` times as many rows as there are bodies, the first x, the second v, the others 0. */
static row *copy_state(const bodies *b, uint32_t copies) {
    row *rows = calloc((size_t)copies * b->count + 1, sizeof *rows);
    if (!rows) abort();
    memcpy(rows, b->x, b->count * sizeof *rows);
    if (copies > 1) memcpy(rows + b->count, b->v, b->count * sizeof *rows);
    return rows;
}

/* --- Evaluation --- */

/* Maps carry the affine forces themselves, advection has none: both follow in the enumeration. */
static bool kicks_by_all(const bodies *b) { return b->integrator < MOTE_IMPLICIT_EULER; }

static REAL affine_dv(const reference_affine *f, int axis, double seconds, REAL x, REAL v) {
    const REAL dv = (REAL)(f->constant[axis] * seconds) + (REAL)(f->damping[axis] * seconds) * v;
    return reference_any(f->stiffness) ? dv + (REAL)(f->stiffness[axis] * seconds) * x : dv;
}

/* dv of every body over `seconds`. */
static void evaluate(const bodies *b, double time, double seconds, REAL weight, row *dv) {
    const bool newtons = reference_acts(&b->newtons);
    memset(dv, 0, b->count * sizeof *dv);
    if (b->accelerate) b->accelerate(b, time, weight, dv);
    FOR_EACH_FREE(b) {
        const REAL x = b->x[i][axis], v = b->v[i][axis], other = (REAL)seconds * dv[i][axis];
        dv[i][axis] = other;
        if (!kicks_by_all(b)) continue;
        REAL sum = affine_dv(&b->acceleration, axis, seconds, x, v);
        if (newtons) sum += (REAL)b->inverse_mass[i] * affine_dv(&b->newtons, axis, seconds, x, v);
        dv[i][axis] = b->accelerate ? sum + other : sum;
    }
}

static void kick(const bodies *b, double time, double seconds) {
    if (!kicks_by_all(b) && !b->accelerate) return;
    row *dv = copy_state(b, 1);
    evaluate(b, time, seconds, (REAL)seconds, dv);
    FOR_EACH_FREE(b) b->v[i][axis] += dv[i][axis];
    free(dv);
}

/* --- Kicks and drifts in turn --- */

/* Parts of h: drift[0], then each kick, by the forces at `time`, with the drift behind it. */
typedef struct splitting {
    int kicks;
    double drift[5], time[4], kick[4];
} splitting;

/* Yoshida, Physics Letters A 150 (1990) 262: leapfrogs of w1, w0, w1 with w1 = 1 / (2 - c), w0 = -c / (2 - c)
 * and c = 2^(1/3). Omelyan, Mryglod and Folk, Computer Physics Communications 146 (2002) 188: equation (20)
 * with (22). */
#define CUBE_ROOT_OF_2 1.2599210498948732
#define W1             (1 / (2 - CUBE_ROOT_OF_2))
#define W0             (-CUBE_ROOT_OF_2 / (2 - CUBE_ROOT_OF_2))
#define XI             0.1786178958448091
#define LAMBDA         (-0.2123418310626054)
#define CHI            (-0.06626458266981849)

static const splitting splittings[MOTE_INTEGRATOR_COUNT] = {
    [MOTE_SEMI_IMPLICIT_EULER] = {1, {0, 1}, {0}, {1}},
    [MOTE_POSITION_VERLET] = {1, {0, 1}, {0}, {1}}, /* on the velocity of half a substep before */
    [MOTE_YOSHIDA4] = {3,
                       {W1 / 2, (W0 + W1) / 2, (W0 + W1) / 2, W1 / 2},
                       {W1 / 2, 0.5, 1 - W1 / 2},
                       {W1, W0, W1}},
    [MOTE_PEFRL] = {4,
                    {XI, CHI, 1 - 2 * (CHI + XI), CHI, XI},
                    {XI, XI + CHI, 1 - XI - CHI, 1 - XI},
                    {0.5 - LAMBDA, LAMBDA, LAMBDA, 0.5 - LAMBDA}}};

static void split(const bodies *b, const splitting *s) {
    for (int part = 0; part <= s->kicks; part++) {
        const REAL seconds = (REAL)(s->drift[part] * b->h);
        if (seconds != 0) FOR_EACH_FREE(b) b->x[i][axis] += seconds * b->v[i][axis];
        if (part < s->kicks) kick(b, s->time[part], s->kick[part] * b->h);
    }
}

/* The largest rate of one of the quadratic drags, 1/s: the longest kick, at least h, of all of them and of
 * linear drag of the rate `linear` takes at most all of the relative velocity. */
static inline double drag_rate(const bodies *b, double linear) {
    double longest = 1, drags = 0;
    for (int k = 0; k < 4; k++) {
        const double kick = splittings[b->integrator].kick[k];
        if (kick > longest || -kick > longest) longest = kick > 0 ? kick : -kick;
    }
    for (uint32_t k = 0; k < b->force_count; k++) drags += b->forces[k].kind == MOTE_FORCE_QUADRATIC_DRAG;
    const double left = 1 / (longest * b->h) - linear;
    return (left > 0 ? left : 0) / (drags > 1 ? drags : 1);
}

/* Swope, Andersen, Berens and Wilson, Journal of Chemical Physics 76 (1982) 637, with the predicted velocity
 * v + h a in the second evaluation. */
static void velocity_verlet(const bodies *b) {
    const REAL h = (REAL)b->h, half = (REAL)0.5;
    row *old = copy_state(b, 4), *v = old + b->count, *first = v + b->count, *second = first + b->count;
    evaluate(b, 0, b->h, half * h, first);
    FOR_EACH_FREE(b) {
        b->x[i][axis] += h * (v[i][axis] + half * first[i][axis]);
        b->v[i][axis] = v[i][axis] + first[i][axis];
    }
    evaluate(b, 1, b->h, half * h, second);
    FOR_EACH_FREE(b) b->v[i][axis] = v[i][axis] + half * (first[i][axis] + second[i][axis]);
    free(old);
}

/* --- Runge and Kutta --- */

/* Stage i + 1 starts from stage i alone, so the nodes c are the tableau's sub-diagonal too. Hairer, Norsett
 * and Wanner, Solving Ordinary Differential Equations I (1993), II.1: Euler, Runge, Kutta. */
typedef struct tableau {
    int stages;
    double c[4], weight[4];
} tableau;

#define EULER    {1, {0}, {1}}
#define MIDPOINT {2, {0, 0.5}, {0, 1}}
#define RK4      {4, {0, 0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}}

static const tableau tableaus[MOTE_INTEGRATOR_COUNT] = {
    [MOTE_EXPLICIT_EULER] = EULER, [MOTE_MIDPOINT] = MIDPOINT,        [MOTE_RK4] = RK4,
    [MOTE_ADVECT_EULER] = EULER,   [MOTE_ADVECT_MIDPOINT] = MIDPOINT, [MOTE_ADVECT_RK4] = RK4};

/* Advection is x' = u(x, t): u comes as the acceleration, and v becomes its mean over the substep. */
static void runge_kutta(const bodies *b, const tableau *t) {
    const bool advects = b->integrator >= MOTE_ADVECT_EULER;
    const REAL h = (REAL)b->h;
    row *x = copy_state(b, 5), *v = x + b->count, *sum_x = v + b->count, *sum_v = sum_x + b->count,
        *dv = sum_v + b->count;
    for (int stage = 0; stage < t->stages; stage++) {
        const bool last = stage + 1 == t->stages;
        const REAL weight = (REAL)t->weight[stage], next = last ? 0 : (REAL)t->c[stage + 1];
        evaluate(b, t->c[stage], b->h, weight * h, dv);
        FOR_EACH_FREE(b) {
            const REAL dx = advects ? dv[i][axis] : h * b->v[i][axis], kick = dv[i][axis];
            sum_x[i][axis] = stage ? sum_x[i][axis] + weight * dx : weight * dx;
            sum_v[i][axis] = stage ? sum_v[i][axis] + weight * kick : weight * kick;
            b->x[i][axis] = x[i][axis] + (last ? sum_x[i][axis] : next * dx);
            if (!advects) b->v[i][axis] = v[i][axis] + (last ? sum_v[i][axis] : next * kick);
            if (advects && last) b->v[i][axis] = sum_x[i][axis] / h;
        }
    }
    free(x);
}

/* --- Maps of the affine forces --- */

static bool is_kinematic(const bodies *b) {
    return b->integrator == MOTE_KINEMATIC || b->integrator == MOTE_KINEMATIC_AVERAGE;
}

/* Of all affine forces together; kinematic: of each alone, where free flight counts once. */
static reference_map map_of(const bodies *b, int axis, double inverse_mass) {
    const bool in_double = sizeof(REAL) == sizeof(double);
    reference_affine f = reference_over_mass(&b->acceleration, &b->newtons, inverse_mass), newtons;
    if (!is_kinematic(b)) return reference_map_make(b->integrator, in_double, &f, axis, b->h);
    reference_map sum = {0, b->h, 0, 0, 0, 0};
    for (uint32_t i = 0; i < b->force_count; i++) {
        if (!reference_folds(&b->forces[i])) continue;
        reference_fold(&b->forces[i], 1, &f, &newtons);
        f = reference_over_mass(&f, &newtons, inverse_mass);
        const reference_map m = reference_map_make(b->integrator, in_double, &f, axis, b->h);
        sum.xx += m.xx, sum.xv += m.xv - b->h, sum.xc += m.xc;
        sum.vx += m.vx, sum.vv += m.vv, sum.vc += m.vc;
    }
    return sum;
}

static void apply_maps(const bodies *b) {
    reference_map map[3];
    float known = 0; /* the inverse mass that `map` is for */
    FOR_EACH_FREE(b) {
        const float own = b->inverse_mass[i];
        for (int k = 0; k < 3 && own != known; k++)
            map[k] = map_of(b, k, b->same_mass > 0 ? b->same_mass : (double)own);
        known = own;
        const reference_map *m = &map[axis];
        const REAL x = b->x[i][axis], v = b->v[i][axis];
        b->x[i][axis] = x + (((REAL)m->xx * x + (REAL)m->xv * v) + (REAL)m->xc);
        b->v[i][axis] = v + (((REAL)m->vx * x + (REAL)m->vv * v) + (REAL)m->vc);
    }
}

/* Strang, SIAM Journal on Numerical Analysis 5 (1968) 506, about the exact flow; implicit Euler: all of the
 * kick comes first. */
static void kick_and_map(const bodies *b) {
    const bool exact = b->integrator == MOTE_EXACT_FLOW;
    kick(b, 0, exact ? b->h / 2 : b->h);
    apply_maps(b);
    if (exact) kick(b, 1, b->h / 2);
}

/* Forces without a closed form act at the old state, with dx = h dv, or h dv / 2 by the average velocity. */
static void kinematic(const bodies *b) {
    const REAL kick = (REAL)(b->integrator == MOTE_KINEMATIC ? b->h : b->h / 2);
    row *dv = copy_state(b, 1);
    evaluate(b, 0, b->h, (REAL)b->h, dv);
    apply_maps(b);
    FOR_EACH_FREE(b) {
        if (!b->accelerate) break; /* adding 0 would turn -0 into 0 */
        b->x[i][axis] += kick * dv[i][axis];
        b->v[i][axis] += dv[i][axis];
    }
    free(dv);
}

/* --- All of them --- */

static void take_substep(const bodies *b) {
    if (splittings[b->integrator].kicks)
        split(b, &splittings[b->integrator]);
    else if (tableaus[b->integrator].stages)
        runge_kutta(b, &tableaus[b->integrator]);
    else if (b->integrator == MOTE_VELOCITY_VERLET)
        velocity_verlet(b);
    else if (is_kinematic(b))
        kinematic(b);
    else
        kick_and_map(b);
}
