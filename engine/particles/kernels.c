/* The table of kernels of one instruction set. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include "particles/kernels.h"

#include "base/isa.h"
#include "particles/emit.h"
#include "particles/fused.h"
#include "particles/pack.h"
#include "particles/passes.h"
#include "particles/staged.h"
#include "particles/turn.h"

/* Chooses the number of registers that a loop body steps. Affine terms are short, and one register leaves
 * more to out-of-order execution (measured: 0.75 to 0.95 of the time of two). Of curl noise two share a call;
 * four take 0.99 of the time and twice the code. */
#define OF(family_, mass_, mix_)                                                                             \
    ((mote_instance){                                                                                        \
        .family = family_, .mass = mass_, .mix = mix_, .registers = (mix_) == MOTE_MIX_NOISE ? 2 : 1})

/* A register of any forces under any integrator: the mix of forces, the family and whether masses have a
 * column are read from the plan. */
MOTE_OUTLINE void contain_any(const mote_plan *plan, const mote_span *span, size_t i, uint32_t *frozen) {
    contain(plan, span, OF(plan->scheme->family, plan->mass_column, mix_of(plan)), i, frozen);
}

/* Steps among colliders register by register: particles that stick or turn, and all particles of compact
 * kernels, whose registers have one lane. Packing these took 1.6 times as long where few lanes collide, and
 * as long where many do (measured). */
static void collide_each(const mote_plan *plan, const mote_span *span, size_t first, size_t end,
                         uint32_t *frozen) {
    for (; first < end; first += MOTE_WIDTH) contain_any(plan, span, first, frozen);
}

#if !defined(MOTE_COMPACT)
#define PACKED(name, family, mass, mix)                                                                      \
    static void packed_##name(const mote_plan *plan, const mote_span *span, size_t first, size_t end,        \
                              uint32_t *frozen) {                                                            \
        for (; first < end; first += PACK_SLOTS)                                                             \
            pack_block(plan, span, OF(family, mass, mix), first,                                             \
                       end - first < PACK_SLOTS ? end - first : PACK_SLOTS, frozen);                         \
    }
#define COLLIDE(name, packed)                                                                                \
    static void collide_##name(const mote_plan *plan, const mote_span *span, size_t first, size_t end,       \
                               uint32_t *frozen) {                                                           \
        const bool in_order = span->collision->stuck || span->collision->spin[0];                            \
        (in_order ? collide_each : (packed))(plan, span, first, end, frozen);                                \
    }
/* Affine forces have an instance of their own: 0.9 of the time (measured). */
PACKED(affine, MOTE_FAMILY_SPLITTING, false, MOTE_MIX_AFFINE)
PACKED(splitting, MOTE_FAMILY_SPLITTING, plan->mass_column, mix_of(plan))
PACKED(any, plan->scheme->family, plan->mass_column, mix_of(plan))
COLLIDE(splitting, MOTE_SPACIOUS &&mix_of(plan) == MOTE_MIX_AFFINE && !plan->mass_column ? packed_affine
                                                                                         : packed_splitting)
COLLIDE(any, packed_any)
#endif

#define FUSED(name, family, mass, mix)                                                                       \
    static void name(const mote_plan *plan, const mote_span *span, size_t first, size_t end,                 \
                     uint32_t *frozen) {                                                                     \
        fused(plan, span, OF(family, mass, mix), contain_any, first, end, frozen);                           \
    }

/* Instances of settled.h, which need few registers besides the state. One attractor: three registers a loop
 * body are 1.2 times as fast as two and no slower than four; several, where there are 16 registers: two are
 * as fast (0.9 to 1.0) and smaller. Drag: two are 1.05 to 1.2 times as fast as one or three (measured). */
#define SETTLED(kind, name, family, most, side_by_side)                                                      \
    MOTE_OUTLINE bool kind##_edge_##name(const mote_plan *plan, settled *p, const mote_span *span,           \
                                         size_t i) {                                                         \
        const bool terms = (most) > 1;                                                                       \
        return settled_registers(                                                                            \
            plan, p, span, (settled_instance){family, terms ? p->points : most, terms, 1, false}, false, i); \
    }                                                                                                        \
    static void kind##_##name(const mote_plan *plan, const mote_span *span, size_t first, size_t end,        \
                              uint32_t *frozen) {                                                            \
        const settled_instance of = {family, most, (most) > 1, side_by_side, false};                         \
        settled_run(plan, span, of, kind##_edge_##name, contain_any, first, end, frozen);                    \
    }

/* Instances for any forces, one for each family: whether masses have a column is read from the plan. Compact
 * kernels have two: one for splitting integrators, one that reads the family too. Both read the mix of
 * forces. */
#define ANY_MIX MOTE_SPECIALISED(MOTE_MIX_ANY, mix_of(plan))
#define ANY_FORCES(name, family)                                                                             \
    FUSED(fused_any_##name, family, plan->mass_column, ANY_MIX)                                              \
    static void begin_##name(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,  \
                             size_t first, size_t end) {                                                     \
        staged_begin(plan, span, workspace, OF(family, plan->mass_column, MOTE_MIX_ANY), first, end);        \
    }                                                                                                        \
    static void stage_##name(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,  \
                             mote_staged_at at, size_t first, size_t end) {                                  \
        staged_stage(plan, span, workspace, OF(family, plan->mass_column, MOTE_MIX_ANY), at, first, end);    \
    }
