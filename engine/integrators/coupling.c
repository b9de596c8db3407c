/* Stability of coupled springs M x'' = -K x - C x'. K and C need not commute, so there are no common modes to
 * which the limit of a single spring could be applied; the argument depends on the integrator. u is a complex
 * vector with u.Mu = 1; a = u.Ku and b = u.Cu are its stiffness and damping (Rayleigh quotients), with 0 <= a
 * <= A and 0 <= b <= B. t and T are the least and the greatest ratio c / k of the springs: t a <= b <= T a.
 *
 * Linear (semi-implicit Euler, position Verlet; implicit Euler, which takes these springs as a kick before
 * free flight): multiplying the two-step form by u shows that a mode x(n) = z^n u satisfies (z - 1)^2 + h^2 a
 * z + h b (z - 1) = 0. This is the equation of a single spring: stable if h^2 a + 2 h b <= 4. It is
 * sufficient that h^2 sum(g k / m) + 2 h sum(g c / m) <= 4 at every particle.
 *
 * Runge-Kutta: the matrix of a step is a polynomial of J = [[0, 1], [-K, -C]] (per mass), whose eigenvalues
 * satisfy s^2 + b s + a = 0. These are again those of a single spring, for every possible a and b. The limit
 * of h is the least over this region. It need not be at a corner: the stable region of a method has dents
 * (RK4: 2.83 / w without damping, 2.62 / w at half of the critical damping). On a ray a = s^2, b = 2 zeta s
 * the farthest point has the least limit, so it is sufficient to sample the outer edge of the region by zeta.
 *
 * Verlet, fourth-order splittings, exact flow (kick h/2, free flight, kick h/2): the same limit if C = t K or
 * C = 0, where common modes exist. Otherwise products of K and C appear, and the bound is empirical: in a
 * search that climbed towards growth over random pairs of up to four dimensions, no method grew below 0.98 of
 * the same bound, except Yoshida's, which grew down to 0.89 of it. YOSHIDA_MARGIN allows for that.
 *
 * Kinematic, average acceleration: an uncoupled spring with the frequency and damping of its reduced mass mu
 * changes its rate of elongation e' by -(alpha e + beta e') in h. With x1 = x + h (v + v1) / 2 a mode
 * satisfies (z - 1)^2 + h (z + 1) p / 2 + (z - 1) q = 0, where p = sum of mu alpha (n.u)^2 and q is the same
 * sum with beta. It is stable exactly if p >= 0 and h p / 2 <= q <= 2. The conditions p >= 0 and h p / 2 <= q
 * hold if they hold for each spring: its own limit (pi / w without damping). q is at most the largest sum(g
 * mu beta / m) of a particle, and beta is at most 1 - cos w h + h c / mu. 1 - cos(sqrt .) is concave, so q <=
 * 2 follows from W (1 - cos(h sqrt(sum(g k / m) / W))) + h sum(g c / m) <= 2 with W = sum(g mu / m).
 *
 * Kinematic: an uncoupled spring is also exact. But where two springs share a particle, N equal springs of
 * frequency w have the determinant 1 + (N^2 - N) (2 (1 - cos w h) - w h sin w h) > 1 (1 + z^4/6 for two). In
 * general, to first order, det - 1 is h^4 / 12 (|Ku|^2 - sum mu w^4 (n.u)^2). The sum of the bracket over all
 * modes is the sum of k k' (n.n')^2 / m^2 over pairs of springs that share a particle. It is positive, so
 * some mode grows at any step. Damping reduces the determinant by h b per step. h^3 <= 12 t / A outweighs the
 * growth, since |Ku|^2 <= A a and b >= t a. This omits higher orders; among random springs in up to three
 * dimensions none grew below the smaller of this bound and the linear one. */
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

/* Scheme of the springs of a network under exact flow: kicks around free flight. */
static const mote_scheme kick_flight_kick = {
    .family = MOTE_FAMILY_SPLITTING, .stages = 2, .kick = {0.5, 0.5}, .drift = {1, 0}};

/* Threshold of a weight above 1: sums that are exactly 1 carry a few rounding errors. */
#define WEIGHT_OF_ONE (1 + 1e-9)

/* --- Bounds by particle --- */

/* Solves h^2 stiffness + 2 h damping = 4 for h. */
static double linear_step(const mote_spring_sums *s) {
    return 4 / (s->damping + __builtin_sqrt(s->damping * s->damping + 4 * s->stiffness));
}

/* Checks q <= 2 at a particle with several springs; beta of a single spring never exceeds 2. */
static bool average_is_stable(const void *context, double h) {
    const mote_spring_sums *s = context;
    const double phase = h * __builtin_sqrt(s->stiffness / s->weight);
    return s->weight * (1 - mote_sine_and_cosine(phase).cosine) + h * s->damping <= 2;
}

/* Finds the largest stable h by bisection. It starts from the linear step, which is stable because 1 - cos y
 * <= y^2 / 2, so few particles need the search. Nothing is known beyond a phase of pi. */
static double average_step(const mote_spring_sums *s, double limit) {
    const double good = linear_step(s);
    double bad = limit;
    if (!(good < limit) || !(s->weight > WEIGHT_OF_ONE)) return limit;
    if (s->stiffness == 0) return good;
    const double step_of_pi = 2 * MOTE_HALF_PI_1 * __builtin_sqrt(s->weight / s->stiffness);
    if (step_of_pi < bad) bad = step_of_pi;
    return average_is_stable(s, bad) ? bad : mote_bisect_step(average_is_stable, s, good, bad, 50);
}

double mote_particle_step(mote_integrator integrator, const mote_spring_sums *sums, double limit) {
    if (kind_of(&mote_scheme_table[integrator]) == COUPLING_AVERAGE) return average_step(sums, limit);
    const double step = linear_step(sums);
    return step < limit ? step : limit;
}

