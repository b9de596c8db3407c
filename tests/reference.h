/* References for the tests: the step in plain scalar float loops, which every kernel must equal bit for bit;
 * the same integrators in double, for physics; the forces and maps of both; and reproducible initial states.
 */
#ifndef MOTE_TESTS_REFERENCE_H
#define MOTE_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <mote/mote.h>

typedef float reference_row[3];

/* The step that mote_columns_step must equal bit for bit. external_forces: NULL, or N, in the first step
 * only. Returns how many particles turned non-finite. Ignores def->isa, def->jobs and def->allocator. */
uint32_t reference_columns_step(const mote_columns *columns, const mote_columns_def *def,
                                const mote_vector_columns *external_forces);

/* The kick that mote_columns_kick, and a system that starts position Verlet, must equal bit for bit. */
void reference_columns_kick(const mote_columns *columns, const mote_columns_def *def, double fraction);

/* --- Forces --- */

/* Whether a force is neither a callback nor folded; its unit, m/s^2 (from a velocity field m/s) unless N. */
bool reference_is_inline(const mote_force_def *force);
bool reference_gives_newtons(const mote_force_def *force);

/* The def that a grid was made from; *def and its vectors must stay where they are. */
void reference_know_grid(const mote_grid *grid, const mote_grid_def *def);

/* a = constant + damping v + stiffness x, per axis: accelerations, or forces in N. */
typedef struct reference_affine {
    double constant[3], damping[3], stiffness[3];
} reference_affine;

/* Affine and everywhere; the sums of all that fold, by unit; acceleration + inverse_mass newtons. */
bool reference_folds(const mote_force_def *force);
void reference_fold(const mote_force_def *forces, uint32_t count, reference_affine *acceleration,
                    reference_affine *newtons);
reference_affine reference_over_mass(const reference_affine *acceleration, const reference_affine *newtons,
                                     double inverse_mass);
bool reference_any(const double value[3]);
bool reference_acts(const reference_affine *affine);

/* The forces that do not fold on n particles at a time. */
typedef struct reference_others {
    const mote_force_def *forces;
    uint32_t force_count, n;
    double time;
    double drag_rate; /* 1/s, the largest of a quadratic drag */
    reference_row *x, *v;
    const float *inverse_mass; /* 1/kg */
    reference_row *called[2];  /* sums of the callbacks: m/s^2, N */
} reference_others;

/* Calls the callbacks; `view` has the masses and, where those that reach the whole range act too,
 * range_count. The caller frees called[0]. */
void reference_call(reference_others *others, mote_stage_view view);

/* Adds the inline forces on one particle by unit. anchor: NULL where springs to anchors do not act. */
void reference_add_inline(const reference_others *others, uint32_t i, const float *anchor, float sums[2][3]);

/* The accelerations of coupled particles by all these forces and `within`, in N. */
void reference_accelerate(reference_others *others, reference_row *within, reference_row *a);

/* --- Springs between two points, in float --- */

/* The other end as the first sees it; rate: of the length, m/s. */
typedef struct reference_line {
    float d[3], length, inverse, rate;
} reference_line;
reference_line reference_line_of(const float x[3], const float v[3], const float other_x[3],
                                 const float other_v[3]);

/* Adds the force on the first end, F = (k (|d| - L) + c |d|') d / |d|, in N. */
void reference_spring_force(const reference_line *line, float rest_length, float stiffness, float damping,
                            float force[3]);

/* Adds what a kinematic spring alone does to the first end in h: an impulse in N s and, beyond free flight, a
 * displacement in kg m. */
typedef struct reference_spring_force_of {
    float rest_length;
    double stiffness, damping;
    double mass; /* the inverse mass that the spring feels, not 0 */
} reference_spring_force_of;
void reference_uncoupled_force(const reference_line *line, const reference_spring_force_of *spring,
                               mote_integrator integrator, double h, float impulse[3], float shift[3]);

/* --- The affine forces in closed form --- */

/* x(h) = x + (xx x + xv v + xc), v(h) = v + (vx x + vv v + vc). */
typedef struct reference_map {
    double xx, xv, xc, vx, vv, vc;
} reference_map;

/* How a map integrator carries one axis over h. The exact flow in double: reference_flow; otherwise the
 * engine's propagator, tested by itself, whose rounding the float kernels show. */
reference_map reference_map_make(mote_integrator integrator, bool in_double, const reference_affine *force,
                                 int axis, double h);

/* x'' = C + B x' + K x over h, exactly: the exponential of its 3 x 3 matrix by scaling, Taylor series and
 * squaring in long double, without the case distinctions of a closed form. state = {x, v}. */
void reference_flow(long double constant, long double damping, long double stiffness, long double h,
                    double state[2]);

/* --- One body in double --- */

typedef struct reference_body {
    double position[3], velocity[3];
} reference_body;

/* a(t, x, v) in m/s^2. */
typedef void reference_acceleration(const void *context, double time, const double position[3],
                                    const double velocity[3], double acceleration[3]);

/* One substep h from time t by any integrator without a map of affine forces. */
void reference_double_step(mote_integrator integrator, reference_acceleration *acceleration,
                           const void *context, double time, double h, reference_body *body);

/* --- Reproducible numbers --- */

/* An integer hash (lowbias32): reproducible numbers without a library. */
static inline uint32_t reference_hash(uint32_t seed, uint32_t index) {
    uint32_t bits = index * 0x9e3779b9u + seed;
    bits = (bits ^ (bits >> 16)) * 0x7feb352du;
    bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
    return bits ^ (bits >> 16);
}

/* A float in [-1, 1), a multiple of 2^-23: exact on every machine. */
static inline float reference_noise(uint32_t seed, uint32_t index) {
    return (float)(int32_t)(reference_hash(seed, index) >> 8) * 0x1p-23f - 1.0f;
}

#endif
