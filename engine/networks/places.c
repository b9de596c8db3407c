/* Places of networks between steps: the columns x, and in the constrained solver a low part (stage/place.h).
 *
 * Origins. Within a step the positions of particles that springs join are relative to an origin near the
 * middle of their bounding box, rounded to a multiple of a power of two above its size. So the precision of
 * positions does not depend on the distance from the origin of the world, an origin changes seldom, and it is
 * 0 near that of the world. Parts that have torn off an island have origins of their own. */
#include <string.h>

#include "networks/layout_plan.h"
#include "stage/low_part.h"

void mote_network_low_part(const mote_network *network, uint32_t slot, float low[3]) {
    mote_low_part(network->range.x, network->origin, network->relative_x, slot, slot, low);
}

void mote_network_place(const mote_network *network, uint32_t slot, double x[3]) {
    float low[3];
    mote_network_low_part(network, slot, low);
    for (int axis = 0; axis < 3; axis++) x[axis] = (double)network->range.x[axis][slot] + (double)low[axis];
}

double mote_network_distance_of(const mote_network *network, uint32_t a, uint32_t b, double d[3]) {
    double from[3], to[3], square = 0;
    mote_network_place(network, a, from);
    mote_network_place(network, b, to);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = to[axis] - from[axis];
        square += d[axis] * d[axis];
    }
    return __builtin_sqrt(square);
}

/* --- Origins --- */

/* Union-find over the springs; the root is the lowest slot. Returns whether components may have changed. */
static bool find_components(mote_network *network) {
    uint32_t *of = network->component;
    const uint32_t count = network->range.slot_count;
    if (!mote_network_renew(network, &network->component_edits)) return false;
    for (uint32_t slot = 0; slot < count; slot++) of[slot] = slot;
    for (uint32_t i = 0; i < network->spring_end; i++)
        if (network->spring[i].a != MOTE_NO_SLOT)
            mote_network_join(of, network->spring[i].a, network->spring[i].b);
    for (uint32_t slot = 0; slot < count; slot++) of[slot] = mote_network_root(of, slot);
    for (uint32_t first = 0, end = 1; first < count; first = end++) {
        while (end < count && of[end] == of[first]) end++;
        network->run_end[first] = end;
    }
    return true;
}

/* Bounding box of a component and its origin, stored by the component's first slot in the memory of the
 * aggregates, which is free between steps. */
typedef struct box {
    float low[3], high[3], origin[3];
} box;

static box *box_of(const mote_network *network, uint32_t component) {
    return (box *)(void *)(network->aggregates.block + 12 * (size_t)component);
}

/* Extends the range [*low, *high] by x, lane by lane, and reduces the lanes. */
static void extend(float *low, float *high, const float *x, uint32_t count) {
    float least[MOTE_GROUP], most[MOTE_GROUP];
    uint32_t i = 0;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) least[lane] = *low, most[lane] = *high;
    for (; i + MOTE_GROUP <= count; i += MOTE_GROUP)
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            const float at = x[i + lane];
            least[lane] = at < least[lane] ? at : least[lane];
            most[lane] = most[lane] < at ? at : most[lane];
        }
    for (uint32_t lane = 0; i < count; i++, lane++) {
        least[lane] = x[i] < least[lane] ? x[i] : least[lane];
        most[lane] = most[lane] < x[i] ? x[i] : most[lane];
    }
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        *low = least[lane] < *low ? least[lane] : *low;
        *high = *high < most[lane] ? most[lane] : *high;
    }
}

static void find_boxes(const mote_network *network) {
    for (uint32_t first = 0, end; first < network->range.slot_count; first = end) {
        box *b = box_of(network, network->component[first]);
        end = network->run_end[first];
        for (int axis = 0; axis < 3; axis++) {
            const float *x = network->range.x[axis] + first;
            if (network->component[first] == first) b->low[axis] = b->high[axis] = *x;
            extend(&b->low[axis], &b->high[axis], x, end - first);
        }
    }
}

/* Boxes with an edge of this length (m) or more, or a non-finite one, have the origin 0. */
#define MOST_SIZE 1e30f

/* Returns a power of two above a size, at most twice as large; 0 for 0. */
static float grid_above(float size) {
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits &= 0x7f800000u; /* the exponent */
    memcpy(&size, &bits, sizeof bits);
    return 2 * size;
}

/* Returns the multiple of `grid` nearest to x; x itself from 2^22 multiples on, or without a grid. */
static float round_to(float x, float grid) {
    const float shift = 0x1.8p23f, quotient = x / grid;
    if (!(grid > 0) || !(quotient < 0x1p22f && quotient > -0x1p22f)) return x;
    return grid * ((quotient + shift) - shift);
}

static void choose_origin(box *b) {
    float size = 0;
    bool sized = true;
    for (int axis = 0; axis < 3; axis++) {
        const float edge = b->high[axis] - b->low[axis];
        size = size < edge ? edge : size;
        sized &= edge < MOST_SIZE;
    }
    for (int axis = 0; axis < 3; axis++)
        b->origin[axis] = sized ? round_to(0.5f * b->low[axis] + 0.5f * b->high[axis], grid_above(size)) : 0;
}

/* Stores the origin of a run of slots. */
static void store_origin(mote_network *network, const box *b, uint32_t first, uint32_t end) {
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t slot = first; slot < end; slot++)
            network->step_origin[axis][slot] =
                network->particle_of_slot[slot] != MOTE_NO_SLOT ? b->origin[axis] : 0;
}

void mote_network_choose_origins(mote_network *network) {
    const bool changed = find_components(network);
    find_boxes(network);
    for (uint32_t first = 0, end; first < network->range.slot_count; first = end) {
        box *b = box_of(network, network->component[first]);
        end = network->run_end[first];
        if (network->component[first] == first) choose_origin(b);
        const float now[3] = {network->step_origin[0][first], network->step_origin[1][first],
                              network->step_origin[2][first]};
        if (changed || memcmp(now, b->origin, sizeof now) != 0) store_origin(network, b, first, end);
    }
}
