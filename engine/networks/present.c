/* Presentation of networks: particles in the host's order, gathered from their slots in runs of RUN. */
#include <string.h>

#include "base/check.h"
#include "base/parallel.h"
#include "networks/network.h"

enum { RUN = 256 }; /* particles */

typedef struct task {
    const mote_network *network;
    const mote_presentation *by;
    const mote_present_layout *layout;
    const double *origin; /* NULL: that of the world */
    unsigned char *vertices;
} task;

/* Gathers particles [first, first + count); the rest of the last lane group is set to 0. */
static void gather(const mote_network *n, float *const column[3], size_t first, size_t count,
                   float (*to)[RUN]) {
    const uint32_t *slot = n->slot_of_particle + first;
    const size_t end = mote_round_up(count, MOTE_GROUP);
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < count; i++) to[axis][i] = column[axis][slot[i]];
        for (size_t i = count; i < end; i++) to[axis][i] = 0;
    }
}

/* Gathers the low parts of the present places likewise. */
static void gather_low(const mote_network *n, size_t first, size_t count, float (*to)[RUN]) {
    memset(to, 0, 3 * sizeof *to);
    for (size_t i = 0; i < count; i++) {
        float low[3];
        mote_network_low_part(n, n->slot_of_particle[first + i], low);
        for (int axis = 0; axis < 3; axis++) to[axis][i] = low[axis];
    }
}

/* States of a run of particles: previous, current. */
typedef struct run {
    MOTE_ALIGNED(64) float x[2][3][RUN];
    MOTE_ALIGNED(64) float low[2][3][RUN];
} run;

/* Interpolates relative to the origin, with the low parts of the places. */
static void place_from_origin(const task *t, run *r, size_t first, size_t count, float *const out[3]) {
    const mote_network *n = t->network;
    const bool blends = n->range.previous_x[0] != NULL, lows = n->relative_x[0] != NULL;
    mote_places places = {0};
    if (lows) gather_low(n, first, count, r->low[1]);
    if (lows && blends) gather(n, n->previous_low, first, count, r->low[0]);
    for (int axis = 0; axis < 3; axis++)
        for (int state = 0; state < 2; state++) {
            const int from = blends ? state : 1;
            places.x[state][axis] = r->x[from][axis];
            places.low[state][axis] = lows ? r->low[from][axis] : NULL;
        }
    t->by->kernels->offset(&places, t->origin, t->by->alpha, mote_round_up(count, MOTE_GROUP), out);
}

/* Interpolates particles [first, first + count) by alpha and packs them. */
static void present_block(const task *t, size_t first, size_t count, float (*packed)[3]) {
    run r;
    float *const from[3] = {r.x[0][0], r.x[0][1], r.x[0][2]}, *const at[3] = {r.x[1][0], r.x[1][1],
                                                                              r.x[1][2]};
    const mote_network *n = t->network;
    const size_t padded = mote_round_up(count, MOTE_GROUP);
    const bool blends = n->range.previous_x[0] != NULL;
    gather(n, n->range.x, first, count, r.x[1]);
    if (blends) gather(n, n->range.previous_x, first, count, r.x[0]);
    if (t->origin)
        place_from_origin(t, &r, first, count, at);
    else if (blends)
        t->by->kernels->blend(from, at, t->by->alpha, padded, at);
    t->by->kernels->interleave(at, padded, packed);
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const task *t = context;
    MOTE_ALIGNED(64) float packed[RUN][3];
    const size_t stride = t->layout->stride;
    for (size_t block = first; block < end; block += RUN) {
        const size_t count = end - block < RUN ? end - block : RUN;
        unsigned char *to = t->vertices + block * stride + t->layout->position_offset;
        present_block(t, block, count, packed);
        for (size_t i = 0; i < count; i++, to += stride) memcpy(to, packed[i], sizeof *packed);
    }
}

mote_result mote_network_layout_check(const mote_present_layout *layout, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!layout) return MOTE_ERROR_NULL;
    const mote_result result = mote_present_check_layout(layout, name);
    const char *const more = mote_present_more(layout);
    if (result) return result;
    if (more) return mote_named(name, more, MOTE_ERROR_RANGE);
    const bool fits =
        layout->position_offset != MOTE_OMIT && mote_vector_fits(layout->position_offset, layout->stride);
    return fits ? MOTE_OK : mote_named(name, "position_offset", MOTE_ERROR_RANGE);
}

mote_result mote_network_write(const mote_network *network, const mote_presentation *by,
                               const mote_present_layout *layout, void *vertices, size_t bytes) {
    const mote_result result = mote_network_layout_check(layout, NULL);
    if (result) return result;
    if (!vertices) return MOTE_ERROR_NULL;
    if (bytes / layout->stride < network->particle_count) return MOTE_ERROR_BUFFER;
    task t = {network, by, layout, mote_present_origin(layout->origin), vertices};
    const double work = MOTE_WORK_GATHERED * (double)network->particle_count;
    mote_parallel_for(mote_jobs_for(by->jobs, work), network->particle_count, RUN, do_blocks, &t);
    return MOTE_OK;
}
