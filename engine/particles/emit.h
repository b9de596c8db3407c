/* Births of one emitter in one step: MOTE_WIDTH particles at a time. */
#ifndef MOTE_PARTICLES_EMIT_H
#define MOTE_PARTICLES_EMIT_H

#include <math.h>

#include "math/random.h"
#include "particles/contain.h"
#include "particles/emitters.h"
#include "particles/reach.h"
#include "particles/turn.h"

/* Draws of a birth, in the order of their numbers. */
enum {
    DRAW_PLACE, /* three */
    DRAW_TURN = DRAW_PLACE + 3,
    DRAW_TILT,
    DRAW_SPEED,
    DRAW_LIFETIME,
    DRAW_MASS,
    DRAW_EXTRA,
    DRAW_RADIUS = DRAW_EXTRA + MOTE_MAX_EXTRA_COLUMNS,
    DRAW_SPIN,
    DRAW_SPIN_AXIS,                    /* two */
    DRAW_ROTATION = DRAW_SPIN_AXIS + 2 /* three */
};

MOTE_ONCE wide draw_spread(wide_unsigned state, uint32_t draw, const mote_spread *spread) {
    return spread->least + (spread->most - spread->least) * mote_random_unit(state, draw);
}

/* Cube root of a in [0, 1]: Halley's method from a first guess by the exponent. 0 gives less than 1e-12. */
MOTE_INLINE wide cube_root(wide a) {
    /* A third of the exponent: bits / 3 + 2/3 of the bias, by a product with 1/3 in float. */
    wide root = wide_from_bits(WIDE_CONVERT(WIDE_CONVERT(wide_bits(a), wide) * (1.0f / 3.0f), wide_mask) +
                               0x2a514067);
    for (int i = 0; i < 3; i++) {
        const wide cube = root * root * root;
        root = root * (cube + 2.0f * a) / (2.0f * cube + a);
    }
    return root;
}

/* Radius whose area (power 2) or volume (3) is uniform between the inner and the outer one. */
MOTE_INLINE wide draw_radius(const mote_emitter_def *def, wide u, bool volume) {
    const float hollow = def->radius > 0 ? def->inner_radius / def->radius : 0;
    const float inner = volume ? hollow * hollow * hollow : hollow * hollow;
    const wide share = inner + (1.0f - inner) * u;
    return def->radius * (volume ? cube_root(share) : wide_sqrt(share));
}

/* Returns a direction, uniform by solid angle, of two numbers from 0 to 1. */
MOTE_INLINE wide3 uniform_direction(wide a, wide b) {
    const wide height = 2.0f * b - 1.0f, across = wide_sqrt(wide_max(1.0f - height * height, (wide){0}));
    wide sine, cosine;
    mote_random_circle(a, &sine, &cosine);
    return (wide3){across * cosine, height, across * sine};
}

/* Place in the local frame. */
MOTE_INLINE wide3 draw_place(const mote_emitter_def *def, wide_unsigned state) {
    const wide a = mote_random_unit(state, DRAW_PLACE), b = mote_random_unit(state, DRAW_PLACE + 1),
               c = mote_random_unit(state, DRAW_PLACE + 2);
    wide sine, cosine;
    if (def->shape == MOTE_EMITTER_POINT) return wide3_zero();
    if (def->shape == MOTE_EMITTER_BOX)
        return (wide3){def->extent[0] * (2.0f * a - 1.0f), def->extent[1] * (2.0f * b - 1.0f),
                       def->extent[2] * (2.0f * c - 1.0f)};
    if (def->shape == MOTE_EMITTER_SPHERE)
        return wide3_scale(draw_radius(def, c, true), uniform_direction(a, b));
    mote_random_circle(a, &sine, &cosine);
    const wide radius = def->shape == MOTE_EMITTER_RING ? wide_set(def->radius) : draw_radius(def, b, false);
    return (wide3){radius * cosine, (wide){0}, radius * sine};
}

/* Normalises; where the length is 0 the axis. */
MOTE_INLINE wide3 direction_of(wide3 v) {
    const wide length = wide_sqrt(wide3_dot(v, v));
    const wide_mask none = wide_equal(length, (wide){0});
    const wide inverse = 1.0f / wide_select(none, wide_set(1), length);
    return wide3_select(none, (wide3){(wide){0}, wide_set(1), (wide){0}}, wide3_scale(inverse, v));
}

MOTE_INLINE wide3 mean_direction(const mote_emission *e, wide3 place) {
    const mote_emitter_def *def = e->def;
    wide3 mean = {(wide){0}, wide_set(1), (wide){0}};
    if (def->direction == MOTE_EMIT_OUTWARD) return direction_of(place);
    if (def->shape != MOTE_EMITTER_CONE || !(def->radius > 0)) return mean;
    const float tilt = e->angles->slope / def->radius;
    mean.x = tilt * place.x, mean.z = tilt * place.z;
    return direction_of(mean);
}

/* Turns the mean direction d by an angle whose cosine is uniform down to 1 - e->angles->versine: uniform by
 * solid angle. The axes across d are those of Duff et al. (J. Comput. Graph. Tech. 6, 2017). */
