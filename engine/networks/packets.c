/* The lines of networks: which springs of 16 neighbouring lanes share a line. */
#include <string.h>

#include "networks/layout_plan.h"

/* --- One line --- */

static void set_entry(mote_network *network, uint32_t entry, uint32_t number, uint32_t other) {
    const mote_network_spring_state *s = number == MOTE_NO_ITEM ? NULL : &network->spring[number];
    network->entry_spring[entry] = number;
    network->entry_other[entry] = other;
    network->entry_length[entry] = s ? s->rest_length : 0;
    network->entry_stiffness[entry] = s ? s->stiffness : 0;
    network->entry_damping[entry] = s ? s->damping : 0;
    for (int i = 0; i < 4 && network->entry_response[i]; i++) network->entry_response[i][entry] = 0;
}

/* What a line says of all its lanes. Values are finite or +infinity and zeros are +0, so that equal ones have
 * equal bits. */
static void summarise(mote_network *network, uint32_t number) {
    mote_network_packet *line = &network->line[number];
    const float *length = network->entry_length + (size_t)number * MOTE_GROUP;
    const float *stiffness = network->entry_stiffness + (size_t)number * MOTE_GROUP;
    const float *damping = network->entry_damping + (size_t)number * MOTE_GROUP;
    const uint32_t first = line->mask ? (uint32_t)__builtin_ctz(line->mask) : 0; /* no lane: values 0 */
    line->rest_length = length[first];
    line->stiffness = stiffness[first];
    line->damping = damping[first];
    line->uniform = line->even = true;
    line->damped = false;
    for (uint32_t lane = first; lane < MOTE_GROUP; lane++) {
        if (!(line->mask >> lane & 1)) continue;
        line->damped |= damping[lane] > 0;
        line->uniform &= stiffness[lane] == stiffness[first] && damping[lane] == damping[first];
        line->even &= length[lane] == length[first];
    }
}

void mote_network_store_spring(mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    for (int end = 0; end < 2; end++) {
        const uint32_t entry = s->entry[end];
        network->entry_length[entry] = s->rest_length;
        network->entry_stiffness[entry] = s->stiffness;
        network->entry_damping[entry] = s->damping;
        summarise(network, entry / MOTE_GROUP);
        if (s->entry[0] == s->entry[1]) break;
    }
    /* Only ever set: steps, which reel springs on several threads, find them as they are. */
    if (s->damping > 0 && !network->damped) network->damped = true;
    if (s->tear_strain > 0 && !network->tears) network->tears = true;
    if (s->stiffness == __builtin_inff() && !network->rigid) network->rigid = true;
}

void mote_network_clear_entries(mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    for (int end = 0; end < 2; end++) {
        const uint32_t entry = s->entry[end], line = entry / MOTE_GROUP, lane = entry % MOTE_GROUP;
        set_entry(network, entry, MOTE_NO_ITEM, network->line[line].self + lane);
        network->line[line].mask &= (uint16_t)~(1u << lane);
        summarise(network, line);
        if (s->entry[0] == s->entry[1]) break;
    }
}

/* --- Rows --- */

/* The 16 slots of a lane group, each at the next of its springs. */
typedef struct front {
    uint32_t first;              /* slot */
    uint32_t spring[MOTE_GROUP]; /* MOTE_NO_ITEM: no more */
    int32_t offset[MOTE_GROUP];  /* other end's slot - lane */
    uint16_t mask;               /* lanes that have one */
} front;

static int end_at(const mote_network *network, uint32_t number, uint32_t slot) {
    return network->spring[number].a == slot ? 0 : 1;
}

static void look_at(const mote_network *network, front *f, uint32_t lane, uint32_t number) {
    f->spring[lane] = number;
    if (number == MOTE_NO_ITEM) {
        f->mask &= (uint16_t)~(1u << lane);
        return;
    }
    const mote_network_spring_state *s = &network->spring[number];
    f->offset[lane] = (int32_t)(s->a == f->first + lane ? s->b : s->a) - (int32_t)lane;
    f->mask |= (uint16_t)(1u << lane);
}

static front front_of(const mote_network *network, uint32_t group) {
    front f = {.first = group * MOTE_GROUP};
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        look_at(network, &f, lane, network->head[f.first + lane]);
    return f;
}

static void advance(const mote_network *network, front *f, uint16_t mask) {
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        if (!(mask >> lane & 1)) continue;
        const uint32_t number = f->spring[lane];
        look_at(network, f, lane, network->spring[number].next[end_at(network, number, f->first + lane)]);
    }
}

static uint16_t lanes_with(const front *f, int32_t offset) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) mask |= (uint32_t)(f->offset[lane] == offset) << lane;
    return (uint16_t)(mask & f->mask);
}

/* The lanes whose next springs lead to neighbouring slots: the most, of those the lowest slots. */
static uint16_t aligned(const front *f) {
    uint16_t best = 0, seen = 0;
    int best_count = 0;
    int32_t best_offset = 0;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        if (!(f->mask >> lane & 1) || seen >> lane & 1) continue;
        const uint16_t mask = lanes_with(f, f->offset[lane]);
        const int count = __builtin_popcount(mask);
        seen |= mask;
        if (count < best_count || (count == best_count && f->offset[lane] > best_offset)) continue;
        best = mask, best_count = count, best_offset = f->offset[lane];
    }
    return best;
}

