/* Evaluation of all forces on a few registers of particles: dv = kick h a(x, v). */
#ifndef MOTE_STAGE_EVALUATE_H
#define MOTE_STAGE_EVALUATE_H

#include "forces/inline.h"
#include "integrators/lanes.h"
#include "stage/plan.h"

/* Maximum number of registers that a kernel processes side by side. */
#define MOTE_MAX_UNROLL 2

/* Constants of one instance of a kernel; the compiler folds them. */
typedef struct mote_instance {
    mote_family family;
    mote_force_mix mix; /* mix of the forces that are not affine */
    bool mass;          /* inverse masses have a column */
    bool callbacks;     /* mote_external holds sums of callbacks */
    int registers;      /* number of registers side by side */
} mote_instance;

/* Stage of the integrator, and its time: 0 unless plan->timed. */
typedef struct mote_stage_at {
    uint32_t stage;
    double time;
} mote_stage_at;

/* Input of an evaluation from outside the registers. Absent parts are not read. */
typedef struct mote_external {
    wide inverse_mass;
    wide3 acceleration; /* sum of callbacks, m/s^2; or m/s under an advecting integrator */
    wide3 force;        /* sum of callbacks, N */
    wide3 host_force;   /* external forces of the host, N */
    wide3 anchor;       /* anchor of the particle, m */
} mote_external;

/* True if the evaluation includes the affine term: a map carries it itself, advection has no forces. */
#define FOLDS_AFFINE(family) ((family) != MOTE_FAMILY_MAP && (family) != MOTE_FAMILY_ADVECTION)

MOTE_INLINE wide3 mote_affine_evaluate(const mote_affine_stage *a, bool stiff, const mote_lanes *s) {
    wide3 dv = wide3_add(wide3_set(a->constant), wide3_mul(wide3_set(a->damping), s->v));
    return stiff ? wide3_add(dv, wide3_mul(wide3_set(a->stiffness), s->x)) : dv;
}

/* Sums any inline forces on one register. */
MOTE_INLINE mote_force_sum mote_inline_evaluate(const mote_plan *plan, double time, const mote_lanes *s,
                                                wide3 anchor, wide inverse_mass) {
    mote_force_point at = {.x = s->x,
                           .v = s->v,
                           .anchor = anchor,
                           .inverse_mass = inverse_mass,
                           .drag_rate = plan->drag_rate,
                           .time = time};
    mote_force_sum sum = {wide3_zero(), wide3_zero()};
    mote_inline_forces(plan->forces, plan->force_count, plan->anchors, &at, 1, &sum);
    return sum;
}

/* Evaluates curl noise that is the only inline force. Positions are read back from the argument of the call:
 * across it they are in memory once. */
MOTE_INLINE void mote_noise_alone(const mote_plan *plan, int registers, double time, mote_lanes *s,
                                  mote_force_sum *sum) {
    const mote_force_def *def = plan->forces;
    mote_noise_moment moments[2];
    wide3 x[MOTE_MAX_UNROLL], field[MOTE_MAX_UNROLL];
    while (!mote_curl_noise_is(def)) def++;
    mote_curl_noise_moments(def, time, moments);
    MOTE_UNROLLED
    for (int u = 0; u < registers; u++) x[u] = s[u].x;
    mote_curl_noise_run(def, moments, x, field, registers);
    const bool wind = def->use == MOTE_FIELD_WIND;
    MOTE_UNROLLED
    for (int u = 0; u < registers; u++) {
        s[u].x = x[u];
        const wide3 value = mote_use_field(def, field[u], s[u].v);
        if (wind)
            sum[u].force = wide3_add(sum[u].force, value);
        else
            sum[u].acceleration = wide3_add(sum[u].acceleration, value);
    }
}

/* Sums inline forces by the force mix. */
MOTE_INLINE void mote_mix_forces(const mote_plan *plan, mote_instance of, double time, mote_lanes *s,
                                 const mote_external *external, mote_force_sum *sum) {
    if (of.mix == MOTE_MIX_NOISE) {
        mote_noise_alone(plan, of.registers, time, s, sum);
        return;
    }
    mote_force_point at[MOTE_MAX_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++)
        at[u] = (mote_force_point){
            s[u].x, s[u].v, external[u].anchor, external[u].inverse_mass, plan->drag_rate, time, NULL};
    mote_inline_forces(plan->forces, plan->force_count, plan->anchors, at, of.registers, sum);
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) s[u].x = at[u].x, s[u].v = at[u].v; /* likewise read back */
}

/* Sums all forces that are not affine, in m/s^2: inline forces in order, callbacks, the host's forces,
 * newtons times the inverse mass. */
MOTE_INLINE void mote_mix_evaluate(const mote_plan *plan, mote_instance of, double time, mote_lanes *s,
                                   const mote_external *external, wide3 *sum) {
    mote_force_sum forces[MOTE_MAX_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) forces[u] = (mote_force_sum){wide3_zero(), wide3_zero()};
    if (plan->point_count) mote_mix_forces(plan, of, time, s, external, forces);
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) {
        sum[u] = forces[u].acceleration;
        if (of.callbacks) sum[u] = wide3_add(sum[u], external[u].acceleration);
        if (!plan->newtons) continue;
        wide3 force = forces[u].force;
        if (of.callbacks) force = wide3_add(force, external[u].force);
        if (of.mix != MOTE_MIX_NOISE && plan->external_forces)
            force = wide3_add(force, external[u].host_force);
        sum[u] = wide3_add_scaled(sum[u], external[u].inverse_mass, force);
    }
}

/* Computes dv[u] for each register. The forces that are not affine come first: across their calls no affine
 * term has to be kept. */
MOTE_INLINE void mote_evaluate(const mote_plan *plan, mote_instance of, mote_stage_at at, mote_lanes *s,
                               const mote_external *external, wide3 *dv) {
    const mote_evaluation *e = &plan->evaluation[at.stage];
    const bool affine = FOLDS_AFFINE(of.family);
    wide3 sum[MOTE_MAX_UNROLL] = {{(wide){0}, (wide){0}, (wide){0}}}; /* which gcc 12 does not see */
    if (of.mix) mote_mix_evaluate(plan, of, at.time, s, external, sum);
    MOTE_UNROLLED
    for (int u = 0; u < of.registers; u++) {
        dv[u] = wide3_zero();
        if (affine) dv[u] = mote_affine_evaluate(&e->acceleration, plan->stiff_acceleration, &s[u]);
        if (affine && of.mass && plan->affine_force)
            dv[u] = wide3_add_scaled(dv[u], external[u].inverse_mass,
                                     mote_affine_evaluate(&e->force, plan->stiff_force, &s[u]));
        if (!of.mix) continue;
        const wide3 kick = wide3_scale(wide_set(e->kick_h), sum[u]);
        dv[u] = affine ? wide3_add(dv[u], kick) : kick;
    }
}

#endif
