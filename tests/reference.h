/* References for the tests: the step in plain scalar float loops, which every kernel must equal bit for bit;
 * the integrators once more in double precision, for physics; and reproducible initial states. */
#ifndef MOTE_TESTS_REFERENCE_H
#define MOTE_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <mote/mote.h>

/* What mote_columns_step must do, bit for bit. inbox: NULL, or forces in N that act in the first step only.
 * Returns how many particles turned non-finite. Ignores def->isa, def->jobs and def->allocator. */
uint32_t reference_columns_step(const mote_columns *columns, const mote_columns_def *def,
                                const mote_vector_columns *external_forces);

/* What mote_columns_kick must do, bit for bit, and a system that starts position Verlet. */
void reference_columns_kick(const mote_columns *columns, const mote_columns_def *def, double fraction);

/* One force that is neither a callback nor folded, on one particle: `out` in N if reference_gives_newtons,
 * else m/s^2 or, from a velocity field, m/s. */
void reference_force(const mote_force_def *force, double time, const float x[3], const float v[3],
                     const float anchor[3], float out[3]);
bool reference_is_inline(const mote_force_def *force);
bool reference_gives_newtons(const mote_force_def *force);

/* Tells the reference what a grid was made from; *def and its vectors must stay where they are. */
void reference_know_grid(const mote_grid *grid, const mote_grid_def *def);

/* One body in double precision. */
typedef struct reference_body {
    double position[3], velocity[3];
} reference_body;

/* a(t, x, v) in m/s^2. */
typedef void reference_acceleration(const void *context, double time, const double position[3],
                                    const double velocity[3], double acceleration[3]);

/* One substep h from time t by any integrator but the exact flow, with the equations of mote/integrator.h. */
void reference_double_step(mote_integrator integrator, reference_acceleration *acceleration,
                           const void *context, double time, double h, reference_body *body);

/* x'' = C + B x' + K x over h, exactly: the exponential of its 3 x 3 matrix by scaling, Taylor series and
 * squaring in long double, without the case distinctions of a closed form. state = {x, v}. */
void reference_flow(long double constant, long double damping, long double stiffness, long double h,
                    double state[2]);

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
