/** @file
 * Clusters: one system that several processes, the ranks, step together. Each rank makes the same calls with
 * the same arguments, has all columns at their full size, and gets the same bits as a system that steps
 * alone: each point is stepped by one rank, its owner, with the same arithmetic.
 *
 * Owners. Slots of loose particles are dealt in turn in chunks; strands go by whole lane groups, networks by
 * whole blocks, in runs of nearly equal size, and islands are cut only where they are larger. Every rank
 * keeps counts, ids, births, lifetimes, initial ages and all that is set by calls. Positions, velocities,
 * masses and the other columns are valid on the owner; on other ranks they are old until mote_system_gather.
 *
 * Messages. An advance begins with one comparison of 16 bytes per rank. A batch of steps of loose particles
 * ends with one of 8 bytes per rank: how many turned non-finite or were killed by colliders. Where there are
 * any, their slots are exchanged (8 bytes each). Where particles are removed, the survivors that move to a
 * slot of another owner are sent to it. Spawning, killing by the host, emission and lifetimes are computed
 * by every rank alike. Strands, and networks whose islands are smaller than a rank's part, need no message.
 * An island that is cut needs an exchange a stage of the points with springs to another rank, 24 bytes each,
 * and 8 bytes per rank a step; islands of the constrained solver are not cut.
 *
 * Stepped by every rank, without a message: everything while the system has a step hook; loose particles
 * with a list of deaths or hits, or under a callback that reaches the range; ranges that links join; networks
 * with springs that can tear, or with springs whose rest length is changing.
 *
 * Calls. mote_system_gather makes the state of all ranks whole. These calls gather by themselves, if a step
 * was run since the last time, or particles were spawned or external forces asked for since the last step:
 * mote_system_view, everything that reads or edits strands or networks other than the targets of roots,
 * mote_system_add_link, presentation, statistics, previews, orders and lines, hashes, mote_system_save,
 * mote_system_seek. They are collective then: every rank makes them. Calls that return no result code return
 * an empty value where gathering fails. Calls and their arguments are compared at the next collective call,
 * those that write state included: the codes of calls that advance, gather, or gather by themselves have
 * CALLS and CLUSTER besides their own. Ranks that wrote differing state get CALLS from then on, until all of
 * them restore one snapshot.
 *
 * Writes of the host. In new particles (mote_system_spawn) and in external forces and torques the values of
 * the owner of each slot count (mote_system_owns); what other ranks write there is lost. Lifetimes, birth
 * steps and initial ages are written on all ranks alike, and so is everything else: all columns of
 * mote_system_view, those of strands and networks, and what a step hook writes. A comparison contains a hash
 * of what the host can see without a message: of lifetimes, birth steps and initial ages after a spawn, and
 * of all columns where the state is whole, after a gather or where every rank steps everything (order: bytes
 * of these columns). Ranks that differ get CALLS until the columns are alike again. Where particles were
 * spawned since the last step, the owner's values count in the columns of all loose particles but lifetimes,
 * birth steps and initial ages. Not compared: writes to strands and networks through a view from before the
 * last step while the state is not whole; functions of the host, and what they read.
 *
 * Where two ranks differ, mote_system_hash_chunks and mote_system_hash_items find in what (mote/snapshot.h).
 *
 * Threads: one thread of a process calls a system and its transport, as MPI_THREAD_FUNNELED asks. */
#ifndef MOTE_CLUSTER_H
#define MOTE_CLUSTER_H

#include <stddef.h>
#include <stdint.h>

#include <mote/system.h>

/** A message between two ranks. Both know its length. */
typedef struct mote_message {
    uint32_t rank; /**< the other one */
    void *data;    /**< what is sent, or where it is received */
    size_t bytes;  /**< at least 1 */
} mote_message;

/** Connection of the ranks, as libmote-mpi makes it (mote/mpi.h), or a host. The functions return 0, or
 * anything else after an error; none may end the process. They are called by all ranks in the same order. */
typedef struct mote_transport {
    uint32_t rank;  /**< this one, 0 .. ranks - 1 */
    uint32_t ranks; /**< at least 1 */
    void *user;     /**< passed to the functions */
    /** Copies `bytes` bytes of each rank to all ranks: those of rank r to all + r bytes. */
    int (*gather)(void *user, const void *own, void *all, size_t bytes);
    /** Begins to send and receive messages with other ranks, at most one to and one from each. */
    int (*exchange)(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                    uint32_t receives);
    /** Waits for the end of the last exchange. */
    int (*wait)(void *user);
    /** Receives an error: CALLS and the first rank whose calls differ from those of rank 0, or CLUSTER and
     * MOTE_NO_ITEM. The call of the host then returns the code. NULL: not called. */
    void (*error)(void *user, mote_result result, uint32_t rank);
} mote_transport;

/** Traffic of a rank since the system joined: bytes and messages that it gave to the transport. */
typedef struct mote_cluster_report {
    uint64_t steps;          /**< steps run */
    uint64_t check_bytes;    /**< comparisons of calls, and counts of deaths */
    uint64_t state_bytes;    /**< what steps need: particles that move, slots that die, halos */
    uint64_t gathered_bytes; /**< of mote_system_gather */
    uint64_t messages;       /**< messages to other ranks, and gathers */
} mote_cluster_report;

/** Joins the ranks of a transport, which is copied; its user must live as long as the system. All ranks have
 * made the same calls on their systems, and call this one. The system belongs to the cluster until it is
 * destroyed. Allocates about 4 MB. Order: bytes of state, whose hash is compared.
 *
 * Errors, on every rank: NULL (a pointer or function), BUSY, RANGE (a rank not below the ranks; more ranks
 * than lane groups of loose particles in a system that has capacity for any; a system that has joined),
 * MEMORY, CALLS (the systems differ in their defs, calls or state), CLUSTER. A rank that passes NULL, or a
 * system that is busy or has joined, makes no message: the others wait for it. A system without capacity may
 * reserve less than a lane group a rank later: ranks without slots then own none. */
MOTE_API mote_result mote_system_join(mote_system *system, const mote_transport *transport);

/** Makes the state of all ranks whole on every rank. Nothing to do for a system that has not joined. Order:
 * bytes of state. Errors: NULL, BUSY, CALLS (calls differ; nothing has changed), CLUSTER (a message was lost;
 * the state is undefined). Collective. */
MOTE_API mote_result mote_system_gather(mote_system *system);

/** Returns whether this rank owns a slot of loose particles; true for a system that has not joined. A host
 * may fill only such slots of external forces and torques, and of the view that mote_system_spawn gives it
 * outside of a step hook, lifetimes, birth steps and initial ages apart. The owners change with the capacity.
 * Not thread-safe with calls that change the system.
 */
MOTE_API bool mote_system_owns(const mote_system *system, uint32_t slot);

/** Computes what ranks compare besides the call itself: a hash of 64 bits of the def, the clock, all calls so
 * far and the columns named above, alike on ranks that made the same calls and writes. For collective calls
 * of a library that makes transports, as mote_cluster_save is. transport: the one that the system has joined.
 * *hash: 0 with an error. No message. Errors: NULL, BUSY, CLUSTER (the system has not joined, or another
 * transport). */
MOTE_API mote_result mote_system_calls(const mote_system *system, const mote_transport *transport,
                                       uint64_t *hash);

/** Reports the traffic of this rank. All 0 for a system that has not joined. Errors: NULL. */
MOTE_API mote_result mote_system_cluster_report(const mote_system *system, mote_cluster_report *report);

#endif
