/* The plain reference of strands: their contacts. Only the planes are taken from the engine; they have tests
 * of their own. */
#include <math.h>
#include <string.h>

#include "contacts/contact.h"
#include "reference_strand_parts.h"

/* The shorter of the segments beside a point; behind the last it is 1 m. */
float reference_segment(const reference_strand *s, uint32_t k) {
    return k ? smaller(s->length[k], s->length[k - 1]) : s->length[k];
}

/* The poses before and after a substep. */
static const mote_collider_pose *poses_of(const reference_world *w, uint32_t substep) {
    return w->poses ? w->poses + (size_t)substep * w->collider_count : NULL;
}

/* Half of the longest way of a collider: so much further than half a segment planes are looked for. */
static float half_way(const reference_world *w, uint32_t substep) {
    const mote_collider_pose *from = poses_of(w, substep), *to = poses_of(w, substep + 1);
    float most = 0;
    for (uint32_t i = 0; i < w->collider_count; i++) {
        float way[3];
        row_between(from[i].origin, to[i].origin, way);
        most = larger(most, row_dot(way, way));
    }
    return 0.5f * sqrtf(smaller(most, 1e12f));
}

/* All that the strand does in a substep, and the longest of its points' segments; way: see half_way. */
typedef struct swept {
    float low[3], high[3], longest, way;
} swept;

static swept sweep(const reference_strand *s) {
    swept box = {.longest = 0};
    for (int axis = 0; axis < 3; axis++) box.low[axis] = box.high[axis] = s->x[0][axis];
    for (uint32_t k = 0; k < s->points; k++) {
        for (int axis = 0; axis < 3; axis++) {
            box.low[axis] = smaller(smaller(box.low[axis], s->x[k][axis]), s->start[k][axis]);
            box.high[axis] = larger(larger(box.high[axis], s->x[k][axis]), s->start[k][axis]);
        }
        box.longest = larger(box.longest, reference_segment(s, k));
    }
    return box;
}

/* Whether the ball about the collider stays out of the box: such colliders are not looked at. */
static bool is_far(const reference_strand *s, const swept *box, const reference_world *w,
                   const mote_collider_pose *from, const mote_collider_pose *to) {
    const float ball = to->bound + ((0.5f * box->longest + box->way) + w->def->radius);
    float apart[3];
    for (int axis = 0; axis < 3; axis++) {
        const float now = to->origin[axis] - s->origin[axis], was = from->origin[axis] - s->origin[axis];
        const float over = smaller(now, was) - box->high[axis], under = box->low[axis] - larger(now, was);
        apart[axis] = larger(larger(over, under), 0);
    }
    return ball * ball < row_dot(apart, apart);
}

/* Where a point goes in the substep. */
static mote_contact_points path_of(const reference_strand *s, const reference_world *w, const float start[3],
                                   const float end[3]) {
    return (mote_contact_points){.base = {s->origin[0], s->origin[1], s->origin[2]},
                                 .start = {start[0], start[1], start[2]},
                                 .end = {end[0], end[1], end[2]},
                                 .radius = w->def->radius};
}

/* Whether a point is inside a collider. */
static bool is_inside(const reference_strand *s, const reference_world *w, uint32_t k,
                      const mote_collider_pose *pose) {
    const mote_contact_points here = path_of(s, w, s->x[k], s->x[k]);
    mote_contact c = mote_contact_none();
    mote_contact_nearest(&c, pose, pose, &here, 0, 0);
    return c.gap < 0;
}

/* Whether the strand's root is pinned inside a collider. */
static bool is_buried(const reference_strand *s, const reference_world *w, const mote_collider_pose *pose) {
    return w->def->solver != MOTE_STRAND_SPRINGS && s->mass[0] == 0 && is_inside(s, w, 0, pose);
}

static bool collides(const reference_strand *s, const reference_world *w, uint32_t k) {
    return s->mass[k] > 0 && k >= w->def->collide_from;
}

/* Whether some segment was not as long as it should be, by a sixteenth, when the substep began. */
static bool was_strained(const reference_strand *s) {
    bool strained = false;
    for (uint32_t k = 0; k + 1 < s->points && s->compliance == 0; k++) {
        float d[3];
        row_between(s->start[k], s->start[k + 1], d);
        const float square = row_dot(d, d), target = s->length[k] * s->length[k];
        if (s->length[k] > 0)
            strained |= square < 0.9375f * 0.9375f * target || 1.0625f * 1.0625f * target < square;
    }
    return strained;
}

/* Whether a point that has the plane in s->contact began the substep in a collider, and the root is in none.
 */
