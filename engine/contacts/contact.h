/* Contacts of points with colliders, one point in each lane: the plane that touches the collider.
 *
 * A point that ended a substep outside a collider may have passed through it (tunnelling). Its path relative
 * to the collider is taken as the straight segment from q0 to q1 in the collider's own axes. Colliders are
 * convex, so a plane that touches one and has q0 on its outer side has q1 behind it whenever the segment
 * meets the collider. A lane that passed through gets such a plane, which returns the point to the side from
 * which it came. All others get the plane at the surface nearest to q1. Every plane touches the collider
 * without cutting it, for any path. Height fields and distance grids are not convex: contact_grid.
 *
 * Closest points of segments: C. Ericson, Real-Time Collision Detection (2005) 5.1.8 and 5.1.9; segment
 * against box: 5.3.3. */
#ifndef MOTE_CONTACTS_CONTACT_H
#define MOTE_CONTACTS_CONTACT_H

#include <string.h>

#include "contacts/colliders.h"
#include "contacts/distance_grid.h"
#include "contacts/height_field.h"
#include "math/wide.h"

/* Contact plane: gap(x) = normal . x - offset, m. The offset includes the point's radius: its surface touches
 * at gap 0. */
typedef struct mote_contact {
    wide3 normal;     /* unit vector out of the collider; 0: no contact */
    wide offset;      /* set by mote_contact_settle */
    wide gap;         /* gap at the end of the substep */
    wide3 drift;      /* m, motion of the collider's material under the point in the substep */
    wide friction;    /* coefficient of the collider; after mote_contact_settle: combined with the point's */
    wide_mask marked; /* the mark of the collider: mote_contact_list */
} mote_contact;

#define MOTE_NO_CONTACT 1e30f /* m, the gap without a contact */

MOTE_INLINE mote_contact mote_contact_none(void) {
    const wide far = wide_set(MOTE_NO_CONTACT), zero = {0};
    return (mote_contact){wide3_zero(), zero - far, far, wide3_zero(), zero, (wide_mask){0}};
}

/* Plane in the axes in which the path is given. */
typedef struct contact_plane {
    wide3 normal;
    wide gap;
} contact_plane;

#define CONTACT_SHORT 1e-30f /* squared length below which vectors have no direction */

/* Detects lanes in which a segment comes nearer to the origin than r and leaves again. a, b, c: dot products
 * p0.p0, p0.p1, p1.p1 of its ends. Paths that dip by less than 1/32 of r (chords under r/2) are ignored, so
 * that a point that slides over the surface keeps the plane at its end. Cancellation in a c - b b spoils the
 * float result beyond a thousand r. */
MOTE_INLINE wide_mask contact_passes(wide a, wide b, wide c, wide r2) {
    const wide square = (a - b) + (c - b); /* squared length of the segment */
    return wide_less(b, a) & wide_less(b, c) & wide_less(a * c - b * b, (0.9375f * r2) * square);
}

/* Returns the plane at distance r from the origin in the direction v, of squared length a; along = v.p1. For
 * v = 0 the direction is `any`. */
MOTE_INLINE contact_plane contact_across(wide3 v, wide a, wide along, wide r, wide3 any) {
    const wide_mask none = wide_less(a, wide_set(CONTACT_SHORT));
    const wide inverse = 1.0f / wide_sqrt(wide_select(none, wide_set(1.0f), a));
    return (contact_plane){wide3_scale(inverse, wide3_select(none, any, v)), along * inverse - r};
}

/* Detects lanes whose plane faces the start of the path: those that started outside and passed through, or
 * started inside (a point at rest is inside by a rounding error) and are now beyond the middle. a: squared
 * distance of the start from the centre or axis; cross: dot product of that distance vector with the one at
 * the end. */
MOTE_INLINE wide_mask contact_goes_back(wide_mask passed, wide a, wide cross, wide r2) {
    const wide_mask outside = wide_less(r2, a);
    return ((outside & passed) | (~outside & wide_less(cross, (wide){0}))) &
           wide_less(wide_set(CONTACT_SHORT), a);
}

MOTE_INLINE wide3 contact_abs(wide3 a) { return (wide3){wide_abs(a.x), wide_abs(a.y), wide_abs(a.z)}; }

