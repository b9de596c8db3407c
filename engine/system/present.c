/* Calls that present the loose particles of a system, and sort them by depth. */
#include "system/internal.h"

mote_result mote_present_layout_check(const mote_system *system, const mote_present_layout *layout,
                                      const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!layout) return MOTE_ERROR_NULL;
    return mote_particles_check_layout(system ? &system->particles : NULL, layout, name);
}

mote_result mote_system_present(const mote_system *system, const mote_present_layout *layout, void *vertices,
                                size_t bytes) {
    if (!system || !layout) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_query query;
    mote_result result = mote_query_begin(&query, system);
    if (result) return result;
    result = mote_particles_write(&system->particles, &query.now, &query.by, layout, vertices, bytes);
    return mote_query_end(&query, result);
}

size_t mote_order_bytes(uint32_t count) {
    return mote_round_up(count, MOTE_GROUP) * (2 * sizeof(uint32_t) + sizeof(uint16_t));
}

mote_result mote_system_order(const mote_system *system, const float direction[3], uint32_t *order,
                              size_t bytes) {
    if (!system || !direction) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    if (!mote_vector_is_finite(direction)) return MOTE_ERROR_NOT_FINITE;
    const uint32_t count = system->particles.range.slot_count;
    if (count == 0) return MOTE_OK;
    if (!order) return MOTE_ERROR_NULL;
    if (bytes < mote_order_bytes(count) || !mote_is_aligned(order)) return MOTE_ERROR_BUFFER;
    mote_query query;
    const mote_result result = mote_query_begin(&query, system);
    if (result) return result;
    mote_particles_order(&system->particles, &query.by, direction, count <= MOTE_MAX_PACKED, order);
    return mote_query_end(&query, MOTE_OK);
}
