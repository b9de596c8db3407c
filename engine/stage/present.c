/* Tables of presentation kernels by instruction set. */
#include "stage/present.h"

#include "base/isa.h"

MOTE_KERNEL_LOOKUP(mote_present_kernels, mote_present_kernels);
