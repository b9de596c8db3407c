/* Lists of events of one advance: mote/events.h. They are no state: no step reads them. */
#ifndef MOTE_PARTICLES_EVENTS_H
#define MOTE_PARTICLES_EVENTS_H

#include <mote/events.h>

#include "particles/particles.h"

/* Capacity of a list, events in it, and those that found no space. */
typedef struct mote_event_count {
    uint32_t capacity, count;
    uint64_t lost;
} mote_event_count;

struct mote_events {
    mote_event_count deaths, births, hits;
    mote_death *death, *more_deaths; /* `capacity` each: the list; deaths to be merged into it */
    mote_birth *birth;
    mote_hit *hit, *more_hits;
    const mote_step *now;  /* of the removals that follow; NULL: they are not listed */
    uint64_t step;         /* steps run at their boundary */
    uint32_t mark;         /* generation of the ids of emitters */
    uint32_t ordered_hits; /* hits in order; those behind are of the present steps */
    bool hits_are_a_heap;  /* those behind: the greatest first, since some were lost */
    bool locked;           /* a worker adds hits */
    void *memory;
    size_t bytes;
};

/* Makes the lists that a def asks for; *events is NULL where it asks for none. OVERFLOW, MEMORY. */
mote_result mote_events_create(const mote_system_def *def, const mote_allocator *allocator,
                               mote_events **events);
void mote_events_destroy(mote_events *events, const mote_allocator *allocator);

/* Empties the lists, and stops listing removals. mark: that of the system. */
void mote_events_clear(mote_events *events, uint32_t mark);

/* Sets the step and the number of steps run, as of the removals that follow. */
MOTE_INLINE void mote_events_at(mote_events *events, const mote_step *now, uint64_t step) {
    if (events) events->now = now, events->step = step;
}

/* Lists the removal of slot[0 .. count - 1], ascending: number `rank` on of a compaction. Their columns still
 * have their state. Runs of different ranks may be listed at the same time. */
void mote_events_deaths(const mote_particles *particles, uint8_t fate, const uint32_t *slot, uint32_t count,
                        uint32_t rank);

/* Ends the list of a compaction that has removed `dead` particles. */
void mote_events_end_deaths(mote_events *events, uint32_t dead);

/* Lists the births of the particles in slots first .. first + count - 1 at the end of `step` steps. */
void mote_events_births(const mote_particles *particles, uint64_t step, uint32_t emitter, uint32_t first,
                        uint32_t count);

/* Adds hits of steps behind those of mote_events_end_hits, in any order. Any workers at the same time; each
 * best adds those of a block in one call. */
void mote_events_hits(mote_events *events, const mote_hit *hits, uint32_t count);

/* Ends the hits of the steps up to now: puts them in order. */
void mote_events_end_hits(mote_events *events);

#endif
