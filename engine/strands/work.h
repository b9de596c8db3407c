/* State of a lane group of strands during a step: columns in scratch that the nearest cache holds, and the
 * positions of pinned points. */
#ifndef MOTE_STRANDS_WORK_H
#define MOTE_STRANDS_WORK_H

#include "contacts/motion.h"
#include "stage/place.h"
#include "stage/stage.h"
#include "strands/kernels.h"

/* Columns of the scratch. Columns of stages and of solvers share memory in unions: they are never needed at
 * once. All columns of a point of one register are contiguous: their offsets are constants, one pointer a
 * point reaches all of them (measured: with columns of whole strands hair has 0.93 of the speed). */
typedef struct strand_scratch_layout {
    float x[3], v[3];
    float start[3]; /* position at the start of the substep */
    float length;   /* rest length of the segment behind a point; longer between pins too far apart */
    float reaction[3];
    union {
        float carry[12]; /* integrator state between stages */
        struct {
            float old_v[3];  /* velocity at the start of the substep */
            float dv[3];     /* h a, where forces other than affine ones act */
            float from[3];   /* position at the start of a part of the substep */
            float from_v[3]; /* velocity at the start of a part of the substep */
        } constrained;
    };
    float acceleration[3]; /* sum of callbacks */
    float force[3];        /* sum of callbacks and links */
    /* Columns by segment. */
    float inverse_pivot;
    float coupling; /* off-diagonal element to the next segment, negated */
    float multiplier;
    float tension; /* sum of multipliers times |d|: tension times h^2, kg m */
    float radius;  /* length of a compliant segment before the iteration; rods: see step_rods_again */
    float strain;  /* elongation at the start of the substep, m; of rods part of frame_before */
    union {
        float plane[16];     /* strand_plane */
        float patch[8];      /* strand_patch of this point and those after it, until their planes are found */
        float turn_gain[18]; /* of rods with stiff curls (rod_turns.h) */
    };
    float friction[3], pressure; /* m/s^2, of contacts, kept from substep to substep (contact_solve.h) */
    struct {
        float share, lever, own[3]; /* rows of the bending of rods */
        float tension;              /* N/m, at the start of the substep or part */
        float p, q, force[3];       /* of the part beyond a pinned point (rod.h) */
    } rod;
    float goal[3];                    /* position of a pinned point at the end of the substep */
    float reacted[3];                 /* reaction before the impulses of the substep */
    float rod_frame[4], rod_twist[2]; /* frames of rods (rod_frames.h); rows of their twist */
    float frame_before[3]; /* of rods: v of the frame at the start of the substep, whose w is in `strain`; for
                              other strands unused: columns of neighbouring points differ in the low bits of
                              their addresses (without it 0.98 to 0.99 of the speed, measured) */
} strand_scratch_layout;
#define STRAND_COLUMN(member) MOTE_SCRATCH_COLUMN(strand_scratch_layout, member)
enum {
    WORK_X = STRAND_COLUMN(x),
    WORK_V = STRAND_COLUMN(v),
    WORK_START = STRAND_COLUMN(start),
    WORK_LENGTH = STRAND_COLUMN(length),
    WORK_REACTION = STRAND_COLUMN(reaction),
    WORK_CARRY = STRAND_COLUMN(carry),
    WORK_ACCELERATION = STRAND_COLUMN(acceleration),
    WORK_FORCE = STRAND_COLUMN(force),
    WORK_PIVOT = STRAND_COLUMN(inverse_pivot),
    WORK_COUPLING = STRAND_COLUMN(coupling),
    WORK_MULTIPLIER = STRAND_COLUMN(multiplier),
    WORK_TENSION = STRAND_COLUMN(tension),
    WORK_RADIUS = STRAND_COLUMN(radius),
    WORK_STRAIN = STRAND_COLUMN(strain),
    WORK_PLANE = STRAND_COLUMN(plane),
    WORK_PATCH = STRAND_COLUMN(patch),
    WORK_FRICTION = STRAND_COLUMN(friction),
    WORK_PRESSURE = STRAND_COLUMN(pressure),
    WORK_COLUMNS = MOTE_SCRATCH_COLUMNS(strand_scratch_layout)
};

/* Contact state of a point: without a plane, with a plane in some lane, in contact in some lane. */
enum strand_contact_state { STRAND_CLEAR, STRAND_NEAR, STRAND_IN_CONTACT };

