/* Energy of conserving strands. Impulses along the segments (impulse.h) with g = 1/2 do no work, but then the
 * velocity along a segment only changes its sign from substep to substep: after some seconds it holds a fifth
 * of a swing's energy without any motion. With g a little above 1/2 that velocity is damped. The deficit is
 * the sum of the energy that the impulses lose and of the work of the accelerations over the displacements
 * that correct the lengths (more than rounding where a strand turns fast). By the end of the step a factor of
 * the velocities restores it: of those relative to the root, or, where no point is pinned, relative to the
 * rigid motion with the momentum and angular momentum of the strand, which are kept. */
#ifndef MOTE_STRANDS_ENERGY_H
#define MOTE_STRANDS_ENERGY_H

#include "strands/impulse.h"

#define STRAND_DEFICIT_DUE   0.05f /* of the kinetic energy: is restored before the end of the step */
#define STRAND_DEFICIT_LIMIT 0.5f  /* of the kinetic energy: no more is restored at once */
/* Rounding leaves a rate of the segments that the tension, m h a a point, works on: of n points n times this
 * share of the sum of m (h a)^2 is noise, and only what exceeds it is restored. Without this small swings die
 * or grow: those of 0.01 mm keep their size at 2^-20, not at 2^-21 (64 points, 4 substeps, measured). */
#define STRAND_DEFICIT_NOISE 0x1p-20f

/* Masses of the points of a register. Equal ones take one division, not one a point. */
typedef struct strand_masses {
    wide_mask counts;
    wide equal; /* kg */
    bool same;  /* all points of a strand have the mass `equal` */
} strand_masses;

MOTE_INLINE strand_masses masses_of(const strand_work *w, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const wide inverse = wide_load(strands->point_inverse_mass + w->lane + lane);
    const wide_mask some = wide_less((wide){0}, inverse);
    return (strand_masses){.counts = wide_mask_load(w->c.counts + lane),
                           .equal = wide_set(1.0f) / wide_select(some, inverse, wide_set(1.0f)),
                           .same = strands->mass == NULL};
}

/* Returns the mass (kg) of a point that can move; 0 of others. */
MOTE_INLINE wide moving_mass(const strand_columns *c, const strand_masses *m, uint32_t k, size_t at) {
    const wide inverse = point_mass(c, at);
    const wide_mask moves = wide_less((wide){0}, inverse) & lanes_beyond(m->counts, k);
    if (m->same) return wide_select(moves, m->equal, (wide){0});
    return wide_select(moves, wide_set(1.0f) / wide_select(moves, inverse, wide_set(1.0f)), (wide){0});
}

/* Returns the sum of m x (kg m). */
MOTE_OUTLINE wide3 sum_moments(const strand_work *w, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    wide3 sum = wide3_zero();
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        sum = wide3_add_scaled(sum, moving_mass(c, &masses, k, at), work_load3(c, WORK_X, at));
    }
    return sum;
}

/* A rigid motion: v + w x (x - center) at x. */
typedef struct strand_motion {
    wide3 center, v, w;
} strand_motion;

MOTE_INLINE wide3 motion_at(const strand_motion *m, wide3 x) {
    return wide3_add(m->v, wide3_cross(m->w, wide3_sub(x, m->center)));
}

/* Moments of the free points of a strand about a pivot: its center of mass, or a hinge. */
typedef struct strand_moments {
    wide3 center, v;         /* m, m/s: of the pivot */
    wide3 l;                 /* kg m^2/s, angular momentum */
    wide3 squares, products; /* kg m^2: sums of m x x, m y y, m z z and of m y z, m z x, m x y */
} strand_moments;

/* Finds the moments of places and velocities in two columns. hinged: the lanes whose pivot is the root, which
 * moves at hinge_v. */
