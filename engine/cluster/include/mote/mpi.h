/** @file
 * libmote-mpi: the ranks of an MPI communicator as the transport of a cluster (mote/cluster.h), and snapshots
 * that they write together. A library of its own: pkg-config mote-mpi, CMake target mote::mpi.
 *
 * Where a rank dies, MPI ends the others or hangs them, as it is set up: mpirun of Open MPI ends them with a
 * sentence that names the dead rank. An error that MPI reports becomes MOTE_ERROR_CLUSTER, and is passed to
 * the error function of the cluster. The last snapshot continues on any number of ranks. */
#ifndef MOTE_MPI_H
#define MOTE_MPI_H

#include <mpi.h>

#include <mote/cluster.h>
#include <mote/snapshot.h>

typedef struct mote_cluster mote_cluster;

/** Makes a cluster of the ranks of a communicator, which it duplicates. MPI is initialised, at least for
 * MPI_THREAD_FUNNELED if the system has jobs. Collective. The error handler of the communicator is not
 * called, and is the same afterwards. A communicator that was freed cannot be told from others: MPI decides
 * what its handle means, and as a rule ends the program. Errors: NULL (a null communicator, no place for the
 * cluster), CLUSTER (MPI is not initialised, was finalised, or reports an error; an intercommunicator),
 * MEMORY. */
MOTE_API mote_result mote_cluster_create(MPI_Comm communicator, mote_cluster **cluster);

/** Frees the communicator. Systems that have joined are destroyed before. NULL is allowed. Collective. */
MOTE_API void mote_cluster_destroy(mote_cluster *cluster);

/** Returns the transport, for mote_system_join. It lives as long as the cluster. NULL for NULL. */
MOTE_API const mote_transport *mote_cluster_transport(const mote_cluster *cluster);

/** Sets the function that hears of errors of systems that join from now on, as in mote_transport; it gets
 * `user`. Nothing for NULL. */
MOTE_API void mote_cluster_on_error(mote_cluster *cluster,
                                    void (*error)(void *user, mote_result result, uint32_t rank), void *user);

/** Writes a snapshot of a system that has joined to one file by MPI-IO: each rank writes an equal part. The
 * file has the bytes of mote_system_save on one rank. It is written beside `path`, with ".part" behind the
 * name, and gets its name when it is complete. flags: as of mote_system_save. Collective. Each rank needs
 * memory for the snapshot. It begins with a comparison of the call, flags, path and all calls so far, 16
 * bytes a rank.
 *
 * Errors, the same on every rank: NULL, BUSY, ENUM (flags), CALLS (arguments, calls so far or one of these
 * codes are not those of all ranks; another call is made meanwhile), CLUSTER (the system has not joined this
 * cluster; MPI reports an error), MEMORY, FILE (the file cannot be written; the old one is kept). Ranks wait
 * for one that passes no cluster. */
MOTE_API mote_result mote_cluster_save(mote_cluster *cluster, mote_system *system, uint32_t flags,
                                       const char *path);

/** Reads such a file, or any snapshot, on every rank into a system made by the same calls. The number of
 * ranks that wrote it does not matter, nor do calls before that differed in the state that they wrote.
 * Collective, with two comparisons of 16 bytes a rank. *fault (may be NULL): as of mote_system_restore.
 *
 * Errors, the same on every rank: NULL, BUSY, CALLS (the paths, or the bytes of the files, differ; another
 * call is made meanwhile), CLUSTER (the system has not joined this cluster; MPI reports an error), MEMORY,
 * FILE (it cannot be read, or is damaged or no snapshot), FOREIGN, CAPACITY. Ranks that could restore are
 * restored, also where another could not (MEMORY). Ranks wait for one that passes no cluster. */
MOTE_API mote_result mote_cluster_restore(mote_cluster *cluster, mote_system *system, const char *path,
                                          mote_snapshot_fault *fault);

#endif
