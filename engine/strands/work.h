/* The state of a group of strands while it is stepped: columns in scratch that the nearest cache holds, and
 * the places of what is pinned. */
#ifndef MOTE_STRANDS_WORK_H
#define MOTE_STRANDS_WORK_H

#include "contacts/motion.h"
#include "stage/stage.h"
#include "strands/kernels.h"

/* Columns of the scratch. What the stages carry and what the solvers keep is never needed at once. The order
 * matters: with 32 points, columns 33 apart lie 17 pages and one row apart, and a store to one holds up the
 * next load from the other (measured with X and PIVOT: 0.6 of the speed). */
enum {
    WORK_X,                  /* 3: position */
    WORK_V = WORK_X + 3,     /* 3: velocity */
    WORK_START = WORK_V + 3, /* 3: position at the start of the substep */
    WORK_LENGTH =
        WORK_START + 3, /* rest length of the segment behind a point; longer between pins too far apart */
    WORK_REACTION,      /* 3 */
    WORK_CARRY = WORK_REACTION + 3,      /* 12; this and what follows is the stage's or the solver's own */
    WORK_ACCELERATION = WORK_CARRY + 12, /* 3: of callbacks */
    WORK_FORCE = WORK_ACCELERATION + 3,  /* 3: of callbacks and links */
    WORK_PIVOT = WORK_FORCE + 3,         /* 1 / pivot */
    WORK_COUPLING,                       /* to the segment before */
    WORK_MULTIPLIER,
    WORK_TENSION,                  /* sum of multipliers: kg m / h^2 = N h^2 */
    WORK_RADIUS,                   /* length of a compliant segment before the iteration */
    WORK_STRAIN,                   /* of damped segments at the start of the substep, m */
    WORK_PLANES,                   /* 11: strand_plane of one register after the other */
    WORK_OTHER = WORK_PLANES + 11, /* the solvers' other columns */
    WORK_POSE = WORK_OTHER + 20,   /* 3: where local pose springs want segments; then their forces */
    WORK_COLUMNS = WORK_POSE + 3
};

/* Whether a point has a contact plane, and lies on it, in some lane. */
enum strand_contact_state { STRAND_CLEAR, STRAND_NEAR, STRAND_IN_CONTACT };

/* The plane of the nearest collider at a point of a register of strands, and how the point lies on it. In
 * lanes without one the normal is 0 and the offset -1e30. */
typedef struct strand_plane {
    wide3 normal;
    wide offset;
    wide3 drift; /* how far the collider moves under the point */
    wide friction;
    wide_mask in_contact;  /* the point is held on it */
    wide normal_impulse;   /* how far contact has moved the point along the normal ... */
    wide friction_applied; /* ... and for how much of that friction has acted */
} strand_plane;
_Static_assert(sizeof(strand_plane) == (WORK_OTHER - WORK_PLANES) * sizeof(wide),
               "the scratch has room for the planes");

/* The points of a register of strands that have a plane in some lane, ascending, and of every point whether
 * it has, and which. */
typedef struct strand_contacts {
    uint32_t count;
    uint16_t point[MOTE_MAX_STRAND_POINTS], place[MOTE_MAX_STRAND_POINTS];
    uint8_t touching[MOTE_MAX_STRAND_POINTS + 1]; /* strand_contact_state */
} strand_contacts;

/* Where everything of a group lies. Hot loops go through a copy of their own, which no store can be suspected
 * of changing (measured: 1.1 to 1.3 times as fast). Offsets: 16 k + lane for point k in the columns, lane for
 * what is one a strand. */
typedef struct strand_columns {
    float *memory;             /* of the scratch */
    size_t stride;             /* floats from column to column */
    const float *inverse_mass; /* these four in the bundle */
    const float *rest_length;
    const float *bend_length;  /* NULL: no bends */
    const int32_t *counts;     /* points of each strand */
    uint32_t points, shortest; /* of the longest and of the shortest strand; an empty lane has none */
    bool pins;                 /* points other than roots are pinned */
    strand_contacts *contacts; /* of the register at hand */
} strand_columns;

typedef struct strand_work {
    strand_columns c;
    const mote_strand_job *job;
    const mote_strand_group *group;
    uint32_t index, points;
    bool moves;        /* something pinned is on its way */
    size_t slot, lane; /* of point 0 in lane 0 of the group; of lane 0 */
    MOTE_ALIGNED(64)
    float root[12][MOTE_GROUP]; /* the roots' rotation (rows) and position at the stage's time */
    MOTE_ALIGNED(64) int32_t live[MOTE_GROUP];    /* -1: a strand that is not frozen */
    MOTE_ALIGNED(64) float stiffness[MOTE_GROUP]; /* N/m, where springs hold the strand */
    MOTE_ALIGNED(64)
    float unit_response[2][2][4][MOTE_GROUP]; /* of kinematic springs: mote_strand_unit_responses */
    strand_contacts contacts;
} strand_work;

/* Lengths are held to max_stretch or to what float32 can tell: 4 roundings of 2^-24 in each coordinate. */
#define STRAND_ROUNDING 0x1p-22f

