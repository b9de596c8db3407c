/* Collisions of loose particles with height fields and distance grids.
 *
 * These are not convex. A particle that left the surface may meet it again within the same leg, so that the
 * last collider is tested too. The path in the axes of a collider that turns is taken as straight between the
 * places where it enters and leaves the ball around it: it is continuous, so that nothing tunnels, and off by
 * up to a w / 4 with the angle a and the way w between them (Coriolis).
 * Along a hollow surface a particle that touches it goes on along its tangent for up to DISTANCE_SINKS of a
 * cell and is put back at the end of the substep (collide_settle). */
#ifndef MOTE_PARTICLES_COLLIDE_GRID_H
#define MOTE_PARTICLES_COLLIDE_GRID_H

#include "contacts/distance_grid.h"
#include "contacts/height_field.h"
#include "particles/collide_hit.h"

MOTE_OUTLINE grid_surface collide_grid_surface(const mote_collider_pose *to, wide3 q, wide r) {
    if (to->height_field) return height_field_surface(to->height_field, q, r);
    return distance_grid_surface(to->distance_grid, q, r);
}

/* Surface at the end of a leg; far beyond the samples. */
MOTE_OUTLINE collide_surface collide_grid_end(const mote_collider_pose *to, const collide_leg *leg, wide3 q) {
    const grid_surface s = collide_grid_surface(to, q, to->radius + leg->radius);
    return (collide_surface){wide_select(s.within, s.distance, wide_set(MOTE_GRID_FAR)), s.normal};
}

/* Leg in the axes of the collider: from d0 in the world's directions; its part from `first` on, `part` long,
 * is the segment. */
typedef struct collide_grid_leg {
    grid_segment path;
    wide3 d0, way;
    wide first, part, passed;
    wide_mask misses;
} collide_grid_leg;

/* Cuts the leg to the ball around a collider that turns, so that its angle in the segment is small for fast
 * particles. The surface of a height field for the radius r is up to r times its greatest weight above the
 * samples. */
MOTE_INLINE void collide_grid_cut(const mote_collider_pose *to, wide radius, collide_grid_leg *leg) {
    const float weight = to->height_field ? to->height_field->weight : 1.0f;
    const wide zero = {0}, one = wide_set(1.0f),
               ball = 1.02f * (to->ball + weight * (radius + leg->path.tolerance));
    const wide square = wide_max(wide3_dot(leg->way, leg->way), wide_set(CONTACT_SHORT));
    const wide middle = (zero - wide3_dot(leg->d0, leg->way)) / square;
    const wide3 foot = wide3_add_scaled(leg->d0, middle, leg->way);
    const wide inner = ball * ball - wide3_dot(foot, foot), half = wide_sqrt(wide_max(inner, zero) / square);
    const wide stop = wide_clamp(middle + half, 0.0f, 1.0f);
    leg->first = wide_clamp(middle - half, 0.0f, 1.0f);
    leg->part = stop - leg->first;
    leg->misses = ~wide_less(zero, inner) | wide_less(one, middle - half) | wide_less(middle + half, zero);
}

MOTE_INLINE wide3 collide_grid_into(const mote_collider_pose *to, const collide_grid_leg *leg, wide left,
                                    wide f, wide3 d) {
    if (!to->turns) return contact_into(to->axis, d);
    return collide_into_at(to, to->kind, leg->passed + f * left, d);
}

/* Makes the path of a leg in the axes of the collider, clipped to its bounds. */
MOTE_INLINE collide_grid_leg collide_grid_path(const mote_collision *c, const mote_collider_pose *to,
                                               const collide_leg *leg, wide3 d0, wide3 drift) {
    const wide zero = {0}, one = wide_set(1.0f), left = leg->left;
    collide_grid_leg g = {.d0 = d0, .first = zero, .part = one, .passed = 1.0f - left};
    const wide3 d1 = wide3_sub(leg->end_x, wide3_set(to->origin)),
                material = wide3_scale(wide_set(c->inverse_h), drift), v = wide3_sub(leg->v, material);
    g.way = wide3_sub(d1, d0);
    g.path = (grid_segment){.radius = to->radius + leg->radius, .tolerance = leg->slack + to->slack};
    if (to->turns) collide_grid_cut(to, leg->radius, &g);
    const wide stop = g.first + g.part;
    const wide3 from = wide3_add_scaled(d0, g.first, g.way),
                end = wide3_select(wide_less(stop, one), wide3_add_scaled(d0, stop, g.way), d1);
    g.path.q = collide_grid_into(to, &g, left, g.first, from);
    g.path.u = wide3_sub(collide_grid_into(to, &g, left, stop, end), g.path.q);
    g.path.v = collide_grid_into(to, &g, left, g.first, v);
    g.path.later = collide_grid_into(to, &g, left, g.first, wide3_add_scaled(v, wide_set(c->theta), leg->dv));
    g.path.slow = leg->slow + COLLIDE_SLOW * collide_sum(material);
    if (to->height_field)
        height_field_clip(to->height_field, &g.path);
    else
        distance_grid_clip(to->distance_grid, &g.path);
    return g;
}

/* Selects the lanes that a leg may lead to the surface, from the distance at its start. */
MOTE_INLINE wide_mask collide_grid_near(const mote_collider_pose *to, const grid_segment *path,
                                        const grid_surface *at, wide_mask lanes) {
    if (to->height_field) return lanes;
    const wide way = to->distance_grid->slope * collide_sum(path->u) + path->tolerance;
    return lanes & ~(at->within & wide_equal(path->begin, (wide){0}) & wide_less(way, at->distance));
}

