/* Collisions of one register of loose particles with colliders, in one substep.
 *
 * The path of a particle is a straight segment in the axes of the collider. The signed distance to a convex
 * shape is a convex function along it, so that Newton's method from a place outside approaches the first
 * root from the left and never passes it: no speed tunnels. With a constant acceleration the particle is
 * then moved to the root of the parabola
 *
 *     x(f) = x0 + f (x1 - x0) - f (1 - f) theta h dv,     v(f) = v0 + f dv,     dv = v1 - v0
 *
 * across the tangent plane at the hit; theta is 1/2, or 1 where a substep is x1 = x0 + h v1. So the parts
 * before and after a hit are substeps of the same integrator, and neither gains energy. A hit ends a leg of
 * the path; the next leg begins there. Bits of a lane depend on no other lane. */
#ifndef MOTE_PARTICLES_COLLIDE_H
#define MOTE_PARTICLES_COLLIDE_H

#include "integrators/lanes.h"
#include "particles/collide_crease.h"
#include "particles/collide_drag.h"
#include "particles/collide_end.h"
#include "particles/collide_find.h"
#include "particles/collide_settle.h"
#include "particles/collide_attracted.h"
#include "particles/collide_spin.h"
#include "particles/particles.h"

#define COLLIDE_SWEEPS 6 /* hits of a particle in a substep */

/* Particles after a hit: place, relative velocities at both ends of the next leg, velocity of the material,
 * own velocity before the hit, lanes that rest, friction of the collider and the greatest change of velocity
 * by it. */
typedef struct collide_after {
    wide3 x, v, end, material, at;
    wide_mask rests;
    wide friction, limit;
} collide_after;

/* A surface that turns, with which lanes are in contact: its normals at the hit and at the end of the
 * substep, `time` of a substep later, a place on it then, m, and the motion of its material there in a
 * substep, m. */
typedef struct collide_rising {
    wide3 normal, later, place, drift;
    wide time;
} collide_rising;

/* Next leg: its duration and ends, and the part of its lag that raised it. */
typedef struct collide_next {
    wide left;
    wide3 to, end, raised;
} collide_next;

/* Least share of a substep in which a surface raises lanes: in less, its turn is rounding, which over that
 * time would be speed. */
#define COLLIDE_RISING 0x1p-10f

/* Raises lanes that would end the next leg behind a surface that turns: on it, and as fast as it. A surface
 * that turns by (later - normal) in the leg raises what goes `way` along it, with the square of time; sooner
 * if that is slowed down, and, to be above it, by the error of third order. v: at the start of the leg. */
MOTE_INLINE void collide_climb(const mote_collision *c, const collide_rising *s, wide_mask lanes, wide3 v,
                               collide_next *next) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide3 way = wide3_sub(next->to, s->place), turned = wide3_sub(s->later, s->normal);
    const wide rise = zero - wide3_dot(s->later, way);
    const wide speed = wide3_dot(s->later, next->end) - c->inverse_h * wide3_dot(s->later, s->drift),
               needed = (0.0f - c->inverse_h) * wide3_dot(turned, way) /
                        wide_max(s->time, wide_set(COLLIDE_RISING));
    const wide_mask behind = lanes & wide_less(zero, rise) & wide_less(wide_set(COLLIDE_RISING), s->time);
    const wide time = (c->theta * c->h) * next->left, gain = wide_max(needed - speed, zero),
               slowed = time * wide3_dot(wide3_sub(v, next->end), way),
               share =
                   wide_clamp(slowed / wide_max(wide3_dot(way, way), wide_set(CONTACT_SHORT)), 0.0f, 1.0f),
               bulge = 0.5f * wide3_dot(turned, turned) * collide_sum(way),
               lag = wide_max(rise * (one - share) - bulge, zero) - time * gain;
    next->to = wide3_select(behind, wide3_add_scaled(next->to, rise, s->later), next->to);
    next->end = wide3_select(behind, wide3_add_scaled(next->end, gain, s->later), next->end);
    next->raised = wide3_select(behind, wide3_add_scaled(next->raised, lag, s->later), next->raised);
}

