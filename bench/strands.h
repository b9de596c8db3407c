/* Strands on the bench: a system with one strands, stepped one step a frame, with sums of its step reports.
 */
#ifndef BENCH_STRANDS_H
#define BENCH_STRANDS_H

#include <mote/strands.h>

#include "contenders.h"
#include "scenes.h"

/* Sums over all frames so far. */
typedef struct strand_tally {
    double max_strain; /* the largest of all segments and frames */
    double strain_sum; /* of the mean over all segments, a frame each */
    double iterations; /* of Newton's method, over all substeps and strands */
    uint64_t frames;
    uint64_t
        unsolved; /* strands that reached max_iterations in some substep of a frame, summed over frames */
    uint64_t fallbacks, infeasible, frozen; /* the same */
} strand_tally;

typedef struct strand_run {
    mote_system *system;
    mote_strands_id id;
    uint32_t strands, points, substeps; /* points: of all strands */
    uint64_t frame;
    void (*move)(struct strand_run *run); /* called before each frame; NULL: nothing */
    mote_collider_id collider;            /* that `move` moves */
    mote_strand_layout layout;            /* of the presentation of each frame ... */
    void *vertices;                       /* ... NULL: nothing */
    size_t vertex_bytes;
    strand_tally tally;
} strand_run;

/* A system of `def` without particles and strands, with gravity in m/s^2. */
strand_run *strand_run_create(const mote_system_def *def, const float gravity[3]);

/* Adds the strands; an error ends the program and names the strand and the point. */
void strand_run_add(strand_run *run, const mote_strands_def *def);

/* One frame: move, one step, tally, presentation. */
void strand_run_frame(strand_run *run);

/* `frames` frames, after each of which `keep` of all velocities is left. */
void strand_run_settle(strand_run *run, uint32_t frames, float keep);

/* From now on each frame ends with its presentation, half a step behind; the system must interpolate. */
void strand_run_present(strand_run *run, mote_strand_shape shape);

void strand_run_destroy(strand_run *run);

/* Means of a tally: over its frames; iterations per substep and strand. */
double tally_mean_strain(const strand_tally *tally);
double tally_iterations(const strand_run *run);

/* --- Ropes of mote-bench run and verify --- */

#define ROPE_MASS 0.1f /* kg, of every rope */
#define ROPE_RATE ((mote_rate){60, 1})

/* Equal ropes from the origin along x, or down; pinned at their roots, under gravity. */
typedef struct rope_setup {
    mote_strand_solver solver;
    uint32_t strands, points, substeps, threads;
    float length;                                /* m */
    float compliance;                            /* m/N of a segment */
    float damping;                               /* kg/s of a segment */
    float bending_stiffness, twisting_stiffness; /* N m^2 */
    float max_strain;                            /* 0: the default */
    float drag;                                  /* kg/(m s), across; a third of it along */
    bool hangs;                                  /* down at first, not horizontally */
    bool moving, colliders;                      /* a root that swings; two capsules below it */
    mote_rate rate;                              /* {0, 0}: ROPE_RATE */
} rope_setup;

strand_run *rope_create(const rope_setup *setup);

/* kg, of a point. */
double rope_point_mass(const rope_setup *setup);

/* s. */
double rope_substep(const rope_setup *setup);

/* The largest k, N/m, for which h w_max = z: a chain of springs k between masses m has w_max^2 < 4 k / m. */
double rope_stiffness(const rope_setup *setup, double z);

/* J: m g times the fall of the centre of mass of the free points from horizontal to hanging. */
double rope_depth(const rope_setup *setup);

/* J, kinetic and of gravity above the origin, summed in double over the free points of one strand. */
double rope_energy(const strand_run *run, uint32_t strand, double point_mass);

#endif