static bool has_entered(const reference_strand *s, const reference_world *w, uint32_t substep,
                        const swept *box, uint32_t k) {
    const mote_collider_pose *from = poses_of(w, substep), *to = poses_of(w, substep + 1);
    const mote_contact_points here = path_of(s, w, s->start[k], s->start[k]);
    const float deep = 0.0625f * reference_segment(s, k);
    float was[3];
    mote_contact c = mote_contact_none();
    for (int axis = 0; axis < 3; axis++) was[axis] = s->start[k][axis] + s->contact[k].drift[axis];
    if (!(s->contact[k].offset - row_dot(s->contact[k].normal, was) > deep)) return false;
    c.gap = 0.5f * reference_segment(s, k) + box->way;
    for (uint32_t i = 0; i < w->collider_count; i++)
        if (!is_far(s, box, w, &from[i], &to[i])) {
            if (is_buried(s, w, &to[i])) return false;
            mote_contact_nearest(&c, &from[i], &from[i], &here, 0, 0);
        }
    const float normal[3] = {c.normal.x, c.normal.y, c.normal.z};
    mote_contact_settle(&c, here.end, w->def->friction);
    return row_dot(normal, normal) > 0 && c.offset - row_dot(normal, s->start[k]) > deep;
}

/* A strand in the axes of a box with rounded edges: how far its points are beyond those of the core, how deep
 * they are under the surface, and which are in the box and may leave it. */
typedef struct boxed {
    float extent[3], rounding;
    reference_row q[REFERENCE_POINTS], beyond[REFERENCE_POINTS];
    float depth[REFERENCE_POINTS];
    bool in[REFERENCE_POINTS];
} boxed;

static boxed in_axes_of(const reference_strand *s, const reference_world *w, const mote_collider_pose *pose) {
    boxed b = {.rounding = pose->radius + w->def->radius};
    memcpy(b.extent, pose->extent, sizeof b.extent);
    for (uint32_t k = 0; k < s->points; k++) {
        float d[3], nearest = -INFINITY;
        for (int i = 0; i < 3; i++)
            d[i] = s->start[k][i] - ((pose->origin[i] - s->origin[i]) + pose->origin_low[i]);
        for (int i = 0; i < 3; i++) {
            b.q[k][i] = row_dot(pose->axis[i], d);
            nearest = larger(nearest, fabsf(b.q[k][i]) - b.extent[i]);
            b.beyond[k][i] = larger(fabsf(b.q[k][i]) - b.extent[i], 0);
        }
        b.depth[k] = b.rounding - (nearest > 0 ? row_length(b.beyond[k]) : nearest);
        b.in[k] = collides(s, w, k) && b.depth[k] > 0;
    }
    return b;
}

/* The face, 0 to 5 as +x, -x, +y ..., from which the deepest of points first to last is the least deep; first
 * of all one behind whose opposite there is none. */
static int face_of(const boxed *b, uint32_t first, uint32_t last) {
    int best = 0;
    float depth[6];
    bool passes[6];
    for (int i = 0; i < 6; i++) {
        const float half = b->extent[i / 2] + b->rounding;
        depth[i] = 0;
        for (uint32_t k = first; k <= last; k++)
            depth[i] = larger(depth[i], half + (i % 2 ? b->q[k][i / 2] : -b->q[k][i / 2]));
        passes[i] = depth[i] >= 2 * half;
        if (passes[i] < passes[best] || (passes[i] == passes[best] && depth[i] < depth[best])) best = i;
    }
    return best;
}

/* Points in a box, one after the other, leave it by one face if one is deeper than a sixteenth of its
 * segment.
 */
void reference_leave_boxes(reference_strand *s, const reference_world *w, uint32_t substep) {
    for (uint32_t i = 0; i < w->collider_count; i++) {
        const mote_collider_pose *pose = &poses_of(w, substep)[i];
        if (pose->kind != MOTE_COLLIDER_BOX) continue;
        const boxed b = in_axes_of(s, w, pose);
        for (uint32_t k = 0, end; k < s->points; k = end + 1) {
            bool deep = false;
            for (end = k; end < s->points && b.in[end]; end++)
                deep |= b.depth[end] > 0.0625f * reference_segment(s, end);
            if (!deep) continue;
            const int face = face_of(&b, k ? k - 1 : k, end < s->points ? end : end - 1), axis = face / 2;
            for (uint32_t j = k; j < end; j++) {
                const float u = b.beyond[j][(axis + 1) % 3], v = b.beyond[j][(axis + 2) % 3],
                            square = larger(b.rounding * b.rounding - (u * u + v * v), 0),
                            high = b.extent[axis] + sqrtf(square);
                for (int a = 0; a < 3; a++)
                    s->start[j][a] += ((face % 2 ? -high : high) - b.q[j][axis]) * pose->axis[axis][a];
            }
        }
    }
}

/* The nearest collider of a point; where its root is buried in the same, the plane is no further from the
 * root than 0.85 of the length of strand between them. */