static bool identical_springs(const mote_coupling *c) {
    return c->least_stiffness == c->most_stiffness && c->least_damping == c->most_damping;
}

double mote_alone_step(mote_integrator integrator, const mote_coupling *c) {
    if (kind_of(&mote_scheme_table[integrator]) != COUPLING_AVERAGE) return HUGE_VAL;
    if (identical_springs(c))
        return mote_integrator_stable_step(integrator, c->most_stiffness, c->most_damping, 1);
    return 2 * MOTE_HALF_PI_1 / __builtin_sqrt(c->most_stiffness); /* damping only increases it */
}

/* --- Bounds over a region of stiffness and damping --- */

#define MAX_SAMPLES 320
#define GRID        1.05 /* ratio of adjacent damping ratios ... */
#define EDGE_GRID   1.02 /* ... and of those where b = t a binds */
/* Allowance for zeta between samples: the limit near the narrowest dent (Yoshida's) rises by 6e-4 in half of
 * GRID. */
#define BETWEEN_SAMPLES 0.999
#define YOSHIDA_MARGIN  0.875 /* Yoshida's method: it grew at 0.89 of the bound ... */
#define COMPOSED_MARGIN 0.98  /* ... the others did not at 0.995 */

typedef struct sample {
    double stiffness, damping;
} sample;

/* Region of stiffness a and damping b, in units of time in which the largest frequency and damping sum to
 * 1. */
typedef struct region {
    const mote_scheme *scheme;
    double root, damping; /* root of the largest stiffness; largest damping */
    double least, most;   /* bounds of damping / stiffness */
    sample samples[MAX_SAMPLES];
    uint32_t count;
} region;

static void add_sample(region *r, double stiffness, double damping) {
    if (r->count < MAX_SAMPLES) r->samples[r->count++] = (sample){stiffness, damping};
}

/* Adds the farthest point of the ray of damping ratio zeta, if the ray meets the region. */
static void add_ray(region *r, double zeta) {
    double root = r->root;
    if (root > r->damping / (2 * zeta)) root = r->damping / (2 * zeta);
    if (r->least > 0 && root > 2 * zeta / r->least) root = 2 * zeta / r->least;
    if (root * r->most * (1 + 1e-9) >= 2 * zeta) add_sample(r, root * root, 2 * zeta * root);
}

/* Samples the edge b = t a. Along it a smaller a has a smaller damping ratio, at which the limit may have a
 * dent. The samples reach down to an eighth of the corner's ratio, since no dent is deeper. A dent may end in
 * a jump, so each interval is represented by the damping ratio of its lower end and the distance of its upper
 * end. */
static void sample_lower_edge(region *r, double corner) {
    for (double from = corner / 8; from < corner; from *= EDGE_GRID) {
        const double to = from * EDGE_GRID < corner ? from * EDGE_GRID : corner, root = 2 * to / r->least;
        add_sample(r, root * root, 2 * from * root);
    }
}

/* Samples the corners and the rays between them. Below zeta = 0.01 every limit tends directly to its undamped
 * value, above 100 to its overdamped value. Rays of more than 8 times the damping ratio of the corner are
 * short. */
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
        const double edge_ratio = at_root < at_damping ? at_root : at_damping;
        add_ray(r, edge_ratio);
        sample_lower_edge(r, edge_ratio);
        if (edge_ratio > lowest) lowest = edge_ratio;
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
    if (damping == 0 || stiffness == 0 || (uncoupled && identical_springs(c)))
        add_sample(r, r->root * r->root, r->damping);
    else
        sample_edge(r);
}

static bool all_stable(const void *context, double h) {
    const region *r = context;
    bool stable = true;
    for (uint32_t i = 0; i < r->count && stable; i++)
        stable = mote_scheme_is_stable(r->scheme, r->samples[i].stiffness, r->samples[i].damping, h);
    return stable;
}

#define SEARCH_STEP  0.05
#define SEARCH_STEPS 4000

static double region_step(mote_integrator integrator, const mote_coupling *c, coupling_kind kind) {
    const mote_scheme *scheme = &mote_scheme_table[integrator];
    const bool uncoupled = !(c->most.weight > WEIGHT_OF_ONE),
               proportional = c->most_ratio <= c->least_ratio * (1 + 1e-6);
    region r;
    double rate;
    r.scheme = integrator == MOTE_EXACT_FLOW ? &kick_flight_kick : scheme;
    if (scheme->info.stable_z == 0 && c->least_ratio == 0) return 0;
    sample_region(&r, c, uncoupled, &rate);
    double step = mote_first_growth(all_stable, &r, SEARCH_STEP, SEARCH_STEPS) / rate;
    if (r.count > 1) step *= BETWEEN_SAMPLES;
    if (kind == COUPLING_COMPOSED && !uncoupled && !proportional)
        step *= integrator == MOTE_YOSHIDA4 ? YOSHIDA_MARGIN : COMPOSED_MARGIN;
    return step;
}

/* --- Bound of a network --- */

/* Returns the cube root by Newton's method from above. */
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
    const double damped_step = c->least_ratio > 0 ? cube_root(12 * c->least_ratio / c->most.stiffness) : 0;
    return damped_step < c->particle_step ? damped_step : c->particle_step;
}

double mote_coupling_step(mote_integrator integrator, const mote_coupling *c) {
    if (c->most.stiffness == 0 && c->most.damping == 0) return HUGE_VAL;
    const coupling_kind kind = kind_of(&mote_scheme_table[integrator]);
    if (kind == COUPLING_FULL) return full_step(c);
    if (kind == COUPLING_LINEAR || kind == COUPLING_AVERAGE) return c->particle_step;
    return region_step(integrator, c, kind);
}
