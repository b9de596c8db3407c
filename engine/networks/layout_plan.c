/* Layout plan of networks: islands by union-find, alike islands by hash and comparison, packing of islands
 * into blocks. */
#include "networks/layout_plan.h"

#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "base/hash.h"

/* Fewer alike islands than this are packed into sliced blocks: they would leave most lanes of a block
 * empty. */
#define FEWEST_LANES 4u

/* --- Memory --- */

static uint64_t place_arrays(mote_network_layout_plan *s, const mote_network_def *def) {
    const uint64_t particles = def->particle_count;
    mote_arena a = {s->memory, 0};
    s->island = mote_arena_take(&a, particles, sizeof(uint32_t));
    s->rank = mote_arena_take(&a, particles, sizeof(uint32_t));
    s->particles = mote_arena_take(&a, particles, sizeof(uint32_t));
    s->first_spring = mote_arena_take(&a, particles + 1, sizeof(uint32_t));
    s->slot = mote_arena_take(&a, particles, sizeof(uint32_t));
    s->block = mote_arena_take(&a, particles, sizeof(uint32_t));
    s->stride = mote_arena_take(&a, particles, sizeof(uint8_t));
    s->springs = mote_arena_take(&a, def->spring_count, sizeof(uint32_t));
    s->key = mote_arena_take(&a, particles, sizeof(uint64_t));
    s->other_key = mote_arena_take(&a, particles, sizeof(uint64_t));
    s->order = mote_arena_take(&a, particles, sizeof(uint32_t));
    s->other_order = mote_arena_take(&a, particles, sizeof(uint32_t));
    return a.bytes;
}

void mote_network_layout_plan_destroy(mote_network_layout_plan *plan, const mote_allocator *allocator) {
    mote_release(allocator, plan->memory, plan->bytes);
}

/* --- Islands --- */

uint32_t mote_network_root(uint32_t *parent, uint32_t item) {
    while (parent[item] != item) item = parent[item] = parent[parent[item]];
    return item;
}

void mote_network_join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = mote_network_root(parent, a), b = mote_network_root(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
}

/* Numbers the islands. The root, the lowest particle of its island, is labelled before the others. */
static void label_islands(mote_network_layout_plan *s, const mote_network_def *def) {
    uint32_t *parent = s->rank;
    for (uint32_t i = 0; i < def->particle_count; i++) parent[i] = i;
    for (uint32_t i = 0; i < def->spring_count; i++)
        mote_network_join(parent, def->springs[i].a, def->springs[i].b);
    for (uint32_t i = 0; i < def->particle_count; i++) {
        const uint32_t root = mote_network_root(parent, i);
        s->island[i] = root == i ? s->island_count++ : s->island[root];
    }
    memset(s->particles, 0, s->island_count * sizeof *s->particles);
    for (uint32_t i = 0; i < def->particle_count; i++) s->rank[i] = s->particles[s->island[i]]++;
}

/* Sorts the springs by island, ascending in each: counting sort. */
static void sort_springs(mote_network_layout_plan *s, const mote_network_def *def) {
    uint32_t *next = s->order, sum = 0;
    memset(next, 0, s->island_count * sizeof *next);
    for (uint32_t i = 0; i < def->spring_count; i++) next[s->island[def->springs[i].a]]++;
    for (uint32_t island = 0; island < s->island_count; island++) {
        s->first_spring[island] = sum;
        sum += next[island];
        next[island] = s->first_spring[island];
    }
    s->first_spring[s->island_count] = sum;
    for (uint32_t i = 0; i < def->spring_count; i++) s->springs[next[s->island[def->springs[i].a]]++] = i;
}

