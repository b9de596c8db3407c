/* Validator of networks: whether all views of the state agree. Invariants of the layout, of springs and their
 * copies in packets, of pins and reels. */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "networks/network.h"

/* --- Slots, islands and blocks --- */

static bool slot_is_masked(const mote_network *n, uint32_t slot) {
    const mote_range *r = &n->range;
    MOTE_CLAIM(r->inverse_mass[slot] == 0 && n->own_inverse_mass[slot] == 0);
    for (int axis = 0; axis < 3; axis++)
        MOTE_CLAIM(r->x[axis][slot] == 0 && r->v[axis][slot] == 0 && r->reaction[axis][slot] == 0);
    return n->head[slot] == MOTE_NO_ITEM && n->island[slot] == 0 && n->ring[slot] == slot;
}

/* Inverse masses of particles are 0 at pins and nowhere else. */
static bool slots_are_valid(const mote_network *n) {
    const mote_range *r = &n->range;
    uint32_t masked = 0, pinned = 0;
    MOTE_CLAIM(r->slot_count == n->group_count * MOTE_GROUP);
    for (uint32_t slot = 0; slot < r->slot_count; slot++) {
        const uint32_t particle = n->particle_of_slot[slot];
        if (particle == MOTE_NO_SLOT) {
            MOTE_CLAIM(slot_is_masked(n, slot));
            masked++;
            continue;
        }
        MOTE_CLAIM(particle < n->particle_count && n->slot_of_particle[particle] == slot);
        MOTE_CLAIM(n->own_inverse_mass[slot] > 0);
        MOTE_CLAIM(r->inverse_mass[slot] == 0 || r->inverse_mass[slot] == n->own_inverse_mass[slot]);
        pinned += r->inverse_mass[slot] == 0;
    }
    for (uint32_t i = 0; i < r->pins.count; i++) MOTE_CLAIM(r->inverse_mass[r->pins.pins[i].slot] == 0);
    return masked + n->particle_count == r->slot_count && pinned == r->pins.count;
}

/* Rings stay in their island, and sizes count all particles. */
static bool islands_are_valid(const mote_network *n) {
    uint64_t particles = 0;
    for (uint32_t i = 0; i < n->island_count; i++) particles += n->island_size[i];
    MOTE_CLAIM(particles == n->particle_count);
    for (uint32_t i = 0; i < n->particle_count; i++) {
        const uint32_t slot = n->slot_of_particle[i];
        MOTE_CLAIM(n->island[slot] < n->island_count && n->island_size[n->island[slot]] > 0);
        MOTE_CLAIM(n->island[n->ring[slot]] == n->island[slot]);
    }
    return true;
}

/* Blocks follow each other without gaps; has_outer is set if any is outer. */
static bool blocks_are_valid(const mote_network *n) {
    uint32_t next = 0;
    bool any = false;
    for (uint32_t i = 0; i < n->block_count; i++) {
        const mote_network_block *b = &n->block[i];
        MOTE_CLAIM(b->first == next && b->groups > 0);
        next += b->groups * MOTE_GROUP;
        any |= b->outer;
    }
    return next == n->range.slot_count && any == n->has_outer;
}

/* --- Springs --- */

/* Ends are different slots of one island; a spring between two blocks needs both to be outer. */
static bool spring_is_valid(const mote_network *n, const mote_network_spring_state *s) {
    MOTE_CLAIM(s->a < n->range.slot_count && s->b < n->range.slot_count && s->a != s->b);
    MOTE_CLAIM(n->island[s->a] == n->island[s->b]);
    const uint32_t a = mote_network_block_of(n, s->a), b = mote_network_block_of(n, s->b);
    MOTE_CLAIM(a == b || (n->block[a].outer && n->block[b].outer));
    return (n->damped || s->damping == 0) && (n->tears || s->tear_strain == 0) &&
           (n->rigid || s->stiffness != INFINITY);
}

/* Returns the length of a slot's list, or MOTE_NO_ITEM if it holds a spring that does not end there, or does
 * not ascend. */
static uint32_t list_length(const mote_network *n, uint32_t slot) {
    uint32_t last = 0, length = 0;
    for (uint32_t at = n->head[slot]; at != MOTE_NO_ITEM;
         last = at, at = mote_network_next(n, at, slot), length++) {
        if (!mote_network_has_spring(n, at) || (length && at <= last)) return MOTE_NO_ITEM;
        if (n->spring[at].a != slot && n->spring[at].b != slot) return MOTE_NO_ITEM;
    }
    return length;
}

