/* Strands across lanes. Point k of the 16 strands of lane group g stands in slot group[g].first + 16 k +
 * lane. Groups are made of strands sorted by length (longest first, else in order), so that few slots are
 * masked. */
#ifndef MOTE_STRANDS_STRANDS_H
#define MOTE_STRANDS_STRANDS_H

#include <mote/strands.h>

#include "base/compiler.h"
#include "stage/range.h"

/* 16 strands: slots first .. first + 16 points - 1, and lanes 16 g .. 16 g + 15 of all that there is one of
 * for each strand. */
typedef struct mote_strand_group {
    uint32_t first, points; /* points: of its longest strand */
    uint32_t first_span, span_count;
    uint32_t links;    /* ends of links at its points; while there are some ... */
    void *linked_work; /* ... the memory in which it takes the phases of a step */
} mote_strand_group;

/* Two neighbouring pinned points of one strand (a pinned root counts) and the rest length of the segments
 * between. */
typedef struct mote_span_of_pins {
    uint32_t lane, first_slot, last_slot;
    float rest_length;
} mote_span_of_pins;

/* Columns by lane: root transforms as position x, y, z, rotation x, y, z, w. */
#define MOTE_ROOT_COLUMNS 7

typedef struct mote_strand_kernels mote_strand_kernels;
typedef struct mote_strands mote_strands;

/* One step of strands: what all groups share. */
typedef struct mote_strand_job {
    const mote_plan
        *plan; /* of the system's integrator for springs, of semi-implicit Euler for constraints */
    mote_strands *strands;
    const mote_collider_pose *poses; /* collider_count at each of plan->substeps + 1 boundaries */
    uint32_t collider_count;
    uint64_t step, step_tick, ticks_per_step;
    bool uncoupled;     /* springs act as if each were alone: the kinematic integrators */
    bool kick;          /* only v += fraction h a, by a plan of mote_plan_make_kick */
    bool keep_previous; /* the state before this step is presented from */
} mote_strand_job;

struct mote_strands {
    mote_range range;     /* pins: units are lane groups */
    mote_strands_def def; /* its arrays are not kept: NULL */
    mote_strands_id id;
    const mote_strand_kernels *kernels;
    uint32_t strand_count, point_count, group_count, lane_count; /* lane_count = 16 group_count */
    uint32_t max_points;                                         /* of the longest strand */
    bool compliant;                                              /* some strand has compliant segments */
    uint64_t stamp; /* of the strands' numbers of points and rest shapes */
    mote_strand_group *group;
    uint32_t *linked, linked_count; /* the groups that have links; group_count of them reserved */

    uint32_t *lane_of_strand; /* strand_count */
    uint32_t *strand_of_lane; /* lane_count; MOTE_NO_SLOT: an empty lane */
    uint32_t *first_point;    /* strand_count + 1: the host's number of a strand's point 0 */

    /* By slot, beside those of the range. Masked slots: lengths 1, vectors 0. */
    float *rest_length; /* of the segment from this point to the next; 1 behind the last */
    float *bend_length; /* from this point to the second next; NULL without bend_stiffness */
    float *rest_x[3];   /* rest shape under the identity */

    /* By lane. */
    int32_t *points;           /* of the strand; 0: empty lane */
    float *point_inverse_mass; /* 1/kg of its free points; 0: empty */
    float *compliance;         /* m/N; 0 in empty lanes */
    float *root_rest[3];       /* point 0 under the identity */
    /* Rotations of length 1, to on the side of from. */
    float *root_from[MOTE_ROOT_COLUMNS], *root_to[MOTE_ROOT_COLUMNS];
    uint64_t *root_from_tick, *root_to_tick;
    uint8_t *root_pending;
    /* Rotations at the boundaries between which points are presented, not of length 1, on one side: targets
     * set since do not change them. root_before: NULL where the system does not interpolate. */
    float *root_before[4], *root_last[4];
    /* The report of the last step, by lane. */
    float *stretch, *stretch_sum; /* largest, and summed over the strand's segments */
    uint32_t *iterations, *capped, *fallbacks;
    uint8_t *infeasible;
    uint8_t *frozen; /* stays */

    mote_span_of_pins *spans; /* by group, not sorted within; MOTE_MAX_PINS reserved with the first pin */
    uint32_t span_count;
    mote_strand_job job; /* of the step being run */
    void *memory;        /* all columns */
    size_t bytes;
};

MOTE_INLINE mote_strands *mote_strands_of(mote_range *range) { return (mote_strands *)(void *)range; }
MOTE_INLINE const mote_strands *mote_const_strands_of(const mote_range *range) {
    return (const mote_strands *)(const void *)range;
}

/* --- strands.c --- */

/* Checks, sorts and fills; *strands receives them. The errors of mote_system_add_strands, MEMORY and OVERFLOW
 * among them; *strands is NULL and nothing stays allocated then. */
mote_result mote_strands_make(const mote_strands_def *def, const mote_range_setup *setup,
                              mote_strands **strands, mote_strands_fault *fault);
void mote_strands_destroy(mote_range *range, const mote_allocator *allocator);

/* Puts the strand in `lane` at rest in its rest shape under its root's target, where the root and the
 * strand's pins stand from now on. Clears its report. */
void mote_strands_rest(mote_strands *strands, uint32_t lane);

/* The slot of a point; both exist. */
MOTE_INLINE uint32_t mote_strands_slot_of(const mote_strands *strands, uint32_t lane, uint32_t point) {
    return strands->group[lane / MOTE_GROUP].first + MOTE_GROUP * point + lane % MOTE_GROUP;
}

/* The lane of a slot of a group. */
MOTE_INLINE uint32_t mote_strands_lane_of(const mote_strands *strands, uint32_t group, uint32_t slot) {
    return group * MOTE_GROUP + (slot - strands->group[group].first) % MOTE_GROUP;
}

/* --- layout.c --- */

/* Gives each column its place in strands->memory, or measures them where that is NULL; returns their bytes.
 * The counts and the settings are there. */
uint64_t mote_strands_place_columns(mote_strands *strands, bool interpolates);

/* --- roots.c --- */

/* The root in `lane` leaves from where it stands at tick `now` to arrive at `tick`. The transform has been
 * checked. */
void mote_strands_aim_root(mote_strands *strands, uint32_t lane, const mote_transform *target, uint64_t now,
                           uint64_t tick);

/* A step from tick `begin` to tick `end` is about to run, behind which points are presented: keeps the roots'
 * rotations at both. */
void mote_strands_keep_rotations(mote_strands *strands, uint64_t begin, uint64_t end);

/* An advance begins, which will end at end_tick: pending targets are to be reached then. */
void mote_strands_resolve(mote_range *range, uint64_t end_tick);

/* --- pins.c --- */

/* Pins the point, which may be pinned already: it leaves from where it stands at tick `now`. CAPACITY,
 * MEMORY. */
mote_result mote_strands_add_pin(mote_strands *strands, uint32_t lane, uint32_t point, const float target[3],
                                 uint64_t now, uint64_t tick, const mote_allocator *allocator);
/* RANGE: it has no pin. */
mote_result mote_strands_remove_pin(mote_strands *strands, uint32_t lane, uint32_t point);

/* --- hash.c, statistics.c, validate.c --- */

uint64_t mote_strands_hash(const mote_range *range, uint64_t seed);
mote_sums mote_strands_sum(const mote_range *range, const mote_step *now);
mote_statistics mote_strands_statistics_of(const mote_strands *strands, const mote_step *now);
mote_strands_step_report mote_strands_report_all(const mote_strands *strands);
bool mote_strands_validate(const mote_range *range);

#endif