/* Tangent plane of the nearest collider at a point of a register of strands, and the state of the contact.
 * Lanes without a plane have the normal 0 and the offset -1e30. The members after in_contact are set in lanes
 * in contact. */
typedef struct strand_plane {
    wide3 normal;
    wide offset;
    wide3 drift; /* displacement of the collider under the point */
    wide friction;
    wide_mask in_contact; /* the point is held on the plane */
    wide normal_impulse;  /* displacement along the normal by contact, m: normal impulse x h / mass */
    wide3 tangent;        /* displacement by friction, m: its impulse x h / mass */
    wide3 pending;        /* part of it that the velocity has gained and the position has not */
} strand_plane;
_Static_assert(sizeof(strand_plane) ==
                   sizeof(((strand_scratch_layout *)NULL)->plane) / sizeof(float) * sizeof(wide),
               "the scratch holds the plane");

/* Points of a register of strands that have a plane in some lane, ascending; for every point its contact
 * state. */
typedef struct strand_contacts {
    float way; /* m, added to the reach of the search for planes */
    uint32_t count;
    bool buried;                                 /* some pinned root is inside a collider */
    MOTE_ALIGNED(64) int32_t near[MOTE_GROUP];   /* lanes (-1) with a plane */
    MOTE_ALIGNED(64) int32_t inside[MOTE_GROUP]; /* lanes (-1) whose root is pinned inside a collider */
    /* Lanes (-1) of buried roots: a segment was off its length at the start of the substep; the planes put
     * points out from where they already were. */
    MOTE_ALIGNED(64) int32_t strained[MOTE_GROUP], expelled[MOTE_GROUP];
    MOTE_ALIGNED(64)
    int32_t entered[MOTE_GROUP]; /* lanes (-1) of other roots: a point began the step in a collider */
    MOTE_ALIGNED(64)
    int32_t far[MOTE_GROUP]; /* lanes (-1) that took more than STRAND_NEAR_SOLVES iterations */
    uint16_t point[MOTE_MAX_STRAND_POINTS];
    uint8_t state[MOTE_MAX_STRAND_POINTS + 1]; /* strand_contact_state of each point */
    bool moved[MOTE_MAX_STRAND_POINTS];        /* of points near colliders: strand_plane.pending is set */
    /* Bit of each lane: the point has kept friction, and had some before the step. Registers without such
     * lanes have no values in WORK_FRICTION and WORK_PRESSURE. */
    uint16_t rubs[MOTE_MAX_STRAND_POINTS], rubbed[MOTE_MAX_STRAND_POINTS];
} strand_contacts;

/* Pointers to the columns of a group. Hot loops use a local copy, which no store can alias (measured: 1.1 to
 * 1.3 times as fast). Offsets: 16 k + lane for point k in columns by slot, lane in columns by lane. */
typedef struct strand_columns {
    float *memory;             /* scratch */
    const float *inverse_mass; /* the strands' own columns, up to counts */
    const float *rest_length;
    const int32_t *counts;     /* points of each strand */
    uint32_t points, shortest; /* points of the longest and the shortest strand; 0 in an empty lane */
    bool pins;                 /* points other than roots are pinned */
    bool regular;              /* every lane has all points, all are free but the root, and no length is 0 */
    strand_contacts *contacts; /* contacts of the current register */
} strand_columns;

