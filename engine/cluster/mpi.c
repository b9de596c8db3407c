/* The transport of a cluster over MPI, and its snapshots by MPI-IO. Messages of a step go between known pairs
 * of ranks with known lengths, as nonblocking sends and receives; the comparisons are collectives. */
#include <mote/mpi.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that one call of MPI-IO moves: its counts are of type int. */
#define PIECE ((size_t)1 << 30)

/* Bytes that every rank gives to a comparison: as many as in those of the engine, so that ranks which make
 * other calls meanwhile hear of it. */
#define COMPARED (2 * sizeof(uint64_t))

struct mote_cluster {
    MPI_Comm communicator;
    mote_transport transport;
    MPI_Request *request; /* 2 ranks */
    uint64_t *compared;   /* 2 ranks: COMPARED bytes each */
    int requests;
    void (*error)(void *user, mote_result result, uint32_t rank);
    void *error_user;
};

/* --- Transport --- */

static int gather(void *user, const void *own, void *all, size_t bytes) {
    const mote_cluster *c = user;
    if (bytes > INT_MAX) return 1;
    return MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, c->communicator) !=
           MPI_SUCCESS;
}

static int begin(mote_cluster *c, const mote_message *m, bool sends) {
    MPI_Request *request = c->request + c->requests;
    if (m->bytes > INT_MAX) return 1;
    const int result =
        sends ? MPI_Isend(m->data, (int)m->bytes, MPI_BYTE, (int)m->rank, 0, c->communicator, request)
              : MPI_Irecv(m->data, (int)m->bytes, MPI_BYTE, (int)m->rank, 0, c->communicator, request);
    c->requests += result == MPI_SUCCESS;
    return result != MPI_SUCCESS;
}

static int exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                    uint32_t receives) {
    mote_cluster *c = user;
    int failed = 0;
    c->requests = 0;
    for (uint32_t i = 0; i < receives; i++) failed |= begin(c, &receive[i], false);
    for (uint32_t i = 0; i < sends; i++) failed |= begin(c, &send[i], true);
    return failed;
}