/* Each rigid constraint removes a degree of freedom: an island has at most three times its particles. */
static mote_result count_rigid(const mote_network_layout_plan *s, const mote_network_def *def,
                               mote_network_fault *fault) {
    if (def->solver != MOTE_NETWORK_CONSTRAINED) return MOTE_OK;
    uint32_t *rigid = s->order;
    memset(rigid, 0, s->island_count * sizeof *rigid);
    for (uint32_t i = 0; i < def->spring_count; i++) {
        const uint32_t island = s->island[def->springs[i].a];
        if (def->springs[i].stiffness != __builtin_inff() ||
            ++rigid[island] <= 3 * (uint64_t)s->particles[island])
            continue;
        fault->spring = i, fault->parameter = "stiffness";
        return MOTE_ERROR_RANGE;
    }
    return MOTE_OK;
}

/* --- Alike islands --- */

static uint32_t springs_of(const mote_network_layout_plan *s, uint32_t island) {
    return s->first_spring[island + 1] - s->first_spring[island];
}

/* The local particles of a spring's ends, as one key. */
static uint64_t local_ends(const mote_network_layout_plan *s, const mote_network_def *def, uint32_t place) {
    const mote_spring *spring = &def->springs[s->springs[place]];
    return (uint64_t)s->rank[spring->a] << 32 | s->rank[spring->b];
}

static uint64_t hash_island(const mote_network_layout_plan *s, const mote_network_def *def, uint32_t island) {
    uint64_t hash = mote_hash_number(s->particles[island], springs_of(s, island));
    for (uint32_t i = s->first_spring[island]; i < s->first_spring[island + 1]; i++)
        hash = mote_hash_number(hash, local_ends(s, def, i));
    return hash;
}

static bool alike(const mote_network_layout_plan *s, const mote_network_def *def, uint32_t a, uint32_t b) {
    const uint32_t count = springs_of(s, a);
    if (s->particles[a] != s->particles[b] || count != springs_of(s, b)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (local_ends(s, def, s->first_spring[a] + i) != local_ends(s, def, s->first_spring[b] + i))
            return false;
    return true;
}

/* One pass of radix sort, over a digit of 8 bits. Returns false, with nothing moved, if all keys share the
 * digit. */
static bool sort_digit(const uint64_t *key, uint64_t *to_key, const uint32_t *number, uint32_t *to_number,
                       uint32_t count, int shift) {
    uint32_t next[256] = {0}, sum = 0;
    for (uint32_t i = 0; i < count; i++) next[key[i] >> shift & 255]++;
    if (next[key[0] >> shift & 255] == count) return false;
    for (int digit = 0; digit < 256; digit++) {
        const uint32_t of = next[digit];
        next[digit] = sum;
        sum += of;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = next[key[i] >> shift & 255]++;
        to_key[place] = key[i];
        to_number[place] = number[i];
    }
    return true;
}

void mote_network_sort(uint64_t *key, uint64_t *other_key, uint32_t *number, uint32_t *other_number,
                       uint32_t count) {
    uint64_t *keys[2] = {key, other_key};
    uint32_t *numbers[2] = {number, other_number};
    int now = 0;
    for (int shift = 0; shift < 64 && count; shift += 8)
        now ^= sort_digit(keys[now], keys[!now], numbers[now], numbers[!now], count, shift);
    if (now == 0) return;
    memcpy(key, other_key, count * sizeof *key);
    memcpy(number, other_number, count * sizeof *number);
}

/* --- Packing --- */

typedef struct packing {
    uint64_t slot;       /* next free slot */
    uint64_t block_slot; /* first slot of the open block */
    uint32_t blocks;
} packing;

/* Packs up to 16 alike islands into one interleaved block. */
static void pack_interleaved(mote_network_layout_plan *s, packing *p, const uint32_t *islands,
                             uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane++) {
        s->slot[islands[lane]] = (uint32_t)(p->slot + lane);
        s->block[islands[lane]] = p->blocks;
        s->stride[islands[lane]] = MOTE_GROUP;
    }
    p->slot += (uint64_t)s->particles[islands[0]] * MOTE_GROUP;
    p->blocks++;
}

/* Packs islands of one shape in the host's order; a remainder below FEWEST_LANES is left for sliced
 * blocks. */
