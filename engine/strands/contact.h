/* Planes of strands at colliders. Once per substep each point gets the tangent plane of the nearest collider
 * on its path; convex shapes are behind that plane. contact_solve.h solves the contacts. */
#ifndef MOTE_STRANDS_CONTACT_H
#define MOTE_STRANDS_CONTACT_H

#include "contacts/contact.h"
#include "strands/contact_solve.h"

/* Reach of the search for planes: this share of the shorter segment at the point, and of the longest path of
 * a collider in the substep, by which lengths and contacts can move a point aside. Planes farther away are
 * ignored in this substep; the sweep of the next substep finds them. */
#define STRAND_CONTACT_REACH 0.5f

/* Points of a strand that share one search for nearby colliders. */
#define STRAND_CONTACT_ROWS 4u

/* Path of a point in the substep, and the length of its shorter segment. Lanes without this point have the
 * position `otherwise` and the length 0. */
typedef struct strand_way {
    wide3 start, end;
    wide segment;
} strand_way;

MOTE_INLINE strand_way way_of(const strand_columns *c, uint32_t k, wide3 otherwise, size_t lane) {
    const size_t at = strand_at(k, lane);
    strand_way way = {work_load3(c, WORK_START, at), work_load3(c, WORK_X, at), segment_length(c, k, at)};
    if (k < c->shortest) return way;
    const wide_mask own = lanes_beyond(wide_mask_load(c->counts + lane), k);
    way.start = wide3_select(own, way.start, otherwise);
    way.end = wide3_select(own, way.end, otherwise);
    way.segment = wide_select(own, way.segment, (wide){0});
    return way;
}

/* Returns the reach (m) of the search for planes at a point; segment: m, the shorter one at the point. */
MOTE_INLINE wide contact_reach(const strand_columns *c, wide segment) {
    return wide_set(STRAND_CONTACT_REACH) * segment + wide_set(c->contacts->way);
}

/* Returns the longest path of a collider's origin in the substep, m; at most 1,000 km. */
MOTE_INLINE float longest_way(const strand_work *w, uint32_t substep) {
    const mote_collider_pose *from = w->job->poses + (size_t)substep * w->job->collider_count,
                             *to = from + w->job->collider_count;
    float most = 0; /* squared */
    for (uint32_t i = 0; i < w->job->collider_count; i++) {
        float square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const float way = to[i].origin[axis] - from[i].origin[axis];
            square += way * way;
        }
        most = square > most ? square : most;
    }
    return __builtin_sqrtf(most < 1e12f ? most : 1e12f);
}

/* Lists the colliders near the paths of a register of strands. */
MOTE_INLINE void find_neighbours(const strand_work *w, uint32_t substep, size_t lane,
                                 mote_contact_list *near) {
    const strand_columns *c = &w->c;
    const mote_strand_job *job = w->job;
    const mote_collider_pose *from = job->poses + (size_t)substep * job->collider_count;
    mote_contact_box box = mote_contact_box_at(origin_of(w, lane), work_load3(c, WORK_X, lane));
    wide longest = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const strand_way way = way_of(c, k, box.low, lane);
        mote_contact_box_add(&box, way.end);
        mote_contact_box_add(&box, way.start);
        longest = wide_max(longest, way.segment);
    }
    const wide reach = contact_reach(c, longest) + wide_set(job->strands->def.radius);
    mote_contact_list_near(near, from, from + job->collider_count, job->collider_count, &box, reach);
}

MOTE_INLINE mote_contact_points contact_points(const strand_work *w, uint32_t k, size_t lane) {
    const strand_columns *c = &w->c;
    const size_t at = strand_at(k, lane);
    return (mote_contact_points){.base = origin_of(w, lane),
                                 .start = work_load3(c, WORK_START, at),
                                 .end = work_load3(c, WORK_X, at),
                                 .radius = wide_set(w->job->strands->def.radius),
                                 .friction = wide_set(w->job->strands->def.friction),
                                 .reach = contact_reach(c, segment_length(c, k, at)),
                                 .exempt = k < w->job->strands->def.collide_from
                                               ? ~(wide_mask){0}
                                               : ~wide_less((wide){0}, point_mass(c, at))};
}

/* Share of a strand's length from its root to which contact restricts a point of a buried strand. The whole
 * length leaves a third of such strands unsolved, 0.85 none (measured). */
#define STRAND_BURIED_REACH 0.85f

/* Marks in the list the colliders in which the pinned roots of a register are at the end of the substep.
 * Returns the lanes with such a root. */
