/* The plain reference of strands in the scenes of strand_scene.h. */
#ifndef MOTE_TESTS_STRAND_REFERENCE_H
#define MOTE_TESTS_STRAND_REFERENCE_H

#include "reference_strands.h"
#include "strand_scene.h"
#include "system/internal.h"

static inline reference_world world_of(const strand_scene *s, mote_system *system,
                                       const mote_strands *strands) {
    return (reference_world){.def = &strands->def,
                             .compliant = (s->parts & RIGID) == 0,
                             .integrator = s->integrator,
                             .forces = system->forces.items,
                             .force_count = system->forces.count,
                             .start_time = system->def.start_time,
                             .timestep = system->clock.timestep,
                             .substeps = s->substeps,
                             .ticks_per_step = system->clock.ticks_per_step,
                             .poses = system->colliders.poses,
                             .collider_count = system->colliders.list.count};
}

/* Steps the references by world->step of the system, which has yet to take it. */
static inline void step_references(reference_strand *strands, uint32_t count, const reference_world *world,
                                   mote_system *system) {
    if (world->collider_count)
        mote_colliders_poses(&system->colliders, world->step * world->ticks_per_step, world->ticks_per_step,
                             world->substeps);
    for (uint32_t i = 0; i < count; i++) reference_strand_step(&strands[i], world, world->step == 0);
}

#endif