/* Replaces the legs of the lanes in `hits` by the next ones. */
MOTE_INLINE void collide_go_on(const mote_collision *c, const collide_hit *hit, wide_mask hits,
                               const collide_after *after, collide_leg *leg) {
    const wide left = leg->left * (1.0f - wide_max(hit->f, (wide){0}));
    const wide3 mean = wide3_add_scaled(after->v, wide_set(c->theta), wide3_sub(after->end, after->v));
    const wide3 place = wide3_sub(wide3_add_scaled(after->x, left, hit->drift),
                                  wide3_scale(left * (1.0f - left), hit->swerve));
    collide_next next = {left, wide3_add_scaled(place, left * c->h, mean),
                         wide3_add(after->end, after->material), wide3_zero()};
    const wide3 start = wide3_add(after->v, after->material);
    const wide_mask turning = hits & wide_less((wide){0}, hit->spin);
    if (wide_lane_bits(turning)) {
        const collide_rising here = {hit->normal, hit->later, hit->place, hit->drift, left};
        collide_climb(c, &here, turning, start, &next);
    }
    const wide_mask valley = hits & leg->creased & leg->rest_turns;
    if (wide_lane_bits(valley)) {
        const collide_rising other = {leg->rest_normal, leg->rest_later, leg->rest_place, leg->rest_drift,
                                      leg->rest_time};
        collide_climb(c, &other, valley, start, &next);
    }
    const wide3 to = wide3_select(hit->sticks, place, wide3_select(hit->kills, after->x, next.to));
    const wide3 end =
        wide3_select(hit->sticks, after->material, wide3_select(hit->kills, after->at, next.end));
    leg->x = wide3_select(hits, after->x, leg->x);
    leg->v = wide3_select(hits, start, leg->v);
    leg->end_x = wide3_select(hits, to, leg->end_x);
    leg->end_v = wide3_select(hits, end, leg->end_v);
    leg->raised = wide3_select(hits, next.raised, leg->raised);
    leg->left = wide_select(hits, left, leg->left);
    leg->drift = wide3_select(hits, hit->drift, leg->drift);
    leg->side = wide3_select(hits, hit->normal, leg->side);
    const wide_mask rests = hits & after->rests;
    const wide_mask again = rests & leg->rested;
    if (wide_lane_bits(again)) {
        leg->older_normal = wide3_select(again, leg->rest_normal, leg->older_normal);
        leg->older_friction = wide_select(again, leg->rest_friction, leg->older_friction);
        leg->older_limit = wide_select(again, leg->rest_limit, leg->older_limit);
    }
    leg->rest_normal = wide3_select(rests, hit->normal, leg->rest_normal);
    leg->rest_later = wide3_select(rests, hit->later, leg->rest_later);
    leg->rest_time = wide_select(rests, left, leg->rest_time);
    leg->rest_place = wide3_select(rests, hit->place, leg->rest_place);
    leg->rest_drift = wide3_select(rests, hit->drift, leg->rest_drift);
    leg->rest_turns = (rests & turning) | (~rests & leg->rest_turns);
    leg->rest_friction = wide_select(rests, after->friction, leg->rest_friction);
    leg->rest_limit = wide_select(rests, after->limit, leg->rest_limit);
    leg->rested = rests | (~hits & leg->rested);
    leg->last = (hits & hit->index) | (~hits & leg->last);
    leg->met |= hits;
    const wide_mask inside = hits & wide_less(hit->f, (wide){0});
    leg->detour = wide_select(inside, COLLIDE_DETOUR * leg->detour, leg->detour);
    leg->touched |= hits;
    leg->held |= hits & (hit->kills | hit->sticks);
    leg->active = hits & ~hit->kills & ~hit->sticks;
    /* At rest among colliders at rest, and not put elsewhere: no further hits. */
    if (c->still) leg->active &= inside | wide_less((wide){0}, collide_sum(leg->v) + collide_sum(leg->end_v));
}