/* Detects lanes that move far enough to pass through: more than half of the collider's thickness. If no
 * coordinate changes by more than a quarter of it, no lane does; this test avoids the squares of small
 * displacements, which are denormals (measured: half the time of a contact). */
MOTE_INLINE wide_mask contact_moves_far(wide3 u, wide thickness) {
    const wide3 size = contact_abs(u);
    const wide most = wide_max(wide_max(size.x, size.y), size.z), quarter = 0.25f * thickness;
    if (!wide_lane_bits(wide_less(quarter, most))) return (wide_mask){0};
    return wide_less(0.25f * thickness * thickness, wide3_dot(u, u));
}

/* Sphere contact. q0, q1 are in axes that do not turn: a sphere that spins in place touches nothing new. */
MOTE_INLINE contact_plane contact_sphere(const mote_collider_pose *to, wide3 q0, wide3 q1, wide r) {
    const wide a = wide3_dot(q0, q0), b = wide3_dot(q0, q1), c = wide3_dot(q1, q1), r2 = r * r;
    const wide_mask back = contact_goes_back(contact_passes(a, b, c, r2), a, b, r2);
    return contact_across(wide3_select(back, q0, q1), wide_select(back, a, c), wide_select(back, b, c), r,
                          wide3_set(to->axis[1]));
}

/* Capsule contact, along y. The point of the axis segment nearest to the path is found from the path's
 * nearest approach to the infinite y axis; about that point the test is that of a sphere. */
MOTE_INLINE contact_plane contact_capsule(const mote_collider_pose *to, wide3 q0, wide3 q1, wide r) {
    const float h = to->half_length;
    const wide3 x_axis = {wide_set(1.0f), (wide){0}, (wide){0}};
    /* Dot products of the distances from the y axis; squared distance of the end from the axis segment. */
    const wide a = q0.x * q0.x + q0.z * q0.z, b = q0.x * q1.x + q0.z * q1.z, c = q1.x * q1.x + q1.z * q1.z,
               r2 = r * r;
    const wide y1 = q1.y - wide_clamp(q1.y, -h, h), here = c + y1 * y1;
    /* Point of the segment nearest to the path, and the sphere test about it. */
    const wide square = wide_max((a - b) + (c - b), wide_set(CONTACT_SHORT));
    const wide nearest = q0.y + wide_clamp((a - b) / square, 0.0f, 1.0f) * (q1.y - q0.y);
    const wide at = wide_clamp(nearest, -h, h), e0 = q0.y - at, e1 = q1.y - at;
    const wide_mask passed = contact_passes(a + e0 * e0, b + e0 * e1, c + e1 * e1, r2);
    /* Plane across the vector from the segment to the start or to the end. */
    const wide foot = wide_clamp(q0.y, -h, h), y0 = q0.y - foot;
    const wide from = a + y0 * y0, cross = b + y0 * (q1.y - foot);
    const wide_mask back = contact_goes_back(passed, from, cross, r2);
    const wide3 v = {wide_select(back, q0.x, q1.x), wide_select(back, y0, y1), wide_select(back, q0.z, q1.z)};
    return contact_across(v, wide_select(back, from, here), wide_select(back, cross, here), r, x_axis);
}

/* --- The box --- */

/* Selects the axis of the largest of a.x / b.x, a.y / b.y, a.z / b.z, b >= 0; the first in a tie. */
typedef struct contact_axis {
    wide_mask y, z;
} contact_axis;

MOTE_INLINE contact_axis contact_largest(wide3 a, wide3 b) {
    const wide_mask y = wide_less(a.x * b.y, a.y * b.x);
    const wide over = wide_select(y, a.y, a.x), under = wide_select(y, b.y, b.x);
    return (contact_axis){y, wide_less(over * b.z, a.z * under)};
}

/* Returns how far a point starts from a face, to 1/1024 of the half edge, times its way across that. */
MOTE_INLINE wide contact_off(wide above, wide face, wide way) {
    const wide slack = 0x1p-18f * face, off = (wide_abs(above) + slack) * way;
    return wide_select(wide_less(above, wide_set(0.0f) - slack) | wide_less(0x1p-10f * face, above),
                       wide_set(MOTE_NO_CONTACT), off);
}

/* Selects the axis of the face on which a point starts, `otherwise` where it is on none: one that slides over
 * a floor of several boxes enters the next by its side, a hair below the top. above: m, of the start. */