typedef struct strand_work strand_work;
struct strand_work {
    strand_columns c;
    const mote_strand_job *job;
    void (*stage)(strand_work *w, const mote_phase_at *at);
    const mote_strand_group *group;
    const mote_pin *pins;
    uint32_t pin_count, index, points;
    bool all;       /* forces other than affine ones act */
    bool callbacks; /* callbacks or links add forces */
    bool linked;
    bool late_kicks;                              /* the kicks of all forces are found with the prediction */
    bool moves;                                   /* some pinned point is moving */
    bool drag_stops;                              /* some segment has more drag than stops it in a substep */
    size_t slot, lane;                            /* first slot and first lane of the group */
    MOTE_ALIGNED(64) float length[MOTE_GROUP];    /* m, sum of the rest lengths of each strand */
    MOTE_ALIGNED(64) float longest[MOTE_GROUP];   /* m, the longest one of them */
    MOTE_ALIGNED(64) float origin[3][MOTE_GROUP]; /* m, world: positions in scratch are relative to it */
    MOTE_ALIGNED(64)
    float root[12][MOTE_GROUP]; /* rotation (rows) and position of each root at the stage's time */
    MOTE_ALIGNED(64) float root_rotation[4][MOTE_GROUP]; /* the same as a quaternion, not of length 1 */
    MOTE_ALIGNED(64) float arrived[4][MOTE_GROUP];       /* the same at the end of the last substep */
    MOTE_ALIGNED(64) float lead[3][MOTE_GROUP];          /* rad, turns of the roots (rod_lead.h) */
    bool leads;                                          /* some of them are not 0 */
    MOTE_ALIGNED(64) int32_t live[MOTE_GROUP];           /* -1: the strand is not frozen */
    MOTE_ALIGNED(64)
    int32_t overstretched[MOTE_GROUP];            /* -1: pins draw out lengthened segments in the substep */
    MOTE_ALIGNED(64) float stiffness[MOTE_GROUP]; /* N/m, of springs */
    MOTE_ALIGNED(64)
    float unit_response[2][4][MOTE_GROUP];      /* uncoupled springs: mote_strand_unit_responses */
    MOTE_ALIGNED(64) float deficit[MOTE_GROUP]; /* J, twice the energy that conserving strands have lost */
    MOTE_ALIGNED(64) float kicks[MOTE_GROUP];   /* m^2/s^2, sum of (h a)^2 over the impulses since then */
    MOTE_ALIGNED(64) float noise[MOTE_GROUP];   /* J, of rods (rod_energy.h) */
    MOTE_ALIGNED(64)
    float kinetic[MOTE_GROUP]; /* J, twice the kinetic energy at the last restore_energy; 0: none yet */
    strand_contacts contacts;
};

/* Returns whether contacts keep their friction from substep to substep. */
MOTE_INLINE bool rubs(const strand_work *w) { return w->job->collider_count && w->job->strands->pressure; }

/* Resolution of lengths in float32: 4 roundings of 2^-24 in each coordinate, which is at most the strand's
 * length. Lengths are solved to max_strain or to this. */
#define STRAND_ROUNDING 0x1p-22f

/* Length below which a vector has no direction. */
#define STRAND_SHORTEST 1e-18f

/* Returns the scratch of a linked group: it follows the strand_work in memory. */
MOTE_INLINE float *work_scratch(void *memory) { return (float *)(void *)((strand_work *)memory + 1); }

/* Returns the offset behind the last point of scratch for strands of up to `points` points. */
MOTE_INLINE size_t work_end(uint32_t points) { return (size_t)(points + 1) * MOTE_GROUP; }

/* State of a point in one register. */
typedef struct strand_point {
    wide3 x, v;
} strand_point;

/* Returns a column of the register at offset `at`. */
MOTE_INLINE float *work_at(const strand_columns *c, int id, size_t at) {
    return c->memory + at * WORK_COLUMNS + (size_t)id * MOTE_WIDTH;
}

/* Returns a column of one lane. */
MOTE_INLINE float *work_lane(const strand_columns *c, int id, size_t at) {
    return work_at(c, id, at - at % MOTE_WIDTH) + at % MOTE_WIDTH;
}

MOTE_INLINE wide3 work_load3(const strand_columns *c, int id, size_t at) {
    const float *from = work_at(c, id, at);
    return (wide3){wide_load(from), wide_load(from + MOTE_WIDTH), wide_load(from + 2 * MOTE_WIDTH)};
}

MOTE_INLINE void work_store3(const strand_columns *c, int id, size_t at, wide3 value) {
    float *to = work_at(c, id, at);
    wide_store(to, value.x);
    wide_store(to + MOTE_WIDTH, value.y);
    wide_store(to + 2 * MOTE_WIDTH, value.z);
}

MOTE_INLINE wide work_load(const strand_columns *c, int id, size_t at) {
    return wide_load(work_at(c, id, at));
}
MOTE_INLINE void work_store(const strand_columns *c, int id, size_t at, wide value) {
    wide_store(work_at(c, id, at), value);
}

MOTE_INLINE strand_point work_point(const strand_columns *c, size_t at) {
    return (strand_point){work_load3(c, WORK_X, at), work_load3(c, WORK_V, at)};
}

