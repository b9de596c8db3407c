/* One stage of the system's integrator for strands: springs, or the explicit part of constraints. */
#ifndef MOTE_STRANDS_STAGE_H
#define MOTE_STRANDS_STAGE_H

#include "stage/coupled.h"
#include "strands/forces.h"

/* Place of a stage: the strands from lane `lane` on, at `time`. */
typedef struct strand_place {
    uint32_t stage;
    double time;
    size_t lane;
    wide3 origin; /* m, world, of the positions */
    bool callbacks;
} strand_place;

/* Returns the kick of one point; force: the sum of the forces inside the strand. */
MOTE_INLINE wide3 strand_kick(const strand_columns *c, const mote_coupled_affine *own,
                              mote_coupled_instance of, const strand_place *p, const mote_lanes *s,
                              wide3 force, size_t at) {
    mote_lanes in_world = *s;
    in_world.x = wide3_add(s->x, p->origin);
    mote_external external = {.inverse_mass = point_mass(c, at)};
    if (of.others && of.callbacks) {
        external.acceleration = work_load3(c, WORK_ACCELERATION, at);
        external.force = work_load3(c, WORK_FORCE, at);
    }
    external.anchor = wide3_zero();
    return mote_coupled_kick(own, of, p->time, &in_world, &external, force);
}

MOTE_INLINE mote_lanes load_carry(const strand_columns *c, mote_family family, strand_point a, size_t at) {
    mote_lanes s = {.x = a.x, .v = a.v};
    if (family == MOTE_FAMILY_SPLITTING || family == MOTE_FAMILY_MAP) return s;
    s.base_x = work_load3(c, WORK_CARRY, at);
    s.base_v = work_load3(c, WORK_CARRY + 3, at);
    s.sum_x = work_load3(c, WORK_CARRY + 6, at);
    s.sum_v = work_load3(c, WORK_CARRY + 9, at);
    return s;
}

MOTE_INLINE void store_carry(const strand_columns *c, mote_family family, const mote_lanes *s, size_t at) {
    if (family == MOTE_FAMILY_SPLITTING || family == MOTE_FAMILY_MAP) return;
    work_store3(c, WORK_CARRY, at, s->base_x);
    work_store3(c, WORK_CARRY + 3, at, s->base_v);
    work_store3(c, WORK_CARRY + 6, at, s->sum_x);
    work_store3(c, WORK_CARRY + 9, at, s->sum_v);
}

/* Stores the new state of a point in lanes in which it may move. */
MOTE_INLINE void store_free(const strand_columns *c, wide inverse_mass, strand_point old, const mote_lanes *s,
                            size_t at) {
    if (at >= MOTE_GROUP && !c->pins && at < (size_t)c->shortest * MOTE_GROUP) { /* free in all lanes */
        work_store3(c, WORK_X, at, s->x);
        work_store3(c, WORK_V, at, s->v);
        return;
    }
    wide_mask free = wide_less((wide){0}, inverse_mass);
    work_store3(c, WORK_X, at, wide3_select(free, s->x, old.x));
    work_store3(c, WORK_V, at, wide3_select(free, s->v, old.v));
}

/* Adds the strand's impulse on pinned points to their reaction. */
MOTE_INLINE void add_reaction(const strand_columns *c, wide inverse_mass, wide3 impulse, size_t at) {
    wide_mask pinned = wide_equal(inverse_mass, (wide){0});
    wide3 sum = work_load3(c, WORK_REACTION, at);
    work_store3(c, WORK_REACTION, at, wide3_select(pinned, wide3_add(sum, impulse), sum));
}

/* Runs a stage of the strands from p->lane on. weight: seconds for which its forces count in the substep;
 * of.uncoupled: springs give impulses, each as if it were the only one. */
