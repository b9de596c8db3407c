/* A host of a build with loose particles only: calls of other objects are there, and refused by a code. */
#include <mote/mote.h>

#include <stddef.h>

int main(void) {
    mote_strands_def strands = mote_default_strands_def();
    mote_network_def network = mote_default_network_def();
    mote_system_def def = mote_default_system_def();
    mote_strands_id strands_id;
    mote_network_id network_id;
    mote_strands_fault strands_fault = {1, 1, "none"};
    mote_network_fault network_fault = {1, 1, "none"};
    mote_range_view view;
    mote_system *system;
    if (mote_system_create(&def, &system)) return 1;
    if (mote_system_add_strands(system, &strands, &strands_id, &strands_fault) != MOTE_ERROR_UNSUPPORTED)
        return 2;
    if (mote_system_add_network(system, &network, &network_id, &network_fault) != MOTE_ERROR_UNSUPPORTED)
        return 3;
    if (strands_fault.strand != MOTE_NO_ITEM || strands_fault.parameter) return 7;
    if (network_fault.spring != MOTE_NO_ITEM || network_fault.parameter) return 8;
    if (mote_strands_reset(system, strands_id, 0) != MOTE_ERROR_UNSUPPORTED) return 4;
    if (mote_system_spawn(system, 10, &view) || mote_system_step(system, 1, NULL)) return 5;
    if (mote_system_hash(system) == 0) return 6;
    mote_system_destroy(system);
    return 0;
}
