/* Ends of the substeps of loose particles with more hits than are resolved: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_END_H
#define MOTE_PARTICLES_COLLIDE_END_H

#include "particles/collide_find.h"
#include "particles/collide_spin.h"

/* Stops lanes with more hits than a substep resolves; friction of the last two resting contacts acts on their
 * spin. */
MOTE_INLINE void collide_stop(const mote_collision *c, wide_mask hits, collide_leg *leg) {
    leg->end_x = wide3_select(hits, wide3_add_scaled(leg->x, leg->left, leg->drift), leg->end_x);
    leg->end_v = wide3_select(hits, leg->v, leg->end_v);
    leg->creased |= hits;
    if (!c->spin[0]) return;
    const wide_mask rests = hits & leg->rested;
    const wide3 none = wide3_zero();
    collide_rub rub = {rests, rests, rests, none, none, (wide){0}};
    collide_cut_turn(wide_set(1.0f), hits, leg);
    (void)collide_roll(c, &rub, leg->older_normal, leg->older_limit, none, leg);
    (void)collide_roll(c, &rub, leg->rest_normal, leg->rest_limit, none, leg);
}

/* Least square of the sine of the angle between two surfaces along which lanes go on (7 degrees). */
#define COLLIDE_WEDGE 0x1p-6f

/* Surfaces press lanes into each other if they close by more than this share of their motions: those of one
 * body, such as a crate that turns, do not. */
#define COLLIDE_PRESSED 0.0625f

/* Returns the lanes of `hits` that meet a surface where they are, without a way there. */
MOTE_INLINE wide_mask collide_at_once(const collide_hit *hit, wide_mask hits, const collide_leg *leg) {
    const wide way = wide_max(hit->f, (wide){0}) * collide_sum(wide3_sub(leg->end_x, leg->x));
    return hits & ~wide_less(leg->slack + leg->slack, way) & ~(hit->kills | hit->sticks | hit->passes);
}

/* Begins a last leg of the lanes that two surfaces press into each other, as an overhanging one does that
 * moves over a floor: they hit one and the other where they are, without end. Across the surfaces they go as
 * fast as these, and along both as fast as they did. Returns these lanes. */
MOTE_INLINE wide_mask collide_go_along(const mote_collision *c, const collide_hit *hit, wide_mask hits,
                                       collide_leg *leg) {
    const wide one = wide_set(1.0f), rate = wide_set(c->inverse_h);
    const wide cosine = wide3_dot(leg->side, hit->normal), square = one - cosine * cosine;
    const wide3 apart = wide3_sub(hit->drift, leg->drift);
    const wide closing = wide_max(wide3_dot(hit->normal, apart), 0.0f - wide3_dot(leg->side, apart)),
               slow = COLLIDE_PRESSED * (collide_sum(hit->drift) + collide_sum(leg->drift));
    const wide_mask lanes = collide_at_once(hit, hits, leg) & wide_less(slow, closing) &
                            wide_less(wide_set(COLLIDE_WEDGE), square);
    if (!wide_lane_bits(lanes)) return lanes;
    const wide inverse = one / wide_select(lanes, square, one),
               last = rate * wide3_dot(leg->side, leg->drift),
               here = rate * wide3_dot(hit->normal, hit->drift);
    const wide3 along = wide3_cross(leg->side, hit->normal),
                both = wide3_add_scaled(wide3_scale(last - cosine * here, leg->side), here - cosine * last,
                                        hit->normal),
                v = wide3_scale(inverse, wide3_add_scaled(both, wide3_dot(along, leg->v), along));
    leg->end_x = wide3_select(lanes, wide3_add_scaled(leg->x, leg->left * c->h, v), leg->end_x);
    leg->v = wide3_select(lanes, v, leg->v);
    leg->end_v = wide3_select(lanes, v, leg->end_v);
    leg->raised = wide3_select(lanes, wide3_zero(), leg->raised);
    leg->side = wide3_select(lanes, hit->normal, leg->side);
    leg->drift = wide3_select(lanes, hit->drift, leg->drift);
    leg->last = (lanes & hit->index) | (~lanes & leg->last);
    return lanes;
}

/* Ends the substep of lanes with more hits than it resolves. Those that go on along two surfaces stop at the
 * next one; that these two, where they turn, rise before them is left to collide_settle. */
MOTE_COLD MOTE_OUTLINE void collide_end(const mote_collision *c, const mote_collider_pose *from,
                                        const collide_hit *hit, wide_mask hits, collide_leg *leg) {
    const wide_mask other = leg->last, on = collide_go_along(c, hit, hits, leg);
    collide_stop(c, hits & ~on, leg);
    if (!wide_lane_bits(on)) return;
    collide_hit next;
    collide_hit_clear(&next);
    leg->active = on;
    collide_leg_begin(c, leg);
    collide_find(c, &c->all, from, leg, &next);
    wide_mask meets = on & wide_less(next.f, wide_set(COLLIDE_NO_HIT));
    const wide_mask same = ~next.grid & (wide_is(next.index ^ other, 0) | wide_is(next.index ^ leg->last, 0));
    meets &= ~(same & collide_at_once(&next, meets, leg));
    if (!wide_lane_bits(meets)) return;
    const wide f = wide_max(next.f, (wide){0});
    leg->x = wide3_select(meets, wide3_add_scaled(leg->x, f, wide3_sub(leg->end_x, leg->x)), leg->x);
    leg->left = wide_select(meets, leg->left * (1.0f - f), leg->left);
    collide_stop(c, meets, leg);
}

#endif