static bool springs_are_valid(const mote_network *n) {
    uint32_t count = 0, end = 0;
    uint64_t listed = 0;
    for (uint32_t i = 0; i < n->def.spring_capacity; i++) {
        if (n->spring[i].a == MOTE_NO_SLOT) {
            MOTE_CLAIM(n->spring[i].b == MOTE_NO_SLOT && i >= n->first_free);
            continue;
        }
        MOTE_CLAIM(spring_is_valid(n, &n->spring[i]));
        count++, end = i + 1;
    }
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        const uint32_t length = list_length(n, slot);
        MOTE_CLAIM(length != MOTE_NO_ITEM);
        listed += length;
    }
    return n->spring_count == count && n->spring_end == end && listed == 2 * (uint64_t)count;
}

/* --- Packets --- */

/* An entry holds a copy of its spring's values; an empty entry holds zeros. */
static bool entry_is_valid(const mote_network *n, uint32_t packet, uint32_t lane, bool interleaved) {
    const mote_network_packet *p = &n->packet[packet];
    const uint32_t entry = MOTE_GROUP * packet + lane, number = n->entry_spring[entry], slot = p->self + lane;
    if (number == MOTE_NO_ITEM)
        return !(p->mask >> lane & 1) && n->entry_other[entry] == slot && n->entry_length[entry] == 0 &&
               n->entry_stiffness[entry] == 0 && n->entry_damping[entry] == 0;
    MOTE_CLAIM((p->mask >> lane & 1) && mote_network_has_spring(n, number));
    const mote_network_spring_state *s = &n->spring[number];
    MOTE_CLAIM(s->a == slot || (!interleaved && s->b == slot));
    const int end = s->a == slot ? 0 : 1;
    const uint32_t other = end ? s->a : s->b;
    MOTE_CLAIM(s->entry[end] == entry && (!interleaved || s->entry[1] == entry));
    MOTE_CLAIM(n->entry_other[entry] == other &&
               (!p->contiguous || p->other + (int32_t)lane == (int32_t)other));
    return n->entry_length[entry] == s->rest_length && n->entry_stiffness[entry] == s->stiffness &&
           n->entry_damping[entry] == s->damping;
}

/* The flags of a packet are set exactly where its springs agree; its common values are those of the first. */
static bool packet_is_valid(const mote_network *n, uint32_t packet, bool interleaved) {
    const mote_network_packet *p = &n->packet[packet];
    const size_t first = (size_t)packet * MOTE_GROUP + (p->mask ? (uint32_t)__builtin_ctz(p->mask) : 0);
    bool uniform = true, even = true, damped = false;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        const size_t entry = (size_t)packet * MOTE_GROUP + lane;
        MOTE_CLAIM(entry_is_valid(n, packet, lane, interleaved));
        if (!(p->mask >> lane & 1)) continue;
        uniform &= n->entry_stiffness[entry] == n->entry_stiffness[first] &&
                   n->entry_damping[entry] == n->entry_damping[first];
        even &= n->entry_length[entry] == n->entry_length[first];
        damped |= n->entry_damping[entry] > 0;
    }
    MOTE_CLAIM(p->uniform == uniform && p->even == even && p->damped == damped);
    if (p->contiguous && p->mask)
        MOTE_CLAIM(p->other > -(int32_t)MOTE_GROUP && p->other < (int32_t)n->range.slot_count);
    return p->rest_length == n->entry_length[first] && p->stiffness == n->entry_stiffness[first] &&
           p->damping == n->entry_damping[first];
}

/* The packets of a lane group hold each lane's springs in the order of its list; *entries counts them. */
static bool group_is_valid(const mote_network *n, uint32_t group, uint64_t *entries) {
    const mote_network_group *g = &n->group[group];
    const uint32_t first = group * MOTE_GROUP;
    uint32_t at[MOTE_GROUP];
    memcpy(at, n->head + first, sizeof at);
    for (uint32_t i = g->first_packet; i < g->first_packet + g->packet_count; i++) {
        MOTE_CLAIM(n->packet[i].self == first && packet_is_valid(n, i, false));
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            if (!(n->packet[i].mask >> lane & 1)) continue;
            MOTE_CLAIM(n->entry_spring[MOTE_GROUP * i + lane] == at[lane]);
            at[lane] = mote_network_next(n, at[lane], first + lane);
            ++*entries;
        }
    }
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) MOTE_CLAIM(at[lane] == MOTE_NO_ITEM);
    return true;
}

