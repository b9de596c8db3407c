/* Strands across lanes. Point k of the 16 strands of lane group g has the slot group[g].first + 16 k + lane.
 * Strands are sorted into groups by length, longest first, so that few slots are masked; strands of one
 * length by the places of their roots. */
#ifndef MOTE_STRANDS_STRANDS_H
#define MOTE_STRANDS_STRANDS_H

#include <mote/strands.h>

#include "base/compiler.h"
#include "stage/range.h"

/* Lane group of 16 strands: slots first .. first + 16 points - 1, and lanes 16 g .. 16 g + 15 of the columns
 * by lane. */
typedef struct mote_strand_group {
    uint32_t first, points; /* points: of its longest strand */
    uint32_t first_span, span_count;
    uint32_t links;    /* ends of links at its points */
    void *linked_work; /* its state from LOAD to COMMIT; allocated while links > 0 */
} mote_strand_group;

/* Span between two neighbouring pinned points of one strand (a pinned root counts), with the rest length of
 * its segments. */
typedef struct mote_span_of_pins {
    uint32_t lane, first_slot, last_slot;
    float rest_length;
} mote_span_of_pins;

/* Columns by lane of a root's transform: position x, y, z, rotation x, y, z, w. */
#define MOTE_ROOT_COLUMNS 7

typedef struct mote_strand_kernels mote_strand_kernels;
typedef struct mote_strand_present_kernels mote_strand_present_kernels;
typedef struct mote_strands mote_strands;

/* Data of one step that all groups share. */
typedef struct mote_strand_job {
    const mote_plan
        *plan; /* plan of the system's integrator for springs, of semi-implicit Euler for constraints */
    mote_strands *strands;
    const mote_collider_pose *poses; /* collider_count at each of plan->substeps + 1 boundaries */
    uint32_t collider_count;
    uint64_t step, step_tick, ticks_per_step;
    bool uncoupled;     /* springs act each as if it were the only one (kinematic integrators) */
    bool kick;          /* only v += fraction h a, by a plan of mote_plan_make_kick */
    bool keep_previous; /* the state before this step is kept for presentation */
} mote_strand_job;

struct mote_strands {
    mote_range range;     /* pins: units are lane groups */
    mote_strands_def def; /* settings; its arrays are NULL */
    mote_strands_id id;
    const mote_strand_kernels *kernels;
    const mote_strand_present_kernels *present;
    uint32_t strand_count, point_count, group_count, lane_count; /* lane_count = 16 group_count */
    uint32_t max_points;                                         /* points of the longest strand */
    bool compliant;                                              /* some strand has compliant segments */
    float drag_mobility; /* m/kg, most of a segment's length times the larger inverse mass of its ends */
    uint32_t substeps;   /* of the last step, by which velocities of position Verlet are behind; 0: as now */
    bool has_masses, has_rods, has_frames, has_flat_rods; /* columns that the def needs */
    bool has_axes;      /* the def gave the first axes of the frames at rest */
    uint64_t stamp;     /* hash of the strands' numbers of points and rest shapes */
    uint64_t signature; /* hash of all that the def determines */
    bool rubs;          /* `friction` may differ from 0: the last step had colliders */
    mote_strand_group *group;
    uint32_t *linked, linked_count; /* groups that have links; group_count entries reserved */

    uint32_t *lane_of_strand; /* strand_count entries */
    uint32_t *strand_of_lane; /* lane_count entries; MOTE_NO_SLOT: an empty lane */
    uint32_t *first_point;    /* strand_count + 1 entries: the host's number of a strand's point 0 */