MOTE_INLINE void strand_stage(const strand_work *w, mote_coupled_instance of, int parts,
                              const strand_place *p, float weight) {
    const strand_columns columns = w->c, *c = &columns;
    const mote_plan *plan = w->job->plan;
    const mote_coupled_affine own = mote_coupled_affine_of(plan, p->stage);
    const strand_springs springs = springs_of(w, of.uncoupled, p->lane);
    const size_t last = strand_at(columns.points - 1, p->lane);
    mote_wide_map map;
    if (of.family == MOTE_FAMILY_MAP)
        map = map_of(plan, wide_load(w->job->strands->point_inverse_mass + w->lane + p->lane));
    of.callbacks = p->callbacks;
    strand_sweep sweep = sweep_begin();
    strand_window window = {.b = work_point(c, p->lane)};
    for (uint32_t k = 0; k < columns.points; k++) {
        const size_t at = strand_at(k, p->lane), after = at + MOTE_GROUP;
        window.a = window.b;
        window.b = work_point(c, after < last ? after : last);
        wide inverse_mass = point_mass(c, at);
        /* Forces inside the strand. */
        spring_action spring = {wide3_zero(), wide3_zero()};
        wide3 force = wide3_zero();
        if (parts & STRAND_STRETCH) spring = sweep_springs(c, &springs, &sweep, &window, k, at, p->lane);
        if (parts & STRAND_EXTRAS) force = sweep_extras(w, &sweep, &window, k, at, p->lane);
        if (!of.uncoupled) force = (parts & STRAND_EXTRAS) ? wide3_add(spring.force, force) : spring.force;
        /* Kick, and the stage of the integrator. */
        mote_lanes s = load_carry(c, of.family, window.a, at);
        wide3 dv = strand_kick(c, &own, of, p, &s, force, at);
        do_stage(plan, of.family, &s, p->stage, dv, &map);
        if (of.uncoupled) {
            s.x = wide3_add_scaled(s.x, inverse_mass, spring.shift);
            s.v = wide3_add_scaled(s.v, inverse_mass, spring.force);
        }
        store_free(c, inverse_mass, window.a, &s, at);
        store_carry(c, of.family, &s, at);
        if (k == 0 || columns.pins) {
            /* Reaction of pinned points. */
            wide3 impulse = wide3_scale(wide_set(weight), force);
            add_reaction(c, inverse_mass, of.uncoupled ? wide3_add(impulse, spring.force) : impulse, at);
        }
    }
}

/* Sums the callbacks at all points of the group. They see columns of whole strands, which follow the scratch
 * of the points. */
MOTE_OUTLINE void sum_callbacks(const strand_work *w, double time) {
    const strand_columns *c = &w->c;
    const size_t end = strand_at(w->points, 0), stride = work_end(w->job->strands->max_points);
    float *column[12];
    for (size_t i = 0; i < 12; i++) column[i] = c->memory + stride * (WORK_COLUMNS + i);
    for (size_t at = 0; at < end; at += MOTE_WIDTH) {
        wide3_store(column, at, wide3_add(work_load3(c, WORK_X, at), origin_of(w, at % MOTE_GROUP)));
        wide3_store(column + 3, at, work_load3(c, WORK_V, at));
    }
    mote_strand_callbacks(w->job, w->index, time, column, column + 3, column + 6, column + 9);
    for (size_t at = 0; at < end; at += MOTE_WIDTH) {
        work_store3(c, WORK_ACCELERATION, at, wide3_load(column + 6, at));
        work_store3(c, WORK_FORCE, at, wide3_load(column + 9, at));
    }
}

/* Begins a substep, before its first evaluation: drifts where the integrator drifts first. */
MOTE_INLINE void strand_begin(const strand_work *w, mote_family family, size_t lane) {
    const mote_plan *plan = w->job->plan;
    if (family != MOTE_FAMILY_SPLITTING || plan->c.drift_first == 0) return;
    for (size_t at = lane; at < (size_t)w->points * MOTE_GROUP; at += MOTE_GROUP) {
        strand_point a = work_point(&w->c, at);
        mote_lanes s = {.x = a.x, .v = a.v};
        mote_splitting_begin(&s, &plan->c);
        store_free(&w->c, point_mass(&w->c, at), a, &s, at);
    }
}

#endif