static void pack_class(mote_network_layout_plan *s, packing *p, const uint32_t *islands, uint32_t count) {
    for (uint32_t done = 0; count - done >= FEWEST_LANES && p->slot <= MOTE_MAX_PARTICLES;
         done += MOTE_GROUP) {
        pack_interleaved(s, p, islands + done, count - done < MOTE_GROUP ? count - done : MOTE_GROUP);
        if (count - done < MOTE_GROUP) return;
    }
}

static void pack_alike(mote_network_layout_plan *s, packing *p, const mote_network_def *def) {
    uint32_t count = 0;
    for (uint32_t island = 0; island < s->island_count; island++) {
        if (!springs_of(s, island) || s->particles[island] > MOTE_NETWORK_INTERLEAVED_ISLAND) continue;
        s->key[count] = hash_island(s, def, island);
        s->order[count++] = island;
    }
    mote_network_sort(s->key, s->other_key, s->order, s->other_order, count);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && s->key[end] == s->key[first]; end++)
            if (!alike(s, def, s->order[first], s->order[end])) break;
        pack_class(s, p, s->order + first, end - first);
    }
}

static uint64_t whole_groups(uint64_t slots) { return (slots + MOTE_GROUP - 1) / MOTE_GROUP * MOTE_GROUP; }

static void pack_sliced(mote_network_layout_plan *s, packing *p, uint32_t island, bool align) {
    uint64_t at = align ? whole_groups(p->slot) : p->slot;
    if (p->block_slot == UINT64_MAX || at + s->particles[island] > p->block_slot + MOTE_NETWORK_BLOCK) {
        at = p->block_slot = whole_groups(p->slot);
        p->blocks++;
    }
    s->slot[island] = (uint32_t)at;
    s->block[island] = p->blocks - 1;
    p->slot = at + s->particles[island];
}

/* Packs an island that occupies several blocks. */
static void pack_large(mote_network_layout_plan *s, packing *p, uint32_t island) {
    p->slot = whole_groups(p->slot);
    s->slot[island] = (uint32_t)p->slot;
    s->block[island] = p->blocks;
    p->slot += s->particles[island];
    p->blocks += (s->particles[island] + MOTE_NETWORK_BLOCK - 1) / MOTE_NETWORK_BLOCK;
}

/* Packs alike islands first, then small ones, then large ones. */
static mote_result pack(mote_network_layout_plan *s, const mote_network_def *def) {
    const bool align = def->solver == MOTE_NETWORK_CONSTRAINED;
    packing p = {.block_slot = UINT64_MAX};
    memset(s->stride, 1, s->island_count);
    if (!align) pack_alike(s, &p, def);
    for (uint32_t island = 0; island < s->island_count; island++)
        if (s->stride[island] == 1 && s->particles[island] <= MOTE_NETWORK_BLOCK)
            pack_sliced(s, &p, island, align);
    for (uint32_t island = 0; island < s->island_count; island++)
        if (s->stride[island] == 1 && s->particles[island] > MOTE_NETWORK_BLOCK) pack_large(s, &p, island);
    if (whole_groups(p.slot) > MOTE_MAX_PARTICLES) return MOTE_ERROR_OVERFLOW;
    s->slot_count = (uint32_t)whole_groups(p.slot);
    s->block_count = p.blocks;
    return MOTE_OK;
}

mote_result mote_network_layout_plan_make(mote_network_layout_plan *plan, const mote_network_def *def,
                                          const mote_allocator *allocator, mote_network_fault *fault) {
    *plan = (mote_network_layout_plan){0};
    mote_result result = mote_arena_allocate(place_arrays(plan, def), allocator, &plan->memory, &plan->bytes);
    if (result) return result;
    place_arrays(plan, def);
    label_islands(plan, def);
    sort_springs(plan, def);
    result = count_rigid(plan, def, fault);
    if (result == MOTE_OK) result = pack(plan, def);
    if (result) mote_network_layout_plan_destroy(plan, allocator);
    return result;
}