/* Adds the hits of lanes to the events: all but contacts at rest, which are those no faster than the velocity
 * that the forces give in the leg or in the substep; on a collider that moves, whose velocity changes from
 * step to step, in as many substeps as a step has. speed: towards the collider. */
MOTE_OUTLINE void collide_add_hits(const mote_collision *c, const collide_hit *hit, wide_mask hits, wide3 x,
                                   wide speed, collide_leg *leg) {
    const wide left = leg->left * (1.0f - wide_max(hit->f, (wide){0}));
    const wide time = ((float)leg->substep + 1 - left) * c->inverse_substeps;
    const wide gained =
        wide_max(wide_abs(wide3_dot(hit->normal, leg->dv)), wide_abs(wide3_dot(hit->normal, leg->gained)));
    const wide_mask moves = wide_less((wide){0}, collide_sum(hit->drift));
    const wide rest = wide_select(moves, gained / c->inverse_substeps, gained);
    const wide_mask listed = hits & wide_less(rest + leg->slow, speed);
    uint32_t bits = wide_lane_bits(listed);
    leg->changed |= listed;
    mote_hit list[MOTE_WIDTH];
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const size_t slot = collide_slot(leg, lane);
        const mote_collider_pose *pose = &c->poses[wide_mask_element(hit->index, lane)];
        list[count++] = (mote_hit){
            .step = c->step,
            .slot = (uint32_t)slot,
            .time = wide_element(time, lane),
            .id = c->ids ? c->ids[slot] : (mote_particle_id){0, 0},
            .collider = {pose->serial, c->mark},
            .position = {wide_element(x.x, lane), wide_element(x.y, lane), wide_element(x.z, lane)},
            .normal = {wide_element(hit->normal.x, lane), wide_element(hit->normal.y, lane),
                       wide_element(hit->normal.z, lane)},
            .speed = wide_element(speed, lane)};
    }
    c->add_hits(c->events, list, count);
}

/* Lanes that come to rest between the plane of the hit and the one on which they rested: they move along
 * both, or not at all where a third plane holds them. v, end: relative velocities at the ends of the next
 * leg. */
MOTE_INLINE void collide_enter_crease(const mote_collision *c, const collide_hit *hit, wide_mask creased,
                                      wide friction, collide_press *press, collide_leg *leg, wide3 *v,
                                      wide3 *end) {
    const wide3 n = hit->normal;
    press->limits = collide_crease_limits(n, friction, leg->rest_normal, leg->rest_friction, press->into);
    const wide_mask held = collide_wedged(creased & leg->creased, n, friction, leg, press);
    *v = wide3_select(held, wide3_zero(), collide_crease(creased, n, leg->rest_normal, *v));
    *end = wide3_select(held, wide3_zero(), *end);
    if (c->spin[0])
        collide_roll_crease(c, hit, creased, held, press, leg, v, end);
    else
        collide_valley(creased & ~held, hit, leg, press->free, press->limits.here + press->limits.other, v,
                       end);
}

