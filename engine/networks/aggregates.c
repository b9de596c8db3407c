/* Aggregates of the constrained solver: the coarse levels of its preconditioner (networks/multilevel.h).
 * Level 1 joins neighbouring particles of an island, each further level neighbouring aggregates of the level
 * below. A level takes two rounds of matching (pairwise aggregation: Notay, Electron. Trans. Numer. Anal. 37
 * (2010) 123). The first matches each vertex with the unmatched neighbour behind the stiffest springs, the
 * second matches the pairs in the same way, so an aggregate has up to four children. Matching by stiffness
 * divides a net into squares, not strips.
 *
 * Aggregates depend on the island's own graph, in the order of its slots and springs, and on nothing else
 * that could affect its bits. Pinned particles have no aggregate. A vertex without neighbours in its level
 * has no parent. Each level of an island begins at a lane group; all levels together take at most as many
 * lane groups as the island's particles. */
#include "networks/network.h"

/* Islands with no more particles take about as many iterations without aggregates, each in half the time
 * (measured up to 36 particles). */
#define FEWEST_PARTICLES 32u

/* Compressed sparse rows: row v holds entries end[v - 1] .. end[v] - 1, the neighbours of vertex v and the
 * stiffness of all springs between. Each neighbour occurs once; in the first graph, once per spring. */
typedef struct graph {
    uint32_t count, *end, *to;
    float *weight;
} graph;

/* A round of matching: pair[v] is the pair of vertex v; low[p] and high[p] are the vertices of pair p. */
typedef struct pairing {
    uint32_t count, *pair, *low, *high;
} pairing;

typedef struct work {
    graph now, next;
    pairing first_round, second_round;
    uint32_t *name; /* slot or aggregate of each vertex */
    uint32_t *mark; /* by pair */
} work;

static uint32_t *numbers(float *column) { return (uint32_t *)(void *)column; }

static work work_of(const mote_network *n) {
    const size_t slots = n->range.slot_count;
    uint32_t *ends = numbers(n->aggregates.value), *pairs = numbers(n->aggregates.block);
    return (work){.now = {0, ends, numbers(n->entry_solver[0]), n->entry_solver[1]},
                  .next = {0, ends + slots, numbers(n->entry_solver[2]), n->entry_solver[3]},
                  .first_round = {0, pairs, pairs + slots, pairs + 2 * slots},
                  .second_round = {0, pairs, pairs + 3 * slots, pairs + 4 * slots},
                  .name = ends + 2 * slots,
                  .mark = ends + 3 * slots};
}

static uint32_t row(const graph *g, uint32_t vertex) { return vertex ? g->end[vertex - 1] : 0; }

/* --- The graph of an island --- */

static bool is_free(const mote_network *n, uint32_t slot) { return n->range.inverse_mass[slot] > 0; }

/* Numbers the free particles as vertices; of_slot holds the numbers until the graph is made. */
static void number_slots(mote_network *n, work *w, uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot++) {
        n->aggregates.of_slot[slot] = is_free(n, slot) ? w->now.count : MOTE_NO_AGGREGATE;
        if (is_free(n, slot)) w->name[w->now.count++] = slot;
    }
}

static void make_graph(mote_network *n, work *w, uint32_t island) {
    graph *g = &w->now;
    uint32_t entries = 0;
    g->count = 0;
    for (uint32_t i = n->island_chunk[island]; i < n->island_chunk[island + 1]; i++)
        number_slots(n, w, n->chunk_first[i], n->chunk_end[i]);
    for (uint32_t v = 0; v < g->count; v++) {
        const uint32_t slot = w->name[v];
        for (uint32_t i = n->head[slot]; i != MOTE_NO_ITEM; i = mote_network_next(n, i, slot)) {
            const mote_network_spring_state *s = &n->spring[i];
            const uint32_t other = s->a == slot ? s->b : s->a;
            if (!is_free(n, other)) continue;
            g->to[entries] = n->aggregates.of_slot[other];
            g->weight[entries++] = s->stiffness;
        }
        g->end[v] = entries;
    }
    for (uint32_t v = 0; v < g->count; v++) n->aggregates.of_slot[w->name[v]] = MOTE_NO_AGGREGATE;
}