ANY_FORCES(splitting, MOTE_FAMILY_SPLITTING)
#if defined(MOTE_COMPACT)
ANY_FORCES(other, plan->scheme->family)
#else
ANY_FORCES(verlet, MOTE_FAMILY_VERLET)
ANY_FORCES(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA)
ANY_FORCES(map, MOTE_FAMILY_MAP)
ANY_FORCES(advection, MOTE_FAMILY_ADVECTION)
#define INSTANCES(name, family)                                                                              \
    FUSED(fused_##name, family, false, MOTE_MIX_AFFINE)                                                      \
    FUSED(fused_##name##_mass, family, true, MOTE_MIX_AFFINE)
INSTANCES(splitting, MOTE_FAMILY_SPLITTING)
INSTANCES(verlet, MOTE_FAMILY_VERLET)
INSTANCES(runge_kutta, MOTE_FAMILY_RUNGE_KUTTA)
/* One instance each: masses cost little beside maps, and advection has none. */
FUSED(fused_map, MOTE_FAMILY_MAP, plan->mass_column, MOTE_MIX_AFFINE)
FUSED(fused_advection, MOTE_FAMILY_ADVECTION, plan->mass_column, MOTE_MIX_AFFINE)

FUSED(noise_splitting, MOTE_FAMILY_SPLITTING, false, MOTE_MIX_NOISE)
SETTLED(drag, splitting, MOTE_FAMILY_SPLITTING, 0, 2)
SETTLED(one_attractor, splitting, MOTE_FAMILY_SPLITTING, 1, 3)
SETTLED(one_attractor, verlet, MOTE_FAMILY_VERLET, 1, 3)
SETTLED(one_attractor, runge_kutta, MOTE_FAMILY_RUNGE_KUTTA, 1, 2)
SETTLED(few_attractors, splitting, MOTE_FAMILY_SPLITTING, 2, MOTE_WIDTH == 16 ? 3 : 2)
SETTLED(few_attractors, verlet, MOTE_FAMILY_VERLET, 2, MOTE_WIDTH == 16 ? 3 : 2)
SETTLED(few_attractors, runge_kutta, MOTE_FAMILY_RUNGE_KUTTA, 2, 2)
SETTLED(few_attractors, map, MOTE_FAMILY_MAP, 2, 2)
#endif

static void commit(const mote_span *span, const mote_workspace *workspace, uint32_t step, size_t first,
                   size_t end, uint32_t *frozen) {
    staged_commit(span, workspace, false, step, first, end, frozen);
}

static void commit_mass(const mote_span *span, const mote_workspace *workspace, uint32_t step, size_t first,
                        size_t end, uint32_t *frozen) {
    staged_commit(span, workspace, true, step, first, end, frozen);
}

/* Returns the lanes from slot i on whose lifetime ends as bits. */
MOTE_INLINE uint64_t due_lanes(const mote_lifetimes *l, size_t i) {
    const wide_mask birth = wide_mask_load((const int32_t *)(const void *)(l->birth + i));
    const wide_mask age = (wide_mask)((wide_unsigned){0} + l->now - (wide_unsigned)birth);
    const wide ends = wide_load(l->lifetime + i) * l->rate;
    const wide counted = wide_min(WIDE_CONVERT(age, wide), wide_set(MOTE_MAX_AGE));
    return wide_lane_bits(~wide_less(counted + l->slack, ends));
}

/* Returns the slots of [at, at + 64) below `end` whose lifetime ends as bits. */
MOTE_INLINE uint64_t due_bits(const mote_lifetimes *l, size_t at, size_t end) {
    uint64_t due = 0;
    if (at + 64 <= end) {
        MOTE_UNROLLED
        for (int i = 0; i < 64; i += MOTE_WIDTH) due |= due_lanes(l, at + (size_t)i) << i;
        return due;
    }
    for (size_t i = at; i < end; i += MOTE_WIDTH) due |= due_lanes(l, i) << (i - at);
    return at < end ? due & (((uint64_t)1 << (end - at)) - 1) : 0;
}

#define OFFSETS_AT_ONCE 4

/* Appends base + the numbers of the set bits to a list. Writes OFFSETS_AT_ONCE entries at a time, valid or
 * not: a branch for each bit is mispredicted (measured at 5 % deaths: twice the time of `expire`). Returns
 * the new length. */
static uint32_t append_offsets(uint64_t bits, uint32_t base, uint8_t *list, uint32_t length) {
    const uint64_t top = (uint64_t)1 << 63; /* the number of the lowest bit of 0 is not defined */
    const uint32_t end = length + (uint32_t)__builtin_popcountll(bits);
    do {
        MOTE_UNROLLED
        for (int k = 0; k < OFFSETS_AT_ONCE; k++, bits &= bits - 1)
            list[length + (uint32_t)k] = (uint8_t)(base + (uint32_t)__builtin_ctzll(bits | top));
        length += OFFSETS_AT_ONCE;
    } while (length < end);
    return end;
}

static uint32_t expire(const mote_lifetimes *l, size_t first, size_t count) {
    uint64_t due[4], any = 0;
    uint8_t list[256 + OFFSETS_AT_ONCE];
    uint32_t length = 0, died = 0;
    const mote_lifetimes local = *l; /* which no store can alias */
    for (uint32_t word = 0; word < 4; word++) {
        due[word] = due_bits(&local, first + word * 64, first + count);
        any |= due[word];
    }
    if (!any) return 0;
    for (uint32_t word = 0; word < 4; word++) length = append_offsets(due[word], 64 * word, list, length);
    if (local.none_has_fate) {
        memcpy(local.death + first, list, length);
        for (uint32_t k = 0; k < length; k++) local.fate[first + list[k]] = local.mark;
        return length;
    }
    for (uint32_t k = 0; k < length; k++) {
        uint8_t *fate = l->fate + first + list[k];
        l->death[first + died] = list[k];
        died += *fate == 0;
        *fate = *fate ? *fate : l->mark;
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
#define ANY(name)      {name, name, name, name, name, name}
#define ALL(prefix)    {prefix##_splitting, prefix##_other, prefix##_other, prefix##_other, prefix##_other}
#define ALL_COLLIDE    {collide_each, collide_each, collide_each, collide_each, collide_each}
#define BOTH_ANY       {ANY(fused_any_other), ANY(fused_any_other)}
#define BOTH_SPLITTING {ANY(fused_any_splitting), ANY(fused_any_splitting)}
#define ALL_FUSED      {BOTH_SPLITTING, BOTH_ANY, BOTH_ANY, BOTH_ANY, BOTH_ANY}
#else
#define ALL_COLLIDE {collide_splitting, collide_any, collide_any, collide_any, collide_any}
#define KINDS(affine, any, drag, one_attractor, few_attractors, noise)                                       \
    {fused_##affine, drag, one_attractor, few_attractors, noise, fused_any_##any}
#define SETTLED_BOTH(name, drag, noise)                                                                      \
    {KINDS(name, name, drag, one_attractor_##name, few_attractors_##name, noise),                            \
     KINDS(name##_mass, name, NULL, one_attractor_##name, few_attractors_##name, NULL)}
#define BOTH(name, few_attractors)                                                                           \
    {KINDS(name, name, NULL, few_attractors, few_attractors, NULL),                                          \
     KINDS(name, name, NULL, few_attractors, few_attractors, NULL)}
#define ALL_FUSED                                                                                            \
    {[MOTE_FAMILY_SPLITTING] = SETTLED_BOTH(splitting, drag_splitting, noise_splitting),                     \
     [MOTE_FAMILY_VERLET] = SETTLED_BOTH(verlet, NULL, NULL),                                                \
     [MOTE_FAMILY_RUNGE_KUTTA] = SETTLED_BOTH(runge_kutta, NULL, NULL),                                      \
     [MOTE_FAMILY_MAP] = BOTH(map, few_attractors_map),                                                      \
     [MOTE_FAMILY_ADVECTION] = BOTH(advection, NULL)}
#define ALL(prefix)                                                                                          \
    {[MOTE_FAMILY_SPLITTING] = prefix##_splitting,                                                           \
     [MOTE_FAMILY_VERLET] = prefix##_verlet,                                                                 \
     [MOTE_FAMILY_RUNGE_KUTTA] = prefix##_runge_kutta,                                                       \
     [MOTE_FAMILY_MAP] = prefix##_map,                                                                       \
     [MOTE_FAMILY_ADVECTION] = prefix##_advection}
#endif

extern const mote_particle_kernels MOTE_KERNEL_TABLE(mote_particle_kernels);
const mote_particle_kernels MOTE_KERNEL_TABLE(mote_particle_kernels) = {
    .fused = ALL_FUSED,
    .begin = ALL(begin),
    .stage = ALL(stage),
    .commit = {commit, commit_mass},
    .collide = ALL_COLLIDE,
    .collide_staged = collide_staged,
    .bound = bound,
    .expire = expire,
    .emit = emit,
    .turn = {turn_scalar, turn_moments},
};
