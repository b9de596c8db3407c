/* Planes of strands at colliders. Once per substep each point gets the tangent plane of the nearest collider
 * on its path; convex shapes are behind that plane. contact_solve.h solves the contacts. */
#ifndef MOTE_STRANDS_CONTACT_H
#define MOTE_STRANDS_CONTACT_H

#include "contacts/beside.h"
#include "strands/contact_solve.h"

/* Reach of the search for planes: this share of the shorter segment at the point, and of the longest path of
 * a collider in the substep, by which lengths and contacts can move a point aside. Planes farther away are
 * ignored in this substep; the sweep of the next substep finds them. */
#define STRAND_CONTACT_REACH 0.5f

/* Points of a strand that share one search for nearby colliders. */
#define STRAND_CONTACT_ROWS 4u

/* Path of a point in the substep. Lanes without this point have the position `otherwise`. */
typedef struct strand_way {
    wide3 start, end;
} strand_way;

MOTE_INLINE strand_way way_of(const strand_columns *c, uint32_t k, wide3 start, wide3 end, wide3 otherwise,
                              size_t lane) {
    strand_way way = {start, end};
    if (k < c->shortest) return way;
    const wide_mask own = lanes_beyond(wide_mask_load(c->counts + lane), k);
    way.start = wide3_select(own, way.start, otherwise);
    way.end = wide3_select(own, way.end, otherwise);
    return way;
}

/* Returns the reach (m) of the search for planes at a point; segment: m, the shorter one at the point. */
MOTE_INLINE wide contact_reach(const strand_columns *c, wide segment) {
    return wide_set(STRAND_CONTACT_REACH) * segment + wide_set(c->contacts->way);
}

/* Returns the longest path of a collider's origin in the substep, m; at most 1,000 km. */
MOTE_INLINE float longest_way(const strand_work *w, uint32_t substep) {
    const mote_collider_pose *to = w->job->poses + (size_t)(substep + 1) * w->job->collider_count;
    float most = 0; /* squared */
    for (uint32_t i = 0; i < w->job->collider_count; i++) {
        float square = 0;
        for (int axis = 0; axis < 3; axis++) square += to[i].shift[axis] * to[i].shift[axis];
        most = square > most ? square : most;
    }
    return __builtin_sqrtf(most < 1e12f ? most : 1e12f);
}

/* Patch of rows of a strand that share one search for nearby colliders, without its base. */
typedef struct strand_patch {
    wide3 low, high;
    wide moved, reach;
} strand_patch;
_Static_assert(sizeof(strand_patch) ==
                   sizeof(((strand_scratch_layout *)NULL)->patch) / sizeof(float) * sizeof(wide),
               "the scratch holds the patch");

/* Returns the patch of point k, which is stored at its first point. */
MOTE_INLINE strand_patch *strand_patch_of(const strand_columns *c, uint32_t k, size_t lane) {
    return (strand_patch *)(void *)work_at(c, WORK_PATCH, strand_at(k - k % STRAND_CONTACT_ROWS, lane));
}

/* Adds the path of point k to the patch of the points before it, or begins one. Stores the patch with its
 * last point. */
MOTE_INLINE void add_to_patch(const strand_columns *c, mote_contact_patch *patch, uint32_t k, strand_way way,
                              wide reach, size_t lane) {
    if (k % STRAND_CONTACT_ROWS == 0) *patch = mote_contact_patch_at(wide3_zero(), way.end);
    mote_contact_patch_add(patch, way.start, way.end, reach);
    if (k % STRAND_CONTACT_ROWS == STRAND_CONTACT_ROWS - 1 || k + 1 == c->points)
        *strand_patch_of(c, k, lane) =
            (strand_patch){patch->ends.low, patch->ends.high, patch->moved, patch->reach};
}

MOTE_INLINE mote_contact_patch patch_begin(void) { return mote_contact_patch_at(wide3_zero(), wide3_zero()); }

