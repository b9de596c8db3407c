/* A host of a build with loose particles only: calls of other objects are there, and refused by a code. */
#include <mote/mote.h>

#include <stddef.h>

int main(void) {
    mote_strands_def strands = mote_default_strands_def();
    mote_network_def network = mote_default_network_def();
    mote_system_def def = mote_default_system_def();
    mote_strands_id strands_id;
    mote_network_id network_id;
    mote_range_view view;
    mote_system *system;
    if (mote_system_create(&def, &system)) return 1;
    if (mote_system_add_strands(system, &strands, &strands_id, NULL) != MOTE_ERROR_UNSUPPORTED) return 2;
    if (mote_system_add_network(system, &network, &network_id, NULL) != MOTE_ERROR_UNSUPPORTED) return 3;
    if (mote_strands_reset(system, strands_id, 0) != MOTE_ERROR_UNSUPPORTED) return 4;
    if (mote_system_spawn(system, 10, &view) || mote_system_step(system, 1, NULL)) return 5;
    if (mote_system_hash(system) == 0) return 6;
    mote_system_destroy(system);
    return 0;
}
