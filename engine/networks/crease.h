/* Points between two colliders: in a crease, or with less room than they need. Put out of one of them, a
 * point is in the other; so it leaves both at once, along both normals, and loses its velocity towards both.
 * One after the other they would only turn a velocity that points into a narrow crease, by the angle between
 * them, and it would grow (measured: to that of free fall in 10 s, in creases of 20 to 26 degrees). */
#ifndef MOTE_NETWORKS_CREASE_H
#define MOTE_NETWORKS_CREASE_H

#include "networks/contact.h"

/* Share of its depth in a collider by which a point that is put out may be in another one. */
#define CREASE_ROOM 0x1p-4f

/* Cosine of the normals above which two contacts count as one: after rounding, a point may be in the collider
 * that it has just left. */
#define CREASE_FLAT 0x1.fp-1f

/* Cosine of the normals of two colliders below which there is no way out of both: of planes, in creases below
 * 39 degrees. In others the way is up to 3 times as long as the depth. */
#define CREASE_NARROW (-7.0f / 9.0f)

/* Square of the sine between two normals below which a crease has no direction. */
#define CREASE_SHORT 0x1p-20f

/* Two contacts of a register of points, and how deep it was in each. */
typedef struct network_crease {
    mote_contact first, second;
    wide first_depth, second_depth, cosine;
    wide_mask in; /* lanes that have both */
} network_crease;

/* Finds the second contact of the lanes `in`, which left the first one from `from` to the end of `path`. */
MOTE_OUTLINE bool network_find_crease(const mote_network_job *job, const mote_network_scratch *c,
                                      network_path path, uint32_t slot, wide_mask in, wide3 from,
                                      network_crease *at) {
    if (job->collider_count < 2) return false;
    const ptrdiff_t offset = (ptrdiff_t)slot - c->first;
    if (!network_find_contact(job, c, path, slot, &at->second)) return false;
    if (path.end == COLUMN(x)) network_allow_pressed(c, offset, &at->second);
    const wide beyond = at->second.offset - wide3_dot(at->second.normal, network_load3(c, path.end, offset));
    at->first_depth = at->first.offset - wide3_dot(at->first.normal, from);
    at->second_depth = at->second.offset - wide3_dot(at->second.normal, from);
    at->cosine = wide3_dot(at->first.normal, at->second.normal);
    at->in = in & wide_less(wide_set(CREASE_ROOM) * at->first_depth, beyond) &
             wide_less(at->cosine, wide_set(CREASE_FLAT));
    return wide_lane_bits(at->in);
}

MOTE_INLINE wide_mask network_is_narrow(const network_crease *at) {
    return wide_less(at->cosine, wide_set(CREASE_NARROW));
}

/* a n + b m for the normals n, m with the cosine c: a + c b = d, c a + b = e. exists: not where both are
 * parallel. */
typedef struct network_pair {
    wide a, b;
    wide_mask exists;
    wide3 sum;
} network_pair;

MOTE_INLINE network_pair network_solve_pair(const network_crease *at, wide d, wide e) {
    const wide one = wide_set(1.0f), c = at->cosine, rest = one - c * c;
    const wide_mask exists = wide_less((wide){0}, rest);
    const wide inverse = one / wide_select(exists, rest, one);
    const wide a = inverse * (d - c * e), b = inverse * (e - c * d);
    return (network_pair){a, b, exists,
                          wide3_add_scaled(wide3_scale(a, at->first.normal), b, at->second.normal)};
}

/* Returns the lanes that go into a narrow crease, or along two sides that are parallel. mean: m/s, of both
 * sides. */
MOTE_INLINE wide_mask network_enters_narrow(const network_crease *at, wide3 v, wide3 mean) {
    const wide3 outward = wide3_add(at->first.normal, at->second.normal);
    return network_is_narrow(at) & ~wide_less((wide){0}, wide3_dot(outward, wide3_sub(v, mean)));
}

/* Velocity response to both contacts, from the velocity v before any: impulses along the normals that take
 * the approach velocity, and along the crease Coulomb friction. The lanes that go into a narrow crease get
 * the mean velocity of both sides: one that closes does not shoot them out, and one that opens behind them
 * does not let them through. Lanes that one contact alone presses have its response. */