/* Shorter vectors have no direction. */
#define STRAND_SHORTEST 1e-18f

/* A group that is stepped part by part keeps its columns behind the rest of its work. */
MOTE_INLINE float *work_scratch(void *memory) { return (float *)(void *)((strand_work *)memory + 1); }
MOTE_INLINE size_t work_stride(const mote_strands *strands) {
    return (size_t)(strands->max_points + 1) * MOTE_GROUP;
}

/* One register of a point. */
typedef struct strand_point {
    wide3 x, v;
} strand_point;

MOTE_INLINE float *work_column(const strand_columns *c, int id) { return c->memory + (size_t)id * c->stride; }

MOTE_INLINE wide3 work_load3(const strand_columns *c, int id, size_t at) {
    const float *from = work_column(c, id) + at;
    return (wide3){wide_load(from), wide_load(from + c->stride), wide_load(from + 2 * c->stride)};
}

MOTE_INLINE void work_store3(const strand_columns *c, int id, size_t at, wide3 value) {
    float *to = work_column(c, id) + at;
    wide_store(to, value.x);
    wide_store(to + c->stride, value.y);
    wide_store(to + 2 * c->stride, value.z);
}

MOTE_INLINE wide work_load(const strand_columns *c, int id, size_t at) {
    return wide_load(work_column(c, id) + at);
}
MOTE_INLINE void work_store(const strand_columns *c, int id, size_t at, wide value) {
    wide_store(work_column(c, id) + at, value);
}

MOTE_INLINE strand_point work_point(const strand_columns *c, size_t at) {
    return (strand_point){work_load3(c, WORK_X, at), work_load3(c, WORK_V, at)};
}

/* Side by side, so that they lie in the nearest cache: those of columns would have lanes of other registers
 * between them. */
MOTE_INLINE strand_plane *strand_planes(const strand_columns *c) {
    return (strand_plane *)(void *)work_column(c, WORK_PLANES);
}

MOTE_INLINE size_t strand_at(uint32_t k, size_t lane) { return (size_t)k * MOTE_GROUP + lane; }
MOTE_INLINE wide point_mass(const strand_columns *c, size_t at) { return wide_load(c->inverse_mass + at); }

/* Lanes whose strand has more than `point` points. */
MOTE_INLINE wide_mask lanes_beyond(wide_mask counts, uint32_t point) {
#if MOTE_WIDTH == 1
    return -(counts > (int32_t)point);
#else
    return counts > (int32_t)point;
#endif
}

/* Adds 1 to the counters of the lanes. */
MOTE_INLINE void count_lanes(uint32_t *counter, wide_mask lanes) {
    wide_mask sum = wide_mask_load((const int32_t *)(const void *)counter) - lanes;
    wide_mask_store((int32_t *)(void *)counter, sum);
}

/* --- What is pinned --- */

/* How far the roots have come at substep + fraction of the step, by lane. Neighbours mostly share their
 * ticks. */
MOTE_INLINE void root_fractions(const strand_work *w, double within, float fraction[MOTE_GROUP]) {
    const mote_strands *strands = w->job->strands;
    const uint64_t *from = strands->root_from_tick + w->lane, *to = strands->root_to_tick + w->lane;
    for (uint32_t i = 0; i < MOTE_GROUP; i++) {
        bool same = i > 0 && from[i] == from[i - 1] && to[i] == to[i - 1];
        fraction[i] =
            same ? fraction[i - 1] : mote_motion_fraction(from[i], to[i], w->job->step_tick, within);
    }
}

/* Rotation matrices and positions of the roots at `within` ticks of the step. */
MOTE_OUTLINE void place_roots(strand_work *w, double within) {
    const mote_strands *strands = w->job->strands;
    MOTE_ALIGNED(64) float fraction[MOTE_GROUP];
    root_fractions(w, within, fraction);
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const size_t at = w->lane + lane;
        wide f = wide_load(fraction + lane), part[MOTE_ROOT_COLUMNS];
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) {
            wide from = wide_load(strands->root_from[i] + at), to = wide_load(strands->root_to[i] + at);
            part[i] = wide_select(wide_less(f, wide_set(1.0f)), from + f * (to - from), to);
        }
        wide x = part[3], y = part[4], z = part[5], r = part[6];
        wide scale = wide_set(2.0f) / (x * x + y * y + z * z + r * r);
        wide one = wide_set(1.0f);
        wide row[12] = {one - scale * (y * y + z * z), scale * (x * y - z * r),
                        scale * (x * z + y * r),       part[0],
                        scale * (x * y + z * r),       one - scale * (x * x + z * z),
                        scale * (y * z - x * r),       part[1],
                        scale * (x * z - y * r),       scale * (y * z + x * r),
                        one - scale * (x * x + y * y), part[2]};
        for (int i = 0; i < 12; i++) wide_store(w->root[i] + lane, row[i]);
    }
}