static int wait_all(void *user) {
    mote_cluster *c = user;
    return MPI_Waitall(c->requests, c->request, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
}

static void hear(void *user, mote_result result, uint32_t rank) {
    const mote_cluster *c = user;
    if (c->error) c->error(c->error_user, result, rank);
}

/* --- Clusters --- */

static bool is_running(void) {
    int began = 0, ended = 0;
    return MPI_Initialized(&began) == MPI_SUCCESS && MPI_Finalized(&ended) == MPI_SUCCESS && began && !ended;
}

/* Fills the cluster of a duplicated communicator. */
static mote_result fill(mote_cluster *c) {
    int rank, ranks;
    if (MPI_Comm_set_errhandler(c->communicator, MPI_ERRORS_RETURN) ||
        MPI_Comm_rank(c->communicator, &rank) || MPI_Comm_size(c->communicator, &ranks))
        return MOTE_ERROR_CLUSTER;
    c->transport = (mote_transport){(uint32_t)rank, (uint32_t)ranks, c, gather, exchange, wait_all, hear};
    c->request = malloc(2 * (size_t)ranks * sizeof *c->request);
    c->compared = malloc((size_t)ranks * COMPARED);
    return c->request && c->compared ? MOTE_OK : MOTE_ERROR_MEMORY;
}

/* Duplicates a communicator while its errors are returned, whatever its owner has set. Error: CLUSTER. */
static mote_result duplicate(MPI_Comm communicator, MPI_Comm *made) {
    MPI_Errhandler theirs;
    int between = 0; /* two groups of ranks */
    *made = MPI_COMM_NULL;
    if (MPI_Comm_get_errhandler(communicator, &theirs)) return MOTE_ERROR_CLUSTER;
    bool good = MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
                MPI_Comm_test_inter(communicator, &between) == MPI_SUCCESS && !between &&
                MPI_Comm_dup(communicator, made) == MPI_SUCCESS;
    good = MPI_Comm_set_errhandler(communicator, theirs) == MPI_SUCCESS && good;
    MPI_Errhandler_free(&theirs);
    return good ? MOTE_OK : MOTE_ERROR_CLUSTER;
}

mote_result mote_cluster_create(MPI_Comm communicator, mote_cluster **cluster) {
    if (!cluster) return MOTE_ERROR_NULL;
    *cluster = NULL;
    if (!is_running()) return MOTE_ERROR_CLUSTER;
    if (communicator == MPI_COMM_NULL) return MOTE_ERROR_NULL;
    mote_cluster *made = calloc(1, sizeof *made);
    if (!made) return MOTE_ERROR_MEMORY;
    mote_result result = duplicate(communicator, &made->communicator);
    if (result == MOTE_OK) result = fill(made);
    if (result)
        mote_cluster_destroy(made);
    else
        *cluster = made;
    return result;
}

void mote_cluster_destroy(mote_cluster *cluster) {
    if (!cluster) return;
    if (is_running() && cluster->communicator != MPI_COMM_NULL) MPI_Comm_free(&cluster->communicator);
    free(cluster->request);
    free(cluster->compared);
    free(cluster);
}

const mote_transport *mote_cluster_transport(const mote_cluster *cluster) {
    return cluster ? &cluster->transport : NULL;
}

void mote_cluster_on_error(mote_cluster *cluster,
                           void (*error)(void *user, mote_result result, uint32_t rank), void *user) {
    if (!cluster) return;
    cluster->error = error;
    cluster->error_user = user;
}

/* --- Snapshots --- */

/* Returns the hash of bytes, chained after `seed`. This library sees the public functions of libmote alone,
 * and the hash of that one is hidden. */
static uint64_t hash_bytes(uint64_t seed, const void *data, size_t bytes) {
    for (size_t at = 0, piece; at < bytes; at += piece) {
        uint64_t word = 0;
        piece = bytes - at < sizeof word ? bytes - at : sizeof word;
        memcpy(&word, (const unsigned char *)data + at, piece);
        seed = (seed ^ word) * 0x9e3779b97f4a7c15u;
        seed ^= seed >> 29;
    }
    return seed;
}

/* Compares two numbers of all ranks. Errors: CALLS, CLUSTER. */
static mote_result compare(mote_cluster *c, uint64_t first, uint64_t second) {
    const uint64_t own[2] = {first, second};
    mote_result result = gather(c, own, c->compared, COMPARED) ? MOTE_ERROR_CLUSTER : MOTE_OK;
    uint32_t rank = result ? MOTE_NO_ITEM : 1;
    for (; rank < c->transport.ranks && result == MOTE_OK; rank += result == MOTE_OK)
        if (memcmp(c->compared, c->compared + 2 * (size_t)rank, COMPARED) != 0) result = MOTE_ERROR_CALLS;
    if (result) hear(c, result, rank);
    return result;
}

enum { CALL_SAVE = 1, CALL_RESTORE };

/* Opens a call of all ranks: compares it and its arguments, and what each rank can tell of them before. A
 * restore replaces what the calls so far have set, so they may differ. Errors: NULL, BUSY, CALLS, CLUSTER. */
static mote_result open_call(mote_cluster *c, const mote_system *system, uint64_t call, uint32_t flags,
                             const char *path) {
    uint64_t calls = 0;
    mote_result own = path ? mote_system_calls(system, &c->transport, &calls) : MOTE_ERROR_NULL;
    const uint64_t numbers[] = {call, flags, (uint64_t)own, path ? strlen(path) : 0};
    const uint64_t hash = hash_bytes(hash_bytes(call, numbers, sizeof numbers), path, (size_t)numbers[3]);
    const mote_result result = compare(c, hash, call == CALL_SAVE ? calls : 0);
    return result ? result : own;
}

/* Returns the result of all ranks: the largest code. */
static mote_result agreed(const mote_cluster *c, mote_result own) {
    int mine = (int)own, all = 0;
    if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, c->communicator)) return MOTE_ERROR_CLUSTER;
    return (mote_result)all;
}

/* Writes or reads `bytes` bytes of a file from `first` on. */
static bool transfer(MPI_File file, unsigned char *memory, size_t first, size_t bytes, bool writes) {
    for (size_t at = 0, piece; at < bytes; at += piece) {
        MPI_Status status;
        int moved = 0;
        piece = bytes - at < PIECE ? bytes - at : PIECE;
        const MPI_Offset offset = (MPI_Offset)(first + at);
        const int result = writes
                               ? MPI_File_write_at(file, offset, memory + at, (int)piece, MPI_BYTE, &status)
                               : MPI_File_read_at(file, offset, memory + at, (int)piece, MPI_BYTE, &status);
        if (result || MPI_Get_count(&status, MPI_BYTE, &moved) || (size_t)moved != piece) return false;
    }
    return true;
}

