/* A range: a run of columns with one owner. Loose particles, strands and networks are its kinds; a new kind
 * is a folder of its own and a line of the table in system/kinds.c. */
#ifndef MOTE_STAGE_RANGE_H
#define MOTE_STAGE_RANGE_H

#include <mote/isa.h>
#include <mote/jobs.h>
#include <mote/link.h>

#include "contacts/colliders.h"
#include "stage/phases.h"
#include "stage/pins.h"
#include "stage/plan.h"
#include "stage/sums.h"

typedef struct mote_range mote_range;

/* The system's part in the making of a range. */
typedef struct mote_range_setup {
    mote_allocator allocator;
    mote_isa isa;
    mote_integrator integrator;
    bool interpolates; /* previous positions are kept */
    const mote_jobs *jobs;
} mote_range_setup;

/* One step, as a range sees it. */
typedef struct mote_step {
    const mote_plan_def *plan; /* forces, time and rate of the system */
    mote_collider_list *colliders;
    const mote_jobs *jobs;
    float *scratch;                        /* as many bytes as scratch_bytes asks for */
    uint64_t number, tick, ticks_per_step; /* of the step, and the tick at which it begins */
    bool last;                             /* its end is presented */
    bool stage_outer;                      /* the loop order that finishes a stage for all units */
} mote_step;

/* A point of a range while its linked units take the phases of a step. */
typedef struct mote_range_point {
    float *x[3], *v[3];
    float *force[3];    /* N: cleared by EVALUATE */
    float *reaction[3]; /* N s; NULL where the point may move */
} mote_range_point;

/* The behaviour of a kind. begin and end surround each step; between them `run` takes all units through it
 * that no link joins, and `phase` the others, phase by phase. Loose particles, which have neither pins nor
 * links, are stepped in batches (particles/step.h) and leave all between `scratch_bytes` and `hash` NULL. */
typedef struct mote_range_kind {
    void (*destroy)(mote_range *range, const mote_allocator *allocator);
    uint64_t (*scratch_bytes)(const mote_range *range, uint32_t workers, bool stage_outer);

    /* Whether the system may step: MOTE_OK, STABILITY. NULL: always. */
    mote_result (*can_step)(mote_range *range, const mote_plan_def *plan);
    /* Whether colliders may be in the system. NULL: always. */
    bool (*accepts_colliders)(const mote_range *range);
    /* The most substeps of a step that the system's own do not count. NULL: there are none. */
    uint32_t (*own_substeps)(const mote_range *range);

    /* An advance begins, which will end at end_tick: pending targets are to be reached then. */
    void (*resolve)(mote_range *range, uint64_t end_tick);
    void (*begin)(mote_range *range, const mote_step *step);
    void (*run)(mote_range *range, const mote_step *step);
    void (*phase)(mote_range *range, const mote_step *step, const mote_phase_at *at);
    void (*end)(mote_range *range);

    /* Links. The slot of an end: RANGE. Whether the range can be linked by it: INTEGRATOR, STABILITY. */
    mote_result (*slot_of_end)(const mote_range *range, const mote_link_end *end, uint32_t *slot);
    mote_result (*accepts_link)(const mote_range *range, const mote_link *link);
    /* Gains (+1) or loses (-1) an end at a slot: MEMORY only in gaining, and nothing has changed then. */
    mote_result (*link)(mote_range *range, uint32_t slot, int change, const mote_allocator *allocator);
    mote_range_point (*point)(mote_range *range, uint32_t slot); /* from LOAD to COMMIT */
    bool (*is_frozen)(const mote_range *range, uint32_t slot);

    /* The hash of all state after `seed`, whatever the layout; the sums over what can move. */
    uint64_t (*hash)(const mote_range *range, uint64_t seed);
    mote_sums (*sum)(const mote_range *range, const mote_step *now);

    /* Whether all views of the range's state agree; called after edits in builds with assertions. */
    bool (*validate)(const mote_range *range);
} mote_range_kind;

struct mote_range {
    const mote_range_kind *kind; /* set by the system that it is added to */
    uint32_t slot_count;
    /* By slot. Masked slots: at the origin, at rest, inverse mass 0. */
    float *x[3], *v[3];   /* m, m/s */
    float *previous_x[3]; /* NULL where the system does not interpolate; NaN in x: presented where it is */
    float *inverse_mass;  /* 1/kg; 0: pinned or masked */
    float *reaction[3];   /* N s, of pinned points in the last step; 0 elsewhere */
    mote_pin_list pins;
    bool started;            /* stepped before: position Verlet has given it its half-step velocity */
    uint32_t link_count;     /* ends of links at its points */
    mote_range *next_linked; /* in the list of those that have some */
    /* Of the step being run. */
    mote_plan plan;
    double kicked; /* s: how much of its accelerations position Verlet took back before the step */
};

/* Adds the point in a slot to sums, unless it is pinned or masked. */
void mote_sums_add_slot(mote_sums *to, const mote_plan_def *field, const mote_range *range, size_t slot);

/* The system's plan for points that forces between them hold too: external forces and anchors are the loose
 * particles' own, and constraints have semi-implicit Euler for their explicit part. */
mote_plan_def mote_range_plan_def(const mote_step *step, bool constrained);

/* Takes a range that no link joins through a step. */
void mote_range_step(mote_range *range, const mote_step *step);

#endif