/* --- Matching --- */

static uint32_t heaviest(const graph *g, const pairing *p, uint32_t vertex) {
    uint32_t best = MOTE_NO_AGGREGATE;
    float largest = 0;
    for (uint32_t i = row(g, vertex); i < g->end[vertex]; i++) {
        if (p->pair[g->to[i]] != MOTE_NO_AGGREGATE || !(g->weight[i] > largest)) continue;
        best = g->to[i];
        largest = g->weight[i];
    }
    return best;
}

/* Matches each vertex with its heaviest unmatched neighbour. lone: a vertex without neighbours forms a pair
 * by itself; otherwise it has none. */
static void pair_up(const graph *g, pairing *p, bool lone) {
    p->count = 0;
    for (uint32_t v = 0; v < g->count; v++) p->pair[v] = MOTE_NO_AGGREGATE;
    for (uint32_t v = 0; v < g->count; v++) {
        if (p->pair[v] != MOTE_NO_AGGREGATE || (row(g, v) == g->end[v] && !lone)) continue;
        p->pair[v] = p->count;
        const uint32_t other = heaviest(g, p, v);
        if (other != MOTE_NO_AGGREGATE) p->pair[other] = p->count;
        p->low[p->count] = v;
        p->high[p->count++] = other;
    }
}

/* Contracts the pairs: a row joins those of both vertices and adds up the weights of common neighbours.
 * mark[q]: entry of neighbour q in the row. */
static void contract(const graph *g, const pairing *p, graph *to, uint32_t *mark) {
    uint32_t entries = 0;
    to->count = p->count;
    for (uint32_t pair = 0; pair < p->count; pair++) mark[pair] = MOTE_NO_AGGREGATE;
    for (uint32_t pair = 0; pair < p->count; to->end[pair++] = entries) {
        const uint32_t start = entries, vertex[2] = {p->low[pair], p->high[pair]};
        for (int k = 0; k < 2 && vertex[k] != MOTE_NO_AGGREGATE; k++)
            for (uint32_t i = row(g, vertex[k]); i < g->end[vertex[k]]; i++) {
                const uint32_t other = p->pair[g->to[i]];
                if (other == pair) continue;
                if (mark[other] != MOTE_NO_AGGREGATE && mark[other] >= start) {
                    to->weight[mark[other]] += g->weight[i];
                    continue;
                }
                mark[other] = entries;
                to->to[entries] = other;
                to->weight[entries++] = g->weight[i];
            }
    }
}

/* --- Levels --- */

/* Pair `pair_of_pairs` becomes an aggregate: up to two pairs of up to two vertices; children without gaps. */
static void set_children(mote_network_aggregates *c, const work *w, uint32_t *parent_of, uint32_t aggregate,
                         uint32_t pair_of_pairs) {
    const uint32_t pair[2] = {w->second_round.low[pair_of_pairs], w->second_round.high[pair_of_pairs]};
    uint32_t children = 0;
    for (int k = 0; k < 2 && pair[k] != MOTE_NO_AGGREGATE; k++) {
        const uint32_t vertex[2] = {w->first_round.low[pair[k]], w->first_round.high[pair[k]]};
        for (int i = 0; i < 2 && vertex[i] != MOTE_NO_AGGREGATE; i++) {
            c->child[MOTE_AGGREGATE_CHILDREN * (size_t)aggregate + children++] = w->name[vertex[i]];
            parent_of[w->name[vertex[i]]] = aggregate;
        }
    }
}

static uint32_t whole_groups(uint32_t count) { return (uint32_t)mote_round_up(count, MOTE_GROUP); }