#define WORK_ALL_LANES ((1u << MOTE_WIDTH) - 1)

/* Sets the lanes of a register in which the point at offset `at` has kept friction. */
MOTE_INLINE void set_rubs(strand_contacts *contacts, size_t at, wide_mask lanes) {
    uint16_t *const rubs = &contacts->rubs[at / MOTE_GROUP];
    const size_t lane = at % MOTE_GROUP;
    *rubs = (uint16_t)((*rubs & ~(WORK_ALL_LANES << lane)) | wide_lane_bits(lanes) << lane);
}
MOTE_INLINE bool rubs_at(const strand_contacts *contacts, size_t at) {
    return contacts->rubs[at / MOTE_GROUP] >> at % MOTE_GROUP & WORK_ALL_LANES;
}

/* Returns the plane of a point. */
MOTE_INLINE strand_plane *plane_at(const strand_columns *c, size_t at) {
    return (strand_plane *)(void *)work_at(c, WORK_PLANE, at);
}

MOTE_INLINE size_t strand_at(uint32_t k, size_t lane) { return (size_t)k * MOTE_GROUP + lane; }
MOTE_INLINE wide point_mass(const strand_columns *c, size_t at) { return wide_load(c->inverse_mass + at); }

/* Returns the lanes whose strand has more than `point` points. */
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

/* --- Pinned points --- */

/* Computes the share of its travel that each root has covered at `within` ticks of the step, by lane. */
MOTE_INLINE void root_fractions(const strand_work *w, double within, float fraction[MOTE_GROUP]) {
    const mote_strands *strands = w->job->strands;
    const uint64_t *from = strands->root_from_tick + w->lane, *to = strands->root_to_tick + w->lane;
    uint64_t differ = 0;
    for (uint32_t i = 0; i < MOTE_GROUP; i++) differ |= (from[i] ^ from[0]) | (to[i] ^ to[0]);
    const float first = mote_travel_fraction(from[0], to[0], w->job->step_tick, within);
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) wide_store(fraction + lane, wide_set(first));
    for (uint32_t i = 1; i < MOTE_GROUP && differ; i++)
        fraction[i] = mote_travel_fraction(from[i], to[i], w->job->step_tick, within);
}

MOTE_INLINE wide3 origin_of(const strand_work *w, size_t lane) {
    return (wide3){wide_load(w->origin[0] + lane), wide_load(w->origin[1] + lane),
                   wide_load(w->origin[2] + lane)};
}

/* Computes the rotation matrices of the roots, and their positions relative to the origin, at `within` ticks
 * of the step. Positions are interpolated relative to the origin, so that no world position is rounded. */
MOTE_OUTLINE void place_roots(strand_work *w, double within) {
    const mote_strands *strands = w->job->strands;
    MOTE_ALIGNED(64) float fraction[MOTE_GROUP];
    root_fractions(w, within, fraction);
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        const size_t at = w->lane + lane;
        /* Linear interpolation of position and quaternion. */
        wide f = wide_load(fraction + lane), part[MOTE_ROOT_COLUMNS];
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) {
            const wide from = wide_load(strands->root_from[i] + at), to = wide_load(strands->root_to[i] + at),
                       origin = i < 3 ? wide_load(w->origin[i] + lane) : (wide){0};
            part[i] =
                wide_select(wide_less(f, wide_set(1.0f)), (from - origin) + f * (to - from), to - origin);
        }
        wide x = part[3], y = part[4], z = part[5], r = part[6];
        /* Rotation matrix of the quaternion, which need not have length 1. */
        wide scale = wide_set(2.0f) / (x * x + y * y + z * z + r * r);
        wide one = wide_set(1.0f);
        wide row[12] = {one - scale * (y * y + z * z), scale * (x * y - z * r),
                        scale * (x * z + y * r),       part[0],
                        scale * (x * y + z * r),       one - scale * (x * x + z * z),
                        scale * (y * z - x * r),       part[1],
                        scale * (x * z - y * r),       scale * (y * z + x * r),
                        one - scale * (x * x + y * y), part[2]};
        for (int i = 0; i < 12; i++) wide_store(w->root[i] + lane, row[i]);
        for (int i = 0; i < 4; i++) wide_store(w->root_rotation[i] + lane, part[3 + i]);
    }
}

