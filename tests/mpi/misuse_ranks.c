/* The cluster and files of the table of misuse of mote-mpi. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "misuse_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

misuse_ranks_state misuse_ranks;
static int refusing; /* the attribute of a communicator that cannot be duplicated */
static bool filled;  /* the files stand */

#define REQUIRE(what)                                                                                        \
    do {                                                                                                     \
        if (what) break;                                                                                     \
        printf("the cluster cannot be made: %s\n", #what);                                                   \
        exit(2);                                                                                             \
    } while (0)

void misuse_hear(void *user, mote_result result, uint32_t rank) { (void)user, (void)result, (void)rank; }

static int refuse_copy(MPI_Comm communicator, int key, void *extra, void *from, void *to, int *copied) {
    (void)communicator, (void)key, (void)extra, (void)from, (void)to;
    *copied = 0;
    return MPI_ERR_OTHER;
}

static void name_file(char path[MISUSE_PATH], const char *name) {
    REQUIRE(snprintf(path, MISUSE_PATH, "%s/%s", misuse_ranks.root, name) < MISUSE_PATH);
}

void misuse_begin(int *count, char ***arguments) {
    static const char *const bad[MISUSE_BAD_FILES] = {"text", "empty", "damaged", "cut", "foreign"};
    misuse_ranks_state *m = &misuse_ranks;
    int level;
    MPI_Init_thread(count, arguments, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &m->uncopied);
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &refusing, NULL);
    MPI_Comm_set_attr(m->uncopied, refusing, NULL);
    snprintf(m->root, sizeof m->root, "/tmp/mote-misuse-XXXXXX");
    REQUIRE(mkdtemp(m->root));
    name_file(m->folder, "folder");
    REQUIRE(mkdir(m->folder, 0700) == 0);
    name_file(m->nowhere, "no/such/file"), name_file(m->file, "file"), name_file(m->kept, "kept");
    for (int i = 0; i < MISUSE_BAD_FILES; i++) name_file(m->bad[i], bad[i]);
}

static void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* A snapshot with its hashes, and files that are none of this system. */
static void fill_files(misuse_world *w) {
    misuse_ranks_state *m = &misuse_ranks;
    unsigned char *memory = w->memory;
    size_t bytes;
    REQUIRE(mote_cluster_save(m->cluster, w->system, MOTE_SNAPSHOT_CHECKSUM, m->kept) == MOTE_OK);
    REQUIRE(mote_system_save(w->system, MOTE_SNAPSHOT_CHECKSUM, memory, sizeof w->memory, &bytes) == MOTE_OK);
    write_bytes(m->bad[0], "No snapshot.", 12);
    write_bytes(m->bad[1], "", 0);
    memory[bytes / 2] ^= 1;
    write_bytes(m->bad[2], memory, bytes);
    memory[bytes / 2] ^= 1;
    write_bytes(m->bad[3], memory, bytes - 1);
    REQUIRE(mote_system_save(w->flat, 0, memory, sizeof w->memory, &bytes) == MOTE_OK);
    write_bytes(m->bad[4], memory, bytes);
}

void misuse_join(misuse_world *w) {
    misuse_ranks_state *m = &misuse_ranks;
    m->made = NULL;
    REQUIRE(mote_cluster_create(MPI_COMM_WORLD, &m->cluster) == MOTE_OK);
    REQUIRE(mote_cluster_create(MPI_COMM_WORLD, &m->other) == MOTE_OK);
    REQUIRE(mote_system_join(w->system, mote_cluster_transport(m->cluster)) == MOTE_OK);
    if (!filled) fill_files(w);
    filled = true;
}

void misuse_leave(void) {
    mote_cluster_destroy(misuse_ranks.cluster);
    mote_cluster_destroy(misuse_ranks.other);
    mote_cluster_destroy(misuse_ranks.made);
}

void misuse_end(void) {
    misuse_ranks_state *m = &misuse_ranks;
    remove(m->file), remove(m->kept);
    for (int i = 0; i < MISUSE_BAD_FILES; i++) remove(m->bad[i]);
    MPI_Comm_free(&m->uncopied);
    MPI_Comm_free_keyval(&refusing);
    MPI_Finalize();
    if (rmdir(m->folder) || rmdir(m->root)) printf("a file is left in %s\n", m->root), exit(1);
}
