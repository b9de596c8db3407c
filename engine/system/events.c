/* Calls for the events of a system: mote/events.h. */
#include <mote/events.h>

#include "particles/events.h"
#include "system/internal.h"

/* Checks a call, and that the system keeps such events. Errors: NULL, BUSY, ABSENT. */
static mote_result check(const mote_system *system, const void *list, uint32_t capacity) {
    if (!system || !list) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    return capacity ? MOTE_OK : MOTE_ERROR_ABSENT;
}

mote_result mote_system_deaths(const mote_system *system, mote_death_list *list) {
    if (list) *list = (mote_death_list){NULL, 0, 0};
    const mote_result result = check(system, list, system ? system->def.max_deaths : 0);
    if (result) return result;
    const mote_events *of = system->particles.events;
    *list = (mote_death_list){of->deaths.count ? of->death : NULL, of->deaths.count, of->deaths.lost};
    return MOTE_OK;
}

mote_result mote_system_births(const mote_system *system, mote_birth_list *list) {
    if (list) *list = (mote_birth_list){NULL, 0, 0};
    const mote_result result = check(system, list, system ? system->def.max_births : 0);
    if (result) return result;
    const mote_events *of = system->particles.events;
    *list = (mote_birth_list){of->births.count ? of->birth : NULL, of->births.count, of->births.lost};
    return MOTE_OK;
}

mote_result mote_system_hits(const mote_system *system, mote_hit_list *list) {
    if (list) *list = (mote_hit_list){NULL, 0, 0};
    const mote_result result = check(system, list, system ? system->def.max_hits : 0);
    if (result) return result;
    const mote_events *of = system->particles.events;
    *list = (mote_hit_list){of->hits.count ? of->hit : NULL, of->hits.count, of->hits.lost};
    return MOTE_OK;
}
