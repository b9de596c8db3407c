/* A network in the engine and the same in one of the plain references, to which the host does the same. For
 * tests with cmocka. */
#ifndef MOTE_TESTS_NETWORK_TWIN_H
#define MOTE_TESTS_NETWORK_TWIN_H

#include "test.h"
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

static inline const char *twin_text(const network_twin *t) {
    const network_scene *s = &t->scene;
    static char text[240];
    snprintf(text, sizeof text, "%s, parts %#x, %u particles in islands of %u, seed %u, %s, step %u",
             mote_integrator_describe(s->integrator)->name, s->parts, s->count, s->island, s->seed,
             mote_isa_name(s->isa), (uint32_t)t->around.step);
    return text;
}

/* What the host did is done to the reference too. */
static inline void twin_do(network_twin *t, const network_edits *edits) {
    reference_network *n = t->reference;
    const uint64_t now = t->around.step * t->around.ticks_per_step;
    for (uint32_t i = 0; i < edits->count; i++) {
        const network_edit *e = &edits->item[i];
        const mote_spring *s = &e->spring;
        switch (e->deed) {
        case DEED_ADD:
            assert_int_equal(reference_network_add(n, s), e->number);
            if (n->in_double)
                n->spring[e->number].rest_length = e->length; /* AS_PLACED: by the engine's state */
            break;
        case DEED_REMOVE:
            reference_network_remove(n, e->number);
            break;
        case DEED_SET:
            reference_network_set(n, e->number, s->stiffness, s->damping, s->tear_strain);
            break;
        case DEED_REEL:
            reference_network_reel(n, e->number, s->rest_length, now, e->tick);
            break;
        case DEED_PIN:
            reference_network_pin(n, e->number, e->target, now, e->tick);
            break;
        case DEED_UNPIN:
            reference_network_unpin(n, e->number);
            break;
        }
    }
}

/* The float reference starts from the engine's columns, into which a test may have written. */
static inline void twin_load(network_twin *t) {
    const mote_network_view v = mote_network_columns(t->system, t->id);
    float *const column[6] = {v.position.x, v.position.y, v.position.z,
                              v.velocity.x, v.velocity.y, v.velocity.z};
    for (uint32_t i = 0; i < t->reference->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = column[axis][v.slot[i]], speed = column[3 + axis][v.slot[i]];
            if (t->reference->in_double)
                t->reference->dx[i][axis] = (double)x, t->reference->dv[i][axis] = (double)speed;
            else
                t->reference->x[i][axis] = x, t->reference->v[i][axis] = speed;
        }
}

static inline network_twin make_twin(const network_scene *scene, network_arrays *arrays, bool in_double) {
    static network_edits edits;
    network_twin t = {.scene = *scene, .arrays = arrays};
    edits.count = 0;
    t.system = make_network_scene(scene, arrays, &t.id, &edits);
    t.reference = reference_network_make(&arrays->def, in_double);
    t.around = (reference_surroundings){.integrator = scene->integrator,
                                        .forces = t.system->forces.forces,
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

/* Both take a step. How many substeps the engine takes of its own, where it does, the reference is told. */
static inline void twin_step(network_twin *t) {
    mote_network_step_report report;
    assert_int_equal(mote_system_step(t->system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_report(t->system, t->id, &report), MOTE_OK);
    if (t->scene.policy == MOTE_STABILITY_SUBSTEP) t->around.substeps = report.substeps;
    reference_network_step(t->reference, &t->around);
    t->around.step++;
}

static inline void twin_same_springs(const network_twin *t) {
    const reference_network *n = t->reference;
    uint32_t torn = 0, alive = 0;
    const uint32_t *numbers = mote_network_torn(t->system, t->id, &torn);
    if (torn != n->torn_count) fail_msg("%s: %u springs tore, not %u", twin_text(t), torn, n->torn_count);
    for (uint32_t i = 0; i < torn; i++)
        if (numbers[i] != n->torn[i])
            fail_msg("%s: spring %u tore, not %u", twin_text(t), numbers[i], n->torn[i]);
    for (uint32_t i = 0; i < n->spring_end; i++) {
        mote_spring spring;
        const bool exists = mote_network_spring(t->system, t->id, i, &spring) == MOTE_OK;
        if (exists != n->spring[i].alive)
            fail_msg("%s: spring %u is %s", twin_text(t), i, exists ? "alive" : "gone");
        alive += exists;
        if (!exists) continue;
        ASSERT(spring.a, ==, n->spring[i].a);
        ASSERT(spring.b, ==, n->spring[i].b);
        ASSERT((double)spring.stiffness, ==, n->spring[i].stiffness);
        ASSERT((double)spring.damping, ==, n->spring[i].damping);
        ASSERT(spring.tear_strain, ==, n->spring[i].tear_strain);
        if (!n->spring[i].reels && spring.rest_length != n->spring[i].rest_length)
            fail_msg("%s: spring %u is %a long, not %a", twin_text(t), i, (double)spring.rest_length,
                     (double)n->spring[i].rest_length);
    }
    assert_int_equal(mote_network_columns(t->system, t->id).spring_count, alive);
}

/* A step's edits, by both. */
static inline void twin_edit(network_twin *t, uint32_t dice) {
    static network_edits edits;
    edits.count = 0;
    network_edit_all(t->system, t->id, &t->scene, t->arrays, dice, &edits);
    twin_do(t, &edits);
}

#endif
