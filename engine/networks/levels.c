/* Levels of the preconditioner of the primal solver (multilevel.h). */
#include <string.h>

#include "base/parallel.h"
#include "networks/island.h"

/* Aggregates per task. */
#define AGGREGATES_OF_RUN 1024u

typedef struct level {
    const island *i;
    uint32_t first, count; /* aggregates */
    bool lowest, restricts;
} level;

static void do_aggregates(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const level *l = context;
    const mote_network *n = l->i->job->network;
    for (size_t run = first; run < end; run++) {
        const uint32_t from = l->first + (uint32_t)run * AGGREGATES_OF_RUN, left = l->first + l->count - from;
        const uint32_t count = left < AGGREGATES_OF_RUN ? left : AGGREGATES_OF_RUN;
        if (l->restricts)
            n->aggregates.partial[from] =
                l->i->kernels->restrict_residuals(n, l->i->c, l->lowest, from, count);
        else
            l->i->kernels->correct_aggregates(n, from, count);
    }
}

static void run_level(level *l) {
    mote_parallel_for(l->i->jobs, (l->count + AGGREGATES_OF_RUN - 1) / AGGREGATES_OF_RUN, 1, do_aggregates,
                      l);
}

float mote_island_correct(const island *i) {
    const mote_network_aggregates *of = &i->job->network->aggregates;
    uint32_t first[32];
    float sum = 0;
    level l = {.i = i, .first = of->first[i->number], .restricts = true};
    for (uint32_t k = 0; k < of->levels[i->number]; k++) {
        l.lowest = k == 0;
        first[k] = l.first;
        l.count = of->size[l.first / MOTE_GROUP];
        run_level(&l);
        for (uint32_t run = 0; run < l.count; run += AGGREGATES_OF_RUN) sum += of->partial[l.first + run];
        l.first += (uint32_t)mote_round_up(l.count, MOTE_GROUP);
    }
    l.restricts = false;
    for (uint32_t k = of->levels[i->number]; k-- > 0;) {
        l.first = first[k], l.count = of->size[first[k] / MOTE_GROUP];
        run_level(&l);
    }
    return sum;
}

static void add_block(const mote_network_aggregates *of, uint32_t aggregate, const float part[6]) {
    for (int k = 0; k < 6; k++) of->block[12 * (size_t)aggregate + (size_t)k] += part[k];
}

/* Adds a spring to the blocks of the aggregates that it leaves: the ancestors of its ends below the first
 * common one. */
static void add_spring(const mote_network *n, uint32_t entry, uint32_t a, uint32_t b) {
    const mote_network_aggregates *of = &n->aggregates;
    float *const *normal = n->entry_solver + END_COLUMN(normal);
    const float x = normal[0][entry], y = normal[1][entry], z = normal[2][entry];
    const float along = n->entry_solver[END_COLUMN(along)][entry],
                across = n->entry_solver[END_COLUMN(across)][entry];
    const float part[6] = {along * x * x + across, along * x * y, along * x * z,
                           along * y * y + across, along * y * z, along * z * z + across};
    while (a != b) {
        if (a != MOTE_NO_AGGREGATE) add_block(of, a, part), a = of->parent[a];
        if (b != MOTE_NO_AGGREGATE) add_block(of, b, part), b = of->parent[b];
    }
}

/* Adds a slot's mass and springs to its aggregates. A spring with an aggregate at both ends is added from end
 * a. */
static void add_slot(const mote_network *n, uint32_t slot) {
    const mote_network_aggregates *of = &n->aggregates;
    const uint32_t own = of->of_slot[slot];
    if (own == MOTE_NO_AGGREGATE) return;
    const float mass = 1.0f / n->range.inverse_mass[slot], part[6] = {mass, 0, 0, mass, 0, mass};
    for (uint32_t at = own; at != MOTE_NO_AGGREGATE; at = of->parent[at]) add_block(of, at, part);
    for (uint32_t i = n->head[slot]; i != MOTE_NO_ITEM;) {
        const mote_network_spring_state *s = &n->spring[i];
        const int end = s->a == slot ? 0 : 1;
        const uint32_t other = of->of_slot[end ? s->a : s->b];
        if (end == 0 || other == MOTE_NO_AGGREGATE) add_spring(n, s->entry[end], own, other);
        i = s->next[end];
    }
}

void mote_island_assemble(const island *i) {
    const mote_network *n = i->job->network;
    const mote_network_aggregates *of = &n->aggregates;
    const uint32_t first = of->first[i->number];
    uint32_t end = first;
    if (of->levels[i->number] == 0) return;
    for (uint32_t k = 0; k < of->levels[i->number]; k++)
        end += (uint32_t)mote_round_up(of->size[end / MOTE_GROUP], MOTE_GROUP);
    memset(of->block + 12 * (size_t)first, 0, 12 * (size_t)(end - first) * sizeof(float));
    for (uint32_t chunk = i->first; chunk < i->first + i->count; chunk++)
        for (uint32_t slot = n->chunk_first[chunk]; slot < n->chunk_end[chunk]; slot++) add_slot(n, slot);
    i->kernels->invert_aggregates(n, first, end - first);
}