static bool sliced_block_is_valid(const mote_network *n, const mote_network_block *b, uint64_t *entries) {
    uint32_t packet = b->first_packet;
    for (uint32_t g = b->first / MOTE_GROUP; g < b->first / MOTE_GROUP + b->groups; g++) {
        MOTE_CLAIM(n->group[g].first_packet == packet && group_is_valid(n, g, entries));
        packet += n->group[g].packet_count;
    }
    return packet == b->first_packet + b->packet_count;
}

/* Checks that the next spring of a slot is `number`, and advances to the one after it. */
static bool advances_past(const mote_network *n, uint32_t *at, uint32_t number, uint32_t slot) {
    MOTE_CLAIM(*at == number);
    *at = mote_network_next(n, number, slot);
    return true;
}

/* The packets at each slot are in the order of its springs. */
static bool interleaved_block_is_valid(const mote_network *n, const mote_network_block *b,
                                       uint64_t *entries) {
    uint32_t at[MOTE_NETWORK_INTERLEAVED_ISLAND * MOTE_GROUP];
    const uint32_t slots = b->groups * MOTE_GROUP;
    MOTE_CLAIM(b->groups <= MOTE_NETWORK_INTERLEAVED_ISLAND);
    memcpy(at, n->head + b->first, slots * sizeof *at);
    for (uint32_t i = b->first_packet; i < b->first_packet + b->packet_count; i++) {
        MOTE_CLAIM(packet_is_valid(n, i, true) && n->packet[i].contiguous);
        MOTE_CLAIM(n->packet[i].self % MOTE_GROUP == 0 && n->packet[i].other % (int32_t)MOTE_GROUP == 0);
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            const uint32_t number = n->entry_spring[MOTE_GROUP * i + lane];
            if (number == MOTE_NO_ITEM) continue;
            const uint32_t a = n->spring[number].a, c = n->spring[number].b;
            MOTE_CLAIM(advances_past(n, &at[a - b->first], number, a));
            MOTE_CLAIM(advances_past(n, &at[c - b->first], number, c));
            *entries += 2;
        }
    }
    for (uint32_t i = 0; i < slots; i++) MOTE_CLAIM(at[i] == MOTE_NO_ITEM);
    return true;
}

static bool packets_are_valid(const mote_network *n) {
    uint64_t entries = 0;
    MOTE_CLAIM(n->packet_count <= n->packet_capacity);
    for (uint32_t i = 0; i < n->block_count; i++) {
        const mote_network_block *b = &n->block[i];
        MOTE_CLAIM(b->packet_count <= b->packet_capacity);
        MOTE_CLAIM(b->first_packet + b->packet_capacity <= n->packet_count);
        for (uint32_t k = b->packet_count; k < b->packet_capacity; k++)
            MOTE_CLAIM(n->packet[b->first_packet + k].mask == 0);
        MOTE_CLAIM(b->interleaved ? interleaved_block_is_valid(n, b, &entries)
                                  : sliced_block_is_valid(n, b, &entries));
    }
    return entries == 2 * (uint64_t)n->spring_count;
}

/* --- Pins and reels --- */

static bool pins_are_valid(const mote_network *n) {
    const mote_pin_list *pins = &n->range.pins;
    for (uint32_t i = 0; i < pins->count; i++) {
        const mote_pin *pin = &pins->pins[i];
        MOTE_CLAIM(pin->slot < n->range.slot_count && pin->unit == mote_network_block_of(n, pin->slot));
    }
    return mote_pins_are_valid(pins, n->block_count);
}

static bool reels_are_valid(const mote_network *n) {
    for (uint32_t i = 0; i < n->reels.count; i++) {
        const mote_pin *reel = &n->reels.pins[i];
        MOTE_CLAIM(mote_network_has_spring(n, reel->spring));
        MOTE_CLAIM(mote_network_block_of(n, n->spring[reel->spring].a) == reel->unit);
    }
    return mote_pins_are_valid(&n->reels, n->block_count);
}

bool mote_network_validate(const mote_range *range) {
    const mote_network *n = mote_const_network_of(range);
    return pins_are_valid(n) && slots_are_valid(n) && islands_are_valid(n) && blocks_are_valid(n) &&
           springs_are_valid(n) && packets_are_valid(n) && reels_are_valid(n);
}
