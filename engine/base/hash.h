/* Hash of 64 bits for comparing states. Not for hostile keys. */
#ifndef MOTE_BASE_HASH_H
#define MOTE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the hash of `bytes` bytes, chained after `seed`: pass the result of one call as the seed of the
 * next. */
uint64_t mote_hash_bytes(uint64_t seed, const void *data, size_t bytes);

/* Returns the hash of one number, chained after `seed`. */
uint64_t mote_hash_number(uint64_t seed, uint64_t number);

/* Bytes of a piece of mote_hash_pieces, and the chains that run side by side in it. */
#define MOTE_HASH_PIECE 16384u
#define MOTE_HASH_LANES 8

/* Returns the hash of the pieces of the data, chained after `seed`. Several chains of multiplications run
 * side by side, so it is as fast as memory. Calls may be chained if all but the last hash whole pieces. */
uint64_t mote_hash_pieces(uint64_t seed, const void *data, size_t bytes);

#endif
