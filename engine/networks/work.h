/* Access of the network kernels to scratch columns and packets. */
#ifndef MOTE_NETWORKS_WORK_H
#define MOTE_NETWORKS_WORK_H

#include "networks/kernels.h"
#include "math/wide.h"

/* Vectors shorter than this have no direction. */
#define NETWORK_SHORTEST 1e-18f

MOTE_INLINE float *network_column(const mote_network_scratch *c, int id) {
    return c->memory + (size_t)id * c->stride;
}

MOTE_INLINE wide3 network_load3(const mote_network_scratch *c, int id, ptrdiff_t at) {
    const float *from = network_column(c, id) + at;
    return (wide3){wide_load(from), wide_load(from + c->stride), wide_load(from + 2 * c->stride)};
}

MOTE_INLINE void network_store3(const mote_network_scratch *c, int id, ptrdiff_t at, wide3 value) {
    float *to = network_column(c, id) + at;
    wide_store(to, value.x);
    wide_store(to + c->stride, value.y);
    wide_store(to + 2 * c->stride, value.z);
}

/* Rest length, stiffness and damping of one register of a packet. Masked lanes hold 0 or the packet's common
 * value. */
typedef struct network_terms {
    wide length, stiffness, damping;
} network_terms;

MOTE_INLINE network_terms network_terms_of(const mote_network *n, const mote_network_packet *packet,
                                           bool whole, size_t entry) {
    network_terms t;
    t.length = packet->even ? wide_set(packet->rest_length) : wide_load(n->entry_length + entry);
    if (whole || packet->uniform) {
        t.stiffness = wide_set(packet->stiffness), t.damping = wide_set(packet->damping);
    } else {
        t.stiffness = wide_load(n->entry_stiffness + entry), t.damping = wide_load(n->entry_damping + entry);
    }
    return t;
}

/* Lanes of a packet's register from `lane` on that hold a spring. */
MOTE_INLINE wide_mask network_mask(const mote_network_packet *packet, size_t lane) {
    return wide_mask_of_bits((uint32_t)packet->mask >> lane);
}

#endif
