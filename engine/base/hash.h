/* A 64-bit hash for comparing states. Not for hostile keys. */
#ifndef MOTE_BASE_HASH_H
#define MOTE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of `bytes` bytes after what `seed` stands for: chain calls by passing on the result. */
uint64_t mote_hash_bytes(uint64_t seed, const void *data, size_t bytes);

/* The same for one number. */
uint64_t mote_hash_number(uint64_t seed, uint64_t number);

#endif