MOTE_INLINE contact_axis contact_resting(wide3 above, wide3 faces, wide3 size, contact_axis otherwise) {
    const wide x = contact_off(above.x, faces.x, size.x), y = contact_off(above.y, faces.y, size.y),
               z = contact_off(above.z, faces.z, size.z), least = wide_min(x, y);
    const wide_mask on = wide_less(wide_min(z, least), wide_set(MOTE_NO_CONTACT));
    return (contact_axis){(on & wide_less(y, x)) | (~on & otherwise.y),
                          (on & wide_less(z, least)) | (~on & otherwise.z)};
}

MOTE_INLINE wide contact_pick(contact_axis k, wide3 a) {
    return wide_select(k.z, a.z, wide_select(k.y, a.y, a.x));
}

/* Returns the lanes in which any component of a exceeds that of b. */
MOTE_INLINE wide_mask contact_beyond(wide3 a, wide3 b) {
    return wide_less(b.x, a.x) | wide_less(b.y, a.y) | wide_less(b.z, a.z);
}

/* Separating-axis test of a segment against a box of half edges f: axes, and their cross products with u. */
MOTE_INLINE wide_mask contact_misses(wide3 q0, wide3 q1, wide3 u, wide3 size, wide3 f) {
    const wide3 sum = wide3_add(q0, q1), twice = wide3_add(f, f); /* doubles both sides */
    const wide3 moment = contact_abs(wide3_cross(sum, u));
    const wide3 reach = {twice.y * size.z + twice.z * size.y, twice.z * size.x + twice.x * size.z,
                         twice.x * size.y + twice.y * size.x};
    return contact_beyond(contact_abs(sum), wide3_add(twice, size)) | contact_beyond(moment, reach);
}

/* Box contact. The rounding r (the box's and the point's) has two halves. A path that stays in the outer half
 * gets the nearest surface: the plane of a face, or one across an edge or a corner. A path that meets the box
 * grown by the inner half (corners within 0.87 r) is pushed out of a face: the last one through whose plane
 * it entered, or the nearest one if it started behind all of them. Near an edge that is often not the face
 * nearest to the end, which would push the point along its path and so give it energy. */
MOTE_INLINE contact_plane contact_box(const mote_collider_pose *to, wide3 q0, wide3 q1, wide r) {
    const wide3 e = wide3_set(to->extent), u = wide3_sub(q1, q0),
                one = {wide_set(1.0f), wide_set(1.0f), wide_set(1.0f)};
    const wide inner = 0.5f * r;
    const wide3 f = {e.x + inner, e.y + inner, e.z + inner}, faces = {e.x + r, e.y + r, e.z + r};
    const wide3 size = contact_abs(u), far0 = contact_abs(q0);
    const wide thickness = wide_min(wide_min(f.x, f.y), f.z);
    const wide_mask sweeps = contact_moves_far(u, thickness), inside = ~contact_beyond(contact_abs(q1), f),
                    none = (wide_mask){0};
    wide_mask outside = none, meets = none; /* meets: the box grown by the inner half */
    if (wide_lane_bits(sweeps)) {
        outside = sweeps & contact_beyond(far0, f);
        meets = ~contact_misses(q0, q1, u, size, f);
    }
    /* Face: the last one entered, or the nearest one, to the start if that is on the surface, else to the
     * end. A point at rest is inside by a rounding error; of one that moves far, whose end may be beyond the
     * middle, a start within 1/16 of a half edge counts as well. */
    const wide within = wide_select(sweeps, wide_set(0.9375f), wide_set(1 - 0x1p-10f));
    const wide_mask near = contact_beyond(far0, wide3_scale(within, f));
    const wide3 q = wide3_select(near, q0, q1);
    const wide3 across = wide3_select(contact_beyond(far0, faces), size, one);
    const contact_axis k = contact_resting(wide3_sub(far0, faces), faces, size,
                                           contact_largest(wide3_sub(contact_abs(q), faces), across));
    const wide sign = wide_select(wide_less(contact_pick(k, q), (wide){0}), wide_set(-1.0f), wide_set(1.0f));
    const wide along = sign * contact_pick(k, q1);

    /* Vector from the nearest point of the box to the end; selection between its plane and the face. */
    const wide3 v = {q1.x - wide_clamp(q1.x, -to->extent[0], to->extent[0]),
                     q1.y - wide_clamp(q1.y, -to->extent[1], to->extent[1]),
                     q1.z - wide_clamp(q1.z, -to->extent[2], to->extent[2])};
    const wide distance2 = wide3_dot(v, v);
    const wide_mask crossed = sweeps & near & ~outside & wide_less(along, (wide){0});
    const wide_mask face =
        inside | (outside & meets) | crossed | wide_less(distance2, wide_set(CONTACT_SHORT));
    const wide3 normal = {wide_select(k.y | k.z, (wide){0}, sign), wide_select(k.y & ~k.z, sign, (wide){0}),
                          wide_select(k.z, sign, (wide){0})};
    const wide inverse = 1.0f / wide_sqrt(wide_select(face, wide_set(1.0f), distance2));
    const wide surface = wide_select(face, contact_pick(k, faces), r);
    return (contact_plane){wide3_scale(inverse, wide3_select(face, normal, v)),
                           wide_select(face, along, distance2) * inverse - surface};
}

