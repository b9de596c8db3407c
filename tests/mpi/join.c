/* Runs a program of the tests on the ranks of MPI (join.h). Rank 0 prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mote/mpi.h>

mote_result mpi_join_create(const mote_system_def *def, mote_system **system);
int joined_main(int count, char **arguments);

static mote_cluster *cluster;
static uint32_t joined;

static void check(mote_result result) {
    if (result == MOTE_OK) return;
    fprintf(stderr, "%s\n", mote_result_text(result));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void hear(void *user, mote_result result, uint32_t rank) {
    (void)user;
    fprintf(stderr, "rank %u: %s\n", rank, mote_result_text(result));
}

/* A system gets at least a lane group of loose particles for each rank: bits do not depend on capacity. */
mote_result mpi_join_create(const mote_system_def *def, mote_system **system) {
    const mote_transport *transport = mote_cluster_transport(cluster);
    mote_system_def wide = *def;
    if (def->capacity && def->capacity < 16 * transport->ranks) wide.capacity = 16 * transport->ranks;
    const mote_result result = mote_system_create(&wide, system);
    if (result) return result;
    check(mote_system_join(*system, transport));
    joined++;
    return MOTE_OK;
}

int main(int count, char **arguments) {
    int level, rank;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(mote_cluster_create(MPI_COMM_WORLD, &cluster));
    mote_cluster_on_error(cluster, hear, NULL);
    if (rank && !freopen("/dev/null", "w", stdout)) return 1;
    const int result = joined_main(count, arguments);
    mote_cluster_destroy(cluster);
    if (rank == 0) fprintf(stderr, "%u systems joined\n", joined);
    MPI_Finalize();
    const bool lists = count > 1 && strcmp(arguments[count - 1], "--names") == 0; /* makes no system */
    return result || (!joined && !lists);
}
