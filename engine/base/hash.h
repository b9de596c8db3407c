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

#endif
