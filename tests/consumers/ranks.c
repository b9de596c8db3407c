/* A host on the ranks of MPI: each gets the bits that one gets alone. */
#include <stdio.h>

#include <mote/mote.h>
#include <mote/mpi.h>

static mote_system *make(void) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    uint32_t i;
    if (mote_system_create(&def, &system) || mote_system_spawn(system, 500, &view)) return NULL;
    for (i = 0; i < 500; i++) view.position.x[i] = (float)i, view.velocity.y[i] = 0.5f * (float)i;
    return system;
}

int main(int count, char **arguments) {
    mote_cluster *cluster;
    mote_system *alone, *ours;
    int wrong;
    MPI_Init(&count, &arguments);
    alone = make(), ours = make();
    wrong = !alone || !ours || mote_cluster_create(MPI_COMM_WORLD, &cluster) ||
            mote_system_join(ours, mote_cluster_transport(cluster)) || mote_system_step(alone, 9, NULL) ||
            mote_system_step(ours, 9, NULL) || mote_system_hash(alone) != mote_system_hash(ours);
    if (wrong) fputs("the ranks have other bits\n", stderr);
    mote_system_destroy(alone);
    mote_system_destroy(ours);
    if (!wrong) mote_cluster_destroy(cluster);
    MPI_Finalize();
    return wrong;
}
