/* Included before the sources of a test program: each system that they make joins the ranks of
 * MPI_COMM_WORLD, so a program that knows nothing of clusters runs on one. */
#ifndef MOTE_TESTS_MPI_JOIN_H
#define MOTE_TESTS_MPI_JOIN_H

#include <mote/system.h>

/* mote_system_create and mote_system_join. */
mote_result mpi_join_create(const mote_system_def *def, mote_system **system);

/* The program's main. */
int joined_main(int count, char **arguments);

#define mote_system_create(def, system) mpi_join_create(def, system)
#define main                            joined_main

#endif