/* --- Any collider --- */

MOTE_INLINE wide3 contact_into(const float axis[3][3], wide3 d) {
    return (wide3){wide3_dot(wide3_set(axis[0]), d), wide3_dot(wide3_set(axis[1]), d),
                   wide3_dot(wide3_set(axis[2]), d)};
}

MOTE_INLINE wide3 contact_out_of(const float axis[3][3], wide3 q) {
    const wide3 sum = wide3_add_scaled(wide3_scale(q.x, wide3_set(axis[0])), q.y, wide3_set(axis[1]));
    return wide3_add_scaled(sum, q.z, wide3_set(axis[2]));
}

/* Returns the vector to the point from the centre of a sphere or from the nearest point of a capsule's
 * axis. */
MOTE_INLINE wide3 contact_from_core(const mote_collider_pose *to, wide3 d1) {
    if (to->kind == MOTE_COLLIDER_SPHERE) return d1;
    const wide3 up = wide3_set(to->axis[1]);
    const wide along = wide_clamp(wide3_dot(up, d1), -to->half_length, to->half_length);
    return wide3_sub(d1, wide3_scale(along, up));
}

/* Returns the plane of a point that may have passed through a sphere or a capsule. */
MOTE_OUTLINE contact_plane contact_swept(const mote_collider_pose *to, wide3 d0, wide3 d1, wide r) {
    if (to->kind == MOTE_COLLIDER_SPHERE) return contact_sphere(to, d0, d1, r);
    contact_plane plane = contact_capsule(to, contact_into(to->start, d0), contact_into(to->axis, d1), r);
    plane.normal = contact_out_of(to->axis, plane.normal);
    return plane;
}

/* Sphere or capsule contact. Lanes that move far are swept; the others get the nearest surface at the end.
 * u: the path of the point relative to the origin of the collider, which d1 - d0 is up to the rounding of
 * both: so no lane moves far beside a collider that others skip or for which contact_is_slow. Registers of
 * which no lane is near are skipped (measured: a third of the cost of sweeping all). Returns the lanes that
 * move far or end within `limit` of the surface. */
MOTE_INLINE wide_mask contact_round(const mote_collider_pose *to, wide3 u, wide3 d0, wide3 d1, wide r,
                                    wide limit, contact_plane *plane) {
    if (to->turns && to->kind == MOTE_COLLIDER_CAPSULE)
        u = wide3_sub(contact_into(to->axis, d1), contact_into(to->start, d0));
    const wide_mask far = contact_moves_far(u, r);
    const wide3 v = contact_from_core(to, d1);
    const wide square = wide3_dot(v, v), within = r + limit;
    const wide_mask near = far | wide_less(square, within * within);
    if (!wide_lane_bits(near)) return near;
    *plane = contact_across(v, square, square, r, wide3_set(to->axis[to->kind == MOTE_COLLIDER_SPHERE]));
    if (!wide_lane_bits(far)) return near;
    const contact_plane swept = contact_swept(to, d0, d1, r);
    *plane = (contact_plane){wide3_select(far, swept.normal, plane->normal),
                             wide_select(far, swept.gap, plane->gap)};
    return near;
}