/* Replaces the legs of the lanes in `hits` by those after the hit. */
MOTE_ONCE void collide_resolve(const mote_collision *c, const collide_hit *hit, wide_mask hits,
                               collide_leg *leg) {
    const wide zero = {0}, one = wide_set(1.0f), f = wide_max(hit->f, zero), rest_of = one - f;
    const wide3 n = hit->normal, u = wide3_sub(leg->end_x, leg->x), zero3 = wide3_zero();
    const wide3 swerve = wide3_scale(wide_set(c->inverse_h), hit->swerve),
                chord = wide3_scale(wide_set(c->inverse_h), hit->drift);
    /* Place and relative velocity at the hit. */
    wide3 x = wide3_add_scaled(leg->x, f, u);
    wide3 lag = leg->lag;
    if (wide_lane_bits(hit->straight)) lag = wide3_select(hit->straight, wide3_zero(), lag);
    x = wide3_sub(x, wide3_scale(f * rest_of, lag));
    const wide_mask raised = hits & hit->grid & wide_less(zero, hit->depth);
    wide3 out = n;
    if (wide_lane_bits(raised)) out = wide3_select(raised, hit->out, n);
    x = wide3_add_scaled(x, hit->depth, out);
    const wide3 at = wide3_add_scaled(leg->v, f, leg->dv);
    wide3 material = wide3_sub(chord, swerve), w = wide3_sub(at, material);
    /* A lane that a grid raises out of its inside pays for the work against the forces. */
    if (wide_lane_bits(raised)) {
        const wide3 a = wide3_scale(wide_set(c->inverse_h), leg->gained);
        w = wide3_select(raised, wide3_add(w, collide_lifted(a, out, hit->depth, w)), w);
    }
    wide3 dv = wide3_scale(rest_of, leg->dv);
    const wide3 pushed = dv; /* by the forces, along the collider on which it rests */
    wide_mask pressed = (wide_mask){0};
    /* A particle that rested on another collider leaves that one, or meets it again in the next leg. */
    if (wide_lane_bits(hits & leg->rested)) {
        const wide3 all = wide3_scale(rest_of * leg->left, leg->gained);
        dv = wide3_select(leg->rested, all, dv);
        pressed = leg->rested & wide_less(wide3_dot(leg->rest_normal, all), zero);
    }
    if (c->spin[0]) collide_cut_turn(rest_of, hits, leg);
    const wide3 spin = leg->spin;
    wide wn = wide3_dot(n, w);
    const wide an = wide3_dot(n, dv);
    const wide e = c->advects ? zero : hit->restitution;
    const wide after = wide_select(wide_less(wn, zero), zero - e * wn, wn);
    const wide_mask wedged = pressed & wide_less(after + c->theta * wide3_dot(n, pushed), zero);
    wide_mask rests = wedged | wide_less(after + c->theta * an, zero);
    const wide_mask dragged = c->drags ? hits & ~rests : (wide_mask){0};
    collide_drag drag;
    if (wide_lane_bits(dragged)) {
        drag = collide_drag_of(c, leg, dragged, x, wide3_add(w, material), (rest_of * leg->left) * c->h);
        const wide slowed = wide3_dot(n, collide_taken_back(c, &drag, wide3_scale(after - wn, n)));
        rests |= wide_less(after + c->theta * (an - slowed), zero);
    }
    material = wide3_select(rests, chord, material); /* what rests goes along the chord */
    w = wide3_select(rests, wide3_sub(w, swerve), w), wn = wide_select(rests, wide3_dot(n, w), wn);
    const wide impulse = wide_max(wide_select(rests, zero - (wn + an), after - wn), zero);
    /* Coulomb friction on the tangential velocity, which in a resting contact includes that gained later. */
    const wide3 sliding = wide3_sub(w, wide3_scale(wn, n)), gained = wide3_sub(dv, wide3_scale(an, n)),
                free = wide3_select(rests, wide3_add(sliding, gained), sliding);
    const wide friction = c->advects ? zero : hit->friction, limit = friction * impulse;
    collide_rub rub = {.hits = hits, .rests = rests, .gained = wide3_select(rests, gained, zero3)};
    const wide3 rubbed =
        c->spin[0] ? collide_roll(c, &rub, n, limit, free, leg) : collide_friction(limit, free);
    /* Relative velocities at both ends of the next leg. A particle that friction stops, or that turns round
     * while it acts, has stopped at once: the way to the stop is of second order, and uphill it would take
     * more energy than there is. */
    const wide_mask stopped = rests & ~wide_less(zero, wide3_dot(rubbed, sliding));
    wide3 v = wide3_select(stopped, zero3, wide3_select(rests, sliding, wide3_add_scaled(rubbed, after, n))),
          end = wide3_add(v, dv);
    if (wide_lane_bits(dragged)) end = wide3_sub(end, collide_taken_back(c, &drag, wide3_sub(v, w)));
    end = wide3_select(rests, rubbed, end);
    const wide slow = COLLIDE_SLOW * (collide_sum(v) + collide_sum(end) + collide_sum(material));
    const wide_mask against =
        wide_less(wide_min(wide3_dot(leg->rest_normal, v), wide3_dot(leg->rest_normal, end)), zero - slow);
    /* Not a plane with itself, which has turned since. */
    const wide3 along = wide3_cross(n, leg->rest_normal);
    const wide_mask apart =
        ~wide_less(wide3_dot(along, along), wide_max(hit->spin * hit->spin, wide_set(COLLIDE_SLOW)));
    const wide_mask creased = hits & rests & leg->rested & against & apart;
    if (wide_lane_bits(creased)) {
        collide_press press = {.into = wide3_add(w, dv), .free = free, .gained = gained, .spin = spin};
        collide_enter_crease(c, hit, creased, friction, &press, leg, &v, &end);
    }
    leg->creased = (leg->creased & ~hits) | creased;
    if (c->add_hits) collide_add_hits(c, hit, hits, x, zero - wn, leg);
    const collide_after next = {x, v, end, material, at, rests, friction, limit};
    collide_go_on(c, hit, hits, &next, leg);
}

