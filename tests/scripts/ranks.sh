#!/usr/bin/env bash
# Runs a program on ranks of MPI on this machine, more than it has processors: ranks.sh RANKS PROGRAM ARGS...
set -euo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
# Only the ranks of this machine: no search for networks.
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm=isolated
exec mpirun --oversubscribe --bind-to none -n "$1" "${@:2}"