MOTE_OUTLINE strand_moments moments_of(const strand_work *w, int places, int velocities, wide_mask hinged,
                                       wide3 hinge_v, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    const wide3 zero = wide3_zero();
    strand_moments m = {zero, zero, zero, zero, zero};
    wide whole = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide mass = moving_mass(c, &masses, k, at);
        whole += mass;
        m.center = wide3_add_scaled(m.center, mass, work_load3(c, places, at));
        m.v = wide3_add_scaled(m.v, mass, work_load3(c, velocities, at));
    }
    const wide inverse = wide_set(1.0f) / (whole + wide_set(0x1p-100f));
    m.center = wide3_select(hinged, work_load3(c, places, lane), wide3_scale(inverse, m.center));
    m.v = wide3_select(hinged, hinge_v, wide3_scale(inverse, m.v));
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide mass = moving_mass(c, &masses, k, at);
        const wide_mask moves = wide_less((wide){0}, mass);
        const wide3 r = wide3_select(moves, wide3_sub(work_load3(c, places, at), m.center), zero),
                    u = wide3_select(moves, wide3_sub(work_load3(c, velocities, at), m.v), zero);
        m.squares = wide3_add_scaled(m.squares, mass, wide3_mul(r, r));
        m.products = wide3_add_scaled(m.products, mass, (wide3){r.y * r.z, r.z * r.x, r.x * r.y});
        m.l = wide3_add_scaled(m.l, mass, wide3_cross(r, u));
    }
    return m;
}

/* Returns w of (I + 1e-5 trace(I)) w = l by Cramer's rule, all divided by the trace first; a straight strand
 * has a w, too. */
MOTE_INLINE wide3 rough_angular_velocity(const strand_moments *m, wide3 l) {
    const wide trace = m->squares.x + m->squares.y + m->squares.z,
               inverse = wide_set(1.0f) / (trace + wide_set(0x1p-100f));
    const wide3 s = wide3_scale(inverse, m->squares), q = wide3_scale(inverse, m->products),
                r = wide3_scale(inverse, l);
    const wide more = wide_set(1e-5f), a = s.y + s.z + more, b = s.z + s.x + more, c = s.x + s.y + more,
               f = -q.x, g = -q.y, h = -q.z;
    const wide3 first = {b * c - f * f, f * g - h * c, h * f - b * g},
                second = {first.y, a * c - g * g, g * h - a * f}, third = {first.z, second.z, a * b - h * h};
    const wide determinant = a * first.x + h * first.y + g * first.z;
    return wide3_scale(wide_set(1.0f) / determinant,
                       (wide3){wide3_dot(first, r), wide3_dot(second, r), wide3_dot(third, r)});
}

/* Returns I w. */
MOTE_INLINE wide3 turned_inertia(const strand_moments *m, wide3 w) {
    const wide3 squares = m->squares, products = m->products;
    const wide3 around = {squares.y + squares.z, squares.z + squares.x, squares.x + squares.y},
                off = {products.y * w.z + products.z * w.y, products.z * w.x + products.x * w.z,
                       products.x * w.y + products.y * w.x};
    return wide3_sub(wide3_mul(around, w), off);
}

/* Returns w of I w = l. Each pass solves for what the last one left: by the 1e-5 of the trace 1e-5 and more,
 * and of a straight strand by rounding 1 %. */
MOTE_OUTLINE wide3 angular_velocity(const strand_moments *m, wide3 l) {
    wide3 w = wide3_zero(), left = l;
    MOTE_ROLLED for (int pass = 0; pass < 3; pass++) {
        w = wide3_add(w, rough_angular_velocity(m, left));
        left = wide3_sub(l, turned_inertia(m, w));
    }
    return w;
}

/* Returns the rigid motion with the momentum and the angular momentum of each strand. */
MOTE_OUTLINE strand_motion free_motion(const strand_work *w, size_t lane) {
    const strand_moments m = moments_of(w, WORK_X, WORK_V, (wide_mask){0}, wide3_zero(), lane);
    return (strand_motion){m.center, m.v, angular_velocity(&m, m.l)};
}

/* Sets *v to the velocity of the first pinned point, where there is one. Returns these lanes. */
MOTE_INLINE wide_mask velocity_of_pins(const strand_columns *c, wide3 *v, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    wide_mask pinned = wide_equal((wide){0}, wide_set(1.0f));
    for (uint32_t k = c->pins ? c->points : 1; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        const wide_mask pin = wide_equal(point_mass(c, at), (wide){0}) & lanes_beyond(counts, k);
        *v = wide3_select(pin, work_load3(c, WORK_V, at), *v);
        pinned |= pin;
    }
    return pinned;
}

/* Returns the lanes with a pinned point. */
MOTE_INLINE wide_mask has_pin(const strand_columns *c, size_t lane) {
    wide3 ignored = wide3_zero();
    return velocity_of_pins(c, &ignored, lane);
}

/* Returns the motion relative to which each strand is scaled: of its root or first pinned point, or that of a
 * rigid body where none is pinned. */
