/* The table of kernels of one instruction set. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include "particles/kernels.h"

#include "base/isa.h"
#include "particles/contain.h"
#include "particles/emit.h"
#include "particles/fused.h"
#include "particles/settled.h"
#include "particles/staged.h"

/* Chooses the number of registers that a loop body steps. Two hide the latency of an attractor's square root
 * and division. Affine terms are short, and one register leaves more to out-of-order execution (measured:
 * 0.75 to 0.95 of the time of two). */
#define OF(family_, mass_, mix_)                                                                             \
    ((mote_instance){                                                                                        \
        .family = family_, .mass = mass_, .mix = mix_, .registers = (mix_) == MOTE_MIX_ATTRACTORS ? 2 : 1})

/* A register of any forces: whether masses have a column is read from the plan, and the mix of forces. */
#define CONTAIN(name, family)                                                                                \
    MOTE_OUTLINE void contain_##name(const mote_plan *plan, const mote_span *span, size_t i,                 \
                                     uint32_t *frozen) {                                                     \
        const mote_force_mix mix = plan->mix <= MOTE_MIX_DRAG ? MOTE_MIX_AFFINE : MOTE_MIX_ANY;              \
        contain(plan, span, OF(family, plan->mass_column, mix), i, frozen);                                  \
    }                                                                                                        \
    static void collide_##name(const mote_plan *plan, const mote_span *span, size_t first, size_t end,       \
                               uint32_t *frozen) {                                                           \
        for (size_t i = first; i < end; i += MOTE_WIDTH) contain_##name(plan, span, i, frozen);              \
    }
CONTAIN(splitting, MOTE_FAMILY_SPLITTING)
CONTAIN(verlet, MOTE_FAMILY_VERLET)
CONTAIN(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA)
CONTAIN(map, MOTE_FAMILY_MAP)
CONTAIN(advection, MOTE_FAMILY_ADVECTION)

#define FUSED(name, family_name, family, mass, mix)                                                          \
    static void name(const mote_plan *plan, const mote_span *span, size_t first, size_t end,                 \
                     uint32_t *frozen) {                                                                     \
        fused(plan, span, OF(family, mass, mix), contain_##family_name, first, end, frozen);                 \
    }

/* Instances of settled.h, which need few registers besides the state. Attractors: three registers a loop body
 * are 1.2 times as fast as two and no slower than four. Drag: two are 1.05 to 1.2 times as fast as one or
 * three (measured). */
#define SETTLED(kind, name, family, points, side_by_side)                                                    \
    static void kind##_##name(const mote_plan *plan, const mote_span *span, size_t first, size_t end,        \
                              uint32_t *frozen) {                                                            \
        settled_run(plan, span, (settled_instance){family, points, side_by_side}, contain_##name, first,     \
                    end, frozen);                                                                            \
    }

/* Instances for any forces, one for each family: whether masses have a column is read from the plan. Compact
 * kernels have no others; they read the mix of forces too. */
#define ANY_MIX MOTE_SPECIALISED(MOTE_MIX_ANY, plan->mix <= MOTE_MIX_DRAG ? MOTE_MIX_AFFINE : MOTE_MIX_ANY)
#define ANY_FORCES(name, family)                                                                             \
    FUSED(fused_any_##name, name, family, plan->mass_column, ANY_MIX)                                        \
    static void begin_##name(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,  \
                             size_t first, size_t end) {                                                     \
        staged_begin(plan, span, workspace, OF(family, plan->mass_column, MOTE_MIX_ANY), first, end);        \
    }                                                                                                        \
    static void stage_##name(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,  \
                             mote_staged_at at, size_t first, size_t end) {                                  \
        staged_stage(plan, span, workspace, OF(family, plan->mass_column, MOTE_MIX_ANY), at, first, end);    \
    }
ANY_FORCES(splitting, MOTE_FAMILY_SPLITTING)
ANY_FORCES(verlet, MOTE_FAMILY_VERLET)
ANY_FORCES(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA)
ANY_FORCES(map, MOTE_FAMILY_MAP)
ANY_FORCES(advection, MOTE_FAMILY_ADVECTION)

