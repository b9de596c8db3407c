/* Where the columns of a network lie in its memory. */
#include "data/network_survey.h"

/* As in the loose range: large columns start five cache lines apart from the same set of the first-level cache. */
#define STAGGER ((uint64_t)5 * MOTE_CACHE_LINE)
#define LARGE 4096u

typedef struct cursor {
    unsigned char *memory; /* NULL: only measured */
    uint64_t bytes;
} cursor;

static void *take(cursor *c, uint64_t count, size_t element) {
    uint64_t bytes = count * element;
    void *at = c->memory ? c->memory + c->bytes : NULL;
    c->bytes += (bytes + MOTE_CACHE_LINE - 1) / MOTE_CACHE_LINE * MOTE_CACHE_LINE + (bytes < LARGE ? 0 : STAGGER);
    return at;
}

static void take_slots(cursor *c, mote_network *network, bool interpolates) {
    const uint64_t slots = network->slot_count;
    for (int axis = 0; axis < 3; axis++) network->x[axis] = take(c, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) network->v[axis] = take(c, slots, sizeof(float));
    for (int axis = 0; axis < 3 && interpolates; axis++) network->previous_x[axis] = take(c, slots, sizeof(float));
    network->inverse_mass = take(c, slots, sizeof(float));
    network->own_inverse_mass = take(c, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) network->reaction[axis] = take(c, slots, sizeof(float));
    network->island = take(c, slots, sizeof(uint32_t));
    network->head = take(c, slots, sizeof(uint32_t));
    network->ring = take(c, slots, sizeof(uint32_t));
    network->particle_of_slot = take(c, slots, sizeof(uint32_t));
    network->slot_of_particle = take(c, network->particle_count, sizeof(uint32_t));
}

uint64_t mote_network_lay_out(mote_network *network, bool interpolates) {
    cursor c = {network->memory, 0};
    take_slots(&c, network, interpolates);
    network->frozen = take(&c, network->island_count, sizeof(uint8_t));
    network->island_size = take(&c, network->island_count, sizeof(uint32_t));
    if (network->def.solver == MOTE_NETWORK_CONSTRAINED) {
        network->chunk_first = take(&c, network->group_count, sizeof(uint32_t));
        network->chunk_end = take(&c, network->group_count, sizeof(uint32_t));
        network->island_chunk = take(&c, (uint64_t)network->island_count + 1, sizeof(uint32_t));
    }
    network->block = take(&c, network->block_count, sizeof(mote_network_block));
    network->group = take(&c, network->group_count, sizeof(mote_network_group));
    network->spring = take(&c, network->def.spring_capacity, sizeof(mote_network_spring_state));
    network->torn = take(&c, network->def.spring_capacity, sizeof(uint32_t));
    return c.bytes;
}
