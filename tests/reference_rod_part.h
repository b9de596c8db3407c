/* A part of a substep of the plain reference of rods, and its energies. */
#ifndef MOTE_TESTS_REFERENCE_ROD_PART_H
#define MOTE_TESTS_REFERENCE_ROD_PART_H

#include "reference_strand_parts.h"

/* A part of the substep: its h, its start, and the rows of the elimination by segment. */
typedef struct rod_part {
    float h, rate, share;
    bool whole;
    reference_row x[REFERENCE_POINTS], v[REFERENCE_POINTS], reaction[REFERENCE_POINTS], way[REFERENCE_POINTS],
        kick[REFERENCE_POINTS], forced[REFERENCE_POINTS]; /* h a, and with v */
    float tension[REFERENCE_POINTS];
    float stiffness[REFERENCE_POINTS]; /* of joints, in the matrix */
    reference_row own[REFERENCE_POINTS], force[REFERENCE_POINTS], gradient[REFERENCE_POINTS],
        back[REFERENCE_POINTS], along[REFERENCE_POINTS];
    float rows[REFERENCE_POINTS][2], beyond[REFERENCE_POINTS][2], twist[REFERENCE_POINTS][2];
    float bending; /* twice the energy of the joints times h^2 */
} rod_part;

/* Twice the energies of the prediction and of the present: of points relative to a pinned root, of joints. */
typedef struct rod_energies {
    float kinetic[2], bending[2];
} rod_energies;

/* Takes what the matrices find for the turn of the root in the part from the gradient and the torque of joint
 * k. axis: of the frame; before: t[k-1]; led: what joint k + 1 left, its gradient and its torque. */
void reference_lead_joint(const reference_strand *s, rod_part *p, uint32_t k, float axis[3][3],
                          const float before[3], float sine, float cosine, float *torque, float led[4]);
void reference_predict_rod(const reference_strand *s, const rod_part *p, bool curls, rod_energies *e);
void reference_find_energies(const reference_strand *s, const rod_part *p, rod_energies *e);
void reference_limit_rod(reference_strand *s, const rod_part *p, rod_energies *e);
/* The joints of segments that are 1.1 times as long as at rest give no energy. */
void reference_leave_torn(const reference_strand *s, const rod_part *p, rod_energies *e);
bool reference_rod_gains(const reference_strand *s, const rod_energies *e, float share);
/* Free rods and hinged ones without frames get the angular momentum of the prediction. */
void reference_keep_spin(reference_strand *s, const rod_part *p, const rod_energies *e);
/* frames: those at the start of the substep, of loose rods that took many iterations. Returns whether it
 * reverted the rod. */
bool reference_pay_rod(reference_strand *s, const reference_world *w, const rod_part *p, rod_energies *e,
                       const reference_push *push, bool near, float frames[REFERENCE_POINTS][4]);

#endif