/* Ends the legs of lanes beside a collider that they pass by, and begins the next ones: so the segments of
 * both are nearer to the parabola. */
MOTE_OUTLINE void collide_pass(const collide_hit *hit, wide_mask passes, collide_leg *leg) {
    const wide f = hit->f, rest_of = 1.0f - f;
    const wide3 x = wide3_sub(wide3_add_scaled(leg->x, f, wide3_sub(leg->end_x, leg->x)),
                              wide3_scale(f * rest_of, leg->lag));
    leg->x = wide3_select(passes, x, leg->x);
    leg->v = wide3_select(passes, wide3_add_scaled(leg->v, f, leg->dv), leg->v);
    leg->left = wide_select(passes, leg->left * rest_of, leg->left);
    leg->turned = wide3_select(passes, wide3_scale(rest_of, leg->turned), leg->turned);
    leg->raised = wide3_select(passes, wide3_scale(rest_of * rest_of, leg->raised), leg->raised);
    leg->met = (passes & hit->index) | (~passes & leg->met);
    leg->active |= passes;
}

/* Returns whether an end of a leg is farther than `most` (m, in x, y or z) from a place. */
MOTE_INLINE bool collide_leaves(const collide_leg *leg, wide3 place, wide most) {
    const wide3 size =
        wide3_max(contact_abs(wide3_sub(leg->x, place)), contact_abs(wide3_sub(leg->end_x, place)));
    const wide way = wide_max(wide_max(size.x, size.y), size.z);
    return wide_lane_bits(leg->active & ~wide_less(way, most)) != 0;
}

/* Input and output of collide_register. */
typedef struct collide_lanes {
    wide3 from_x, from_v;   /* state before the substep */
    wide3 x, v;             /* state after it */
    wide left;              /* the way takes the last part of the substep: its share; 1: all of it */
    wide radius;            /* m */
    wide room;              /* m, in each of x, y, z: how far from from_x the list of near colliders holds */
    wide_mask keep;         /* lanes that collide; those killed are removed */
    wide_mask spun;         /* lanes whose spin changed */
    wide_mask changed;      /* lanes that began to stick, or whose hits are listed: the next substep counts */
    size_t first;           /* slot of the first lane */
    const uint16_t *packed; /* offsets of the lanes from that slot; NULL: they are in order */
} collide_lanes;

/* Moves stuck lanes with their colliders, and releases those whose collider is gone. half: what velocities
 * gain in half a substep, where their columns lag behind by it. Returns the stuck lanes. */
