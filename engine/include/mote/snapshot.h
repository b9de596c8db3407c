/** @file
 * Snapshots: all state of a system in memory of the caller, for rollback, replays and saved games, and hashes
 * of its parts, which show where two machines differ.
 *
 * A snapshot is little-endian: a header, a table of sections, then the sections, each of which begins at a
 * multiple of 64 bytes from the start of the snapshot and is padded with zeros. A section is one column of
 * one object, of all its slots in order, so that any range of slots is one run of bytes. Sections follow each
 * other in the order of the parts, then of the objects (in the order in which they were added), then of the
 * columns. Words are 32-bit numbers and floats; a number of 64 bits is two of them, the low one first.
 *
 * - SYSTEM: words. Column 0: the def; 1: counts, clock and marks.
 * - FORCES: words, 49 a force: its id, its parameters and the number of a callback or the hash of a grid.
 * - PARTICLES. Column 0: counts; 1: particles that are killed at the next boundary; 2, 3: the stack of free
 * ids, by index, and their next generations; 4: the indices of ids that are used up; 16 and above: columns of
 * the particles, those of the def only: position, velocity, inverse mass, previous position and velocity,
 * external forces (if requested), anchor, birth, lifetime, id, columns of the host, radius, number of the
 * collider to which a particle sticks and its place in the axes of that, orientation, angular velocity,
 * inertia, previous orientation, external torques (if requested), initial age. Columns of the host are 32-bit
 * numbers where the bytes of an element are a multiple of 4, else bytes. So floats, and a colour in one
 * uint32_t, are the same on machines of either byte order.
 * - STRANDS, NETWORK. Column 0: counts and settings; 1: pins; 2 to 4: springs, reels, torn springs of a
 * network; 16 and above: columns by slot, strand or island.
 * - LINKS, COLLIDERS, EMITTERS: words, 17, 35 and 69 of each; an emitter of a system with orientations
 * has 75. */
#ifndef MOTE_SNAPSHOT_H
#define MOTE_SNAPSHOT_H

#include <mote/system.h>

#define MOTE_SNAPSHOT_VERSION 2u /**< of the layout; a snapshot of another version is refused */

/** Parts of a snapshot, and of the hash. */
typedef enum mote_snapshot_part {
    MOTE_SNAPSHOT_HEADER,    /**< header and table */
    MOTE_SNAPSHOT_SYSTEM,    /**< def, clock, counts */
    MOTE_SNAPSHOT_FORCES,    /**< in the order of addition */
    MOTE_SNAPSHOT_PARTICLES, /**< loose particles */
    MOTE_SNAPSHOT_STRANDS,   /**< one object for each mote_system_add_strands */
    MOTE_SNAPSHOT_NETWORK,   /**< one object for each mote_system_add_network */
    MOTE_SNAPSHOT_LINKS,     /**< in the order of addition */
    MOTE_SNAPSHOT_COLLIDERS, /**< in the order of addition */
    MOTE_SNAPSHOT_EMITTERS,  /**< in the order of addition */
    MOTE_SNAPSHOT_PART_COUNT
} mote_snapshot_part;

/** First 64 bytes of a snapshot. */
typedef struct mote_snapshot_header {
    char magic[8];     /**< "motesnap" */
    uint32_t version,  /**< MOTE_SNAPSHOT_VERSION */
        flags;         /**< mote_snapshot_flags */
    uint64_t bytes;    /**< of the whole snapshot */
    uint32_t sections, /**< in the table, which follows the header */
        reserved[7];   /**< 0 */
    uint64_t hash;     /**< of the header up to here and the table; 0 without MOTE_SNAPSHOT_CHECKSUM */
} mote_snapshot_header;

/** One section of a snapshot. */
typedef struct mote_snapshot_section {
    uint32_t part,   /**< mote_snapshot_part */
        object,      /**< number of the strands or the network among those of the system; else 0 */
        column,      /**< see the list above */
        word;        /**< bytes of its numbers: 1, 4 or 8 */
    uint64_t offset, /**< bytes from the start of the snapshot */
        bytes,       /**< without the padding behind it */
        hash;        /**< of its bytes; 0 without MOTE_SNAPSHOT_CHECKSUM */
} mote_snapshot_section;

/** Options of mote_system_save. */
typedef enum mote_snapshot_flags {
    /** Hashes of 64 bits, by which mote_system_restore finds damage; it then also refuses padding that is not
     * zero, as damage to the section before it. */
    MOTE_SNAPSHOT_CHECKSUM = 1
} mote_snapshot_flags;

/** Computes the bytes of a snapshot of the present state: by the number of particles, not by the capacity.
 * Errors: NULL, BUSY. */