/* Contact with a height field or distance grid, neither of which is convex: the tangent plane at the end, or,
 * if the point moves by more than half a cell along an axis and its path leads into the solid, where it does
 * so. Returns the lanes that have a surface within `limit`. q0, q1 are in the axes of the collider. */
MOTE_OUTLINE wide_mask contact_grid(const mote_collider_pose *to, wide3 q0, wide3 q1, wide r, wide limit,
                                    contact_plane *plane) {
    const mote_height_field *field = to->height_field;
    const float cell = field ? (field->spacing[0] < field->spacing[1] ? field->spacing[0] : field->spacing[1])
                             : to->distance_grid->spacing;
    const grid_surface end =
        field ? height_field_surface(field, q1, r) : distance_grid_surface(to->distance_grid, q1, r);
    wide_mask applies = end.within & wide_less(end.distance, limit);
    *plane = (contact_plane){end.normal, end.distance};
    const wide3 u = wide3_sub(q1, q0), size = contact_abs(u);
    const wide_mask far = wide_less(wide_set(0.5f * cell), wide_max(wide_max(size.x, size.y), size.z));
    if (!wide_lane_bits(far)) return applies;
    grid_segment path = {.q = q0, .u = u, .radius = r, .v = wide3_zero(), .later = wide3_zero()};
    if (field)
        height_field_clip(field, &path);
    else
        distance_grid_clip(to->distance_grid, &path);
    grid_search search = grid_search_begin(&path, far & ~wide_less(path.end, path.begin));
    if (field)
        height_field_sweep(field, &path, &search);
    else
        distance_grid_sweep(to->distance_grid, &path, &search);
    const wide_mask falls = search.falls;
    const wide3 way = wide3_scale(wide_set(1.0f) - search.f, u);
    plane->normal = wide3_select(falls, search.normal, plane->normal);
    plane->gap = wide_select(falls, wide3_dot(search.normal, way), plane->gap);
    return applies | falls;
}

/* Contact with a plane, box, height field or distance grid, see contact_with. */
MOTE_OUTLINE wide_mask contact_other(const mote_collider_pose *to, wide3 d0, wide3 d1, wide radius,
                                     wide limit, contact_plane *plane) {
    const wide3 up = wide3_set(to->axis[1]);
    if (to->kind == MOTE_COLLIDER_PLANE) {
        *plane = (contact_plane){up, wide3_dot(up, d1) - radius};
        return ~(wide_mask){0};
    }
    const wide r = to->radius + radius;
    const wide3 q0 = contact_into(to->start, d0), q1 = contact_into(to->axis, d1);
    wide_mask applies = ~(wide_mask){0};
    if (to->kind == MOTE_COLLIDER_BOX)
        *plane = contact_box(to, q0, q1, r);
    else
        applies = contact_grid(to, q0, q1, r, limit, plane);
    plane->normal = contact_out_of(to->axis, plane->normal);
    return applies;
}

/* Dispatches on the kind of collider. d0, d1: the point minus the collider's origin, before and now; u: the
 * path from d0 to d1. Returns the lanes to which the plane applies: in the others the surface is farther than
 * `limit`. Spheres and capsules alone are inlined: a plane out of line stays out of the registers of the
 * search. */
MOTE_INLINE wide_mask contact_with(const mote_collider_pose *to, wide3 u, wide3 d0, wide3 d1, wide radius,
                                   wide limit, contact_plane *plane) {
    if (to->kind == MOTE_COLLIDER_SPHERE || to->kind == MOTE_COLLIDER_CAPSULE)
        return contact_round(to, u, d0, d1, to->radius + radius, limit, plane);
    contact_plane other;
    const wide_mask applies = contact_other(to, d0, d1, radius, limit, &other);
    *plane = other;
    return applies;
}

/* Returns the origin of a collider relative to `base`, the origin of the points' coordinates. */
MOTE_INLINE wide3 contact_origin(const mote_collider_pose *pose, wide3 base) {
    return wide3_add(wide3_sub(wide3_set(pose->origin), base), wide3_set(pose->origin_low));
}

/* Points of one register that moved from start to end in the substep. */
typedef struct mote_contact_points {
    wide3 base; /* m, world: start and end are relative to it */
    wide3 start, end;
    wide radius, friction;
    wide reach; /* m, surfaces farther away at the end are ignored, except those that a path passed through */
    wide_mask exempt; /* lanes that have no contacts */
} mote_contact_points;

