/* Hash of 64 bits for comparing states. Not for hostile keys. */
#ifndef MOTE_BASE_HASH_H
#define MOTE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the hash of an array of `bytes` bytes, chained after `seed`: pass the result of one call as the
 * seed of the next. The elements are numbers of `word` bytes, 1, 4 or 8, in the byte order of the processor:
 * the hash is that of the same numbers in little-endian order. */
uint64_t mote_hash_array(uint64_t seed, const void *data, size_t bytes, size_t word);

/* Bytes, numbers of 32 bits (float, integers, structs of them) and doubles, `bytes` bytes in all. */
static inline uint64_t mote_hash_bytes(uint64_t seed, const unsigned char *data, size_t bytes) {
    return mote_hash_array(seed, data, bytes, 1);
}
static inline uint64_t mote_hash_words(uint64_t seed, const void *data, size_t bytes) {
    return mote_hash_array(seed, data, bytes, 4);
}
static inline uint64_t mote_hash_doubles(uint64_t seed, const double *data, size_t bytes) {
    return mote_hash_array(seed, data, bytes, 8);
}

/* Returns the hash of one number, chained after `seed`. */
uint64_t mote_hash_number(uint64_t seed, uint64_t number);

/* Bytes of a piece of mote_hash_pieces, and the chains that run side by side in it. */
#define MOTE_HASH_PIECE 16384u
#define MOTE_HASH_LANES 8

/* Returns the hash of the pieces of the bytes, chained after `seed`. Several chains of multiplications run
 * side by side, so it is as fast as memory. Calls may be chained if all but the last hash whole pieces. */
uint64_t mote_hash_pieces(uint64_t seed, const void *data, size_t bytes);

#endif
