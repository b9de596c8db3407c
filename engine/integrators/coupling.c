/* Stability of coupled springs M x'' = -K x - C x'. K and C need not commute, so there are no common modes to
 * which the limit of one spring could be applied; what holds instead depends on the integrator. u is a
 * complex vector with u.Mu = 1, a = u.Ku and b = u.Cu are what it sees of stiffness and damping: 0 <= a <= A,
 * 0 <= b <= B, t a <= b <= T a with the least and the most ratio c / k of the springs.
 *
 * Linear (semi-implicit Euler, position Verlet; implicit Euler, which takes these springs as a kick before
 * free flight): a mode x(n) = z^n u has (z - 1)^2 + h^2 a z + h b (z - 1) = 0, by multiplying the two-step
 * form with u. So it is one spring's: stable if h^2 a + 2 h b <= 4, and particle by particle h^2 sum(g k / m)
 * + 2 h sum(g c / m) <= 4 is enough.
 *
 * Runge-Kutta: the matrix of a step is a polynomial of J = [[0, 1], [-K, -C]] (per mass), whose eigenvalues
 * obey s^2 + b s + a = 0: again those of one spring, for every a and b that are possible. The limit in h is
 * the least over this region. It need not lie in a corner: the stable region of a method has dents (RK4: 2.83
 * / w without damping, 2.62 / w at half of the critical). On a ray a = s^2, b = 2 zeta s the farthest point
 * has the least limit, so the region's outer edge, sampled by zeta, is enough.
 *
 * Verlet, fourth-order splittings, exact flow (kick h/2, free flight, kick h/2): the same where C = t K or C
 * = 0, since these have common modes. Else products of K and C come in, and only a search tells: over random
 * pairs of up to four dimensions, climbing towards growth, none grew below 0.98 of the same bound, but
 * Yoshida's method down to 0.89 of it. NOT_COMMUTING allows for that.
 *
 * Kinematic, average acceleration: spring s alone, of frequency and damping as its reduced mass mu gives,
 * changes its rate of elongation by -(alpha e + beta e') in h. With x1 = x + h (v + v1) / 2 a mode has (z -
 * 1)^2 + h (z + 1) p / 2 + (z - 1) q = 0 with p = sum of mu alpha (n.u)^2 and q the same of beta: stable
 * exactly if p >= 0 and h p / 2 <= q <= 2. The first two hold if they do for each spring, which is its own
 * limit (pi / w without damping); q is at most sum(g mu beta / m) of a particle, and beta at most 1 - cos w h
 * + h c / mu. 1 - cos(sqrt .) is concave: W (1 - cos(h sqrt(sum(g k / m) / W))) + h sum(g c / m) <= 2, W =
 * sum(g mu / m).
 *
 * Kinematic: also exact alone; but where two springs share a particle, p equal ones of frequency w have the
 * determinant 1 + (p^2 - p) (2 (1 - cos w h) - w h sin w h) > 1 (1 + z^4/6 for two). In general, to first
 * order, det - 1 is h^4 / 12 (|Ku|^2 - sum mu w^4 (n.u)^2), and the sum over all modes of what is in brackets
 * is the sum of (k k' (n.n')^2 / m^2) over pairs of springs that meet: positive, so some mode grows at any
 * step. With damping, a step takes h b of it: h^3 <= 12 t / A outweighs the gain, since |Ku|^2 <= A a and b
 * >= t a. Higher orders are left out there; of random springs in up to three dimensions none grew below that
 * and the linear bound together. */
#include "integrators/coupling.h"

#include <math.h>

#include "math/trigonometry.h"

typedef enum coupling_kind {
    COUPLING_LINEAR,
    COUPLING_RUNGE_KUTTA,
    COUPLING_COMPOSED,
    COUPLING_AVERAGE,
    COUPLING_FULL
} coupling_kind;

static coupling_kind kind_of(const mote_scheme *scheme) {
    if (scheme->family == MOTE_FAMILY_RUNGE_KUTTA) return COUPLING_RUNGE_KUTTA;
    if (scheme->family == MOTE_FAMILY_VERLET) return COUPLING_COMPOSED;
    if (scheme->family == MOTE_FAMILY_SPLITTING)
        return scheme->stages == 1 ? COUPLING_LINEAR : COUPLING_COMPOSED;
    if (scheme->map == MOTE_MAP_IMPLICIT_EULER) return COUPLING_LINEAR;
    if (scheme->map == MOTE_MAP_EXACT_FLOW) return COUPLING_COMPOSED;
    return scheme->map == MOTE_MAP_KINEMATIC ? COUPLING_FULL : COUPLING_AVERAGE;
}

