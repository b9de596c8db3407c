/* The inline forces of one instruction set, which the kernels of particles, strands and networks share. */
#include "forces/inline.h"
#include "forces/region.h"

void mote_curl_noise_blended(const mote_force_def *def, const mote_noise_moment potentials[2], const wide3 *x,
                             wide3 *u, int n) {
    mote_curl_noise_fields(def, potentials, MOTE_SPECIALISED(true, potentials[0].blend != 0), x, u, n);
}

void mote_curl_noise_still(const mote_force_def *def, const mote_noise_moment potentials[2], const wide3 *x,
                           wide3 *u, int n) {
    mote_curl_noise_fields(def, potentials, false, x, u, n);
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

/* Adds an unlimited or limited force on one register to its sum. */
MOTE_INLINE void mote_force_add(const mote_force_def *def, const mote_force_point *at, mote_force_sum *sum) {
    const bool limited = def->region.shape != MOTE_REGION_EVERYWHERE;
    bool newtons;
    wide3 value = mote_force_evaluate(def, at, &newtons);
    if (limited) value = mote_region_limit(&def->region, at->x, value);
    if (newtons)
        sum->force = wide3_add(sum->force, value);
    else
        sum->acceleration = wide3_add(sum->acceleration, value);
}

void mote_inline_forces(const mote_force_def *forces, uint32_t count, bool anchors, mote_force_point *at,
                        int n, mote_force_sum *sum) {
    mote_noise_moment moments[2];
    for (int u = 0; u < n; u++) at[u].moments = moments;
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