MOTE_INLINE void network_crease_response(const mote_network_job *job, const mote_network_scratch *c,
                                         ptrdiff_t offset, const network_crease *at, wide_mask narrow,
                                         wide3 v, wide3 mean) {
    const wide rate = wide_set((float)(1.0 / job->plan->h)), zero = {0}, one = wide_set(1.0f);
    const wide3 n = at->first.normal, m = at->second.normal,
                relative = wide3_sub(v, wide3_scale(rate, at->first.drift)),
                other = wide3_sub(v, wide3_scale(rate, at->second.drift));
    const network_pair impulse =
        network_solve_pair(at, zero - wide3_dot(n, relative), zero - wide3_dot(m, other));
    const wide_mask nears = impulse.exists & wide_less(zero, impulse.a) & wide_less(zero, impulse.b),
                    both = at->in & (narrow | (~network_is_narrow(at) & nears));
    network_contact_response(job, c, offset, at->in & ~both, &at->second, zero, NETWORK_STAYS);
    if (!wide_lane_bits(both)) return;
    const wide3 along = wide3_cross(n, m);
    const wide square = wide3_dot(along, along),
               inverse = one / wide_select(wide_less(wide_set(CREASE_SHORT), square), square, one);
    const wide3 slip = wide3_scale(inverse * wide3_dot(along, relative), along);
    const wide share = network_share(slip, at->first.friction * wide_max(impulse.a, zero) +
                                               at->second.friction * wide_max(impulse.b, zero));
    const wide3 held = wide3_add(mean, wide3_scale(inverse * wide3_dot(along, wide3_sub(v, mean)), along));
    const wide3 without = wide3_select(narrow, held, wide3_add(v, impulse.sum));
    network_store3(c, COLUMN(v), offset,
                   wide3_select(both, wide3_sub(without, wide3_scale(share, slip)),
                                network_load3(c, COLUMN(v), offset)));
}

/* Position and velocity of points that left their first contact from x and v, and are in a second one. A
 * point that was in neither has a way out of both against its way in, and no longer than that. Without one,
 * it stays where it began if it goes into a narrow crease. */
MOTE_OUTLINE void network_resolve_crease(const mote_network_job *job, const mote_network_scratch *c,
                                         uint32_t substep, uint32_t slot, wide_mask in,
                                         const mote_contact *first, wide3 x, wide3 v) {
    const ptrdiff_t offset = (ptrdiff_t)slot - c->first;
    network_crease at = {.first = *first};
    if (!network_find_crease(job, c, (network_path){substep, COLUMN(x), false}, slot, in, x, &at)) return;
    const network_pair out = network_solve_pair(&at, at.first_depth, at.second_depth);
    const wide3 drift = wide3_scale(wide_set(0.5f), wide3_add(first->drift, at.second.drift)),
                mean = wide3_scale(wide_set((float)(1.0 / job->plan->h)), drift),
                back = wide3_sub(wide3_add(network_load3(c, COLUMN(start), offset), drift), x);
    const wide_mask narrow = network_enters_narrow(&at, v, mean),
                    room = at.in & out.exists & wide_less((wide){0}, wide3_dot(back, out.sum)) &
                           ~wide_less(wide3_dot(back, back), wide3_dot(out.sum, out.sum)),
                    stays = at.in & ~room & narrow;
    const wide3 way = wide3_select(room, out.sum, back);
    network_store3(c, COLUMN(x), offset,
                   wide3_select(room | stays, wide3_add(x, way), network_load3(c, COLUMN(x), offset)));
    network_crease_response(job, c, offset, &at, narrow, v, mean);
}

/* Explicit springs, whose substeps are short, leave one collider after the other. */
MOTE_INLINE void network_resolve_contacts(const mote_network_job *job, const mote_network_scratch *c,
                                          uint32_t substep, uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        const network_path path = {substep, COLUMN(x), false};
        mote_contact contact;
        wide_mask several;
        if (!network_contact(job, c, path, slot, &contact, &several)) continue;
        const bool creases = job->constrained && wide_lane_bits(several);
        wide3 x = wide3_zero(), v = wide3_zero();
        if (job->constrained) network_allow_pressed(c, at, &contact);
        if (creases) x = network_load3(c, COLUMN(x), at), v = network_load3(c, COLUMN(v), at);
        const wide depth = network_project_out(c, at, &contact);
        const wide_mask in = wide_less((wide){0}, depth);
        network_contact_response(job, c, at, in, &contact, (wide){0}, network_sliding_of(job, slot));
        if (creases && wide_lane_bits(in & several))
            network_resolve_crease(job, c, substep, slot, in & several, &contact, x, v);
        if (!job->constrained) continue;
        float *const touch = network_column(c, COLUMN(touch)) + at;
        wide_store(touch, wide_select(in, wide_set(NETWORK_IS_MOVED), wide_load(touch)));
    }
}

#endif