/* Writes this rank's part of a snapshot that every rank holds. */
static mote_result write_part(const mote_cluster *c, const char *path, unsigned char *memory, size_t bytes) {
    const mote_transport *t = &c->transport;
    const size_t first = bytes / t->ranks * t->rank,
                 end = t->rank + 1 < t->ranks ? first + bytes / t->ranks : bytes;
    MPI_File file;
    if (MPI_File_open(c->communicator, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file))
        return MOTE_ERROR_FILE;
    bool written = MPI_File_set_size(file, (MPI_Offset)bytes) == MPI_SUCCESS;
    written = transfer(file, memory + first, first, end - first, true) && written;
    written = MPI_File_sync(file) == MPI_SUCCESS && written;
    return MPI_File_close(&file) == MPI_SUCCESS && written ? MOTE_OK : MOTE_ERROR_FILE;
}

/* Writes the file under its other name and renames it; where that fails nothing of it is left. */
static mote_result write_file(const mote_cluster *c, const char *path, unsigned char *memory, size_t bytes) {
    const size_t length = strlen(path);
    char *part = malloc(length + sizeof ".part");
    if (agreed(c, part ? MOTE_OK : MOTE_ERROR_MEMORY)) return free(part), MOTE_ERROR_MEMORY;
    memcpy(part, path, length);
    memcpy(part + length, ".part", sizeof ".part");
    mote_result result = agreed(c, write_part(c, part, memory, bytes));
    if (result == MOTE_OK && c->transport.rank == 0 && rename(part, path)) result = MOTE_ERROR_FILE;
    if (result && c->transport.rank == 0) (void)MPI_File_delete(part, MPI_INFO_NULL);
    free(part);
    return agreed(c, result);
}

mote_result mote_cluster_save(mote_cluster *cluster, mote_system *system, uint32_t flags, const char *path) {
    size_t bytes = 0, written = 0;
    if (!cluster) return MOTE_ERROR_NULL;
    mote_result result = open_call(cluster, system, CALL_SAVE, flags, path);
    if (result) return result;
    result = mote_system_snapshot_bytes(system, &bytes);
    unsigned char *memory = result ? NULL : malloc(bytes);
    if (result == MOTE_OK && !memory) result = MOTE_ERROR_MEMORY;
    result = agreed(cluster, result);
    if (result == MOTE_OK) result = agreed(cluster, mote_system_save(system, flags, memory, bytes, &written));
    if (result == MOTE_OK) result = write_file(cluster, path, memory, written);
    free(memory);
    return result;
}

/* Reads a whole file; *memory receives its bytes, which the caller frees. */
static mote_result read_file(const mote_cluster *c, const char *path, unsigned char **memory, size_t *bytes) {
    MPI_File file;
    MPI_Offset size = 0;
    if (MPI_File_open(c->communicator, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file)) return MOTE_ERROR_FILE;
    mote_result result = MPI_File_get_size(file, &size) || size <= 0 ? MOTE_ERROR_FILE : MOTE_OK;
    unsigned char last; /* a folder has a size, but no bytes */
    if (result == MOTE_OK && !transfer(file, &last, (size_t)size - 1, 1, false)) result = MOTE_ERROR_FILE;
    *bytes = (size_t)size;
    *memory = result ? NULL : malloc(*bytes);
    if (result == MOTE_OK && !*memory) result = MOTE_ERROR_MEMORY;
    if (result == MOTE_OK && !transfer(file, *memory, 0, *bytes, false)) result = MOTE_ERROR_FILE;
    MPI_File_close(&file);
    return result;
}

mote_result mote_cluster_restore(mote_cluster *cluster, mote_system *system, const char *path,
                                 mote_snapshot_fault *fault) {
    if (fault) *fault = (mote_snapshot_fault){MOTE_SNAPSHOT_PART_COUNT, 0, MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    if (!cluster) return MOTE_ERROR_NULL;
    unsigned char *memory = NULL;
    size_t bytes = 0;
    mote_result result = open_call(cluster, system, CALL_RESTORE, 0, path);
    if (result) return result;
    result = agreed(cluster, read_file(cluster, path, &memory, &bytes));
    if (result == MOTE_OK) result = compare(cluster, hash_bytes(CALL_RESTORE, memory, bytes), bytes);
    if (result == MOTE_OK) result = agreed(cluster, mote_system_restore(system, memory, bytes, fault));
    free(memory);
    return result;
}