MOTE_INLINE wide_mask collide_hold(const mote_collision *c, const mote_collider_pose *from, size_t i,
                                   wide3 half, collide_lanes *s) {
    const wide_mask serial = wide_mask_load((const int32_t *)(const void *)(c->stuck + i)) & s->keep;
    wide_mask held = (wide_mask){0};
    if (!wide_lane_bits(~wide_is(serial, 0))) return held;
    const wide3 place = wide3_load(c->stuck_place, i);
    for (uint32_t k = 0; k < c->all.count; k++) {
        const mote_collider_pose *was = &from[c->all.index[k]], *pose = was + c->count;
        const wide_mask here = wide_is(serial, (int32_t)pose->serial);
        if (pose->response != MOTE_RESPONSE_STICK || !wide_lane_bits(here)) continue;
        const wide3 arm = contact_out_of(pose->axis, place),
                    drift = wide3_add(wide3_set(pose->shift),
                                      contact_out_of(pose->turn, contact_out_of(was->axis, place)));
        s->x = wide3_select(here, wide3_add(wide3_set(pose->origin), arm), s->x);
        s->v = wide3_select(here, wide3_sub(wide3_scale(wide_set(c->inverse_h), drift), half), s->v);
        held |= here;
        if (c->spin[0]) collide_stop_spin(c, i, here);
    }
    wide_mask_store((int32_t *)(void *)(c->stuck + i),
                    wide_mask_load((const int32_t *)(const void *)(c->stuck + i)) & (held | ~s->keep));
    return held;
}

/* Stores which collider lanes stick to, and where. */
MOTE_INLINE void collide_stick(const mote_collision *c, const mote_collider_pose *to, size_t i,
                               const collide_hit *hit, wide_mask sticks, const collide_leg *leg) {
    if (!wide_lane_bits(sticks)) return;
    wide_mask serial = wide_mask_load((const int32_t *)(const void *)(c->stuck + i));
    wide3 place = wide3_load(c->stuck_place, i);
    for (uint32_t k = 0; k < c->all.count; k++) {
        const mote_collider_pose *pose = &to[c->all.index[k]];
        const wide_mask here = sticks & wide_is(hit->index, c->all.index[k]);
        if (!wide_lane_bits(here)) continue;
        const wide3 arm = contact_into(pose->axis, wide3_sub(leg->end_x, wide3_set(pose->origin)));
        place = wide3_select(here, arm, place);
        serial = (here & (int32_t)pose->serial) | (~here & serial);
    }
    wide_mask_store((int32_t *)(void *)(c->stuck + i), serial);
    wide3_store(c->stuck_place, i, place);
}

/* Marks the lanes that a collider killed. Those that are just born die in the next step. */
MOTE_INLINE void collide_kill(const mote_collision *c, const collide_leg *leg, wide_mask kills) {
    uint32_t bits = c->killed ? wide_lane_bits(kills) : 0;
    if (bits) __atomic_store_n(c->killed, 1, __ATOMIC_RELAXED);
    for (; bits; bits &= bits - 1) {
        uint8_t *fate = c->fate + collide_slot(leg, __builtin_ctz(bits));
        if (!*fate) *fate = MOTE_FATE_COLLIDED;
    }
}

/* Puts lanes that rest on several contacts back where the substep began, so that rounding does not move them.
 */
MOTE_INLINE void collide_stay(const collide_lanes *s, collide_leg *leg) {
    const wide3 way = contact_abs(wide3_sub(leg->end_x, s->from_x));
    const wide_mask held = leg->creased & ~leg->held & wide_equal(collide_sum(leg->end_v), (wide){0}) &
                           wide_less(wide_max(wide_max(way.x, way.y), way.z), 16.0f * leg->slack);
    leg->end_x = wide3_select(held, s->from_x, leg->end_x);
}

/* Returns `room` of lanes at x whose step began at `origin`. */
MOTE_INLINE wide collide_room(const mote_near *near, wide3 origin, wide3 x) {
    const wide3 away = contact_abs(wide3_sub(x, origin));
    return near->free - wide_max(wide_max(away.x, away.y), away.z);
}

/* Collides one register in one substep. Out of line: one instance serves all kernels. Lanes of particles that
 * stick or turn are in order. */