/* Finds the patches of the paths from WORK_START to WORK_X. */
MOTE_OUTLINE void find_patches(const strand_columns *columns, size_t lane) {
    const strand_columns c = *columns;
    mote_contact_patch patch = patch_begin();
    for (uint32_t k = 0; k < c.points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_way way =
            way_of(&c, k, work_load3(&c, WORK_START, at), work_load3(&c, WORK_X, at), patch.ends.low, lane);
        const wide_mask own = lanes_beyond(wide_mask_load(c.counts + lane), k);
        const wide segment = wide_select(own, segment_length(&c, k, at), (wide){0});
        add_to_patch(&c, &patch, k, way, contact_reach(&c, segment), lane);
    }
}

/* Strands of which a point moves farther than this (m) in a substep get the exact box of their paths: the
 * sweep of a path that is much longer than a collider is large would find contacts by its rounding. */
#define STRAND_LONG_WAY 0.0625f

/* Returns the box of the paths from WORK_START to WORK_X. */
MOTE_OUTLINE mote_contact_box box_of_paths(const strand_columns *columns, wide3 base, size_t lane) {
    const strand_columns c = *columns;
    mote_contact_box box = mote_contact_box_at(base, work_load3(&c, WORK_X, lane));
    for (uint32_t k = 0; k < c.points; k++) {
        const size_t at = strand_at(k, lane);
        const strand_way way =
            way_of(&c, k, work_load3(&c, WORK_START, at), work_load3(&c, WORK_X, at), box.low, lane);
        mote_contact_box_add(&box, way.end);
        mote_contact_box_add(&box, way.start);
    }
    return box;
}

/* Lists the colliders near a register of strands whose patches are known: near the box of their ends, grown
 * by the longest way. */