/* R b + t for the lanes from `lane` on. */
MOTE_INLINE wide3 under_root(const strand_work *w, size_t lane, wide3 b) {
    wide out[3];
    for (int axis = 0; axis < 3; axis++) {
        const float(*row)[MOTE_GROUP] = w->root + 4 * axis;
        out[axis] = wide_load(row[0] + lane) * b.x + wide_load(row[1] + lane) * b.y +
                    wide_load(row[2] + lane) * b.z + wide_load(row[3] + lane);
    }
    return (wide3){out[0], out[1], out[2]};
}

/* R b */
MOTE_INLINE wide3 turned_by_root(const strand_work *w, size_t lane, wide3 b) {
    wide out[3];
    for (int axis = 0; axis < 3; axis++) {
        const float(*row)[MOTE_GROUP] = w->root + 4 * axis;
        out[axis] =
            wide_load(row[0] + lane) * b.x + wide_load(row[1] + lane) * b.y + wide_load(row[2] + lane) * b.z;
    }
    return (wide3){out[0], out[1], out[2]};
}

MOTE_INLINE size_t pin_offset(const strand_work *w, const mote_pin *pin) { return pin->slot - w->slot; }

/* The pins' places at `within` ticks of the step go to the columns from `id` on. */
MOTE_OUTLINE void place_pins(const strand_work *w, int id, double within) {
    const mote_strands *strands = w->job->strands;
    for (uint32_t i = 0; i < w->group->pin_count; i++) {
        const mote_pin *pin = &strands->pins[w->group->first_pin + i];
        float f = mote_motion_fraction(pin->from_tick, pin->to_tick, w->job->step_tick, within);
        for (int axis = 0; axis < 3; axis++)
            work_column(&w->c, id + axis)[pin_offset(w, pin)] =
                f < 1 ? pin->from[axis] + f * (pin->to[axis] - pin->from[axis]) : pin->to[axis];
    }
}

/* Whether anything pinned has not arrived when the step begins. */
MOTE_INLINE bool any_moves(const strand_work *w) {
    const mote_strands *strands = w->job->strands;
    for (uint32_t i = 0; i < MOTE_GROUP; i++)
        if (strands->root_to_tick[w->lane + i] > w->job->step_tick) return true;
    for (uint32_t i = 0; i < w->group->pin_count; i++)
        if (strands->pins[w->group->first_pin + i].to_tick > w->job->step_tick) return true;
    return false;
}

/* Copies the places of what is pinned from WORK_X. */
MOTE_OUTLINE void copy_pinned(const strand_work *w, int id) {
    const strand_columns *c = &w->c;
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
        work_store3(c, id, lane, work_load3(c, WORK_X, lane));
    for (uint32_t i = 0; i < w->group->pin_count; i++) {
        size_t at = pin_offset(w, &w->job->strands->pins[w->group->first_pin + i]);
        for (int axis = 0; axis < 3; axis++)
            work_column(c, id + axis)[at] = work_column(c, WORK_X + axis)[at];
    }
}

/* Everything pinned at `within` ticks of the step: roots and pins, into the columns from `id` on. What stands
 * still is placed once, into WORK_X, at the step's start. */
MOTE_OUTLINE void place(strand_work *w, int id, double within) {
    const mote_strands *strands = w->job->strands;
    if (!w->moves && within > 0) {
        if (id != WORK_X) copy_pinned(w, id);
        return;
    }
    place_roots(w, within);
    if (!strands->def.free_roots)
        for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
            wide3 rest = wide3_load((float *const *)strands->root_rest, w->lane + lane);
            work_store3(&w->c, id, lane, under_root(w, lane, rest));
        }
    if (w->group->pin_count) place_pins(w, id, within);
}

/* Ticks of the step at substep + fraction. */
MOTE_INLINE double ticks_within(const strand_work *w, uint32_t substep, double fraction) {
    return (double)w->job->ticks_per_step * (((double)substep + fraction) / (double)w->job->plan->substeps);
}

/* What is pinned travels at (to - from) / h, columns of positions. */
MOTE_OUTLINE void pinned_velocity(const strand_work *w, int from, int to) {
    const mote_strands *strands = w->job->strands;
    const strand_columns *c = &w->c;
    const float rate = (float)(1.0 / w->job->plan->h);
    if (!strands->def.free_roots)
        for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
            work_store3(
                c, WORK_V, lane,
                wide3_scale(wide_set(rate), wide3_sub(work_load3(c, to, lane), work_load3(c, from, lane))));
    for (uint32_t i = 0; i < w->group->pin_count; i++) {
        size_t at = pin_offset(w, &strands->pins[w->group->first_pin + i]);
        for (int axis = 0; axis < 3; axis++)
            work_column(c, WORK_V + axis)[at] =
                rate * (work_column(c, to + axis)[at] - work_column(c, from + axis)[at]);
    }
}

/* The same for the substep to come, of which WORK_START receives the end. */
MOTE_INLINE void move_pinned(strand_work *w, uint32_t substep) {
    place(w, WORK_START, ticks_within(w, substep, 1));
    pinned_velocity(w, WORK_X, WORK_START);
}

#endif
