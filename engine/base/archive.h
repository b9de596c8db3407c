/* Archive: the sections of a snapshot (mote/snapshot.h). Every object has one function that visits all of its
 * state, and that function is called for each task: to measure, write, check and read. State that it does not
 * visit does not come back, which tests/snapshots.c finds. */
#ifndef MOTE_BASE_ARCHIVE_H
#define MOTE_BASE_ARCHIVE_H

#include <mote/snapshot.h>

#include <string.h>

#include "base/compiler.h"
#include "base/peers.h"

typedef enum mote_archive_task {
    MOTE_ARCHIVE_MEASURE, /* adds up sections and bytes */
    MOTE_ARCHIVE_WRITE,
    MOTE_ARCHIVE_CHECK,   /* checks the sections; changes nothing */
    MOTE_ARCHIVE_RESERVE, /* allocates; changes no state. Error: MEMORY */
    MOTE_ARCHIVE_READ,    /* cannot fail */
    MOTE_ARCHIVE_DISCARD, /* after an error of RESERVE: releases temporary memory */
    MOTE_ARCHIVE_GATHER   /* copies the columns between the ranks of a cluster; there is no snapshot */
} mote_archive_task;

typedef struct mote_archive {
    mote_archive_task task;
    bool hashes; /* sections have hashes */
    const mote_allocator *allocator;
    unsigned char *memory;      /* NULL: MEASURE */
    uint64_t bytes, limit;      /* offset of the next section; bytes of the snapshot */
    uint32_t section, sections; /* number of the next section; sections in the table */
    bool has_open;              /* WRITE: the hash of the last section is missing */
    mote_snapshot_part part;    /* of the next sections */
    uint32_t object;            /* likewise */
    mote_result result;         /* of the first error; the rest of the visit then does nothing */
    mote_snapshot_fault fault;
    mote_peers *peers; /* GATHER, with who owns the items of columns of `items` items; others are skipped */
    mote_deal deal[2];
    uint64_t items[2];
} mote_archive;

/* Column numbers from here on are those of arrays by slot. */
#define MOTE_ARCHIVE_COLUMNS 16u

/* Begins a task at the first section behind a table of `sections`. */
void mote_archive_begin(mote_archive *a, mote_archive_task task, uint32_t sections);

/* Returns the bytes of the snapshot, after MEASURE with a table of 0 sections. */
uint64_t mote_archive_measured(const mote_archive *a);

/* Ends WRITE: completes hashes, writes the header. */
void mote_archive_end(mote_archive *a);

/* Checks the header, the table and, where the snapshot has them, the hashes of `bytes` bytes and the padding
 * between what they cover. */
void mote_archive_open(mote_archive *a, const void *memory, uint64_t bytes);

MOTE_INLINE bool mote_archive_reads(const mote_archive *a) {
    return a->task == MOTE_ARCHIVE_CHECK || a->task == MOTE_ARCHIVE_RESERVE || a->task == MOTE_ARCHIVE_READ;
}

/* Visits the next section. Returns its bytes in the snapshot; NULL where there is nothing to write or read.
 */
unsigned char *mote_archive_section(mote_archive *a, uint32_t column, uint32_t word, uint64_t bytes);

/* Returns the bytes of the section that is visited next; NULL where there is no memory. */
MOTE_INLINE unsigned char *mote_archive_next(const mote_archive *a) {
    return a->memory ? a->memory + a->bytes : NULL;
}

/* Visits an array of state: writes it, or in READ reads it. */
void mote_archive_array(mote_archive *a, uint32_t column, void *data, uint64_t count, size_t element,
                        uint32_t word);

/* As mote_archive_array, of three columns of floats or as many as there are; absent columns are skipped. */
void mote_archive_floats(mote_archive *a, uint32_t column, float *const *data, uint32_t columns,
                         uint64_t count);

/* Visits words: writes them, or in all tasks that read reads them. Returns false where they were not read or
 * written. */
bool mote_archive_words(mote_archive *a, uint32_t column, uint32_t *words, uint32_t count);

/* Refuses the snapshot. Returns false. */
bool mote_archive_refuse(mote_archive *a, mote_result result, uint32_t column, uint32_t index,
                         const char *parameter);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MOTE_LITTLE_ENDIAN(word) (word)
#else
#define MOTE_LITTLE_ENDIAN(word) __builtin_bswap32(word)
#endif

/* Reads and writes word number `index` of a section. */
MOTE_INLINE uint32_t mote_word_load(const unsigned char *section, uint64_t index) {
    uint32_t word;
    memcpy(&word, section + 4 * index, sizeof word);
    return MOTE_LITTLE_ENDIAN(word);
}
MOTE_INLINE void mote_word_store(unsigned char *section, uint64_t index, uint32_t word) {
    word = MOTE_LITTLE_ENDIAN(word);
    memcpy(section + 4 * index, &word, sizeof word);
}

/* Copies `count` words from or to a section. */
void mote_words_load(void *to, const unsigned char *section, uint64_t first, uint32_t count);
void mote_words_store(unsigned char *section, uint64_t first, const void *from, uint32_t count);

MOTE_INLINE uint64_t mote_words_join(const uint32_t words[2]) { return words[0] | (uint64_t)words[1] << 32; }
MOTE_INLINE void mote_words_split(uint64_t value, uint32_t words[2]) {
    words[0] = (uint32_t)value, words[1] = (uint32_t)(value >> 32);
}

#endif