MOTE_INLINE wide_mask mark_buried(const strand_work *w, mote_contact_list *near, size_t lane) {
    const wide_mask pinned = wide_equal(point_mass(&w->c, lane), (wide){0});
    mote_contact_points root = contact_points(w, 0, lane);
    wide_mask buried = (wide_mask){0};
    root.start = root.end, root.exempt = ~pinned;
    for (uint32_t i = 0; i < near->count; i++) {
        mote_contact contact = mote_contact_none();
        const mote_collider_pose *to = &near->to[near->index[i]];
        mote_contact_nearest(&contact, to, to, &root, near->far[i] | root.exempt, (wide_mask){0});
        near->mark[i] = pinned & wide_less(contact.gap, (wide){0});
        buried |= near->mark[i];
    }
    return buried;
}

/* A strand with a buried root counts as expelled if a plane moves a point by more than this share of its
 * segment from its place at the start of the substep, or if a length was off by more than this share then. */
#define STRAND_EXPELLED 0.0625f

/* Returns the lanes in which a rigid segment was off its length at the start of the substep. */
MOTE_OUTLINE wide_mask strained_at_start(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide_mask rigid = wide_equal(wide_load(w->job->strands->compliance + w->lane + lane), (wide){0});
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide low = wide_set((1 - STRAND_EXPELLED) * (1 - STRAND_EXPELLED)),
               high = wide_set((1 + STRAND_EXPELLED) * (1 + STRAND_EXPELLED));
    wide_mask strained = (wide_mask){0};
    wide3 a = work_load3(c, WORK_START, lane);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 b = work_load3(c, WORK_START, at + MOTE_GROUP), d = wide3_sub(b, a);
        const wide length = work_load(c, WORK_LENGTH, at), target = length * length, square = wide3_dot(d, d);
        strained |= lanes_beyond(counts, k + 1) & wide_less((wide){0}, length) &
                    (wide_less(square, low * target) | wide_less(high * target, square));
        a = b;
    }
    return strained & rigid;
}

/* Length has priority over contact where they exclude each other: moves the plane of a point whose pinned
 * root is inside the same collider to within the length of strand to the root. Returns the lanes that the
 * plane expels. */
MOTE_INLINE wide_mask yield_to_length(const strand_work *w, strand_plane *plane, wide_mask marked, uint32_t k,
                                      wide length, size_t lane) {
    const strand_columns *c = &w->c;
    const size_t at = strand_at(k, lane);
    const wide reach =
        wide3_dot(plane->normal, work_load3(c, WORK_X, lane)) + wide_set(STRAND_BURIED_REACH) * length;
    plane->offset = wide_select(marked, wide_min(plane->offset, reach), plane->offset);
    const wide3 was = wide3_add(work_load3(c, WORK_START, at), plane->drift);
    const wide depth = plane->offset - wide3_dot(plane->normal, was);
    return marked & (wide_mask_load(c->contacts->strained) |
                     wide_less(wide_set(STRAND_EXPELLED) * segment_length(c, k, at), depth));
}

/* Selects from the list the colliders near the points [first, end). */
MOTE_INLINE void find_part(const strand_work *w, const mote_contact_list *near, uint32_t first, uint32_t end,
                           size_t lane, mote_contact_list *part) {
    const strand_columns *c = &w->c;
    mote_contact_patch patch =
        mote_contact_patch_at(origin_of(w, lane), work_load3(c, WORK_X, strand_at(first, lane)));
    for (uint32_t k = first; k < end; k++) {
        const strand_way way = way_of(c, k, patch.ends.low, lane);
        mote_contact_patch_add(&patch, way.start, way.end, contact_reach(c, way.segment));
    }
    mote_contact_list_part(part, near, &patch, wide_set(w->job->strands->def.radius));
}

/* Finds the planes of point k, `length` of strand from the root, in one register; returns false if no lane
 * has one. */
MOTE_INLINE bool find_contact(const strand_work *w, const mote_contact_list *near, uint32_t k, wide length,
                              size_t lane, strand_plane *plane) {
    const mote_contact_points points = contact_points(w, k, lane);
    mote_contact contact;
    if (!mote_contact_find(near, &points, &contact)) return false;
    wide_mask_store(w->c.contacts->near, wide_mask_load(w->c.contacts->near) | mote_contact_has(&contact));
    plane->normal = contact.normal, plane->offset = contact.offset;
    plane->drift = contact.drift, plane->friction = contact.friction;
    if (wide_lane_bits(contact.marked))
        wide_mask_store(w->c.contacts->expelled,
                        wide_mask_load(w->c.contacts->expelled) |
                            yield_to_length(w, plane, contact.marked, k, length, lane));
    return true;
}

/* Finds the planes of a register of strands for the paths from WORK_START to WORK_X. Lists the points that
 * have a plane in some lane; returns false if there is none. An unlisted point behaves as one without a plane
 * in any lane. */
