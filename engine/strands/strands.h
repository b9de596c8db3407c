/* Bundles: strands across lanes. Point k of the 16 strands of group g lies in the slots group[g].first + 16 k
 * + lane. Groups are made of strands sorted by length (longest first, else in order), so that few slots are
 * masked. */
#ifndef MOTE_STRANDS_STRANDS_H
#define MOTE_STRANDS_STRANDS_H

#include <mote/strands.h>

#include "base/compiler.h"

/* 16 strands. Slots first .. first + 16 points - 1; point counts and everything per strand at lanes 16 g ..
 * 16 g + 15. */
typedef struct mote_strand_group {
    uint32_t first, points;        /* of its longest strand */
    uint32_t first_pin, pin_count; /* its own in bundle->pins */
    uint32_t first_span, span_count;
    uint32_t links;        /* ends of links at its points */
    uint32_t linked_place; /* among the groups that have some, during a step */
} mote_strand_group;

/* A point that the host pinned. Sorted by slot, so that each group's stand together. */
typedef struct mote_pin {
    uint32_t slot, lane;  /* lane: of the bundle, 16 g + lane in the group */
    float from[3], to[3]; /* m, world */
    uint64_t from_tick, to_tick;
    bool pending; /* to_tick is the end of the next advance */
} mote_pin;

/* Two neighbouring pinned points of one strand (a pinned root counts) and the rest length of the segments
 * between. */
typedef struct mote_span_of_pins {
    uint32_t lane, first_slot, last_slot;
    float rest_length;
} mote_span_of_pins;

/* Columns by lane: root transforms as position x, y, z, rotation x, y, z, w. */
#define MOTE_ROOT_COLUMNS 7

typedef struct mote_strands {
    mote_strands_def def; /* its arrays are not kept: NULL */
    uint32_t strand_count, point_count, slot_count, group_count, lane_count; /* lane_count = 16 group_count */
    uint32_t max_points;                                                     /* of the longest strand */
    bool compliant;      /* a segment gives way in some strand */
    bool started;        /* stepped before: position Verlet has kicked it */
    uint64_t stamp;      /* of the strands' numbers of points and rest places */
    uint32_t link_count; /* ends of links at its points */
    mote_strand_group *group;

    uint32_t *lane_of_strand; /* strand_count */
    uint32_t *strand_of_lane; /* lane_count; MOTE_NO_SLOT: an empty lane */
    uint32_t *first_point;    /* strand_count + 1: the host's number of a strand's point 0 */

    /* By slot. Masked slots: at the origin, at rest, inverse mass 0, lengths 1, vectors 0. */
    float *x[3], *v[3],
        *previous_x[3];  /* previous: NULL where the system does not interpolate; NaN: as it is */
    float *inverse_mass; /* 0: pinned or masked */
    float *rest_length;  /* of the segment from this point to the next; 1 behind the last */
    float *bend_length;  /* from this point to the second next; NULL without bend_stiffness */
    float *rest_x[3];    /* rest shape under the identity */
    float *reaction[3];  /* N s, of pinned points in the last step; 0 elsewhere */

    /* By lane. */
    int32_t *points;           /* of the strand; 0: empty lane */
    float *point_inverse_mass; /* 1/kg of its free points; 0: empty */
    float *compliance;         /* m/N; 0 in empty lanes */
    float *root_rest[3];       /* point 0 under the identity */
    float *root_from[MOTE_ROOT_COLUMNS],
        *root_to[MOTE_ROOT_COLUMNS]; /* rotations of length 1, to on the side of from */
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

    mote_pin *pins;           /* MOTE_MAX_PINS of them reserved with the first */
    mote_span_of_pins *spans; /* likewise: each ends at another pin; by group, not sorted within */
    uint32_t pin_count, span_count;
    void *memory; /* all columns */
    size_t bytes;
} mote_strands;

/* Checks, sorts and fills. MOTE_OK or the errors of mote_system_add_strands that concern the def; nothing
 * stays allocated then. */
mote_result mote_strands_make(mote_strands *strands, const mote_strands_def *def, bool interpolates,
                              const mote_allocator *allocator, mote_strands_fault *fault);
void mote_strands_destroy(mote_strands *strands, const mote_allocator *allocator);

/* Gives each column its place in bundle->memory, or measures them where that is NULL; returns their bytes.
 * The counts and the settings are there. */
uint64_t mote_strands_place_columns(mote_strands *strands, bool interpolates);

/* Puts the strand in `lane` at rest in its rest shape under its root's target, where the root and the
 * strand's pins stand from now on. Clears its report. */
void mote_strands_rest(mote_strands *strands, uint32_t lane);

/* The root in `lane` leaves from where it stands at tick `now` to arrive at `tick`. The transform has been
 * checked. */
void mote_strands_aim_root(mote_strands *strands, uint32_t lane, const mote_transform *target, uint64_t now,
                           uint64_t tick);

/* A step from tick `begin` to tick `end` is about to run, behind which points are presented: how the roots
 * are turned at both. */
void mote_strands_keep_rotations(mote_strands *strands, uint64_t begin, uint64_t end);

/* What waits for the end of the next advance shall arrive at `end_tick`. */
void mote_strands_resolve(mote_strands *strands, uint64_t end_tick);

/* The slot of a point; both exist. */
MOTE_INLINE uint32_t mote_strands_slot_of(const mote_strands *strands, uint32_t lane, uint32_t point) {
    return strands->group[lane / MOTE_GROUP].first + MOTE_GROUP * point + lane % MOTE_GROUP;
}

/* Pins the point, which may be pinned already: it leaves from where it stands at tick `now`. CAPACITY,
 * MEMORY. */
mote_result mote_strands_add_pin(mote_strands *strands, uint32_t lane, uint32_t point, const float target[3],
                                 uint64_t now, uint64_t tick, const mote_allocator *allocator);
/* RANGE: it has no pin. */
mote_result mote_strands_remove_pin(mote_strands *strands, uint32_t lane, uint32_t point);

#endif
