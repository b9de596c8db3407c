/* Ids of forces, colliders, links and ranges. The index is a serial number that its list never reuses; the
 * generation is the mark of the system. */
#include "system/internal.h"

mote_result mote_system_at_rest(const mote_system *system) {
    if (!system) return MOTE_ERROR_NULL;
    return system->busy ? MOTE_ERROR_BUSY : MOTE_OK;
}

mote_result mote_system_find(const mote_system *system, const mote_id_list *list, mote_id id,
                             uint32_t *place) {
    const mote_result result = mote_system_at_rest(system);
    if (result) return result;
    *place = id.generation == system->mark ? mote_id_list_find(list, id.index) : list->count;
    return *place < list->count ? MOTE_OK : MOTE_ERROR_ID;
}