/* Returns R b + t for the lanes from `lane` on. */
MOTE_INLINE wide3 under_root(const strand_work *w, size_t lane, wide3 b) {
    wide out[3];
    for (int axis = 0; axis < 3; axis++) {
        const float(*row)[MOTE_GROUP] = w->root + 4 * axis;
        out[axis] = wide_load(row[0] + lane) * b.x + wide_load(row[1] + lane) * b.y +
                    wide_load(row[2] + lane) * b.z + wide_load(row[3] + lane);
    }
    return (wide3){out[0], out[1], out[2]};
}

/* Returns R b. */
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

/* Stores the positions of pins at `within` ticks of the step in the columns from `id` on. */
MOTE_OUTLINE void place_pins(const strand_work *w, int id, double within) {
    for (uint32_t i = 0; i < w->pin_count; i++) {
        const size_t offset = pin_offset(w, &w->pins[i]), lane = offset % MOTE_GROUP;
        const float origin[3] = {w->origin[0][lane], w->origin[1][lane], w->origin[2][lane]};
        float at[3];
        mote_pin_from_origin(&w->pins[i], w->job->step_tick, within, origin, at);
        for (int axis = 0; axis < 3; axis++) *work_lane(&w->c, id + axis, offset) = at[axis];
    }
}

/* Returns whether some root or pin has not arrived when the step begins. */
MOTE_INLINE bool any_moves(const strand_work *w) {
    const mote_strands *strands = w->job->strands;
    for (uint32_t i = 0; i < MOTE_GROUP; i++)
        if (!mote_travel_has_arrived(strands->root_from_tick[w->lane + i], strands->root_to_tick[w->lane + i],
                                     w->job->step_tick))
            return true;
    for (uint32_t i = 0; i < w->pin_count; i++)
        if (!mote_travel_has_arrived(w->pins[i].travel.from_tick, w->pins[i].travel.to_tick,
                                     w->job->step_tick))
            return true;
    return false;
}

/* Copies the positions of roots and pins from WORK_X to the columns from `id` on. */
MOTE_OUTLINE void copy_pinned(const strand_work *w, int id) {
    const strand_columns *c = &w->c;
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
        work_store3(c, id, lane, work_load3(c, WORK_X, lane));
    for (uint32_t i = 0; i < w->pin_count; i++) {
        size_t at = pin_offset(w, &w->pins[i]);
        for (int axis = 0; axis < 3; axis++) *work_lane(c, id + axis, at) = *work_lane(c, WORK_X + axis, at);
    }
}

/* Stores the positions of roots and pins at `within` ticks of the step in the columns from `id` on. If none
 * moves, they are computed once: in WORK_X, at the start of the step. */
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
    if (w->pin_count) place_pins(w, id, within);
}

/* Returns the ticks of the step at substep + fraction. */
MOTE_INLINE double ticks_within(const strand_work *w, uint32_t substep, double fraction) {
    return (double)w->job->ticks_per_step * (((double)substep + fraction) / (double)w->job->plan->substeps);
}

/* Sets the velocity of roots and pins to (to - from) / h; from, to: columns of positions. */
MOTE_OUTLINE void pinned_velocity(const strand_work *w, int from, int to) {
    const mote_strands *strands = w->job->strands;
    const strand_columns *c = &w->c;
    const float rate = (float)(1.0 / w->job->plan->h);
    if (!strands->def.free_roots)
        for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH)
            work_store3(
                c, WORK_V, lane,
                wide3_scale(wide_set(rate), wide3_sub(work_load3(c, to, lane), work_load3(c, from, lane))));
    for (uint32_t i = 0; i < w->pin_count; i++) {
        size_t at = pin_offset(w, &w->pins[i]);
        for (int axis = 0; axis < 3; axis++)
            *work_lane(c, WORK_V + axis, at) =
                rate * (*work_lane(c, to + axis, at) - *work_lane(c, from + axis, at));
    }
}

/* Sets the velocity of roots and pins for the coming substep; WORK_START receives their positions at its
 * end. */
MOTE_INLINE void move_pinned(strand_work *w, uint32_t substep) {
    place(w, WORK_START, ticks_within(w, substep, 1));
    pinned_velocity(w, WORK_X, WORK_START);
}

#endif