MOTE_INLINE wide3 draw_direction(const mote_emission *e, wide_unsigned state, wide3 d) {
    if (!(e->angles->versine > 0)) return d;
    wide sine, cosine;
    mote_random_circle(mote_random_unit(state, DRAW_TURN), &sine, &cosine);
    const wide tilt = e->angles->versine * mote_random_unit(state, DRAW_TILT), along = 1.0f - tilt;
    const wide across = wide_sqrt(wide_max(tilt * (2.0f - tilt), (wide){0}));
    const wide sign = wide_select(wide_less(d.z, (wide){0}), wide_set(-1), wide_set(1));
    const wide a = -1.0f / (sign + d.z), b = d.x * d.y * a;
    const wide3 first = {1.0f + sign * d.x * d.x * a, sign * b, -sign * d.x},
                second = {b, sign + d.y * d.y * a, -d.y};
    const wide3 turned = wide3_add(wide3_scale(cosine, first), wide3_scale(sine, second));
    return wide3_add(wide3_scale(along, d), wide3_scale(across, turned));
}

/* Returns the emitter's rotation at the travel t, q0 + t (q1 - q0), which is not normalised; w in *real. */
MOTE_INLINE wide3 rotation_at(const mote_emission *e, wide t, wide *real) {
    const float *from = e->from.rotation, *to = e->to.rotation;
    *real = from[3] + t * (to[3] - from[3]);
    return (wide3){from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]),
                   from[2] + t * (to[2] - from[2])};
}

/* Turns v by the emitter's rotation at the travel t. */
MOTE_INLINE wide3 turn(const mote_emission *e, wide t, wide3 v) {
    wide w;
    const wide3 q = rotation_at(e, t, &w);
    return turn_to_world(q, w, v);
}

/* Returns the velocity that is inherited from the turn, at `arm` from the emitter. */
MOTE_INLINE wide3 turning_velocity(const mote_emission *e, wide t, wide3 arm) {
    wide w;
    const wide3 q = rotation_at(e, t, &w);
    return wide3_scale(1.0f / (wide3_dot(q, q) + w * w), wide3_cross(wide3_set(e->turning), arm));
}

/* A unit quaternion, uniform over all rotations (Shoemake, Graphics Gems III, 1992, 124); w in *real. */
MOTE_INLINE wide3 draw_rotation(wide_unsigned state, wide *real) {
    const wide share = mote_random_unit(state, DRAW_ROTATION);
    const wide a = wide_sqrt(1.0f - share), b = wide_sqrt(share);
    wide s0, c0, s1, c1;
    mote_random_circle(mote_random_unit(state, DRAW_ROTATION + 1), &s0, &c0);
    mote_random_circle(mote_random_unit(state, DRAW_ROTATION + 2), &s1, &c1);
    *real = b * c1;
    return (wide3){a * s0, a * c0, b * s1};
}

MOTE_INLINE void store_lanes(float *to, size_t at, wide value, uint32_t count) {
    if (count >= MOTE_WIDTH)
        wide_store(to + at, value);
    else
        memcpy(to + at, &value, count * sizeof(float));
}

MOTE_INLINE void store_vector(float *const to[3], size_t at, wide3 value, uint32_t count) {
    store_lanes(to[0], at, value.x, count);
    store_lanes(to[1], at, value.y, count);
    store_lanes(to[2], at, value.z, count);
}

/* Columns that some systems have: `left` is (1 - f) dt. */
MOTE_INLINE void store_rest(const mote_emission *e, wide_unsigned state, wide left, size_t at, uint32_t count,
                            const mote_newborn *to) {
    const mote_emitter_def *def = e->def;
    if (to->lifetime)
        store_lanes(to->lifetime, at,
                    def->lifetime.least < INFINITY ? draw_spread(state, DRAW_LIFETIME, &def->lifetime) - left
                                                   : wide_set(INFINITY),
                    count);
    if (to->initial_age) store_lanes(to->initial_age, at, left, count);
    if (to->inverse_mass)
        store_lanes(to->inverse_mass, at, 1.0f / draw_spread(state, DRAW_MASS, &def->mass), count);
    if (to->radius)
        store_lanes(to->radius, at, draw_spread(state, DRAW_RADIUS, &def->collision_radius), count);
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++)
        if (def->extra_columns >> i & 1)
            store_lanes(to->extra[i], at, draw_spread(state, DRAW_EXTRA + i, &def->extra[i]), count);
}

