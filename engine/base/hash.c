/* Multiply-and-fold hash, eight bytes at a time. The finalizer is that of MurmurHash3 (Appleby 2011). */
#include "base/hash.h"

#include <string.h>

#include "base/compiler.h"

/* Bytes by which a piece is fetched ahead: further than processors do by themselves. */
#define AHEAD 8192

#define MULTIPLIER 0x9e3779b97f4a7c15u /* 2^64 / golden ratio, odd */

static uint64_t absorb(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * MULTIPLIER;
    return hash ^ (hash >> 29);
}

static uint64_t finish(uint64_t hash) {
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 33);
}

/* Loads 8 bytes that hold numbers of `word` bytes: the first one in the low bits. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static uint64_t load(const unsigned char *from, size_t word) {
    uint64_t value;
    (void)word;
    memcpy(&value, from, sizeof value);
    return value;
}
#else
static uint64_t load(const unsigned char *from, size_t word) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    if (word == 1) return __builtin_bswap64(value);
    return word == 4 ? value << 32 | value >> 32 : value;
}
#endif

uint64_t mote_hash_array(uint64_t seed, const void *data, size_t bytes, size_t word) {
    const unsigned char *cursor = data;
    uint64_t hash = seed ^ (uint64_t)bytes * MULTIPLIER;
    for (; bytes >= 8; bytes -= 8, cursor += 8) hash = absorb(hash, load(cursor, word));
    unsigned char tail[8] = {0};
    for (size_t i = 0; i < bytes; i++) tail[i] = cursor[i];
    return finish(absorb(hash, load(tail, word)));
}

uint64_t mote_hash_number(uint64_t seed, uint64_t number) { return finish(absorb(seed, number)); }

/* Hashes one piece by MOTE_HASH_LANES chains: chain k takes the words k, k + LANES, ... Words that do not
 * fill all chains follow as in mote_hash_array. */
static uint64_t hash_piece(uint64_t seed, const unsigned char *data, size_t bytes) {
    const size_t line = 8 * (size_t)MOTE_HASH_LANES, whole = bytes / line * line;
    uint64_t chain[MOTE_HASH_LANES] = {0};
    for (size_t at = 0; at < whole; at += line) {
        __builtin_prefetch((const void *)((uintptr_t)data + at + AHEAD)); /* may lie behind the end */
        MOTE_UNROLLED
        for (size_t k = 0; k < MOTE_HASH_LANES; k++) chain[k] = absorb(chain[k], load(data + at + 8 * k, 1));
    }
    for (int k = 0; k < MOTE_HASH_LANES; k++) seed = absorb(seed, chain[k]);
    return mote_hash_bytes(seed, data + whole, bytes - whole);
}

uint64_t mote_hash_pieces(uint64_t seed, const void *data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += MOTE_HASH_PIECE)
        seed = hash_piece(seed, (const unsigned char *)data + at,
                          bytes - at < MOTE_HASH_PIECE ? bytes - at : MOTE_HASH_PIECE);
    return seed;
}
