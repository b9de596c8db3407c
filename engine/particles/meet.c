/* Loose particles of a cluster. Every rank knows ids, births, lifetimes and fates of all particles, so every
 * rank finds the same holes and survivors, and the sender and the receiver of a particle know of each other
 * without a message. */
#include "particles/meet.h"

#include <string.h>

/* --- Fates --- */

typedef struct death {
    uint32_t slot, fate;
} death;

/* Whether a fate was given by this step, and not by lifetimes or the host, of which every rank knows. */
static bool is_new(uint8_t fate) {
    return fate != MOTE_FATE_ALIVE && fate != MOTE_FATE_EXPIRED && fate != MOTE_FATE_KILLED;
}

/* Lists at most `most` new deaths among the own slots from *slot on, which moves behind the last one. Returns
 * their number. */
static uint32_t list_deaths(const mote_particles *particles, uint32_t *slot, death *list, uint32_t most) {
    const mote_peers *peers = particles->range.peers;
    const uint8_t *fate = mote_particles_fate(particles);
    const uint32_t chunk = peers->slots.chunk, end = particles->range.slot_count;
    uint32_t count = 0;
    for (; *slot < end && count < most; ++*slot) {
        if (mote_deal_owner(&peers->slots, *slot) != peers->transport.rank)
            *slot = *slot / chunk * chunk + chunk - 1; /* the last one of a foreign chunk */
        else if (is_new(fate[*slot]))
            list[count++] = (death){*slot, fate[*slot]};
    }
    return count;
}

/* Returns the number of own slots with a fate. */
static uint32_t count_fates(const mote_particles *particles, uint8_t fate) {
    const mote_peers *peers = particles->range.peers;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < particles->range.slot_count; slot++)
        count += mote_particles_fate(particles)[slot] == fate &&
                 mote_deal_owner(&peers->slots, slot) == peers->transport.rank;
    return count;
}

static void mark(const mote_particles *particles, const death *list, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (list[i].fate != MOTE_FATE_ALIVE && list[i].slot < particles->range.slot_count)
            mote_particles_fate(particles)[list[i].slot] = (uint8_t)list[i].fate;
}

void mote_meet_fates(mote_particles *particles, uint32_t *frozen, uint32_t *killed) {
    mote_peers *peers = particles->range.peers;
    if (!peers) return;
    const uint32_t ranks = peers->transport.ranks, window = (uint32_t)(peers->stage_bytes / sizeof(death));
    const uint64_t collided = *killed ? count_fates(particles, MOTE_FATE_COLLIDED) : 0;
    const uint64_t sums = mote_peers_sum(peers, *frozen | collided << 32);
    *frozen = (uint32_t)sums, *killed = (uint32_t)(sums >> 32);
    death *own = (death *)(void *)(peers->stage + ranks * peers->stage_bytes);
    uint32_t slot = 0;
    for (uint64_t left = (uint64_t)*frozen + *killed, listed; left; left -= listed) {
        const uint32_t count = left < window ? (uint32_t)left : window;
        memset(own, 0, count * sizeof *own);
        listed = mote_peers_sum(peers, list_deaths(particles, &slot, own, count));
        if (!listed || !mote_peers_share(peers, MOTE_TRAFFIC_STATE, own, peers->stage, count * sizeof *own))
            return;
        mark(particles, (const death *)(const void *)peers->stage, (uint64_t)ranks * count);
    }
}

/* --- Survivors --- */

/* Whether steps write a column, or the host may have on the owner alone. Every rank keeps the others. */
static bool travels(const mote_particles *particles, int id) {
    return particles->element_bytes[id] && !mote_particles_is_everywhere(id);
}

static size_t row_bytes(const mote_particles *particles) {
    size_t bytes = 0;
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++)
        if (travels(particles, id)) bytes += particles->element_bytes[id];
    return bytes;
}

size_t mote_meet_bytes(const mote_particles *particles) { return 2 * MOTE_MOVES * row_bytes(particles); }

/* Copies a particle from its columns to a row, or back. */
static void copy(const mote_particles *particles, uint32_t slot, unsigned char *row, bool back) {
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++) {
        if (!travels(particles, id)) continue;
        const size_t bytes = particles->element_bytes[id];
        unsigned char *at = (unsigned char *)particles->column[id] + slot * bytes;
        memcpy(back ? at : row, back ? row : at, bytes);
        row += bytes;
    }
}

/* Visits the particles that pass between this rank and another one, in the order of the moves: to it, or from
 * it. Packs or unpacks them from `rows` on unless that is NULL. Returns their number. */
static uint32_t visit(const mote_moves *m, uint32_t other, bool out, bool unpack, unsigned char *rows) {
    const uint32_t self = m->particles->range.peers->transport.rank, giver = out ? self : other,
                   taker = out ? other : self;
    const size_t bytes = row_bytes(m->particles);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        if (mote_deal_owner(&m->particles->range.peers->slots, m->from[i]) != giver ||
            mote_deal_owner(&m->particles->range.peers->slots, m->to[i]) != taker)
            continue;
        if (rows) copy(m->particles, m->from[i], rows + count * bytes, unpack);
        count++;
    }
    return count;
}

/* Lists the messages to or from all other ranks. Returns their number. */
static uint32_t list_messages(const mote_moves *m, bool out, mote_message *list, unsigned char *rows) {
    const uint32_t self = m->particles->range.peers->transport.rank;
    const size_t bytes = row_bytes(m->particles);
    uint32_t messages = 0;
    for (uint32_t other = 0; other < m->particles->range.peers->transport.ranks; other++) {
        const uint32_t count = other == self ? 0 : visit(m, other, out, false, out ? rows : NULL);
        if (!count) continue;
        list[messages++] = (mote_message){other, rows, count * bytes};
        rows += count * bytes;
    }
    return messages;
}

void mote_moves_end(mote_moves *m) {
    mote_peers *peers = m->particles->range.peers;
    mote_message *received = peers->message + peers->transport.ranks;
    const uint32_t sends = list_messages(m, true, peers->message, peers->rows),
                   receives = list_messages(m, false, received, peers->rows + peers->row_bytes / 2);
    m->count = sends || receives ? m->count : 0;
    if (!m->count) return;
    mote_peers_exchange(peers, MOTE_TRAFFIC_STATE, sends, receives);
    if (mote_peers_wait(peers))
        for (uint32_t i = 0; i < receives; i++) visit(m, received[i].rank, false, true, received[i].data);
    m->count = 0;
}

void mote_moves_add(mote_moves *m, const uint32_t *from, const uint32_t *to, uint32_t pairs) {
    if (m->count + pairs > MOTE_MOVES) mote_moves_end(m);
    memcpy(m->from + m->count, from, pairs * sizeof *from);
    memcpy(m->to + m->count, to, pairs * sizeof *to);
    m->count += pairs;
}
