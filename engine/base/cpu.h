/* Which instruction sets this processor and operating system run. */
#ifndef MOTE_BASE_CPU_H
#define MOTE_BASE_CPU_H

#include <stdbool.h>

#include <mote/isa.h>

/* Says nothing of what this build holds kernels for. */
bool mote_cpu_runs(mote_isa isa);

#endif