MOTE_INLINE bool find_contacts(const strand_work *w, uint32_t substep, size_t lane) {
    const strand_columns *c = &w->c;
    strand_contacts *found = c->contacts;
    mote_contact_list near, part;
    found->way = STRAND_CONTACT_REACH * longest_way(w, substep);
    find_neighbours(w, substep, lane, &near);
    found->count = 0, found->buried = false;
    wide_mask_store(found->near, (wide_mask){0});
    wide_mask_store(found->strained, (wide_mask){0});
    wide_mask_store(found->expelled, (wide_mask){0});
    if (near.count == 0) return false;
    memset(found->state, STRAND_CLEAR, c->points);
    /* Springs stretch: lengths have no priority over contact. */
    const bool springs = w->job->strands->def.solver == MOTE_STRAND_SPRINGS;
    if (!springs) {
        const wide_mask buried = mark_buried(w, &near, lane);
        found->buried = wide_lane_bits(buried) != 0;
        if (found->buried) wide_mask_store(found->strained, buried & strained_at_start(w, lane));
    }
    wide length = (wide){0};
    for (uint32_t first = 0; first < c->points; first += STRAND_CONTACT_ROWS) {
        const uint32_t end =
            first + STRAND_CONTACT_ROWS < c->points ? first + STRAND_CONTACT_ROWS : c->points;
        find_part(w, &near, first, end, lane, &part);
        for (uint32_t k = first; k < end; length += work_load(c, WORK_LENGTH, strand_at(k, lane)), k++)
            if (part.count && find_contact(w, &part, k, length, lane, strand_planes(c) + found->count)) {
                found->state[k] = STRAND_NEAR;
                found->place[k] = (uint16_t)found->count;
                found->point[found->count++] = (uint16_t)k;
            }
    }
    return found->count != 0;
}

/* Counts the points of the lanes that are now inside the collider in which their root is. */
MOTE_OUTLINE void count_buried(const strand_work *w, uint32_t substep, wide_mask lanes, uint32_t *buried,
                               size_t lane) {
    mote_contact_list near;
    find_neighbours(w, substep, lane, &near);
    (void)mark_buried(w, &near, lane);
    const wide_mask counts = wide_mask_load(w->c.counts + lane);
    for (uint32_t k = 1; k < w->c.points; k++) {
        mote_contact_points points = contact_points(w, k, lane);
        wide_mask inside = (wide_mask){0};
        points.start = points.end;
        for (uint32_t i = 0; i < near.count; i++) {
            const mote_collider_pose *to = &near.to[near.index[i]];
            mote_contact contact = mote_contact_none();
            mote_contact_nearest(&contact, to, to, &points, points.exempt | ~near.mark[i], (wide_mask){0});
            inside |= wide_less(contact.gap, (wide){0});
        }
        count_lanes(buried, lanes & inside & lanes_beyond(counts, k));
    }
}

/* Projects the points of the lanes that are behind their planes onto them, in position alone. Returns the
 * lanes with such points. */
MOTE_OUTLINE wide_mask project_contacts(const strand_columns *c, wide_mask lanes, size_t lane) {
    wide_mask moved = (wide_mask){0};
    for (uint32_t i = 0; i < c->contacts->count; i++) {
        const size_t at = strand_at(c->contacts->point[i], lane);
        const strand_plane *plane = strand_planes(c) + i;
        const wide3 x = work_load3(c, WORK_X, at);
        const wide depth = plane->offset - wide3_dot(plane->normal, x);
        const wide_mask inside = lanes & wide_less((wide){0}, depth);
        work_store3(c, WORK_X, at, wide3_select(inside, wide3_add_scaled(x, depth, plane->normal), x));
        moved |= inside;
    }
    return moved;
}

/* Contacts of springs, after the substep: projects points out of colliders, removes their velocity into the
 * collider and applies friction. */
MOTE_INLINE void project_springs_out(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    for (uint32_t i = 0; i < c->contacts->count; i++) {
        const size_t at = strand_at(c->contacts->point[i], lane);
        const strand_plane *plane = strand_planes(c) + i;
        wide3 normal = plane->normal, x = work_load3(c, WORK_X, at), v = work_load3(c, WORK_V, at);
        wide gap = wide3_dot(normal, x) - plane->offset;
        wide_mask in = wide_less(gap, (wide){0});
        /* Velocity relative to the collider, normal and tangential. */
        wide3 against = wide3_sub(v, wide3_scale(rate, plane->drift));
        wide speed = wide_max((wide){0} - wide3_dot(normal, against), (wide){0});
        wide3 along = wide3_add_scaled(against, wide_set(0.0f) - wide3_dot(normal, against), normal);
        wide length = wide_max(wide_sqrt(wide3_dot(along, along)), wide_set(STRAND_SHORTEST));
        wide share = wide_min(plane->friction * speed / length, wide_set(1.0f));
        wide3 slowed = wide3_sub(wide3_add_scaled(v, speed, normal), wide3_scale(share, along));
        work_store3(c, WORK_X, at, wide3_select(in, wide3_sub(x, wide3_scale(gap, normal)), x));
        work_store3(c, WORK_V, at, wide3_select(in, slowed, v));
    }
}

#endif