MOTE_INLINE void find_neighbours(const strand_work *w, uint32_t substep, size_t lane,
                                 mote_contact_list *near) {
    const strand_columns *c = &w->c;
    const mote_strand_job *job = w->job;
    const mote_collider_pose *from = job->poses + (size_t)substep * job->collider_count;
    const strand_patch *patch = strand_patch_of(c, 0, lane);
    mote_contact_box box = {origin_of(w, lane), patch->low, patch->high};
    wide reach = (wide){0}, moved = (wide){0};
    for (uint32_t k = 0; k < c->points; k += STRAND_CONTACT_ROWS) {
        patch = strand_patch_of(c, k, lane);
        box.low = wide3_min(box.low, patch->low), box.high = wide3_max(box.high, patch->high);
        moved = wide_max(moved, patch->moved), reach = wide_max(reach, patch->reach);
    }
    /* Rounding is conservative. */
    const wide3 most = wide3_max(contact_abs(box.low), contact_abs(box.high)), all = {moved, moved, moved},
                ways = wide3_add_scaled(all, wide_set(0x1p-20f), wide3_add(all, most));
    box.low = wide3_sub(box.low, ways), box.high = wide3_add(box.high, ways);
    const wide_mask far = ~wide_less(moved, wide_set(STRAND_LONG_WAY));
    if (wide_lane_bits(far)) {
        const mote_contact_box exact = box_of_paths(c, box.base, lane);
        box.low = wide3_select(far, exact.low, box.low), box.high = wide3_select(far, exact.high, box.high);
    }
    mote_contact_list_near(near, from, from + job->collider_count, job->collider_count, &box,
                           reach + wide_set(job->strands->def.radius));
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

/* Returns the lanes inside a collider as it stands, except those of `except`. */
MOTE_OUTLINE wide_mask find_inside(const mote_collider_pose *to, const mote_contact_points *points,
                                   wide_mask except) {
    mote_contact contact = mote_contact_none();
    contact.gap = (wide){0}; /* points outside are of no interest */
    mote_contact_nearest(&contact, to, to, points, points->exempt | except, (wide_mask){0});
    return wide_less(contact.gap, (wide){0});
}

/* Marks in the list the colliders in which the pinned roots of a register are at the end of the substep.
 * Returns the lanes with such a root. */
MOTE_INLINE wide_mask mark_buried(const strand_work *w, mote_contact_list *near, size_t lane) {
    const wide_mask pinned = wide_equal(point_mass(&w->c, lane), (wide){0});
    mote_contact_points root = contact_points(w, 0, lane);
    wide_mask buried = (wide_mask){0};
    root.start = root.end, root.exempt = ~pinned;
    for (uint32_t i = 0; i < near->count; i++) {
        near->mark[i] = pinned & find_inside(&near->to[near->index[i]], &root, near->far[i]);
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

/* Collider near a register of strands: its origin relative to theirs, before and after the substep, and the
 * friction of contacts with it. */
typedef struct strand_collider {
    wide3 before, at;
    float friction;
    bool turns;
} strand_collider;

/* Search for the planes of a register: colliders near it, by their numbers, and those near a patch. simple:
 * these are spheres or capsules which no point can pass through in the substep. */
typedef struct strand_search {
    mote_contact_list near, part;
    bool simple;
    bool starts; /* the step starts: points that are in a collider leave it */
    strand_collider of[MOTE_MAX_COLLIDERS];
} strand_search;

/* Returns whether the material of a collider turned in the substep. */
MOTE_INLINE bool collider_turned(const mote_collider_pose *to) {
    bool turned = false;
    for (int i = 0; i < 9; i++) turned |= to->turn[i / 3][i % 3] != 0;
    return turned;
}

/* Prepares the colliders of search->near. */
MOTE_INLINE void prepare_search(const strand_work *w, strand_search *search, size_t lane) {
    const mote_contact_list *near = &search->near;
    const wide3 base = origin_of(w, lane);
    search->part.count = 0;
    for (uint32_t i = 0; i < near->count; i++) {
        const mote_collider_pose *from = &near->from[near->index[i]], *to = &near->to[near->index[i]];
        search->of[near->index[i]] = (strand_collider){
            contact_origin(from, base), near->at[i],
            __builtin_sqrtf(to->friction * w->job->strands->def.friction), collider_turned(to)};
    }
}

/* Selects the colliders near the patch of point k. */
MOTE_INLINE void search_part(const strand_work *w, strand_search *search, uint32_t k, size_t lane) {
    const strand_patch *patch = strand_patch_of(&w->c, k, lane);
    const wide radius = wide_set(w->job->strands->def.radius);
    const mote_contact_patch of = {{origin_of(w, lane), patch->low, patch->high}, patch->moved, patch->reach};
    mote_contact_list *part = &search->part;
    mote_contact_list_part(part, &search->near, &of, radius);
    search->simple = true;
    for (uint32_t i = 0; i < part->count; i++)
        search->simple &= contact_is_slow(&part->to[part->index[i]], patch->moved, radius);
}

MOTE_INLINE void set_plane(strand_plane *plane, const mote_contact *contact) {
    plane->normal = contact->normal, plane->offset = contact->offset;
    plane->drift = contact->drift, plane->friction = contact->friction;
}

/* Finds the planes of point k at any collider of the list. starts: at the start of the substep, where both
 * poses of the list are those of it. Returns their lanes, and in *marked those of colliders in which the root
 * is. */
MOTE_OUTLINE wide_mask find_any(const strand_work *w, const mote_contact_list *list, bool starts, uint32_t k,
                                strand_plane *plane, wide_mask *marked, size_t lane) {
    mote_contact_points points = contact_points(w, k, lane);
    mote_contact contact;
    if (starts) points.end = points.start;
    if (!mote_contact_find(list, &points, &contact)) return (wide_mask){0};
    set_plane(plane, &contact);
    *marked = contact.marked;
    return mote_contact_has(&contact);
}

/* Finds the same at simple colliders; mostly there is one. */
MOTE_INLINE wide_mask find_simple(const strand_work *w, const strand_search *search, uint32_t k,
                                  wide_mask *marked, size_t lane) {
    const mote_contact_points points = contact_points(w, k, lane);
    const mote_contact_list *part = &search->part;
    contact_beside beside = {wide3_zero(), (wide){0}, (wide_mask){0}};
    uint32_t which = 0, count = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        const uint8_t index = part->index[i];
        contact_beside here = contact_beside_of(&part->to[index], search->of[index].at, &points);
        here.near &= ~part->far[i];
        if (!wide_lane_bits(here.near)) continue;
        beside = here, which = i, count++;
    }
    if (count == 0) return (wide_mask){0};
    if (count > 1) return find_any(w, part, false, k, plane_at(&w->c, strand_at(k, lane)), marked, lane);
    const strand_collider *of = &search->of[part->index[which]];
    const mote_contact contact = contact_with_one(&part->to[part->index[which]], of->before, of->turns,
                                                  &points, &beside, of->friction);
    *marked = contact.marked & part->mark[which];
    if (wide_lane_bits(contact.marked)) set_plane(plane_at(&w->c, strand_at(k, lane)), &contact);
    return contact.marked;
}

/* Marks the lanes of `has`, whose point k has a plane, if it began the step in a collider, and the root is
 * in none. On a round collider a point that slides begins behind the plane, too. */
MOTE_INLINE void find_entered(const strand_work *w, const strand_search *search, const strand_plane *plane,
                              wide_mask has, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    const wide3 start = work_load3(&w->c, WORK_START, at), was = wide3_add(start, plane->drift);
    const wide deep = wide_set(STRAND_EXPELLED) * segment_length(&w->c, k, at);
    const wide_mask behind = has & ~wide_mask_load(w->c.contacts->inside) &
                             wide_less(deep, plane->offset - wide3_dot(plane->normal, was));
    if (!wide_lane_bits(behind)) return;
    mote_contact_list still = search->near;
    strand_plane here;
    wide_mask marked;
    still.to = still.from;
    const wide_mask near = find_any(w, &still, true, k, &here, &marked, lane);
    if (!wide_lane_bits(near)) return;
    const wide_mask inside = behind & near & wide_less(deep, here.offset - wide3_dot(here.normal, start));
    wide_mask_store(w->c.contacts->entered, wide_mask_load(w->c.contacts->entered) | inside);
}

/* Finds the planes of point k, `length` of strand from the root, in one register. Returns their lanes. */
MOTE_INLINE wide_mask find_contact(const strand_work *w, const strand_search *search, uint32_t k, wide length,
                                   size_t lane) {
    strand_plane *plane = plane_at(&w->c, strand_at(k, lane));
    wide_mask marked = (wide_mask){0};
    const wide_mask has = search->simple ? find_simple(w, search, k, &marked, lane)
                                         : find_any(w, &search->part, false, k, plane, &marked, lane);
    if (search->starts && wide_lane_bits(has)) find_entered(w, search, plane, has, k, lane);
    if (wide_lane_bits(marked))
        wide_mask_store(w->c.contacts->expelled, wide_mask_load(w->c.contacts->expelled) |
                                                     yield_to_length(w, plane, marked, k, length, lane));
    return has;
}

/* Finds the planes of a register of strands for the paths from WORK_START to WORK_X, whose patches are known.
 * Lists the points that have a plane in some lane; returns false if there is none. An unlisted point behaves
 * as one without a plane in any lane. (The forward elimination in the same sweep gains nothing: 0.97 to 1.00
 * of the speed, measured.) */
MOTE_INLINE bool find_contacts(const strand_work *w, uint32_t substep, size_t lane) {
    const strand_columns *c = &w->c;
    strand_contacts *found = c->contacts;
    strand_search search;
    find_neighbours(w, substep, lane, &search.near);
    found->count = 0, found->buried = false;
    wide_mask_store(found->near, (wide_mask){0});
    wide_mask_store(found->inside, (wide_mask){0});
    wide_mask_store(found->strained, (wide_mask){0});
    wide_mask_store(found->expelled, (wide_mask){0});
    wide_mask_store(found->entered, (wide_mask){0});
    if (search.near.count == 0) return false;
    memset(found->state, STRAND_CLEAR, c->points);
    /* Springs stretch: lengths have no priority over contact. */
    const bool springs = w->job->strands->def.solver == MOTE_STRAND_SPRINGS;
    if (!springs) {
        const wide_mask buried = mark_buried(w, &search.near, lane);
        found->buried = wide_lane_bits(buried) != 0;
        wide_mask_store(found->inside, buried);
        if (found->buried) wide_mask_store(found->strained, buried & strained_at_start(w, lane));
    }
    prepare_search(w, &search, lane);
    search.starts = substep == 0 && !springs;
    wide length = (wide){0};
    wide_mask near = (wide_mask){0};
    for (uint32_t k = 0; k < c->points; length += work_load(c, WORK_LENGTH, strand_at(k, lane)), k++) {
        if (k % STRAND_CONTACT_ROWS == 0) search_part(w, &search, k, lane);
        if (!search.part.count) continue;
        const wide_mask has = find_contact(w, &search, k, length, lane);
        if (!wide_lane_bits(has)) continue;
        near |= has;
        found->state[k] = STRAND_NEAR;
        found->point[found->count++] = (uint16_t)k;
    }
    wide_mask_store(found->near, near);
    return found->count != 0;
}

/* Counts the points of the lanes that are now inside the collider in which their root is. */
MOTE_COLD MOTE_OUTLINE void count_buried(const strand_work *w, uint32_t substep, wide_mask lanes,
                                         uint32_t *buried, size_t lane) {
    mote_contact_list near;
    find_patches(&w->c, lane);
    find_neighbours(w, substep, lane, &near);
    (void)mark_buried(w, &near, lane);
    const wide_mask counts = wide_mask_load(w->c.counts + lane);
    for (uint32_t k = 1; k < w->c.points; k++) {
        mote_contact_points points = contact_points(w, k, lane);
        wide_mask inside = (wide_mask){0};
        points.start = points.end;
        for (uint32_t i = 0; i < near.count; i++)
            inside |= find_inside(&near.to[near.index[i]], &points, ~near.mark[i]);
        count_lanes(buried, lanes & inside & lanes_beyond(counts, k));
    }
}

/* Projects the points of the lanes that are behind their planes onto them, in position alone. Returns the
 * lanes with such points. */
MOTE_OUTLINE wide_mask project_contacts(const strand_columns *c, wide_mask lanes, size_t lane) {
    wide_mask moved = (wide_mask){0};
    for (uint32_t i = 0; i < c->contacts->count; i++) {
        const size_t at = strand_at(c->contacts->point[i], lane);
        const strand_plane *plane = plane_at(c, at);
        const wide3 x = work_load3(c, WORK_X, at);
        const wide depth = plane->offset - wide3_dot(plane->normal, x);
        const wide_mask inside = lanes & wide_less((wide){0}, depth);
        work_store3(c, WORK_X, at, wide3_select(inside, wide3_add_scaled(x, depth, plane->normal), x));
        moved |= inside;
    }
    return moved;
}

/* Contacts of springs, after the substep: projects points out of colliders, removes their velocity into the
 * collider and applies friction, which takes the same share of the way that they have slid: a point at rest
 * on a slope would creep down otherwise. */
MOTE_INLINE void project_springs_out(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    for (uint32_t i = 0; i < c->contacts->count; i++) {
        const size_t at = strand_at(c->contacts->point[i], lane);
        const strand_plane *plane = plane_at(c, at);
        wide3 normal = plane->normal, x = work_load3(c, WORK_X, at), v = work_load3(c, WORK_V, at);
        wide gap = wide3_dot(normal, x) - plane->offset;
        wide_mask in = wide_less(gap, (wide){0});
        /* Velocity relative to the collider, normal and tangential. */
        wide3 against = wide3_sub(v, wide3_scale(rate, plane->drift));
        wide speed = wide_max((wide){0} - wide3_dot(normal, against), (wide){0});
        wide3 along = wide3_add_scaled(against, wide_set(0.0f) - wide3_dot(normal, against), normal);
        wide length = wide_max(wide_sqrt(wide3_dot(along, along)), wide_set(STRAND_SHORTEST));
        wide share = wide_min(plane->friction * speed / length, wide_set(1.0f));
        wide3 slowed = wide3_sub(wide3_add_scaled(v, speed, normal), wide3_scale(share, along)),
              way = wide3_sub(wide3_sub(x, work_load3(c, WORK_START, at)), plane->drift),
              slid = wide3_sub(way, wide3_scale(wide3_dot(normal, way), normal)),
              held = wide3_sub(wide3_sub(x, wide3_scale(gap, normal)), wide3_scale(share, slid));
        work_store3(c, WORK_X, at, wide3_select(in, held, x));
        work_store3(c, WORK_V, at, wide3_select(in, slowed, v));
    }
}

#endif
