/* Presentation of networks: particles in the host's order, gathered from their slots some at a time. */
#include <string.h>

#include "base/fpu.h"
#include "base/parallel.h"
#include "system/internal.h"

typedef struct presentation {
    const mote_system *system;
    const mote_network *network;
    const mote_present_layout *layout;
    unsigned char *vertices;
    float alpha;
} presentation;

/* Of particles [first, first + count); what fills the last lane group stands at the origin. */
static void gather(const mote_network *n, float *const column[3], size_t first, size_t count,
                   float (*to)[MOTE_BLOCK]) {
    const uint32_t *slot = n->slot_of_particle + first;
    const size_t end = mote_round_up(count, MOTE_GROUP);
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < count; i++) to[axis][i] = column[axis][slot[i]];
        for (size_t i = count; i < end; i++) to[axis][i] = 0;
    }
}

/* Particles [first, first + count) at the alpha, packed. */
static void present_block(const presentation *p, size_t first, size_t count, float (*packed)[3]) {
    MOTE_ALIGNED(64) float previous[3][MOTE_BLOCK], current[3][MOTE_BLOCK];
    float *const from[3] = {previous[0], previous[1], previous[2]}, *const at[3] = {current[0], current[1],
                                                                                    current[2]};
    const mote_network *n = p->network;
    const size_t whole = mote_round_up(count, MOTE_GROUP);
    gather(n, n->x, first, count, current);
    if (n->previous_x[0]) {
        gather(n, n->previous_x, first, count, previous);
        p->system->kernels.present->blend(from, at, p->alpha, whole, at);
    }
    p->system->kernels.present->interleave(at, whole, packed);
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const presentation *p = context;
    MOTE_ALIGNED(64) float packed[MOTE_BLOCK][3];
    const size_t stride = p->layout->stride;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        const size_t count = end - block < MOTE_BLOCK ? end - block : MOTE_BLOCK;
        unsigned char *to = p->vertices + block * stride + p->layout->position_offset;
        present_block(p, block, count, packed);
        for (size_t i = 0; i < count; i++, to += stride) memcpy(to, packed[i], sizeof *packed);
    }
}

static mote_result check_layout(const mote_present_layout *layout) {
    if (layout->position_offset == MOTE_OMIT || layout->velocity_offset != MOTE_OMIT) return MOTE_ERROR_RANGE;
    const bool fits =
        layout->stride >= 3 * sizeof(float) && layout->position_offset <= layout->stride - 3 * sizeof(float);
    return fits ? MOTE_OK : MOTE_ERROR_RANGE;
}

mote_result mote_network_present(const mote_system *system, mote_network_id id,
                                 const mote_present_layout *layout, void *vertices, size_t bytes) {
    if (!system || !layout) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = mote_system_edit_network(system, id, &network);
    if (result == MOTE_OK) result = check_layout(layout);
    if (result) return result;
    if (!vertices) return MOTE_ERROR_NULL;
    if (bytes / layout->stride < network->particle_count) return MOTE_ERROR_BUFFER;
    mote_fpu_state saved = mote_fpu_enter();
    mote_system_set_busy(system, true);
    presentation p = {system, network, layout, vertices, mote_clock_alpha(&system->clock)};
    mote_parallel_for(&system->def.jobs, network->particle_count, MOTE_BLOCK, do_blocks, &p);
    mote_system_set_busy(system, false);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