    /* Columns by slot, besides those of the range. Masked slots: lengths 1, vectors 0. */
    float *rest_length; /* segment from this point to the next; 1 behind the last */
    float *rest_x[3];   /* rest shape under the identity */
    float *mass;        /* kg of a point where it is free; NULL: points of equal mass, no rods */
    /* Rods (rod.h); NULL: no bending stiffness. */
    float *joint_stiffness; /* N m, at the point; at the root that of the clamp; 0 at the tip */
    float *inverse_length;  /* 1/m, of rest_length; 0 where there is no segment */
    /* Frames of rods; NULL: no twisting stiffness. */
    float *joint_twist;       /* N m, as joint_stiffness */
    float *joint_across;      /* N m, as joint_stiffness, about the second axis; >= joint_stiffness, which is
                               * about the first one and is this column where no rod is flat */
    float *rest_turn[3];      /* 2 Im(conj(q[k-1]) q[k]) at rest; 0 at the root */
    float *rest_frame[4];     /* q[k] at rest under the identity */
    float *frame[4];          /* q[k] */
    float *previous_frame[4]; /* before the last step; NULL also if the system does not interpolate */
    float *tension; /* N/m, tension of the segment behind each point over its length, kept from substep to
                     * substep; of the last point what the rod owes (pay_rods), J, twice */
    /* m, place relative to the strand's origin when the engine last set x (stage/place.h). NaN in x: the
     * place is x alone. NULL: springs, whose places all are. */
    float *relative_x[3];
    /* m/s^2, friction of contacts and their pressure, over a point's mass, in the last substep
     * (contact_solve.h). NULL: springs. */
    float *friction[3], *pressure;
    float *previous_low[3]; /* m, low parts of the range's previous_x; NULL where it or relative_x is */

    /* Columns by lane. */
    int32_t *points;           /* points of the strand; 0: empty lane */
    float *point_inverse_mass; /* inverse mass of a free point, 1/kg; 0: empty lane */
    float *compliance;         /* m/N; 0 in empty lanes */
    float *origin[3];          /* m, of relative_x; NULL without it */
    float *root_rest[3];       /* point 0 under the identity */
    float *root_direction[3];  /* direction of the first segment under the identity; NULL: no rods */
    float *curl_rate;          /* 1/s^2, of rods with frames: see rod_step.h; NULL: no frames */
    /* Transforms between which roots move. Rotations have length 1; root_to is in the hemisphere of
     * root_from. */
    float *root_from[MOTE_ROOT_COLUMNS], *root_to[MOTE_ROOT_COLUMNS];
    uint64_t *root_from_tick, *root_to_tick; /* a mote_travel of each, in columns */
    /* Root rotations at the two boundaries between which points are presented. They are not of length 1, are
     * in one hemisphere and do not change with targets set later. root_before: NULL where the system does not
     * interpolate. */
    float *root_before[4], *root_last[4];
    /* Report of the last step, by lane. */
    float *strain, *strain_sum; /* largest, and summed over the strand's segments */
    uint32_t *iterations, *unsolved, *fallbacks, *buried;
    uint8_t *infeasible, *stiff_curls;
    uint8_t *frozen; /* kept until the strand is put at rest */

    mote_span_of_pins *spans; /* sorted by group only; MOTE_MAX_STRANDS_PINS reserved with the first pin */
    uint32_t span_count;
    mote_strand_job job; /* job of the current step */
    void *memory;        /* memory of all columns */
    size_t bytes;
};

MOTE_INLINE mote_strands *mote_strands_of(mote_range *range) { return (mote_strands *)(void *)range; }
MOTE_INLINE const mote_strands *mote_const_strands_of(const mote_range *range) {
    return (const mote_strands *)(const void *)range;
}

MOTE_INLINE mote_travel mote_strands_root_travel(const mote_strands *strands, uint32_t lane) {
    return (mote_travel){strands->root_from_tick[lane], strands->root_to_tick[lane]};
}

/* --- strands.c --- */

/* Checks the def, sorts strands into lanes and fills the columns; *strands receives them. Errors: those of
 * mote_system_add_strands, MEMORY and OVERFLOW included; *strands is NULL then and nothing stays
 * allocated. */
mote_result mote_strands_make(const mote_strands_def *def, const mote_range_setup *setup,
                              mote_strands **strands, mote_strands_fault *fault);
void mote_strands_destroy(mote_range *range, const mote_allocator *allocator);

/* Puts the strand in `lane` at rest in its rest shape under its root's target. The root and the strand's pins
 * are at their targets from now on. Clears its report. */
void mote_strands_rest(mote_strands *strands, uint32_t lane);

/* Returns the slot of a point; both exist. */
MOTE_INLINE uint32_t mote_strands_slot_of(const mote_strands *strands, uint32_t lane, uint32_t point) {
    return strands->group[lane / MOTE_GROUP].first + MOTE_GROUP * point + lane % MOTE_GROUP;
}

/* Returns the lane of a slot of a group. */
MOTE_INLINE uint32_t mote_strands_lane_of(const mote_strands *strands, uint32_t group, uint32_t slot) {
    return group * MOTE_GROUP + (slot - strands->group[group].first) % MOTE_GROUP;
}