MOTE_OUTLINE void collide_register(const mote_collision *c, const mote_near *near, uint32_t substep,
                                   collide_lanes *s) {
    const size_t i = s->first;
    const mote_collider_pose *from = c->poses + (size_t)substep * c->count, *to = from + c->count;
    const wide3 zero = wide3_zero();
    collide_leg leg;
    collide_leg_clear(&leg);
    leg.x = s->from_x, leg.v = s->from_v;
    leg.slot = i, leg.packed = s->packed, leg.substep = substep;
    const wide probe = wide3_finite_probe(s->from_x) + wide3_finite_probe(s->from_v) +
                       wide3_finite_probe(s->x) + wide3_finite_probe(s->v);
    leg.active = s->keep & wide_equal(probe, zero.x); /* the others meet nothing, and freeze */
    wide3 half = zero;
    if (c->half_step) half = wide3_scale(wide_set(0.5f), wide3_sub(s->v, s->from_v));
    if (c->stuck) leg.active &= ~collide_hold(c, from, i, half, s);
    const wide_mask free = leg.active;
    leg.end_x = s->x, leg.end_v = s->v;
    leg.left = s->left;
    leg.radius = s->radius;
    leg.last = (wide_mask){0} - 1;
    if (c->spin[0]) leg.spin = wide3_load(c->spin, i);
    if (c->advects) leg.v = leg.end_v;
    if (c->half_step) leg.v = wide3_add(leg.v, half), leg.end_v = wide3_add(leg.end_v, half);
    leg.gained = wide3_sub(leg.end_v, leg.v);
    mote_near reached;
    const mote_near *list = collide_leaves(&leg, s->from_x, s->room) ? &c->all : near;
    collide_leg_begin(c, &leg);
    const collide_region region = collide_reach(c, list, from, &leg, &reached);
    list = &reached;
    for (int sweep = 0; list->count; sweep++) {
        collide_hit hit;
        collide_hit_clear(&hit);
        collide_find(c, list, from, &leg, &hit);
        wide_mask hits = leg.active & wide_less(hit.f, wide_set(COLLIDE_NO_HIT));
        if (!wide_lane_bits(hits)) break;
        if (list->count > 1) collide_look_again(c, list, from, &leg, hits, &hit);
        if (sweep == COLLIDE_SWEEPS) {
            collide_end(c, from, &hit, hits, &leg);
            break;
        }
        const wide_mask passes = hits & hit.passes;
        hits &= ~passes;
        collide_resolve(c, &hit, hits, &leg);
        if (wide_lane_bits(passes)) collide_pass(&hit, passes, &leg);
        if (c->stuck) {
            collide_stick(c, to, i, &hit, hits & hit.sticks, &leg);
            leg.changed |= hits & hit.sticks;
        }
        collide_kill(c, &leg, hits & hit.kills);
        s->keep &= ~(hits & hit.kills);
        if (!wide_lane_bits(leg.active)) break;
        collide_leg_begin(c, &leg);
        if (collide_leaves(&leg, region.x, region.most) || collide_leaves(&leg, s->from_x, s->room))
            list = &c->all;
    }
    if (!c->still || (c->hollow && wide_lane_bits(leg.touched)))
        collide_settle(c, from, free, s->from_x, &leg);
    if (c->still) collide_stay(s, &leg);
    if ((c->springs || c->attracts) && c->still && wide_lane_bits(leg.touched)) {
        const wide3 last = wide3_add(wide3_add(s->from_v, half), leg.gained);
        if (c->attracts)
            collide_limit_attracted(c, s->from_x, s->x, last, s->left, &leg);
        else
            collide_limit_energy(c, s->from_x, s->x, last, s->left, &leg);
    }
    if (c->half_step) leg.end_v = wide3_sub(leg.end_v, collide_half_at_end(c, &leg, s->from_v, half));
    s->changed = leg.changed;
    s->x = wide3_select(leg.touched, leg.end_x, s->x);
    s->v = wide3_select(leg.touched, leg.end_v, s->v);
    if (c->spin[0]) s->spun = collide_store_spin(c, i, &leg);
}

#endif