/* Writes the aggregates of one level from `first` on and clears the rest of the last lane group. */
static void write_level(mote_network_aggregates *c, work *w, uint32_t *parent_of, uint32_t first) {
    const uint32_t count = w->second_round.count;
    c->size[first / MOTE_GROUP] = count;
    for (uint32_t i = 0; i < whole_groups(count); i++) {
        c->parent[first + i] = MOTE_NO_AGGREGATE;
        for (uint32_t k = 0; k < MOTE_AGGREGATE_CHILDREN; k++)
            c->child[MOTE_AGGREGATE_CHILDREN * (size_t)(first + i) + k] = MOTE_NO_AGGREGATE;
        if (i < count) set_children(c, w, parent_of, first + i, i);
    }
    for (uint32_t i = 0; i < count; i++) w->name[i] = first + i;
}

/* Adds levels from aggregate `first` on, while each has at most half as many aggregates as vertices matched
 * in it. */
static void find_levels(mote_network *n, work *w, uint32_t island, uint32_t first, uint32_t capacity) {
    mote_network_aggregates *c = &n->aggregates;
    uint32_t used = 0;
    for (uint32_t *parent_of = c->of_slot;; parent_of = c->parent) {
        pair_up(&w->now, &w->first_round, false);
        uint32_t matched = 0;
        for (uint32_t i = 0; i < w->first_round.count; i++)
            matched += w->first_round.high[i] == MOTE_NO_AGGREGATE ? 1 : 2;
        contract(&w->now, &w->first_round, &w->next, w->mark);
        pair_up(&w->next, &w->second_round, true);
        const uint32_t count = w->second_round.count;
        if (count == 0 || 2 * count > matched || whole_groups(count) > capacity - used) return;
        contract(&w->next, &w->second_round, &w->now, w->mark);
        write_level(c, w, parent_of, first + used);
        used += whole_groups(count);
        c->levels[island]++;
    }
}

/* Returns the slots in the lane groups of an island. */
static uint32_t slots_of(const mote_network *n, uint32_t island) {
    uint32_t slots = 0;
    for (uint32_t i = n->island_chunk[island]; i < n->island_chunk[island + 1]; i++)
        slots += n->chunk_end[i] - n->chunk_first[i];
    return slots;
}

/* Gershgorin bound: w^2 <= max over particles of 2 sum(k) / m. 0 for islands with more springs than
 * particles. */
static double sparse_bound(const mote_network *n, uint32_t island) {
    double largest = 0;
    uint64_t ends = 0;
    for (uint32_t i = n->island_chunk[island]; i < n->island_chunk[island + 1]; i++)
        for (uint32_t slot = n->chunk_first[i]; slot < n->chunk_end[i]; slot++) {
            double sum = 0;
            for (uint32_t k = n->head[slot]; k != MOTE_NO_ITEM; k = mote_network_next(n, k, slot), ends++)
                sum += (double)n->spring[k].stiffness;
            const double square = 2 * sum * (double)n->range.inverse_mass[slot];
            if (largest < square) largest = square;
        }
    return ends > 2 * (uint64_t)n->island_size[island] ? 0 : largest;
}

void mote_network_find_aggregates(mote_network *network) {
    mote_network_aggregates *c = &network->aggregates;
    if (!mote_network_renew(network, &network->aggregate_edits)) return;
    work w = work_of(network);
    uint32_t first = 0;
    for (uint32_t slot = 0; slot < network->range.slot_count; slot++) c->of_slot[slot] = MOTE_NO_AGGREGATE;
    for (uint32_t island = 0; island < network->island_count; island++) {
        c->first[island] = first;
        c->levels[island] = 0;
        c->sparse[island] = sparse_bound(network, island);
        if (network->rigid || network->island_size[island] <= FEWEST_PARTICLES) continue;
        const uint32_t capacity = slots_of(network, island);
        make_graph(network, &w, island);
        find_levels(network, &w, island, first, capacity);
        first += capacity;
    }
}
