/* A collider that moved and many points that went somewhere: the inputs of contact_lanes and its outputs. */
#ifndef MOTE_TESTS_CONTACT_SCENE_H
#define MOTE_TESTS_CONTACT_SCENE_H

#include <string.h>

#include "contact_lanes.h"
#include "contact_shapes.h"

enum { POINTS = 4096 };

/* Lengths of at most 8 m: a gap is worked out in float in fewer than 16 roundings, none of which moves it by
 * more than half a unit in the last place of the largest number in it; directions come with such an error
 * too. */
static const double TOLERANCE = 16 * 0x1p-24 * 8;

static float in0[3][POINTS], in1[3][POINTS], out[CONTACT_OUTPUTS][POINTS], kept[CONTACT_OUTPUTS][POINTS];

static inline contact_points columns(size_t count, float radius) {
    contact_points p = {.count = count, .radius = radius, .friction = 0.5f, .reach = 1e30f};
    for (int k = 0; k < 3; k++) p.x0[k] = in0[k], p.x1[k] = in1[k];
    for (int k = 0; k < CONTACT_OUTPUTS; k++) p.out[k] = out[k];
    return p;
}

static inline void put(size_t i, const double from[3], const double to[3]) {
    for (int k = 0; k < 3; k++) in0[k][i] = (float)from[k], in1[k][i] = (float)to[k];
}

/* One point, one collider that went from one pose to another. */
typedef struct plane {
    double normal[3], offset, gap, drift[3], friction;
} plane;

static inline plane plane_at(size_t i) {
    plane p = {.offset = out[3][i], .gap = out[4][i], .friction = out[8][i]};
    for (int k = 0; k < 3; k++) p.normal[k] = out[k][i], p.drift[k] = out[5 + k][i];
    return p;
}

typedef struct scene {
    mote_collider_def def;
    mote_transform from, to;
    mote_collider_pose before, now;
} scene;

static inline mote_placement placed(const mote_transform *at) {
    const mote_motion motion = {.from = *at, .to = *at};
    return mote_motion_placement(&motion, 0, 0);
}

static inline void pose(scene *s) {
    const mote_placement from = placed(&s->from), to = placed(&s->to);
    s->before = mote_collider_pose_make(&s->def, &from, &from);
    s->now = mote_collider_pose_make(&s->def, &from, &to);
}

static inline scene standing(mote_collider_def def) {
    scene s = {.def = def, .from = def.transform, .to = def.transform};
    pose(&s);
    return s;
}

static inline scene random_scene(random_source *random, int kind, bool moves) {
    scene s = standing(random_collider(random, (mote_collider_kind)(kind % CONVEX_KINDS)));
    if (moves) s.to = random_transform(random, 1); /* far and by any angle */
    pose(&s);
    return s;
}

/* Finds the contacts of the points with one collider. */
static inline void find(const scene *s, const contact_points *points) {
    contact_lanes_scalar(&s->before, &s->now, 1, points);
}

static inline void fill_paths(random_source *random) {
    static const double lengths[] = {3, 1, 0.1, 0.001};
    for (size_t i = 0; i < POINTS; i++) {
        const double path = lengths[random_below(random, 4)];
        double from[3], to[3];
        for (int k = 0; k < 3; k++) {
            from[k] = between(random, -2, 2);
            to[k] = from[k] + between(random, -path, path);
        }
        put(i, from, to);
    }
}

#endif
