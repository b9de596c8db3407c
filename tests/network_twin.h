/* A network in the engine and the same in one of the plain references, with the same calls of the host. */
#ifndef MOTE_TESTS_NETWORK_TWIN_H
#define MOTE_TESTS_NETWORK_TWIN_H

#include "network_base.h"
#include "network_scene.h"
#include "reference_network.h"
#include "system/internal.h"

typedef struct network_twin {
    network_scene scene;
    network_arrays *arrays;
    mote_system *system;
    mote_network_id id;
    reference_network *reference;
    reference_surroundings around;
} network_twin;

/* Names the scene and the step where an assertion fails. */
static inline void twin_case(const network_twin *t) {
    const network_scene *s = &t->scene;
    test_case("%s, parts %#x, %u particles in islands of %u, seed %u, %s, step %u",
              integrator_name(s->integrator), s->parts, s->count, s->island, s->seed, mote_isa_name(s->isa),
              (uint32_t)t->around.step);
}

/* The host's calls, to the reference. */
static inline void twin_do(network_twin *t, const network_edits *edits) {
    reference_network *n = t->reference;
    const uint64_t now = t->around.step * t->around.ticks_per_step;
    for (uint32_t i = 0; i < edits->count; i++) {
        const network_edit *e = &edits->item[i];
        const mote_spring *s = &e->spring;
        switch (e->action) {
        case ACTION_ADD:
            assert_int_equal(reference_network_add(n, s), e->number);
            if (n->in_double)
                n->spring[e->number].rest_length = e->length; /* AS_PLACED: by the engine's state */
            break;
        case ACTION_REMOVE:
            reference_network_remove(n, e->number);
            break;
        case ACTION_SET:
            reference_network_set(n, e->number, s->stiffness, s->damping, s->tear_strain);
            break;
        case ACTION_REEL:
            reference_network_reel(n, e->number, s->rest_length, now, e->tick);
            break;
        case ACTION_PIN:
            reference_network_pin(n, e->number, e->target, now, e->tick);
            break;
        case ACTION_UNPIN:
            reference_network_unpin(n, e->number);
            break;
        }
    }
}

/* The float reference starts from the engine's columns, into which a test may have written. */
static inline void twin_load(network_twin *t) {
    reference_network *n = t->reference;
    for (uint32_t i = 0; i < n->count; i++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            const float x = *column_of(t->system, t->id, i, axis),
                        v = *column_of(t->system, t->id, i, 3 + axis);
            if (n->in_double)
                n->dx[i][axis] = (double)x, n->dv[i][axis] = (double)v;
            else
                n->x[i][axis] = x, n->v[i][axis] = v;
        }
}

static inline network_twin make_twin(const network_scene *scene, network_arrays *arrays, bool in_double) {
    static network_edits edits;
    network_twin t = {.scene = *scene, .arrays = arrays};
    edits.count = 0;
    t.system = make_network_scene(scene, arrays, &t.id, &edits);
    t.reference = reference_network_make(&arrays->def, in_double);
    t.around = (reference_surroundings){.integrator = scene->integrator,
                                        .forces = t.system->forces.items,
                                        .force_count = t.system->forces.count,
                                        .start_time = t.system->def.start_time,
                                        .timestep = t.system->clock.timestep,
                                        .substeps = scene->substeps,
                                        .ticks_per_step = t.system->clock.ticks_per_step};
    twin_do(&t, &edits);
    twin_load(&t);
    return t;
}

static inline void destroy_twin(network_twin *t) {
    mote_system_destroy(t->system);
    reference_network_destroy(t->reference);
}

/* Both take a step, of as many substeps. */
static inline void twin_step(network_twin *t) {
    OK(mote_system_step(t->system, 1, NULL));
    if (t->scene.policy == MOTE_STABILITY_SUBSTEP)
        t->around.substeps = step_report(t->system, t->id).substeps;
    reference_network_step(t->reference, &t->around);
    t->around.step++;
}

static inline void twin_same_springs(const network_twin *t) {
    const reference_network *n = t->reference;
    uint32_t torn = 0, alive = 0;
    const uint32_t *numbers = mote_network_torn(t->system, t->id, &torn);
    ASSERT(torn, ==, n->torn_count);
    for (uint32_t i = 0; i < torn; i++) ASSERT(numbers[i], ==, n->torn[i]);
    for (uint32_t i = 0; i < n->spring_end; i++) {
        const reference_spring *want = &n->spring[i];
        mote_spring spring;
        const bool exists = mote_network_spring(t->system, t->id, i, &spring) == MOTE_OK;
        ASSERT(exists, ==, want->alive);
        alive += exists;
        if (!exists) continue;
        ASSERT(spring.a, ==, want->a);
        ASSERT(spring.b, ==, want->b);
        ASSERT((double)spring.stiffness, ==, want->stiffness);
        ASSERT((double)spring.damping, ==, want->damping);
        ASSERT(spring.tear_strain, ==, want->tear_strain);
        if (!want->reels) ASSERT(spring.rest_length, ==, want->rest_length);
    }
    ASSERT(mote_network_columns(t->system, t->id).spring_count, ==, alive);
}

/* A step's edits, by both. */
static inline void twin_edit(network_twin *t, uint32_t dice) {
    static network_edits edits;
    edits.count = 0;
    network_edit_all(t->system, t->id, &t->scene, t->arrays, dice, &edits);
    twin_do(t, &edits);
}

#endif
