/* Shared by the files of the reference of strands. */
#ifndef MOTE_TESTS_REFERENCE_STRAND_PARTS_H
#define MOTE_TESTS_REFERENCE_STRAND_PARTS_H

#include "reference_rows.h"
#include "reference_strands.h"

/* Pinned points stand where they are at substep + fraction: written into `to`, and the root's frame into
 * strand->frame. */
void reference_place(reference_strand *strand, const reference_world *world, double at, reference_row *to);

/* v = (to - from) / h of pinned points. */
void reference_pinned_velocity(reference_strand *strand, const reference_world *world, reference_row *from,
                               reference_row *to);

/* R b, and R b + t, by the root's frame. */
void reference_turn_by_root(const reference_strand *strand, const float b[3], float out[3]);
void reference_under_root(const reference_strand *strand, const float b[3], float out[3]);

/* h, and 1 / h as a float. */
double reference_substep(const reference_world *world);
static inline float reference_rate(const reference_world *world) {
    return (float)(1.0 / reference_substep(world));
}

typedef struct reference_point_forces {
    reference_row force[REFERENCE_POINTS], shift[REFERENCE_POINTS]; /* of springs: N, or N s and kg m */
    reference_row extra[REFERENCE_POINTS]; /* all other forces within the strand, N */
} reference_point_forces;

/* Whether anything but springs and affine forces acts. */
bool reference_has_others(const reference_world *world);

/* Whether springs act as if each were alone: then they give impulses and displacements. */
bool reference_alone(const reference_world *world);
reference_point_forces reference_forces_within(const reference_strand *strand, const reference_world *world,
                                               bool springs);

/* strand->dv = h a of all points by all forces but those of constraints. share: of the substep, after which
 * the points have their places. */
void reference_kick(reference_strand *strand, const reference_world *world, uint32_t substep, double share);

/* h a of one point by the forces that are affine in x and v. */
void reference_affine_kick(const reference_strand *strand, const reference_world *world, uint32_t point,
                           float dv[3]);

bool reference_is_finite(const reference_strand *strand, reference_row *rows);
float reference_segment(const reference_strand *strand, uint32_t k);

/* The planes of the substep that took start to x; returns whether any point has one. */
bool reference_find_contacts(reference_strand *strand, const reference_world *world, uint32_t substep);

/* Whether a collider touches a strand whose planes were found: a point is behind its plane, or was pressed on
 * it and is as near as lengths are solved, or the root is in a collider. */
bool reference_touches(const reference_strand *strand, const reference_world *world, uint32_t substep);

/* The points that begin the substep in boxes are put out of these. */
void reference_leave_boxes(reference_strand *strand, const reference_world *world, uint32_t substep);

/* No friction is kept at point k, or at any point if the substep has solved no contacts. */
void reference_forget_contact(reference_strand *strand, uint32_t k);
void reference_forget_contacts(reference_strand *strand);

/* Springs: points go out of colliders, and lose their speed against them. */
void reference_project_springs_out(reference_strand *strand, float rate);

/* The points that are now inside the collider in which the root is. */
void reference_count_buried(reference_strand *strand, const reference_world *world, uint32_t substep);

/* Rest lengths between two pins whose goals are too far apart. */
void reference_reach_pins(reference_strand *strand);

/* Options of Newton's method besides the lengths of rigid segments. */
typedef struct reference_hold_of {
    bool compliant, contacts;
    bool rods;     /* multipliers add to the tensions */
    uint32_t done; /* iterations before */
    bool gains;    /* corrections times `rate` (1/s) are velocity */
    float rate;
    reference_row *from, *from_v; /* the state that the positions come from */
} reference_hold_of;
/* One iteration alone; whether all lengths are then held. */
bool reference_iterate(reference_strand *strand, const reference_world *world, const reference_hold_of *of);
bool reference_hold(reference_strand *strand, const reference_world *world, const reference_hold_of *of);

/* Puts a strand out of the colliders in which it began the substep, in position alone. The substep itself
 * counts where it is unsolved. */
void reference_leave_colliders(reference_strand *strand, const reference_world *world,
                               const reference_hold_of *of, uint32_t substep);

void reference_project_lengths(reference_strand *strand);

/* Puts points behind their planes on them; whether there were any. */
bool reference_project_contacts(reference_strand *strand);

/* Whether segment k of a rigid strand is as long as it should be, to max_strain. */
bool reference_has_length(const reference_strand *strand, const reference_world *world, uint32_t k);

/* Projects a strand that is not solved to its lengths and out of colliders in turn. */
void reference_project(reference_strand *strand, const reference_world *world, uint32_t substep);
void reference_count_strained(reference_strand *strand, const reference_world *world);

/* Frames of rods: that of the clamp; the axes of a frame; the turn from one to the next, in the hemisphere of
 * the identity; all frames follow their segments. */
