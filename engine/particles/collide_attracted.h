/* Energy of contacts under attractors, by substeps x1 = x0 + h v1. Their velocities are half a substep older
 * than their places: v + h a / 2 is that at x. A hit reverses v alone, so that a particle gains h a of speed
 * at each hit on a wall from which forces pull it away. Those of attractors do so on all sides (measured: 5
 * times the kinetic energy in 50 s within a box of 2 m around one). */
#ifndef MOTE_PARTICLES_COLLIDE_ATTRACTED_H
#define MOTE_PARTICLES_COLLIDE_ATTRACTED_H

#include "forces/attraction.h"
#include "particles/collide_springs.h"

/* Parts of the energy that lanes may have: of the velocity u along that at the end of the last leg, u^2 + 2
 * slope u = square. */
typedef struct collide_allowed {
    wide square, slope; /* m^2/s^2, m/s */
} collide_allowed;

/* Returns what lanes may have at `place` with the velocity `now` and the energy (v + h a / 2)^2 / 2 + U of
 * the end of the free path. f->mean is without the attractors. */
MOTE_INLINE collide_allowed collide_allowed_at(const mote_collision *c, const collide_free *f, wide half,
                                               wide3 place, wide3 now) {
    const wide3 d = wide3_sub(place, f->x), way = wide3_add(wide3_sub(f->x, f->x0), d),
                grown = wide3_mul(f->grows, way), a = wide3_add_scaled(f->mean, wide_set(0.5f), grown);
    const wide work = wide3_dot(a, d) + mote_attraction_work(c->forces, c->force_count, f->x, place);
    const wide3 there = wide3_add(f->mean, mote_attraction(c->forces, c->force_count, f->x)),
                here = wide3_add(f->mean, mote_attraction(c->forces, c->force_count, place)),
                lag = wide3_scale(half, here), free = wide3_add_scaled(f->v, half, there);
    return (collide_allowed){wide3_dot(free, free) + 2.0f * work - wide3_dot(lag, lag), wide3_dot(lag, now)};
}

/* Limits lanes that bounced off colliders at rest to the energy that the free path ends with, where
 * attractors act; elsewhere collide_limit_energy does. Resting lanes gain none. */
MOTE_OUTLINE void collide_limit_attracted(const mote_collision *c, wide3 x0, wide3 x, wide3 v, wide left,
                                          collide_leg *leg) {
    const wide zero = {0}, one = wide_set(1.0f), half = 0.5f * c->h * left;
    const wide_mask lanes = leg->touched & ~leg->held & ~leg->rested;
    if (!wide_lane_bits(lanes)) return;
    const collide_free free = {.x0 = x0,
                               .x = x,
                               .v = v,
                               .mean = wide3_sub(wide3_scale(c->inverse_h / left, leg->gained),
                                                 mote_attraction(c->forces, c->force_count, x0)),
                               .grows = wide3_add_scaled(wide3_set(c->stiffness),
                                                         collide_inverse_masses(c, leg, lanes),
                                                         wide3_set(c->force_stiffness))};
    collide_allowed most = collide_allowed_at(c, &free, half, leg->end_x, leg->end_v);
    const wide_mask high = lanes & wide_less(most.square, zero);
    if (wide_lane_bits(high)) {
        leg->end_x = wide3_select(high, leg->x, leg->end_x);
        leg->end_v = wide3_select(high, leg->v, leg->end_v);
        const collide_allowed before = collide_allowed_at(c, &free, half, leg->x, leg->v);
        most.square = wide_select(high, wide_max(before.square, zero), most.square);
        most.slope = wide_select(high, before.slope, most.slope);
    }
    /* The share s of the velocity with s^2 v^2 + 2 s slope = square. */
    const wide square = wide3_dot(leg->end_v, leg->end_v), twice = most.slope + most.slope;
    const wide_mask more = lanes & wide_less(most.square + COLLIDE_UNKNOWN * square, square + twice);
    if (!wide_lane_bits(more)) return;
    const wide root = wide_sqrt(most.slope * most.slope + square * wide_max(most.square, zero)),
               share = (root - most.slope) / wide_select(more & wide_less(zero, square), square, one);
    leg->end_v = wide3_select(more, wide3_scale(wide_clamp(share, 0.0f, 1.0f), leg->end_v), leg->end_v);
}

#endif