MOTE_INLINE strand_motion frame_of(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const strand_motion m = {wide3_zero(), work_load3(c, WORK_V, lane), wide3_zero()};
    const wide_mask exists = lanes_beyond(wide_mask_load(c->counts + lane), 0);
    if (wide_all(wide_equal(point_mass(c, lane), (wide){0}) | ~exists)) return m;
    strand_motion rigid = free_motion(w, lane);
    const wide_mask pinned = velocity_of_pins(c, &rigid.v, lane);
    rigid.w = wide3_select(pinned, wide3_zero(), rigid.w);
    return rigid;
}

/* Returns twice the kinetic energy relative to the frame. still: the frame does not turn. *whole receives the
 * mass of the points that can move. */
MOTE_INLINE wide kinetic_energy(const strand_columns *c, const strand_masses *masses,
                                const strand_motion *frame, bool still, wide *whole, size_t lane) {
    wide kinetic = (wide){0};
    *whole = (wide){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 base = still ? frame->v : motion_at(frame, work_load3(c, WORK_X, at)),
                    u = wide3_sub(work_load3(c, WORK_V, at), base);
        const wide mass = moving_mass(c, masses, k, at);
        kinetic += wide_select(wide_less((wide){0}, mass), mass * wide3_dot(u, u), (wide){0});
        *whole += mass;
    }
    return kinetic;
}

/* Subtracts an impulse from the reaction of a point of each lane of `lanes`; numbers: which point. */
MOTE_OUTLINE void subtract_reaction(const strand_columns *c, wide_mask lanes, wide_mask numbers,
                                    wide3 impulse, size_t lane) {
    int32_t number[MOTE_WIDTH];
    wide_mask_store(number, numbers);
    for (uint32_t bits = wide_lane_bits(lanes); bits; bits &= bits - 1) {
        const size_t i = (size_t)__builtin_ctz(bits), at = strand_at((uint32_t)number[i], lane + i);
        *work_lane(c, WORK_REACTION, at) -= wide_element(impulse.x, (int)i);
        *work_lane(c, WORK_REACTION + 1, at) -= wide_element(impulse.y, (int)i);
        *work_lane(c, WORK_REACTION + 2, at) -= wide_element(impulse.z, (int)i);
    }
}

/* Pinned points that a sweep from the root has passed. */
typedef struct strand_passed {
    wide_mask any, last; /* lanes that have one; its number */
    wide3 momentum;      /* N s, gained since */
} strand_passed;

/* Gives the momentum gained by the points before a pinned one to it; half to the pin before, if there is one.
 */
MOTE_OUTLINE void pass_pins(const strand_columns *c, strand_passed *p, wide_mask pins, uint32_t k,
                            size_t lane) {
    const wide share = wide_select(p->any, wide_set(0.5f), wide_set(1.0f));
    const wide3 part = wide3_scale(share, p->momentum);
    const wide_mask number = (wide_mask){0} + (int32_t)k;
    subtract_reaction(c, pins & p->any, p->last, part, lane);
    subtract_reaction(c, pins, number, part, lane);
    p->momentum = wide3_select(pins, wide3_zero(), p->momentum);
    p->last = (pins & number) | (~pins & p->last);
    p->any |= pins;
}

/* Adds what point k of the lanes gained to the momentum that the pins have to give, and passes it to a pinned
 * point. change: m/s. */
MOTE_INLINE void add_momentum(const strand_columns *c, const strand_masses *masses, strand_passed *p,
                              wide mass, wide3 change, wide_mask lanes, uint32_t k, size_t lane) {
    p->momentum = wide3_add_scaled(p->momentum, mass, change);
    if (!c->pins) return;
    const wide_mask pins =
        lanes & wide_equal(point_mass(c, strand_at(k, lane)), (wide){0}) & lanes_beyond(masses->counts, k);
    if (wide_lane_bits(pins)) pass_pins(c, p, pins, k, lane);
}

/* Gives the rest of it, that of the tip, to the last pinned point, or to the root. */
MOTE_INLINE void leave_momentum(const strand_columns *c, const strand_passed *p, size_t lane) {
    const wide_mask root = wide_equal(point_mass(c, lane), (wide){0});
    if (c->pins)
        subtract_reaction(c, p->any, p->last, p->momentum, lane);
    else
        work_store3(
            c, WORK_REACTION, lane,
            wide3_sub(work_load3(c, WORK_REACTION, lane), wide3_select(root, p->momentum, wide3_zero())));
}

/* Scales the velocities of the lanes, relative to the frame, by `factor`. The momentum that they gain is
 * a reaction of the pins. */
