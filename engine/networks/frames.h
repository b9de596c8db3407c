/* Frames of the particles of an island, in which the primal solver counts energy (primal.h): those of the
 * colliders that they touch; of the others the motion that all which the island touches shares, or, where it
 * touches nothing, that of its centre of mass. Loops are scalar and in double, in the order of the slots. */
#ifndef MOTE_NETWORKS_FRAMES_H
#define MOTE_NETWORKS_FRAMES_H

#include "networks/island.h"
#include "networks/rigid.h"

/* A particle's column of three, in double. */
MOTE_OUTLINE void fetch(const island *i, int column, uint32_t slot, double to[3]) {
    const float *from = i->c->memory + (size_t)column * i->c->stride + (slot - i->c->first);
    for (int k = 0; k < 3; k++) to[k] = (double)from[(size_t)k * i->c->stride];
}

/* The place of a particle at the start of the substep, from one origin for all parts of the island. */
static inline void fetch_start(const island *i, uint32_t slot, double to[3]) {
    float *const *origin = i->job->network->step_origin;
    const uint32_t first = i->job->network->chunk_first[i->first];
    fetch(i, COLUMN(start), slot, to);
    for (int k = 0; k < 3; k++) to[k] += (double)origin[k][slot] - (double)origin[k][first];
}

#define EACH_SLOT(i, slot)                                                                                   \
    for (uint32_t chunk_ = (i)->first; chunk_ < (i)->first + (i)->count; chunk_++)                           \
        for (uint32_t slot = (i)->job->network->chunk_first[chunk_];                                         \
             slot < (i)->job->network->chunk_end[chunk_]; slot++)

/* 0: pinned or masked. */
static inline double mass_of(const island *i, uint32_t slot) {
    const float inverse = i->job->network->range.inverse_mass[slot];
    return inverse > 0 ? 1 / (double)inverse : 0;
}

/* Whether a particle of an island is pinned or in contact. */
static inline bool touches(const island *i) {
    double normal[3] = {0};
    EACH_SLOT(i, slot) {
        if (i->job->network->particle_of_slot[slot] == MOTE_NO_SLOT) continue;
        if (i->job->collider_count) fetch(i, COLUMN(normal), slot, normal);
        if (!(mass_of(i, slot) > 0) || mote_dot(normal, normal) > 0) return true;
    }
    return false;
}

/* Deviation from a common motion, of the square of all motions. */
#define SHARED 0.0625

/* What an island touches: how many particles are pinned or in contact, the sum of their motions over the
 * substep, and that of the squares. */
typedef struct touched {
    uint32_t count;
    double sum[3], squares;
} touched;

static inline void touch(touched *t, const double way[3]) {
    t->count++, t->squares += mote_dot(way, way);
    for (int k = 0; k < 3; k++) t->sum[k] += way[k];
}

/* Finds what an island touches; nothing if it does not move. */
static inline touched find_touched(const island *i) {
    const mote_network_job *job = i->job;
    const mote_network *n = job->network;
    const size_t first_pose = (size_t)(i->substep + 1) * job->collider_count;
    const uint32_t last = mote_network_block_of(n, n->chunk_first[i->first + i->count - 1]);
    touched t = {0};
    double from[3], way[3];
    for (uint32_t block = mote_network_block_of(n, n->chunk_first[i->first]); block <= last; block++) {
        const mote_pin_run pins = n->range.pins.run[block];
        for (uint32_t k = pins.first; k < pins.first + pins.count; k++) {
            const uint32_t slot = n->range.pins.pins[k].slot;
            if (n->island[slot] != i->number) continue;
            fetch(i, COLUMN(start), slot, from), fetch(i, COLUMN(x), slot, way);
            for (int axis = 0; axis < 3; axis++) way[axis] -= from[axis];
            touch(&t, way);
        }
    }
    bool moves = t.squares > 0;
    for (uint32_t k = 0; k < job->collider_count; k++) {
        const mote_collider_pose *pose = &job->poses[first_pose + k];
        moves |= pose->moved > 0 || pose->turns;
    }
    if (!moves) return (touched){0};
    if (!job->collider_count) return t;
    EACH_SLOT(i, slot) {
        fetch(i, COLUMN(normal), slot, from), fetch(i, COLUMN(drift), slot, way);
        if (mote_dot(from, from) > 0) touch(&t, way);
    }
    return t;
}

/* Gives the particles that touch nothing the motion that pins and colliders in contact share, 0 if they move
 * apart, as their frame. In it these do no work, and the start of the substep, moved with them, has no
 * strained springs: a ball that hits a net at rest would otherwise strain them without bound where the solver
 * goes back. */
static inline void share_motion(const island *i) {
    EACH_SLOT(i, slot) {
        double normal[3] = {0};
        if (i->job->collider_count) fetch(i, COLUMN(normal), slot, normal);
        float *to = i->c->memory + (size_t)COLUMN(drift) * i->c->stride + (slot - i->c->first);
        for (size_t k = 0; k < 3 && !(mote_dot(normal, normal) > 0); k++)
            to[k * i->c->stride] = (float)i->shared[k];
    }
}

/* Finds the frames of the particles, and moves the places at the start of the substep, in COLUMN(product),
 * with them, if something moves and another number of particles touches something than the last time; pins,
 * whose work counts as energy available, are where they go. Returns whether it did. */
static MOTE_COLD bool find_frames(island *i) {
    const touched t = find_touched(i);
    const size_t stride = i->c->stride;
    if (t.count == i->touching) return false;
    const bool together = t.squares - mote_dot(t.sum, t.sum) / t.count <= SHARED * t.squares;
    for (int k = 0; k < 3; k++) i->shared[k] = together ? t.sum[k] / t.count : 0;
    i->touching = t.count;
    share_motion(i);
    EACH_SLOT(i, slot) {
        float *at = i->c->memory + (slot - i->c->first);
        const bool free = mass_of(i, slot) > 0;
        for (size_t k = 0; k < 3; k++)
            at[(COLUMN(product) + k) * stride] =
                free ? at[(COLUMN(start) + k) * stride] + at[(COLUMN(drift) + k) * stride]
                     : at[(COLUMN(x) + k) * stride];
    }
    return true;
}

/* The frame in which an island goes back: that of the rigid motion from x0 with the momentum and the angular
 * momentum of x*, which it so keeps; of an island that touches something, those of the points. */
typedef struct frame {
    bool touches;
    double centre[3]; /* h v of the centre of mass; 0 if it touches */
    double moved[3];  /* sum of m (x - x*); 0 if it touches */
    double turn[3];   /* h w */
    mote_rigid_sums sums;
} frame;

/* A frame without its rotation. */
static inline frame find_centre(const island *i) {
    frame f = {.touches = touches(i)};
    if (f.touches) return f;
    EACH_SLOT(i, slot) {
        const double mass = mass_of(i, slot);
        double x[3], v[3], moved[3];
        if (!(mass > 0)) continue;
        fetch_start(i, slot, x), fetch(i, COLUMN(v), slot, v), fetch(i, COLUMN(moved), slot, moved);
        f.sums.mass += mass;
        for (int k = 0; k < 3; k++) {
            f.sums.place[k] += mass * x[k], f.sums.motion[k] += mass * (i->job->plan->h * v[k]);
            f.moved[k] += mass * moved[k];
        }
    }
    for (int k = 0; k < 3; k++) f.centre[k] = f.sums.motion[k] / f.sums.mass;
    return f;
}

#endif