/* Returns a copy of a turning collider that stays as it is: no point has come along its turn. */
MOTE_OUTLINE mote_collider_pose contact_at_rest(const mote_collider_pose *pose) {
    mote_collider_pose rests = *pose;
    memcpy(rests.start, rests.axis, sizeof rests.start);
    memset(rests.shift, 0, sizeof rests.shift);
    memset(rests.turn, 0, sizeof rests.turn);
    return rests;
}

/* Replaces *nearest in the lanes in which this collider's gap is smaller, except those of `except`; these
 * take its mark. The points moved while the collider moved from one row of the table to the next, or stayed
 * as it is in one row, which is both then. Offset and friction are completed after the last collider
 * (mote_contact_settle). Coordinates up to 1e15 m give finite contacts; paths are swept up to 1e9 m. */
MOTE_INLINE void mote_contact_nearest(mote_contact *nearest, const mote_collider_pose *from,
                                      const mote_collider_pose *to, const mote_contact_points *points,
                                      wide_mask except, wide_mask mark) {
    mote_collider_pose rests;
    if (from == to && to->turns) rests = contact_at_rest(to), from = to = &rests;
    const wide3 d0 = wide3_sub(points->start, contact_origin(from, points->base)),
                d1 = wide3_sub(points->end, contact_origin(to, points->base)),
                u = wide3_sub(wide3_sub(points->end, points->start), wide3_set(to->shift));
    contact_plane plane = {wide3_zero(), nearest->gap};
    const wide_mask applies = contact_with(to, u, d0, d1, points->radius, nearest->gap, &plane) & ~except;
    if (!wide_lane_bits(applies)) return;
    const wide_mask nearer = applies & wide_less(plane.gap, nearest->gap);
    if (!wide_lane_bits(nearer)) return;
    nearest->gap = wide_select(nearer, plane.gap, nearest->gap);
    nearest->normal = wide3_select(nearer, plane.normal, nearest->normal);
    nearest->drift =
        wide3_select(nearer, wide3_add(wide3_set(to->shift), contact_out_of(to->turn, d0)), nearest->drift);
    nearest->friction = wide_select(nearer, wide_set(to->friction), nearest->friction);
    nearest->marked = (nearer & mark) | (~nearer & nearest->marked);
}

/* Returns the lanes that have a contact. */
MOTE_INLINE wide_mask mote_contact_has(const mote_contact *nearest) {
    return wide_less((wide){0}, wide3_dot(nearest->normal, nearest->normal));
}

/* Completes the contact after the last collider. friction: the points' own; the result is the root of its
 * product with the collider's. Lanes without a collider remain as in mote_contact_none. */
MOTE_INLINE void mote_contact_settle(mote_contact *nearest, wide3 x1, wide friction) {
    const wide far = wide_set(MOTE_NO_CONTACT), zero = {0};
    const wide_mask has = mote_contact_has(nearest);
    nearest->offset = wide_select(has, wide3_dot(nearest->normal, x1) - nearest->gap, zero - far);
    nearest->gap = wide_select(has, nearest->gap, far);
    nearest->friction = wide_sqrt(nearest->friction * friction);
}

/* --- A list of colliders --- */

/* Bounding box per lane of the starts and ends of a substep, of one register of points or of several,
 * relative to `base` (m, world). */
typedef struct mote_contact_box {
    wide3 base, low, high;
} mote_contact_box;

MOTE_INLINE mote_contact_box mote_contact_box_at(wide3 base, wide3 x) {
    return (mote_contact_box){base, x, x};
}

MOTE_INLINE void mote_contact_box_add(mote_contact_box *box, wide3 x) {
    box->low = wide3_min(box->low, x);
    box->high = wide3_max(box->high, x);
}

/* Colliders near the box of some lane, in their order, the lanes from which each is far, and those in which
 * the user of the list has marked it. from and to: the rows of the table before and after the substep. */
typedef struct mote_contact_list {
    const mote_collider_pose *from, *to;
    uint32_t count;
    uint8_t index[MOTE_MAX_COLLIDERS];
    wide3 at[MOTE_MAX_COLLIDERS]; /* origins after the substep, relative to the base of the box */
    wide_mask far[MOTE_MAX_COLLIDERS], mark[MOTE_MAX_COLLIDERS];
} mote_contact_list;