void reference_clamp_frame(const reference_strand *strand, float q[4]);
void reference_axes(const float q[4], float axis[3][3]);
void reference_turn_between(const float a[4], const float b[4], float c[4]);
/* Finds the turn of the root since the last substep, of clamped rods with frames. */
void reference_find_lead(reference_strand *s, const reference_world *w);

/* Part of a joint's gradient along its directions. y: its moments; v: half of its turn. */
float reference_along(const float stiffness[3], const float rest[3], const float y[3], const float v[3]);
void reference_turn_frames(reference_strand *strand);

/* Frames of a rod that has none, parallel along it; clamp receives that of the root. */
void reference_lay_frames(reference_strand *strand, float clamp[4]);

/* --- Energy --- */

static inline bool reference_moves(const reference_strand *strand, uint32_t k) { return strand->mass[k] > 0; }

/* The rigid motion v + w x (x - center). */
typedef struct reference_rigid_motion {
    float center[3], v[3], w[3];
} reference_rigid_motion;

/* The velocity of the motion at x. */
void reference_motion_at(const reference_rigid_motion *motion, const float x[3], float v[3]);

/* The pivot, its velocity, the angular momentum about it, and the sums of m x x, ... and of m y z, ... */
typedef struct reference_moments {
    float center[3], v[3], l[3], square[3], product[3];
} reference_moments;
reference_moments reference_moments_of(const reference_strand *strand, const reference_row *x,
                                       const reference_row *v, bool hinged, const float hinge_v[3]);
void reference_angular_velocity(const reference_moments *moments, const float l[3], float w[3]);

/* That of the first pinned point, or with the momentum and angular momentum of a free strand. */
reference_rigid_motion reference_frame_of(const reference_strand *strand);

/* Twice the kinetic energy relative to the frame; scales velocities where it is more than `most`, unless pins
 * move relative to each other. */
float reference_kinetic_about(const reference_strand *strand, const reference_rigid_motion *frame);
void reference_limit_kinetic(reference_strand *strand, const reference_rigid_motion *frame, float kinetic,
                             float most);

/* A part of a substep before it is solved: the state at its start, and h a. */
typedef struct reference_begin {
    float h;
    reference_row x[REFERENCE_POINTS], v[REFERENCE_POINTS], dv[REFERENCE_POINTS];
} reference_begin;

/* Twice the kinetic energy relative to `base` at the start, and twice the work of dv / h since then. */
float reference_worked(const reference_strand *strand, const reference_begin *part, const float base[3]);

/* To the smaller one of `most` and, of strands with a pin, that energy and `lift`; where this is below 0, the
 * strand is rigid in the part. Returns what it has less than that. */
float reference_limit_energy(reference_strand *strand, const reference_begin *part, float most, float lift);

/* The sum of m x. */
void reference_sum_moments(const reference_strand *strand, float sum[3]);

/* Conserving strands get their deficit back. */
void reference_restore_energy(reference_strand *strand);

/* What colliders do to a strand whose contacts have been solved: the velocity of the first one and the normal
 * of its plane, the same of the first that makes a crease with it, twice their work in axes that move with
 * `base`, and twice the energy up to which they do any.
 */
typedef struct reference_push {
    bool touches;
    float v[3], normal[3], other_v[3], other_normal[3], work, most;
} reference_push;
reference_push reference_push_of(const reference_strand *strand, const reference_world *world,
                                 const float base[3]);
float reference_pushed_energy(const reference_push *push, float kinetic);
bool reference_is_pinned(const reference_strand *strand);

/* A strand without a pin goes back to the start of the substep, but for the motion of the frame, and keeps
 * little energy. */
void reference_revert(reference_strand *strand, const reference_world *world,
                      const reference_rigid_motion *frame);
reference_rigid_motion reference_frame_of_push(const reference_strand *strand, const reference_world *world,
                                               const reference_push *push);

/* Limits the energy to that of the prediction from strand->start and the work of colliders; a strand that is
 * not solved does not jump. bent: twice the bending energy at the start. */
void reference_limit_push(reference_strand *strand, const reference_world *world, float bent, bool solved);
bool reference_gains(const reference_strand *strand, const reference_world *world);
void reference_limit_recoil(reference_strand *strand, const reference_world *world);

/* Projects a strand. limits: its energy to what the ways that are left give. */
void reference_project_near(reference_strand *strand, const reference_world *world, uint32_t substep,
                            bool limits);

/* Takes as much of twice the kinetic energy as there is, unless pins move relative to each other. */
void reference_take_energy(reference_strand *strand, float excess);
bool reference_pins_move_together(const reference_strand *strand);

/* A rod in the turns of its segments, from the start of the substep. way: h v0 + h^2 a of its points. */
void reference_turn_rod(reference_strand *strand, const reference_world *world, reference_row *way);

/* From strand->start. */
void reference_rod_substep(reference_strand *strand, const reference_world *world, uint32_t substep);

void reference_constrained_substep(reference_strand *strand, const reference_world *world, uint32_t substep);

#endif
