/* Time that one thread takes for work, in ns: measured with AVX2 at 3 GHz (mote-bench threads prints the same
 * figures for a machine). From these estimates alone a call decides whether to divide its work, so that the
 * decision does not depend on the machine or its load. They need not be exact: a factor of 2 moves the size
 * from which work is divided by as much. The costs of forces are in their rows (forces/force.h). */
#ifndef MOTE_BASE_WORK_H
#define MOTE_BASE_WORK_H

#define MOTE_WORK_PARTICLE  1.0   /* a particle of a step: its columns, out of memory and back */
#define MOTE_WORK_SUBSTEP   0.25  /* a particle-substep of an affine force, per stage */
#define MOTE_WORK_FATE      0.3   /* a particle whose lifetime is checked */
#define MOTE_WORK_BIRTH     4.0   /* a birth of an emitter */
#define MOTE_WORK_TURN      1.5   /* a particle that turns, of its columns */
#define MOTE_WORK_TORQUE    2.0   /* a substep of it, in addition */
#define MOTE_WORK_COLLISION 1.0   /* a particle-substep with collisions, for each collider, in addition */
#define MOTE_WORK_VERTEX    2.0   /* a presented particle */
#define MOTE_WORK_GATHERED  10.0  /* a presented particle of an order */
#define MOTE_WORK_SORTED    1.5   /* a particle in one of the passes of the order */
#define MOTE_WORK_SUM       20.0  /* a point in a sum of statistics */
#define MOTE_WORK_POINT     2.0   /* a point-substep of a strand */
#define MOTE_WORK_ROD       8.0   /* the same of a rod */
#define MOTE_WORK_CONTACT   2.0   /* the same for each collider, in addition */
#define MOTE_WORK_DEPTH     0.5   /* a point of a strand in the search of the deepest, for each collider */
#define MOTE_WORK_STRAND    4.0   /* a presented point of a strand or follower */
#define MOTE_WORK_CHOICE    500.0 /* a follower whose guides are chosen */
#define MOTE_WORK_SPRING    2.0   /* a spring of a network in a stage of a substep */
#define MOTE_WORK_SOLVED    200.0 /* a particle of a constrained network in a substep */

#endif
