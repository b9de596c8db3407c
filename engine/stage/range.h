/* Range: columns with one owner. Loose particles, strands and networks are the kinds of range. A new kind is
 * a folder of its own and a line of the table in system/kinds.h. */
#ifndef MOTE_STAGE_RANGE_H
#define MOTE_STAGE_RANGE_H

#include <mote/isa.h>
#include <mote/jobs.h>
#include <mote/link.h>

#include "base/parallel.h"
#include "contacts/colliders.h"
#include "stage/phases.h"
#include "stage/pins.h"
#include "stage/plan.h"
#include "stage/sums.h"

typedef struct mote_range mote_range;

/* Parameters that the system passes to the creation of a range. */
typedef struct mote_range_setup {
    mote_allocator allocator;
    mote_isa isa;
    mote_integrator integrator;
    bool interpolates; /* previous positions are kept */
    const mote_jobs *jobs;
} mote_range_setup;

/* Step, as a range receives it. */
typedef struct mote_step {
    const mote_plan_def *plan; /* forces, time and rate of the system */
    mote_collider_list *colliders;
    const mote_jobs *jobs;
    float *scratch;                        /* buffer of the size that scratch_bytes returns */
    uint64_t number, tick, ticks_per_step; /* number of the step, and the tick at which it begins */
    bool last;                             /* end of this step is presented */
    bool stage_outer;                      /* loop order that finishes a stage for all units */
} mote_step;

/* Point of a range while its linked units run the phases of a step. */
typedef struct mote_range_point {
    float *x[3], *v[3];
    float origin[3];    /* m, world: x is relative to it */
    float ahead;        /* s, from the start of the substep to the time of x in the first stage */
    float held_time;    /* s, likewise to that of a constant force: mote_scheme_held_time */
    float *force[3];    /* N; cleared by EVALUATE */
    float *reaction[3]; /* N s; NULL if the point is free to move */
} mote_range_point;

/* Functions of a kind. begin and end surround each step. Between them `run` runs all units that no link
 * joins, and `phase` the linked ones, phase by phase. Loose particles, which have neither pins nor links, are
 * stepped in batches (particles/step.c); they have no functions between `scratch_bytes` and `hash`. */
typedef struct mote_range_kind {
    void (*destroy)(mote_range *range, const mote_allocator *allocator);
    uint64_t (*scratch_bytes)(const mote_range *range, uint32_t workers, bool stage_outer);

    /* Checks that the system can step: MOTE_OK, STABILITY. NULL: always. */
    mote_result (*can_step)(mote_range *range, const mote_plan_def *plan);
    /* Returns the largest number of substeps per step that the range may choose itself. NULL: the range uses
     * the system's substeps. */
    uint32_t (*own_substeps)(const mote_range *range);

    /* Resolves pending targets at the start of an advance that will end at end_tick. */
    void (*resolve)(mote_range *range, uint64_t end_tick);
    /* Keeps the arrivals of targets by `now`, the tick of a step boundary (base/travel.h). */
    void (*keep_arrivals)(mote_range *range, uint64_t now);
    void (*begin)(mote_range *range, const mote_step *step);
    void (*run)(mote_range *range, const mote_step *step);
    void (*phase)(mote_range *range, const mote_step *step, const mote_phase_at *at);
    void (*end)(mote_range *range);

    /* Links. slot_of_end: finds the slot of an end; error RANGE. accepts_link: checks that the range can have
     * the link; errors INTEGRATOR, STABILITY. NULL: always. */
    mote_result (*slot_of_end)(const mote_range *range, const mote_link_end *end, uint32_t *slot);
    mote_result (*accepts_link)(const mote_range *range, const mote_link *link);
    /* Adds (+1) or removes (-1) an end at a slot. Error: MEMORY, only when adding; nothing has then
     * changed. 0: settles an end that was added, once there is scratch for its step too. */
    mote_result (*link)(mote_range *range, uint32_t slot, int change, const mote_allocator *allocator);
    mote_range_point (*point)(mote_range *range, uint32_t slot); /* valid from LOAD to COMMIT */
    bool (*is_frozen)(const mote_range *range, uint32_t slot);
    /* Computes the place of a slot in the world, m, of which x is the rounding (stage/place.h). */
    void (*place)(const mote_range *range, uint32_t slot, double x[3]);

    /* Returns the hash of the complete state, chained after `seed` and independent of the layout. sum:
     * returns the sums over points that can move. */
    uint64_t (*hash)(const mote_range *range, uint64_t seed);
    mote_sums (*sum)(const mote_range *range, const mote_step *now);

    /* Divides the units of the range among ranks: fills range->bound. NULL: loose particles. Errors:
     * UNSUPPORTED (all ranks step the whole range), MEMORY. */
    mote_result (*divide)(mote_range *range, const mote_peers *peers, const mote_allocator *allocator);

    /* Sets the id that callbacks see; NULL: loose particles. */
    void (*set_id)(mote_range *range, uint32_t index, uint32_t generation);

    /* Visits all state for a snapshot. */
    void (*archive)(mote_range *range, mote_archive *archive);
    /* Hashes of parts of the state. Items are particles (by slot or number) or strands; springs: those of a
     * network. hash_items: returns the hash of existing items; hash_settings: of all state that belongs to no
     * item, chained after `seed`. */
    uint32_t (*count_items)(const mote_range *range, bool springs);
    uint64_t (*hash_items)(const mote_range *range, bool springs, uint32_t first, uint32_t count);
    uint64_t (*hash_settings)(const mote_range *range, uint64_t seed);
    /* Returns the hash of what calls have set besides settings, chained after `seed`. NULL: loose particles.
     */
    uint64_t (*hash_calls)(mote_range *range, uint64_t seed);

    /* Returns true if all views of the range's state agree. Called after edits in builds with assertions. */
    bool (*validate)(const mote_range *range);
} mote_range_kind;