MOTE_API mote_result mote_system_snapshot_bytes(const mote_system *system, size_t *bytes);

/** Writes a snapshot. memory: of any alignment, 64 bytes is fastest; flags: of mote_snapshot_flags; *written,
 * if not NULL, receives the bytes of the snapshot, or 0 with an error. The same state gives the same bytes.
 * Errors: NULL, BUSY, ENUM (flags), BUFFER (too small). Runs on the calling thread. */
MOTE_API mote_result mote_system_save(const mote_system *system, uint32_t flags, void *memory, size_t bytes,
                                      size_t *written);

/** Location of the first error in a snapshot. */
typedef struct mote_snapshot_fault {
    mote_snapshot_part part; /**< MOTE_SNAPSHOT_PART_COUNT: none */
    uint32_t object,         /**< number of the strands or the network */
        column,              /**< of the section; MOTE_NO_ITEM: none */
        index;               /**< of the slot, spring, link, ... in the column; MOTE_NO_ITEM: none */
    const char *parameter;   /**< name of the field or quantity, static; NULL: none */
} mote_snapshot_fault;

/** Sets the state to that of a snapshot: of the same system, or of another one that was set up by the same
 * calls. The defs of the system, of its strands and of its networks must be those of the saved system, except
 * capacity, lengths of events' lists, loop order, instruction set, jobs and allocator. Forces, colliders,
 * links, springs, pins, targets and particles may have come and gone since. Ids of the saved system are valid
 * afterwards, those that the system gave out since then or before as another system are not (in so far as the
 * saved system did not give out the same). The functions, grids and samples of the host are not in a
 * snapshot: a callback is taken from the system's force of the same id, or from its first callback, that has
 * the same number (as.callback.number), or else from the last force that it had with this number: the system
 * remembers function and user of MOTE_MAX_FORCES numbers, so they must stay valid as long as a snapshot with
 * them may be restored; a grid from a force whose grid has the same samples; a height field or distance grid
 * from the system's collider of the same id, or from its first collider, whose samples have the same hash.
 * Views are invalid afterwards.
 *
 * All of a snapshot is checked before anything changes, with or without checksum: damage is refused or gives
 * another legal state, never an access out of bounds. fault: NULL, or receives the location of an error.
 * Errors: NULL, BUSY, FILE (cut short, damaged, of another version or no snapshot), FOREIGN (of a system that
 * was set up by other calls; a callback, grid, height field or distance grid that the system does not have),
 * CAPACITY (more particles than reserved; with ids, also if the saved system ever had more at a time, because
 * it keeps the ids that it gave out), MEMORY (more forces, colliders, links, pins or springs than there was
 * memory for; memory may have been allocated, the state is unchanged). Runs on the calling thread. */
MOTE_API mote_result mote_system_restore(mote_system *system, const void *memory, size_t bytes,
                                         mote_snapshot_fault *fault);

/* --- Hashes of parts --- */

#define MOTE_HASH_CHUNK 1024u /**< items that one hash covers */

/** One hash of mote_system_hash_chunks. */
typedef struct mote_hash_chunk {
    uint64_t hash;           /**< of all state of its items */
    mote_snapshot_part part; /**< SYSTEM: the clock and settings, one item */
    uint32_t object,         /**< number of the strands or the network among those of the system; else 0 */
        first,    /**< first item: slot of a particle, strand, particle or spring of a network, ... */
        count;    /**< items, at most MOTE_HASH_CHUNK */
    bool springs; /**< NETWORK: items are springs; else particles */
} mote_hash_chunk;

/** Computes the hashes that show where the states of two machines differ: of the system, its forces, loose
 * particles (the stack of free ids counts with the system), strands, networks (particles, then springs),
 * links, colliders and emitters, in chunks of MOTE_HASH_CHUNK items in the host's numbering. States with
 * equal hashes of all chunks have equal mote_system_hash. *count receives the number of chunks; the first
 * `capacity` of them are written. Errors: NULL, BUSY. Cost: reads every column of the chunks written. */
MOTE_API mote_result mote_system_hash_chunks(const mote_system *system, mote_hash_chunk *chunks,
                                             uint32_t capacity, uint32_t *count);

/** Computes the hash of each item of a chunk: hashes[i] of item chunk->first + i. The first that differs
 * between two machines is the particle, strand or spring where their states differ. Errors: NULL, BUSY, RANGE
 * (no such items). */
MOTE_API mote_result mote_system_hash_items(const mote_system *system, const mote_hash_chunk *chunk,
                                            uint64_t hashes[MOTE_HASH_CHUNK]);

#endif