#if !defined(MOTE_COMPACT)
#define INSTANCE(name, family_name, family, mass)                                                            \
    FUSED(fused_##name, family_name, family, mass, MOTE_MIX_AFFINE)                                          \
    FUSED(fused_attractors_##name, family_name, family, mass, MOTE_MIX_ATTRACTORS)
#define INSTANCES(name, family) INSTANCE(name, name, family, false) INSTANCE(name##_mass, name, family, true)
INSTANCES(splitting, MOTE_FAMILY_SPLITTING)
INSTANCES(verlet, MOTE_FAMILY_VERLET)
INSTANCES(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA)
INSTANCES(map, MOTE_FAMILY_MAP)
INSTANCES(advection, MOTE_FAMILY_ADVECTION)

SETTLED(drag, splitting, MOTE_FAMILY_SPLITTING, 0, 2)
SETTLED(one_attractor, splitting, MOTE_FAMILY_SPLITTING, 1, 3)
SETTLED(one_attractor, verlet, MOTE_FAMILY_VERLET, 1, 3)
SETTLED(few_attractors, splitting, MOTE_FAMILY_SPLITTING, 2, 3)
SETTLED(few_attractors, verlet, MOTE_FAMILY_VERLET, 2, 3)
#endif

static void commit(const mote_span *span, const mote_workspace *workspace, uint32_t step, size_t first,
                   size_t end, uint32_t *frozen) {
    staged_commit(span, workspace, false, step, first, end, frozen);
}

static void commit_mass(const mote_span *span, const mote_workspace *workspace, uint32_t step, size_t first,
                        size_t end, uint32_t *frozen) {
    staged_commit(span, workspace, true, step, first, end, frozen);
}

/* Appends the lanes in `due` to the death list of the block at `first`, which has `died` entries. Returns the
 * new number of entries. */
static uint32_t expire_lanes(const mote_lifetimes *l, uint32_t due, size_t first, size_t i, uint32_t died) {
    for (; due; due &= due - 1) {
        size_t offset = i + (size_t)__builtin_ctz(due);
        if (l->fate[first + offset]) continue;
        l->fate[first + offset] = l->mark;
        l->death[first + died++] = (uint8_t)offset;
    }
    return died;
}

static uint32_t expire(const mote_lifetimes *l, size_t first, size_t count) {
    uint32_t died = 0;
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        wide_mask birth = wide_mask_load((const int32_t *)(const void *)(l->birth + first + i));
        wide_mask age = (wide_mask)((wide_unsigned){0} + l->now - (wide_unsigned)birth);
        wide due = wide_load(l->lifetime + first + i) * l->rate;
        wide_mask lives = wide_less(WIDE_CONVERT(age, wide) + l->slack, due);
        if (wide_all(lives)) continue;
        int32_t left = count - i < MOTE_WIDTH ? (int32_t)(count - i) : MOTE_WIDTH;
        died = expire_lanes(l, wide_lane_bits(~lives & wide_lanes_below(left)), first, i, died);
    }
    return died;
}

static void collide_staged(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                           uint32_t substep, size_t first, size_t end) {
    contain_staged(plan, span, workspace, substep, first, end);
}

static void bound(const mote_span *span, size_t first, size_t end, mote_slot_bounds *bounds) {
    contain_bound(span, first, end, bounds);
}

#if defined(MOTE_COMPACT)
#define ANY(name)  {name, name, name, name, name, name}
#define BOTH(name) {ANY(fused_any_##name), ANY(fused_any_##name)}
#define ALL_FUSED                                                                                            \
    {[MOTE_FAMILY_SPLITTING] = BOTH(splitting),                                                              \
     [MOTE_FAMILY_VERLET] = BOTH(verlet),                                                                    \
     [MOTE_FAMILY_RUNGE_KUTTA] = BOTH(runge_kutta),                                                          \
     [MOTE_FAMILY_MAP] = BOTH(map),                                                                          \
     [MOTE_FAMILY_ADVECTION] = BOTH(advection)}
#else
#define KINDS(name, any, drag, settled, few_attractors)                                                      \
    {fused_##name, drag, settled, few_attractors, fused_attractors_##name, fused_any_##any}
#define BOTH(name, drag, settled, few_attractors)                                                            \
    {KINDS(name, name, drag, settled, few_attractors), KINDS(name##_mass, name, NULL, NULL, NULL)}
#define ALL_FUSED                                                                                            \
    {[MOTE_FAMILY_SPLITTING] =                                                                               \
         BOTH(splitting, drag_splitting, one_attractor_splitting, few_attractors_splitting),                 \
     [MOTE_FAMILY_VERLET] = BOTH(verlet, NULL, one_attractor_verlet, few_attractors_verlet),                 \
     [MOTE_FAMILY_RUNGE_KUTTA] = BOTH(runge_kutta, NULL, NULL, NULL),                                        \
     [MOTE_FAMILY_MAP] = BOTH(map, NULL, NULL, NULL),                                                        \
     [MOTE_FAMILY_ADVECTION] = BOTH(advection, NULL, NULL, NULL)}
#endif
#define ALL(prefix)                                                                                          \
    {[MOTE_FAMILY_SPLITTING] = prefix##_splitting,                                                           \
     [MOTE_FAMILY_VERLET] = prefix##_verlet,                                                                 \
     [MOTE_FAMILY_RUNGE_KUTTA] = prefix##_runge_kutta,                                                       \
     [MOTE_FAMILY_MAP] = prefix##_map,                                                                       \
     [MOTE_FAMILY_ADVECTION] = prefix##_advection}

extern const mote_particle_kernels MOTE_KERNEL_TABLE(mote_particle_kernels);
const mote_particle_kernels MOTE_KERNEL_TABLE(mote_particle_kernels) = {
    .fused = ALL_FUSED,
    .begin = ALL(begin),
    .stage = ALL(stage),
    .commit = {commit, commit_mass},
    .collide = ALL(collide),
    .collide_staged = collide_staged,
    .bound = bound,
    .expire = expire,
    .emit = emit,
};