/* Returns the inverse mass of a point where it is free. */
MOTE_INLINE float mote_strands_free_inverse_mass(const mote_strands *strands, uint32_t lane, uint32_t slot) {
    return strands->mass ? 1.0f / strands->mass[slot] : strands->point_inverse_mass[lane];
}

/* --- layout.c --- */

/* Places the columns in strands->memory, or only measures them where that is NULL; returns their bytes. Reads
 * the counts and the settings. */
uint64_t mote_strands_place_columns(mote_strands *strands, bool interpolates);

/* --- roots.c --- */

/* Sets the target of the root in `lane`: it moves from its place at tick `now` and arrives at `tick`. The
 * transform has been checked. */
void mote_strands_aim_root(mote_strands *strands, uint32_t lane, const mote_transform *target, uint64_t now,
                           uint64_t tick);

/* Returns the interpolated rotation of the root in `lane`, which is not of length 1. */
void mote_strands_root_rotation(const mote_strands *strands, uint32_t lane, float alpha, float rotation[4]);

/* Keeps the roots' rotations at the ticks `begin` and `end` of a step that is about to run and whose end is
 * presented. */
void mote_strands_keep_rotations(mote_strands *strands, uint64_t begin, uint64_t end);

/* Resolves pending targets at the start of an advance: they are reached at its end, end_tick. */
void mote_strands_resolve(mote_range *range, uint64_t end_tick);

/* Keeps the arrivals of roots and pins by `now` (base/travel.h). */
void mote_strands_keep_arrivals(mote_range *range, uint64_t now);

/* --- pins.c --- */

/* Pins the point, or moves the target of a pinned one: it moves from its place at tick `now`. Errors:
 * CAPACITY, MEMORY. */
mote_result mote_strands_add_pin(mote_strands *strands, uint32_t lane, uint32_t point, const float target[3],
                                 uint64_t now, uint64_t tick, const mote_allocator *allocator);
/* Removes a pin. Errors: RANGE (the point has none). */
mote_result mote_strands_remove_pin(mote_strands *strands, uint32_t lane, uint32_t point);
/* Finds the spans of all groups. */
void mote_strands_find_spans(mote_strands *strands);

/* --- places.c --- */

/* Finds the low part of the place of a slot: the rest of the rounding of x. 0 where the host wrote x. */
void mote_strands_low_part(const mote_strands *strands, uint32_t lane, uint32_t slot, float low[3]);

/* Computes the place of a slot in the world, m. */
void mote_strands_place(const mote_strands *strands, uint32_t lane, uint32_t slot, double x[3]);

/* Returns the lane group that holds a slot. */
uint32_t mote_strands_group_of(const mote_strands *strands, uint32_t slot);

/* --- state.c, hash.c, statistics.c, validate.c --- */

/* Returns 0 before the first step, else 1 plus MOTE_SHIFTED times the substeps of position Verlet. */
#define MOTE_SHIFTED 2u
MOTE_INLINE uint32_t mote_strands_started(const mote_strands *strands) {
    return strands->range.started ? 1 + MOTE_SHIFTED * strands->substeps : 0;
}

/* Visits all state. Errors of CHECK: FOREIGN (another def), FILE; of RESERVE: MEMORY. */
void mote_strands_archive(mote_range *range, mote_archive *a);

/* Returns the hash of all that the def determines. */
uint64_t mote_strands_signature(const mote_strands *strands);

/* Returns the hash of strands first .. first + count - 1, with their pins. */
uint32_t mote_strands_count_items(const mote_range *range, bool springs);
uint64_t mote_strands_hash_items(const mote_range *range, bool springs, uint32_t first, uint32_t count);
uint64_t mote_strands_hash_settings(const mote_range *range, uint64_t hash);
uint64_t mote_strands_hash_calls(mote_range *range, uint64_t hash);

uint64_t mote_strands_hash(const mote_range *range, uint64_t seed);
mote_sums mote_strands_sum(const mote_range *range, const mote_step *now);
mote_statistics mote_strands_statistics_of(const mote_strands *strands, const mote_step *now);
mote_strands_step_report mote_strands_report_all(const mote_strands *strands);
bool mote_strands_validate(const mote_range *range);

#endif
