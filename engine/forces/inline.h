/* Evaluation of inline forces on a few registers of particles. */
#ifndef MOTE_FORCES_INLINE_H
#define MOTE_FORCES_INLINE_H

#include "forces/list.h"
#include "forces/region.h"

/* Sums by unit: m/s^2 (or m/s, under an advecting integrator) and N. */
typedef struct mote_force_sum {
    wide3 acceleration, force;
} mote_force_sum;

/* Applies a field's vector u according to its use: u itself, or the linear drag of air that moves with u. */
MOTE_INLINE wide3 mote_use_field(const mote_force_def *def, wide3 u, wide3 v) {
    return def->use == MOTE_FIELD_WIND ? wide3_scale(wide_set(def->drag), wide3_sub(u, v)) : u;
}

/* Evaluates one force on one register; *newtons: whether the unit is N. Affine forces are evaluated here only
 * inside a region. */
MOTE_INLINE wide3 mote_force_evaluate(const mote_force_def *def, const mote_force_point *at, bool *newtons) {
    switch (def->kind) {
#define CASE(kind, name, gives)                                                                              \
    case MOTE_FORCE_##kind:                                                                                  \
        *newtons = MOTE_GIVES_##gives == MOTE_GIVES_FIELD ? def->use == MOTE_FIELD_WIND                      \
                                                          : MOTE_GIVES_##gives == MOTE_GIVES_FORCE;          \
        return MOTE_GIVES_##gives == MOTE_GIVES_FIELD                                                        \
                   ? mote_use_field(def, mote_##name##_evaluate(def, at), at->v)                             \
                   : mote_##name##_evaluate(def, at);
        MOTE_FORCE_LIST(CASE)
#undef CASE
    default:
        *newtons = false;
        return wide3_zero();
    }
}

/* Weights a force by its region. Outside the region it does not act, even if its value is not finite. A
 * position that is not finite does not count as outside. */
MOTE_INLINE wide3 mote_force_limit(wide weight, wide3 x, wide3 value) {
    wide_mask acts = wide_less((wide){0}, weight) | ~wide_equal(wide3_finite_probe(x), (wide){0});
    return wide3_select(acts, wide3_scale(weight, value), wide3_zero());
}

/* Adds an unlimited or limited force on one register to its sum. */
MOTE_INLINE void mote_force_add(const mote_force_def *def, const mote_force_point *at, mote_force_sum *sum) {
    const bool limited = def->region.shape != MOTE_REGION_EVERYWHERE;
    bool newtons;
    wide3 value = mote_force_evaluate(def, at, &newtons);
    if (limited) value = mote_force_limit(mote_region_weight(&def->region, at->x), at->x, value);
    if (newtons)
        sum->force = wide3_add(sum->force, value);
    else
        sum->acceleration = wide3_add(sum->acceleration, value);
}

/* Sums any mixture of inline forces on n registers at one time. Out of line: the switch is compiled once, and
 * the kernels around it keep their registers. anchors: at->anchor is valid; without it, forces that need an
 * anchor do not act. */
MOTE_OUTLINE void mote_inline_forces(const mote_force_def *forces, uint32_t count, bool anchors,
                                     mote_force_point *at, int n, mote_force_sum *sum) {
    mote_noise_moment moments[2];
    for (int u = 0; u < n; u++) {
        sum[u] = (mote_force_sum){wide3_zero(), wide3_zero()};
        at[u].moments = moments;
    }
    for (uint32_t i = 0; i < count; i++) {
        const mote_force_def *def = &forces[i];
        const bool limited = def->region.shape != MOTE_REGION_EVERYWHERE;
        if ((def->kind <= MOTE_FORCE_ANCHOR_SPRING && !limited) || def->kind == MOTE_FORCE_CALLBACK) continue;
        if (def->kind == MOTE_FORCE_PARTICLE_ANCHORS && !anchors) continue;
        if (mote_curl_noise_is(def)) mote_curl_noise_moments(def, at->time, moments);
        MOTE_ROLLED
        for (int u = 0; u < n; u++) mote_force_add(def, &at[u], &sum[u]);
    }
}

#endif