/* Orientation and spin, which is in the axes of the particle: those of the emitter, or random ones. */
MOTE_INLINE void store_turn(const mote_emission *e, wide_unsigned state, wide travel, size_t at,
                            uint32_t count, const mote_newborn *to) {
    const bool tumbled = e->def->orientation == MOTE_EMIT_TUMBLED;
    wide w;
    wide3 q = rotation_at(e, travel, &w);
    const wide one = 1.0f / wide_sqrt(wide3_dot(q, q) + w * w);
    q = wide3_scale(one, q), w = one * w;
    wide3 axis = wide3_set(e->angles->spin_axis);
    if (tumbled) {
        const wide3 fixed = turn(e, travel, axis);
        q = draw_rotation(state, &w);
        axis = turn_to_body(q, w, fixed);
    }
    if (e->angles->spin_axis[0] == 0 && e->angles->spin_axis[1] == 0 && e->angles->spin_axis[2] == 0)
        axis = uniform_direction(mote_random_unit(state, DRAW_SPIN_AXIS + 1),
                                 mote_random_unit(state, DRAW_SPIN_AXIS));
    store_vector(to->orientation, at, q, count);
    store_lanes(to->orientation[3], at, w, count);
    store_vector(to->angular_velocity, at, wide3_scale(draw_spread(state, DRAW_SPIN, &e->def->spin), axis),
                 count);
}

/* Returns the radius for collisions. */
MOTE_INLINE wide draw_collision_radius(const mote_emission *e, wide_unsigned state, const mote_newborn *to) {
    if (!to->radius) return wide_set(e->collision->radius);
    return radius_taken(draw_spread(state, DRAW_RADIUS, &e->def->collision_radius));
}

/* Returns the lanes of `keep` that can reach a collider on the way from their births to x. */
MOTE_INLINE wide_mask reaching_born(const mote_collision *c, wide3 birth, wide3 x, wide radius,
                                    wide_mask keep) {
    if (!c->still || !MOTE_SPACIOUS || MOTE_SPECIALISED(false, true)) return keep;
    return keep & reach_of(c, &c->all, c->poses, birth, x, wide_set(FLT_MAX), radius).reaching;
}

/* Collides the newborn on the ways from their births, `left` of the step before its end, to *x. */
MOTE_INLINE void collide_born(const mote_emission *e, wide3 birth, wide left, wide radius, uint32_t count,
                              wide3 *x, wide3 *v) {
    const int lanes = count < MOTE_WIDTH ? (int)count : MOTE_WIDTH;
    const wide_mask later = wide_lanes_below(lanes) & wide_less((wide){0}, left),
                    keep = reaching_born(e->collision, birth, *x, radius, later);
    if (!wide_lane_bits(keep)) return;
    collide_lanes s = {.from_x = birth,
                       .from_v = *v,
                       .x = *x,
                       .v = *v,
                       .left = left,
                       .radius = radius,
                       .room = wide_set(FLT_MAX),
                       .keep = keep};
    collide_register(e->collision, &e->collision->all, 0, &s);
    *x = s.x, *v = s.v;
}

/* Makes births first .. first + count - 1 of the step as newborn 0 .. count - 1 of *to. f: the fraction of
 * the step at which birth `first` happens, `spacing` that from one to the next. */
static void emit(const mote_emission *e, uint64_t first, uint32_t count, float f, const mote_newborn *to) {
    wide lane;
    float number[MOTE_WIDTH];
    for (int i = 0; i < MOTE_WIDTH; i++) number[i] = (float)i;
    memcpy(&lane, number, sizeof lane);
    const bool turns = e->turning[0] != 0 || e->turning[1] != 0 || e->turning[2] != 0;
    for (uint32_t at = 0; at < count; at += MOTE_WIDTH) {
        const wide_unsigned state = mote_random_state(e->def->seed, e->stream, e->serial + first + at);
        const wide born = wide_min(f + ((float)at + lane) * e->spacing, wide_set(1));
        const wide travel = wide_min(born * e->travel_rate, wide_set(1)), left = (1.0f - born) * e->timestep;
        const wide3 place = draw_place(e->def, state);
        const wide3 local = draw_direction(e, state, mean_direction(e, place));
        const wide3 own = wide3_scale(draw_spread(state, DRAW_SPEED, &e->def->speed), turn(e, travel, local));
        wide3 x = turn(e, travel, place), v = wide3_add(own, wide3_set(e->inherited));
        if (turns) v = wide3_add(v, turning_velocity(e, travel, x));
        x.x += e->from.position[0] + travel * (e->to.position[0] - e->from.position[0]);
        x.y += e->from.position[1] + travel * (e->to.position[1] - e->from.position[1]);
        x.z += e->from.position[2] + travel * (e->to.position[2] - e->from.position[2]);
        const uint32_t lanes = count - at;
        const size_t slot = to->first + at;
        if (to->previous_x[0])
            store_vector(to->previous_x, slot, wide3_add_scaled(x, left - e->timestep, v), lanes);
        if (to->previous_v[0]) store_vector(to->previous_v, slot, v, lanes);
        wide3 end = wide3_add_scaled(x, left, v), end_v = v;
        if (e->collision)
            collide_born(e, x, 1.0f - born, draw_collision_radius(e, state, to), lanes, &end, &end_v);
        store_vector(to->x, slot, end, lanes);
        store_vector(to->v, slot, end_v, lanes);
        store_rest(e, state, left, slot, lanes, to);
        if (to->orientation[0]) store_turn(e, state, travel, slot, lanes, to);
    }
}

#endif
