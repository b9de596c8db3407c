/* The plain reference of strands: one strand at a time in scalar floats, points in rows of three. It follows
 * the order of operations that the kernels' comments and equations promise, and knows neither lanes nor
 * groups nor neighbours. */
#ifndef MOTE_TESTS_REFERENCE_STRANDS_H
#define MOTE_TESTS_REFERENCE_STRANDS_H

#include "reference.h"

#include "strands/strands.h"
#include "contacts/colliders.h"

enum { REFERENCE_POINTS = 64, REFERENCE_PINS = 8 };

/* Where a thing travels: a root's position and quaternion, or a pin's position alone. */
typedef struct reference_motion {
    uint32_t point; /* of a pin */
    float from[7], to[7], from_low[3];
    uint64_t from_tick, to_tick;
} reference_motion;

/* Where the nearest collider is for a point in a substep, and the contact with it. */
typedef struct reference_contact {
    float normal[3], offset, drift[3], friction; /* the plane, or 0 and -1e30 */
    float active[3], normal_impulse;
    float tangent[3], pending[3]; /* m, by friction; of that what x has not got yet */
} reference_contact;

typedef struct reference_strand {
    uint32_t points;
    bool free_root;
    float mass[REFERENCE_POINTS]; /* inverse, 1/kg; 0: pinned */
    float rest_length[REFERENCE_POINTS];
    /* In a step x is relative to the origin: the root's place when the step began, or for springs that of the
     * world. Between steps x is the place in the world, and beside it stands what it was rounded from. */
    reference_row x[REFERENCE_POINTS], relative[REFERENCE_POINTS], v[REFERENCE_POINTS],
        rest[REFERENCE_POINTS], reaction[REFERENCE_POINTS];
    float origin[3];
    float free_mass, compliance; /* 1/kg of its free points, m/N */
    reference_motion root, pin[REFERENCE_PINS];
    uint32_t pin_count;
    /* The report. */
    float max_strain, strain_sum; /* largest, and summed over the segments */
    uint32_t iterations, unsolved, fallbacks, buried;
    bool infeasible, frozen;
    /* Within a substep. */
    reference_row start[REFERENCE_POINTS], start_v[REFERENCE_POINTS]; /* the state when it began */
    reference_row dv[REFERENCE_POINTS];                               /* h a, by all forces */
    reference_row goal[REFERENCE_POINTS];                             /* of pinned points, at its end */
    bool expelled;                  /* put out of the collider in which its root is */
    bool entered;                   /* another began the substep in a collider with some point */
    bool far;                       /* the solve with contacts took more than two iterations */
    bool overstretched;             /* its pins move and lengthen segments */
    float length[REFERENCE_POINTS]; /* rest lengths, longer between pins too far apart */
    float frame[12];                /* the root's rotation (rows), the position behind each */
    float whole;                    /* m, the sum of the rest lengths */
    float pin_rounding;             /* m/s, of pins that move together */
    float deficit, kinetic;         /* conserving: twice the energy lost, and twice the kinetic, J */
    float kicks;                    /* sum of |h a|^2 since then, m^2/s^2 */
    reference_contact contact[REFERENCE_POINTS];
    /* Friction and pressure over mass, m/s^2, of the contacts of the last substep. */
    reference_row friction[REFERENCE_POINTS];
    float pressure[REFERENCE_POINTS];
    bool rubs; /* a solve has just set them */
    /* Rods. */
    bool rod, framed;
    float point_mass[REFERENCE_POINTS], joint[REFERENCE_POINTS], inverse_length[REFERENCE_POINTS],
        joint_across[REFERENCE_POINTS], joint_twist[REFERENCE_POINTS],
        pull[REFERENCE_POINTS]; /* pull: N/m, tension over length */
    float rod_frame[REFERENCE_POINTS][4];
    reference_row rest_turn[REFERENCE_POINTS];
    float root_direction[3], rest_frame[4], root_rotation[4], arrived[4], curl_rate;
    float lead[3], lead_rate; /* rad, turn of the root in the substep; 1 / h */
    float tension[REFERENCE_POINTS], strain[REFERENCE_POINTS];
} reference_strand;

/* Shared by all strands of one id in one step. */
typedef struct reference_world {
    const mote_strands_def *def;
    bool compliant; /* some strand of the id has a compliance */
    mote_integrator integrator;
    const mote_force_def *forces;
    uint32_t force_count;
    double start_time, timestep;
    uint32_t substeps;
    uint64_t step, ticks_per_step;
    const mote_collider_pose *poses; /* collider_count at each of substeps + 1 boundaries */
    uint32_t collider_count;
} reference_world;

/* Reads a strand's state. */
void reference_strand_load(reference_strand *strand, const mote_strands *strands, uint32_t number);

/* One step; first: of their life, where position Verlet is kicked back by half a substep. */
void reference_strand_step(reference_strand *strand, const reference_world *world, bool first);

#endif
