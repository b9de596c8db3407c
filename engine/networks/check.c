/* Networks: the default def, and the validation of defs. */
#include <math.h>

#include "base/check.h"
#include "networks/layout_plan.h"

#define COOKIE         0x6e657477u
#define MAX_SUBSTEPS   4096u
#define MAX_ITERATIONS 32u
#define MAX_LINEAR     4096u

mote_network_def mote_default_network_def(void) {
    return (mote_network_def){.cookie = COOKIE,
                              .particle_mass = 1.0f,
                              .max_substeps = 256,
                              .max_strain = 0.002f,
                              .max_iterations = 4,
                              .max_linear = 64,
                              .friction = 0.5f};
}

float mote_network_distance(const float p[3], const float q[3]) {
    const float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    return __builtin_sqrtf(x * x + y * y + z * z);
}

static mote_result check_finite(const float value[3]) {
    return isfinite(value[0]) && isfinite(value[1]) && isfinite(value[2]) ? MOTE_OK : MOTE_ERROR_NOT_FINITE;
}

static bool within(uint32_t value, uint32_t most) { return value >= 1 && value <= most; }

/* Settings that all particles share. */
static mote_result check_settings(const mote_network_def *def) {
    mote_result result = mote_value_positive(def->max_strain);
    if (result == MOTE_OK) result = mote_value_not_negative(def->radius);
    if (result == MOTE_OK) result = mote_value_not_negative(def->friction);
    if (result == MOTE_OK && !def->masses) result = mote_value_invertible(def->particle_mass, 1);
    if (result) return result;
    if (!within(def->particle_count, MOTE_MAX_PARTICLES)) return MOTE_ERROR_RANGE;
    if (!within(def->max_substeps, MAX_SUBSTEPS) || !within(def->max_iterations, MAX_ITERATIONS))
        return MOTE_ERROR_RANGE;
    return within(def->max_linear, MAX_LINEAR) ? MOTE_OK : MOTE_ERROR_RANGE;
}

static mote_result check_particles(const mote_network_def *def, mote_network_fault *fault) {
    for (uint32_t i = 0; i < def->particle_count; i++) {
        mote_result result = check_finite(def->positions + 3 * (size_t)i);
        if (result == MOTE_OK && def->velocities) result = check_finite(def->velocities + 3 * (size_t)i);
        if (result == MOTE_OK && def->masses) result = mote_value_invertible(def->masses[i], 1);
        if (result == MOTE_OK) continue;
        fault->particle = i;
        return result;
    }
    return MOTE_OK;
}

static mote_result check_stiffness(float stiffness, mote_network_solver solver) {
    if (solver == MOTE_NETWORK_SPRINGS)
        return stiffness == INFINITY ? MOTE_ERROR_RANGE : mote_value_not_negative(stiffness);
    return stiffness == INFINITY ? MOTE_OK : mote_value_positive(stiffness);
}

mote_result mote_network_check_spring(const mote_spring *spring, mote_network_solver solver,
                                      uint32_t particles) {
    if (spring->a >= particles || spring->b >= particles || spring->a == spring->b) return MOTE_ERROR_RANGE;
    mote_result result = MOTE_OK;
    if (spring->rest_length != MOTE_AS_PLACED) result = mote_value_not_negative(spring->rest_length);
    if (result == MOTE_OK) result = check_stiffness(spring->stiffness, solver);
    if (result == MOTE_OK) result = mote_value_not_negative(spring->damping);
    if (result == MOTE_OK) result = mote_value_not_negative(spring->tear_strain);
    return result;
}

static mote_result check_springs(const mote_network_def *def, mote_network_fault *fault) {
    for (uint32_t i = 0; i < def->spring_count; i++) {
        const mote_spring *s = &def->springs[i];
        mote_result result = mote_network_check_spring(s, def->solver, def->particle_count);
        if (result == MOTE_OK && s->rest_length == MOTE_AS_PLACED) {
            const float *p = def->positions + 3 * (size_t)s->a, *q = def->positions + 3 * (size_t)s->b;
            if (!isfinite(mote_network_distance(p, q))) result = MOTE_ERROR_RANGE;
        }
        if (result == MOTE_OK) continue;
        fault->spring = i;
        return result;
    }
    return MOTE_OK;
}

mote_result mote_network_check(const mote_network_def *def, mote_network_fault *fault) {
    *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM};
    if (def->cookie != COOKIE) return MOTE_ERROR_DEF;
    if ((unsigned)def->solver >= MOTE_NETWORK_SOLVER_COUNT) return MOTE_ERROR_ENUM;
    if ((unsigned)def->policy >= MOTE_STABILITY_POLICY_COUNT) return MOTE_ERROR_ENUM;
    if (!def->positions || (def->spring_count && !def->springs)) return MOTE_ERROR_NULL;
    mote_result result = check_settings(def);
    if (result == MOTE_OK && (def->spring_count == MOTE_NO_ITEM || def->spring_capacity == MOTE_NO_ITEM))
        result = MOTE_ERROR_OVERFLOW;
    if (result == MOTE_OK) result = check_particles(def, fault);
    return result ? result : check_springs(def, fault);
}