/* How springs of a network go into exact flow. */
static const mote_scheme kicks_around_flight = {
    .family = MOTE_FAMILY_SPLITTING, .stages = 2, .kick = {0.5, 0.5}, .drift = {1, 0}};

/* Sums of whole parts are known to some roundings. */
#define WEIGHT_OF_ONE (1 + 1e-9)

/* --- Particle by particle --- */

/* h^2 stiffness + 2 h damping = 4. */
static double linear_step(const mote_spring_sums *s) {
    return 4 / (s->damping + __builtin_sqrt(s->damping * s->damping + 4 * s->stiffness));
}

/* Of more than one spring: beta of one alone never exceeds 2. */
static bool average_holds(const mote_spring_sums *s, double h) {
    const double turn = h * __builtin_sqrt(s->stiffness / s->weight);
    return s->weight * (1 - mote_sine_and_cosine(turn).cosine) + h * s->damping <= 2;
}

/* 1 - cos y <= y^2 / 2: the linear step holds, so few particles need the search. Beyond half a turn nothing
 * is known. */
static double average_step(const mote_spring_sums *s, double limit) {
    double good = linear_step(s), bad = limit;
    if (!(good < limit) || !(s->weight > WEIGHT_OF_ONE)) return limit;
    if (s->stiffness == 0) return good;
    const double half_turn = 2 * MOTE_HALF_PI_1 * __builtin_sqrt(s->weight / s->stiffness);
    if (half_turn < bad) bad = half_turn;
    if (average_holds(s, bad)) return bad;
    for (int i = 0; i < 50; i++) {
        const double middle = 0.5 * (good + bad);
        if (average_holds(s, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

double mote_particle_step(mote_integrator integrator, const mote_spring_sums *sums, double limit) {
    if (kind_of(&mote_scheme_table[integrator]) == COUPLING_AVERAGE) return average_step(sums, limit);
    const double step = linear_step(sums);
    return step < limit ? step : limit;
}

static bool alike(const mote_coupling *c) {
    return c->least_stiffness == c->most_stiffness && c->least_damping == c->most_damping;
}

double mote_alone_step(mote_integrator integrator, const mote_coupling *c) {
    if (kind_of(&mote_scheme_table[integrator]) != COUPLING_AVERAGE) return HUGE_VAL;
    if (alike(c)) return mote_integrator_stable_step(integrator, c->most_stiffness, c->most_damping, 1);
    return 2 * MOTE_HALF_PI_1 / __builtin_sqrt(c->most_stiffness); /* damping only makes it larger */
}

/* --- Over a region of stiffness and damping --- */

#define MAX_SAMPLES 320
#define GRID        1.05 /* from one damping ratio to the next ... */
#define EDGE_GRID   1.02 /* ... and where the least ratio of damping over stiffness binds */
#define BETWEEN                                                                                              \
    0.999 /* for what lies between: the narrowest dent, Yoshida's, rises by 6e-4 in half of GRID */
#define NOT_COMMUTING 0.875 /* Yoshida's method: it grew at 0.89 of the bound ... */
#define NEARLY        0.98  /* ... the others did not at 0.995 */

typedef struct sample {
    double stiffness, damping;
} sample;

/* In units of time in which the frequency and the damping add up to 1. */
typedef struct region {
    double root, damping; /* of the largest stiffness */
    double least, most;   /* damping over stiffness */
    sample samples[MAX_SAMPLES];
    uint32_t count;
} region;

static void add_sample(region *r, double stiffness, double damping) {
    if (r->count < MAX_SAMPLES) r->samples[r->count++] = (sample){stiffness, damping};
}

/* The farthest point of the ray, if it meets the region. */
static void add_ray(region *r, double zeta) {
    double root = r->root;
    if (root > r->damping / (2 * zeta)) root = r->damping / (2 * zeta);
    if (r->least > 0 && root > 2 * zeta / r->least) root = 2 * zeta / r->least;
    if (root * r->most * (1 + 1e-9) >= 2 * zeta) add_sample(r, root * root, 2 * zeta * root);
}

/* Where b = t a binds, smaller a go with smaller damping ratios, at which a limit may have a dent: down to an
 * eighth, since none is deeper. A dent may end in a cliff, so the points between two rays are taken to have
 * the ratio of the one, and to be as far as the other. */
static void sample_binding(region *r, double corner) {
    for (double from = corner / 8; from < corner; from *= EDGE_GRID) {
        const double to = from * EDGE_GRID < corner ? from * EDGE_GRID : corner, root = 2 * to / r->least;
        add_sample(r, root * root, 2 * from * root);
    }
}

/* Corners, and rays between them. Below 0.01 every limit goes straight towards its undamped end, beyond 100
 * towards its overdamped one; and rays of more than 8 times the damping ratio of the corner are short. */
static void sample_edge(region *r) {
    const double corner = r->damping / (2 * r->root), highest = 0.5 * __builtin_sqrt(r->damping * r->most);
    const double last = corner < 0.15 ? 8 * corner : 100;
    double lowest = 0.01;
    if (r->least == 0) add_sample(r, r->root * r->root, 0);
    if (r->most == HUGE_VAL) add_sample(r, 0, r->damping);
    add_ray(r, corner);
    if (r->least > 0) {
        const double at_root = 0.5 * r->least * r->root,
                     at_damping = 0.5 * __builtin_sqrt(r->damping * r->least);
        const double binding = at_root < at_damping ? at_root : at_damping;
        add_ray(r, binding);
        sample_binding(r, binding);
        if (binding > lowest) lowest = binding;
    }
    if (highest < HUGE_VAL) add_ray(r, highest);
    for (double zeta = lowest; zeta < last && zeta < highest; zeta *= GRID) add_ray(r, zeta);
}

static void sample_region(region *r, const mote_coupling *c, bool uncoupled, double *rate) {
    const double stiffness = uncoupled ? c->most_stiffness : c->most.stiffness,
                 damping = uncoupled ? c->most_damping : c->most.damping;
    *rate = __builtin_sqrt(stiffness) + damping;
    r->root = __builtin_sqrt(stiffness) / *rate, r->damping = damping / *rate;
    r->least = c->least_ratio * *rate, r->most = c->most_ratio * *rate;
    r->count = 0;
    if (damping == 0 || stiffness == 0 || (uncoupled && alike(c)))
        add_sample(r, r->root * r->root, r->damping);
    else
        sample_edge(r);
}

static bool all_stable(const mote_scheme *scheme, const region *r, double h) {
    bool stable = true;
    for (uint32_t i = 0; i < r->count && stable; i++)
        stable = mote_scheme_is_stable(scheme, r->samples[i].stiffness, r->samples[i].damping, h);
    return stable;
}

#define STRIDE  0.05
#define STRIDES 4000

/* Upwards to the first h at which a sample grows, as mote_integrator_stable_step does. */
static double first_growth(const mote_scheme *scheme, const region *r) {
    double good = 0, bad = 0;
    for (int i = 1; i <= STRIDES && bad == 0; i++) {
        if (all_stable(scheme, r, i * STRIDE))
            good = i * STRIDE;
        else
            bad = i * STRIDE;
    }
    if (bad == 0) return HUGE_VAL;
    for (int i = 0; i < 50; i++) {
        const double middle = 0.5 * (good + bad);
        if (all_stable(scheme, r, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static double region_step(mote_integrator integrator, const mote_coupling *c, coupling_kind kind) {
    const mote_scheme *scheme = &mote_scheme_table[integrator];
    const bool uncoupled = !(c->most.weight > WEIGHT_OF_ONE),
               proportional = c->most_ratio <= c->least_ratio * (1 + 1e-6);
    region r;
    double rate;
    if (scheme->info.stable_z == 0 && c->least_ratio == 0) return 0;
    sample_region(&r, c, uncoupled, &rate);
    double step = first_growth(integrator == MOTE_EXACT_FLOW ? &kicks_around_flight : scheme, &r) / rate;
    if (r.count > 1) step *= BETWEEN;
    if (kind == COUPLING_COMPOSED && !uncoupled && !proportional)
        step *= integrator == MOTE_YOSHIDA4 ? NOT_COMMUTING : NEARLY;
    return step;
}

/* --- The bound --- */

/* By Newton's method from above. */
static double cube_root(double x) {
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 2000; i++) {
        const double next = (2 * root + x / (root * root)) / 3;
        if (!(next < root)) break;
        root = next;
    }
    return root;
}

static double full_step(const mote_coupling *c) {
    if (!(c->most.weight > WEIGHT_OF_ONE)) return HUGE_VAL;
    if (c->most.stiffness == 0) return c->particle_step;
    const double outweighed = c->least_ratio > 0 ? cube_root(12 * c->least_ratio / c->most.stiffness) : 0;
    return outweighed < c->particle_step ? outweighed : c->particle_step;
}

double mote_coupling_step(mote_integrator integrator, const mote_coupling *c) {
    if (c->most.stiffness == 0 && c->most.damping == 0) return HUGE_VAL;
    switch (kind_of(&mote_scheme_table[integrator])) {
    case COUPLING_RUNGE_KUTTA:
        return region_step(integrator, c, COUPLING_RUNGE_KUTTA);
    case COUPLING_COMPOSED:
        return region_step(integrator, c, COUPLING_COMPOSED);
    case COUPLING_FULL:
        return full_step(c);
    default:
        return c->particle_step; /* linear and average: particle by particle */
    }
}