static void find_contact(reference_strand *s, const reference_world *w, uint32_t substep, const swept *box,
                         uint32_t k, float length) {
    const mote_collider_pose *from = poses_of(w, substep), *to = poses_of(w, substep + 1);
    const mote_contact_points path = path_of(s, w, s->start[k], s->x[k]);
    mote_contact c = mote_contact_none();
    c.gap = 0.5f * reference_segment(s, k) + box->way; /* anything further off is not looked at */
    for (uint32_t i = 0; i < w->collider_count && collides(s, w, k); i++)
        if (!is_far(s, box, w, &from[i], &to[i]))
            mote_contact_nearest(&c, &from[i], &to[i], &path, 0, is_buried(s, w, &to[i]));
    const float normal[3] = {c.normal.x, c.normal.y, c.normal.z};
    mote_contact_settle(&c, path.end, w->def->friction);
    s->contact[k] = (reference_contact){
        .drift = {c.drift.x, c.drift.y, c.drift.z}, .friction = c.friction, .offset = -1e30f};
    if (!(row_dot(normal, normal) > 0)) return;
    memcpy(s->contact[k].normal, normal, sizeof normal);
    s->contact[k].offset = c.offset;
    s->entered |= substep == 0 && has_entered(s, w, substep, box, k);
    if (!c.marked) return;
    s->contact[k].offset = smaller(c.offset, row_dot(normal, s->x[0]) + 0.85f * length);
    /* It is put out from where it was by more than a sixteenth of its segment. */
    float was[3];
    for (int axis = 0; axis < 3; axis++) was[axis] = s->start[k][axis] + s->contact[k].drift[axis];
    s->expelled |=
        was_strained(s) || s->contact[k].offset - row_dot(normal, was) > 0.0625f * reference_segment(s, k);
}

bool reference_find_contacts(reference_strand *s, const reference_world *w, uint32_t substep) {
    if (w->collider_count == 0) return false;
    swept box = sweep(s);
    bool found = false;
    float length = 0;
    box.way = half_way(w, substep);
    s->expelled = s->entered = false;
    for (uint32_t k = 0; k < s->points; length += s->length[k], k++) {
        find_contact(s, w, substep, &box, k, length);
        found |= row_dot(s->contact[k].normal, s->contact[k].normal) > 0;
    }
    return found;
}

/* In air, whatever a collider is near touches it. */
bool reference_touches(const reference_strand *s, const reference_world *w, uint32_t substep) {
    if (w->def->normal_drag != 0 || w->def->tangential_drag != 0) return true;
    bool touches = false;
    for (uint32_t i = 0; i < w->collider_count; i++) touches |= is_buried(s, w, &poses_of(w, substep + 1)[i]);
    for (uint32_t k = 0; k < s->points; k++) {
        const reference_contact *c = &s->contact[k];
        const float gap = row_dot(c->normal, s->x[k]) - c->offset;
        touches |= gap < 0 || (s->pressure[k] > 0 && gap < w->def->max_strain * reference_segment(s, k));
    }
    return touches;
}

void reference_count_buried(reference_strand *s, const reference_world *w, uint32_t substep) {
    const mote_collider_pose *pose = poses_of(w, substep + 1);
    for (uint32_t k = 1; k < s->points; k++) {
        bool inside = false;
        for (uint32_t i = 0; i < w->collider_count && collides(s, w, k); i++)
            inside |= is_buried(s, w, &pose[i]) && is_inside(s, w, k, &pose[i]);
        s->buried += inside;
    }
}

bool reference_project_contacts(reference_strand *s) {
    bool moved = false;
    for (uint32_t k = 0; k < s->points; k++) {
        const reference_contact *c = &s->contact[k];
        const float depth = c->offset - row_dot(c->normal, s->x[k]);
        if (!(depth > 0)) continue;
        for (int axis = 0; axis < 3; axis++) s->x[k][axis] += depth * c->normal[axis];
        moved = true;
    }
    return moved;
}

/* Out of the collider, without the speed against it, and with friction by that, which takes its way, too. */
void reference_project_springs_out(reference_strand *s, float rate) {
    for (uint32_t k = 0; k < s->points; k++) {
        const reference_contact *c = &s->contact[k];
        const float gap = row_dot(c->normal, s->x[k]) - c->offset;
        if (!(gap < 0)) continue;
        float against[3], along[3], way[3];
        for (int axis = 0; axis < 3; axis++) against[axis] = s->v[k][axis] - rate * c->drift[axis];
        const float across = row_dot(c->normal, against), speed = larger(0 - across, 0);
        for (int axis = 0; axis < 3; axis++) along[axis] = against[axis] + (0 - across) * c->normal[axis];
        const float share = smaller(c->friction * speed / at_least_short(row_length(along)), 1);
        for (int axis = 0; axis < 3; axis++) way[axis] = (s->x[k][axis] - s->start[k][axis]) - c->drift[axis];
        const float off = row_dot(c->normal, way);
        for (int axis = 0; axis < 3; axis++) {
            const float slid = way[axis] - off * c->normal[axis];
            s->x[k][axis] = (s->x[k][axis] - gap * c->normal[axis]) - share * slid;
            s->v[k][axis] = (s->v[k][axis] + speed * c->normal[axis]) - share * along[axis];
        }
    }
}