/* Solves for the time of the impact on the ballistic arc, from that on its chord, `at`: both are fractions of
 * the leg. Where the arc is inside the solid the impact stays on the chord, which loses energy; these lanes
 * are in *straight. Returns the fraction. */
MOTE_INLINE wide collide_grid_bend(const mote_collider_pose *to, const collide_leg *leg,
                                   const collide_grid_leg *g, const grid_search *search, wide at,
                                   wide3 normal, wide_mask *straight) {
    const wide slope = wide3_dot(search->normal, g->path.u) / wide_max(g->part, wide_set(CONTACT_SHORT));
    const wide_mask later = search->found & wide_less((wide){0}, at);
    const wide f = wide_select(later, collide_parabola(at, slope, wide3_dot(normal, leg->lag)), at);
    wide3 d = wide3_add_scaled(g->d0, f, g->way);
    d = wide3_sub(d, wide3_scale(f * (1.0f - f), leg->lag));
    const grid_surface there =
        collide_grid_surface(to, collide_grid_into(to, g, leg->left, f, d), g->path.radius);
    *straight = later & there.within & wide_less(there.distance, -2.0f * g->path.tolerance);
    return wide_select(*straight, at, f);
}

/* Returns the direction in which lanes inside leave, in the axes of the collider, and in *depth how far it
 * is: along the normal, or straight up where that leads below another triangle of a height field, as it does
 * from under a steep valley. q: the place, of which `start` is the surface. */
MOTE_OUTLINE wide3 collide_grid_out(const mote_collider_pose *to, const grid_segment *path, wide3 q,
                                    const grid_surface *start, wide *depth) {
    const wide zero = {0}, one = wide_set(1.0f);
    if (!to->height_field) return start->normal;
    const grid_surface end =
        collide_grid_surface(to, wide3_add_scaled(q, *depth, start->normal), path->radius);
    const wide_mask below = end.within & wide_less(end.distance, -2.0f * path->tolerance);
    *depth = wide_select(below, *depth / start->normal.y, *depth);
    return wide3_select(below, (wide3){zero, one, zero}, start->normal);
}

/* Replaces *hit in the lanes that hit this height field or distance grid earlier. */
MOTE_OUTLINE void collide_with_grid(const mote_collision *c, int32_t index, const mote_collider_pose *from,
                                    const collide_leg *leg, collide_hit *hit) {
    const mote_collider_pose *to = from + c->count;
    const wide zero = {0};
    const wide3 d0 = collide_start(from, to, leg), shift = wide3_set(to->shift);
    wide3 drift = shift, swerve = wide3_zero();
    if (to->turns) drift = collide_drift(to, d0, &swerve);
    const collide_grid_leg g = collide_grid_path(c, to, leg, d0, drift);
    wide_mask lanes = leg->active & ~g.misses & ~wide_less(g.path.end, g.path.begin);
    /* A height field is solid to any depth, also beyond the ball to which the leg is cut. */
    const wide_mask places = to->turns && to->height_field ? leg->active : lanes;
    if (!wide_lane_bits(places)) return;
    wide_mask straight = (wide_mask){0};
    const wide3 q = to->turns ? collide_grid_into(to, &g, leg->left, zero, d0) : g.path.q;
    const grid_surface start = collide_grid_surface(to, q, g.path.radius);
    const wide_mask inside = places & start.within & wide_less(start.distance, -2.0f * g.path.tolerance);
    lanes &= ~inside;
    grid_search search = grid_search_begin(&g.path, collide_grid_near(to, &g.path, &start, lanes));
    if (to->height_field)
        height_field_sweep(to->height_field, &g.path, &search);
    else
        distance_grid_sweep(to->distance_grid, &g.path, &search);
    const wide_mask meets = search.found | inside;
    if (!wide_lane_bits(meets)) return;
    const wide3 local = wide3_select(inside, start.normal, search.normal);
    const wide at = wide_select(search.found, g.first + search.f * g.part, zero);
    const wide3 normal =
        collide_normal_at(to, (collide_form){to->kind, to->turns}, g.passed + at * leg->left, local);
    wide f = at;
    if (wide_lane_bits(search.found)) f = collide_grid_bend(to, leg, &g, &search, at, normal, &straight);
    wide depth = wide_select(inside, zero - start.distance, zero);
    wide3 way = local, out = normal;
    if (wide_lane_bits(inside)) {
        way = collide_grid_out(to, &g.path, q, &start, &depth);
        out = collide_normal_at(to, (collide_form){to->kind, to->turns}, g.passed + at * leg->left, way);
    }
    const wide3 later = to->turns ? contact_out_of(to->axis, local) : normal;
    wide3 place = normal;
    if (to->turns) {
        const wide3 d = wide3_add_scaled(d0, f, g.way);
        drift = collide_drift(to, collide_contact(to, leg, normal, d), &swerve);
        place = wide3_add(wide3_set(to->origin),
                          contact_out_of(to->axis, collide_grid_into(to, &g, leg->left, f, d)));
        place = wide3_add_scaled(place, depth, contact_out_of(to->axis, way));
    }
    const collide_hit here = {.f = wide_select(inside, wide_set(COLLIDE_INSIDE), f),
                              .normal = normal,
                              .later = later,
                              .place = place,
                              .drift = drift,
                              .swerve = swerve,
                              .grid = meets,
                              .straight = straight,
                              .out = out,
                              .depth = depth};
    collide_take(c, index, to, &here, meets, hit);
}

#endif
