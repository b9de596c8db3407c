/* Networks of which ranks of a cluster step a part each: exchange of the points that springs join to another
 * rank's part, before the forces of a stage are summed. */
#ifndef MOTE_NETWORKS_HALO_H
#define MOTE_NETWORKS_HALO_H

#include "networks/kernels.h"

/* Finds the halo of the division in range->bound. Error: MEMORY. Order: slots and springs. */
mote_result mote_network_find_halo(mote_network *network, const mote_peers *peers,
                                   const mote_allocator *allocator);
void mote_network_release_halo(mote_network *network, const mote_allocator *allocator);

/* Begins the exchange of positions and velocities in the columns of a stage; ends it, and stores those that
 * were received. Blocks with halo == false do not read them. */
void mote_network_begin_halo(const mote_network *network, const mote_network_scratch *columns);
void mote_network_end_halo(const mote_network *network, const mote_network_scratch *columns);

/* Lets all ranks know of islands that turned non-finite in this step: *froze, and the flags. */
void mote_network_share_frozen(mote_network *network, uint32_t *froze);

#endif