/* Division of a range among ranks: items bound[r] .. bound[r + 1] - 1 belong to rank r. */
typedef struct mote_division {
    uint32_t *unit, *slot, *lane; /* bounds; lane: of strands */
} mote_division;

/* Returns the bytes of the bounds, which are one allocation. */
MOTE_INLINE size_t mote_division_bytes(uint32_t ranks) { return 3 * ((size_t)ranks + 1) * sizeof(uint32_t); }

struct mote_range {
    const mote_range_kind *kind; /* set by the system that owns the range */
    uint32_t slot_count;
    mote_peers *peers; /* during an advance that this range is divided in; else NULL: this system steps all */
    bool dividable;    /* by the last call of divide */
    bool divided;      /* in the last advance that made a step ... */
    bool was_divided;  /* ... and during an advance, in the one before */
    mote_division bound; /* NULLs in a system that has not joined a cluster */
    /* Columns by slot. Masked slots are at the origin, at rest, with inverse mass 0. */
    float *x[3], *v[3];   /* m, m/s */
    float *previous_x[3]; /* NULL if the system does not interpolate; NaN in x: not interpolated */
    float *inverse_mass;  /* 1/kg; 0: pinned or masked */
    float *reaction[3];   /* N s, of pinned points in the last step; 0 elsewhere */
    mote_pin_list pins;
    bool started;            /* stepped before: position Verlet has set the half-step velocity */
    uint32_t link_count;     /* number of link ends at its points */
    mote_range *next_linked; /* next in the list of linked ranges */
    /* Data of the current step. */
    mote_plan plan;
    double kicked; /* s: position Verlet applied v += kicked a before the step; 0: nothing */
};

/* Returns the kick, as a fraction of h, after which the velocities of position Verlet are those of half a
 * substep ago: all of it before the first step, else the part by which `last` substeps differ from those now.
 */
MOTE_INLINE double mote_half_step_kick(const mote_range *range, uint32_t last, uint32_t substeps) {
    const double before = range->started ? (double)substeps / (double)last : 0;
    return -0.5 * (1 - before);
}

/* Returns which of the `count` units of a range (groups or blocks) this system steps. */
MOTE_INLINE mote_items mote_range_units(const mote_range *range, uint32_t count) {
    const uint32_t *bound = range->bound.unit;
    if (!range->peers) return (mote_items){0, count, NULL};
    return (mote_items){bound[range->peers->transport.rank], bound[range->peers->transport.rank + 1], NULL};
}

/* Returns which of slots [first, end) of loose particles this system steps. */
MOTE_INLINE mote_items mote_range_slots(const mote_range *range, size_t first, size_t end) {
    return (mote_items){first, end, range->peers};
}

/* Pins the point of pin.slot, or moves the target of its pin. The point moves to pin.to from where it is.
 * Errors: CAPACITY, MEMORY; nothing has then changed. */
mote_result mote_range_pin(mote_range *range, mote_pin pin, const mote_allocator *allocator);

/* Removes the pin of a slot; the point has `inverse_mass` from then on. Error: RANGE (it has none). */
mote_result mote_range_unpin(mote_range *range, uint32_t unit, uint32_t slot, float inverse_mass);

/* Adds the point in a slot, whose place is x (m), to the sums, unless it is pinned or masked. */
void mote_sums_add_place(mote_sums *to, const mote_plan_def *field, const mote_range *range, size_t slot,
                         const double x[3]);

/* Returns the system's plan for points that are coupled by springs or constraints. External forces and
 * anchors belong to the loose particles only. Constraints use semi-implicit Euler for their explicit part. */
mote_plan_def mote_range_plan_def(const mote_step *step, bool constrained);

/* Runs a step of a range that no link joins. */
void mote_range_step(mote_range *range, const mote_step *step);

#endif