MOTE_INLINE void scale_velocities(const strand_columns *c, const strand_masses *masses,
                                  const strand_motion *frame, bool still, wide factor, wide_mask lanes,
                                  size_t lane) {
    strand_passed p = {.momentum = wide3_zero()};
    p.any = p.last = (wide_mask){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 v = work_load3(c, WORK_V, at),
                    base = still ? frame->v : motion_at(frame, work_load3(c, WORK_X, at)),
                    scaled = wide3_add_scaled(base, factor, wide3_sub(v, base));
        const wide mass = moving_mass(c, masses, k, at);
        const wide3 restored = wide3_select(lanes & wide_less((wide){0}, mass), scaled, v);
        work_store3(c, WORK_V, at, restored);
        add_momentum(c, masses, &p, mass, wide3_sub(restored, v), lanes, k, lane);
    }
    leave_momentum(c, &p, lane);
}

/* Scales the velocities of the lanes, relative to the frame, so that twice their energy grows by their
 * deficit as far as it is more than noise, at most by STRAND_DEFICIT_LIMIT of it: momentum and angular
 * momentum of a free strand stay. */
MOTE_INLINE void scale_to_energy(strand_work *w, strand_motion frame, bool still, wide_mask lanes,
                                 size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const strand_masses masses = masses_of(w, lane);
    const wide deficit = wide_load(w->deficit + lane);
    wide mass;
    const wide kinetic = kinetic_energy(c, &masses, &frame, still, &mass, lane);
    const wide noise = wide_set(STRAND_DEFICIT_NOISE) * WIDE_CONVERT(masses.counts, wide) * mass *
                       wide_load(w->kicks + lane),
               certain = deficit - wide_max(-noise, wide_min(noise, deficit));
    const wide most = wide_set(STRAND_DEFICIT_LIMIT) * kinetic,
               change = wide_max(-most, wide_min(most, certain));
    const wide_mask some =
        lanes & wide_less((wide){0}, kinetic) & wide_equal((deficit + kinetic) * 0.0f, (wide){0});
    const wide share = wide_select(some, change / wide_select(some, kinetic, wide_set(1.0f)), (wide){0});
    const wide factor = wide_sqrt(wide_set(1.0f) + share);
    scale_velocities(c, &masses, &frame, still, factor, some, lane);
    wide_store(w->kinetic + lane, wide_select(lanes, kinetic, wide_load(w->kinetic + lane)));
    wide_store(w->deficit + lane, wide_select(lanes, (wide){0}, deficit));
    wide_store(w->kicks + lane, wide_select(lanes, (wide){0}, wide_load(w->kicks + lane)));
}

/* Instances for strands with free roots and with pinned ones. */
MOTE_OUTLINE void restore_free(strand_work *w, wide_mask lanes, size_t lane) {
    scale_to_energy(w, frame_of(w, lane), false, lanes, lane);
}
MOTE_OUTLINE void restore_pinned(strand_work *w, wide_mask lanes, size_t lane) {
    const strand_motion frame = {wide3_zero(), work_load3(&w->c, WORK_V, lane), wide3_zero()};
    scale_to_energy(w, frame, true, lanes, lane);
}
MOTE_INLINE void restore_energy(strand_work *w, wide_mask lanes, size_t lane) {
    (w->job->strands->def.free_roots ? restore_free : restore_pinned)(w, lanes, lane);
}

/* Restores the energy of the lanes of `free` at the end of the step, and earlier where the deficit is large.
 * Clears the deficit of the others: contact dissipates energy. */
MOTE_INLINE void restore_due_energy(strand_work *w, wide_mask free, bool last, size_t lane) {
    const wide deficit = wide_select(free, wide_load(w->deficit + lane), (wide){0}),
               large = wide_set(STRAND_DEFICIT_DUE) * wide_load(w->kinetic + lane);
    wide_store(w->deficit + lane, deficit);
    const wide_mask due = last ? free : free & wide_less(large, wide_abs(deficit));
    if (wide_lane_bits(due)) restore_energy(w, due, lane);
}

/* Adds twice an energy (J) to the deficit of the lanes. kick: h a of their first free points. */
MOTE_INLINE void add_deficit(strand_work *w, wide_mask lanes, wide more, wide3 kick, size_t lane) {
    float *deficit = w->deficit + lane, *kicks = w->kicks + lane;
    wide_store(kicks, wide_load(kicks) + wide_select(lanes, wide3_dot(kick, kick), (wide){0}));
    wide_store(deficit, wide_load(deficit) + wide_select(lanes, more, (wide){0}));
}

#endif