/* Selects, of `count` colliders, those whose bounding sphere comes within `reach` (m; includes the points'
 * radius) of the box. The sphere covers every orientation. The test is the squared distance from the box to
 * the range of the sphere's centre before and after the substep. */
MOTE_INLINE void mote_contact_list_near(mote_contact_list *list, const mote_collider_pose *from,
                                        const mote_collider_pose *to, uint32_t count,
                                        const mote_contact_box *box, wide reach) {
    list->from = from, list->to = to;
    list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const wide3 now = contact_origin(&to[i], box->base), was = contact_origin(&from[i], box->base);
        const wide3 over = wide3_sub(wide3_min(now, was), box->high),
                    under = wide3_sub(box->low, wide3_max(now, was));
        const wide3 apart = wide3_max(wide3_max(over, under), wide3_zero());
        const wide ball = wide_set(to[i].bound) + reach;
        const wide_mask far = wide_less(ball * ball, wide3_dot(apart, apart));
        if (wide_all(far)) continue;
        list->at[list->count] = now;
        list->far[list->count] = far;
        list->mark[list->count] = (wide_mask){0};
        list->index[list->count++] = (uint8_t)i;
    }
}

/* Patch: registers of points that are tested together, such as some rows of a strand. */
typedef struct mote_contact_patch {
    mote_contact_box ends;
    wide moved; /* m, largest change of a coordinate in the substep */
    wide reach; /* m, surfaces farther than this from the points' own are ignored */
} mote_contact_patch;

MOTE_INLINE mote_contact_patch mote_contact_patch_at(wide3 base, wide3 end) {
    return (mote_contact_patch){mote_contact_box_at(base, end), (wide){0}, (wide){0}};
}

MOTE_INLINE void mote_contact_patch_add(mote_contact_patch *patch, wide3 start, wide3 end, wide reach) {
    const wide3 size = contact_abs(wide3_sub(end, start));
    mote_contact_box_add(&patch->ends, end);
    patch->moved = wide_max(patch->moved, wide_max(wide_max(size.x, size.y), size.z));
    patch->reach = wide_max(patch->reach, reach);
}

/* Returns true if no point of the patch can have a contact with the collider, whose origin is `at` relative
 * to the base of the patch: none moves far, and none ends within reach. Rounding is conservative, so that
 * skipping the collider changes no bit. */
MOTE_INLINE bool contact_passes_by(const mote_collider_pose *to, wide3 at, const mote_contact_patch *patch,
                                   wide radius) {
    const wide quarter = 0.25f * (to->radius + radius), reach = (1 + 0x1p-20f) * (radius + patch->reach);
    const wide3 size = {to->around[0] + reach, to->around[1] + reach, to->around[2] + reach};
    const wide_mask beyond = contact_beyond(wide3_sub(at, patch->ends.high), size) |
                             contact_beyond(wide3_sub(patch->ends.low, at), size);
    return wide_all(beyond & wide_less(patch->moved + to->moved, quarter));
}

/* Selects the colliders of a list with which a point of the patch, whose base is that of the list's box, may
 * have a contact. The part has no places. */
MOTE_INLINE void mote_contact_list_part(mote_contact_list *part, const mote_contact_list *list,
                                        const mote_contact_patch *patch, wide radius) {
    part->from = list->from, part->to = list->to;
    part->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (contact_passes_by(&list->to[list->index[i]], list->at[i], patch, radius)) continue;
        part->far[part->count] = list->far[i];
        part->mark[part->count] = list->mark[i];
        part->index[part->count++] = list->index[i];
    }
}

/* Finds the contact with the nearest collider of the list. Returns false if no lane has one; *contact is then
 * incomplete. */
MOTE_INLINE bool mote_contact_find(const mote_contact_list *list, const mote_contact_points *points,
                                   mote_contact *contact) {
    *contact = mote_contact_none();
    contact->gap = points->reach;
    for (uint32_t i = 0; i < list->count; i++)
        mote_contact_nearest(contact, &list->from[list->index[i]], &list->to[list->index[i]], points,
                             points->exempt | list->far[i], list->mark[i]);
    if (!wide_lane_bits(mote_contact_has(contact))) return false;
    mote_contact_settle(contact, points->end, points->friction);
    return true;
}

#endif