static uint64_t largest_degree(const mote_network *network, uint32_t group) {
    uint64_t degree = 0;
    for (front f = front_of(network, group); f.mask; degree++) advance(network, &f, f.mask);
    return degree;
}

/* The lines of a lane group; *align: they are made contiguous. Where that would take many more, line j holds
 * each lane's spring j. */
static uint64_t count_group(const mote_network *network, uint32_t group, bool *align) {
    const uint64_t degree = largest_degree(network, group), most = degree + degree / 4 + 2;
    uint64_t lines = 0;
    for (front f = front_of(network, group); f.mask && lines <= most; lines++)
        advance(network, &f, aligned(&f));
    *align = lines <= most;
    return *align ? lines : degree;
}

/* Whether a lane group stays as it is where its lines begin at `line`; *seen: of the changes. */
static bool stays(const mote_network *network, uint32_t group, uint64_t line,
                  const mote_network_changes *changes, uint32_t *seen) {
    const uint32_t before = *seen;
    if (!changes) return false;
    while (*seen < changes->count && changes->slot[*seen] / MOTE_GROUP == group) ++*seen;
    return *seen == before && network->group[group].first_line == line;
}

uint64_t mote_network_count_sliced(const mote_network *network, uint32_t block,
                                   const mote_network_changes *changes) {
    const mote_network_block *b = &network->block[block];
    uint64_t line = b->first_line;
    uint32_t seen = 0;
    bool align;
    for (uint32_t g = b->first / MOTE_GROUP; g < b->first / MOTE_GROUP + b->groups; g++)
        line += stays(network, g, line, changes, &seen) ? network->group[g].line_count
                                                        : count_group(network, g, &align);
    return line - b->first_line;
}

/* The next springs of the lanes in the mask. */
static void write_row(mote_network *network, uint32_t line, const front *f, uint16_t mask) {
    const int32_t offset = f->offset[__builtin_ctz(mask)];
    const bool contiguous = (lanes_with(f, offset) & mask) == mask;
    network->line[line] = (mote_network_packet){
        .self = f->first, .other = contiguous ? offset : 0, .mask = mask, .contiguous = contiguous};
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        const uint32_t entry = line * MOTE_GROUP + lane, slot = f->first + lane;
        const bool exists = mask >> lane & 1;
        const uint32_t other = exists ? (uint32_t)(f->offset[lane] + (int32_t)lane) : slot;
        set_entry(network, entry, exists ? f->spring[lane] : MOTE_NO_ITEM, other);
        if (exists) network->spring[f->spring[lane]].entry[end_at(network, f->spring[lane], slot)] = entry;
    }
    summarise(network, line);
}

void mote_network_clear_packet(mote_network *network, uint32_t line) {
    network->line[line] = (mote_network_packet){.mask = 0};
    memset(network->entry_spring + (size_t)line * MOTE_GROUP, 0xff,
           MOTE_GROUP * sizeof *network->entry_spring);
}

static void write_group(mote_network *network, uint32_t group, uint32_t line) {
    bool align;
    network->group[group] = (mote_network_group){line, (uint32_t)count_group(network, group, &align)};
    for (front f = front_of(network, group); f.mask; line++) {
        const uint16_t mask = align ? aligned(&f) : f.mask;
        write_row(network, line, &f, mask);
        advance(network, &f, mask);
    }
}

/* What is written over is behind the groups that stay, and is written from the lists, not from the lines. */
void mote_network_write_sliced(mote_network *network, uint32_t block, const mote_network_changes *changes) {
    mote_network_block *b = &network->block[block];
    uint32_t line = b->first_line, seen = 0;
    for (uint32_t g = b->first / MOTE_GROUP; g < b->first / MOTE_GROUP + b->groups; g++) {
        if (!stays(network, g, line, changes, &seen)) write_group(network, g, line);
        line += network->group[g].line_count;
    }
    for (uint32_t old = line; old < b->first_line + b->line_count; old++)
        mote_network_clear_packet(network, old);
    b->line_count = line - b->first_line;
}

/* --- Struts --- */

static void begin_strut(mote_network *network, uint32_t line, uint32_t self, uint32_t other) {
    network->line[line] = (mote_network_packet){.self = self, .other = (int32_t)other, .contiguous = true};
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        set_entry(network, line * MOTE_GROUP + lane, MOTE_NO_ITEM, self + lane);
    summarise(network, line);
}

void mote_network_write_interleaved(mote_network *network, uint32_t block, uint32_t number,
                                    uint32_t *cursor) {
    mote_network_block *b = &network->block[block];
    mote_network_spring_state *s = &network->spring[number];
    const uint32_t lane = s->a % MOTE_GROUP, end = b->first_line + b->line_count;
    uint32_t line = b->first_line + *cursor;
    while (line < end &&
           (network->line[line].self != s->a - lane || network->line[line].other != (int32_t)(s->b - lane)))
        line++;
    if (line == end) {
        begin_strut(network, line, s->a - lane, s->b - lane);
        b->line_count++;
    }
    s->entry[0] = s->entry[1] = line * MOTE_GROUP + lane;
    set_entry(network, s->entry[0], number, s->b);
    network->line[line].mask |= (uint16_t)(1u << lane);
    summarise(network, line);
    *cursor = line + 1 - b->first_line;
}
